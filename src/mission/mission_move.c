/// Joints that a mission moves by time: legs that unfold, a mast that is raised.
///
/// A servo's target is a function of time alone, so no state has to be saved and steps may have any length: constant
/// until a move begins, then linear to its position within its duration, then constant again. It is set after control
/// and so overrides it for these joints.
#include "mission_data.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <string.h>

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
