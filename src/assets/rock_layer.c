/// Rocks in and out: as a height layer of a terrain, and from a file as `grouser terrain rocks -o` writes it.
#include "grouser/assets.h"

#include "alloc.h"
#include "csv.h"
#include "number.h"
#include "out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- height layer

/// Rocks sorted into square buckets at least as wide as the largest of them: a rock reaches only into the neighbours of
/// its own bucket.
typedef struct RockLayer {
    GrGridFrame frame;
    GrRock *rocks; ///< in the order of their buckets
    int *start;    ///< [columns rows + 1] first rock of each bucket
    int columns, rows;
    double x0, y0, size;
} RockLayer;

enum { MAX_BUCKETS_A_SIDE = 2000 };

static int clamp(double value, int count)
{
    return value > 0 ? (value < count ? (int)value : count - 1) : 0;
}

static int bucket_of(const RockLayer *l, double x, double y)
{
    const int column = clamp(floor((x - l->x0) / l->size), l->columns);
    return clamp(floor((y - l->y0) / l->size), l->rows) * l->columns + column;
}

/// Half an ellipsoid on a flat foot: H √(1 − (2 d/D)²).
static double rock_height(const GrRock *rock, double x, double y)
{
    const double dx = 2 * (x - rock->x) / rock->diameter, dy = 2 * (y - rock->y) / rock->diameter;
    const double inside = 1 - dx * dx - dy * dy;
    return inside > 0 ? rock->height * sqrt(inside) : 0;
}

static double height_at(const RockLayer *l, double x, double y)
{
    const int column = clamp(floor((x - l->x0) / l->size), l->columns);
    const int row = clamp(floor((y - l->y0) / l->size), l->rows);
    double highest = 0;
    for (int j = row > 0 ? row - 1 : 0; j <= row + 1 && j < l->rows; j++) {
        for (int i = column > 0 ? column - 1 : 0; i <= column + 1 && i < l->columns; i++) {
            for (int k = l->start[j * l->columns + i]; k < l->start[j * l->columns + i + 1]; k++) {
                highest = fmax(highest, rock_height(&l->rocks[k], x, y));
            }
        }
    }
    return highest;
}

static GrStatus read_rocks(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const RockLayer *l = context;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            const double x = l->frame.x0 + (double)(window.i0 + i) * l->frame.dx,
                         y = l->frame.y0 + (double)(window.j0 + j) * l->frame.dy;
            out[(size_t)j * (size_t)window.ni + (size_t)i] = height_at(l, x, y);
        }
    }
    return GR_OK;
}

static void free_rocks(void *context)
{
    RockLayer *l = context;
    if (l != NULL) {
        gr_free(l->rocks);
        gr_free(l->start);
        gr_free(l);
    }
}

/// Counting sort: rocks keep their order inside a bucket.
static void fill_buckets(RockLayer *l, const GrRockField *field)
{
    const int buckets = l->columns * l->rows;
    for (int k = 0; k < field->count; k++) {
        l->start[bucket_of(l, field->rocks[k].x, field->rocks[k].y) + 1]++;
    }
    for (int b = 0; b < buckets; b++) {
        l->start[b + 1] += l->start[b];
    }
    for (int k = field->count - 1; k >= 0; k--) { // backwards, so that start[b] ends at the first rock of its bucket
        const int b = bucket_of(l, field->rocks[k].x, field->rocks[k].y);
        l->rocks[--l->start[b + 1]] = field->rocks[k];
    }
    // every start[b + 1] has become the first rock of bucket b: move them back by one
    for (int b = 0; b < buckets; b++) {
        l->start[b] = l->start[b + 1];
    }
    l->start[buckets] = field->count;
}

GrStatus gr_terrain_add_rocks(GrTerrain *terrain, const GrLayerDef *def, const GrRockField *field, GrErrorLog *log)
{
    RockLayer *l = gr_calloc(1, sizeof *l);
    double largest = 0;
    for (int k = 0; k < field->count; k++) {
        largest = fmax(largest, field->rocks[k].diameter);
    }
    if (l != NULL) {
        const double width = (double)(def->frame.nx - 1) * def->frame.dx,
                     length = (double)(def->frame.ny - 1) * def->frame.dy;
        l->frame = def->frame;
        l->x0 = def->frame.x0;
        l->y0 = def->frame.y0;
        l->size = fmax(fmax(largest, 1), fmax(width, length) / MAX_BUCKETS_A_SIDE);
        l->columns = 1 + (int)(width / l->size);
        l->rows = 1 + (int)(length / l->size);
        l->rocks = gr_calloc((size_t)field->count + 1, sizeof *l->rocks);
        l->start = gr_calloc((size_t)l->columns * (size_t)l->rows + 1, sizeof *l->start);
    }
    if (l == NULL || l->rocks == NULL || l->start == NULL) {
        free_rocks(l);
        return gr_out_of_memory(log, NULL);
    }
    fill_buckets(l, field);
    GrLayerDef added = *def;
    added.mode = GR_LAYER_ADD;
    return gr_terrain_add_source(terrain, &added, (GrSource){.read = read_rocks, .free = free_rocks, .context = l},
                                 log);
}

// ---- files

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
