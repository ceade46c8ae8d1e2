/// Eigenvalues and eigenvectors of symmetric matrices.
#ifndef GR_EIGEN_H
#define GR_EIGEN_H

/// a (row-major n x n, symmetric) = b diag(d) bᵀ with orthonormal columns of b, by Jacobi's rotations: small
/// eigenvalues of a positive definite matrix keep their relative accuracy (Demmel & Veselić 1992). Destroys a.
void gr_eigen_symmetric(int n, double *a, double *b, double *d);

#endif
