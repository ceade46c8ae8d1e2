/// Measured traces: a CSV file -> points.
#include "fit_trace.h"

#include "alloc.h"
#include "csv.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static GrStatus read_table(GrCsv *csv, const char *file, GrTraceData *out, GrErrorLog *log)
{
    int column[COLUMNS];
    GrStatus status = find_columns(csv, file, column, log);
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
    *out = (GrTraceData){0};
    const GrStatus status = gr_csv_parse(text, length, file, &csv, log);
    return status == GR_OK ? read_table(&csv, file, out, log) : status;
}

GrStatus gr_trace_data_load(const char *path, GrTraceData *out, GrErrorLog *log)
{
    GrCsv csv;
    *out = (GrTraceData){0};
    const GrStatus status = gr_csv_load(path, &csv, log);
    return status == GR_OK ? read_table(&csv, path, out, log) : status;
}

void gr_trace_data_free(GrTraceData *data)
{
    gr_free(data->items);
    *data = (GrTraceData){0};
}
