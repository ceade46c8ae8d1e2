#include "drive_file.h"

#include "alloc.h"
#include "csv.h"
#include "expression.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct Column {
    const char *name;
    size_t offset; ///< in GrDriveCommand
    double unit;
} Column;

static const Column COLUMNS[] = {
#define COLUMN(name, member, unit) {#name, offsetof(GrDriveCommand, member), (unit)},
    GR_DRIVE_FILE_LIST(COLUMN)
#undef COLUMN
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0], TIME = 0, MODE = 1, KEY_COLUMNS = 2 };

/// What is being read, and where messages go.
typedef struct Reader {
    const char *path;
    GrErrorLog *log;
    GrCsv csv;
    int columns[KEY_COLUMNS + COLUMN_COUNT]; ///< in the table; −1: missing
} Reader;

static const char *column_name(int column)
{
    return column == TIME ? "time_s" : column == MODE ? "mode" : COLUMNS[column - KEY_COLUMNS].name;
}

/// Finds the columns, and refuses those that mean nothing.
static GrStatus find_columns(Reader *r)
{
    const char *names[KEY_COLUMNS + COLUMN_COUNT];
    const GrLocation top = {.file = r->path, .line = 1};
    GrStatus status = GR_OK;
    for (int i = 0; i < KEY_COLUMNS + COLUMN_COUNT; i++) {
        names[i] = column_name(i);
        r->columns[i] = gr_csv_find(&r->csv, names[i]);
        if (i < KEY_COLUMNS && r->columns[i] < 0) {
            status = gr_error_add(r->log, GR_ERROR_FIELD, top, "the column %s is missing", names[i]);
        }
    }
    for (int i = 0; i < r->csv.column_count; i++) {
        bool known = false;
        for (int k = 0; k < KEY_COLUMNS + COLUMN_COUNT; k++) {
            known = known || strcmp(r->csv.names[i], names[k]) == 0;
        }
        if (!known) {
            status = gr_error_add(r->log, GR_ERROR_FIELD, top, "unknown column '%.60s'%s", r->csv.names[i],
                                  gr_text_hint(r->csv.names[i], names, KEY_COLUMNS + COLUMN_COUNT, NULL).text);
        }
    }
    return status;
}

static GrStatus read_number(const Reader *r, int row, int column, double *out)
{
    const char *cell = gr_csv_cell(&r->csv, row, r->columns[column]);
    if (gr_number_parse(cell, out) && isfinite(*out)) {
        return GR_OK;
    }
    return gr_error_add(r->log, GR_ERROR_VALUE,
                        (GrLocation){.file = r->path, .line = r->csv.lines[row], .field = column_name(column)},
                        "found '%.60s', allowed: a finite number", cell);
}

static GrStatus read_mode(const Reader *r, int row, GrDriveMode *out)
{
    const char *cell = gr_csv_cell(&r->csv, row, r->columns[MODE]);
    const char *names[GR_DRIVE_MODE_COUNT + 1];
    *out = gr_drive_mode_named(cell);
    if (strcmp(cell, GR_DRIVE_FILE_AUTO) == 0 || (*out != GR_DRIVE_MODE_COUNT && *out != GR_DRIVE_FIXED)) {
        return GR_OK;
    }
    int count = 0;
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        if (i != GR_DRIVE_FIXED) { // needs an angle for every wheel
            names[count++] = gr_drive_mode_name((GrDriveMode)i);
        }
    }
    names[count++] = GR_DRIVE_FILE_AUTO;
    return gr_error_add(r->log, GR_ERROR_VALUE,
                        (GrLocation){.file = r->path, .line = r->csv.lines[row], .field = "mode"}, "found '%.60s'%s",
                        cell, gr_text_hint(cell, names, count, NULL).text);
}

static GrStatus read_row(const Reader *r, int row, GrScriptEntry *entry)
{
    GrStatus status = read_number(r, row, TIME, &entry->time);
    status = status == GR_OK ? read_mode(r, row, &entry->command.mode) : status;
    for (int i = 0; i < COLUMN_COUNT && status == GR_OK; i++) {
        double value = 0;
        status = r->columns[KEY_COLUMNS + i] >= 0 ? read_number(r, row, KEY_COLUMNS + i, &value) : GR_OK;
        value *= COLUMNS[i].unit;
        memcpy((char *)&entry->command + COLUMNS[i].offset, &value, sizeof value);
    }
    if (status == GR_OK && (entry->time < 0 || (row > 0 && entry->time < entry[-1].time))) {
        status = gr_error_add(r->log, GR_ERROR_VALUE,
                              (GrLocation){.file = r->path, .line = r->csv.lines[row], .field = "time_s"},
                              "found %g after %g: commands must be in order of time, from 0 on", entry->time,
                              row > 0 ? entry[-1].time : 0);
    }
    return status;
}

GrStatus gr_drive_file_read(const char *path, GrScriptEntry **out, int *count, GrErrorLog *log)
{
    Reader r = {.path = path, .log = log};
    *out = NULL;
    *count = 0;
    GrStatus status = gr_csv_load(path, &r.csv, log);
    status = status == GR_OK ? find_columns(&r) : status;
    if (status == GR_OK) {
        *out = gr_calloc((size_t)r.csv.row_count + 1, sizeof **out);
        status = *out != NULL ? GR_OK : gr_out_of_memory(log, path);
    }
    for (; status == GR_OK && *out != NULL && *count < r.csv.row_count; ++*count) {
        status = read_row(&r, *count, &(*out)[*count]);
    }
    gr_csv_free(&r.csv);
    return status;
}
