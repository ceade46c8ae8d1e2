/// What the benchmarks share: timing by turns, and the table of results.
///
/// Machines are shared and noisy. Two things that are compared run by turns in short blocks, and of each the fastest
/// block counts: the ratio holds even when the absolute times do not.
#ifndef GR_BENCH_H
#define GR_BENCH_H

enum { GR_BENCH_BLOCKS = 40 };

/// Something to time: runs `count` times whatever it is.
typedef struct GrContestant {
    const char *name;
    void (*run)(void *context, int count);
    void *context;
    double seconds; ///< result: of one run, in the fastest block
} GrContestant;

/// Times all contestants by turns; `count` runs a block.
void gr_bench_race(GrContestant *contestants, int contestant_count, int count);

/// Adds a row to the table: key of the JSON file, value, unit, what it is and what is asked of it ("" for nothing).
void gr_bench_report(const char *key, double value, const char *unit, const char *text);

/// One file, one subject; each reports its own rows.
void gr_bench_core(void);
void gr_bench_soil(void);
void gr_bench_terrain(void);
void gr_bench_rigid(void);
void gr_bench_rigid_rover(void);
void gr_bench_record(void);
void gr_bench_scm(void);
void gr_bench_run(void);
void gr_bench_trace(void);

#endif
