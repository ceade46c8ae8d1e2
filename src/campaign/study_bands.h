/// Bands of a study whose campaign samples soils (`uncertainty: N`): its designs, each with the measures on the soil as
/// its file says and their quantiles over the samples.
#ifndef GR_STUDY_BANDS_H
#define GR_STUDY_BANDS_H

#include "statistics.h"
#include "study.h"

/// Name of the variable that says which sample a run has; "none": the soil as its file says.
extern const char gr_soil_sample_variable[];

/// One combination of the other variables.
typedef struct GrStudyDesign {
    int row;          ///< of the table: the run on the soil itself, or the first that there is
    int samples;      ///< that are done
    int succeeded;    ///< of them
    GrEstimate share; ///< that succeeds, with an interval of 90 %
    bool has_nominal; ///< `row` is the run on the soil itself
    GrBand *bands;    ///< [measure_count], in the array of all
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

#endif
