/// Fields of rocks from size laws: number, sizes and positions.
#include "grouser/assets.h"

#include "alloc.h"
#include "csv.h"
#include "elementary.h"
#include "number.h"
#include "out_of_memory.h"
#include "random.h"
#include "rock_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Rocks in and out: as a height layer of a terrain, and from a file as `grouser terrain rocks -o` writes it.

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

// ---- rocks

enum { MOST_ROCKS = 5000000, TRIES = 4000, MOST_CELLS = 4000000, CELLS_PER_ROCK = 4 };
/// Smaller shares of the area have no rocks of any size that matters, and their q overflows.
static const double K_LOWER = 1e-6;
enum { QUADRATURE = GR_ROCK_TABLE_PARTS };

GrRockFieldDef gr_default_rock_field_def(void)
{
    return (GrRockFieldDef){.k = 0.05,
                            .coefficient = 0.0003,
                            .exponent = 2.482,
                            .diameter_lower = 0.05,
                            .diameter_upper = 2,
                            .height_ratio = 0.5,
                            .seed = 1};
}

/// q(k) = 1.79 + 0.152 / k (Golombek & Rapp 1997)
static double golombek_q(double k)
{
    return 1.79 + 0.152 / k;
}

/// Rocks per square metre and metre of diameter. Golombek: the derivative of the area law divided by the area of one
/// rock, n(D) = 4 k q e^(−q D) / (π D²).
static double number_density(const GrRockFieldDef *def, double d)
{
    if (def->law == GR_ROCKS_GOLOMBEK) {
        const double q = golombek_q(def->k);
        return 4 * def->k * q * gr_exp(-q * d) / (GR_PI * d * d);
    }
    return def->coefficient * def->exponent * gr_pow(d, -def->exponent - 1);
}

/// ∫ n(D) D^power dD over [lower, upper], Simpson's rule in log D.
static double moment(const GrRockFieldDef *def, double lower, double upper, int power)
{
    if (!(upper > lower)) {
        return 0;
    }
    const double a = gr_log(lower), h = (gr_log(upper) - a) / QUADRATURE;
    double sum = 0;
    for (int k = 0; k <= QUADRATURE; k++) {
        const double d = gr_exp(a + k * h), weight = k == 0 || k == QUADRATURE ? 1 : k % 2 == 1 ? 4 : 2;
        sum += weight * number_density(def, d) * (power == 0 ? d : gr_pow(d, power + 1));
    }
    return sum * h / 3;
}

double gr_rock_law_count(const GrRockFieldDef *def, double diameter)
{
    return def->law == GR_ROCKS_POWER ? def->coefficient * gr_pow(diameter, -def->exponent)
                                      : moment(def, diameter, diameter + 40 / golombek_q(def->k), 0);
}

static double log_of_largest(const GrRockFieldDef *def)
{
    return gr_log(def->diameter_upper);
}

/// Between the sizes of a table, in log D.
static double log_step(const GrRockFieldDef *def)
{
    return (gr_log(def->diameter_upper) - gr_log(def->diameter_lower)) / QUADRATURE;
}

static GrStatus check(const GrRockFieldDef *def, GrErrorLog *log)
{
    const GrLocation at = {.field = "rocks"};
    if (!(def->box.x_upper > def->box.x_lower && def->box.y_upper > def->box.y_lower)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "the area is empty");
    }
    if (!(def->diameter_lower > 0 && def->diameter_upper > def->diameter_lower && isfinite(def->diameter_upper))) {
        return gr_error_add(log, GR_ERROR_VALUE, at,
                            "diameters must be above 0 and the largest above the smallest, not "
                            "%g and %g m",
                            def->diameter_lower, def->diameter_upper);
    }
    if (def->law == GR_ROCKS_GOLOMBEK && !(def->k >= K_LOWER && def->k < 0.6)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "k must be at least %g and below 0.6, not %g", K_LOWER, def->k);
    }
    if (def->law == GR_ROCKS_POWER && !(def->coefficient > 0 && def->exponent > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "coefficient and exponent must be above 0, not %g and %g",
                            def->coefficient, def->exponent);
    }
    if (!(def->area_fraction >= 0 && def->area_fraction < 0.6) || !(def->gap >= 0) ||
        !(def->height_ratio > 0 && def->height_ratio <= 1)) {
        return gr_error_add(
            log, GR_ERROR_VALUE, at,
            "the share of area must be below 0.6, the gap 0 or more, the height 0 to 1 diameters; not %g, "
            "%g, %g",
            def->area_fraction, def->gap, def->height_ratio);
    }
    return GR_OK;
}

bool gr_rock_table_fits(const GrRockTable *table, const GrRockFieldDef *def)
{
    const GrRockFieldDef *own = &table->def;
    return own->law == def->law && own->k == def->k && own->coefficient == def->coefficient &&
           own->exponent == def->exponent && own->diameter_lower == def->diameter_lower &&
           own->diameter_upper == def->diameter_upper;
}

GrStatus gr_rock_table_make(const GrRockFieldDef *def, GrRockTable *out, GrErrorLog *log)
{
    const GrStatus status = check(def, log);
    if (status != GR_OK) {
        return status;
    }
    const double a = log_of_largest(def), h = log_step(def);
    double first = number_density(def, gr_exp(a)) * gr_exp(a);
    out->def = *def;
    out->count = moment(def, def->diameter_lower, def->diameter_upper, 0);
    out->covered = GR_PI / 4 * moment(def, def->diameter_lower, def->diameter_upper, 2);
    if (!isfinite(out->count) || !isfinite(out->covered) || (def->area_fraction > 0 && !(out->covered > 1e-300))) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "rocks"},
                            "the size law has %s between %g and %g m with these parameters",
                            out->covered > 1e-300 ? "infinitely many rocks" : "no rocks", def->diameter_lower,
                            def->diameter_upper);
    }
    for (int k = 0; k < QUADRATURE; k++) { // Simpson's rule in log D
        const double dm = gr_exp(a - (k + 0.5) * h), d1 = gr_exp(a - (k + 1) * h), last = number_density(def, d1) * d1;
        out->parts[k] = h / 6 * (first + 4 * number_density(def, dm) * dm + last);
        first = last;
    }
    return GR_OK;
}

/// Diameters from the largest to the smallest, one drawn from each of `count` equal parts of the cumulative number.
/// Area and counts thus follow the law closely in every field, not only in the mean of many.
static void draw_diameters(const GrRockTable *table, GrRock *rocks, int count, GrRandom *random)
{
    const double a = log_of_largest(&table->def), h = log_step(&table->def);
    double below = 0;
    int next = 0;
    double target = (next + gr_random_unit(random)) / count * table->count;
    for (int k = 0; k < QUADRATURE && next < count; k++) {
        const double part = table->parts[k];
        while (next < count && (target <= below + part || k == QUADRATURE - 1)) {
            const double t = fmin(1, fmax(0, (target - below) / part));
            rocks[next].diameter = gr_exp(a - (k + t) * h);
            next++;
            target = next < count ? (next + gr_random_unit(random)) / count * table->count : target;
        }
        below += part;
    }
}

/// Rocks already placed, in grids of cells: the first with cells at least as wide as the largest diameter and gap, each
/// further one with cells half as wide, for the rocks that fit into them. In one grid a cell of the largest rock would
/// have thousands of pebbles. There are a few cells for each rock: more of them take longer to clear than to search.
typedef struct Level {
    double cell, largest; ///< diameter of its largest rock at most
    double per_cell;      ///< 1 / cell
    int nx, ny, count;
    int *head;
} Level;

enum { LEVELS = 12 };

typedef struct Bins {
    double x0, y0;
    Level levels[LEVELS];
    int level_count;
    int *next;
} Bins;

static bool make_level(Level *level, double cell, double largest, double width, double height)
{
    *level = (Level){.cell = cell, .largest = largest, .per_cell = 1 / cell};
    level->nx = 1 + (int)fmin(width * level->per_cell, MOST_CELLS); // a field may be a line
    level->ny = 1 + (int)fmin(height * level->per_cell, MOST_CELLS);
    const size_t bytes = (size_t)level->nx * (size_t)level->ny * sizeof *level->head;
    level->head = gr_malloc(bytes);
    if (level->head != NULL) {
        memset(level->head, 0xff, bytes); // −1: empty
    }
    return level->head != NULL;
}

static bool make_bins(Bins *bins, const GrRockFieldDef *def, double largest, int count)
{
    const double width = def->box.x_upper - def->box.x_lower, height = def->box.y_upper - def->box.y_lower;
    const double least = sqrt(width * height / fmin(MOST_CELLS, CELLS_PER_ROCK * (double)count));
    *bins = (Bins){.x0 = def->box.x_lower, .y0 = def->box.y_lower};
    bins->next = gr_calloc((size_t)count + 1, sizeof *bins->next);
    bool made = bins->next != NULL;
    double cell = fmax(largest + def->gap, least);
    do {
        made = made && make_level(&bins->levels[bins->level_count], cell,
                                  bins->level_count == 0 ? largest : cell - def->gap, width, height);
        bins->level_count++;
        cell /= 2;
    } while (made && bins->level_count < LEVELS && cell >= least && cell - def->gap >= def->diameter_lower);
    return made;
}

static void free_bins(Bins *bins)
{
    for (int l = 0; l < bins->level_count; l++) {
        gr_free(bins->levels[l].head);
    }
    gr_free(bins->next);
}

/// Index of the cell of a coordinate, which may be outside.
static int cell_of(double x, double x0, double per_cell, int count)
{
    const double at = (x - x0) * per_cell;
    return at > 0 ? (at < count ? (int)at : count - 1) : 0;
}

static bool is_free_of(const Bins *bins, const Level *level, const GrRock *rocks, const GrRock *rock, double gap)
{
    // a little more than the largest distance at which a rock placed before is too close
    const double far = (0.5 * (rock->diameter + level->largest) + gap) * (1 + 1e-9) + 1e-9 * level->cell;
    const int i0 = cell_of(rock->x - far, bins->x0, level->per_cell, level->nx),
              i1 = cell_of(rock->x + far, bins->x0, level->per_cell, level->nx),
              j0 = cell_of(rock->y - far, bins->y0, level->per_cell, level->ny),
              j1 = cell_of(rock->y + far, bins->y0, level->per_cell, level->ny);
    for (int j = j0; j <= j1; j++) {
        for (int i = i0; i <= i1; i++) {
            for (int k = level->head[j * level->nx + i]; k >= 0; k = bins->next[k]) {
                const double dx = rock->x - rocks[k].x, dy = rock->y - rocks[k].y;
                const double reach = 0.5 * (rock->diameter + rocks[k].diameter) + gap;
                if (dx * dx + dy * dy < reach * reach) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool is_free(const Bins *bins, const GrRock *rocks, const GrRock *rock, double gap)
{
    bool is = true;
    for (int l = 0; l < bins->level_count && is; l++) {
        is = bins->levels[l].count == 0 || is_free_of(bins, &bins->levels[l], rocks, rock, gap);
    }
    return is;
}

static void add_bin(Bins *bins, const GrRock *rock, int index)
{
    int l = bins->level_count - 1;
    while (l > 0 && rock->diameter > bins->levels[l].largest) {
        l--;
    }
    Level *level = &bins->levels[l];
    const int ci = cell_of(rock->x, bins->x0, level->per_cell, level->nx),
              cj = cell_of(rock->y, bins->y0, level->per_cell, level->ny);
    int *head = &level->head[cj * level->nx + ci];
    bins->next[index] = *head;
    *head = index;
    level->count++;
}

/// Places large rocks first, while there is still room for them.
static GrStatus place(const GrRockFieldDef *def, GrRockField *field, int count, GrRandom *random)
{
    Bins bins;
    if (!make_bins(&bins, def, field->rocks[0].diameter, count)) {
        free_bins(&bins);
        return GR_ERROR_MEMORY;
    }
    for (int n = 0; n < count; n++) {
        GrRock rock = field->rocks[n];
        bool found = false;
        for (int t = 0; t < TRIES && !found; t++) {
            rock.x = gr_random_uniform(random, def->box.x_lower, def->box.x_upper);
            rock.y = gr_random_uniform(random, def->box.y_lower, def->box.y_upper);
            found =
                (def->density == NULL || gr_random_unit(random) < def->density(def->density_context, rock.x, rock.y)) &&
                is_free(&bins, field->rocks, &rock, def->gap);
        }
        if (!found) {
            field->not_placed++;
            continue;
        }
        rock.height = def->height_ratio * rock.diameter;
        rock.yaw = 2 * GR_PI * gr_random_unit(random);
        field->rocks[field->count] = rock;
        add_bin(&bins, &rock, field->count++);
    }
    free_bins(&bins);
    return GR_OK;
}

/// Mean of the density map over the area, on a fixed grid of points; 1 without a density map.
static double mean_density(const GrRockFieldDef *def)
{
    enum { SIDE = 512 };
    if (def->density == NULL) {
        return 1;
    }
    double sum = 0;
    for (int j = 0; j < SIDE; j++) {
        for (int i = 0; i < SIDE; i++) {
            const double x = def->box.x_lower + (i + 0.5) / SIDE * (def->box.x_upper - def->box.x_lower);
            const double y = def->box.y_lower + (j + 0.5) / SIDE * (def->box.y_upper - def->box.y_lower);
            sum += fmin(1, fmax(0, def->density(def->density_context, x, y)));
        }
    }
    return sum / (SIDE * SIDE);
}

GrStatus gr_rock_field_make(const GrRockFieldDef *def, GrRockField *out, GrErrorLog *log)
{
    GrRockTable table;
    const GrStatus status = gr_rock_table_make(def, &table, log);
    *out = (GrRockField){0};
    return status == GR_OK ? gr_rock_field_make_by(&table, def, out, log) : status;
}

GrStatus gr_rock_field_make_by(const GrRockTable *table, const GrRockFieldDef *def, GrRockField *out, GrErrorLog *log)
{
    *out = (GrRockField){0};
    GrStatus status = check(def, log);
    if (status != GR_OK) {
        return status;
    }
    const double area = (def->box.x_upper - def->box.x_lower) * (def->box.y_upper - def->box.y_lower);
    const double density = mean_density(def);
    const double factor = def->area_fraction > 0 ? def->area_fraction / table->covered : 1;
    const double wanted = density * factor * area * table->count;
    out->asked = density * factor * table->covered;
    if (wanted > MOST_ROCKS) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.field = "rocks"},
            "%.0f rocks of %g m and more are needed here, but at most %d are allowed; raise the smallest diameter",
            wanted, def->diameter_lower, MOST_ROCKS);
    }
    const int count = (int)nearbyint(wanted);
    out->rocks = gr_calloc((size_t)count + 1, sizeof *out->rocks);
    if (out->rocks == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrRandom sizes = gr_random_stream(def->seed, "rock sizes"), places = gr_random_stream(def->seed, "rock places");
    if (count > 0) {
        draw_diameters(table, out->rocks, count, &sizes);
        status = place(def, out, count, &places);
    }
    for (int k = 0; k < out->count; k++) {
        out->covered += GR_PI / 4 * out->rocks[k].diameter * out->rocks[k].diameter / area;
    }
    if (status != GR_OK) {
        gr_rock_field_free(out);
        return gr_out_of_memory(log, NULL);
    }
    if (out->not_placed > 0) {
        gr_warning_add(log, (GrLocation){.field = "rocks"}, "no free place was found for %d of %d rocks",
                       out->not_placed, count);
    }
    return GR_OK;
}

void gr_rock_field_free(GrRockField *field)
{
    gr_free(field->rocks);
    *field = (GrRockField){0};
}
