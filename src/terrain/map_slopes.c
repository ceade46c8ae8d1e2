#include "map_slopes.h"

#include "elementary.h"
#include "map_lanes.h"

#include <math.h>

enum { NO_SLOPE = GR_SLOPE_BINS, UNSURE = -1 };

double gr_slope_of(double square)
{
    return gr_atan(sqrt(square)) / GR_DEGREE;
}

int gr_slope_bin(double square)
{
    const int bin = (int)(gr_slope_of(square) * GR_SLOPE_BINS_PER_DEGREE);
    return bin < GR_SLOPE_BINS ? bin : GR_SLOPE_BINS - 1;
}

static inline __attribute__((always_inline)) double over(double rise, double run, bool exact)
{
    return exact ? rise * run : rise / run;
}

/// Derivatives along x. This and the next are inlined with a constant: `exact` where the length is a reciprocal.
static inline __attribute__((always_inline)) void set_along(bool exact, const double *row, int64_t first, int64_t last,
                                                            double wide, double *restrict gx)
{
    for (int64_t k = first; k < last; k++) {
        gx[k] = over(row[k + 1] - row[k - 1], wide, exact);
    }
}

static inline __attribute__((always_inline)) void set_squares(bool exact, const double *row, const double *lower,
                                                              const double *upper, int64_t count, double high,
                                                              const double *gx, double *restrict squares)
{
    for (int64_t k = 0; k < count; k++) {
        const double gy = over(upper[k] - lower[k], high, exact);
        squares[k] = gx[k] * gx[k] + gy * gy + 0 * row[k]; // NAN where its own height is missing
    }
}

/// A length whose reciprocal is a number: multiplying by that gives the same bits as dividing, in a fraction of the
/// time.
static bool is_power_of_two(double length)
{
    int exponent;
    return frexp(length, &exponent) == 0.5;
}

/// Squares of the gradients of a row: central differences, one-sided at the border of the map. NAN where a height or
/// one of its neighbours is missing.
static void find_squares(GrSlopeCounts *c, const GrGridFrame *f, const double *row, int64_t stride, int64_t i,
                         int64_t j, int64_t count)
{
    const int64_t first = i == 0, last = i + count == f->nx ? count - 1 : count;
    const double *upper = j == f->ny - 1 ? row : row + stride, *lower = j == 0 ? row : row - stride;
    const double wide = 2 * f->dx, high = j == 0 || j == f->ny - 1 ? f->dy : 2 * f->dy;
    if (first > 0) {
        c->gx[0] = (row[1] - row[0]) / f->dx;
    }
    if (last < count) {
        c->gx[last] = (row[last] - row[last - 1]) / f->dx;
    }
    if (is_power_of_two(wide) && is_power_of_two(high)) {
        set_along(true, row, first, last, 1 / wide, c->gx);
        set_squares(true, row, lower, upper, count, 1 / high, c->gx, c->squares);
    } else {
        set_along(false, row, first, last, wide, c->gx);
        set_squares(false, row, lower, upper, count, high, c->gx, c->squares);
    }
}

/// Slopes up to 45 degrees in units of a bin, from gradients u: the arcus tangent by a polynomial that interpolates it
/// at Chebyshev's points and is off by 4e-8 of a bin at most. Its even and odd powers are apart, so that they do not
/// wait for each other.
static inline __attribute__((always_inline)) double place_of(double u)
{
    const double v = u * u, w = v * v;
    double even = 2.401997366250126, odd = -18.308429844800685;
    even = even * w + 65.47549386284685;
    odd = odd * w - 149.00334763245823;
    even = even * w + 250.07650370688702;
    odd = odd * w - 345.0464150688797;
    even = even * w + 429.4468912240448;
    odd = odd * w - 518.4797673583789;
    even = even * w + 636.2872054300384;
    odd = odd * w - 818.4831366751779;
    even = even * w + 1145.9143490139552;
    odd = odd * w - 1909.8592952341824;
    even = even * w + 5729.577951243706;
    return u * (even + v * odd);
}

/// Squares of gradients; 0 where there is none. A loop of its own: compilers make jumps of conditions before long
/// computations.
static void clear_missing(const double *squares, int64_t count, double *restrict out)
{
    for (int64_t k = 0; k < count; k++) {
        out[k] = squares[k] == squares[k] ? squares[k] : 0;
    }
}

/// Slopes in units of a bin, in place of the squares of the gradients. Inlined with a constant: without `steep` none is
/// above 45 degrees, which saves a division; otherwise those are the difference to 90 degrees.
static inline __attribute__((always_inline)) void find_places(bool steep, int64_t count, double *places)
{
    for (int64_t k = 0; k < count; k++) {
        const double g = sqrt(places[k]);
        if (steep) {
            const double top = g > 1 ? 1 : g, bottom = g > 1 ? g : 1;
            const double from = g > 1 ? GR_SLOPE_BINS : 0, sign = g > 1 ? -1 : 1;
            places[k] = from + sign * place_of(top / bottom);
        } else {
            places[k] = place_of(g);
        }
    }
}

/// Bins of slopes; UNSURE where an edge is near. In whole numbers, since compilers make jumps of several conditions on
/// one number with a point.
static void find_bins(const double *squares, const double *places, int64_t count, int32_t *restrict bins)
{
    enum { BITS = 17, UNIT = 1 << BITS };
    for (int64_t k = 0; k < count; k++) {
        const int32_t place = (int32_t)(places[k] * UNIT);
        const bool near = (((place + 1) & (UNIT - 1)) < 2) & (place > 0); // nothing is below the first bin
        const int32_t found = near ? UNSURE : place >> BITS;
        bins[k] = squares[k] == squares[k] ? found : NO_SLOPE;
    }
}

/// The largest of the squares and `least`.
static double find_largest(const double *squares, int64_t count, double least)
{
    double largest[GR_LANES];
    for (int l = 0; l < GR_LANES; l++) {
        largest[l] = least;
    }
    int64_t k = 0;
    for (; k + GR_LANES <= count; k += GR_LANES) {
        for (int l = 0; l < GR_LANES; l++) {
            largest[l] = squares[k + l] > largest[l] ? squares[k + l] : largest[l];
        }
    }
    for (; k < count; k++) {
        largest[0] = squares[k] > largest[0] ? squares[k] : largest[0];
    }
    for (int l = 0; l < GR_LANES; l++) {
        least = largest[l] > least ? largest[l] : least;
    }
    return least;
}

static double sum_places(const double *places, int64_t count)
{
    double sums[GR_LANES] = {0};
    int64_t k = 0;
    for (; k + GR_LANES <= count; k += GR_LANES) {
        for (int l = 0; l < GR_LANES; l++) {
            sums[l] += places[k + l];
        }
    }
    for (int l = 0; k + l < count; l++) {
        sums[l] += places[k + l];
    }
    return gr_lanes_sum(sums);
}

void gr_slopes_add(GrSlopeCounts *c, const GrGridFrame *frame, const double *row, int64_t stride, int64_t i, int64_t j,
                   int64_t count, double *sum, double *steepest)
{
    find_squares(c, frame, row, stride, i, j, count);
    const double largest = find_largest(c->squares, count, 0);
    clear_missing(c->squares, count, c->places);
    if (largest > 1) {
        find_places(true, count, c->places);
    } else {
        find_places(false, count, c->places);
    }
    find_bins(c->squares, c->places, count, c->bins);
    *sum += sum_places(c->places, count);
    *steepest = largest > *steepest ? largest : *steepest;
    for (int64_t k = 0; k < count; k++) {
        const int32_t bin = c->bins[k];
        c->counts[bin == UNSURE ? gr_slope_bin(c->squares[k]) : bin]++;
    }
}
