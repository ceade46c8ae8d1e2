#include "campaign_keys.h"

#include "campaign_search.h"
#include "distribution.h"
#include "optimizer.h"
#include "placer.h"

static const char *plan_name(int i)
{
    return i < GR_PLAN_COUNT ? gr_plan_name((GrPlan)i) : NULL;
}

static const char *method_name(int i)
{
    return i < GR_OPTIMIZER_COUNT ? gr_optimizer_method((GrOptimizerKind)i)->name : NULL;
}

static bool distribution_row(int index, GrKey *out)
{
    if (index >= GR_DISTRIBUTION_COUNT) {
        return false;
    }
    *out = (GrKey){gr_distribution_info((GrDistributionKind)index)->name, GR_KEY_MAPPING,
                   "a distribution: docs/methods.md"};
    return true;
}

// ---- what is run, and what varies

static const char *const SCALES[] = {"linear", "log"};

const GrKey gr_variable_keys[] = {
    {"from", GR_KEY_NUMBER, "lower end of a range, or where a distribution is cut", .range = GR_SPAN_ANY},
    {"to", GR_KEY_NUMBER, "upper end", .range = GR_SPAN_ANY},
    {"scale", GR_KEY_CHOICE, "of the range", .names = SCALES, .size = 2, .usual = "linear"},
    {"integer", GR_KEY_BOOL, "only whole numbers", .usual = "false"},
    {"count", GR_KEY_INTEGER, "values of a grid", .range = GR_SPAN_BETWEEN(1, GR_VARIABLE_VALUES)},
    {"step", GR_KEY_NUMBER, "distance of the values of a grid", .range = GR_SPAN_POSITIVE},
    {"seed", GR_KEY_BOOL, "another whole number for every sample"},
    {"file", GR_KEY_FILE, "a CSV file with measured values"},
    {"column", GR_KEY_TEXT, "its column"},
    {"", GR_KEY_GROUP, .row = distribution_row},
    {NULL}};

const GrKey gr_run_keys[] = {{"scenario", GR_KEY_TEXT, "a scenario, by name or file"},
                             {"set", GR_KEY_LIST, "its overrides: [stop.time_s=10]"},
                             {"test", GR_KEY_TEXT, "a standard test: grouser test --list"},
                             {"rover", GR_KEY_TEXT, "rover of the test"},
                             {"options", GR_KEY_MAPPING, "options of the test"},
                             {"wheel", GR_KEY_MAPPING, "one point of the single-wheel rig: options of grouser wheel"},
                             {"placement", GR_KEY_MAPPING, "a lander put down on a terrain", .keys = gr_placer_keys},
                             {"function", GR_KEY_MAPPING, "formulas of the variables, by name"},
                             {NULL}};

#define C(member) offsetof(GrCampaign, member)
const GrKey gr_sample_keys[] = {
    {"method", GR_KEY_CHOICE, "how values are chosen", C(plan), .name_of = plan_name, .usual = "grid"},
    {"count", GR_KEY_INTEGER | GR_KEY_ELSEWHERE, "samples of sobol, latin and random",
     .range = GR_SPAN_BETWEEN(1, 100000000), .usual = "100"},
    {"seed", GR_KEY_SEED, "of the samples", C(seed), .usual = "1"},
    {"repeats", GR_KEY_INTEGER, "of every sample, with other seeds", C(repeats), GR_SPAN_BETWEEN(1, 1000000),
     .usual = "1"},
    {"table", GR_KEY_FILE | GR_KEY_ELSEWHERE, "method table: a CSV file whose columns are paths"},
    {NULL}};

// ---- what is asked

const GrKey gr_limit_keys[] = {{"below", GR_KEY_NUMBER, "largest value", .range = GR_SPAN_ANY},
                               {"above", GR_KEY_NUMBER, "smallest value", .range = GR_SPAN_ANY},
                               {NULL}};

#define O(member) offsetof(GrSearchPlan, member)
const GrKey gr_optimize_keys[] = {
    {"method", GR_KEY_CHOICE, "grouser list optimizers", O(method), .name_of = method_name,
     .usual = "cmaes, or nsga2 for several objectives"},
    {"budget", GR_KEY_INTEGER, "evaluations", O(budget), GR_SPAN_BETWEEN(1, 100000000)},
    {"population", GR_KEY_INTEGER, "points of a generation", O(population), GR_SPAN_BETWEEN(4, 100000),
     .usual = "by the method"},
    {"restarts", GR_KEY_INTEGER, "with larger populations", O(restarts), GR_SPAN_BETWEEN(0, 20)},
    {"repeats", GR_KEY_INTEGER, "of each point, with other seeds", O(repeats), GR_SPAN_BETWEEN(1, 10000)},
    {"tolerance", GR_KEY_NUMBER, "at which the search ends, as a part of the ranges", O(tolerance),
     GR_SPAN_BETWEEN(1e-15, 0.5)},
    {"allow_failed", GR_KEY_BOOL, "runs that fail are as good as others", O(allow_failed)},
    {"minimize", GR_KEY_TEXT | GR_KEY_LIST | GR_KEY_ELSEWHERE, "a measure, or several"},
    {"maximize", GR_KEY_TEXT | GR_KEY_LIST | GR_KEY_ELSEWHERE, "a measure, or several"},
    {"limits", GR_KEY_NAMED | GR_KEY_ELSEWHERE, "by measure", .keys = gr_limit_keys},
    {NULL}};

void gr_search_plan_fill(void *plan)
{
    *(GrSearchPlan *)plan =
        (GrSearchPlan){.method = -1, .budget = gr_default_optimizer_def().budget, .repeats = 1, .tolerance = 1e-6};
}

static const char *const SENSITIVITIES[] = {"morris", "sobol", "local"};

#define S(member) offsetof(GrSensitivityPlan, member)
const GrKey gr_sensitivity_keys[] = {{"method", GR_KEY_CHOICE,
                                      "effects of Morris, indices of Sobol', or slopes at the medians", S(method),
                                      .names = SENSITIVITIES, .size = 3, .usual = "sobol"},
                                     {"count", GR_KEY_INTEGER, "trajectories of Morris, base samples of Sobol'",
                                      S(count), GR_SPAN_BETWEEN(2, 10000000), .usual = "20 for morris, 512 for sobol"},
                                     {"step", GR_KEY_NUMBER, "local: part of the range of each variable", S(step),
                                      GR_SPAN_BETWEEN(1e-6, 0.5), .usual = "0.01"},
                                     {NULL}};
