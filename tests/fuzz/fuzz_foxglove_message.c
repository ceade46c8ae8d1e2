/// Any bytes as messages of a client of Foxglove's protocol: the first byte says whether they are binary. They go
/// through a whole session, whose answers are read to the end; a refused message must have a reason.
#include "foxglove_session.h"

#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A run with one channel, made once.
static GrFoxglove *run_with_channel(void)
{
    GrFoxglove *foxglove = gr_foxglove_create("fuzz");
    const GrTopicSink sink = gr_foxglove_sink(foxglove);
    GrBuffer set = {0};
    gr_buffer_puts(&set, "set");
    const int channel =
        sink.channel(sink.context, sink.schema(sink.context, "grouser.Body", &set), "/body", GR_TOPIC_LATCHED);
    gr_buffer_puts(sink.begin(sink.context, channel, 5), "payload");
    sink.end(sink.context);
    gr_buffer_free(&set);
    return foxglove;
}

static void check_parsed(const uint8_t *data, size_t size, bool binary)
{
    static GrFoxgloveRequest request;
    static char text[GR_FOXGLOVE_SIZE + 1];
    const char *why = NULL;
    memcpy(text, data, size);
    text[size] = '\0';
    const bool good = binary ? gr_foxglove_read_binary(text, size, &request, &why)
                             : gr_foxglove_read_text(text, size, &request, &why);
    const bool in_bounds = request.count >= 0 && request.count <= GR_FOXGLOVE_ITEMS;
    const bool inside = request.op != GR_FOXGLOVE_CALL || request.encoding_size + request.payload_size <= size;
    if (good != (why == NULL) || !in_bounds || (good && binary && !inside)) {
        abort();
    }
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrFoxglove *run;
    static GrInbox *inbox;
    if (inbox == NULL) {
        run = run_with_channel();
        inbox = gr_inbox_create();
    }
    if (size < 1 || size - 1 > GR_FOXGLOVE_SIZE) {
        return;
    }
    const bool binary = data[0] & 1;
    static char text[GR_FOXGLOVE_SIZE + 1], piece_bytes[1000];
    GrFoxgloveSession session;
    GrFoxglovePiece piece;
    GrMessage message;
    check_parsed(data + 1, size - 1, binary);
    gr_foxglove_session_open(&session, run, inbox);
    while (gr_foxglove_session_next(&session, piece_bytes, sizeof piece_bytes, &piece)) {
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    gr_foxglove_session_take(&session, text, size - 1, binary);
    while (gr_inbox_take(inbox, 0, &message)) {
        const GrDriveTwist *t = &message.twist;
        if (!(fabs(t->forward) <= GR_MESSAGE_SPEED && fabs(t->yaw_rate) <= GR_MESSAGE_YAW_RATE)) {
            abort();
        }
        gr_foxglove_answer(run, message.ticket, data[0] & 4 ? "refused" : NULL);
    }
    while (gr_foxglove_session_next(&session, piece_bytes, sizeof piece_bytes, &piece)) {
    }
    gr_foxglove_session_close(&session);
}
