/// Where a tree rests, given forces that depend on pose.
#ifndef GR_EQUILIBRIUM_H
#define GR_EQUILIBRIUM_H

#include "tree.h"

/// Scratch that gr_tree_equilibrium needs, in doubles.
size_t gr_tree_equilibrium_scratch(const GrTree *t);

/// What a search for rest leaves alone, and how far it goes.
typedef struct GrRestSearch {
    unsigned held;    ///< bits of the base's degrees of freedom that something holds: x, y, z, about x, y, z
    double tolerance; ///< residual that ends the search
} GrRestSearch;

typedef struct GrRest {
    int iterations;
    double residual; ///< largest unbalanced force over the weight (moments over weight times 1 m)
} GrRest;

/// Moves `d` to an equilibrium by pseudo-transient continuation (Kelley & Keyes 1998, doi:10.1137/S0036142996304796):
/// far away it falls like a body in honey, near the end it is Newton's method. Velocities become zero, joint friction
/// relaxed; joints with a speed motor stay where they are, and its integral starts with the load that it holds.
GrStatus gr_tree_equilibrium(const GrTree *t, GrTreeData *d, const GrForceField *field, const GrRestSearch *search,
                             double *scratch, GrRest *rest);

#endif
