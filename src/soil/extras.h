/// Resistances and lugs that can be added to any law.
#ifndef GR_EXTRAS_H
#define GR_EXTRAS_H

#include "soil_wheel.h"

/// Front bulldozing R_b [N] at sinkage z > 0 and its derivative (Bekker 1969).
double gr_front_bulldozing(const GrSoilWheel *w, double z, double *derivative);

/// Bulldozing on one full side wall at sinkage h > 0 [N] and its derivative (Hegedus 1960).
double gr_side_hegedus(const GrSoilWheel *w, double h, double *derivative);

/// The same over the wheel's own side walls, rotated by `angle`, in a passive-pressure field (LS10 eq. 3.9).
double gr_side_mesh(const GrSoilWheel *w, double h, double angle, double *derivative);

/// Area of one side below the surface [m²] and its derivative.
double gr_sunk_area(double radius, double h, double *derivative);

/// Passive force of all lugs in the soil [N], its moment arms, and derivatives by h.
typedef struct GrLugs {
    double x, z, t; ///< Σ P cos θ, Σ P sin θ, Σ P over the lugs
    double x_h, z_h, t_h;
} GrLugs;
GrLugs gr_lug_wedges(const GrSoilWheel *w, double h, double angle);

/// Adds the errors of the law that a sample of a fitted soil has: a pull and a torque in the direction in which the
/// wheel has `roll`ed, a force against the side slip, whose sine is `sine`. All grow with the force that carries the
/// wheel.
void gr_law_errors_add(const GrSoilWheel *w, double roll, double sine, GrSoilOutput *out);

/// Adds all enabled add-ons. `old` and `next` are heads of states; `steady`: no states, rolling forward.
void gr_extras_add(const GrSoilWheel *w, const GrSoilMotion *motion, double sinkage, double compaction_h, double dt,
                   bool steady, const double *old, double *next, GrSoilOutput *out);

#endif
