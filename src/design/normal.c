/// The standard normal distribution and its inverse.
#include "distribution.h"
#include "elementary.h"

#include <math.h>

double gr_normal_probability(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

static double ratio(const double numerator[8], const double denominator[8], double r)
{
    double p = 0, q = 0;
    for (int i = 0; i < 8; i++) {
        p = p * r + numerator[i];
        q = q * r + denominator[i];
    }
    return p / q;
}

/// Rational approximations of M. J. Wichura, "Algorithm AS 241" (Applied Statistics 37, 1988), highest power first: in
/// the centre as a function of q² with q = u − 1/2, in the tails as a function of √(−ln u).
double gr_normal_quantile(double u)
{
    static const double CENTRE[2][8] = {
        {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
         13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608},
        {5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
         5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1},
    };
    static const double MIDDLE[2][8] = {
        {7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
         3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734},
        {1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
         0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1},
    };
    static const double FAR[2][8] = {
        {2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
         0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772},
        {2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
         0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1},
    };
    const double q = u - 0.5;
    if (fabs(q) <= 0.425) {
        return q * ratio(CENTRE[0], CENTRE[1], 0.180625 - q * q);
    }
    const double tail = q < 0 ? u : 1 - u;
    if (!(tail > 0)) {
        return isnan(u) ? (double)NAN : copysign((double)INFINITY, q);
    }
    const double r = sqrt(-gr_log(tail));
    return copysign(r <= 5 ? ratio(MIDDLE[0], MIDDLE[1], r - 1.6) : ratio(FAR[0], FAR[1], r - 5), q);
}
