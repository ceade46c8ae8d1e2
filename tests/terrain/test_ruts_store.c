/// Ruts of a long track: packed tiles beyond some megabytes are in a file, and nobody sees a difference.
#include "random.h"
#include "ruts.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = GR_RUT_NODES * GR_RUT_NODES, TILES = 6000 };

/// Height of a node: noise, which cannot be packed.
static double height_of(int tile, int node)
{
    GrRandom random = gr_random_stream((uint64_t)tile * NODES + (uint64_t)node, "ground");
    return gr_random_uniform(&random, -0.1, 0.1);
}

/// A straight track of TILES tiles with noise in a part of their nodes.
static GrRuts *make_track(void)
{
    GrRutsDef def = gr_default_ruts_def();
    GrRuts *ruts = gr_ruts_create(&def, NULL);
    assert_non_null(ruts);
    for (int k = 0; k < TILES; k++) {
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
    for (int k = 0; k < TILES; k += 7) {
        const double *heights = gr_ruts_peek(ruts, k, &peek).heights;
        for (int n = 0; n < NODES; n++) {
            assert_true(heights[n] == (n % 2 == 0 ? height_of(k, n) : 0));
        }
    }
    gr_ruts_peek_end(&peek);
    assert_false(gr_ruts_is_lost(ruts));
}

static void test_long_track(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    GrRuts *paged = make_track();
    setenv("TMPDIR", "/no/such/folder", 1); // no file: everything stays in memory
    GrRuts *held = make_track();
    unsetenv("TMPDIR");
    print_message("%zu and %zu bytes\n", gr_ruts_memory(paged), gr_ruts_memory(held));
    assert_true(gr_ruts_memory(paged) < 18u << 20); // 8 MB packed, 8 MB ready or just written to, tables
    assert_true(gr_ruts_memory(held) > 25u << 20);
    assert_true(gr_ruts_hash(paged) == gr_ruts_hash(held));
    check_track(paged);
    check_track(held);
    // a copy reads the tiles of the other's file
    GrRutsDef def = gr_default_ruts_def();
    GrRuts *copy = gr_ruts_create(&def, NULL);
    assert_non_null(copy);
    assert_int_equal(gr_ruts_copy(copy, paged), GR_OK);
    assert_true(gr_ruts_hash(copy) == gr_ruts_hash(held));
    // an old tile is changed, saved, packed and moved again
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
    GrPackedTile tiles[3] = {{0}};
    unsigned char *room;
    unsetenv("TMPDIR");
    assert_null(gr_store_get(&store, &tiles[0], &room));
    for (int i = 0; i < 3; i++) {
        unsigned char bytes[1000];
        memset(bytes, 'a' + i, sizeof bytes);
        assert_true(gr_store_put(&store, &tiles[i], bytes, (size_t)(100 * (i + 1))));
    }
    assert_int_equal(store.held, 600);
    assert_true(gr_store_move_out(&store, &tiles[1]));
    assert_true(gr_store_move_out(&store, &tiles[2]));
    assert_int_equal(store.held, 100);
    for (int i = 0; i < 3; i++) {
        const unsigned char *bytes = gr_store_get(&store, &tiles[i], &room);
        assert_non_null(bytes);
        assert_int_equal(room != NULL, i > 0);
        assert_int_equal(bytes[0], 'a' + i);
        assert_int_equal(bytes[tiles[i].size - 1], 'a' + i);
        free(room);
        gr_store_drop(&store, &tiles[i]);
        assert_int_equal(tiles[i].size, 0);
    }
    assert_int_equal(store.held, 0);
    gr_store_close(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_store), cmocka_unit_test(test_long_track)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
