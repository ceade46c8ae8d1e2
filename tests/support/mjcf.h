/// A rover definition as a MuJoCo model. Without a height field it has no shapes, and nothing collides.
#ifndef GR_MJCF_H
#define GR_MJCF_H

#include "grouser/rover.h"

#include <stdio.h>

typedef struct GrMjcf {
    const char *integrator; ///< MuJoCo's name
    double step;
    GrVec3 gravity;
    bool couplings;      ///< as equality constraints
    bool motors;         ///< speed controllers and servos as MuJoCo's velocity and position actuators
    int field_nodes;     ///< of each edge of a square height field "ground"; 0: none. With it wheels are cylinders
    double field_edge;   ///< [m]
    double field_height; ///< [m] that 1 in the field's data stands for
    const char *more;    ///< further elements at the end; NULL: none
} GrMjcf;

void gr_mjcf_write(FILE *out, const GrRoverDef *rover, const GrMjcf *options);

#endif
