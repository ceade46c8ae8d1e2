#include "krige.h"

#include "alloc.h"
#include "elementary.h"
#include "lapack_api.h"

#include <math.h>
#include <string.h>

/// Fraction of the variance; keeps the matrix positive definite and represents the noise of a stereo map.
#define NUGGET 1e-6

/// w, the rough share of the covariance.
#define ROUGH_SHARE 0.2

enum { LENGTH_TRIALS = 7, TRIAL_SAMPLES = 400 };

/// hypot() without protection against overflow, five times as fast.
static double between(double dx, double dy)
{
    return sqrt(dx * dx + dy * dy);
}

/// k(r) = (1 − w) (1 + √3 r/l) exp(−√3 r/l) + w exp(−r/l): the Matérn covariance of smoothness 3/2 and a share of that
/// of smoothness 1/2. The first alone extrapolates the slopes of the rim far into a wide hole, which ground with a
/// Hurst exponent below 1 does not follow: in 150 holes of 60 x 60 cells the worst error was 1.4 times that of
/// inverse-distance weighting, and 1.0 times with the share. Choosing the share by likelihood was worse: the likelihood
/// sees near neighbours, not the hole.
static double covariance(double distance, double length)
{
    const double t = distance / length, s = 1.7320508075688772 * t;
    return (1 - ROUGH_SHARE) * (1 + s) * gr_exp(-s) + ROUGH_SHARE * gr_exp(-t);
}

/// Least-squares plane by its normal equations about the centre; flat where the samples do not span one.
static void fit_plane(GrKrige *k, const double *z)
{
    double mz = 0, sxx = 0, sxy = 0, syy = 0, sxz = 0, syz = 0;
    k->x0 = k->y0 = 0;
    for (int n = 0; n < k->count; n++) {
        k->x0 += k->x[n] / k->count;
        k->y0 += k->y[n] / k->count;
    }
    for (int n = 0; n < k->count; n++) {
        mz += (z[n] - z[0]) / k->count;
    }
    mz += z[0];
    for (int n = 0; n < k->count; n++) {
        const double dx = k->x[n] - k->x0, dy = k->y[n] - k->y0, dz = z[n] - mz;
        sxx += dx * dx;
        sxy += dx * dy;
        syy += dy * dy;
        sxz += dx * dz;
        syz += dy * dz;
    }
    const double determinant = sxx * syy - sxy * sxy;
    const bool spans = determinant > 1e-9 * (sxx + syy) * (sxx + syy);
    k->plane[0] = mz;
    k->plane[1] = spans ? (syy * sxz - sxy * syz) / determinant : 0;
    k->plane[2] = spans ? (sxx * syz - sxy * sxz) / determinant : 0;
}

static double mean_at(const GrKrige *k, double x, double y)
{
    return k->plane[0] + k->plane[1] * (x - k->x0) + k->plane[2] * (y - k->y0);
}

/// Cholesky of the covariance of every `stride`-th sample and K⁻¹ r into `weight`; log |K| and rᵀ K⁻¹ r for the
/// likelihood. `matrix` is scratch memory.
static bool solve(const GrKrige *k, const double *residual, int stride, double length, double *matrix, double *weight,
                  double *log_determinant, double *quadratic)
{
    const int n = (k->count + stride - 1) / stride;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b <= a; b++) {
            const double distance = between(k->x[a * stride] - k->x[b * stride], k->y[a * stride] - k->y[b * stride]);
            matrix[(size_t)a * (size_t)n + (size_t)b] = covariance(distance, length) + (a == b ? NUGGET : 0);
        }
        weight[a] = residual[a * stride];
    }
    if (gr_lapack.dpotrf(LAPACK_ROW_MAJOR, 'L', n, matrix, n) != 0 ||
        gr_lapack.dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, matrix, n, weight, 1) != 0) {
        return false;
    }
    *log_determinant = *quadratic = 0;
    for (int a = 0; a < n; a++) {
        *log_determinant += 2 * gr_log(matrix[(size_t)a * (size_t)n + (size_t)a]);
        *quadratic += weight[a] * residual[a * stride];
    }
    return true;
}

/// The length with the largest likelihood, with the variance profiled out: minimise n log(rᵀK⁻¹r / n) + log |K|.
static double choose_length(const GrKrige *k, const double *residual, double spacing, double *matrix, double *weight)
{
    const int stride = (k->count + TRIAL_SAMPLES - 1) / TRIAL_SAMPLES;
    const int n = (k->count + stride - 1) / stride;
    double best = INFINITY, chosen = 8 * spacing;
    for (int trial = 0; trial < LENGTH_TRIALS; trial++) {
        const double length = ldexp(4 * spacing, trial);
        double log_determinant, quadratic;
        if (!solve(k, residual, stride, length, matrix, weight, &log_determinant, &quadratic)) {
            continue;
        }
        const double score = n * gr_log(fmax(quadratic / n, 1e-300)) + log_determinant;
        if (score < best) {
            best = score;
            chosen = length;
        }
    }
    return chosen;
}

void gr_krige_free(GrKrige *k)
{
    gr_free(k->x);
    gr_free(k->y);
    gr_free(k->weight);
    *k = (GrKrige){0};
}

GrStatus gr_krige_fit(GrKrige *k, const double *x, const double *y, const double *z, int count, double spacing)
{
    *k = (GrKrige){.count = count};
    if (gr_lapack_start(NULL) != GR_OK) {
        return GR_ERROR_UNSUPPORTED;
    }
    const size_t bytes = (size_t)count * sizeof(double);
    k->x = gr_malloc(bytes);
    k->y = gr_malloc(bytes);
    k->weight = gr_malloc(bytes);
    double *residual = gr_calloc((size_t)count, sizeof(double)), *matrix = gr_malloc((size_t)count * bytes);
    GrStatus status = GR_ERROR_MEMORY;
    if (k->x != NULL && k->y != NULL && k->weight != NULL && residual != NULL && matrix != NULL) {
        memcpy(k->x, x, bytes);
        memcpy(k->y, y, bytes);
        fit_plane(k, z);
        for (int n = 0; n < count; n++) {
            residual[n] = z[n] - mean_at(k, x[n], y[n]);
        }
        k->length = choose_length(k, residual, spacing, matrix, k->weight);
        double unused[2];
        status = solve(k, residual, 1, k->length, matrix, k->weight, &unused[0], &unused[1]) ? GR_OK : GR_ERROR_NUMERIC;
    }
    gr_free(residual);
    gr_free(matrix);
    if (status != GR_OK) {
        gr_krige_free(k);
    }
    return status;
}

double gr_krige_at(const GrKrige *k, double x, double y)
{
    double sum = 0;
    for (int n = 0; n < k->count; n++) {
        sum += k->weight[n] * covariance(between(x - k->x[n], y - k->y[n]), k->length);
    }
    return mean_at(k, x, y) + sum;
}
