#include "wheel_data.h"

#include "alloc.h"
#include "csv.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Names of columns; several may mean the same, in different units.
static const struct Column {
    const char *name;
    GrQuantity quantity;
    double scale;
} columns[] = {
    {"slip", GR_SLIP, 1},
    {"slip_percent", GR_SLIP, 0.01},
    {"slip_angle_deg", GR_SLIP_ANGLE, GR_DEGREE},
    {"slip_angle_rad", GR_SLIP_ANGLE, 1},
    {"sinkage_m", GR_SINKAGE, 1},
    {"sinkage_mm", GR_SINKAGE, 1e-3},
    {"fx_N", GR_FX, 1},
    {"fy_N", GR_FY, 1},
    {"fz_N", GR_FZ, 1},
    {"load_N", GR_FZ, 1},
    {"torque_Nm", GR_TORQUE, 1},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

const char *gr_quantity_name(GrQuantity quantity)
{
    static const char *const names[GR_QUANTITIES] = {"slip", "slip_angle", "sinkage", "fx", "fy", "fz", "torque"};
    return names[quantity];
}

/// Column of the table for each quantity, −1 for none, and the scale of its unit.
typedef struct Layout {
    int column[GR_QUANTITIES];
    double scale[GR_QUANTITIES];
} Layout;

static GrStatus find_columns(const GrCsv *csv, const char *file, Layout *layout, GrErrorLog *log)
{
    const char *names[COLUMN_COUNT];
    const GrLocation at = {.file = file, .line = 1};
    for (int q = 0; q < GR_QUANTITIES; q++) {
        layout->column[q] = -1;
    }
    for (int i = 0; i < COLUMN_COUNT; i++) {
        names[i] = columns[i].name;
        const int column = gr_csv_find(csv, columns[i].name), q = (int)columns[i].quantity;
        if (column >= 0 && layout->column[q] >= 0) {
            return gr_error_add(log, GR_ERROR_NAME, at, "the columns '%s' and '%s' mean the same; leave one out",
                                csv->names[layout->column[q]], csv->names[column]);
        }
        if (column >= 0) {
            layout->column[q] = column;
            layout->scale[q] = columns[i].scale;
        }
    }
    for (int i = 0; i < csv->column_count; i++) {
        const char *nearest = gr_text_nearest(csv->names[i], names, COLUMN_COUNT);
        if (nearest != NULL && strcmp(nearest, csv->names[i]) != 0 && gr_csv_find(csv, nearest) < 0) {
            gr_warning_add(log, at, "the column '%.60s' is not used%s", csv->names[i],
                           gr_text_hint(csv->names[i], names, COLUMN_COUNT, "").text);
        }
    }
    if (layout->column[GR_SLIP] < 0) {
        return gr_error_add(log, GR_ERROR_FIELD, at, "there is no column 'slip' (or slip_percent)");
    }
    for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
        if (layout->column[q] >= 0) {
            return GR_OK;
        }
    }
    return gr_error_add(
        log, GR_ERROR_FIELD, at,
        "no measured quantity: none of these columns is present: sinkage_m, sinkage_mm, fx_N, fy_N, fz_N, torque_Nm");
}

/// Allowed values of a quantity.
static bool in_range(GrQuantity quantity, double value, const char **allowed)
{
    if (quantity == GR_SLIP) {
        *allowed = "-1 to 1";
        return value >= -1 && value <= 1;
    }
    if (quantity == GR_SLIP_ANGLE) {
        *allowed = "-90 to 90 degrees";
        return fabs(value) <= 90 * GR_DEGREE * (1 + 1e-12);
    }
    if (quantity == GR_FZ) {
        *allowed = "more than 0";
        return value > 0;
    }
    *allowed = "any finite number";
    return isfinite(value);
}

static GrStatus read_cell(const GrCsv *csv, int row, int column, double scale, GrQuantity quantity, const char *file,
                          double *out, GrErrorLog *log)
{
    const char *cell = gr_csv_cell(csv, row, column);
    const GrLocation at = {.file = file, .line = csv->lines[row], .column = column + 1, .field = csv->names[column]};
    char *end;
    const char *allowed;
    *out = (double)NAN;
    if (cell[0] == '\0' || strcmp(cell, "nan") == 0 || strcmp(cell, "NaN") == 0) {
        if (quantity == GR_SLIP || quantity == GR_SLIP_ANGLE) {
            return gr_error_add(log, GR_ERROR_VALUE, at, "the cell is empty; every row needs its slip and slip angle");
        }
        return GR_OK;
    }
    const double value = gr_number_read(cell, &end);
    if (*end != '\0') {
        return gr_error_add(log, GR_ERROR_VALUE, at, "'%.60s' is not a number", cell);
    }
    if (!in_range(quantity, value * scale, &allowed)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "%.60s is out of range; allowed: %s", cell, allowed);
    }
    *out = value * scale;
    return GR_OK;
}

static GrStatus read_rows(const GrCsv *csv, const Layout *layout, const char *file, GrWheelData *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int row = 0; row < csv->row_count; row++) {
        GrWheelDatum *datum = &out->items[out->count++];
        datum->line = csv->lines[row];
        for (int q = 0; q < GR_QUANTITIES; q++) {
            datum->value[q] = q == GR_SLIP_ANGLE ? 0 : (double)NAN;
            if (layout->column[q] >= 0) {
                const GrStatus cell = read_cell(csv, row, layout->column[q], layout->scale[q], (GrQuantity)q, file,
                                                &datum->value[q], log);
                status = status == GR_OK ? cell : status;
            }
        }
    }
    return status;
}

static GrStatus read_table(const GrCsv *csv, const char *file, GrWheelData *out, GrErrorLog *log)
{
    Layout layout;
    GrStatus status = find_columns(csv, file, &layout, log);
    if (status == GR_OK && csv->row_count == 0) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = file}, "there is no row under the header");
    }
    if (status != GR_OK) {
        return status;
    }
    out->items = gr_calloc((size_t)csv->row_count + 1, sizeof *out->items);
    if (out->items == NULL) {
        return gr_out_of_memory(log, file);
    }
    for (int q = 0; q < GR_QUANTITIES; q++) {
        out->has[q] = layout.column[q] >= 0;
    }
    status = read_rows(csv, &layout, file, out, log);
    if (status != GR_OK) {
        gr_wheel_data_free(out);
    }
    return status;
}

GrStatus gr_wheel_data_parse(const char *text, size_t length, const char *file, GrWheelData *out, GrErrorLog *log)
{
    GrCsv csv;
    *out = (GrWheelData){0};
    GrStatus status = gr_csv_parse(text, length, file, &csv, log);
    if (status == GR_OK) {
        status = read_table(&csv, file, out, log);
        gr_csv_free(&csv);
    }
    return status;
}

GrStatus gr_wheel_data_load(const char *path, GrWheelData *out, GrErrorLog *log)
{
    GrCsv csv;
    *out = (GrWheelData){0};
    GrStatus status = gr_csv_load(path, &csv, log);
    if (status == GR_OK) {
        status = read_table(&csv, path, out, log);
        gr_csv_free(&csv);
    }
    return status;
}

void gr_wheel_data_slip_at(GrWheelData *data, double larger)
{
    for (int i = 0; i < data->count; i++) {
        double *slip = &data->items[i].value[GR_SLIP];
        const double rim = *slip >= 0 ? 1 : 1 + *slip, v_x = *slip >= 0 ? 1 - *slip : 1;
        *slip = gr_slip_ratio(larger * rim, v_x);
    }
}

void gr_wheel_data_free(GrWheelData *data)
{
    gr_free(data->items);
    *data = (GrWheelData){0};
}

double gr_quantity_of(const GrRigPoint *point, GrQuantity quantity)
{
    switch (quantity) {
    case GR_SINKAGE:
        return point->sinkage;
    case GR_FX:
        return point->f_x;
    case GR_FY:
        return point->f_y;
    case GR_TORQUE:
        return point->torque;
    default:
        return (double)NAN;
    }
}
