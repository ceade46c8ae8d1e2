#include "crater_shape.h"

#include "elementary.h"

#include <math.h>
#include <string.h>

enum { SUBSTEPS_SAFETY = 5 };

#define RADIUS_STEP (GR_CRATER_REACH / (GR_CRATER_RADII - 1))
#define YOUNGEST    1e-4
#define OLDEST      2.0

double gr_crater_fresh(double r)
{
    if (r >= 1.5) {
        return 0;
    }
    if (r <= 0.98) {
        const double wall = -0.228809953 + r * (0.227533882 + r * (0.083116795 - r * 0.039499407));
        // The floor begins where the wall reaches its depth. At r = 0.2, as printed, there would be a step.
        return fmax(-0.181, wall);
    }
    return fmax(0, 0.188253307 + r * (-0.187050452 + r * (0.01844746 + r * 0.01505647)));
}

double gr_crater_depth_ratio(double diameter)
{
    static const double TABLE[][2] = {{10, 0.11}, {40, 0.13}, {100, 0.15}, {200, 0.17}, {400, 0.21}};
    enum { COUNT = sizeof TABLE / sizeof TABLE[0] };
    if (diameter < TABLE[0][0]) {
        return 0.10;
    }
    for (int k = 1; k < COUNT; k++) {
        if (diameter < TABLE[k][0]) {
            const double t = (diameter - TABLE[k - 1][0]) / (TABLE[k][0] - TABLE[k - 1][0]);
            return TABLE[k - 1][1] + t * (TABLE[k][1] - TABLE[k - 1][1]);
        }
    }
    return TABLE[COUNT - 1][1];
}

/// One explicit step of ∂z/∂t = ∂²z/∂r² + (1/r) ∂z/∂r; at r = 0 the right-hand side is 2 ∂²z/∂r². The ground is flat
/// far away.
static void diffuse(double *z, double *next, double dt)
{
    const double per_square = 1 / (RADIUS_STEP * RADIUS_STEP);
    next[0] = z[0] + dt * 4 * (z[1] - z[0]) * per_square;
    for (int k = 1; k + 1 < GR_CRATER_RADII; k++) {
        const double second = (z[k + 1] - 2 * z[k] + z[k - 1]) * per_square;
        const double first = (z[k + 1] - z[k - 1]) / (2 * RADIUS_STEP);
        next[k] = z[k] + dt * (second + first / (k * RADIUS_STEP));
    }
    next[GR_CRATER_RADII - 1] = 0;
    memcpy(z, next, GR_CRATER_RADII * sizeof *z);
}

void gr_crater_shapes_make(GrCraterShapes *shapes)
{
    shapes->log_first = gr_log(YOUNGEST);
    shapes->log_step = (gr_log(OLDEST) - gr_log(YOUNGEST)) / (GR_CRATER_AGES - 1);
    double z[GR_CRATER_RADII], next[GR_CRATER_RADII];
    for (int k = 0; k < GR_CRATER_RADII; k++) {
        z[k] = gr_crater_fresh(k * RADIUS_STEP);
    }
    double age = 0;
    const double largest = RADIUS_STEP * RADIUS_STEP / SUBSTEPS_SAFETY;
    for (int n = 0; n < GR_CRATER_AGES; n++) {
        const double until = gr_exp(shapes->log_first + n * shapes->log_step);
        const int steps = (int)ceil((until - age) / largest);
        for (int k = 0; k < steps; k++) {
            diffuse(z, next, (until - age) / steps);
        }
        age = until;
        memcpy(shapes->z[n], z, sizeof z);
    }
}

/// A place between tabulated radii.
typedef struct Place {
    int k;    ///< radius below it
    double u; ///< from there to the next, 0 … 1
} Place;

static Place find_place(double r)
{
    const double t = r / RADIUS_STEP;
    const int k = (int)t;
    return (Place){k, t - k};
}

/// Cubic through the tabulated radii (Catmull-Rom), symmetric about the centre.
static double look_up(const double *z, Place p)
{
    const int k = p.k;
    if (k + 2 >= GR_CRATER_RADII) {
        return 0;
    }
    const double u = p.u, before = z[k > 0 ? k - 1 : 1];
    const double slope0 = 0.5 * (z[k + 1] - before), slope1 = 0.5 * (z[k + 2] - z[k]);
    const double rise = z[k + 1] - z[k];
    return z[k] + u * (slope0 + u * (3 * rise - 2 * slope0 - slope1 + u * (slope0 + slope1 - 2 * rise)));
}

GrCraterAge gr_crater_age(const GrCraterShapes *shapes, double age)
{
    if (age < YOUNGEST) {
        return (GrCraterAge){age, -1, age / YOUNGEST};
    }
    const double t = (gr_log(age) - shapes->log_first) / shapes->log_step;
    if (t >= GR_CRATER_AGES - 1) {
        return (GrCraterAge){age, GR_CRATER_AGES - 1, 0};
    }
    const int n = (int)t;
    return (GrCraterAge){age, n, t - n};
}

double gr_crater_aged(const GrCraterShapes *shapes, double r, const GrCraterAge *age)
{
    if (r >= GR_CRATER_REACH) {
        return 0;
    }
    const Place p = find_place(r);
    const int n = age->table;
    const double t = age->share;
    if (n < 0) {
        return t > 0 ? (1 - t) * gr_crater_fresh(r) + t * look_up(shapes->z[0], p) : gr_crater_fresh(r);
    }
    if (n == GR_CRATER_AGES - 1) {
        // Far older than the oldest table: the remaining relief fades inversely with age.
        return look_up(shapes->z[n], p) * OLDEST / age->age;
    }
    return (1 - t) * look_up(shapes->z[n], p) + t * look_up(shapes->z[n + 1], p);
}
