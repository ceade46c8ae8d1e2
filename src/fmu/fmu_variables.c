#include "fmu_variables.h"

#include "alloc.h"
#include "channel.h"
#include "number.h"
#include "out_of_memory.h"
#include "soil_param.h"
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/// An input that commands the drive.
typedef struct Row {
    const char *name, *unit, *text;
    size_t offset;
} Row;

#define REAL(member, name, unit, text)                                                                                 \
    {                                                                                                                  \
        name, unit, text, offsetof(GrDriveCommand, member)                                                             \
    }

static const Row DRIVE[] = {
    REAL(speed, "drive.speed", "m/s", "speed of the rover's centre, where command.source is drive"),
    REAL(curvature, "drive.curvature", "1/m", "1 / radius of the turn, positive to the left"),
    REAL(yaw_rate, "drive.yaw_rate", "rad/s", "added to speed times curvature; point_turn takes it alone"),
    REAL(crab, "drive.crab", "rad", "direction of travel from chassis x; crab and double_ackermann only"),
};

enum {
    DRIVE_COUNT = sizeof DRIVE / sizeof DRIVE[0],
    OTHER_COUNT = 32, ///< those that functions below add one by one
};

static const char *const AXES[3] = {"x", "y", "z"};

static const GrFmuUnitRow UNITS[] = {
    {"m", 0, 1, 0, 0, 1},    {"s", 0, 0, 1, 0, 1},      {"rad", 0, 0, 0, 1, 1},     {"deg", 0, 0, 0, 1, GR_DEGREE},
    {"m/s", 0, 1, -1, 0, 1}, {"rad/s", 0, 0, -1, 1, 1}, {"rad/s2", 0, 0, -2, 1, 1}, {"m/s2", 0, 1, -2, 0, 1},
    {"1/m", 0, -1, 0, 0, 1}, {"N", 1, 1, -2, 0, 1},     {"N.m", 1, 2, -2, 0, 1},    {"W", 1, 2, -3, 0, 1},
    {"J", 1, 2, -2, 0, 1},
};

const GrFmuUnitRow *gr_fmu_unit_row(int index)
{
    return index >= 0 && index < (int)(sizeof UNITS / sizeof UNITS[0]) ? &UNITS[index] : NULL;
}

const char *gr_fmu_choice_name(GrFmuChoice choice)
{
    static const char *const NAMES[GR_FMU_CHOICE_COUNT] = {"CommandSource", "DriveMode", "WheelCommand", "Outcome",
                                                           "ContactState"};
    return NAMES[choice];
}

static const char *contact_state(int value)
{
    const char *text = gr_wheel_state_text(value);
    return strcmp(text, "unknown") != 0 ? text : NULL;
}

const char *gr_fmu_choice_item(GrFmuChoice choice, int value)
{
    static const char *const SOURCES[] = {"scenario", "drive", "wheels"};
    static const char *const COMMANDS[] = {"speed", "torque"};
    switch (choice) {
    case GR_FMU_CHOICE_SOURCE:
        return value >= 0 && value < 3 ? SOURCES[value] : NULL;
    case GR_FMU_CHOICE_MODE:
        return value >= 0 && value < (int)GR_DRIVE_FIXED ? gr_drive_mode_name((GrDriveMode)value) : NULL;
    case GR_FMU_CHOICE_COMMAND:
        return value >= 0 && value < 2 ? COMMANDS[value] : NULL;
    case GR_FMU_CHOICE_OUTCOME:
        return value >= 0 && value < (int)GR_OUTCOME_COUNT ? gr_outcome_name((GrOutcome)value) : NULL;
    case GR_FMU_CHOICE_STATE:
        return value >= 0 ? contact_state(value) : NULL;
    case GR_FMU_CHOICE_COUNT:
        break;
    }
    return NULL;
}

// ---- names

/// A part of a structured name: as it is where it is an identifier, otherwise in quotes (FMI 2.0.4, 2.2.9).
static void quote(const char *word, char out[GR_FMU_QUOTED_SIZE])
{
    bool plain = isalpha((unsigned char)word[0]) || word[0] == '_';
    for (const char *c = word; *c != '\0'; c++) {
        plain = plain && (isalnum((unsigned char)*c) || *c == '_');
    }
    if (plain) {
        gr_text_copy(out, GR_FMU_QUOTED_SIZE, word);
        return;
    }
    int n = 0;
    out[n++] = '\'';
    for (const char *c = word; *c != '\0' && n < GR_FMU_QUOTED_SIZE - 4; c++) {
        if (*c == '\'' || *c == '\\') {
            out[n++] = '\\';
        }
        out[n++] = *c;
    }
    out[n++] = '\'';
    out[n] = '\0';
}

// ---- the list

static GrFmuVariable *add(GrFmuVariables *list, const char *owner, const char *part, const char *name,
                          GrFmuMeaning meaning)
{
    GrFmuVariable *v = &list->items[list->count++];
    char quoted[GR_FMU_QUOTED_SIZE];
    *v = (GrFmuVariable){.unit = "", .role = GR_FMU_OUTPUT, .meaning = meaning, .choice = GR_FMU_CHOICE_COUNT};
    v->lower = -INFINITY;
    v->upper = INFINITY;
    if (part == NULL) {
        gr_text_copy(v->name, sizeof v->name, name);
        return v;
    }
    quote(part, quoted);
    snprintf(v->name, sizeof v->name, "%s.%s.%s", owner, quoted, name);
    return v;
}

static GrFmuVariable *add_one(GrFmuVariables *list, GrFmuRole role, const char *name, GrFmuMeaning meaning,
                              const char *unit, const char *text)
{
    GrFmuVariable *v = add(list, "", NULL, name, meaning);
    v->role = role;
    v->unit = unit;
    gr_text_copy(v->text, sizeof v->text, text);
    return v;
}

static void add_choice(GrFmuVariables *list, GrFmuRole role, const char *name, GrFmuMeaning meaning, GrFmuChoice choice,
                       const char *text)
{
    GrFmuVariable *v = add_one(list, role, name, meaning, "", text);
    v->type = GR_FMU_CHOICE;
    v->choice = choice;
}

static void add_vector(GrFmuVariables *list, GrFmuRole role, const char *name, GrFmuMeaning meaning, const char *unit,
                       const char *text, GrVec3 start)
{
    const double values[3] = {start.x, start.y, start.z};
    for (int k = 0; k < 3; k++) {
        char full[GR_NAME_SIZE];
        snprintf(full, sizeof full, "%s.%s", name, AXES[k]);
        GrFmuVariable *v = add_one(list, role, full, meaning, unit, text);
        v->start = values[k];
        v->index = k;
    }
}

/// Units of soil files, as far as others know them.
static const char *soil_unit(const GrSoilParam *p)
{
    return strcmp(p->unit, "°") == 0     ? "deg"
           : strcmp(p->unit, "m") == 0   ? "m"
           : strcmp(p->unit, "N m") == 0 ? "N.m"
                                         : "";
}

void gr_fmu_variables_soil(GrFmuVariables *list, const GrSoilDef *soil)
{
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const GrSoilParam *p = gr_soil_param(i);
        if (!gr_soil_param_used(soil, i, GR_SOIL_USE_DAMPED)) {
            continue;
        }
        char name[GR_NAME_SIZE], text[GR_NOTE_SIZE];
        const char *unit = soil_unit(p);
        snprintf(name, sizeof name, "soil.%s", p->name);
        snprintf(text, sizeof text, "%s%s%s%s", p->text, unit[0] == '\0' && p->unit[0] != '\0' ? " [" : "",
                 unit[0] == '\0' ? p->unit : "", unit[0] == '\0' && p->unit[0] != '\0' ? "]" : "");
        GrFmuVariable *v = add_one(list, GR_FMU_TUNABLE, name, GR_FMU_IS_SOIL, unit, text);
        v->index = i;
        v->start = gr_soil_param_get(soil, i);
        v->lower = p->lower;
        v->upper = p->upper;
    }
}

static void add_wheel_inputs(GrFmuVariables *list, const GrModel *m, const GrDriveGeometry *g)
{
    for (int i = 0; i < g->wheel_count; i++) {
        const char *wheel = gr_model_wheel_name(m, i);
        if (g->wheels[i].drive >= 0) {
            GrFmuVariable *v = add(list, "wheels", wheel, "command", GR_FMU_IS_WHEEL_COMMAND);
            v->role = GR_FMU_INPUT;
            v->index = i;
            gr_text_copy(v->text, sizeof v->text,
                         "where command.source is wheels: speed [rad/s] or torque [N m] of the drive by wheel_command, "
                         "positive ahead");
        }
        if (g->wheels[i].steer >= 0) {
            GrFmuVariable *v = add(list, "wheels", wheel, "steer", GR_FMU_IS_WHEEL_STEER);
            v->role = GR_FMU_INPUT;
            v->index = i;
            v->unit = "rad";
            v->lower = g->wheels[i].steer_min;
            v->upper = g->wheels[i].steer_max;
            gr_text_copy(v->text, sizeof v->text,
                         "where command.source is wheels: steering angle about chassis z, positive to the left");
        }
    }
}

static void add_drive(GrFmuVariables *list)
{
    for (int i = 0; i < DRIVE_COUNT; i++) {
        add_one(list, GR_FMU_INPUT, DRIVE[i].name, GR_FMU_IS_DRIVE, DRIVE[i].unit, DRIVE[i].text)->offset =
            DRIVE[i].offset;
    }
}

/// Inputs of a rover that control drives.
static void add_commands(GrFmuVariables *list, const GrMission *mission)
{
    const GrDriveGeometry *g = &mission->control.geometry;
    add_choice(list, GR_FMU_INPUT, "command.source", GR_FMU_IS_SOURCE, GR_FMU_CHOICE_SOURCE,
               "who drives: path or script of the scenario, drive.*, or wheels.*");
    add_choice(list, GR_FMU_INPUT, "drive.mode", GR_FMU_IS_MODE, GR_FMU_CHOICE_MODE,
               "drive mode, where command.source is drive");
    list->items[list->count - 1].start = (double)gr_drive_best_mode(g);
    add_drive(list);
    if (mission->def.control.source == GR_CONTROL_PATH) {
        GrFmuVariable *v = add_one(list, GR_FMU_INPUT, "path.speed", GR_FMU_IS_PATH_SPEED, "m/s",
                                   "cruising speed on the path of the scenario");
        v->start = mission->control.def.cruise_speed;
        v->lower = 0;
        v->upper = mission->control.def.speed_max;
    }
    add_wheel_inputs(list, mission->m, g);
}

/// A recorded quantity, in units of SI.
static void add_channel(GrFmuVariables *list, const GrModel *m, const GrChannel *channel)
{
    static const char *const OWNERS[] = {[GR_OWNER_WHEEL] = "wheels", [GR_OWNER_JOINT] = "joints"};
    const GrChannelRow *row = channel->row;
    const GrChannelUnit *unit = gr_channel_unit(row->name);
    const char *group = channel->owner == GR_OWNER_ROVER ? gr_sample_groups[channel->index].owner : "";
    char plain[GR_NAME_SIZE], name[GR_CHANNEL_NAME];
    if (row->fmu != NULL && row->fmu[0] == '\0') {
        return;
    }
    snprintf(plain, sizeof plain, "%.*s", (int)(strlen(row->name) - strlen(unit->suffix)), row->name);
    snprintf(name, sizeof name, "%s%s%s", group, group[0] != '\0' ? "." : "", row->fmu != NULL ? row->fmu : plain);
    GrFmuVariable *v = channel->owner == GR_OWNER_ROVER
                           ? add(list, "", NULL, name, GR_FMU_IS_CHANNEL)
                           : add(list, OWNERS[channel->owner],
                                 channel->owner == GR_OWNER_WHEEL ? gr_model_wheel_name(m, channel->index)
                                                                  : gr_model_joint_name(m, channel->index),
                                 name, GR_FMU_IS_CHANNEL);
    gr_text_copy(v->text, sizeof v->text, row->text);
    v->unit = unit->si;
    v->type = row->kind == GR_CHANNEL_STATE    ? GR_FMU_CHOICE
              : row->kind == GR_CHANNEL_NUMBER ? GR_FMU_REAL
                                               : GR_FMU_INTEGER;
    v->choice = row->kind == GR_CHANNEL_STATE ? GR_FMU_CHOICE_STATE : GR_FMU_CHOICE_COUNT;
    v->channel = *channel;
    v->factor = unit->factor;
}

static void add_outputs(GrFmuVariables *list, const GrModel *m, const GrChannels *channels)
{
    for (int i = 0; i < channels->count; i++) {
        add_channel(list, m, &channels->items[i]);
    }
    add_choice(list, GR_FMU_OUTPUT, "outcome", GR_FMU_IS_OUTCOME, GR_FMU_CHOICE_OUTCOME,
               "running, or how the drive ended");
    GrFmuVariable *hash = add_one(list, GR_FMU_OUTPUT, "state_hash", GR_FMU_IS_HASH, "",
                                  "hash of the state's bits, as in the summary of grouser run");
    hash->type = GR_FMU_TEXT;
}

GrStatus gr_fmu_variables_list(const GrWorld *world, GrFmuVariables *out, GrErrorLog *log)
{
    const GrModel *m = world->model;
    const GrMission *mission = world->mission;
    GrChannels channels;
    const bool listed = gr_channels_init(&channels, m, gr_sample_parts(gr_mission_is_supplied(mission), false));
    const int most = OTHER_COUNT + gr_soil_param_count() + DRIVE_COUNT + 2 * m->wheel_count + channels.count;
    *out = (GrFmuVariables){.items = gr_calloc((size_t)most, sizeof *out->items)};
    if (!listed || out->items == NULL) {
        gr_channels_free(&channels);
        return gr_out_of_memory(log, NULL);
    }
    add_one(out, GR_FMU_TIME, "time", GR_FMU_IS_TIME, "s", "simulated time");
    if (mission->driven) {
        add_choice(out, GR_FMU_FIXED, "wheel_command", GR_FMU_IS_COMMAND_KIND, GR_FMU_CHOICE_COMMAND,
                   "what wheels.*.command means; with torque the drive motors are plain torques, and command.source "
                   "must be wheels");
    }
    add_vector(out, GR_FMU_TUNABLE, "gravity", GR_FMU_IS_GRAVITY, "m/s2", "world axes", world->scenario->gravity);
    if (world->scenario->has_soil) {
        gr_fmu_variables_soil(out, &world->scenario->soil);
    }
    if (mission->driven) {
        add_commands(out, mission);
    }
    add_vector(out, GR_FMU_INPUT, "force", GR_FMU_IS_FORCE, "N", "on the chassis at its origin, world axes",
               (GrVec3){0, 0, 0});
    add_vector(out, GR_FMU_INPUT, "moment", GR_FMU_IS_MOMENT, "N.m", "on the chassis, world axes", (GrVec3){0, 0, 0});
    add_outputs(out, m, &channels);
    gr_channels_free(&channels);
    return GR_OK;
}

void gr_fmu_variables_free(GrFmuVariables *variables)
{
    gr_free(variables->items);
    *variables = (GrFmuVariables){0};
}
