#include "rigid_b23.h"

#include "grouser/rover.h"

#include "elementary.h"
#include "out_of_memory.h"
#include "rigid_trial.h"

#include <math.h>
#include <stddef.h>

bool gr_rigid_plane(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    const GrVec3 *n = context;
    *height = -(n->x * x + n->y * y) / n->z;
    *normal = *n;
    return true;
}

int gr_rigid_add_loose(GrRigidDef *def, GrConvex convex, double mass, GrSym3 inertia, GrPose pose, GrTwist twist,
                       int material)
{
    GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_LOOSE);
    body.mass = mass;
    body.inertia = inertia;
    body.pose = pose;
    body.twist = twist;
    const int index = gr_rigid_add_body(def, &body);
    const bool shaped = index >= 0 && gr_rigid_add_shape(def, index, convex, gr_pose_identity(), material) >= 0;
    return shaped ? index : -1;
}

GrStatus gr_rigid_trial_start(GrRigidDef *def, double dt, GrRigidTrial *out, GrErrorLog *log)
{
    *out = (GrRigidTrial){.w = gr_rigid_world_create(def, log), .dt = dt};
    gr_rigid_def_free(def);
    if (out->w == NULL) {
        return GR_ERROR_MODEL;
    }
    out->s = gr_rigid_state_create(out->w);
    return out->s != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

void gr_rigid_trial_free(GrRigidTrial *trial)
{
    gr_rigid_state_free(trial->s);
    gr_rigid_world_free(trial->w);
}

GrStatus gr_rigid_trial_step(GrRigidTrial *trial)
{
    const GrStatus status = gr_rigid_evaluate(trial->w, trial->s, NULL, NULL, trial->dt, NULL);
    return status == GR_OK ? gr_rigid_commit(trial->w, trial->s, NULL, trial->dt) : status;
}

GrStatus gr_rigid_trial_run(GrRigidTrial *trial, double duration)
{
    const int steps = (int)lround(duration / trial->dt);
    GrStatus status = GR_OK;
    for (int i = 0; i < steps && status == GR_OK; i++) {
        status = gr_rigid_trial_step(trial);
    }
    return status;
}

// ---- cases

static const double SETTLE_TIME = 2;         // [s]
static const double IMMOVABLE_INERTIA = 1e9; // [kg m²]: it cannot rotate
static const double STOP_SPIN_SHARE = 0.01;  // of the spin at the start
static const GrVec3 UP = {0, 0, 1};
static const GrTwist REST = {{0, 0, 0}, {0, 0, 0}};

GrMaterial gr_b23_material(void)
{
    GrMaterial m = gr_default_material();
    m.young = 4.5e5;
    m.poisson = 0.4;
    m.restitution = GR_B23_RESTITUTION;
    m.friction = GR_B23_FRICTION;
    return m;
}

double gr_b23_closed_restitution(double zeta)
{
    const double d = 8.0 / 5 * (1 - zeta) / zeta, target = d - gr_log(1 + d);
    double low = 0, high = fmin(1, 1 / d * (1 - 1e-15));
    for (int i = 0; i < 200; i++) {
        const double e = (low + high) / 2;
        if (-e * d - gr_log(1 - e * d) < target) {
            low = e;
        } else {
            high = e;
        }
    }
    return (low + high) / 2;
}

double gr_b23_closed_spin_down(void)
{
    const GrMaterial m = gr_b23_material();
    const GrPairMaterial pair = gr_material_pair(&m, (double)INFINITY, &m, GR_B23_RADIUS, false);
    const double load = GR_B23_MASS * GR_B23_GRAVITY / 3, depth = gr_pow(load / pair.hertz, 2.0 / 3);
    const double patch = 3 * GR_PI / 16 * sqrt(GR_B23_RADIUS * depth);
    return GR_B23_FRICTION * load * (GR_B23_HEIGHT + 3 * patch) / GR_B23_INERTIA;
}

/// The cylinder on a plane.
static GrRigidDef cylinder_on(const GrVec3 *plane, const GrMaterial *material, double inertia, GrPose pose,
                              GrTwist twist)
{
    GrRigidDef def = gr_default_rigid_def();
    def.contact_law = GR_CONTACT_HUNT_CROSSLEY_B23;
    def.materials[0] = *material;
    def.ground = (GrRigidGround){gr_rigid_plane, plane};
    def.sleep_time = (double)INFINITY;
    const GrSym3 i = {inertia, inertia, inertia, 0, 0, 0};
    gr_rigid_add_loose(&def, gr_convex_cylinder(GR_B23_RADIUS, GR_B23_HEIGHT), GR_B23_MASS, i, pose, twist, 0);
    return def;
}

static GrPose at_height(double z)
{
    return (GrPose){{0, 0, z}, {1, 0, 0, 0}};
}

static GrTwist twist_of(const GrRigidTrial *t)
{
    return gr_rigid_loose_twist(t->w, t->s, 0);
}

static GrVec3 position_of(const GrRigidTrial *t)
{
    return gr_rigid_loose_pose(t->w, t->s, 0).position;
}

/// Lets the body settle, then sets its twist.
static GrStatus start_settled(GrRigidDef *def, double dt, GrTwist twist, GrRigidTrial *t, GrErrorLog *log)
{
    GrStatus status = gr_rigid_trial_start(def, dt, t, log);
    status = status == GR_OK ? gr_rigid_trial_run(t, SETTLE_TIME) : status;
    if (status == GR_OK) {
        gr_rigid_set_loose(t->w, t->s, 0, gr_rigid_loose_pose(t->w, t->s, 0), twist);
    }
    return status;
}

GrStatus gr_b23_impact(const GrMaterial *material, double tangential, double normal, GrTwist *after, GrErrorLog *log)
{
    GrTwist twist = REST;
    twist.lin = gr_vec3(tangential, 0, -normal);
    GrRigidDef def = cylinder_on(&UP, material, GR_B23_INERTIA, at_height(GR_B23_RADIUS + 0.01), twist);
    def.gravity = gr_vec3(0, 0, 0);
    GrRigidTrial t;
    GrStatus status = gr_rigid_trial_start(&def, 1e-5, &t, log);
    status = status == GR_OK ? gr_rigid_trial_run(&t, 0.3) : status;
    if (status == GR_OK) {
        *after = twist_of(&t);
    }
    gr_rigid_trial_free(&t);
    return status;
}

GrStatus gr_b23_bounce(const GrMaterial *material, double height, double *rebound, GrErrorLog *log)
{
    GrRigidDef def = cylinder_on(&UP, material, GR_B23_INERTIA, at_height(GR_B23_RADIUS + height), REST);
    def.gravity = gr_vec3(0, 0, -GR_B23_GRAVITY);
    GrRigidTrial t;
    GrStatus status = gr_rigid_trial_start(&def, 1e-5, &t, log);
    const double fall = sqrt(2 * height / GR_B23_GRAVITY);
    status = status == GR_OK ? gr_rigid_trial_run(&t, 1.2 * fall) : status; // after the impact and rebound
    double highest = 0;
    const long steps = lround(1.2 * fall / t.dt);
    for (long i = 0; i < steps && status == GR_OK; i++) {
        status = gr_rigid_trial_step(&t);
        highest = fmax(highest, position_of(&t).z - GR_B23_RADIUS);
    }
    *rebound = highest / height;
    gr_rigid_trial_free(&t);
    return status;
}

GrStatus gr_b23_creep(GrFrictionLaw friction_law, double angle, double *early, double *late, GrErrorLog *log)
{
    const GrVec3 plane = {gr_sin(angle), 0, gr_cos(angle)};
    const GrPose pose = {gr_scale(GR_B23_RADIUS, plane), {1, 0, 0, 0}};
    const GrMaterial m = gr_b23_material();
    GrRigidDef def = cylinder_on(&plane, &m, IMMOVABLE_INERTIA, pose, REST);
    def.friction_law = friction_law;
    GrRigidTrial t;
    GrStatus status = gr_rigid_trial_start(&def, 1e-3, &t, log);
    status = status == GR_OK ? gr_rigid_trial_run(&t, SETTLE_TIME) : status;
    if (status == GR_OK) {
        *early = gr_norm(twist_of(&t).lin);
        status = gr_rigid_trial_run(&t, 10);
        *late = gr_norm(twist_of(&t).lin);
    }
    gr_rigid_trial_free(&t);
    return status;
}

GrStatus gr_b23_slide(GrFrictionLaw friction_law, double speed, double *distance, GrErrorLog *log)
{
    const GrMaterial m = gr_b23_material();
    GrRigidDef def = cylinder_on(&UP, &m, IMMOVABLE_INERTIA, at_height(GR_B23_RADIUS), REST);
    def.friction_law = friction_law;
    GrTwist push = REST;
    push.lin.x = speed;
    GrRigidTrial t;
    GrStatus status = start_settled(&def, 1e-3, push, &t, log);
    if (status == GR_OK) {
        const double from = position_of(&t).x;
        status = gr_rigid_trial_run(&t, 1.5);
        *distance = position_of(&t).x - from;
    }
    gr_rigid_trial_free(&t);
    return status;
}

GrStatus gr_b23_roll(GrTwist start, GrTwist *rolling, GrTwist *later, GrErrorLog *log)
{
    const GrMaterial m = gr_b23_material();
    GrRigidDef def = cylinder_on(&UP, &m, GR_B23_INERTIA, at_height(GR_B23_RADIUS), REST);
    GrRigidTrial t;
    GrStatus status = start_settled(&def, 1e-3, start, &t, log);
    status = status == GR_OK ? gr_rigid_trial_run(&t, 2) : status;
    if (status == GR_OK) {
        *rolling = twist_of(&t);
        status = gr_rigid_trial_run(&t, 8);
        *later = twist_of(&t);
    }
    gr_rigid_trial_free(&t);
    return status;
}

GrStatus gr_b23_incline(double angle, bool turns, double time, double *gained, double *distance, GrErrorLog *log)
{
    const GrVec3 plane = {gr_sin(angle), 0, gr_cos(angle)};
    const GrPose pose = {gr_scale(GR_B23_RADIUS, plane), {1, 0, 0, 0}};
    const GrMaterial m = gr_b23_material();
    GrRigidDef def = cylinder_on(&plane, &m, turns ? GR_B23_INERTIA : IMMOVABLE_INERTIA, pose, REST);
    GrRigidTrial t;
    GrStatus status = gr_rigid_trial_start(&def, 1e-3, &t, log);
    status = status == GR_OK ? gr_rigid_trial_run(&t, SETTLE_TIME) : status;
    if (status == GR_OK) {
        const GrVec3 from = position_of(&t), slow = twist_of(&t).lin;
        status = gr_rigid_trial_run(&t, time);
        *distance = gr_norm(gr_sub(position_of(&t), from));
        *gained = gr_norm(twist_of(&t).lin) - gr_norm(slow);
    }
    gr_rigid_trial_free(&t);
    return status;
}

GrStatus gr_b23_spin(double omega, double *stops, GrTwist *rest, GrErrorLog *log)
{
    const GrMaterial m = gr_b23_material();
    GrRigidDef def = cylinder_on(&UP, &m, GR_B23_INERTIA, at_height(GR_B23_RADIUS), REST);
    GrRigidTrial t;
    GrStatus status = start_settled(&def, 1e-4, (GrTwist){{0, 0, omega}, {0, 0, 0}}, &t, log);
    int steps = 0;
    while (status == GR_OK && twist_of(&t).ang.z > STOP_SPIN_SHARE * omega && steps * t.dt < 10) {
        status = gr_rigid_trial_step(&t);
        steps++;
    }
    *stops = steps * 1e-4 / (1 - STOP_SPIN_SHARE);
    status = status == GR_OK ? gr_rigid_trial_run(&t, 2) : status;
    if (status == GR_OK) {
        *rest = twist_of(&t);
    }
    gr_rigid_trial_free(&t);
    return status;
}

enum { TOWER = 10 };

static double shift_of(int cuboid)
{
    return 0.01 * (cuboid % 2);
}

GrStatus gr_b23_tower(double step, double *drift, double *sideways, GrErrorLog *log)
{
    GrRigidDef def = gr_default_rigid_def();
    def.contact_law = GR_CONTACT_HUNT_CROSSLEY_B23;
    const GrVec3 size = {0.4, 0.3, 0.2};
    def.ground = (GrRigidGround){gr_rigid_plane, &UP};
    def.materials[0].friction = 0.5;
    def.sleep_time = (double)INFINITY;
    for (int i = 0; i < TOWER; i++) {
        const GrPose pose = {{shift_of(i), 0, 0.1 + 0.2 * i}, {1, 0, 0, 0}};
        gr_rigid_add_loose(&def, gr_convex_cuboid(size), 10, gr_inertia_box(10, size), pose, REST, 0);
    }
    GrRigidTrial t;
    GrStatus status = gr_rigid_trial_start(&def, step, &t, log);
    status = status == GR_OK ? gr_rigid_trial_run(&t, SETTLE_TIME) : status;
    GrVec3 first[TOWER];
    *drift = *sideways = 0;
    for (int i = 0; i < TOWER && status == GR_OK; i++) {
        first[i] = gr_rigid_loose_pose(t.w, t.s, i).position;
    }
    status = status == GR_OK ? gr_rigid_trial_run(&t, 60) : status;
    for (int i = 0; i < TOWER && status == GR_OK; i++) {
        const GrVec3 p = gr_rigid_loose_pose(t.w, t.s, i).position;
        *drift = fmax(*drift, gr_norm(gr_sub(p, first[i])));
        *sideways = fmax(*sideways, gr_hypot(p.x - shift_of(i), p.y));
    }
    gr_rigid_trial_free(&t);
    return status;
}

enum { STACK = 5 };

GrStatus gr_b23_cylinders(double *lost, GrErrorLog *log)
{
    const GrMaterial m = gr_b23_material();
    GrRigidDef def = gr_default_rigid_def();
    def.contact_law = GR_CONTACT_HUNT_CROSSLEY_B23;
    const GrSym3 inertia = {GR_B23_INERTIA, GR_B23_INERTIA, GR_B23_INERTIA, 0, 0, 0};
    def.ground = (GrRigidGround){gr_rigid_plane, &UP};
    def.materials[0] = m;
    def.sleep_time = (double)INFINITY;
    for (int i = 0; i < STACK; i++) { // the axis is y
        const GrPose pose = {{shift_of(i), 0, GR_B23_RADIUS * (1 + 2 * i)}, {1, 0, 0, 0}};
        gr_rigid_add_loose(&def, gr_convex_cylinder(GR_B23_RADIUS, GR_B23_HEIGHT), GR_B23_MASS, inertia, pose, REST, 0);
    }
    GrRigidTrial t;
    GrStatus status = gr_rigid_trial_start(&def, 1e-3, &t, log);
    status = status == GR_OK ? gr_rigid_trial_run(&t, 10) : status;
    double highest = 0;
    for (int i = 0; i < STACK && status == GR_OK; i++) {
        highest = fmax(highest, gr_rigid_loose_pose(t.w, t.s, i).position.z);
    }
    *lost = 1 - highest / (GR_B23_RADIUS * (2 * STACK - 1));
    gr_rigid_trial_free(&t);
    return status;
}
