/// The keys of campaign files, with those of missions.
#include "campaign_keys.h"
#include "campaign_search.h"
#include "go.h"

static const GrKey PLACEMENT[] = {{"limits", GR_KEY_NAMED, "by measure", .keys = gr_limit_keys, .required = true},
                                  {"margin_m", GR_KEY_NUMBER, "smallest distance of places from the edge of the map",
                                   .range = GR_SPAN_NOT_NEGATIVE, .usual = "the lander's reach"},
                                  {NULL}};

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
