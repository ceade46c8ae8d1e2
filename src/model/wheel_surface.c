#include "wheel_surface.h"

#include "grouser/soil.h"
#include "number.h"

#include <math.h>
#include <stdio.h>

/// Of the size of the wheel.
static const double WITHIN = 0.05;

bool gr_wheel_surface_fits(const GrWheelDef *wheel, char *text, size_t size)
{
    GrSoilWheelDef shape = gr_default_soil_wheel_def();
    gr_wheel_surface_describe(wheel->surface, &shape);
    const double tip = shape.radius + shape.grouser_height;
    const double radius = wheel->radius + (wheel->grouser_count > 0 ? wheel->grouser_height : 0);
    if (fabs(tip - radius) > WITHIN * radius) {
        gr_print(text, size,
                 "the mesh reaches %g m from the axle (y), and the wheel, with its grousers, %g m; they may differ by "
                 "%g %%",
                 tip, radius, 100 * WITHIN);
        return false;
    }
    if (fabs(shape.width - wheel->width) > WITHIN * wheel->width) {
        gr_print(text, size, "the mesh is %g m wide along the axle (y), and the wheel %g m; they may differ by %g %%",
                 shape.width, wheel->width, 100 * WITHIN);
        return false;
    }
    return true;
}
