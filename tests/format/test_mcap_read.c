/// The MCAP reader against the writer: the newest messages at any time as a plain search finds them, only the chunks
/// that are needed, and files that are cut off or damaged anywhere.
#include "mcap_read.h"

#include "file.h"
#include "mcap.h"
#include "protobuf.h"
#include "random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGES = 4000, TOPICS = 3, PAYLOAD = 700 };

/// What was written.
typedef struct Written {
    int topic;
    uint64_t time;
} Written;

static char path[] = "/tmp/grouser_test_mcap_read_XXXXXX", damaged[] = "/tmp/grouser_test_mcap_bad_XXXXXX";
static Written written[MESSAGES];

static void fill(GrBuffer *out, int k)
{
    GrRandom random = gr_random_stream((uint64_t)k, "payload"); // does not compress: several chunks
    gr_proto_fixed(out, (uint64_t)k, 8);
    for (int i = 0; i < PAYLOAD; i++) {
        gr_proto_byte(out, (unsigned)gr_random_below(&random, 256));
    }
}

/// Three topics: one with a message at the start alone, one that is rare, one that is frequent.
static int write_file(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    close(mkstemp(path));
    close(mkstemp(damaged));
    GrMcap *mcap = gr_mcap_open(path, 0, &log);
    assert_non_null(mcap);
    GrBuffer set = {0};
    gr_buffer_puts(&set, "descriptor set");
    const int schema = gr_mcap_schema(mcap, "grouser.Test", &set);
    static const char *const NAMES[TOPICS] = {"/once", "/rare", "/often"};
    for (int i = 0; i < TOPICS; i++) {
        assert_int_equal(gr_mcap_channel(mcap, schema, NAMES[i]), i);
    }
    for (int k = 0; k < MESSAGES; k++) {
        written[k] = (Written){k == 0 ? 0 : k % 900 == 1 ? 1 : 2, 1000 + 10 * (uint64_t)(k / 2)}; // times come twice
        fill(gr_mcap_begin(mcap, written[k].topic, written[k].time), k);
        gr_mcap_end(mcap);
        assert_int_equal(gr_mcap_tick(mcap, 0, &log), GR_OK);
    }
    gr_buffer_free(&set);
    return gr_mcap_close(mcap, &log) != GR_OK;
}

static int remove_files(void **state)
{
    (void)state;
    return unlink(path) + unlink(damaged);
}

typedef struct Found {
    int message[TOPICS]; ///< −1: none
    int count;
} Found;

static void take(void *context, const GrMcapMessage *message)
{
    Found *found = context;
    GrBuffer expected = {0};
    uint64_t k = 0;
    assert_int_equal(message->size, 8 + PAYLOAD);
    for (int i = 7; i >= 0; i--) {
        k = k << 8 | (unsigned char)message->data[i];
    }
    assert_true(k < MESSAGES);
    fill(&expected, (int)k);
    assert_memory_equal(message->data, expected.data, expected.size);
    assert_int_equal(message->time, written[k].time);
    assert_int_equal(message->topic, written[k].topic);
    found->message[message->topic] = (int)k;
    found->count++;
    gr_buffer_free(&expected);
}

static Found latest(GrMcapReader *reader, GrMcapSpan span)
{
    GrErrorLog log = {0};
    Found found = {{-1, -1, -1}, 0};
    assert_int_equal(gr_mcap_reader_latest(reader, &span, take, &found, &log), GR_OK);
    return found;
}

static void test_topics(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrMcapReader *reader = gr_mcap_reader_open(path, &log);
    assert_non_null(reader);
    assert_int_equal(gr_mcap_reader_topic_count(reader), TOPICS);
    const GrMcapTopic *topic = gr_mcap_reader_topic(reader, 1);
    assert_string_equal(topic->topic, "/rare");
    assert_string_equal(topic->encoding, "protobuf");
    assert_string_equal(topic->schema_name, "grouser.Test");
    assert_string_equal(topic->schema_encoding, "protobuf");
    assert_int_equal(topic->schema_size, 14);
    assert_memory_equal(topic->schema, "descriptor set", 14);
    assert_int_equal(gr_mcap_reader_start(reader), 1000);
    assert_int_equal(gr_mcap_reader_end(reader), 1000 + 10 * (MESSAGES / 2 - 1));
    gr_mcap_reader_close(reader);
}

/// Against a search through the list of what was written.
static void test_latest(void **state)
{
    (void)state;
    GrMcapReader *reader = gr_mcap_reader_open(path, NULL);
    GrRandom random = gr_random_stream(3, "times");
    for (int round = 0; round < 200; round++) {
        const uint64_t until = 990 + gr_random_below(&random, 10 * MESSAGES / 2 + 30);
        const uint64_t width = gr_random_below(&random, 2000);
        const bool has_after = round % 2 == 1;
        const GrMcapSpan span = {has_after, until > width ? until - width : 0, until};
        Found expected = {{-1, -1, -1}, 0};
        for (int k = 0; k < MESSAGES; k++) {
            if (written[k].time <= until && (!has_after || written[k].time > span.after)) {
                expected.count += expected.message[written[k].topic] < 0;
                expected.message[written[k].topic] = k;
            }
        }
        const Found found = latest(reader, span);
        assert_memory_equal(&found, &expected, sizeof found); // each topic once
    }
    gr_mcap_reader_close(reader);
}

static void test_all(void **state)
{
    (void)state;
    GrMcapReader *reader = gr_mcap_reader_open(path, NULL);
    for (int topic = 0; topic < TOPICS; topic++) {
        Found found = {{-1, -1, -1}, 0};
        const GrMcapSpan span = {true, 1000, 9000};
        int expected = 0;
        for (int k = 0; k < MESSAGES; k++) {
            expected += written[k].topic == topic && written[k].time > 1000 && written[k].time <= 9000;
        }
        assert_int_equal(gr_mcap_reader_all(reader, topic, &span, take, &found, NULL), GR_OK);
        assert_int_equal(found.count, expected);
    }
    gr_mcap_reader_close(reader);
}

// ---- damaged files

static void ignore(void *context, const GrMcapMessage *message)
{
    uint64_t *sum = context;
    for (size_t i = 0; i < message->size; i++) { // the sanitizer looks on
        *sum += (unsigned char)message->data[i];
    }
}

/// Reads everything that it can; the first error goes to the log.
static bool read_whole(const char *file, GrErrorLog *log)
{
    uint64_t sum = 0;
    GrMcapReader *reader = gr_mcap_reader_open(file, log);
    if (reader == NULL) {
        return false;
    }
    bool good = true;
    for (uint64_t time = 0; time < 1000 + 10 * MESSAGES / 2 && good; time += 5000) {
        good = gr_mcap_reader_latest(reader, &(GrMcapSpan){.until = time}, ignore, &sum, log) == GR_OK;
    }
    for (int i = 0; i < gr_mcap_reader_topic_count(reader) && good; i++) {
        good = gr_mcap_reader_all(reader, i, &(GrMcapSpan){.until = UINT64_MAX}, ignore, &sum, log) == GR_OK;
    }
    gr_mcap_reader_close(reader);
    return good;
}

static void assert_says(const GrErrorLog *log, const char *part)
{
    assert_true(log->count > 0);
    assert_string_equal(log->items[0].file, damaged);
    assert_non_null(strstr(log->items[0].text, part));
}

static void test_cut_off(void **state)
{
    (void)state;
    char *data;
    size_t size;
    assert_int_equal(gr_file_read(path, 1u << 26, &data, &size, NULL), GR_OK);
    const size_t step = size / 60 | 1;
    for (size_t length = 0; length < size; length += length < 60 || size - length < 60 ? 1 : step) {
        GrErrorLog log = {.quiet = true};
        assert_int_equal(gr_file_write(damaged, data, length, NULL), GR_OK);
        assert_false(read_whole(damaged, &log));
        assert_says(&log, "at byte ");
    }
    free(data);
}

/// No damage goes unnoticed: whatever is read is covered by a checksum, or by what must be there.
static void test_damaged(void **state)
{
    (void)state;
    char *data;
    size_t size;
    GrRandom random = gr_random_stream(4, "damage");
    assert_int_equal(gr_file_read(path, 1u << 26, &data, &size, NULL), GR_OK);
    int noticed = 0;
    for (int round = 0; round < 120; round++) {
        GrErrorLog log = {.quiet = true};
        const size_t at = (size_t)gr_random_below(&random, (uint64_t)size);
        const char change = (char)(1 + gr_random_below(&random, 255));
        data[at] = (char)(data[at] ^ change);
        assert_int_equal(gr_file_write(damaged, data, size, NULL), GR_OK);
        noticed += !read_whole(damaged, &log);
        data[at] = (char)(data[at] ^ change);
    }
    assert_true(noticed > 100); // heads of records and message indexes are not read
    // one inside a chunk, far from heads
    GrErrorLog log = {.quiet = true};
    data[100000] = (char)(data[100000] ^ 1);
    assert_int_equal(gr_file_write(damaged, data, size, NULL), GR_OK);
    assert_false(read_whole(damaged, &log));
    assert_says(&log, "chunk");
    free(data);
}

static void test_not_mcap(void **state)
{
    (void)state;
    GrErrorLog log = {.quiet = true};
    char text[200];
    memset(text, 'x', sizeof text);
    assert_int_equal(gr_file_write(damaged, text, sizeof text, NULL), GR_OK);
    assert_false(read_whole(damaged, &log));
    assert_says(&log, "not an MCAP file");
    log = (GrErrorLog){.quiet = true};
    assert_null(gr_mcap_reader_open("/tmp/no such file", &log));
    assert_non_null(strstr(log.items[0].text, "cannot be read"));
    assert_null(gr_mcap_reader_open("/tmp", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topics),  cmocka_unit_test(test_latest),  cmocka_unit_test(test_all),
        cmocka_unit_test(test_cut_off), cmocka_unit_test(test_damaged), cmocka_unit_test(test_not_mcap),
    };
    return cmocka_run_group_tests(tests, write_file, remove_files);
}
