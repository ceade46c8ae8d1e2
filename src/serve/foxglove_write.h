/// Messages of a server of Foxglove's protocol (github.com/foxglove/ws-protocol, docs/spec.md; playback as Foxglove's
/// SDK has it), each appended to a buffer.
#ifndef GR_FOXGLOVE_WRITE_H
#define GR_FOXGLOVE_WRITE_H

#include "buffer.h"
#include "message.h"

typedef struct GrFoxgloveInfo {
    const char *name;    ///< shown by the client
    const char *session; ///< another one for every server that is started
    bool playback;       ///< a recorded run: the client may seek; a live run otherwise
    uint64_t start, end; ///< of a recorded run [ns]
} GrFoxgloveInfo;

void gr_foxglove_put_info(GrBuffer *out, const GrFoxgloveInfo *info);

typedef enum GrFoxgloveLevel { GR_FOXGLOVE_INFO, GR_FOXGLOVE_WARNING, GR_FOXGLOVE_ERROR } GrFoxgloveLevel;
void gr_foxglove_put_status(GrBuffer *out, GrFoxgloveLevel level, const char *message);

/// A service that needs no data: its name, and what it does.
typedef struct GrFoxgloveService {
    const char *name;
    GrMessageOp op;
    bool release;  ///< of GR_MESSAGE_DRIVE
    bool recorded; ///< recorded runs have it too
} GrFoxgloveService;

/// The service with this number, counted from 1; NULL: there is none.
const GrFoxgloveService *gr_foxglove_service(uint32_t number, bool playback);
void gr_foxglove_put_services(GrBuffer *out, bool playback);

/// The answer to a call: of a trigger that has succeeded.
void gr_foxglove_put_response(GrBuffer *out, uint32_t service, uint32_t call);
void gr_foxglove_put_failure(GrBuffer *out, uint32_t service, uint32_t call, const char *message);

void gr_foxglove_put_time(GrBuffer *out, uint64_t time);

/// Head of a message of a channel; its payload follows.
void gr_foxglove_put_head(GrBuffer *out, uint32_t subscription, uint64_t time);

typedef enum GrPlaybackStatus {
    GR_PLAYBACK_PLAYING,
    GR_PLAYBACK_PAUSED,
    GR_PLAYBACK_BUFFERING,
    GR_PLAYBACK_ENDED
} GrPlaybackStatus;

typedef struct GrPlaybackState {
    GrPlaybackStatus status;
    uint64_t time; ///< [ns]
    double speed;
    bool seeked;
    char id[GR_PLAYBACK_ID_SIZE]; ///< of the request that it answers; empty: none
} GrPlaybackState;

void gr_foxglove_put_playback(GrBuffer *out, const GrPlaybackState *state);

#endif
