/// Rocks as a height layer of a terrain, for pictures and exports.
#include "grouser/assets.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

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
