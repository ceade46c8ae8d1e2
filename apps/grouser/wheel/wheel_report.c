/// grouser wheel in the terminal, as JSON and as CSV.
#include "json.h"
#include "number.h"
#include "table.h"
#include "trust_page.h"
#include "wheel_study.h"

#include <math.h>
#include <stdio.h>

/// Degrees without the rounding errors of the conversion: 5, not 5.000000000000001.
static double in_degrees(double angle)
{
    return round(1e10 / GR_DEGREE * angle) / 1e10;
}

/// Flags as letters for a narrow column.
static const char FLAG_LETTERS[GR_FLAG_COUNT + 1] = "dsleutpab";

static bool is_mobile(const GrWheelStudy *study)
{
    return study->angle_count > 1 || study->angles[0] != 0;
}

static void add_flags(GrTable *table, const GrRigPoint *p)
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

/// "3.1 … 4.7"; an end without a value is "none", no band at all is empty, as a single value is.
static void add_band(GrTable *table, double low, double high)
{
    char from[GR_NUMBER_SIZE] = "none", to[GR_NUMBER_SIZE] = "none";
    if ((isnan(low) && isnan(high)) || low == high) {
        gr_table_text(table, "");
        return;
    }
    if (!isnan(low)) {
        gr_number_round(low, 3, from);
    }
    if (!isnan(high)) {
        gr_number_round(high, 3, to);
    }
    gr_table_printf(table, "%s … %s", from, to);
}

static void print_points(const GrWheelStudy *study, const GrWheelRun *run, FILE *file)
{
    GrTable table = {.indent = 2};
    const bool turned = is_mobile(study), flexible = isfinite(run->rig.wheel.wheel.stiffness);
    if (turned) {
        gr_table_column(&table, "β [°]", GR_RIGHT);
    }
    const bool banded = study->sample_count > 0;
    const struct {
        const char *head;
        bool shown;
    } heads[] = {
        {"slip", true},    {"sinkage [mm]", true}, {"90 %", banded},     {"deflection [mm]", flexible},
        {"f_x [N]", true}, {"90 %", banded},       {"f_y [N]", turned},  {"90 %", banded && turned},
        {"f_z [N]", true}, {"torque [N m]", true}, {"efficiency", true},
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        if (heads[i].shown) {
            gr_table_column(&table, heads[i].head, GR_RIGHT);
        }
    }
    gr_table_column(&table, "note", GR_LEFT);
    for (int i = 0; i < study->angle_count * study->slip_count; i++) {
        const GrRigPoint *p = &run->points[i];
        if (turned) {
            gr_table_number(&table, p->slip_angle / GR_DEGREE, 4);
        }
        gr_table_number(&table, p->slip, 4);
        gr_table_number(&table, 1000 * p->sinkage, 5);
        if (banded) {
            add_band(&table, 1000 * run->low[i].sinkage, 1000 * run->high[i].sinkage);
        }
        if (flexible) {
            gr_table_number(&table, 1000 * p->deflection, 5);
        }
        gr_table_number(&table, p->f_x, 5);
        if (banded) {
            add_band(&table, run->low[i].f_x, run->high[i].f_x);
        }
        if (turned) {
            gr_table_number(&table, p->f_y, 5);
        }
        if (turned && banded) {
            add_band(&table, run->low[i].f_y, run->high[i].f_y);
        }
        gr_table_number(&table, p->f_z, 5);
        gr_table_number(&table, p->torque, 5);
        gr_table_number(&table, p->efficiency, 3);
        add_flags(&table, p);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// Shows the residue of a search for zero as zero.
static double clean(double value)
{
    return fabs(value) < 1e-9 ? 0 : value;
}

static void add_feature(GrTable *table, const char *name, double angle, bool turned, const GrRigPoint *p)
{
    gr_table_text(table, name);
    if (turned) {
        gr_table_number(table, angle / GR_DEGREE, 4);
    }
    if (p->status != GR_OK) {
        gr_table_text(table, "none");
        for (int i = 0; i < 4; i++) {
            gr_table_text(table, "");
        }
        return;
    }
    gr_table_number(table, p->slip, 4);
    gr_table_number(table, clean(p->f_x), 5);
    gr_table_number(table, clean(p->torque), 5);
    gr_table_number(table, 1000 * p->sinkage, 5);
    gr_table_number(table, clean(p->efficiency), 3);
}

static void print_features(const GrWheelStudy *study, const GrWheelRun *run, FILE *file)
{
    GrTable table = {.indent = 2};
    const bool turned = is_mobile(study);
    gr_table_column(&table, "", GR_LEFT);
    if (turned) {
        gr_table_column(&table, "β [°]", GR_RIGHT);
    }
    static const char *const heads[] = {"slip", "f_x [N]", "torque [N m]", "sinkage [mm]", "efficiency"};
    for (int i = 0; i < 5; i++) {
        gr_table_column(&table, heads[i], GR_RIGHT);
    }
    for (int i = 0; i < study->angle_count; i++) {
        const GrRigFeatures *f = &run->features[i];
        add_feature(&table, "towed (T = 0)", study->angles[i], turned, &f->towed);
        add_feature(&table, "self-propelled (f_x = 0)", study->angles[i], turned, &f->self_propelled);
        add_feature(&table, "largest drawbar pull", study->angles[i], turned, &f->strongest);
        add_feature(&table, "best efficiency", study->angles[i], turned, &f->best);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

static void print_misfit(const GrWheelStudy *study, const GrWheelRun *run, FILE *file)
{
    if (study->data_path == NULL) {
        return;
    }
    fprintf(file, "\n  difference from %s, root mean square:", study->data_path);
    static const char *const units[GR_QUANTITIES] = {"", "", " mm", " N", " N", " N", " N m"};
    bool first = true;
    for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
        if (run->misfit.count[q] > 0 && q != GR_FZ) {
            char number[GR_NUMBER_SIZE];
            gr_number_round(run->misfit.rms[q] * (q == GR_SINKAGE ? 1000 : 1), 3, number);
            fprintf(file, "%s %s %s%s (%d)", first ? "" : ",", gr_quantity_name((GrQuantity)q), number, units[q],
                    run->misfit.count[q]);
            first = false;
        }
    }
    fputs("\n", file);
}

static void print_warnings(const GrWheelStudy *study, const GrWheelRun *run, FILE *file)
{
    const int total = study->angle_count * study->slip_count;
    if (run->missing > 0) {
        fprintf(file, "  warning: %d of %d points have no equilibrium (none)\n", run->missing, total);
    }
    for (int i = 0; i < GR_FLAG_COUNT; i++) {
        if (run->flag_counts[i] > 0) {
            fprintf(file, "  warning: %d of %d points: %s (%c)\n", run->flag_counts[i], total,
                    gr_soil_flag_text(1 << i), FLAG_LETTERS[i]);
        }
    }
}

/// What one asks a wheel first, with its band; what the band is made from; the difference from the first run.
static void print_answers(const GrWheelStudy *study, int run, FILE *file)
{
    char text[GR_WHEEL_LABEL * 2 + 200];
    for (int a = 0; a < study->angle_count; a++) {
        gr_wheel_answer(study, run, a, text, sizeof text);
        if (text[0] != '\0') {
            fprintf(file, "  %s\n", text);
        }
        if (run > 0) {
            gr_wheel_say_difference(study, run, a, text, sizeof text);
            fprintf(file, "%s%s%s", text[0] != '\0' ? "  " : "", text, text[0] != '\0' ? "\n" : "");
        }
    }
    if (study->sample_count > 0) {
        const GrSoilSpread *spread = &study->runs[run].spread;
        gr_wheel_say_range(study, run, text, sizeof text);
        fprintf(file, "  bands of 90 %% from %d samples of the soil, spread: %s%s%s\n", study->sample_count,
                gr_spread_kind_names[spread->kind], text[0] != '\0' ? "; " : "", text);
    }
    fputs("\n", file);
}

void gr_wheel_print(const GrWheelStudy *study, FILE *file)
{
    for (int i = 0; i < study->run_count; i++) {
        const GrWheelRun *run = &study->runs[i];
        char text[256];
        gr_wheel_describe(&run->rig.def, text, sizeof text);
        fprintf(file, "%s%s, %s; %s\n", i > 0 ? "\n" : "", run->rig.def.soil.name,
                gr_soil_law_name(run->rig.def.soil.law), text);
        print_answers(study, i, file);
        print_points(study, run, file);
        fputs("\n", file);
        print_features(study, run, file);
        print_misfit(study, run, file);
        print_warnings(study, run, file);
        fprintf(file, "\n  trust: %s\n", run->trust.line);
    }
}

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
    if (low != NULL && gr_wheel_has_errors(run) && p->status == GR_OK) {
        gr_json_string(json, "prediction", gr_wheel_is_inside(run, p) ? "interpolated" : "extrapolated");
    }
}

static void write_point(GrJson *json, const GrWheelRun *run, int index)
{
    const GrRigPoint *p = &run->points[index];
    const bool banded = run->low != NULL;
    gr_json_begin_object(json, NULL);
    write_values(json, run, p, banded ? &run->low[index] : NULL, banded ? &run->high[index] : NULL);
    gr_json_number(json, "theta1_deg", p->theta_front / GR_DEGREE);
    gr_json_number(json, "theta_m_deg", p->theta_peak / GR_DEGREE);
    gr_json_number(json, "theta2_deg", p->theta_rear / GR_DEGREE);
    if (gr_rig_pitch(&run->rig) > 0) {
        gr_json_number(json, "fx_ripple_N", p->ripple);
    }
    if (run->rig.def.dynamic) {
        gr_json_number(json, "distance_to_steady_m", p->distance);
    }
    gr_json_string(json, "soil", run->rig.def.soil.name);
    gr_json_string(json, "model", gr_soil_law_name(run->rig.def.soil.law));
    write_warnings(json, p);
    gr_json_end(json);
}

static void write_feature(GrJson *json, const char *key, const GrWheelRun *run, const GrRigPoint *p,
                          const GrRigPoint *low, const GrRigPoint *high)
{
    if (p->status != GR_OK) {
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

/// How much more than the first run it pulls.
static void write_difference(GrJson *json, const GrWheelStudy *study, int run, int angle)
{
    const GrWheelDifference d = gr_wheel_difference(study, run, angle);
    gr_json_number(json, "max_drawbar_pull_more_N", d.value);
    if (study->sample_count > 0) {
        write_band(json, "max_drawbar_pull_more_N", d.band.low, d.band.high);
    }
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
            if (i > 0) {
                write_difference(json, study, i, j);
            }
            gr_json_end(json);
        }
    }
    gr_json_end(json);
}

void gr_wheel_json(const GrWheelStudy *study, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_json_begin_array(&json, "points");
    int counts[GR_FLAG_COUNT] = {0}, missing = 0;
    for (int i = 0; i < study->run_count; i++) {
        for (int j = 0; j < study->angle_count * study->slip_count; j++) {
            write_point(&json, &study->runs[i], j);
        }
        missing += study->runs[i].missing;
        for (int k = 0; k < GR_FLAG_COUNT; k++) {
            counts[k] += study->runs[i].flag_counts[k];
        }
    }
    gr_json_end(&json);
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
    gr_json_begin_object(&json, "warnings");
    gr_json_integer(&json, "no equilibrium", missing);
    for (int k = 0; k < GR_FLAG_COUNT; k++) {
        gr_json_integer(&json, gr_soil_flag_text(1 << k), counts[k]);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

/// Empty where there is no number.
static void put_cell(GrBuffer *csv, double value)
{
    gr_buffer_puts(csv, ",");
    if (isfinite(value)) {
        gr_buffer_number(csv, value);
    }
}

void gr_wheel_csv(const GrWheelStudy *study, GrBuffer *csv)
{
    gr_buffer_puts(csv,
                   "soil,model,slip,slip_angle_deg,sinkage_m,fx_N,fy_N,fz_N,torque_Nm,tractive_efficiency,theta1_deg,"
                   "theta_m_deg,theta2_deg,deflection_m,flags");
    for (int f = 0; f < GR_WHEEL_FIGURES; f++) {
        if (gr_wheel_has_band(study, f)) {
            gr_buffer_printf(csv, ",%s_low,%s_high", gr_wheel_figures[f].key, gr_wheel_figures[f].key);
        }
    }
    gr_buffer_puts(csv, "\n");
    for (int i = 0; i < study->run_count; i++) {
        const GrWheelRun *run = &study->runs[i];
        for (int j = 0; j < study->angle_count * study->slip_count; j++) {
            const GrRigPoint *p = &run->points[j];
            const double cells[] = {p->slip,
                                    in_degrees(p->slip_angle),
                                    p->sinkage,
                                    p->f_x,
                                    p->f_y,
                                    p->f_z,
                                    p->torque,
                                    p->efficiency,
                                    p->theta_front / GR_DEGREE,
                                    p->theta_peak / GR_DEGREE,
                                    p->theta_rear / GR_DEGREE,
                                    p->deflection};
            gr_buffer_printf(csv, "%s,%s", run->rig.def.soil.name, gr_soil_law_name(run->rig.def.soil.law));
            for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
                put_cell(csv, cells[k]);
            }
            gr_buffer_printf(csv, ",%d", p->flags);
            for (int f = 0; f < GR_WHEEL_FIGURES; f++) {
                if (gr_wheel_has_band(study, f)) {
                    put_cell(csv, gr_wheel_figure(&run->low[j], f));
                    put_cell(csv, gr_wheel_figure(&run->high[j], f));
                }
            }
            gr_buffer_puts(csv, "\n");
        }
    }
}
