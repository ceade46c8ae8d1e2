#include "bounds_tree.h"

static GrBounds join(const GrBounds *a, const GrBounds *b)
{
    return (GrBounds){
        {fmin(a->lower.x, b->lower.x), fmin(a->lower.y, b->lower.y), fmin(a->lower.z, b->lower.z)},
        {fmax(a->upper.x, b->upper.x), fmax(a->upper.y, b->upper.y), fmax(a->upper.z, b->upper.z)},
    };
}

static double key_of(const GrBounds *b, int axis)
{
    return axis == 0 ? b->lower.x + b->upper.x : axis == 1 ? b->lower.y + b->upper.y : b->lower.z + b->upper.z;
}

/// Ties are broken by index, so that the result does not depend on the order of the input.
static bool before(const GrBounds *bounds, int axis, int i, int j)
{
    const double a = key_of(&bounds[i], axis), b = key_of(&bounds[j], axis);
    return a < b || (a == b && i < j);
}

/// Puts the k smallest first (quickselect, Hoare 1961, pivot from the middle).
static void select_half(int *items, int count, int k, const GrBounds *bounds, int axis)
{
    int low = 0, high = count - 1;
    while (low < high) {
        const int pivot = items[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (before(bounds, axis, items[i], pivot)) {
                i++;
            }
            while (before(bounds, axis, pivot, items[j])) {
                j--;
            }
            if (i <= j) {
                const int keep = items[i];
                items[i++] = items[j];
                items[j--] = keep;
            }
        }
        if (k <= j) {
            high = j;
        } else if (k >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int build(GrBoundsNode *nodes, int at, int *items, int count, const GrBounds *bounds)
{
    GrBounds all = bounds[items[0]];
    for (int i = 1; i < count; i++) {
        all = join(&all, &bounds[items[i]]);
    }
    nodes[at] = (GrBoundsNode){all, count == 1 ? items[0] : -1, at + 2 * count - 1};
    if (count > 1) {
        const GrVec3 size = gr_sub(all.upper, all.lower);
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        const int half = count / 2;
        select_half(items, count, half, bounds, axis);
        const int right = build(nodes, at + 1, items, half, bounds);
        build(nodes, right, items + half, count - half, bounds);
    }
    return nodes[at].skip;
}

void gr_bounds_tree_build(GrBoundsNode *nodes, int *items, int count, const GrBounds *bounds)
{
    if (count > 0) {
        build(nodes, 0, items, count, bounds); // depth log2(count): halves are equal
    }
}

int gr_bounds_tree_query(const GrBoundsNode *nodes, int node_count, const GrBounds *box, int *out, int capacity)
{
    int found = 0;
    for (int i = 0; i < node_count;) {
        if (!gr_bounds_overlap(&nodes[i].bounds, box)) {
            i = nodes[i].skip;
            continue;
        }
        if (nodes[i].item >= 0) {
            if (found < capacity) {
                out[found] = nodes[i].item;
            }
            found++;
        }
        i++;
    }
    return found;
}

double gr_bounds_gap(const GrBounds *a, const GrBounds *b)
{
    const GrVec3 below = gr_sub(a->lower, b->upper), above = gr_sub(b->lower, a->upper);
    const double x = fmax(below.x, above.x), y = fmax(below.y, above.y), z = fmax(below.z, above.z);
    return fmax(0, fmax(x, fmax(y, z)));
}

double gr_bounds_tree_gap(const GrBoundsNode *nodes, int node_count, const GrBounds *box, double most)
{
    for (int i = 0; i < node_count;) {
        const double gap = gr_bounds_gap(&nodes[i].bounds, box);
        if (!(gap < most)) {
            i = nodes[i].skip;
            continue;
        }
        most = nodes[i].item >= 0 ? gap : most;
        i++;
    }
    return most;
}
