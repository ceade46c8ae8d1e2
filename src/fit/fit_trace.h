/// Regression of wheel traces from measured ones: mean height and crest to trough as straight lines over load and slip.
#ifndef GR_FIT_TRACE_H
#define GR_FIT_TRACE_H

#include "grouser/trace.h"

#include <stddef.h>

/// A measured trace.
typedef struct GrTraceDatum {
    double load;        ///< [N]
    double slip;        ///< 0 when the data has no such column
    double mean, swing; ///< [m]
} GrTraceDatum;

typedef struct GrTraceData {
    GrTraceDatum *items;
    int count;
    bool has_slip;
} GrTraceData;

/// A CSV file with load_N and either trough_mm and crest_mm or mean_mm and amplitude_mm (crest to trough); slip is
/// optional. Free with gr_trace_data_free() when GR_OK.
GrStatus gr_trace_data_load(const char *path, GrTraceData *out, GrErrorLog *log);
GrStatus gr_trace_data_parse(const char *text, size_t length, const char *file, GrTraceData *out, GrErrorLog *log);
void gr_trace_data_free(GrTraceData *data);

/// Errors of a line.
typedef struct GrTraceErrors {
    double mean_absolute; ///< [m]
    double mean_percent;  ///< of the measured value
    double largest;       ///< [m]
    double left_out;      ///< leave-one-out mean absolute error [m]; NAN: too few points
} GrTraceErrors;

typedef struct GrTraceFit {
    GrTraceDef def;
    GrTraceErrors mean, swing;
    bool by_slip; ///< slip varies in the data, so its coefficients were fitted; else they are 0
} GrTraceFit;

/// Least squares. `wheel` gives the wheel and the gravity of the tests.
GrStatus gr_trace_fit(const GrTraceData *data, const GrTraceDef *wheel, GrTraceFit *out, GrErrorLog *log);

/// base + load F + slip |s|
double gr_trace_line_at(const GrTraceLine *line, double load, double slip);

#endif
