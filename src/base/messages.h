/// Messages that were collected apart and are now reported.
#ifndef GR_MESSAGES_H
#define GR_MESSAGES_H

#include "grouser/status.h"

/// Appends all messages of `from` to `log`, which may be NULL.
void gr_messages_repeat(const GrErrorLog *from, GrErrorLog *log);

#endif
