#include "search.h"

#include "alloc.h"
#include "list.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

static GrStatus fail(GrSearch *s, GrStatus status)
{
    s->status = s->status == GR_OK ? status : s->status;
    return s->status;
}

GrStatus gr_search_begin(GrSearch *s, const GrOptimizerDef *def, GrEvaluator evaluator, GrOptimum *out, GrErrorLog *log)
{
    *s = (GrSearch){.def = def, .evaluator = evaluator, .out = out, .log = log};
    s->value_count = def->objective_count + def->constraint_count;
    s->free_index = gr_calloc((size_t)def->variable_count, sizeof *s->free_index);
    *out = (GrOptimum){.variable_count = def->variable_count, .value_count = s->value_count};
    out->points = gr_calloc((size_t)def->variable_count, sizeof *out->points);
    out->values = gr_calloc((size_t)s->value_count, sizeof *out->values);
    out->violations = gr_calloc(1, sizeof *out->violations);
    out->deviations = gr_calloc(1, sizeof *out->deviations);
    if (s->free_index == NULL || out->points == NULL || out->values == NULL || out->violations == NULL ||
        out->deviations == NULL) {
        return fail(s, gr_out_of_memory(log, NULL));
    }
    for (int i = 0; i < def->variable_count; i++) {
        if (def->lower[i] < def->upper[i]) {
            s->free_index[s->n++] = i;
        }
    }
    return GR_OK;
}

void gr_search_end(GrSearch *s)
{
    GrOptimum *out = s->out;
    if (s->status == GR_OK && out->history_count > 0) { // where the search ended
        GrOptimumStep last = out->history[out->history_count - 1];
        if (last.evaluations != out->evaluations) {
            last.evaluations = out->evaluations;
            if (gr_list_add(&out->history, &out->history_count, &last, sizeof last) < 0) {
                fail(s, gr_out_of_memory(s->log, NULL));
            }
        }
    }
    if (s->non_finite_count > 0) {
        gr_warning_add(s->log, (GrLocation){0}, "%d of %d evaluations gave values that are not finite",
                       s->non_finite_count, out->evaluations);
    }
    gr_free(s->free_index);
    gr_free(s->points);
    gr_free(s->values);
    gr_free(s->means);
    gr_free(s->replicates);
}

int gr_search_left(const GrSearch *s)
{
    return s->status == GR_OK ? s->def->budget - s->out->evaluations : 0;
}

bool gr_search_is_integer(const GrSearch *s, int i)
{
    return s->def->is_integer != NULL && s->def->is_integer[s->free_index[i]];
}

void gr_search_decode(const GrSearch *s, const double *unit, double *point)
{
    const GrOptimizerDef *def = s->def;
    memcpy(point, def->lower, (size_t)def->variable_count * sizeof *point);
    for (int i = 0; i < s->n; i++) {
        const int at = s->free_index[i];
        const double u = fmin(fmax(unit[i], 0), 1), range = def->upper[at] - def->lower[at];
        point[at] = gr_search_is_integer(s, i) ? def->lower[at] + fmin(floor(u * (range + 1)), range)
                                               : fmin(def->lower[at] + u * range, def->upper[at]);
    }
}

/// The inverse of gr_search_decode(): the middle of the cell of an integer.
static void encode(const GrSearch *s, const double *point, double *unit)
{
    for (int i = 0; i < s->n; i++) {
        const int at = s->free_index[i];
        const double range = s->def->upper[at] - s->def->lower[at], offset = point[at] - s->def->lower[at];
        unit[i] = gr_search_is_integer(s, i) ? (offset + 0.5) / (range + 1) : offset / range;
    }
}

void gr_search_start(const GrSearch *s, double *unit, double *step)
{
    const GrOptimizerDef *def = s->def;
    for (int i = 0; i < s->n; i++) {
        const int at = s->free_index[i];
        unit[i] = 0.5;
        step[i] = def->step != NULL ? fmin(def->step[at] / (def->upper[at] - def->lower[at]), 1) : 0.3;
    }
    if (def->start != NULL) {
        encode(s, def->start, unit);
    }
}

void gr_search_best(const GrSearch *s, double *unit)
{
    encode(s, s->out->points, unit);
}

static bool reserve(GrSearch *s, int count)
{
    if (count <= s->capacity) {
        return true;
    }
    gr_free(s->points);
    gr_free(s->values);
    gr_free(s->means);
    gr_free(s->replicates);
    s->points = gr_calloc((size_t)count * (size_t)s->def->variable_count, sizeof *s->points);
    s->values = gr_calloc((size_t)count * (size_t)s->value_count, sizeof *s->values);
    s->means = gr_calloc((size_t)count * (size_t)s->value_count, sizeof *s->means);
    s->replicates = gr_calloc((size_t)count, sizeof *s->replicates);
    const bool done = s->points != NULL && s->values != NULL && s->means != NULL && s->replicates != NULL;
    s->capacity = done ? count : 0;
    return done;
}

/// Means over the repeats of one point.
static GrRated summarize(GrSearch *s, const double *values, int repeats, double *means)
{
    GrRated rated = {.values = means};
    bool is_finite = true;
    for (int k = 0; k < s->value_count; k++) {
        double sum = 0, square = 0;
        for (int r = 0; r < repeats; r++) {
            sum += values[r * s->value_count + k];
        }
        means[k] = sum / repeats;
        is_finite = is_finite && isfinite(means[k]);
        for (int r = 0; r < repeats; r++) {
            const double d = values[r * s->value_count + k] - means[k];
            square += d * d;
        }
        if (k == 0 && repeats > 1) {
            rated.deviation = sqrt(square / (repeats - 1.0) / repeats);
        }
        if (k >= s->def->objective_count) {
            rated.violation += fmax(means[k], 0);
        }
    }
    if (!is_finite) {
        rated.violation = INFINITY;
        s->non_finite_count++;
    }
    return rated;
}

int gr_search_rate(GrSearch *s, const double *units, int count, GrRepeats repeats, GrRated *rated)
{
    const int left = gr_search_left(s);
    if (left < repeats.count && left > 0 && s->out->evaluations == 0) {
        repeats.count = left; // a budget for less than one point: the start deserves all of it
    }
    count = left / repeats.count < count ? left / repeats.count : count;
    if (count <= 0) {
        return 0;
    }
    const int total = count * repeats.count;
    if (!reserve(s, total)) {
        fail(s, gr_out_of_memory(s->log, NULL));
        return 0;
    }
    for (int i = 0; i < total; i++) {
        gr_search_decode(s, units + (i / repeats.count) * s->n, s->points + (size_t)i * (size_t)s->def->variable_count);
        s->replicates[i] = repeats.is_fresh ? s->next_replicate++ : i % repeats.count;
    }
    const GrEvaluations batch = {.count = total, .points = s->points, .replicates = s->replicates};
    for (int i = 0; i < total * s->value_count; i++) {
        s->values[i] = NAN; // what the evaluator leaves out is missing
    }
    if (fail(s, s->evaluator.evaluate(s->evaluator.context, &batch, s->values, s->log)) != GR_OK) {
        return 0;
    }
    for (int i = 0; i < count; i++) {
        rated[i] = summarize(s, s->values + (size_t)(i * repeats.count) * (size_t)s->value_count, repeats.count,
                             s->means + (size_t)i * (size_t)s->value_count);
        rated[i].evaluations = s->out->evaluations + (i + 1) * repeats.count;
    }
    s->out->evaluations += total;
    return count;
}

static bool rated_is_better(const GrRated *a, const GrRated *b)
{
    return a->violation < b->violation || (a->violation == b->violation && a->values[0] < b->values[0]);
}

void gr_search_note(GrSearch *s, const double *unit, const GrRated *rated)
{
    GrOptimum *out = s->out;
    const GrRated best = {.violation = out->violations[0], .values = out->values};
    if (isinf(rated->violation) || (out->point_count > 0 && !rated_is_better(rated, &best))) {
        return;
    }
    out->point_count = 1;
    gr_search_decode(s, unit, out->points);
    memcpy(out->values, rated->values, (size_t)s->value_count * sizeof *out->values);
    out->violations[0] = rated->violation;
    out->deviations[0] = rated->deviation;
    const GrOptimumStep step = {rated->evaluations, rated->violation, rated->values[0]};
    if (gr_list_add(&out->history, &out->history_count, &step, sizeof step) < 0) {
        fail(s, gr_out_of_memory(s->log, NULL));
    }
}

void gr_search_renote(GrSearch *s, const GrRated *rated)
{
    GrOptimum *out = s->out;
    memcpy(out->values, rated->values, (size_t)s->value_count * sizeof *out->values);
    out->violations[0] = rated->violation;
    out->deviations[0] = rated->deviation;
}
