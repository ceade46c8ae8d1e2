#include "horizon.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "processors.h"

#include <math.h>
#include <stdatomic.h>

enum { NEAR = 12, LINES = 4 }; // nodes on the node's own line; lines for each node across

/// A place on the line through a node, as a blend of four nodes; the same for all nodes.
typedef struct Ahead {
    int64_t before,
        next; ///< from the node: the row or column before the place and the next one, in the array of heights
    double share, across; ///< of the next one; of the neighbours across
    double distance;      ///< [m]
    int64_t reach;        ///< nodes along
} Ahead;

/// Lines of one azimuth. `along` counts the columns or rows in the direction of view, `across` the others; a line moves
/// by `drift` nodes across for each one along.
typedef struct Sweep {
    const GrHorizonDef *def;
    int64_t along_count, across_count;
    int64_t along_stride, across_stride; ///< in the array of heights; along: towards the view
    const float *first;                  ///< node along = 0, across = 0
    int64_t first_index;
    double drift, step; ///< step: length of one node along [m]
    Ahead ahead[2 * NEAR];
    double lowest; ///< height of the plain beyond the map [m]
} Sweep;

typedef struct Point {
    double s, z; ///< distance along the line, height less s²/2R
} Point;

typedef struct Hull {
    Point *points; ///< the nearest is the last
    int count;
} Hull;

/// Height where a line crosses the nodes `along`; NAN off the map or without data.
static double crossing(const Sweep *s, int64_t along, double across)
{
    const double low = floor(across);
    const int64_t k = (int64_t)low;
    if (across < 0 || k >= s->across_count || along < 0 || along >= s->along_count) {
        return (double)NAN;
    }
    const float *at = s->first + along * s->along_stride + k * s->across_stride;
    const double share = across - low;
    if (share == 0) {
        return (double)at[0];
    }
    return k + 1 < s->across_count ? (1 - share) * (double)at[0] + share * (double)at[s->across_stride] : (double)NAN;
}

static double slope(Point from, Point to)
{
    return (to.z - from.z) / (to.s - from.s);
}

/// Adds the next nearer point of a line.
static void add_point(Hull *hull, Point p)
{
    while (hull->count >= 2 && slope(p, hull->points[hull->count - 2]) >= slope(p, hull->points[hull->count - 1])) {
        hull->count--;
    }
    hull->points[hull->count++] = p;
}

/// Largest slope from a point that is nearer than all of the hull; −INFINITY: the hull is empty.
static double tangent(const Hull *hull, Point from)
{
    double best = -(double)INFINITY;
    for (int k = hull->count - 1; k >= 0; k--) {
        const double here = slope(from, hull->points[k]);
        if (here < best) {
            break;
        }
        best = here;
    }
    return best;
}

/// The places right ahead of a node, twice a node.
static void list_ahead(Sweep *s)
{
    for (int k = 0; k < 2 * NEAR; k++) {
        const double along = 0.5 * (k + 1), across = along * s->drift, low = floor(across);
        const int64_t row = (int64_t)along, shift = (int64_t)low * s->across_stride;
        s->ahead[k] = (Ahead){.before = row * s->along_stride + shift,
                              .next = (row + 1) * s->along_stride + shift,
                              .share = along - floor(along),
                              .across = across - low,
                              .distance = along * s->step,
                              .reach = (int64_t)ceil(along)};
    }
}

static Sweep make_sweep(const GrHorizonDef *def, double azimuth, double lowest)
{
    const GrGridFrame *f = &def->frame;
    const double u = gr_sin(azimuth) / f->dx, v = gr_cos(azimuth) / f->dy; // nodes per metre
    const bool by_column = fabs(u) >= fabs(v);
    const double major = by_column ? u : v, minor = by_column ? v : u;
    const int64_t stride = by_column ? 1 : f->nx, count = by_column ? f->nx : f->ny;
    const bool back = major < 0;
    Sweep s = {.def = def,
               .along_count = count,
               .across_count = by_column ? f->ny : f->nx,
               .along_stride = back ? -stride : stride,
               .across_stride = by_column ? f->nx : 1,
               .first_index = back ? (count - 1) * stride : 0,
               .drift = minor / fabs(major),
               .step = 1 / fabs(major),
               .lowest = lowest};
    s.first = def->heights + s.first_index;
    list_ahead(&s);
    return s;
}

static double blend(const float *at, int64_t stride, double share)
{
    return share > 0 ? (1 - share) * (double)at[0] + share * (double)at[stride] : (double)at[0];
}

/// Largest slope to the ground right ahead, on the line through the node itself.
static double near_slope(const Sweep *s, int64_t along, int64_t across, double eye_height)
{
    const float *node = s->first + along * s->along_stride + across * s->across_stride;
    const double side = s->drift > 0 ? (double)(s->across_count - 1 - across) : (double)across;
    const double bend = 1 / (2 * s->def->radius);
    double best = -(double)INFINITY;
    for (int k = 0; k < 2 * NEAR; k++) {
        const Ahead *a = &s->ahead[k];
        if (along + a->reach >= s->along_count || 0.5 * (k + 1) * fabs(s->drift) > side) {
            break; // off the map
        }
        double z = blend(node + a->before, s->across_stride, a->across);
        z = a->share > 0 ? (1 - a->share) * z + a->share * blend(node + a->next, s->across_stride, a->across) : z;
        const double here = (z - eye_height) / a->distance - a->distance * bend;
        best = here > best ? here : best; // not for NAN
    }
    return best;
}

/// Slope to what lies beyond the map, between the corners of the node's field.
static double far_slope(const GrHorizonDef *def, int azimuth, int64_t index, double eye_height)
{
    const GrFarView *far = def->far;
    const GrGridFrame *f = &def->frame;
    if (far == NULL) {
        return -(double)INFINITY;
    }
    const double x = (double)(index % f->nx) / (double)(f->nx - 1) * far->columns;
    const int64_t row = index / f->nx;
    const double y = (double)row / (double)(f->ny - 1) * far->rows;
    const int i = (int)fmin(x, far->columns - 1), j = (int)fmin(y, far->rows - 1), width = far->columns + 1;
    const GrFarPoint *points =
        far->points + ((size_t)azimuth * (size_t)(far->rows + 1) + (size_t)j) * (size_t)width + i;
    double sum = 0, weights = 0;
    for (int k = 0; k < 4; k++) {
        const GrFarPoint p = points[(k / 2) * width + k % 2];
        const double wx = k % 2 == 0 ? i + 1 - x : x - i, wy = k / 2 == 0 ? j + 1 - y : y - j, w = wx * wy;
        if (p.distance > 0 && w > 0) {
            sum += w * ((p.height - eye_height) / p.distance - p.distance / (2 * def->radius));
            weights += w;
        }
    }
    return weights > 0 ? sum / weights : -(double)INFINITY;
}

/// The body fills the lower half of the sky: beyond the map lies a plain at the height of the lowest node.
static int16_t stored(const Sweep *s, double slope_ahead, double eye_height)
{
    const double dip = sqrt(2 * fmax(eye_height - s->lowest, 0) / s->def->radius);
    return (int16_t)lrint(gr_atan(fmax(slope_ahead, -dip)) / GR_HORIZON_UNIT);
}

/// Whether a line is the nearest one to a node.
static bool is_nearest(const Sweep *s, int64_t line, int64_t along, int64_t across)
{
    return lrint(LINES * ((double)across - (double)along * s->drift)) == line;
}

/// The skylines of all nodes to which one line is the nearest, from the far end. Lines are 1/LINES of a node apart.
static void sweep_line(const Sweep *s, int azimuth, int64_t line, Hull *hull, int16_t *out)
{
    const GrHorizonDef *def = s->def;
    const double begin = (double)line / LINES;
    hull->count = 0;
    for (int64_t along = s->along_count - 1; along >= 0; along--) {
        const int64_t beyond = along + NEAR + 1;
        const double at = (double)beyond * s->step;
        const double z = crossing(s, beyond, begin + (double)beyond * s->drift);
        if (!isnan(z)) {
            add_point(hull, (Point){at, z - at * at / (2 * def->radius)});
        }
        const int64_t across = lrint(begin + (double)along * s->drift);
        if (across < 0 || across >= s->across_count || !is_nearest(s, line, along, across)) {
            continue;
        }
        const int64_t node = along * s->along_stride + across * s->across_stride;
        const double height = (double)s->first[node] + def->eye, here = (double)along * s->step;
        const int64_t index = s->first_index + node;
        if (isnan(height)) {
            out[index] = GR_HORIZON_VOID;
            continue;
        }
        const Point eye = {here, height - here * here / (2 * def->radius)};
        const double beyond_slope = tangent(hull, eye) + here / def->radius;
        const double near = near_slope(s, along, across, height);
        out[index] = stored(s, fmax(fmax(near, beyond_slope), far_slope(def, azimuth, index, height)), height);
    }
}

typedef struct Work {
    const GrHorizonDef *def;
    GrHorizon *out;
    double lowest;      ///< node of the map [m]
    atomic_bool failed; ///< no memory
} Work;

static void sweep_azimuth(const GrHorizonDef *def, int azimuth, double lowest, Hull *hull, int16_t *out)
{
    const Sweep s = make_sweep(def, 2 * GR_PI * azimuth / def->azimuths, lowest);
    // lines that begin beside the map and drift into it
    const int64_t drift = lrint(LINES * (double)(s.along_count - 1) * s.drift), first = drift > 0 ? -drift - 1 : -1;
    const int64_t last = LINES * (s.across_count - 1) + (drift < 0 ? -drift : 0) + 1;
    for (int64_t line = first; line <= last; line++) {
        sweep_line(&s, azimuth, line, hull, out);
    }
}

static void do_azimuths(void *context, int share, int shares)
{
    Work *w = context;
    const GrGridFrame *f = &w->def->frame;
    const size_t longer = (size_t)(f->nx > f->ny ? f->nx : f->ny);
    Hull hull = {gr_malloc((longer + 1) * sizeof *hull.points), 0};
    if (hull.points == NULL) {
        w->failed = true;
        return;
    }
    for (int a = share; a < w->def->azimuths; a += shares) {
        sweep_azimuth(w->def, a, w->lowest, &hull, w->out->angles + (size_t)a * (size_t)(f->nx * f->ny));
    }
    gr_free(hull.points);
}

GrStatus gr_horizon_make(const GrHorizonDef *def, GrHorizon *out, GrErrorLog *log)
{
    const GrGridFrame *f = &def->frame;
    *out = (GrHorizon){*f, def->azimuths, NULL};
    out->angles = gr_malloc((size_t)def->azimuths * (size_t)(f->nx * f->ny) * sizeof *out->angles);
    if (out->angles == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    double lowest = (double)INFINITY;
    for (int64_t k = 0; k < f->nx * f->ny; k++) {
        const double z = (double)def->heights[k];
        lowest = z < lowest ? z : lowest; // not for NAN
    }
    Work work = {.def = def, .out = out, .lowest = lowest};
    gr_share_out(def->threads, do_azimuths, &work);
    if (work.failed) {
        gr_horizon_free(out);
        return gr_out_of_memory(log, NULL);
    }
    return GR_OK;
}

void gr_horizon_free(GrHorizon *horizon)
{
    gr_free(horizon->angles);
    horizon->angles = NULL;
}

double gr_horizon_at(const GrHorizon *h, int64_t i, int64_t j, double azimuth)
{
    const double turns = azimuth / (2 * GR_PI), bin = (turns - floor(turns)) * h->azimuths;
    const int low = (int)bin % h->azimuths, next = (low + 1) % h->azimuths;
    const double share = bin - floor(bin);
    const size_t nodes = (size_t)(h->frame.nx * h->frame.ny), at = (size_t)(j * h->frame.nx + i);
    const int16_t a = h->angles[(size_t)low * nodes + at], b = h->angles[(size_t)next * nodes + at];
    return a == GR_HORIZON_VOID ? (double)NAN : ((1 - share) * a + share * b) * GR_HORIZON_UNIT;
}

typedef struct NodeView {
    const GrHorizon *horizon;
    int64_t i, j;
} NodeView;

static double skyline(const void *context, double azimuth)
{
    const NodeView *node = context;
    return gr_horizon_at(node->horizon, node->i, node->j, azimuth);
}

double gr_horizon_share(const GrHorizon *horizon, int64_t i, int64_t j, const GrSkyView *view)
{
    const NodeView node = {horizon, i, j};
    const double middle = gr_horizon_at(horizon, i, j, view->azimuth);
    if (isnan(middle)) {
        return 0;
    }
    return gr_disc_share(view, skyline, &node);
}
