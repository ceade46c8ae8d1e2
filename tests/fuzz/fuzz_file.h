/// A file in memory for readers and writers that take paths.
#ifndef GR_FUZZ_FILE_H
#define GR_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Path of a file that has no name any more, so that nothing is left behind; made once.
static inline const char *gr_fuzz_file(int *descriptor)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        char in_memory[] = "/dev/shm/grouser_fuzz_XXXXXX", on_disk[] = "/tmp/grouser_fuzz_XXXXXX";
        fd = mkstemp(in_memory);
        if (fd >= 0) {
            unlink(in_memory);
        } else {
            fd = mkstemp(on_disk);
            unlink(on_disk);
        }
        if (fd < 0) {
            abort();
        }
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    *descriptor = fd;
    return path;
}

/// The same file, with these bytes behind those of `head`.
static inline const char *gr_fuzz_file_of(const void *head, size_t head_size, const uint8_t *data, size_t size)
{
    int fd;
    const char *path = gr_fuzz_file(&fd);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, head, head_size, 0) != (ssize_t)head_size ||
        pwrite(fd, data, size, (off_t)head_size) != (ssize_t)size) {
        abort();
    }
    return path;
}

#endif
