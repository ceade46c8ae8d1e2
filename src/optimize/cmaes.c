#include "cmaes.h"

#include "alloc.h"
#include "elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// ---- eigenvalues

/// Rotates rows and columns p and q so that a[p][q] vanishes.
static void rotate(int n, double *a, double *b, int p, int q)
{
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    const double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c, shift = t * a[p * n + q];
    for (int k = 0; k < n; k++) {
        if (k != p && k != q) {
            const double kp = a[k * n + p], kq = a[k * n + q];
            a[k * n + p] = a[p * n + k] = c * kp - s * kq;
            a[k * n + q] = a[q * n + k] = s * kp + c * kq;
        }
        const double bp = b[k * n + p], bq = b[k * n + q];
        b[k * n + p] = c * bp - s * bq;
        b[k * n + q] = s * bp + c * bq;
    }
    a[p * n + p] -= shift;
    a[q * n + q] += shift;
    a[p * n + q] = a[q * n + p] = 0;
}

void gr_eigen_symmetric(int n, double *a, double *b, double *d)
{
    enum { MOST_SWEEPS = 50 };
    for (int i = 0; i < n * n; i++) {
        b[i] = i / n == i % n ? 1 : 0;
    }
    bool is_rotated = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && is_rotated; sweep++) {
        is_rotated = false;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                const double limit = DBL_EPSILON * sqrt(fabs(a[p * n + p] * a[q * n + q]));
                if (fabs(a[p * n + q]) > limit) {
                    rotate(n, a, b, p, q);
                    is_rotated = true;
                }
            }
        }
    }
    for (int i = 0; i < n; i++) {
        d[i] = a[i * n + i];
    }
}

// ---- the strategy

int gr_cmaes_population(int n)
{
    return 4 + (int)(3 * gr_log(n));
}

/// Weights ln((λ + 1)/2) − ln i: positive ones add up to 1, negative ones to the tutorial's bound (eq. 49-53).
static void set_parameters(GrCmaes *es)
{
    const double n = es->n;
    double sum[2] = {0}, square[2] = {0};
    for (int i = 0; i < es->lambda; i++) {
        es->weights[i] = gr_log((es->lambda + 1) / 2.0) - gr_log(i + 1.0);
        const int half = i >= es->mu;
        sum[half] += es->weights[i];
        square[half] += es->weights[i] * es->weights[i];
    }
    es->mu_eff = sum[0] * sum[0] / square[0];
    const double mu_eff_negative = sum[1] * sum[1] / square[1];
    es->c_1 = 2 / ((n + 1.3) * (n + 1.3) + es->mu_eff);
    es->c_mu = fmin(1 - es->c_1, 2 * (es->mu_eff - 2 + 1 / es->mu_eff) / ((n + 2) * (n + 2) + es->mu_eff));
    es->c_sigma = (es->mu_eff + 2) / (n + es->mu_eff + 5);
    es->d_sigma = 1 + 2 * fmax(0, sqrt((es->mu_eff - 1) / (n + 1)) - 1) + es->c_sigma;
    es->c_c = (4 + es->mu_eff / n) / (n + 4 + 2 * es->mu_eff / n);
    es->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    const double limit = fmin(fmin(1 + es->c_1 / es->c_mu, 1 + 2 * mu_eff_negative / (es->mu_eff + 2)),
                              (1 - es->c_1 - es->c_mu) / (n * es->c_mu));
    for (int i = 0; i < es->lambda; i++) {
        es->weights[i] *= i < es->mu ? 1 / sum[0] : limit / fabs(sum[1]);
    }
}

bool gr_cmaes_begin(GrCmaes *es, int n, int lambda, const double *mean, const double *scale)
{
    const GrRandom random = es->random;
    *es = (GrCmaes){.n = n, .lambda = lambda, .mu = lambda / 2, .random = random};
    const size_t vector = (size_t)n, matrix = vector * vector, population = (size_t)lambda;
    double *next = gr_calloc(3 * matrix + 8 * vector + population + 2 * population * vector, sizeof *next);
    es->memory = next;
    if (next == NULL) {
        return false;
    }
    struct {
        double **array;
        size_t size;
    } const parts[] = {{&es->c, matrix},
                       {&es->b, matrix},
                       {&es->scratch, matrix + 3 * vector},
                       {&es->mean, vector},
                       {&es->p_sigma, vector},
                       {&es->p_c, vector},
                       {&es->d, vector},
                       {&es->least, vector},
                       {&es->weights, population},
                       {&es->steps, population * vector},
                       {&es->extras, population * vector}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].array = next;
        next += parts[i].size;
    }
    memcpy(es->mean, mean, vector * sizeof *mean);
    for (int i = 0; i < n; i++) {
        es->sigma = fmax(es->sigma, scale[i]);
    }
    for (int i = 0; i < n; i++) {
        es->d[i] = scale[i] / es->sigma;
        es->c[i * n + i] = es->d[i] * es->d[i];
        es->b[i * n + i] = 1;
    }
    set_parameters(es);
    return true;
}

void gr_cmaes_end(GrCmaes *es)
{
    gr_free(es->memory);
    es->memory = NULL;
}

double gr_cmaes_deviation(const GrCmaes *es, int i)
{
    return es->sigma * sqrt(es->c[i * es->n + i]);
}

void gr_cmaes_sample(GrCmaes *es, double *samples)
{
    const int n = es->n;
    for (int k = 0; k < es->lambda; k++) {
        double *step = es->steps + k * n, *scaled = es->scratch;
        for (int i = 0; i < n; i++) {
            scaled[i] = es->d[i] * gr_random_normal(&es->random);
        }
        for (int i = 0; i < n; i++) {
            step[i] = 0;
            for (int j = 0; j < n; j++) {
                step[i] += es->b[i * n + j] * scaled[j];
            }
            const double deviation = gr_cmaes_deviation(es, i);
            double extra = 0;
            if (deviation < es->least[i]) {
                extra = sqrt(es->least[i] * es->least[i] - deviation * deviation) * gr_random_normal(&es->random);
            }
            es->extras[k * n + i] = extra;
            samples[k * n + i] = es->mean[i] + es->sigma * step[i] + extra;
        }
    }
}

/// out = c^(−1/2) v; `projected`: room for n.
static void whiten(const GrCmaes *es, const double *v, double *projected, double *out)
{
    const int n = es->n;
    for (int j = 0; j < n; j++) {
        projected[j] = 0;
        for (int i = 0; i < n; i++) {
            projected[j] += es->b[i * n + j] * v[i];
        }
        projected[j] /= es->d[j];
    }
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++) {
            out[i] += es->b[i * n + j] * projected[j];
        }
    }
}

static double norm(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

/// Decomposes c where enough has changed, at a cost of O(n³).
static void decompose(GrCmaes *es)
{
    const int n = es->n;
    double sum = 0;
    for (int i = 0; i < es->lambda; i++) {
        sum += fabs(es->weights[i]);
    }
    const double pause = 1 / (10 * n * (es->c_1 + es->c_mu * sum));
    if (es->generation - es->decomposed_at < pause) {
        return;
    }
    es->decomposed_at = es->generation;
    memcpy(es->scratch, es->c, (size_t)(n * n) * sizeof *es->c);
    gr_eigen_symmetric(n, es->scratch, es->b, es->d);
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, es->d[i]);
        most = fmax(most, es->d[i]);
    }
    es->is_degenerate = !(least > 0 && most / least < 1e14 && isfinite(es->sigma) && es->sigma > 0);
    for (int i = 0; i < n && !es->is_degenerate; i++) {
        es->d[i] = sqrt(es->d[i]);
    }
}

/// The rank-one and the rank-μ update of c (eq. 47). A negative weight is divided by the squared length of its step in
/// the metric of c, so that c stays positive definite.
static void adapt_covariance(GrCmaes *es, const int *order, bool is_stalled)
{
    const int n = es->n;
    double *projected = es->scratch + n * n, *white = projected + n;
    double sum = 0;
    for (int k = 0; k < es->lambda; k++) {
        sum += es->weights[k];
    }
    const double stalled = is_stalled ? es->c_c * (2 - es->c_c) : 0;
    const double keep = 1 + es->c_1 * stalled - es->c_1 - es->c_mu * sum;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            es->c[i * n + j] = keep * es->c[i * n + j] + es->c_1 * es->p_c[i] * es->p_c[j];
        }
    }
    for (int k = 0; k < es->lambda; k++) {
        const double *step = es->steps + order[k] * n;
        double weight = es->weights[k] * es->c_mu;
        if (weight < 0) {
            whiten(es, step, projected, white);
            const double length = norm(white, n);
            weight *= n / (length * length + 1e-8);
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                es->c[i * n + j] += weight * step[i] * step[j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            es->c[j * n + i] = es->c[i * n + j];
        }
    }
}

void gr_cmaes_update(GrCmaes *es, const int *order)
{
    const int n = es->n;
    double *step = es->scratch + n * n, *projected = step + n, *white = projected + n;
    memset(step, 0, (size_t)n * sizeof *step);
    for (int k = 0; k < es->mu; k++) {
        for (int i = 0; i < n; i++) {
            step[i] += es->weights[k] * es->steps[order[k] * n + i];
            es->mean[i] += es->weights[k] * es->extras[order[k] * n + i];
        }
    }
    whiten(es, step, projected, white);
    es->generation++;
    const double c_s = es->c_sigma, gain = sqrt(c_s * (2 - c_s) * es->mu_eff);
    for (int i = 0; i < n; i++) {
        es->mean[i] += es->sigma * step[i];
        es->p_sigma[i] = (1 - c_s) * es->p_sigma[i] + gain * white[i];
    }
    const double length = norm(es->p_sigma, n);
    const bool is_stalled =
        length / sqrt(1 - gr_pow(1 - c_s, 2.0 * es->generation)) >= (1.4 + 2 / (n + 1.0)) * es->chi; // h_σ = 0
    for (int i = 0; i < n; i++) {
        es->p_c[i] =
            (1 - es->c_c) * es->p_c[i] + (is_stalled ? 0 : sqrt(es->c_c * (2 - es->c_c) * es->mu_eff) * step[i]);
    }
    adapt_covariance(es, order, is_stalled);
    es->sigma *= gr_exp(fmin(1, c_s / es->d_sigma * (length / es->chi - 1)));
    decompose(es);
}
