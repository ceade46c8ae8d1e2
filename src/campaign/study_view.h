/// A study prepared for drawing: which runs are shown as points, and what a measure does in groups of runs.
#ifndef GR_STUDY_VIEW_H
#define GR_STUDY_VIEW_H

#include "study_summary.h"

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

/// Whether a variable has names.
bool gr_study_is_named(const GrStudyTable *table, int variable);

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
