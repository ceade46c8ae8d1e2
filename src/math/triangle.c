#include "triangle.h"

#include <string.h>

/// The edge from corner k to the next that is longest.
static int longest_edge(const GrTriangleCutter *cutter, const GrVec3 t[3], double *length)
{
    int longest = 0;
    *length = 0;
    for (int k = 0; k < 3; k++) {
        const double edge = cutter->length(gr_sub(t[(k + 1) % 3], t[k]));
        longest = edge > *length ? k : longest;
        *length = edge > *length ? edge : *length;
    }
    return longest;
}

bool gr_triangle_cut(const GrTriangleCutter *cutter, const GrVec3 whole[3])
{
    // Halves wait on a stack. It holds one triangle a level; a piece that it has no room to cut is taken as it is.
    enum { DEPTH = 64 };
    GrVec3 stack[DEPTH][3];
    int used = 1;
    memcpy(stack[0], whole, sizeof stack[0]);
    while (used > 0) {
        GrVec3 t[3];
        memcpy(t, stack[--used], sizeof t);
        double length;
        const int longest = longest_edge(cutter, t, &length);
        if (length <= cutter->longest(cutter->context, t) || used + 2 > DEPTH) {
            if (!cutter->add(cutter->context, t)) {
                return false;
            }
            continue;
        }
        const GrVec3 a = t[longest], b = t[(longest + 1) % 3], c = t[(longest + 2) % 3];
        const GrVec3 m = gr_scale(0.5, gr_add(a, b)), halves[2][3] = {{a, m, c}, {m, b, c}};
        memcpy(stack[used], halves, sizeof halves);
        used += 2;
    }
    return true;
}
