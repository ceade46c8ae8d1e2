/// grouser wheel: the single-wheel rig.
#include "design.h"
#include "wheel_options.h"

#include "alloc.h"
#include "command.h"
#include "compare.h"
#include "file.h"
#include "out_of_memory.h"
#include "report.h"
#include "soil_param.h"
#include "statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// The slip angles that were measured, to whole tenths of a degree; those at 90° cannot be computed.
static GrStatus angles_of_data(GrWheelStudy *study, GrErrorLog *log)
{
    study->angles = gr_calloc((size_t)study->data.count + 1, sizeof *study->angles);
    if (study->angles == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < study->data.count; i++) {
        const double angle = round(study->data.items[i].value[GR_SLIP_ANGLE] / GR_DEGREE * 10) / 10 * GR_DEGREE;
        bool known = fabs(angle) > 89.5 * GR_DEGREE;
        for (int j = 0; j < study->angle_count; j++) {
            known = known || study->angles[j] == angle;
        }
        if (!known) {
            study->angles[study->angle_count++] = angle;
        }
    }
    if (study->angle_count == 0) {
        study->angles[study->angle_count++] = 0;
    }
    gr_sort(study->angles, study->angle_count);
    return GR_OK;
}

static GrStatus read_sweep(const GrWheelOptions *o, GrWheelStudy *study, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (o->data != NULL) {
        study->data_path = o->data;
        status = gr_wheel_data_load(o->data, o->motion.columns.items, &study->data, log);
        if (status == GR_OK && study->data.has_wheel) {
            gr_warning_add(log, (GrLocation){.file = o->data},
                           "columns that describe the wheel have no effect: the options give the wheel");
        }
    }
    double lowest = 0, highest = 0.9;
    for (int i = 0; i < study->data.count; i++) {
        lowest = fmin(lowest, study->data.items[i].value[GR_SLIP]);
        highest = fmax(highest, study->data.items[i].value[GR_SLIP]);
    }
    char range[64];
    snprintf(range, sizeof range, "%g:%g:%d", lowest, highest, o->data != NULL ? 61 : 19);
    if (status == GR_OK) {
        study->slip_count = gr_wheel_values("--slip", o->slip != NULL ? o->slip : range, -1, 1, 1, &study->slips, log);
        status = study->slip_count > 0 ? GR_OK : GR_ERROR_USAGE;
    }
    if (status == GR_OK && o->slip_angle == NULL && o->data != NULL) {
        status = angles_of_data(study, log);
    } else if (status == GR_OK) {
        study->angle_count = gr_wheel_values("--slip-angle", o->slip_angle != NULL ? o->slip_angle : "0", -89.5, 89.5,
                                             GR_DEGREE, &study->angles, log);
        status = study->angle_count > 0 ? GR_OK : GR_ERROR_USAGE;
    }
    return status;
}

static GrStatus write_files(const GrWheelOptions *o, const GrWheelStudy *study, GrPage *page, GrErrorLog *log)
{
    char csv_path[GR_FILE_PATH_SIZE], html_path[GR_FILE_PATH_SIZE];
    const char *csv = o->csv, *html = o->html;
    GrStatus status = GR_OK;
    if (o->folder != NULL) {
        status = gr_folder_make(o->folder, log);
        snprintf(csv_path, sizeof csv_path, "%.900s/wheel.csv", o->folder);
        snprintf(html_path, sizeof html_path, "%.900s/wheel.html", o->folder);
        csv = csv != NULL ? csv : csv_path;
        html = html != NULL ? html : html_path;
    }
    if (status == GR_OK && csv != NULL) {
        GrBuffer buffer = {0};
        gr_wheel_csv(study, &buffer);
        status = gr_report_file(csv, &buffer, o->json, log);
    }
    return status == GR_OK && html != NULL ? gr_report_page(html, page, o->json, log) : status;
}

static GrStatus compute(const GrWheelOptions *o, GrWheelStudy *study, GrErrorLog *log)
{
    GrRigDef def;
    GrStatus status;
    if (o->design_count > 0) {
        status = gr_wheel_add_designs(o, study, log);
    } else {
        status = gr_wheel_read_rig(o, study, &def, log);
        status = status == GR_OK ? gr_wheel_add_runs(o, &def, study, log) : status;
    }
    if (status == GR_OK) {
        gr_wheel_warn_ignored(o, study, log);
        status = read_sweep(o, study, log);
    }
    if (status == GR_OK) {
        status = gr_options_samples(o->uncertainty, gr_wheel_usual_samples(study), &study->sample_count, log);
    }
    return status == GR_OK ? gr_wheel_study_run(study, log) : status;
}

static GrStatus study_wheel(const GrWheelOptions *o, GrWheelStudy *study, GrErrorLog *log)
{
    GrStatus status = compute(o, study, log);
    if (status == GR_OK) {
        GrPage page = {0};
        gr_wheel_page(study, &page);
        o->json ? gr_wheel_json(study, stdout) : gr_page_print(&page, stdout);
        status = write_files(o, study, &page, log);
        gr_page_free(&page);
    }
    return status;
}

enum { RIG_OPTIONS = 17, STUDY_OPTIONS = 15 };

/// The wheel, its load and motion, and the soil.
static void fill_rig_options(GrWheelOptions *o, GrOption out[RIG_OPTIONS])
{
    const GrOption rows[] = {
        {.name = "soil", .value = "NAME|FILE", .text = &o->soil, .help = "see grouser list soils"},
        {.name = "radius", .value = "M", .number = &o->radius, .help = "radius of the smooth rim [m]"},
        {.name = "width", .value = "M", .number = &o->width, .help = "wheel width [m]"},
        {.name = "load", .value = "N", .number = &o->load, .help = "wheel load [N]"},
        {.name = "sinkage", .value = "M", .number = &o->sinkage, .help = "sinkage, instead of a load [m]"},
        {.name = "slip", .value = "SLIPS", .text = &o->slip, .help = "0.1, or 0,0.2,0.5, or from:to:count; -1 to 1"},
        {.name = "slip-angle",
         .value = "DEGREES",
         .text = &o->slip_angle,
         .help = "slip angles, in the same forms; default 0"},
        {.name = "model",
         .value = "LAW",
         .text = &o->model,
         .help = "law to use instead of the soil's own; see grouser list models"},
        {.name = "set",
         .value = "KEY=VALUE",
         .list = &o->overrides,
         .prefix = "soil:",
         .help = "a parameter of the soil, also as soil:KEY=VALUE; may be repeated"},
        {.name = "grousers", .value = "N,H[,T]", .text = &o->grousers, .help = "count, height and thickness [m]"},
        {.name = "grouser-model",
         .value = "MODEL",
         .text = &o->grouser_model,
         .help = "radius (default, or that of the rover), lugs or none"},
        {.name = "stiffness", .value = "N/M", .number = &o->stiffness, .help = "radial, of a flexible wheel [N/m]"},
        {.name = "slices", .value = "N", .number = &o->slices, .help = "across the width; default 1"},
        {.name = "mesh", .value = "FILE", .text = &o->mesh, .help = "wheel of any shape, OBJ or STL; law rft"},
        {.name = "rover", .value = "NAME|FILE", .text = &o->rover, .help = "take wheel and load from a rover"},
        {.name = "wheel", .value = "NAME", .text = &o->wheel, .help = "wheel of the rover; default: the first"},
        {.name = "gravity",
         .value = "NAME|NUMBER",
         .text = &o->gravity,
         .help = "earth (default), moon, mars, or [m/s²]"},
    };
    _Static_assert(sizeof rows / sizeof rows[0] == RIG_OPTIONS, "each has a place");
    memcpy(out, rows, sizeof rows);
}

/// How it is computed, what it is compared with, and where it is written.
static void fill_study_options(GrWheelOptions *o, GrOption out[STUDY_OPTIONS])
{
    const GrOption rows[] = {
        {.name = "dynamic", .flag = &o->dynamic, .help = "integrate a wheel on a carriage to its steady state"},
        {.name = "speed",
         .value = "M/S",
         .number = &o->speed,
         .help = "speed of rim or carriage, the faster one; default 0.05"},
        {.name = "cell",
         .value = "M",
         .number = &o->cell,
         .help = "scm, rft with --flow: cell size of the grid [m]; default 0.01"},
        {.name = "flow", .flag = &o->flow, .help = "scm, rft: displaced soil rises around the wheel and slumps"},
        {.name = "data",
         .value = "FILE",
         .text = &o->data,
         .help = "measured points, a CSV file; see docs/wheel-rig.md"},
        {.name = "motion",
         .value = "FILE",
         .text = &o->motion.file,
         .help = "positions or forces over time, a CSV file; see docs/wheel-rig.md"},
        {.name = "columns",
         .value = "NAME=COLUMN",
         .list = &o->motion.columns,
         .help = "what the columns of --data or --motion are; may be repeated"},
        {.name = "control",
         .value = "AXIS=KIND",
         .list = &o->motion.control,
         .help = "x, y or z of --motion by position or force; may be repeated"},
        {.name = "trench",
         .value = "FILE",
         .text = &o->motion.trench,
         .help = "write the ground that --motion leaves, as .tif or CSV"},
        {.name = "compare", .value = "A,B,C", .text = &o->compare, .help = "more laws, or more soils"},
        {.name = "uncertainty",
         .value = "N",
         .text = &o->uncertainty,
         .help = "samples of the soil for bands (default 32; scm, rft, --dynamic: 0)"},
        {.name = "output",
         .letter = 'o',
         .value = "DIR",
         .text = &o->folder,
         .help = "write wheel.csv and wheel.html there"},
        {.name = "html", .value = "FILE", .text = &o->html, .help = "write a page with plots"},
        {.name = "csv", .value = "FILE", .text = &o->csv, .help = "write the points as CSV"},
        {.name = "json", .flag = &o->json, .help = "print JSON"},
    };
    _Static_assert(sizeof rows / sizeof rows[0] == STUDY_OPTIONS, "each has a place");
    memcpy(out, rows, sizeof rows);
}

/// Fills the options; false when the command must end with `*exit_code`. `command` takes so many designs.
static bool parse(const GrCommand *command, int least, int most, int argc, char **argv, GrWheelOptions *o,
                  int *exit_code)
{
    GrOption options[RIG_OPTIONS + STUDY_OPTIONS];
    fill_rig_options(o, options);
    fill_study_options(o, options + RIG_OPTIONS);
    o->design_count =
        gr_options_parse(command, options, RIG_OPTIONS + STUDY_OPTIONS, argc, argv, o->designs, least, most, exit_code);
    return o->design_count >= 0;
}

static GrWheelOptions no_options(void)
{
    const double none = (double)NAN;
    return (GrWheelOptions){.radius = none,
                            .width = none,
                            .load = none,
                            .sinkage = none,
                            .stiffness = none,
                            .speed = none,
                            .cell = none,
                            .slices = none};
}

GrStatus gr_wheel_study_line(int argc, char **argv, GrWheelStudy *out, GrErrorLog *log)
{
    GrWheelOptions o = no_options();
    int exit_code;
    return parse(&gr_command_wheel, 0, 0, argc, argv, &o, &exit_code)
               ? compute(&o, out, log)
               : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "the wheel rig does not take it");
}

/// The rig with a prescribed motion, in the place of a study.
static GrStatus move_wheel(const GrWheelOptions *o, GrWheelStudy *study, GrErrorLog *log)
{
    const char *const without[] = {"--load", "--sinkage", "--slip", "--slip-angle", "--data", "--compare"};
    const bool given[] = {!isnan(o->load),       !isnan(o->sinkage), o->slip != NULL,
                          o->slip_angle != NULL, o->data != NULL,    o->compare != NULL};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i]) {
            return gr_wheel_usage(without[i], "has no place beside --motion, whose file has it", log);
        }
    }
    GrRigDef def;
    GrStatus status = gr_wheel_read_rig(o, study, &def, log);
    if (status == GR_OK && o->soil == NULL) {
        status = gr_wheel_usage("--soil", "is needed; see grouser list soils", log);
    }
    def.dynamic = true;
    status = status == GR_OK ? gr_wheel_add_run(o, &def, o->soil, o->model, study, log) : status;
    char csv[GR_FILE_PATH_SIZE], html[GR_FILE_PATH_SIZE];
    GrWheelMotion motion = o->motion;
    motion.csv = o->csv;
    motion.html = o->html;
    motion.json = o->json;
    if (status == GR_OK && o->folder != NULL) {
        status = gr_folder_make(o->folder, log);
        snprintf(csv, sizeof csv, "%.900s/wheel.csv", o->folder);
        snprintf(html, sizeof html, "%.900s/wheel.html", o->folder);
        motion.csv = o->csv != NULL ? o->csv : csv;
        motion.html = o->html != NULL ? o->html : html;
    }
    if (status == GR_OK) {
        const GrWheelRun *run = &study->runs[0];
        const int usual = gr_soil_law_is_fast(run->rig.def.soil.law) && !run->rig.def.flow ? 32 : 0;
        motion.spread = &run->spread;
        motion.sources = &run->sources;
        status = gr_options_samples(o->uncertainty, usual, &motion.samples, log);
    }
    return status == GR_OK ? gr_wheel_motion(&motion, &study->runs[0].rig.def, log) : status;
}

static int run_command(const GrCommand *command, int least, int most, int argc, char **argv)
{
    static GrWheelStudy study;
    GrErrorLog log = {0};
    GrWheelOptions o = no_options();
    int exit_code;
    if (!parse(command, least, most, argc, argv, &o, &exit_code)) {
        return exit_code;
    }
    const GrStatus status = o.motion.file != NULL ? move_wheel(&o, &study, &log) : study_wheel(&o, &study, &log);
    gr_wheel_study_free(&study);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

static int run(int argc, char **argv)
{
    return run_command(&gr_command_wheel, 0, 0, argc, argv);
}

int gr_compare_wheels(const GrCommand *command, int argc, char **argv)
{
    return run_command(command, 2, GR_WHEEL_RUNS, argc, argv);
}

const GrCommand gr_command_wheel = {
    .name = "wheel",
    .summary = "single-wheel rig: forces, torque and sinkage against slip and slip angle",
    .usage =
        "wheel --soil NAME|FILE --radius M --width M --load N|--sinkage M [--slip SLIPS] [--slip-angle DEGREES] ...\n"
        "       grouser wheel --soil NAME|FILE --radius M --width M --motion FILE [--control AXIS=KIND]...",
    .details =
        "Rolls one wheel over level soil with imposed slip and slip angle, free to sink under a load. Prints drawbar\n"
        "pull f_x, side force f_y (positive against the side slip), torque of the motor, sinkage and efficiency; the\n"
        "towed and the self-propelled point, the largest drawbar pull and the best efficiency. Ranges are bands of 90 "
        "%\n"
        "for what is not known of the soil. With --motion the wheel follows a file: position or force of each axis,\n"
        "wheel speed and slip angle over time.",
    .example =
        "  grouser wheel --soil ishigami2007 --radius 0.09 --width 0.11 --load 64.68 --slip 0:0.9:10 --slip-angle 5\n"
        "  grouser wheel --soil lunar_apollo --rover rashid_like --gravity moon --compare bekker,ding --html "
        "wheel.html\n"
        "  grouser wheel --soil ishigami2007 --radius 0.09 --width 0.11 --motion motion.csv --csv out.csv",
    .run = run,
};
