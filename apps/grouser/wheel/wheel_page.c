/// grouser wheel --html: plots of a study, its towed and self-propelled points, its misfit and warnings on one page.
#include "alloc.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "trust_page.h"
#include "wheel_study.h"

#include <math.h>
#include <string.h>

enum { PANELS = 4, SERIES_MAX = 64 };

static const struct PanelKind {
    const char *title, *label;
    GrQuantity quantity;
    double scale;
} panel_kinds[PANELS] = {
    {"Drawbar pull", "f_x [N]", GR_FX, 1},
    {"Side force", "f_y [N]", GR_FY, 1},
    {"Torque", "T [N m]", GR_TORQUE, 1},
    {"Sinkage", "h [mm]", GR_SINKAGE, 1000},
};

/// The series of one panel and the numbers that they point to.
typedef struct Panel {
    GrSeries series[SERIES_MAX];
    char names[SERIES_MAX][GR_WHEEL_LABEL + 40];
    double *values;
    int count;
    size_t used;
} Panel;

static void name_series(const GrWheelStudy *study, const char *label, int angle, char *out, size_t size)
{
    char degrees[GR_NUMBER_SIZE];
    gr_number_round(study->angles[angle] / GR_DEGREE, 4, degrees);
    if (study->angle_count == 1) {
        snprintf(out, size, "%s", label);
    } else if (study->run_count == 1 && strcmp(label, "measured") != 0) {
        snprintf(out, size, "β = %s°", degrees);
    } else {
        snprintf(out, size, "%s, β = %s°", label, degrees);
    }
}

static void add_run_series(const GrWheelStudy *study, int run, const struct PanelKind *kind, Panel *panel)
{
    for (int a = 0; a < study->angle_count && panel->count < SERIES_MAX; a++) {
        const GrWheelRun *r = &study->runs[run];
        const GrRigPoint *const from[] = {r->points, r->low, r->high};
        double *const y = panel->values + panel->used, *const lower = y + study->slip_count,
                      *const upper = lower + study->slip_count;
        double *const to[] = {y, lower, upper};
        const bool banded = r->low != NULL && study->slip_count > 1;
        for (int j = 0; j < study->slip_count; j++) {
            for (int k = 0; k < (banded ? 3 : 1); k++) {
                to[k][j] = kind->scale * gr_quantity_of(&from[k][a * study->slip_count + j], kind->quantity);
            }
        }
        panel->used += (size_t)study->slip_count * (banded ? 3 : 1);
        char *name = panel->names[panel->count];
        name_series(study, study->runs[run].label, a, name, sizeof panel->names[0]);
        panel->series[panel->count++] = (GrSeries){.name = name,
                                                   .kind = study->slip_count > 1 ? GR_SERIES_LINE : GR_SERIES_POINTS,
                                                   .x = study->slips,
                                                   .y = y,
                                                   .count = study->slip_count,
                                                   .lower = banded ? lower : NULL,
                                                   .upper = banded ? upper : NULL,
                                                   .color = 1 + run * study->angle_count + a};
    }
}

/// Measured points within half a degree of each slip angle, in the colour of the first run at that angle.
static void add_data_series(const GrWheelStudy *study, const struct PanelKind *kind, Panel *panel)
{
    const bool share = study->run_count == 1;
    for (int a = 0; a < study->angle_count && panel->count < SERIES_MAX; a++) {
        double *x = panel->values + panel->used, *y = x + study->data.count;
        int n = 0;
        for (int i = 0; i < study->data.count; i++) {
            const double *v = study->data.items[i].value;
            if (fabs(v[GR_SLIP_ANGLE] - study->angles[a]) / GR_DEGREE <= 0.5 && isfinite(v[kind->quantity])) {
                x[n] = v[GR_SLIP];
                y[n++] = kind->scale * v[kind->quantity];
            }
        }
        if (n == 0) {
            continue;
        }
        panel->used += 2 * (size_t)study->data.count;
        char *name = panel->names[panel->count];
        name_series(study, "measured", a, name, sizeof panel->names[0]);
        const bool listed = !share || study->angle_count == 1;
        const int color = share ? 1 + a : 7;
        panel->series[panel->count++] = (GrSeries){
            .name = listed ? name : NULL, .kind = GR_SERIES_POINTS, .x = x, .y = y, .count = n, .color = color};
    }
}

static void add_plot(const GrWheelStudy *study, GrBuffer *page)
{
    static Panel panels[PANELS];
    GrPanel shown[PANELS];
    int count = 0;
    const size_t room = (size_t)study->angle_count *
                        (3 * (size_t)study->run_count * (size_t)study->slip_count + 2 * (size_t)study->data.count);
    bool turned = false;
    for (int a = 0; a < study->angle_count; a++) {
        turned = turned || study->angles[a] != 0;
    }
    for (int k = 0; k < PANELS; k++) {
        const struct PanelKind *kind = &panel_kinds[k];
        Panel *panel = &panels[k];
        *panel = (Panel){.values = gr_malloc((room + 1) * sizeof *panel->values)};
        if (panel->values == NULL) {
            page->failed = true;
            continue;
        }
        for (int run = 0; run < study->run_count; run++) {
            add_run_series(study, run, kind, panel);
        }
        add_data_series(study, kind, panel);
        if (kind->quantity != GR_FY || turned) {
            shown[count++] = (GrPanel){.title = kind->title,
                                       .x_label = "slip",
                                       .y_label = kind->label,
                                       .series = panel->series,
                                       .series_count = panel->count,
                                       .zero_line = true};
        }
    }
    const GrPlot plot = {.panels = shown, .panel_count = count, .columns = 2, .panel_width = 590, .panel_height = 380};
    GrBuffer svg = {0};
    if (gr_plot_write(&plot, &svg) == GR_OK) {
        gr_page_svg(page, svg.data,
                    study->data_path != NULL
                        ? "Lines: the law. Points: measured. f_y is positive against the side slip."
                    : turned ? "f_y is positive against the side slip; T is the torque of the motor."
                             : "T is the torque of the motor.");
    }
    page->failed = page->failed || svg.failed;
    gr_buffer_free(&svg);
    for (int k = 0; k < PANELS; k++) {
        gr_free(panels[k].values);
    }
}

static const char *number(double value, int digits, char out[GR_NUMBER_SIZE])
{
    if (!isfinite(value)) {
        return "–";
    }
    gr_number_round(fabs(value) < 1e-9 ? 0 : value, digits, out);
    return out;
}

static void add_feature_row(GrBuffer *page, const char *label, const char *name, double angle, const GrRigPoint *p)
{
    char text[6][GR_NUMBER_SIZE];
    if (p->status != GR_OK) {
        const char *cells[] = {label, name, number(angle / GR_DEGREE, 4, text[0]), "none", "", "", "", ""};
        gr_page_row(page, cells, 8, 0xfcu);
        return;
    }
    const char *cells[] = {label,
                           name,
                           number(angle / GR_DEGREE, 4, text[0]),
                           number(p->slip, 4, text[1]),
                           number(p->f_x, 4, text[2]),
                           number(p->torque, 4, text[3]),
                           number(1000 * p->sinkage, 4, text[4]),
                           number(p->efficiency, 3, text[5])};
    gr_page_row(page, cells, 8, 0xfcu);
}

static void add_features(const GrWheelStudy *study, GrBuffer *page)
{
    static const char *const heads[] = {"",        "point",   "β [°]",        "slip",
                                        "f_x [N]", "T [N m]", "sinkage [mm]", "efficiency"};
    gr_page_section(page, "Points of interest");
    gr_page_begin_table(page, heads, 8, 0xfcu);
    for (int i = 0; i < study->run_count; i++) {
        for (int a = 0; a < study->angle_count; a++) {
            const GrRigFeatures *f = &study->runs[i].features[a];
            const char *label = study->runs[i].label;
            add_feature_row(page, label, "towed (T = 0)", study->angles[a], &f->towed);
            add_feature_row(page, label, "self-propelled (f_x = 0)", study->angles[a], &f->self_propelled);
            add_feature_row(page, label, "largest drawbar pull", study->angles[a], &f->strongest);
            add_feature_row(page, label, "best efficiency", study->angles[a], &f->best);
        }
    }
    gr_page_end_table(page);
}

static void add_misfit(const GrWheelStudy *study, GrBuffer *page)
{
    static const char *const heads[] = {"", "f_x [N]", "f_y [N]", "T [N m]", "sinkage [mm]", "points"};
    gr_page_section(page, "Difference from the measured data, root mean square");
    gr_page_begin_table(page, heads, 6, 0x3eu);
    for (int i = 0; i < study->run_count; i++) {
        const GrWheelMisfit *m = &study->runs[i].misfit;
        char text[5][GR_NUMBER_SIZE];
        const char *cells[] = {study->runs[i].label,
                               number(m->rms[GR_FX], 3, text[0]),
                               number(m->rms[GR_FY], 3, text[1]),
                               number(m->rms[GR_TORQUE], 3, text[2]),
                               number(1000 * m->rms[GR_SINKAGE], 3, text[3]),
                               number(m->count[GR_FX] > 0 ? m->count[GR_FX] : m->count[GR_SINKAGE], 6, text[4])};
        gr_page_row(page, cells, 6, 0x3eu);
    }
    gr_page_end_table(page);
    gr_page_paragraph(page, "Each measured point is computed at its own slip and slip angle, and at its own load where "
                            "that was measured. The lines of the plot are at one load.");
}

static void add_warnings(const GrWheelStudy *study, GrBuffer *page)
{
    const int total = study->angle_count * study->slip_count;
    bool begun = false;
    for (int i = 0; i < study->run_count; i++) {
        const GrWheelRun *run = &study->runs[i];
        for (int k = -1; k < GR_FLAG_COUNT; k++) {
            const int count = k < 0 ? run->missing : run->flag_counts[k];
            char text[400];
            if (count == 0) {
                continue;
            }
            if (!begun) {
                gr_page_section(page, "Warnings");
                begun = true;
            }
            snprintf(text, sizeof text, "%s: %d of %d points: %s.", run->label, count, total,
                     k < 0 ? "no equilibrium" : gr_soil_flag_text(1 << k));
            gr_page_paragraph(page, text);
        }
    }
}

/// What the bands of a run are made from; a run like the one before says nothing.
static void add_origin(const GrWheelStudy *study, int run, GrBuffer *page)
{
    const GrSpreadKind kind = study->runs[run].spread.kind;
    char text[400], line[500];
    gr_wheel_say_range(study, run, text, sizeof text);
    if (study->sample_count == 0 || (run > 0 && text[0] == '\0' && kind == study->runs[run - 1].spread.kind)) {
        return;
    }
    snprintf(line, sizeof line, "Bands contain 90 %% of %d samples of the soil, spread: %s%s%s.", study->sample_count,
             gr_spread_kind_names[kind], text[0] != '\0' ? "; " : "", text);
    gr_page_paragraph(page, line);
}

/// The answers in words, with their bands.
static void add_answers(const GrWheelStudy *study, GrBuffer *page)
{
    char text[400], more[GR_WHEEL_LABEL * 2 + 200], line[GR_WHEEL_LABEL * 3 + 620];
    for (int i = 0; i < study->run_count; i++) {
        for (int a = 0; a < study->angle_count; a++) {
            gr_wheel_answer(study, i, a, text, sizeof text);
            more[0] = '\0';
            if (i > 0) {
                gr_wheel_say_difference(study, i, a, more, sizeof more);
            }
            snprintf(line, sizeof line, "%s: %s.%s%s%s", study->runs[i].label, text, more[0] != '\0' ? " " : "", more,
                     more[0] != '\0' ? "." : "");
            if (text[0] != '\0') {
                gr_page_paragraph(page, line);
            }
        }
        add_origin(study, i, page);
    }
}

void gr_wheel_page(const GrWheelStudy *study, GrBuffer *page)
{
    char text[400], title[400];
    const GrRigDef *def = &study->runs[0].rig.def;
    gr_wheel_describe(def, text, sizeof text);
    if (study->run_count > 1) {
        snprintf(title, sizeof title, "Wheel on soil: a comparison");
    } else {
        snprintf(title, sizeof title, "Wheel on %s, %s", def->soil.name, gr_soil_law_name(def->soil.law));
    }
    gr_page_begin(page, title, text);
    add_answers(study, page);
    for (int i = 0; i < study->run_count; i++) {
        gr_trust_page(page, study->run_count > 1 ? study->runs[i].label : NULL, &study->runs[i].trust);
    }
    add_plot(study, page);
    add_features(study, page);
    if (study->data_path != NULL) {
        add_misfit(study, page);
    }
    add_warnings(study, page);
    gr_page_end(page);
}
