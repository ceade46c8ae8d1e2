/// A file that grows while others read it.
#ifndef GR_SINK_H
#define GR_SINK_H

#include "file.h"

#include <stdint.h>

typedef struct GrSink {
    int fd; ///< −1: not open
    char path[GR_FILE_PATH_SIZE];
} GrSink;

/// Creates the file, or empties it.
GrStatus gr_sink_open(GrSink *sink, const char *path, GrErrorLog *log);

/// Appends; readers see the bytes at once, and they outlive this process. All of them or none: where they do not fit,
/// the file ends where it ended before.
GrStatus gr_sink_write(GrSink *sink, const void *data, size_t size, GrErrorLog *log);

/// Truncates the file to `size`; the next write continues there.
GrStatus gr_sink_cut(GrSink *sink, uint64_t size, GrErrorLog *log);

GrStatus gr_sink_close(GrSink *sink, GrErrorLog *log);

#endif
