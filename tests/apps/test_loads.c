/// grouser loads and grouser inverse: the answer of a run against its own table, the files they write, and faults.
#include "json_check.h"
#include "run_command.h"

#include <math.h>

static char csv[1 << 20], cycles[1 << 20], page[1 << 20];

/// Column of a header by its name.
static int column_of(const char *header, const char *name)
{
    int column = 0;
    for (const char *at = header; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL, column++) {
        if (strncmp(at, name, strlen(name)) == 0 && (at[strlen(name)] == ',' || at[strlen(name)] == '\n')) {
            return column;
        }
    }
    fail_msg("no column %s", name);
    return -1;
}

/// A cell; texts in quotes may have commas.
static double cell_of(const char *line, int column)
{
    for (bool quoted = false; column > 0; line++) {
        quoted = quoted != (*line == '"');
        column -= *line == ',' && !quoted;
    }
    return strtod(line, NULL);
}

/// The largest value of a column of the run, and its time.
static double largest_in_run(const char *column, double *time)
{
    static char table[8 << 20];
    FILE *file = fopen("loads.run/run.csv", "rb");
    assert_non_null(file);
    table[fread(table, 1, sizeof table - 1, file)] = '\0';
    fclose(file);
    const int at = column_of(table, column), when = column_of(table, "time_s");
    double most = -INFINITY;
    for (const char *line = strchr(table, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (cell_of(line, at) > most) {
            most = cell_of(line, at);
            *time = cell_of(line, when);
        }
    }
    return most;
}

static void test_answer_and_files(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run crossing --set stop.time_s=4 --set record.mcap=false -o loads.run");
    assert_int_equal(run->exit_code, 0);
    run = gr_run("loads loads.run --csv cases.csv --cycles cycles.csv --html loads.html");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(strncmp(run->out, "Largest force ", 14), 0); // the answer stands first
    gr_run_take("cases.csv", csv, sizeof csv);
    gr_run_take("cycles.csv", cycles, sizeof cycles);
    gr_run_take("loads.html", page, sizeof page);
    assert_has(page, "Load cases");
    assert_has(cycles, "bogie_left,fz_N,");
    double time = -1;
    const double most = largest_in_run("joint.bogie_left.fx_N", &time);
    const char *line = strstr(csv, "bogie_left,max fx,");
    assert_non_null(line);
    assert_near(cell_of(line, 2), most, 0);
    assert_near(cell_of(line, 3), time, 0);
    assert_near(cell_of(line, 4), most, 0);
    // a bogie is free to turn about y: its joint transmits no moment there
    line = strstr(csv, "bogie_left,max my,");
    const char *force = strstr(csv, "bogie_left,max moment,");
    assert_true(line != NULL && force != NULL);
    assert_true(fabs(cell_of(line, 2)) < 0.01 * cell_of(force, 2));
}

static void test_json_and_one_joint(void **state)
{
    (void)state;
    const GrRun *run = gr_run("loads loads.run --joint bogie_left --from 1 --to 3 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"extreme\": \"min fz\"");
    assert_true(strstr(run->out, "rocker_left") == NULL);
    run = gr_run("loads loads.run --joint bogie_let");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'bogie_left'");
    run = gr_run("loads loads.run --from 30");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "fewer than two samples");
    run = gr_run("loads nowhere.run");
    assert_int_equal(run->exit_code, 2);
    run = gr_run("loads loads.run --exponent 0");
    assert_int_equal(run->exit_code, 2);
}

/// A run of an older version has magnitudes alone.
static void test_old_runs(void **state)
{
    (void)state;
    if (system("mkdir -p old.run") != 0) {
        fail();
    }
    gr_run_write("old.run/run.csv", "time_s,joint.arm.load_force_N\n0,1\n1,2\n");
    const GrRun *run = gr_run("loads old.run");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "repeat the run");
}

/// A run's own table is a motion. In the air nothing holds the chassis.
static void test_inverse(void **state)
{
    (void)state;
    gr_run_write("motion.csv", "time_s,joint.steer_front_left.angle_deg\n0,0\n0.1,1\n0.2,4\n0.3,9\n0.4,16\n0.5,25\n");
    const GrRun *run = gr_run("inverse curiosity_like --motion motion.csv --gravity mars -o torques.csv --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    const char *joint = strstr(run->out, "\"joint\": \"steer_front_left\"");
    assert_non_null(joint);
    char value[40];
    value_of(joint, "torque", value, sizeof value);
    assert_true(fabs(strtod(value, NULL)) > 0);
    value_of(run->out, "chassis_force_max_N", value, sizeof value);
    assert_near_rel(strtod(value, NULL), 899 * 3.71, 0.02); // it is held up
    gr_run_take("torques.csv", csv, sizeof csv);
    assert_has(csv, "joint.steer_front_left.torque_Nm");
    run = gr_run("inverse curiosity_like --motion loads.run/run.csv --gravity mars");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(strncmp(run->out, "Largest torque ", 15), 0);
    gr_run_write("motion.csv", "time_s,joint.ster_front_left.angle_deg\n0,0\n0.1,1\n0.2,4\n");
    run = gr_run("inverse curiosity_like --motion motion.csv");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'steer_front_left'");
    run = gr_run("inverse curiosity_like");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--motion");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answer_and_files),
                                       cmocka_unit_test(test_json_and_one_joint), cmocka_unit_test(test_old_runs),
                                       cmocka_unit_test(test_inverse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
