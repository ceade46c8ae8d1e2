#include "wheel_data.h"

#include "alloc.h"
#include "columns.h"
#include "number.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a column may hold: a quantity, a size of the point's own wheel, or the scatter of a quantity (sd_NAME).
enum { SIZES = GR_QUANTITIES, SCATTERS = SIZES + GR_WHEEL_SIZES, FIELDS = SCATTERS + GR_QUANTITIES };

static const GrColumnName NAMES[] = {
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
    {"slip_ratio", GR_SLIP, 1},
    {"slip_ratio_percent", GR_SLIP, 0.01},
    {"slip_pct", GR_SLIP, 0.01},
    {"beta_deg", GR_SLIP_ANGLE, GR_DEGREE},
    {"beta_rad", GR_SLIP_ANGLE, 1},
    {"sinkage_cm", GR_SINKAGE, 1e-2},
    {"pull_N", GR_FX, 1},
    {"DP_N", GR_FX, 1},
    {"drawbar_pull_kN", GR_FX, 1000},
    {"wheel_load_N", GR_FZ, 1},
    {"normal_load_N", GR_FZ, 1},
    {"vertical_load_N", GR_FZ, 1},
    {"normal_force_N", GR_FZ, 1},
    {"vertical_force_N", GR_FZ, 1},
    {"load_kN", GR_FZ, 1000},
    {"wheel_torque_Nm", GR_TORQUE, 1},
    {"driving_torque_Nm", GR_TORQUE, 1},
    {"radius_mm", SIZES + GR_WHEEL_RADIUS, 1e-3},
    {"wheel_radius_m", SIZES + GR_WHEEL_RADIUS, 1},
    {"wheel_radius_mm", SIZES + GR_WHEEL_RADIUS, 1e-3},
    {"diameter_m", SIZES + GR_WHEEL_RADIUS, 0.5},
    {"diameter_mm", SIZES + GR_WHEEL_RADIUS, 5e-4},
    {"wheel_diameter_m", SIZES + GR_WHEEL_RADIUS, 0.5},
    {"wheel_diameter_mm", SIZES + GR_WHEEL_RADIUS, 5e-4},
    {"width_mm", SIZES + GR_WHEEL_WIDTH, 1e-3},
    {"wheel_width_m", SIZES + GR_WHEEL_WIDTH, 1},
    {"wheel_width_mm", SIZES + GR_WHEEL_WIDTH, 1e-3},
    {"grouser_height_mm", SIZES + GR_WHEEL_GROUSER_HEIGHT, 1e-3},
    {"lug_height_m", SIZES + GR_WHEEL_GROUSER_HEIGHT, 1},
    {"lug_height_mm", SIZES + GR_WHEEL_GROUSER_HEIGHT, 1e-3},
    {"lug_count", SIZES + GR_WHEEL_GROUSER_COUNT, 1},
};

static const GrColumnTable TABLE = {.names = NAMES,
                                    .count = sizeof NAMES / sizeof NAMES[0],
                                    .suggested = 18,
                                    .scattered = GR_QUANTITIES,
                                    .scatter = SCATTERS};
_Static_assert((int)FIELDS <= (int)GR_COLUMN_FIELDS, "there is room for all fields");

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
static bool may_ignore(const GrColumns *columns, const char *name)
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
    double scale;
    const char *nearest = gr_column_nearest(&TABLE, name);
    return nearest == NULL || columns->column[gr_column_field(&TABLE, nearest, &scale)] >= 0;
}

/// Sorts the file's columns into those that are used and those that are not. With a map, those without a meaning are
/// left out.
static GrStatus name_columns(const GrCsv *csv, const char *file, const GrColumns *columns, GrWheelData *out,
                             GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < csv->column_count && (status == GR_OK || status == GR_ERROR_NAME); i++) {
        const char *name = csv->names[i];
        const bool used = gr_columns_has(columns, i);
        double scale;
        const bool meant = gr_column_field(&TABLE, name, &scale) >= 0; // another column has its place
        if (!used && !meant && !columns->mapped && !may_ignore(columns, name)) {
            status = gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = file, .line = 1, .field = name},
                                  "unknown column that looks like a measurement (ignore_NAME leaves it out; --columns "
                                  "NAME=COLUMN says what columns are)%s",
                                  gr_column_hint(&TABLE, name, NULL).text);
        } else if (!gr_name_list_add(used ? &out->used : &out->ignored, name)) {
            return gr_out_of_memory(log, file);
        }
    }
    return status;
}

static GrStatus find_columns(const GrCsv *csv, const char *file, const char *const *map, GrColumns *columns,
                             GrWheelData *out, GrErrorLog *log)
{
    const GrLocation at = {.file = file, .line = 1};
    GrStatus status = gr_columns_find(&TABLE, csv, file, (GrColumnMap){"--columns", map}, columns, log);
    if (status == GR_OK || status == GR_ERROR_NAME) {
        const GrStatus named = name_columns(csv, file, columns, out, log);
        status = status == GR_OK ? named : status;
    }
    if (status != GR_OK) {
        return status;
    }
    if (columns->column[GR_SLIP] < 0) {
        return gr_error_add(log, GR_ERROR_FIELD, at,
                            "there is no column 'slip' (or slip_percent; --columns slip=COLUMN names another)");
    }
    for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
        if (columns->column[q] >= 0) {
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
        *allowed = "-1 to 1 (-100 to 100 in a column slip_percent)";
        return value >= -1 && value <= 1;
    }
    if (field == GR_SLIP_ANGLE) {
        *allowed = "-90 to 90 degrees";
        return fabs(value) <= 90 * GR_DEGREE * (1 + 1e-12);
    }
    if (field == GR_FZ) {
        *allowed = "more than 0 (--columns fz_N=-COLUMN turns the sign)";
        return value > 0;
    }
    *allowed = "any finite number";
    return isfinite(value);
}

/// The number in a cell; NAN where it is empty.
static GrStatus read_cell(const GrCsv *csv, int row, const GrColumns *columns, int field, const char *file, double *out,
                          GrErrorLog *log)
{
    const int column = columns->column[field];
    const GrStatus status = gr_column_number(csv, file, row, column, columns->scale[field], field, in_range, out, log);
    const bool needed = field == GR_SLIP || field == GR_SLIP_ANGLE || (field >= SIZES && field < SCATTERS);
    if (status == GR_OK && isnan(*out) && needed) {
        return gr_error_add(
            log, GR_ERROR_VALUE,
            (GrLocation){.file = file, .line = csv->lines[row], .column = column + 1, .field = csv->names[column]},
            "the cell is empty; every row needs %s",
            field < SIZES ? "its slip and slip angle" : "the size of its wheel");
    }
    return status;
}

/// Whether a row has words in all used columns: that of the units under the names.
static bool has_units(const GrCsv *csv, int row, const GrColumns *columns)
{
    for (int f = 0; f < FIELDS; f++) {
        char *end = NULL;
        const char *cell = columns->column[f] >= 0 ? gr_csv_cell(csv, row, columns->column[f]) : "-";
        if (cell[0] == '\0' || (gr_number_read(cell, &end), *end == '\0')) {
            return false;
        }
    }
    return true;
}

static GrStatus read_rows(const GrCsv *csv, const GrColumns *columns, const char *file, GrWheelData *out,
                          GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int row = csv->row_count > 1 && has_units(csv, 0, columns); row < csv->row_count; row++) {
        GrWheelDatum *datum = &out->items[out->count++];
        datum->line = csv->lines[row];
        for (int q = 0; q < GR_QUANTITIES; q++) {
            datum->value[q] = q == GR_SLIP_ANGLE ? 0 : (double)NAN;
        }
        for (int f = 0; f < FIELDS; f++) {
            double number = 0;
            if (columns->column[f] < 0) {
                continue;
            }
            const GrStatus cell = read_cell(csv, row, columns, f, file, &number, log);
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

/// Reads and frees a table that was parsed with this status.
static GrStatus read_table(GrStatus status, GrCsv *csv, const char *file, const char *const *map, GrWheelData *out,
                           GrErrorLog *log)
{
    GrColumns columns;
    *out = (GrWheelData){0};
    status = status == GR_OK ? find_columns(csv, file, map, &columns, out, log) : status;
    if (status == GR_OK && csv->row_count == 0) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = file}, "there is no row under the header");
    }
    out->items = status == GR_OK ? gr_calloc((size_t)csv->row_count + 1, sizeof *out->items) : NULL;
    if (status == GR_OK && out->items == NULL) {
        status = gr_out_of_memory(log, file);
    }
    if (status == GR_OK) {
        for (int q = 0; q < GR_QUANTITIES; q++) {
            out->has[q] = columns.column[q] >= 0;
        }
        for (int f = SIZES; f < SCATTERS; f++) {
            out->has_wheel = out->has_wheel || columns.column[f] >= 0;
        }
        status = read_rows(csv, &columns, file, out, log);
    }
    if (status != GR_OK) {
        gr_wheel_data_free(out);
    }
    gr_csv_free(csv);
    return status;
}

GrStatus gr_wheel_data_parse(const char *text, size_t length, const char *file, GrWheelData *out, GrErrorLog *log)
{
    GrCsv csv;
    return read_table(gr_csv_parse(text, length, file, &csv, log), &csv, file, NULL, out, log);
}

GrStatus gr_wheel_data_load(const char *path, const char *const *map, GrWheelData *out, GrErrorLog *log)
{
    GrCsv csv;
    return read_table(gr_csv_load(path, &csv, log), &csv, path, map, out, log);
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
