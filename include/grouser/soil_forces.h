/// Forces of soft soil on one wheel: maps the motion of the wheel to a wrench, its derivatives and the new soil state.
///
///   GrSoilDef + GrSoilWheelDef --gr_soil_prepare--> GrSoilWheel      once; constant afterwards, shared by threads
///   GrSoilWheel + GrSoilMotion + old state + dt --gr_soil_evaluate--> GrSoilOutput + new state        pure
///   new state --gr_soil_commit--> old state, when the step is accepted
///
/// Example: steady rolling at slip 0.2 under 64.68 N.
///
///     const GrSoilDef soil = gr_default_soil_def();
///     const GrSoilWheelDef def = gr_default_soil_wheel_def();
///     GrSoilWheel *wheel;
///     if (gr_soil_prepare(&soil, &def, &wheel, NULL) == GR_OK) {
///         GrSoilSteady point;
///         gr_soil_steady_load(wheel, 0.2, 0, 64.68, 0, &point, NULL);
///         printf("sinkage %g m, drawbar pull %g N, load %.2f N\n", point.sinkage, point.f_x, point.f_z);
///         gr_soil_wheel_free(wheel); // prints: load 64.68 N
///     }
///
/// The contact frame has z along the normal of the contact plane, y along the axle's projection onto the plane, and
/// x = y × z forward; its origin is the wheel centre. θ runs in its xz-plane from −z, positive towards +x:
///
///                 z ^        ω > 0 rolls towards +x
///                   |
///            ---.   o   .--------- soil, h above the lowest point of the rim
///      exit θ2   `.___.´  θ1 entry          θ2 ≤ 0 < θ1
///
/// Grid laws (scm) have no single patch under a wheel, so these functions do not support them; use a rover or the
/// single-wheel rig. examples/single_wheel.c and examples/own_law.c are complete programs.
#ifndef GROUSER_SOIL_FORCES_H
#define GROUSER_SOIL_FORCES_H

#include "grouser/soil.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A soil prepared for one wheel.
typedef struct GrSoilWheel GrSoilWheel;

/// Contact state on soil (LS10 fig. 10): an output, which does not switch the forces.
typedef enum GrSoilMode {
    GR_MODE_NONE,       ///< no contact
    GR_MODE_STUCK_ROLL, ///< at rest, or rolling with almost no slip
    GR_MODE_ACCELERATE, ///< slips forward
    GR_MODE_BRAKE,      ///< slips backward (skids)
} GrSoilMode;

/// Use outside the range of a law: bits of GrSoilOutput::flags. The caller counts them.
enum {
    GR_FLAG_DEEP = 1 << 0,          ///< sinkage above the wheel radius: the hub is below the ground
    GR_FLAG_SINKAGE = 1 << 1,       ///< sinkage above the soil's fitted range
    GR_FLAG_SLIP = 1 << 2,          ///< slip outside the soil's fitted range
    GR_FLAG_EXPONENT = 1 << 3,      ///< the slip-dependent exponent left 0.1 … 3 and was clamped
    GR_FLAG_NOT_CONVERGED = 1 << 4, ///< series stiffness: the deflection did not converge
    GR_FLAG_TRACE = 1 << 5,         ///< load outside the fitted range of wheel traces
    GR_FLAG_PULL = 1 << 6,          ///< pulls forward without slipping: the law misses motion resistance
    GR_FLAG_ANGLE = 1 << 7,         ///< slip angle beyond those that the law was compared with measurements at
    GR_FLAG_STEP = 1 << 8,          ///< step longer than the time in which the soil's force builds up
    GR_FLAG_COUNT = 9,
};

/// Motion of the wheel in the contact frame.
typedef struct GrSoilMotion {
    double sinkage[GR_SLICES_MAX]; ///< sinkage of each slice, from −y to +y [m]; ≤ 0: no contact
    double twist[6];    ///< v_x, v_y, v_z of the wheel centre [m/s], ω_x, ω_y (rolling), ω_z (steering) [rad/s]
    double wheel_angle; ///< rotation of the wheel about the axle, for lugs and side walls with holes [rad]
    double incline;     ///< upward slope of the contact plane along +x [rad] (terra)

    bool resting; ///< the twist is a displacement over dt that mobilises shear, but neither rolls nor digs (terra); the
                  ///< damper of a flexible wheel is off

    /// The twist is that at the start of an implicit step. Slip, mode and rolling memory are updated at its end, by
    /// gr_soil_remember(). A memory updated with the velocity at the start would lag by one step in the direction of
    /// the resistances and could drive a parked wheel, like explicit Euler on an oscillator.
    bool at_beginning;
    bool instant; ///< an instant within a step, dt after its start: laws take rates from the twist

    GrGroundAround around; ///< seen by the law rft; all zero: level ground
} GrSoilMotion;

/// Wrench on the wheel about its centre with its derivatives and contact quantities, in the contact frame.
typedef struct GrSoilOutput {
    double wrench[6];     ///< f_x, f_y, f_z [N], torques about x, y, z [N m]; the motor feels −wrench[4]
    double d_twist[6][6]; ///< d_twist[i][j] = ∂wrench[i]/∂twist[j], the update of the state within dt included
    double d_sinkage[6];  ///< ∂wrench/∂h, for the same change of all slices
    double d_roll[6];     ///< ∂wrench/∂(rotation about x): slice i sinks by −y_i per rad
    double slip;          ///< K23 eq. 2.13, −1 … 1; 0 at rest
    double slip_angle;    ///< atan2(v_y, |v_x|) [rad]; 0 at rest
    double sinkage;       ///< largest of the slices [m]; ≤ 0: no contact
    double theta_front, theta_peak, theta_rear; ///< of the deepest slice [rad]
    double compaction;                          ///< part of f_x due to normal stress [N]
    double strength;                            ///< largest shear force of the patch [N]
    double mobilised;                           ///< fraction of the strength used by the torque, 0 … 1
    GrSoilMode mode;
    int flags; ///< GR_FLAG_…
} GrSoilOutput;

/// Steady rolling at given slip, slip angle and sinkage: the formulas of the papers, without state. Signs follow the
/// plots of the papers.
typedef struct GrSoilSteady {
    double sinkage;      ///< [m]
    double f_x;          ///< drawbar pull [N]
    double f_y;          ///< side force, positive against side slip with β > 0 [N]
    double f_z;          ///< [N]
    double torque;       ///< motor torque, positive when driving [N m]
    GrSoilOutput output; ///< the same with the signs of the contact frame; its derivatives are 0
} GrSoilSteady;

/// Checks soil and wheel and creates `*out`; NULL on error. Free it with gr_soil_wheel_free().
GR_API GrStatus gr_soil_prepare(const GrSoilDef *soil, const GrSoilWheelDef *wheel, GrSoilWheel **out, GrErrorLog *log);
GR_API void gr_soil_wheel_free(GrSoilWheel *w);

/// Number of doubles in the soil state under this wheel. The caller keeps two such arrays, old and new.
GR_API int gr_soil_state_size(const GrSoilWheel *w);

/// Resets a state to undisturbed soil with the wheel in the air.
GR_API void gr_soil_clear(const GrSoilWheel *w, double *state);

/// Computes the wrench after a step of dt > 0 [s] with this motion, and the state at its end. `new_state` may be NULL,
/// which discards the state, but must not be `old_state`. Pure: the same input gives the same bits.
GR_API void gr_soil_evaluate(const GrSoilWheel *w, const GrSoilMotion *motion, double dt, const double *old_state,
                             double *new_state, GrSoilOutput *out);

/// Accepts a step: copies the new state to the old one.
GR_API void gr_soil_commit(const GrSoilWheel *w, double *old_state, const double *new_state);

/// Forces in steady forward rolling. slip −1 … 1, |slip_angle| < π/2.
GR_API void gr_soil_steady(const GrSoilWheel *w, double slip, double slip_angle, double sinkage, double wheel_angle,
                           GrSoilSteady *out);

/// The same at the sinkage that carries `load` [N] > 0, with a relative accuracy of 1e-12. GR_ERROR_NOT_CONVERGED, with
/// a message, if no sinkage up to the wheel diameter carries it.
GR_API GrStatus gr_soil_steady_load(const GrSoilWheel *w, double slip, double slip_angle, double load,
                                    double wheel_angle, GrSoilSteady *out, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
