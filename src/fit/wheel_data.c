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

/// Names of columns; several may mean the same, in different units. Case and what is neither letter nor digit do not
/// count: "Drawbar pull [N]" is drawbar_pull_N. Messages suggest the first KNOWN.
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

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0], KNOWN = 18, SQUEEZED = 64 };

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

/// Letters and digits of a name in lower case, % as percent and ° as deg.
static void squeeze(const char *name, char out[SQUEEZED])
{
    int used = 0;
    for (const char *c = name; *c != '\0' && used < SQUEEZED - 8; c++) {
        if ((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z')) {
            out[used++] = *c;
        } else if (*c >= 'A' && *c <= 'Z') {
            out[used++] = (char)(*c - 'A' + 'a');
        } else if (*c == '%' || begins(c, "°")) {
            used += snprintf(out + used, SQUEEZED - (size_t)used, "%s", *c == '%' ? "percent" : "deg");
        }
    }
    out[used] = '\0';
}

/// The field of a name and the scale of its unit; −1: it has none. sd_NAME is the scatter of a quantity.
static int meaning_of(const char *name, double *scale)
{
    char own[SQUEEZED], known[SQUEEZED];
    squeeze(name, own);
    const bool scatter = begins(name, "sd_") || begins(name, "SD_");
    for (int k = 0; k < COLUMN_COUNT; k++) {
        squeeze(columns[k].name, known);
        *scale = columns[k].scale;
        if (strcmp(own, known) == 0) {
            return columns[k].field;
        }
        if (scatter && columns[k].field < GR_QUANTITIES && strcmp(own + 2, known) == 0) {
            return SCATTERS + columns[k].field;
        }
    }
    return -1;
}

/// Whether a column without a quantity may be passed over: it is none of a measurement, or was marked as not wanted.
static bool may_ignore(const Layout *layout, const char *name, const char *const *known)
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
    const char *nearest = gr_text_nearest(name, known, KNOWN);
    return nearest == NULL || layout->column[meaning_of(nearest, &scale)] >= 0;
}

/// Notes that a column of the file holds a field.
static GrStatus place(const GrCsv *csv, int column, int field, double scale, GrLocation at, Layout *layout,
                      GrErrorLog *log)
{
    if (layout->column[field] >= 0) {
        return gr_error_add(log, GR_ERROR_NAME, at, "the columns '%s' and '%s' mean the same; leave one out",
                            csv->names[layout->column[field]], csv->names[column]);
    }
    layout->column[field] = column;
    layout->scale[field] = scale;
    return GR_OK;
}

/// Takes NAME=COLUMN, or NAME=-COLUMN for a column of the other sign.
static GrStatus map_column(const GrCsv *csv, const char *file, const char *entry, const char *const *known,
                           Layout *layout, GrErrorLog *log)
{
    char name[SQUEEZED];
    double scale;
    const char *equals = strchr(entry, '='), *column_name = equals != NULL ? equals + 1 : "";
    snprintf(name, sizeof name, "%.*s", (int)fmin((double)strcspn(entry, "="), SQUEEZED - 1), entry);
    const int field = equals != NULL ? meaning_of(name, &scale) : -1;
    if (field < 0) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "--columns"},
                            "takes NAME=COLUMN; there is no quantity '%s'%s", name,
                            gr_text_hint(name, known, KNOWN, NULL).text);
    }
    int column = gr_csv_find(csv, column_name);
    if (column < 0 && column_name[0] == '-') {
        column = gr_csv_find(csv, column_name + 1);
        scale = -scale;
    }
    if (column < 0) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = file, .line = 1, .field = "--columns"},
                            "there is no column '%.60s'%s", column_name,
                            gr_text_hint(column_name, (const char *const *)csv->names, csv->column_count, NULL).text);
    }
    return place(csv, column, field, scale, (GrLocation){.file = file, .line = 1, .field = "--columns"}, layout, log);
}

/// Finds the columns of the fields, and sorts the file's columns into those that are used and those that are not. With
/// a map those without a meaning are left out.
static GrStatus place_columns(const GrCsv *csv, const char *file, const char *const *map, Layout *layout,
                              GrWheelData *out, GrErrorLog *log)
{
    const char *known[COLUMN_COUNT];
    bool mapped[FIELDS];
    GrStatus status = GR_OK;
    for (int k = 0; k < COLUMN_COUNT; k++) {
        known[k] = columns[k].name;
    }
    for (int f = 0; f < FIELDS; f++) {
        layout->column[f] = -1;
    }
    for (int i = 0; map != NULL && map[i] != NULL && status == GR_OK; i++) {
        status = map_column(csv, file, map[i], known, layout, log);
    }
    for (int f = 0; f < FIELDS; f++) {
        mapped[f] = layout->column[f] >= 0;
    }
    for (int i = 0; i < csv->column_count && status == GR_OK; i++) {
        double scale;
        const int field = meaning_of(csv->names[i], &scale);
        if (field >= 0 && !mapped[field]) {
            status = place(csv, i, field, scale, (GrLocation){.file = file, .line = 1}, layout, log);
        }
    }
    for (int i = 0; i < csv->column_count && (status == GR_OK || status == GR_ERROR_NAME); i++) {
        const char *name = csv->names[i];
        bool used = false;
        for (int f = 0; f < FIELDS; f++) {
            used = used || layout->column[f] == i;
        }
        double scale;
        const bool meant = meaning_of(name, &scale) >= 0; // another column has its place
        if (!used && !meant && map == NULL && !may_ignore(layout, name, known)) {
            status = gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = file, .line = 1, .field = name},
                                  "unknown column that looks like a measurement (ignore_NAME leaves it out; --columns "
                                  "NAME=COLUMN says what columns are)%s",
                                  gr_text_hint(name, known, KNOWN, NULL).text);
        } else if (!gr_name_list_add(used ? &out->used : &out->ignored, name)) {
            return gr_out_of_memory(log, file);
        }
    }
    return status;
}

static GrStatus find_columns(const GrCsv *csv, const char *file, const char *const *map, Layout *layout,
                             GrWheelData *out, GrErrorLog *log)
{
    const GrLocation at = {.file = file, .line = 1};
    const GrStatus status = place_columns(csv, file, map, layout, out, log);
    if (status != GR_OK) {
        return status;
    }
    if (layout->column[GR_SLIP] < 0) {
        return gr_error_add(log, GR_ERROR_FIELD, at,
                            "there is no column 'slip' (or slip_percent; --columns slip=COLUMN names another)");
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

/// Whether a row has words in all used columns: that of the units under the names.
static bool has_units(const GrCsv *csv, int row, const Layout *layout)
{
    for (int f = 0; f < FIELDS; f++) {
        char *end = NULL;
        const char *cell = layout->column[f] >= 0 ? gr_csv_cell(csv, row, layout->column[f]) : "-";
        if (cell[0] == '\0' || (gr_number_read(cell, &end), *end == '\0')) {
            return false;
        }
    }
    return true;
}

static GrStatus read_rows(const GrCsv *csv, const Layout *layout, const char *file, GrWheelData *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int row = csv->row_count > 1 && has_units(csv, 0, layout); row < csv->row_count; row++) {
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

static GrStatus read_table(const GrCsv *csv, const char *file, const char *const *map, GrWheelData *out,
                           GrErrorLog *log)
{
    Layout layout;
    GrStatus status = find_columns(csv, file, map, &layout, out, log);
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
        status = read_table(&csv, file, NULL, out, log);
        gr_csv_free(&csv);
    }
    return status;
}

GrStatus gr_wheel_data_load(const char *path, const char *const *map, GrWheelData *out, GrErrorLog *log)
{
    GrCsv csv;
    *out = (GrWheelData){0};
    GrStatus status = gr_csv_load(path, &csv, log);
    if (status == GR_OK) {
        status = read_table(&csv, path, map, out, log);
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
