#include "run_loads.h"

#include "alloc.h"
#include "file.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

enum { FELT = 3, BODY = 6 };

const GrLoadComponent gr_load_components[GR_LOAD_COMPONENTS] = {
    {"fx_N", "Fx [N]"},    {"fy_N", "Fy [N]"},    {"fz_N", "Fz [N]"},
    {"mx_Nm", "Mx [N m]"}, {"my_Nm", "My [N m]"}, {"mz_Nm", "Mz [N m]"},
};

/// The joint that the column "joint.NAME.fx_N" is of; false: another column.
static bool joint_of(const char *column, char name[64])
{
    const size_t length = strlen(column);
    const char *end = ".fx_N";
    if (strncmp(column, "joint.", 6) != 0 || length < 6 + strlen(end) ||
        strcmp(column + length - strlen(end), end) != 0) {
        return false;
    }
    snprintf(name, 64, "%.*s", (int)(length - 6 - strlen(end)), column + 6);
    return true;
}

/// Names of the joints that are wanted.
static GrStatus list_joints(const GrCsv *csv, const char *path, const GrRunLoadsDef *def, GrRunLoads *out,
                            GrErrorLog *log)
{
    char name[64], others[GR_CSV_COLUMNS / 8][64];
    const char *names[GR_CSV_COLUMNS / 8];
    int count = 0;
    out->joints = gr_calloc((size_t)csv->column_count + 1, sizeof *out->joints);
    if (out->joints == NULL) {
        return gr_out_of_memory(log, path);
    }
    for (int i = 0; i < csv->column_count && count < GR_CSV_COLUMNS / 8; i++) {
        if (!joint_of(csv->names[i], name)) {
            continue;
        }
        memcpy(others[count], name, sizeof others[count]);
        names[count] = others[count];
        count++;
        if (def->joint == NULL || strcmp(def->joint, name) == 0) {
            gr_text_copy(out->joints[out->joint_count].name, sizeof out->joints[0].name, name);
            out->joint_count++;
        }
    }
    if (count == 0) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = path, .field = "joint.*.fx_N"},
                            "there are no components of loads: the rover has no joints, or the run is of a version "
                            "that recorded their magnitudes alone; repeat the run");
    }
    if (out->joint_count == 0) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = path, .field = def->joint},
                            "is not a joint of this run%s", gr_text_hint(def->joint, names, count, "").text);
    }
    return GR_OK;
}

static GrStatus read_cell(const GrCsv *csv, const char *path, int row, int column, double *out, GrErrorLog *log)
{
    const char *text = gr_csv_cell(csv, row, column);
    char *end = NULL;
    *out = text[0] == '\0' ? (double)NAN : gr_number_read(text, &end);
    if (text[0] != '\0' && (end == text || *end != '\0')) {
        return gr_error_add(log, GR_ERROR_VALUE,
                            (GrLocation){.file = path, .line = csv->lines[row], .field = csv->names[column]},
                            "'%.40s' is not a number", text);
    }
    return GR_OK;
}

/// A column by its name, of the rows within the times; `out` [count].
static GrStatus read_column(const GrCsv *csv, const char *path, const char *name, const int *rows, int count,
                            double *out, GrErrorLog *log)
{
    const int column = gr_csv_find(csv, name);
    GrStatus status = GR_OK;
    if (column < 0) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = path, .field = name}, "there is no such column");
    }
    for (int i = 0; i < count && status == GR_OK; i++) {
        status = read_cell(csv, path, rows[i], column, &out[i], log);
    }
    return status;
}

/// Rows within the times.
static GrStatus choose_rows(const GrCsv *csv, const char *path, const GrRunLoadsDef *def, int *rows, int *count,
                            GrErrorLog *log)
{
    const int column = gr_csv_find(csv, "time_s");
    GrStatus status = GR_OK;
    *count = 0;
    if (column < 0) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.file = path, .field = "time_s"},
                            "there is no such column: this is not the table of a run");
    }
    for (int i = 0; i < csv->row_count && status == GR_OK; i++) {
        double time;
        status = read_cell(csv, path, i, column, &time, log);
        if (time >= def->from && time <= def->to) {
            rows[(*count)++] = i;
        }
    }
    if (status == GR_OK && *count < 2) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .field = "time_s"},
                            "fewer than two samples between %g and %g s", def->from, def->to);
    }
    return status;
}

static GrLoadCase case_at(const double *time, double *const *series, int components, int at)
{
    GrLoadCase c = {.time = time[at]};
    for (int k = 0; k < components; k++) {
        c.value[k] = series[k][at];
    }
    return c;
}

/// Index of the largest magnitude of three components; `stride` 2 leaves every second sample out.
static int largest_of(double *const *series, int count, int stride, double *most)
{
    int at = 0;
    *most = 0;
    for (int i = 0; i < count; i += stride) {
        const double x = series[0][i], y = series[1][i], z = series[2][i], size = sqrt(x * x + y * y + z * z);
        if (size > *most) {
            *most = size;
            at = i;
        }
    }
    return at;
}

static void find_envelope(const GrRunLoads *loads, GrJointLoads *joint)
{
    for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
        const double *values = joint->series[k];
        int high = 0, low = 0;
        for (int i = 1; i < loads->count; i++) {
            high = values[i] > values[high] ? i : high;
            low = values[i] < values[low] ? i : low;
        }
        joint->highest[k] = case_at(loads->time, joint->series, GR_LOAD_COMPONENTS, high);
        joint->lowest[k] = case_at(loads->time, joint->series, GR_LOAD_COMPONENTS, low);
    }
    double most;
    int at = largest_of(joint->series, loads->count, 1, &most);
    joint->force = case_at(loads->time, joint->series, GR_LOAD_COMPONENTS, at);
    at = largest_of(joint->series + GR_LOAD_MX, loads->count, 1, &most);
    joint->moment = case_at(loads->time, joint->series, GR_LOAD_COMPONENTS, at);
}

/// How much smaller the largest force of a joint would be with half of the samples: a measure of what is between them.
static void judge_rate(GrRunLoads *loads)
{
    double largest = 0;
    for (int i = 0; i < loads->joint_count; i++) {
        largest = fmax(largest, gr_load_force(&loads->joints[i].force));
    }
    for (int i = 0; i < loads->joint_count; i++) {
        const GrJointLoads *joint = &loads->joints[i];
        const double all = gr_load_force(&joint->force);
        double odd, even, *shifted[3];
        for (int k = 0; k < 3; k++) {
            shifted[k] = joint->series[k] + 1;
        }
        largest_of(joint->series, loads->count, 2, &even);
        largest_of(shifted, loads->count - 1, 2, &odd);
        const double missed = all > 0.1 * largest ? 1 - fmin(odd, even) / all : 0;
        if (missed > loads->missed) {
            loads->missed = missed;
            loads->missed_joint = joint->name;
        }
    }
}

static GrStatus count_cycles(const GrRunLoads *loads, GrJointLoads *joint, double *work)
{
    for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
        GrCycle *cycles = gr_calloc((size_t)loads->count, sizeof *cycles);
        if (cycles == NULL) {
            return GR_ERROR_MEMORY;
        }
        joint->cycles[k] = cycles;
        joint->cycle_count[k] = gr_rainflow(joint->series[k], loads->count, work, cycles);
    }
    return GR_OK;
}

static GrStatus read_joint(const GrCsv *csv, const char *path, const int *rows, GrRunLoads *loads, GrJointLoads *joint,
                           double *work, GrErrorLog *log)
{
    static const char *const ACCELERATIONS[FELT] = {"ax_m_per_s2", "ay_m_per_s2", "az_m_per_s2"};
    const size_t n = (size_t)loads->count;
    double *felt[FELT], most;
    char name[128];
    GrStatus status = GR_OK;
    for (int k = 0; k < GR_LOAD_COMPONENTS && status == GR_OK; k++) {
        snprintf(name, sizeof name, "joint.%s.%s", joint->name, gr_load_components[k].name);
        status = read_column(csv, path, name, rows, loads->count, joint->series[k], log);
    }
    for (int k = 0; k < FELT && status == GR_OK; k++) {
        felt[k] = work + (size_t)k * n;
        snprintf(name, sizeof name, "joint.%s.%s", joint->name, ACCELERATIONS[k]);
        status = read_column(csv, path, name, rows, loads->count, felt[k], log);
    }
    if (status == GR_OK) {
        joint->felt = case_at(loads->time, felt, FELT, largest_of(felt, loads->count, 1, &most));
        find_envelope(loads, joint);
        status = count_cycles(loads, joint, work);
    }
    return status == GR_ERROR_MEMORY ? gr_out_of_memory(log, path) : status;
}

static GrStatus read_body(const GrCsv *csv, const char *path, const int *rows, GrRunLoads *loads, double *work,
                          GrErrorLog *log)
{
    static const char *const COLUMNS[BODY] = {"imu_ax_m_per_s2",       "imu_ay_m_per_s2",
                                              "imu_az_m_per_s2",       "angular_ax_rad_per_s2",
                                              "angular_ay_rad_per_s2", "angular_az_rad_per_s2"};
    double *series[BODY], most;
    GrStatus status = GR_OK;
    for (int k = 0; k < BODY && status == GR_OK; k++) {
        series[k] = work + (size_t)k * (size_t)loads->count;
        status = read_column(csv, path, COLUMNS[k], rows, loads->count, series[k], log);
    }
    if (status == GR_OK) {
        loads->body = case_at(loads->time, series, BODY, largest_of(series, loads->count, 1, &most));
        loads->turning = case_at(loads->time, series, BODY, largest_of(series + FELT, loads->count, 1, &most));
    }
    return status;
}

static GrStatus read_table(const GrCsv *csv, const char *path, const GrRunLoadsDef *def, int *rows, GrRunLoads *out,
                           GrErrorLog *log)
{
    GrStatus status = list_joints(csv, path, def, out, log);
    status = status == GR_OK ? choose_rows(csv, path, def, rows, &out->count, log) : status;
    if (status != GR_OK) {
        return status;
    }
    const size_t n = (size_t)out->count, joints = (size_t)out->joint_count;
    out->memory = gr_calloc(n * (1 + BODY + GR_LOAD_COMPONENTS * joints), sizeof *out->memory);
    if (out->memory == NULL) {
        return gr_out_of_memory(log, path);
    }
    out->time = out->memory;
    double *work = out->memory + n, *next = work + BODY * n;
    status = read_column(csv, path, "time_s", rows, out->count, out->time, log);
    status = status == GR_OK ? read_body(csv, path, rows, out, work, log) : status;
    for (int i = 0; i < out->joint_count && status == GR_OK; i++) {
        for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
            out->joints[i].series[k] = next;
            next += n;
        }
        status = read_joint(csv, path, rows, out, &out->joints[i], work, log);
    }
    if (status == GR_OK) {
        out->interval = (out->time[out->count - 1] - out->time[0]) / (out->count - 1);
        judge_rate(out);
    }
    return status;
}

GrStatus gr_run_loads_read(const char *folder, const GrRunLoadsDef *def, GrRunLoads *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrCsv csv;
    *out = (GrRunLoads){0};
    snprintf(path, sizeof path, "%.900s/run.csv", folder);
    GrStatus status = gr_csv_load(path, &csv, log);
    if (status != GR_OK) {
        return status;
    }
    int *rows = gr_calloc((size_t)csv.row_count + 1, sizeof *rows);
    status = rows != NULL ? read_table(&csv, path, def, rows, out, log) : gr_out_of_memory(log, path);
    gr_free(rows);
    gr_csv_free(&csv);
    if (status != GR_OK) {
        gr_run_loads_free(out);
    }
    return status;
}

void gr_run_loads_free(GrRunLoads *loads)
{
    for (int i = 0; i < loads->joint_count; i++) {
        for (int k = 0; k < GR_LOAD_COMPONENTS; k++) {
            gr_free(loads->joints[i].cycles[k]);
        }
    }
    gr_free(loads->joints);
    gr_free(loads->memory);
    *loads = (GrRunLoads){0};
}
