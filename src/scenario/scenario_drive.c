/// `start:` and `drive:` of a scenario: their keys, and how way-points, scripts and commands are read.
#include "scenario_parts.h"

#include "alloc.h"
#include "drive_file.h"
#include "file.h"
#include "joint_kind.h"

#include <string.h>

enum { JOINTS_NAMED = 64 }; // most joint names that a message can suggest

static const char *const MODES[] = {GR_DRIVE_MODE_LIST(GR_KEY_NAME_OF_THREE)};

#define C(member) offsetof(GrScriptEntry, member)

static const GrKey COMMAND[] = {
    {"time_s", GR_KEY_NUMBER, "when the command is given", C(time), GR_SPAN_NOT_NEGATIVE, .required = true},
    {"mode", GR_KEY_CHOICE, "drive mode, required in commands: docs/control.md", C(command.mode), .names = MODES,
     .size = GR_DRIVE_MODE_COUNT},
    {"speed_mps", GR_KEY_NUMBER, "speed", C(command.speed), GR_SPAN_ANY, .usual = "0"},
    {"curvature_per_m", GR_KEY_NUMBER, "curvature, to the left", C(command.curvature), GR_SPAN_ANY, .usual = "0"},
    {"yaw_rate_dps", GR_KEY_NUMBER, "of mode point_turn, to the left", C(command.yaw_rate), GR_SPAN_ANY, .usual = "0"},
    {"crab_deg", GR_KEY_NUMBER, "of mode crab: direction of motion, to the left", C(command.crab), GR_SPAN_ANY,
     .usual = "0"},
    {"steer_deg", GR_KEY_NUMBER | GR_KEY_MAPPING | GR_KEY_ELSEWHERE,
     "of mode fixed: steering angle of all wheels, or by wheel", .range = GR_SPAN_BETWEEN(-180, 180), .usual = "0"},
    {NULL}};

static const GrKey MANUAL[] = {
    {"auto", GR_KEY_BOOL, "gives the rover back to path and script", .usual = "false"},
    {"time_s", GR_KEY_NUMBER, "when the command is given", .range = GR_SPAN_NOT_NEGATIVE, .required = true},
    {"", GR_KEY_GROUP, .keys = COMMAND + 1},
    {NULL}};

static const GrKey SCRIPT[] = {
    {"", GR_KEY_GROUP, .keys = COMMAND},
    {"joint", GR_KEY_TEXT, "moves this joint, whose motor is of kind position, in place of a drive command"},
    {"over_s", GR_KEY_NUMBER, "duration of that move", .range = GR_SPAN_NOT_NEGATIVE, .usual = "0"},
    {"position_deg", GR_KEY_NUMBER, "where it moves to", .range = GR_SPAN_ANY},
    {"position_m", GR_KEY_NUMBER, "the same for a joint that slides", .range = GR_SPAN_ANY},
    {NULL}};

static void check_dropped(GrNode *node, void *scenario)
{
    if (((const GrScenario *)scenario)->start.height == 0) {
        gr_node_error(node, GR_ERROR_FIELD, "applies only to a dropped rover: height_m must be above 0");
    }
}

#define S(member)     offsetof(GrScenario, member)
#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))

static const char *const FOLLOWERS[] = {"pure_pursuit", "p", "pid"};
static const char *const PLACES[] = {"truth", "odometry"};

bool gr_has_no_path(const void *scenario)
{
    return ((const GrScenario *)scenario)->path == NULL;
}

// clang-format off
GR_WHEN(not_p, s->path != NULL && s->mission.control.follower != GR_FOLLOW_P)
GR_WHEN(not_pid, s->path != NULL && s->mission.control.follower != GR_FOLLOW_PID)
GR_WHEN(no_compensation, !s->mission.control.compensate_slip)
GR_WHEN(not_driven, s->path == NULL && s->script == NULL && s->manual == NULL)
// clang-format on

static bool no_steering(const void *definition)
{
    const GrRoverDef *rover = &((const GrScenario *)definition)->rover;
    int count = 0;
    for (int i = 0; i < rover->joint_count; i++) {
        count += rover->joints[i].role == GR_ROLE_STEER;
    }
    return count == 0;
}

#define DROPPED "only if dropped: "
const GrKey gr_start_keys[] = {
    {"x_m", GR_KEY_NUMBER, "east", S(start.x), GR_SPAN_PLACE},
    {"y_m", GR_KEY_NUMBER, "north", S(start.y), GR_SPAN_PLACE},
    {"heading_deg", GR_KEY_NUMBER, "from east to the left", S(start.heading), GR_SPAN_ANY},
    {"height_m", GR_KEY_NUMBER, "height from which the rover is dropped; 0: it stands on the ground", S(start.height),
     GR_SPAN_NOT_NEGATIVE},
    {"velocity_mps", GR_KEY_NUMBERS, DROPPED "velocity", S(start.velocity), GR_SPAN_ANY, .size = 3,
     .check = check_dropped},
    {"angular_velocity_dps", GR_KEY_NUMBERS, DROPPED "angular velocity", S(start.angular_velocity), GR_SPAN_ANY,
     .size = 3, .check = check_dropped},
    {"roll_deg", GR_KEY_NUMBER, DROPPED "roll", S(start.roll), GR_SPAN_ANY, .check = check_dropped},
    {"pitch_deg", GR_KEY_NUMBER, DROPPED "pitch", S(start.pitch), GR_SPAN_ANY, .check = check_dropped},
    {NULL}};

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
    bool gives_back = false;
    gr_fields_ask(node, "time_s");
    if (by_hand && gr_field_bool(node, "auto", GR_OPTIONAL, &gives_back) && gives_back) {
        gr_field_number(node, "time_s", GR_REQUIRED, GR_NOT_NEGATIVE, &entry->time);
        entry->command.mode = GR_DRIVE_MODE_COUNT;
    } else {
        gr_keys_take(node, COMMAND, entry);
        gr_field(node, "mode", GR_REQUIRED);
        read_steer(node, rover, &entry->command);
    }
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

/// The same as a table in its own file.
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

#define D(member) S(mission.control.member)
/// What applies only to a path.
static const GrKey PATH[] = {
    {"follower", GR_KEY_CHOICE, "how the path is followed", D(follower), CHOICE(FOLLOWERS)},
    {"localisation", GR_KEY_CHOICE, "source of the rover's position", D(localisation), CHOICE(PLACES)},
    {"mode", GR_KEY_CHOICE, "drive mode on the path", D(mode), CHOICE(MODES), .usual = "the best that the rover has"},
    {"speed_mps", GR_KEY_NUMBER, "speed along the path", D(cruise_speed), GR_SPAN_POSITIVE},
    {"speed_max_mps", GR_KEY_NUMBER, "limit for times of arrival and slip compensation; 0: four times speed_mps",
     D(speed_max), GR_SPAN_NOT_NEGATIVE},
    {"look_ahead_m", GR_KEY_NUMBER, "look-ahead distance; 0: the rover's length, at least 0.3", D(look_ahead),
     GR_SPAN_NOT_NEGATIVE},
    {"heading_gain", GR_KEY_NUMBER, "gain of follower p", D(heading_gain), GR_SPAN_POSITIVE,
     .ignored = {{not_p, "it applies only to follower: p"}}},
    {"pid_gains", GR_KEY_NUMBERS, "P, I and D of follower pid", D(pid), GR_SPAN_NOT_NEGATIVE, .size = 3,
     .ignored = {{not_pid, "it applies only to follower: pid"}}},
    {"tolerance_m", GR_KEY_NUMBER, "a way-point counts as reached within it; 0: a quarter of the look-ahead",
     D(tolerance), GR_SPAN_NOT_NEGATIVE},
    {"turn_angle_deg", GR_KEY_NUMBER, "error of the course above which the rover turns on the spot", D(turn_angle),
     GR_SPAN_BETWEEN(0, 180)},
    {"turn_done_deg", GR_KEY_NUMBER, "error below which it drives on", D(turn_done), GR_SPAN_BETWEEN(0, 180)},
    {NULL}};

/// Refuses what applies only to a path where there is none: the rover would stand still without any message.
static void refuse_without_path(const GrNode *node)
{
    for (const GrKey *key = PATH; key->name != NULL; key++) {
        const GrNode *given = gr_node_find(node, key->name);
        if (given != NULL) {
            gr_node_error(
                given, GR_ERROR_FIELD,
                "applies only to a path, and drive has none; commands of a script have their own mode and speed");
        }
    }
}

static void check_turns(const GrNode *node, const GrControlDef *c)
{
    if (!(c->turn_angle > c->turn_done)) {
        const GrNode *angle = gr_node_find(node, "turn_angle_deg");
        gr_node_error(angle != NULL ? angle : node, GR_ERROR_VALUE,
                      "turns begin at %g deg; allowed: more than the %g deg "
                      "at which they end (turn_done_deg)",
                      c->turn_angle / GR_DEGREE, c->turn_done / GR_DEGREE);
    }
}

void gr_read_drive(GrNode *node, void *out)
{
    GrScenario *scenario = out;
    GrNode *path = gr_field_list(node, "path", GR_OPTIONAL), *script = gr_field_list(node, "script", GR_OPTIONAL);
    GrNode *manual = gr_node_find(node, "manual");
    check_turns(node, &scenario->mission.control);
    if (script != NULL) {
        read_script(script, scenario);
    }
    if (manual != NULL) {
        read_manual(manual, scenario);
    }
    if (path != NULL && scenario->mission.control.script_count > 0) {
        gr_node_error(script, GR_ERROR_FIELD,
                      "a scenario drives along a path or by a script, not both; joints may move beside a path");
    } else if (path != NULL) {
        read_path(path, scenario);
    }
    if (path == NULL && gr_node_find(node->document->root, "lander") == NULL) {
        refuse_without_path(node);
    }
}

const GrKey gr_drive_keys[] = {
    {"path", GR_KEY_LIST | GR_KEY_ELSEWHERE, "way-points [x, y] or [x, y, time of arrival]"},
    {"script", GR_KEY_LIST | GR_KEY_ELSEWHERE, "commands and moves of joints by time", .keys = SCRIPT},
    {"manual", GR_KEY_LIST | GR_KEY_TEXT | GR_KEY_ELSEWHERE,
     "commands of a driver by time, which replace path and script from then on; or a CSV file of them", .keys = MANUAL},
    {"", GR_KEY_GROUP, .keys = PATH},
    {"compensate_slip", GR_KEY_BOOL, "wheels turn faster by the measured slip, and steer against side slip",
     D(compensate_slip)},
    {"slip_factor_max", GR_KEY_NUMBER, "largest factor on the speed of wheels", D(slip_factor_max),
     GR_SPAN_BETWEEN(1, 100), .ignored = {{no_compensation, "it needs compensate_slip: true"}}},
    {"slip_time_s", GR_KEY_NUMBER, "time over which slip is filtered", D(slip_time), GR_SPAN_POSITIVE,
     .ignored = {{no_compensation, "it needs compensate_slip: true"}}},
    {"steer_rate_dps", GR_KEY_NUMBER, "limit of the rate of steering", D(steer_rate), GR_SPAN_POSITIVE,
     .ignored = {{not_driven, "nothing is driven: no path, no script"}, {no_steering, "no wheel of the rover steers"}}},
    {"wheel_acceleration_mps2", GR_KEY_NUMBER, "limit of the change of the rolling speed", D(wheel_acceleration),
     GR_SPAN_POSITIVE, .ignored = {{not_driven, "nothing is driven: no path, no script"}}},
    {"skid_factor", GR_KEY_NUMBER, "effective track width over the real one, for skid steering", D(skid_factor),
     GR_SPAN_POSITIVE},
    {"stride_m", GR_KEY_NUMBER, "travel of a wheel per step of the gait; 0: 0.6 of the leg", D(stride),
     GR_SPAN_NOT_NEGATIVE},
    {"gyro", GR_KEY_BOOL, "odometry takes the yaw rate from a gyro", D(use_gyro)},
    {"pull_N", GR_KEY_NUMBER, "a towed load that pulls the rover back", S(mission.pull), GR_SPAN_ANY},
    {"control_period_s", GR_KEY_NUMBER, "time between commands, which reach motors as ramps over it",
     S(mission.control_period), GR_SPAN_NOT_NEGATIVE,
     .ignored = {{not_driven, "nothing is driven: no path, no script"}}},
    {NULL}};
