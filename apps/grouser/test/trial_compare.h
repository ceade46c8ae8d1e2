/// Several cases of one test side by side: rovers, soils, laws, gravities. One table, one plot per quantity, one JSON
/// object.
#ifndef GR_TRIAL_COMPARE_H
#define GR_TRIAL_COMPARE_H

#include "trial_report.h"

enum { GR_TRIAL_CASES = 24 };

/// A report and its distinguishing label, such as "exomars_like / mars".
typedef struct GrTrialCompared {
    const GrTrialReport *report;
    const char *label;
} GrTrialCompared;

/// Prints the comparison of two or more reports of one test and writes its files.
GrStatus gr_trial_compare(const GrTrialCompared *cases, int count, const GrTrialOutputs *outputs, GrErrorLog *log);

/// Splits "a,b,c" into up to GR_TRIAL_CASES pieces stored in `room`; returns their number, −1 when there are more or
/// one is empty.
int gr_trial_split(const char *list, char *room, size_t size, const char *pieces[GR_TRIAL_CASES]);

#endif
