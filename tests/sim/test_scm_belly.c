/// Bodies on deformable ground: a block sinks like a plate and holds on a slope, a belly carries the rover, a rover
/// that has tipped lies on its side.
#include "grouser/mission.h"
#include "support/body_rig.h"

#include <stdlib.h>

static const double DEGREE = 0.017453292519943295;

static GrSoilDef sand(void)
{
    GrSoilDef soil = gr_default_soil_def(); // Ishigami et al. 2007
    soil.law = GR_SOIL_SCM;
    soil.damping = 4000;
    return soil;
}

static void finish(Rig *r, GrOptions options)
{
    const GrSoilDef soil = sand();
    finish_rig(r, options, &soil);
}

static Rig make_block(double mass, double slope)
{
    const GrSoilDef soil = sand();
    return make_block_on(&soil, mass, slope);
}

/// It comes to rest where A (k_c/b + k_phi) z^n is its weight, b = 2 A/L, and stays there.
static void test_block_rests(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    const double area = BLOCK.x * BLOCK.y, width = area / (BLOCK.x + BLOCK.y), mass = 60;
    const double plate = pow(mass * GRAVITY / (area * (soil.k_c / width + soil.k_phi)), 1 / soil.n0);
    Rig r = make_block(mass, 0);
    GrEquilibrium rest;
    assert_int_equal(gr_settle(r.m, r.d, &rest, NULL), GR_OK);
    double sunk = 0.5 * BLOCK.z - gr_data_base_pose(r.d).position.z;
    print_message("block settles by %.3f mm, plate %.3f mm\n", 1e3 * sunk, 1e3 * plate);
    assert_near_rel(sunk, plate, 5e-3);
    run(&r, 5);
    sunk = 0.5 * BLOCK.z - gr_data_base_pose(r.d).position.z;
    assert_near_rel(sunk, plate, 5e-3);
    const GrBodyView view = gr_data_body_contact(r.m, r.d, 0);
    assert_int_equal(view.contacts, 1);
    assert_near_rel(view.force.z, mass * GRAVITY, 1e-6);
    assert_near(view.point.x, gr_data_base_pose(r.d).position.x, 1e-3);
    destroy(&r);
}

/// Dropped from 5 cm, tilted, it sinks in and stops. Kinetic and gravity energy rise again by no more than what soil
/// springs back: its elastic part is ρ of the sinkage, and shear below its largest value is a spring.
static void test_block_falls(void **state)
{
    (void)state;
    const double mass = 60, fallen = mass * GRAVITY * 0.05;
    Rig r = make_block(mass, 0);
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, 0.5 * BLOCK.z + 0.08}, gr_quat_normalize((GrQuat){1, 0.1, 0.05, 0})});
    double lowest = 1e9, most = 0, rings = 0;
    for (int i = 0; i < 1200; i++) {
        run(&r, 0.005);
        const GrBalance b = gr_balance(r.m, r.d);
        rings = i < 800 ? 0 : fmax(rings, b.kinetic);
        most = fmax(most, b.kinetic + b.gravity - lowest);
        lowest = fmin(lowest, b.kinetic + b.gravity);
    }
    print_message("block fell: rings with %.1e of the energy of the fall, which rose again by %.3f at most\n",
                  rings / fallen, most / fallen);
    assert_true(rings < 1e-2 * fallen);
    assert_true(most < 0.02 * fallen);
    assert_true(gr_data_base_pose(r.d).position.z < 0.5 * BLOCK.z);
    destroy(&r);
}

/// Mean place over some time.
static GrVec3 mean_place(Rig *r, double step, double time)
{
    const int count = (int)lround(time / step);
    GrVec3 mean = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        assert_int_equal(gr_step_by(r->m, r->d, step), GR_OK);
        mean = gr_madd(mean, 1.0 / count, gr_data_base_pose(r->d).position);
    }
    return mean;
}

/// On a slope of 15 degrees it does not creep, at three steps. It rings a little, by microns: shear is elastic.
static void test_block_holds(void **state)
{
    (void)state;
    Rig r = make_block(60, 15 * DEGREE);
    assert_int_equal(gr_settle(r.m, r.d, NULL, NULL), GR_OK);
    mean_place(&r, 0.001, 1);
    for (int q = GR_TEST_LONG(0, 1); q < 3; q++) {
        const double step = q == 0 ? 0.002 : q == 1 ? 0.005 : 0.02;
        const GrVec3 before = mean_place(&r, step, 8), after = mean_place(&r, step, 8);
        const double moved = gr_norm(gr_sub(after, before));
        print_message("block on 15 deg, step %g: %.1e m in 8 s\n", step, moved);
        assert_true(moved < 1e-6);
    }
    destroy(&r);
}

static Rig make_rover(const char *name, bool press, bool flow)
{
    Rig r = {.rover = gr_default_rover_def()};
    load_rover(name, &r.rover);
    GrOptions options = gr_default_options();
    options.surface.bodies_press = press;
    options.surface.soil_flow = flow;
    finish(&r, options);
    return r;
}

/// Released on its side, its back and its nose, the rover comes to rest on the ground and does not fall through.
static void test_tipped(void **state)
{
    (void)state;
    static const GrQuat poses[] = {{0.70710678, 0.70710678, 0, 0}, {0, 1, 0, 0}, {0.70710678, 0, 0.70710678, 0}};
    for (int q = GR_TEST_LONG(0, 1); q < GR_TEST_LONG(3, 2); q++) {
        Rig r = make_rover("rashid_like", true, q == 1);
        gr_data_set_base_pose(r.d, (GrPose){{0, 0, 0.6}, poses[q]});
        run(&r, 12);
        check_tipped(&r);
        destroy(&r);
    }
}

/// A belly on a ridge of soil: the mission ends by it; on a lower ridge the wheels carry the rover.
static void test_belly_out(void **state)
{
    (void)state;
    const GrSoilDef soil = sand();
    const Ridge high = {0.2, 0.1, 3}, low = {0.1, 0.1, 3};
    check_ridge(&soil, &high, GR_OUTCOME_BELLY);
    check_ridge(&soil, &low, GR_OUTCOME_FINISHED);
}

/// Bodies that touch nothing change nothing: the same bits as without them. And they are rarely checked.
static void test_free_bodies(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int q = 0; q < 2; q++) {
        Rig r = make_rover("rashid_like", q == 1, true);
        assert_int_equal(r.m->soil_shape_count > 0, q == 1);
        hash[q] = driven_hash(&r, 4);
    }
    assert_true(hash[0] == hash[1]);
}

static int touched_nodes(const Rig *r)
{
    int nodes = 0;
    for (int k = 0; k < r->m->soil_shape_count; k++) {
        nodes += r->d->scm_body_old[k].count;
    }
    return nodes;
}

/// A copy, and a run that is saved and restored, of a rover on its side continue with the same bits.
static void test_copies(void **state)
{
    (void)state;
    Rig r = make_rover("rashid_like", true, true);
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, 0.35}, gr_quat_normalize((GrQuat){1, 1, 0.2, 0.1})});
    run(&r, 0.5);
    for (int i = 0; i < 400 && touched_nodes(&r) == 0; i++) { // it rocks: until a shape is on the ground again
        run(&r, r.m->options.step);
    }
    assert_true(touched_nodes(&r) > 0);
    check_copies(&r);
    destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_rests), cmocka_unit_test(test_block_falls), cmocka_unit_test(test_block_holds),
        cmocka_unit_test(test_tipped),      cmocka_unit_test(test_belly_out),   cmocka_unit_test(test_free_bodies),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
