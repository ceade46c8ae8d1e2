#include "rover_parts.h"

#include "alloc.h"
#include "elementary.h"
#include "file.h"
#include "grouser/sense.h"
#include "joint_kind.h"
#include "mesh_file.h"
#include "soil_mesh.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

int gr_find_body(const GrRoverDef *rover, const char *name)
{
    for (int i = 0; i < rover->body_count; i++) {
        if (strcmp(rover->bodies[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int gr_find_joint(const GrRoverDef *rover, const char *name)
{
    for (int i = 0; i < rover->joint_count; i++) {
        if (strcmp(rover->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void report_unknown(const GrNode *node, const char *kind, const char *const *names, int count)
{
    if (strstr(node->text, "${") != NULL) {
        return; // reported when repeat: was expanded
    }
    gr_node_error(node, GR_ERROR_NAME, "there is no %s '%.60s'%s", kind, node->text,
                  gr_suggestion(node->document->log, node->text, names, count).text);
}

/// Says that a name is not among `count` structs of `size` bytes that begin with theirs.
static void report_missing(const GrNode *node, const char *kind, const void *items, int count, size_t size)
{
    const char **names = gr_calloc((size_t)count + 1, sizeof *names);
    if (names == NULL) {
        gr_node_out_of_memory(node);
        return;
    }
    for (int i = 0; i < count; i++) {
        names[i] = (const char *)items + (size_t)i * size;
    }
    report_unknown(node, kind, names, count);
    gr_free(names);
}

_Static_assert(offsetof(GrBodyDef, name) == 0 && offsetof(GrJointDef, name) == 0 && offsetof(GrSensorDef, name) == 0,
               "report_missing() reads names");

int gr_read_body_name(GrNode *node, const GrRoverDef *rover)
{
    char name[GR_NAME_SIZE];
    const bool given = gr_node_text(node, name, sizeof name);
    const int found = given ? gr_find_body(rover, name) : -1;
    if (given && found < 0) {
        report_missing(node, "body", rover->bodies, rover->body_count, sizeof *rover->bodies);
    }
    return found;
}

int gr_read_joint_name(GrNode *node, const GrRoverDef *rover)
{
    char name[GR_NAME_SIZE];
    const bool given = gr_node_text(node, name, sizeof name);
    const int found = given ? gr_find_joint(rover, name) : -1;
    if (given && found < 0) {
        report_missing(node, "joint", rover->joints, rover->joint_count, sizeof *rover->joints);
    }
    return found;
}

int gr_read_sensor_name(GrNode *node, const GrRoverDef *rover)
{
    char name[GR_NAME_SIZE];
    const bool given = gr_node_text(node, name, sizeof name);
    for (int i = 0; given && i < rover->sensor_count; i++) {
        if (strcmp(rover->sensors[i].name, name) == 0) {
            return i;
        }
    }
    if (given) {
        report_missing(node, "sensor", rover->sensors, rover->sensor_count, sizeof *rover->sensors);
    }
    return -1;
}

static void read_note(GrNode *node, GrRoverDef *rover)
{
    static const char *const kinds[] = {"published", "derived", "assumed"};
    GrNote note = {0};
    bool good = false;
    if (!gr_node_is_mapping(node)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        GrNode *text = gr_field(node, kinds[i], GR_OPTIONAL);
        if (text != NULL && good) {
            gr_node_error(text, GR_ERROR_FIELD, "a note has exactly one of the keys published, derived, assumed");
        } else if (text != NULL && gr_node_text(text, note.text, sizeof note.text)) {
            note.confidence = (GrConfidence)i;
            good = true;
        }
    }
    gr_fields_end(node);
    if (good && gr_rover_add_note(rover, &note) < 0) {
        gr_node_out_of_memory(node);
    }
}

void gr_read_heading(GrNode *root, GrRoverDef *rover)
{
    gr_document_name(root->document, rover->name, sizeof rover->name);
    gr_field_text(root, "name", GR_OPTIONAL, rover->name, sizeof rover->name);
    gr_field_text(root, "title", GR_OPTIONAL, rover->title, sizeof rover->title);
    GrNode *notes = gr_field_list(root, "notes", GR_OPTIONAL);
    for (GrNode *node = notes != NULL ? notes->first : NULL; node != NULL; node = node->next) {
        read_note(node, rover);
    }
}

/// Whether a mesh is about as large as its wheel, around the axle and along it.
static bool fits_wheel(GrNode *node, const GrWheelDef *wheel)
{
    const double tip = wheel->radius + wheel->grouser_height;
    double furthest = 0, left = 0, right = 0, least = INFINITY;
    for (int i = 0; i < wheel->mesh_count; i++) {
        const GrVec3 p = wheel->mesh[i];
        furthest = fmax(furthest, gr_hypot(p.x, p.z));
        left = fmax(left, p.y);
        right = fmax(right, -p.y);
    }
    for (int k = 0; k < 8; k++) { // extent in each direction from the axle
        double reach = 0;
        for (int i = 0; i < wheel->mesh_count; i++) {
            const GrVec3 p = wheel->mesh[i];
            reach = fmax(reach, gr_cos(GR_PI * k / 4) * p.x + gr_sin(GR_PI * k / 4) * p.z);
        }
        least = fmin(least, reach);
    }
    if (!(furthest <= 1.25 * tip) || !(least >= 0.75 * wheel->radius)) {
        gr_node_error(
            node, GR_ERROR_VALUE,
            "the mesh reaches from %g to %g m around the axle (y); allowed: %g to %g, about the wheel's radius", least,
            furthest, 0.75 * wheel->radius, 1.25 * tip);
        return false;
    }
    if (!(left + right <= 1.5 * wheel->width) || !(fmin(left, right) >= 0.25 * wheel->width)) {
        gr_node_error(
            node, GR_ERROR_VALUE,
            "the mesh reaches from %g to %g m along the axle (y); allowed: %g m to each side at least, and %g in all",
            -right, left, 0.25 * wheel->width, 1.5 * wheel->width);
        return false;
    }
    return true;
}

static void free_wheel_mesh(GrWheelDef *wheel)
{
    gr_free(wheel->mesh);
    gr_surface_mesh_delete(wheel->drawn);
    wheel->mesh = NULL;
    wheel->mesh_count = 0;
    wheel->drawn = NULL;
}

/// `mesh`: an OBJ or STL file beside the rover's, in the wheel frame.
static void read_wheel_mesh(GrNode *node, GrWheelDef *wheel)
{
    char name[GR_FILE_PATH_SIZE], path[GR_FILE_PATH_SIZE];
    if (!gr_node_text(node, name, sizeof name)) {
        return;
    }
    if (!gr_file_beside(node->file, name, path)) {
        gr_node_error(node, GR_ERROR_FILE, "the path is too long");
        return;
    }
    GrSurfaceMesh mesh;
    const GrStatus status = gr_mesh_file_read(path, &mesh, node->document->log);
    if (status != GR_OK) {
        gr_node_error(node, status, "the mesh '%s' cannot be used", name);
        return;
    }
    wheel->drawn = mesh.triangle_count > 0 ? gr_surface_mesh_weld(&mesh, gr_vec3(1, 1, 1)) : NULL;
    if (wheel->drawn == NULL && mesh.triangle_count > 0) {
        gr_node_out_of_memory(node);
    }
    wheel->mesh = mesh.vertices;
    wheel->mesh_count = mesh.vertex_count;
    mesh.vertices = NULL; // they are the wheel's
    gr_surface_mesh_free(&mesh);
    if (!fits_wheel(node, wheel)) {
        free_wheel_mesh(wheel);
    }
}

/// The angle of a wheel is the position of its joint.
static void check_wheel_joint(const GrNode *node, const GrRoverDef *rover, int body)
{
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        if (joint->child == body && !(gr_joint_kind(joint->kind)->takes & GR_JOINT_TAKES_WHEEL)) {
            gr_node_error(
                node, GR_ERROR_VALUE,
                "its body hangs on the %s joint '%s'; allowed: a body on a revolute, prismatic or fixed joint",
                gr_joint_kind(joint->kind)->name, joint->name);
        }
    }
}

static void read_wheel(GrNode *node, GrSoilMeshes *meshes, GrRoverDef *rover)
{
    GrWheelDef wheel = gr_default_wheel_def();
    node->used = true;
    if (!gr_node_is_mapping(node)) {
        return;
    }
    if (!gr_text_copy(wheel.name, sizeof wheel.name, node->key)) {
        gr_node_error(node, GR_ERROR_NAME, "the name has more than %d bytes", GR_NAME_SIZE - 1);
    }
    GrNode *body = gr_field(node, "body", GR_OPTIONAL);
    wheel.body = body != NULL ? gr_read_body_name(body, rover) : gr_find_body(rover, wheel.name);
    if (body == NULL && wheel.body < 0) {
        gr_node_error(node, GR_ERROR_NAME, "there is no body '%s'; give the wheel's body with the key 'body'",
                      wheel.name);
    }
    check_wheel_joint(node, rover, wheel.body);
    gr_keys_take(node, gr_wheel_keys, &wheel);
    const GrRange crowns = {0, wheel.radius, false, true, false};
    gr_field_number(node, "crown_m", GR_OPTIONAL, crowns, &wheel.crown);
    bool rim = true;
    gr_field_bool(node, "rim", GR_OPTIONAL, &rim);
    wheel.rimless = !rim;
    if (!rim && wheel.body >= 0 && rover->bodies[wheel.body].shape_count == 0) {
        gr_node_error(gr_node_find(node, "rim"), GR_ERROR_VALUE,
                      "a wheel without a rim stands on the shapes of its body, and '%s' has none",
                      rover->bodies[wheel.body].name);
    }
    GrNode *mesh = gr_field(node, "mesh", GR_OPTIONAL);
    if (mesh != NULL) {
        read_wheel_mesh(mesh, &wheel);
    }
    GrNode *soil_mesh = gr_field(node, "soil_mesh", GR_OPTIONAL);
    if (soil_mesh != NULL) {
        gr_read_soil_mesh(soil_mesh, meshes, &wheel);
    }
    GrNode *side_mesh = gr_field(node, "side_mesh", GR_OPTIONAL);
    if (side_mesh != NULL) {
        gr_read_side_mesh(side_mesh, meshes, &wheel);
    }
    gr_fields_end(node);
    if (gr_rover_add_wheel(rover, &wheel) < 0) {
        free_wheel_mesh(&wheel);
        gr_wheel_surface_free(wheel.surface);
        gr_side_wall_free(wheel.side);
        gr_node_out_of_memory(node);
    }
}

void gr_read_wheels(GrNode *root, GrRoverDef *rover)
{
    GrNode *wheels = gr_field_mapping(root, "wheels", GR_OPTIONAL);
    GrSoilMeshes meshes = {.count = 0};
    for (GrNode *node = wheels != NULL ? wheels->first : NULL; node != NULL; node = node->next) {
        read_wheel(node, &meshes, rover);
    }
    gr_soil_meshes_free(&meshes);
}

static int read_coupled_joint(GrNode *node, const char *key, const GrRoverDef *rover)
{
    GrNode *name = gr_field(node, key, GR_REQUIRED);
    const int joint = name != NULL ? gr_read_joint_name(name, rover) : -1;
    if (joint >= 0 && !gr_joint_kind_is_scalar(rover->joints[joint].kind)) {
        // After an error it may only appear to be fixed.
        if (node->document->status == GR_OK) {
            gr_node_error(name, GR_ERROR_VALUE, "the joint '%s' is %s and cannot be coupled", rover->joints[joint].name,
                          gr_joint_kind(rover->joints[joint].kind)->name);
        }
        return -1;
    }
    return joint;
}

static void read_coupling(GrNode *node, GrRoverDef *rover)
{
    GrCouplingDef coupling = {.ratio = 1};
    node->used = true;
    if (!gr_node_is_mapping(node)) {
        return;
    }
    coupling.joint = read_coupled_joint(node, "joint", rover);
    coupling.of = read_coupled_joint(node, "of", rover);
    gr_field_number(node, "ratio", GR_REQUIRED, GR_ANY, &coupling.ratio);
    const bool slides = coupling.joint >= 0 && gr_joint_kind_slides(rover->joints[coupling.joint].kind);
    if (gr_field_number(node, slides ? "offset_m" : "offset_deg", GR_OPTIONAL, GR_ANY, &coupling.offset) && !slides) {
        coupling.offset *= GR_PI / 180;
    }
    gr_fields_end(node);
    if (coupling.joint < 0 || coupling.of < 0) {
        return;
    }
    if (coupling.joint == coupling.of) {
        gr_node_error(node, GR_ERROR_VALUE, "the joint '%s' is coupled to itself", rover->joints[coupling.of].name);
    }
    for (int i = 0; i < rover->coupling_count; i++) {
        if (rover->couplings[i].joint == coupling.joint) {
            gr_node_error(node, GR_ERROR_VALUE, "the joint '%s' follows another joint already",
                          rover->joints[coupling.joint].name);
        }
    }
    if (gr_rover_add_coupling(rover, &coupling) < 0) {
        gr_node_out_of_memory(node);
    }
}

void gr_read_couplings(GrNode *root, GrRoverDef *rover)
{
    GrNode *couplings = gr_field_mapping(root, "couplings", GR_OPTIONAL);
    for (GrNode *node = couplings != NULL ? couplings->first : NULL; node != NULL; node = node->next) {
        read_coupling(node, rover);
    }
}
