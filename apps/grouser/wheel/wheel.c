/// grouser wheel: the single-wheel rig.
#include "alloc.h"
#include "command.h"
#include "file.h"
#include "find.h"
#include "grouser/analysis.h"
#include "law.h"
#include "mesh_file.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"
#include "soil_param.h"
#include "soil_yaml.h"
#include "text.h"
#include "wheel_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct WheelOptions {
    const char *soil, *model, *slip, *slip_angle, *grousers, *grouser_model, *data, *compare, *rover, *wheel, *gravity,
        *mesh, *uncertainty;
    const char *folder, *html, *csv;
    GrTextList overrides;
    double radius, width, load, sinkage, stiffness, speed, slices, cell; ///< NAN: not given
    bool dynamic, flow, json;
} WheelOptions;

static GrStatus fail_usage(const char *option, const char *text, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = option}, "%s", text);
}

static GrStatus read_grousers(const WheelOptions *o, GrSoilWheelDef *wheel, GrErrorLog *log)
{
    if (o->grousers != NULL && !gr_options_grousers(o->grousers, wheel)) {
        return fail_usage("--grousers", GR_OPTIONS_GROUSERS, log);
    }
    if (o->grouser_model != NULL && !gr_options_grouser_model(o->grouser_model, wheel)) {
        return fail_usage("--grouser-model", GR_OPTIONS_GROUSER_MODEL, log);
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
    GrModel *model = gr_model_create(rover, &options, log);
    GrData *data = model != NULL ? gr_data_create(model) : NULL;
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
static GrStatus read_rover(const WheelOptions *o, GrWheelStudy *study, GrRigDef *def, GrErrorLog *log)
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

/// Wheel, load and mode of the rig; the soil is not read yet.
static GrStatus read_rig(const WheelOptions *o, GrWheelStudy *study, GrRigDef *def, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    *def = gr_default_rig_def();
    if (o->gravity != NULL && !gr_gravity_named(o->gravity, &def->wheel.gravity) &&
        !(gr_options_number(o->gravity, &def->wheel.gravity) && def->wheel.gravity >= 0)) {
        return fail_usage("--gravity", "takes a known body (earth, moon, mars, ...) or a number of at least 0 [m/s²]",
                          log);
    }
    if (o->mesh != NULL) {
        if (o->rover != NULL || !isnan(o->radius) || !isnan(o->width) || o->grousers != NULL) {
            return fail_usage("--mesh", "has the wheel: give no --rover, --radius, --width or --grousers", log);
        }
        status = read_mesh(o->mesh, study, &def->wheel, log);
    } else if (o->rover != NULL) {
        status = read_rover(o, study, def, log);
    } else if (isnan(o->radius) || isnan(o->width)) {
        return fail_usage("--radius", "--radius and --width are needed, or --rover, or --mesh", log);
    }
    if (o->rover == NULL && isnan(o->load) && isnan(o->sinkage)) {
        return fail_usage("--load", "--load or --sinkage is needed", log);
    }
    if (!isnan(o->slices) && !(o->slices >= 1 && o->slices <= GR_SLICES_MAX && o->slices == floor(o->slices))) {
        return fail_usage("--slices", "takes a whole number from 1 to 16", log);
    }
    if (!isnan(o->load) && !isnan(o->sinkage)) {
        return fail_usage("--load", "give --load or --sinkage, not both", log);
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
           (def->flow ? 0u : (unsigned)GR_SOIL_USE_NO_FLOW);
}

/// Warns about options that have no effect with the laws in use. With several laws, it is enough that one reads them.
static void warn_ignored(const WheelOptions *o, const GrWheelStudy *study, GrErrorLog *log)
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
        {"--gravity", o->gravity != NULL && !weighs && !stands,
         "the load is given, and the law does not weigh the soil"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].ignored) {
            gr_warning_add(log, (GrLocation){.field = rows[i].option}, "has no effect here: %s", rows[i].why);
        }
    }
}

/// The mesh of a rover's wheel, for the law that can use it.
static void use_surface(const GrWheelSurface *surface, GrRigDef *def, GrErrorLog *log)
{
    if (gr_law_has(def->soil.law, GR_LAW_GRAINS)) {
        gr_wheel_surface_describe(surface, &def->wheel);
    } else {
        gr_warning_add(log, (GrLocation){.field = "soil_mesh"},
                       "has no effect: the law %s takes wheels as cylinders; the law %s uses their mesh",
                       gr_soil_law_name(def->soil.law), gr_law(gr_law_with(GR_LAW_GRAINS))->name);
    }
}

/// Adds a run: a soil by name, with a law by name or (NULL) its own.
static GrStatus add_run(const WheelOptions *o, const GrRigDef *def, const char *soil, const char *law,
                        GrWheelStudy *study, GrErrorLog *log)
{
    if (study->run_count == GR_WHEEL_RUNS) {
        return fail_usage("--compare", "too many laws and soils at once; at most 12", log);
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
    if (status == GR_OK && o->rover != NULL && study->surface != NULL) {
        use_surface(study->surface, &own, log);
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

static bool is_law(const char *name)
{
    GrSoilLaw law;
    return gr_soil_law_find(name, &law, NULL) == GR_OK;
}

/// The soil of --soil with the law of --model, then each of --compare, a law or a soil.
static GrStatus add_runs(const WheelOptions *o, const GrRigDef *def, GrWheelStudy *study, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (o->soil != NULL) {
        status = add_run(o, def, o->soil, o->model, study, log);
    } else if (o->compare == NULL) {
        return fail_usage("--soil", "is needed; see grouser list soils", log);
    }
    for (const char *at = o->compare; at != NULL && *at != '\0' && status == GR_OK;) {
        char name[256];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), at);
        at += length + (at[length] == ',');
        if (is_law(name) && o->soil == NULL) {
            return fail_usage("--soil", "is needed to compare laws", log);
        }
        const bool law = is_law(name);
        const bool known =
            law && study->run_count > 0 && strcmp(name, gr_soil_law_name(study->runs[0].rig.def.soil.law)) == 0;
        if (!known) {
            status = add_run(o, def, law ? o->soil : name, law ? name : o->model, study, log);
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

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The slip angles that were measured, to whole tenths of a degree; those at 90° cannot be computed.
static GrStatus angles_of_data(GrWheelStudy *study, GrErrorLog *log)
{
    study->angles = gr_calloc((size_t)study->data.count + 1, sizeof *study->angles);
    if (study->angles == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < study->data.count; i++) {
        const double angle = round(study->data.items[i].value[GR_SLIP_ANGLE] / GR_DEGREE * 10) / 10 * GR_DEGREE;
        bool known = fabs(angle) > 89.5 * GR_DEGREE;
        for (int j = 0; j < study->angle_count; j++) {
            known = known || study->angles[j] == angle;
        }
        if (!known) {
            study->angles[study->angle_count++] = angle;
        }
    }
    if (study->angle_count == 0) {
        study->angles[study->angle_count++] = 0;
    }
    qsort(study->angles, (size_t)study->angle_count, sizeof *study->angles, compare_numbers);
    return GR_OK;
}

static GrStatus read_sweep(const WheelOptions *o, GrWheelStudy *study, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (o->data != NULL) {
        study->data_path = o->data;
        status = gr_wheel_data_load(o->data, &study->data, log);
        if (status == GR_OK && study->data.has_wheel) {
            gr_warning_add(log, (GrLocation){.file = o->data},
                           "its columns of the wheel have no effect here: the rig has the wheel of the options");
        }
    }
    double lowest = 0, highest = 0.9;
    for (int i = 0; i < study->data.count; i++) {
        lowest = fmin(lowest, study->data.items[i].value[GR_SLIP]);
        highest = fmax(highest, study->data.items[i].value[GR_SLIP]);
    }
    char range[64];
    snprintf(range, sizeof range, "%g:%g:%d", lowest, highest, o->data != NULL ? 61 : 19);
    if (status == GR_OK) {
        study->slip_count = gr_wheel_values("--slip", o->slip != NULL ? o->slip : range, -1, 1, 1, &study->slips, log);
        status = study->slip_count > 0 ? GR_OK : GR_ERROR_USAGE;
    }
    if (status == GR_OK && o->slip_angle == NULL && o->data != NULL) {
        status = angles_of_data(study, log);
    } else if (status == GR_OK) {
        study->angle_count = gr_wheel_values("--slip-angle", o->slip_angle != NULL ? o->slip_angle : "0", -89.5, 89.5,
                                             GR_DEGREE, &study->angles, log);
        status = study->angle_count > 0 ? GR_OK : GR_ERROR_USAGE;
    }
    return status;
}

static GrStatus write_file(const char *path, GrBuffer *buffer, bool quiet, GrErrorLog *log)
{
    GrStatus status =
        buffer->failed ? gr_out_of_memory(log, NULL) : gr_file_write(path, buffer->data, buffer->size, log);
    if (status == GR_OK) {
        fprintf(quiet ? stderr : stdout, "wrote %s\n", path);
    }
    gr_buffer_free(buffer);
    return status == GR_ERROR_FILE ? GR_ERROR_NUMERIC : status; // not the input's fault: exit 1
}

static GrStatus write_files(const WheelOptions *o, const GrWheelStudy *study, GrErrorLog *log)
{
    char csv_path[GR_FILE_PATH_SIZE], html_path[GR_FILE_PATH_SIZE];
    const char *csv = o->csv, *html = o->html;
    GrStatus status = GR_OK;
    if (o->folder != NULL) {
        status = gr_folder_make(o->folder, log);
        snprintf(csv_path, sizeof csv_path, "%.900s/wheel.csv", o->folder);
        snprintf(html_path, sizeof html_path, "%.900s/wheel.html", o->folder);
        csv = csv != NULL ? csv : csv_path;
        html = html != NULL ? html : html_path;
    }
    if (status == GR_OK && csv != NULL) {
        GrBuffer buffer = {0};
        gr_wheel_csv(study, &buffer);
        status = write_file(csv, &buffer, o->json, log);
    }
    if (status == GR_OK && html != NULL) {
        GrBuffer buffer = {0};
        gr_wheel_page(study, &buffer);
        status = write_file(html, &buffer, o->json, log);
    }
    return status;
}

static GrStatus compute(const WheelOptions *o, GrWheelStudy *study, GrErrorLog *log)
{
    GrRigDef def;
    GrStatus status = read_rig(o, study, &def, log);
    if (status == GR_OK) {
        status = add_runs(o, &def, study, log);
    }
    if (status == GR_OK) {
        warn_ignored(o, study, log);
        status = read_sweep(o, study, log);
    }
    if (status == GR_OK) {
        status = gr_options_samples(o->uncertainty, gr_wheel_usual_samples(study), &study->sample_count, log);
    }
    return status == GR_OK ? gr_wheel_study_run(study, log) : status;
}

static GrStatus study_wheel(const WheelOptions *o, GrWheelStudy *study, GrErrorLog *log)
{
    GrStatus status = compute(o, study, log);
    if (status == GR_OK) {
        (o->json ? gr_wheel_json : gr_wheel_print)(study, stdout);
        status = write_files(o, study, log);
    }
    return status;
}

/// Fills the options; false when the command must end with `*exit_code`.
static bool parse(int argc, char **argv, WheelOptions *o, int *exit_code)
{
    const GrOption options[] = {
        {.name = "soil", .value = "NAME|FILE", .text = &o->soil, .help = "see grouser list soils"},
        {.name = "radius", .value = "M", .number = &o->radius, .help = "radius of the smooth rim [m]"},
        {.name = "width", .value = "M", .number = &o->width, .help = "wheel width [m]"},
        {.name = "load", .value = "N", .number = &o->load, .help = "wheel load [N]"},
        {.name = "sinkage", .value = "M", .number = &o->sinkage, .help = "sinkage, instead of a load [m]"},
        {.name = "slip", .value = "SLIPS", .text = &o->slip, .help = "0.1, or 0,0.2,0.5, or from:to:count; -1 to 1"},
        {.name = "slip-angle",
         .value = "DEGREES",
         .text = &o->slip_angle,
         .help = "slip angles, in the same forms; default 0"},
        {.name = "model",
         .value = "LAW",
         .text = &o->model,
         .help = "law to use instead of the soil's own; see grouser list models"},
        {.name = "set",
         .value = "KEY=VALUE",
         .list = &o->overrides,
         .help = "a parameter of the soil; may be repeated"},
        {.name = "grousers", .value = "N,H[,T]", .text = &o->grousers, .help = "count, height and thickness [m]"},
        {.name = "grouser-model",
         .value = "MODEL",
         .text = &o->grouser_model,
         .help = "radius (default, or that of the rover), lugs or none"},
        {.name = "stiffness", .value = "N/M", .number = &o->stiffness, .help = "radial, of a flexible wheel [N/m]"},
        {.name = "slices", .value = "N", .number = &o->slices, .help = "across the width; default 1"},
        {.name = "mesh", .value = "FILE", .text = &o->mesh, .help = "wheel of any shape, OBJ or STL; law rft"},
        {.name = "rover", .value = "NAME|FILE", .text = &o->rover, .help = "take wheel and load from a rover"},
        {.name = "wheel", .value = "NAME", .text = &o->wheel, .help = "wheel of the rover; default: the first"},
        {.name = "gravity",
         .value = "NAME|NUMBER",
         .text = &o->gravity,
         .help = "earth (default), moon, mars, or [m/s²]"},
        {.name = "dynamic", .flag = &o->dynamic, .help = "integrate a wheel on a carriage to its steady state"},
        {.name = "speed",
         .value = "M/S",
         .number = &o->speed,
         .help = "speed of rim or carriage, the faster one; default 0.05"},
        {.name = "cell",
         .value = "M",
         .number = &o->cell,
         .help = "scm, rft with --flow: cell size of the grid [m]; default 0.01"},
        {.name = "flow", .flag = &o->flow, .help = "scm, rft: displaced soil rises around the wheel and slumps"},
        {.name = "data",
         .value = "FILE",
         .text = &o->data,
         .help = "measured points, a CSV file; see docs/wheel-rig.md"},
        {.name = "compare", .value = "A,B,C", .text = &o->compare, .help = "more laws, or more soils"},
        {.name = "uncertainty",
         .value = "N",
         .text = &o->uncertainty,
         .help = "samples of the soil for bands (default 32; scm, rft, --dynamic: 0)"},
        {.name = "output",
         .letter = 'o',
         .value = "DIR",
         .text = &o->folder,
         .help = "write wheel.csv and wheel.html there"},
        {.name = "html", .value = "FILE", .text = &o->html, .help = "write a page with plots"},
        {.name = "csv", .value = "FILE", .text = &o->csv, .help = "write the points as CSV"},
        {.name = "json", .flag = &o->json, .help = "print JSON"},
    };
    return gr_options_parse(&gr_command_wheel, options, (int)(sizeof options / sizeof options[0]), argc, argv, NULL, 0,
                            0, exit_code) >= 0;
}

static WheelOptions no_options(void)
{
    const double none = (double)NAN;
    return (WheelOptions){.radius = none,
                          .width = none,
                          .load = none,
                          .sinkage = none,
                          .stiffness = none,
                          .speed = none,
                          .cell = none,
                          .slices = none};
}

GrStatus gr_wheel_study_line(int argc, char **argv, GrWheelStudy *out, GrErrorLog *log)
{
    WheelOptions o = no_options();
    int exit_code;
    return parse(argc, argv, &o, &exit_code)
               ? compute(&o, out, log)
               : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "the wheel rig does not take it");
}

static int run(int argc, char **argv)
{
    static GrWheelStudy study;
    GrErrorLog log = {0};
    WheelOptions o = no_options();
    int exit_code;
    if (!parse(argc, argv, &o, &exit_code)) {
        return exit_code;
    }
    const GrStatus status = study_wheel(&o, &study, &log);
    gr_wheel_study_free(&study);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_command_wheel = {
    .name = "wheel",
    .summary = "single-wheel rig: forces, torque and sinkage against slip and slip angle",
    .usage =
        "wheel --soil NAME|FILE --radius M --width M --load N|--sinkage M [--slip SLIPS] [--slip-angle DEGREES] ...",
    .details =
        "Rolls one wheel over level soil with imposed slip and slip angle, free to sink under a load. Prints drawbar\n"
        "pull f_x, side force f_y (positive against the side slip), torque of the motor, sinkage and efficiency; the\n"
        "towed and the self-propelled point, the largest drawbar pull and the best efficiency. Ranges are bands of 90 "
        "%\n"
        "for what is not known of the soil.",
    .example =
        "  grouser wheel --soil ishigami2007 --radius 0.09 --width 0.11 --load 64.68 --slip 0:0.9:10 --slip-angle 5\n"
        "  grouser wheel --soil lunar_apollo --rover rashid_like --gravity moon --compare bekker,ding --html "
        "wheel.html",
    .run = run,
};
