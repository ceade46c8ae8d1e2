/// Presses of plates in `grouser fit soil`: reading, holding back, choosing a form of pressure, and their output.
#ifndef GR_FIT_PRESSES_H
#define GR_FIT_PRESSES_H

#include "fit_report.h"
#include "json.h"

/// Reads the presses of a file into the report; all of them are used. `sized`: the size of the wheel was given.
GrStatus gr_fit_presses_load(const char *path, bool sized, GrColumnMap map, GrFitReport *report, GrErrorLog *log);

/// Holds back presses whose body, box or trial is in the list "name=a,b"; false when the name is another.
bool gr_fit_presses_hold(const char *text, GrFitReport *report, GrStatus *status, GrErrorLog *log);

/// Finds the form that predicts plates of other sizes best, and makes the fit that of this form.
GrStatus gr_fit_presses_choose(GrFitReport *report, GrErrorLog *log);

/// Errors of the fitted soil, of used and held presses.
GrStatus gr_fit_presses_score(GrFitReport *report, GrErrorLog *log);

void gr_fit_presses_json(const GrFitReport *report, GrJson *json);
void gr_fit_presses_page(const GrFitReport *report, GrPage *page);

#endif
