/// Measured tables that ship with the program: data/measurements/NAME.csv -> columns of numbers.
#ifndef GR_MEASURED_H
#define GR_MEASURED_H

#include "file.h"

/// Path of a shipped table; an unknown name is an error.
GrStatus gr_measured_find(const char *name, char path[GR_FILE_PATH_SIZE], GrErrorLog *log);

typedef struct GrMeasured {
    double *values; ///< column after column [column_count · count]
    int count;      ///< rows
} GrMeasured;

/// Reads the columns named; every cell must be a number. Free with gr_measured_free().
GrStatus gr_measured_load(const char *name, const char *const *columns, int column_count, GrMeasured *out,
                          GrErrorLog *log);

void gr_measured_free(GrMeasured *table);

static inline const double *gr_measured_column(const GrMeasured *table, int column)
{
    return table->values + column * table->count;
}

#endif
