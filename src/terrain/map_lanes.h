/// Sums over rows of a map are in this many lanes, which compilers turn into vectors: the same sums on every processor,
/// however wide its vectors are.
#ifndef GR_MAP_LANES_H
#define GR_MAP_LANES_H

enum { GR_LANES = 8 };

static inline double gr_lanes_sum(const double lanes[GR_LANES])
{
    double sum = 0;
    for (int l = 0; l < GR_LANES; l++) {
        sum += lanes[l];
    }
    return sum;
}

#endif
