/// `start:`, `drive:`, `stop:` and `step:` of a scenario.
#include "scenario_parts.h"

#include "alloc.h"
#include "drive_file.h"
#include "file.h"
#include "joint_kind.h"

#include <string.h>

enum { JOINTS_NAMED = 64 }; // most joint names that a message can suggest

/// Defaults where the soil is a grid: travel of a hub in a step [m], and the longest step [s], which limits wheels that
/// steer on the spot.
static const double SCM_TRAVEL = 5e-4, SCM_STEP = 0.005;
bool gr_field_degrees(GrNode *mapping, const char *key, GrRange range, double *out)
{
    double degrees;
    const bool found = gr_field_number(mapping, key, GR_OPTIONAL, range, &degrees);
    *out = found ? GR_DEGREE * degrees : *out;
    return found;
}

void gr_read_start(GrNode *node, GrStart *start)
{
    gr_field_number(node, "x_m", GR_OPTIONAL, GR_PLACE, &start->x);
    gr_field_number(node, "y_m", GR_OPTIONAL, GR_PLACE, &start->y);
    gr_field_degrees(node, "heading_deg", GR_ANY, &start->heading);
    gr_field_number(node, "height_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &start->height);
    gr_field_vec3(node, "velocity_mps", GR_OPTIONAL, GR_ANY, &start->velocity);
    if (gr_field_vec3(node, "angular_velocity_dps", GR_OPTIONAL, GR_ANY, &start->angular_velocity)) {
        start->angular_velocity = (GrVec3){GR_DEGREE * start->angular_velocity.x, GR_DEGREE * start->angular_velocity.y,
                                           GR_DEGREE * start->angular_velocity.z};
    }
    gr_field_degrees(node, "roll_deg", GR_ANY, &start->roll);
    gr_field_degrees(node, "pitch_deg", GR_ANY, &start->pitch);
    const char *const dropped[] = {"velocity_mps", "angular_velocity_dps", "roll_deg", "pitch_deg"};
    for (int i = 0; i < 4; i++) {
        const GrNode *given = gr_node_find(node, dropped[i]);
        if (given != NULL && start->height == 0) {
            gr_node_error(given, GR_ERROR_FIELD, "applies only to a dropped rover: height_m must be above 0");
        }
    }
    gr_fields_end(node);
}

static void read_mode(GrNode *node, GrPresence presence, GrDriveMode *mode)
{
    const char *names[GR_DRIVE_MODE_COUNT];
    int choice;
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        names[i] = gr_drive_mode_name((GrDriveMode)i);
    }
    if (gr_field_choice(node, "mode", presence, names, GR_DRIVE_MODE_COUNT, &choice)) {
        *mode = (GrDriveMode)choice;
    }
}

static void read_path(GrNode *list, GrScenario *scenario)
{
    GrWayPoint *points = gr_calloc((size_t)list->count + 1, sizeof *points);
    if (points == NULL) {
        gr_node_out_of_memory(list);
        return;
    }
    int count = 0;
    double last = 0; // arrival time of the previous way-point
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        double v[3] = {0, 0, NAN};
        const int numbers = item->kind == GR_NODE_LIST && item->count == 3 ? 3 : 2;
        if (!gr_node_numbers(item, GR_ANY, v, numbers)) {
            continue;
        }
        points[count++] = (GrWayPoint){v[0], v[1], v[2]};
        if (numbers == 3 && !(v[2] > last)) {
            gr_node_error(item, GR_ERROR_VALUE, "arrives at %g s; allowed: later than %g s%s", v[2], last,
                          last > 0 ? ", the time before" : "");
        }
        last = numbers == 3 ? v[2] : last;
    }
    if (list->count == 0) {
        gr_node_error(list, GR_ERROR_VALUE, "a path is a list of way-points, as in [[10, 0], [20, 5]]");
    }
    scenario->path = points;
    scenario->mission.control.source = GR_CONTROL_PATH;
    scenario->mission.control.path = points;
    scenario->mission.control.path_count = count;
}

/// Whether a joint between a wheel and the chassis steers.
static bool is_steered(const GrRoverDef *rover, int wheel)
{
    int body = rover->wheels[wheel].body;
    for (int i = 0; i < rover->joint_count && body > 0; i++) { // from the wheel upwards; no chain is longer than this
        int j = 0;
        while (j < rover->joint_count && rover->joints[j].child != body) {
            j++;
        }
        if (j == rover->joint_count || rover->joints[j].role == GR_ROLE_STEER) {
            return j < rover->joint_count;
        }
        body = rover->joints[j].parent;
    }
    return false;
}

/// `steer_deg` of mode fixed: one angle for all wheels that steer, or a mapping of wheels to angles.
static void read_steer(GrNode *node, const GrRoverDef *rover, GrDriveCommand *command)
{
    const GrRange range = GR_BETWEEN(-180, 180);
    GrNode *given = gr_field(node, "steer_deg", GR_OPTIONAL);
    double degrees = 0;
    if (given == NULL) {
        return;
    }
    if (command->mode != GR_DRIVE_FIXED) {
        gr_node_error(given, GR_ERROR_FIELD, "applies only to mode fixed; the mode here is %s",
                      gr_drive_mode_name(command->mode));
    }
    if (given->kind != GR_NODE_MAPPING) {
        gr_node_number(given, range, &degrees);
        for (int i = 0; i < GR_DRIVE_WHEELS_MAX; i++) {
            command->steer[i] = GR_DEGREE * degrees;
        }
        return;
    }
    for (GrNode *item = given->first; item != NULL; item = item->next) {
        const int wheel = gr_read_wheel_key(item, rover);
        item->used = true;
        if (wheel < 0 || wheel >= GR_DRIVE_WHEELS_MAX || !gr_node_number(item, range, &degrees)) {
            continue;
        }
        if (!is_steered(rover, wheel)) {
            gr_node_error(item, GR_ERROR_VALUE, "this wheel does not steer");
        }
        command->steer[wheel] = GR_DEGREE * degrees;
    }
}

/// `by_hand`: an entry of `manual`, which may give the rover back to path or script.
static void read_command(GrNode *node, const GrRoverDef *rover, bool by_hand, GrScriptEntry *entry)
{
    if (!gr_node_is_mapping(node)) {
        return;
    }
    GrDriveCommand *command = &entry->command;
    gr_field_number(node, "time_s", GR_REQUIRED, GR_NOT_NEGATIVE, &entry->time);
    bool gives_back = false;
    if (by_hand && gr_field_bool(node, "auto", GR_OPTIONAL, &gives_back) && gives_back) {
        command->mode = GR_DRIVE_MODE_COUNT;
        gr_fields_end(node);
        return;
    }
    read_mode(node, GR_REQUIRED, &command->mode);
    gr_field_number(node, "speed_mps", GR_OPTIONAL, GR_ANY, &command->speed);
    gr_field_number(node, "curvature_per_m", GR_OPTIONAL, GR_ANY, &command->curvature);
    gr_field_degrees(node, "yaw_rate_dps", GR_ANY, &command->yaw_rate);
    gr_field_degrees(node, "crab_deg", GR_ANY, &command->crab);
    read_steer(node, rover, command);
    gr_fields_end(node);
}

/// The joint that an entry names; NULL after an error.
static const GrJointDef *read_joint(GrNode *node, const GrRoverDef *rover, GrJointMove *move)
{
    const char *names[JOINTS_NAMED];
    int count = 0;
    if (!gr_field_text(node, "joint", GR_REQUIRED, move->joint, sizeof move->joint)) {
        return NULL;
    }
    for (int i = 0; i < rover->joint_count; i++) {
        if (strcmp(rover->joints[i].name, move->joint) == 0) {
            return &rover->joints[i];
        }
        if (rover->joints[i].motor.kind == GR_MOTOR_POSITION && count < JOINTS_NAMED) {
            names[count++] = rover->joints[i].name;
        }
    }
    const GrNode *given = gr_node_find(node, "joint");
    gr_node_error(given, GR_ERROR_VALUE, "the rover has no joint '%s'%s", move->joint,
                  gr_suggestion(node->document->log, move->joint, names, count).text);
    return NULL;
}

static void read_move(GrNode *node, const GrRoverDef *rover, GrJointMove *move)
{
    const GrJointDef *joint = read_joint(node, rover, move);
    gr_field_number(node, "time_s", GR_REQUIRED, GR_NOT_NEGATIVE, &move->time);
    gr_field_number(node, "over_s", GR_OPTIONAL, GR_NOT_NEGATIVE, &move->duration);
    if (joint != NULL) {
        const bool slides = gr_joint_kind_slides(joint->kind);
        const char *key = slides ? "position_m" : "position_deg";
        const double unit = slides ? 1 : GR_DEGREE;
        const GrNode *given = gr_node_find(node, "joint");
        if (joint->motor.kind != GR_MOTOR_POSITION) {
            gr_node_error(given, GR_ERROR_VALUE, "'%s' has no motor of kind position and cannot be moved to a position",
                          move->joint);
        }
        if (gr_field_number(node, key, GR_REQUIRED, GR_BETWEEN(joint->lower / unit, joint->upper / unit),
                            &move->position)) {
            move->position *= unit;
        }
    } else {
        gr_field(node, "position_deg", GR_OPTIONAL); // accept either, as the kind of joint is unknown
        gr_field(node, "position_m", GR_OPTIONAL);
    }
    gr_fields_end(node);
}

/// Commands of the drive, and moves of joints, in one list; each of them in order of time.
static void read_script(GrNode *list, GrScenario *scenario)
{
    GrScriptEntry *entries = gr_calloc((size_t)list->count + 1, sizeof *entries);
    GrJointMove *moves = gr_calloc((size_t)list->count + 1, sizeof *moves);
    scenario->script = entries;
    scenario->moves = moves;
    if (entries == NULL || moves == NULL) {
        gr_node_out_of_memory(list);
        return;
    }
    int count[2] = {0, 0}; // of commands and of moves
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        const bool moved = item->kind == GR_NODE_MAPPING && gr_node_find(item, "joint") != NULL;
        const int at = count[moved]++;
        if (moved) {
            read_move(item, &scenario->rover, &moves[at]);
        } else {
            read_command(item, &scenario->rover, false, &entries[at]);
        }
        const double now = moved ? moves[at].time : entries[at].time;
        const double last = at == 0 ? now : moved ? moves[at - 1].time : entries[at - 1].time;
        if (now < last) {
            gr_node_error(item, GR_ERROR_VALUE, "time_s %g comes after %g: commands must be in order of time", now,
                          last);
        }
    }
    scenario->mission.moves = moves;
    scenario->mission.move_count = count[1];
    if (count[0] > 0) {
        scenario->mission.control.source = GR_CONTROL_SCRIPT;
        scenario->mission.control.script = entries;
        scenario->mission.control.script_count = count[0];
    }
}

/// The same as a table in a file of its own.
static void read_manual_file(GrNode *node, GrScenario *scenario)
{
    char path[GR_FILE_PATH_SIZE];
    int count;
    if (gr_node_file(node, path)) {
        const GrStatus status = gr_drive_file_read(path, &scenario->manual, &count, node->document->log);
        if (status != GR_OK) {
            gr_node_error(node, status, "the table of commands cannot be used");
            return;
        }
        scenario->mission.control.manual = scenario->manual;
        scenario->mission.control.manual_count = count;
    }
}

/// What a driver commanded, by time, over path or script.
static void read_manual(GrNode *list, GrScenario *scenario)
{
    if (list->kind == GR_NODE_SCALAR) {
        read_manual_file(list, scenario);
        return;
    }
    if (list->kind != GR_NODE_LIST) {
        gr_node_error(list, GR_ERROR_VALUE, "found a mapping; a list of commands is needed, or the name of a table");
        return;
    }
    GrScriptEntry *entries = gr_calloc((size_t)list->count + 1, sizeof *entries);
    scenario->manual = entries;
    if (entries == NULL) {
        gr_node_out_of_memory(list);
        return;
    }
    int count = 0;
    for (GrNode *item = list->first; item != NULL; item = item->next, count++) {
        read_command(item, &scenario->rover, true, &entries[count]);
        if (count > 0 && entries[count].time < entries[count - 1].time) {
            gr_node_error(item, GR_ERROR_VALUE, "time_s %g comes after %g: commands must be in order of time",
                          entries[count].time, entries[count - 1].time);
        }
    }
    scenario->mission.control.manual = entries;
    scenario->mission.control.manual_count = count;
}

static void read_follower(GrNode *node, GrControlDef *c)
{
    static const char *const followers[] = {"pure_pursuit", "p", "pid"}, *const places[] = {"truth", "odometry"};
    int choice;
    if (gr_field_choice(node, "follower", GR_OPTIONAL, followers, 3, &choice)) {
        c->follower = (GrFollower)choice;
    }
    if (gr_field_choice(node, "localisation", GR_OPTIONAL, places, 2, &choice)) {
        c->localisation = (GrLocalisation)choice;
    }
    read_mode(node, GR_OPTIONAL, &c->mode);
    gr_field_number(node, "speed_mps", GR_OPTIONAL, GR_POSITIVE, &c->cruise_speed);
    gr_field_number(node, "speed_max_mps", GR_OPTIONAL, GR_NOT_NEGATIVE, &c->speed_max);
    gr_field_number(node, "look_ahead_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &c->look_ahead);
    gr_field_number(node, "heading_gain", GR_OPTIONAL, GR_POSITIVE, &c->heading_gain);
    gr_field_numbers(node, "pid_gains", GR_OPTIONAL, GR_NOT_NEGATIVE, c->pid, 3);
    gr_field_number(node, "tolerance_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &c->tolerance);
    gr_field_degrees(node, "turn_angle_deg", GR_BETWEEN(0, 180), &c->turn_angle);
    gr_field_degrees(node, "turn_done_deg", GR_BETWEEN(0, 180), &c->turn_done);
    if (node != NULL && !(c->turn_angle > c->turn_done)) {
        const GrNode *angle = gr_node_find(node, "turn_angle_deg");
        gr_node_error(angle != NULL ? angle : node, GR_ERROR_VALUE,
                      "turns begin at %g deg; allowed: more than the %g deg "
                      "at which they end (turn_done_deg)",
                      c->turn_angle / GR_DEGREE, c->turn_done / GR_DEGREE);
    }
    gr_field_bool(node, "compensate_slip", GR_OPTIONAL, &c->compensate_slip);
    gr_field_number(node, "slip_factor_max", GR_OPTIONAL, GR_BETWEEN(1, 100), &c->slip_factor_max);
    gr_field_number(node, "slip_time_s", GR_OPTIONAL, GR_POSITIVE, &c->slip_time);
}

/// Refuses a speed without a path: the rover would stand still without any message.
static void refuse_without_path(const GrNode *node)
{
    static const char *const keys[] = {"speed_mps",      "speed_max_mps", "mode",        "follower",
                                       "look_ahead_m",   "heading_gain",  "pid_gains",   "tolerance_m",
                                       "turn_angle_deg", "turn_done_deg", "localisation"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const GrNode *given = gr_node_find(node, keys[i]);
        if (given != NULL) {
            gr_node_error(
                given, GR_ERROR_FIELD,
                "applies only to a path, and drive has none; commands of a script have their own mode and speed");
        }
    }
}

void gr_read_drive(GrNode *node, GrScenario *scenario)
{
    GrControlDef *c = &scenario->mission.control;
    GrNode *path = gr_field_list(node, "path", GR_OPTIONAL), *script = gr_field_list(node, "script", GR_OPTIONAL);
    GrNode *manual = gr_field(node, "manual", GR_OPTIONAL);
    read_follower(node, c);
    gr_field_degrees(node, "steer_rate_dps", GR_POSITIVE, &c->steer_rate);
    gr_field_number(node, "wheel_acceleration_mps2", GR_OPTIONAL, GR_POSITIVE, &c->wheel_acceleration);
    gr_field_number(node, "skid_factor", GR_OPTIONAL, GR_POSITIVE, &c->skid_factor);
    gr_field_number(node, "stride_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &c->stride);
    gr_field_bool(node, "gyro", GR_OPTIONAL, &c->use_gyro);
    gr_field_number(node, "pull_N", GR_OPTIONAL, GR_ANY, &scenario->mission.pull);
    gr_field_number(node, "control_period_s", GR_OPTIONAL, GR_NOT_NEGATIVE, &scenario->mission.control_period);
    if (script != NULL) {
        read_script(script, scenario);
    }
    if (manual != NULL) {
        read_manual(manual, scenario);
    }
    if (path != NULL && c->script_count > 0) {
        gr_node_error(script, GR_ERROR_FIELD,
                      "a scenario drives along a path or by a script, not both; joints may move beside a path");
    } else if (path != NULL) {
        read_path(path, scenario);
    }
    if (path == NULL && node != NULL && gr_node_find(node->document->root, "lander") == NULL) {
        refuse_without_path(node);
    }
    gr_fields_end(node);
}

void gr_read_stop(GrNode *node, GrMissionDef *mission)
{
    gr_field_number(node, "time_s", GR_OPTIONAL, GR_POSITIVE, &mission->duration);
    gr_field_degrees(node, "tip_deg", GR_BETWEEN(0, 180), &mission->tip_angle);
    gr_field_number(node, "stuck_s", GR_OPTIONAL, GR_POSITIVE_OR_INFINITE, &mission->stuck_time);
    gr_field_number(node, "stuck_share", GR_OPTIONAL, GR_BETWEEN(0, 1), &mission->stuck_share);
    gr_field_number(node, "overload_N", GR_OPTIONAL, GR_POSITIVE_OR_INFINITE, &mission->overload);
    gr_field_number(node, "belly_share", GR_OPTIONAL, GR_POSITIVE_OR_INFINITE, &mission->belly_share);
    gr_field_number(node, "belly_s", GR_OPTIONAL, GR_NOT_NEGATIVE, &mission->belly_time);
    gr_field_bool(node, "at_goal", GR_OPTIONAL, &mission->stop_at_goal);
    gr_fields_end(node);
}

static void read_milli(GrNode *node, const char *key, double *out)
{
    double value;
    if (gr_field_number(node, key, GR_OPTIONAL, GR_POSITIVE, &value)) {
        *out = 1e-3 * value;
    }
}

static void read_integrator(GrNode *node, GrIntegrator *out)
{
    char name[GR_NAME_SIZE];
    GrErrorLog log = {.quiet = true};
    if (gr_field_text(node, "integrator", GR_OPTIONAL, name, sizeof name) &&
        gr_integrator_find(name, out, &log) != GR_OK) {
        gr_node_error(gr_node_find(node, "integrator"), log.items[0].status, "%s", log.items[0].text);
    }
}

void gr_read_step(GrNode *node, GrScenario *scenario)
{
    GrMissionDef *mission = &scenario->mission;
    const char *paces[GR_PACE_COUNT];
    int choice;
    for (int i = 0; i < GR_PACE_COUNT; i++) {
        paces[i] = gr_pace_name((GrPace)i);
    }
    if (gr_field_choice(node, "pace", GR_OPTIONAL, paces, GR_PACE_COUNT, &choice)) {
        mission->pace = (GrPace)choice;
    }
    read_milli(node, "step_ms", &mission->step);
    read_milli(node, "min_ms", &mission->step_min);
    if (scenario->has_soil && gr_soil_law_on_grid(scenario->soil.law)) { // nodes come into contact one after another
        mission->hub_travel = SCM_TRAVEL;
        mission->step_max = SCM_STEP;
    }
    read_milli(node, "max_ms", &mission->step_max);
    read_milli(node, "hard_ms", &mission->step_hard);
    read_milli(node, "push_ms", &mission->step_push);
    read_milli(node, "hub_travel_mm", &mission->hub_travel);
    read_milli(node, "landing_travel_mm", &mission->landing_travel);
    gr_field_number(node, "contact_part", GR_OPTIONAL, GR_BETWEEN(1e-3, 1e3), &mission->contact_part);
    read_milli(node, "tolerance_mm", &mission->tolerance);
    read_integrator(node, &scenario->integrator);
    gr_field_number(node, "cvode_tolerance", GR_OPTIONAL, GR_BETWEEN(1e-14, 1e-2), &scenario->tolerance);
    gr_field_integer(node, "slices", GR_OPTIONAL, 1, GR_SLICES_MAX, &scenario->slices);
    gr_fields_end(node);
}
