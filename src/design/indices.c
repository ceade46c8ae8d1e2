#include "indices.h"

#include "alloc.h"
#include "check.h"
#include "elementary.h"
#include "hash.h"
#include "out_of_memory.h"
#include "random.h"
#include "sampling.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

// ---- Sobol' indices

uint64_t gr_saltelli_count(int variable_count, uint64_t base_count)
{
    return base_count * ((uint64_t)variable_count + 2);
}

void gr_saltelli_point(uint64_t row, int variable_count, uint64_t seed, double *out)
{
    GR_CHECK(2 * variable_count <= GR_SOBOL_DIMENSIONS);
    double both[GR_SOBOL_DIMENSIONS];
    const uint64_t blocks = (uint64_t)variable_count + 2;
    const int block = (int)(row % blocks); // 0: a; 1: b; 2 + i: a with coordinate i of b
    gr_sobol_point(row / blocks, 2 * variable_count, seed, both);
    for (int i = 0; i < variable_count; i++) {
        out[i] = both[block == 1 || block == 2 + i ? variable_count + i : i];
    }
}

/// The complete base samples, and room for what is computed from them.
typedef struct Samples {
    int k; ///< variables
    uint64_t count;
    const double **rows; ///< [count] f(a), f(b), f(ab_1) …
    double mean;
    double *sums;      ///< [2 k] of the current estimate
    double *resampled; ///< [2 k][resamples]
} Samples;

/// Sums over base samples: b (ab_i − a) for the first order (Saltelli et al. 2010, eq. b), (a − ab_i)² / 2 for the
/// total (Jansen 1999). Values are taken from the mean, which lowers the variance of the first. Divides by the
/// variance.
static double estimate(Samples *s, uint64_t hash, bool is_resampled)
{
    double sum = 0, square = 0;
    for (int i = 0; i < 2 * s->k; i++) {
        s->sums[i] = 0;
    }
    for (uint64_t j = 0; j < s->count; j++) {
        const uint64_t at = is_resampled ? (uint64_t)(gr_hash_unit(gr_hash_join(hash, j)) * (double)s->count) : j;
        const double *row = s->rows[at];
        const double a = row[0] - s->mean, b = row[1] - s->mean;
        sum += a + b;
        square += a * a + b * b;
        for (int i = 0; i < s->k; i++) {
            const double change = row[2 + i] - row[0];
            s->sums[i] += b * change;
            s->sums[s->k + i] += 0.5 * change * change;
        }
    }
    const double n = (double)s->count;
    const double variance = square / (2 * n) - gr_pow(sum / (2 * n), 2);
    for (int i = 0; i < 2 * s->k; i++) {
        s->sums[i] = variance > 0 ? s->sums[i] / n / variance : (double)NAN;
    }
    return variance;
}

static GrEstimate interval(double value, double *resampled, int resamples)
{
    const int kept = gr_keep_finite(resampled, resamples);
    gr_sort(resampled, kept);
    return (GrEstimate){value, gr_quantile_sorted(resampled, kept, 0.025), gr_quantile_sorted(resampled, kept, 0.975)};
}

/// Keeps the base samples without missing values, and their mean.
static void collect(const double *values, uint64_t base_count, Samples *s)
{
    const uint64_t blocks = (uint64_t)s->k + 2;
    for (uint64_t j = 0; j < base_count; j++) {
        const double *row = values + j * blocks;
        bool is_complete = true;
        for (uint64_t i = 0; i < blocks; i++) {
            is_complete = is_complete && isfinite(row[i]);
        }
        if (is_complete) {
            s->rows[s->count++] = row;
        }
    }
    for (uint64_t j = 0; j < s->count; j++) {
        s->mean += (s->rows[j][0] + s->rows[j][1]) / (2 * (double)s->count);
    }
}

static void fill(Samples *s, GrBootstrap bootstrap, GrSobolIndex *out, GrSampleUse *use)
{
    use->mean = s->mean;
    use->variance = estimate(s, 0, false);
    for (int i = 0; i < s->k; i++) {
        out[i].first.value = s->sums[i];
        out[i].total.value = s->sums[s->k + i];
    }
    for (int r = 0; r < bootstrap.resamples; r++) {
        estimate(s, gr_hash_join(gr_hash_join(4, bootstrap.seed), (uint64_t)r), true);
        for (int i = 0; i < 2 * s->k; i++) {
            s->resampled[i * bootstrap.resamples + r] = s->sums[i];
        }
    }
    for (int i = 0; i < s->k; i++) {
        double *first = s->resampled + i * bootstrap.resamples;
        double *total = s->resampled + (s->k + i) * bootstrap.resamples;
        out[i].first = interval(out[i].first.value, first, bootstrap.resamples);
        out[i].total = interval(out[i].total.value, total, bootstrap.resamples);
    }
}

GrStatus gr_sobol_indices(const double *values, int variable_count, uint64_t base_count, GrBootstrap bootstrap,
                          GrSobolIndex *out, GrSampleUse *use, GrErrorLog *log)
{
    const size_t k = (size_t)variable_count;
    Samples s = {.k = variable_count};
    s.rows = gr_calloc((size_t)base_count, sizeof *s.rows);
    s.sums = gr_calloc(2 * k, sizeof *s.sums);
    s.resampled = gr_calloc(2 * k * (size_t)bootstrap.resamples + 1, sizeof *s.resampled);
    GrStatus status = GR_OK;
    *use = (GrSampleUse){0};
    if ((s.rows == NULL && base_count > 0) || s.sums == NULL || s.resampled == NULL) {
        status = gr_out_of_memory(log, NULL);
    } else {
        collect(values, base_count, &s);
        use->used = s.count;
        use->dropped = base_count - s.count;
        if (s.count < 2) {
            status = gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0},
                                  "only %d of %d base samples have values at all their points; two are needed",
                                  (int)s.count, (int)base_count);
        } else {
            fill(&s, bootstrap, out, use);
        }
    }
    gr_free(s.rows);
    gr_free(s.sums);
    gr_free(s.resampled);
    return status;
}

// ---- Morris screening

GrMorrisDef gr_default_morris_def(void)
{
    return (GrMorrisDef){.trajectories = 20, .levels = 4, .candidates = 200, .seed = 1};
}

/// One random trajectory: each variable changes once, by Δ = p / (2 (p − 1)), up or down, in random order.
static void draw(const GrMorrisDef *def, GrRandom *random, double *points)
{
    const int k = def->variable_count, half = def->levels / 2;
    const double spacing = 1.0 / (def->levels - 1);
    double *other = points + k * k; // the last point, where every variable has changed
    for (int i = 0; i < k; i++) {
        const int level = (int)gr_random_below(random, (uint64_t)half);
        const bool is_rising = gr_random_below(random, 2) == 0;
        points[i] = (is_rising ? level : level + half) * spacing;
        other[i] = (is_rising ? level + half : level) * spacing;
    }
    for (int s = 1; s < k; s++) {
        // The variable of this step: one of the k − s + 1 that have not changed.
        double *now = points + s * k;
        memcpy(now, now - k, (size_t)k * sizeof *now);
        int skip = (int)gr_random_below(random, (uint64_t)k - (uint64_t)s + 1);
        for (int i = 0; i < k; i++) {
            if (now[i] != other[i] && skip-- == 0) {
                now[i] = other[i];
                break;
            }
        }
    }
}

/// Sum of the distances between all points of two trajectories.
static double distance(const double *a, const double *b, int k)
{
    double sum = 0;
    for (int p = 0; p <= k; p++) {
        for (int q = 0; q <= k; q++) {
            double square = 0;
            for (int i = 0; i < k; i++) {
                const double d = a[p * k + i] - b[q * k + i];
                square += d * d;
            }
            sum += sqrt(square);
        }
    }
    return sum;
}

/// Chooses trajectories one by one, each the most distant from those before it by the sum of squared distances. The
/// best of all sets (Campolongo et al. 2007) would take a search over their combinations.
static void choose(const GrMorrisDef *def, const double *candidates, double *far, double *points)
{
    const int k = def->variable_count;
    const size_t size = (size_t)k * ((size_t)k + 1);
    int chosen = 0;
    for (int t = 0; t < def->trajectories; t++) {
        const double *last = candidates + (size_t)chosen * size;
        memcpy(points + (size_t)t * size, last, size * sizeof *points);
        far[chosen] = -1; // taken
        for (int c = 0; c < def->candidates; c++) {
            if (far[c] >= 0) {
                const double d = distance(last, candidates + (size_t)c * size, k);
                far[c] += d * d;
            }
        }
        for (int c = 0; c < def->candidates; c++) {
            chosen = far[c] > far[chosen] ? c : chosen;
        }
    }
}

static GrStatus check(const GrMorrisDef *def, GrErrorLog *log)
{
    const struct {
        const char *field;
        int value;
        bool holds;
        const char *rule;
    } rules[] = {
        {"variables", def->variable_count, def->variable_count >= 1, "at least one is needed"},
        {"trajectories", def->trajectories, def->trajectories >= 2, "at least two are needed"},
        {"levels", def->levels, def->levels >= 2 && def->levels % 2 == 0, "must be even and at least 2"},
    };
    GrStatus status = GR_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!rules[i].holds) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = rules[i].field}, "%d; %s", rules[i].value,
                                  rules[i].rule);
        }
    }
    return status;
}

GrStatus gr_morris_plan(const GrMorrisDef *def, double *points, GrErrorLog *log)
{
    const GrStatus status = check(def, log);
    if (status != GR_OK) {
        return status;
    }
    const size_t size = (size_t)def->variable_count * ((size_t)def->variable_count + 1);
    GrRandom random = gr_random_stream(def->seed, "morris");
    if (def->candidates <= def->trajectories) {
        for (int t = 0; t < def->trajectories; t++) {
            draw(def, &random, points + (size_t)t * size);
        }
        return GR_OK;
    }
    double *candidates = gr_calloc((size_t)def->candidates * size, sizeof *candidates);
    double *far = gr_calloc((size_t)def->candidates, sizeof *far);
    const bool has_room = candidates != NULL && far != NULL;
    if (has_room) {
        for (int c = 0; c < def->candidates; c++) {
            draw(def, &random, candidates + (size_t)c * size);
        }
        choose(def, candidates, far, points);
    }
    gr_free(candidates);
    gr_free(far);
    return has_room ? GR_OK : gr_out_of_memory(log, NULL);
}

/// Effects of the complete trajectories into effects[variable][trajectory]; returns their count.
static int collect_effects(const GrMorrisDef *def, const double *points, const double *values, double *effects,
                           double *used)
{
    const int k = def->variable_count;
    int count = 0;
    for (int t = 0; t < def->trajectories; t++) {
        const double *x = points + t * k * (k + 1), *y = values + t * (k + 1);
        bool is_complete = true;
        for (int s = 0; s <= k; s++) {
            is_complete = is_complete && isfinite(y[s]);
        }
        for (int s = 0; s < k && is_complete; s++) {
            for (int i = 0; i < k; i++) {
                const double change = x[(s + 1) * k + i] - x[s * k + i];
                if (change != 0) {
                    effects[i * def->trajectories + count] = (y[s + 1] - y[s]) / change;
                }
            }
        }
        if (is_complete) {
            memcpy(used + count * (k + 1), y, ((size_t)k + 1) * sizeof *used);
            count++;
        }
    }
    return count;
}

static double mean_of(const void *context, const double *sorted, int count)
{
    (void)context;
    return gr_mean(sorted, count);
}

GrStatus gr_morris_effects(const GrMorrisDef *def, const double *points, const double *values, GrBootstrap bootstrap,
                           GrMorrisEffect *out, GrSampleUse *use, GrErrorLog *log)
{
    GrStatus status = check(def, log);
    if (status != GR_OK) {
        return status;
    }
    const int k = def->variable_count, total = def->trajectories * (k + 1);
    double *effects = gr_calloc((size_t)k * (size_t)def->trajectories + (size_t)total, sizeof *effects);
    if (effects == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    double *used = effects + k * def->trajectories;
    const int count = collect_effects(def, points, values, effects, used);
    *use = (GrSampleUse){.used = (uint64_t)count,
                         .dropped = (uint64_t)(def->trajectories - count),
                         .mean = gr_mean(used, count * (k + 1)),
                         .variance = gr_pow(gr_standard_deviation(used, count * (k + 1)), 2)};
    if (count < 2) {
        status = gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0},
                              "only %d of %d trajectories have values at all their points; two are needed", count,
                              def->trajectories);
    }
    for (int i = 0; i < k && status == GR_OK; i++) {
        double *own = effects + i * def->trajectories;
        out[i].mean = gr_mean(own, count);
        out[i].deviation = gr_standard_deviation(own, count);
        for (int t = 0; t < count; t++) {
            own[t] = fabs(own[t]);
        }
        if (gr_bootstrap_interval(own, count, mean_of, NULL, bootstrap, &out[i].absolute) != GR_OK) {
            status = gr_out_of_memory(log, NULL);
        }
    }
    gr_free(effects);
    return status;
}

// ---- local gradients

/// Distance to a neighbour, shorter at a bound.
static double reach(const GrGradientDef *def, int i, int side)
{
    const double to = def->centre[i] + side * def->step[i];
    if (side < 0) {
        return def->centre[i] - (def->lower != NULL ? fmax(to, def->lower[i]) : to);
    }
    return (def->upper != NULL ? fmin(to, def->upper[i]) : to) - def->centre[i];
}

GrStatus gr_gradient_plan(const GrGradientDef *def, double *points, GrErrorLog *log)
{
    const int n = def->variable_count;
    for (int i = 0; i < n; i++) {
        const bool has_step = isfinite(def->step[i]) && def->step[i] > 0;
        const bool is_inside = isfinite(def->centre[i]) && (def->lower == NULL || def->centre[i] >= def->lower[i]) &&
                               (def->upper == NULL || def->centre[i] <= def->upper[i]);
        if (!has_step || !is_inside) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = has_step ? "centre" : "step"},
                                "variable %d: %.9g; %s", i + 1, has_step ? def->centre[i] : def->step[i],
                                has_step ? "must be within the bounds" : "must be above 0");
        }
    }
    for (int row = 0; row < 2 * n + 1; row++) {
        double *point = points + row * n;
        memcpy(point, def->centre, (size_t)n * sizeof *point);
        if (row > 0) {
            const int i = (row - 1) / 2, side = row % 2 == 1 ? -1 : 1;
            point[i] += side * reach(def, i, side);
        }
    }
    return GR_OK;
}

/// From the parabola through three points at −below, 0 and +above; the slope from two points where one is missing.
void gr_gradient_estimate(const GrGradientDef *def, const double *values, GrGradient *out)
{
    for (int i = 0; i < def->variable_count; i++) {
        const double below = reach(def, i, -1), above = reach(def, i, 1);
        const double left = (values[0] - values[1 + 2 * i]) / below, right = (values[2 + 2 * i] - values[0]) / above;
        out[i] = (GrGradient){NAN, NAN};
        if (isfinite(left) && isfinite(right)) {
            out[i].slope = (left * above + right * below) / (below + above);
            out[i].curvature = 2 * (right - left) / (below + above);
        } else if (isfinite(values[1 + 2 * i]) && isfinite(values[2 + 2 * i]) && below + above > 0) {
            out[i].slope = (values[2 + 2 * i] - values[1 + 2 * i]) / (below + above);
        } else if (isfinite(left) || isfinite(right)) {
            out[i].slope = isfinite(left) ? left : right;
        }
    }
}
