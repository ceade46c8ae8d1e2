/// The convex shapes of a rover's bodies, for all that they can touch.
#ifndef GR_BODY_SHAPES_H
#define GR_BODY_SHAPES_H

#include "model_data.h"

/// A shape of a moving body `body` of the tree; `pose` is in its frame. `shape`: its definition, NULL for a box of
/// inertia.
typedef void (*GrBodyShapeFn)(void *context, int body, const GrShapeDef *shape, GrConvex convex, GrPose pose);

/// Hands on the shapes of all bodies, in the order of the tree; of a wheel's body those that reach beyond the wheel. A
/// body that has none gets the box of its inertia, if that does not reach as low as the wheels. `m` has its bodies,
/// wheels and places already.
GrStatus gr_body_shapes_visit(const GrRoverDef *rover, const GrModel *m, GrBodyShapeFn visit, void *context,
                              GrErrorLog *log);

#endif
