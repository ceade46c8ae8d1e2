/// The soil along a drive: drives that the model itself makes, with noise, give their soil back within its intervals.
#include "drive_predict.h"
#include "random.h"
#include "soil_param.h"
#include "test.h"

#include "grouser/soil_file.h"

#include <stdio.h>
#include <string.h>

enum { SOILS = 128, TWINS = 100, STRETCHES = 16, PARAMS = 3 };

static GrRoverDef rover_def;
static GrSoilDef soil;
static GrSoilSpread prior;
static GrDriveRover rover;

static void add_param(const char *name, GrDistribution d)
{
    prior.param[prior.count] = gr_soil_param_find(name);
    prior.correlation[prior.count][prior.count] = 1;
    prior.distribution[prior.count++] = d;
}

static GrDistribution normal(double mean, double deviation)
{
    GrDistribution d = gr_default_distribution(GR_DISTRIBUTION_NORMAL);
    d.mean = mean;
    d.deviation = deviation;
    return d;
}

static GrDistribution log_normal(double median, double deviation)
{
    GrDistribution d = gr_default_distribution(GR_DISTRIBUTION_LOG_NORMAL);
    d.median = median;
    d.log_deviation = deviation;
    return d;
}

static int setup(void **state)
{
    (void)state;
    assert_int_equal(gr_rover_load("rashid_like", NULL, &rover_def, NULL), GR_OK);
    assert_int_equal(gr_soil_load("ishigami2007", NULL, &soil, NULL, NULL), GR_OK);
    soil.cohesion = 100; // so that friction counts
    assert_int_equal(gr_drive_rover_make(&rover_def, &soil, 9.80665, &rover, NULL), GR_OK);
    prior = gr_default_soil_spread();
    prior.kind = GR_SPREAD_CLASS;
    add_param("phi", normal(33, 5));
    add_param("K_x", log_normal(0.025, 0.6));
    add_param("k_phi", log_normal(8e5, 0.8));
    prior.correlation[1][2] = prior.correlation[2][1] = -0.4;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gr_drive_rover_free(&rover);
    gr_rover_free(&rover_def);
    return 0;
}

/// Slopes of a drive over hills, and the loads there.
static void lay_out(GrStretch *items, int count)
{
    for (int i = 0; i < count; i++) {
        const double slope = (3 + 10 * sin(0.7 * i)) * GR_DEGREE;
        items[i] = (GrStretch){.from = 0.5 * i, .to = 0.5 * (i + 1), .energy = (double)NAN};
        items[i].measured[GR_DRIVE_TILT] = slope;
        assert_int_equal(gr_drive_loads(&rover, slope, 0, items[i].loads, NULL), GR_OK);
    }
}

/// What a drive over a soil measures; false where the rover cannot climb.
static bool drive(const GrSoilDef *truth, const GrDriveNoise *noise, GrRandom *random, GrStretch *items, int count)
{
    static GrDriveSoil under;
    double offset[GR_DRIVE_QUANTITIES];
    assert_int_equal(gr_drive_soil_make(&rover, truth, &under, NULL), GR_OK);
    for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
        offset[q] = noise->offset[q] * gr_random_normal(random);
    }
    for (int i = 0; i < count; i++) {
        GrDrivePoint p;
        double *y = items[i].measured;
        const double slip = gr_drive_slip(&rover, &under, items[i].loads, y[GR_DRIVE_TILT], GR_TILT_GROUND, 0, 0, &p);
        const double exact[] = {slip, y[GR_DRIVE_TILT] + p.lean, p.torque, p.sinkage};
        if (!(slip < 0.9)) {
            return false;
        }
        for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
            y[q] = exact[q] + offset[q] + noise->scatter[q] * gr_random_normal(random);
        }
    }
    return true;
}

static GrDriveFitDef twin_def(const GrStretches *stretches)
{
    return (GrDriveFitDef){.rover = &rover,
                           .stretches = stretches,
                           .soil = &soil,
                           .prior = &prior,
                           .noise = gr_default_drive_noise(),
                           .segments = 1,
                           .shortest = 2};
}

/// 100 drives over soils of a class, with sensors that scatter and are off: 90 % intervals cover the truth in 85 to
/// 95 % of all parameters, and are narrower than what was known before.
static void test_twins(void **state)
{
    (void)state;
    static GrStretch ground[STRETCHES], items[STRETCHES];
    static GrDriveFit fit;
    const GrStretches stretches = {.items = items, .count = STRETCHES, .length = 0.5, .distance = 0.5 * STRETCHES};
    const GrDriveFitDef def = twin_def(&stretches);
    int inside = 0, drives = 0;
    double narrowed[PARAMS] = {0};
    lay_out(ground, STRETCHES);
    for (int i = 0; i < SOILS && drives < TWINS; i++) {
        GrSoilDef truth;
        GrRandom random = gr_random_stream((uint64_t)i, "twin");
        gr_soil_sample(&prior, NULL, &soil, 7, i, SOILS, &truth);
        memcpy(items, ground, sizeof items);
        if (!drive(&truth, &def.noise, &random, items, STRETCHES)) {
            continue; // no rover comes home from there
        }
        assert_int_equal(gr_fit_drive(&def, &fit, NULL), GR_OK);
        drives++;
        for (int k = 0; k < PARAMS; k++) {
            const double value = gr_soil_param_get(&truth, prior.param[k]);
            inside += value >= fit.segments[0].low[k] && value <= fit.segments[0].high[k];
            narrowed[k] += fit.segments[0].narrowed[k] / TWINS;
        }
    }
    assert_int_equal(drives, TWINS);
    assert_true(inside >= 0.85 * PARAMS * TWINS && inside <= 0.95 * PARAMS * TWINS);
    for (int k = 0; k < PARAMS; k++) {
        assert_true(narrowed[k] < 0.8);
    }
}

/// The soil changes once: the change point is found to a stretch, the two soils differ as they should, and a drive over
/// one soil has none.
static void test_change(void **state)
{
    (void)state;
    enum { LONG = 2 * STRETCHES };
    static GrStretch items[LONG];
    static GrDriveFit fit;
    const GrStretches stretches = {.items = items, .count = LONG, .length = 0.5, .distance = 0.5 * LONG};
    GrDriveFitDef def = twin_def(&stretches);
    GrRandom random = gr_random_stream(1, "change");
    GrSoilDef firm = soil, soft = soil;
    const int k_phi = prior.param[2];
    def.segments = 0;
    memset(def.noise.offset, 0, sizeof def.noise.offset); // drawn once for a drive, not for each half
    gr_soil_param_set(&firm, k_phi, 2e6);
    gr_soil_param_set(&soft, k_phi, 5e5);
    lay_out(items, LONG);
    assert_true(drive(&firm, &def.noise, &random, items, STRETCHES));
    assert_true(drive(&soft, &def.noise, &random, items + STRETCHES, STRETCHES));
    def.noise = gr_default_drive_noise();
    assert_int_equal(gr_fit_drive(&def, &fit, NULL), GR_OK);
    assert_int_equal(fit.count, 2);
    assert_near(fit.segments[1].first, STRETCHES, 1);
    assert_true(fit.segments[0].low[2] < 2e6 && fit.segments[0].high[2] > 2e6 && fit.segments[0].low[2] > 5e5);
    assert_true(fit.segments[1].low[2] < 5e5 && fit.segments[1].high[2] > 5e5 && fit.segments[1].high[2] < 2e6);
    for (int i = 0; i < 3; i++) {
        lay_out(items, LONG);
        assert_true(drive(&soil, &def.noise, &random, items, LONG));
        assert_int_equal(gr_fit_drive(&def, &fit, NULL), GR_OK);
        assert_int_equal(fit.count, 1);
    }
    def.segments = 2;
    assert_int_equal(gr_fit_drive(&def, &fit, NULL), GR_OK);
    assert_int_equal(fit.count, 2);
    def.segments = 8;
    def.shortest = 4;
    assert_int_equal(gr_fit_drive(&def, &fit, NULL), GR_ERROR_VALUE);
}

/// What a fit writes is read back, and a drive over the true soil lies in its bands as often as they say.
static void test_predict(void **state)
{
    (void)state;
    enum { LONG = 2 * STRETCHES };
    static GrStretch items[LONG];
    static GrDriveFit fit;
    static GrSoilSpread spread;
    const GrStretches stretches = {.items = items, .count = LONG, .length = 0.5, .distance = 0.5 * LONG};
    GrDriveFitDef def = twin_def(&stretches);
    GrRandom random = gr_random_stream(2, "predict");
    int measured = 0, inside = 0;
    for (int i = 0; i < 3; i++) {
        GrDrivePrediction p;
        lay_out(items, LONG);
        assert_true(drive(&soil, &def.noise, &random, items, LONG));
        assert_int_equal(gr_fit_drive(&def, &fit, NULL), GR_OK);
        gr_drive_spread(&def, &fit.segments[0], "a twin", &spread);
        assert_int_equal(spread.kind, GR_SPREAD_FIT);
        assert_int_equal(spread.count, PARAMS);
        lay_out(items, LONG); // the next day
        assert_true(drive(&soil, &def.noise, &random, items, LONG));
        const GrDrivePredictDef next = {.rover = &rover,
                                        .stretches = &stretches,
                                        .soil = &fit.segments[0].soil,
                                        .spread = &spread,
                                        .noise = def.noise,
                                        .samples = 32,
                                        .seed = 1};
        assert_int_equal(gr_drive_predict(&next, &p, NULL), GR_OK);
        const GrCoverage slip = gr_drive_coverage(&p, GR_PREDICTED_SLIP),
                         torque = gr_drive_coverage(&p, GR_PREDICTED_TORQUE);
        measured += slip.measured + torque.measured;
        inside += slip.inside + torque.inside;
        assert_true(p.total.low < p.total.value && p.total.value < p.total.high);
        gr_drive_prediction_free(&p);
    }
    assert_true(inside >= 0.85 * measured && inside <= 0.97 * measured);
    // outside its data the soil's discrepancy counts
    GrDrivePrediction p[2];
    for (int k = 0; k < 2; k++) {
        const GrDrivePredictDef next = {.rover = &rover,
                                        .stretches = &stretches,
                                        .soil = &fit.segments[0].soil,
                                        .spread = &spread,
                                        .noise = def.noise,
                                        .samples = 8,
                                        .seed = 1};
        spread.range.load[k] = 1e3; // first a range that is empty, then one far away
        spread.error[GR_SPREAD_SINKAGE].discrepancy = k == 0 ? (double)NAN : 0.5;
        assert_int_equal(gr_drive_predict(&next, &p[k], NULL), GR_OK);
        assert_int_equal(p[k].extrapolated, LONG);
    }
    const GrDriveBand *narrow = &p[0].items[0][GR_PREDICTED_SINKAGE], *wide = &p[1].items[0][GR_PREDICTED_SINKAGE];
    assert_true(wide->high - wide->low > 3 * (narrow->high - narrow->low));
    gr_drive_prediction_free(&p[0]);
    gr_drive_prediction_free(&p[1]);
}

/// Loads on a slope: they add up to the weight across the plane, and the rear wheels take what the height of the centre
/// of mass shifts to them.
static void test_loads(void **state)
{
    (void)state;
    const double slope = 12 * GR_DEGREE;
    double level[GR_DRIVE_WHEELS_MAX], up[GR_DRIVE_WHEELS_MAX], sum = 0, moment = 0;
    assert_int_equal(gr_drive_loads(&rover, 0, 0, level, NULL), GR_OK);
    assert_int_equal(gr_drive_loads(&rover, slope, 0, up, NULL), GR_OK);
    GrOptions options = gr_default_options();
    GrModel *m = NULL;
    gr_model_create(&rover_def, &options, &m, NULL);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    GrStance stance;
    double loads[GR_DRIVE_WHEELS_MAX];
    assert_int_equal(gr_stand_on_plane(m, d, loads, &stance, NULL), GR_OK);
    for (int i = 0; i < rover.wheel_count; i++) {
        sum += up[i];
        moment += rover.ahead[i] * (up[i] - level[i] * cos(slope));
    }
    assert_near(sum, rover.weight * cos(slope), 1e-6 * rover.weight);
    assert_near(moment, -rover.weight * sin(slope) * stance.com.z, 1e-3 * rover.weight * stance.com.z);
    gr_data_free(d);
    gr_model_free(m);
}

/// The table of a soil agrees with its law: forces to 0.003 of the load, sinkage to 0.003 of the radius, at loads and
/// slips of drives; at slip angles of some degrees, which change forces at small slips, to three times that.
static void test_table(void **state)
{
    (void)state;
    static const struct {
        const char *soil;
        GrSoilLaw law;
    } CASES[] = {{"ishigami2007", GR_SOIL_WONG_REECE},
                 {"dlr_d2", GR_SOIL_BEKKER},
                 {"cmu_smooth_fit", GR_SOIL_WONG_REECE},
                 {"cmu_soildirect90_rft", GR_SOIL_RFT}};
    static GrDriveSoil table;
    GrRandom random = gr_random_stream(3, "table");
    const double mean = rover.weight / rover.wheel_count;
    double worst[2][3] = {{0}};
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        GrSoilDef own;
        assert_int_equal(gr_soil_load(CASES[k].soil, NULL, &own, NULL, NULL), GR_OK);
        own.law = CASES[k].law;
        assert_int_equal(gr_drive_soil_make(&rover, &own, &table, NULL), GR_OK);
        GrRig rig = table.wheels[0].rig;
        for (int i = 0; i < (own.law == GR_SOIL_RFT ? 12 : 60); i++) {
            GrDriveWheelPoint p;
            GrRigPoint exact;
            const bool oblique = own.law != GR_SOIL_RFT && i % 2 == 1;
            const double slip = gr_random_uniform(&random, -0.3, 0.7), angle = oblique ? 3 * GR_DEGREE : 0;
            rig.def.load = mean * gr_random_uniform(&random, 0.5, 2);
            assert_int_equal(gr_rig_point(&rig, slip, angle, &exact), GR_OK);
            assert_true(gr_drive_wheel(&rover, &table, 1, rig.def.load, slip, angle, &p));
            const double off[] = {(p.pull - exact.f_x) / rig.def.load,
                                  (p.torque - exact.torque) / (rig.def.load * rover.radius),
                                  (p.sinkage - exact.sinkage) / rover.radius};
            for (int q = 0; q < 3; q++) {
                worst[oblique][q] = fmax(worst[oblique][q], fabs(off[q]));
            }
        }
    }
    for (int q = 0; q < 3; q++) {
        assert_true(worst[0][q] < 0.003);
        assert_true(worst[1][q] < 0.009);
    }
}

/// A whole simulation of a steady climb has the slip of the model to a hundredth, its torque and energy to 3 %.
static void test_simulation(void **state)
{
    (void)state;
    static GrDriveSoil under;
    for (int i = 0; i < 3; i++) {
        const double slope = (4 * i - 2) * GR_DEGREE;
        GrSteadyDriveDef def = gr_default_steady_drive_def();
        GrSteadyDrive simulated;
        GrDrivePoint p;
        double loads[GR_DRIVE_WHEELS_MAX];
        def.rover = &rover_def;
        def.soil = &soil;
        def.slope = slope;
        assert_int_equal(gr_steady_drive(&def, &simulated, NULL), GR_OK);
        assert_int_equal(gr_drive_loads(&rover, slope, 0, loads, NULL), GR_OK);
        assert_int_equal(gr_drive_soil_make(&rover, &soil, &under, NULL), GR_OK);
        const double slip = gr_drive_slip(&rover, &under, loads, slope, GR_TILT_GROUND, 0, 0, &p);
        const double torque = p.torque * rover.weight / rover.wheel_count * rover.radius;
        assert_near(slip, simulated.slip, 0.01);
        assert_near(torque, simulated.torque_mean, 0.03 * fabs(simulated.torque_mean));
        if (slope > 0) {
            assert_near(p.energy, simulated.power / simulated.speed, 0.03 * p.energy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twins), cmocka_unit_test(test_change), cmocka_unit_test(test_predict),
        cmocka_unit_test(test_loads), cmocka_unit_test(test_table),  cmocka_unit_test(test_simulation),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
