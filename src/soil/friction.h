/// Coulomb friction with sticking: a spring and damper in the contact plane inside the friction circle (LS10 fig. 3b).
#ifndef GR_FRICTION_H
#define GR_FRICTION_H

#include "patch.h"

/// Adds friction under normal force f_z = out->wrench[2] at the lowest point of the rim, with derivatives; f_z and its
/// derivatives must be set. `old` and `next` are the stretches of the spring along x and y [m].
void gr_friction_add(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out);

#endif
