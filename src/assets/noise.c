#include "noise.h"

#include "elementary.h"
#include "random.h"
#include "whole.h"

#include <math.h>

enum { STRUCTURE_POINTS = 20000 };

/// Finaliser of splitmix64 over the lattice point.
static uint64_t hash(uint64_t seed, int64_t i, int64_t j)
{
    uint64_t h = seed ^ ((uint64_t)i * 0x9e3779b97f4a7c15u) ^ ((uint64_t)j * 0xc2b2ae3d27d4eb4fu);
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

/// Gradient of a lattice point: a pair of numbers in (−1, 1) from the hash. Their lengths differ, which hides the
/// lattice, and no sine is needed.
typedef struct Gradient {
    double x, y;
} Gradient;

/// A cell of the lattice and the gradients at its corners.
typedef struct Cell {
    double fx, fy; ///< south-west corner
    Gradient corners[2][2];
} Cell;

static Gradient gradient(uint64_t seed, int64_t i, int64_t j)
{
    const uint64_t h = hash(seed, i, j);
    return (Gradient){(double)(int32_t)(h & 0xffffffffu) * 0x1.0p-31, (double)(int32_t)(h >> 32) * 0x1.0p-31};
}

static Cell make_cell(uint64_t seed, double fx, double fy)
{
    const int64_t i = gr_whole(fx), j = gr_whole(fy);
    return (Cell){
        fx,
        fy,
        {{gradient(seed, i, j), gradient(seed, i + 1, j)}, {gradient(seed, i, j + 1), gradient(seed, i + 1, j + 1)}}};
}

/// Moves to another cell. Points in a row mostly come into one beside the last, which shares two of its corners, and
/// hashing these is most of the work where cells are small.
static void enter_cell(Cell *cell, uint64_t seed, double fx, double fy)
{
    Gradient(*c)[2] = cell->corners;
    const int64_t i = gr_whole(fx), j = gr_whole(fy);
    const double dx = fx - cell->fx, dy = fy - cell->fy;
    if (dy == 0 && fabs(dx) == 1) {
        const int to = dx > 0; // the column that is new
        for (int k = 0; k < 2; k++) {
            c[k][1 - to] = c[k][to];
            c[k][to] = gradient(seed, i + to, j + k);
        }
    } else if (dx == 0 && fabs(dy) == 1) {
        const int to = dy > 0; // the row that is new
        for (int k = 0; k < 2; k++) {
            c[1 - to][k] = c[to][k];
            c[to][k] = gradient(seed, i + k, j + to);
        }
    } else {
        *cell = make_cell(seed, fx, fy);
    }
    cell->fx = fx;
    cell->fy = fy;
}

/// Dot product of the lattice point's gradient with the offset from it.
static inline double corner(Gradient g, double u, double v)
{
    return g.x * u + g.y * v;
}

static inline double fade(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static inline double value_in(const Cell *cell, double x, double y)
{
    const double u = x - cell->fx, v = y - cell->fy, a = fade(u), b = fade(v);
    const double south = corner(cell->corners[0][0], u, v) * (1 - a) + corner(cell->corners[0][1], u - 1, v) * a;
    const double north =
        corner(cell->corners[1][0], u, v - 1) * (1 - a) + corner(cell->corners[1][1], u - 1, v - 1) * a;
    return south + b * (north - south);
}

double gr_noise(uint64_t seed, double x, double y)
{
    const Cell cell = make_cell(seed, floor(x), floor(y));
    return value_in(&cell, x, y);
}

void gr_noise_row(uint64_t seed, const double *x, const double *y, int count, double *restrict out)
{
    Cell cell = {.fx = (double)NAN};
    for (int k = 0, end; k < count; k = end) {
        enter_cell(&cell, seed, floor(x[k]), floor(y[k]));
        const double ex = cell.fx + 1, ey = cell.fy + 1;
        for (end = k + 1; end < count && x[end] >= cell.fx && x[end] < ex && y[end] >= cell.fy && y[end] < ey;) {
            end++;
        }
        for (int i = k; i < end; i++) { // in vector registers
            out[i] = value_in(&cell, x[i], y[i]);
        }
    }
}

void gr_noise_structure(const double *r, int count, double *out)
{
    GrRandom random = gr_random_stream(0, "noise structure");
    for (int i = 0; i < count; i++) {
        out[i] = 0;
    }
    for (int k = 0; k < STRUCTURE_POINTS; k++) {
        // Each pair of points uses its own noise, so that the mean is over realisations too.
        const double x = gr_random_unit(&random), y = gr_random_unit(&random);
        const double angle = 6.283185307179586 * gr_random_unit(&random);
        const uint64_t seed = gr_random_u64(&random);
        const double c = gr_cos(angle), s = gr_sin(angle), here = gr_noise(seed, x, y);
        for (int i = 0; i < count; i++) {
            const double d = gr_noise(seed, x + r[i] * c, y + r[i] * s) - here;
            out[i] += d * d;
        }
    }
    for (int i = 0; i < count; i++) {
        out[i] /= STRUCTURE_POINTS;
    }
}
