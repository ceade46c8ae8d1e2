/// The ground around a wheel whose force comes from a law of one patch, for laws whose free surface need not be level
/// (rft): walls of ruts, berms that other wheels left, and the heap that the wheel raises itself.
///
///                left
///           +-----------+
///     behind|   wheel   |before     means over bands as wide as the passive wedge of the sinkage reaches
///           +-----------+
///               right
///
/// Heights are above the ground under the wheel, which is that of the ruts. The wheel's own imprint is not in them yet:
/// its law measures sinkage from the ground that it meets (imprint.h). Its own heap is in a second grid, that of
/// furrows, which the wheel presses at even distances of its travel, and where what it displaces rises and slumps.
///
/// Heights are read at the same distances, and followed in between: they depend neither on the step nor on the time at
/// rest.
#ifndef GR_FURROW_H
#define GR_FURROW_H

#include "imprint.h"

/// State of a wheel; all zero: it has not touched the ground. Plain data, to be copied, saved and hashed.
typedef struct GrFurrow {
    double at[3];     ///< centre of the wheel when heights were read last [m]
    double gone;      ///< travel since then, over the distance between readings
    double read[4];   ///< heights before, behind, left and right, as read last [m]
    double around[4]; ///< the same as the law sees them [m]
    int64_t known;    ///< 1: they have been read
} GrFurrow;

/// A wheel and its soil.
typedef struct GrFurrowWheel {
    double radius, width;  ///< radius over the tips of grousers [m]
    double friction_angle; ///< of the soil [rad]
    double heap;           ///< share of the wheel's own heap that counts, 0 … 1
} GrFurrowWheel;

/// A wheel at the end of a step.
typedef struct GrFurrowMotion {
    GrImprintMotion wheel;
    GrVec3 velocity, spin; ///< [m/s], [rad/s]
    double sinkage;        ///< below the ground that the wheel meets [m]
    double slip;           ///< −1 … 1
} GrFurrowMotion;

/// Moves a wheel on. `ruts`: changes of the ground that the wheel meets; NULL: none. `furrows`: to press the grid of
/// furrows, where the wheel's own heap counts; NULL: it does not. `cell`: of both [m].
void gr_furrow_advance(const GrFurrowWheel *wheel, const GrRuts *ruts, const GrImprint *furrows, double cell,
                       const GrFurrowMotion *motion, GrFurrow *furrow);

/// As laws take it.
GrGroundAround gr_furrow_around(const GrFurrow *furrow);

/// Distance around a wheel in which furrows matter [m].
double gr_furrow_reach(double radius, double width);

#endif
