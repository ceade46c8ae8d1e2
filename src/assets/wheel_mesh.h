/// Wheels: a rim with a flat or crowned profile, and grousers; for display, and as shapes for contact.
///
/// Wheel frame: origin at the centre, y along the axle, x forward, z up.
#ifndef GR_WHEEL_MESH_H
#define GR_WHEEL_MESH_H

#include "rigid.h"
#include "surface_mesh.h"

typedef enum GrRimProfile { GR_RIM_FLAT, GR_RIM_CONVEX } GrRimProfile;

/// Start from gr_default_wheel_mesh_def().
typedef struct GrWheelMeshDef {
    double radius; ///< of the rim in its middle plane [m] > 0; default 0.25
    double width;  ///< [m] > 0; default 0.2
    GrRimProfile profile;
    double crown; ///< convex: height of the middle of the rim above its edges [m]; default 0.02
    GrGrouserPattern pattern;
    int grouser_count;        ///< 0: smooth; at most 200; default 24
    double grouser_height;    ///< above the rim [m] > 0; default 0.01
    double grouser_thickness; ///< along the rim [m] > 0; default 0.004
    double grouser_angle;     ///< slanted, chevron: angle to the axle [rad], (−80°, 80°); default 20°
    int segments;             ///< around the rim; 12 .. 720, default 96
} GrWheelMeshDef;

GrWheelMeshDef gr_default_wheel_mesh_def(void);

typedef struct GrWheelMesh {
    char id[GR_MESH_ID_SIZE];
    GrSurfaceMesh mesh; ///< the rim, then each grouser, as closed surfaces; grousers begin inside the rim
    double rim_volume;  ///< of a solid rim [m³]
} GrWheelMesh;

GrStatus gr_wheel_mesh_create(const GrWheelMeshDef *def, GrWheelMesh *out, GrErrorLog *log);
void gr_wheel_mesh_free(GrWheelMesh *wheel);

/// Adds the wheel to a body for contact: a cylinder (a convex rim as three of them) and a cuboid for each grouser, two
/// for a chevron. `pose` is the wheel frame in the body. False when out of memory.
bool gr_wheel_add_shapes(const GrWheelMeshDef *def, GrRigidDef *rigid, int body, GrPose pose, int material);

enum { GR_WHEEL_PARTS = 3 };

/// Convex parts of a wheel's mesh: the hull of its rim, then that of its first grouser, or of both halves of a chevron.
typedef struct GrWheelParts {
    GrConvexMesh *meshes[GR_WHEEL_PARTS];
    int count;
} GrWheelParts;

GrStatus gr_wheel_parts_create(const GrWheelMeshDef *def, GrWheelParts *out, GrErrorLog *log);
void gr_wheel_parts_free(GrWheelParts *parts);

/// Adds the wheel to a body as its parts, with every grouser. The parts must outlive the world. False when out of
/// memory.
bool gr_wheel_add_parts(const GrWheelMeshDef *def, const GrWheelParts *parts, GrRigidDef *rigid, int body, GrPose pose,
                        int material);

#endif
