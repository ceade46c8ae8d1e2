/// The single-wheel rig on a deformable grid: steady, converged, and compared with the steady law on the same soil.
#include "fit.h"
#include "rig.h"
#include "test.h"

#include "grouser/soil_file.h"

static GrRigPoint point(GrSoilLaw law, double slip, double cell, int steps)
{
    GrRigDef def = gr_default_rig_def();
    GrRig rig;
    GrRigPoint out;
    def.soil.law = law;
    def.cell = cell;
    def.steps = steps;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    assert_int_equal(gr_rig_point(&rig, slip, 0, &out), GR_OK);
    assert_near_rel(out.f_z, def.load, 1e-3);
    return out;
}

/// Half the cell and half the step change drawbar pull and sinkage by less than 3 %.
static void test_convergence(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double slip = 0.3 * k;
        const GrRigPoint coarse = point(GR_SOIL_SCM, slip, 0.01, 200), fine = point(GR_SOIL_SCM, slip, 0.005, 400);
        print_message("slip %g: sinkage %g, %g mm; f_x %g, %g N; torque %g, %g N m\n", slip, 1e3 * coarse.sinkage,
                      1e3 * fine.sinkage, coarse.f_x, fine.f_x, coarse.torque, fine.torque);
        assert_near_rel(coarse.sinkage, fine.sinkage, 0.03);
        assert_near_rel(coarse.f_x, fine.f_x, 0.03);
        assert_near_rel(coarse.torque, fine.torque, 0.03);
    }
}

/// Slip sinkage of CMU's smooth wheel (data/measurements/cmu_smooth.csv, slip angle 0): D_max and j0 fitted by hand to
/// four points, which the digging then follows within their spread over three trials. The peak of the pressure moves
/// forward with slip (Onafeko & Reece 1967), so that the pull levels off as in the trials: from slip 0.5 on it changes
/// by less than a tenth of the load (measured 0.5 N). It rose by 6.5 N when digging began at the front.
static void test_slip_sinkage(void **state)
{
    (void)state;
    static const double trials[4][3] = {// slip, sinkage and its standard deviation [mm]
                                        {0.2312, 17.878, 1.009},
                                        {0.5, 22.74, 0.22},
                                        {0.7502, 25.441, 0.339},
                                        {0.8997, 25.734, 0.137}};
    GrRigDef def = gr_default_rig_def();
    assert_int_equal(gr_soil_load("cmu_soildirect90", NULL, &def.soil, NULL, NULL), GR_OK);
    def.soil.law = GR_SOIL_SCM;
    def.soil.slip_sinkage_max = 0.0165;
    def.soil.slip_sinkage_length = 0.055;
    def.wheel.radius = 0.058;
    def.wheel.width = 0.05;
    def.load = 24.6;
    GrRig rig;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    double square = 0, spread = 0, peak[4], pull[4];
    for (int k = 0; k < 4; k++) {
        GrRigPoint out;
        assert_int_equal(gr_rig_point(&rig, trials[k][0], 0, &out), GR_OK);
        print_message("slip %g: %.2f mm, measured %.2f mm; f_x %.2f N, peak at %.1f deg\n", trials[k][0],
                      1e3 * out.sinkage, trials[k][1], out.f_x, out.theta_peak / GR_DEGREE);
        pull[k] = out.f_x;
        peak[k] = out.theta_peak;
        square += pow(1e3 * out.sinkage - trials[k][1], 2) / 4;
        spread += pow(trials[k][2], 2) / 4;
    }
    print_message("root mean square %.2f mm, spread of the trials %.2f mm\n", sqrt(square), sqrt(spread));
    assert_true(square < spread);
    assert_true(peak[2] > peak[0] + 5 * GR_DEGREE);
    assert_near(pull[3], pull[1], 0.1 * def.load);
}

/// The shipped soil, fitted at slip angles of 0 and 45 degrees, at the same load: sinkage rises less and less towards
/// high slip and stays near the trials, and the pull does not fall as soil is dug. It rose more and more, from 21 to
/// 27.5 mm, and lost a tenth of the load, when all that slides dug, also at wheels that skid.
static void test_saturation(void **state)
{
    (void)state;
    static const double slips[5] = {0.1, 0.3, 0.5, 0.7, 0.9}, measured[5] = {15.9, 19.1, 22.7, 24.9, 25.7};
    GrRigDef def = gr_default_rig_def();
    assert_int_equal(gr_soil_load("cmu_smooth_scm", NULL, &def.soil, NULL, NULL), GR_OK);
    def.wheel.radius = 0.058;
    def.wheel.width = 0.05;
    def.load = 24.6;
    GrRig rig;
    GrRigPoint out[5];
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(gr_rig_point(&rig, slips[k], 0, &out[k]), GR_OK);
        print_message("slip %g: %.2f mm, %.1f between the trials; f_x %.2f N\n", slips[k], 1e3 * out[k].sinkage,
                      measured[k], out[k].f_x);
        assert_near(1e3 * out[k].sinkage, measured[k], 1.5);
    }
    assert_true(out[4].sinkage - out[3].sinkage < 0.5 * (out[1].sinkage - out[0].sinkage));
    assert_true(out[2].f_x - out[4].f_x < 0.05 * def.load);
}

/// The shipped soil at all slips at 75 degrees, which was not fitted (6.6 N, 12.5 N and 13.3 mm before soil was
/// ploughed aside ahead of the wheel).
static void test_held_back_angle(void **state)
{
    (void)state;
    GrWheelData data;
    GrRigDef def = gr_default_rig_def();
    double f_x = 0, f_y = 0, sinkage = 0;
    int count = 0;
    assert_int_equal(gr_soil_load("cmu_smooth_scm", NULL, &def.soil, NULL, NULL), GR_OK);
    assert_int_equal(gr_wheel_data_load(GR_TEST_SOURCE_DIR "/data/measurements/cmu_smooth.csv", NULL, &data, NULL),
                     GR_OK);
    def.wheel.radius = 0.058;
    def.wheel.width = 0.05;
    for (int i = 0; i < data.count; i++) {
        const double *v = data.items[i].value;
        GrRigPoint out;
        if (fabs(v[GR_SLIP_ANGLE] - 75 * GR_DEGREE) < 1e-6) {
            assert_true(gr_fit_predict(&def, &def.soil, &data.items[i], &out));
            f_x += pow(out.f_x - v[GR_FX], 2);
            f_y += pow(out.f_y - v[GR_FY], 2);
            sinkage += pow(1e3 * (out.sinkage - v[GR_SINKAGE]), 2);
            count++;
        }
    }
    gr_wheel_data_free(&data);
    assert_int_equal(count, 9);
    f_x = sqrt(f_x / count);
    f_y = sqrt(f_y / count);
    sinkage = sqrt(sinkage / count);
    print_message("75 deg, held back: off by %.2f N, %.2f N, %.2f mm\n", f_x, f_y, sinkage);
    assert_true(f_x < 2.5 && f_y < 3 && sinkage < 2);
}

/// Against wong_reece with the same numbers (docs/scm.md says why they differ): sinkage near at small slip, more at
/// large slip; less pull, because nothing pushes from behind; at zero slip the wheel is held back.
static void test_beside_wong_reece(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double slip = 0.3 * k;
        const GrRigPoint grid = point(GR_SOIL_SCM, slip, 0.01, 200), law = point(GR_SOIL_WONG_REECE, slip, 0.01, 200);
        assert_true(grid.f_x < law.f_x);
        assert_true(grid.f_x > law.f_x - 0.16 * law.f_z);
        assert_near_rel(grid.torque, law.torque, 0.16);
        assert_true(grid.sinkage > law.sinkage);
        // slip digs in the grid: D_max (1 − e^(−j/j0)), D_max = r/5, j0 = D_max/0.1
        const double r = gr_default_rig_def().wheel.radius, j = r * acos(1 - grid.sinkage / r) * slip / (1 - slip);
        const double dug = 0.2 * r * (1 - exp(-0.1 * j / (0.2 * r)));
        assert_true(slip > 0.5 || grid.sinkage < 1.1 * law.sinkage + dug);
        assert_true(slip > 0 || grid.f_x < -0.1 * grid.f_z);
    }
}

/// A held wheel is one too, and a grid that does not fit is refused with the reason.
static void test_held(void **state)
{
    (void)state;
    GrRigDef def = gr_default_rig_def();
    GrRig rig;
    GrRigPoint out;
    GrErrorLog log = {0};
    def.soil.law = GR_SOIL_SCM;
    def.by_sinkage = true;
    def.sinkage = 0.016;
    assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
    assert_int_equal(gr_rig_point(&rig, 0, 0, &out), GR_OK);
    assert_near(out.sinkage, 0.016, 1e-12);
    assert_near_rel(out.f_z, def.load, 0.1);
    def.cell = 0;
    assert_int_equal(gr_rig_make(&def, &rig, &log), GR_ERROR_VALUE);
    assert_string_equal(log.items[0].field, "cell");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convergence),       cmocka_unit_test(test_slip_sinkage),
        cmocka_unit_test(test_saturation),        cmocka_unit_test(test_held_back_angle),
        cmocka_unit_test(test_beside_wong_reece), cmocka_unit_test(test_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
