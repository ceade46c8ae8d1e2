#include "grid_lists.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <string.h>

/// Room for the first contact; a list that gets longer grows by half.
enum { FIRST_NODES = 64 };

bool gr_scm_list_begin(GrScmList *list)
{
    return gr_scm_list_reserve(list, FIRST_NODES);
}

void gr_scm_list_free(GrScmList *list)
{
    gr_free(list->block);
    *list = (GrScmList){NULL, 0, 0};
}

bool gr_scm_list_reserve(GrScmList *list, int capacity)
{
    if (capacity <= list->capacity) {
        return true;
    }
    void *block = gr_malloc(gr_scm_nodes_bytes(capacity));
    if (block == NULL) {
        return false;
    }
    GrScmNodes to = gr_scm_nodes_in(block, capacity), from = gr_scm_nodes_in(list->block, list->capacity);
    from.count = list->count;
    gr_scm_nodes_copy(&to, &from);
    gr_free(list->block);
    list->block = block;
    list->capacity = capacity;
    return true;
}

bool gr_scm_list_copy(GrScmList *to, const GrScmList *from)
{
    if (!gr_scm_list_reserve(to, from->count)) {
        return false;
    }
    GrScmNodes nodes = gr_scm_nodes_in(to->block, to->capacity), others = gr_scm_nodes_in(from->block, from->capacity);
    others.count = to->count = from->count;
    gr_scm_nodes_copy(&nodes, &others);
    return true;
}

void gr_scm_list_accept(GrScmList *old, GrScmList *next)
{
    const GrScmList committed = *next;
    *next = *old;
    *old = committed;
    next->count = 0;
}

void gr_scm_lists_clear(GrScmList *lists, int count)
{
    for (int i = 0; i < count; i++) {
        lists[i].count = 0;
    }
}

GrScmNodes gr_scm_list_nodes(const GrScmList *list, const GrScmMemory *memory)
{
    GrScmNodes nodes = gr_scm_nodes_in(list->block, list->capacity);
    nodes.count = list->count;
    nodes.memory = *memory;
    return nodes;
}

void gr_scm_list_evaluate(GrData *d, const GrScmBody *body, const GrScmPose *pose, double dt, const GrScmNodes *old,
                          GrScmScratch *scratch, GrScmList *next, GrScmMemory *memory, GrScmOutput *out)
{
    for (bool again = true; again;) {
        GrScmNodes nodes = gr_scm_list_nodes(next, memory);
        gr_scm_evaluate(body, d->grid, pose, dt, old, scratch, &nodes, out);
        next->count = nodes.count;
        *memory = nodes.memory;
        again = !out->complete && next->capacity < body->node_max;
        const int more = next->capacity + next->capacity / 2;
        if (again && !gr_scm_list_reserve(next, more < body->node_max ? more : body->node_max)) {
            d->ruts_status = GR_ERROR_MEMORY;
            return;
        }
    }
}

size_t gr_scm_lists_size(const GrScmList *lists, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += sizeof(uint64_t) + sizeof(GrScmNode) * (size_t)lists[i].count;
    }
    return size;
}

unsigned char *gr_scm_lists_save(const GrScmList *lists, int count, unsigned char *out)
{
    for (int i = 0; i < count; i++) {
        const uint64_t held = (uint64_t)lists[i].count;
        const GrScmNodes nodes = gr_scm_nodes_in(lists[i].block, lists[i].capacity);
        memcpy(out, &held, sizeof held);
        out += sizeof held;
        for (int k = 0; k < lists[i].count; k++) {
            const GrScmNode node = gr_scm_node(&nodes, k);
            memcpy(out, &node, sizeof node);
            out += sizeof node;
        }
    }
    return out;
}

/// Number of nodes of a saved list, or −1 where the bytes end before it does.
static int64_t saved_count(const unsigned char *saved, size_t size)
{
    uint64_t nodes = 0;
    if (size < sizeof nodes) {
        return -1;
    }
    memcpy(&nodes, saved, sizeof nodes);
    return nodes > (size - sizeof nodes) / sizeof(GrScmNode) || nodes > INT32_MAX ? -1 : (int64_t)nodes;
}

GrStatus gr_scm_lists_expect(GrScmList *lists, int count, const unsigned char **saved, size_t *size, GrErrorLog *log)
{
    for (int i = 0; i < count; i++) {
        const int64_t nodes = saved_count(*saved, *size);
        if (nodes < 0) {
            return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved state is cut short: nodes under wheels");
        }
        if (!gr_scm_list_reserve(&lists[i], (int)nodes)) {
            gr_out_of_memory(log, NULL);
            return GR_ERROR_MEMORY;
        }
        const size_t bytes = sizeof(uint64_t) + sizeof(GrScmNode) * (size_t)nodes;
        *saved += bytes;
        *size -= bytes;
    }
    return GR_OK;
}

const unsigned char *gr_scm_lists_restore(GrScmList *lists, int count, const unsigned char *saved)
{
    for (int i = 0; i < count; i++) {
        uint64_t held;
        memcpy(&held, saved, sizeof held);
        saved += sizeof held;
        GrScmNodes nodes = gr_scm_nodes_in(lists[i].block, lists[i].capacity);
        for (uint64_t k = 0; k < held; k++) {
            GrScmNode node;
            memcpy(&node, saved, sizeof node);
            gr_scm_nodes_add(&nodes, &node);
            saved += sizeof node;
        }
        lists[i].count = nodes.count;
    }
    return saved;
}
