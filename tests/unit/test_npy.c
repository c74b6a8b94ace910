#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/tensor.h"

/* Files of the tests lie in a folder of their own that the teardown removes. */
struct fixture {
    char folder[64];
    char path[96];
    struct arena arena;
    struct diag diag;
};

static int fixture_setup(void **state)
{
    static struct fixture fixture;
    strcpy(fixture.folder, "/tmp/cubesim_npy_XXXXXX");
    if (mkdtemp(fixture.folder) == NULL) {
        return -1;
    }
    (void)snprintf(fixture.path, sizeof fixture.path, "%s/t.npy", fixture.folder);
    arena_init(&fixture.arena, 0);
    diag_init(&fixture.diag);
    *state = &fixture;
    return 0;
}

static int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;
    (void)remove(fixture->path);
    arena_deinit(&fixture->arena);
    diag_deinit(&fixture->diag);
    return rmdir(fixture->folder);
}

static size_t folder_files(const struct fixture *fixture)
{
    size_t count = 0;
    DIR *folder = opendir(fixture->folder);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    return count;
}

static void file_write(const struct fixture *fixture, const void *bytes, size_t size)
{
    FILE *file = fopen(fixture->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static size_t file_read(const struct fixture *fixture, uint8_t *bytes, size_t size)
{
    FILE *file = fopen(fixture->path, "rb");
    assert_non_null(file);
    size_t got = fread(bytes, 1, size, file);
    assert_int_equal(fclose(file), 0);
    return got;
}

/* A file of the given version, header text (padding and newline included) and data. */
static void file_compose(const struct fixture *fixture, uint8_t major, const char *header,
                         const void *data, size_t size)
{
    uint8_t bytes[1024] = "\x93NUMPY";
    size_t length = strlen(header), used = 6;
    bytes[used++] = major;
    bytes[used++] = 0;
    for (int i = 0; i < (major == 1 ? 2 : 4); i++) {
        bytes[used++] = (uint8_t)(length >> (8 * i));
    }
    memcpy(bytes + used, header, length);
    memcpy(bytes + used + length, data, size);
    file_write(fixture, bytes, used + length + size);
}

static struct tensor tensor_of(enum element element, uint32_t rank, const uint64_t *shape)
{
    struct tensor tensor = {.element = element, .rank = rank, .count = 1};
    for (uint32_t i = 0; i < rank; i++) {
        tensor.shape[i] = shape[i];
        tensor.count *= shape[i];
    }
    return tensor;
}

static struct tensor tensor_small(void)
{
    return tensor_of(ELEMENT_FP32, 2, (uint64_t[]){1, 3});
}

static const uint8_t small_data[12] = {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0, 0, 0, 0x40, 0x40};

/* np.array([[1, -2, 3]], '<f4') as numpy.save writes it: the header has 118 bytes. */
#define SMALL_HEADER "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }"
#define SPACES_58    "                                                          "

static void test_a_file_is_written_byte_for_byte_as_numpy_writes_it(void **state)
{
    struct fixture *fixture = *state;
    static const char expected[] = "\x93NUMPY\x01\x00v\x00" SMALL_HEADER SPACES_58 "\n";
    uint8_t bytes[256];
    uint8_t data[12];
    struct tensor tensor = tensor_small();
    memcpy(data, small_data, sizeof data);
    tensor.data = data;
    assert_int_equal(npy_save(fixture->path, place_none(), &tensor, &fixture->diag), STATUS_OK);
    assert_int_equal(sizeof expected - 1, 128);
    assert_int_equal(file_read(fixture, bytes, sizeof bytes), 128 + 12);
    assert_memory_equal(bytes, expected, 128);
    assert_memory_equal(bytes + 128, small_data, sizeof small_data);
    assert_int_equal(folder_files(fixture), 1);
}

static void expect_small(struct fixture *fixture)
{
    struct tensor tensor = tensor_small();
    assert_int_equal(
        npy_load(fixture->path, place_none(), &tensor, &fixture->arena, &fixture->diag), STATUS_OK);
    assert_memory_equal(tensor.data, small_data, sizeof small_data);
    assert_int_equal(fixture->diag.count, 0);
}

static void test_versions_1_to_3_and_every_spelling_of_a_header_are_read(void **state)
{
    struct fixture *fixture = *state;
    static const char *const headers[] = {
        SMALL_HEADER SPACES_58 "\n",
        SMALL_HEADER "          \n",
        SMALL_HEADER "\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)}\n",
        "{'shape': (1, 3,), 'descr': '<f4', 'fortran_order': False}\n",
        "{\"fortran_order\":False,\"shape\":(1,3),\"descr\":\"<f4\"}\n",
    };
    for (uint8_t major = 1; major <= 3; major++) {
        for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
            file_compose(fixture, major, headers[i], small_data, sizeof small_data);
            expect_small(fixture);
        }
    }
}

/* Loads as the tensor, expects BAD_INPUT and a message with the path and both texts. */
static void expect_refused(struct fixture *fixture, struct tensor tensor, const char *found,
                           const char *expected)
{
    diag_deinit(&fixture->diag);
    diag_init(&fixture->diag);
    assert_int_equal(
        npy_load(fixture->path, place_none(), &tensor, &fixture->arena, &fixture->diag),
        STATUS_BAD_INPUT);
    assert_null(tensor.data);
    assert_int_equal(fixture->diag.count, 1);
    const char *text = diag_text(&fixture->diag, 0);
    if (strstr(text, fixture->path) == NULL || strstr(text, found) == NULL ||
        strstr(text, expected) == NULL) {
        fail_msg("message '%s' lacks the path, '%s' or '%s'", text, found, expected);
    }
}

static void test_a_wrong_type_is_refused(void **state)
{
    struct fixture *fixture = *state;
    static const char *const types[] = {"<f2", "<f8", "<i4", "<u4", "|i1",
                                        "<c8", "<U4", "|O",  "f4"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char header[128], found[32];
        (void)snprintf(header, sizeof header,
                       "{'descr': '%s', 'fortran_order': False, 'shape': (1, 3), }\n", types[i]);
        (void)snprintf(found, sizeof found, "found type '%s'", types[i]);
        file_compose(fixture, 1, header, small_data, sizeof small_data);
        expect_refused(fixture, tensor_small(), found, "expected '<f4' for fp32");
    }
}

static void test_big_endian_and_fortran_order_are_refused_by_name(void **state)
{
    struct fixture *fixture = *state;
    file_compose(fixture, 1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 3), }\n",
                 small_data, sizeof small_data);
    expect_refused(fixture, tensor_small(), "big-endian type '>f4'", "expected '<f4'");
    file_compose(fixture, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3), }\n",
                 small_data, sizeof small_data);
    expect_refused(fixture, tensor_small(), "fortran_order True", "expected C order");
}

static void test_a_wrong_shape_is_refused(void **state)
{
    struct fixture *fixture = *state;
    static const char *const shapes[] = {"(3, 1)", "(1, 3, 1)", "(3,)", "()", "(1, 4)"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char header[128], found[32];
        (void)snprintf(header, sizeof header,
                       "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n", shapes[i]);
        (void)snprintf(found, sizeof found, "found shape %s", shapes[i]);
        file_compose(fixture, 1, header, small_data, sizeof small_data);
        expect_refused(fixture, tensor_small(), found, "expected (1, 3)");
    }
}

static void test_data_that_is_too_short_or_too_long_is_refused(void **state)
{
    struct fixture *fixture = *state;
    uint8_t longer[13] = {0};
    file_compose(fixture, 1, SMALL_HEADER "\n", small_data, 11);
    expect_refused(fixture, tensor_small(), "found 11 bytes where the data", "expected 12 bytes");
    file_compose(fixture, 1, SMALL_HEADER "\n", small_data, 0);
    expect_refused(fixture, tensor_small(), "found 0 bytes where the data", "expected 12 bytes");
    file_compose(fixture, 1, SMALL_HEADER "\n", longer, sizeof longer);
    expect_refused(fixture, tensor_small(), "behind the data", "expected 12 bytes");
}

static void test_a_file_that_is_no_npy_is_refused(void **state)
{
    struct fixture *fixture = *state;
    file_write(fixture, "", 0);
    expect_refused(fixture, tensor_small(), "found 0 bytes", "expected 8 bytes");
    file_write(fixture, "\x93NUMPY\x01", 7);
    expect_refused(fixture, tensor_small(), "found 7 bytes", "expected 8 bytes");
    file_write(fixture, "PK\x03\x04 a zip of arrays", 20);
    expect_refused(fixture, tensor_small(), "without the magic", "expected a .npy file");
    file_write(fixture, "\x93NUMPY\x04\x00v\x00{}", 12);
    expect_refused(fixture, tensor_small(), "version 4.0", "expected 1.0, 2.0 or 3.0");
    file_write(fixture, "\x93NUMPY\x01\x01v\x00{}", 12);
    expect_refused(fixture, tensor_small(), "version 1.1", "expected 1.0, 2.0 or 3.0");
    file_write(fixture, "\x93NUMPY\x01\x00v", 9);
    expect_refused(fixture, tensor_small(), "length of the header", "expected 2 bytes");
    file_write(fixture, "\x93NUMPY\x01\x00v\x00{'descr'", 18);
    expect_refused(fixture, tensor_small(), "found 8 bytes where the header", "expected 118 bytes");
    file_write(fixture, "\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{}", 14);
    expect_refused(fixture, tensor_small(), "header of 4294967295 bytes", "at most 65535");
}

static void test_a_malformed_header_is_refused(void **state)
{
    struct fixture *fixture = *state;
    static const char *const headers[] = {
        "\n",
        "{}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), } x\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }\n\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), 'more': 1}\n",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)}\n",
        "{'descr': '<f4', 'fortran_order': False}\n",
        "{'descr': '<f4', 'shape': (1, 3)}\n",
        "{'fortran_order': False, 'shape': (1, 3)}\n",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 3)}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [1, 3]}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, -3)}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,, 3)}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 18446744073709551616)}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 3)}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)\n",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1, 3)}\n",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (1, 3)}\n",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 3)}\n",
        "{descr: '<f4', 'fortran_order': False, 'shape': (1, 3)}\n",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        file_compose(fixture, 1, headers[i], small_data, sizeof small_data);
        expect_refused(fixture, tensor_small(), "found the header", "expected a dictionary");
    }
    file_write(fixture, "\x93NUMPY\x01\x00\x02\x00{\0", 12);
    expect_refused(fixture, tensor_small(), "zero byte", "expected text");
}

static void test_a_missing_file_is_bad_input_and_so_is_a_folder(void **state)
{
    struct fixture *fixture = *state;
    expect_refused(fixture, tensor_small(), "cannot open the file", "expected a .npy file");
    assert_int_equal(mkdir(fixture->path, 0700), 0);
    expect_refused(fixture, tensor_small(), "cannot read the file", "expected a .npy file");
}

static void test_every_type_comes_back_as_it_was_saved(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        enum element element;
        const char *word;
    } types[] = {
        {ELEMENT_FP16, "'<f2'"},     {ELEMENT_BF16, "'<u2'"},     {ELEMENT_FP32, "'<f4'"},
        {ELEMENT_INT8, "'|i1'"},     {ELEMENT_INT32, "'<i4'"},    {ELEMENT_UINT8, "'|u1'"},
        {ELEMENT_INT16, "'<i2'"},    {ELEMENT_UINT16, "'<u2'"},   {ELEMENT_UINT32, "'<u4'"},
        {ELEMENT_FP8_E4M3, "'|u1'"}, {ELEMENT_FP8_E5M2, "'|u1'"}, {ELEMENT_HIF8, "'|u1'"},
        {ELEMENT_INT4, "'|i1'"},     {ELEMENT_FP4_E2M1, "'|u1'"}, {ELEMENT_FP4_E1M2, "'|u1'"}};
    for (size_t type = 0; type < sizeof types / sizeof types[0]; type++) {
        enum element element = types[type].element;
        char text[64] = {0};
        struct tensor saved = tensor_of(element, 4, (uint64_t[]){2, 3, 5, 7});
        assert_int_equal(tensor_take(&saved, &fixture->arena), STATUS_OK);
        tensor_fill(&saved, 3, 0);
        assert_int_equal(npy_save(fixture->path, place_none(), &saved, &fixture->diag), STATUS_OK);
        struct tensor loaded = tensor_of(element, 4, saved.shape);
        assert_int_equal(
            npy_load(fixture->path, place_none(), &loaded, &fixture->arena, &fixture->diag),
            STATUS_OK);
        assert_memory_equal(saved.data, loaded.data, element_array_bytes(element, saved.count));
        assert_in_range(file_read(fixture, (uint8_t *)text, sizeof text - 1), 1, 63);
        assert_non_null(strstr(text + 10, types[type].word));
    }
}

static void test_int8_is_read_with_either_byte_order_mark(void **state)
{
    struct fixture *fixture = *state;
    struct tensor tensor = tensor_of(ELEMENT_INT8, 1, (uint64_t[]){2});
    file_compose(fixture, 1, "{'descr': '<i1', 'fortran_order': False, 'shape': (2,), }\n",
                 "\x80\x7F", 2);
    assert_int_equal(
        npy_load(fixture->path, place_none(), &tensor, &fixture->arena, &fixture->diag), STATUS_OK);
    assert_true(element_decode(ELEMENT_INT8, element_load(ELEMENT_INT8, tensor.data, 0)) == -128.0);
    assert_true(element_decode(ELEMENT_INT8, element_load(ELEMENT_INT8, tensor.data, 1)) == 127.0);
}

static void test_a_bias_of_fp16_becomes_fp32_but_no_other_tensor_does(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t halves[6] = {0x00, 0x3C, 0x00, 0xC1, 0x01, 0x00};
    static const double values[3] = {1.0, -2.5, 5.9604644775390625e-8};
    struct tensor bias = tensor_of(ELEMENT_FP32, 1, (uint64_t[]){3}), other = bias;
    bias.bias = true;
    file_compose(fixture, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }\n", halves,
                 sizeof halves);
    assert_int_equal(npy_load(fixture->path, place_none(), &bias, &fixture->arena, &fixture->diag),
                     STATUS_OK);
    assert_int_equal(bias.element, ELEMENT_FP32);
    for (size_t i = 0; i < 3; i++) {
        uint32_t code = element_load(ELEMENT_FP32, bias.data, i);
        assert_true(element_decode(ELEMENT_FP32, code) == values[i]);
    }
    expect_refused(fixture, tensor_of(ELEMENT_INT32, 1, (uint64_t[]){3}), "'<f2'", "'<i4'");
    expect_refused(fixture, other, "'<f2'", "'<f4' for fp32");
    file_compose(fixture, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", halves,
                 sizeof halves);
    other.bias = true;
    expect_refused(fixture, other, "'<f8'", "'<f4' or '<f2'");
}

static void test_four_bit_elements_have_a_byte_each_in_a_file(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t signs[5] = {0xF8, 0x07, 0xFF, 0x01, 0xFE}; /* -8 7 -1 1 -2 */
    static const uint8_t codes[5] = {0x0F, 0x07, 0x08, 0x01, 0x0E};
    uint8_t bytes[256];
    for (int integer = 0; integer <= 1; integer++) {
        enum element element = integer ? ELEMENT_INT4 : ELEMENT_FP4_E2M1;
        const uint8_t *in_file = integer ? signs : codes;
        struct tensor tensor = tensor_of(element, 1, (uint64_t[]){5});
        file_compose(fixture, 1,
                     integer ? "{'descr': '|i1', 'fortran_order': False, 'shape': (5,), }\n"
                             : "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }\n",
                     in_file, 5);
        assert_int_equal(
            npy_load(fixture->path, place_none(), &tensor, &fixture->arena, &fixture->diag),
            STATUS_OK);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(element_load(element, tensor.data, i), in_file[i] & 15);
        assert_int_equal(npy_save(fixture->path, place_none(), &tensor, &fixture->diag), STATUS_OK);
        assert_int_equal(file_read(fixture, bytes, sizeof bytes), 128 + 5);
        assert_memory_equal(bytes + 128, in_file, 5);
    }
    file_compose(fixture, 1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }\n",
                 "\xF8\xF7", 2);
    expect_refused(fixture, tensor_of(ELEMENT_INT4, 1, (uint64_t[]){2}), "found -9 at element 1",
                   "-8 to 7 for int4");
    file_compose(fixture, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n",
                 "\x0F\x10", 2);
    expect_refused(fixture, tensor_of(ELEMENT_FP4_E1M2, 1, (uint64_t[]){2}),
                   "found 16 at element 1", "0 to 15 for fp4_e1m2");
}

static void test_problems_are_told_at_the_place_that_names_the_file(void **state)
{
    struct fixture *fixture = *state;
    struct tensor tensor = tensor_small();
    const struct source source = {.name = "k.prog", .text = ".gm x = y.npy", .length = 13};
    const struct place place = {.source = &source, .line = 1, .column = 9, .width = 5};
    assert_int_equal(npy_load("nowhere/t.npy", place, &tensor, &fixture->arena, &fixture->diag),
                     STATUS_BAD_INPUT);
    tensor.data = &tensor;
    assert_int_equal(npy_save("nowhere/t.npy", place, &tensor, &fixture->diag), STATUS_IO);
    assert_int_equal(fixture->diag.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_non_null(strstr(diag_text(&fixture->diag, i), "k.prog:1:9: nowhere/t.npy: cannot "));
}

static void test_a_full_disk_leaves_the_old_file_and_no_part_of_the_new(void **state)
{
    struct fixture *fixture = *state;
    struct rlimit old, small;
    uint8_t bytes[16];
    struct tensor tensor = tensor_of(ELEMENT_FP32, 1, (uint64_t[]){5000});
    assert_int_equal(tensor_take(&tensor, &fixture->arena), STATUS_OK);
    file_write(fixture, "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 1000;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum status status = npy_save(fixture->path, place_none(), &tensor, &fixture->diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, STATUS_IO);
    assert_int_equal(fixture->diag.count, 1);
    assert_non_null(strstr(diag_text(&fixture->diag, 0), fixture->path));
    assert_int_equal(folder_files(fixture), 1);
    assert_int_equal(file_read(fixture, bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "old", 3);
}

static void test_what_cannot_be_written_is_an_io_error(void **state)
{
    struct fixture *fixture = *state;
    char path[128];
    uint8_t data[12] = {0};
    struct tensor tensor = tensor_small();
    tensor.data = data;
    (void)snprintf(path, sizeof path, "%s/missing/t.npy", fixture->folder);
    assert_int_equal(npy_save(path, place_none(), &tensor, &fixture->diag), STATUS_IO);
    assert_int_equal(npy_save(fixture->folder, place_none(), &tensor, &fixture->diag), STATUS_IO);
    assert_int_equal(npy_save("/dev/full", place_none(), &tensor, &fixture->diag), STATUS_IO);
    assert_int_equal(fixture->diag.count, 3);
    assert_int_equal(folder_files(fixture), 0);
}

static void test_a_device_is_written_to_and_not_replaced(void **state)
{
    struct fixture *fixture = *state;
    struct stat info;
    uint8_t data[12] = {0};
    struct tensor tensor = tensor_small();
    tensor.data = data;
    assert_int_equal(symlink("/dev/null", fixture->path), 0);
    assert_int_equal(npy_save(fixture->path, place_none(), &tensor, &fixture->diag), STATUS_OK);
    assert_int_equal(lstat(fixture->path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(folder_files(fixture), 1);
}

static void test_a_link_stays_and_its_file_is_written(void **state)
{
    struct fixture *fixture = *state;
    struct stat info;
    char path[128];
    uint8_t data[12] = {0};
    struct tensor tensor = tensor_small();
    tensor.data = data;
    (void)snprintf(path, sizeof path, "%s/target.npy", fixture->folder);
    assert_int_equal(symlink(path, fixture->path), 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(npy_save(fixture->path, place_none(), &tensor, &fixture->diag), STATUS_OK);
        assert_int_equal(lstat(fixture->path, &info), 0);
        assert_true(S_ISLNK(info.st_mode));
        assert_int_equal(lstat(path, &info), 0);
        assert_int_equal(info.st_size, 128 + 12);
    }
    assert_int_equal(remove(path), 0);
}

static void test_memory_that_runs_out_is_reported_as_such(void **state)
{
    struct fixture *fixture = *state;
    struct tensor tensor = tensor_small();
    file_compose(fixture, 1, SMALL_HEADER "\n", small_data, sizeof small_data);
    for (uint64_t nth = 1; nth <= 2; nth++) {
        arena_fail_at(nth);
        assert_int_equal(npy_load(fixture->path, place_none(), &tensor, &fixture->arena, NULL),
                         STATUS_NO_MEMORY);
        arena_fail_at(0);
        assert_null(tensor.data);
    }
    expect_small(fixture);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_file_is_written_byte_for_byte_as_numpy_writes_it),
        TEST(test_versions_1_to_3_and_every_spelling_of_a_header_are_read),
        TEST(test_a_wrong_type_is_refused),
        TEST(test_big_endian_and_fortran_order_are_refused_by_name),
        TEST(test_a_wrong_shape_is_refused),
        TEST(test_data_that_is_too_short_or_too_long_is_refused),
        TEST(test_a_file_that_is_no_npy_is_refused),
        TEST(test_a_malformed_header_is_refused),
        TEST(test_a_missing_file_is_bad_input_and_so_is_a_folder),
        TEST(test_every_type_comes_back_as_it_was_saved),
        TEST(test_int8_is_read_with_either_byte_order_mark),
        TEST(test_a_bias_of_fp16_becomes_fp32_but_no_other_tensor_does),
        TEST(test_four_bit_elements_have_a_byte_each_in_a_file),
        TEST(test_problems_are_told_at_the_place_that_names_the_file),
        TEST(test_a_full_disk_leaves_the_old_file_and_no_part_of_the_new),
        TEST(test_what_cannot_be_written_is_an_io_error),
        TEST(test_a_device_is_written_to_and_not_replaced),
        TEST(test_a_link_stays_and_its_file_is_written),
        TEST(test_memory_that_runs_out_is_reported_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
