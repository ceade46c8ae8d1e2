/// WebM: the file is read back element by element, as RFC 8794 and RFC 9559 define them.
#include "webm.h"

#include "test.h"

#include <stdint.h>
#include <string.h>

typedef struct Element {
    uint32_t id;
    const unsigned char *data;
    size_t size;
} Element;

/// The element at `at`; returns its end.
static const unsigned char *read_element(const unsigned char *at, const unsigned char *end, Element *out)
{
    int length = 1;
    for (int bit = 0x80; (at[0] & bit) == 0; bit >>= 1) {
        length++;
    }
    assert_in_range(length, 1, 4);
    out->id = 0;
    for (int i = 0; i < length; i++) {
        out->id = out->id << 8 | *at++;
    }
    assert_int_equal(*at, 1); // sizes have eight bytes
    out->size = 0;
    for (int i = 1; i < 8; i++) {
        out->size = out->size << 8 | at[i];
    }
    out->data = at + 8;
    assert_true(out->size <= (size_t)(end - out->data));
    return out->data + out->size;
}

/// The first child with this identifier, or the one after `from`.
static Element child(const Element *parent, uint32_t id, const unsigned char *from)
{
    const unsigned char *at = from != NULL ? from : parent->data, *end = parent->data + parent->size;
    Element e = {0};
    while (at < end) {
        at = read_element(at, end, &e);
        if (e.id == id) {
            return e;
        }
    }
    return (Element){0};
}

static uint64_t value(Element e)
{
    uint64_t v = 0;
    assert_in_range(e.size, 1, 8);
    for (size_t i = 0; i < e.size; i++) {
        v = v << 8 | e.data[i];
    }
    return v;
}

static void pictures_come_back(void **state)
{
    (void)state;
    enum { COUNT = 90, STEP = 40, KEYS = 25 };
    GrWebm webm;
    GrBuffer file = {0};
    gr_webm_begin(&webm, "V_VP8", 640, 360);
    for (int i = 0; i < COUNT; i++) {
        char data[100];
        memset(data, i, sizeof data);
        gr_webm_frame(&webm, i * STEP, i % KEYS == 0, data, (size_t)(10 + i));
    }
    assert_int_equal(gr_webm_end(&webm, COUNT * STEP, &file), GR_OK);
    const unsigned char *at = (const unsigned char *)file.data, *end = at + file.size;
    Element header, segment;
    at = read_element(at, end, &header);
    assert_int_equal(header.id, 0x1A45DFA3);
    assert_memory_equal(child(&header, 0x4282, NULL).data, "webm", 4);
    assert_ptr_equal(read_element(at, end, &segment), end);
    const Element tracks = child(&segment, 0x1654AE6B, NULL), track = child(&tracks, 0xAE, NULL);
    const Element video = child(&track, 0xE0, NULL);
    assert_int_equal(value(child(&video, 0xB0, NULL)), 640);
    assert_int_equal(value(child(&video, 0xBA, NULL)), 360);
    assert_memory_equal(child(&track, 0x86, NULL).data, "V_VP8", 5);
    int pictures = 0;
    for (Element c = child(&segment, 0x1F43B675, NULL); c.id != 0; c = child(&segment, 0x1F43B675, c.data + c.size)) {
        const long begin = (long)value(child(&c, 0xE7, NULL));
        for (Element b = child(&c, 0xA3, NULL); b.id != 0; b = child(&c, 0xA3, b.data + b.size)) {
            assert_int_equal(b.data[0], 0x81);
            assert_int_equal(begin + (b.data[1] << 8 | b.data[2]), pictures * STEP);
            assert_int_equal(b.data[3], pictures % KEYS == 0 ? 0x80 : 0);
            assert_int_equal(b.size, 4 + 10 + pictures);
            assert_int_equal(b.data[4], pictures);
            pictures++;
        }
    }
    assert_int_equal(pictures, COUNT);
    // players jump to clusters by the cues
    const Element cues = child(&segment, 0x1C53BB6B, NULL);
    int points = 0;
    for (Element p = child(&cues, 0xBB, NULL); p.id != 0; p = child(&cues, 0xBB, p.data + p.size)) {
        const Element positions = child(&p, 0xB7, NULL);
        Element cluster;
        read_element(segment.data + value(child(&positions, 0xF1, NULL)), end, &cluster);
        assert_int_equal(cluster.id, 0x1F43B675);
        assert_int_equal(value(child(&cluster, 0xE7, NULL)), value(child(&p, 0xB3, NULL)));
        points++;
    }
    assert_int_equal(points, (COUNT + KEYS - 1) / KEYS);
    gr_buffer_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pictures_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
