/// Craters: shape and ageing, the sizes in a field, and the terms of one crater and of a field of them.
#include "craters.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "random.h"
#include "term.h"

#include <math.h>
#include <string.h>

// ---- shape

enum { SUBSTEPS_SAFETY = 5 };

#define RADIUS_STEP (GR_CRATER_REACH / (GR_CRATER_RADII - 1))
#define YOUNGEST    1e-4
#define OLDEST      2.0

double gr_crater_fresh(double r)
{
    if (r >= 1.5) {
        return 0;
    }
    if (r <= 0.98) {
        const double wall = -0.228809953 + r * (0.227533882 + r * (0.083116795 - r * 0.039499407));
        // The floor begins where the wall reaches its depth. At r = 0.2, as printed, there would be a step.
        return fmax(-0.181, wall);
    }
    return fmax(0, 0.188253307 + r * (-0.187050452 + r * (0.01844746 + r * 0.01505647)));
}

double gr_crater_depth_ratio(double diameter)
{
    static const double TABLE[][2] = {{10, 0.11}, {40, 0.13}, {100, 0.15}, {200, 0.17}, {400, 0.21}};
    enum { COUNT = sizeof TABLE / sizeof TABLE[0] };
    if (diameter < TABLE[0][0]) {
        return 0.10;
    }
    for (int k = 1; k < COUNT; k++) {
        if (diameter < TABLE[k][0]) {
            const double t = (diameter - TABLE[k - 1][0]) / (TABLE[k][0] - TABLE[k - 1][0]);
            return TABLE[k - 1][1] + t * (TABLE[k][1] - TABLE[k - 1][1]);
        }
    }
    return TABLE[COUNT - 1][1];
}

/// One explicit step of ∂z/∂t = ∂²z/∂r² + (1/r) ∂z/∂r; at r = 0 the right-hand side is 2 ∂²z/∂r². The ground is flat
/// far away.
static void diffuse(double *z, double *next, double dt)
{
    const double per_square = 1 / (RADIUS_STEP * RADIUS_STEP);
    next[0] = z[0] + dt * 4 * (z[1] - z[0]) * per_square;
    for (int k = 1; k + 1 < GR_CRATER_RADII; k++) {
        const double second = (z[k + 1] - 2 * z[k] + z[k - 1]) * per_square;
        const double first = (z[k + 1] - z[k - 1]) / (2 * RADIUS_STEP);
        next[k] = z[k] + dt * (second + first / (k * RADIUS_STEP));
    }
    next[GR_CRATER_RADII - 1] = 0;
    memcpy(z, next, GR_CRATER_RADII * sizeof *z);
}

void gr_crater_shapes_make(GrCraterShapes *shapes)
{
    shapes->log_first = gr_log(YOUNGEST);
    shapes->log_step = (gr_log(OLDEST) - gr_log(YOUNGEST)) / (GR_CRATER_AGES - 1);
    double z[GR_CRATER_RADII], next[GR_CRATER_RADII];
    for (int k = 0; k < GR_CRATER_RADII; k++) {
        z[k] = gr_crater_fresh(k * RADIUS_STEP);
    }
    double age = 0;
    const double largest = RADIUS_STEP * RADIUS_STEP / SUBSTEPS_SAFETY;
    for (int n = 0; n < GR_CRATER_AGES; n++) {
        const double until = gr_exp(shapes->log_first + n * shapes->log_step);
        const int steps = (int)ceil((until - age) / largest);
        for (int k = 0; k < steps; k++) {
            diffuse(z, next, (until - age) / steps);
        }
        age = until;
        memcpy(shapes->z[n], z, sizeof z);
    }
}

/// A place between tabulated radii.
typedef struct Place {
    int k;    ///< radius below it
    double u; ///< from there to the next, 0 … 1
} Place;

static Place find_place(double r)
{
    const double t = r / RADIUS_STEP;
    const int k = (int)t;
    return (Place){k, t - k};
}

/// Cubic through the tabulated radii (Catmull-Rom), symmetric about the centre.
static double look_up(const double *z, Place p)
{
    const int k = p.k;
    if (k + 2 >= GR_CRATER_RADII) {
        return 0;
    }
    const double u = p.u, before = z[k > 0 ? k - 1 : 1];
    const double slope0 = 0.5 * (z[k + 1] - before), slope1 = 0.5 * (z[k + 2] - z[k]);
    const double rise = z[k + 1] - z[k];
    return z[k] + u * (slope0 + u * (3 * rise - 2 * slope0 - slope1 + u * (slope0 + slope1 - 2 * rise)));
}

GrCraterAge gr_crater_age(const GrCraterShapes *shapes, double age)
{
    if (age < YOUNGEST) {
        return (GrCraterAge){age, -1, age / YOUNGEST};
    }
    const double t = (gr_log(age) - shapes->log_first) / shapes->log_step;
    if (t >= GR_CRATER_AGES - 1) {
        return (GrCraterAge){age, GR_CRATER_AGES - 1, 0};
    }
    const int n = (int)t;
    return (GrCraterAge){age, n, t - n};
}

double gr_crater_aged(const GrCraterShapes *shapes, double r, const GrCraterAge *age)
{
    if (r >= GR_CRATER_REACH) {
        return 0;
    }
    const Place p = find_place(r);
    const int n = age->table;
    const double t = age->share;
    if (n < 0) {
        return t > 0 ? (1 - t) * gr_crater_fresh(r) + t * look_up(shapes->z[0], p) : gr_crater_fresh(r);
    }
    if (n == GR_CRATER_AGES - 1) {
        // Far older than the oldest table: the remaining relief fades inversely with age.
        return look_up(shapes->z[n], p) * OLDEST / age->age;
    }
    return (1 - t) * look_up(shapes->z[n], p) + t * look_up(shapes->z[n + 1], p);
}

// ---- sizes and ages in a field

enum { MOST_CRATERS = 5000000 };

static const GrCraterLaw LAWS[] = {
    {"moon", 2, {0, 80}, {0.029174, 0.156228}, {1.92, 2.389}},
    {"trask", 1, {0, INFINITY}, {0.07943282347242815, 0}, {2, 0}},
};

const GrCraterLaw *gr_crater_law(const char *name)
{
    for (size_t k = 0; k < sizeof LAWS / sizeof LAWS[0]; k++) {
        if (strcmp(name, LAWS[k].name) == 0) {
            return &LAWS[k];
        }
    }
    return NULL;
}

double gr_crater_law_count(const GrCraterLaw *law, double diameter)
{
    const int piece = law->pieces > 1 && diameter > law->from[1] ? 1 : 0;
    return law->coefficient[piece] * gr_pow(diameter, -law->exponent[piece]);
}

/// Poisson-distributed number: by summing waiting times up to a mean of 1000, by the normal limit beyond.
static double draw_poisson(GrRandom *random, double mean)
{
    if (mean > 1000) {
        return fmax(0, nearbyint(mean + sqrt(mean) * gr_random_normal(random)));
    }
    double count = -1, time = 0;
    do {
        time -= gr_log(1 - gr_random_unit(random));
        count++;
    } while (time < mean);
    return count;
}

/// The diameter above which a given fraction of all craters lies: bisection of the law, which decreases monotonically.
static double find_diameter(const GrCraterLaw *law, double count, double lower, double upper)
{
    double a = gr_log(lower), b = gr_log(upper);
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (a + b);
        if (gr_crater_law_count(law, gr_exp(middle)) > count) {
            a = middle;
        } else {
            b = middle;
        }
    }
    return gr_exp(0.5 * (a + b));
}

GrStatus gr_craters_sow(const GrCraterFieldDef *def, GrCrater **out, int *count, GrErrorLog *log)
{
    const GrCraterLaw *law = def->law;
    const GrBox2 box = def->box;
    const double lower = def->lower, upper = def->upper;
    const double most = gr_crater_law_count(law, lower), least = gr_crater_law_count(law, upper);
    const double area = (box.x_upper - box.x_lower) * (box.y_upper - box.y_lower);
    const double mean = def->density * area * fmax(0, most - least);
    *count = 0;
    *out = NULL;
    if (mean > MOST_CRATERS) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.field = "craters"},
            "%.0f craters of %g m and more are needed here, but at most %d are allowed; raise smallest_m", mean, lower,
            MOST_CRATERS);
    }
    GrRandom random = gr_random_stream(def->seed, "craters");
    const int wanted = (int)draw_poisson(&random, mean);
    GrCrater *craters = gr_malloc(((size_t)wanted + 1) * sizeof *craters);
    if (craters == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int k = 0; k < wanted; k++) {
        GrCrater *c = &craters[k];
        c->x = gr_random_uniform(&random, box.x_lower, box.x_upper);
        c->y = gr_random_uniform(&random, box.y_lower, box.y_upper);
        c->diameter = find_diameter(law, least + gr_random_unit(&random) * (most - least), lower, upper);
        // Craters form at a constant rate, so ages are uniform up to the age of the ground.
        c->age = 4 * def->kt * gr_random_unit(&random) / (c->diameter * c->diameter);
        c->scale = c->diameter * gr_crater_depth_ratio(c->diameter) / GR_CRATER_DEPTH;
    }
    *out = craters;
    *count = wanted;
    return GR_OK;
}

// ---- term: one crater at a given position, for tests with a known obstacle

static const GrTermParameter CRATER[] = {
    {"diameter_m", 10, 0.05, 1e5, "from rim to rim"},
    {"x_m", 0, -1e7, 1e7, "its middle"},
    {"y_m", 0, -1e7, 1e7, "its middle"},
    {"depth_ratio", 0, 0, 0.5, "rim above floor over the diameter; 0: that of a fresh crater of this size"},
    {"age", 0, 0, 100, "age by creep: diffusivity times time over the radius squared"},
};

typedef struct Crater {
    double x, y, radius, scale;
    GrCraterShapes shapes;
    GrCraterAge age;
} Crater;

static GrStatus prepare_crater(const GrTermInput *input, void **state, GrErrorLog *log)
{
    (void)log;
    Crater *c = gr_malloc(sizeof *c);
    if (c == NULL) {
        return GR_ERROR_MEMORY;
    }
    const double diameter = input->values[0];
    const double ratio = input->values[3] > 0 ? input->values[3] : gr_crater_depth_ratio(diameter);
    c->x = input->values[1];
    c->y = input->values[2];
    c->radius = 0.5 * diameter;
    c->scale = diameter * ratio / GR_CRATER_DEPTH;
    gr_crater_shapes_make(&c->shapes);
    c->age = gr_crater_age(&c->shapes, input->values[4]);
    *state = c;
    return GR_OK;
}

static double crater_height(const void *state, double x, double y)
{
    const Crater *c = state;
    const double r = gr_hypot(x - c->x, y - c->y) / c->radius;
    return r < GR_CRATER_REACH ? c->scale * gr_crater_aged(&c->shapes, r, &c->age) : 0;
}

const GrTerm gr_term_crater = {
    .info = {"crater", "one crater at a given position", CRATER, GR_TERM_COUNT(CRATER)},
    .prepare = prepare_crater,
    .height = crater_height,
};

// ---- term: a field of craters, whose heights add up

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

static GrStatus prepare_field(const GrTermInput *input, void **state, GrErrorLog *log)
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

static double field_height(const void *state, double x, double y)
{
    double sum;
    row(state, &x, 1, y, &sum);
    return sum;
}

const GrTerm gr_term_craters = {
    .info = {"craters", "a field of craters; law=moon (default) or law=trask", CRATERS, GR_TERM_COUNT(CRATERS)},
    .text_name = "law",
    .prepare = prepare_field,
    .height = field_height,
    .row = row,
    .destroy = destroy,
};
