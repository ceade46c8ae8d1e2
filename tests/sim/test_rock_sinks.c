/// Loose rocks on soil, and rocks on the grid of the law scm.
#include "convex_mesh.h"
#include "data.h"
#include "ruts.h"
#include "support/shipped_rover.h"
#include "test.h"

static const double PI = 3.14159265358979323846, GRAVITY = 9.80665;

// ---- a plate on soil, in the rigid world alone

/// Soil of Bekker's curve, with the width of the plate in it.
typedef struct Soil {
    double k_c, k_phi, n;
} Soil;

static bool soil_at(const void *context, double x, double y, double width, GrSoftSoil *out)
{
    (void)x;
    (void)y;
    const Soil *soil = context;
    *out = (GrSoftSoil){soil->k_c / width + soil->k_phi, soil->n, 500, 0.6, 0.05};
    return true;
}

static bool level(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)context;
    (void)x;
    (void)y;
    *z = 0;
    *normal = gr_vec3(0, 0, 1);
    return true;
}

static GrConvexMesh *box_mesh(GrVec3 size)
{
    GrVec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] =
            gr_vec3((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z);
    }
    return gr_convex_mesh_create(corners, 8, NULL);
}

/// Depth of a slab's lower face after `time` on the soil, released at the point of contact.
static double rest_of_slab(const Soil *soil, GrVec3 size, double mass, double step, double time, bool *asleep)
{
    GrConvexMesh *mesh = box_mesh(size);
    GrRigidDef def = gr_default_rigid_def();
    GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_LOOSE);
    body.pose.position.z = 0.5 * size.z;
    body.mass = mass;
    body.inertia = gr_inertia_box(mass, size);
    const int index = gr_rigid_add_body(&def, &body);
    gr_rigid_add_shape(&def, index, gr_convex_of_mesh(mesh), gr_pose_identity(), 0);
    def.ground = (GrRigidGround){level, NULL};
    def.soft = (GrSoftGround){soil_at, soil};
    GrRigidWorld *w = gr_rigid_world_create(&def, NULL);
    GrRigidState *s = gr_rigid_state_create(w);
    for (int i = 0; i < (int)lround(time / step); i++) {
        assert_int_equal(gr_rigid_evaluate(w, s, NULL, NULL, step, NULL), GR_OK);
        assert_int_equal(gr_rigid_commit(w, s, NULL, step), GR_OK);
    }
    const double depth = 0.5 * size.z - gr_rigid_loose_pose(w, s, 0).position.z;
    *asleep = gr_rigid_loose_asleep(s, 0);
    gr_rigid_state_free(s);
    gr_rigid_world_free(w);
    gr_rigid_def_free(&def);
    gr_convex_mesh_free(mesh);
    return depth;
}

/// m g = A (k_c/b + k_φ) z^n (Bekker 1969), b = √(A/π); at short and long steps, and it stays there.
static void test_plate(void **state)
{
    (void)state;
    const double tolerance = 0.05; // the rebound: a slab that overshoots comes back by up to that
    static const Soil soils[] = {{1370, 814e3, 1}, {990, 1.528e6, 1.1}, {20e3, 200e3, 0.7}};
    static const double steps[] = {5e-4, 2e-3, 5e-3}; // a first step in free fall makes longer ones too deep
    const GrVec3 size = {0.4, 0.3, 0.1};
    const double mass = 32, area = size.x * size.y, b = sqrt(area / PI);
    for (int i = 0; i < 3; i++) {
        const double z = pow(mass * GRAVITY / (area * (soils[i].k_c / b + soils[i].k_phi)), 1 / soils[i].n);
        for (int k = 0; k < 3; k++) {
            bool asleep, later;
            const double found = rest_of_slab(&soils[i], size, mass, steps[k], 3, &asleep);
            print_message("n %.1f, step %4.1f ms: %.4f mm, plate %.4f mm\n", soils[i].n, 1e3 * steps[k], 1e3 * found,
                          1e3 * z);
            assert_near_rel(found, z, tolerance);
            assert_true(asleep);
            assert_near(rest_of_slab(&soils[i], size, mass, steps[k], 6, &later), found, 1e-12);
        }
    }
}

// ---- rocks under a rover

typedef struct Run {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
    GrErrorLog log;
} Run;

/// A four-wheeled rover on a soil, with one rock.
static Run make(const GrSoilDef *soil, const GrStoneDef *stone, double step)
{
    Run r = {.rover = gr_default_rover_def()};
    GrSceneDef scene = gr_default_scene_def();
    load_rover("rashid_like", &r.rover);
    assert_true(gr_scene_add_stone(&scene, stone) >= 0);
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -GRAVITY);
    options.step = step;
    options.surface.soil = soil;
    options.surface.scene = &scene;
    options.surface.ruts = soil->law == GR_SOIL_RHEOLOGICAL ? GR_RUTS_AUTO : GR_RUTS_SCM;
    assert_int_equal(gr_model_create(&r.rover, &options, &r.m, &r.log), GR_OK);
    gr_data_create(r.m, &r.d, NULL);
    gr_scene_def_free(&scene);
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, 0.3}, {1, 0, 0, 0}});
    assert_int_equal(gr_settle(r.m, r.d, NULL, NULL), GR_OK);
    return r;
}

static void destroy(Run *r)
{
    gr_data_free(r->d);
    gr_model_free(r->m);
    gr_rover_free(&r->rover);
}

/// Drives for `time` at a rim speed, with the model's step.
static void drive(Run *r, double speed, double time)
{
    for (int i = 0; i < r->m->joint_count; i++) {
        if (r->m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(r->m, r->d, i, speed / r->rover.wheels[0].radius);
        }
    }
    for (int i = 0; i < (int)lround(time / r->m->options.step); i++) {
        assert_int_equal(gr_step(r->m, r->d), GR_OK);
    }
}

static GrStoneDef flat_stone(double x, double y, bool loose)
{
    GrStoneDef stone = gr_default_stone_def();
    stone.shape = GR_STONE_ELLIPSOID;
    stone.place = gr_vec3(x, y, 0);
    stone.diameter = 0.2;
    stone.height = 0.08;
    stone.exposed = 0.04;
    stone.loose = loose;
    return stone;
}

/// Force of soil σ = P z^n on an ellipsoid of half axes a, a, c whose lowest point is h deep, by rings: with
/// u = √(1 − r²/a²), F = π a² ∫ 2 u P (h − c (1 − u))^n du.
static double cap_force(const GrSoilDef *soil, double a, double c, double h)
{
    enum { RINGS = 20000 };
    const double u0 = fmax(0, 1 - h / c), area = PI * a * a * (1 - u0 * u0);
    const double p = soil->k_c / sqrt(area / PI) + soil->k_phi;
    double sum = 0;
    for (int i = 0; i < RINGS; i++) {
        const double u = u0 + (1 - u0) * (i + 0.5) / RINGS;
        sum += 2 * u * p * pow(h - c * (1 - u), soil->n0) * (1 - u0) / RINGS;
    }
    return PI * a * a * sum;
}

/// A smooth rock lies as deep as the integral over its cap says, under every law that has a pressure-sinkage curve, and
/// stays there.
static void test_cap(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_BEKKER, GR_SOIL_SCM};
    const double moved = 1e-4; // settling in [m]
    const GrStoneDef stone = flat_stone(3, 0, true);
    const double a = 0.5 * stone.diameter, c = 0.5 * stone.height;
    const double flat = c * (1 - cos(0.185)); // sagitta of the mesh's faces, 0.185 rad from middle to corner
    const double weight = stone.density * 4 / 3 * PI * a * a * c * GRAVITY;
    for (int k = 0; k < 3; k++) {
        GrSoilDef soil = gr_default_soil_def();
        soil.law = laws[k];
        soil.damping = 400;
        Run r = make(&soil, &stone, 5e-3);
        double low = 0, high = c;
        for (int i = 0; i < 50; i++) {
            const double middle = 0.5 * (low + high);
            *(cap_force(&soil, a, c, middle) < weight ? &low : &high) = middle;
        }
        const double before = gr_data_loose_pose(r.m, r.d, 0).position.z;
        drive(&r, 0, 3);
        const double after = gr_data_loose_pose(r.m, r.d, 0).position.z;
        print_message("%s: %.3f mm deep, cap %.3f mm, moved by %.3g mm\n", gr_soil_law_name(laws[k]), 1e3 * (c - after),
                      1e3 * high, 1e3 * (after - before));
        assert_near(c - after, high, flat);
        assert_near(after, before, moved);
        assert_true(gr_data_loose_asleep(r.m, r.d, 0));
        destroy(&r);
    }
}

typedef struct Ride {
    double highest; ///< of the wheel over its rut [m]
    double pressed; ///< of the rock, at most [m]
    double lower;   ///< of the rock, afterwards [m]
    double ahead;   ///< of the wheel [m]
} Ride;

/// A front wheel over a loose rock.
static Ride ride(const GrSoilDef *soil, double step)
{
    const GrStoneDef away = flat_stone(5, 0, true);
    Run probe = make(soil, &away, step);
    const GrVec3 wheel = gr_add(gr_base_position(&probe.d->tree), gr_wheel_centre(probe.m, probe.d, 0));
    destroy(&probe);
    const GrStoneDef stone = flat_stone(wheel.x + 0.35, wheel.y, true);
    Run r = make(soil, &stone, step);
    const double before = gr_data_loose_pose(r.m, r.d, 0).position.z;
    Ride out = {0};
    for (int i = 0; i < 120; i++) {
        drive(&r, 0.05, 0.1);
        const GrVec3 at = gr_add(gr_base_position(&r.d->tree), gr_wheel_centre(r.m, r.d, 0));
        out.highest = fmax(out.highest, at.z - wheel.z);
        out.pressed = fmax(out.pressed, before - gr_data_loose_pose(r.m, r.d, 0).position.z);
        out.ahead = at.x - wheel.x;
    }
    out.lower = before - gr_data_loose_pose(r.m, r.d, 0).position.z;
    destroy(&r);
    return out;
}

/// A wheel that rides over a loose rock presses it deeper, and it does not come back by more than the rebound; on the
/// grid of the law scm too, and the same at half the step.
static void test_pressed(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_WONG_REECE, GR_SOIL_SCM};
    const double by_step = 0.02;
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) {
        GrSoilDef soil = gr_default_soil_def();
        soil.law = laws[k];
        soil.damping = 400;
        const Ride r = ride(&soil, 2e-3), half = ride(&soil, 1e-3);
        print_message(
            "%s: the wheel rises by %.1f mm; the rock goes down by %.2f mm, and stays %.2f mm lower; half the "
            "step %.1f, %.2f, %.2f mm\n",
            gr_soil_law_name(laws[k]), 1e3 * r.highest, 1e3 * r.pressed, 1e3 * r.lower, 1e3 * half.highest,
            1e3 * half.pressed, 1e3 * half.lower);
        assert_true(r.ahead > 0.35 + 0.1); // it is over
        assert_true(r.highest > 0.01);
        assert_true(r.pressed > 0.001);
        assert_true(r.lower > 0.5 * r.pressed);
        assert_near_rel(half.ahead, r.ahead, by_step);
        assert_near_rel(half.highest, r.highest, by_step);
        assert_near_rel(half.pressed, r.pressed, by_step);
    }
}

/// A law without a pressure-sinkage curve says that rocks do not sink.
static void test_warning(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_RHEOLOGICAL;
    const GrStoneDef stone = flat_stone(3, 0, true);
    Run r = make(&soil, &stone, 2e-3);
    assert_int_equal(r.log.warning_count, 1);
    assert_non_null(strstr(r.log.items[0].text, "do not sink"));
    assert_near(gr_data_loose_pose(r.m, r.d, 0).position.z, 0.5 * stone.height, 1e-3);
    destroy(&r);
}

/// Law scm: a wheel rides over a fixed rock that stands in the grid, as high as the rock is, and the nodes under the
/// rock stay as they were.
static void test_fixed_on_grid(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_SCM;
    soil.damping = 400;
    const GrStoneDef away = flat_stone(5, 0, false);
    Run probe = make(&soil, &away, 2e-3);
    const GrVec3 wheel = gr_add(gr_base_position(&probe.d->tree), gr_wheel_centre(probe.m, probe.d, 0));
    destroy(&probe);
    const GrStoneDef stone = flat_stone(wheel.x + 0.35, wheel.y, false);
    Run r = make(&soil, &stone, 2e-3);
    double highest = 0, sinkage = gr_data_wheel(r.m, r.d, 0).sinkage;
    bool stood = false;
    for (int i = 0; i < 160; i++) {
        drive(&r, 0.05, 0.05);
        const GrVec3 at = gr_add(gr_base_position(&r.d->tree), gr_wheel_centre(r.m, r.d, 0));
        const GrWheelView view = gr_data_wheel(r.m, r.d, 0);
        highest = fmax(highest, at.z - wheel.z);
        stood = stood || (view.rock_force.z > 0 && !(view.world_force.z > 0));
    }
    const double top = gr_ruts_slope(gr_data_ruts(r.d), stone.place.x, stone.place.y).z;
    print_message("sinkage %.1f mm; over a rock of %.0f mm the wheel rises by %.1f mm; the grid in it by %.2g mm\n",
                  1e3 * sinkage, 1e3 * stone.exposed, 1e3 * highest, 1e3 * top);
    assert_near(highest, stone.exposed + sinkage,
                0.003); // from its rut to the top; the mesh is lower than the ellipsoid
    assert_true(stood); // on stone alone
    assert_near(top, 0, 1e-12);
    destroy(&r);
}

/// A rock leaves its bed as a pit, as deep as it had sunk in less the rebound, and none outside of it; the wheel that
/// drives through it goes down, and a saved run goes on with the same bits.
static void test_pit(void **state)
{
    (void)state;
    static const GrSoilLaw laws[] = {GR_SOIL_SCM, GR_SOIL_WONG_REECE};
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) {
        GrSoilDef soil = gr_default_soil_def();
        soil.law = laws[k];
        soil.damping = 400;
        const GrStoneDef away = flat_stone(5, 0, true);
        Run probe = make(&soil, &away, 2e-3);
        const GrVec3 wheel = gr_add(gr_base_position(&probe.d->tree), gr_wheel_centre(probe.m, probe.d, 0));
        destroy(&probe);
        const GrStoneDef stone = flat_stone(wheel.x + 0.35, wheel.y, true);
        Run r = make(&soil, &stone, 2e-3);
        drive(&r, 0, 0.1);
        const GrRuts *ruts = gr_data_ruts(r.d);
        const double x = stone.place.x, y = stone.place.y;
        const GrPose bed = gr_data_loose_pose(r.m, r.d, 0);
        const double sunk = 0.5 * stone.height - bed.position.z;
        assert_true(gr_ruts_slope(ruts, x, y).z == 0); // as long as it lies there
        gr_rigid_set_loose(r.m->rigid.world, r.d->rigid, 0, bed, (GrTwist){{0, 0, 0}, {0, 2, 4}});
        drive(&r, 0, 0.1);
        const double pit = -gr_ruts_slope(ruts, x, y).z, outside = gr_ruts_slope(ruts, x - 0.12, y).z;
        const size_t size = gr_data_size(r.m, r.d);
        void *saved = malloc(size);
        assert_int_equal(gr_data_save(r.m, r.d, saved), GR_OK);
        double lowest = 0;
        uint64_t hash[2];
        for (int i = 0; i < 2; i++) {
            lowest = 0;
            for (int n = 0; n < 100; n++) {
                drive(&r, 0.05, 0.1);
                const GrVec3 at = gr_add(gr_base_position(&r.d->tree), gr_wheel_centre(r.m, r.d, 0));
                lowest = fmin(lowest, at.z - wheel.z);
            }
            hash[i] = gr_data_hash(r.m, r.d);
            assert_int_equal(gr_data_restore(r.m, r.d, saved, size, NULL), GR_OK);
        }
        free(saved);
        print_message("%s: rock %.2f mm deep, pit %.2f mm, beside it %.2g mm, the wheel goes down by %.2f mm\n",
                      gr_soil_law_name(laws[k]), 1e3 * sunk, 1e3 * pit, 1e3 * outside, -1e3 * lowest);
        assert_near(pit, (1 - soil.rebound) * sunk, 5e-4); // between nodes of a curved bed
        assert_near(outside, 0, 1e-12);
        assert_true(-lowest > 0.2 * pit);
        assert_int_equal(hash[0], hash[1]);
        destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plate),   cmocka_unit_test(test_cap),           cmocka_unit_test(test_pressed),
        cmocka_unit_test(test_warning), cmocka_unit_test(test_fixed_on_grid), cmocka_unit_test(test_pit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
