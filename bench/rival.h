/// MuJoCo with the rover of a benchmark, in its fastest setting.
///
/// Which integrator, solver and Jacobian are fastest depends on the model and the version, so that all are tried.
#ifndef GR_BENCH_RIVAL_H
#define GR_BENCH_RIVAL_H

#include "support/mjcf.h"

#include <mujoco/mujoco.h>

typedef struct GrRival {
    mjModel *model;
    mjData *data;
    char setting[64]; ///< integrator, solver, Jacobian
    double seconds;   ///< processor time of a step when the settings were compared
} GrRival;

/// How a rival is used.
typedef struct GrRivalUse {
    GrMjcf mjcf;                              ///< integrator NULL: all are tried
    void (*prepare)(mjModel *m);              ///< after loading; NULL: nothing
    void (*start)(const mjModel *, mjData *); ///< state and commands to begin with
    int warm_up;                              ///< steps before the settings are compared
    int steps;                                ///< steps to compare over
} GrRivalUse;

/// The fastest of the settings that runs without MuJoCo's warnings of bad states. Ends the program when there is none.
GrRival gr_rival_fastest(const GrRoverDef *rover, const GrRivalUse *use);
void gr_rival_free(GrRival *rival);

#endif
