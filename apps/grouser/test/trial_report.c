#include "trial_report.h"

#include "alloc.h"
#include "check.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void gr_trial_report_free(GrTrialReport *report)
{
    for (int p = 0; p < report->panel_count; p++) {
        for (int k = 0; k < report->panels[p].panel.series_count; k++) {
            gr_free(report->panels[p].values[k]);
            gr_free(report->panels[p].bands[k]);
        }
    }
    for (int i = 0; i < report->fact_count; i++) {
        gr_free(report->facts[i].samples);
    }
    gr_free(report->cells);
    gr_free(report->left_out);
    if (report->release != NULL) {
        report->release(report->kept);
    }
    *report = (GrTrialReport){0};
}

void gr_trial_title(GrTrialReport *report, const char *title, const char *format, ...)
{
    va_list arguments;
    gr_text_copy(report->title, sizeof report->title, title);
    va_start(arguments, format);
    vsnprintf(report->about, sizeof report->about, format, arguments);
    va_end(arguments);
}

void gr_trial_verdict(GrTrialReport *report, const char *format, ...)
{
    size_t at = strlen(report->verdict);
    va_list arguments;
    va_start(arguments, format);
    if (at > 0 && at + 2 < sizeof report->verdict) {
        report->verdict[at++] = ' ';
    }
    vsnprintf(report->verdict + at, sizeof report->verdict - at, format, arguments);
    va_end(arguments);
}

void gr_trial_doubt(GrTrialReport *report, const char *format, ...)
{
    size_t at = strlen(report->doubts);
    va_list arguments;
    va_start(arguments, format);
    if (at > 0 && at + 2 < sizeof report->doubts) {
        report->doubts[at++] = '\n';
    }
    vsnprintf(report->doubts + at, sizeof report->doubts - at, format, arguments);
    va_end(arguments);
}

static GrTrialFact *add_fact(GrTrialReport *report, const char *key, const char *label)
{
    GR_CHECK(report->fact_count < GR_TRIAL_FACTS);
    GrTrialFact *fact = &report->facts[report->fact_count++];
    *fact = (GrTrialFact){.key = key, .low = (double)NAN, .high = (double)NAN};
    gr_text_copy(fact->label, sizeof fact->label, label);
    return fact;
}

int gr_trial_fact(GrTrialReport *report, const char *key, const char *label, const char *unit, double scale,
                  double value)
{
    GrTrialFact *fact = add_fact(report, key, label);
    fact->unit = unit;
    fact->scale = scale;
    fact->value = value;
    return report->fact_count - 1;
}

void gr_trial_fact_at(GrTrialReport *report, const char *list, const char *key, double at)
{
    GrTrialFact *fact = &report->facts[report->fact_count - 1];
    fact->list = list;
    fact->at_key = key;
    fact->at = at;
}

void gr_trial_at_least(GrTrialReport *report)
{
    report->facts[report->fact_count - 1].at_least = true;
}

void gr_trial_fact_text(GrTrialReport *report, const char *key, const char *label, const char *text)
{
    GrTrialFact *fact = add_fact(report, key, label);
    fact->is_text = true;
    gr_text_copy(fact->text, sizeof fact->text, text);
}

void gr_trial_column(GrTrialReport *report, const char *key, const char *head, double scale)
{
    GR_CHECK(report->column_count < GR_TRIAL_COLUMNS);
    report->columns[report->column_count++] = (GrTrialColumn){key, head, scale};
}

void gr_trial_column_text(GrTrialReport *report, const char *key, const char *head)
{
    gr_trial_column(report, key, head, 0);
}

static GrTrialCell *add_cell(GrTrialReport *report)
{
    if (report->cell_count == report->cell_capacity) {
        const int capacity = report->cell_capacity > 0 ? 2 * report->cell_capacity : 256;
        GrTrialCell *cells = gr_realloc(report->cells, sizeof *cells * (size_t)capacity);
        if (cells == NULL) {
            report->failed = true;
            return NULL;
        }
        report->cells = cells;
        report->cell_capacity = capacity;
    }
    GrTrialCell *cell = &report->cells[report->cell_count++];
    *cell = (GrTrialCell){.low = (double)NAN, .high = (double)NAN};
    return cell;
}

void gr_trial_cell_bound(GrTrialReport *report, double value, bool at_least)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        cell->number = value;
        cell->at_least = at_least;
    }
}

void gr_trial_cell(GrTrialReport *report, double value)
{
    gr_trial_cell_bound(report, value, false);
}

void gr_trial_cell_slip(GrTrialReport *report, double slip, bool slides)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        slides = slides || fabs(slip) > 1;
        cell->number = slides ? (double)NAN : slip;
        cell->shown = slides ? "slides" : NULL;
    }
}

void gr_trial_cell_copy(GrTrialReport *report, const GrTrialCell *from)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        *cell = *from;
    }
}

void gr_trial_cell_text(GrTrialReport *report, const char *text)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        gr_text_copy(cell->text, sizeof cell->text, text);
    }
}

void gr_trial_cell_name(GrTrialReport *report, const char *name, const char *shown)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        gr_text_copy(cell->text, sizeof cell->text, name);
        cell->shown = shown;
    }
}

int gr_trial_panel(GrTrialReport *report, const char *title, const char *x_label, const char *y_label)
{
    GR_CHECK(report->panel_count < GR_TRIAL_PANELS);
    GrTrialPanel *panel = &report->panels[report->panel_count];
    panel->panel =
        (GrPanel){.title = title, .x_label = x_label, .y_label = y_label, .series = panel->series, .zero_line = true};
    return report->panel_count++;
}

/// Number of pieces of a curve that a picture of this size can resolve.
enum { CURVE_PIECES = 600 };

/// Whether a curve has more points than can be resolved, and only one y for each x.
static bool is_crowded(const double *x, int count)
{
    bool forward = count > 2 * CURVE_PIECES;
    for (int i = 1; i < count && forward; i++) {
        forward = x[i] >= x[i - 1];
    }
    return forward;
}

/// Keeps the lowest and the highest point of each piece, in their order: no peak is lost. Returns their number, at most
/// `count`.
static int thin_curve(const double *x, const double *y, int count, double *to_x, double *to_y)
{
    int kept = 0;
    for (int k = 0; k < CURVE_PIECES; k++) {
        const int from = (int)((long long)count * k / CURVE_PIECES),
                  end = (int)((long long)count * (k + 1) / CURVE_PIECES);
        int low = from, high = from;
        for (int i = from + 1; i < end; i++) {
            low = y[i] < y[low] ? i : low;
            high = y[i] > y[high] ? i : high;
        }
        const int first = low < high ? low : high, second = low < high ? high : low;
        to_x[kept] = x[first];
        to_y[kept++] = y[first];
        if (second != first) {
            to_x[kept] = x[second];
            to_y[kept++] = y[second];
        }
    }
    return kept;
}

void gr_trial_curve(GrTrialReport *report, int number, const char *name, GrSeriesKind kind, const double *x,
                    const double *y, int count)
{
    GrTrialPanel *panel = &report->panels[number];
    const int at = panel->panel.series_count;
    double *copy = gr_calloc(2 * (size_t)count + 1, sizeof *copy);
    GR_CHECK(at < GR_TRIAL_CURVES);
    if (copy == NULL) {
        report->failed = true;
        return;
    }
    int kept = count;
    if (kind == GR_SERIES_LINE && is_crowded(x, count)) {
        kept = thin_curve(x, y, count, copy, copy + count);
    } else {
        memcpy(copy, x, sizeof *x * (size_t)count);
        memcpy(copy + count, y, sizeof *y * (size_t)count);
    }
    panel->values[at] = copy;
    gr_text_copy(panel->names[at], GR_TRIAL_TEXT, name);
    panel->series[at] = (GrSeries){
        .name = name[0] != '\0' ? panel->names[at] : NULL, .kind = kind, .x = copy, .y = copy + count, .count = kept};
    panel->panel.series_count++;
}

void gr_trial_leave_out_row(GrTrialReport *report)
{
    int *rows = gr_realloc(report->left_out, sizeof *rows * (size_t)(report->left_out_count + 1));
    if (rows == NULL) {
        report->failed = true;
        return;
    }
    report->left_out = rows;
    rows[report->left_out_count++] = report->cell_count / report->column_count - 1;
}
