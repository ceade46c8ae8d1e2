/// A few dozen touched nodes at a time, as arrays that fit into the first-level cache: surface, pressure, shear, sums.
#ifndef GR_SCM_BLOCK_H
#define GR_SCM_BLOCK_H

#include "scm_grid.h"
#include "scm_law.h"

/// Most nodes of a block, and the length of its arrays: they are filled run by run and in whole vectors, so that up to
/// three entries behind a run are written, too, before the next run takes their place.
enum { GR_SCM_BLOCK_NODES = 96, GR_SCM_BLOCK = GR_SCM_BLOCK_NODES + 8 };

typedef struct GrScmBlock {
    int count;
    int32_t i[GR_SCM_BLOCK], j[GR_SCM_BLOCK];
    // Input
    double place[3][GR_SCM_BLOCK]; ///< of the body's surface, from its centre [m]
    double slope[2][GR_SCM_BLOCK]; ///< of its lower surface
    double depth[GR_SCM_BLOCK];    ///< below the soil's surface, along the ground's normal [m]
    double sinkage[GR_SCM_BLOCK];  ///< plastic [m]
    double change[GR_SCM_BLOCK];   ///< of the soil's height [m]; old, then new
    double area[GR_SCM_BLOCK];     ///< touched part of the cell [m²]
    double shed[GR_SCM_BLOCK];     ///< its derivative by the depth [m]
    double ratio[GR_SCM_BLOCK];    ///< ratio of the stiffness to that of the curve
    double modulus[GR_SCM_BLOCK];  ///< P; then P z^(n − 1)
    double deep[GR_SCM_BLOCK];     ///< of the body's surface below the first ground [m]
    double grip[GR_SCM_BLOCK];     ///< strength that lugs add along the wheel [Pa]
    double m[2][GR_SCM_BLOCK];     ///< mobilised shear; old, then new
    double peak[GR_SCM_BLOCK];     ///< its largest magnitude so far; old, then new
    double firm[GR_SCM_BLOCK];     ///< K of virgin soil divided by that of the node ≥ 1
    double dug[GR_SCM_BLOCK];      ///< depth dug in this contact; old, then new [m]
    double loose[GR_SCM_BLOCK];    ///< 1 − e^(−j/j0) of its slip distance j; old, then new
    // Surface
    double stretch[GR_SCM_BLOCK];                           ///< ratio of the area of the surface to that of the cell
    double upright[GR_SCM_BLOCK];                           ///< its inverse: z of the surface's normal
    double up[3][GR_SCM_BLOCK];                             ///< N: force of unit pressure on a unit cell
    double along[3][GR_SCM_BLOCK], across[3][GR_SCM_BLOCK]; ///< unit vectors of shear
    // Results
    double tau[2][GR_SCM_BLOCK];  ///< shear over its strength: m with damping
    double total[GR_SCM_BLOCK];   ///< sinkage z [m]
    double loaded[GR_SCM_BLOCK];  ///< z or y, whichever is larger [m]
    double sigma[GR_SCM_BLOCK];   ///< pressure without damping, where nodes are summed individually [Pa]
    double pressed[GR_SCM_BLOCK]; ///< pressure with damping [Pa]
    float after[GR_SCM_BLOCK];    ///< plastic sinkage [m]
    double slid[GR_SCM_BLOCK];    ///< slip distance at the peak of shear, times `firm` [m]
    // For a cylinder, see scm_cylinder.c
    double level[GR_SCM_BLOCK], ahead[GR_SCM_BLOCK], aside[GR_SCM_BLOCK]; ///< A, B [-], s [m]
} GrScmBlock;

/// Sums over the nodes of a cylinder, in the axes of the wheel.
enum { GR_SCM_WEIGHTS = 8, GR_SCM_MONOMIALS = 13 };

typedef struct GrScmCylinder {
    GrMat3 axes; ///< columns
    double radius;
    double twist[6];
    double wrench[6], compaction[3], strength;
    double bent; ///< Σ force of the pressure without damping, times the square of the stretch [N]
    double moments[GR_SCM_WEIGHTS][GR_SCM_MONOMIALS];
} GrScmCylinder;

/// Directions from positions and slopes. Shear across follows the axle, or a body's y axis, or its x axis where y is
/// normal to the surface.
void gr_scm_block_surface(const GrScmPose *pose, bool mesh, GrScmBlock *b);

/// The same for a smooth wheel, whose surface is a cylinder about the axle, up to GR_SCM_STEEPEST.
void gr_scm_block_cylinder(const GrScmPose *pose, double radius, GrScmBlock *b);

/// Pressure, shear, and their sums in `out`: wrench, derivatives, compaction, strength.
void gr_scm_block_forces(const GrScmLaw *law, GrScmBlock *b, GrScmOutput *out);

/// Computes the total sinkages and the sinkages at which the curve is evaluated, and turns the moduli P into P z^(n −
/// 1) there.
void gr_scm_block_steepen(const GrScmLaw *law, GrScmBlock *b);

/// Adds the effect of a wheel's curvature to d_pose: the surface over a node rotates as the wheel moves on. The sums of
/// a smooth wheel include it already.
void gr_scm_add_curvature(const GrScmPose *pose, double radius, const GrScmBlock *b, GrScmOutput *out);

/// The same for its shear, from the sums in `out`.
void gr_scm_add_shear_turn(const GrScmPose *pose, double radius, GrScmOutput *out);

/// Pads beyond the last node, up to a whole vector register, with finite values that have no effect.
void gr_scm_block_pad(GrScmBlock *b);

void gr_scm_cylinder_begin(const GrScmPose *pose, double radius, GrScmCylinder *c);

/// Sums a block of nodes of a smooth wheel; when one of them is too steep for a cylinder, does nothing and returns
/// false.
bool gr_scm_cylinder_add(const GrScmLaw *law, GrScmBlock *b, GrScmCylinder *c);

/// Adds the sums to `out`.
void gr_scm_cylinder_finish(const GrScmCylinder *c, GrScmOutput *out);

#endif
