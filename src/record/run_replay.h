/// A run for the viewer, as a stream of chunks (docs/replay.md): the file replay.bin, or messages to a browser.
///
/// The chunks go to a function of the caller. Samples that come faster than needed are thinned: a replay has about
/// GR_REPLAY_SAMPLES samples at most, however long the run.
#ifndef GR_RUN_REPLAY_H
#define GR_RUN_REPLAY_H

#include "grouser/record.h"
#include "json.h"

enum { GR_REPLAY_SAMPLES = 20000, GR_REPLAY_NODES = 1024, GR_REPLAY_FAR_NODES = 640, GR_REPLAY_LIVE_NODES = 3200 };
#define GR_REPLAY_RUT_QUANTUM 1e-4 ///< [m]

typedef struct GrReplayDef {
    GrRecordDef record; ///< what is run; must outlive the replay
    double rate;        ///< of the samples that are added [Hz]
    double duration;    ///< planned [s]; NAN: unknown, samples are not thinned
    double tolerance;   ///< of way-points [m]
    int ground_nodes;   ///< a window of the ground has at most the square of this many nodes; 0: GR_REPLAY_NODES around
                        ///< path and rover, and GR_REPLAY_FAR_NODES for the whole map
    /// Takes a whole chunk with its header.
    GrStatus (*put)(void *context, const char *chunk, size_t size, GrErrorLog *log);
    void *context;
    /// Writes the member "live" of the head; NULL: none.
    void (*put_live)(const void *context, GrJson *json);
    const void *live_context;
} GrReplayDef;

typedef struct GrRunReplay GrRunReplay;

/// One sample of this many is kept.
int gr_replay_stride(const GrReplayDef *def);

/// NULL when out of memory. Nothing is put before the first sample.
GrRunReplay *gr_run_replay_create(const GrReplayDef *def, GrErrorLog *log);

/// Whether the sample will need ground or ruts, as for gr_run_topics_needs_ground().
bool gr_run_replay_needs_ground(const GrRunReplay *run, const GrSample *sample);

/// Adds a sample. A block is put when it is full, or a second after the last one; `now`: wall time [s].
GrStatus gr_run_replay_add(GrRunReplay *run, const GrSample *sample, double now, GrErrorLog *log);

/// Puts the samples and ruts so far.
GrStatus gr_run_replay_flush(GrRunReplay *run, double now, GrErrorLog *log);

/// Appends the chunk LIVE of a sample.
void gr_run_replay_live(GrRunReplay *run, const GrSample *sample, GrBuffer *chunk);

/// Puts what is left, and DONE with the summary; NULL: the run was cut off. Called once; no sample may follow.
GrStatus gr_run_replay_finish(GrRunReplay *run, const GrRunSummary *summary, GrErrorLog *log);
void gr_run_replay_free(GrRunReplay *run);

/// A replay that goes to a file.
typedef struct GrReplayFile GrReplayFile;

/// NULL when the file cannot be created.
GrReplayFile *gr_replay_file_open(const char *path, const GrReplayDef *def, GrErrorLog *log);
GrRunReplay *gr_replay_file_run(GrReplayFile *file);

/// Finishes and frees; NULL is allowed.
GrStatus gr_replay_file_close(GrReplayFile *file, const GrRunSummary *summary, GrErrorLog *log);

#endif
