/// grouser wheel in the terminal, as a page, as JSON and as CSV.
#include "alloc.h"
#include "json.h"
#include "number.h"
#include "run_tables.h"
#include "wheel_study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Degrees without the rounding errors of the conversion: 5, not 5.000000000000001.
static double in_degrees(double angle)
{
    return round(1e10 / GR_DEGREE * angle) / 1e10;
}

/// Shows the residue of a search for zero as zero.
static double clean(double value)
{
    return fabs(value) < 1e-9 ? 0 : value;
}

/// Flags as letters for a narrow column.
static const char FLAG_LETTERS[GR_FLAG_COUNT + 1] = "dsleutpab";

static bool is_mobile(const GrWheelStudy *study)
{
    return study->angle_count > 1 || study->angles[0] != 0;
}

static const char *prediction_of(const GrWheelRun *run, const GrRigPoint *point)
{
    return gr_band_word(gr_wheel_outside(run, point));
}

// ---- the points

static void add_columns(const GrWheelStudy *study, bool flexible, GrTable *table)
{
    const bool turned = is_mobile(study);
    const char *band = study->sample_count > 0 ? "90 %" : NULL;
    const GrColumn columns[] = {{"soil", NULL, 0, 0},
                                {"model", NULL, 0, 0},
                                {NULL, turned ? "β [°]" : NULL, 1, 4},
                                {"slip", "slip [%]", 100, 4},
                                {"slip_angle_deg", NULL, 1, 0},
                                {"sinkage_m", "sinkage [mm]", 1000, 4},
                                {NULL, band, 1000, 0},
                                {NULL, flexible ? "deflection [mm]" : NULL, 1000, 4},
                                {"fx_N", "f_x [N]", 1, 4},
                                {NULL, band, 1, 0},
                                {"fy_N", turned ? "f_y [N]" : NULL, 1, 4},
                                {NULL, turned ? band : NULL, 1, 0},
                                {"fz_N", "f_z [N]", 1, 4},
                                {"torque_Nm", "torque [N m]", 1, 4},
                                {"tractive_efficiency", "efficiency", 1, 3},
                                {"theta1_deg", NULL, 1, 0},
                                {"theta_m_deg", NULL, 1, 0},
                                {"theta2_deg", NULL, 1, 0},
                                {"deflection_m", NULL, 1, 0},
                                {"flags", NULL, 1, 0},
                                {NULL, "note", 0, 0}};
    gr_table_columns(table, columns, sizeof columns / sizeof columns[0]);
    for (int f = 0; f < GR_WHEEL_FIGURES; f++) {
        const GrColumn in_files = {gr_wheel_figures[f].key, NULL, 1, 0};
        gr_table_columns(table, &in_files, gr_wheel_has_band(study, f) ? 1 : 0);
    }
}

static void add_note(const GrRigPoint *p, GrTable *table)
{
    char text[GR_FLAG_COUNT + 1];
    int n = 0;
    for (int i = 0; i < GR_FLAG_COUNT; i++) {
        if (p->flags >> i & 1) {
            text[n++] = FLAG_LETTERS[i];
        }
    }
    text[n] = '\0';
    gr_table_text(table, p->status != GR_OK ? "none" : text);
}

static void add_point(const GrWheelStudy *study, const GrWheelRun *run, int index, GrTable *table)
{
    const GrRigPoint *p = &run->points[index], *low = run->low != NULL ? &run->low[index] : p,
                     *high = run->high != NULL ? &run->high[index] : p;
    gr_table_text(table, run->rig.def.soil.name);
    gr_table_text(table, gr_soil_law_name(run->rig.def.soil.law));
    gr_table_values(table, (const double[]){p->slip_angle / GR_DEGREE, p->slip, in_degrees(p->slip_angle), p->sinkage},
                    4);
    gr_table_band(table, low->sinkage, high->sinkage);
    gr_table_values(table, (const double[]){p->deflection, p->f_x}, 2);
    gr_table_band(table, low->f_x, high->f_x);
    gr_table_value(table, p->f_y);
    gr_table_band(table, low->f_y, high->f_y);
    const double rest[] = {p->f_z,
                           p->torque,
                           p->efficiency,
                           p->theta_front / GR_DEGREE,
                           p->theta_peak / GR_DEGREE,
                           p->theta_rear / GR_DEGREE,
                           p->deflection,
                           p->flags};
    gr_table_values(table, rest, sizeof rest / sizeof rest[0]);
    add_note(p, table);
    for (int f = 0; f < GR_WHEEL_FIGURES; f++) {
        if (gr_wheel_has_band(study, f)) {
            gr_table_band(table, clean(gr_wheel_figure(low, f)), clean(gr_wheel_figure(high, f)));
        }
    }
}

/// The points of some runs: for the terminal and all files.
static GrTable table_of(const GrWheelStudy *study, int first, int count)
{
    GrTable table = {0};
    add_columns(study, isfinite(study->runs[first].rig.wheel.wheel.stiffness), &table);
    for (int i = first; i < first + count; i++) {
        for (int k = 0; k < study->angle_count * study->slip_count; k++) {
            add_point(study, &study->runs[i], k, &table);
        }
    }
    return table;
}

void gr_wheel_csv(const GrWheelStudy *study, GrBuffer *csv)
{
    GrTable table = table_of(study, 0, study->run_count);
    gr_table_csv(&table, csv);
    gr_table_free(&table);
}

// ---- the page and the terminal

enum { PANELS = 4, SERIES_MAX = 64 };

static const struct PanelKind {
    const char *title, *label;
    GrQuantity quantity;
    size_t offset; ///< in GrRigPoint
    double scale;
} panel_kinds[PANELS] = {
    {"Drawbar pull", "pull f_x [N]", GR_FX, offsetof(GrRigPoint, f_x), 1},
    {"Side force", "side force f_y [N]", GR_FY, offsetof(GrRigPoint, f_y), 1},
    {"Torque", "torque [N m]", GR_TORQUE, offsetof(GrRigPoint, torque), 1},
    {"Sinkage", "sinkage [mm]", GR_SINKAGE, offsetof(GrRigPoint, sinkage), 1000},
};

/// The series of one panel.
typedef struct Panel {
    GrSeries series[SERIES_MAX];
    char names[SERIES_MAX][GR_WHEEL_LABEL + 40];
    int count;
} Panel;

static const char *name_series(const GrWheelStudy *study, const char *label, int angle, Panel *panel)
{
    char *out = panel->names[panel->count];
    const size_t size = sizeof panel->names[0];
    const GrShown degrees = gr_show(study->angles[angle] / GR_DEGREE, 4, "");
    if (study->angle_count == 1) {
        snprintf(out, size, "%s", label);
    } else if (study->run_count == 1 && strcmp(label, "measured") != 0) {
        snprintf(out, size, "β = %s°", degrees.text);
    } else {
        snprintf(out, size, "%s, β = %s°", label, degrees.text);
    }
    return out;
}

static const double *figure_at(const GrRigPoint *points, size_t offset)
{
    return points != NULL ? (const void *)((const char *)points + offset) : NULL;
}

static void add_runs(const GrWheelStudy *study, const struct PanelKind *kind, Panel *panel)
{
    for (int run = 0; run < study->run_count; run++) {
        const GrWheelRun *r = &study->runs[run];
        const bool banded = r->low != NULL && study->slip_count > 1;
        for (int a = 0; a < study->angle_count && panel->count < SERIES_MAX; a++) {
            const int first = a * study->slip_count;
            const char *name = name_series(study, r->label, a, panel);
            panel->series[panel->count++] =
                (GrSeries){.name = name,
                           .kind = study->slip_count > 1 ? GR_SERIES_LINE : GR_SERIES_POINTS,
                           .x = study->slips,
                           .y = figure_at(r->points + first, kind->offset),
                           .lower = banded ? figure_at(r->low + first, kind->offset) : NULL,
                           .upper = banded ? figure_at(r->high + first, kind->offset) : NULL,
                           .x_scale = 100,
                           .y_stride = sizeof *r->points,
                           .y_scale = kind->scale,
                           .count = study->slip_count,
                           .color = 1 + run * study->angle_count + a};
        }
    }
}

/// Measured points within half a degree of each slip angle, in the colour of the first run at that angle; x and y of
/// each in `room`.
static void add_data(const GrWheelStudy *study, const struct PanelKind *kind, double *room, Panel *panel)
{
    const bool share = study->run_count == 1;
    for (int a = 0; a < study->angle_count && panel->count < SERIES_MAX; a++) {
        double *x = room + 2 * (size_t)a * (size_t)study->data.count, *y = x + study->data.count;
        int n = 0;
        for (int i = 0; i < study->data.count; i++) {
            const double *v = study->data.items[i].value;
            if (fabs(v[GR_SLIP_ANGLE] - study->angles[a]) / GR_DEGREE <= 0.5 && isfinite(v[kind->quantity])) {
                x[n] = v[GR_SLIP];
                y[n++] = v[kind->quantity];
            }
        }
        if (n > 0) {
            const char *name = name_series(study, "measured", a, panel);
            panel->series[panel->count++] = (GrSeries){.name = !share || study->angle_count == 1 ? name : NULL,
                                                       .kind = GR_SERIES_POINTS,
                                                       .x = x,
                                                       .y = y,
                                                       .x_scale = 100,
                                                       .y_scale = kind->scale,
                                                       .count = n,
                                                       .color = share ? 1 + a : 7};
        }
    }
}

static void put_panels(const GrWheelStudy *study, GrPage *page)
{
    static Panel panels[PANELS];
    GrPanel shown[PANELS];
    int count = 0;
    const size_t data = 2 * (size_t)study->angle_count * (size_t)study->data.count;
    double *room = gr_malloc((PANELS * data + 1) * sizeof *room);
    page->failed = page->failed || room == NULL;
    bool turned = false;
    for (int a = 0; a < study->angle_count; a++) {
        turned = turned || study->angles[a] != 0;
    }
    for (int k = 0; k < PANELS && room != NULL; k++) {
        const struct PanelKind *kind = &panel_kinds[k];
        Panel *panel = &panels[k];
        panel->count = 0;
        add_runs(study, kind, panel);
        add_data(study, kind, room + (size_t)k * data, panel);
        if (kind->quantity != GR_FY || turned) {
            shown[count++] = (GrPanel){.title = kind->title,
                                       .x_label = "slip [%]",
                                       .y_label = kind->label,
                                       .series = panel->series,
                                       .series_count = panel->count,
                                       .zero_line = true};
        }
    }
    gr_page_panels(page, shown, count,
                   study->data_path != NULL ? "Lines: the law. Points: measured. f_y is positive against the side slip."
                   : turned                 ? "f_y is positive against the side slip; the torque is that of the motor."
                                            : "The torque is that of the motor.");
    gr_free(room);
}

/// Points of interest of some runs; `label`: with a column for their names.
static void put_features(const GrWheelStudy *study, int first, int count, bool label, GrPage *page)
{
    static const char *const names[] = {"towed (T = 0)", "self-propelled (f_x = 0)", "largest drawbar pull",
                                        "best efficiency"};
    const GrColumn columns[] = {{NULL, label ? "" : NULL, 0, 0},
                                {NULL, label ? "point" : "", 0, 0},
                                {NULL, label || is_mobile(study) ? "β [°]" : NULL, 1, 4},
                                {NULL, "slip [%]", 100, 4},
                                {NULL, "f_x [N]", 1, 4},
                                {NULL, "torque [N m]", 1, 4},
                                {NULL, "sinkage [mm]", 1000, 4},
                                {NULL, "efficiency", 1, 3}};
    GrTable table = {0};
    gr_table_columns(&table, columns, sizeof columns / sizeof columns[0]);
    for (int i = first; i < first + count; i++) {
        for (int a = 0; a < study->angle_count; a++) {
            const GrRigFeatures *f = &study->runs[i].features[a];
            const GrRigPoint *const points[] = {&f->towed, &f->self_propelled, &f->strongest, &f->best};
            for (int k = 0; k < 4; k++) {
                const GrRigPoint *p = points[k];
                gr_table_text(&table, study->runs[i].label);
                gr_table_text(&table, names[k]);
                gr_table_value(&table, clean(study->angles[a] / GR_DEGREE));
                const double values[] = {p->slip, clean(p->f_x), clean(p->torque), p->sinkage, clean(p->efficiency)};
                for (int v = 0; v < 5; v++) {
                    p->status == GR_OK ? gr_table_value(&table, values[v])
                                       : gr_table_text(&table, v == 0 ? "none" : "");
                }
            }
        }
    }
    gr_page_table(page, &table);
}

/// Root mean square differences of some runs from the measured data.
static void put_misfit(const GrWheelStudy *study, int first, int count, GrPage *page)
{
    GrTable table = {0};
    char head[400];
    snprintf(head, sizeof head, "difference from %.200s, root mean square", study->data_path);
    gr_table_column(&table, head, GR_LEFT);
    gr_table_heads(&table, ">f_x [N]|>f_y [N]|>torque [N m]|>sinkage [mm]|>points");
    for (int i = first; i < first + count; i++) {
        const GrWheelMisfit *m = &study->runs[i].misfit;
        const double values[] = {m->rms[GR_FX], m->rms[GR_FY], m->rms[GR_TORQUE], 1000 * m->rms[GR_SINKAGE]};
        gr_table_text(&table, study->runs[i].label);
        for (int k = 0; k < 4; k++) {
            gr_table_number(&table, values[k], 3);
        }
        gr_table_number(&table, m->count[GR_FX] > 0 ? m->count[GR_FX] : m->count[GR_SINKAGE], 9);
    }
    gr_page_table(page, &table);
}

static void put_warnings(const GrWheelStudy *study, int first, int count, GrPage *page)
{
    const int total = study->angle_count * study->slip_count;
    const bool terminal = page->place == GR_PLACE_TERMINAL;
    bool begun = terminal;
    for (int i = first; i < first + count; i++) {
        const GrWheelRun *run = &study->runs[i];
        for (int k = -1; k < GR_FLAG_COUNT; k++) {
            const int points = k < 0 ? run->missing : run->flag_counts[k];
            char letter[8] = "none";
            if (points == 0) {
                continue;
            }
            if (!begun) {
                gr_page_section(page, "Warnings");
                begun = true;
            }
            if (k >= 0) {
                snprintf(letter, sizeof letter, "%c", FLAG_LETTERS[k]);
            }
            gr_page_text(page, "%s: %d of %d points: %s%s%s%s", terminal ? "warning" : run->label, points, total,
                         k < 0 ? "no equilibrium" : gr_soil_flag_text(1 << k), terminal ? " (" : "",
                         terminal ? letter : "", terminal ? ")" : ".");
        }
    }
}

/// What one asks a wheel first, with its band; what the band is made from.
static void put_answers(const GrWheelStudy *study, int run, GrPage *page)
{
    const GrSpreadKind kind = study->runs[run].spread.kind;
    const char *label = study->run_count > 1 ? study->runs[run].label : "";
    char text[400];
    for (int a = 0; a < study->angle_count; a++) {
        gr_wheel_answer(study, run, a, text, sizeof text);
        if (text[0] != '\0') {
            text[0] = label[0] == '\0' && text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
            gr_page_text(page, "%s%s%s.", label, label[0] != '\0' ? ": " : "", text);
        }
    }
    gr_wheel_say_range(study, run, text, sizeof text);
    const bool repeated = run > 0 && text[0] == '\0' && kind == study->runs[run - 1].spread.kind;
    if (study->sample_count > 0 && !repeated) {
        gr_page_text(page, "Bands contain 90 %% of %d samples of the soil, spread: %s%s%s.", study->sample_count,
                     gr_spread_kind_names[kind], text[0] != '\0' ? "; " : "", text);
    }
}

static void put_run(const GrWheelStudy *study, int run, GrPage *page)
{
    const GrRigDef *def = &study->runs[run].rig.def;
    GrTable table = table_of(study, run, 1);
    char text[256];
    gr_wheel_describe(def, text, sizeof text);
    put_answers(study, run, page);
    page->place = GR_PLACE_TERMINAL;
    gr_page_text(page, "%s, %s; %s", def->soil.name, gr_soil_law_name(def->soil.law), text);
    page->place = GR_PLACE_TERMINAL;
    gr_page_table(page, &table);
    put_features(study, run, 1, false, page);
    if (study->data_path != NULL) {
        put_misfit(study, run, 1, page);
    }
    put_warnings(study, run, 1, page);
    gr_trust_page(page, NULL, &study->runs[run].trust);
}

/// Which run is better: first of all.
static void put_comparison(const GrWheelStudy *study, GrPage *page)
{
    GrWheelComparison *compared = study->run_count > 1 ? gr_malloc(sizeof *compared) : NULL;
    char verdict[GR_COMPARED_VERDICT];
    if (study->run_count < 2) {
        return;
    }
    if (compared == NULL || !gr_wheel_compare(study, compared)) {
        page->failed = true;
    } else {
        gr_comparison_verdict(&compared->comparison, verdict, sizeof verdict);
        gr_page_text(page, "%s", verdict);
        gr_comparison_page(&compared->comparison, page);
        gr_free(compared->samples);
    }
    gr_free(compared);
}

void gr_wheel_page(const GrWheelStudy *study, GrPage *page)
{
    const GrRigDef *def = &study->runs[0].rig.def;
    char text[256], title[400] = "Wheel on soil: a comparison";
    gr_wheel_describe(def, text, sizeof text);
    if (study->run_count == 1) {
        snprintf(title, sizeof title, "Wheel on %s, %s", def->soil.name, gr_soil_law_name(def->soil.law));
    }
    gr_page_begin(page, title, text);
    put_comparison(study, page);
    for (int i = 0; i < study->run_count; i++) {
        put_run(study, i, page);
    }
    page->place = GR_PLACE_PAGE;
    for (int i = 0; i < study->run_count; i++) {
        gr_trust_page(page, study->run_count > 1 ? study->runs[i].label : NULL, &study->runs[i].trust);
    }
    put_panels(study, page);
    gr_page_section(page, "Points of interest");
    put_features(study, 0, study->run_count, study->run_count > 1, page);
    if (study->data_path != NULL) {
        gr_page_section(page, "Difference from the measured data");
        put_misfit(study, 0, study->run_count, page);
        gr_page_text(page, "Each measured point is computed at its own slip and slip angle, and at its own load where "
                           "that was measured. The lines of the plot are at one load.");
    }
    put_warnings(study, 0, study->run_count, page);
}

// ---- JSON

static void write_warnings(GrJson *json, const GrRigPoint *p)
{
    gr_json_begin_array(json, "warnings");
    if (p->status != GR_OK) {
        gr_json_string(json, NULL, "no equilibrium");
    }
    for (int i = 0; i < GR_FLAG_COUNT; i++) {
        if (p->flags >> i & 1) {
            gr_json_string(json, NULL, gr_soil_flag_text(1 << i));
        }
    }
    gr_json_end(json);
}

static void write_band(GrJson *json, const char *key, double low, double high)
{
    char name[64];
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, clean(low));
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, clean(high));
}

/// `low`, `high`: the band of the point; NULL: none.
static void write_values(GrJson *json, const GrWheelRun *run, const GrRigPoint *p, const GrRigPoint *low,
                         const GrRigPoint *high)
{
    for (int f = 0; f < GR_WHEEL_FIGURES; f++) {
        gr_json_number(json, gr_wheel_figures[f].key, gr_wheel_figure(p, f));
        const bool moves = low != NULL && (!isnan(gr_wheel_figure(low, f)) || !isnan(gr_wheel_figure(high, f)));
        if (moves) {
            write_band(json, gr_wheel_figures[f].key, gr_wheel_figure(low, f), gr_wheel_figure(high, f));
        }
        if (f == 0) {
            gr_json_number(json, "slip_angle_deg", in_degrees(p->slip_angle));
        }
    }
    if (low != NULL && gr_spread_has_errors(&run->spread) && p->status == GR_OK) {
        gr_json_string(json, "prediction", prediction_of(run, p));
    }
}

static void write_feature(GrJson *json, const char *key, const GrWheelRun *run, const GrRigPoint *p,
                          const GrRigPoint *low, const GrRigPoint *high)
{
    if (p == NULL || p->status != GR_OK) {
        gr_json_null(json, key);
        return;
    }
    gr_json_begin_object(json, key);
    write_values(json, run, p, low, high);
    gr_json_end(json);
}

static void write_misfit(GrJson *json, const GrWheelMisfit *misfit)
{
    static const char *const keys[GR_QUANTITIES] = {NULL, NULL, "sinkage_m", "fx_N", "fy_N", NULL, "torque_Nm"};
    gr_json_begin_object(json, "rms_difference");
    for (int q = 0; q < GR_QUANTITIES; q++) {
        if (keys[q] != NULL && misfit->count[q] > 0) {
            gr_json_number(json, keys[q], misfit->rms[q]);
        }
    }
    gr_json_end(json);
}

static void write_sweeps(GrJson *json, const GrWheelStudy *study)
{
    gr_json_begin_array(json, "sweeps");
    for (int i = 0; i < study->run_count; i++) {
        const GrWheelRun *run = &study->runs[i];
        for (int j = 0; j < study->angle_count; j++) {
            const GrRigFeatures *f = &run->features[j];
            gr_json_begin_object(json, NULL);
            gr_json_string(json, "soil", run->rig.def.soil.name);
            gr_json_string(json, "model", gr_soil_law_name(run->rig.def.soil.law));
            gr_json_number(json, "slip_angle_deg", in_degrees(study->angles[j]));
            const struct {
                const char *key;
                size_t offset;
            } rows[] = {{"towed", offsetof(GrRigFeatures, towed)},
                        {"self_propelled", offsetof(GrRigFeatures, self_propelled)},
                        {"max_drawbar_pull", offsetof(GrRigFeatures, strongest)},
                        {"best_efficiency", offsetof(GrRigFeatures, best)}};
            for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
                const GrRigFeatures *const of[] = {f, run->low != NULL ? &run->features_low[j] : NULL,
                                                   run->low != NULL ? &run->features_high[j] : NULL};
                const GrRigPoint *points[3];
                for (int m = 0; m < 3; m++) {
                    points[m] = of[m] != NULL ? (const void *)((const char *)of[m] + rows[k].offset) : NULL;
                }
                write_feature(json, rows[k].key, run, points[0], points[1], points[2]);
            }
            gr_json_end(json);
        }
    }
    gr_json_end(json);
}

static void write_points(GrJson *json, const GrWheelStudy *study)
{
    GrTable table = table_of(study, 0, study->run_count);
    gr_json_begin_array(json, "points");
    for (int row = 0; row < gr_table_row_count(&table); row++) {
        const int points = study->angle_count * study->slip_count;
        const GrWheelRun *run = &study->runs[row / points];
        const GrRigPoint *p = &run->points[row % points];
        gr_json_begin_object(json, NULL);
        gr_table_json_row(&table, row, json);
        if (run->low != NULL && gr_spread_has_errors(&run->spread) && p->status == GR_OK) {
            gr_json_string(json, "prediction", prediction_of(run, p));
        }
        if (gr_rig_pitch(&run->rig) > 0) {
            gr_json_number(json, "fx_ripple_N", p->ripple);
        }
        if (run->rig.def.dynamic) {
            gr_json_number(json, "distance_to_steady_m", p->distance);
        }
        write_warnings(json, p);
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_table_free(&table);
}

static void write_warning_counts(GrJson *json, const GrWheelStudy *study)
{
    gr_json_begin_object(json, "warnings");
    for (int k = -1; k < GR_FLAG_COUNT; k++) {
        int count = 0;
        for (int i = 0; i < study->run_count; i++) {
            count += k < 0 ? study->runs[i].missing : study->runs[i].flag_counts[k];
        }
        gr_json_integer(json, k < 0 ? "no equilibrium" : gr_soil_flag_text(1 << k), count);
    }
    gr_json_end(json);
}

static void write_comparison(GrJson *json, const GrWheelStudy *study)
{
    GrWheelComparison *compared = study->run_count > 1 ? gr_malloc(sizeof *compared) : NULL;
    if (compared != NULL && gr_wheel_compare(study, compared)) {
        gr_comparison_json(&compared->comparison, json);
        gr_free(compared->samples);
    }
    gr_free(compared);
}

void gr_wheel_json(const GrWheelStudy *study, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    write_comparison(&json, study);
    write_points(&json, study);
    write_sweeps(&json, study);
    if (study->data_path != NULL) {
        gr_json_begin_array(&json, "data");
        for (int i = 0; i < study->run_count; i++) {
            gr_json_begin_object(&json, NULL);
            gr_json_string(&json, "soil", study->runs[i].rig.def.soil.name);
            gr_json_string(&json, "model", gr_soil_law_name(study->runs[i].rig.def.soil.law));
            write_misfit(&json, &study->runs[i].misfit);
            gr_json_end(&json);
        }
        gr_json_end(&json);
    }
    if (study->sample_count > 0) {
        gr_json_integer(&json, "uncertainty_samples", study->sample_count);
        gr_json_begin_array(&json, "spread");
        for (int i = 0; i < study->run_count; i++) {
            gr_json_string(&json, NULL, gr_spread_kind_names[study->runs[i].spread.kind]);
        }
        gr_json_end(&json);
    }
    gr_json_begin_array(&json, "trust");
    for (int i = 0; i < study->run_count; i++) {
        gr_trust_json(&json, NULL, &study->runs[i].trust);
    }
    gr_json_end(&json);
    write_warning_counts(&json, study);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}
