/// Messages of viewers on their way to the simulation: a short queue between two threads.
///
/// Only the newest of consecutive drive commands is kept, so that a stick that moves does not fill the queue.
#ifndef GR_INBOX_H
#define GR_INBOX_H

#include "message.h"

enum { GR_INBOX_SIZE = 32 };

typedef struct GrInbox GrInbox;

GrInbox *gr_inbox_create(void);
void gr_inbox_free(GrInbox *inbox);

/// False: the queue is full, and the message is lost.
bool gr_inbox_post(GrInbox *inbox, const GrMessage *message);

/// Takes the oldest message; waits for one at most this long [s]. False: there is none.
bool gr_inbox_take(GrInbox *inbox, double wait, GrMessage *out);

/// Ends a wait of another thread.
void gr_inbox_wake(GrInbox *inbox);

#endif
