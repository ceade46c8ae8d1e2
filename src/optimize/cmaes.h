/// The core of the evolution strategy CMA-ES: sampling and adaptation of a normal distribution in unbounded space.
///
/// Equations and default parameters of N. Hansen, "The CMA Evolution Strategy: A Tutorial" (arXiv:1604.00772, 2016),
/// with its negative weights. cmaes_search.c adds bounds, constraints, integers, noise and restarts.
///
/// No library: NLopt has no CMA-ES. Debian's pagmo is C++ with Boost, Eigen and TBB, and calls the problem from threads
/// of its own, so that a study could not keep, repeat and resume the evaluations.
#ifndef GR_CMAES_H
#define GR_CMAES_H

#include "random.h"

#include <stdbool.h>

typedef struct GrCmaes {
    int n, lambda, mu;
    double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi; ///< parameters of the tutorial's table 1
    double *weights;                                      ///< [lambda] those from mu on are not positive
    double sigma;
    double *mean;          ///< [n]
    double *p_sigma, *p_c; ///< [n] evolution paths
    double *c;             ///< [n][n] covariance
    double *b, *d;         ///< c = b d² bᵀ
    double *least;         ///< [n] lower bound of a coordinate's standard deviation; 0: none
    double *steps;         ///< [lambda][n] (sample − mean) / sigma without the extra steps
    double *extras;        ///< [lambda][n] steps that make up for `least`; they move the mean but not the covariance
    double *scratch;       ///< [n][n] and 3 [n]
    int generation, decomposed_at;
    bool is_degenerate; ///< condition of c above 1e14, or a number that is not finite
    GrRandom random;
    void *memory;
} GrCmaes;

/// Default population size: 4 + ⌊3 ln n⌋.
int gr_cmaes_population(int n);

/// `scale`: initial standard deviations. False when out of memory.
bool gr_cmaes_begin(GrCmaes *es, int n, int lambda, const double *mean, const double *scale);
void gr_cmaes_end(GrCmaes *es);

/// Draws samples[lambda][n].
void gr_cmaes_sample(GrCmaes *es, double *samples);

/// Learns from the last samples; order[lambda]: their indices from the best to the worst.
void gr_cmaes_update(GrCmaes *es, const int *order);

/// Standard deviation of a coordinate, without its lower bound.
double gr_cmaes_deviation(const GrCmaes *es, int i);

// Eigenvalues and eigenvectors of symmetric matrices.

/// a (row-major n x n, symmetric) = b diag(d) bᵀ with orthonormal columns of b, by Jacobi's rotations: small
/// eigenvalues of a positive definite matrix keep their relative accuracy (Demmel & Veselić 1992). Destroys a.
void gr_eigen_symmetric(int n, double *a, double *b, double *d);

#endif
