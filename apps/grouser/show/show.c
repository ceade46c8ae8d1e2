/// grouser show: shows everything about one item. A new kind is one row in KINDS.
#include "show_rover.h"

#include "grouser/lander.h"
#include "grouser/model.h"
#include "grouser/soil.h"

#include "command.h"
#include "find.h"
#include "json.h"
#include "law.h"
#include "options.h"
#include "out_of_memory.h"
#include "page.h"
#include "report.h"
#include "soil_yaml.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- a soil law and the parameters that it reads

static void show_model_text(GrSoilLaw law, FILE *file)
{
    GrSoilDef usual = gr_default_soil_def();
    usual.law = law;
    fprintf(file, "%s: %s\n\n", gr_soil_law_name(law), gr_soil_law_text(law));
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "key|unit|allowed|>default|meaning");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const GrSoilParam *row = gr_soil_param(i);
        if (gr_soil_param_of_law(law, i)) {
            gr_table_text(&table, row->key);
            gr_table_text(&table, row->unit);
            gr_table_printf(&table, "%s%g … %g", row->open ? "above " : "", row->lower, row->upper);
            if (row->essential) {
                gr_table_text(&table, gr_soil_param_essential(&usual, i) ? "required" : "by form");
            } else {
                gr_table_number(&table, gr_soil_param_get(&usual, i), 6);
            }
            gr_table_text(&table, row->text);
        }
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    bool first = true;
    for (int i = 0; i < gr_soil_choice_count(); i++) {
        if (gr_soil_choice(i)->traits & gr_law(law)->traits) {
            fprintf(file, "%s%s", first ? "\nForms and add-ons: " : ", ", gr_soil_choice(i)->key);
            first = false;
        }
    }
    fputs(first ? "" : ".\n", file);
    fputs("by form: required by the forms and add-ons that use it.\n", file);
}

static void show_model_json(GrSoilLaw law, FILE *file)
{
    GrSoilDef usual = gr_default_soil_def();
    usual.law = law;
    GrJson out = gr_json_to_file(file, true);
    gr_json_begin_object(&out, NULL);
    gr_json_string(&out, "name", gr_soil_law_name(law));
    gr_json_string(&out, "title", gr_soil_law_text(law));
    gr_json_begin_array(&out, "parameters");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const GrSoilParam *row = gr_soil_param(i);
        if (gr_soil_param_of_law(law, i)) {
            gr_json_begin_object(&out, NULL);
            gr_json_string(&out, "name", row->name);
            gr_json_string(&out, "key", row->key);
            gr_json_string(&out, "unit", row->unit);
            gr_json_string(&out, "text", row->text);
            gr_json_number(&out, "lower", row->lower);
            gr_json_bool(&out, "lower_excluded", row->open);
            gr_json_number(&out, "upper", row->upper);
            gr_json_number(&out, "default", gr_soil_param_get(&usual, i));
            gr_json_bool(&out, "required", gr_soil_param_essential(&usual, i));
            gr_json_end(&out);
        }
    }
    gr_json_end(&out);
    gr_json_begin_array(&out, "forms");
    for (int i = 0; i < gr_soil_choice_count(); i++) {
        if (gr_soil_choice(i)->traits & gr_law(law)->traits) {
            gr_json_string(&out, NULL, gr_soil_choice(i)->key);
        }
    }
    gr_json_end(&out);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

// ---- a lander

static GrStatus place_level(const GrLanderDef *lander, GrLanderPlacement *out, GrErrorLog *log)
{
    const GrSite level = {0};
    return gr_lander_place(lander, &level, (GrLanderSpot){0}, out, log);
}

/// Size, feet and ramps, with the angles of the ramps on level ground.
static GrStatus show_lander_text(const GrLanderDef *d, FILE *file, GrErrorLog *log)
{
    GrLanderPlacement p;
    const GrStatus status = place_level(d, &p, log);
    if (status != GR_OK) {
        return status;
    }
    fprintf(file, "%s: %s\n\n", d->name, d->title);
    fprintf(file, "deck          %.3g m x %.3g m, %.3g m high\n", d->deck_length, d->deck_width, d->deck_height);
    fprintf(file, "mass centre   (%.3g, %.3g, %.3g) m\n", d->com.x, d->com.y, d->com.z);
    fprintf(file, "feet          %d\n", d->foot_count);
    if (d->corner_count > 0) {
        fprintf(file, "clearance     %.3g m on level ground\n", p.clearance);
    }
    fprintf(file, "tips over at  %.3g deg\n\n", p.stability / GR_DEGREE);
    GrTable table = {0};
    gr_table_heads(&table, "ramp|>direction [deg]|>length [m]|>width [m]|>gap [m]|>hinge [deg]|>on level ground [deg]");
    for (int i = 0; i < d->ramp_count; i++) {
        const GrLanderRamp *r = &d->ramps[i];
        gr_table_text(&table, r->name);
        gr_table_number(&table, r->direction / GR_DEGREE, 4);
        gr_table_number(&table, r->length, 3);
        gr_table_number(&table, r->width, 3);
        gr_table_number(&table, r->gap, 3);
        gr_table_printf(&table, "%.3g to %.3g", r->first / GR_DEGREE, r->last / GR_DEGREE);
        gr_table_number(&table, p.ramps[i].slope / GR_DEGREE, 3);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    return GR_OK;
}

static GrStatus show_lander_json(const GrLanderDef *d, FILE *file, GrErrorLog *log)
{
    GrLanderPlacement p;
    const GrStatus status = place_level(d, &p, log);
    if (status != GR_OK) {
        return status;
    }
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "name", d->name);
    gr_json_string(&json, "title", d->title);
    gr_json_number(&json, "deck_length_m", d->deck_length);
    gr_json_number(&json, "deck_width_m", d->deck_width);
    gr_json_number(&json, "deck_height_m", d->deck_height);
    gr_json_integer(&json, "feet", d->foot_count);
    gr_json_number(&json, "clearance_m", p.clearance);
    gr_json_number(&json, "stability_deg", p.stability / GR_DEGREE);
    gr_json_begin_array(&json, "ramps");
    for (int i = 0; i < d->ramp_count; i++) {
        const GrLanderRamp *r = &d->ramps[i];
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "name", r->name);
        gr_json_number(&json, "direction_deg", r->direction / GR_DEGREE);
        gr_json_number(&json, "length_m", r->length);
        gr_json_number(&json, "width_m", r->width);
        gr_json_number(&json, "gap_m", r->gap);
        gr_json_number(&json, "slope_deg", p.ramps[i].slope / GR_DEGREE);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    return gr_json_finish(&json);
}

// ---- all kinds

typedef struct ShowOptions {
    GrTextList overrides;
    const char *svg;
    const char *html;
    const char *model;
    const char *gravity;
    bool json;
} ShowOptions;

/// A page with the drawing and everything that is printed.
static GrStatus make_rover_page(const GrRoverView *view, GrPage *page, GrErrorLog *log)
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
        gr_page_figure(page, &svg, NULL);
        gr_page_input(page, text);
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
    GrStatus status = gr_options_gravity(options->gravity, &gravity, log);
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
            GrBuffer svg = {0};
            status = gr_rover_draw(&rover, &svg, log);
            exit_code =
                gr_report_exit_code(status == GR_OK ? gr_report_file(options->svg, &svg, options->json, log) : status);
            gr_buffer_free(&svg);
        }
        if (options->html != NULL && exit_code == GR_EXIT_OK) {
            GrPage page = {0};
            page.failed = make_rover_page(&view, &page, log) != GR_OK;
            exit_code = gr_report_exit_code(gr_report_page(options->html, &page, options->json, log));
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
    GrStatus status = gr_options_gravity(options->gravity, &gravity, log);
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
        gr_soil_plot(&view, &svg);
        exit_code = gr_report_exit_code(gr_report_file(options->svg, &svg, options->json, log));
    }
    if (options->html != NULL && exit_code == GR_EXIT_OK) {
        GrPage page = {0};
        gr_soil_page(&view, &page);
        exit_code = gr_report_exit_code(gr_report_page(options->html, &page, options->json, log));
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
        (options->json ? show_model_json : show_model_text)(law, stdout);
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
        status = (options->json ? show_lander_json : show_lander_text)(&lander, stdout, log);
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
