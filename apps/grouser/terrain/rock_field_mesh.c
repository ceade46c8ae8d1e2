#include "rock_field_mesh.h"

#include "file.h"
#include "out_of_memory.h"
#include "stones.h"

#include <math.h>
#include <stdio.h>

const char *const gr_stone_shape_names[] = {"ellipsoid", "hull", "noise", "deviation", NULL};

/// Height between four nodes.
static GrStatus ground_at(const GrGridFrame *f, GrSource source, double x, double y, double *z, GrErrorLog *log)
{
    const double u = fmin(fmax((x - f->x0) / f->dx, 0), (double)(f->nx - 1));
    const double v = fmin(fmax((y - f->y0) / f->dy, 0), (double)(f->ny - 1));
    const int64_t i = (int64_t)fmin(floor(u), fmax(0, (double)(f->nx - 2)));
    const int64_t j = (int64_t)fmin(floor(v), fmax(0, (double)(f->ny - 2)));
    const int ni = f->nx > 1 ? 2 : 1, nj = f->ny > 1 ? 2 : 1;
    double h[4];
    const GrStatus status = source.read(source.context, (GrGridWindow){i, j, ni, nj}, h, log);
    const double s = u - (double)i, t = v - (double)j;
    const double low = h[0] + s * (h[ni - 1] - h[0]);
    const double *north = &h[(nj - 1) * ni];
    *z = low + t * (north[0] + s * (north[ni - 1] - north[0]) - low);
    return status;
}

static void put_rock(const GrRockMesh *rock, GrPose pose, int number, int *before, GrBuffer *text)
{
    char name[32];
    snprintf(name, sizeof name, "rock_%d", number);
    for (int i = 0; i < rock->mesh.vertex_count; i++) {
        GrVec3 *p = &rock->mesh.vertices[i];
        *p = gr_add(pose.position, gr_quat_rotate(pose.rotation, *p));
    }
    gr_surface_mesh_obj(&rock->mesh, name, *before, text);
    *before += rock->mesh.vertex_count;
}

GrStatus gr_rock_field_mesh_write(const char *path, const GrRockField *field, const GrRockFieldUse *use,
                                  const GrGridFrame *frame, GrSource source, GrErrorLog *log)
{
    GrBuffer text = {0};
    int before = 0;
    GrStatus status = GR_OK;
    for (int i = 0; i < field->count && status == GR_OK; i++) {
        GrStoneDef stone = gr_stone_of_field(field, use, i);
        GrRockMesh rock = {0};
        GrPose pose;
        status = ground_at(frame, source, stone.place.x, stone.place.y, &stone.place.z, log);
        status = status == GR_OK ? gr_stone_rock(&stone, &rock, &pose, log) : status;
        if (status == GR_OK && isfinite(stone.place.z)) {
            put_rock(&rock, pose, i + 1, &before, &text);
        }
        gr_rock_free(&rock);
    }
    status = status == GR_OK && text.failed ? gr_out_of_memory(log, path) : status;
    status = status == GR_OK ? gr_file_write(path, text.data != NULL ? text.data : "", text.size, log) : status;
    gr_buffer_free(&text);
    return status;
}
