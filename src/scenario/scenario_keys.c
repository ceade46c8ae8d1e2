/// The keys of a scenario as one table: what they are, where they go, and in which situations they have no effect.
///
/// tests/scenario/test_ignored.c checks conditions with runs: where a row warns, two values of the key give bitwise the
/// same state; where it does not, they give different ones.
#include "contact_law.h"
#include "law.h"
#include "material.h"
#include "rover_parts.h"
#include "scenario_parts.h"

#include "elementary.h"
#include "file.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// Seconds of the processor for a second of a drive with the law scm and cvode: 20 for four wheels at 1 cm and 1e-10.
static const double CVODE_ON_GRID = 20;

static bool has_stones(const GrScenario *s)
{
    bool lander = s->lander.given;
    for (int i = 0; i < s->terrain.term_count; i++) {
        lander = lander || strncmp(s->terrain.terms[i], "lander", strlen("lander")) == 0;
    }
    return lander || s->terrain.has_rocks || s->part_count > 0;
}

/// Whether the ground is rigid for at least one wheel.
static bool has_rigid_wheel(const GrScenario *s)
{
    bool found = !s->has_soil;
    for (int i = 0; s->wheel_soil != NULL && i < s->rover.wheel_count; i++) {
        found = found || s->wheel_soil[i] == GR_WHEEL_RIGID;
    }
    return found;
}

static bool has_map(const GrScenario *s)
{
    return s->soil_map.file[0] != '\0' || s->soil_map.rule_count > 0;
}

static bool is_grid(const GrScenario *s)
{
    return s->has_soil && gr_soil_law_on_grid(s->soil.law);
}

/// Whether the scenario's own soil is the only one, so that a key cannot be for another.
static bool is_alone(const GrScenario *s)
{
    return !has_map(s) && s->wheel_soil_count == 0;
}

static GrRutsKind ruts_of(const GrScenario *s)
{
    return s->ruts != GR_RUTS_AUTO ? s->ruts : is_grid(s) ? GR_RUTS_SCM : GR_RUTS_NONE;
}

static bool has_lugs(const GrScenario *s)
{
    bool lugs = false;
    for (int i = 0; i < s->rover.wheel_count; i++) {
        lugs = lugs || s->rover.wheels[i].grouser_lugs;
    }
    return lugs;
}
// clang-format off
GR_WHEN(no_soil, !s->has_soil && !has_map(s))
GR_WHEN(own_damping, s->has_soil && is_alone(s) && s->soil.damping > 0)
GR_WHEN(spring_law, s->has_soil && is_alone(s) && gr_law_has(s->soil.law, GR_LAW_SPRING))
GR_WHEN(no_rocks, !has_rigid_wheel(s) && !has_stones(s))
GR_WHEN(nothing_rigid, no_rocks(s) && !s->scene.self_contact)
GR_WHEN(fixed, s->mission.pace == GR_PACE_FIXED)
GR_WHEN(not_fixed, s->mission.pace != GR_PACE_FIXED)
GR_WHEN(not_hub, s->mission.pace != GR_PACE_HUB)
GR_WHEN(not_error, s->mission.pace != GR_PACE_ERROR)
GR_WHEN(not_cvode, s->integrator != GR_INTEGRATOR_CVODE)
GR_WHEN(grid_law, is_grid(s))
GR_WHEN(unpressed_law, !is_grid(s) && !(s->has_soil && gr_law_has(s->soil.law, GR_LAW_GRAINS)))
GR_WHEN(no_grid_ruts, ruts_of(s) != GR_RUTS_SCM)
GR_WHEN(no_traces, ruts_of(s) != GR_RUTS_TRACE)
GR_WHEN(no_ruts, ruts_of(s) == GR_RUTS_NONE)
GR_WHEN(never_stuck, isinf(s->mission.stuck_time))
GR_WHEN(belly_free, isinf(s->mission.belly_share))
GR_WHEN(no_supply, s->mission.sun.kind == GR_SUN_NONE && s->mission.supply.capacity == 0)
GR_WHEN(plain_wheels, nothing_rigid(s) || s->scene.wheels == GR_WHEELS_CYLINDER)
GR_WHEN(no_own_mesh, nothing_rigid(s) || s->scene.wheels != GR_WHEELS_MESH)
GR_WHEN(grousers_uncounted, !(has_lugs(s) && !no_soil(s)) && plain_wheels(s) && !is_grid(s) &&
                         (no_soil(s) || ruts_of(s) == GR_RUTS_NONE))
// clang-format on

// ---- the keys

#define S(member)     offsetof(GrScenario, member)
#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))
#define UNITY         GR_SPAN_BETWEEN(0, 1)

#define FIXED_PACE    "pace: fixed has steps of one length"

static const char *const PACES[] = {GR_PACE_LIST(GR_KEY_NAME_OF_THREE)};
static const char *const SOIL_LAWS[] = {GR_SOIL_LAW_LIST(GR_KEY_NAME)};
static const char *const INTEGRATORS[] = {GR_INTEGRATOR_LIST(GR_KEY_NAME)};
static const char *const RUTS_KINDS[] = {GR_RUTS_LIST(GR_KEY_NAME_OF_THREE)};

static const GrKey USE[] = {{"use", GR_KEY_TEXT, "name or file", .required = true},
                            {"set", GR_KEY_MAPPING, "paths in that file and the values that replace those there"},
                            {NULL}};

static const GrKey USE_SOIL[] = {
    {"", GR_KEY_GROUP, .keys = USE},
    {"law", GR_KEY_CHOICE, "soil law in place of the file's", CHOICE(SOIL_LAWS), .usual = "that of the file"},
    {NULL}};

// ---- ruts

static void read_trace(GrNode *node, void *scenario)
{
    char path[GR_FILE_PATH_SIZE];
    if (gr_node_file(node, path)) {
        gr_document_note(node->document, gr_trace_load(path, &((GrScenario *)scenario)->trace, node->document->log));
    }
}

static const GrKey RUTS[] = {
    {"kind", GR_KEY_CHOICE, "what wheels leave in the ground", S(ruts), CHOICE(RUTS_KINDS), .required = true},
    {"cell_m", GR_KEY_NUMBER, "cells of the ruts", S(rut_cell), GR_SPAN_BETWEEN(0.0005, 1),
     .ignored = {{no_ruts, "no ruts are kept"}}},
    {"flow", GR_KEY_BOOL, "displaced soil rises beside the wheels and slumps", S(soil_flow),
     .ignored = {{no_grid_ruts, "it applies only to ruts of the kind scm"}}},
    {"bodies", GR_KEY_BOOL, "shapes of bodies press the soil too", S(bodies_press),
     .ignored = {{unpressed_law, "it applies only to the laws scm and rft"}}},
    {"file", GR_KEY_FILE, "parameters of the kind trace", .read = read_trace, .usual = "built in",
     .ignored = {{no_traces, "it applies only to ruts of the kind trace"}}},
    {"from", GR_KEY_FILE, "ruts of another run, present at the start (ruts.bin)", S(ruts_from)},
    {NULL}};

/// "ruts: trace", or {kind: trace, cell_m: 0.01, file: sand_trace.yaml, from: first/ruts.bin}.
static void read_ruts(GrNode *node, void *scenario)
{
    int choice;
    if (node->kind == GR_NODE_MAPPING) {
        gr_keys_read(node, RUTS, scenario);
    } else if (gr_node_choice(node, RUTS[0].names, RUTS[0].size, &choice)) {
        ((GrScenario *)scenario)->ruts = (GrRutsKind)choice;
    }
}

// ---- stop, step, record

static const GrKey STOP[] = {
    {"time_s", GR_KEY_NUMBER, "the run ends as finished", S(mission.duration), GR_SPAN_POSITIVE},
    {"tip_deg", GR_KEY_NUMBER, "it ends as tipped where the chassis leans further", S(mission.tip_angle),
     GR_SPAN_BETWEEN(0, 180)},
    {"stuck_s", GR_KEY_NUMBER, "it ends as stuck when the rover advanced too little over this time",
     S(mission.stuck_time), GR_SPAN_POSITIVE_OR_INFINITE},
    {"stuck_share", GR_KEY_NUMBER, "less than this share of the distance that wheels rolled, or of what was commanded",
     S(mission.stuck_share), UNITY, .ignored = {{never_stuck, "stuck_s is infinite"}}},
    {"overload_N", GR_KEY_NUMBER, "it ends as wheel_overload above this load", S(mission.overload),
     GR_SPAN_POSITIVE_OR_INFINITE},
    {"belly_share", GR_KEY_NUMBER, "it ends as belly_out when the chassis rests with this share of the weight",
     S(mission.belly_share), GR_SPAN_POSITIVE_OR_INFINITE},
    {"belly_s", GR_KEY_NUMBER, "mean over this time", S(mission.belly_time), GR_SPAN_NOT_NEGATIVE,
     .ignored = {{belly_free, "belly_share is infinite"}}},
    {"at_goal", GR_KEY_BOOL, "it ends at the last way-point", S(mission.stop_at_goal),
     .ignored = {{gr_has_no_path, "there is no path"}}},
    {NULL}};

static const GrKey STEP[] = {
    {"pace", GR_KEY_CHOICE, "bound of the step: travel of hubs, error of their positions, or a fixed length",
     S(mission.pace), CHOICE(PACES)},
    {"step_ms", GR_KEY_NUMBER, "length of pace: fixed", S(mission.step), GR_SPAN_POSITIVE,
     .ignored = {{not_fixed, "it is the step of pace: fixed"}}},
    {"min_ms", GR_KEY_NUMBER, "smallest step", S(mission.step_min), GR_SPAN_POSITIVE, .ignored = {{fixed, FIXED_PACE}}},
    {"max_ms", GR_KEY_NUMBER, "largest step; default 5 with the law scm", S(mission.step_max), GR_SPAN_POSITIVE,
     .ignored = {{fixed, FIXED_PACE}}},
    {"hard_ms", GR_KEY_NUMBER, "largest step while something rigid touches the rover", S(mission.step_hard),
     GR_SPAN_POSITIVE, .ignored = {{fixed, FIXED_PACE}, {no_rocks, "nothing is rigid here"}}},
    {"push_ms", GR_KEY_NUMBER, "largest step while a loose rock is pushed", S(mission.step_push), GR_SPAN_POSITIVE,
     .ignored = {{fixed, FIXED_PACE}, {no_rocks, "nothing is rigid here"}}},
    {"hub_travel_mm", GR_KEY_NUMBER, "pace: hub: largest travel of a hub in a step; default 0.5 with the law scm",
     S(mission.hub_travel), GR_SPAN_POSITIVE, .ignored = {{not_hub, "it applies only to pace: hub"}}},
    {"landing_travel_mm", GR_KEY_NUMBER, "largest travel of a wheel towards the ground while the rover falls or lands",
     S(mission.landing_travel), GR_SPAN_POSITIVE, .ignored = {{fixed, FIXED_PACE}}},
    {"contact_part", GR_KEY_NUMBER, "part of its contact with the soil by which a wheel may roll in a step",
     S(mission.contact_part), GR_SPAN_BETWEEN(1e-3, 1e3), .ignored = {{fixed, FIXED_PACE}, {no_soil, "soil is none"}}},
    {"tolerance_mm", GR_KEY_NUMBER, "pace: error: allowed error of a hub's position", S(mission.tolerance),
     GR_SPAN_POSITIVE, .ignored = {{not_error, "it applies only to pace: error"}}},
    {"integrator", GR_KEY_CHOICE, "grouser list integrators", S(integrator), CHOICE(INTEGRATORS)},
    {"cvode_tolerance", GR_KEY_NUMBER, "of cvode, relative", S(tolerance), GR_SPAN_BETWEEN(1e-14, 1e-2),
     .ignored = {{not_cvode, "it applies only to integrator: cvode"}}},
    {"slices", GR_KEY_INTEGER, "of each wheel across its width: more than 1 where a wheel may stand partly on an edge",
     S(slices), GR_SPAN_BETWEEN(1, GR_SLICES_MAX),
     .ignored = {{no_soil, "soil is none"}, {grid_law, "the law scm has a grid and no slices"}}},
    {NULL}};

static const GrKey RECORD[] = {
    {"rate_Hz", GR_KEY_NUMBER, "samples per second", S(record_rate), GR_SPAN_BETWEEN(0.001, 10000)},
    {"csv", GR_KEY_BOOL, "write run.csv", S(record_csv)},
    {"mcap", GR_KEY_BOOL, "write run.mcap", S(record_mcap)},
    {"sensors", GR_KEY_BOOL, "the rover's sensors measure", S(record_sensors)},
    {"ruts_resolution_mm", GR_KEY_NUMBER, "heights in ruts.bin are rounded to multiples of it; 0: exact",
     S(record_ruts), GR_SPAN_BETWEEN(0, 10)},
    {NULL}};

// ---- gravity

static const char WORD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/// Reads a key in degrees and returns radians.
static bool field_degrees(GrNode *mapping, const char *key, GrRange range, double *out)
{
    double degrees;
    const bool found = gr_field_number(mapping, key, GR_OPTIONAL, range, &degrees);
    *out = found ? GR_DEGREE * degrees : *out;
    return found;
}

/// A named body, or a number; for any other word the message suggests the nearest body.
static bool read_body(GrNode *node, double *out)
{
    const bool word = node->kind == GR_NODE_SCALAR && isalpha((unsigned char)node->text[0]);
    if (word && gr_gravity_named(node->text, out)) {
        return true;
    }
    const GrNode *params = gr_node_find(node->document->root, "params");
    if (word && node->text[strspn(node->text, WORD)] == '\0' && gr_node_find(params, node->text) == NULL) {
        const char *names[16];
        int count = 0;
        for (; count < 16 && gr_gravity_name(count) != NULL; count++) {
            names[count] = gr_gravity_name(count);
        }
        gr_node_error(node, GR_ERROR_NAME, "gravity: unknown body '%s'%s", node->text,
                      gr_suggestion(node->document->log, node->text, names, count).text);
        return false;
    }
    return gr_node_number(node, GR_NOT_NEGATIVE, out);
}

/// "gravity: mars", a number, or {body: mars, tilt_deg: 10, toward_deg: 90}: tilted so that the ground appears to rise.
static void read_gravity(GrNode *node, void *scenario)
{
    GrNode *body = node;
    double size = 9.80665, tilt = 0, toward = 0;
    if (node->kind == GR_NODE_MAPPING) {
        body = gr_field(node, "body", GR_REQUIRED);
        field_degrees(node, "tilt_deg", GR_BETWEEN(-90, 90), &tilt);
        field_degrees(node, "toward_deg", GR_ANY, &toward);
        gr_fields_end(node);
    }
    if (body != NULL && !read_body(body, &size)) {
        return;
    }
    ((GrScenario *)scenario)->gravity =
        (GrVec3){-size * gr_sin(tilt) * gr_cos(toward), -size * gr_sin(tilt) * gr_sin(toward), -size * gr_cos(tilt)};
}

static const GrKey GRAVITY[] = {
    {"body", GR_KEY_TEXT | GR_KEY_NUMBER, "earth, moon, mars, …, or a number in m/s²", .range = GR_SPAN_NOT_NEGATIVE,
     .required = true},
    {"tilt_deg", GR_KEY_NUMBER, "the ground appears to rise by it", .range = GR_SPAN_BETWEEN(-90, 90), .usual = "0"},
    {"toward_deg", GR_KEY_NUMBER, "in this direction, from east to the left", .range = GR_SPAN_ANY, .usual = "0"},
    {NULL}};

// ---- the whole

void gr_default_scenario(GrScenario *out)
{
    *out = (GrScenario){.rover = gr_default_rover_def(),
                        .soil = gr_default_soil_def(),
                        .damping_ratio = 0.5,
                        .soil_map = gr_default_soil_plan(),
                        .hard_map = gr_default_soil_plan(),
                        .gravity = {0, 0, -9.80665},
                        .terrain = gr_default_terrain_plan(),
                        .lander = {.lander = gr_default_lander_def(), .beyond = 1},
                        .mission = gr_default_mission_def(),
                        .integrator = GR_INTEGRATOR_LINEAR,
                        .tolerance = 1e-10,
                        .slices = 1,
                        .rut_cell = 0.01,
                        .bodies_press = true,
                        .trace = gr_default_trace_def(),
                        .record_rate = 20,
                        .record_csv = true,
                        .record_mcap = true,
                        .record_sensors = true,
                        .record_ruts = 1e-4};
}

const GrKey gr_scenario_keys[] = {
    {"name", GR_KEY_TEXT, "short name, after which files are named", S(name), .size = GR_NAME_SIZE,
     .check = gr_check_file_name, .usual = "that of the file"},
    {"title", GR_KEY_TEXT, "one line for display", S(title), .size = GR_NOTE_SIZE},
    {"include", GR_KEY_TEXT | GR_KEY_LIST | GR_KEY_ELSEWHERE, "scenarios that provide the keys missing here"},
    {"overrides", GR_KEY_LIST | GR_KEY_ELSEWHERE, "as --set: \"gravity=moon\", \"soil:phi=30\""},
    {"", GR_KEY_GROUP, .keys = gr_common_keys},
    {"rover", GR_KEY_TEXT | GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "name or file of the rover", .keys = USE,
     .required = true},
    {"soil", GR_KEY_TEXT | GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "name or file of the soil; none: rigid ground",
     .keys = USE_SOIL, .required = true},
    {"soil_damping", GR_KEY_NUMBER, "damping on a soil whose file gives none, relative to critical damping",
     S(damping_ratio), GR_SPAN_BETWEEN(0, 10),
     .ignored = {{no_soil, "soil is none"},
                 {own_damping, "the soil has its own damping"},
                 {spring_law, "the soil's law has its own damper"}}},
    {"soil_sample", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "3/32: all soils are the third of 32 samples of their spreads",
     .usual = "none", .ignored = {{no_soil, "soil is none"}}},
    {"soil_map", GR_KEY_MAPPING, "soils by place", .keys = gr_soil_map_keys, .read = gr_read_soil_map},
    {"wheel_soils", GR_KEY_MAPPING, "soils or laws of single wheels: name, none, or {use, set, law}",
     .read = gr_read_wheel_soils},
    {"gravity", GR_KEY_TEXT | GR_KEY_NUMBER | GR_KEY_MAPPING, "earth, moon, mars, phobos, ceres, zero, or in m/s²",
     .keys = GRAVITY, .range = GR_SPAN_NOT_NEGATIVE, .read = read_gravity, .usual = "earth"},
    {"parts", GR_KEY_LIST, "fixed rigid parts: box, cylinder, sphere, rod or mesh, as shapes of a rover",
     .keys = gr_shape_keys, .read = gr_read_parts},
    {"hard", GR_KEY_MAPPING, "laws and materials of rocks, parts and rigid ground", .keys = gr_hard_keys,
     .read = gr_read_hard,
     .ignored = {{nothing_rigid, "nothing is rigid here: no rocks, no parts, and the ground is soil"}}},
    {"terrain", GR_KEY_MAPPING, "the ground; without it the plane z = 0", S(terrain), .keys = gr_terrain_keys},
    {"ruts", GR_KEY_CHOICE | GR_KEY_MAPPING, "what wheels leave in the ground", .keys = RUTS, CHOICE(RUTS_KINDS),
     .read = read_ruts, .usual = "auto", .ignored = {{no_soil, "soil is none, and rigid ground keeps no ruts"}}},
    {"start", GR_KEY_MAPPING, "where the rover starts", .keys = gr_start_keys},
    {"drive", GR_KEY_MAPPING, "how it is driven; without it the rover stands still", .keys = gr_drive_keys,
     .check = gr_read_drive},
    {"stop", GR_KEY_MAPPING, "when the run ends", .keys = STOP},
    {"step", GR_KEY_MAPPING, "length of the time steps", .keys = STEP},
    {"sun", GR_KEY_MAPPING, "where the Sun stands", .keys = gr_sun_keys, .check = gr_check_sun},
    {"power", GR_KEY_MAPPING, "panel, battery and loads of the rover", .keys = gr_power_keys,
     .ignored = {{no_supply, "there is neither a battery nor a sun"}}},
    {"record", GR_KEY_MAPPING, "what a run writes", .keys = RECORD},
    {"lander", GR_KEY_MAPPING, "a lander from whose deck the rover drives down, in place of start",
     .keys = gr_lander_plan_keys, .read = gr_read_lander},
    {NULL}};

static void fill_scenario(void *scenario)
{
    gr_default_scenario(scenario);
}

const GrSchema gr_schema_scenario = {"scenario", gr_scenario_keys, fill_scenario, sizeof(GrScenario)};

void gr_warn_ignored(GrNode *root, const GrScenario *scenario)
{
    if (root->document->status != GR_OK) {
        return;
    }
    gr_keys_warn(root, gr_scenario_keys, scenario, false);
    const GrNode *step = gr_node_find(root, "step");
    if (step != NULL && is_grid(scenario) && !not_cvode(scenario)) {
        gr_node_warning(gr_node_find(step, "integrator"),
                        "cvode resolves every row of nodes that law scm brings into contact or out of it: a run takes "
                        "hundreds of times as long as with linear, here about %.2g minutes and more",
                        CVODE_ON_GRID * scenario->mission.duration / 60);
    }
}

#define PLAIN "wheels are cylinders here; on rigid ground, hard: {wheels: mesh} in a scenario uses their shape"

/// Keys of the rover's file that only some scenarios use, judged if the scenario sets them itself.
static const struct {
    const char *key;
    bool (*ignored)(const void *scenario);
    const char *why;
} ROVER_ROWS[] = {
    {".crown_m", plain_wheels, PLAIN},
    {".pattern", plain_wheels, PLAIN},
    {".angle_deg", plain_wheels, PLAIN},
    {".thickness_m", plain_wheels, PLAIN},
    {".count", grousers_uncounted, "on this ground only the height of grousers counts"},
    {".mesh", no_own_mesh, "only hard: {wheels: mesh} uses it, on rigid ground"},
    {".soil_mesh", no_soil, "soil is none, and only soil of the law rft uses it"},
    {".side_mesh", no_soil, "soil is none, and only soil with side_bulldozing: mesh uses it"},
};

void gr_rover_warn_unread(const char *const *overrides, const GrScenario *scenario, GrLocation at, GrErrorLog *log)
{
    static const char WHEELS[] = "wheels.";
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        const size_t length = strcspn(overrides[i], "=");
        for (size_t k = 0; k < sizeof ROVER_ROWS / sizeof ROVER_ROWS[0]; k++) {
            const size_t tail = strlen(ROVER_ROWS[k].key);
            const bool mine = length > tail && strncmp(overrides[i], WHEELS, sizeof WHEELS - 1) == 0 &&
                              strncmp(overrides[i] + length - tail, ROVER_ROWS[k].key, tail) == 0;
            if (mine && ROVER_ROWS[k].ignored(scenario)) {
                gr_warning_add(log, at, "%.*s has no effect: %s", (int)length, overrides[i], ROVER_ROWS[k].why);
            }
        }
    }
}
