/// How well a fitted soil is known: errors, groups that were predicted unseen, and the range of the data.
#include "alloc.h"
#include "fit_presses.h"
#include "fit_report.h"
#include "number.h"
#include "out_of_memory.h"
#include "page.h"
#include "soil_param.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const LABELS[GR_SPREAD_QUANTITIES] = {"f_x over load", "f_y over load", "torque over load · radius",
                                                         "sinkage over radius"};

#define KEY(constant, name) #name,
static const char *const KEYS[GR_SPREAD_QUANTITIES] = {GR_SPREAD_QUANTITY_LIST(KEY)};
#undef KEY

/// A condition of the range: key, text, scale to its unit.
typedef struct Part {
    const char *key, *name, *unit;
    const double *range;
    double scale;
} Part;

enum { PARTS = 5 };

GrFitParam *gr_fit_find_free(GrFitDef *def, const char *name)
{
    const int index = gr_soil_param_find(name);
    const char *plain = index >= 0 ? gr_soil_param(index)->name : name;
    for (int i = 0; i < def->param_count; i++) {
        if (strcmp(def->params[i].name, plain) == 0) {
            return &def->params[i];
        }
    }
    return NULL;
}

const char gr_fit_usual_soil[] = "cmu_smooth_fit";

static void range_parts(const GrConditions *c, Part out[PARTS])
{
    const Part parts[PARTS] = {{"slip", "slip", " %", c->slip, 100},
                               {"slip_angle_deg", "slip angle", "°", c->slip_angle, 1 / GR_DEGREE},
                               {"load_N", "load", " N", c->load, 1},
                               {"width_m", "width", " mm", c->width, 1000},
                               {"radius_m", "radius", " mm", c->radius, 1000}};
    memcpy(out, parts, sizeof parts);
}

static bool is_measured(const GrFitReport *r, int q)
{
    return isfinite(r->known.spread.error[q].residual);
}

/// "slip -1 .. 0.93; slip angle 0 .. 45°; …"
static void range_text(const GrFitReport *r, char *out, size_t size)
{
    Part parts[PARTS];
    size_t used = 0;
    range_parts(&r->known.spread.range, parts);
    for (int i = 0; i < PARTS; i++) {
        const double low = parts[i].scale * parts[i].range[0], high = parts[i].scale * parts[i].range[1];
        const int n = snprintf(out + used, size - used, "%s%s %s%s%s%s", i > 0 ? "; " : "", parts[i].name,
                               gr_show(low, 4, "").text, high > low ? " .. " : "",
                               high > low ? gr_show(high, 4, "").text : "", parts[i].unit);
        used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
    }
}

/// "slip angle 15°, 9 points, interpolated"
static void group_text(const GrFitGroup *g, char *out, size_t size)
{
    static const char *const names[GR_GROUP_KINDS] = {"slip angle", "load", "wheel of radius", "slip"};
    static const char *const units[GR_GROUP_KINDS] = {"°", " N", " mm", " %"};
    static const double scales[GR_GROUP_KINDS] = {1 / GR_DEGREE, 1, 1000, 100};
    const double scale = scales[g->kind];
    char low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
    gr_number_round(scale * g->low, 3, low);
    gr_number_round(scale * g->high, 3, high);
    const bool one = strcmp(low, high) == 0;
    snprintf(out, size, "%s %s%s%s%s, %d points, %s", names[g->kind], low, one ? "" : " .. ", one ? "" : high,
             units[g->kind], g->points, g->extrapolated ? "extrapolated" : "interpolated");
}

/// A row for each measured quantity; JSON has them under KEYS.
static GrTable errors_of(const GrFitReport *r)
{
    const GrColumn columns[] = {{NULL, "error of one wheel (standard deviation)", 0, 0},
                                {"residual", "residual", 1, 2},
                                {"repeats", "repeats", 1, 2},
                                {"discrepancy", "discrepancy", 1, 2}};
    GrTable table = {0};
    gr_table_columns(&table, columns, 4);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        const GrSpreadError *e = &r->known.spread.error[q];
        if (is_measured(r, q)) {
            gr_table_text(&table, LABELS[q]);
            gr_table_values(&table, (const double[]){e->residual, e->repeats, e->discrepancy}, 3);
        }
    }
    return table;
}

/// Groups of points that fits without them predicted.
static GrTable groups_of(const GrFitReport *r)
{
    const GrColumn columns[] = {{NULL, "group predicted by a fit without it (rms)", 0, 0},
                                {"kind", NULL, 0, 0},
                                {"low", NULL, 1, 0},
                                {"high", NULL, 1, 0},
                                {"points", NULL, 1, 0},
                                {"no_equilibrium", NULL, 1, 0}};
    GrTable table = {0};
    gr_table_columns(&table, columns, 6);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        gr_table_columns(&table, &(GrColumn){KEYS[q], LABELS[q], 1, 2}, is_measured(r, q) ? 1 : 0);
    }
    for (int i = 0; i < r->known.group_count; i++) {
        const GrFitGroup *g = &r->known.groups[i];
        const double unit = g->kind == GR_GROUP_SLIP_ANGLE ? GR_DEGREE : 1;
        char text[200];
        group_text(g, text, sizeof text);
        gr_table_text(&table, text);
        gr_table_text(&table, gr_group_kind_names[g->kind]);
        gr_table_values(&table, (const double[]){g->low / unit, g->high / unit, g->points, g->missing}, 4);
        for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
            if (is_measured(r, q)) {
                gr_table_value(&table, g->rms[q]);
            }
        }
    }
    return table;
}

void gr_fit_known_json(const GrFitReport *r, GrJson *json)
{
    Part parts[PARTS];
    GrTable errors = errors_of(r), groups = groups_of(r);
    gr_json_begin_object(json, "spread");
    gr_json_begin_array(json, "variables");
    for (int i = 0; i < r->def.param_count; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s%s", r->def.params[i].logarithmic ? "ln " : "", r->def.params[i].name);
        gr_json_string(json, NULL, name);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "covariance");
    for (int i = 0; i < r->def.param_count; i++) {
        gr_json_numbers(json, NULL, r->known.covariance[i], r->def.param_count);
    }
    gr_json_end(json);
    gr_json_begin_object(json, "errors");
    for (int q = 0, row = 0; q < GR_SPREAD_QUANTITIES; q++) {
        if (is_measured(r, q)) {
            gr_json_begin_object(json, KEYS[q]);
            gr_table_json_row(&errors, row++, json);
            gr_json_end(json);
        }
    }
    gr_json_end(json);
    gr_json_begin_object(json, "range");
    range_parts(&r->known.spread.range, parts);
    for (int i = 0; i < PARTS; i++) {
        const double scale = strcmp(parts[i].key, "slip_angle_deg") == 0 ? parts[i].scale : 1;
        const double ends[2] = {scale * parts[i].range[0], scale * parts[i].range[1]};
        gr_json_numbers(json, parts[i].key, ends, 2);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "groups");
    for (int g = 0; g < r->known.group_count; g++) {
        gr_json_begin_object(json, NULL);
        gr_table_json_row(&groups, g, json);
        gr_json_bool(json, "extrapolated", r->known.groups[g].extrapolated);
        gr_json_end(json);
    }
    gr_table_free(&errors);
    gr_table_free(&groups);
    gr_json_end(json);
    gr_json_end(json);
}

void gr_fit_known_page(const GrFitReport *r, GrPage *page)
{
    char text[400];
    if (r->used == 0) {
        return; // no wheel was measured
    }
    GrTable errors = errors_of(r), groups = groups_of(r);
    page->place = GR_PLACE_PAGE;
    gr_page_section(page, "How well the soil is known");
    page->place = GR_PLACE_BOTH;
    gr_page_table(page, &errors);
    range_text(r, text, sizeof text);
    gr_page_text(page, "range of the data: %s", text);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        if (r->known.assumed[q] && is_measured(r, q)) {
            gr_page_text(page, "too few groups to leave out with %s: the discrepancy is that of other fits", LABELS[q]);
        }
    }
    gr_page_table(page, &groups);
}

// ---- what the soil says of itself: the source of its numbers, the range of its data, its title

/// "0.05", or "0.05 to 0.11".
static void span_text(const double range[2], char *out, size_t size)
{
    const int used = snprintf(out, size, "%g", range[0]);
    if (range[1] > range[0]) {
        snprintf(out + used, size - (size_t)used, " to %g", range[1]);
    }
}

GrSoilSource *gr_fit_replace_sources(GrSoilSources *sources, bool (*is_free)(const void *context, const char *name),
                                     const void *context)
{
    for (int i = 0; i < sources->count; i++) {
        GrSoilSource *s = &sources->items[i];
        int kept = 0;
        for (int j = 0; j < s->of_count; j++) {
            if (!is_free(context, s->of[j])) {
                memmove(s->of[kept++], s->of[j], sizeof s->of[0]);
            }
        }
        if (kept == 0 && s->of_count > 0) {
            memmove(s, s + 1, (size_t)(sources->count - i - 1) * sizeof *s);
            sources->count--;
            i--;
        } else {
            s->of_count = kept;
        }
    }
    sources->count -= sources->count == GR_SOIL_SOURCES;
    GrSoilSource *own = &sources->items[sources->count++];
    *own = (GrSoilSource){.confidence = GR_DERIVED};
    return own;
}

/// K means K_x and K_y at once.
static bool is_free(const void *context, const char *name)
{
    GrFitReport *report = (GrFitReport *)(uintptr_t)context;
    const bool both = gr_fit_find_free(&report->def, "K") != NULL && strncmp(name, "K_", 2) == 0 && name[3] == '\0';
    return both || gr_fit_find_free(&report->def, name) != NULL;
}

/// Records in the fitted soil that each free parameter was fitted, in place of its former source.
static void note_fit(GrFitReport *report)
{
    GrSoilSource *s = gr_fit_replace_sources(&report->sources, is_free, report);
    char radius[64], width[64];
    span_text(report->known.spread.range.radius, radius, sizeof radius);
    span_text(report->known.spread.range.width, width, sizeof width);
    if (report->data_path == NULL) {
        snprintf(s->text, sizeof s->text,
                 "Fitted by grouser fit soil to presses of %.200s (%s loss); see the command's own output for "
                 "confidence intervals and errors.",
                 report->plates_path, gr_fit_loss_names[report->def.loss]);
    } else {
        snprintf(s->text, sizeof s->text,
                 "Fitted by grouser fit soil to %d points of %.200s (wheel r = %s m, b = %s m; %s loss); see the "
                 "command's own output for confidence intervals and errors.",
                 report->used, report->data_path, radius, width, gr_fit_loss_names[report->def.loss]);
    }
    snprintf(report->known.spread.source, sizeof report->known.spread.source,
             "grouser fit soil, %d points of %.200s: covariance, residuals, and groups predicted by fits without them",
             report->used, report->data_path != NULL ? report->data_path : report->plates_path);
    for (int i = 0; i < report->def.param_count; i++) {
        const GrFitParam *p = &report->def.params[i];
        const char *const both[] = {"K_x", "K_y"};
        for (int k = 0; k < p->offset_count && s->of_count < GR_SOIL_SOURCE_NAMES; k++) {
            const char *name = p->offset_count == 2 ? both[k] : p->name;
            if (gr_soil_param_find(name) >= 0) {
                gr_text_copy(s->of[s->of_count++], sizeof s->of[0], name);
            }
        }
    }
}

/// Range of slips that were fitted: use outside is a counted warning later.
static void note_range(GrFitReport *report)
{
    GrSoilDef *soil = &report->result.soil;
    double lowest = 1, highest = -1;
    for (int i = 0; i < report->data.count; i++) {
        if (report->role[i] == GR_FIT_USED) {
            lowest = fmin(lowest, report->data.items[i].value[GR_SLIP]);
            highest = fmax(highest, report->data.items[i].value[GR_SLIP]);
        }
    }
    if (report->used > 0) {
        soil->slip_min = floor(100 * lowest) / 100;
        soil->slip_max = ceil(100 * highest) / 100;
    }
    soil->name[0] = '\0'; // the name follows from its file
    snprintf(soil->title, sizeof soil->title, "Fitted to %.200s",
             report->data_path != NULL ? report->data_path : report->plates_path);
}

void gr_fit_note(GrFitReport *report)
{
    note_fit(report);
    note_range(report);
}

GrStatus gr_fit_presses_load(const char *path, bool sized, GrColumnMap map, GrFitReport *report, GrErrorLog *log)
{
    const GrSoilWheelDef *wheel = &report->def.rig.wheel;
    const GrPressBody size = {.kind = sized ? GR_PRESS_WHEEL : GR_PRESS_CIRCLE,
                              .radius = wheel->radius,
                              .width = wheel->width,
                              .grouser_count = wheel->grouser_count,
                              .grouser_height = wheel->grouser_height,
                              .grouser_thickness = wheel->grouser_thickness};
    const GrStatus status = gr_press_data_load(path, &size, map, &report->presses, log);
    if (status != GR_OK) {
        return status;
    }
    report->plates_path = path;
    report->press_role = gr_calloc((size_t)report->presses.count + 1, 1); // GR_FIT_USED is 0
    if (report->press_role == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    report->def.presses = &report->presses;
    report->def.press_role = report->press_role;
    return GR_OK;
}

bool gr_fit_presses_hold(const char *text, GrFitReport *report, GrStatus *status, GrErrorLog *log)
{
    const char *const names[] = {"body=", "box=", "trial="};
    int which = -1;
    for (int k = 0; k < 3; k++) {
        which = strncmp(text, names[k], strlen(names[k])) == 0 ? k : which;
    }
    if (which < 0) {
        return false;
    }
    *status = GR_OK;
    for (const char *at = text + strlen(names[which]); *at != '\0';) {
        const size_t length = strcspn(at, ",");
        int found = 0;
        for (int i = 0; i < report->presses.count; i++) {
            const GrPress *p = &report->presses.items[i];
            const char *value = which == 0 ? p->name : which == 1 ? p->box : p->trial;
            if (strlen(value) == length && strncmp(value, at, length) == 0) {
                report->press_role[i] = GR_FIT_HELD;
                found++;
            }
        }
        if (found == 0) {
            *status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--hold-out"}, "no press has %s%.*s",
                                   names[which], (int)length, at);
        }
        at += length + (at[length] == ',');
    }
    return true;
}

GrStatus gr_fit_presses_choose(GrFitReport *report, GrErrorLog *log)
{
    const GrStatus status = gr_press_form_choose(&report->def, report->forms, &report->form, log);
    report->chosen = status == GR_OK;
    return status == GR_OK ? gr_press_form_use(&gr_press_forms[report->form], &report->def, log) : status;
}

GrStatus gr_fit_presses_score(GrFitReport *report, GrErrorLog *log)
{
    const double gravity = report->def.rig.wheel.gravity;
    const GrSoilDef *soil = &report->result.soil;
    if (report->plates_path == NULL) {
        return GR_OK;
    }
    if (report->chosen) {
        gr_press_form_spread(&report->def, &report->result, &report->forms[report->form], &report->known.spread);
    }
    GrStatus status =
        gr_press_score(&report->presses, report->press_role, GR_FIT_USED, soil, gravity, &report->press_fit, log);
    return status == GR_OK ? gr_press_score(&report->presses, report->press_role, GR_FIT_HELD, soil, gravity,
                                            &report->press_held, log)
                           : status;
}

static void write_score(GrJson *json, const char *key, const GrPressScore *s)
{
    gr_json_begin_object(json, key);
    gr_json_number(json, "error_median", s->median);
    gr_json_number(json, "error_90", s->most);
    gr_json_number(json, "bias", exp(s->bias) - 1);
    gr_json_number(json, "rms_log", s->rms);
    gr_json_integer(json, "forces", s->count);
    gr_json_end(json);
}

void gr_fit_presses_json(const GrFitReport *r, GrJson *json)
{
    if (r->plates_path == NULL) {
        return;
    }
    gr_json_begin_object(json, "presses");
    gr_json_string(json, "file", r->plates_path);
    gr_json_integer(json, "presses", r->presses.count);
    if (r->chosen) {
        gr_json_string(json, "form", gr_press_forms[r->form].name);
        gr_json_number(json, "spread", r->forms[r->form].spread);
        gr_json_begin_array(json, "forms");
        for (int k = 0; k < GR_PRESS_FORMS; k++) {
            gr_json_begin_object(json, NULL);
            gr_json_string(json, "name", gr_press_forms[k].name);
            for (int i = 0; gr_press_forms[k].free[i] != NULL; i++) {
                gr_json_number(json, gr_press_forms[k].free[i], r->forms[k].value[i]);
            }
            write_score(json, "fitted", &r->forms[k].fit);
            write_score(json, "other_sizes", &r->forms[k].crossed);
            gr_json_end(json);
        }
        gr_json_end(json);
    }
    write_score(json, "fitted", &r->press_fit);
    write_score(json, "held_back", &r->press_held);
    gr_json_end(json);
}

static void put_forms(const GrFitReport *r, GrPage *page)
{
    GrTable table = {0};
    gr_table_heads(&table, "pressure|parameters|>fitted: rms of ln F|>other sizes: rms of ln F|>median [%]");
    for (int k = 0; k < GR_PRESS_FORMS; k++) {
        const GrPressForm *form = &gr_press_forms[k];
        GrBuffer values = {0};
        for (int i = 0; form->free[i] != NULL; i++) {
            gr_buffer_printf(&values, "%s%s %s", i > 0 ? ", " : "", form->free[i],
                             gr_show(r->forms[k].value[i], 4, "").text);
        }
        gr_table_printf(&table, "%s%s", form->name, k == r->form ? " (chosen)" : "");
        gr_table_text(&table, values.data != NULL ? values.data : "");
        gr_table_number(&table, r->forms[k].fit.rms, 3);
        gr_table_number(&table, r->forms[k].crossed.rms, 3);
        gr_table_number(&table, 100 * r->forms[k].crossed.median, 3);
        gr_buffer_free(&values);
    }
    gr_page_table(page, &table);
    const double band = exp(GR_PRESS_BAND * r->forms[r->form].spread);
    gr_page_text(
        page,
        "90 %% band of a size that was not fitted: %.0f to %+.0f %%; the soil file has it, and grouser plate draws it",
        100 * (1 / band - 1), 100 * (band - 1));
}

void gr_fit_presses_page(const GrFitReport *r, GrPage *page)
{
    GrTable table = {0};
    if (r->plates_path == NULL) {
        return;
    }
    page->place = GR_PLACE_PAGE;
    gr_page_section(page, "Force of presses");
    page->place = GR_PLACE_BOTH;
    if (r->chosen) {
        put_forms(r, page);
    }
    gr_table_heads(&table, "force of presses|>median error [%]|>90 % below [%]|>bias [%]|>forces");
    for (int k = 0; k < 2; k++) {
        const GrPressScore *s = k == 0 ? &r->press_fit : &r->press_held;
        const double values[] = {100 * s->median, 100 * s->most, 100 * (exp(s->bias) - 1)};
        if (s->count > 0) {
            gr_table_text(&table, k == 0 ? "fitted" : "held back");
            for (int i = 0; i < 3; i++) {
                gr_table_number(&table, values[i], 3);
            }
            gr_table_printf(&table, "%d", s->count);
        }
    }
    gr_page_table(page, &table);
}
