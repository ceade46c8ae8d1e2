#include "trial_report.h"

#include "alloc.h"
#include "check.h"
#include "comparison.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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
    if (at > 0 && at + 2 < sizeof report->verdict && format[0] != '\n') {
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

void gr_trial_compared(GrTrialReport *report, int fact, int sense, double accuracy)
{
    report->facts[fact].sense = sense;
    report->facts[fact].accuracy = accuracy;
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

static void trial_cell_bound(GrTrialReport *report, double value, bool at_least)
{
    GrTrialCell *cell = add_cell(report);
    if (cell != NULL) {
        cell->number = value;
        cell->at_least = at_least;
    }
}

void gr_trial_cell(GrTrialReport *report, double value)
{
    trial_cell_bound(report, value, false);
}

void gr_trial_cells(GrTrialReport *report, const double *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        gr_trial_cell(report, values[k]);
    }
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

/// A cell of another report.
static void trial_cell_copy(GrTrialReport *report, const GrTrialCell *from)
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

bool gr_trial_is_left_out(const GrTrialReport *report, int row)
{
    bool found = false;
    for (int i = 0; i < report->left_out_count; i++) {
        found = found || report->left_out[i] == row;
    }
    return found;
}

// ---- several cases side by side

int gr_trial_split(const char *list, char *room, size_t size, const char *pieces[GR_TRIAL_CASES])
{
    int count = 0;
    if (!gr_text_copy(room, size, list)) {
        return -1;
    }
    for (char *at = room; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        if (at[0] == '\0' || count == GR_TRIAL_CASES) {
            return -1;
        }
        pieces[count++] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

/// The same fact of another case; NULL: it has none.
static const GrTrialFact *find_fact(const GrTrialReport *report, const GrTrialFact *like)
{
    for (int i = 0; i < report->fact_count; i++) {
        const GrTrialFact *fact = &report->facts[i];
        if (strcmp(fact->key, like->key) == 0 && fact->list == like->list && fact->at == like->at) {
            return fact;
        }
    }
    return NULL;
}

static bool same_fact(const GrTrialFact *a, const GrTrialFact *b)
{
    return b != NULL && (a->is_text ? strcmp(a->text, b->text) == 0 : a->value == b->value);
}

/// A row for each case, a column for each displayed fact that differs between cases.
static void add_cases(const GrTrialCompared *cases, int count, GrTrialReport *table)
{
    const GrTrialReport *first = cases[0].report;
    const GrTrialFact *kept[GR_TRIAL_COLUMNS];
    int kept_count = 0;
    gr_trial_column_text(table, "case", "case");
    for (int i = 0; i < first->fact_count && kept_count < GR_TRIAL_COLUMNS - 1; i++) {
        const GrTrialFact *fact = &first->facts[i];
        bool same = true;
        for (int k = 1; k < count; k++) {
            same = same && same_fact(fact, find_fact(cases[k].report, fact));
        }
        if (!same && fact->label[0] != '\0' && fact->sense == 0) { // else the comparison has it
            snprintf(table->heads[kept_count], GR_TRIAL_TEXT * 2, "%s%s%s%s", fact->label,
                     !fact->is_text && fact->unit[0] != '\0' ? " [" : "", fact->is_text ? "" : fact->unit,
                     !fact->is_text && fact->unit[0] != '\0' ? "]" : "");
            gr_trial_column(table, fact->key, table->heads[kept_count], fact->is_text ? 0 : fact->scale);
            kept[kept_count++] = fact;
        }
    }
    for (int k = 0; k < count; k++) {
        gr_trial_cell_text(table, cases[k].label);
        for (int i = 0; i < kept_count; i++) {
            const GrTrialFact *fact = find_fact(cases[k].report, kept[i]);
            if (kept[i]->is_text) {
                gr_trial_cell_text(table, fact != NULL ? fact->text : "");
            } else {
                trial_cell_bound(table, fact != NULL ? fact->value : (double)NAN, fact != NULL && fact->at_least);
            }
        }
    }
}

/// What the cases compare, with room for names that it makes.
typedef struct Compared {
    GrComparison comparison;
    char keys[GR_COMPARED_QUANTITIES][GR_TRIAL_TEXT];
} Compared;

/// The facts that say which case is better. A property of the design alone is one only beside others.
static void add_quantities(const GrTrialCompared *cases, int count, Compared *out)
{
    const GrTrialReport *first = cases[0].report;
    GrComparison *c = &out->comparison;
    c->sample_count = first->sample_count;
    for (int k = 0; k < count; k++) {
        gr_comparison_design(c, cases[k].label, cases[k].soil);
        c->sample_count = cases[k].report->sample_count == c->sample_count ? c->sample_count : 0;
    }
    for (int pass = 0; pass < 2; pass++) { // those of the design alone come last
        for (int i = 0; i < first->fact_count; i++) {
            const GrTrialFact *fact = &first->facts[i];
            if (fact->sense == 0 || fact->of_design != (pass == 1) || c->quantity_count == GR_COMPARED_QUANTITIES ||
                (pass == 1 && c->quantity_count == 0)) {
                continue;
            }
            char *key = out->keys[c->quantity_count];
            const int used = snprintf(key, GR_TRIAL_TEXT, "%s", fact->key);
            if (fact->list != NULL) {
                snprintf(key + used, (size_t)(GR_TRIAL_TEXT - used), "_at_%s_%.3g", fact->at_key, fact->at);
            }
            const int q = gr_comparison_quantity(c, (GrComparedQuantity){key,
                                                                         fact->of_design          ? "mass"
                                                                         : fact->label[0] != '\0' ? fact->label
                                                                                                  : fact->key,
                                                                         fact->unit, fact->scale, fact->sense,
                                                                         fact->accuracy, fact->of_design, false});
            for (int k = 0; k < count; k++) {
                const GrTrialFact *own = find_fact(cases[k].report, fact);
                if (own != NULL) {
                    c->values[q][k] = (GrComparedValue){own->value, own->samples, 0, own->at_least};
                }
            }
        }
    }
}

static void add_rows(const GrTrialCompared *cases, int count, GrTrialReport *merged)
{
    const GrTrialReport *first = cases[0].report;
    merged->rows = first->rows;
    gr_trial_column_text(merged, "case", "case");
    for (int c = 0; c < first->column_count; c++) {
        gr_trial_column(merged, first->columns[c].key, first->columns[c].head, first->columns[c].scale);
    }
    for (int k = 0; k < count; k++) {
        const GrTrialReport *report = cases[k].report;
        for (int i = 0; i < report->cell_count; i++) {
            if (gr_trial_is_left_out(report, i / report->column_count)) {
                continue;
            }
            if (i % report->column_count == 0) {
                gr_trial_cell_text(merged, cases[k].label);
            }
            trial_cell_copy(merged, &report->cells[i]);
        }
    }
}

/// More than this many bands hide each other.
enum { BANDS_MOST = 3 };

static void copy_band(const GrSeries *from, GrTrialPanel *panel, int at, GrTrialReport *merged)
{
    GrSeries *to = &panel->series[at];
    if (from->lower == NULL || to->count != from->count) {
        return;
    }
    double *band = gr_calloc(2 * (size_t)from->count + 1, sizeof *band);
    if (band == NULL) {
        merged->failed = true;
        return;
    }
    memcpy(band, from->lower, sizeof *band * (size_t)from->count);
    memcpy(band + from->count, from->upper, sizeof *band * (size_t)from->count);
    panel->bands[at] = band;
    to->lower = band;
    to->upper = band + from->count;
}

/// Each panel holds the curves of all cases, in as many colours; curves that do not fit into a panel are not drawn.
static void add_panels(const GrTrialCompared *cases, int count, GrTrialReport *merged)
{
    const GrTrialReport *first = cases[0].report;
    merged->square = first->square;
    for (int p = 0; p < first->panel_count; p++) {
        const GrPanel *model = &first->panels[p].panel;
        const int panel = gr_trial_panel(merged, model->title, model->x_label, model->y_label);
        for (int k = 0; k < count; k++) {
            const GrTrialPanel *from = &cases[k].report->panels[p];
            for (int i = 0; i < from->panel.series_count; i++) {
                const GrSeries *s = &from->series[i];
                GrPanel *to = &merged->panels[panel].panel;
                const bool guide = s->color == GR_PLOT_GUIDE;
                char name[GR_TRIAL_TEXT];
                if (to->series_count == GR_TRIAL_CURVES || (guide && k > 0)) {
                    merged->not_drawn += !guide;
                    continue;
                }
                const char *own = s->name != NULL ? s->name : "";
                snprintf(name, sizeof name, "%.40s%s%.20s", cases[k].label, own[0] != '\0' ? ": " : "", own);
                gr_trial_curve(merged, panel, guide ? "" : name, s->kind, s->x, s->y, s->count);
                merged->panels[panel].series[to->series_count - 1].color = s->color;
                if (count <= BANDS_MOST) {
                    copy_band(s, &merged->panels[panel], to->series_count - 1, merged);
                }
            }
            merged->panels[panel].panel.x_lower = fmin(merged->panels[panel].panel.x_lower, from->panel.x_lower);
            merged->panels[panel].panel.x_upper = fmax(merged->panels[panel].panel.x_upper, from->panel.x_upper);
            merged->panels[panel].panel.y_lower = fmin(merged->panels[panel].panel.y_lower, from->panel.y_lower);
            merged->panels[panel].panel.y_upper = fmax(merged->panels[panel].panel.y_upper, from->panel.y_upper);
        }
    }
}

GrStatus gr_trial_compare(const GrTrialCompared *cases, int count, const GrTrialOutputs *outputs, GrErrorLog *log)
{
    GrTrialReport *merged = gr_calloc(1, sizeof *merged), *table = gr_calloc(1, sizeof *table);
    Compared *compared = gr_calloc(1, sizeof *compared);
    GrStatus status = merged != NULL && table != NULL && compared != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status != GR_OK) {
        gr_out_of_memory(log, NULL);
    } else {
        gr_trial_title(merged, cases[0].report->title, "%d cases side by side", count);
        add_cases(cases, count, table);
        add_quantities(cases, count, compared);
        if (compared->comparison.quantity_count > 0) {
            gr_comparison_verdict(&compared->comparison, merged->verdict, sizeof merged->verdict);
            merged->comparison = &compared->comparison;
            merged->sample_count = compared->comparison.sample_count;
        }
        add_rows(cases, count, merged);
        add_panels(cases, count, merged);
        merged->cases = table;
        merged->parts = cases;
        merged->part_count = count;
        merged->failed = merged->failed || table->failed;
        status = gr_trial_say(merged, outputs, log);
    }
    if (merged != NULL) {
        gr_trial_report_free(merged);
    }
    if (table != NULL) {
        gr_trial_report_free(table);
    }
    gr_free(merged);
    gr_free(table);
    gr_free(compared);
    return status;
}
