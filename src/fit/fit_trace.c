#include "fit_trace.h"

#include "alloc.h"
#include "csv.h"
#include "dense.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Measured traces: a CSV file -> points.

enum { LOAD, SLIP, TROUGH, CREST, MEAN, AMPLITUDE, COLUMNS };

static const char *const NAMES[COLUMNS] = {"load_N", "slip", "trough_mm", "crest_mm", "mean_mm", "amplitude_mm"};
static const double LOWER[COLUMNS] = {0, -1, -1e3, -1e3, -1e3, 0};
static const double UPPER[COLUMNS] = {1e6, 1, 1e3, 1e3, 1e3, 1e3};

static GrStatus find_columns(const GrCsv *csv, const char *file, int column[COLUMNS], GrErrorLog *log)
{
    const GrLocation at = {.file = file, .line = 1};
    for (int k = 0; k < COLUMNS; k++) {
        column[k] = gr_csv_find(csv, NAMES[k]);
    }
    for (int i = 0; i < csv->column_count; i++) {
        const char *nearest = gr_text_nearest(csv->names[i], NAMES, COLUMNS);
        if (nearest != NULL && strcmp(nearest, csv->names[i]) != 0 && gr_csv_find(csv, nearest) < 0) {
            gr_warning_add(log, at, "the column '%.60s' is not used%s", csv->names[i],
                           gr_text_hint(csv->names[i], NAMES, COLUMNS, "").text);
        }
    }
    if (column[LOAD] < 0) {
        return gr_error_add(log, GR_ERROR_FIELD, at, "there is no column 'load_N'");
    }
    if ((column[TROUGH] < 0 || column[CREST] < 0) && (column[MEAN] < 0 || column[AMPLITUDE] < 0)) {
        return gr_error_add(log, GR_ERROR_FIELD, at,
                            "the columns trough_mm and crest_mm, or mean_mm and amplitude_mm, are needed");
    }
    return csv->row_count > 0 ? GR_OK : gr_error_add(log, GR_ERROR_VALUE, at, "there is no row under the header");
}

static GrStatus read_cell(const GrCsv *csv, int row, int column, int k, const char *file, double *out, GrErrorLog *log)
{
    const char *cell = gr_csv_cell(csv, row, column);
    const GrLocation at = {.file = file, .line = csv->lines[row], .column = column + 1, .field = NAMES[k]};
    char *end;
    *out = gr_number_read(cell, &end);
    if (end == cell || *end != '\0') {
        return gr_error_add(log, GR_ERROR_VALUE, at, "'%.60s' is not a number", cell);
    }
    if (!(*out >= LOWER[k] && *out <= UPPER[k]) || (k == LOAD && *out == 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "%.60s is out of range; allowed: %s %g to %g", cell,
                            k == LOAD ? "above" : "from", LOWER[k], UPPER[k]);
    }
    return GR_OK;
}

static GrStatus read_rows(const GrCsv *csv, const int column[COLUMNS], const char *file, GrTraceData *out,
                          GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const bool ends = column[TROUGH] >= 0 && column[CREST] >= 0;
    for (int row = 0; row < csv->row_count; row++) {
        double v[COLUMNS] = {0};
        for (int k = 0; k < COLUMNS; k++) {
            if (column[k] >= 0) {
                const GrStatus cell = read_cell(csv, row, column[k], k, file, &v[k], log);
                status = status == GR_OK ? cell : status;
            }
        }
        out->items[out->count++] = (GrTraceDatum){
            v[LOAD], v[SLIP], 1e-3 * (column[MEAN] >= 0 || !ends ? v[MEAN] : 0.5 * (v[TROUGH] + v[CREST])),
            1e-3 * (column[AMPLITUDE] >= 0 || !ends ? v[AMPLITUDE] : v[CREST] - v[TROUGH])};
    }
    return status;
}

/// Reads and frees a table that was parsed with this status.
static GrStatus read_table(GrStatus status, GrCsv *csv, const char *file, GrTraceData *out, GrErrorLog *log)
{
    int column[COLUMNS];
    *out = (GrTraceData){0};
    status = status == GR_OK ? find_columns(csv, file, column, log) : status;
    if (status == GR_OK) {
        out->items = gr_calloc((size_t)csv->row_count, sizeof *out->items);
        out->has_slip = column[SLIP] >= 0;
        status = out->items != NULL ? read_rows(csv, column, file, out, log) : gr_out_of_memory(log, file);
    }
    if (status != GR_OK) {
        gr_trace_data_free(out);
    }
    gr_csv_free(csv);
    return status;
}

GrStatus gr_trace_data_parse(const char *text, size_t length, const char *file, GrTraceData *out, GrErrorLog *log)
{
    GrCsv csv;
    return read_table(gr_csv_parse(text, length, file, &csv, log), &csv, file, out, log);
}

GrStatus gr_trace_data_load(const char *path, GrTraceData *out, GrErrorLog *log)
{
    GrCsv csv;
    return read_table(gr_csv_load(path, &csv, log), &csv, path, out, log);
}

void gr_trace_data_free(GrTraceData *data)
{
    gr_free(data->items);
    *data = (GrTraceData){0};
}

// ---- fit

/// Which value of a datum a line is fitted to.
typedef enum Which { MEAN_RUT, SWING } Which;

static double measured(const GrTraceDatum *d, Which which)
{
    return which == MEAN_RUT ? d->mean : d->swing;
}

double gr_trace_line_at(const GrTraceLine *line, double load, double slip)
{
    return line->base + line->load * load + line->slip * fabs(slip);
}

/// Least-squares line through all points except one (−1: all points); false when they do not determine it.
static bool fit_line(const GrTraceData *data, Which which, int but, bool by_slip, GrTraceLine *out)
{
    const int n = by_slip ? 3 : 2;
    double a[9] = {0}, b[3] = {0}, scale = 0;
    for (int i = 0; i < data->count; i++) {
        scale = fmax(scale, data->items[i].load);
    }
    for (int i = 0; i < data->count; i++) {
        const GrTraceDatum *d = &data->items[i];
        const double x[3] = {1, d->load / scale, fabs(d->slip)};
        for (int j = 0; j < n && i != but; j++) {
            for (int k = 0; k < n; k++) {
                a[n * j + k] += x[j] * x[k];
            }
            b[j] += x[j] * measured(d, which);
        }
    }
    if (!gr_dense_solve(n, a, b)) {
        return false;
    }
    *out = (GrTraceLine){b[0], b[1] / scale, by_slip ? b[2] : 0};
    return isfinite(out->base) && isfinite(out->load) && isfinite(out->slip);
}

static GrTraceErrors find_errors(const GrTraceData *data, Which which, bool by_slip, const GrTraceLine *line)
{
    GrTraceErrors e = {0};
    for (int i = 0; i < data->count; i++) {
        const GrTraceDatum *d = &data->items[i];
        const double value = measured(d, which), off = fabs(gr_trace_line_at(line, d->load, d->slip) - value);
        GrTraceLine others;
        e.mean_absolute += off / data->count;
        e.mean_percent += value != 0 ? 100 * off / fabs(value) / data->count : 0;
        e.largest = off > e.largest ? off : e.largest;
        e.left_out += data->count > (by_slip ? 4 : 3) && fit_line(data, which, i, by_slip, &others)
                          ? fabs(gr_trace_line_at(&others, d->load, d->slip) - value) / data->count
                          : (double)NAN;
    }
    return e;
}

/// Whether slips and loads are linearly related, so that their effects cannot be separated.
static bool go_together(const GrTraceData *data)
{
    double load = 0, slip = 0, ll = 0, ls = 0, ss = 0;
    for (int i = 0; i < data->count; i++) {
        load += data->items[i].load / data->count;
        slip += fabs(data->items[i].slip) / data->count;
    }
    for (int i = 0; i < data->count; i++) {
        const double l = data->items[i].load - load, s = fabs(data->items[i].slip) - slip;
        ll += l * l;
        ls += l * s;
        ss += s * s;
    }
    return ls * ls > (1 - 1e-9) * ll * ss;
}

/// Whether values differ enough for a slope over them.
static bool varies(double lowest, double highest)
{
    return highest - lowest > 1e-6 * fmax(fabs(lowest), fabs(highest));
}

static GrStatus check(const GrTraceData *data, GrTraceFit *out, GrErrorLog *log)
{
    double slip_min = (double)INFINITY, slip_max = 0;
    out->def.load_min = (double)INFINITY;
    out->def.load_max = 0;
    for (int i = 0; i < data->count; i++) {
        const GrTraceDatum *d = &data->items[i];
        out->def.load_min = fmin(out->def.load_min, d->load);
        out->def.load_max = fmax(out->def.load_max, d->load);
        slip_min = fmin(slip_min, fabs(d->slip));
        slip_max = fmax(slip_max, fabs(d->slip));
    }
    out->by_slip = data->has_slip && varies(slip_min, slip_max);
    const int least = out->by_slip ? 4 : 3;
    if (data->count < least) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--data"},
                            "%d traces cannot determine a line%s; %d or more are needed", data->count,
                            out->by_slip ? " over load and slip" : "", least);
    }
    if (!varies(out->def.load_min, out->def.load_max)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--data"},
                            "all traces have the same load; no line over it can be found");
    }
    if (out->by_slip && go_together(data)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--data"},
                            "load and slip are linearly related in all traces, so that their effects cannot be "
                            "separated; add traces at other loads or slips");
    }
    return GR_OK;
}

GrStatus gr_trace_fit(const GrTraceData *data, const GrTraceDef *wheel, GrTraceFit *out, GrErrorLog *log)
{
    memset(out, 0, sizeof *out);
    out->def = *wheel;
    const GrStatus status = check(data, out, log);
    if (status != GR_OK) {
        return status;
    }
    if (!fit_line(data, MEAN_RUT, -1, out->by_slip, &out->def.mean) ||
        !fit_line(data, SWING, -1, out->by_slip, &out->def.swing)) {
        return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){.field = "--data"},
                            "no line can be fitted to the traces");
    }
    out->mean = find_errors(data, MEAN_RUT, out->by_slip, &out->def.mean);
    out->swing = find_errors(data, SWING, out->by_slip, &out->def.swing);
    return gr_trace_check(&out->def, log);
}
