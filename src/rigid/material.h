/// Materials of surfaces, and the contact parameters of pairs of them.
#ifndef GR_MATERIAL_H
#define GR_MATERIAL_H

#include "grouser/scene.h"

#include <math.h>
#include <stddef.h>

struct GrContactLawRow;
struct GrFrictionLawRow;

/// Parameters of the force laws for a pair of materials and radii.
typedef struct GrPairMaterial {
    double hertz;       ///< k of k δ^1.5 [N/m^1.5]
    double radius;      ///< effective radius R [m]
    double restitution; ///< ζ
    double damping;     ///< d δ̇⁻: derived from ζ by the normal law; set with the law
    double friction;    ///< μ
    double stiction;    ///< μ_s
    double stribeck;    ///< ξ [s/m]
    double rolling;     ///< rolling coefficient
    double slip_speed;
    double rest_speed;
    double tangent;                       ///< ratio of tangential to normal stiffness
    double spring, dashpot;               ///< of a linear law [N/m, N s/m]
    double magic_b, magic_c, magic_e;     ///< of the magic formula
    const struct GrContactLawRow *normal; ///< laws of the pair; set by gr_pair_set_laws()
    const struct GrFrictionLawRow *tangential;
    bool linear;     ///< the normal law is k δ + c δ̇
    bool as_printed; ///< B23's equations as they are printed
} GrPairMaterial;

/// Parameters of materials and pairs, in the order of gr_material_params.
typedef enum GrMaterialParam {
    GR_MATERIAL_YOUNG,
    GR_MATERIAL_POISSON,
    GR_MATERIAL_RESTITUTION,
    GR_MATERIAL_REST_SPEED,
    GR_MATERIAL_SPRING,
    GR_MATERIAL_DASHPOT,
    GR_MATERIAL_FRICTION,
    GR_MATERIAL_STATIC_FRICTION,
    GR_MATERIAL_STRIBECK,
    GR_MATERIAL_SLIP_SPEED,
    GR_MATERIAL_TANGENT_STIFFNESS,
    GR_MATERIAL_MAGIC_B,
    GR_MATERIAL_MAGIC_C,
    GR_MATERIAL_MAGIC_E,
    GR_MATERIAL_ROLLING_FRICTION,
    GR_MATERIAL_PARAM_COUNT
} GrMaterialParam;

/// A row of the table that files, checks, lists and docs use.
typedef struct GrMaterialParamRow {
    const char *key;  ///< in files, with its unit
    const char *unit; ///< "1": none
    const char *text;
    size_t in_material;  ///< offset in GrMaterial
    size_t in_pair;      ///< offset in GrPairMaterial; SIZE_MAX: not a parameter of pairs, only of materials
    double lower, upper; ///< allowed
    bool lower_open;     ///< the lower end itself is not allowed
} GrMaterialParamRow;

extern const GrMaterialParamRow gr_material_params[GR_MATERIAL_PARAM_COUNT];

static inline double *gr_material_value(GrMaterial *m, GrMaterialParam param)
{
    return (double *)(void *)((char *)m + gr_material_params[param].in_material);
}

/// Returns whether the material is valid; otherwise writes what is wrong.
bool gr_material_check(const GrMaterial *m, char *out, size_t size);

/// Combines two materials and radii; `as_printed`: k after B23 eq. 3 as printed, twice the textbook value.
GrPairMaterial gr_material_pair(const GrMaterial *a, double radius_a, const GrMaterial *b, double radius_b,
                                bool as_printed);

/// Overrides the parameters of a pair by those of `values` that are not NAN. Friction that is given without static
/// friction counts for both.
void gr_pair_override(GrPairMaterial *pair, const GrMaterial *values);

/// Elastic force of a contact and its derivatives.
static inline double gr_pair_elastic(const GrPairMaterial *pair, double depth)
{
    return pair->linear ? pair->spring * depth : pair->hertz * depth * sqrt(depth);
}

static inline double gr_pair_stiffness(const GrPairMaterial *pair, double depth)
{
    return pair->linear ? pair->spring : 1.5 * pair->hertz * sqrt(depth);
}

static inline double gr_pair_stiffness_ddepth(const GrPairMaterial *pair, double depth)
{
    return pair->linear ? 0 : 0.75 * pair->hertz / sqrt(depth);
}

/// Parameters for one of several points that share a contact.
static inline GrPairMaterial gr_pair_share(const GrPairMaterial *pair, double weight)
{
    GrPairMaterial part = *pair;
    part.hertz *= weight;
    part.spring *= weight;
    part.dashpot *= weight;
    return part;
}

#endif
