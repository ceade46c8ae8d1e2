/// Start of a mission: places the rover on the ground or above it.
#include "elementary.h"
#include "mission_data.h"

#include "alloc.h"
#include "dynamics.h"
#include "out_of_memory.h"
#include "ruts.h"

#include <string.h>

static const double FALL_STEP = 0.005; // [s]
static const double FALL_FINE_STEP =
    2e-4;                        // [s] for the second half: with long steps the rover would keep hopping on stiff soil
enum { FALL_STEPS = 2400 };      // limit after which the rover counts as resting where it is
enum { FALL_CHECK_STEPS = 100 }; // steps between checks of its position
static const double REST_SPEED = 1e-5;  // [m/s]
static const double REST_TIME = 0.25;   // [s]
static const double CREEP_SPEED = 1e-3; // [m/s, rad/s] largest creep under friction laws without static friction
static const double FALL_TRAVEL = 0.25; // fraction of the rover's reach by which it may move before it rests

/// Ground height for placing a wheel: the deck on which the rover starts, or the terrain including its structures,
/// which the model's own ground lacks.
static bool ground_at(const GrMission *mission, double x, double y, double *z)
{
    const GrModel *m = mission->m;
    GrVec3 normal;
    *z = 0;
    if (mission->deck_normal.z > 0) {
        const GrVec3 n = mission->deck_normal, p = mission->deck;
        *z = p.z - (n.x * (x - p.x) + n.y * (y - p.y)) / n.z;
        return true;
    }
    if (mission->terrain != NULL) {
        return gr_terrain_height(mission->terrain, x, y, z) == GR_GROUND_OK;
    }
    return m->options.surface.height == NULL || m->options.surface.height(m->options.surface.context, x, y, z, &normal);
}

static GrVec3 wheel_at(const GrModel *m, const GrData *d, int i)
{
    return gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, i));
}

/// Slopes of the plane that best fits the ground under the wheels; false off the map.
static bool fit_plane(const GrMission *mission, double *slope_x, double *slope_y)
{
    const GrModel *m = mission->m;
    GrData *d = mission->d;
    double n = 0, sx = 0, sy = 0, sz = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
    const GrVec3 base = gr_base_position(&d->tree);
    gr_tree_kinematics(&m->tree, &d->tree);
    for (int i = 0; i < m->wheel_count; i++) {
        const GrVec3 at = wheel_at(m, d, i);
        double z;
        if (!ground_at(mission, at.x, at.y, &z)) {
            return false;
        }
        const double x = at.x - base.x, y = at.y - base.y;
        n += 1, sx += x, sy += y, sz += z, xx += x * x, xy += x * y, yy += y * y, xz += x * z, yz += y * z;
    }
    const double a = xx - sx * sx / n, b = xy - sx * sy / n, c = yy - sy * sy / n;
    const double p = xz - sx * sz / n, q = yz - sy * sz / n, determinant = a * c - b * b;
    const bool flat = !(determinant > 1e-12 * (a * a + c * c)); // wheels in one line, or one wheel
    *slope_x = flat ? 0 : (p * c - q * b) / determinant;
    *slope_y = flat ? 0 : (q * a - p * b) / determinant;
    return true;
}

static GrQuat about(double x, double y, double z)
{
    return gr_quat_exp(gr_vec3(x, y, z));
}

/// Height of a wheel over the plane of the ground under it, measured vertically [m]: 0 where it just touches.
static bool above_slope(const GrMission *mission, int wheel, GrVec3 axle, double radius, double *above)
{
    const GrVec3 at = wheel_at(mission->m, mission->d, wheel);
    double z[5]; // below the axle, then ahead, behind, left and right by a radius
    for (int k = 0; k < 5; k++) {
        const double dx = k == 1 ? radius : k == 2 ? -radius : 0, dy = k == 3 ? radius : k == 4 ? -radius : 0;
        if (!ground_at(mission, at.x + dx, at.y + dy, &z[k])) {
            return false;
        }
    }
    const GrVec3 normal = gr_normalize(gr_vec3((z[2] - z[1]) / (2 * radius), (z[4] - z[3]) / (2 * radius), 1));
    const double lean = gr_dot(axle, normal);
    const double reach = radius * sqrt(fmax(0, 1 - lean * lean)) + 0.5 * mission->m->wheels[wheel].width * fabs(lean);
    *above = (at.z - z[0]) - reach / normal.z;
    return true;
}

/// Moves the rover so that its lowest wheel is `height` above the ground below it. False off the map.
static bool lift(const GrMission *mission, double height)
{
    const GrModel *m = mission->m;
    GrData *d = mission->d;
    double lift = -INFINITY;
    gr_tree_kinematics(&m->tree, &d->tree);
    for (int i = 0; i < m->wheel_count; i++) {
        const GrVec3 at = wheel_at(m, d, i);
        const GrVec3 axle = gr_mat3_mul_vec(&d->tree.frame[m->wheels[i].body].rotation, m->wheels[i].axle);
        const double hard = m->wheels[i].radius + m->wheels[i].grouser_height; // cylinder over the grouser tips
        const double radius = gr_wheel_on_soil(m, i) ? m->soil_wheels[i].radius : hard;
        const double down = radius * sqrt(fmax(0, 1 - axle.z * axle.z)) + 0.5 * m->wheels[i].width * fabs(axle.z);
        for (int k = -2; k <= 2; k++) { // points along the rim, not only below the axle
            const double along = 0.5 * k * radius, rise = radius - sqrt(fmax(0, radius * radius - along * along));
            double z;
            if (!ground_at(mission, at.x - along * axle.y, at.y + along * axle.x, &z)) {
                return false;
            }
            lift = fmax(lift, z - (at.z - down + rise));
        }
        double above;
        if (height > 0) { // at 0 the search for rest begins here, and finds the height itself
            if (!above_slope(mission, i, axle, radius, &above)) {
                return false;
            }
            lift = fmax(lift, -above);
        }
    }
    GrPose pose = gr_data_base_pose(d);
    pose.position.z += lift + height;
    gr_data_set_base_pose(d, pose);
    return true;
}

static GrStatus no_rest(GrErrorLog *log, const char *why)
{
    return gr_error_add(
        log, GR_ERROR_NUMERIC, (GrLocation){.field = "start"},
        "no equilibrium of the rover was found on the ground: %s. With height_m above 0 it is dropped instead", why);
}

/// Whether the rover is still at its start: a rover that slid away or turned over is not.
static bool stays(const GrMission *mission, GrVec3 start)
{
    const GrTreeData *tree = &mission->d->tree;
    const GrVec3 at = gr_base_position(tree), z = gr_quat_rotate(gr_base_rotation(tree), gr_vec3(0, 0, 1));
    return gr_hypot(at.x - start.x, at.y - start.y) <= FALL_TRAVEL * mission->reach &&
           gr_dot(z, mission->up) >= gr_cos(mission->def.tip_angle);
}

/// Drops the rover by the last millimetres when no equilibrium was found directly.
static GrStatus fall(GrMission *mission, GrErrorLog *log)
{
    const GrModel *m = mission->m;
    GrData *d = mission->d;
    const GrVec3 start = gr_base_position(&d->tree);
    double still = 0, fastest = 0;
    bool there = true;
    for (int i = 0; i < FALL_STEPS && still < REST_TIME && there; i++) {
        const double step = i < FALL_STEPS / 2 ? FALL_STEP : FALL_FINE_STEP;
        if (gr_step_by(m, d, step) != GR_OK) {
            return no_rest(log, "its motion there has no finite solution");
        }
        fastest = 0;
        for (int k = 0; k < m->tree.dof_count; k++) {
            fastest = fmax(fastest, fabs(d->tree.velocity[k]));
        }
        still = fastest < REST_SPEED ? still + step : 0;
        there = i % FALL_CHECK_STEPS != 0 || stays(mission, start);
    }
    if (!there || !stays(mission, start)) { // a rover with freely turning wheels may still creep
        return no_rest(log, "it slides away or turns over; the slope may be steeper than the soil can hold");
    }
    memset(d->tree.velocity, 0, sizeof(double) * (size_t)m->tree.dof_count);
    mission->s.start_fall = gr_data_time(d);
    mission->s.start_moves = fastest > CREEP_SPEED;
    d->tree.time[0] = 0;
    return GR_OK;
}

/// Resets the state to the start, with the given ruts in the ground.
static void start_over(GrMission *mission)
{
    gr_data_reset(mission->m, mission->d);
    if (mission->given != NULL) {
        mission->d->ruts_status = gr_ruts_copy(mission->d->ruts, mission->given);
    }
}

/// Offset in whole cells from the origin of `from` to that of `to`; false when the grids do not match.
static bool find_shift(const GrRuts *from, const GrRuts *to, int64_t *di, int64_t *dj)
{
    const GrGeoreference *a = gr_ruts_georeference(from), *b = gr_ruts_georeference(to);
    *di = *dj = 0;
    if (a == NULL || b == NULL) {
        return true;
    }
    const double u = (a->origin_east - b->origin_east) / gr_ruts_def(to)->cell;
    const double v = (a->origin_north - b->origin_north) / gr_ruts_def(to)->cell;
    *di = llround(u);
    *dj = llround(v);
    return fabs(u - (double)*di) < 1e-3 && fabs(v - (double)*dj) < 1e-3;
}

static void copy_node(const GrRuts *from, GrRuts *to, int64_t i, int64_t j, int64_t di, int64_t dj)
{
    const double height = gr_ruts_get(from, i, j);
    const float *states = gr_ruts_states_get(from, i, j);
    const int count = gr_ruts_def(to)->state_count;
    const bool known = count > 0 && gr_ruts_def(from)->state_count == count;
    if (height != 0 || (known && states[0] != 0)) {
        *gr_ruts_height(to, i + di, j + dj) = height;
        if (known) {
            memcpy(gr_ruts_states(to, i + di, j + dj), states, sizeof *states * (size_t)count);
        }
    }
}

GrStatus gr_mission_set_ruts(GrMission *mission, const GrRuts *ruts, GrErrorLog *log)
{
    const GrLocation at = {.field = "ruts"};
    gr_ruts_free(mission->given);
    mission->given = NULL;
    if (ruts == NULL) {
        return GR_OK;
    }
    if (mission->d->ruts == NULL) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "this ground does not keep ruts, so none can be loaded");
    }
    GrRutsDef def = *gr_ruts_def(mission->d->ruts);
    int64_t di, dj;
    if (gr_ruts_def(ruts)->cell != def.cell || !find_shift(ruts, mission->d->ruts, &di, &dj)) {
        return gr_error_add(
            log, GR_ERROR_VALUE, at,
            "the given ruts have cells of %g m and these of %g m: both must have the same cells and nodes",
            gr_ruts_def(ruts)->cell, def.cell);
    }
    def.tile_capacity = 4 * gr_ruts_tile_count(ruts) + 1; // a shifted tile may overlap four tiles
    if (gr_ruts_create(&def, &mission->given, log) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    for (int k = 0; k < gr_ruts_tile_count(ruts); k++) {
        int64_t i, j;
        gr_ruts_tile_place(ruts, k, &i, &j);
        for (int n = 0; n < GR_RUT_NODES * GR_RUT_NODES; n++) {
            copy_node(ruts, mission->given, i + n % GR_RUT_NODES, j + n / GR_RUT_NODES, di, dj);
        }
    }
    return GR_OK;
}

/// Settles the rover. When no rest is found, the rover falls from the place where the search ended, or, if that is away
/// from the start, from its start.
static GrStatus settle_or_fall(GrMission *mission, double *position, GrErrorLog *log)
{
    GrErrorLog quiet = {.quiet = true};
    GrData *d = mission->d;
    const GrVec3 start = gr_base_position(&d->tree);
    const size_t size = sizeof(double) * (size_t)mission->m->tree.position_count;
    memcpy(position, d->tree.position, size);
    GrEquilibrium rest;
    const GrStatus status = gr_settle(mission->m, d, &rest, &quiet);
    if (status == GR_ERROR_MEMORY) {
        return gr_out_of_memory(log, NULL);
    }
    const bool there = stays(mission, start);
    if (status == GR_OK && there) {
        mission->s.start_force = rest.residual;
        return GR_OK;
    }
    if (status != GR_OK && there) {
        memcpy(position, d->tree.position, size);
    }
    start_over(mission);
    memcpy(d->tree.position, position, size);
    return fall(mission, log);
}

static GrStatus settle(GrMission *mission, GrErrorLog *log)
{
    if (mission->m->soil_wheels == NULL && mission->d->rigid == NULL) { // in empty space
        return GR_OK;
    }
    double *position = gr_malloc(sizeof(double) * (size_t)mission->m->tree.position_count);
    if (position == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    const GrStatus status = settle_or_fall(mission, position, log);
    gr_free(position);
    return status;
}

static GrStatus off_map(const GrStart *start, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "start"},
                        "a wheel of a rover at (%g, %g) has no ground under it", start->x, start->y);
}

/// Whether the rover starts inside something rigid: contacts then push with many times its weight. A rover at rest or
/// in the air is far below that.
static GrStatus check_room(const GrMission *mission, const GrStart *start, GrErrorLog *log)
{
    static const double MOST = 100, LEAST_GRAVITY = 0.1; // [m/s²]
    const GrModel *m = mission->m;
    const GrData *d = mission->d;
    double force = 0;
    for (int i = 0; d->rigid != NULL && i < m->rigid.count; i++) {
        force += gr_norm(d->rigid_contact[i].force);
    }
    const double weight = fmax(mission->weight, LEAST_GRAVITY * gr_balance(m, mission->d).mass);
    if (force <= MOST * weight) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "start"},
                        "a rover at (%g, %g) is inside a rock or a part: contacts push it with %.3g times its weight; "
                        "start elsewhere or higher",
                        start->x, start->y, force / weight);
}

/// What the summary needs of the first moment of a dropped rover, whose forces are those of gr_forward().
static void note_drop(GrMission *mission)
{
    if (!mission->s.dropped) {
        return;
    }
    const GrBalance balance = gr_balance(mission->m, mission->d);
    double push = 0;
    for (int i = 0; i < mission->m->wheel_count; i++) {
        push += gr_norm(gr_wheel_force(mission, i));
    }
    mission->s.start_down = -gr_dot(balance.linear, mission->up) / balance.mass;
    mission->s.start_push = mission->weight > 0 ? push / mission->weight : 0;
}

GrStatus gr_mission_place(GrMission *mission, const GrStart *start, GrErrorLog *log)
{
    const GrModel *m = mission->m;
    GrData *d = mission->d;
    start_over(mission);
    mission->deck = start->deck;
    mission->deck_normal = start->deck_normal;
    gr_data_set_force(d, NULL, NULL);
    memset(&mission->s, 0, sizeof mission->s);
    memset(mission->wheels, 0, sizeof *mission->wheels * (size_t)m->wheel_count);
    gr_mission_reset_arrivals(mission);
    if (gr_mission_load_around(mission, start->x, start->y, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    GrQuat turn = about(0, 0, start->heading);
    gr_data_set_base_pose(d, (GrPose){{start->x, start->y, 0}, turn});
    double slope_x, slope_y;
    if (!fit_plane(mission, &slope_x, &slope_y)) {
        return off_map(start, log);
    }
    if (start->height > 0) {
        turn = gr_quat_mul(turn, gr_quat_mul(about(0, start->pitch, 0), about(start->roll, 0, 0)));
    } else { // rotation that takes z to the plane's normal
        const double slope = gr_hypot(slope_x, slope_y), angle = gr_atan(slope);
        const double scale = slope > 0 ? angle / slope : 0;
        turn = gr_quat_mul(about(slope_y * scale, -slope_x * scale, 0), turn);
    }
    gr_data_set_base_pose(d, (GrPose){{start->x, start->y, 0}, turn});
    if (!lift(mission, start->height)) {
        return off_map(start, log);
    }
    GrStatus status = GR_OK;
    mission->s.dropped = start->height > 0;
    if (start->height > 0) {
        gr_data_set_base_velocity(d, start->velocity, start->angular_velocity);
        status = gr_forward(m, d); // the first choice of the step needs the heights of the wheels
    } else {
        status = settle(mission, log);
    }
    if (status == GR_OK) {
        status = check_room(mission, start, log);
    }
    if (mission->def.pull != 0) { // the load acts from the first step on
        gr_data_set_force(d, gr_mission_pull_force, mission);
    }
    gr_tree_kinematics(&m->tree, &d->tree);
    GrMissionState *s = &mission->s;
    note_drop(mission);
    s->start = s->last = s->prefetched = gr_base_position(&d->tree);
    s->climbs.last = gr_dot(s->start, mission->up);
    gr_account_open(m, d, &s->account);
    gr_mission_supply_start(mission);
    return status;
}
