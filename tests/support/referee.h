/// MuJoCo as referee: the same rover built by both, states carried over, accelerations compared.
#ifndef GR_REFEREE_H
#define GR_REFEREE_H

#include "data.h"
#include "random.h"

#include <mujoco/mujoco.h>

typedef struct GrReferee {
    mjModel *model;
    mjData *data;
    const GrModel *m;
    int nv;
    int *joint_dof;  ///< [joint_count] address in MuJoCo's qvel of our joint i; of the ball that a spherical axis is of
    int *joint_qpos; ///< [joint_count] address in qpos
    int *slide_dof;  ///< [joint_count] of the slide that goes with the hinge of a screw; −1: none
    int *slide_qpos;
    int *body;       ///< [definition bodies] MuJoCo's body id
    double *map;     ///< nv x dof_count: qvel = map u at the present state
    double *full;    ///< nv x nv: MuJoCo's mass matrix
    double *half;    ///< nv x dof_count: mass matrix times map
    double *reduced; ///< dof_count x dof_count
} GrReferee;

/// Turns every motor into a plain torque and takes out what MuJoCo models softly (end stops, friction).
void gr_referee_simplify(GrRoverDef *rover);

/// Builds MuJoCo's model of a simplified definition. Fails the test when MuJoCo refuses it.
GrReferee gr_referee_create(const GrRoverDef *rover, const GrModel *m, double step);

/// The same with MuJoCo's integrator of this name, and further elements of its file.
GrReferee gr_referee_create_with(const GrRoverDef *rover, const GrModel *m, double step, const char *integrator,
                                 const char *more);
void gr_referee_free(GrReferee *referee);

/// Random motor torques and a random wrench at the centre of mass of every body, on both sides. `wrenches` must live as
/// long as `d` is evaluated.
enum { GR_REFEREE_BODIES = 64 };
typedef struct GrWrenches {
    int count;
    GrVec3 point[GR_REFEREE_BODIES], force[GR_REFEREE_BODIES], moment[GR_REFEREE_BODIES];
} GrWrenches;
void gr_referee_push(GrReferee *referee, GrData *d, GrRandom *random, GrWrenches *wrenches);

/// Compares accelerations at `states` random states with random torques and wrenches, relative to the largest.
void gr_referee_compare_accelerations(const GrRoverDef *rover, GrRandom *random, int states, double tolerance);

/// Compares the generalised forces of random accelerations at `states` random states with those of mj_inverse().
void gr_referee_compare_inverse(const GrRoverDef *rover, GrRandom *random, int states, double tolerance);

/// Compares the position after `duration` of free motion from a random state: our reference integrator against MuJoCo
/// with Runge-Kutta steps `dt`. Absolute, in m and rad.
void gr_referee_compare_trajectory(const GrRoverDef *rover, GrRandom *random, double duration, double dt,
                                   double tolerance);

/// Our state -> MuJoCo's qpos and qvel.
void gr_referee_set_state(GrReferee *referee, const GrData *d);

/// Accelerations u̇ by MuJoCo's own mass matrix, bias, passive and applied forces, projected onto the coupled
/// coordinates: (Gᵀ M G) u̇ = Gᵀ (τ − bias). MuJoCo's state must be set; velocities may have changed since.
void gr_referee_acceleration(GrReferee *referee, double *acceleration);

/// One Runge-Kutta step of fourth order of MuJoCo's model in our coordinates (base pose in MuJoCo's qpos).
void gr_referee_step(GrReferee *referee, double *velocity, double dt);

#endif
