/// grouser list: lists what ships with the program. A new kind is one row in KINDS.
#include "channel.h"
#include "command.h"
#include "contact_law.h"
#include "cuda.h"
#include "document.h"
#include "find.h"
#include "grains_yaml.h"
#include "grouser/lander.h"
#include "grouser/model.h"
#include "grouser/rover.h"
#include "grouser/soil_file.h"
#include "grouser/status.h"
#include "messages.h"
#include "options.h"
#include "processors.h"
#include "report.h"
#include "scenario_data.h"
#include "shipped.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- built-in items

/// "young_Pa, poisson, …": parameters that a law reads.
static void add_params(unsigned reads, GrTable *table)
{
    char text[400] = "";
    size_t length = 0;
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        if ((reads >> i & 1u) != 0 && length < sizeof text) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length > 0 ? ", " : "",
                                       gr_material_params[i].key);
        }
    }
    gr_table_text(table, text);
}

static void add_integrators(GrTable *table)
{
    for (int i = 0; i < GR_INTEGRATOR_COUNT; i++) {
        if (gr_integrator_is_built((GrIntegrator)i)) {
            gr_table_text(table, gr_integrator_name((GrIntegrator)i));
            gr_table_text(table, gr_integrator_text((GrIntegrator)i));
        }
    }
}

/// The processors, and the GPUs that this machine has; without one, why.
static void add_devices(GrTable *table)
{
    GrErrorLog log = {.quiet = true};
    int count;
    gr_table_text(table, "cpu");
    gr_table_printf(table, "%d processors of this machine", gr_processor_count());
    gr_table_value(table, NAN);
    if (gr_cuda_count(&count, &log) != GR_OK) {
        gr_table_text(table, "cuda");
        gr_table_text(table, gr_messages_at(&log, 0)->text);
        gr_table_value(table, NAN);
    }
    for (int i = 0; i < count; i++) {
        GrCudaInfo info;
        if (gr_cuda_info(i, &info, &log) == GR_OK) {
            gr_table_printf(table, "cuda:%d", i);
            gr_table_printf(table, "%s, %d multiprocessors, compute capability %d.%d", info.name, info.processors,
                            info.major, info.minor);
            gr_table_value(table, info.memory);
        }
    }
}

static void add_contact_laws(GrTable *table)
{
    for (int i = 0; i < GR_CONTACT_LAW_COUNT; i++) {
        gr_table_text(table, gr_contact_law_names[i]);
        gr_table_text(table, gr_contact_laws[i].text);
        add_params(gr_contact_laws[i].reads, table);
    }
}

static void add_friction_laws(GrTable *table)
{
    for (int i = 0; i < GR_FRICTION_LAW_COUNT; i++) {
        gr_table_text(table, gr_friction_law_names[i]);
        gr_table_text(table, gr_friction_laws[i].text);
        add_params(gr_friction_laws[i].reads, table);
    }
}

static void add_material_params(GrTable *table)
{
    GrMaterial usual = gr_default_material();
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        const GrMaterialParamRow *row = &gr_material_params[i];
        gr_table_text(table, row->key);
        gr_table_text(table, row->unit);
        if (isinf(row->upper)) {
            gr_table_printf(table, "%s %g", row->lower_open ? ">" : "≥", row->lower);
        } else {
            gr_table_printf(table, "%s%g to %g", row->lower_open ? "above " : "", row->lower, row->upper);
        }
        gr_table_value(table, *gr_material_value(&usual, (GrMaterialParam)i));
        gr_table_text(table, row->in_pair == SIZE_MAX ? "materials" : "materials, pairs");
        gr_table_text(table, row->text);
    }
}

static void add_models(GrTable *table)
{
    for (int i = 0; i < GR_SOIL_LAW_COUNT; i++) {
        gr_table_text(table, gr_soil_law_name((GrSoilLaw)i));
        gr_table_text(table, gr_soil_law_text((GrSoilLaw)i));
    }
}

/// A channel as it is named in run.csv: wheels and joints by "WHEEL" and "JOINT".
static void add_group(const GrChannelGroup *group, const char *owner, const char *of, GrTable *table)
{
    for (int i = 0; i < group->count; i++) {
        const GrChannelRow *row = &group->rows[i];
        gr_table_printf(table, "%s%s%s", owner, owner[0] != '\0' ? "." : "", row->name);
        gr_table_text(table, of);
        gr_table_text(table, gr_channel_unit(row->name)->text);
        gr_table_text(table, row->text);
    }
}

/// Channels of recordings.
static void add_channels(GrTable *table)
{
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        add_group(&gr_sample_groups[i].channels, gr_sample_groups[i].owner, gr_sample_groups[i].title, table);
    }
    add_group(&gr_wheel_channels, "WHEEL", "each wheel", table);
    add_group(&gr_joint_channels, "joint.JOINT", "each joint that turns", table);
    add_group(&gr_slider_channels, "joint.JOINT", "each joint that slides", table);
}

// ---- files; their names are in the table already

static GrStatus add_rover(const char *path, GrTable *table, GrErrorLog *log)
{
    GrRoverDef rover;
    const GrStatus status = gr_rover_load(path, NULL, &rover, log);
    double mass = 0;
    for (int i = 0; status == GR_OK && i < rover.body_count; i++) {
        mass += rover.bodies[i].mass;
    }
    if (status == GR_OK) {
        gr_table_value(table, rover.wheel_count);
        gr_table_value(table, mass);
        gr_table_text(table, rover.title);
        gr_rover_free(&rover);
    }
    return status;
}

static GrStatus add_soil(const char *path, GrTable *table, GrErrorLog *log)
{
    static GrSoilSources sources;
    GrSoilDef soil;
    const GrStatus status = gr_soil_load(path, NULL, &soil, &sources, log);
    int assumed = 0;
    for (int i = 0; status == GR_OK && i < sources.count; i++) {
        assumed += sources.items[i].confidence == GR_ASSUMED ? sources.items[i].of_count : 0;
    }
    if (status == GR_OK) {
        gr_table_text(table, gr_soil_law_name(soil.law));
        gr_table_values(table, (const double[]){soil.n0, soil.cohesion, soil.friction_angle / GR_DEGREE, assumed}, 4);
        gr_table_text(table, soil.title);
    }
    return status;
}

static GrStatus add_scenario(const char *path, GrTable *table, GrErrorLog *log)
{
    GrScenario *scenario = NULL;
    const GrStatus status = gr_scenario_load(path, NULL, &scenario, log);
    if (status == GR_OK) {
        gr_table_text(table, scenario->rover.name);
        gr_table_text(table, scenario->has_soil ? scenario->soil.name : "none");
        gr_table_value(table, scenario->mission.duration);
        gr_table_text(table, scenario->title);
        gr_scenario_free(scenario);
    }
    return status;
}

/// Only title and subject are read: a whole campaign is checked by running parts of it.
static GrStatus add_campaign(const char *path, GrTable *table, GrErrorLog *log)
{
    GrDocument *document;
    const GrStatus status = gr_document_load(path, &document, log);
    if (status == GR_OK) {
        const GrNode *title = gr_node_find(document->root, "title"), *subject = gr_node_find(document->root, "run");
        const GrNode *what = subject != NULL ? subject->first : NULL;
        const char *text = what != NULL && what->text != NULL ? what->text : "";
        gr_table_printf(table, "%.40s%s%.100s", what != NULL ? what->key : "?", text[0] != '\0' ? " " : "", text);
        gr_table_text(table, title != NULL && title->kind == GR_NODE_SCALAR ? title->text : "");
        gr_document_free(document);
    }
    return status;
}

static GrStatus add_lander(const char *path, GrTable *table, GrErrorLog *log)
{
    GrLanderDef lander;
    const GrStatus status = gr_lander_load(path, &lander, log);
    if (status == GR_OK) {
        gr_table_values(table, (const double[]){lander.foot_count, lander.ramp_count, lander.deck_height}, 3);
        gr_table_text(table, lander.title);
    }
    return status;
}

static GrStatus add_grains(const char *path, GrTable *table, GrErrorLog *log)
{
    GrGrainDef grains;
    const GrStatus status = gr_grains_load(path, &grains, log);
    if (status == GR_OK) {
        gr_table_values(table, (const double[]){grains.diameter, grains.density, grains.friction, grains.rolling}, 4);
        gr_table_text(table, grains.title);
    }
    return status;
}

// ---- all kinds

enum { COLUMNS = 8 };

typedef struct ListKind {
    const char *name; ///< as typed, as the folder under data/, and as the key in the JSON
    GrStatus (*add_item)(const char *path, GrTable *table, GrErrorLog *log);
    void (*add_built_in)(GrTable *table); ///< for items that are not files; then add_item is NULL
    GrColumn columns[COLUMNS];
} ListKind;

#define NAME(head)                                                                                                     \
    {                                                                                                                  \
        "name", head, 0, 0                                                                                             \
    }
#define TEXT(key, head)                                                                                                \
    {                                                                                                                  \
        key, head, 0, 0                                                                                                \
    }
#define NUMBER(key, head)                                                                                              \
    {                                                                                                                  \
        key, head, 1, 4                                                                                                \
    }
// clang-format off
static const ListKind KINDS[] = {
    {"scenarios", add_scenario, NULL,
     {NAME("name"), TEXT("rover", "rover"), TEXT("soil", "soil"), NUMBER("time_s", "time [s]"), TEXT("title", "title")}},
    {"campaigns", add_campaign, NULL, {NAME("name"), TEXT("runs", "runs"), TEXT("title", "title")}},
    {"rovers", add_rover, NULL,
     {NAME("name"), NUMBER("wheels", "wheels"), NUMBER("mass_kg", "mass [kg]"), TEXT("title", "title")}},
    {"landers", add_lander, NULL,
     {NAME("name"), NUMBER("feet", "feet"), NUMBER("ramps", "ramps"), NUMBER("deck_height_m", "deck [m]"),
      TEXT("title", "title")}},
    {"soils", add_soil, NULL,
     {NAME("name"), TEXT("law", "law"), NUMBER("n0", "n0"), NUMBER("c_Pa", "c [Pa]"), NUMBER("phi_deg", "φ [°]"),
      NUMBER("assumed", "assumed"), TEXT("title", "title")}},
    {"grains", add_grains, NULL,
     {NAME("name"), {"diameter_m", "diameter [mm]", 1000, 4}, NUMBER("density_kg_per_m3", "density [kg/m³]"),
      NUMBER("friction", "friction"), NUMBER("rolling", "rolling"), TEXT("title", "title")}},
    {"models", NULL, add_models, {NAME("name"), TEXT("title", "wheel on soft soil")}},
    {"integrators", NULL, add_integrators, {NAME("name"), TEXT("title", "integrator")}},
    {"contact-laws", NULL, add_contact_laws, {NAME("name"), TEXT("title", "law"), TEXT("parameters", "reads")}},
    {"friction-laws", NULL, add_friction_laws, {NAME("name"), TEXT("title", "law"), TEXT("parameters", "reads")}},
    {"hard-parameters", NULL, add_material_params,
     {NAME("key"), TEXT("unit", "unit"), TEXT("allowed", "allowed"), NUMBER("default", "default"), TEXT("of", "of"),
      TEXT("title", "meaning")}},
    {"devices", NULL, add_devices,
     {NAME("device"), TEXT("title", "what it is"), {"memory_bytes", "memory [GB]", 1e-9, 4}}},
    {"channels", NULL, add_channels,
     {NAME("channel"), TEXT("of", "of"), TEXT("unit", "unit"), TEXT("text", "meaning")}},
};
// clang-format on

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
static GrStatus list_all(const ListKind *kind, const GrNameList *names, GrTable *table, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    int count = 0;
    while (count < COLUMNS && kind->columns[count].key != NULL) {
        count++;
    }
    gr_table_columns(table, kind->columns, count);
    if (kind->add_built_in != NULL) {
        kind->add_built_in(table);
        return GR_OK;
    }
    gr_table_columns(table, &(GrColumn){"file", NULL, 0, 0}, 1);
    for (int i = 0; i < names->count; i++) {
        char path[GR_FILE_PATH_SIZE];
        if (gr_shipped_find(kind->name, names->names[i], ".yaml", path)) {
            const int before = table->cell_count;
            gr_table_text(table, names->names[i]);
            const GrStatus item = kind->add_item(path, table, log);
            gr_table_text(table, path);
            if (item != GR_OK) {
                gr_table_cut(table, before);
                status = item;
            }
        }
    }
    return status;
}

static GrStatus print_list(const ListKind *kind, const GrNameList *names, bool json, GrErrorLog *log)
{
    GrTable table = {0};
    const GrStatus status = list_all(kind, names, &table, log);
    if (json) {
        GrJson out = gr_json_to_file(stdout, true);
        gr_json_begin_object(&out, NULL);
        gr_table_json(&table, kind->name, &out);
        gr_json_end(&out);
        gr_json_finish(&out); // main() checks stdout
    } else {
        gr_table_print(&table, stdout);
    }
    gr_table_free(&table);
    return status;
}

static void print_names(const ListKind *kind, const GrNameList *names)
{
    GrErrorLog log = {.quiet = true};
    GrTable table = {0};
    for (int i = 0; i < names->count; i++) {
        puts(names->names[i]);
    }
    if (kind->add_built_in != NULL) {
        list_all(kind, names, &table, &log);
    }
    for (int i = 0; i < table.cell_count; i += table.column_count) {
        puts(table.cells[i].text);
    }
    gr_table_free(&table);
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
    .summary = "list scenarios, campaigns, rovers, landers, soils, grains and laws",
    .usage =
        "list "
        "scenarios|campaigns|rovers|landers|soils|grains|models|integrators|contact-laws|friction-laws|hard-parameters|"
        "devices|channels "
        "[--names] "
        "[--json]",
    .details = "Lists what ships with the program and the files in the folders of $GROUSER_DATA. For a soil it also "
               "shows how\nmany of its parameters are assumed; grouser show soil tells which ones. Models are laws of "
               "wheels on soil; contact and\nfriction laws act on rigid ground, rocks and parts (hard: of a scenario), "
               "and read the hard-parameters. Devices are what --device takes. Channels are the quantities of a\nrun: "
               "columns of run.csv, topics "
               "of run.mcap, columns in Python and for measures of campaigns.",
    .example = "  grouser list rovers\n"
               "  grouser list soils\n"
               "  GROUSER_DATA=my_data grouser list rovers --json",
    .run = run,
    .arguments = "scenarios campaigns rovers landers soils grains models integrators contact-laws friction-laws "
                 "hard-parameters devices channels",
};
