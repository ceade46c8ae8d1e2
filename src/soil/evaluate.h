/// The wheel as the sum of its slices; shared by the dynamic and the steady entry points.
#ifndef GR_EVALUATE_H
#define GR_EVALUATE_H

#include "patch.h"

/// gr_sum_slices for a wheel that may be flexible: finds the deflection u with k_w u = f_z(h − u).
double gr_sum_flexible(const GrSoilWheel *w, const GrSoilMotion *motion, const GrPatchInput *base, const double *old,
                       double *next, GrSoilOutput *out);

/// n and K from the filtered slip and slip angle.
void gr_base_input(const GrSoilWheel *w, double roll, double slip, double angle, double angle_used, GrPatchInput *base,
                   int *flags);

/// Envelope flags of a sinkage, a slip and a slip angle ≥ 0 [rad].
int gr_envelope_flags(const GrSoilWheel *w, double sinkage, double slip, double angle);

#endif
