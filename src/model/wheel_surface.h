/// The shape of a wheel in soil of the law rft.
#ifndef GR_WHEEL_SURFACE_H
#define GR_WHEEL_SURFACE_H

#include "grouser/rover.h"

#include <stddef.h>

enum { GR_WHEEL_TEXT = 200 };

/// Whether a wheel's surface is as large as the wheel itself; if not, `text` says by how much.
bool gr_wheel_surface_fits(const GrWheelDef *wheel, char *text, size_t size);

#endif
