#include "measured.h"

#include "alloc.h"
#include "csv.h"
#include "number.h"
#include "out_of_memory.h"
#include "shipped.h"

#include <math.h>
#include <stdlib.h>

GrStatus gr_measured_find(const char *name, char path[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    if (gr_shipped_find("measurements", name, ".csv", path)) {
        return GR_OK;
    }
    return gr_error_add(
        log, GR_ERROR_FILE, (GrLocation){0},
        "there is no table measurements/%s.csv; set GROUSER_DATA to the folder that holds measurements/", name);
}

static GrStatus read_column(const GrCsv *csv, const char *path, const char *column, double *out, GrErrorLog *log)
{
    const int k = gr_csv_find(csv, column);
    if (k < 0) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = path, .line = 1}, "there is no column '%s'",
                            column);
    }
    for (int i = 0; i < csv->row_count; i++) {
        const char *text = gr_csv_cell(csv, i, k);
        char *end;
        out[i] = gr_number_read(text, &end);
        if (end == text || *end != '\0' || !isfinite(out[i])) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .line = csv->lines[i], .field = column},
                                "found '%.40s', allowed: a number", text);
        }
    }
    return GR_OK;
}

GrStatus gr_measured_load(const char *name, const char *const *columns, int column_count, GrMeasured *out,
                          GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrCsv csv;
    *out = (GrMeasured){0};
    GrStatus status = gr_measured_find(name, path, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_csv_load(path, &csv, log);
    if (status != GR_OK) {
        return status;
    }
    double *values = gr_calloc((size_t)(column_count * csv.row_count) + 1, sizeof *values);
    if (values == NULL) {
        gr_csv_free(&csv);
        return gr_out_of_memory(log, path);
    }
    for (int k = 0; k < column_count && status == GR_OK; k++) {
        status = read_column(&csv, path, columns[k], values + k * csv.row_count, log);
    }
    if (status == GR_OK) {
        *out = (GrMeasured){values, csv.row_count};
    } else {
        gr_free(values);
    }
    gr_csv_free(&csv);
    return status;
}

void gr_measured_free(GrMeasured *table)
{
    gr_free(table->values);
    *table = (GrMeasured){0};
}
