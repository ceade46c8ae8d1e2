/// grouser run from the user's view: files, JSON, outcomes, same bits, a run that is killed.
#include "json_check.h"
#include "run_command.h"

#include <stdlib.h>
#include <sys/stat.h>

static const char SCENARIO[] = "title: A short drive\n"
                               "rover: el_dorado2\n"
                               "soil: ishigami2007\n"
                               "gravity: moon\n"
                               "terrain:\n"
                               "  size_m: 30\n"
                               "  add:\n"
                               "    - fractal: {rms_m: 0.01, smallest_m: 0.3}\n"
                               "  rocks: {k: 0.02, smallest_m: 0.05, largest_m: 0.12, clear_m: 1}\n"
                               "drive:\n"
                               "  speed_mps: 0.1\n"
                               "  path: [[1.5, 0.3]]\n"
                               "stop: {time_s: 60}\n";

static void assert_file(const char *path, long least)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_true(about.st_size >= least);
}

static void test_files(void **state)
{
    (void)state;
    gr_run_write("short.yaml", SCENARIO);
    const GrRun *run = gr_run("run short.yaml -o short.run");
    assert_int_equal(run->exit_code, 0);
    assert_only(run->err, "was fitted under"); // a soil of Earth on the Moon
    assert_has(run->out, "A short drive");
    assert_has(run->out, "reached_goal");
    assert_has(run->out, "wrote short.run/");
    assert_file("short.run/run.csv", 10000);
    assert_file("short.run/run.mcap", 10000);
    assert_file("short.run/summary.json", 500);
    assert_file("short.run/report.html", 20000);
}

/// Files that a scenario leaves out are neither written nor left over from an earlier run, and change nothing else.
static void test_fewer_files(void **state)
{
    (void)state;
    char all[64], fewer[64];
    const GrRun *run = gr_run("run short.yaml -o short.run --json");
    value_of(run->out, "state_hash", all, sizeof all);
    run = gr_run("run short.yaml -o short.run --json --set record.csv=false --set record.mcap=false");
    assert_int_equal(run->exit_code, 0);
    value_of(run->out, "state_hash", fewer, sizeof fewer);
    assert_string_equal(fewer, all);
    assert_has(run->err, "wrote short.run/{replay.bin, summary.json, report.html");
    assert_int_equal(access("short.run/run.csv", F_OK), -1);
    assert_int_equal(access("short.run/run.mcap", F_OK), -1);
    assert_file("short.run/replay.bin", 1000);
}

/// Two runs end in the same bits; a run of another rover's mass does not.
static void test_same_bits(void **state)
{
    (void)state;
    char hashes[3][64];
    static const char *const commands[] = {
        "run short.yaml -o short.run --json",
        "run short.yaml -o short.run --json",
        "run short.yaml -o short.run --json --set soil:phi=36",
    };
    for (int i = 0; i < 3; i++) {
        const GrRun *run = gr_run(commands[i]);
        assert_int_equal(run->exit_code, 0);
        assert_true(gr_json_valid(run->out));
        value_of(run->out, "state_hash", hashes[i], sizeof hashes[i]);
    }
    assert_string_equal(hashes[0], hashes[1]);
    assert_string_not_equal(hashes[0], hashes[2]);
}

static void test_outcomes(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run short.yaml -o short.run --set drive.path=[[40,0]] --set stop.time_s=400");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "left_map");
    run = gr_run("run short.yaml -o short.run --set stop.time_s=2");
    assert_has(run->out, "finished after 2.0 s");
    run = gr_run("run short.yaml -o short.run --check-convergence");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "half the step");
}

/// The work on a towed load is its force times the distance, and is not counted as lost in the soil. A rover at rest
/// has no spinning wheel.
static void test_balance(void **state)
{
    (void)state;
    char pull[64], distance[64];
    const GrRun *run = gr_run("run drawbar -o short.run --json");
    assert_int_equal(run->exit_code, 0);
    value_of(run->out, "pull_J", pull, sizeof pull);
    value_of(run->out, "distance_m", distance, sizeof distance);
    assert_near_rel(atof(pull), 30 * atof(distance), 0.03); // it is pulled back a little before it drives
    run = gr_run("run drawbar -o short.run --set 'drive={script: [{time_s: 0, mode: stop}]}'");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->out, "spins"));
}

/// Reads a file of a run, whole.
static const char *read_text(const char *path)
{
    static char text[4 << 20];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

#ifdef GR_WITH_GDAL
/// The byte at `at` of what base64 stands for.
static int decoded_byte(const char *text, int at)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0;
    for (int i = 0; i < 4; i++) {
        const char *digit = strchr(DIGITS, text[at / 3 * 4 + i]);
        assert_non_null(digit);
        bits = bits << 6 | (unsigned)(digit - DIGITS);
    }
    return (int)(bits >> (8 * (2 - at % 3)) & 255);
}

/// The ground of the map is a picture in colour, all of it.
static void test_map(void **state)
{
    (void)state;
    static const char MARK[] = "data:image/png;base64,";
    assert_int_equal(gr_run("run short.yaml -o short.run --set stop.time_s=1")->exit_code, 0);
    const char *png = strstr(read_text("short.run/report.html"), MARK);
    assert_non_null(png);
    png += sizeof MARK - 1;
    enum { DEPTH = 24, COLOR = 25 }; // of the header of a PNG file
    assert_int_equal(decoded_byte(png, DEPTH), 8);
    assert_int_equal(decoded_byte(png, COLOR), 2); // red, green and blue
}
#endif

/// How the rover came to its way-points is in the table, in the JSON and in the report; those it did not reach say so.
static void test_way_points(void **state)
{
    (void)state;
    char value[64];
    gr_run_write("way.yaml", "rover: rashid_like\nsoil: ishigami2007\ngravity: moon\n"
                             "drive: {speed_mps: 0.1, path: [[1, 0, 15], [1, 1], [4, 1, 90]]}\nstop: {time_s: 60}\n");
    const GrRun *run = gr_run("run way.yaml -o way.run");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "reached [s]");
    assert_has(run->out, "not reached");
    run = gr_run("run way.yaml -o way.run --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    value_of(run->out, "way_points_reached", value, sizeof value);
    assert_string_equal(value, "2");
    const char *first = strstr(run->out, "\"way_points\": [");
    assert_non_null(first);
    value_of(first, "state", value, sizeof value);
    assert_string_equal(value, "\"reached\"");
    value_of(first, "asked_s", value, sizeof value);
    assert_near(atof(value), 15, 0);
    value_of(first, "arrived_s", value, sizeof value);
    const double arrived = atof(value);
    assert_near(arrived, 15, 1);
    value_of(first, "late_s", value, sizeof value);
    assert_near(atof(value), arrived - 15, 1e-9);
    value_of(first, "off_m", value, sizeof value);
    assert_true(atof(value) < 0.075);
    value_of(first, "distance_m", value, sizeof value);
    assert_near(atof(value), 1, 0.05);
    const char *last = strstr(first, "\"x_m\": 4");
    assert_non_null(last);
    value_of(last, "arrived_s", value, sizeof value);
    assert_string_equal(value, "null");
    const char *page = read_text("way.run/report.html");
    assert_has(page, "How far to trust this");
    assert_has(page, "Way-points");
    assert_has(page, "not reached");
    assert_true(gr_json_valid(read_text("way.run/summary.json")));
    run = gr_run("run way.yaml -o way.run --set drive.path=[[1,0,-15]]");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "drive.path[0]: arrives at -15 s");
    assert_int_equal(system("rm -r way.run way.yaml"), 0);
}

/// What was checked is in the JSON and in summary.json; beyond a limit the command ends with 1, and only then.
static void test_check_as_json(void **state)
{
    (void)state;
    char value[64];
    const GrRun *run = gr_run("run drawbar -o check.run --json --set stop.time_s=4 --check-convergence");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    const char *check = strstr(run->out, "\"check\": {");
    assert_non_null(check);
    value_of(check, "pass", value, sizeof value);
    assert_string_equal(value, "null");
    value_of(check, "worst_change", value, sizeof value);
    const double worst = atof(value);
    assert_true(worst > 0 && worst < 0.01);
    double numbers[4]; // each change is that of the two values, relative to the scale beside it
    int rows = 0;
    for (const char *row = check; (row = strstr(row, "\"value\": ")) != NULL && rows < 10; row++, rows++) {
        static const char *const keys[] = {"value", "half", "change", "scale"};
        for (int k = 0; k < 4; k++) {
            value_of(row, keys[k], value, sizeof value);
            numbers[k] = atof(value);
        }
        assert_true(numbers[3] > 0 || numbers[1] == numbers[0]);
        assert_near(numbers[2] * numbers[3], numbers[1] - numbers[0], 1e-9);
    }
    assert_int_equal(rows, 10);
    assert_has(read_text("check.run/summary.json"), "\"check\": {");

    run = gr_run("run drawbar -o check.run --json --set stop.time_s=4 --check-convergence --check-limit 5");
    assert_int_equal(run->exit_code, 0);
    value_of(run->out, "pass", value, sizeof value);
    assert_string_equal(value, "true");
    char line[256];
    snprintf(line, sizeof line, "run drawbar -o check.run --set stop.time_s=4 --check-convergence --check-limit %.9g",
             50 * worst);
    run = gr_run(line);
    assert_int_equal(run->exit_code, 1);
    assert_has(run->err, "beyond its limit");
    assert_has(read_text("check.run/summary.json"), "\"pass\": false");
    // An outcome that changes with the step is beyond any limit.
    run = gr_run("run drawbar -o check.run --set stop.time_s=4 --check-convergence --check-limit 1e6 "
                 "--set 'step={pace: fixed, step_ms: 40, integrator: euler}'");
    assert_has(run->out, "with half the step the outcome differs");
    assert_int_equal(run->exit_code, 1);
    assert_int_equal(gr_run("run drawbar --check-limit 1")->exit_code, 2);
    assert_int_equal(gr_run("run drawbar --check-convergence --check-limit 0")->exit_code, 2);
    assert_int_equal(gr_run("run drawbar --check-convergence --check-limit nan")->exit_code, 2);
    assert_null(strstr(gr_run("run drawbar -o check.run --json --set stop.time_s=1")->out, "\"check\""));
    assert_int_equal(system("rm -r check.run"), 0);
}

/// A number of row `quantity` of the check of convergence.
static double row_value(const char *json, const char *quantity)
{
    char wanted[80], value[64];
    snprintf(wanted, sizeof wanted, "\"quantity\": \"%s\"", quantity);
    const char *row = strstr(strstr(json, "\"rows\""), wanted);
    assert_non_null(row);
    value_of(row, "value", value, sizeof value);
    return atof(value);
}

/// The check of convergence has every number of the summary: energies as they are, largest values as the largest of the
/// wheels, means as means.
static void test_check_compares_all(void **state)
{
    (void)state;
    static const struct {
        const char *name, *quantity;
    } pairs[] = {{"distance_m", "distance"},
                 {"progress_m", "progress"},
                 {"climb_m", "climb"},
                 {"descent_m", "descent"},
                 {"roll_max_deg", "largest roll"},
                 {"pitch_max_deg", "largest pitch"},
                 {"motor_J", "net motor work"},
                 {"electric_J", "motor energy"},
                 {"braking_J", "absorbed by braking motors"},
                 {"soil_J", "lost in the soil"},
                 {"wheels_J", "lost in flexible wheels"},
                 {"joints_J", "lost in joints"},
                 {"mechanical_J", "mechanical energy"},
                 {"pull_J", "work on the load"},
                 {"residual_J", "energy residual"},
                 {"energy_per_metre_J_per_m", "energy per metre"}};
    const GrRun *run = gr_run("run drawbar -o all.run --json --set stop.time_s=2 --check-convergence");
    assert_int_equal(run->exit_code, 0);
    char value[64];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        value_of(run->out, pairs[i].name, value, sizeof value);
        assert_near(row_value(run->out, pairs[i].quantity), atof(value), 1e-9 * fabs(atof(value)));
    }
    double largest = 0, mean = 0;
    int wheels = 0;
    for (const char *at = strstr(run->out, "\"wheels\""); (at = strstr(at, "\"load_mean_N\"")) != NULL;
         at++, wheels++) {
        value_of(at, "load_max_N", value, sizeof value);
        largest = fmax(largest, atof(value));
        value_of(at, "load_mean_N", value, sizeof value);
        mean += atof(value);
    }
    assert_true(wheels > 1);
    assert_near_rel(row_value(run->out, "largest load"), largest, 1e-9);
    assert_near_rel(row_value(run->out, "mean load"), mean / wheels, 1e-9);
    assert_int_equal(system("rm -r all.run"), 0);
}

/// Numbers that cannot be trusted say so; rigid ground ends where its map does; what is found out late has its place.
static void test_doubtful_numbers_warn(void **state)
{
    (void)state;
    gr_run_write("edge.yaml", "rover: rashid_like\nsoil: none\ngravity: moon\n"
                              "terrain: {size_m: 4, add: [plane: {slope_deg: 0}]}\n"
                              "drive:\n  script:\n    - {time_s: 0, mode: skid, speed_mps: 0.2}\n"
                              "stop: {time_s: 30}\n");
    const GrRun *run = gr_run("run edge.yaml -o edge.run");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "left_map after");
    run = gr_run("run edge.yaml -o edge.run --set drive.script[0].mode=crab");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "edge.yaml:7:7: error: drive.script[0]: this rover lacks the joints of drive mode crab");
    run = gr_run("run edge.yaml -o edge.run --set start.x_m=7");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "start: a wheel of a rover at (7, 0)");
    run = gr_run("run drawbar -o edge.run");
    assert_null(strstr(run->out, "trust this run"));
    run = gr_run("run drawbar -o edge.run --set 'step={pace: fixed, step_ms: 1, integrator: euler}'");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "warning: the speed of a wheel alternates from step to step");
    run = gr_run("run drawbar -o edge.run --set 'step={pace: fixed, step_ms: 1, integrator: beeman}'");
    assert_has(run->out, "warning: the energy balance is off by");
    assert_int_equal(system("rm -r edge.run edge.yaml"), 0);
}

/// A rover that comes down on a block between its wheels rests on its belly; one that runs against it does not.
static void test_belly(void **state)
{
    (void)state;
    gr_run_write("belly.yaml", "rover: curiosity_like\nsoil: ishigami2007\ngravity: mars\n"
                               "parts: [box: {size_m: [0.6, 0.6, 0.9], at_m: [3, 0, 0.45]}]\n"
                               "drive: {script: [{time_s: 0, mode: ackermann, speed_mps: 0.2}]}\nstop: {time_s: 60}\n");
    const GrRun *run = gr_run("run belly.yaml -o short.run --set \"start={x_m: 3, height_m: 0.5}\"");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "belly_out");
    assert_has(run->out, "mean over 2 s");
    run = gr_run("run belly.yaml -o short.run --set \"start={x_m: 3, height_m: 0.5}\" --set stop.belly_s=1e5");
    assert_int_equal(run->exit_code, 0); // it does not hang there for long enough
    assert_null(strstr(run->out, "belly_out"));
    assert_has(run->out, "warning: the chassis touches");
    run = gr_run("run belly.yaml -o short.run");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "stuck after");
    assert_int_equal(unlink("belly.yaml"), 0);
}

static void test_bad_input(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run crosing");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'crossing'?");
    run = gr_run("run short.yaml --set drive.sped_mps=1 -o bad.run");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "speed_mps");
    assert_int_not_equal(access("bad.run", F_OK), 0); // nothing is left behind
    gr_run_write("mine.txt", "precious");
    assert_int_equal(system("mkdir -p full.run && cp mine.txt full.run/"), 0);
    run = gr_run("run short.yaml -o full.run");
    assert_int_not_equal(run->exit_code, 0); // not a run: it is left alone
    assert_file("full.run/mine.txt", 8);
    assert_int_equal(system("rm -r full.run mine.txt"), 0);
}

/// What was written before a kill can be read.
static void test_killed(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf short.run"), 0);
    const int status =
        system("{ " GR_TEST_COMMAND " run short.yaml -o short.run --set stop.time_s=1e6 --set "
               "'drive={script: [{time_s: 0, mode: ackermann, speed_mps: 0.05, curvature_per_m: 0.5}]}' "
               ">/dev/null 2>&1 & } ; run=$!; for i in $(seq 600); do "
               "grep -qs 'wheels wait' short.run/summary.json && break; sleep 0.1; done; kill -KILL $run");
    assert_int_equal(status, 0);
    assert_file("short.run/run.csv", 1000);
    assert_file("short.run/run.mcap", 1000);
    assert_file("short.run/summary.json", 100);
    static char json[65536];
    char hash[64], steps[64];
    FILE *file = fopen("short.run/summary.json", "r");
    assert_non_null(file);
    json[fread(json, 1, sizeof json - 1, file)] = '\0';
    fclose(file);
    assert_true(gr_json_valid(json));
    assert_has(json, "\"outcome\": \"running\"");
    value_of(json, "state_hash", hash, sizeof hash);
    value_of(json, "steps", steps, sizeof steps);
    assert_int_equal(strlen(hash), 18); // 16 digits in quotes
    assert_true(atol(steps) > 100);
    assert_has(json, "wheels wait until they are steered");
    assert_int_equal(system("rm -r short.run short.yaml"), 0);
}

static void test_bench(void **state)
{
    (void)state;
    const GrRun *run = gr_run("bench drawbar --repeat 2 --json --set stop.time_s=5");
    char factor[64];
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    value_of(run->out, "real_time_factor", factor, sizeof factor);
    assert_true(atof(factor) > 0);
    value_of(run->out, "one_core_factor", factor, sizeof factor);
    assert_true(atof(factor) > 0);
    run = gr_run("bench drawbar --repeat 0");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--repeat");
}

static void test_scenarios(void **state)
{
    (void)state;
    const GrRun *run = gr_run("list scenarios --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"crossing\"");
    run = gr_run("check " GR_TEST_SOURCE_DIR "/data/scenarios/*.yaml");
    assert_int_equal(run->exit_code, 0);
}

/// The number in the last row of a run.csv, in the column of that name.
static double last_value(const char *path, const char *name)
{
    static char head[65536], row[65536];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(head, sizeof head, file));
    while (fgets(row, sizeof row, file) != NULL) {
    }
    fclose(file);
    const char *cell = row;
    for (const char *at = head; *at != '\0'; at++) {
        if ((at == head || at[-1] == ',') && strncmp(at, name, strlen(name)) == 0 &&
            (at[strlen(name)] == ',' || at[strlen(name)] == '\n')) {
            return atof(cell);
        }
        if (*at == ',') { // texts of states hold commas, in quotes
            const bool quoted = *cell == '"';
            cell = quoted ? strchr(cell + 1, '"') : cell;
            assert_non_null(cell);
            cell = strchr(cell, ',') + 1;
        }
    }
    fail_msg("%s has no column %s", path, name);
    return 0;
}

/// Wheels with different soils and laws reach the steady states that `grouser wheel` gives for each of them.
static void test_wheel_soils(void **state)
{
    (void)state;
    static const struct {
        const char *wheel, *soil, *law;
    } wheels[] = {{"wheel_front_left", "mars_dlr_drift", "wong_reece"},
                  {"wheel_front_right", "ishigami2007", "wong_reece"},
                  {"wheel_rear_left", "mars_dlr_drift", "ding"},
                  {"wheel_rear_right", "ishigami2007", "ding"}};
    assert_int_equal(gr_run("run mixed_soils -o mixed.run")->exit_code, 0);
    for (size_t i = 0; i < sizeof wheels / sizeof wheels[0]; i++) {
        static const char *const names[] = {"slip", "slip_angle_deg", "load_N", "sinkage_m", "torque_Nm"};
        double v[5];
        char line[512], sinkage[64], torque[64];
        for (int k = 0; k < 5; k++) {
            snprintf(line, sizeof line, "%s.%s", wheels[i].wheel, names[k]);
            v[k] = last_value("mixed.run/run.csv", line);
        }
        snprintf(line, sizeof line,
                 "wheel --rover el_dorado2 --soil %s --model %s --slip %.9g --slip-angle %.9g --load %.9g --json",
                 wheels[i].soil, wheels[i].law, v[0], v[1], v[2]);
        const GrRun *run = gr_run(line);
        assert_int_equal(run->exit_code, 0);
        value_of(run->out, "sinkage_m", sinkage, sizeof sinkage);
        value_of(run->out, "torque_Nm", torque, sizeof torque);
        print_message("%s: sinkage %.6f m (single wheel %s), torque %.5f Nm (%s)\n", wheels[i].wheel, v[3], sinkage,
                      v[4], torque);
        assert_near_rel(v[3], atof(sinkage), 1e-3);
        assert_near_rel(v[4], atof(torque), 5e-3);
    }
    assert_true(last_value("mixed.run/run.csv", "wheel_front_left.sinkage_m") >
                1.1 * last_value("mixed.run/run.csv", "wheel_front_right.sinkage_m"));
    assert_int_equal(system("rm -r mixed.run"), 0);
}

/// The shipped rover with a mesh for its wheels.
static void write_meshed_rover(const char *path, const char *mesh)
{
    static char text[20000], out[21000];
    FILE *file = fopen(GR_TEST_SOURCE_DIR "/data/rovers/rashid_like.yaml", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    char *const at = strstr(text, "    width_m: wheel_width\n");
    assert_non_null(at);
    snprintf(out, sizeof out, "%.*s    mesh: %s\n%s", (int)(at - text), text, mesh, at);
    gr_run_write(path, out);
}

static double distance_of(const char *wheels)
{
    char line[256], value[64];
    snprintf(line, sizeof line, "run meshed_run.yaml -o meshed.run --json --set 'hard={wheels: %s, friction: 0.8}'",
             wheels);
    const GrRun *run = gr_run(line);
    assert_int_equal(run->exit_code, 0);
    value_of(run->out, "distance_m", value, sizeof value);
    return atof(value);
}

/// Wheels from an OBJ file made by another command, over a step on rigid ground: they get as far as the cylinders that
/// they approximate. Missing files, files of another size and files that are not OBJ are reported with file and line.
static void test_mesh_wheels(void **state)
{
    (void)state;
    assert_int_equal(gr_run("asset wheel --radius 0.12 --width 0.08 --grousers 0 -o hub.obj")->exit_code, 0);
    write_meshed_rover("meshed.yaml", "hub.obj");
    gr_run_write("meshed_run.yaml", "title: Wheels as meshes\n"
                                    "rover: ./meshed.yaml\n"
                                    "soil: none\n"
                                    "gravity: moon\n"
                                    "parts:\n"
                                    "  - box: {size_m: [2, 2, 0.4], at_m: [1.6, 0, -0.17]}\n"
                                    "drive:\n"
                                    "  script:\n"
                                    "    - {time_s: 0.5, mode: skid, speed_mps: 0.1}\n"
                                    "step: {pace: fixed, step_ms: 2}\n"
                                    "stop: {time_s: 12}\n");
    const double cylinder = distance_of("cylinder"), mesh = distance_of("mesh");
    print_message("over a step in 12 s: %.4f m as cylinders, %.4f m as meshes\n", cylinder, mesh);
    assert_true(cylinder > 0.8);
    assert_near_rel(mesh, cylinder, 0.01);
    assert_true(mesh != cylinder);

    assert_int_equal(gr_run("asset wheel --radius 0.2 --width 0.08 --grousers 0 -o hub.obj")->exit_code, 0);
    const GrRun *run = gr_run("check meshed.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "meshed.yaml:");
    assert_has(run->err, "mesh: the mesh reaches from");
    gr_run_write("hub.obj", "v 0 0 0\nv 1 2\n");
    run = gr_run("check meshed.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "hub.obj:2: error: a vertex needs three finite numbers");
    write_meshed_rover("meshed.yaml", "no_such.obj");
    run = gr_run("check meshed.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "no_such.obj");
    run = gr_run("run meshed_run.yaml -o meshed.run --set 'hard={wheels: meshes}'");
    assert_int_equal(run->exit_code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_fewer_files),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_outcomes),
#ifdef GR_WITH_GDAL
        cmocka_unit_test(test_map),
#endif
        cmocka_unit_test(test_way_points),
        cmocka_unit_test(test_check_as_json),
        cmocka_unit_test(test_check_compares_all),
        cmocka_unit_test(test_doubtful_numbers_warn),
        cmocka_unit_test(test_belly),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_bench),
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_wheel_soils),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_mesh_wheels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
