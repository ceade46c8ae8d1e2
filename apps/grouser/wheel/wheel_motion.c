#include "wheel_motion.h"

#include "alloc.h"
#include "csv.h"
#include "motion_rig.h"
#include "out_of_memory.h"
#include "report.h"
#include "ruts_raster.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Longest step of the rig [s].
static const double STEP = 0.005;

typedef enum Use { PRESCRIBED, MEASURED } Use;

/// Columns of the file, and of the answer; members of GrMotionRow.
static const struct Quantity {
    const char *name;
    size_t offset;
    double scale; ///< of the file's unit
    int axis;     ///< −1: none
    bool force;
} QUANTITIES[] = {
    {"x_m", offsetof(GrMotionRow, position[0]), 1, 0, false},
    {"y_m", offsetof(GrMotionRow, position[1]), 1, 1, false},
    {"sinkage_m", offsetof(GrMotionRow, position[2]), 1, 2, false},
    {"fx_N", offsetof(GrMotionRow, force[0]), 1, 0, true},
    {"fy_N", offsetof(GrMotionRow, force[1]), 1, 1, true},
    {"fz_N", offsetof(GrMotionRow, force[2]), 1, 2, true},
    {"torque_Nm", offsetof(GrMotionRow, torque), 1, -1, false},
    {"wheel_speed_rad_per_s", offsetof(GrMotionRow, speed), 1, -1, false},
    {"slip_angle_deg", offsetof(GrMotionRow, slip_angle), GR_DEGREE, -1, false},
    {"time_s", offsetof(GrMotionRow, time), 1, -1, false},
};

enum { COUNT = sizeof QUANTITIES / sizeof QUANTITIES[0], TIME = COUNT - 1, SPEED = 7, ANGLE = 8, SHOWN = 7 };

typedef struct Input {
    GrMotionRow *rows;
    int count;
    bool has[COUNT];
    bool by_force[GR_MOTION_AXES];
} Input;

static double *value_of(GrMotionRow *row, int quantity)
{
    return (double *)(void *)((unsigned char *)row + QUANTITIES[quantity].offset);
}

static int find_quantity(const char *name, size_t length)
{
    for (int i = 0; i < COUNT; i++) {
        if (strlen(QUANTITIES[i].name) == length && strncmp(QUANTITIES[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

static GrHint quantity_hint(const char *name)
{
    const char *names[COUNT];
    for (int i = 0; i < COUNT; i++) {
        names[i] = QUANTITIES[i].name;
    }
    return gr_text_hint(name, names, COUNT, NULL);
}

/// Column of each quantity: by its name, or as --columns says.
static GrStatus find_columns(const GrWheelMotion *m, const GrCsv *csv, int column[COUNT], GrErrorLog *log)
{
    for (int i = 0; i < COUNT; i++) {
        column[i] = gr_csv_find(csv, QUANTITIES[i].name);
    }
    for (int i = 0; i < m->columns.count; i++) {
        const char *entry = m->columns.items[i], *equals = strchr(entry, '=');
        const int quantity = equals != NULL ? find_quantity(entry, (size_t)(equals - entry)) : -1;
        const GrLocation at = {.field = "--columns"};
        if (quantity < 0) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)fmin((double)strcspn(entry, "="), 63), entry);
            return gr_error_add(log, GR_ERROR_NAME, at, "takes NAME=COLUMN; there is no quantity '%s'%s", name,
                                quantity_hint(name).text);
        }
        column[quantity] = gr_csv_find(csv, equals + 1);
        if (column[quantity] < 0) {
            return gr_error_add(
                log, GR_ERROR_NAME, (GrLocation){.file = m->file, .line = 1, .field = "--columns"},
                "there is no column '%.60s'%s", equals + 1,
                gr_text_hint(equals + 1, (const char *const *)csv->names, csv->column_count, NULL).text);
        }
    }
    return GR_OK;
}

static GrStatus read_rows(const GrWheelMotion *m, const GrCsv *csv, Input *in, GrErrorLog *log)
{
    int column[COUNT];
    GrStatus status = find_columns(m, csv, column, log);
    if (status != GR_OK) {
        return status;
    }
    if (column[TIME] < 0 || column[SPEED] < 0) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = m->file, .line = 1},
                            "the column %s is missing (--columns %s=COLUMN)",
                            QUANTITIES[column[TIME] < 0 ? TIME : SPEED].name,
                            QUANTITIES[column[TIME] < 0 ? TIME : SPEED].name);
    }
    if (csv->row_count < 2) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = m->file}, "a motion needs at least two rows");
    }
    in->rows = gr_calloc((size_t)csv->row_count, sizeof *in->rows);
    if (in->rows == NULL) {
        return gr_out_of_memory(log, m->file);
    }
    in->count = csv->row_count;
    for (int r = 0; r < in->count; r++) {
        for (int i = 0; i < COUNT; i++) {
            double *value = value_of(&in->rows[r], i);
            *value = i == ANGLE || column[i] >= 0 ? 0 : (double)NAN;
            in->has[i] = column[i] >= 0;
            if (column[i] >= 0 && !gr_options_number(gr_csv_cell(csv, r, column[i]), value)) {
                return gr_error_add(
                    log, GR_ERROR_VALUE,
                    (GrLocation){.file = m->file, .line = csv->lines[r], .field = csv->names[column[i]]},
                    "found '%.40s', allowed: a number", gr_csv_cell(csv, r, column[i]));
            }
            *value *= QUANTITIES[i].scale;
        }
        if (r > 0 && !(in->rows[r].time > in->rows[r - 1].time)) {
            return gr_error_add(log, GR_ERROR_VALUE,
                                (GrLocation){.file = m->file, .line = csv->lines[r], .field = "time_s"},
                                "found %g after %g, but time must increase", in->rows[r].time, in->rows[r - 1].time);
        }
    }
    return GR_OK;
}

/// An axis holds a force where --control says so; or else z where the file has a force, x and y where it has no
/// position.
static GrStatus choose_control(const GrWheelMotion *m, Input *in, GrErrorLog *log)
{
    static const char *const AXES = "xyz";
    for (int a = 0; a < GR_MOTION_AXES; a++) {
        const bool position = in->has[a], force = in->has[3 + a];
        in->by_force[a] = a == 2 ? force : !position && force;
    }
    for (int i = 0; i < m->control.count; i++) {
        const char *entry = m->control.items[i], *axis = strchr(AXES, entry[0]);
        const bool by_force = strcmp(entry + (entry[0] != '\0'), "=force") == 0;
        if (entry[0] == '\0' || axis == NULL || (!by_force && strcmp(entry + 1, "=position") != 0)) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--control"},
                                "found '%.40s', allowed: x, y or z =position or =force", entry);
        }
        in->by_force[axis - AXES] = by_force;
    }
    for (int a = 0; a < GR_MOTION_AXES; a++) {
        const int needed = in->by_force[a] ? 3 + a : a;
        if (a == 1 && !in->by_force[a] && !in->has[needed]) { // held in the middle of its track
            for (int r = 0; r < in->count; r++) {
                in->rows[r].position[1] = 0;
            }
        } else if (!in->has[needed]) {
            return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = m->file, .line = 1},
                                "the axis %c needs the column %s or %s (--control, --columns)", AXES[a],
                                QUANTITIES[a].name, QUANTITIES[3 + a].name);
        }
    }
    return GR_OK;
}

/// Whether the file has measured what the rig answers.
static bool is_measured(const Input *in, int quantity)
{
    const struct Quantity *q = &QUANTITIES[quantity];
    return in->has[quantity] && (q->axis < 0 || q->force != in->by_force[q->axis]);
}

// ---- output

static void fill_rows(const Input *in, GrMotionRow *out, GrTable *table)
{
    gr_table_columns(table, &(GrColumn){"time_s", "time [s]", 1, 0}, 1);
    for (int i = 0; i < SHOWN; i++) {
        char names[2][64];
        gr_table_columns(table, &(GrColumn){QUANTITIES[i].name, QUANTITIES[i].name, 1, 0}, 1);
        snprintf(names[0], sizeof names[0], "%s_measured", QUANTITIES[i].name);
        snprintf(names[1], sizeof names[1], "%s_difference", QUANTITIES[i].name);
        for (int k = 0; k < 2 && is_measured(in, i); k++) {
            gr_table_columns(table, &(GrColumn){names[k], names[k], 1, 0}, 1);
        }
    }
    gr_table_columns(table, &(GrColumn){"slip", "slip [%]", 100, 0}, 1);
    for (int r = 0; r < in->count; r++) {
        gr_table_value(table, out[r].time);
        for (int i = 0; i < SHOWN; i++) {
            const double found = *value_of(&out[r], i), measured = *value_of(&in->rows[r], i);
            gr_table_value(table, found);
            if (is_measured(in, i)) {
                gr_table_value(table, measured);
                gr_table_value(table, found - measured);
            }
        }
        gr_table_value(table, out[r].slip);
    }
}

/// Means over the motion; beside them those that were measured, and the difference between both.
static void fill_means(const Input *in, GrMotionRow *out, GrTable *table)
{
    static const GrColumn COLUMNS[] = {{"quantity", "quantity", 0, 0},
                                       {"control", "axis", 0, 0},
                                       {"mean", "mean", 1, 0},
                                       {"measured", "measured", 1, 0},
                                       {"rms_difference", "rms difference", 1, 0}};
    gr_table_columns(table, COLUMNS, 5);
    for (int i = 0; i < SHOWN; i++) {
        const struct Quantity *q = &QUANTITIES[i];
        double mean = 0, measured = 0, square = 0;
        for (int r = 0; r < in->count; r++) {
            const double found = *value_of(&out[r], i), own = *value_of(&in->rows[r], i);
            mean += found / in->count;
            measured += own / in->count;
            square += (found - own) * (found - own) / in->count;
        }
        gr_table_text(table, q->name);
        gr_table_text(table, q->axis >= 0 && q->force == in->by_force[q->axis] ? "prescribed" : "computed");
        gr_table_value(table, mean);
        gr_table_value(table, is_measured(in, i) ? measured : (double)NAN);
        gr_table_value(table, is_measured(in, i) ? sqrt(square) : (double)NAN);
    }
}

/// The trench: a GeoTIFF, or a table of all changed nodes.
static GrStatus write_trench(const char *path, const GrRuts *ruts, bool json, GrErrorLog *log)
{
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".tif") == 0) {
        return gr_ruts_raster_write(path, NULL, ruts, GR_RUTS_CHANGE, log);
    }
    const GrBox2 box = gr_ruts_extent(ruts).box;
    const double cell = gr_ruts_def(ruts)->cell;
    GrTable table = {0};
    GrBuffer csv = {0};
    static const GrColumn COLUMNS[] = {{"x_m", "x", 1, 0}, {"y_m", "y", 1, 0}, {"height_m", "height", 1, 0}};
    gr_table_columns(&table, COLUMNS, 3);
    for (int64_t j = llround(box.y_lower / cell); j <= llround(box.y_upper / cell); j++) {
        for (int64_t i = llround(box.x_lower / cell); i <= llround(box.x_upper / cell); i++) {
            const double values[3] = {(double)i * cell, (double)j * cell, gr_ruts_get(ruts, i, j)};
            gr_table_values(&table, values, 3);
        }
    }
    gr_table_csv(&table, &csv);
    const GrStatus status = table.failed ? gr_out_of_memory(log, path) : gr_report_file(path, &csv, json, log);
    gr_table_free(&table);
    return status;
}

static GrStatus answer(const GrWheelMotion *m, const Input *in, GrMotionRow *out, const GrRuts *ruts, GrErrorLog *log)
{
    GrTable rows = {0}, means = {0};
    GrBuffer csv = {0};
    const GrRutsExtent trench = gr_ruts_extent(ruts);
    fill_rows(in, out, &rows);
    fill_means(in, out, &means);
    if (m->json) {
        GrJson json = gr_json_to_file(stdout, true);
        gr_json_begin_object(&json, NULL);
        gr_table_json(&means, "quantities", &json);
        gr_json_number(&json, "trench_depth_m", -trench.deepest);
        gr_table_json(&rows, "rows", &json);
        gr_json_end(&json);
        gr_json_finish(&json);
    } else {
        printf("%d rows over %g s, trench %.1f mm deep\n", in->count, in->rows[in->count - 1].time - in->rows[0].time,
               -1000 * trench.deepest);
        gr_table_print(&means, stdout);
    }
    GrStatus status = GR_OK;
    if (m->csv != NULL) {
        gr_table_csv(&rows, &csv);
        status = gr_report_file(m->csv, &csv, m->json, log);
    }
    status = status == GR_OK && m->trench != NULL ? write_trench(m->trench, ruts, m->json, log) : status;
    gr_table_free(&rows);
    gr_table_free(&means);
    return status;
}

static GrStatus run(const GrWheelMotion *m, const GrRigDef *rig, const Input *in, GrErrorLog *log)
{
    GrMotionRigDef def = {.rig = *rig, .mass = 1, .step = STEP};
    memcpy(def.by_force, in->by_force, sizeof def.by_force);
    for (int r = 0; in->by_force[2] && r < in->count; r++) { // the load's mass, as of a wheel that carries a rover
        def.mass = fmax(def.mass, in->rows[r].force[2] / fmax(1, rig->wheel.gravity));
    }
    GrMotionRow *out = gr_calloc((size_t)in->count, sizeof *out);
    GrMotionRig made = {.model = NULL};
    GrStatus status = out != NULL ? gr_motion_rig_make(&def, &made, log) : gr_out_of_memory(log, NULL);
    status = status == GR_OK ? gr_motion_rig_run(&made, in->rows, in->count, out, log) : status;
    status = status == GR_OK ? answer(m, in, out, gr_contact_ruts(made.trench), log) : status;
    gr_motion_rig_free(&made);
    gr_free(out);
    return status;
}

GrStatus gr_wheel_motion(const GrWheelMotion *motion, const GrRigDef *rig, GrErrorLog *log)
{
    GrCsv csv = {0};
    Input in = {.rows = NULL};
    GrStatus status = gr_csv_load(motion->file, &csv, log);
    status = status == GR_OK ? read_rows(motion, &csv, &in, log) : status;
    status = status == GR_OK ? choose_control(motion, &in, log) : status;
    status = status == GR_OK ? run(motion, rig, &in, log) : status;
    gr_csv_free(&csv);
    gr_free(in.rows);
    return status;
}
