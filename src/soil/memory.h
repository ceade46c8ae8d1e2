/// What a wheel remembers of its rolling: direction, slip and slip angle, filtered over the distance and not over time,
/// so that nothing moves at rest and nothing jumps through it.
#ifndef GR_MEMORY_H
#define GR_MEMORY_H

#include "soil_wheel.h"

/// The head of the state after dt with this twist, which has this slip and slip angle; `sinkage` is the largest of the
/// slices, `mobilised` the part of the patch's strength that the torque uses, 0 … 1.
void gr_memory_update(const GrSoilWheel *w, const double *twist, double slip, double slip_angle, double sinkage,
                      double mobilised, double dt, const double *old, double *next);

#endif
