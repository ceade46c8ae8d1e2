/// A few dozen touched nodes at a time, as arrays that stay in the first cache: surface, pressure, shear, sums.
#ifndef GR_SCM_BLOCK_H
#define GR_SCM_BLOCK_H

#include "scm_grid.h"
#include "vmath.h"

enum { GR_SCM_BLOCK = 96 };

typedef struct GrScmBlock {
    int count;
    int32_t i[GR_SCM_BLOCK], j[GR_SCM_BLOCK];
    // Given
    double place[3][GR_SCM_BLOCK]; ///< of the body's surface, from its centre [m]
    double slope[2][GR_SCM_BLOCK]; ///< of its lower surface
    double depth[GR_SCM_BLOCK];    ///< below the soil's surface, along the ground's normal [m]
    double sinkage[GR_SCM_BLOCK];  ///< plastic [m]
    double change[GR_SCM_BLOCK];   ///< of the soil's height [m]; old, then new
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
    float after[GR_SCM_BLOCK];    ///< plastic sinkage [m]
    double worn[GR_SCM_BLOCK];    ///< mobilised part times slipped length, where shear is virgin [m]
    // Of a cylinder, see scm_cylinder.c
    double level[GR_SCM_BLOCK], ahead[GR_SCM_BLOCK], aside[GR_SCM_BLOCK]; ///< A, B [-], s [m]
} GrScmBlock;

/// Arrays between the stages of a block. What only the derivatives need is in single precision: they steer the
/// integrator, and twice as many fit into a register.
typedef struct GrScmStage {
    double sigma[GR_SCM_BLOCK], sigma_z[GR_SCM_BLOCK];
    double along[GR_SCM_BLOCK], across[GR_SCM_BLOCK], rising[GR_SCM_BLOCK]; ///< velocities of the surface
    double turning[GR_SCM_BLOCK];  ///< angular velocity about the surface's normal [rad/s]
    double strength[GR_SCM_BLOCK]; ///< largest shear force [N]
    float gain[GR_SCM_BLOCK];      ///< dm = gain (dq − away (unit · dq)), q = v/K
    float away[2][GR_SCM_BLOCK], unit[2][GR_SCM_BLOCK];
    float by_speed[GR_SCM_BLOCK];   ///< area times damping
    float m[2][GR_SCM_BLOCK];       ///< mobilised shear
    float stiff[GR_SCM_BLOCK];      ///< force of pressure by depth [N/m]
    float shear_z[GR_SCM_BLOCK];    ///< strength by depth [N/m]
    float push[2][2][GR_SCM_BLOCK]; ///< shear force (along, across) by speed (along, across) [N s/m]
} GrScmStage;

/// What all blocks of one evaluation share.
typedef struct GrScmLaw {
    const GrSoilDef *soil;
    double tan_phi, dt, upright;
    double gamma; ///< damping of a unit area [Pa s/m]
    double twist[6];
} GrScmLaw;

/// Sums over the nodes of a cylinder, in the axes of the wheel.
enum { GR_SCM_WEIGHTS = 8, GR_SCM_MONOMIALS = 13 };

typedef struct GrScmCylinder {
    GrMat3 axes; ///< columns
    double radius;
    double twist[6];
    double wrench[6], compaction[3], strength;
    double moments[GR_SCM_WEIGHTS][GR_SCM_MONOMIALS];
} GrScmCylinder;

/// Directions from place and slopes. Shear across follows the axle, or a mesh's y axis; its x axis when y stands up.
void gr_scm_block_surface(const GrScmPose *pose, bool mesh, GrScmBlock *b);

/// The same for a smooth wheel, whose surface is a cylinder about the axle, up to GR_SCM_STEEPEST.
void gr_scm_block_cylinder(const GrScmPose *pose, double radius, GrScmBlock *b);

/// Pressure, shear, and their sums in `out`: wrench, derivatives, compaction, strength.
void gr_scm_block_forces(const GrScmLaw *law, GrScmBlock *b, GrScmOutput *out);

/// The stages that all bodies share: pressure; mobilised shear and pressure with damping, after the speeds; what the
/// derivatives are made of, after the forces.
void gr_scm_stage_pressure(const GrScmLaw *law, GrScmBlock *b, GrScmStage *t);
void gr_scm_stage_shear(const GrScmLaw *law, GrScmBlock *b, GrScmStage *t);
void gr_scm_stage_factors(const GrScmLaw *law, const GrScmBlock *b, GrScmStage *t);

/// Numbers beyond the last node, up to a whole vector register, that count for nothing.
void gr_scm_block_pad(GrScmBlock *b);

void gr_scm_cylinder_begin(const GrScmPose *pose, double radius, GrScmCylinder *c);

/// Sums a block of nodes of a smooth wheel; false, and nothing done, when one of them is too steep for a cylinder.
bool gr_scm_cylinder_add(const GrScmLaw *law, GrScmBlock *b, GrScmCylinder *c);

/// Adds the sums to `out`.
void gr_scm_cylinder_finish(const GrScmCylinder *c, GrScmOutput *out);

#endif
