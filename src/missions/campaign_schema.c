/// The keys of campaign files, with those of missions.
#include "campaign_keys.h"
#include "campaign_search.h"
#include "go.h"

static const GrKey PLACEMENT[] = {{"limits", GR_KEY_NAMED, "by measure", .keys = gr_limit_keys, .required = true},
                                  {"margin_m", GR_KEY_NUMBER, "smallest distance of places from the edge of the map",
                                   .range = GR_SPAN_NOT_NEGATIVE, .usual = "the lander's reach"},
                                  {NULL}};

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

static const GrKey MISSION[] = {
    {"placement", GR_KEY_MAPPING, "how often does a lander stand within limits?", .keys = PLACEMENT},
    {"egress", GR_KEY_MAPPING, "over which ramps does a rover leave its lander?"},
    {"traverse", GR_KEY_MAPPING, "where can a rover drive, at what cost, and which way?", .keys = gr_traverse_keys,
     .fill = gr_traverse_fill, .size = sizeof(GrTraverse)},
    {"go", GR_KEY_MAPPING, "which route leads from here to there, and how likely does the rover arrive?",
     .keys = gr_go_keys, .fill = gr_go_fill, .size = sizeof(GrGo)},
    {NULL}};

static const GrKey CAMPAIGN[] = {
    {"name", GR_KEY_TEXT, "short name, after which the study is named", .usual = "that of the file"},
    {"title", GR_KEY_TEXT, "one line for display"},
    {"", GR_KEY_GROUP, .keys = gr_common_keys},
    {"run", GR_KEY_MAPPING, "what is run: one of scenario, test, wheel, placement, function", .keys = gr_run_keys,
     .required = true},
    {"vary", GR_KEY_NAMED | GR_KEY_LISTED, "variables by path: a list of values, or", .keys = gr_variable_keys},
    {"compare", GR_KEY_NAMED | GR_KEY_LISTED, "variables of which every value is run on every sample",
     .keys = gr_variable_keys},
    {"correlate", GR_KEY_LIST, "correlations of variables: [[soil:c, soil:phi, -0.5]]"},
    {"sample", GR_KEY_MAPPING, "how values are chosen", .keys = gr_sample_keys},
    {"uncertainty", GR_KEY_INTEGER, "samples of the soils' spreads", .range = GR_SPAN_BETWEEN(0, 1000), .usual = "0"},
    {"measure", GR_KEY_MAPPING, "expressions by name: what is kept of a run", .usual = "by what is run"},
    {"question", GR_KEY_MAPPING, "what the study is to answer first", .keys = gr_question_keys},
    {"optimize", GR_KEY_MAPPING, "what grouser optimize searches", .keys = gr_optimize_keys,
     .fill = gr_search_plan_fill, .size = sizeof(GrSearchPlan)},
    {"sensitivity", GR_KEY_MAPPING, "what grouser sensitivity analyses", .keys = gr_sensitivity_keys},
    {"mission", GR_KEY_MAPPING, "a question of grouser mission", .keys = MISSION},
    {NULL}};

const GrSchema gr_schema_campaign = {"campaign", CAMPAIGN, NULL, 0};
