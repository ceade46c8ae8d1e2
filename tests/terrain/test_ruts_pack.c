/// Packed tiles: every bit comes back, and ruts of which the old part is packed are the same ruts in all that can be
/// asked of them.
#include "random.h"
#include "ruts.h"
#include "ruts_pack.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = GR_RUT_NODES * GR_RUT_NODES, STATES = 2, TILES = 4000, THREADS = 4 };

/// A number of some kind: any bits, the sign of a zero, whole, smooth, none.
static uint64_t some_bits(GrRandom *random, int kind, int n)
{
    const double values[] = {-0.0, (double)NAN, floor(gr_random_uniform(random, -300, 300)), -0.02 * sin(0.1 * n)};
    uint64_t bits = gr_random_u64(random);
    const uint64_t choice = gr_random_below(random, 4);
    if (kind == 1) {
        memcpy(&bits, &values[choice], sizeof bits);
    } else if (kind == 2) {
        bits = choice == 0 ? bits >> gr_random_below(random, 64) << gr_random_below(random, 64) : 0;
    } else if (kind == 3) {
        memcpy(&bits, &values[2], sizeof bits);
    } else if (kind == 4) {
        bits = 0;
    }
    return bits;
}

static void test_every_bit(void **state)
{
    (void)state;
    for (int states = 0; states <= 3; states++) {
        const size_t size = NODES * (sizeof(double) + (size_t)states * sizeof(float));
        unsigned char *nodes = malloc(size), *again = malloc(size), *packed = malloc(gr_ruts_packed_most(states));
        for (int kind = 0; kind < 5; kind++) {
            GrRandom random = gr_random_stream((uint64_t)(10 * states + kind), "pack");
            for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
                const uint64_t bits = some_bits(&random, kind, (int)at / 8);
                memcpy(nodes + at, &bits, sizeof bits);
            }
            const size_t used = gr_ruts_pack(nodes, states, packed);
            assert_true(used <= gr_ruts_packed_most(states));
            assert_true(kind != 3 || states > 0 || used < size / 2); // whole numbers
            assert_true(kind != 4 || used < 40);
            memset(again, 0x55, size);
            gr_ruts_unpack(packed, states, again);
            assert_memory_equal(again, nodes, size);
        }
        free(nodes);
        free(again);
        free(packed);
    }
}

static GrRuts *make(int capacity)
{
    GrRutsDef def = gr_default_ruts_def();
    def.state_count = STATES;
    def.tile_capacity = capacity;
    GrRuts *ruts = gr_ruts_create(&def, NULL);
    assert_non_null(ruts);
    return ruts;
}

/// A track of tiles along x with two rows of nodes in each, grown as a run does it, or with room for all from the
/// start.
static void drive(GrRuts *ruts, int from, int to)
{
    for (int64_t tile = from; tile < to; tile++) {
        if (gr_ruts_tiles_free(ruts) < 4) {
            assert_int_equal(gr_ruts_reserve(ruts, 16), GR_OK);
        }
        GrRandom random = gr_random_stream((uint64_t)tile, "track");
        for (int64_t i = tile * GR_RUT_NODES; i < (tile + 1) * GR_RUT_NODES; i++) {
            *gr_ruts_height(ruts, i, 5) = -0.02 - 0.001 * gr_random_unit(&random);
            *gr_ruts_height(ruts, i, 6) = -0.01;
            gr_ruts_states(ruts, i, 6)[1] = (float)gr_random_unit(&random);
        }
    }
}

static int packed_count(const GrRuts *ruts)
{
    int count = 0;
    for (int k = 0; k < gr_ruts_tile_count(ruts); k++) {
        count += atomic_load(&ruts->nodes[k]) == NULL;
    }
    return count;
}

static void assert_same(const GrRuts *a, const GrRuts *b)
{
    const size_t size = gr_ruts_size(a);
    unsigned char *sa = malloc(size), *sb = malloc(size);
    assert_int_equal(gr_ruts_size(b), size);
    assert_int_equal(gr_ruts_save(a, sa), GR_OK);
    assert_int_equal(gr_ruts_save(b, sb), GR_OK);
    assert_memory_equal(sa, sb, size);
    assert_true(gr_ruts_hash(a) == gr_ruts_hash(b));
    assert_true(gr_ruts_volume(a) == gr_ruts_volume(b));
    free(sa);
    free(sb);
}

/// Ruts that pack and ruts that do not are the same after every kind of change; looking at all of them unpacks none.
static void test_same(void **state)
{
    (void)state;
    GrRuts *packed = make(8), *plain = make(TILES + 10), *copy = make(3);
    drive(packed, 0, TILES);
    drive(plain, 0, TILES);
    const int count = packed_count(packed);
    print_message("%d of %d tiles packed; %.1f and %.1f MB\n", count, TILES, 1e-6 * (double)gr_ruts_memory(packed),
                  1e-6 * (double)gr_ruts_memory(plain));
    assert_true(count > TILES * 3 / 4 && packed_count(plain) == 0);
    assert_true(3 * gr_ruts_memory(packed) < gr_ruts_memory(plain));
    assert_same(packed, plain);
    assert_int_equal(packed_count(packed), count);
    // Copies of packed ruts, over fewer and over more tiles.
    assert_int_equal(gr_ruts_copy(copy, packed), GR_OK);
    assert_same(copy, plain);
    assert_true(packed_count(copy) > 0);
    drive(copy, TILES, TILES + 500);
    assert_int_equal(gr_ruts_copy(copy, packed), GR_OK);
    assert_same(copy, plain);
    // Old ground is written to again, and taken back.
    GrRuts *const both[2] = {packed, plain};
    for (int q = 0; q < 2; q++) {
        assert_int_equal(gr_ruts_mark(both[q], 8), GR_OK);
        *gr_ruts_height(both[q], 40, 5) = 1;
        gr_ruts_tile_change(both[q], 100, 5).states[3] = 2;
        assert_int_equal(gr_ruts_reserve(both[q], 700), GR_OK);
    }
    assert_same(packed, plain);
    for (int q = 0; q < 2; q++) {
        assert_int_equal(gr_ruts_undo(both[q]), GR_OK);
    }
    assert_same(packed, copy);
    // Tiles packed and not are dropped; what follows is as before.
    for (int q = 0; q < 2; q++) {
        both[q]->journal.open = false;
        for (int64_t tile = 0; tile < TILES; tile += 7) {
            gr_ruts_tile_drop(both[q], gr_ruts_tile_number(both[q], tile * GR_RUT_NODES, 0));
        }
        drive(both[q], TILES, TILES + 300);
    }
    assert_same(packed, plain);
    for (int q = 0; q < 2; q++) {
        gr_ruts_clear(both[q]);
        assert_int_equal(gr_ruts_tile_count(both[q]), 0);
        drive(both[q], 50, 60);
    }
    assert_same(packed, plain);
    gr_ruts_free(packed);
    gr_ruts_free(plain);
    gr_ruts_free(copy);
}

/// Sums heights over the track, all threads in the same order, so that they meet at the same packed tiles.
static void *read_all(void *context)
{
    const GrRuts *ruts = context;
    double *sum = malloc(sizeof *sum);
    *sum = 0;
    for (int64_t i = 0; i < (int64_t)TILES * GR_RUT_NODES; i += 16) {
        *sum += gr_ruts_get(ruts, i, 5) + (double)gr_ruts_states_get(ruts, i, 6)[1];
    }
    return sum;
}

static void test_threads(void **state)
{
    (void)state;
    GrRuts *packed = make(8), *plain = make(TILES + 10);
    drive(packed, 0, TILES);
    drive(plain, 0, TILES);
    double *wanted = read_all(plain);
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_create(&threads[k], NULL, read_all, packed), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        void *sum;
        assert_int_equal(pthread_join(threads[k], &sum), 0);
        assert_true(*(double *)sum == *wanted);
        free(sum);
    }
    assert_int_equal(packed_count(packed), 0);
    assert_false(gr_ruts_is_lost(packed));
    // What was only read is packed again without being changed.
    assert_int_equal(gr_ruts_reserve(packed, 3000), GR_OK);
    assert_true(packed_count(packed) > TILES / 2);
    assert_same(packed, plain);
    free(wanted);
    gr_ruts_free(packed);
    gr_ruts_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
