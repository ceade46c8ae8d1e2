#include "validate_report.h"

#include "alloc.h"
#include "json.h"
#include "number.h"
#include "plot.h"
#include "report.h"

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

/// The same for those of one kind.
static int validate_count_kind(const GrValidateReport *report, GrFindingKind kind, GrVerdict verdict)
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
    return validate_count_kind(report, GR_FINDING_PUBLISHED, verdict) +
           validate_count_kind(report, GR_FINDING_CHECK, verdict);
}

void gr_validate_expected(const GrFinding *finding, char out[GR_EXPECTED_TEXT])
{
    static const char *const words[] = {"", "at least ", "at most "};
    char number[GR_NUMBER_SIZE];
    gr_number_round(finding->expected, 5, number);
    snprintf(out, GR_EXPECTED_TEXT, "%s%s", words[finding->limit], number);
}

/// The same of cases whose wheels or rovers were measured.
static int validate_count_measured(const GrValidateReport *report, GrVerdict verdict)
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
    const int pass = validate_count_kind(report, kind, GR_VERDICT_PASS),
              known = validate_count_kind(report, kind, GR_VERDICT_KNOWN),
              off = validate_count_kind(report, kind, GR_VERDICT_OUT), all = pass + known + off;
    snprintf(out, size, "%d %s%s: %d pass, %d known deviation%s, %d out.", all,
             kind == GR_FINDING_CHECK ? "check" : "published figure", all == 1 ? "" : "s", pass, known,
             known == 1 ? "" : "s", off);
}

/// Published figures and checks are counted separately: a check that passes says nothing about the real world.
static void summarise(const GrValidateReport *report, char *out, size_t size)
{
    char published[120], checks[120];
    summarise_kind(report, GR_FINDING_PUBLISHED, published, sizeof published);
    summarise_kind(report, GR_FINDING_CHECK, checks, sizeof checks);
    const int good = validate_count_measured(report, GR_VERDICT_PASS);
    const int bad = validate_count_measured(report, GR_VERDICT_KNOWN) + validate_count_measured(report, GR_VERDICT_OUT);
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

/// The findings of some cases; `named`: with the names and sources of the cases.
static GrTable findings_of(const GrValidated *cases, int count, bool named)
{
    const GrColumn columns[] = {{NULL, named ? "case" : NULL, 0, 0},
                                {NULL, named ? "source" : NULL, 0, 0},
                                {NULL, "kind", 0, 0},
                                {NULL, "quantity", 0, 0},
                                {NULL, "expected", 1, 5},
                                {NULL, "ours", 1, 5},
                                {NULL, "difference", 1, 2},
                                {NULL, "allowed", 1, 2},
                                {NULL, "verdict", 0, 0}};
    GrTable table = {0};
    gr_table_columns(&table, columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < cases[i].findings.count; j++) {
            const GrFinding *f = &cases[i].findings.items[j];
            char expected[GR_EXPECTED_TEXT];
            gr_validate_expected(f, expected);
            gr_table_text(&table, cases[i].from->name);
            gr_table_text(&table, cases[i].from->author);
            gr_table_text(&table, gr_finding_kind_text(f->kind));
            gr_table_text(&table, f->quantity);
            gr_table_text(&table, expected);
            gr_table_values(&table, (const double[]){f->ours, f->ours - f->expected, f->allowed}, 3);
            gr_table_text(&table, gr_verdict_text(gr_finding_verdict(f)));
        }
    }
    return table;
}

void gr_validate_print(const GrValidateReport *report, FILE *file)
{
    GrTable table = findings_of(report->cases, report->count, true);
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
    if (f->kind == GR_FINDING_PUBLISHED) { // a check has no published value
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

static void write_counts(GrJson *json, const char *key, const GrValidateReport *report,
                         int (*count)(const GrValidateReport *report, GrVerdict verdict))
{
    if (key != NULL) {
        gr_json_begin_object(json, key);
    }
    gr_json_integer(json, "passed", count(report, GR_VERDICT_PASS));
    gr_json_integer(json, "known_deviations", count(report, GR_VERDICT_KNOWN));
    gr_json_integer(json, "out", count(report, GR_VERDICT_OUT));
    if (key != NULL) {
        gr_json_end(json);
    }
}

static int count_published(const GrValidateReport *report, GrVerdict verdict)
{
    return validate_count_kind(report, GR_FINDING_PUBLISHED, verdict);
}

static int count_checks(const GrValidateReport *report, GrVerdict verdict)
{
    return validate_count_kind(report, GR_FINDING_CHECK, verdict);
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
    write_counts(&json, "published_figures", report, count_published);
    write_counts(&json, "checks", report, count_checks);
    write_counts(&json, "measured_wheels_and_rovers", report, validate_count_measured);
    write_counts(&json, NULL, report, gr_validate_count);
    gr_json_end(&json);
    gr_json_finish(&json);
}

/// Plots of a case: curves of one panel share a plot.
static void put_panels(const GrValidated *c, GrPage *page)
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
    gr_page_panels(page, panels, panel_count, "Points: measured. Lines: computed.");
}

/// One row per case: numbers of figures that pass, deviate as known, or are out.
static void put_overview(const GrValidateReport *report, GrPage *page)
{
    GrTable table = {0};
    gr_table_heads(&table, "case|source|>pass|>known deviation|>out");
    for (int i = 0; i < report->count; i++) {
        const GrValidateReport one = {.cases = &report->cases[i], .count = 1};
        gr_table_text(&table, report->cases[i].from->name);
        gr_table_text(&table, report->cases[i].from->author);
        gr_table_value(&table, gr_validate_count(&one, GR_VERDICT_PASS));
        gr_table_value(&table, gr_validate_count(&one, GR_VERDICT_KNOWN));
        gr_table_value(&table, gr_validate_count(&one, GR_VERDICT_OUT));
    }
    gr_page_table(page, &table);
}

static void put_case(const GrValidated *c, GrPage *page)
{
    GrTable table = findings_of(c, 1, false);
    gr_page_section(page, "%s", c->from->name);
    gr_page_fact(page, "source", "%s", c->from->source);
    gr_page_fact(page, "allowed", "%s", c->from->allowance);
    if (c->status != GR_OK) {
        gr_page_text(page, "Could not be run to the end: %s.", gr_status_text(c->status));
    }
    gr_page_table(page, &table);
    for (int j = 0; j < c->findings.count; j++) {
        const GrFinding *f = &c->findings.items[j];
        if (gr_finding_verdict(f) == GR_VERDICT_KNOWN && !is_repeated(&c->findings, j)) {
            gr_page_text(page, "Known deviation: %s.", f->reason);
        }
        if (f->note[0] != '\0' && (j == 0 || strcmp(c->findings.items[j - 1].note, f->note) != 0)) {
            gr_page_text(page, "%s: %s.", f->quantity, f->note);
        }
    }
    put_panels(c, page);
}

void gr_validate_page(const GrValidateReport *report, GrPage *page)
{
    char text[600];
    summarise(report, text, sizeof text);
    gr_page_begin(page, "Validation", report->count > 0 ? text : NULL);
    gr_validate_scores_page(report, page);
    if (report->count > 0) {
        gr_page_section(page, "Published figures and checks");
        gr_page_text(page,
                     "Published: the figure is printed in its source. Check: the expected value is our own, by a "
                     "quadrature, a closed form or a second method; it guards the program and says nothing about the "
                     "real world. A known deviation is larger than allowed, but not larger than recorded; it is not a "
                     "pass.");
        put_overview(report, page);
    }
    for (int i = 0; i < report->count; i++) {
        put_case(&report->cases[i], page);
    }
}
