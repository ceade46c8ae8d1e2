/// A field of craters: their number by size, positions and ages.
#ifndef GR_CRATERS_H
#define GR_CRATERS_H

#include "grouser/terrain.h"

typedef struct GrCrater {
    double x, y, diameter; ///< [m]
    double age;            ///< diffusion age κt / R²
    double scale;          ///< factor from the tabulated shape to heights [m]
} GrCrater;

/// Number of craters of diameter d and more per square metre: coefficient d^−exponent, piecewise in the diameter.
typedef struct GrCraterLaw {
    const char *name;
    int pieces;
    double from[2]; ///< diameter where a piece begins [m]
    double coefficient[2], exponent[2];
} GrCraterLaw;

/// moon: 0.029174 d^−1.92 to 80 m, 0.156228 d^−2.389 above; trask: equilibrium 10^−1.1 d^−2. NULL: unknown name.
const GrCraterLaw *gr_crater_law(const char *name);

/// Craters of `diameter` and more per square metre.
double gr_crater_law_count(const GrCraterLaw *law, double diameter);

typedef struct GrCraterFieldDef {
    const GrCraterLaw *law;
    double density;      ///< factor on the number from the law
    double lower, upper; ///< diameters [m]
    double kt;           ///< age of the ground: diffusivity times time [m²]
    GrBox2 box;          ///< box of the centres
    uint64_t seed;
} GrCraterFieldDef;

/// Draws craters; their number is Poisson-distributed. Free with gr_free().
GrStatus gr_craters_sow(const GrCraterFieldDef *def, GrCrater **out, int *count, GrErrorLog *log);

#endif
