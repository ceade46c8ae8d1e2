/// Terms made from noise: self-affine roughness, ripples and dunes.
#include "elementary.h"

#include "alloc.h"
#include "noise.h"
#include "random.h"
#include "term.h"

#include <math.h>

// ---- roughness: the RMS difference of heights at a lag L is rms (L / lag)^hurst

/// Ratio of neighbouring wavelengths. At 2 the law deviates in waves of some percent.
#define LACUNARITY 1.5

enum { MOST_OCTAVES = 48 };

static const GrTermParameter FRACTAL[] = {
    {"hurst", 0.8, 0.05, 0.99, "Hurst exponent: 0.95 lunar highland, 0.76 mare, 0.5 to 0.7 at centimetres"},
    {"rms_m", 0.02, 0, 1e4, "RMS difference of heights one lag apart"},
    {"lag_m", 1, 1e-4, 1e5, "the lag"},
    {"largest_m", 0, 0, 1e7, "largest wavelength; 0: the map's longer side, and a tilt for all beyond"},
    {"smallest_m", 0.05, 1e-4, 1e5, "smallest wavelength"},
};

typedef struct Octave {
    uint64_t seed;
    double amplitude;
    double c, s;   ///< rotation over wavelength
    double ox, oy; ///< offset
} Octave;

typedef struct Fractal {
    double tilt_x, tilt_y; ///< slope that replaces the wavelengths beyond the largest
    int count;
    Octave octaves[MOST_OCTAVES];
} Fractal;

/// Contribution to (rms slope)² of the waves λ = largest · LACUNARITY^k, k ≥ 1, of which the map is so small a part
/// that they appear as a tilt. S(r) tends to s r² for small r, so that wave k gives a² λ^(2 hurst) s (L / λ)²: a
/// geometric series, times L². With a high Hurst exponent most of the roughness at any lag comes from these; without
/// them the result deviates from the law.
static double tilt_square(double hurst, double largest, double s)
{
    const double ratio = gr_pow(LACUNARITY, 2 * hurst - 2);
    return s * gr_pow(largest, 2 * hurst - 2) * ratio / (1 - ratio);
}

/// Amplitudes a λ^hurst; `a` such that Σ amplitude² S(lag / λ) = rms², S the structure function of the noise.
static GrStatus prepare_fractal(const GrTermInput *input, void **state, GrErrorLog *log)
{
    const double *v = input->values;
    const double hurst = v[0], rms = v[1], lag = v[2];
    const double side = fmax(input->box.x_upper - input->box.x_lower, input->box.y_upper - input->box.y_lower);
    const double largest = v[3] > 0 ? v[3] : side, smallest = fmin(v[4], largest);
    const int octaves = 1 + (int)(gr_log2(largest / smallest) / gr_log2(LACUNARITY));
    if (octaves > MOST_OCTAVES) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "fractal"},
                            "wavelengths from %g to %g m need more than %d octaves", largest, smallest, MOST_OCTAVES);
    }
    Fractal *fractal = gr_calloc(1, sizeof *fractal);
    if (fractal == NULL) {
        return GR_ERROR_MEMORY;
    }
    // structure function of the noise at the lag of every octave, and last at a small one
    const double small = 0.02;
    double lags[MOST_OCTAVES + 1], structure[MOST_OCTAVES + 1];
    for (int k = 0; k < octaves; k++) {
        lags[k] = lag / (largest * gr_pow(LACUNARITY, -k));
    }
    lags[octaves] = small;
    gr_noise_structure(lags, octaves + 1, structure);
    GrRandom random = gr_random_stream(input->seed, "octaves");
    // Its magnitude is fixed and its direction random, so that the mean over lags along x and y is as requested.
    const double tilt = v[3] > 0 ? 0 : sqrt(2 * tilt_square(hurst, largest, structure[octaves] / (small * small)));
    const double toward = 6.283185307179586 * gr_random_unit(&random);
    double square = 0.5 * tilt * tilt * lag * lag;
    for (int k = 0; k < octaves; k++) {
        const double length = largest * gr_pow(LACUNARITY, -k);
        Octave *octave = &fractal->octaves[fractal->count++];
        const double angle = 6.283185307179586 * gr_random_unit(&random);
        *octave = (Octave){.seed = gr_random_u64(&random),
                           .amplitude = gr_pow(length, hurst),
                           .c = gr_cos(angle) / length,
                           .s = gr_sin(angle) / length,
                           .ox = 1000 * gr_random_unit(&random),
                           .oy = 1000 * gr_random_unit(&random)};
        square += octave->amplitude * octave->amplitude * structure[k];
    }
    const double scale = square > 0 ? rms / sqrt(square) : 0;
    for (int k = 0; k < fractal->count; k++) {
        fractal->octaves[k].amplitude *= scale;
    }
    fractal->tilt_x = scale * tilt * gr_cos(toward);
    fractal->tilt_y = scale * tilt * gr_sin(toward);
    *state = fractal;
    return GR_OK;
}

static double fractal_height(const void *state, double x, double y)
{
    const Fractal *fractal = state;
    double sum = fractal->tilt_x * x + fractal->tilt_y * y;
    for (int k = 0; k < fractal->count; k++) {
        const Octave *o = &fractal->octaves[k];
        sum += o->amplitude * gr_noise(o->seed, o->c * x - o->s * y + o->ox, o->s * x + o->c * y + o->oy);
    }
    return sum;
}

/// Octave by octave.
static void row(const void *state, const double *x, int count, double y, double *out)
{
    const Fractal *fractal = state;
    double u[GR_TERM_ROW], v[GR_TERM_ROW], noise[GR_TERM_ROW];
    for (int i = 0; i < count; i++) {
        out[i] = fractal->tilt_x * x[i] + fractal->tilt_y * y;
    }
    for (int k = 0; k < fractal->count; k++) {
        const Octave *o = &fractal->octaves[k];
        for (int i = 0; i < count; i++) {
            u[i] = o->c * x[i] - o->s * y + o->ox;
            v[i] = o->s * x[i] + o->c * y + o->oy;
        }
        gr_noise_row(o->seed, u, v, count, noise);
        for (int i = 0; i < count; i++) {
            out[i] += o->amplitude * noise[i];
        }
    }
}

const GrTerm gr_term_fractal = {
    .info = {"fractal", "self-affine roughness", FRACTAL, GR_TERM_COUNT(FRACTAL)},
    .prepare = prepare_fractal,
    .height = fractal_height,
    .row = row,
};

// ---- ripples and dunes: a gentle stoss side, a steep lee side, wavy crests

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

static GrStatus prepare_ripples(const GrTermInput *input, void **state, GrErrorLog *log)
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
static double ripples_height(const void *state, double x, double y)
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
    .prepare = prepare_ripples,
    .height = ripples_height,
};
