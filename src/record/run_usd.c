/// A recorded run as a USD scene in text (.usda), with the content of run_gltf.c: meshes with normals, motion and ruts
/// as time samples in seconds, two cameras and the Sun. z is up, the unit is the metre.
#include "run_scene.h"

#include "alloc.h"
#include "elementary.h"
#include "grouser/version.h"
#include "vec3.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 5, TURN_PLACES = 6, COLOR_PLACES = 3 };

typedef struct Usd {
    const GrReplayScene *scene;
    GrBuffer *out;
    bool failed;
} Usd;

// ---- values

static void put_tuple(GrBuffer *out, const double *values, int count, int decimals)
{
    for (int k = 0; k < count; k++) {
        gr_buffer_puts(out, k == 0 ? "(" : ", ");
        gr_buffer_fixed(out, values[k], decimals);
    }
    gr_buffer_puts(out, ")");
}

static void put_vec3(GrBuffer *out, GrVec3 v, int decimals)
{
    const double values[3] = {v.x, v.y, v.z};
    put_tuple(out, values, 3, decimals);
}

static void put_quat(GrBuffer *out, GrQuat q)
{
    const GrQuat u = gr_quat_normalize(q);
    const double values[4] = {u.w, u.x, u.y, u.z};
    put_tuple(out, values, 4, TURN_PLACES);
}

/// "[(x, y, z), ...]", each vector plus `rise` of its vertex along z where that is not NULL.
static void put_vectors(GrBuffer *out, const GrVec3 *v, const double *rises, int count, int decimals)
{
    for (int i = 0; i < count; i++) {
        GrVec3 p = v[i];
        p.z += rises != NULL ? rises[i] : 0;
        gr_buffer_puts(out, i == 0 ? "[" : ", ");
        put_vec3(out, p, decimals);
    }
    gr_buffer_puts(out, count > 0 ? "]" : "[]");
}

/// A name of letters, digits and _; with the node's number where that changed it.
static void prim_name(const char *name, int number, char out[GR_SCENE_NAME + 16])
{
    bool changed = name[0] == '\0' || isdigit((unsigned char)name[0]);
    int n = 0;
    for (; n < GR_SCENE_NAME - 1 && name[n] != '\0'; n++) {
        const bool plain = isalnum((unsigned char)name[n]) || name[n] == '_';
        out[n] = plain ? name[n] : '_';
        changed = changed || !plain;
    }
    out[n] = '\0';
    if (changed) {
        char copy[GR_SCENE_NAME];
        snprintf(copy, sizeof copy, "%.*s", GR_SCENE_NAME - 1, out);
        snprintf(out, GR_SCENE_NAME + 16, "_%d_%s", number, copy);
    }
}

/// The two parts of a pose, as time samples where there are several.
static void put_pose(Usd *u, const GrPose *pose, const GrPose *poses)
{
    GrBuffer *out = u->out;
    const GrReplayScene *s = u->scene;
    const bool moves = poses != NULL;
    gr_buffer_puts(out, moves ? "double3 xformOp:translate.timeSamples = {\n" : "double3 xformOp:translate = ");
    for (int i = 0; poses != NULL && i < s->sample_count; i++) {
        gr_buffer_fixed(out, s->times[i], 6);
        gr_buffer_puts(out, ": ");
        put_vec3(out, poses[i].position, PLACES);
        gr_buffer_puts(out, ",\n");
    }
    if (!moves) {
        put_vec3(out, pose->position, PLACES);
    }
    gr_buffer_puts(out, moves ? "}\nquatf xformOp:orient.timeSamples = {\n" : "\nquatf xformOp:orient = ");
    for (int i = 0; poses != NULL && i < s->sample_count; i++) {
        gr_buffer_fixed(out, s->times[i], 6);
        gr_buffer_puts(out, ": ");
        put_quat(out, poses[i].rotation);
        gr_buffer_puts(out, ",\n");
    }
    if (!moves) {
        put_quat(out, pose->rotation);
    }
    gr_buffer_puts(out, moves ? "}\n" : "\n");
    gr_buffer_puts(out, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
}

// ---- meshes

static void begin_mesh(Usd *u, const char *name, const char *material)
{
    gr_buffer_printf(u->out, "def Mesh \"%s\" (prepend apiSchemas = [\"MaterialBindingAPI\"])\n{\n", name);
    gr_buffer_printf(u->out, "rel material:binding = </run/materials/%s>\n", material);
    gr_buffer_puts(u->out, "uniform token subdivisionScheme = \"none\"\n");
}

static void put_counts(Usd *u, int triangles)
{
    gr_buffer_puts(u->out, "int[] faceVertexCounts = [");
    for (int i = 0; i < triangles; i++) {
        gr_buffer_puts(u->out, i == 0 ? "3" : ", 3");
    }
    gr_buffer_puts(u->out, "]\n");
}

static void put_piece(Usd *u, const GrScenePiece *piece, int number)
{
    const size_t most = 3 * (size_t)piece->mesh.triangle_count + 1;
    GrVec3 *corners = gr_calloc(2 * most, sizeof *corners);
    const int count = corners != NULL ? gr_scene_corners(&piece->mesh, corners, corners + most) : -1;
    u->failed = u->failed || count < 0;
    if (count > 0) {
        char name[32];
        snprintf(name, sizeof name, "piece_%d", number);
        begin_mesh(u, name, gr_paints[piece->paint].name);
        put_counts(u, count / 3);
        gr_buffer_puts(u->out, "int[] faceVertexIndices = [");
        for (int i = 0; i < count; i++) {
            gr_buffer_printf(u->out, i == 0 ? "%d" : ", %d", i);
        }
        gr_buffer_puts(u->out, "]\npoint3f[] points = ");
        put_vectors(u->out, corners, NULL, count, PLACES);
        gr_buffer_puts(u->out, "\nnormal3f[] normals = ");
        put_vectors(u->out, corners + most, NULL, count, COLOR_PLACES);
        gr_buffer_puts(u->out, " (interpolation = \"vertex\")\n}\n");
    }
    gr_free(corners);
}

/// A node with those that it carries.
static void put_node(Usd *u, int index)
{
    const GrReplayScene *s = u->scene;
    const GrSceneNode *node = &s->nodes[index];
    char name[GR_SCENE_NAME + 16];
    prim_name(node->name, index, name);
    gr_buffer_printf(u->out, "def Xform \"%s\"\n{\n", name);
    put_pose(u, &node->pose, node->poses);
    for (int k = 0; k < node->piece_count; k++) {
        put_piece(u, &node->pieces[k], k);
    }
    for (int i = 0; index < s->body_count && i < s->body_count; i++) {
        if (s->nodes[i].parent == index) {
            put_node(u, i); // gr_scene_make_bodies() has made sure that there is no circle
        }
    }
    gr_buffer_puts(u->out, "}\n");
}

/// Points of the ruts after `stage` stages.
static void put_points_after(Usd *u, const GrSceneGround *ground, int stage)
{
    const int count = ground->mesh.vertex_count;
    double *less = gr_calloc((size_t)count + 1, sizeof *less);
    u->failed = u->failed || less == NULL;
    for (int k = stage; less != NULL && k < u->scene->stage_count; k++) {
        for (int i = 0; i < count; i++) {
            less[i] -= ground->rises[k][i];
        }
    }
    if (less != NULL) {
        put_vectors(u->out, ground->mesh.vertices, less, count, PLACES);
    }
    gr_free(less);
}

static void put_ground(Usd *u, const GrSceneGround *ground, const char *name, int stages)
{
    GrBuffer *out = u->out;
    const int count = ground->mesh.vertex_count;
    if (ground->mesh.triangle_count == 0) {
        return;
    }
    begin_mesh(u, name, gr_paints[GR_PAINT_GROUND].name);
    gr_buffer_puts(out, "uniform bool doubleSided = 1\n");
    put_counts(u, ground->mesh.triangle_count);
    gr_buffer_puts(out, "int[] faceVertexIndices = [");
    for (int i = 0; i < 3 * ground->mesh.triangle_count; i++) {
        gr_buffer_printf(out, i == 0 ? "%d" : ", %d", ground->mesh.triangles[i / 3][i % 3]);
    }
    gr_buffer_puts(out, "]\n");
    if (stages > 0) {
        gr_buffer_puts(out, "point3f[] points.timeSamples = {\n");
        for (int k = 0; k <= stages; k++) {
            gr_buffer_fixed(out, gr_replay_scene_end(u->scene) * k / stages, 6);
            gr_buffer_puts(out, ": ");
            put_points_after(u, ground, k);
            gr_buffer_puts(out, ",\n");
        }
        gr_buffer_puts(out, "}\n");
    } else {
        gr_buffer_puts(out, "point3f[] points = ");
        put_vectors(out, ground->mesh.vertices, NULL, count, PLACES);
        gr_buffer_puts(out, "\n");
    }
    gr_buffer_puts(out, "normal3f[] normals = ");
    put_vectors(out, ground->normals, NULL, count, COLOR_PLACES);
    gr_buffer_puts(out, " (interpolation = \"vertex\")\ncolor3f[] primvars:displayColor = [");
    for (int i = 0; i < count; i++) {
        double color[3];
        gr_replay_scene_ground_color(u->scene, ground->soils[i], color);
        gr_buffer_puts(out, i == 0 ? "" : ", ");
        put_tuple(out, color, 3, COLOR_PLACES);
    }
    gr_buffer_puts(out, "] (interpolation = \"vertex\")\n}\n");
}

// ---- the scene

/// The ground takes its colour from its vertices, all others have one.
static void put_material(Usd *u, const GrPaintRow *paint, bool of_vertices)
{
    GrBuffer *out = u->out;
    const char *name = paint->name;
    gr_buffer_printf(out, "def Material \"%s\"\n{\n", name);
    gr_buffer_printf(out, "token outputs:surface.connect = </run/materials/%s/surface.outputs:surface>\n", name);
    gr_buffer_puts(out, "def Shader \"surface\"\n{\nuniform token info:id = \"UsdPreviewSurface\"\n");
    if (of_vertices) {
        gr_buffer_printf(out, "color3f inputs:diffuseColor.connect = </run/materials/%s/color.outputs:result>\n", name);
    } else {
        gr_buffer_puts(out, "color3f inputs:diffuseColor = ");
        put_tuple(out, paint->color, 3, COLOR_PLACES);
        gr_buffer_puts(out, "\n");
    }
    gr_buffer_puts(out, "float inputs:metallic = ");
    gr_buffer_fixed(out, paint->metallic, 3);
    gr_buffer_puts(out, "\nfloat inputs:roughness = ");
    gr_buffer_fixed(out, paint->roughness, 3);
    gr_buffer_puts(out, "\ntoken outputs:surface\n}\n");
    if (of_vertices) {
        gr_buffer_puts(out, "def Shader \"color\"\n{\nuniform token info:id = \"UsdPrimvarReader_float3\"\n"
                            "string inputs:varname = \"displayColor\"\nfloat3 outputs:result\n}\n");
    }
    gr_buffer_puts(out, "}\n");
}

static void put_camera(Usd *u, const char *name, GrPose pose)
{
    static const double FOCAL = 50, ASPECT = 16.0 / 9;
    const double height = 2 * FOCAL * gr_tan(GR_PI / 8); // 45°
    gr_buffer_printf(u->out, "def Camera \"%s\"\n{\nfloat focalLength = ", name);
    gr_buffer_fixed(u->out, FOCAL, 3);
    gr_buffer_puts(u->out, "\nfloat verticalAperture = ");
    gr_buffer_fixed(u->out, height, 4);
    gr_buffer_puts(u->out, "\nfloat horizontalAperture = ");
    gr_buffer_fixed(u->out, ASPECT * height, 4);
    gr_buffer_puts(u->out, "\nfloat2 clippingRange = (0.02, 20000)\n");
    put_pose(u, &pose, NULL);
    gr_buffer_puts(u->out, "}\n");
}

/// The camera "chase" goes with the chassis without turning.
static void put_cameras(Usd *u)
{
    const GrReplayScene *s = u->scene;
    const GrPose first = {s->nodes[0].pose.position, gr_quat_identity()};
    GrPose *places = gr_calloc((size_t)s->sample_count, sizeof *places);
    u->failed = u->failed || places == NULL;
    for (int i = 0; places != NULL && s->nodes[0].poses != NULL && i < s->sample_count; i++) {
        places[i] = (GrPose){s->nodes[0].poses[i].position, gr_quat_identity()};
    }
    put_camera(u, "overview", gr_replay_scene_overview(s));
    gr_buffer_puts(u->out, "def Xform \"follow\"\n{\n");
    put_pose(u, &first, s->nodes[0].poses != NULL ? places : NULL);
    put_camera(u, "chase", gr_replay_scene_chase(s));
    gr_buffer_puts(u->out, "}\n");
    gr_free(places);
}

static void put_sun(Usd *u)
{
    const GrReplayScene *s = u->scene;
    GrPose *poses = gr_calloc((size_t)s->sample_count, sizeof *poses);
    u->failed = u->failed || poses == NULL;
    for (int i = 0; poses != NULL && i < s->sample_count; i++) {
        poses[i].rotation = s->sun[i];
    }
    gr_buffer_puts(u->out, "def DistantLight \"sun\"\n{\nfloat inputs:intensity = 3\nfloat inputs:angle = 0.53\n");
    if (poses != NULL) {
        put_pose(u, poses, s->sun_moves ? poses : NULL);
    }
    gr_buffer_puts(u->out, "}\n");
    gr_free(poses);
}

GrStatus gr_run_usd(const GrReplayScene *scene, GrBuffer *out)
{
    Usd u = {.scene = scene, .out = out};
    gr_buffer_puts(out, "#usda 1.0\n(\ndefaultPrim = \"run\"\ndoc = \"grouser " GROUSER_VERSION "\"\n"
                        "metersPerUnit = 1\nupAxis = \"Z\"\ntimeCodesPerSecond = 1\nstartTimeCode = 0\nendTimeCode = ");
    gr_buffer_fixed(out, gr_replay_scene_end(scene), 6);
    gr_buffer_puts(out, "\n)\n\ndef Xform \"run\" (kind = \"assembly\")\n{\ncustom double3 originInMetres = ");
    put_vec3(out, scene->origin, PLACES);
    gr_buffer_puts(out, "\ndef Scope \"materials\"\n{\n");
    for (int k = 0; k < GR_PAINT_COUNT; k++) {
        put_material(&u, &gr_paints[k], k == GR_PAINT_GROUND);
    }
    gr_buffer_puts(out, "}\n");
    for (int i = 0; i < scene->node_count && !u.failed; i++) {
        if (scene->nodes[i].parent < 0) {
            put_node(&u, i);
        }
    }
    put_ground(&u, &scene->ground, "ground", 0);
    put_ground(&u, &scene->ruts, "ruts", scene->stage_count);
    put_cameras(&u);
    put_sun(&u);
    gr_buffer_puts(out, "}\n");
    return u.failed || out->failed ? GR_ERROR_MEMORY : GR_OK;
}
