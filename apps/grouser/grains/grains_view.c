/// grouser grains view: a prepared bed, or a snapshot of a test, as one page of the viewer.
#include "bin_picture.h"
#include "bin_rig_parts.h"
#include "grains_command.h"
#include "viewer_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MOST = 1000000 };

/// Loads a bed alone, or one with the state of a test.
static GrStatus load(const char *path, GrBin **bin, GrBinRigState *rig, bool *has_rig, GrErrorLog *log)
{
    GrErrorLog quiet = {.quiet = true};
    *has_rig = false;
    if (!gr_bin_is_snapshot(path)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                            "not a prepared bed or a snapshot of a test: grouser grains prepare %s -o bed.grains "
                            "makes one",
                            path);
    }
    if (gr_bin_load(path, (GrBinWork){.threads = 1}, NULL, 0, bin, &quiet) == GR_OK) {
        return GR_OK;
    }
    *has_rig = true;
    return gr_bin_rig_read(path, (GrBinWork){.threads = 1}, bin, rig, log);
}

static GrStatus write_view(const char *path, const char *output, int most, GrErrorLog *log)
{
    GrBin *bin = NULL;
    GrBinRigState rig;
    GrSurfaceMesh mesh = {0};
    GrBuffer data = {0}, page = {0};
    bool has_rig;
    double lowest;
    GrStatus status = load(path, &bin, &rig, &has_rig, log);
    const bool drawn = status == GR_OK && has_rig && rig.def.shape.hash == 0;
    if (drawn) {
        status = gr_bin_rig_mesh(&rig.def, 2 * bin->mean_radius, &mesh, &lowest, log);
    }
    if (status == GR_OK) {
        const char *name = strrchr(path, '/');
        const GrBinPictureDef def = {.title = name != NULL ? name + 1 : path,
                                     .most = most,
                                     .mesh = drawn && !mesh.failed ? &mesh : NULL,
                                     .rig = has_rig ? &rig : NULL};
        status = gr_bin_picture(bin, &def, &data, log);
    }
    status = status == GR_OK ? gr_viewer_data_page("grains", data.data, data.size, &page, log) : status;
    if (status == GR_OK) {
        status = gr_report_file(output, &page, false, log);
    }
    gr_surface_mesh_free(&mesh);
    gr_buffer_free(&data);
    gr_bin_free(bin);
    return status;
}

static int run_view(int argc, char **argv)
{
    const char *path = NULL, *output = "grains.html";
    double most = SHOWN_MOST;
    int exit_code;
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE.html", .text = &output, .help = "default: grains.html"},
        {.name = "most", .value = "N", .number = &most, .help = "grains that the page holds; default 1e6"},
    };
    if (gr_options_parse(&gr_grains_view_command, options, 2, argc, argv, &path, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrStatus status = GR_OK;
    if (!(most >= 100 && most <= 1e7 && most == floor(most))) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--most"},
                              "%g is out of range; allowed: a whole number, 100 to 1e7", most);
    }
    status = status == GR_OK ? write_view(path, output, (int)most, &log) : status;
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_grains_view_command = {
    .name = "grains view",
    .summary = "a bed in the browser, coloured and cut open",
    .usage = "grains view BED.grains [-o FILE.html] [--most N]",
    .details =
        "Writes one HTML page that shows the grains of a prepared bed or of a snapshot of a test in 3D, coloured "
        "by speed,\nforce or depth and cut open at the body. Of more than --most grains it shows every second, "
        "third and so on.",
    .example = "  grouser grains wheel bed.grains --radius 0.04 --width 0.04 --load 4 --slip 0.3 --snapshots snaps\n"
               "  grouser grains view snaps/wheel_1.grains -o wheel.html",
    .run = run_view,
};
