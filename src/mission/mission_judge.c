/// Conditions that end a mission, and its outcome.
#include "elementary.h"
#include "mission_data.h"

static const double SPEED_LIMIT = 100; // [m/s] faster than any rover: the simulation has diverged
/// Wheels must have rolled this far, or have been commanded to, before a rover can be stuck [m].
static const double LEAST_ROLLED = 0.25;

static void judge_attitude(GrMission *mission)
{
    const GrVec3 z = gr_quat_rotate(gr_base_rotation(&mission->d->tree), gr_vec3(0, 0, 1));
    const double angle = gr_acos(fmax(-1, fmin(1, gr_dot(z, mission->up))));
    if (angle > mission->def.tip_angle) {
        gr_mission_end(mission, GR_OUTCOME_TIPPED, "the chassis leans by %.1f deg, beyond %.1f deg", angle / GR_DEGREE,
                       mission->def.tip_angle / GR_DEGREE);
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
    return surface->height(surface->context, at.x, at.y, &height, &normal);
}

static void judge_wheels(GrMission *mission)
{
    const GrModel *m = mission->m;
    for (int i = 0; i < m->wheel_count; i++) {
        const double load = gr_dot(gr_wheel_force(mission, i), mission->up);
        if (!is_on_map(mission, i)) {
            gr_mission_end(mission, GR_OUTCOME_LEFT_MAP, "wheel %s has no ground under it", m->wheel_names[i]);
        } else if (load > mission->def.overload) {
            gr_mission_end(mission, GR_OUTCOME_OVERLOAD, "wheel %s carries %.4g N, more than %.4g N", m->wheel_names[i],
                           load, mission->def.overload);
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
        gr_mission_end(mission, GR_OUTCOME_BELLY,
                       "ground or rocks carry %.0f %% of the weight under the chassis, mean over %.3g s", 100 * *share,
                       mission->def.belly_time);
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
        gr_mission_end(mission, GR_OUTCOME_STUCK, "the wheels advanced %.3g m in %.3g s while rolling %.3g m", moved,
                       now - s->mark_time, rolled);
    } else if (commanded > LEAST_ROLLED && fmax(moved, rolled) < mission->def.stuck_share * commanded) {
        gr_mission_end(mission, GR_OUTCOME_STUCK,
                       "the motors turned the wheels by %.3g m in %.3g s, and not by the commanded %.3g m", rolled,
                       now - s->mark_time, commanded);
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
        gr_mission_end(mission, GR_OUTCOME_DIVERGED, "the chassis moves at %.3g m/s", gr_norm(linear));
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
        gr_mission_end(mission, GR_OUTCOME_GOAL, "way-point %d of %d reached", count, count);
    } else {
        gr_mission_end(mission, GR_OUTCOME_FINISHED,
                       "the path ended %.3g m from way-point %d of %d; its tolerance is %.3g m", goal->off, count,
                       count, mission->control.def.tolerance);
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
        gr_mission_end(mission, GR_OUTCOME_FINISHED, "the time of %g s is up", mission->def.duration);
    }
}
