/// Bodies on a deformable grid: bellies, feet and fallen rovers press it as wheels do.
///
/// A shape far from the ground is skipped: it remembers how far it may move before it could touch.
#include "grid_lists.h"

#include "rut_ground.h"

#include <string.h>

/// Range in cells around a shape within which its clearance is computed; the largest that gr_scm_clearance() allows.
static const double CELLS_AHEAD = 8;

/// Flowing soil may rise under a body by this much before its clearance is computed again [m].
static const double BERM = 0.05;

/// Nodes under a shape at the beginning of the step.
static GrScmNodes old_nodes(const GrData *d, int k)
{
    return gr_scm_list_nodes(&d->scm_body_old[k], &d->scm_body_memory[k]);
}

static const GrScmBody *body_of(const GrModel *m, const GrData *d, int k)
{
    return &m->scm_shape_bodies[d->scm_body_soil[k] * m->soil_shape_count + k];
}

void gr_grid_bodies_release(GrData *d)
{
    for (int k = 0; k < d->scm_shapes; k++) {
        gr_scm_scratch_free(d->scm_body_scratch[k]);
        gr_scm_list_free(&d->scm_body_old[k]);
        gr_scm_list_free(&d->scm_body_next[k]);
    }
}

void gr_grid_bodies_clear(const GrModel *m, GrData *d)
{
    gr_scm_lists_clear(d->scm_body_old, m->soil_shape_count);
    gr_scm_lists_clear(d->scm_body_next, m->soil_shape_count);
}

/// Memory of a shape, when it first comes near the ground: most never do, and large ones need several megabytes. False
/// when out of memory, which the step reports.
static bool equip(const GrModel *m, GrData *d, int k)
{
    if (d->scm_body_scratch[k] != NULL) {
        return true;
    }
    const GrScmBody *body = &m->scm_shape_bodies[k];
    const bool listed = gr_scm_list_begin(&d->scm_body_old[k]) && gr_scm_list_begin(&d->scm_body_next[k]);
    d->scm_body_scratch[k] = listed ? gr_scm_scratch_share(body, d->scm_work) : NULL;
    d->scm_near += gr_scm_tiles(body);
    if (d->scm_body_scratch[k] == NULL || gr_grid_reserve(m, d) != GR_OK) {
        d->ruts_status = GR_ERROR_MEMORY;
        return false;
    }
    return true;
}

/// Soil with the largest share at a point.
static int soil_at(const GrModel *m, GrVec3 at)
{
    const GrSurfaceDef *surface = &m->options.surface;
    GrSoilMix mix;
    if (surface->soil_at == NULL || m->soil_count == 1 || !surface->soil_at(surface->soil_context, at.x, at.y, &mix)) {
        return 0;
    }
    return mix.classes[0] >= 1 && mix.classes[0] <= m->soil_count ? mix.classes[0] - 1 : 0;
}

static GrVec3 centre_of(const GrModel *m, const GrData *d, int k)
{
    const GrBodyFrame *frame = &d->tree.frame[m->soil_shapes[k].body];
    const GrVec3 offset = gr_mat3_mul_vec(&frame->rotation, m->soil_shapes[k].centre);
    return gr_add(gr_base_position(&d->tree), gr_add(frame->origin, offset));
}

/// Whether the shape cannot touch yet, since moved + reach turned ≤ margin, by (a + b)² ≤ 2 (a² + b²).
static bool is_far(const GrShapeClearance *seen, double reach, const GrScmPose *pose)
{
    double turned = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double change = pose->axes.m[i][j] - seen->axes.m[i][j];
            turned += change * change;
        }
    }
    const GrVec3 moved = gr_sub(pose->centre, seen->centre);
    return seen->margin > 0 && 2 * (gr_dot(moved, moved) + reach * reach * turned) <= seen->margin * seen->margin;
}

/// Whether a shape may touch the ground at this pose; it then has its memory.
static bool may_touch(const GrModel *m, GrData *d, int k, const GrScmPose *pose)
{
    const GrScmBody *body = body_of(m, d, k);
    GrShapeClearance *seen = &d->soil_clearance[k];
    if (is_far(seen, body->reach, pose)) {
        return false;
    }
    const double ahead = CELLS_AHEAD * body->cell;
    const double gap = gr_scm_clearance(body, d->grid, pose, ahead, d->scm_body_scratch[k]);
    *seen = (GrShapeClearance){pose->axes, pose->centre, fmax(0, fmin(ahead, gap - (body->flow ? BERM : 0)))};
    return gap < 0 && equip(m, d, k);
}

/// Normal of the undisturbed ground; upward where there is none.
static GrVec3 ground_normal(const GrModel *m, GrVec3 at)
{
    const GrSurfaceDef *surface = &m->options.surface;
    GrVec3 n = {0, 0, 1};
    double z;
    const bool found = surface->height != NULL && surface->height(surface->context, at.x, at.y, &z, &n);
    return found ? n : gr_vec3(0, 0, 1);
}

/// Pose and velocity of a shape; in the search for rest, its displacement along the ground takes the place of the path
/// of one step.
static void find_pose(const GrModel *m, const GrData *d, int k, const GrGroundQuery *query, GrScmPose *pose)
{
    const GrBodyFrame *frame = &d->tree.frame[m->soil_shapes[k].body];
    const GrVec3 centre = centre_of(m, d, k);
    *pose = (GrScmPose){.centre = centre,
                        .axes = gr_mat3_mul(&frame->rotation, &m->soil_shapes[k].turn),
                        .velocity = gr_twist_at(frame->twist, gr_sub(centre, gr_base_position(&d->tree))),
                        .spin = frame->twist.ang};
    if (query->moment == GR_GROUND_REST) {
        const GrVec3 n = ground_normal(m, centre);
        const GrVec3 moved = gr_sub(centre, d->soil_shape_anchor[k]);
        pose->velocity = gr_scale(1 / query->time, gr_madd(moved, -gr_dot(moved, n), n));
        pose->spin = gr_vec3(0, 0, 0);
        pose->resting = true;
    }
}

static void add_load(const GrModel *m, GrData *d, int k, GrScmOutput *out, const GrGroundQuery *query)
{
    const GrScmPose *pose = &d->scm_body_pose[k];
    const GrVec3 at = gr_sub(pose->centre, gr_base_position(&d->tree));
    const GrVec3 force = gr_vec3(out->wrench[0], out->wrench[1], out->wrench[2]);
    const GrVec3 moment = gr_vec3(out->wrench[3], out->wrench[4], out->wrench[5]);
    const int body = m->soil_shapes[k].body;
    const double size = gr_dot(force, force);
    const GrVec3 arm = size > 0 ? gr_scale(1 / size, gr_cross(force, moment)) : gr_vec3(0, 0, 0);
    d->soil_touch[k] = (GrSoilTouch){force, gr_add(pose->centre, arm), out->patches > 0 ? out->patches : 1};
    gr_tree_add_wrench(&d->tree, body, at, force, moment);
    if (query->dt > 0) {
        const GrMat6 twist = gr_scm_tree_order(out->d_twist), place = gr_scm_tree_order(out->d_pose);
        gr_tree_add_jacobian(&d->tree, body, at, &twist, &place);
    } else if (query->linearise) {
        const GrMat6 place = gr_scm_rest_jacobian(out, ground_normal(m, pose->centre), query);
        gr_tree_add_jacobian(&d->tree, body, at, &place, NULL);
    }
}

void gr_grid_bodies_evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    for (int k = 0; k < m->soil_shape_count; k++) {
        GrScmPose *pose = &d->scm_body_pose[k];
        find_pose(m, d, k, query, pose);
        d->scm_body_soil[k] = soil_at(m, pose->centre);
        d->scm_body_next[k].count = 0;
        d->soil_touch[k] = (GrSoilTouch){.patches = 0};
        if (!may_touch(m, d, k, pose)) {
            continue;
        }
        GrScmOutput out;
        const GrScmNodes old = old_nodes(d, k);
        gr_scm_list_evaluate(d, body_of(m, d, k), pose, query->time, &old, d->scm_body_scratch[k], &d->scm_body_next[k],
                             &d->scm_body_next_memory[k], &out);
        d->scm_body_dug[k] = out.dug;
        if (d->scm_body_next[k].count > 0) {
            add_load(m, d, k, &out, query);
        }
    }
}

void gr_grid_bodies_begin_rest(const GrModel *m, GrData *d)
{
    gr_scm_lists_clear(d->scm_body_old, m->soil_shape_count);
    gr_grid_bodies_anchor(m, d);
}

void gr_grid_bodies_anchor(const GrModel *m, GrData *d)
{
    for (int k = 0; k < m->soil_shape_count; k++) {
        d->soil_shape_anchor[k] = centre_of(m, d, k);
    }
}

void gr_grid_bodies_press(const GrModel *m, GrData *d)
{
    for (int k = 0; k < m->soil_shape_count; k++) {
        gr_scm_list_accept(&d->scm_body_old[k], &d->scm_body_next[k]);
        d->scm_body_memory[k] = d->scm_body_next_memory[k];
        const GrScmNodes nodes = old_nodes(d, k);
        d->scm_body_lowered[k] = gr_scm_commit(body_of(m, d, k), d->grid, &nodes, d->scm_ledger);
    }
}

void gr_grid_bodies_flow(const GrModel *m, GrData *d, double dt)
{
    for (int k = 0; k < m->soil_shape_count; k++) {
        const GrScmNodes nodes = old_nodes(d, k);
        gr_scm_flow(body_of(m, d, k), d->grid, &d->scm_body_pose[k], dt, &nodes, d->scm_body_lowered[k],
                    d->scm_body_dug[k], d->scm_body_scratch[k], d->scm_ledger);
    }
}
