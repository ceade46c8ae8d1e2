/// Any bytes as an STL file.
#include "mesh_file.h"

#include "fuzz_check.h"
#include "target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    memset(&log, 0, sizeof log);
    GrSurfaceMesh mesh;
    const GrStatus status = gr_stl_parse((const char *)data, size, "fuzz.stl", &mesh, &log);
    gr_fuzz_agree(status, &log);
    if ((status == GR_OK) != (mesh.triangle_count > 0)) {
        abort(); // a failure without a message, or the other way round
    }
    gr_surface_mesh_delete(gr_surface_mesh_weld(&mesh, (GrVec3){1, 1, 1}));
    gr_surface_mesh_free(&mesh);
}
