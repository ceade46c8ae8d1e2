#include "run_csv.h"

#include "alloc.h"
#include "channel.h"
#include "csv.h"
#include "decimal.h"
#include "out_of_memory.h"
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
    GrChannels channels;
    GrBuffer rows;
    double flushed; ///< wall time [s]
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

static void put_header(GrRunCsv *csv)
{
    for (int i = 0; i < csv->channels.count; i++) {
        char name[GR_CHANNEL_NAME];
        gr_channel_name(csv->def->model, &csv->channels.items[i], name);
        if (i > 0) {
            gr_buffer_puts(&csv->rows, ",");
        }
        gr_csv_put(&csv->rows, name);
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
    csv->soils = gr_calloc((size_t)def->soil_count + 1, sizeof *csv->soils);
    bool good = csv->soils != NULL &&
                gr_channels_init(&csv->channels, def->model, gr_sample_parts(def->supplied, def->localised));
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
    gr_channels_free(&csv->channels);
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

static void put_row(GrRunCsv *csv, const GrSample *sample)
{
    if (!gr_buffer_reserve(&csv->rows, (size_t)csv->channels.count * (csv->cell_size + 1))) {
        return;
    }
    char *at = csv->rows.data + csv->rows.size;
    for (int i = 0; i < csv->channels.count; i++) {
        const GrChannel *channel = &csv->channels.items[i];
        const GrChannelKind kind = channel->row->kind;
        const double value = gr_channel_value(channel, sample, 0);
        at = kind == GR_CHANNEL_STATE  ? put_cell(at, csv->states, csv->state_count, (int)value)
             : kind == GR_CHANNEL_MODE ? put_cell(at, csv->modes, GR_DRIVE_MODE_COUNT, (int)value)
             : kind == GR_CHANNEL_SOIL ? put_cell(at, csv->soils, csv->def->soil_count, (int)value)
             : isnan(value)            ? at
                                       : at + gr_decimal_write(value, at);
        *at++ = ',';
    }
    at[-1] = '\n';
    csv->rows.size = (size_t)(at - csv->rows.data);
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
