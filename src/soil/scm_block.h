/// A few dozen touched nodes at a time, as arrays that stay in the first cache: surface, pressure, shear, sums.
#ifndef GR_SCM_BLOCK_H
#define GR_SCM_BLOCK_H

#include "scm_grid.h"
#include "vmath.h"

enum { GR_SCM_BLOCK = 64 };

typedef struct GrScmBlock {
    int count;
    // Given
    double place[3][GR_SCM_BLOCK]; ///< of the body's surface, from its centre [m]
    double slope[2][GR_SCM_BLOCK]; ///< of its lower surface
    double depth[GR_SCM_BLOCK];    ///< below the soil's surface, along the ground's normal [m]
    double sinkage[GR_SCM_BLOCK];  ///< plastic [m]
    double area[GR_SCM_BLOCK];     ///< covered part of the cell [m²]
    double modulus[GR_SCM_BLOCK];  ///< P
    double m[2][GR_SCM_BLOCK];     ///< mobilised shear; old, then new
    double peak[GR_SCM_BLOCK];     ///< its largest size so far; old, then new
    // Surface
    double stretch[GR_SCM_BLOCK];                           ///< area of the surface over that of the cell
    double upright[GR_SCM_BLOCK];                           ///< its inverse: z of the surface's normal
    double up[3][GR_SCM_BLOCK];                             ///< N: force of unit pressure on a unit cell
    double along[3][GR_SCM_BLOCK], across[3][GR_SCM_BLOCK]; ///< unit vectors of shear
    // Results
    double total[GR_SCM_BLOCK];   ///< sinkage z [m]
    double pressed[GR_SCM_BLOCK]; ///< pressure with damping [Pa]
    double worn[GR_SCM_BLOCK];    ///< mobilised part times slipped length, where shear is virgin [m]
} GrScmBlock;

/// What all blocks of one evaluation share.
typedef struct GrScmLaw {
    const GrSoilDef *soil;
    double tan_phi, dt, upright;
    double gamma; ///< damping of a unit area [Pa s/m]
    double twist[6];
} GrScmLaw;

/// Directions from place and slopes. Shear across follows the axle, or a mesh's y axis; its x axis when y stands up.
void gr_scm_block_surface(const GrScmPose *pose, bool mesh, GrScmBlock *b);

/// The same for a smooth wheel, whose surface is a cylinder about the axle.
void gr_scm_block_cylinder(const GrScmPose *pose, double radius, GrScmBlock *b);

/// Pressure, shear, and their sums in `out`: wrench, derivatives, compaction, strength.
void gr_scm_block_forces(const GrScmLaw *law, GrScmBlock *b, GrScmOutput *out);

#endif
