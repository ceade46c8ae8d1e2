/// Reads rocks from a file as `grouser terrain rocks -o` writes it, and knows the names of the size laws.
#include "csv.h"

#include "alloc.h"
#include "grouser/assets.h"
#include "number.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Size laws: golombek and power, and published power laws of the Moon.
static const struct {
    const char *name;
    GrRockLaw law;
    double coefficient, exponent; ///< 0: not changed
} LAWS[] = {
    {"golombek", GR_ROCKS_GOLOMBEK, 0, 0},     {"power", GR_ROCKS_POWER, 0, 0},
    {"viper", GR_ROCKS_POWER, 0.0003, 2.482},  {"intercrater", GR_ROCKS_POWER, 1e-4, 1.755},
    {"haworth", GR_ROCKS_POWER, 0.002, 2.661},
};

const char *gr_rock_law_name(int index)
{
    return index >= 0 && index < (int)(sizeof LAWS / sizeof LAWS[0]) ? LAWS[index].name : NULL;
}

bool gr_rock_law_set(GrRockFieldDef *def, const char *name)
{
    for (size_t i = 0; i < sizeof LAWS / sizeof LAWS[0]; i++) {
        if (strcmp(LAWS[i].name, name) == 0) {
            def->law = LAWS[i].law;
            def->coefficient = LAWS[i].coefficient > 0 ? LAWS[i].coefficient : def->coefficient;
            def->exponent = LAWS[i].exponent > 0 ? LAWS[i].exponent : def->exponent;
            return true;
        }
    }
    return false;
}

/// Columns of the file; those with a lower bound must be above it.
static const struct {
    const char *name;
    bool required;
    double above;
} COLUMNS[] = {
    {"x_m", true, -INFINITY}, {"y_m", true, -INFINITY},      {"diameter_m", true, 0},
    {"height_m", false, 0},   {"yaw_rad", false, -INFINITY},
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0] };

static GrStatus read_row(const GrCsv *csv, int row, const int *columns, double ratio, const char *path, GrRock *rock,
                         GrErrorLog *log)
{
    double values[COLUMN_COUNT] = {0};
    for (int k = 0; k < COLUMN_COUNT; k++) {
        if (columns[k] < 0) {
            continue;
        }
        const char *cell = gr_csv_cell(csv, row, columns[k]);
        char *end;
        values[k] = gr_number_read(cell, &end);
        if (end == cell || *end != '\0' || !isfinite(values[k]) || !(values[k] > COLUMNS[k].above)) {
            const GrLocation at = {path, csv->lines[row], 0, COLUMNS[k].name};
            return gr_error_add(log, GR_ERROR_VALUE, at, "found '%.40s'; allowed: a number%s", cell,
                                COLUMNS[k].above == 0 ? " above 0" : "");
        }
    }
    *rock = (GrRock){values[0], values[1], values[2], columns[3] >= 0 ? values[3] : ratio * values[2], values[4]};
    return GR_OK;
}

GrStatus gr_rock_field_load(const char *path, double height_ratio, GrRockField *out, GrErrorLog *log)
{
    GrCsv csv;
    int columns[COLUMN_COUNT];
    *out = (GrRockField){0};
    GrStatus status = gr_csv_load(path, &csv, log);
    if (status != GR_OK) {
        return status;
    }
    for (int k = 0; k < COLUMN_COUNT; k++) {
        columns[k] = gr_csv_find(&csv, COLUMNS[k].name);
        if (columns[k] < 0 && COLUMNS[k].required) {
            status =
                gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = path, .line = 1},
                             "the column %s is missing; rocks have x_m, y_m, diameter_m, and may have height_m and "
                             "yaw_rad",
                             COLUMNS[k].name);
        }
    }
    out->rocks = gr_calloc((size_t)csv.row_count + 1, sizeof *out->rocks);
    if (out->rocks == NULL) {
        status = gr_out_of_memory(log, path);
    }
    for (int i = 0; i < csv.row_count && status == GR_OK; i++) {
        status = read_row(&csv, i, columns, height_ratio, path, &out->rocks[out->count++], log);
    }
    gr_csv_free(&csv);
    if (status != GR_OK) {
        gr_rock_field_free(out);
    }
    return status;
}
