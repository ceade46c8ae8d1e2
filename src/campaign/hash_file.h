/// Contents of files as part of the hash of a run's input.
#ifndef GR_HASH_FILE_H
#define GR_HASH_FILE_H

#include "grouser/status.h"

#include <stdint.h>

/// Adds the bytes of a file to a hash. "": nothing.
GrStatus gr_hash_file(const char *path, uint64_t *hash, GrErrorLog *log);

#endif
