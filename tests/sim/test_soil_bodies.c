/// Bodies on soil that they press, by the laws scm and rft: a block sinks like a plate, falls and holds on a slope, a
/// belly carries the rover, a rover that has tipped lies on its side, and shapes that are nowhere near the ground
/// change nothing.
#include "grouser/mission.h"
#include "support/body_rig.h"
#include "support/rft_reference.h"

#include <stdlib.h>

static const double DEGREE = 0.017453292519943295;
static const double MASS = 60; // of the block [kg]

/// What differs between the laws, and what is allowed to each.
typedef struct Law {
    const char *name;
    GrSoilDef (*soil)(void);
    double (*plate)(const Rig *r); ///< sinkage of the block by the formula of a plate [m]
    double plate_part;             ///< of it, allowed
    double point;                  ///< place of the force [m]
    double rings;                  ///< part of the energy of a fall, allowed at its end
    double fall, quiet;            ///< duration of the fall, and when its end begins [s]
    double steps[3], creep;        ///< on a slope [s], [m]
    double rover_step;             ///< [s]
    double tipped;                 ///< time until a rover that has tipped rests [s]
    Ridge high, low;
} Law;

static GrSoilDef grid(void)
{
    GrSoilDef soil = gr_default_soil_def(); // Ishigami et al. 2007
    soil.law = GR_SOIL_SCM;
    soil.damping = 4000;
    return soil;
}

/// A (k_c/b + k_phi) z^n is the weight, b = 2 A/L.
static double plate_on_grid(const Rig *r)
{
    (void)r;
    const GrSoilDef soil = grid();
    const double area = BLOCK.x * BLOCK.y, width = area / (BLOCK.x + BLOCK.y);
    return pow(MASS * GRAVITY / (area * (soil.k_c / width + soil.k_phi)), 1 / soil.n0);
}

static GrSoilDef grains(void)
{
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_RFT;
    soil.density = 1600;
    soil.friction_angle = 32 * DEGREE;
    soil.cohesion = 0;
    return soil;
}

/// Half of ξ_n α_z A z is the weight, α_z that of the printed formulas.
static double plate_on_grains(const Rig *r)
{
    const Piece flat = {1e-7, 0, -1, 0, 0, -1, 0.5, 0};
    const double alpha = limited(&flat, printed(&flat)).z;
    return MASS * GRAVITY / (0.5 * r->m->rft_soils[0].xi * alpha * BLOCK.x * BLOCK.y);
}

// On the grid shear is elastic, so that bodies ring a little. In grains all stress is reduced by 5e-4
// (test_rft_body.c), its tangential part more.
static const Law LAWS[] = {
    {.name = "scm",
     .soil = grid,
     .plate = plate_on_grid,
     .plate_part = 5e-3,
     .point = 1e-3,
     .rings = 1e-2,
     .fall = 3,
     .quiet = 2,
     .steps = {0.002, 0.005, 0.02},
     .creep = 1e-6,
     .rover_step = 0.005,
     .tipped = 5,
     .high = {0.2, 0.1, 3},
     .low = {0.1, 0.1, 3}},
    {.name = "rft",
     .soil = grains,
     .plate = plate_on_grains,
     .plate_part = 2e-3,
     .point = 1e-6,
     .rings = 1e-9,
     .fall = 3,
     .quiet = 2,
     .steps = {0.002, 0.005, 0.01},
     .creep = 1e-8,
     .rover_step = 0.002,
     .tipped = 3,
     .high = {0.19, 0.08, 2},
     .low = {0.1, 0.08, 2}},
};

static Rig make_block(const Law *law, double slope)
{
    const GrSoilDef soil = law->soil();
    return make_block_on(&soil, MASS, slope);
}

static double sunk(const Rig *r)
{
    return 0.5 * BLOCK.z - gr_data_base_pose(r->d).position.z;
}

/// It comes to rest where the formula of a plate says, and stays there.
static void test_block_rests(void **state)
{
    const Law *law = *state;
    Rig r = make_block(law, 0);
    GrEquilibrium rest;
    assert_int_equal(gr_settle(r.m, r.d, &rest, NULL), GR_OK);
    const double plate = law->plate(&r), before = sunk(&r);
    print_message("%s: block settles by %.3f mm, plate %.3f mm\n", law->name, 1e3 * before, 1e3 * plate);
    assert_near_rel(before, plate, law->plate_part);
    run(&r, 2);
    assert_near_rel(sunk(&r), plate, law->plate_part);
    assert_near(sunk(&r), before, law->creep);
    const GrBodyView view = gr_data_body_contact(r.m, r.d, 0);
    assert_int_equal(view.contacts, 1);
    assert_near_rel(view.force.z, MASS * GRAVITY, 1e-6);
    assert_near(view.point.x, gr_data_base_pose(r.d).position.x, law->point);
    destroy(&r);
}

/// Dropped from 5 cm, tilted, it sinks in and stops. Kinetic and gravity energy rise again by no more than what soil
/// springs back.
static void test_block_falls(void **state)
{
    const Law *law = *state;
    const double fallen = MASS * GRAVITY * 0.05;
    Rig r = make_block(law, 0);
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, 0.5 * BLOCK.z + 0.08}, gr_quat_normalize((GrQuat){1, 0.1, 0.05, 0})});
    double lowest = 1e9, most = 0, rings = 0;
    for (double t = 0; t < law->fall; t += 0.005) {
        run(&r, 0.005);
        const GrBalance b = gr_balance(r.m, r.d);
        rings = t < law->quiet ? 0 : fmax(rings, b.kinetic);
        most = fmax(most, b.kinetic + b.gravity - lowest);
        lowest = fmin(lowest, b.kinetic + b.gravity);
    }
    print_message("%s: block fell: rings with %.1e of the energy of the fall, which rose again by %.3f at most\n",
                  law->name, rings / fallen, most / fallen);
    assert_true(rings < law->rings * fallen);
    assert_true(most < 0.02 * fallen);
    assert_true(sunk(&r) > 0);
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

/// On a slope of 15 degrees it does not creep, at three steps. On the grid it rings, by microns.
static void test_block_holds(void **state)
{
    const Law *law = *state;
    Rig r = make_block(law, 15 * DEGREE);
    assert_int_equal(gr_settle(r.m, r.d, NULL, NULL), GR_OK);
    mean_place(&r, 0.001, 1);
    for (int q = GR_TEST_LONG(0, 1); q < 3; q++) {
        const double time = GR_TEST_STUDY(8, 3);
        const GrVec3 before = mean_place(&r, law->steps[q], time), after = mean_place(&r, law->steps[q], time);
        const double moved = gr_norm(gr_sub(after, before));
        print_message("%s: block on 15 deg, step %g: %.1e m in %g s\n", law->name, law->steps[q], moved, time);
        assert_true(moved < law->creep * time / 8);
    }
    destroy(&r);
}

/// Dropped with every integrator it comes to lie equally deep. Those of higher order see the soil at instants.
static void test_integrators(void **state)
{
    (void)state;
    const GrSoilDef soil = grains();
    double first = 0;
    for (int i = 0; i < GR_INTEGRATOR_COUNT; i++) {
        if (!gr_integrator_is_built((GrIntegrator)i)) {
            continue;
        }
        Rig r = make_body(&soil, box_of(BLOCK), MASS, 0, (GrIntegrator)i);
        gr_data_set_base_pose(r.d, (GrPose){{0, 0, 0.5 * BLOCK.z + 0.01}, {1, 0, 0, 0}});
        for (int k = 0; k < 1500; k++) {
            assert_int_equal(gr_step_by(r.m, r.d, 2e-4), GR_OK);
        }
        print_message("%s: %.3f mm\n", gr_integrator_name((GrIntegrator)i), 1e3 * sunk(&r));
        first = first > 0 ? first : sunk(&r);
        assert_near_rel(sunk(&r), first, 0.02);
        destroy(&r);
    }
}

/// The surfaces of all shapes are closed and enclose their volumes; a shape inside another one has none.
static void test_surfaces(void **state)
{
    (void)state;
    const GrSoilDef soil = grains();
    GrShapeDef shapes[4];
    for (int i = 0; i < 4; i++) {
        shapes[i] = box_of(gr_vec3(0.3, 0.2, 0.1));
        shapes[i].radius = 0.1;
        shapes[i].length = 0.3;
    }
    shapes[1].kind = GR_SHAPE_SPHERE;
    shapes[2].kind = GR_SHAPE_CYLINDER;
    const GrVec3 points[4] = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3}};
    assert_int_equal(gr_shape_set_mesh(&shapes[3], points, 4, NULL), GR_OK);
    const double volumes[4] = {0.006, 4 * GR_PI / 3 * 1e-3, GR_PI * 0.01 * 0.3, 0.0045};
    for (int i = 0; i < 4; i++) {
        Rig r = make_body(&soil, shapes[i], 10, 0, GR_INTEGRATOR_LINEAR);
        const GrRftBody *b = &r.m->rft_bodies[0];
        GrVec3 sum = {0, 0, 0};
        double volume = 0, area = 0;
        for (int k = 0; k < b->count; k++) {
            sum = gr_madd(sum, b->triangles[k].area, b->triangles[k].normal);
            volume += b->triangles[k].area * gr_dot(b->triangles[k].normal, b->triangles[k].middle) / 3;
            area += b->triangles[k].area;
        }
        print_message("shape %d: %d pieces, volume %.6g m3 of %.6g\n", i, b->count, volume, volumes[i]);
        assert_true(gr_norm(sum) < 1e-12 * area + 1e-15);
        assert_near_rel(volume, volumes[i], 1e-9);
        destroy(&r);
    }
    Rig r = {.rover = gr_default_rover_def()};
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "block");
    body.mass = 1;
    body.inertia = gr_inertia_box(1, BLOCK);
    const GrShapeDef outer = box_of(BLOCK), inner = box_of(gr_scale(0.5, BLOCK));
    assert_true(gr_body_add_shape(&body, &outer) >= 0 && gr_body_add_shape(&body, &inner) >= 0);
    assert_true(gr_rover_add_body(&r.rover, &body) >= 0);
    finish_rig(&r, gr_default_options(), &soil);
    assert_true(r.m->rft_bodies[0].count > 0);
    assert_int_equal(r.m->rft_bodies[1].count, 0);
    destroy(&r);
}

static Rig make_rover(const Law *law, bool press, bool flow)
{
    Rig r = {.rover = gr_default_rover_def()};
    load_rover("rashid_like", &r.rover);
    GrOptions options = gr_default_options();
    const GrSoilDef soil = law->soil();
    options.step = law->rover_step;
    options.surface.bodies_press = press;
    options.surface.soil_flow = flow;
    finish_rig(&r, options, &soil);
    return r;
}

/// Released on its side, its back and its nose, the rover comes to rest on the ground and does not fall through.
static void test_tipped(void **state)
{
    const Law *law = *state;
    static const GrQuat poses[] = {{0.70710678, 0.70710678, 0, 0}, {0, 1, 0, 0}, {0.70710678, 0, 0.70710678, 0}};
    for (int q = GR_TEST_LONG(0, 1); q < GR_TEST_LONG(3, 2); q++) {
        Rig r = make_rover(law, true, q == 1 && law->soil().law == GR_SOIL_SCM);
        gr_data_set_base_pose(r.d, (GrPose){{0, 0, 0.6}, poses[q]});
        run(&r, law->tipped);
        check_tipped(&r);
        destroy(&r);
    }
}

/// A belly on a ridge of soil: the mission ends by it; on a lower ridge the wheels carry the rover.
static void test_belly_out(void **state)
{
    const Law *law = *state;
    const GrSoilDef soil = law->soil();
    check_ridge(&soil, &law->high, GR_OUTCOME_BELLY);
    check_ridge(&soil, &law->low, GR_OUTCOME_FINISHED);
}

/// Bodies that touch nothing change nothing: the same bits as without them.
static void test_free_bodies(void **state)
{
    const Law *law = *state;
    uint64_t hash[2];
    for (int q = 0; q < 2; q++) {
        Rig r = make_rover(law, q == 1, law->soil().law == GR_SOIL_SCM);
        assert_int_equal(r.m->soil_shape_count > 0, q == 1);
        hash[q] = driven_hash(&r, 1.5);
    }
    assert_true(hash[0] == hash[1]);
}

static bool touches(const Rig *r)
{
    bool any = false;
    for (int k = 0; k < r->m->soil_shape_count; k++) {
        any = any || r->d->soil_touch[k].patches > 0;
    }
    return any;
}

/// A copy, and a run that is saved and restored, of a rover on its side continue with the same bits.
static void test_copies(void **state)
{
    const Law *law = *state;
    Rig r = make_rover(law, true, law->soil().law == GR_SOIL_SCM);
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, 0.35}, gr_quat_normalize((GrQuat){1, 1, 0.2, 0.1})});
    for (int i = 0; i < 1000 && !touches(&r); i++) {
        run(&r, r.m->options.step);
    }
    run(&r, 5 * r.m->options.step);
    assert_true(touches(&r));
    check_copies(&r);
    destroy(&r);
}

/// A block that slides over the soil is held back, and gives its energy to the soil.
static void test_drag(void **state)
{
    (void)state;
    Rig r = make_block(&LAWS[1], 0);
    assert_int_equal(gr_settle(r.m, r.d, NULL, NULL), GR_OK);
    gr_data_set_base_velocity(r.d, (GrVec3){0.5, 0, 0}, (GrVec3){0, 0, 0});
    const GrBalance before = gr_balance(r.m, r.d);
    const double spring = MASS * GRAVITY * r.m->rft_soils[0].path * r.m->rft_bodies[0].size;
    double last = before.kinetic + before.gravity, most = 0;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(gr_step_by(r.m, r.d, 0.002), GR_OK);
        const GrBalance b = gr_balance(r.m, r.d);
        most = fmax(most, b.kinetic + b.gravity - last);
        last = fmin(last, b.kinetic + b.gravity);
    }
    run(&r, 2);
    GrVec3 v, w;
    gr_data_base_velocity(r.d, &v, &w);
    const double way = gr_data_base_pose(r.d).position.x;
    print_message("block at 0.5 m/s slides %.1f mm, energy rose by %.3g J, spring %.3g J\n", 1e3 * way, most, spring);
    assert_true(most < 0.5 * spring); // that of the soil at rest, of which a part comes back
    assert_true(gr_norm(v) < 1e-6);
    assert_true(way > 0.002 && way < 0.5 * 0.5 / (2 * GRAVITY * 0.2)); // friction of 0.2 alone would hold it later
    destroy(&r);
}

#define BOTH(test)                                                                                                     \
    {#test " (scm)", test, NULL, NULL, (void *)&LAWS[0]},                                                              \
    {                                                                                                                  \
#test " (rft)", test, NULL, NULL, (void *)&LAWS[1]                                                             \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(test_block_rests),
        BOTH(test_block_falls),
        BOTH(test_block_holds),
        BOTH(test_tipped),
        BOTH(test_belly_out),
        BOTH(test_free_bodies),
        BOTH(test_copies),
        cmocka_unit_test(test_integrators),
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_drag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
