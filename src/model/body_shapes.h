/// The convex shapes with which a rover's bodies touch the ground, rocks and each other.
#ifndef GR_BODY_SHAPES_H
#define GR_BODY_SHAPES_H

#include "model_data.h"

/// A shape of a moving body `body` of the tree; `pose` is in its frame. `shape`: its definition, NULL for a box that
/// was derived from the inertia.
typedef void (*GrBodyShapeFn)(void *context, int body, const GrShapeDef *shape, GrConvex convex, GrPose pose);

/// Visits the shapes of all bodies, in the order of the tree. Of a wheel's body only the shapes that reach beyond the
/// wheel are visited. A body without shapes gets the box of its inertia, unless that reaches as low as the wheels. The
/// bodies, wheels and places of `m` must be set.
GrStatus gr_body_shapes_visit(const GrRoverDef *rover, const GrModel *m, GrBodyShapeFn visit, void *context,
                              GrErrorLog *log);

#endif
