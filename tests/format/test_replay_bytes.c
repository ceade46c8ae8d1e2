/// Chunks and columns of a replay: what is written is read back within half a quantum, by a reader of the test's own.
#include "chunk.h"
#include "support/replay_parse.h"

#include "random.h"

enum { MOST = 600 };

static void check_round_trip(const double *values, int count, double quantum, double allowed)
{
    GrBuffer bytes = {0};
    double back[MOST];
    gr_column_put(&bytes, values, count, quantum);
    assert_false(bytes.failed);
    GrCursor c = {(const unsigned char *)bytes.data, (const unsigned char *)bytes.data + bytes.size};
    gr_cursor_column(&c, back, count);
    assert_ptr_equal(c.at, c.end);
    for (int i = 0; i < count; i++) {
        assert_int_equal(isfinite(values[i]), isfinite(back[i]));
        if (isfinite(values[i])) {
            assert_near(back[i], values[i], allowed);
        }
    }
    gr_buffer_free(&bytes);
}

static void columns_survive(void **state)
{
    (void)state;
    double smooth[MOST], noise[MOST], constant[MOST], gaps[MOST], steps[MOST];
    GrRandom random = gr_random_stream(7, "noise");
    for (int i = 0; i < MOST; i++) {
        smooth[i] = 50 * sin(0.01 * i);
        noise[i] = gr_random_uniform(&random, -1e3, 1e3);
        constant[i] = -3.25;
        gaps[i] = i % 7 == 3 ? (double)NAN : i % 11 == 5 ? (double)INFINITY : 0.1 * i;
        steps[i] = i / 100;
    }
    const int counts[] = {1, 2, 3, 8, 9, MOST};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        const int n = counts[k];
        check_round_trip(smooth, n, 1e-4, 0.5001e-4);
        check_round_trip(noise, n, 1e-4, 0.5001e-4);
        check_round_trip(constant, n, 1e-2, 0.5001e-2);
        check_round_trip(gaps, n, 1e-3, 0.5001e-3);
        check_round_trip(steps, n, 1, 0);
        // 13 bits of the largest magnitude: it is at most 2^14 quanta
        check_round_trip(noise, n, 0, 1e3 / (1 << 13));
        check_round_trip(gaps, n, 0, 0.1 * MOST / (1 << 13));
    }
}

/// Halves go away from zero, in short columns and in long ones, with gaps and without.
static void halves_are_rounded_away(void **state)
{
    (void)state;
    const double pairs[][2] = {{0.5, 1},   {1.5, 2},   {2.5, 3},           {-0.5, -1},
                               {-1.5, -2}, {-2.5, -3}, {0.5 - 0x1p-54, 0}, {4503599627370495.5, 4503599627370496}};
    enum { PAIRS = sizeof pairs / sizeof pairs[0] };
    for (int most = PAIRS - 1; most <= PAIRS; most++) { // without and with the large one
        for (int gap = 0; gap < 2; gap++) {
            double values[MOST], back[MOST];
            for (int i = 0; i < MOST; i++) {
                values[i] = gap && i == 9 ? (double)NAN : pairs[i % most][0];
            }
            GrBuffer bytes = {0};
            gr_column_put(&bytes, values, MOST, 1);
            GrCursor c = {(const unsigned char *)bytes.data, (const unsigned char *)bytes.data + bytes.size};
            gr_cursor_column(&c, back, MOST);
            for (int i = 0; i < MOST; i++) {
                assert_true(back[i] == pairs[i % most][1] || (gap && i == 9));
            }
            gr_buffer_free(&bytes);
        }
    }
}

static void all_zero_all_missing(void **state)
{
    (void)state;
    double zeros[MOST] = {0}, nothing[MOST];
    for (int i = 0; i < MOST; i++) {
        nothing[i] = (double)NAN;
    }
    check_round_trip(zeros, MOST, 0, 0);
    check_round_trip(nothing, MOST, 0, 0);
    check_round_trip(nothing, 1, 1e-4, 0);
}

/// Time at 20 Hz: second differences are zero.
static void smooth_columns_are_short(void **state)
{
    (void)state;
    double ramp[MOST];
    for (int i = 0; i < MOST; i++) {
        ramp[i] = 1000 + 0.05 * i;
    }
    GrBuffer bytes = {0};
    gr_column_put(&bytes, ramp, MOST, 1e-6);
    assert_in_range(bytes.size, 10 + MOST, 10 + MOST + 8); // a byte each but for the first two
    gr_buffer_free(&bytes);
}

static void chunks_survive(void **state)
{
    (void)state;
    GrBuffer out = {0};
    char text[5000], noise[300];
    GrRandom random = gr_random_stream(3, "bytes");
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof noise; i++) {
        noise[i] = (char)(unsigned char)gr_random_below(&random, 256);
    }
    gr_chunk_put(&out, "TEXT", text, sizeof text);
    gr_chunk_put(&out, "NOIS", noise, sizeof noise);
    gr_chunk_put(&out, "NONE", NULL, 0);
#ifdef GR_WITH_ZLIB
    assert_true(out.size < sizeof noise + 200); // one letter 5000 times compresses well
#endif
    GrReplayReader r = gr_replay_reader(out.data, out.size);
    GrCursor c;
    assert_true(gr_replay_next(&r, &c));
    assert_string_equal(r.type, "TEXT");
    assert_memory_equal(c.at, text, sizeof text);
    assert_true(gr_replay_next(&r, &c));
    assert_string_equal(r.type, "NOIS");
    assert_memory_equal(c.at, noise, sizeof noise);
    assert_true(gr_replay_next(&r, &c));
    assert_ptr_equal(c.at, c.end);
    assert_false(gr_replay_next(&r, &c));
    gr_buffer_free(&out);
}

static void damaged_chunks_are_refused(void **state)
{
    (void)state;
    GrBuffer out = {0}, back = {0};
    char text[5000];
    memset(text, 'a', sizeof text);
    gr_chunk_put(&out, "TEXT", text, sizeof text);
    GrChunk chunk;
    for (size_t cut = 0; cut < out.size; cut++) {
        assert_int_equal(gr_chunk_read((unsigned char *)out.data, cut, &chunk), 0);
    }
    for (size_t bit = 0; bit < 8 * out.size; bit++) { // every flipped bit is noticed
        out.data[bit / 8] ^= (char)(1 << bit % 8);
        assert_true(gr_chunk_read((unsigned char *)out.data, out.size, &chunk) == 0 || !gr_chunk_intact(&chunk));
        out.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_int_equal(gr_chunk_read((unsigned char *)out.data, out.size, &chunk), out.size);
    assert_true(gr_chunk_intact(&chunk));
#ifdef GR_WITH_ZLIB
    chunk.raw = 0xffffffff; // a size that nobody has memory for
    assert_false(gr_chunk_unpack(&chunk, &back));
    chunk.raw = sizeof text + 1;
    assert_false(gr_chunk_unpack(&chunk, &back));
    chunk.raw = sizeof text;
    out.data[GR_CHUNK_HEADER_SIZE + 3] ^= 0x55;
    assert_false(gr_chunk_unpack(&chunk, &back));
#endif
    gr_buffer_free(&out);
    gr_buffer_free(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_survive),      cmocka_unit_test(halves_are_rounded_away),
        cmocka_unit_test(all_zero_all_missing), cmocka_unit_test(smooth_columns_are_short),
        cmocka_unit_test(chunks_survive),       cmocka_unit_test(damaged_chunks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
