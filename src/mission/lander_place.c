/// Places landers: which feet carry, and the pose that follows from them.
///
/// Every three feet give a pose in which they touch the ground, found by iteration: the ground under the feet gives a
/// plane, the plane a tilt, and the tilt moves the feet. A pose is valid if no other foot is below the ground and the
/// mass centre is above the polygon of the feet that touch. Where a lander may rock between two valid poses, the one
/// with the lower mass centre counts. Mass centre and heading, seen from above, stay as given.
///
/// The alternative, to minimise the height of the mass centre over all tilts, was dropped: its minima are poses whose
/// mass centre is above the support along the normal of a slope, and not along the vertical, since feet slide in it.
#include "elementary.h"

#include "grouser/lander.h"
#include "grouser/surface.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

// ---- below a lander that stands

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

/// Lowers all ramps. False: one of them is off the map.
static bool lander_lower_ramps(const GrLanderDef *lander, const GrSite *site, GrLanderPlacement *placement)
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

/// Smallest height of the underside above the ground. False: it is off the map.
static bool lander_clearance(const GrLanderDef *lander, const GrSite *site, GrLanderPlacement *placement)
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

// ---- places

/// A foot touches within this height, and may be this far below the ground [m].
static const double TOUCH = 1e-6;
/// Iterations end below this change [m]; a pose whose feet miss the ground by more than TOUCH was not found.
static const double CONVERGED = 1e-12;
/// The mass centre may be this far outside its support: on level ground it may be exactly above an edge [m].
static const double EDGE = 1e-9;
/// Tilts whose cosine is below this are not tried.
static const double STEEPEST = 0.05;

enum { RIM = 8, ITERATIONS = 400 };

const char *gr_stand_name(GrStand stand)
{
    static const char *const names[] = {
#define GR_STAND_NAME(constant, name) #name,
        GR_STAND_LIST(GR_STAND_NAME)
#undef GR_STAND_NAME
    };
    return names[stand];
}

/// Height of the ground alone.
static double ground_height(const GrSite *site, double x, double y)
{
    double z = 0;
    return site->terrain == NULL || gr_terrain_height(site->terrain, x, y, &z) == GR_GROUND_OK ? z : (double)NAN;
}

/// Height of a rock above the ground at a distance from its middle; 0: beside it. Rocks are ellipsoids whose middle is
/// on the ground, h sqrt(1 − (d/r)²), measured from the ground at each point: so heights are continuous at their rims
/// on slopes, too.
static double rock_top(const GrRock *rock, double distance)
{
    const double part = distance / (rock->diameter / 2);
    return part < 1 ? rock->height * sqrt(1 - part * part) : 0;
}

double gr_site_height(const GrSite *site, double x, double y)
{
    double above = 0;
    for (int i = 0; i < site->rock_count; i++) {
        above = fmax(above, rock_top(&site->rocks[i], gr_hypot(site->rocks[i].x - x, site->rocks[i].y - y)));
    }
    return ground_height(site, x, y) + above;
}

/// Height at which the middle of a flat footpad, parallel to the body's deck, touches the ground; NAN: off the map.
/// Points of the pad are held against the ground below them, in its middle, on its rim, and where a rock is nearest.
static double foot_height(const GrSite *site, GrVec3 at, double radius, const GrMat3 *axes)
{
    const GrVec3 x = gr_mat3_column(axes, 0), y = gr_mat3_column(axes, 1), up = gr_mat3_column(axes, 2);
    double top = gr_site_height(site, at.x, at.y);
    for (int k = 0; k < RIM && radius > 0; k++) {
        const double angle = 2 * GR_PI * k / RIM;
        const GrVec3 rim = gr_scale(radius, gr_add(gr_scale(gr_cos(angle), x), gr_scale(gr_sin(angle), y)));
        const double z = gr_site_height(site, at.x + rim.x, at.y + rim.y) - rim.z;
        top = isnan(z) || isnan(top) ? (double)NAN : fmax(top, z);
    }
    for (int i = 0; i < site->rock_count && !isnan(top); i++) {
        const GrRock *rock = &site->rocks[i];
        const double dx = rock->x - at.x, dy = rock->y - at.y, distance = gr_hypot(dx, dy);
        const double part = distance > radius ? radius / distance : 1; // of the way to the rock that is on the pad
        const double rise = -part * (up.x * dx + up.y * dy) / up.z;    // of the pad's plane over that way
        const double above = rock_top(rock, fmax(0, distance - radius));
        if (above > 0) {
            top = fmax(top, ground_height(site, at.x + part * dx, at.y + part * dy) + above - rise);
        }
    }
    return top;
}

/// A lander while it is placed. Feet are relative to the mass centre.
typedef struct Stance {
    const GrLanderDef *lander;
    const GrSite *site;
    GrLanderSpot spot;
    GrVec3 arms[GR_LANDER_FEET];
} Stance;

/// A pose and where its feet are.
typedef struct Try {
    GrMat3 rotation;
    double z; ///< of the mass centre
    GrVec3 feet[GR_LANDER_FEET];
    double gaps[GR_LANDER_FEET]; ///< height of each foot above the ground
    unsigned down;
} Try;

/// Axes of a body whose z axis is `up` and whose x axis has the given heading, seen from above.
static GrMat3 axes_of(GrVec3 up, double heading)
{
    const GrVec3 level = {gr_cos(heading), gr_sin(heading), 0};
    const GrVec3 x = gr_normalize(gr_vec3(level.x, level.y, -(up.x * level.x + up.y * level.y) / up.z));
    const GrVec3 y = gr_cross(up, x);
    return (GrMat3){{{x.x, y.x, up.x}, {x.y, y.y, up.y}, {x.z, y.z, up.z}}};
}

/// Horizontal place of foot i, and its height below the mass centre as z.
static GrVec3 foot_at(const Stance *s, const GrMat3 *rotation, int i)
{
    const GrVec3 arm = gr_mat3_mul_vec(rotation, s->arms[i]);
    return gr_vec3(s->spot.x + arm.x, s->spot.y + arm.y, arm.z);
}

static GrVec3 normal_of(const GrVec3 p[3])
{
    const GrVec3 n = gr_normalize(gr_cross(gr_sub(p[1], p[0]), gr_sub(p[2], p[0])));
    return n.z < 0 ? gr_neg(n) : n;
}

/// What became of three feet: a pose, none (the iteration did not end), a part off the map, or a tilt beyond STEEPEST;
/// NONE: they are in a line, and carry nothing.
typedef enum Found { FOUND, NOT_FOUND, OFF_MAP, TOO_STEEP, NONE } Found;

/// The tilt in which three feet touch the ground: up <- the rotation that brings their plane to that of the ground,
/// applied with `relaxation`.
static Found seat(const Stance *s, const int three[3], double relaxation, GrVec3 *up)
{
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        const GrMat3 r = axes_of(*up, s->spot.heading);
        GrVec3 feet[3], ground[3];
        double miss = 0, mean = 0;
        for (int k = 0; k < 3; k++) {
            feet[k] = foot_at(s, &r, three[k]);
            ground[k] = feet[k];
            ground[k].z = foot_height(s->site, feet[k], s->lander->feet[three[k]].radius, &r);
            if (isnan(ground[k].z)) {
                return OFF_MAP;
            }
            mean += (ground[k].z - feet[k].z) / 3;
        }
        for (int k = 0; k < 3; k++) {
            miss = fmax(miss, fabs(ground[k].z - feet[k].z - mean));
        }
        const GrVec3 from = normal_of(feet), to = normal_of(ground);
        // the small rotation between the two normals
        const GrVec3 turn = gr_scale(relaxation, gr_cross(from, to));
        const GrVec3 next = gr_quat_rotate(gr_quat_exp(turn), *up);
        if (miss < CONVERGED || (iteration + 1 == ITERATIONS && miss < TOUCH / 10)) {
            return FOUND;
        }
        if (next.z < STEEPEST) {
            return TOO_STEEP;
        }
        *up = gr_normalize(next);
    }
    return NOT_FOUND;
}

/// Everything else about a tilt in which three feet touch.
static Found complete(const Stance *s, GrVec3 up, const int three[3], Try *out)
{
    out->rotation = axes_of(up, s->spot.heading);
    out->z = 0;
    out->down = 0;
    double heights[GR_LANDER_FEET] = {0};
    for (int i = 0; i < s->lander->foot_count; i++) {
        out->feet[i] = foot_at(s, &out->rotation, i);
        heights[i] = foot_height(s->site, out->feet[i], s->lander->feet[i].radius, &out->rotation);
        if (isnan(heights[i])) {
            return OFF_MAP;
        }
    }
    for (int k = 0; k < 3; k++) {
        out->z += (heights[three[k]] - out->feet[three[k]].z) / 3;
    }
    for (int i = 0; i < s->lander->foot_count; i++) {
        out->feet[i].z += out->z;
        out->gaps[i] = out->feet[i].z - heights[i];
        out->down |= (unsigned)(fabs(out->gaps[i]) <= TOUCH) << i;
    }
    return FOUND;
}

/// Angle by which the mass centre turns about the edge from a to b until it is above it; negative: it is beyond.
static double angle_to_tip(GrVec3 com, GrVec3 a, GrVec3 b)
{
    const GrVec3 axis = gr_normalize(gr_sub(b, a)), arm = gr_sub(com, a), up = {0, 0, 1};
    const GrVec3 lever = gr_madd(arm, -gr_dot(arm, axis), axis), top = gr_madd(up, -gr_dot(up, axis), axis);
    return gr_atan2(gr_dot(gr_cross(lever, top), axis), gr_dot(top, lever));
}

static double side_of(GrVec3 a, GrVec3 b, GrVec3 p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/// Whether the line from foot i to foot j is an edge of the hull of some feet, seen from above: all others are to its
/// left.
static bool is_edge(const Stance *s, const Try *t, unsigned feet, int i, int j)
{
    bool edge = i != j && (feet >> i & 1) && (feet >> j & 1);
    for (int k = 0; k < s->lander->foot_count && edge; k++) {
        edge = k == i || k == j || !(feet >> k & 1) || side_of(t->feet[i], t->feet[j], t->feet[k]) >= 0;
    }
    return edge;
}

/// Whether the mass centre is above the polygon of the feet that touch.
static bool carries(const Stance *s, const Try *t)
{
    const GrVec3 com = {s->spot.x, s->spot.y, t->z};
    bool inside = true;
    for (int i = 0; i < s->lander->foot_count; i++) {
        for (int j = 0; j < s->lander->foot_count; j++) {
            if (is_edge(s, t, t->down, i, j)) {
                const double length = gr_hypot(t->feet[j].x - t->feet[i].x, t->feet[j].y - t->feet[i].y);
                inside = inside && side_of(t->feet[i], t->feet[j], com) >= -EDGE * length;
            }
        }
    }
    return inside;
}

/// Smallest angle to tip over. The lines are those of the outer feet, also where one of them does not touch: about a
/// line inside them the lander only rocks onto another foot.
static double stability_of(const Stance *s, const Try *t)
{
    const GrVec3 com = {s->spot.x, s->spot.y, t->z};
    const unsigned all = (1u << s->lander->foot_count) - 1;
    double least = INFINITY;
    for (int i = 0; i < s->lander->foot_count; i++) {
        for (int j = 0; j < s->lander->foot_count; j++) {
            if (is_edge(s, t, all, i, j)) {
                least = fmin(least, angle_to_tip(com, t->feet[i], t->feet[j]));
            }
        }
    }
    return least;
}

/// The pose of three feet: tried with full corrections first, then with smaller ones, which converge on rugged ground.
static Found try_three(const Stance *s, const int three[3], Try *out)
{
    static const double relaxations[] = {1, 0.4, 0.1};
    const GrVec3 arms[3] = {s->arms[three[0]], s->arms[three[1]], s->arms[three[2]]};
    Found found = NOT_FOUND;
    const GrVec3 area = gr_cross(gr_sub(arms[1], arms[0]), gr_sub(arms[2], arms[0]));
    if (gr_norm(area) < TOUCH) {
        return NONE;
    }
    for (int k = 0; k < 3 && found == NOT_FOUND; k++) {
        GrVec3 up = {0, 0, 1};
        found = seat(s, three, relaxations[k], &up);
        found = found == FOUND ? complete(s, up, three, out) : found;
    }
    return found;
}

/// Tries all threes of feet; the lowest valid pose is best.
static GrStand stand(const Stance *s, Try *best)
{
    const int n = s->lander->foot_count;
    bool any = false, off = false, unknown = false;
    for (int code = 0; code < n * n * n; code++) {
        const int three[3] = {code / (n * n), code / n % n, code % n};
        Try t;
        if (!(three[0] < three[1] && three[1] < three[2])) {
            continue;
        }
        const Found found = try_three(s, three, &t);
        off = off || found == OFF_MAP;
        unknown = unknown || found == NOT_FOUND;
        bool above = found == FOUND;
        for (int i = 0; i < n && above; i++) {
            above = t.gaps[i] >= -TOUCH;
        }
        if (above && carries(s, &t) && (!any || t.z < best->z)) {
            *best = t;
            any = true;
        }
    }
    return any ? GR_STAND_STANDS : off ? GR_STAND_OFF_MAP : unknown ? GR_STAND_NO_POSE : GR_STAND_TIPPED;
}

double gr_lander_reach(const GrLanderDef *lander)
{
    double reach = 0;
    for (int i = 0; i < lander->foot_count; i++) {
        const GrLanderFoot *f = &lander->feet[i];
        reach = fmax(reach, gr_norm(gr_sub(f->position, lander->com)) + f->radius);
    }
    for (int i = 0; i < lander->corner_count; i++) {
        const GrVec3 corner = {lander->corners[i][0], lander->corners[i][1], lander->underside};
        reach = fmax(reach, gr_norm(gr_sub(corner, lander->com)));
    }
    for (int i = 0; i < lander->ramp_count; i++) {
        const GrLanderRamp *r = &lander->ramps[i];
        reach = fmax(reach, gr_norm(gr_sub(r->hinge, lander->com)) + gr_hypot(r->length, r->width / 2) + 1);
    }
    return reach;
}

/// The rocks that the lander can touch. They are the only ones that are looked at for every height.
static GrRock *near_rocks(const GrSite *site, GrLanderSpot spot, double reach, int *count)
{
    GrRock *near = gr_calloc((size_t)site->rock_count + 1, sizeof *near);
    *count = 0;
    for (int i = 0; i < site->rock_count && near != NULL; i++) {
        const GrRock *rock = &site->rocks[i];
        if (gr_hypot(rock->x - spot.x, rock->y - spot.y) < reach + rock->diameter / 2) {
            near[(*count)++] = *rock;
        }
    }
    return near;
}

GrStatus gr_lander_place(const GrLanderDef *lander, const GrSite *site, GrLanderSpot spot, GrLanderPlacement *out,
                         GrErrorLog *log)
{
    int count;
    GrRock *rocks = near_rocks(site, spot, gr_lander_reach(lander), &count);
    const GrSite near = {site->terrain, rocks, count};
    Stance s = {.lander = lander, .site = &near, .spot = spot};
    Try best;
    *out = (GrLanderPlacement){.stand = GR_STAND_NO_POSE};
    if (rocks == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < lander->foot_count; i++) {
        s.arms[i] = gr_sub(lander->feet[i].position, lander->com);
    }
    out->stand = stand(&s, &best);
    if (out->stand == GR_STAND_STANDS) {
        const GrVec3 up = gr_mat3_column(&best.rotation, 2), com = {spot.x, spot.y, best.z};
        out->pose.rotation = gr_quat_from_mat3(&best.rotation);
        out->pose.position = gr_sub(com, gr_mat3_mul_vec(&best.rotation, lander->com));
        out->tilt = gr_atan2(gr_hypot(up.x, up.y), up.z);
        out->tilt_toward = gr_atan2(up.y, up.x);
        out->stability = stability_of(&s, &best);
        out->feet_down = best.down;
        const bool on_map = lander_clearance(lander, &near, out) && lander_lower_ramps(lander, &near, out);
        out->stand = on_map ? GR_STAND_STANDS : GR_STAND_OFF_MAP;
    }
    gr_free(rocks);
    return GR_OK;
}
