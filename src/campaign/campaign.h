/// GrCampaign: the contents of a campaign file: what to run, what varies, what to measure.
///
///     gr_campaign_load  ->  GrCampaign (checked)  --gr_campaign_row-->  GrRow (overrides of one run, and its key)
///
/// docs/campaigns.md describes the format. A campaign itself does not change while it runs; threads share it.
#ifndef GR_CAMPAIGN_H
#define GR_CAMPAIGN_H

#include "csv.h"
#include "file.h"
#include "mission_kind.h"
#include "subject.h"
#include "variable.h"

/// Ways to choose the runs: constant, name, text. The middle ones are those of src/design/sampling.h.
#define GR_PLAN_LIST(X)                                                                                                \
    X(GRID, grid, "every combination of the values")                                                                   \
    X(SOBOL, sobol, "Sobol' points: even in all dimensions; more can be added later")                                  \
    X(LATIN, latin, "Latin hypercube: one sample in each slice of each variable")                                      \
    X(RANDOM, random, "independent random samples; more can be added later")                                           \
    X(TABLE, table, "one run for each row of a file, whose columns are paths")

typedef enum GrPlan {
#define GR_PLAN_ENUM(constant, name, text) GR_PLAN_##constant,
    GR_PLAN_LIST(GR_PLAN_ENUM)
#undef GR_PLAN_ENUM
        GR_PLAN_COUNT
} GrPlan;

const char *gr_plan_name(GrPlan plan);

/// An objective or constraint of a search: a measure and what is wanted of it.
typedef enum GrWish { GR_WISH_MINIMIZE, GR_WISH_MAXIMIZE, GR_WISH_BELOW, GR_WISH_ABOVE } GrWish;

enum { GR_CAMPAIGN_WISHES = 16 };

typedef struct GrGoal {
    int measure; ///< index
    GrWish wish;
    double limit; ///< of GR_WISH_BELOW and GR_WISH_ABOVE
} GrGoal;

/// Settings of `grouser optimize`; 0 and NULL: the default of the method.
typedef struct GrSearchPlan {
    bool given;
    int method; ///< GrOptimizerKind; −1: cmaes, or nsga2 for several objectives
    GrGoal goals[GR_CAMPAIGN_WISHES];
    int goal_count;
    int budget, population, restarts, repeats;
    bool allow_failed; ///< runs that fail are as good as others
    double tolerance;
} GrSearchPlan;

/// Settings of `grouser sensitivity`.
typedef enum GrSensitivityMethod {
    GR_SENSITIVITY_MORRIS,
    GR_SENSITIVITY_SOBOL,
    GR_SENSITIVITY_LOCAL
} GrSensitivityMethod;

typedef struct GrSensitivityPlan {
    bool given; ///< the file has the section; otherwise these are the defaults
    GrSensitivityMethod method;
    int count;   ///< trajectories of Morris, base samples of Sobol'
    double step; ///< local: part of the range of each variable
} GrSensitivityPlan;

typedef struct GrCampaign {
    GrDocument *document;
    char name[GR_NAME_SIZE];
    char title[GR_NOTE_SIZE];
    const GrSubjectKind *kind;
    void *subject;
    GrVariable variables[GR_CAMPAIGN_VARIABLES]; ///< those of `vary`, then those of `compare`
    int variable_count, compare_count;
    int added_samples; ///< of the soils, by the command line; 0: as the file says
    GrPlan plan;
    uint64_t count; ///< samples; of a grid and a table as many as it has
    int repeats;    ///< of every sample, with other seeds
    uint64_t seed;
    double *correlation; ///< Cholesky factor, [vary][vary], owned; NULL: independent
    GrMeasures measures;
    GrSearchPlan search;
    GrSensitivityPlan sensitivity;
    const GrMissionKind *mission_kind;            ///< NULL: the file has no section `mission`
    void *mission;                                ///< of that kind, owned
    uint64_t *name_hashes[GR_CAMPAIGN_VARIABLES]; ///< of the files behind each name of a list, owned
    uint64_t inputs;                              ///< hash of all input of a run without variations
    uint64_t identity;                            ///< of results that can be in one study
} GrCampaign;

/// What campaign files may have: NULL-terminated tables.
typedef struct GrCampaignKinds {
    const GrSubjectKind *const *subjects;
    const GrMissionKind *const *missions; ///< NULL: none
} GrCampaignKinds;

/// Reads and checks a campaign: a shipped one by its name, or a file by its path. Free with gr_campaign_free(), also
/// after an error.
GrStatus gr_campaign_load(const char *path, const GrCampaignKinds *kinds, GrCampaign *out, GrErrorLog *log);
/// The same with samples of the soils (0: as the file says), as if the file had `uncertainty: N`.
GrStatus gr_campaign_load_sampled(const char *path, const GrCampaignKinds *kinds, int samples, GrCampaign *out,
                                  GrErrorLog *log);
/// The same from memory; `file` is its name for messages, and paths in it are relative to that file.
GrStatus gr_campaign_parse(const char *text, const char *file, const GrCampaignKinds *kinds, GrCampaign *out,
                           GrErrorLog *log);
void gr_campaign_free(GrCampaign *campaign);

/// For kinds of missions, while a file is read: adds a variable with a range, unless it varies already; adds a measure;
/// reads the key `limits` of a section. `at` is a place for messages.
bool gr_campaign_add_range(GrCampaign *campaign, const char *path, double from, double to, GrNode *at);
/// Adds a variable whose value the mission sets in each of its rows; `text` is one that is valid. Returns its index; −1
/// after an error, also where the file varies it.
int gr_campaign_add_value(GrCampaign *campaign, const char *path, const char *text, GrNode *at);
void gr_campaign_add_measure(GrCampaign *campaign, const char *name, const char *text, const GrNode *at);
void gr_campaign_read_limits(GrNode *section, const GrCampaign *campaign, GrGoal goals[GR_CAMPAIGN_WISHES], int *count);

/// Number of runs of a sweep; 0: the campaign is for a search or an analysis, and says nothing of a sweep.
uint64_t gr_campaign_size(const GrCampaign *campaign);

/// One run: its values, overrides and key.
typedef struct GrRow {
    uint64_t key; ///< hash of all its input, the version of the program and the values
    GrValue values[GR_CAMPAIGN_VARIABLES];
    double numbers[GR_CAMPAIGN_VARIABLES];
    const char *paths[GR_CAMPAIGN_VARIABLES];
    char texts[GR_CAMPAIGN_VARIABLES][GR_VARIABLE_PATH + GR_VARIABLE_TEXT];
    const char *overrides[GR_CAMPAIGN_VARIABLES + 1]; ///< into texts
    int count;
} GrRow;

/// Row `index` of a sweep.
void gr_campaign_row(const GrCampaign *campaign, uint64_t index, GrRow *out);

/// The row with the values of `out` already set: overrides and key.
void gr_row_finish(const GrCampaign *campaign, GrRow *out);

/// Point `u` of the unit cube of the varied variables -> values. Seeds follow from their coordinate, too.
void gr_row_sample(const GrCampaign *campaign, const double *u, GrRow *out);

GrCase gr_row_case(const GrRow *row);

#endif
