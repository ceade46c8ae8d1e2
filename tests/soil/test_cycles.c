/// Soil produces no energy: the work of the wrench over closed cycles of motion is negative, of the laws with state and
/// of the grid. And the force of the laws is continuous through rest, reverse, locked, lift-off and landing.
#include "support/scm_test.h"
#include "support/soil_test.h"

#include "random.h"

/// Displacements along x, y, z (up) and rotations about x (camber), y (rolling), z (steering) as a function of the
/// cycle's phase.
typedef struct Cycle {
    double a[6][3], p[6][3]; ///< amplitude and phase of the first three harmonics
    double depth;            ///< mean sinkage
} Cycle;

static double place(const Cycle *c, int i, double phase)
{
    double x = 0;
    for (int k = 0; k < 3; k++) {
        x += c->a[i][k] * sin((k + 1) * phase + c->p[i][k]);
    }
    return x;
}

/// Work of the soil on the wheel, and the sum of its negative parts.
typedef struct Work {
    double all, lost;
} Work;

/// Work over `turns` cycles without the first `skip` of them, and with them in `whole` (may be NULL); backward Euler
/// powers, so that what is measured is the law's and not the sampling's.
static Work cycle_work(const GrSoilWheel *w, const Cycle *c, int turns, int steps, int skip, Work *whole)
{
    const double dt = 1e-3;
    double state[GR_STATE_MAX], next[GR_STATE_MAX];
    Work work = {0, 0}, from_start = {0, 0};
    GrSoilMotion m = {0};
    GrSoilOutput out;
    gr_soil_clear(w, state);
    for (int i = 1; i <= turns * steps; i++) {
        const double before = 2 * M_PI * (i - 1) / steps, now = 2 * M_PI * i / steps;
        for (int k = 0; k < 6; k++) {
            m.twist[k] = (place(c, k, now) - place(c, k, before)) / dt;
        }
        for (int s = 0; s < w->slices; s++) {
            m.sinkage[s] = c->depth - place(c, 2, now);
        }
        m.wheel_angle = place(c, 4, now);
        gr_soil_evaluate(w, &m, dt, state, next, &out);
        memcpy(state, next, sizeof(double) * (size_t)w->state_size);
        double power = 0;
        for (int k = 0; k < 6; k++) {
            power += out.wrench[k] * m.twist[k];
        }
        const double lost = power < 0 ? -power * dt : 0;
        from_start.all += power * dt;
        from_start.lost += lost;
        if (i > skip * steps) {
            work.all += power * dt;
            work.lost += lost;
        }
    }
    if (whole) {
        *whole = from_start;
    }
    return work;
}

typedef struct Named {
    const char *what;
    Cycle cycle;
} Named;

/// The first only on the grid: a wheel that leaves the ground.
static const Named CYCLES[] = {
    {"pressed and lifted", {.a = {[2] = {0.03}}, .depth = 0.01}},
    {"pressed and eased", {.a = {[2] = {0.004}}, .depth = 0.016}},
    {"locked wheel shaken along", {.a = {{0.004}}, .depth = 0.016}},
    {"locked wheel shaken across", {.a = {[1] = {0.003}}, .depth = 0.016}},
    {"spun in place, back and forth", {.a = {[4] = {2}}, .depth = 0.016}},
    {"rolled forth and back", {.a = {{0.3}, [4] = {0.3 / 0.09}}, .depth = 0.016}},
    {"rolled with slip forth and back", {.a = {{0.2}, [4] = {0.3 / 0.09}}, .depth = 0.016}},
    {"slid far and back", {.a = {{0.2}}, .depth = 0.016}},
    {"slid in a circle", {.a = {{0.1}, {0.1}}, .p = {{0}, {1.5708}}, .depth = 0.016}},
    {"pushed light, drawn back loaded", {.a = {{0.004}, [2] = {0.005}}, .p = {{0}, [2] = {1.5708}}, .depth = 0.016}},
    {"the same in reverse", {.a = {{0.004}, [2] = {0.005}}, .p = {{0}, [2] = {-1.5708}}, .depth = 0.016}},
    {"small loop of turn and push", {.a = {{0.001}, [4] = {0.01}}, .p = {{0}, [4] = {1.5708}}, .depth = 0.016}},
    {"the same in reverse", {.a = {{0.001}, [4] = {0.01}}, .p = {{0}, [4] = {-1.5708}}, .depth = 0.016}},
    {"steered in place", {.a = {[5] = {1}}, .depth = 0.016}},
    {"leaned over and back", {.a = {[3] = {0.2}}, .depth = 0.016}},
};
enum { CYCLE_COUNT = sizeof CYCLES / sizeof CYCLES[0], FIRST_OF_LAWS = 1 };

/// A smooth random cycle of all six motions, small or large.
static Cycle random_cycle(GrRandom *g, const double size[6])
{
    Cycle c = {.depth = 0.016};
    const double scale = pow(10, gr_random_uniform(g, -1.5, 0.3));
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 3; j++) {
            c.a[i][j] = fmin(scale, i == 2 ? 1 : scale) * size[i] * gr_random_uniform(g, -1, 1) / (j + 1);
            c.p[i][j] = gr_random_uniform(g, 0, 2 * M_PI);
        }
    }
    return c;
}

/// Forms of the stress laws: shear separate or combined; mobilised at once; digging and ploughing; and, with the last
/// numbers, unloading along its own line, two zones of flow, and the pressure `bearing`.
enum { FORM_COMBINED = 1, FORM_STEEP = 2, FORM_PLOUGHS = 4, FORM_UNLOADS = 6, FORM_ZONES, FORM_BEARING, FORMS };

/// The bits of a form's number.
static int form_bits(int number)
{
    return number < FORM_UNLOADS ? number : 0;
}

static GrSoilWheel make(GrSoilLaw law, int number)
{
    const int form = form_bits(number);
    GrSoilDef soil = form & FORM_PLOUGHS ? ploughed(ishigami()) : ishigami();
    if (form & FORM_STEEP) {
        // Mobilised at once: the run's nodes are corrected.
        soil.shear_x = soil.shear_y = 0.002;
        soil.shear_x_slope = soil.shear_y_slope = 0;
    }
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    soil.law = law;
    if (form & FORM_COMBINED) {
        soil.unloading_rebound = 0.1;
    }
    if (number == FORM_UNLOADS) {
        soil.unloading_k0 = 4e6;
        soil.unloading_grow = 3e8;
    }
    soil.skid_flow = number == FORM_ZONES ? GR_SKID_TWO_ZONES : GR_SKID_ONE_ZONE;
    soil.pressure = number == FORM_BEARING ? GR_PRESSURE_BEARING : GR_PRESSURE_BEKKER;
    soil.surcharge = 0.5;
    soil.shear = form & FORM_COMBINED ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
    wheel.stiffness = law == GR_SOIL_DOUBLE_SPRING ? 3e4 : (double)INFINITY;
    return prepared(&soil, &wheel);
}

static void test_plain_cycles(void **state)
{
    (void)state;
    for (int law = 0; law < GR_SOIL_PATCH_LAWS; law++) {
        for (int number = 0; number < FORMS; number++) {
            const int form = form_bits(number);
            if (form & FORM_STEEP && law > GR_SOIL_BEKKER) {
                continue;
            }
            const GrSoilWheel w = make((GrSoilLaw)law, number);
            for (int k = FIRST_OF_LAWS; k < CYCLE_COUNT; k++) {
                // A ploughing wheel digs until its memory has settled. Before that, a wheel that begins deep in the
                // soil returns what pressing it in there would have taken.
                const bool ploughs = form & FORM_PLOUGHS;
                const int settling = ploughs ? GR_TEST_STUDY(40, 15) : 1,
                          steps = ploughs ? 250 : GR_TEST_STUDY(2000, 250);
                Work work[2];
                work[0] = cycle_work(&w, &CYCLES[k].cycle, settling + 3, steps, settling, &work[1]);
                if (law == 0 && number == 0) {
                    print_message("%-34s work %.3e J (%.3e J lost where it is negative)\n", CYCLES[k].what, work[0].all,
                                  work[0].lost);
                }
                for (int first = 0; first < (ploughs ? 1 : 2); first++) {
                    if (!(work[first].all <= 1e-9)) {
                        print_error("%s form %d, %s (first %d): %g J of %g\n", gr_soil_law_name(w.law), number,
                                    CYCLES[k].what, first, work[first].all, work[first].lost);
                        fail();
                    }
                }
            }
        }
    }
}

static void test_random_cycles(void **state)
{
    (void)state;
    static const double size[6] = {0.05, 0.02, 0.004, 0.02, 0.5, 0.2};
    for (int law = 0; law < GR_SOIL_PATCH_LAWS; law++) {
        for (int number = 0; number < FORMS; number++) {
            const int form = form_bits(number);
            if (form & FORM_STEEP && law > GR_SOIL_BEKKER) {
                continue;
            }
            GrRandom g = gr_random_stream(3, "cycles");
            const GrSoilWheel w = make((GrSoilLaw)law, number);
            double worst = -1e9;
            for (int k = 0; k < GR_TEST_STUDY(40, 4); k++) {
                const Cycle c = random_cycle(&g, size);
                const Work work = cycle_work(&w, &c, 4, 1000, 1, NULL);
                worst = fmax(worst, work.all / work.lost);
            }
            print_message("%-14s shear %d%s: random cycles, least loss %.3f of the negative work\n",
                          gr_soil_law_name(w.law), form & 1,
                          form & FORM_STEEP        ? ", steep"
                          : form & FORM_PLOUGHS    ? ", ploughing"
                          : number == FORM_UNLOADS ? ", unloading"
                          : number == FORM_ZONES   ? ", two zones"
                                                   : "",
                          -worst);
            assert_true(worst < 0);
        }
    }
}

static double difference(const GrSoilOutput *a, const GrSoilOutput *b)
{
    double d = 0;
    for (int i = 0; i < 6; i++) {
        d = fmax(d, fabs(a->wrench[i] - b->wrench[i]) / (i < 3 ? 1 : 0.1));
    }
    return d;
}

/// Along straight paths through the space of motions the wrench moves in proportion to the step: no jump anywhere.
static void test_continuous(void **state)
{
    (void)state;
    for (int test = 0; test < 2 * GR_SOIL_PATCH_LAWS; test++) {
        const int law = test / 2;
        GrRandom g = gr_random_stream(5, "continuous");
        GrSoilWheel w = make((GrSoilLaw)law, test & 1 ? FORM_PLOUGHS : 0);
        w.gamma = 400;
        double worst = 0;
        for (int k = 0; k < GR_TEST_STUDY(16, 2); k++) {
            // A state after some driving, then a path from reverse to forward, from the air into the soil.
            double s[GR_STATE_MAX], next[GR_STATE_MAX];
            GrSoilMotion m = {.sinkage = {0.015}};
            GrSoilOutput out, last;
            gr_soil_clear(&w, s);
            for (int i = 0; i < 50; i++) {
                m.twist[0] = gr_random_uniform(&g, -0.1, 0.1);
                m.twist[1] = gr_random_uniform(&g, -0.05, 0.05);
                m.twist[4] = gr_random_uniform(&g, -1, 1);
                gr_soil_evaluate(&w, &m, 0.01, s, next, &out);
                memcpy(s, next, sizeof(double) * (size_t)w.state_size);
            }
            double from[7], to[7];
            static const double size[7] = {0.1, 0.05, 0.05, 0.1, 1, 0.3, 0};
            for (int i = 0; i < 6; i++) {
                // Most paths hit zero exactly half way in several components at once.
                from[i] = size[i] * gr_random_uniform(&g, -1, 1);
                to[i] = gr_random_below(&g, 4) ? -from[i] : size[i] * gr_random_uniform(&g, -1, 1);
            }
            from[6] = gr_random_below(&g, 2) ? -0.005 : 0.015;
            to[6] = 0.015;
            // The largest single change against the largest over a tenth as many steps: a jump does not shrink.
            double largest[2] = {0, 0};
            const int steps = 20000;
            GrSoilOutput tenth;
            for (int i = 0; i <= steps; i++) {
                const double x = (double)i / steps;
                for (int j = 0; j < 6; j++) {
                    m.twist[j] = from[j] + (to[j] - from[j]) * x;
                }
                m.sinkage[0] = from[6] + (to[6] - from[6]) * x;
                gr_soil_evaluate(&w, &m, 0.01, s, NULL, &out);
                if (i > 0) {
                    largest[1] = fmax(largest[1], difference(&out, &last));
                    largest[0] = i % 10 == 0 ? fmax(largest[0], difference(&out, &tenth)) : largest[0];
                }
                last = out;
                tenth = i % 10 == 0 ? out : tenth;
            }
            worst = fmax(worst, largest[1]);
            // √h at touch-down shrinks the slowest: by √10.
            if (largest[1] > 0.4 * largest[0] + 1e-6) {
                print_error("%s: a step of %g N stays %g N when ten times finer\n", gr_soil_law_name(w.law), largest[0],
                            largest[1]);
                fail();
            }
        }
        print_message("%-14s largest change in 1/20000 of a path %.4f N\n", gr_soil_law_name(w.law), worst);
    }
}

/// f_z is never negative, whatever the damping and however fast the wheel leaves.
static void test_never_pulls(void **state)
{
    (void)state;
    for (int test = 0; test < 2 * GR_SOIL_PATCH_LAWS; test++) {
        GrRandom g = gr_random_stream(6, "pull");
        GrSoilWheel w = make((GrSoilLaw)(test / 2), test & 1 ? FORM_PLOUGHS : 0);
        w.gamma = 4000;
        double s[GR_STATE_MAX], next[GR_STATE_MAX];
        gr_soil_clear(&w, s);
        for (int i = 0; i < GR_TEST_LONG(20000, 2000); i++) {
            GrSoilMotion m = {.sinkage = {gr_random_uniform(&g, -0.005, 0.03)}};
            for (int j = 0; j < 6; j++) {
                m.twist[j] = gr_random_uniform(&g, -1, 1);
            }
            GrSoilOutput out;
            gr_soil_evaluate(&w, &m, 0.01, s, next, &out);
            memcpy(s, next, sizeof(double) * (size_t)w.state_size);
            assert_true(out.wrench[2] >= 0);
            for (int j = 0; j < 6; j++) {
                assert_true(isfinite(out.wrench[j]) && (m.sinkage[0] > 0 || out.wrench[j] == 0));
            }
        }
    }
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
static void grid_work(const GrScmBody *body, const Cycle *c, int turns, int steps, double dt, double *work,
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
static GrScmBody make_tread(int tread)
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

static void test_plain_cycles_of_grid(void **state)
{
    (void)state;
    for (int tread = 0; tread < TREADS; tread++) {
        const GrScmBody body = make_tread(tread);
        for (int k = 0; k < CYCLE_COUNT; k++) {
            double work[TURNS], lost[TURNS];
            grid_work(&body, &CYCLES[k].cycle, TURNS, 400, 5e-3, work, lost);
            print_message("  %-32s work %10.3e, then %10.3e J of %.3e\n", CYCLES[k].what, work[0], work[1], lost[0]);
            for (int q = 0; q < TURNS; q++) {
                assert_true(work[q] <= 1e-9);
            }
        }
    }
}

/// Some are lifted off the ground.
static void test_random_cycles_of_grid(void **state)
{
    (void)state;
    static const double size[6] = {0.05, 0.02, 0.008, 0.05, 0.5, 0.3};
    for (int tread = 0; tread < TREADS; tread++) {
        GrRandom g = gr_random_stream(3, "scm cycles");
        const GrScmBody body = make_tread(tread);
        double worst = -1e9;
        for (int k = 0; k < GR_TEST_STUDY(25, 6); k++) {
            const Cycle c = random_cycle(&g, size);
            double work[TURNS], lost[TURNS];
            grid_work(&body, &c, TURNS, 400, 5e-3, work, lost);
            for (int q = 0; q < TURNS; q++) {
                const double part = lost[q] > 0 ? work[q] / lost[q] : 0;
                worst = fmax(worst, part);
                if (work[q] > 1e-9) {
                    print_message("  cycle %d, turn %d: %g J of %g\n", k, q, work[q], lost[q]);
                }
            }
        }
        print_message("  random cycles: least loss %.4f of the negative work\n", -worst);
        assert_true(worst <= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain_cycles),
                                       cmocka_unit_test(test_random_cycles),
                                       cmocka_unit_test(test_continuous),
                                       cmocka_unit_test(test_plain_cycles_of_grid),
                                       cmocka_unit_test(test_random_cycles_of_grid),
                                       cmocka_unit_test(test_never_pulls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
