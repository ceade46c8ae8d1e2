/// run.csv: one row per sample, names with units in the first row. Contact states, drive modes and soils are texts; a
/// missing number is an empty cell.
#ifndef GR_RUN_CSV_H
#define GR_RUN_CSV_H

#include "grouser/record.h"

typedef struct GrRunCsv GrRunCsv;

/// NULL when the file cannot be created. `def` must outlive the writer. `now` here and below: wall time [s].
GrRunCsv *gr_run_csv_open(const char *path, const GrRecordDef *def, double now, GrErrorLog *log);

/// Complete rows reach the file within a second of wall time.
GrStatus gr_run_csv_add(GrRunCsv *csv, const GrSample *sample, double now, GrErrorLog *log);

/// Also frees the writer; NULL is allowed.
GrStatus gr_run_csv_close(GrRunCsv *csv, GrErrorLog *log);

#endif
