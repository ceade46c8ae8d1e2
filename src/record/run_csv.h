/// run.csv: one row per sample, names with units in the first row. Contact states, drive modes and soils are texts; a
/// missing number is an empty cell.
#ifndef GR_RUN_CSV_H
#define GR_RUN_CSV_H

#include "run_field.h"

/// Sources of the names in the header. They must outlive the file writer.
typedef struct GrRunNames {
    const GrRoverDef *rover; ///< may be NULL: all joints are taken as rotating
    const GrModel *model;
    const char *const *soils;
    int soil_count;
    unsigned parts; ///< GrSampleParts: groups of columns that only some runs have
} GrRunNames;

typedef struct GrRunCsv GrRunCsv;

/// NULL when the file cannot be created. `hold`: samples become rows when these are due, not before, since the file
/// will probably be dropped. `now` here and below: wall time [s].
GrRunCsv *gr_run_csv_open(const char *path, const GrRunNames *names, bool hold, double now, GrErrorLog *log);

/// Complete rows reach the file within a second of wall time.
GrStatus gr_run_csv_add(GrRunCsv *csv, const GrSample *sample, double now, GrErrorLog *log);

/// Frees the writer of a file that is not wanted any more, and leaves out what is not written yet.
void gr_run_csv_drop(GrRunCsv *csv);

/// Also frees the writer; NULL is allowed.
GrStatus gr_run_csv_close(GrRunCsv *csv, GrErrorLog *log);

#endif
