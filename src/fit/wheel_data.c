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

/// What a column may hold: a quantity, a size of the point's own wheel, or the scatter of a quantity (sd_NAME).
enum { SIZES = GR_QUANTITIES, SCATTERS = SIZES + GR_WHEEL_SIZES, FIELDS = SCATTERS + GR_QUANTITIES };

/// Names of columns; several may mean the same, in different units.
static const struct Column {
    const char *name;
    int field;
    double scale;
} columns[] = {
    {"slip", GR_SLIP, 1},
    {"slip_percent", GR_SLIP, 0.01},
    {"slip_angle_deg", GR_SLIP_ANGLE, GR_DEGREE},
    {"slip_angle_rad", GR_SLIP_ANGLE, 1},
    {"sinkage_m", GR_SINKAGE, 1},
    {"sinkage_mm", GR_SINKAGE, 1e-3},
    {"fx_N", GR_FX, 1},
    {"drawbar_N", GR_FX, 1},
    {"drawbar_pull_N", GR_FX, 1},
    {"fy_N", GR_FY, 1},
    {"fz_N", GR_FZ, 1},
    {"load_N", GR_FZ, 1},
    {"torque_Nm", GR_TORQUE, 1},
    {"radius_m", SIZES + GR_WHEEL_RADIUS, 1},
    {"width_m", SIZES + GR_WHEEL_WIDTH, 1},
    {"grouser_count", SIZES + GR_WHEEL_GROUSER_COUNT, 1},
    {"grouser_height_m", SIZES + GR_WHEEL_GROUSER_HEIGHT, 1},
    {"grouser_thickness_m", SIZES + GR_WHEEL_GROUSER_THICKNESS, 1},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

/// Columns that `grouser wheel --csv` writes besides; they are results and not compared.
static const char *const COMPUTED[] = {"deflection_m", "theta1_deg", "theta_m_deg", "theta2_deg"};
static const char *const BANDS[] = {"_low", "_high"}; ///< ends of their names

/// Beginnings of names that are left out on purpose: standard deviations, and what the user says.
static const char *const LEFT_OUT[] = {"sd_", "ignore_"};

/// Ends of names that say that a column is measured in a unit which a known column could have too.
static const char *const UNITS[] = {"_N", "_kN", "_Nm", "_m", "_mm", "_cm", "_deg", "_rad", "_percent", "_Pa", "_kPa"};

const char *gr_quantity_name(GrQuantity quantity)
{
    static const char *const names[GR_QUANTITIES] = {"slip", "slip_angle", "sinkage", "fx", "fy", "fz", "torque"};
    return names[quantity];
}

/// Column of the table for each field, −1 for none, and the scale of its unit.
typedef struct Layout {
    int column[FIELDS];
    double scale[FIELDS];
} Layout;

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/// Whether a column without a quantity may be passed over: it is none of a measurement, or was marked as not wanted.
static bool may_ignore(const GrCsv *csv, const char *name, const char *const *known)
{
    for (size_t i = 0; i < sizeof LEFT_OUT / sizeof LEFT_OUT[0]; i++) {
        if (begins(name, LEFT_OUT[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof COMPUTED / sizeof COMPUTED[0]; i++) {
        if (strcmp(name, COMPUTED[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof BANDS / sizeof BANDS[0]; i++) {
        if (ends(name, BANDS[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (ends(name, UNITS[i])) {
            return false;
        }
    }
    const char *nearest = gr_text_nearest(name, known, COLUMN_COUNT);
    return nearest == NULL || gr_csv_find(csv, nearest) >= 0;
}

/// Sorts the columns of the file into those that are used and those that are not.
static GrStatus name_columns(const GrCsv *csv, const char *file, const char *const *known, GrWheelData *out,
                             GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < csv->column_count; i++) {
        const char *name = csv->names[i];
        bool is_known = false;
        for (int k = 0; k < COLUMN_COUNT; k++) {
            const bool scatter = begins(name, "sd_") && columns[k].field < GR_QUANTITIES;
            is_known = is_known || strcmp(scatter ? name + 3 : name, known[k]) == 0;
        }
        if (!is_known && !may_ignore(csv, name, known)) {
            status = gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = file, .line = 1, .field = name},
                                  "unknown column that looks like a measurement (ignore_NAME leaves it out)%s",
                                  gr_text_hint(name, known, COLUMN_COUNT, NULL).text);
        } else if (!gr_name_list_add(is_known ? &out->used : &out->ignored, name)) {
            return gr_out_of_memory(log, file);
        }
    }
    return status;
}

/// Notes that the column `name` of the file, if there is one, holds a field.
static GrStatus place(const GrCsv *csv, const char *name, int field, double scale, GrLocation at, Layout *layout,
                      GrErrorLog *log)
{
    const int column = gr_csv_find(csv, name);
    if (column < 0) {
        return GR_OK;
    }
    if (layout->column[field] >= 0) {
        return gr_error_add(log, GR_ERROR_NAME, at, "the columns '%s' and '%s' mean the same; leave one out",
                            csv->names[layout->column[field]], csv->names[column]);
    }
    layout->column[field] = column;
    layout->scale[field] = scale;
    return GR_OK;
}

static GrStatus find_columns(const GrCsv *csv, const char *file, Layout *layout, GrWheelData *out, GrErrorLog *log)
{
    const char *names[COLUMN_COUNT];
    const GrLocation at = {.file = file, .line = 1};
    GrStatus status = GR_OK;
    for (int f = 0; f < FIELDS; f++) {
        layout->column[f] = -1;
    }
    for (int i = 0; i < COLUMN_COUNT && status == GR_OK; i++) {
        const struct Column *c = &columns[i];
        char scatter[64];
        names[i] = c->name;
        snprintf(scatter, sizeof scatter, "sd_%s", c->name);
        status = place(csv, c->name, c->field, c->scale, at, layout, log);
        if (status == GR_OK && c->field < GR_QUANTITIES) {
            status = place(csv, scatter, SCATTERS + c->field, c->scale, at, layout, log);
        }
    }
    status = status == GR_OK ? name_columns(csv, file, names, out, log) : status;
    if (status != GR_OK) {
        return status;
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

/// Allowed values of a field.
static bool in_range(int field, double value, const char **allowed)
{
    if (field == SIZES + GR_WHEEL_RADIUS || field == SIZES + GR_WHEEL_WIDTH) {
        *allowed = "above 0 to 100";
        return value > 0 && value <= 100;
    }
    if (field >= SIZES) {
        const bool whole = field == SIZES + GR_WHEEL_GROUSER_COUNT;
        *allowed = whole ? "a whole number from 0 to 1000" : "0 or more";
        return value >= 0 && (whole ? value <= 1000 && value == floor(value) : isfinite(value));
    }
    if (field == GR_SLIP) {
        *allowed = "-1 to 1";
        return value >= -1 && value <= 1;
    }
    if (field == GR_SLIP_ANGLE) {
        *allowed = "-90 to 90 degrees";
        return fabs(value) <= 90 * GR_DEGREE * (1 + 1e-12);
    }
    if (field == GR_FZ) {
        *allowed = "more than 0";
        return value > 0;
    }
    *allowed = "any finite number";
    return isfinite(value);
}

/// The number in a cell; NAN where it is empty.
static GrStatus read_cell(const GrCsv *csv, int row, const Layout *layout, int field, const char *file, double *out,
                          GrErrorLog *log)
{
    const int column = layout->column[field];
    const double scale = layout->scale[field];
    const char *cell = gr_csv_cell(csv, row, column);
    const GrLocation at = {.file = file, .line = csv->lines[row], .column = column + 1, .field = csv->names[column]};
    char *end;
    const char *allowed;
    *out = (double)NAN;
    if (cell[0] == '\0' || strcmp(cell, "nan") == 0 || strcmp(cell, "NaN") == 0) {
        if (field == GR_SLIP || field == GR_SLIP_ANGLE) {
            return gr_error_add(log, GR_ERROR_VALUE, at, "the cell is empty; every row needs its slip and slip angle");
        }
        return field < SIZES || field >= SCATTERS
                   ? GR_OK
                   : gr_error_add(log, GR_ERROR_VALUE, at, "the cell is empty; every row needs the size of its wheel");
    }
    const double value = gr_number_read(cell, &end);
    if (*end != '\0') {
        return gr_error_add(log, GR_ERROR_VALUE, at, "'%.60s' is not a number", cell);
    }
    if (!in_range(field, value * scale, &allowed)) {
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
        }
        for (int f = 0; f < FIELDS; f++) {
            double number = 0;
            if (layout->column[f] < 0) {
                continue;
            }
            const GrStatus cell = read_cell(csv, row, layout, f, file, &number, log);
            status = status == GR_OK ? cell : status;
            if (f < SIZES) {
                datum->value[f] = number;
            } else if (f < SCATTERS) {
                datum->size[f - SIZES] = number;
                datum->own[f - SIZES] = true;
            } else {
                datum->scatter[f - SCATTERS] = number > 0 ? number : 0;
            }
        }
    }
    return status;
}

static GrStatus read_table(const GrCsv *csv, const char *file, GrWheelData *out, GrErrorLog *log)
{
    Layout layout;
    GrStatus status = find_columns(csv, file, &layout, out, log);
    if (status == GR_OK && csv->row_count == 0) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = file}, "there is no row under the header");
    }
    out->items = status == GR_OK ? gr_calloc((size_t)csv->row_count + 1, sizeof *out->items) : NULL;
    if (status == GR_OK && out->items == NULL) {
        status = gr_out_of_memory(log, file);
    }
    if (status == GR_OK) {
        for (int q = 0; q < GR_QUANTITIES; q++) {
            out->has[q] = layout.column[q] >= 0;
        }
        for (int f = SIZES; f < SCATTERS; f++) {
            out->has_wheel = out->has_wheel || layout.column[f] >= 0;
        }
        status = read_rows(csv, &layout, file, out, log);
    }
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

GrRigDef gr_wheel_datum_rig(const GrRigDef *rig, const GrWheelDatum *datum)
{
    GrRigDef own = *rig;
    double *const sizes[GR_WHEEL_SIZES] = {[GR_WHEEL_RADIUS] = &own.wheel.radius,
                                           [GR_WHEEL_WIDTH] = &own.wheel.width,
                                           [GR_WHEEL_GROUSER_HEIGHT] = &own.wheel.grouser_height,
                                           [GR_WHEEL_GROUSER_THICKNESS] = &own.wheel.grouser_thickness};
    for (int k = 0; k < GR_WHEEL_SIZES; k++) {
        if (datum->own[k] && sizes[k] != NULL) {
            *sizes[k] = datum->size[k];
        }
    }
    if (datum->own[GR_WHEEL_GROUSER_COUNT]) {
        own.wheel.grouser_count = (int)datum->size[GR_WHEEL_GROUSER_COUNT];
    } else if (datum->own[GR_WHEEL_GROUSER_HEIGHT]) { // as --grouser-height has it
        own.wheel.grouser_count = own.wheel.grouser_height > 0 ? 1 : 0;
    }
    own.load = isfinite(datum->value[GR_FZ]) ? datum->value[GR_FZ] : own.load;
    return own;
}

/// The slip at a radius `larger` times that with which it was reckoned.
static double slip_at(double slip, double larger)
{
    const double rim = slip >= 0 ? 1 : 1 + slip, v_x = slip >= 0 ? 1 - slip : 1;
    return gr_slip_ratio(larger * rim, v_x);
}

void gr_wheel_data_slip_at(GrWheelData *data, double larger)
{
    for (int i = 0; i < data->count; i++) {
        double *slip = &data->items[i].value[GR_SLIP];
        *slip = slip_at(*slip, larger);
    }
}

void gr_wheel_data_slip_from(GrWheelData *data, const GrRigDef *rig, double radius)
{
    for (int i = 0; i < data->count; i++) {
        GrWheelDatum *datum = &data->items[i];
        const GrSoilWheelDef wheel = gr_wheel_datum_rig(rig, datum).wheel;
        const double height = wheel.grousers == GR_GROUSER_RADIUS ? wheel.grouser_height : 0;
        datum->value[GR_SLIP] = slip_at(datum->value[GR_SLIP], (wheel.radius + height) / radius);
    }
}

void gr_wheel_data_free(GrWheelData *data)
{
    gr_free(data->items);
    gr_name_list_free(&data->used);
    gr_name_list_free(&data->ignored);
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
