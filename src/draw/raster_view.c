#include "raster_view.h"

#include "alloc.h"
#include "vec3.h"

#include <math.h>

static const GrColor SKY = {0.03, 0.03, 0.05};
static const double AMBIENT = 0.16; // light in shadow, over that of a surface that faces the sun
static const double NEAREST = 0.05; // [m]

bool gr_raster_view_init(GrRasterView *view, int width, int height, double field)
{
    const size_t count = (size_t)width * (size_t)height;
    *view = (GrRasterView){.width = width, .height = height, .scale = 0.5 * width / tan(0.5 * field)};
    view->pixels = gr_calloc(count, sizeof *view->pixels);
    view->depth = gr_calloc(count, sizeof *view->depth);
    if (view->pixels == NULL || view->depth == NULL) {
        gr_raster_view_free(view);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        view->pixels[i] = SKY;
        view->depth[i] = INFINITY;
    }
    return true;
}

void gr_raster_view_free(GrRasterView *view)
{
    gr_free(view->pixels);
    gr_free(view->depth);
    *view = (GrRasterView){0};
}

void gr_raster_view_look(GrRasterView *view, GrVec3 eye, GrVec3 target)
{
    view->eye = eye;
    view->ahead = gr_normalize(gr_sub(target, eye));
    view->right = gr_normalize(gr_cross(view->ahead, gr_vec3(0, 0, 1)));
    view->up = gr_cross(view->right, view->ahead);
}

static GrColor lit(GrColor color, double light)
{
    return (GrColor){fmin(color.r * light, 1), fmin(color.g * light, 1), fmin(color.b * light, 1)};
}

static double light_on(const GrRasterView *view, GrVec3 normal)
{
    return AMBIENT + (1 - AMBIENT) * fmax(0, gr_dot(normal, view->sun));
}

// ---- faces

/// A corner on the picture: x and y [px], depth z [m].
static GrVec3 project(const GrRasterView *view, GrVec3 p)
{
    const GrVec3 d = gr_sub(p, view->eye);
    const double z = gr_dot(d, view->ahead), k = view->scale / fmax(z, NEAREST);
    return gr_vec3(0.5 * view->width + k * gr_dot(d, view->right), 0.5 * view->height - k * gr_dot(d, view->up), z);
}

static double edge(GrVec3 a, GrVec3 b, double x, double y)
{
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static void fill_triangle(GrRasterView *view, GrVec3 a, GrVec3 b, GrVec3 c, GrColor color)
{
    const double area = edge(a, b, c.x, c.y);
    if (!(fabs(area) > 1e-9) || a.z < NEAREST || b.z < NEAREST || c.z < NEAREST) {
        return;
    }
    const int x0 = (int)fmax(0, floor(fmin(a.x, fmin(b.x, c.x))));
    const int x1 = (int)fmin(view->width - 1, ceil(fmax(a.x, fmax(b.x, c.x))));
    const int y0 = (int)fmax(0, floor(fmin(a.y, fmin(b.y, c.y))));
    const int y1 = (int)fmin(view->height - 1, ceil(fmax(a.y, fmax(b.y, c.y))));
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            const double px = x + 0.5, py = y + 0.5;
            const double wa = edge(b, c, px, py) / area, wb = edge(c, a, px, py) / area, wc = 1 - wa - wb;
            const double z = 1 / (wa / a.z + wb / b.z + wc / c.z); // depth is linear in its inverse on the picture
            const int i = y * view->width + x;
            if (wa >= 0 && wb >= 0 && wc >= 0 && z < view->depth[i]) {
                view->depth[i] = z;
                view->pixels[i] = color;
            }
        }
    }
}

void gr_raster_face(GrRasterView *view, const GrVec3 *corners, int count, GrVec3 normal, GrColor color)
{
    if (count < 3 || gr_dot(normal, gr_sub(corners[0], view->eye)) >= 0) {
        return; // seen from behind
    }
    const GrColor shaded = lit(color, light_on(view, normal));
    const GrVec3 first = project(view, corners[0]);
    for (int i = 2; i < count; i++) {
        fill_triangle(view, first, project(view, corners[i - 1]), project(view, corners[i]), shaded);
    }
}

// ---- ground

/// Whether a ray from `from` meets a convex part.
static bool meets_part(const GrDrawnRover *scene, const GrDrawnPart *part, GrVec3 from, GrVec3 ray)
{
    double enters = 0, leaves = INFINITY;
    for (int i = part->plane_first; i < part->plane_first + part->plane_count; i++) {
        const GrPartPlane *plane = &scene->planes[i];
        const double speed = gr_dot(plane->normal, ray), gap = plane->offset - gr_dot(plane->normal, from);
        if (speed < 0) {
            enters = fmax(enters, gap / speed);
        } else if (speed > 0) {
            leaves = fmin(leaves, gap / speed);
        } else if (gap < 0) {
            return false;
        }
    }
    return part->plane_count > 0 && enters < leaves;
}

/// Distance along the ray to the ground; INFINITY: none within reach.
static double meet_ground(const GrRasterGround *ground, GrVec3 from, GrVec3 ray, double reach)
{
    double last = 0;
    for (double t = 0.02; t < reach;) {
        const double z = ground->height(ground->context, from.x + t * ray.x, from.y + t * ray.y);
        const double gap = from.z + t * ray.z - z;
        if (isnan(gap)) { // no ground here
            last = t;
            t += 0.02 * t + 0.05;
            continue;
        }
        if (gap <= 0) {
            double low = last, high = t;
            for (int i = 0; i < 12; i++) {
                const double mid = 0.5 * (low + high);
                const double h = ground->height(ground->context, from.x + mid * ray.x, from.y + mid * ray.y);
                *(from.z + mid * ray.z > h ? &low : &high) = mid;
            }
            return high;
        }
        last = t;
        t += fmax(0.5 * gap, 0.002 * t + 0.002);
    }
    return INFINITY;
}

static bool in_shadow(const GrRasterView *view, const GrRasterGround *ground, GrVec3 at)
{
    const GrVec3 above = gr_madd(at, 0.01, gr_vec3(0, 0, 1));
    if (meet_ground(ground, above, view->sun, 0.5 * ground->reach) < (double)INFINITY) {
        return true;
    }
    for (int i = 0; ground->shadows != NULL && i < ground->shadows->part_count; i++) {
        if (meets_part(ground->shadows, &ground->shadows->parts[i], above, view->sun)) {
            return true;
        }
    }
    return false;
}

static GrColor ground_color(const GrRasterView *view, const GrRasterGround *ground, GrVec3 at, double distance)
{
    const double h = 0.01 + 0.002 * distance; // about a pixel
    const double dx = ground->height(ground->context, at.x + h, at.y) - ground->height(ground->context, at.x - h, at.y);
    const double dy = ground->height(ground->context, at.x, at.y + h) - ground->height(ground->context, at.x, at.y - h);
    const GrVec3 normal = isnan(dx + dy) ? gr_vec3(0, 0, 1) : gr_normalize(gr_vec3(-dx, -dy, 2 * h));
    return lit(ground->color, in_shadow(view, ground, at) ? AMBIENT : light_on(view, normal));
}

void gr_raster_ground(GrRasterView *view, const GrRasterGround *ground)
{
    for (int y = 0; y < view->height; y++) {
        for (int x = 0; x < view->width; x++) {
            const int i = y * view->width + x;
            const GrVec3 side = gr_scale((x + 0.5 - 0.5 * view->width) / view->scale, view->right);
            const GrVec3 rise = gr_scale((0.5 * view->height - y - 0.5) / view->scale, view->up);
            const GrVec3 ray = gr_normalize(gr_add(view->ahead, gr_add(side, rise)));
            const double t = meet_ground(ground, view->eye, ray, ground->reach);
            if (t * gr_dot(ray, view->ahead) < view->depth[i]) {
                view->depth[i] = t * gr_dot(ray, view->ahead);
                view->pixels[i] = ground_color(view, ground, gr_madd(view->eye, t, ray), t);
            }
        }
    }
}

// ---- text

static GrColor mean_color(const GrRasterView *view, int x, int y, int over)
{
    GrColor sum = {0};
    for (int j = y; j < y + over; j++) {
        for (int i = x; i < x + over; i++) {
            const GrColor *p = &view->pixels[j * view->width + i];
            sum = (GrColor){sum.r + p->r, sum.g + p->g, sum.b + p->b};
        }
    }
    const double n = over * over;
    return (GrColor){sum.r / n, sum.g / n, sum.b / n};
}

/// A display shows 255 times the square root of light, roughly.
static int level(double light)
{
    return (int)lround(255 * sqrt(fmin(fmax(light, 0), 1)));
}

static void print_colors(GrColor a, GrColor b, GrBuffer *out)
{
    gr_buffer_printf(out, "\033[38;2;%d;%d;%dm\033[48;2;%d;%d;%dm\u2580", level(a.r), level(a.g), level(a.b),
                     level(b.r), level(b.g), level(b.b));
}

/// Brightness of a character's two pixels, as displayed, 0 .. 1.
static double brightness(GrColor a, GrColor b)
{
    return (level(a.r) + level(a.g) + level(a.b) + level(b.r) + level(b.g) + level(b.b)) / 6.0 / 255;
}

/// The darkest and the brightest character.
static void find_range(const GrRasterView *view, int over, double range[2])
{
    range[0] = 1;
    range[1] = 0;
    for (int y = 0; y + 2 * over <= view->height; y += 2 * over) {
        for (int x = 0; x + over <= view->width; x += over) {
            const double value = brightness(mean_color(view, x, y, over), mean_color(view, x, y + over, over));
            range[0] = fmin(range[0], value);
            range[1] = fmax(range[1], value);
        }
    }
}

static void print_brightness(double value, const double range[2], GrBuffer *out)
{
    static const char ramp[] = " .:-=+*#%@"; // from dark to bright
    const int last = (int)sizeof ramp - 2;
    const double part = range[1] > range[0] ? (value - range[0]) / (range[1] - range[0]) : 0;
    gr_buffer_add(out, &ramp[(int)lround(last * part)], 1);
}

void gr_raster_print(const GrRasterView *view, int over, bool colors, GrBuffer *out)
{
    double range[2];
    find_range(view, over, range);
    for (int y = 0; y + 2 * over <= view->height; y += 2 * over) {
        for (int x = 0; x + over <= view->width; x += over) {
            const GrColor a = mean_color(view, x, y, over), b = mean_color(view, x, y + over, over);
            if (colors) {
                print_colors(a, b, out);
            } else {
                print_brightness(brightness(a, b), range, out);
            }
        }
        gr_buffer_puts(out, colors ? "\033[0m\n" : "\n");
    }
}
