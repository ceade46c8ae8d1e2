/// Gradient noise on a hashed lattice: smooth, with a period far larger than any map, for any seed.
#ifndef GR_NOISE_H
#define GR_NOISE_H

#include <stdint.h>

/// Value at a point of the plane, wavelength about 1, mean 0, within ±1; twice differentiable (Perlin 2002, quintic
/// fade).
double gr_noise(uint64_t seed, double x, double y);

/// Structure function ⟨(n(p + r) − n(p))²⟩ averaged over positions and directions, on a fixed set of points, for
/// `count` lags r at once: most of its cost is the same for one and for several.
void gr_noise_structure(const double *r, int count, double *out);

#endif
