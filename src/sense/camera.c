/// Grey and depth of every pixel by one ray, and one more to the sun where the surface faces it.
#include "pinhole.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "sensor.h"

static const double SHADOW_OFFSET = 1e-3; // from the surface along its normal [m]

typedef struct Plane {
    double x, y;
} Plane;

/// The distorted point, and the derivatives of x' and y' by x and y.
static Plane distort(const GrCameraDef *c, Plane p, double jacobian[2][2])
{
    const double x = p.x, y = p.y, r2 = x * x + y * y;
    const double g = 1 + r2 * (c->k1 + r2 * (c->k2 + r2 * c->k3));
    const double dg = 2 * (c->k1 + r2 * (2 * c->k2 + r2 * 3 * c->k3)); // of g by x: dg x
    jacobian[0][0] = g + dg * x * x + 2 * c->p1 * y + 6 * c->p2 * x;
    jacobian[0][1] = jacobian[1][0] = dg * x * y + 2 * c->p1 * x + 2 * c->p2 * y;
    jacobian[1][1] = g + dg * y * y + 6 * c->p1 * y + 2 * c->p2 * x;
    return (Plane){x * g + 2 * c->p1 * x * y + c->p2 * (r2 + 2 * x * x),
                   y * g + c->p1 * (r2 + 2 * y * y) + 2 * c->p2 * x * y};
}

double gr_pinhole_focal(const GrCameraDef *camera)
{
    return 0.5 * camera->columns / gr_tan(0.5 * camera->view);
}

GrPixel gr_pinhole_project(const GrCameraDef *camera, GrVec3 point)
{
    double jacobian[2][2];
    const Plane p = distort(camera, (Plane){-point.y / point.x, -point.z / point.x}, jacobian);
    const double f = gr_pinhole_focal(camera);
    return (GrPixel){f * p.x + 0.5 * (camera->columns - 1), f * p.y + 0.5 * (camera->rows - 1)};
}

/// Newton's method from the distorted point. A determinant below 0 means that the image is folded there.
bool gr_pinhole_ray(const GrCameraDef *camera, GrPixel pixel, GrVec3 *ray)
{
    const double f = gr_pinhole_focal(camera);
    const Plane target = {(pixel.column - 0.5 * (camera->columns - 1)) / f, (pixel.row - 0.5 * (camera->rows - 1)) / f};
    Plane p = target;
    for (int k = 0; k < 50; k++) {
        double j[2][2];
        const Plane q = distort(camera, p, j);
        const double ex = q.x - target.x, ey = q.y - target.y;
        const double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
        if (!(det > 0)) {
            return false;
        }
        if (fabs(ex) + fabs(ey) < 1e-13) {
            *ray = gr_vec3(1, -p.x, -p.y);
            return true;
        }
        p.x -= (j[1][1] * ex - j[0][1] * ey) / det;
        p.y -= (j[0][0] * ey - j[1][0] * ex) / det;
    }
    return false;
}

bool gr_camera_begin(GrSensor *s, GrErrorLog *log)
{
    const GrCameraDef *camera = &s->def->camera;
    const int columns = (int)camera->columns, rows = (int)camera->rows;
    s->pattern = (GrPattern){gr_malloc((size_t)columns * (size_t)rows * sizeof(GrVec3)), columns, rows};
    if (s->pattern.rays == NULL) {
        gr_out_of_memory(log, s->def->name);
        return false;
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            if (!gr_pinhole_ray(camera, (GrPixel){c, r}, &s->pattern.rays[r * columns + c])) {
                gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = s->def->name},
                             "the distortion folds the image at column %d, row %d; use smaller coefficients", c, r);
                return false;
            }
        }
    }
    return gr_rays_begin(s, log);
}

/// Light of a surface by Lambert's law, as a fraction of white.
static double light_of(const GrSensor *s, const GrRay *ray, GrRayHit *hit)
{
    const GrCameraDef *camera = &s->def->camera;
    const GrVec3 sun = s->sun;
    if (hit->seen == GR_SEEN_NOTHING || camera->grey == 0) {
        return 0;
    }
    gr_ray_scene_normal(s->scene, ray, hit);
    double direct = s->far_light * gr_dot(hit->normal, sun);
    if (direct > 0) {
        const GrVec3 point = gr_madd(gr_madd(ray->from, hit->t, ray->along), SHADOW_OFFSET, hit->normal);
        direct = gr_ray_scene_hides(s->scene, point, sun) ? 0 : direct;
    }
    return camera->exposure * camera->albedo * (fmax(0, direct) + camera->ambient);
}

static void cast_one(GrSensor *s, const GrMount *now, int i, uint64_t stream)
{
    const GrSensorDef *def = s->def;
    const GrCameraDef *camera = &def->camera;
    const GrVec3 local = s->pattern.rays[i];
    const double length = gr_norm(local);
    const GrRay ray = {now->pose.position, gr_quat_rotate(now->pose.rotation, local), def->range_min / length,
                       def->range_max / length};
    bool blind;
    GrRayHit hit = gr_ray_scene_cast(s->scene, &ray, &blind);
    if (blind) {
        atomic_fetch_add_explicit(&s->blind, 1, memory_order_relaxed);
    }
    double depth = hit.seen != GR_SEEN_NOTHING ? hit.t : (double)NAN;
    double light = light_of(s, &ray, &hit);
    const uint64_t counter = 3 * (uint64_t)i;
    if (camera->depth_noise > 0) {
        depth += camera->depth_noise * depth * depth * gr_counted_normal(stream, counter);
    }
    if (camera->photons > 0 && camera->grey != 0) {
        light += sqrt(light / camera->photons) * gr_counted_normal(stream, counter + 1);
    }
    if (camera->read_noise > 0 && camera->grey != 0) {
        light += camera->read_noise * gr_counted_normal(stream, counter + 2);
    }
    s->ranges[i] = (float)depth;
    s->grey[i] = (unsigned char)rint(255 * fmax(0, fmin(1, light)));
}

void gr_camera_measure(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    const int count = s->pattern.columns * s->pattern.rows;
    gr_rays_each(s, now, out->frame, cast_one);
    long sum = 0, white = 0;
    for (int i = 0; i < count; i++) {
        sum += s->grey[i];
        white += s->grey[i] == 255;
    }
    const GrRangeFigures figures = gr_range_figures(s);
    out->values[0] = (double)sum / count;
    out->values[1] = (double)white / count;
    out->values[2] = figures.least;
    out->values[3] = figures.mean;
    out->columns = s->pattern.columns;
    out->rows = s->pattern.rows;
    out->ranges = s->ranges;
    out->grey = s->def->camera.grey != 0 ? s->grey : NULL;
}
