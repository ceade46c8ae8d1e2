/// The pinhole camera with distortion by Brown (1966) and Conrady (1919).
///
///     x, y     point at depth 1 in the image plane, x to the right and y down (in the sensor frame: −y and −z)
///     r² = x² + y², g = 1 + k1 r² + k2 r⁴ + k3 r⁶
///     x' = x g + 2 p1 x y + p2 (r² + 2 x²),  y' = y g + p1 (r² + 2 y²) + 2 p2 x y
///     column = f x' + cx, row = f y' + cy    pixel centres are whole numbers; cx, cy: the middle of the image
#ifndef GR_PINHOLE_H
#define GR_PINHOLE_H

#include "grouser/sense.h"

typedef struct GrPixel {
    double column, row;
} GrPixel;

/// Focal length [pixels].
double gr_pinhole_focal(const GrCameraDef *camera);

/// Where a point of the sensor frame in front of the camera (x > 0) appears.
GrPixel gr_pinhole_project(const GrCameraDef *camera, GrVec3 point);

/// The direction with x = 1 in the sensor frame that appears at a pixel; false where the distortion has none.
bool gr_pinhole_ray(const GrCameraDef *camera, GrPixel pixel, GrVec3 *ray);

#endif
