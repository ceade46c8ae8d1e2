/// Which bodies of a rover can touch each other.
///
/// Two bodies that a joint connects naturally overlap at that joint, and their shapes do not say how far it can turn:
/// its stops do. Bodies that overlap in the initial pose are drawn into each other on purpose (a wheel in its fork), or
/// are stowed closer than their shapes are accurate. As contacts they would throw the rover apart in the first step.
/// Both kinds of pairs are excluded, as whole bodies: a body that is half inside another has no direction in which it
/// could be pushed out.
#include "self_contact.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "penetration.h"
#include "rover_pose.h"

#include <stdio.h>
#include <string.h>

/// Most pairs of bodies that can touch each other at the same time.
enum { MOST_PAIRS = 32 };

/// Shapes that touch in the initial pose, but penetrate by no more than this, do not count as overlapping [m].
static const double OVERLAP = 1e-6;

/// Names of pairs, as many as fit into a message.
typedef struct PairList {
    char text[400];
    int count, dropped;
} PairList;

const char *gr_moving_body_name(const GrModel *m, int body)
{
    for (int i = 0; i < m->wheel_count; i++) {
        if (m->wheels[i].body == body) {
            return m->wheel_names[i];
        }
    }
    int k = 0;
    while (k + 1 < m->def_body_count && m->places[k].body != body) {
        k++;
    }
    return m->body_names[k];
}

static void list_pair(const GrModel *m, PairList *list, int a, int b)
{
    char item[2 * GR_NAME_SIZE + 8];
    snprintf(item, sizeof item, "%s%s - %s", list->count > 0 ? ", " : "", gr_moving_body_name(m, m->rigid.bodies[a]),
             gr_moving_body_name(m, m->rigid.bodies[b]));
    const size_t length = strlen(list->text);
    if (length + strlen(item) < sizeof list->text) {
        memcpy(list->text + length, item, strlen(item) + 1);
    } else {
        list->dropped++;
    }
    list->count++;
}

static void tell(const PairList *list, const char *why, GrErrorLog *log)
{
    char more[32] = "";
    if (list->dropped > 0) {
        snprintf(more, sizeof more, " and %d more", list->dropped);
    }
    if (list->count > 0) {
        gr_info_add(log, (GrLocation){.field = "self_contact"},
                    "%d pair%s of the rover's own bodies cannot touch, since %s: %s%s", list->count,
                    list->count == 1 ? "" : "s", why, list->text, more);
    }
}

static bool is_neighbour(const GrTree *t, int a, int b)
{
    return a == b || (a > 0 && t->joints[a].joined_to == b) || (b > 0 && t->joints[b].joined_to == a);
}

/// A shape in the rover's initial pose.
static GrPlacedConvex place(const GrRigidShapeDef *shape, const GrPose *body)
{
    const GrPose pose = gr_pose_mul(*body, shape->pose);
    return (GrPlacedConvex){&shape->convex, gr_quat_to_mat3(gr_quat_normalize(pose.rotation)), pose.position};
}

static bool overlap(const GrRigidDef *def, int a, const GrPose *pose_a, int b, const GrPose *pose_b)
{
    for (int i = 0; i < def->shape_count; i++) {
        for (int k = 0; k < def->shape_count; k++) {
            if (def->shapes[i].body == a && def->shapes[k].body == b) {
                const GrPlacedConvex first = place(&def->shapes[i], pose_a), second = place(&def->shapes[k], pose_b);
                const GrBounds bounds_a = gr_placed_bounds(&first), bounds_b = gr_placed_bounds(&second);
                GrPenetration p;
                if (gr_bounds_overlap(&bounds_a, &bounds_b) && gr_penetration(&first, &second, false, &p) &&
                    p.depth > OVERLAP) {
                    return true;
                }
            }
        }
    }
    return false;
}

/// Poses of the driven bodies in the initial pose, from those of the bodies of the definition.
static void find_poses(const GrModel *m, const GrPose *of_definition, GrPose *poses)
{
    for (int i = 0; i < m->rigid.count; i++) {
        for (int k = 0; k < m->def_body_count; k++) {
            if (m->places[k].body == m->rigid.bodies[i]) {
                poses[i] = gr_pose_mul(of_definition[k], gr_pose_inverse(m->places[k].pose));
                break;
            }
        }
    }
}

static bool part(const GrModel *m, const GrPose *poses, GrRigidDef *def, int *left, GrErrorLog *log)
{
    PairList joined = {.count = 0}, inside = {.count = 0};
    bool good = true;
    for (int a = 0; a < m->rigid.count; a++) {
        for (int b = a + 1; b < m->rigid.count && good; b++) {
            const int body_a = m->rigid.bodies[a], body_b = m->rigid.bodies[b];
            const bool neighbour = is_neighbour(&m->tree, body_a, body_b);
            if (neighbour || overlap(def, a, &poses[a], b, &poses[b])) {
                good = gr_rigid_keep_apart(def, a, b) >= 0;
                if (body_a != body_b) { // a wheel and other shapes of its body belong to one body
                    list_pair(m, neighbour ? &joined : &inside, a, b);
                }
            } else {
                ++*left;
            }
        }
    }
    tell(&joined, "a joint connects them", log);
    tell(&inside, "they overlap at the start", log);
    return good;
}

GrStatus gr_self_contact_prepare(const GrRoverDef *rover, GrModel *m, GrRigidDef *def, GrErrorLog *log)
{
    GrPose *of_definition = gr_calloc((size_t)rover->body_count + 1, sizeof *of_definition);
    GrPose *poses = gr_calloc((size_t)m->rigid.count + 1, sizeof *poses);
    double *positions = gr_calloc((size_t)rover->joint_count + 1, sizeof *positions);
    GrStatus status = GR_OK;
    int left = 0;
    if (of_definition == NULL || poses == NULL || positions == NULL) {
        status = gr_out_of_memory(log, NULL);
    }
    status = status == GR_OK ? gr_rover_initial_positions(rover, positions, log) : status;
    status = status == GR_OK ? gr_rover_body_poses(rover, positions, of_definition, log) : status;
    if (status == GR_OK) {
        find_poses(m, of_definition, poses);
        for (int i = 0; i < m->rigid.count; i++) {
            const unsigned with = def->bodies[i].collides_with;
            def->bodies[i].collides_with = with == 0 ? ~0u : with | GR_GROUP_DRIVEN;
        }
        if (!part(m, poses, def, &left, log)) {
            status = gr_out_of_memory(log, NULL);
        }
    }
    if (status == GR_OK && left == 0) {
        gr_warning_add(log, (GrLocation){.field = "self_contact"},
                       "has no effect: no two bodies of the rover could touch");
    }
    m->tree.pair_capacity = left < MOST_PAIRS ? left : MOST_PAIRS;
    gr_free(of_definition);
    gr_free(poses);
    gr_free(positions);
    return status;
}
