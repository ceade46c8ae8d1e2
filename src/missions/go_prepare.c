/// Before a mission goes anywhere: what the rover holds, the ground, and where it stands at start and goal.
#include "alloc.h"
#include "check.h"
#include "elementary.h"
#include "go.h"
#include "number.h"
#include "out_of_memory.h"
#include "run_tables.h"
#include "text.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

enum { STANDS_MOST = 12 };          // places at which the rover is put down in search of a start
static const double FRICTION = 0.6; // of rigid ground, as in tests
static const double ABOVE = 50;     // height at which a world without a standing rover is made [m]
static const double SEARCHED = 3;   // times the distance of the start, for a better goal
static const double STAND_TIME = 2; // a rover that is put down begins to drive [s]

// ---- a world, and a rover that is put down in it

/// Loads the scenario of a row with one more override (NULL: none).
static GrStatus load_row(const GrGo *go, const GrCampaign *c, const GrRow *row, const char *more, GrScenario **out,
                         GrErrorLog *log)
{
    const char *overrides[GR_SUBJECT_OVERRIDES + 1];
    const GrCase one = gr_row_case(row);
    const char *name = c->kind->scenario(c->subject, &one, overrides, GR_SUBJECT_OVERRIDES);
    int count = 0;
    while (name != NULL && overrides[count] != NULL) {
        count++;
    }
    if (name == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    overrides[count] = more;
    overrides[count + 1] = NULL;
    return gr_scenario_load_shared(name, overrides, go->cache, out, log);
}

static bool straight_row(const GrGo *go, const GrCampaign *c, const double from[2], const double to[2], uint64_t world,
                         GrRow *out)
{
    const double points[1][2] = {{to[0], to[1]}};
    const GrTraverseDrive drive = {{from[0], from[1]}, points, 1, gr_hypot(to[0] - from[0], to[1] - from[1])};
    return gr_traverse_row(&go->t, c, &drive, world, out);
}

/// Why the rover does not stand at a place; false: it does.
static bool falls(const GrGo *go, const GrCampaign *c, const double at[2], double heading, char why[GR_GO_WHY])
{
    const double ahead[2] = {at[0] + gr_cos(heading), at[1] + gr_sin(heading)};
    GrErrorLog quiet = {.quiet = true};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRow row;
    straight_row(go, c, at, ahead, 0, &row);
    if (load_row(go, c, &row, NULL, &scenario, &quiet) != GR_OK) {
        gr_text_copy(why, GR_GO_WHY, quiet.count > 0 ? quiet.items[quiet.count - 1].text : "out of memory");
        return true;
    }
    bool failed = gr_world_create_shared(scenario, go->cache, &world, &quiet) != GR_OK;
    if (failed) {
        gr_text_copy(why, GR_GO_WHY, quiet.count > 0 ? quiet.items[quiet.count - 1].text : "out of memory");
    } else {
        const GrOutcome outcome = gr_mission_advance(world->mission, STAND_TIME);
        failed = outcome != GR_OUTCOME_RUNNING && !gr_outcome_succeeded(outcome);
        GrRunSummary summary;
        if (failed && gr_mission_summary(world->mission, &summary, &quiet) == GR_OK) {
            gr_text_copy(why, GR_GO_WHY, summary.cause);
            gr_run_summary_free(&summary);
        }
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    return failed;
}

// ---- preparation

/// What the drives warn of is not said before; what is wrong is.
static GrStatus pass_on(GrStatus status, const GrErrorLog *why, GrErrorLog *log)
{
    for (int i = 0; i < why->count && status != GR_OK; i++) {
        if (why->items[i].severity == GR_SEVERITY_ERROR) {
            return gr_error_add(log, status, (GrLocation){.field = "mission.go"}, "%s", why->items[i].text);
        }
    }
    return status == GR_OK ? GR_OK : gr_out_of_memory(log, NULL);
}

/// Makes a world whose rover is high above a place, so that it needs no place to stand.
static GrStatus make_above(const GrGo *go, const GrCampaign *c, const double at[2], uint64_t world,
                           GrScenario **scenario, GrWorld **out, GrErrorLog *log)
{
    char above[64];
    GrErrorLog why = {.quiet = true};
    GrRow row;
    gr_print(above, sizeof above, "start.height_m=%g", ABOVE);
    straight_row(go, c, at, go->goal.asked, world, &row);
    GrStatus status = load_row(go, c, &row, above, scenario, &why);
    if (status == GR_OK) {
        status = gr_world_create_shared(*scenario, go->cache, out, &why);
        if (status != GR_OK) {
            gr_scenario_free(*scenario);
            *scenario = NULL;
        }
    }
    return pass_on(status, &why, log);
}

static GrStatus load_first(GrGo *go, const GrCampaign *c, const double at[2], GrErrorLog *log)
{
    gr_world_free(go->world);
    gr_scenario_free(go->first);
    go->world = NULL;
    go->first = NULL;
    const GrStatus status = make_above(go, c, at, 0, &go->first, &go->world, log);
    if (status != GR_OK || go->world == NULL) {
        return status;
    }
    // where rocks differ from world to world, nobody knows where they are
    for (int i = 0; i < c->variable_count; i++) {
        if (strcmp(c->variables[i].path, "terrain.rocks.seed") == 0) {
            go->world->rocks.count = 0;
        }
    }
    return status;
}

/// The soils of some worlds: [world][soil].
static GrStatus measure_soils(GrGo *go, const GrCampaign *c, GrErrorLog *log)
{
    GR_CHECK_OR_RETURN(go->first != NULL && go->world != NULL, GR_ERROR_VALUE);
    const GrScenario *first = go->first;
    const int worlds = go->t.worlds < GR_COST_WORLDS ? go->t.worlds : GR_COST_WORLDS;
    const int soils = go->world->soil_map.classes != NULL ? go->world->soil_map.name_count : 1;
    const double gravity = gr_norm(first->gravity), speed = first->mission.control.cruise_speed;
    const bool rigid = !first->has_soil && go->world->soil_map.classes == NULL;
    go->ground.rigid = rigid;
    GrSoilDef *all = gr_calloc((size_t)worlds * (size_t)soils, sizeof *all);
    go->ground.costs = gr_calloc((size_t)soils, sizeof *go->ground.costs);
    go->ground.soil_count = soils;
    GrErrorLog why = {.quiet = true};
    GrStatus status = all != NULL && go->ground.costs != NULL ? GR_OK : GR_ERROR_MEMORY;
    for (int w = 0; w < worlds && status == GR_OK && !rigid; w++) {
        GrScenario *scenario = NULL;
        GrWorld *world = NULL;
        status = make_above(go, c, go->start.asked, (uint64_t)w, &scenario, &world, &why);
        if (status == GR_OK && world != NULL) {
            memcpy(all + w * soils, world->soils, sizeof *all * (size_t)soils);
            gr_world_free(world);
            gr_scenario_free(scenario);
        }
    }
    for (int k = 0; k < soils && status == GR_OK; k++) {
        const GrSoilDef *of[GR_COST_WORLDS];
        for (int w = 0; w < worlds && !rigid; w++) {
            of[w] = &all[w * soils + k];
        }
        status = gr_rover_costs_measure(&first->rover, rigid ? NULL : of, worlds, gravity, speed, FRICTION,
                                        &go->ground.costs[k], &why);
    }
    if (status == GR_OK) {
        status = gr_rover_shape_measure(&first->rover, rigid ? NULL : &all[0], gravity, &go->ground.shape, &why);
    }
    gr_free(all);
    return pass_on(status, &why, log);
}

static GrStatus look_at_ground(GrGo *go, GrErrorLog *log)
{
    const GrRoverShape *s = &go->ground.shape;
    const GrTraverse *t = &go->t;
    const double reach = fmax(s->front, fmax(-s->rear, s->half_width)) + t->grid.cell + s->radius;
    GrBox2 box = {t->x0 - reach, t->y0 - reach, t->x0 + t->grid.nx * t->grid.cell + reach,
                  t->y0 + t->grid.ny * t->grid.cell + reach};
    if (go->world->terrain != NULL) {
        const GrBox2 map = gr_terrain_box(go->world->terrain);
        box = (GrBox2){fmax(box.x_lower, map.x_lower), fmax(box.y_lower, map.y_lower), fmin(box.x_upper, map.x_upper),
                       fmin(box.y_upper, map.y_upper)};
    }
    gr_free(go->ground.heights);
    gr_free(go->ground.rocks);
    go->ground.heights = NULL;
    return gr_go_ground_make(&go->ground, go->world, box, t->grid.cell / 2, log);
}

/// Tries places in growing circles. `most`: radius of the last [m]. `put_down`: the rover must also stand there.
static void find_end(const GrGo *go, const GrCampaign *c, double most, bool put_down, GrGoEnd *end)
{
    const double step = fmax(go->t.grid.cell / 2, 0.25);
    int stands = 0;
    for (int ring = 0; ring * step <= most && stands < STANDS_MOST; ring++) {
        const int count = ring == 0 ? 1 : 8 * ring;
        for (int k = 0; k < count && stands < STANDS_MOST; k++) {
            const double angle = 2 * GR_PI * k / count, radius = ring * step;
            const double at[2] = {end->asked[0] + radius * gr_cos(angle), end->asked[1] + radius * gr_sin(angle)};
            char why[GR_GO_WHY] = "";
            const double towards = gr_atan2(go->goal.asked[1] - at[1], go->goal.asked[0] - at[0]);
            GrGoSpot spot;
            bool good = gr_traverse_cell(&go->t, at) >= 0 && gr_go_has_way(go, at, &spot, &end->heading);
            if (!good && ring == 0) {
                gr_go_say_spot(&spot, why);
            }
            if (good && put_down) {
                stands++;
                good = !falls(go, c, at, end->heading, why) && !falls(go, c, at, towards, why);
            }
            if (ring == 0 && !good) {
                memcpy(end->why, why, sizeof why);
            }
            if (good) {
                memcpy(end->at, at, sizeof end->at);
                end->moved = radius;
                end->stands = true;
                return;
            }
        }
    }
}

GrStatus gr_go_prepare(GrGo *go, const GrCampaign *c, void (*watch)(void *context, double done, double total),
                       void *context, GrErrorLog *log)
{
    if (go->ready) {
        return GR_OK;
    }
    static const double TOTAL = 4;
    GrStatus status = go->cache == NULL ? gr_world_cache_create(&go->cache, log) : GR_OK;
    for (int i = 0; i < TOTAL && status == GR_OK; i++) {
        if (watch != NULL) {
            watch(context, i, TOTAL);
        }
        switch (i) {
        case 0:
            status = load_first(go, c, go->start.asked, log);
            break;
        case 1:
            status = measure_soils(go, c, log);
            break;
        case 2:
            status = look_at_ground(go, log);
            if (status == GR_OK) {
                find_end(go, c, go->move, true, &go->start);
                find_end(go, c, go->t.arrive, false, &go->goal);
                if (!go->goal.stands) { // somewhere else is another goal: only said
                    find_end(go, c, SEARCHED * go->move, false, &go->goal);
                    go->goal.stands = false;
                }
            }
            break;
        default:
            if (go->start.moved > 0 && go->first->terrain.sown) { // the start clears rocks
                status = load_first(go, c, go->start.at, log);
                status = status == GR_OK ? look_at_ground(go, log) : status;
            }
            status = status == GR_OK ? gr_go_plan_prepare(go, log) : status;
            break;
        }
    }
    go->ready = status == GR_OK;
    return status;
}
