/// Missions: creation, the loop of control and steps, and steps that are rejected and repeated.
#include "alloc.h"
#include "check.h"
#include "checksum.h"
#include "device_call.h"
#include "drive_cycle.h"
#include "dynamics.h"
#include "elementary.h"
#include "messages.h"
#include "mission_data.h"
#include "number.h"
#include "out_of_memory.h"
#include "outlook.h"
#include "stones.h"

#include <string.h>

// ---- Conditions that end a mission, and its outcome.

static const double SPEED_LIMIT = 100; // [m/s] faster than any rover: the simulation has diverged
/// Wheels must have rolled this far, or have been commanded to, before a rover can be stuck [m].
static const double LEAST_ROLLED = 0.25;

static void judge_attitude(GrMission *mission)
{
    const GrVec3 z = gr_quat_rotate(gr_base_rotation(&mission->d->tree), gr_vec3(0, 0, 1));
    const double angle = gr_acos(fmax(-1, fmin(1, gr_dot(z, mission->up))));
    if (angle > mission->def.tip_angle) {
        gr_mission_end(mission, GR_OUTCOME_TIPPED, (GrEnd){GR_END_LEANS, 0, {angle, mission->def.tip_angle}});
    }
}

/// Whether there is ground under a wheel. On soil the contact knows; on rigid ground the map is asked.
static bool is_on_map(const GrMission *mission, int wheel)
{
    const GrModel *m = mission->m;
    const GrSurfaceDef *surface = &m->options.surface;
    if (gr_wheel_on_soil(m, wheel)) {
        return mission->d->contact[wheel].on_map;
    }
    if (mission->d->rigid == NULL || surface->height == NULL) {
        return true;
    }
    const GrVec3 at = gr_add(gr_base_position(&mission->d->tree), gr_wheel_centre(m, mission->d, wheel));
    GrVec3 normal;
    double height;
    return GR_CALL(height, surface->height, surface->context, at.x, at.y, &height, &normal);
}

static void judge_wheels(GrMission *mission)
{
    const GrModel *m = mission->m;
    for (int i = 0; i < m->wheel_count; i++) {
        const double load = gr_dot(gr_wheel_force(mission, i), mission->up);
        if (!is_on_map(mission, i)) {
            gr_mission_end(mission, GR_OUTCOME_LEFT_MAP, (GrEnd){GR_END_NO_GROUND, i, {0}});
        } else if (load > mission->def.overload) {
            gr_mission_end(mission, GR_OUTCOME_OVERLOAD, (GrEnd){GR_END_OVERLOAD, i, {load, mission->def.overload}});
        }
    }
}

/// A rover that scrapes over a rock, or hits one, does not rest on it, so the mean over some time counts. The
/// instantaneous fraction is limited to 1, so that one impact does not count as a second of rest.
static void judge_belly(GrMission *mission, double dt)
{
    const GrVec3 force = gr_belly_force(mission);
    const double carried = mission->weight > 0 ? gr_dot(force, mission->up) / mission->weight : 0;
    double *share = &mission->s.belly_share;
    if (gr_norm(force) > 0) {
        gr_mission_warn(mission, GR_WARN_BELLY);
    }
    if (dt > 0) { // s' = (carried − s) / belly_time, by an implicit step
        *share += (fmax(0, fmin(carried, 1)) - *share) * dt / (dt + mission->def.belly_time);
    }
    if (*share > mission->def.belly_share) {
        gr_mission_end(mission, GR_OUTCOME_BELLY, (GrEnd){GR_END_BELLY, 0, {*share, mission->def.belly_time}});
    }
}

/// A rover is stuck if its wheels spin, and also if its motors cannot turn them: pressed against a rock, for example.
static void judge_progress(GrMission *mission)
{
    GrMissionState *s = &mission->s;
    const double now = gr_data_time(mission->d);
    if (now - s->mark_time < mission->def.stuck_time) {
        return;
    }
    const double rolled = s->rolled - s->mark_rolled;
    const double commanded = s->commanded - s->mark_commanded;
    const double moved = s->travelled - s->mark_travelled;
    if (rolled > LEAST_ROLLED && moved < mission->def.stuck_share * rolled) {
        gr_mission_end(mission, GR_OUTCOME_STUCK, (GrEnd){GR_END_SLIPS, 0, {moved, now - s->mark_time, rolled}});
    } else if (commanded > LEAST_ROLLED && fmax(moved, rolled) < mission->def.stuck_share * commanded) {
        gr_mission_end(mission, GR_OUTCOME_STUCK, (GrEnd){GR_END_HELD, 0, {rolled, now - s->mark_time, commanded}});
    }
    s->mark_time = now;
    s->mark_travelled = s->travelled;
    s->mark_rolled = s->rolled;
    s->mark_commanded = s->commanded;
}

static void judge_motion(GrMission *mission)
{
    GrVec3 linear, angular;
    gr_data_base_velocity(mission->d, &linear, &angular);
    if (!(gr_norm(linear) < SPEED_LIMIT)) {
        gr_mission_end(mission, GR_OUTCOME_DIVERGED, (GrEnd){GR_END_FAST, 0, {gr_norm(linear)}});
    }
}

/// A rover that only believes it has arrived, or that passed its goal outside the tolerance, has not reached it. A
/// driver decides when a drive by hand is over.
static void judge_path(GrMission *mission)
{
    const int count = gr_mission_way_point_count(mission);
    if (!mission->def.stop_at_goal || !mission->s.control.finished || count == 0 || mission->s.control.by_hand) {
        return;
    }
    const GrArrival *goal = &mission->arrivals[count - 1];
    if (goal->state == GR_ARRIVAL_REACHED) {
        gr_mission_end(mission, GR_OUTCOME_GOAL, (GrEnd){GR_END_GOAL, count, {0}});
    } else {
        gr_mission_end(mission, GR_OUTCOME_FINISHED,
                       (GrEnd){GR_END_PATH, count, {goal->off, mission->control.def.tolerance}});
    }
}

void gr_mission_judge(GrMission *mission, double dt)
{
    judge_motion(mission);
    judge_attitude(mission);
    judge_wheels(mission);
    judge_belly(mission, dt);
    judge_progress(mission);
    judge_path(mission);
    if (gr_data_time(mission->d) >= mission->def.duration) {
        gr_mission_end(mission, GR_OUTCOME_FINISHED, (GrEnd){GR_END_TIME, 0, {mission->def.duration}});
    }
}

// ---- steps

/// A step whose estimated error is larger than this many tolerances is repeated with a shorter one.
static const double REPEAT_ERROR = 4;
/// A step shorter than this fraction of the usual one is avoided at the end of an interval.
static const double SLIVER_SHARE = 1e-6;

GrMissionDef gr_default_mission_def(void)
{
    return (GrMissionDef){
        .cookie = GR_COOKIE,
        .duration = 60,
        .control = gr_default_control_def(),
        .control_period = 0.1,
        .pace = GR_PACE_HUB,
        .step = 0.005,
        .step_min = 0.0001,
        .step_max = 0.025,
        .step_hard = 0.005,
        .step_push = 0.002,
        .hub_travel = 0.0025,
        .landing_travel = 5e-5,
        .contact_part = 0.25,
        .tolerance = 1e-5,
        .tip_angle = 60 * GR_DEGREE,
        .stuck_time = 30,
        .stuck_share = 0.02,
        .overload = INFINITY,
        .belly_share = 0.2,
        .belly_time = 2,
        .sun = gr_default_sun_def(),
        .supply = gr_default_supply_def(),
        .stop_at_goal = true,
    };
}

GrStatus gr_mission_check(const GrMissionDef *def, GrErrorLog *log)
{
    const struct {
        const char *field;
        double value, lower, upper;
    } ranges[] = {
        {"duration", def->duration, 1e-6, 1e9},   {"control_period", def->control_period, 0, 1e3},
        {"step", def->step, 1e-6, 0.1},           {"step_min", def->step_min, 1e-7, 0.1},
        {"step_max", def->step_max, 1e-6, 0.1},   {"step_hard", def->step_hard, 1e-6, 0.1},
        {"step_push", def->step_push, 1e-6, 0.1}, {"landing_travel", def->landing_travel, 1e-7, 0.1},
        {"hub_travel", def->hub_travel, 1e-7, 1}, {"tolerance", def->tolerance, 1e-12, 1},
        {"tip_angle", def->tip_angle, 0, 4},      {"stuck_time", def->stuck_time, 0, INFINITY},
        {"stuck_share", def->stuck_share, 0, 1},  {"pull", def->pull, -1e9, 1e9},
        {"overload", def->overload, 0, INFINITY}, {"belly_share", def->belly_share, 0, INFINITY},
        {"belly_time", def->belly_time, 0, 1e9},  {"contact_part", def->contact_part, 1e-3, 1e3},
    };
    GrStatus status = GR_OK;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (!(ranges[i].value >= ranges[i].lower && ranges[i].value <= ranges[i].upper)) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = ranges[i].field},
                                  "found %g, allowed: %g to %g", ranges[i].value, ranges[i].lower, ranges[i].upper);
        }
    }
    if (status == GR_OK && def->step_min > def->step_max) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "step_min"}, "found %g, above step_max %g",
                              def->step_min, def->step_max);
    }
    return status;
}

/// Whether control drives the rover. A single wheel, or a rover whose wheels all turn freely, only moves passively.
static bool is_driven(const GrModel *m)
{
    bool driven = false;
    for (int i = 0; i < m->joint_count; i++) {
        const GrJoint *joint = &m->tree.joints[m->joint_body[i]];
        driven = driven || (m->joint_roles[i] == GR_ROLE_DRIVE && joint->motor.kind != GR_MOTOR_NONE);
    }
    return driven && m->wheel_count > 1;
}

/// Largest distance of a wheel from the chassis' origin, seen from above, at the initial pose.
static double find_reach(const GrModel *m, GrData *d)
{
    double reach = 0;
    gr_tree_kinematics(&m->tree, &d->tree);
    for (int i = 0; i < m->wheel_count; i++) {
        const GrVec3 centre = gr_wheel_centre(m, d, i);
        reach = fmax(reach, gr_hypot(centre.x, centre.y));
    }
    return reach;
}

static GrMission *make_mission(const GrModel *m, GrTerrain *terrain, const GrMissionDef *def, GrErrorLog *log)
{
    GrDriveGeometry geometry;
    if (gr_cookie_check(def->cookie, "mission: start from gr_default_mission_def()", log) != GR_OK) {
        return NULL;
    }
    if (m->wheel_count == 0) {
        gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "rover"},
                     "%s has no wheels; a rover that stands or drives needs at least one, under wheels",
                     gr_model_name(m));
        return NULL;
    }
    GrMission *mission = gr_calloc(1, sizeof *mission);
    if (mission == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    const bool driven = !def->uncontrolled && is_driven(m);
    if (gr_mission_check(def, log) != GR_OK ||
        (driven && (gr_drive_geometry(m, &geometry, log) != GR_OK ||
                    gr_control_prepare(&geometry, &def->control, &mission->control, log) != GR_OK))) {
        gr_free(mission);
        return NULL;
    }
    mission->m = m;
    mission->terrain = terrain;
    mission->def = *def;
    mission->driven = driven;
    gr_data_create(m, &mission->d, NULL);
    if (def->pace == GR_PACE_ERROR) {
        gr_data_create(m, &mission->kept, NULL);
    }
    mission->drive = gr_calloc((size_t)m->wheel_count + 1, sizeof *mission->drive);
    mission->wheels = gr_calloc((size_t)m->wheel_count + 1, sizeof *mission->wheels);
    mission->arrivals = gr_calloc((size_t)gr_mission_way_point_count(mission) + 1, sizeof *mission->arrivals);
    mission->seen_memory = gr_calloc(1, gr_tree_data_size(&m->tree));
    if (mission->d == NULL || mission->seen_memory == NULL || mission->drive == NULL || mission->wheels == NULL ||
        mission->arrivals == NULL || (def->pace == GR_PACE_ERROR && mission->kept == NULL)) {
        gr_out_of_memory(log, NULL);
        gr_mission_free(mission);
        return NULL;
    }
    gr_tree_data_init(&m->tree, &mission->seen, mission->seen_memory);
    if (terrain != NULL && gr_data_place_ruts(mission->d, gr_terrain_georeference(terrain)) != GR_OK) {
        gr_out_of_memory(log, NULL);
        gr_mission_free(mission);
        return NULL;
    }
    if (gr_mission_prepare_moves(mission, log) != GR_OK || gr_mission_supply_open(mission, log) != GR_OK) {
        gr_mission_free(mission);
        return NULL;
    }
    gr_mission_reset_arrivals(mission);
    mission->reach = find_reach(m, mission->d);
    const double gravity = gr_norm(m->tree.gravity);
    mission->up = gravity > 0 ? gr_scale(-1 / gravity, m->tree.gravity) : gr_vec3(0, 0, 1);
    for (int b = 0; b < m->tree.body_count; b++) {
        mission->weight += gravity * m->tree.bodies[b].mass;
    }
    return mission;
}

GrStatus gr_mission_create(const GrModel *m, GrTerrain *terrain, const GrMissionDef *def, GrMission **out,
                           GrErrorLog *log)
{
    *out = make_mission(m, terrain, def, log);
    return *out != NULL ? GR_OK : gr_messages_last_error(log, GR_ERROR_MODEL);
}

void gr_mission_free(GrMission *mission)
{
    if (mission != NULL) {
        gr_data_free(mission->d);
        gr_data_free(mission->kept);
        gr_ruts_free(mission->given);
        gr_outlook_close(mission->outlook);
        gr_free(mission->drive);
        gr_free(mission->wheels);
        gr_free(mission->arrivals);
        gr_free(mission->moves);
        gr_free(mission->seen_memory);
        gr_free(mission);
    }
}

GrData *gr_mission_data(GrMission *mission)
{
    return mission->d;
}

const GrModel *gr_mission_model(const GrMission *mission)
{
    return mission->m;
}

GrControlState *gr_mission_control(GrMission *mission)
{
    return &mission->s.control;
}

int gr_mission_rock_count(const GrMission *mission)
{
    return gr_model_loose_count(mission->m);
}

/// Loads the tiles and rocks around the rover when it comes near the edge of the loaded ones.
static bool prefetch(GrMission *mission)
{
    const GrVec3 at = gr_base_position(&mission->d->tree);
    const GrVec3 *middle = &mission->s.prefetched;
    const double far = fmax(fabs(at.x - mission->stones_at[0]), fabs(at.y - mission->stones_at[1]));
    const bool rocks = far >= GR_ROCKS_EVERY && gr_stones_reach(mission->m) > 0;
    const bool ground = fmax(fabs(at.x - middle->x), fabs(at.y - middle->y)) >= mission->reach + 1;
    if (!rocks && !ground) {
        return true;
    }
    GrErrorLog log = {.quiet = true};
    if (gr_mission_load_around(mission, at.x, at.y, &log) != GR_OK) {
        gr_mission_end(mission, GR_OUTCOME_FAILED, (GrEnd){.reason = GR_END_NOT_LOADED});
        const size_t length = strlen(mission->s.cause);
        gr_print(mission->s.cause + length, sizeof mission->s.cause - length, ": %s",
                 log.count > 0 ? log.items[0].text : "unknown");
        return false;
    }
    mission->s.prefetched = at;
    return true;
}

/// Motor commands are ramps over a control cycle, as in drives with a trajectory generator. With stepwise commands the
/// steering motors would accelerate and brake within milliseconds in every cycle of a turn: work that no long step
/// resolves and no rover does.
static void begin_ramp(GrMission *mission, const GrControlOutput *out)
{
    GrRamp *ramp = &mission->s.ramp;
    ramp->count = out->count;
    ramp->begin = gr_data_time(mission->d);
    ramp->duration = mission->def.control_period;
    for (int i = 0; i < out->count; i++) {
        ramp->joint[i] = out->joint[i];
        ramp->from[i] = mission->d->tree.command[mission->m->joint_body[out->joint[i]]];
        ramp->to[i] = out->command[i];
    }
}

/// Motor commands for a step of dt: the ramp at its end, where an implicit step evaluates its forces, or at its middle,
/// the mean, for integrators of higher order. Joints that a mission moves by time ignore control.
static void command_motors(GrMission *mission, double dt)
{
    const GrRamp *ramp = &mission->s.ramp;
    const double ahead = mission->m->integrator->order > 1 ? 0.5 * dt : dt;
    const double gone = gr_data_time(mission->d) + ahead - ramp->begin;
    const double part = gone < ramp->duration ? gone / ramp->duration : 1;
    for (int i = 0; i < ramp->count; i++) {
        const double command = part < 1 ? ramp->from[i] + part * (ramp->to[i] - ramp->from[i]) : ramp->to[i];
        gr_data_set_command(mission->m, mission->d, ramp->joint[i], command);
    }
    gr_mission_move_joints(mission);
}

static void control(GrMission *mission)
{
    GrMissionState *s = &mission->s;
    const double now = gr_data_time(mission->d);
    if (!mission->driven || now < s->control_due - SLIVER_SHARE * mission->def.step_max) {
        return;
    }
    GrControlOutput out;
    gr_drive_decide(mission->m, mission->d, &mission->control, &s->control, &out);
    begin_ramp(mission, &out);
    s->command = out.request;
    s->control_due = now + mission->def.control_period;
    gr_mission_note_arrivals(mission);
    for (int bit = 0; bit < GR_DRIVE_FLAG_COUNT; bit++) {
        if (s->control.flags & (1u << bit)) {
            gr_mission_warn(mission, GR_WARN_DRIVE + bit);
        }
    }
}

/// A step whose error is too large is undone and repeated with a shorter dt.
static GrStatus controlled_step(GrMission *mission, double *dt)
{
    GrMissionState *s = &mission->s;
    if (gr_data_mark(mission->m, mission->kept, mission->d) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    for (;;) {
        command_motors(mission, *dt);
        const GrStatus status = gr_step_by(mission->m, mission->d, *dt);
        if (status != GR_OK && *dt <= mission->def.step_min) {
            return status;
        }
        const double error = status == GR_OK ? gr_pace_error(mission->m, mission->d, *dt) : (double)INFINITY;
        const bool good = error <= REPEAT_ERROR * mission->def.tolerance;
        s->pace_step = gr_pace_adapt(&mission->def, error, *dt);
        if (good || *dt <= mission->def.step_min) {
            if (!good) {
                gr_mission_warn(mission, GR_WARN_STEP);
            }
            return GR_OK;
        }
        if (gr_data_return(mission->m, mission->d, mission->kept) != GR_OK) {
            return GR_ERROR_MEMORY;
        }
        *dt = fmin(s->pace_step, 0.5 * *dt);
    }
}

/// Divides the rest of an interval into equal steps no longer than dt: soil forces do not become steady when the length
/// of the step keeps changing.
static double equal_part(double left, double dt)
{
    const double parts = ceil(left / dt - SLIVER_SHARE);
    if (parts <= 1) {
        return left;
    }
    return fabs(left - parts * dt) < SLIVER_SHARE * dt ? dt : left / parts;
}

/// A step that fails ends the run with the name of its error.
static void end_by_status(GrMission *mission, GrStatus status, double dt)
{
    const GrData *d = mission->d;
    const double step = (double)mission->s.steps;
    if (status == GR_ERROR_MEMORY && d->rigid != NULL && d->rigid_status == GR_ERROR_MEMORY) {
        gr_mission_end(mission, GR_OUTCOME_FAILED, (GrEnd){GR_END_CONTACTS, 0, {step}});
    } else {
        gr_mission_end(mission, status == GR_ERROR_NUMERIC ? GR_OUTCOME_DIVERGED : GR_OUTCOME_FAILED,
                       (GrEnd){GR_END_STEP, (int)status, {dt, step}});
    }
}

GrOutcome gr_mission_step(GrMission *mission, double until)
{
    GrMissionState *s = &mission->s;
    if (s->outcome != GR_OUTCOME_RUNNING || !prefetch(mission)) {
        return s->outcome;
    }
    if (s->steps == 0) { // the first choice of the step needs contacts, whether a sample has been taken or not
        gr_forward(mission->m, mission->d);
    }
    control(mission);
    const double left = fmin(until, mission->def.duration) - gr_data_time(mission->d);
    const bool pushes = mission->d->rigid != NULL && gr_rigid_pushes(mission->m->rigid.world, mission->d->rigid);
    double dt = gr_pace_choose(&mission->def, mission->m, mission->d, s->last_step, s->pace_step, &s->lookout);
    dt = equal_part(left, dt);
    if (dt > 0) {
        command_motors(mission, dt);
        const GrStatus status =
            mission->def.pace == GR_PACE_ERROR ? controlled_step(mission, &dt) : gr_step_by(mission->m, mission->d, dt);
        s->steps++;
        if (status != GR_OK) {
            end_by_status(mission, status, dt);
            return s->outcome;
        }
        if (pushes) {
            gr_mission_warn(mission, GR_WARN_LOOSE);
        }
        if (pushes && dt > 1.01 * GR_LONGEST_PUSH) {
            gr_mission_warn(mission, GR_WARN_PUSH);
        }
        s->last_step = dt;
        s->step_min = s->step_min > 0 ? fmin(s->step_min, dt) : dt;
        s->step_max = fmax(s->step_max, dt);
        gr_account_step(mission->m, mission->d, dt, &s->account, mission->drive);
        gr_mission_book_pull(mission, dt);
        gr_mission_supply_step(mission, dt);
        gr_mission_tally(mission, dt);
        gr_mission_note_arrivals(mission);
    }
    gr_mission_judge(mission, fmax(dt, 0));
    return s->outcome;
}

bool gr_mission_goes_on(const GrMission *mission, double until)
{
    return mission->s.outcome == GR_OUTCOME_RUNNING && gr_data_time(mission->d) < fmin(until, mission->def.duration);
}

GrOutcome gr_mission_advance(GrMission *mission, double until)
{
    while (gr_mission_goes_on(mission, until)) {
        gr_mission_step(mission, fmin(until, mission->def.duration));
    }
    return mission->s.outcome;
}

static size_t wheels_size(const GrMission *mission)
{
    return sizeof *mission->wheels * (size_t)mission->m->wheel_count;
}

static size_t arrivals_size(const GrMission *mission)
{
    return sizeof *mission->arrivals * (size_t)gr_mission_way_point_count(mission);
}

static size_t drive_size(const GrMission *mission)
{
    return sizeof *mission->drive * (size_t)mission->m->wheel_count;
}

/// Header of a saved mission; its own state (state, wheels, way-points, work of the drives) and its data follow.
typedef struct SavedHeader {
    char magic[8];
    uint64_t size; ///< of the own state in bytes
    uint64_t sum;  ///< its checksum
} SavedHeader;

static const char MAGIC[8] = "GrMiss3";

/// Size in bytes of a mission's own state, besides its data.
static size_t own_size(const GrMission *mission)
{
    return sizeof mission->s + wheels_size(mission) + arrivals_size(mission) + drive_size(mission);
}

size_t gr_mission_size(const GrMission *mission)
{
    return sizeof(SavedHeader) + own_size(mission) + gr_data_size(mission->m, mission->d);
}

GrStatus gr_mission_save(const GrMission *mission, void *out)
{
    SavedHeader header = {.size = own_size(mission)};
    unsigned char *to = (unsigned char *)out + sizeof header;
    memcpy(to, &mission->s, sizeof mission->s);
    memcpy(to + sizeof mission->s, mission->wheels, wheels_size(mission));
    memcpy(to + sizeof mission->s + wheels_size(mission), mission->arrivals, arrivals_size(mission));
    memcpy(to + own_size(mission) - drive_size(mission), mission->drive, drive_size(mission));
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    header.sum = gr_checksum(0, to, own_size(mission));
    memcpy(out, &header, sizeof header);
    return gr_data_save(mission->m, mission->d, to + own_size(mission));
}

/// Checks everything but the data; `*from` is then the own state.
static GrStatus check_saved(const GrMission *mission, const void *saved, size_t size, const unsigned char **from,
                            GrErrorLog *log)
{
    SavedHeader header;
    const size_t own = own_size(mission);
    if (size < sizeof header + own) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                            "the saved mission has %zu bytes, one of this model has more than %zu", size,
                            sizeof header + own);
    }
    memcpy(&header, saved, sizeof header);
    *from = (const unsigned char *)saved + sizeof header;
    if (memcmp(header.magic, MAGIC, sizeof MAGIC) != 0) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "not a saved mission of this version");
    }
    if (header.size != own) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "the saved mission belongs to another model or path");
    }
    return gr_checksum(0, *from, own) == header.sum
               ? GR_OK
               : gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0},
                              "the saved mission is damaged: its checksum is wrong");
}

GrStatus gr_mission_restore(GrMission *mission, const void *saved, size_t size, GrErrorLog *log)
{
    const unsigned char *from = saved;
    const size_t own = own_size(mission);
    GrStatus status = check_saved(mission, saved, size, &from, log);
    if (status == GR_OK) {
        status = gr_data_restore(mission->m, mission->d, from + own, size - sizeof(SavedHeader) - own, log);
    }
    if (status == GR_OK) {
        memcpy(&mission->s, from, sizeof mission->s);
        memcpy(mission->wheels, from + sizeof mission->s, wheels_size(mission));
        memcpy(mission->arrivals, from + sizeof mission->s + wheels_size(mission), arrivals_size(mission));
        memcpy(mission->drive, from + own - drive_size(mission), drive_size(mission));
        mission->s.prefetched = gr_vec3((double)INFINITY, (double)INFINITY, 0); // tiles are not part of the state
    }
    return status;
}
