/// The stamp of a wheel on a grid of ruts: trough, walls and the marks of its grousers (trace_wheel.h).
#include "elementary.h"
#include "ruts.h"
#include "trace_wheel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// ---- parameters

static const GrTraceField FIELDS[] = {
    {"mean_m", offsetof(GrTraceDef, mean.base), -1, 1, false, true},
    {"mean_load_m_per_N", offsetof(GrTraceDef, mean.load), -1, 1, false, true},
    {"mean_slip_m", offsetof(GrTraceDef, mean.slip), -1, 1, false, false},
    {"swing_m", offsetof(GrTraceDef, swing.base), -1, 1, false, true},
    {"swing_load_m_per_N", offsetof(GrTraceDef, swing.load), -1, 1, false, true},
    {"swing_slip_m", offsetof(GrTraceDef, swing.slip), -1, 1, false, false},
    {"load_min_N", offsetof(GrTraceDef, load_min), 0, 1e6, false, true},
    {"load_max_N", offsetof(GrTraceDef, load_max), 0, 1e6, true, true},
    {"radius_m", offsetof(GrTraceDef, radius), 0, 100, true, true},
    {"width_m", offsetof(GrTraceDef, width), 0, 100, true, true},
    {"grouser_height_m", offsetof(GrTraceDef, grouser_height), 0, 10, true, true},
    {"gravity_m_s2", offsetof(GrTraceDef, gravity), 0, 1000, true, false},
};

enum { FIELD_COUNT = sizeof FIELDS / sizeof FIELDS[0] };

const GrTraceField *gr_trace_field(int index)
{
    return index >= 0 && index < FIELD_COUNT ? &FIELDS[index] : NULL;
}

double gr_trace_field_get(const GrTraceDef *def, const GrTraceField *field)
{
    double value;
    memcpy(&value, (const char *)def + field->offset, sizeof value);
    return value;
}

void gr_trace_field_set(GrTraceDef *def, const GrTraceField *field, double value)
{
    memcpy((char *)def + field->offset, &value, sizeof value);
}

GrTraceDef gr_default_trace_def(void)
{
    return (GrTraceDef){
        .mean = {-1.440e-3, -0.4388e-3, 0},
        .swing = {8.003e-3, 0.0630e-3, 0},
        .load_min = 3,
        .load_max = 17.9,
        .radius = 0.1,
        .width = 0.08,
        .grouser_height = 0.02,
        .gravity = 9.80665,
        .source = "Kamohara et al. 2024, table 2 (Toyoura sand by particles), least squares",
    };
}

GrStatus gr_trace_check(const GrTraceDef *def, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < FIELD_COUNT; i++) {
        const GrTraceField *f = &FIELDS[i];
        const double value = gr_trace_field_get(def, f);
        if (!(value >= f->lower && value <= f->upper) || (f->open && value == f->lower)) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = f->key},
                                  "%g is out of range; allowed: %s %g to %g", value, f->open ? "above" : "from",
                                  f->lower, f->upper);
        }
    }
    if (status == GR_OK && !(def->load_max > def->load_min)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "load_max_N"},
                              "%g is not above load_min_N, %g", def->load_max, def->load_min);
    }
    return status;
}

// ---- the stamp

static const double TWO_PI = 6.283185307179586;

/// Additional values in the points of a trace's track: μ and A, measured upwards [m].
enum { MEAN, SWING };

/// Cells per period below which a grid cannot show it, and above which it shows it fully.
static const double CELLS_LEAST = 2, CELLS_FULL = 2.5;

void gr_trace_prepare(const GrTraceDef *def, const GrSoilDef *soil, const GrSoilWheelDef *wheel, double cell,
                      GrTraceWheel *out)
{
    const double r = wheel->radius, tip = r + wheel->grouser_height;
    const double tested = def->gravity * def->width * def->radius * def->radius;
    const bool lugs = wheel->grouser_count > 0 && wheel->grouser_height > 0;
    *out = (GrTraceWheel){
        .def = *def,
        .by_load = wheel->gravity > 0 ? tested / (wheel->gravity * wheel->width * r * r) : 1,
        .by_length = r / def->radius,
        .by_grouser = lugs ? wheel->grouser_height / def->grouser_height : 0,
        .grousers = wheel->grouser_count,
        .half_width = 0.5 * wheel->width,
        .tan_repose = gr_tan(soil->repose_angle),
        .sampling = gr_rut_sampling(tip, cell),
    };
}

GrTraceShape gr_trace_shape(const GrTraceWheel *w, double load, double slip)
{
    const GrTraceDef *def = &w->def;
    const double like = w->by_load * load, s = fabs(slip), height = w->by_grouser * def->grouser_height;
    const bool light = like < def->load_min;
    const double at = light ? def->load_min : like, part = light ? fmax(0, like) / def->load_min : 1;
    const double mean = def->mean.base + def->mean.load * at + def->mean.slip * s;
    const double swing = def->swing.base + def->swing.load * at + def->swing.slip * s;
    return (GrTraceShape){part * w->by_length * mean, part * fmax(0, fmin(height, w->by_grouser * swing)),
                          (light ? GR_TRACE_LIGHT : 0) | (like > def->load_max ? GR_TRACE_HEAVY : 0)};
}

/// A segment of the track: the ground between the axles at its two ends.
typedef struct Piece {
    const GrTraceWheel *w;
    const GrRutPoint *a, *b;
    double sense;          ///< −1: backwards
    double shown;          ///< fraction of the amplitude that the grid can show
    double side_x, side_y; ///< unit vector to the left, midway between the ends
    double reach;          ///< nodes farther to the side are outside [m]
} Piece;

/// Distance of a position ahead of the axle at a point of the track, in the direction of travel.
static double distance_ahead(const Piece *p, const GrRutPoint *at, double x, double y)
{
    return p->sense * ((x - at->x) * at->ahead_x + (y - at->y) * at->ahead_y);
}

/// Height that the wheel leaves at a position; false when it did not pass there. Segments share their ends: every
/// position between the first and the last axle belongs to one of them.
static bool height_at(const Piece *p, double x, double y, double *z)
{
    const double from = distance_ahead(p, p->a, x, y), to = distance_ahead(p, p->b, x, y);
    if (!(from >= 0 && to < 0)) {
        return false;
    }
    const double t = from / (from - to);
    const GrRutPoint *a = p->a, *b = p->b;
    const double off_x = x - a->x - t * (b->x - a->x), off_y = y - a->y - t * (b->y - a->y);
    const double room = p->w->half_width - fabs(off_x * p->side_x + off_y * p->side_y);
    if (!(room > 0)) {
        return false;
    }
    const double mean = a->left[MEAN] + t * (b->left[MEAN] - a->left[MEAN]);
    const double swing = a->left[SWING] + t * (b->left[SWING] - a->left[SWING]);
    const double phase = p->w->grousers * (a->angle + t * (b->angle - a->angle));
    const double full = mean - 0.5 * p->shown * swing * gr_cos(phase), wall = room * p->w->tan_repose;
    *z = full < -wall ? -wall : full > wall ? wall : full;
    return true;
}

/// Narrows [from, to] to where c + k x ≥ 0.
static void clip(double c, double k, double *from, double *to)
{
    if (k > 0) {
        *from = fmax(*from, -c / k);
    } else if (k < 0) {
        *to = fmin(*to, -c / k);
    } else if (c < 0) {
        *to = *from - 1;
    }
}

/// Part of row y that the segment can reach.
static void clip_row(const Piece *p, double y, double *from, double *to)
{
    const GrRutPoint *a = p->a, *b = p->b;
    clip(distance_ahead(p, a, 0, y), p->sense * a->ahead_x, from, to);
    clip(-distance_ahead(p, b, 0, y), -p->sense * b->ahead_x, from, to);
    const double off = (y - a->y) * p->side_y - a->x * p->side_x;
    clip(p->reach - off, -p->side_x, from, to);
    clip(p->reach + off, p->side_x, from, to);
}

static Piece make_piece(const GrTraceWheel *w, const GrRutPoint *a, const GrRutPoint *b, double cell)
{
    const double dx = b->x - a->x, dy = b->y - a->y, turned = w->grousers * fabs(b->angle - a->angle);
    const GrRutPoint middle = gr_rut_point_between(a, b, 0.5);
    Piece p = {.w = w, .a = a, .b = b, .side_x = -middle.ahead_y, .side_y = middle.ahead_x};
    p.sense = dx * middle.ahead_x + dy * middle.ahead_y < 0 ? -1 : 1;
    p.reach = w->half_width + fabs(dx * p.side_x + dy * p.side_y);
    // cells per period; infinite for a locked wheel
    const double cells = TWO_PI * sqrt(dx * dx + dy * dy) / (cell * turned);
    p.shown = fmax(0, fmin(1, (cells - CELLS_LEAST) / (CELLS_FULL - CELLS_LEAST)));
    return p;
}

/// Stamps the segment of the track from a to b into the ruts.
static int stamp(const GrTraceWheel *w, const GrRutPoint *a, const GrRutPoint *b, GrRuts *ruts)
{
    const double cell = ruts->def.cell;
    const Piece p = make_piece(w, a, b, cell);
    const double pad_x = w->half_width * fmax(fabs(a->ahead_y), fabs(b->ahead_y));
    const double pad_y = w->half_width * fmax(fabs(a->ahead_x), fabs(b->ahead_x));
    const int64_t j0 = (int64_t)ceil((fmin(a->y, b->y) - pad_y) / cell);
    const int64_t j1 = (int64_t)floor((fmax(a->y, b->y) + pad_y) / cell);
    int flags = 0;
    for (int64_t j = j0; j <= j1; j++) {
        const double y = (double)j * cell;
        double from = fmin(a->x, b->x) - pad_x, to = fmax(a->x, b->x) + pad_x, z;
        clip_row(&p, y, &from, &to);
        if (!(from <= to)) {
            continue;
        }
        // One more node on either side against rounding of the clipping; height_at() decides.
        for (int64_t i = (int64_t)floor(from / cell), end = (int64_t)ceil(to / cell); i <= end; i++) {
            if (!height_at(&p, (double)i * cell, y, &z)) {
                continue;
            }
            double *node = gr_ruts_height(ruts, i, j);
            if (node == NULL) {
                flags |= GR_TRACE_FULL;
            } else if (*node == 0 || z < *node) { // 0: no wheel has passed here, and a crest may rise
                *node = z;
            }
        }
    }
    return flags;
}

/// A track and the ruts it goes to.
typedef struct Stamp {
    const GrTraceWheel *w;
    GrRuts *ruts;
} Stamp;

static int leave(void *context, const GrRutPoint *a, const GrRutPoint *b)
{
    const Stamp *s = context;
    return b != NULL ? stamp(s->w, a, b, s->ruts) : 0;
}

static GrRutPoint point_of(const GrTraceMotion *motion, const GrTraceShape *shape)
{
    const GrVec3 f = motion->ahead;
    const double length = sqrt(f.x * f.x + f.y * f.y), upright = fmax(0.1, motion->normal.z);
    return (GrRutPoint){
        .x = motion->point.x,
        .y = motion->point.y,
        .ahead_x = length > 0 ? f.x / length : 1,
        .ahead_y = length > 0 ? f.y / length : 0,
        .left = {[MEAN] = shape->mean / upright, [SWING] = shape->swing / upright},
        .angle = motion->angle,
    };
}

int gr_trace_tiles(const GrTraceWheel *w, double cell)
{
    // Three segments and the width across them, in any direction.
    const double side = 2 * w->half_width + 4 * w->sampling.spacing;
    const int tiles = (int)ceil(side / (GR_RUT_NODES * cell)) + 1;
    return tiles * tiles;
}

int gr_trace_advance(const GrTraceWheel *w, GrRutTrack *track, const GrTraceMotion *motion, GrRuts *ruts)
{
    const bool down = motion->load > 0;
    const GrTraceShape shape = down ? gr_trace_shape(w, motion->load, motion->slip) : (GrTraceShape){0};
    const GrRutPoint to = point_of(motion, &shape);
    Stamp stamp = {w, ruts};
    return shape.flags | gr_rut_track_advance(track, &w->sampling, &to, down, leave, &stamp);
}

int gr_trace_finish(const GrTraceWheel *w, GrRutTrack *track, GrRuts *ruts)
{
    Stamp stamp = {w, ruts};
    return gr_rut_track_finish(track, leave, &stamp);
}
