/// Outputs of one run: report, table, summary and recording must agree.
#include "run_command.h"

#include <stdbool.h>
#include <stdlib.h>

/// A tight turn by skidding: the outer wheels drive while the inner ones brake.
static const char TURN[] = "title: A tight turn\n"
                           "rover: rashid_like\n"
                           "soil: ishigami2007\n"
                           "gravity: earth\n"
                           "drive:\n"
                           "  script:\n"
                           "    - {time_s: 0, mode: skid, speed_mps: 0.1, curvature_per_m: 1}\n"
                           "stop: {time_s: 6}\n";

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

/// The first number behind a text, tags and spaces skipped.
static double number_behind(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    assert_non_null(at);
    at += strlen(name);
    bool tag = false;
    while (*at != '\0' && (tag || strchr("-0123456789", *at) == NULL)) {
        tag = *at == '<' || (tag && *at != '>');
        at++;
    }
    return strtod(at, NULL);
}

/// The last line of a column of the recording.
static double last_of_column(const char *csv, const char *name)
{
    int column = 0;
    for (const char *at = csv; strncmp(at, name, strlen(name)) != 0; at = strchr(at, ',') + 1) {
        column++;
        assert_non_null(strchr(at, ','));
    }
    const char *line = csv + strlen(csv) - 1;
    while (line > csv && line[-1] != '\n') {
        line--;
    }
    for (int i = 0; i < column; i++) {
        line = strchr(line, ',') + 1;
    }
    return strtod(line, NULL);
}

/// Motor energy is one number in the tile, the report's table, the printed table, summary.json and the recording; what
/// became of it adds up to it; energy per metre is that over the distance.
static void test_energy_everywhere(void **state)
{
    (void)state;
    const double rounded = 1e-3; // four digits are shown
    gr_run_write("turn.yaml", TURN);
    const GrRun *run = gr_run("run turn.yaml -o turn.run");
    assert_int_equal(run->exit_code, 0);
    char *page = read_file("turn.run/report.html"), *summary = read_file("turn.run/summary.json"),
         *csv = read_file("turn.run/run.csv");
    const double energy = number_behind(summary, "\"electric_J\":");
    assert_true(energy > 1);
    const double braking = number_behind(summary, "\"braking_J\":");
    assert_true(braking > 0.05 * energy); // or the case is too easy
    static const char *const parts[] = {"braking_J", "mechanical_J", "soil_J",    "wheels_J",
                                        "joints_J",  "pull_J",       "residual_J"};
    double sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char key[40];
        snprintf(key, sizeof key, "\"%s\":", parts[i]);
        sum += number_behind(summary, key);
    }
    assert_near(sum, energy, 1e-9 * energy);
    assert_near(number_behind(page, "motor energy"), energy, rounded * energy); // the tile comes first
    assert_near(number_behind(page, "work of the motors while they drive"), energy, rounded * energy);
    assert_near(number_behind(page, "absorbed by braking motors, not recovered"), braking, rounded * energy);
    assert_near(number_behind(run->out, "motor energy "), energy, rounded * energy);
    assert_near(last_of_column(csv, "energy.electric_J"), energy, rounded * energy);
    const double per_metre = number_behind(summary, "\"energy_per_metre_J_per_m\":");
    assert_near(per_metre, energy / number_behind(summary, "\"distance_m\":"), 1e-9 * per_metre);
    assert_near(number_behind(run->out, "motor energy per metre"), per_metre, rounded * per_metre);
    char shown[64];
    snprintf(shown, sizeof shown, "%.4g J/m", per_metre);
    assert_has(page, shown);
    assert_has(page, "<b>finished</b>"); // the tile of the outcome; its cause is below
    const char *table = strstr(page, "where the motor energy went"),
               *end = table != NULL ? strstr(table, "</table>") : NULL;
    assert_non_null(end);
    for (const char *c = table; (c = strstr(c, "e-1")) != NULL && c < end; c++) {
        fail_msg("rounding is shown as an energy: %.20s", c);
    }
    free(page);
    free(summary);
    free(csv);
}

/// Ctrl-C ends a run with a whole summary and report of what was driven.
static void test_interrupted(void **state)
{
    (void)state;
    char line[1024];
    snprintf(line, sizeof line,
             "'%s' run turn.yaml -o stopped.run --set stop.time_s=1e6 >/dev/null 2>stopped.err & run=$!; "
             "for i in $(seq 100); do grep -qs '\"running\"' stopped.run/summary.json && break; sleep 0.1; done; "
             "sleep 0.5; "                 // the summary is there before the first step
             "kill -TERM $run; wait $run", // background jobs of a shell ignore SIGINT; both do the same
             GR_TEST_COMMAND);
    const int status = system(line);
    assert_int_equal(WEXITSTATUS(status), 1);
    char *summary = read_file("stopped.run/summary.json"), *page = read_file("stopped.run/report.html"),
         *errors = read_file("stopped.err");
    assert_has(summary, "\"outcome\": \"interrupted\"");
    assert_null(strstr(summary, "\"state_hash\": null"));
    assert_true(number_behind(summary, "\"distance_m\":") > 0);
    assert_has(page, "stopped by the user");
    assert_has(page, "</html>");
    assert_has(errors, "interrupted");
    free(summary);
    free(page);
    free(errors);
}

/// Soil, gravity and the torque margin are on the page, and each plot is there once for time and once for distance.
static void test_heading(void **state)
{
    (void)state;
    char *page = read_file("turn.run/report.html");
    assert_has(page, "rashid_like on ishigami2007, gravity 9.807 m/s²");
    assert_has(page, "of its limit");
    int by_time = 0, by_distance = 0;
    for (const char *at = page; (at = strstr(at, "class=\"by-time\"")) != NULL; at++) {
        by_time++;
    }
    for (const char *at = page; (at = strstr(at, "class=\"by-distance\"")) != NULL; at++) {
        by_distance++;
    }
    assert_true(by_time > 5);
    assert_int_equal(by_time, by_distance);
    assert_has(page, "id=\"by-time\" checked");
    free(page);
}

/// A page of a rover holds its drawing and its numbers.
static void test_rover_page(void **state)
{
    (void)state;
    const GrRun *run = gr_run("show rover rashid_like --html rover.html");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote rover.html");
    char *page = read_file("rover.html");
    assert_has(page, "<svg");
    assert_has(page, "wheel_front_left");
    free(page);
}

/// Light and battery stand in all outputs of a run that has them, and in none of one that has not.
static void test_supply(void **state)
{
    (void)state;
    gr_run_write("dark.yaml", TURN);
    gr_run_write("lit.yaml", "rover: rashid_like\nsoil: ishigami2007\nstop: {time_s: 2}\n"
                             "sun: {azimuth_deg: 0, elevation_deg: 30}\n"
                             "power: {panel: {area_m2: 0.1}, battery: {capacity_Wh: 2, charge: 0.5}, load_W: 5}\n");
    const GrRun *run = gr_run("run dark.yaml -o dark");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->out, "battery"));
    char *report = read_file("dark/report.html"), *csv = read_file("dark/run.csv"),
         *json = read_file("dark/summary.json");
    assert_null(strstr(report, "charge [Wh]"));
    assert_null(strstr(csv, "supply."));
    assert_null(strstr(json, "\"supply\""));
    free(report);
    free(csv);
    free(json);
    run = gr_run("run lit.yaml -o lit");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "1 Wh at the start");
    assert_has(run->out, " 0 J mechanical, without recovery"); // it stands: what rounding leaves is no number to read
    assert_null(strstr(run->out, "e-3"));
    report = read_file("lit/report.html");
    csv = read_file("lit/run.csv");
    json = read_file("lit/summary.json");
    assert_has(report, "charge [Wh]");
    const double end = number_behind(json, "\"battery_end_Wh\":");
    assert_near(last_of_column(csv, "supply.battery_Wh"), end, 1e-6);
    assert_near(number_behind(report, "battery at the end"), end, 1e-3);
    // 0.1 m², 28 %, 1361 W/m², sin 30°: 19 W against 5
    assert_near(end, 1 + 2 * (0.1 * 0.28 * 1361 * 0.5 - 5) / 3600, 1e-4);
    free(report);
    free(csv);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_everywhere), cmocka_unit_test(test_heading), cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_rover_page),        cmocka_unit_test(test_supply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
