/// Reads the section `mission: {go: …}` of a campaign file.
#include "alloc.h"
#include "drawing.h"
#include "elementary.h"
#include "go.h"

#include <math.h>

enum { CELLS_MAX = 250000, CELLS_USUAL = 100000, WORLDS_MAX = 1000 };
static const double MARGIN_LEAST = 15, MARGIN_SHARE = 0.4; // [m], of the distance
static const double ARRIVE_LEAST = 0.5;                    // [m]

#define G(member) offsetof(GrGo, member)
const GrKey gr_go_keys[] = {
    {"from", GR_KEY_NUMBERS, "start [x, y]", G(start.asked), .size = 2, .range = GR_SPAN_PLACE, .required = true},
    {"to", GR_KEY_NUMBERS, "goal [x, y]", G(goal.asked), .size = 2, .range = GR_SPAN_PLACE, .required = true},
    {"cell_m", GR_KEY_NUMBER, "cells in which routes are planned", G(t.grid.cell), GR_SPAN_POSITIVE,
     .usual = "half of the rover's track, or more on large maps"},
    {"margin_m", GR_KEY_NUMBER, "of the area around start and goal", G(margin), GR_SPAN_POSITIVE,
     .usual = "0.4 of their distance, at least 15"},
    {"move_m", GR_KEY_NUMBER, "so far the start may be moved to a place where the rover stands", G(move),
     GR_SPAN_NOT_NEGATIVE},
    {"arrive_m", GR_KEY_NUMBER, "a drive that ends this near to the goal has arrived", G(t.arrive), GR_SPAN_POSITIVE,
     .usual = "half of the rover's length, at least 0.5"},
    {"patience", GR_KEY_NUMBER, "a drive may take this many times its length over the speed", G(t.patience),
     GR_SPAN_BETWEEN(1, 100)},
    {"tries", GR_KEY_INTEGER, "routes that are driven at most", G(tries), GR_SPAN_BETWEEN(1, 32)},
    {"at_least", GR_KEY_NUMBER, "chance to arrive that a route must have", G(at_least), GR_SPAN_BETWEEN(0, 1)},
    {"limits", GR_KEY_NAMED | GR_KEY_ELSEWHERE, "by measure: drives beyond them have not arrived", .usual = "none"},
    {NULL}};
#undef G

void gr_go_fill(void *go)
{
    *(GrGo *)go = (GrGo){.t = {.patience = 3}, .move = 5, .tries = 6, .at_least = 0.5};
}

void gr_go_free(GrGo *go)
{
    if (go == NULL) {
        return;
    }
    gr_world_free(go->world);
    gr_scenario_free(go->first);
    gr_world_cache_free(go->cache);
    gr_go_ground_free(&go->ground);
    gr_free(go->edges);
    gr_traverse_clear(&go->t);
    gr_free(go);
}

/// Size of the cells, tolerance and margin from the rover and the distance, where the file does not give them; then the
/// grid over the map around both ends.
static bool lay_grid(GrNode *section, GrGo *go)
{
    GrTraverse *t = &go->t;
    GrRoverSize size;
    if (gr_rover_size(&t->scenario->rover, &size, section->document->log) != GR_OK) {
        gr_document_note(section->document, GR_ERROR_MODEL);
        return false;
    }
    const double *a = go->start.asked, *b = go->goal.asked, distance = gr_hypot(b[0] - a[0], b[1] - a[1]);
    const double margin = go->margin > 0 ? go->margin : fmax(MARGIN_LEAST, MARGIN_SHARE * distance);
    GrBox2 box = {fmin(a[0], b[0]) - margin, fmin(a[1], b[1]) - margin, fmax(a[0], b[0]) + margin,
                  fmax(a[1], b[1]) + margin};
    if (t->terrain != NULL) {
        const GrBox2 map = gr_terrain_box(t->terrain);
        box = (GrBox2){fmax(box.x_lower, map.x_lower), fmax(box.y_lower, map.y_lower), fmin(box.x_upper, map.x_upper),
                       fmin(box.y_upper, map.y_upper)};
    }
    const double width = box.x_upper - box.x_lower, height = box.y_upper - box.y_lower;
    if (!(t->grid.cell > 0)) {
        t->grid.cell = fmax(fmax(size.track, 0.2) / 2, sqrt(width * height / CELLS_USUAL));
    }
    t->arrive = t->arrive > 0 ? t->arrive : fmax(size.length / 2, ARRIVE_LEAST);
    const double nx = floor(width / t->grid.cell), ny = floor(height / t->grid.cell);
    if (!(nx >= 1 && ny >= 1 && nx * ny >= 2 && nx * ny <= CELLS_MAX)) {
        gr_node_error(gr_node_find(section, "cell_m"), GR_ERROR_VALUE,
                      "the area of %g m x %g m around start and goal has %.0f x %.0f cells of %g m; allowed: 2 to %d "
                      "cells",
                      width, height, nx, ny, t->grid.cell, (int)CELLS_MAX);
        return false;
    }
    t->grid.nx = (int)nx;
    t->grid.ny = (int)ny;
    t->x0 = box.x_lower + (width - nx * t->grid.cell) / 2;
    t->y0 = box.y_lower + (height - ny * t->grid.cell) / 2;
    return true;
}

static bool check_end(GrNode *section, const char *key, const GrGo *go, const double at[2])
{
    const GrTerrain *terrain = go->t.terrain;
    const GrBox2 map = terrain != NULL ? gr_terrain_box(terrain) : (GrBox2){-1e9, -1e9, 1e9, 1e9};
    if (at[0] > map.x_lower && at[0] < map.x_upper && at[1] > map.y_lower && at[1] < map.y_upper) {
        return true;
    }
    gr_node_error(gr_node_find(section, key), GR_ERROR_VALUE,
                  "(%g, %g) is outside the map; allowed: x from %.6g to %.6g, y from %.6g to %.6g", at[0], at[1],
                  map.x_lower, map.x_upper, map.y_lower, map.y_upper);
    return false;
}

GrGo *gr_go_read(GrNode *section, GrCampaign *campaign)
{
    GrGo *go = gr_calloc(1, sizeof *go);
    if (go == NULL) {
        gr_node_out_of_memory(section);
        return NULL;
    }
    gr_go_fill(go);
    gr_keys_take(section, gr_go_keys, go);
    bool ok = section->document->status == GR_OK && gr_traverse_read_scenario(section, campaign, &go->t);
    ok = ok && check_end(section, "from", go, go->start.asked) && check_end(section, "to", go, go->goal.asked);
    ok = ok && lay_grid(section, go);
    if (ok && gr_hypot(go->goal.asked[0] - go->start.asked[0], go->goal.asked[1] - go->start.asked[1]) <
                  2 * go->t.grid.cell) {
        gr_node_error(gr_node_find(section, "to"), GR_ERROR_VALUE,
                      "start and goal are less than two cells of %.3g m apart: there is nothing to plan",
                      go->t.grid.cell);
        ok = false;
    }
    ok = ok && gr_traverse_add_variables(section, campaign, go->start.asked, go->goal.asked, &go->t);
    if (!ok) {
        gr_go_free(go);
        return NULL;
    }
    return go;
}

void gr_go_finish(GrGo *go, GrNode *section, GrCampaign *campaign)
{
    const uint64_t worlds = gr_campaign_size(campaign);
    if (campaign->compare_count > 0) {
        gr_node_error(gr_node_find(section->document->root, "compare"), GR_ERROR_FIELD,
                      "one rover goes over one map: run a mission for each of the compared values");
        return;
    }
    if (worlds == 0 || worlds > WORLDS_MAX) {
        gr_node_error(section, GR_ERROR_VALUE,
                      "found %llu samples, allowed: 1 to %d; each is a world in which routes are driven: give `sample: "
                      "{method: latin, count: 8}`",
                      (unsigned long long)worlds, (int)WORLDS_MAX);
        return;
    }
    go->t.worlds = (int)worlds;
    gr_traverse_add_measures(section, campaign, &go->t);
    gr_campaign_read_limits(section, campaign, go->limits, &go->limit_count);
}
