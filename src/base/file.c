#include "file.h"

#include "alloc.h"
#include "buffer.h"
#include "out_of_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

GrStatus gr_file_fault(int reason)
{
    const bool device = reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EIO || reason == EPIPE;
    return device ? GR_ERROR_WRITE : GR_ERROR_FILE;
}

static GrStatus fail(GrErrorLog *log, const char *path, const char *what)
{
    return gr_error_add(log, gr_file_fault(errno), (GrLocation){.file = path}, "%s: %s", what, strerror(errno));
}

GrStatus gr_file_check_input(const char *path, GrErrorLog *log)
{
    static const char *const STREAMS[] = {"/dev/stdin", "/dev/fd/", "/proc/self/fd/"};
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISFIFO(info.st_mode)) {
        return GR_OK;
    }
    for (size_t i = 0; i < sizeof STREAMS / sizeof STREAMS[0]; i++) {
        if (strncmp(path, STREAMS[i], strlen(STREAMS[i])) == 0) {
            return GR_OK;
        }
    }
    return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path},
                        "is a named pipe; give a file, or text on /dev/stdin");
}

/// Reads to the end of the file, so that pipes work too, but stops once it has more than `limit` bytes.
static GrStatus read_to_end(int fd, size_t limit, GrBuffer *out)
{
    char chunk[16384];
    while (out->size <= limit) {
        const ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return GR_ERROR_FILE;
        }
        gr_buffer_add(out, chunk, (size_t)n);
        if (out->failed) {
            return GR_ERROR_MEMORY;
        }
        if (n == 0) {
            break;
        }
    }
    return GR_OK;
}

static _Thread_local GrFileWatch watch;

void gr_file_watch(const GrFileWatch *given)
{
    watch = given != NULL ? *given : (GrFileWatch){0};
}

GrStatus gr_file_read(const char *path, size_t limit, char **data, size_t *size, GrErrorLog *log)
{
    *data = NULL;
    *size = 0;
    if (gr_file_check_input(path, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail(log, path, "cannot be read");
    }
    GrBuffer text = {0};
    GrStatus status = read_to_end(fd, limit, &text);
    if (status == GR_ERROR_FILE) {
        fail(log, path, "cannot be read"); // also reached for a folder, with the system's own message
    } else if (status == GR_ERROR_MEMORY) {
        gr_out_of_memory(log, path);
    } else if (text.size > limit) {
        status =
            gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "has more than the allowed %zu bytes", limit);
    }
    close(fd);
    if (status != GR_OK) {
        gr_buffer_free(&text);
        return status;
    }
    *data = text.data;
    *size = text.size;
    if (watch.seen != NULL) {
        watch.seen(watch.context, path, text.data, text.size);
    }
    return GR_OK;
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return false;
        }
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/// A new file beside `path`, with the mode that any new file gets. mkstemp() gives 0600, and to find out the mask of
/// the process it must be changed for a moment, in which other threads make files for everyone.
static int open_temporary(const char *path, char temporary[GR_FILE_PATH_SIZE])
{
    static atomic_uint count;
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        const unsigned number = atomic_fetch_add(&count, 1);
        if (snprintf(temporary, GR_FILE_PATH_SIZE, "%s.%ld-%u.part", path, (long)getpid(), number) >=
            GR_FILE_PATH_SIZE) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

GrStatus gr_file_write(const char *path, const char *data, size_t size, GrErrorLog *log)
{
    char temporary[GR_FILE_PATH_SIZE];
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        // A rename would replace /dev/stdout or a pipe by a file; write into those as they are.
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        const bool written = fd >= 0 && write_all(fd, data, size);
        const int saved = errno;
        if (fd >= 0) {
            close(fd);
        }
        errno = saved;
        return written ? GR_OK : fail(log, path, "cannot be written");
    }
    const int fd = open_temporary(path, temporary);
    if (fd < 0 && errno == ENAMETOOLONG) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "the path is too long");
    }
    if (fd < 0) {
        return fail(log, path, "cannot be written");
    }
    // Without fsync() a loss of power may leave the new name with none of the bytes.
    bool written = write_all(fd, data, size) && (fsync(fd) == 0 || errno == EINVAL);
    written = close(fd) == 0 && written;
    if (!written || rename(temporary, path) != 0) {
        const int saved = errno;
        unlink(temporary);
        errno = saved;
        return fail(log, path, "cannot be written");
    }
    return GR_OK;
}

bool gr_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static bool make_one(const char *path)
{
    struct stat info;
    return mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

GrStatus gr_folder_make(const char *path, GrErrorLog *log)
{
    char part[GR_FILE_PATH_SIZE];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "the path is too long");
    }
    for (char *c = part + 1; part[0] != '\0' && *c != '\0'; c++) {
        if (*c != '/') {
            continue;
        }
        *c = '\0';
        if (!make_one(part)) {
            return fail(log, part, "cannot create the folder");
        }
        *c = '/';
    }
    return make_one(part) ? GR_OK : fail(log, path, "cannot create the folder");
}

GrStatus gr_folder_lock(const char *path, int *lock, GrErrorLog *log)
{
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) {
        return fail(log, path, "cannot lock the folder");
    }
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0) {
        return GR_OK;
    }
    const int reason = errno;
    gr_folder_unlock(*lock);
    *lock = -1;
    if (reason == EWOULDBLOCK) {
        return gr_error_add(log, GR_ERROR_BUSY, (GrLocation){.file = path},
                            "another run writes into this folder; wait for its end or choose another folder");
    }
    gr_warning_add(log, (GrLocation){.file = path},
                   "cannot lock the folder (%s): make sure that no other run writes into it", strerror(reason));
    return GR_OK;
}

void gr_folder_unlock(int lock)
{
    if (lock >= 0) {
        close(lock);
    }
}

bool gr_name_list_add(GrNameList *list, const char *name)
{
    int at = list->count;
    while (at > 0 && strcmp(list->names[at - 1], name) >= 0) {
        at--;
    }
    if (at < list->count && strcmp(list->names[at], name) == 0) {
        return true;
    }
    char *copy = gr_strdup(name);
    char **names = copy != NULL ? gr_realloc(list->names, (size_t)(list->count + 1) * sizeof *names) : NULL;
    if (names == NULL) {
        gr_free(copy);
        return false;
    }
    memmove(names + at + 1, names + at, (size_t)(list->count - at) * sizeof *names);
    names[at] = copy;
    list->names = names;
    list->count++;
    return true;
}

static bool ends_with(const char *text, const char *suffix)
{
    const size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

GrStatus gr_folder_list(const char *path, const char *suffix, GrNameList *out, GrErrorLog *log)
{
    *out = (GrNameList){0};
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return fail(log, path, "cannot list the folder");
    }
    GrStatus status = GR_OK;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.' && ends_with(entry->d_name, suffix) && !gr_name_list_add(out, entry->d_name)) {
            gr_name_list_free(out);
            status = gr_out_of_memory(log, path);
            break;
        }
    }
    closedir(folder);
    return status;
}

void gr_name_list_free(GrNameList *list)
{
    for (int i = 0; i < list->count; i++) {
        gr_free(list->names[i]);
    }
    gr_free(list->names);
    *list = (GrNameList){0};
}

bool gr_file_beside(const char *file, const char *name, char out[GR_FILE_PATH_SIZE])
{
    const char *slash = strrchr(file, '/');
    const int folder = slash != NULL && name[0] != '/' ? (int)(slash - file) + 1 : 0;
    return snprintf(out, GR_FILE_PATH_SIZE, "%.*s%s", folder, file, name) < GR_FILE_PATH_SIZE;
}
