/// Shards: what is written is read back; a file that was cut or damaged anywhere keeps every record before that place.
#include "test.h"

#include "file.h"
#include "shard.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 20 };
static const uint64_t STUDY = 0x1234567890ABCDEF;
static const char PATH[] = "test.shard";

static GrResult result_of(int i)
{
    GrResult r = {.key = 1000 + (uint64_t)i,
                  .succeeded = i % 3 != 0,
                  .metric_count = i % 5,
                  .warnings = i,
                  .state_hash = 77u * (uint64_t)i,
                  .wall = 0.5 * i,
                  .stepping = 0.25 * i,
                  .progress = 1.0 / (1 + i)};
    for (int k = 0; k < r.metric_count; k++) {
        r.metrics[k] = k == 3 ? (double)NAN : i + 0.1 * k;
    }
    snprintf(r.outcome, sizeof r.outcome, "outcome %d", i);
    snprintf(r.cause, sizeof r.cause, "%.*s", i * 10,
             "a cause that is longer and longer until it fills all the room "
             "there is for causes, which is quite some room, and which must "
             "not be exceeded by any means, since a record has a largest size");
    return r;
}

typedef struct Found {
    int count;
    bool wrong;
} Found;

static GrStatus take(void *context, const GrResult *r)
{
    Found *found = context;
    const GrResult expected = result_of(found->count);
    found->wrong = found->wrong || r->key != expected.key || r->succeeded != expected.succeeded ||
                   r->metric_count != expected.metric_count || r->warnings != expected.warnings ||
                   r->state_hash != expected.state_hash || r->wall != expected.wall ||
                   r->stepping != expected.stepping || r->progress != expected.progress ||
                   strcmp(r->outcome, expected.outcome) != 0 || strcmp(r->cause, expected.cause) != 0 ||
                   memcmp(r->metrics, expected.metrics, sizeof r->metrics[0] * (size_t)r->metric_count) != 0;
    found->count++;
    return GR_OK;
}

static int read_back(void)
{
    GrErrorLog log = {0};
    Found found = {0};
    assert_int_equal(gr_shard_read(PATH, STUDY, take, &found, &log), GR_OK);
    assert_false(found.wrong);
    return found.count;
}

static void write_some(int from, int to)
{
    GrErrorLog log = {0};
    GrShard *shard = gr_shard_open(PATH, STUDY, &log);
    assert_non_null(shard);
    for (int i = from; i < to; i++) {
        const GrResult r = result_of(i);
        assert_int_equal(gr_shard_add(shard, &r, &log), GR_OK);
    }
    assert_int_equal(gr_shard_close(shard, &log), GR_OK);
}

static void test_round_trip(void **state)
{
    (void)state;
    unlink(PATH);
    write_some(0, 7);
    assert_int_equal(read_back(), 7);
    write_some(7, COUNT); // continues
    assert_int_equal(read_back(), COUNT);
}

/// Cut at every byte: all records before the cut are read, and writing goes on after the last whole one.
static void test_cut(void **state)
{
    (void)state;
    char *whole;
    size_t size;
    unlink(PATH);
    write_some(0, 4);
    assert_int_equal(gr_file_read(PATH, 1 << 20, &whole, &size, NULL), GR_OK);
    int before = 0;
    for (size_t cut = 0; cut <= size; cut++) {
        assert_int_equal(gr_file_write(PATH, whole, cut, NULL), GR_OK);
        const int count = read_back();
        assert_true(count >= before && count <= before + 1); // never fewer than with a shorter file
        before = count;
        write_some(count, 4);
        assert_int_equal(read_back(), 4);
    }
    assert_int_equal(before, 4);
    free(whole);
}

/// A flipped bit: the records before it stay, and nothing wrong is read.
static void test_damage(void **state)
{
    (void)state;
    char *whole;
    size_t size;
    unlink(PATH);
    write_some(0, 4);
    assert_int_equal(gr_file_read(PATH, 1 << 20, &whole, &size, NULL), GR_OK);
    for (size_t at = 16; at < size; at++) {
        whole[at] ^= 0x10;
        assert_int_equal(gr_file_write(PATH, whole, size, NULL), GR_OK);
        assert_true(read_back() < 4);
        whole[at] ^= 0x10;
    }
    free(whole);
}

static void test_other_study(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    unlink(PATH);
    write_some(0, 2);
    assert_null(gr_shard_open(PATH, STUDY + 1, &log));
    assert_non_null(strstr(log.items[0].text, "another campaign"));
    assert_int_equal(read_back(), 2); // nothing was changed
}

static void test_clear(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    unlink(PATH);
    write_some(0, 3);
    GrShard *shard = gr_shard_open(PATH, STUDY, &log);
    assert_int_equal(gr_shard_clear(shard, &log), GR_OK);
    const GrResult r = result_of(0);
    assert_int_equal(gr_shard_add(shard, &r, &log), GR_OK);
    assert_int_equal(gr_shard_close(shard, &log), GR_OK);
    assert_int_equal(read_back(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_cut),   cmocka_unit_test(test_damage),
        cmocka_unit_test(test_other_study), cmocka_unit_test(test_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
