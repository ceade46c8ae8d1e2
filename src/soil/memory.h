/// Rolling memory of a wheel: direction, slip and slip angle, filtered over distance and not over time, so that nothing
/// changes at rest and nothing jumps when passing through rest.
#ifndef GR_MEMORY_H
#define GR_MEMORY_H

#include "soil_wheel.h"

/// Updates the head of the state over dt with this twist, slip and slip angle; `sinkage` is the largest of the slices,
/// `mobilised` the fraction of the patch's strength that the torque uses, 0 … 1.
void gr_memory_update(const GrSoilWheel *w, const double *twist, double slip, double slip_angle, double sinkage,
                      double mobilised, double dt, const double *old, double *next);

/// κ, 0 … 1: how far a wheel that rises leaves its soil unloaded, in place of rolling out of it. 1 where it sinks; 0
/// where the soil unloads along its curve.
double gr_lifting(const GrSoilWheel *w, const double *twist, double sinkage);

#endif
