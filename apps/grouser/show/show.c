/// grouser show: shows everything about one item. A new kind is one row in KINDS.
#include "command.h"
#include "find.h"
#include "grouser/model.h"
#include "options.h"
#include "out_of_memory.h"
#include "page.h"
#include "report.h"
#include "show_lander.h"
#include "show_model.h"
#include "show_rover.h"
#include "show_soil.h"
#include "soil_yaml.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ShowOptions {
    GrTextList overrides;
    const char *svg;
    const char *html;
    const char *model;
    const char *gravity;
    bool json;
} ShowOptions;

/// A named gravity or a number [m/s²].
static GrStatus parse_gravity(const char *given, double *gravity, GrErrorLog *log)
{
    if (gr_gravity_named(given, gravity) || (gr_options_number(given, gravity) && *gravity >= 0)) {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--gravity"},
                        "'%s' is neither a known body (earth, moon, mars, ...) nor a number of at least 0 [m/s²]",
                        given);
}

/// Writes the drawing; returns an exit code.
static int write_drawing(const GrRoverDef *rover, const char *path, bool quiet, GrErrorLog *log)
{
    GrBuffer svg = {0};
    GrStatus status = gr_rover_draw(rover, &svg, log);
    if (status == GR_OK) {
        status = gr_file_write(path, svg.data, svg.size, log);
    }
    gr_buffer_free(&svg);
    if (status != GR_OK) {
        return GR_EXIT_FAILURE;
    }
    fprintf(quiet ? stderr : stdout, "%swrote %s\n", quiet ? "" : "\n", path);
    return GR_EXIT_OK;
}

/// Writes the result to a file and reports that; returns an exit code.
static int write_made(GrStatus made, GrBuffer *buffer, const char *path, bool quiet, GrErrorLog *log)
{
    if (made != GR_OK || buffer->failed) {
        gr_out_of_memory(log, NULL);
    }
    const bool good = made == GR_OK && !buffer->failed && gr_file_write(path, buffer->data, buffer->size, log) == GR_OK;
    if (good) {
        fprintf(quiet ? stderr : stdout, "%swrote %s\n", quiet ? "" : "\n", path);
    }
    gr_buffer_free(buffer);
    return good ? GR_EXIT_OK : GR_EXIT_FAILURE;
}

/// A page with the drawing and everything that is printed.
static GrStatus make_rover_page(const GrRoverView *view, GrBuffer *page, GrErrorLog *log)
{
    GrBuffer svg = {0};
    char *text = NULL, subtitle[GR_NAME_SIZE + 64];
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    GrStatus status = memory != NULL ? gr_rover_draw(view->rover, &svg, log) : GR_ERROR_MEMORY;
    if (memory != NULL) {
        gr_show_rover_text(view, memory);
        fclose(memory);
    }
    if (status == GR_OK && text != NULL) {
        snprintf(subtitle, sizeof subtitle, "%s, loads at %.4g m/s²", view->rover->name, view->gravity);
        gr_page_begin(page, view->rover->title[0] != '\0' ? view->rover->title : view->rover->name, subtitle);
        gr_page_svg(page, svg.data, NULL);
        gr_page_verbatim(page, text);
        gr_page_end(page);
    }
    gr_buffer_free(&svg);
    free(text);
    return status;
}

static int show_rover(const char *given, const ShowOptions *options, GrErrorLog *log)
{
    double gravity = 0;
    char path[GR_FILE_PATH_SIZE];
    GrRoverDef rover = gr_default_rover_def();
    GrRoverView view = {0};
    GrStatus status = parse_gravity(options->gravity, &gravity, log);
    if (status == GR_OK) {
        status = gr_find_file("rovers", "rover", given, path, log);
    }
    if (status == GR_OK) {
        status = gr_rover_load(path, options->overrides.items, &rover, log);
    }
    if (status == GR_OK) {
        status = gr_rover_check(&rover, log);
    }
    if (status == GR_OK) {
        status = gr_rover_view_make(&rover, gravity, &view, log);
    }
    int exit_code = gr_report_exit_code(status);
    if (status == GR_OK) {
        (options->json ? gr_show_rover_json : gr_show_rover_text)(&view, stdout);
        if (options->svg != NULL) {
            exit_code = write_drawing(&rover, options->svg, options->json, log);
        }
        if (options->html != NULL && exit_code == GR_EXIT_OK) {
            GrBuffer page = {0};
            status = make_rover_page(&view, &page, log);
            exit_code = write_made(status, &page, options->html, options->json, log);
        }
    }
    gr_rover_view_free(&view);
    gr_rover_free(&rover);
    return exit_code;
}

static int show_soil(const char *given, const ShowOptions *options, GrErrorLog *log)
{
    static GrSoilView view;
    double gravity = 0;
    GrStatus status = parse_gravity(options->gravity, &gravity, log);
    if (status == GR_OK) {
        status = gr_soil_load_spread(given, options->overrides.items, &view.soil, &view.sources, &view.spread, log);
    }
    if (status == GR_OK && options->model != NULL) {
        status = gr_soil_law_find(options->model, &view.soil.law, log);
    }
    view.gravity = gravity;
    if (status == GR_OK) {
        gr_soil_warn_ignored(&view.soil, &view.sources, GR_SOIL_USE_ANY, log);
    }
    if (status != GR_OK) {
        return gr_report_exit_code(status);
    }
    (options->json ? gr_show_soil_json : gr_show_soil_text)(&view, stdout);
    int exit_code = GR_EXIT_OK;
    if (options->svg != NULL) {
        GrBuffer svg = {0};
        exit_code = write_made(gr_soil_plot(&view, &svg), &svg, options->svg, options->json, log);
    }
    if (options->html != NULL && exit_code == GR_EXIT_OK) {
        GrBuffer page = {0};
        exit_code = write_made(gr_soil_page(&view, &page), &page, options->html, options->json, log);
    }
    return exit_code;
}

static int show_model(const char *given, const ShowOptions *options, GrErrorLog *log)
{
    GrSoilLaw law;
    if (options->overrides.count > 0 || options->svg != NULL || options->html != NULL || options->model != NULL) {
        gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "show model"},
                     "a law has no values to replace and no drawing; --json is its only option");
        return GR_EXIT_INPUT;
    }
    const GrStatus status = gr_soil_law_find(given, &law, log);
    if (status == GR_OK) {
        (options->json ? gr_show_model_json : gr_show_model_text)(law, stdout);
    }
    return gr_report_exit_code(status);
}

static int show_lander(const char *given, const ShowOptions *options, GrErrorLog *log)
{
    GrLanderDef lander;
    if (options->overrides.count > 0 || options->svg != NULL || options->html != NULL || options->model != NULL) {
        gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "show lander"}, "--json is its only option");
        return GR_EXIT_INPUT;
    }
    GrStatus status = gr_lander_load(given, &lander, log);
    if (status == GR_OK) {
        status = (options->json ? gr_show_lander_json : gr_show_lander_text)(&lander, stdout, log);
    }
    return gr_report_exit_code(status);
}

static const struct ShowKind {
    const char *name;
    int (*show)(const char *given, const ShowOptions *options, GrErrorLog *log);
} KINDS[] = {
    {"rover", show_rover},
    {"lander", show_lander},
    {"soil", show_soil},
    {"model", show_model},
};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static int run(int argc, char **argv)
{
    ShowOptions show = {.gravity = "earth"};
    const GrOption options[] = {
        {.name = "set",
         .value = "PATH=VALUE",
         .list = &show.overrides,
         .help = "replace a value of the file; may be repeated"},
        {.name = "gravity",
         .value = "NAME|NUMBER",
         .text = &show.gravity,
         .help = "earth (default), moon, mars, or [m/s²]"},
        {.name = "model", .value = "LAW", .text = &show.model, .help = "soil: in place of its own law"},
        {.name = "svg", .value = "FILE", .text = &show.svg, .help = "write a drawing; of a soil, its curves"},
        {.name = "html",
         .value = "FILE",
         .text = &show.html,
         .help = "write a page with drawing and numbers; of a soil, its curves"},
        {.name = "json", .flag = &show.json, .help = "print JSON"},
    };
    const char *arguments[2];
    int exit_code;
    if (gr_options_parse(&gr_command_show, options, 6, argc, argv, arguments, 2, 2, &exit_code) < 0) {
        return exit_code;
    }
    const char *names[KIND_COUNT];
    for (int i = 0; i < KIND_COUNT; i++) {
        names[i] = KINDS[i].name;
        if (strcmp(arguments[0], KINDS[i].name) == 0) {
            GrErrorLog log = {0};
            exit_code = KINDS[i].show(arguments[1], &show, &log);
            gr_report_log(&log);
            return exit_code;
        }
    }
    gr_report_error("show: '%s' cannot be shown%s", arguments[0],
                    gr_text_hint(arguments[0], names, KIND_COUNT, NULL).text);
    return GR_EXIT_INPUT;
}

const GrCommand gr_command_show = {
    .name = "show",
    .summary = "show a rover (mass, size, wheel loads), a lander, a soil (parameters, curves) or a soil law",
    .usage = "show rover|lander|soil|model NAME|FILE [--set PATH=VALUE]... [--gravity NAME|NUMBER] [--svg FILE] "
             "[--html FILE] "
             "[--json]",
    .details = "Shows a rover that ships with the program (by its name) or one of a file (by its path): mass, centre "
               "of\nmass, size, bodies, joints, motors, wheels and their loads at rest, and the sources of its "
               "numbers. Or a\nsoil: its parameters, which of them are published, derived or assumed, and its curves. "
               "Or a soil law (model):\nthe keys that it reads from soil files, with unit, range and default.",
    .example = "  grouser show rover curiosity_like --gravity mars --svg curiosity.svg\n"
               "  grouser show rover my_rover.yaml --set params.wheel_radius=0.3 --json\n"
               "  grouser show soil ishigami2007 --html soil.html\n"
               "  grouser show model wong_reece",
    .run = run,
    .arguments = "rover lander soil model @rovers @landers @soils @models",
};
