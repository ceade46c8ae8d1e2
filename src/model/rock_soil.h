/// Soil under loose rocks.
#ifndef GR_ROCK_SOIL_H
#define GR_ROCK_SOIL_H

#include "model_data.h"

/// The soil under loose rocks, as the rigid world queries it. The ground is rigid everywhere (at: NULL) when the model
/// has no soil with a pressure-sinkage curve. Warns about soils without one, on which rocks do not sink.
GrSoftGround gr_rock_soil(const GrModel *m, GrErrorLog *log);

#endif
