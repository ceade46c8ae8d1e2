/// Files that are parsed once for many scenarios: a load through the cache equals a fresh one in every node, number and
/// message, whatever was loaded before it with other overrides.
#include "document.h"
#include "grouser/soil_file.h"
#include "scenario_data.h"
#include "test.h"

static const char BASE[] = "gravity: mars\nstart: {x_m: &one 1, y_m: *one, heading_deg: 30}\nstep: {step_ms: 4}\n"
                           "params: {v: 0.05, t: 2*v*60}\n";
static const char DRIVE[] = "include: ./base.yaml\nrover: rashid_like\nsoil: {use: ./own_soil.yaml, set: {phi: 33}}\n"
                            "wheel_soils: {wheel_front_left: {use: ./own_soil.yaml, set: {phi: 31}}}\n"
                            "drive: {script: [{time_s: 0, mode: skid, speed_mps: v}]}\n"
                            "stop: {time_s: t}\n";
static const char SOIL[] = "params: {stiff: 2}\nk_c_N_per_m_n1: 1370*stiff\nk_phi_N_per_m_n2: 814000*stiff\nn0: 1\n"
                           "c_Pa: %d\nphi_deg: 37\nK_x_m: 0.036\nK_y_m: 0.04\na1: 0.4\na2: 0.15\nlambda: 0.5\n";

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/// Writes the files of a scenario, with a cohesion of its soil.
static void write_files(int cohesion)
{
    char soil[sizeof SOIL + 16];
    snprintf(soil, sizeof soil, SOIL, cohesion);
    write_text("base.yaml", BASE);
    write_text("drive.yaml", DRIVE);
    write_text("own_soil.yaml", soil);
}

static void assert_same_text(const char *a, const char *b)
{
    assert_true((a == NULL) == (b == NULL));
    if (a != NULL) {
        assert_string_equal(a, b);
    }
}

static void assert_same_tree(const GrNode *a, const GrNode *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_same_text(a->key, b->key);
    assert_same_text(a->text, b->text);
    assert_same_text(a->file, b->file);
    assert_true(a->line == b->line && a->column == b->column);
    assert_true(a->key_line == b->key_line && a->key_column == b->key_column);
    assert_true(a->quoted == b->quoted && a->block == b->block && a->used == b->used);
    assert_true(a->count == b->count && a->index == b->index);
    const GrNode *other = b->first;
    for (const GrNode *child = a->first; child != NULL; child = child->next, other = other->next) {
        assert_non_null(other);
        assert_ptr_equal(child->parent, a);
        assert_ptr_equal(other->parent, b);
        assert_same_tree(child, other);
    }
    assert_null(other);
}

static void assert_same_log(const GrErrorLog *a, const GrErrorLog *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        char texts[2][1200];
        gr_error_format(&a->items[i], texts[0], sizeof texts[0]);
        gr_error_format(&b->items[i], texts[1], sizeof texts[1]);
        assert_string_equal(texts[0], texts[1]);
    }
}

static void assert_same_scenario(const GrScenario *a, const GrScenario *b)
{
    assert_string_equal(a->input, b->input);
    assert_same_tree(a->document->root, b->document->root);
    assert_int_equal(a->document->node_count, b->document->node_count);
    assert_memory_equal(&a->soil, &b->soil, sizeof a->soil);
    assert_memory_equal(a->soil_sources, b->soil_sources, sizeof *a->soil_sources);
    assert_int_equal(a->wheel_soil_count, b->wheel_soil_count);
    assert_memory_equal(a->wheel_soils, b->wheel_soils, (size_t)a->wheel_soil_count * sizeof *a->wheel_soils);
    assert_int_equal(a->rover.body_count, b->rover.body_count);
    for (int i = 0; i < a->rover.body_count; i++) {
        assert_true(a->rover.bodies[i].mass == b->rover.bodies[i].mass);
    }
    assert_memory_equal(a->rover.wheels, b->rover.wheels, (size_t)a->rover.wheel_count * sizeof *a->rover.wheels);
    assert_memory_equal(&a->gravity, &b->gravity, sizeof a->gravity);
    assert_true(a->start.x == b->start.x && a->start.heading == b->start.heading);
    assert_true(a->mission.duration == b->mission.duration);
}

/// Loads a row fresh and through the cache. Returns the duration of its drive; 0: it was refused.
static double compare(const char *const *overrides, GrWorldCache *cache, double *cohesion)
{
    GrScenario *alone = NULL, *shared = NULL;
    GrErrorLog logs[2] = {{.quiet = true}, {.quiet = true}};
    const GrStatus status = gr_scenario_load("./drive.yaml", overrides, &alone, &logs[0]);
    assert_int_equal(gr_scenario_load_shared("./drive.yaml", overrides, cache, &shared, &logs[1]), status);
    assert_same_log(&logs[0], &logs[1]);
    double duration = 0;
    if (status == GR_OK) {
        assert_same_scenario(alone, shared);
        duration = shared->mission.duration;
        *cohesion = shared->soil.cohesion;
    }
    gr_scenario_free(alone);
    gr_scenario_free(shared);
    return duration;
}

/// Rows of a campaign in one worker: each of its values is overridden in some and must be the file's in the next.
static void test_rows_are_as_fresh(void **state)
{
    (void)state;
    static const double EXACT = 1e-12;
    static const struct {
        const char *overrides[4];
        double duration; ///< t = 2·60·v, by hand
    } ROWS[] = {
        {{NULL}, 6},
        {{"params.v=0.1", "soil:params.stiff=3", NULL}, 12},
        {{"start.x_m=5", "soil:phi=40", NULL}, 6},
        {{"step.slices=2", "gravity=moon", "wheel_soils.wheel_front_left=none", NULL}, 6},
        {{"stop.time_s=v*100", "drive.script[0].speed_mps=0.02", NULL}, 5},
        {{"rover:params.total_mass=12", "rover:params.wheel_radius=0.06", NULL}, 6},
        {{"rover:params.total_mass=14", "rover:title=other", NULL}, 6},
        {{"rover:params.mass=14", NULL}, 0},
        {{"start.x=5", NULL}, 0},        // unknown key
        {{"soil:phi=140", NULL}, 0},     // out of range
        {{"params.speed=0.1", NULL}, 0}, // no such parameter
        {{"soil=./absent.yaml", NULL}, 0},
        {{NULL}, 6},
    };
    GrWorldCache *cache = NULL;
    gr_world_cache_create(&cache, NULL);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
            double cohesion = 0;
            write_files(800);
            assert_near(compare(ROWS[i].overrides, cache, &cohesion), ROWS[i].duration, EXACT);
        }
    }
    gr_world_cache_free(cache);
}

/// A file that changes is read as it is, also when the cache has no more room, and a faulty one is reported every time.
static void test_changed_files(void **state)
{
    (void)state;
    enum { CHANGES = 40 };
    double cohesion = 0;
    GrWorldCache *cache = NULL;
    gr_world_cache_create(&cache, NULL);
    for (int i = 0; i < 2 * CHANGES; i++) {
        write_files(100 + i % CHANGES);
        assert_true(compare(NULL, cache, &cohesion) > 0);
        assert_true(cohesion == 100 + i % CHANGES);
    }
    gr_world_cache_free(cache);
    gr_world_cache_create(&cache, NULL);
    for (int i = 0; i < 2; i++) {
        write_files(800);
        write_text("base.yaml", "gravity: mars\ngravity: moon\n"); // a key twice: an error, and the file is read on
        assert_true(compare(NULL, cache, &cohesion) == 0);
        write_text("base.yaml", "gravity: [mars\n");
        assert_true(compare(NULL, cache, &cohesion) == 0);
    }
    gr_world_cache_free(cache);
}

/// A scenario owns all its texts: the cache may go first.
static void test_scenario_outlives_cache(void **state)
{
    (void)state;
    GrScenario *scenarios[2];
    GrWorldCache *cache = NULL;
    gr_world_cache_create(&cache, NULL);
    write_files(800);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gr_scenario_load_shared("./drive.yaml", NULL, cache, &scenarios[i], NULL), GR_OK);
    }
    gr_world_cache_free(cache);
    assert_same_scenario(scenarios[0], scenarios[1]);
    gr_scenario_free(scenarios[0]);
    assert_string_equal(gr_document_place(scenarios[1]->document, "heading")->key, "heading_deg");
    gr_scenario_free(scenarios[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_as_fresh),
        cmocka_unit_test(test_changed_files),
        cmocka_unit_test(test_scenario_outlives_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
