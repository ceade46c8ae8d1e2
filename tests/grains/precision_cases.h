/// Cases that two builds of the same sources compute: precision_cases.c is compiled in each.
#ifndef GR_PRECISION_CASES_H
#define GR_PRECISION_CASES_H

enum { GR_PRECISION_PLACES = 3 * 512, GR_PRECISION_CURVE = 40 };

typedef struct GrPrecision {
    double place[GR_PRECISION_PLACES]; ///< of a cloud of colliding grains after a few collisions [m]
    double length;                     ///< of its box [m]
    double energy;                     ///< of a cloud without dissipation, over the first less 1: largest in 0.02 s
    double momentum;                   ///< change over mass times speed: largest
    double force[GR_PRECISION_CURVE];  ///< on a plate that is pushed into one bed [N]
    double mean_force;                 ///< [N]
    double rest, crept; ///< of a bed: kinetic energy over weight times diameter; height lost in 0.1 s [m]
    double repeats[2];  ///< mean force in beds of two other seeds [N]
} GrPrecision;

void gr_precision_cases(GrPrecision *out);
void gr_precision_cases_double(GrPrecision *out);

#endif
