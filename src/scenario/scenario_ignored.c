/// Keys of a scenario that have no effect in its situation: a table of keys, conditions under which each is ignored,
/// and reasons.
///
/// tests/scenario/test_ignored.c checks every row with runs: where a row warns, two values of the key give bitwise the
/// same state; where it does not, they give different ones.
#include "law.h"
#include "scenario_parts.h"

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

static bool has_made_ground(const GrScenario *s)
{
    return s->terrain.term_count > 0 && s->terrain.file[0] == '\0';
}

static bool has_map(const GrScenario *s)
{
    return s->soil_map.file[0] != '\0' || s->soil_map.rule_count > 0;
}

static bool is_grid(const GrScenario *s)
{
    return s->has_soil && gr_soil_law_on_grid(s->soil.law);
}

static bool is_spring(const GrScenario *s)
{
    return gr_law_has(s->soil.law, GR_LAW_SPRING);
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

static bool no_soil(const GrScenario *s)
{
    return !s->has_soil && !has_map(s);
}
static bool own_damping(const GrScenario *s)
{
    return s->has_soil && is_alone(s) && s->soil.damping > 0;
}
static bool spring_law(const GrScenario *s)
{
    return s->has_soil && is_alone(s) && is_spring(s);
}
static bool nothing_rigid(const GrScenario *s)
{
    return !has_rigid_wheel(s) && !has_stones(s) && !s->scene.self_contact;
}
static bool no_rocks(const GrScenario *s)
{
    return !has_rigid_wheel(s) && !has_stones(s);
}
static bool not_fixed(const GrScenario *s)
{
    return s->mission.pace != GR_PACE_FIXED;
}
static bool not_hub(const GrScenario *s)
{
    return s->mission.pace != GR_PACE_HUB;
}
static bool not_error(const GrScenario *s)
{
    return s->mission.pace != GR_PACE_ERROR;
}
static bool fixed(const GrScenario *s)
{
    return s->mission.pace == GR_PACE_FIXED;
}
static bool not_cvode(const GrScenario *s)
{
    return s->integrator != GR_INTEGRATOR_CVODE;
}
static bool grid_law(const GrScenario *s)
{
    return is_grid(s);
}
static bool unpressed_law(const GrScenario *s)
{
    return !is_grid(s) && !(s->has_soil && gr_law_has(s->soil.law, GR_LAW_GRAINS));
}
static bool no_grid_ruts(const GrScenario *s)
{
    return ruts_of(s) != GR_RUTS_SCM;
}
static bool no_traces(const GrScenario *s)
{
    return ruts_of(s) != GR_RUTS_TRACE;
}
static bool no_ruts(const GrScenario *s)
{
    return ruts_of(s) == GR_RUTS_NONE;
}
static bool no_made_ground(const GrScenario *s)
{
    return !has_made_ground(s) && !s->terrain.has_rocks;
}
static bool flat_ground(const GrScenario *s)
{
    return !has_made_ground(s) && s->terrain.file[0] == '\0';
}
static bool no_file(const GrScenario *s)
{
    return s->terrain.file[0] == '\0';
}
static bool not_sown(const GrScenario *s)
{
    return !s->terrain.sown;
}

static bool law_power(const GrScenario *s)
{
    return s->terrain.rocks.law == GR_ROCKS_POWER;
}
static bool law_golombek(const GrScenario *s)
{
    return s->terrain.rocks.law == GR_ROCKS_GOLOMBEK;
}
static bool map_of_file(const GrScenario *s)
{
    return s->soil_map.file[0] != '\0';
}
static bool map_of_rules(const GrScenario *s)
{
    return s->soil_map.rule_count > 0;
}
static bool not_p(const GrScenario *s)
{
    return s->path != NULL && s->mission.control.follower != GR_FOLLOW_P;
}

static bool not_pid(const GrScenario *s)
{
    return s->path != NULL && s->mission.control.follower != GR_FOLLOW_PID;
}
static bool no_compensation(const GrScenario *s)
{
    return !s->mission.control.compensate_slip;
}
static bool no_path(const GrScenario *s)
{
    return s->path == NULL;
}
static bool not_driven(const GrScenario *s)
{
    return s->path == NULL && s->script == NULL && s->manual == NULL;
}
static bool no_steering(const GrScenario *s)
{
    int count = 0;
    for (int i = 0; i < s->rover.joint_count; i++) {
        count += s->rover.joints[i].role == GR_ROLE_STEER;
    }
    return count == 0;
}

static bool never_stuck(const GrScenario *s)
{
    return isinf(s->mission.stuck_time);
}
static bool belly_free(const GrScenario *s)
{
    return isinf(s->mission.belly_share);
}
static bool plain_wheels(const GrScenario *s)
{
    return nothing_rigid(s) || s->scene.wheels == GR_WHEELS_CYLINDER;
}
static bool no_own_mesh(const GrScenario *s)
{
    return nothing_rigid(s) || s->scene.wheels != GR_WHEELS_MESH;
}
static bool has_lugs(const GrScenario *s)
{
    bool lugs = false;
    for (int i = 0; i < s->rover.wheel_count; i++) {
        lugs = lugs || s->rover.wheels[i].grouser_lugs;
    }
    return lugs;
}
static bool grousers_uncounted(const GrScenario *s)
{
    return !(has_lugs(s) && !no_soil(s)) && plain_wheels(s) && !is_grid(s) &&
           (no_soil(s) || ruts_of(s) == GR_RUTS_NONE);
}

/// The table: section ("": the root), key, condition under which it is ignored, reason.
static const struct {
    const char *section, *key;
    bool (*ignored)(const GrScenario *scenario);
    const char *why;
} ROWS[] = {
    {"", "soil_damping", no_soil, "soil is none"},
    {"", "soil_damping", own_damping, "the soil has a damping of its own"},
    {"", "soil_damping", spring_law, "the law of the soil has a damper of its own"},
    {"", "soil_sample", no_soil, "soil is none"},
    {"hard", NULL, nothing_rigid, "nothing is rigid here: no rocks, no parts, and the ground is soil"},
    {"ruts", NULL, no_soil, "soil is none, and rigid ground keeps no ruts"},
    {"ruts", "cell_m", no_ruts, "no ruts are kept"},
    {"ruts", "flow", no_grid_ruts, "it applies only to ruts of the kind scm"},
    {"ruts", "bodies", unpressed_law, "it applies only to the laws scm and rft"},
    {"ruts", "file", no_traces, "it applies only to ruts of the kind trace"},
    {"step", "step_ms", not_fixed, "it is the step of pace: fixed"},
    {"step", "min_ms", fixed, "pace: fixed has steps of one length"},
    {"step", "max_ms", fixed, "pace: fixed has steps of one length"},
    {"step", "hub_travel_mm", not_hub, "it applies only to pace: hub"},
    {"step", "hard_ms", fixed, "pace: fixed has steps of one length"},
    {"step", "hard_ms", no_rocks, "nothing is rigid here"},
    {"step", "push_ms", fixed, "pace: fixed has steps of one length"},
    {"step", "push_ms", no_rocks, "nothing is rigid here"},
    {"step", "landing_travel_mm", fixed, "pace: fixed has steps of one length"},
    {"step", "contact_part", fixed, "pace: fixed has steps of one length"},
    {"step", "contact_part", no_soil, "soil is none"},
    {"step", "tolerance_mm", not_error, "it applies only to pace: error"},
    {"step", "cvode_tolerance", not_cvode, "it applies only to integrator: cvode"},
    {"step", "slices", no_soil, "soil is none"},
    {"step", "slices", grid_law, "the law scm has a grid and no slices"},
    {"terrain", "size_m", no_made_ground, "nothing is generated here: no terms (add), no rocks"},
    {"terrain", "cell_m", no_made_ground, "nothing is generated here: no terms (add)"},
    {"terrain", "interpolation", flat_ground, "the ground is a plane"},
    {"terrain", "window_pixel", no_file, "there is no map (file)"},
    {"terrain", "window_m", no_file, "there is no map (file)"},
    {"terrain", "window_lonlat_deg", no_file, "there is no map (file)"},
    {"terrain", "pixel_m", no_file, "there is no map (file)"},
    {"terrain", "height_scale", no_file, "there is no map (file)"},
    {"terrain", "height_offset_m", no_file, "there is no map (file)"},
    {"terrain", "nodata", no_file, "there is no map (file)"},
    {"terrain", "band", no_file, "there is no map (file)"},
    {"terrain.rocks", "k", not_sown, "no random rocks are generated: give a law in addition to file and on_tracks"},
    {"terrain.rocks", "smallest_m", not_sown,
     "no random rocks are generated: give a law in addition to file and on_tracks"},
    {"terrain.rocks", "largest_m", not_sown,
     "no random rocks are generated: give a law in addition to file and on_tracks"},
    {"terrain.rocks", "area_fraction", not_sown,
     "no random rocks are generated: give a law in addition to file and on_tracks"},
    {"terrain.rocks", "clear_m", not_sown, "it removes random rocks; those of file and on_tracks are kept"},
    {"terrain.rocks", "on_tracks", no_path, "there is no path (drive), so there is no track to place them on"},
    {"terrain.rocks", "k", law_power, "it applies only to the law golombek"},
    {"terrain.rocks", "coefficient_per_m2", law_golombek, "it applies only to the law power"},
    {"terrain.rocks", "exponent", law_golombek, "it applies only to the law power"},
    {"soil_map", "legend", map_of_rules, "rules name their soils themselves"},
    {"soil_map", "wavelength_m", map_of_file, "it applies only to rules"},
    {"soil_map", "cell_m", map_of_file, "it applies only to rules"},
    {"soil_map", "seed", map_of_file, "it applies only to rules"},
    {"drive", "heading_gain", not_p, "it applies only to follower: p"},
    {"drive", "pid_gains", not_pid, "it applies only to follower: pid"},
    {"drive", "slip_factor_max", no_compensation, "it needs compensate_slip: true"},
    {"drive", "slip_time_s", no_compensation, "it needs compensate_slip: true"},
    {"drive", "steer_rate_dps", not_driven, "nothing is driven: no path, no script"},
    {"drive", "steer_rate_dps", no_steering, "no wheel of the rover steers"},
    {"drive", "wheel_acceleration_mps2", not_driven, "nothing is driven: no path, no script"},
    {"drive", "control_period_s", not_driven, "nothing is driven: no path, no script"},
    {"stop", "stuck_share", never_stuck, "stuck_s is infinite"},
    {"stop", "belly_s", belly_free, "belly_share is infinite"},
    {"stop", "at_goal", no_path, "there is no path"},
};

/// "terrain.rocks" of the document; NULL when it is absent.
static const GrNode *find_section(const GrNode *root, const char *path)
{
    const GrNode *at = root;
    while (at != NULL && *path != '\0') {
        char name[32];
        const size_t length = strcspn(path, ".");
        memcpy(name, path, length);
        name[length] = '\0';
        path += length + (path[length] == '.');
        at = at->kind == GR_NODE_MAPPING ? gr_node_find(at, name) : NULL;
    }
    return at;
}

void gr_warn_ignored(GrNode *root, const GrScenario *scenario)
{
    const GrNode *last = NULL;
    if (root->document->status != GR_OK) {
        return;
    }
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const GrNode *node = find_section(root, ROWS[i].section);
        if (node != NULL && ROWS[i].key != NULL) {
            node = node->kind == GR_NODE_MAPPING ? gr_node_find(node, ROWS[i].key) : NULL;
        }
        if (node != NULL && node != last && ROWS[i].ignored(scenario)) {
            gr_node_warning(node, "has no effect: %s", ROWS[i].why);
            last = node;
        }
    }
    const GrNode *step = find_section(root, "step");
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
    bool (*ignored)(const GrScenario *scenario);
    const char *why;
} ROVER_ROWS[] = {
    {".crown_m", plain_wheels, PLAIN},
    {".pattern", plain_wheels, PLAIN},
    {".angle_deg", plain_wheels, PLAIN},
    {".thickness_m", plain_wheels, PLAIN},
    {".count", grousers_uncounted, "on this ground only the height of grousers counts"},
    {".mesh", no_own_mesh, "only hard: {wheels: mesh} uses it, on rigid ground"},
    {".soil_mesh", no_soil, "soil is none, and only soil of the law rft uses it"},
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
