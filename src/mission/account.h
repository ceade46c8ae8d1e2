/// What a run is booked by: the energy of its steps, and sums of what wheels and chassis do.
#ifndef GR_ACCOUNT_H
#define GR_ACCOUNT_H

#include "grouser/sample.h"

#include "data.h"

// Energy balance of a step.
//
// A first-order step changes the velocities by Δu = dt M⁻¹ F, with the forces F at its end. The kinetic energy then
// changes by exactly F · (u + Δu/2) dt, as far as M is constant. Every force is therefore booked at the mean velocity:
//
//     motor − mechanical − soil − wheels − joints − pull = residual
//
// The work of contact forces is one sum. The part stored in flexible wheels counts as mechanical energy, the part
// dissipated in their dampers as lost in the wheels, and the rest as lost in soil and contacts.

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

// The summary of a run, accumulated from what wheels and chassis do in one interval after another: the steps of a
// mission, or the time between the samples of a recording. All figures of a summary are defined here, once.

/// Averaging distance of slip [m]; more than a wheel at rest creeps.
static const double GR_SLIP_DISTANCE = 0.02;

/// Sums for one wheel; zero at the start.
typedef struct GrWheelSums {
    double rolled;   ///< distance travelled by the rim while it touched something [m]
    double slipped;  ///< slip times that distance [m]
    double slip_now; ///< moving mean over GR_SLIP_DISTANCE; 0 before so much is rolled
    double slip_max; ///< largest magnitude of slip_now
    double touch_time, soil_time, sinkage_time, sinkage_max;
    double load_time, load_max;
    double torque_time, torque_max;
    double deflection_time, deflection_max;
    double energy;
} GrWheelSums;

/// Radius at which a wheel rolls [m].
double gr_rolling_radius(const GrModel *m, int wheel);

/// Adds `dt` seconds in which the wheel was as in the sample. Returns the distance that its rim travelled [m].
double gr_wheel_sums_add(GrWheelSums *sums, const GrModel *m, int wheel, const GrWheelSample *sample, double dt);

/// The results of `time` seconds, except for the chatter.
GrWheelSummary gr_wheel_sums_result(const GrWheelSums *sums, double time);

/// Ascent and descent. Rises and falls of less than 2 cm are not booked: they are those of the suspension.
typedef struct GrClimbSums {
    double last; ///< height where the last one was booked [m]
    double climb, descent;
} GrClimbSums;

void gr_climb_sums_add(GrClimbSums *sums, double height);

#endif
