#include "fit_report.h"

#include "fit_presses.h"

#include "alloc.h"
#include "band.h"
#include "json.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_COUNT = 4 };

/// Label and unit of each quantity.
static const struct Shown {
    GrQuantity quantity;
    GrSpreadQuantity of;
    const char *name, *unit, *key;
    double scale;
} shown[SHOWN_COUNT] = {
    {GR_FX, GR_SPREAD_FX, "f_x", "N", "fx_N", 1},
    {GR_FY, GR_SPREAD_FY, "f_y", "N", "fy_N", 1},
    {GR_TORQUE, GR_SPREAD_TORQUE, "torque", "N m", "torque_Nm", 1},
    {GR_SINKAGE, GR_SPREAD_SINKAGE, "sinkage", "mm", "sinkage_m", 1000},
};

static const char *number(double value, int digits, char out[GR_NUMBER_SIZE])
{
    gr_number_round(value, digits, out);
    return isfinite(value) ? out : "–";
}

static void interval(const GrFitReport *r, int i, char *out, size_t size)
{
    char low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
    if (r->result.at_bound[i]) {
        snprintf(out, size, "at its bound");
    } else if (isinf(r->result.low[i])) {
        snprintf(out, size, "not determined");
    } else {
        gr_number_round(r->result.low[i], 4, low);
        gr_number_round(r->result.high[i], 4, high);
        snprintf(out, size, "%s .. %s", low, high);
    }
}

static void print_parameters(const GrFitReport *r, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_column(&table, "parameter", GR_LEFT);
    gr_table_column(&table, "value", GR_RIGHT);
    gr_table_column(&table, "95 % interval", GR_LEFT);
    gr_table_column(&table, "bounds", GR_LEFT);
    for (int i = 0; i < r->def.param_count; i++) {
        const GrFitParam *p = &r->def.params[i];
        char text[100], low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
        gr_table_text(&table, p->name);
        gr_table_number(&table, r->result.value[i], 5);
        interval(r, i, text, sizeof text);
        gr_table_text(&table, text);
        gr_table_printf(&table, "%s .. %s", number(p->lower, 4, low), number(p->upper, 4, high));
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// Rows of the table of errors; the last two may be absent.
static int error_rows(const GrFitReport *r, const char *names[4], const GrFitErrors *errors[4])
{
    int n = 0;
    names[n] = "before, used points";
    errors[n++] = &r->result.start;
    names[n] = "fitted, used points";
    errors[n++] = &r->result.fit;
    if (r->def.folds > 1) {
        names[n] = "cross-validation";
        errors[n++] = &r->result.crossed;
    }
    if (r->held > 0) {
        names[n] = "held-back points";
        errors[n++] = &r->result.held;
    }
    return n;
}

static void print_errors(const GrFitReport *r, FILE *file)
{
    const char *names[4];
    const GrFitErrors *errors[4];
    const int rows = error_rows(r, names, errors);
    GrTable table = {.indent = 2};
    gr_table_column(&table, "root mean square error", GR_LEFT);
    for (int k = 0; k < SHOWN_COUNT; k++) {
        if (r->data.has[shown[k].quantity]) {
            char head[64];
            snprintf(head, sizeof head, "%s [%s]", shown[k].name, shown[k].unit);
            gr_table_column(&table, head, GR_RIGHT);
        }
    }
    gr_table_column(&table, "no equilibrium", GR_RIGHT);
    for (int i = 0; i < rows; i++) {
        gr_table_text(&table, names[i]);
        for (int k = 0; k < SHOWN_COUNT; k++) {
            if (r->data.has[shown[k].quantity]) {
                gr_table_number(&table, shown[k].scale * errors[i]->rms[shown[k].quantity], 4);
            }
        }
        gr_table_printf(&table, "%d", errors[i]->missing);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

static void print_correlations(const GrFitReport *r, FILE *file)
{
    for (int i = 0; i < r->def.param_count; i++) {
        for (int j = 0; j < i; j++) {
            if (fabs(r->result.correlation[i][j]) > 0.95) {
                fprintf(file, "  %s and %s are hard to distinguish (correlation %.3f)\n", r->def.params[j].name,
                        r->def.params[i].name, r->result.correlation[i][j]);
            }
        }
    }
}

static void print_undetermined(const GrFitReport *r, FILE *file)
{
    for (int i = 0; i < r->def.param_count; i++) {
        const char *name = r->def.params[i].name, *test = r->result.next_test[i];
        if (r->result.at_bound[i] || r->result.determined[i]) {
            continue;
        }
        fprintf(file, "  %s is not determined by this data; ", name);
        if (test != NULL) {
            fprintf(file, "%s would help most\n", test);
        } else {
            fprintf(file, "no single further test would: fix it with --set, or free fewer parameters\n");
        }
    }
}

static void print_names(const char *title, const GrNameList *list, FILE *file)
{
    fprintf(file, "%s: %s", title, list->count == 0 ? "none" : "");
    for (int i = 0; i < list->count; i++) {
        fprintf(file, "%s%s", i > 0 ? ", " : "", list->names[i]);
    }
    fputs("\n", file);
}

void gr_fit_print(const GrFitReport *r, FILE *file)
{
    char before[GR_NUMBER_SIZE], after[GR_NUMBER_SIZE];
    if (r->data_path != NULL) {
        fprintf(file, "%s: %d points used, %d held back, %d left out; law %s\n", r->data_path, r->used, r->held,
                r->skipped, gr_soil_law_name(r->def.rig.soil.law));
        print_names("columns used", &r->data.used, file);
        print_names("columns ignored", &r->data.ignored, file);
        fputs("\n", file);
    }
    gr_fit_presses_print(r, file);
    print_parameters(r, file);
    print_undetermined(r, file);
    print_correlations(r, file);
    fputs("\n", file);
    if (r->data_path != NULL) {
        print_errors(r, file);
    }
    gr_fit_known_print(r, file);
    gr_number_round(r->result.start_cost, 4, before);
    gr_number_round(r->result.cost, 4, after);
    fprintf(file, "\n  mean %s loss %s -> %s over %d numbers, %d evaluations\n\n", gr_fit_loss_names[r->def.loss],
            before, after, r->result.residual_count, r->result.evaluations + r->known.evaluations);
}

static void write_names(GrJson *json, const char *key, const GrNameList *list)
{
    gr_json_begin_array(json, key);
    for (int i = 0; i < list->count; i++) {
        gr_json_string(json, NULL, list->names[i]);
    }
    gr_json_end(json);
}

static void write_errors(GrJson *json, const char *key, const GrFitReport *r, const GrFitErrors *errors)
{
    gr_json_begin_object(json, key);
    for (int k = 0; k < SHOWN_COUNT; k++) {
        if (r->data.has[shown[k].quantity]) {
            gr_json_number(json, shown[k].key, errors->rms[shown[k].quantity]);
        }
    }
    gr_json_integer(json, "no_equilibrium", errors->missing);
    gr_json_end(json);
}

void gr_fit_json(const GrFitReport *r, FILE *file)
{
    static const char *const keys[] = {"rms_before", "rms_fit", "rms_cross_validation", "rms_held_out"};
    const GrFitErrors *errors[] = {&r->result.start, &r->result.fit, &r->result.crossed, &r->result.held};
    const bool there[] = {true, true, r->def.folds > 1, r->held > 0};
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "model", gr_soil_law_name(r->def.rig.soil.law));
    if (r->data_path != NULL) {
        gr_json_string(&json, "data", r->data_path);
    }
    gr_fit_presses_json(r, &json);
    gr_json_integer(&json, "points_used", r->used);
    gr_json_integer(&json, "points_held_out", r->held);
    gr_json_integer(&json, "points_left_out", r->skipped);
    write_names(&json, "columns_used", &r->data.used);
    write_names(&json, "columns_ignored", &r->data.ignored);
    gr_json_begin_array(&json, "parameters");
    for (int i = 0; i < r->def.param_count; i++) {
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "name", r->def.params[i].name);
        gr_json_number(&json, "value", r->result.value[i]);
        gr_json_number(&json, "low_95", r->result.low[i]);
        gr_json_number(&json, "high_95", r->result.high[i]);
        gr_json_bool(&json, "at_bound", r->result.at_bound[i]);
        gr_json_bool(&json, "determined", r->result.determined[i]);
        if (r->result.next_test[i] != NULL) {
            gr_json_string(&json, "next_test", r->result.next_test[i]);
        }
        gr_json_end(&json);
    }
    gr_json_end(&json);
    for (int i = 0; i < 4; i++) {
        if (there[i]) {
            write_errors(&json, keys[i], r, errors[i]);
        }
    }
    gr_fit_known_json(r, &json);
    gr_json_string(&json, "loss", gr_fit_loss_names[r->def.loss]);
    gr_json_number(&json, "mean_loss_before", r->result.start_cost);
    gr_json_number(&json, "mean_loss", r->result.cost);
    gr_json_integer(&json, "evaluations", r->result.evaluations + r->known.evaluations);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

// ---- page ----

/// Up to eight slip angles of the data, ascending [rad]; returns their number.
static int slip_angles(const GrWheelData *data, double out[8])
{
    int n = 0;
    for (int i = 0; i < data->count; i++) {
        const double angle = data->items[i].value[GR_SLIP_ANGLE];
        bool known = false;
        for (int j = 0; j < n; j++) {
            known = known || fabs(out[j] - angle) / GR_DEGREE < 0.5;
        }
        if (!known && n < 8 && fabs(angle) / GR_DEGREE < 89.5) {
            out[n++] = angle;
        }
    }
    for (int i = 1; i < n; i++) { // insertion sort, for few values
        for (int j = i; j > 0 && out[j] < out[j - 1]; j--) {
            const double t = out[j];
            out[j] = out[j - 1];
            out[j - 1] = t;
        }
    }
    return n;
}

/// One slip angle in one panel: points in the order of their slip, and the law at the same points.
typedef struct AngleCurve {
    double *x, *measured, *law, *lower, *upper; ///< lower and upper: 90 % band
    int count;
    bool held;
    char name[64];
} AngleCurve;

static int by_slip(const void *a, const void *b)
{
    const GrWheelDatum *x = a, *y = b;
    const double u = x->value[GR_SLIP], v = y->value[GR_SLIP];
    return (u > v) - (u < v);
}

static void make_curve(const GrFitReport *r, const struct Shown *kind, double angle, AngleCurve *c)
{
    GrWheelDatum *order = gr_calloc((size_t)r->data.count + 1, sizeof *order);
    double *room = gr_calloc(5 * (size_t)r->data.count, sizeof *room);
    *c = (AngleCurve){.x = room};
    if (order == NULL || room == NULL) {
        gr_free(order);
        return;
    }
    c->measured = room + r->data.count;
    c->law = c->measured + r->data.count;
    c->lower = c->law + r->data.count;
    c->upper = c->lower + r->data.count;
    for (int i = 0; i < r->data.count; i++) {
        const double *v = r->data.items[i].value;
        if (fabs(v[GR_SLIP_ANGLE] - angle) / GR_DEGREE < 0.5 && isfinite(v[kind->quantity])) {
            order[c->count++] = r->data.items[i];
            c->held = c->held || r->role[i] == GR_FIT_HELD;
        }
    }
    qsort(order, (size_t)c->count, sizeof *order, by_slip);
    for (int i = 0; i < c->count; i++) {
        GrRigDef rig = gr_wheel_datum_rig(&r->def.rig, &order[i]);
        GrWheelBand band;
        rig.soil = r->result.soil;
        const bool good = gr_band_predict(&rig, &r->known.spread, order[i].value[GR_SLIP], angle, &band);
        const double half = good ? GR_BAND_HALF * band.deviation[kind->of] : (double)NAN;
        c->x[i] = order[i].value[GR_SLIP];
        c->measured[i] = kind->scale * order[i].value[kind->quantity];
        c->law[i] = good ? kind->scale * band.value[kind->of] : (double)NAN;
        c->lower[i] = c->law[i] - kind->scale * half;
        c->upper[i] = c->law[i] + kind->scale * half;
    }
    gr_free(order);
    char degrees[GR_NUMBER_SIZE];
    gr_number_round(fabs(angle) < 1e-9 ? 0 : angle / GR_DEGREE, 3, degrees);
    snprintf(c->name, sizeof c->name, "β = %s°%s", degrees, c->held ? " (held back)" : "");
}

static void add_plot(const GrFitReport *r, GrBuffer *page)
{
    static AngleCurve curves[SHOWN_COUNT][8];
    static GrSeries series[SHOWN_COUNT][16];
    static char labels[SHOWN_COUNT][64];
    GrPanel panels[SHOWN_COUNT];
    double angles[8];
    const int n = slip_angles(&r->data, angles);
    int count = 0;
    for (int k = 0; k < SHOWN_COUNT; k++) {
        if (!r->data.has[shown[k].quantity]) {
            continue;
        }
        for (int a = 0; a < n; a++) {
            AngleCurve *c = &curves[count][a];
            make_curve(r, &shown[k], angles[a], c);
            page->failed = page->failed || c->x == NULL;
            series[count][a] = (GrSeries){.name = c->name,
                                          .kind = c->held ? GR_SERIES_DASHED : GR_SERIES_LINE,
                                          .x = c->x,
                                          .y = c->law,
                                          .count = c->count,
                                          .color = a + 1,
                                          .lower = c->lower,
                                          .upper = c->upper};
            series[count][n + a] =
                (GrSeries){.kind = GR_SERIES_POINTS, .x = c->x, .y = c->measured, .count = c->count, .color = a + 1};
        }
        snprintf(labels[count], sizeof labels[count], "%s [%s]", shown[k].name, shown[k].unit);
        panels[count] = (GrPanel){.x_label = "slip",
                                  .y_label = labels[count],
                                  .series = series[count],
                                  .series_count = 2 * n,
                                  .zero_line = true};
        count++;
    }
    GrBuffer svg = {0};
    const GrPlot plot = {.panels = panels, .panel_count = count, .columns = 2, .panel_width = 590, .panel_height = 380};
    if (gr_plot_write(&plot, &svg) == GR_OK) {
        gr_page_svg(
            page, svg.data,
            "Points: measured. Lines: the fitted law at the slip, slip angle and load of each point, with its 90 % "
            "band; dashed where the points were held back.");
    }
    gr_buffer_free(&svg);
    for (int k = 0; k < count; k++) {
        for (int a = 0; a < n; a++) {
            gr_free(curves[k][a].x);
        }
    }
}

static void add_parameter_table(const GrFitReport *r, GrBuffer *page)
{
    static const char *const heads[] = {"parameter", "value", "95 % interval", "bounds"};
    gr_page_section(page, "Parameters");
    gr_page_begin_table(page, heads, 4, 0x2u);
    for (int i = 0; i < r->def.param_count; i++) {
        const GrFitParam *p = &r->def.params[i];
        char value[GR_NUMBER_SIZE], text[100], bounds[100], low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
        interval(r, i, text, sizeof text);
        snprintf(bounds, sizeof bounds, "%s .. %s", number(p->lower, 4, low), number(p->upper, 4, high));
        const char *cells[] = {p->name, number(r->result.value[i], 5, value), text, bounds};
        gr_page_row(page, cells, 4, 0x2u);
    }
    gr_page_end_table(page);
}

static void add_error_table(const GrFitReport *r, GrBuffer *page)
{
    static const char *const heads[] = {"", "f_x [N]", "f_y [N]", "torque [N m]", "sinkage [mm]", "no equilibrium"};
    const char *names[4];
    const GrFitErrors *errors[4];
    const int rows = error_rows(r, names, errors);
    gr_page_section(page, "Root mean square error");
    gr_page_begin_table(page, heads, 6, 0x3eu);
    for (int i = 0; i < rows; i++) {
        char text[SHOWN_COUNT + 1][GR_NUMBER_SIZE];
        const char *cells[SHOWN_COUNT + 2] = {names[i]};
        for (int k = 0; k < SHOWN_COUNT; k++) {
            cells[k + 1] = number(shown[k].scale * errors[i]->rms[shown[k].quantity], 4, text[k]);
        }
        cells[SHOWN_COUNT + 1] = number(errors[i]->missing, 6, text[SHOWN_COUNT]);
        gr_page_row(page, cells, SHOWN_COUNT + 2, 0x3eu);
    }
    gr_page_end_table(page);
}

void gr_fit_page(const GrFitReport *r, GrBuffer *page)
{
    char subtitle[400];
    snprintf(subtitle, sizeof subtitle, "%.200s; law %s; %d points used, %d held back, %d left out",
             r->data_path != NULL ? r->data_path : r->plates_path, gr_soil_law_name(r->def.rig.soil.law), r->used,
             r->held, r->skipped);
    gr_page_begin(page, "Soil fitted to wheel data", subtitle);
    if (r->data_path != NULL) {
        add_plot(r, page);
    }
    add_parameter_table(r, page);
    if (r->data_path != NULL) {
        add_error_table(r, page);
    }
    gr_fit_known_page(r, page);
    gr_fit_presses_page(r, page);
    gr_page_end(page);
}
