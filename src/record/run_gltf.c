/// A recorded run as glTF 2.0 (Khronos 2021), in its binary form, one file: meshes with normals, the motion of bodies
/// and rocks as an animation, ruts as morph targets, two cameras and the Sun (KHR_lights_punctual).
#include "run_scene.h"

#include "alloc.h"
#include "elementary.h"
#include "gltf.h"
#include "grouser/version.h"
#include "vec3.h"

#include <math.h>

/// Accessors of a piece's vertices and normals.
typedef struct Drawn {
    const GrSurfaceMesh *mesh;
    int positions, normals;
} Drawn;

typedef struct Writer {
    const GrReplayScene *scene;
    double lux;
    GrGltf gltf;
    GrBuffer roots; ///< numbers of the nodes without a parent, with commas
    Drawn *drawn;
    int drawn_count;
    int times; ///< accessor
} Writer;

static void add_root(Writer *w, int node)
{
    gr_buffer_printf(&w->roots, w->roots.size == 0 ? "%d" : ", %d", node);
}

static int add_vectors(Writer *w, const GrVec3 *values, size_t count, bool range)
{
    float *f = gr_gltf_room(&w->gltf, 3 * count);
    for (size_t i = 0; f != NULL && i < count; i++) {
        f[3 * i] = (float)values[i].x;
        f[3 * i + 1] = (float)values[i].y;
        f[3 * i + 2] = (float)values[i].z;
    }
    return f != NULL ? gr_gltf_floats(&w->gltf, f, count, 3, GR_GLTF_VERTICES, range) : 0;
}

// ---- bodies and rocks

/// The accessors of a mesh; those of an equal one that is there already, as of the wheels of a rover.
static Drawn draw(Writer *w, const GrSurfaceMesh *mesh)
{
    for (int i = 0; i < w->drawn_count; i++) {
        if (gr_surface_mesh_equal(w->drawn[i].mesh, mesh)) {
            return w->drawn[i];
        }
    }
    const size_t most = 3 * (size_t)mesh->triangle_count + 1;
    GrVec3 *corners = gr_calloc(2 * most, sizeof *corners), *normals = corners != NULL ? corners + most : NULL;
    const int count = corners != NULL ? gr_scene_corners(mesh, corners, normals) : -1;
    w->gltf.failed = w->gltf.failed || count < 0;
    Drawn drawn = {.mesh = mesh, .positions = -1};
    if (count > 0) {
        drawn.positions = add_vectors(w, corners, (size_t)count, true);
        drawn.normals = add_vectors(w, normals, (size_t)count, false);
    }
    gr_free(corners);
    w->drawn[w->drawn_count++] = drawn;
    return drawn;
}

static void put_primitive(Writer *w, const Drawn *drawn, int material)
{
    GrJson *j = &w->gltf.meshes.json;
    gr_json_begin_object(j, NULL);
    gr_json_begin_object(j, "attributes");
    gr_json_integer(j, "POSITION", drawn->positions);
    gr_json_integer(j, "NORMAL", drawn->normals);
    gr_json_end(j);
    gr_json_integer(j, "material", material);
    gr_json_end(j);
}

/// The mesh of a node; −1: it has none.
static int add_mesh(Writer *w, const GrSceneNode *node)
{
    GrJson *j = &w->gltf.meshes.json;
    bool begun = false;
    for (int k = 0; k < node->piece_count; k++) {
        const Drawn drawn = draw(w, &node->pieces[k].mesh);
        if (drawn.positions < 0) {
            continue;
        }
        if (!begun) {
            gr_json_begin_object(j, NULL);
            gr_json_string(j, "name", node->name);
            gr_json_begin_array(j, "primitives");
            begun = true;
        }
        put_primitive(w, &drawn, (int)node->pieces[k].paint);
    }
    if (!begun) {
        return -1;
    }
    gr_json_end(j);
    gr_json_end(j);
    return w->gltf.meshes.count++;
}

static void put_pose(GrJson *j, const GrPose *pose)
{
    const double t[3] = {pose->position.x, pose->position.y, pose->position.z};
    const GrQuat q = gr_quat_normalize(pose->rotation);
    const double r[4] = {q.x, q.y, q.z, q.w};
    gr_json_numbers(j, "translation", t, 3);
    gr_json_numbers(j, "rotation", r, 4);
}

static void add_rotations(Writer *w, int node, const GrQuat *first, size_t stride)
{
    const size_t count = (size_t)w->scene->sample_count;
    float *f = gr_gltf_room(&w->gltf, 4 * count);
    for (size_t i = 0; f != NULL && i < count; i++) {
        const GrQuat *q = (const GrQuat *)(const void *)((const char *)first + i * stride);
        f[4 * i] = (float)q->x;
        f[4 * i + 1] = (float)q->y;
        f[4 * i + 2] = (float)q->z;
        f[4 * i + 3] = (float)q->w;
    }
    if (f != NULL) {
        gr_gltf_channel(&w->gltf, node, "rotation", w->times, gr_gltf_floats(&w->gltf, f, count, 4, 0, false));
    }
}

static void add_places(Writer *w, int node, const GrPose *poses)
{
    const size_t count = (size_t)w->scene->sample_count;
    float *f = gr_gltf_room(&w->gltf, 3 * count);
    for (size_t i = 0; f != NULL && i < count; i++) {
        f[3 * i] = (float)poses[i].position.x;
        f[3 * i + 1] = (float)poses[i].position.y;
        f[3 * i + 2] = (float)poses[i].position.z;
    }
    if (f != NULL) {
        gr_gltf_channel(&w->gltf, node, "translation", w->times, gr_gltf_floats(&w->gltf, f, count, 3, 0, false));
    }
}

/// A joint turns or slides: what stays needs no curve.
static void animate(Writer *w, int index, const GrPose *poses)
{
    static const double STILL = 1e-3, STILL_TURN = 5e-4;
    bool moves = false, turns = false;
    for (int i = 1; poses != NULL && i < w->scene->sample_count; i++) {
        const GrQuat q = gr_quat_mul(gr_quat_conjugate(poses[0].rotation), poses[i].rotation);
        moves = moves || gr_norm(gr_sub(poses[i].position, poses[0].position)) > STILL;
        turns = turns || gr_norm(gr_vec3(q.x, q.y, q.z)) > STILL_TURN;
    }
    if (moves) {
        add_places(w, index, poses);
    }
    if (turns) {
        add_rotations(w, index, &poses[0].rotation, sizeof *poses);
    }
}

static void put_children(Writer *w, int parent)
{
    GrJson *j = &w->gltf.nodes.json;
    bool begun = false;
    for (int i = 0; i < w->scene->node_count; i++) {
        if (w->scene->nodes[i].parent == parent) {
            if (!begun) {
                gr_json_begin_array(j, "children");
                begun = true;
            }
            gr_json_integer(j, NULL, i);
        }
    }
    if (begun) {
        gr_json_end(j);
    }
}

/// Nodes have the numbers of the scene, so that children are known before they are written.
static void add_node(Writer *w, int index)
{
    const GrSceneNode *node = &w->scene->nodes[index];
    const int mesh = add_mesh(w, node);
    GrJson *j = &w->gltf.nodes.json;
    gr_json_begin_object(j, NULL);
    gr_json_string(j, "name", node->name);
    put_pose(j, &node->pose);
    if (mesh >= 0) {
        gr_json_integer(j, "mesh", mesh);
    }
    if (index < w->scene->body_count) { // rocks have no children
        put_children(w, index);
    }
    gr_json_end(j);
    w->gltf.nodes.count++;
    if (node->parent < 0) {
        add_root(w, index);
    }
    animate(w, index, node->poses);
}

// ---- ground

static int add_colors(Writer *w, const GrSceneGround *ground)
{
    const size_t count = (size_t)ground->mesh.vertex_count;
    unsigned char *bytes = gr_malloc(4 * count);
    w->gltf.failed = w->gltf.failed || bytes == NULL;
    for (size_t i = 0; bytes != NULL && i < count; i++) {
        double color[3];
        gr_replay_scene_ground_color(w->scene, ground->soils[i], color);
        for (size_t k = 0; k < 4; k++) {
            bytes[4 * i + k] = k < 3 ? (unsigned char)lround(255 * color[k]) : 255;
        }
    }
    const int accessor = bytes != NULL ? gr_gltf_colors(&w->gltf, bytes, count) : 0;
    gr_free(bytes);
    return accessor;
}

/// A morph target takes the rut of a stage away.
static void put_target(Writer *w, const GrSceneGround *ground, int stage)
{
    const size_t count = (size_t)ground->mesh.vertex_count;
    GrJson *j = &w->gltf.meshes.json;
    float *f = gr_gltf_room(&w->gltf, 3 * count);
    for (size_t i = 0; f != NULL && i < count; i++) {
        f[3 * i] = f[3 * i + 1] = 0;
        f[3 * i + 2] = (float)-ground->rises[stage][i];
    }
    const int rises = f != NULL ? gr_gltf_sparse(&w->gltf, f, count, true) : 0;
    for (size_t i = 0; f != NULL && i < count; i++) {
        const GrVec3 d = gr_sub(ground->bare[stage][i], ground->normals[i]);
        f[3 * i] = (float)d.x;
        f[3 * i + 1] = (float)d.y;
        f[3 * i + 2] = (float)d.z;
    }
    const int turns = f != NULL ? gr_gltf_sparse(&w->gltf, f, count, false) : 0;
    gr_json_begin_object(j, NULL);
    gr_json_integer(j, "POSITION", rises);
    gr_json_integer(j, "NORMAL", turns);
    gr_json_end(j);
}

/// A node of its own, with the mesh. Returns its number; −1: there is nothing.
static int add_ground(Writer *w, const GrSceneGround *ground, const char *name, int stages)
{
    if (ground->mesh.triangle_count == 0) {
        return -1;
    }
    const size_t count = (size_t)ground->mesh.vertex_count;
    const int positions = add_vectors(w, ground->mesh.vertices, count, true);
    const int normals = add_vectors(w, ground->normals, count, false), colors = add_colors(w, ground);
    const int indices =
        gr_gltf_indices(&w->gltf, &ground->mesh.triangles[0][0], 3 * (size_t)ground->mesh.triangle_count);
    GrJson *j = &w->gltf.meshes.json;
    gr_json_begin_object(j, NULL);
    gr_json_string(j, "name", name);
    gr_json_begin_array(j, "primitives");
    gr_json_begin_object(j, NULL);
    gr_json_begin_object(j, "attributes");
    gr_json_integer(j, "POSITION", positions);
    gr_json_integer(j, "NORMAL", normals);
    gr_json_integer(j, "COLOR_0", colors);
    gr_json_end(j);
    gr_json_integer(j, "indices", indices);
    gr_json_integer(j, "material", GR_PAINT_GROUND);
    if (stages > 0) {
        gr_json_begin_array(j, "targets");
        for (int k = 0; k < stages; k++) {
            put_target(w, ground, k);
        }
        gr_json_end(j);
    }
    gr_json_end(j);
    gr_json_end(j);
    if (stages > 0) {
        static const double ZEROS[GR_SCENE_STAGES_MAX];
        gr_json_numbers(j, "weights", ZEROS, stages);
    }
    gr_json_end(j);
    gr_json_begin_object(&w->gltf.nodes.json, NULL);
    gr_json_string(&w->gltf.nodes.json, "name", name);
    gr_json_integer(&w->gltf.nodes.json, "mesh", w->gltf.meshes.count++);
    gr_json_end(&w->gltf.nodes.json);
    add_root(w, w->gltf.nodes.count);
    return w->gltf.nodes.count++;
}

/// Target k goes from 1 to 0 during part k of the run.
static void grow_ruts(Writer *w, int node)
{
    const int stages = w->scene->stage_count;
    const double end = gr_replay_scene_end(w->scene);
    float times[GR_SCENE_STAGES_MAX + 1], *f = gr_gltf_room(&w->gltf, (size_t)(stages + 1) * (size_t)stages);
    if (node < 0 || stages == 0 || !(end > 0) || f == NULL) {
        return;
    }
    for (int i = 0; i <= stages; i++) {
        times[i] = (float)(end * i / stages);
        for (int k = 0; k < stages; k++) {
            f[i * stages + k] = k < i ? 0.0f : 1.0f;
        }
    }
    const int values = gr_gltf_floats(&w->gltf, f, (size_t)(stages + 1) * (size_t)stages, 1, 0, false);
    gr_gltf_channel(&w->gltf, node, "weights", gr_gltf_floats(&w->gltf, times, (size_t)stages + 1, 1, 0, true), values);
}

// ---- sun and cameras

static void add_camera(Writer *w, const char *name, GrPose pose, int camera, bool root)
{
    GrJson *j = &w->gltf.nodes.json;
    gr_json_begin_object(j, NULL);
    gr_json_string(j, "name", name);
    put_pose(j, &pose);
    gr_json_integer(j, "camera", camera);
    gr_json_end(j);
    if (root) {
        add_root(w, w->gltf.nodes.count);
    }
    w->gltf.nodes.count++;
}

/// The node "follow" goes with the chassis without turning, and carries a camera.
static void add_cameras(Writer *w)
{
    const GrReplayScene *s = w->scene;
    add_camera(w, "overview", gr_replay_scene_overview(s), 0, true);
    add_camera(w, "chase", gr_replay_scene_chase(s), 1, false);
    GrJson *j = &w->gltf.nodes.json;
    const GrPose pose = {s->nodes[0].pose.position, gr_quat_identity()};
    const double child = w->gltf.nodes.count - 1;
    gr_json_begin_object(j, NULL);
    gr_json_string(j, "name", "follow");
    put_pose(j, &pose);
    gr_json_numbers(j, "children", &child, 1);
    gr_json_end(j);
    add_root(w, w->gltf.nodes.count);
    if (s->nodes[0].poses != NULL) {
        add_places(w, w->gltf.nodes.count, s->nodes[0].poses);
    }
    w->gltf.nodes.count++;
}

static void add_sun(Writer *w)
{
    GrJson *j = &w->gltf.nodes.json;
    const GrPose pose = {{0, 0, 0}, w->scene->sun[0]};
    gr_json_begin_object(j, NULL);
    gr_json_string(j, "name", "sun");
    put_pose(j, &pose);
    gr_json_begin_object(j, "extensions");
    gr_json_begin_object(j, "KHR_lights_punctual");
    gr_json_integer(j, "light", 0);
    gr_json_end(j);
    gr_json_end(j);
    gr_json_end(j);
    add_root(w, w->gltf.nodes.count);
    if (w->scene->sun_moves) {
        add_rotations(w, w->gltf.nodes.count, w->scene->sun, sizeof *w->scene->sun);
    }
    w->gltf.nodes.count++;
}

// ---- the file

static void put_materials(GrJson *j)
{
    gr_json_begin_array(j, "materials");
    for (int k = 0; k < GR_PAINT_COUNT; k++) {
        const GrPaintRow *p = &gr_paints[k];
        const double color[4] = {p->color[0], p->color[1], p->color[2], 1};
        gr_json_begin_object(j, NULL);
        gr_json_string(j, "name", p->name);
        gr_json_begin_object(j, "pbrMetallicRoughness");
        gr_json_numbers(j, "baseColorFactor", color, 4);
        gr_json_number(j, "metallicFactor", p->metallic);
        gr_json_number(j, "roughnessFactor", p->roughness);
        gr_json_end(j);
        if (k == GR_PAINT_GROUND) {
            gr_json_bool(j, "doubleSided", true);
        }
        gr_json_end(j);
    }
    gr_json_end(j);
}

static void put_camera(GrJson *j, const char *name)
{
    gr_json_begin_object(j, NULL);
    gr_json_string(j, "name", name);
    gr_json_string(j, "type", "perspective");
    gr_json_begin_object(j, "perspective");
    gr_json_number(j, "yfov", GR_PI / 4);
    gr_json_number(j, "znear", 0.02);
    gr_json_number(j, "zfar", 20000);
    gr_json_end(j);
    gr_json_end(j);
}

static void put_sun(GrJson *j, double lux)
{
    gr_json_begin_object(j, "KHR_lights_punctual");
    gr_json_begin_array(j, "lights");
    gr_json_begin_object(j, NULL);
    gr_json_string(j, "name", "sun");
    gr_json_string(j, "type", "directional");
    gr_json_number(j, "intensity", lux);
    gr_json_end(j);
    gr_json_end(j);
    gr_json_end(j);
}

/// What does not grow with the scene: version, materials, cameras, the Sun.
static void put_head(const Writer *w, GrBuffer *out)
{
    GrJson j = gr_json_to_buffer(out, false);
    gr_json_begin_object(&j, NULL);
    gr_json_begin_object(&j, "asset");
    gr_json_string(&j, "version", "2.0");
    gr_json_string(&j, "generator", "grouser " GROUSER_VERSION);
    gr_json_begin_object(&j, "extras");
    const double origin[3] = {w->scene->origin.x, w->scene->origin.y, w->scene->origin.z};
    gr_json_string(&j, "run", w->scene->name);
    gr_json_numbers(&j, "origin_m", origin, 3);
    gr_json_end(&j);
    gr_json_end(&j);
    gr_json_begin_array(&j, "extensionsUsed");
    gr_json_string(&j, NULL, "KHR_lights_punctual");
    gr_json_end(&j);
    gr_json_begin_object(&j, "extensions");
    put_sun(&j, w->lux);
    gr_json_end(&j);
    put_materials(&j);
    gr_json_begin_array(&j, "cameras");
    put_camera(&j, "overview");
    put_camera(&j, "chase");
    gr_json_end(&j);
    gr_json_integer(&j, "scene", 0);
    gr_json_begin_array(&j, "scenes");
    gr_json_begin_object(&j, NULL);
    const double root = w->gltf.nodes.count - 1;
    gr_json_string(&j, "name", w->scene->name);
    gr_json_numbers(&j, "nodes", &root, 1);
    gr_json_end(&j);
    gr_json_end(&j);
    gr_json_end(&j);
    out->failed = out->failed || gr_json_finish(&j) != GR_OK;
}

/// The node above all others turns z up into y up.
static void put_top(Writer *w)
{
    const GrPose turn = {{0, 0, 0}, gr_quat_axis_angle(gr_vec3(1, 0, 0), -GR_PI / 2)};
    GrGltfList *nodes = &w->gltf.nodes;
    gr_json_begin_object(&nodes->json, NULL);
    gr_json_string(&nodes->json, "name", w->scene->name[0] != '\0' ? w->scene->name : "run");
    put_pose(&nodes->json, &turn);
    gr_json_end(&nodes->json);
    nodes->count++;
    nodes->text.size -= nodes->text.size > 0; // its children, in place of the brace that closes it
    gr_buffer_printf(&nodes->text, ", \"children\": [%s]}", w->roots.data);
}

static void build(Writer *w)
{
    const GrReplayScene *s = w->scene;
    float *f = gr_gltf_room(&w->gltf, (size_t)s->sample_count);
    for (int i = 0; f != NULL && i < s->sample_count; i++) {
        f[i] = (float)s->times[i];
    }
    w->times = f != NULL ? gr_gltf_floats(&w->gltf, f, (size_t)s->sample_count, 1, 0, true) : 0;
    for (int i = 0; i < s->node_count && !w->gltf.failed; i++) {
        add_node(w, i);
    }
    add_ground(w, &s->ground, "ground", 0);
    grow_ruts(w, add_ground(w, &s->ruts, "ruts", s->stage_count));
    add_cameras(w);
    add_sun(w);
    put_top(w);
}

GrStatus gr_run_gltf(const GrReplayScene *scene, double lux, GrBuffer *out)
{
    Writer w = {.scene = scene, .lux = lux};
    int pieces = 1;
    for (int i = 0; i < scene->node_count; i++) {
        pieces += scene->nodes[i].piece_count;
    }
    w.drawn = gr_calloc((size_t)pieces, sizeof *w.drawn);
    gr_gltf_begin(&w.gltf);
    GrBuffer head = {0};
    bool failed = w.drawn == NULL;
    if (!failed) {
        build(&w);
        put_head(&w, &head);
        failed = w.gltf.failed || head.failed || w.roots.failed;
    }
    if (!failed) {
        gr_gltf_end(&w.gltf, head.data, out);
        failed = w.gltf.failed;
    }
    gr_gltf_free(&w.gltf);
    gr_buffer_free(&head);
    gr_buffer_free(&w.roots);
    gr_free(w.drawn);
    return failed ? GR_ERROR_MEMORY : GR_OK;
}
