/// The results of a study as text and as JSON.
#ifndef GR_STUDY_PRINT_H
#define GR_STUDY_PRINT_H

#include "json.h"
#include "study_bands.h"
#include "study_summary.h"

#include <stdio.h>

/// `bands`: of a study with samples of the soil.
void gr_study_print(const GrStudyTable *table, const GrStudySummary *summary, const GrStudyBands *bands,
                    const char *path, FILE *file);
GrStatus gr_study_print_json(const GrStudyTable *table, const GrStudySummary *summary, const GrStudyBands *bands,
                             FILE *file);

/// The member `designs`: measures with NAME_low and NAME_high.
void gr_study_put_designs(GrJson *json, const GrStudyTable *table, const GrStudyBands *bands);

#endif
