/// Rocks of a scene: their hulls and poses.
///
/// A hull takes a tenth of a millisecond and more, and a field has hundreds of rocks of which the rover meets a few.
/// Fixed rocks can therefore be made later: the rigid world knows a box that contains the rock, and its hull is made
/// when the rover comes near (gr_stones_prefetch()). The hull follows from the rock's definition alone, so that it does
/// not matter when it is made.
#ifndef GR_STONES_H
#define GR_STONES_H

#include "model_data.h"

/// A rock as a rigid body; the body's frame is at its centre of mass.
typedef struct GrStone {
    GrConvexMesh *mesh;
    GrRigidBodyDef body;
} GrStone;

/// The caller frees the mesh.
GrStatus gr_stone_make(const GrStoneDef *def, GrStone *out, GrErrorLog *log);

/// Checks the definition without making the rock.
GrStatus gr_stone_check(const GrStoneDef *def, GrErrorLog *log);

/// Box that contains a fixed rock, whatever its seed.
GrBounds gr_stone_bounds(const GrStoneDef *def);

/// For GrRigidDef::make_late: `context` is the model's GrRigidScene, which gets the mesh.
bool gr_stones_make_late(void *context, int shape, const GrConvexMesh **mesh, GrPose *pose);

/// Makes the rocks within `radius` of a place that are not made yet. Thread-safe. A step that meets others makes them
/// itself, but then it allocates.
GrStatus gr_stones_prefetch(const GrModel *m, double x, double y, double radius);

#endif
