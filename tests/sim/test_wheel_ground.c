/// The ground under a wheel: planes are found exactly, edges are crossed without a jump, slices have their own ground.
#include "grouser/soil_law.h"
#include "grouser/surface.h"
#include "random.h"
#include "test.h"
#include "wheel_ground.h"

#include "data.h"

#include <stdlib.h>
#include <string.h>

static bool tilted(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    const GrVec3 n = *(const GrVec3 *)context;
    *z = -(n.x * x + n.y * y) / n.z;
    *normal = n;
    return true;
}

static GrSoilWheel make_wheel(int slices)
{
    const GrSoilDef soil = gr_default_soil_def();
    GrSoilWheelDef def = gr_default_soil_wheel_def();
    GrSoilWheel w;
    def.radius = 0.25;
    def.width = 0.3;
    def.slices = slices;
    assert_int_equal(gr_soil_wheel_prepare(&soil, &def, &w, NULL), GR_OK);
    return w;
}

/// Any wheel on any plane up to 60 degrees, whatever its sinkage was: normal and distance are the plane's, for a wheel
/// that is upright, cambered or upside down.
static void test_planes(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "planes");
    const GrSoilWheel w = make_wheel(3);
    for (int i = 0; i < 2000; i++) {
        const double slope = gr_random_uniform(&random, 0, 1.05), azimuth = gr_random_uniform(&random, 0, 6.28);
        const GrVec3 n = {sin(slope) * cos(azimuth), sin(slope) * sin(azimuth), cos(slope)};
        const GrSurfaceDef surface = {.height = tilted, .context = &n};
        const GrGroundView view = {&surface, NULL};
        const GrVec3 centre = {gr_random_uniform(&random, -1, 1), gr_random_uniform(&random, -1, 1), 0.2};
        const GrVec3 axle = gr_normalize(gr_vec3(gr_random_uniform(&random, -1, 1), gr_random_uniform(&random, -1, 1),
                                                 gr_random_uniform(&random, -1, 1)));
        GrWheelGround g;
        assert_true(gr_wheel_ground(&view, &w, centre, axle, gr_random_uniform(&random, 0, 0.2), &g));
        assert_near(gr_norm(gr_sub(g.normal, n)), 0, 1e-12);
        assert_near(gr_dot(g.point, n), 0, 1e-12);
        for (int k = 0; k < 3; k++) {
            assert_near(gr_dot(g.slices[k], n), 0, 1e-12);
        }
        assert_near(gr_norm(gr_sub(gr_cross(g.frame.y, g.frame.z), g.frame.x)), 0, 1e-12);
    }
}

/// A law that carries almost nothing and records the slope that it gets.
static void note_incline(void *context, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    (void)old;
    (void)next;
    *(double *)context = in->incline;
    out->wrench[2] = in->h;
}

/// A law gets the slope along the wheel: up, down and across, with the sine of the slope times the cosine of the
/// heading from the line of fall.
static void test_incline(void **state)
{
    (void)state;
    const double slope = 0.3;
    const GrVec3 n = {-sin(slope), 0, cos(slope)}; // up towards +x
    double told = NAN;
    const GrUserLaw law = {.name = "note", .evaluate = note_incline, .context = &told};
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_USER;
    soil.user = &law;
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "wheel");
    body.mass = 40;
    body.inertia = gr_inertia_cylinder_y(40, 0.25, 0.3);
    gr_rover_add_body(&rover, &body);
    GrWheelDef wheel = gr_default_wheel_def();
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    wheel.radius = 0.25;
    wheel.width = 0.3;
    gr_rover_add_wheel(&rover, &wheel);
    GrOptions options = gr_default_options();
    options.surface.soil = &soil;
    options.surface.height = tilted;
    options.surface.context = &n;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    const GrQuat onto = {cos(0.5 * slope), 0, -sin(0.5 * slope), 0}; // the chassis is parallel to the ground
    for (int k = 0; k < 8; k++) {
        const double heading = 0.25 * 3.14159265358979323846 * k;
        const GrQuat turned = {cos(0.5 * heading), 0, 0, sin(0.5 * heading)};
        gr_data_set_base_pose(d, (GrPose){gr_scale(0.24, n), gr_quat_mul(onto, turned)});
        assert_int_equal(gr_forward(m, d), GR_OK);
        assert_near(sin(told), sin(slope) * cos(heading), 1e-9);
    }
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// A map with a step of `height` over one cell of 5 cm at x = 0; y is the border of a step half as high at x < 0.
static GrTerrain *step_map(double height, double side)
{
    enum { N = 161 };
    double *heights = malloc(sizeof(double) * N * N);
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){.nx = N, .ny = N, .x0 = -4, .y0 = -4, .dx = 0.05, .dy = 0.05};
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            heights[j * N + i] = i > N / 2 ? height : j > N / 2 ? side : 0;
        }
    }
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    assert_int_equal(gr_terrain_add_grid(terrain, &def, heights, NULL), GR_OK);
    free(heights);
    return terrain;
}

static const double UP_STEP = 0.08;

/// Moved over the edge in steps of 0.1 mm, plane and depth change by as little: no step is larger than the slope of the
/// edge allows.
static void test_edge_is_continuous(void **state)
{
    (void)state;
    GrTerrain *terrain = step_map(UP_STEP, 0);
    const GrSurfaceDef surface = gr_surface_of_terrain(terrain, NULL);
    const GrGroundView view = {&surface, NULL};
    for (int slices = 1; slices <= 5; slices += 4) {
        const GrSoilWheel w = make_wheel(slices);
        double last[GR_SLICES_MAX] = {0}, jump = 0, turn = 0;
        GrVec3 normal = {0, 0, 1};
        for (int i = 0; i <= 10000; i++) {
            const GrVec3 centre = {-0.5 + 1e-4 * i, 0.013, 0.24}, axle = gr_normalize(gr_vec3(0.2, 1, 0.05));
            GrWheelGround g;
            assert_true(gr_wheel_ground(&view, &w, centre, axle, 0.02, &g));
            for (int k = 0; k < slices; k++) {
                const double y = (k + 0.5) * w.slice_width - 0.5 * w.wheel.width;
                const double depth =
                    gr_contact_sinkage(gr_madd(centre, y, axle), axle, w.radius, g.slices[k], g.normal);
                jump = i > 0 ? fmax(jump, fabs(depth - last[k])) : jump;
                last[k] = depth;
            }
            turn = i > 0 ? fmax(turn, gr_norm(gr_sub(g.normal, normal))) : turn;
            normal = g.normal;
        }
        print_message("%d slices over an edge of 58 deg: sinkage changes by at most %.3g mm, the normal by %.3g in "
                      "0.1 mm\n",
                      slices, 1e3 * jump, turn);
        assert_true(jump < 1e-3);
        assert_true(turn < 5e-3);
    }
    gr_terrain_free(terrain);
}

/// A rover that drives over a step of the map stays on the ground: it is not thrown up, and forces stay bounded.
static void test_rover_crosses_a_step(void **state)
{
    (void)state;
    for (int coarse = 0; coarse < 2; coarse++) {
        GrTerrain *terrain = step_map(0.5 * UP_STEP, 0);
        GrSoilDef soil = gr_default_soil_def();
        soil.damping = 400;
        GrRoverDef rover;
        assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/curiosity_like.yaml", NULL, &rover, NULL),
                         GR_OK);
        GrOptions options = gr_default_options();
        options.surface = gr_surface_of_terrain(terrain, &soil);
        options.surface.slices = coarse ? 1 : 3;
        options.gravity.z = -3.71;
        GrModel *m = NULL;
        gr_model_create(&rover, &options, &m, NULL);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        gr_data_set_base_pose(d, (GrPose){{-1.8, 0, 0.9}, {1, 0, 0, 0}});
        assert_int_equal(gr_settle(m, d, NULL, NULL), GR_OK);
        for (int i = 0; i < gr_model_joint_count(m); i++) {
            if (gr_model_joint_role(m, i) == GR_ROLE_DRIVE) {
                gr_data_set_command(m, d, i, 0.15 / rover.wheels[0].radius);
            }
        }
        double most = 0, fastest = 0;
        const double start = gr_data_base_pose(d).position.z;
        for (int i = 0; i < 5000; i++) {
            assert_int_equal(gr_step(m, d), GR_OK);
            GrVec3 linear, angular;
            gr_data_base_velocity(d, &linear, &angular);
            fastest = fmax(fastest, gr_norm(linear));
            for (int k = 0; k < m->wheel_count; k++) {
                most = fmax(most, gr_norm(gr_data_wheel(m, d, k).force));
            }
        }
        const GrPose end = gr_data_base_pose(d);
        print_message("slices %d: at %.2f m, rose %.4f m, up to %.3f m/s and %.2f of a wheel's load\n",
                      options.surface.slices, end.position.x, end.position.z - start, fastest, most / m->wheel_load);
        assert_true(end.position.x > 1.4);
        assert_near(end.position.z - start, 0.5 * UP_STEP, 5e-3);
        assert_true(fastest < 0.25);
        assert_true(most < 5 * m->wheel_load);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
        gr_terrain_free(terrain);
    }
}

/// Half on a ledge: the slices on it are as deep as the ledge is high, the others are in the air.
static void test_half_on_a_ledge(void **state)
{
    (void)state;
    GrTerrain *terrain = step_map(0, 0.04);
    const GrSurfaceDef surface = gr_surface_of_terrain(terrain, NULL);
    const GrSoilWheel w = make_wheel(6);
    const GrGroundView view = {&surface, NULL};
    const GrVec3 centre = {-2, 0.025, 0.25 + 0.03}, axle = {0, 1, 0};
    GrWheelGround g;
    assert_true(gr_wheel_ground(&view, &w, centre, axle, 0.01, &g));
    for (int k = 0; k < 6; k++) {
        assert_near(g.slices[k].z, k < 3 ? 0 : 0.04, 1e-12);
    }
    print_message("half on a ledge: the plane is tilted by %.2f deg\n", acos(g.normal.z) * 180 / 3.14159265);
    assert_true(g.normal.z > cos(0.02));
    gr_terrain_free(terrain);
}

static bool ridge(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)context;
    (void)y;
    *z = -fabs(x);
    *normal = gr_normalize(gr_vec3(x > 0 ? 1 : -1, 0, 1));
    return true;
}

/// A wheel comes down onto a ridge. The deeper it is, the further apart are the places where it meets the ground, and
/// the lower is the ground there: its sinkage does not swing from step to step.
static void test_sinkage_on_a_ridge(void **state)
{
    (void)state;
    const GrSurfaceDef surface = {.height = ridge};
    const GrGroundView view = {&surface, NULL};
    const GrSoilWheel w = make_wheel(1);
    // The ground falls by r cos θ dθ where the sinkage by which it is looked up grows by r sin θ dθ; θ is above 0.2.
    const double dt = 1e-3, speed = 0.02, fastest = 1 + 1 / tan(0.2);
    double soil[GR_STATE_MAX], next[GR_STATE_MAX], last = 0, deepest = 0;
    gr_soil_clear(&w, soil);
    for (int i = 0; i < 6000; i++) {
        const GrVec3 centre = {0, 0, 0.23 - speed * dt * i}, axle = {0, 1, 0};
        GrWheelGround g;
        GrSoilOutput out;
        assert_true(gr_wheel_ground(&view, &w, centre, axle, soil[GR_HEAD_SINKAGE], &g));
        GrSoilMotion motion = {.twist = {0, 0, -speed, 0, 0, 0}};
        motion.sinkage[0] = gr_contact_sinkage(centre, axle, w.radius, g.point, g.normal);
        gr_soil_evaluate(&w, &motion, dt, soil, next, &out);
        memcpy(soil, next, sizeof soil);
        const double sinkage = fmax(0, motion.sinkage[0]);
        assert_true(fabs(sinkage - last) <= fastest * speed * dt);
        last = sinkage;
        deepest = fmax(deepest, sinkage);
    }
    assert_true(deepest > 0.02); // deeper than where the search without memory begins to swing
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_edge_is_continuous),
        cmocka_unit_test(test_rover_crosses_a_step),
        cmocka_unit_test(test_half_on_a_ledge),
        cmocka_unit_test(test_sinkage_on_a_ridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
