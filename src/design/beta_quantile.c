#include "beta_quantile.h"

#include "elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static double log_gamma(double x)
{
    int sign; // lgamma() would write it to a global
    return lgamma_r(x, &sign);
}

/// Continued fraction of the incomplete beta function, by the modified Lentz method; it converges fast for
/// x < (a + 1) / (a + b + 2) (Press et al., Numerical Recipes, section 6.4).
static double fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double product = d;
    for (int m = 1; m < 10000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double change = 1;
        for (int half = 0; half < 2; half++) {
            const double term = half == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            product *= change;
        }
        if (fabs(change - 1) < DBL_EPSILON) {
            break;
        }
    }
    return product;
}

/// x^a (1 − x)^b / B(a, b)
static double kernel(double a, double b, double x)
{
    return gr_exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * gr_log(x) + b * gr_log1p(-x));
}

double gr_beta_probability(double a, double b, double x)
{
    if (!(x > 0) || x >= 1) {
        return x >= 1 ? 1 : 0;
    }
    if (x < (a + 1) / (a + b + 2)) {
        return kernel(a, b, x) * fraction(a, b, x) / a;
    }
    return 1 - kernel(a, b, x) * fraction(b, a, 1 - x) / b;
}

double gr_beta_quantile(double a, double b, double u)
{
    if (!(u > 0) || u >= 1) {
        return u >= 1 ? 1 : 0;
    }
    double low = 0, high = 1;
    // Leading term near 0: I_x ≈ x^a / (a B(a, b)).
    double x = gr_exp((gr_log(u) + gr_log(a) + log_gamma(a) + log_gamma(b) - log_gamma(a + b)) / a);
    x = x < 0.5 ? fmax(x, DBL_MIN) : 0.5;
    for (int i = 0; i < 200; i++) {
        const double excess = gr_beta_probability(a, b, x) - u;
        if (excess == 0) {
            break;
        }
        *(excess < 0 ? &low : &high) = x;
        double next = x - excess * x * (1 - x) / kernel(a, b, x);
        if (!(next > low && next < high)) { // Newton leaves the bracket: halve it
            next = 0.5 * (low + high);
        }
        const bool is_done = fabs(next - x) <= DBL_EPSILON * x;
        x = next;
        if (is_done) {
            break;
        }
    }
    return x;
}
