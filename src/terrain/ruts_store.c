#include "ruts_store.h"

#include "alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

bool gr_store_put(GrRutsStore *store, GrPackedTile *tile, const unsigned char *packed, size_t size)
{
    unsigned char *bytes = gr_malloc(size);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, packed, size);
    gr_store_drop(store, tile);
    *tile = (GrPackedTile){.bytes = bytes, .size = (uint32_t)size};
    store->held += size;
    return true;
}

void gr_store_drop(GrRutsStore *store, GrPackedTile *tile)
{
    store->held -= tile->bytes != NULL ? tile->size : 0;
    gr_free(tile->bytes);
    *tile = (GrPackedTile){0};
}

/// Goes on after interruptions and short reads.
static bool read_at(int fd, unsigned char *out, size_t size, int64_t at)
{
    while (size > 0) {
        const ssize_t n = pread(fd, out, size, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        out += n;
        size -= (size_t)n;
        at += n;
    }
    return true;
}

static bool write_at(int fd, const unsigned char *bytes, size_t size, int64_t at)
{
    while (size > 0) {
        const ssize_t n = pwrite(fd, bytes, size, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes += n;
        size -= (size_t)n;
        at += n;
    }
    return true;
}

const unsigned char *gr_store_get(const GrRutsStore *store, const GrPackedTile *tile, unsigned char **room)
{
    *room = NULL;
    if (tile->bytes != NULL || tile->size == 0) {
        return tile->bytes;
    }
    unsigned char *bytes = gr_malloc(tile->size);
    if (bytes == NULL || !read_at(store->fd, bytes, tile->size, tile->at)) {
        gr_free(bytes);
        return NULL;
    }
    *room = bytes;
    return bytes;
}

static void open_file(GrRutsStore *store)
{
    char path[PATH_SIZE];
    const char *folder = getenv("TMPDIR");
    store->opened = true;
    store->fd = -1;
    const int length = snprintf(path, sizeof path, "%s/grouser_ruts_XXXXXX",
                                folder != NULL && folder[0] != '\0' ? folder : "/var/tmp");
    if (length < PATH_SIZE) {
        store->fd = mkstemp(path);
    }
    if (store->fd >= 0) {
        unlink(path);
        fcntl(store->fd, F_SETFD, FD_CLOEXEC);
    }
}

bool gr_store_move_out(GrRutsStore *store, GrPackedTile *tile)
{
    if (!store->opened) {
        open_file(store);
    }
    if (store->fd < 0 || store->full || tile->bytes == NULL) {
        return false;
    }
    if (!write_at(store->fd, tile->bytes, tile->size, store->end)) {
        store->full = true;
        return false;
    }
    store->held -= tile->size;
    gr_free(tile->bytes);
    tile->bytes = NULL;
    tile->at = store->end;
    store->end += tile->size;
    return true;
}

void gr_store_close(GrRutsStore *store)
{
    if (store->opened && store->fd >= 0) {
        close(store->fd);
    }
    *store = (GrRutsStore){0};
}
