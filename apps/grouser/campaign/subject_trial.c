/// The subject `test`: a standard test of a rover, as `grouser test` runs it.
///
///     run: {test: gradeability, rover: rashid_like, options: {soil: dlr_d2, gravity: moon}}
///
/// Variables are the options of the test (`gravity`, `soil`, `height`, …), `rover`, `rover:PATH` and `soil:NAME`.
/// Measures are the numbers that the test prints as JSON.
#include "subjects.h"

#include "alloc.h"
#include "file.h"
#include "grouser/soil_file.h"
#include "key_hash.h"
#include "out_of_memory.h"
#include "text.h"
#include "trial_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Subject {
    const GrTrialKind *kind;
    char rover[GR_FILE_PATH_SIZE];
    GrLineOptions options; ///< of every run
    GrTrialReport first;   ///< of the test without variations, for names
} Subject;

/// Values for the rover go to --set, those for the soil to --set-soil.
static bool add(GrOptionLine *line, const char *text)
{
    return gr_line_add(line, text, "--set=", "--set-soil=");
}

static bool make_line(const Subject *s, const GrCase *c, GrOptionLine *line)
{
    const char *rover = s->rover;
    bool ok = true;
    line->argc = 0;
    for (int i = 0; i < s->options.count; i++) {
        ok = ok && add(line, s->options.texts[i]);
    }
    for (int i = 0; c->overrides != NULL && c->overrides[i] != NULL; i++) {
        if (strncmp(c->overrides[i], "rover=", 6) == 0) {
            rover = c->overrides[i] + 6;
        } else if (gr_case_sample(c->overrides[i]) == NULL) {
            ok = ok && add(line, c->overrides[i]);
        }
    }
    return ok && gr_line_add_word(line, "", rover, strlen(rover));
}

/// What a run needs that is too large for the stack.
typedef struct Room {
    GrOptionLine line;
    GrTrialLine parsed;
    GrTrialCase one;
} Room;

/// Runs the test; the report must be freed, also after an error.
static GrStatus run_test(const Subject *s, const GrCase *c, GrTrialReport *report, GrErrorLog *log)
{
    Room *room = gr_calloc(1, sizeof *room);
    int exit_code;
    *report = (GrTrialReport){0};
    if (room == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = GR_OK;
    if (!make_line(s, c, &room->line)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "too many or too long options");
    } else if (!gr_trial_parse(s->kind, NULL, room->line.argc, room->line.argv, &room->parsed, &exit_code)) {
        status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "the test '%s' does not take it", s->kind->name);
    } else {
        room->one.input = room->parsed.input;
        room->parsed.common.uncertainty = "0"; // the campaign samples by itself
        room->one.input.rover_name = room->parsed.rovers[0];
        room->one.common = room->parsed.common;
        for (int i = 0; c->overrides != NULL && c->overrides[i] != NULL; i++) {
            const char *sample = gr_case_sample(c->overrides[i]);
            room->one.common.soil_sample = sample != NULL ? sample : room->one.common.soil_sample;
        }
        status = gr_trial_case_run(&room->one, log);
        *report = room->one.report;
        report->trust = NULL;
    }
    gr_free(room);
    return status;
}

static void destroy(void *subject)
{
    Subject *s = subject;
    gr_trial_report_free(&s->first);
    gr_free(s);
}

static void *create(GrNode *value, const GrNode *section)
{
    Subject *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        gr_node_out_of_memory(value);
        return NULL;
    }
    const char *names[32];
    for (int i = 0; i < gr_trial_kind_count && i < 32 && value->kind == GR_NODE_SCALAR; i++) {
        names[i] = gr_trial_kinds[i]->name;
        s->kind = strcmp(names[i], value->text) == 0 ? gr_trial_kinds[i] : s->kind;
    }
    if (s->kind == NULL) {
        gr_node_error(
            value, GR_ERROR_NAME, "there is no test '%s'%s", value->text != NULL ? value->text : "?",
            gr_suggestion(value->document->log, value->text != NULL ? value->text : "", names, gr_trial_kind_count)
                .text);
    }
    gr_field_text((GrNode *)(uintptr_t)section, "rover", GR_REQUIRED, s->rover, sizeof s->rover);
    gr_line_read(gr_field_mapping((GrNode *)(uintptr_t)section, "options", GR_OPTIONAL), &s->options);
    GrErrorLog log = {.quiet = true};
    const GrCase none = {.count = 0};
    if (value->document->status == GR_OK && run_test(s, &none, &s->first, &log) != GR_OK) {
        gr_node_error(value, GR_ERROR_VALUE, "%s", log.count > 0 ? log.items[0].text : "the test cannot be run");
    }
    if (value->document->status != GR_OK) {
        destroy(s);
        return NULL;
    }
    return s;
}

/// Of the facts with one name at several conditions, as slopes at slips, the one that the test is judged by.
static const GrTrialFact *find_fact(const GrTrialReport *report, const char *name)
{
    const GrTrialFact *found = NULL;
    for (int i = 0; i < report->fact_count; i++) {
        const GrTrialFact *fact = &report->facts[i];
        const bool named = strcmp(fact->key, name) == 0 && !fact->is_text;
        found = named && (found == NULL || fact->sense != 0) ? fact : found;
    }
    return found;
}

static bool has(void *context, const char *name, bool channel)
{
    const Subject *s = context;
    return !channel && find_fact(&s->first, name) != NULL;
}

static int list(void *context, bool channel, const char **names, int capacity)
{
    const Subject *s = context;
    int count = 0;
    for (int i = 0; i < s->first.fact_count && count < capacity && !channel; i++) {
        if (find_fact(&s->first, s->first.facts[i].key) == &s->first.facts[i]) {
            names[count++] = s->first.facts[i].key;
        }
    }
    return count;
}

/// Files of rover and soil by their contents; everything else by its text.
static GrStatus identify(void *subject, const GrCase *c, uint64_t *hash, GrErrorLog *log)
{
    const Subject *s = subject;
    GrTrialReport report;
    GrStatus status = run_test(s, c, &report, log);
    *hash = gr_hash_text(*hash, s->kind->name);
    for (int i = 0; i < s->options.count; i++) {
        *hash = gr_hash_text(*hash, s->options.texts[i]);
    }
    // the result itself tells of every file that it depends on
    for (int i = 0; i < report.fact_count && status == GR_OK; i++) {
        const double value = report.facts[i].value;
        *hash = gr_hash_bytes(gr_hash_text(*hash, report.facts[i].key), &value, sizeof value);
        *hash = report.facts[i].is_text ? gr_hash_text(*hash, report.facts[i].text) : *hash;
    }
    gr_trial_report_free(&report);
    return status;
}

static GrStatus run(void *worker, const GrCase *c, double *terms, GrResult *result, GrErrorLog *log)
{
    const GrPlainWorker *w = worker;
    GrErrorLog why = {.quiet = true};
    GrTrialReport report;
    char verdict[GR_TRIAL_VERDICT];
    const GrStatus status = run_test(w->subject, c, &report, &why);
    if (status == GR_ERROR_MEMORY) {
        gr_trial_report_free(&report);
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < w->measures->term_count; i++) {
        const GrTrialFact *fact = find_fact(&report, w->measures->terms[i].name);
        terms[i] = status == GR_OK && fact != NULL ? fact->value : (double)NAN;
    }
    result->succeeded = status == GR_OK;
    result->progress = status == GR_OK;
    result->prediction = report.prediction;
    result->warnings = why.warning_count;
    snprintf(result->outcome, sizeof result->outcome, "%s", status == GR_OK ? "done" : GR_OUTCOME_REFUSED);
    snprintf(result->cause, sizeof result->cause, "%.250s",
             status == GR_OK ? gr_trial_print_verdict(&report, verdict)
             : why.count > 0 ? why.items[0].text
                             : "");
    gr_trial_report_free(&report);
    return GR_OK;
}

const GrSubjectKind gr_subject_trial = {
    .name = "test",
    .text = "a standard test of a rover",
    .create = create,
    .destroy = destroy,
    .identify = identify,
    .has = has,
    .list = list,
    .samples_soil = true,
    .create_worker = gr_plain_worker,
    .destroy_worker = gr_free,
    .run = run,
};
