#include "wheel_ground.h"

#include "grouser/surface.h"

#include "device_call.h"
#include "elementary.h"
#include "ruts.h"
#include "stones.h"
#include "terrain_data.h"

static const double LEAST_ANGLE = 0.2, LARGEST_ANGLE = 1; // [rad]

/// Sine of the angle between axle and normal below which a wheel lies on its side.
static const double LYING_SINE = 0.1;

/// Weight of the plane through the three points, against the spread of the slices in the ground.
static const double PLANE_WEIGHT = 1e-3;

static const GrVec3 UP = {0, 0, 1}, AHEAD = {1, 0, 0};

double gr_wheel_front_angle(double sinkage, double radius)
{
    // h = r (1 − cos θ1)
    const double c = 1 - sinkage / radius;
    return fmin(LARGEST_ANGLE, fmax(LEAST_ANGLE, gr_acos(fmax(-1, fmin(1, c)))));
}

static double slice_place(const GrSoilWheel *w, int k)
{
    return (k + 0.5) * w->slice_width - 0.5 * w->wheel.width;
}

/// Number of points over one grouser pitch at which the height of ruts is averaged. Imprints of grousers are shorter
/// than the contact of a wheel, which spans several; in the mean, imprints of the wheel's own pitch cancel.
enum { PLACES = 4 };

/// The ground as seen by a wheel.
typedef struct Look {
    const GrGroundView *view;
    double pitch; ///< of the wheel's grousers [m]; 0: none
} Look;

static GrSlope mean_rut(const Look *look, GrVec3 ahead, double x, double y)
{
    const int places = look->pitch > 0 ? PLACES : 1;
    GrSlope sum = {0, 0, 0};
    for (int k = 0; k < places; k++) {
        const double along = look->pitch * (k - 0.5 * (places - 1)) / places;
        const GrSlope at = gr_ruts_slope(look->view->ruts, x + along * ahead.x, y + along * ahead.y);
        sum = (GrSlope){sum.z + at.z / places, sum.gx + at.gx / places, sum.gy + at.gy / places};
    }
    return sum;
}

/// Height and normal of the surface, or of the plane z = 0, with the ruts added.
static bool height_normal(const Look *look, GrVec3 ahead, double x, double y, double *z, GrVec3 *normal)
{
    const GrGroundView *view = look->view;
    const GrSurfaceDef *surface = view->surface;
    *z = 0;
    *normal = UP;
    if (surface->height != NULL && !GR_CALL(height, surface->height, surface->context, x, y, z, normal)) {
        return false;
    }
    if (view->ruts != NULL) {
        const GrSlope rut = mean_rut(look, ahead, x, y);
        const double by = 1 / normal->z; // the normal is (−∂z/∂x, −∂z/∂y, 1), made a unit
        *z += rut.z;
        *normal = gr_normalize(gr_vec3(by * normal->x - rut.gx, by * normal->y - rut.gy, 1));
    }
    return true;
}

bool gr_ground_at(const GrGroundView *view, double x, double y, double *z, GrVec3 *normal)
{
    const Look look = {view, 0};
    return height_normal(&look, AHEAD, x, y, z, normal);
}

/// Sets the heights of points to the ground.
static bool drop(const Look *look, GrVec3 ahead, int count, GrVec3 *points)
{
    const GrGroundView *view = look->view;
    if (!gr_surface_drop(view->surface, count, points)) {
        return false;
    }
    for (int i = 0; view->ruts != NULL && i < count; i++) {
        points[i].z += mean_rut(look, ahead, points[i].x, points[i].y).z;
    }
    return true;
}

static bool find_normal(const Look *look, const GrContactFrame *frame, const GrSoilWheel *w, GrVec3 centre,
                        double theta, GrVec3 points[3], GrVec3 *normal)
{
    // A rut is only as wide as the wheel that made it, walls included: in ruts the points are in the middle of its
    // halves.
    const double width = look->view->ruts != NULL ? 0.5 * w->wheel.width : w->wheel.width;
    gr_contact_points(centre, frame, w->radius, width, theta, points);
    if (!drop(look, frame->x, 3, points)) {
        return false;
    }
    *normal = gr_contact_normal(points, UP);
    return true;
}

/// Used where not all points are on the map: the tangent plane below the wheel's lowest point.
static bool find_tangent(const Look *look, const GrSoilWheel *w, GrVec3 centre, GrVec3 axle, GrWheelGround *out)
{
    const GrContactFrame level = gr_contact_frame(axle, UP, AHEAD);
    const GrVec3 down = gr_normalize(gr_sub(gr_scale(gr_dot(level.z, axle), axle), level.z));
    out->point = gr_madd(centre, w->radius, down);
    return height_normal(look, level.x, out->point.x, out->point.y, &out->point.z, &out->normal);
}

/// The ground of each slice in the plane of its disc: midway between entry and exit, and its inclination relative to
/// the plane of the three points [rise over run]. False for a wheel that lies on its side, which has no such planes.
static bool find_slices(const Look *look, const GrSoilWheel *w, GrVec3 centre, GrVec3 axle, double theta,
                        GrWheelGround *out, double *climb)
{
    const GrVec3 across = gr_madd(out->normal, -gr_dot(out->normal, axle), axle);
    if (gr_norm(across) < LYING_SINE) {
        return false;
    }
    const GrVec3 ahead = gr_scale(w->radius * gr_sin(theta), out->frame.x);
    const GrVec3 below = gr_scale(-w->radius * gr_cos(theta), gr_normalize(across));
    for (int k = 0; k < w->slices; k++) {
        const GrVec3 low = gr_add(gr_madd(centre, slice_place(w, k), axle), below);
        GrVec3 ends[2] = {gr_add(low, ahead), gr_sub(low, ahead)};
        const bool found = drop(look, out->frame.x, 2, ends);
        climb[k] = found ? gr_dot(out->normal, gr_sub(ends[0], ends[1])) / (2 * gr_norm(ahead)) : 0;
        out->slices[k] = found ? gr_scale(0.5, gr_add(ends[0], ends[1])) : gr_vec3(low.x, low.y, out->point.z);
    }
    return true;
}

/// Inclines the plane to fit the ground below the slices that are in it, so that a wheel half on a level ledge stands
/// level. Weighted by sinkage, so that a slice comes in smoothly.
static void lean_on_slices(const GrSoilWheel *w, GrVec3 centre, GrVec3 axle, const double *climb, GrWheelGround *out)
{
    double sum = 0, sum_climb = 0, sum_y = 0, sum_h = 0, sum_yy = 0, sum_yh = 0;
    for (int k = 0; k < w->slices; k++) {
        const double y = slice_place(w, k), h = gr_dot(out->normal, gr_sub(out->slices[k], out->point));
        const double sinkage =
            gr_contact_sinkage(gr_madd(centre, y, axle), axle, w->radius, out->slices[k], out->normal);
        const double weight = fmax(0, sinkage);
        sum += weight;
        sum_climb += weight * climb[k];
        sum_y += weight * y;
        sum_h += weight * h;
        sum_yy += weight * y * y;
        sum_yh += weight * y * h;
    }
    if (!(sum > 0)) {
        return;
    }
    const double spread = sum_yy - sum_y * sum_y / sum, rise = sum_yh - sum_y * sum_h / sum;
    const double slope = rise / (spread + PLANE_WEIGHT * sum * w->wheel.width * w->wheel.width);
    out->normal = gr_madd(gr_madd(out->normal, -slope, out->frame.y), -sum_climb / sum, out->frame.x);
    out->normal = gr_normalize(out->normal);
    out->frame = gr_contact_frame(axle, out->normal, AHEAD);
}

bool gr_wheel_ground(const GrGroundView *view, const GrSoilWheel *w, GrVec3 centre, GrVec3 axle, double sinkage,
                     GrWheelGround *out)
{
    const bool lugs = w->wheel.grouser_count > 0 && w->wheel.grouser_height > 0;
    const Look look = {view, lugs ? 6.283185307179586 * w->radius / w->wheel.grouser_count : 0};
    const bool level = view->surface->height == NULL && view->ruts == NULL;
    bool plane = true;
    double theta = 0;
    out->normal = UP;
    out->point = gr_vec3(centre.x, centre.y, 0);
    out->frame = gr_contact_frame(axle, UP, AHEAD);
    if (!level) {
        GrVec3 points[3];
        theta = gr_wheel_front_angle(sinkage, w->radius);
        plane = find_normal(&look, &out->frame, w, centre, theta, points, &out->normal);
        if (plane) {
            out->frame = gr_contact_frame(axle, out->normal, AHEAD);
            plane = find_normal(&look, &out->frame, w, centre, theta, points, &out->normal);
            const GrVec3 front = gr_scale(0.5, gr_add(points[0], points[1]));
            out->point = gr_scale(0.5, gr_add(front, points[2]));
        }
        if (!plane && !find_tangent(&look, w, centre, axle, out)) {
            return false;
        }
        out->frame = gr_contact_frame(axle, out->normal, AHEAD);
    }
    double climb[GR_SLICES_MAX];
    if (!level && plane && w->slices > 1 && find_slices(&look, w, centre, axle, theta, out, climb)) {
        lean_on_slices(w, centre, axle, climb, out);
    } else {
        for (int k = 0; k < w->slices; k++) {
            out->slices[k] = out->point;
        }
    }
    return true;
}

// ---- Adapters that make terrain, soil maps and fields of rocks the ground of a model.

bool gr_height_of_terrain(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    return gr_terrain_height_normal(context, x, y, z, normal) == GR_GROUND_OK;
}

bool gr_height_of_soil(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    return gr_terrain_soil_normal(context, x, y, z, normal) == GR_GROUND_OK;
}

static bool has_rigid_layer(const GrTerrain *terrain)
{
    bool any = false;
    for (int k = 0; k < terrain->layer_count; k++) {
        any = any || terrain->layers[k].def.rigid;
    }
    return any;
}

bool gr_soils_of_map(const void *context, double x, double y, GrSoilMix *mix)
{
    return gr_soil_map_at(context, x, y, mix) == GR_GROUND_OK;
}

GrSurfaceDef gr_surface_of_terrain(const GrTerrain *terrain, const GrSoilDef *soil)
{
    GrSurfaceDef surface = gr_default_surface_def();
    surface.soil = soil;
    surface.height = has_rigid_layer(terrain) ? gr_height_of_soil : gr_height_of_terrain;
    surface.context = terrain;
    return surface;
}

void gr_surface_set_soil_map(GrSurfaceDef *surface, const GrSoilMap *map, const GrSoilDef *soils)
{
    surface->soil = soils;
    surface->soil_count = map->name_count;
    surface->soil_at = gr_soils_of_map;
    surface->soil_context = map;
}

bool gr_surface_drop(const GrSurfaceDef *surface, int count, GrVec3 *points)
{
    if (GR_POINTS_TO(surface->height, gr_height_of_terrain)) {
        return gr_terrain_drop(surface->context, count, points);
    }
    for (int i = 0; i < count; i++) {
        GrVec3 normal;
        points[i].z = 0;
        if (surface->height != NULL &&
            !GR_CALL(height, surface->height, surface->context, points[i].x, points[i].y, &points[i].z, &normal)) {
            return false;
        }
    }
    return true;
}

int gr_scene_add_rock_field(GrSceneDef *scene, const GrSurfaceDef *surface, const GrRockField *field,
                            const GrRockFieldUse *use)
{
    int added = 0;
    for (int i = 0; i < field->count; i++) {
        GrStoneDef stone = gr_stone_of_field(field, use, i);
        if (!gr_surface_drop(surface, 1, &stone.place)) { // off the map
            continue;
        }
        if (gr_scene_add_stone(scene, &stone) < 0) {
            return -1;
        }
        added++;
    }
    return added;
}
