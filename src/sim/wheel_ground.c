#include "wheel_ground.h"

static const double LEAST_ANGLE = 0.2, LARGEST_ANGLE = 1; // [rad]

static const GrVec3 UP = {0, 0, 1}, AHEAD = {1, 0, 0};

double gr_wheel_front_angle(double sinkage, double radius)
{
    // h = r (1 − cos θ1)
    const double c = 1 - sinkage / radius;
    return fmin(LARGEST_ANGLE, fmax(LEAST_ANGLE, acos(fmax(-1, fmin(1, c)))));
}

/// Puts a point onto the ground.
static bool drop(const GrSurfaceDef *surface, GrVec3 *p)
{
    GrVec3 normal;
    return surface->height(surface->context, p->x, p->y, &p->z, &normal);
}

static bool find_normal(const GrSurfaceDef *surface, const GrContactFrame *frame, const GrSoilWheel *w, GrVec3 centre,
                        double theta, GrVec3 points[3], GrVec3 *normal)
{
    gr_contact_points(centre, frame, w->radius, w->wheel.width, theta, points);
    for (int i = 0; i < 3; i++) {
        if (!drop(surface, &points[i])) {
            return false;
        }
    }
    *normal = gr_contact_normal(points, UP);
    return true;
}

/// Where not all points are on the map: the tangent plane below the wheel's lowest point.
static bool find_tangent(const GrSurfaceDef *surface, const GrSoilWheel *w, GrVec3 centre, GrVec3 axle,
                         GrWheelGround *out)
{
    const GrContactFrame level = gr_contact_frame(axle, UP, AHEAD);
    const GrVec3 down = gr_normalize(gr_sub(gr_scale(gr_dot(level.z, axle), axle), level.z));
    out->point = gr_madd(centre, w->radius, down);
    return surface->height(surface->context, out->point.x, out->point.y, &out->point.z, &out->normal);
}

/// The ground of each slice: between where it enters and where it leaves.
static void find_slices(const GrSurfaceDef *surface, const GrSoilWheel *w, GrVec3 centre, double theta,
                        GrWheelGround *out)
{
    const double x = w->radius * sin(theta), z = -w->radius * cos(theta);
    for (int k = 0; k < w->slices; k++) {
        const double y = (k + 0.5) * w->slice_width - 0.5 * w->wheel.width;
        GrVec3 front = gr_add(centre, gr_contact_to_world(&out->frame, gr_vec3(x, y, z)));
        GrVec3 rear = gr_add(centre, gr_contact_to_world(&out->frame, gr_vec3(-x, y, z)));
        const bool found = drop(surface, &front) && drop(surface, &rear);
        out->slices[k] = found ? gr_scale(0.5, gr_add(front, rear)) : out->point;
    }
}

bool gr_wheel_ground(const GrModel *m, const GrSoilWheel *w, GrVec3 centre, GrVec3 axle, double sinkage,
                     GrWheelGround *out)
{
    const GrSurfaceDef *surface = &m->options.surface;
    bool plane = true;
    double theta = 0;
    out->normal = UP;
    out->point = gr_vec3(centre.x, centre.y, 0);
    out->frame = gr_contact_frame(axle, UP, AHEAD);
    if (surface->height != NULL) {
        GrVec3 points[3];
        theta = gr_wheel_front_angle(sinkage, w->radius);
        plane = find_normal(surface, &out->frame, w, centre, theta, points, &out->normal);
        if (plane) {
            out->frame = gr_contact_frame(axle, out->normal, AHEAD);
            plane = find_normal(surface, &out->frame, w, centre, theta, points, &out->normal);
            const GrVec3 front = gr_scale(0.5, gr_add(points[0], points[1]));
            out->point = gr_scale(0.5, gr_add(front, points[2]));
        }
        if (!plane && !find_tangent(surface, w, centre, axle, out)) {
            return false;
        }
        out->frame = gr_contact_frame(axle, out->normal, AHEAD);
    }
    if (surface->height != NULL && plane && w->slices > 1) {
        find_slices(surface, w, centre, theta, out);
    } else {
        for (int k = 0; k < w->slices; k++) {
            out->slices[k] = out->point;
        }
    }
    return true;
}
