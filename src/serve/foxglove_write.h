/// Messages of a server of Foxglove's protocol (github.com/foxglove/ws-protocol, docs/spec.md), each appended to a
/// buffer.
#ifndef GR_FOXGLOVE_WRITE_H
#define GR_FOXGLOVE_WRITE_H

#include "buffer.h"
#include "message.h"

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

#endif
