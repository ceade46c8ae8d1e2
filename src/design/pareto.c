#include "pareto.h"

#include <math.h>

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
