/// Bands of a run: figures of the same scenario on samples of its soils, in summary.json, on the report and in words.
#ifndef GR_RUN_BANDS_H
#define GR_RUN_BANDS_H

#include "buffer.h"
#include "grouser/sample.h"
#include "json.h"
#include "page.h"

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
} GrRunBands;

/// The member `uncertainty` of a summary.
void gr_run_bands_json(const GrRunBands *bands, const GrRunSummary *summary, GrJson *json);

/// "succeeds in 28 of 32 samples of the soil (90 %: 74 … 95 %): 28 reached_goal, 4 stuck"
void gr_run_bands_say(const GrRunBands *bands, char *out, size_t size);

/// "0.28 (90 %: 0.12 … 0.6)" in the unit in words.
void gr_run_bands_say_figure(const GrRunBands *bands, const GrRunSummary *summary, int figure, char *out, size_t size);

/// A section of the report.
void gr_run_bands_page(const GrRunBands *bands, const GrRunSummary *summary, GrPage *page);

#endif
