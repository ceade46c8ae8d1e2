/// The MCAP writer against a small reader: structure, indexes, checksums, and files that end anywhere.
#include "mcap.h"

#include "crc32.h"
#include "file.h"
#include "protobuf.h"
#include "random.h"
#include "support/mcap_parse.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/grouser_test_mcap_XXXXXX";

static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(gr_crc32(0, "123456789", 9), 0xcbf43926u); // the check value that the polynomial is known by
    char data[10000];
    GrRandom random = gr_random_stream(1, "crc");
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char)(unsigned char)gr_random_below(&random, 256);
    }
    for (size_t size = 0; size < sizeof data; size += 1 + size / 3) {
        assert_int_equal(gr_crc32(0, data, size), mcap_slow_crc(data, size));
        assert_int_equal(gr_crc32(gr_crc32(0, data, size / 3), data + size / 3, size - size / 3),
                         mcap_slow_crc(data, size));
    }
}

static uint64_t read_varint(const char **at)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        const unsigned byte = (unsigned char)*(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
}

/// Messages whose lengths take one to four bytes, inside each other.
static void test_protobuf_lengths(void **state)
{
    (void)state;
    static const size_t SIZES[] = {0, 1, 125, 126, 127, 128, 16380, 16384, 3000000};
    for (size_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; k++) {
        GrBuffer out = {0};
        char *text = malloc(SIZES[k] + 1);
        memset(text, 'a', SIZES[k]);
        const size_t outer = gr_proto_begin(&out, 3);
        const size_t inner = gr_proto_begin(&out, 1000);
        gr_proto_bytes(&out, 1, text, SIZES[k]);
        gr_proto_end(&out, inner);
        gr_proto_integer(&out, 2, -1);
        gr_proto_end(&out, outer);
        const char *at = out.data;
        assert_int_equal(read_varint(&at), 3 << 3 | 2);
        const uint64_t length = read_varint(&at);
        assert_ptr_equal(at + length, out.data + out.size);
        assert_int_equal(read_varint(&at), 1000 << 3 | 2);
        const uint64_t inside = read_varint(&at);
        const char *end = at + inside;
        assert_int_equal(read_varint(&at), 1 << 3 | 2);
        assert_int_equal(read_varint(&at), SIZES[k]);
        assert_memory_equal(at, text, SIZES[k]);
        assert_ptr_equal(at + SIZES[k], end);
        assert_int_equal(read_varint(&end), 2 << 3);
        assert_true((int64_t)read_varint(&end) == -1);
        free(text);
        gr_buffer_free(&out);
    }
}

enum { MANY = 6000 };

/// MANY messages on two topics, about a kilobyte each; a wall second goes by before every `pause`-th.
static void write_slowly(int count, int pause)
{
    const GrBuffer set = {.data = (char[]){"descriptor"}, .size = 10};
    GrRandom random = gr_random_stream(2, "messages");
    double now = 100;
    GrMcap *mcap = gr_mcap_open(path, now, NULL);
    assert_non_null(mcap);
    gr_mcap_metadata(mcap, "texts", (GrMcapText[]){{"a", "1"}, {"b", "zwei"}}, 2);
    const int schema = gr_mcap_schema(mcap, "test.Message", &set);
    const int topics[2] = {gr_mcap_channel(mcap, schema, "/one"), gr_mcap_channel(mcap, schema, "/two")};
    for (int i = 0; i < count; i++) {
        GrBuffer *out = gr_mcap_begin(mcap, topics[i % 3 == 0], 1000u * (uint64_t)i);
        for (int k = 0; k < 100; k++) {
            gr_proto_double(out, 1 + k % 8, gr_random_uniform(&random, -1, 1));
        }
        gr_mcap_end(mcap);
        now += i % pause == pause - 1 ? 1.5 : 1e-6;
        assert_int_equal(gr_mcap_tick(mcap, now, NULL), GR_OK);
    }
    assert_int_equal(gr_mcap_close(mcap, NULL), GR_OK);
}

static void write_file(int count)
{
    write_slowly(count, count / 2 + 1);
}

/// Equal runs give equal bytes, however fast the machine was.
static void test_same_bytes(void **state)
{
    (void)state;
    static const int PAUSES[] = {100000, 1, 7, 500};
    char *first = NULL;
    size_t first_size = 0;
    for (int i = 0; i < 4; i++) {
        char *data;
        size_t size;
        write_slowly(1500, PAUSES[i]);
        assert_int_equal(gr_file_read(path, 1 << 28, &data, &size, NULL), GR_OK);
        if (i == 0) {
            first = data;
            first_size = size;
            continue;
        }
        assert_int_equal(size, first_size);
        assert_memory_equal(data, first, size);
        free(data);
    }
    free(first);
}

/// From the back: footer, summary, chunk indexes; each points at what it says.
static void check_index(const char *data, size_t size, int chunks, int messages)
{
    assert_memory_equal(data + size - 8, data, 8);
    const McapRecord footer = mcap_record(data + size - 8 - 29, data + size);
    assert_int_equal(footer.opcode, 2);
    const uint64_t start = mcap_u(footer.body, 8), offsets = mcap_u(footer.body + 8, 8);
    assert_int_equal(mcap_u(footer.body + 16, 4),
                     mcap_slow_crc(data + start, (size_t)(footer.body + 16 - data) - start));
    int indexes = 0, counted = 0, indexed = 0;
    const char *at = data + start;
    for (McapRecord r; at < data + offsets; at = r.next) {
        r = mcap_record(at, data + size);
        assert_non_null(r.next);
        if (r.opcode == 11) {
            counted = (int)mcap_u(r.body, 8);
            assert_int_equal(mcap_u(r.body + 22, 4), chunks);
        }
        if (r.opcode != 8) {
            continue;
        }
        indexes++;
        const McapRecord chunk = mcap_record(data + mcap_u(r.body + 16, 8), data + size);
        assert_int_equal(chunk.opcode, 6);
        assert_int_equal(chunk.size + 9, mcap_u(r.body + 24, 8));
        assert_memory_equal(chunk.body, r.body, 16); // the same times
        GrBuffer unpacked = {0};
        assert_true(mcap_unpack(&chunk, &unpacked));
        const uint64_t map = mcap_u(r.body + 32, 4);
        for (uint64_t k = 0; k < map; k += 10) {
            const McapRecord index = mcap_record(data + mcap_u(r.body + 36 + k + 2, 8), data + size);
            assert_int_equal(index.opcode, 7);
            assert_int_equal(mcap_u(index.body, 2), mcap_u(r.body + 36 + k, 2));
            for (uint64_t e = 0; e < mcap_u(index.body + 2, 4); e += 16) {
                const uint64_t offset = mcap_u(index.body + 6 + e + 8, 8);
                const McapRecord message = mcap_record(unpacked.data + offset, unpacked.data + unpacked.size);
                assert_int_equal(message.opcode, 5);
                assert_int_equal(mcap_u(message.body, 2), mcap_u(index.body, 2));
                assert_true(mcap_u(message.body + 6, 8) == mcap_u(index.body + 6 + e, 8));
                indexed++;
            }
        }
        gr_buffer_free(&unpacked);
    }
    for (McapRecord r; at < footer.body - 9; at = r.next) { // summary offsets: groups of one kind, one after another
        r = mcap_record(at, data + size);
        assert_int_equal(r.opcode, 14);
        assert_int_equal((unsigned char)data[mcap_u(r.body + 1, 8)], (unsigned char)r.body[0]);
    }
    assert_int_equal(indexes, chunks);
    assert_int_equal(counted, messages);
    assert_int_equal(indexed, messages);
}

static void test_structure(void **state)
{
    (void)state;
    for (int count = 0; count <= MANY; count = count == 0 ? 1 : count * MANY) {
        write_file(count);
        char *data;
        size_t size;
        assert_int_equal(gr_file_read(path, 1 << 28, &data, &size, NULL), GR_OK);
        const McapContent c = mcap_content(data, size);
        assert_false(c.broken);
        assert_int_equal(c.messages, count);
        assert_int_equal(c.schemas, 1);
        assert_int_equal(c.channels, 2);
        assert_int_equal(c.metadata, 1);
        assert_true(count < MANY || c.chunks > 8);
        check_index(data, size, c.chunks, count);
        free(data);
    }
}

/// Cut anywhere, every chunk before the cut is whole and readable, and nothing else is.
static void test_cut(void **state)
{
    (void)state;
    write_file(MANY);
    char *data;
    size_t size;
    assert_int_equal(gr_file_read(path, 1 << 28, &data, &size, NULL), GR_OK);
    int before = 0, chunks = 0;
    for (const char *at = data + 8; at < data + size - 8;) {
        const McapRecord r = mcap_record(at, data + size);
        if (r.opcode == 6) {
            const McapContent cut = mcap_content(data, (size_t)(r.next - 1 - data)),
                              whole = mcap_content(data, (size_t)(r.next - data));
            assert_false(cut.broken || whole.broken);
            assert_int_equal(cut.messages, before);
            assert_int_equal(cut.chunks, chunks++);
            assert_int_equal(whole.chunks, chunks);
            assert_true(whole.messages > before);
            before = whole.messages;
        }
        at = r.next;
    }
    assert_int_equal(before, MANY);
    assert_true(chunks > 8);
    free(data);
}

/// Looked at between messages, the file always holds all but the last chunk's worth.
static void test_while_it_grows(void **state)
{
    (void)state;
    const GrBuffer set = {.data = (char[]){"descriptor"}, .size = 10};
    GrMcap *mcap = gr_mcap_open(path, 0, NULL);
    assert_non_null(mcap);
    const int topic = gr_mcap_channel(mcap, gr_mcap_schema(mcap, "test.Message", &set), "/one");
    for (int i = 0; i < 40; i++) {
        GrBuffer *out = gr_mcap_begin(mcap, topic, (uint64_t)i);
        gr_proto_double(out, 1, i);
        gr_mcap_end(mcap);
        assert_int_equal(gr_mcap_tick(mcap, 0.5 * (i + 1), NULL), GR_OK); // two messages a second
        char *data;
        size_t size;
        assert_int_equal(gr_file_read(path, 1 << 28, &data, &size, NULL), GR_OK);
        const McapContent c = mcap_content(data, size);
        assert_false(c.broken);
        assert_int_equal(c.messages, (i + 1) / 2 * 2);
        if (i > 0) {
            check_index(data, size, c.chunks, c.messages); // it can be opened from the end as well
        }
        free(data);
    }
    assert_int_equal(gr_mcap_close(mcap, NULL), GR_OK);
}

static void test_cannot_be_written(void **state)
{
    (void)state;
    static GrErrorLog log;
    assert_null(gr_mcap_open("/no_such_folder/run.mcap", 0, &log));
    assert_int_equal(log.error_count, 1);
    assert_non_null(strstr(log.items[0].file, "no_such_folder"));
    if (access("/dev/full", W_OK) == 0) {
        assert_null(gr_mcap_open("/dev/full", 0, &log));
        assert_int_equal(log.error_count, 2);
    }
}

int main(void)
{
    const int fd = mkstemp(path);
    if (fd < 0) {
        return 1;
    }
    close(fd);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crc),
                                       cmocka_unit_test(test_protobuf_lengths),
                                       cmocka_unit_test(test_structure),
                                       cmocka_unit_test(test_cut),
                                       cmocka_unit_test(test_same_bytes),
                                       cmocka_unit_test(test_while_it_grows),
                                       cmocka_unit_test(test_cannot_be_written)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
