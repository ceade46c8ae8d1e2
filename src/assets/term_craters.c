/// Term: a field of craters. The heights of overlapping craters add up.
#include "alloc.h"
#include "crater_shape.h"
#include "craters.h"
#include "elementary.h"
#include "term.h"

#include <math.h>
#include <string.h>

/// Craters by size: each level has radii up to twice those of the level below, in a grid whose cells are as wide as the
/// reach of the level's craters. A query visits 3 x 3 cells of each level.
enum { MOST_LEVELS = 24 };

/// In radii: where points are looked at. Beyond GR_CRATER_REACH by more than rounding errors.
static const double SAFE_REACH = GR_CRATER_REACH * (1 + 1e-6);

static const GrTermParameter CRATERS[] = {
    {"smallest_m", 2, 0.01, 1e5, "diameter of the smallest crater"},
    {"largest_m", 100, 0.01, 1e5, "diameter of the largest crater"},
    {"kt_m2", 0, 0, 1e9, "age of the ground as creep: diffusivity times time; 0: all craters fresh"},
    {"density", 1, 0, 100, "factor on the law's number of craters"},
};

typedef struct Level {
    double cell, x0, y0;
    int nx, ny;
    int *first; ///< [nx ny + 1] into the level's craters
} Level;

typedef struct Field {
    GrCraterShapes shapes;
    GrCrater *craters; ///< by level, then by cell
    GrCraterAge *ages; ///< of the same
    int count, level_count;
    int level_first[MOST_LEVELS + 1];
    Level levels[MOST_LEVELS];
} Field;

static void destroy(void *state)
{
    Field *field = state;
    for (int k = 0; k < field->level_count; k++) {
        gr_free(field->levels[k].first);
    }
    gr_free(field->craters);
    gr_free(field->ages);
    gr_free(field);
}

static int level_of(const GrCrater *c, double smallest)
{
    const int level = (int)floor(gr_log2(c->diameter / smallest) + 1e-12);
    return level < 0 ? 0 : level < MOST_LEVELS ? level : MOST_LEVELS - 1;
}

static int cell_of(const Level *level, double x, double y)
{
    const int i = (int)((x - level->x0) / level->cell), j = (int)((y - level->y0) / level->cell);
    return (j < level->ny ? j : level->ny - 1) * level->nx + (i < level->nx ? i : level->nx - 1);
}

/// Sorts the craters of one level by cell, preserving their order inside a cell.
static GrStatus sort_level(Level *level, const GrCrater *in, GrCrater *out, int count)
{
    const int cells = level->nx * level->ny;
    level->first = gr_calloc((size_t)cells + 2, sizeof *level->first);
    if (level->first == NULL) {
        return GR_ERROR_MEMORY;
    }
    for (int k = 0; k < count; k++) {
        level->first[cell_of(level, in[k].x, in[k].y) + 2]++;
    }
    for (int c = 1; c <= cells; c++) {
        level->first[c + 1] += level->first[c];
    }
    for (int k = 0; k < count; k++) {
        out[level->first[cell_of(level, in[k].x, in[k].y) + 1]++] = in[k];
    }
    return GR_OK;
}

/// Sorts the craters by level and cell.
static GrStatus arrange(Field *field, double smallest, GrBox2 box)
{
    GrCrater *sorted = gr_malloc(((size_t)field->count + 1) * sizeof *sorted);
    GrCrater *bucket = gr_malloc(((size_t)field->count + 1) * sizeof *bucket);
    GrStatus status = sorted != NULL && bucket != NULL ? GR_OK : GR_ERROR_MEMORY;
    int total = 0;
    for (int n = 0; n < MOST_LEVELS && status == GR_OK && total < field->count; n++) {
        int count = 0;
        for (int k = 0; k < field->count; k++) {
            if (level_of(&field->craters[k], smallest) == n) {
                bucket[count++] = field->craters[k];
            }
        }
        Level *level = &field->levels[field->level_count];
        level->cell = GR_CRATER_REACH * smallest * ldexp(1, n); // radii of this level are below smallest 2^n
        level->x0 = box.x_lower;
        level->y0 = box.y_lower;
        level->nx = 1 + (int)((box.x_upper - box.x_lower) / level->cell);
        level->ny = 1 + (int)((box.y_upper - box.y_lower) / level->cell);
        status = sort_level(level, bucket, sorted + total, count);
        field->level_first[field->level_count++] = total;
        total += count;
    }
    gr_free(bucket);
    gr_free(field->craters);
    field->craters = sorted;
    return status;
}

static GrStatus find_ages(Field *field)
{
    field->ages = gr_malloc(((size_t)field->count + 1) * sizeof *field->ages);
    for (int k = 0; field->ages != NULL && k < field->count; k++) {
        field->ages[k] = gr_crater_age(&field->shapes, field->craters[k].age);
    }
    return field->ages != NULL ? GR_OK : GR_ERROR_MEMORY;
}

static GrStatus prepare(const GrTermInput *input, void **state, GrErrorLog *log)
{
    const double smallest = input->values[0], largest = input->values[1];
    const char *name = input->text[0] != '\0' ? input->text : "moon";
    const GrCraterLaw *law = gr_crater_law(name);
    if (law == NULL) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "craters"}, "law '%s' is neither moon nor trask",
                            name);
    }
    if (!(smallest < largest)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "craters"},
                            "smallest_m must be below largest_m, not %g and %g", smallest, largest);
    }
    Field *field = gr_calloc(1, sizeof *field);
    if (field == NULL) {
        return GR_ERROR_MEMORY;
    }
    // Craters with centres beyond the border still reach into the map.
    const double beyond = 0.5 * GR_CRATER_REACH * largest;
    const GrBox2 box = {input->box.x_lower - beyond, input->box.y_lower - beyond, input->box.x_upper + beyond,
                        input->box.y_upper + beyond};
    const GrCraterFieldDef def = {law, input->values[3], smallest, largest, input->values[2], box, input->seed};
    GrStatus status = gr_craters_sow(&def, &field->craters, &field->count, log);
    if (status == GR_OK) {
        gr_crater_shapes_make(&field->shapes);
        status = arrange(field, smallest, box);
    }
    if (status == GR_OK) {
        status = find_ages(field);
    }
    if (status != GR_OK) {
        destroy(field);
        return status;
    }
    *state = field;
    return GR_OK;
}

/// Points [begin, end) of a row.
typedef struct Points {
    const double *x; ///< in ascending order
    double y;
    int begin, end;
} Points;

/// Adds a crater to the points that it reaches.
static void add_crater(const Field *field, int crater, Points points, double *sum)
{
    const GrCrater *c = &field->craters[crater];
    const double radius = 0.5 * c->diameter, dy = points.y - c->y, reach = SAFE_REACH * radius;
    if (!(fabs(dy) < reach)) {
        return;
    }
    const double half = sqrt(reach * reach - dy * dy);
    int i = points.begin;
    while (i < points.end && points.x[i] < c->x - half) {
        i++;
    }
    for (; i < points.end && points.x[i] <= c->x + half; i++) {
        const double dx = points.x[i] - c->x, square = (dx * dx + dy * dy) / (radius * radius);
        if (square < GR_CRATER_REACH * GR_CRATER_REACH) {
            sum[i] += c->scale * gr_crater_aged(&field->shapes, sqrt(square), &field->ages[crater]);
        }
    }
}

/// Adds the craters of one cell to points of a row.
static void add_cell(const Field *field, int first, int count, Points points, double *out)
{
    double sum[GR_TERM_ROW];
    for (int i = points.begin; i < points.end; i++) {
        sum[i] = 0;
    }
    for (int k = first; k < first + count; k++) {
        add_crater(field, k, points, sum);
    }
    for (int i = points.begin; i < points.end; i++) {
        out[i] += sum[i];
    }
}

/// The cells around a point that have craters.
typedef struct Around {
    int count;
    int first[9], craters[9];
} Around;

static Around look_around(const Field *field, int level, double u, double v)
{
    const Level *l = &field->levels[level];
    Around out = {0};
    if (!(u >= -1 && v >= -1 && u <= l->nx && v <= l->ny)) {
        return out;
    }
    for (int j = (int)v - 1; j <= (int)v + 1; j++) {
        for (int i = (int)u - 1; i <= (int)u + 1; i++) {
            const int cell = j * l->nx + i;
            if (i >= 0 && j >= 0 && i < l->nx && j < l->ny && l->first[cell + 1] > l->first[cell]) {
                out.first[out.count] = field->level_first[level] + l->first[cell];
                out.craters[out.count++] = l->first[cell + 1] - l->first[cell];
            }
        }
    }
    return out;
}

/// Level by level, and cell by cell: neighbours are mostly in the same one.
static void row(const void *state, const double *x, int count, double y, double *out)
{
    const Field *field = state;
    memset(out, 0, (size_t)count * sizeof *out);
    for (int n = 0; n < field->level_count; n++) {
        const Level *l = &field->levels[n];
        const double v = floor((y - l->y0) / l->cell);
        for (int begin = 0, end; begin < count; begin = end) {
            const double u = floor((x[begin] - l->x0) / l->cell);
            for (end = begin + 1; end < count && floor((x[end] - l->x0) / l->cell) == u;) {
                end++;
            }
            const Around around = look_around(field, n, u, v);
            for (int k = 0; k < around.count; k++) {
                add_cell(field, around.first[k], around.craters[k], (Points){x, y, begin, end}, out);
            }
        }
    }
}

static double height(const void *state, double x, double y)
{
    double sum;
    row(state, &x, 1, y, &sum);
    return sum;
}

const GrTerm gr_term_craters = {
    .info = {"craters", "a field of craters; law=moon (default) or law=trask", CRATERS, GR_TERM_COUNT(CRATERS)},
    .text_name = "law",
    .prepare = prepare,
    .height = height,
    .row = row,
    .destroy = destroy,
};
