/// Search for an equilibrium of a tree under forces that depend on its pose.
#ifndef GR_EQUILIBRIUM_H
#define GR_EQUILIBRIUM_H

#include "tree.h"

/// Size of the scratch memory for gr_tree_equilibrium, in doubles.
size_t gr_tree_equilibrium_scratch(const GrTree *t);

/// Constraints and accuracy of a search for rest.
typedef struct GrRestSearch {
    unsigned held;    ///< bits of the base's degrees of freedom that are held fixed: x, y, z, about x, y, z
    double tolerance; ///< residual that ends the search
    int polishes;     ///< most steps beyond the tolerance, each of which at least halves the residual at little cost
    bool known;       ///< `scratch` has the stiffness of an equilibrium close by, from a search with the same `held`
} GrRestSearch;

typedef struct GrRest {
    int iterations;
    int evaluations; ///< of the forces
    double residual; ///< largest unbalanced force divided by the weight (moments by weight times 1 m)
} GrRest;

/// Moves `d` to an equilibrium by pseudo-transient continuation (Kelley & Keyes 1998, doi:10.1137/S0036142996304796):
/// far from the equilibrium it moves like a heavily damped body, close to it the method becomes Newton's. The stiffness
/// comes from the Jacobians of the field, as long as it has all of them and they lead on, otherwise from differences of
/// forces; between, from the steps themselves (Broyden 1965, doi:10.1090/S0025-5718-1965-0198670-6). Velocities
/// become zero and joint friction is relaxed. Joints with a speed motor keep their position, and the motor's integral
/// is set to the load that it carries.
GrStatus gr_tree_equilibrium(const GrTree *t, GrTreeData *d, const GrForceField *field, const GrRestSearch *search,
                             double *scratch, GrRest *rest);

#endif
