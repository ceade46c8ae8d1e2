/// How well each law predicts a measured wheel: as text, JSON, page and Markdown.
#include "alloc.h"
#include "number.h"
#include "validate_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- tables of docs/validation.md
//
// The tables of docs/validation.md: laws against a measured wheel; and what a paper prints, what this program
// computes, and why they differ. The second contains only published figures of cases that state their place in the
// paper (GrValidationCase.place). Speeds differ from machine to machine, so their cells only say whether the limit is
// met; the table is then the same on every machine, up to rounding.

enum { DIGITS = 3 };

void gr_validate_markdown(const GrValidateReport *report, FILE *file)
{
    GrTable table = {0};
    gr_validate_scores_markdown(report, file);
    gr_table_heads(&table, "paper|section|figure|printed|ours|why they differ");
    for (int i = 0; i < report->count; i++) {
        const GrValidationCase *from = report->cases[i].from;
        for (int j = 0; j < report->cases[i].findings.count && from->place != NULL; j++) {
            const GrFinding *f = &report->cases[i].findings.items[j];
            const GrVerdict verdict = gr_finding_verdict(f);
            const bool pass = verdict == GR_VERDICT_PASS;
            char expected[GR_EXPECTED_TEXT];
            if (f->kind != GR_FINDING_PUBLISHED) {
                continue;
            }
            gr_validate_expected(f, expected);
            gr_table_text(&table, from->author);
            gr_table_text(&table, from->place);
            gr_table_text(&table, f->quantity);
            gr_table_text(&table, expected);
            gr_table_text(&table, f->timed         ? (pass ? "met" : "not met")
                                  : isnan(f->ours) ? "none"
                                                   : gr_show(f->ours, DIGITS, "").text);
            gr_table_printf(&table, "%s%s%s%s",
                            !pass            ? (verdict == GR_VERDICT_KNOWN ? "known deviation: " : "OUT")
                            : f->allowed > 0 ? "within "
                                             : "met",
                            pass && f->allowed > 0        ? gr_show(f->allowed, 2, "").text
                            : verdict == GR_VERDICT_KNOWN ? f->reason
                                                          : "",
                            f->note[0] != '\0' ? "; " : "", f->note);
        }
    }
    if (report->count > 0) {
        fputs(report->score_count > 0 ? "\n" : "", file);
        gr_table_markdown(&table, file);
    }
    gr_table_free(&table);
}

// ---- scores

static const double SCALE[GR_SCORE_KINDS] = {1, 1, 1000};

static GrShown number(double value)
{
    if (isinf(value)) {
        return (GrShown){"none"};
    }
    return gr_show(value, 2, "");
}

static void put_row(const char *title, const GrScoreFigures *f, bool held, GrTable *table)
{
    gr_table_text(table, title);
    gr_table_text(table, held ? "held back" : "fitted");
    gr_table_printf(table, "%d", f->conditions);
    for (int k = 0; k < GR_SCORE_KINDS; k++) {
        gr_table_printf(table, "%s, %s", number(SCALE[k] * f->median[k]).text, number(SCALE[k] * f->most[k]).text);
    }
    gr_table_printf(table, "%s, %s, %s", number(f->ordered[0]).text, number(f->ordered[1]).text,
                    number(f->ordered[2]).text);
    gr_table_text(table, number(f->covered).text);
    if (isnan(f->covered)) {
        gr_table_text(table, "–");
    } else {
        gr_table_printf(table, "%s, %s, %s", number(f->width[0]).text, number(f->width[1]).text,
                        number(SCALE[2] * f->width[2]).text);
    }
    gr_table_printf(table, "%d of %d", f->strict, f->numbers);
    gr_table_printf(table, "%d of %d", f->engineering, f->numbers);
}

static const char HEADS[] =
    "law|conditions|>number|pull off, over load: median, 90 %|side force off|sinkage off [mm]|"
    "pairs in the measured order: pull, side, sinkage|90 % band contains|"
    "half its width: pull, side, sinkage [mm]|within the trials' scatter|within 10 % of load, 4 mm";

/// Rows of all laws; in the terminal the long heads stand above the table.
static GrTable scores_of(const GrValidateReport *report, const char *heads)
{
    GrTable table = {0};
    gr_table_heads(&table, heads);
    for (int i = 0; i < report->score_count; i++) {
        const GrScore *s = &report->scores[i];
        for (int held = 1; held >= 0; held--) {
            const GrScoreFigures *f = held ? &s->held : &s->fitted;
            if (f->conditions > 0) {
                put_row(s->from->title, f, held, &table);
            }
        }
    }
    return table;
}

/// Slopes of a measured rover, and of these the ones whose slip is within 0.1; 0 for cases of other things.
static int rover_slopes(const GrValidated *c, int *near)
{
    int slopes = 0;
    *near = 0;
    for (int j = 0; strncmp(c->from->name, "rover/", 6) == 0 && j < c->findings.count; j++) {
        const GrFinding *f = &c->findings.items[j];
        if (f->kind == GR_FINDING_PUBLISHED && strncmp(f->quantity, "slip on a slope", 15) == 0) {
            slopes++;
            *near += fabs(f->ours - f->expected) <= 0.1;
        }
    }
    return slopes;
}

void gr_validate_scores_print(const GrValidateReport *report, FILE *file)
{
    if (report->score_count > 0) {
        GrTable table =
            scores_of(report, "law|conditions|>n|>pull|>side|>sinkage|>order|>band|>half|>scatter|>10 %, 4 mm");
        fputs(
            "\nLaws against a measured wheel (CMU, smooth, 36 conditions). Held back: a slip angle left out of the "
            "fit.\nErrors (median, 90 %) of pull and side force over the load, of sinkage in mm; order: share of "
            "pairs "
            "ordered as measured\n(pull, side, sinkage); band: share inside the 90 % band, and half its width; numbers "
            "within the trials' scatter, and\nwithin 10 % of load or 4 mm.\n\n",
            file);
        gr_table_print(&table, file);
        gr_table_free(&table);
    }
    for (int i = 0; i < report->count; i++) {
        int near;
        const int slopes = rover_slopes(&report->cases[i], &near);
        if (slopes > 0) {
            fprintf(file, "%s%s: slip within 0.1 on %d of %d slopes\n", i > 0 ? "" : "\n", report->cases[i].from->name,
                    near, slopes);
        }
    }
}

static void write_figures(GrJson *json, const char *key, const GrScoreFigures *f)
{
    static const char *const units[GR_SCORE_KINDS] = {"over_load", "over_load", "m"};
    if (f->conditions == 0) {
        return;
    }
    gr_json_begin_object(json, key);
    gr_json_integer(json, "conditions", f->conditions);
    for (int k = 0; k < GR_SCORE_KINDS; k++) {
        const struct {
            const char *name;
            double value;
            bool has_unit;
        } rows[] = {{"error_median", f->median[k], true},
                    {"error_90", f->most[k], true},
                    {"ordered", f->ordered[k], false},
                    {"band_half", f->width[k], true}};
        for (int i = 0; i < 4; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s%s%s", gr_score_kind_names[k], rows[i].name, rows[i].has_unit ? "_" : "",
                     rows[i].has_unit ? units[k] : "");
            gr_json_number(json, name, rows[i].value);
        }
    }
    gr_json_number(json, "ordered", gr_score_ordered(f));
    gr_json_number(json, "band_contains", f->covered);
    gr_json_integer(json, "numbers", f->numbers);
    gr_json_integer(json, "within_scatter", f->strict);
    gr_json_integer(json, "within_engineering", f->engineering);
    gr_json_end(json);
}

void gr_validate_scores_json(const GrValidateReport *report, GrJson *json)
{
    gr_json_begin_array(json, "laws");
    for (int i = 0; i < report->score_count; i++) {
        const GrScore *s = &report->scores[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "case", s->from->name);
        gr_json_string(json, "law", s->from->title);
        gr_json_string(json, "fitted_to", s->from->what);
        write_figures(json, "held_back", &s->held);
        write_figures(json, "fitted", &s->fitted);
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "rovers");
    for (int i = 0; i < report->count; i++) {
        int near;
        const int slopes = rover_slopes(&report->cases[i], &near);
        if (slopes > 0) {
            gr_json_begin_object(json, NULL);
            gr_json_string(json, "case", report->cases[i].from->name);
            gr_json_integer(json, "slopes", slopes);
            gr_json_integer(json, "slip_within_0.1", near);
            gr_json_end(json);
        }
    }
    gr_json_end(json);
}

void gr_validate_scores_markdown(const GrValidateReport *report, FILE *file)
{
    if (report->score_count > 0) {
        GrTable table = scores_of(report, HEADS);
        gr_table_markdown(&table, file);
        gr_table_free(&table);
    }
}

// ---- page

/// One panel: predicted over measured, with bars as long as the band; and the line of equality.
typedef struct Cloud {
    double *x, *y, *bar_x, *bar_y; ///< [count], [3 · count]
    double ends[2];
    int count;
    GrSeries series[3];
    char title[120], x_label[64], y_label[64];
} Cloud;

static bool make_cloud(const GrScore *s, int k, Cloud *c)
{
    static const char *const units[GR_SCORE_KINDS] = {"pull over load", "side force over load", "sinkage [mm]"};
    const size_t n = (size_t)s->count;
    *c = (Cloud){.x = gr_calloc(8 * n + 1, sizeof *c->x)};
    if (c->x == NULL) {
        return false;
    }
    c->y = c->x + n;
    c->bar_x = c->y + n;
    c->bar_y = c->bar_x + 3 * n;
    for (int i = 0; i < s->count; i++) {
        const GrScorePoint *p = &s->points[i];
        if (p->held) {
            const double x = SCALE[k] * p->measured[k], y = SCALE[k] * p->predicted[k], half = SCALE[k] * p->half[k];
            const int j = c->count++;
            c->x[j] = c->bar_x[3 * j] = c->bar_x[3 * j + 1] = x;
            c->y[j] = y;
            c->bar_y[3 * j] = y - half;
            c->bar_y[3 * j + 1] = y + half;
            c->bar_x[3 * j + 2] = c->bar_y[3 * j + 2] = (double)NAN;
            c->ends[0] = j == 0 ? x : fmin(c->ends[0], x);
            c->ends[1] = j == 0 ? x : fmax(c->ends[1], x);
        }
    }
    c->series[0] = (GrSeries){.x = c->ends, .y = c->ends, .count = 2, .color = GR_PLOT_GUIDE};
    c->series[1] = (GrSeries){.x = c->bar_x, .y = c->bar_y, .count = 3 * c->count, .color = 2, .width = 1};
    c->series[2] = (GrSeries){.kind = GR_SERIES_POINTS, .x = c->x, .y = c->y, .count = c->count, .color = 1};
    snprintf(c->title, sizeof c->title, "%s", s->from->title);
    snprintf(c->x_label, sizeof c->x_label, "measured %s", units[k]);
    snprintf(c->y_label, sizeof c->y_label, "predicted");
    return true;
}

static void put_clouds(const GrValidateReport *report, GrPage *page)
{
    const int count = GR_SCORE_KINDS * report->score_count;
    Cloud *clouds = gr_calloc((size_t)count + 1, sizeof *clouds);
    GrPanel *panels = gr_calloc((size_t)count + 1, sizeof *panels);
    bool good = clouds != NULL && panels != NULL;
    for (int i = 0; i < count && good; i++) {
        Cloud *c = &clouds[i];
        good = make_cloud(&report->scores[i / GR_SCORE_KINDS], i % GR_SCORE_KINDS, c);
        panels[i] = (GrPanel){
            .title = c->title, .x_label = c->x_label, .y_label = c->y_label, .series = c->series, .series_count = 3};
    }
    page->failed = page->failed || !good;
    gr_page_panels(
        page, panels, good ? count : 0,
        "Conditions that were not fitted: predicted over measured, with the 90 % band as a bar. Grey: equal.");
    for (int i = 0; i < count && clouds != NULL; i++) {
        gr_free(clouds[i].x);
    }
    gr_free(clouds);
    gr_free(panels);
}

void gr_validate_scores_page(const GrValidateReport *report, GrPage *page)
{
    if (report->score_count == 0) {
        return;
    }
    GrTable table = scores_of(report, HEADS);
    gr_page_section(page, "Laws against a measured wheel");
    gr_page_table(page, &table);
    for (int i = 0; i < report->score_count; i++) {
        gr_page_text(page, "%s: fitted was %s.", report->scores[i].from->title, report->scores[i].from->what);
    }
    put_clouds(report, page);
}
