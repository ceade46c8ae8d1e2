/// `start:` and `drive:` of a scenario: what the rows of scenario_keys.c do not read.
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

const GrKey gr_manual_keys[] = {
    {"auto", GR_KEY_BOOL, "gives the rover back to path and script", .usual = "false"},
    {"time_s", GR_KEY_NUMBER, "when the command is given", .range = GR_SPAN_NOT_NEGATIVE, .required = true},
    {"", GR_KEY_GROUP, .keys = COMMAND + 1},
    {NULL}};

const GrKey gr_script_keys[] = {
    {"", GR_KEY_GROUP, .keys = COMMAND},
    {"joint", GR_KEY_TEXT, "moves this joint, whose motor is of kind position, in place of a drive command"},
    {"over_s", GR_KEY_NUMBER, "duration of that move", .range = GR_SPAN_NOT_NEGATIVE, .usual = "0"},
    {"position_deg", GR_KEY_NUMBER, "where it moves to", .range = GR_SPAN_ANY},
    {"position_m", GR_KEY_NUMBER, "the same for a joint that slides", .range = GR_SPAN_ANY},
    {NULL}};

bool gr_field_degrees(GrNode *mapping, const char *key, GrRange range, double *out)
{
    double degrees;
    const bool found = gr_field_number(mapping, key, GR_OPTIONAL, range, &degrees);
    *out = found ? GR_DEGREE * degrees : *out;
    return found;
}

void gr_check_dropped(GrNode *node, void *scenario)
{
    if (((const GrScenario *)scenario)->start.height == 0) {
        gr_node_error(node, GR_ERROR_FIELD, "applies only to a dropped rover: height_m must be above 0");
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

/// Refuses what applies only to a path where there is none: the rover would stand still without any message.
static void refuse_without_path(const GrNode *node)
{
    for (const GrKey *key = gr_path_keys; key->name != NULL; key++) {
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
