/// grouser test: standard tests of a rover.
#include "alloc.h"
#include "command.h"
#include "design.h"
#include "help.h"
#include "out_of_memory.h"
#include "report.h"
#include "table.h"
#include "trial_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A new test is one row here.
const GrTrialKind *const gr_trial_kinds[] = {
    &gr_kind_mobility, &gr_kind_gradeability, &gr_kind_drawbar,  &gr_kind_step,    &gr_kind_rock,
    &gr_kind_turn,     &gr_kind_coast,        &gr_kind_brake,    &gr_kind_tip,     &gr_kind_rollover,
    &gr_kind_drop,     &gr_kind_egress,       &gr_kind_skycrane, &gr_kind_scaling,
};
enum { KIND_COUNT = sizeof gr_trial_kinds / sizeof gr_trial_kinds[0] };
const int gr_trial_kind_count = KIND_COUNT;

const GrTrialKind *gr_trial_find(const char *name)
{
    const char *names[KIND_COUNT];
    for (int i = 0; i < KIND_COUNT; i++) {
        names[i] = gr_trial_kinds[i]->name;
        if (strcmp(names[i], name) == 0) {
            return gr_trial_kinds[i];
        }
    }
    gr_report_error("test: there is no test '%s'%s", name, gr_text_hint(name, names, KIND_COUNT, NULL).text);
    return NULL;
}

/// Warns about options that have no effect on rigid ground or on soil.
static void warn_ignored(const GrTrialCommon *o, const GrTrialCommon *defaults, GrErrorLog *log)
{
    const struct {
        const char *option;
        bool ignored;
    } rows[] = {
        {"--soil", o->hard && o->soil != defaults->soil},
        {"--model", o->hard && o->model != NULL},
        {"--set-soil", o->hard && o->soil_overrides.count > 0},
        {"--soil-damping", o->hard && o->damping != defaults->damping},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].ignored) {
            gr_warning_add(log, (GrLocation){.field = rows[i].option}, "has no effect with --hard: there is no soil");
        }
    }
}

/// Dimensions of a comparison: every combination of values is a case.
enum { BY_ROVER, BY_SOIL, BY_MODEL, BY_GRAVITY, DIMENSIONS };
typedef struct Cases {
    const char *pieces[DIMENSIONS][GR_TRIAL_CASES];
    int counts[DIMENSIONS];
    char rooms[DIMENSIONS][512];
} Cases;

/// The number of cases; −1 after an error.
static int list_cases(const GrTrialCommon *o, const char *const *rovers, int rover_count, Cases *cases, GrErrorLog *log)
{
    static const char *const names[DIMENSIONS] = {"ROVER", "--soil", "--model", "--gravity"};
    const char *const lists[DIMENSIONS] = {NULL, o->soil, o->model, o->gravity};
    int total = rover_count;
    memcpy(cases->pieces[BY_ROVER], rovers, sizeof *rovers * (size_t)rover_count);
    cases->counts[BY_ROVER] = rover_count;
    for (int k = BY_SOIL; k < DIMENSIONS; k++) {
        if (lists[k] == NULL) {
            cases->counts[k] = 1; // the default: none given
            continue;
        }
        cases->counts[k] = gr_trial_split(lists[k], cases->rooms[k], sizeof cases->rooms[k], cases->pieces[k]);
        if (cases->counts[k] < 0) {
            gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = names[k]},
                         "found '%s', allowed: one, or up to %d separated by commas", lists[k], (int)GR_TRIAL_CASES);
            return -1;
        }
        total *= cases->counts[k];
    }
    if (total > GR_TRIAL_CASES) {
        gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0},
                     "%d combinations of rovers, soils, laws and gravities, allowed: %d", total, (int)GR_TRIAL_CASES);
        return -1;
    }
    return total;
}

/// Case `number` of all combinations: its options, its rover and its label.
static GrStatus pick_case(const GrTrialLine *line, const Cases *cases, const GrDesign *designs, int number,
                          GrTrialCase *c, GrErrorLog *log)
{
    const GrDesign *design = &designs[number % line->rover_count];
    GrStatus status = GR_OK;
    c->input = line->input;
    c->common = line->common;
    const char **const to[DIMENSIONS] = {&c->input.rover_name, &c->common.soil, &c->common.model, &c->common.gravity};
    size_t used = 0;
    for (int k = 0; k < DIMENSIONS; k++) {
        const char *piece = cases->pieces[k][number % cases->counts[k]];
        number /= cases->counts[k];
        if (piece != NULL) {
            *to[k] = piece;
        }
        if (cases->counts[k] > 1 && used < sizeof c->label) {
            used += (size_t)snprintf(c->label + used, sizeof c->label - used, "%s%s", used > 0 ? " / " : "",
                                     k == BY_ROVER ? design->label : piece);
        }
    }
    c->input.rover_name = design->base;
    for (int i = 0; i < design->change_count && status == GR_OK; i++) {
        const char *rover = gr_design_value(design->changes[i], "rover");
        if (rover != NULL) {
            c->input.rover_name = rover;
        } else {
            status = gr_trial_change(&c->common, design->changes[i], log);
        }
    }
    return status;
}

GrStatus gr_trial_line_run(const GrTrialLine *line, const char *base, GrErrorLog *log)
{
    Cases list = {0};
    warn_ignored(&line->common, &line->defaults, log);
    const int total = list_cases(&line->common, line->rovers, line->rover_count, &list, log);
    if (total < 0) {
        return GR_ERROR_USAGE;
    }
    GrTrialCase *cases = gr_calloc((size_t)total, sizeof *cases);
    GrDesign *designs = gr_calloc((size_t)line->rover_count, sizeof *designs);
    GrStatus status = cases != NULL && designs != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    if (status == GR_OK) {
        status = gr_designs_read(line->rovers, line->rover_count, base, designs, log);
    }
    for (int i = 0; i < total && status == GR_OK && cases != NULL && designs != NULL; i++) {
        status = pick_case(line, &list, designs, i, &cases[i], log);
    }
    if (status == GR_OK) {
        status = gr_trial_cases_say(cases, total, &line->common.outputs, log);
    }
    gr_free(cases);
    gr_free(designs);
    return status;
}

static int run_named(const GrTrialKind *kind, int argc, char **argv)
{
    GrTrialLine line;
    int exit_code;
    if (!gr_trial_parse(kind, NULL, argc, argv, &line, &exit_code)) {
        return exit_code;
    }
    GrErrorLog log = {0};
    const GrStatus status = gr_trial_line_run(&line, NULL, &log);
    gr_report_log(&log);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

static void print_kinds(GrHelpForm form)
{
    GrHelp help = {.command = &gr_command_test, .title = "Tests"};
    for (int i = 0; i < gr_trial_kind_count; i++) {
        gr_help_add(&help, (GrHelpRow){.name = gr_trial_kinds[i]->name, .text = gr_trial_kinds[i]->summary});
    }
    gr_help_print(&help, form);
}

static int run(int argc, char **argv)
{
    const GrHelpForm form = argc > 0 ? gr_help_form(argv[0]) : GR_HELP_NONE;
    if (form != GR_HELP_NONE) {
        print_kinds(form);
        return GR_EXIT_OK;
    }
    if (argc == 0 || argv[0][0] == '-') {
        gr_report_error("test: give the name of a test first; grouser test --help lists them");
        fprintf(stderr, "usage: grouser %s\n", gr_command_test.usage);
        return GR_EXIT_INPUT;
    }
    const GrTrialKind *kind = gr_trial_find(argv[0]);
    return kind != NULL ? run_named(kind, argc - 1, argv + 1) : GR_EXIT_INPUT;
}

const GrCommand gr_command_test = {
    .name = "test",
    .summary = "standard tests of a rover: slopes, pull, steps, rocks, turns, brakes, drops, egress, touchdown",
    .usage = "test NAME ROVER... [OPTION]... [--html FILE] [--svg FILE] [--csv FILE] [--json]",
    .details = "Runs a standard test of a rover and prints a table; grouser test NAME --help lists the options\nof one "
               "test. Several rovers, and several soils, laws or gravities separated by commas, are compared in\none "
               "table, one plot per quantity and one JSON object.",
    .example = "  grouser test gradeability curiosity_like --gravity mars --html climb.html\n"
               "  grouser test gradeability curiosity_like exomars_like --heading 0 --html which.html\n"
               "  grouser test drawbar rashid_like --gravity earth,moon --model wong_reece,bekker\n"
               "  grouser test drop rashid_like --heights 175,200,225 --json\n"
               "  grouser test tip viper_like --svg tip.svg",
    .run = run,
};
