/// Memory that a request would take, against what there is: a cost that is too high is named before it is paid.
#ifndef GR_MEMORY_LIMIT_H
#define GR_MEMORY_LIMIT_H

#include "grouser/status.h"

/// Memory that this process can still get [bytes]: what the system has available, below the limit of the process.
/// INFINITY where the system does not say.
double gr_memory_available(void);

/// GR_ERROR_VALUE, with both numbers and what to change, where `bytes` are more than that.
GrStatus gr_memory_require(double bytes, GrLocation at, const char *change, GrErrorLog *log);

#endif
