/// grouser rover: tools for rover files.
#include "command.h"
#include "file.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "urdf_guess.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const GrCommand rover_from_urdf;

// ---- rover from-urdf: a side file for a URDF

typedef struct Arguments {
    const char *urdf, *out;
    double massless;
    bool force, json;
} Arguments;

/// "x.urdf" has the side file "x.grouser.yaml", which `check`, `run` and all others find by its name.
static GrStatus name_side(const Arguments *a, char path[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    static const char END[] = ".urdf";
    const size_t length = strlen(a->urdf), tail = sizeof END - 1;
    const bool urdf = length > tail && strcasecmp(a->urdf + length - tail, END) == 0;
    const int size = a->out != NULL ? snprintf(path, GR_FILE_PATH_SIZE, "%s", a->out)
                                    : snprintf(path, GR_FILE_PATH_SIZE, "%.*s.grouser.yaml",
                                               (int)(length - (urdf ? tail : 0)), a->urdf);
    if (size >= GR_FILE_PATH_SIZE) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = a->urdf}, "the path is too long");
    }
    if (!a->force && gr_file_exists(path)) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path},
                            "exists; --force replaces it, -o FILE writes another");
    }
    return GR_OK;
}

static void print_found(const char *path, const GrUrdfGuess *g, bool as_json)
{
    if (as_json) {
        GrJson json = gr_json_to_file(stdout, true);
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "file", path);
        gr_json_integer(&json, "wheels", g->wheels);
        gr_json_integer(&json, "steered", g->steered);
        gr_json_integer(&json, "pivots", g->pivots);
        gr_json_integer(&json, "held", g->held);
        gr_json_bool(&json, "massless", g->massless);
        gr_json_end(&json);
        gr_json_finish(&json); // main() checks stdout
        return;
    }
    printf("%d wheels, %d steering joints, %d pivots of the suspension, %d joints held by motors%s\n", g->wheels,
           g->steered, g->pivots, g->held, g->massless ? "; links without mass get massless_kg" : "");
    printf("wrote %s: check its lines marked \"review\", then grouser check\n", path);
}

static GrStatus convert(const Arguments *a, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrBuffer text = {0};
    GrUrdfGuess found;
    GrStatus status = name_side(a, path, log);
    if (status == GR_OK) {
        status = gr_urdf_guess_side(a->urdf, a->massless, &text, &found, log);
    }
    if (status == GR_OK && found.wheels == 0) {
        gr_warning_add(
            log, (GrLocation){.file = a->urdf},
            "no wheel was found: a link on a continuous joint about a level axis that is named wheel or has a "
            "cylinder about that axis. Give the wheels in the side file");
    }
    if (status == GR_OK) {
        status = gr_file_write(path, text.data, text.size, log);
    }
    if (status == GR_OK) {
        print_found(path, &found, a->json);
    }
    gr_buffer_free(&text);
    return status;
}

static int run_urdf(int argc, char **argv)
{
    Arguments a = {.massless = 0.1};
    const GrOption options[] = {
        {.name = "out",
         .letter = 'o',
         .value = "FILE",
         .text = &a.out,
         .help = "the side file; default: FILE.grouser.yaml"},
        {.name = "massless",
         .value = "KG",
         .number = &a.massless,
         .help = "mass of links that move without one; default 0.1"},
        {.name = "force", .flag = &a.force, .help = "replace a side file that exists"},
        {.name = "json", .flag = &a.json, .help = "print JSON"},
    };
    int exit_code;
    if (gr_options_parse(&rover_from_urdf, options, (int)(sizeof options / sizeof options[0]), argc, argv, &a.urdf, 1,
                         1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    const GrStatus status = a.massless > 0 ? convert(&a, &log)
                                           : gr_error_add(&log, GR_ERROR_VALUE, (GrLocation){.field = "--massless"},
                                                          "found %g, allowed: more than 0 kg", a.massless);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

static const GrCommand rover_from_urdf = {
    .name = "rover from-urdf",
    .summary = "write the side file of a URDF: wheels, motors, steering, suspension",
    .usage = "rover from-urdf FILE.urdf [OPTION]...",
    .details =
        "Finds wheels by name, joint and cylinder, with radius and width of their collision shapes. Guesses which\n"
        "joints steer, which are pivots of the suspension and which are held by motors, and marks what needs "
        "review.",
    .example = "  grouser rover from-urdf leo.urdf\n"
               "  grouser check leo.urdf\n"
               "  grouser rover from-urdf m2020.urdf --massless 0.5 -o mars.yaml",
    .run = run_urdf,
};

// ---- the command

static const GrCommand *const PARTS[] = {&rover_from_urdf, NULL};

const GrCommand gr_command_rover = {
    .name = "rover",
    .summary = "make rover files from those of other programs",
    .usage = "rover SUBCOMMAND [OPTION]...",
    .details = "Rovers are YAML files, or URDF files with a side file that names wheels and motors.",
    .example = "  grouser rover from-urdf my_rover.urdf\n"
               "  grouser rover from-urdf --help",
    .parts = PARTS,
};
