/// Default damping of a soil, so that it absorbs impacts.
#include "soil_wheel.h"

#include <math.h>
#include <stddef.h>

double gr_soil_impact_damping(const GrSoilDef *soil, double radius, double width, double mass, double gravity,
                              double ratio)
{
    GrSoilWheelDef def = gr_default_soil_wheel_def();
    GrSoilDef under = *soil;
    GrSoilWheel wheel;
    GrSoilSteady steady;
    const bool wanted = soil->damping == 0 && ratio > 0 && mass > 0 && gravity > 0;
    def.radius = radius;
    def.width = width;
    def.gravity = gravity;
    under.law = soil->law == GR_SOIL_SCM ? GR_SOIL_WONG_REECE : soil->law; // a grid law has no force of a whole wheel
    if (!wanted || gr_soil_wheel_prepare(&under, &def, &wheel, NULL) != GR_OK ||
        gr_soil_steady_load(&wheel, 0, 0, mass * gravity, 0, &steady, NULL) != GR_OK) {
        return soil->damping;
    }
    // γ = 2 ζ √(k m), k = n W/h
    return 2 * ratio * sqrt(fmax(soil->n0, 1) * mass * gravity / steady.sinkage * mass);
}
