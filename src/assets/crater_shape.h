/// Shape of a simple crater and how it ages by the creep of soil (Fassett & Thomson 2014).
#ifndef GR_CRATER_SHAPE_H
#define GR_CRATER_SHAPE_H

/// Beyond this many radii there is nothing.
#define GR_CRATER_REACH 3.0

/// Rim above floor of the polynomials, over the diameter.
#define GR_CRATER_DEPTH 0.217822

/// Height over the diameter at r radii from the centre of a fresh crater: floor, wall, rim at 0.98, ejecta to 1.5.
double gr_crater_fresh(double r);

/// Fresh depth over diameter of a crater of a diameter [m].
double gr_crater_depth_ratio(double diameter);

/// Aged shapes: heights over the diameter after a diffusion age κt / R², tabled once.
enum { GR_CRATER_AGES = 20, GR_CRATER_RADII = 193 };
typedef struct GrCraterShapes {
    double log_first, log_step;
    double z[GR_CRATER_AGES][GR_CRATER_RADII];
} GrCraterShapes;

void gr_crater_shapes_make(GrCraterShapes *shapes);
double gr_crater_aged(const GrCraterShapes *shapes, double r, double age);

#endif
