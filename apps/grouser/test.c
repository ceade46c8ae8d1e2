/// grouser test: standard tests of a rover.
#include "command.h"
#include "drive_study.h"
#include "file.h"
#include "find.h"
#include "grouser/soil_file.h"
#include "options.h"
#include "report.h"
#include "text.h"
#include "wheel_study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEGREE = 0.017453292519943295; // π / 180

/// A new test is one row here.
static const struct Kind {
    const char *name;
    GrDriveSweep sweep;
    const char *values; ///< of the sweep, when none are given: slopes [°], or pulls as parts of the weight
} KINDS[] = {
    {"gradeability", GR_SWEEP_SLOPE, "0:35:15"},
    {"drawbar", GR_SWEEP_PULL, "0:0.5:11"},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

typedef struct TestOptions {
    const char *soil, *model, *gravity, *slopes, *pulls, *html, *svg, *csv;
    GrTextList overrides, soil_overrides;
    double speed, heading, step;
    bool json;
} TestOptions;

static const struct Kind *find_kind(const char *name, GrErrorLog *log)
{
    const char *names[KIND_COUNT];
    for (int i = 0; i < KIND_COUNT; i++) {
        names[i] = KINDS[i].name;
        if (strcmp(KINDS[i].name, name) == 0) {
            return &KINDS[i];
        }
    }
    const char *nearest = gr_text_nearest(name, names, KIND_COUNT);
    gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "test"},
                 "there is no test '%s'; there are gradeability and drawbar%s%s%s", name,
                 nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "'?" : "");
    return NULL;
}

static double mass_of(const GrRoverDef *rover)
{
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass;
    }
    return mass;
}

static GrStatus read_inputs(const char *name, const TestOptions *o, GrRoverDef *rover, GrSoilDef *soil, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrStatus status = gr_find_file("rovers", "rover", name, path, log);
    if (status == GR_OK) {
        status = gr_rover_load(path, o->overrides.items, rover, log);
    }
    const GrStatus soil_status = gr_soil_load(o->soil, o->soil_overrides.items, soil, NULL, log);
    status = status == GR_OK ? soil_status : status;
    return status == GR_OK && o->model != NULL ? gr_soil_law_find(o->model, &soil->law, log) : status;
}

/// Slopes in rad, or pulls in N: given as such, or by default as parts of the weight.
static GrStatus read_values(const struct Kind *kind, const TestOptions *o, GrDriveStudy *study, GrErrorLog *log)
{
    if (kind->sweep == GR_SWEEP_SLOPE) {
        const char *text = o->slopes != NULL ? o->slopes : kind->values;
        study->count = gr_wheel_values("--slopes", text, -60, 60, DEGREE, &study->values, log);
    } else if (o->pulls != NULL) {
        study->count = gr_wheel_values("--pulls", o->pulls, -1e9, 1e9, 1, &study->values, log);
    } else {
        const double weight = study->mass * study->def.gravity;
        study->count = gr_wheel_values("--pulls", kind->values, 0, 1, weight, &study->values, log);
    }
    return study->count > 0 ? GR_OK : GR_ERROR_USAGE;
}

static GrStatus write_files(const GrDriveStudy *study, const TestOptions *o, FILE *say, GrErrorLog *log)
{
    const struct {
        const char *path;
        void (*write)(const GrDriveStudy *study, GrBuffer *out);
    } files[] = {{o->html, gr_drive_page}, {o->svg, gr_drive_svg}, {o->csv, gr_drive_csv}};
    GrStatus status = GR_OK;
    for (int i = 0; i < 3 && status == GR_OK; i++) {
        if (files[i].path == NULL) {
            continue;
        }
        GrBuffer buffer = {0};
        files[i].write(study, &buffer);
        status = gr_file_write(files[i].path, buffer.data, buffer.size, log);
        gr_buffer_free(&buffer);
        if (status == GR_OK) {
            fprintf(say, "wrote %s\n", files[i].path);
        }
    }
    return status;
}

static GrStatus run_test(const struct Kind *kind, const char *name, const TestOptions *o, GrErrorLog *log)
{
    GrRoverDef rover = gr_default_rover_def();
    GrSoilDef soil;
    GrDriveStudy study = {.sweep = kind->sweep, .def = gr_default_steady_drive_def(), .rover = name, .soil = o->soil};
    if (!gr_gravity_named(o->gravity, &study.def.gravity) && !gr_options_number(o->gravity, &study.def.gravity)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--gravity"},
                            "takes a known body (earth, moon, mars, ...) or a number above 0 [m/s²]");
    }
    GrStatus status = read_inputs(name, o, &rover, &soil, log);
    if (status == GR_OK) {
        study.def.rover = &rover;
        study.def.soil = &soil;
        study.def.speed = o->speed;
        study.def.heading = DEGREE * o->heading;
        study.def.step = o->step / 1000;
        study.mass = mass_of(&rover);
        status = read_values(kind, o, &study, log);
    }
    if (status == GR_OK) {
        status = gr_drive_study_run(&study, log);
    }
    if (status == GR_OK) {
        (o->json ? gr_drive_json : gr_drive_print)(&study, stdout);
        status = write_files(&study, o, o->json ? stderr : stdout, log);
    }
    gr_drive_study_free(&study);
    gr_rover_free(&rover);
    return status;
}

static int run(int argc, char **argv)
{
    TestOptions o = {.soil = "ishigami2007", .gravity = "earth", .speed = 0.05, .step = 5};
    const GrOption options[] = {
        {.name = "soil", .value = "NAME|FILE", .text = &o.soil, .help = "soil (default ishigami2007)"},
        {.name = "model", .value = "LAW", .text = &o.model, .help = "law of the soil (default: the soil's own)"},
        {.name = "gravity",
         .value = "NAME|NUMBER",
         .text = &o.gravity,
         .help = "earth (default), moon, mars, ... or m/s²"},
        {.name = "slopes",
         .value = "A:B:N|LIST",
         .text = &o.slopes,
         .help = "gradeability: slopes [°]; negative: down"},
        {.name = "heading", .value = "DEG", .number = &o.heading, .help = "between heading and the way up; 90: across"},
        {.name = "pulls",
         .value = "A:B:N|LIST",
         .text = &o.pulls,
         .help = "drawbar: pulls [N] (default: to half the weight)"},
        {.name = "speed", .value = "M/S", .number = &o.speed, .help = "of the rims [m/s] (default 0.05)"},
        {.name = "step", .value = "MS", .number = &o.step, .help = "of the integration [ms] (default 5)"},
        {.name = "set", .value = "PATH=VALUE", .list = &o.overrides, .help = "replace a value of the rover's file"},
        {.name = "set-soil",
         .value = "NAME=VALUE",
         .list = &o.soil_overrides,
         .help = "replace a parameter of the soil"},
        {.name = "html", .value = "FILE", .text = &o.html, .help = "write a page with plots"},
        {.name = "svg", .value = "FILE", .text = &o.svg, .help = "write the plots alone"},
        {.name = "csv", .value = "FILE", .text = &o.csv, .help = "write the numbers"},
        {.name = "json", .flag = &o.json, .help = "print JSON"},
    };
    const char *arguments[2];
    int exit_code;
    const int count = gr_options_parse(&gr_command_test, options, (int)(sizeof options / sizeof options[0]), argc, argv,
                                       arguments, 2, 2, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    const struct Kind *kind = find_kind(arguments[0], &log);
    const GrStatus status = kind != NULL ? run_test(kind, arguments[1], &o, &log) : GR_ERROR_USAGE;
    gr_report_log(&log);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_command_test = {
    .name = "test",
    .summary = "drive a rover over soft soil: slip against slope, or pull against slip",
    .usage = "test gradeability|drawbar ROVER [--soil NAME] [--gravity NAME] [--slopes A:B:N] [--html FILE] [--json]",
    .details = "gradeability: the rover drives straight up a plane of soft soil, slope after slope, until its motion "
               "is steady;\n"
               "slip, sinkage, torque and power, and the steepest slope it climbs. Negative slopes go down.\n"
               "drawbar: on level ground, held back by a pull at the chassis.",
    .example = "  grouser test gradeability curiosity_like --gravity mars --html climb.html\n"
               "  grouser test gradeability el_dorado2 --slopes -15:25:9 --heading 90 --json\n"
               "  grouser test drawbar viper_like --gravity moon --soil lunar_apollo",
    .run = run,
};
