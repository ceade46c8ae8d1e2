#include "drive_study.h"

#include "json.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "progress.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>

static const double DEGREES = 57.29577951308232; // 180 / π
static const double SLOPE_TOLERANCE = 1e-3;      // [rad]

static GrSteadyDriveDef point_of(const GrDriveStudy *study, int i)
{
    GrSteadyDriveDef def = study->def;
    if (study->sweep == GR_SWEEP_SLOPE) {
        def.slope = study->values[i];
    } else {
        def.pull = study->values[i];
    }
    return def;
}

/// Looks between the steepest slope that was driven and the next one, when that was not.
static GrStatus find_steepest(GrDriveStudy *study, GrErrorLog *log)
{
    for (int i = study->count - 1; i >= 0; i--) {
        if (study->results[i].outcome != GR_DRIVE_STEADY || study->values[i] < 0) {
            continue;
        }
        study->steepest = study->values[i];
        if (i + 1 < study->count && study->values[i + 1] > study->values[i]) {
            return gr_steepest_slope(&study->def, study->values[i], study->values[i + 1], SLOPE_TOLERANCE,
                                     &study->steepest, log);
        }
        return GR_OK;
    }
    return GR_OK;
}

GrStatus gr_drive_study_run(GrDriveStudy *study, GrErrorLog *log)
{
    study->results = calloc((size_t)study->count, sizeof *study->results);
    study->steepest = study->largest = (double)NAN;
    if (study->results == NULL) {
        return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "out of memory");
    }
    GrProgress progress = gr_progress_begin(study->sweep == GR_SWEEP_SLOPE ? "gradeability" : "drawbar");
    GrStatus status = GR_OK;
    for (int i = 0; i < study->count && status == GR_OK; i++) {
        const GrSteadyDriveDef def = point_of(study, i);
        status = gr_steady_drive(&def, &study->results[i], log);
        if (study->sweep == GR_SWEEP_PULL && study->results[i].outcome == GR_DRIVE_STEADY) {
            study->largest = isnan(study->largest) ? study->values[i] : fmax(study->largest, study->values[i]);
        }
        gr_progress_update(&progress, i + 1, study->count + 1);
    }
    if (status == GR_OK && study->sweep == GR_SWEEP_SLOPE) {
        status = find_steepest(study, log);
    }
    gr_progress_end(&progress);
    return status;
}

void gr_drive_study_free(GrDriveStudy *study)
{
    free(study->values);
    free(study->results);
    study->values = NULL;
    study->results = NULL;
}

static double shown(const GrDriveStudy *study, int i)
{
    return study->sweep == GR_SWEEP_SLOPE ? DEGREES * study->values[i] : study->values[i];
}

static void describe(const GrDriveStudy *study, char *out, size_t size)
{
    snprintf(out, size, "%s on %s, %.4g m/s², rims at %.4g m/s, step %.4g ms", study->rover, study->soil,
             study->def.gravity, study->def.speed, 1000 * study->def.step);
}

static void summarise(const GrDriveStudy *study, char *out, size_t size)
{
    if (study->sweep == GR_SWEEP_PULL) {
        const double weight = study->mass * study->def.gravity;
        if (isnan(study->largest)) {
            snprintf(out, size, "It moves at none of these pulls.");
        } else {
            snprintf(out, size, "Largest of these pulls that it still tows: %.4g N, %.3g of its weight.",
                     study->largest, study->largest / weight);
        }
    } else if (isnan(study->steepest)) {
        snprintf(out, size, "It climbs none of these slopes.");
    } else {
        const bool all = study->results[study->count - 1].outcome == GR_DRIVE_STEADY;
        snprintf(out, size, "Steepest slope that it climbs: %s%.3g°.", all ? "at least " : "",
                 DEGREES * study->steepest);
    }
}

void gr_drive_print(const GrDriveStudy *study, FILE *file)
{
    char text[400];
    GrTable table = {.indent = 2};
    gr_table_column(&table, study->sweep == GR_SWEEP_SLOPE ? "slope [°]" : "pull [N]", GR_RIGHT);
    const char *const heads[] = {"slip",       "speed [mm/s]", "sinkage [mm]",    "torque, mean [N m]",
                                 "most [N m]", "power [W]",    "load, least [N]", "most [N]"};
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++) {
        gr_table_column(&table, heads[k], GR_RIGHT);
    }
    gr_table_column(&table, "outcome", GR_LEFT);
    for (int i = 0; i < study->count; i++) {
        const GrSteadyDrive *r = &study->results[i];
        gr_table_number(&table, shown(study, i), 4);
        gr_table_number(&table, r->slip, 3);
        gr_table_number(&table, 1000 * r->speed, 4);
        gr_table_number(&table, 1000 * r->sinkage, 4);
        gr_table_number(&table, r->torque_mean, 4);
        gr_table_number(&table, r->torque, 4);
        gr_table_number(&table, r->power, 4);
        gr_table_number(&table, r->load_least, 4);
        gr_table_number(&table, r->load_most, 4);
        gr_table_text(&table, gr_drive_outcome_text(r->outcome));
    }
    describe(study, text, sizeof text);
    fprintf(file, "%s\n", text);
    gr_table_print(&table, file);
    gr_table_free(&table);
    summarise(study, text, sizeof text);
    fprintf(file, "\n  %s\n", text);
}

void gr_drive_json(const GrDriveStudy *study, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "rover", study->rover);
    gr_json_string(&json, "soil", study->soil);
    gr_json_number(&json, "gravity_m_per_s2", study->def.gravity);
    gr_json_number(&json, "rim_speed_m_per_s", study->def.speed);
    gr_json_number(&json, "mass_kg", study->mass);
    if (study->sweep == GR_SWEEP_SLOPE) {
        gr_json_number(&json, "steepest_slope_deg", DEGREES * study->steepest);
    } else {
        gr_json_number(&json, "largest_pull_N", study->largest);
    }
    gr_json_begin_array(&json, "points");
    for (int i = 0; i < study->count; i++) {
        const GrSteadyDrive *r = &study->results[i];
        const GrSteadyDriveDef def = point_of(study, i);
        gr_json_begin_object(&json, NULL);
        gr_json_number(&json, "slope_deg", DEGREES * def.slope);
        gr_json_number(&json, "heading_deg", DEGREES * def.heading);
        gr_json_number(&json, "pull_N", def.pull);
        gr_json_string(&json, "outcome", gr_drive_outcome_name(r->outcome));
        gr_json_number(&json, "slip", r->slip);
        gr_json_number(&json, "speed_m_per_s", r->speed);
        gr_json_number(&json, "drift_m_per_s", r->drift);
        gr_json_number(&json, "sinkage_m", r->sinkage);
        gr_json_number(&json, "torque_Nm", r->torque_mean);
        gr_json_number(&json, "torque_most_Nm", r->torque);
        gr_json_number(&json, "power_W", r->power);
        gr_json_number(&json, "load_least_N", r->load_least);
        gr_json_number(&json, "load_most_N", r->load_most);
        gr_json_number(&json, "time_s", r->time);
        gr_json_integer(&json, "warnings", r->warnings);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json);
}

void gr_drive_csv(const GrDriveStudy *study, GrBuffer *csv)
{
    gr_buffer_puts(csv, "slope_deg,heading_deg,pull_N,outcome,slip,speed_m_per_s,drift_m_per_s,sinkage_m,torque_Nm,"
                        "torque_most_Nm,power_W,load_least_N,load_most_N\n");
    for (int i = 0; i < study->count; i++) {
        const GrSteadyDrive *r = &study->results[i];
        const GrSteadyDriveDef def = point_of(study, i);
        const double before[] = {DEGREES * def.slope, DEGREES * def.heading, def.pull};
        const double after[] = {r->slip,   r->speed, r->drift,      r->sinkage,  r->torque_mean,
                                r->torque, r->power, r->load_least, r->load_most};
        for (size_t k = 0; k < sizeof before / sizeof before[0]; k++) {
            gr_buffer_number(csv, before[k]);
            gr_buffer_puts(csv, ",");
        }
        gr_buffer_puts(csv, gr_drive_outcome_name(r->outcome));
        for (size_t k = 0; k < sizeof after / sizeof after[0]; k++) {
            gr_buffer_puts(csv, ",");
            if (isfinite(after[k])) {
                gr_buffer_number(csv, after[k]);
            }
        }
        gr_buffer_puts(csv, "\n");
    }
}

/// Values of one panel: only what was driven steadily is drawn as a line.
typedef double (*Pick)(const GrSteadyDrive *r);

static double pick_slip(const GrSteadyDrive *r)
{
    return r->slip;
}

static double pick_sinkage(const GrSteadyDrive *r)
{
    return 1000 * r->sinkage;
}

static double pick_torque(const GrSteadyDrive *r)
{
    return r->torque_mean;
}

static double pick_power(const GrSteadyDrive *r)
{
    return r->power;
}

void gr_drive_svg(const GrDriveStudy *study, GrBuffer *svg)
{
    static const struct {
        const char *title, *label;
        Pick pick;
    } kinds[] = {{"Slip", "slip [-]", pick_slip},
                 {"Sinkage of the deepest wheel", "h [mm]", pick_sinkage},
                 {"Torque, mean of the wheels", "T [N m]", pick_torque},
                 {"Power of the drive motors", "P [W]", pick_power}};
    enum { PANELS = 4 };
    double *x = calloc((size_t)study->count * (1 + PANELS), sizeof *x);
    GrSeries series[PANELS];
    GrPanel panels[PANELS];
    if (x == NULL) {
        return;
    }
    for (int k = 0; k < PANELS; k++) {
        double *y = x + (size_t)study->count * (size_t)(k + 1);
        for (int i = 0; i < study->count; i++) {
            x[i] = shown(study, i);
            y[i] = study->results[i].outcome == GR_DRIVE_STEADY ? kinds[k].pick(&study->results[i]) : (double)NAN;
        }
        series[k] = (GrSeries){.kind = GR_SERIES_LINE_POINTS, .x = x, .y = y, .count = study->count, .color = k + 1};
        panels[k] = (GrPanel){.title = kinds[k].title,
                              .x_label = study->sweep == GR_SWEEP_SLOPE ? "slope [°]" : "pull [N]",
                              .y_label = kinds[k].label,
                              .series = &series[k],
                              .series_count = 1,
                              .zero_line = true};
    }
    char title[300];
    describe(study, title, sizeof title);
    const GrPlot plot = {
        .title = title, .panels = panels, .panel_count = PANELS, .columns = 2, .panel_width = 460, .panel_height = 300};
    gr_plot_write(&plot, svg); // a failure stays in the buffer
    free(x);
}

void gr_drive_page(const GrDriveStudy *study, GrBuffer *page)
{
    char text[400], cells[7][GR_NUMBER_SIZE];
    describe(study, text, sizeof text);
    gr_page_begin(page, study->sweep == GR_SWEEP_SLOPE ? "Gradeability" : "Drawbar pull", text);
    summarise(study, text, sizeof text);
    gr_page_paragraph(page, text);
    GrBuffer svg = {0};
    gr_drive_svg(study, &svg);
    if (svg.data != NULL) {
        gr_page_svg(page, svg.data, "Steady drives; where the rover does not drive on there is no point.");
    }
    gr_buffer_free(&svg);
    gr_page_section(page, "Numbers");
    const char *const heads[] = {study->sweep == GR_SWEEP_SLOPE ? "slope [°]" : "pull [N]",
                                 "slip",
                                 "speed [mm/s]",
                                 "sinkage [mm]",
                                 "torque, mean [N m]",
                                 "torque, most [N m]",
                                 "power [W]",
                                 "outcome"};
    gr_page_begin_table(page, heads, 8, 0x7f);
    for (int i = 0; i < study->count; i++) {
        const GrSteadyDrive *r = &study->results[i];
        const double values[] = {shown(study, i), r->slip,   1000 * r->speed, 1000 * r->sinkage,
                                 r->torque_mean,  r->torque, r->power};
        const char *row[8];
        for (int k = 0; k < 7; k++) {
            gr_number_round(values[k], 4, cells[k]);
            row[k] = cells[k];
        }
        row[7] = gr_drive_outcome_text(r->outcome);
        gr_page_row(page, row, 8, 0x7f);
    }
    gr_page_end_table(page);
    gr_page_end(page);
}
