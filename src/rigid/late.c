/// Fixed shapes that are made when something comes near.
///
/// The tree of fixed shapes has a box around each, which is known from the start. The shape itself, its pose and its
/// tight box are written once, under a lock, before `ready` says so; from then on they are constant. Several threads
/// may use one world.
#include "world.h"

#include "alloc.h"

bool gr_rigid_late_create(GrRigidWorld *w, const GrRigidDef *def)
{
    bool any = false;
    for (int i = 0; i < def->shape_count; i++) {
        any = any || def->shapes[i].late;
    }
    if (!any) {
        return true;
    }
    GrLateShapes *late = gr_calloc(1, sizeof *late);
    if (late != NULL) {
        late->ready = gr_calloc((size_t)def->shape_count, sizeof *late->ready);
    }
    if (late == NULL || late->ready == NULL || pthread_mutex_init(&late->lock, NULL) != 0) {
        gr_free(late != NULL ? late->ready : NULL);
        gr_free(late);
        return false;
    }
    late->make = def->make_late;
    late->context = def->late_context;
    for (int i = 0; i < def->shape_count; i++) {
        atomic_init(&late->ready[i], !def->shapes[i].late);
    }
    w->late = late;
    return true;
}

void gr_rigid_late_free(GrRigidWorld *w)
{
    if (w->late != NULL) {
        pthread_mutex_destroy(&w->late->lock);
        gr_free(w->late->ready);
        gr_free(w->late);
    }
}

bool gr_rigid_make_shape(const GrRigidWorld *w, int shape)
{
    GrLateShapes *late = w->late;
    if (gr_rigid_is_ready(w, shape)) {
        return true;
    }
    pthread_mutex_lock(&late->lock);
    bool made = gr_rigid_is_ready(w, shape);
    if (!made) {
        GrRigidShape *s = &w->shapes[shape];
        GrPose body;
        made = late->make(late->context, shape, &s->convex.mesh, &body);
        if (made) {
            gr_rigid_place_fixed(w, shape, body);
            atomic_store_explicit(&late->ready[shape], true, memory_order_release);
        }
    }
    pthread_mutex_unlock(&late->lock);
    return made;
}

/// Distance of a box from a vertical line.
static double distance_from(const GrBounds *b, double x, double y)
{
    const double dx = fmax(fmax(b->lower.x - x, x - b->upper.x), 0);
    const double dy = fmax(fmax(b->lower.y - y, y - b->upper.y), 0);
    return sqrt(dx * dx + dy * dy);
}

GrStatus gr_rigid_make_late(const GrRigidWorld *w, double x, double y, double radius)
{
    for (int i = 0; w->late != NULL && i < w->node_count;) {
        if (!(distance_from(&w->tree[i].bounds, x, y) <= radius)) {
            i = w->tree[i].skip;
            continue;
        }
        if (w->tree[i].item >= 0 && !gr_rigid_make_shape(w, w->tree[i].item)) {
            return GR_ERROR_MEMORY;
        }
        i++;
    }
    return GR_OK;
}

GrStatus gr_rigid_make_all(const GrRigidWorld *w)
{
    return gr_rigid_make_late(w, 0, 0, INFINITY);
}

double gr_rigid_fixed_gap(const GrRigidWorld *w, const GrBounds *box, double most)
{
    if (w->late == NULL) {
        return gr_bounds_tree_gap(w->tree, w->node_count, box, most);
    }
    for (int i = 0; i < w->node_count;) {
        const GrBoundsNode *node = &w->tree[i];
        double gap = gr_bounds_gap(&node->bounds, box);
        if (!(gap < most)) {
            i = node->skip;
            continue;
        }
        if (node->item >= 0 && gr_rigid_is_ready(w, node->item)) {
            gap = gr_bounds_gap(&w->fixed_bounds[node->item], box);
        }
        most = node->item >= 0 && gap < most ? gap : most;
        i++;
    }
    return most;
}
