/// A study: the SQLite database of a campaign, with one row for each run.
///
/// Table `runs`: id, key, one column for each variable and measure, outcome, cause, warnings, seed, state_hash, wall_s,
/// version, inputs. A run that is planned and not yet done has no outcome. Table `campaign`: name, identity, version
/// and text of the campaign. Table `columns`: what each variable and measure is.
///
/// Exactly one process writes: it holds the lock FILE.lock. Any number of programs may read at the same time.
#ifndef GR_STUDY_H
#define GR_STUDY_H

#include "campaign.h"
#include "question.h"

typedef struct GrStudy GrStudy;

/// Opens the database for writing, or creates it. A database of another campaign or version, or in use by another
/// process, is refused. NULL after an error.
GrStudy *gr_study_open(const char *path, const GrCampaign *campaign, GrErrorLog *log);

/// Opens the study of a campaign for looking up results, without the lock. `*out` is NULL where there is none yet. A
/// study of another campaign is refused.
GrStatus gr_study_peek(const char *path, const GrCampaign *campaign, GrStudy **out, GrErrorLog *log);

/// Opens a database for reading.
GrStudy *gr_study_read(const char *path, GrErrorLog *log);
void gr_study_close(GrStudy *study);

/// Whether a file is a database, which only studies are here.
bool gr_study_is_file(const char *path);

/// Whether another process is writing the study. Not for the process that writes it.
bool gr_study_is_written(const char *path);

const char *gr_study_path(const GrStudy *study);
uint64_t gr_study_identity(const GrStudy *study);

/// What made it, as gr_version_and_bits(); free with gr_free(). NULL: unknown.
char *gr_study_version(GrStudy *study);

/// A transaction: everything between these is stored, or nothing.
GrStatus gr_study_begin(GrStudy *study, GrErrorLog *log);
GrStatus gr_study_commit(GrStudy *study, GrErrorLog *log);

/// Before many look-ups: the file is locked for reading once and not for each. Ends with gr_study_undo().
GrStatus gr_study_hold(GrStudy *study, GrErrorLog *log);

void gr_study_undo(GrStudy *study);

/// Whether a run has a result, which is copied to `result` (NULL: not wanted).
bool gr_study_has(GrStudy *study, uint64_t key, GrResult *result);

/// Adds a row unless the study has it.
GrStatus gr_study_plan(GrStudy *study, const GrRow *row, GrErrorLog *log);

/// Stores the result of a planned row. `known` is false, and nothing is stored, if the study does not have the row.
GrStatus gr_study_put(GrStudy *study, const GrResult *result, bool *known, GrErrorLog *log);

/// A column of a study.
typedef struct GrStudyColumn {
    char name[GR_VARIABLE_PATH];
    char label[GR_LABEL_SIZE];  ///< in words, with its unit
    char text[GR_MEASURE_TEXT]; ///< expression of a measure; "" for a variable
    bool is_measure;
    bool is_share; ///< a measure that is 1 where something holds, else 0
    bool is_seed;  ///< a variable on whose size nothing depends: a seed, or what a mission sets for each drive
} GrStudyColumn;

/// All finished runs in memory. Names of variables are texts; numbers are NAN where there is none.
typedef struct GrStudyTable {
    GrStudyColumn *columns; ///< owned: variables, then measures; last, where the campaign asks one, its question
    int variable_count, measure_count;
    GrQuestion question;
    int question_measure;      ///< index of the measure that is 1 where the question holds; −1: there is no question
    int64_t *ids;              ///< [row_count] owned
    double *values;            ///< [row_count][variable_count + measure_count] owned
    char **texts;              ///< [row_count][variable_count] owned; NULL: a number
    char **outcomes, **causes; ///< [row_count] owned
    bool *succeeded;           ///< [row_count] owned: ended without failure
    const char **predictions;  ///< [row_count] owned: as in GrResult
    int *warnings;             ///< [row_count] owned
    double *wall;              ///< [row_count] owned: processor time [s]
    int row_count;
    int planned;      ///< rows without a result
    bool of_scenario; ///< its runs are runs of a scenario: `grouser run --from` repeats them
    char name[GR_NAME_SIZE], title[GR_NOTE_SIZE], version[32];
    const char *prediction; ///< gr_study_prediction()
} GrStudyTable;

GrStatus gr_study_table(GrStudy *study, GrStudyTable *out, GrErrorLog *log);

/// Of runs that have the errors of a soil's fit: whether they are those within the fitted conditions alone, or also
/// those outside ("interpolated", "extrapolated"); NULL: none has.
const char *gr_study_prediction(GrStudy *study);

void gr_study_table_free(GrStudyTable *table);

/// Text of the campaign file with which the study was made, and where that file was. Free both.
GrStatus gr_study_campaign(GrStudy *study, char **text, char **path, GrErrorLog *log);

/// Values of a row by its id, as overrides "path=value": `out` has GR_CAMPAIGN_VARIABLES rows. Returns their number; −1
/// after an error, such as an id that does not exist. `outcome` and `state_hash` are those of its result; "" and 0: not
/// yet done.
int gr_study_overrides(GrStudy *study, int64_t id, char (*out)[GR_VARIABLE_PATH + GR_VARIABLE_TEXT], GrResult *result,
                       GrErrorLog *log);

#endif
