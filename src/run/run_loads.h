/// Loads of the joints of a finished run, from its run.csv: envelopes for strength, cycles for fatigue.
///
///     GrRunLoads loads;
///     if (gr_run_loads_read("crossing.run", &(GrRunLoadsDef){.from = 0, .to = INFINITY}, &loads, log) == GR_OK) {
///         … loads.joints[0].highest[GR_LOAD_FZ].value[GR_LOAD_FX] …
///         gr_run_loads_free(&loads);
///     }
#ifndef GR_RUN_LOADS_H
#define GR_RUN_LOADS_H

#include "csv.h"
#include "statistics.h"

#include <math.h>

/// Components of a load, in joint axes, then magnitudes.
enum { GR_LOAD_FX, GR_LOAD_FY, GR_LOAD_FZ, GR_LOAD_MX, GR_LOAD_MY, GR_LOAD_MZ, GR_LOAD_COMPONENTS };

typedef struct GrLoadComponent {
    const char *name; ///< "fx_N"
    const char *head; ///< "Fx [N]"
} GrLoadComponent;
extern const GrLoadComponent gr_load_components[GR_LOAD_COMPONENTS];

/// All components at one time.
typedef struct GrLoadCase {
    double time; ///< [s]
    double value[GR_LOAD_COMPONENTS];
} GrLoadCase;

typedef struct GrJointLoads {
    char name[64];
    double *series[GR_LOAD_COMPONENTS];     ///< [count]
    GrLoadCase highest[GR_LOAD_COMPONENTS]; ///< when this component is largest
    GrLoadCase lowest[GR_LOAD_COMPONENTS];  ///< and smallest
    GrLoadCase force, moment;               ///< when the magnitudes are largest
    GrCycle *cycles[GR_LOAD_COMPONENTS];    ///< [cycle_count]
    int cycle_count[GR_LOAD_COMPONENTS];
    GrLoadCase felt; ///< when the child's acceleration at the joint is largest: its components [m/s²]
} GrJointLoads;

typedef struct GrRunLoads {
    int count;    ///< samples
    double *time; ///< [s]
    GrJointLoads *joints;
    int joint_count;
    GrLoadCase body; ///< chassis: largest acceleration without gravity [m/s²], then angular acceleration then [rad/s²]
    GrLoadCase turning; ///< chassis: largest angular acceleration, in the same places
    double interval;    ///< mean time between samples [s]
    double missed;      ///< largest share by which a force's peak would shrink with every second sample left out
    const char *missed_joint;
    double *memory; ///< owned: all series and times
} GrRunLoads;

typedef struct GrRunLoadsDef {
    const char *joint; ///< only this one; NULL: all
    double from, to;   ///< [s]
} GrRunLoadsDef;

GrStatus gr_run_loads_read(const char *folder, const GrRunLoadsDef *def, GrRunLoads *out, GrErrorLog *log);
void gr_run_loads_free(GrRunLoads *loads);

static inline double gr_load_force(const GrLoadCase *c)
{
    return sqrt(c->value[0] * c->value[0] + c->value[1] * c->value[1] + c->value[2] * c->value[2]);
}

static inline double gr_load_moment(const GrLoadCase *c)
{
    return sqrt(c->value[3] * c->value[3] + c->value[4] * c->value[4] + c->value[5] * c->value[5]);
}

#endif
