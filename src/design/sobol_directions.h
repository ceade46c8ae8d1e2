/// Direction numbers of Sobol' sequences: one primitive polynomial over GF(2) and its initial numbers per dimension.
#ifndef GR_SOBOL_DIRECTIONS_H
#define GR_SOBOL_DIRECTIONS_H

#include "sobol_points.h"

enum { GR_SOBOL_DEGREE = 11 }; // largest degree in the table

typedef struct GrSobolDirection {
    uint16_t polynomial; ///< bit i: coefficient of x^i; 1 for the first dimension, which has no recurrence
    uint16_t initial[GR_SOBOL_DEGREE]; ///< m_1 ... m_degree, odd, m_k < 2^k
} GrSobolDirection;

extern const GrSobolDirection gr_sobol_directions[GR_SOBOL_DIMENSIONS];

#endif
