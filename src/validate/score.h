/// How well each law predicts a measured wheel: the figures that README, docs/validation.md and the trust box quote.
///
/// The wheel is CMU's smooth one, 36 conditions at four slip angles. A law that is fitted is fitted four times, each
/// time without one slip angle, which it then predicts with its 90 % band: these are the conditions held back.
#ifndef GR_SCORE_H
#define GR_SCORE_H

#include "grouser/soil.h"
#include "grouser/status.h"

typedef enum GrScoreKind { GR_SCORE_PULL, GR_SCORE_SIDE, GR_SCORE_SINKAGE, GR_SCORE_KINDS } GrScoreKind;

/// pull, side, sinkage.
extern const char *const gr_score_kind_names[GR_SCORE_KINDS];

/// What an engineer would accept: an error of a tenth of the load, or of 4 mm.
#define GR_SCORE_FORCE     0.1
#define GR_SCORE_SINKAGE_M 4e-3

/// One condition, measured and predicted: pull and side force over the load, sinkage [m].
typedef struct GrScorePoint {
    double slip, slip_angle; ///< [rad]
    bool held;               ///< not fitted
    double measured[GR_SCORE_KINDS];
    double scatter[GR_SCORE_KINDS];   ///< standard deviation between the trials
    double predicted[GR_SCORE_KINDS]; ///< NAN: no equilibrium
    double half[GR_SCORE_KINDS];      ///< half of the 90 % band; NAN: none
} GrScorePoint;

/// Figures of one set of conditions.
typedef struct GrScoreFigures {
    int conditions;
    double median[GR_SCORE_KINDS];  ///< of the errors' sizes
    double most[GR_SCORE_KINDS];    ///< not exceeded by 90 % of them
    double ordered[GR_SCORE_KINDS]; ///< share of pairs whose order is as measured, of those that differ by more than
                                    ///< twice the scatter
    double covered;                 ///< share of numbers inside the 90 % band; NAN: no band
    double width[GR_SCORE_KINDS];   ///< mean half of the band
    int numbers;                    ///< measured numbers
    int strict;                     ///< of these, within twice the scatter of the trials
    int engineering;                ///< within a tenth of the load, or 4 mm
} GrScoreFigures;

typedef struct GrScoreCase {
    const char *name;  ///< score/law
    const char *title; ///< for people
    const char *what;  ///< what was fitted
    const char *soil;  ///< start of the fit, the soil itself, or a table of what was computed
    int mode;          ///< own
} GrScoreCase;

typedef struct GrScore {
    const GrScoreCase *from;
    GrScorePoint *points; ///< [count], owned; a condition that was fitted several times is there as often
    int count;
    GrScoreFigures fitted, held; ///< no conditions: all figures NAN
} GrScore;

/// All laws, by index from 0; NULL beyond the last.
const GrScoreCase *gr_score_case(int index);

/// Fits and predicts; free with gr_score_free(), also after an error.
GrStatus gr_score_run(const GrScoreCase *which, GrScore *out, GrErrorLog *log);
void gr_score_free(GrScore *score);

/// Share of all pairs in the right order, over the three quantities.
double gr_score_ordered(const GrScoreFigures *figures);

#endif
