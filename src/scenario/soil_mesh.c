#include "soil_mesh.h"

#include "alloc.h"
#include "body_shapes.h"
#include "file.h"
#include "mesh_file.h"
#include "rover_parts.h"

#include <stdio.h>
#include <string.h>

/// A file and the factors of its axes. Negative ones mirror it.
typedef struct Source {
    GrNode *node; ///< of the file's name
    char name[GR_FILE_PATH_SIZE], path[GR_FILE_PATH_SIZE];
    GrVec3 scale;
} Source;

/// One factor for all axes, or one for each.
static void read_scale(GrNode *node, GrVec3 *scale)
{
    double one = 1, each[3];
    if (node->kind == GR_NODE_LIST) {
        if (gr_node_numbers(node, GR_ANY, each, 3)) {
            *scale = gr_vec3(each[0], each[1], each[2]);
        }
    } else if (gr_node_number(node, GR_POSITIVE, &one)) {
        *scale = gr_vec3(one, one, one);
    }
    if (scale->x * scale->y * scale->z == 0) {
        gr_node_error(node, GR_ERROR_VALUE, "a factor is 0, and the mesh would be flat");
    }
}

static bool read_source(GrNode *node, Source *out)
{
    out->node = node;
    out->scale = gr_vec3(1, 1, 1);
    if (node->kind == GR_NODE_MAPPING) {
        out->node = gr_field(node, "file", GR_REQUIRED);
        GrNode *scale = gr_field(node, "scale", GR_OPTIONAL);
        if (scale != NULL) {
            read_scale(scale, &out->scale);
        }
        gr_fields_end(node);
    }
    if (out->node == NULL || node->document->status != GR_OK || !gr_node_text(out->node, out->name, sizeof out->name)) {
        return false;
    }
    if (!gr_node_beside(out->node, out->name, out->path)) {
        gr_node_error(out->node, GR_ERROR_FILE, "the path is too long");
        return false;
    }
    return true;
}

/// Says what is wrong with a file, with the line if there is one.
static void report(const Source *source, GrStatus status, const GrErrorLog *log)
{
    char line[16] = "";
    if (log->count > 0 && log->items[0].line > 0) {
        snprintf(line, sizeof line, ":%d", log->items[0].line);
    }
    gr_node_error(source->node, status, "%s%s: %s", source->name, line,
                  log->count > 0 ? log->items[0].text : "cannot be read");
}

/// The triangles of a file in the wheel frame, counter-clockwise from outside after mirroring too; NULL after an error.
static GrSurfaceMesh *read_triangles(const Source *source)
{
    GrErrorLog log = {.quiet = true};
    GrSurfaceMesh mesh;
    const GrStatus status = gr_mesh_file_read(source->path, &mesh, &log);
    if (status != GR_OK) {
        report(source, status, &log);
        return NULL;
    }
    GrSurfaceMesh *welded = gr_surface_mesh_weld(&mesh, source->scale);
    gr_surface_mesh_free(&mesh);
    if (welded == NULL) {
        gr_node_out_of_memory(source->node);
    }
    return welded;
}

typedef struct Shape {
    GrWheelSurface *surface; ///< one of them
    GrSideWall *side;
} Shape;

static Shape make_shape(const Source *source, const GrSurfaceMesh *mesh, bool side)
{
    GrErrorLog log = {.quiet = true};
    Shape shape = {0};
    GrVec3(*triangles)[3] = gr_calloc((size_t)mesh->triangle_count + 1, sizeof *triangles);
    if (triangles == NULL) {
        gr_node_out_of_memory(source->node);
        return shape;
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            triangles[i][k] = mesh->vertices[mesh->triangles[i][k]];
        }
    }
    const GrVec3(*corners)[3] = (const GrVec3(*)[3])triangles;
    const GrStatus status = side ? gr_side_wall_create(corners, mesh->triangle_count, &shape.side, &log)
                                 : gr_wheel_surface_create(corners, mesh->triangle_count, &shape.surface, &log);
    gr_free(triangles);
    if (status != GR_OK) {
        report(source, status, &log);
    }
    return shape;
}

/// A shape that an earlier wheel has, or none.
static Shape find_shape(const GrSoilMeshes *meshes, const Source *source, bool side)
{
    for (int i = 0; i < meshes->count; i++) {
        const GrVec3 a = meshes->files[i].scale, b = source->scale;
        if (strcmp(meshes->files[i].path, source->path) == 0 && a.x == b.x && a.y == b.y && a.z == b.z &&
            side == (meshes->files[i].side != NULL)) {
            return (Shape){gr_wheel_surface_share(meshes->files[i].surface), gr_side_wall_share(meshes->files[i].side)};
        }
    }
    return (Shape){0};
}

static void keep_shape(GrSoilMeshes *meshes, const Source *source, Shape shape)
{
    const size_t size = strlen(source->path) + 1;
    char *path = meshes->count < GR_SOIL_MESHES ? gr_malloc(size) : NULL;
    if (path != NULL) {
        memcpy(path, source->path, size);
        meshes->files[meshes->count].path = path;
        meshes->files[meshes->count].scale = source->scale;
        meshes->files[meshes->count].surface = gr_wheel_surface_share(shape.surface);
        meshes->files[meshes->count].side = gr_side_wall_share(shape.side);
        meshes->count++;
    }
}

/// The shape in a file, and its triangles; NULL after an error.
static GrSurfaceMesh *read_shape(GrNode *node, GrSoilMeshes *meshes, bool side, Source *source, Shape *shape)
{
    GrSurfaceMesh *mesh = read_source(node, source) ? read_triangles(source) : NULL;
    if (mesh == NULL) {
        return NULL;
    }
    *shape = find_shape(meshes, source, side);
    if (shape->surface == NULL && shape->side == NULL) {
        *shape = make_shape(source, mesh, side);
        if (shape->surface != NULL || shape->side != NULL) {
            keep_shape(meshes, source, *shape);
        }
    }
    return mesh;
}

void gr_read_soil_mesh(GrNode *node, GrSoilMeshes *meshes, GrWheelDef *wheel)
{
    Source source;
    Shape shape;
    char text[GR_WHEEL_TEXT];
    GrSurfaceMesh *mesh = read_shape(node, meshes, false, &source, &shape);
    if (mesh == NULL) {
        return;
    }
    wheel->surface = shape.surface;
    if (wheel->surface != NULL && !gr_wheel_surface_fits(wheel, text, sizeof text)) {
        gr_node_error(source.node, GR_ERROR_VALUE, "%s", text);
    }
    if (wheel->drawn == NULL) {
        wheel->drawn = mesh;
    } else {
        gr_surface_mesh_delete(mesh);
    }
}

void gr_read_side_mesh(GrNode *node, GrSoilMeshes *meshes, GrWheelDef *wheel)
{
    Source source;
    Shape shape;
    char text[GR_WHEEL_TEXT];
    GrSurfaceMesh *mesh = read_shape(node, meshes, true, &source, &shape);
    if (mesh != NULL) {
        wheel->side = shape.side;
        gr_surface_mesh_delete(mesh);
    }
    if (mesh != NULL && wheel->side != NULL && !gr_side_wall_fits(wheel, text, sizeof text)) {
        gr_node_error(source.node, GR_ERROR_VALUE, "%s", text);
    }
}

void gr_soil_meshes_free(GrSoilMeshes *meshes)
{
    for (int i = 0; i < meshes->count; i++) {
        gr_free(meshes->files[i].path);
        gr_wheel_surface_free(meshes->files[i].surface);
        gr_side_wall_free(meshes->files[i].side);
    }
    meshes->count = 0;
}
