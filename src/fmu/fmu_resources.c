#include "fmu_resources.h"

#include "fmu_contact.h"

#include "alloc.h"
#include "asset_id.h"
#include "file.h"
#include "grouser/version.h"
#include "out_of_memory.h"
#include "raster_nodes.h"
#include "shipped.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 1 << 16, OVERRIDES_MAX = 256 };

const char gr_fmu_list_name[] = "grouser.txt";

/// Folders of shipped data in which a unit looks for names.
static const char *const KINDS[] = {"scenarios", "rovers", "soils", "landers"};

// ---- collecting

/// Absolute path without links; false where there is no such file, or it is too long.
static bool real_path(const char *path, char out[GR_FILE_PATH_SIZE])
{
    char real[PATH_MAX];
    return realpath(path, real) != NULL && gr_text_copy(out, GR_FILE_PATH_SIZE, real);
}

/// Adds a file by its absolute path, once.
static void add_file(GrFmuFiles *files, const char *from, const char *data, size_t size)
{
    for (int i = 0; i < files->count; i++) {
        if (strcmp(files->items[i].from, from) == 0) {
            return;
        }
    }
    if (files->count == files->capacity) {
        const int capacity = 2 * files->capacity + 16;
        GrFmuFile *items = gr_realloc(files->items, sizeof *items * (size_t)capacity);
        if (items == NULL) {
            files->failed = true;
            return;
        }
        files->items = items;
        files->capacity = capacity;
    }
    GrFmuFile *file = &files->items[files->count++];
    *file = (GrFmuFile){.path = ""};
    gr_buffer_add(&file->data, data, size);
    files->failed = files->failed || file->data.failed || !gr_text_copy(file->from, sizeof file->from, from);
}

static void see(void *context, const char *path, const char *data, size_t size)
{
    char real[GR_FILE_PATH_SIZE];
    if (real_path(path, real)) {
        add_file(context, real, data, size);
    } else {
        ((GrFmuFiles *)context)->failed = true;
    }
}

void gr_fmu_files_free(GrFmuFiles *files)
{
    for (int i = 0; i < files->count; i++) {
        gr_buffer_free(&files->items[i].data);
    }
    gr_free(files->items);
    *files = (GrFmuFiles){0};
}

/// Place of a shipped file, KIND/NAME.yaml, or NULL: some place that is searched has it under this path.
static const char *shipped_place(const char *path)
{
    const char *name = strrchr(path, '/');
    char found[GR_FILE_PATH_SIZE], stem[GR_NAME_SIZE];
    if (name == NULL || strlen(name) < 7 || strlen(name) - 5 > sizeof stem ||
        strcmp(name + strlen(name) - 5, ".yaml") != 0) {
        return NULL;
    }
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(name) - 6), name + 1);
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        const size_t length = strlen(KINDS[k]);
        if ((size_t)(name - path) > length && strncmp(name - length, KINDS[k], length) == 0 &&
            gr_shipped_find(KINDS[k], stem, ".yaml", found)) {
            char real[GR_FILE_PATH_SIZE];
            if (real_path(found, real) && strcmp(real, path) == 0) {
                return name - length;
            }
        }
    }
    return NULL;
}

/// Length of the folder that all of the user's own files have in common, with its slash.
static size_t common_folder(const GrFmuFiles *files)
{
    const char *first = NULL;
    size_t common = 0;
    for (int i = 0; i < files->count; i++) {
        const char *path = files->items[i].from;
        if (shipped_place(path) != NULL) {
            continue;
        }
        if (first == NULL) {
            first = path;
            common = (size_t)(strrchr(path, '/') - path) + 1;
        }
        while (strncmp(first, path, common) != 0) {
            do {
                common--;
            } while (common > 1 && first[common - 1] != '/');
        }
    }
    return common;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const GrFmuFile *)a)->path, ((const GrFmuFile *)b)->path);
}

static GrStatus place_files(GrFmuFiles *files, const char *scenario, char scenario_path[GR_FILE_PATH_SIZE],
                            GrErrorLog *log)
{
    const size_t common = common_folder(files);
    char real[GR_FILE_PATH_SIZE];
    const bool found = real_path(scenario, real);
    GrStatus status = GR_OK;
    for (int i = 0; i < files->count; i++) {
        GrFmuFile *file = &files->items[i];
        const char *shipped = shipped_place(file->from);
        const int length = shipped != NULL ? snprintf(file->path, sizeof file->path, "%s", shipped)
                                           : snprintf(file->path, sizeof file->path, "files/%s", file->from + common);
        if (length >= (int)sizeof file->path) {
            status = gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = file->from}, "the path is too long");
        }
        if (found && strcmp(file->from, real) == 0) {
            gr_text_copy(scenario_path, GR_FILE_PATH_SIZE, file->path);
        }
    }
    qsort(files->items, (size_t)files->count, sizeof *files->items, by_path);
    return status;
}

static bool was_read(const GrFmuFiles *files, const char *path)
{
    char real[GR_FILE_PATH_SIZE];
    bool found = false;
    for (int i = 0; real_path(path, real) && i < files->count; i++) {
        found = found || strcmp(files->items[i].from, real) == 0;
    }
    return found;
}

/// What the binaries of units leave out.
static GrStatus refuse_others(const GrScenario *s, GrErrorLog *log)
{
    if (s->integrator == GR_INTEGRATOR_CVODE) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = s->file, .field = "integrator"},
                            "not available in a unit; allowed: linear, euler, beeman");
    }
    return GR_OK;
}

/// Stores a map that GDAL has read as plain nodes.
static GrStatus add_nodes(const char *map, const GrRasterOptions *options, GrFmuFiles *files, GrErrorLog *log)
{
    GrRaster raster;
    GrBuffer nodes = {0};
    char real[GR_FILE_PATH_SIZE], name[GR_FILE_PATH_SIZE + 16];
    GrErrorLog again = {.quiet = true}; // the scenario has given its warnings
    GrStatus status = gr_raster_open(map, options, &raster, &again);
    if (status != GR_OK || !real_path(map, real)) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = map}, "the map cannot be read again");
    }
    status = gr_raster_nodes_write(&raster, map, &nodes, log);
    gr_raster_close(&raster);
    snprintf(name, sizeof name, "%s%s", real, GR_NODES_SUFFIX);
    if (status == GR_OK) {
        add_file(files, name, nodes.data, nodes.size);
    }
    gr_buffer_free(&nodes);
    return files->failed ? gr_out_of_memory(log, map) : status;
}

/// Maps that GDAL has read are not among the files: a unit has no GDAL.
static GrStatus add_rasters(const GrScenario *s, GrFmuFiles *files, GrErrorLog *log)
{
    const GrRasterOptions plain = gr_default_raster_options();
    struct {
        const char *path;
        const GrRasterOptions *options;
    } maps[3 + GR_SCENARIO_LAYERS] = {
        {s->terrain.file, &s->terrain.raster}, {s->soil_map.file, &plain}, {s->hard_map.file, &plain}};
    int count = 3;
    for (int i = 0; i < s->terrain.layer_count; i++, count++) {
        maps[count].path = s->terrain.layers[i].file;
        maps[count].options = &s->terrain.layers[i].raster;
    }
    GrStatus status = GR_OK;
    for (int i = 0; i < count && status == GR_OK; i++) {
        for (int k = 0; k < i && maps[i].path[0] != '\0'; k++) {
            if (strcmp(maps[i].path, maps[k].path) == 0 && !was_read(files, maps[i].path)) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = maps[i].path},
                                    "is used as two maps; a unit needs a file for each map");
            }
        }
        if (maps[i].path[0] != '\0' && !was_read(files, maps[i].path)) {
            status = add_nodes(maps[i].path, maps[i].options, files, log);
        }
    }
    return status;
}

GrFmuUnit *gr_fmu_collect(const GrFmuUnitDef *def, GrFmuFiles *files, char scenario_path[GR_FILE_PATH_SIZE],
                          GrErrorLog *log)
{
    const GrFileWatch watch = {see, files};
    *files = (GrFmuFiles){0};
    scenario_path[0] = '\0';
    gr_file_watch(&watch);
    GrFmuUnit *unit = gr_fmu_unit_create(def, log);
    gr_file_watch(NULL);
    if (unit == NULL) {
        return NULL;
    }
    const GrScenario *s = gr_fmu_unit_scenario(unit);
    GrStatus status = files->failed ? gr_out_of_memory(log, NULL) : refuse_others(s, log);
    status = status == GR_OK ? add_rasters(s, files, log) : status;
    if (status == GR_OK) {
        status = place_files(files, s->file, scenario_path, log);
    }
    if (status != GR_OK) {
        gr_fmu_unit_free(unit);
        return NULL;
    }
    return unit;
}

// ---- the list

/// Hash of names, types and roles, in their order.
static void hash_variables(const GrFmuVariables *variables, char id[GR_ASSET_ID_SIZE])
{
    GrAssetHash hash = gr_asset_hash_begin("fmu variables");
    for (int i = 0; i < variables->count; i++) {
        const GrFmuVariable *v = &variables->items[i];
        const int kind[3] = {(int)v->role, (int)v->type, (int)v->choice};
        gr_asset_hash_text(&hash, v->name);
        gr_asset_hash_bytes(&hash, kind, sizeof kind);
    }
    gr_asset_hash_end(&hash, id);
}

void gr_fmu_list_write(const char *token, const GrFmuUnit *unit, const char *scenario_path,
                       const char *const *overrides, GrBuffer *out)
{
    char id[GR_ASSET_ID_SIZE];
    hash_variables(gr_fmu_unit_variables(unit), id);
    gr_buffer_printf(out, "token %s\nvariables %s\nscenario %s\n", token, id, scenario_path);
    if (gr_fmu_unit_contact(unit) != GR_FMU_ROVER) {
        gr_buffer_printf(out, "contact %s\n", gr_fmu_contact_name(gr_fmu_unit_contact(unit)));
    }
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        gr_buffer_printf(out, "set %s\n", overrides[i]);
    }
}

/// The list of a folder, taken apart in place.
typedef struct List {
    const char *token, *variables, *scenario, *contact;
    const char *overrides[OVERRIDES_MAX + 1];
    int override_count;
} List;

static GrStatus read_list(char *text, const char *file, List *out, GrErrorLog *log)
{
    *out = (List){.token = "", .variables = "", .contact = ""};
    int line = 0;
    for (char *at = text; at != NULL && *at != '\0';) {
        char *end = strchr(at, '\n'), *value = strchr(at, ' ');
        line++;
        if (end == NULL || value == NULL || value > end) {
            return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = file, .line = line},
                                "expected a word and a value");
        }
        *end = *value++ = '\0';
        if (strcmp(at, "token") == 0) {
            out->token = value;
        } else if (strcmp(at, "variables") == 0) {
            out->variables = value;
        } else if (strcmp(at, "scenario") == 0) {
            out->scenario = value;
        } else if (strcmp(at, "contact") == 0) {
            out->contact = value;
        } else if (strcmp(at, "set") == 0 && out->override_count < OVERRIDES_MAX) {
            out->overrides[out->override_count++] = value;
        } else {
            return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){.file = file, .line = line}, "found '%.40s'", at);
        }
        at = end + 1;
    }
    return out->scenario != NULL
               ? GR_OK
               : gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = file}, "no scenario is named");
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/// The path of a folder that is given as a path or as a URI (file:/a, file:///a, file://localhost/a), without a slash
/// at its end. False when it is too long or another scheme.
static bool folder_path(const char *given, char out[GR_FILE_PATH_SIZE])
{
    const bool uri = strncmp(given, "file:", 5) == 0;
    const char *at = uri ? given + 5 : given;
    if (uri && strncmp(at, "//", 2) == 0) {
        at = strchr(at + 2, '/'); // the host is this one
    }
    size_t n = 0;
    for (; at != NULL && *at != '\0' && n < GR_FILE_PATH_SIZE - 1; n++) {
        if (uri && at[0] == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0) {
            out[n] = (char)(16 * hex(at[1]) + hex(at[2]));
            at += 3;
        } else {
            out[n] = *at++;
        }
    }
    while (n > 1 && out[n - 1] == '/') {
        n--;
    }
    out[n] = '\0';
    return at != NULL && *at == '\0' && n > 0 && strstr(out, "://") == NULL;
}

/// A binary that was built from another version would give values to the wrong names.
static GrFmuUnit *check_variables(GrFmuUnit *unit, const List *list, GrErrorLog *log)
{
    char id[GR_ASSET_ID_SIZE];
    if (unit == NULL) {
        return NULL;
    }
    hash_variables(gr_fmu_unit_variables(unit), id);
    if (strcmp(id, list->variables) != 0) {
        gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.field = "variables"},
            "the binary of this unit has other variables than its description: they are of different versions of "
            "Grouser (%s); export it again after make fmu",
            gr_version());
        gr_fmu_unit_free(unit);
        return NULL;
    }
    return unit;
}

GrFmuUnit *gr_fmu_open(const char *resources, const char *token, bool exchange, GrErrorLog *log)
{
    char folder[GR_FILE_PATH_SIZE], path[2 * GR_FILE_PATH_SIZE];
    char *text = NULL;
    size_t size = 0;
    if (resources == NULL || !folder_path(resources, folder)) {
        gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "resources"},
                     "found '%.200s', which is not a folder on this machine", resources != NULL ? resources : "");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s", folder, gr_fmu_list_name);
    List list;
    GrFmuUnit *unit = NULL;
    GrStatus status = gr_file_read(path, LIST_BYTES, &text, &size, log);
    status = status == GR_OK ? read_list(text, path, &list, log) : status;
    if (status == GR_OK && (token == NULL || strcmp(token, list.token) != 0)) {
        status =
            gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .field = "token"},
                         "found %.80s, the host asks for %.80s: description and resources belong to different units",
                         list.token, token != NULL ? token : "none");
    }
    if (status == GR_OK && snprintf(path, sizeof path, "%s/%s", folder, list.scenario) < GR_FILE_PATH_SIZE) {
        GrFmuUnitDef def = {.scenario = path,
                            .overrides = list.override_count > 0 ? list.overrides : NULL,
                            .within = folder,
                            .exchange = exchange};
        while (def.contact < GR_FMU_CONTACT_COUNT && strcmp(gr_fmu_contact_name(def.contact), list.contact) != 0) {
            def.contact++;
        }
        if (def.contact == GR_FMU_CONTACT_COUNT || (exchange && def.contact == GR_FMU_ROVER)) {
            gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0},
                         exchange ? "this unit is for co-simulation only"
                                  : "this binary does not know the unit's kind");
        } else {
            unit = check_variables(gr_fmu_unit_create(&def, log), &list, log);
        }
    } else if (status == GR_OK) {
        gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = folder}, "the path is too long");
    }
    gr_free(text);
    return unit;
}
