/// How well a fitted soil is known: errors, groups that were predicted unseen, and the range of the data.
#include "fit_report.h"
#include "number.h"
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
    if (r->known.group_count == 0) {
        gr_page_text(page, "too few points to leave a group out: the discrepancy is not known");
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
