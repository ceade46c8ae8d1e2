/// What pages and tables say of a run: figures, bands, trust.
#ifndef GR_RUN_TABLES_H
#define GR_RUN_TABLES_H

#include "grouser/sample.h"
#include "grouser/trust.h"

#include "buffer.h"
#include "json.h"
#include "page.h"
#include "run_summary.h"
#include "table.h"

enum { GR_RUN_FIGURES = 7 };

/// A figure of a run: its key in files (NAME, NAME_low, NAME_high), name and unit in words.
typedef struct GrRunFigure {
    const char *key, *text, *unit;
    double scale; ///< unit in words over that of the key
} GrRunFigure;

extern const GrRunFigure gr_run_figures[GR_RUN_FIGURES];

/// In the unit of its key; slips and sinkage over all wheels.
double gr_run_figure(const GrRunSummary *summary, int figure);

/// Whether an outcome is that of a run without failure.
bool gr_outcome_succeeded(GrOutcome outcome);

typedef struct GrRunBands {
    int samples;
    int failed;                     ///< samples that could not be run
    int outcomes[GR_OUTCOME_COUNT]; ///< samples that ended so
    int succeeded;
    double share_low, share_high;                     ///< of the share that succeeds, an interval of 90 %
    double low[GR_RUN_FIGURES], high[GR_RUN_FIGURES]; ///< quantiles of 5 % and 95 %; NAN: a sample without a value
    const char *prediction; ///< a soil is from a fit, with its errors: extrapolated; NULL: none is
} GrRunBands;

/// The member `uncertainty` of a summary.
void gr_run_bands_json(const GrRunBands *bands, const GrRunSummary *summary, GrJson *json);

/// "succeeds in 28 of 32 samples of the soil (90 %: 74 … 95 %): 28 reached_goal, 4 stuck"
void gr_run_bands_say(const GrRunBands *bands, char *out, size_t size);

/// "0.28 (90 %: 0.12 … 0.6)" in the unit in words.
void gr_run_bands_say_figure(const GrRunBands *bands, const GrRunSummary *summary, int figure, char *out, size_t size);

/// A section of the report.
void gr_run_bands_page(const GrRunBands *bands, const GrRunSummary *summary, GrPage *page);

/// A box; `label` (NULL: none) names one of several results. Writes nothing when `trust` is NULL.
void gr_trust_page(GrPage *page, const char *label, const GrTrust *trust);

/// An object, as the member `key` (NULL: an item of an array). Writes nothing when `trust` is NULL.
void gr_trust_json(GrJson *json, const char *key, const GrTrust *trust);

/// A row for each wheel. `rover`: with what the motors can do, for a page; NULL: narrower, for the terminal.
/// Contact states: how often and how long each wheel was in each; empty where the summary does not know.
void gr_run_table_states(const GrModel *model, const GrRunSummary *summary, GrTable *out);

void gr_run_table_wheels(const GrModel *model, const GrRunSummary *summary, const GrRoverDef *rover, GrTable *out);
/// Arrivals at the first way-points of the path, at most `most`.
void gr_run_table_way_points(const GrRunSummary *summary, int most, GrTable *out);
/// Contacts between bodies of the rover.
void gr_run_table_self_contacts(const GrRunSummary *summary, GrTable *out);

#endif
