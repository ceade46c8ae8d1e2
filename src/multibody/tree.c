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

static void add_part(GrMat6 *sum, const GrMat6 *part, int *has, int bit)
{
    if (*has & bit) {
        gr_mat6_madd(sum, 1, part);
    } else {
        *sum = *part;
        *has |= bit;
    }
}

void gr_tree_add_slope_about_origin(GrTreeData *d, int b, const GrMat6 *dtwist, const GrMat6 *dpose)
{
    GrWrenchSlope *slope = &d->slope[b];
    d->slope_count[0] += d->has_slope[b] == 0;
    add_part(&slope->twist, dtwist, &d->has_slope[b], GR_SLOPE_TWIST);
    if (dpose != NULL) {
        add_part(&slope->pose, dpose, &d->has_slope[b], GR_SLOPE_POSE);
    }
}

void gr_tree_add_slope(GrTreeData *d, int b, GrVec3 point, const GrMat6 *dtwist, const GrMat6 *dpose)
{
    const GrMat6 twist = gr_mat6_shift(dtwist, point);
    if (dpose != NULL) {
        const GrMat6 pose = gr_mat6_shift(dpose, point);
        gr_tree_add_slope_about_origin(d, b, &twist, &pose);
    } else {
        gr_tree_add_slope_about_origin(d, b, &twist, NULL);
    }
}
