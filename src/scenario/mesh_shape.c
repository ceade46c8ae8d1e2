/// Shapes and rocks that are meshes of files, for YAML and URDF.
#include "mesh_shape.h"

#include "alloc.h"
#include "mesh_file.h"
#include "messages.h"
#include "out_of_memory.h"
#include "text.h"
#include "vec3.h"

GrStatus gr_shape_read_mesh(const char *path, GrVec3 scale, GrShapeDef *shape, GrErrorLog *log)
{
    GrSurfaceMesh mesh;
    GrStatus status = gr_mesh_file_read(path, &mesh, log);
    if (status == GR_OK && mesh.triangle_count > 0) {
        shape->drawn = gr_surface_mesh_weld(&mesh, scale);
        status = shape->drawn != NULL ? GR_OK : gr_out_of_memory(log, path);
    }
    for (int i = 0; i < mesh.vertex_count; i++) {
        const GrVec3 p = mesh.vertices[i];
        mesh.vertices[i] = (GrVec3){scale.x * p.x, scale.y * p.y, scale.z * p.z};
    }
    if (status == GR_OK) {
        status = gr_shape_set_mesh(shape, mesh.vertices, mesh.vertex_count, log);
    }
    gr_surface_mesh_free(&mesh);
    if (status != GR_OK) {
        gr_shape_free(shape);
    }
    return status;
}

/// Convex parts of such a shape, by its triangles.
static GrStatus shape_cut(const GrShapeDef *shape, const GrConvexPartsDef *def, GrConvexParts *out, GrErrorLog *log)
{
    *out = (GrConvexParts){0};
    return shape->drawn != NULL ? gr_convex_parts_make(shape->drawn, def, out, log)
                                : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "the file has no faces to cut");
}

/// Makes a shape a copy of a hull, around the hull's centre of mass: reach and curvature of a hull in contact are those
/// about its origin. The shape's pose moves there.
static GrStatus shape_take_hull(const GrConvexMesh *hull, GrShapeDef *shape, GrErrorLog *log)
{
    GrSurfaceMesh corners = {0};
    const GrVec3 centre = gr_convex_mesh_solid(hull).com;
    for (int i = 0; i < hull->vertex_count; i++) {
        gr_surface_mesh_vertex(&corners, gr_sub(hull->vertices[i], centre));
    }
    shape->pose.position = gr_add(shape->pose.position, gr_quat_rotate(shape->pose.rotation, centre));
    const GrStatus status = corners.failed ? gr_out_of_memory(log, NULL)
                                           : gr_shape_set_mesh(shape, corners.vertices, corners.vertex_count, log);
    gr_surface_mesh_free(&corners);
    return status;
}

/// Adds a copy of `like` with a hull of its own.
static GrStatus add_part(GrBodyDef *out, const GrShapeDef *like, const GrConvexMesh *hull, bool drawn, GrErrorLog *log)
{
    GrShapeDef part = *like;
    part.hull = NULL;
    part.drawn = NULL;
    part.only_touches = drawn;
    GrStatus status = shape_take_hull(hull, &part, log);
    if (status == GR_OK && gr_body_add_shape(out, &part) < 0) {
        gr_shape_free(&part);
        status = gr_out_of_memory(log, NULL);
    }
    return status;
}

GrStatus gr_shape_split(GrShapeDef *shape, const GrConvexPartsDef *def, bool drawn, GrBodyDef *out, GrErrorLog *log)
{
    GrConvexParts parts;
    GrStatus status = shape_cut(shape, def, &parts, log);
    for (int i = 0; i < parts.count && status == GR_OK; i++) {
        status = add_part(out, shape, parts.parts[i].hull, drawn, log);
    }
    gr_convex_parts_free(&parts);
    shape->only_drawn = true;
    if (status != GR_OK || !drawn) {
        gr_shape_free(shape);
    } else if (gr_body_add_shape(out, shape) < 0) {
        gr_shape_free(shape);
        status = gr_out_of_memory(log, NULL);
    }
    return status;
}

// ---- rocks of a mesh file

/// Lowest and highest point of an object; its parts contain all of it.
static void find_height(const GrConvexParts *parts, int object, GrPartDef *out)
{
    out->rock_lower = INFINITY;
    out->rock_upper = -INFINITY;
    for (int i = 0; i < parts->count; i++) {
        if (parts->parts[i].object == object) {
            out->rock_lower = fmin(out->rock_lower, parts->parts[i].hull->lower.z);
            out->rock_upper = fmax(out->rock_upper, parts->parts[i].hull->upper.z);
        }
    }
}

static GrStatus add_parts(const GrConvexParts *parts, GrMeshRocks *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    out->parts = gr_calloc((size_t)parts->count + 1, sizeof *out->parts);
    for (int i = 0; i < parts->count && out->parts != NULL && status == GR_OK; i++) {
        GrPartDef *part = &out->parts[out->count++];
        *part = gr_default_part_def();
        part->stone = true;
        gr_text_copy(part->shape.group, sizeof part->shape.group, GR_STONE_GROUP);
        find_height(parts, parts->parts[i].object, part);
        status = shape_take_hull(parts->parts[i].hull, &part->shape, log);
    }
    return out->parts != NULL ? status : gr_out_of_memory(log, NULL);
}

GrStatus gr_mesh_rocks_load(const GrRockMeshPlan *plan, GrMeshRocks *out, GrErrorLog *log)
{
    if (plan->file[0] == '\0') {
        return GR_OK;
    }
    GrShapeDef shape = gr_default_shape_def();
    GrConvexParts parts = {0};
    GrErrorLog own = {0};
    const GrVec3 scale = gr_vec3(plan->scale, plan->scale, plan->scale);
    GrStatus status = gr_shape_read_mesh(plan->file, scale, &shape, &own);
    if (status == GR_OK) {
        status = shape_cut(&shape, &plan->parts, &parts, &own);
    }
    if (status == GR_OK) {
        status = add_parts(&parts, out, &own);
    }
    if (status != GR_OK) {
        const GrLocation at = {.field = "terrain.rocks.mesh.file"};
        const GrError *why = gr_messages_at(&own, 0);
        gr_error_add(log, status, at, "%s: %s", plan->file, why != NULL ? why->text : gr_status_text(status));
    }
    gr_convex_parts_free(&parts);
    gr_shape_free(&shape);
    return status;
}

void gr_mesh_rocks_free(GrMeshRocks *rocks)
{
    for (int i = 0; i < rocks->count; i++) {
        gr_shape_free(&rocks->parts[i].shape);
    }
    gr_free(rocks->parts);
    *rocks = (GrMeshRocks){0};
}

bool gr_mesh_rocks_add(const GrMeshRocks *rocks, GrSceneDef *scene)
{
    bool added = true;
    for (int i = 0; i < rocks->count && added; i++) {
        added = gr_scene_add_part(scene, &rocks->parts[i]) >= 0;
    }
    return added;
}
