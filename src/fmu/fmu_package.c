#include "fmu_package.h"

#include "alloc.h"
#include "asset_id.h"
#include "buffer.h"
#include "file.h"
#include "fmu_contact.h"
#include "fmu_host.h"
#include "fmu_resources.h"
#include "fmu_unit.h"
#include "grouser/version.h"
#include "out_of_memory.h"
#include "plugin.h"
#include "shipped.h"
#include "text.h"
#include "zip.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { GR_FMU_IDENTIFIER_SIZE = 80, GR_FMU_TOKEN_SIZE = 40 };

// ---- a trial of the unit

/// A file that was read from outside of the folder.
typedef struct Outside {
    const char *folder;
    char path[GR_FILE_PATH_SIZE]; ///< "": none
} Outside;

static void see(void *context, const char *path, const char *data, size_t size)
{
    (void)data;
    (void)size;
    Outside *outside = context;
    if (strncmp(path, outside->folder, strlen(outside->folder)) != 0) {
        gr_text_copy(outside->path, sizeof outside->path, path);
    }
}

static GrStatus write_files(const GrFmuFiles *files, const char *folder, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < files->count && status == GR_OK; i++) {
        const GrFmuFile *file = &files->items[i];
        char path[2 * GR_FILE_PATH_SIZE], parent[2 * GR_FILE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, file->path);
        snprintf(parent, sizeof parent, "%s", path);
        *strrchr(parent, '/') = '\0';
        status = gr_folder_make(parent, log);
        if (status == GR_OK) {
            status = gr_file_write(path, file->data.data, file->data.size, log);
        }
    }
    return status;
}

/// Removes the files, and the folders that they leave empty.
static void remove_files(const GrFmuFiles *files, const char *folder)
{
    for (int i = 0; i < files->count; i++) {
        char path[2 * GR_FILE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, files->items[i].path);
        unlink(path);
        while (strlen(path) > strlen(folder)) {
            *strrchr(path, '/') = '\0';
            if (rmdir(path) != 0) {
                break;
            }
        }
    }
    rmdir(folder);
}

/// The text variable of a unit: the hash of its state.
static GrStatus state_hash(GrFmuUnit *unit, char out[32], GrErrorLog *log)
{
    const GrFmuVariables *list = gr_fmu_unit_variables(unit);
    for (int i = 0; i < list->count; i++) {
        const char *text = "";
        if (list->items[i].meaning == GR_FMU_IS_HASH) {
            const GrStatus status = gr_fmu_unit_get_text(unit, i, &text, log);
            gr_text_copy(out, 32, text);
            return status;
        }
    }
    return GR_ERROR_NAME;
}

static GrStatus compare(GrFmuUnit *unit, GrFmuUnit *copy, GrErrorLog *log)
{
    char a[32], b[32];
    GrStatus status = state_hash(unit, a, log);
    status = status == GR_OK ? state_hash(copy, b, log) : status;
    if (status == GR_OK && strcmp(a, b) != 0) {
        status =
            gr_error_add(log, GR_ERROR_MODEL, (GrLocation){0},
                         "the unit's copy of the scenario starts from another state (%s) than the scenario (%s)", b, a);
    }
    return status;
}

/// Writes the files to a temporary folder, loads the unit from there and compares its start with that of `unit`. Fails
/// if it does not load, reads anything outside that folder, or starts with other bits.
static GrStatus fmu_trial(GrFmuUnit *unit, const GrFmuFiles *files, const char *token, GrErrorLog *log)
{
    const char *base = getenv("TMPDIR");
    char folder[GR_FILE_PATH_SIZE];
    const int length =
        snprintf(folder, sizeof folder, "%s/grouser-fmu-XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp");
    if (length >= (int)sizeof folder || mkdtemp(folder) == NULL) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = folder}, "cannot create the folder");
    }
    GrStatus status = write_files(files, folder, log);
    if (status == GR_OK) {
        GrErrorLog again = {.quiet = true}; // its warnings have been given
        Outside outside = {.folder = folder};
        const GrFileWatch watch = {see, &outside};
        gr_file_watch(&watch);
        GrFmuUnit *copy = gr_fmu_open(folder, token, false, &again);
        gr_file_watch(NULL);
        if (outside.path[0] != '\0') {
            status =
                gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = outside.path},
                             "the scenario names it by an absolute path: name it relative to the file that uses it");
        } else if (copy == NULL) {
            status =
                gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "the unit's copy of the scenario does not load: %s",
                             again.count > 0 ? again.items[0].text : "unknown");
        } else {
            status = compare(unit, copy, log);
        }
        gr_fmu_unit_free(copy);
    }
    remove_files(files, folder);
    return status;
}

// ---- modelDescription.xml

/// Name of the model: that of the scenario, and the kind of a contact unit.
static void model_name(const GrFmuUnit *unit, char out[GR_FMU_IDENTIFIER_SIZE])
{
    const char *name = gr_fmu_unit_scenario(unit)->name, *kind = gr_fmu_contact_name(gr_fmu_unit_contact(unit));
    snprintf(out, GR_FMU_IDENTIFIER_SIZE, "%.60s%s%s", name[0] != '\0' ? name : "grouser", kind[0] != '\0' ? "_" : "",
             kind);
}

/// Name of the binaries: that of the model as an identifier of C.
static void fmu_identifier(const GrFmuUnit *unit, char out[GR_FMU_IDENTIFIER_SIZE])
{
    char name[GR_FMU_IDENTIFIER_SIZE];
    int n = 0;
    model_name(unit, name);
    if (!isalpha((unsigned char)name[0])) {
        out[n++] = 'r';
        out[n++] = '_';
    }
    for (const char *c = name; *c != '\0' && n < GR_FMU_IDENTIFIER_SIZE - 1; c++) {
        out[n++] = (char)(isalnum((unsigned char)*c) ? *c : '_');
    }
    out[n] = '\0';
}

static void text_attribute(GrBuffer *out, const char *name, const char *value)
{
    gr_buffer_printf(out, " %s=\"", name);
    gr_buffer_xml(out, value);
    gr_buffer_puts(out, "\"");
}

static void number_attribute(GrBuffer *out, const char *name, double value)
{
    gr_buffer_printf(out, " %s=\"", name);
    gr_buffer_number(out, value);
    gr_buffer_puts(out, "\"");
}

/// Attributes of the root that both versions have.
static void put_root(const GrFmuUnit *unit, int version, const char *token, GrBuffer *out)
{
    const GrScenario *s = gr_fmu_unit_scenario(unit);
    gr_buffer_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    text_attribute(out, "fmiVersion", version == 2 ? "2.0" : "3.0");
    char name[GR_FMU_IDENTIFIER_SIZE];
    model_name(unit, name);
    text_attribute(out, "modelName", name);
    text_attribute(out, version == 2 ? "guid" : "instantiationToken", token);
    text_attribute(out, "description", s->title);
    text_attribute(out, "copyright", "the Grouser authors; the scenario and its files belong to their authors");
    text_attribute(out, "license", "MIT; licences of all parts: documentation/licenses");
    text_attribute(out, "generationTool", "Grouser " GROUSER_VERSION);
    text_attribute(out, "variableNamingConvention", "structured");
    if (version == 2) {
        gr_buffer_printf(out, " numberOfEventIndicators=\"%d\"", gr_fmu_unit_events((GrFmuUnit *)unit, NULL, NULL));
    }
    gr_buffer_puts(out, ">\n");
}

/// A contact unit is also for model exchange.
static void put_exchange(const GrFmuUnit *unit, const char *identifier, int version, GrBuffer *out)
{
    const bool steps = gr_fmu_unit_needs_steps(unit);
    gr_buffer_puts(out, "  <ModelExchange");
    text_attribute(out, "modelIdentifier", identifier);
    gr_buffer_printf(out,
                     version == 2 ? " completedIntegratorStepNotNeeded=\"%s\"" : " needsCompletedIntegratorStep=\"%s\"",
                     steps == (version == 3) ? "true" : "false");
    gr_buffer_puts(out, version == 2
                            ? " needsExecutionTool=\"false\" canBeInstantiatedOnlyOncePerProcess=\"false\""
                              " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
                              " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"false\"/>\n"
                            : " needsExecutionTool=\"false\" canBeInstantiatedOnlyOncePerProcess=\"false\""
                              " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
                              " providesDirectionalDerivatives=\"false\" providesAdjointDerivatives=\"false\""
                              " providesPerElementDependencies=\"false\" providesEvaluateDiscreteStates=\"false\"/>\n");
}

static void put_abilities(const GrFmuUnit *unit, int version, GrBuffer *out)
{
    char identifier[GR_FMU_IDENTIFIER_SIZE];
    fmu_identifier(unit, identifier);
    if (gr_fmu_unit_contact(unit) != GR_FMU_ROVER) {
        put_exchange(unit, identifier, version, out);
    }
    gr_buffer_puts(out, "  <CoSimulation");
    text_attribute(out, "modelIdentifier", identifier);
    gr_buffer_puts(out, " needsExecutionTool=\"false\" canHandleVariableCommunicationStepSize=\"true\""
                        " canBeInstantiatedOnlyOncePerProcess=\"false\" maxOutputDerivativeOrder=\"0\"");
    gr_buffer_puts(out, version == 2
                            ? " canInterpolateInputs=\"false\" canRunAsynchronuously=\"false\""
                              " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
                              " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"false\"/>\n"
                            : " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
                              " providesDirectionalDerivatives=\"false\" providesAdjointDerivatives=\"false\""
                              " providesPerElementDependencies=\"false\" providesIntermediateUpdate=\"false\""
                              " mightReturnEarlyFromDoStep=\"true\" canReturnEarlyAfterIntermediateUpdate=\"false\""
                              " hasEventMode=\"true\" providesEvaluateDiscreteStates=\"false\"/>\n");
}

static void exponent(GrBuffer *out, const char *base, int value)
{
    if (value != 0) {
        gr_buffer_printf(out, " %s=\"%d\"", base, value);
    }
}

static void put_units(GrBuffer *out)
{
    gr_buffer_puts(out, "  <UnitDefinitions>\n");
    const GrFmuUnitRow *row;
    for (int i = 0; (row = gr_fmu_unit_row(i)) != NULL; i++) {
        gr_buffer_printf(out, "    <Unit name=\"%s\">\n      <BaseUnit", row->name);
        exponent(out, "kg", row->kg);
        exponent(out, "m", row->m);
        exponent(out, "s", row->s);
        exponent(out, "rad", row->rad);
        if (row->factor != 1) {
            number_attribute(out, "factor", row->factor);
        }
        gr_buffer_puts(out, "/>\n    </Unit>\n");
    }
    gr_buffer_puts(out, "  </UnitDefinitions>\n");
}

static void put_types(int version, GrBuffer *out)
{
    gr_buffer_puts(out, "  <TypeDefinitions>\n");
    for (int k = 0; k < GR_FMU_CHOICE_COUNT; k++) {
        const char *name = gr_fmu_choice_name((GrFmuChoice)k), *item;
        gr_buffer_printf(
            out, version == 2 ? "    <SimpleType name=\"%s\"><Enumeration>\n" : "    <EnumerationType name=\"%s\">\n",
            name);
        for (int i = 0; (item = gr_fmu_choice_item((GrFmuChoice)k, i)) != NULL; i++) {
            gr_buffer_puts(out, "      <Item");
            text_attribute(out, "name", item);
            gr_buffer_printf(out, " value=\"%d\"/>\n", i);
        }
        gr_buffer_puts(out, version == 2 ? "    </Enumeration></SimpleType>\n" : "    </EnumerationType>\n");
    }
    gr_buffer_puts(out, "  </TypeDefinitions>\n");
}

static void put_experiment(const GrFmuUnit *unit, GrBuffer *out)
{
    const GrScenario *s = gr_fmu_unit_scenario(unit);
    gr_buffer_puts(out, "  <LogCategories>\n");
    for (int i = 0; i < GR_FMU_CATEGORY_COUNT; i++) {
        gr_buffer_printf(out, "    <Category name=\"%s\"/>\n", gr_fmu_categories[i]);
    }
    gr_buffer_puts(out, "  </LogCategories>\n  <DefaultExperiment startTime=\"0\"");
    number_attribute(out, "stopTime", s->mission.duration);
    number_attribute(out, "stepSize", 1 / s->record_rate);
    gr_buffer_puts(out, "/>\n");
}

static const char *causality(GrFmuRole role)
{
    static const char *const NAMES[] = {"independent", "parameter", "parameter", "input", "output", "local"};
    return NAMES[role];
}

static const char *variability(const GrFmuVariable *v)
{
    return v->role == GR_FMU_FIXED     ? "fixed"
           : v->role == GR_FMU_TUNABLE ? "tunable"
           : v->type == GR_FMU_REAL    ? "continuous"
                                       : "discrete";
}

static bool has_start(const GrFmuVariable *v)
{
    return v->role != GR_FMU_TIME && v->role != GR_FMU_OUTPUT && v->meaning != GR_FMU_IS_RATE;
}

/// Attributes of a variable that depend on its type.
static void put_kind(const GrFmuVariable *v, GrBuffer *out)
{
    if (v->type == GR_FMU_CHOICE) {
        text_attribute(out, "declaredType", gr_fmu_choice_name(v->choice));
    }
    if (v->unit[0] != '\0') {
        text_attribute(out, "unit", v->unit);
    }
    if (v->type == GR_FMU_REAL && has_start(v) && isfinite(v->lower)) {
        number_attribute(out, "min", v->lower);
    }
    if (v->type == GR_FMU_REAL && has_start(v) && isfinite(v->upper)) {
        number_attribute(out, "max", v->upper);
    }
    if (has_start(v) && v->type != GR_FMU_TEXT) {
        number_attribute(out, "start", v->start);
    } else if (has_start(v)) {
        text_attribute(out, "start", "");
    }
}

/// A state may change at an event. The state of a derivative, which is the variable before it: its index from 1 in FMI
/// 2, its reference in FMI 3.
static void put_derivative(const GrFmuVariable *v, int state, GrBuffer *out)
{
    if (v->meaning == GR_FMU_IS_RATE) {
        gr_buffer_printf(out, " derivative=\"%d\"", state);
    } else if (v->meaning == GR_FMU_IS_STATE) {
        gr_buffer_puts(out, " reinit=\"true\"");
    }
}

static void put_variable(const GrFmuVariable *v, int reference, int version, GrBuffer *out)
{
    static const char *const OLD[] = {"Real", "Integer", "Enumeration", "String"};
    static const char *const NEW[] = {"Float64", "Int32", "Enumeration", "String"};
    gr_buffer_printf(out, "    <%s", version == 2 ? "ScalarVariable" : NEW[v->type]);
    text_attribute(out, "name", v->name);
    gr_buffer_printf(out, " valueReference=\"%d\"", reference);
    if (v->text[0] != '\0') {
        text_attribute(out, "description", v->text);
    }
    text_attribute(out, "causality", causality(v->role));
    text_attribute(out, "variability", variability(v));
    if (v->meaning == GR_FMU_IS_STATE) {
        text_attribute(out, "initial", "exact");
    }
    if (version == 2) {
        gr_buffer_printf(out, "><%s", OLD[v->type]);
        put_kind(v, out);
        put_derivative(v, reference, out);
        gr_buffer_puts(out, "/></ScalarVariable>\n");
    } else if (v->type == GR_FMU_TEXT && has_start(v)) {
        gr_buffer_puts(out, "><Start value=\"\"/></String>\n");
    } else {
        put_kind(v, out);
        put_derivative(v, reference - 1, out);
        gr_buffer_puts(out, "/>\n");
    }
}

/// A list of the structure.
typedef struct StructureList {
    const char *group, *item; ///< names in FMI 2 and 3
    bool outputs, rates, at_once;
} StructureList;

static void put_list(const GrFmuVariables *list, const StructureList *what, int version, GrBuffer *out)
{
    const char *dependencies = what->at_once ? "" : " dependencies=\"\"";
    bool any = false;
    for (int i = 0; i < list->count; i++) {
        const GrFmuVariable *v = &list->items[i];
        if ((what->outputs && v->role == GR_FMU_OUTPUT) || (what->rates && v->meaning == GR_FMU_IS_RATE)) {
            if (version == 2 && !any) {
                gr_buffer_printf(out, "    <%s>\n", what->group);
            }
            if (version == 2) {
                gr_buffer_printf(out, "      <Unknown index=\"%d\"%s/>\n", i + 1, dependencies);
            } else {
                gr_buffer_printf(out, "    <%s valueReference=\"%d\"%s/>\n", what->item, i, dependencies);
            }
            any = true;
        }
    }
    if (version == 2 && any) {
        gr_buffer_printf(out, "    </%s>\n", what->group);
    }
}

/// Outputs and derivatives, and the same as unknowns of the initialisation. Outputs of a rover are those of the last
/// step: no input acts on them within a communication point, so that a host need not look for algebraic loops. Those of
/// a contact unit depend on its inputs at once in model exchange.
static void put_structure(const GrFmuVariables *list, bool at_once, int version, GrBuffer *out)
{
    gr_buffer_puts(out, "  <ModelStructure>\n");
    put_list(list, &(StructureList){"Outputs", "Output", true, false, at_once}, version, out);
    put_list(list, &(StructureList){"Derivatives", "ContinuousStateDerivative", false, true, true}, version, out);
    put_list(list, &(StructureList){"InitialUnknowns", "InitialUnknown", true, true, true}, version, out);
    for (int i = 0; i < list->count && version == 3; i++) {
        if (list->items[i].meaning == GR_FMU_IS_EVENT) {
            gr_buffer_printf(out, "    <EventIndicator valueReference=\"%d\"/>\n", i);
        }
    }
    gr_buffer_puts(out, "  </ModelStructure>\n");
}

/// The description for `version` 2 or 3 with this token (guid, instantiationToken).
static void fmu_describe(const GrFmuUnit *unit, int version, const char *token, GrBuffer *out)
{
    const GrFmuVariables *list = gr_fmu_unit_variables(unit);
    put_root(unit, version, token, out);
    put_abilities(unit, version, out);
    put_units(out);
    put_types(version, out);
    put_experiment(unit, out);
    gr_buffer_puts(out, "  <ModelVariables>\n");
    for (int i = 0; i < list->count; i++) {
        put_variable(&list->items[i], i, version, out);
    }
    gr_buffer_puts(out, "  </ModelVariables>\n");
    put_structure(list, gr_fmu_unit_contact(unit) != GR_FMU_ROVER, version, out);
    gr_buffer_puts(out, "</fmiModelDescription>\n");
}

// ---- the archive

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
    fmu_describe(p->unit, p->def->version, "", &description);
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
    fmu_identifier(p->unit, identifier);
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
    fmu_describe(p->unit, p->def->version, p->token, &description);
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
    gr_fmu_list_write(p->token, p->unit, p->scenario, p->def->overrides, &list->data);
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
        const GrFmuUnitDef unit = {.scenario = def->scenario, .overrides = def->overrides, .contact = def->contact};
        p.unit = gr_fmu_collect(&unit, &p.files, p.scenario, log);
        status = p.unit != NULL ? make_token(&p, log) : GR_ERROR_VALUE;
    }
    status = status == GR_OK ? add_list(&p, log) : status;
    status = status == GR_OK ? fmu_trial(p.unit, &p.files, p.token, log) : status;
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
