/// Cameras: projection and light.
#ifndef GR_CAMERA_H
#define GR_CAMERA_H

#include "grouser/sense.h"

#include <stdint.h>

// ---- The pinhole camera with distortion by Brown (1966) and Conrady (1919).
//
//     x, y     point at depth 1 in the image plane, x to the right and y down (in the sensor frame: −y and −z)
//     r² = x² + y², g = 1 + k1 r² + k2 r⁴ + k3 r⁶
//     x' = x g + 2 p1 x y + p2 (r² + 2 x²),  y' = y g + p1 (r² + 2 y²) + 2 p2 x y
//     column = f x' + cx, row = f y' + cy    pixel centres are whole numbers; cx, cy: the middle of the image

typedef struct GrPixel {
    double column, row;
} GrPixel;

/// Focal length [pixels].
double gr_pinhole_focal(const GrCameraDef *camera);

/// Where a point of the sensor frame in front of the camera (x > 0) appears.
GrPixel gr_pinhole_project(const GrCameraDef *camera, GrVec3 point);

/// The direction with x = 1 in the sensor frame that appears at a pixel; false where the distortion has none.
bool gr_pinhole_ray(const GrCameraDef *camera, GrPixel pixel, GrVec3 *ray);

/// Reflectance of regolith by Hapke (1984) without roughness, over that at the standard geometry of lunar photometry
/// (sun 30° from the normal, seen along the normal):
///
///     r = μ0/(μ0 + μ) [(1 + B(g)) p(g) + H(μ0) H(μ) − 1],  H(x) = (1 + 2x)/(1 + 2x √(1 − w))
///     B(g) = B0/(1 + tan(g/2)/h)                                          opposition effect by hiding of shadows
///     p(g) = (1 + c)/2 L(g, b) + (1 − c)/2 L(g, −b),  L(g, b) = (1 − b²)/(1 − 2 b cos g + b²)^(3/2)
///
/// with w = 0.324, b = 0.240, c = 0.305, B0 = 1.80, h = 0.0715, averages of the Moon at 643 nm (Sato et al. 2014).
/// `incidence`, `emission`: cosines of the angles from the normal to sun and viewer, above 0; `phase`: cosine of the
/// angle between sun and viewer.
double gr_hapke(double incidence, double emission, double phase);

/// Pattern of the grains of the ground at a point of the map: mean 0, standard deviation about 1. Octaves from `finest`
/// to GR_PATTERN_COARSEST, each as strong as the others; those finer than what a pixel sees (`footprint`) average out.
/// All lengths in metres. It depends on the place alone, so that all cameras see the same ground.
#define GR_PATTERN_COARSEST 0.8
double gr_ground_pattern(uint64_t seed, double x, double y, double finest, double footprint);

/// Albedo of a class of soil (from 0) over that of the first, and length of its finest grains over the first's.
typedef struct GrSoilLook {
    double albedo, grain;
} GrSoilLook;

#endif
