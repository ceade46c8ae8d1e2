/// Morris screening: elementary effects along trajectories of a grid (Morris 1991; Campolongo et al. 2007).
#include "elementary.h"
#include "indices.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "random.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

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
static int collect(const GrMorrisDef *def, const double *points, const double *values, double *effects, double *used)
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
    const int count = collect(def, points, values, effects, used);
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
