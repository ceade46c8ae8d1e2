/// Common parts of the benchmarks: alternating timing, and the table of results.
///
/// Machines are shared and noisy. Contestants run alternately in short blocks, timed in processor time of the thread.
/// Times are those of the fastest block; ratios are medians over the blocks of one turn: both are reliable even when
/// the machine is busy.
#ifndef GR_BENCH_H
#define GR_BENCH_H

enum { GR_BENCH_BLOCKS = 40 };

/// Something to time: a function that repeats its work `count` times.
typedef struct GrContestant {
    const char *name;
    void (*run)(void *context, int count);
    void *context;
    double seconds;                 ///< result: of one run, in the fastest block
    double blocks[GR_BENCH_BLOCKS]; ///< of one run, in every block
} GrContestant;

/// Times all contestants alternately; `count` runs per block.
void gr_bench_race(GrContestant *contestants, int contestant_count, int count);

/// Median over the blocks of the time of one contestant over that of another.
double gr_bench_ratio(const GrContestant *one, const GrContestant *other);

/// Adds a row to the table: key of the JSON file, value, unit, description and target ("": none).
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
void gr_bench_many_runs(void);
void gr_bench_grains(void);
void gr_bench_campaign(void);
void gr_bench_trace(void);
void gr_bench_settle(void);
void gr_bench_sense(void);

#endif
