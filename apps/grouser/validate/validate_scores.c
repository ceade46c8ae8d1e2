/// How well each law predicts a measured wheel: as text, JSON, page and Markdown.
#include "alloc.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "table.h"
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

/// Text of a cell; a vertical bar would end it.
static void put_text(const char *text, FILE *file)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') {
            fputc('\\', file);
        }
        fputc(*text, file);
    }
}

static void put_ours(const GrFinding *f, FILE *file)
{
    char number[GR_NUMBER_SIZE];
    if (f->timed) {
        fputs(gr_finding_verdict(f) == GR_VERDICT_PASS ? "met" : "not met", file);
        return;
    }
    gr_number_round(f->ours, DIGITS, number);
    fputs(isnan(f->ours) ? "none" : number, file);
}

static void put_why(const GrFinding *f, FILE *file)
{
    const GrVerdict verdict = gr_finding_verdict(f);
    char number[GR_NUMBER_SIZE];
    if (verdict == GR_VERDICT_PASS) {
        gr_number_round(f->allowed, 2, number);
        fprintf(file, f->allowed > 0 ? "within %s" : "met", number);
    } else {
        fputs(verdict == GR_VERDICT_KNOWN ? "known deviation: " : "OUT", file);
        put_text(verdict == GR_VERDICT_KNOWN ? f->reason : "", file);
    }
    if (f->note[0] != '\0') {
        fputs("; ", file);
        put_text(f->note, file);
    }
}

static void put_row(const GrValidationCase *from, const GrFinding *f, FILE *file)
{
    char expected[GR_EXPECTED_TEXT];
    gr_validate_expected(f, expected);
    const char *const cells[] = {from->author, from->place, f->quantity, expected};
    for (int i = 0; i < 4; i++) {
        fputs("| ", file);
        put_text(cells[i], file);
        fputc(' ', file);
    }
    fputs("| ", file);
    put_ours(f, file);
    fputs(" | ", file);
    put_why(f, file);
    fputs(" |\n", file);
}

void gr_validate_markdown(const GrValidateReport *report, FILE *file)
{
    gr_validate_scores_markdown(report, file);
    if (report->count == 0) {
        return;
    }
    fputs(report->score_count > 0 ? "\n" : "", file);
    fputs("| paper | section | figure | printed | ours | why they differ |\n|---|---|---|---|---|---|\n", file);
    for (int i = 0; i < report->count; i++) {
        const GrValidated *c = &report->cases[i];
        for (int j = 0; j < c->findings.count && c->from->place != NULL; j++) {
            if (c->findings.items[j].kind == GR_FINDING_PUBLISHED) {
                put_row(c->from, &c->findings.items[j], file);
            }
        }
    }
}

// ---- scores

enum { COLUMNS = 11, CELL = 160 };

static const char *const HEADS[COLUMNS] = {
    "law",
    "conditions",
    "number",
    "pull off, over load: median, 90 %",
    "side force off",
    "sinkage off [mm]",
    "pairs in the measured order: pull, side, sinkage",
    "90 % band contains",
    "its half: pull, side, sinkage [mm]",
    "within the trials' scatter",
    "within 10 % of load, 4 mm",
};

static const double SCALE[GR_SCORE_KINDS] = {1, 1, 1000};

static const char *number(double value, char out[GR_NUMBER_SIZE])
{
    gr_number_round(value, 2, out);
    return isfinite(value) ? out : isinf(value) ? "none" : "–";
}

/// Cells of one row after the law.
static void row_cells(const GrScoreFigures *f, bool held, char cells[COLUMNS][CELL])
{
    char a[GR_NUMBER_SIZE], b[GR_NUMBER_SIZE], c[GR_NUMBER_SIZE];
    snprintf(cells[1], CELL, "%s", held ? "held back" : "fitted");
    snprintf(cells[2], CELL, "%d", f->conditions);
    for (int k = 0; k < GR_SCORE_KINDS; k++) {
        snprintf(cells[3 + k], CELL, "%s, %s", number(SCALE[k] * f->median[k], a), number(SCALE[k] * f->most[k], b));
    }
    snprintf(cells[6], CELL, "%s, %s, %s", number(f->ordered[0], a), number(f->ordered[1], b),
             number(f->ordered[2], c));
    snprintf(cells[7], CELL, "%s", number(f->covered, a));
    snprintf(cells[8], CELL, "%s, %s, %s", number(f->width[0], a), number(f->width[1], b),
             number(SCALE[2] * f->width[2], c));
    if (isnan(f->covered)) {
        snprintf(cells[8], CELL, "–");
    }
    snprintf(cells[9], CELL, "%d of %d", f->strict, f->numbers);
    snprintf(cells[10], CELL, "%d of %d", f->engineering, f->numbers);
}

/// Calls `put` for every row that has conditions.
static void each_row(const GrValidateReport *report, void (*put)(void *context, const char *const *cells),
                     void *context)
{
    for (int i = 0; i < report->score_count; i++) {
        const GrScore *s = &report->scores[i];
        for (int held = 1; held >= 0; held--) {
            const GrScoreFigures *f = held ? &s->held : &s->fitted;
            char cells[COLUMNS][CELL];
            const char *texts[COLUMNS];
            if (f->conditions == 0) {
                continue;
            }
            snprintf(cells[0], CELL, "%s", s->from->title);
            row_cells(f, held, cells);
            for (int k = 0; k < COLUMNS; k++) {
                texts[k] = cells[k];
            }
            put(context, texts);
        }
    }
}

static void put_table(void *context, const char *const *cells)
{
    for (int k = 0; k < COLUMNS; k++) {
        gr_table_text(context, cells[k]);
    }
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
        // Narrow: the long heads go above.
        static const char *const heads[COLUMNS] = {"law",   "conditions", "n",    "pull",    "side",      "sinkage",
                                                   "order", "band",       "half", "scatter", "10 %, 4 mm"};
        GrTable table = {0};
        for (int k = 0; k < COLUMNS; k++) {
            gr_table_column(&table, heads[k], k < 2 ? GR_LEFT : GR_RIGHT);
        }
        each_row(report, put_table, &table);
        fputs(
            "\nLaws against a measured wheel (CMU, smooth, 36 conditions). Held back: a slip angle that the fit has "
            "not "
            "seen.\nErrors (median, 90 %) of pull and side force over the load, of sinkage in mm; order: share of "
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

static void put_markdown(void *context, const char *const *cells)
{
    for (int k = 0; k < COLUMNS; k++) {
        fprintf(context, "| %s ", cells[k]);
    }
    fputs("|\n", context);
}

void gr_validate_scores_markdown(const GrValidateReport *report, FILE *file)
{
    if (report->score_count > 0) {
        put_markdown(file, HEADS);
        for (int k = 0; k < COLUMNS; k++) {
            fputs("|---", file);
        }
        fputs("|\n", file);
        each_row(report, put_markdown, file);
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

static void add_clouds(const GrValidateReport *report, GrBuffer *page)
{
    const int count = GR_SCORE_KINDS * report->score_count;
    Cloud *clouds = gr_calloc((size_t)count + 1, sizeof *clouds);
    GrPanel *panels = gr_calloc((size_t)count + 1, sizeof *panels);
    bool good = clouds != NULL && panels != NULL;
    for (int i = 0; i < count && good; i++) {
        Cloud *c = &clouds[i];
        good = make_cloud(&report->scores[i / GR_SCORE_KINDS], i % GR_SCORE_KINDS, c);
        panels[i] = (GrPanel){.title = i % GR_SCORE_KINDS == 0 ? c->title : " ",
                              .x_label = c->x_label,
                              .y_label = c->y_label,
                              .series = c->series,
                              .series_count = 3};
    }
    GrBuffer svg = {0};
    const GrPlot plot = {
        .panels = panels, .panel_count = count, .columns = GR_SCORE_KINDS, .panel_width = 380, .panel_height = 280};
    if (good && gr_plot_write(&plot, &svg) == GR_OK) {
        gr_page_svg(
            page, svg.data,
            "Conditions that were not fitted: predicted over measured, with the 90 % band as a bar. Grey: equal.");
    }
    page->failed = page->failed || !good || svg.failed;
    gr_buffer_free(&svg);
    for (int i = 0; i < count && clouds != NULL; i++) {
        gr_free(clouds[i].x);
    }
    gr_free(clouds);
    gr_free(panels);
}

static void put_page(void *context, const char *const *cells)
{
    gr_page_row(context, cells, COLUMNS, 0x4u);
}

void gr_validate_scores_page(const GrValidateReport *report, GrBuffer *page)
{
    if (report->score_count == 0) {
        return;
    }
    gr_page_section(page, "Laws against a measured wheel");
    gr_page_begin_table(page, HEADS, COLUMNS, 0x4u);
    each_row(report, put_page, page);
    gr_page_end_table(page);
    for (int i = 0; i < report->score_count; i++) {
        char text[300];
        snprintf(text, sizeof text, "%s: fitted was %s.", report->scores[i].from->title, report->scores[i].from->what);
        gr_page_paragraph(page, text);
    }
    add_clouds(report, page);
}
