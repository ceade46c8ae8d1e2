/// Rovers in other units: test vehicles that move like a rover under another gravity.
///
/// Dry grains have no length, mass or time of their own besides ρ and g. A vehicle with lengths r, masses r³ and times
/// √(r/q) under q times the gravity then moves alike: same slip, same sinkage over wheel radius (Slonaker et al. 2017,
/// arXiv 1604.02490). With r = 1 it is the rover itself, with its full mass. `grouser test scaling` uses this.
///
/// Example: what a lunar rover of half the size weighs on Earth, and how fast it drives.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover, model;
///     if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const GrRoverScale scale = gr_granular_scale(0.5, 9.80665 / 1.62);
///     if (gr_rover_scale(&rover, &scale, &model, &log) == GR_OK) {
///         printf("wheels of %.4f m\n", model.wheels[0].radius);      // prints: wheels of 0.05
///         printf("speeds times %.2f\n", scale.length / scale.time);  // prints: speeds times 1.74
///         gr_rover_free(&model);
///     }
///     gr_rover_free(&rover);
#ifndef GROUSER_SCALING_H
#define GROUSER_SCALING_H

#include "grouser/rover.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Lengths, masses and times of one rover over those of another, all > 0. Speeds are scaled by length/time, forces by
/// mass · length/time².
typedef struct GrRoverScale {
    double length, mass, time;
} GrRoverScale;

/// The scale of a vehicle that moves alike in the same grains: r³ and √(r/q) for lengths r = `length` and gravities
/// q = `gravity` over those of the rover.
GR_API GrRoverScale gr_granular_scale(double length, double gravity);

/// Makes a rover with every value scaled by its dimension: masses and inertias, springs, dampers, joint friction,
/// motors with their gains and limits, stiffness of wheels. Meshes for drawing and sensors are left out. Free with
/// gr_rover_free(), also after an error.
GR_API GrStatus gr_rover_scale(const GrRoverDef *rover, const GrRoverScale *scale, GrRoverDef *out, GrErrorLog *log);

/// Makes a rover with `share` > 0 of the mass and the inertia of every body, and everything else the same: a test
/// vehicle that is lightened to the weight on another planet. Motors and suspension carry that weight. In steady motion
/// it is the rover with each body hung up at its centre of mass. Free with gr_rover_free(), also after an error.
GR_API GrStatus gr_rover_offload(const GrRoverDef *rover, double share, GrRoverDef *out, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
