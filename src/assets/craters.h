/// Craters: the shape of one and its ageing by soil creep (Fassett & Thomson 2014), and fields of them by size.
#ifndef GR_CRATERS_H
#define GR_CRATERS_H

#include "grouser/terrain.h"

/// Beyond this many radii the height is 0.
#define GR_CRATER_REACH 3.0

/// Height of the rim above the floor of the polynomials, divided by the diameter.
#define GR_CRATER_DEPTH 0.217822

/// Height of a fresh crater at r radii from its centre, divided by the diameter: floor, wall, rim at 0.98, ejecta to
/// 1.5.
double gr_crater_fresh(double r);

/// Ratio of depth to diameter of a fresh crater of a given diameter [m].
double gr_crater_depth_ratio(double diameter);

/// Aged shapes: heights divided by the diameter after a diffusion age κt / R², tabulated once.
enum { GR_CRATER_AGES = 20, GR_CRATER_RADII = 193 };
typedef struct GrCraterShapes {
    double log_first, log_step;
    double z[GR_CRATER_AGES][GR_CRATER_RADII];
} GrCraterShapes;

void gr_crater_shapes_make(GrCraterShapes *shapes);

/// An age among the tabulated ones: finding it takes a logarithm, which all points of a crater share.
typedef struct GrCraterAge {
    double age;
    int table;    ///< the last one that is younger; −1: none
    double share; ///< of the way from there to the next one
} GrCraterAge;

GrCraterAge gr_crater_age(const GrCraterShapes *shapes, double age);
double gr_crater_aged(const GrCraterShapes *shapes, double r, const GrCraterAge *age);

// A field of craters: their number by size, positions and ages.

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
