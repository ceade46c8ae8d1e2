/// Messages that were collected apart and are now reported.
#ifndef GR_MESSAGES_H
#define GR_MESSAGES_H

#include "grouser/status.h"

/// Appends all messages of `from` to `log`, which may be NULL.
void gr_messages_repeat(const GrErrorLog *from, GrErrorLog *log);

/// Status of the last error in a log, for callers of functions that return no status; `otherwise` where it has none.
GrStatus gr_messages_last_error(const GrErrorLog *log, GrStatus otherwise);

#endif
