#include "data.h"

#include "dynamics.h"
#include "ruts.h"

#include <stdlib.h>
#include <string.h>

/// Then the flat part, the ruts, the patch.
typedef struct SavedHeader {
    char magic[8];
    uint64_t size, ruts, patch; ///< bytes of them
} SavedHeader;

static const char MAGIC[8] = "GrData2";

static size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/// What of the memory is meant.
typedef enum Extent { PLAIN, CARRIED, ALL } Extent;

/// Bytes of it; points `d` into its memory unless that is NULL.
static size_t lay_out(const GrModel *m, GrData *d, Extent extent)
{
    const size_t nw = (size_t)m->wheel_count, nk = (size_t)m->soil_count, ns = (size_t)m->soil_state,
                 nh = (size_t)m->hard.count, nx = (size_t)m->scm_nodes, nn = m->scm_law ? nx : 0,
                 nt = m->trace_wheels != NULL || (m->scm_bodies != NULL && !m->scm_law) ? nw : 0,
                 nb = (size_t)m->scm_shape_count, np = (size_t)m->scm_shape_nodes;
    size_t at = aligned(gr_tree_data_size(&m->tree));
    unsigned char *memory = d->memory;
#define GR_FIELD(type, name, count)                                                                                    \
    d->name = memory != NULL ? (type *)(void *)(memory + at) : NULL;                                                   \
    at += aligned(sizeof(type) * (count));
    GR_WHEEL_DATA_FIELDS(GR_FIELD)
    at += m->hard.world != NULL ? gr_rigid_state_size(m->hard.world) : 0;
    if (extent >= CARRIED) {
        GR_POOL_DATA_FIELDS(GR_FIELD)
    }
    if (extent == ALL) {
        GR_HARD_WORK_FIELDS(GR_FIELD)
        at += m->hard.world != NULL ? gr_rigid_work_size(m->hard.world) : 0;
    }
#undef GR_FIELD
    return at;
}

static size_t memory_size(const GrModel *m, Extent extent)
{
    GrData probe = {.memory = NULL};
    return lay_out(m, &probe, extent);
}

/// The rigid world's state is the last of what is carried but for the pool, and its scratch the last of all.
static bool create_rigid(const GrModel *m, GrData *d, size_t capacity)
{
    const GrRigidWorld *world = m->hard.world;
    if (world == NULL) {
        return true;
    }
    unsigned char *memory = d->memory;
    d->rigid = gr_rigid_state_in(world, memory + d->plain - gr_rigid_state_size(world),
                                 memory + capacity - gr_rigid_work_size(world));
    return d->rigid != NULL;
}

GrData *gr_data_create(const GrModel *m)
{
    GrData *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return NULL;
    }
    const size_t capacity = memory_size(m, ALL);
    d->size = memory_size(m, CARRIED);
    d->plain = memory_size(m, PLAIN);
    d->memory = calloc(1, capacity);
    d->integrator = m->integrator;
    if (m->integrator->create != NULL) {
        d->work = m->integrator->create(&m->tree);
    }
    if (d->memory == NULL || (m->integrator->create != NULL && d->work == NULL)) {
        gr_data_free(d);
        return NULL;
    }
    gr_tree_data_init(&m->tree, &d->tree, d->memory);
    lay_out(m, d, ALL);
    if (!create_rigid(m, d, capacity) || !gr_scm_contact_create(m, d) || !gr_scm_bodies_create(m, d) ||
        !gr_rut_contact_create(m, d)) {
        gr_data_free(d);
        return NULL;
    }
    gr_data_reset(m, d);
    return d;
}

void gr_data_free(GrData *d)
{
    if (d != NULL) {
        if (d->work != NULL) {
            d->integrator->destroy(d->work);
        }
        gr_rigid_state_free(d->rigid);
        gr_scm_bodies_free(d);
        gr_scm_contact_free(d);
        gr_rut_contact_free(d);
        free(d->memory);
        free(d);
    }
}

void gr_data_reset(const GrModel *m, GrData *d)
{
    memset(d->memory, 0, d->plain);
    if (d->rigid != NULL) {
        gr_rigid_state_reset(m->hard.world, d->rigid);
    }
    gr_rut_contact_clear(m, d);
    for (int i = 0; i < m->wheel_count; i++) {
        gr_mode_log_start(&d->mode_log[i]);
    }
    memcpy(d->tree.position, m->initial, sizeof(double) * (size_t)(m->tree.dof_count + 1));
    for (int i = 0; i < m->joint_count; i++) { // a servo holds where it starts
        const int b = m->joint_body[i];
        if (m->tree.joints[b].motor.kind == GR_MOTOR_POSITION) {
            d->tree.command[b] = gr_joint_position(&m->tree, &d->tree, b);
        }
    }
}

/// All but the ruts.
static void copy_but_ruts(const GrModel *m, GrData *to, const GrData *from)
{
    memcpy(to->memory, from->memory, from->plain);
    gr_scm_bodies_copy(m, from->scm_body_count, to->scm_body_old, from->scm_body_old);
    if (to->rigid != NULL) {
        gr_rigid_state_refresh(m->hard.world, to->rigid);
    }
    if (to->patch != NULL) { // a few tiles
        to->ruts_status = gr_ruts_copy(to->patch, from->patch);
    }
    to->force = from->force;
    to->force_context = from->force_context;
}

void gr_data_copy(const GrModel *m, GrData *to, const GrData *from)
{
    copy_but_ruts(m, to, from);
    if (to->ruts != NULL) {
        const GrStatus status = gr_ruts_copy(to->ruts, from->ruts); // an error is the next step's
        to->ruts_status = status != GR_OK ? status : to->ruts_status;
    }
}

GrStatus gr_data_mark(const GrModel *m, GrData *kept, GrData *d)
{
    copy_but_ruts(m, kept, d);
    return d->ruts != NULL ? gr_ruts_mark(d->ruts, gr_rut_contact_tiles(m)) : GR_OK;
}

GrStatus gr_data_return(const GrModel *m, GrData *d, const GrData *kept)
{
    copy_but_ruts(m, d, kept);
    return d->ruts != NULL ? gr_ruts_undo(d->ruts) : GR_OK;
}

static SavedHeader make_header(const GrData *d)
{
    SavedHeader header = {.size = d->size,
                          .ruts = d->ruts != NULL ? gr_ruts_size(d->ruts) : 0,
                          .patch = d->patch != NULL ? gr_ruts_size(d->patch) : 0};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    return header;
}

size_t gr_data_size(const GrModel *m, const GrData *d)
{
    (void)m;
    const SavedHeader header = make_header(d);
    return sizeof header + header.size + header.ruts + header.patch;
}

GrStatus gr_data_save(const GrModel *m, const GrData *d, void *out)
{
    const SavedHeader header = make_header(d);
    unsigned char *at = out;
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    memcpy(at, d->memory, d->plain);
    memset(at + d->plain, 0, d->size - d->plain);
    gr_scm_bodies_copy(m, d->scm_body_count, at + d->plain, d->scm_body_old);
    at += d->size;
    GrStatus status = d->ruts != NULL ? gr_ruts_save(d->ruts, at) : GR_OK;
    if (status == GR_OK && d->patch != NULL) {
        status = gr_ruts_save(d->patch, at + header.ruts);
    }
    return status;
}

GrStatus gr_data_restore(const GrModel *m, GrData *d, const void *saved, size_t size, GrErrorLog *log)
{
    SavedHeader header;
    if (size < sizeof header) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved state is cut short: %zu bytes", size);
    }
    memcpy(&header, saved, sizeof header);
    if (memcmp(header.magic, MAGIC, sizeof MAGIC) != 0) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "not a saved state of this version");
    }
    if (header.size != d->size || (header.ruts > 0) != (d->ruts != NULL) || (header.patch > 0) != (d->patch != NULL)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "the saved state belongs to another model: it has %zu bytes, and%s ruts; this model's has "
                            "%zu, and%s ruts",
                            (size_t)header.size, header.ruts > 0 ? "" : " no", d->size, d->ruts != NULL ? "" : " no");
    }
    const size_t left = size - sizeof header;
    if (left < d->size || header.ruts > left - d->size || header.patch != left - d->size - header.ruts) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved state is cut short: %zu bytes", size);
    }
    const unsigned char *flat = (const unsigned char *)saved + sizeof header, *ruts = flat + d->size;
    GrStatus status = d->ruts != NULL ? gr_data_restore_ruts(d, ruts, header.ruts, log) : GR_OK;
    if (status == GR_OK && d->patch != NULL) {
        status = gr_rut_contact_restore_patch(d, ruts + header.ruts, header.patch, log);
    }
    if (status != GR_OK) {
        return status;
    }
    memcpy(d->memory, flat, d->size);
    if (d->rigid != NULL) {
        gr_rigid_state_refresh(m->hard.world, d->rigid);
    }
    return GR_OK;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++) { // FNV-1a
        hash = (hash ^ p[i]) * 0x100000001b3u;
    }
    return hash;
}

uint64_t gr_data_hash(const GrModel *m, const GrData *d)
{
    const GrTreeData *t = &d->tree;
    const size_t n = (size_t)m->tree.dof_count, nb = (size_t)m->tree.body_count;
    uint64_t hash = 0xcbf29ce484222325u;
    hash = hash_bytes(hash, t->time, sizeof(double));
    hash = hash_bytes(hash, t->position, sizeof(double) * (n + 1));
    hash = hash_bytes(hash, t->velocity, sizeof(double) * n);
    hash = hash_bytes(hash, t->friction, sizeof(double) * nb);
    hash = hash_bytes(hash, t->integral, sizeof(double) * nb);
    const size_t soil = (size_t)m->wheel_count * (size_t)m->soil_count * (size_t)m->soil_state;
    hash = hash_bytes(hash, d->soil_state, sizeof(double) * soil);
    const GrRuts *grids[] = {d->ruts, d->patch};
    for (int k = 0; k < 2; k++) {
        if (grids[k] != NULL) {
            const uint64_t ruts = gr_ruts_hash(grids[k]);
            hash = hash_bytes(hash, &ruts, sizeof ruts);
        }
    }
    for (int i = 0; i < m->wheel_count && m->scm_law; i++) {
        const GrScmNode *nodes = d->scm_old + (size_t)i * (size_t)m->scm_nodes;
        hash = hash_bytes(hash, nodes, sizeof *nodes * (size_t)d->scm_count[i]);
    }
    for (int k = 0; k < m->scm_shape_count; k++) {
        const GrScmNode *nodes = d->scm_body_old + m->scm_shapes[k].first_node;
        hash = hash_bytes(hash, nodes, sizeof *nodes * (size_t)d->scm_body_count[k]);
    }
    if (d->ruts != NULL && gr_rut_contact_ground(m, d) != NULL) {
        hash = hash_bytes(hash, d->rut_track, sizeof *d->rut_track * (size_t)m->wheel_count);
    }
    if (d->rigid != NULL) {
        const uint64_t rigid = gr_rigid_state_hash(m->hard.world, d->rigid);
        hash = hash_bytes(hash, &rigid, sizeof rigid);
    }
    return hash;
}

void gr_data_set_force(GrData *d, GrForceFn force, void *context)
{
    d->force = force;
    d->force_context = context;
}

static void evaluate_bridge(void *context, const GrTree *t, GrTreeData *tree, double dt)
{
    (void)t;
    (void)tree;
    const GrForceBridge *bridge = context;
    if (bridge->d->rigid != NULL) { // before the soil, which is not where a rock is
        gr_rigid_contact_evaluate(bridge->m, bridge->d, bridge->d->arrived ? 0 : dt); // carried on when it is accepted
    }
    if (bridge->m->soil_wheels != NULL) {
        gr_contact_evaluate(bridge->m, bridge->d, dt);
    }
    if (bridge->d->force != NULL) {
        bridge->d->force(bridge->d->force_context, bridge->m, bridge->d, dt);
    }
}

static bool revise_bridge(void *context, const GrTree *t, GrTreeData *tree, double dt)
{
    (void)t;
    (void)tree;
    const GrForceBridge *bridge = context;
    return gr_rigid_contact_revise(bridge->m, bridge->d, dt);
}

static void events_bridge(void *context, const GrTree *t, const GrTreeData *tree, double *values)
{
    (void)t;
    (void)tree;
    const GrForceBridge *bridge = context;
    gr_contact_events(bridge->m, bridge->d, values);
}

GrForceField gr_data_field(GrForceBridge *bridge)
{
    return (GrForceField){
        .evaluate = evaluate_bridge,
        .context = bridge,
        .revise = bridge->d->rigid != NULL ? revise_bridge : NULL,
        .events = events_bridge,
        .event_count = gr_contact_event_count(bridge->m, bridge->d),
    };
}

void gr_data_add_wrench(const GrModel *m, GrData *d, int body, GrVec3 point, GrVec3 force, GrVec3 moment)
{
    gr_tree_add_wrench(&d->tree, m->places[body].body, gr_sub(point, gr_base_position(&d->tree)), force, moment);
}

void gr_data_add_jacobian(const GrModel *m, GrData *d, int body, GrVec3 point, const double dtwist[36],
                          const double dpose[36])
{
    GrMat6 twist, pose;
    memcpy(twist.m, dtwist, sizeof twist.m);
    memcpy(pose.m, dpose, sizeof pose.m);
    gr_tree_add_slope(&d->tree, m->places[body].body, gr_sub(point, gr_base_position(&d->tree)), &twist, &pose);
}

double gr_data_time(const GrData *d)
{
    return d->tree.time[0];
}

GrPose gr_data_base_pose(const GrData *d)
{
    return (GrPose){gr_base_position(&d->tree), gr_base_rotation(&d->tree)};
}

void gr_data_set_base_pose(GrData *d, GrPose pose)
{
    const GrQuat q = gr_quat_normalize(pose.rotation);
    const double values[7] = {pose.position.x, pose.position.y, pose.position.z, q.w, q.x, q.y, q.z};
    memcpy(d->tree.position, values, sizeof values);
    gr_tree_reset_history(&d->tree);
}

void gr_data_base_velocity(const GrData *d, GrVec3 *linear, GrVec3 *angular)
{
    const double *u = d->tree.velocity;
    *linear = gr_vec3(u[0], u[1], u[2]);
    *angular = gr_vec3(u[3], u[4], u[5]);
}

void gr_data_set_base_velocity(GrData *d, GrVec3 linear, GrVec3 angular)
{
    const double values[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(d->tree.velocity, values, sizeof values);
    gr_tree_reset_history(&d->tree);
}

double gr_data_joint_position(const GrModel *m, const GrData *d, int joint)
{
    return gr_joint_position(&m->tree, &d->tree, m->joint_body[joint]);
}

double gr_data_joint_velocity(const GrModel *m, const GrData *d, int joint)
{
    return gr_joint_velocity(&m->tree, &d->tree, m->joint_body[joint]);
}

void gr_data_set_joint(const GrModel *m, GrData *d, int joint, double position, double velocity)
{
    const GrJoint *j = &m->tree.joints[m->joint_body[joint]];
    d->tree.position[j->dof + 1] = (position - j->offset) / j->ratio;
    d->tree.velocity[j->dof] = velocity / j->ratio;
    gr_tree_reset_history(&d->tree);
}

void gr_data_set_command(const GrModel *m, GrData *d, int joint, double command)
{
    d->tree.command[m->joint_body[joint]] = command;
}

double gr_data_motor_torque(const GrModel *m, const GrData *d, int joint)
{
    return d->tree.motor_torque[m->joint_body[joint]];
}

GrPose gr_data_body_pose(const GrModel *m, const GrData *d, int body)
{
    const GrBodyPlace *place = &m->places[body];
    const GrBodyFrame *frame = &d->tree.frame[place->body];
    const GrVec3 offset = gr_mat3_mul_vec(&frame->rotation, place->pose.position);
    return (GrPose){gr_add(gr_base_position(&d->tree), gr_add(frame->origin, offset)),
                    gr_quat_mul(gr_quat_from_mat3(&frame->rotation), place->pose.rotation)};
}

GrVec3 gr_data_point_velocity(const GrModel *m, const GrData *d, int body, GrVec3 point)
{
    return gr_twist_at(d->tree.frame[m->places[body].body].twist, gr_sub(point, gr_base_position(&d->tree)));
}
