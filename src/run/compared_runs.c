#include "compared_runs.h"

#include "alloc.h"
#include "csv.h"
#include "fields.h"
#include "file.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static GrRunPlace *add_place(GrComparedRun *run)
{
    if (run->count == run->capacity) {
        const int capacity = run->capacity > 0 ? 2 * run->capacity : 1024;
        GrRunPlace *places = gr_realloc(run->places, sizeof *places * (size_t)capacity);
        if (places == NULL) {
            run->failed = true;
            return NULL;
        }
        run->places = places;
        run->capacity = capacity;
    }
    return &run->places[run->count++];
}

void gr_compared_run_add(GrComparedRun *run, const GrSample *sample, int wheel_count)
{
    GrRunPlace *p = add_place(run);
    if (p == NULL) {
        return;
    }
    *p = (GrRunPlace){.distance = sample->distance,
                      .x = sample->pose.position.x,
                      .y = sample->pose.position.y,
                      .work = sample->energy.electric};
    for (int i = 0; i < wheel_count; i++) {
        p->slip += sample->wheels[i].slip / wheel_count;
        p->sinkage = fmax(p->sinkage, sample->wheels[i].sinkage);
    }
}

void gr_compared_run_end(GrComparedRun *run, const GrRunSummary *summary)
{
    for (int i = 0; i < GR_RUN_FIGURES; i++) {
        run->figures[i] = gr_run_figure(summary, i);
    }
    run->succeeded = gr_outcome_succeeded(summary->outcome);
    snprintf(run->outcome, sizeof run->outcome, "%s", gr_outcome_name(summary->outcome));
}

void gr_compared_run_free(GrComparedRun *run)
{
    gr_free(run->samples);
    gr_free(run->places);
    run->samples = NULL;
    run->places = NULL;
}

// ---- the folder of a run

/// A number of summary.json; null is NAN.
static double read_number(GrNode *mapping, const char *key)
{
    const GrNode *node = mapping != NULL ? gr_node_find(mapping, key) : NULL;
    char *end = NULL;
    const double value = node != NULL && node->text != NULL ? gr_number_read(node->text, &end) : (double)NAN;
    return end != NULL && *end == '\0' && end != node->text ? value : (double)NAN;
}

/// Figures of all wheels, as gr_run_figure() makes them of a summary.
static void read_wheels(const GrNode *root, double *slip, double *slip_max, double *sinkage)
{
    const GrNode *wheels = gr_node_find(root, "wheels");
    *slip = *slip_max = *sinkage = 0;
    for (GrNode *wheel = wheels != NULL ? wheels->first : NULL; wheel != NULL; wheel = wheel->next) {
        *slip += read_number(wheel, "slip_mean") / wheels->count;
        *slip_max = fmax(*slip_max, read_number(wheel, "slip_max"));
        *sinkage = fmax(*sinkage, read_number(wheel, "sinkage_max_m"));
    }
}

static GrStatus read_summary(const char *folder, GrComparedRun *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrDocument *document = NULL;
    snprintf(path, sizeof path, "%.900s/summary.json", folder);
    GrStatus status = gr_document_load(path, &document, log);
    const GrNode *outcome = status == GR_OK ? gr_node_find(document->root, "outcome") : NULL;
    if (status == GR_OK && (outcome == NULL || outcome->text == NULL)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .field = "outcome"},
                              "is missing: this is not the summary of a run");
    }
    if (status == GR_OK && outcome != NULL && outcome->text != NULL) {
        double slip, slip_max, sinkage;
        read_wheels(document->root, &slip, &slip_max, &sinkage);
        const double figures[GR_RUN_FIGURES] = {
            read_number(document->root, "time_s"),
            read_number(document->root, "distance_m"),
            read_number(gr_node_find(document->root, "energy"), "electric_J"),
            read_number(document->root, "energy_per_metre_J_per_m"),
            slip,
            slip_max,
            sinkage,
        };
        memcpy(out->figures, figures, sizeof figures);
        out->succeeded = strcmp(outcome->text, gr_outcome_name(GR_OUTCOME_FINISHED)) == 0 ||
                         strcmp(outcome->text, gr_outcome_name(GR_OUTCOME_GOAL)) == 0;
        snprintf(out->outcome, sizeof out->outcome, "%s", outcome->text);
    }
    gr_document_free(document);
    return status;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), ending = strlen(end);
    return strncmp(name, "wheel_", 6) == 0 && length > ending && strcmp(name + length - ending, end) == 0;
}

static double cell(const GrCsv *csv, int row, const char *column)
{
    const int at = gr_csv_find(csv, column);
    return at >= 0 ? gr_number_read(gr_csv_cell(csv, row, at), NULL) : (double)NAN;
}

static GrStatus read_places(const char *folder, GrComparedRun *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrCsv csv;
    snprintf(path, sizeof path, "%.900s/run.csv", folder);
    const GrStatus status = gr_csv_load(path, &csv, log);
    for (int row = 0; status == GR_OK && row < csv.row_count; row++) {
        GrRunPlace *p = add_place(out);
        int slips = 0;
        if (p == NULL) {
            break;
        }
        *p = (GrRunPlace){.distance = cell(&csv, row, "distance_m"),
                          .x = cell(&csv, row, "x_m"),
                          .y = cell(&csv, row, "y_m"),
                          .work = cell(&csv, row, "energy.electric_J")};
        for (int k = 0; k < csv.column_count; k++) {
            if (ends_with(csv.names[k], ".slip")) {
                p->slip += gr_number_read(gr_csv_cell(&csv, row, k), NULL);
                slips++;
            } else if (ends_with(csv.names[k], ".sinkage_m")) {
                p->sinkage = fmax(p->sinkage, gr_number_read(gr_csv_cell(&csv, row, k), NULL));
            }
        }
        p->slip = slips > 0 ? p->slip / slips : 0;
    }
    if (status == GR_OK) {
        gr_csv_free(&csv);
    }
    return status;
}

GrStatus gr_compared_run_read(const char *folder, GrComparedRun *out, GrErrorLog *log)
{
    const GrStatus status = read_summary(folder, out, log);
    return status == GR_OK ? read_places(folder, out, log) : status;
}

// ---- the comparison

/// Which of the figures are better small.
static const int SENSES[GR_RUN_FIGURES] = {-1, 0, -1, -1, -1, -1, -1};

/// Figures of samples that failed are those of no whole drive.
static void drop_failures(GrComparedRun *run)
{
    const double *succeeded = run->samples + (size_t)GR_RUN_FIGURES * (size_t)run->sample_count;
    for (int f = 0; f < GR_RUN_FIGURES; f++) {
        for (int i = 0; i < run->sample_count; i++) {
            double *value = &run->samples[f * run->sample_count + i];
            *value = succeeded[i] > 0 ? *value : (double)NAN;
        }
    }
}

void gr_compared_runs_fill(GrComparedRun *runs, int count, GrComparison *out)
{
    bool any = false;
    out->sample_count = runs[0].sample_count;
    for (int k = 0; k < count; k++) {
        gr_comparison_design(out, runs[k].label, runs[k].soil);
        any = any || runs[k].succeeded;
    }
    const int share = gr_comparison_quantity(out, (GrComparedQuantity){.key = "succeeded_share",
                                                                       .text = "runs that succeed",
                                                                       .unit = "%",
                                                                       .scale = 100,
                                                                       .sense = 1,
                                                                       .is_share = out->sample_count > 0});
    for (int k = 0; k < count; k++) {
        const int n = runs[k].sample_count;
        const double *ends = runs[k].samples != NULL ? runs[k].samples + (size_t)GR_RUN_FIGURES * (size_t)n : NULL;
        double sum = 0;
        for (int i = 0; i < n && ends != NULL; i++) {
            sum += ends[i] / n;
        }
        out->values[share][k] = (GrComparedValue){.value = n > 0 ? sum : runs[k].succeeded, .samples = ends};
        if (any && ends != NULL) {
            drop_failures(&runs[k]);
        }
    }
    for (int f = 0; f < GR_RUN_FIGURES; f++) {
        const GrRunFigure *figure = &gr_run_figures[f];
        const bool ratio = figure->unit[0] == '\0';
        const int q = gr_comparison_quantity(out, (GrComparedQuantity){.key = figure->key,
                                                                       .text = figure->text,
                                                                       .unit = ratio ? "%" : figure->unit,
                                                                       .scale = ratio ? 100 : figure->scale,
                                                                       .sense = SENSES[f]});
        for (int k = 0; k < count; k++) {
            out->values[q][k] = (GrComparedValue){
                .value = runs[k].succeeded || !any ? runs[k].figures[f] : (double)NAN,
                .samples = runs[k].samples != NULL ? runs[k].samples + (size_t)f * (size_t)runs[k].sample_count : NULL};
        }
    }
}

void gr_compared_runs_page(const GrComparedRun *runs, int count, GrPage *page)
{
    static const struct {
        const char *title, *x_label, *y_label;
        size_t x, y;
        double scale;
        bool square;
    } kinds[] = {
        {"Way", "x [m]", "y [m]", offsetof(GrRunPlace, x), offsetof(GrRunPlace, y), 1, true},
        {"Slip, mean of the wheels", "distance [m]", "slip [%]", offsetof(GrRunPlace, distance),
         offsetof(GrRunPlace, slip), 100, false},
        {"Work of the drive motors", "distance [m]", "mechanical work [kJ]", offsetof(GrRunPlace, distance),
         offsetof(GrRunPlace, work), 1e-3, false},
        {"Sinkage of the deepest wheel", "distance [m]", "sinkage [mm]", offsetof(GrRunPlace, distance),
         offsetof(GrRunPlace, sinkage), 1000, false},
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0], POINTS = 1500 };
    GrSeries series[KINDS][GR_COMPARED_DESIGNS];
    GrPanel panels[KINDS];
    for (int p = 0; p < KINDS; p++) {
        for (int k = 0; k < count; k++) {
            const size_t each = 1 + (size_t)runs[k].count / POINTS;
            const char *first = (const char *)runs[k].places;
            series[p][k] = (GrSeries){.name = runs[k].label,
                                      .x = (const void *)(first + kinds[p].x),
                                      .y = (const void *)(first + kinds[p].y),
                                      .x_stride = each * sizeof(GrRunPlace),
                                      .y_stride = each * sizeof(GrRunPlace),
                                      .y_scale = kinds[p].scale,
                                      .count = (int)((size_t)runs[k].count / each)};
        }
        panels[p] = (GrPanel){.title = kinds[p].title,
                              .x_label = kinds[p].x_label,
                              .y_label = kinds[p].y_label,
                              .series = series[p],
                              .series_count = count,
                              .square = kinds[p].square,
                              .y_least = kinds[p].square ? 1 : 0};
    }
    gr_page_panels(page, panels, KINDS, NULL);
}
