#include "imprint.h"

#include "ruts.h"

#include <stddef.h>

/// Additional values in the points of an imprint's track: height of the wheel's centre [m], upward component of its
/// axle.
enum { HEIGHT, AXLE_UP };

GrRutSampling gr_imprint_sampling(const GrScmBody *body)
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

void gr_imprint_press(const GrImprint *m, const GrScmPose *pose, double thrown)
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

GrScmPose gr_imprint_pose(const GrImprintMotion *motion)
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
