/// `grouser sensitivity`: which runs the analysis needs, what follows from their results, and its page. The results
/// come from a campaign, or from the study of one that has ended.
#ifndef GR_SENSITIVITY_H
#define GR_SENSITIVITY_H

#include "campaign.h"
#include "indices.h"
#include "runner.h"
#include "study_page.h"

/// Sensitivities of one measure to one variable, as columns of a table.
enum { GR_SENSITIVITY_COLUMNS = 6 };

typedef struct GrSensitivityLine {
    /// Sobol': first order, low, high, total, low, high. Morris: mean |effect|, low, high, mean, deviation. Local:
    /// slope, curvature.
    double numbers[GR_SENSITIVITY_COLUMNS];
} GrSensitivityLine;

// The analysis of `grouser sensitivity`: which runs it needs, and what follows from their results. These come from a
// campaign, or again from its study.
//
//     gr_analysis_begin  ->  gr_analysis_batch: run it, or look it up  ->  gr_analysis_evaluate  ->  gr_analysis_put

/// An analysis: its plan, and the results of its runs.
typedef struct GrAnalysis {
    const GrCampaign *campaign;
    GrSensitivityPlan plan;
    int dimension;
    uint64_t count;        ///< runs
    double *points;        ///< [count][dimension] of the unit cube, owned; NULL: Saltelli's, which are computed
    double *centre, *step; ///< [dimension] of local gradients, owned
    GrMorrisDef morris;
    GrResult *results;                     ///< [count] owned
    double *values;                        ///< [count] of one measure, owned
    GrSensitivityLine *lines;              ///< [measures][dimension] owned
    GrSampleUse uses[GR_CAMPAIGN_METRICS]; ///< of each measure
} GrAnalysis;

/// Checks the campaign, which must outlive the analysis, and plans the runs. End it in any case.
GrStatus gr_analysis_begin(GrAnalysis *a, const GrCampaign *campaign, GrErrorLog *log);
void gr_analysis_end(GrAnalysis *a);

/// Looks the results up in a study. False: some are missing.
bool gr_analysis_look_up(GrAnalysis *a, GrStudy *study);

/// Fills the lines and uses of a measure from the results.
GrStatus gr_analysis_evaluate(GrAnalysis *a, int measure, GrErrorLog *log);

/// Indices of every measure as bars with intervals, or Morris's plane; and as tables. `study`: begins with cards for
/// its page; NULL: none.
void gr_analysis_put(const GrAnalysis *a, const GrStudyPage *study, GrPage *page);

#endif
