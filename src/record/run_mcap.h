/// The file run.mcap: the topics of a run (run_topics.h) as messages in an MCAP container.
#ifndef GR_RUN_MCAP_H
#define GR_RUN_MCAP_H

#include "grouser/record.h"
#include "topic_sink.h"

typedef struct GrRunMcap GrRunMcap;

/// NULL when the file cannot be created. `now` here and below: wall time [s].
GrRunMcap *gr_run_mcap_open(const char *path, const GrRecordDef *def, double now, GrErrorLog *log);

/// As gr_run_topics_needs_ground().
bool gr_run_mcap_needs_ground(const GrRunMcap *run, const GrSample *sample);
GrStatus gr_run_mcap_add(GrRunMcap *run, const GrSample *sample, double now, GrErrorLog *log);

/// For further topics. Only while gr_run_mcap_add() is not called; follow messages by gr_run_mcap_tick().
GrTopicSink gr_run_mcap_sink(GrRunMcap *run);
GrStatus gr_run_mcap_tick(GrRunMcap *run, double now, GrErrorLog *log);

/// Also frees the writer; NULL is allowed.
GrStatus gr_run_mcap_close(GrRunMcap *run, GrErrorLog *log);

#endif
