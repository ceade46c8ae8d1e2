/// Lists of touched nodes: one piece of memory with an array for every field. Those of the contact itself come first,
/// so that they can be read in whole vectors.
#include "scm.h"

#include "alloc.h"

#include <string.h>

/// Numbers of arrays.
enum { DOUBLES = 4, SINGLES = 5, INTEGERS = 2 };

size_t gr_scm_nodes_bytes(int room)
{
    return (size_t)room * (DOUBLES * sizeof(double) + SINGLES * sizeof(float) + INTEGERS * sizeof(int32_t));
}

GrScmNodes gr_scm_nodes_in(void *memory, int room)
{
    if (memory == NULL) {
        return (GrScmNodes){.count = 0};
    }
    double *doubles = memory;
    void *behind_doubles = doubles + (ptrdiff_t)DOUBLES * room;
    float *singles = behind_doubles;
    void *behind_singles = singles + (ptrdiff_t)SINGLES * room;
    int32_t *integers = behind_singles;
    return (GrScmNodes){.room = room,
                        .block = memory,
                        .m = {doubles, doubles + room},
                        .peak = doubles + (ptrdiff_t)2 * room,
                        .height = doubles + (ptrdiff_t)3 * room,
                        .firm = singles,
                        .dug = singles + room,
                        .loose = singles + (ptrdiff_t)2 * room,
                        .sinkage = singles + (ptrdiff_t)3 * room,
                        .pressure = singles + (ptrdiff_t)4 * room,
                        .i = integers,
                        .j = integers + room};
}

GrScmNodes gr_scm_nodes_create(int room)
{
    return gr_scm_nodes_in(gr_malloc(gr_scm_nodes_bytes(room)), room);
}

void gr_scm_nodes_free(GrScmNodes *nodes)
{
    gr_free(nodes->block);
    *nodes = (GrScmNodes){.count = 0};
}

GrScmNode gr_scm_node(const GrScmNodes *nodes, int k)
{
    GrScmNode node;
    memset(&node, 0, sizeof node); // what lies between the fields is hashed and saved, too
    node.i = nodes->i[k];
    node.j = nodes->j[k];
    node.m[0] = nodes->m[0][k];
    node.m[1] = nodes->m[1][k];
    node.peak = nodes->peak[k];
    node.firm = nodes->firm[k];
    node.dug = nodes->dug[k];
    node.loose = nodes->loose[k];
    node.height = nodes->height[k];
    node.sinkage = nodes->sinkage[k];
    node.pressure = nodes->pressure[k];
    return node;
}

void gr_scm_nodes_add(GrScmNodes *nodes, const GrScmNode *node)
{
    const int k = nodes->count++;
    nodes->i[k] = node->i;
    nodes->j[k] = node->j;
    nodes->m[0][k] = node->m[0];
    nodes->m[1][k] = node->m[1];
    nodes->peak[k] = node->peak;
    nodes->firm[k] = node->firm;
    nodes->dug[k] = node->dug;
    nodes->loose[k] = node->loose;
    nodes->height[k] = node->height;
    nodes->sinkage[k] = node->sinkage;
    nodes->pressure[k] = node->pressure;
}

void gr_scm_nodes_copy(GrScmNodes *to, const GrScmNodes *from)
{
    const size_t singles = sizeof(float) * (size_t)from->count, doubles = sizeof(double) * (size_t)from->count;
    to->count = from->count;
    if (from->count == 0) {
        return;
    }
    memcpy(to->i, from->i, sizeof(int32_t) * (size_t)from->count);
    memcpy(to->j, from->j, sizeof(int32_t) * (size_t)from->count);
    memcpy(to->m[0], from->m[0], doubles);
    memcpy(to->m[1], from->m[1], doubles);
    memcpy(to->peak, from->peak, doubles);
    memcpy(to->height, from->height, doubles);
    memcpy(to->firm, from->firm, singles);
    memcpy(to->dug, from->dug, singles);
    memcpy(to->loose, from->loose, singles);
    memcpy(to->sinkage, from->sinkage, singles);
    memcpy(to->pressure, from->pressure, singles);
}
