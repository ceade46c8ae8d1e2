/// Rocks that are made when the rover comes near: the same bits as with all rocks made at once, on any number of
/// threads.
#include "data.h"
#include "grouser/surface.h"
#include "stones.h"
#include "support/shipped_rover.h"
#include "test.h"
#include "world.h"

#include <pthread.h>
#include <stdlib.h>

enum { ROWS = 30, COLUMNS = 7, STONES = ROWS * COLUMNS, STEPS = GR_TEST_LONG(600, 200), THREADS = 4 };

/// A field of rocks from below the rover to far ahead of it.
static void add_stones(GrSceneDef *scene)
{
    for (int i = 0; i < STONES; i++) {
        GrStoneDef stone = gr_default_stone_def();
        stone.shape = i % 3 == 0 ? GR_STONE_HULL : i % 3 == 1 ? GR_STONE_NOISE : GR_STONE_ELLIPSOID;
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
    GrModel *m = gr_model_create(&rover, &options, NULL);
    assert_non_null(m);
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
    return m;
}

/// Settles and drives; hash of the state at the end.
static uint64_t drive(const GrModel *m)
{
    GrData *d = gr_data_create(m);
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
    const uint64_t expected = drive(eager);
    assert_true(drive(bare) != expected); // the rocks matter
    assert_true(drive(late) == expected);
    assert_true(late->rigid.mesh_count > 0 && late->rigid.mesh_count < STONES / 2);
    assert_int_equal(gr_stones_prefetch(ahead, 2, 0, 6), GR_OK);
    const int made = ahead->rigid.mesh_count;
    assert_true(made > late->rigid.mesh_count && made < STONES);
    assert_true(drive(ahead) == expected);
    assert_int_equal(ahead->rigid.mesh_count, made); // no step had to make one
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

/// The box that is known before the rock contains it.
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
        const GrBounds tight = gr_placed_bounds(&placed), room = gr_stone_bounds(&def);
        assert_true(tight.lower.x > room.lower.x && tight.upper.x < room.upper.x);
        assert_true(tight.lower.y > room.lower.y && tight.upper.y < room.upper.y);
        assert_true(tight.lower.z > room.lower.z && tight.upper.z < room.upper.z);
        gr_convex_mesh_free(stone.mesh);
    }
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
    GrModel *m = gr_model_create(&rover, &options, NULL);
    assert_non_null(m);
    assert_int_equal(m->rigid.mesh_count, STONES);
    scene.stones[STONES / 2].loose = false;
    scene.stones[3].diameter = -1; // found although it is not made
    GrErrorLog log = {0};
    assert_null(gr_model_create(&rover, &options, &log));
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
        cmocka_unit_test(test_not_among_loose_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
