/// Messages to the user: errors and warnings on stderr, coloured on a terminal only.
#ifndef GR_REPORT_H
#define GR_REPORT_H

#include "grouser/status.h"

#include <stdio.h>

/// "grouser: error: …"
void gr_report_error(const char *format, ...) GR_PRINTF(1, 2);

/// All messages of a log, one a line, as gr_error_format() writes them, and how many were left out.
void gr_report_log(const GrErrorLog *log);

/// Exit code for a status: GR_EXIT_INPUT when the input is to blame, GR_EXIT_FAILURE otherwise.
int gr_report_exit_code(GrStatus status);

/// Words of `text` in lines of at most `width` columns, each but the first after `indent` spaces.
void gr_print_wrapped(const char *text, int indent, int width, FILE *file);

#endif
