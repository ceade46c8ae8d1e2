/// Tip: how far can the ground lean before the rover falls over?
///
/// Seen from the ground, gravity leans by α towards ψ: (g sin α cos ψ, g sin α sin ψ, −g cos α). From the centre of
/// mass, h over the ground, its line meets the ground h tan α away; where that is outside of the wheels' hull, the
/// rover tips: geometry = atan(distance to the hull's edge along ψ / h). With the suspension at work the same is asked
/// of the equilibrium: wheels stand on springs that push and do not pull, and are held sideways where they stand.
#include "trial_run.h"

#include "grouser/analysis.h"

#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double COMPRESSION = 1e-4;   // of a wheel under its share of the weight, in radii
static const double SIDE = 1;             // stiffness along the ground over that across
static const double TOLERANCE = 1e-3;     // [rad]
static const double LEAN = 0.5;           // [rad] a chassis that leans this much further is falling
static const double COARSE = 0.0349;      // [rad] steps of the search before it is halved

typedef struct Stand {
    double stiffness; ///< of every wheel [N/m]
    GrVec3 *anchors;  ///< where each wheel stood on level ground, world
    double *loads;    ///< of the last evaluation [N]
} Stand;

typedef struct Tilter {
    GrModel *m;
    GrData *d;
    Stand stand;
    GrData *level; ///< stance on level ground
    double up_z;   ///< of the chassis there
} Tilter;

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

static void stand(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    const Stand *s = context;
    const GrVec3 base = gr_base_position(&d->tree);
    for (int i = 0; i < m->wheel_count; i++) {
        const GrVec3 point = contact_point(m, d, i), off = gr_sub(point, s->anchors[i]);
        const bool touches = point.z < 0;
        const double k = s->stiffness;
        s->loads[i] = touches ? -k * point.z : 0;
        const GrVec3 force =
            touches ? gr_vec3(-SIDE * k * off.x, -SIDE * k * off.y, s->loads[i]) : gr_vec3(0, 0, 0);
        gr_tree_add_wrench(&d->tree, m->wheels[i].body, gr_sub(point, base), force, gr_vec3(0, 0, 0));
    }
}

static void set_gravity(GrModel *m, double gravity, double angle, double direction)
{
    m->tree.gravity = gr_vec3(gravity * sin(angle) * cos(direction), gravity * sin(angle) * sin(direction),
                              -gravity * cos(angle));
}

/// Area that the loaded wheels span, in square metres.
static double support(const Tilter *t)
{
    double most = 0;
    const int count = t->m->wheel_count;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            for (int c = b + 1; c < count; c++) {
                if (t->stand.loads[a] <= 0 || t->stand.loads[b] <= 0 || t->stand.loads[c] <= 0) {
                    continue;
                }
                const GrVec3 p = t->stand.anchors[a], q = t->stand.anchors[b], r = t->stand.anchors[c];
                most = fmax(most, 0.5 * fabs((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)));
            }
        }
    }
    return most;
}

/// Whether it stands when the ground falls by `angle` towards `direction`; `least`: smallest load of a wheel.
static bool stands(Tilter *t, double gravity, double angle, double direction, double *least)
{
    gr_data_copy(t->m, t->d, t->level);
    set_gravity(t->m, gravity, angle, direction);
    const bool found = gr_settle(t->m, t->d, NULL, NULL) == GR_OK;
    gr_forward(t->m, t->d);
    const GrVec3 up = gr_quat_rotate(gr_data_base_pose(t->d).rotation, gr_vec3(0, 0, 1));
    *least = INFINITY;
    for (int i = 0; i < t->m->wheel_count; i++) {
        *least = fmin(*least, t->stand.loads[i]);
    }
    return found && acos(fmin(1, up.z)) - acos(fmin(1, t->up_z)) < LEAN && support(t) > 1e-6;
}

typedef bool (*Question)(Tilter *t, double gravity, double angle, double direction);

static bool all_loaded(Tilter *t, double gravity, double angle, double direction)
{
    double least;
    return stands(t, gravity, angle, direction, &least) && least > 0;
}

static bool any_stance(Tilter *t, double gravity, double angle, double direction)
{
    double least;
    return stands(t, gravity, angle, direction, &least);
}

/// Largest angle up to which the answer is yes, from level on.
static double search(Tilter *t, Question holds, double gravity, double direction)
{
    double lower = 0, upper = COARSE;
    while (upper < PI / 2 && holds(t, gravity, upper, direction)) {
        lower = upper;
        upper += COARSE;
    }
    while (upper - lower > TOLERANCE / 8) {
        const double middle = (lower + upper) / 2;
        *(holds(t, gravity, middle, direction) ? &lower : &upper) = middle;
    }
    return lower;
}

/// Distance from the centre of mass to the edge of the wheels' hull along a direction: the least, over all lines
/// through two wheels that have the others on one side, of the way to that line.
static double hull_distance(const Tilter *t, GrVec3 com, double direction)
{
    const double x = cos(direction), y = sin(direction);
    const int count = t->m->wheel_count;
    double nearest = INFINITY;
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            const GrVec3 p = t->stand.anchors[a], q = t->stand.anchors[b];
            const GrVec3 normal = gr_vec3(q.y - p.y, p.x - q.x, 0); // right of the way from a to b: outside
            bool edge = gr_norm(normal) > 1e-9;
            for (int c = 0; c < count && edge; c++) {
                edge = gr_dot(normal, gr_sub(t->stand.anchors[c], p)) <= 1e-9;
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
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -def->gravity);
    t->m = gr_model_create(def->rover, &options, log);
    if (t->m == NULL) {
        return GR_ERROR_MODEL;
    }
    t->d = gr_data_create(t->m);
    t->level = gr_data_create(t->m);
    t->stand.anchors = calloc((size_t)t->m->wheel_count + 1, sizeof *t->stand.anchors);
    t->stand.loads = calloc((size_t)t->m->wheel_count + 1, sizeof *t->stand.loads);
    return t->d != NULL && t->level != NULL && t->stand.anchors != NULL && t->stand.loads != NULL
               ? GR_OK
               : gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "out of memory");
}

/// The stance on level ground, from which every tilt begins.
static GrStatus stand_level(Tilter *t, double gravity, GrTipResult *out, GrErrorLog *log)
{
    GrStance stance;
    GrStatus status = gr_stand_on_plane(t->m, t->d, t->stand.loads, &stance, log);
    if (status != GR_OK) {
        return status;
    }
    double radius = INFINITY;
    for (int i = 0; i < t->m->wheel_count; i++) {
        radius = fmin(radius, t->m->wheels[i].radius);
        t->stand.anchors[i] = contact_point(t->m, t->d, i);
    }
    t->stand.stiffness = stance.weight / (t->m->wheel_count * COMPRESSION * radius);
    gr_data_set_force(t->d, stand, &t->stand);
    set_gravity(t->m, gravity, 0, 0);
    status = gr_settle(t->m, t->d, NULL, log);
    gr_data_copy(t->m, t->level, t->d);
    t->up_z = gr_quat_rotate(gr_data_base_pose(t->d).rotation, gr_vec3(0, 0, 1)).z;
    const GrBalance balance = gr_balance(t->m, t->d);
    out->com_height = balance.com.z;
    out->com = gr_sub(balance.com, gr_data_base_pose(t->d).position);
    return status;
}

static void free_tilter(Tilter *t)
{
    gr_data_free(t->d);
    gr_data_free(t->level);
    gr_model_free(t->m);
    free(t->stand.anchors);
    free(t->stand.loads);
}

GrStatus gr_trial_tip(const GrTrialDef *def, int count, GrTipResult *out, GrErrorLog *log)
{
    *out = (GrTipResult){0};
    if (count < 1 || !(def->gravity > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "%d directions or gravity %g out of range; allowed: 1 or more, above 0 m/s²", count,
                            def->gravity);
    }
    Tilter t = {0};
    GrStatus status = make_tilter(def, &t, log);
    if (status == GR_OK) {
        status = stand_level(&t, def->gravity, out, log);
    }
    out->points = status == GR_OK ? calloc((size_t)count, sizeof *out->points) : NULL;
    if (status == GR_OK && out->points == NULL) {
        status = gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "out of memory");
    }
    for (int i = 0; i < count && status == GR_OK; i++) {
        const double direction = 2 * PI * i / count;
        const GrVec3 com = gr_add(gr_data_base_pose(t.level).position, out->com);
        out->points[out->count++] = (GrTipPoint){
            .direction = direction,
            .geometry = atan(hull_distance(&t, com, direction) / out->com_height),
            .lift_off = search(&t, all_loaded, def->gravity, direction),
            .tip = search(&t, any_stance, def->gravity, direction),
        };
    }
    free_tilter(&t);
    return status;
}

void gr_tip_free(GrTipResult *result)
{
    free(result->points);
    *result = (GrTipResult){0};
}
