/// Descriptive statistics of samples. Values that are not finite are the caller's to remove (gr_keep_finite()).
#ifndef GR_STATISTICS_H
#define GR_STATISTICS_H

#include "grouser/status.h"

#include "indices.h"

/// Moves the finite values to the front, in order; returns their count.
int gr_keep_finite(double *values, int count);

void gr_sort(double *values, int count);

/// NAN of none.
double gr_mean(const double *values, int count);

/// Of the population that the values sample (n − 1); NAN of fewer than two.
double gr_standard_deviation(const double *values, int count);

/// Quantile of ascending values by linear interpolation between order statistics (type 7 of Hyndman & Fan 1996).
double gr_quantile_sorted(const double *sorted, int count, double probability);

/// Band of 90 %: quantiles of 5 % and 95 %; NAN: there is none.
typedef struct GrBand {
    double low, high;
} GrBand;

/// Quantile of samples in any order, each with an independent normal error of the standard deviation `error`. Samples
/// without a value (NAN) count as above all others; NAN where the quantile is one of them, or out of memory.
double gr_quantile_of(const double *samples, int count, double probability, double error);

/// The band of such samples.
GrBand gr_band_of(const double *samples, int count, double error);

/// Share of successes with Wilson's 95 % score interval (1927).
GrEstimate gr_proportion(int successes, int count);

/// The same with an interval of 90 %, as bands have.
GrEstimate gr_proportion_banded(int successes, int count);

typedef double (*GrStatistic)(const void *context, const double *sorted, int count);

/// A statistic of values with its bootstrap percentile interval of 95 %. The statistic sees each resample
/// sorted; the order of the values does not matter.
GrStatus gr_bootstrap_interval(const double *values, int count, GrStatistic statistic, const void *context,
                               GrBootstrap bootstrap, GrEstimate *out);

typedef struct GrHistogram {
    double lower, width; ///< bin i is [lower + i width, lower + (i + 1) width); the last one is closed
    int bin_count;
    int *counts;
} GrHistogram;

/// Bins of width 2 IQR / n^(1/3) (Freedman & Diaconis 1981), at most 200; Sturges's count where the IQR is 0.
GrStatus gr_histogram(const double *values, int count, GrHistogram *out, GrErrorLog *log);
void gr_histogram_free(GrHistogram *histogram);

/// Spearman's rank correlation, ties by mean ranks; NAN where one of the two does not vary or out of memory.
double gr_rank_correlation(const double *x, const double *y, int count);

/// A cycle between two loads; a half-cycle counts 0.5.
typedef struct GrCycle {
    double range, mean, count;
} GrCycle;

/// Counts the cycles of a history into `out` [count] and returns their number. `work` [count]. Values that are not
/// finite are skipped. Intermediate values between two reversals do not matter.
int gr_rainflow(const double *values, int count, double *work, GrCycle *out);

/// Range of so many cycles of constant amplitude that does the same damage by Palmgren and Miner's rule, where a cycle
/// of range S does damage S^exponent. 0 of no cycles.
double gr_equivalent_range(const GrCycle *cycles, int count, double exponent, double equivalent_cycles);

#endif
