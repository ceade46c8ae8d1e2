/// Vectors of single precision by value, for what runs for each grain: of one number, and of lanes (lanes.h).
#ifndef GR_VEC3F_H
#define GR_VEC3F_H

#include <stdint.h>

/// Everything that runs for each grain is inlined, also into kernels of a GPU, which have no calls.
#define GR_INLINE static inline __attribute__((always_inline))

// NOLINTBEGIN(bugprone-macro-parentheses): names of types take none
#define GR_VEC3_OF(Vec, Number, name)                                                                                  \
    typedef struct Vec {                                                                                               \
        Number x, y, z;                                                                                                \
    } Vec;                                                                                                             \
    GR_INLINE Vec name##_add(Vec a, Vec b)                                                                             \
    {                                                                                                                  \
        return (Vec){a.x + b.x, a.y + b.y, a.z + b.z};                                                                 \
    }                                                                                                                  \
    GR_INLINE Vec name##_sub(Vec a, Vec b)                                                                             \
    {                                                                                                                  \
        return (Vec){a.x - b.x, a.y - b.y, a.z - b.z};                                                                 \
    }                                                                                                                  \
    GR_INLINE Vec name##_scale(Number s, Vec a)                                                                        \
    {                                                                                                                  \
        return (Vec){s * a.x, s * a.y, s * a.z};                                                                       \
    }                                                                                                                  \
    GR_INLINE Number name##_dot(Vec a, Vec b)                                                                          \
    {                                                                                                                  \
        return a.x * b.x + a.y * b.y + a.z * b.z;                                                                      \
    }                                                                                                                  \
    GR_INLINE Vec name##_cross(Vec a, Vec b)                                                                           \
    {                                                                                                                  \
        return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};                             \
    }
// NOLINTEND(bugprone-macro-parentheses)

GR_VEC3_OF(GrVec3f, float, gr_v3f)

GR_INLINE GrVec3f gr_v3f(float x, float y, float z)
{
    return (GrVec3f){x, y, z};
}

#endif
