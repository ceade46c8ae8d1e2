/// True arrival of the rover at its way-points, apart from what it believes.
#include "elementary.h"
#include "mission_data.h"

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
