/// `lander:` of a scenario: a lander on its ground, from which the rover drives down.
///
///     lander: {name: kazachok_like, x_m: 10, y_m: 5, heading_deg: 30, ramp: front}
#include "elementary.h"
#include "scenario_parts.h"

#include "alloc.h"
#include "file.h"
#include "find.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

bool gr_read_lander_file(GrNode *name, char path[GR_SCENARIO_PATH_SIZE], GrLanderDef *out)
{
    char given[GR_FILE_PATH_SIZE], beside[GR_FILE_PATH_SIZE];
    if (!gr_node_text(name, given, sizeof given)) {
        return false;
    }
    if (strpbrk(given, "/.") != NULL && gr_node_beside(name, given, beside) && gr_file_exists(beside)) {
        gr_text_copy(given, sizeof given, beside);
    }
    GrErrorLog log = {.quiet = true};
    const GrStatus status =
        gr_find_file("landers", "lander", given, path, &log) == GR_OK ? gr_lander_load(path, out, &log) : GR_ERROR_NAME;
    for (int i = 0; i < log.count && status != GR_OK; i++) {
        gr_node_error(name, status, "%s%s%s", log.items[i].field, log.items[i].field[0] != '\0' ? ": " : "",
                      log.items[i].text);
    }
    return status == GR_OK;
}

static void read_lander_name(GrNode *node, void *scenario)
{
    GrLanderPlan *plan = &((GrScenario *)scenario)->lander;
    gr_read_lander_file(node, plan->file, &plan->lander);
}

#define S(member) offsetof(GrScenario, member)

const GrKey gr_lander_plan_keys[] = {
    {"name", GR_KEY_TEXT, "a shipped lander, or a file", .required = true, .read = read_lander_name},
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

static void read_ramp(GrNode *node, GrLanderPlan *plan)
{
    const char *names[GR_LANDER_RAMPS];
    const GrLanderDef *lander = &plan->lander;
    for (int i = 0; i < lander->ramp_count; i++) {
        names[i] = lander->ramps[i].name;
    }
    if (lander->ramp_count == 0) {
        gr_node_error(gr_node_find(node, "name"), GR_ERROR_VALUE, "this lander has no ramp to drive down");
        gr_field(node, "ramp", GR_OPTIONAL);
        return;
    }
    gr_field_choice(node, "ramp", lander->ramp_count > 1 ? GR_REQUIRED : GR_OPTIONAL, names, lander->ramp_count,
                    &plan->ramp);
}

/// Direction of the ramp on the map [rad].
static double ramp_heading(const GrLanderPlan *plan)
{
    return plan->spot.heading + plan->lander.ramps[plan->ramp].direction;
}

/// The goal of a scenario without its own path: straight ahead, beyond the end of the ramp as it lies flat.
static void set_goal(GrNode *node, GrScenario *s)
{
    const GrLanderPlan *plan = &s->lander;
    const GrLanderRamp *ramp = &plan->lander.ramps[plan->ramp];
    GrWayPoint *goal = gr_calloc(2, sizeof *goal);
    if (goal == NULL) {
        gr_node_out_of_memory(node);
        return;
    }
    const GrVec3 hinge = gr_sub(ramp->hinge, plan->lander.com);
    const double c = gr_cos(plan->spot.heading), sn = gr_sin(plan->spot.heading), h = ramp_heading(plan);
    const double way = ramp->length + plan->beyond;
    goal->x = plan->spot.x + c * hinge.x - sn * hinge.y + way * gr_cos(h);
    goal->y = plan->spot.y + sn * hinge.x + c * hinge.y + way * gr_sin(h);
    goal->time = (double)NAN;
    s->path = goal;
    s->mission.control.source = GR_CONTROL_PATH;
    s->mission.control.path = goal;
    s->mission.control.path_count = 1;
}

void gr_read_lander(GrNode *node, void *scenario)
{
    GrScenario *s = scenario;
    GrNode *root = node->document->root;
    GrLanderPlan *plan = &s->lander;
    plan->given = true;
    gr_keys_take(node, gr_lander_plan_keys, s);
    if (plan->lander.foot_count > 0) { // its file could be read
        read_ramp(node, plan);
    }
    gr_fields_end(node);
    if (gr_node_find(root, "start") != NULL) {
        gr_node_error(gr_node_find(root, "start"), GR_ERROR_FIELD,
                      "the rover starts on the deck of the lander; lander.start_m moves it there");
    }
    // rocks are made around the start; exactly where the rover stands follows from how the lander stands
    s->start = (GrStart){.x = plan->spot.x, .y = plan->spot.y, .heading = plan->spot.heading};
    const GrNode *terrain = gr_node_find(root, "terrain");
    const GrNode *rocks = terrain != NULL ? gr_node_find(terrain, "rocks") : NULL;
    if (rocks == NULL || gr_node_find(rocks, "clear_m") == NULL) {
        s->terrain.clear_radius = 0; // a lander does not choose its rocks
    }
    if (root->document->status == GR_OK && s->path == NULL && s->script == NULL) {
        s->start.heading = ramp_heading(plan);
        set_goal(node, s);
    }
}
