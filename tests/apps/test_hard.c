/// `hard:` of scenario files as a user meets it: which contact and friction law acts between which materials, where the
/// ground is of which material, and which groups do not touch each other.
#include "run_command.h"

#include <stdlib.h>

/// Last value of a column of run.csv.
static double last_value(const char *folder, const char *column)
{
    static char line[65536], last[65536];
    char path[128];
    snprintf(path, sizeof path, "%s/run.csv", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    int index = 0;
    char *word = strtok(line, ",\n");
    for (; word != NULL && strcmp(word, column) != 0; index++) {
        word = strtok(NULL, ",\n");
    }
    assert_non_null(word);
    while (fgets(line, sizeof line, file) != NULL) {
        memcpy(last, line, sizeof last);
    }
    fclose(file);
    char *at = last;
    for (; index > 0; index--) {
        at = strchr(at, ',') + 1;
    }
    return strtod(at, NULL);
}

static double run_and_read(const char *sets, const char *column)
{
    char line[1024];
    snprintf(line, sizeof line, "run hard.yaml -o hard.run %s", sets);
    const GrRun *run = gr_run(line);
    if (run->exit_code != 0) {
        print_error("%s\n%s\n", run->out, run->err);
    }
    assert_int_equal(run->exit_code, 0);
    const double value = last_value("hard.run", column);
    assert_int_equal(system("rm -r hard.run"), 0);
    return value;
}

static const char PLATE[] = "rover: rashid_like\n"
                            "soil: none\n"
                            "gravity: mars\n"
                            "start: {height_m: 0.5}\n"
                            "hard: {restitution: 0.1}\n"
                            "parts:\n"
                            "  - box: {size_m: [6, 6, 0.1], at_m: [0, 0, 0.3], group: shelf}\n"
                            "stop: {time_s: 3, belly_share: inf}\n";

/// A rover falls onto a plate whose upper face is 0.35 m above the ground, or through it.
static void test_groups(void **state)
{
    (void)state;
    const double FACE = 0.35, DEPTH = 1e-3; // contacts of 10 MPa give way by tenths of a millimetre
    gr_run_write("hard.yaml", PLATE);
    const double on = run_and_read("", "z_m");
    const double through = run_and_read("--set 'hard.no_contact=[[shelf, wheels], [shelf, bodies]]'", "z_m");
    const double others = run_and_read("--set 'hard.no_contact=[[parts, wheels], [shelf, ground]]'", "z_m");
    const double belly = run_and_read("--set 'hard.no_contact=[[shelf, wheels]]'", "z_m");
    print_message("chassis at %.4f m on the plate, %.4f through it, %.4f on its belly\n", on, through, belly);
    assert_near(on - through, FACE, DEPTH);
    assert_near(others, on, 0);
    assert_true(belly > through + 0.2 && belly < on - 0.05);
    // a wheel with a group of its own
    const double own = run_and_read("--set rover:wheels.wheel_front_left.group=odd --set rover:wheels.wheel_rear_left."
                                    "group=odd --set 'hard.no_contact=[[odd, shelf], [bodies, shelf]]'",
                                    "z_m");
    assert_true(own < on - 0.05);

    const GrRun *run = gr_run("run hard.yaml -o hard.run --set 'hard.no_contact=[[wheels, shelv], [bodies]]'");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "hard.no_contact[0][1]: there is no group 'shelv'; did you mean 'shelf'?");
    assert_has(run->err, "hard.no_contact[1]: is a list of two names, [group, group]");
    unlink("hard.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
