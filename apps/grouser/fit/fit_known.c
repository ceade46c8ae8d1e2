/// How well a fitted soil is known: errors, groups that were predicted unseen, and the range of the data.
#include "fit_report.h"
#include "number.h"
#include "page.h"
#include "soil_param.h"
#include "table.h"

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
    const Part parts[PARTS] = {{"slip", "slip", "", c->slip, 1},
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

static const char *number(double value, char out[GR_NUMBER_SIZE])
{
    gr_number_round(value, 2, out);
    return isfinite(value) ? out : "–";
}

/// "slip -1 .. 0.93; slip angle 0 .. 45°; …"
static void range_text(const GrFitReport *r, char *out, size_t size)
{
    Part parts[PARTS];
    size_t used = 0;
    range_parts(&r->known.spread.range, parts);
    for (int i = 0; i < PARTS; i++) {
        const double low = parts[i].scale * parts[i].range[0], high = parts[i].scale * parts[i].range[1];
        char from[GR_NUMBER_SIZE], to[GR_NUMBER_SIZE];
        gr_number_round(low, 4, from);
        gr_number_round(high, 4, to);
        const int n = snprintf(out + used, size - used, "%s%s %s%s%s%s", i > 0 ? "; " : "", parts[i].name, from,
                               high > low ? " .. " : "", high > low ? to : "", parts[i].unit);
        used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
    }
}

/// "slip angle 15°, 9 points, interpolated"
static void group_text(const GrFitGroup *g, char *out, size_t size)
{
    static const char *const names[GR_GROUP_KINDS] = {"slip angle", "load", "wheel of radius", "slip"};
    static const char *const units[GR_GROUP_KINDS] = {"°", " N", " mm", ""};
    const double scale = g->kind == GR_GROUP_SLIP_ANGLE ? 1 / GR_DEGREE : g->kind == GR_GROUP_WHEEL ? 1000 : 1;
    char low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
    gr_number_round(scale * g->low, 3, low);
    gr_number_round(scale * g->high, 3, high);
    const bool one = strcmp(low, high) == 0;
    snprintf(out, size, "%s %s%s%s%s, %d points, %s", names[g->kind], low, one ? "" : " .. ", one ? "" : high,
             units[g->kind], g->points, g->extrapolated ? "extrapolated" : "interpolated");
}

static void print_errors(const GrFitReport *r, FILE *file)
{
    static const char *const heads[] = {"residual", "repeats", "discrepancy"};
    GrTable table = {.indent = 2};
    gr_table_column(&table, "error of one wheel (standard deviation)", GR_LEFT);
    for (int k = 0; k < 3; k++) {
        gr_table_column(&table, heads[k], GR_RIGHT);
    }
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        const GrSpreadError *e = &r->known.spread.error[q];
        if (is_measured(r, q)) {
            gr_table_text(&table, LABELS[q]);
            gr_table_number(&table, e->residual, 2);
            gr_table_number(&table, e->repeats, 2);
            gr_table_number(&table, e->discrepancy, 2);
        }
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

void gr_fit_known_print(const GrFitReport *r, FILE *file)
{
    char text[400];
    if (r->used == 0) {
        return; // no wheel was measured
    }
    fputs("\n", file);
    print_errors(r, file);
    range_text(r, text, sizeof text);
    fprintf(file, "  range of the data: %s\n", text);
    GrTable table = {.indent = 2};
    gr_table_column(&table, "group predicted by a fit without it (rms)", GR_LEFT);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        if (is_measured(r, q)) {
            gr_table_column(&table, LABELS[q], GR_RIGHT);
        }
    }
    for (int g = 0; g < r->known.group_count; g++) {
        group_text(&r->known.groups[g], text, sizeof text);
        gr_table_text(&table, text);
        for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
            if (is_measured(r, q)) {
                gr_table_number(&table, r->known.groups[g].rms[q], 2);
            }
        }
    }
    if (r->known.group_count > 0) {
        gr_table_print(&table, file);
    } else {
        fputs("  too few points to leave a group out: the discrepancy is not known\n", file);
    }
    gr_table_free(&table);
}

static void write_group(const GrFitReport *r, const GrFitGroup *g, GrJson *json)
{
    const double unit = g->kind == GR_GROUP_SLIP_ANGLE ? GR_DEGREE : 1;
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "kind", gr_group_kind_names[g->kind]);
    gr_json_number(json, "low", g->low / unit);
    gr_json_number(json, "high", g->high / unit);
    gr_json_integer(json, "points", g->points);
    gr_json_integer(json, "no_equilibrium", g->missing);
    gr_json_bool(json, "extrapolated", g->extrapolated);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        if (is_measured(r, q)) {
            gr_json_number(json, KEYS[q], g->rms[q]);
        }
    }
    gr_json_end(json);
}

void gr_fit_known_json(const GrFitReport *r, GrJson *json)
{
    Part parts[PARTS];
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
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        const GrSpreadError *e = &r->known.spread.error[q];
        if (is_measured(r, q)) {
            gr_json_begin_object(json, KEYS[q]);
            gr_json_number(json, "residual", e->residual);
            gr_json_number(json, "repeats", e->repeats);
            gr_json_number(json, "discrepancy", e->discrepancy);
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
        write_group(r, &r->known.groups[g], json);
    }
    gr_json_end(json);
    gr_json_end(json);
}

void gr_fit_known_page(const GrFitReport *r, GrBuffer *page)
{
    static const char *const heads[] = {"error of one wheel (standard deviation)", "residual", "repeats",
                                        "discrepancy"};
    char text[400];
    if (r->used == 0) {
        return;
    }
    gr_page_section(page, "How well the soil is known");
    gr_page_begin_table(page, heads, 4, 0xeu);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        const GrSpreadError *e = &r->known.spread.error[q];
        char numbers[3][GR_NUMBER_SIZE];
        const char *cells[] = {LABELS[q], number(e->residual, numbers[0]), number(e->repeats, numbers[1]),
                               number(e->discrepancy, numbers[2])};
        if (is_measured(r, q)) {
            gr_page_row(page, cells, 4, 0xeu);
        }
    }
    gr_page_end_table(page);
    range_text(r, text, sizeof text);
    gr_page_paragraph(page, text);
    const char *group_heads[GR_SPREAD_QUANTITIES + 1] = {"group predicted by a fit without it (rms)"};
    memcpy(group_heads + 1, LABELS, sizeof LABELS);
    gr_page_begin_table(page, group_heads, GR_SPREAD_QUANTITIES + 1, 0x1eu);
    for (int g = 0; g < r->known.group_count; g++) {
        char numbers[GR_SPREAD_QUANTITIES][GR_NUMBER_SIZE];
        const char *cells[GR_SPREAD_QUANTITIES + 1] = {text};
        group_text(&r->known.groups[g], text, sizeof text);
        for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
            cells[q + 1] = number(r->known.groups[g].rms[q], numbers[q]);
        }
        gr_page_row(page, cells, GR_SPREAD_QUANTITIES + 1, 0x1eu);
    }
    gr_page_end_table(page);
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
