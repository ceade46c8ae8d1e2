/// What a study says: how its runs ended, and statistics of each measure.
#ifndef GR_STUDY_SUMMARY_H
#define GR_STUDY_SUMMARY_H

#include "statistics.h"
#include "study.h"

enum { GR_STUDY_OUTCOMES = 24 };

typedef struct GrOutcomeCount {
    const char *name; ///< of the table
    int count;
} GrOutcomeCount;

/// Statistics of one measure over the runs that have it.
typedef struct GrMeasureSummary {
    int count;
    bool is_share; ///< every value is 0 or 1, and both occur: the mean is a share, its interval Wilson's
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

#endif
