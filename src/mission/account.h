/// Where the energy of a step went.
///
/// A first-order step changes the velocities by Δu = dt M⁻¹ F, with the forces F of its end. The kinetic energy then
/// changes by exactly F · (u + Δu/2) dt as far as M is constant, so every force is booked at the mean velocity:
///
///     motor − mechanical − soil − wheels − joints − pull = residual
///
/// The work of contact forces comes as one sum. What flexible wheels store of it counts as mechanical energy, what
/// their dampers take as lost in the wheels, and the rest as lost in soil and contacts.
#ifndef GR_ACCOUNT_H
#define GR_ACCOUNT_H

#include "data.h"
#include "grouser/sample.h"

/// Sums since the start [J].
typedef struct GrAccount {
    double motor;         ///< of all motors
    double electric;      ///< of motors that drive
    double joints;        ///< of all joint forces together: motors, springs, stops, friction, dampers
    double contact;       ///< of all forces on bodies from outside
    double pull;          ///< on the load that the rover pulls: the part of `contact` that is neither soil nor rock
    double contact_power; ///< of these, at the last step [W]
    double wheels;        ///< lost in the dampers of flexible wheels
    double flex;          ///< in the springs of flexible wheels now
    double flex_start;    ///< and at the start
    double start;         ///< kinetic, gravity and spring energy at the start
    double spring;        ///< of joints, at the start
} GrAccount;

/// Radial deflection of a flexible wheel, on what is hard or on soil, whichever is larger [m]; 0: it is rigid.
double gr_wheel_deflection(const GrModel *m, const GrData *d, int wheel);

/// Opens the account at the present state; frames must be up to date.
void gr_account_open(const GrModel *m, const GrData *d, GrAccount *account);

/// Books the step that gr_step_by() has just made. Afterwards d->tree.wrench holds what acted on each body in the mean
/// of the step. `drive` [wheel_count] gets the work of each wheel's motor in this step.
void gr_account_step(const GrModel *m, GrData *d, double dt, GrAccount *account, double *drive);

/// The balance now; `energy` is that of frames that are up to date.
GrEnergySample gr_account_balance(const GrAccount *account, double kinetic, double gravity, double spring);

#endif
