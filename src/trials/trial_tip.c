/// Tip: the slope at which the rover tips over.
///
/// In the frame of the ground, gravity is tilted by α towards ψ: (g sin α cos ψ, g sin α sin ψ, −g cos α). Its line
/// through the centre of mass, at height h, meets the ground at a distance h tan α. When that point is outside the
/// convex hull of the wheels, the rover tips: geometry = atan(distance to the hull's edge along ψ / h). To include the
/// suspension, the rover stands on rigid ground whose tilt increases slowly; its wheels are locked and do not slide.
/// Equilibria alone are not sufficient: when a wheel lifts, a rocker swings to its stop, and the rover may stand again.
/// Wide wheels finally stand on their outer edges, so the rover may lean further than the geometry of their centres
/// predicts.
#include "elementary.h"
#include "trial_run.h"

#include "alloc.h"
#include "grouser/analysis.h"
#include "out_of_memory.h"

static const double FRICTION = 5;                   // wheels would slide at 79 deg
static const double FALL_ANGLE = 0.35;              // [rad] more than on level ground: it falls
static const double NO_LOAD = 1e-3;                 // of the weight: below this the wheel has lifted
static const double COARSE_ANGLE = 2 * GR_PI / 180; // [rad] between two halts
static const double FINE_ANGLE = 0.1 * GR_PI / 180; // [rad] resolution of the final bisection
static const double RAMP_TIME = 1;     // [s] time in which gravity rotates from one halt to the next, on Earth
static const double HALT_TIME = 1.5;   // [s] least duration of a halt, on Earth
static const double REST_SPEED = 2e-3; // [m/s] below this the rover stands
static const int HALT_EXTENSIONS = 6;  // a halt may last this many times longer if the rover still moves

typedef struct Tilter {
    const GrTrialDef *def;
    GrModel *m;
    GrData *d;
    GrData *kept;     ///< state at the last angle at which it stood
    GrData *level;    ///< stance on level ground
    double up_z;      ///< z of the chassis' up vector on level ground
    GrVec3 *contacts; ///< lowest points of the wheels' middle planes on level ground, world
    double weight;    ///< [N]
    double pace;      ///< factor by which times are longer than on Earth
} Tilter;

/// Lowest point of a wheel's middle plane.
static GrVec3 contact_point(const GrModel *m, const GrData *d, int i)
{
    const GrWheel *wheel = &m->wheels[i];
    const GrBodyFrame *frame = &d->tree.frame[wheel->body];
    const GrVec3 centre =
        gr_add(gr_base_position(&d->tree), gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, wheel->centre)));
    const GrVec3 axle = gr_mat3_mul_vec(&frame->rotation, wheel->axle);
    const GrVec3 down = gr_normalize(gr_vec3(axle.z * axle.x, axle.z * axle.y, axle.z * axle.z - 1));
    return gr_madd(centre, wheel->radius, down);
}

/// The model belongs to the tilter, so that gravity can be changed between steps.
static void set_gravity(Tilter *t, double angle, double direction)
{
    const double g = t->def->gravity;
    t->m->tree.gravity =
        gr_vec3(g * gr_sin(angle) * gr_cos(direction), g * gr_sin(angle) * gr_sin(direction), -g * gr_cos(angle));
}

static bool has_fallen(const Tilter *t)
{
    const GrVec3 up = gr_quat_rotate(gr_data_base_pose(t->d).rotation, gr_vec3(0, 0, 1));
    return gr_acos(fmin(1, up.z)) - gr_acos(fmin(1, t->up_z)) > FALL_ANGLE;
}

static double motion(const Tilter *t)
{
    const GrBalance balance = gr_balance(t->m, t->d);
    return sqrt(2 * balance.kinetic / balance.mass);
}

/// Steps for a while as gravity rotates from one angle to another; false when the rover falls.
static bool turn(Tilter *t, double from, double to, double direction, double time)
{
    const int steps = (int)ceil(time * t->pace / t->def->step);
    for (int i = 1; i <= steps; i++) {
        set_gravity(t, from + (to - from) * i / steps, direction);
        if (gr_step(t->m, t->d) != GR_OK || has_fallen(t)) {
            return false;
        }
    }
    return true;
}

/// Moves from a stance at one angle to one at another; false when there is none.
static bool reach(Tilter *t, double from, double to, double direction)
{
    bool stands = turn(t, from, to, direction, RAMP_TIME);
    for (int i = 0; i < HALT_EXTENSIONS && stands; i++) {
        stands = turn(t, to, to, direction, HALT_TIME);
        if (motion(t) < REST_SPEED) {
            break;
        }
    }
    return stands;
}

static bool has_lifted(const Tilter *t)
{
    bool lifted = false;
    for (int i = 0; i < t->m->wheel_count; i++) {
        lifted = lifted || gr_data_wheel(t->m, t->d, i).rock_force.z < NO_LOAD * t->weight;
    }
    return lifted;
}

/// Increases the angle up to the last halt before the rover falls (`falls`) or a wheel lifts, then bisects.
static double search(Tilter *t, double direction, bool falls)
{
    double lower = 0, step = COARSE_ANGLE;
    gr_data_copy(t->m, t->kept, t->level);
    while (step >= FINE_ANGLE && lower + step < GR_PI / 2) {
        gr_data_copy(t->m, t->d, t->kept);
        if (reach(t, lower, lower + step, direction) && (falls || !has_lifted(t))) {
            gr_data_copy(t->m, t->kept, t->d);
            lower += step;
            step = step < COARSE_ANGLE ? step / 2 : step;
        } else {
            step /= 2;
        }
    }
    return lower;
}

/// Distance from the centre of mass to the edge of the wheels' hull along a direction: the least distance to a line
/// through two wheels that has all others on one side.
static double hull_distance(const Tilter *t, GrVec3 com, double direction)
{
    const double x = gr_cos(direction), y = gr_sin(direction);
    const int count = t->m->wheel_count;
    double nearest = INFINITY;
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            const GrVec3 p = t->contacts[a], q = t->contacts[b];
            const GrVec3 normal = gr_vec3(q.y - p.y, p.x - q.x, 0); // to the right of the line from a to b: outside
            bool edge = gr_norm(normal) > 1e-9;
            for (int c = 0; c < count && edge; c++) {
                edge = gr_dot(normal, gr_sub(t->contacts[c], p)) <= 1e-9;
            }
            const double toward = normal.x * x + normal.y * y;
            if (edge && toward > 1e-12) {
                nearest = fmin(nearest, gr_dot(normal, gr_sub(p, com)) / toward);
            }
        }
    }
    return fmax(nearest, 0);
}

static GrStatus make_tilter(const GrTrialDef *def, Tilter *t, GrErrorLog *log)
{
    GrTrialDef hard = *def;
    GrOptions options = gr_default_options();
    GrRoverDef rover;
    hard.soil = NULL;
    hard.friction = FRICTION;
    GrSceneDef scene = gr_trial_scene(&hard);
    options.gravity = gr_vec3(0, 0, -def->gravity);
    options.step = def->step;
    options.surface.scene = &scene;
    if (gr_trial_with_drives(def->rover, GR_MOTOR_SPEED, &rover)) {
        gr_model_create(&rover, &options, &t->m, log);
        gr_free(rover.joints);
    }
    gr_scene_def_free(&scene);
    if (t->m == NULL) {
        return GR_ERROR_MODEL;
    }
    t->def = def;
    t->pace = sqrt(9.80665 / def->gravity);
    gr_data_create(t->m, &t->d, NULL);
    gr_data_create(t->m, &t->kept, NULL);
    gr_data_create(t->m, &t->level, NULL);
    t->contacts = gr_calloc((size_t)t->m->wheel_count + 1, sizeof *t->contacts);
    return t->d != NULL && t->kept != NULL && t->level != NULL && t->contacts != NULL ? GR_OK
                                                                                      : gr_out_of_memory(log, NULL);
}

/// The stance on level ground, from which every tilt begins.
static GrStatus stand_level(Tilter *t, GrTipResult *out, GrErrorLog *log)
{
    GrStance stance;
    double *loads = gr_calloc((size_t)t->m->wheel_count + 1, sizeof *loads);
    if (loads == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    const GrStatus status = gr_stand_on_plane(t->m, t->d, loads, &stance, log);
    gr_free(loads);
    if (status != GR_OK) {
        return status;
    }
    t->weight = stance.weight;
    t->up_z = gr_quat_rotate(gr_data_base_pose(t->d).rotation, gr_vec3(0, 0, 1)).z;
    if (!reach(t, 0, 0, 0)) {
        return gr_error_add(log, GR_ERROR_NOT_CONVERGED, (GrLocation){0}, "the rover does not stand on level ground");
    }
    gr_data_copy(t->m, t->level, t->d);
    gr_forward(t->m, t->d);
    for (int i = 0; i < t->m->wheel_count; i++) {
        t->contacts[i] = contact_point(t->m, t->d, i);
    }
    const GrBalance balance = gr_balance(t->m, t->d);
    out->com_height = balance.com.z;
    out->com = gr_sub(balance.com, gr_data_base_pose(t->d).position);
    return GR_OK;
}

static void free_tilter(Tilter *t)
{
    gr_data_free(t->d);
    gr_data_free(t->kept);
    gr_data_free(t->level);
    gr_model_free(t->m);
    gr_free(t->contacts);
}

GrStatus gr_trial_tip(const GrTrialDef *def, int count, GrTipResult *out, GrErrorLog *log)
{
    *out = (GrTipResult){0};
    if (count < 1 || !(def->gravity > 0) || !(def->step > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "%d directions or gravity %g out of range; allowed: 1 or more, above 0 m/s²", count,
                            def->gravity);
    }
    Tilter t = {0};
    GrStatus status = make_tilter(def, &t, log);
    if (status == GR_OK) {
        status = stand_level(&t, out, log);
    }
    out->points = status == GR_OK ? gr_calloc((size_t)count, sizeof *out->points) : NULL;
    if (status == GR_OK && out->points == NULL) {
        status = GR_ERROR_MEMORY;
        gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < count && status == GR_OK; i++) {
        const double direction = 2 * GR_PI * i / count;
        const GrVec3 com = gr_add(gr_data_base_pose(t.level).position, out->com);
        out->points[out->count++] = (GrTipPoint){
            .direction = direction,
            .geometry = gr_atan(hull_distance(&t, com, direction) / out->com_height),
            .lift_off = search(&t, direction, false),
            .tip = search(&t, direction, true),
        };
        if (def->progress != NULL) {
            def->progress(def->context, (i + 1.0) / count);
        }
    }
    free_tilter(&t);
    return status;
}

void gr_tip_free(GrTipResult *result)
{
    gr_free(result->points);
    *result = (GrTipResult){0};
}
