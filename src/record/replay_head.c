#include "replay_head.h"

#include "grouser/version.h"
#include "joint_kind.h"
#include "model_data.h"
#include "replay_world.h"
#include "rover_names.h"

#include <math.h>

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
    gr_replay_table_describe(table, &json);
    if (def->put_live != NULL) {
        def->put_live(def->live_context, &json);
    }
    gr_json_end(&json);
    payload->failed = payload->failed || gr_json_finish(&json) != GR_OK;
}
