/// GrData: one flat allocation with its copies, saves and hashes, and access to it for callers.
#include "data.h"

#include "alloc.h"
#include "check.h"
#include "checksum.h"
#include "dynamics.h"
#include "grid_lists.h"
#include "out_of_memory.h"
#include "rut_ground.h"
#include "ruts.h"

#include <math.h>
#include <string.h>

// ---- memory

/// Header of a saved state; the flat part and the grounds' own state follow.
typedef struct SavedHeader {
    char magic[8];
    uint64_t size, grounds; ///< sizes of both in bytes
    uint64_t sum;           ///< checksum of the header up to here and of both
} SavedHeader;

static const char MAGIC[8] = "GrData6";

static size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/// Parts of the memory: state; state and scratch.
typedef enum Extent { CARRIED, ALL } Extent;

/// Size of a part in bytes; also sets the pointers of `d` unless its memory is NULL.
static size_t lay_out(const GrModel *m, GrData *d, Extent extent)
{
    const size_t nw = (size_t)m->wheel_count, nk = (size_t)m->soil_count, ns = (size_t)m->soil_state,
                 nh = (size_t)m->rigid.count, nt = m->trace_wheels != NULL || m->imprint_bodies != NULL ? nw : 0,
                 nf = m->sees_ruts ? nw : 0, nb = (size_t)m->soil_shape_count, nv = (size_t)m->tree.body_count,
                 ng = m->rft_bodies != NULL ? nb : 0;
    size_t at = aligned(gr_tree_data_size(&m->tree));
    unsigned char *memory = d->memory;
#define GR_FIELD(type, name, count)                                                                                    \
    d->name = memory != NULL ? (type *)(void *)(memory + at) : NULL;                                                   \
    at += aligned(sizeof(type) * (count));
    GR_WHEEL_DATA_FIELDS(GR_FIELD)
    at += m->rigid.world != NULL ? gr_rigid_state_size(m->rigid.world) : 0;
    if (extent == ALL) {
        GR_RIGID_CALL_FIELDS(GR_FIELD)
        at += m->rigid.world != NULL ? gr_rigid_work_size(m->rigid.world) : 0;
    }
#undef GR_FIELD
    return at;
}

static size_t memory_size(const GrModel *m, Extent extent)
{
    GrData probe = {.memory = NULL};
    return lay_out(m, &probe, extent);
}

/// The rigid world's state is the last part of the state, and its scratch is the last of all.
static void place_rigid(const GrModel *m, GrData *d, size_t capacity)
{
    const GrRigidWorld *world = m->rigid.world;
    unsigned char *memory = d->memory;
    if (world != NULL) {
        d->rigid = gr_rigid_state_in(world, memory + d->size - gr_rigid_state_size(world),
                                     memory + capacity - gr_rigid_work_size(world));
    }
}

size_t gr_data_state_size(const GrModel *m)
{
    return memory_size(m, CARRIED);
}

size_t gr_data_capacity(const GrModel *m)
{
    return memory_size(m, ALL);
}

bool gr_data_place(const GrModel *m, GrData *d, void *memory)
{
    const size_t capacity = gr_data_capacity(m);
    *d = (GrData){.memory = memory, .size = memory_size(m, CARRIED), .integrator = m->integrator};
    // the rigid world clears its scratch itself, most of which needs no clearing; gr_data_reset() clears the state
    const size_t scratch = m->rigid.world != NULL ? gr_rigid_work_size(m->rigid.world) : 0;
    memset((unsigned char *)memory + d->size, 0, capacity - scratch - d->size);
    gr_tree_data_init(&m->tree, &d->tree, memory);
    lay_out(m, d, ALL);
    place_rigid(m, d, capacity);
    return gr_grounds_prepare(m, d);
}

static GrData *make_data(const GrModel *m)
{
    GrData *d = gr_calloc(1, sizeof *d);
    void *memory = d != NULL ? gr_malloc(gr_data_capacity(m)) : NULL;
    if (memory == NULL) {
        gr_free(d);
        return NULL;
    }
    bool good = gr_data_place(m, d, memory);
    if (good && m->integrator->create != NULL) {
        d->work = m->integrator->create(&m->tree);
        good = d->work != NULL;
    }
    if (!good) {
        gr_data_free(d);
        return NULL;
    }
    gr_data_reset(m, d);
    return d;
}

GrStatus gr_data_create(const GrModel *m, GrData **out, GrErrorLog *log)
{
    *out = make_data(m);
    return *out != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_data_free(GrData *d)
{
    if (d != NULL) {
        if (d->work != NULL) {
            d->integrator->destroy(d->work);
        }
        gr_grounds_release(d);
        gr_free(d->memory);
        gr_free(d);
    }
}

void gr_data_reset(const GrModel *m, GrData *d)
{
    memset(d->memory, 0, d->size);
    gr_grounds_clear(m, d);
    for (int i = 0; i < m->wheel_count; i++) {
        gr_mode_log_start(&d->mode_log[i]);
    }
    memcpy(d->tree.position, m->initial, sizeof(double) * (size_t)m->tree.position_count);
    for (int i = 0; i < m->joint_count; i++) { // a servo's first target is its initial position
        const int b = m->joint_body[i];
        if (m->tree.joints[b].motor.kind == GR_MOTOR_POSITION) {
            d->tree.command[b] = gr_joint_position(&m->tree, &d->tree, b);
        }
    }
}

/// Copies everything except ruts.
static void copy_but_ruts(const GrModel *m, GrData *to, const GrData *from)
{
    memcpy(to->memory, from->memory, from->size);
    gr_grounds_copied(m, to, from);
    to->force = from->force;
    to->force_context = from->force_context;
    to->revise = from->revise;
}

GrStatus gr_data_copy(const GrModel *m, GrData *to, const GrData *from)
{
    copy_but_ruts(m, to, from);
    const GrStatus status = to->ruts != NULL ? gr_ruts_copy(to->ruts, from->ruts) : GR_OK;
    to->ruts_status = status != GR_OK ? status : to->ruts_status; // the next step reports it, too
    return status;
}

GrStatus gr_data_mark(const GrModel *m, GrData *kept, GrData *d)
{
    copy_but_ruts(m, kept, d);
    if (d->ruts == NULL) {
        return GR_OK;
    }
    return gr_ruts_mark(d->ruts, d->ruts == d->grid ? gr_grid_tiles(m, d) : gr_rut_tiles(m));
}

GrStatus gr_data_return(const GrModel *m, GrData *d, const GrData *kept)
{
    copy_but_ruts(m, d, kept);
    return d->ruts != NULL ? gr_ruts_undo(d->ruts) : GR_OK;
}

size_t gr_data_size(const GrModel *m, const GrData *d)
{
    (void)m;
    return sizeof(SavedHeader) + d->size + gr_grounds_size(d);
}

static uint64_t sum_of(const SavedHeader *header, const unsigned char *flat)
{
    const uint64_t sum = gr_checksum(0, header, offsetof(SavedHeader, sum));
    return gr_checksum(sum, flat, (size_t)(header->size + header->grounds));
}

GrStatus gr_data_save(const GrModel *m, const GrData *d, void *out)
{
    (void)m;
    SavedHeader header = {.size = d->size, .grounds = gr_grounds_size(d)};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    unsigned char *flat = (unsigned char *)out + sizeof header;
    memcpy(flat, d->memory, d->size);
    const GrStatus status = gr_grounds_save(d, flat + d->size);
    if (status == GR_OK) {
        header.sum = sum_of(&header, flat);
        memcpy(out, &header, sizeof header);
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
    if (header.size != d->size || (header.grounds > 0) != (gr_grounds_size(d) > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "the saved state belongs to another model: it has %zu bytes, and%s ruts; this model's has "
                            "%zu, and%s ruts",
                            (size_t)header.size, header.grounds > 0 ? "" : " no", d->size,
                            gr_grounds_size(d) > 0 ? "" : " no");
    }
    const size_t left = size - sizeof header;
    if (left < d->size || header.grounds != left - d->size) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved state is cut short: %zu bytes", size);
    }
    const unsigned char *flat = (const unsigned char *)saved + sizeof header;
    if (sum_of(&header, flat) != header.sum) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "the saved state is damaged: its checksum is wrong");
    }
    const GrStatus status = gr_grounds_restore(d, flat + d->size, (size_t)header.grounds, log);
    if (status != GR_OK) {
        return status;
    }
    memcpy(d->memory, flat, d->size);
    if (d->rigid != NULL) {
        gr_rigid_state_refresh(m->rigid.world, d->rigid);
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

/// Nodes of a contact and what it remembers, if there is one.
static uint64_t hash_nodes(uint64_t hash, const GrScmList *list, const GrScmMemory *memory)
{
    const GrScmNodes nodes = gr_scm_list_nodes(list, memory);
    for (int k = 0; k < list->count; k++) {
        const GrScmNode node = gr_scm_node(&nodes, k);
        hash = hash_bytes(hash, &node, sizeof node);
    }
    return hash_bytes(hash, memory, list->count > 0 ? sizeof *memory : 0);
}

uint64_t gr_data_hash(const GrModel *m, const GrData *d)
{
    const GrTreeData *t = &d->tree;
    const size_t n = (size_t)m->tree.dof_count, nb = (size_t)m->tree.body_count;
    uint64_t hash = 0xcbf29ce484222325u;
    hash = hash_bytes(hash, t->time, sizeof(double));
    hash = hash_bytes(hash, t->position, sizeof(double) * (size_t)m->tree.position_count);
    hash = hash_bytes(hash, t->velocity, sizeof(double) * n);
    hash = hash_bytes(hash, t->friction, sizeof(double) * nb);
    hash = hash_bytes(hash, t->integral, sizeof(double) * nb);
    const size_t soil = (size_t)m->wheel_count * (size_t)m->soil_count * (size_t)m->soil_state;
    hash = hash_bytes(hash, d->soil_state, sizeof(double) * soil);
    const GrRuts *grids[] = {d->ruts, d->grid != d->ruts ? d->grid : NULL, d->furrows};
    for (int k = 0; k < 3; k++) {
        if (grids[k] != NULL) {
            const uint64_t ruts = gr_ruts_hash(grids[k]);
            hash = hash_bytes(hash, &ruts, sizeof ruts);
        }
    }
    for (int i = 0; i < m->wheel_count && m->scm_bodies != NULL; i++) {
        hash = hash_nodes(hash, &d->scm_old[i], &d->scm_memory[i]);
    }
    for (int k = 0; k < m->soil_shape_count; k++) {
        hash = hash_nodes(hash, &d->scm_body_old[k], &d->scm_body_memory[k]);
    }
    for (int k = 0; m->rft_bodies != NULL && k < m->soil_shape_count; k++) {
        const double *state = d->grain_state + (size_t)k * GR_RFT_BODY_STATE;
        bool pressed = false; // a shape in the air leaves the hash as it is
        for (int i = 0; i < GR_RFT_BODY_STATE; i++) {
            pressed = pressed || state[i] != 0;
        }
        hash = pressed ? hash_bytes(hash, state, sizeof *state * GR_RFT_BODY_STATE) : hash;
    }
    if (gr_ruts_over_ground(d) != NULL) {
        hash = hash_bytes(hash, d->rut_track, sizeof *d->rut_track * (size_t)m->wheel_count);
    }
    if (m->sees_ruts) {
        hash = hash_bytes(hash, d->furrow, sizeof *d->furrow * (size_t)m->wheel_count);
    }
    if (d->rigid != NULL) {
        const uint64_t rigid = gr_rigid_state_hash(m->rigid.world, d->rigid);
        hash = hash_bytes(hash, &rigid, sizeof rigid);
    }
    return hash;
}

// ---- access: time, poses, joints, commands, external forces

void gr_data_set_force(GrData *d, GrForceFn force, void *context)
{
    d->force = force;
    d->force_context = context;
}

void gr_data_set_revise(GrData *d, GrReviseFn revise)
{
    d->revise = revise;
}

void gr_data_end_twist(const GrModel *m, GrData *d, int body, double dt, GrVec3 *linear, GrVec3 *angular)
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, );
    const GrBodyPlace *place = &m->places[body];
    const GrBodyFrame *frame = &d->tree.frame[place->body];
    GrTwist *twist = d->tree.work_twist;
    gr_tree_twists(&m->tree, &d->tree, dt, twist);
    *linear =
        gr_twist_at(twist[place->body], gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, place->pose.position)));
    *angular = twist[place->body].ang;
}

void gr_data_add_wrench(const GrModel *m, GrData *d, int body, GrVec3 point, GrVec3 force, GrVec3 moment)
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, );
    const int moving = m->places[body].body;
    d->outside[moving] = gr_add(d->outside[moving], force);
    gr_tree_add_wrench(&d->tree, moving, gr_sub(point, gr_base_position(&d->tree)), force, moment);
}

void gr_data_add_jacobian(const GrModel *m, GrData *d, int body, GrVec3 point, const double dtwist[36],
                          const double dpose[36])
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, );
    GrMat6 twist, pose;
    memcpy(twist.m, dtwist, sizeof twist.m);
    memcpy(pose.m, dpose, sizeof pose.m);
    gr_tree_add_jacobian(&d->tree, m->places[body].body, gr_sub(point, gr_base_position(&d->tree)), &twist, &pose);
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
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, (double)NAN);
    return gr_joint_position(&m->tree, &d->tree, m->joint_body[joint]);
}

double gr_data_joint_velocity(const GrModel *m, const GrData *d, int joint)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, (double)NAN);
    return gr_joint_velocity(&m->tree, &d->tree, m->joint_body[joint]);
}

void gr_data_set_joint(const GrModel *m, GrData *d, int joint, double position, double velocity)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, );
    const GrJoint *j = &m->tree.joints[m->joint_body[joint]];
    gr_joint_set_position(&m->tree, &d->tree, m->joint_body[joint], position);
    d->tree.velocity[j->dof] = velocity / j->ratio;
    gr_tree_reset_history(&d->tree);
}

void gr_data_set_command(const GrModel *m, GrData *d, int joint, double command)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, );
    d->tree.command[m->joint_body[joint]] = command;
}

double gr_data_motor_torque(const GrModel *m, const GrData *d, int joint)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, (double)NAN);
    return d->tree.motor_torque[m->joint_body[joint]];
}

GrPose gr_data_body_pose(const GrModel *m, const GrData *d, int body)
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, gr_pose_identity());
    const GrBodyPlace *place = &m->places[body];
    const GrBodyFrame *frame = &d->tree.frame[place->body];
    const GrVec3 offset = gr_mat3_mul_vec(&frame->rotation, place->pose.position);
    return (GrPose){gr_add(gr_base_position(&d->tree), gr_add(frame->origin, offset)),
                    gr_quat_mul(gr_quat_from_mat3(&frame->rotation), place->pose.rotation)};
}

GrVec3 gr_data_point_velocity(const GrModel *m, const GrData *d, int body, GrVec3 point)
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, gr_vec3(0, 0, 0));
    return gr_twist_at(d->tree.frame[m->places[body].body].twist, gr_sub(point, gr_base_position(&d->tree)));
}
