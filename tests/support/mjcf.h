/// A rover definition as a MuJoCo model, without shapes: nothing collides.
#ifndef GR_MJCF_H
#define GR_MJCF_H

#include "grouser/rover.h"

#include <stdio.h>

typedef struct GrMjcf {
    const char *integrator; ///< MuJoCo's name
    double step;
    GrVec3 gravity;
    bool couplings; ///< as equality constraints
    bool motors;    ///< speed controllers and servos as MuJoCo's velocity and position actuators
} GrMjcf;

void gr_mjcf_write(FILE *out, const GrRoverDef *rover, const GrMjcf *options);

#endif
