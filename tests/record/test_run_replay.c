/// The replay of a run: ground, ruts, rocks and poses in it are those of the simulation. Read back by a reader of the
/// test's own (support/replay_parse.h).
#include "run_replay.h"

#include "chunk.h"
#include "grouser/run.h"

#include "json_check.h"
#include "model_data.h"
#include "replay_world.h"
#include "scenario_data.h"
#include "support/replay_parse.h"
#include "world.h"

enum { SAMPLES_MAX = 400 };

/// A world that runs for some seconds into a replay in memory.
typedef struct Stage {
    GrScenario *scenario;
    GrWorld *world;
    GrBuffer bytes;
    GrVec3 seen[SAMPLES_MAX]; ///< positions of the chassis, as sampled
    double slip[SAMPLES_MAX]; ///< of the first wheel
    int count;
} Stage;

static GrStatus keep(void *context, const char *chunk, size_t size, GrErrorLog *log)
{
    (void)log;
    gr_buffer_add(context, chunk, size);
    return GR_OK;
}

/// `stride`: samples are shifted by this further and further along x [m], as of a faster rover.
static void play_faster(Stage *stage, const char *name, const char *const *overrides, double seconds, double stride)
{
    GrErrorLog log = {0};
    memset(stage, 0, sizeof *stage);
    assert_int_equal(gr_scenario_load(name, overrides, &stage->scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(stage->scenario, &stage->world, &log), GR_OK);
    GrMission *mission = stage->world->mission;
    GrReplayDef def = {.rate = 10, .duration = seconds, .put = keep, .context = &stage->bytes};
    def.record.name = name;
    def.record.rover = &stage->scenario->rover;
    def.record.model = stage->world->model;
    def.record.terrain = stage->world->terrain;
    def.record.ruts = gr_data_ruts(gr_mission_data(mission));
    GrRunReplay *replay = gr_run_replay_create(&def, &log);
    GrSample sample;
    assert_true(gr_sample_init(stage->world->model, gr_mission_rock_count(mission), &sample));
    for (int i = 0; i <= (int)(10 * seconds); i++) {
        gr_mission_advance(mission, 0.1 * i);
        gr_mission_sample(mission, &sample);
        sample.pose.position.x += stride * i;
        assert_int_equal(gr_run_replay_add(replay, &sample, 0.01 * i, &log), GR_OK);
        stage->seen[stage->count] = sample.pose.position;
        stage->slip[stage->count++] = sample.wheels[0].slip;
    }
    GrRunSummary summary;
    assert_int_equal(gr_mission_summary(mission, &summary, &log), GR_OK);
    assert_int_equal(gr_run_replay_finish(replay, &summary, &log), GR_OK);
    gr_run_summary_free(&summary);
    gr_sample_free(&sample);
    gr_run_replay_free(replay);
}

static void play(Stage *stage, const char *name, const char *const *overrides, double seconds)
{
    play_faster(stage, name, overrides, seconds, 0);
}

static void end(Stage *stage)
{
    gr_buffer_free(&stage->bytes);
    gr_world_free(stage->world);
    gr_scenario_free(stage->scenario);
}

/// Goes to the first chunk of a type.
static GrCursor find(Stage *stage, GrReplayReader *r, const char *type)
{
    GrCursor c = {0};
    *r = gr_replay_reader(stage->bytes.data, stage->bytes.size);
    while (gr_replay_next(r, &c)) {
        if (strcmp(r->type, type) == 0) {
            return c;
        }
    }
    print_error("no chunk %s\n", type);
    fail();
    return c;
}

static void ground_is_that_of_the_terrain(void **state)
{
    (void)state;
    Stage stage;
    play(&stage, "crossing", NULL, 1);
    GrReplayReader r;
    GrCursor c = find(&stage, &r, "GRND");
    const double x0 = gr_cursor_number(&c), y0 = gr_cursor_number(&c), cell = gr_cursor_number(&c);
    const double z0 = gr_cursor_number(&c), quantum = gr_cursor_number(&c);
    const int nx = (int)gr_cursor_bytes(&c, 4), ny = (int)gr_cursor_bytes(&c, 4);
    int64_t *q = calloc((size_t)nx * (size_t)ny, sizeof *q);
    int known = 0;
    for (int j = 0; j < ny; j++) {
        // The replay has the whole map, the simulation only the tiles that it needs.
        const double y = y0 + j * cell;
        assert_int_equal(gr_terrain_prefetch(stage.world->terrain, (GrBox2){x0, y, x0 + (nx - 1) * cell, y}, NULL),
                         GR_OK);
        for (int i = 0; i < nx; i++) {
            const int64_t left = i > 0 ? q[j * nx + i - 1] : 0, below = j > 0 ? q[(j - 1) * nx + i] : 0;
            const int64_t corner = i > 0 && j > 0 ? q[(j - 1) * nx + i - 1] : 0;
            q[j * nx + i] = left + below - corner + gr_cursor_signed(&c);
            double z;
            const GrGround ground = gr_terrain_height(stage.world->terrain, x0 + i * cell, y, &z);
            assert_int_equal(q[j * nx + i] != 0, ground == GR_GROUND_OK);
            if (ground == GR_GROUND_OK) {
                assert_near(z0 + quantum * (double)(q[j * nx + i] - 1), z, 0.501 * quantum);
                known++;
            }
        }
    }
    assert_ptr_equal(c.at, c.end);
    assert_true(quantum <= 0.01);
    assert_true(known > 1000);
    free(q);
    gr_buffer_free(&r.payload);
    end(&stage);
}

static void ruts_add_up_to_those_of_the_run(void **state)
{
    (void)state;
    Stage stage;
    play(&stage, "own_track", NULL, 6);
    const GrRuts *ruts = gr_data_ruts(gr_mission_data(stage.world->mission));
    GrRutsDef def = gr_default_ruts_def();
    def.cell = gr_ruts_def(ruts)->cell;
    GrRuts *sum = NULL;
    gr_ruts_create(&def, &sum, NULL); // in quanta
    GrReplayReader r = gr_replay_reader(stage.bytes.data, stage.bytes.size);
    GrCursor c;
    double last = -1;
    int chunks = 0;
    while (gr_replay_next(&r, &c)) {
        if (strcmp(r.type, "RUTS") != 0) {
            continue;
        }
        const double time = gr_cursor_number(&c);
        assert_true(time >= last);
        last = time;
        chunks++;
        for (uint64_t tiles = gr_cursor_bytes(&c, 4); tiles > 0; tiles--) {
            const int64_t ti = (int32_t)gr_cursor_bytes(&c, 4), tj = (int32_t)gr_cursor_bytes(&c, 4);
            assert_int_equal(gr_ruts_reserve(sum, 1), GR_OK);
            for (int k = 0; k < 1024; k++) {
                const int64_t change = gr_cursor_signed(&c);
                *gr_ruts_height(sum, 32 * ti + k % 32, 32 * tj + k / 32) += (double)change;
                k += change == 0 ? (int)gr_cursor_varint(&c) : 0;
            }
        }
        assert_ptr_equal(c.at, c.end);
    }
    assert_true(chunks > 3);
    double deepest = 0;
    for (int64_t j = -100; j < 100; j++) {
        for (int64_t i = -100; i < 200; i++) {
            const double z = gr_ruts_get(ruts, i, j);
            assert_near(GR_REPLAY_RUT_QUANTUM * gr_ruts_get(sum, i, j), z, 0.501 * GR_REPLAY_RUT_QUANTUM);
            deepest = fmin(deepest, z);
        }
    }
    assert_true(deepest < -0.002); // el_dorado2 leaves ruts of millimetres
    gr_ruts_free(sum);
    end(&stage);
}

/// Index of a column by its name in the head.
static int column_of(const char *head, const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "{\"name\": \"%s\"", name);
    const char *at = strstr(head, "\"columns\": ["), *target = strstr(head, text);
    assert_non_null(at);
    assert_non_null(target);
    int count = 0;
    while ((at = strstr(at + 1, "{\"name\": ")) != NULL && at < target) {
        count++;
    }
    return count;
}

static int count_columns(const char *head)
{
    int count = 0;
    for (const char *at = strstr(head, "\"columns\": ["); (at = strstr(at + 1, "{\"name\": ")) != NULL;) {
        count++;
    }
    return count;
}

static void samples_are_those_of_the_run(void **state)
{
    (void)state;
    Stage stage;
    play(&stage, "own_track", NULL, 4);
    GrReplayReader r;
    find(&stage, &r, "HEAD");
    char *head = strdup(r.payload.data);
    gr_buffer_free(&r.payload);
    assert_true(gr_json_valid(head));
    const int columns = count_columns(head), x = column_of(head, "pose.base.x");
    char name[96];
    snprintf(name, sizeof name, "%s.slip", gr_model_wheel_name(stage.world->model, 0));
    const int slip = column_of(head, name);
    double values[512];
    int row = 0;
    GrCursor c;
    r = gr_replay_reader(stage.bytes.data, stage.bytes.size);
    while (gr_replay_next(&r, &c)) {
        if (strcmp(r.type, "DATA") != 0) {
            continue;
        }
        const int n = (int)gr_cursor_bytes(&c, 4);
        for (int k = 0; k < columns; k++) {
            gr_cursor_column(&c, values, n);
            for (int i = 0; i < n; i++) {
                if (k == 0) {
                    assert_near(values[i], 0.1 * (row + i), 1e-6);
                } else if (k == x) {
                    assert_near(values[i], stage.seen[row + i].x, 0.6e-4);
                } else if (k == slip) {
                    assert_near(values[i], stage.slip[row + i], 1.0 / 8192);
                }
            }
        }
        assert_ptr_equal(c.at, c.end);
        row += n;
    }
    assert_int_equal(row, stage.count);
    find(&stage, &r, "DONE");
    assert_true(gr_json_valid(r.payload.data));
    gr_buffer_free(&r.payload);
    free(head);
    end(&stage);
}

static void rocks_are_those_of_the_scene(void **state)
{
    (void)state;
    Stage stage;
    play(&stage, "crossing", NULL, 1);
    const GrRigidWorld *world = stage.world->model->rigid.world;
    GrReplayReader r;
    GrCursor c = find(&stage, &r, "ROCK");
    assert_int_equal(gr_cursor_bytes(&c, 4), 0);
    const int count = (int)gr_cursor_bytes(&c, 4);
    assert_int_equal(count, stage.world->rocks.count);
    for (int k = 0; k < count; k++) {
        const GrVec3 at = {gr_cursor_number(&c), gr_cursor_number(&c), gr_cursor_number(&c)};
        double rest[7];
        for (int i = 0; i < 7; i++) {
            rest[i] = gr_cursor_number(&c);
        }
        assert_near(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2] + rest[3] * rest[3], 1, 1e-12);
        double nearest = INFINITY; // a rock of the generator
        for (int i = 0; i < stage.world->rocks.count; i++) {
            nearest = fmin(nearest, hypot(stage.world->rocks.rocks[i].x - at.x, stage.world->rocks.rocks[i].y - at.y));
        }
        assert_near(nearest, 0, 1e-9);
        const int vertices = (int)gr_cursor_bytes(&c, 2), faces = (int)gr_cursor_bytes(&c, 2);
        assert_int_equal(faces, 2 * vertices - 4); // Euler: a closed surface of triangles
        c.at += 6 * vertices + 6 * faces;
    }
    assert_ptr_equal(c.at, c.end);
    assert_non_null(world);
    gr_buffer_free(&r.payload);
    end(&stage);
}

/// The rock of a field at a place.
static int rock_at(const GrRockField *field, double x, double y)
{
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < field->count; i++) {
        const double distance = hypot(field->rocks[i].x - x, field->rocks[i].y - y);
        nearest = distance < least ? i : nearest;
        least = fmin(least, distance);
    }
    assert_near(least, 0, 1e-9);
    return nearest;
}

/// Reads the rocks of a chunk, and notes in `times` those of a field.
static void read_rocks(GrCursor c, const GrRockField *field, int *before, int *times)
{
    assert_int_equal(gr_cursor_bytes(&c, 4), *before); // chunks continue each other
    const int count = (int)gr_cursor_bytes(&c, 4);
    assert_true(count > 0);
    for (int k = 0; k < count; k++) {
        const double x = gr_cursor_number(&c), y = gr_cursor_number(&c);
        times[rock_at(field, x, y)]++;
        c.at += 64; // z, rotation, half
        const int vertices = (int)gr_cursor_bytes(&c, 2), faces = (int)gr_cursor_bytes(&c, 2);
        c.at += 6 * vertices + 6 * faces;
    }
    assert_ptr_equal(c.at, c.end);
    *before += count;
}

/// Of a large field, each rock is written once when it comes into view; far ones are not made at all.
static void rocks_of_a_large_field(void **state)
{
    (void)state;
    Stage stage;
    static const char *const FIELD[] = {"terrain.rocks={law: golombek, k: 0.02, smallest_m: 0.05, largest_m: 0.25}",
                                        "terrain.cell_m=1", NULL};
    play_faster(&stage, "crossing", FIELD, 1, 1.5);
    const GrRockField *field = &stage.world->rocks;
    const GrRigidWorld *world = stage.world->model->rigid.world;
    assert_true(field->count > 3000);
    assert_true(gr_rigid_made_count(world) < field->count / 10);
    int *times = calloc((size_t)field->count, sizeof *times), chunks = 0, total = 0, far = 0;
    assert_non_null(times);
    GrCursor c = {0};
    GrReplayReader r = gr_replay_reader(stage.bytes.data, stage.bytes.size);
    while (gr_replay_next(&r, &c)) {
        if (strcmp(r.type, "ROCK") == 0) {
            read_rocks(c, field, &total, times);
            chunks++;
        }
    }
    assert_true(chunks > 1);
    assert_true(total < field->count / 2);
    for (int i = 0; i < field->count; i++) {
        const GrRock *rock = &field->rocks[i];
        double nearest = INFINITY;
        for (int k = 0; k < stage.count; k++) {
            nearest = fmin(nearest, hypot(rock->x - stage.seen[k].x, rock->y - stage.seen[k].y));
        }
        assert_true(times[i] <= 1);
        assert_true(times[i] == 1 || nearest > 100 * rock->diameter); // docs/replay.md
        far += times[i] == 0;
    }
    assert_int_equal(far + total, field->count);
    gr_buffer_free(&r.payload);
    free(times);
    end(&stage);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/// A tetrahedron with a dent in its base (its fourth point is pushed in), on the chassis and, twice as large, on both
/// wheels: two distinct meshes.
static const double DENT[5][3] = {{0, 0, 0}, {0.4, 0, 0}, {0, 0.2, 0}, {0.1, 0.05, 0.1}, {0, 0, 0.4}};
static const char MESH_ROVER[] =
    "name: dented\nbodies:\n"
    "  chassis: {mass_kg: 10, inertia_of: {sphere: {radius_m: 0.3}}, shapes: [{mesh: {file: dent.obj}}]}\n"
    "  left: {mass_kg: 1, inertia_of: {sphere: {radius_m: 0.1}}, shapes: [{mesh: {file: dent.obj, scale: 2}}],\n"
    "    parent: chassis, joint: {kind: revolute, role: drive, at_m: [0, 0.5, 0], axis: [0, 1, 0]}}\n"
    "  right: {mass_kg: 1, inertia_of: {sphere: {radius_m: 0.1}}, shapes: [{mesh: {file: dent.obj, scale: 2}}],\n"
    "    parent: chassis, joint: {kind: revolute, role: drive, at_m: [0, -0.5, 0], axis: [0, 1, 0]}}\n"
    "wheels:\n  left: {radius_m: 0.2, width_m: 0.1}\n  right: {radius_m: 0.2, width_m: 0.1}\n";

static void meshes_are_those_of_the_files(void **state)
{
    (void)state;
    char obj[512] = "";
    for (int i = 0; i < 5; i++) {
        char line[64];
        snprintf(line, sizeof line, "v %g %g %g\n", DENT[i][0], DENT[i][1], DENT[i][2]);
        strcat(obj, line);
    }
    strcat(obj, "f 1 3 4\nf 3 2 4\nf 2 1 4\nf 1 2 5\nf 2 3 5\nf 3 1 5\n");
    write_text("dent.obj", obj);
    write_text("dented.yaml", MESH_ROVER);
    GrErrorLog log = {0};
    GrRoverDef rover;
    const GrStatus status = gr_rover_load("dented.yaml", NULL, &rover, &log);
    if (status != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_int_equal(status, GR_OK);
    GrReplayMeshes meshes;
    assert_true(gr_replay_meshes_find(&rover, &meshes));
    assert_int_equal(meshes.count, 2);
    assert_int_equal(gr_replay_mesh_number(&meshes, rover.bodies[0].shapes[0].drawn), 0);
    assert_int_equal(gr_replay_mesh_number(&meshes, rover.bodies[2].shapes[0].drawn), 1);
    assert_int_equal(gr_replay_mesh_number(&meshes, NULL), -1);
    for (int k = 0; k < 2; k++) {
        static const int FACES[6][3] = {{1, 3, 4}, {3, 2, 4}, {2, 1, 4}, {1, 2, 5}, {2, 3, 5}, {3, 1, 5}};
        GrBuffer payload = {0};
        gr_replay_put_surface(&meshes, k, &payload);
        GrCursor c = {(const unsigned char *)payload.data, (const unsigned char *)payload.data + payload.size};
        assert_int_equal(gr_cursor_bytes(&c, 4), k);
        assert_int_equal(gr_cursor_bytes(&c, 4), 5);
        assert_int_equal(gr_cursor_bytes(&c, 4), 6);
        double frame[6], vertices[5][3];
        for (int i = 0; i < 6; i++) {
            frame[i] = gr_cursor_number(&c);
        }
        for (int i = 0; i < 15; i++) {
            vertices[i / 3][i % 3] = frame[i % 3] + frame[3 + i % 3] * (double)gr_cursor_bytes(&c, 2) / 65535;
        }
        int64_t corner = 0;
        for (int i = 0; i < 18; i++) {
            corner += gr_cursor_signed(&c);
            assert_in_range(corner, 0, 4);
            const double *expected = DENT[FACES[i / 3][i % 3] - 1];
            for (int axis = 0; axis < 3; axis++) { // the half step of the rounding
                assert_near(vertices[corner][axis], (1 + k) * expected[axis], 0.501 * frame[3 + axis] / 65535);
            }
        }
        assert_ptr_equal(c.at, c.end);
        gr_buffer_free(&payload);
    }
    gr_replay_meshes_free(&meshes);
    gr_rover_free(&rover);
}

static void soils_are_those_of_the_map(void **state)
{
    (void)state;
    Stage stage;
    static const char *const patches[] = {"soil_map.rules=[\"mars_dlr_drift: noise>0\"]", NULL};
    play(&stage, "crossing", patches, 1);
    const GrSurfaceDef *surface = &stage.world->model->options.surface;
    assert_non_null(surface->soil_at);
    GrReplayReader r;
    GrCursor c = find(&stage, &r, "SOIL");
    const double x0 = gr_cursor_number(&c), y0 = gr_cursor_number(&c), cell = gr_cursor_number(&c);
    const int nx = (int)gr_cursor_bytes(&c, 4), ny = (int)gr_cursor_bytes(&c, 4);
    int seen[256] = {0}, kinds = 0;
    for (int k = 0; k < nx * ny; k++) {
        GrSoilMix mix = {0};
        surface->soil_at(surface->soil_context, x0 + cell * (k % nx), y0 + cell * (k / nx), &mix);
        const int soil = (int)gr_cursor_bytes(&c, 1);
        assert_int_equal(soil, mix.count > 0 && mix.classes[0] >= 1 ? mix.classes[0] - 1 : 0);
        kinds += seen[soil]++ == 0;
    }
    assert_ptr_equal(c.at, c.end);
    assert_true(kinds >= 2);
    gr_buffer_free(&r.payload);
    end(&stage);
}

static void long_runs_are_thinned(void **state)
{
    (void)state;
    GrReplayDef def = {.rate = 20, .duration = 3600};
    assert_int_equal(gr_replay_stride(&def), 4); // 72000 samples, 20000 at most
    def.duration = 1000;
    assert_int_equal(gr_replay_stride(&def), 1);
    def.duration = (double)NAN;
    assert_int_equal(gr_replay_stride(&def), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ground_is_that_of_the_terrain), cmocka_unit_test(ruts_add_up_to_those_of_the_run),
        cmocka_unit_test(samples_are_those_of_the_run),  cmocka_unit_test(rocks_are_those_of_the_scene),
        cmocka_unit_test(rocks_of_a_large_field),        cmocka_unit_test(meshes_are_those_of_the_files),
        cmocka_unit_test(soils_are_those_of_the_map),    cmocka_unit_test(long_runs_are_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
