/// Tiles in a file: every bit comes back, and ruts of a long track, of which the old part is in a file, are the same
/// ruts in all that can be asked of them.
#include "random.h"
#include "ruts.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = GR_RUT_NODES * GR_RUT_NODES, STATES = 2, TILES = 4000, THREADS = 4, LONG = 6000 };

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
        unsigned char *nodes = malloc(size), *again = malloc(size), *packed = malloc(size + NODES / 8);
        for (int kind = 0; kind < 5; kind++) {
            GrRandom random = gr_random_stream((uint64_t)(10 * states + kind), "pack");
            for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
                const uint64_t bits = some_bits(&random, kind, (int)at / 8);
                memcpy(nodes + at, &bits, sizeof bits);
            }
            const size_t used = gr_ruts_pack(nodes, states, packed);
            assert_int_equal(used, gr_ruts_packed_size(nodes, states));
            assert_true(used <= size + NODES / 8);
            assert_true(kind != 4 || used == NODES / 8); // all zero
            memset(again, 0x55, size);
            assert_int_equal(gr_ruts_unpack(packed, used - 1, states, again), 0);
            assert_int_equal(gr_ruts_unpack(packed, used, states, again), used);
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
    GrRuts *ruts = NULL;
    assert_int_equal(gr_ruts_create(&def, &ruts, NULL), GR_OK);
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

static int stored_count(const GrRuts *ruts)
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

/// Ruts with a file and ruts in memory are the same after every kind of change; looking at all of them loads none.
static void test_same(void **state)
{
    (void)state;
    GrRuts *paged = make(8), *plain = make(TILES + 10), *copy = make(3);
    drive(paged, 0, TILES);
    drive(plain, 0, TILES);
    const int count = stored_count(paged);
    print_message("%d of %d tiles in the file; %.1f and %.1f MB\n", count, TILES, 1e-6 * (double)gr_ruts_memory(paged),
                  1e-6 * (double)gr_ruts_memory(plain));
    assert_true(count > TILES / 2 && stored_count(plain) == 0);
    assert_true(3 * gr_ruts_memory(paged) < gr_ruts_memory(plain));
    assert_same(paged, plain);
    assert_int_equal(stored_count(paged), count);
    // Copies of packed ruts, over fewer and over more tiles.
    assert_int_equal(gr_ruts_copy(copy, paged), GR_OK);
    assert_same(copy, plain);
    assert_true(stored_count(copy) > 0);
    drive(copy, TILES, TILES + 500);
    assert_int_equal(gr_ruts_copy(copy, paged), GR_OK);
    assert_same(copy, plain);
    // Old ground is written to again, and taken back.
    GrRuts *const both[2] = {paged, plain};
    for (int q = 0; q < 2; q++) {
        assert_int_equal(gr_ruts_mark(both[q], 8), GR_OK);
        *gr_ruts_height(both[q], 40, 5) = 1;
        gr_ruts_tile_change(both[q], 100, 5).states[3] = 2;
        assert_int_equal(gr_ruts_reserve(both[q], 700), GR_OK);
    }
    assert_same(paged, plain);
    for (int q = 0; q < 2; q++) {
        assert_int_equal(gr_ruts_undo(both[q]), GR_OK);
    }
    assert_same(paged, copy);
    // Tiles in the file and in memory are dropped; what follows is as before.
    for (int q = 0; q < 2; q++) {
        both[q]->journal.open = false;
        for (int64_t tile = 0; tile < TILES; tile += 7) {
            gr_ruts_tile_drop(both[q], gr_ruts_tile_number(both[q], tile * GR_RUT_NODES, 0));
        }
        drive(both[q], TILES, TILES + 300);
    }
    assert_same(paged, plain);
    for (int q = 0; q < 2; q++) {
        gr_ruts_clear(both[q]);
        assert_int_equal(gr_ruts_tile_count(both[q]), 0);
        drive(both[q], 50, 60);
    }
    assert_same(paged, plain);
    gr_ruts_free(paged);
    gr_ruts_free(plain);
    gr_ruts_free(copy);
}

/// Sums heights over the track, all threads in the same order, so that they meet at the same stored tiles.
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
    GrRuts *paged = make(8), *plain = make(TILES + 10);
    drive(paged, 0, TILES);
    drive(plain, 0, TILES);
    double *wanted = read_all(plain);
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_create(&threads[k], NULL, read_all, paged), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        void *sum;
        assert_int_equal(pthread_join(threads[k], &sum), 0);
        assert_true(*(double *)sum == *wanted);
        free(sum);
    }
    assert_int_equal(stored_count(paged), 0);
    assert_false(gr_ruts_is_lost(paged));
    // What was only read leaves memory again without being changed.
    assert_int_equal(gr_ruts_reserve(paged, 3000), GR_OK);
    assert_true(stored_count(paged) > TILES / 2);
    assert_same(paged, plain);
    free(wanted);
    gr_ruts_free(paged);
    gr_ruts_free(plain);
}

/// Height of a node: noise.
static double height_of(int tile, int node)
{
    GrRandom random = gr_random_stream((uint64_t)tile * NODES + (uint64_t)node, "ground");
    return gr_random_uniform(&random, -0.1, 0.1);
}

/// A straight track of LONG tiles with noise in a part of their nodes.
static GrRuts *make_track(void)
{
    GrRutsDef def = gr_default_ruts_def();
    GrRuts *ruts = NULL;
    assert_int_equal(gr_ruts_create(&def, &ruts, NULL), GR_OK);
    for (int k = 0; k < LONG; k++) {
        assert_int_equal(gr_ruts_reserve(ruts, 1), GR_OK);
        double *heights = gr_ruts_tile_make(ruts, (int64_t)k * GR_RUT_NODES, 0).heights;
        assert_non_null(heights);
        for (int n = 0; n < NODES; n += 2) {
            heights[n] = height_of(k, n);
        }
    }
    return ruts;
}

static void check_track(const GrRuts *ruts)
{
    GrRutsPeek peek = {NULL};
    for (int k = 0; k < LONG; k += 7) {
        const double *heights = gr_ruts_peek(ruts, k, &peek).heights;
        for (int n = 0; n < NODES; n++) {
            assert_true(heights[n] == (n % 2 == 0 ? height_of(k, n) : 0));
        }
    }
    gr_ruts_peek_end(&peek);
    assert_false(gr_ruts_is_lost(ruts));
}

/// Without a file everything stays in memory, with the same heights.
static void test_without_file(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    GrRuts *paged = make_track();
    setenv("TMPDIR", "/no/such/folder", 1); // no file: everything stays in memory
    GrRuts *held = make_track();
    unsetenv("TMPDIR");
    print_message("%zu and %zu bytes\n", gr_ruts_memory(paged), gr_ruts_memory(held));
    assert_true(gr_ruts_memory(paged) < 24u << 20); // 16 MB, what is ready or was just written to, tables
    assert_true(gr_ruts_memory(held) > 45u << 20);
    assert_true(gr_ruts_hash(paged) == gr_ruts_hash(held));
    check_track(paged);
    check_track(held);
    // a copy reads the tiles of the other's file
    GrRutsDef def = gr_default_ruts_def();
    GrRuts *copy = NULL;
    assert_int_equal(gr_ruts_create(&def, &copy, NULL), GR_OK);
    assert_int_equal(gr_ruts_copy(copy, paged), GR_OK);
    assert_true(gr_ruts_hash(copy) == gr_ruts_hash(held));
    // an old tile is changed and changed back, and changed again
    for (GrRuts *ruts = paged;; ruts = held) {
        assert_int_equal(gr_ruts_mark(ruts, 1), GR_OK);
        gr_ruts_tile_change(ruts, 0, 0).heights[0] = 1;
        assert_true(gr_ruts_get(ruts, 0, 0) == 1);
        assert_int_equal(gr_ruts_undo(ruts), GR_OK);
        gr_ruts_tile_change(ruts, 0, 0).heights[1] = 2;
        if (ruts == held) {
            break;
        }
    }
    assert_true(gr_ruts_hash(paged) == gr_ruts_hash(held));
    assert_true(gr_ruts_hash(paged) != gr_ruts_hash(copy));
    gr_ruts_free(copy);

    gr_ruts_free(paged);
    gr_ruts_free(held);
}

static void test_store(void **state)
{
    (void)state;
    GrRutsStore store = {0};
    GrStoredTile tiles[3] = {{0}};
    unsigned char bytes[300];
    unsetenv("TMPDIR");
    assert_false(gr_store_get(&store, &tiles[0], bytes));
    for (int i = 0; i < 3; i++) {
        memset(bytes, 'a' + i, sizeof bytes);
        assert_true(gr_store_put(&store, &tiles[i], bytes, (size_t)(100 * (i + 1))));
    }
    assert_int_equal(store.end, 600);
    // shorter, in its old room; longer, at the end
    memset(bytes, 'x', sizeof bytes);
    assert_true(gr_store_put(&store, &tiles[1], bytes, 150));
    assert_int_equal(store.end, 600);
    memset(bytes, 'y', sizeof bytes);
    assert_true(gr_store_put(&store, &tiles[0], bytes, 101));
    assert_int_equal(store.end, 701);
    static const struct {
        unsigned size;
        unsigned char letter;
    } EXPECTED[3] = {{101, 'y'}, {150, 'x'}, {300, 'c'}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tiles[i].size, EXPECTED[i].size);
        assert_true(gr_store_get(&store, &tiles[i], bytes));
        assert_int_equal(bytes[0], EXPECTED[i].letter);
        assert_int_equal(bytes[tiles[i].size - 1], EXPECTED[i].letter);
    }
    gr_store_close(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit),    cmocka_unit_test(test_store),   cmocka_unit_test(test_same),
        cmocka_unit_test(test_without_file), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
