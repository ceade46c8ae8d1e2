/// The multibody tree of a rover: fixed joints merged, joints with several axes split up, couplings as shared
/// velocities, the sparsity of the mass matrix.
#include "model_parts.h"

#include "alloc.h"
#include "dynamics.h"
#include "out_of_memory.h"

#include <string.h>

/// Working state of the builder. Arrays are in the model's arena.
typedef struct Build {
    const GrRoverDef *rover;
    GrModel *m;
    GrBodyMass *bodies;  ///< [bodies of the tree]
    GrJoint *joints;     ///< [bodies of the tree]
    int *def_of;         ///< [bodies of the tree] definition of the joint that carries it
    GrBodyPlace *places; ///< [bodies of the definition]
    int *first_axis;     ///< [joints of the definition] body of the tree that its first axis carries; −1: fixed
    double *initial;
} Build;

#define NEW(build, type, count) ((type *)gr_arena_alloc(&(build)->m->arena, sizeof(type) * (size_t)((count) + 1)))

/// Shortest rotation that takes z to a unit vector: the frame of a joint whose axis is given in its parent.
static GrQuat z_to(GrVec3 axis)
{
    if (axis.z < -1 + 1e-12) { // half a revolution about x
        return (GrQuat){0, 1, 0, 0};
    }
    return gr_quat_normalize((GrQuat){1 + axis.z, -axis.y, axis.x, 0});
}

/// Rotation that takes z to x, y or z.
static GrQuat z_along(int along)
{
    return along == 2 ? (GrQuat){1, 0, 0, 0} : z_to(along == 0 ? gr_vec3(1, 0, 0) : gr_vec3(0, 1, 0));
}

static double stop_or_zero(const GrJointDef *def, double value)
{
    return isfinite(def->lower) || isfinite(def->upper) ? value : 0;
}

/// `at`: the tree's joint frame in the parent at joint position 0, with the axis as z.
static void set_joint(GrJoint *j, const GrJointDef *def, GrMotion motion, int parent, GrPose at)
{
    *j = (GrJoint){
        .motion = motion,
        .parent = parent,
        .ratio = 1,
        .at = at.position,
        .turn = gr_quat_to_mat3(at.rotation),
        .pitch = def->pitch,
        .lower = def->lower,
        .upper = def->upper,
        .stop_stiffness = stop_or_zero(def, def->stop_stiffness),
        .stop_damping = stop_or_zero(def, def->stop_damping),
        .stiffness = def->stiffness,
        .damping = def->damping,
        .rest = def->rest,
        .friction = def->friction,
        .friction_stiffness = def->friction / def->friction_travel,
        .motor = def->motor,
    };
    j->features |= def->stiffness > 0 || def->damping > 0 ? GR_JOINT_HAS_SPRING : 0;
    j->features |= (isfinite(def->lower) || isfinite(def->upper)) && def->stop_stiffness > 0 ? GR_JOINT_HAS_STOPS : 0;
    j->features |= def->friction > 0 ? GR_JOINT_HAS_FRICTION : 0;
    j->features |= def->motor.kind == GR_MOTOR_SPEED  ? GR_JOINT_IS_PRESCRIBED
                   : def->motor.kind != GR_MOTOR_NONE ? GR_JOINT_HAS_MOTOR
                                                      : 0;
}

/// Attaches the axes of joint i, one after the other, to body `parent` of the tree. `at`: joint frame there. Returns
/// the rotation from the frame of the last body back to the definition's child.
static GrQuat hang_axes(Build *build, int i, int parent, GrPose at)
{
    const GrJointDef *def = &build->rover->joints[i];
    const GrJointKindRow *kind = gr_joint_kind(def->kind);
    const GrQuat axis = kind->takes & GR_JOINT_TAKES_AXIS ? z_to(gr_normalize(def->axis)) : (GrQuat){1, 0, 0, 0};
    GrTree *t = &build->m->tree;
    GrPose frame = {at.position, gr_quat_mul(at.rotation, axis)};
    GrQuat turned = {1, 0, 0, 0}; // from the joint frame with its axis as z to that of the previous body
    build->first_axis[i] = t->body_count;
    for (int k = 0; k < kind->axis_count; k++) {
        const bool spherical = kind->axes[k].motion == GR_MOTION_SPHERICAL;
        const GrQuat next = spherical ? (GrQuat){1, 0, 0, 0} : z_along(kind->axes[k].along);
        const int b = t->body_count++;
        GrJoint *j = &build->joints[b];
        frame.rotation = gr_quat_normalize(gr_quat_mul(frame.rotation, next));
        set_joint(j, def, kind->axes[k].motion, k == 0 ? parent : b - 1, frame);
        j->along = kind->axes[k].along;
        j->moves_with = spherical ? build->joints[b - j->along].parent : b;
        j->joined_to = kind->separates ? -1 : parent;
        build->def_of[b] = i;
        turned = next;
        frame = (GrPose){{0, 0, 0}, gr_quat_conjugate(next)};
    }
    return gr_quat_conjugate(gr_quat_mul(axis, turned));
}

/// Numbers the moving bodies, parents first, and records the place of every body of the definition.
static void place_bodies(Build *build)
{
    const GrRoverDef *rover = build->rover;
    GrTree *t = &build->m->tree;
    for (int k = 0; k < rover->body_count; k++) {
        build->places[k].body = -1;
    }
    build->places[0] = (GrBodyPlace){0, gr_pose_identity()};
    t->body_count = 1;
    for (int placed = 1; placed < rover->body_count;) {
        for (int i = 0; i < rover->joint_count; i++) {
            const GrJointDef *def = &rover->joints[i];
            const GrBodyPlace *parent = &build->places[def->parent];
            if (parent->body < 0 || build->places[def->child].body >= 0) {
                continue;
            }
            const GrPose at = gr_pose_mul(parent->pose, def->pose);
            placed++;
            build->first_axis[i] = -1;
            if (def->kind == GR_JOINT_FIXED) {
                build->places[def->child] = (GrBodyPlace){parent->body, at};
            } else {
                const GrQuat back = hang_axes(build, i, parent->body, at);
                build->places[def->child] = (GrBodyPlace){t->body_count - 1, {{0, 0, 0}, back}};
            }
        }
    }
}

/// Axes in the order of the definition: the model's list of joints.
static void list_axes(Build *build)
{
    const GrRoverDef *rover = build->rover;
    GrModel *m = build->m;
    int *body = NEW(build, int, m->tree.body_count), *def = NEW(build, int, m->tree.body_count);
    GrJointAxes *axes = NEW(build, GrJointAxes, m->tree.body_count);
    if (build->m->arena.failed) {
        return;
    }
    for (int i = 0; i < rover->joint_count; i++) {
        const GrBodyPlace *parent = &build->places[rover->joints[i].parent];
        const GrQuat turn = gr_quat_mul(parent->pose.rotation, rover->joints[i].pose.rotation);
        for (int k = 0; k < gr_joint_kind(rover->joints[i].kind)->axis_count; k++) {
            axes[m->joint_count] = (GrJointAxes){parent->body, gr_quat_to_mat3(gr_quat_normalize(turn))};
            body[m->joint_count] = build->first_axis[i] + k;
            def[m->joint_count++] = i;
        }
    }
    m->joint_axes = axes;
    m->joint_body = body;
    m->joint_def = def;
}

/// Sums the masses of all parts of each moving body.
static void merge_masses(Build *build)
{
    const GrRoverDef *rover = build->rover;
    for (int b = 0; b < build->m->tree.body_count; b++) {
        GrInertia all = {0};
        for (int k = 0; k < rover->body_count; k++) {
            if (build->places[k].body != b) {
                continue;
            }
            const GrBodyDef *part = &rover->bodies[k];
            const GrPose at = build->places[k].pose;
            const GrMat3 r = gr_quat_to_mat3(gr_quat_normalize(at.rotation));
            const GrVec3 com = gr_add(at.position, gr_mat3_mul_vec(&r, part->com));
            all = gr_inertia_add(all, gr_inertia_at(part->mass, com, gr_sym3_rotate(&r, part->inertia)));
        }
        const GrVec3 com = all.mass > 0 ? gr_scale(1 / all.mass, all.h) : gr_vec3(0, 0, 0);
        build->bodies[b] = (GrBodyMass){all.mass, com, gr_sym3_add(all.i, gr_sym3_point(-all.mass, com))};
    }
}

/// The joint that joint i finally follows (itself if it follows none), with position(i) = ratio position(leader) +
/// offset.
static int leader_of(const GrRoverDef *rover, int i, double *ratio, double *offset)
{
    *ratio = 1;
    *offset = 0;
    for (int k = 0; k < rover->coupling_count; k++) {
        const GrCouplingDef *c = &rover->couplings[k];
        if (c->joint == i) {
            *offset += *ratio * c->offset;
            *ratio *= c->ratio;
            i = c->of;
            k = -1;
        }
    }
    return i;
}

/// Sets the initial position along one axis of a joint of the definition.
static void set_initial(Build *build, const GrJointDef *def, const GrJoint *j)
{
    const GrPose pose = def->initial_pose;
    double *position = build->initial + j->coordinate;
    if (j->motion == GR_MOTION_SPHERICAL) {
        const GrQuat q = gr_quat_normalize(pose.rotation);
        memcpy(position, &(double[]){q.w, q.x, q.y, q.z}, sizeof(double) * 4);
    } else if (gr_joint_kind(def->kind)->takes & GR_JOINT_TAKES_PLACE) {
        *position = j->along == 0 ? pose.position.x : j->along == 1 ? pose.position.y : pose.position.z;
    } else {
        *position = def->initial;
    }
}

/// Numbers the independent velocities and positions, one for each axis; joints that follow another share those of their
/// leader.
static void number_dofs(Build *build)
{
    const GrRoverDef *rover = build->rover;
    GrTree *t = &build->m->tree;
    int *body_of =
        NEW(build, int, rover->joint_count); // body at which a leader's degree of freedom was numbered; 0: not yet
    GrRotation *rotations = NEW(build, GrRotation, t->body_count);
    if (build->m->arena.failed) {
        return;
    }
    rotations[0] = (GrRotation){.dof = 3, .coordinate = 3};
    t->rotations = rotations;
    t->rotation_count = 1;
    t->dof_count = GR_BASE_DOF;
    t->position_count = GR_BASE_DOF + 1;
    for (int b = 1; b < t->body_count; b++) {
        GrJoint *j = &build->joints[b];
        const int leader = leader_of(rover, build->def_of[b], &j->ratio, &j->offset);
        const bool scalar = gr_joint_kind_is_scalar(rover->joints[leader].kind);
        if (scalar && body_of[leader] > 0) {
            j->dof = build->joints[body_of[leader]].dof;
            j->coordinate = build->joints[body_of[leader]].coordinate;
            continue;
        }
        body_of[leader] = b;
        j->dof = t->dof_count++;
        if (j->motion == GR_MOTION_SPHERICAL && j->along > 0) {
            j->coordinate = build->joints[b - 1].coordinate;
            continue;
        }
        j->coordinate = t->position_count;
        t->position_count++;
        if (j->motion == GR_MOTION_SPHERICAL) {
            rotations[t->rotation_count++] = (GrRotation){j->dof, j->coordinate};
            t->position_count += 3;
        }
        set_initial(build, &rover->joints[leader], j);
    }
}

/// Elimination tree of the mass matrix. The degrees of freedom on the path from a body to the base couple with each
/// other; eliminating the last row merges the rest of that row into the row of its nearest ancestor.
static void build_paths(Build *build)
{
    GrTree *t = &build->m->tree;
    const int n = t->dof_count;
    unsigned char *meets = NEW(build, unsigned char, n *n); // meets[k n + j], j < k
    int *parent = NEW(build, int, n), *depth = NEW(build, int, n), *start = NEW(build, int, n);
    if (build->m->arena.failed) {
        return;
    }
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < GR_BASE_DOF && j < i; j++) {
            meets[i * n + j] = 1;
        }
    }
    for (int b = 1; b < t->body_count; b++) {
        for (int a = build->joints[b].parent; a > 0; a = build->joints[a].parent) {
            const int i = build->joints[b].dof, j = build->joints[a].dof;
            meets[(i > j ? i : j) * n + (i > j ? j : i)] = 1;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        parent[k] = -1;
        for (int j = k - 1; j >= 0; j--) {
            if (meets[k * n + j]) {
                parent[k] = parent[k] < 0 ? j : parent[k];
                meets[parent[k] * n + j] = 1; // the diagonal is set too; it is never read
            }
        }
    }
    int size = 0;
    for (int k = 0; k < n; k++) {
        depth[k] = parent[k] < 0 ? 0 : depth[parent[k]] + 1;
        start[k] = size;
        size += gr_path_room(depth[k]);
    }
    int *path = NEW(build, int, size);
    if (build->m->arena.failed) {
        return;
    }
    for (int k = 0; k < n; k++) {
        if (parent[k] >= 0) {
            memcpy(path + start[k], path + start[parent[k]], sizeof(int) * (size_t)depth[k]);
        }
        path[start[k] + depth[k]] = k;
    }
    t->paths = (GrPaths){.n = n, .size = size, .depth = depth, .start = start, .path = path};
}

static void list_joints(Build *build)
{
    GrTree *t = &build->m->tree;
    int *active = NEW(build, int, t->body_count), *prescribed = NEW(build, int, t->body_count);
    if (build->m->arena.failed) {
        return;
    }
    for (int b = 1; b < t->body_count; b++) {
        const unsigned features = build->joints[b].features;
        if (features & ~(unsigned)GR_JOINT_IS_PRESCRIBED) {
            active[t->active_count++] = b;
        }
        if (features & GR_JOINT_IS_PRESCRIBED) {
            prescribed[t->prescribed_count++] = b;
        }
    }
    t->active = active;
    t->prescribed = prescribed;
}

/// A mass matrix that is singular at the initial position means that a joint moves no mass. The inertia seen by each
/// joint there also sets the damping of its sticking friction.
static GrStatus check_mass_matrix(const Build *build, GrErrorLog *log)
{
    const GrTree *t = &build->m->tree;
    void *memory = gr_calloc(1, gr_tree_data_size(t));
    if (memory == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrTreeData d;
    GrStatus status = GR_OK;
    gr_tree_data_init(t, &d, memory);
    memcpy(d.position, build->m->initial, sizeof(double) * (size_t)t->position_count);
    gr_tree_kinematics(t, &d);
    gr_tree_mass_matrix(t, &d);
    for (int b = 1; b < t->body_count && status == GR_OK; b++) {
        const int dof = t->joints[b].dof;
        const double inertia = d.mass[t->paths.start[dof] + t->paths.depth[dof]];
        if (!(inertia > 0)) {
            status =
                gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = build->rover->joints[build->def_of[b]].name},
                             "this joint moves no mass: give the body it carries a mass and an inertia");
        }
        GrJoint *j = &build->joints[b];
        j->friction_damping = 2 * sqrt(j->friction_stiffness * inertia) / fabs(j->ratio);
    }
    if (status == GR_OK && !gr_path_factor(&t->paths, d.mass)) {
        status = gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "bodies"},
                              "the mass matrix is singular: some motion moves no mass");
    }
    gr_free(memory);
    return status;
}

GrStatus gr_model_build_tree(GrModel *m, const GrRoverDef *rover, GrErrorLog *log)
{
    Build build = {.rover = rover, .m = m};
    int axes = 0;
    for (int i = 0; i < rover->joint_count; i++) {
        axes += gr_joint_kind(rover->joints[i].kind)->axis_count;
    }
    build.bodies = NEW(&build, GrBodyMass, axes + 1);
    build.joints = NEW(&build, GrJoint, axes + 1);
    build.def_of = NEW(&build, int, axes + 1);
    build.places = NEW(&build, GrBodyPlace, rover->body_count);
    build.first_axis = NEW(&build, int, rover->joint_count);
    build.initial = NEW(&build, double, GR_BASE_DOF + 1 + 2 * axes); // a spherical joint has four for three axes
    if (m->arena.failed) {
        return gr_out_of_memory(log, NULL);
    }
    build.initial[3] = 1;
    m->places = build.places;
    m->initial = build.initial;
    m->tree.bodies = build.bodies;
    m->tree.joints = build.joints;
    place_bodies(&build);
    list_axes(&build);
    merge_masses(&build);
    number_dofs(&build);
    build_paths(&build);
    list_joints(&build);
    return m->arena.failed ? gr_out_of_memory(log, NULL) : check_mass_matrix(&build, log);
}
