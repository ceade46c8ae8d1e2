/// A second look at a terrain: the nodes are those of the sources, whatever the stride, and the terrain's own tiles
/// stay.
#include "terrain_view.h"

#include "test.h"

#include <math.h>

enum { NX = 1000, NY = 700 };
static const double CELL = 0.5;

typedef struct Asked {
    long nodes;
} Asked;

/// Any function of the node that is not smooth.
static double height_of(int64_t i, int64_t j)
{
    return (double)((i * 37 + j * 101) % 211) / 16;
}

static GrStatus read_nodes(void *context, GrGridWindow w, double *out, GrErrorLog *log)
{
    (void)log;
    Asked *asked = context;
    for (int j = 0; j < w.nj; j++) {
        for (int i = 0; i < w.ni; i++) {
            assert_in_range(w.i0 + i, 0, NX - 1);
            assert_in_range(w.j0 + j, 0, NY - 1);
            out[j * w.ni + i] = height_of(w.i0 + i, w.j0 + j);
        }
    }
    asked->nodes += (long)w.ni * w.nj;
    return GR_OK;
}

static GrTerrain *make(Asked *asked)
{
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){NX, NY, -20, 30, CELL, CELL};
    def.memory_limit = 20 * 67 * 67 * sizeof(double); // 20 of its 176 tiles
    GrTerrain *terrain = NULL;
    assert_int_equal(gr_terrain_create(&terrain, NULL), GR_OK);
    assert_int_equal(gr_terrain_add_source(terrain, &def, (GrSource){.read = read_nodes, .context = asked}, NULL),
                     GR_OK);
    assert_int_equal(gr_terrain_prefetch(terrain, (GrBox2){0, 40, 5, 45}, NULL), GR_OK);
    return terrain;
}

static void nodes_are_those_of_the_source(void **state)
{
    (void)state;
    for (int stride = 1; stride <= 7; stride += 3) {
        Asked asked = {0};
        GrTerrain *terrain = make(&asked);
        const size_t memory = gr_terrain_memory(terrain);
        asked.nodes = 0;
        GrTerrainView *view = gr_terrain_view_open(terrain, stride * CELL);
        assert_non_null(view);
        GrTerrain *seen = gr_terrain_view_terrain(view);
        for (int j = 0; j < NY; j += stride) {
            const double y = 30 + j * CELL;
            assert_int_equal(gr_terrain_prefetch(seen, (GrBox2){-20, y, -20 + (NX - 1) * CELL, y}, NULL), GR_OK);
            for (int i = 0; i < NX; i += stride) {
                double z;
                assert_int_equal(gr_terrain_height(seen, -20 + i * CELL, y, &z), GR_GROUND_OK);
                assert_true(z == height_of(i, j)); // interpolation passes through nodes
            }
        }
        // Tiles overlap by three nodes of 64.
        const double cost = gr_terrain_view_cost(terrain, stride * CELL, (NX - 1) * CELL, (NY - 1) * CELL);
        assert_near_rel(cost, (double)NX * NY / stride, 1e-12);
        assert_true((double)asked.nodes < 1.2 * cost);
        gr_terrain_view_close(view);
        double z; // the simulation's tiles are still there, and no more
        assert_int_equal(gr_terrain_memory(terrain), memory);
        assert_int_equal(gr_terrain_height(terrain, 3, 43, &z), GR_GROUND_OK);
        gr_terrain_free(terrain);
    }
}

static void resident_layers_are_shared(void **state)
{
    (void)state;
    const double heights[] = {0, 1, 2, 3};
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){2, 2, 0, 0, 1, 1};
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    assert_int_equal(gr_terrain_add_grid(terrain, &def, heights, NULL), GR_OK);
    assert_true(gr_terrain_view_cost(terrain, 10, 1, 1) == 0);
    GrTerrainView *view = gr_terrain_view_open(terrain, 10);
    double z;
    assert_int_equal(gr_terrain_height(gr_terrain_view_terrain(view), 0.5, 0.5, &z), GR_GROUND_OK);
    assert_near(z, 1.5, 1e-15);
    gr_terrain_view_close(view);
    assert_int_equal(gr_terrain_height(terrain, 1, 1, &z), GR_GROUND_OK);
    gr_terrain_free(terrain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_those_of_the_source),
        cmocka_unit_test(resident_layers_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
