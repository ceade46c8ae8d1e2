/// `grouser mission go MAP --from X,Y --to X,Y --rover R`: the question as two files, a scenario with the ground and a
/// campaign, which `grouser mission` runs. Both can be changed and run again.
#include "csv.h"
#include "file.h"
#include "grouser/scenario.h"

#include "grouser/soil_file.h"
#include "json.h"
#include "mission.h"
#include "number.h"
#include "out_of_memory.h"
#include "raster.h"
#include "report.h"
#include "scenario_data.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const HEAD = "# Written by grouser mission go";

typedef struct GoArguments {
    const char *map, *from, *to, *rover, *soil, *gravity;
    double speed, pixel, worlds, seed, tries, at_least, move, arrive, cell, margin;
    GrTextList set, vary, limits;
    GrCampaignOptions campaign;
} GoArguments;

enum { OWN_OPTIONS = 18 };

static void fill_options(GoArguments *a, GrOption *out)
{
    const GrOption rows[OWN_OPTIONS] = {
        {.name = "from",
         .value = "X,Y",
         .text = &a->from,
         .help = "start: x east and y north in m, or 137.3702E,4.6668S"},
        {.name = "to", .value = "X,Y", .text = &a->to, .help = "goal, likewise"},
        {.name = "rover", .value = "ROVER", .text = &a->rover, .help = "a shipped rover or a file"},
        {.name = "soil",
         .value = "SOIL",
         .text = &a->soil,
         .help = "default by the body: mars_sand, lunar_mare, ishigami2007 on Earth"},
        {.name = "gravity",
         .value = "BODY",
         .text = &a->gravity,
         .help = "mars, moon, earth or m/s² (default: the map's body, or mars)"},
        {.name = "speed", .value = "V", .number = &a->speed, .help = "along the path [m/s] (default 0.1)"},
        {.name = "worlds", .value = "N", .number = &a->worlds, .help = "worlds with soils of their own (default 8)"},
        {.name = "vary",
         .value = "PATH=RANGE",
         .list = &a->vary,
         .help = "what else differs between worlds, as in campaigns: \"terrain.rocks.seed={seed: true}\""},
        {.name = "limit",
         .value = "M<N",
         .list = &a->limits,
         .help = "drives beyond it have not arrived: \"tilt_deg<20\", \"energy_J<9e4\""},
        {.name = "at-least",
         .value = "P",
         .number = &a->at_least,
         .help = "chance that a route must have (default 0.5)"},
        {.name = "tries", .value = "K", .number = &a->tries, .help = "routes that are driven at most (default 6)"},
        {.name = "move", .value = "M", .number = &a->move, .help = "so far the start may be moved [m] (default 5)"},
        {.name = "arrive",
         .value = "M",
         .number = &a->arrive,
         .help = "distance to the goal that counts as arrived [m] (default: half of the rover)"},
        {.name = "cell",
         .value = "M",
         .number = &a->cell,
         .help = "cells in which routes are planned [m] (default: half of the track)"},
        {.name = "margin",
         .value = "M",
         .number = &a->margin,
         .help = "of the area around start and goal [m] (default: 0.4 of their distance)"},
        {.name = "pixel",
         .value = "M",
         .number = &a->pixel,
         .help = "size of the map's pixels [m], where it does not say"},
        {.name = "seed", .value = "N", .number = &a->seed, .help = "of the worlds (default 1)"},
        {.name = "set",
         .value = "PATH=VALUE",
         .list = &a->set,
         .help = "replace a value of the scenario, as for grouser run"},
    };
    *a = (GoArguments){.speed = NAN,
                       .pixel = NAN,
                       .worlds = 8,
                       .seed = 1,
                       .tries = NAN,
                       .at_least = NAN,
                       .move = NAN,
                       .arrive = NAN,
                       .cell = NAN,
                       .margin = NAN};
    gr_campaign_options(&a->campaign, out);
    memcpy(out + GR_CAMPAIGN_OPTIONS, rows, sizeof rows);
}

// ---- files

/// NAME of the study's path NAME.db.
static GrStatus name_of(const GoArguments *a, char out[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    const char *given = a->campaign.study;
    if (given != NULL) {
        const size_t length = strlen(given), end = length > 3 && strcmp(given + length - 3, ".db") == 0 ? 3 : 0;
        snprintf(out, GR_FILE_PATH_SIZE, "%.*s", (int)(length - end), given);
    } else {
        const char *const names[2] = {a->map, a->rover};
        size_t used = 0;
        for (int i = 0; i < 2 && names[i] != NULL; i++) { // dem.tif and my/rover.yaml: dem_rover
            const char *slash = strrchr(names[i], '/'), *start = slash != NULL ? slash + 1 : names[i];
            const char *dot = strrchr(start, '.');
            const int length = dot != NULL && dot > start ? (int)(dot - start) : (int)strlen(start);
            used += (size_t)snprintf(out + used, GR_FILE_PATH_SIZE - used, "%s%.*s", i > 0 ? "_" : "", length, start);
        }
        snprintf(out + used, GR_FILE_PATH_SIZE - used, "_go");
    }
    return strlen(out) + 20 < GR_FILE_PATH_SIZE && out[0] != '\0'
               ? GR_OK
               : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--out"}, "the path is too long or empty");
}

/// Replaces a file only if this command wrote it.
static GrStatus write_own(const char *path, GrBuffer *text, GrErrorLog *log)
{
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        char line[80] = "";
        const bool own = fgets(line, sizeof line, file) != NULL && strncmp(line, HEAD, strlen(HEAD)) == 0;
        fclose(file);
        if (!own) {
            gr_buffer_free(text);
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.file = path},
                                "exists and was not written by this command: name the answer with -o NAME");
        }
    }
    const GrStatus status =
        text->failed ? gr_out_of_memory(log, path) : gr_file_write(path, text->data, text->size, log);
    gr_buffer_free(text);
    return status;
}

/// A path that a file in the folder of `name` must give to reach `path`.
static void put_path(const char *name, const char *path, GrBuffer *out)
{
    char *whole = strchr(name, '/') != NULL && strpbrk(path, "/.") != NULL ? realpath(path, NULL) : NULL;
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_string(&json, NULL, whole != NULL ? whole : path);
    free(whole);
}

static void put_text(const char *text, GrBuffer *out)
{
    GrJson json = gr_json_to_buffer(out, false); // JSON text is YAML text
    gr_json_string(&json, NULL, text);
}

static bool is_scenario(const char *map)
{
    const char *dot = strrchr(map, '.');
    return dot == NULL || strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0;
}

// ---- the map: its body, and places on it

typedef struct Site {
    GrTerrain *terrain; ///< NULL: the ground of a scenario, whose places are x and y
    const char *gravity, *soil;
} Site;

static GrStatus open_map(const GoArguments *a, Site *out, GrErrorLog *log)
{
    static const struct {
        double radius;
        const char *gravity, *soil;
    } bodies[] = {{3.39e6, "mars", "mars_sand"}, {1.7374e6, "moon", "lunar_mare"}, {6.37e6, "earth", "ishigami2007"}};
    GrRasterOptions options = gr_default_raster_options();
    options.cell = isfinite(a->pixel) ? a->pixel : 0;
    const GrLayerDef layer = gr_default_layer_def();
    GrErrorLog why = {.quiet = true}; // the scenario warns again
    GrStatus status = gr_terrain_create(&out->terrain, log);
    status = status == GR_OK ? gr_terrain_add_file(out->terrain, a->map, &options, &layer, &why) : status;
    if (status != GR_OK) {
        const bool pixel = options.cell == 0 && why.count > 0 && strstr(why.items[0].text, "--cell") != NULL;
        return gr_error_add(log, status, (GrLocation){.file = a->map}, "%s",
                            pixel           ? "has no georeference: give the size of its pixels with --pixel METRES"
                            : why.count > 0 ? why.items[0].text
                                            : "cannot be read");
    }
    const double radius = gr_terrain_georeference(out->terrain)->radius;
    out->gravity = bodies[0].gravity;
    out->soil = bodies[0].soil;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        if ((a->gravity != NULL && strcmp(a->gravity, bodies[i].gravity) == 0) ||
            (a->gravity == NULL && fabs(radius / bodies[i].radius - 1) < 0.01)) {
            out->gravity = bodies[i].gravity;
            out->soil = bodies[i].soil;
        }
    }
    out->gravity = a->gravity != NULL ? a->gravity : out->gravity;
    out->soil = a->soil != NULL ? a->soil : out->soil;
    return GR_OK;
}

/// "137.37E": the number and its letter; 0: it has none, which is a number in metres.
static bool read_coordinate(const char *text, double *out, char *letter)
{
    char *end = NULL;
    *out = strtod(text, &end);
    *letter = *end;
    return end != text && isfinite(*out) && (*letter == '\0' || (strchr("EWNS", *letter) != NULL && end[1] == '\0'));
}

/// "X,Y" in metres, or "137.3702E,4.6668S" on a map with a projection.
static GrStatus read_place(const char *text, const char *option, const Site *site, double out[2], GrErrorLog *log)
{
    char parts[2][40], letters[2] = "";
    const char *comma = text != NULL ? strchr(text, ',') : NULL;
    const GrLocation at = {.field = option};
    if (comma == NULL || comma - text >= (int)sizeof parts[0] || strlen(comma + 1) >= sizeof parts[1]) {
        return gr_error_add(log, GR_ERROR_USAGE, at,
                            "%s%s%s, expected X,Y in metres, or longitude and latitude as 137.3702E,4.6668S",
                            text != NULL ? "found '" : "is missing", text != NULL ? text : "", text != NULL ? "'" : "");
    }
    snprintf(parts[0], sizeof parts[0], "%.*s", (int)(comma - text), text);
    snprintf(parts[1], sizeof parts[1], "%s", comma + 1);
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        ok = ok && read_coordinate(parts[i], &out[i], &letters[i]);
    }
    const bool metres = letters[0] == '\0' && letters[1] == '\0';
    const bool degrees = letters[0] != '\0' && strchr("EW", letters[0]) != NULL && letters[1] != '\0' &&
                         strchr("NS", letters[1]) != NULL;
    if (!ok || (!metres && !degrees)) {
        return gr_error_add(log, GR_ERROR_USAGE, at,
                            "found '%s', expected X,Y in metres, or longitude and latitude as 137.3702E,4.6668S", text);
    }
    if (metres) {
        return GR_OK;
    }
    out[0] *= letters[0] == 'W' ? -1 : 1;
    out[1] *= letters[1] == 'S' ? -1 : 1;
    const GrGeoreference none = {.crs = NULL};
    double point[1][2] = {{out[0], out[1]}};
    const GrStatus status = gr_georeference_convert(
        site->terrain != NULL ? gr_terrain_georeference(site->terrain) : &none, false, point, 1, log);
    memcpy(out, point[0], sizeof point[0]);
    return status;
}

// ---- the two files

static GrStatus write_world(const GoArguments *a, const Site *site, const char *name, const char *path, GrErrorLog *log)
{
    GrBuffer out = {0};
    gr_buffer_printf(&out, "%s: the ground, the rover and the soil.\nrover: ", HEAD);
    put_path(name, a->rover, &out);
    gr_buffer_puts(&out, "\nsoil: ");
    put_path(name, site->soil, &out);
    gr_buffer_puts(&out, "\ngravity: ");
    gr_buffer_puts(&out, site->gravity);
    gr_buffer_puts(&out, "\nterrain:\n  file: ");
    put_path(name, a->map, &out);
    if (isfinite(a->pixel)) {
        gr_buffer_puts(&out, "\n  pixel_m: ");
        gr_buffer_number(&out, a->pixel);
    }
    gr_buffer_puts(&out, "\ndrive: {speed_mps: ");
    gr_buffer_number(&out, isfinite(a->speed) ? a->speed : 0.1);
    gr_buffer_puts(&out, ", path: [[0, 0]]}  # way-points and start are those of the mission\n");
    return write_own(path, &out, log);
}

static void put_number(const char *key, double value, GrBuffer *out)
{
    if (isfinite(value)) {
        gr_buffer_printf(out, "    %s: ", key);
        gr_buffer_number(out, value);
        gr_buffer_puts(out, "\n");
    }
}

/// "tilt_deg<20" -> "tilt_deg: {below: 20}".
static GrStatus put_limits(const GoArguments *a, GrBuffer *out, GrErrorLog *log)
{
    for (int i = 0; i < a->limits.count; i++) {
        const char *text = a->limits.items[i], *sign = strpbrk(text, "<>");
        double number;
        if (sign == NULL || sign == text || !gr_options_number(sign + 1, &number)) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--limit"},
                                "found '%s', expected a measure and a number, such as tilt_deg<20", text);
        }
        char measure[80];
        snprintf(measure, sizeof measure, "%.*s", (int)(sign - text), text);
        gr_buffer_puts(out, i == 0 ? "    limits:\n      " : "      ");
        put_text(measure, out);
        gr_buffer_printf(out, ": {%s: ", *sign == '<' ? "below" : "above");
        gr_buffer_number(out, number);
        gr_buffer_puts(out, "}\n");
    }
    return GR_OK;
}

static GrStatus put_variables(const GoArguments *a, GrBuffer *out, GrErrorLog *log)
{
    for (int i = 0; i < a->vary.count; i++) {
        const char *text = a->vary.items[i], *equal = strchr(text, '=');
        if (equal == NULL || equal == text || strchr(text, '\n') != NULL) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--vary"},
                                "found '%s', expected PATH=RANGE, such as \"soil:phi={from: 30, to: 38}\"", text);
        }
        char path[160];
        snprintf(path, sizeof path, "%.*s", (int)(equal - text), text);
        gr_buffer_puts(out, i == 0 ? "vary:\n  " : "  ");
        put_text(path, out);
        gr_buffer_printf(out, ": %s\n", equal + 1);
    }
    return GR_OK;
}

static void put_set(const GoArguments *a, const char *name, bool scenario, GrBuffer *out)
{
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_begin_array(&json, NULL);
    const char *const keys[] = {"rover", "soil", "gravity"}, *const values[] = {a->rover, a->soil, a->gravity};
    for (int i = 0; i < 3 && scenario; i++) {
        if (values[i] != NULL) {
            GrBuffer text = {0};
            gr_buffer_printf(&text, "%s=", keys[i]);
            put_path(name, values[i], &text);
            gr_json_string(&json, NULL, text.data != NULL ? text.data : "");
            gr_buffer_free(&text);
        }
    }
    if (scenario && isfinite(a->speed)) {
        char text[60];
        gr_print(text, sizeof text, "drive.speed_mps=%.6g", a->speed);
        gr_json_string(&json, NULL, text);
    }
    for (int i = 0; i < a->set.count; i++) {
        gr_json_string(&json, NULL, a->set.items[i]);
    }
    gr_json_end(&json);
}

/// Whether a scenario has soil that can be sampled.
static bool has_soil(const GoArguments *a)
{
    GrErrorLog quiet = {.quiet = true};
    GrScenario *scenario = NULL;
    if (gr_scenario_load(a->map, NULL, &scenario, &quiet) != GR_OK) {
        return true; // the mission says what is wrong
    }
    const bool soil = scenario->has_soil || scenario->soil_map.file[0] != '\0' || scenario->soil_map.rule_count > 0;
    gr_scenario_free(scenario);
    return soil || a->soil != NULL;
}

static GrStatus write_campaign(const GoArguments *a, const char *name, const char *world, const double places[2][2],
                               const char *path, GrErrorLog *log)
{
    const bool scenario = is_scenario(a->map), soil = !scenario || has_soil(a);
    const char *slash = strrchr(world, '/');
    GrBuffer out = {0};
    gr_buffer_printf(&out, "%s; grouser mission %s goes on with it.\ntitle: ", HEAD, path);
    char title[300];
    gr_print(title, sizeof title, "From (%.6g, %.6g) to (%.6g, %.6g) on %.100s", places[0][0], places[0][1],
             places[1][0], places[1][1], a->map);
    put_text(title, &out);
    gr_buffer_puts(&out, "\nrun:\n  scenario: ");
    scenario ? put_path(name, a->map, &out) : put_text(slash != NULL ? slash + 1 : world, &out);
    gr_buffer_puts(&out, "\n  set: ");
    put_set(a, name, scenario, &out);
    gr_buffer_puts(&out, "\n");
    GrStatus status = put_variables(a, &out, log);
    if (soil) {
        // four times as many, so that another seed takes others
        gr_buffer_printf(&out, "uncertainty: %.0f\n", 4 * a->worlds);
    }
    if (soil || a->vary.count > 0) {
        gr_buffer_printf(&out, "sample: {method: latin, count: %.0f, seed: %.0f}\n", a->worlds, a->seed);
    }
    gr_buffer_puts(&out, "mission:\n  go:\n");
    for (int i = 0; i < 2; i++) {
        gr_buffer_puts(&out, i == 0 ? "    from: [" : "    to: [");
        gr_buffer_number(&out, places[i][0]);
        gr_buffer_puts(&out, ", ");
        gr_buffer_number(&out, places[i][1]);
        gr_buffer_puts(&out, "]\n");
    }
    put_number("tries", a->tries, &out);
    put_number("at_least", a->at_least, &out);
    put_number("move_m", a->move, &out);
    put_number("arrive_m", a->arrive, &out);
    put_number("cell_m", a->cell, &out);
    put_number("margin_m", a->margin, &out);
    status = status == GR_OK ? put_limits(a, &out, log) : status;
    if (status != GR_OK) {
        gr_buffer_free(&out);
        return status;
    }
    return write_own(path, &out, log);
}

static GrStatus check(const GoArguments *a, GrErrorLog *log)
{
    if (!(a->worlds >= 1 && a->worlds <= 200 && a->worlds == floor(a->worlds))) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--worlds"},
                            "found %g, allowed: whole numbers from 1 to 200", a->worlds);
    }
    if (!(a->seed >= 0 && a->seed <= 1e9 && a->seed == floor(a->seed))) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--seed"},
                            "found %g, allowed: whole numbers from 0 to 1e9", a->seed);
    }
    if (a->rover == NULL && !is_scenario(a->map)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--rover"},
                            "is missing: a shipped rover (grouser list rovers) or a file");
    }
    return GR_OK;
}

static GrStatus prepare(GoArguments *a, char study[GR_FILE_PATH_SIZE + 8], char campaign[GR_FILE_PATH_SIZE + 8],
                        GrErrorLog *log)
{
    char name[GR_FILE_PATH_SIZE], world[GR_FILE_PATH_SIZE + 16];
    double places[2][2] = {{0}};
    Site site = {0};
    GrStatus status = check(a, log);
    status = status == GR_OK ? name_of(a, name, log) : status;
    status = status == GR_OK && !is_scenario(a->map) ? open_map(a, &site, log) : status;
    status = status == GR_OK ? read_place(a->from, "--from", &site, places[0], log) : status;
    status = status == GR_OK ? read_place(a->to, "--to", &site, places[1], log) : status;
    if (status == GR_OK) {
        snprintf(study, GR_FILE_PATH_SIZE + 8, "%s.db", name);
        snprintf(campaign, GR_FILE_PATH_SIZE + 8, "%s.yaml", name);
        snprintf(world, sizeof world, "%s_world.yaml", name);
        a->campaign.study = study;
    }
    if (status == GR_OK && !is_scenario(a->map)) {
        status = write_world(a, &site, name, world, log);
    }
    status = status == GR_OK ? write_campaign(a, name, world, (const double(*)[2])places, campaign, log) : status;
    gr_terrain_free(site.terrain);
    return status;
}

int gr_mission_go_ask(int argc, char **argv, FILE *json, GrErrorLog *log)
{
    GoArguments a;
    GrOption options[GR_CAMPAIGN_OPTIONS + OWN_OPTIONS];
    char study[GR_FILE_PATH_SIZE + 8], campaign[GR_FILE_PATH_SIZE + 8];
    int exit_code;
    fill_options(&a, options);
    if (gr_options_parse(&gr_command_mission_go, options, GR_CAMPAIGN_OPTIONS + OWN_OPTIONS, argc, argv, &a.map, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog own = {0};
    const GrStatus status = prepare(&a, study, campaign, log != NULL ? log : &own);
    gr_report_log(&own);
    return status == GR_OK ? gr_mission_run_file(campaign, &a.campaign, json, log) : gr_report_exit_code(status);
}

static int run(int argc, char **argv)
{
    return gr_mission_go_ask(argc, argv, stdout, NULL);
}

const GrCommand gr_command_mission_go = {
    .name = "mission go",
    .summary = "find a route from here to there on a map, drive it, and say how likely the rover arrives",
    .usage = "mission go MAP|SCENARIO --from X,Y --to X,Y --rover ROVER [--soil SOIL] [--worlds N] [--limit M<N]... "
             "[-o NAME] [--json]",
    .details =
        "Checks the start and moves it to the nearest place where the rover stands; plans a route on what slopes, "
        "steps\n"
        "and rocks cost this rover, which it measures first; drives it in worlds with soils of their own; plans again\n"
        "around the places where drives end; and hands over the route with the highest chance to arrive, or shows the\n"
        "barrier. MAP is a GeoTIFF or anything else that holds heights. Writes NAME.yaml (the question, which grouser\n"
        "mission runs again), NAME_world.yaml, the study NAME.db, the page NAME.html, and of a route that arrives\n"
        "NAME_route.yaml (for grouser run), NAME_route.csv, NAME_route.geojson and its drive in 3D in NAME_route.run. "
        "The\n"
        "exit code is 1 where no route arrives.",
    .example = "  grouser mission go dem.tif --from -60,-40 --to 50,40 --rover mer_like\n"
               "  grouser mission go dem.tif --from -60,-40 --to 50,40 --rover my_rover.yaml --soil mars_crust --limit "
               "\"tilt_deg<20\"",
    .run = run,
};
