/// The hook for messages, for the log that they are added to.
#ifndef GR_HOOK_LOG_H
#define GR_HOOK_LOG_H

#include "grouser/hooks.h"

bool gr_hook_log_is_set(void);

/// Only where it is set.
void gr_hook_log(const GrError *message);

#endif
