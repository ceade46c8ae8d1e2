/// Quantiles of the beta distribution.
#ifndef GR_BETA_QUANTILE_H
#define GR_BETA_QUANTILE_H

/// Probability that a Beta(a, b) variable is below x; a, b > 0.
double gr_beta_probability(double a, double b, double x);

/// Its inverse, relative error about 1e-13.
double gr_beta_quantile(double a, double b, double u);

#endif
