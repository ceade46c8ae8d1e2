/// Internals of GrFoxglove that its sessions read. Everything is guarded by the mutex, but for what only the thread
/// that writes uses.
#ifndef GR_FOXGLOVE_DATA_H
#define GR_FOXGLOVE_DATA_H

#include "foxglove.h"

#include <pthread.h>

enum { GR_FOXGLOVE_ANSWERS = 256, GR_FOXGLOVE_ERROR_SIZE = 400 };

/// A message that sessions share while they send it.
typedef struct GrFoxgloveMessage {
    int holders;
    uint64_t time;
    size_t size;
    char data[];
} GrFoxgloveMessage;

typedef struct GrFoxgloveChannel {
    GrBuffer text; ///< members of its advertisement after the id
    bool open;
    GrTopicKind kind;
    GrFoxgloveMessage *newest; ///< NULL: none yet
    uint64_t serial;           ///< counts its messages
    double put_at;             ///< wall time of the newest [s]; of the thread that writes
} GrFoxgloveChannel;

typedef struct GrFoxgloveAnswer {
    uint32_t ticket;
    bool failed;
    char error[GR_FOXGLOVE_ERROR_SIZE];
} GrFoxgloveAnswer;

struct GrFoxglove {
    pthread_mutex_t mutex;
    char name[256], session[32];
    bool restarting; ///< the channels of the new run are not complete
    GrFoxgloveChannel channels[GR_FOXGLOVE_CHANNELS];
    int channel_count;
    uint64_t time, time_serial;
    GrFoxgloveParameter parameters[GR_FOXGLOVE_PARAMETERS];
    uint64_t parameter_serial[GR_FOXGLOVE_PARAMETERS]; ///< of the last change
    int parameter_count;
    uint64_t parameters_serial; ///< of the last change of any
    char complaint[GR_FOXGLOVE_ERROR_SIZE];
    uint64_t complaint_serial;
    GrFoxgloveAnswer answers[GR_FOXGLOVE_ANSWERS]; ///< by ticket
    uint32_t tickets;                              ///< handed out

    // of the thread that writes
    GrBuffer draft; ///< of the message that is open
    int draft_channel;
    uint64_t draft_time;
    GrBuffer *schemas; ///< members schemaName, schema and schemaEncoding of each type
    int schema_count;
};

/// Gives a shared message back. The mutex is locked.
void gr_foxglove_drop(GrFoxgloveMessage *message);

#endif
