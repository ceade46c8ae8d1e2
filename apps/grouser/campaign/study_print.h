/// The results of a study as text and as JSON.
#ifndef GR_STUDY_PRINT_H
#define GR_STUDY_PRINT_H

#include "json.h"
#include "study_page.h"
#include "study_view.h"

#include <stdio.h>

/// `bands`: of a study with samples of the soil.
void gr_study_print(const GrStudyTable *table, const GrStudySummary *summary, const GrStudyBands *bands,
                    const char *path, FILE *file);
GrStatus gr_study_print_json(const GrStudyTable *table, const GrStudySummary *summary, const GrStudyBands *bands,
                             FILE *file);

/// Designs of a study with samples of the soil, with their bands; at most as many as are read.
void gr_study_print_designs(const GrStudyTable *table, const GrStudyBands *bands, FILE *file);

/// The member `designs`: measures with NAME_low and NAME_high.
void gr_study_put_designs(GrJson *json, const GrStudyTable *table, const GrStudyBands *bands);

/// The member `prediction`, where there is one: whether bands are interpolated or extrapolated.
void gr_study_put_prediction(GrJson *json, const char *prediction);

/// The member `answer` of an open object.
void gr_study_put_answer(GrJson *json, const GrStudyTable *table, const GrStudySummary *summary);

/// The answer of the study and what it depends on, a line each.
void gr_study_print_answer(const GrStudyTable *table, const GrStudySummary *summary, FILE *file);

#endif
