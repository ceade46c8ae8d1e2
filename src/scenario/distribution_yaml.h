/// Distributions in input files: {normal: {mean: 33, deviation: 2}, from: 25, to: 42}.
#ifndef GR_DISTRIBUTION_YAML_H
#define GR_DISTRIBUTION_YAML_H

#include "distribution.h"
#include "fields.h"

/// Index of the distribution that a mapping names; −1: none.
int gr_distribution_named(const GrNode *node);

/// Reads the distribution `kind` that a mapping names, with the keys from and to, and checks it. `values`: what the
/// distribution refers to, which the caller frees, also after an error. False after an error.
bool gr_distribution_read(GrNode *node, int kind, GrDistribution *out, double **values);

/// Reads a list of pairs and their correlations, [[a, b, 0.5]], into a symmetric matrix [n][n] with ones on its
/// diagonal, and factorises it as a check. `find` returns the index of a name's node; −1 after its own error.
/// `factor` may be NULL.
void gr_correlations_read(GrNode *list, int n, int (*find)(void *context, GrNode *name), void *context, double *matrix,
                          double *factor);

#endif
