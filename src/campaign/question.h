/// The question of a campaign, and what its study answers.
///
///     question: {share: slip < 0.6, at_least: 0.9}
///     question: {share: [slip < 0.6, pitch_deg < 20], at_most: 0.05}
///
/// A run counts where it ends without failure and all conditions hold. Without the key, the limits of a mission of
/// placements are the question; those of a search are counted too, though its runs are no samples.
#ifndef GR_QUESTION_H
#define GR_QUESTION_H

#include "document.h"
#include "grouser/status.h"
#include "statistics.h"

enum { GR_QUESTION_CONDITIONS = 16, GR_QUESTION_NAME = 120, GR_QUESTION_TEXT = 300 };

typedef struct GrQuestionCondition {
    char measure[GR_QUESTION_NAME];
    bool below; ///< else above; the limit itself is within
    double limit;
} GrQuestionCondition;

typedef struct GrQuestion {
    GrQuestionCondition conditions[GR_QUESTION_CONDITIONS];
    int count;                    ///< 0: there is no question
    double at_least, at_most;     ///< share that is asked for; NAN: no bound
    char text[GR_QUESTION_TEXT];  ///< "slip < 0.6 and pitch_deg < 20"
    char words[GR_QUESTION_TEXT]; ///< "slip < 0.6 and pitch < 20°"
    bool of_search;               ///< its runs are not samples: shares have no intervals
    bool of_grid;                 ///< nor are those of a grid
} GrQuestion;

/// Reads it from the root of a campaign file. A condition that is none is an error at its node; `measures` are the
/// names that conditions may use, NULL: any.
void gr_question_read(GrNode *root, const char *const *measures, int measure_count, GrQuestion *out);

/// The same from the text of a file, where nothing is wrong: GR_ERROR_MEMORY or GR_OK.
GrStatus gr_question_parse(const char *text, GrQuestion *out);

struct GrStudyTable;
struct GrStudySummary;

/// 1 where the run is within, else 0.
double gr_question_holds(const GrQuestion *question, const struct GrStudyTable *table, int row);

/// What an engineer asks first, answered.
typedef struct GrStudyAnswer {
    const char *word;  ///< "yes", "no", "open"; "share": nothing is asked of it; "none": the study has no question
    GrEstimate share;  ///< with Wilson's interval of 95 %; NAN ends: no samples
    int within, runs;  ///< of so many finished runs
    int more;          ///< runs that would halve the interval; 0: unknown
    char text[800];    ///< the answer in words
    int measure;       ///< whose correlations these are
    char drivers[400]; ///< what it depends on most; "": unknown
} GrStudyAnswer;

void gr_study_answer(const struct GrStudyTable *table, const struct GrStudySummary *summary, GrStudyAnswer *out);

#endif
