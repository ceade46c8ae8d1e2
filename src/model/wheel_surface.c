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

bool gr_side_wall_fits(const GrWheelDef *wheel, char *text, size_t size)
{
    const double reach = gr_side_wall_reach(wheel->side), least = 0.5 * wheel->radius;
    const double most = (1 + WITHIN) * (wheel->radius + (wheel->grouser_count > 0 ? wheel->grouser_height : 0));
    if (reach < least || reach > most) {
        gr_print(text, size, "the side wall reaches %g m from the axle (y); allowed: %g to %g m, for this wheel", reach,
                 least, most);
        return false;
    }
    return true;
}

unsigned gr_rover_soil_use(const GrRoverDef *rover)
{
    for (int i = 0; i < rover->wheel_count; i++) {
        if (rover->wheels[i].side != NULL) {
            return GR_SOIL_USE_SIDES;
        }
    }
    return 0;
}
