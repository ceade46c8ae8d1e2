#include "fmu_unit_data.h"

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

// ---- messages

/// Whether a message is new, from now on it is not. With a full list all are new.
static bool is_news(GrFmuUnit *unit, const GrError *message)
{
    GrAssetHash hash = gr_asset_hash_begin("message");
    gr_asset_hash_text(&hash, message->text);
    for (int i = 0; i < unit->reported_count; i++) {
        if (unit->reported[i].a == hash.a && unit->reported[i].b == hash.b) {
            return false;
        }
    }
    if (unit->reported_count < GR_FMU_REPORTED_MAX) {
        unit->reported[unit->reported_count++] = hash;
    }
    return true;
}

/// Hands on errors, and warnings that are new.
static void tell(GrFmuUnit *unit, const GrErrorLog *from, GrErrorLog *log)
{
    for (int i = 0; i < from->count; i++) {
        const GrError *e = &from->items[i];
        const GrLocation at = {e->file, e->line, e->column, e->field};
        if (e->severity == GR_SEVERITY_ERROR) {
            gr_error_add(log, e->status, at, "%s", e->text);
        } else if (e->severity == GR_SEVERITY_WARNING && is_news(unit, e)) {
            gr_warning_add(log, at, "%s", e->text);
        }
    }
}

// ---- the world

/// Force and moment of the host on the chassis.
static void push(void *context, const GrModel *m, GrData *d, double dt)
{
    const GrFmuUnit *unit = context;
    const GrVec3 force = unit->force, moment = unit->moment;
    if (unit->world->mission->def.pull != 0) {
        gr_mission_pull_force(unit->world->mission, m, d, dt);
    }
    if (gr_norm(force) > 0 || gr_norm(moment) > 0) {
        gr_data_add_wrench(m, d, 0, gr_base_position(&d->tree), force, moment);
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
    GrErrorLog messages = {.quiet = true};
    const GrStatus status = gr_world_create(&unit->scenario, made, &messages);
    gr_shipped_only(NULL);
    tell(unit, &messages, log);
    if (status != GR_OK) {
        gr_free(made);
        return status;
    }
    made->mission->def.duration = ENDLESS;
    gr_data_set_force(gr_mission_data(made->mission), push, unit);
    free_world(unit->world);
    unit->world = made;
    unit->sampled = false;
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

/// Takes a sample, once per step: it uses up what the step has left in the data.
static void take_sample(GrFmuUnit *unit)
{
    if (!unit->sampled) {
        gr_mission_sample(unit->world->mission, &unit->sample);
        unit->sampled = true;
    }
}

/// Values of all outputs.
static void read_outputs(GrFmuUnit *unit)
{
    const GrMission *mission = unit->world->mission;
    take_sample(unit);
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

GrStatus gr_fmu_unit_refresh(GrFmuUnit *unit, GrErrorLog *log)
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
    const bool whole = value >= 0 && value < GR_FMU_CHOICES_MAX && value == floor(value);
    if (v->type == GR_FMU_CHOICE && (!whole || gr_fmu_choice_item(v->choice, (int)value) == NULL)) {
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
    const GrStatus status = unit->progress.begun ? GR_OK : gr_fmu_unit_refresh(unit, log);
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
    const GrStatus status = unit->progress.begun ? GR_OK : gr_fmu_unit_refresh(unit, log);
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
    const GrStatus status = gr_fmu_unit_refresh(unit, log);
    if (status == GR_OK) {
        unit->progress = (GrFmuProgress){.begun = true, .start = time, .time = time};
        unit->values[0] = time;
    }
    return status;
}

/// The inputs that act during a step.
typedef struct Orders {
    GrFmuSource source;
    GrDriveCommand drive;
    bool drives, turns_wheels;         ///< whether any input of drive.* or wheels.* differs from its start
    double path_speed;                 ///< NAN: the scenario has no path
    bool torque;                       ///< wheels take torques
    double wheel[GR_DRIVE_WHEELS_MAX]; ///< [rad/s] or [N m]
    double steer[GR_DRIVE_WHEELS_MAX]; ///< [rad]
    double force[3], moment[3];        ///< on the chassis [N, N m]
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
        case GR_FMU_IS_FORCE:
            orders.force[v->index] = value;
            break;
        case GR_FMU_IS_MOMENT:
            orders.moment[v->index] = value;
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

/// Takes the rover from the scenario for drive.*, or gives it back as it was.
static void choose_hand(GrControlState *control, const Orders *orders, GrFmuProgress *progress)
{
    const bool by_drive = orders->source == GR_FMU_BY_DRIVE;
    if (by_drive && !progress->by_drive) {
        progress->was_by_hand = control->by_hand;
        progress->manual = control->manual;
    } else if (!by_drive && progress->by_drive) {
        control->by_hand = progress->was_by_hand;
        control->manual = progress->manual;
    }
    if (by_drive) {
        control->by_hand = true;
        control->manual = orders->drive;
    }
    progress->by_drive = by_drive;
}

/// Takes the motors from control for wheels.*, or gives them back.
static void choose_driver(GrMission *mission, const Orders *orders, GrFmuProgress *progress)
{
    GrMissionState *s = &mission->s;
    if (orders->source == GR_FMU_BY_WHEELS) {
        s->control_due = INFINITY;
        s->ramp.count = 0;
    } else if (isinf(s->control_due)) {
        s->control_due = gr_data_time(mission->d);
    }
    choose_hand(&s->control, orders, progress);
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

/// Steps to a time of the mission; `early`: up to an event. Samples are taken at the times of the recording, as a run
/// does: they renew the poses by which the next step is chosen.
static bool step_to(GrFmuUnit *unit, const Orders *orders, double until, bool early)
{
    GrMission *mission = unit->world->mission;
    const double period = 1 / unit->scenario.record_rate;
    const int way_point = mission->s.control.way_point;
    bool event = false;
    while (mission->s.outcome == GR_OUTCOME_RUNNING && gr_data_time(mission->d) < until && !(event && early)) {
        const double next = (double)(unit->progress.samples + 1) * period;
        if (orders->source == GR_FMU_BY_WHEELS) {
            command_wheels(unit, orders);
        }
        gr_mission_step(mission, fmin(next, until));
        unit->sampled = false;
        if (gr_data_time(mission->d) >= next) {
            take_sample(unit);
            unit->progress.samples++;
        }
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
        status = gr_fmu_unit_refresh(unit, log);
    }
    if (status != GR_OK) {
        return status;
    }
    warn_unread(unit, &orders, log);
    GrMission *mission = unit->world->mission;
    if (mission->driven) {
        choose_driver(mission, &orders, &unit->progress);
    }
    unit->force = gr_vec3(orders.force[0], orders.force[1], orders.force[2]);
    unit->moment = gr_vec3(orders.moment[0], orders.moment[1], orders.moment[2]);
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
    unit->progress = (GrFmuProgress){0};
    start_values(unit);
    unit->stale = true;
    return gr_fmu_unit_refresh(unit, log);
}
