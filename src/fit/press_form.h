/// Which form of pressure fits measured plates: each form is fitted to all of them, and to all but those of one size,
/// which it must predict.
#ifndef GR_PRESS_FORM_H
#define GR_PRESS_FORM_H

#include "fit.h"
#include "soil_spread.h"

enum { GR_PRESS_FORMS = 5, GR_PRESS_FORM_PARAMS = 4 };

typedef struct GrPressForm {
    const char *name;
    const char *free[GR_PRESS_FORM_PARAMS + 1]; ///< parameters that are fitted; NULL-terminated
} GrPressForm;

extern const GrPressForm gr_press_forms[GR_PRESS_FORMS];

typedef struct GrPressFormResult {
    double value[GR_PRESS_FORM_PARAMS];
    GrPressScore fit;     ///< of the presses that were fitted
    GrPressScore crossed; ///< each size predicted from the others; without others, each press from the rest
    double spread; ///< standard deviation of ln F to expect at another size: that of `crossed`, wider for few sizes
} GrPressFormResult;

/// Makes `def` that of a fit of the form to presses alone: law, pressure and free parameters.
GrStatus gr_press_form_use(const GrPressForm *form, GrFitDef *def, GrErrorLog *log);

/// Tries all forms on the used presses of `def`, plates and wheels alike, and finds the one with the least error of
/// prediction.
GrStatus gr_press_form_choose(const GrFitDef *def, GrPressFormResult out[GR_PRESS_FORMS], int *best, GrErrorLog *log);

/// How well a soil that presses alone determined is known: its pressure by the fit and by the error at sizes that were
/// not fitted, what presses say nothing about as widely as in a soil without data.
void gr_press_form_spread(const GrFitDef *def, const GrFitResult *result, const GrPressFormResult *form,
                          GrSoilSpread *out);

#endif
