/// grouser list: lists what ships with the program. A new kind is one row in KINDS.
#include "command.h"
#include "contact_law.h"
#include "document.h"
#include "find.h"
#include "grouser/lander.h"
#include "grouser/model.h"
#include "grouser/rover.h"
#include "grouser/scenario.h"
#include "grouser/soil_file.h"
#include "grouser/status.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "shipped.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Receives items, for the table or for the JSON array, whichever is not NULL.
typedef struct GrListSink {
    GrTable *table;
    GrJson *json;
} GrListSink;

// ---- integrators and rigid contact: its laws, and the numbers of materials that they read

/// "young_Pa, poisson, …": parameters that a law reads.
static const char *params_of(unsigned reads, char *out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        if ((reads >> i & 1u) != 0 && length < size) {
            length += (size_t)snprintf(out + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       gr_material_params[i].key);
        }
    }
    return out;
}

static void add_law(GrListSink sink, const char *name, const char *text, unsigned reads)
{
    char params[400];
    params_of(reads, params, sizeof params);
    if (sink.table != NULL) {
        gr_table_text(sink.table, name);
        gr_table_text(sink.table, text);
        gr_table_text(sink.table, params);
    } else {
        gr_json_begin_object(sink.json, NULL);
        gr_json_string(sink.json, "name", name);
        gr_json_string(sink.json, "title", text);
        gr_json_string(sink.json, "parameters", params);
        gr_json_end(sink.json);
    }
}

static void list_integrator_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "integrator", GR_LEFT);
}

/// Names by index; NULL beyond the last.
static const char *list_integrator(int index)
{
    for (int i = 0; i < GR_INTEGRATOR_COUNT; i++) {
        if (gr_integrator_is_built((GrIntegrator)i) && index-- == 0) {
            return gr_integrator_name((GrIntegrator)i);
        }
    }
    return NULL;
}

static GrStatus list_integrators(GrListSink sink)
{
    for (int i = 0; i < GR_INTEGRATOR_COUNT; i++) {
        const GrIntegrator integrator = (GrIntegrator)i;
        if (gr_integrator_is_built(integrator) && sink.table != NULL) {
            gr_table_text(sink.table, gr_integrator_name(integrator));
            gr_table_text(sink.table, gr_integrator_text(integrator));
        } else if (gr_integrator_is_built(integrator)) {
            gr_json_begin_object(sink.json, NULL);
            gr_json_string(sink.json, "name", gr_integrator_name(integrator));
            gr_json_string(sink.json, "title", gr_integrator_text(integrator));
            gr_json_end(sink.json);
        }
    }
    return GR_OK;
}

static void list_law_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "law", GR_LEFT);
    gr_table_column(table, "reads", GR_LEFT);
}

static GrStatus list_contact_laws(GrListSink sink)
{
    for (int i = 0; i < GR_CONTACT_LAW_COUNT; i++) {
        add_law(sink, gr_contact_law_names[i], gr_contact_laws[i].text, gr_contact_laws[i].reads);
    }
    return GR_OK;
}

static GrStatus list_friction_laws(GrListSink sink)
{
    for (int i = 0; i < GR_FRICTION_LAW_COUNT; i++) {
        add_law(sink, gr_friction_law_names[i], gr_friction_laws[i].text, gr_friction_laws[i].reads);
    }
    return GR_OK;
}

static void list_param_columns(GrTable *table)
{
    gr_table_column(table, "key", GR_LEFT);
    gr_table_column(table, "unit", GR_LEFT);
    gr_table_column(table, "allowed", GR_LEFT);
    gr_table_column(table, "default", GR_RIGHT);
    gr_table_column(table, "of", GR_LEFT);
    gr_table_column(table, "meaning", GR_LEFT);
}

static GrStatus list_material_params(GrListSink sink)
{
    GrMaterial usual = gr_default_material();
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        const GrMaterialParamRow *row = &gr_material_params[i];
        const char *of = row->in_pair == SIZE_MAX ? "materials" : "materials, pairs";
        const double value = *gr_material_value(&usual, (GrMaterialParam)i);
        char allowed[64];
        if (isinf(row->upper)) {
            snprintf(allowed, sizeof allowed, "%s %g", row->lower_open ? ">" : "≥", row->lower);
        } else {
            snprintf(allowed, sizeof allowed, "%s%g to %g", row->lower_open ? "above " : "", row->lower, row->upper);
        }
        if (sink.table != NULL) {
            gr_table_text(sink.table, row->key);
            gr_table_text(sink.table, row->unit);
            gr_table_text(sink.table, allowed);
            gr_table_number(sink.table, value, 4);
            gr_table_text(sink.table, of);
            gr_table_text(sink.table, row->text);
        } else {
            gr_json_begin_object(sink.json, NULL);
            gr_json_string(sink.json, "name", row->key);
            gr_json_string(sink.json, "title", row->text);
            gr_json_string(sink.json, "unit", row->unit);
            gr_json_string(sink.json, "allowed", allowed);
            gr_json_number(sink.json, "default", value);
            gr_json_string(sink.json, "of", of);
            gr_json_end(sink.json);
        }
    }
    return GR_OK;
}

static const char *list_contact_law(int index)
{
    return index < GR_CONTACT_LAW_COUNT ? gr_contact_law_names[index] : NULL;
}

static const char *list_friction_law(int index)
{
    return index < GR_FRICTION_LAW_COUNT ? gr_friction_law_names[index] : NULL;
}

static const char *list_material_param(int index)
{
    return index < GR_MATERIAL_PARAM_COUNT ? gr_material_params[index].key : NULL;
}

// ---- all kinds

typedef struct ListKind {
    const char *name; ///< as typed, as the folder under data/, and as the key in the JSON
    void (*add_columns)(GrTable *table);
    GrStatus (*add_item)(const char *name, const char *path, GrListSink sink, GrErrorLog *log);
    GrStatus (*add_built_in)(GrListSink sink); ///< for items that are not files; then add_item is NULL
    const char *(*built_in_name)(int index);   ///< NULL beyond the last
} ListKind;

static void add_rover_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "wheels", GR_RIGHT);
    gr_table_column(table, "mass [kg]", GR_RIGHT);
    gr_table_column(table, "title", GR_LEFT);
}

static GrStatus add_rover(const char *name, const char *path, GrListSink sink, GrErrorLog *log)
{
    GrRoverDef rover;
    const GrStatus status = gr_rover_load(path, NULL, &rover, log);
    if (status != GR_OK) {
        return status;
    }
    double mass = 0;
    for (int i = 0; i < rover.body_count; i++) {
        mass += rover.bodies[i].mass;
    }
    if (sink.table != NULL) {
        gr_table_text(sink.table, name);
        gr_table_printf(sink.table, "%d", rover.wheel_count);
        gr_table_number(sink.table, mass, 4);
        gr_table_text(sink.table, rover.title);
    } else {
        gr_json_begin_object(sink.json, NULL);
        gr_json_string(sink.json, "name", name);
        gr_json_string(sink.json, "title", rover.title);
        gr_json_integer(sink.json, "wheels", rover.wheel_count);
        gr_json_number(sink.json, "mass_kg", mass);
        gr_json_string(sink.json, "file", path);
        gr_json_end(sink.json);
    }
    gr_rover_free(&rover);
    return GR_OK;
}

static void add_soil_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "law", GR_LEFT);
    gr_table_column(table, "n0", GR_RIGHT);
    gr_table_column(table, "c [Pa]", GR_RIGHT);
    gr_table_column(table, "φ [°]", GR_RIGHT);
    gr_table_column(table, "assumed", GR_RIGHT);
    gr_table_column(table, "title", GR_LEFT);
}

/// Number of assumed parameters of a soil.
static int count_assumed(const GrSoilSources *sources)
{
    int count = 0;
    for (int i = 0; i < sources->count; i++) {
        count += sources->items[i].confidence == GR_ASSUMED ? sources->items[i].of_count : 0;
    }
    return count;
}

static GrStatus add_soil(const char *name, const char *path, GrListSink sink, GrErrorLog *log)
{
    static GrSoilSources sources;
    GrSoilDef soil;
    const GrStatus status = gr_soil_load(path, NULL, &soil, &sources, log);
    if (status != GR_OK) {
        return status;
    }
    const double degrees = soil.friction_angle / GR_DEGREE;
    if (sink.table != NULL) {
        gr_table_text(sink.table, name);
        gr_table_text(sink.table, gr_soil_law_name(soil.law));
        gr_table_number(sink.table, soil.n0, 4);
        gr_table_number(sink.table, soil.cohesion, 4);
        gr_table_number(sink.table, degrees, 4);
        gr_table_printf(sink.table, "%d", count_assumed(&sources));
        gr_table_text(sink.table, soil.title);
    } else {
        gr_json_begin_object(sink.json, NULL);
        gr_json_string(sink.json, "name", name);
        gr_json_string(sink.json, "title", soil.title);
        gr_json_string(sink.json, "law", gr_soil_law_name(soil.law));
        gr_json_integer(sink.json, "assumed", count_assumed(&sources));
        gr_json_string(sink.json, "file", path);
        gr_json_end(sink.json);
    }
    return GR_OK;
}

static void add_model_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "wheel on soft soil", GR_LEFT);
}

static GrStatus add_models(GrListSink sink)
{
    for (int i = 0; i < GR_SOIL_LAW_COUNT; i++) {
        const char *name = gr_soil_law_name((GrSoilLaw)i), *text = gr_soil_law_text((GrSoilLaw)i);
        if (sink.table != NULL) {
            gr_table_text(sink.table, name);
            gr_table_text(sink.table, text);
        } else {
            gr_json_begin_object(sink.json, NULL);
            gr_json_string(sink.json, "name", name);
            gr_json_string(sink.json, "title", text);
            gr_json_end(sink.json);
        }
    }
    return GR_OK;
}

static const char *model_name(int index)
{
    return index < GR_SOIL_LAW_COUNT ? gr_soil_law_name((GrSoilLaw)index) : NULL;
}

static void add_scenario_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "rover", GR_LEFT);
    gr_table_column(table, "soil", GR_LEFT);
    gr_table_column(table, "time [s]", GR_RIGHT);
    gr_table_column(table, "title", GR_LEFT);
}

static GrStatus add_scenario(const char *name, const char *path, GrListSink sink, GrErrorLog *log)
{
    GrScenario scenario;
    const GrStatus status = gr_scenario_load(path, NULL, &scenario, log);
    if (status != GR_OK) {
        return status;
    }
    const char *soil = scenario.has_soil ? scenario.soil.name : "none";
    if (sink.table != NULL) {
        gr_table_text(sink.table, name);
        gr_table_text(sink.table, scenario.rover.name);
        gr_table_text(sink.table, soil);
        gr_table_number(sink.table, scenario.mission.duration, 4);
        gr_table_text(sink.table, scenario.title);
    } else {
        gr_json_begin_object(sink.json, NULL);
        gr_json_string(sink.json, "name", name);
        gr_json_string(sink.json, "title", scenario.title);
        gr_json_string(sink.json, "rover", scenario.rover.name);
        gr_json_string(sink.json, "soil", soil);
        gr_json_number(sink.json, "time_s", scenario.mission.duration);
        gr_json_string(sink.json, "file", path);
        gr_json_end(sink.json);
    }
    gr_scenario_free(&scenario);
    return GR_OK;
}

static void add_campaign_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "runs", GR_LEFT);
    gr_table_column(table, "title", GR_LEFT);
}

/// Only title and subject are read: a whole campaign is checked by running parts of it.
static GrStatus add_campaign(const char *name, const char *path, GrListSink sink, GrErrorLog *log)
{
    GrDocument *document;
    const GrStatus status = gr_document_load(path, &document, log);
    if (status != GR_OK) {
        return status;
    }
    const GrNode *title = gr_node_find(document->root, "title"), *subject = gr_node_find(document->root, "run");
    const char *text = title != NULL && title->kind == GR_NODE_SCALAR ? title->text : "";
    const GrNode *what = subject != NULL ? subject->first : NULL;
    char runs[160];
    snprintf(runs, sizeof runs, "%.40s%s%.100s", what != NULL ? what->key : "?",
             what != NULL && what->text != NULL ? " " : "", what != NULL && what->text != NULL ? what->text : "");
    if (sink.table != NULL) {
        gr_table_text(sink.table, name);
        gr_table_text(sink.table, runs);
        gr_table_text(sink.table, text);
    } else {
        gr_json_begin_object(sink.json, NULL);
        gr_json_string(sink.json, "name", name);
        gr_json_string(sink.json, "title", text);
        gr_json_string(sink.json, "runs", runs);
        gr_json_string(sink.json, "file", path);
        gr_json_end(sink.json);
    }
    gr_document_free(document);
    return GR_OK;
}

static void add_lander_columns(GrTable *table)
{
    gr_table_column(table, "name", GR_LEFT);
    gr_table_column(table, "feet", GR_RIGHT);
    gr_table_column(table, "ramps", GR_RIGHT);
    gr_table_column(table, "deck [m]", GR_RIGHT);
    gr_table_column(table, "title", GR_LEFT);
}

static GrStatus add_lander(const char *name, const char *path, GrListSink sink, GrErrorLog *log)
{
    GrLanderDef lander;
    const GrStatus status = gr_lander_load(path, &lander, log);
    if (status != GR_OK) {
        return status;
    }
    if (sink.table != NULL) {
        gr_table_text(sink.table, name);
        gr_table_printf(sink.table, "%d", lander.foot_count);
        gr_table_printf(sink.table, "%d", lander.ramp_count);
        gr_table_number(sink.table, lander.deck_height, 3);
        gr_table_text(sink.table, lander.title);
    } else {
        gr_json_begin_object(sink.json, NULL);
        gr_json_string(sink.json, "name", name);
        gr_json_string(sink.json, "title", lander.title);
        gr_json_integer(sink.json, "feet", lander.foot_count);
        gr_json_integer(sink.json, "ramps", lander.ramp_count);
        gr_json_number(sink.json, "deck_height_m", lander.deck_height);
        gr_json_string(sink.json, "file", path);
        gr_json_end(sink.json);
    }
    return GR_OK;
}

static const ListKind KINDS[] = {
    {"scenarios", add_scenario_columns, add_scenario, NULL, NULL},
    {"campaigns", add_campaign_columns, add_campaign, NULL, NULL},
    {"rovers", add_rover_columns, add_rover, NULL, NULL},
    {"landers", add_lander_columns, add_lander, NULL, NULL},
    {"soils", add_soil_columns, add_soil, NULL, NULL},
    {"models", add_model_columns, NULL, add_models, model_name},
    {"integrators", list_integrator_columns, NULL, list_integrators, list_integrator},
    {"contact-laws", list_law_columns, NULL, list_contact_laws, list_contact_law},
    {"friction-laws", list_law_columns, NULL, list_friction_laws, list_friction_law},
    {"hard-parameters", list_param_columns, NULL, list_material_params, list_material_param},
};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static const ListKind *find_kind(const char *given)
{
    const char *names[KIND_COUNT];
    for (int i = 0; i < KIND_COUNT; i++) {
        // Accept the singular too, as `show` does.
        const size_t length = strlen(KINDS[i].name);
        if (strcmp(given, KINDS[i].name) == 0 ||
            (strlen(given) == length - 1 && strncmp(given, KINDS[i].name, length - 1) == 0)) {
            return &KINDS[i];
        }
        names[i] = KINDS[i].name;
    }
    gr_report_error("list: unknown list: %s%s", given, gr_text_hint(given, names, KIND_COUNT, NULL).text);
    return NULL;
}

/// Lists what can be read; a file that cannot be read is reported, and the command then fails.
static GrStatus list_all(const ListKind *kind, const GrNameList *names, GrListSink sink, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (kind->add_built_in != NULL) {
        return kind->add_built_in(sink);
    }
    for (int i = 0; i < names->count; i++) {
        char path[GR_FILE_PATH_SIZE];
        if (!gr_shipped_find(kind->name, names->names[i], ".yaml", path)) {
            continue;
        }
        const GrStatus item = kind->add_item(names->names[i], path, sink, log);
        status = item != GR_OK ? item : status;
    }
    return status;
}

static GrStatus print_list(const ListKind *kind, const GrNameList *names, bool json, GrErrorLog *log)
{
    if (json) {
        GrJson out = gr_json_to_file(stdout, true);
        gr_json_begin_object(&out, NULL);
        gr_json_begin_array(&out, kind->name);
        const GrStatus status = list_all(kind, names, (GrListSink){.json = &out}, log);
        gr_json_end(&out);
        gr_json_end(&out);
        gr_json_finish(&out); // main() checks stdout
        return status;
    }
    GrTable table = {0};
    kind->add_columns(&table);
    const GrStatus status = list_all(kind, names, (GrListSink){.table = &table}, log);
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    return status;
}

static void print_names(const ListKind *kind, const GrNameList *names)
{
    for (int i = 0; i < names->count; i++) {
        puts(names->names[i]);
    }
    for (int i = 0; kind->built_in_name != NULL && kind->built_in_name(i) != NULL; i++) {
        puts(kind->built_in_name(i));
    }
}

static int run(int argc, char **argv)
{
    bool json = false, only_names = false;
    const GrOption options[] = {
        {.name = "names", .flag = &only_names, .help = "print only the names, one per line; files are not read"},
        {.name = "json", .flag = &json, .help = "print JSON"},
    };
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_command_list, options, 2, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    const ListKind *kind = find_kind(arguments[0]);
    if (kind == NULL) {
        return GR_EXIT_INPUT;
    }
    GrErrorLog log = {0};
    GrNameList names = {0};
    GrStatus status = kind->add_built_in != NULL ? GR_OK : gr_shipped_list(kind->name, ".yaml", &names, &log);
    if (status == GR_OK && names.count == 0 && kind->add_built_in == NULL) {
        status =
            gr_error_add(&log, GR_ERROR_FILE, (GrLocation){0},
                         "no %s were found; set GROUSER_DATA to the folder that holds %s/", kind->name, kind->name);
    }
    if (status == GR_OK && only_names) {
        print_names(kind, &names);
    } else if (status == GR_OK) {
        status = print_list(kind, &names, json, &log);
    }
    gr_name_list_free(&names);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_command_list = {
    .name = "list",
    .summary = "list scenarios, campaigns, rovers, landers, soils and laws",
    .usage =
        "list scenarios|campaigns|rovers|landers|soils|models|integrators|contact-laws|friction-laws|hard-parameters "
        "[--names] "
        "[--json]",
    .details = "Lists what ships with the program and what is in the folders of $GROUSER_DATA. For a soil it also "
               "shows how\nmany of its parameters are assumed; grouser show soil tells which ones. Models are laws of "
               "wheels on soil; contact and\nfriction laws act on rigid ground, rocks and parts (hard: of a scenario), "
               "and read the hard-parameters.",
    .example = "  grouser list rovers\n"
               "  grouser list soils\n"
               "  GROUSER_DATA=my_data grouser list rovers --json",
    .run = run,
    .arguments =
        "scenarios campaigns rovers landers soils models integrators contact-laws friction-laws hard-parameters",
};
