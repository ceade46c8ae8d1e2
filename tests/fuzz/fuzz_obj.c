/// Any bytes as a Wavefront OBJ file, and the hull of what was read.
#include "convex_mesh.h"
#include "mesh_file.h"

#include "fuzz_check.h"
#include "target.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    memset(&log, 0, sizeof log);
    GrSurfaceMesh mesh;
    const GrStatus status = gr_obj_parse((const char *)data, size, "fuzz.obj", &mesh, &log);
    const GrVec3 *points = mesh.vertices;
    const int count = mesh.vertex_count;
    gr_fuzz_agree(status, &log);
    if ((status == GR_OK) != (count > 0)) {
        abort(); // a failure without a message, or the other way round
    }
    bool moderate = count < 2000;
    for (int i = 0; i < count; i++) {
        moderate = moderate && fabs(points[i].x) < 1e6 && fabs(points[i].y) < 1e6 && fabs(points[i].z) < 1e6;
    }
    if (moderate) {
        gr_convex_mesh_free(gr_convex_mesh_create(points, count, NULL));
    }
    for (int i = 0; i < 3 * mesh.triangle_count; i++) {
        const int corner = mesh.triangles[i / 3][i % 3];
        if (corner < 0 || corner >= count) {
            abort();
        }
    }
    gr_surface_mesh_delete(gr_surface_mesh_weld(&mesh, (GrVec3){1, 1, -1}));
    gr_surface_mesh_free(&mesh);
}
