#include "fmu_contact.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "scenario_data.h"
#include "soil_param.h"
#include "stones.h"
#include "text.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct GrFmuContact {
    GrFmuUnitDef def;
    const GrScenario *source; ///< with the whole rover
    GrScenario scenario;      ///< the same with the part as its rover; owns only that
    GrWorld *world;
    GrContact *unit;
    GrPartForce force;
    int described;        ///< states of the unit that this one replaces; -1: none
    int states;           ///< of the soil's memory; 0: steps advance it
    double *state, *rate; ///< [states]; rates in co-simulation: means over the last step
};

/// Events of a host that integrates the memory (grouser/contact.h).
enum { STATE_EVENTS = 3 };

/// Beyond this distance of the part ground and rocks are not in memory [m].
static const double AHEAD = 5;

/// Where a part is until the host says so: above any ground [m].
static const double START_HEIGHT = 1e5;

const char *gr_fmu_contact_name(GrFmuContactKind kind)
{
    static const char *const NAMES[] = {"", "wheel", "body", "terrain"};
    return (int)kind >= 0 && kind < GR_FMU_CONTACT_COUNT ? NAMES[kind] : NULL;
}

// ---- parts

static bool is_body(const GrFmuContact *c)
{
    return c->def.contact == GR_FMU_BODY;
}

/// Number of parts of the kind, and the name of one.
static int part_count(const GrRoverDef *rover, bool bodies)
{
    int count = bodies ? 0 : rover->wheel_count;
    for (int i = 0; bodies && i < rover->body_count; i++) {
        count += rover->bodies[i].shape_count > 0;
    }
    return count;
}

static const char *part_name(const GrRoverDef *rover, bool bodies, int part)
{
    for (int i = 0; bodies && i < rover->body_count; i++) {
        if (rover->bodies[i].shape_count > 0 && part-- == 0) {
            return rover->bodies[i].name;
        }
    }
    return !bodies && part < rover->wheel_count ? rover->wheels[part].name : "";
}

// ---- creation

/// Events of a host that integrates are there in co-simulation too, where they never happen: the description of both is
/// the same.
static GrStatus evaluate(GrFmuContact *c, const GrPartMotion *motion, double dt)
{
    const GrStatus status = gr_contact_evaluate(c->unit, motion, dt, &c->force);
    for (int i = 0; i < STATE_EVENTS && c->states > 0 && !c->def.exchange; i++) {
        c->force.event[c->force.events++] = 1;
    }
    return status;
}

static GrStatus build(GrFmuContact *c, int part, const char *ground, GrErrorLog *log)
{
    const GrRoverDef *rover = &c->source->rover;
    if (part_count(rover, is_body(c)) == 0) {
        return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "--contact"},
                            is_body(c) ? "no body of the rover has shapes" : "the rover has no wheels");
    }
    c->scenario = *c->source;
    c->scenario.rover = gr_default_rover_def();
    c->scenario.integrator = c->def.exchange ? GR_INTEGRATOR_BEEMAN : GR_INTEGRATOR_LINEAR;
    if (c->scenario.wheel_soil != NULL) { // those of the part begin there
        c->scenario.wheel_soil += is_body(c) ? 0 : part;
    }
    GrStatus status = gr_contact_part(rover, part_name(rover, is_body(c), part), &c->scenario.rover, log);
    status = status == GR_OK ? gr_world_create_ground(&c->scenario, &c->world, log) : status;
    status = status == GR_OK ? gr_contact_create(c->world->model, ground, &c->unit, log) : status;
    if (status == GR_OK && c->def.contact != GR_FMU_TERRAIN) { // the number of events
        const GrPartMotion high = {.pose = {{0, 0, START_HEIGHT}, {1, 0, 0, 0}}};
        c->states = gr_contact_state_count(c->unit);
        if (c->described >= 0 && c->states != c->described) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "part"},
                                "the memory of this part's soil has %d states, that of part 0 has %d", c->states,
                                c->described);
        }
        c->state = gr_calloc((size_t)c->states + 1, sizeof *c->state);
        c->rate = gr_calloc((size_t)c->states + 1, sizeof *c->rate);
        const bool made = c->state != NULL && c->rate != NULL;
        if (!made || (c->def.exchange && c->states > 0 && !gr_contact_integrate(c->unit))) {
            return gr_out_of_memory(log, NULL);
        }
        status = evaluate(c, &high, 0);
    }
    return status;
}

GrStatus gr_fmu_contact_make(GrFmuContact **contact, const GrFmuUnitDef *def, const GrScenario *scenario, int part,
                             const char *ground, GrErrorLog *log)
{
    GrFmuContact *c = gr_calloc(1, sizeof *c);
    if (c == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    c->def = *def;
    c->source = scenario;
    c->described = *contact != NULL ? (*contact)->states : -1;
    const GrStatus status = build(c, part, ground, log);
    if (status != GR_OK) {
        gr_fmu_contact_free(c);
        return status;
    }
    gr_fmu_contact_free(*contact);
    *contact = c;
    return GR_OK;
}

void gr_fmu_contact_free(GrFmuContact *c)
{
    if (c != NULL) {
        gr_contact_free(c->unit);
        gr_world_free(c->world);
        gr_rover_free(&c->scenario.rover);
        gr_free(c->state);
        gr_free(c->rate);
        gr_free(c);
    }
}

// ---- variables: one table, of doubles in GrPartMotion and GrPartForce

typedef struct Row {
    const char *name, *unit, *text;
    size_t offset;
} Row;

#define IN(name, unit, member, text)                                                                                   \
    {                                                                                                                  \
        name, unit, text, offsetof(GrPartMotion, member)                                                               \
    }
static const Row MOTION[] = {
    IN("position.x", "m", pose.position.x, "of the part's frame, world axes"),
    IN("position.y", "m", pose.position.y, "of the part's frame, world axes"),
    IN("position.z", "m", pose.position.z, "of the part's frame, world axes"),
    IN("rotation.w", "", pose.rotation.w, "quaternion of the part's frame, which turns with a wheel"),
    IN("rotation.x", "", pose.rotation.x, "quaternion of the part's frame"),
    IN("rotation.y", "", pose.rotation.y, "quaternion of the part's frame"),
    IN("rotation.z", "", pose.rotation.z, "quaternion of the part's frame"),
    IN("velocity.x", "m/s", linear.x, "of the frame's origin, world axes"),
    IN("velocity.y", "m/s", linear.y, "of the frame's origin, world axes"),
    IN("velocity.z", "m/s", linear.z, "of the frame's origin, world axes"),
    IN("angular_velocity.x", "rad/s", angular.x, "world axes"),
    IN("angular_velocity.y", "rad/s", angular.y, "world axes"),
    IN("angular_velocity.z", "rad/s", angular.z, "world axes"),
    IN("angle", "rad", angle, "of a wheel's joint, by which traces and lugs find the grousers"),
};

#define OUT(name, unit, member, text)                                                                                  \
    {                                                                                                                  \
        name, unit, text, offsetof(GrPartForce, member)                                                                \
    }
static const Row FORCE[] = {
    OUT("force.x", "N", force.x, "of the ground on the part, world axes"),
    OUT("force.y", "N", force.y, "of the ground on the part, world axes"),
    OUT("force.z", "N", force.z, "of the ground on the part, world axes"),
    OUT("moment.x", "N.m", moment.x, "about the frame's origin, world axes"),
    OUT("moment.y", "N.m", moment.y, "about the frame's origin, world axes"),
    OUT("moment.z", "N.m", moment.z, "about the frame's origin, world axes"),
    OUT("sinkage", "m", wheel.sinkage, "of a wheel's deepest slice"),
    OUT("depth", "m", depth, "of a wheel's lowest point below the soil's surface, negative above it"),
    OUT("slip", "", wheel.slip, "of a wheel, -1 to 1"),
    OUT("slip_angle", "rad", wheel.slip_angle, "of a wheel"),
    OUT("load", "N", wheel.force.z, "normal force of soil on a wheel"),
    OUT("torque", "N.m", wheel.torque, "that the soil takes from the motor of a wheel"),
};

static const Row PLACE[] = {
    {"place.x", "m", "where the ground is asked for", 0},
    {"place.y", "m", "where the ground is asked for", 1},
};
static const Row GROUND[] = {
    {"height", "m", "of the ground, ruts included", 0},
    {"normal.x", "", "of the ground, upward", 1},
    {"normal.y", "", "of the ground, upward", 2},
    {"normal.z", "", "of the ground, upward", 3},
    {"found", "", "1 where there is ground, 0 off the map", 4},
};

static const char *const TWIST[] = {"angular_velocity.x", "angular_velocity.y", "angular_velocity.z",
                                    "velocity.x",         "velocity.y",         "velocity.z"};
static const char *const WRENCH[] = {"moment.x", "moment.y", "moment.z", "force.x", "force.y", "force.z"};

enum {
    MOTION_COUNT = sizeof MOTION / sizeof MOTION[0],
    FORCE_COUNT = sizeof FORCE / sizeof FORCE[0],
    GROUND_COUNT = sizeof GROUND / sizeof GROUND[0],
    OTHER_COUNT = 64, ///< derivatives, and those that functions below add one by one
};

static GrFmuVariable *add(GrFmuVariables *list, GrFmuRole role, const char *name, GrFmuMeaning meaning,
                          const char *unit, const char *text)
{
    GrFmuVariable *v = &list->items[list->count++];
    *v = (GrFmuVariable){.unit = unit,
                         .role = role,
                         .meaning = meaning,
                         .choice = GR_FMU_CHOICE_COUNT,
                         .lower = -INFINITY,
                         .upper = INFINITY};
    gr_text_copy(v->name, sizeof v->name, name);
    gr_text_copy(v->text, sizeof v->text, text);
    return v;
}

static void add_rows(GrFmuVariables *list, GrFmuRole role, GrFmuMeaning meaning, const Row *rows, int count)
{
    for (int i = 0; i < count; i++) {
        add(list, role, rows[i].name, meaning, rows[i].unit, rows[i].text)->offset = rows[i].offset;
    }
}

static void add_part(const GrFmuContact *c, GrFmuVariables *list)
{
    const GrRoverDef *rover = &c->source->rover;
    const int count = part_count(rover, is_body(c));
    char text[GR_NOTE_SIZE];
    int used = snprintf(text, sizeof text, "index of the part:");
    for (int i = 0; i < count && used < (int)sizeof text; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %d %s", i > 0 ? "," : "", i,
                         part_name(rover, is_body(c), i));
    }
    GrFmuVariable *v = add(list, GR_FMU_FIXED, "part", GR_FMU_IS_PART, "", text);
    v->type = GR_FMU_INTEGER;
    v->lower = 0;
    v->upper = count - 1;
}

static const char *const STATE_EVENT_TEXTS[STATE_EVENTS] = {
    "positive until a slice of the wheel touches or leaves the soil",
    "positive until soil unloads, or is loaded again",
    "positive until shear somewhere yields, or turns back",
};

/// Each state is followed by its derivative.
static void add_states(const GrFmuContact *c, GrFmuVariables *list)
{
    for (int k = 0; k < c->states; k++) {
        char own[GR_FMU_NAME_SIZE - 16], name[GR_FMU_NAME_SIZE];
        const bool length = gr_contact_state_nominal(c->unit, k) != 1;
        gr_contact_state_name(c->unit, k, own, sizeof own);
        snprintf(name, sizeof name, "memory.%s", own);
        add(list, GR_FMU_LOCAL, name, GR_FMU_IS_STATE, length ? "m" : "", "memory of the soil, docs/contact.md")
            ->index = k;
        snprintf(name, sizeof name, "der(memory.%s)", own);
        add(list, GR_FMU_LOCAL, name, GR_FMU_IS_RATE, length ? "m/s" : "",
            "its rate; in co-simulation the mean over a step")
            ->index = k;
    }
}

/// FMI 3 names a variable for each event indicator.
static void add_events(const GrFmuContact *c, GrFmuVariables *list)
{
    for (int i = 0; i < c->force.events; i++) {
        char name[GR_FMU_NAME_SIZE];
        snprintf(name, sizeof name, "event.%d", i + 1);
        const int state = c->states > 0 ? i - (c->force.events - STATE_EVENTS) : -1;
        add(list, GR_FMU_OUTPUT, name, GR_FMU_IS_EVENT, "",
            state >= 0   ? STATE_EVENT_TEXTS[state]
            : i % 2 == 0 ? "changes its sign where the part touches"
                         : "changes its sign where its slip does")
            ->offset = offsetof(GrPartForce, event) + sizeof(double) * (size_t)i;
    }
}

static void add_derivatives(GrFmuVariables *list)
{
    for (int i = 0; i < 36; i++) {
        char name[GR_FMU_NAME_SIZE], text[GR_NOTE_SIZE];
        snprintf(name, sizeof name, "derivative.%s.%s", WRENCH[i / 6], TWIST[i % 6]);
        snprintf(text, sizeof text, "of %s by %s at the end of the step", WRENCH[i / 6], TWIST[i % 6]);
        add(list, GR_FMU_OUTPUT, name, GR_FMU_IS_REACTION, "", text)->offset =
            offsetof(GrPartForce, derivative) + sizeof(double) * (size_t)i;
    }
}

GrStatus gr_fmu_contact_variables(const GrFmuContact *c, GrFmuVariables *out, GrErrorLog *log)
{
    const int most = OTHER_COUNT + MOTION_COUNT + FORCE_COUNT + GROUND_COUNT + gr_soil_param_count() + 2 * c->states;
    *out = (GrFmuVariables){.items = gr_calloc((size_t)most, sizeof *out->items)};
    if (out->items == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    add(out, GR_FMU_TIME, "time", GR_FMU_IS_TIME, "s", "simulated time");
    GrFmuVariable *ground = add(out, GR_FMU_FIXED, "ground", GR_FMU_IS_GROUND, "",
                                "name of the ground: units with the same name share its ruts; empty: its own");
    ground->type = GR_FMU_TEXT;
    if (c->def.contact == GR_FMU_TERRAIN) {
        add_rows(out, GR_FMU_INPUT, GR_FMU_IS_PLACE, PLACE, 2);
        add_rows(out, GR_FMU_OUTPUT, GR_FMU_IS_TERRAIN, GROUND, GROUND_COUNT);
    } else {
        add_part(c, out);
        if (c->source->has_soil) {
            gr_fmu_variables_soil(out, &c->source->soil);
        }
        add_rows(out, GR_FMU_INPUT, GR_FMU_IS_MOTION, MOTION, MOTION_COUNT);
        add_rows(out, GR_FMU_OUTPUT, GR_FMU_IS_REACTION, FORCE, FORCE_COUNT);
        add_derivatives(out);
        add_events(c, out);
        add_states(c, out);
    }
    for (int i = 0; i < out->count; i++) {
        GrFmuVariable *v = &out->items[i];
        v->start = strcmp(v->name, "rotation.w") == 0   ? 1
                   : strcmp(v->name, "position.z") == 0 ? START_HEIGHT
                                                        : v->start;
    }
    add(out, GR_FMU_OUTPUT, "state_hash", GR_FMU_IS_HASH, "", "hash of the bits of the unit's state and ground")->type =
        GR_FMU_TEXT;
    return GR_OK;
}

// ---- values

static GrPartMotion read_motion(const GrFmuVariables *list, const double *values)
{
    GrPartMotion motion = {0};
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].meaning == GR_FMU_IS_MOTION) {
            memcpy((unsigned char *)&motion + list->items[i].offset, &values[i], sizeof(double));
        }
    }
    return motion;
}

/// Writes a number for each state into the variables with this meaning.
static void write_states(const GrFmuVariables *list, GrFmuMeaning meaning, const double *from, double *values)
{
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].meaning == meaning) {
            values[i] = from[list->items[i].index];
        }
    }
}

/// Outputs, states and their derivatives.
static void write_force(GrFmuContact *c, const GrFmuVariables *list, double *values)
{
    gr_contact_states(c->unit, c->state);
    if (c->def.exchange) {
        gr_contact_rates(c->unit, c->rate);
    }
    write_states(list, GR_FMU_IS_STATE, c->state, values);
    write_states(list, GR_FMU_IS_RATE, c->rate, values);
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].meaning == GR_FMU_IS_REACTION || list->items[i].meaning == GR_FMU_IS_EVENT) {
            memcpy(&values[i], (const unsigned char *)&c->force + list->items[i].offset, sizeof(double));
        }
    }
}

/// Brings ground and rocks around a place into memory.
static GrStatus load_around(GrFmuContact *c, double x, double y)
{
    const double ahead = AHEAD + gr_stones_reach(c->world->model);
    const GrBox2 box = {x - ahead, y - ahead, x + ahead, y + ahead};
    const bool finite = isfinite(x) && isfinite(y);
    const GrStatus status =
        finite && c->world->terrain != NULL ? gr_terrain_prefetch(c->world->terrain, box, NULL) : GR_OK;
    return status == GR_OK && finite ? gr_stones_prefetch(c->world->model, x, y, AHEAD) : status;
}

static GrStatus find_ground(GrFmuContact *c, const GrFmuVariables *list, double *values)
{
    double at[2] = {0}, out[GROUND_COUNT] = {0};
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].meaning == GR_FMU_IS_PLACE) {
            at[list->items[i].offset] = values[i];
        }
    }
    GrVec3 normal = {0, 0, 1};
    const GrStatus status = load_around(c, at[0], at[1]);
    out[4] = gr_contact_ground_at(c->unit, at[0], at[1], &out[0], &normal);
    memcpy(&out[1], &normal, sizeof normal);
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].meaning == GR_FMU_IS_TERRAIN) {
            values[i] = out[list->items[i].offset];
        }
    }
    return status;
}

GrStatus gr_fmu_contact_outputs(GrFmuContact *c, const GrFmuVariables *list, double dt, double *values)
{
    if (c->def.contact == GR_FMU_TERRAIN) {
        return find_ground(c, list, values);
    }
    const GrPartMotion motion = read_motion(list, values);
    GrStatus status = load_around(c, motion.pose.position.x, motion.pose.position.y);
    status = status == GR_OK ? evaluate(c, &motion, dt) : status;
    write_force(c, list, values);
    return status;
}

/// The motion after a time with the present twist. A wheel's joint turns by what the wheel turns about its axle, which
/// is y of most wheels' frames; a carrier that pitches meanwhile changes that by less than a step's length.
static void move_on(GrPartMotion *motion, double dt)
{
    const GrVec3 axle = gr_quat_rotate(motion->pose.rotation, gr_vec3(0, 1, 0));
    motion->pose.position = gr_madd(motion->pose.position, dt, motion->linear);
    motion->pose.rotation =
        gr_quat_normalize(gr_quat_mul(gr_quat_exp(gr_scale(dt, motion->angular)), motion->pose.rotation));
    motion->angle += dt * gr_dot(motion->angular, axle);
}

GrStatus gr_fmu_contact_advance(GrFmuContact *c, const GrFmuVariables *list, double dt, double *values)
{
    if (c->def.contact == GR_FMU_TERRAIN) {
        return find_ground(c, list, values);
    }
    GrPartMotion motion = read_motion(list, values);
    const double longest = c->source->mission.step;
    const int steps = (int)fmax(1, ceil(dt / longest - 1e-6));
    GrStatus status = load_around(c, motion.pose.position.x, motion.pose.position.y);
    gr_contact_states(c->unit, c->rate);
    for (int i = 0; i < steps && status == GR_OK; i++) {
        GrPartMotion end = motion;
        move_on(&end, dt / steps);
        status = evaluate(c, &motion, dt / steps);
        status = status == GR_OK ? gr_contact_accept(c->unit, &end, dt / steps) : status;
        motion = end;
    }
    gr_contact_states(c->unit, c->state);
    for (int k = 0; k < c->states; k++) {
        c->rate[k] = (c->state[k] - c->rate[k]) / dt;
    }
    write_force(c, list, values);
    return status;
}

GrStatus gr_fmu_contact_accept(GrFmuContact *c, const GrFmuVariables *list, double dt, const double *values)
{
    if (c->def.contact == GR_FMU_TERRAIN) {
        return GR_OK;
    }
    const GrPartMotion end = read_motion(list, values);
    return gr_contact_accept(c->unit, &end, dt);
}

int gr_fmu_contact_events(const GrFmuContact *c, const double **values)
{
    *values = c->force.event;
    return c->force.events;
}

GrContact *gr_fmu_contact_unit(GrFmuContact *c)
{
    return c->unit;
}
