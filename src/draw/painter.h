/// Paints a scene from far to near.
///
/// Every part is convex. When two parts do not intersect, a plane of one of them usually separates them and tells which
/// one may hide the other; parts that intersect slightly are ordered by the plane that separates them best. This orders
/// long rods and large boxes correctly, where sorting by distance fails.
#ifndef GR_PAINTER_H
#define GR_PAINTER_H

#include "drawn_rover.h"
#include "svg.h"

/// right × up = toward, all unit.
typedef struct GrCamera {
    GrVec3 right, up, toward; ///< on the page, and out of it towards the viewer
    GrVec3 target;            ///< appears at `center`
    double distance;          ///< of the eye from the target [m]; 0: parallel projection
    GrPoint2 center;          ///< [px]
    double scale;             ///< [px/m] at the target
} GrCamera;

/// A camera that looks at the target from the direction `toward`, with z up on the page.
GrCamera gr_camera_from(GrVec3 toward);

GrPoint2 gr_camera_project(const GrCamera *camera, GrVec3 point);

GrStatus gr_paint_scene(GrBuffer *svg, const GrDrawnRover *scene, const GrCamera *camera);

/// The shadow of everything on the ground z = ground, under a high sun; flat, in one colour.
GrStatus gr_paint_shadow(GrBuffer *svg, const GrDrawnRover *scene, const GrCamera *camera, double ground,
                         const char *color);

#endif
