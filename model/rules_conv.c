/* Rules 1 to 9: the convolution itself (docs/tiling.md section 1.1). */
#include "model/rule_case.h"

#include <string.h>

#include "model/saturate.h"

static const char *const axis_letter[AXIS_COUNT] = {"D", "H", "W"};

static enum axis first_axis(const struct conv *conv)
{
    return (enum axis)(AXIS_COUNT - conv->rank);
}

/* "H", "H and W", "D, H and W": the axes that are marked. */
static const char *axes_text(struct rule_case *c, const bool marked[AXIS_COUNT])
{
    const char *names = "";
    uint32_t count = 0;
    uint32_t at = 0;

    for (enum axis axis = AXIS_D; axis < AXIS_COUNT; axis++)
        count += marked[axis];
    for (enum axis axis = AXIS_D; axis < AXIS_COUNT; axis++)
        if (marked[axis])
            names = rule_names(c, names, axis_letter[axis], at++, count);
    return names;
}

static bool axis_is_first(const bool marked[AXIS_COUNT], enum axis axis)
{
    for (enum axis other = AXIS_D; other < axis; other++)
        if (marked[other])
            return false;
    return true;
}

static bool is_cube_float(enum element element)
{
    return element == ELEMENT_FP16 || element == ELEMENT_BF16 || element == ELEMENT_FP32;
}

void rule_judge_output_type(struct rule_case *c)
{
    const char *type = element_word(c->conv->out_dtype);

    /* The sets speak of three types, and of no quantisation; the others follow the same formulas
     * with their own C0. */
    if (!is_cube_float(c->conv->dtype) ||
        (c->conv->quant.given && !is_cube_float(c->conv->out_dtype))) {
        rule_clause(c, true, WORD_OUT_DTYPE,
                    rule_text(c, "%s of %s, extended", type, element_word(c->conv->dtype)), "", "");
        return;
    }
    bool ok = is_cube_float(c->conv->out_dtype);
    rule_clause(c, ok, WORD_OUT_DTYPE,
                rule_text(c, "%s %s fp32 fp16 bf16", type, ok ? "in" : "not in"),
                "out_dtype is one of fp32, fp16, bf16",
                rule_text(c, "out_dtype %s", element_word(c->conv->dtype)));
}

struct dimension {
    enum plan_word word;
    const char *name;
    uint64_t size;
};

static uint32_t dimension_list(const struct conv *conv, struct dimension list[2 * AXIS_COUNT + 4])
{
    static const char *const kernel_name[AXIS_COUNT] = {"Kd", "Kh", "Kw"};
    uint32_t count = 0;

    list[count++] = (struct dimension){WORD_INPUT, "N", conv->batch};
    list[count++] = (struct dimension){WORD_INPUT, "Cin", conv->cin};
    for (enum axis axis = first_axis(conv); axis < AXIS_COUNT; axis++)
        list[count++] = (struct dimension){WORD_INPUT, axis_letter[axis], conv->in[axis]};
    list[count++] = (struct dimension){WORD_WEIGHT, "Cout", conv->cout};
    list[count++] = (struct dimension){WORD_WEIGHT, "Cin of the weight", conv->cin_group};
    for (enum axis axis = first_axis(conv); axis < AXIS_COUNT; axis++)
        list[count++] = (struct dimension){WORD_WEIGHT, kernel_name[axis], conv->kernel[axis]};
    return count;
}

static bool dimension_holds(const struct dimension *dimension)
{
    return dimension->size >= 1 && dimension->size <= RULE_DIMENSION_MAX;
}

/* "Cin lies in 1 .. 1,000,000", of all that do not. */
static const char *dimensions_message(struct rule_case *c, const struct dimension *list,
                                      uint32_t count)
{
    const char *names = "";
    uint32_t broken = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < count; i++)
        broken += !dimension_holds(&list[i]);
    for (uint32_t i = 0; i < count; i++)
        if (!dimension_holds(&list[i]))
            names = rule_names(c, names, list[i].name, at++, broken);
    return rule_text(c, "%s %s in 1 .. 1,000,000", names, broken == 1 ? "lies" : "lie");
}

void rule_judge_dimensions(struct rule_case *c)
{
    struct dimension list[2 * AXIS_COUNT + 4];
    uint32_t count = dimension_list(c->conv, list);
    uint64_t smallest = list[0].size;
    uint64_t largest = list[0].size;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t size = list[i].size;
        smallest = size < smallest ? size : smallest;
        largest = size > largest ? size : largest;
        if (dimension_holds(&list[i]))
            continue;
        rule_clause(c, false, list[i].word,
                    rule_text(c, "%s %s %s", list[i].name, rule_number(c, size),
                              size < 1 ? "< 1" : "> 1,000,000"),
                    c->verdict->ok ? dimensions_message(c, list, count) : "",
                    rule_text(c, "%s %s", list[i].name, size < 1 ? "1" : "1,000,000"));
    }
    rule_value(c, "smallest", smallest);
    rule_value(c, "largest", largest);
    rule_clause(c, true, WORD_INPUT,
                rule_text(c, "1 <= %s .. %s <= 1,000,000", rule_number(c, smallest),
                          rule_number(c, largest)),
                "", "");
}

void rule_judge_bias_length(struct rule_case *c)
{
    uint64_t length = c->conv->bias_length;

    if (!c->conv->bias) {
        rule_skip(c, "no bias");
        return;
    }
    bool ok = length == c->conv->cout;
    rule_value(c, "length", length);
    rule_value(c, "Cout", c->conv->cout);
    rule_clause(c, ok, WORD_BIAS,
                rule_text(c, "%s %s Cout %s", rule_number(c, length),
                          ok ? "=" : "!=", rule_number(c, c->conv->cout)),
                "the bias has one value per output channel",
                rule_text(c, "a bias of %s values", rule_number(c, c->conv->cout)));
}

/* The smallest input size along an axis that gives so many outputs. */
static uint64_t least_input(const struct conv *conv, enum axis axis, uint64_t outputs)
{
    uint64_t reach = saturate_mul(saturate_sub(conv->kernel[axis], 1), conv->dilation[axis]);
    uint64_t steps = saturate_mul(outputs - 1, conv->stride[axis]);
    uint64_t pads = saturate_add(conv->pad_head[axis], conv->pad_tail[axis]);
    uint64_t least = saturate_sub(saturate_add(saturate_add(steps, reach), 1), pads);

    return least > 1 ? least : 1;
}

void rule_judge_output_size(struct rule_case *c)
{
    static const char *const name[AXIS_COUNT] = {"Dout", "Hout", "Wout"};
    const struct conv *conv = c->conv;
    const char *sizes = "";
    bool missing[AXIS_COUNT] = {false};

    for (enum axis axis = first_axis(conv); axis < AXIS_COUNT; axis++)
        missing[axis] = conv->out[axis] < 1;
    for (enum axis axis = first_axis(conv); axis < AXIS_COUNT; axis++) {
        uint64_t size = conv->out[axis] > 0 ? (uint64_t)conv->out[axis] : 0;
        rule_value(c, name[axis], size);
        sizes = rule_text(c, "%s%s%s %s", sizes, sizes[0] == '\0' ? "" : ", ", name[axis],
                          rule_number(c, size));
        if (size < 1)
            rule_clause(c, false, WORD_WEIGHT, rule_text(c, "%s %s < 1", name[axis], "0"),
                        axis_is_first(missing, axis)
                            ? rule_text(c, "the kernel does not fit into the padded input along %s",
                                        axes_text(c, missing))
                            : "",
                        rule_text(c, "%s %s", axis_letter[axis],
                                  rule_number(c, least_input(conv, axis, 1))));
        else if (size > RULE_DIMENSION_MAX)
            rule_clause(c, false, WORD_INPUT,
                        rule_text(c, "%s %s > 1,000,000", name[axis], rule_number(c, size)),
                        rule_text(c, "%s lies in 1 .. 1,000,000", name[axis]),
                        rule_text(c, "%s %s", axis_letter[axis],
                                  rule_number(c, least_input(conv, axis, RULE_DIMENSION_MAX))));
    }
    rule_clause(c, true, WORD_INPUT, rule_text(c, "%s >= 1", sizes), "", "");
}

static void length_clause(struct rule_case *c, enum plan_word word, const char *name,
                          uint64_t length, uint64_t wanted)
{
    bool ok = length == wanted;

    rule_value(c, name, length);
    rule_clause(
        c, ok, word,
        ok ? rule_text(c, "%s %s", name, rule_number(c, length))
           : rule_text(c, "%s %s != %s", name, rule_number(c, length), rule_number(c, wanted)),
        rule_text(c, "%s has %s numbers for %u axes", name, rule_number(c, wanted),
                  (unsigned)c->conv->rank),
        rule_text(c, "%s with %s numbers", name, rule_number(c, wanted)));
}

void rule_judge_list_lengths(struct rule_case *c)
{
    const struct conv *conv = c->conv;

    length_clause(c, WORD_PADDING, "padding", conv->padding_length, 2U * conv->rank);
    length_clause(c, WORD_DILATION, "dilation", conv->dilation_length, conv->rank);
    length_clause(c, WORD_STRIDE, "stride", conv->stride_length, conv->rank);
}

static uint64_t larger_pad(const struct conv *conv, enum axis axis)
{
    return conv->pad_head[axis] > conv->pad_tail[axis] ? conv->pad_head[axis]
                                                       : conv->pad_tail[axis];
}

void rule_judge_padding(struct rule_case *c)
{
    const struct conv *conv = c->conv;
    const char *last = "";
    bool broken[AXIS_COUNT] = {false};

    for (enum axis axis = first_axis(conv); axis < AXIS_COUNT; axis++)
        broken[axis] = larger_pad(conv, axis) >= conv->kernel[axis];
    for (enum axis axis = first_axis(conv); axis < AXIS_COUNT; axis++) {
        uint64_t kernel = conv->kernel[axis];
        bool ok = !broken[axis];
        const char *numbers = rule_text(c, "%s %s %s", rule_number(c, larger_pad(conv, axis)),
                                        ok ? "<" : ">=", rule_number(c, kernel));
        bool repeated = strcmp(numbers, last) == 0;
        last = numbers;
        if (ok && repeated)
            continue;
        const char *message = "";
        if (!ok && axis_is_first(broken, axis))
            message =
                rule_text(c, "padding along %s is smaller than the kernel", axes_text(c, broken));
        rule_clause(c, ok, WORD_PADDING, numbers, message,
                    rule_text(c, "padding %s along %s", rule_number(c, saturate_sub(kernel, 1)),
                              axis_letter[axis]));
    }
}

/* The multiple of step nearest to value, of two the larger, but at most 1,000,000. */
static uint64_t multiple_near(uint64_t value, uint64_t step)
{
    uint64_t below = saturate_align_down(value, step);
    uint64_t above = saturate_align_up(value, step);
    bool down = below > 0 && (value - below < above - value || above > RULE_DIMENSION_MAX);

    return down ? below : above;
}

/* The change that makes rule 7 hold: of groups alone where one number does, else of the channels to
 * suit the groups that are written. */
static const char *groups_nearest(struct rule_case *c)
{
    const struct conv *conv = c->conv;
    bool divides = rule_divides(conv->cin_group, conv->cin);
    uint64_t whole = divides ? conv->cin / conv->cin_group : 0;
    uint64_t groups = saturate_min(conv->groups < 1 ? 1 : conv->groups, RULE_GROUPS_MAX);
    uint64_t cin = saturate_mul(conv->cin_group, groups);
    const char *text = "";

    if (whole >= 1 && whole <= RULE_GROUPS_MAX && conv->cout % whole == 0)
        return rule_text(c, "groups %s", rule_number(c, whole));
    if (groups != conv->groups)
        text = rule_text(c, "groups %s", rule_number(c, groups));
    if (cin != conv->cin && rule_divides(groups, conv->cin))
        text = rule_text(c, "%s%sCin of the weight %s", text, text[0] == '\0' ? "" : ", ",
                         rule_number(c, conv->cin / groups));
    else if (cin != conv->cin)
        text = rule_text(c, "%s%sCin %s", text, text[0] == '\0' ? "" : ", ", rule_number(c, cin));
    if (!rule_divides(groups, conv->cout))
        text = rule_text(c, "%s%sCout %s", text, text[0] == '\0' ? "" : ", ",
                         rule_number(c, multiple_near(conv->cout, groups)));
    return text;
}

/* Cin and Cout are multiples of groups: one sentence when both are not. */
static void groups_divide_clauses(struct rule_case *c)
{
    const struct conv *conv = c->conv;
    bool of_cin = rule_divides(conv->groups, conv->cin);
    bool of_cout = rule_divides(conv->groups, conv->cout);

    if (!of_cin)
        rule_clause(c, false, WORD_INPUT, rule_rest_text(c, conv->cin, conv->groups),
                    of_cout ? "Cin is a multiple of groups"
                            : "Cin and Cout are multiples of groups",
                    c->verdict->ok ? groups_nearest(c) : "");
    if (!of_cout)
        rule_clause(c, false, WORD_WEIGHT, rule_rest_text(c, conv->cout, conv->groups),
                    of_cin ? "Cout is a multiple of groups" : "",
                    c->verdict->ok ? groups_nearest(c) : "");
}

void rule_judge_groups(struct rule_case *c)
{
    const struct conv *conv = c->conv;
    uint64_t product = saturate_mul(conv->cin_group, conv->groups);
    bool equal = product == conv->cin;

    rule_value(c, "groups", conv->groups);
    rule_value(c, "Cin", conv->cin);
    rule_value(c, "Cin of the weight", conv->cin_group);
    rule_value(c, "Cout", conv->cout);
    if (conv->groups < 1 || conv->groups > RULE_GROUPS_MAX)
        rule_clause(c, false, WORD_GROUPS,
                    rule_text(c, "%s %s", rule_number(c, conv->groups),
                              conv->groups < 1 ? "< 1" : "> 65,535"),
                    "groups lies in 1 .. 65,535", groups_nearest(c));
    groups_divide_clauses(c);
    rule_clause(c, equal, WORD_WEIGHT,
                equal ? rule_text(c, "%s = %s x %s", rule_number(c, conv->cin),
                                  rule_number(c, conv->cin_group), rule_number(c, conv->groups))
                      : rule_text(c, "%s != %s x %s = %s", rule_number(c, conv->cin),
                                  rule_number(c, conv->cin_group), rule_number(c, conv->groups),
                                  rule_number(c, product)),
                "Cin is Cin of the weight x groups", c->verdict->ok ? groups_nearest(c) : "");
}

/* One kind of number over all axes: "stride 1", or "stride 1 .. 2" where axes differ. */
static void range_clause(struct rule_case *c, enum plan_word word, const char *name,
                         const uint64_t *values, uint32_t count, uint64_t low, uint64_t high)
{
    uint64_t smallest = values[0];
    uint64_t largest = values[0];

    for (uint32_t i = 1; i < count; i++) {
        smallest = values[i] < smallest ? values[i] : smallest;
        largest = values[i] > largest ? values[i] : largest;
    }
    bool ok = smallest >= low && largest <= high;
    const char *numbers = "";
    if (largest > high)
        numbers = rule_text(c, "%s %s > %s", name, rule_number(c, largest), rule_number(c, high));
    else if (smallest < low)
        numbers = rule_text(c, "%s %s < %s", name, rule_number(c, smallest), rule_number(c, low));
    else if (smallest == largest)
        numbers = rule_text(c, "%s %s", name, rule_number(c, largest));
    else
        numbers =
            rule_text(c, "%s %s .. %s", name, rule_number(c, smallest), rule_number(c, largest));
    rule_value(c, name, largest);
    rule_clause(
        c, ok, word, numbers,
        rule_text(c, "%s lies in %s .. %s", name, rule_number(c, low), rule_number(c, high)),
        rule_text(c, "%s %s", name, rule_number(c, largest > high ? high : low)));
}

void rule_judge_ranges(struct rule_case *c)
{
    const struct conv *conv = c->conv;
    enum axis first = first_axis(conv);
    uint64_t pads[2 * AXIS_COUNT];
    uint32_t pad_count = 0;

    for (enum axis axis = first; axis < AXIS_COUNT; axis++) {
        pads[pad_count++] = conv->pad_head[axis];
        pads[pad_count++] = conv->pad_tail[axis];
    }
    range_clause(c, WORD_STRIDE, "stride", conv->stride + first, conv->rank, 1, RULE_STEP_MAX);
    range_clause(c, WORD_PADDING, "padding", pads, pad_count, 0, RULE_PAD_MAX);
    range_clause(c, WORD_DILATION, "dilation", conv->dilation + first, conv->rank, 1,
                 RULE_STEP_MAX);
}

static void kernel_clause(struct rule_case *c, const char *name, uint64_t kernel)
{
    if (kernel <= RULE_KERNEL_MAX)
        return;
    rule_clause(c, false, WORD_WEIGHT, rule_text(c, "%s %s > 255", name, rule_number(c, kernel)),
                rule_text(c, "%s is at most 255", name), rule_text(c, "%s 255", name));
}

void rule_judge_kernel(struct rule_case *c)
{
    uint64_t height = c->conv->kernel[AXIS_H];
    uint64_t width = c->conv->kernel[AXIS_W];
    uint64_t block = saturate_mul(c->area, c->c0);
    bool ok = block <= RULE_KERNEL_BLOCK_MAX;

    rule_value(c, "Kh", height);
    rule_value(c, "Kw", width);
    rule_value(c, "C0", c->c0);
    kernel_clause(c, "Kh", height);
    kernel_clause(c, "Kw", width);
    rule_clause(c, ok, WORD_WEIGHT,
                rule_text(c, "%s x %s x %s = %s %s 65,535", rule_number(c, height),
                          rule_number(c, width), rule_number(c, c->c0), rule_number(c, block),
                          ok ? "<=" : ">"),
                "Kh x Kw x C0 is at most 65,535",
                rule_text(c, "Kh x Kw %s", rule_number(c, RULE_KERNEL_BLOCK_MAX / c->c0)));
}
