#include "painter.h"

#include "alloc.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CORNERS = 64 };

static const char EDGE[] = "#26282c";

GrCamera gr_camera_from(GrVec3 toward)
{
    const GrVec3 t = gr_normalize(toward);
    const GrVec3 z = {0, 0, 1};
    const GrVec3 right = gr_normalize(gr_cross(z, t));
    return (GrCamera){.right = right, .up = gr_cross(t, right), .toward = t, .scale = 1};
}

GrPoint2 gr_camera_project(const GrCamera *camera, GrVec3 point)
{
    const GrVec3 d = gr_sub(point, camera->target);
    double scale = camera->scale;
    if (camera->distance > 0) {
        scale *= camera->distance / fmax(camera->distance - gr_dot(d, camera->toward), 0.05 * camera->distance);
    }
    return (GrPoint2){camera->center.x + scale * gr_dot(d, camera->right),
                      camera->center.y - scale * gr_dot(d, camera->up)};
}

/// Unit vector from a point towards the eye.
static GrVec3 view_direction(const GrCamera *camera, GrVec3 point)
{
    if (camera->distance > 0) {
        return gr_normalize(gr_sub(gr_madd(camera->target, camera->distance, camera->toward), point));
    }
    return camera->toward;
}

/// Larger for points nearer to the viewer.
static double nearness(const GrCamera *camera, GrVec3 point)
{
    if (camera->distance > 0) {
        return -gr_norm(gr_sub(gr_madd(camera->target, camera->distance, camera->toward), point));
    }
    return gr_dot(point, camera->toward);
}

// ---- one part ----

typedef struct VisibleFace {
    const GrPartFace *face;
    int layer;
    double nearness;
} VisibleFace;

static int compare_faces(const void *a, const void *b)
{
    const VisibleFace *x = a, *y = b;
    if (x->layer != y->layer) {
        return x->layer < y->layer ? -1 : 1;
    }
    if (x->nearness != y->nearness) {
        return x->nearness < y->nearness ? -1 : 1;
    }
    return x->face < y->face ? -1 : x->face > y->face;
}

/// Light over the viewer's left shoulder, plus ambient light.
static void shade(const GrCamera *camera, const GrPartFace *face, char out[8])
{
    const GrVec3 light = gr_normalize(gr_add(gr_add(gr_scale(-0.45, camera->right), gr_scale(0.85, camera->toward)),
                                             gr_add(gr_scale(0.35, camera->up), gr_vec3(0, 0, 0.5))));
    const double level = 0.64 + 0.43 * fmax(0, gr_dot(face->normal, light));
    const double rgb[3] = {face->color.r, face->color.g, face->color.b};
    int byte[3];
    for (int i = 0; i < 3; i++) {
        byte[i] = (int)lround(255 * fmin(1, level * rgb[i]));
    }
    snprintf(out, 8, "#%02x%02x%02x", (unsigned)byte[0] & 0xffu, (unsigned)byte[1] & 0xffu, (unsigned)byte[2] & 0xffu);
}

static void paint_face(GrBuffer *svg, const GrDrawnRover *scene, const GrCamera *camera, const GrPartFace *face)
{
    GrPoint2 corners[MAX_CORNERS];
    const int count = face->count < MAX_CORNERS ? face->count : MAX_CORNERS;
    for (int i = 0; i < count; i++) {
        corners[i] = gr_camera_project(camera, scene->points[face->first + i]);
    }
    char color[8];
    shade(camera, face, color);
    // An outline in the face's own colour closes the hairline gaps between neighbours.
    gr_svg_polygon(
        svg, corners, count,
        (GrSvgStyle){.fill = color, .stroke = face->edged ? EDGE : color, .stroke_width = face->edged ? 0.5 : 0.6});
}

static int compare_points(const void *a, const void *b)
{
    const GrPoint2 *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->y < q->y ? -1 : p->y > q->y;
}

static double turn(GrPoint2 a, GrPoint2 b, GrPoint2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Convex hull by the monotone chain (Andrew 1979); sorts `points`, `hull` has room for 2 count.
static int convex_hull(GrPoint2 *points, int count, GrPoint2 *hull)
{
    qsort(points, (size_t)count, sizeof *points, compare_points);
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        const int start = n;
        for (int i = 0; i < count; i++) {
            const GrPoint2 p = points[pass == 0 ? i : count - 1 - i];
            while (n >= start + 2 && turn(hull[n - 2], hull[n - 1], p) <= 0) {
                n--;
            }
            hull[n++] = p;
        }
        n--; // the last point starts the next pass
    }
    return n;
}

/// Draws the hull of a part's points after mapping them by `map`.
typedef struct HullJob {
    GrVec3 (*map)(GrVec3 point, double parameter);
    double parameter;
    GrSvgStyle style;
} HullJob;

static bool paint_hull(GrBuffer *svg, const GrDrawnRover *scene, const GrCamera *camera, const GrDrawnPart *part,
                       HullJob job)
{
    const int count = part->hull_count;
    GrPoint2 *points = gr_malloc((size_t)count * 3 * sizeof *points);
    if (points == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const GrVec3 p = scene->points[part->hull_first + i];
        points[i] = gr_camera_project(camera, job.map != NULL ? job.map(p, job.parameter) : p);
    }
    GrPoint2 *hull = points + count;
    const int corners = convex_hull(points, count, hull);
    if (corners >= 3) {
        gr_svg_polygon(svg, hull, corners, job.style);
    }
    gr_free(points);
    return true;
}

static GrStatus paint_part(GrBuffer *svg, const GrDrawnRover *scene, const GrCamera *camera, const GrDrawnPart *part)
{
    VisibleFace *visible = gr_malloc((size_t)part->face_count * sizeof *visible);
    if (visible == NULL) {
        return GR_ERROR_MEMORY;
    }
    int count = 0;
    for (int i = 0; i < part->face_count; i++) {
        const GrPartFace *face = &scene->faces[part->face_first + i];
        GrVec3 middle = {0, 0, 0};
        for (int j = 0; j < face->count; j++) {
            middle = gr_madd(middle, 1.0 / face->count, scene->points[face->first + j]);
        }
        const GrVec3 direction = view_direction(camera, middle);
        if (gr_dot(face->normal, direction) <= 1e-9) {
            continue;
        }
        // Grousers lie under the surface when they point away from the viewer, over it when they point towards the
        // viewer.
        int layer = 2 * (int)face->layer;
        if (gr_dot(face->radial, face->radial) > 0) {
            layer = gr_dot(face->radial, direction) > 0 ? 1 : -1;
        }
        visible[count++] = (VisibleFace){face, layer, nearness(camera, middle)};
    }
    qsort(visible, (size_t)count, sizeof *visible, compare_faces);
    for (int i = 0; i < count; i++) {
        paint_face(svg, scene, camera, visible[i].face);
    }
    gr_free(visible);
    const HullJob outline = {.style = {.stroke = EDGE, .stroke_width = 0.8}};
    return !part->outlined || paint_hull(svg, scene, camera, part, outline) ? GR_OK : GR_ERROR_MEMORY;
}

// ---- the order of parts ----

typedef struct Extent {
    double left, right, top, bottom;
} Extent;

static Extent page_extent(const GrDrawnRover *scene, const GrCamera *camera, const GrDrawnPart *part)
{
    Extent e = {(double)INFINITY, -(double)INFINITY, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < part->hull_count; i++) {
        const GrPoint2 p = gr_camera_project(camera, scene->points[part->hull_first + i]);
        e = (Extent){fmin(e.left, p.x), fmax(e.right, p.x), fmin(e.top, p.y), fmax(e.bottom, p.y)};
    }
    return e;
}

static bool overlap(Extent a, Extent b)
{
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/// The plane of `a` that separates `b` best: the gap between them, and whether b is on the near side.
typedef struct Parting {
    double gap;   ///< [m]; negative: b crosses the plane
    double slant; ///< cosine between the plane's normal and the view direction; its sign tells which part is nearer
} Parting;

static Parting part_by(const GrDrawnRover *scene, const GrCamera *camera, const GrDrawnPart *a, const GrDrawnPart *b)
{
    Parting best = {-(double)INFINITY, 0};
    for (int i = 0; i < a->plane_count; i++) {
        const GrPartPlane *plane = &scene->planes[a->plane_first + i];
        double gap = (double)INFINITY;
        for (int j = 0; j < b->hull_count; j++) {
            gap = fmin(gap, gr_dot(plane->normal, scene->points[b->hull_first + j]) - plane->offset);
        }
        if (gap > best.gap) {
            const GrVec3 on_plane = gr_scale(plane->offset, plane->normal);
            const GrVec3 near_part =
                gr_madd(a->center, gr_dot(gr_sub(on_plane, a->center), plane->normal), plane->normal);
            best = (Parting){gap, gr_dot(plane->normal, view_direction(camera, near_part))};
        }
    }
    return best;
}

/// > 0: a may hide b; < 0: b may hide a; 0: neither.
static int compare_parts(const GrDrawnRover *scene, const GrCamera *camera, const GrDrawnPart *a, const GrDrawnPart *b)
{
    const Parting of_a = part_by(scene, camera, a, b);
    const Parting of_b = part_by(scene, camera, b, a);
    const double slant = of_a.gap >= of_b.gap ? -of_a.slant : of_b.slant;
    if (fabs(slant) < 1e-6) {
        return fmax(of_a.gap, of_b.gap) >= 0 ? 0 // the plane is seen edge-on: the parts are side by side on the page
               : nearness(camera, a->center) > nearness(camera, b->center) ? 1
                                                                           : -1;
    }
    return slant > 0 ? 1 : -1;
}

/// Whether everything that part i may hide has been painted.
static bool is_next(const bool *hides, const bool *painted, int n, int i)
{
    for (int j = 0; j < n; j++) {
        if (hides[i * n + j] && !painted[j]) {
            return false;
        }
    }
    return true;
}

/// order[]: parts from far to near. hides[i * n + j]: i may hide j, so j comes first. Cycles are broken at the farthest
/// part.
static void sort_parts(const GrDrawnRover *scene, const GrCamera *camera, const bool *hides, bool *painted, int *order)
{
    const int n = scene->part_count;
    for (int done = 0; done < n; done++) {
        int best = -1;
        bool best_next = false;
        double best_nearness = 0;
        for (int i = 0; i < n; i++) {
            if (painted[i]) {
                continue;
            }
            const bool next = is_next(hides, painted, n, i);
            const double near = nearness(camera, scene->parts[i].center);
            if (best < 0 || (next && !best_next) || (next == best_next && near < best_nearness)) {
                best = i;
                best_next = next;
                best_nearness = near;
            }
        }
        order[done] = best;
        painted[best] = true;
    }
}

static void find_hides(const GrDrawnRover *scene, const GrCamera *camera, const Extent *extents, bool *hides)
{
    const int n = scene->part_count;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (overlap(extents[i], extents[j])) {
                const int sign = compare_parts(scene, camera, &scene->parts[i], &scene->parts[j]);
                hides[i * n + j] = sign > 0;
                hides[j * n + i] = sign < 0;
            }
        }
    }
}

GrStatus gr_paint_scene(GrBuffer *svg, const GrDrawnRover *scene, const GrCamera *camera)
{
    const size_t n = (size_t)scene->part_count;
    if (n == 0) {
        return GR_OK;
    }
    Extent *extents = gr_malloc(n * sizeof *extents);
    bool *hides = gr_calloc(n * n + n, sizeof *hides);
    int *order = gr_malloc(n * sizeof *order);
    GrStatus status = extents != NULL && hides != NULL && order != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        for (size_t i = 0; i < n; i++) {
            extents[i] = page_extent(scene, camera, &scene->parts[i]);
        }
        find_hides(scene, camera, extents, hides);
        sort_parts(scene, camera, hides, hides + n * n, order);
    }
    for (size_t i = 0; i < n && status == GR_OK; i++) {
        status = paint_part(svg, scene, camera, &scene->parts[order[i]]);
    }
    gr_free(extents);
    gr_free(hides);
    gr_free(order);
    return status;
}

/// Projects a point onto the ground along the rays of a sun slightly off the zenith.
static GrVec3 cast_on_ground(GrVec3 p, double ground)
{
    const double height = fmax(0, p.z - ground);
    return gr_vec3(p.x - 0.22 * height, p.y + 0.16 * height, ground);
}

GrStatus gr_paint_shadow(GrBuffer *svg, const GrDrawnRover *scene, const GrCamera *camera, double ground,
                         const char *color)
{
    const HullJob shadow = {.map = cast_on_ground, .parameter = ground, .style = {.fill = color, .stroke = color}};
    for (int i = 0; i < scene->part_count; i++) {
        if (!paint_hull(svg, scene, camera, &scene->parts[i], shadow)) {
            return GR_ERROR_MEMORY;
        }
    }
    return GR_OK;
}
