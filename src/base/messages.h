/// Messages that were collected apart and are now reported.
#ifndef GR_MESSAGES_H
#define GR_MESSAGES_H

#include "grouser/status.h"

/// Appends all messages of `from` to `log`, which may be NULL.
void gr_messages_repeat(const GrErrorLog *from, GrErrorLog *log);

/// Message `index` in the order in which people read them: errors first. NULL beyond the last.
const GrError *gr_messages_at(const GrErrorLog *log, int index);

/// Another place of a message, such as the file of what made it; it keeps its own where the log is full.
void gr_messages_set_place(GrErrorLog *log, int index, GrLocation at);

/// Status of the last error in a log, for callers of functions that return no status; `otherwise` where it has none.
GrStatus gr_messages_last_error(const GrErrorLog *log, GrStatus otherwise);

#endif
