/// What a campaign measures: expressions over named values of a run and over its recorded channels.
///
///     measure:
///       energy_Wh: energy.electric_J / 3600
///       steepest_deg: max(pitch_deg)
///       slip: quantile(*.slip, 0.95)
///       mass_kg: 4*900*{rover:params.rim_volume}
///
/// A term is a name that the subject knows ("energy.electric_J"), a reducer of a channel ("max(pitch_deg)"), or the
/// value of a variable in braces.
/// Everything else is arithmetic as in input files (src/scenario/expression.h).
#ifndef GR_MEASURE_H
#define GR_MEASURE_H

#include "buffer.h"
#include "fields.h"
#include "grouser/rover.h"
#include "grouser/status.h"

#include <stddef.h>
#include <stdint.h>

// GrResult: the outcome of one run of a campaign. A run that fails is a result too, with its outcome and cause.

enum { GR_CAMPAIGN_METRICS = 64, GR_OUTCOME_SIZE = 32, GR_CAUSE_SIZE = 256 };

/// Outcome of a run that could not be started: its input is invalid, or the ground does not hold the rover.
#define GR_OUTCOME_REFUSED "refused"

typedef struct GrResult {
    uint64_t key;                  ///< of the run
    char outcome[GR_OUTCOME_SIZE]; ///< "reached_goal", "stuck", …, or GR_OUTCOME_REFUSED
    char cause[GR_CAUSE_SIZE];     ///< one sentence
    bool succeeded;                ///< the outcome is that of a run without failure
    double progress; ///< part of its duration that the run took before it ended, 0 … 1; 1 if it succeeded
    double metrics[GR_CAMPAIGN_METRICS]; ///< NAN: does not exist for this run
    int metric_count;
    const char *prediction; ///< its soil is a sample of a fit, with its errors: gr_band_word(); NULL: it has none
    int warnings;           ///< number of different warnings
    uint64_t state_hash;    ///< of the end state; 0: none
    double wall;            ///< processor time of the run [s]
    double stepping;        ///< the part of it that was spent in the steps [s]
} GrResult;

enum { GR_RESULT_BYTES = 4096 };

/// Writes length, checksum and content to `out`; returns the number of bytes.
size_t gr_result_encode(const GrResult *result, unsigned char out[GR_RESULT_BYTES]);

/// Reads one record; returns the number of its bytes, 0 when it is incomplete or damaged.
size_t gr_result_decode(const unsigned char *data, size_t size, GrResult *out);

enum {
    GR_MEASURE_TEXT = 400,
    GR_TERM_NAME = 120,
    GR_TERM_ARGUMENTS = 2,
    GR_MEASURE_TERMS = 128, ///< of all measures of a campaign
};

/// Ways to make one number of a channel: constant, name, number of arguments after the channel, text.
#define GR_REDUCER_LIST(X)                                                                                             \
    X(MIN, min, 0, "smallest value")                                                                                   \
    X(MAX, max, 0, "largest value")                                                                                    \
    X(PEAK, peak, 0, "largest magnitude")                                                                              \
    X(MEAN, mean, 0, "mean over time")                                                                                 \
    X(RMS, rms, 0, "root of the mean square over time")                                                                \
    X(FIRST, first, 0, "value at the start")                                                                           \
    X(LAST, last, 0, "value at the end")                                                                               \
    X(QUANTILE, quantile, 1, "value below which this share of the samples lies: quantile(channel, 0.95)")              \
    X(AT_TIME, at_time, 1, "value at this time, interpolated: at_time(channel, 12.5)")                                 \
    X(AT_DISTANCE, at_distance, 1, "value after this distance driven, interpolated: at_distance(channel, 3)")          \
    X(AT_PLACE, at_place, 2, "value at the sample nearest to this place: at_place(channel, x, y)")                     \
    X(TIME_ABOVE, time_above, 1, "time during which the channel is above this value [s]")

typedef enum GrReducer {
#define GR_REDUCER_ENUM(constant, name, arguments, text) GR_REDUCE_##constant,
    GR_REDUCER_LIST(GR_REDUCER_ENUM)
#undef GR_REDUCER_ENUM
        GR_REDUCER_COUNT,
    GR_REDUCE_NONE = GR_REDUCER_COUNT, ///< the term is a named value, not a channel
    GR_REDUCE_VARIABLE                 ///< the term is the value of a variable: {soil:phi}
} GrReducer;

const char *gr_reducer_name(GrReducer reducer);

typedef struct GrTerm {
    char name[GR_TERM_NAME]; ///< of the value or the channel
    GrReducer reducer;
    double arguments[GR_TERM_ARGUMENTS];
} GrTerm;

typedef struct GrMeasure {
    char name[GR_NAME_SIZE];
    char text[GR_MEASURE_TEXT];       ///< as written
    char expression[GR_MEASURE_TEXT]; ///< with v0, v1, … in place of the terms
} GrMeasure;

/// All measures of a campaign; the terms are shared.
typedef struct GrMeasures {
    GrMeasure items[GR_CAMPAIGN_METRICS];
    int count;
    GrTerm terms[GR_MEASURE_TERMS];
    int term_count;
} GrMeasures;

/// Names that a subject offers. `channel` is false for plain values. Channels are asked for inside reducers only.
typedef struct GrMeasureNames {
    const char *const *variables; ///< paths of the numeric variables, NULL-terminated; NULL: none
    void *context;
    bool (*has)(void *context, const char *name, bool channel);
    /// Lists names for messages; returns how many.
    int (*list)(void *context, bool channel, const char **names, int capacity);
} GrMeasureNames;

/// Adds a measure. `at` is its place in the file, for messages.
GrStatus gr_measures_add(GrMeasures *measures, const char *name, const char *text, const GrMeasureNames *names,
                         const GrNode *at);

/// Value of a measure from the values of all terms; NAN where one of its terms is NAN or the expression has no value.
double gr_measure_value(const GrMeasures *measures, int measure, const double *terms);

/// A channel as recorded: `count` samples, each of `width` values (several for *.slip).
typedef struct GrSeriesOf {
    const double *values; ///< [count][width]
    int width, count;
    const double *time, *distance, *x, *y; ///< [count] of the same samples
} GrSeriesOf;

/// One number of a channel; NAN where it has none (a time or distance that the run did not reach).
double gr_reduce(const GrTerm *term, const GrSeriesOf *series);

#endif
