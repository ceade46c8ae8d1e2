/// Shape of a simple crater and its ageing by soil creep (Fassett & Thomson 2014).
#ifndef GR_CRATER_SHAPE_H
#define GR_CRATER_SHAPE_H

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

#endif
