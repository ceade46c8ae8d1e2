/// grouser grains study: plates and an annulus in grains, soils fitted to them, and a wheel in grains beside the laws.
#include "alloc.h"
#include "file.h"
#include "grains_soil.h"
#include "grains_yaml.h"
#include "number.h"
#include "out_of_memory.h"
#include "plot.h"
#include "soil_yaml.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { QUANTITIES = 3 };

static const struct {
    const char *title, *key, *unit;
    double scale;
} QUANTITY[QUANTITIES] = {
    {"pull", "pull_N", "N", 1}, {"torque", "torque_Nm", "N m", 1}, {"sinkage", "sinkage_m", "mm", 1000}};

/// All that a study computes; large.
typedef struct Study {
    GrGrainsOptions options;
    const char *folder; ///< of all files
    GrGrainStudyDef def;
    GrBin *bed;
    GrGrainsStudy plates, shear, wheel;
    GrGrainsShear sheared;
    GrGrainsPresses presses;
    GrGrainsSoil soils[GR_GRAIN_STUDY_LAWS];
    GrGrainsPrediction predicted[GR_GRAIN_STUDY_LAWS][GR_GRAIN_STUDY_VALUES];
} Study;

static void list_cases(const GrGrainStudyDef *d, Study *s)
{
    s->plates.kind = GR_BIN_RIG_PLATE, s->shear.kind = GR_BIN_RIG_SHEAR, s->wheel.kind = GR_BIN_RIG_WHEEL;
    for (int k = 0; k < d->diameters.count; k++) {
        s->plates.cases[k].def = d->plate;
        s->plates.cases[k].def.diameter = d->diameters.value[k];
    }
    for (int k = 0; k < d->pressures.count; k++) {
        s->shear.cases[k].def = d->shear;
        s->shear.cases[k].def.load = d->pressures.value[k] * gr_bin_rig_area(&d->shear);
    }
    for (int k = 0; k < d->slips.count; k++) {
        s->wheel.cases[k].def = d->wheel;
        s->wheel.cases[k].def.slip = d->slips.value[k];
    }
    s->plates.count = d->diameters.count, s->shear.count = d->pressures.count, s->wheel.count = d->slips.count;
}

static GrStatus write_file(const Study *s, const char *name, GrBuffer *text, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    return gr_report_file(path, text, s->options.json, log);
}

/// The tests in grains, and their CSV files.
static GrStatus run_grains(Study *s, GrErrorLog *log)
{
    GrGrainsStudy *const parts[] = {&s->plates, &s->shear, &s->wheel};
    static const char *const files[] = {"plates.csv", "shear.csv", "wheel.csv"};
    GrStatus status = GR_OK;
    for (int k = 0; k < 3 && status == GR_OK; k++) {
        GrBuffer csv = {0};
        status = gr_grains_run(&s->options, s->bed, parts[k], log);
        if (status == GR_OK && k < 2) {
            gr_grains_curves(parts[k], &csv);
        } else if (status == GR_OK) {
            GrTable table = gr_grains_table(parts[k]);
            gr_table_csv(&table, &csv);
            gr_table_free(&table);
        }
        status = status == GR_OK ? write_file(s, files[k], &csv, log) : status;
        gr_buffer_free(&csv);
    }
    return status;
}

/// The soils, and what they say of the wheel.
static GrStatus run_laws(Study *s, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrProgress progress = gr_progress_begin("soils");
    snprintf(path, sizeof path, "%s/plates.csv", s->folder);
    GrStatus status = gr_grains_shear_fit(&s->shear, &s->sheared, log);
    status = status == GR_OK ? gr_press_data_load(path, NULL, (GrColumnMap){0}, &s->presses.data, log) : status;
    for (int k = 0; k < s->def.law_count && status == GR_OK; k++) {
        GrGrainsSoil *soil = &s->soils[k];
        status = gr_grains_soil(&s->def, s->bed, &s->sheared, &s->presses, s->def.laws[k], soil, log);
        snprintf(path, sizeof path, "%s/%s.yaml", s->folder, gr_soil_law_name(s->def.laws[k]));
        status =
            status == GR_OK ? gr_soil_save_spread(path, &soil->fit.soil, &soil->sources, &soil->spread, log) : status;
        for (int i = 0; i < s->def.slips.count && status == GR_OK; i++) {
            gr_progress_update(&progress, k * s->def.slips.count + i, s->def.law_count * s->def.slips.count);
            s->predicted[k][i] =
                gr_grains_predict(soil, &s->def.wheel, fabs(s->bed->def.gravity[2]), s->def.slips.value[i]);
        }
    }
    gr_progress_end(&progress);
    return status;
}

static void measured(const GrBinRigAnswer *a, double value[QUANTITIES], double error[QUANTITIES])
{
    value[0] = a->pull, value[1] = a->torque, value[2] = a->sinkage;
    error[0] = a->pull_error, error[1] = a->torque_error, error[2] = a->sinkage_error;
}

/// Root mean square of predicted less computed, and how many are inside their band widened by the grains' own error.
typedef struct Score {
    double rms, bias;
    int inside, count;
} Score;

static Score score_of(const Study *s, int law, int q)
{
    Score out = {0};
    for (int i = 0; i < s->wheel.count; i++) {
        const GrGrainsPrediction *p = &s->predicted[law][i];
        double value[QUANTITIES], error[QUANTITIES];
        measured(&s->wheel.cases[i].answer, value, error);
        const double off = p->value[q] - value[q], own = 1.645 * error[q];
        if (isfinite(off)) {
            out.rms += off * off, out.bias += off, out.count++;
            out.inside += p->low[q] - own <= value[q] && value[q] <= p->high[q] + own;
        }
    }
    out.rms = out.count > 0 ? sqrt(out.rms / out.count) : (double)NAN;
    out.bias = out.count > 0 ? out.bias / out.count : (double)NAN;
    return out;
}

/// One row for each law and slip.
static GrTable points_of(const Study *s)
{
    GrTable table = {0};
    static const GrColumn columns[] = {{"law", "law", 0, 0},
                                       {"slip", "slip [%]", 100, 0},
                                       {"pull_N", "pull [N]", 1, 3},
                                       {"pull_error_N", "±", 1, 2},
                                       {"pull_band_N", "pull, band", 1, 3},
                                       {"torque_Nm", "torque [N m]", 1, 3},
                                       {"torque_error_Nm", "±", 1, 2},
                                       {"torque_band_Nm", "torque, band", 1, 3},
                                       {"sinkage_m", "sinkage [mm]", 1000, 3},
                                       {"sinkage_error_m", "±", 1000, 2},
                                       {"sinkage_band_m", "sinkage, band", 1000, 3}};
    gr_table_columns(&table, columns, 11);
    for (int k = -1; k < s->def.law_count; k++) {
        for (int i = 0; i < s->wheel.count; i++) {
            double value[QUANTITIES], error[QUANTITIES];
            measured(&s->wheel.cases[i].answer, value, error);
            gr_table_text(&table, k < 0 ? "grains" : gr_soil_law_name(s->def.laws[k]));
            gr_table_value(&table, s->def.slips.value[i]);
            for (int q = 0; q < QUANTITIES; q++) {
                const GrGrainsPrediction *p = k < 0 ? NULL : &s->predicted[k][i];
                gr_table_value(&table, p == NULL ? value[q] : p->value[q]);
                gr_table_value(&table, p == NULL ? error[q] : (double)NAN);
                gr_table_band(&table, p == NULL ? value[q] : p->low[q], p == NULL ? value[q] : p->high[q]);
            }
        }
    }
    return table;
}

static GrTable scores_of(const Study *s)
{
    GrTable table = {0};
    static const GrColumn columns[] = {{"law", "law", 0, 0},
                                       {"pressure", "pressure", 0, 0},
                                       {"quantity", "quantity", 0, 0},
                                       {"rms", "rms error", 1, 3},
                                       {"bias", "bias", 1, 3},
                                       {"unit", "unit", 0, 0},
                                       {"inside", "inside the 90 % band", 1, 0},
                                       {"of", "of", 1, 0},
                                       {"press_error_median", "plates, median error [%]", 100, 3}};
    gr_table_columns(&table, columns, 9);
    for (int k = 0; k < s->def.law_count; k++) {
        for (int q = 0; q < QUANTITIES; q++) {
            const Score score = score_of(s, k, q);
            gr_table_text(&table, gr_soil_law_name(s->def.laws[k]));
            gr_table_text(&table, gr_press_forms[s->soils[k].form].name);
            gr_table_text(&table, QUANTITY[q].title);
            gr_table_value(&table, QUANTITY[q].scale * score.rms);
            gr_table_value(&table, QUANTITY[q].scale * score.bias);
            gr_table_text(&table, QUANTITY[q].unit);
            gr_table_value(&table, score.inside);
            gr_table_value(&table, score.count);
            gr_table_value(&table, s->soils[k].presses.median);
        }
    }
    return table;
}

static void add_plots(const Study *s, GrPage *page)
{
    static double grains[QUANTITIES][3 * GR_GRAIN_STUDY_VALUES], at[3 * GR_GRAIN_STUDY_VALUES],
        percent[GR_GRAIN_STUDY_VALUES]; // slips
    static double line[QUANTITIES][GR_GRAIN_STUDY_LAWS][3][GR_GRAIN_STUDY_VALUES];
    static GrSeries series[QUANTITIES][GR_GRAIN_STUDY_LAWS + 2];
    GrPanel panels[QUANTITIES];
    char labels[QUANTITIES][32];
    const int n = s->wheel.count;
    for (int i = 0; i < n; i++) {
        percent[i] = 100 * s->def.slips.value[i];
    }
    for (int q = 0; q < QUANTITIES; q++) {
        const double scale = QUANTITY[q].scale;
        int count = 0;
        for (int k = 0; k < s->def.law_count; k++) {
            for (int i = 0; i < n; i++) {
                line[q][k][0][i] = scale * s->predicted[k][i].value[q];
                line[q][k][1][i] = scale * s->predicted[k][i].low[q];
                line[q][k][2][i] = scale * s->predicted[k][i].high[q];
            }
            series[q][count] = (GrSeries){.name = gr_soil_law_name(s->def.laws[k]),
                                          .kind = GR_SERIES_LINE,
                                          .x = percent,
                                          .y = line[q][k][0],
                                          .lower = line[q][k][1],
                                          .upper = line[q][k][2],
                                          .count = n,
                                          .color = k + 2};
            count++;
        }
        for (int i = 0; i < n; i++) { // bars of two standard errors
            double value[QUANTITIES], error[QUANTITIES];
            measured(&s->wheel.cases[i].answer, value, error);
            at[3 * i] = at[3 * i + 1] = percent[i], at[3 * i + 2] = (double)NAN;
            grains[q][3 * i] = scale * (value[q] - 2 * error[q]);
            grains[q][3 * i + 1] = scale * (value[q] + 2 * error[q]);
            grains[q][3 * i + 2] = (double)NAN;
        }
        series[q][count] = (GrSeries){.name = "grains ± 2 standard errors",
                                      .kind = GR_SERIES_LINE,
                                      .x = at,
                                      .y = grains[q],
                                      .count = 3 * n,
                                      .color = 1,
                                      .width = 5};
        count++;
        snprintf(labels[q], sizeof labels[q], "%s [%s]", QUANTITY[q].title, QUANTITY[q].unit);
        panels[q] = (GrPanel){.title = QUANTITY[q].title,
                              .x_label = "slip of the rim [%]",
                              .y_label = labels[q],
                              .series = series[q],
                              .series_count = count,
                              .zero_line = true};
    }
    gr_page_panels(page, panels, QUANTITIES,
                   "Lines: laws with soils from plates and shear in the grains, with their 90 % bands. Bars: the wheel "
                   "in the grains.");
}

/// The law that is nearest to the grains' pull.
static void answer_of(const Study *s, char *out, size_t size)
{
    int best = 0;
    for (int k = 1; k < s->def.law_count; k++) {
        best = score_of(s, k, 0).rms < score_of(s, best, 0).rms ? k : best;
    }
    const Score pull = score_of(s, best, 0), sinkage = score_of(s, best, 2);
    snprintf(out, size,
             "%s is nearest to the wheel in grains: pull off by %.2g N (rms; the load is %.3g N), sinkage by %.2g mm; "
             "%d of %d pulls inside its band",
             gr_soil_law_name(s->def.laws[best]), pull.rms, s->def.wheel.load, 1000 * sinkage.rms, pull.inside,
             pull.count);
}

static void fill_page(const Study *s, const char *answer, GrPage *page)
{
    const GrGrainsShear *shear = &s->sheared;
    char bed[240];
    GrTable scores = scores_of(s), points = points_of(s);
    gr_grains_describe(s->bed, bed, sizeof bed);
    gr_page_begin(page, "Wheel in grains and in laws", s->def.title[0] != '\0' ? s->def.title : s->def.name);
    gr_page_text(page, "%s", answer);
    gr_page_text(page, "%s", bed);
    gr_page_table(page, &scores);
    page->place = GR_PLACE_PAGE;
    add_plots(s, page);
    gr_page_section(page, "All points");
    gr_page_table(page, &points);
    page->place = GR_PLACE_BOTH;
    gr_page_section(page, "Soil from the grains");
    gr_page_fact(page, "friction angle", "%.1f ± %.1f degrees", shear->angle * 180 / GR_PI,
                 shear->angle_error * 180 / GR_PI);
    gr_page_fact(page, "cohesion", "%.3g ± %.2g Pa", shear->cohesion, shear->cohesion_error);
    gr_page_fact(page, "shear modulus K", "%.2g ± %.2g mm", 1000 * shear->modulus, 1000 * shear->modulus_error);
    gr_page_fact(page, "scatter of the shear stress", "%.3g Pa", shear->scatter);
    for (int k = 0; k < s->def.law_count; k++) {
        const GrGrainsSoil *soil = &s->soils[k];
        const GrPressForm *form = &gr_press_forms[soil->form];
        GrBuffer values = {0};
        for (int i = 0; form->free[i] != NULL; i++) {
            gr_buffer_printf(&values, ", %s %s", form->free[i], gr_show(soil->fit.value[i], 3, "").text);
        }
        gr_page_fact(page, gr_soil_law_name(soil->law),
                     "pressure %s%s; plates to %.0f %% (median), other sizes to %.0f %%", form->name,
                     values.data != NULL ? values.data : "", 100 * soil->presses.median,
                     100 * s->presses.forms[soil->form].crossed.median);
        gr_buffer_free(&values);
    }
    gr_page_note(page, "What the errors mean",
                 "Standard errors of the wheel in grains come from four parts of its travel; they do not hold the size "
                 "of the bin and of the grains. "
                 "Bands are those of what plates and shear determine, of the error at sizes of plates that were not "
                 "fitted, and of a wide spread for all else, such as digging under slip, "
                 "which plates and shear do not determine: it is that of the start soil.");
    page->place = GR_PLACE_PAGE;
    gr_page_section(page, "Bed");
    gr_grains_facts(s->bed, page);
}

static GrStatus write_results(Study *s, GrErrorLog *log)
{
    char answer[300];
    GrPage page = {0};
    GrBuffer html = {0}, csv = {0};
    GrTable points = points_of(s);
    answer_of(s, answer, sizeof answer);
    fill_page(s, answer, &page);
    gr_page_html(&page, &html);
    gr_table_csv(&points, &csv);
    GrStatus status = write_file(s, "study.html", &html, log);
    status = status == GR_OK ? write_file(s, "laws.csv", &csv, log) : status;
    if (s->options.json) {
        GrJson json = gr_json_to_file(stdout, true);
        GrTable scores = scores_of(s);
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "answer", answer);
        gr_json_number(&json, "friction_angle_deg", s->sheared.angle * 180 / GR_PI);
        gr_json_number(&json, "cohesion_Pa", s->sheared.cohesion);
        gr_json_number(&json, "K_m", s->sheared.modulus);
        gr_table_json(&scores, "scores", &json);
        gr_table_json(&points, "points", &json);
        gr_grains_json(s->bed, &json);
        gr_json_end(&json);
        gr_json_finish(&json);
        gr_table_free(&scores);
    } else {
        gr_page_print(&page, stdout);
    }
    gr_table_free(&points);
    gr_buffer_free(&html);
    gr_buffer_free(&csv);
    gr_page_free(&page);
    return status;
}

static GrStatus run_study(Study *s, const char *path, GrErrorLog *log)
{
    GrGrainsOptions *o = &s->options;
    if (s->folder == NULL || (o->resume && o->snapshots == NULL)) {
        const bool folder = s->folder == NULL;
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = folder ? "--output" : "--resume"}, "%s",
                            folder ? "a folder is needed" : "goes on from the folder of --snapshots");
    }
    GrStatus status = gr_grains_check(o, log);
    status = status == GR_OK ? gr_grain_study_load(path, o->overrides.items, &s->def, log) : status;
    status = status == GR_OK ? gr_folder_make(s->folder, log) : status;
    if (status != GR_OK) {
        return status;
    }
    o->bed = s->def.bed;
    o->overrides = (GrTextList){0}; // of the study, not of the bed
    list_cases(&s->def, s);
    status = gr_grains_bed(o, &s->bed, log);
    status = status == GR_OK ? run_grains(s, log) : status;
    status = status == GR_OK ? run_laws(s, log) : status;
    return status == GR_OK ? write_results(s, log) : status;
}

static void study_free(Study *s)
{
    if (s != NULL) {
        gr_grains_study_free(&s->plates);
        gr_grains_study_free(&s->shear);
        gr_grains_study_free(&s->wheel);
        gr_press_data_free(&s->presses.data);
        gr_bin_free(s->bed);
    }
    gr_free(s);
}

static int run(int argc, char **argv)
{
    GrErrorLog log = {0};
    Study *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        gr_out_of_memory(&log, NULL);
        gr_report_log(&log);
        return GR_EXIT_FAILURE;
    }
    GrGrainsOptions *o = &s->options;
    const char *path;
    int exit_code;
    const GrOption options[] = {
        {.name = "set", .value = "KEY=VALUE", .list = &o->overrides, .help = "replace a value of the study's file"},
        {.name = "jobs",
         .letter = 'j',
         .value = "N",
         .number = &o->threads,
         .help = "threads; default: one a processor"},
        {.name = "output",
         .letter = 'o',
         .value = "DIR",
         .text = &s->folder,
         .help = "folder of curves, soils and the page"},
        {.name = "device", .value = "DEVICE", .text = &o->device, .help = GR_GRAINS_DEVICE_HELP},
        {.name = "snapshots", .value = "DIR", .text = &o->snapshots, .help = "write one of each test every minute"},
        {.name = "resume", .flag = &o->resume, .help = "go on from them"},
        {.name = "json", .flag = &o->json, .help = "print JSON"},
    };
    if (gr_options_parse(&gr_grains_study_command, options, (int)(sizeof options / sizeof options[0]), argc, argv,
                         &path, 1, 1, &exit_code) < 0) {
        study_free(s);
        return exit_code;
    }
    const GrStatus status = run_study(s, path, &log);
    study_free(s);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_grains_study_command = {
    .name = "grains study",
    .summary = "a wheel in grains beside the laws, whose soils come from plates and shear in the same grains",
    .usage = "grains study STUDY.yaml -o DIR [OPTION]...",
    .details = "Pushes plates into the bed and turns an annulus on it, fits the soil of each law to their curves, "
               "drives the wheel in the\n"
               "grains and on these soils, and writes one page with the errors of each law. DIR gets the curves "
               "(plates.csv, shear.csv,\n"
               "wheel.csv), a soil for each law, laws.csv and study.html.",
    .example = "  grouser grains study study.yaml -o study\n"
               "  grouser grains study study.yaml --set wheel.load_N=5 -o heavier",
    .run = run,
};
