/// The state of a run for clients of Foxglove's protocol: channels with their newest messages, time, parameters.
///
///     GrFoxglove *foxglove = gr_foxglove_create("crossing");
///     GrTopicSink sink = gr_foxglove_sink(foxglove);        // messages go in here (src/record/run_topics.h)
///     gr_foxglove_set_time(foxglove, time);                 // then gr_server_wake()
///     gr_foxglove_answer(foxglove, message.ticket, NULL);   // a message out of the inbox was obeyed
///
/// One thread writes; sessions (foxglove_session.h) belong to one other thread. Nothing is queued for a client: it gets
/// the newest message of each channel that it subscribes to whenever it can take it, so that a slow one misses messages
/// and costs the run nothing. Memory does not depend on how slow clients are.
#ifndef GR_FOXGLOVE_H
#define GR_FOXGLOVE_H

#include "buffer.h"
#include "message.h"
#include "topic_sink.h"

// Messages of a server of Foxglove's protocol (github.com/foxglove/ws-protocol, docs/spec.md), each appended to a
// buffer.

/// `name` is shown by the client; `session` is another one for every server that is started.
void gr_foxglove_put_info(GrBuffer *out, const char *name, const char *session);

typedef enum GrFoxgloveLevel { GR_FOXGLOVE_INFO, GR_FOXGLOVE_WARNING, GR_FOXGLOVE_ERROR } GrFoxgloveLevel;
void gr_foxglove_put_status(GrBuffer *out, GrFoxgloveLevel level, const char *message);

/// A service that needs no data: its name, and what it does.
typedef struct GrFoxgloveService {
    const char *name;
    GrMessageOp op;
    bool release; ///< of GR_MESSAGE_DRIVE
} GrFoxgloveService;

/// The service with this number, counted from 1; NULL: there is none.
const GrFoxgloveService *gr_foxglove_service(uint32_t number);
void gr_foxglove_put_services(GrBuffer *out);

/// The answer to a call: of a trigger that has succeeded.
void gr_foxglove_put_response(GrBuffer *out, uint32_t service, uint32_t call);
void gr_foxglove_put_failure(GrBuffer *out, uint32_t service, uint32_t call, const char *message);

void gr_foxglove_put_time(GrBuffer *out, uint64_t time);

/// Head of a message of a channel; its payload follows.
void gr_foxglove_put_head(GrBuffer *out, uint32_t subscription, uint64_t time);

enum {
    GR_FOXGLOVE_CHANNELS = 512,  ///< most channels
    GR_FOXGLOVE_PARAMETERS = 96, ///< most parameters
    GR_FOXGLOVE_NAME_SIZE = 64,
};

typedef struct GrFoxglove GrFoxglove;

/// `name` is shown by clients. NULL: out of memory.
GrFoxglove *gr_foxglove_create(const char *name);
/// All sessions must have ended; NULL is allowed.
void gr_foxglove_free(GrFoxglove *foxglove);

/// A new run begins: its channels are about to be opened. Those that it has too keep their ids.
void gr_foxglove_restart(GrFoxglove *foxglove);

/// Takes messages. Of a stream that comes faster than GR_FOXGLOVE_RATE [1/s] of wall time, some are not wanted.
GrTopicSink gr_foxglove_sink(GrFoxglove *foxglove);
#define GR_FOXGLOVE_RATE 250.0

/// The next message of every stream is wanted.
void gr_foxglove_hurry(GrFoxglove *foxglove);

/// Simulated time [ns].
void gr_foxglove_set_time(GrFoxglove *foxglove, uint64_t time);

/// A value that clients may change.
typedef struct GrFoxgloveParameter {
    char name[GR_FOXGLOVE_NAME_SIZE];
    bool is_text;
    double number;
    char text[GR_FOXGLOVE_NAME_SIZE];
} GrFoxgloveParameter;

/// Replaces all parameters.
void gr_foxglove_set_parameters(GrFoxglove *foxglove, const GrFoxgloveParameter *parameters, int count);

/// Tells all clients of an error, as a status message; one that follows soon replaces it.
void gr_foxglove_complain(GrFoxglove *foxglove, const char *error);

/// A request was obeyed, or failed with this error; NULL: it succeeded. A ticket of 0 is ignored.
void gr_foxglove_answer(GrFoxglove *foxglove, uint32_t ticket, const char *error);

#endif
