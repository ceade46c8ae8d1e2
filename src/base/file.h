/// Files and folders: read whole, write whole or not at all.
#ifndef GR_FILE_H
#define GR_FILE_H

#include "grouser/status.h"

#include <stddef.h>

/// Longest path in this project; a longer one is an error and never truncated.
enum { GR_FILE_PATH_SIZE = 1024 };

/// Refuses a named pipe: opening it would wait for a writer, perhaps for ever. Standard input and what a shell writes
/// for <(command), /dev/stdin and /dev/fd/N, may be pipes. Everything that opens an input file calls this before.
GrStatus gr_file_check_input(const char *path, GrErrorLog *log);

/// Reads a whole file or pipe into memory that the caller frees; `*size` excludes the zero byte that is appended.
/// Refuses folders and files of more than `limit` bytes.
GrStatus gr_file_read(const char *path, size_t limit, char **data, size_t *size, GrErrorLog *log);

/// Called for each file that gr_file_read() reads on this thread: what an input consists of, wherever it is named.
typedef struct GrFileWatch {
    void (*seen)(void *context, const char *path, const char *data, size_t size);
    void *context;
} GrFileWatch;

/// Sets the watch of this thread; NULL: none.
void gr_file_watch(const GrFileWatch *watch);

/// Writes into a temporary file beside `path` and renames it: readers see the old file or the new one, and a failure
/// leaves nothing behind.
GrStatus gr_file_write(const char *path, const char *data, size_t size, GrErrorLog *log);

/// Status for a failed system call: GR_ERROR_WRITE where the device is at fault (full, over the quota, broken, nobody
/// reads the pipe), GR_ERROR_FILE where the path is.
GrStatus gr_file_fault(int reason);

bool gr_file_exists(const char *path);

/// `name` in the folder of `file`; an absolute `name` is kept as it is. False when the path is too long.
bool gr_file_beside(const char *file, const char *name, char out[GR_FILE_PATH_SIZE]);

/// Creates a folder and its parents; one that exists already is not an error.
GrStatus gr_folder_make(const char *path, GrErrorLog *log);

/// Locks a folder until gr_folder_unlock() or the end of the process, so that no two runs write into it at a time.
/// Leaves no file behind. GR_ERROR_BUSY where it is locked already. `*lock` is −1 where the file system has no locks,
/// after a warning.
GrStatus gr_folder_lock(const char *path, int *lock, GrErrorLog *log);

/// −1 is allowed.
void gr_folder_unlock(int lock);

/// Names in a folder, in byte order.
typedef struct GrNameList {
    char **names;
    int count;
} GrNameList;

/// Names that end with `suffix` ("" for all), without hidden ones; free with gr_name_list_free().
GrStatus gr_folder_list(const char *path, const char *suffix, GrNameList *out, GrErrorLog *log);

/// Adds a copy of a name unless the list has it; keeps the order. False when out of memory.
bool gr_name_list_add(GrNameList *list, const char *name);

void gr_name_list_free(GrNameList *list);

#endif
