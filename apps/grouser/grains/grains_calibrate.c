/// grouser grains calibrate: parameters of grains from an angle of repose and the curves of plates, with intervals.
///
/// Runs at Sobol' points of the bounds, each in a bed of its own, say what grains answer; a quadratic through each
/// answer stands for the grains in the search, and its scatter for what one bed differs from the next.
#include "grains_calibration.h"

#include "alloc.h"
#include "grains_yaml.h"
#include "number.h"
#include "out_of_memory.h"
#include "plot.h"
#include "press_data.h"
#include "soil_yaml.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G(member) offsetof(GrGrainDef, member)
static const GrCalibrationKnown KNOWN[] = {{"friction", G(friction), 0.1, 0.9, 0, 10},
                                           {"rolling", G(rolling), 0, 0.4, 0, 10},
                                           {"wall_friction", G(wall_friction), 0.1, 0.9, 0, 10},
                                           {"wall_rolling", G(wall_rolling), 0, 0.4, 0, 10},
                                           {"restitution", G(restitution), 0.3, 0.9, 0.2, 1},
                                           {"surface_energy_J_per_m2", G(surface_energy), 0, 0.1, 0, 1e3}};
enum { KNOWN_COUNT = sizeof KNOWN / sizeof KNOWN[0] };

// ---- options

/// "friction=0.2:0.8" or "friction".
static GrStatus read_free(const char *text, GrCalibrationFree *out, GrErrorLog *log)
{
    const char *names[KNOWN_COUNT];
    char name[64];
    const size_t length = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
    for (int k = 0; k < KNOWN_COUNT; k++) {
        names[k] = KNOWN[k].name;
        out->known = strcmp(name, KNOWN[k].name) == 0 ? &KNOWN[k] : out->known;
    }
    if (out->known == NULL) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--free"}, "'%.60s' cannot be free%s", name,
                            gr_text_hint(name, names, KNOWN_COUNT, NULL).text);
    }
    out->lower = out->known->lower, out->upper = out->known->upper;
    if (text[length] == '=') {
        char *end;
        out->lower = gr_number_read(text + length + 1, &end);
        const bool two = *end == ':';
        out->upper = two ? gr_number_read(end + 1, &end) : (double)NAN;
        if (!two || *end != '\0' || !(out->lower < out->upper) || out->lower < out->known->least ||
            out->upper > out->known->most) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--free"},
                                "%s takes bounds LOWER:UPPER between %g and %g", out->known->name, out->known->least,
                                out->known->most);
        }
    }
    return GR_OK;
}

static GrStatus read_frees(GrCalibration *c, GrErrorLog *log)
{
    char list[256], *next = list;
    if (gr_text_copy(list, sizeof list, c->free != NULL ? c->free : "friction,rolling") == 0) {
        return gr_options_refuse("--free", "too long", log);
    }
    while (next != NULL) {
        char *item = next;
        next = strchr(item, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (c->free_count == GR_CALIBRATION_FREE) {
            return gr_options_refuse("--free", "at most four parameters", log);
        }
        GrCalibrationFree *f = &c->frees[c->free_count];
        const GrStatus status = read_free(item, f, log);
        for (int k = 0; k < c->free_count && status == GR_OK; k++) {
            if (c->frees[k].known == f->known) {
                return gr_options_refuse("--free", "names a parameter twice", log);
            }
        }
        if (status != GR_OK) {
            return status;
        }
        c->free_count++;
    }
    return GR_OK;
}

/// "DEG" or "DEG,ERROR".
static GrStatus read_repose(GrCalibration *c, GrErrorLog *log)
{
    char *end;
    GrCalibrationAnswer *a = &c->answers[c->answer_count++];
    *a = (GrCalibrationAnswer){
        .name = "angle of repose", .unit = "°", .measured = gr_number_read(c->repose, &end), .error = 1};
    bool good = end != c->repose;
    if (*end == ',') {
        a->error = gr_number_read(end + 1, &end);
    }
    good = good && *end == '\0' && a->measured > 0 && a->measured < 90 && a->error > 0 && a->error < 90;
    return good ? GR_OK
                : gr_options_refuse("--repose", "takes an angle, or ANGLE,ERROR, in degrees between 0 and 90", log);
}

// ---- what plates tell

static GrCalibrationPlate *plate_for(GrCalibration *c, double diameter)
{
    for (int k = 0; k < c->plate_count; k++) {
        if (fabs(c->plates[k].diameter - diameter) < 1e-9) {
            return &c->plates[k];
        }
    }
    if (c->plate_count == GR_CALIBRATION_PLATES) {
        return NULL;
    }
    c->plates[c->plate_count].diameter = diameter;
    return &c->plates[c->plate_count++];
}

static GrStatus add_press(GrCalibration *c, const GrPress *press, GrErrorLog *log)
{
    const GrLocation at = {.file = c->presses, .line = press->line};
    if (press->body.kind != GR_PRESS_CIRCLE) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "%s is not a round plate; grains are calibrated to those alone",
                            press->name);
    }
    GrCalibrationPlate *p = plate_for(c, press->body.diameter);
    if (p == NULL) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "more than %d sizes of plates", (int)GR_CALIBRATION_PLATES);
    }
    double *depth = gr_realloc(p->depth, (size_t)(p->count + press->count) * sizeof *depth);
    p->depth = depth != NULL ? depth : p->depth;
    double *force = gr_realloc(p->force, (size_t)(p->count + press->count) * sizeof *force);
    p->force = force != NULL ? force : p->force;
    if (depth == NULL || force == NULL) {
        return gr_out_of_memory(log, c->presses);
    }
    for (int k = 0; k < press->count; k++) {
        if (press->depth[k] >= GR_PRESS_SHALLOW) {
            p->depth[p->count] = press->depth[k], p->force[p->count++] = press->force[k];
            p->deepest = fmax(p->deepest, press->depth[k]);
        }
    }
    return GR_OK;
}

static GrStatus read_presses(GrCalibration *c, GrErrorLog *log)
{
    GrPressData data = {0};
    GrStatus status = gr_press_data_load(c->presses, NULL, (GrColumnMap){0}, &data, log);
    for (int k = 0; k < data.count && status == GR_OK; k++) {
        status = add_press(c, &data.items[k], log);
    }
    gr_press_data_free(&data);
    for (int k = 0; k < c->plate_count && status == GR_OK; k++) {
        GrCalibrationPlate *p = &c->plates[k];
        const GrPressLine line = p->count > 2 ? gr_press_line(p->depth, p->force, p->count) : (GrPressLine){0};
        if (!(line.spread > 0.1)) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = c->presses},
                                "the plate of %.4g mm has %d points below %g mm; three at different depths are needed",
                                1000 * p->diameter, p->count, 1000 * GR_PRESS_SHALLOW);
        }
        GrCalibrationAnswer *level = &c->answers[c->answer_count++], *slope = &c->answers[c->answer_count++];
        *level =
            (GrCalibrationAnswer){.unit = "", .measured = line.level, .error = hypot(c->press_error, line.scatter)};
        *slope = (GrCalibrationAnswer){
            .unit = "", .measured = line.slope, .error = hypot(c->press_error, line.scatter / line.spread)};
        snprintf(level->name, sizeof level->name, "ln F under %.4g mm", 1000 * p->diameter);
        snprintf(slope->name, sizeof slope->name, "exponent under %.4g mm", 1000 * p->diameter);
        p->checked = gr_calloc((size_t)p->count, sizeof *p->checked);
        status = p->checked != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    }
    return status;
}

// ---- what is written

static void say(const GrCalibration *c, char *out, size_t size)
{
    size_t used = 0;
    for (int k = 0; k < c->free_count && used < size; k++) {
        const GrCalibrationFree *f = &c->frees[k];
        used += (size_t)snprintf(out + used, size - used, "%s%s %.3g (90 %%: %.3g … %.3g)", k > 0 ? ", " : "",
                                 f->known->name, f->best, f->low, f->high);
    }
    for (int k = 0, said = 0; k < c->free_count && used < size; k++) {
        if (!c->frees[k].determined) {
            used += (size_t)snprintf(out + used, size - used, "%s%s",
                                     said++ ? ", " : "; not determined: ", c->frees[k].known->name);
        }
    }
    if (used < size && c->misfit > 4) {
        snprintf(out + used, size - used, "; these grains do not reproduce the measurement");
    }
}

static GrTable params_of(const GrCalibration *c)
{
    GrTable table = {0};
    const GrColumn columns[] = {{"name", "parameter", 0, 0}, {"value", "value", 1, 3},
                                {"value", "90 %", 1, 3},     {"lower", "from", 1, 3},
                                {"upper", "to", 1, 3},       {"determined", "determined", 0, 0}};
    gr_table_columns(&table, columns, 6);
    for (int k = 0; k < c->free_count; k++) {
        const GrCalibrationFree *f = &c->frees[k];
        gr_table_text(&table, f->known->name);
        gr_table_value(&table, f->best);
        gr_table_band(&table, f->low, f->high);
        gr_table_value(&table, f->lower);
        gr_table_value(&table, f->upper);
        gr_table_text(&table, f->determined ? "yes" : "no");
    }
    return table;
}

static GrTable answers_of(const GrCalibration *c)
{
    GrTable table = {0};
    const GrColumn columns[] = {{"name", "measured quantity", 0, 0},  {"measured", "measured", 1, 4},
                                {"error", "± measured", 1, 2},        {"quadratic", "at the best", 1, 4},
                                {"checked", "run at the best", 1, 4}, {"scatter", "± one bed", 1, 2}};
    gr_table_columns(&table, columns, 6);
    for (int a = 0; a < c->answer_count; a++) {
        const GrCalibrationAnswer *answer = &c->answers[a];
        gr_table_printf(&table, answer->unit[0] != '\0' ? "%s [%s]" : "%s", answer->name, answer->unit);
        gr_table_values(
            &table,
            (const double[]){answer->measured, answer->error, answer->surface, answer->checked, answer->scatter}, 5);
    }
    return table;
}

static void add_plots(const GrCalibration *c, GrPage *page)
{
    GrSeries series[2 * GR_CALIBRATION_PLATES];
    char names[2 * GR_CALIBRATION_PLATES][64];
    for (int k = 0; k < c->plate_count; k++) {
        const GrCalibrationPlate *p = &c->plates[k];
        for (int q = 0; q < 2; q++) {
            snprintf(names[2 * k + q], sizeof names[0], "%.4g mm, %s", 1000 * p->diameter, q ? "grains" : "measured");
            series[2 * k + q] = (GrSeries){.name = names[2 * k + q],
                                           .kind = GR_SERIES_POINTS,
                                           .x = p->depth,
                                           .y = q ? p->checked : p->force,
                                           .x_scale = 1000,
                                           .count = p->count,
                                           .color = 2 * k + q + 1};
        }
    }
    const GrPanel panel = {.title = "plates",
                           .x_label = "depth [mm]",
                           .y_label = "force [N]",
                           .series = series,
                           .series_count = 2 * c->plate_count,
                           .zero_line = true};
    if (c->plate_count > 0) {
        gr_page_panels(page, &panel, 1, "Measured, and in a bed of the calibrated grains.");
    }
}

/// The grains with the calibrated values, as a file.
static void write_grains(const GrCalibration *c, const char *answer, GrBuffer *out)
{
    const double none[GR_CALIBRATION_FREE] = {0};
    GrGrainDef g = gr_calibration_bed(c, none, 0).bin.grains;
    for (int k = 0; k < c->free_count; k++) {
        memcpy((char *)&g + c->frees[k].known->offset, &c->frees[k].best, sizeof(double));
    }
    char text[512];
    snprintf(text, sizeof text, "%s, calibrated", g.title[0] != '\0' ? g.title : g.name);
    gr_buffer_puts(out, "title: ");
    gr_soil_put_text(out, text);
    gr_buffer_printf(out, "\n\ndiameter_m: %.6g\nspread: %.6g\n", g.diameter, g.spread);
    for (int k = 0; k < g.size_count; k++) {
        gr_buffer_printf(out, "%s  - {diameter_m: %.6g, fraction: %.6g}\n", k == 0 ? "sizes:\n" : "",
                         g.size_diameter[k], g.size_fraction[k]);
    }
    for (int k = 0; k < g.clump_count; k++) {
        const double *at = g.clump_at[k];
        gr_buffer_printf(out, "%s  - {at: [%.9g, %.9g, %.9g], radius: %.9g}\n", k == 0 ? "clump:\n" : "", at[0], at[1],
                         at[2], g.clump_radius[k]);
    }
    gr_buffer_printf(out,
                     "density_kg_per_m3: %.6g\nyoung_Pa: %.6g\nyoung_mineral_Pa: %.6g\npoisson: %.6g\n"
                     "restitution: %.4g\nfriction: %.4g\nrolling: %.4g\nwall_friction: %.4g\nwall_rolling: %.4g\n"
                     "surface_energy_J_per_m2: %.4g\n\nsources:\n  - derived: ",
                     g.density, g.young, g.young_mineral, g.poisson, g.restitution, g.friction, g.rolling,
                     g.wall_friction, g.wall_rolling, g.surface_energy);
    snprintf(text, sizeof text, "Calibrated to%s%.40s%s%s: %.300s. Holds for grains of this size.",
             c->repose != NULL ? " a repose of " : "", c->repose != NULL ? c->repose : "",
             c->repose != NULL ? " degrees" : "",
             c->plate_count == 0 ? ""
             : c->repose != NULL ? " and plates"
                                 : " plates",
             answer);
    gr_soil_put_text(out, text);
    gr_buffer_puts(out, "\n    of: [");
    for (int k = 0; k < c->free_count; k++) {
        gr_buffer_printf(out, "%s%s", k > 0 ? ", " : "", c->frees[k].known->name);
    }
    gr_buffer_puts(out, "]\n");
}

static void write_runs(const GrCalibration *c, GrBuffer *csv)
{
    for (int k = 0; k < c->free_count; k++) {
        gr_buffer_printf(csv, "%s,", c->frees[k].known->name);
    }
    gr_buffer_puts(csv, c->repose != NULL ? "repose_deg" : "");
    for (int k = 0; k < c->plate_count; k++) {
        gr_buffer_printf(csv, "%sln_force_%d,exponent_%d", k > 0 || c->repose != NULL ? "," : "", k + 1, k + 1);
    }
    gr_buffer_puts(csv, "\n");
    for (int r = 0; r < c->run_count; r++) {
        const GrCalibrationRun *run = &c->all[r];
        for (int k = 0; k < c->free_count && !run->failed; k++) {
            gr_buffer_printf(csv, "%.6g,", gr_calibration_value(&c->frees[k], run->at[k]));
        }
        for (int a = 0; a < c->answer_count && !run->failed; a++) {
            gr_buffer_printf(csv, "%s%.6g", a > 0 ? "," : "", run->answer[a]);
        }
        gr_buffer_puts(csv, run->failed ? "" : "\n");
    }
}

static void print_json(const GrCalibration *c, const char *answer, const GrTable *params, const GrTable *answers)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "answer", answer);
    gr_table_json(params, "parameters", &json);
    gr_table_json(answers, "quantities", &json);
    gr_json_number(&json, "mean_square_deviation", c->misfit);
    gr_json_integer(&json, "runs", c->run_count);
    gr_json_integer(&json, "failed_runs", c->failed);
    gr_json_end(&json);
    gr_json_finish(&json);
}

static GrStatus write_all(const GrCalibration *c, GrErrorLog *log)
{
    char answer[400] = "";
    GrTable params = params_of(c), answers = answers_of(c);
    GrPage page = {0};
    GrBuffer grains = {0}, csv = {0};
    GrStatus status = GR_OK;
    say(c, answer, sizeof answer);
    if (c->json) {
        print_json(c, answer, &params, &answers);
    }
    gr_page_begin(&page, "Calibrated grains", c->bed.bin.grains.title);
    gr_page_text(&page, "%s", answer);
    gr_page_table(&page, &params);
    gr_page_table(&page, &answers);
    for (int i = 0; i < c->free_count; i++) {
        for (int j = 0; j < i; j++) {
            gr_page_fact(&page, "correlation", "%s with %s: %.2f", c->frees[i].known->name, c->frees[j].known->name,
                         c->correlation[i][j]);
        }
    }
    gr_page_fact(&page, "runs", "%d, of which %d failed", c->run_count, c->failed);
    page.place = GR_PLACE_PAGE;
    add_plots(c, &page);
    if (!c->json) {
        gr_page_print(&page, stdout);
    }
    if (c->output != NULL) {
        write_grains(c, answer, &grains);
        status = gr_report_file(c->output, &grains, c->json, log);
    }
    if (status == GR_OK && c->csv != NULL) {
        write_runs(c, &csv);
        status = gr_report_file(c->csv, &csv, c->json, log);
    }
    if (status == GR_OK && c->html != NULL) {
        status = gr_report_page(c->html, &page, c->json, log);
    }
    gr_page_free(&page);
    return status;
}

static GrStatus read_all(GrCalibration *c, GrErrorLog *log)
{
    if (c->repose == NULL && c->presses == NULL) {
        return gr_options_refuse("--repose", "or --plates is needed: what the grains are calibrated to", log);
    }
    if (!(c->speed > 0)) {
        return gr_options_refuse("--speed", "takes a positive number", log);
    }
    if (!(c->press_error > 0 && c->press_error < 1)) {
        return gr_options_refuse("--press-error", "takes a part of the force between 0 and 1", log);
    }
    if (gr_bin_is_snapshot(c->path)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = c->path},
                            "is a prepared bed; its grains change, so that its file is needed");
    }
    GrStatus status = gr_grains_check(&c->common, log);
    c->work = status == GR_OK ? gr_grains_work(&c->common) : c->work;
    status = status == GR_OK ? read_frees(c, log) : status;
    status = status == GR_OK && c->repose != NULL ? read_repose(c, log) : status;
    status = status == GR_OK && c->presses != NULL ? read_presses(c, log) : status;
    status = status == GR_OK ? gr_bed_load(c->path, c->overrides.items, &c->bed, log) : status;
    const int needed = gr_calibration_terms(c->free_count) + GR_CALIBRATION_SPARE;
    const double runs = isnan(c->runs) ? 3 * gr_calibration_terms(c->free_count) : c->runs;
    if (status == GR_OK && !(runs >= needed && runs <= GR_CALIBRATION_RUNS && runs == floor(runs))) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--runs"},
                            "takes a whole number, %d to %d with %d free parameters", needed, (int)GR_CALIBRATION_RUNS,
                            c->free_count);
    }
    c->run_count = status == GR_OK ? (int)runs : 0;
    return status;
}

static GrStatus calibrate(GrCalibration *c, GrErrorLog *log)
{
    GrStatus status = read_all(c, log);
    status = status == GR_OK ? gr_calibration_run(c, log) : status;
    return status == GR_OK ? write_all(c, log) : status;
}

static void calibration_free(GrCalibration *c)
{
    for (int k = 0; k < c->plate_count; k++) {
        gr_free(c->plates[k].depth);
        gr_free(c->plates[k].force);
        gr_free(c->plates[k].checked);
    }
    gr_free(c->all);
    gr_free(c);
}

static int run(int argc, char **argv)
{
    GrErrorLog log = {0};
    GrCalibration *c = gr_calloc(1, sizeof *c);
    if (c == NULL) {
        gr_out_of_memory(&log, NULL);
        gr_report_log(&log);
        return GR_EXIT_FAILURE;
    }
    int exit_code;
    c->runs = (double)NAN, c->speed = 0.05, c->press_error = 0.05;
    const GrOption options[] = {
        {.name = "repose", .value = "DEG[,ERROR]", .text = &c->repose, .help = "measured angle; error: 1"},
        {.name = "plates", .value = "FILE", .text = &c->presses, .help = "measured presses of round plates, as CSV"},
        {.name = "press-error",
         .value = "PART",
         .number = &c->press_error,
         .help = "of a measured force, and error of its exponent; default 0.05"},
        {.name = "free",
         .value = "NAME[=A:B],...",
         .text = &c->free,
         .help = "parameters, with bounds; default: friction,rolling"},
        {.name = "runs", .value = "N", .number = &c->runs, .help = "default: 18 for two parameters"},
        {.name = "speed", .value = "M/S", .number = &c->speed, .help = "of plates; default 0.05"},
        {.name = "set", .value = "KEY=VALUE", .list = &c->overrides, .help = "replace a value of the bed's file"},
        {.name = "jobs",
         .letter = 'j',
         .value = "N",
         .number = &c->common.threads,
         .help = "threads; default: one a processor"},
        {.name = "device", .value = "DEVICE", .text = &c->common.device, .help = GR_GRAINS_DEVICE_HELP},
        {.name = "output", .letter = 'o', .value = "FILE", .text = &c->output, .help = "write the calibrated grains"},
        {.name = "csv", .value = "FILE", .text = &c->csv, .help = "write the runs as CSV"},
        {.name = "html", .value = "FILE", .text = &c->html, .help = "write a page"},
        {.name = "json", .flag = &c->json, .help = "print JSON"},
    };
    if (gr_options_parse(&gr_grains_calibrate_command, options, (int)(sizeof options / sizeof options[0]), argc, argv,
                         &c->path, 1, 1, &exit_code) < 0) {
        calibration_free(c);
        return exit_code;
    }
    const GrStatus status = calibrate(c, &log);
    calibration_free(c);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_grains_calibrate_command = {
    .name = "grains calibrate",
    .summary = "parameters of grains from an angle of repose and plates, with intervals",
    .usage = "grains calibrate BED.yaml [--repose DEG,ERROR] [--plates FILE] [--free LIST] [-o grains.yaml]",
    .details = "Computes heaps and plates at points of the parameters' bounds, each in a bed of its own, and finds the "
               "values\n"
               "that agree with the measurement, with intervals of 90 % from its errors and from how much beds differ. "
               "A last\n"
               "run checks the result. Free can be: friction rolling wall_friction wall_rolling restitution\n"
               "surface_energy_J_per_m2.",
    .example = "  grouser grains calibrate bed.yaml --repose 33,1.5 --plates presses.csv -o sand.yaml\n"
               "  grouser grains calibrate bed.yaml --repose 24 --free friction=0.2:0.6 --runs 12 --json",
    .run = run,
};
