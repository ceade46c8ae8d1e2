/// A field of craters: how many of which size, where, how old.
#ifndef GR_CRATERS_H
#define GR_CRATERS_H

#include "grouser/terrain.h"

typedef struct GrCrater {
    double x, y, diameter; ///< [m]
    double age;            ///< diffusion age κt / R²
    double scale;          ///< height over the tabled shape [m]
} GrCrater;

/// Craters of d and more per square metre: coefficient d^−exponent, in pieces of the diameter.
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
    double density;      ///< times the law's number
    double lower, upper; ///< diameters [m]
    double kt;           ///< age of the ground: diffusivity times time [m²]
    GrBox2 box;          ///< where centres lie
    uint64_t seed;
} GrCraterFieldDef;

/// Draws craters; their number is Poisson's. Free with free().
GrStatus gr_craters_sow(const GrCraterFieldDef *def, GrCrater **out, int *count, GrErrorLog *log);

#endif
