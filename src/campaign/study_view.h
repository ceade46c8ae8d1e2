/// A study prepared for drawing: which runs are shown as points, and what a measure does in groups of runs.
#ifndef GR_STUDY_VIEW_H
#define GR_STUDY_VIEW_H

#include "statistics.h"
#include "study.h"

// What a study says: how its runs ended, and statistics of each measure.

enum { GR_STUDY_OUTCOMES = 24 };

typedef struct GrOutcomeCount {
    const char *name; ///< of the table
    int count;
} GrOutcomeCount;

/// Statistics of one measure over the runs that have it.
typedef struct GrMeasureSummary {
    int count;
    bool is_share; ///< every value is 0 or 1, by its nature or since both occur: the mean is a share, its
                   ///< interval Wilson's
    double mean, deviation, least, low, median, high, most; ///< low and high: 5 % and 95 %
    GrEstimate mean_interval;                               ///< of the mean, 95 %
    double *correlations; ///< [variable_count] rank correlations; NAN: not a number, or constant. Owned
} GrMeasureSummary;

typedef struct GrStudySummary {
    GrOutcomeCount outcomes[GR_STUDY_OUTCOMES]; ///< most frequent first
    int outcome_count;
    GrMeasureSummary *measures; ///< [measure_count] owned
    int measure_count;
} GrStudySummary;

GrStatus gr_study_summarise(const GrStudyTable *table, GrStudySummary *out, GrErrorLog *log);
void gr_study_summary_free(GrStudySummary *summary);

/// Copies column `column` (variables, then measures) of all runs.
void gr_study_column(const GrStudyTable *table, int column, double *out);

// Bands of a study whose campaign samples soils (`uncertainty: N`): its designs, each with the measures on the soil as
// its file says and their quantiles over the samples.

/// Name of the variable that says which sample a run has; "none": the soil as its file says.
extern const char gr_soil_sample_variable[];

/// One combination of the other variables.
typedef struct GrStudyDesign {
    int row;                ///< of the table: the run on the soil itself, or the first that there is
    int samples;            ///< that are done
    int succeeded;          ///< of them
    const char *prediction; ///< as in GrStudyTable
    GrEstimate share;       ///< that succeeds, with an interval of 90 %
    bool has_nominal;       ///< `row` is the run on the soil itself
    GrBand *bands;          ///< [measure_count], in the array of all
} GrStudyDesign;

typedef struct GrStudyBands {
    int variable;           ///< column of the samples; −1: the study has none
    GrStudyDesign *designs; ///< [design_count] owned, in the order of their first runs
    int design_count;
    GrBand *bands; ///< [design_count][measure_count] owned
} GrStudyBands;

GrStatus gr_study_bands(const GrStudyTable *table, GrStudyBands *out, GrErrorLog *log);
void gr_study_bands_free(GrStudyBands *bands);

/// A measure of a design on the soil itself; NAN: not done.
double gr_study_design_value(const GrStudyTable *table, const GrStudyDesign *design, int measure);

enum { GR_STUDY_BINS = 24 };

typedef struct GrStudyPair GrStudyPair;

typedef struct GrStudyView {
    const GrStudyTable *table;
    const GrStudySummary *summary;
    bool *shown; ///< [row_count] owned: the run is drawn as a point
    int shown_count;
    GrStudyPair *pairs; ///< [row_count] owned: room
    double *room;       ///< [row_count] owned
} GrStudyView;

/// Chooses at most `points` runs by a hash of their ids: the choice is the same every time, and follows no pattern of
/// the plan. Free with gr_study_view_end(), also after an error.
GrStatus gr_study_view_begin(GrStudyView *view, const GrStudyTable *table, const GrStudySummary *summary, int points,
                             GrErrorLog *log);
void gr_study_view_end(GrStudyView *view);

/// Value of a column (variables, then measures) of a run.
double gr_study_value(const GrStudyTable *table, int row, int column);

/// The name of a variable's value in a run; runs with a number in a column of names share one name.
const char *gr_study_name(const GrStudyTable *table, int row, int variable);

/// A measure in runs with similar values, or the same name, of a variable.
typedef struct GrStudyBin {
    const char *name; ///< NULL: of numbers
    double x;         ///< mean of the variable
    int count;
    double mean;              ///< of the measure
    double low, middle, high; ///< 5 %, median and 95 %; of a share: the share and its 95 % interval
    double squares;           ///< sum of squares about the mean
} GrStudyBin;

typedef struct GrStudyBins {
    GrStudyBin items[GR_STUDY_BINS];
    int count;
    int runs;
    bool all;     ///< false: there are more names than bins
    double share; ///< part of the measure's variance that is between the bins, without what chance gives; NAN: none
} GrStudyBins;

/// Numbers: about sqrt(n)/2 bins with as many runs each, equal values in one bin; a bin for each value if there are
/// few. Names: a bin for each.
void gr_study_bin(GrStudyView *view, int measure, int variable, GrStudyBins *out);

#endif
