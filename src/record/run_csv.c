#include "run_csv.h"

#include "alloc.h"
#include "csv.h"
#include "decimal.h"
#include "out_of_memory.h"
#include "protobuf.h"
#include "sink.h"

#include <math.h>

enum { FLUSH_SIZE = 256 * 1024, CELLS_MAX = 48 };
static const double FLUSH_SECONDS = 1;

/// A text cell, formatted in advance.
typedef struct Cell {
    char *text;
    size_t length;
} Cell;

struct GrRunCsv {
    GrSink sink;
    GrRunNames names;
    GrBuffer rows;
    bool hold;                  ///< samples wait in `held` until they are due
    GrBuffer held;              ///< GrSample, its wheels and its joints, one after another
    double flushed;             ///< wall time [s]
    const GrFieldGroup **joint; ///< of each joint
    Cell states[CELLS_MAX], modes[GR_DRIVE_MODE_COUNT];
    Cell *soils; ///< [soil_count]
    int state_count;
    size_t cell_size; ///< of the longest cell
};

static bool make_cell(Cell *cell, const char *text)
{
    GrBuffer buffer = {0};
    gr_csv_put(&buffer, text);
    *cell = (Cell){buffer.data, buffer.size};
    return !buffer.failed;
}

static void put_names(GrBuffer *out, const GrFieldGroup *group, const char *prefix, const char *owner)
{
    for (int i = 0; i < group->count; i++) {
        GrBuffer name = {0};
        gr_buffer_printf(&name, "%s%s%s%s", prefix, owner, owner[0] != '\0' ? "." : "", group->fields[i].name);
        if (out->size > 0) {
            gr_buffer_puts(out, ",");
        }
        gr_csv_put(out, name.failed ? "" : name.data);
        out->failed = out->failed || name.failed;
        gr_buffer_free(&name);
    }
}

static void put_header(GrRunCsv *csv)
{
    const GrModel *m = csv->names.model;
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        if (gr_sample_has_group(csv->names.parts, i)) {
            put_names(&csv->rows, gr_sample_groups[i].fields, "", gr_sample_groups[i].owner);
        }
    }
    for (int i = 0; i < gr_model_wheel_count(m); i++) {
        put_names(&csv->rows, &gr_wheel_fields, "", gr_model_wheel_name(m, i));
    }
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        put_names(&csv->rows, csv->joint[i], "joint.", gr_model_joint_name(m, i));
    }
    gr_buffer_puts(&csv->rows, "\n");
}

static size_t longest(const Cell *cells, int count, size_t most)
{
    for (int i = 0; i < count; i++) {
        most = cells[i].length > most ? cells[i].length : most;
    }
    return most;
}

/// Formats the texts that rows choose from; false when out of memory.
static bool prepare(GrRunCsv *csv)
{
    const GrRunNames *names = &csv->names;
    const int joint_count = gr_model_joint_count(names->model);
    csv->joint = gr_calloc((size_t)joint_count + 1, sizeof(const GrFieldGroup *));
    csv->soils = gr_calloc((size_t)names->soil_count + 1, sizeof *csv->soils);
    bool good = csv->joint != NULL && csv->soils != NULL;
    for (int i = 0; good && i < joint_count; i++) {
        csv->joint[i] = gr_joint_group(names->model, i);
    }
    for (int i = 0; good && i < names->soil_count; i++) {
        good = make_cell(&csv->soils[i], names->soils[i]);
    }
    for (int i = 0; good && i < GR_DRIVE_MODE_COUNT; i++) {
        good = make_cell(&csv->modes[i], gr_drive_mode_name((GrDriveMode)i));
    }
    csv->state_count = gr_wheel_state_count() < CELLS_MAX ? gr_wheel_state_count() : CELLS_MAX;
    for (int i = 0; good && i < csv->state_count; i++) {
        good = make_cell(&csv->states[i], gr_wheel_state_text(i));
    }
    csv->cell_size = longest(csv->modes, GR_DRIVE_MODE_COUNT, GR_DECIMAL_SIZE);
    csv->cell_size = longest(csv->states, csv->state_count, csv->cell_size);
    csv->cell_size = good ? longest(csv->soils, names->soil_count, csv->cell_size) : csv->cell_size;
    return good;
}

static void destroy(GrRunCsv *csv)
{
    for (int i = 0; csv->soils != NULL && i < csv->names.soil_count; i++) {
        gr_free(csv->soils[i].text);
    }
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        gr_free(csv->modes[i].text);
    }
    for (int i = 0; i < csv->state_count; i++) {
        gr_free(csv->states[i].text);
    }
    gr_free(csv->soils);
    gr_free(csv->joint);
    gr_buffer_free(&csv->rows);
    gr_buffer_free(&csv->held);
    gr_free(csv);
}

static GrStatus flush(GrRunCsv *csv, GrErrorLog *log)
{
    if (csv->rows.failed) {
        return gr_out_of_memory(log, csv->sink.path);
    }
    const GrStatus status = gr_sink_write(&csv->sink, csv->rows.data, csv->rows.size, log);
    csv->rows.size = 0;
    return status;
}

GrRunCsv *gr_run_csv_open(const char *path, const GrRunNames *names, bool hold, double now, GrErrorLog *log)
{
    GrRunCsv *csv = gr_calloc(1, sizeof *csv);
    if (csv == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    csv->names = *names;
    csv->hold = hold;
    csv->flushed = now;
    csv->rows.failed = !prepare(csv);
    if (!csv->rows.failed) {
        put_header(csv);
    }
    if (gr_sink_open(&csv->sink, path, log) != GR_OK || flush(csv, log) != GR_OK) {
        gr_sink_close(&csv->sink, NULL);
        destroy(csv);
        return NULL;
    }
    return csv;
}

static char *put_cell(char *at, const Cell *cells, int count, int index)
{
    if (index >= 0 && index < count) {
        memcpy(at, cells[index].text, cells[index].length);
        at += cells[index].length;
    }
    return at;
}

/// One group of a row, with a comma after each cell.
static void put_group(GrRunCsv *csv, const GrFieldGroup *group, const void *from)
{
    if (!gr_buffer_reserve(&csv->rows, (size_t)group->count * (csv->cell_size + 1))) {
        return;
    }
    char *at = csv->rows.data + csv->rows.size;
    for (int i = 0; i < group->count; i++) {
        const GrRunField *field = &group->fields[i];
        if (field->kind == GR_FIELD_NUMBER) {
            const double value = gr_field_number(field, from);
            at += isnan(value) ? 0 : gr_decimal_write(value, at);
        } else {
            const int value = gr_field_integer(field, from);
            at = field->kind == GR_FIELD_STATE  ? put_cell(at, csv->states, csv->state_count, value)
                 : field->kind == GR_FIELD_MODE ? put_cell(at, csv->modes, GR_DRIVE_MODE_COUNT, value)
                 : field->kind == GR_FIELD_SOIL ? put_cell(at, csv->soils, csv->names.soil_count, value)
                                                : at + gr_decimal_write(value, at);
        }
        *at++ = ',';
    }
    csv->rows.size = (size_t)(at - csv->rows.data);
}

static void put_row(GrRunCsv *csv, const GrSample *sample)
{
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        if (gr_sample_has_group(csv->names.parts, i)) {
            put_group(csv, gr_sample_groups[i].fields, gr_sample_group_of(&gr_sample_groups[i], sample));
        }
    }
    for (int i = 0; i < gr_model_wheel_count(csv->names.model); i++) {
        put_group(csv, &gr_wheel_fields, &sample->wheels[i]);
    }
    for (int i = 0; i < gr_model_joint_count(csv->names.model); i++) {
        put_group(csv, csv->joint[i], &sample->joints[i]);
    }
    if (csv->rows.size > 0) {
        csv->rows.data[csv->rows.size - 1] = '\n';
    }
}

static size_t wheels_size(const GrRunCsv *csv)
{
    return (size_t)gr_model_wheel_count(csv->names.model) * sizeof(GrWheelSample);
}

static size_t joints_size(const GrRunCsv *csv)
{
    return (size_t)gr_model_joint_count(csv->names.model) * sizeof(GrJointSample);
}

static void hold_sample(GrRunCsv *csv, const GrSample *sample)
{
    gr_buffer_add(&csv->held, (const void *)sample, sizeof *sample);
    gr_buffer_add(&csv->held, (const void *)sample->wheels, wheels_size(csv));
    gr_buffer_add(&csv->held, (const void *)sample->joints, joints_size(csv));
    csv->rows.failed = csv->rows.failed || csv->held.failed;
}

static GrStatus write_held(GrRunCsv *csv, GrErrorLog *log)
{
    const size_t wheels = wheels_size(csv), joints = joints_size(csv);
    GrStatus status = GR_OK;
    for (size_t at = 0; at < csv->held.size && status == GR_OK; at += sizeof(GrSample) + wheels + joints) {
        GrSample sample;
        char *parts = csv->held.data + at + sizeof sample;
        memcpy(&sample, csv->held.data + at, sizeof sample);
        sample.wheels = (void *)parts;
        sample.joints = (void *)(parts + wheels);
        put_row(csv, &sample);
        status = csv->rows.size >= FLUSH_SIZE ? flush(csv, log) : GR_OK;
    }
    csv->held.size = 0;
    return status == GR_OK ? flush(csv, log) : status;
}

GrStatus gr_run_csv_add(GrRunCsv *csv, const GrSample *sample, double now, GrErrorLog *log)
{
    if (csv->hold) {
        hold_sample(csv, sample);
    } else {
        put_row(csv, sample);
    }
    if (csv->rows.size < FLUSH_SIZE && now - csv->flushed < FLUSH_SECONDS && !csv->rows.failed) {
        return GR_OK;
    }
    csv->flushed = now;
    return write_held(csv, log);
}

void gr_run_csv_drop(GrRunCsv *csv)
{
    gr_sink_close(&csv->sink, NULL);
    destroy(csv);
}

GrStatus gr_run_csv_close(GrRunCsv *csv, GrErrorLog *log)
{
    if (csv == NULL) {
        return GR_OK;
    }
    const GrStatus status = write_held(csv, log);
    const GrStatus closed = gr_sink_close(&csv->sink, status == GR_OK ? log : NULL);
    destroy(csv);
    return status == GR_OK ? closed : status;
}
