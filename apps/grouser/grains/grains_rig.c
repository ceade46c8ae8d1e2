/// grouser grains plate, cone, shear and wheel: one test after another from the same bed.
#include "alloc.h"
#include "file.h"
#include "grains_command.h"
#include "grains_report.h"
#include "mesh_file.h"
#include "out_of_memory.h"
#include "vec3.h"
#include "wheel_study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct RigOptions {
    GrGrainsOptions common;
    GrBinRigKind kind;
    const char *diameters, *pressures, *slips, *angles, *annulus, *grousers, *loads;
    double depth, speed, travel, angle, radius, width; ///< NAN: not given
    double friction, rolling;
    const char *mesh; ///< file
    double scale;
} RigOptions;

static void set_given(double *out, double value)
{
    *out = isnan(value) ? *out : value;
}

/// What all cases have in common.
static GrStatus base_of(const RigOptions *o, GrBinRigDef *def, GrErrorLog *log)
{
    *def = gr_default_bin_rig_def(o->kind);
    set_given(&def->speed, o->speed);
    set_given(&def->travel, o->kind == GR_BIN_RIG_PLATE || o->kind == GR_BIN_RIG_CONE ? o->depth : o->travel);
    set_given(&def->wheel.radius, o->radius);
    set_given(&def->wheel.width, o->width);
    set_given(&def->friction, o->friction);
    set_given(&def->rolling, o->rolling);
    def->angle = isnan(o->angle) ? def->angle : o->angle * GR_PI / 180;
    if (o->annulus != NULL) {
        double *values = NULL;
        const int count = gr_wheel_values("--annulus", o->annulus, 0, 100, 1, &values, log);
        const bool good = count == 2 && values[0] > 0 && values[1] > values[0];
        if (good) {
            def->inner = values[0], def->diameter = values[1];
        }
        gr_free(values);
        if (!good) {
            return gr_options_refuse("--annulus", "takes two diameters INNER,OUTER [m]", log);
        }
    }
    if (o->kind == GR_BIN_RIG_WHEEL) {
        GrSoilWheelDef wheel = {.grouser_thickness = def->wheel.grouser_thickness};
        if (o->grousers != NULL && !gr_options_grousers(o->grousers, &wheel)) {
            return gr_options_refuse("--grousers", GR_OPTIONS_GROUSERS, log);
        }
        def->wheel.grouser_count = wheel.grouser_count;
        def->wheel.grouser_height = wheel.grouser_count > 0 ? wheel.grouser_height : def->wheel.grouser_height;
        if (wheel.grouser_thickness > 0) {
            def->wheel.grouser_thickness = wheel.grouser_thickness;
        }
    }
    return GR_OK;
}

/// The body from a file, in place of a plate or wheel of sizes.
static GrStatus take_mesh(const RigOptions *o, GrBinRigDef *def, GrSurfaceMesh *mesh, GrErrorLog *log)
{
    const double radius = isnan(o->radius) ? 0 : o->radius;
    if (o->mesh == NULL) {
        return isnan(o->scale) ? GR_OK : gr_options_refuse("--scale", "is of the --mesh, which is not given", log);
    }
    const char *other = o->diameters != NULL  ? "--diameter"
                        : o->grousers != NULL ? "--grousers"
                        : !isnan(o->width)    ? "--width"
                                              : NULL;
    if (other != NULL) {
        return gr_options_refuse(other, "is of another body than that of --mesh", log);
    }
    if (!isnan(o->scale) && !(o->scale >= 1e-6 && o->scale <= 1e6)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--scale"}, "%g is not between 1e-6 and 1e6",
                            o->scale);
    }
    GrSurfaceMesh raw;
    GrStatus status = gr_mesh_file_read(o->mesh, &raw, log);
    if (status != GR_OK) {
        return status;
    }
    GrSurfaceMesh *welded = gr_surface_mesh_weld(&raw, gr_vec3(1, 1, 1));
    gr_surface_mesh_free(&raw);
    if (welded == NULL) {
        return gr_out_of_memory(log, o->mesh);
    }
    *mesh = *welded; // which now owns its arrays
    gr_free(welded);
    return gr_bin_rig_fit_mesh(mesh, isnan(o->scale) ? 1 : o->scale, radius, def, log);
}

/// The cases: every diameter, pressure, or slip with every slip angle.
static GrStatus list_cases(const RigOptions *o, GrGrainsStudy *study, GrErrorLog *log)
{
    static const struct {
        const char *option, *usual;
        double lower, upper;
    } LISTS[] = {[GR_BIN_RIG_PLATE] = {"--diameter", "0.04", 1e-4, 10},
                 [GR_BIN_RIG_CONE] = {"--diameter", "0.02", 1e-4, 10},
                 [GR_BIN_RIG_SHEAR] = {"--pressures", "1000,2000", 1, 1e8},
                 [GR_BIN_RIG_WHEEL] = {"--slip", "0,0.3,0.6", -1, 1}};
    const char *given = o->kind == GR_BIN_RIG_SHEAR   ? o->pressures
                        : o->kind == GR_BIN_RIG_WHEEL ? o->slips
                                                      : o->diameters;
    double *values = NULL, *angles = NULL, *loads = NULL;
    GrBinRigDef base;
    const bool pressed = o->kind == GR_BIN_RIG_PLATE || o->kind == GR_BIN_RIG_CONE;
    GrStatus status = base_of(o, &base, log);
    status = status == GR_OK ? take_mesh(o, &base, &study->mesh, log) : status;
    const int count = gr_wheel_values(LISTS[o->kind].option, given != NULL ? given : LISTS[o->kind].usual,
                                      LISTS[o->kind].lower, LISTS[o->kind].upper, 1, &values, log);
    const int turns =
        gr_wheel_values("--slip-angle", o->angles != NULL ? o->angles : "0", -85, 85, GR_PI / 180, &angles, log);
    const int weights = gr_wheel_values("--load",
                                        o->loads != NULL ? o->loads
                                        : pressed        ? "0"
                                                         : "10",
                                        pressed && o->loads == NULL ? 0 : 1e-6, 1e9, 1, &loads, log);
    if (status == GR_OK && (count <= 0 || turns <= 0 || weights <= 0)) {
        status = GR_ERROR_USAGE;
    }
    if (status == GR_OK && (double)count * turns * weights > GR_GRAINS_CASES) {
        status = gr_options_refuse(LISTS[o->kind].option, "more than 64 cases", log);
    }
    for (int k = 0; status == GR_OK && k < count * turns * weights; k++) {
        GrBinRigDef def = base;
        const double value = values[k % count];
        if (o->kind == GR_BIN_RIG_SHEAR) {
            def.load = value * gr_bin_rig_area(&def);
        } else if (o->kind == GR_BIN_RIG_WHEEL) {
            def.slip = value, def.slip_angle = angles[k / count % turns], def.load = loads[k / count / turns];
        } else {
            def.diameter = def.shape.hash != 0 ? def.diameter : value;
            def.load = loads[k / count / turns];
        }
        study->cases[study->count++].def = def;
    }
    gr_free(values);
    gr_free(angles);
    gr_free(loads);
    return status;
}

static GrStatus run_study(const RigOptions *o, GrGrainsStudy *study, GrErrorLog *log)
{
    GrBin *bin = NULL;
    GrStatus status = gr_grains_check(&o->common, log);
    status = status == GR_OK ? list_cases(o, study, log) : status;
    if (status == GR_OK && o->common.resume && o->common.snapshots == NULL) {
        status = gr_options_refuse("--resume", "goes on from the folder of --snapshots", log);
    }
    status = status == GR_OK ? gr_grains_bed(&o->common, &bin, log) : status;
    status = status == GR_OK ? gr_grains_run(&o->common, bin, study, log) : status;
    if (status == GR_OK) {
        status = gr_grains_write(&o->common, study, bin, log);
    }
    gr_bin_free(bin);
    return status;
}

static int add_wheel_options(RigOptions *o, GrOption *options, int n)
{
    options[n++] = (GrOption){
        .name = "slip", .value = "LIST", .text = &o->slips, .help = "a,b,c or from:to:count; default 0,0.3,0.6"};
    options[n++] = (GrOption){.name = "slip-angle", .value = "LIST", .text = &o->angles, .help = "[deg]; default 0"};
    options[n++] = (GrOption){.name = "radius", .value = "M", .number = &o->radius, .help = "of the rim; default 0.05"};
    options[n++] = (GrOption){.name = "width", .value = "M", .number = &o->width, .help = "default 0.05"};
    options[n++] = (GrOption){.name = "grousers",
                              .value = "N,H[,T]",
                              .text = &o->grousers,
                              .help = "count, height, thickness [m]; default: none"};
    options[n++] = (GrOption){.name = "load", .value = "LIST", .text = &o->loads, .help = "[N]; default 10"};
    options[n++] = (GrOption){.name = "trace",
                              .value = "FILE",
                              .text = &o->common.trace,
                              .help = "write trough and crest of the tracks as CSV, for fit trace"};
    options[n++] = (GrOption){.name = "travel",
                              .value = "M",
                              .number = &o->travel,
                              .help = "of the rim or the axle, what is longer; default 0.1"};
    return n;
}

/// Returns their number.
static int list_options(RigOptions *o, GrOption options[GR_GRAINS_COMMON + 16])
{
    const bool wheel = o->kind == GR_BIN_RIG_WHEEL, shear = o->kind == GR_BIN_RIG_SHEAR,
               cone = o->kind == GR_BIN_RIG_CONE;
    int n = GR_GRAINS_COMMON;
    gr_grains_common(&o->common, "write the bed after the last test", options);
    options[n++] = (GrOption){
        .name = "speed", .value = "M/S", .number = &o->speed, .help = "of the body; default 0.05, wheel 0.1"};
    options[n++] = (GrOption){
        .name = "friction", .value = "MU", .number = &o->friction, .help = "of the body; default: that of walls"};
    options[n++] =
        (GrOption){.name = "rolling", .value = "MU", .number = &o->rolling, .help = "rolling resistance on the body"};
    options[n++] = (GrOption){.name = "snapshots",
                              .value = "DIR",
                              .text = &o->common.snapshots,
                              .help = "write one of each test every minute"};
    options[n++] = (GrOption){.name = "resume", .flag = &o->common.resume, .help = "go on from them"};
    if (wheel) {
        n = add_wheel_options(o, options, n);
    } else if (shear) {
        options[n++] = (GrOption){
            .name = "annulus", .value = "IN,OUT", .text = &o->annulus, .help = "diameters [m]; default 0.02,0.04"};
        options[n++] =
            (GrOption){.name = "pressures", .value = "LIST", .text = &o->pressures, .help = "[Pa]; default 1000,2000"};
        options[n++] = (GrOption){
            .name = "travel", .value = "M", .number = &o->travel, .help = "along the mean radius; default 0.02"};
    } else {
        options[n++] = (GrOption){
            .name = "diameter", .value = "LIST", .text = &o->diameters, .help = "[m]; default 0.04, cone 0.02"};
        options[n++] = (GrOption){.name = "load",
                                  .value = "LIST",
                                  .text = &o->loads,
                                  .help = "[N]; it sinks under it, at most to --depth, in place of moving at --speed"};
        options[n++] = (GrOption){.name = "depth", .value = "M", .number = &o->depth, .help = "default 0.02"};
    }
    if (!cone && !shear) {
        options[n++] = (GrOption){.name = "mesh",
                                  .value = "FILE",
                                  .text = &o->mesh,
                                  .help = wheel ? "OBJ or STL of the wheel, its axle along y through the origin"
                                                : "OBJ or STL of the body, z up, in place of a round plate"};
        options[n++] = (GrOption){
            .name = "scale", .value = "K", .number = &o->scale, .help = "metres a unit of the file; default 1"};
    }
    if (cone) {
        options[n++] = (GrOption){
            .name = "angle", .value = "DEG", .number = &o->angle, .help = "between axis and side; default 15"};
    }
    return n;
}

static int run_rig(const GrCommand *command, GrBinRigKind kind, int argc, char **argv)
{
    RigOptions o = {.kind = kind,
                    .depth = NAN,
                    .speed = NAN,
                    .travel = NAN,
                    .angle = NAN,
                    .radius = NAN,
                    .width = NAN,
                    .friction = NAN,
                    .rolling = NAN,
                    .scale = NAN};
    GrOption options[GR_GRAINS_COMMON + 16];
    const int n = list_options(&o, options);
    int exit_code;
    if (gr_options_parse(command, options, n, argc, argv, &o.common.bed, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrGrainsStudy *study = gr_calloc(1, sizeof *study);
    GrStatus status;
    if (study == NULL) {
        status = gr_out_of_memory(&log, NULL);
    } else {
        study->kind = kind;
        status = run_study(&o, study, &log);
        gr_grains_study_free(study);
    }
    gr_free(study);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

static int run_plate(int argc, char **argv)
{
    return run_rig(&gr_grains_plate_command, GR_BIN_RIG_PLATE, argc, argv);
}

static int run_cone(int argc, char **argv)
{
    return run_rig(&gr_grains_cone_command, GR_BIN_RIG_CONE, argc, argv);
}

static int run_shear(int argc, char **argv)
{
    return run_rig(&gr_grains_shear_command, GR_BIN_RIG_SHEAR, argc, argv);
}

static int run_wheel(int argc, char **argv)
{
    return run_rig(&gr_grains_wheel_command, GR_BIN_RIG_WHEEL, argc, argv);
}

const GrCommand gr_grains_plate_command = {
    .name = "grains plate",
    .summary = "round plates pushed into a bed",
    .usage = "grains plate BED --diameter A,B --depth M [--csv presses.csv] [OPTION]...",
    .details =
        "Pushes each plate down at a constant speed, or lets it sink under each --load. --mesh takes a body from an "
        "OBJ or\nSTL file; its diameter is then that of a circle of its plan. The CSV is one that grouser fit "
        "soil --plates reads.",
    .example = "  grouser grains plate bed.grains --diameter 0.03,0.04 --depth 0.015 --csv presses.csv\n"
               "  grouser grains plate bed.grains --mesh foot.stl --scale 0.001 --load 2,5",
    .run = run_plate,
};

const GrCommand gr_grains_cone_command = {
    .name = "grains cone",
    .summary = "cones pushed into a bed",
    .usage = "grains cone BED --diameter M --angle DEG --depth M [OPTION]...",
    .details =
        "Pushes a cone and its shaft down at a constant speed. The pressure is the force over the area of its base.",
    .example = "  grouser grains cone bed.grains --diameter 0.02 --depth 0.02 --json",
    .run = run_cone,
};

const GrCommand gr_grains_shear_command = {
    .name = "grains shear",
    .summary = "an annulus with blades, loaded and turned",
    .usage = "grains shear BED --annulus IN,OUT --pressures A,B [OPTION]...",
    .details =
        "Lowers an annulus under each pressure, and turns it. The shear stress is the torque over that of a stress "
        "which\n"
        "is equal everywhere below it; the answer has its largest value and a line of cohesion and friction through\n"
        "all pressures.",
    .example = "  grouser grains shear bed.grains --annulus 0.03,0.06 --pressures 500,1000,2000 --csv shear.csv",
    .run = run_shear,
};

const GrCommand gr_grains_wheel_command = {
    .name = "grains wheel",
    .summary = "a loaded wheel that drives with a slip and a slip angle",
    .usage = "grains wheel BED --radius M --width M --load N --slip LIST [OPTION]...",
    .details = "Lowers the wheel under its load and drives it. Means are over the second half of the travel, with "
               "standard errors\n"
               "from four parts of it. The CSV is one that grouser wheel --data and grouser fit soil --data read.\n"
               "--mesh takes a wheel from a file, such as grouser asset wheel writes; slip and sinkage are those of "
               "--radius.",
    .example = "  grouser grains wheel bed.grains --radius 0.04 --width 0.04 --load 4 --slip 0:0.6:4 --csv wheel.csv",
    .run = run_wheel,
};
