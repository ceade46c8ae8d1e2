/// Inside of GrStudy, for the files that read and write it.
#ifndef GR_STUDY_PARTS_H
#define GR_STUDY_PARTS_H

#include "file.h"
#include "study.h"

#include <sqlite3.h>

struct GrStudy {
    char path[GR_FILE_PATH_SIZE];
    sqlite3 *db;
    int lock; ///< file descriptor; −1: open for reading
    int format;
    uint64_t identity;
    const GrCampaign *campaign; ///< NULL: open for reading
    sqlite3_stmt *insert, *select, *update;
};

GrStatus gr_study_fail(const GrStudy *study, const char *doing, GrErrorLog *log);
GrStatus gr_study_execute(GrStudy *study, const char *sql, GrErrorLog *log);
sqlite3_stmt *gr_study_prepare(GrStudy *study, const char *sql, GrErrorLog *log);

/// The column `prediction` of a row, as in GrResult.
const char *gr_study_band_word(sqlite3_stmt *s, int column);

/// A value of the table `campaign`, to be freed; NULL: none.
char *gr_study_pair(GrStudy *study, const char *name);

#endif
