/// The keys of a scenario as one table: what they are, where they go, and in which situations they have no effect.
///
/// tests/scenario/test_ignored.c checks conditions with runs: where a row warns, two values of the key give bitwise the
/// same state; where it does not, they give different ones.
#include "contact_law.h"
#include "law.h"
#include "material.h"
#include "rover_parts.h"
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
/// A condition on the scenario `s` under which a key has no effect.
#define WHEN(name, condition)                                                                                          \
    static bool name(const void *definition)                                                                           \
    {                                                                                                                  \
        const GrScenario *s = definition;                                                                              \
        return condition;                                                                                              \
    }

// clang-format off
WHEN(no_soil, !s->has_soil && !has_map(s))
WHEN(own_damping, s->has_soil && is_alone(s) && s->soil.damping > 0)
WHEN(spring_law, s->has_soil && is_alone(s) && gr_law_has(s->soil.law, GR_LAW_SPRING))
WHEN(no_rocks, !has_rigid_wheel(s) && !has_stones(s))
WHEN(nothing_rigid, no_rocks(s) && !s->scene.self_contact)
WHEN(fixed, s->mission.pace == GR_PACE_FIXED)
WHEN(not_fixed, s->mission.pace != GR_PACE_FIXED)
WHEN(not_hub, s->mission.pace != GR_PACE_HUB)
WHEN(not_error, s->mission.pace != GR_PACE_ERROR)
WHEN(not_cvode, s->integrator != GR_INTEGRATOR_CVODE)
WHEN(grid_law, is_grid(s))
WHEN(unpressed_law, !is_grid(s) && !(s->has_soil && gr_law_has(s->soil.law, GR_LAW_GRAINS)))
WHEN(no_grid_ruts, ruts_of(s) != GR_RUTS_SCM)
WHEN(no_traces, ruts_of(s) != GR_RUTS_TRACE)
WHEN(no_ruts, ruts_of(s) == GR_RUTS_NONE)
WHEN(no_file, s->terrain.file[0] == '\0')
WHEN(no_terms, !has_made_ground(s) && !s->terrain.has_rocks)
WHEN(flat_ground, !has_made_ground(s) && no_file(s))
WHEN(no_layers, s->terrain.layer_count == 0)
WHEN(not_sown, !s->terrain.sown)
WHEN(not_deviating, s->terrain.shape != GR_STONE_DEVIATION)
WHEN(law_power, s->terrain.rocks.law == GR_ROCKS_POWER)
WHEN(law_golombek, s->terrain.rocks.law == GR_ROCKS_GOLOMBEK)
WHEN(map_of_file, s->soil_map.file[0] != '\0')
WHEN(map_of_rules, s->soil_map.rule_count > 0)
WHEN(no_path, s->path == NULL)
WHEN(not_p, s->path != NULL && s->mission.control.follower != GR_FOLLOW_P)
WHEN(not_pid, s->path != NULL && s->mission.control.follower != GR_FOLLOW_PID)
WHEN(no_compensation, !s->mission.control.compensate_slip)
WHEN(not_driven, s->path == NULL && s->script == NULL && s->manual == NULL)
WHEN(never_stuck, isinf(s->mission.stuck_time))
WHEN(belly_free, isinf(s->mission.belly_share))
WHEN(undated, s->mission.sun.kind != GR_SUN_DATE)
WHEN(no_sun, s->mission.sun.kind == GR_SUN_NONE)
WHEN(no_supply, no_sun(s) && s->mission.supply.capacity == 0)
WHEN(tracking, s->mission.supply.panel_tracks)
WHEN(plain_wheels, nothing_rigid(s) || s->scene.wheels == GR_WHEELS_CYLINDER)
WHEN(no_own_mesh, nothing_rigid(s) || s->scene.wheels != GR_WHEELS_MESH)
WHEN(grousers_uncounted, !(has_lugs(s) && !no_soil(s)) && plain_wheels(s) && !is_grid(s) &&
                         (no_soil(s) || ruts_of(s) == GR_RUTS_NONE))
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

// ---- the keys

#define S(member)     offsetof(GrScenario, member)
#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))
#define UNITY         GR_SPAN_BETWEEN(0, 1)

#define FIXED_PACE    "pace: fixed has steps of one length"
#define NO_MAP        "there is no map (file)"
#define NOT_SOWN      "no random rocks are generated: give a law in addition to file, mesh and on_tracks"

static const char *const PACES[] = {GR_PACE_LIST(GR_KEY_NAME_OF_THREE)};
static const char *const SOIL_LAWS[] = {GR_SOIL_LAW_LIST(GR_KEY_NAME)};
static const char *const MODES[] = {GR_DRIVE_MODE_LIST(GR_KEY_NAME_OF_THREE)};
static const char *const INTEGRATORS[] = {GR_INTEGRATOR_LIST(GR_KEY_NAME)};
static const char *const RUTS_KINDS[] = {GR_RUTS_LIST(GR_KEY_NAME_OF_THREE)};
static const char *const FOLLOWERS[] = {"pure_pursuit", "p", "pid"}, *const PLACES[] = {"truth", "odometry"};
static const char *const SKY_BODIES[] = {"moon", "mars"}, *const INTERPOLATIONS[] = {"bilinear", "bicubic"};
static const char *const STONES[] = {"ellipsoid", "hull", "noise", "deviation"};
static const char *const PRIMITIVES[] = {GR_ROCK_PRIMITIVE_LIST(GR_KEY_NAME)};
static const char *const SIDES[] = {"both", "left", "right", "alternate"};

static const GrKey USE[] = {{"use", GR_KEY_TEXT, "name or file", .required = true},
                            {"set", GR_KEY_MAPPING, "paths in that file and the values that replace those there"},
                            {NULL}};

static const GrKey USE_SOIL[] = {
    {"", GR_KEY_GROUP, .keys = USE},
    {"law", GR_KEY_CHOICE, "soil law in place of the file's", CHOICE(SOIL_LAWS), .usual = "that of the file"},
    {NULL}};

// ---- the ground

#define R(member) offsetof(GrRasterOptions, member)

/// How a map is read.
static const GrKey RASTER[] = {
    {"window_pixel", GR_KEY_NUMBERS,
     "part of the map that is used: column and row of its north-west pixel, columns, rows", .size = 4,
     .range = GR_SPAN_ANY, .read = gr_read_window},
    {"window_m", GR_KEY_NUMBERS, "the same in the map's projection", .size = 4, .range = GR_SPAN_ANY,
     .read = gr_read_window},
    {"window_lonlat_deg", GR_KEY_NUMBERS, "the same in longitude and latitude", .size = 4, .range = GR_SPAN_ANY,
     .read = gr_read_window},
    {"pixel_m", GR_KEY_NUMBER, "size of a pixel where the file gives none", R(cell), GR_SPAN_POSITIVE},
    {"height_scale", GR_KEY_NUMBER, "height = scale · value + offset", R(height_scale), GR_SPAN_ANY,
     .usual = "as the file says"},
    {"height_offset_m", GR_KEY_NUMBER, "height = scale · value + offset", R(height_offset), GR_SPAN_ANY,
     .usual = "as the file says"},
    {"nodata", GR_KEY_NUMBER, "value that means 'no data'", R(nodata), GR_SPAN_ANY, .usual = "as the file says"},
    {"band", GR_KEY_INTEGER, "band of the file, from 1", R(band), GR_SPAN_BETWEEN(1, 10000)},
    {NULL}};

#define L(member) offsetof(GrLayerPlan, member)

const GrKey gr_file_layer_keys[] = {{"file", GR_KEY_FILE, "a map, which replaces what is below it", L(file)},
                                    {"", GR_KEY_GROUP, .offset = L(raster), .keys = RASTER},
                                    {"margin_m", GR_KEY_NUMBER, "width over which it is blended into the layers below",
                                     L(margin), GR_SPAN_NOT_NEGATIVE},
                                    {NULL}};

const GrKey gr_made_layer_keys[] = {
    {"add", GR_KEY_LIST | GR_KEY_ELSEWHERE, "generated terms, added to what is below: grouser terrain generate --list"},
    {"size_m", GR_KEY_NUMBER | GR_KEY_NUMBERS, "size of the generated ground, or [along x, along y]", .size = 2,
     .range = GR_SPAN_MAP_SIZE, .read = gr_read_layer_size, .usual = "1000"},
    {"cell_m", GR_KEY_NUMBER, "its cells", L(cell), GR_SPAN_POSITIVE, .usual = "10"},
    {"x_m", GR_KEY_NUMBER, "its middle", L(x), GR_SPAN_ANY, .usual = "0"},
    {"y_m", GR_KEY_NUMBER, "its middle", L(y), GR_SPAN_ANY, .usual = "0"},
    {"seed", GR_KEY_SEED, "moves the generated terms", L(seed), .usual = "1"},
    {"margin_m", GR_KEY_NUMBER, "width over which it is blended into the layers below", L(margin),
     GR_SPAN_NOT_NEGATIVE},
    {NULL}};

static const GrKey LAYER[] = {
    {"", GR_KEY_GROUP, .keys = gr_file_layer_keys}, {"", GR_KEY_GROUP, .keys = gr_made_layer_keys}, {NULL}};

#define T(member) offsetof(GrTerrainPlan, member)

static const GrKey ON_TRACKS[] = {
    {"every_m", GR_KEY_NUMBER, "distance between rocks along the path", T(track_rocks.spacing),
     GR_SPAN_BETWEEN(0.05, 1e4), .required = true},
    {"diameter_m", GR_KEY_NUMBER, "their diameter", T(track_rocks.diameter), GR_SPAN_BETWEEN(0.01, 10),
     .required = true},
    {"from_m", GR_KEY_NUMBER, "distance of the first rock along the path", T(track_rocks.from), GR_SPAN_NOT_NEGATIVE},
    {"side", GR_KEY_CHOICE, "wheels of which side drive over them", T(track_rocks.side), CHOICE(SIDES)},
    {NULL}};

#define DEVIATING .ignored = {{not_deviating, "it applies only to the shape deviation"}}
static const GrKey ROCK_MESH[] = {
    {"file", GR_KEY_FILE, "an OBJ or STL file in world coordinates; each closed object is a rock", T(rock_mesh.file),
     .required = true},
    {"scale", GR_KEY_NUMBER, "metres per unit of the file", T(rock_mesh.scale), GR_SPAN_POSITIVE},
    {"pieces", GR_KEY_INTEGER, "most convex parts that a rock is cut into", T(rock_mesh.parts.most),
     GR_SPAN_BETWEEN(1, 1000)},
    {"error", GR_KEY_NUMBER, "cut until the parts have at most this share of a rock too much", T(rock_mesh.parts.error),
     GR_SPAN_BETWEEN(0, 1)},
    {NULL}};

const GrKey gr_rock_keys[] = {
    {"law", GR_KEY_CHOICE, "golombek with k, power with coefficient and exponent, or a published law of the Moon",
     .name_of = gr_rock_law_name, .read = gr_read_rock_law, .usual = "golombek"},
    {"file", GR_KEY_FILE, "a table of rocks, as grouser terrain rocks -o writes it", T(rock_file)},
    {"mesh", GR_KEY_MAPPING, "rocks of any shape from a mesh file, fixed where they are there", .keys = ROCK_MESH},
    {"on_tracks", GR_KEY_MAPPING, "rocks exactly under the wheels, along the straight legs of the path",
     .keys = ON_TRACKS, .ignored = {{no_path, "there is no path (drive), so there is no track to place them on"}}},
    {"k",
     GR_KEY_NUMBER,
     "law golombek: share of the area that rocks cover",
     T(rocks.k),
     {1e-6, 0.6, false, true, false},
     .ignored = {{not_sown, NOT_SOWN}, {law_power, "it applies only to the law golombek"}}},
    {"coefficient_per_m2", GR_KEY_NUMBER, "law power: number of rocks per area above 1 m", T(rocks.coefficient),
     GR_SPAN_POSITIVE, .ignored = {{law_golombek, "it applies only to the law power"}}},
    {"exponent", GR_KEY_NUMBER, "law power: number ~ diameter^-exponent", T(rocks.exponent), GR_SPAN_POSITIVE,
     .ignored = {{law_golombek, "it applies only to the law power"}}},
    {"smallest_m", GR_KEY_NUMBER, "smallest diameter", T(rocks.diameter_lower), GR_SPAN_POSITIVE,
     .ignored = {{not_sown, NOT_SOWN}}},
    {"largest_m", GR_KEY_NUMBER, "largest diameter", T(rocks.diameter_upper), GR_SPAN_POSITIVE,
     .ignored = {{not_sown, NOT_SOWN}}},
    {"area_fraction", GR_KEY_NUMBER, "share of the area that rocks of these sizes cover; 0: that of the law",
     T(rocks.area_fraction), GR_SPAN_BETWEEN(0, 0.6), .ignored = {{not_sown, NOT_SOWN}}},
    {"gap_m", GR_KEY_NUMBER, "smallest gap between two rocks", T(rocks.gap), GR_SPAN_NOT_NEGATIVE},
    {"height_ratio",
     GR_KEY_NUMBER,
     "height above the ground over diameter",
     T(rocks.height_ratio),
     {0, 1, true, false, false}},
    {"clear_m", GR_KEY_NUMBER, "no random rock is closer to the start than this", T(clear_radius), GR_SPAN_NOT_NEGATIVE,
     .ignored = {{not_sown, "it removes random rocks; those of file and on_tracks are kept"}}},
    {"loose_below_m", GR_KEY_NUMBER, "rocks smaller than this can be pushed", T(loose_below), GR_SPAN_NOT_NEGATIVE},
    {"shape", GR_KEY_CHOICE, "shape of the rocks", T(shape), CHOICE(STONES)},
    {"primitive", GR_KEY_CHOICE, "shape that they deviate from", T(deviation.primitive), CHOICE(PRIMITIVES), DEVIATING},
    {"deviation",
     GR_KEY_NUMBER,
     "standard deviation of their points from it, over its radius there",
     T(deviation.deviation),
     {0, 0.3, true, false, false},
     DEVIATING},
    {"points", GR_KEY_INTEGER, "points of which each is the convex hull", T(deviation.points), GR_SPAN_BETWEEN(8, 1000),
     DEVIATING},
    {"seed", GR_KEY_SEED, "chooses the random rocks", T(rocks.seed), .usual = "the seed of the terrain"},
    {NULL}};

const GrKey gr_terrain_keys[] = {
    {"file", GR_KEY_FILE, "a map (docs/terrain.md)", T(file)},
    {"", GR_KEY_GROUP, .offset = T(raster), .keys = RASTER, .ignored = {{no_file, "there is no map (file)"}}},
    {"size_m", GR_KEY_NUMBER | GR_KEY_NUMBERS, "size of the generated ground, or [along x, along y]", .size = 2,
     .range = GR_SPAN_MAP_SIZE, .read = gr_read_terrain_size, .usual = "200",
     .ignored = {{no_terms, "nothing is generated here: no terms (add), no rocks"}}},
    {"cell_m", GR_KEY_NUMBER, "cells of the generated ground", T(cell), GR_SPAN_BETWEEN(1e-4, 1e6),
     .ignored = {{no_terms, "nothing is generated here: no terms (add)"}}},
    {"seed", GR_KEY_SEED, "moves the generated terms and the rocks", T(seed)},
    {"interpolation", GR_KEY_CHOICE, "bicubic is smooth between nodes; bilinear keeps steps upright", T(interpolation),
     CHOICE(INTERPOLATIONS), .ignored = {{flat_ground, "the ground is a plane"}}},
    {"add", GR_KEY_LIST, "generated terms, summed up and added to the map: grouser terrain generate --list",
     .read = gr_read_terms},
    {"layers", GR_KEY_LIST, "maps below and around this ground, the coarsest first", .keys = LAYER,
     .read = gr_read_layers},
    {"margin_m", GR_KEY_NUMBER, "width over which this ground is blended into the layers", T(margin),
     GR_SPAN_NOT_NEGATIVE, .ignored = {{no_layers, "there are no layers"}}},
    {"rocks", GR_KEY_MAPPING, "rocks on the ground", .keys = gr_rock_keys, .read = gr_read_rocks},
    {NULL}};

#define M(member) offsetof(GrSoilPlan, member)

const GrKey gr_map_keys[] = {
    {"file", GR_KEY_FILE, "a raster of classes", M(file)},
    {"legend", GR_KEY_TEXT, "what the classes are: \"1=dlr_d2 2=ishigami2007\"", M(legend),
     .size = GR_SCENARIO_TERM_SIZE, .usual = "that of the file",
     .ignored = {{map_of_rules, "rules name their soils themselves"}}},
    {"rules", GR_KEY_LIST, "the first that applies counts: \"mars_dlr_drift: slope_deg<5 and noise>0.2\"",
     .read = gr_read_map_rules},
    {"wavelength_m", GR_KEY_NUMBER, "of the noise in rules", M(wavelength), GR_SPAN_POSITIVE,
     .ignored = {{map_of_file, "it applies only to rules"}}},
    {"cell_m", GR_KEY_NUMBER, "cells of the map that is made from rules", M(cell), GR_SPAN_POSITIVE,
     .ignored = {{map_of_file, "it applies only to rules"}}},
    {"seed", GR_KEY_SEED, "of the noise in rules", M(seed), .ignored = {{map_of_file, "it applies only to rules"}}},
    {NULL}};

const GrKey gr_soil_map_keys[] = {
    {"", GR_KEY_GROUP, .keys = gr_map_keys, .offset = S(soil_map)},
    {"law", GR_KEY_CHOICE | GR_KEY_ELSEWHERE, "law of the map's soils", CHOICE(SOIL_LAWS),
     .usual = "the law that soil names, else those of their files"},
    {"border_m", GR_KEY_NUMBER, "width over which two soils blend", S(soil_map.border), GR_SPAN_NOT_NEGATIVE},
    {NULL}};

const GrKey gr_ruts_keys[] = {
    {"kind", GR_KEY_CHOICE, "what wheels leave in the ground", S(ruts), CHOICE(RUTS_KINDS), .required = true},
    {"cell_m", GR_KEY_NUMBER, "cells of the ruts", S(rut_cell), GR_SPAN_BETWEEN(0.0005, 1),
     .ignored = {{no_ruts, "no ruts are kept"}}},
    {"flow", GR_KEY_BOOL, "displaced soil rises beside the wheels and slumps", S(soil_flow),
     .ignored = {{no_grid_ruts, "it applies only to ruts of the kind scm"}}},
    {"bodies", GR_KEY_BOOL, "shapes of bodies press the soil too", S(bodies_press),
     .ignored = {{unpressed_law, "it applies only to the laws scm and rft"}}},
    {"file", GR_KEY_FILE, "parameters of the kind trace", .read = gr_read_trace, .usual = "built in",
     .ignored = {{no_traces, "it applies only to ruts of the kind trace"}}},
    {"from", GR_KEY_FILE, "ruts of another run, present at the start (ruts.bin)", S(ruts_from)},
    {NULL}};

// ---- start and drive

const GrKey gr_lander_plan_keys[] = {
    {"name", GR_KEY_TEXT, "a shipped lander, or a file", .required = true, .read = gr_read_lander_name},
    {"x_m", GR_KEY_NUMBER, "place of its mass centre", S(lander.spot.x), GR_SPAN_PLACE},
    {"y_m", GR_KEY_NUMBER, "place of its mass centre", S(lander.spot.y), GR_SPAN_PLACE},
    {"heading_deg", GR_KEY_NUMBER, "direction of its x axis", S(lander.spot.heading), GR_SPAN_ANY},
    {"beyond_m", GR_KEY_NUMBER, "distance of the goal from the end of the ramp, if drive has no path or script",
     S(lander.beyond), GR_SPAN_NOT_NEGATIVE},
    {"start_m", GR_KEY_NUMBERS, "start of the rover from the middle of the deck: along the ramp, to the left",
     S(lander.forward), GR_SPAN_ANY, .size = 2},
    {"ramp", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "the ramp that the rover takes", .usual = "the only one"},
    {NULL}};
_Static_assert(S(lander.left) == S(lander.forward) + sizeof(double), "start_m is two numbers in a row");

#define DROPPED "only if dropped: "
static const GrKey START[] = {
    {"x_m", GR_KEY_NUMBER, "east", S(start.x), GR_SPAN_PLACE},
    {"y_m", GR_KEY_NUMBER, "north", S(start.y), GR_SPAN_PLACE},
    {"heading_deg", GR_KEY_NUMBER, "from east to the left", S(start.heading), GR_SPAN_ANY},
    {"height_m", GR_KEY_NUMBER, "height from which the rover is dropped; 0: it stands on the ground", S(start.height),
     GR_SPAN_NOT_NEGATIVE},
    {"velocity_mps", GR_KEY_NUMBERS, DROPPED "velocity", S(start.velocity), GR_SPAN_ANY, .size = 3,
     .check = gr_check_dropped},
    {"angular_velocity_dps", GR_KEY_NUMBERS, DROPPED "angular velocity", S(start.angular_velocity), GR_SPAN_ANY,
     .size = 3, .check = gr_check_dropped},
    {"roll_deg", GR_KEY_NUMBER, DROPPED "roll", S(start.roll), GR_SPAN_ANY, .check = gr_check_dropped},
    {"pitch_deg", GR_KEY_NUMBER, DROPPED "pitch", S(start.pitch), GR_SPAN_ANY, .check = gr_check_dropped},
    {NULL}};

#define D(member) S(mission.control.member)
/// What applies only to a path.
const GrKey gr_path_keys[] = {
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

static const GrKey DRIVE[] = {
    {"path", GR_KEY_LIST | GR_KEY_ELSEWHERE, "way-points [x, y] or [x, y, time of arrival]"},
    {"script", GR_KEY_LIST | GR_KEY_ELSEWHERE, "commands and moves of joints by time", .keys = gr_script_keys},
    {"manual", GR_KEY_LIST | GR_KEY_TEXT | GR_KEY_ELSEWHERE,
     "commands of a driver by time, which replace path and script from then on; or a CSV file of them",
     .keys = gr_manual_keys},
    {"", GR_KEY_GROUP, .keys = gr_path_keys},
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
     .ignored = {{no_path, "there is no path"}}},
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

// ---- sun and power

static const GrKey SUN[] = {
    {"body", GR_KEY_CHOICE, "where the rover is", S(mission.sun.body), CHOICE(SKY_BODIES)},
    {"start", GR_KEY_TEXT, "date of time 0: \"2027-03-01T00:00:00Z\"", .read = gr_read_date},
    {"lon_deg", GR_KEY_NUMBER, "east longitude", S(mission.sun.lon), GR_SPAN_BETWEEN(-360, 360),
     .ignored = {{undated, "it belongs to a date (start)"}}},
    {"lat_deg", GR_KEY_NUMBER, "planetocentric latitude", S(mission.sun.lat), GR_SPAN_BETWEEN(-90, 90),
     .ignored = {{undated, "it belongs to a date (start)"}}},
    {"north_deg", GR_KEY_NUMBER, "direction of north, clockwise from y", S(mission.sun.north),
     GR_SPAN_BETWEEN(-360, 360), .ignored = {{undated, "it belongs to a date (start)"}}},
    {"azimuth_deg", GR_KEY_NUMBER, "of a Sun that does not move, clockwise from y", S(mission.sun.azimuth),
     GR_SPAN_ANY},
    {"elevation_deg", GR_KEY_NUMBER, "of a Sun that does not move", S(mission.sun.elevation), GR_SPAN_BETWEEN(-90, 90)},
    {"table", GR_KEY_LIST, "of [time in s, azimuth, elevation in degrees]", .read = gr_read_sun_table},
    {NULL}};

#define E(member) S(mission.supply.member)
static const GrKey PANEL[] = {
    {"area_m2", GR_KEY_NUMBER, "area of the solar panel", E(panel_area), GR_SPAN_BETWEEN(0, 1e4), .required = true},
    {"efficiency", GR_KEY_NUMBER, "electric power over that of the light", E(panel_efficiency), UNITY},
    {"tilt_deg", GR_KEY_NUMBER, "of its normal from the chassis' z axis", E(panel_tilt), GR_SPAN_BETWEEN(-180, 180),
     .ignored = {{tracking, "the panel tracks the Sun"}}},
    {"toward_deg", GR_KEY_NUMBER, "direction of that tilt, from x to the left", E(panel_toward),
     GR_SPAN_BETWEEN(-360, 360)},
    {"tracks", GR_KEY_BOOL, "it always faces the Sun", E(panel_tracks)},
    {NULL}};

static const GrKey BATTERY[] = {
    {"capacity_Wh", GR_KEY_NUMBER, "energy of the full battery", E(capacity), GR_SPAN_BETWEEN(0, 1e8),
     .required = true},
    {"charge", GR_KEY_NUMBER, "at the start, as a part of the capacity", E(charge), UNITY},
    {"reserve", GR_KEY_NUMBER, "the run ends as out_of_energy at this part of the capacity", E(reserve), UNITY},
    {NULL}};

static const GrKey POWER[] = {
    {"panel", GR_KEY_MAPPING, "solar panel", .keys = PANEL, .ignored = {{no_sun, "there is no sun"}}},
    {"battery", GR_KEY_MAPPING, "battery", .keys = BATTERY},
    {"load_W", GR_KEY_NUMBER, "electronics, always", E(load), GR_SPAN_BETWEEN(0, 1e6)},
    {"dark_load_W", GR_KEY_NUMBER, "in addition while the Sun is not in sight", E(dark_load), GR_SPAN_BETWEEN(0, 1e6)},
    {"motor_efficiency", GR_KEY_NUMBER, "mechanical over electric energy of drives", E(motor_efficiency),
     GR_SPAN_BETWEEN(0.01, 1)},
    {NULL}};

static const GrKey GRAVITY[] = {
    {"body", GR_KEY_TEXT | GR_KEY_NUMBER, "earth, moon, mars, …, or a number in m/s²", .range = GR_SPAN_NOT_NEGATIVE,
     .required = true},
    {"tilt_deg", GR_KEY_NUMBER, "the ground appears to rise by it", .range = GR_SPAN_BETWEEN(-90, 90), .usual = "0"},
    {"toward_deg", GR_KEY_NUMBER, "in this direction, from east to the left", .range = GR_SPAN_ANY, .usual = "0"},
    {NULL}};

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
     .keys = GRAVITY, .range = GR_SPAN_NOT_NEGATIVE, .read = gr_read_gravity, .usual = "earth"},
    {"parts", GR_KEY_LIST, "fixed rigid parts: box, cylinder, sphere, rod or mesh, as shapes of a rover",
     .keys = gr_shape_keys, .read = gr_read_parts},
    {"hard", GR_KEY_MAPPING, "laws and materials of rocks, parts and rigid ground", .keys = gr_hard_keys,
     .read = gr_read_hard,
     .ignored = {{nothing_rigid, "nothing is rigid here: no rocks, no parts, and the ground is soil"}}},
    {"terrain", GR_KEY_MAPPING, "the ground; without it the plane z = 0", S(terrain), .keys = gr_terrain_keys},
    {"ruts", GR_KEY_CHOICE | GR_KEY_MAPPING, "what wheels leave in the ground", .keys = gr_ruts_keys,
     CHOICE(RUTS_KINDS), .read = gr_read_ruts, .usual = "auto",
     .ignored = {{no_soil, "soil is none, and rigid ground keeps no ruts"}}},
    {"start", GR_KEY_MAPPING, "where the rover starts", .keys = START},
    {"drive", GR_KEY_MAPPING, "how it is driven; without it the rover stands still", .keys = DRIVE,
     .check = gr_read_drive},
    {"stop", GR_KEY_MAPPING, "when the run ends", .keys = STOP},
    {"step", GR_KEY_MAPPING, "length of the time steps", .keys = STEP},
    {"sun", GR_KEY_MAPPING, "where the Sun stands", .keys = SUN, .check = gr_check_sun},
    {"power", GR_KEY_MAPPING, "panel, battery and loads of the rover", .keys = POWER,
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
