/// Messages to the user: errors and warnings on stderr, coloured on a terminal only.
#ifndef GR_REPORT_H
#define GR_REPORT_H

#include "grouser/status.h"

#include <stdio.h>

/// "grouser: error: …"
void gr_report_error(const char *format, ...) GR_PRINTF(1, 2);

/// Prints all messages of a log, one per line, as gr_error_format() writes them, and the number of those left out.
void gr_report_log(const GrErrorLog *log);

/// Exit code for a status: GR_EXIT_INPUT when the input is wrong, GR_EXIT_FAILURE otherwise.
int gr_report_exit_code(GrStatus status);

/// Prints `text` wrapped to `width` columns; lines after the first are indented by `indent` spaces.
void gr_print_wrapped(const char *text, int indent, int width, FILE *file);

#endif
