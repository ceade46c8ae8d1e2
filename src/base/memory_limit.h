/// Memory that a request would take, against what there is: a cost that is too high is named before it is paid.
#ifndef GR_MEMORY_LIMIT_H
#define GR_MEMORY_LIMIT_H

#include "grouser/status.h"

/// GR_ERROR_VALUE, with both numbers and what to change, where `bytes` are more than that.
GrStatus gr_memory_require(double bytes, GrLocation at, const char *change, GrErrorLog *log);

#endif
