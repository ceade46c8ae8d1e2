/// report.html: a run on one self-contained page. Map and track, plots against time and distance, contact states,
/// wheels, energy balance, warnings, and the exact input. Its size does not grow with the length of the run.
#ifndef GR_RUN_REPORT_H
#define GR_RUN_REPORT_H

#include "grouser/record.h"
#include "run_history.h"

#include "buffer.h"

typedef struct GrRunReport {
    const GrRecordDef *def;
    const GrRunSummary *summary;
    const GrRunHistory *history;
    const GrTrack *track; ///< values: mean magnitude of the wheels' slip
} GrRunReport;

/// Appends the whole page.
GrStatus gr_run_report_write(const GrRunReport *report, GrBuffer *page, GrErrorLog *log);

#endif
