/// GrResult: the outcome of one run of a campaign. A run that fails is a result too, with its outcome and cause.
#ifndef GR_RESULT_H
#define GR_RESULT_H

#include "grouser/status.h"

#include <stddef.h>
#include <stdint.h>

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
    int warnings;        ///< number of different warnings
    uint64_t state_hash; ///< of the end state; 0: none
    double wall;         ///< processor time of the run [s]
    double stepping;     ///< the part of it that was spent in the steps [s]
} GrResult;

enum { GR_RESULT_BYTES = 4096 };

/// Writes length, checksum and content to `out`; returns the number of bytes.
size_t gr_result_encode(const GrResult *result, unsigned char out[GR_RESULT_BYTES]);

/// Reads one record; returns the number of its bytes, 0 when it is incomplete or damaged.
size_t gr_result_decode(const unsigned char *data, size_t size, GrResult *out);

#endif
