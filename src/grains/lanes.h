/// Lanes of single precision, which evaluate several contacts at once. With one lane the same sources are scalar and
/// give the same bits, since no operation mixes lanes.
///
/// gcc 12 and clang 19 do not vectorise the contact law as a loop; with the compiler's vector types they do. Include
/// this where the loops are compiled, and in no interface.
#ifndef GR_LANES_H
#define GR_LANES_H

#include "vec3f.h"

#ifndef GR_LANES
#define GR_LANES 8
#endif

#if GR_LANES == 1
typedef float GrLane;
typedef int32_t GrLaneMask;
#else
typedef float GrLane __attribute__((vector_size(4 * GR_LANES)));
typedef int32_t GrLaneMask __attribute__((vector_size(4 * GR_LANES)));
#endif

GR_VEC3_OF(GrLane3, GrLane, gr_lane3)

GR_INLINE GrLane gr_lane_load(const float *from)
{
    GrLane a;
    __builtin_memcpy(&a, from, sizeof a);
    return a;
}

GR_INLINE void gr_lane_store(float *to, GrLane a)
{
    __builtin_memcpy(to, &a, sizeof a);
}

/// m ? a : b
GR_INLINE GrLane gr_lane_pick(GrLaneMask m, GrLane a, GrLane b)
{
#if GR_LANES == 1
    return m ? a : b;
#else
    return (GrLane)((m & (GrLaneMask)a) | (~m & (GrLaneMask)b));
#endif
}

GR_INLINE int gr_lane_any(GrLaneMask m)
{
#if GR_LANES == 1
    return m != 0;
#else
    int32_t any = 0;
    for (int k = 0; k < GR_LANES; k++) {
        any |= m[k];
    }
    return any != 0;
#endif
}

GR_INLINE GrLane gr_lane_sqrt(GrLane a)
{
#if GR_LANES == 1
    return __builtin_sqrtf(a);
#else
    float each[GR_LANES];
    gr_lane_store(each, a);
    for (int k = 0; k < GR_LANES; k++) {
        each[k] = __builtin_sqrtf(each[k]);
    }
    return gr_lane_load(each);
#endif
}

GR_INLINE GrLane3 gr_lane3_load(const float *x, const float *y, const float *z)
{
    return (GrLane3){gr_lane_load(x), gr_lane_load(y), gr_lane_load(z)};
}

GR_INLINE void gr_lane3_store(float *x, float *y, float *z, GrLane3 a)
{
    gr_lane_store(x, a.x);
    gr_lane_store(y, a.y);
    gr_lane_store(z, a.z);
}

GR_INLINE GrLane3 gr_lane3_pick(GrLaneMask m, GrLane3 a, GrLane3 b)
{
    return (GrLane3){gr_lane_pick(m, a.x, b.x), gr_lane_pick(m, a.y, b.y), gr_lane_pick(m, a.z, b.z)};
}

/// The part of a that is perpendicular to the unit vector n.
GR_INLINE GrLane3 gr_lane3_across(GrLane3 a, GrLane3 n)
{
    return gr_lane3_sub(a, gr_lane3_scale(gr_lane3_dot(a, n), n));
}

#endif
