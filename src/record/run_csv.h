/// run.csv: one row a sample, names with units in the first row. Contact states, drive modes and soils are texts; a
/// number that there is not is an empty cell.
#ifndef GR_RUN_CSV_H
#define GR_RUN_CSV_H

#include "run_field.h"

/// Whose names stand in the header. All of it must outlive what is made from it.
typedef struct GrRunNames {
    const GrRoverDef *rover; ///< may be NULL: all joints turn
    const GrModel *model;
    const char *const *soils;
    int soil_count;
} GrRunNames;

typedef struct GrRunCsv GrRunCsv;

/// NULL when the file cannot be made. `now` here and below: wall time [s].
GrRunCsv *gr_run_csv_open(const char *path, const GrRunNames *names, double now, GrErrorLog *log);

/// Rows are in the file within a second of wall time, whole.
GrStatus gr_run_csv_add(GrRunCsv *csv, const GrSample *sample, double now, GrErrorLog *log);

/// Also frees; NULL is allowed.
GrStatus gr_run_csv_close(GrRunCsv *csv, GrErrorLog *log);

#endif
