/// The answer of the mission `go`, as its parts need it.
#ifndef GR_GO_ANSWER_H
#define GR_GO_ANSWER_H

#include "file.h"
#include "go.h"
#include "study_page.h"

/// Drives straight from start to goal, as asked for: what happens without a plan.
typedef struct GrGoStraight {
    int count, arrived;
    char outcome[GR_OUTCOME_SIZE]; ///< of the first that did not arrive
    double end[2];
} GrGoStraight;

typedef struct GrGoReport {
    const GrGo *go;
    const GrCampaign *campaign;
    const GrGoAnswer *answer;
    GrGoStraight straight;
    const char *study; ///< path
} GrGoReport;

/// Files beside the study; "": not written.
typedef struct GrGoFiles {
    char scenario[GR_FILE_PATH_SIZE]; ///< the best route, for `grouser run`
    char table[GR_FILE_PATH_SIZE];    ///< its way-points as CSV
    char geojson[GR_FILE_PATH_SIZE];
    char run[GR_FILE_PATH_SIZE]; ///< folder of its drive with everything recorded
} GrGoFiles;

/// Path of a file of the answer: that of the study with `end` in place of its suffix.
GrStatus gr_go_file_path(const char *study, const char *end, char out[GR_FILE_PATH_SIZE], GrErrorLog *log);

/// Writes the best route if it arrives, and drives it once more to record it; otherwise removes the files of an earlier
/// answer, but no recording.
GrStatus gr_go_files_write(const GrGoReport *report, GrGoFiles *out, GrErrorLog *log);

enum { GR_GO_TEXT = 1200 };
/// The answer in some sentences.
void gr_go_say(const GrGoReport *report, char out[GR_GO_TEXT]);

// Tables, for the page and the terminal.
void gr_go_table_tries(const GrGoReport *report, GrTable *out);
void gr_go_table_costs(const GrGoReport *report, GrTable *out);

/// Appends the sections of the page.
GrStatus gr_go_page(const GrGoReport *report, GrPage *page, GrErrorLog *log);

#endif
