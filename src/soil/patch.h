/// One patch of soil under one slice of a wheel: the interface that every law fills, and the parts that the laws share.
///
/// A law is one function `gr_patch_<name>` in one file. It sees the slice as a wheel of its own (y = 0) and knows
/// nothing of slices, add-ons or damping; evaluate.c adds those.
#ifndef GR_PATCH_H
#define GR_PATCH_H

#include "soil_wheel.h"

/// What a law is given.
typedef struct GrPatchInput {
    double h;              ///< sinkage [m] > 0
    double twist[6];       ///< of the slice's centre, contact frame [m/s, rad/s]
    double dt;             ///< [s]
    bool steady;           ///< static formulas, `old` and `next` unused
    bool resting;          ///< the twist is a displacement that neither rolls nor digs
    double roll;           ///< d, rolling memory −1 … 1
    double slip;           ///< s̄, filtered
    double angle;          ///< β̄ ≥ 0, filtered [rad]
    double side;           ///< sin β with sign, filtered
    double exponent;       ///< n
    double k_x, k_y;       ///< Janosi moduli at the filtered slip angle [m]
    double keep_x, keep_y; ///< what a change of the moduli leaves of the old mobilisation, ≤ 1
    double width;          ///< of the slice [m]
    double incline;        ///< [rad]
} GrPatchInput;

/// What a law gives back: wrench about the slice's centre and derivatives.
typedef struct GrPatch {
    double wrench[6];
    double d_twist[6][6];
    double d_h[6];
    double compaction;   ///< share of f_x that the normal stress has [N]
    double d_compaction; ///< its derivative to h
    double strength;     ///< largest shear force of the patch [N]
    double d_strength;   ///< its derivative to h
    double theta_front, theta_peak, theta_rear;
} GrPatch;

/// What a law needs before it can run.
typedef struct GrLawInfo {
    const char *name;
    const char *text;
    int nodes;       ///< shear nodes of a slice
    int slice_state; ///< doubles of a slice's state
    bool stress;     ///< integrates stresses: uses pressure, shear and arc parameters
} GrLawInfo;

GrLawInfo gr_law_info(GrSoilLaw law);

/// Runs the wheel's law.
void gr_law_patch(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out);

/// One prototype a law; `next` receives slice_state doubles, `old` has as many.
#define GR_LAW_PROTOTYPE(id, name, text)                                                                               \
    void gr_patch_##name(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out);
GR_SOIL_PATCH_LAW_LIST(GR_LAW_PROTOTYPE)
#undef GR_LAW_PROTOTYPE

/// The contact arc and its derivatives to h (suffix _h).
typedef struct GrArc {
    double theta1, theta1_h;
    double front, front_h;
    double rear, rear_h;
    double peak, peak_h;
    double ratio; ///< of the peak to θ1, for the stress profile
} GrArc;

/// The arc at sinkage h with rolling memory d. peak_ratio is θ_m/θ1 of the law at d = 1.
GrArc gr_arc(double radius, double h, double d, double exit_ratio, double peak_ratio);

/// Normal stress at the nodes of a patch, with weights that contain b r dθ.
typedef struct GrStressField {
    double theta[GR_NODES_MAX], theta_h[GR_NODES_MAX];
    double s[GR_NODES_MAX], c[GR_NODES_MAX]; ///< sin θ, cos θ
    double weight[GR_NODES_MAX], weight_h[GR_NODES_MAX];
    double sigma[GR_NODES_MAX], sigma_h[GR_NODES_MAX];
} GrStressField;

/// State of a stress law's slice: the load that the shear was mobilised under, the sinkage [m] (wong_reece and bekker),
/// then four arrays of `nodes`.
enum { GR_SLICE_LOAD, GR_SLICE_SINKAGE, GR_SLICE_NODES };

/// Sizes of the states of the other laws.
enum {
    GR_FRICTION_STATE = 2, ///< stretch of the stiction spring along x and y [m]
    GR_STENCIL_STATE = 10, ///< past hub and wheel displacements, their number, the step
    GR_TERRA_STATE = GR_SLICE_NODES + 4 + 2,
};

#endif
