/// Options of grouser wheel, and what they say of the wheel and its soils.
#ifndef GR_WHEEL_OPTIONS_H
#define GR_WHEEL_OPTIONS_H

#include "options.h"
#include "wheel_motion.h"
#include "wheel_study.h"

typedef struct GrWheelOptions {
    const char *soil, *model, *slip, *slip_angle, *grousers, *grouser_model, *data, *compare, *rover, *wheel, *gravity,
        *mesh, *uncertainty;
    const char *folder, *html, *csv;
    GrTextList overrides;
    const char *designs[GR_WHEEL_RUNS]; ///< of grouser compare: "wheel:radius=0.12"
    int design_count;
    double radius, width, load, sinkage, stiffness, speed, slices, cell; ///< NAN: not given
    bool dynamic, flow, json;
    GrWheelMotion motion; ///< file NULL: none
} GrWheelOptions;

GrStatus gr_wheel_usage(const char *option, const char *text, GrErrorLog *log);

/// Wheel, load and mode of the rig; the soil is not read yet.
GrStatus gr_wheel_read_rig(const GrWheelOptions *o, GrWheelStudy *study, GrRigDef *def, GrErrorLog *log);

/// Adds a run: a soil by name, with a law by name or (NULL) its own.
GrStatus gr_wheel_add_run(const GrWheelOptions *o, const GrRigDef *def, const char *soil, const char *law,
                          GrWheelStudy *study, GrErrorLog *log);

/// The soil of --soil with the law of --model, then each of --compare, a law or a soil.
GrStatus gr_wheel_add_runs(const GrWheelOptions *o, const GrRigDef *def, GrWheelStudy *study, GrErrorLog *log);

/// Each design of a comparison: a wheel, a soil and a law of its own.
GrStatus gr_wheel_add_designs(const GrWheelOptions *o, GrWheelStudy *study, GrErrorLog *log);

/// Warns about options that have no effect with the laws in use. With several laws, it is enough that one reads them.
void gr_wheel_warn_ignored(const GrWheelOptions *o, const GrWheelStudy *study, GrErrorLog *log);

#endif
