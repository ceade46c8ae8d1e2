/// What a client of Foxglove's protocol sends (foxglove.websocket.v1, foxglove.sdk.v1): JSON objects in text messages,
/// and binary messages that begin with an operation of one byte. All integers are little-endian.
///
/// Everything is checked here: whoever takes a request sees only known operations with ids of 32 bits and finite
/// numbers. Texts of a request point into the message.
#ifndef GR_FOXGLOVE_READ_H
#define GR_FOXGLOVE_READ_H

#include "message.h"

#include <stddef.h>

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

#endif
