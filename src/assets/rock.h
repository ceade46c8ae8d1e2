/// Rocks from a seed: the convex hull of a random cloud in a cylinder or of one that deviates from a primitive (LS10
/// 2.2), or a sphere deformed by noise (B23 3.2).
#ifndef GR_ROCK_H
#define GR_ROCK_H

#include "grouser/scene.h"
#include "surface_mesh.h"

typedef enum GrRockKind { GR_ROCK_HULL, GR_ROCK_NOISE, GR_ROCK_DEVIATION } GrRockKind;

/// Start from gr_default_rock_def().
typedef struct GrRockDef {
    GrRockKind kind;
    double diameter;           ///< of the cylinder or sphere that it is made from [m] > 0; default 0.3
    double height;             ///< of the cylinder; along z of the sphere [m] > 0; default 0.2
    int points;                ///< of the cloud, not of noise; 8 .. 1000, default 40
    GrRockPrimitive primitive; ///< deviation only; default: cylinder
    double deviation;          ///< deviation only: as in GrRockDeviation; [0, 0.3], default 0.1
    double roughness;          ///< large-scale deformation over the radius, noise only; [0, 0.5], default 0.2
    double detail;             ///< small-scale deformation over the radius, noise only; [0, 0.2], default 0.04
    int refinement;            ///< noise only: 20 · 4^n triangles; 0 .. 6, default 3
    double density;            ///< [kg/m³] > 0; default 2700
    uint64_t seed;
} GrRockDef;

GrRockDef gr_default_rock_def(void);

typedef struct GrRockMesh {
    char id[GR_MESH_ID_SIZE];
    GrSurfaceMesh mesh; ///< centre of mass at the origin
    GrConvexMesh *hull; ///< for contact: of the same surface
    double mass;        ///< of the mesh
    GrSym3 inertia;     ///< about the centre of mass [kg m²]
    double volume;      ///< of the mesh [m³]
} GrRockMesh;

GrStatus gr_rock_check(const GrRockDef *def, GrErrorLog *log);

/// Bounds of a rock that hold for every seed [m].
typedef struct GrRockExtent {
    double reach;  ///< most horizontal distance of a point from the centre of mass
    double height; ///< most distance of its highest from its lowest point
} GrRockExtent;

GrRockExtent gr_rock_extent(const GrRockDef *def);

/// The same definition always gives the same bytes.
GrStatus gr_rock_create(const GrRockDef *def, GrRockMesh *out, GrErrorLog *log);
void gr_rock_free(GrRockMesh *rock);

#endif
