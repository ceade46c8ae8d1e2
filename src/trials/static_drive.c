#include "static_drive.h"

#include "grouser/analysis.h"

#include "alloc.h"
#include "data.h"
#include "elementary.h"
#include "out_of_memory.h"

#include <math.h>

// ---- How a rover stands on a rigid plane: wheels as stiff springs of equal compression, and static equilibrium.

/// Compression of a wheel under its share of the weight, in units of its radius.
static const double COMPRESSION = 1e-4;

typedef struct Plane {
    double stiffness; ///< of every wheel [N/m]
    GrVec3 force;     ///< on a wheel over its load: every wheel holds its share of the weight along the plane
    double *loads;
} Plane;

/// Lowest point of a wheel's rim: from the centre towards the ground, perpendicular to the axle.
static GrVec3 lowest_point(const GrWheel *wheel, const GrBodyFrame *frame, GrVec3 base)
{
    const GrVec3 centre = gr_add(base, gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, wheel->centre)));
    const GrVec3 axle = gr_mat3_mul_vec(&frame->rotation, wheel->axle);
    const GrVec3 down = gr_normalize(gr_vec3(axle.z * axle.x, axle.z * axle.y, axle.z * axle.z - 1));
    return gr_madd(centre, wheel->radius, down);
}

static void stand(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    const Plane *plane = context;
    const GrVec3 base = gr_base_position(&d->tree);
    for (int i = 0; i < m->wheel_count; i++) {
        const int body = m->wheels[i].body;
        const GrVec3 point = lowest_point(&m->wheels[i], &d->tree.frame[body], base);
        plane->loads[i] = point.z < 0 ? -plane->stiffness * point.z : 0;
        gr_tree_add_wrench(&d->tree, body, gr_sub(point, base), gr_scale(plane->loads[i], plane->force),
                           gr_vec3(0, 0, 0));
    }
}

/// Lifts the rover so that its lowest wheel touches the plane.
static void place_on_plane(const GrModel *m, GrData *d)
{
    gr_forward(m, d);
    double lowest = INFINITY;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrWheel *wheel = &m->wheels[i];
        lowest = fmin(lowest, lowest_point(wheel, &d->tree.frame[wheel->body], gr_base_position(&d->tree)).z);
    }
    GrPose pose = gr_data_base_pose(d);
    pose.position.z -= lowest;
    gr_data_set_base_pose(d, pose);
}

GrStatus gr_stand_on_plane(const GrModel *m, GrData *d, double *wheel_loads, GrStance *stance, GrErrorLog *log)
{
    const double gravity = -m->tree.gravity.z;
    if (m->wheel_count == 0) {
        return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "wheels"},
                            "a rover without wheels cannot stand");
    }
    if (!(gravity > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "gravity"},
                            "found %g m/s² downwards, allowed: > 0", gravity);
    }
    const GrForceFn force = d->force;
    void *context = d->force_context;
    double radius = INFINITY;
    for (int i = 0; i < m->wheel_count; i++) {
        radius = fmin(radius, m->wheels[i].radius);
    }
    const double weight = gr_balance(m, d).mass * gravity;
    const GrVec3 g = m->tree.gravity;
    Plane plane = {weight / (m->wheel_count * COMPRESSION * radius), {-g.x / gravity, -g.y / gravity, 1}, wheel_loads};
    gr_data_set_force(d, NULL, NULL);
    place_on_plane(m, d);
    gr_data_set_force(d, stand, &plane);
    GrEquilibrium rest;
    const GrStatus status = gr_settle(m, d, &rest, log);
    gr_forward(m, d); // the loads of the final position
    gr_data_set_force(d, force, context);
    const GrPose pose = gr_data_base_pose(d);
    const GrVec3 rpy = gr_quat_to_rpy(pose.rotation);
    const GrVec3 com = gr_sub(gr_balance(m, d).com, pose.position);
    const GrVec3 level = gr_quat_rotate(gr_quat_from_rpy(0, 0, -rpy.z), com);
    *stance = (GrStance){
        .weight = weight,
        .com = gr_vec3(level.x, level.y, level.z + pose.position.z),
        .roll = rpy.x,
        .pitch = rpy.y,
        .clearance = pose.position.z,
        .residual = rest.residual,
    };
    return status;
}

// ---- drives

static const double SLIP_STEP = 0.04, SLIP_MOST = 0.98;
static const double ANGLE_STEP = 4 * GR_DEGREE, ANGLE_MOST = 80 * GR_DEGREE;
enum { REFINE = 12 };

bool gr_static_drive_fits(const GrSteadyDriveDef *def)
{
    return def->soil != NULL && !gr_soil_law_on_grid(def->soil->law) && def->speed > 0 &&
           def->rover->wheel_count <= GR_DRIVE_WHEELS_MAX;
}

GrStatus gr_static_drive_make(const GrSteadyDriveDef *def, GrStaticDrive *out, GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    *out = (GrStaticDrive){.speed = def->speed};
    if (!gr_static_drive_fits(def)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0},
                            "steady formulas are for up to %d wheels that drive forward on a patch of soil each",
                            (int)GR_DRIVE_WHEELS_MAX);
    }
    options.gravity = gr_vec3(0, 0, -def->gravity);
    options.step = def->step;
    options.surface.soil = def->soil;
    GrModel *m = NULL;
    if (gr_model_create(def->rover, &options, &m, log) != GR_OK) {
        return GR_ERROR_MODEL;
    }
    GrStatus status = GR_OK;
    out->rigs = gr_calloc((size_t)m->wheel_count + 1, sizeof *out->rigs);
    if (out->rigs == NULL) {
        status = gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < m->wheel_count && status == GR_OK; i++) {
        GrRigDef rig = gr_default_rig_def();
        rig.soil = *def->soil;
        rig.wheel = m->soil_wheels[i].wheel;
        rig.wheel.slices = 1;
        rig.wheel.surface = NULL; // the model's own
        rig.cell = fmin(rig.cell, rig.wheel.radius);
        status = gr_rig_make(&rig, &out->rigs[i], log);
        out->wheel_count = i + 1;
    }
    gr_model_free(m);
    return status;
}

void gr_static_drive_free(GrStaticDrive *drive)
{
    gr_free(drive->rigs);
    *drive = (GrStaticDrive){0};
}

/// Sums over the wheels at a slip and a slip angle.
typedef struct Sums {
    double pull, side; ///< [N]
    bool carried;      ///< every wheel carries its load
} Sums;

static Sums sum(const GrStaticDrive *drive, const double *loads, double slip, double angle, GrSteadyDrive *out)
{
    Sums sums = {.carried = true};
    GrRigPoint p = {0};
    *out = (GrSteadyDrive){.outcome = GR_DRIVE_STEADY, .slip = slip, .load_least = INFINITY, .time = (double)NAN};
    for (int i = 0; i < drive->wheel_count; i++) {
        const bool same =
            i > 0 && loads[i] == loads[i - 1] && drive->rigs[i].def.wheel.radius == drive->rigs[i - 1].def.wheel.radius;
        if (!same) {
            GrRig rig = drive->rigs[i];
            rig.def.load = fmax(loads[i], 1e-6);
            sums.carried = gr_rig_point(&rig, slip, angle, &p) == GR_OK && sums.carried;
        }
        sums.pull += p.f_x;
        sums.side += p.f_y;
        out->sinkage = fmax(out->sinkage, p.sinkage);
        out->deflection = fmax(out->deflection, p.deflection);
        out->torque = fmax(out->torque, fabs(p.torque));
        out->torque_mean += p.torque / drive->wheel_count;
        out->power += p.torque * drive->speed / drive->rigs[i].wheel.radius;
        out->load_least = fmin(out->load_least, loads[i]);
        out->load_most = fmax(out->load_most, loads[i]);
    }
    out->speed = drive->speed * (slip >= 0 ? 1 - slip : 1 / (1 + slip));
    out->drift = out->speed * gr_tan(angle);
    out->slip =
        1 - out->speed / drive->speed; // below 0 the rig's slip is over the speed, that of a drive over the rims
    return sums;
}

/// The smallest slip from 0 up, or from 0 down, at which the pull is `along`. False: there is none.
static bool find_slip(const GrStaticDrive *drive, const double *loads, double along, double angle, GrSteadyDrive *out,
                      double *side)
{
    Sums sums = sum(drive, loads, 0, angle, out);
    const double sign = sums.pull < along ? 1 : -1;
    double low = 0, f_low = sums.pull - along, high = 0, f_high = f_low;
    while (sums.carried && sign * f_high < 0) {
        low = high;
        f_low = f_high;
        high = fabs(high) + SLIP_STEP <= SLIP_MOST ? high + sign * SLIP_STEP : sign;
        if (fabs(high) == 1) {
            return false;
        }
        sums = sum(drive, loads, high, angle, out);
        f_high = sums.pull - along;
    }
    for (int i = 0; i < REFINE && sums.carried && fabs(f_high) > 1e-9 * fabs(along) && high != low; i++) {
        const double s = high - f_high * (high - low) / (f_high - f_low);
        sums = sum(drive, loads, s, angle, out);
        const double f = sums.pull - along;
        if (f * f_high < 0) {
            low = high;
            f_low = f_high;
        } else {
            f_low *= 0.5;
        }
        high = s;
        f_high = f;
    }
    *side = sums.side;
    return sums.carried;
}

void gr_static_drive_at(const GrStaticDrive *drive, const double *loads, double along, double across,
                        GrSteadyDrive *out)
{
    const double wanted = fabs(across);
    double side = 0, low = 0, high = 0, f_low = -wanted, f_high = -wanted;
    bool found = find_slip(drive, loads, along, 0, out, &side);
    while (found && f_high < 0) {
        low = high;
        f_low = f_high;
        high += ANGLE_STEP;
        found = high < ANGLE_MOST && find_slip(drive, loads, along, high, out, &side);
        f_high = side - wanted;
    }
    for (int i = 0; i < REFINE && found && wanted > 0 && fabs(f_high) > 1e-6 * wanted; i++) {
        const double angle = high - f_high * (high - low) / (f_high - f_low);
        found = find_slip(drive, loads, along, angle, out, &side);
        if ((side - wanted) * f_high < 0) {
            low = high;
            f_low = f_high;
        } else {
            f_low *= 0.5;
        }
        high = angle;
        f_high = side - wanted;
    }
    if (!found) {
        *out = (GrSteadyDrive){.outcome = GR_DRIVE_STUCK, .slip = (double)NAN};
    }
}
