/// Reads the section `mission: {traverse: …}` of a campaign file.
#include "traverse.h"

#include "alloc.h"
#include "number.h"
#include "world_cache.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS_MAX = 250000, GROUND_POINTS = 5 };
static const double DEFAULT_MARGIN = 2, DEFAULT_ARRIVE = 0.1; // [m], [cells]

static const char *const PATHS[GR_TRAVERSE_VARIABLES] = {[GR_TRAVERSE_X] = "start.x_m",
                                                         [GR_TRAVERSE_Y] = "start.y_m",
                                                         [GR_TRAVERSE_HEADING] = "start.heading_deg",
                                                         [GR_TRAVERSE_PATH] = "drive.path",
                                                         [GR_TRAVERSE_DURATION] = "stop.time_s"};

// clang-format off
static const char *const MEASURES[GR_TRAVERSE_MEASURES][2] = {
    [GR_TRAVERSE_END_X] = {"end_x_m", "last(x_m)"},
    [GR_TRAVERSE_END_Y] = {"end_y_m", "last(y_m)"},
    [GR_TRAVERSE_USED_ENERGY] = {"energy_J", "energy.electric_J"},
    [GR_TRAVERSE_USED_TIME] = {"time_s", "time_s"},
    [GR_TRAVERSE_MEAN_SLIP] = {"slip_mean", "wheels.slip_mean"},
    [GR_TRAVERSE_TILT] = {"tilt_deg", "roll_max_deg > pitch_max_deg ? roll_max_deg : pitch_max_deg"},
};
// clang-format on

#define T(member) offsetof(GrTraverse, member)
const GrKey gr_traverse_keys[] = {
    {"cell_m", GR_KEY_NUMBER, "cells of the grid of places", T(grid.cell), GR_SPAN_POSITIVE, .required = true},
    {"area", GR_KEY_NUMBERS | GR_KEY_ELSEWHERE, "[x0, y0, x1, y1]", .size = 4, .range = GR_SPAN_ANY,
     .usual = "the map"},
    {"margin_m", GR_KEY_NUMBER | GR_KEY_ELSEWHERE, "from the edge of the map", .range = GR_SPAN_NOT_NEGATIVE,
     .usual = "2"},
    {"jitter", GR_KEY_NUMBER, "range of the place of a leg's start, in cells", T(jitter), GR_SPAN_BETWEEN(0, 1)},
    {"patience", GR_KEY_NUMBER, "a drive may take this many times its length over the speed", T(patience),
     GR_SPAN_BETWEEN(1, 100)},
    {"open_above", GR_KEY_NUMBER, "routes use legs with at least this share of arrivals", T(open_above),
     GR_SPAN_BETWEEN(0, 1)},
    {"pairs", GR_KEY_INTEGER, "random starts and goals", T(pairs), GR_SPAN_BETWEEN(0, 1000000)},
    {"directions", GR_KEY_INTEGER, "of legs from a cell: 4 or 8", T(directions), GR_SPAN_BETWEEN(4, 8)},
    {"arrive_m", GR_KEY_NUMBER | GR_KEY_ELSEWHERE, "a drive that ends this near to its goal has arrived",
     .range = GR_SPAN_POSITIVE, .usual = "a tenth of a cell"},
    {"from", GR_KEY_NUMBERS | GR_KEY_ELSEWHERE, "start of the routes: [x, y]", .size = 2, .range = GR_SPAN_ANY},
    {"to", GR_KEY_NUMBERS | GR_KEY_ELSEWHERE, "goal of the routes: [x, y]", .size = 2, .range = GR_SPAN_ANY},
    {"routes", GR_KEY_LIST | GR_KEY_ELSEWHERE,
     "costs: energy, time, risk, …, or weights of them: {energy: 1, risk: 500}", .usual = "[energy, time, risk]"},
    {"drives", GR_KEY_INTEGER | GR_KEY_ELSEWHERE, "worlds in which routes are driven",
     .range = GR_SPAN_BETWEEN(1, 100000), .usual = "all worlds of the map"},
    {NULL}};

void gr_traverse_fill(void *traverse)
{
    *(GrTraverse *)traverse = (GrTraverse){.jitter = 1, .patience = 3, .open_above = 0.5, .directions = 8};
}

bool gr_traverse_read_scenario(GrNode *section, const GrCampaign *c, GrTraverse *t)
{
    const char *overrides[GR_SUBJECT_OVERRIDES];
    const GrCase none = {.count = 0};
    const char *name =
        c->kind->scenario != NULL ? c->kind->scenario(c->subject, &none, overrides, GR_SUBJECT_OVERRIDES) : NULL;
    if (name == NULL) {
        gr_node_error(section, GR_ERROR_FIELD, "this mission is driven in a scenario: `run: {scenario: NAME}`");
        return false;
    }
    GrErrorLog why = {.quiet = true};
    t->has_scenario = gr_scenario_load(name, overrides, &t->scenario, &why) == GR_OK;
    if (!t->has_scenario || gr_plan_make_terrain(&t->scenario->terrain, &t->terrain, &why) != GR_OK) {
        gr_node_error(section, GR_ERROR_VALUE, "the ground of %s cannot be made: %s", name,
                      why.count > 0 ? why.items[why.count - 1].text : "out of memory");
        return false;
    }
    return true;
}

/// The box of the area. The ground of a file is loaded.
static bool read_area(GrNode *section, GrTraverse *t, double margin, GrBox2 *out)
{
    double area[4];
    GrNode *node = gr_field(section, "area", GR_OPTIONAL);
    if (node == NULL && t->terrain == NULL) {
        gr_node_error(section, GR_ERROR_FIELD, "`area: [x0, y0, x1, y1]` is missing: the ground is an infinite plane");
        return false;
    }
    if (t->terrain != NULL) {
        *out = gr_terrain_box(t->terrain);
        *out = (GrBox2){out->x_lower + margin, out->y_lower + margin, out->x_upper - margin, out->y_upper - margin};
    }
    if (node != NULL) {
        if (!gr_node_numbers(node, GR_ANY, area, 4)) {
            return false;
        }
        if (t->terrain != NULL && !(area[0] >= out->x_lower && area[1] >= out->y_lower && area[2] <= out->x_upper &&
                                    area[3] <= out->y_upper)) {
            gr_node_error(node, GR_ERROR_VALUE,
                          "the area leaves the map; allowed: [%g, %g, %g, %g], the map without a margin of %g m "
                          "(margin_m)",
                          out->x_lower, out->y_lower, out->x_upper, out->y_upper, margin);
            return false;
        }
        *out = (GrBox2){area[0], area[1], area[2], area[3]};
    }
    if (!(out->x_upper > out->x_lower && out->y_upper > out->y_lower)) {
        gr_node_error(node != NULL ? node : section, GR_ERROR_VALUE,
                      "the area is empty: expected [x0, y0, x1, y1] with x0 < x1 and y0 < y1");
        return false;
    }
    if (t->scenario->terrain.file[0] == '\0') {
        return true; // generated ground has no voids
    }
    const GrBox2 loaded = {out->x_lower - margin, out->y_lower - margin, out->x_upper + margin, out->y_upper + margin};
    GrErrorLog why = {.quiet = true};
    if (gr_terrain_prefetch(t->terrain, loaded, &why) != GR_OK) {
        gr_node_error(section, GR_ERROR_VALUE, "the ground of the area cannot be loaded: %s",
                      why.count > 0 ? why.items[0].text : "out of memory");
        return false;
    }
    return true;
}

static bool lay_grid(GrNode *section, GrTraverse *t)
{
    double margin = DEFAULT_MARGIN;
    GrBox2 box = {0, 0, 0, 0};
    gr_field_number(section, "margin_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &margin);
    if (!read_area(section, t, margin, &box) || t->grid.cell == 0) {
        return false;
    }
    const double width = box.x_upper - box.x_lower, height = box.y_upper - box.y_lower;
    const double nx = floor(width / t->grid.cell * (1 + 1e-12)), ny = floor(height / t->grid.cell * (1 + 1e-12));
    if (nx < 1 || ny < 1 || nx * ny < 2 || nx * ny > CELLS_MAX) {
        gr_node_error(gr_node_find(section, "cell_m"), GR_ERROR_VALUE,
                      "the area of %g m x %g m has %.0f x %.0f cells of %g m; allowed: 2 to %d cells", width, height,
                      nx, ny, t->grid.cell, (int)CELLS_MAX);
        return false;
    }
    t->grid.nx = (int)nx;
    t->grid.ny = (int)ny;
    t->x0 = box.x_lower + (width - nx * t->grid.cell) / 2;
    t->y0 = box.y_lower + (height - ny * t->grid.cell) / 2;
    return true;
}

/// Whether the map has data everywhere in a cell.
static bool is_on_map(const GrTraverse *t, int cell)
{
    double centre[2], z;
    gr_traverse_centre(t, cell, centre);
    const bool has_file = t->scenario->terrain.file[0] != '\0'; // generated ground has no voids
    for (int k = 0; k < GROUND_POINTS * GROUND_POINTS && has_file; k++) {
        const int i = k % GROUND_POINTS, j = k / GROUND_POINTS;
        const double x = centre[0] + t->grid.cell * (i / (GROUND_POINTS - 1.0) - 0.5);
        const double y = centre[1] + t->grid.cell * (j / (GROUND_POINTS - 1.0) - 0.5);
        if (gr_terrain_height(t->terrain, x, y, &z) != GR_GROUND_OK) {
            return false;
        }
    }
    return true;
}

static bool list_legs(GrNode *section, GrTraverse *t)
{
    const int cells = t->grid.nx * t->grid.ny;
    t->has_ground = gr_calloc((size_t)cells, sizeof *t->has_ground);
    t->legs = gr_calloc((size_t)cells * GR_ROUTE_DIRECTIONS, sizeof *t->legs);
    if (t->has_ground == NULL || t->legs == NULL) {
        gr_node_out_of_memory(section);
        return false;
    }
    for (int cell = 0; cell < cells; cell++) {
        t->has_ground[cell] = is_on_map(t, cell);
    }
    for (int cell = 0; cell < cells; cell++) {
        for (int k = 0; k < GR_ROUTE_DIRECTIONS; k += GR_ROUTE_DIRECTIONS / t->directions) {
            const int next = gr_route_neighbour(&t->grid, cell, k);
            if (next >= 0 && t->has_ground[cell] && t->has_ground[next]) {
                t->legs[t->leg_count++] = cell * GR_ROUTE_DIRECTIONS + k;
            }
        }
    }
    if (t->leg_count == 0) {
        gr_node_error(section, GR_ERROR_VALUE, "no two neighbouring cells of the area have ground everywhere");
    }
    return t->leg_count > 0;
}

static void read_end(GrNode *section, const char *key, const GrTraverse *t, double out[2])
{
    GrNode *node = gr_field(section, key, GR_REQUIRED);
    if (node == NULL || !gr_node_numbers(node, GR_ANY, out, 2)) {
        return;
    }
    const int cell = gr_traverse_cell(t, out);
    if (cell < 0) {
        gr_node_error(node, GR_ERROR_VALUE, "(%g, %g) is outside the area; allowed: x from %g to %g, y from %g to %g",
                      out[0], out[1], t->x0, t->x0 + t->grid.nx * t->grid.cell, t->y0,
                      t->y0 + t->grid.ny * t->grid.cell);
    } else if (!t->has_ground[cell]) {
        gr_node_error(node, GR_ERROR_VALUE, "the map has no data around (%g, %g)", out[0], out[1]);
    }
}

/// "energy", or {energy: 1, risk: 500}.
static void read_aim(GrNode *node, GrTraverseAim *out)
{
    int cost;
    *out = (GrTraverseAim){0};
    node->used = true;
    if (node->kind != GR_NODE_MAPPING) {
        if (gr_node_choice(node, gr_traverse_cost_names, GR_TRAVERSE_COST_COUNT, &cost)) {
            out->weights[cost] = 1;
            snprintf(out->name, sizeof out->name, "%s", gr_traverse_cost_names[cost]);
        }
        return;
    }
    size_t used = 0;
    for (int i = 0; i < GR_TRAVERSE_COST_COUNT; i++) {
        if (gr_field_number(node, gr_traverse_cost_names[i], GR_OPTIONAL, GR_NOT_NEGATIVE, &out->weights[i]) &&
            out->weights[i] > 0) {
            used += (size_t)snprintf(out->name + used, sizeof out->name - used, "%s%.10s", used > 0 ? "+" : "",
                                     gr_traverse_cost_names[i]);
        }
    }
    gr_fields_end(node);
    if (used == 0) {
        gr_node_error(node, GR_ERROR_VALUE, "a route needs a cost with a weight above 0");
    }
}

static void read_routes(GrNode *section, GrTraverse *t)
{
    static const GrTraverseCost usual[] = {GR_TRAVERSE_ENERGY, GR_TRAVERSE_TIME, GR_TRAVERSE_RISK};
    GrNode *list = gr_field_list(section, "routes", GR_OPTIONAL);
    t->has_ends = gr_node_find(section, "from") != NULL || gr_node_find(section, "to") != NULL;
    if (t->has_ends) {
        read_end(section, "from", t, t->from);
        read_end(section, "to", t, t->to);
        if (gr_traverse_cell(t, t->from) == gr_traverse_cell(t, t->to) && section->document->status == GR_OK) {
            gr_node_error(gr_node_find(section, "to"), GR_ERROR_VALUE, "start and goal are in one cell of %g m",
                          t->grid.cell);
        }
    }
    if (list != NULL && !t->has_ends && t->pairs == 0) {
        gr_node_error(list, GR_ERROR_FIELD, "a route needs `from` and `to`, or random ones: `pairs`");
    }
    for (GrNode *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        if (t->aim_count == GR_TRAVERSE_AIMS) {
            gr_node_error(item, GR_ERROR_VALUE, "more than %d routes", (int)GR_TRAVERSE_AIMS);
            return;
        }
        read_aim(item, &t->aims[t->aim_count++]);
    }
    for (size_t i = 0; list == NULL && i < sizeof usual / sizeof usual[0]; i++) {
        GrTraverseAim *aim = &t->aims[t->aim_count++];
        aim->weights[usual[i]] = 1;
        snprintf(aim->name, sizeof aim->name, "%s", gr_traverse_cost_names[usual[i]]);
    }
}

bool gr_traverse_add_variables(GrNode *section, GrCampaign *c, const double from[2], const double to[2], GrTraverse *t)
{
    char path[80];
    gr_print(path, sizeof path, "[[%.3f,%.3f]]", to[0], to[1]);
    const double numbers[GR_TRAVERSE_VARIABLES] = {
        [GR_TRAVERSE_X] = from[0], [GR_TRAVERSE_Y] = from[1], [GR_TRAVERSE_DURATION] = 60};
    for (int i = 0; i < GR_TRAVERSE_VARIABLES; i++) {
        char number[40];
        gr_print(number, sizeof number, "%.3f", numbers[i]);
        t->variables[i] = gr_campaign_add_value(c, PATHS[i], i == GR_TRAVERSE_PATH ? path : number, section);
        if (t->variables[i] < 0) {
            return false;
        }
    }
    return true;
}

/// Adds the variables that differ from leg to leg, with the values of the first one.
static bool add_variables(GrNode *section, GrCampaign *c, GrTraverse *t)
{
    double from[2], to[2];
    const int leg = t->legs[0];
    gr_traverse_centre(t, leg / GR_ROUTE_DIRECTIONS, from);
    gr_traverse_centre(t, gr_route_neighbour(&t->grid, leg / GR_ROUTE_DIRECTIONS, leg % GR_ROUTE_DIRECTIONS), to);
    return gr_traverse_add_variables(section, c, from, to, t);
}

GrTraverse *gr_traverse_read(GrNode *section, GrCampaign *campaign)
{
    GrTraverse *t = gr_calloc(1, sizeof *t);
    if (t == NULL) {
        gr_node_out_of_memory(section);
        return NULL;
    }
    gr_traverse_fill(t);
    gr_keys_take(section, gr_traverse_keys, t); // `drives` is read when the number of worlds is known
    if (t->directions != 4 && t->directions != 8) {
        gr_node_error(gr_node_find(section, "directions"), GR_ERROR_VALUE, "found %d, allowed: 4 or 8", t->directions);
        t->directions = 8;
    }
    bool ok = gr_traverse_read_scenario(section, campaign, t) && lay_grid(section, t) && list_legs(section, t);
    if (ok) {
        t->arrive = DEFAULT_ARRIVE * t->grid.cell;
        gr_field_number(section, "arrive_m", GR_OPTIONAL, GR_POSITIVE, &t->arrive);
        read_routes(section, t);
        ok = add_variables(section, campaign, t);
    }
    if (!ok) {
        gr_traverse_free(t);
        return NULL;
    }
    return t;
}

/// The index of a measure with this expression, which is added where the campaign has none.
static int find_measure(GrCampaign *c, const char *const measure[2], const GrNode *at)
{
    for (int i = 0; i < c->measures.count; i++) {
        if (strcmp(c->measures.items[i].text, measure[1]) == 0) {
            return i;
        }
    }
    char name[GR_NAME_SIZE];
    bool taken = false;
    for (int i = 0; i < c->measures.count; i++) {
        taken = taken || strcmp(c->measures.items[i].name, measure[0]) == 0;
    }
    snprintf(name, sizeof name, "%s%s", taken ? "traverse_" : "", measure[0]);
    gr_campaign_add_measure(c, name, measure[1], at);
    return c->measures.count - 1;
}

void gr_traverse_add_measures(const GrNode *section, GrCampaign *campaign, GrTraverse *t)
{
    for (int i = 0; i < GR_TRAVERSE_MEASURES; i++) {
        t->measures[i] = find_measure(campaign, MEASURES[i], section);
    }
}

void gr_traverse_finish(GrTraverse *t, GrNode *section, GrCampaign *campaign)
{
    const GrDocument *document = section->document;
    if (campaign->compare_count > 0) {
        gr_node_error(gr_node_find(document->root, "compare"), GR_ERROR_FIELD,
                      "a traverse has one map: run a mission for each of the compared values");
        return;
    }
    const uint64_t worlds = gr_campaign_size(campaign);
    if (worlds == 0 || worlds > 10000) {
        gr_node_error(section, GR_ERROR_VALUE,
                      "found %llu samples, allowed: 1 to 10000; each is a world in which all legs are driven: give "
                      "`sample: {method: sobol, count: 8}`",
                      (unsigned long long)worlds);
        return;
    }
    const bool extends = campaign->plan == GR_PLAN_SOBOL || campaign->plan == GR_PLAN_RANDOM;
    t->worlds = (int)worlds;
    t->drives = t->worlds;
    gr_field_integer(section, "drives", GR_OPTIONAL, 1, extends ? 100000 : t->worlds, &t->drives);
    gr_traverse_add_measures(section, campaign, t);
}
