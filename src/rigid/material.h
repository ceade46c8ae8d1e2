/// What a surface is made of, and what two of them do to each other.
#ifndef GR_MATERIAL_H
#define GR_MATERIAL_H

#include <stdbool.h>

/// One surface. Start from gr_default_material().
typedef struct GrMaterial {
    double young;             ///< modulus of elasticity [Pa] > 0; default 1e7
    double poisson;           ///< [0, 0.5]; default 0.3
    double restitution;       ///< ζ of the damping law, (0, 1]; default 0.5
    double friction;          ///< Coulomb coefficient μ ≥ 0; default 0.6
    double static_friction;   ///< μ_s ≥ μ, Bengisu-Akay only; 0: same as μ
    double stribeck;          ///< ξ: decay from μ_s to μ with sliding speed, Bengisu-Akay only [s/m]; default 10
    double rolling_friction;  ///< rolling moment over (normal force × radius); default 0
    double slip_speed;        ///< v_d of the regularised laws [m/s] > 0; default 1e-3
    double rest_speed;        ///< impacts slower than this are damped as if they had this speed [m/s]; default 0.02
    double tangent_stiffness; ///< tangential over normal stiffness; 0: Mindlin's 2 (1 − ν)/(2 − ν)
} GrMaterial;

/// What a pair of materials and radii gives to the force laws.
typedef struct GrPairMaterial {
    double hertz;    ///< k of k δ^1.5 [N/m^1.5]
    double radius;   ///< effective radius R [m]
    double damping;  ///< d δ̇⁻ = 8 (1 − ζ)/(5 ζ)
    double friction; ///< μ
    double stiction; ///< μ_s
    double stribeck; ///< ξ [s/m]
    double rolling;  ///< rolling coefficient
    double slip_speed;
    double rest_speed;
    double tangent;  ///< tangential over normal stiffness
    bool as_printed; ///< B23's equations as they are printed
} GrPairMaterial;

GrMaterial gr_default_material(void);

/// NULL when the material is possible, otherwise what is wrong with it.
const char *gr_material_fault(const GrMaterial *m);

/// Combines two materials and radii; `as_printed`: k after B23 eq. 3 as printed, twice the textbook value.
GrPairMaterial gr_material_pair(const GrMaterial *a, double radius_a, const GrMaterial *b, double radius_b,
                                bool as_printed);

#endif
