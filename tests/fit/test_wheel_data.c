#include "test.h"

#include "file.h"
#include "wheel_data.h"

static void test_columns_and_units(void **state)
{
    (void)state;
    static const char text[] =
        "trial;slip_percent;slip_angle_deg;sinkage_mm;fx_N;load_N\nfirst;20;-15;12.5;3;\nsecond;-10;0;;4;30\n";
    GrWheelData data;
    assert_int_equal(gr_wheel_data_parse(text, sizeof text - 1, "x.csv", &data, NULL), GR_OK);
    assert_int_equal(data.count, 2);
    assert_near(data.items[0].value[GR_SLIP], 0.2, 1e-15);
    assert_near(data.items[0].value[GR_SLIP_ANGLE], -15 * 3.14159265358979323846 / 180, 1e-15);
    assert_near(data.items[0].value[GR_SINKAGE], 0.0125, 1e-15);
    assert_true(isnan(data.items[0].value[GR_FZ]));
    assert_near(data.items[1].value[GR_FZ], 30, 0);
    assert_true(isnan(data.items[1].value[GR_SINKAGE]));
    assert_true(isnan(data.items[1].value[GR_TORQUE]));
    assert_true(data.has[GR_FX]);
    assert_false(data.has[GR_FY]);
    assert_int_equal(data.items[1].line, 3);
    gr_wheel_data_free(&data);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        int line, column;
    } cases[] = {
        {"fx_N,fy_N\n1,2\n", "no column 'slip'", 1, 0},
        {"slip,trial\n0.1,2\n", "no measured quantity", 1, 0},
        {"slip,fx_N\n0.1,2\n0.2,much\n", "'much' is not a number", 3, 2},
        {"slip,fx_N\n0.1,2\n1.2,3\n", "1.2 is out of range; allowed: -1 to 1", 3, 1},
        {"slip,fx_N,fz_N\n0.1,2,-3\n", "-3 is out of range; allowed: more than 0", 2, 3},
        {"slip,fx_N\n,3\n", "the cell is empty", 2, 1},
        {"slip,fz_N,load_N\n0,3,3\n", "mean the same", 1, 0},
        {"slip,fx_N\n", "no row under the header", 0, 0},
        {"slip,fx_N,radius_m\n0.1,2,0\n", "0 is out of range; allowed: above 0 to 100", 2, 3},
        {"slip,fx_N,grouser_count\n0.1,2,7.5\n", "7.5 is out of range; allowed: a whole number", 2, 3},
        {"slip,fx_N,sd_fx_N\n0.1,2,-1\n", "-1 is out of range; allowed: 0 or more", 2, 3},
        {"slip,fx_N,width_m\n0.1,2,\n", "every row needs the size of its wheel", 2, 3},
        {"slip,fx_N,sd_fx_N,sd_drawbar_N\n0.1,2,1,1\n", "mean the same", 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GrWheelData data;
        GrErrorLog error_log = {0};
        assert_int_not_equal(gr_wheel_data_parse(cases[i].text, strlen(cases[i].text), "x.csv", &data, &error_log),
                             GR_OK);
        if (strstr(error_log.items[0].text, cases[i].message) == NULL) {
            print_error("case %zu: %s\n", i, error_log.items[0].text);
            fail();
        }
        assert_string_equal(error_log.items[0].file, "x.csv");
        assert_int_equal(error_log.items[0].line, cases[i].line);
        assert_int_equal(error_log.items[0].column, cases[i].column);
        assert_null(data.items);
    }
}

/// A column in a unit, or near a known name, is data that the user expects to count: it is never passed over silently.
static void test_unknown_measurements(void **state)
{
    (void)state;
    static const struct {
        const char *header, *message; ///< NULL: accepted
    } cases[] = {
        {"slip,fx_N,fyy_N", "did you mean 'fy_N'?"},
        {"slip,fz_N,drawbar_pul_N", "did you mean 'drawbar_pull_N'?"},
        {"slip,fx_N,lift_kN", "unknown column that looks like a measurement"},
        {"slip,fx_N,camber_deg", "unknown column that looks like a measurement"},
        {"slip,fx_N,ignore_lift_N", NULL},
        {"slip,fx_N,sd_of_all_N", NULL},
        {"slip,fx_N,theta_m_deg", NULL},
        {"slip,fx_N,remark", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        GrWheelData data;
        GrErrorLog error_log = {0};
        snprintf(text, sizeof text, "%s\n0.1,2,3\n", cases[i].header);
        const GrStatus status = gr_wheel_data_parse(text, strlen(text), "x.csv", &data, &error_log);
        assert_int_equal(status, cases[i].message != NULL ? GR_ERROR_NAME : GR_OK);
        if (cases[i].message != NULL) {
            assert_non_null(strstr(error_log.items[0].text, cases[i].message));
            assert_string_equal(error_log.items[0].field, strrchr(cases[i].header, ',') + 1);
        } else {
            assert_int_equal(data.used.count, 2);
            assert_int_equal(data.ignored.count, 1);
            assert_string_equal(data.ignored.names[0], strrchr(cases[i].header, ',') + 1);
        }
        gr_wheel_data_free(&data);
    }
}

/// Two wheels in one file, one with grousers, and the scatter of trials.
static void test_own_wheels(void **state)
{
    (void)state;
    static const char text[] = "slip,fx_N,sd_fx_N,sd_sinkage_mm,radius_m,width_m,grouser_height_m\n"
                               "0.1,2,0.3,,0.06,0.05,0\n0.1,3,0,0.5,0.07,0.05,0.01\n";
    GrWheelData data;
    const GrRigDef def = gr_default_rig_def();
    assert_int_equal(gr_wheel_data_parse(text, sizeof text - 1, "x.csv", &data, NULL), GR_OK);
    assert_true(data.has_wheel);
    assert_near(data.items[0].scatter[GR_FX], 0.3, 1e-15);
    assert_near(data.items[1].scatter[GR_SINKAGE], 5e-4, 1e-15);
    const GrSoilWheelDef smooth = gr_wheel_datum_rig(&def, &data.items[0]).wheel;
    const GrSoilWheelDef lugs = gr_wheel_datum_rig(&def, &data.items[1]).wheel;
    assert_near(smooth.radius, 0.06, 0);
    assert_int_equal(smooth.grouser_count, 0);
    assert_near(lugs.radius, 0.07, 0);
    assert_near(lugs.grouser_height, 0.01, 0);
    assert_int_equal(lugs.grouser_count, 1);
    assert_near(gr_wheel_datum_rig(&def, &data.items[0]).load, def.load, 0);
    gr_wheel_data_slip_from(&data, &def, 0.06); // slip 0.1 at 0.06 m is 1 − 0.9 · 0.06/0.08 at the lug tips
    assert_near(data.items[0].value[GR_SLIP], 0.1, 1e-15);
    assert_near(data.items[1].value[GR_SLIP], 0.325, 1e-15);
    gr_wheel_data_free(&data);
}

/// Names as others write them, a row of units, and a map of columns with signs.
static void test_other_names(void **state)
{
    (void)state;
    static const char text[] = "Test;Slip [%];Drawbar Pull (N);Torque [N·m];Sinkage [mm];Vertical Load (N);Fx_std\n"
                               "-;[%];[N];[Nm];[mm];[N];-\n1;20;-3;1.5;12;40;0.1\n";
    static const char other[] = "s;F_x;F_z;depth_mm;camber_deg\n0.3;5;-40;-9;1\n";
    static const char *const map[] = {"slip=s", "fx_N=F_x", "fz_N=-F_z", "sinkage_mm=-depth_mm", NULL};
    static const struct {
        const char *entry, *message;
    } wrong[] = {{"slip=t", "there is no column 't'"},
                 {"slop=s", "there is no quantity 'slop'; did you mean 'slip'"},
                 {"slip", "takes NAME=COLUMN"}};
    GrWheelData data;
    assert_int_equal(gr_wheel_data_parse(text, sizeof text - 1, "x.csv", &data, NULL), GR_OK);
    assert_int_equal(data.count, 1);
    const double *v = data.items[0].value;
    assert_near(v[GR_SLIP], 0.2, 1e-15);
    assert_near(v[GR_FX], -3, 0);
    assert_near(v[GR_TORQUE], 1.5, 0);
    assert_near(v[GR_SINKAGE], 0.012, 1e-15);
    assert_near(v[GR_FZ], 40, 0);
    gr_wheel_data_free(&data);
    GrErrorLog log = {0};
    assert_int_equal(gr_file_write("./other.csv", other, sizeof other - 1, &log), GR_OK);
    assert_int_equal(gr_wheel_data_load("./other.csv", map, &data, &log), GR_OK);
    assert_near(data.items[0].value[GR_SLIP], 0.3, 0);
    assert_near(data.items[0].value[GR_FZ], 40, 0);
    assert_near(data.items[0].value[GR_SINKAGE], 0.009, 1e-15);
    assert_int_equal(data.ignored.count, 1);
    gr_wheel_data_free(&data);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const one[] = {wrong[i].entry, NULL};
        GrErrorLog messages = {0};
        assert_int_equal(gr_wheel_data_load("./other.csv", one, &data, &messages), GR_ERROR_NAME);
        assert_non_null(strstr(messages.items[0].text, wrong[i].message));
    }
}

static void test_drawbar_is_fx(void **state)
{
    (void)state;
    static const char *const names[] = {"drawbar_N", "drawbar_pull_N"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[100];
        GrWheelData data;
        snprintf(text, sizeof text, "slip,%s\n0.1,-7\n", names[i]);
        assert_int_equal(gr_wheel_data_parse(text, strlen(text), "x.csv", &data, NULL), GR_OK);
        assert_near(data.items[0].value[GR_FX], -7, 0);
        gr_wheel_data_free(&data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_and_units), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_names),       cmocka_unit_test(test_unknown_measurements),
        cmocka_unit_test(test_own_wheels),        cmocka_unit_test(test_drawbar_is_fx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
