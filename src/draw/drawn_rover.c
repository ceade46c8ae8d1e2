#include "drawn_rover.h"

#include "convex_mesh.h"

#include "alloc.h"
#include "vec3.h"

#include <math.h>

enum { ROD_SIDES = 14, CYLINDER_SIDES = 40, SPHERE_RINGS = 10, SPHERE_SIDES = 20, WHEEL_SIDES = 60, SPOKES = 7 };

/// A mesh with more faces is taken for a round surface, whose edges are not drawn.
enum { FEW_FACES = 40 };

static const double STICK_RADIUS = 0.012; // fraction of the length of the longest stick

static const GrColor COLOR_CHASSIS = {0.90, 0.87, 0.80};
static const GrColor COLOR_LINK = {0.62, 0.70, 0.78};
static const GrColor COLOR_STEER = {0.90, 0.66, 0.38};
static const GrColor COLOR_WALK = {0.48, 0.74, 0.68};
static const GrColor COLOR_HUB_PART = {0.72, 0.73, 0.75};
static const GrColor COLOR_TREAD = {0.44, 0.45, 0.48};
static const GrColor COLOR_GROUSER = {0.30, 0.31, 0.34};
static const GrColor COLOR_CAP = {0.60, 0.62, 0.65};
static const GrColor COLOR_RECESS = {0.27, 0.28, 0.31};
static const GrColor COLOR_SPOKE = {0.70, 0.72, 0.75};
static const GrColor COLOR_HUB = {0.86, 0.87, 0.89};

/// Makes room for `extra` more items; when out of memory it returns false and marks the scene as failed.
static bool reserve(GrDrawnRover *scene, void **items, int count, int *capacity, int extra, size_t size)
{
    if (scene->failed) {
        return false;
    }
    if (count + extra > *capacity) {
        const int wanted = 2 * (count + extra);
        void *grown = gr_realloc(*items, (size_t)wanted * size);
        if (grown == NULL) {
            scene->failed = true;
            return false;
        }
        *items = grown;
        *capacity = wanted;
    }
    return true;
}

#define RESERVE(scene, kind, extra)                                                                                    \
    reserve(scene, (void **)&(scene)->kind##s, (scene)->kind##_count, &(scene)->kind##_capacity, extra,                \
            sizeof *(scene)->kind##s)

static void add_point(GrDrawnRover *scene, GrVec3 p)
{
    if (!RESERVE(scene, point, 1)) {
        return;
    }
    scene->points[scene->point_count++] = p;
    scene->lower = gr_vec3(fmin(scene->lower.x, p.x), fmin(scene->lower.y, p.y), fmin(scene->lower.z, p.z));
    scene->upper = gr_vec3(fmax(scene->upper.x, p.x), fmax(scene->upper.y, p.y), fmax(scene->upper.z, p.z));
}

/// Normal by Newell's sum over the edges, oriented towards `outward`.
static GrVec3 polygon_normal(const GrVec3 *points, int count, GrVec3 outward)
{
    GrVec3 n = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        n = gr_add(n, gr_cross(points[i], points[(i + 1) % count]));
    }
    n = gr_normalize(n);
    return gr_dot(n, outward) < 0 ? gr_neg(n) : n;
}

/// What all faces added by one call have in common.
typedef struct Paint {
    GrColor color;
    GrLayer layer;
    bool edged;
    GrVec3 radial;
} Paint;

static void add_face(GrDrawnRover *scene, const GrVec3 *points, int count, GrVec3 outward, Paint paint)
{
    if (!RESERVE(scene, face, 1)) {
        return;
    }
    scene->faces[scene->face_count++] = (GrPartFace){
        .first = scene->point_count,
        .count = count,
        .normal = polygon_normal(points, count, outward),
        .radial = paint.radial,
        .layer = paint.layer,
        .color = paint.color,
        .edged = paint.edged,
    };
    for (int i = 0; i < count; i++) {
        add_point(scene, points[i]);
    }
}

static void begin_part(GrDrawnRover *scene, int body, GrVec3 center)
{
    if (RESERVE(scene, part, 1)) {
        scene->parts[scene->part_count++] = (GrDrawnPart){.body = body,
                                                          .center = center,
                                                          .face_first = scene->face_count,
                                                          .hull_first = scene->point_count,
                                                          .plane_first = scene->plane_count,
                                                          .outlined = true};
    }
}

static void add_plane(GrDrawnRover *scene, GrVec3 normal, GrVec3 point)
{
    if (RESERVE(scene, plane, 1)) {
        scene->planes[scene->plane_count++] = (GrPartPlane){normal, gr_dot(normal, point)};
    }
}

/// Closes a part whose faces are its hull.
static void end_convex_part(GrDrawnRover *scene)
{
    if (scene->failed) {
        return;
    }
    GrDrawnPart *part = &scene->parts[scene->part_count - 1];
    part->face_count = scene->face_count - part->face_first;
    part->hull_count = scene->point_count - part->hull_first;
    for (int i = 0; i < part->face_count; i++) {
        const GrPartFace *face = &scene->faces[part->face_first + i];
        add_plane(scene, face->normal, scene->points[face->first]);
    }
    part->plane_count = scene->plane_count - part->plane_first;
}

static GrVec3 place(GrPose pose, double x, double y, double z)
{
    return gr_add(pose.position, gr_quat_rotate(pose.rotation, gr_vec3(x, y, z)));
}

static void add_box(GrDrawnRover *scene, int body, GrPose pose, GrVec3 size, GrColor color)
{
    static const int corners[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    GrVec3 c[8];
    for (int i = 0; i < 8; i++) {
        c[i] = place(pose, (i & 4 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 1 ? 0.5 : -0.5) * size.z);
    }
    begin_part(scene, body, pose.position);
    for (int f = 0; f < 6; f++) {
        GrVec3 quad[4], middle = {0, 0, 0};
        for (int i = 0; i < 4; i++) {
            quad[i] = c[corners[f][i]];
            middle = gr_madd(middle, 0.25, quad[i]);
        }
        add_face(scene, quad, 4, gr_sub(middle, pose.position), (Paint){.color = color, .edged = true});
    }
    end_convex_part(scene);
}

/// Adds a convex mesh. A face with more corners than a polygon here may have is truncated.
static void add_mesh(GrDrawnRover *scene, int body, GrPose pose, const GrConvexMesh *mesh, GrColor color)
{
    const GrVec3 centre = place(pose, mesh->centre.x, mesh->centre.y, mesh->centre.z);
    begin_part(scene, body, centre);
    for (int f = 0; f < mesh->face_count; f++) {
        GrVec3 corners[WHEEL_SIDES];
        const int first = mesh->starts[f], all = mesh->starts[f + 1] - first;
        const int count = all < WHEEL_SIDES ? all : WHEEL_SIDES;
        for (int i = 0; i < count; i++) {
            const GrVec3 v = mesh->vertices[mesh->loops[first + i * all / count]];
            corners[i] = place(pose, v.x, v.y, v.z);
        }
        add_face(scene, corners, count, gr_quat_rotate(pose.rotation, mesh->normals[f]),
                 (Paint){.color = color, .edged = mesh->face_count <= FEW_FACES});
    }
    end_convex_part(scene);
}

/// Point on a circle about the frame's y axis.
static GrVec3 on_circle(GrPose pose, double radius, double angle, double y)
{
    return place(pose, radius * cos(angle), y, radius * sin(angle));
}

static void add_disc(GrDrawnRover *scene, GrPose pose, double radius, double y, int sides, Paint paint)
{
    GrVec3 ring[WHEEL_SIDES];
    for (int i = 0; i < sides; i++) {
        ring[i] = on_circle(pose, radius, 2 * GR_PI * i / sides, y);
    }
    const GrVec3 axis = gr_quat_rotate(pose.rotation, gr_vec3(0, 1, 0));
    add_face(scene, ring, sides, y < 0 ? gr_neg(axis) : axis, paint);
}

static void add_mantle(GrDrawnRover *scene, GrPose pose, double radius, double length, int sides, GrColor color)
{
    for (int i = 0; i < sides; i++) {
        const double a = 2 * GR_PI * i / sides, b = 2 * GR_PI * (i + 1) / sides;
        const GrVec3 quad[4] = {on_circle(pose, radius, a, -length / 2), on_circle(pose, radius, b, -length / 2),
                                on_circle(pose, radius, b, length / 2), on_circle(pose, radius, a, length / 2)};
        const GrVec3 outward = gr_sub(on_circle(pose, 1, (a + b) / 2, 0), pose.position);
        add_face(scene, quad, 4, outward, (Paint){.color = color});
    }
}

static void add_cylinder(GrDrawnRover *scene, int body, GrPose pose, double radius, double length, int sides,
                         GrColor color)
{
    begin_part(scene, body, pose.position);
    add_mantle(scene, pose, radius, length, sides, color);
    add_disc(scene, pose, radius, -length / 2, sides, (Paint){.color = color, .edged = true});
    add_disc(scene, pose, radius, length / 2, sides, (Paint){.color = color, .edged = true});
    end_convex_part(scene);
}

/// Rotation that takes y to the direction of d.
static GrQuat turn_y_to(GrVec3 d)
{
    const GrVec3 y = {0, 1, 0}, u = gr_normalize(d);
    const GrVec3 axis = gr_cross(y, u);
    const double s = gr_norm(axis), c = gr_dot(y, u);
    if (s < 1e-12) {
        return c > 0 ? gr_quat_identity() : (GrQuat){0, 1, 0, 0};
    }
    return gr_quat_axis_angle(gr_scale(1 / s, axis), atan2(s, c));
}

static void add_rod(GrDrawnRover *scene, int body, GrVec3 from, GrVec3 to, double radius, GrColor color)
{
    const double length = gr_norm(gr_sub(to, from));
    if (length > 0 && radius > 0) {
        const GrPose pose = {gr_scale(0.5, gr_add(from, to)), turn_y_to(gr_sub(to, from))};
        add_cylinder(scene, body, pose, radius, length, ROD_SIDES, color);
    }
}

static GrVec3 on_sphere(GrPose pose, double radius, int ring, int side)
{
    const double latitude = GR_PI * ring / SPHERE_RINGS - GR_PI / 2, longitude = 2 * GR_PI * side / SPHERE_SIDES;
    return place(pose, radius * cos(latitude) * cos(longitude), radius * cos(latitude) * sin(longitude),
                 radius * sin(latitude));
}

static void add_sphere(GrDrawnRover *scene, int body, GrPose pose, double radius, GrColor color)
{
    begin_part(scene, body, pose.position);
    for (int i = 0; i < SPHERE_RINGS; i++) {
        for (int j = 0; j < SPHERE_SIDES; j++) {
            const GrVec3 quad[4] = {on_sphere(pose, radius, i, j), on_sphere(pose, radius, i, j + 1),
                                    on_sphere(pose, radius, i + 1, j + 1), on_sphere(pose, radius, i + 1, j)};
            const GrVec3 middle = gr_scale(0.25, gr_add(gr_add(quad[0], quad[1]), gr_add(quad[2], quad[3])));
            add_face(scene, quad, 4, gr_sub(middle, pose.position), (Paint){.color = color});
        }
    }
    end_convex_part(scene);
}

static void add_grouser(GrDrawnRover *scene, GrPose pose, const GrWheelDef *wheel, double angle)
{
    const double r0 = wheel->radius * cos(GR_PI / WHEEL_SIDES), r1 = wheel->radius + wheel->grouser_height;
    const double thickness = wheel->grouser_thickness > 0 ? wheel->grouser_thickness : 0.02 * wheel->radius;
    const double w = wheel->width / 2;
    const GrQuat turn = gr_quat_axis_angle(gr_vec3(0, 1, 0), -angle);
    const GrPose frame = {pose.position, gr_quat_mul(pose.rotation, turn)}; // x: radial
    GrVec3 c[8];
    for (int i = 0; i < 8; i++) {
        c[i] = place(frame, i & 4 ? r1 : r0, i & 2 ? w : -w, (i & 1 ? 0.5 : -0.5) * thickness);
    }
    const GrVec3 x = gr_quat_rotate(frame.rotation, gr_vec3(1, 0, 0));
    const GrVec3 y = gr_quat_rotate(frame.rotation, gr_vec3(0, 1, 0));
    const GrVec3 z = gr_quat_rotate(frame.rotation, gr_vec3(0, 0, 1));
    const Paint paint = {.color = COLOR_GROUSER, .edged = false, .radial = x};
    add_face(scene, (GrVec3[]){c[4], c[5], c[7], c[6]}, 4, x, paint);
    add_face(scene, (GrVec3[]){c[0], c[2], c[6], c[4]}, 4, gr_neg(z), paint);
    add_face(scene, (GrVec3[]){c[1], c[3], c[7], c[5]}, 4, z, paint);
    add_face(scene, (GrVec3[]){c[0], c[1], c[5], c[4]}, 4, gr_neg(y), paint);
    add_face(scene, (GrVec3[]){c[2], c[3], c[7], c[6]}, 4, y, paint);
}

/// Rim, recess, swept spokes and hub on one flat side.
static void add_wheel_side(GrDrawnRover *scene, GrPose pose, double radius, double y)
{
    const GrVec3 axis = gr_quat_rotate(pose.rotation, gr_vec3(0, y < 0 ? -1 : 1, 0));
    const double inner = 0.84 * radius, hub = 0.24 * radius, half = 0.035 * radius, sweep = 0.45;
    add_disc(scene, pose, radius, y, WHEEL_SIDES, (Paint){.color = COLOR_CAP, .layer = GR_LAYER_CAP, .edged = true});
    add_disc(scene, pose, inner, y, WHEEL_SIDES,
             (Paint){.color = COLOR_RECESS, .layer = GR_LAYER_RECESS, .edged = true});
    for (int i = 0; i < SPOKES; i++) {
        const double a = 2 * GR_PI * i / SPOKES, b = a + sweep;
        const GrVec3 spoke[4] = {on_circle(pose, hub, a - half / hub, y), on_circle(pose, hub, a + half / hub, y),
                                 on_circle(pose, inner, b + half / inner, y),
                                 on_circle(pose, inner, b - half / inner, y)};
        add_face(scene, spoke, 4, axis, (Paint){.color = COLOR_SPOKE, .layer = GR_LAYER_SPOKE});
    }
    add_disc(scene, pose, hub, y, CYLINDER_SIDES, (Paint){.color = COLOR_HUB, .layer = GR_LAYER_HUB, .edged = true});
}

static void add_wheel(GrDrawnRover *scene, GrPose pose, const GrWheelDef *wheel)
{
    begin_part(scene, wheel->body, pose.position);
    add_mantle(scene, pose, wheel->radius, wheel->width, WHEEL_SIDES, COLOR_TREAD);
    for (int i = 0; i < wheel->grouser_count; i++) {
        add_grouser(scene, pose, wheel, 2 * GR_PI * i / wheel->grouser_count);
    }
    add_wheel_side(scene, pose, wheel->radius, -wheel->width / 2);
    add_wheel_side(scene, pose, wheel->radius, wheel->width / 2);
    if (scene->failed) {
        return;
    }
    GrDrawnPart *part = &scene->parts[scene->part_count - 1];
    part->face_count = scene->face_count - part->face_first;
    part->outlined = wheel->grouser_count == 0;
    // The convex hull is the cylinder over the grouser tips.
    const double radius = wheel->radius + wheel->grouser_height;
    const GrVec3 axis = gr_quat_rotate(pose.rotation, gr_vec3(0, 1, 0));
    part->hull_first = scene->point_count;
    for (int i = 0; i < WHEEL_SIDES; i++) {
        const double angle = 2 * GR_PI * i / WHEEL_SIDES;
        const GrVec3 rim = on_circle(pose, radius, angle, 0);
        add_plane(scene, gr_normalize(gr_sub(rim, pose.position)), rim);
        add_point(scene, gr_madd(rim, -wheel->width / 2, axis));
        add_point(scene, gr_madd(rim, wheel->width / 2, axis));
    }
    add_plane(scene, axis, gr_madd(pose.position, wheel->width / 2, axis));
    add_plane(scene, gr_neg(axis), gr_madd(pose.position, -wheel->width / 2, axis));
    part->hull_count = scene->point_count - part->hull_first;
    part->plane_count = scene->plane_count - part->plane_first;
}

static GrColor body_color(const GrRoverDef *rover, int body)
{
    for (int i = 0; i < rover->wheel_count; i++) {
        if (rover->wheels[i].body == body) {
            return COLOR_HUB_PART;
        }
    }
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        if (joint->child != body) {
            continue;
        }
        return joint->kind == GR_JOINT_FIXED  ? body_color(rover, joint->parent)
               : joint->role == GR_ROLE_STEER ? COLOR_STEER
               : joint->role == GR_ROLE_WALK  ? COLOR_WALK
                                              : COLOR_LINK;
    }
    return COLOR_CHASSIS;
}

static void add_shape(GrDrawnRover *scene, int body, GrPose body_pose, const GrShapeDef *shape, GrColor color)
{
    const GrPose pose = gr_pose_mul(body_pose, shape->pose);
    switch (shape->kind) {
    case GR_SHAPE_BOX:
        add_box(scene, body, pose, shape->size, color);
        break;
    case GR_SHAPE_CYLINDER:
        add_cylinder(scene, body, pose, shape->radius, shape->length, CYLINDER_SIDES, color);
        break;
    case GR_SHAPE_SPHERE:
        add_sphere(scene, body, pose, shape->radius, color);
        break;
    case GR_SHAPE_MESH:
        add_mesh(scene, body, pose, shape->hull, color);
        break;
    case GR_SHAPE_ROD:
        add_rod(scene, body, place(body_pose, shape->from.x, shape->from.y, shape->from.z),
                place(body_pose, shape->to.x, shape->to.y, shape->to.z), shape->radius, color);
        break;
    }
}

/// The wheel of a body if it is drawn from the wheel's definition; NULL: none. A wheel without a rim is drawn by its
/// shapes.
static const GrWheelDef *round_wheel(const GrRoverDef *rover, int body)
{
    for (int i = 0; i < rover->wheel_count; i++) {
        if (rover->wheels[i].body == body && !rover->wheels[i].rimless) {
            return &rover->wheels[i];
        }
    }
    return NULL;
}

/// Sticks from a body without shapes to its joints.
static void add_sticks(GrDrawnRover *scene, const GrRoverDef *rover, int body, GrPose pose, GrColor color)
{
    double longest = 0;
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].parent == body) {
            longest = fmax(longest, gr_norm(rover->joints[i].pose.position));
        }
    }
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].parent == body) {
            const GrVec3 to = rover->joints[i].pose.position;
            add_rod(scene, body, pose.position, place(pose, to.x, to.y, to.z), STICK_RADIUS * longest, color);
        }
    }
}

GrStatus gr_drawn_rover_make(const GrRoverDef *rover, const GrPose *poses, GrDrawnRover *out)
{
    const double inf = (double)INFINITY;
    *out = (GrDrawnRover){.lower = {inf, inf, inf}, .upper = {-inf, -inf, -inf}, .belly = inf};
    for (int i = 0; i < rover->body_count; i++) {
        const GrBodyDef *body = &rover->bodies[i];
        const GrColor color = body_color(rover, i);
        const bool wheel = round_wheel(rover, i) != NULL;
        for (int j = 0; j < body->shape_count; j++) {
            // A wheel is drawn from its definition; a cylinder on its body would draw the same wheel twice.
            if (!body->shapes[j].only_touches && (!wheel || body->shapes[j].kind != GR_SHAPE_CYLINDER)) {
                add_shape(out, i, poses[i], &body->shapes[j], color);
            }
        }
        if (body->shape_count == 0 && !wheel) {
            add_sticks(out, rover, i, poses[i], color);
        }
        if (i == 0) {
            out->belly = out->lower.z;
        }
    }
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *wheel = &rover->wheels[i];
        if (!wheel->rimless) {
            add_wheel(out, gr_pose_mul(poses[wheel->body], wheel->pose), wheel);
        }
    }
    if (out->failed) {
        gr_drawn_rover_free(out);
        return GR_ERROR_MEMORY;
    }
    return GR_OK;
}

void gr_drawn_rover_free(GrDrawnRover *scene)
{
    gr_free(scene->points);
    gr_free(scene->faces);
    gr_free(scene->planes);
    gr_free(scene->parts);
    *scene = (GrDrawnRover){0};
}
