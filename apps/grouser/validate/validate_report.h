/// Output of grouser validate.
#ifndef GR_VALIDATE_REPORT_H
#define GR_VALIDATE_REPORT_H

#include "json.h"
#include "page.h"
#include "score.h"
#include "validate.h"

#include <stdio.h>

/// A case that was run.
typedef struct GrValidated {
    const GrValidationCase *from;
    GrFindings findings;
    GrStatus status; ///< if not GR_OK, findings may be incomplete
} GrValidated;

typedef struct GrValidateReport {
    GrValidated *cases;
    int count;
    GrScore *scores; ///< of laws against a measured wheel
    int score_count;
} GrValidateReport;

/// Runs the cases whose name matches a pattern (NULL: all), even after a failure; the status is that of the first one.
/// Free the report also after an error.
GrStatus gr_validate_run(const char *only, GrValidateReport *out, GrErrorLog *log);
void gr_validate_report_free(GrValidateReport *report);

/// Number of figures with this verdict.
int gr_validate_count(const GrValidateReport *report, GrVerdict verdict);

enum { GR_EXPECTED_TEXT = 48 };

/// The expected value as tables print it: "4.92", "at least 8".
void gr_validate_expected(const GrFinding *finding, char out[GR_EXPECTED_TEXT]);

void gr_validate_print(const GrValidateReport *report, FILE *file);
void gr_validate_json(const GrValidateReport *report, FILE *file);

/// The tables of docs/validation.md: laws against a measured wheel, and published figures beside ours.
void gr_validate_markdown(const GrValidateReport *report, FILE *file);

void gr_validate_page(const GrValidateReport *report, GrPage *page);

/// The parts of these on laws against a measured wheel; nothing where no score was computed.
void gr_validate_scores_print(const GrValidateReport *report, FILE *file);
void gr_validate_scores_json(const GrValidateReport *report, GrJson *json);
void gr_validate_scores_markdown(const GrValidateReport *report, FILE *file);
void gr_validate_scores_page(const GrValidateReport *report, GrPage *page);

#endif
