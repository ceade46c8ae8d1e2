/// The world as a whole: broadphase, groups, capacities, purity of evaluation, determinism, sleep, contact states.
#include "bounds_tree.h"
#include "contact_mode.h"
#include "random.h"
#include "support/rigid_bench.h"

#include <stdlib.h>

static const GrVec3 UP = {0, 0, 1};
static const GrTwist REST = {{0, 0, 0}, {0, 0, 0}};

static void test_tree_finds_what_brute_force_finds(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    GrRandom r = gr_random_stream(7, "tree");
    GrBounds boxes[COUNT];
    GrBoundsNode nodes[2 * COUNT];
    int items[COUNT], found[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const GrVec3 p = {gr_random_uniform(&r, 0, 10), gr_random_uniform(&r, 0, 10), i % 7 ? gr_random_unit(&r) : 0};
        const double size = gr_random_uniform(&r, 0, 0.5);
        boxes[i] = (GrBounds){p, gr_add(p, gr_vec3(size, size, size))};
        items[i] = i;
    }
    gr_bounds_tree_build(nodes, items, COUNT, boxes);
    for (int k = 0; k < 200; k++) {
        const GrVec3 p = {gr_random_uniform(&r, 0, 10), gr_random_uniform(&r, 0, 10), gr_random_unit(&r)};
        const GrBounds box = {p, gr_add(p, gr_vec3(1, 0.5, 0.3))};
        const int count = gr_bounds_tree_query(nodes, gr_bounds_tree_size(COUNT), &box, found, COUNT);
        int expected = 0;
        for (int i = 0; i < COUNT; i++) {
            expected += gr_bounds_overlap(&boxes[i], &box);
        }
        assert_int_equal(count, expected);
        const double most = k % 2 ? 1 : 0.05;
        double least = most;
        for (int i = 0; i < COUNT; i++) {
            const GrVec3 below = gr_sub(boxes[i].lower, box.upper), above = gr_sub(box.lower, boxes[i].upper);
            const double x = fmax(below.x, above.x), y = fmax(below.y, above.y), z = fmax(below.z, above.z);
            const double gap = fmax(0, fmax(x, fmax(y, z)));
            least = gap < least ? gap : least;
        }
        assert_true(gr_bounds_tree_gap(nodes, gr_bounds_tree_size(COUNT), &box, most) == least);
        for (int i = 0; i < count; i++) {
            assert_true(gr_bounds_overlap(&boxes[found[i]], &box));
        }
    }
    assert_int_equal(gr_bounds_tree_query(nodes, 0, &boxes[0], found, COUNT), 0);
}

/// Waves with slopes of up to 2.4.
static bool waves(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    (void)context;
    *height = 0.12 * sin(14 * x) * cos(14 * y);
    *normal = gr_normalize(gr_vec3(-1.68 * cos(14 * x) * cos(14 * y), 1.68 * sin(14 * x) * sin(14 * y), 1));
    return true;
}

/// A body with a rod and a box moves over waves and among fixed boxes: whenever the broadphase skips the search, a
/// search finds nothing; and most searches are skipped.
static void test_skipped_pairs_do_not_touch(void **state)
{
    (void)state;
    enum { STEPS = 20000, BOXES = 60 };
    GrRandom r = gr_random_stream(9, "wander");
    GrRigidDef def = gr_default_rigid_def();
    def.ground = (GrRigidGround){waves, NULL};
    const GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
    gr_rigid_add_body(&def, &body);
    gr_rigid_add_shape(&def, 0, gr_convex_cylinder(0.03, 0.5), gr_pose_identity(), 0);
    gr_rigid_add_shape(&def, 0, gr_convex_cuboid(gr_vec3(0.2, 0.1, 0.1)), (GrPose){{0.1, 0, 0.1}, {1, 0, 0, 0}}, 0);
    for (int i = 0; i < BOXES; i++) {
        GrRigidBodyDef fixed = gr_default_rigid_body_def(GR_RIGID_FIXED);
        fixed.pose.position = gr_vec3(gr_random_uniform(&r, -3, 3), gr_random_uniform(&r, -3, 3), 0.2);
        gr_rigid_add_body(&def, &fixed);
        gr_rigid_add_shape(&def, i + 1, gr_convex_cuboid(gr_vec3(0.3, 0.2, 0.4)), gr_pose_identity(), 0);
    }
    GrRigidBench b = gr_rigid_bench(&def, 1e-3);
    GrRigidState *all = gr_rigid_state_create(b.w);
    int away = 0, touched = 0;
    for (int i = 0; i < STEPS; i++) {
        const double t = 1e-3 * i;
        const GrPose pose = {
            {2.5 * sin(0.31 * t), 2.5 * sin(0.43 * t + 1), 0.55 + 0.35 * sin(1.7 * t)},
            gr_quat_normalize((GrQuat){1, 0.5 * sin(0.9 * t), 0.3 * sin(1.1 * t), sin(0.5 * t)}),
        };
        const GrMat3 rotation = gr_quat_to_mat3(pose.rotation);
        const bool near = gr_rigid_may_touch(b.w, b.s, 0, &rotation, pose.position);
        GrRigidLoad load;
        assert_int_equal(gr_rigid_evaluate(b.w, all, &pose, &REST, 1e-3, &load), GR_OK);
        assert_true(near || gr_rigid_contact_count(all) == 0);
        touched += gr_rigid_contact_count(all) > 0;
        away += !near;
        assert_int_equal(gr_rigid_evaluate_near(b.w, b.s, &near, &pose, &REST, 1e-3, &load), GR_OK);
        assert_int_equal(gr_rigid_contact_count(b.s), gr_rigid_contact_count(all));
        assert_int_equal(gr_rigid_commit(b.w, b.s, &REST, 1e-3), GR_OK);
    }
    print_message("of %d steps, %d were in contact and %d did not look\n", STEPS, touched, away);
    assert_true(touched > STEPS / 50);
    assert_true(away > STEPS / 2);
    gr_rigid_state_free(all);
    gr_rigid_bench_free(&b);
}

/// Spheres over a plane, with fixed ones among them.
static GrRigidDef heap(int count)
{
    GrRigidDef def = gr_default_rigid_def();
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    GrRandom r = gr_random_stream(8, "heap");
    for (int i = 0; i < count; i++) {
        const double radius = gr_random_uniform(&r, 0.08, 0.12);
        const GrPose pose = {{0.15 * (i % 3), 0.15 * (i / 3 % 3), 0.15 + 0.25 * (i / 9)}, {1, 0, 0, 0}};
        const GrVec3 size = {radius, 2 * radius, 1.5 * radius};
        if (i % 2) {
            gr_add_loose(&def, gr_convex_cuboid(size), 2, gr_inertia_box(2, size), pose, REST, 0);
        } else {
            gr_add_loose(&def, gr_convex_sphere(radius), 3, gr_inertia_sphere(3, radius), pose, REST, 0);
        }
    }
    return def;
}

/// Evaluating again, or at another step length in between, changes nothing; a copy continues with the same bits.
static void test_pure_and_deterministic(void **state)
{
    (void)state;
    GrRigidDef first_def = heap(18), second_def = heap(18);
    GrRigidBench a = gr_rigid_bench(&first_def, 2e-3), b = gr_rigid_bench(&second_def, 2e-3);
    GrRigidState *copy = NULL;
    for (int i = 0; i < 1000; i++) {
        gr_rigid_bench_step(&a);
        assert_int_equal(gr_rigid_evaluate(b.w, b.s, NULL, NULL, 0, NULL), GR_OK);
        assert_int_equal(gr_rigid_evaluate(b.w, b.s, NULL, NULL, 1e-2, NULL), GR_OK);
        gr_rigid_bench_step(&b);
        if (i == 500) {
            copy = gr_rigid_state_create(b.w);
            assert_non_null(copy);
            gr_rigid_state_copy(b.w, copy, b.s);
        }
    }
    assert_true(gr_rigid_state_hash(a.w, a.s) == gr_rigid_state_hash(b.w, b.s));
    GrRigidBench c = {b.w, copy, 2e-3};
    gr_rigid_bench_run(&c, 499 * 2e-3);
    assert_true(gr_rigid_state_hash(b.w, copy) == gr_rigid_state_hash(b.w, b.s));
    gr_rigid_state_free(copy);
    gr_rigid_bench_free(&a);
    gr_rigid_bench_free(&b);
}

static void test_capacities_are_reported(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        GrRigidDef def = heap(18);
        *(which == 0 ? &def.contact_capacity : which == 1 ? &def.pair_capacity : &def.island_capacity) = 2;
        GrRigidBench b = gr_rigid_bench(&def, 2e-3);
        GrStatus status = GR_OK;
        for (int i = 0; i < 1000 && status == GR_OK; i++) {
            status = gr_rigid_evaluate(b.w, b.s, NULL, NULL, b.dt, NULL);
            status = status == GR_OK ? gr_rigid_commit(b.w, b.s, NULL, b.dt) : status;
        }
        assert_int_equal(status, GR_ERROR_MEMORY);
        gr_rigid_bench_free(&b);
    }
}

static void test_faults_are_reported(void **state)
{
    (void)state;
    GrRigidDef def = gr_default_rigid_def();
    const GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_LOOSE); // without mass
    gr_rigid_add_body(&def, &body);
    gr_rigid_add_shape(&def, 0, gr_convex_sphere(-1), gr_pose_identity(), 0);
    gr_rigid_add_shape(&def, 5, gr_convex_sphere(1), gr_pose_identity(), 0);
    def.friction_law = GR_FRICTION_LAW_COUNT;
    def.materials[0].restitution = 0;
    GrErrorLog log = {0};
    assert_null(gr_rigid_world_create(&def, &log));
    assert_int_equal(log.error_count, 5);
    gr_rigid_def_free(&def);
}

/// A ball falls through a body of a group that it does not meet, and lands on the ground.
static void test_groups(void **state)
{
    (void)state;
    for (int meets = 0; meets < 2; meets++) {
        GrRigidDef def = gr_default_rigid_def();
        def.ground = (GrRigidGround){gr_plane_ground, &UP};
        GrRigidBodyDef shelf = gr_default_rigid_body_def(GR_RIGID_FIXED);
        shelf.pose.position.z = 0.5;
        shelf.collides_with = meets ? 0 : ~(unsigned)GR_GROUP_LOOSE;
        gr_rigid_add_body(&def, &shelf);
        gr_rigid_add_shape(&def, 0, gr_convex_cuboid(gr_vec3(1, 1, 0.1)), gr_pose_identity(), 0);
        gr_add_loose(&def, gr_convex_sphere(0.1), 1, gr_inertia_sphere(1, 0.1), (GrPose){{0, 0, 0.8}, {1, 0, 0, 0}},
                     REST, 0);
        GrRigidBench b = gr_rigid_bench(&def, 1e-3);
        gr_rigid_bench_run(&b, 5);
        assert_near(gr_rigid_loose_pose(b.w, b.s, 0).position.z, meets ? 0.65 : 0.1, 1e-3);
        gr_rigid_bench_free(&b);
    }
}

/// The same with groups of shapes: the ball falls through the shelf, or through the ground, or rests on both in turn.
static void test_groups_of_shapes(void **state)
{
    (void)state;
    enum { NOTHING, SHELF, GROUND, CASES };
    for (int parted = 0; parted < CASES; parted++) {
        GrRigidDef def = gr_default_rigid_def();
        def.ground = (GrRigidGround){gr_plane_ground, &UP};
        def.ground_group = 31;
        GrRigidBodyDef shelf = gr_default_rigid_body_def(GR_RIGID_FIXED);
        shelf.pose.position.z = 0.5;
        gr_rigid_add_body(&def, &shelf);
        gr_rigid_add_shape(&def, 0, gr_convex_cuboid(gr_vec3(1, 1, 0.1)), gr_pose_identity(), 0);
        gr_add_loose(&def, gr_convex_sphere(0.1), 1, gr_inertia_sphere(1, 0.1), (GrPose){{0, 0, 0.8}, {1, 0, 0, 0}},
                     REST, 0);
        def.shapes[0].group = 3;
        def.shapes[1].group = 7;
        if (parted != NOTHING) {
            gr_rigid_part_groups(&def, 7, 3);
        }
        if (parted == GROUND) {
            gr_rigid_part_groups(&def, 31, 7);
        }
        GrRigidBench b = gr_rigid_bench(&def, 1e-3);
        gr_rigid_bench_run(&b, 5);
        const double z = gr_rigid_loose_pose(b.w, b.s, 0).position.z;
        if (parted == GROUND) { // 5 s of free fall, by steps whose speed is that of their end
            assert_near(z, 0.8 - 0.5 * 9.80665 * 5 * (5 + 1e-3), 1e-6);
        } else {
            assert_near(z, parted == NOTHING ? 0.65 : 0.1, 1e-3);
        }
        gr_rigid_bench_free(&b);
    }
}

/// A sleeping pair wakes together when a ball hits one of them, and falls asleep again.
static void test_sleep_and_wake(void **state)
{
    (void)state;
    GrRigidDef def = gr_default_rigid_def();
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    const GrVec3 size = {0.3, 0.3, 0.1};
    for (int i = 0; i < 2; i++) {
        gr_add_loose(&def, gr_convex_cuboid(size), 3, gr_inertia_box(3, size),
                     (GrPose){{0, 0, 0.05 + 0.1 * i}, {1, 0, 0, 0}}, REST, 0);
    }
    gr_add_loose(&def, gr_convex_sphere(0.1), 2, gr_inertia_sphere(2, 0.1), (GrPose){{-2, 0, 0.1}, {1, 0, 0, 0}}, REST,
                 0);
    GrRigidBench b = gr_rigid_bench(&def, 2e-3);
    gr_rigid_bench_run(&b, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(gr_rigid_loose_asleep(b.s, i));
    }
    assert_int_equal(gr_rigid_contact_count(b.s), 0);
    gr_rigid_set_loose(b.w, b.s, 2, gr_rigid_loose_pose(b.w, b.s, 2), (GrTwist){{0, 20, 0}, {2, 0, 0}});
    bool both = false;
    for (int i = 0; i < 1500; i++) {
        gr_rigid_bench_step(&b);
        both = both || (!gr_rigid_loose_asleep(b.s, 0) && !gr_rigid_loose_asleep(b.s, 1));
    }
    assert_true(both);
    assert_true(gr_rigid_loose_pose(b.w, b.s, 1).position.x > 1e-3);
    gr_rigid_bench_run(&b, 10);
    assert_true(gr_rigid_loose_asleep(b.s, 0) && gr_rigid_loose_asleep(b.s, 1));
    gr_rigid_bench_free(&b);
}

/// none -> contact -> rolling or sliding, without chatter; rock is distinguished from ground.
static void test_contact_states(void **state)
{
    (void)state;
    GrRigidDef def = gr_default_rigid_def();
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    const GrRigidBodyDef wheel = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
    GrRigidBodyDef stone = gr_default_rigid_body_def(GR_RIGID_FIXED);
    stone.pose.position = gr_vec3(1, 0, 0);
    stone.stone = true;
    gr_rigid_add_body(&def, &wheel);
    gr_rigid_add_body(&def, &stone);
    gr_rigid_add_shape(&def, 0, gr_convex_cylinder(0.25, 0.2), gr_pose_identity(), 0);
    gr_rigid_add_shape(&def, 1, gr_convex_sphere(0.05), gr_pose_identity(), 0);
    GrRigidBench b = gr_rigid_bench(&def, 1e-3);
    GrModeLog log;
    gr_mode_log_start(&log);
    int seen[GR_CONTACT_MODE_COUNT] = {0};
    for (int i = 0; i < 3000; i++) { // comes down, rolls about the middle of the overlap, then slides over the rock
        const double x = 0.5 * i * b.dt;
        const GrTwist twist = {{0, i < 1500 ? 0.5 / 0.24975 : 0, 0}, {0.5, 0, 0}};
        const GrPose pose = {{x, 0, i < 100 ? 0.26 : 0.2495}, {1, 0, 0, 0}};
        GrRigidLoad load;
        assert_int_equal(gr_rigid_evaluate(b.w, b.s, &pose, &twist, b.dt, &load), GR_OK);
        const GrContactMode modes[2] = {gr_rigid_mode(b.w, b.s, 0, GR_ON_RIGID),
                                        gr_rigid_mode(b.w, b.s, 0, GR_ON_STONE)};
        gr_mode_log_add(&log, modes, 2, b.dt);
        seen[modes[0]]++;
        seen[modes[1]]++;
        assert_int_equal(gr_rigid_commit(b.w, b.s, &twist, b.dt), GR_OK);
    }
    assert_int_equal(seen[GR_RIGID_NO_CONTACT], 100);
    assert_int_equal(seen[GR_RIGID_CONTACT], 1);
    assert_true(seen[GR_RIGID_ROLLING] > 1300 && seen[GR_RIGID_SLIDING] > 1300);
    assert_int_equal(seen[GR_STONE_COLLISION], 1);
    assert_true(seen[GR_STONE_ROLLING] + seen[GR_STONE_SLIDING] > 100);
    print_message("%ld changes of state in %.1f s\n", log.changes, log.time);
    assert_true(gr_mode_log_chatter(&log) < 5);
    assert_string_equal(gr_contact_mode_text(GR_STONE_SLIDING), "rock: sliding");
    assert_int_equal(GR_CONTACT_MODE_COUNT, 13);
    gr_rigid_bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_finds_what_brute_force_finds),
        cmocka_unit_test(test_skipped_pairs_do_not_touch),
        cmocka_unit_test(test_pure_and_deterministic),
        cmocka_unit_test(test_capacities_are_reported),
        cmocka_unit_test(test_faults_are_reported),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_groups_of_shapes),
        cmocka_unit_test(test_sleep_and_wake),
        cmocka_unit_test(test_contact_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
