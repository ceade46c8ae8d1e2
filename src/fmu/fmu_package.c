#include "fmu_package.h"

#include "alloc.h"
#include "asset_id.h"
#include "fmu_description.h"
#include "fmu_resources.h"
#include "fmu_trial.h"
#include "out_of_memory.h"
#include "plugin.h"
#include "shipped.h"
#include "text.h"
#include "zip.h"

#include "grouser/version.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

/// The binary of this build, beside the program.
static const char OWN_BINARY[] = "grouser_fmu.so";

enum { BINARY_MAX = 256 << 20, LICENCE_MAX = 1 << 20 };

/// Platforms: name in FMI 3, folders in FMI 2. FMI 2.0 names no folder for aarch64; importers that know it use this
/// one.
static const struct {
    const char *name, *folder2;
} PLATFORMS[] = {{"x86_64-linux", "linux64"}, {"aarch64-linux", "aarch64-linux"}};

enum { PLATFORM_COUNT = sizeof PLATFORMS / sizeof PLATFORMS[0] };

/// A package in the making.
typedef struct Package {
    const GrFmuPackageDef *def;
    GrFmuUnit *unit;
    GrFmuFiles files;
    char scenario[GR_FILE_PATH_SIZE]; ///< in `resources`
    char token[GR_FMU_TOKEN_SIZE];
    GrZip zip;
} Package;

// ---- token

/// Identifies description and resources: two units with the same token are the same model.
static GrStatus make_token(Package *p, GrErrorLog *log)
{
    GrBuffer description = {0};
    GrAssetHash hash = gr_asset_hash_begin("fmu");
    char id[GR_ASSET_ID_SIZE];
    gr_fmu_describe(p->unit, p->def->version, "", &description);
    if (description.failed) {
        gr_buffer_free(&description);
        return gr_out_of_memory(log, NULL);
    }
    gr_asset_hash_text(&hash, gr_version());
    gr_asset_hash_bytes(&hash, description.data, description.size);
    for (int i = 0; i < p->files.count; i++) {
        gr_asset_hash_text(&hash, p->files.items[i].path);
        gr_asset_hash_bytes(&hash, p->files.items[i].data.data, p->files.items[i].data.size);
    }
    for (int i = 0; p->def->overrides != NULL && p->def->overrides[i] != NULL; i++) {
        gr_asset_hash_text(&hash, p->def->overrides[i]);
    }
    gr_asset_hash_end(&hash, id);
    snprintf(p->token, sizeof p->token, "{%.8s-%.4s-%.4s-%.4s-%.12s}", id, id + 8, id + 12, id + 16, id + 20);
    gr_buffer_free(&description);
    return GR_OK;
}

// ---- parts of the archive

static GrStatus add_file(Package *p, const char *name, const char *path, size_t limit, GrErrorLog *log)
{
    char *data = NULL;
    size_t size = 0;
    const GrStatus status = gr_file_read(path, limit, &data, &size, log);
    if (status == GR_OK) {
        gr_zip_add(&p->zip, name, data, size);
    }
    gr_free(data);
    return status;
}

static bool is_native(const char *platform)
{
    struct utsname machine;
    return uname(&machine) == 0 && strncmp(platform, machine.machine, strlen(machine.machine)) == 0;
}

/// Whether a binary is older than the program's own in the tree of a build: the sources may have changed since. What is
/// installed was installed together.
static bool is_outdated(const char *path)
{
    char own[GR_FILE_PATH_SIZE];
    struct stat shipped, built;
    return gr_plugin_find(OWN_BINARY, own) && strstr(own, "/grouser/grouser_fmu.so") == NULL &&
           stat(path, &shipped) == 0 && stat(own, &built) == 0 && shipped.st_mtime < built.st_mtime;
}

/// The binary of a platform: a self-contained one, or that of this build, which needs the libraries of this machine.
static bool find_binary(const char *platform, char path[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    char kind[64];
    snprintf(kind, sizeof kind, "fmu/%s", platform);
    const bool shipped = gr_shipped_find(kind, "grouser", ".so", path), outdated = shipped && is_outdated(path);
    if (shipped && !outdated) {
        return true;
    }
    if (is_native(platform) && gr_plugin_find(OWN_BINARY, path)) {
        gr_warning_add(log, (GrLocation){0},
                       "the binary for %s needs the libraries of this machine (libfyaml, libxml2, libccd, qhull, "
                       "liberfa): make fmu builds one that needs none",
                       platform);
        return true;
    }
    if (shipped) {
        gr_warning_add(log, (GrLocation){.file = path}, "is older than this build: make fmu builds it again");
        return true;
    }
    gr_warning_add(log, (GrLocation){0},
                   "the unit has no binary for %s: make fmu builds it where its compiler is installed", platform);
    return false;
}

static GrStatus add_binaries(Package *p, GrFmuPackageInfo *info, GrErrorLog *log)
{
    char identifier[GR_FMU_IDENTIFIER_SIZE], path[GR_FILE_PATH_SIZE], name[256];
    GrStatus status = GR_OK;
    gr_fmu_identifier(gr_fmu_unit_scenario(p->unit), identifier);
    for (int i = 0; i < PLATFORM_COUNT && status == GR_OK; i++) {
        if (!find_binary(PLATFORMS[i].name, path, log)) {
            continue;
        }
        snprintf(name, sizeof name, "binaries/%s/%s.so",
                 p->def->version == 2 ? PLATFORMS[i].folder2 : PLATFORMS[i].name, identifier);
        status = add_file(p, name, path, BINARY_MAX, log);
        const size_t used = strlen(info->platforms);
        snprintf(info->platforms + used, sizeof info->platforms - used, "%s%s", used > 0 ? ", " : "",
                 PLATFORMS[i].name);
    }
    if (status == GR_OK && info->platforms[0] == '\0') {
        status = gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){0},
                              "no binary has been built for units: run make fmu, or configure with -DGROUSER_FMU=ON");
    }
    return status;
}

/// Licences of Grouser and of what is linked into its binaries.
static GrStatus add_licences(Package *p, GrErrorLog *log)
{
    static const char *const PARTS[] = {"grouser", "libccd", "qhull", "libfyaml", "libxml2", "erfa", "libgcc"};
    char path[GR_FILE_PATH_SIZE], name[128];
    GrStatus status = GR_OK;
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0] && status == GR_OK; i++) {
        if (gr_shipped_find("fmu/licenses", PARTS[i], ".txt", path)) {
            snprintf(name, sizeof name, "documentation/licenses/%s.txt", i == 0 ? "license" : PARTS[i]);
            status = add_file(p, name, path, LICENCE_MAX, log);
        }
    }
    return status;
}

/// FMI 2 has no folder for every platform: the sources help where none fits.
static GrStatus add_sources(Package *p, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    return p->def->version == 2 && gr_shipped_find("fmu/sources", "grouser", ".tar.gz", path)
               ? add_file(p, "sources/grouser.tar.gz", path, BINARY_MAX, log)
               : GR_OK;
}

static void add_documentation(Package *p)
{
    const GrScenario *s = gr_fmu_unit_scenario(p->unit);
    const GrFmuVariables *list = gr_fmu_unit_variables(p->unit);
    GrBuffer page = {0};
    gr_buffer_puts(&page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    gr_buffer_xml(&page, s->name);
    gr_buffer_puts(&page, "</title></head><body>\n<h1>");
    gr_buffer_xml(&page, s->name);
    gr_buffer_puts(&page, "</h1>\n<p>");
    gr_buffer_xml(&page, s->title);
    gr_buffer_printf(&page, "</p>\n<p>Made by Grouser %s. The scenario with its rover and soils is in resources.</p>\n",
                     gr_version());
    gr_buffer_puts(&page, "<table><tr><th>variable</th><th>unit</th><th>meaning</th></tr>\n");
    for (int i = 0; i < list->count; i++) {
        gr_buffer_puts(&page, "<tr><td>");
        gr_buffer_xml(&page, list->items[i].name);
        gr_buffer_puts(&page, "</td><td>");
        gr_buffer_xml(&page, list->items[i].unit);
        gr_buffer_puts(&page, "</td><td>");
        gr_buffer_xml(&page, list->items[i].text);
        gr_buffer_puts(&page, "</td></tr>\n");
    }
    gr_buffer_puts(&page, "</table>\n</body></html>\n");
    gr_zip_add(&p->zip, "documentation/index.html", page.data, page.size);
    p->zip.failed = p->zip.failed || page.failed;
    gr_buffer_free(&page);
}

static GrStatus add_parts(Package *p, GrFmuPackageInfo *info, GrErrorLog *log)
{
    GrBuffer description = {0};
    gr_fmu_describe(p->unit, p->def->version, p->token, &description);
    gr_zip_add(&p->zip, "modelDescription.xml", description.data, description.size);
    p->zip.failed = p->zip.failed || description.failed;
    gr_buffer_free(&description);
    for (int i = 0; i < p->files.count; i++) {
        char name[GR_FILE_PATH_SIZE + 16];
        snprintf(name, sizeof name, "resources/%s", p->files.items[i].path);
        gr_zip_add(&p->zip, name, p->files.items[i].data.data, p->files.items[i].data.size);
    }
    add_documentation(p);
    GrStatus status = add_licences(p, log);
    status = status == GR_OK ? add_sources(p, log) : status;
    return status == GR_OK ? add_binaries(p, info, log) : status;
}

/// grouser.txt becomes one of the files.
static GrStatus add_list(Package *p, GrErrorLog *log)
{
    GrFmuFile *items = gr_realloc(p->files.items, sizeof *items * (size_t)(p->files.count + 1));
    if (items == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    p->files.items = items;
    GrFmuFile *list = &items[p->files.count++];
    *list = (GrFmuFile){.from = ""};
    gr_text_copy(list->path, sizeof list->path, gr_fmu_list_name);
    gr_fmu_list_write(p->token, gr_fmu_unit_variables(p->unit), p->scenario, p->def->overrides, &list->data);
    return list->data.failed ? gr_out_of_memory(log, NULL) : GR_OK;
}

static GrStatus check_overrides(const char *const *overrides, GrErrorLog *log)
{
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        if (strchr(overrides[i], '\n') != NULL) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--set"}, "a value has several lines");
        }
    }
    return GR_OK;
}

GrStatus gr_fmu_package(const GrFmuPackageDef *def, GrBuffer *out, GrFmuPackageInfo *info, GrErrorLog *log)
{
    Package p = {.def = def};
    *info = (GrFmuPackageInfo){0};
    GrStatus status = check_overrides(def->overrides, log);
    if (status == GR_OK) {
        p.unit = gr_fmu_collect(def->scenario, def->overrides, &p.files, p.scenario, log);
        status = p.unit != NULL ? make_token(&p, log) : GR_ERROR_VALUE;
    }
    status = status == GR_OK ? add_list(&p, log) : status;
    status = status == GR_OK ? gr_fmu_trial(p.unit, &p.files, p.token, log) : status;
    status = status == GR_OK ? add_parts(&p, info, log) : status;
    if (status == GR_OK && !gr_zip_end(&p.zip)) {
        status = gr_out_of_memory(log, NULL);
    }
    if (status == GR_OK) {
        info->variables = gr_fmu_unit_variables(p.unit)->count;
        info->files = p.files.count;
        *out = p.zip.out;
        p.zip.out = (GrBuffer){0};
    }
    gr_zip_free(&p.zip);
    gr_fmu_files_free(&p.files);
    gr_fmu_unit_free(p.unit);
    return status;
}
