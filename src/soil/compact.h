/// What a force law makes of soil that a wheel has pressed before.
///
/// A law measures its sinkage h from the ground that the wheel meets, here the bottom of a rut whose soil has been
/// compacted by s. Bekker's curve goes on from there: the pressure under the wheel is that of a total sinkage s + h, so
/// the soil of the rut is firmer than virgin soil by
///
///     G = ((s + h)/h)^n,   h not below ρ s/(1 − ρ), the way that springs back, where reloading reaches the curve again
///
/// and a second pass sinks less and is held back less. Where n, ρ are those of the soil; springs take their own
/// exponent. s = 0: G = 1; h ≫ s: G → 1; a rut never makes soil firmer than G = ρ^−n.
#ifndef GR_COMPACT_H
#define GR_COMPACT_H

#include "soil_wheel.h"

/// G, and its derivative by h over G [1/m].
double gr_compact_gain(const GrSoilWheel *w, double compacted, double sinkage, double *by_sinkage);

/// gr_soil_evaluate() on soil whose plastic sinkage is `compacted` [m] ≥ 0; 0 is virgin soil.
void gr_compact_evaluate(const GrSoilWheel *w, double compacted, const GrSoilMotion *motion, double dt,
                         const double *old_state, double *new_state, GrSoilOutput *out);

#endif
