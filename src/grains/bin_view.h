/// State of a bin as plain arrays: what the loops over grains see, on threads and on a GPU.
///
/// Positions are fixed point: a domain of `size` metres an axis is divided into 2^32 units, so that differences are
/// exact and periodic sides come from the wrap of integers. In plain floats slow creep is lost to rounding.
///
/// Each pair of neighbours is listed once, at the grain that owns it; its slot keeps the history and what the pair does
/// to the other grain. Slots of a grain lie together, in `near` from first[i] to first[i + 1]; `back` names those in
/// which it is the other grain. A bit of `mask` says that a contact existed in the last step and its history holds:
///
///     bits of a grain:  | owned pairs: GR_NEIGHBOURS_MOST | walls and bodies: GR_OUTER |
#ifndef GR_BIN_VIEW_H
#define GR_BIN_VIEW_H

#include "vec3f.h"

enum {
    GR_OUTER = 6,  ///< walls and bodies that one grain can touch
    GR_PLANES = 6, ///< low x, high x, low y, …
    GR_BODIES = 4, ///< that move among the grains
    GR_SURFACES = GR_PLANES + GR_BODIES,
    GR_NEIGHBOURS_MOST = 58, ///< with GR_OUTER, bits of a mask
    GR_MEMBERS_MOST = 3      ///< spheres of a clump
};

#ifdef GR_GRAINS_DOUBLE // units with a fraction, in the build that single precision is measured against
typedef double GrFixed;
#else
typedef int32_t GrFixed;
#endif

/// Coefficients that all contacts of a bin share.
typedef struct GrContactCoefs {
    float dt;
    float kn;       ///< 4/3 E*: Hertz's force is kn √(R δ) δ
    float kt;       ///< 8 G*: Mindlin's stiffness is kt √(R δ)
    float gn, gt;   ///< of the dashpots: γ = g √(m √(R δ))
    float adhesion; ///< 2 π w: attraction per effective radius while grains touch [N/m]
} GrContactCoefs;

typedef struct GrGrainMark {
    GrFixed x, y, z, none;
} __attribute__((aligned(16))) GrGrainMark;

typedef struct GrGrain {
    GrFixed x, y, z;
    float radius;
    float vx, vy, vz;
    int32_t id;
    float wx, wy, wz;
    float light; ///< 1 / mass
} __attribute__((aligned(16))) GrGrain;

/// History of a contact. key: of walls and bodies, gr_outer_key().
typedef struct GrHistory {
    float hx, hy, hz;
    int32_t key;
    float rx, ry, rz;
    float none;
} __attribute__((aligned(16))) GrHistory;

/// 16 bytes, which a GPU reads at once. Read one number at a time, grains take most of a step.
typedef float GrQuad __attribute__((vector_size(4 * sizeof(float)), aligned(16), may_alias));

GR_INLINE GrHistory gr_history_load(const GrHistory *from)
{
    const GrQuad h = ((const GrQuad *)from)[0], r = ((const GrQuad *)from)[1];
    return (GrHistory){h[0], h[1], h[2], 0, r[0], r[1], r[2], 0};
}

/// Force and torque on a grain.
typedef struct GrPush {
    float fx, fy, fz, tx, ty, tz;
    float none[2];
} __attribute__((aligned(16))) GrPush;

/// A grain of several spheres. Its frame: the principal axes from its centre of mass.
typedef struct GrClump {
    GrFixed x, y, z;
    float size; ///< radius of a sphere of its volume
    float q[4]; ///< rotation from its frame: w, x, y, z
    float vx, vy, vz;
    float light;      ///< 1 / mass
    float lx, ly, lz; ///< angular momentum
    float none;
} __attribute__((aligned(16))) GrClump;

/// A side of the bin.
typedef struct GrPlane {
    int64_t at;      ///< position on its axis, from the domain's low end
    int32_t present; ///< 0: periodic or open
    GrVec3f velocity;
    float friction, rolling;
} GrPlane;

/// A moving mesh. A grid over its own frame names the triangles near each cell.
typedef struct GrBinBodyView {
    int64_t at[3];  ///< of its origin, which may be outside the domain
    GrVec3f row[3]; ///< rotation from its frame
    GrVec3f velocity, spin;
    GrVec3f low; ///< lower corner of the grid, in its frame
    float bound; ///< distance of the farthest point from the origin
    float cell;  ///< cells over metres
    int32_t nx, ny, nz;
    const int32_t *start;   ///< [nx ny nz + 1] into list
    const int32_t *list;    ///< triangles of cells
    const float *triangles; ///< corner and two edges: 9 numbers each
    float friction, rolling;
    int32_t present;
} GrBinBodyView;

typedef struct GrBinView {
    int32_t count;
    int32_t near_room; ///< pairs that one grain can own
    int32_t pair_room; ///< pairs of all grains
    // arrays, from `now` to `fill`
    GrGrain *now, *next;
    GrGrainMark *mark;                      ///< at the last rebuild
    int32_t *found, *found_count;           ///< [count near_room], [count]: pairs of each grain, of use in a rebuild
    int32_t *first, *first_next;            ///< [count + 1]
    int32_t *near, *near_next;              ///< [pair_room]
    int32_t *back, *back_first, *back_fill; ///< [pair_room], [count + 1], [count]
    uint64_t *mask, *mask_next;             ///< [count]
    GrHistory *history, *history_next;      ///< [pair_room]
    GrHistory *outer, *outer_next;          ///< [count GR_OUTER]
    GrPush *push;                           ///< [pair_room]: of each pair on its other grain; 0 where it does not touch
    GrPush *own;                            ///< [count]: of its pairs, walls and bodies on each grain
    GrClump *clump;                         ///< [count / members]; NULL: spheres
    int32_t *where;                         ///< [count]: of the sphere of an id, in `now`; NULL: spheres
    int32_t *cell_of, *start, *order, *inverse, *fill;
    // cells
    int32_t cells[3], cell_count;
    // constants
    GrContactCoefs law;
    float unit[3], per_unit[3]; ///< metres a unit; units a metre
    int32_t periodic[3];
    int32_t members;                   ///< spheres of a clump; 1: grains are spheres
    GrVec3f clump_at[GR_MEMBERS_MOST]; ///< of clumps of size 1
    GrVec3f clump_turning;             ///< 1 / inertia of a clump of size and mass 1
    float skin;                        ///< neighbours are listed up to this gap [m]
    float stray2;                      ///< a grain that moved farther, squared, asks for a new list [m²]
    float gravity[3];
    float keep;                     ///< factor on velocities each step: 1, or less while settling
    float friction, rolling;        ///< between grains
    double force_unit, moment_unit; ///< of the sums on surfaces
    GrPlane planes[GR_PLANES];
    GrBinBodyView bodies[GR_BODIES];
} GrBinView;

/// What the stages of a step and of a rebuild find. Integers, so that their order does not matter.
typedef struct GrBinSums {
    int64_t force[GR_SURFACES][3], moment[GR_SURFACES][3];
    int32_t rebuild; ///< a grain strayed from where the lists were made
    int32_t most;    ///< pairs of one grain
    int32_t near;    ///< on a GPU: grains near a wall or a body (gr_push_surfaces())
    int32_t lost;    ///< number of grains from the first that is too fast or outside to the last; 0: none is
} GrBinSums;

// On a GPU many threads share one GrBinSums, and take turns to add; on processors each thread has its own.
enum { GR_SUM_COPIES = 32 }; ///< on a GPU: more would have to be read, with fewer threads wait for each other
#ifdef __NVPTX__
#define GR_ADD_WHOLE(sum, value) __atomic_fetch_add((sum), (value), __ATOMIC_RELAXED)
#define GR_AT_LEAST(sum, value)  __nvvm_atom_max_gen_i((sum), (value))
#else
#define GR_ADD_WHOLE(sum, value) (*(sum) = (int64_t)((uint64_t) * (sum) + (uint64_t)(value)))
#define GR_AT_LEAST(sum, value)  (*(sum) = *(sum) > (value) ? *(sum) : (value))
#endif
#define GR_COUNT_UP(place) __atomic_fetch_add((place), 1, __ATOMIC_RELAXED)

/// The stages, each a loop over grains or cells: name and function of bin_cells.h and bin_step.h.
#define GR_BIN_STAGE_LIST(X)                                                                                           \
    X(push, gr_push_pairs)                                                                                             \
    X(touch, gr_push_surfaces)                                                                                         \
    GR_BIN_LOOP_LIST(X)
#define GR_BIN_LOOP_LIST(X)                                                                                            \
    X(check, gr_cells_check)                                                                                           \
    X(count, gr_cells_count)                                                                                           \
    X(scatter, gr_cells_scatter)                                                                                       \
    X(sort, gr_cells_sort)                                                                                             \
    X(permute, gr_cells_permute)                                                                                       \
    X(list, gr_cells_list)                                                                                             \
    X(carry, gr_cells_carry)                                                                                           \
    X(back, gr_cells_back)                                                                                             \
    X(back_sort, gr_cells_back_sort)                                                                                   \
    X(move, gr_move_grain)                                                                                             \
    X(clump, gr_move_clump)

typedef enum GrBinStage {
#define X(name, function) GR_STAGE_##name,
    GR_BIN_STAGE_LIST(X)
#undef X
        GR_STAGES
} GrBinStage;

/// Nearest whole number; symmetric about 0, for mirrored worlds. What diverges stays within 2^30: a quarter of the bin.
GR_INLINE int32_t gr_nearest(float a)
{
    const float above = a > -0x1p30f ? a : -0x1p30f, within = above < 0x1p30f ? above : 0x1p30f;
    return (int32_t)(within < 0.0f ? within - 0.5f : within + 0.5f);
}

#ifdef GR_GRAINS_DOUBLE
GR_INLINE double gr_fixed_diff(double a, double b)
{
    return a - b - 0x1p32 * __builtin_floor((a - b) * 0x1p-32 + 0.5);
}

GR_INLINE double gr_fixed_add(double a, double b)
{
    return a + b - 0x1p32 * __builtin_floor((a + b) * 0x1p-32);
}

GR_INLINE double gr_place_step(double units)
{
    return units;
}

GR_INLINE double gr_place_units(GrFixed a)
{
    return a;
}

GR_INLINE GrFixed gr_place_of(double units)
{
    return units - 0x1p32 * __builtin_floor(units * 0x1p-32);
}

GR_INLINE double gr_axis_diff(const GrBinView *s, int axis, GrFixed grain, int64_t place)
{
    return (s->periodic[axis] ? gr_fixed_diff(grain, (double)place) : grain - (double)place) * s->unit[axis];
}

GR_INLINE int32_t gr_cell_along(const GrBinView *s, int axis, GrFixed at)
{
    return (int32_t)(at * 0x1p-32 * s->cells[axis]);
}
#else
GR_INLINE int32_t gr_fixed_diff(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

GR_INLINE int32_t gr_fixed_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

/// Units that a grain moves in a step.
GR_INLINE int32_t gr_place_step(float units)
{
    return gr_nearest(units);
}

/// Units from the domain's low end.
GR_INLINE double gr_place_units(GrFixed a)
{
    return (uint32_t)a;
}

GR_INLINE GrFixed gr_place_of(double units)
{
    return (int32_t)(uint32_t)(int64_t)(units - 0x1p32 * __builtin_floor(units * 0x1p-32));
}

/// From a place on an axis to a grain's position there [m]. Only periodic axes wrap.
GR_INLINE float gr_axis_diff(const GrBinView *s, int axis, GrFixed grain, int64_t place)
{
    const int64_t d = (int64_t)(uint32_t)grain - place;
    return (float)(s->periodic[axis] ? (int32_t)(uint32_t)d : d) * s->unit[axis];
}

/// Cells of an axis divide its whole range of integers.
GR_INLINE int32_t gr_cell_along(const GrBinView *s, int axis, GrFixed at)
{
    return (int32_t)((uint64_t)(uint32_t)at * (uint32_t)s->cells[axis] >> 32);
}
#endif

/// From the origin of a body to a grain [m].
GR_INLINE GrVec3f gr_body_diff(const GrBinView *s, const GrBinBodyView *b, const GrGrain *g)
{
    return gr_v3f(gr_axis_diff(s, 0, g->x, b->at[0]), gr_axis_diff(s, 1, g->y, b->at[1]),
                  gr_axis_diff(s, 2, g->z, b->at[2]));
}

/// From a place to x, y, z [m].
GR_INLINE GrVec3f gr_place_diff(const GrBinView *s, GrFixed x, GrFixed y, GrFixed z, const GrGrainMark *from)
{
    return gr_v3f((float)gr_fixed_diff(x, from->x) * s->unit[0], (float)gr_fixed_diff(y, from->y) * s->unit[1],
                  (float)gr_fixed_diff(z, from->z) * s->unit[2]);
}

/// a − b [m]
GR_INLINE GrVec3f gr_grain_diff(const GrBinView *s, const GrGrain *a, const GrGrain *b)
{
    return gr_v3f((float)gr_fixed_diff(a->x, b->x) * s->unit[0], (float)gr_fixed_diff(a->y, b->y) * s->unit[1],
                  (float)gr_fixed_diff(a->z, b->z) * s->unit[2]);
}

#endif
