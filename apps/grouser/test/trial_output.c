/// Output of test reports: terminal, JSON, CSV, SVG and HTML.
#include "trial_report.h"

#include "comparison.h"
#include "json.h"
#include "number.h"
#include "out_of_memory.h"
#include "report.h"
#include "run_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int row_count(const GrTrialReport *report)
{
    return report->column_count > 0 ? report->cell_count / report->column_count : 0;
}

/// "29.4 °", "at least 35 °", "14.8 ° (90 %: 11.2 … 18.9)".
static const char *print_fact(const GrTrialFact *fact, char out[GR_TRIAL_TEXT * 2])
{
    char number[GR_NUMBER_SIZE];
    const bool banded = !isnan(fact->low) && !isnan(fact->value);
    gr_number_round(fact->scale * fact->value, banded ? 3 : 4, number);
    const int used = snprintf(out, GR_TRIAL_TEXT * 2, "%s%s%s%s", fact->at_least ? "at least " : "",
                              isnan(fact->value) ? "–" : number, fact->unit[0] != '\0' ? " " : "", fact->unit);
    if (banded) {
        char low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
        gr_number_round(fact->scale * fact->low, 3, low);
        gr_number_round(fact->scale * fact->high, 3, high);
        snprintf(out + used, (size_t)(GR_TRIAL_TEXT * 2 - used), " (90 %%: %s … %s%s)", low, fact->open ? "≥ " : "",
                 isnan(fact->high) ? "∞" : high);
    }
    return out;
}

const char *gr_trial_print_verdict(const GrTrialReport *report, char out[GR_TRIAL_VERDICT])
{
    size_t used = 0;
    const char *at = report->verdict;
    while (*at != '\0' && used + 1 < GR_TRIAL_VERDICT) {
        char *end;
        const long number = *at == '{' ? strtol(at + 1, &end, 10) : -1;
        char text[GR_TRIAL_TEXT * 2] = {*at, '\0'};
        const bool names = number >= 0 && number < report->fact_count && *end == '}';
        if (names) {
            print_fact(&report->facts[number], text);
        }
        used += (size_t)snprintf(out + used, GR_TRIAL_VERDICT - used, "%s", text);
        at = names ? end + 1 : at + 1;
    }
    out[used < GR_TRIAL_VERDICT ? used : GR_TRIAL_VERDICT - 1] = '\0';
    return out;
}

/// Whether some cell of the column has a band.
static bool has_band(const GrTrialReport *report, int column)
{
    bool any = false;
    for (int i = column; i < report->cell_count; i += report->column_count) {
        any = any || !isnan(report->cells[i].low);
    }
    return any;
}

static const GrTrialCell *cell_at(const GrTrialReport *report, int row, int column)
{
    return &report->cells[row * report->column_count + column];
}

static const double MICROMETRE = 1e-3; // [mm]

static void put_cell(const GrTrialReport *report, int row, int column, GrTable *table)
{
    const GrTrialCell *cell = cell_at(report, row, column);
    const double value = report->columns[column].scale * cell->number;
    if (report->columns[column].scale == 0) {
        gr_table_text(table, cell->text);
    } else {
        gr_table_value(table, cell->number);
        if (fabs(value) < (report->columns[column].scale == 1000 ? MICROMETRE : 1e-6)) { // residues of rounding
            gr_table_show(table, "0");
        } else if (cell->at_least) {
            gr_table_show(table, "≥ %s", gr_show(value, 4, "").text);
        }
    }
    if (cell->shown != NULL && (report->columns[column].scale == 0 || isnan(value))) {
        gr_table_show(table, "%s", cell->shown);
    }
}

/// The rows for all outputs; bands are in files alone.
static GrTable table_of(const GrTrialReport *report)
{
    GrTable table = {0};
    for (int k = 0; k < report->column_count; k++) {
        const GrTrialColumn *c = &report->columns[k];
        const GrColumn columns[] = {{c->key, c->head, c->scale, 0}, {c->key, NULL, 1, 0}};
        gr_table_columns(&table, columns, has_band(report, k) ? 2 : 1);
    }
    for (int i = 0; i < row_count(report); i++) {
        for (int k = 0; k < report->column_count && !gr_trial_is_left_out(report, i); k++) {
            put_cell(report, i, k, &table);
            if (has_band(report, k)) {
                gr_table_band(&table, cell_at(report, i, k)->low, cell_at(report, i, k)->high);
            }
        }
    }
    return table;
}

/// Whether a case has a statement on trust that differs from that of the case before.
static bool has_own_trust(const GrTrialReport *report, int part)
{
    const GrTrust *trust = report->parts[part].report->trust;
    const GrTrust *before = part > 0 ? report->parts[part - 1].report->trust : NULL;
    return trust != NULL && (before == NULL || strcmp(trust->line, before->line) != 0);
}

static void json_band(GrJson *json, const char *key, double low, double high)
{
    char name[GR_TRIAL_TEXT];
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, low);
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, high);
}

static void json_fact(const GrTrialFact *fact, GrJson *json)
{
    if (fact->is_text) {
        gr_json_string(json, fact->key, fact->text);
        return;
    }
    gr_json_number(json, fact->key, fact->value);
    if (fact->samples != NULL) {
        json_band(json, fact->key, fact->low, fact->high);
    }
    if (fact->at_least) {
        char key[GR_TRIAL_TEXT];
        snprintf(key, sizeof key, "%s_at_least", fact->key);
        gr_json_bool(json, key, true);
    }
}

/// Writes the facts of one list, which follow each other, as an array; returns the fact after them.
static int json_list(const GrTrialReport *report, int first, GrJson *json)
{
    const char *list = report->facts[first].list;
    int i = first;
    gr_json_begin_array(json, list);
    while (i < report->fact_count && report->facts[i].list == list) {
        const double at = report->facts[i].at;
        gr_json_begin_object(json, NULL);
        gr_json_number(json, report->facts[i].at_key, at);
        for (; i < report->fact_count && report->facts[i].list == list && report->facts[i].at == at; i++) {
            json_fact(&report->facts[i], json);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
    return i;
}

/// Writes one report into the open JSON object.
static void json_report(const GrTrialReport *report, GrJson *json)
{
    char verdict[sizeof report->verdict];
    for (int i = 0; i < report->fact_count;) {
        if (report->facts[i].list != NULL) {
            i = json_list(report, i, json);
        } else {
            json_fact(&report->facts[i++], json);
        }
    }
    gr_json_string(json, "verdict", gr_trial_print_verdict(report, verdict));
    gr_json_begin_array(json, "doubts");
    for (const char *at = report->doubts; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        char line[sizeof report->doubts];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        gr_json_string(json, NULL, line);
    }
    gr_json_end(json);
    if (report->sample_count > 0) {
        gr_json_integer(json, "uncertainty_samples", report->sample_count);
        if (report->prediction != NULL) {
            gr_json_string(json, "prediction", report->prediction);
        }
    }
    GrTable table = table_of(report);
    gr_table_json(&table, report->rows != NULL ? report->rows : "points", json);
    gr_table_free(&table);
    gr_trust_json(json, "trust", report->trust);
}

void gr_trial_json(const GrTrialReport *report, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    if (report->part_count == 0) {
        json_report(report, &json);
    } else {
        const GrTrialFact *test = &report->parts[0].report->facts[0]; // the first fact of every report
        gr_json_string(&json, test->key, test->text);
        if (report->comparison != NULL) {
            gr_comparison_json(report->comparison, &json);
        }
        gr_json_begin_array(&json, "cases");
        for (int k = 0; k < report->part_count; k++) {
            gr_json_begin_object(&json, NULL);
            gr_json_string(&json, "case", report->parts[k].label);
            json_report(report->parts[k].report, &json);
            gr_json_end(&json);
        }
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_finish(&json);
}

// ---- page and terminal

static void put_rows(const GrTrialReport *report, GrPage *page)
{
    GrTable table = table_of(report);
    gr_page_table(page, &table);
}

static void put_facts(const GrTrialReport *report, GrPage *page)
{
    for (int i = 0; i < report->fact_count; i++) {
        const GrTrialFact *fact = &report->facts[i];
        char text[GR_TRIAL_TEXT * 2];
        if (fact->label[0] != '\0') {
            gr_page_fact(page, fact->label, "%s", fact->is_text ? fact->text : print_fact(fact, text));
        }
    }
}

static bool has_facts(const GrTrialReport *report)
{
    bool any = false;
    for (int i = 0; i < report->fact_count; i++) {
        any = any || report->facts[i].label[0] != '\0';
    }
    return any;
}

/// The facts that the verdict names, large.
static void put_cards(const GrTrialReport *report, GrPage *page)
{
    for (const char *at = strchr(report->verdict, '{'); at != NULL; at = strchr(at + 1, '{')) {
        const long number = strtol(at + 1, NULL, 10);
        if (number >= 0 && number < report->fact_count) {
            char text[GR_TRIAL_TEXT * 2];
            print_fact(&report->facts[number], text);
            char *band = strstr(text, " (");
            if (band != NULL) {
                *band = '\0';
                band[strlen(band + 1)] = '\0'; // without the last parenthesis
            }
            gr_page_card(page, report->facts[number].label, text, band != NULL ? band + 2 : NULL);
        }
    }
}

/// Why the answer may be wrong.
static void put_doubts(const GrTrialReport *report, GrPage *page)
{
    if (report->doubts[0] != '\0' && page->place == GR_PLACE_PAGE) {
        gr_page_note(page, "Doubtful", report->doubts);
        return;
    }
    for (const char *at = report->doubts; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        gr_page_text(page, "doubtful: %.*s", (int)strcspn(at, "\n"), at);
    }
}

/// What every case of a comparison answers, and how far to trust it.
static void put_parts(const GrTrialReport *report, GrPage *page)
{
    char verdict[sizeof report->verdict];
    for (int k = 0; k < report->part_count; k++) {
        gr_page_text(page, "%s: %s", report->parts[k].label, gr_trial_print_verdict(report->parts[k].report, verdict));
        put_doubts(report->parts[k].report, page);
    }
    for (int k = 0; k < report->part_count; k++) {
        int last = k; // last of the following cases with the same statement
        char label[GR_TRIAL_TEXT * 2];
        while (last + 1 < report->part_count && !has_own_trust(report, last + 1)) {
            last++;
        }
        snprintf(label, sizeof label, last > k ? "%s to %s" : "%s", report->parts[k].label, report->parts[last].label);
        if (has_own_trust(report, k)) {
            gr_trust_page(page, label, report->parts[k].report->trust);
        }
    }
}

static void put_panels(const GrTrialReport *report, GrPage *page)
{
    GrPanel panels[GR_TRIAL_PANELS];
    for (int p = 0; p < report->panel_count; p++) {
        panels[p] = report->panels[p].panel;
        panels[p].series = report->panels[p].series;
        panels[p].square = report->square;
    }
    gr_page_panels(page, panels, report->panel_count, NULL);
    if (report->not_drawn > 0) {
        gr_page_text(page, "%d curves are not drawn: a plot shows at most %d.", report->not_drawn,
                     (int)GR_TRIAL_CURVES);
    }
}

/// What the bands are of: "32 samples of the soil and of the errors of its fit (extrapolated)".
static const char *samples_of(const GrTrialReport *report, char out[100])
{
    const bool fitted = report->prediction != NULL;
    snprintf(out, 100, "%d samples of the soil%s%s%s", report->sample_count,
             fitted ? " and of the errors of its fit (" : "", fitted ? report->prediction : "", fitted ? ")" : "");
    return out;
}

/// The terminal shows the numbers before what may be wrong with them, the page after the plots.
static void describe(const GrTrialReport *report, GrPage *page)
{
    char verdict[sizeof report->verdict], text[100];
    gr_page_begin(page, report->title, report->about);
    put_cards(report, page);
    if (report->verdict[0] != '\0') {
        gr_page_text(page, "%s", gr_trial_print_verdict(report, verdict));
    }
    page->place = GR_PLACE_TERMINAL;
    if (report->sample_count > 0) {
        gr_page_section(page, "%s; bands: 5 to 95 %% of %s", report->about, samples_of(report, text));
    } else {
        gr_page_section(page, "%s", report->about);
    }
    page->place = GR_PLACE_PAGE;
    if (report->sample_count > 0) {
        gr_page_text(page, "Ranges and bands: 5 to 95 %% of %s.", samples_of(report, text));
    }
    page->place = GR_PLACE_BOTH;
    if (report->comparison != NULL) {
        gr_comparison_page(report->comparison, page);
    }
    if (report->cases != NULL && report->cases->column_count > 1) {
        put_rows(report->cases, page);
    }
    page->place = GR_PLACE_PAGE;
    put_doubts(report, page);
    put_parts(report, page);
    gr_trust_page(page, NULL, report->trust);
    put_panels(report, page);
    if (has_facts(report) || row_count(report) > 0) {
        gr_page_section(page, "Numbers");
    }
    page->place = GR_PLACE_BOTH;
    put_facts(report, page);
    if (row_count(report) > 0) {
        put_rows(report, page);
    }
    page->place = GR_PLACE_TERMINAL;
    put_doubts(report, page);
    put_parts(report, page);
    gr_trust_page(page, NULL, report->trust);
}

static void write_svg(const GrTrialReport *report, GrBuffer *svg)
{
    GrPanel panels[GR_TRIAL_PANELS];
    for (int p = 0; p < report->panel_count; p++) {
        panels[p] = report->panels[p].panel;
        panels[p].series = report->panels[p].series;
    }
    const GrPlot plot = {.title = report->title,
                         .subtitle = report->about,
                         .panels = panels,
                         .panel_count = report->panel_count,
                         .columns = report->panel_count > 1 ? 2 : 1,
                         .panel_width = report->square ? 560 : 460,
                         .panel_height = report->square ? 560 : 300};
    gr_plot_write(&plot, svg); // a failure is remembered in the buffer
}

GrStatus gr_trial_say(const GrTrialReport *report, const GrTrialOutputs *outputs, GrErrorLog *log)
{
    GrPage page = {.failed = report->failed};
    describe(report, &page);
    GrStatus status = page.failed ? gr_out_of_memory(log, NULL) : GR_OK;
    if (status == GR_OK && outputs->json) {
        gr_trial_json(report, stdout);
    } else if (status == GR_OK) {
        gr_page_print(&page, stdout);
    }
    if (status == GR_OK && outputs->html != NULL) {
        status = gr_report_page(outputs->html, &page, outputs->json, log);
    }
    gr_page_free(&page);
    if (status == GR_OK && outputs->svg != NULL) {
        GrBuffer svg = {0};
        write_svg(report, &svg);
        status = gr_report_file(outputs->svg, &svg, outputs->json, log);
    }
    if (status == GR_OK && outputs->csv != NULL) {
        GrBuffer csv = {0};
        GrTable table = table_of(report);
        gr_table_csv(&table, &csv);
        gr_table_free(&table);
        status = gr_report_file(outputs->csv, &csv, outputs->json, log);
    }
    return status;
}
