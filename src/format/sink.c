#include "sink.h"

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static GrStatus fail(const GrSink *sink, GrErrorLog *log)
{
    return gr_error_add(log, gr_file_fault(errno), (GrLocation){.file = sink->path}, "cannot be written: %s",
                        strerror(errno));
}

GrStatus gr_sink_open(GrSink *sink, const char *path, GrErrorLog *log)
{
    sink->fd = -1;
    if (snprintf(sink->path, sizeof sink->path, "%s", path) >= (int)sizeof sink->path) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = sink->path}, "the path is too long");
    }
    sink->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return sink->fd >= 0 ? GR_OK : fail(sink, log);
}

GrStatus gr_sink_write(GrSink *sink, const void *data, size_t size, GrErrorLog *log)
{
    const char *bytes = data;
    const off_t start = lseek(sink->fd, 0, SEEK_CUR);
    while (size > 0) {
        const ssize_t n = write(sink->fd, bytes, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            const GrStatus status = fail(sink, log);
            if (start >= 0 && (ftruncate(sink->fd, start) != 0 || lseek(sink->fd, start, SEEK_SET) < 0)) {
                gr_warning_add(log, (GrLocation){.file = sink->path}, "may end with a part of a record");
            }
            return status;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return GR_OK;
}

GrStatus gr_sink_cut(GrSink *sink, uint64_t size, GrErrorLog *log)
{
    if (ftruncate(sink->fd, (off_t)size) != 0 || lseek(sink->fd, (off_t)size, SEEK_SET) < 0) {
        return fail(sink, log);
    }
    return GR_OK;
}

GrStatus gr_sink_close(GrSink *sink, GrErrorLog *log)
{
    const int fd = sink->fd;
    sink->fd = -1;
    return fd < 0 || close(fd) == 0 ? GR_OK : fail(sink, log);
}
