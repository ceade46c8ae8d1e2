/// User-defined force law for wheels on soil: callbacks and a context pointer.
///
/// A soil with such a law works like any other: in GrSurfaceDef of a rover, in the single-wheel rig, in
/// gr_soil_prepare(). A wheel is one patch, or several slices side by side; the law evaluates each slice as a separate
/// wheel. The library adds damping of the normal motion (GrSoilDef::damping), bulldozing and flexible wheels.
/// examples/own_law.c is a complete program.
///
/// Example: a linear spring, whose sinkage is load over stiffness.
///
///     #include <grouser/soil_forces.h>
///     static void spring(void *context, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
///     {
///         const double *stiffness = context;
///         (void)old, (void)next;               // it keeps no state
///         out->wrench[2] = *stiffness * in->h; // [N]; the rest of `out` is 0
///     }
///
///     int main(void)
///     {
///         double stiffness = 2e4; // [N/m]
///         const GrUserLaw law = {.name = "spring", .evaluate = spring, .context = &stiffness};
///         GrSoilDef soil = gr_default_soil_def();
///         soil.law = GR_SOIL_USER;
///         soil.user = &law;
///         const GrSoilWheelDef def = gr_default_soil_wheel_def();
///         GrSoilWheel *wheel;
///         if (gr_soil_prepare(&soil, &def, &wheel, NULL) != GR_OK) {
///             return 1;
///         }
///         GrSoilSteady point;
///         gr_soil_steady_load(wheel, 0, 0, 100, 0, &point, NULL);
///         printf("sinkage %.1f mm\n", 1000 * point.sinkage); // prints: sinkage 5.0 mm
///         gr_soil_wheel_free(wheel);
///     }
#ifndef GROUSER_SOIL_LAW_H
#define GROUSER_SOIL_LAW_H

#include "grouser/soil.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Input of a law. The contact frame has z along the ground's normal, y along the axle, and x forward. Its origin is
/// the wheel centre.
typedef struct GrPatchInput {
    double h;              ///< sinkage [m] > 0
    double twist[6];       ///< v_x, v_y, v_z of the slice's centre [m/s], ω_x, ω_y (rolling), ω_z [rad/s]
    double dt;             ///< step length [s]; forces are evaluated at its end
    bool steady;           ///< use static formulas for the slip and angle below; `old` and `next` are not used
    bool resting;          ///< the twist is a displacement that neither rolls nor digs
    bool instant;          ///< evaluation at an instant within a step: −twist[2] is the rate of h
    bool secant;           ///< the step is solved once with d_twist: a law with a limit may give secants through rest
    double roll;           ///< d, rolling memory −1 … 1
    double slip;           ///< s̄, filtered
    double angle;          ///< β̄ ≥ 0, filtered [rad]
    double side;           ///< sin β with sign, filtered
    double exponent;       ///< n = n0 + n1 |s̄|
    double k_x, k_y;       ///< Janosi moduli at the filtered slip angle [m]
    double keep_x, keep_y; ///< fraction of the old mobilisation that remains after a change of the moduli, ≤ 1
    double width;          ///< of the slice [m]
    double y;              ///< of the slice's centre along the axle, from the middle of the wheel [m]
    double incline;        ///< upward slope of the contact plane along +x [rad]
    double wheel_angle;    ///< rotation of the wheel about the axle [rad]
    double plough;         ///< u^p of the soil's plough_power, 0 … 1; 0 where the soil has no ploughing
    double exit_ratio;     ///< λ, raised by soil that was dug out and lies behind the wheel
    double dug;            ///< D: depth of soil that has been dug out and does not press [m]
    double risen;          ///< U: rise since the soil was loaded most [m]; it is unloaded where U > 0
    double lifting;        ///< dU/dz of the wheel's motion: 1, or 0 where it rolls onto new soil
    GrGroundAround around; ///< ground beside the contact
} GrPatchInput;

/// Output of a law: the wrench on the wheel about the slice's centre, and its derivatives.
typedef struct GrPatch {
    double wrench[6];     ///< f_x, f_y, f_z [N], moments about x, y, z [N m]; the motor feels −wrench[4]
    double d_twist[6][6]; ///< d_twist[i][j] = ∂wrench[i]/∂twist[j], the update of the state within dt included
    double d_h[6];        ///< ∂wrench/∂h
    double compaction;    ///< part of f_x due to normal stress [N]
    double d_compaction;  ///< its derivative with respect to h
    double strength;      ///< largest shear force of the patch [N]
    double d_strength;    ///< its derivative with respect to h
    double theta_front, theta_peak, theta_rear; ///< of the contact arc, for reports [rad]
} GrPatch;

enum { GR_USER_STATE = 32 };

/// A law of the caller. `evaluate` must be pure: the same input gives the same output, and only `next` and `out`
/// change. It is called on every thread that steps a model with this soil.
typedef struct GrUserLaw {
    const char *name; ///< for messages; reports call the law "user"
    int state;        ///< number of state variables (doubles) per slice, 0 … GR_USER_STATE; zero on undisturbed soil
    /// Whether `evaluate` fills d_h and d_twist. If not, finite differences compute them, at seven times the cost. The
    /// derivatives keep stiff contact stable at long steps.
    bool derivatives;
    /// Fills `out` (all zeros on entry) and `next` (a copy of `old` on entry).
    void (*evaluate)(void *context, const GrPatchInput *in, const double *old, double *next, GrPatch *out);
    void *context;
} GrUserLaw;

#ifdef __cplusplus
}
#endif
#endif
