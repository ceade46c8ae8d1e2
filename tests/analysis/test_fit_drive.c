/// The soil along a drive: drives that the model itself makes, with noise, give their soil back within its intervals.
#include "fit_drive.h"
#include "random.h"
#include "soil_param.h"
#include "test.h"

#include "grouser/soil_file.h"

#include <stdio.h>
#include <string.h>

enum { TWINS = 100, STRETCHES = 24, PARAMS = 4 };

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
    assert_int_equal(gr_drive_rover_make(&rover_def, &soil, 1.62, &rover, NULL), GR_OK);
    prior = gr_default_soil_spread();
    prior.kind = GR_SPREAD_CLASS;
    add_param("phi", normal(35, 3));
    add_param("c", log_normal(500, 0.5));
    add_param("K_x", log_normal(0.025, 0.4));
    add_param("k_phi", log_normal(8e5, 0.5));
    prior.correlation[0][1] = prior.correlation[1][0] = -0.5;
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
        const double slope = (3 + 11 * sin(0.7 * i)) * GR_DEGREE;
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

/// 100 drives over soils of a class, with sensors that scatter and are off: 90 % intervals cover the truth in 85 to
/// 95 % of all parameters, and are narrower than what was known before.
static void test_twins(void **state)
{
    (void)state;
    static GrStretch flat[STRETCHES], items[STRETCHES];
    static GrDriveFit fit;
    const GrDriveNoise noise = gr_default_drive_noise();
    int inside[PARAMS] = {0}, drives = 0;
    double narrowed[PARAMS] = {0};
    lay_out(flat, STRETCHES);
    for (int i = 0; i < TWINS; i++) {
        GrSoilDef truth;
        GrRandom random = gr_random_stream((uint64_t)i, "twin");
        const GrStretches stretches = {
            .items = items, .count = STRETCHES, .length = 0.5, .tilt_of = GR_TILT_CHASSIS, .distance = 0.5 * STRETCHES};
        const GrDriveFitDef def = {
            .rover = &rover, .stretches = &stretches, .soil = &soil, .prior = &prior, .noise = noise, .segments = 1};
        gr_soil_sample(&prior, NULL, &soil, 7, i, TWINS, &truth);
        memcpy(items, flat, sizeof items);
        if (!drive(&truth, &noise, &random, items, STRETCHES)) {
            continue; // no rover comes home from there
        }
        assert_int_equal(gr_fit_drive(&def, &fit, NULL), GR_OK);
        drives++;
        for (int k = 0; k < PARAMS; k++) {
            const double value = gr_soil_param_get(&truth, prior.param[k]);
            inside[k] += value >= fit.segments[0].low[k] && value <= fit.segments[0].high[k];
            narrowed[k] += fit.segments[0].narrowed[k];
        }
    }
    int sum = 0;
    for (int k = 0; k < PARAMS; k++) {
        sum += inside[k];
        printf("%d of %d, narrowed %g\n", inside[k], drives, narrowed[k] / drives);
    }
    printf("%d drives, coverage %g\n", drives, (double)sum / (PARAMS * drives));
    assert_true(drives >= 90);
    assert_true(sum >= 0.85 * PARAMS * drives && sum <= 0.95 * PARAMS * drives);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twins),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
