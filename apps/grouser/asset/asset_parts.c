/// grouser asset parts: a mesh as convex parts, and how far they are from it.
#include "asset_parts.h"

#include "command.h"
#include "convex_parts.h"
#include "file.h"
#include "json.h"
#include "mesh_file.h"
#include "out_of_memory.h"
#include "report.h"

#include <math.h>
#include <stdio.h>

GrAssetParts gr_asset_parts_default(void)
{
    const GrConvexPartsDef def = gr_default_convex_parts_def();
    return (GrAssetParts){.scale = 1, .pieces = def.most, .error = def.error};
}

static GrStatus make(const GrAssetParts *o, GrConvexParts *out, GrErrorLog *log)
{
    GrSurfaceMesh mesh = {0};
    const GrConvexPartsDef def = {.most = (int)o->pieces, .error = o->error};
    GrStatus status = gr_mesh_file_read(o->mesh, &mesh, log);
    if (status == GR_OK) {
        GrSurfaceMesh *welded = gr_surface_mesh_weld(&mesh, gr_vec3(o->scale, o->scale, o->scale));
        status = welded != NULL ? gr_convex_parts_make(welded, &def, out, log) : gr_out_of_memory(log, o->mesh);
        gr_surface_mesh_delete(welded);
    }
    gr_surface_mesh_free(&mesh);
    return status;
}

static GrStatus write_parts(const char *path, const GrConvexParts *parts, GrErrorLog *log)
{
    GrBuffer text = {0};
    int before = 0;
    for (int i = 0; i < parts->count; i++) {
        char name[64];
        GrSurfaceMesh mesh = {0};
        snprintf(name, sizeof name, "object_%d_part_%d", parts->parts[i].object + 1, i + 1);
        gr_surface_mesh_convex(&mesh, parts->parts[i].hull);
        gr_surface_mesh_obj(&mesh, name, before, &text);
        text.failed = text.failed || mesh.failed;
        before += mesh.vertex_count;
        gr_surface_mesh_free(&mesh);
    }
    const GrStatus status = text.failed ? gr_out_of_memory(log, path) : gr_file_write(path, text.data, text.size, log);
    gr_buffer_free(&text);
    return status;
}

static void print_parts(const GrConvexParts *parts, bool json)
{
    const double excess = fmax(0, parts->hulls / parts->volume - 1),
                 worst = fmax(0, parts->worst); // below 0 by rounding
    if (!json) {
        printf("%d convex parts of %d object%s\n"
               "volume %.6g m³, of the parts %.6g m³: %.3g %% too much, at most %.3g %% of one object\n"
               "farthest found of a part from its object: %.4g m (%d points)\n",
               parts->count, parts->objects, parts->objects == 1 ? "" : "s", parts->volume, parts->hulls, 100 * excess,
               100 * worst, parts->distance, parts->samples);
        return;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_integer(&out, "parts", parts->count);
    gr_json_integer(&out, "objects", parts->objects);
    gr_json_number(&out, "volume_m3", parts->volume);
    gr_json_number(&out, "parts_volume_m3", parts->hulls);
    gr_json_number(&out, "excess_share", excess);
    gr_json_number(&out, "excess_share_of_worst", worst);
    gr_json_number(&out, "distance_m", parts->distance);
    gr_json_integer(&out, "points", parts->samples);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

int gr_asset_parts(const GrAssetParts *o, const char *output, bool json)
{
    if (o->mesh == NULL || !(o->scale > 0) || !(o->pieces >= 1 && o->pieces <= 1000 && o->pieces == (int)o->pieces)) {
        gr_report_error(o->mesh == NULL   ? "asset: parts needs --mesh FILE"
                        : !(o->scale > 0) ? "asset: --scale must be a positive number"
                                          : "asset: --pieces must be a whole number from 1 to 1000");
        return GR_EXIT_INPUT;
    }
    GrErrorLog log = {0};
    GrConvexParts parts = {0};
    GrStatus status = make(o, &parts, &log);
    if (status == GR_OK && output != NULL) {
        status = write_parts(output, &parts, &log);
    }
    gr_report_log(&log);
    if (status == GR_OK) {
        print_parts(&parts, json);
        if (output != NULL) {
            fprintf(json ? stderr : stdout, "wrote %s\n", output);
        }
    }
    gr_convex_parts_free(&parts);
    return gr_report_exit_code(status);
}
