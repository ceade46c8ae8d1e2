/// Reader and writer of trace files in memory, for gr_trace_load(), gr_trace_save() and the fuzzer.
#ifndef GR_TRACE_YAML_H
#define GR_TRACE_YAML_H

#include "buffer.h"

#include "grouser/trace.h"

/// `file` is the name for messages. After an error `out` has its defaults.
GrStatus gr_trace_parse_yaml(const char *text, size_t length, const char *file, GrTraceDef *out, GrErrorLog *log);

void gr_trace_write_yaml(const GrTraceDef *def, GrBuffer *out);

#endif
