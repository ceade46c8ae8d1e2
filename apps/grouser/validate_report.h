/// What grouser validate prints and writes.
#ifndef GR_VALIDATE_REPORT_H
#define GR_VALIDATE_REPORT_H

#include "buffer.h"
#include "validate.h"

#include <stdio.h>

/// A case that was run.
typedef struct GrValidated {
    const GrValidationCase *from;
    GrFindings findings;
    GrStatus status; ///< when not GR_OK, the findings may lack some
} GrValidated;

typedef struct GrValidateReport {
    GrValidated *cases;
    int count;
} GrValidateReport;

void gr_validate_report_free(GrValidateReport *report);

/// How many figures have this verdict.
int gr_validate_count(const GrValidateReport *report, GrVerdict verdict);

void gr_validate_print(const GrValidateReport *report, FILE *file);
void gr_validate_json(const GrValidateReport *report, FILE *file);
void gr_validate_page(const GrValidateReport *report, GrBuffer *page);

#endif
