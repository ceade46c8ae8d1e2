/// One client of Foxglove's protocol: takes its messages, and gives what is to be sent to it, piece by piece. It knows
/// nothing of sockets.
///
///     gr_foxglove_session_open(&session, foxglove, inbox);
///     gr_foxglove_session_take(&session, data, size, binary);            // a message of the client
///     while (gr_foxglove_session_next(&session, buffer, most, &piece))   // as long as the client takes it
///     gr_foxglove_session_close(&session);
///
/// What a client asks of the run goes into the inbox with a ticket; the client gets the answer when the run has given
/// it. A message that makes no sense is answered by a status message, and the connection goes on.
#ifndef GR_FOXGLOVE_SESSION_H
#define GR_FOXGLOVE_SESSION_H

#include "foxglove.h"
#include "message.h"
#include "server.h"

#include <stddef.h>

// What a client of Foxglove's protocol sends (foxglove.websocket.v1, foxglove.sdk.v1): JSON objects in text messages,
// and binary messages that begin with an operation of one byte. All integers are little-endian.
//
// Everything is checked here: whoever takes a request sees only known operations with ids of 32 bits and finite
// numbers. Texts of a request point into the message.

enum {
    GR_FOXGLOVE_SIZE = 16384, ///< largest message of a client [bytes]
    GR_FOXGLOVE_ITEMS = 512,  ///< most items of a request
};

typedef enum GrFoxgloveOp {
    GR_FOXGLOVE_SUBSCRIBE,
    GR_FOXGLOVE_UNSUBSCRIBE,
    GR_FOXGLOVE_ADVERTISE,
    GR_FOXGLOVE_UNADVERTISE,
    GR_FOXGLOVE_GET_PARAMETERS,
    GR_FOXGLOVE_SET_PARAMETERS,
    GR_FOXGLOVE_SUBSCRIBE_PARAMETERS,
    GR_FOXGLOVE_UNSUBSCRIBE_PARAMETERS,
    GR_FOXGLOVE_PUBLISH,
    GR_FOXGLOVE_CALL
} GrFoxgloveOp;

typedef enum GrFoxgloveKind { GR_FOXGLOVE_NUMBER, GR_FOXGLOVE_TEXT } GrFoxgloveKind;

typedef struct GrFoxgloveItem {
    uint32_t id, channel; ///< SUBSCRIBE both; UNSUBSCRIBE, ADVERTISE, UNADVERTISE `id` alone
    const char *name;     ///< topic of ADVERTISE, name of a parameter
    const char *encoding; ///< ADVERTISE
    GrFoxgloveKind kind;  ///< SET_PARAMETERS
    double number;        ///< SET_PARAMETERS
    const char *text;     ///< SET_PARAMETERS
} GrFoxgloveItem;

typedef struct GrFoxgloveRequest {
    GrFoxgloveOp op;
    int count; ///< items
    GrFoxgloveItem items[GR_FOXGLOVE_ITEMS];
    const char *request_id; ///< of GET_PARAMETERS and SET_PARAMETERS; NULL: none

    uint32_t id;                    ///< PUBLISH: channel; CALL: service
    uint32_t call;                  ///< CALL
    const char *encoding, *payload; ///< PUBLISH and CALL; not zero-terminated
    size_t encoding_size, payload_size;
} GrFoxgloveRequest;

/// Reads a text message, which must be zero-terminated at `size`, and is changed. False: refused; `why` says what is
/// wrong.
bool gr_foxglove_read_text(char *text, size_t size, GrFoxgloveRequest *out, const char **why);
bool gr_foxglove_read_binary(const char *data, size_t size, GrFoxgloveRequest *out, const char **why);

/// Reads a geometry_msgs/Twist in JSON: {"linear": {"x", "y"}, "angular": {"z"}}, each number 0 where it is missing.
/// `text` is zero-terminated at `size`, and is changed.
bool gr_foxglove_read_twist(char *text, size_t size, GrDriveTwist *out, const char **why);

enum {
    GR_SESSION_CALLS = 16,       ///< most requests that wait for an answer
    GR_SESSION_TOPICS = 16,      ///< most channels that a client publishes
    GR_SESSION_SETS = 32,        ///< most parameters that are set at once
    GR_SESSION_OUTBOX = 1 << 18, ///< most bytes of answers that wait for a client that does not read
};

/// What a client has of one channel.
typedef struct GrSubscription {
    bool announced, active;
    uint32_t id;
    uint64_t seen; ///< serial of the last message that was sent
} GrSubscription;

/// A request that waits for its answer.
typedef struct GrPendingCall {
    uint32_t ticket; ///< 0: free
    bool is_service;
    uint32_t service, call;
    bool has_id;
    char id[GR_FOXGLOVE_NAME_SIZE];  ///< of setParameters
    uint64_t names[GR_SESSION_SETS]; ///< hashes of the parameters that are set
    int name_count;
} GrPendingCall;

typedef struct GrFoxgloveSession {
    GrFoxglove *foxglove;
    GrInbox *inbox;
    GrSubscription *channels; ///< [GR_FOXGLOVE_CHANNELS]
    GrPendingCall calls[GR_SESSION_CALLS];
    uint32_t topics[GR_SESSION_TOPICS]; ///< ids under which the client publishes /cmd_vel
    int topic_count;
    bool welcomed, has_services;
    bool failed;                            ///< it does not read its answers, or memory is out: the connection must end
    bool all_parameters;                    ///< wants updates of all
    uint64_t names[GR_FOXGLOVE_PARAMETERS]; ///< hashes of the parameters of which it wants updates
    int name_count;
    uint64_t time_seen, parameters_seen, complaint_seen;
    GrBuffer outbox; ///< answers: size and kind, then the message
    size_t outbox_read;
    int next_channel; ///< to look at first

    // what is being sent
    GrBuffer text;                     ///< a message, or the head of one of a channel
    struct GrFoxgloveMessage *message; ///< of a channel; NULL: `text` is all
    bool binary, sending;
    size_t sent;
} GrFoxgloveSession;

/// False: out of memory.
bool gr_foxglove_session_open(GrFoxgloveSession *session, GrFoxglove *foxglove, GrInbox *inbox);
void gr_foxglove_session_close(GrFoxgloveSession *session);

/// Takes a message, which is zero-terminated at `size` and is changed. False: the session has failed.
bool gr_foxglove_session_take(GrFoxgloveSession *session, char *data, size_t size, bool binary);

/// A part of a message.
typedef struct GrFoxglovePiece {
    size_t size;
    bool binary, last;
} GrFoxglovePiece;

/// Copies the next piece of at most `most` bytes, where 0 only begins a message; false: there is nothing to send.
bool gr_foxglove_session_next(GrFoxgloveSession *session, char *out, size_t most, GrFoxglovePiece *piece);

// ---- between its two parts

/// Appends an answer. False: too much waits already, or memory is out.
bool gr_foxglove_session_post(GrFoxgloveSession *session, const GrBuffer *message, bool binary);
bool gr_foxglove_session_say(GrFoxgloveSession *session, GrFoxgloveLevel level, const char *text);
/// Values of the parameters with these hashes (NULL: all), under the id of a request (NULL: none).
bool gr_foxglove_session_tell(GrFoxgloveSession *session, const uint64_t *names, int count, const char *id);
uint64_t gr_foxglove_hash(const char *name);

#endif
