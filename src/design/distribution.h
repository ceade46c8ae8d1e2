/// Distributions of uncertain numbers: from a point of the unit cube to values.
///
///     double u[2], value[2];
///     gr_sample_point(GR_SAMPLING_SOBOL, index, count, 2, seed, u);
///     gr_correlate(2, factor, u);                         // if the variables are correlated
///     value[i] = gr_distribution_quantile(&distribution[i], u[i]);
#ifndef GR_DISTRIBUTION_H
#define GR_DISTRIBUTION_H

#include "grouser/status.h"

#include <stddef.h>

/// All kinds: constant, name, text. gr_distribution_info() says which fields each one reads.
#define GR_DISTRIBUTION_LIST(X)                                                                                        \
    X(GR_DISTRIBUTION_UNIFORM, uniform, "equally likely from lower to upper")                                          \
    X(GR_DISTRIBUTION_LOG_UNIFORM, log_uniform, "the logarithm equally likely; 0 < lower < upper")                     \
    X(GR_DISTRIBUTION_NORMAL, normal, "mean and standard deviation, truncated to the bounds if given")                 \
    X(GR_DISTRIBUTION_LOG_NORMAL, log_normal, "median and standard deviation of ln x, truncated if bounds are given")  \
    X(GR_DISTRIBUTION_TRIANGULAR, triangular, "from lower to upper with the peak at mode")                             \
    X(GR_DISTRIBUTION_BETA, beta, "Beta(alpha, beta) stretched from lower to upper")                                   \
    X(GR_DISTRIBUTION_DISCRETE, discrete, "one of the values, with weights if given")                                  \
    X(GR_DISTRIBUTION_EMPIRICAL, empirical, "measured values, interpolated quantiles")                                 \
    X(GR_DISTRIBUTION_TABLE, table, "values at ascending probabilities from 0 to 1, linear between them")

typedef enum GrDistributionKind {
#define GR_DISTRIBUTION_ENUM(constant, name, text) constant,
    GR_DISTRIBUTION_LIST(GR_DISTRIBUTION_ENUM)
#undef GR_DISTRIBUTION_ENUM
        GR_DISTRIBUTION_COUNT
} GrDistributionKind;

/// Start from gr_default_distribution(kind); every kind ignores the fields of the others.
typedef struct GrDistribution {
    GrDistributionKind kind;
    double lower, upper;   ///< bounds; default 0 and 1; −∞ and ∞ for normal, 0 and ∞ for log_normal
    double mean;           ///< normal, of the untruncated distribution; default 0
    double deviation;      ///< normal, of the untruncated distribution; > 0; default 1
    double median;         ///< log_normal, of the untruncated distribution; > 0; default 1
    double log_deviation;  ///< log_normal: standard deviation of ln x; > 0; default 1
    double mode;           ///< triangular; within the bounds; default 0.5
    double alpha, beta;    ///< beta; > 0; default 1
    const double *values;  ///< [count] discrete: any order; empirical and table: ascending. Owned by the caller
    const double *weights; ///< [count] discrete: weights ≥ 0, NULL: equal; table: probabilities 0 … 1, ascending
    int count;
} GrDistribution;

/// A number of GrDistribution that a kind reads, for readers of files.
typedef struct GrDistributionField {
    const char *name; ///< NULL: end of the list
    size_t offset;    ///< of a double in GrDistribution
    bool is_required;
} GrDistributionField;

typedef struct GrDistributionInfo {
    const char *name, *text;
    GrDistributionField fields[5];
    bool has_values;     ///< reads `values`, which are then required
    const char *weights; ///< name of `weights` in files ("weights", "probabilities"); NULL: not read
} GrDistributionInfo;

const GrDistributionInfo *gr_distribution_info(GrDistributionKind kind);

/// Index of a name; −1, and an error with the nearest name, for an unknown one.
int gr_distribution_find(const char *name, GrErrorLog *log);

GrDistribution gr_default_distribution(GrDistributionKind kind);

/// GR_ERROR_VALUE with one message per faulty field, at `at` (its field, if any, is the path of the distribution).
GrStatus gr_distribution_check(const GrDistribution *distribution, GrLocation at, GrErrorLog *log);

/// The value that is not exceeded with probability u in [0, 1]; of a checked distribution. Infinite at u = 0 or 1 where
/// the distribution is unbounded.
double gr_distribution_quantile(const GrDistribution *distribution, double u);

/// Quantile of the standard normal distribution, relative error 1e-15 (Wichura 1988, AS 241).
double gr_normal_quantile(double u);

/// Probability that a standard normal variable is below x.
double gr_normal_probability(double x);

/// Cholesky factor (row-major n x n, lower) of a matrix of correlations. GR_ERROR_VALUE if it is not symmetric, has a
/// diagonal other than 1, or is not positive definite; the message names the entry.
GrStatus gr_correlation_factor(int n, const double *correlations, double *factor, GrLocation at, GrErrorLog *log);

/// Gaussian copula: independent uniform u[n] in (0, 1) become correlated uniform numbers. The correlations are those of
/// the normal variables behind them; the rank correlation of two of them is 6/π asin(ρ/2).
void gr_correlate(int n, const double *factor, double *u);

// Quantiles of the beta distribution.

/// Probability that a Beta(a, b) variable is below x; a, b > 0.
double gr_beta_probability(double a, double b, double x);

/// Its inverse, relative error about 1e-13.
double gr_beta_quantile(double a, double b, double u);

#endif
