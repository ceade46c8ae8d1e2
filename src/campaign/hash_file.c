#include "hash_file.h"

#include "file.h"
#include "key_hash.h"

#include <stdio.h>

GrStatus gr_hash_file(const char *path, uint64_t *hash, GrErrorLog *log)
{
    if (path[0] == '\0') {
        return GR_OK;
    }
    if (gr_file_check_input(path, log) != GR_OK) {
        return GR_ERROR_FILE;
    }
    FILE *file = fopen(path, "rb");
    char block[65536];
    if (file == NULL) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "cannot be read");
    }
    size_t size;
    while ((size = fread(block, 1, sizeof block, file)) > 0) {
        *hash = gr_hash_bytes(*hash, block, size);
    }
    const bool failed = ferror(file) != 0;
    fclose(file);
    return failed ? gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "cannot be read") : GR_OK;
}
