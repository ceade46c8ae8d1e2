/// Any bytes as the message of a viewer. What is accepted must be in its ranges.
#include "message.h"

#include "target.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrMessage message;
    static char text[GR_MESSAGE_SIZE + 1];
    const char *why = NULL;
    if (size > GR_MESSAGE_SIZE) {
        return; // the server does not take it
    }
    memcpy(text, data, size);
    text[size] = '\0';
    const bool good = gr_message_read(text, size, &message, &why);
    if (good != (why == NULL)) {
        abort(); // refused without a reason, or the other way round
    }
    const GrDriveCommand *c = &message.command;
    const bool in_range = message.pace >= 0 && message.pace <= GR_PACE_MOST && fabs(c->speed) <= GR_MESSAGE_SPEED &&
                          fabs(c->curvature) <= GR_MESSAGE_CURVATURE && fabs(c->yaw_rate) <= GR_MESSAGE_YAW_RATE &&
                          fabs(c->crab) <= GR_MESSAGE_CRAB && c->mode < GR_DRIVE_MODE_COUNT;
    size_t used = 0;
    for (int i = 0; good && i < message.set_count; i++) {
        const char *set = gr_message_set(&message, i);
        used += strlen(set) + 1;
        if (strchr(set, '=') == NULL) {
            abort();
        }
    }
    const bool lines = message.op == GR_MESSAGE_LINES_OF_TEXT;
    const bool placed = message.first >= 1 && message.last >= message.first - 1 && message.last <= GR_MESSAGE_LINES &&
                        memchr(message.set, 0, sizeof message.set) != NULL;
    if (good && lines && !placed) {
        abort();
    }
    if (good && (!in_range || used > sizeof message.set)) {
        abort();
    }
}
