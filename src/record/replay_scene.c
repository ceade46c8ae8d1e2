/// The chunks of a replay, the motion of its bodies, sun and cameras.
#include "replay_scene.h"

#include "alloc.h"
#include "chunk.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "replay_scene_parts.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POSE_FIELDS = 7, RATE_MOST = 100 };

// ---- samples

/// A column that is kept: a field of a pose, the time, or an angle of the sun.
typedef enum Kept { SKIP, TIME, BODY, ROCK, AZIMUTH, ELEVATION } Kept;

typedef struct Column {
    Kept kept;
    int owner, field;
} Column;

typedef struct Reading {
    const char *file;
    GrErrorLog *log;
    GrReplayScene *scene;
    GrSceneLand land;
    GrSceneSurfaces surfaces;
    GrJsonNode *nodes; ///< of the head
    GrBuffer head;     ///< its text
    Column *columns;
    int column_count;
    int body_count, loose_count;
    int capacity;                  ///< of samples
    GrPose *bodies, *rocks;        ///< [capacity][bodies or loose rocks], in the world
    double *azimuths, *elevations; ///< [capacity], NAN: none
} Reading;

static int field_of(const char *name)
{
    static const char *const NAMES[POSE_FIELDS] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    int k = 0;
    while (k < POSE_FIELDS && strcmp(name, NAMES[k]) != 0) {
        k++;
    }
    return k;
}

static Column column_of(const Reading *r, const GrJsonTree *tree, const GrJsonNode *node)
{
    const char *group = gr_head_text(tree, node, "group"), *field = gr_head_text(tree, node, "field");
    const int owner = (int)fmin(fmax(gr_head_number(tree, node, "owner", -1), -1), 1e6), k = field_of(field);
    if (strcmp(group, "time") == 0) {
        return (Column){TIME, 0, 0};
    }
    if (strcmp(group, "pose") == 0 && owner >= 0 && owner < r->body_count && k < POSE_FIELDS) {
        return (Column){BODY, owner, k};
    }
    if (strcmp(group, "rock") == 0 && owner >= 0 && owner < r->loose_count && k < POSE_FIELDS) {
        return (Column){ROCK, owner, k};
    }
    if (strcmp(group, "supply") == 0 && strcmp(field, "sun_azimuth_deg") == 0) {
        return (Column){AZIMUTH, 0, 0};
    }
    return strcmp(group, "supply") == 0 && strcmp(field, "sun_elevation_deg") == 0 ? (Column){ELEVATION, 0, 0}
                                                                                   : (Column){SKIP, 0, 0};
}

static int count_of(const GrJsonTree *tree, const GrJsonNode *list)
{
    int count = 0;
    for (const GrJsonNode *n = list != NULL ? gr_json_first(tree, list) : NULL; n != NULL; n = gr_json_next(tree, n)) {
        count++;
    }
    return count;
}

static GrStatus damaged(const Reading *r, const char *what)
{
    return gr_error_add(r->log, GR_ERROR_VALUE, (GrLocation){.file = r->file}, "damaged: %s", what);
}

/// Reads the text of the head into a tree. Each value but the first follows a comma or an opening bracket.
static GrStatus parse_head(Reading *r, const GrChunk *chunk, GrJsonTree *tree)
{
    if (!gr_chunk_unpack(chunk, &r->head) || r->head.data == NULL) {
        return damaged(r, "its head cannot be unpacked");
    }
    int room = 1;
    for (size_t i = 0; i < r->head.size; i++) {
        room += strchr(",[{", r->head.data[i]) != NULL && r->head.data[i] != '\0';
    }
    r->nodes = gr_calloc((size_t)room, sizeof *r->nodes);
    if (r->nodes == NULL) {
        return gr_out_of_memory(r->log, r->file);
    }
    *tree = gr_json_tree(r->nodes, room);
    return gr_json_read(r->head.data, strlen(r->head.data), tree) ? GR_OK : damaged(r, "its head is not valid JSON");
}

static GrStatus read_head(Reading *r, const GrChunk *chunk, GrJsonTree *tree)
{
    const GrStatus status = parse_head(r, chunk, tree);
    if (status != GR_OK || tree->nodes == NULL) {
        return status;
    }
    const GrJsonNode *root = tree->nodes, *rover = gr_json_member(tree, root, "rover");
    const GrJsonNode *ruts = gr_json_member(tree, root, "ruts"), *columns = gr_json_member(tree, root, "columns");
    const GrJsonNode *bodies = rover != NULL ? gr_json_member(tree, rover, "bodies") : NULL;
    snprintf(r->scene->name, sizeof r->scene->name, "%s", gr_head_text(tree, root, "name"));
    r->scene->origin = gr_head_vector(tree, root, "origin");
    r->scene->gravity = gr_norm(gr_head_vector(tree, root, "gravity"));
    r->body_count = count_of(tree, bodies);
    r->loose_count = (int)fmin(fmax(gr_head_number(tree, gr_json_member(tree, root, "rocks"), "loose", 0), 0), 1e6);
    r->land.rut_cell = gr_head_number(tree, ruts, "cell", 0);
    r->land.rut_quantum = gr_head_number(tree, ruts, "quantum", 0);
    r->column_count = count_of(tree, columns);
    r->columns = gr_calloc((size_t)r->column_count + 1, sizeof *r->columns);
    if (r->columns == NULL) {
        return gr_out_of_memory(r->log, r->file);
    }
    const GrJsonNode *node = columns != NULL ? gr_json_first(tree, columns) : NULL;
    for (int i = 0; node != NULL; i++, node = gr_json_next(tree, node)) {
        r->columns[i] = column_of(r, tree, node);
    }
    return r->body_count > 0 ? GR_OK : damaged(r, "it has no rover");
}

static bool grow(Reading *r, int more)
{
    GrReplayScene *s = r->scene;
    if (s->sample_count + more <= r->capacity) {
        return true;
    }
    const int capacity = 2 * (s->sample_count + more);
    const size_t n = (size_t)capacity, b = (size_t)r->body_count, k = (size_t)r->loose_count + 1;
    double *times = gr_realloc(s->times, n * sizeof *times);
    s->times = times != NULL ? times : s->times;
    GrPose *bodies = gr_realloc(r->bodies, n * b * sizeof *bodies);
    r->bodies = bodies != NULL ? bodies : r->bodies;
    GrPose *rocks = gr_realloc(r->rocks, n * k * sizeof *rocks);
    r->rocks = rocks != NULL ? rocks : r->rocks;
    double *azimuths = gr_realloc(r->azimuths, n * sizeof *azimuths);
    r->azimuths = azimuths != NULL ? azimuths : r->azimuths;
    double *elevations = gr_realloc(r->elevations, n * sizeof *elevations);
    r->elevations = elevations != NULL ? elevations : r->elevations;
    const bool good = times && bodies && rocks && azimuths && elevations;
    r->capacity = good ? capacity : r->capacity;
    return good;
}

/// The place of a column's values in the first of the new samples, and the way from one sample to the next.
static double *slot_of(Reading *r, const Column *c, size_t *stride)
{
    const size_t at = (size_t)r->scene->sample_count, bodies = (size_t)r->body_count, rocks = (size_t)r->loose_count;
    GrPose *pose = c->kept == BODY   ? &r->bodies[at * bodies + (size_t)c->owner]
                   : c->kept == ROCK ? &r->rocks[at * rocks + (size_t)c->owner]
                                     : NULL;
    if (pose != NULL) {
        double *const fields[POSE_FIELDS] = {&pose->position.x, &pose->position.y, &pose->position.z, &pose->rotation.w,
                                             &pose->rotation.x, &pose->rotation.y, &pose->rotation.z};
        *stride = (c->kept == BODY ? bodies : rocks) * sizeof(GrPose) / sizeof(double);
        return fields[c->field];
    }
    *stride = 1;
    double *const base = c->kept == TIME        ? r->scene->times
                         : c->kept == AZIMUTH   ? r->azimuths
                         : c->kept == ELEVATION ? r->elevations
                                                : NULL;
    return base != NULL ? base + at : NULL;
}

/// One column of a block (docs/replay.md, DATA).
static bool read_column(GrScenePayload *p, int count, double *out, size_t stride)
{
    const double quantum = gr_payload_number(p);
    const int order = (int)gr_payload_bytes(p, 1);
    const bool missing = gr_payload_bytes(p, 1) == 1;
    const unsigned char *mask = p->at;
    if (missing) {
        const int bytes = (count + 7) / 8;
        p->failed = p->failed || p->end - p->at < bytes;
        p->at = p->failed ? p->end : p->at + bytes;
    }
    double last = 0, slope = 0;
    for (int i = 0; i < count && !p->failed; i++) {
        const double read = (double)gr_payload_signed(p);
        slope = order == 2 ? slope + read : read;
        last = order > 0 ? last + slope : read;
        if (out != NULL) {
            out[(size_t)i * stride] = missing && (mask[i / 8] >> (i % 8) & 1) != 0 ? (double)NAN : quantum * last;
        }
    }
    return !p->failed && order <= 2;
}

static GrStatus read_block(Reading *r, GrScenePayload *p)
{
    const uint64_t count = gr_payload_bytes(p, 4);
    if (count > 1 << 20 || (int64_t)count > p->end - p->at) {
        return damaged(r, "a block of samples is too short");
    }
    if (!grow(r, (int)count)) {
        return gr_out_of_memory(r->log, r->file);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t at = (size_t)r->scene->sample_count + i;
        r->azimuths[at] = r->elevations[at] = NAN;
    }
    for (int k = 0; k < r->column_count; k++) {
        size_t stride = 1;
        double *const out = slot_of(r, &r->columns[k], &stride);
        if (!read_column(p, (int)count, out, stride)) {
            return damaged(r, "a block of samples is too short");
        }
    }
    r->scene->sample_count += (int)count;
    return GR_OK;
}

// ---- motion

static bool is_pose(const GrPose *p)
{
    const GrQuat q = p->rotation;
    return isfinite(p->position.x + p->position.y + p->position.z) &&
           q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 0.5;
}

/// Leaves out samples whose time does not grow, as after a thinned end, and moves poses to the origin. What is missing
/// is as it was before.
static void tidy_samples(Reading *r)
{
    GrReplayScene *s = r->scene;
    const size_t bodies = (size_t)r->body_count, rocks = (size_t)r->loose_count;
    size_t kept = 0;
    for (size_t i = 0; i < (size_t)s->sample_count; i++) {
        if (!isfinite(s->times[i]) || (kept > 0 && !(s->times[i] > s->times[kept - 1] + 1e-6))) {
            continue;
        }
        s->times[kept] = s->times[i];
        r->azimuths[kept] = r->azimuths[i];
        r->elevations[kept] = r->elevations[i];
        for (size_t k = 0; k < bodies + rocks; k++) {
            GrPose *const set = k < bodies ? r->bodies + k : r->rocks + (k - bodies);
            const size_t width = k < bodies ? bodies : rocks;
            GrPose *to = &set[kept * width], from = set[i * width];
            from.position = gr_sub(from.position, s->origin);
            *to = is_pose(&from) ? from : kept > 0 ? to[-(ptrdiff_t)width] : gr_pose_identity();
            to->rotation = gr_quat_normalize(to->rotation);
        }
        kept++;
    }
    const double first = kept > 0 ? s->times[0] : 0;
    for (size_t i = 0; i < kept; i++) {
        s->times[i] -= first;
    }
    s->sample_count = (int)kept;
}

/// 2 sin of half the angle.
static double angle_between(GrQuat a, GrQuat b)
{
    const GrQuat q = gr_quat_mul(gr_quat_conjugate(a), b);
    return 2 * gr_norm(gr_vec3(q.x, q.y, q.z));
}

/// Poses in the parent, each rotation with the sign nearest to the one before. A joint keeps its pose to the rounding
/// of a replay: 0.1 mm and 2e-5 of a turn.
static bool relate(const Reading *r, int node, const GrPose *set, int width, int column, const GrPose *parents,
                   int parent)
{
    static const double STILL = 1e-3, STILL_ANGLE = 1e-3;
    GrReplayScene *s = r->scene;
    GrSceneNode *n = &s->nodes[node];
    n->poses = gr_calloc((size_t)s->sample_count, sizeof *n->poses);
    if (n->poses == NULL) {
        return false;
    }
    bool moves = false;
    for (int i = 0; i < s->sample_count; i++) {
        GrPose p = set[(size_t)i * (size_t)width + (size_t)column];
        if (parent >= 0) {
            p = gr_pose_mul(gr_pose_inverse(parents[(size_t)i * (size_t)width + (size_t)parent]), p);
        }
        const GrQuat q = i > 0 ? n->poses[i - 1].rotation : p.rotation, g = p.rotation;
        if (q.w * g.w + q.x * g.x + q.y * g.y + q.z * g.z < 0) {
            p.rotation = (GrQuat){-g.w, -g.x, -g.y, -g.z};
        }
        n->poses[i] = p;
        moves = moves || gr_norm(gr_sub(p.position, n->poses[0].position)) > STILL ||
                angle_between(n->poses[0].rotation, p.rotation) > STILL_ANGLE;
    }
    n->pose = n->poses[0];
    if (!moves) {
        gr_free(n->poses);
        n->poses = NULL;
    }
    return true;
}

static bool move_nodes(Reading *r)
{
    GrReplayScene *s = r->scene;
    bool good = true;
    for (int i = 0; i < r->body_count && good; i++) {
        good = relate(r, i, r->bodies, r->body_count, i, r->bodies, s->nodes[i].parent);
    }
    for (int i = 0, rock = 0; i < s->node_count && good; i++) {
        if (i >= s->body_count && s->nodes[i].parent == -2) { // a loose rock
            s->nodes[i].parent = -1;
            good = rock >= r->loose_count || relate(r, i, r->rocks, r->loose_count, rock, NULL, -1);
            rock++;
        }
    }
    s->drive = (GrBox2){INFINITY, INFINITY, -INFINITY, -INFINITY};
    s->lowest = INFINITY;
    for (int i = 0; i < s->sample_count; i++) {
        const GrVec3 p = r->bodies[(size_t)i * (size_t)r->body_count].position;
        s->drive = (GrBox2){fmin(s->drive.x_lower, p.x), fmin(s->drive.y_lower, p.y), fmax(s->drive.x_upper, p.x),
                            fmax(s->drive.y_upper, p.y)};
        s->lowest = fmin(s->lowest, p.z);
        for (int k = 0; i == 0 && k < r->body_count; k++) {
            s->size = fmax(s->size, gr_norm(gr_sub(r->bodies[k].position, p)));
        }
    }
    s->size = fmax(1.3 * s->size, 0.3);
    return good;
}

/// Turns −z to where light from this direction goes.
static GrQuat light_from(double azimuth, double elevation)
{
    const double a = GR_PI / 180 * azimuth, e = GR_PI / 180 * elevation;
    const GrVec3 z = {gr_sin(a) * gr_cos(e), gr_cos(a) * gr_cos(e), gr_sin(e)}; // away from the light's way
    const GrVec3 x = gr_normalize(fabs(z.z) < 0.999 ? gr_cross(gr_vec3(0, 0, 1), z) : gr_vec3(1, 0, 0));
    const GrVec3 y = gr_cross(z, x);
    const GrMat3 m = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return gr_quat_from_mat3(&m);
}

/// The sun of the scenario; without one, from the south-east, 30° high. Below the horizon it gives no light: it stays
/// where it was last above.
static bool place_sun(Reading *r)
{
    static const double AZIMUTH_OTHER = 135, ELEVATION_OTHER = 30;
    GrReplayScene *s = r->scene;
    s->sun = gr_calloc((size_t)s->sample_count, sizeof *s->sun);
    double azimuth = AZIMUTH_OTHER, elevation = ELEVATION_OTHER;
    for (int i = 0; s->sun != NULL && i < s->sample_count; i++) {
        if (isfinite(r->azimuths[i]) && r->elevations[i] > 0) {
            azimuth = r->azimuths[i];
            elevation = r->elevations[i];
        }
        GrQuat q = light_from(azimuth, elevation);
        const GrQuat b = i > 0 ? s->sun[i - 1] : q;
        if (q.w * b.w + q.x * b.x + q.y * b.y + q.z * b.z < 0) {
            q = (GrQuat){-q.w, -q.x, -q.y, -q.z};
        }
        s->sun[i] = q;
        s->sun_moves = s->sun_moves || angle_between(s->sun[0], q) > 0.002;
    }
    return s->sun != NULL;
}

// ---- all of it

static GrStatus read_chunk(Reading *r, const char *type, GrScenePayload *p, bool samples)
{
    const double end = samples ? 0 : gr_replay_scene_end(r->scene);
    if (samples) {
        return strcmp(type, "DATA") == 0 ? read_block(r, p) : GR_OK;
    }
    return strcmp(type, "GRND") == 0   ? gr_land_read_ground(&r->land, p)
           : strcmp(type, "SOIL") == 0 ? gr_land_read_soils(&r->land, p)
           : strcmp(type, "RUTS") == 0 ? gr_land_read_ruts(&r->land, p, end)
           : strcmp(type, "MESH") == 0 ? gr_scene_read_mesh(&r->surfaces, p)
           : strcmp(type, "ROCK") == 0 ? gr_scene_read_rocks(r->scene, p, r->loose_count)
                                       : GR_OK;
}

/// Goes through all chunks after the head: for samples, then for the rest, which needs the end of the run.
static GrStatus read_chunks(Reading *r, const char *data, size_t size, bool samples)
{
    GrBuffer payload = {0};
    GrStatus status = GR_OK;
    GrChunk chunk;
    const unsigned char *at = (const unsigned char *)data, *end = at + size;
    for (size_t length; status == GR_OK && (length = gr_chunk_read(at, (size_t)(end - at), &chunk)) > 0; at += length) {
        payload.size = 0;
        if (!gr_chunk_unpack(&chunk, &payload)) {
            status = damaged(r, "a chunk cannot be unpacked");
            break;
        }
        GrScenePayload p = {.at = (const unsigned char *)payload.data};
        p.end = p.at != NULL ? p.at + payload.size : NULL;
        status = read_chunk(r, chunk.type, &p, samples);
        if (status != GR_OK && !samples) { // blocks of samples say it themselves
            status = status == GR_ERROR_MEMORY ? gr_out_of_memory(r->log, r->file)
                                               : damaged(r, "a chunk does not have the numbers that it announces");
        }
    }
    gr_buffer_free(&payload);
    return status;
}

static GrStatus read_all(Reading *r, const char *data, size_t size, int stages)
{
    GrChunk head;
    GrJsonTree tree = {0};
    const size_t first =
        gr_chunk_read((const unsigned char *)data + GR_REPLAY_MAGIC_SIZE, size - GR_REPLAY_MAGIC_SIZE, &head) +
        GR_REPLAY_MAGIC_SIZE;
    GrStatus status = read_head(r, &head, &tree);
    status = status == GR_OK ? read_chunks(r, data + first, size - first, true) : status;
    if (status != GR_OK) {
        return status;
    }
    tidy_samples(r);
    if (r->scene->sample_count == 0) {
        return damaged(r, "it has no samples");
    }
    // Bodies come first; their shapes need the chunks MESH, which come before any rock.
    r->scene->body_count = r->body_count;
    for (int i = 0; i < r->body_count; i++) {
        if (gr_scene_add_node(r->scene, "", -1, gr_pose_identity()) == NULL) {
            return gr_out_of_memory(r->log, r->file);
        }
    }
    status = read_chunks(r, data + first, size - first, false);
    status = status == GR_OK ? gr_scene_make_bodies(&tree, &r->surfaces, r->scene) : status;
    status = status == GR_OK ? gr_scene_make_parts(&tree, r->scene) : status;
    const bool good = status != GR_OK || (move_nodes(r) && place_sun(r) && gr_land_mesh(&r->land, stages, r->scene));
    return good ? status : gr_out_of_memory(r->log, r->file);
}

GrStatus gr_replay_scene_read(const char *file, const char *data, size_t size, int stages, GrReplayScene *out,
                              GrErrorLog *log)
{
    *out = (GrReplayScene){.stage_count = stages};
    Reading r = {.file = file, .log = log, .scene = out, .land = {.stages = stages > 0 ? stages : 1}};
    const GrStatus status = read_all(&r, data, size, stages);
    gr_land_free(&r.land);
    for (int i = 0; i < r.surfaces.count; i++) {
        gr_surface_mesh_free(&r.surfaces.items[i]);
    }
    gr_free(r.surfaces.items);
    gr_free(r.nodes);
    gr_buffer_free(&r.head);
    gr_free(r.columns);
    gr_free(r.bodies);
    gr_free(r.rocks);
    gr_free(r.azimuths);
    gr_free(r.elevations);
    if (status != GR_OK) {
        gr_replay_scene_free(out);
    }
    return status;
}

static void free_ground(GrSceneGround *ground, int stages)
{
    for (int k = 0; k < stages; k++) {
        gr_free(ground->rises != NULL ? ground->rises[k] : NULL);
        gr_free(ground->bare != NULL ? ground->bare[k] : NULL);
    }
    gr_surface_mesh_free(&ground->mesh);
    gr_free(ground->normals);
    gr_free(ground->soils);
    gr_free(ground->rises);
    gr_free(ground->bare);
}

void gr_replay_scene_free(GrReplayScene *scene)
{
    for (int i = 0; i < scene->node_count; i++) {
        GrSceneNode *node = &scene->nodes[i];
        for (int k = 0; k < node->piece_count; k++) {
            gr_surface_mesh_free(&node->pieces[k].mesh);
        }
        gr_free(node->pieces);
        gr_free(node->poses);
    }
    gr_free(scene->nodes);
    gr_free(scene->times);
    gr_free(scene->sun);
    free_ground(&scene->ground, scene->stage_count);
    free_ground(&scene->ruts, scene->stage_count);
    *scene = (GrReplayScene){0};
}

double gr_replay_scene_end(const GrReplayScene *scene)
{
    return scene->sample_count > 0 ? scene->times[scene->sample_count - 1] : 0;
}
