/// Figures of a study, each a whole SVG document with a caption. They draw nothing where no run has a value.
#ifndef GR_STUDY_FIGURES_H
#define GR_STUDY_FIGURES_H

#include "page.h"
#include "study_view.h"

/// Distribution of a measure, with mean and quantiles; of one that is so or not, its share.
GrStatus gr_study_histogram(GrStudyView *view, int measure, GrPage *page, GrErrorLog *log);

/// Rank correlations of a measure with the variables as bars, the largest first.
void gr_study_tornado(const GrStudyView *view, int measure, GrPage *page);

/// A measure against a variable: runs as points, and median and 5-95 % of `bins`.
void gr_study_response(const GrStudyView *view, int measure, int variable, const GrStudyBins *bins, GrPage *page);

/// A measure over two variables that are coordinates.
void gr_study_map(const GrStudyView *view, int measure, const int variables[2], GrPage *page);

/// Measures against each other: a triangle of scatter plots.
enum { GR_STUDY_MATRIX = 5 };
void gr_study_matrix(const GrStudyView *view, const int *measures, int count, GrPage *page);

/// Two measures of all runs, with the points of a Pareto front, `is_front` [row_count], above them.
void gr_study_front(const GrStudyView *view, const int measures[2], const bool *is_front, GrPage *page);

#endif
