#include "replay_head.h"

#include "alloc.h"
#include "channel.h"
#include "chunk.h"
#include "grouser/version.h"
#include "joint_kind.h"
#include "model_data.h"
#include "protobuf.h"
#include "replay_world.h"
#include "rover_def.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the table of samples

// Time is exact to a microsecond, positions to 0.1 mm, rotations to 2e-5 (0.002°); other numbers keep 13 bits.
static const double TIME_QUANTUM = 1e-6, POSITION_QUANTUM = 1e-4, ROTATION_QUANTUM = 2e-5;

enum { POSE_FIELDS = 7 };

/// Columns that are taken out of the rows together: as many as a line of the cache has numbers. Their length is not a
/// multiple of 4 KiB, since they would displace each other from the cache.
enum { TOGETHER = 8, LENGTH = GR_REPLAY_BLOCK + 8 };
static const char *const POSE_NAMES[POSE_FIELDS] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

/// What a column is of: the groups of a sample after the poses, then wheels and joints.
typedef enum Group { TIME, POSE, ROCK, ROVER, ENERGY, SUPPLY, LOCALISATION, WHEEL, JOINT } Group;
static const char *const GROUP_NAMES[] = {"time",   "pose",         "rock",  "rover", "energy",
                                          "supply", "localisation", "wheel", "joint"};
static const char *const KIND_NAMES[] = {"number", "integer", "state", "mode", "soil"};

typedef struct Column {
    Group group;
    int owner;                ///< body, rock, wheel or joint
    int pose_field;           ///< poses
    const GrChannel *channel; ///< other groups
    double quantum;           ///< 0: chosen for each block
} Column;

struct GrReplayTable {
    const GrModel *model;
    GrChannels channels;
    Column *columns;
    int count;
    int rock_count;
    double *values; ///< [GR_REPLAY_BLOCK + 1][count]: row by row; the last one is for a sample alone
    int rows;
};

static void add_column(GrReplayTable *table, Column column)
{
    table->columns[table->count++] = column;
}

static void add_pose(GrReplayTable *table, Group group, int owner)
{
    for (int k = 0; k < POSE_FIELDS; k++) {
        add_column(table, (Column){group, owner, k, NULL, k < 3 ? POSITION_QUANTUM : ROTATION_QUANTUM});
    }
}

static void list_columns(GrReplayTable *table)
{
    add_column(table, (Column){TIME, 0, 0, NULL, TIME_QUANTUM});
    for (int i = 0; i < gr_model_part_count(table->model); i++) {
        add_pose(table, POSE, i);
    }
    for (int i = 0; i < table->rock_count; i++) {
        add_pose(table, ROCK, i);
    }
    for (int i = 0; i < table->channels.count; i++) {
        const GrChannel *channel = &table->channels.items[i];
        if (channel->row->detail) {
            continue;
        }
        const int group = channel->owner == GR_OWNER_WHEEL   ? WHEEL
                          : channel->owner == GR_OWNER_JOINT ? JOINT
                                                             : ROVER + channel->index;
        const double quantum = channel->row->kind == GR_CHANNEL_NUMBER ? 0 : 1;
        add_column(table, (Column){(Group)group, channel->index, 0, channel, quantum});
    }
}

GrReplayTable *gr_replay_table_create(const GrModel *model, int rock_count, unsigned parts)
{
    GrReplayTable *table = gr_calloc(1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    table->model = model;
    table->rock_count = rock_count;
    const bool listed = gr_channels_init(&table->channels, model, parts);
    const size_t count =
        1 + POSE_FIELDS * ((size_t)gr_model_part_count(model) + (size_t)rock_count) + (size_t)table->channels.count;
    table->columns = gr_calloc(count, sizeof *table->columns);
    table->values = gr_calloc(count * (GR_REPLAY_BLOCK + 1), sizeof *table->values);
    if (!listed || table->columns == NULL || table->values == NULL) {
        gr_replay_table_free(table);
        return NULL;
    }
    list_columns(table);
    return table;
}

void gr_replay_table_free(GrReplayTable *table)
{
    if (table != NULL) {
        gr_free(table->columns);
        gr_free(table->values);
        gr_channels_free(&table->channels);
        gr_free(table);
    }
}

/// The name without its unit, as words.
static void label_of(const char *name, char words[GR_NAME_SIZE])
{
    snprintf(words, GR_NAME_SIZE, "%.*s", (int)(strlen(name) - strlen(gr_channel_unit(name)->suffix)), name);
    for (char *c = words; *c != '\0'; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
}

static void full_name(const GrReplayTable *table, const Column *column, char out[GR_CHANNEL_NAME])
{
    const char *field = POSE_NAMES[column->pose_field];
    if (column->group == TIME) {
        snprintf(out, GR_CHANNEL_NAME, "time");
    } else if (column->group == POSE) {
        snprintf(out, GR_CHANNEL_NAME, "pose.%s.%s", gr_model_part_name(table->model, column->owner), field);
    } else if (column->group == ROCK) {
        snprintf(out, GR_CHANNEL_NAME, "rock.%d.%s", column->owner, field);
    } else {
        gr_channel_name(table->model, column->channel, out);
    }
}

/// Writes the member "columns".
static void replay_table_describe(const GrReplayTable *table, GrJson *json)
{
    char name[GR_CHANNEL_NAME], words[GR_NAME_SIZE];
    gr_json_begin_array(json, "columns");
    for (int i = 0; i < table->count; i++) {
        const Column *c = &table->columns[i];
        const GrChannelRow *row = c->channel != NULL ? c->channel->row : NULL;
        const char *field = row != NULL ? row->name : c->group == TIME ? "time" : POSE_NAMES[c->pose_field];
        full_name(table, c, name);
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", name);
        gr_json_string(json, "group", GROUP_NAMES[c->group]);
        gr_json_string(json, "field", field);
        gr_json_string(json, "kind", KIND_NAMES[row != NULL ? row->kind : GR_CHANNEL_NUMBER]);
        if (row != NULL) {
            label_of(field, words);
            gr_json_string(json, "unit", gr_channel_unit(field)->text);
            gr_json_string(json, "label", words);
            gr_json_string(json, "text", row->text);
        }
        if (c->group == POSE || c->group == ROCK || c->group == WHEEL || c->group == JOINT) {
            gr_json_integer(json, "owner", c->owner);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

static double *fill_poses(double *at, const GrPose *poses, int count)
{
    for (int i = 0; i < count; i++) {
        const GrVec3 p = poses[i].position;
        const GrQuat q = poses[i].rotation;
        const double values[POSE_FIELDS] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
        memcpy(at, values, sizeof values);
        at += POSE_FIELDS;
    }
    return at;
}

/// In the order of list_columns().
static void fill_row(GrReplayTable *table, int index, const GrSample *s)
{
    double *at = table->values + (ptrdiff_t)index * table->count;
    *at = s->time;
    at = fill_poses(at + 1, s->bodies, gr_model_part_count(table->model));
    at = fill_poses(at, s->rocks, table->rock_count);
    for (int i = 0; i < table->channels.count; i++) {
        *at++ = gr_channel_value(&table->channels.items[i], s, 0);
    }
}

void gr_replay_table_add(GrReplayTable *table, const GrSample *sample)
{
    if (table->rows == GR_REPLAY_BLOCK) {
        return;
    }
    fill_row(table, table->rows++, sample);
}

int gr_replay_table_rows(const GrReplayTable *table)
{
    return table->rows;
}

static void put_rows(const GrReplayTable *table, int first, int count, GrBuffer *payload)
{
    double columns[TOGETHER][LENGTH];
    gr_proto_fixed(payload, (uint64_t)count, 4);
    for (int i = 0; count > 0 && i < table->count; i += TOGETHER) {
        const int width = table->count - i < TOGETHER ? table->count - i : TOGETHER;
        for (int j = 0; j < count; j++) {
            const double *row = table->values + (ptrdiff_t)(first + j) * table->count + i;
            for (int k = 0; k < width; k++) {
                columns[k][j] = row[k];
            }
        }
        for (int k = 0; k < width; k++) {
            gr_column_put(payload, columns[k], count, table->columns[i + k].quantum);
        }
    }
}

void gr_replay_table_take(GrReplayTable *table, GrBuffer *payload)
{
    put_rows(table, 0, table->rows, payload);
    table->rows = 0;
}

void gr_replay_table_alone(GrReplayTable *table, const GrSample *sample, GrBuffer *payload)
{
    fill_row(table, GR_REPLAY_BLOCK, sample);
    put_rows(table, GR_REPLAY_BLOCK, 1, payload);
}

// ---- the head

static void put_vec3(GrJson *json, const char *key, GrVec3 v)
{
    const double values[] = {v.x, v.y, v.z};
    gr_json_numbers(json, key, values, 3);
}

// ---- rover

/// The member "surface": number of the chunk with the triangles.
static void put_surface(GrJson *json, const GrReplayMeshes *meshes, const GrSurfaceMesh *drawn)
{
    const int number = gr_replay_mesh_number(meshes, drawn);
    if (number >= 0) {
        gr_json_integer(json, "surface", number);
    }
}

static void put_shape(GrJson *json, const GrReplayMeshes *meshes, const GrShapeDef *shape)
{
    gr_json_begin_object(json, NULL);
    switch (shape->kind) {
    case GR_SHAPE_BOX:
        gr_json_string(json, "kind", "box");
        put_vec3(json, "size", shape->size);
        break;
    case GR_SHAPE_CYLINDER:
        gr_json_string(json, "kind", "cylinder");
        gr_json_number(json, "radius", shape->radius);
        gr_json_number(json, "length", shape->length);
        break;
    case GR_SHAPE_SPHERE:
        gr_json_string(json, "kind", "sphere");
        gr_json_number(json, "radius", shape->radius);
        break;
    case GR_SHAPE_ROD:
        gr_json_string(json, "kind", "rod");
        put_vec3(json, "from", shape->from);
        put_vec3(json, "to", shape->to);
        gr_json_number(json, "radius", shape->radius);
        break;
    case GR_SHAPE_MESH:
        gr_json_string(json, "kind", "mesh");
        if (shape->hull != NULL) {
            gr_replay_put_mesh(json, shape->hull);
        }
        put_surface(json, meshes, shape->only_touches ? NULL : shape->drawn);
        break;
    }
    gr_replay_put_pose(json, &shape->pose);
    if (shape->only_touches) {
        gr_json_bool(json, "drawn", false);
    }
    gr_json_end(json);
}

static int parent_of(const GrRoverDef *rover, int body)
{
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].child == body) {
            return rover->joints[i].parent;
        }
    }
    return -1;
}

static void put_bodies(GrJson *json, const GrReplayMeshes *meshes, const GrRoverDef *rover)
{
    gr_json_begin_array(json, "bodies");
    for (int i = 0; i < rover->body_count; i++) {
        const GrBodyDef *body = &rover->bodies[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", body->name);
        gr_json_integer(json, "parent", parent_of(rover, i));
        gr_json_number(json, "mass", body->mass);
        put_vec3(json, "com", body->com);
        gr_json_begin_array(json, "shapes");
        for (int k = 0; k < body->shape_count; k++) {
            put_shape(json, meshes, &body->shapes[k]);
        }
        gr_json_end(json);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_joints(GrJson *json, const GrRoverDef *rover)
{
    gr_json_begin_array(json, "joints");
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", joint->name);
        gr_json_string(json, "kind", gr_joint_kind(joint->kind)->name);
        gr_json_string(json, "role", gr_joint_role_names[joint->role]);
        gr_json_integer(json, "parent", joint->parent);
        gr_json_integer(json, "child", joint->child);
        gr_replay_put_pose(json, &joint->pose);
        put_vec3(json, "axis", joint->axis);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_wheel(GrJson *json, const GrReplayMeshes *meshes, const GrWheelDef *wheel)
{
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "name", wheel->name);
    gr_json_integer(json, "body", wheel->body);
    gr_replay_put_pose(json, &wheel->pose);
    gr_json_number(json, "radius", wheel->radius);
    gr_json_number(json, "width", wheel->width);
    gr_json_number(json, "crown", wheel->crown);
    gr_json_bool(json, "rimless", wheel->rimless);
    gr_json_begin_object(json, "grousers");
    gr_json_integer(json, "count", wheel->grouser_count);
    gr_json_number(json, "height", wheel->grouser_height);
    gr_json_number(json, "thickness", wheel->grouser_thickness);
    gr_json_string(json, "pattern", gr_grouser_pattern_names[wheel->grouser_pattern]);
    gr_json_number(json, "angle_rad", wheel->grouser_angle);
    gr_json_end(json);
    GrConvexMesh *hull = wheel->mesh != NULL ? gr_convex_mesh_create(wheel->mesh, wheel->mesh_count, NULL) : NULL;
    if (hull != NULL) {
        gr_replay_put_mesh(json, hull);
        gr_convex_mesh_free(hull);
    }
    put_surface(json, meshes, wheel->drawn);
    gr_json_end(json);
}

static void put_rover(GrJson *json, const GrReplayMeshes *meshes, const GrRoverDef *rover)
{
    gr_json_begin_object(json, "rover");
    gr_json_string(json, "name", rover->name);
    gr_json_string(json, "title", rover->title);
    put_bodies(json, meshes, rover);
    put_joints(json, rover);
    gr_json_begin_array(json, "wheels");
    for (int i = 0; i < rover->wheel_count; i++) {
        put_wheel(json, meshes, &rover->wheels[i]);
    }
    gr_json_end(json);
    gr_json_end(json);
}

// ---- scene

static void put_path(GrJson *json, const GrRecordDef *record)
{
    gr_json_begin_array(json, "path");
    for (int i = 0; i < record->path_count; i++) {
        const double point[] = {record->path[i].x, record->path[i].y};
        gr_json_numbers(json, NULL, point, 2);
    }
    gr_json_end(json);
}

static void put_texts(GrJson *json, const GrRecordDef *record)
{
    gr_json_begin_array(json, "soils");
    for (int i = 0; i < record->soil_count; i++) {
        gr_json_string(json, NULL, record->soil_names[i]);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "states");
    for (int i = 0; i < gr_wheel_state_count(); i++) {
        gr_json_string(json, NULL, gr_wheel_state_text(i));
    }
    gr_json_end(json);
    gr_json_begin_array(json, "modes");
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        gr_json_string(json, NULL, gr_drive_mode_name((GrDriveMode)i));
    }
    gr_json_end(json);
}

static void put_scene(GrJson *json, const GrReplayDef *def)
{
    const GrRecordDef *record = &def->record;
    gr_replay_put_parts(record->model, json);
    gr_json_begin_object(json, "rocks");
    gr_json_integer(json, "count", gr_replay_rock_count(record->model) + gr_rocks_seen_total(record->model));
    gr_json_integer(json, "loose", gr_model_loose_count(record->model));
    gr_json_end(json);
    if (record->path_count > 0) {
        put_path(json, record);
        gr_json_number(json, "tolerance_m", def->tolerance);
    }
    put_texts(json, record);
    if (record->ruts != NULL) {
        gr_json_begin_object(json, "ruts");
        gr_json_number(json, "cell", gr_ruts_def(record->ruts)->cell);
        gr_json_number(json, "quantum", GR_REPLAY_RUT_QUANTUM);
        gr_json_end(json);
    }
}

void gr_replay_put_head(const GrReplayDef *def, const GrReplayTable *table, const GrReplayMeshes *meshes, GrVec3 origin,
                        GrBuffer *payload)
{
    const GrRecordDef *record = &def->record;
    GrJson json = gr_json_to_buffer(payload, false);
    gr_json_begin_object(&json, NULL);
    gr_json_integer(&json, "format", 2);
    gr_json_string(&json, "program", "grouser " GROUSER_VERSION);
    gr_json_string(&json, "name", record->name);
    gr_json_string(&json, "title", record->title != NULL ? record->title : "");
    put_vec3(&json, "gravity", record->model->options.gravity);
    gr_json_number(&json, "rate_Hz", def->rate / gr_replay_stride(def));
    gr_json_number(&json, "duration_s", def->duration);
    put_vec3(&json, "origin", origin);
    if (record->rover != NULL) {
        put_rover(&json, meshes, record->rover);
    }
    put_scene(&json, def);
    replay_table_describe(table, &json);
    if (def->put_live != NULL) {
        def->put_live(def->live_context, &json);
    }
    gr_json_end(&json);
    payload->failed = payload->failed || gr_json_finish(&json) != GR_OK;
}
