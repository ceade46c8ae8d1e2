/// Worlds that share their terrain and rovers: the same bits as alone, on any number of threads, within bounded memory.
#include "alloc.h"
#include "file.h"
#include "find.h"
#include "grouser/run.h"

#include "scenario_data.h"
#include "terrain_data.h"
#include "terrain_view.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>

enum { RUNS = 8, MOST_THREADS = 4 };

/// Runs that differ in soil, start and rocks; every other one in the ground too.
static void load(int run, GrWorldCache *cache, GrScenario **out)
{
    char text[5][48];
    snprintf(text[0], sizeof text[0], "stop.time_s=%d", GR_TEST_LONG(5, 1));
    snprintf(text[1], sizeof text[1], "soil:phi=%d", 30 + run);
    snprintf(text[2], sizeof text[2], "start.x_m=%g", -30 + 0.3 * run);
    snprintf(text[3], sizeof text[3], "terrain.rocks.seed=%d", run);
    snprintf(text[4], sizeof text[4], "terrain.seed=%d", run % 2 == 0 ? 4 : 4 + run);
    const char *const overrides[] = {text[0], text[1], text[2], text[3], text[4], "terrain.size_m=90", NULL};
    GrErrorLog log = {0};
    assert_int_equal(gr_scenario_load_shared("crossing", overrides, cache, out, &log), GR_OK);
}

static uint64_t run_one(int run, GrWorldCache *cache)
{
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    load(run, cache, &scenario);
    assert_int_equal(gr_world_create_shared(scenario, cache, &world, NULL), GR_OK);
    assert_int_equal(gr_run(world, NULL, &summary, NULL), GR_OK);
    const uint64_t hash = summary.state_hash;
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return hash;
}

typedef struct Work {
    GrWorldCache *cache;
    int first, stride;
    uint64_t hash[RUNS];
} Work;

static void *run_some(void *context)
{
    Work *work = context;
    for (int run = work->first; run < RUNS; run += work->stride) {
        work->hash[run] = run_one(run, work->cache);
    }
    return NULL;
}

static void test_same_bits_on_threads(void **state)
{
    (void)state;
    uint64_t alone[RUNS];
    for (int run = 0; run < RUNS; run++) {
        alone[run] = run_one(run, NULL);
        assert_true(run == 0 || alone[run] != alone[run - 1]);
    }
    for (int threads = 1; threads <= MOST_THREADS; threads *= 4) {
        GrWorldCache *cache = NULL;
        gr_world_cache_create(&cache, NULL);
        pthread_t thread[MOST_THREADS];
        Work work[MOST_THREADS];
        for (int i = 0; i < threads; i++) {
            work[i] = (Work){.cache = cache, .first = i, .stride = threads};
            assert_int_equal(pthread_create(&thread[i], NULL, run_some, &work[i]), 0);
        }
        for (int i = 0; i < threads; i++) {
            pthread_join(thread[i], NULL);
        }
        for (int run = 0; run < RUNS; run++) {
            assert_true(work[run % threads].hash[run] == alone[run]);
        }
        gr_world_cache_free(cache);
    }
}

static const double *tile_at_start(const GrWorld *world)
{
    const GrLayer *layer = &world->terrain->layers[0];
    const GrGridFrame *f = &layer->def.frame;
    const int64_t i = (int64_t)((world->scenario->start.x - f->x0) / f->dx) / GR_TILE_CELLS,
                  j = (int64_t)((world->scenario->start.y - f->y0) / f->dy) / GR_TILE_CELLS;
    return gr_tiles_find(&layer->tiles, gr_tile_key(i, j));
}

static void test_equal_ground_is_shared(void **state)
{
    (void)state;
    GrScenario *scenarios[3];
    GrWorld *worlds[3];
    GrWorldCache *cache = NULL;
    gr_world_cache_create(&cache, NULL);
    const int runs[3] = {0, 2, 1}; // the last has other ground
    for (int i = 0; i < 3; i++) {
        load(runs[i], cache, &scenarios[i]);
        assert_int_equal(gr_world_create_shared(scenarios[i], cache, &worlds[i], NULL), GR_OK);
        assert_non_null(tile_at_start(worlds[i]));
    }
    assert_ptr_equal(tile_at_start(worlds[0]), tile_at_start(worlds[1]));
    assert_true(tile_at_start(worlds[0]) != tile_at_start(worlds[2]));
    gr_world_cache_free(cache); // worlds keep what they use
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gr_mission_advance(worlds[i]->mission, 0.1), GR_OK);
        gr_world_free(worlds[i]);
        gr_scenario_free(scenarios[i]);
    }
}

static void test_same_messages(void **state)
{
    (void)state;
    GrScenario *scenario = NULL;
    GrWorldCache *cache = NULL;
    gr_world_cache_create(&cache, NULL);
    load(0, cache, &scenario);
    snprintf(scenario->terrain.file, sizeof scenario->terrain.file, "absent.tif");
    for (int k = 0; k < 2; k++) {
        GrWorld *world = NULL;
        GrErrorLog alone = {0}, shared = {0};
        assert_int_not_equal(gr_world_create(scenario, &world, &alone), GR_OK);
        assert_int_not_equal(gr_world_create_shared(scenario, cache, &world, &shared), GR_OK);
        assert_true(alone.error_count > 0);
        assert_int_equal(shared.error_count, alone.error_count);
        for (int i = 0; i < alone.count; i++) {
            assert_string_equal(shared.items[i].text, alone.items[i].text);
            assert_string_equal(shared.items[i].file, alone.items[i].file);
        }
    }
    gr_world_cache_free(cache);
    gr_scenario_free(scenario);
}

/// Writes a copy of a shipped rover with another mass, and a scenario with it.
static void write_rover(int mass)
{
    char *text;
    size_t size;
    char path[GR_FILE_PATH_SIZE];
    assert_int_equal(gr_find_file("rovers", "rover", "rashid_like", path, NULL), GR_OK);
    assert_int_equal(gr_file_read(path, 1 << 20, &text, &size, NULL), GR_OK);
    char *at = strstr(text, "total_mass: 10");
    assert_non_null(at);
    FILE *file = fopen("own_rover.yaml", "w");
    fprintf(file, "%.*stotal_mass: %d%s", (int)(at - text), text, mass, at + strlen("total_mass: 10"));
    fclose(file);
    gr_free(text);
    file = fopen("own_scenario.yaml", "w");
    fputs("rover: ./own_rover.yaml\nsoil: lunar_apollo\ngravity: moon\n"
          "drive: {script: [{time_s: 0, mode: skid, speed_mps: 0.05}]}\nstop: {time_s: 1}\n",
          file);
    fclose(file);
}

static double mass_of(const GrRoverDef *rover)
{
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass;
    }
    return mass;
}

/// A rover comes from the cache only while its file and its overrides are the same, and with its messages.
static void test_rovers_are_shared(void **state)
{
    (void)state;
    static const double SAME = 1e-12;
    static const char *const OVERRIDES[] = {"rover:params.total_mass=15", "rover:notes=[]", NULL};
    static const struct {
        int mass;
        const char *const *overrides;
        double expected;
    } CASES[] = {{10, NULL, 10},      {10, NULL, 10}, {10, OVERRIDES, 15},
                 {10, OVERRIDES, 15}, {12, NULL, 12}, {12, OVERRIDES, 15}};
    GrWorldCache *cache = NULL;
    gr_world_cache_create(&cache, NULL);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        GrScenario *alone = NULL, *shared = NULL;
        GrErrorLog log = {0}, other = {0};
        write_rover(CASES[i].mass);
        assert_int_equal(gr_scenario_load("./own_scenario.yaml", CASES[i].overrides, &alone, &log), GR_OK);
        assert_int_equal(gr_scenario_load_shared("./own_scenario.yaml", CASES[i].overrides, cache, &shared, &other),
                         GR_OK);
        assert_near(mass_of(&shared->rover), CASES[i].expected, SAME);
        assert_int_equal(shared->rover.note_count, alone->rover.note_count);
        assert_int_equal(shared->rover.wheel_count, 4);
        assert_memory_equal(shared->rover.wheels, alone->rover.wheels, 4 * sizeof *alone->rover.wheels);
        assert_int_equal(log.warning_count, other.warning_count);
        gr_scenario_free(alone);
        gr_scenario_free(shared);
    }
    gr_world_cache_free(cache);
}

/// Heights x + 1000 y.
static GrStatus read_plane(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)context;
    (void)log;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            *out++ = (double)(window.i0 + i) + 1000 * (double)(window.j0 + j);
        }
    }
    return GR_OK;
}

/// Several times the memory of a layer is asked for: each terrain sees its own window, and the base keeps its limit.
static void test_memory_is_bounded(void **state)
{
    (void)state;
    enum { TILES = 16, SIDE = 12 };
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){SIDE * GR_TILE_CELLS + 1, SIDE * GR_TILE_CELLS + 1, 0, 0, 1, 1};
    def.memory_limit = TILES * GR_TILE_NODES * sizeof(double);
    GrTerrain *base = NULL;
    gr_terrain_create(&base, NULL);
    assert_int_equal(gr_terrain_add_source(base, &def, (GrSource){.read = read_plane}, NULL), GR_OK);
    GrTerrainShare *share = gr_terrain_share_create(base);
    GrTerrain *terrains[2] = {gr_terrain_borrow(share), gr_terrain_borrow(share)};
    for (int round = 0; round < 3 * SIDE; round++) {
        for (int k = 0; k < 2; k++) {
            const double at = GR_TILE_CELLS * (double)((5 * round + 3 * k) % (SIDE - 2));
            const GrBox2 box = {at + 1, at + 1, at + 3 * GR_TILE_CELLS - 1, at + 3 * GR_TILE_CELLS - 1};
            assert_int_equal(gr_terrain_prefetch(terrains[k], box, NULL), GR_OK);
            for (double t = 0.25; t < 1; t += 0.25) {
                const double x = box.x_lower + t * (box.x_upper - box.x_lower), y = box.y_upper - 7;
                double z = 0;
                assert_int_equal(gr_terrain_height(terrains[k], x, y, &z), GR_GROUND_OK);
                assert_near(z, x + 1000 * y, 1e-6);
            }
        }
        assert_true(gr_terrain_share_memory(share) <= 2 * def.memory_limit); // and the table of tiles
    }
    gr_terrain_share_release(share);
    gr_terrain_free(terrains[0]);
    gr_terrain_free(terrains[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_on_threads), cmocka_unit_test(test_equal_ground_is_shared),
        cmocka_unit_test(test_same_messages),        cmocka_unit_test(test_rovers_are_shared),
        cmocka_unit_test(test_memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
