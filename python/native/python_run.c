/// Runs for Python: samples in a table of the columns of run.csv, and the summary as JSON.
#include "python_api.h"

#include "alloc.h"
#include "buffer.h"
#include "channel.h"
#include "clock.h"
#include "data.h"
#include "out_of_memory.h"
#include "run_recorder.h"
#include "run_summary.h"
#include "scenario_data.h"
#include "soil_param.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

_Static_assert((int)GR_COLUMN_SOIL == (int)GR_CHANNEL_SOIL && (int)GR_COLUMN_MODE == (int)GR_CHANNEL_MODE &&
                   (int)GR_COLUMN_STATE == (int)GR_CHANNEL_STATE && (int)GR_COLUMN_INTEGER == (int)GR_CHANNEL_INTEGER,
               "kinds of columns are those of channels");
_Static_assert(sizeof(double) == sizeof(int64_t), "cells have one size");

/// Python is asked for Ctrl-C this often [s].
static const double POLL_PERIOD = 0.05;

/// A table with what makes its rows.
typedef struct Table {
    GrPythonTable shown; ///< first: what Python sees
    GrChannels channels; ///< the columns of run.csv, in its order
    GrBuffer rows;
} Table;

GrPythonTable *gr_python_table_create(const GrModel *m, bool supplied, bool localised)
{
    Table *t = gr_calloc(1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    bool good = gr_channels_init(&t->channels, m, gr_sample_parts(supplied, localised));
    t->shown.columns = gr_calloc((size_t)t->channels.count + 1, sizeof *t->shown.columns);
    good = good && t->shown.columns != NULL;
    for (int i = 0; i < t->channels.count && good; i++) {
        const GrChannelRow *row = t->channels.items[i].row;
        char *name = gr_malloc(GR_CHANNEL_NAME);
        good = name != NULL;
        if (good) {
            gr_channel_name(m, &t->channels.items[i], name);
            t->shown.columns[t->shown.column_count++] = (GrPythonColumn){name, (int)row->kind, row->text};
        }
    }
    if (!good) {
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
    gr_channels_free(&t->channels);
    gr_buffer_free(&t->rows);
    gr_free(t);
}

GrStatus gr_python_table_add(GrPythonTable *table, const GrSample *sample, GrErrorLog *log)
{
    Table *t = (Table *)table;
    for (int i = 0; i < t->channels.count; i++) {
        char cell[sizeof(double)];
        const double number = gr_channel_value(&t->channels.items[i], sample, 0);
        const int64_t whole = t->channels.items[i].row->kind == GR_CHANNEL_NUMBER ? 0 : (int64_t)number;
        memcpy(cell, t->channels.items[i].row->kind == GR_CHANNEL_NUMBER ? (const void *)&number : &whole, sizeof cell);
        gr_buffer_add(&t->rows, cell, sizeof cell);
    }
    if (t->rows.failed) {
        return gr_out_of_memory(log, NULL);
    }
    t->shown.rows = t->rows.data;
    t->shown.row_count++;
    return GR_OK;
}

/// Who looks on at a run.
typedef struct Watch {
    const GrPythonRunDef *def;
    GrPythonTable *table;
    double polled; ///< wall time [s]
} Watch;

static GrStatus take_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    return gr_python_table_add(((Watch *)context)->table, sample, log);
}

static bool must_stop(void *context)
{
    Watch *watch = context;
    const double now = gr_clock_read(CLOCK_MONOTONIC);
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
    GrRunSummary result = {0};
    Watch watch = {.def = def, .table = table, .polled = gr_clock_read(CLOCK_MONOTONIC)};
    const GrRecordedRun run = {
        .directory = def->directory, .replay_page = true, .context = &watch, .sample = take_sample, .stop = must_stop};
    GrStatus status = gr_run_recorded(world, &run, &result, log);
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
