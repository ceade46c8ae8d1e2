/// What moves in a replay, as meshes: the rover's bodies, rocks; and fixed parts.
#include "replay_scene_parts.h"

#include "alloc.h"
#include "elementary.h"
#include "rover_def.h"
#include "vec3.h"
#include "wheel_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- payloads

uint64_t gr_payload_bytes(GrScenePayload *p, int size)
{
    uint64_t value = 0;
    if (p->end - p->at < size) {
        p->failed = true;
        p->at = p->end;
        return 0;
    }
    for (int i = 0; i < size; i++) {
        value |= (uint64_t)*p->at++ << (8 * i);
    }
    return value;
}

double gr_payload_number(GrScenePayload *p)
{
    const uint64_t bits = gr_payload_bytes(p, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t gr_payload_varint(GrScenePayload *p)
{
    uint64_t value = 0, byte = 128;
    for (int shift = 0; shift < 64 && byte >= 128; shift += 7) {
        byte = gr_payload_bytes(p, 1);
        value |= (byte & 127) << shift;
    }
    return value;
}

int64_t gr_payload_signed(GrScenePayload *p)
{
    const uint64_t z = gr_payload_varint(p);
    return (z & 1) != 0 ? -(int64_t)(z >> 1) - 1 : (int64_t)(z >> 1);
}

// ---- the head

double gr_head_number(const GrJsonTree *tree, const GrJsonNode *node, const char *key, double other)
{
    const GrJsonNode *value = node != NULL ? gr_json_member(tree, node, key) : NULL;
    return value != NULL && value->kind == GR_JSON_NUMBER ? value->number : other;
}

const char *gr_head_text(const GrJsonTree *tree, const GrJsonNode *node, const char *key)
{
    const GrJsonNode *value = node != NULL ? gr_json_member(tree, node, key) : NULL;
    return value != NULL && value->kind == GR_JSON_STRING ? value->text : "";
}

static void head_numbers(const GrJsonTree *tree, const GrJsonNode *node, const char *key, double *out, int count)
{
    const GrJsonNode *list = node != NULL ? gr_json_member(tree, node, key) : NULL;
    const GrJsonNode *item = list != NULL && list->kind == GR_JSON_ARRAY ? gr_json_first(tree, list) : NULL;
    for (int i = 0; i < count && item != NULL; i++, item = gr_json_next(tree, item)) {
        out[i] = item->number;
    }
}

GrVec3 gr_head_vector(const GrJsonTree *tree, const GrJsonNode *node, const char *key)
{
    double v[3] = {0};
    head_numbers(tree, node, key, v, 3);
    return gr_vec3(v[0], v[1], v[2]);
}

static GrPose head_pose(const GrJsonTree *tree, const GrJsonNode *node)
{
    double q[4] = {1, 0, 0, 0};
    head_numbers(tree, node, "rotation", q, 4);
    return (GrPose){gr_head_vector(tree, node, "position"), {q[0], q[1], q[2], q[3]}};
}

enum { AROUND = 32, RINGS = 12, MESHES_MOST = 4096 };

GrSceneNode *gr_scene_add_node(GrReplayScene *scene, const char *name, int parent, GrPose pose)
{
    const int n = scene->node_count;
    if ((n & (n - 1)) == 0) { // room doubles at powers of two
        GrSceneNode *nodes = gr_realloc(scene->nodes, (n > 0 ? 2 * (size_t)n : 1) * sizeof *nodes);
        if (nodes == NULL) {
            return NULL;
        }
        scene->nodes = nodes;
    }
    GrSceneNode *node = &scene->nodes[scene->node_count++];
    *node = (GrSceneNode){.parent = parent, .pose = pose};
    snprintf(node->name, sizeof node->name, "%s", name);
    return node;
}

static GrSurfaceMesh *add_piece(GrSceneNode *node, GrPaint paint)
{
    GrScenePiece *pieces = gr_realloc(node->pieces, ((size_t)node->piece_count + 1) * sizeof *pieces);
    if (pieces == NULL) {
        return NULL;
    }
    node->pieces = pieces;
    pieces[node->piece_count] = (GrScenePiece){.paint = paint};
    return &pieces[node->piece_count++].mesh;
}

// ---- shapes

/// Moves the vertices from `first` on.
static void place(GrSurfaceMesh *mesh, int first, GrPose pose)
{
    for (int i = first; i < mesh->vertex_count; i++) {
        mesh->vertices[i] = gr_add(pose.position, gr_quat_rotate(pose.rotation, mesh->vertices[i]));
    }
}

static void add_box(GrSurfaceMesh *mesh, GrVec3 size)
{
    const int first = mesh->vertex_count;
    for (int k = 0; k < 8; k++) {
        gr_surface_mesh_vertex(
            mesh, gr_vec3((k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y, (k & 4 ? 0.5 : -0.5) * size.z));
    }
    static const int SIDES[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int k = 0; k < 6; k++) {
        gr_surface_mesh_quad(mesh, first + SIDES[k][0], first + SIDES[k][1], first + SIDES[k][2], first + SIDES[k][3]);
    }
}

/// A closed surface of revolution about y: circles at y[k] with radius r[k], y growing.
static void add_turned(GrSurfaceMesh *mesh, const double *y, const double *r, int count)
{
    const int first = mesh->vertex_count;
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < AROUND; i++) {
            const double a = 2 * GR_PI * i / AROUND;
            gr_surface_mesh_vertex(mesh, gr_vec3(r[k] * gr_sin(a), y[k], r[k] * gr_cos(a)));
        }
    }
    const int low = gr_surface_mesh_vertex(mesh, gr_vec3(0, y[0], 0));
    const int high = gr_surface_mesh_vertex(mesh, gr_vec3(0, y[count - 1], 0));
    for (int i = 0; i < AROUND; i++) {
        const int a = first + i, b = first + (i + 1) % AROUND, end = (count - 1) * AROUND;
        gr_surface_mesh_triangle(mesh, low, b, a);
        gr_surface_mesh_triangle(mesh, high, a + end, b + end);
        for (int k = 0; k + 1 < count; k++) {
            gr_surface_mesh_quad(mesh, a + k * AROUND, b + k * AROUND, b + (k + 1) * AROUND, a + (k + 1) * AROUND);
        }
    }
}

static void add_cylinder(GrSurfaceMesh *mesh, double radius, double length)
{
    const double y[2] = {-0.5 * length, 0.5 * length}, r[2] = {radius, radius};
    add_turned(mesh, y, r, 2);
}

static void add_sphere(GrSurfaceMesh *mesh, GrVec3 half)
{
    const int first = mesh->vertex_count;
    double y[RINGS + 1], r[RINGS + 1];
    for (int k = 0; k <= RINGS; k++) {
        const double a = GR_PI * k / RINGS;
        y[k] = -gr_cos(a);
        r[k] = fmax(gr_sin(a), 1e-3); // no triangles without area at the poles
    }
    add_turned(mesh, y, r, RINGS + 1);
    for (int i = first; i < mesh->vertex_count; i++) {
        GrVec3 *v = &mesh->vertices[i];
        *v = gr_vec3(half.x * v->x, half.y * v->y, half.z * v->z);
    }
}

static void add_rod(GrSurfaceMesh *mesh, GrVec3 from, GrVec3 to, double radius)
{
    const int first = mesh->vertex_count;
    const GrVec3 way = gr_sub(to, from), y = {0, 1, 0};
    const double length = gr_norm(way);
    if (!(length > 1e-9)) {
        return;
    }
    add_cylinder(mesh, radius, length);
    const GrVec3 d = gr_scale(1 / length, way), axis = gr_cross(y, d);
    const double s = gr_norm(axis), c = gr_dot(y, d);
    const GrQuat turn = s > 1e-9 ? gr_quat_axis_angle(gr_scale(1 / s, axis), gr_atan2(s, c))
                                 : gr_quat_axis_angle(gr_vec3(1, 0, 0), c > 0 ? 0 : GR_PI);
    place(mesh, first, (GrPose){gr_scale(0.5, gr_add(from, to)), turn});
}

/// MESH of the head: {"vertices": [...], "faces": [...]}. False: an index is wrong.
static bool add_head_mesh(GrSurfaceMesh *mesh, const GrJsonTree *tree, const GrJsonNode *node)
{
    const GrJsonNode *v = node != NULL ? gr_json_member(tree, node, "vertices") : NULL;
    const GrJsonNode *f = node != NULL ? gr_json_member(tree, node, "faces") : NULL;
    const int first = mesh->vertex_count;
    double c[3];
    int k = 0, corners[3];
    for (const GrJsonNode *n = v != NULL ? gr_json_first(tree, v) : NULL; n != NULL; n = gr_json_next(tree, n)) {
        c[k++] = n->number;
        if (k == 3) {
            gr_surface_mesh_vertex(mesh, gr_vec3(c[0], c[1], c[2]));
            k = 0;
        }
    }
    k = 0;
    for (const GrJsonNode *n = f != NULL ? gr_json_first(tree, f) : NULL; n != NULL; n = gr_json_next(tree, n)) {
        if (!(n->number >= 0 && n->number < mesh->vertex_count - first)) {
            return false;
        }
        corners[k++] = first + (int)n->number;
        if (k == 3) {
            gr_surface_mesh_triangle(mesh, corners[0], corners[1], corners[2]);
            k = 0;
        }
    }
    return true;
}

static void add_copy(GrSurfaceMesh *mesh, const GrSurfaceMesh *from)
{
    const int first = mesh->vertex_count;
    for (int i = 0; i < from->vertex_count; i++) {
        gr_surface_mesh_vertex(mesh, from->vertices[i]);
    }
    for (int i = 0; i < from->triangle_count; i++) {
        const int *t = from->triangles[i];
        gr_surface_mesh_triangle(mesh, first + t[0], first + t[1], first + t[2]);
    }
}

static const GrSurfaceMesh *surface_of(const GrJsonTree *tree, const GrJsonNode *node, const GrSceneSurfaces *surfaces)
{
    const double number = gr_head_number(tree, node, "surface", -1);
    return surfaces != NULL && number >= 0 && number < surfaces->count ? &surfaces->items[(int)number] : NULL;
}

/// A SHAPE of the head. False: it is not one.
static bool add_shape(GrSurfaceMesh *mesh, const GrJsonTree *tree, const GrJsonNode *node,
                      const GrSceneSurfaces *surfaces)
{
    const char *kind = gr_head_text(tree, node, "kind");
    const int first = mesh->vertex_count;
    const double radius = gr_head_number(tree, node, "radius", 0);
    bool good = true;
    if (strcmp(kind, "rod") == 0) {
        add_rod(mesh, gr_head_vector(tree, node, "from"), gr_head_vector(tree, node, "to"), radius);
        return true;
    }
    if (strcmp(kind, "box") == 0) {
        add_box(mesh, gr_head_vector(tree, node, "size"));
    } else if (strcmp(kind, "cylinder") == 0) {
        add_cylinder(mesh, radius, gr_head_number(tree, node, "length", 0));
    } else if (strcmp(kind, "sphere") == 0) {
        add_sphere(mesh, gr_vec3(radius, radius, radius));
    } else if (surface_of(tree, node, surfaces) != NULL) {
        add_copy(mesh, surface_of(tree, node, surfaces));
    } else {
        good = add_head_mesh(mesh, tree, gr_json_member(tree, node, "mesh"));
    }
    place(mesh, first, head_pose(tree, node));
    return good;
}

// ---- chunks

GrStatus gr_scene_read_mesh(GrSceneSurfaces *surfaces, GrScenePayload *p)
{
    const uint64_t number = gr_payload_bytes(p, 4), vertices = gr_payload_bytes(p, 4),
                   triangles = gr_payload_bytes(p, 4);
    double range[6];
    for (int k = 0; k < 6; k++) {
        range[k] = gr_payload_number(p);
    }
    if (p->failed || number != (uint64_t)surfaces->count || number >= MESHES_MOST ||
        vertices > (uint64_t)(p->end - p->at) / 6 || triangles > (uint64_t)(p->end - p->at) / 3) {
        return GR_ERROR_VALUE;
    }
    GrSurfaceMesh *items = gr_realloc(surfaces->items, ((size_t)surfaces->count + 1) * sizeof *items);
    if (items == NULL) {
        return GR_ERROR_MEMORY;
    }
    surfaces->items = items;
    GrSurfaceMesh *mesh = &items[surfaces->count++];
    *mesh = (GrSurfaceMesh){0};
    for (uint64_t i = 0; i < vertices; i++) {
        double c[3];
        for (int k = 0; k < 3; k++) {
            c[k] = range[k] + range[3 + k] * (double)gr_payload_bytes(p, 2) / UINT16_MAX;
        }
        gr_surface_mesh_vertex(mesh, gr_vec3(c[0], c[1], c[2]));
    }
    int64_t corner = 0;
    for (uint64_t i = 0; i < triangles; i++) {
        int t[3];
        for (int k = 0; k < 3; k++) {
            const int64_t change = gr_payload_signed(p);
            corner += change > -(1 << 30) && change < 1 << 30 ? change : -(1 << 30);
            if (p->failed || corner < 0 || corner >= mesh->vertex_count) {
                return GR_ERROR_VALUE;
            }
            t[k] = (int)corner;
        }
        gr_surface_mesh_triangle(mesh, t[0], t[1], t[2]);
    }
    return mesh->failed ? GR_ERROR_MEMORY : GR_OK;
}

static bool read_rock(GrSurfaceMesh *mesh, GrScenePayload *p, GrVec3 half)
{
    const int vertices = (int)gr_payload_bytes(p, 2), faces = (int)gr_payload_bytes(p, 2);
    if (vertices == 0) {
        add_sphere(mesh, half);
    }
    for (int i = 0; i < vertices; i++) {
        double c[3];
        for (int k = 0; k < 3; k++) {
            c[k] = (double)(int16_t)gr_payload_bytes(p, 2) / INT16_MAX;
        }
        gr_surface_mesh_vertex(mesh, gr_vec3(half.x * c[0], half.y * c[1], half.z * c[2]));
    }
    for (int i = 0; i < faces; i++) {
        int t[3];
        for (int k = 0; k < 3; k++) {
            t[k] = (int)gr_payload_bytes(p, 2);
            if (p->failed || t[k] >= mesh->vertex_count) {
                return false;
            }
        }
        gr_surface_mesh_triangle(mesh, t[0], t[1], t[2]);
    }
    return !p->failed;
}

/// Loose rocks become nodes of their own, marked by the parent −2 until they are moved; fixed ones stay where they are.
GrStatus gr_scene_read_rocks(GrReplayScene *scene, GrScenePayload *p, int loose)
{
    const uint64_t first = gr_payload_bytes(p, 4), count = gr_payload_bytes(p, 4);
    for (uint64_t i = 0; i < count; i++) {
        double v[10];
        for (int k = 0; k < 10; k++) {
            v[k] = gr_payload_number(p);
        }
        if (p->failed) {
            return GR_ERROR_VALUE;
        }
        char name[GR_SCENE_NAME];
        snprintf(name, sizeof name, "rock_%d", (int)(first + i));
        const GrPose pose = {gr_sub(gr_vec3(v[0], v[1], v[2]), scene->origin), {v[3], v[4], v[5], v[6]}};
        GrSceneNode *node = gr_scene_add_node(scene, name, first + i < (uint64_t)loose ? -2 : -1, pose);
        GrSurfaceMesh *mesh = node != NULL ? add_piece(node, GR_PAINT_ROCK) : NULL;
        if (mesh == NULL) {
            return GR_ERROR_MEMORY;
        }
        if (!read_rock(mesh, p, gr_vec3(v[7], v[8], v[9]))) {
            return GR_ERROR_VALUE;
        }
        if (mesh->failed) {
            return GR_ERROR_MEMORY;
        }
    }
    return GR_OK;
}

// ---- the rover

static GrWheelMeshDef wheel_def(const GrJsonTree *tree, const GrJsonNode *node)
{
    const GrJsonNode *g = gr_json_member(tree, node, "grousers");
    GrWheelMeshDef def = gr_default_wheel_mesh_def();
    const double count = gr_head_number(tree, g, "count", 0), height = gr_head_number(tree, g, "height", 0);
    const bool grousers = count > 0 && count <= 200 && height > 0;
    def.radius = gr_head_number(tree, node, "radius", 0) + (grousers ? 0 : height);
    def.width = gr_head_number(tree, node, "width", 0);
    def.crown = gr_head_number(tree, node, "crown", 0);
    def.profile = def.crown > 0 ? GR_RIM_CONVEX : GR_RIM_FLAT;
    def.grouser_count = grousers ? (int)count : 0;
    def.grouser_height = height;
    def.grouser_thickness = gr_head_number(tree, g, "thickness", 0);
    def.grouser_thickness = def.grouser_thickness > 0 ? def.grouser_thickness : 0.03 * def.radius;
    def.grouser_angle = gr_head_number(tree, g, "angle_rad", 0);
    for (int k = 0; k < GR_GROUSER_PATTERNS; k++) {
        if (strcmp(gr_head_text(tree, g, "pattern"), gr_grouser_pattern_names[k]) == 0) {
            def.pattern = (GrGrouserPattern)k;
        }
    }
    def.segments = 48;
    return def;
}

/// The wheel with its grousers; a smooth one gets bars across its faces, so that one sees it turn.
static bool add_wheel(GrSurfaceMesh *mesh, const GrJsonTree *tree, const GrJsonNode *node,
                      const GrSceneSurfaces *surfaces)
{
    const GrSurfaceMesh *own = surface_of(tree, node, surfaces);
    const GrJsonNode *hull = gr_json_member(tree, node, "mesh");
    const GrWheelMeshDef def = wheel_def(tree, node);
    bool good = true;
    if (own != NULL) {
        add_copy(mesh, own);
    } else if (hull != NULL) {
        good = add_head_mesh(mesh, tree, hull);
    } else {
        GrWheelMesh wheel = {0};
        good = gr_wheel_mesh_create(&def, &wheel, NULL) == GR_OK;
        if (good) {
            add_copy(mesh, &wheel.mesh);
            gr_wheel_mesh_free(&wheel);
        }
        for (int k = 0; good && def.grouser_count == 0 && k < 3; k++) {
            const int first = mesh->vertex_count;
            add_box(mesh, gr_vec3(1.8 * def.radius, 1.02 * def.width, 0.08 * def.radius));
            place(mesh, first, (GrPose){gr_vec3(0, 0, 0), gr_quat_axis_angle(gr_vec3(0, 1, 0), GR_PI * k / 3)});
        }
    }
    place(mesh, 0, head_pose(tree, node));
    return good;
}

/// Whether a shape of the wheel's body stands for the wheel: a cylinder of its size, which is drawn with grousers in
/// its place.
static bool stands_for_wheel(const GrJsonTree *tree, const GrJsonNode *shape, const GrJsonNode *wheel)
{
    const double radius = gr_head_number(tree, wheel, "radius", 0);
    const GrPose a = head_pose(tree, shape), b = head_pose(tree, wheel);
    const GrVec3 y = {0, 1, 0};
    return strcmp(gr_head_text(tree, shape, "kind"), "cylinder") == 0 &&
           gr_norm(gr_sub(a.position, b.position)) < 0.1 * radius &&
           fabs(gr_dot(gr_quat_rotate(a.rotation, y), gr_quat_rotate(b.rotation, y))) > 0.99 &&
           fabs(gr_head_number(tree, shape, "radius", 0) - radius) < 0.1 * radius &&
           gr_head_number(tree, shape, "length", 0) <= 1.1 * gr_head_number(tree, wheel, "width", 0);
}

/// Whether a mesh of the wheel's body is as large as the wheel: links of URDF files have such meshes.
static bool is_wheel(const GrJsonTree *tree, const GrJsonNode *shape, const GrJsonNode *wheel,
                     const GrSceneSurfaces *surfaces)
{
    const GrSurfaceMesh *mesh = surface_of(tree, shape, surfaces);
    const GrPose pose = head_pose(tree, shape);
    const GrVec3 centre = head_pose(tree, wheel).position;
    double most = 0;
    for (int i = 0; mesh != NULL && i < mesh->vertex_count; i++) {
        const GrVec3 p = gr_add(pose.position, gr_quat_rotate(pose.rotation, mesh->vertices[i]));
        most = fmax(most, gr_norm(gr_sub(p, centre)));
    }
    return most >= 0.8 * gr_head_number(tree, wheel, "radius", INFINITY);
}

typedef struct Body {
    const GrJsonTree *tree;
    const GrJsonNode *rover, *node;
    const GrSceneSurfaces *surfaces;
    int index;
} Body;

static const GrJsonNode *first_of(const GrJsonTree *tree, const GrJsonNode *node, const char *list)
{
    const GrJsonNode *items = node != NULL ? gr_json_member(tree, node, list) : NULL;
    return items != NULL ? gr_json_first(tree, items) : NULL;
}

static bool add_shapes(const Body *b, GrSurfaceMesh *mesh)
{
    const GrJsonTree *t = b->tree;
    bool good = true;
    for (const GrJsonNode *s = first_of(t, b->node, "shapes"); s != NULL; s = gr_json_next(t, s)) {
        const GrJsonNode *drawn = gr_json_member(t, s, "drawn");
        bool skip = drawn != NULL && drawn->kind == GR_JSON_BOOL && !drawn->truth;
        for (const GrJsonNode *w = first_of(t, b->rover, "wheels"); w != NULL; w = gr_json_next(t, w)) {
            skip = skip || (gr_head_number(t, w, "body", -1) == b->index && stands_for_wheel(t, s, w));
        }
        good = (skip || add_shape(mesh, t, s, b->surfaces)) && good;
    }
    return good;
}

/// A body without shapes gets thin rods to the joints that it carries.
static void add_arms(const Body *b, GrSurfaceMesh *mesh)
{
    const GrJsonTree *t = b->tree;
    for (const GrJsonNode *j = first_of(t, b->rover, "joints"); j != NULL; j = gr_json_next(t, j)) {
        if (gr_head_number(t, j, "parent", -1) == b->index) {
            const GrVec3 to = gr_head_vector(t, j, "position");
            add_rod(mesh, gr_vec3(0, 0, 0), to, fmin(0.015, 0.04 * gr_norm(to)));
        }
    }
}

static GrStatus make_body(const Body *b, GrSceneNode *node)
{
    const GrJsonTree *t = b->tree;
    GrSurfaceMesh *mesh = add_piece(node, b->index == 0 ? GR_PAINT_CHASSIS : GR_PAINT_LINK);
    if (mesh == NULL) {
        return GR_ERROR_MEMORY;
    }
    bool good = add_shapes(b, mesh);
    bool has_wheel = false;
    for (const GrJsonNode *w = first_of(t, b->rover, "wheels"); w != NULL; w = gr_json_next(t, w)) {
        bool drawn = gr_head_number(t, w, "body", -1) != b->index;
        for (const GrJsonNode *s = first_of(t, b->node, "shapes"); !drawn && s != NULL; s = gr_json_next(t, s)) {
            drawn = is_wheel(t, s, w, b->surfaces);
        }
        GrSurfaceMesh *wheel = drawn ? NULL : add_piece(node, GR_PAINT_WHEEL);
        good = good && (drawn || (wheel != NULL && add_wheel(wheel, t, w, b->surfaces)));
        has_wheel = has_wheel || !drawn;
    }
    if (!has_wheel && node->pieces[0].mesh.triangle_count == 0) {
        add_arms(b, &node->pieces[0].mesh);
    }
    return good ? GR_OK : GR_ERROR_VALUE;
}

GrStatus gr_scene_make_bodies(const GrJsonTree *tree, const GrSceneSurfaces *surfaces, GrReplayScene *scene)
{
    const GrJsonNode *rover = gr_json_member(tree, tree->nodes, "rover");
    const GrJsonNode *node = first_of(tree, rover, "bodies");
    GrStatus status = GR_OK;
    for (int i = 0; node != NULL && i < scene->body_count && status == GR_OK; i++, node = gr_json_next(tree, node)) {
        const double parent = gr_head_number(tree, node, "parent", -1);
        GrSceneNode *body = &scene->nodes[i];
        snprintf(body->name, sizeof body->name, "%s", gr_head_text(tree, node, "name"));
        body->parent = parent >= 0 && parent < scene->body_count && parent != i ? (int)parent : -1;
        const Body b = {tree, rover, node, surfaces, i};
        status = make_body(&b, body);
    }
    for (int i = 0; i < scene->body_count; i++) { // no circle: a chain of parents is shorter than the list
        int k = i, steps = 0;
        while (scene->nodes[k].parent >= 0 && steps++ <= scene->body_count) {
            k = scene->nodes[k].parent;
        }
        status = steps > scene->body_count ? GR_ERROR_VALUE : status;
    }
    return status;
}

GrStatus gr_scene_make_parts(const GrJsonTree *tree, GrReplayScene *scene)
{
    const GrJsonNode *part = first_of(tree, tree->nodes, "parts");
    bool good = true;
    for (int i = 0; part != NULL; i++, part = gr_json_next(tree, part)) {
        char name[GR_SCENE_NAME];
        snprintf(name, sizeof name, "part_%d", i);
        const GrPose pose = {gr_scale(-1, scene->origin), gr_quat_identity()};
        GrSceneNode *node = gr_scene_add_node(scene, name, -1, pose);
        GrSurfaceMesh *mesh = node != NULL ? add_piece(node, GR_PAINT_PART) : NULL;
        if (mesh == NULL) {
            return GR_ERROR_MEMORY;
        }
        good = add_shape(mesh, tree, part, NULL) && good;
        place(mesh, 0, pose); // numbers near the origin are exact as float
        node->pose = gr_pose_identity();
    }
    return good ? GR_OK : GR_ERROR_VALUE;
}
