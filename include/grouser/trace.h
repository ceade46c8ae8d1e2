/// Wheel traces: ruts at low computing cost (Kamohara et al. 2024). A wheel leaves a trough with the imprints of its
/// grousers. A regression over the wheel load gives its depth. docs/ruts.md has the equations.
///
/// Example: depth of the default trace under 10 N.
///
///     const GrTraceDef trace = gr_default_trace_def();
///     printf("%.2f mm\n", 1000 * (trace.mean.base + trace.mean.load * 10)); // prints: -5.83 mm
#ifndef GROUSER_TRACE_H
#define GROUSER_TRACE_H

#include "grouser/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GR_TRACE_SOURCE_SIZE = 256 };

/// Linear regression over load and slip: base + load F_z + slip |s|.
typedef struct GrTraceLine {
    double base; ///< [m]
    double load; ///< [m/N]
    double slip; ///< [m]
} GrTraceLine;

/// Shape of traces in one soil, fitted to single-wheel tests. Start from gr_default_trace_def().
typedef struct GrTraceDef {
    GrTraceLine
        mean; ///< mean height of the centre line relative to the original ground; default −1.440 mm − 0.4388 mm/N
    GrTraceLine swing; ///< height from trough to crest; default 8.003 mm + 0.0630 mm/N
    double load_min;   ///< lightest and heaviest load tested [N] ≥ 0; default 3 … 17.9
    double load_max;
    double radius;         ///< radius of the smooth rim of the tested wheel [m] > 0; default 0.1
    double width;          ///< [m] > 0; default 0.08
    double grouser_height; ///< [m] > 0; default 0.02
    double gravity;        ///< of the tests [m/s²] > 0; default 9.80665
    char source[GR_TRACE_SOURCE_SIZE];
} GrTraceDef;

/// Least-squares fit to table 2 of Kamohara et al. 2024: Toyoura sand, simulated with particles. (Their printed
/// regressions, eqs. 5 and 6, do not match their table.)
GR_API GrTraceDef gr_default_trace_def(void);

/// Checks every value. All problems go to `log`.
GR_API GrStatus gr_trace_check(const GrTraceDef *def, GrErrorLog *log);

/// Reads a file written by `grouser fit trace` or gr_trace_save(). On error `out` has its defaults.
GR_API GrStatus gr_trace_load(const char *path, GrTraceDef *out, GrErrorLog *log);

/// Writes a file that gr_trace_load() reads back without loss.
GR_API GrStatus gr_trace_save(const char *path, const GrTraceDef *def, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
