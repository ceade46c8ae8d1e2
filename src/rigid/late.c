/// Fixed shapes that are made when something comes near.
///
/// A grid has a circle around each, which is known from the start. The shape itself, its pose and its tight box are
/// made once, under a lock, before their address is published; from then on they are constant. Several threads may use
/// one world. What a shape is does not depend on when it is made, and the circles only decide when, so that the results
/// have the same bits as with all shapes made at once.
#include "world.h"

#include "alloc.h"

bool gr_rigid_late_create(GrRigidWorld *w, const GrRigidDef *def)
{
    const int count = def->late.count;
    if (count == 0) {
        return true;
    }
    GrLateShapes *late = gr_calloc(1, sizeof *late);
    if (late == NULL) {
        return false;
    }
    late->def = def->late;
    late->made = gr_calloc((size_t)count, sizeof *late->made);
    const bool grid = gr_room_grid_create(&late->grid, count, def->late.room, def->late.context);
    if (late->made == NULL || !grid || pthread_mutex_init(&late->lock, NULL) != 0) {
        gr_room_grid_free(&late->grid);
        gr_free(late->made);
        gr_free(late);
        return false;
    }
    for (int i = 0; i < count; i++) {
        atomic_init(&late->made[i], NULL);
    }
    atomic_init(&late->made_count, 0);
    w->late = late;
    return true;
}

void gr_rigid_late_free(GrRigidWorld *w)
{
    GrLateShapes *late = w->late;
    for (int i = 0; late != NULL && i < late->def.count; i++) {
        GrLateShape *shape = atomic_load_explicit(&late->made[i], memory_order_relaxed);
        if (shape != NULL) {
            gr_convex_mesh_free(shape->mesh);
            gr_free(shape);
        }
    }
    if (late != NULL) {
        pthread_mutex_destroy(&late->lock);
        gr_room_grid_free(&late->grid);
        gr_free(late->made);
        gr_free(late);
    }
}

int gr_rigid_late_count(const GrRigidWorld *w)
{
    return w->late != NULL ? w->late->def.count : 0;
}

double gr_rigid_late_reach(const GrRigidWorld *w)
{
    return w->late != NULL ? w->late->grid.levels[0].reach : 0; // levels are from large to small
}

int gr_rigid_made_count(const GrRigidWorld *w)
{
    return w->late != NULL ? atomic_load_explicit(&w->late->made_count, memory_order_relaxed) : 0;
}

/// NULL when out of memory.
static GrLateShape *make(const GrLateDef *def, int item)
{
    GrLateShape *late = gr_calloc(1, sizeof *late);
    GrMadeShape made = {0};
    if (late == NULL || !def->make(def->context, item, &made)) {
        gr_free(late);
        return NULL;
    }
    late->mesh = made.mesh;
    late->shape = (GrRigidShape){.body = def->body, .pose = gr_pose_identity(), .group = def->group};
    if (made.mesh != NULL) {
        const GrPose pose = gr_pose_mul(made.pose, late->shape.pose); // as other fixed shapes
        const GrMat3 rotation = gr_quat_to_mat3(gr_quat_normalize(pose.rotation));
        late->shape.material = made.material;
        late->shape.convex = gr_convex_of_mesh(made.mesh);
        late->placed = (GrPlacedConvex){&late->shape.convex, rotation, pose.position};
        late->bounds = gr_placed_bounds(&late->placed);
    }
    return late;
}

const GrLateShape *gr_rigid_make_shape(const GrRigidWorld *w, int item)
{
    GrLateShapes *late = w->late;
    GrLateShape *shape = atomic_load_explicit(&late->made[item], memory_order_acquire);
    if (shape != NULL) {
        return shape;
    }
    pthread_mutex_lock(&late->lock);
    shape = atomic_load_explicit(&late->made[item], memory_order_relaxed);
    if (shape == NULL) {
        shape = make(&late->def, item);
        atomic_fetch_add_explicit(&late->made_count, shape != NULL, memory_order_relaxed);
        atomic_store_explicit(&late->made[item], shape, memory_order_release);
    }
    pthread_mutex_unlock(&late->lock);
    return shape;
}

/// Distance of the square around a room from a point.
static double distance_from(const GrRoom *room, double x, double y)
{
    const double dx = fmax(fabs(room->x - x) - room->reach, 0), dy = fmax(fabs(room->y - y) - room->reach, 0);
    return sqrt(dx * dx + dy * dy);
}

GrStatus gr_rigid_make_late(const GrRigidWorld *w, double x, double y, double radius)
{
    if (w->late == NULL) {
        return GR_OK;
    }
    const GrBounds box = {{x - radius, y - radius, 0}, {x + radius, y + radius, 0}};
    GrRoomWalk walk = gr_room_walk(&w->late->grid, &box);
    for (const GrRoom *room; (room = gr_room_next(&walk)) != NULL;) {
        if (distance_from(room, x, y) <= radius && gr_rigid_make_shape(w, room->item) == NULL) {
            return GR_ERROR_MEMORY;
        }
    }
    return GR_OK;
}

/// Gap along the axis on which it is largest, seen from above.
static double gap_of_room(const GrRoom *room, const GrBounds *box)
{
    const double x = fmax(room->x - room->reach - box->upper.x, box->lower.x - room->x - room->reach);
    const double y = fmax(room->y - room->reach - box->upper.y, box->lower.y - room->y - room->reach);
    return fmax(0, fmax(x, y));
}

double gr_rigid_late_gap(const GrRigidWorld *w, const GrBounds *box, double most)
{
    if (w->late == NULL) {
        return most;
    }
    const GrBounds around = {{box->lower.x - most, box->lower.y - most, 0},
                             {box->upper.x + most, box->upper.y + most, 0}};
    GrRoomWalk walk = gr_room_walk(&w->late->grid, &around);
    for (const GrRoom *room; (room = gr_room_next(&walk)) != NULL;) {
        const GrLateShape *late = atomic_load_explicit(&w->late->made[room->item], memory_order_acquire);
        const double gap = late == NULL         ? gap_of_room(room, box)
                           : late->mesh == NULL ? most
                                                : gr_bounds_gap(&late->bounds, box);
        most = fmin(most, gap);
    }
    return most;
}
