#include "distribution.h"

#include "choice.h"
#include "elementary.h"
#include "statistics.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

// ---- the beta distribution

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

// ---- the standard normal distribution

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

// ---- distributions

#define FIELD(name, is_required)                                                                                       \
    {                                                                                                                  \
#name, offsetof(GrDistribution, name), (is_required)                                                           \
    }
#define BOUNDS     FIELD(lower, true), FIELD(upper, true)
#define TRUNCATION FIELD(lower, false), FIELD(upper, false)

const GrDistributionInfo *gr_distribution_info(GrDistributionKind kind)
{
#define ROW(constant, label, about) [constant] = {.name = #label, .text = (about), FIELDS_##label},
#define FIELDS_uniform              .fields = { BOUNDS }
#define FIELDS_log_uniform          .fields = {BOUNDS}
#define FIELDS_normal               .fields = {FIELD(mean, true), FIELD(deviation, true), TRUNCATION}
#define FIELDS_log_normal           .fields = {FIELD(median, true), FIELD(log_deviation, true), TRUNCATION}
#define FIELDS_triangular           .fields = {BOUNDS, FIELD(mode, true)}
#define FIELDS_beta                 .fields = {BOUNDS, FIELD(alpha, true), FIELD(beta, true)}
#define FIELDS_discrete             .has_values = true, .weights = "weights"
#define FIELDS_empirical            .has_values = true
#define FIELDS_table                .has_values = true, .weights = "probabilities"
    static const GrDistributionInfo infos[] = {GR_DISTRIBUTION_LIST(ROW)};
#undef ROW
    return &infos[kind];
}

int gr_distribution_find(const char *name, GrErrorLog *log)
{
#define NAME(constant, label, about) #label,
    static const char *const names[] = {GR_DISTRIBUTION_LIST(NAME)};
#undef NAME
    return gr_choice_find(
        &(GrChoice){.kind = "distribution", .field = "distribution", .names = names, .count = GR_DISTRIBUTION_COUNT},
        name, log);
}

GrDistribution gr_default_distribution(GrDistributionKind kind)
{
    const bool is_normal = kind == GR_DISTRIBUTION_NORMAL, is_log_normal = kind == GR_DISTRIBUTION_LOG_NORMAL;
    return (GrDistribution){
        .kind = kind,
        .lower = is_normal ? -(double)INFINITY : 0,
        .upper = is_normal || is_log_normal ? (double)INFINITY : 1,
        .deviation = 1,
        .median = 1,
        .log_deviation = 1,
        .mode = 0.5,
        .alpha = 1,
        .beta = 1,
    };
}

/// Where messages go, and whether there was one.
typedef struct Checker {
    GrLocation at;
    GrErrorLog *log;
    GrStatus status;
} Checker;

static void refuse(Checker *checker, const char *field, double value, const char *rule)
{
    char path[160];
    const char *base = checker->at.field;
    snprintf(path, sizeof path, "%s%s%s", base != NULL ? base : "", base != NULL && base[0] != '\0' ? "." : "", field);
    GrLocation at = checker->at;
    at.field = path;
    checker->status = gr_error_add(checker->log, GR_ERROR_VALUE, at, "%.9g; %s", value, rule);
}

static void need(Checker *checker, bool holds, const char *field, double value, const char *rule)
{
    if (!holds) {
        refuse(checker, field, value, rule);
    }
}

static void check_list(const GrDistribution *d, Checker *checker)
{
    const bool is_table = d->kind == GR_DISTRIBUTION_TABLE, is_discrete = d->kind == GR_DISTRIBUTION_DISCRETE;
    const char *weights = is_table ? "probabilities" : "weights";
    double total = 0;
    need(checker, d->count >= (is_discrete ? 1 : 2), "values", d->count,
         is_discrete ? "at least one value is needed" : "at least two values are needed");
    for (int i = 0; i < d->count && checker->status == GR_OK; i++) {
        need(checker, isfinite(d->values[i]), "values", d->values[i], "must be finite");
        need(checker, is_discrete || i == 0 || d->values[i] >= d->values[i - 1], "values", d->values[i],
             "values must ascend");
        if (d->weights == NULL) {
            continue;
        }
        const double w = d->weights[i];
        need(checker, isfinite(w) && w >= 0, weights, w, "must be finite and at least 0");
        need(checker, !is_table || i == 0 || w > d->weights[i - 1], weights, w, "probabilities must ascend");
        total += w;
    }
    if (checker->status == GR_OK && is_table) {
        need(checker, d->weights != NULL, weights, 0, "a table needs probabilities");
        need(checker, d->weights == NULL || d->weights[0] == 0, weights, d->weights != NULL ? d->weights[0] : 0,
             "the first probability must be 0");
        need(checker, d->weights == NULL || d->weights[d->count - 1] == 1, weights,
             d->weights != NULL ? d->weights[d->count - 1] : 0, "the last probability must be 1");
    } else if (checker->status == GR_OK && is_discrete && d->weights != NULL) {
        need(checker, total > 0 && isfinite(total), weights, total, "the sum of the weights must be above 0");
    }
}

/// Bounds in standard deviations from the centre, and their probabilities from both sides.
typedef struct Truncation {
    double below[2], above[2]; ///< probability below and above the lower and the upper bound
} Truncation;

static Truncation truncation(const GrDistribution *d)
{
    Truncation t;
    for (int i = 0; i < 2; i++) {
        const double bound = i == 0 ? d->lower : d->upper;
        const double z = d->kind == GR_DISTRIBUTION_NORMAL
                             ? (bound - d->mean) / d->deviation
                             : (bound > 0 ? gr_log(bound / d->median) / d->log_deviation : -(double)INFINITY);
        t.below[i] = gr_normal_probability(z);
        t.above[i] = gr_normal_probability(-z);
    }
    return t;
}

static void check_normal(const GrDistribution *d, Checker *checker)
{
    if (d->kind == GR_DISTRIBUTION_NORMAL) {
        need(checker, isfinite(d->mean), "mean", d->mean, "must be finite");
        need(checker, isfinite(d->deviation) && d->deviation > 0, "deviation", d->deviation, "must be above 0");
    } else {
        need(checker, isfinite(d->median) && d->median > 0, "median", d->median, "must be above 0");
        need(checker, isfinite(d->log_deviation) && d->log_deviation > 0, "log_deviation", d->log_deviation,
             "must be above 0");
        need(checker, d->lower >= 0, "lower", d->lower, "must be at least 0");
    }
    need(checker, d->lower < d->upper, "upper", d->upper, "must be above lower");
    if (checker->status == GR_OK) {
        const Truncation t = truncation(d);
        const double inside = fmax(t.below[1] - t.below[0], t.above[0] - t.above[1]);
        need(checker, inside > 1e-290, "lower", d->lower,
             "no probability lies within the bounds: they are too many standard deviations from the centre");
    }
}

GrStatus gr_distribution_check(const GrDistribution *d, GrLocation at, GrErrorLog *log)
{
    Checker checker = {at, log, GR_OK};
    if (d->kind == GR_DISTRIBUTION_NORMAL || d->kind == GR_DISTRIBUTION_LOG_NORMAL) {
        check_normal(d, &checker);
        return checker.status;
    }
    if (gr_distribution_info(d->kind)->has_values) {
        check_list(d, &checker);
        return checker.status;
    }
    need(&checker, isfinite(d->lower), "lower", d->lower, "must be finite");
    need(&checker, isfinite(d->upper) && d->upper >= d->lower, "upper", d->upper, "must be finite and not below lower");
    need(&checker, checker.status != GR_OK || isfinite(d->upper - d->lower), "upper", d->upper,
         "the range from lower to upper is too large for a number");
    if (d->kind == GR_DISTRIBUTION_LOG_UNIFORM) {
        need(&checker, d->lower > 0, "lower", d->lower, "must be above 0");
    } else if (d->kind == GR_DISTRIBUTION_TRIANGULAR) {
        need(&checker, d->mode >= d->lower && d->mode <= d->upper, "mode", d->mode, "must be within lower and upper");
    } else if (d->kind == GR_DISTRIBUTION_BETA) {
        need(&checker, isfinite(d->alpha) && d->alpha > 0, "alpha", d->alpha, "must be above 0");
        need(&checker, isfinite(d->beta) && d->beta > 0, "beta", d->beta, "must be above 0");
    }
    return checker.status;
}

static double within(double x, const GrDistribution *d)
{
    return fmin(fmax(x, d->lower), d->upper);
}

/// The probability is interpolated between those of the bounds, from the side where it is smaller, so that the far
/// tails keep their digits.
static double normal_quantile(const GrDistribution *d, double u)
{
    if (u <= 0 || u >= 1) {
        return u <= 0 ? d->lower : d->upper;
    }
    const Truncation t = truncation(d);
    const double below = t.below[0] * (1 - u) + t.below[1] * u;
    const double above = t.above[0] * (1 - u) + t.above[1] * u;
    const double z = below < above ? gr_normal_quantile(below) : -gr_normal_quantile(above);
    return within(
        d->kind == GR_DISTRIBUTION_NORMAL ? d->mean + d->deviation * z : d->median * gr_exp(d->log_deviation * z), d);
}

static double triangular_quantile(const GrDistribution *d, double u)
{
    const double range = d->upper - d->lower;
    if (!(range > 0)) {
        return d->lower;
    }
    if (u * range < d->mode - d->lower) {
        return within(d->lower + range * sqrt(u * ((d->mode - d->lower) / range)), d);
    }
    return within(d->upper - range * sqrt((1 - u) * ((d->upper - d->mode) / range)), d);
}

static double discrete_quantile(const GrDistribution *d, double u)
{
    double total = 0;
    for (int i = 0; i < d->count; i++) {
        total += d->weights != NULL ? d->weights[i] : 1;
    }
    double sum = 0;
    int last = 0;
    for (int i = 0; i < d->count; i++) {
        const double weight = d->weights != NULL ? d->weights[i] : 1;
        if (!(weight > 0)) {
            continue;
        }
        sum += weight;
        last = i;
        if (u * total < sum) {
            break;
        }
    }
    return d->values[last];
}

static double table_quantile(const GrDistribution *d, double u)
{
    int low = 0, high = d->count - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(d->weights[middle] <= u ? &low : &high) = middle;
    }
    const double share = (u - d->weights[low]) / (d->weights[high] - d->weights[low]);
    return d->values[low] * (1 - share) + d->values[high] * share;
}

double gr_distribution_quantile(const GrDistribution *d, double u)
{
    switch (d->kind) {
    case GR_DISTRIBUTION_UNIFORM:
        return within(d->lower + u * (d->upper - d->lower), d);
    case GR_DISTRIBUTION_LOG_UNIFORM:
        return within(gr_pow(d->lower, 1 - u) * gr_pow(d->upper, u), d); // a ratio of the bounds could overflow
    case GR_DISTRIBUTION_NORMAL:
    case GR_DISTRIBUTION_LOG_NORMAL:
        return normal_quantile(d, u);
    case GR_DISTRIBUTION_TRIANGULAR:
        return triangular_quantile(d, u);
    case GR_DISTRIBUTION_BETA:
        return within(d->lower + (d->upper - d->lower) * gr_beta_quantile(d->alpha, d->beta, u), d);
    case GR_DISTRIBUTION_DISCRETE:
        return discrete_quantile(d, u);
    case GR_DISTRIBUTION_EMPIRICAL:
        return gr_quantile_sorted(d->values, d->count, u);
    case GR_DISTRIBUTION_TABLE:
        return table_quantile(d, u);
    case GR_DISTRIBUTION_COUNT:
        break;
    }
    return NAN;
}

// ---- correlation

GrStatus gr_correlation_factor(int n, const double *correlations, double *factor, GrLocation at, GrErrorLog *log)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            const double r = correlations[i * n + j];
            if (i == j && r != 1) {
                return gr_error_add(log, GR_ERROR_VALUE, at, "correlation %d with itself is %g and must be 1", i + 1,
                                    r);
            }
            if (r != correlations[j * n + i]) {
                return gr_error_add(log, GR_ERROR_VALUE, at,
                                    "not symmetric: entry (%d, %d) is %g but entry (%d, %d) is %g", i + 1, j + 1, r,
                                    j + 1, i + 1, correlations[j * n + i]);
            }
            if (!(fabs(r) <= 1)) {
                return gr_error_add(log, GR_ERROR_VALUE, at, "correlation (%d, %d) is %g; allowed: -1 to 1", i + 1,
                                    j + 1, r);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = j <= i ? correlations[i * n + j] : 0;
            for (int k = 0; k < j && j <= i; k++) {
                sum -= factor[i * n + k] * factor[j * n + k];
            }
            if (i == j && !(sum > 1e-12)) {
                return gr_error_add(log, GR_ERROR_VALUE, at,
                                    "the correlations contradict each other: the matrix is not positive definite "
                                    "(found at row %d)",
                                    i + 1);
            }
            factor[i * n + j] = j > i ? 0 : (i == j ? sqrt(sum) : sum / factor[j * n + j]);
        }
    }
    return GR_OK;
}

void gr_correlate(int n, const double *factor, double *u)
{
    for (int i = 0; i < n; i++) {
        u[i] = gr_normal_quantile(u[i]);
    }
    for (int i = n - 1; i >= 0; i--) { // from the last one, which no other needs
        double sum = 0;
        for (int j = 0; j <= i; j++) {
            sum += factor[i * n + j] != 0 ? factor[i * n + j] * u[j] : 0; // 0 · ∞ at u = 0 and 1
        }
        u[i] = sum;
    }
    for (int i = 0; i < n; i++) {
        u[i] = gr_normal_probability(u[i]);
    }
}
