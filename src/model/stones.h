/// Rocks of a scene: their hulls and poses.
///
/// A hull takes a fifth of a millisecond and a kilobyte and more, and a field has up to millions of rocks of which the
/// rover meets a few. Fixed rocks can therefore be made later: the rigid world knows a circle around the rock, and its
/// hull is made when the rover comes near (gr_stones_prefetch()). The hull follows from the rock's definition and the
/// undisturbed ground, so that it does not matter when it is made.
#ifndef GR_STONES_H
#define GR_STONES_H

#include "model_data.h"
#include "rock.h"

/// A rock as a rigid body; the body's frame is at its centre of mass.
typedef struct GrStone {
    GrConvexMesh *mesh;
    GrRigidBodyDef body;
} GrStone;

/// The rock of a stone and where it is; the pose is that of its centre of mass.
GrStatus gr_stone_rock(const GrStoneDef *def, GrRockMesh *out, GrPose *pose, GrErrorLog *log);

/// The caller frees the mesh.
GrStatus gr_stone_make(const GrStoneDef *def, GrStone *out, GrErrorLog *log);

/// Circle that contains a fixed rock seen from above, whatever its seed.
GrRoom gr_stone_room(const GrStoneDef *def);

/// For GrLateDef: `context` is the model's GrLateStones.
GrRoom gr_late_stone_room(void *context, int item);
bool gr_late_stone_make(void *context, int item, GrMadeShape *out);

/// A late stone as a definition, but for the height of its place if it is of a field.
GrStoneDef gr_late_stone(const GrLateStones *late, int item);

/// Rock `item` of a field as a stone, but for the height of its place.
GrStoneDef gr_stone_of_field(const GrRockField *field, const GrRockFieldUse *use, int item);

/// Checks the definitions of all late stones.
GrStatus gr_late_stones_check(const GrLateStones *late, int material_count, GrErrorLog *log);

/// Largest distance of a point of a late rock from its place; 0: there are none.
double gr_stones_reach(const GrModel *m);

/// Makes the rocks within `radius` of a place that are not made yet. Thread-safe. A step that meets others makes them
/// itself, but then it allocates. Where rocks are of a field, the ground must be in memory as far as gr_stones_reach()
/// beyond the radius.
GrStatus gr_stones_prefetch(const GrModel *m, double x, double y, double radius);

/// The soil under loose rocks, as the rigid world queries it. The ground is rigid everywhere (at: NULL) when the model
/// has no soil with a pressure-sinkage curve. Warns about soils without one, on which rocks do not sink.
GrSoftGround gr_rock_soil(const GrModel *m, GrErrorLog *log);

#endif
