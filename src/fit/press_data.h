/// Measured presses of plates and wheels: a CSV file -> curves of force against depth. docs/plate.md lists the columns.
#ifndef GR_PRESS_DATA_H
#define GR_PRESS_DATA_H

#include "columns.h"
#include "press.h"

#include <stddef.h>

/// Deepest points of a press that are read: a denser one is thinned to these, at equal steps of depth.
enum { GR_PRESS_POINTS = 20 };

/// One press: rows of the file that follow each other with the same body, box and trial, as far as they go down.
typedef struct GrPress {
    char name[48]; ///< of the body
    char box[32];
    char trial[32];
    GrPressBody body;
    double depth[GR_PRESS_POINTS]; ///< of the deepest point, rising [m]
    double force[GR_PRESS_POINTS]; ///< > 0 [N]
    int count;
    int line; ///< of its first row
} GrPress;

typedef struct GrPressData {
    GrPress *items;
    int count;
} GrPressData;

/// `wheel`: grousers of all wheels, and size of those without their own columns, whose names begin with "wheel";
/// kind other than wheel: no size; NULL: neither. `map`: with entries unknown columns are ignored, otherwise they are
/// errors.
GrStatus gr_press_data_load(const char *path, const GrPressBody *wheel, GrColumnMap map, GrPressData *out,
                            GrErrorLog *log);
GrStatus gr_press_data_parse(const char *text, size_t length, const char *file, const GrPressBody *wheel,
                             GrPressData *out, GrErrorLog *log);
void gr_press_data_free(GrPressData *data);

/// Forces that a soil has at the depths of a press. On scm plates have its curve, not its grid, which has the same
/// within its cells; wheels have the grid.
GrStatus gr_press_predict(const GrPress *press, const GrSoilDef *soil, double gravity, double *force, GrErrorLog *log);

/// Errors below this depth count little, and are left out of scores: the surface is found to half a millimetre, which
/// is a fifth of the force there [m].
static const double GR_PRESS_SHALLOW = 0.003;

/// Relative errors |F/F_measured − 1| of the presses of one role, at depths from GR_PRESS_SHALLOW on.
typedef struct GrPressScore {
    double median, most; ///< of the errors; `most`: 90 % are below
    double rms;          ///< of ln(F/F_measured)
    double bias;         ///< mean of ln(F/F_measured)
    int count;           ///< forces
} GrPressScore;

/// `role`: [data->count], those of GrFitDef; NULL: all presses.
GrStatus gr_press_score(const GrPressData *data, const unsigned char *role, unsigned char wanted, const GrSoilDef *soil,
                        double gravity, GrPressScore *out, GrErrorLog *log);

/// Residuals of a fit: ln(F/F_measured), weighted by what the error of the surface leaves of it. Returns their number;
/// `out` NULL counts them. A press that the soil cannot carry gives `missing` for each.
int gr_press_residuals(const GrPressData *data, const unsigned char *role, const GrSoilDef *soil, double gravity,
                       double missing, double *out);

#endif
