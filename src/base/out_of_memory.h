/// The one message for memory that is out.
#ifndef GR_OUT_OF_MEMORY_H
#define GR_OUT_OF_MEMORY_H

#include "grouser/status.h"

/// Appends it and returns GR_ERROR_MEMORY. `file`: the one that was being read or written; NULL: none.
GrStatus gr_out_of_memory(GrErrorLog *log, const char *file);

#endif
