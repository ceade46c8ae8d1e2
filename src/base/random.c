#include "random.h"

#include "elementary.h"

#include <math.h>

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

GrRandom gr_random_stream(uint64_t seed, const char *name)
{
    uint64_t state = seed ^ 0xcbf29ce484222325u; // FNV-1a over the name
    for (const char *c = name; *c != '\0'; c++) {
        state = (state ^ (unsigned char)*c) * 0x100000001b3u;
    }
    GrRandom random;
    for (int i = 0; i < 4; i++) {
        random.s[i] = splitmix64(&state);
    }
    return random;
}

uint64_t gr_random_u64(GrRandom *random)
{
    uint64_t *s = random->s;
    const uint64_t result = rotl(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

double gr_random_unit(GrRandom *random)
{
    return (double)(gr_random_u64(random) >> 11) * 0x1.0p-53;
}

double gr_random_uniform(GrRandom *random, double lower, double upper)
{
    return lower + (upper - lower) * gr_random_unit(random);
}

double gr_random_normal(GrRandom *random)
{
    double u, v, s;
    do {
        u = gr_random_uniform(random, -1, 1);
        v = gr_random_uniform(random, -1, 1);
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * gr_log(s) / s);
}

uint64_t gr_random_below(GrRandom *random, uint64_t count)
{
    const uint64_t limit = UINT64_MAX - UINT64_MAX % count;
    uint64_t x;
    do {
        x = gr_random_u64(random);
    } while (x >= limit);
    return x % count;
}
