#include "validate_report.h"

#include "alloc.h"
#include "json.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "report.h"
#include "table.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100, PANELS_MAX = 32, SERIES_MAX = 64 };

void gr_validate_report_free(GrValidateReport *report)
{
    for (int i = 0; i < report->count; i++) {
        gr_findings_free(&report->cases[i].findings);
    }
    for (int i = 0; i < report->score_count; i++) {
        gr_score_free(&report->scores[i]);
    }
    gr_free(report->cases);
    gr_free(report->scores);
    *report = (GrValidateReport){0};
}

int gr_validate_count_kind(const GrValidateReport *report, GrFindingKind kind, GrVerdict verdict)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        for (int j = 0; j < report->cases[i].findings.count; j++) {
            const GrFinding *f = &report->cases[i].findings.items[j];
            count += f->kind == kind && gr_finding_verdict(f) == verdict;
        }
    }
    return count;
}

int gr_validate_count(const GrValidateReport *report, GrVerdict verdict)
{
    return gr_validate_count_kind(report, GR_FINDING_PUBLISHED, verdict) +
           gr_validate_count_kind(report, GR_FINDING_CHECK, verdict);
}

void gr_validate_expected(const GrFinding *finding, char out[GR_EXPECTED_TEXT])
{
    static const char *const words[] = {"", "at least ", "at most "};
    char number[GR_NUMBER_SIZE];
    gr_number_round(finding->expected, 5, number);
    snprintf(out, GR_EXPECTED_TEXT, "%s%s", words[finding->limit], number);
}

int gr_validate_count_measured(const GrValidateReport *report, GrVerdict verdict)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        for (int j = 0; gr_validation_is_measured(report->cases[i].from) && j < report->cases[i].findings.count; j++) {
            const GrFinding *f = &report->cases[i].findings.items[j];
            count += f->kind == GR_FINDING_PUBLISHED && gr_finding_verdict(f) == verdict;
        }
    }
    return count;
}

/// "12 published figures: 9 pass, 3 known deviations, 0 out."
static void summarise_kind(const GrValidateReport *report, GrFindingKind kind, char *out, size_t size)
{
    const int pass = gr_validate_count_kind(report, kind, GR_VERDICT_PASS),
              known = gr_validate_count_kind(report, kind, GR_VERDICT_KNOWN),
              off = gr_validate_count_kind(report, kind, GR_VERDICT_OUT), all = pass + known + off;
    snprintf(out, size, "%d %s%s: %d pass, %d known deviation%s, %d out.", all,
             kind == GR_FINDING_CHECK ? "check" : "published figure", all == 1 ? "" : "s", pass, known,
             known == 1 ? "" : "s", off);
}

/// Published figures and checks are counted separately: a check that passes is no evidence about the real world.
static void summarise(const GrValidateReport *report, char *out, size_t size)
{
    char published[120], checks[120];
    summarise_kind(report, GR_FINDING_PUBLISHED, published, sizeof published);
    summarise_kind(report, GR_FINDING_CHECK, checks, sizeof checks);
    const int good = gr_validate_count_measured(report, GR_VERDICT_PASS);
    const int bad =
        gr_validate_count_measured(report, GR_VERDICT_KNOWN) + gr_validate_count_measured(report, GR_VERDICT_OUT);
    const int used =
        snprintf(out, size, "%d case%s. %s %s", report->count, report->count == 1 ? "" : "s", published, checks);
    if (good + bad > 0 && used > 0 && (size_t)used < size) {
        snprintf(out + used, size - (size_t)used,
                 " Of the published figures %d are of measured wheels and rovers: %d pass.", good + bad, good);
    }
}

/// Whether this finding's reason was given before in its case.
static bool is_repeated(const GrFindings *findings, int item)
{
    for (int j = 0; j < item; j++) {
        const GrFinding *f = &findings->items[j];
        if (f->reason == findings->items[item].reason && gr_finding_verdict(f) == GR_VERDICT_KNOWN) {
            return true;
        }
    }
    return false;
}

static void print_reasons(const GrValidateReport *report, FILE *file)
{
    if (gr_validate_count(report, GR_VERDICT_KNOWN) == 0) {
        return;
    }
    fputs("\nKnown deviations: larger than allowed, not larger than recorded, because\n", file);
    for (int i = 0; i < report->count; i++) {
        const GrFindings *findings = &report->cases[i].findings;
        for (int j = 0; j < findings->count; j++) {
            const GrFinding *f = &findings->items[j];
            if (gr_finding_verdict(f) == GR_VERDICT_KNOWN && !is_repeated(findings, j)) {
                char text[600];
                snprintf(text, sizeof text, "%s: %s", report->cases[i].from->name, f->reason);
                fputs("  ", file);
                gr_print_wrapped(text, 4, WIDTH, file);
            }
        }
    }
}

void gr_validate_print(const GrValidateReport *report, FILE *file)
{
    static const char *const heads[] = {"expected", "ours", "difference", "allowed"};
    GrTable table = {0};
    gr_table_column(&table, "case", GR_LEFT);
    gr_table_column(&table, "source", GR_LEFT);
    gr_table_column(&table, "kind", GR_LEFT);
    gr_table_column(&table, "quantity", GR_LEFT);
    for (int k = 0; k < 4; k++) {
        gr_table_column(&table, heads[k], GR_RIGHT);
    }
    gr_table_column(&table, "verdict", GR_LEFT);
    for (int i = 0; i < report->count; i++) {
        const GrValidated *c = &report->cases[i];
        for (int j = 0; j < c->findings.count; j++) {
            const GrFinding *f = &c->findings.items[j];
            gr_table_text(&table, c->from->name);
            gr_table_text(&table, c->from->author);
            char expected[GR_EXPECTED_TEXT];
            gr_validate_expected(f, expected);
            gr_table_text(&table, gr_finding_kind_text(f->kind));
            gr_table_text(&table, f->quantity);
            gr_table_text(&table, expected);
            gr_table_number(&table, f->ours, 5);
            gr_table_number(&table, f->ours - f->expected, 2);
            gr_table_number(&table, f->allowed, 2);
            gr_table_text(&table, gr_verdict_text(gr_finding_verdict(f)));
        }
    }
    if (report->count > 0) {
        gr_table_print(&table, file);
    }
    gr_table_free(&table);
    print_reasons(report, file);
    gr_validate_scores_print(report, file);
    if (report->count > 0) {
        char text[420];
        summarise(report, text, sizeof text);
        fprintf(file, "\n%s\n", text);
    }
}

static void write_finding(GrJson *json, const GrValidationCase *from, const GrFinding *f)
{
    const GrVerdict verdict = gr_finding_verdict(f);
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "case", from->name);
    gr_json_string(json, "source", from->source);
    gr_json_string(json, "quantity", f->quantity);
    gr_json_string(json, "kind", gr_finding_kind_text(f->kind));
    gr_json_number(json, "expected", f->expected);
    if (f->kind == GR_FINDING_PUBLISHED) { // a check of our own has no published value
        gr_json_number(json, "published", f->expected);
    }
    if (f->limit != GR_LIMIT_NONE) {
        gr_json_string(json, "limit", f->limit == GR_LIMIT_AT_LEAST ? "at_least" : "at_most");
    }
    gr_json_number(json, "ours", f->ours);
    gr_json_number(json, "difference", f->ours - f->expected);
    gr_json_number(json, "allowed", f->allowed);
    gr_json_bool(json, "pass", verdict == GR_VERDICT_PASS);
    gr_json_bool(json, "known", verdict == GR_VERDICT_KNOWN);
    if (f->reason != NULL) {
        gr_json_number(json, "bound", f->bound);
        gr_json_string(json, "reason", f->reason);
    }
    if (f->note[0] != '\0') {
        gr_json_string(json, "note", f->note);
    }
    gr_json_end(json);
}

static void write_counts(GrJson *json, const char *key, const GrValidateReport *report, GrFindingKind kind)
{
    gr_json_begin_object(json, key);
    gr_json_integer(json, "passed", gr_validate_count_kind(report, kind, GR_VERDICT_PASS));
    gr_json_integer(json, "known_deviations", gr_validate_count_kind(report, kind, GR_VERDICT_KNOWN));
    gr_json_integer(json, "out", gr_validate_count_kind(report, kind, GR_VERDICT_OUT));
    gr_json_end(json);
}

void gr_validate_json(const GrValidateReport *report, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_json_begin_array(&json, "cases");
    for (int i = 0; i < report->count; i++) {
        for (int j = 0; j < report->cases[i].findings.count; j++) {
            write_finding(&json, report->cases[i].from, &report->cases[i].findings.items[j]);
        }
    }
    gr_json_end(&json);
    gr_validate_scores_json(report, &json);
    write_counts(&json, "published_figures", report, GR_FINDING_PUBLISHED);
    write_counts(&json, "checks", report, GR_FINDING_CHECK);
    gr_json_begin_object(&json, "measured_wheels_and_rovers");
    gr_json_integer(&json, "passed", gr_validate_count_measured(report, GR_VERDICT_PASS));
    gr_json_integer(&json, "known_deviations", gr_validate_count_measured(report, GR_VERDICT_KNOWN));
    gr_json_integer(&json, "out", gr_validate_count_measured(report, GR_VERDICT_OUT));
    gr_json_end(&json);
    gr_json_integer(&json, "passed", gr_validate_count(report, GR_VERDICT_PASS));
    gr_json_integer(&json, "known_deviations", gr_validate_count(report, GR_VERDICT_KNOWN));
    gr_json_integer(&json, "out", gr_validate_count(report, GR_VERDICT_OUT));
    gr_json_end(&json);
    gr_json_finish(&json);
}

/// Plots of a case: curves of one panel share a plot.
static void add_plots(const GrValidated *c, GrBuffer *page)
{
    const GrFindings *findings = &c->findings;
    GrPanel panels[PANELS_MAX];
    GrSeries series[SERIES_MAX];
    int panel_count = 0, series_count = 0;
    for (int i = 0; i < findings->curve_count && panel_count < PANELS_MAX; i++) {
        const GrFindingCurve *first = &findings->curves[i];
        bool seen = false;
        for (int j = 0; j < panel_count; j++) {
            seen = seen || strcmp(panels[j].title, first->panel) == 0;
        }
        if (seen) {
            continue;
        }
        GrPanel *panel = &panels[panel_count++];
        *panel = (GrPanel){.title = first->panel,
                           .x_label = first->x_label,
                           .y_label = first->y_label,
                           .series = &series[series_count],
                           .zero_line = true};
        for (int j = i; j < findings->curve_count && series_count < SERIES_MAX; j++) {
            const GrFindingCurve *curve = &findings->curves[j];
            if (strcmp(curve->panel, first->panel) == 0) {
                series[series_count++] = (GrSeries){.kind = curve->measured ? GR_SERIES_POINTS : GR_SERIES_LINE,
                                                    .x = curve->x,
                                                    .y = curve->y,
                                                    .count = curve->count,
                                                    .color = curve->measured ? 1 : 2};
                panel->series_count++;
            }
        }
    }
    if (panel_count > 0) {
        GrBuffer svg = {0};
        const GrPlot plot = {.panels = panels,
                             .panel_count = panel_count,
                             .columns = panel_count < 3 ? panel_count : 3,
                             .panel_width = panel_count < 3 ? 460 : 330,
                             .panel_height = 260};
        if (gr_plot_write(&plot, &svg) == GR_OK) {
            gr_page_svg(page, svg.data, "Points: measured. Lines: computed.");
        }
        page->failed = page->failed || svg.failed;
        gr_buffer_free(&svg);
    }
}

static void add_findings(const GrValidated *c, GrBuffer *page)
{
    static const char *const heads[] = {"kind", "quantity", "expected", "ours", "difference", "allowed", "verdict"};
    const unsigned numeric = 0x3c;
    gr_page_begin_table(page, heads, 7, numeric);
    for (int j = 0; j < c->findings.count; j++) {
        const GrFinding *f = &c->findings.items[j];
        char expected[GR_EXPECTED_TEXT], numbers[3][GR_NUMBER_SIZE];
        gr_validate_expected(f, expected);
        gr_number_round(f->ours, 5, numbers[0]);
        gr_number_round(f->ours - f->expected, 2, numbers[1]);
        gr_number_round(f->allowed, 2, numbers[2]);
        const char *cells[] = {
            gr_finding_kind_text(f->kind),         f->quantity, expected, numbers[0], numbers[1], numbers[2],
            gr_verdict_text(gr_finding_verdict(f))};
        gr_page_row(page, cells, 7, numeric);
    }
    gr_page_end_table(page);
}

/// One row per case: numbers of figures that pass, deviate as known, or are out.
static void add_overview(const GrValidateReport *report, GrBuffer *page)
{
    static const char *const heads[] = {"case", "source", "pass", "known deviation", "out"};
    const unsigned numeric = 0x1c;
    gr_page_begin_table(page, heads, 5, numeric);
    for (int i = 0; i < report->count; i++) {
        const GrValidateReport one = {.cases = &report->cases[i], .count = 1};
        char counts[GR_VERDICT_COUNT][16];
        for (int v = 0; v < GR_VERDICT_COUNT; v++) {
            snprintf(counts[v], sizeof counts[v], "%d", gr_validate_count(&one, (GrVerdict)v));
        }
        const char *cells[] = {report->cases[i].from->name, report->cases[i].from->author, counts[GR_VERDICT_PASS],
                               counts[GR_VERDICT_KNOWN], counts[GR_VERDICT_OUT]};
        gr_page_row(page, cells, 5, numeric);
    }
    gr_page_end_table(page);
}

void gr_validate_page(const GrValidateReport *report, GrBuffer *page)
{
    char text[600];
    summarise(report, text, sizeof text);
    gr_page_begin(page, "Validation", report->count > 0 ? text : NULL);
    gr_validate_scores_page(report, page);
    if (report->count == 0) {
        gr_page_end(page);
        return;
    }
    gr_page_section(page, "Published figures and checks");
    gr_page_paragraph(
        page, "Published: the figure is printed in its source. Check: the expected value is our own, by a quadrature, "
              "a closed form or a second method; it guards the program and is no evidence about the real world. A "
              "known deviation is larger than allowed, but not larger than recorded; it is not a pass.");
    add_overview(report, page);
    for (int i = 0; i < report->count; i++) {
        const GrValidated *c = &report->cases[i];
        gr_page_section(page, c->from->name);
        gr_page_begin_facts(page);
        gr_page_fact(page, "source", c->from->source);
        gr_page_fact(page, "allowed", c->from->allowance);
        gr_page_end_facts(page);
        if (c->status != GR_OK) {
            snprintf(text, sizeof text, "Could not be run to the end: %s.", gr_status_text(c->status));
            gr_page_paragraph(page, text);
        }
        add_findings(c, page);
        for (int j = 0; j < c->findings.count; j++) {
            const GrFinding *f = &c->findings.items[j];
            if (gr_finding_verdict(f) == GR_VERDICT_KNOWN && !is_repeated(&c->findings, j)) {
                snprintf(text, sizeof text, "Known deviation: %s.", f->reason);
                gr_page_paragraph(page, text);
            }
            if (f->note[0] != '\0' && (j == 0 || strcmp(c->findings.items[j - 1].note, f->note) != 0)) {
                snprintf(text, sizeof text, "%s: %s.", f->quantity, f->note);
                gr_page_paragraph(page, text);
            }
        }
        add_plots(c, page);
    }
    gr_page_end(page);
}
