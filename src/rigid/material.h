/// What a surface is made of, and what two of them do to each other.
#ifndef GR_MATERIAL_H
#define GR_MATERIAL_H

#include "grouser/scene.h"

/// What a pair of materials and radii gives to the force laws.
typedef struct GrPairMaterial {
    double hertz;       ///< k of k δ^1.5 [N/m^1.5]
    double radius;      ///< effective radius R [m]
    double restitution; ///< ζ
    double damping;     ///< d δ̇⁻: what the normal law makes of ζ; set where the law is known
    double friction;    ///< μ
    double stiction;    ///< μ_s
    double stribeck;    ///< ξ [s/m]
    double rolling;     ///< rolling coefficient
    double slip_speed;
    double rest_speed;
    double tangent;  ///< tangential over normal stiffness
    bool as_printed; ///< B23's equations as they are printed
} GrPairMaterial;

/// NULL when the material is possible, otherwise what is wrong with it.
const char *gr_material_fault(const GrMaterial *m);

/// Combines two materials and radii; `as_printed`: k after B23 eq. 3 as printed, twice the textbook value.
GrPairMaterial gr_material_pair(const GrMaterial *a, double radius_a, const GrMaterial *b, double radius_b,
                                bool as_printed);

#endif
