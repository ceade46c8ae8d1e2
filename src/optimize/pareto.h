/// Dominance among points with several objectives and constraints, as the search NSGA-II (search.h) uses it.
///
/// No library: as for cmaes.h.
#ifndef GR_PARETO_H
#define GR_PARETO_H

#include <stdbool.h>

typedef struct GrParetoPoint {
    const double *values; ///< objectives first, to be minimised
    double violation;     ///< 0: feasible; ∞: worse than all
    int front;            ///< 0: not dominated; 1: dominated by front 0 alone; …
    double crowding;      ///< distance between its neighbours in its front; ∞ at the ends (Deb et al. 2002)
} GrParetoPoint;

/// Constraint domination: less violation, or feasible and better in one objective without being worse in another.
bool gr_pareto_dominates(const GrParetoPoint *a, const GrParetoPoint *b, int objective_count);

/// Fills front and crowding of points[count], and order[count]: by front, then by falling crowding.
void gr_pareto_sort(GrParetoPoint *points, int count, int objective_count, int *order);

/// Area between the points and a reference that they should dominate, for two objectives. `points` by ascending first
/// objective; points that do not dominate the reference add nothing.
double gr_pareto_hypervolume(const double *values, int stride, int count, const double reference[2]);

/// The balanced point of a front: the nearest one to the best value of every objective, each over its range on the
/// front. The first of equal ones.
int gr_pareto_balanced(const double *values, int stride, int count, int objective_count);

#endif
