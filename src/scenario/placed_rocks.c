/// Rocks of a scenario at given positions, not random ones: from a file, and on the tracks of the wheels.
///
///     path   ----------o---------------o------>      every `spacing` along the legs, under the wheels of one side or
///     left   ..........O...............O.......      of both: the worst case for a suspension
///     right  ..........O...............O.......
#include "placed_rocks.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "rover_pose.h"
#include "statistics.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

/// Appends a rock; false when out of memory.
static bool add_rock(GrRockField *field, const GrRock *rock)
{
    GrRock *more = gr_realloc(field->rocks, ((size_t)field->count + 1) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    field->rocks = more;
    field->rocks[field->count++] = *rock;
    return true;
}

/// Positions of the wheel tracks: mean distance of left and right wheels from the middle of the chassis, and half the
/// length of the rover between its wheels [m].
static GrStatus find_tracks(const GrRoverDef *rover, double *left, double *right, double *half, GrErrorLog *log)
{
    double *positions = gr_calloc((size_t)rover->joint_count + 1, sizeof *positions);
    GrPose *poses = gr_calloc((size_t)rover->body_count + 1, sizeof *poses);
    GrStatus status = positions != NULL && poses != NULL ? gr_rover_initial_positions(rover, positions, log)
                                                         : gr_out_of_memory(log, NULL);
    if (status == GR_OK) {
        status = gr_rover_body_poses(rover, positions, poses, log);
    }
    double sums[2] = {0, 0}, lowest = INFINITY, highest = -INFINITY;
    int counts[2] = {0, 0};
    for (int i = 0; poses != NULL && i < rover->wheel_count && status == GR_OK; i++) {
        const GrWheelDef *w = &rover->wheels[i];
        const GrVec3 at = gr_pose_mul(poses[w->body], w->pose).position;
        sums[at.y < 0] += at.y;
        counts[at.y < 0]++;
        lowest = fmin(lowest, at.x);
        highest = fmax(highest, at.x);
    }
    *left = counts[0] > 0 ? sums[0] / counts[0] : 0;
    *right = counts[1] > 0 ? sums[1] / counts[1] : 0;
    *half = 0.5 * fmax(0, highest - lowest);
    gr_free(positions);
    gr_free(poses);
    return status;
}

/// Rocks on one leg of the path; `before`: length of the path before it [m].
static bool lay_leg(const GrTrackRocks *plan, const double *offsets, double half, GrWayPoint from, GrWayPoint to,
                    double before, double ratio, GrRockField *field)
{
    const double length = gr_hypot(to.x - from.x, to.y - from.y), ux = (to.x - from.x) / length,
                 uy = (to.y - from.y) / length;
    const long first = lround(ceil(fmax(before, plan->from) / plan->spacing));
    for (long number = first; (double)number * plan->spacing <= before + length - half; number++) {
        const double s = (double)number * plan->spacing - before;
        if (s < half && before > 0) {
            continue; // the rover cuts corners, so near them its wheels are not on the tracks
        }
        for (int side = 0; side < 2; side++) {
            const bool wanted = plan->side == GR_TRACK_BOTH || (plan->side == GR_TRACK_LEFT && side == 0) ||
                                (plan->side == GR_TRACK_RIGHT && side == 1) ||
                                (plan->side == GR_TRACK_ALTERNATE && number % 2 == side);
            const GrRock rock = {.x = from.x + s * ux - offsets[side] * uy,
                                 .y = from.y + s * uy + offsets[side] * ux,
                                 .diameter = plan->diameter,
                                 .height = ratio * plan->diameter};
            if (wanted && !add_rock(field, &rock)) {
                return false;
            }
        }
    }
    return true;
}

static GrStatus lay_tracks(const GrScenario *s, GrRockField *field, GrErrorLog *log)
{
    const GrTrackRocks *plan = &s->terrain.track_rocks;
    double offsets[2], half;
    GrStatus status = find_tracks(&s->rover, &offsets[0], &offsets[1], &half, log);
    GrWayPoint from = {.x = s->start.x, .y = s->start.y};
    double before = 0;
    for (int i = 0; i < s->mission.control.path_count && status == GR_OK; i++) {
        const GrWayPoint to = s->path[i];
        const double length = gr_hypot(to.x - from.x, to.y - from.y);
        if (length > 0 && !lay_leg(plan, offsets, half, from, to, before, s->terrain.rocks.height_ratio, field)) {
            status = gr_out_of_memory(log, NULL);
        }
        before += length;
        from = to;
    }
    return status;
}

/// Sorts rocks that can move to the front.
static bool sort_loose(double loose_below, GrRockField *field)
{
    GrRock *sorted = gr_calloc((size_t)field->count + 1, sizeof *sorted);
    int count = 0;
    for (int pass = 0; sorted != NULL && pass < 2; pass++) {
        for (int i = 0; i < field->count; i++) {
            if ((field->rocks[i].diameter < loose_below) == (pass == 0)) {
                sorted[count++] = field->rocks[i];
            }
        }
    }
    if (sorted != NULL) {
        gr_free(field->rocks);
        field->rocks = sorted;
    }
    return sorted != NULL;
}

/// Keeps the rocks nearest to the start, in their order.
static bool keep_nearest(const GrScenario *s, GrRockField *field)
{
    const int count = field->count, most = s->terrain.rocks_most;
    const bool loose = count > 0 && field->rocks[0].diameter < s->terrain.loose_below;
    if (most <= 0 || count <= most || !loose) {
        return true;
    }
    double *sorted = gr_calloc((size_t)count, sizeof *sorted);
    for (int i = 0; sorted != NULL && i < count; i++) {
        sorted[i] = gr_hypot(field->rocks[i].x - s->start.x, field->rocks[i].y - s->start.y);
    }
    if (sorted == NULL) {
        return false;
    }
    gr_sort(sorted, count);
    const double farthest = sorted[most - 1];
    gr_free(sorted);
    field->count = 0;
    for (int i = 0; i < count; i++) {
        const GrRock rock = field->rocks[i];
        if (gr_hypot(rock.x - s->start.x, rock.y - s->start.y) <= farthest) {
            field->rocks[field->count++] = rock;
        }
    }
    field->left_out = count - field->count;
    return true;
}

GrStatus gr_place_rocks(const GrScenario *s, GrRockField *field, GrErrorLog *log)
{
    const GrTerrainPlan *plan = &s->terrain;
    GrStatus status = GR_OK;
    if (plan->rock_file[0] != '\0') {
        GrRockField read;
        status = gr_rock_field_load(plan->rock_file, plan->rocks.height_ratio, &read, log);
        for (int i = 0; status == GR_OK && i < read.count; i++) {
            if (!add_rock(field, &read.rocks[i])) {
                status = gr_out_of_memory(log, NULL);
            }
        }
        gr_rock_field_free(&read);
    }
    if (status == GR_OK && plan->track_rocks.spacing > 0) {
        status = lay_tracks(s, field, log);
    }
    if (status == GR_OK && !(sort_loose(plan->loose_below, field) && keep_nearest(s, field))) {
        status = gr_out_of_memory(log, NULL);
    }
    return status;
}
