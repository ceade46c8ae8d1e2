/// grouser bench: measures the speed of a whole run on this machine.
#include "command.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "run_recorder.h"
#include "scenario_data.h"

#include <stdio.h>

static void print_bench(const GrScenario *scenario, const GrRunSpeed *b, bool json)
{
    const double factor = b->simulated / b->run, step = 1e6 * b->run / (double)b->steps;
    if (!json) {
        printf("%s\n", scenario->title[0] != '\0' ? scenario->title : scenario->name);
        printf("  %s after %.1f s; %ld steps of %.2f us, recorded at %g Hz\n", gr_outcome_name(b->outcome),
               b->simulated, b->steps, step, scenario->record_rate);
        printf("  set up in %.2f s, run in %.3f s: %.0f times faster than real time\n", b->set_up, b->run, factor);
        printf("  %.3f s of processor time, all threads: %.0f times on one core\n", b->cpu, b->simulated / b->cpu);
        return;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_string(&out, "scenario", scenario->name);
    gr_json_string(&out, "outcome", gr_outcome_name(b->outcome));
    gr_json_number(&out, "time_s", b->simulated);
    gr_json_number(&out, "wall_s", b->run);
    gr_json_number(&out, "set_up_s", b->set_up);
    gr_json_integer(&out, "steps", b->steps);
    gr_json_number(&out, "step_us", step);
    gr_json_number(&out, "real_time_factor", factor);
    gr_json_number(&out, "cpu_s", b->cpu);
    gr_json_number(&out, "one_core_factor", b->simulated / b->cpu);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

static int run(int argc, char **argv)
{
    GrTextList overrides = {0};
    double repeats = 3;
    bool json = false;
    const GrOption options[] = {
        {.name = "repeat",
         .letter = 'n',
         .value = "N",
         .number = &repeats,
         .help = "runs, of which the fastest counts (default 3)"},
        {.name = "set", .value = "PATH=VALUE", .list = &overrides, .help = "replace a value of the scenario"},
        {.name = "json", .flag = &json, .help = "print JSON"},
    };
    const char *arguments[1] = {"speed"};
    int exit_code;
    if (gr_options_parse(&gr_command_bench, options, 3, argc, argv, arguments, 0, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrRunSpeed best = {0};
    GrStatus status = GR_OK;
    if (!(repeats >= 1 && repeats <= 1000)) {
        status =
            gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--repeat"}, "takes 1 to 1000, not %g", repeats);
    } else if ((status = gr_scenario_load(arguments[0], overrides.items, &scenario, &log)) == GR_OK) {
        status = gr_run_speed(scenario, (int)repeats, &best, &log);
        if (status == GR_OK) {
            print_bench(scenario, &best, json);
        }
        gr_scenario_free(scenario);
    }
    gr_report_log(&log);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_command_bench = {
    .name = "bench",
    .summary = "measure how many times faster than real time this machine runs a scenario",
    .usage = "bench [SCENARIO] [--repeat N] [--set PATH=VALUE]... [--json]",
    .details =
        "Runs a scenario (default: speed, a rocker-bogie rover on 200 m x 200 m of rough ground with rocks) with all\n"
        "recordings, several times, and prints simulated over wall seconds of the fastest run, and simulated over\n"
        "processor seconds of all its threads: what one core alone would reach. All runs must end in the same state.\n"
        "make bench measures the parts, against MuJoCo.",
    .example = "  grouser bench\n"
               "  grouser bench crossing --json",
    .run = run,
    .arguments = "@scenarios",
};
