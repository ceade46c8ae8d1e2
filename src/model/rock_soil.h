/// Soil under loose rocks.
#ifndef GR_ROCK_SOIL_H
#define GR_ROCK_SOIL_H

#include "model_data.h"

/// What the rigid world asks for the soil under loose rocks; rigid everywhere (at: NULL) where the model has none, or
/// none with a pressure-sinkage curve. Warns of soils without one, on which rocks do not sink.
GrSoftGround gr_rock_soil(const GrModel *m, GrErrorLog *log);

#endif
