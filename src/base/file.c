#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static GrStatus fail(GrErrorLog *log, const char *path, int error)
{
    char reason[128];
    if (strerror_r(error, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", error);
    }
    return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "cannot be read: %s", reason);
}

/// Reads until the end, so that pipes work too; `capacity` is a first guess.
static GrStatus read_all(FILE *file, size_t capacity, size_t limit, char **text, size_t *length)
{
    char *buffer = malloc(capacity + 1);
    size_t used = 0;
    while (buffer != NULL) {
        used += fread(buffer + used, 1, capacity - used, file);
        if (used < capacity || used > limit) {
            break;
        }
        capacity = 2 * capacity;
        char *grown = realloc(buffer, capacity + 1);
        if (grown == NULL) {
            free(buffer);
        }
        buffer = grown;
    }
    if (buffer == NULL) {
        return GR_ERROR_MEMORY;
    }
    buffer[used] = '\0';
    *text = buffer;
    *length = used;
    return GR_OK;
}

GrStatus gr_file_read(const char *path, size_t limit, char **text, size_t *length, GrErrorLog *log)
{
    *text = NULL;
    *length = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(log, path, errno);
    }
    struct stat info;
    if (fstat(fileno(file), &info) != 0 || S_ISDIR(info.st_mode)) {
        fclose(file);
        return fail(log, path, EISDIR);
    }
    const size_t guess = info.st_size > 0 && (size_t)info.st_size <= limit ? (size_t)info.st_size + 1 : 4096;
    GrStatus status = read_all(file, guess, limit, text, length);
    const int error = ferror(file) ? EIO : 0;
    fclose(file);
    if (status != GR_OK) {
        return gr_error_add(log, status, (GrLocation){.file = path}, "out of memory");
    }
    if (error != 0) {
        status = fail(log, path, error);
    } else if (*length > limit) {
        status =
            gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "has more than the allowed %zu bytes", limit);
    }
    if (status != GR_OK) {
        free(*text);
        *text = NULL;
        *length = 0;
    }
    return status;
}
