/// Whole files in memory.
#ifndef GR_FILE_H
#define GR_FILE_H

#include "grouser/status.h"

#include <stddef.h>

/// Reads all of `path` into memory that the caller frees; a zero byte follows the last one. Folders, and files of more
/// than `limit` bytes, are refused.
GrStatus gr_file_read(const char *path, size_t limit, char **text, size_t *length, GrErrorLog *log);

#endif
