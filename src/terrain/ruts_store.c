/// Tiles of ruts as bytes, and the temporary file that keeps those of a long track.
#include "ruts.h"

#include "ruts_tiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES = GR_RUT_TILE_NODES, MASK = NODES / 8, PATH_SIZE = 4096 };

static size_t state_bytes(int state_count)
{
    return (size_t)state_count * sizeof(float);
}

/// The states of node n.
static size_t states_at(int n, int state_count)
{
    return NODES * sizeof(double) + (size_t)n * state_bytes(state_count);
}

/// Whether a node has any bit: negative zero counts too.
static bool has_bits(const unsigned char *nodes, int n, int state_count)
{
    uint64_t height;
    uint32_t state, bits = 0;
    memcpy(&height, nodes + (size_t)n * sizeof height, sizeof height);
    for (int k = 0; k < state_count; k++) {
        memcpy(&state, nodes + states_at(n, state_count) + (size_t)k * sizeof state, sizeof state);
        bits |= state;
    }
    return height != 0 || bits != 0;
}

size_t gr_ruts_packed_size(const unsigned char *nodes, int state_count)
{
    size_t size = MASK;
    for (int n = 0; n < NODES; n++) {
        size += has_bits(nodes, n, state_count) ? sizeof(double) + state_bytes(state_count) : 0;
    }
    return size;
}

/// A mask, the low bit of a byte first; then height and states of each node that it names.
size_t gr_ruts_pack(const unsigned char *nodes, int state_count, unsigned char *out)
{
    const size_t states = state_bytes(state_count);
    unsigned char *at = out + MASK;
    memset(out, 0, MASK);
    for (int n = 0; n < NODES; n++) {
        if (has_bits(nodes, n, state_count)) {
            out[n / 8] |= (unsigned char)(1 << n % 8);
            memcpy(at, nodes + (size_t)n * sizeof(double), sizeof(double));
            memcpy(at + sizeof(double), nodes + states_at(n, state_count), states);
            at += sizeof(double) + states;
        }
    }
    return (size_t)(at - out);
}

size_t gr_ruts_unpack(const unsigned char *bytes, size_t size, int state_count, unsigned char *nodes)
{
    const size_t states = state_bytes(state_count), node = sizeof(double) + states;
    size_t at = MASK;
    memset(nodes, 0, NODES * node);
    for (int n = 0; n < NODES && size >= MASK; n++) {
        if (bytes[n / 8] >> n % 8 & 1) {
            if (size - at < node) {
                return 0;
            }
            memcpy(nodes + (size_t)n * sizeof(double), bytes + at, sizeof(double));
            memcpy(nodes + states_at(n, state_count), bytes + at + sizeof(double), states);
            at += node;
        }
    }
    return size >= MASK ? at : 0;
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

/// Goes on after interruptions and short writes; the next too.
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

bool gr_store_put(GrRutsStore *store, GrStoredTile *tile, const unsigned char *packed, size_t size)
{
    if (!store->opened) {
        open_file(store);
    }
    const bool again = size <= tile->room;
    const int64_t at = again ? tile->at : store->end;
    if (store->fd < 0 || store->full || !write_at(store->fd, packed, size, at)) {
        store->full = true;
        return false;
    }
    *tile = (GrStoredTile){at, (uint32_t)size, again ? tile->room : (uint32_t)size};
    store->end += again ? 0 : (int64_t)size;
    return true;
}

bool gr_store_get(const GrRutsStore *store, const GrStoredTile *tile, unsigned char *packed)
{
    return tile->size > 0 && read_at(store->fd, packed, tile->size, tile->at);
}

void gr_store_close(GrRutsStore *store)
{
    if (store->opened && store->fd >= 0) {
        close(store->fd);
    }
    *store = (GrRutsStore){0};
}
