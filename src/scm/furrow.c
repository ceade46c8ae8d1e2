/// What a wheel of a law of one patch does to a grid: its imprint in ruts, and the furrow that it drives in.
#include "furrow.h"

#include "elementary.h"
#include "ruts.h"

#include <math.h>
#include <stddef.h>

// ---- imprint

/// Additional values in the points of an imprint's track: height of the wheel's centre [m], upward component of its
/// axle.
enum { HEIGHT, AXLE_UP };

static GrRutSampling gr_imprint_sampling(const GrScmBody *body)
{
    return gr_rut_sampling(body->radius + body->lug_height, body->cell);
}

int gr_imprint_tiles(const GrScmBody *body)
{
    const double side = body->side + gr_imprint_sampling(body).reach / body->cell;
    const int across = (int)ceil(side / GR_RUT_NODES) + 1;
    return across * across;
}

static GrScmPose pose_at(const GrRutPoint *p)
{
    // forward = axle × up, horizontal
    const double flat = sqrt(fmax(0, 1 - p->left[AXLE_UP] * p->left[AXLE_UP]));
    const GrVec3 x = gr_vec3(p->ahead_x, p->ahead_y, 0);
    const GrVec3 y = gr_vec3(-p->ahead_y * flat, p->ahead_x * flat, p->left[AXLE_UP]), z = gr_cross(x, y);
    return (GrScmPose){.centre = gr_vec3(p->x, p->y, p->left[HEIGHT]),
                       .axes = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}},
                       .wheel_angle = p->angle};
}

/// Presses a wheel at rest, which does not dig: slip sinkage is part of the law that gave the sinkage. What it
/// displaces rises beside and before it, seen along the pose's velocity, but for the share `thrown`, 0 … 1, which rises
/// behind it, where its rim drags it.
static void gr_imprint_press(const GrImprint *m, const GrScmPose *pose, double thrown)
{
    const double time = 1; // [s], arbitrary: the wheel is pressed at rest
    GrScmPose still = *pose;
    still.velocity = still.spin = gr_vec3(0, 0, 0);
    GrScmNodes next = m->nodes;
    const GrScmNodes old = {.count = 0};
    GrScmOutput out;
    gr_scm_evaluate(m->body, m->ruts, &still, time, &old, m->scratch, &next, &out);
    const double lowered = gr_scm_commit(m->body, m->ruts, &next, m->ledger);
    gr_scm_flow(m->body, m->ruts, pose, time, &next, lowered, thrown * lowered, m->scratch, m->ledger);
}

static int press(void *context, const GrRutPoint *a, const GrRutPoint *b)
{
    GrScmPose pose = pose_at(a);
    pose.velocity = b != NULL ? gr_vec3(b->x - a->x, b->y - a->y, 0) : pose.velocity;
    gr_imprint_press(context, &pose, 0);
    return 0;
}

static GrRutPoint point_of(const GrImprintMotion *motion)
{
    const GrVec3 a = motion->axle;
    const double flat = sqrt(a.x * a.x + a.y * a.y);
    return (GrRutPoint){
        .x = motion->centre.x,
        .y = motion->centre.y,
        .ahead_x = flat > 0 ? a.y / flat : 1,
        .ahead_y = flat > 0 ? -a.x / flat : 0,
        .left = {[HEIGHT] = motion->centre.z, [AXLE_UP] = a.z},
        .angle = motion->angle,
    };
}

/// The pose of a wheel, at rest.
static GrScmPose gr_imprint_pose(const GrImprintMotion *motion)
{
    const GrRutPoint at = point_of(motion);
    return pose_at(&at);
}

void gr_imprint_advance(GrImprint *imprint, GrRutTrack *track, const GrImprintMotion *motion)
{
    const GrRutSampling sampling = gr_imprint_sampling(imprint->body);
    const GrRutPoint to = point_of(motion);
    gr_rut_track_advance(track, &sampling, &to, motion->down, press, imprint);
}

void gr_imprint_finish(GrImprint *imprint, GrRutTrack *track)
{
    gr_rut_track_finish(track, press, imprint);
}

// ---- furrow

enum { BEFORE, BEHIND, LEFT, RIGHT, SIDES };

/// Points in a band: outwards and along it.
enum { OUT = 3, ALONG = 3 };

double gr_furrow_reach(double radius, double width)
{
    return 2 * radius + 0.5 * width;
}

static double height_at(const GrRuts *ruts, double x, double y)
{
    return ruts != NULL ? gr_ruts_slope(ruts, x, y).z : 0;
}

/// Where heights are read.
typedef struct Bands {
    GrVec3 centre;
    double ahead_x, ahead_y; ///< unit, horizontal
    double half, side;       ///< from the centre to the end of the contact, and to the wheel's side [m]
    double width;            ///< of the bands [m]
} Bands;

static Bands bands_of(const GrFurrowWheel *w, double cell, const GrScmPose *pose, double sinkage)
{
    const double h = fmin(sinkage, w->radius), edge = 0.5 * cell; // half a cell is covered by the wheel in part
    const double wedge = sinkage * gr_tan(GR_PI / 4 + 0.5 * w->friction_angle);
    return (Bands){.centre = pose->centre,
                   .ahead_x = pose->axes.m[0][0],
                   .ahead_y = pose->axes.m[1][0],
                   .half = sqrt(h * (2 * w->radius - h)) + edge,
                   .side = 0.5 * w->width + edge,
                   .width = fmin(fmax(wedge, 2 * cell), w->radius)};
}

/// Mean height over one of the bands.
static double band_mean(const GrRuts *ruts, const Bands *b, int k)
{
    const double sign = k == BEFORE || k == LEFT ? 1 : -1, from = k < LEFT ? b->half : b->side;
    const double length = k < LEFT ? 2 * b->side : b->half;
    const double ox = k < LEFT ? b->ahead_x : -b->ahead_y, oy = k < LEFT ? b->ahead_y : b->ahead_x; // outwards
    double sum = 0;
    for (int i = 0; i < OUT; i++) {
        const double out = sign * (from + (i + 0.5) / OUT * b->width);
        for (int j = 0; j < ALONG; j++) {
            const double along = ((j + 0.5) / ALONG - 0.5) * length;
            sum += height_at(ruts, b->centre.x + out * ox - along * oy, b->centre.y + out * oy + along * ox);
        }
    }
    return sum / (OUT * ALONG);
}

/// Mean height of the ground under the wheel, at its middle and those of its halves.
static double ground_under(const GrRuts *ruts, const Bands *b)
{
    const double quarter = 0.5 * b->side;
    double sum = 0;
    for (int k = -1; k <= 1; k++) {
        sum += height_at(ruts, b->centre.x - k * quarter * b->ahead_y, b->centre.y + k * quarter * b->ahead_x);
    }
    return sum / 3;
}

void gr_furrow_advance(const GrFurrowWheel *wheel, const GrRuts *ruts, const GrImprint *furrows, double cell,
                       const GrFurrowMotion *motion, GrFurrow *f)
{
    if (!motion->wheel.down) {
        *f = (GrFurrow){.known = 0};
        return;
    }
    const GrVec3 now = motion->wheel.centre, gone = gr_sub(now, gr_vec3(f->at[0], f->at[1], f->at[2]));
    const double part = f->known ? gr_norm(gone) / gr_rut_sampling(wheel->radius, cell).spacing : 1;
    const double share = part > f->gone ? fmin(1, (part - f->gone) / fmax(1 - f->gone, 1e-9)) : 0;
    for (int k = 0; k < SIDES; k++) { // the rest of the difference, over the rest of the way
        f->around[k] += share * (f->read[k] - f->around[k]);
    }
    f->gone = fmax(f->gone, part);
    if (part < 1) {
        return;
    }
    GrScmPose pose = gr_imprint_pose(&motion->wheel);
    if (furrows != NULL) {
        pose.velocity = motion->velocity;
        pose.spin = motion->spin;
        gr_imprint_press(furrows, &pose, fmax(0, motion->slip));
    }
    const Bands b = bands_of(wheel, cell, &pose, motion->sinkage);
    const double ground = ground_under(ruts, &b);
    for (int k = 0; k < SIDES; k++) {
        const double left = band_mean(ruts, &b, k);
        f->read[k] = left - ground + (furrows != NULL ? wheel->heap * (band_mean(furrows->ruts, &b, k) - left) : 0);
    }
    f->at[0] = now.x;
    f->at[1] = now.y;
    f->at[2] = now.z;
    f->gone = 0;
    f->known = 1;
}

GrGroundAround gr_furrow_around(const GrFurrow *f)
{
    return (GrGroundAround){f->known != 0, f->around[BEFORE], f->around[BEHIND], f->around[LEFT], f->around[RIGHT]};
}
