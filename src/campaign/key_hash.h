/// 64-bit hash of text (FNV-1a with a final mix), for keys of runs. Same value on every machine.
#ifndef GR_KEY_HASH_H
#define GR_KEY_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GR_HASH_SEED 0xCBF29CE484222325u

/// Continues from `hash`, GR_HASH_SEED at the start.
static inline uint64_t gr_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    }
    return hash;
}

/// A text with its terminating zero, so that "ab", "c" differs from "a", "bc".
static inline uint64_t gr_hash_text(uint64_t hash, const char *text)
{
    return gr_hash_bytes(hash, text, strlen(text) + 1);
}

/// Spreads every bit over all others; call it once, at the end.
static inline uint64_t gr_hash_finish(uint64_t hash)
{
    hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDu;
    hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53u;
    return hash ^ (hash >> 33);
}

#endif
