/// A force law of your own for wheels on soil: functions and a context pointer.
///
/// The soil then works wherever others do: in GrSurfaceDef of a rover, in the single-wheel rig, in gr_soil_prepare().
/// A wheel is one patch, or several slices side by side; the law sees one of them as a wheel of its own. Damping of the
/// normal motion (GrSoilDef::damping), bulldozing and flexible wheels are added around it. examples/own_law.c is a
/// whole program.
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

/// What a law is given. The contact frame has z along the ground's normal, y along the axle, x forward; its origin is
/// the centre of the wheel.
typedef struct GrPatchInput {
    double h;              ///< sinkage [m] > 0
    double twist[6];       ///< v_x, v_y, v_z of the slice's centre [m/s], ω_x, ω_y (rolling), ω_z [rad/s]
    double dt;             ///< step, at whose end the forces are wanted [s]
    bool steady;           ///< static formulas for slip and angle below; `old` and `next` are not used
    bool resting;          ///< the twist is a displacement that neither rolls nor digs
    bool instant;          ///< within a step of an integrator that evaluates instants: −twist[2] is the rate of h
    double roll;           ///< d, rolling memory −1 … 1
    double slip;           ///< s̄, filtered
    double angle;          ///< β̄ ≥ 0, filtered [rad]
    double side;           ///< sin β with sign, filtered
    double exponent;       ///< n = n0 + n1 |s̄|
    double k_x, k_y;       ///< Janosi moduli at the filtered slip angle [m]
    double keep_x, keep_y; ///< what a change of the moduli leaves of the old mobilisation, ≤ 1
    double width;          ///< of the slice [m]
    double incline;        ///< climb of the contact plane along +x [rad]
} GrPatchInput;

/// What a law gives back: the wrench on the wheel about the slice's centre, and its derivatives.
typedef struct GrPatch {
    double wrench[6];     ///< f_x, f_y, f_z [N], moments about x, y, z [N m]; the motor feels −wrench[4]
    double d_twist[6][6]; ///< d_twist[i][j] = ∂wrench[i]/∂twist[j], the update of the state within dt included
    double d_h[6];        ///< ∂wrench/∂h
    double compaction;    ///< share of f_x that the normal stress has [N]
    double d_compaction;  ///< its derivative to h
    double strength;      ///< largest shear force of the patch [N]
    double d_strength;    ///< its derivative to h
    double theta_front, theta_peak, theta_rear; ///< of the contact arc, for reports [rad]
} GrPatch;

enum { GR_USER_STATE = 32 };

/// A law of the caller. `evaluate` must be pure: the same input gives the same output, and nothing but `next` and `out`
/// changes. It runs in every thread that steps a model with this soil.
typedef struct GrUserLaw {
    const char *name; ///< for messages; reports call the law "user"
    int state;        ///< doubles that a slice keeps from step to step, 0 … GR_USER_STATE; all zeros on fresh soil
    /// `evaluate` fills d_h and d_twist. Without them they are found by differences, in seven times the time; they keep
    /// stiff contact stable at long steps.
    bool derivatives;
    /// Fills `out`, which is all zeros, and `next`, which is a copy of `old`.
    void (*evaluate)(void *context, const GrPatchInput *in, const double *old, double *next, GrPatch *out);
    void *context;
} GrUserLaw;

#ifdef __cplusplus
}
#endif
#endif
