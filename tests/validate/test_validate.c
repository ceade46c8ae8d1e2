/// Verdicts, the table of cases, shipped measurements, and what the trials behind the cases do beyond published
/// figures.
#include "carriage.h"
#include "measured.h"
#include "rigid_b23.h"
#include "validate.h"

#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_verdicts(void **state)
{
    (void)state;
    const struct {
        GrFinding finding;
        GrVerdict verdict;
    } rows[] = {
        {{.expected = 2, .ours = 2.5, .allowed = 0.5}, GR_VERDICT_PASS},
        {{.expected = 2, .ours = 1.5, .allowed = 0.5}, GR_VERDICT_PASS},
        {{.expected = 2, .ours = 2.6, .allowed = 0.5}, GR_VERDICT_OUT},
        {{.expected = 2, .ours = 2.6, .allowed = 0.5, .bound = 0.7}, GR_VERDICT_OUT}, // no reason
        {{.expected = 2, .ours = 2.6, .allowed = 0.5, .bound = 0.7, .reason = "r"}, GR_VERDICT_KNOWN},
        {{.expected = 2, .ours = 2.4, .allowed = 0.5, .bound = 0.7, .reason = "r"}, GR_VERDICT_PASS},
        {{.expected = 2, .ours = 2.8, .allowed = 0.5, .bound = 0.7, .reason = "r"}, GR_VERDICT_OUT}, // got worse
        {{.expected = 2, .ours = 9, .limit = GR_LIMIT_AT_LEAST}, GR_VERDICT_PASS},
        {{.expected = 2, .ours = 1, .limit = GR_LIMIT_AT_LEAST}, GR_VERDICT_OUT},
        {{.expected = 2, .ours = 1, .limit = GR_LIMIT_AT_MOST}, GR_VERDICT_PASS},
        {{.expected = 2, .ours = 9, .limit = GR_LIMIT_AT_MOST}, GR_VERDICT_OUT},
        {{.expected = 2, .ours = (double)NAN, .limit = GR_LIMIT_AT_MOST}, GR_VERDICT_OUT},
        {{.expected = 2, .ours = (double)NAN, .allowed = 0.5}, GR_VERDICT_OUT},
        {{.expected = 2, .ours = (double)NAN, .allowed = 0.5, .bound = 9, .reason = "r"}, GR_VERDICT_OUT},
        {{.expected = 2, .ours = (double)INFINITY, .allowed = 0.5, .bound = 9, .reason = "r"}, GR_VERDICT_OUT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(gr_finding_verdict(&rows[i].finding), rows[i].verdict);
    }
    assert_string_equal(gr_verdict_text(GR_VERDICT_KNOWN), "known deviation");
}

static void test_findings_keep_order_and_copies(void **state)
{
    (void)state;
    GrFindings findings = {0};
    double x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    for (int i = 0; i < 40; i++) {
        gr_findings_add(&findings, i, i + 1, 0.5, "figure %d [m]", i);
    }
    gr_findings_known(&findings, 2, "because");
    const GrFindingCurve curve = {.panel = "p", .x_label = "x", .y_label = "y", .measured = true};
    gr_findings_curve(&findings, &curve, x, y, 3);
    x[0] = y[2] = 0;
    assert_int_equal(findings.count, 40);
    assert_string_equal(findings.items[39].quantity, "figure 39 [m]");
    assert_null(findings.items[38].reason);
    assert_string_equal(findings.items[39].reason, "because");
    assert_int_equal(findings.curve_count, 1);
    assert_near(findings.curves[0].x[0], 1, 0);
    assert_near(findings.curves[0].y[2], 6, 0);
    gr_findings_free(&findings);
    assert_int_equal(findings.count, 0);
}

/// Names are unique and have a group; every case says where it comes from and what it allows.
static void test_table_is_whole(void **state)
{
    (void)state;
    const GrValidationCase *c, *other;
    int count = 0;
    for (; (c = gr_validation_case(count)) != NULL; count++) {
        assert_non_null(strchr(c->name, '/'));
        assert_true(strlen(c->author) > 3 && strlen(c->author) < 30);
        assert_true(strlen(c->source) > 20 && strlen(c->allowance) > 10);
        for (int j = 0; j < count; j++) {
            other = gr_validation_case(j);
            assert_string_not_equal(c->name, other->name);
        }
    }
    assert_true(count > 20);
    assert_null(gr_validation_case(count + 1));
}

static void write_table(const char *text)
{
    mkdir("validate_data", 0777);
    mkdir("validate_data/measurements", 0777);
    FILE *file = fopen("validate_data/measurements/test_table.csv", "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_measured_tables(void **state)
{
    (void)state;
    const char *const columns[] = {"b_m", "a_m"};
    GrMeasured table;
    GrErrorLog log = {0};
    setenv("GROUSER_DATA", "validate_data", 1);
    write_table("# a remark\na_m,note,b_m\n1,x,10\n2.5,y,-20\n");
    assert_int_equal(gr_measured_load("test_table", columns, 2, &table, &log), GR_OK);
    assert_int_equal(table.count, 2);
    assert_near(gr_measured_column(&table, 0)[1], -20, 0);
    assert_near(gr_measured_column(&table, 1)[1], 2.5, 0);
    gr_measured_free(&table);
    write_table("a_m,b_m\n1,10\n2,2O\n");
    assert_int_equal(gr_measured_load("test_table", columns, 2, &table, &log), GR_ERROR_VALUE);
    assert_int_equal(log.items[0].line, 3);
    assert_string_equal(log.items[0].field, "b_m");
    assert_null(table.values);
    write_table("a_m,c_m\n1,10\n");
    assert_int_equal(gr_measured_load("test_table", columns, 2, &table, &log), GR_ERROR_FIELD);
    assert_int_equal(gr_measured_load("no_such_table", columns, 2, &table, &log), GR_ERROR_FILE);
    unlink("validate_data/measurements/test_table.csv");
    rmdir("validate_data/measurements");
    rmdir("validate_data");
    unsetenv("GROUSER_DATA");
}

/// A sliding distance goes with the square of the speed, whatever the law's closed form says about one of them.
static void test_sliding_scales(void **state)
{
    (void)state;
    double once, twice;
    assert_int_equal(gr_b23_slide(GR_FRICTION_SPRING, 1, &once, NULL), GR_OK);
    assert_int_equal(gr_b23_slide(GR_FRICTION_SPRING, 2, &twice, NULL), GR_OK);
    assert_near_rel(twice / once, 4.0, 0.02);
    GrErrorLog log = {0};
    assert_int_equal(gr_b23_slide(GR_FRICTION_LAW_COUNT, 1, &once, &log), GR_ERROR_MODEL);
    assert_true(log.error_count > 0);
}

/// e of the law by integrating its equation of motion, m = k = 1: δ̈ = −δ^1.5 (1 + d δ̇), from δ̇ = 1.
static void test_closed_restitution(void **state)
{
    (void)state;
    for (int i = 1; i <= 9; i++) {
        const double zeta = 0.1 * i, d = 8.0 / 5 * (1 - zeta) / zeta, dt = 1e-5;
        double depth = 0, speed = 1;
        do { // midpoint rule
            const double middle = depth + dt / 2 * speed;
            const double half = speed - dt / 2 * pow(depth, 1.5) * (1 + d * speed);
            speed -= dt * pow(fmax(middle, 0), 1.5) * (1 + d * half);
            depth += dt * half;
        } while (depth > 0);
        assert_near(gr_b23_closed_restitution(zeta), -speed, 1e-4);
    }
}

/// The slip that was found gives the pull that was requested, and there is none for a pull beyond the soil's strength.
static void test_slip_for_pull(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilWheel w;
    GrSoilSteady steady;
    assert_int_equal(gr_soil_wheel_prepare(&soil, &wheel, &w, NULL), GR_OK);
    const double pulls[] = {-2, 0, 5, 15};
    for (int i = 0; i < 4; i++) {
        const double slip = gr_slip_for_pull(&w, 64.68, pulls[i]);
        assert_int_equal(gr_soil_steady_load(&w, slip, 0, 64.68, 0, &steady, NULL), GR_OK);
        assert_near(steady.f_x, pulls[i], 1e-9);
    }
    assert_true(isnan(gr_slip_for_pull(&w, 64.68, 60)));
    assert_true(isnan(gr_slip_for_pull(&w, 64.68, -60)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),       cmocka_unit_test(test_findings_keep_order_and_copies),
        cmocka_unit_test(test_table_is_whole), cmocka_unit_test(test_measured_tables),
        cmocka_unit_test(test_sliding_scales), cmocka_unit_test(test_closed_restitution),
        cmocka_unit_test(test_slip_for_pull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
