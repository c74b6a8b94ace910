/* Records that are too many for memory: each comes back by its index, in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "traces/record_file.h"

struct record {
    uint64_t index;
    uint32_t check;
};

enum { COUNT = 3 * RECORD_BLOCK + 5 };

static struct record record_of(uint64_t index)
{
    return (struct record){.index = index, .check = (uint32_t)(index * 2654435761U)};
}

static void assert_record(struct record_file *records, uint64_t index)
{
    struct record read = {0}, expected = record_of(index);
    assert_int_equal(record_file_read(records, index, &read), STATUS_OK);
    assert_int_equal(read.index, expected.index);
    assert_int_equal(read.check, expected.check);
}

static void test_every_record_comes_back_by_its_index(void **state)
{
    (void)state;
    char folder[] = "/tmp/cubesim-records-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/runs.db", folder);
    struct record_file records;
    record_file_init(&records, path, sizeof(struct record));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint64_t index = 0; index < COUNT; index++) {
            struct record record = record_of(index);
            assert_int_equal(record_file_add(&records, &record), STATUS_OK);
            assert_record(&records, index / 2);
        }
        assert_int_equal(records.count, COUNT);
        for (uint64_t index = COUNT; index-- > 0;)
            assert_record(&records, index);
        for (uint64_t i = 0; i < COUNT; i++)
            assert_record(&records, i * 4099 % COUNT);
        record_file_deinit(&records);
        assert_int_equal(records.count, 0);
    }
    assert_int_equal(rmdir(folder), 0); /* nothing was left in it */
}

static void test_few_records_need_no_file_and_many_say_when_there_is_none(void **state)
{
    (void)state;
    struct record_file records;
    record_file_init(&records, "/nowhere/runs.db", sizeof(struct record));
    for (uint64_t index = 0; index < RECORD_BLOCK; index++) {
        struct record record = record_of(index);
        assert_int_equal(record_file_add(&records, &record), STATUS_OK);
    }
    struct record one_more = record_of(RECORD_BLOCK);
    errno = 0;
    assert_int_equal(record_file_add(&records, &one_more), STATUS_IO);
    assert_int_equal(errno, ENOENT);
    assert_record(&records, RECORD_BLOCK - 1);
    record_file_deinit(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_record_comes_back_by_its_index),
        cmocka_unit_test(test_few_records_need_no_file_and_many_say_when_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
