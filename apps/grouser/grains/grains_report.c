#include "grains_report.h"

#include "alloc.h"
#include "number.h"
#include "plot.h"
#include "table.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVE = 24 }; ///< points of a curve in files: means over equal parts of the travel

typedef struct CurvePoint {
    double travel, sinkage;
    GrVec3 force, moment;
} CurvePoint;

static int curve_of(const GrGrainsCase *c, CurvePoint out[CURVE])
{
    const int count = c->sample_count < CURVE ? c->sample_count : CURVE;
    for (int k = 0; k < count; k++) {
        const int first = c->sample_count * k / count, end = c->sample_count * (k + 1) / count;
        CurvePoint p = {0};
        for (int i = first; i < end; i++) {
            const GrBinRigSample *s = &c->samples[i];
            const double each = 1.0 / (end - first);
            p.travel += each * s->travel;
            p.sinkage += each * s->sinkage;
            p.force = gr_madd(p.force, each, s->force);
            p.moment = gr_madd(p.moment, each, s->moment);
        }
        out[k] = p;
    }
    return count;
}

/// Cohesion and friction angle of the line through the largest shear stresses; NAN for less than two pressures.
static void shear_line(const GrGrainsStudy *study, double *cohesion, double *angle)
{
    double n = study->count, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < study->count; k++) {
        const GrBinRigAnswer *a = &study->cases[k].answer;
        sx += a->pressure, sy += a->shear, sxx += a->pressure * a->pressure, sxy += a->pressure * a->shear;
    }
    const double den = n * sxx - sx * sx, slope = (n * sxy - sx * sy) / den;
    const bool line = study->count > 1 && den > 0;
    *cohesion = line ? (sy - slope * sx) / n : (double)NAN;
    *angle = line ? gr_atan(slope) : (double)NAN;
}

/// Of a plate or cone at the end: as far as it was pushed, or as its load went.
static double depth_of(const GrGrainsCase *c)
{
    return c->def.load > 0 ? c->answer.sinkage : c->def.travel;
}

static void answer_of(const GrGrainsStudy *study, char *out, size_t size)
{
    const GrGrainsCase *c = &study->cases[study->count - 1];
    double cohesion, angle;
    if (study->kind == GR_BIN_RIG_WHEEL) {
        int best = 0;
        for (int k = 1; k < study->count; k++) {
            best = study->cases[k].answer.pull > study->cases[best].answer.pull ? k : best;
        }
        c = &study->cases[best];
        snprintf(out, size, "pulls %.3g ± %.2g N (%.3g of its load) at slip %.3g %%, sinks %.1f mm, torque %.3g N m",
                 c->answer.pull, c->answer.pull_error, c->answer.pull / c->def.load, 100 * c->def.slip,
                 1000 * c->answer.sinkage, c->answer.torque);
    } else if (study->kind == GR_BIN_RIG_SHEAR) {
        shear_line(study, &cohesion, &angle);
        if (isnan(angle)) {
            snprintf(out, size, "shear stress %.3g Pa under %.3g Pa", c->answer.shear, c->answer.pressure);
        } else {
            snprintf(out, size, "friction angle %.1f degrees, cohesion %.3g Pa, over %d pressures", angle * 180 / GR_PI,
                     cohesion, study->count);
        }
    } else {
        snprintf(out, size, "%s of %.4g mm%s: %.4g kPa at %.4g mm", gr_bin_rig_name(study->kind),
                 1000 * c->def.diameter, c->def.shape.hash != 0 ? " (a mesh; circle of its plan)" : "",
                 1e-3 * c->answer.pressure, 1000 * depth_of(c));
    }
}

GrTable gr_grains_table(const GrGrainsStudy *study)
{
    GrTable table = {0};
    const GrColumn press[] = {{"diameter_m", "diameter [mm]", 1000, 0},
                              {"depth_m", "depth [mm]", 1000, 0},
                              {"pressure_Pa", "pressure [kPa]", 1e-3, 0},
                              {"force_N", "force [N]", 1, 0}};
    const GrColumn shear[] = {{"normal_stress_Pa", "pressure [kPa]", 1e-3, 0},
                              {"sinkage_m", "sinkage [mm]", 1000, 0},
                              {"shear_stress_Pa", "largest shear stress [kPa]", 1e-3, 0},
                              {"torque_Nm", "torque [N m]", 1, 0}};
    const GrColumn wheel[] = {{"slip", "slip [%]", 100, 0},
                              {"slip_angle_deg", "slip angle [°]", 1, 0},
                              {"sinkage_m", "sinkage [mm]", 1000, 0},
                              {"fx_N", "pull [N]", 1, 0},
                              {"fy_N", "side [N]", 1, 0},
                              {"fz_N", "load [N]", 1, 0},
                              {"torque_Nm", "torque [N m]", 1, 0},
                              {"sd_fx_N", "± pull", 1, 2},
                              {"sd_sinkage_m", "± sinkage", 1000, 2},
                              {"sd_torque_Nm", "± torque", 1, 2},
                              {"ignore_trough_m", "trough [mm]", 1000, 3},
                              {"ignore_crest_m", "crest [mm]", 1000, 3}};
    for (int k = 0; k < study->count; k++) {
        const GrBinRigDef *d = &study->cases[k].def;
        const GrBinRigAnswer *a = &study->cases[k].answer;
        if (study->kind == GR_BIN_RIG_WHEEL) {
            gr_table_columns(&table, wheel, k == 0 ? 12 : 0);
            gr_table_values(&table,
                            (const double[]){d->slip, d->slip_angle * 180 / GR_PI, a->sinkage, a->pull, a->side,
                                             d->load, a->torque, a->pull_error, a->sinkage_error, a->torque_error,
                                             study->cases[k].trace.trough, study->cases[k].trace.crest},
                            12);
        } else if (study->kind == GR_BIN_RIG_SHEAR) {
            gr_table_columns(&table, shear, k == 0 ? 4 : 0);
            gr_table_values(&table, (const double[]){a->pressure, a->sinkage, a->shear, a->torque}, 4);
        } else {
            gr_table_columns(&table, press, k == 0 ? 4 : 0);
            gr_table_values(&table,
                            (const double[]){d->diameter, depth_of(&study->cases[k]), a->pressure,
                                             a->pressure * gr_bin_rig_area(d)},
                            4);
        }
    }
    return table;
}

/// Traces of a wheel as CSV, which `fit trace` reads; cases without one are left out.
static void grains_traces(const GrGrainsStudy *study, GrBuffer *csv)
{
    gr_buffer_puts(csv, "load_N,slip,trough_mm,crest_mm,mean_mm,amplitude_mm\n");
    for (int k = 0; k < study->count; k++) {
        const GrGrainsCase *c = &study->cases[k];
        const GrBinTrace *t = &c->trace;
        if (isfinite(t->mean)) {
            gr_buffer_printf(csv, "%.6g,%.6g,%.4g,%.4g,%.4g,%.4g\n", c->def.load, c->def.slip, 1000 * t->trough,
                             1000 * t->crest, 1000 * t->mean, 1000 * (t->crest - t->trough));
        }
    }
}

void gr_grains_curves(const GrGrainsStudy *study, GrBuffer *csv)
{
    const bool shear = study->kind == GR_BIN_RIG_SHEAR;
    gr_buffer_puts(csv, shear ? "normal_stress_Pa,sinkage_m,displacement_m,shear_stress_Pa,torque_Nm\n"
                              : "body,trial,diameter_m,depth_m,force_N\n");
    for (int k = 0; k < study->count; k++) {
        const GrGrainsCase *c = &study->cases[k];
        const double a = c->def.inner / 2, b = c->def.diameter / 2, arm = 2 * GR_PI / 3 * (b * b * b - a * a * a);
        CurvePoint points[CURVE];
        const int count = curve_of(c, points);
        for (int i = 0; i < count; i++) {
            const CurvePoint *p = &points[i];
            if (shear) {
                gr_buffer_printf(csv, "%.6g,%.6g,%.6g,%.6g,%.6g\n", c->answer.pressure, p->sinkage, p->travel,
                                 -p->moment.z / arm, -p->moment.z);
            } else if (p->force.z > 0) {
                gr_buffer_printf(csv, "%s_%.6gmm,%d,%.6g,%.6g,%.6g\n", gr_bin_rig_name(study->kind),
                                 1000 * c->def.diameter, k + 1, c->def.diameter, p->sinkage, p->force.z);
            }
        }
    }
}

/// The main curve of a case over its travel: pressure [kPa], shear stress [kPa], or pull [N].
static double curve_value(const GrGrainsStudy *study, const GrBinRigDef *d, const CurvePoint *p)
{
    const double a = d->inner / 2, b = d->diameter / 2;
    return study->kind == GR_BIN_RIG_WHEEL   ? p->force.x
           : study->kind == GR_BIN_RIG_SHEAR ? -p->moment.z / (2 * GR_PI / 3 * (b * b * b - a * a * a)) / 1000
                                             : p->force.z / gr_bin_rig_area(d) / 1000;
}

static void add_plots(const GrGrainsStudy *study, GrPage *page)
{
    enum { MOST = 8 };
    static double x[MOST][CURVE], y[MOST][CURVE], z[MOST][CURVE];
    char names[MOST][48];
    GrSeries main[MOST], sink[MOST];
    const int count = study->count < MOST ? study->count : MOST;
    const bool press = study->kind == GR_BIN_RIG_PLATE || study->kind == GR_BIN_RIG_CONE;
    for (int k = 0; k < count; k++) {
        const GrGrainsCase *c = &study->cases[k];
        CurvePoint points[CURVE];
        const int n = curve_of(c, points);
        for (int i = 0; i < n; i++) {
            x[k][i] = 1000 * points[i].travel, y[k][i] = curve_value(study, &c->def, &points[i]),
            z[k][i] = 1000 * points[i].sinkage;
        }
        if (study->kind == GR_BIN_RIG_WHEEL) {
            snprintf(names[k], sizeof names[k], "slip %.3g %%, %.3g°", 100 * c->def.slip,
                     c->def.slip_angle * 180 / GR_PI);
        } else if (study->kind == GR_BIN_RIG_SHEAR) {
            snprintf(names[k], sizeof names[k], "%.4g kPa", 1e-3 * c->answer.pressure);
        } else {
            snprintf(names[k], sizeof names[k], "%.4g mm", 1000 * c->def.diameter);
        }
        main[k] = (GrSeries){.name = names[k], .kind = GR_SERIES_LINE, .x = x[k], .y = y[k], .count = n};
        sink[k] = (GrSeries){.name = names[k], .kind = GR_SERIES_LINE, .x = x[k], .y = z[k], .count = n};
    }
    const GrPanel panels[] = {{.title = press                             ? "pressure over depth"
                                        : study->kind == GR_BIN_RIG_WHEEL ? "pull"
                                                                          : "shear stress",
                               .x_label = press ? "depth [mm]" : "travel [mm]",
                               .y_label = study->kind == GR_BIN_RIG_WHEEL ? "pull [N]"
                                          : press                         ? "pressure [kPa]"
                                                                          : "shear stress [kPa]",
                               .series = main,
                               .series_count = count,
                               .zero_line = true},
                              {.title = "sinkage",
                               .x_label = "travel [mm]",
                               .y_label = "sinkage [mm]",
                               .series = sink,
                               .series_count = count}};
    gr_page_panels(page, panels, press ? 1 : 2, "Means over 24 equal parts of the travel.");
}

static void print_json(const GrGrainsStudy *study, const GrBin *bin, const GrTable *table, const char *answer)
{
    GrJson json = gr_json_to_file(stdout, true);
    double cohesion, angle;
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "answer", answer);
    if (study->kind == GR_BIN_RIG_SHEAR) {
        shear_line(study, &cohesion, &angle);
        gr_json_number(&json, "cohesion_Pa", cohesion);
        gr_json_number(&json, "friction_angle_deg", angle * 180 / GR_PI);
    }
    gr_table_json(table, "points", &json);
    gr_grains_json(bin, &json);
    gr_json_end(&json);
    gr_json_finish(&json);
}

static const char *const TITLES[] = {[GR_BIN_RIG_PLATE] = "Plates in grains",
                                     [GR_BIN_RIG_CONE] = "Cones in grains",
                                     [GR_BIN_RIG_SHEAR] = "Annulus in grains",
                                     [GR_BIN_RIG_WHEEL] = "Wheel in grains"};

GrStatus gr_grains_write(const GrGrainsOptions *o, const GrGrainsStudy *study, const GrBin *bin, GrErrorLog *log)
{
    char answer[240], bed[240];
    GrTable table = gr_grains_table(study);
    GrPage page = {0};
    GrBuffer csv = {0};
    GrStatus status = GR_OK;
    answer_of(study, answer, sizeof answer);
    gr_grains_describe(bin, bed, sizeof bed);
    if (o->csv != NULL) {
        if (study->kind == GR_BIN_RIG_WHEEL) {
            gr_table_csv(&table, &csv);
        } else {
            gr_grains_curves(study, &csv);
        }
        status = gr_report_file(o->csv, &csv, o->json, log);
    }
    if (status == GR_OK && o->trace != NULL) {
        GrBuffer traces = {0};
        grains_traces(study, &traces);
        status = gr_report_file(o->trace, &traces, o->json, log);
        gr_buffer_free(&traces);
    }
    if (o->json) {
        print_json(study, bin, &table, answer);
    }
    gr_page_begin(&page, TITLES[study->kind], bin->def.grains.title);
    gr_page_text(&page, "%s", answer);
    gr_page_text(&page, "%s", bed);
    gr_page_table(&page, &table);
    page.place = GR_PLACE_PAGE;
    add_plots(study, &page);
    gr_page_section(&page, "Bed");
    gr_grains_facts(bin, &page);
    if (!o->json) {
        gr_page_print(&page, stdout);
    }
    if (status == GR_OK && o->html != NULL) {
        status = gr_report_page(o->html, &page, o->json, log);
    }
    gr_page_free(&page);
    return status;
}
