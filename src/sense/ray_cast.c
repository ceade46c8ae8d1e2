/// The way of a ray through the levels, and its root in a cell.
#include "ray_ground_data.h"

enum {
    START_LEVEL = 4,
    SHADOW_LEVEL = 0, // shadows' rays begin at the ground
    SAMPLES = 5,      // intervals of a piece of a smooth surface that are searched for a change of sign
};
static const double ROOT_HEIGHT = 1e-7; // a range is good to this over the sine of the angle to the ground [m]

/// The ray inside one cell of level 0.
typedef struct Cell {
    const GrRayGround *g;
    const GrRay *ray;
    const GrLayer *plain; ///< NULL: any layers
    const double *nodes;  ///< of the plain layer: the south-west node
    double i, j;          ///< of the cell
    bool ruts;            ///< the ground here may have ruts
    bool blind;           ///< ground that is not in memory was met
    bool any;             ///< any hit will do: its place need not be exact
    double bend;          ///< bound of the ground's second derivatives, per cell²; INFINITY: not known
} Cell;

/// Height of the ray above the ground; NaN where there is none.
static double height_above(Cell *c, double t)
{
    const GrRay *ray = c->ray;
    const double x = ray->from.x + t * ray->along.x, y = ray->from.y + t * ray->along.y;
    double ground;
    if (c->plain != NULL) {
        const double u = fmax(0, fmin(1, (x - c->g->x0) * c->plain->per_dx - c->i));
        const double v = fmax(0, fmin(1, (y - c->g->y0) * c->plain->per_dy - c->j));
        ground = c->plain->def.interpolation == GR_BICUBIC ? gr_bicubic_height(c->nodes, GR_TILE_STRIDE, u, v)
                                                           : gr_bilinear(c->nodes, GR_TILE_STRIDE, u, v, 0, 0).z;
    } else {
        c->blind = gr_terrain_height(c->g->terrain, x, y, &ground) == GR_GROUND_NOT_LOADED || c->blind;
    }
    if (c->ruts) {
        ground += gr_ruts_slope(c->g->ruts, x, y).z;
    }
    return ray->from.z + t * ray->along.z - ground;
}

/// First root in (0, 1] of the quadratic with these values at 0, 1/2 and 1, the first of which is above 0.
static bool quadratic_root(double f0, double fm, double f1, double *s)
{
    const double a = 2 * (f0 - 2 * fm + f1), b = 4 * fm - 3 * f0 - f1, d = b * b - 4 * a * f0;
    if (d < 0) {
        return false;
    }
    // 2 f0/(−b ± √d): of equal signs nothing cancels, and a may be 0.
    const double q = -b + (b < 0 ? sqrt(d) : -sqrt(d));
    const double first = 2 * f0 / q, second = q / (2 * a);
    double least = INFINITY;
    least = first > 0 && first <= 1 ? first : least;
    least = second > 0 && second < least && second <= 1 ? second : least;
    if (least > 1 && f1 <= 0) {
        least = 1; // rounding
    }
    *s = least;
    return least <= 1;
}

/// Root between a point above the ground and one below it: the Illinois method, with bisection against slow progress.
static double refine(Cell *c, double ta, double fa, double tb, double fb)
{
    for (int k = 0; k < 60 && fabs(fb - fa) > 0 && tb - ta > 1e-15 * fabs(tb); k++) {
        const double t = k % 4 == 3 ? 0.5 * (ta + tb) : tb - fb * (tb - ta) / (fb - fa);
        const double f = height_above(c, t);
        if (fabs(f) < ROOT_HEIGHT) {
            return t;
        }
        if (f > 0) {
            ta = t;
            fa = f;
            fb *= 0.5;
        } else {
            tb = t;
            fb = f;
            fa *= 0.5;
        }
    }
    return tb;
}

/// The bracket of a root: above the ground at a, below it at b.
typedef struct Bracket {
    double ta, fa, tb, fb;
} Bracket;

static void narrow(Bracket *b, double t, double f)
{
    if (f > 0) {
        b->ta = t;
        b->fa = f;
    } else {
        b->tb = t;
        b->fb = f;
    }
}

/// The same on a smooth piece: a secant, then the parabola t(f) through its end and those of the piece, which is good
/// enough as a rule.
static double refine_smooth(Cell *c, double t0, double f0, double t1, double f1)
{
    Bracket b = {t0, f0, t1, f1};
    const double tg = t0 + (t1 - t0) * f0 / (f0 - f1), fg = height_above(c, tg);
    if (fabs(fg) < ROOT_HEIGHT) {
        return tg;
    }
    narrow(&b, tg, fg);
    const double t = t0 * fg * f1 / ((f0 - fg) * (f0 - f1)) + tg * f0 * f1 / ((fg - f0) * (fg - f1)) +
                     t1 * f0 * fg / ((f1 - f0) * (f1 - fg));
    if (t > b.ta && t < b.tb) { // not for NaN
        const double f = height_above(c, t);
        if (fabs(f) < ROOT_HEIGHT) {
            return t;
        }
        narrow(&b, t, f);
    }
    return refine(c, b.ta, b.fa, b.tb, b.fb);
}

/// Whether the ray stays above a smooth piece, at whose ends it does. Where second derivatives by s in [0, 1] are at
/// most 2 k, its height above the ground is at least that of f0 + (f1 − f0) s − k s (1 − s).
static bool is_clear(const Cell *c, double t0, double t1, double f0, double f1)
{
    const double cells = (t1 - t0) * (fabs(c->ray->along.x) * c->g->per_dx + fabs(c->ray->along.y) * c->g->per_dy);
    const double k = 0.5 * c->bend * cells * cells, least = k - f1 + f0;
    return fabs(f1 - f0) >= k || 4 * k * f0 > least * least;
}

/// The first change of sign between samples. Where the ray ends below the ground, one in the middle is enough.
static bool search(Cell *c, double t0, double t1, double f0, int samples, double *t)
{
    const double f1 = height_above(c, t1);
    if (f1 <= 0 && (c->plain != NULL || c->any)) {
        *t = c->any ? t1 : refine_smooth(c, t0, f0, t1, f1);
        return true;
    }
    if (c->plain != NULL && !c->ruts && is_clear(c, t0, t1, f0, f1)) {
        return false;
    }
    double ta = t0, fa = f0;
    for (int k = 1; k <= samples; k++) {
        const double tb = k == samples ? t1 : t0 + (t1 - t0) * k / samples;
        const double fb = k == samples ? f1 : height_above(c, tb);
        if (fb <= 0) {
            *t = fa > 0 && !c->any ? refine(c, ta, fa, tb, fb) : tb;
            return true;
        }
        ta = tb;
        fa = fb;
    }
    return false;
}

/// A piece of the ray over which the ground is one polynomial, or any number of them where layers are blended.
static bool hit_piece(Cell *c, double t0, double t1, double *t)
{
    const double f0 = height_above(c, t0);
    if (f0 <= 0) { // a wall at a border, or the ray begins below the ground
        *t = t0;
        return true;
    }
    const bool bilinear = !c->ruts || c->g->ruts->def.interpolation == GR_BILINEAR;
    if (c->plain != NULL && c->plain->def.interpolation == GR_BILINEAR && bilinear) {
        double s;
        const double tm = 0.5 * (t0 + t1);
        const bool hit = quadratic_root(f0, height_above(c, tm), height_above(c, t1), &s);
        *t = hit ? t0 + s * (t1 - t0) : *t;
        return hit;
    }
    int samples = c->ruts ? 2 : SAMPLES;
    if (c->plain == NULL) {
        const double length = (t1 - t0) * sqrt(c->ray->along.x * c->ray->along.x + c->ray->along.y * c->ray->along.y);
        samples = 1 + (int)fmin(1e4, SAMPLES * length / c->g->finest);
    }
    return search(c, t0, t1, f0, samples, t);
}

/// Next border of a grid of lines `spacing` apart along one axis, from cell `i`; t there.
static double border(double from, double along, int64_t i, double spacing)
{
    return along == 0 ? (double)INFINITY : ((double)(i + (along > 0)) * spacing - from) / along;
}

/// Goes through cells of a grid with its origin at (0, 0).
typedef struct Walk {
    const GrRay *ray;
    double spacing;
    int64_t i, j;
} Walk;

static Walk walk_begin(const GrRay *ray, double spacing, double t)
{
    return (Walk){ray, spacing, (int64_t)floor((ray->from.x + t * ray->along.x) / spacing),
                  (int64_t)floor((ray->from.y + t * ray->along.y) / spacing)};
}

/// t where the ray leaves the cell, at most `end`; goes on to the next one.
static double walk_on(Walk *w, double end)
{
    const double tx = border(w->ray->from.x, w->ray->along.x, w->i, w->spacing);
    const double ty = border(w->ray->from.y, w->ray->along.y, w->j, w->spacing);
    if (fmin(tx, ty) >= end) {
        return end;
    }
    if (tx <= ty) {
        w->i += w->ray->along.x > 0 ? 1 : -1;
    } else {
        w->j += w->ray->along.y > 0 ? 1 : -1;
    }
    return fmin(tx, ty);
}

/// Cell by cell of the ruts.
static bool hit_rutted(Cell *c, double t0, double t1, double *t)
{
    Walk w = walk_begin(c->ray, c->g->ruts->def.cell, t0);
    c->ruts = true;
    for (double at = t0; at < t1;) {
        const double next = fmax(at, walk_on(&w, t1));
        if (hit_piece(c, at, next, t)) {
            return true;
        }
        at = next;
    }
    return false;
}

/// The ray in a cell, where it is below the cell's bound.
static bool hit_cell(Cell *c, double bound, double t0, double t1, double *t)
{
    const double rise = c->ray->along.z, meets = (bound - c->ray->from.z) / rise;
    t0 = rise < 0 ? fmax(t0, meets) : t0;
    t1 = rise > 0 ? fmin(t1, meets) : t1;
    if (!(t0 <= t1)) {
        return false;
    }
    if (c->g->rutted_count == 0) {
        return hit_piece(c, t0, t1, t);
    }
    Walk w = walk_begin(c->ray, c->g->ruts->def.cell * GR_RUT_NODES, t0);
    for (double at = t0;;) {
        const bool rutted = gr_ray_is_rutted(c->g, w.i, w.j);
        const double next = fmax(at, walk_on(&w, t1));
        c->ruts = false;
        if (rutted ? hit_rutted(c, at, next, t) : hit_piece(c, at, next, t)) {
            return true;
        }
        if (next >= t1) {
            return false;
        }
        at = next;
    }
}

/// Position of a ray in the grid.
typedef struct Way {
    double u, v, du, dv; ///< of from and along, in cells
    double per_du, per_dv;
    int64_t i, j; ///< cell of level 0
    double t;
} Way;

static double clip_axis(double from, double along, double size, double *begin, double *end)
{
    if (along == 0) {
        return from >= 0 && from <= size ? *begin : (double)INFINITY;
    }
    const double a = -from / along, b = (size - from) / along;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
    return *begin;
}

static int64_t clamp_cell(double place, int64_t lower, int64_t upper)
{
    const int64_t cell = (int64_t)floor(place);
    return cell < lower ? lower : cell > upper ? upper : cell;
}

/// t where the ray leaves the cell of this level, and the cell of level 0 that it enters there.
static double leave(const Way *w, int level, int64_t *i, int64_t *j)
{
    const int64_t size = (int64_t)1 << level, i0 = w->i >> level << level, j0 = w->j >> level << level;
    const double tu = w->du == 0 ? (double)INFINITY : ((double)(w->du > 0 ? i0 + size : i0) - w->u) * w->per_du;
    const double tv = w->dv == 0 ? (double)INFINITY : ((double)(w->dv > 0 ? j0 + size : j0) - w->v) * w->per_dv;
    const double t = fmin(tu, tv);
    if (tu <= tv) {
        *i = w->du > 0 ? i0 + size : i0 - 1;
        *j = tu == (double)INFINITY ? w->j : clamp_cell(w->v + t * w->dv, j0, j0 + size - 1);
    } else {
        *j = w->dv > 0 ? j0 + size : j0 - 1;
        *i = clamp_cell(w->u + t * w->du, i0, i0 + size - 1);
    }
    return fmax(t, w->t);
}

static double bound_at(const GrRayGround *g, const Way *w, int level)
{
    if (level > GR_BLOCK_SHIFT && level < GR_RAY_LEVELS) {
        return (double)g->top[level][(w->j >> level) * g->top_nx[level] + (w->i >> level)];
    }
    const GrRayBlock *block = &g->blocks[(w->j >> GR_BLOCK_SHIFT) * g->bx + (w->i >> GR_BLOCK_SHIFT)];
    if (block->base == NULL) {
        return INFINITY;
    }
    const int64_t i = (w->i & (GR_BLOCK_CELLS - 1)) >> level, j = (w->j & (GR_BLOCK_CELLS - 1)) >> level;
    return (double)block->bounds[gr_level_start(level) + j * (GR_BLOCK_CELLS >> level) + i];
}

static GrRayResult try_cell(const GrRayGround *g, const GrRay *ray, const Way *w, double bound, double end, bool any,
                            double *t)
{
    const GrRayBlock *block = &g->blocks[(w->j >> GR_BLOCK_SHIFT) * g->bx + (w->i >> GR_BLOCK_SHIFT)];
    Cell c = {.g = g, .ray = ray, .plain = block->plain, .i = (double)w->i, .j = (double)w->j, .any = any};
    if (c.plain != NULL) {
        const double *nodes =
            gr_tiles_find(&c.plain->tiles, gr_tile_key(w->i >> GR_BLOCK_SHIFT, w->j >> GR_BLOCK_SHIFT));
        if (nodes == NULL) {
            return GR_RAY_BLIND;
        }
        c.bend =
            block->bends != NULL
                ? (double)block->bends[(w->j & (GR_BLOCK_CELLS - 1)) * GR_BLOCK_CELLS + (w->i & (GR_BLOCK_CELLS - 1))]
                : (double)INFINITY;
        c.nodes = nodes + ((w->j & (GR_BLOCK_CELLS - 1)) + 1) * GR_TILE_STRIDE + (w->i & (GR_BLOCK_CELLS - 1)) + 1;
    }
    if (hit_cell(&c, bound, w->t, end, t)) {
        return GR_RAY_HIT;
    }
    return c.blind ? GR_RAY_BLIND : GR_RAY_MISS;
}

/// Where a rising ray is above all ground.
static double last_height(const GrRayGround *g, const GrRay *ray)
{
    const int level = g->levels - 1;
    const double most = level > GR_BLOCK_SHIFT && level < GR_RAY_LEVELS ? (double)g->top[level][0] : (double)INFINITY;
    return ray->along.z > 0 ? (most - ray->from.z) / ray->along.z : (double)INFINITY;
}

static GrRayResult cast(const GrRayGround *g, const GrRay *ray, bool any, double *t)
{
    Way w = {.u = (ray->from.x - g->x0) * g->per_dx,
             .v = (ray->from.y - g->y0) * g->per_dy,
             .du = ray->along.x * g->per_dx,
             .dv = ray->along.y * g->per_dy};
    w.per_du = 1 / w.du;
    w.per_dv = 1 / w.dv;
    double begin = ray->begin, end = fmin(ray->end, last_height(g, ray));
    clip_axis(w.u, w.du, (double)g->nx, &begin, &end);
    const double inside = clip_axis(w.v, w.dv, (double)g->ny, &begin, &end);
    if (inside == (double)INFINITY || (w.du == 0 && (w.u < 0 || w.u > (double)g->nx)) || begin > end) {
        return GR_RAY_MISS;
    }
    w.t = begin;
    w.i = clamp_cell(w.u + begin * w.du, 0, g->nx - 1);
    w.j = clamp_cell(w.v + begin * w.dv, 0, g->ny - 1);
    const int start = any ? SHADOW_LEVEL : START_LEVEL;
    int level = start < g->levels - 1 ? start : g->levels - 1;
    for (;;) {
        int64_t i, j;
        const double out = leave(&w, level, &i, &j), stop = fmin(out, end);
        const double low = ray->from.z + (ray->along.z < 0 ? stop : w.t) * ray->along.z;
        const double bound = bound_at(g, &w, level);
        if (level <= GR_BLOCK_SHIFT && bound == (double)INFINITY) {
            return GR_RAY_BLIND;
        }
        if (low <= bound && level > 0) {
            level--;
            continue;
        }
        if (low <= bound) {
            const GrRayResult result = try_cell(g, ray, &w, bound, stop, any, t);
            if (result != GR_RAY_MISS) {
                return result;
            }
        }
        if (out >= end || i < 0 || j < 0 || i >= g->nx || j >= g->ny) {
            return GR_RAY_MISS;
        }
        const int up = level + 1;
        level = up < g->levels && (i >> up != w.i >> up || j >> up != w.j >> up) ? up : level;
        w.t = out;
        w.i = i;
        w.j = j;
    }
}

GrRayResult gr_ray_ground_cast(const GrRayGround *g, const GrRay *ray, double *t)
{
    return cast(g, ray, false, t);
}

bool gr_ray_ground_hides(const GrRayGround *g, const GrRay *ray)
{
    double t = 0;
    return cast(g, ray, true, &t) == GR_RAY_HIT;
}
