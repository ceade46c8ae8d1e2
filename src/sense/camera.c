/// Cameras: where a pixel looks, the light that it gets, and what becomes of it.
///
///     cast: for every pixel, ray -> depth, light        surface facing the sun: one more ray to the sun
///     exposure: given, or by the light of the frame before
///     develop: light -> noise -> colour filter -> grey value
#include "camera.h"

#include "alloc.h"
#include "noise.h"
#include "out_of_memory.h"
#include "sensor.h"

#include <math.h>

// ---- light

static const double W = 0.32357, LOBE = 0.23955, WEIGHT = 0.30452, SURGE = 1.80238, WIDTH = 0.07145;

static double multiple(double x)
{
    return (1 + 2 * x) / (1 + 2 * x * sqrt(1 - W));
}

static double lobe(double phase, double b)
{
    const double d = 1 - 2 * b * phase + b * b;
    return (1 - b * b) / (d * sqrt(d));
}

static double scattered(double incidence, double emission, double phase)
{
    const double half = sqrt(fmax(0, 1 - phase) / fmax(1e-12, 1 + phase)); // tan(g/2)
    const double opposition = SURGE / (1 + half / WIDTH);
    const double particle = 0.5 * (1 + WEIGHT) * lobe(phase, LOBE) + 0.5 * (1 - WEIGHT) * lobe(phase, -LOBE);
    return incidence / (incidence + emission) *
           ((1 + opposition) * particle + multiple(incidence) * multiple(emission) - 1);
}

double gr_hapke(double incidence, double emission, double phase)
{
    static const double COS_30 = 0.86602540378443865;
    return scattered(incidence, emission, phase) / scattered(COS_30, 1, COS_30);
}

// ---- pattern

double gr_ground_pattern(uint64_t seed, double x, double y, double finest, double footprint)
{
    static const double DEVIATION = 0.176; // of gr_noise()
    double sum = 0, length = finest;
    int octaves = 0;
    while (length <= GR_PATTERN_COARSEST) {
        // whole from four pixels a wave on, nothing below two
        const double seen = fmin(1, fmax(0, 0.5 * length / footprint - 1));
        octaves++;
        if (seen > 0) {
            sum += seen * gr_noise(seed + (uint64_t)octaves, x / length, y / length);
        }
        length *= 2;
    }
    return octaves > 0 ? sum / (DEVIATION * sqrt(octaves)) : 0;
}

static GrSoilLook soil_look(int soil)
{
    static const GrSoilLook LOOKS[] = {{1, 1}, {0.72, 2}, {1.3, 0.7}, {0.85, 4}, {1.15, 1.5}, {0.6, 3}};
    return LOOKS[soil > 0 ? soil % (int)(sizeof LOOKS / sizeof LOOKS[0]) : 0];
}

// ---- camera

// ---- the pinhole

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

// ---- light

static const double SHADOW_OFFSET = 1e-3;                  // from the surface along its normal [m]
static const double SUN_RADIUS = 0.00465, SUN_LIGHT = 1e4; // of the disc [rad], over that of a white surface
static const double COS_30 = 0.86602540378443865;          // where Lambert and Hapke agree
static const double RUT_WHOLE = 0.005, RUT_ALBEDO = 0.88;  // depth from which on the surface is new [m], its albedo

enum { BLUR = 8 }; // rays of a pixel during its exposure

/// What a pixel sees: the ray, its hit, and the width of what it covers there [m].
typedef struct Look {
    GrRay ray;
    GrRayHit hit;
    double footprint;
} Look;

static double pattern_at(const GrCameraDef *c, int layer, double x, double y, double grain, double footprint)
{
    const uint64_t seed = (uint64_t)c->texture_seed * 1000 + (uint64_t)layer * 100;
    return c->texture * gr_ground_pattern(seed, x, y, grain, footprint);
}

/// Pattern and class of soil of the ground; wheels bring up another one, which is darker.
static double ground_albedo(const GrSensor *s, GrVec3 p, double footprint)
{
    const GrCameraDef *c = &s->def->camera;
    const GrGroundLook ground = gr_ray_scene_ground(s->scene, p.x, p.y);
    const GrSoilLook soil = soil_look(ground.soil);
    const double grain = c->grain * soil.grain, turned = fmin(1, fabs(ground.rut) / RUT_WHOLE);
    double value = soil.albedo * (1 - turned * (1 - RUT_ALBEDO));
    if (c->texture > 0) {
        const int layer = 2 * (ground.soil % 4);
        const double old = turned < 1 ? pattern_at(c, layer, p.x, p.y, grain, footprint) : 0;
        const double new = turned > 0 ? pattern_at(c, layer + 1, p.x, p.y, 2 * grain, footprint) : 0;
        value *= fmax(0.1, 1 + (1 - turned) * old + turned * new);
    }
    return value;
}

/// The pattern of a rock lies on the plane that its surface is nearest to.
static double rock_albedo(const GrSensor *s, GrVec3 p, GrVec3 n, double footprint)
{
    const GrCameraDef *c = &s->def->camera;
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const double u = z >= x && z >= y ? p.x : x >= y ? p.y : p.z, v = z >= x && z >= y ? p.y : x >= y ? p.z : p.x;
    return fmax(0.1, 1 + pattern_at(c, 9, u, v, 2 * c->grain, footprint));
}

static double albedo_of(const GrSensor *s, const Look *look)
{
    const GrVec3 p = gr_madd(look->ray.from, look->hit.t, look->ray.along);
    const GrCameraDef *c = &s->def->camera;
    const bool plain = c->texture == 0 && c->by_soil == 0;
    if (plain || look->hit.seen == GR_SEEN_ROVER) {
        return c->albedo;
    }
    return c->albedo * (look->hit.seen == GR_SEEN_ROCK
                            ? (c->texture > 0 ? rock_albedo(s, p, look->hit.normal, look->footprint) : 1)
                            : ground_albedo(s, p, look->footprint));
}

/// Sunlight that a surface of albedo 1 scatters to the camera, without shadow.
static double light_scattered(const GrSensor *s, const Look *look)
{
    const GrVec3 n = look->hit.normal;
    const double incidence = gr_dot(n, s->sun), length = gr_norm(look->ray.along);
    if (!(incidence > 0) || s->def->camera.hapke == 0 || look->hit.seen == GR_SEEN_ROVER) {
        return fmax(0, incidence); // Lambert
    }
    const double emission = fmax(0.02, -gr_dot(n, look->ray.along) / length);
    const double phase = fmax(-1, fmin(1, -gr_dot(s->sun, look->ray.along) / length));
    return COS_30 * gr_hapke(incidence, emission, phase);
}

/// Light of the sky: black, of one brightness, or the disc of the Sun.
static double sky_light(const GrSensor *s, const Look *look)
{
    const double length = gr_norm(look->ray.along);
    const bool sun = gr_dot(s->sun, look->ray.along) > length * (1 - 0.5 * SUN_RADIUS * SUN_RADIUS);
    return sun && s->sun.z > 0 ? SUN_LIGHT * s->far_light : s->def->camera.sky;
}

/// Light of what a ray meets; 1: a white surface that faces the sun.
static double light_of(const GrSensor *s, Look *look)
{
    const GrCameraDef *camera = &s->def->camera;
    if (camera->grey == 0) {
        return 0;
    }
    if (look->hit.seen == GR_SEEN_NOTHING) {
        return sky_light(s, look);
    }
    gr_ray_scene_normal(s->scene, &look->ray, &look->hit);
    double direct = s->far_light * light_scattered(s, look);
    if (direct > 0) {
        const GrVec3 point =
            gr_madd(gr_madd(look->ray.from, look->hit.t, look->ray.along), SHADOW_OFFSET, look->hit.normal);
        direct = gr_ray_scene_hides(s->scene, point, s->sun) ? 0 : direct;
    }
    return albedo_of(s, look) * (direct + camera->ambient);
}

// ---- a frame

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
    s->light = gr_malloc((size_t)columns * (size_t)rows * sizeof *s->light);
    if (s->light == NULL) {
        gr_out_of_memory(log, s->def->name);
        return false;
    }
    s->exposure = camera->exposure;
    return gr_rays_begin(s, log);
}

/// Where the camera is a little before or after the instant of the frame.
static GrPose pose_after(const GrMount *now, double time)
{
    return (GrPose){gr_madd(now->pose.position, time, now->velocity),
                    gr_quat_mul(now->pose.rotation, gr_quat_exp(gr_scale(time, now->turn)))};
}

static Look look_through(GrSensor *s, GrPose pose, int i)
{
    const GrSensorDef *def = s->def;
    const GrVec3 local = s->pattern.rays[i];
    const double length = gr_norm(local);
    Look look = {
        .ray = {pose.position, gr_quat_rotate(pose.rotation, local), def->range_min / length, def->range_max / length}};
    bool blind;
    look.hit = gr_ray_scene_cast(s->scene, &look.ray, &blind);
    look.footprint = look.hit.t / gr_pinhole_focal(&def->camera);
    if (blind) {
        atomic_fetch_add_explicit(&s->blind, 1, memory_order_relaxed);
    }
    return look;
}

/// The instant of a frame is the middle of the exposure of its middle row.
static void cast_pixel(GrSensor *s, const GrMount *now, int i, uint64_t stream)
{
    const GrCameraDef *camera = &s->def->camera;
    const int line = i / s->pattern.columns;
    const double row = (line + 0.5) / s->pattern.rows - 0.5, start = camera->readout * row;
    const bool moves = camera->readout > 0, blurs = camera->exposure_time > 0 && camera->grey != 0;
    Look look = look_through(s, moves ? pose_after(now, start) : now->pose, i);
    double depth = look.hit.seen != GR_SEEN_NOTHING ? look.hit.t : (double)NAN, light = 0;
    if (!blurs) {
        light = light_of(s, &look);
    }
    for (int k = 0; blurs && k < BLUR; k++) {
        look = look_through(s, pose_after(now, start + camera->exposure_time * ((k + 0.5) / BLUR - 0.5)), i);
        light += light_of(s, &look) / BLUR;
    }
    if (camera->depth_noise > 0) {
        depth += camera->depth_noise * depth * depth * gr_counted_normal(stream, 3 * (uint64_t)i);
    }
    s->ranges[i] = (float)depth;
    s->light[i] = light;
}

/// Red, green and blue filters in the order RGGB; the ground is redder than the Sun where `red` is above `blue`.
static double filtered(const GrCameraDef *c, int column, int row)
{
    return c->bayer == 0 || (column + row) % 2 == 1 ? 1 : row % 2 == 0 ? c->red : c->blue;
}

static void develop_pixel(GrSensor *s, const GrMount *now, int i, uint64_t stream)
{
    const GrCameraDef *camera = &s->def->camera;
    const uint64_t counter = 3 * (uint64_t)i;
    (void)now;
    double light = s->exposure * s->light[i] * filtered(camera, i % s->pattern.columns, i / s->pattern.columns);
    if (camera->photons > 0 && camera->grey != 0) {
        light += sqrt(light / camera->photons) * gr_counted_normal(stream, counter + 1);
    }
    if (camera->read_noise > 0 && camera->grey != 0) {
        light += camera->read_noise * gr_counted_normal(stream, counter + 2);
    }
    s->grey[i] = (unsigned char)rint(255 * fmax(0, fmin(1, light)));
}

/// Automatic exposure sets the next frame by the mean of this one; the first by its own. A lit pixel counts as white at
/// most, as a saturated one would.
static void expose(GrSensor *s)
{
    static const double LEAST = 1e-3, MOST = 1e3;
    const GrCameraDef *camera = &s->def->camera;
    const int count = s->pattern.columns * s->pattern.rows;
    if (camera->auto_exposure == 0) {
        return;
    }
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += fmin(1, s->light[i]);
    }
    const double wanted = fmin(MOST, fmax(LEAST, camera->auto_exposure * count / fmax(sum, 1e-12)));
    s->exposure = s->begun ? s->next_exposure : wanted;
    s->next_exposure = wanted;
}

void gr_camera_measure(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    const int count = s->pattern.columns * s->pattern.rows;
    gr_rays_each(s, now, out->frame, cast_pixel);
    expose(s);
    gr_rays_each(s, now, out->frame, develop_pixel);
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
    out->values[4] = s->exposure;
    out->columns = s->pattern.columns;
    out->rows = s->pattern.rows;
    out->ranges = s->ranges;
    out->grey = s->def->camera.grey != 0 ? s->grey : NULL;
}
