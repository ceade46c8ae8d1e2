#include "tree.h"

#include <string.h>

static size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

size_t gr_tree_data_size(const GrTree *t)
{
    const size_t nb = (size_t)t->body_count, n = (size_t)t->dof_count, np = (size_t)t->paths.size;
    size_t size = 0;
#define GR_FIELD(type, name, count) size += aligned(sizeof(type) * (count));
    GR_TREE_DATA_FIELDS(GR_FIELD)
#undef GR_FIELD
    return size;
}

void gr_tree_data_init(const GrTree *t, GrTreeData *d, void *memory)
{
    const size_t nb = (size_t)t->body_count, n = (size_t)t->dof_count, np = (size_t)t->paths.size;
    unsigned char *next = memory;
#define GR_FIELD(type, name, count)                                                                                    \
    d->name = (type *)(void *)next;                                                                                    \
    next += aligned(sizeof(type) * (count));
    GR_TREE_DATA_FIELDS(GR_FIELD)
#undef GR_FIELD
    d->position[3] = 1;
}

void gr_tree_add_slope(GrTreeData *d, int b, GrVec3 point, const GrMat6 *dtwist, const GrMat6 *dpose)
{
    GrWrenchSlope *slope = &d->slope[b];
    if (!d->has_slope[b]) {
        memset(slope, 0, sizeof *slope);
        d->has_slope[b] = 1;
        d->slope_count[0]++;
    }
    const GrMat6 twist = gr_mat6_shift(dtwist, point);
    gr_mat6_madd(&slope->twist, 1, &twist);
    if (dpose != NULL) {
        const GrMat6 pose = gr_mat6_shift(dpose, point);
        gr_mat6_madd(&slope->pose, 1, &pose);
    }
}
