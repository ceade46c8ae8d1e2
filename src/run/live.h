/// GrLive: a scenario that runs while others look on and drive. It does not depend on servers: chunks of the replay go
/// to functions of the caller (docs/replay.md), messages by topic to a sink, and commands come as calls.
///
///     gr_live_open -> { gr_live_advance | gr_live_drive | gr_live_reset } ... -> gr_live_close
///
/// The mission advances from sample to sample exactly as gr_run() does, so that the numbers do not depend on viewers.
/// Commands of a driver are noted with their simulated time, and gr_live_save() writes them as a scenario that repeats
/// the drive with the same bits.
#ifndef GR_LIVE_H
#define GR_LIVE_H

#include "buffer.h"
#include "grouser/run.h"
#include "message.h"
#include "run_tables.h"
#include "topic_sink.h"

enum {
    GR_LIVE_OVERRIDES = 128,
    GR_LIVE_OVERRIDE_SIZE = 256,
};

typedef struct GrLiveDef {
    const char *scenario; ///< name or file
    const char *text;     ///< what that file is to contain; NULL: what it contains
    size_t text_size;
    const char *const *overrides; ///< NULL, or NULL-terminated
    const char *directory;        ///< where to record; NULL: nowhere
    GrRunBands bands;             ///< of the scenario on samples of its soils; without samples: none
    void *context;
    void (*restart)(void *context); ///< a new run begins
    /// A chunk of the replay; false: out of memory.
    bool (*put)(void *context, const char *chunk, size_t size);
    const GrTopicSink *topics; ///< takes the messages of run.mcap (src/record/run_topics.h); NULL: none
} GrLiveDef;

typedef struct GrLive GrLive;

/// Loads the scenario and places the rover. NULL after an error.
GrLive *gr_live_open(const GrLiveDef *def, GrErrorLog *log);

/// Completes the recording. A run that is not over ends as interrupted.
GrStatus gr_live_close(GrLive *live, GrErrorLog *log);

/// Advances to the next sample. The outcome is GR_OUTCOME_RUNNING while the run goes on.
GrStatus gr_live_advance(GrLive *live, GrErrorLog *log);

/// Puts the samples so far to the viewers; call it about twice a second.
GrStatus gr_live_flush(GrLive *live, GrErrorLog *log);

/// Appends the newest sample as a chunk LIVE.
void gr_live_newest(GrLive *live, GrBuffer *chunk);

/// Starts again with values of the panel changed. After an error the present run is as it was. A drive by hand of the
/// run that ends is written as by gr_live_save(), to `path`.
GrStatus gr_live_reset(GrLive *live, const GrMessage *message, char *path, GrErrorLog *log);

/// Starts again with another text, without the values of the panel that were changed; with `live` opened from a text,
/// which the caller keeps while it is the newest. After an error the present run is as it was.
GrStatus gr_live_renew(GrLive *live, const char *text, size_t size, GrErrorLog *log);

/// Puts the newest sample to the sink of topics once more: it may have left messages out.
void gr_live_repeat(GrLive *live);

/// A command of a driver, as GR_MESSAGE_DRIVE or GR_MESSAGE_TWIST, or the release of the rover, from the present time
/// on.
GrStatus gr_live_drive(GrLive *live, const GrMessage *message, GrErrorLog *log);

/// Writes the drive as NAME_driven.yaml (or NAME_driven_2.yaml, …) into the working folder, and its path to `path`
/// [GR_SCENARIO_PATH_SIZE]. Does nothing, with an empty path, if nobody has driven, or with a text in place of a file.
GrStatus gr_live_save(GrLive *live, char *path, GrErrorLog *log);

double gr_live_time(const GrLive *live);
/// Time from sample to sample [s].
double gr_live_period(const GrLive *live);
GrOutcome gr_live_outcome(const GrLive *live);
bool gr_live_by_hand(const GrLive *live);
/// Hash of the state, as in summary.json.
uint64_t gr_live_hash(const GrLive *live);
const GrScenario *gr_live_scenario(const GrLive *live);

#endif
