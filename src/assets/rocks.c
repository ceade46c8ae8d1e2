/// Fields of rocks from size laws: number, sizes and positions.
#include "grouser/assets.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { MOST_ROCKS = 5000000, TRIES = 4000, QUADRATURE = 2048, MOST_CELLS = 4000000, CELLS_PER_ROCK = 4 };

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
        return 4 * def->k * q * exp(-q * d) / (GR_PI * d * d);
    }
    return def->coefficient * def->exponent * pow(d, -def->exponent - 1);
}

/// ∫ n(D) D^power dD over [lower, upper], Simpson's rule in log D.
static double moment(const GrRockFieldDef *def, double lower, double upper, int power)
{
    if (!(upper > lower)) {
        return 0;
    }
    const double a = log(lower), h = (log(upper) - a) / QUADRATURE;
    double sum = 0;
    for (int k = 0; k <= QUADRATURE; k++) {
        const double d = exp(a + k * h), weight = k == 0 || k == QUADRATURE ? 1 : k % 2 == 1 ? 4 : 2;
        sum += weight * number_density(def, d) * (power == 0 ? d : pow(d, power + 1));
    }
    return sum * h / 3;
}

double gr_rock_law_count(const GrRockFieldDef *def, double diameter)
{
    return def->law == GR_ROCKS_POWER ? def->coefficient * pow(diameter, -def->exponent)
                                      : moment(def, diameter, diameter + 40 / golombek_q(def->k), 0);
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
    if (def->law == GR_ROCKS_GOLOMBEK && !(def->k > 0 && def->k < 0.6)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "k must be above 0 and below 0.6, not %g", def->k);
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

/// Diameters from the largest to the smallest, one drawn from each of `count` equal parts of the cumulative number.
/// Area and counts thus follow the law closely in every field, not only in the mean of many.
static void draw_diameters(const GrRockFieldDef *def, double total, GrRock *rocks, int count, GrRandom *random)
{
    const double a = log(def->diameter_upper), h = (a - log(def->diameter_lower)) / QUADRATURE;
    const double largest = exp(a);
    double below = 0, first = number_density(def, largest) * largest;
    int next = 0;
    double target = (next + gr_random_unit(random)) / count * total;
    for (int k = 0; k < QUADRATURE && next < count; k++) {
        // Number between two neighbouring sizes, by Simpson's rule in log D.
        const double dm = exp(a - (k + 0.5) * h), d1 = exp(a - (k + 1) * h), last = number_density(def, d1) * d1;
        const double piece = h / 6 * (first + 4 * number_density(def, dm) * dm + last);
        first = last;
        while (next < count && (target <= below + piece || k == QUADRATURE - 1)) {
            const double t = fmin(1, fmax(0, (target - below) / piece));
            rocks[next].diameter = exp(a - (k + t) * h);
            next++;
            target = next < count ? (next + gr_random_unit(random)) / count * total : target;
        }
        below += piece;
    }
}

/// Rocks already placed, in a grid of cells at least as wide as the largest diameter and gap, so that neighbours are in
/// 3 x 3 cells. There are a few cells for each rock: more of them take longer to clear than to search.
typedef struct Bins {
    double x0, y0, cell;
    int nx, ny;
    int *head, *next;
} Bins;

static bool make_bins(Bins *bins, const GrRockFieldDef *def, double largest, int count)
{
    const double width = def->box.x_upper - def->box.x_lower, height = def->box.y_upper - def->box.y_lower;
    const double least = sqrt(width * height / fmin(MOST_CELLS, CELLS_PER_ROCK * (double)count));
    *bins = (Bins){def->box.x_lower, def->box.y_lower, fmax(largest + def->gap, least), 0, 0, NULL, NULL};
    bins->nx = 1 + (int)(width / bins->cell);
    bins->ny = 1 + (int)(height / bins->cell);
    const size_t bytes = (size_t)bins->nx * (size_t)bins->ny * sizeof *bins->head;
    bins->head = gr_malloc(bytes);
    bins->next = gr_calloc((size_t)count + 1, sizeof *bins->next);
    if (bins->head == NULL || bins->next == NULL) {
        return false;
    }
    memset(bins->head, 0xff, bytes); // −1: empty
    return true;
}

static bool is_free(const Bins *bins, const GrRock *rocks, const GrRock *rock, double gap)
{
    const int ci = (int)((rock->x - bins->x0) / bins->cell), cj = (int)((rock->y - bins->y0) / bins->cell);
    for (int j = cj > 0 ? cj - 1 : 0; j <= cj + 1 && j < bins->ny; j++) {
        for (int i = ci > 0 ? ci - 1 : 0; i <= ci + 1 && i < bins->nx; i++) {
            for (int k = bins->head[j * bins->nx + i]; k >= 0; k = bins->next[k]) {
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

static void add_bin(Bins *bins, const GrRock *rock, int index)
{
    const int ci = (int)((rock->x - bins->x0) / bins->cell), cj = (int)((rock->y - bins->y0) / bins->cell);
    int *head = &bins->head[cj * bins->nx + ci];
    bins->next[index] = *head;
    *head = index;
}

/// Places large rocks first, while there is still room for them.
static GrStatus place(const GrRockFieldDef *def, GrRockField *field, int count, GrRandom *random)
{
    Bins bins;
    if (!make_bins(&bins, def, field->rocks[0].diameter, count)) {
        gr_free(bins.head);
        gr_free(bins.next);
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
    gr_free(bins.head);
    gr_free(bins.next);
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

/// Number of rocks, and the covered fraction of the area. `total`: rocks of the law per area.
static double count_wanted(const GrRockFieldDef *def, double area, double density, double total, double *asked)
{
    const double covered = GR_PI / 4 * moment(def, def->diameter_lower, def->diameter_upper, 2);
    const double factor = def->area_fraction > 0 ? def->area_fraction / covered : 1;
    *asked = density * factor * covered;
    return density * factor * area * total;
}

GrStatus gr_rock_field_make(const GrRockFieldDef *def, GrRockField *out, GrErrorLog *log)
{
    *out = (GrRockField){0};
    GrStatus status = check(def, log);
    if (status != GR_OK) {
        return status;
    }
    const double area = (def->box.x_upper - def->box.x_lower) * (def->box.y_upper - def->box.y_lower);
    const double total = moment(def, def->diameter_lower, def->diameter_upper, 0);
    const double wanted = count_wanted(def, area, mean_density(def), total, &out->asked);
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
        draw_diameters(def, total, out->rocks, count, &sizes);
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
