/*
 * The networks of configs/networks: multiply-accumulates and output sizes against what was
 * published about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/network.h"

struct loaded {
    struct arena arena;
    struct diag diag;
    struct network network;
};

static void load(struct loaded *loaded, const char *name)
{
    const struct network_options options = {.batch = 0};
    arena_init(&loaded->arena, 0);
    diag_init(&loaded->diag);
    const char *path = arena_format(&loaded->arena, "configs/networks/%s.csv", name);
    if (network_load(path, &options, &loaded->arena, &loaded->diag, &loaded->network) != STATUS_OK)
        fail_msg("%s", diag_text(&loaded->diag, 0));
}

static void unload(struct loaded *loaded)
{
    diag_deinit(&loaded->diag);
    arena_deinit(&loaded->arena);
}

static const struct conv *find(const struct loaded *loaded, const char *name)
{
    for (size_t i = 0; i < loaded->network.layer_count; i++)
        if (strcmp(loaded->network.layers[i].name, name) == 0)
            return &loaded->network.layers[i].conv;
    fail_msg("no layer %s", name);
    return NULL;
}

static void assert_output(const struct loaded *loaded, const char *name, uint64_t channels,
                          int64_t height, int64_t width)
{
    const struct conv *conv = find(loaded, name);
    assert_int_equal(conv->cout, channels);
    assert_int_equal(conv->out[AXIS_H], height);
    assert_int_equal(conv->out[AXIS_W], width);
}

/* arXiv:1512.03385, Table 1: 3.8e9 multiply-adds with the 2048 x 1000 of the classifier; sizes of
 * the stages 112, 56, 28, 14 and 7. The sum of that table's shapes is 3,857,973,248. */
static void resnet50_has_the_work_and_sizes_of_its_table(void **state)
{
    (void)state;
    struct loaded loaded;
    load(&loaded, "resnet50");
    assert_int_equal(loaded.network.occurrences, 53);
    assert_int_equal(loaded.network.macs + 2048 * 1000, 3857973248);
    assert_output(&loaded, "conv1", 64, 112, 112);
    assert_output(&loaded, "res2a_branch1", 256, 56, 56);
    assert_output(&loaded, "res3a_branch1", 512, 28, 28);
    assert_output(&loaded, "res4a_branch1", 1024, 14, 14);
    assert_output(&loaded, "res5a_branch1", 2048, 7, 7);
    unload(&loaded);
}

/* arXiv:1409.1556, Table 1; 15.47 GMAC with 123,633,664 of the classifier (documentation of
 * torchvision, vgg16). */
static void vgg16_has_the_work_and_sizes_of_its_table(void **state)
{
    (void)state;
    struct loaded loaded;
    load(&loaded, "vgg16");
    assert_int_equal(loaded.network.layer_count, 13);
    assert_int_equal(loaded.network.macs + 123633664, 15470264320);
    assert_output(&loaded, "conv1_2", 64, 224, 224);
    assert_output(&loaded, "conv3_3", 256, 56, 56);
    assert_output(&loaded, "conv5_3", 512, 14, 14);
    unload(&loaded);
}

/* arXiv:1801.04381, Table 4: 300M multiply-adds with the 1280 x 1000 of the classifier. */
static void mobilenetv2_has_the_work_and_sizes_of_its_table(void **state)
{
    (void)state;
    struct loaded loaded;
    load(&loaded, "mobilenetv2");
    assert_int_equal(loaded.network.layer_count, 52);
    assert_int_equal(loaded.network.macs + 1280 * 1000, 300774272);
    assert_int_equal(find(&loaded, "features.17.dw")->groups, 960);
    assert_output(&loaded, "features.0", 32, 112, 112);
    assert_output(&loaded, "features.18", 1280, 7, 7);
    unload(&loaded);
}

/* github.com/ultralytics/ultralytics, docs/en/models/yolov8.md: 8.7 GFLOP, two for each
 * multiply-accumulate, at 640 pixels; strides 8, 16 and 32. */
static void yolov8n_has_the_work_and_sizes_of_its_page(void **state)
{
    (void)state;
    struct loaded loaded;
    load(&loaded, "yolov8n");
    uint64_t tenths_of_gflop = (2 * loaded.network.macs + 50000000) / 100000000;
    assert_int_equal(tenths_of_gflop, 87);
    assert_output(&loaded, "22.box.80.2", 64, 80, 80);
    assert_output(&loaded, "22.cls.40.2", 80, 40, 40);
    assert_output(&loaded, "22.cls.20.2", 80, 20, 20);
    unload(&loaded);
}

/* arXiv:1505.04597, Figure 1. */
static void unet_has_the_sizes_of_its_figure(void **state)
{
    (void)state;
    struct loaded loaded;
    load(&loaded, "unet");
    assert_output(&loaded, "down1.conv1", 64, 570, 570);
    assert_output(&loaded, "down2.conv2", 128, 280, 280);
    assert_output(&loaded, "down5.conv2", 1024, 28, 28);
    assert_output(&loaded, "up4.conv1", 512, 54, 54);
    assert_output(&loaded, "up1.conv2", 64, 388, 388);
    assert_output(&loaded, "out", 2, 388, 388);
    assert_int_equal(find(&loaded, "up4.conv1")->cin, 1024);
    /* The first convolution, by hand: 570 x 570 outputs, 64 channels, 9 taps. */
    assert_int_equal(conv_macs(find(&loaded, "down1.conv1")), 570 * 570 * 64 * 9);
    unload(&loaded);
}

/* arXiv:2010.11929: 196 patches of 16 x 16 x 3 = 768 values become 768 values each. */
static void vit_b16_makes_196_patches(void **state)
{
    (void)state;
    struct loaded loaded;
    load(&loaded, "vit_b16_patch");
    assert_int_equal(loaded.network.macs, 196 * 768 * 768);
    assert_output(&loaded, "patch_embed", 768, 14, 14);
    unload(&loaded);
}

/* wan/modules/vae.py: four frames of 480 x 832 become one of 60 x 104 with 2 x 16 channels. */
static void wan_vae_shrinks_frames_by_four_and_sides_by_eight(void **state)
{
    (void)state;
    struct loaded loaded;
    load(&loaded, "wan21_vae_encoder");
    assert_output(&loaded, "encoder.conv1", 96, 480, 832);
    assert_int_equal(find(&loaded, "encoder.conv1")->out[AXIS_D], 4);
    assert_output(&loaded, "level1.time_conv", 192, 120, 208);
    assert_int_equal(find(&loaded, "level1.time_conv")->out[AXIS_D], 2);
    assert_output(&loaded, "level2.time_conv", 384, 60, 104);
    assert_output(&loaded, "conv1", 32, 60, 104);
    assert_int_equal(find(&loaded, "conv1")->out[AXIS_D], 1);
    /* Four convolutions of four frames: 4 x (4 x 480 x 832) x 96 x 96 x 27. */
    assert_int_equal(conv_macs(find(&loaded, "level0.res")), 1597440ULL * 96 * 96 * 27);
    assert_int_equal(loaded.network.layers[1].count, 4);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resnet50_has_the_work_and_sizes_of_its_table),
        cmocka_unit_test(vgg16_has_the_work_and_sizes_of_its_table),
        cmocka_unit_test(mobilenetv2_has_the_work_and_sizes_of_its_table),
        cmocka_unit_test(yolov8n_has_the_work_and_sizes_of_its_page),
        cmocka_unit_test(unet_has_the_sizes_of_its_figure),
        cmocka_unit_test(vit_b16_makes_196_patches),
        cmocka_unit_test(wan_vae_shrinks_frames_by_four_and_sides_by_eight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
