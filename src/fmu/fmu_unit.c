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
    GrRoverDef *rover = &unit->scenario->rover;
    for (int i = 0; i < rover->joint_count; i++) {
        GrMotorDef *motor = &rover->joints[i].motor;
        *motor = unit->motors[i];
        if (torque && rover->joints[i].role == GR_ROLE_DRIVE && motor->kind != GR_MOTOR_NONE) {
            motor->torque_limit =
                motor->kind == GR_MOTOR_DC ? fmin(motor->torque_limit, motor->stall_torque) : motor->torque_limit;
            motor->kind = GR_MOTOR_TORQUE;
        }
    }
    unit->scenario->mission.uncontrolled = torque;
}

/// Parameters that differ from the file; the others keep its bits.
static void apply_parameters(GrFmuUnit *unit)
{
    GrVec3 *g = &unit->scenario->gravity;
    double *const gravity[3] = {&g->x, &g->y, &g->z};
    bool torque = false;
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuVariable *v = &unit->variables.items[i];
        const double value = unit->values[i];
        if (v->meaning == GR_FMU_IS_GRAVITY) {
            *gravity[v->index] = value;
        } else if (v->meaning == GR_FMU_IS_SOIL && value != gr_soil_param_get(&unit->scenario->soil, v->index)) {
            gr_soil_param_set(&unit->scenario->soil, v->index, value);
        } else if (v->meaning == GR_FMU_IS_COMMAND_KIND) {
            torque = value == GR_FMU_COMMAND_TORQUE;
        }
    }
    choose_motors(unit, torque);
}

static GrStatus make_contact(GrFmuUnit *unit, GrErrorLog *log)
{
    int part = 0;
    for (int i = 0; i < unit->variables.count; i++) {
        part = unit->variables.items[i].meaning == GR_FMU_IS_PART ? (int)unit->values[i] : part;
    }
    gr_shipped_only(unit->within[0] != '\0' ? unit->within : NULL);
    GrErrorLog messages = {.quiet = true};
    const GrStatus status =
        gr_fmu_contact_make(&unit->contact, &unit->def, unit->scenario, part, unit->ground, &messages);
    gr_shipped_only(NULL);
    tell(unit, &messages, log);
    unit->stale = unit->stale && status != GR_OK;
    unit->old = true;
    return status;
}

/// Makes the world of the present parameters; after an error the unit keeps the one it has.
static GrStatus make_world(GrFmuUnit *unit, GrErrorLog *log)
{
    apply_parameters(unit);
    if (unit->def.contact != GR_FMU_ROVER) {
        return make_contact(unit, log);
    }
    GrWorld *made = NULL;
    gr_shipped_only(unit->within[0] != '\0' ? unit->within : NULL);
    GrErrorLog messages = {.quiet = true};
    const GrStatus status = gr_world_create(unit->scenario, &made, &messages);
    gr_shipped_only(NULL);
    tell(unit, &messages, log);
    if (status != GR_OK) {
        return status;
    }
    made->mission->def.duration = ENDLESS;
    gr_data_set_force(gr_mission_data(made->mission), push, unit);
    gr_world_free(unit->world);
    unit->world = made;
    unit->sampled = false;
    unit->stale = false;
    return GR_OK;
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
    if (unit->contact != NULL) {
        unit->values[0] = unit->progress.time;
        gr_fmu_contact_outputs(unit->contact, &unit->variables, 0, unit->values);
        return;
    }
    const GrMission *mission = unit->world->mission;
    take_sample(unit);
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuVariable *v = &unit->variables.items[i];
        if (v->meaning == GR_FMU_IS_CHANNEL) {
            unit->values[i] = v->factor * gr_channel_value(&v->channel, &unit->sample, 0);
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
    const size_t size = unit->progress.begun ? gr_fmu_unit_state_size(unit) : 0;
    unsigned char *saved = gr_malloc(size + 1);
    if (saved == NULL || (size > 0 && gr_fmu_unit_state_save(unit, saved) != GR_OK)) {
        gr_free(saved);
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = make_world(unit, log);
    if (status == GR_OK && size > 0) {
        status = gr_fmu_unit_state_restore(unit, saved, size, log);
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
    const GrRoverDef *rover = &unit->scenario->rover;
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

static GrStatus make_contact_variables(GrFmuUnit *unit, GrErrorLog *log)
{
    const GrStatus status = gr_fmu_contact_variables(unit->contact, &unit->variables, log);
    unit->values = status == GR_OK ? gr_calloc((size_t)unit->variables.count, sizeof *unit->values) : NULL;
    if (unit->values == NULL) {
        return status != GR_OK ? status : gr_out_of_memory(log, NULL);
    }
    start_values(unit);
    read_outputs(unit);
    return GR_OK;
}

static GrStatus make_variables(GrFmuUnit *unit, GrErrorLog *log)
{
    if (unit->contact != NULL) {
        return make_contact_variables(unit, log);
    }
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

GrFmuUnit *gr_fmu_unit_create(const GrFmuUnitDef *def, GrErrorLog *log)
{
    GrFmuUnit *unit = gr_calloc(1, sizeof *unit);
    if (unit == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    unit->def = (GrFmuUnitDef){.contact = def->contact, .exchange = def->exchange};
    gr_text_copy(unit->within, sizeof unit->within, def->within != NULL ? def->within : "");
    gr_shipped_only(def->within);
    GrStatus status = gr_scenario_load(def->scenario, def->overrides, &unit->scenario, log);
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
        gr_fmu_contact_free(unit->contact);
        gr_world_free(unit->world);
        gr_scenario_free(unit->scenario);
        gr_free(unit->values);
        gr_free(unit->motors);
        gr_free(unit);
    }
}

const GrFmuVariables *gr_fmu_unit_variables(const GrFmuUnit *unit)
{
    return &unit->variables;
}

GrFmuContactKind gr_fmu_unit_contact(const GrFmuUnit *unit)
{
    return unit->def.contact;
}

const GrScenario *gr_fmu_unit_scenario(const GrFmuUnit *unit)
{
    return unit->scenario;
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
        return gr_error_add(log, GR_ERROR_VALUE, at, "found %g, which is not a value of %s", value,
                            gr_fmu_choice_name(v->choice));
    }
    const bool open = v->meaning == GR_FMU_IS_SOIL && gr_soil_param(v->index)->open;
    if (!isfinite(value) || value < v->lower || value > v->upper || (open && value <= v->lower)) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "found %g, allowed: %s%g to %g", value, open ? "above " : "",
                            v->lower, v->upper);
    }
    return GR_OK;
}

/// One of the continuous states, by its variable.
static GrStatus set_state(GrFmuUnit *unit, const GrFmuVariable *v, double value, GrErrorLog *log)
{
    double *states = gr_calloc((size_t)gr_fmu_unit_states(unit), sizeof *states);
    if (states == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_fmu_unit_state_get(unit, states, log);
    if (status == GR_OK) {
        states[v->index] = value;
        status = gr_fmu_unit_state_set(unit, states, log);
    }
    gr_free(states);
    return status;
}

GrStatus gr_fmu_unit_set(GrFmuUnit *unit, int variable, double value, GrErrorLog *log)
{
    const GrFmuVariable *v = find(unit, variable, log);
    if (v == NULL) {
        return GR_ERROR_NAME;
    }
    if (v->meaning == GR_FMU_IS_STATE && unit->def.exchange) {
        return set_state(unit, v, value, log);
    }
    if (v->role == GR_FMU_TIME || v->role == GR_FMU_OUTPUT || v->role == GR_FMU_LOCAL) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = v->name}, "an output cannot be set");
    }
    if (v->role == GR_FMU_FIXED && unit->progress.begun) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = v->name},
                            "a fixed parameter cannot be set after initialisation");
    }
    const GrStatus status = check_value(v, value, log);
    if (status == GR_OK && unit->values[variable] != value) {
        unit->values[variable] = value;
        unit->old = true;
        unit->stale = unit->stale || v->role != GR_FMU_INPUT;
    }
    return status;
}

/// Outputs of a contact unit for the present inputs and time, where the host may see them at any time.
static GrStatus renew(GrFmuUnit *unit, GrErrorLog *log)
{
    GrStatus status = gr_fmu_unit_refresh(unit, log);
    if (status == GR_OK && unit->old) {
        const double dt = unit->progress.begun ? unit->now - unit->progress.time : 0;
        status = gr_fmu_contact_outputs(unit->contact, &unit->variables, fmax(0, dt), unit->values);
        unit->values[0] = unit->progress.begun ? unit->now : 0;
        unit->old = false;
        if (status != GR_OK) {
            gr_error_add(log, status, (GrLocation){.field = "position"}, "the motion is not finite, or memory is out");
        }
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
    const bool result = v->role == GR_FMU_OUTPUT || v->role == GR_FMU_LOCAL;
    if (result && unit->contact != NULL && (unit->def.exchange || !unit->progress.begun)) {
        const GrStatus renewed = renew(unit, log);
        *value = unit->values[variable];
        return renewed;
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
    if (status == GR_OK && v->meaning == GR_FMU_IS_GROUND) {
        gr_text_copy(unit->text, sizeof unit->text, unit->ground);
        *value = unit->text;
    } else if (status == GR_OK) {
        const uint64_t hash = unit->contact != NULL
                                  ? gr_contact_hash(gr_fmu_contact_unit(unit->contact))
                                  : gr_data_hash(unit->world->model, gr_mission_data(unit->world->mission));
        snprintf(unit->text, sizeof unit->text, "%016" PRIx64, hash);
        *value = unit->text;
    }
    return status;
}

GrStatus gr_fmu_unit_set_text(GrFmuUnit *unit, int variable, const char *value, GrErrorLog *log)
{
    const GrFmuVariable *v = find(unit, variable, log);
    if (v == NULL || v->meaning != GR_FMU_IS_GROUND) {
        return v == NULL ? GR_ERROR_NAME
                         : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = v->name}, "it is no text to set");
    }
    if (unit->progress.begun) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = v->name},
                            "a fixed parameter cannot be set after initialisation");
    }
    if (strlen(value) >= sizeof unit->ground) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = v->name}, "found %zu bytes, allowed: up to %zu",
                            strlen(value), sizeof unit->ground - 1);
    }
    unit->stale = unit->stale || strcmp(value, unit->ground) != 0;
    gr_text_copy(unit->ground, sizeof unit->ground, value);
    return GR_OK;
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
        unit->now = time;
        unit->old = true;
        unit->values[0] = time;
    }
    return status;
}

/// The time that `until` stands for: a time of the recording where it is near one.
static double on_grid(double until, double period)
{
    const double nearest = nearbyint(until / period) * period;
    return fabs(until - nearest) <= SAME_TIME * period ? nearest : until;
}

static GrStatus check_times(const GrFmuUnit *unit, double from, double until, GrErrorLog *log)
{
    const double period = 1 / unit->scenario->record_rate, now = unit->progress.time;
    if (!(fabs(from - now) <= SAME_TIME * period)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "time"},
                            "the host asked for a step from %.17g s, but the unit is at %.17g s", from, now);
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
static bool step_to(GrFmuUnit *unit, const GrFmuOrders *orders, double until, bool early)
{
    GrMission *mission = unit->world->mission;
    const double period = 1 / unit->scenario->record_rate;
    const int way_point = mission->s.control.way_point;
    bool event = false;
    while (mission->s.outcome == GR_OUTCOME_RUNNING && gr_data_time(mission->d) < until && !(event && early)) {
        const double next = (double)(unit->progress.samples + 1) * period;
        if (orders->source == GR_FMU_BY_WHEELS) {
            gr_fmu_orders_command_wheels(unit, orders);
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

static GrStatus advance_contact(GrFmuUnit *unit, double from, double until, GrFmuAdvance *out, GrErrorLog *log)
{
    GrStatus status = gr_fmu_unit_refresh(unit, log);
    if (status == GR_OK) {
        status = gr_fmu_contact_advance(unit->contact, &unit->variables, until - from, unit->values);
        unit->values[0] = out->time = unit->progress.time = unit->now = until;
        if (status != GR_OK) {
            gr_error_add(log, status, (GrLocation){.field = "position"}, "the motion is not finite, or memory is out");
        }
    }
    return status;
}

GrStatus gr_fmu_unit_advance(GrFmuUnit *unit, double from, double until, bool early, GrFmuAdvance *out, GrErrorLog *log)
{
    *out = (GrFmuAdvance){.time = unit->progress.time};
    GrStatus status = check_times(unit, from, until, log);
    if (status == GR_OK && unit->contact != NULL) {
        return advance_contact(unit, from, until, out, log);
    }
    const GrFmuOrders orders = gr_fmu_orders_read(unit);
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
    gr_fmu_orders_warn_unread(unit, &orders, log);
    GrMission *mission = unit->world->mission;
    if (mission->driven) {
        gr_fmu_orders_choose_driver(mission, &orders, &unit->progress);
    }
    unit->force = gr_vec3(orders.force[0], orders.force[1], orders.force[2]);
    unit->moment = gr_vec3(orders.moment[0], orders.moment[1], orders.moment[2]);
    const double aim = on_grid(until - unit->progress.start, 1 / unit->scenario->record_rate);
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

// ---- model exchange

GrStatus gr_fmu_unit_set_time(GrFmuUnit *unit, double time, GrErrorLog *log)
{
    if (!(time >= unit->progress.time)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "time"},
                            "found %.17g s, which is before the last completed step at %.17g s", time,
                            unit->progress.time);
    }
    unit->old = unit->old || time != unit->now;
    unit->now = time;
    return GR_OK;
}

GrStatus gr_fmu_unit_complete(GrFmuUnit *unit, GrErrorLog *log)
{
    const double dt = unit->now - unit->progress.time;
    GrStatus status = gr_fmu_unit_refresh(unit, log);
    if (status == GR_OK && dt > 0) {
        status = gr_fmu_contact_accept(unit->contact, &unit->variables, dt, unit->values);
        unit->progress.time = unit->now;
        unit->old = true;
    }
    return status;
}

int gr_fmu_unit_events(GrFmuUnit *unit, double *values, GrErrorLog *log)
{
    const double *found;
    if (unit->contact == NULL || (values != NULL && renew(unit, log) != GR_OK)) {
        return unit->contact == NULL ? 0 : -1;
    }
    const int count = gr_fmu_contact_events(unit->contact, &found);
    for (int i = 0; values != NULL && i < count; i++) {
        values[i] = found[i];
    }
    return count;
}

static GrContact *contact_of(const GrFmuUnit *unit)
{
    return unit->contact != NULL ? gr_fmu_contact_unit(unit->contact) : NULL;
}

int gr_fmu_unit_states(const GrFmuUnit *unit)
{
    return contact_of(unit) != NULL ? gr_contact_state_count(contact_of(unit)) : 0;
}

void gr_fmu_unit_state_sizes(const GrFmuUnit *unit, double *sizes)
{
    for (int k = 0; k < gr_fmu_unit_states(unit); k++) {
        sizes[k] = gr_contact_state_nominal(contact_of(unit), k);
    }
}

GrStatus gr_fmu_unit_state_get(GrFmuUnit *unit, double *states, GrErrorLog *log)
{
    const GrStatus status = gr_fmu_unit_refresh(unit, log);
    if (status == GR_OK && contact_of(unit) != NULL) {
        gr_contact_states(contact_of(unit), states);
    }
    return status;
}

GrStatus gr_fmu_unit_state_set(GrFmuUnit *unit, const double *states, GrErrorLog *log)
{
    GrStatus status = gr_fmu_unit_refresh(unit, log);
    for (int k = 0; k < gr_fmu_unit_states(unit) && status == GR_OK; k++) {
        if (!isfinite(states[k])) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "memory"}, "a state is not finite");
        }
    }
    if (status == GR_OK && contact_of(unit) != NULL) {
        gr_contact_set_states(contact_of(unit), states);
        unit->old = true;
    }
    return status;
}

GrStatus gr_fmu_unit_state_rates(GrFmuUnit *unit, double *rates, GrErrorLog *log)
{
    const GrStatus status = contact_of(unit) != NULL ? renew(unit, log) : GR_OK;
    if (status == GR_OK && contact_of(unit) != NULL) {
        gr_contact_rates(contact_of(unit), rates);
    }
    return status;
}

GrStatus gr_fmu_unit_switch(GrFmuUnit *unit, bool *changed, GrErrorLog *log)
{
    *changed = false;
    if (contact_of(unit) == NULL || !unit->def.exchange) {
        return GR_OK;
    }
    unit->old = true;
    const GrStatus status = renew(unit, log);
    *changed = status == GR_OK && gr_contact_switch(contact_of(unit));
    unit->old = true;
    return status;
}

bool gr_fmu_unit_needs_steps(const GrFmuUnit *unit)
{
    return contact_of(unit) == NULL || gr_contact_needs_steps(contact_of(unit));
}

GrStatus gr_fmu_unit_reset(GrFmuUnit *unit, GrErrorLog *log)
{
    unit->ground[0] = '\0';
    unit->now = 0;
    unit->progress = (GrFmuProgress){0};
    start_values(unit);
    unit->stale = true;
    return gr_fmu_unit_refresh(unit, log);
}
