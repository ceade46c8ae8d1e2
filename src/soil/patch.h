/// One patch of soil under one slice of a wheel: the functions of the laws, and their common parts.
///
/// A law is one function `gr_patch_<name>` in one file, with its descriptor (law.h). It treats the slice as a separate
/// wheel (y = 0) without add-ons or damping; evaluate.c adds those.
#ifndef GR_PATCH_H
#define GR_PATCH_H

#include "grouser/soil_law.h"
#include "soil_wheel.h"

/// One prototype per law; `old` and `next` have slice_state doubles each.
#define GR_LAW_PROTOTYPE(id, name)                                                                                     \
    void gr_patch_##name(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out);
GR_SOIL_PATCH_LAW_LIST(GR_LAW_PROTOTYPE)
#undef GR_LAW_PROTOTYPE
void gr_patch_user(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out);

/// The contact arc and its derivatives by h (suffix _h).
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

/// State of a stress law's slice: the load under which the shear was mobilised, the sinkage [m] (wong_reece and
/// bekker), then four arrays of `nodes`.
enum { GR_SLICE_LOAD, GR_SLICE_SINKAGE, GR_SLICE_NODES };

/// Sizes of the states of the other laws.
enum {
    GR_FRICTION_STATE = 2, ///< stretch of the stiction spring along x and y [m]
    GR_STENCIL_STATE = 10, ///< past hub and wheel displacements, their number, the step
    GR_TERRA_STATE = GR_SLICE_NODES + 4 + 2,
};

#endif
