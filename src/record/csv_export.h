/// run.csv from run.mcap: the columns of a recording as text, after the run.
#ifndef GR_CSV_EXPORT_H
#define GR_CSV_EXPORT_H

#include "grouser/status.h"

/// Writes the table of a recording, with names and order of run_csv.h. Numbers that the recording has in single
/// precision get the fewest digits that tell them apart. Nothing is left at `csv_path` after an error.
/// `rows`: NULL, or set to the number of samples.
GrStatus gr_csv_export(const char *mcap_path, const char *csv_path, long *rows, GrErrorLog *log);

#endif
