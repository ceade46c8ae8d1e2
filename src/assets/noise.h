/// Gradient noise on a hashed lattice: smooth, with a period far larger than any map, for any seed.
#ifndef GR_NOISE_H
#define GR_NOISE_H

#include <stdint.h>

/// Value at a point of the plane, wavelength about 1, mean 0, within ±1; twice differentiable (Perlin 2002, quintic
/// fade).
double gr_noise(uint64_t seed, double x, double y);

/// The same at several points. Neighbours in one cell of the lattice share the work for its corners, so that points in
/// a row take a third of the time.
void gr_noise_row(uint64_t seed, const double *x, const double *y, int count, double *restrict out);

/// Structure function ⟨(n(p + r) − n(p))²⟩ averaged over positions and directions, on a fixed set of points, for
/// `count` lags r at once: most of its cost is the same for one and for several.
void gr_noise_structure(const double *r, int count, double *out);

#endif
