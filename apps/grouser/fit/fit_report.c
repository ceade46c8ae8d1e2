#include "fit_report.h"

#include "fit_presses.h"

#include "alloc.h"
#include "band.h"
#include "json.h"
#include "number.h"
#include "soil_param.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_COUNT = 4 };

/// Label and unit of each quantity.
static const struct Shown {
    GrQuantity quantity;
    GrSpreadQuantity of;
    const char *label, *key;
    double scale;
} shown[SHOWN_COUNT] = {
    {GR_FX, GR_SPREAD_FX, "f_x [N]", "fx_N", 1},
    {GR_FY, GR_SPREAD_FY, "f_y [N]", "fy_N", 1},
    {GR_TORQUE, GR_SPREAD_TORQUE, "torque [N m]", "torque_Nm", 1},
    {GR_SINKAGE, GR_SPREAD_SINKAGE, "sinkage [mm]", "sinkage_m", 1000},
};

static void interval(const GrFitReport *r, int i, GrTable *table)
{
    if (r->result.at_bound[i]) {
        gr_table_text(table, "at its bound");
    } else if (isinf(r->result.low[i])) {
        gr_table_text(table, "not determined");
    } else {
        gr_table_printf(table, "%s .. %s", gr_show(r->result.low[i], 4, "").text,
                        gr_show(r->result.high[i], 4, "").text);
    }
}

static void put_parameters(const GrFitReport *r, GrPage *page)
{
    GrTable table = {0};
    gr_table_heads(&table, "parameter|>value|unit|95 % interval|bounds|meaning");
    for (int i = 0; i < r->def.param_count; i++) {
        const GrFitParam *p = &r->def.params[i];
        const int known = gr_soil_param_find(p->name);
        gr_table_text(&table, p->name);
        gr_table_number(&table, r->result.value[i], 4);
        gr_table_text(&table, known >= 0 ? gr_soil_param(known)->unit : "");
        interval(r, i, &table);
        gr_table_printf(&table, "%s .. %s", gr_show(p->lower, 4, "").text, gr_show(p->upper, 4, "").text);
        gr_table_text(&table, known >= 0 ? gr_soil_param(known)->text : "");
    }
    gr_page_table(page, &table);
    for (int i = 0; i < r->def.param_count; i++) {
        const char *test = r->result.next_test[i];
        if (!r->result.at_bound[i] && !r->result.determined[i]) {
            gr_page_text(
                page, "%s is not determined by this data; %s%s.", r->def.params[i].name,
                test != NULL ? test : "no single further test would help: fix it with --set, or free fewer parameters",
                test != NULL ? " would help most" : "");
        }
        for (int j = 0; j < i; j++) {
            if (fabs(r->result.correlation[i][j]) > 0.95) {
                gr_page_text(page, "%s and %s are hard to distinguish (correlation %.3f).", r->def.params[j].name,
                             r->def.params[i].name, r->result.correlation[i][j]);
            }
        }
    }
}

/// Errors of the fit, and the key of each row in JSON.
static GrTable errors_of(const GrFitReport *r, const char *keys[4])
{
    const struct {
        const char *key, *name;
        const GrFitErrors *errors;
        bool there;
    } rows[] = {{"rms_before", "before, used points", &r->result.start, true},
                {"rms_fit", "fitted, used points", &r->result.fit, true},
                {"rms_cross_validation", "cross-validation", &r->result.crossed, r->def.folds > 1},
                {"rms_held_out", "held-back points", &r->result.held, r->held > 0}};
    GrTable table = {0};
    int count = 0;
    gr_table_heads(&table, "root mean square error");
    for (int k = 0; k < SHOWN_COUNT; k++) {
        const bool has = r->data.has[shown[k].quantity];
        gr_table_columns(&table, &(GrColumn){shown[k].key, shown[k].label, shown[k].scale, 4}, has ? 1 : 0);
    }
    gr_table_columns(&table, &(GrColumn){"no_equilibrium", "no equilibrium", 1, 9}, 1);
    for (int i = 0; i < 4; i++) {
        if (rows[i].there) {
            keys[count++] = rows[i].key;
            gr_table_text(&table, rows[i].name);
            for (int k = 0; k < SHOWN_COUNT; k++) {
                if (r->data.has[shown[k].quantity]) {
                    gr_table_value(&table, rows[i].errors->rms[shown[k].quantity]);
                }
            }
            gr_table_value(&table, rows[i].errors->missing);
        }
    }
    return table;
}

static void put_names(const char *title, const GrNameList *list, GrPage *page)
{
    char text[1000];
    int used = snprintf(text, sizeof text, "%s: %s", title, list->count == 0 ? "none" : "");
    for (int i = 0; i < list->count && used < (int)sizeof text; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", i > 0 ? ", " : "", list->names[i]);
    }
    gr_page_text(page, "%s", text);
}

// ---- the answer

/// A fitted wheel that is off by more than this part of its load or radius is no basis for a design.
static const double POOR = 0.15;

/// "5.7 % of the load (f_x), 5.3 % of the load (f_y), 2.6 % of the radius (sinkage)", of what was measured.
static void say_errors(const GrFitReport *r, bool unseen, GrBuffer *out)
{
    static const struct {
        GrSpreadQuantity quantity;
        const char *name, *of;
    } rows[] = {{GR_SPREAD_FX, "f_x", "load"},
                {GR_SPREAD_FY, "f_y", "load"},
                {GR_SPREAD_TORQUE, "torque", "load times radius"},
                {GR_SPREAD_SINKAGE, "sinkage", "radius"}};
    int count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const GrSpreadError *e = &r->known.spread.error[rows[i].quantity];
        const double error = unseen ? e->discrepancy : e->residual;
        if (isfinite(error) && isfinite(e->residual)) {
            gr_buffer_printf(out, "%s%s to %s %% of the %s", count++ > 0 ? ", " : "", rows[i].name,
                             gr_show(100 * error, 2, "").text, rows[i].of);
        }
    }
}

static bool is_poor(const GrFitReport *r)
{
    bool poor = false;
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        poor = poor || r->known.spread.error[q].residual > POOR;
    }
    return poor;
}

/// How well the soil fits, in a sentence or two.
static void say_answer(const GrFitReport *r, GrBuffer *out)
{
    if (r->data_path != NULL) {
        gr_buffer_puts(out, is_poor(r) ? "Fits poorly: " : "Fits ");
        say_errors(r, false, out);
        if (r->known.group_count > 0) {
            gr_buffer_puts(out, "; what it has not seen: ");
            say_errors(r, true, out);
        }
        gr_buffer_puts(out, " (standard deviations).");
    }
    if (r->plates_path != NULL && r->press_fit.count > 0) {
        const double band = r->chosen ? exp(GR_PRESS_BAND * r->forms[r->form].spread) : (double)NAN;
        gr_buffer_printf(out, "%sPresses: off by %s %% (median)", out->size > 0 ? " " : "",
                         gr_show(100 * r->press_fit.median, 2, "").text);
        if (r->chosen) {
            gr_buffer_printf(out, "; at other sizes by %.0f to %+.0f %% (90 %%)", 100 * (1 / band - 1),
                             100 * (band - 1));
        }
        gr_buffer_puts(out, ".");
    }
}

/// What makes the fit doubtful, and what to change; empty: nothing does.
static void say_doubts(const GrFitReport *r, GrBuffer *out)
{
    int count = 0;
    for (int i = 0; i < r->def.param_count; i++) {
        if (r->result.at_bound[i]) {
            gr_buffer_printf(out, "%s%s", count++ > 0 ? ", " : "", r->def.params[i].name);
        }
    }
    if (count > 0) {
        gr_buffer_printf(out,
                         " %s at the bound of the search: the soil that fits best lies beyond, or what is fixed "
                         "(--soil, --set) does not suit this soil.",
                         count > 1 ? "are" : "is");
    }
    if (is_poor(r)) {
        gr_buffer_printf(out, "%sErrors above %.0f %%: try --soil %s, more free parameters, or another law (--model).",
                         count > 0 ? " " : "", 100 * POOR, gr_fit_usual_soil);
    }
}

static void put_answer(const GrFitReport *r, GrPage *page)
{
    GrBuffer answer = {0}, doubts = {0};
    say_answer(r, &answer);
    say_doubts(r, &doubts);
    gr_page_text(page, "%s", answer.data != NULL ? answer.data : "");
    if (doubts.size > 0) {
        gr_page_text(page, "Doubtful: %s", doubts.data);
    }
    gr_buffer_free(&answer);
    gr_buffer_free(&doubts);
}

static void write_answer(const GrFitReport *r, GrJson *json)
{
    GrBuffer answer = {0}, doubts = {0};
    say_answer(r, &answer);
    say_doubts(r, &doubts);
    gr_json_string(json, "answer", answer.data != NULL ? answer.data : "");
    if (doubts.size > 0) {
        gr_json_string(json, "doubts", doubts.data);
    }
    gr_buffer_free(&answer);
    gr_buffer_free(&doubts);
}

void gr_fit_json(const GrFitReport *r, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    write_answer(r, &json);
    gr_json_string(&json, "model", gr_soil_law_name(r->def.rig.soil.law));
    if (r->data_path != NULL) {
        gr_json_string(&json, "data", r->data_path);
    }
    gr_fit_presses_json(r, &json);
    gr_json_integer(&json, "points_used", r->used);
    gr_json_integer(&json, "points_held_out", r->held);
    gr_json_integer(&json, "points_left_out", r->skipped);
    gr_columns_json(&r->data.used, &r->data.ignored, &json);
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
    const char *keys[4];
    GrTable errors = errors_of(r, keys);
    for (int i = 0; i < gr_table_row_count(&errors); i++) {
        gr_json_begin_object(&json, keys[i]);
        gr_table_json_row(&errors, i, &json);
        gr_json_end(&json);
    }
    gr_table_free(&errors);
    gr_fit_known_json(r, &json);
    gr_json_string(&json, "loss", gr_fit_loss_names[r->def.loss]);
    gr_json_number(&json, "mean_loss_before", r->result.start_cost);
    gr_json_number(&json, "mean_loss", r->result.cost);
    gr_json_integer(&json, "evaluations", r->result.evaluations + r->known.evaluations);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

// ---- the plots

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
    snprintf(c->name, sizeof c->name, "β = %.30s°%s", gr_show(fabs(angle) < 1e-9 ? 0 : angle / GR_DEGREE, 3, "").text,
             c->held ? " (held back)" : "");
}

static void put_panels(const GrFitReport *r, GrPage *page)
{
    static AngleCurve curves[SHOWN_COUNT][8];
    static GrSeries series[SHOWN_COUNT][16];
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
                                          .x_scale = 100,
                                          .count = c->count,
                                          .color = a + 1,
                                          .lower = c->lower,
                                          .upper = c->upper};
            series[count][n + a] = (GrSeries){.kind = GR_SERIES_POINTS,
                                              .x = c->x,
                                              .y = c->measured,
                                              .x_scale = 100,
                                              .count = c->count,
                                              .color = a + 1};
        }
        panels[count] = (GrPanel){.x_label = "slip [%]",
                                  .y_label = shown[k].label,
                                  .series = series[count],
                                  .series_count = 2 * n,
                                  .zero_line = true};
        count++;
    }
    gr_page_panels(
        page, panels, count,
        "Points: measured. Lines: the fitted law at the slip, slip angle and load of each point, with its 90 % "
        "band; dashed where the points were held back.");
    for (int k = 0; k < count; k++) {
        for (int a = 0; a < n; a++) {
            gr_free(curves[k][a].x);
        }
    }
}

// ---- the page and the terminal

void gr_fit_page(const GrFitReport *r, GrPage *page)
{
    const char *from = r->data_path != NULL ? r->data_path : r->plates_path;
    char subtitle[400];
    snprintf(subtitle, sizeof subtitle, "%.200s; law %s; %d points used, %d held back, %d left out", from,
             gr_soil_law_name(r->def.rig.soil.law), r->used, r->held, r->skipped);
    gr_page_begin(page, "Soil fitted to wheel data", subtitle);
    put_answer(r, page);
    page->place = GR_PLACE_TERMINAL;
    if (r->data_path != NULL) {
        gr_page_text(page, "%s", subtitle);
        put_names("columns used", &r->data.used, page);
        put_names("columns ignored", &r->data.ignored, page);
    }
    page->place = GR_PLACE_PAGE;
    gr_page_section(page, "Parameters");
    page->place = GR_PLACE_BOTH;
    put_parameters(r, page);
    if (r->data_path != NULL) {
        const char *keys[4];
        GrTable errors = errors_of(r, keys);
        put_panels(r, page);
        gr_page_table(page, &errors);
    }
    gr_fit_known_page(r, page);
    gr_fit_presses_page(r, page);
    gr_page_text(page, "mean %s loss %s -> %s over %d numbers, %d evaluations", gr_fit_loss_names[r->def.loss],
                 gr_show(r->result.start_cost, 4, "").text, gr_show(r->result.cost, 4, "").text,
                 r->result.residual_count, r->result.evaluations + r->known.evaluations);
}
