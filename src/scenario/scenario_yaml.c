#include "scenario_yaml.h"

#include "alloc.h"
#include "elementary.h"
#include "find.h"
#include "include.h"
#include "law.h"
#include "out_of_memory.h"
#include "rover_write.h"
#include "scenario_parts.h"
#include "text.h"
#include "world_cache.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/// Defaults where the soil is a grid: travel of a hub in a step [m], and the longest step [s], which limits wheels that
/// steer on the spot.
static const double SCM_TRAVEL = 5e-4, SCM_STEP = 0.005;

/// Sections that an override such as `--set step.step_ms=5` may create.
static const char *const SECTIONS[] = {"terrain", "soil_map", "wheel_soils", "hard", "start", "lander", "drive",
                                       "stop",    "step",     "record",      "sun",  "power", NULL};

/// Takes the overrides that begin with the prefix, without it; NULL: those without "rover:" or "soil:".
static bool take_overrides(const char *const *overrides, const char *prefix, GrOverrides *out)
{
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        const bool rover = strncmp(overrides[i], "rover:", 6) == 0, soil = strncmp(overrides[i], "soil:", 5) == 0;
        const bool mine = prefix != NULL ? strncmp(overrides[i], prefix, strlen(prefix)) == 0 : !rover && !soil;
        if (mine && !gr_overrides_add(out, overrides[i] + (prefix != NULL ? strlen(prefix) : 0), NULL)) {
            return false;
        }
    }
    return true;
}

/// The list `overrides` of the file, then those of the caller; NULL: too many. Free the result.
static const char **join_overrides(GrNode *root, const char *const *overrides)
{
    GrNode *list = gr_field_list(root, "overrides", GR_OPTIONAL);
    int count = list != NULL ? list->count : 0;
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        count++;
    }
    const char **all = gr_calloc((size_t)count + 1, sizeof *all);
    if (all == NULL) {
        gr_node_out_of_memory(root);
        return NULL;
    }
    int n = 0;
    for (GrNode *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        item->used = true;
        if (item->kind == GR_NODE_SCALAR) {
            all[n++] = item->text;
        } else {
            gr_node_error(item, GR_ERROR_VALUE, "an override is text, as in \"gravity=moon\"");
        }
    }
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        all[n++] = overrides[i];
    }
    return all;
}

static void read_rover(GrNode *root, GrOverrides *overrides, GrScenario *out)
{
    char path[GR_FILE_PATH_SIZE];
    GrNode *node = gr_field(root, "rover", GR_REQUIRED);
    if (node == NULL || !gr_read_use(node, "rovers", "rover", overrides, path)) {
        return;
    }
    if (node->kind == GR_NODE_MAPPING) {
        gr_fields_end(node);
    }
    GrDocument *document = root->document;
    gr_document_note(document,
                     gr_rover_load_shared(document->rovers, path, overrides->items, &out->rover, document->log));
    gr_text_copy(out->rover_file, sizeof out->rover_file, path);
}

/// Runs the mission's own checks here, where messages can name the line.
static void check_mission(GrNode *root, const GrMissionDef *mission)
{
    GrErrorLog log = {.quiet = true};
    if (root->document->status == GR_OK && gr_mission_check(mission, &log) != GR_OK) {
        GrNode *step = gr_node_find(root, "step");
        gr_node_error(step != NULL ? step : root, log.items[0].status, "%s: %s", log.items[0].field, log.items[0].text);
    }
}

/// Warns about wheels without a rim: soil laws treat all wheels as cylinders, unless they have a mesh and the law uses
/// it.
static void warn_rimless(const GrNode *root, const GrScenario *scenario)
{
    for (int i = 0; scenario->has_soil && i < scenario->rover.wheel_count; i++) {
        const GrWheelDef *wheel = &scenario->rover.wheels[i];
        if (wheel->rimless && !(wheel->surface != NULL && gr_law_has(scenario->soil.law, GR_LAW_GRAINS))) {
            gr_node_warning(gr_node_find(root, "soil"),
                            "wheels of this rover have no rim, and soil laws treat them as cylinders of their radius");
            return;
        }
    }
}

/// Warns about values of the rover's file that the scenario sets without effect.
static void warn_unread(const GrNode *root, const GrScenario *scenario, const char *const *rover)
{
    char path[GR_PATH_SIZE];
    if (root->document->status == GR_OK) {
        const GrLocation at = gr_node_location(gr_node_find(root, "rover"), path, sizeof path);
        gr_rover_warn_unread(rover, scenario, at, root->document->log);
    }
}

static void read_all(GrNode *root, GrOverrides *rover, GrOverrides *soil, GrScenario *out)
{
    gr_default_scenario(out);
    out->scene = gr_default_scene_def();
    if (out->scene.material_count == 0) {
        gr_node_out_of_memory(root);
        return;
    }
    gr_document_name(root->document, out->name, sizeof out->name);
    read_rover(root, rover, out);
    gr_read_soil(root, soil, out);
    if (out->has_soil && gr_soil_law_on_grid(out->soil.law)) { // nodes come into contact one after another
        out->mission.hub_travel = SCM_TRAVEL;
        out->mission.step_max = SCM_STEP;
    }
    gr_keys_read(root, gr_scenario_keys, out);
    gr_check_part_materials(root, out);
    check_mission(root, &out->mission);
    warn_rimless(root, out);
    gr_warn_soil(root, out);
    gr_warn_ignored(root, out);
    gr_warn_materials(root, out);
    warn_unread(root, out, rover->items);
    gr_document_warn_params(root->document);
}

/// Includes files and applies overrides. `lists`: those of the scenario, of its rover and of its soil. False after an
/// error.
static bool prepare(GrDocument *document, const char *const *overrides, GrBuffer *texts, GrOverrides lists[3])
{
    gr_overrides_clear(lists, 3);
    gr_document_include(document, GR_INCLUDE_SCENARIO, texts);
    const char **all = join_overrides(document->root, overrides);
    const bool taken = all != NULL && take_overrides(all, NULL, &lists[0]) &&
                       take_overrides(all, "rover:", &lists[1]) && take_overrides(all, "soil:", &lists[2]);
    if (!taken) {
        gr_node_error(document->root, GR_ERROR_USAGE, "more than %d overrides, or one of more than %d characters",
                      GR_OVERRIDES_MAX, GR_OVERRIDE_SIZE - 1);
    } else {
        document->sections = SECTIONS;
        gr_document_prepare(document, lists[0].items);
    }
    gr_free(all);
    return taken;
}

GrStatus gr_scenario_read_yaml(GrDocument *document, const char *const *overrides, GrBuffer *texts, GrScenario **out)
{
    GrOverrides *lists = gr_malloc(3 * sizeof *lists);
    *out = gr_calloc(1, sizeof **out);
    if (lists == NULL || *out == NULL) {
        gr_node_out_of_memory(document->root);
    } else if (prepare(document, overrides, texts, lists)) {
        read_all(document->root, &lists[1], &lists[2], *out);
    }
    gr_free(lists);
    if (document->status != GR_OK) {
        gr_scenario_free(*out);
        *out = NULL;
    }
    return document->status;
}

void gr_scenario_free(GrScenario *scenario)
{
    if (scenario == NULL) {
        return;
    }
    gr_rover_free(&scenario->rover);
    gr_free(scenario->path);
    gr_free(scenario->script);
    gr_free(scenario->manual);
    gr_free(scenario->moves);
    gr_free(scenario->sun_table);
    gr_parts_free(scenario->parts, scenario->part_count);
    gr_scene_def_free(&scenario->scene);
    gr_free(scenario->zones);
    gr_free(scenario->soil_sources);
    gr_free(scenario->wheel_soils);
    gr_free(scenario->wheel_soil);
    gr_free(scenario->input);
    gr_document_free(scenario->document);
    gr_free(scenario);
}

GrScenario *gr_scenario_share(const GrScenario *scenario)
{
    GrScenario *copy = gr_malloc(sizeof *copy);
    if (copy != NULL) {
        *copy = *scenario;
    }
    return copy;
}

const char *gr_scenario_name(const GrScenario *scenario)
{
    return scenario->name;
}

const char *gr_scenario_title(const GrScenario *scenario)
{
    return scenario->title;
}

const char *gr_scenario_input(const GrScenario *scenario)
{
    return scenario->input;
}

const GrRoverDef *gr_scenario_rover(const GrScenario *scenario)
{
    return &scenario->rover;
}

const GrSoilDef *gr_scenario_soil(const GrScenario *scenario)
{
    return scenario->has_soil ? &scenario->soil : NULL;
}

const GrMissionDef *gr_scenario_mission(const GrScenario *scenario)
{
    return &scenario->mission;
}

GrVec3 gr_scenario_gravity(const GrScenario *scenario)
{
    return scenario->gravity;
}

bool gr_scenario_has_sensors(const GrScenario *scenario)
{
    return scenario->record_sensors;
}

/// A file in memory.
typedef struct Source {
    char path[GR_FILE_PATH_SIZE];
    const char *text;
    size_t length;
} Source;

/// The text of the file, then the overrides, then the included files.
static GrStatus load_text(const Source *from, const char *const *overrides, const GrWorldCache *cache, GrScenario **out,
                          GrErrorLog *log)
{
    GrDocument *document;
    GrBuffer input = {0};
    const char *slash = strrchr(from->path, '/');
    gr_buffer_printf(&input, "# ---- %s\n", slash != NULL ? slash + 1 : from->path);
    gr_buffer_add(&input, from->text, from->length);
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        gr_buffer_printf(&input, "\n# ---- --set %s", overrides[i]);
    }
    gr_buffer_puts(&input, "\n");
    GrStatus status =
        gr_document_parse_shared(gr_world_cache_parsed(cache), from->text, from->length, from->path, &document, log);
    if (status == GR_OK) {
        document->rovers = gr_world_cache_rovers(cache);
        status = gr_scenario_read_yaml(document, overrides, &input, out);
        if (status == GR_OK && *out != NULL) {
            document->log = NULL; // these belong to the caller and may no longer exist
            document->rovers = NULL;
            document->parsed = NULL;
            (*out)->document = document;
        } else {
            gr_document_free(document);
        }
    }
    if (status == GR_OK && input.failed) {
        gr_scenario_free(*out);
        *out = NULL;
        status = gr_out_of_memory(log, from->path);
    }
    if (status != GR_OK || *out == NULL) {
        gr_buffer_free(&input);
        return status;
    }
    (*out)->input = input.data;
    gr_text_copy((*out)->file, sizeof(*out)->file, from->path);
    return GR_OK;
}

GrStatus gr_scenario_load(const char *name_or_path, const char *const *overrides, GrScenario **out, GrErrorLog *log)
{
    return gr_scenario_load_shared(name_or_path, overrides, NULL, out, log);
}

GrStatus gr_scenario_load_shared(const char *name_or_path, const char *const *overrides, GrWorldCache *cache,
                                 GrScenario **out, GrErrorLog *log)
{
    Source from;
    char *text = NULL;
    *out = NULL;
    GrStatus status = gr_find_file("scenarios", "scenario", name_or_path, from.path, log);
    if (status == GR_OK) {
        status = gr_file_read(from.path, GR_DOCUMENT_BYTES, &text, &from.length, log);
    }
    if (status == GR_OK) {
        from.text = text;
        status = load_text(&from, overrides, cache, out, log);
        gr_free(text);
    }
    return status;
}

GrStatus gr_scenario_parse(const char *path, const char *text, size_t size, const char *const *overrides,
                           GrScenario **out, GrErrorLog *log)
{
    Source from = {.text = text, .length = size};
    *out = NULL;
    gr_text_copy(from.path, sizeof from.path, path);
    return load_text(&from, overrides, NULL, out, log);
}

GrStatus gr_scenario_write_rover(const char *scenario, const char *const *overrides, GrBuffer *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrDocument *document = NULL;
    GrOverrides *lists = gr_malloc(3 * sizeof *lists);
    GrBuffer texts = {0};
    if (lists == NULL) {
        return gr_out_of_memory(log, scenario);
    }
    GrStatus status = gr_find_file("scenarios", "scenario", scenario, path, log);
    status = status == GR_OK ? gr_document_load(path, &document, log) : status;
    if (status == GR_OK && prepare(document, overrides, &texts, lists)) {
        GrNode *node = gr_field(document->root, "rover", GR_REQUIRED);
        const bool found = node != NULL && gr_read_use(node, "rovers", "rover", &lists[1], path);
        status = found ? gr_rover_write(path, lists[1].items, out, log) : document->status;
    } else if (status == GR_OK) {
        status = document->status;
    }
    gr_document_free(document);
    gr_buffer_free(&texts);
    gr_free(lists);
    return status;
}

bool gr_scenario_is_file(const char *path)
{
    GrDocument *document;
    const size_t length = strlen(path);
    const bool yaml = length > 5 && (strcmp(path + length - 5, ".yaml") == 0 || strcmp(path + length - 4, ".yml") == 0);
    if (!yaml || gr_document_load(path, &document, NULL) != GR_OK) {
        return false;
    }
    const GrNode *root = document->root;
    bool scenario = gr_node_find(root, "rover") != NULL || gr_node_find(root, "drive") != NULL ||
                    gr_node_find(root, "terrain") != NULL;
    if (!scenario && gr_node_find(root, "include") != NULL) { // of a rover, or of a scenario
        scenario = true;
        gr_document_include(document, GR_INCLUDE_ROVER, NULL);
    }
    scenario = scenario && gr_node_find(root, "bodies") == NULL && gr_node_find(root, "urdf") == NULL;
    gr_document_free(document);
    return scenario;
}
