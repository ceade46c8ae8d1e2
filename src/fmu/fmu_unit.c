#include "fmu_unit.h"

#include "alloc.h"
#include "check.h"
#include "data.h"
#include "dynamics.h"
#include "out_of_memory.h"
#include "shipped.h"
#include "soil_param.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Two times of a host that differ by less than this part of the recording's period are the same: hosts add up steps.
static const double SAME_TIME = 1e-6;

/// Longest mission that a check allows: the host decides when a simulation ends, not the scenario [s].
static const double ENDLESS = 1e9;

/// What is saved besides the values of the variables and the mission.
typedef struct Progress {
    bool begun;
    double start;    ///< the host's time at which the mission's is 0 [s]
    double time;     ///< the host's, at the last communication point [s]
    int64_t samples; ///< times of the recording that have passed
    bool warned;     ///< about inputs without effect
    bool by_drive;   ///< drive.* has the rover
} Progress;

struct GrFmuUnit {
    char within[GR_FILE_PATH_SIZE]; ///< "": shipped names are looked up in the usual places
    GrScenario scenario;
    GrMotorDef *motors; ///< [joints of the rover] as the file has them
    GrWorld *world;     ///< NULL: not made yet
    GrSample sample;
    GrDriveGeometry geometry; ///< of the rover as the file has it
    double steer_gain;
    GrFmuVariables variables;
    double *values; ///< [variables.count]
    bool stale;     ///< a parameter has changed: the world must be made again
    Progress progress;
    char text[24]; ///< the last text that was asked for
};

// ---- the world

/// Force and moment of the host on the chassis.
static void push(void *context, const GrModel *m, GrData *d, double dt)
{
    const GrFmuUnit *unit = context;
    double parts[2][3] = {{0}}; // force, moment
    bool any = false;
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuVariable *v = &unit->variables.items[i];
        if (v->meaning == GR_FMU_IS_FORCE || v->meaning == GR_FMU_IS_MOMENT) {
            parts[v->meaning == GR_FMU_IS_MOMENT][v->index] = unit->values[i];
            any = any || unit->values[i] != 0;
        }
    }
    if (unit->world->mission->def.pull != 0) {
        gr_mission_hold_back(unit->world->mission, m, d, dt);
    }
    if (any) {
        gr_data_add_wrench(m, d, 0, gr_base_position(&d->tree), gr_vec3(parts[0][0], parts[0][1], parts[0][2]),
                           gr_vec3(parts[1][0], parts[1][1], parts[1][2]));
    }
}

/// Drive motors as the file has them, or as plain torques with the same limits.
static void choose_motors(GrFmuUnit *unit, bool torque)
{
    GrRoverDef *rover = &unit->scenario.rover;
    for (int i = 0; i < rover->joint_count; i++) {
        GrMotorDef *motor = &rover->joints[i].motor;
        *motor = unit->motors[i];
        if (torque && rover->joints[i].role == GR_ROLE_DRIVE && motor->kind != GR_MOTOR_NONE) {
            motor->torque_limit =
                motor->kind == GR_MOTOR_DC ? fmin(motor->torque_limit, motor->stall_torque) : motor->torque_limit;
            motor->kind = GR_MOTOR_TORQUE;
        }
    }
    unit->scenario.mission.uncontrolled = torque;
}

/// Parameters that differ from the file; the others keep its bits.
static void apply_parameters(GrFmuUnit *unit)
{
    GrVec3 *g = &unit->scenario.gravity;
    double *const gravity[3] = {&g->x, &g->y, &g->z};
    bool torque = false;
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuVariable *v = &unit->variables.items[i];
        const double value = unit->values[i];
        if (v->meaning == GR_FMU_IS_GRAVITY) {
            *gravity[v->index] = value;
        } else if (v->meaning == GR_FMU_IS_SOIL && value != gr_soil_param_get(&unit->scenario.soil, v->index)) {
            gr_soil_param_set(&unit->scenario.soil, v->index, value);
        } else if (v->meaning == GR_FMU_IS_COMMAND_KIND) {
            torque = value == GR_FMU_COMMAND_TORQUE;
        }
    }
    choose_motors(unit, torque);
}

static void free_world(GrWorld *world)
{
    if (world != NULL) {
        gr_world_free(world);
        gr_free(world);
    }
}

/// Makes the world of the present parameters; after an error the unit keeps the one it has.
static GrStatus make_world(GrFmuUnit *unit, GrErrorLog *log)
{
    GrWorld *made = gr_malloc(sizeof *made);
    if (made == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    apply_parameters(unit);
    gr_shipped_only(unit->within[0] != '\0' ? unit->within : NULL);
    const GrStatus status = gr_world_create(&unit->scenario, made, log);
    gr_shipped_only(NULL);
    if (status != GR_OK) {
        gr_free(made);
        return status;
    }
    made->mission->def.duration = ENDLESS;
    gr_data_set_force(gr_mission_data(made->mission), push, unit);
    free_world(unit->world);
    unit->world = made;
    unit->stale = false;
    return GR_OK;
}

static double number_at(const void *from, const GrFmuVariable *v)
{
    const unsigned char *at = (const unsigned char *)from + v->offset;
    if (v->type == GR_FMU_REAL) {
        double value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

/// Values of all outputs. A sample is taken once per step: it uses up what the step has left in the data.
static void read_outputs(GrFmuUnit *unit)
{
    GrMission *mission = unit->world->mission;
    gr_mission_sample(mission, &unit->sample);
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuVariable *v = &unit->variables.items[i];
        if (v->meaning == GR_FMU_IS_SAMPLE) {
            unit->values[i] = number_at(&unit->sample, v);
        } else if (v->meaning == GR_FMU_IS_WHEEL) {
            unit->values[i] = number_at(&unit->sample.wheels[v->index], v);
        } else if (v->meaning == GR_FMU_IS_JOINT) {
            unit->values[i] = number_at(&unit->sample.joints[v->index], v);
        } else if (v->meaning == GR_FMU_IS_OUTCOME) {
            unit->values[i] = mission->s.outcome;
        } else if (v->meaning == GR_FMU_IS_TIME) {
            unit->values[i] = unit->progress.time;
        }
    }
}

/// Makes the world again after a change of parameters; a mission under way goes on in it.
static GrStatus refresh(GrFmuUnit *unit, GrErrorLog *log)
{
    if (!unit->stale) {
        return GR_OK;
    }
    const size_t size = unit->progress.begun ? gr_mission_size(unit->world->mission) : 0;
    unsigned char *saved = gr_malloc(size + 1);
    if (saved == NULL || (size > 0 && gr_mission_save(unit->world->mission, saved) != GR_OK)) {
        gr_free(saved);
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = make_world(unit, log);
    if (status == GR_OK && size > 0) {
        status = gr_mission_restore(unit->world->mission, saved, size, log);
    }
    gr_free(saved);
    if (status == GR_OK && size == 0) {
        read_outputs(unit);
    }
    return status;
}

// ---- creation

static GrStatus keep_rover(GrFmuUnit *unit, GrErrorLog *log)
{
    const GrRoverDef *rover = &unit->scenario.rover;
    unit->motors = gr_calloc((size_t)rover->joint_count + 1, sizeof *unit->motors);
    for (int i = 0; unit->motors != NULL && i < rover->joint_count; i++) {
        unit->motors[i] = rover->joints[i].motor;
    }
    return unit->motors != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

static void start_values(GrFmuUnit *unit)
{
    for (int i = 0; i < unit->variables.count; i++) {
        unit->values[i] = unit->variables.items[i].start;
    }
}

static GrStatus make_variables(GrFmuUnit *unit, GrErrorLog *log)
{
    const GrMission *mission = unit->world->mission;
    GrStatus status = gr_fmu_variables_list(unit->world, &unit->variables, log);
    if (status != GR_OK) {
        return status;
    }
    unit->geometry = mission->control.geometry;
    unit->steer_gain = mission->control.def.steer_gain;
    unit->values = gr_calloc((size_t)unit->variables.count, sizeof *unit->values);
    if (unit->values == NULL || !gr_sample_init(unit->world->model, gr_mission_rock_count(mission), &unit->sample)) {
        return gr_out_of_memory(log, NULL);
    }
    start_values(unit);
    read_outputs(unit);
    return GR_OK;
}

GrFmuUnit *gr_fmu_unit_create(const char *scenario, const char *const *overrides, const char *within, GrErrorLog *log)
{
    GrFmuUnit *unit = gr_calloc(1, sizeof *unit);
    if (unit == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    gr_text_copy(unit->within, sizeof unit->within, within != NULL ? within : "");
    gr_shipped_only(within);
    GrStatus status = gr_scenario_load(scenario, overrides, &unit->scenario, log);
    gr_shipped_only(NULL);
    if (status != GR_OK) {
        gr_free(unit);
        return NULL;
    }
    status = keep_rover(unit, log);
    if (status == GR_OK) {
        status = make_world(unit, log);
    }
    if (status == GR_OK) {
        status = make_variables(unit, log);
    }
    if (status != GR_OK) {
        gr_fmu_unit_free(unit);
        return NULL;
    }
    return unit;
}

void gr_fmu_unit_free(GrFmuUnit *unit)
{
    if (unit != NULL) {
        gr_sample_free(&unit->sample);
        gr_fmu_variables_free(&unit->variables);
        free_world(unit->world);
        gr_scenario_free(&unit->scenario);
        gr_free(unit->values);
        gr_free(unit->motors);
        gr_free(unit);
    }
}

const GrFmuVariables *gr_fmu_unit_variables(const GrFmuUnit *unit)
{
    return &unit->variables;
}

const GrScenario *gr_fmu_unit_scenario(const GrFmuUnit *unit)
{
    return &unit->scenario;
}

// ---- values

static const GrFmuVariable *find(const GrFmuUnit *unit, int variable, GrErrorLog *log)
{
    if (variable < 0 || variable >= unit->variables.count) {
        gr_error_add(log, GR_ERROR_NAME, (GrLocation){0},
                     "there is no variable with the value reference %d, only 0 to %d", variable,
                     unit->variables.count - 1);
        return NULL;
    }
    return &unit->variables.items[variable];
}

static GrStatus check_value(const GrFmuVariable *v, double value, GrErrorLog *log)
{
    const GrLocation at = {.field = v->name};
    if (v->type == GR_FMU_CHOICE &&
        (value != (double)(int)value || gr_fmu_choice_item(v->choice, (int)value) == NULL)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "found %g, which is no value of %s", value,
                            gr_fmu_choice_name(v->choice));
    }
    const bool open = v->meaning == GR_FMU_IS_SOIL && gr_soil_param(v->index)->open;
    if (!isfinite(value) || value < v->lower || value > v->upper || (open && value <= v->lower)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "found %g, allowed: %s%g to %g", value, open ? "above " : "",
                            v->lower, v->upper);
    }
    return GR_OK;
}

GrStatus gr_fmu_unit_set(GrFmuUnit *unit, int variable, double value, GrErrorLog *log)
{
    const GrFmuVariable *v = find(unit, variable, log);
    if (v == NULL) {
        return GR_ERROR_NAME;
    }
    if (v->role == GR_FMU_TIME || v->role == GR_FMU_OUTPUT) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = v->name}, "an output cannot be set");
    }
    if (v->role == GR_FMU_FIXED && unit->progress.begun) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = v->name},
                            "a fixed parameter cannot be set after initialisation");
    }
    const GrStatus status = check_value(v, value, log);
    if (status == GR_OK && unit->values[variable] != value) {
        unit->values[variable] = value;
        unit->stale = unit->stale || v->role != GR_FMU_INPUT;
    }
    return status;
}

GrStatus gr_fmu_unit_get(GrFmuUnit *unit, int variable, double *value, GrErrorLog *log)
{
    const GrFmuVariable *v = find(unit, variable, log);
    if (v == NULL || v->type == GR_FMU_TEXT) {
        return v == NULL ? GR_ERROR_NAME
                         : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = v->name}, "it is a text");
    }
    // before the first step outputs follow the parameters; later they are those of the last communication point
    const GrStatus status = unit->progress.begun ? GR_OK : refresh(unit, log);
    *value = unit->values[variable];
    return status;
}

GrStatus gr_fmu_unit_get_text(GrFmuUnit *unit, int variable, const char **value, GrErrorLog *log)
{
    const GrFmuVariable *v = find(unit, variable, log);
    if (v == NULL || v->type != GR_FMU_TEXT) {
        return v == NULL ? GR_ERROR_NAME
                         : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = v->name}, "it is not a text");
    }
    const GrStatus status = unit->progress.begun ? GR_OK : refresh(unit, log);
    if (status == GR_OK) {
        snprintf(unit->text, sizeof unit->text, "%016" PRIx64,
                 gr_data_hash(unit->world->model, gr_mission_data(unit->world->mission)));
        *value = unit->text;
    }
    return status;
}

// ---- steps

GrStatus gr_fmu_unit_begin(GrFmuUnit *unit, double time, GrErrorLog *log)
{
    if (!isfinite(time)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "time"}, "the start time is not finite");
    }
    const GrStatus status = refresh(unit, log);
    if (status == GR_OK) {
        unit->progress = (Progress){.begun = true, .start = time, .time = time};
        unit->values[0] = time;
    }
    return status;
}

/// The inputs that say how the rover is driven.
typedef struct Orders {
    GrFmuSource source;
    GrDriveCommand drive;
    bool drives, turns_wheels;         ///< whether any input of drive.* or wheels.* differs from its start
    double path_speed;                 ///< NAN: the scenario has no path
    bool torque;                       ///< wheels take torques
    double wheel[GR_DRIVE_WHEELS_MAX]; ///< [rad/s] or [N m]
    double steer[GR_DRIVE_WHEELS_MAX]; ///< [rad]
} Orders;

static Orders read_orders(const GrFmuUnit *unit)
{
    Orders orders = {.source = GR_FMU_BY_SCENARIO, .path_speed = (double)NAN};
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuVariable *v = &unit->variables.items[i];
        const double value = unit->values[i];
        const bool differs = value != v->start;
        switch (v->meaning) {
        case GR_FMU_IS_COMMAND_KIND:
            orders.torque = value == GR_FMU_COMMAND_TORQUE;
            break;
        case GR_FMU_IS_SOURCE:
            orders.source = (GrFmuSource)value;
            break;
        case GR_FMU_IS_MODE:
            orders.drive.mode = (GrDriveMode)value;
            break;
        case GR_FMU_IS_DRIVE:
            memcpy((unsigned char *)&orders.drive + v->offset, &value, sizeof value);
            orders.drives = orders.drives || differs;
            break;
        case GR_FMU_IS_PATH_SPEED:
            orders.path_speed = value;
            break;
        case GR_FMU_IS_WHEEL_COMMAND:
            orders.wheel[v->index] = value;
            orders.turns_wheels = orders.turns_wheels || differs;
            break;
        case GR_FMU_IS_WHEEL_STEER:
            orders.steer[v->index] = value;
            orders.turns_wheels = orders.turns_wheels || differs;
            break;
        default:
            break;
        }
    }
    return orders;
}

/// Warns once about inputs that the present source of commands does not read.
static void warn_unread(GrFmuUnit *unit, const Orders *orders, GrErrorLog *log)
{
    const bool drive = orders->drives && orders->source != GR_FMU_BY_DRIVE;
    const bool wheels = orders->turns_wheels && orders->source != GR_FMU_BY_WHEELS;
    if ((drive || wheels) && !unit->progress.warned) {
        unit->progress.warned = true;
        gr_warning_add(log, (GrLocation){.field = drive ? "drive" : "wheels"},
                       "is set, and has no effect: command.source is %s",
                       gr_fmu_choice_item(GR_FMU_CHOICE_SOURCE, (int)orders->source));
    }
}

/// Takes the rover from control, or gives it back.
static void choose_driver(GrMission *mission, const Orders *orders, bool *by_drive)
{
    GrMissionState *s = &mission->s;
    const bool by_wheels = orders->source == GR_FMU_BY_WHEELS;
    if (by_wheels) {
        s->control_due = INFINITY;
        s->ramp.count = 0;
    } else if (isinf(s->control_due)) {
        s->control_due = gr_data_time(mission->d);
    }
    if (orders->source == GR_FMU_BY_DRIVE) {
        s->control.by_hand = true;
        s->control.manual = orders->drive;
    } else if (*by_drive) { // a driver in the scenario keeps the rover
        s->control.by_hand = false;
    }
    *by_drive = orders->source == GR_FMU_BY_DRIVE;
    if (!isnan(orders->path_speed)) {
        mission->control.def.cruise_speed = orders->path_speed;
    }
}

/// Commands of the host to the motors, before each step: a steering motor that takes a speed needs the present angle.
static void command_wheels(const GrFmuUnit *unit, const Orders *orders)
{
    const GrModel *m = unit->world->model;
    GrData *d = unit->world->mission->d;
    for (int i = 0; i < unit->geometry.wheel_count; i++) {
        const GrDriveWheel *w = &unit->geometry.wheels[i];
        if (w->drive >= 0) {
            gr_data_set_command(m, d, w->drive, w->drive_sign * orders->wheel[i]);
        }
        if (w->steer >= 0) {
            const double angle = w->steer_sign * orders->steer[i];
            const double off = angle - gr_data_joint_position(m, d, w->steer);
            gr_data_set_command(m, d, w->steer, w->steer_servo ? angle : unit->steer_gain * off);
        }
    }
}

/// The time that `until` stands for: a time of the recording where it is near one.
static double on_grid(double until, double period)
{
    const double nearest = nearbyint(until / period) * period;
    return fabs(until - nearest) <= SAME_TIME * period ? nearest : until;
}

static GrStatus check_times(const GrFmuUnit *unit, double from, double until, GrErrorLog *log)
{
    const double period = 1 / unit->scenario.record_rate, now = unit->progress.time;
    if (!(fabs(from - now) <= SAME_TIME * period)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "time"},
                            "a step from %.17g s was asked for, but the unit is at %.17g s", from, now);
    }
    if (!(until > from) || !(until - unit->progress.start < ENDLESS)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "time"},
                            "found a step of %g s, allowed: above 0, up to %g s of simulated time", until - from,
                            ENDLESS);
    }
    return GR_OK;
}

/// Steps to a time of the mission; `early`: up to an event.
static bool step_to(GrFmuUnit *unit, const Orders *orders, double until, bool early)
{
    GrMission *mission = unit->world->mission;
    const double period = 1 / unit->scenario.record_rate;
    const int way_point = mission->s.control.way_point;
    bool event = false;
    while (mission->s.outcome == GR_OUTCOME_RUNNING && gr_data_time(mission->d) < until && !(event && early)) {
        const double next = (double)(unit->progress.samples + 1) * period;
        if (gr_data_time(mission->d) >= next) {
            unit->progress.samples++;
            continue;
        }
        if (orders->source == GR_FMU_BY_WHEELS) {
            command_wheels(unit, orders);
        }
        gr_mission_step(mission, fmin(next, until));
        event = mission->s.control.way_point != way_point;
    }
    return event || mission->s.outcome != GR_OUTCOME_RUNNING;
}

GrStatus gr_fmu_unit_advance(GrFmuUnit *unit, double from, double until, bool early, GrFmuAdvance *out, GrErrorLog *log)
{
    *out = (GrFmuAdvance){.time = unit->progress.time};
    GrStatus status = check_times(unit, from, until, log);
    const Orders orders = read_orders(unit);
    if (status == GR_OK && orders.torque && orders.source != GR_FMU_BY_WHEELS) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "command.source"},
                              "must be wheels where wheel_command is torque: control cannot drive by torque");
    }
    if (status == GR_OK) {
        status = refresh(unit, log);
    }
    if (status != GR_OK) {
        return status;
    }
    warn_unread(unit, &orders, log);
    GrMission *mission = unit->world->mission;
    if (mission->driven) {
        choose_driver(mission, &orders, &unit->progress.by_drive);
    }
    const double aim = on_grid(until - unit->progress.start, 1 / unit->scenario.record_rate);
    out->event = step_to(unit, &orders, aim, early);
    const double reached = gr_data_time(mission->d);
    out->ended = mission->s.outcome != GR_OUTCOME_RUNNING;
    out->time = reached >= aim ? until : unit->progress.start + reached;
    unit->progress.time = out->time;
    read_outputs(unit);
    if (mission->s.outcome == GR_OUTCOME_DIVERGED || mission->s.outcome == GR_OUTCOME_FAILED) {
        return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){.field = "outcome"}, "%s", mission->s.cause);
    }
    return GR_OK;
}

GrStatus gr_fmu_unit_reset(GrFmuUnit *unit, GrErrorLog *log)
{
    unit->progress = (Progress){0};
    start_values(unit);
    unit->stale = true;
    return refresh(unit, log);
}

// ---- state

/// First in a saved state. The layout of the rest is that of this build.
typedef struct Header {
    char magic[8];
    uint64_t variables, mission; ///< number of values, bytes of the mission
    Progress progress;
} Header;

static const char MAGIC[8] = {'G', 'R', 'F', 'M', 'U', '0', '0', '1'};

size_t gr_fmu_unit_size(const GrFmuUnit *unit)
{
    return sizeof(Header) + sizeof(double) * (size_t)unit->variables.count + gr_mission_size(unit->world->mission);
}

GrStatus gr_fmu_unit_save(GrFmuUnit *unit, void *out, GrErrorLog *log)
{
    const size_t values = sizeof(double) * (size_t)unit->variables.count;
    Header header;
    memset(&header, 0, sizeof header); // padding too: equal states are equal bytes
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    header.variables = (uint64_t)unit->variables.count;
    header.mission = gr_mission_size(unit->world->mission);
    header.progress = unit->progress;
    memcpy(out, &header, sizeof header);
    memcpy((unsigned char *)out + sizeof header, unit->values, values);
    const GrStatus status = gr_mission_save(unit->world->mission, (unsigned char *)out + sizeof header + values);
    return status == GR_OK ? GR_OK : gr_out_of_memory(log, NULL);
}

/// Whether parameters in `values` differ from those of the present world.
static bool parameters_differ(const GrFmuUnit *unit, const double *values)
{
    bool differ = unit->stale;
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuRole role = unit->variables.items[i].role;
        differ = differ || ((role == GR_FMU_TUNABLE || role == GR_FMU_FIXED) && values[i] != unit->values[i]);
    }
    return differ;
}

/// Header of a saved state, after checks of its size.
static GrStatus read_header(const GrFmuUnit *unit, const void *saved, size_t size, Header *header, GrErrorLog *log)
{
    const size_t values = sizeof(double) * (size_t)unit->variables.count;
    if (size < sizeof *header) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "the state is cut short: %zu bytes", size);
    }
    memcpy(header, saved, sizeof *header);
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0 || header->variables != (uint64_t)unit->variables.count) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "not a state of this unit");
    }
    if (size - sizeof *header < values || header->mission != size - sizeof *header - values) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "the state is cut short: %zu bytes", size);
    }
    return GR_OK;
}

GrStatus gr_fmu_unit_restore(GrFmuUnit *unit, const void *saved, size_t size, GrErrorLog *log)
{
    const size_t count = (size_t)unit->variables.count;
    Header header;
    GrStatus status = read_header(unit, saved, size, &header, log);
    if (status != GR_OK) {
        return status;
    }
    double *values = gr_calloc(count, sizeof *values);
    if (values == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    memcpy(values, (const unsigned char *)saved + sizeof header, sizeof *values * count);
    unit->stale = parameters_differ(unit, values);
    unit->progress.begun = false; // the mission comes from the saved state
    memcpy(unit->values, values, sizeof *values * count);
    status = refresh(unit, log);
    if (status == GR_OK) {
        const unsigned char *mission = (const unsigned char *)saved + sizeof header + sizeof *values * count;
        status = gr_mission_restore(unit->world->mission, mission, (size_t)header.mission, log);
    }
    memcpy(unit->values, values, sizeof *values * count);
    unit->progress = header.progress;
    gr_free(values);
    return status;
}
