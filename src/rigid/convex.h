/// Convex shapes, and the queries on them that narrowphase needs.
///
///     sphere     radius
///     cylinder   radius, half.y along its axis, which is the shape's y axis
///     cuboid     half edge lengths
///     mesh       convex polyhedron
///
/// A body of several shapes is a compound.
#ifndef GR_CONVEX_H
#define GR_CONVEX_H

#include "convex_mesh.h"
#include "grouser/rover.h"

typedef enum GrConvexKind { GR_CONVEX_SPHERE, GR_CONVEX_CYLINDER, GR_CONVEX_CUBOID, GR_CONVEX_MESH } GrConvexKind;

/// Number of contact points across a cylinder's side on the ground.
enum { GR_CYLINDER_SLICES = 3 };

typedef struct GrConvex {
    GrConvexKind kind;
    double radius;            ///< sphere, cylinder [m]
    GrVec3 half;              ///< cuboid: half edges; cylinder: half length in y [m]
    const GrConvexMesh *mesh; ///< mesh; not owned
    double carriers; ///< mesh: on the ground its points together carry like this many at the deepest point; 0: each
                     ///< separately
} GrConvex;

GrConvex gr_convex_sphere(double radius);
GrConvex gr_convex_cylinder(double radius, double length);
GrConvex gr_convex_cuboid(GrVec3 size);
GrConvex gr_convex_of_mesh(const GrConvexMesh *mesh);

/// A mesh of a round body, such as a wheel: on the ground it is as stiff as a cylinder, however fine the mesh.
GrConvex gr_convex_of_round_mesh(const GrConvexMesh *mesh);

/// The shape of a rover's part and its pose in the body; a rod becomes a cylinder.
GrConvex gr_convex_of_part(const GrShapeDef *part, GrPose *pose);

/// NULL when the dimensions are valid, otherwise a message.
const char *gr_convex_fault(const GrConvex *c);

/// Radius of the bounding sphere about the origin of the shape.
double gr_convex_reach(const GrConvex *c);

/// Estimate of the radius of curvature for Hertz: radius, or half of the longest edge (B23 4.1.1).
double gr_convex_curvature(const GrConvex *c);

/// An inner point, in the shape's frame.
GrVec3 gr_convex_centre(const GrConvex *c);

/// Farthest point in a direction (need not be unit), in the shape's frame.
GrVec3 gr_convex_support(const GrConvex *c, GrVec3 direction);

enum { GR_FEATURE_SIZE = 32 };

/// The flat piece of surface that faces a direction.
typedef struct GrFeature {
    GrVec3 points[GR_FEATURE_SIZE]; ///< a point, the ends of a line, or a polygon counter-clockwise about `normal`
    int count;
    GrVec3 normal; ///< outward unit normal where count ≥ 3
} GrFeature;

/// The feature of a shape that faces `direction` (unit): for polyhedra always a face, at any angle; for a cylinder its
/// cap, a line of its side or a point of its rim. At most GR_FEATURE_SIZE / 2 corners of a face are used.
void gr_convex_feature(const GrConvex *c, GrVec3 direction, GrFeature *out);

/// A shape in the world.
typedef struct GrPlacedConvex {
    const GrConvex *convex;
    GrMat3 rotation;
    GrVec3 position;
} GrPlacedConvex;

static inline GrVec3 gr_placed_support(const GrPlacedConvex *p, GrVec3 direction)
{
    const GrVec3 local = gr_convex_support(p->convex, gr_mat3_tmul_vec(&p->rotation, direction));
    return gr_add(p->position, gr_mat3_mul_vec(&p->rotation, local));
}

static inline GrVec3 gr_placed_centre(const GrPlacedConvex *p)
{
    return gr_add(p->position, gr_mat3_mul_vec(&p->rotation, gr_convex_centre(p->convex)));
}

/// Axis-aligned box.
typedef struct GrBounds {
    GrVec3 lower, upper;
} GrBounds;

GrBounds gr_placed_bounds(const GrPlacedConvex *p);

static inline bool gr_bounds_overlap(const GrBounds *a, const GrBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

#endif
