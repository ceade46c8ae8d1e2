/// Force laws on soil that a wheel has compacted before.
///
/// A law measures its sinkage h from the ground that the wheel meets, here the bottom of a rut whose soil has been
/// compacted by s. Bekker's curve continues from there: the pressure under the wheel is that of a total sinkage s + h,
/// so the soil of the rut is firmer than virgin soil by the factor
///
///     G = ((s + h)/h)^n,   h not below ρ s/(1 − ρ), the rebound, after which reloading reaches the curve again
///
/// (p(s + h)/p(h) where the curve is not one power) and a second pass has less sinkage and less resistance. n and ρ are
/// those of the soil; spring laws use their own exponent. s = 0: G = 1; h ≫ s: G → 1; a rut never makes soil firmer
/// than G = ρ^−n.
#ifndef GR_COMPACT_H
#define GR_COMPACT_H

#include "soil_wheel.h"

/// G, and its derivative by h over G [1/m].
double gr_compact_gain(const GrSoilWheel *w, double compacted, double sinkage, double *by_sinkage);

/// gr_soil_evaluate() on soil whose plastic sinkage is `compacted` [m] ≥ 0; 0 is virgin soil.
void gr_compact_evaluate(const GrSoilWheel *w, double compacted, const GrSoilMotion *motion, double dt,
                         const double *old_state, double *new_state, GrSoilOutput *out);

/// gr_soil_turns() on such soil.
bool gr_compact_turns(const GrSoilWheel *w, double compacted, double from, double sinkage, double dt,
                      const double *old_state, double end, double *rate);

#endif
