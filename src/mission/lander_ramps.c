/// What a lander that stands has below it: the clearance of its underside, and where its ramps touch the ground.
#include "elementary.h"
#include "lander_place.h"

#include "vec3.h"

#include <math.h>
#include <string.h>

/// Points on ramps and on the underside are this far apart, or less [m].
static const double SPACING = 0.1;
/// Ramps are lowered in steps of this angle; the angle of contact is then found by bisection [rad].
static const double SWEEP = GR_DEGREE;
/// The ground beyond the end of a ramp is measured over this distance [m].
static const double BEYOND = 1;

enum { BISECTIONS = 45, LINES = 6 };

/// Lowest point of a ramp above the ground.
typedef struct Clear {
    double height, at; ///< at: distance from the hinge
    bool off_map;
} Clear;

/// A point of a ramp at distance s from the hinge and w to its left; `depth` below the upper face.
static GrVec3 ramp_point(const GrLanderRamp *r, GrPose body, double hinge, GrVec3 swd)
{
    const GrVec3 out = {gr_cos(r->direction), gr_sin(r->direction), 0}, left = {-out.y, out.x, 0}, up = {0, 0, 1};
    const GrVec3 along = gr_madd(gr_scale(gr_cos(hinge), out), -gr_sin(hinge), up);
    const GrVec3 normal = gr_madd(gr_scale(gr_sin(hinge), out), gr_cos(hinge), up);
    const GrVec3 local = gr_madd(gr_madd(gr_madd(r->hinge, swd.x, along), swd.y, left), -swd.z, normal);
    return gr_add(body.position, gr_quat_rotate(body.rotation, local));
}

/// Lines along a ramp on which it is held against the ground: edges and middle of the plate, or of each track.
static int ramp_lines(const GrLanderRamp *r, double out[LINES])
{
    const double half = r->width / 2, inner = r->gap / 2;
    const double plate[] = {-half, 0, half};
    const double tracks[] = {-half, -(half + inner) / 2, -inner, inner, (half + inner) / 2, half};
    const bool split = r->gap > 0;
    const int count = split ? LINES : 3;
    memcpy(out, split ? tracks : plate, sizeof *out * (size_t)count);
    return count;
}

static Clear ramp_clear(const GrLanderRamp *r, const GrSite *site, GrPose body, double hinge)
{
    Clear clear = {.height = INFINITY};
    double lines[LINES];
    const int count = ramp_lines(r, lines), steps = (int)ceil(r->length / SPACING);
    for (int k = 1; k <= steps; k++) {
        for (int i = 0; i < count; i++) {
            const double s = r->length * k / steps;
            const GrVec3 p = ramp_point(r, body, hinge, gr_vec3(s, lines[i], r->thickness));
            const double height = p.z - gr_site_height(site, p.x, p.y);
            clear.off_map = clear.off_map || isnan(height);
            if (height < clear.height) {
                clear.height = height;
                clear.at = s;
            }
        }
    }
    return clear;
}

/// Turns the ramp down from the first angle of its hinge until it touches, or to the last.
static Clear lower(const GrLanderRamp *r, const GrSite *site, GrPose body, double *hinge)
{
    double above = r->first, below = r->first;
    Clear clear = ramp_clear(r, site, body, above);
    while (clear.height > 0 && below < r->last) {
        above = below;
        below = fmin(below + SWEEP, r->last);
        clear = ramp_clear(r, site, body, below);
    }
    *hinge = below;
    for (int i = 0; i < BISECTIONS && clear.height <= 0 && above < below; i++) {
        const double middle = 0.5 * (above + below);
        const Clear c = ramp_clear(r, site, body, middle);
        if (c.height > 0) {
            above = middle;
        } else {
            below = middle;
            clear = c;
        }
        *hinge = below;
    }
    return clear;
}

/// Angle between the ramp and the ground over the first metre beyond its end.
static double angle_to_ground(const GrSite *site, GrVec3 end, GrVec3 along)
{
    const double level = gr_hypot(along.x, along.y);
    const double near = gr_site_height(site, end.x, end.y);
    const double far = gr_site_height(site, end.x + BEYOND * along.x / level, end.y + BEYOND * along.y / level);
    return gr_atan2(far - near, BEYOND) - gr_asin(along.z);
}

static bool lower_ramp(const GrLanderRamp *r, const GrSite *site, GrPose body, GrRampState *out)
{
    double lines[LINES];
    const int count = ramp_lines(r, lines);
    const Clear clear = lower(r, site, body, &out->hinge);
    const GrVec3 root = ramp_point(r, body, out->hinge, gr_vec3(0, 0, 0));
    const GrVec3 end = ramp_point(r, body, out->hinge, gr_vec3(r->length, 0, 0));
    const GrVec3 left = ramp_point(r, body, out->hinge, gr_vec3(0, 1, 0));
    const GrVec3 along = gr_normalize(gr_sub(end, root));
    out->slope = -gr_asin(along.z);
    out->roll = gr_asin(fmax(-1, fmin(1, left.z - root.z)));
    out->to_ground = angle_to_ground(site, end, along);
    out->step = -INFINITY;
    for (int i = 0; i < count; i++) {
        const GrVec3 p = ramp_point(r, body, out->hinge, gr_vec3(r->length, lines[i], 0));
        out->step = fmax(out->step, p.z - gr_site_height(site, p.x, p.y));
    }
    out->touch = clear.height > 0 ? GR_RAMP_HANGS : clear.at >= r->length ? GR_RAMP_END : GR_RAMP_MIDDLE;
    out->touch_at = clear.height > 0 ? (double)NAN : clear.at;
    return !clear.off_map && isfinite(out->step) && isfinite(out->to_ground);
}

bool gr_lander_lower_ramps(const GrLanderDef *lander, const GrSite *site, GrLanderPlacement *placement)
{
    bool on_map = true;
    for (int i = 0; i < lander->ramp_count; i++) {
        on_map = lower_ramp(&lander->ramps[i], site, placement->pose, &placement->ramps[i]) && on_map;
    }
    return on_map;
}

/// Whether a point is in the convex polygon of the underside, whose corners may go either way round.
static bool in_underside(const GrLanderDef *lander, double x, double y)
{
    bool left = false, right = false;
    for (int i = 0; i < lander->corner_count; i++) {
        const double *a = lander->corners[i], *b = lander->corners[(i + 1) % lander->corner_count];
        const double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        left = left || side > 0;
        right = right || side < 0;
    }
    return !(left && right);
}

/// Takes a point of the underside into account.
static bool look_below(const GrSite *site, GrVec3 local, GrLanderPlacement *placement)
{
    const GrPose *body = &placement->pose;
    const GrVec3 p = gr_add(body->position, gr_quat_rotate(body->rotation, local));
    const double height = p.z - gr_site_height(site, p.x, p.y);
    if (height < placement->clearance) {
        placement->clearance = height;
        placement->lowest = p;
    }
    return !isnan(height);
}

bool gr_lander_clearance(const GrLanderDef *lander, const GrSite *site, GrLanderPlacement *placement)
{
    double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY};
    bool on_map = true;
    placement->clearance = INFINITY;
    if (lander->corner_count == 0) {
        return true;
    }
    for (int i = 0; i < lander->corner_count; i++) {
        const double *c = lander->corners[i];
        for (int k = 0; k < 2; k++) {
            lower[k] = fmin(lower[k], c[k]);
            upper[k] = fmax(upper[k], c[k]);
        }
        on_map = look_below(site, gr_vec3(c[0], c[1], lander->underside), placement) && on_map;
    }
    const int nx = (int)fmax(ceil((upper[0] - lower[0]) / SPACING), 1);
    const int ny = (int)fmax(ceil((upper[1] - lower[1]) / SPACING), 1);
    for (int j = 0; j <= ny; j++) {
        for (int i = 0; i <= nx; i++) {
            const double x = lower[0] + (upper[0] - lower[0]) * i / nx, y = lower[1] + (upper[1] - lower[1]) * j / ny;
            if (in_underside(lander, x, y)) {
                on_map = look_below(site, gr_vec3(x, y, lander->underside), placement) && on_map;
            }
        }
    }
    return on_map;
}
