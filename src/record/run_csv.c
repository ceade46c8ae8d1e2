#include "run_csv.h"

#include "alloc.h"
#include "csv.h"
#include "decimal.h"
#include "out_of_memory.h"
#include "run_field.h"
#include "sink.h"

#include <math.h>
#include <string.h>

enum { FLUSH_SIZE = 256 * 1024, CELLS_MAX = 48 };
static const double FLUSH_SECONDS = 1;

/// A text cell, formatted in advance.
typedef struct Cell {
    char *text;
    size_t length;
} Cell;

struct GrRunCsv {
    GrSink sink;
    const GrRecordDef *def;
    GrSampleParts parts; ///< groups of columns that this run has
    GrBuffer rows;
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
    const GrModel *m = csv->def->model;
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        if (gr_sample_has_group(csv->parts, i)) {
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
    const GrRecordDef *def = csv->def;
    const int joint_count = gr_model_joint_count(def->model);
    csv->joint = gr_calloc((size_t)joint_count + 1, sizeof(const GrFieldGroup *));
    csv->soils = gr_calloc((size_t)def->soil_count + 1, sizeof *csv->soils);
    bool good = csv->joint != NULL && csv->soils != NULL;
    for (int i = 0; good && i < joint_count; i++) {
        csv->joint[i] = gr_joint_group(def->model, i);
    }
    for (int i = 0; good && i < def->soil_count; i++) {
        good = make_cell(&csv->soils[i], def->soil_names[i]);
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
    csv->cell_size = good ? longest(csv->soils, def->soil_count, csv->cell_size) : csv->cell_size;
    return good;
}

static void destroy(GrRunCsv *csv)
{
    for (int i = 0; csv->soils != NULL && i < csv->def->soil_count; i++) {
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

GrRunCsv *gr_run_csv_open(const char *path, const GrRecordDef *def, double now, GrErrorLog *log)
{
    GrRunCsv *csv = gr_calloc(1, sizeof *csv);
    if (csv == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    csv->def = def;
    csv->parts = gr_sample_parts(def->supplied, def->localised);
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
                 : field->kind == GR_FIELD_SOIL ? put_cell(at, csv->soils, csv->def->soil_count, value)
                                                : at + gr_decimal_write(value, at);
        }
        *at++ = ',';
    }
    csv->rows.size = (size_t)(at - csv->rows.data);
}

static void put_row(GrRunCsv *csv, const GrSample *sample)
{
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        if (gr_sample_has_group(csv->parts, i)) {
            put_group(csv, gr_sample_groups[i].fields, gr_sample_group_of(&gr_sample_groups[i], sample));
        }
    }
    for (int i = 0; i < gr_model_wheel_count(csv->def->model); i++) {
        put_group(csv, &gr_wheel_fields, &sample->wheels[i]);
    }
    for (int i = 0; i < gr_model_joint_count(csv->def->model); i++) {
        put_group(csv, csv->joint[i], &sample->joints[i]);
    }
    if (csv->rows.size > 0) {
        csv->rows.data[csv->rows.size - 1] = '\n';
    }
}

GrStatus gr_run_csv_add(GrRunCsv *csv, const GrSample *sample, double now, GrErrorLog *log)
{
    put_row(csv, sample);
    if (csv->rows.size < FLUSH_SIZE && now - csv->flushed < FLUSH_SECONDS && !csv->rows.failed) {
        return GR_OK;
    }
    csv->flushed = now;
    return flush(csv, log);
}

GrStatus gr_run_csv_close(GrRunCsv *csv, GrErrorLog *log)
{
    if (csv == NULL) {
        return GR_OK;
    }
    const GrStatus status = flush(csv, log);
    const GrStatus closed = gr_sink_close(&csv->sink, status == GR_OK ? log : NULL);
    destroy(csv);
    return status == GR_OK ? closed : status;
}
