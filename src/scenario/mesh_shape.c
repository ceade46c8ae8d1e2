#include "mesh_shape.h"

#include "alloc.h"
#include "mesh_points.h"

GrStatus gr_shape_read_mesh(const char *path, GrVec3 scale, GrShapeDef *shape, GrErrorLog *log)
{
    GrVec3 *points = NULL;
    int count = 0;
    GrStatus status = gr_mesh_points_read(path, &points, &count, log);
    for (int i = 0; i < count; i++) {
        points[i] = (GrVec3){scale.x * points[i].x, scale.y * points[i].y, scale.z * points[i].z};
    }
    if (status == GR_OK) {
        status = gr_shape_set_mesh(shape, points, count, log);
    }
    gr_free(points);
    return status;
}
