/// Runs for Python: samples in a table of the columns of run.csv, and the summary as JSON.
#include "python_api.h"

#include "alloc.h"
#include "buffer.h"
#include "data.h"
#include "out_of_memory.h"
#include "run_field.h"
#include "run_job.h"
#include "run_sense.h"
#include "run_summary.h"
#include "soil_param.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

_Static_assert((int)GR_COLUMN_SOIL == (int)GR_FIELD_SOIL && (int)GR_COLUMN_MODE == (int)GR_FIELD_MODE &&
                   (int)GR_COLUMN_STATE == (int)GR_FIELD_STATE && (int)GR_COLUMN_INTEGER == (int)GR_FIELD_INTEGER,
               "kinds of columns are those of recorded fields");
_Static_assert(sizeof(double) == sizeof(int64_t), "cells have one size");

/// Python is asked for Ctrl-C this often [s].
static const double POLL_PERIOD = 0.05;

/// A table with what makes its rows.
typedef struct Table {
    GrPythonTable shown; ///< first: what Python sees
    const GrFieldGroup **joints;
    int wheel_count, joint_count;
    GrSampleParts parts;
    GrBuffer rows;
} Table;

static bool name_column(GrPythonColumn *column, const char *prefix, const char *owner, const GrRunField *field)
{
    GrBuffer name = {0};
    gr_buffer_printf(&name, "%s%s%s%s", prefix, owner, owner[0] != '\0' ? "." : "", field->name);
    *column = (GrPythonColumn){name.data, (int)field->kind, field->text};
    return !name.failed;
}

static bool add_columns(Table *t, const GrFieldGroup *group, const char *prefix, const char *owner)
{
    bool good = true;
    for (int i = 0; i < group->count && good; i++) {
        good = name_column(&t->shown.columns[t->shown.column_count++], prefix, owner, &group->fields[i]);
    }
    return good;
}

/// The columns of run.csv, in its order.
static bool list_columns(Table *t, const GrModel *m)
{
    bool good = true;
    for (int i = 0; i < GR_SAMPLE_GROUPS && good; i++) {
        good = !gr_sample_has_group(t->parts, i) ||
               add_columns(t, gr_sample_groups[i].fields, "", gr_sample_groups[i].owner);
    }
    for (int i = 0; i < t->wheel_count && good; i++) {
        good = add_columns(t, &gr_wheel_fields, "", gr_model_wheel_name(m, i));
    }
    for (int i = 0; i < t->joint_count && good; i++) {
        good = add_columns(t, t->joints[i], "joint.", gr_model_joint_name(m, i));
    }
    return good;
}

GrPythonTable *gr_python_table_create(const GrModel *m, bool supplied, bool localised)
{
    Table *t = gr_calloc(1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    t->parts = gr_sample_parts(supplied, localised);
    t->wheel_count = gr_model_wheel_count(m);
    t->joint_count = gr_model_joint_count(m);
    t->joints = gr_calloc((size_t)t->joint_count + 1, sizeof(const GrFieldGroup *));
    int count = t->wheel_count * gr_wheel_fields.count;
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        count += gr_sample_has_group(t->parts, i) ? gr_sample_groups[i].fields->count : 0;
    }
    for (int i = 0; t->joints != NULL && i < t->joint_count; i++) {
        t->joints[i] = gr_joint_group(m, i);
        count += t->joints[i]->count;
    }
    t->shown.columns = gr_calloc((size_t)count, sizeof *t->shown.columns);
    if (t->joints == NULL || t->shown.columns == NULL || !list_columns(t, m)) {
        gr_python_table_free(&t->shown);
        return NULL;
    }
    return &t->shown;
}

void gr_python_table_free(GrPythonTable *table)
{
    Table *t = (Table *)table;
    if (t == NULL) {
        return;
    }
    for (int i = 0; t->shown.columns != NULL && i < t->shown.column_count; i++) {
        gr_free(t->shown.columns[i].name);
    }
    gr_free(t->shown.columns);
    gr_free(t->joints);
    gr_buffer_free(&t->rows);
    gr_free(t);
}

static void put_cells(Table *t, const GrFieldGroup *group, const void *from)
{
    for (int i = 0; i < group->count; i++) {
        char cell[sizeof(double)];
        if (group->fields[i].kind == GR_FIELD_NUMBER) {
            const double number = gr_field_number(&group->fields[i], from);
            memcpy(cell, &number, sizeof cell);
        } else {
            const int64_t integer = gr_field_integer(&group->fields[i], from);
            memcpy(cell, &integer, sizeof cell);
        }
        gr_buffer_add(&t->rows, cell, sizeof cell);
    }
}

GrStatus gr_python_table_add(GrPythonTable *table, const GrSample *sample, GrErrorLog *log)
{
    Table *t = (Table *)table;
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        if (gr_sample_has_group(t->parts, i)) {
            put_cells(t, gr_sample_groups[i].fields, gr_sample_group_of(&gr_sample_groups[i], sample));
        }
    }
    for (int i = 0; i < t->wheel_count; i++) {
        put_cells(t, &gr_wheel_fields, &sample->wheels[i]);
    }
    for (int i = 0; i < t->joint_count; i++) {
        put_cells(t, t->joints[i], &sample->joints[i]);
    }
    if (t->rows.failed) {
        return gr_out_of_memory(log, NULL);
    }
    t->shown.rows = t->rows.data;
    t->shown.row_count++;
    return GR_OK;
}

/// Context of the hooks of a run.
typedef struct Watch {
    const GrPythonRunDef *def;
    GrPythonTable *table;
    GrRunRecorder *recorder; ///< NULL: no files
    GrRunSense *sense;       ///< NULL: none
    double polled;           ///< wall time [s]
} Watch;

static double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static GrStatus take_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    const Watch *watch = context;
    GrSample whole = *sample;
    gr_run_sense_sample(watch->sense, &whole);
    const GrStatus status = gr_python_table_add(watch->table, &whole, log);
    return status == GR_OK && watch->recorder != NULL ? gr_run_recorder_add(watch->recorder, &whole, log) : status;
}

static GrStatus take_step(void *context, const GrData *d, GrErrorLog *log)
{
    return gr_run_sense_step(((Watch *)context)->sense, d, log);
}

static bool must_stop(void *context)
{
    Watch *watch = context;
    const double now = wall_time();
    if (watch->def->poll == NULL || now - watch->polled < POLL_PERIOD) {
        return false;
    }
    watch->polled = now;
    return watch->def->poll(watch->def->context);
}

static GrStatus format_summary(const GrWorld *world, const GrRunSummary *summary, char **out, GrErrorLog *log)
{
    GrTrust trust;
    GrBuffer text = {0};
    gr_run_trust(world, &trust);
    const GrRunHead head = {
        .name = world->scenario->name, .title = world->scenario->title, .model = world->model, .trust = &trust};
    const GrStatus status = gr_run_summary_format(&head, summary, &text);
    gr_buffer_add(&text, "", 1);
    if (status != GR_OK || text.failed) {
        gr_buffer_free(&text);
        return gr_out_of_memory(log, NULL);
    }
    *out = text.data;
    return GR_OK;
}

GrStatus gr_python_run(GrWorld *world, const GrPythonRunDef *def, GrPythonTable *table, char **summary, GrErrorLog *log)
{
    GrRunRecorder recorder;
    GrRunSummary result = {0};
    Watch watch = {.def = def, .table = table, .polled = wall_time()};
    if (def->directory != NULL) {
        const GrStatus opened = gr_run_recorder_open(&recorder, world, def->directory, NULL, log);
        if (opened != GR_OK) {
            return opened;
        }
        watch.recorder = &recorder;
    }
    GrStatus status = GR_OK;
    if (watch.recorder != NULL) {
        const GrRunSenseDef sensors = {.world = world, .directory = def->directory, .record = recorder.record};
        status = gr_run_sense_open(&sensors, &watch.sense, log);
    }
    const GrRunHooks hooks = {
        .context = &watch, .sample = take_sample, .step = watch.sense != NULL ? take_step : NULL, .stop = must_stop};
    status = status == GR_OK ? gr_run(world, &hooks, &result, log) : status;
    gr_run_sense_summarise(watch.sense, &result);
    const GrStatus sensed = gr_run_sense_close(watch.sense, log);
    status = status == GR_OK ? sensed : status;
    if (watch.recorder != NULL) {
        const GrStatus closed = gr_run_recorder_close(&recorder, status == GR_OK ? &result : NULL, log);
        status = status == GR_OK ? closed : status;
    }
    if (status == GR_OK) {
        status = format_summary(world, &result, summary, log);
    }
    gr_run_summary_free(&result);
    return status;
}

GrStatus gr_python_summary(const GrWorld *world, char **summary, GrErrorLog *log)
{
    GrRunSummary result = {0};
    GrStatus status = gr_mission_summary(world->mission, &result, log);
    if (status == GR_OK) {
        status = format_summary(world, &result, summary, log);
    }
    gr_run_summary_free(&result);
    return status;
}

GrPythonState gr_python_state(const GrModel *m, GrData *d)
{
    return (GrPythonState){d->tree.position, d->tree.velocity, m->tree.position_count, m->tree.dof_count};
}

void gr_python_warn_soil(const GrSoilDef *soil, const GrSoilSources *sources, double gravity, GrErrorLog *log)
{
    gr_soil_warn_ignored(soil, sources, GR_SOIL_USE_NO_FLOW, log);
    gr_soil_warn_gravity(soil, gravity, log);
}

GrStatus gr_python_steps(const GrModel *m, GrData *d, int count, double dt)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < count && status == GR_OK; i++) {
        status = dt > 0 ? gr_step_by(m, d, dt) : gr_step(m, d);
    }
    return status;
}

GrStatus gr_python_heights(GrTerrain *terrain, const double *x, const double *y, int64_t count, double *z,
                           GrVec3 *normals, GrErrorLog *log)
{
    GrBox2 box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < count; i++) {
        box = (GrBox2){fmin(box.x_lower, x[i]), fmin(box.y_lower, y[i]), fmax(box.x_upper, x[i]),
                       fmax(box.y_upper, y[i])};
    }
    const GrStatus status = count > 0 ? gr_terrain_prefetch(terrain, box, log) : GR_OK;
    for (int64_t i = 0; i < count && status == GR_OK; i++) {
        GrVec3 normal;
        gr_terrain_height_normal(terrain, x[i], y[i], &z[i], &normal);
        if (normals != NULL) {
            normals[i] = normal;
        }
    }
    return status;
}
