/// The message for a failed allocation, in one place.
#ifndef GR_OUT_OF_MEMORY_H
#define GR_OUT_OF_MEMORY_H

#include "grouser/status.h"

/// Appends the message and returns GR_ERROR_MEMORY. `file`: the file being read or written, NULL when there is none.
GrStatus gr_out_of_memory(GrErrorLog *log, const char *file);

#endif
