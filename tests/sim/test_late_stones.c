/// Rocks that are made when the rover comes near: the same bits as with all rocks made at once, on any number of
/// threads.
#include "data.h"
#include "grouser/hooks.h"
#include "grouser/surface.h"
#include "random.h"
#include "stones.h"
#include "support/shipped_rover.h"
#include "test.h"
#include "world.h"

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { ROWS = 30, COLUMNS = 7, STONES = ROWS * COLUMNS, STEPS = GR_TEST_LONG(600, 200), THREADS = 4 };

/// A field of rocks from below the rover to far ahead of it.
static void add_stones(GrSceneDef *scene)
{
    for (int i = 0; i < STONES; i++) {
        GrStoneDef stone = gr_default_stone_def();
        stone.shape = i % 3 == 0 ? GR_STONE_HULL : i % 3 == 1 ? GR_STONE_NOISE : GR_STONE_DEVIATION;
        stone.place = gr_vec3(-1.5 + 0.75 * (i / COLUMNS), 0.7 * (i % COLUMNS - COLUMNS / 2), 0);
        stone.diameter = 0.25;
        stone.height = 0.2;
        stone.exposed = 0.05;
        stone.seed = (uint64_t)i;
        assert_int_equal(gr_scene_add_stone(scene, &stone), i);
    }
}

static GrModel *make_field(bool late, bool stones)
{
    GrRoverDef rover;
    load_rover("curiosity_like", &rover);
    make_motors_ideal(&rover);
    GrSceneDef scene = gr_default_scene_def();
    scene.rigid_ground = true;
    scene.late_stones = late;
    if (stones) {
        add_stones(&scene);
    }
    GrOptions options = gr_default_options();
    options.surface.scene = &scene;
    options.step = 0.005;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
    return m;
}

/// Settles and drives; hash of the state at the end.
static uint64_t drive(const GrModel *m)
{
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    GrErrorLog quiet = {.quiet = true};
    gr_data_set_base_pose(d, (GrPose){{0, 0, 1.2}, {1, 0, 0, 0}});
    gr_settle(m, d, NULL, &quiet);
    for (int i = 0; i < m->joint_count; i++) {
        if (m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(m, d, i, 2);
        }
    }
    for (int i = 0; i < STEPS; i++) {
        gr_step(m, d);
    }
    const uint64_t hash = gr_data_hash(m, d);
    gr_data_free(d);
    return hash;
}

static void *drive_thread(void *context)
{
    const GrModel *m = context;
    uint64_t *hash = malloc(sizeof *hash);
    *hash = drive(m);
    return hash;
}

static void test_same_bits(void **state)
{
    (void)state;
    GrModel *eager = make_field(false, true), *late = make_field(true, true), *ahead = make_field(true, true),
            *bare = make_field(false, false);
    assert_int_equal(eager->rigid.mesh_count, STONES);
    assert_int_equal(late->rigid.mesh_count, 0);
    assert_int_equal(gr_rigid_made_count(late->rigid.world), 0);
    const uint64_t expected = drive(eager);
    assert_true(drive(bare) != expected); // the rocks matter
    assert_true(drive(late) == expected);
    const int few = gr_rigid_made_count(late->rigid.world);
    assert_true(few > 0 && few < STONES / 2);
    assert_int_equal(gr_stones_prefetch(ahead, 2, 0, 6), GR_OK);
    const int made = gr_rigid_made_count(ahead->rigid.world);
    assert_true(made > few && made < STONES);
    assert_true(drive(ahead) == expected);
    assert_int_equal(gr_rigid_made_count(ahead->rigid.world), made); // no step had to make one
    gr_model_free(eager);
    gr_model_free(late);
    gr_model_free(ahead);
    gr_model_free(bare);
}

static void test_threads_share_a_model(void **state)
{
    (void)state;
    GrModel *alone = make_field(true, true), *shared = make_field(true, true);
    const uint64_t expected = drive(alone);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, drive_thread, shared), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *hash;
        pthread_join(threads[i], &hash);
        assert_true(*(uint64_t *)hash == expected);
        free(hash);
    }
    gr_model_free(alone);
    gr_model_free(shared);
}

/// The circle that is known before the rock contains it.
static void test_room_contains_rock(void **state)
{
    (void)state;
    for (int i = 0; i < GR_TEST_LONG(600, 60); i++) {
        GrStoneDef def = gr_default_stone_def();
        def.shape = i % 2 == 0 ? GR_STONE_HULL : GR_STONE_NOISE;
        def.place = gr_vec3(0.1 * i, -0.2 * i, 0.03 * i);
        def.yaw = 0.4 * i;
        def.seed = (uint64_t)i;
        GrStone stone;
        assert_int_equal(gr_stone_make(&def, &stone, NULL), GR_OK);
        const GrConvex convex = gr_convex_of_mesh(stone.mesh);
        const GrPose pose = stone.body.pose;
        const GrPlacedConvex placed = {&convex, gr_quat_to_mat3(pose.rotation), pose.position};
        const GrBounds tight = gr_placed_bounds(&placed);
        const GrRoom room = gr_stone_room(&def);
        assert_true(tight.lower.x > room.x - room.reach && tight.upper.x < room.x + room.reach);
        assert_true(tight.lower.y > room.y - room.reach && tight.upper.y < room.y + room.reach);
        gr_convex_mesh_free(stone.mesh);
    }
}

/// Ground with waves, and a hole in it.
static bool waves(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)context;
    const double slope = 0.03 * cos(0.3 * x);
    *z = 0.1 * sin(0.3 * x);
    *normal = gr_normalize(gr_vec3(-slope, 0, 1));
    return !(x > 1.8 && x < 2.2 && y > 0);
}

static void make_rocks(GrRock *rocks, int count, double side)
{
    GrRandom random = gr_random_stream(4, "late rocks");
    for (int i = 0; i < count; i++) {
        const double diameter = gr_random_uniform(&random, 0.1, 0.3);
        rocks[i] = (GrRock){.x = gr_random_uniform(&random, -2, side - 2),
                            .y = gr_random_uniform(&random, -side / 2, side / 2),
                            .diameter = diameter,
                            .height = 0.3 * diameter,
                            .yaw = 6 * gr_random_unit(&random)};
    }
}

/// A model with a field of rocks as stones from the start, or made when the rover comes near.
static GrModel *model_on_field(const GrRockField *field, bool stones)
{
    GrRoverDef rover;
    load_rover("curiosity_like", &rover);
    make_motors_ideal(&rover);
    const GrRockFieldUse use = {.shape = GR_STONE_HULL, .seed = 11};
    GrSceneDef scene = gr_default_scene_def();
    GrOptions options = gr_default_options();
    scene.rigid_ground = true;
    options.surface.height = waves;
    options.surface.scene = &scene;
    options.step = 0.005;
    if (stones) {
        assert_true(gr_scene_add_rock_field(&scene, &options.surface, field, &use) < field->count); // the hole
    } else {
        scene.field = field;
        scene.field_use = use;
    }
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
    return m;
}

static void test_field_same_bits(void **state)
{
    (void)state;
    static GrRock rocks[600];
    const GrRockField field = {.rocks = rocks, .count = 600};
    make_rocks(rocks, field.count, 24);
    GrModel *stones = model_on_field(&field, true), *late = model_on_field(&field, false);
    assert_int_equal(gr_rigid_late_count(late->rigid.world), field.count);
    assert_true(drive(stones) == drive(late));
    const int made = gr_rigid_made_count(late->rigid.world);
    assert_true(made > 0 && made < field.count / 2);
    gr_model_free(stones);
    gr_model_free(late);
}

/// Bytes in use and the most so far, counted by the allocator.
typedef struct Memory {
    size_t used, most;
} Memory;

static void *take(void *context, size_t size)
{
    Memory *memory = context;
    void *block = malloc(size);
    memory->used += block != NULL ? malloc_usable_size(block) : 0;
    memory->most = memory->used > memory->most ? memory->used : memory->most;
    return block;
}

static void *resize(void *context, void *block, size_t size)
{
    Memory *memory = context;
    memory->used -= block != NULL ? malloc_usable_size(block) : 0;
    void *resized = realloc(block, size);
    memory->used += malloc_usable_size(resized != NULL ? resized : block);
    memory->most = memory->used > memory->most ? memory->used : memory->most;
    return resized;
}

static void give_back(void *context, void *block)
{
    Memory *memory = context;
    memory->used -= block != NULL ? malloc_usable_size(block) : 0;
    free(block);
}

/// A model with many rocks makes no hull before it is needed, and takes little memory for each rock.
static void test_large_field(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    GrRock *rocks = malloc(COUNT * sizeof *rocks);
    assert_non_null(rocks);
    const GrRockField field = {.rocks = rocks, .count = COUNT};
    make_rocks(rocks, COUNT, 400);
    Memory memory = {0};
    const GrHooks hooks = {.allocate = take, .reallocate = resize, .release = give_back, .context = &memory},
                  none = {0};
    gr_set_hooks(&hooks);
    GrModel *m = model_on_field(&field, false);
    assert_int_equal(gr_rigid_made_count(m->rigid.world), 0);
    assert_true(memory.most < 64 * (size_t)COUNT + ((size_t)8 << 20)); // a hull alone takes 2 kB
    assert_int_equal(gr_stones_prefetch(m, 0, 0, 3), GR_OK);
    assert_in_range(gr_rigid_made_count(m->rigid.world), 10, 200); // 1.25 per square metre
    gr_model_free(m);
    assert_int_equal(memory.used, 0);
    gr_set_hooks(&none);
    free(rocks);
}

/// A field is of fixed rocks, none of them wrong.
static void test_bad_field(void **state)
{
    (void)state;
    GrRoverDef rover;
    load_rover("curiosity_like", &rover);
    GrRock rocks[2] = {{.x = 5, .diameter = 0.2, .height = 0.1}, {.x = 6, .diameter = 0.2, .height = 0.1}};
    const GrRockField field = {.rocks = rocks, .count = 2};
    GrSceneDef scene = gr_default_scene_def();
    GrOptions options = gr_default_options();
    scene.rigid_ground = true;
    scene.field = &field;
    options.surface.scene = &scene;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    gr_model_free(m);
    for (int k = 0; k < 4; k++) {
        GrErrorLog log = {.quiet = true};
        scene.field_use = (GrRockFieldUse){.loose_below = k == 0 ? 0.3 : 0, .material = k == 1 ? 7 : 0};
        rocks[1].diameter = k == 2 ? -1 : 0.2;
        rocks[1].x = k == 3 ? (double)NAN : 6;
        assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
        assert_true(log.error_count > 0);
    }
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
}

/// Loose rocks move by themselves and may meet any other.
static void test_not_among_loose_ones(void **state)
{
    (void)state;
    GrRoverDef rover;
    load_rover("curiosity_like", &rover);
    GrSceneDef scene = gr_default_scene_def();
    scene.rigid_ground = scene.late_stones = true;
    add_stones(&scene);
    scene.stones[STONES / 2].loose = true;
    GrOptions options = gr_default_options();
    options.surface.scene = &scene;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    assert_int_equal(m->rigid.mesh_count, STONES);
    scene.stones[STONES / 2].loose = false;
    scene.stones[3].diameter = -1; // found although it is not made
    GrErrorLog log = {0};
    assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
    assert_true(log.error_count > 0);
    gr_model_free(m);
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_threads_share_a_model),
        cmocka_unit_test(test_room_contains_rock),
        cmocka_unit_test(test_field_same_bits),
        cmocka_unit_test(test_large_field),
        cmocka_unit_test(test_bad_field),
        cmocka_unit_test(test_not_among_loose_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
