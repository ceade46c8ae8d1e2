/// Finds shapes that may touch: by a tree over fixed ones, a tree over sleeping ones, and a sweep along x over the
/// rest.
#include "alloc.h"
#include "bounds_tree.h"
#include "world.h"

// ---- Fixed shapes that are made when something comes near.
//
// A grid has a circle around each, which is known from the start. The shape itself, its pose and its tight box are
// made once, under a lock, before their address is published; from then on they are constant. Several threads may use
// one world. What a shape is does not depend on when it is made, and the circles only decide when, so that the results
// have the same bits as with all shapes made at once.

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

// ---- tree of boxes

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

// ---- pairs

static GrPose body_pose(const GrRigidWorld *w, const GrRigidState *s, const GrRigidBody *b)
{
    return b->motion == GR_RIGID_DRIVEN ? s->driven_pose[b->slot] : gr_loose_origin(w, &s->loose[b->slot], b->slot);
}

static void place_shape(const GrRigidWorld *w, GrRigidState *s, int slot)
{
    const GrRigidShape *shape = &w->shapes[w->movable[slot]];
    s->placed[slot] = gr_rigid_place_shape(shape, body_pose(w, s, &w->bodies[shape->body]));
    s->bounds[slot] = gr_placed_bounds(&s->placed[slot]);
}

void gr_rigid_place(const GrRigidWorld *w, GrRigidState *s)
{
    int count = 0;
    for (int i = 0; i < s->counts[GR_AWAKE_SHAPES]; i++) {
        const int slot = s->awake_shapes[i];
        const GrRigidBody *b = &w->bodies[w->shapes[w->movable[slot]].body];
        if (b->motion != GR_RIGID_DRIVEN || s->near[b->slot]) {
            place_shape(w, s, slot);
            s->active[count++] = slot;
        }
    }
    s->active_count[0] = count;
}

void gr_rigid_rebuild_sleepers(const GrRigidWorld *w, GrRigidState *s)
{
    int count = 0, shapes = 0, loose = 0;
    for (int i = 0; i < w->movable_count; i++) {
        if (gr_rigid_is_awake(w, s, w->shapes[w->movable[i]].body)) {
            s->awake_shapes[shapes++] = i;
        } else {
            place_shape(w, s, i);
            s->order[count++] = i;
        }
    }
    for (int i = 0; i < w->loose_count; i++) {
        if (gr_rigid_is_awake(w, s, w->loose_body[i])) {
            s->awake_loose[loose++] = i;
        }
    }
    s->counts[GR_AWAKE_SHAPES] = shapes;
    s->counts[GR_AWAKE_LOOSE] = loose;
    gr_bounds_tree_build(s->sleepers, s->order, count, s->bounds);
    s->counts[GR_SLEEPER_NODES] = gr_bounds_tree_size(count);
}

/// Adds a pair unless both shapes belong to one body or their groups do not collide. False when there is no room.
static bool add_pair(const GrRigidWorld *w, GrRigidState *s, int *count, int shape_a, int shape_b)
{
    const GrRigidShape *first = gr_rigid_shape(w, shape_a), *second = gr_rigid_shape(w, shape_b);
    const GrRigidBody *a = &w->bodies[first->body], *b = &w->bodies[second->body];
    if (a == b || !gr_rigid_groups_meet(a->category, a->collides_with, b->category, b->collides_with) ||
        gr_rigid_ignore(w, first->group, second->group) || !gr_rigid_bodies_meet(w, a, b)) {
        return true;
    }
    if (*count == w->pair_capacity) {
        return false;
    }
    const uint64_t low = (uint64_t)(shape_a < shape_b ? shape_a : shape_b) + 1;
    const uint64_t high = (uint64_t)(shape_a < shape_b ? shape_b : shape_a) + 1;
    s->pairs[(*count)++] = low << 32 | high;
    return true;
}

static bool pairs_with_tree(const GrRigidWorld *w, GrRigidState *s, int *count, int slot, bool sleepers)
{
    const GrBoundsNode *nodes = sleepers ? s->sleepers : w->tree;
    const int node_count = sleepers ? s->counts[GR_SLEEPER_NODES] : w->node_count;
    const int found = gr_bounds_tree_query(nodes, node_count, &s->bounds[slot], s->found, w->pair_capacity);
    if (found > w->pair_capacity) {
        return false;
    }
    for (int i = 0; i < found; i++) {
        const int other = sleepers ? w->movable[s->found[i]] : s->found[i];
        if (!add_pair(w, s, count, w->movable[slot], other)) {
            return false;
        }
    }
    return true;
}

static bool pairs_with_late(const GrRigidWorld *w, GrRigidState *s, int *count, int slot)
{
    if (w->late == NULL) {
        return true;
    }
    GrRoomWalk walk = gr_room_walk(&w->late->grid, &s->bounds[slot]);
    for (const GrRoom *room; (room = gr_room_next(&walk)) != NULL;) {
        const GrLateShape *late = gr_rigid_make_shape(w, room->item);
        if (late == NULL) {
            return false;
        }
        if (late->mesh != NULL && gr_bounds_overlap(&late->bounds, &s->bounds[slot]) &&
            !add_pair(w, s, count, w->movable[slot], w->shape_count + room->item)) {
            return false;
        }
    }
    return true;
}

/// Shell sort by the lower end along x: in place, and fast enough for the thousands of rocks that are awake when a run
/// begins.
static void sort_along_x(const GrRigidState *s, int *order, int count)
{
    static const int GAPS[] = {8858, 3937, 1750, 701, 301, 132, 57, 23, 10, 4, 1}; // Ciura (2001)
    for (size_t g = 0; g < sizeof GAPS / sizeof GAPS[0]; g++) {
        const int gap = GAPS[g];
        for (int i = gap; i < count; i++) {
            const int item = order[i];
            const double key = s->bounds[item].lower.x;
            int j = i - gap;
            for (; j >= 0 && s->bounds[order[j]].lower.x > key; j -= gap) {
                order[j + gap] = order[j];
            }
            order[j + gap] = item;
        }
    }
}

static void sift_down(uint64_t *keys, int root, int count)
{
    for (int child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && keys[child + 1] > keys[child];
        if (keys[root] >= keys[child]) {
            return;
        }
        const uint64_t keep = keys[root];
        keys[root] = keys[child];
        keys[child] = keep;
    }
}

/// Heap sort, since qsort() may allocate.
static void sort_keys(uint64_t *keys, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift_down(keys, i, count);
    }
    for (int end = count - 1; end > 0; end--) {
        const uint64_t keep = keys[0];
        keys[0] = keys[end];
        keys[end] = keep;
        sift_down(keys, 0, end);
    }
}

int gr_rigid_find_pairs(const GrRigidWorld *w, GrRigidState *s)
{
    int count = 0;
    const int awake = s->active_count[0];
    for (int i = 0; i < awake; i++) {
        const int slot = s->active[i];
        s->order[i] = slot;
        if (!pairs_with_tree(w, s, &count, slot, false) || !pairs_with_late(w, s, &count, slot) ||
            !pairs_with_tree(w, s, &count, slot, true)) {
            return -1;
        }
    }
    sort_along_x(s, s->order, awake);
    for (int i = 0; i < awake; i++) {
        const GrBounds *a = &s->bounds[s->order[i]];
        for (int j = i + 1; j < awake && s->bounds[s->order[j]].lower.x <= a->upper.x; j++) {
            if (gr_bounds_overlap(a, &s->bounds[s->order[j]]) &&
                !add_pair(w, s, &count, w->movable[s->order[i]], w->movable[s->order[j]])) {
                return -1;
            }
        }
    }
    sort_keys(s->pairs, count);
    return count;
}
