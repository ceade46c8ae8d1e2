/// grouser validate: published figures and our own checks, recomputed.
#include "alloc.h"
#include "command.h"
#include "file.h"
#include "json.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"
#include "table.h"
#include "text.h"
#include "validate_report.h"

#include <fnmatch.h>

enum { CASES_MAX = 256, SCORES_MAX = 16 };

typedef struct Selection {
    const GrValidationCase *cases[CASES_MAX];
    int count;
    const GrScoreCase *scores[SCORES_MAX];
    int score_count;
} Selection;

/// The cases whose name matches; if there is none, the error suggests the nearest.
static GrStatus select_cases(const char *glob, Selection *out, GrErrorLog *log)
{
    const char *names[CASES_MAX + SCORES_MAX];
    int all = 0;
    const GrValidationCase *c;
    const GrScoreCase *s;
    while (all < CASES_MAX && (c = gr_validation_case(all)) != NULL) {
        names[all++] = c->name;
        if (glob == NULL || fnmatch(glob, c->name, 0) == 0) {
            out->cases[out->count++] = c;
        }
    }
    for (int i = 0; i < SCORES_MAX && (s = gr_score_case(i)) != NULL; i++) {
        names[all++] = s->name;
        if (glob == NULL || fnmatch(glob, s->name, 0) == 0) {
            out->scores[out->score_count++] = s;
        }
    }
    if (out->count + out->score_count > 0) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--only"},
                        "no case matches '%s'; grouser validate --list shows them%s", glob,
                        gr_text_hint(glob, names, all, "").text);
}

static void list_as_json(const Selection *selection)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_begin_array(&json, "cases");
    for (int i = 0; i < selection->count; i++) {
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "case", selection->cases[i]->name);
        gr_json_string(&json, "source", selection->cases[i]->source);
        gr_json_string(&json, "allowance", selection->cases[i]->allowance);
        gr_json_end(&json);
    }
    for (int i = 0; i < selection->score_count; i++) {
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "case", selection->scores[i]->name);
        gr_json_string(&json, "source", selection->scores[i]->title);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json);
}

static void list_as_table(const Selection *selection)
{
    GrTable table = {0};
    gr_table_heads(&table, "case|source");
    for (int i = 0; i < selection->count; i++) {
        gr_table_text(&table, selection->cases[i]->name);
        gr_table_text(&table, selection->cases[i]->source);
    }
    for (int i = 0; i < selection->score_count; i++) {
        gr_table_text(&table, selection->scores[i]->name);
        gr_table_text(&table, selection->scores[i]->title);
    }
    gr_table_print(&table, stdout);
    gr_table_free(&table);
}

/// Runs all cases, even after a failure; returns the status of the first failure.
static GrStatus run_cases(const Selection *selection, GrValidateReport *report, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    report->cases = gr_calloc((size_t)selection->count + 1, sizeof *report->cases);
    report->scores = gr_calloc((size_t)selection->score_count + 1, sizeof *report->scores);
    if (report->cases == NULL || report->scores == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrProgress progress = gr_progress_begin("validate");
    for (int i = 0; i < selection->count; i++) {
        GrValidated *c = &report->cases[report->count++];
        gr_progress_update(&progress, i, selection->count + selection->score_count);
        c->from = selection->cases[i];
        c->status = gr_validation_run(c->from, &c->findings, log);
        if (c->status != GR_OK) {
            gr_error_add(log, c->status, (GrLocation){.field = c->from->name}, "the case could not be run to the end");
            status = status == GR_OK ? c->status : status;
        }
    }
    for (int i = 0; i < selection->score_count; i++) {
        gr_progress_update(&progress, selection->count + i, selection->count + selection->score_count);
        const GrStatus scored = gr_score_run(selection->scores[i], &report->scores[report->score_count++], log);
        status = status == GR_OK ? scored : status;
    }
    gr_progress_end(&progress);
    return status;
}

GrStatus gr_validate_run(const char *only, GrValidateReport *out, GrErrorLog *log)
{
    Selection selection = {0};
    const GrStatus status = select_cases(only, &selection, log);
    return status == GR_OK ? run_cases(&selection, out, log) : status;
}

static int run(int argc, char **argv)
{
    const char *only = NULL, *html = NULL;
    bool list = false, json = false, markdown = false;
    const GrOption options[] = {
        {.name = "only", .value = "GLOB", .text = &only, .help = "only the cases that match, e.g. 'soil/*'"},
        {.name = "list", .flag = &list, .help = "list the cases without running them"},
        {.name = "html", .value = "FILE", .text = &html, .help = "write a page with tables and plots"},
        {.name = "json", .flag = &json, .help = "print JSON"},
        {.name = "markdown", .flag = &markdown, .help = "print the tables of docs/validation.md"},
    };
    int exit_code;
    if (gr_options_parse(&gr_command_validate, options, (int)(sizeof options / sizeof options[0]), argc, argv, NULL, 0,
                         0, &exit_code) < 0) {
        return exit_code;
    }
    if (json && markdown) {
        gr_report_error("validate: --json and --markdown exclude each other");
        return GR_EXIT_INPUT;
    }
    GrErrorLog log = {0};
    Selection selection = {0};
    GrValidateReport report = {0};
    GrStatus status = select_cases(only, &selection, &log);
    if (status == GR_OK && list) {
        (json ? list_as_json : list_as_table)(&selection);
        return GR_EXIT_OK;
    }
    if (status == GR_OK) {
        status = run_cases(&selection, &report, &log);
        (json ? gr_validate_json : markdown ? gr_validate_markdown : gr_validate_print)(&report, stdout);
    }
    if (html != NULL && report.count + report.score_count > 0) {
        GrPage page = {0};
        gr_validate_page(&report, &page);
        const GrStatus written = gr_report_page(html, &page, json || markdown, &log);
        status = status == GR_OK ? written : status;
    }
    const bool out = gr_validate_count(&report, GR_VERDICT_OUT) > 0;
    gr_validate_report_free(&report);
    gr_report_log(&log);
    return status != GR_OK ? gr_report_exit_code(status) : out ? GR_EXIT_FAILURE : GR_EXIT_OK;
}

const GrCommand gr_command_validate = {
    .name = "validate",
    .summary = "recompute published figures and report deviations of the models",
    .usage = "validate [--only GLOB] [--list] [--html FILE] [--json|--markdown]",
    .details =
        "One row per figure: expected value, value of this program, allowed difference. Kind published: the\nfigure is "
        "printed in its source. Kind check: the expected value is our own; it guards the program and is\ncounted "
        "separately. A known deviation is larger than allowed, but not larger than recorded, with a\nreason; it is "
        "never counted as a pass. Exits with 1 when a figure is out. docs/validation.md has the sources.\nCases "
        "score/*: how well each law predicts a measured wheel at slip angles that it was not fitted to.",
    .example = "  grouser validate\n"
               "  grouser validate --only 'rigid/*' --html validation.html\n"
               "  grouser validate --json",
    .run = run,
};
