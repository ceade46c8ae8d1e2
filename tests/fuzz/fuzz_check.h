/// Checks that many targets share.
#ifndef GR_FUZZ_CHECK_H
#define GR_FUZZ_CHECK_H

#include "grouser/status.h"

#include <stdio.h>
#include <stdlib.h>

/// A failure has a message, and an error is a failure. Otherwise prints what was said, and ends the program.
static inline void gr_fuzz_agree(GrStatus status, const GrErrorLog *log)
{
    if ((status == GR_OK) == (log->error_count == 0)) {
        return;
    }
    fprintf(stderr, "status '%s' with %d errors\n", gr_status_text(status), log->error_count);
    for (int i = 0; i < log->count; i++) {
        char text[1024];
        gr_error_format(&log->items[i], text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    abort();
}

#endif
