/// How much of a disc in the sky stands above a horizon.
#ifndef GR_DISC_H
#define GR_DISC_H

#include "grouser/sky.h"

/// Elevation of the horizon by azimuth, both [rad].
typedef double (*GrHorizonFn)(const void *context, double azimuth);

/// Share of the disc's area above the horizon, 0 to 1. The horizon is asked at 15 azimuths across the disc, as Gauss's
/// rule for a circle chooses them; a straight horizon gives the share to 0.002.
double gr_disc_share(const GrSkyView *view, GrHorizonFn horizon, const void *context);

#endif
