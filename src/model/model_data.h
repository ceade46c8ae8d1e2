/// Internals of GrModel.
#ifndef GR_MODEL_DATA_H
#define GR_MODEL_DATA_H

#include "arena.h"
#include "grouser/model.h"
#include "integrator.h"
#include "rft_body.h"
#include "rigid.h"
#include "scm.h"
#include "soil_wheel.h"
#include "trace_wheel.h"
#include "tree.h"

/// Place of a body of the definition after fixed joints were merged: pose of its frame in a body of the tree.
typedef struct GrBodyPlace {
    int body;
    GrPose pose;
} GrBodyPlace;

/// Axes of a joint of the definition: its frame at joint position 0, which is fixed in the parent.
typedef struct GrJointAxes {
    int body;    ///< of the tree, in which they are fixed
    GrMat3 turn; ///< in that body's frame
} GrJointAxes;

typedef struct GrWheel {
    int body;      ///< in the tree
    GrVec3 centre; ///< in that body's frame
    GrVec3 axle;   ///< unit vector to the left, in that body's frame
    GrVec3 up;     ///< z of the wheel frame, in that body's frame
    double radius, width;
    double stiffness, damping;
    int grouser_count;
    double grouser_height, grouser_thickness;
    bool grouser_lugs;
    GrWheelSurface *surface; ///< its shape in soil of the law rft; NULL: a cylinder with grousers
    GrSideWall *side;        ///< for soil with GR_SIDE_MESH; NULL: flat
} GrWheel;

/// A shape of a body that presses soil of the laws scm or rft.
typedef struct GrSoilShape {
    int body;      ///< in the tree
    GrVec3 centre; ///< in that body's frame [m]
    GrMat3 turn;   ///< its axes there
    int wheel;     ///< rft: it is this wheel when it lies on its side; −1: no wheel
} GrSoilShape;

/// Fixed stones that are made when needed (stones.h): copies of the scene's, or those of a field.
typedef struct GrLateStones {
    int count;          ///< 0: none
    GrStoneDef *stones; ///< NULL: of the field
    const GrRockField *field;
    GrRockFieldUse use;
    const GrTerrain *ground;
    GrSurfaceDef surface; ///< of the field
    int material;         ///< of the group of stones; −1: of each stone
} GrLateStones;

/// The rigid world. Its driven bodies are the wheels, in order, then the moving bodies that have shapes.
typedef struct GrRigidScene {
    GrRigidWorld *world;   ///< NULL: nothing is rigid
    int count;             ///< number of driven bodies
    int *bodies;           ///< [count] tree body of a driven body
    int *of_body;          ///< [tree bodies] driven body with its shapes; −1: it has none
    GrConvexMesh **meshes; ///< of stones, parts and wheels
    int mesh_count;
    int *loose_stone;                ///< [loose] stone of the definition
    const GrConvexMesh **loose_mesh; ///< [loose] not owned
    GrLateStones late;
} GrRigidScene;

struct GrModel {
    char name[GR_NAME_SIZE];
    GrTree tree;
    GrOptions options;
    const GrIntegratorRow *integrator;
    const double *initial; ///< [tree.position_count] at the start: base at the origin, joints as defined
    int def_body_count;
    const GrBodyPlace *places;              ///< [def_body_count]
    const char (*body_names)[GR_NAME_SIZE]; ///< [def_body_count]
    int joint_count;                        ///< axes of all joints
    const int *joint_body;                  ///< [joint_count] tree body that the axis carries
    const int *joint_def;                   ///< [joint_count] joint of the definition that it belongs to
    const GrJointAxes *joint_axes;          ///< [joint_count] in which its loads are given
    const char (*joint_names)[GR_NAME_SIZE];
    const GrJointRole *joint_roles;
    int wheel_count;
    const GrWheel *wheels;
    const char (*wheel_names)[GR_NAME_SIZE];
    const GrSoilWheel *soil_wheels; ///< [soil_count][wheel_count] each soil prepared for each wheel; NULL: no soil
    int soil_count;
    const int *wheel_soil; ///< [wheel_count] soil of a wheel wherever it is, −1: by place, GR_WHEEL_RIGID: none;
                           ///< NULL: all by place
    bool soil_unloads;     ///< a soil unloads along its own line under a wheel
    bool sees_ruts;        ///< a law takes the heights of ruts around the wheels
    bool raises_heaps;     ///< and those of the wheels' own heaps
    int soil_state;        ///< doubles of soil state for each wheel and soil
    int scm_nodes;         ///< most nodes that a wheel can touch at once with its imprint
    GrScmBody *scm_bodies; ///< [soil_count][wheel_count] wheels on the grid of law scm; NULL: another law
    const GrScmBody *imprint_bodies;   ///< [soil_count][wheel_count] wheels of other laws that press ruts; NULL: none
    const GrScmBody *scm_lying;        ///< [soil_count][wheel_count] the same wheels on their sides
    const GrSoilShape *soil_shapes;    ///< [soil_shape_count] shapes of other bodies that press the soil
    const GrScmBody *scm_shape_bodies; ///< [soil_count][soil_shape_count]
    int soil_shape_count;
    const GrRftBody *rft_bodies;      ///< [soil_shape_count] their surfaces for the law rft; NULL: another law
    const GrRftSoil *rft_soils;       ///< [soil_count]
    const GrTraceWheel *trace_wheels; ///< [soil_count][wheel_count]; NULL: no traces
    double wheel_load;                ///< weight divided by the number of wheels [N]
    GrRigidScene rigid;
    GrArena arena; ///< holds all of the above
};

/// The plane z = 0 as a function of heights, for scenes without a map.
bool gr_height_of_plane(const void *context, double x, double y, double *z, GrVec3 *normal);

/// Whether soil carries a wheel; otherwise the ground is rigid for it.
static inline bool gr_wheel_on_soil(const GrModel *m, int wheel)
{
    return m->soil_wheels != NULL && (m->wheel_soil == NULL || m->wheel_soil[wheel] != GR_WHEEL_RIGID);
}

/// Whether a soil has errors of its fit. Those of samples of runs are the ones outside its data.
static inline bool gr_soil_has_errors(const GrModel *m)
{
    bool any = false;
    for (int i = 0; m->soil_wheels != NULL && i < m->soil_count * m->wheel_count; i++) {
        any = any || m->soil_wheels[i].errors || m->soil_wheels[i].soil.error_sinkage != 0;
    }
    return any;
}

#endif
