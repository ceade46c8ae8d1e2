/// How a mission ends.
#include "mission.h"

static const double FASTEST = 100; // [m/s] no rover drives that fast
static const double SPUN = 0.25;   // [m] wheels must have rolled this far before a rover can be stuck

static void judge_attitude(GrMission *mission)
{
    const GrVec3 z = gr_quat_rotate(gr_base_rotation(&mission->d->tree), gr_vec3(0, 0, 1));
    const double angle = acos(fmax(-1, fmin(1, gr_dot(z, mission->up)))), degree = acos(-1) / 180;
    if (angle > mission->def.tip_angle) {
        gr_mission_end(mission, GR_OUTCOME_TIPPED, "the chassis leans by %.1f deg, beyond %.1f deg", angle / degree,
                       mission->def.tip_angle / degree);
    }
}

static void judge_wheels(GrMission *mission)
{
    const GrModel *m = mission->m;
    for (int i = 0; i < m->wheel_count; i++) {
        const double load = gr_dot(gr_wheel_force(mission, i), mission->up);
        if (m->soil_wheels != NULL && !mission->d->contact[i].on_map) {
            gr_mission_end(mission, GR_OUTCOME_LEFT_MAP, "wheel %s has no ground under it", m->wheel_names[i]);
        } else if (load > mission->def.overload) {
            gr_mission_end(mission, GR_OUTCOME_OVERLOAD, "wheel %s carries %.4g N, more than %.4g N", m->wheel_names[i],
                           load, mission->def.overload);
        }
    }
}

static void judge_belly(GrMission *mission)
{
    const GrVec3 force = gr_belly_force(mission);
    const double share = mission->weight > 0 ? gr_dot(force, mission->up) / mission->weight : 0;
    if (gr_norm(force) > 0) {
        gr_mission_warn(mission, GR_WARN_BELLY);
    }
    if (share > mission->def.belly_share) {
        gr_mission_end(mission, GR_OUTCOME_BELLY, "ground or rocks carry %.0f %% of the weight under the chassis",
                       100 * share);
    }
}

static void judge_progress(GrMission *mission)
{
    GrMissionState *s = &mission->s;
    const double now = gr_data_time(mission->d);
    if (now - s->mark_time < mission->def.stuck_time) {
        return;
    }
    const double rolled = s->rolled - s->mark_rolled;
    const double moved = s->travelled - s->mark_travelled;
    if (rolled > SPUN && moved < mission->def.stuck_share * rolled) {
        gr_mission_end(mission, GR_OUTCOME_STUCK, "the wheels went %.3g m ahead in %.3g s, while they rolled %.3g m",
                       moved, now - s->mark_time, rolled);
    }
    s->mark_time = now;
    s->mark_travelled = s->travelled;
    s->mark_rolled = s->rolled;
}

static void judge_motion(GrMission *mission)
{
    GrVec3 linear, angular;
    gr_data_base_velocity(mission->d, &linear, &angular);
    if (!(gr_norm(linear) < FASTEST)) {
        gr_mission_end(mission, GR_OUTCOME_DIVERGED, "the chassis moves at %.3g m/s", gr_norm(linear));
    }
}

void gr_mission_judge(GrMission *mission)
{
    const GrMissionState *s = &mission->s;
    judge_motion(mission);
    judge_attitude(mission);
    judge_wheels(mission);
    judge_belly(mission);
    judge_progress(mission);
    if (mission->def.stop_at_goal && s->control.finished) {
        gr_mission_end(mission, GR_OUTCOME_GOAL, "way-point %d of %d reached", s->control.way_point,
                       mission->control.def.path_count);
    }
    if (gr_data_time(mission->d) >= mission->def.duration) {
        gr_mission_end(mission, GR_OUTCOME_FINISHED, "%g s are over", mission->def.duration);
    }
}
