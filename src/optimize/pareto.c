#include "pareto.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "random.h"
#include "sampling.h"
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool gr_pareto_dominates(const GrParetoPoint *a, const GrParetoPoint *b, int objective_count)
{
    if (a->violation != b->violation) {
        return a->violation < b->violation;
    }
    if (a->violation > 0) {
        return false;
    }
    bool is_better = false;
    for (int k = 0; k < objective_count; k++) {
        if (a->values[k] > b->values[k]) {
            return false;
        }
        is_better = is_better || a->values[k] < b->values[k];
    }
    return is_better;
}

/// Heap sort of indices by a key, so that no context has to pass through qsort(): ties by index.
static bool comes_after(const GrParetoPoint *points, int objective, int a, int b)
{
    if (objective < 0) { // by front and crowding
        if (points[a].front != points[b].front) {
            return points[a].front > points[b].front;
        }
        if (points[a].crowding != points[b].crowding) {
            return points[a].crowding < points[b].crowding;
        }
    } else if (points[a].values[objective] != points[b].values[objective]) {
        return points[a].values[objective] > points[b].values[objective];
    }
    return a > b;
}

static void sift(const GrParetoPoint *points, int objective, int *order, int root, int count)
{
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && comes_after(points, objective, order[child + 1], order[child])) {
            child++;
        }
        if (!comes_after(points, objective, order[child], order[root])) {
            return;
        }
        const int kept = order[root];
        order[root] = order[child];
        order[child] = kept;
    }
}

static void sort_by(const GrParetoPoint *points, int objective, int *order, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift(points, objective, order, i, count);
    }
    for (int end = count - 1; end > 0; end--) {
        const int kept = order[0];
        order[0] = order[end];
        order[end] = kept;
        sift(points, objective, order, 0, end);
    }
}

/// Adds the distances of one front, whose indices are members[count].
static void crowd(GrParetoPoint *points, int *members, int count, int objective_count)
{
    for (int k = 0; k < objective_count; k++) {
        sort_by(points, k, members, count);
        const double range = points[members[count - 1]].values[k] - points[members[0]].values[k];
        points[members[0]].crowding = INFINITY;
        points[members[count - 1]].crowding = INFINITY;
        for (int i = 1; i < count - 1 && range > 0; i++) {
            points[members[i]].crowding +=
                (points[members[i + 1]].values[k] - points[members[i - 1]].values[k]) / range;
        }
    }
}

void gr_pareto_sort(GrParetoPoint *points, int count, int objective_count, int *order)
{
    for (int i = 0; i < count; i++) {
        points[i].front = -1;
        points[i].crowding = 0;
    }
    int placed = 0;
    for (int front = 0; placed < count; front++) {
        const int first = placed;
        for (int i = 0; i < count; i++) {
            if (points[i].front >= 0) {
                continue;
            }
            bool is_dominated = false;
            for (int j = 0; j < count && !is_dominated; j++) {
                const bool is_open = points[j].front < 0 || points[j].front == front;
                is_dominated = is_open && j != i && gr_pareto_dominates(&points[j], &points[i], objective_count);
            }
            if (!is_dominated) {
                points[i].front = front;
                order[placed++] = i;
            }
        }
        const bool has_values = isfinite(points[order[first]].violation);
        if (has_values) {
            crowd(points, order + first, placed - first, objective_count);
        }
    }
    sort_by(points, -1, order, count);
}

double gr_pareto_hypervolume(const double *values, int stride, int count, const double reference[2])
{
    double area = 0, top = reference[1];
    for (int i = 0; i < count; i++) {
        const double x = values[i * stride], y = values[i * stride + 1];
        if (x < reference[0] && y < top) {
            area += (reference[0] - x) * (top - y);
            top = y;
        }
    }
    return area;
}

int gr_pareto_balanced(const double *values, int stride, int count, int objective_count)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        double distance = 0;
        for (int k = 0; k < objective_count; k++) {
            double low = INFINITY, high = -INFINITY;
            for (int j = 0; j < count; j++) {
                low = fmin(low, values[j * stride + k]);
                high = fmax(high, values[j * stride + k]);
            }
            const double part = high > low ? (values[i * stride + k] - low) / (high - low) : 0;
            distance += part * part;
        }
        if (distance < least) {
            best = i;
            least = distance;
        }
    }
    return best;
}

// ---- the search NSGA-II
//
// NSGA-II: a genetic algorithm whose population spreads along the Pareto front of several objectives.
//
// K. Deb, A. Pratap, S. Agarwal and T. Meyarivan, IEEE Trans. Evol. Comput. 6 (2002) 182: non-dominated sorting,
// crowding distance, constraint domination, simulated binary crossover and polynomial mutation with their bounded
// forms.

static const double CROSSOVER_PROBABILITY = 0.9, CROSSOVER_INDEX = 15, MUTATION_INDEX = 20;

typedef struct Population {
    GrSearch *search;
    int size;                           ///< parents; the arrays hold twice as many
    int count;                          ///< now in the arrays
    double *units;                      ///< [2 size][n]
    double *values;                     ///< [2 size][value_count]
    GrParetoPoint *points;              ///< [2 size]
    int *order;                         ///< [2 size]
    GrRated *rated;                     ///< [size]
    double *spare_units, *spare_values; ///< [size][n], [size][value_count]
    GrParetoPoint *spare_points;        ///< [size]
    GrRandom random;
} Population;

static bool population_begin(Population *p, GrSearch *search)
{
    const int asked = search->def->population > 0 ? search->def->population : 100;
    *p = (Population){
        .search = search, .size = asked + asked % 2, .random = gr_random_stream(search->def->seed, "nsga2")};
    const size_t twice = 2 * (size_t)p->size;
    p->units = gr_calloc(twice * (size_t)search->n, sizeof *p->units);
    p->values = gr_calloc(twice * (size_t)search->value_count, sizeof *p->values);
    p->points = gr_calloc(twice, sizeof *p->points);
    p->order = gr_calloc(twice, sizeof *p->order);
    p->rated = gr_calloc((size_t)p->size, sizeof *p->rated);
    p->spare_units = gr_calloc((size_t)p->size * (size_t)search->n, sizeof *p->spare_units);
    p->spare_values = gr_calloc((size_t)p->size * (size_t)search->value_count, sizeof *p->spare_values);
    p->spare_points = gr_calloc((size_t)p->size, sizeof *p->spare_points);
    if (p->spare_units == NULL || p->spare_values == NULL || p->spare_points == NULL || p->units == NULL ||
        p->values == NULL || p->points == NULL || p->order == NULL || p->rated == NULL) {
        search->status = gr_out_of_memory(search->log, NULL);
        return false;
    }
    return true;
}

static void population_end(Population *p)
{
    gr_free(p->units);
    gr_free(p->values);
    gr_free(p->points);
    gr_free(p->order);
    gr_free(p->rated);
    gr_free(p->spare_units);
    gr_free(p->spare_values);
    gr_free(p->spare_points);
}

/// The start, then Sobol' points, which cover the box better than random ones; random beyond their dimensions.
static void sow(Population *p)
{
    const int n = p->search->n;
    gr_search_start(p->search, p->units, p->units + n); // the steps are overwritten below
    for (int k = 1; k < p->size; k++) {
        double *unit = p->units + k * n;
        if (n <= GR_SOBOL_DIMENSIONS) {
            gr_sobol_point((uint64_t)k - 1, n, p->search->def->seed + 1, unit);
        } else {
            for (int i = 0; i < n; i++) {
                unit[i] = gr_random_unit(&p->random);
            }
        }
    }
}

/// Evaluates `count` individuals after the ones that are there; returns how many.
static int evaluate(Population *p, int count)
{
    GrSearch *search = p->search;
    const double *units = p->units + p->count * search->n;
    const int done = gr_search_rate(search, units, count, (GrRepeats){search->def->repeats, false}, p->rated);
    for (int k = 0; k < done; k++) {
        double *values = p->values + (p->count + k) * search->value_count;
        memcpy(values, p->rated[k].values, (size_t)search->value_count * sizeof *values);
        p->points[p->count + k] = (GrParetoPoint){.values = values, .violation = p->rated[k].violation};
        gr_search_note(search, units + k * search->n, &p->rated[k]);
    }
    p->count += done;
    return done;
}

/// Spread factor of simulated binary crossover for a child on the side with `room` between parent and bound.
static double spread(double u, double room, double distance)
{
    const double alpha = 2 - gr_pow(1 + 2 * room / distance, -(CROSSOVER_INDEX + 1));
    return gr_pow(u <= 1 / alpha ? u * alpha : 1 / (2 - u * alpha), 1 / (CROSSOVER_INDEX + 1));
}

static void cross(Population *p, const double *mother, const double *father, double *first, double *second)
{
    const int n = p->search->n;
    const bool is_crossed = gr_random_unit(&p->random) < CROSSOVER_PROBABILITY;
    for (int i = 0; i < n; i++) {
        const bool is_mixed = gr_random_unit(&p->random) < 0.5;
        const double u = gr_random_unit(&p->random);
        const bool is_swapped = gr_random_unit(&p->random) < 0.5;
        double low = fmin(mother[i], father[i]), high = fmax(mother[i], father[i]);
        const double sum = low + high, distance = high - low;
        if (!is_crossed || !is_mixed || distance < 1e-14) {
            first[i] = mother[i];
            second[i] = father[i];
            continue;
        }
        const double below = spread(u, low, distance), above = spread(u, 1 - high, distance);
        low = fmin(fmax(0.5 * (sum - below * distance), 0), 1);
        high = fmin(fmax(0.5 * (sum + above * distance), 0), 1);
        first[i] = is_swapped ? high : low;
        second[i] = is_swapped ? low : high;
    }
}

/// Polynomial mutation; an integer takes any value, because small steps would not leave its cell.
static void mutate(Population *p, double *unit)
{
    const int n = p->search->n;
    for (int i = 0; i < n; i++) {
        const bool is_mutated = gr_random_unit(&p->random) < 1.0 / n;
        const double u = gr_random_unit(&p->random);
        if (!is_mutated) {
            continue;
        }
        if (gr_search_is_integer(p->search, i)) {
            unit[i] = u;
            continue;
        }
        const double room = u < 0.5 ? 1 - unit[i] : unit[i], power = MUTATION_INDEX + 1;
        const double v = u < 0.5 ? 2 * u : 2 * (1 - u);
        const double step = 1 - gr_pow(v + (1 - v) * gr_pow(room, power), 1 / power);
        unit[i] = fmin(fmax(unit[i] + (u < 0.5 ? -step : step), 0), 1);
    }
}

/// The better of two random parents: by front, then by crowding.
static int tournament(Population *p)
{
    const int a = (int)gr_random_below(&p->random, (uint64_t)p->count);
    const int b = (int)gr_random_below(&p->random, (uint64_t)p->count);
    const GrParetoPoint *x = &p->points[a], *y = &p->points[b];
    if (x->front != y->front) {
        return x->front < y->front ? a : b;
    }
    return x->crowding >= y->crowding ? a : b;
}

static void breed(Population *p)
{
    const int n = p->search->n;
    for (int k = 0; k < p->size; k += 2) {
        double *first = p->units + (p->count + k) * n, *second = first + n;
        const int mother = tournament(p);
        const int father = tournament(p);
        cross(p, p->units + mother * n, p->units + father * n, first, second);
        mutate(p, first);
        mutate(p, second);
    }
}

/// Moves the best `size` individuals to the front of the arrays, through the spare ones.
static void select_best(Population *p)
{
    const int n = p->search->n, m = p->search->value_count;
    gr_pareto_sort(p->points, p->count, p->search->def->objective_count, p->order);
    p->count = p->count < p->size ? p->count : p->size;
    for (int k = 0; k < p->count; k++) {
        memcpy(p->spare_units + k * n, p->units + p->order[k] * n, (size_t)n * sizeof *p->units);
        memcpy(p->spare_values + k * m, p->values + p->order[k] * m, (size_t)m * sizeof *p->values);
        p->spare_points[k] = p->points[p->order[k]];
        p->spare_points[k].values = p->values + k * m;
    }
    const size_t kept = (size_t)p->count;
    memcpy(p->units, p->spare_units, kept * (size_t)n * sizeof *p->units);
    memcpy(p->values, p->spare_values, kept * (size_t)m * sizeof *p->values);
    memcpy(p->points, p->spare_points, kept * sizeof *p->points);
}

/// Index and first objective, to sort the front.
typedef struct Placed {
    double value;
    int index;
} Placed;

static int compare(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : x->index - y->index;
}

/// The feasible points of the first front by ascending first objective, each once; count of them.
static int front_of(const Population *p, Placed *front)
{
    const int m = p->search->value_count;
    int count = 0;
    for (int k = 0; k < p->count; k++) {
        bool is_kept = p->points[k].front == 0 && p->points[k].violation == 0;
        for (int j = 0; j < count && is_kept; j++) {
            is_kept = memcmp(p->points[front[j].index].values, p->points[k].values, (size_t)m * sizeof(double)) != 0;
        }
        if (is_kept) {
            front[count++] = (Placed){p->points[k].values[0], k};
        }
    }
    qsort(front, (size_t)count, sizeof *front, compare);
    return count;
}

/// Replaces the best point by the front. A front without feasible points leaves the point of least violation.
static void write_front(Population *p)
{
    GrOptimum *out = p->search->out;
    const int m = p->search->value_count, variables = out->variable_count;
    Placed *front = gr_calloc((size_t)p->count, sizeof *front);
    const int count = front != NULL ? front_of(p, front) : 0;
    if (count > 0) {
        const size_t rows = (size_t)count;
        gr_free(out->points);
        gr_free(out->values);
        gr_free(out->violations);
        gr_free(out->deviations);
        out->points = gr_calloc(rows * (size_t)variables, sizeof *out->points);
        out->values = gr_calloc(rows * (size_t)m, sizeof *out->values);
        out->violations = gr_calloc(rows, sizeof *out->violations);
        out->deviations = gr_calloc(rows, sizeof *out->deviations);
    }
    if (front == NULL || out->points == NULL || out->values == NULL || out->violations == NULL ||
        out->deviations == NULL) {
        p->search->status = gr_out_of_memory(p->search->log, NULL);
    } else if (count > 0) {
        out->point_count = count;
        for (int k = 0; k < count; k++) {
            gr_search_decode(p->search, p->units + front[k].index * p->search->n, out->points + k * variables);
            memcpy(out->values + k * m, p->points[front[k].index].values, (size_t)m * sizeof *out->values);
        }
    }
    gr_free(front);
}

void gr_nsga2_search(GrSearch *search)
{
    Population p;
    if (population_begin(&p, search)) {
        sow(&p);
        bool goes_on = evaluate(&p, p.size) > 0;
        while (goes_on && search->status == GR_OK) {
            select_best(&p);
            breed(&p);
            goes_on = evaluate(&p, p.size) > 0;
        }
        if (p.count > 0 && search->status == GR_OK) {
            select_best(&p);
            if (search->def->objective_count > 1) {
                write_front(&p);
            }
        }
        search->out->stop = GR_STOP_BUDGET;
    }
    population_end(&p);
}
