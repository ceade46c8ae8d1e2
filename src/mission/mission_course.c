/// What the stages of a run share: its end, warnings, the ground ahead, the load behind, joints that move by
/// time, arrival at way-points, and contacts between the rover's own bodies. It calls none of them.
#include "mission_data.h"

#include "alloc.h"
#include "elementary.h"
#include "number.h"
#include "out_of_memory.h"
#include "self_contact.h"
#include "stones.h"
#include "text.h"

#include <string.h>

// ---- outcome and warnings

void gr_mission_end(GrMission *mission, GrOutcome outcome, GrEnd end)
{
    if (mission->s.outcome == GR_OUTCOME_RUNNING) {
        mission->s.outcome = outcome;
        mission->s.outcome_time = gr_data_time(mission->d);
        mission->s.end = end;
        gr_mission_explain(mission);
    }
}

/// Of a step that failed.
static void explain_step(GrMission *mission)
{
    char *cause = mission->s.cause;
    const size_t size = sizeof mission->s.cause;
    const GrEnd *end = &mission->s.end;
    if (end->reason == GR_END_CONTACTS) {
        const GrRigidRoom room = gr_rigid_room(mission->m->rigid.world);
        gr_print(cause, size,
                 "step %.0f: too many rigid contacts at the same time (limits: %d points, %d pairs, %d loose rocks in "
                 "one heap)",
                 end->values[0], room.contacts, room.pairs, room.island);
    } else if (end->part == GR_ERROR_NUMERIC) {
        gr_print(cause, size, "step %.0f of %g s has no finite solution", end->values[1], end->values[0]);
    } else {
        gr_print(cause, size, "step %.0f of %g s: %s", end->values[1], end->values[0],
                 gr_status_text((GrStatus)end->part));
    }
}

/// Of a drive that went wrong.
static void explain_drive(GrMission *mission)
{
    char *cause = mission->s.cause;
    const size_t size = sizeof mission->s.cause;
    const GrEnd *end = &mission->s.end;
    const double *v = end->values;
    switch (end->reason) {
    case GR_END_LEANS:
        gr_print(cause, size, "the chassis leans by %.1f deg, beyond %.1f deg", v[0] / GR_DEGREE, v[1] / GR_DEGREE);
        break;
    case GR_END_NO_GROUND:
        gr_print(cause, size, "wheel %s has no ground under it", mission->m->wheel_names[end->part]);
        break;
    case GR_END_OVERLOAD:
        gr_print(cause, size, "wheel %s carries %.4g N, more than %.4g N", mission->m->wheel_names[end->part], v[0],
                 v[1]);
        break;
    case GR_END_BELLY:
        gr_print(cause, size, "ground or rocks carry %.0f %% of the weight under the chassis, mean over %.3g s",
                 100 * v[0], v[1]);
        break;
    case GR_END_SLIPS:
        gr_print(cause, size, "the wheels advanced %.3g m in %.3g s while rolling %.3g m", v[0], v[1], v[2]);
        break;
    case GR_END_HELD:
        gr_print(cause, size, "the motors turned the wheels by %.3g m in %.3g s, and not by the commanded %.3g m", v[0],
                 v[1], v[2]);
        break;
    default:
        gr_print(cause, size, "the chassis moves at %.3g m/s", v[0]);
        break;
    }
}

void gr_mission_explain(GrMission *mission)
{
    char *cause = mission->s.cause;
    const size_t size = sizeof mission->s.cause;
    const GrEnd *end = &mission->s.end;
    const double *v = end->values;
    switch (end->reason) {
    case GR_END_NONE:
        cause[0] = '\0';
        break;
    case GR_END_GOAL:
        gr_print(cause, size, "way-point %d of %d reached", end->part, end->part);
        break;
    case GR_END_PATH:
        gr_print(cause, size, "the path ended %.3g m from way-point %d of %d; its tolerance is %.3g m", v[0], end->part,
                 end->part, v[1]);
        break;
    case GR_END_TIME:
        gr_print(cause, size, "the time of %g s is up", v[0]);
        break;
    case GR_END_BATTERY:
        gr_print(cause, size, "the battery is down to %.3g of %.3g Wh", v[0] / 3600, v[1] / 3600);
        break;
    case GR_END_STEP:
    case GR_END_CONTACTS:
        explain_step(mission);
        break;
    case GR_END_NOT_LOADED:
        gr_text_copy(cause, size, "the ground and the rocks ahead could not be loaded");
        break;
    case GR_END_INTERRUPTED:
        gr_text_copy(cause, size, "stopped by the user");
        break;
    default:
        explain_drive(mission);
        break;
    }
}

void gr_mission_warn(GrMission *mission, int warning)
{
    if (mission->s.warning_count[warning]++ == 0) {
        mission->s.warning_first[warning] = gr_data_time(mission->d);
    }
}

GrWarning *gr_summary_add_warning(GrRunSummary *out, long count, double first)
{
    if (out->warning_count == GR_WARNINGS_MAX) {
        return NULL;
    }
    GrWarning *warning = &out->warnings[out->warning_count++];
    *warning = (GrWarning){.count = count, .first = first};
    return warning;
}

// ---- ground ahead

/// Size of the largest wheel about its centre.
static double wheel_reach(const GrModel *m)
{
    double reach = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        reach = fmax(reach, gr_hypot(m->wheels[i].radius + m->wheels[i].grouser_height, m->wheels[i].width / 2));
    }
    return reach;
}

/// Rocks are made a short way ahead, since each takes as long as twenty steps, and stand on ground that must be loaded.
GrStatus gr_mission_load_around(GrMission *mission, double x, double y, GrErrorLog *log)
{
    const double radius = mission->reach + wheel_reach(mission->m) + 2 * GR_ROCKS_EVERY;
    const double ahead = fmax(2 * mission->reach + 2, radius + gr_stones_reach(mission->m));
    const GrBox2 box = {x - ahead, y - ahead, x + ahead, y + ahead};
    const GrStatus status = mission->terrain != NULL ? gr_terrain_prefetch(mission->terrain, box, log) : GR_OK;
    if (status != GR_OK) {
        return status;
    }
    if (gr_stones_prefetch(mission->m, x, y, radius) != GR_OK) {
        return gr_out_of_memory(log, NULL);
    }
    mission->stones_at[0] = x;
    mission->stones_at[1] = y;
    return GR_OK;
}

// ---- load behind the rover

/// Horizontal direction in which the rover pulls.
static GrVec3 level_ahead(const GrMission *mission)
{
    const GrVec3 ahead = gr_quat_rotate(gr_base_rotation(&mission->d->tree), gr_vec3(1, 0, 0));
    return gr_normalize(gr_madd(ahead, -gr_dot(ahead, mission->up), mission->up));
}

void gr_mission_pull_force(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    const GrMission *mission = context;
    const GrVec3 force = gr_scale(-mission->def.pull, level_ahead(mission));
    gr_data_add_wrench(m, d, 0, gr_base_position(&d->tree), force, gr_vec3(0, 0, 0));
}

/// Work on the load, at the mean velocity of the step.
void gr_mission_book_pull(GrMission *mission, double dt)
{
    const double *u = mission->d->tree.velocity, *a = mission->d->tree.acceleration;
    const GrVec3 mean = {u[0] - 0.5 * dt * a[0], u[1] - 0.5 * dt * a[1], u[2] - 0.5 * dt * a[2]};
    mission->s.account.pull += dt * mission->def.pull * gr_dot(mean, level_ahead(mission));
}

// ---- joints that move by time
//
// Joints that a mission moves by time: legs that unfold, a mast that is raised.
//
// A servo's target is a function of time alone, so no state has to be saved and steps may have any length: constant
// until a move begins, then linear to its position within its duration, then constant again. It is set after control
// and so overrides it for these joints.

double gr_move_target(const GrMove *move, double time)
{
    const double share = move->duration > 0 ? fmin(1, (time - move->begin) / move->duration) : 1;
    return move->from + share * (move->to - move->from);
}

static GrStatus refuse(const GrJointMove *given, int index, const char *text, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "moves"}, "move %d, joint '%s': %s", index,
                        given->joint, text);
}

/// Target of the joint when a move begins: that of the move before, or the initial position.
static double position_before(const GrMission *mission, int index)
{
    const GrMove *move = &mission->moves[index];
    for (int i = index - 1; i >= 0; i--) {
        if (mission->moves[i].joint == move->joint) {
            return gr_move_target(&mission->moves[i], move->begin);
        }
    }
    return gr_data_joint_position(mission->m, mission->d, move->joint);
}

static GrStatus prepare(GrMission *mission, int index, GrErrorLog *log)
{
    const GrJointMove *given = &mission->def.moves[index];
    const int joint = gr_model_find_joint(mission->m, given->joint);
    if (joint < 0) {
        return refuse(given, index, "the rover has no movable joint of this name", log);
    }
    const GrJoint *j = &mission->m->tree.joints[mission->m->joint_body[joint]];
    if (j->motor.kind != GR_MOTOR_POSITION) {
        return refuse(given, index, "only a joint with a motor of kind position can be moved", log);
    }
    if (!isfinite(given->position)) {
        return refuse(given, index, "its position must be a finite number", log);
    }
    if (!(given->time >= 0 && given->duration >= 0) || (index > 0 && given->time < given[-1].time)) {
        return refuse(given, index, "times and durations must not be negative, and moves must be in order of time",
                      log);
    }
    if (given->position < j->lower || given->position > j->upper) {
        return refuse(given, index, "its position is beyond the joint's end stops", log);
    }
    GrMove *move = &mission->moves[index];
    *move = (GrMove){.joint = joint, .begin = given->time, .duration = given->duration, .to = given->position};
    move->from = position_before(mission, index);
    return GR_OK;
}

GrStatus gr_mission_prepare_moves(GrMission *mission, GrErrorLog *log)
{
    const int count = mission->def.move_count;
    mission->moves = gr_calloc((size_t)count + 1, sizeof *mission->moves);
    if (mission->moves == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = GR_OK;
    for (int i = 0; i < count && status == GR_OK; i++) {
        status = prepare(mission, i, log);
    }
    return status;
}

void gr_mission_move_joints(GrMission *mission)
{
    const double now = gr_data_time(mission->d);
    for (int i = 0; i < mission->def.move_count && mission->moves[i].begin <= now;
         i++) { // the move that began last wins
        gr_data_set_command(mission->m, mission->d, mission->moves[i].joint, gr_move_target(&mission->moves[i], now));
    }
}

// ---- arrivals

int gr_mission_way_point_count(const GrMission *mission)
{
    const GrControlDef *def = &mission->control.def;
    return mission->driven && def->source == GR_CONTROL_PATH ? def->path_count : 0;
}

void gr_mission_reset_arrivals(GrMission *mission)
{
    for (int k = 0; k < gr_mission_way_point_count(mission); k++) {
        mission->arrivals[k] = (GrArrival){.point = mission->control.def.path[k],
                                           .state = GR_ARRIVAL_NOT_REACHED,
                                           .time = (double)NAN,
                                           .off = (double)NAN,
                                           .distance = (double)NAN};
    }
}

/// The point of the chassis that follows the path, in the horizontal plane.
static GrVec3 follower_at(const GrMission *mission)
{
    const GrTreeData *tree = &mission->d->tree;
    const GrVec3 at = gr_base_position(tree), x = gr_quat_rotate(gr_base_rotation(tree), gr_vec3(1, 0, 0));
    const double length = gr_hypot(x.x, x.y), cosine = length > 0 ? x.x / length : 1,
                 sine = length > 0 ? x.y / length : 0;
    const double ahead = mission->control.centre_x, left = mission->control.centre_y;
    return gr_vec3(at.x + cosine * ahead - sine * left, at.y + sine * ahead + cosine * left, 0);
}

void gr_mission_note_arrivals(GrMission *mission)
{
    GrMissionState *s = &mission->s;
    const int count = gr_mission_way_point_count(mission), taken = s->control.way_point, before = s->way_points;
    if (count == 0 || !s->control.started) {
        return;
    }
    const GrVec3 at = follower_at(mission);
    for (int k = before > 0 ? before - 1 : 0; k <= taken && k < count; k++) {
        GrArrival *arrival = &mission->arrivals[k];
        arrival->off = fmin(arrival->off, gr_hypot(at.x - arrival->point.x, at.y - arrival->point.y)); // NAN at first
        if (k >= before && k < taken) {
            arrival->time = s->control.reached_time;
            arrival->distance = s->distance;
        }
        if (k < taken) {
            const bool near = arrival->off <= mission->control.def.tolerance;
            arrival->state = near ? GR_ARRIVAL_REACHED : GR_ARRIVAL_MISSED;
        }
    }
    s->way_points = taken;
}

// ---- contacts between the rover's own bodies

/// The entry of a pair; NULL: no room left.
static GrSelfTally *find(GrMissionState *s, const GrTreePair *pair, double time)
{
    for (int i = 0; i < s->self_count; i++) {
        if (s->self[i].a == pair->a && s->self[i].b == pair->b) {
            return &s->self[i];
        }
    }
    if (s->self_count == GR_SELF_CONTACTS_MAX) {
        return NULL;
    }
    s->self[s->self_count] = (GrSelfTally){.a = pair->a, .b = pair->b, .first = time};
    return &s->self[s->self_count++];
}

void gr_mission_tally_self(GrMission *mission, double dt)
{
    const GrTreeData *tree = &mission->d->tree;
    GrMissionState *s = &mission->s;
    for (int i = 0; i < tree->pair_count[0]; i++) {
        GrSelfTally *tally = find(s, &tree->pair[i], gr_data_time(mission->d));
        if (tally == NULL) {
            s->self_more++;
            continue;
        }
        tally->time += dt;
        tally->force_max = fmax(tally->force_max, gr_norm(tree->pair[i].wrench.force));
    }
}

void gr_mission_summarise_self(const GrMission *mission, GrRunSummary *out)
{
    out->self_contact_count = mission->s.self_count;
    out->self_contact_more = mission->s.self_more;
    for (int i = 0; i < mission->s.self_count; i++) {
        const GrSelfTally *tally = &mission->s.self[i];
        GrSelfContact *contact = &out->self_contacts[i];
        *contact = (GrSelfContact){.first = tally->first, .time = tally->time, .force_max = tally->force_max};
        gr_text_copy(contact->a, sizeof contact->a, gr_moving_body_name(mission->m, tally->a));
        gr_text_copy(contact->b, sizeof contact->b, gr_moving_body_name(mission->m, tally->b));
    }
}
