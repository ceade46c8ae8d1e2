/// Whether shapes of a wheel, and of its side walls, from meshes suit its sizes.
#ifndef GR_WHEEL_SURFACE_H
#define GR_WHEEL_SURFACE_H

#include "grouser/rover.h"

#include <stddef.h>

enum { GR_WHEEL_TEXT = 200 };

/// Whether a wheel's surface is as large as the wheel itself; if not, `text` says by how much.
bool gr_wheel_surface_fits(const GrWheelDef *wheel, char *text, size_t size);

/// The same of its side walls, which may have less than the whole side.
bool gr_side_wall_fits(const GrWheelDef *wheel, char *text, size_t size);

/// What the wheels of a rover let a soil act on: bits of GrSoilUse.
unsigned gr_rover_soil_use(const GrRoverDef *rover);

#endif
