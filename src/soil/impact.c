/// Default damping of a soil, so that it absorbs impacts.
#include "law.h"

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
    under.law = gr_soil_law_on_grid(soil->law) ? gr_law_of_pressure() : soil->law; // a grid has no force of a wheel
    if (!wanted || gr_soil_wheel_prepare(&under, &def, &wheel, NULL) != GR_OK ||
        gr_soil_steady_load(&wheel, 0, 0, mass * gravity, 0, &steady, NULL) != GR_OK) {
        return soil->damping;
    }
    // γ = 2 ζ √(k m), k = n W/h
    return 2 * ratio * sqrt(fmax(soil->n0, 1) * mass * gravity / steady.sinkage * mass);
}
