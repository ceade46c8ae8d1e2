/// The page of a study: tables of the runs to look at, each with the command that repeats it.
#include "study_page_parts.h"

#include "alloc.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTREMES = 3, FAILURES = 20, COLUMNS = 6, DIGITS = 5 };

/// The command up to the run's id.
static void put_command(const char *path, GrBuffer *out)
{
    bool plain = path[0] != '\0' && path[0] != '-';
    for (const char *c = path; *c != '\0'; c++) {
        plain = plain && (isalnum((unsigned char)*c) || strchr("_-./+@%", *c) != NULL);
    }
    gr_buffer_puts(out, "grouser run --from ");
    if (plain) {
        gr_buffer_puts(out, path);
    } else { // as a shell reads it
        gr_buffer_puts(out, path[0] == '-' ? "./'" : "'");
        for (const char *c = path; *c != '\0'; c++) {
            *c == '\'' ? gr_buffer_puts(out, "'\\''") : gr_buffer_add(out, c, 1);
        }
        gr_buffer_puts(out, "'");
    }
    gr_buffer_puts(out, ":");
}

void gr_study_page_command(const char *path, int64_t id, GrBuffer *out)
{
    put_command(path, out);
    gr_buffer_printf(out, "%" PRId64, id);
}

void gr_study_page_mark(const GrStudyPage *def, GrBuffer *page)
{
    GrBuffer command = {0};
    if (def->table->of_scenario) {
        put_command(def->path, &command);
    }
    gr_buffer_puts(page, "<div hidden=\"hidden\" id=\"study\" data-command=\"");
    gr_buffer_xml(page, command.data != NULL ? command.data : "");
    gr_buffer_printf(page, "\"%s></div>\n", def->running ? " data-running=\"1\"" : "");
    page->failed = page->failed || command.failed;
    gr_buffer_free(&command);
}

/// "soil:phi 38.2, rover rashid_like"
static void put_values(const GrStudyTable *t, int row, GrBuffer *out)
{
    for (int k = 0; k < t->variable_count; k++) {
        const char *text = t->texts[row * t->variable_count + k];
        char number[GR_NUMBER_SIZE];
        gr_number_round(gr_study_value(t, row, k), DIGITS, number);
        gr_buffer_printf(out, "%s%s %s", k > 0 ? ", " : "", t->columns[k].name, text != NULL ? text : number);
    }
}

/// A row of the table: why it is listed, then the run.
static void put_run(const GrStudyPage *def, int row, const char *why, const char *value, GrBuffer *page)
{
    const GrStudyTable *t = def->table;
    char id[32];
    GrBuffer values = {0}, command = {0};
    snprintf(id, sizeof id, "%" PRId64, t->ids[row]);
    put_values(t, row, &values);
    if (t->of_scenario) {
        gr_study_page_command(def->path, t->ids[row], &command);
    }
    const char *const cells[COLUMNS] = {why,
                                        value,
                                        id,
                                        values.data != NULL ? values.data : "",
                                        t->outcomes[row],
                                        command.data != NULL ? command.data : ""};
    gr_page_row(page, cells, t->of_scenario ? COLUMNS : COLUMNS - 1, 6);
    page->failed = page->failed || values.failed || command.failed;
    gr_buffer_free(&values);
    gr_buffer_free(&command);
}

static void begin_table(const GrStudyPage *def, const char *first, const char *second, GrBuffer *page)
{
    const char *const heads[COLUMNS] = {first, second, "run", "variables", "outcome", "repeat with"};
    gr_page_begin_table(page, heads, def->table->of_scenario ? COLUMNS : COLUMNS - 1, 6);
}

/// A run and its value of a measure.
typedef struct Ranked {
    double value;
    int row;
} Ranked;

static int by_value(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : (x->row > y->row) - (x->row < y->row);
}

/// The runs with the least and the most of a measure.
static void put_extremes(const GrStudyPage *def, int measure, Ranked *ranked, GrBuffer *page)
{
    const GrStudyTable *t = def->table;
    const GrStudyColumn *column = &t->columns[t->variable_count + measure];
    int n = 0;
    for (int i = 0; i < t->row_count; i++) {
        const double value = gr_study_value(t, i, t->variable_count + measure);
        if (isfinite(value)) {
            ranked[n++] = (Ranked){value, i};
        }
    }
    qsort(ranked, (size_t)n, sizeof *ranked, by_value);
    for (int i = 0; i < n; i++) {
        if (i >= EXTREMES && i < n - EXTREMES) {
            continue;
        }
        char why[GR_VARIABLE_PATH + 20], value[GR_NUMBER_SIZE];
        snprintf(why, sizeof why, "%s %s", i < (n + 1) / 2 ? "least" : "most", column->name);
        gr_number_round(ranked[i].value, DIGITS, value);
        put_run(def, ranked[i].row, why, value, page);
    }
}

static void put_failures(const GrStudyPage *def, GrBuffer *page)
{
    const GrStudyTable *t = def->table;
    int failed = 0;
    for (int i = 0; i < t->row_count; i++) {
        failed += !t->succeeded[i];
    }
    if (failed == 0) {
        return;
    }
    gr_page_section(page, "Failed runs");
    if (failed > FAILURES) {
        char text[120];
        snprintf(text, sizeof text, "The first %d of %d.", (int)FAILURES, failed);
        gr_page_paragraph(page, text);
    }
    begin_table(def, "cause", "warnings", page);
    for (int i = 0, shown = 0; i < t->row_count && shown < FAILURES; i++) {
        if (!t->succeeded[i]) {
            char warnings[20];
            snprintf(warnings, sizeof warnings, "%d", t->warnings[i]);
            put_run(def, i, t->causes[i], warnings, page);
            shown++;
        }
    }
    gr_page_end_table(page);
}

GrStatus gr_study_page_runs(const GrStudyPage *def, GrBuffer *page, GrErrorLog *log)
{
    const GrStudyTable *t = def->table;
    Ranked *ranked = gr_calloc((size_t)t->row_count + 1, sizeof *ranked);
    if (ranked == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    if (t->of_scenario) {
        gr_page_begin_commands(page);
    }
    gr_page_section(page, "Extreme runs");
    begin_table(def, "why", "value", page);
    for (int i = 0; i < t->measure_count && i < GR_STUDY_PAGE_MEASURES; i++) {
        put_extremes(def, i, ranked, page);
    }
    gr_page_end_table(page);
    put_failures(def, page);
    if (t->of_scenario) {
        gr_page_end_commands(page);
    }
    gr_free(ranked);
    return GR_OK;
}
