#include "mesh_shape.h"

#include "mesh_file.h"
#include "out_of_memory.h"

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
