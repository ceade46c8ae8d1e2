/// grouser wheel --motion: the rig with a prescribed motion from a file.
#ifndef GR_WHEEL_MOTION_H
#define GR_WHEEL_MOTION_H

#include "options.h"
#include "rig.h"
#include "soil_spread.h"

typedef struct GrWheelMotion {
    const char *file;
    GrTextList columns; ///< NAME=COLUMN
    GrTextList control; ///< AXIS=position|force
    const char *csv, *html, *trench;
    bool json;
    int samples;                  ///< of the soil, for bands; 0: none
    const GrSoilSpread *spread;   ///< of the soil
    const GrSoilSources *sources; ///< of its parameters
} GrWheelMotion;

/// Runs the wheel and soil of `rig` through the motion, prints the answer and writes the files.
GrStatus gr_wheel_motion(const GrWheelMotion *motion, const GrRigDef *rig, GrErrorLog *log);

#endif
