/// The parts of which a model is built: tree, scene, shapes for soil grids and grains.
#ifndef GR_MODEL_PARTS_H
#define GR_MODEL_PARTS_H

#include "model_data.h"

// ---- The multibody tree of a rover: fixed joints merged, joints with several axes split up, couplings as shared
// velocities, the sparsity of the mass matrix.

/// Fills m->tree, m->places, m->initial and the list of joints from a checked definition. m->tree.gravity must be set.
/// Fails when a motion moves no mass.
GrStatus gr_model_build_tree(GrModel *m, const GrRoverDef *rover, GrErrorLog *log);

/// Fills m->rigid. The bodies, wheels and places of `m` must be set; `rover` is its definition. Reports all problems to
/// `log`.
GrStatus gr_scene_build(const GrSceneDef *scene, const GrRoverDef *rover, GrModel *m, GrErrorLog *log);

void gr_rigid_scene_free(GrRigidScene *rigid);

// ---- The rover's bodies for the soil contact model: convex shapes that press the grid, and wheels that lie on their
// sides.

/// Fills m->scm_lying, and m->soil_shapes where bodies press the grid. m->scm_bodies, bodies and places must be set;
/// the limits of m->scm_bodies are raised to what a lying wheel needs.
GrStatus gr_scm_shapes_build(const GrRoverDef *rover, const GrSoilDef *soils, int soil_count, bool bodies, GrModel *m,
                             GrErrorLog *log);

/// Fills m->soil_shapes and m->rft_bodies, and m->rft_soils: the shapes of all bodies, then a cylinder for each wheel,
/// for those that lie on their sides. Bodies, wheels and places must be set. Does nothing unless all
/// soils have that law: elsewhere the ground under bodies is rigid or none.
GrStatus gr_grain_shapes_build(const GrRoverDef *rover, const GrSoilDef *soils, int soil_count, GrModel *m,
                               GrErrorLog *log);

#endif
