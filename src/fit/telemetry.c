/// Columns and rows of telemetry.
#include "telemetry.h"

#include "alloc.h"
#include "columns.h"
#include "number.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Names of columns; several may mean the same, in different units. Those of wheels may have the wheel's name and a
/// point in front.
static const GrColumnName COLUMNS[] = {
    {"time_s", GR_CHANNEL_TIME, 1},
    {"distance_m", GR_CHANNEL_DISTANCE, 1},
    {"x_m", GR_CHANNEL_X, 1},
    {"y_m", GR_CHANNEL_Y, 1},
    {"heading_deg", GR_CHANNEL_HEADING, GR_DEGREE},
    {"heading_rad", GR_CHANNEL_HEADING, 1},
    {"pitch_deg", GR_CHANNEL_PITCH, GR_DEGREE},
    {"pitch_rad", GR_CHANNEL_PITCH, 1},
    {"pitch_up_deg", GR_CHANNEL_PITCH, -GR_DEGREE},
    {"pitch_up_rad", GR_CHANNEL_PITCH, -1},
    {"roll_deg", GR_CHANNEL_ROLL, GR_DEGREE},
    {"roll_rad", GR_CHANNEL_ROLL, 1},
    {"imu_ax_m_per_s2", GR_CHANNEL_AX, 1},
    {"imu_ay_m_per_s2", GR_CHANNEL_AY, 1},
    {"imu_az_m_per_s2", GR_CHANNEL_AZ, 1},
    {"energy.electric_J", GR_CHANNEL_ENERGY, 1},
    {"energy_J", GR_CHANNEL_ENERGY, 1},
    {"energy_Wh", GR_CHANNEL_ENERGY, 3600},
    {"power_W", GR_CHANNEL_POWER, 1},
    {"slip", GR_CHANNEL_SLIP, 1},
    {"slip_percent", GR_CHANNEL_SLIP, 0.01},
    {"slip_angle_deg", GR_CHANNEL_SLIP_ANGLE, GR_DEGREE},
    {"slip_angle_rad", GR_CHANNEL_SLIP_ANGLE, 1},
    {"sinkage_m", GR_CHANNEL_SINKAGE, 1},
    {"sinkage_cm", GR_CHANNEL_SINKAGE, 0.01},
    {"sinkage_mm", GR_CHANNEL_SINKAGE, 0.001},
    {"torque_Nm", GR_CHANNEL_TORQUE, 1},
    {"current_A", GR_CHANNEL_CURRENT, 1},
    {"current_mA", GR_CHANNEL_CURRENT, 0.001},
    {"speed_rad_per_s", GR_CHANNEL_SPEED, 1},
    {"power_W", GR_CHANNEL_DRIVE, 1}, // of a wheel
};

enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0], BARE = -1, ROCK = GR_CHANNELS };
static const GrColumnTable TABLE = {.names = COLUMNS, .count = COLUMN_COUNT, .suggested = COLUMN_COUNT};

/// What a column of the file is; the scale of its unit.
typedef struct Meaning {
    int channel; ///< −1: nothing; ROCK: state of a wheel on rocks
    int wheel;   ///< BARE: of the rover
    double scale;
} Meaning;

static int find_wheel(const GrDriveRover *rover, const char *name, size_t length)
{
    for (int i = 0; i < rover->wheel_count; i++) {
        if (strlen(rover->names[i]) == length && strncmp(rover->names[i], name, length) == 0) {
            return i;
        }
    }
    return BARE;
}

/// NAME, or WHEEL.NAME for what belongs to a wheel.
static Meaning meaning_of(const char *name, const GrDriveRover *rover)
{
    const char *dot = strchr(name, '.');
    const int wheel = dot != NULL ? find_wheel(rover, name, (size_t)(dot - name)) : BARE;
    const char *own = wheel != BARE ? dot + 1 : name;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (strcmp(own, COLUMNS[i].name) == 0 && (wheel == BARE || COLUMNS[i].field >= GR_CHANNEL_SLIP)) {
            return (Meaning){COLUMNS[i].field, wheel, COLUMNS[i].scale};
        }
    }
    return (Meaning){wheel != BARE && strcmp(own, "rock_state") == 0 ? ROCK : -1, wheel, 1};
}

/// Applies "NAME=COLUMN": the file's column has the meaning of NAME, and no other column has.
static GrStatus apply_map(const char *entry, const GrCsv *csv, const GrDriveRover *rover, const char *file,
                          Meaning *meanings, GrErrorLog *log)
{
    char name[128];
    const char *equals = strchr(entry, '=');
    const GrLocation at = {.field = "--columns"};
    if (equals == NULL || equals == entry || equals[1] == '\0' || (size_t)(equals - entry) >= sizeof name) {
        return gr_error_add(log, GR_ERROR_USAGE, at, "'%.100s': takes NAME=COLUMN, such as slip=SLIP_EST", entry);
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - entry), entry);
    const Meaning meaning = meaning_of(name, rover);
    if (meaning.channel < 0) {
        return gr_error_add(log, GR_ERROR_NAME, at, "there is no quantity '%s'%s", name,
                            gr_column_hint(&TABLE, name, "; docs/drives.md lists them").text);
    }
    const int column = gr_column_named(csv, file, equals + 1, "--columns", log);
    if (column < 0) {
        return GR_ERROR_NAME;
    }
    for (int i = 0; i < csv->column_count; i++) {
        if (meanings[i].channel == meaning.channel && (meaning.wheel == BARE || meanings[i].wheel == meaning.wheel)) {
            meanings[i].channel = -1;
        }
    }
    meanings[column] = meaning;
    return GR_OK;
}

static bool has_channel(const Meaning *meanings, int count, GrChannel channel)
{
    for (int i = 0; i < count; i++) {
        if (meanings[i].channel == (int)channel) {
            return true;
        }
    }
    return false;
}

/// Columns whose number another one tells better are ignored, and listed as such.
static void drop_superseded(const GrCsv *csv, Meaning *meanings)
{
    static const struct {
        GrChannel better, other;
    } ORDER[] = {{GR_CHANNEL_AX, GR_CHANNEL_PITCH},     {GR_CHANNEL_AX, GR_CHANNEL_ROLL},
                 {GR_CHANNEL_DRIVE, GR_CHANNEL_ENERGY}, {GR_CHANNEL_DRIVE, GR_CHANNEL_POWER},
                 {GR_CHANNEL_ENERGY, GR_CHANNEL_POWER}, {GR_CHANNEL_TORQUE, GR_CHANNEL_CURRENT}};
    for (size_t k = 0; k < sizeof ORDER / sizeof ORDER[0]; k++) {
        for (int i = 0; i < csv->column_count && has_channel(meanings, csv->column_count, ORDER[k].better); i++) {
            meanings[i].channel = meanings[i].channel == (int)ORDER[k].other ? -1 : meanings[i].channel;
        }
    }
}

/// An accelerometer counts with all its axes only, and not where the user names a column for the pitch.
static void check_accelerometer(const GrCsv *csv, bool named, Meaning *meanings)
{
    bool whole = !named;
    for (int axis = GR_CHANNEL_AX; axis <= GR_CHANNEL_AZ; axis++) {
        whole = whole && has_channel(meanings, csv->column_count, (GrChannel)axis);
    }
    for (int i = 0; i < csv->column_count && !whole; i++) {
        const bool of_it = meanings[i].channel >= GR_CHANNEL_AX && meanings[i].channel <= GR_CHANNEL_AZ;
        meanings[i].channel = of_it ? -1 : meanings[i].channel;
    }
}

/// Two columns for one number are an error; so are a column for all wheels and columns for single ones.
static GrStatus check_twice(const GrCsv *csv, const Meaning *meanings, const char *file, GrErrorLog *log)
{
    for (int i = 0; i < csv->column_count; i++) {
        for (int j = 0; j < i && meanings[i].channel >= 0 && meanings[i].channel != ROCK; j++) {
            const bool same = meanings[i].channel == meanings[j].channel;
            const bool together =
                meanings[i].wheel == meanings[j].wheel || meanings[i].wheel == BARE || meanings[j].wheel == BARE;
            if (same && together) {
                return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = file, .line = 1},
                                    "the columns '%s' and '%s' mean the same; leave one out, or choose one with "
                                    "--columns",
                                    csv->names[j], csv->names[i]);
            }
        }
    }
    return GR_OK;
}

/// `present`: channels that some column has, used or not.
static GrStatus name_columns(const GrCsv *csv, const Meaning *meanings, const bool *present, const char *file,
                             GrTelemetry *out, GrErrorLog *log)
{
    for (int i = 0; i < csv->column_count; i++) {
        const bool used = meanings[i].channel >= 0;
        if (!gr_name_list_add(used ? &out->used : &out->ignored, csv->names[i])) {
            return gr_out_of_memory(log, file);
        }
        if (used && meanings[i].channel != ROCK) {
            out->has[meanings[i].channel] = true;
        }
    }
    for (int i = 0; i < csv->column_count; i++) {
        const char *name = csv->names[i], *nearest = gr_column_nearest(&TABLE, name);
        for (int k = 0; k < COLUMN_COUNT && meanings[i].channel < 0 && nearest != NULL; k++) {
            if (nearest == COLUMNS[k].name && strcmp(name, nearest) != 0 && !present[COLUMNS[k].field]) {
                gr_warning_add(log, (GrLocation){.file = file, .line = 1}, "the column '%.60s' is not used%s", name,
                               gr_column_hint(&TABLE, name, "").text);
            }
        }
    }
    return GR_OK;
}

static bool in_range(int channel, double value, const char **allowed)
{
    if (channel == GR_CHANNEL_SLIP) {
        *allowed = "-1 to 1";
        return value >= -1 && value <= 1;
    }
    if (channel == GR_CHANNEL_PITCH || channel == GR_CHANNEL_ROLL || channel == GR_CHANNEL_SLIP_ANGLE) {
        *allowed = "-90 to 90 degrees";
        return fabs(value) <= 90 * GR_DEGREE * (1 + 1e-12);
    }
    *allowed = "any finite number";
    return isfinite(value);
}

/// One row: numbers of the rover, means over the wheels that have one.
static GrStatus read_row(const GrCsv *csv, int row, const Meaning *meanings, const char *file, GrTelemetryRow *out,
                         GrErrorLog *log)
{
    GrStatus status = GR_OK;
    int counts[GR_CHANNELS] = {0};
    *out = (GrTelemetryRow){0};
    for (int i = 0; i < csv->column_count; i++) {
        const int channel = meanings[i].channel;
        double value;
        if (channel == ROCK) {
            const char *cell = gr_csv_cell(csv, row, i);
            out->on_rock = out->on_rock || (cell[0] != '\0' && strcmp(cell, "rock: no collision") != 0);
        } else if (channel >= 0) {
            const GrStatus cell =
                gr_column_number(csv, file, row, i, meanings[i].scale, channel, in_range, &value, log);
            status = status == GR_OK ? cell : status;
            value = channel == GR_CHANNEL_DRIVE && value < 0 ? 0 : value;
            out->value[channel] += isfinite(value) ? value : 0;
            counts[channel] += isfinite(value);
        }
    }
    for (int k = 0; k < GR_CHANNELS; k++) {
        out->value[k] = counts[k] > 0 ? out->value[k] / counts[k] : (double)NAN;
    }
    return status;
}

/// Reads and frees a table that was parsed with this status.
static GrStatus read_table(GrStatus status, GrCsv *csv, const char *file, const char *const *map,
                           const GrDriveRover *rover, GrTelemetry *out, GrErrorLog *log)
{
    Meaning meanings[GR_CSV_COLUMNS];
    *out = (GrTelemetry){0};
    if (status != GR_OK) {
        return status;
    }
    bool pitch_named = false, present[GR_CHANNELS];
    for (int i = 0; i < csv->column_count; i++) {
        meanings[i] = meaning_of(csv->names[i], rover);
    }
    for (int i = 0; map != NULL && map[i] != NULL; i++) {
        const GrStatus entry = apply_map(map[i], csv, rover, file, meanings, log);
        status = status == GR_OK ? entry : status;
        pitch_named = pitch_named || strncmp(map[i], "pitch", 5) == 0;
    }
    for (int k = 0; k < GR_CHANNELS; k++) {
        present[k] = has_channel(meanings, csv->column_count, (GrChannel)k);
    }
    check_accelerometer(csv, pitch_named, meanings);
    drop_superseded(csv, meanings);
    status = status == GR_OK ? check_twice(csv, meanings, file, log) : status;
    status = status == GR_OK ? name_columns(csv, meanings, present, file, out, log) : status;
    if (status == GR_OK && csv->row_count == 0) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = file}, "there is no row under the header");
    }
    out->rows = status == GR_OK ? gr_calloc((size_t)csv->row_count, sizeof *out->rows) : NULL;
    if (status == GR_OK && out->rows == NULL) {
        status = gr_out_of_memory(log, file);
    }
    for (int row = 0; out->rows != NULL && row < csv->row_count; row++) {
        const GrStatus read = read_row(csv, row, meanings, file, &out->rows[out->count++], log);
        status = status == GR_OK ? read : status;
    }
    if (status != GR_OK) {
        gr_telemetry_free(out);
    }
    gr_csv_free(csv);
    return status;
}

GrStatus gr_telemetry_parse(const char *text, size_t length, const char *file, const char *const *map,
                            const GrDriveRover *rover, GrTelemetry *out, GrErrorLog *log)
{
    GrCsv csv;
    return read_table(gr_csv_parse(text, length, file, &csv, log), &csv, file, map, rover, out, log);
}

GrStatus gr_telemetry_load(const char *path, const char *const *map, const GrDriveRover *rover, GrTelemetry *out,
                           GrErrorLog *log)
{
    GrCsv csv;
    return read_table(gr_csv_load(path, &csv, log), &csv, path, map, rover, out, log);
}

void gr_telemetry_free(GrTelemetry *telemetry)
{
    gr_free(telemetry->rows);
    gr_name_list_free(&telemetry->used);
    gr_name_list_free(&telemetry->ignored);
    *telemetry = (GrTelemetry){0};
}
