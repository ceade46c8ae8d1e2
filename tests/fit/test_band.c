/// Bands of predictions, held against wheels that were measured at CMU: each slip angle in turn is kept from the fit,
/// and what the fit says about it, with its 90 % band, is compared with what was measured. The band comes from the
/// fitted angles alone.
#include "test.h"

#include "band.h"
#include "fit_spread.h"
#include "grouser/soil_file.h"
#include "sampling.h"
#include "soil_param.h"

static const double degree = 3.14159265358979323846 / 180;

enum { POINTS_MAX = 64, ANGLES = 4, SAMPLES = 64 };

static const double angles[ANGLES] = {0, 15, 45, 75};

typedef struct Wheel {
    GrFitDef def;
    GrWheelData data;
    unsigned char role[POINTS_MAX];
} Wheel;

static void load_wheel(const char *name, const char *soil, double grouser_height, Wheel *out)
{
    char path[512];
    memset(out, 0, sizeof *out);
    out->def = gr_default_fit_def();
    snprintf(path, sizeof path, GR_TEST_SOURCE_DIR "/data/measurements/%s.csv", name);
    assert_int_equal(gr_wheel_data_load(path, NULL, &out->data, NULL), GR_OK);
    assert_true(out->data.count <= POINTS_MAX);
    assert_int_equal(gr_soil_load(soil, NULL, &out->def.rig.soil, NULL, NULL), GR_OK);
    out->def.rig.wheel.radius = 0.058;
    out->def.rig.wheel.width = 0.05;
    out->def.rig.wheel.grouser_height = grouser_height;
    gr_wheel_data_slip_from(&out->data, &out->def.rig, 0.058);
    out->def.data = &out->data;
    out->def.role = out->role;
    out->def.descend = true;
    out->def.weights[GR_SINKAGE] = 0.33;
}

static void set_free(GrFitDef *def, const char *name, double lower, double upper)
{
    GrFitParam *p = &def->params[def->param_count++];
    assert_int_equal(gr_fit_param_find(name, p, NULL), GR_OK);
    p->lower = lower < upper ? lower : p->lower;
    p->upper = lower < upper ? upper : p->upper;
}

/// As for the soils cmu_smooth_fit and cmu_grouser_fit.
static void free_ploughing(GrFitDef *def)
{
    static const char *const names[] = {"k_phi",
                                        "n0",
                                        "K_x",
                                        "a1",
                                        "a2",
                                        "a_plough",
                                        "wedge",
                                        "wedge_slide",
                                        "wedge_front",
                                        "slip_sinkage_max",
                                        "slip_sinkage_length",
                                        "backfill",
                                        "plough_sinkage",
                                        "plough_power"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        set_free(def, names[i], 0, 0);
    }
    set_free(def, "c", 0, 1000);
    set_free(def, "phi", 20, 40);
    set_free(def, "lambda", 0, 0.5);
}

/// Coverage and width of the bands, over all points held back.
typedef struct Score {
    int count, inside;
    int of[GR_SPREAD_QUANTITIES];
    double squares[GR_SPREAD_QUANTITIES], widths[GR_SPREAD_QUANTITIES]; ///< as parts of the unit of the error
} Score;

static void hold_back(Wheel *w, double angle, Score *score)
{
    static GrFitResult result;
    static GrFitSpread spread;
    for (int i = 0; i < w->data.count; i++) {
        const bool held = fabs(w->data.items[i].value[GR_SLIP_ANGLE] / degree - angle) < 1;
        w->role[i] = held ? GR_FIT_HELD : GR_FIT_USED;
    }
    assert_int_equal(gr_fit_soil(&w->def, &result, NULL), GR_OK);
    assert_int_equal(gr_fit_spread(&w->def, &result, &spread, NULL), GR_OK);
    for (int i = 0; i < w->data.count; i++) {
        const GrWheelDatum *d = &w->data.items[i];
        GrRigDef rig = gr_wheel_datum_rig(&w->def.rig, d);
        GrWheelBand band;
        if (w->role[i] != GR_FIT_HELD) {
            continue;
        }
        rig.soil = result.soil;
        assert_true(gr_band_predict(&rig, &spread.spread, d->value[GR_SLIP], d->value[GR_SLIP_ANGLE], &band));
        const bool between = angle > 1 && angle < 74;
        assert_true(between || band.outside > 0);
        assert_string_equal(gr_band_word(band.outside), band.outside > 0 ? "extrapolated" : "interpolated");
        const GrCondition at = {.load = rig.load, .radius = rig.wheel.radius};
        for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
            const double e = d->value[gr_spread_quantity_of((GrSpreadQuantity)q)] - band.value[q];
            const double unit = gr_spread_unit((GrSpreadQuantity)q, &at), half = GR_BAND_HALF * band.deviation[q];
            if (isfinite(e)) {
                score->count++;
                score->inside += fabs(e) <= half;
                score->of[q]++;
                score->squares[q] += e * e / (unit * unit);
                score->widths[q] += 2 * half / unit;
            }
        }
    }
}

/// Of what was held back 85 to 95 % lie in the band, and it is at most 1.5 times as wide as the errors need.
static void check_band(const char *name, const Score *s)
{
    const double part = (double)s->inside / s->count;
    print_message("%s: %d of %d inside the 90 %% band", name, s->inside, s->count);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        if (s->of[q] > 0) {
            const double needed = 2 * GR_BAND_HALF * sqrt(s->squares[q] / s->of[q]);
            print_message("; %.2f of the width needed", s->widths[q] / s->of[q] / needed);
            assert_true(s->widths[q] / s->of[q] <= 1.5 * needed);
        }
    }
    print_message("\n");
    assert_true(part >= 0.85 && part <= 0.95);
}

static void rotate(const char *name, const char *soil, double grouser_height, bool rft, Score *score)
{
    static Wheel w;
    load_wheel(name, soil, grouser_height, &w);
    if (rft) {
        set_free(&w.def, "xi_n", 0, 0);
        set_free(&w.def, "mu_surf", 0, 0);
    } else {
        free_ploughing(&w.def);
    }
    for (int a = 0; a < ANGLES; a++) {
        hold_back(&w, angles[a], score);
    }
    gr_wheel_data_free(&w.data);
}

static void test_bands_are_calibrated(void **state)
{
    (void)state;
    Score ploughing = {0}, rft = {0};
    rotate("cmu_smooth", "cmu_smooth_fit", 0, false, &ploughing);
    rotate("cmu_grouser", "cmu_grouser_fit", 0.005, false, &ploughing);
    rotate("cmu_smooth", "cmu_soildirect90_rft", 0, true, &rft);
    check_band("wong_reece with digging and ploughing", &ploughing);
    check_band("rft", &rft);
}

/// The soil of sample k: a Gaussian copula, as soil files say.
static GrSoilDef sample_of(const GrSoilSpread *spread, const GrSoilDef *soil, int k)
{
    static double factor[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS];
    double correlation[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS], u[GR_SPREAD_PARAMS];
    GrSoilDef out = *soil;
    const int n = spread->count;
    for (int i = 0; i < n && k == 0; i++) {
        memcpy(correlation + i * n, spread->correlation[i], (size_t)n * sizeof(double));
    }
    if (k == 0) {
        assert_int_equal(gr_correlation_factor(n, correlation, factor, (GrLocation){0}, NULL), GR_OK);
    }
    gr_sample_point(GR_SAMPLING_SOBOL, (uint64_t)k, SAMPLES, n, 1, u);
    gr_correlate(n, factor, u);
    for (int i = 0; i < n; i++) {
        gr_soil_param_set(&out, spread->param[i], gr_distribution_quantile(&spread->distribution[i], u[i]));
    }
    return out;
}

/// Samples of 17 parameters, of which the data does not determine four and one stands at its bound: all carry the
/// wheel, and the predictions scatter as the linear band says.
static void test_samples_are_physical(void **state)
{
    (void)state;
    static Wheel w;
    static GrFitResult result;
    static GrFitSpread known;
    load_wheel("cmu_smooth", "cmu_smooth_fit", 0, &w);
    free_ploughing(&w.def);
    for (int i = 0; i < w.data.count; i++) {
        w.role[i] = i < 9 || (i >= 18 && i < 27) ? GR_FIT_USED : GR_FIT_HELD;
    }
    assert_int_equal(gr_fit_soil(&w.def, &result, NULL), GR_OK);
    assert_int_equal(gr_fit_spread(&w.def, &result, &known, NULL), GR_OK);
    assert_in_range(known.spread.count, 13, 16);
    static const int points[] = {1, 7, 20, 25, 34};
    double sum[5] = {0}, squares[5] = {0};
    for (int k = 0; k < SAMPLES; k++) {
        const GrSoilDef soil = sample_of(&known.spread, &result.soil, k);
        for (int i = 0; i < 5; i++) {
            GrRigPoint p;
            assert_true(gr_fit_predict(&w.def.rig, &soil, &w.data.items[points[i]], &p));
            sum[i] += p.f_x;
            squares[i] += p.f_x * p.f_x;
        }
    }
    double sampled = 0, linear = 0;
    for (int i = 0; i < 5; i++) {
        const GrWheelDatum *d = &w.data.items[points[i]];
        GrRigDef rig = gr_wheel_datum_rig(&w.def.rig, d);
        GrWheelBand band;
        rig.soil = result.soil;
        assert_true(gr_band_predict(&rig, &known.spread, d->value[GR_SLIP], d->value[GR_SLIP_ANGLE], &band));
        linear += band.parameters[GR_SPREAD_FX] * band.parameters[GR_SPREAD_FX];
        sampled += squares[i] / SAMPLES - sum[i] * sum[i] / SAMPLES / SAMPLES;
    }
    assert_true(sampled > 0.5 * linear && sampled < 2 * linear);
    gr_wheel_data_free(&w.data);
}

/// Two loads, each slip measured twice: groups by load, scatter from the pairs, and the range of the data.
static void test_groups_and_repeats(void **state)
{
    (void)state;
    enum { COUNT = 16 };
    static GrFitResult result;
    static GrFitSpread known;
    static unsigned char role[COUNT];
    static GrWheelDatum items[COUNT];
    const GrWheelData data = {.items = items, .count = COUNT};
    GrFitDef def = gr_default_fit_def();
    def.data = &data;
    def.role = role;
    def.descend = true;
    set_free(&def, "phi", 0, 0);
    set_free(&def, "K", 0, 0);
    for (int i = 0; i < COUNT; i++) {
        double *v = items[i].value;
        GrRigPoint p;
        v[GR_SLIP] = 0.1 + 0.1 * (i / 4);
        v[GR_FZ] = i % 4 < 2 ? 50 : 80;
        assert_true(gr_fit_predict(&def.rig, &def.rig.soil, &items[i], &p));
        v[GR_FX] = p.f_x + 0.01 * v[GR_FZ] * (i % 2 == 0 ? 1 : -1);
        v[GR_FY] = v[GR_TORQUE] = v[GR_SINKAGE] = (double)NAN;
    }
    assert_int_equal(gr_fit_soil(&def, &result, NULL), GR_OK);
    assert_int_equal(gr_fit_spread(&def, &result, &known, NULL), GR_OK);
    const GrSpreadError *e = &known.spread.error[GR_SPREAD_FX];
    assert_near(e->repeats, 0.01 * sqrt(2), 1e-9); // pairs differ by 0.02
    const double student = 1.76131 / GR_BAND_HALF; // errors have nothing in common: 14 degrees of freedom
    assert_near(e->residual, student * 0.01 * sqrt(16.0 / 14), 1e-5);
    assert_true(e->discrepancy > e->residual && e->discrepancy < 4 * e->residual);
    assert_true(isnan(known.spread.error[GR_SPREAD_SINKAGE].residual));
    assert_int_equal(known.group_count, 2);
    assert_int_equal(known.groups[1].kind, GR_GROUP_LOAD);
    assert_near(known.groups[1].low, 80, 0);
    assert_int_equal(known.groups[1].points, 8);
    assert_near(known.spread.range.slip[1], 0.4, 1e-12);
    assert_int_equal(known.spread.count, 3); // phi, K_x and K_y
    assert_true(known.spread.correlation[1][2] > 0.9999 && known.spread.correlation[1][2] < 1);
    for (int i = 0; i < COUNT; i++) { // all errors of a load are the same: two tell little
        items[i].value[GR_FX] += 0.01 * items[i].value[GR_FZ] * ((i % 4 < 2 ? 1 : -1) - (i % 2 == 0 ? 1 : -1));
    }
    const double alone = e->residual;
    assert_int_equal(gr_fit_soil(&def, &result, NULL), GR_OK);
    assert_int_equal(gr_fit_spread(&def, &result, &known, NULL), GR_OK);
    print_message("residual %.4f, and %.4f where errors of a load are the same\n", alone, e->residual);
    assert_true(e->residual > 1.5 * alone);
}

/// Inside the range the residual scatter applies; outside it grows to the discrepancy, and no further.
static void test_growth_outside(void **state)
{
    (void)state;
    const GrConditions range = {{-0.5, 0.5}, {0, 30 * degree}, {50, 100}, {0.1, 0.1}, {0.2, 0.2}};
    const GrSpreadError error = {.residual = 0.03, .repeats = 0.01, .discrepancy = 0.05};
    GrCondition at = {0.2, -20 * degree, 70, 0.1, 0.2};
    assert_near(gr_conditions_outside(&range, &at), 0, 0);
    at.slip = 0.6;
    assert_near(gr_conditions_outside(&range, &at), 0.5, 1e-12);
    at.slip_angle = -42 * degree;
    assert_near(gr_conditions_outside(&range, &at), 0.8, 1e-12);
    at.load = 225;
    assert_near(gr_conditions_outside(&range, &at), 2, 1e-12);
    assert_near(gr_spread_remains(&error, 0), 0.03, 1e-15);
    assert_near(gr_spread_remains(&error, 0.5), sqrt((0.03 * 0.03 + 0.05 * 0.05) / 2), 1e-15);
    assert_near(gr_spread_remains(&error, 2), 0.05, 1e-15);
    assert_near(gr_spread_unit(GR_SPREAD_TORQUE, &at), 45, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth_outside), cmocka_unit_test(test_groups_and_repeats),
                                       cmocka_unit_test(test_samples_are_physical),
                                       cmocka_unit_test(test_bands_are_calibrated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
