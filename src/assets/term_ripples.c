/// Ripples and dunes: a gentle stoss side, a steep lee side, wavy crests.
#include "alloc.h"
#include "elementary.h"
#include "noise.h"
#include "term.h"

#include <math.h>

static const GrTermParameter RIPPLES[] = {
    {"wavelength_m", 2, 1e-3, 1e5, "from crest to crest"},
    {"height_m", 0.1, 0, 1e3, "from trough to crest"},
    {"toward_deg", 0, -360, 360, "direction of the wind, 0: east, 90: north"},
    {"stoss_share", 0.7, 0.05, 0.95, "share of the wavelength on the stoss side; 0.5: even"},
    {"wander", 0.3, 0, 2, "deviation of crests from a straight line, in wavelengths"},
};

typedef struct Ripples {
    double ux, uy, per_length, amplitude, stoss, wander;
    uint64_t seed;
} Ripples;

static GrStatus prepare(const GrTermInput *input, void **state, GrErrorLog *log)
{
    (void)log;
    const double *v = input->values;
    Ripples *ripples = gr_malloc(sizeof *ripples);
    if (ripples == NULL) {
        return GR_ERROR_MEMORY;
    }
    *ripples =
        (Ripples){gr_cos(v[2] * GR_DEGREE), gr_sin(v[2] * GR_DEGREE), 1 / v[0], 0.5 * v[1], v[3], v[4], input->seed};
    *state = ripples;
    return GR_OK;
}

/// Two halves of a cosine, of unequal length, joined at crest and trough: C1, mean 0.
static double height(const void *state, double x, double y)
{
    const Ripples *r = state;
    const double u = (r->ux * x + r->uy * y) * r->per_length, v = (r->ux * y - r->uy * x) * r->per_length;
    // Crests bend over some wavelengths and end where the noise shears them.
    const double phase =
        u + r->wander * (gr_noise(r->seed, 0.25 * u, 0.25 * v) + 0.5 * gr_noise(r->seed + 1, 0.6 * u, 0.6 * v));
    const double t = phase - floor(phase);
    return t < r->stoss ? -r->amplitude * gr_cos(GR_PI * t / r->stoss)
                        : r->amplitude * gr_cos(GR_PI * (t - r->stoss) / (1 - r->stoss));
}

const GrTerm gr_term_ripples = {
    .info = {"ripples", "ripples or dunes", RIPPLES, GR_TERM_COUNT(RIPPLES)},
    .prepare = prepare,
    .height = height,
};
