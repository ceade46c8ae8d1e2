/// What the options of grouser wheel say of the wheel and its soils: sizes, a rover's wheel, a mesh, designs to
/// compare.
#include "wheel_options.h"

#include "alloc.h"
#include "design.h"
#include "find.h"
#include "grouser/analysis.h"
#include "law.h"
#include "mesh_file.h"
#include "out_of_memory.h"
#include "report.h"
#include "soil_param.h"
#include "soil_yaml.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GrStatus gr_wheel_usage(const char *option, const char *text, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = option}, "%s", text);
}

static GrStatus read_grousers(const GrWheelOptions *o, GrSoilWheelDef *wheel, GrErrorLog *log)
{
    if (o->grousers != NULL && !gr_options_grousers(o->grousers, wheel)) {
        return gr_wheel_usage("--grousers", GR_OPTIONS_GROUSERS, log);
    }
    if (o->grouser_model != NULL && !gr_options_grouser_model(o->grouser_model, wheel)) {
        return gr_wheel_usage("--grouser-model", GR_OPTIONS_GROUSER_MODEL, log);
    }
    return GR_OK;
}

/// The wheel of a mesh file. The study owns its surface.
static GrStatus read_mesh(const char *path, GrWheelStudy *study, GrSoilWheelDef *wheel, GrErrorLog *log)
{
    GrSurfaceMesh mesh;
    GrStatus status = gr_mesh_file_read(path, &mesh, log);
    if (status != GR_OK) {
        return status;
    }
    GrVec3(*triangles)[3] = gr_calloc((size_t)mesh.triangle_count + 1, sizeof *triangles);
    for (int i = 0; i < mesh.triangle_count && triangles != NULL; i++) {
        for (int k = 0; k < 3; k++) {
            triangles[i][k] = mesh.vertices[mesh.triangles[i][k]];
        }
    }
    GrErrorLog inner = {.quiet = true};
    status = triangles == NULL
                 ? gr_out_of_memory(log, NULL)
                 : gr_wheel_surface_create((const GrVec3(*)[3])triangles, mesh.triangle_count, &study->surface, &inner);
    if (inner.count > 0) {
        status = gr_error_add(log, status, (GrLocation){.file = path}, "no wheel: %s", inner.items[0].text);
    }
    if (status == GR_OK) {
        gr_wheel_surface_describe(study->surface, wheel);
    }
    gr_free(triangles);
    gr_surface_mesh_free(&mesh);
    return status;
}

/// Load of a wheel of a rover that stands on level ground.
static GrStatus stand(const GrRoverDef *rover, int wheel, double gravity, double *load, GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    options.gravity = (GrVec3){0, 0, -gravity};
    GrModel *model = NULL;
    gr_model_create(rover, &options, &model, log);
    GrData *data = NULL;
    if (model != NULL) {
        gr_data_create(model, &data, NULL);
    }
    double *loads = gr_calloc((size_t)rover->wheel_count + 1, sizeof *loads);
    GrStance stance;
    GrStatus status = GR_ERROR_MODEL;
    if (data != NULL && loads != NULL) {
        status = gr_stand_on_plane(model, data, loads, &stance, log);
        *load = loads[wheel];
    }
    gr_free(loads);
    gr_data_free(data);
    gr_model_free(model);
    return status;
}

static GrStatus find_wheel(const GrRoverDef *rover, const char *name, int *out, GrErrorLog *log)
{
    *out = 0;
    if (rover->wheel_count == 0) {
        return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "--rover"}, "'%s' has no wheels", rover->name);
    }
    const char *names[64];
    int count = 0;
    for (int i = 0; i < rover->wheel_count && count < 64; i++) {
        names[count++] = rover->wheels[i].name;
        if (name == NULL || strcmp(rover->wheels[i].name, name) == 0) {
            *out = i;
            return GR_OK;
        }
    }
    return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "--wheel"}, "there is no wheel '%s'%s", name,
                        gr_text_hint(name, names, count, NULL).text);
}

/// Wheel, and load unless it is given, from a rover. The study has a part in the wheel's surface.
static GrStatus read_rover(const GrWheelOptions *o, GrWheelStudy *study, GrRigDef *def, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrRoverDef rover = gr_default_rover_def();
    int index = 0;
    GrStatus status = gr_find_file("rovers", "rover", o->rover, path, log);
    if (status == GR_OK) {
        status = gr_rover_load(path, NULL, &rover, log);
    }
    if (status == GR_OK) {
        status = find_wheel(&rover, o->wheel, &index, log);
    }
    if (status == GR_OK) {
        const GrWheelDef *wheel = &rover.wheels[index];
        def->wheel.radius = wheel->radius;
        def->wheel.width = wheel->width;
        def->wheel.grouser_count = wheel->grouser_count;
        def->wheel.grouser_height = wheel->grouser_height;
        def->wheel.grouser_thickness = wheel->grouser_thickness;
        def->wheel.grousers = wheel->grouser_lugs ? GR_GROUSER_LUGS : def->wheel.grousers;
        def->wheel.stiffness = wheel->stiffness > 0 ? wheel->stiffness : (double)INFINITY;
        const bool whole = isnan(o->radius) && isnan(o->width) && o->grousers == NULL; // as the mesh has it
        study->side = isnan(o->radius) ? gr_side_wall_share(wheel->side) : NULL;
        def->wheel.side = study->side;
        if (wheel->side != NULL && study->side == NULL) {
            gr_warning_add(log, (GrLocation){.field = "side_mesh"}, "has no effect: --radius changes the wheel");
        }
        study->surface = whole ? gr_wheel_surface_share(wheel->surface) : NULL;
        if (wheel->surface != NULL && !whole) {
            gr_warning_add(log, (GrLocation){.field = "soil_mesh"},
                           "has no effect: --radius, --width or --grousers change the wheel");
        }
        if (isnan(o->load) && isnan(o->sinkage)) {
            status = stand(&rover, index, def->wheel.gravity, &def->load, log);
        }
    }
    gr_rover_free(&rover);
    return status;
}

GrStatus gr_wheel_read_rig(const GrWheelOptions *o, GrWheelStudy *study, GrRigDef *def, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    *def = gr_default_rig_def();
    if (o->gravity != NULL && !gr_gravity_named(o->gravity, &def->wheel.gravity) &&
        !(gr_options_number(o->gravity, &def->wheel.gravity) && def->wheel.gravity >= 0)) {
        return gr_wheel_usage("--gravity",
                              "takes a known body (earth, moon, mars, ...) or a number of at least 0 [m/s²]", log);
    }
    if (o->mesh != NULL) {
        if (o->rover != NULL || !isnan(o->radius) || !isnan(o->width) || o->grousers != NULL) {
            return gr_wheel_usage("--mesh", "has the wheel: give no --rover, --radius, --width or --grousers", log);
        }
        status = read_mesh(o->mesh, study, &def->wheel, log);
    } else if (o->rover != NULL) {
        status = read_rover(o, study, def, log);
    } else if (isnan(o->radius) || isnan(o->width)) {
        return gr_wheel_usage("--radius", "--radius and --width are needed, or --rover, or --mesh", log);
    }
    if (o->rover == NULL && isnan(o->load) && isnan(o->sinkage) && o->motion.file == NULL) {
        return gr_wheel_usage("--load", "--load or --sinkage is needed", log);
    }
    if (!isnan(o->slices) && !(o->slices >= 1 && o->slices <= GR_SLICES_MAX && o->slices == floor(o->slices))) {
        return gr_wheel_usage("--slices", "takes a whole number from 1 to 16", log);
    }
    if (!isnan(o->load) && !isnan(o->sinkage)) {
        return gr_wheel_usage("--load", "give --load or --sinkage, not both", log);
    }
    if (status == GR_OK) {
        status = read_grousers(o, &def->wheel, log);
    }
    def->wheel.radius = isnan(o->radius) ? def->wheel.radius : o->radius;
    def->wheel.width = isnan(o->width) ? def->wheel.width : o->width;
    def->wheel.stiffness = isnan(o->stiffness) ? def->wheel.stiffness : o->stiffness;
    def->wheel.slices = isnan(o->slices) ? 1 : (int)o->slices;
    def->load = isnan(o->load) ? def->load : o->load;
    def->by_sinkage = !isnan(o->sinkage);
    def->sinkage = def->by_sinkage ? o->sinkage : def->sinkage;
    def->speed = isnan(o->speed) ? def->speed : o->speed;
    def->dynamic = o->dynamic;
    def->cell = isnan(o->cell) ? def->cell : o->cell;
    def->flow = o->flow;
    return status;
}

/// Warns about parameters that the law needs but that neither file nor override gave, so that defaults are used.
static void warn_defaults(const GrSoilDef *soil, const GrSoilSources *sources, GrErrorLog *log)
{
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; i < gr_soil_param_count(); i++) {
        if (gr_soil_param_essential(soil, i) && !sources->given[i] && used < sizeof names - 48) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s = %g", used > 0 ? ", " : "",
                                     gr_soil_param(i)->name, gr_soil_param_get(soil, i));
        }
    }
    if (used > 0) {
        gr_warning_add(log, (GrLocation){0}, "the soil %s has no numbers for the law %s; its defaults are used: %s",
                       soil->name, gr_soil_law_name(soil->law), names);
    }
}

/// Which parameters of a soil the rig reads.
static unsigned soil_use(const GrRigDef *def)
{
    const bool grid = gr_soil_law_on_grid(def->soil.law);
    const bool lugs = def->wheel.grousers == GR_GROUSER_LUGS && def->wheel.grouser_count > 0;
    return (grid || def->dynamic ? 0u : (unsigned)GR_SOIL_USE_STEADY) | (lugs ? (unsigned)GR_SOIL_USE_LUGS : 0u) |
           (def->flow ? 0u : (unsigned)GR_SOIL_USE_NO_FLOW) |
           (def->wheel.side != NULL ? (unsigned)GR_SOIL_USE_SIDES : 0u);
}

void gr_wheel_warn_ignored(const GrWheelOptions *o, const GrWheelStudy *study, GrErrorLog *log)
{
    bool grid = false, patch = false, heaped = false, weighs = false;
    for (int i = 0; i < study->run_count; i++) {
        const GrRigDef *def = &study->runs[i].rig.def;
        const bool scm = gr_soil_law_on_grid(def->soil.law);
        grid = grid || scm;
        patch = patch || !scm;
        heaped = heaped || gr_rft_heap(&def->soil) > 0;
        weighs = weighs || gr_soil_scales(&def->soil) ||
                 gr_soil_param_used(&def->soil, gr_soil_param_find("density"), soil_use(def));
    }
    const bool lugs = study->runs[0].rig.def.wheel.grouser_count > 0;
    const bool stands = o->rover != NULL && isnan(o->load) && isnan(o->sinkage); // its weight gives the load
    const struct {
        const char *option;
        bool ignored;
        const char *why;
    } rows[] = {
        {"--slices", !isnan(o->slices) && !patch, "the law scm has a grid and no slices"},
        {"--dynamic", o->dynamic && !patch, "the law scm is always integrated in time"},
        {"--cell", !isnan(o->cell) && !grid && !(heaped && o->flow), "it needs the law scm, or rft with --flow"},
        {"--flow", o->flow && !grid && !heaped, "it needs the law scm, or rft with heap above 0"},
        {"--speed", !isnan(o->speed) && !grid && !o->dynamic && !(heaped && o->flow),
         "it needs --dynamic or the law scm; steady forces have no speed"},
        {"--grouser-model", o->grouser_model != NULL && !lugs, "the wheel has no grousers (--grousers)"},
        {"--wheel", o->wheel != NULL && o->rover == NULL, "it needs --rover"},
        {"--columns", o->motion.columns.count > 0 && o->data == NULL, "it needs --data or --motion"},
        {"--control", o->motion.control.count > 0, "it needs --motion"},
        {"--trench", o->motion.trench != NULL, "it needs --motion"},
        {"--gravity", o->gravity != NULL && !weighs && !stands,
         "the load is given, and the law does not use the weight of the soil"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].ignored) {
            gr_warning_add(log, (GrLocation){.field = rows[i].option}, "has no effect here: %s", rows[i].why);
        }
    }
}

GrStatus gr_wheel_add_run(const GrWheelOptions *o, const GrRigDef *def, const char *soil, const char *law,
                          GrWheelStudy *study, GrErrorLog *log)
{
    if (study->run_count == GR_WHEEL_RUNS) {
        return gr_wheel_usage("--compare", "too many laws and soils at once; at most 12", log);
    }
    GrWheelRun *run = &study->runs[study->run_count];
    *run = (GrWheelRun){0};
    GrRigDef own = *def;
    GrSoilSources *sources = &run->sources;
    GrStatus status = gr_soil_load_spread(soil, o->overrides.items, &own.soil, sources, &run->spread, log);
    if (status == GR_OK && law != NULL) {
        status = gr_soil_law_find(law, &own.soil.law, log);
        if (run->spread.kind == GR_SPREAD_UNKNOWN) { // of what this law reads
            gr_soil_spread_unknown(&own.soil, &run->spread);
        }
    }
    if (status == GR_OK && o->rover != NULL && study->surface != NULL && !gr_soil_warn_surface(&own.soil, log)) {
        gr_wheel_surface_describe(study->surface, &own.wheel);
    }
    if (status == GR_OK && study->side != NULL) {
        gr_soil_warn_sides(&own.soil, log);
    }
    if (status == GR_OK) {
        status = gr_rig_make(&own, &run->rig, log);
    }
    if (status == GR_OK) {
        warn_defaults(&own.soil, sources, log);
        gr_soil_warn_ignored(&own.soil, sources, soil_use(&own), log);
        gr_soil_warn_gravity(&own.soil, own.wheel.gravity, log);
        gr_soil_warn_free_pull(&run->rig.wheel, own.by_sinkage ? 0 : own.load, log);
        gr_trust_of_soil(&own.soil, sources, own.wheel.gravity, &run->trust);
        study->run_count++;
    }
    return status;
}

/// Applies a change of a design, "radius=0.12" or "soil=mars_drift".
static GrStatus change_wheel(GrWheelOptions *o, const char *change, GrErrorLog *log)
{
    const struct {
        const char *key;
        double *number;
        const char **text;
    } rows[] = {{"radius", &o->radius, NULL},
                {"width", &o->width, NULL},
                {"load", &o->load, NULL},
                {"sinkage", &o->sinkage, NULL},
                {"stiffness", &o->stiffness, NULL},
                {"grousers", NULL, &o->grousers},
                {"grouser-model", NULL, &o->grouser_model},
                {"soil", NULL, &o->soil},
                {"law", NULL, &o->model},
                {"model", NULL, &o->model},
                {"rover", NULL, &o->rover},
                {"wheel", NULL, &o->wheel},
                {"mesh", NULL, &o->mesh},
                {"gravity", NULL, &o->gravity}};
    const char *names[sizeof rows / sizeof rows[0]];
    int count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *value = gr_design_value(change, rows[i].key);
        names[count++] = rows[i].key;
        if (value != NULL && rows[i].text != NULL) {
            *rows[i].text = value;
            return GR_OK;
        }
        if (value != NULL) {
            return gr_options_number(value, rows[i].number)
                       ? GR_OK
                       : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = rows[i].key},
                                      "takes a number, not '%.60s'", value);
        }
    }
    if (strncmp(change, "soil:", 5) == 0) {
        return gr_design_add(&o->overrides, change + 5, log);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)fmin((double)strcspn(change, "="), 63), change);
    return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "wheel"}, "a wheel has no '%s'%s", name,
                        gr_text_hint(name, names, count, NULL).text);
}

GrStatus gr_wheel_add_designs(const GrWheelOptions *o, GrWheelStudy *study, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int k = 0; k < o->design_count && status == GR_OK; k++) {
        GrDesign design;
        GrWheelOptions own = *o;
        GrRigDef def;
        const char *text = strncmp(o->designs[k], "wheel:", 6) == 0 ? o->designs[k] + 6 : o->designs[k];
        status = gr_design_read(text, &design, log);
        if (status == GR_OK && design.base[0] != '\0') {
            status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "DESIGN"},
                                  "found '%.60s' beside wheels, allowed: wheel:KEY=VALUE", o->designs[k]);
        }
        for (int i = 0; i < design.change_count && status == GR_OK; i++) {
            status = change_wheel(&own, design.changes[i], log);
        }
        status = status == GR_OK ? gr_wheel_read_rig(&own, study, &def, log) : status;
        if (status == GR_OK && own.soil == NULL) {
            status = gr_wheel_usage("--soil", "is needed; see grouser list soils", log);
        }
        status = status == GR_OK ? gr_wheel_add_run(&own, &def, own.soil, own.model, study, log) : status;
        if (status == GR_OK) {
            const GrSoilWheelDef *wheel = &study->runs[k].rig.def.wheel, *first = &study->runs[0].rig.def.wheel;
            gr_text_copy(study->runs[k].label, sizeof study->runs[k].label, design.label);
            if (wheel->grousers == GR_GROUSER_RADIUS && wheel->grouser_count != first->grouser_count) {
                gr_warning_add(log, (GrLocation){.field = "--grouser-model"},
                               "radius: grousers count by their height alone, not by their number; lugs counts both");
            }
        }
    }
    return status;
}

static bool is_law(const char *name)
{
    GrSoilLaw law;
    return gr_soil_law_find(name, &law, NULL) == GR_OK;
}

GrStatus gr_wheel_add_runs(const GrWheelOptions *o, const GrRigDef *def, GrWheelStudy *study, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (o->soil != NULL) {
        status = gr_wheel_add_run(o, def, o->soil, o->model, study, log);
    } else if (o->compare == NULL) {
        return gr_wheel_usage("--soil", "is needed; see grouser list soils", log);
    }
    for (const char *at = o->compare; at != NULL && *at != '\0' && status == GR_OK;) {
        char name[256];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), at);
        at += length + (at[length] == ',');
        if (is_law(name) && o->soil == NULL) {
            return gr_wheel_usage("--soil", "is needed to compare laws", log);
        }
        const bool law = is_law(name);
        const bool known =
            law && study->run_count > 0 && strcmp(name, gr_soil_law_name(study->runs[0].rig.def.soil.law)) == 0;
        if (!known) {
            status = gr_wheel_add_run(o, def, law ? o->soil : name, law ? name : o->model, study, log);
        }
    }
    bool soils = false, laws = false;
    for (int i = 1; i < study->run_count; i++) {
        soils = soils || strcmp(study->runs[i].rig.def.soil.name, study->runs[0].rig.def.soil.name) != 0;
        laws = laws || study->runs[i].rig.def.soil.law != study->runs[0].rig.def.soil.law;
    }
    for (int i = 0; i < study->run_count; i++) {
        const GrSoilDef *soil = &study->runs[i].rig.def.soil;
        const char *law = gr_soil_law_name(soil->law);
        snprintf(study->runs[i].label, sizeof study->runs[i].label, "%s%s%s", soils || !laws ? soil->name : "",
                 soils && laws ? ", " : "", laws ? law : "");
    }
    return status;
}
