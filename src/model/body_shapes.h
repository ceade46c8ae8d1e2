/// The convex shapes with which a rover's bodies touch the ground, rocks and each other.
#ifndef GR_BODY_SHAPES_H
#define GR_BODY_SHAPES_H

#include "grouser/rover.h"

#include "model_data.h"

#include <stddef.h>

/// A shape of a moving body `body` of the tree; `pose` is in its frame. `shape`: its definition, NULL for a box that
/// was derived from the inertia.
typedef void (*GrBodyShapeFn)(void *context, int body, const GrShapeDef *shape, GrConvex convex, GrPose pose);

/// How far a shape reaches from an axle and along it, in the wheel's frame [m]. `reach` is the largest of 32
/// directions, at most 0.5 % short of the true one.
typedef struct GrWheelExtent {
    double reach, right, left; ///< right ≤ y ≤ left
} GrWheelExtent;

/// `body` and `wheel` are the frames of the shape's body and of the wheel in the same frame.
GrWheelExtent gr_wheel_extent(const GrShapeDef *shape, GrPose body, GrPose wheel);

/// Checks that no shape reaches beyond the rim of the wheel that it turns with: on soil it would stand on the surface
/// in the wheel's place. Reports every one that does.
GrStatus gr_wheel_shapes_check(const GrRoverDef *rover, const GrModel *m, GrErrorLog *log);

/// Visits the shapes of all bodies, in the order of the tree. Bodies that turn with a wheel have none: the wheel makes
/// contact. On the body of a wheel that does not turn (a fixed or sliding joint), only shapes that reach beyond the
/// wheel are visited. A body without shapes gets the box of its inertia, unless that reaches as low as the wheels. The
/// bodies, wheels and places of `m` must be set.
GrStatus gr_body_shapes_visit(const GrRoverDef *rover, const GrModel *m, GrBodyShapeFn visit, void *context,
                              GrErrorLog *log);

enum { GR_WHEEL_TEXT = 200 };

/// Whether a wheel's surface is as large as the wheel itself; if not, `text` says by how much.
bool gr_wheel_surface_fits(const GrWheelDef *wheel, char *text, size_t size);

/// The same of its side walls, which may have less than the whole side.
bool gr_side_wall_fits(const GrWheelDef *wheel, char *text, size_t size);

/// What the wheels of a rover let a soil act on: bits of GrSoilUse.
unsigned gr_rover_soil_use(const GrRoverDef *rover);

#endif
