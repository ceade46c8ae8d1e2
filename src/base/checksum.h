/// A checksum that finds damaged bytes: every bit of the result depends on every bit of the input.
#ifndef GR_CHECKSUM_H
#define GR_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Goes on from the checksum of what came before; 0 at the start. Eight bytes at a time, each through a bijection
/// (Stafford's mixer 13, as in splitmix64), so that no change of one word leaves the sum as it is.
static inline uint64_t gr_checksum(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    sum ^= size;
    for (size_t left = size; left > 0;) {
        const size_t step = left < 8 ? left : 8;
        uint64_t word = 0;
        memcpy(&word, at, step);
        sum = (sum ^ word) + 0x9e3779b97f4a7c15u;
        sum = (sum ^ (sum >> 30)) * 0xbf58476d1ce4e5b9u;
        sum = (sum ^ (sum >> 27)) * 0x94d049bb133111ebu;
        sum ^= sum >> 31;
        at += step;
        left -= step;
    }
    return sum;
}

#endif
