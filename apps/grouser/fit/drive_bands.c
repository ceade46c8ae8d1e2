/// Predictions beside what was measured along a drive, as text, JSON and plots.
#include "drive_input.h"

#include "alloc.h"
#include "file.h"
#include "number.h"
#include "page.h"
#include "plot.h"

#include <math.h>
#include <string.h>

static const char *rounded(double value, int digits, char out[GR_NUMBER_SIZE])
{
    gr_number_round(value, digits, out);
    return isfinite(value) ? out : "–";
}

static bool is_outside(const GrDriveBand *b)
{
    return isfinite(b->measured) && !isnan(b->low) && !(b->measured >= b->low && b->measured <= b->high);
}

/// The next run of stretches outside the band from *at on; false: none.
static bool next_outside(const GrDrivePrediction *p, GrPredicted q, int *at, int *first, int *last)
{
    while (*at < p->count && !is_outside(&p->items[*at][q])) {
        (*at)++;
    }
    *first = *at;
    while (*at < p->count && is_outside(&p->items[*at][q])) {
        (*at)++;
    }
    *last = *at - 1;
    return *first < p->count;
}

static void print_outside(const GrDriveInput *in, const GrDrivePrediction *p, GrPredicted q, FILE *file)
{
    enum { SHOWN = 6 };
    int at = 0, first, last, count = 0;
    while (next_outside(p, q, &at, &first, &last)) {
        const GrStretch *items = in->stretches.items;
        if (count < SHOWN) {
            fprintf(file, "%s%.4g–%.4g m", count == 0 ? "; leaves it at " : ", ", items[first].from, items[last].to);
        }
        count++;
    }
    if (count > SHOWN) {
        fprintf(file, " and %d more places", count - SHOWN);
    }
}

static void print_total(const GrDriveInput *in, const GrDrivePrediction *p, FILE *file)
{
    char value[GR_NUMBER_SIZE], low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE], measured[GR_NUMBER_SIZE];
    double length = 0;
    for (int i = 0; i < in->stretches.count; i++) {
        length += in->stretches.items[i].to - in->stretches.items[i].from;
    }
    fprintf(file, "drive energy: predicted %s J", rounded(p->total.value, 4, value));
    if (!isnan(p->total.low)) {
        fprintf(file, " (90 %%: %s … %s)", rounded(p->total.low, 3, low), rounded(p->total.high, 3, high));
    }
    fprintf(file, ", %s J/m", rounded(p->total.value / length, 3, value));
    if (isfinite(p->total.measured)) {
        fprintf(file, "; measured %s J", rounded(p->total.measured, 4, measured));
        fprintf(file, ", %s J/m", rounded(p->total.measured / length, 3, measured));
    }
    fputs("\n", file);
}

void gr_drive_bands_print(const GrDriveInput *in, const GrDrivePrediction *p, FILE *file)
{
    for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
        const GrCoverage c = gr_drive_coverage(p, (GrPredicted)q);
        if (c.measured > 0) {
            fprintf(file, "%s: %d of %d stretches inside the 90 %% band", gr_predicted[q].name, c.inside, c.measured);
            print_outside(in, p, (GrPredicted)q, file);
            fputs("\n", file);
        }
    }
    print_total(in, p, file);
    if (p->stuck > 0) {
        fprintf(file, "on %d stretches this soil cannot hold the rover at all: predicted slip 1\n", p->stuck);
    }
}

static void write_band(GrJson *json, const char *key, const GrDriveBand *b)
{
    char name[64];
    gr_json_number(json, key, b->value);
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, b->low);
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, b->high);
    snprintf(name, sizeof name, "%s_measured", key);
    gr_json_number(json, name, b->measured);
}

static void write_coverage(const GrDriveInput *in, const GrDrivePrediction *p, GrJson *json)
{
    gr_json_begin_object(json, "coverage");
    for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
        const GrCoverage c = gr_drive_coverage(p, (GrPredicted)q);
        int at = 0, first, last;
        if (c.measured == 0) {
            continue;
        }
        gr_json_begin_object(json, gr_predicted[q].key);
        gr_json_integer(json, "stretches", c.measured);
        gr_json_integer(json, "inside", c.inside);
        gr_json_begin_array(json, "outside_m");
        while (next_outside(p, (GrPredicted)q, &at, &first, &last)) {
            gr_json_numbers(json, NULL,
                            (const double[2]){in->stretches.items[first].from, in->stretches.items[last].to}, 2);
        }
        gr_json_end(json);
        gr_json_end(json);
    }
    gr_json_end(json);
}

void gr_drive_bands_json(const GrDriveInput *in, const GrDrivePrediction *p, GrJson *json)
{
    write_coverage(in, p, json);
    write_band(json, "energy_J", &p->total);
    gr_json_begin_array(json, "drive");
    for (int i = 0; i < p->count; i++) {
        const GrStretch *s = &in->stretches.items[i];
        gr_json_begin_object(json, NULL);
        gr_json_number(json, "from_m", s->from);
        gr_json_number(json, "to_m", s->to);
        gr_json_number(json, "tilt_deg", s->measured[GR_DRIVE_TILT] / GR_DEGREE);
        for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
            write_band(json, gr_predicted[q].key, &p->items[i][q]);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

// ---- page

enum { COLUMNS = 5 }; // distance, prediction, low, high, measured

/// Columns of one quantity, or of the tilt, in `room`.
static void fill_columns(const GrDriveInput *in, const GrDrivePrediction *p, int q, double *room)
{
    const int n = p->count;
    for (int i = 0; i < n; i++) {
        const GrStretch *s = &in->stretches.items[i];
        const GrDriveBand *b = &p->items[i][q];
        const double f = gr_predicted[q].factor, columns[COLUMNS] = {0.5 * (s->from + s->to), f * b->value, f * b->low,
                                                                     f * b->high, f * b->measured};
        for (int k = 0; k < COLUMNS; k++) {
            room[k * n + i] = isinf(columns[k]) ? (double)NAN : columns[k];
        }
    }
}

/// Thin lines at the change points, over the range of a panel's values.
static int add_changes(const double *changes, int count, const double *values, int n, double *room, GrSeries *out)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int i = 0; i < n; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    for (int k = 0; k < count; k++) {
        double *x = room + 4 * k, *y = x + 2;
        x[0] = x[1] = changes[k];
        y[0] = low;
        y[1] = high;
        out[k] = (GrSeries){.kind = GR_SERIES_DASHED, .x = x, .y = y, .count = 2, .color = GR_PLOT_GUIDE};
    }
    return count;
}

void gr_drive_bands_page(const GrDriveInput *in, const GrDrivePrediction *p, const double *changes, int change_count,
                         GrBuffer *page)
{
    GrSeries series[GR_PREDICTED_QUANTITIES][2 + GR_DRIVE_SEGMENTS];
    GrPanel panels[GR_PREDICTED_QUANTITIES];
    char labels[GR_PREDICTED_QUANTITIES][64];
    double lines[GR_PREDICTED_QUANTITIES][4 * GR_DRIVE_SEGMENTS];
    const int n = p->count;
    double *room = gr_calloc((size_t)n * COLUMNS * GR_PREDICTED_QUANTITIES, sizeof *room);
    page->failed = page->failed || room == NULL;
    for (int q = 0; q < GR_PREDICTED_QUANTITIES && room != NULL; q++) {
        double *x = room + (size_t)n * COLUMNS * (size_t)q;
        fill_columns(in, p, q, x);
        series[q][0] = (GrSeries){.name = "predicted, 90 % band",
                                  .x = x,
                                  .y = x + n,
                                  .count = n,
                                  .color = 1,
                                  .lower = x + 2 * n,
                                  .upper = x + 3 * n};
        series[q][1] =
            (GrSeries){.name = "measured", .kind = GR_SERIES_POINTS, .x = x, .y = x + 4 * n, .count = n, .color = 2};
        const int extra = add_changes(changes, change_count, x + n, n, lines[q], &series[q][2]);
        snprintf(labels[q], sizeof labels[q], "%s [%s]", gr_predicted[q].name, gr_predicted[q].unit);
        panels[q] = (GrPanel){.x_label = "distance [m]",
                              .y_label = labels[q],
                              .series = series[q],
                              .series_count = 2 + extra,
                              .zero_line = true};
    }
    GrBuffer svg = {0};
    const GrPlot plot = {.panels = panels,
                         .panel_count = GR_PREDICTED_QUANTITIES,
                         .columns = 2,
                         .panel_width = 590,
                         .panel_height = 320};
    if (room != NULL && gr_plot_write(&plot, &svg) == GR_OK) {
        gr_page_svg(page, svg.data,
                    "Points: means of the telemetry over a stretch. Lines: the soil at the tilt of the stretch, with "
                    "the band of its spread and of the law's errors. Dashed: change points.");
    }
    gr_buffer_free(&svg);
    gr_free(room);
}

GrStatus gr_drive_write_page(const char *path, GrBuffer *page, FILE *say, GrErrorLog *log)
{
    const GrStatus status = page->failed ? GR_ERROR_MEMORY : gr_file_write(path, page->data, page->size, log);
    if (status == GR_OK) {
        fprintf(say, "wrote %s\n", path);
    }
    return status == GR_ERROR_FILE ? GR_ERROR_NUMERIC : status; // not the input's fault: exit 1
}
