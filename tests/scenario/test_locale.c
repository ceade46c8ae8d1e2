/// A host program with a decimal comma: files are read, ground is made and results are written as in any other locale.
#include "csv.h"
#include "file.h"
#include "grouser/run.h"

#include "run_summary.h"
#include "scenario_data.h"
#include "test.h"

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

static const char SCENARIO[] =
    "rover: el_dorado2\n"
    "soil: {use: ishigami2007, set: {lambda: 0.25}}\n"
    "gravity: 3.71\n"
    "terrain:\n"
    "  size_m: 20.5\n"
    "  cell_m: 0.25\n"
    "  add:\n"
    "    - fractal: {rms_m: 0.035, smallest_m: 0.75}\n"
    "    - ripples: {wavelength_m: 2.5, height_m: 0.05}\n"
    "  rocks: {k: 0.03, smallest_m: 0.15, largest_m: 0.35, clear_m: 1.5}\n"
    "soil_map: {rules: [\"mars_dlr_drift: slope_deg>2.5 and height_m<0.125\", \"ishigami2007\"]}\n"
    "drive: {speed_mps: 0.1, path: [[2.5, 0.25]]}\n"
    "stop: {time_s: 2.5}\n";

/// What a run leaves as text: messages, and the summary without its wall times.
static void run_text(GrBuffer *out)
{
    static GrErrorLog log;
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    log = (GrErrorLog){0};
    const GrStatus loaded = gr_scenario_load("comma.yaml", NULL, &scenario, &log);
    for (int i = 0; i < log.count; i++) {
        char text[1200];
        gr_error_format(&log.items[i], text, sizeof text);
        gr_buffer_printf(out, "%s\n", text);
    }
    if (loaded != GR_OK) {
        print_error("%s", out->data);
    }
    assert_int_equal(loaded, GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    assert_int_equal(gr_run(world, NULL, &summary, &log), GR_OK);
    summary.wall_time = summary.real_time_factor = 0;
    const GrRunHead head = {.name = "comma", .title = "", .model = world->model};
    assert_int_equal(gr_run_summary_format(&head, &summary, out), GR_OK);
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

static void test_decimal_comma(void **state)
{
    (void)state;
    if (system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1") != 0) {
        skip(); // no sources of locales
    }
    assert_int_equal(gr_file_write("comma.yaml", SCENARIO, sizeof SCENARIO - 1, NULL), GR_OK);
    GrBuffer point = {0}, comma = {0};
    run_text(&point);
    setenv("LOCPATH", ".", 1);
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    assert_string_equal(localeconv()->decimal_point, ",");
    run_text(&comma);
    assert_string_equal(localeconv()->decimal_point, ","); // the host's locale stays
    setlocale(LC_ALL, "C");
    assert_string_equal(comma.data, point.data);
    gr_buffer_free(&point);
    gr_buffer_free(&comma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decimal_comma)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
