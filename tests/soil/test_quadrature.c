/// The forces of the static formulas, and those that a run settles at, against adaptive quadrature: shipped soils and
/// random ones, slips and slip angles as far as they go, wheels that barely touch and wheels that are nearly buried.
#include "soil_test.h"

#include "grouser/soil_file.h"
#include "random.h"

#include <dirent.h>

enum { SOILS_MAX = 128 };

static GrSoilDef shipped[SOILS_MAX];
static int shipped_count;

static int load_soils(void **state)
{
    (void)state;
    DIR *folder = opendir(GR_TEST_SOURCE_DIR "/data/soils");
    assert_non_null(folder);
    for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        const char *end = strrchr(e->d_name, '.');
        if (end == NULL || strcmp(end, ".yaml") != 0) {
            continue;
        }
        char path[1024];
        assert_true(shipped_count < SOILS_MAX);
        snprintf(path, sizeof path, "%s/data/soils/%s", GR_TEST_SOURCE_DIR, e->d_name);
        assert_int_equal(gr_soil_load(path, NULL, &shipped[shipped_count++], NULL, NULL), GR_OK);
    }
    closedir(folder);
    // The order of a folder is the machine's; that of the test is not.
    for (int i = 1; i < shipped_count; i++) {
        for (int j = i; j > 0 && strcmp(shipped[j - 1].name, shipped[j].name) > 0; j--) {
            const GrSoilDef t = shipped[j];
            shipped[j] = shipped[j - 1];
            shipped[j - 1] = t;
        }
    }
    return 0;
}

/// Uniform in the logarithm.
static double random_scale(GrRandom *g, double low, double high)
{
    return exp(gr_random_uniform(g, log(low), log(high)));
}

static GrSoilDef random_soil(GrRandom *g, double sinkage)
{
    GrSoilDef s = gr_default_soil_def();
    s.k_c = 0;
    s.n0 = gr_random_uniform(g, 0.2, 1.6);
    s.n1 = gr_random_uniform(g, 0, 0.4);
    s.k_phi = random_scale(g, 2e3, 5e5) / pow(sinkage, s.n0 + 0.5 * s.n1);
    s.cohesion = random_scale(g, 10, 2e4);
    s.friction_angle = gr_random_uniform(g, 6, 45) * test_degree;
    s.shear_x = random_scale(g, 0.003, 0.06);
    s.shear_y = random_scale(g, 0.003, 0.06);
    s.peak_a1 = gr_random_uniform(g, 0.2, 0.6);
    s.peak_a2 = gr_random_uniform(g, -0.3, 0.35);
    s.exit_ratio = gr_random_uniform(g, 0, 1.2);
    return s;
}

typedef struct State {
    GrSoilWheel wheel;
    double slip, beta, h;
    double exact[4]; ///< f_x, f_y, f_z, torque/r
    Reference reference;
} State;

/// False when the soil does not fit the wheel, or when shear pulls the wheel down so hard that less than a tenth of
/// what pressure lifts is left: f_z is no scale then.
static bool random_state(GrRandom *g, State *out, int *left_out)
{
    GrSoilWheelDef d = gr_default_soil_wheel_def();
    d.radius = gr_random_uniform(g, 0.05, 0.45);
    d.width = d.radius * gr_random_uniform(g, 0.3, 1.2);
    out->h = d.radius * random_scale(g, 0.005, 0.8);
    out->slip = gr_random_uniform(g, -0.95, 0.95);
    out->beta = gr_random_uniform(g, 0, 60) * test_degree;
    GrSoilDef s = gr_random_below(g, 2) ? shipped[gr_random_below(g, (uint32_t)shipped_count)] : random_soil(g, out->h);
    s.law = gr_random_below(g, 4) ? GR_SOIL_WONG_REECE : GR_SOIL_BEKKER;
    s.shear = gr_random_below(g, 2) ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
    // No add-ons: the reference has none.
    s.front_bulldozing = false;
    s.side_bulldozing = GR_SIDE_NONE;
    s.side_drag = s.resistance_speed = s.damping = 0;
    const double n = s.n0 + s.n1 * fabs(out->slip), peak = s.peak_a1 + s.peak_a2 * out->slip;
    if (n < 0.1 || n > 3 || peak < -1 || gr_soil_prepare(&s, &d, &out->wheel, NULL) != GR_OK) {
        return false;
    }
    out->reference = reference(&out->wheel, out->slip, out->beta, out->h);
    Reference pressure = out->reference;
    double lift[4];
    pressure.c = pressure.tan_phi = 0;
    reference_forces(&pressure, 1e-6, lift);
    reference_forces(&out->reference, 1e-8, out->exact);
    out->exact[3] /= d.radius;
    *left_out += out->exact[2] < 0.1 * lift[2];
    return out->exact[2] >= 0.1 * lift[2];
}

/// Largest error of the four over f_z.
static double error_of(const State *s, double f_x, double f_y, double f_z, double torque)
{
    const double got[4] = {f_x, f_y, f_z, torque / s->wheel.radius};
    double error = 0;
    for (int i = 0; i < 4; i++) {
        error = fmax(error, fabs(got[i] - s->exact[i]) / s->exact[2]);
    }
    return error;
}

/// Forces that a wheel settles at that rolls on and on, forwards or backwards: backward Euler over a long step goes to
/// the end at once (a few steps, since the memory follows), then `steps` of 20 ms.
static double run_error(const State *s, double direction, int steps)
{
    double old[GR_STATE_MAX] = {0}, next[GR_STATE_MAX];
    const double speed = 0.05, r = s->wheel.radius;
    GrSoilOutput out = {0};
    GrSoilMotion m = {.sinkage = {s->h}};
    m.twist[0] = direction * speed * (s->slip >= 0 ? 1 - s->slip : 1);
    m.twist[1] = fabs(m.twist[0]) * tan(s->beta);
    m.twist[4] = direction * speed * (s->slip >= 0 ? 1 : 1 + s->slip) / r;
    for (int i = 0; i < 8 + steps; i++) {
        gr_soil_evaluate(&s->wheel, &m, i < 8 ? 1e4 : 0.02, old, next, &out);
        memcpy(old, next, sizeof(double) * (size_t)s->wheel.state_size);
    }
    return error_of(s, direction * out.wrench[0], -out.wrench[1], out.wrench[2], -direction * out.wrench[4]);
}

typedef struct Tally {
    double worst, sum;
    int over, count;
    Reference at;
} Tally;

static void count(Tally *t, const State *s, double error)
{
    t->sum += error;
    t->count++;
    t->over += error > 1e-4;
    if (error > t->worst) {
        t->worst = error;
        t->at = s->reference;
    }
}

static void report(const Tally *t, const char *what)
{
    const Reference *f = &t->at;
    print_message(
        "%s: mean %.2g, worst %.3g of f_z, %d of %d over 1e-4 (worst: n %.2f s %.2f beta %.0f K_x/r %.3f K_y/r "
        "%.3f h/r %.3f c/p %.2f)\n",
        what, t->sum / t->count, t->worst, t->over, t->count, f->n, f->s, f->beta / test_degree, f->kx / f->r,
        f->ky / f->r, f->h / f->r, f->c / (f->p * pow(f->h, f->n)));
    assert_true(t->worst <= 1e-4);
}

static void test_all_states(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(1, "wide quadrature");
    Tally steady = {0}, run = {0};
    int left_out = 0;
    while (steady.count < 10000) {
        State s;
        if (!random_state(&g, &s, &left_out)) {
            continue;
        }
        GrSoilSteady got;
        gr_soil_steady(&s.wheel, s.slip, s.beta, s.h, 0, &got);
        count(&steady, &s, error_of(&s, got.f_x, got.f_y, got.f_z, got.torque));
        count(&run, &s, run_error(&s, gr_random_below(&g, 2) ? 1 : -1, 20));
    }
    print_message("%d shipped soils; %d states left out\n", shipped_count, left_out);
    report(&steady, "static formulas");
    report(&run, "run, settled, steps of 20 ms");
    assert_true(left_out < 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_states)};
    return cmocka_run_group_tests(tests, load_soils, NULL);
}
