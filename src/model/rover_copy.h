/// Copies of rover definitions.
#ifndef GR_ROVER_COPY_H
#define GR_ROVER_COPY_H

#include "grouser/rover.h"

/// A copy that owns its parts. False, and an empty rover, when out of memory, or when the rover has meshes, which are
/// not copied.
bool gr_rover_copy(GrRoverDef *to, const GrRoverDef *from);

#endif
