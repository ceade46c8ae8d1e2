/// The analyses of the command for Python: single-wheel rig, standard tests, fit, validation, missions from here to
/// there. Results are the JSON that the command prints, so that both have the same names and numbers.
#include "python_api.h"

#include "alloc.h"
#include "fit_report.h"
#include "mission.h"
#include "out_of_memory.h"
#include "parts.h"
#include "report.h"
#include "trial_case.h"
#include "validate_report.h"
#include "wheel_study.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/// A file in memory that becomes a text.
typedef struct Page {
    FILE *file; ///< NULL: out of memory
    char *text;
    size_t size;
} Page;

static void open_page(Page *page)
{
    *page = (Page){.file = NULL};
    page->file = open_memstream(&page->text, &page->size);
}

/// Closes the page and gives its text to the caller, in memory of the library's allocator.
static GrStatus take_text(Page *page, char **out, GrErrorLog *log)
{
    const bool written = page->file != NULL && fclose(page->file) == 0;
    *out = written ? gr_strdup(page->text) : NULL;
    free(page->text);
    return *out != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

GrStatus gr_python_wheel(int argc, char **argv, char **json, GrErrorLog *log)
{
    GrWheelStudy *study = gr_calloc(1, sizeof *study);
    if (study == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_wheel_study_line(argc, argv, study, log);
    if (status == GR_OK) {
        Page page;
        open_page(&page);
        if (page.file != NULL) {
            gr_wheel_json(study, page.file);
        }
        status = take_text(&page, json, log);
    }
    gr_wheel_study_free(study);
    gr_free(study);
    return status;
}

/// What a test needs that is too large for the stack.
typedef struct TestRoom {
    GrTrialLine line;
    GrTrialCase one;
} TestRoom;

static GrStatus run_test(const GrTrialKind *kind, int argc, char **argv, TestRoom *room, char **json, GrErrorLog *log)
{
    int exit_code;
    if (!gr_trial_parse(kind, NULL, argc, argv, &room->line, &exit_code)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "the test '%s' does not take it", kind->name);
    }
    room->one.input = room->line.input;
    room->one.input.rover_name = room->line.rovers[0];
    room->one.common = room->line.common;
    const GrStatus status = gr_trial_case_run(&room->one, log);
    if (status != GR_OK || room->one.report.failed) {
        return status != GR_OK ? status : gr_out_of_memory(log, NULL);
    }
    Page page;
    open_page(&page);
    if (page.file != NULL) {
        gr_trial_json(&room->one.report, page.file);
    }
    return take_text(&page, json, log);
}

GrStatus gr_python_test(const char *name, int argc, char **argv, char **json, GrErrorLog *log)
{
    const GrTrialKind *kind = gr_trial_find(name);
    if (kind == NULL) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){0}, "there is no test '%s'", name);
    }
    TestRoom *room = gr_calloc(1, sizeof *room);
    if (room == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    const GrStatus status = run_test(kind, argc, argv, room, json, log);
    gr_trial_report_free(&room->one.report);
    gr_free(room);
    return status;
}

GrStatus gr_python_fit(int argc, char **argv, const char *output, char **json, GrErrorLog *log)
{
    GrFitReport *report = gr_calloc(1, sizeof *report);
    if (report == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_fit_soil_line(argc, argv, report, log);
    if (status == GR_OK && output != NULL) {
        status = gr_soil_save(output, &report->result.soil, &report->sources, log);
    }
    if (status == GR_OK) {
        Page page;
        open_page(&page);
        if (page.file != NULL) {
            gr_fit_json(report, page.file);
        }
        status = take_text(&page, json, log);
    }
    gr_fit_report_free(report);
    gr_free(report);
    return status;
}

GrStatus gr_python_validate(const char *only, char **json, GrErrorLog *log)
{
    GrValidateReport report = {0};
    GrStatus status = gr_validate_run(only, &report, log);
    if (status == GR_OK) {
        Page page;
        open_page(&page);
        if (page.file != NULL) {
            gr_validate_json(&report, page.file);
        }
        status = take_text(&page, json, log);
    }
    gr_validate_report_free(&report);
    return status;
}

#ifdef GR_WITH_CAMPAIGN
GrStatus gr_python_mission_go(int argc, char **argv, char **json, GrErrorLog *log)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGPIPE}; // the mission takes them, and Python gets them back
    struct sigaction before[3];
    for (int i = 0; i < 3; i++) {
        sigaction(signals[i], NULL, &before[i]);
    }
    gr_interrupts_forget();
    gr_interrupts_watch();
    Page page;
    open_page(&page);
    const int exit_code = page.file != NULL ? gr_mission_go_ask(argc, argv, page.file, log) : GR_EXIT_FAILURE;
    const bool stopped = gr_interrupted();
    for (int i = 0; i < 3; i++) {
        sigaction(signals[i], &before[i], NULL);
    }
    const GrStatus status = take_text(&page, json, log);
    const bool answered = status == GR_OK && (*json)[0] != '\0';
    if (status == GR_OK && !answered) {
        gr_free(*json);
        *json = NULL;
    }
    return status != GR_OK || answered || stopped ? status
           : exit_code == GR_EXIT_INPUT           ? GR_ERROR_USAGE
                                                  : GR_ERROR_FILE;
}
#else
GrStatus gr_python_mission_go(int argc, char **argv, char **json, GrErrorLog *log)
{
    (void)argc, (void)argv, (void)json;
    return gr_part_missing("CAMPAIGN", (GrLocation){.field = "mission_go"}, log);
}
#endif

const char *gr_python_test_name(int test)
{
    return test < gr_trial_kind_count ? gr_trial_kinds[test]->name : NULL;
}

const char *gr_python_test_option(int test, int option)
{
    return option < GR_TRIAL_OPTIONS ? gr_trial_kinds[test]->options[option].name : NULL;
}
