/// The soil grid produces no energy: its work on a wheel over closed cycles of motion is negative, for every single
/// cycle and also without the first compression.
#include "support/scm_test.h"

#include "random.h"
#include "support/soil_test.h"

/// Displacements along x, y, z and rotations about x (camber), y (rolling), z (steering) as a function of the phase.
typedef struct Cycle {
    double a[6][3], p[6][3]; ///< amplitude and phase of the first three harmonics
    double depth;            ///< mean sinkage below the first ground [m]
} Cycle;

static double place(const Cycle *c, int i, double phase)
{
    double x = 0;
    for (int k = 0; k < 3; k++) {
        x += c->a[i][k] * sin((k + 1) * phase + c->p[i][k]);
    }
    return x;
}

/// Axes of a wheel that is steered about z, then tilted about its x axis.
static GrMat3 axes_of(double steer, double lean)
{
    const GrMat3 turn = {{{cos(steer), -sin(steer), 0}, {sin(steer), cos(steer), 0}, {0, 0, 1}}};
    const GrMat3 tilt = {{{1, 0, 0}, {0, cos(lean), -sin(lean)}, {0, sin(lean), cos(lean)}}};
    return gr_mat3_mul(&turn, &tilt);
}

static GrVec3 axle_of(const GrMat3 *axes)
{
    return gr_vec3(axes->m[0][1], axes->m[1][1], axes->m[2][1]);
}

/// Pose of the cycle at step i, and the mean twist since step i - 1.
static GrScmPose pose_at(const Cycle *c, double radius, int i, int steps, double dt)
{
    const double before = 2 * M_PI * (i - 1) / steps, now = 2 * M_PI * i / steps;
    double rate[6];
    for (int k = 0; k < 6; k++) {
        rate[k] = (place(c, k, now) - place(c, k, before)) / dt;
    }
    GrScmPose pose =
        scm_pose(place(c, 0, now) + 0.0013, place(c, 1, now) + 0.0007, radius - c->depth + place(c, 2, now));
    pose.axes = axes_of(place(c, 5, now), place(c, 3, now));
    pose.velocity = gr_vec3(rate[0], rate[1], rate[2]);
    const GrVec3 x = {pose.axes.m[0][0], pose.axes.m[1][0], pose.axes.m[2][0]};
    pose.spin = gr_madd(gr_madd(gr_scale(rate[4], axle_of(&pose.axes)), rate[3], x), rate[5], gr_vec3(0, 0, 1));
    pose.wheel_angle = place(c, 4, now);
    return pose;
}

/// Work of the soil on the body in each of `turns` cycles; backward Euler powers, so that what is measured is the law's
/// and not the sampling's. `lost` gets the sum of its negative parts.
static void cycle_work(const GrScmBody *body, const Cycle *c, int turns, int steps, double dt, double *work,
                       double *lost)
{
    Scm s;
    scm_begin(&s, body, NULL);
    const double radius = body->radius + body->lug_height;
    for (int i = 1; i <= turns * steps; i++) {
        const GrScmPose pose = pose_at(c, radius, i, steps, dt);
        const double *f = scm_step(&s, &pose, dt)->wrench;
        const GrVec3 v = pose.velocity, w = pose.spin;
        const double power = f[0] * v.x + f[1] * v.y + f[2] * v.z + f[3] * w.x + f[4] * w.y + f[5] * w.z;
        const int turn = (i - 1) / steps;
        if ((i - 1) % steps == 0) {
            work[turn] = lost[turn] = 0;
        }
        work[turn] += power * dt;
        lost[turn] += power < 0 ? -power * dt : 0;
    }
    scm_end(&s);
}

enum { TREADS = 4, TURNS = 2 };

/// Smooth, crowned, with slanted lugs, and smooth with flowing soil.
static GrScmBody make(int tread)
{
    static const char *const names[TREADS] = {"smooth", "crowned", "slanted lugs", "flow"};
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrScmBody body;
    soil.damping = tread == 1 ? 300 : 0;
    wheel.crown = tread == 1 ? 0.01 : 0;
    if (tread == 2) {
        wheel.grousers = GR_GROUSER_LUGS;
        wheel.grouser_count = 18;
        wheel.grouser_height = 0.008;
        wheel.grouser_thickness = 0.003;
        wheel.grouser_slant = 25 * DEGREE;
    }
    assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, 0.01, &body, NULL), GR_OK);
    body.flow = tread == 3;
    print_message("%s\n", names[tread]);
    return body;
}

static void test_plain_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        Cycle cycle;
    } cycles[] = {
        {"pressed and lifted", {.a = {[2] = {0.03}}, .depth = 0.01}},
        {"pressed and eased", {.a = {[2] = {0.004}}, .depth = 0.016}},
        {"locked wheel shaken along", {.a = {{0.004}}, .depth = 0.016}},
        {"locked wheel shaken across", {.a = {[1] = {0.003}}, .depth = 0.016}},
        {"spun in place, back and forth", {.a = {[4] = {2}}, .depth = 0.016}},
        {"rolled forth and back", {.a = {{0.3}, [4] = {0.3 / 0.09}}, .depth = 0.016}},
        {"rolled with slip forth and back", {.a = {{0.2}, [4] = {0.3 / 0.09}}, .depth = 0.016}},
        {"slid far and back", {.a = {{0.2}}, .depth = 0.016}},
        {"slid in a circle", {.a = {{0.1}, {0.1}}, .p = {{0}, {1.5708}}, .depth = 0.016}},
        {"pushed light, drawn back loaded",
         {.a = {{0.004}, [2] = {0.005}}, .p = {{0}, [2] = {1.5708}}, .depth = 0.016}},
        {"the same in reverse", {.a = {{0.004}, [2] = {0.005}}, .p = {{0}, [2] = {-1.5708}}, .depth = 0.016}},
        {"small loop of turn and push", {.a = {{0.001}, [4] = {0.01}}, .p = {{0}, [4] = {1.5708}}, .depth = 0.016}},
        {"the same in reverse", {.a = {{0.001}, [4] = {0.01}}, .p = {{0}, [4] = {-1.5708}}, .depth = 0.016}},
        {"steered in place", {.a = {[5] = {1}}, .depth = 0.016}},
        {"leaned over and back", {.a = {[3] = {0.2}}, .depth = 0.016}},
    };
    for (int tread = 0; tread < TREADS; tread++) {
        const GrScmBody body = make(tread);
        for (unsigned k = 0; k < sizeof cycles / sizeof cycles[0]; k++) {
            double work[TURNS], lost[TURNS];
            cycle_work(&body, &cycles[k].cycle, TURNS, 400, 5e-3, work, lost);
            print_message("  %-32s work %10.3e, then %10.3e J of %.3e\n", cycles[k].what, work[0], work[1], lost[0]);
            for (int q = 0; q < TURNS; q++) {
                assert_true(work[q] <= 1e-9);
            }
        }
    }
}

/// Smooth random cycles of all six motions, small and large, some lifted off the ground.
static void test_random_cycles(void **state)
{
    (void)state;
    static const double size[6] = {0.05, 0.02, 0.008, 0.05, 0.5, 0.3};
    for (int tread = 0; tread < TREADS; tread++) {
        GrRandom g = gr_random_stream(3, "scm cycles");
        const GrScmBody body = make(tread);
        double worst = -1e9;
        for (int k = 0; k < GR_TEST_STUDY(25, 6); k++) {
            Cycle c = {.depth = 0.016};
            const double scale = pow(10, gr_random_uniform(&g, -1.5, 0.3));
            for (int i = 0; i < 6; i++) {
                for (int j = 0; j < 3; j++) {
                    c.a[i][j] = fmin(scale, i == 2 ? 1 : scale) * size[i] * gr_random_uniform(&g, -1, 1) / (j + 1);
                    c.p[i][j] = gr_random_uniform(&g, 0, 2 * M_PI);
                }
            }
            double work[TURNS], lost[TURNS];
            cycle_work(&body, &c, TURNS, 400, 5e-3, work, lost);
            for (int q = 0; q < TURNS; q++) {
                const double part = lost[q] > 0 ? work[q] / lost[q] : 0;
                worst = fmax(worst, part);
                if (work[q] > 1e-9) {
                    print_message("  cycle %d of scale %.3f, turn %d: %g J of %g\n", k, scale, q, work[q], lost[q]);
                }
            }
        }
        print_message("  random cycles: least loss %.4f of the negative work\n", -worst);
        assert_true(worst <= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain_cycles), cmocka_unit_test(test_random_cycles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
