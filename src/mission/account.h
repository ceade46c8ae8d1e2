/// Energy balance of a step.
///
/// A first-order step changes the velocities by Δu = dt M⁻¹ F, with the forces F at its end. The kinetic energy then
/// changes by exactly F · (u + Δu/2) dt, as far as M is constant. Every force is therefore booked at the mean velocity:
///
///     motor − mechanical − soil − wheels − joints − pull = residual
///
/// The work of contact forces is one sum. The part stored in flexible wheels counts as mechanical energy, the part
/// dissipated in their dampers as lost in the wheels, and the rest as lost in soil and contacts.
#ifndef GR_ACCOUNT_H
#define GR_ACCOUNT_H

#include "data.h"
#include "grouser/sample.h"

/// Sums since the start [J].
typedef struct GrAccount {
    double motor;         ///< of all motors
    double electric;      ///< of motors while they drive
    double joints;        ///< of all joint forces together: motors, springs, stops, friction, dampers
    double contact;       ///< of all forces on bodies from outside
    double pull;          ///< on the load that the rover pulls: the part of `contact` that is neither soil nor rock
    double contact_power; ///< of these, at the last step [W]
    double wheels;        ///< lost in the dampers of flexible wheels
    double flex;          ///< in the springs of flexible wheels now
    double flex_start;    ///< the same at the start
    double start;         ///< kinetic, gravity and spring energy at the start
    double spring;        ///< of joints, at the start
} GrAccount;

/// Radial deflection of a flexible wheel on rigid ground or on soil, whichever is larger [m]; 0 for a rigid wheel.
double gr_wheel_deflection(const GrModel *m, const GrData *d, int wheel);

/// Starts the balance at the present state; frames must be up to date.
void gr_account_open(const GrModel *m, const GrData *d, GrAccount *account);

/// Books the step that gr_step_by() has just made. Afterwards d->tree.wrench is the mean wrench on each body over the
/// step. The work of each wheel's motor in this step goes to `drive` [wheel_count].
void gr_account_step(const GrModel *m, GrData *d, double dt, GrAccount *account, double *drive);

/// The present balance; `energy` must be that of up-to-date frames.
GrEnergySample gr_account_balance(const GrAccount *account, double kinetic, double gravity, double spring);

#endif
