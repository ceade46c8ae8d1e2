/// Results of `grouser fit soil`, and their output as text, JSON and HTML.
#ifndef GR_FIT_REPORT_H
#define GR_FIT_REPORT_H

#include "fit_spread.h"
#include "grouser/soil_file.h"
#include "json.h"
#include "page.h"
#include "press_form.h"

#include <stdio.h>

typedef struct GrFitReport {
    GrFitDef def;
    GrFitResult result;
    GrFitSpread known;     ///< how well the soil is known
    GrSoilSources sources; ///< of the fitted soil
    GrWheelData data;
    unsigned char *role;
    const char *data_path; ///< NULL: presses alone
    GrPressData presses;
    unsigned char *press_role;
    const char *plates_path;                 ///< NULL: no presses
    bool chosen;                             ///< the form of pressure was chosen by the presses
    int form;                                ///< then its number
    GrPressFormResult forms[GR_PRESS_FORMS]; ///< and what was tried
    GrPressScore press_fit, press_held;
    int used, held, skipped; ///< points
} GrFitReport;

/// Computes the fit of a command line as typed after `grouser fit soil`, without writing files; a wrong option is also
/// printed. Zero-initialise `out` and free it with gr_fit_report_free().
GrStatus gr_fit_soil_line(int argc, char **argv, GrFitReport *out, GrErrorLog *log);
void gr_fit_report_free(GrFitReport *report);

/// Where a fit starts without --soil: dry sand that gives way.
extern const char gr_fit_usual_soil[];

/// A free parameter by its name or key; NULL: it is not free.
GrFitParam *gr_fit_find_free(GrFitDef *def, const char *name);

/// Notes in the fitted soil where its numbers come from and which range the data cover.
void gr_fit_note(GrFitReport *report);

void gr_fit_json(const GrFitReport *report, FILE *file);
/// What the page shows and what the terminal prints (gr_page_print()).
void gr_fit_page(const GrFitReport *report, GrPage *page);

/// The parts of these that say how well the soil is known.
void gr_fit_known_json(const GrFitReport *report, GrJson *json);
void gr_fit_known_page(const GrFitReport *report, GrPage *page);

/// Takes parameters out of the sources that they had, and adds a derived source for them, without text and names.
GrSoilSource *gr_fit_replace_sources(GrSoilSources *sources, bool (*is_free)(const void *context, const char *name),
                                     const void *context);

#endif
