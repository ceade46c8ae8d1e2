/// Kriging: a Gaussian process with a plane as its mean and a Matérn covariance of smoothness 3/2 (O23 3.2),
/// with a share of smoothness 1/2.
#ifndef GR_KRIGE_H
#define GR_KRIGE_H

#include "grouser/status.h"

typedef struct GrKrige {
    int count;
    double *x, *y, *weight; ///< [count] samples and K⁻¹ (z − mean)
    double x0, y0;          ///< centre of the samples
    double plane[3];        ///< mean: plane[0] + plane[1] (x − x0) + plane[2] (y − y0)
    double length;          ///< of the covariance
} GrKrige;

/// Fits plane, length and weights to samples, which are copied. `spacing` is the distance of neighbouring cells.
GrStatus gr_krige_fit(GrKrige *krige, const double *x, const double *y, const double *z, int count, double spacing);
double gr_krige_at(const GrKrige *krige, double x, double y);
void gr_krige_free(GrKrige *krige);

#endif
