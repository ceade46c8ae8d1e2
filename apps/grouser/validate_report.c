#include "validate_report.h"

#include "json.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "report.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, PANELS_MAX = 32, SERIES_MAX = 64 };

void gr_validate_report_free(GrValidateReport *report)
{
    for (int i = 0; i < report->count; i++) {
        gr_findings_free(&report->cases[i].findings);
    }
    free(report->cases);
    *report = (GrValidateReport){0};
}

int gr_validate_count(const GrValidateReport *report, GrVerdict verdict)
{
    int count = 0;
    for (int i = 0; i < report->count; i++) {
        for (int j = 0; j < report->cases[i].findings.count; j++) {
            count += gr_finding_verdict(&report->cases[i].findings.items[j]) == verdict;
        }
    }
    return count;
}

static void summarise(const GrValidateReport *report, char *out, size_t size)
{
    const int pass = gr_validate_count(report, GR_VERDICT_PASS), known = gr_validate_count(report, GR_VERDICT_KNOWN),
              off = gr_validate_count(report, GR_VERDICT_OUT);
    snprintf(out, size, "%d figures in %d case%s: %d pass, %d known deviation%s, %d out.", pass + known + off,
             report->count, report->count == 1 ? "" : "s", pass, known, known == 1 ? "" : "s", off);
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
    fputs("\nKnown deviations: further off than allowed, not further than was recorded, because\n", file);
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
    static const char *const heads[] = {"published", "ours", "difference", "allowed"};
    GrTable table = {0};
    gr_table_column(&table, "case", GR_LEFT);
    gr_table_column(&table, "source", GR_LEFT);
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
            gr_table_text(&table, f->quantity);
            gr_table_number(&table, f->published, 5);
            gr_table_number(&table, f->ours, 5);
            gr_table_number(&table, f->ours - f->published, 2);
            gr_table_number(&table, f->allowed, 2);
            gr_table_text(&table, gr_verdict_text(gr_finding_verdict(f)));
        }
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    print_reasons(report, file);
    char text[200];
    summarise(report, text, sizeof text);
    fprintf(file, "\n%s\n", text);
}

static void write_finding(GrJson *json, const GrValidationCase *from, const GrFinding *f)
{
    const GrVerdict verdict = gr_finding_verdict(f);
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "case", from->name);
    gr_json_string(json, "source", from->source);
    gr_json_string(json, "quantity", f->quantity);
    gr_json_number(json, "published", f->published);
    gr_json_number(json, "ours", f->ours);
    gr_json_number(json, "difference", f->ours - f->published);
    gr_json_number(json, "allowed", f->allowed);
    gr_json_bool(json, "pass", verdict == GR_VERDICT_PASS);
    gr_json_bool(json, "known", verdict == GR_VERDICT_KNOWN);
    if (f->reason != NULL) {
        gr_json_number(json, "bound", f->bound);
        gr_json_string(json, "reason", f->reason);
    }
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
        gr_plot_write(&plot, &svg); // a failure stays in the buffer
        if (svg.data != NULL) {
            gr_page_svg(page, svg.data, "Points: measured. Lines: computed.");
        }
        gr_buffer_free(&svg);
    }
}

static void add_findings(const GrValidated *c, GrBuffer *page)
{
    static const char *const heads[] = {"quantity", "published", "ours", "difference", "allowed", "verdict"};
    const unsigned numeric = 0x1e;
    gr_page_begin_table(page, heads, 6, numeric);
    for (int j = 0; j < c->findings.count; j++) {
        const GrFinding *f = &c->findings.items[j];
        char numbers[4][GR_NUMBER_SIZE];
        gr_number_round(f->published, 5, numbers[0]);
        gr_number_round(f->ours, 5, numbers[1]);
        gr_number_round(f->ours - f->published, 2, numbers[2]);
        gr_number_round(f->allowed, 2, numbers[3]);
        const char *cells[] = {f->quantity, numbers[0], numbers[1],
                               numbers[2],  numbers[3], gr_verdict_text(gr_finding_verdict(f))};
        gr_page_row(page, cells, 6, numeric);
    }
    gr_page_end_table(page);
}

/// One row a case: how many figures pass, deviate as known, are out.
static void add_overview(const GrValidateReport *report, GrBuffer *page)
{
    static const char *const heads[] = {"case", "source", "pass", "known deviation", "out"};
    const unsigned numeric = 0x1c;
    gr_page_begin_table(page, heads, 5, numeric);
    for (int i = 0; i < report->count; i++) {
        const GrValidateReport one = {&report->cases[i], 1};
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
    gr_page_begin(page, "Validation", text);
    gr_page_paragraph(
        page, "Each figure that others published, beside what this program computes. A known deviation is further "
              "off than allowed, but not further than was recorded; it is not a pass.");
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
        }
        add_plots(c, page);
    }
    gr_page_end(page);
}
