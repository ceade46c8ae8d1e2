/// Rainflow counting: the cycles of a load history for fatigue, by ASTM E1049-85 (2017), 5.4.4.
#ifndef GR_RAINFLOW_H
#define GR_RAINFLOW_H

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
