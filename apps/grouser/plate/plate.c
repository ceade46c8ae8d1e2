/// grouser plate: plates, wheels and the annulus of a bevameter pressed into soil.
#include "alloc.h"
#include "command.h"
#include "file.h"
#include "grouser/model.h"
#include "grouser/soil_file.h"
#include "law.h"
#include "options.h"
#include "out_of_memory.h"
#include "plate_study.h"
#include "report.h"
#include "soil_yaml.h"
#include "statistics.h"
#include "text.h"
#include "wheel_study.h"

#include <math.h>
#include <string.h>

typedef struct PlateOptions {
    const char *soil, *model, *compare, *depth, *wheel, *grousers, *annulus, *pressures, *travel, *gravity, *data;
    const char *folder, *html, *csv;
    GrTextList overrides, columns;
    double diameter, width, length, cell, spread, uncertainty; ///< NAN: not given
    bool json;
} PlateOptions;

/// "a,b": two lengths above 0, the first of which may be 0 if `zero`.
static bool read_pair(const char *text, bool zero, double *a, double *b)
{
    double *values = NULL;
    const int count = gr_wheel_values("", text, 0, 100, 1, &values, NULL);
    const bool good = count == 2 && (values[0] > 0 || zero) && values[1] > 0;
    if (good) {
        *a = values[0];
        *b = values[1];
    }
    gr_free(values);
    return good;
}

/// The body of the options. With data, only a wheel for its presses of wheels.
static GrStatus read_body(const PlateOptions *o, GrPressBody *body, GrErrorLog *log)
{
    const bool circle = !isnan(o->diameter), rectangle = !isnan(o->width) || !isnan(o->length);
    const int given = circle + rectangle + (o->wheel != NULL) + (o->annulus != NULL);
    if (given != 1 && o->data == NULL) {
        return gr_options_refuse(
            "--diameter",
            "one body is needed: --diameter, --width and --length, --wheel RADIUS,WIDTH, --annulus "
            "INNER,OUTER, or --data",
            log);
    }
    if (o->data != NULL && (circle || rectangle || o->annulus != NULL)) {
        return gr_options_refuse("--data", "has the bodies: give none but --wheel, for its presses of wheels", log);
    }
    if (circle) {
        *body = (GrPressBody){.kind = GR_PRESS_CIRCLE, .diameter = o->diameter};
    } else if (rectangle) {
        *body = (GrPressBody){.kind = GR_PRESS_RECTANGLE, .width = o->width, .length = o->length};
        return isnan(o->width) || isnan(o->length)
                   ? gr_options_refuse("--width", "a rectangle has --width and --length", log)
                   : GR_OK;
    } else if (o->annulus != NULL) {
        body->kind = GR_PRESS_RING;
        return read_pair(o->annulus, true, &body->inner, &body->diameter)
                   ? GR_OK
                   : gr_options_refuse("--annulus", "takes two diameters INNER,OUTER [m]", log);
    } else if (o->wheel != NULL) {
        GrSoilWheelDef wheel = {.radius = 0};
        body->kind = GR_PRESS_WHEEL;
        if (o->grousers != NULL && !gr_options_grousers(o->grousers, &wheel)) {
            return gr_options_refuse("--grousers", GR_OPTIONS_GROUSERS, log);
        }
        body->grouser_count = wheel.grouser_count;
        body->grouser_height = wheel.grouser_height;
        body->grouser_thickness = wheel.grouser_thickness;
        return read_pair(o->wheel, false, &body->radius, &body->width)
                   ? GR_OK
                   : gr_options_refuse("--wheel", "takes RADIUS,WIDTH [m]", log);
    }
    return GR_OK;
}

/// Where the band of a run comes from: the option, the errors of a fit to presses, or samples of the soil.
static void choose_band(const PlateOptions *o, GrPlateRun *run)
{
    const GrSpreadError *error = &run->known.press;
    const double known = isnan(error->discrepancy) ? error->residual : error->discrepancy;
    const bool own = run->sources.law == run->def.soil.law && known > 0; // the errors are those of the fitted law
    if (o->uncertainty == 0) {
        return;
    }
    run->spread = !isnan(o->spread) ? o->spread : own ? known : 0;
    run->samples =
        run->spread > 0 || !isnan(o->spread) || !gr_soil_law_is_fast(run->def.soil.law) ? 0 : (int)o->uncertainty;
}

/// Adds a run: a soil by name, with a law by name or (NULL) its own.
static GrStatus add_run(const PlateOptions *o, const GrPressDef *def, const char *soil, const char *law,
                        GrPlateStudy *study, GrErrorLog *log)
{
    if (study->run_count == GR_PLATE_RUNS) {
        return gr_options_refuse("--compare", "too many laws and soils at once; at most 12", log);
    }
    GrPlateRun *run = &study->runs[study->run_count];
    *run = (GrPlateRun){.def = *def};
    GrStatus status = gr_soil_load_spread(soil, o->overrides.items, &run->def.soil, &run->sources, &run->known, log);
    if (status == GR_OK && law != NULL) {
        status = gr_soil_law_find(law, &run->def.soil.law, log);
    }
    if (status == GR_OK && o->data == NULL) {
        status = gr_press_check(&run->def, log);
    }
    if (status == GR_OK) {
        gr_soil_warn_gravity(&run->def.soil, def->gravity, log);
        gr_trust_of_soil(&run->def.soil, &run->sources, def->gravity, &run->trust);
        choose_band(o, run);
        study->banded = study->banded || run->spread > 0 || run->samples > 0;
        GrBuffer label = {0};
        gr_buffer_printf(&label, "%s, %s", run->def.soil.name, gr_soil_law_name(run->def.soil.law));
        gr_text_copy(run->label, sizeof run->label, label.data != NULL ? label.data : "");
        gr_buffer_free(&label);
        study->run_count++;
    }
    return status;
}

/// The soil of --soil with the law of --model, then each of --compare, a law or a soil.
static GrStatus add_runs(const PlateOptions *o, const GrPressDef *def, GrPlateStudy *study, GrErrorLog *log)
{
    if (o->soil == NULL) {
        return gr_options_refuse("--soil", "is needed; see grouser list soils", log);
    }
    GrStatus status = add_run(o, def, o->soil, o->model, study, log);
    for (const char *at = o->compare; at != NULL && *at != '\0' && status == GR_OK;) {
        char name[256];
        GrSoilLaw found;
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), at);
        at += length + (at[length] == ',');
        const bool law = gr_soil_law_find(name, &found, NULL) == GR_OK;
        status = add_run(o, def, law ? o->soil : name, law ? name : o->model, study, log);
    }
    return status;
}

static void add_row(GrPlateStudy *study, int run, int press, const double *values, int count)
{
    if (study->row_count < study->row_room) {
        GrPlateRow *row = &study->rows[study->row_count++];
        *row = (GrPlateRow){.run = run, .press = press};
        memcpy(row->value, values, (size_t)count * sizeof *values);
    }
}

static GrStatus make_room(GrPlateStudy *study, int rows, GrErrorLog *log)
{
    study->row_room = rows;
    study->rows = gr_calloc((size_t)rows + 1, sizeof *study->rows);
    return study->rows != NULL ? GR_OK : gr_out_of_memory(log, NULL);
}

/// Depths that rise.
static GrStatus read_depths(const PlateOptions *o, double **depths, int *count, GrErrorLog *log)
{
    const char *text = o->depth != NULL ? o->depth : "0.002:0.03:15";
    *count = gr_wheel_values("--depth", text, 0, 10, 1, depths, log);
    for (int i = 0; i < *count; i++) {
        if (!((*depths)[i] > (i > 0 ? (*depths)[i - 1] : 0))) {
            return gr_options_refuse("--depth", "takes depths above 0 that rise [m]", log);
        }
    }
    return *count > 0 ? GR_OK : GR_ERROR_USAGE;
}

/// Forces of a soil at some depths of a body, or at those of a measured press.
static GrStatus forces_of(const GrPressDef *def, const GrSoilDef *soil, const GrPress *press, const double *depth,
                          int count, double *force, GrErrorLog *log)
{
    GrPressDef own = *def;
    own.soil = *soil;
    return press != NULL ? gr_press_predict(press, soil, def->gravity, force, log)
                         : gr_press_run(&own, depth, count, force, log);
}

/// Quantiles of the forces on samples of the soil; those that a sample cannot carry count as highest.
static GrStatus sample_forces(const GrPlateRun *run, const GrPress *press, const double *depth, int count, double *low,
                              double *high, GrErrorLog *log)
{
    const size_t n = (size_t)count, samples = (size_t)run->samples;
    double *room = gr_malloc((n * samples + n + samples) * sizeof *room);
    if (room == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    double *force = room + n * samples;
    for (int s = 0; s < run->samples; s++) {
        GrErrorLog quiet = {.quiet = true};
        GrSoilDef soil;
        gr_soil_sample(&run->known, &run->sources, &run->def.soil, GR_SOIL_SEED, s, run->samples, &soil);
        const bool good = forces_of(&run->def, &soil, press, depth, count, force, &quiet) == GR_OK;
        for (size_t k = 0; k < n; k++) {
            room[k * samples + (size_t)s] = good ? force[k] : (double)NAN;
        }
    }
    for (size_t k = 0; k < n; k++) {
        const GrBand band = gr_band_of(room + k * samples, run->samples, 0);
        low[k] = band.low;
        high[k] = band.high;
    }
    gr_free(room);
    return GR_OK;
}

/// Forces with the ends of their 90 % band; NAN where the soil has none.
static GrStatus press_banded(const GrPlateRun *run, const GrPress *press, const double *depth, int count,
                             double *force[3], GrErrorLog *log)
{
    GrStatus status = forces_of(&run->def, &run->def.soil, press, depth, count, force[0], log);
    for (int k = 0; k < count; k++) {
        force[1][k] = force[2][k] = (double)NAN;
    }
    for (int end = 0; end < 2 && run->spread > 0 && status == GR_OK; end++) {
        const double factor = exp((end == 0 ? -1 : 1) * GR_PRESS_BAND * run->spread);
        const GrSoilDef soil = gr_press_firmer(&run->def.soil, factor);
        status = forces_of(&run->def, &soil, press, depth, count, force[1 + end], log);
    }
    if (run->samples > 0 && status == GR_OK) {
        status = sample_forces(run, press, depth, count, force[1], force[2], log);
    }
    return status;
}

static GrStatus press_all(const PlateOptions *o, GrPlateStudy *study, GrErrorLog *log)
{
    double *depth = NULL;
    int count = 0;
    GrStatus status = read_depths(o, &depth, &count, log);
    double *room = gr_calloc(3 * (size_t)(count > 0 ? count : 0) + 1, sizeof *room);
    if (room == NULL) {
        gr_free(depth);
        return gr_out_of_memory(log, NULL);
    }
    double *force[3] = {room, room + count, room + 2 * count};
    status = status == GR_OK ? make_room(study, study->run_count * count, log) : status;
    for (int i = 0; i < study->run_count && status == GR_OK; i++) {
        const GrPressDef *def = &study->runs[i].def;
        status = press_banded(&study->runs[i], NULL, depth, count, force, log);
        for (int k = 0; k < count && status == GR_OK; k++) {
            const double values[] = {depth[k], force[0][k] / gr_press_area(&def->body, depth[k]), force[0][k],
                                     force[1][k], force[2][k]};
            add_row(study, i, 0, values, 5);
        }
    }
    gr_free(depth);
    gr_free(room);
    return status;
}

static GrStatus shear_all(const PlateOptions *o, GrPlateStudy *study, GrErrorLog *log)
{
    double *stress = NULL, *travel = NULL;
    const int stresses = gr_wheel_values("--pressures", o->pressures != NULL ? o->pressures : "5000,10000,20000", 0,
                                         1e8, 1, &stress, log);
    const int travels = gr_wheel_values("--travel", o->travel != NULL ? o->travel : "0:0.1:21", 0, 10, 1, &travel, log);
    GrStatus status = stresses > 0 && travels > 0 ? GR_OK : GR_ERROR_USAGE;
    status = status == GR_OK ? make_room(study, study->run_count * stresses * travels, log) : status;
    for (int i = 0; i < study->run_count && status == GR_OK; i++) {
        const GrPressDef *def = &study->runs[i].def;
        if (gr_law_has(def->soil.law, GR_LAW_GRAINS)) {
            status =
                gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--annulus"},
                             "the law %s has no shear stress under a given pressure", gr_soil_law_name(def->soil.law));
        }
        for (int s = 0; s < stresses && status == GR_OK; s++) {
            const double sunk = gr_press_depth(def, stress[s]);
            for (int k = 0; k < travels; k++) {
                const double values[] = {stress[s], sunk, travel[k], gr_press_shear(&def->soil, stress[s], travel[k]),
                                         gr_press_torque(&def->soil, &def->body, stress[s], travel[k])};
                add_row(study, i, 0, values, 5);
            }
        }
    }
    gr_free(stress);
    gr_free(travel);
    return status;
}

/// Finds the different bodies of the data, by name and box.
static void list_bodies(GrPlateStudy *study)
{
    for (int i = 0; i < study->data.count; i++) {
        const GrPress *press = &study->data.items[i];
        bool known = false;
        for (int k = 0; k < study->body_count; k++) {
            const GrPress *other = &study->data.items[study->first[k]];
            known = known || (strcmp(press->name, other->name) == 0 && strcmp(press->box, other->box) == 0);
        }
        if (!known && study->body_count < GR_PLATE_BODIES) {
            study->first[study->body_count++] = i;
        }
    }
}

/// Scores of each body, and of all.
static GrStatus score_run(GrPlateStudy *study, GrPlateRun *run, unsigned char *role, GrErrorLog *log)
{
    const GrPressData *data = &study->data;
    GrStatus status = gr_press_score(data, NULL, 0, &run->def.soil, run->def.gravity, &run->all, log);
    for (int k = 0; k < study->body_count && status == GR_OK; k++) {
        const GrPress *of = &data->items[study->first[k]];
        for (int i = 0; i < data->count; i++) {
            role[i] = strcmp(data->items[i].name, of->name) == 0 && strcmp(data->items[i].box, of->box) == 0;
        }
        status = gr_press_score(data, role, 1, &run->def.soil, run->def.gravity, &run->scores[k], log);
    }
    return status;
}

/// Parts of the forces that are inside the band, from GR_PRESS_SHALLOW on.
static void count_inside(GrPlateStudy *study, int run)
{
    int all[GR_PLATE_BODIES + 1] = {0}, inside[GR_PLATE_BODIES + 1] = {0};
    for (int i = 0; i < study->row_count; i++) {
        const GrPlateRow *row = &study->rows[i];
        const double *v = row->value;
        const GrPress *press = &study->data.items[row->press];
        for (int k = 0; k <= study->body_count && row->run == run && v[0] >= GR_PRESS_SHALLOW; k++) {
            const GrPress *of = &study->data.items[study->first[k < study->body_count ? k : 0]];
            const bool same = strcmp(press->name, of->name) == 0 && strcmp(press->box, of->box) == 0;
            if (k == study->body_count || same) {
                all[k]++;
                inside[k] += v[4] <= v[1] && v[1] <= v[5];
            }
        }
    }
    for (int k = 0; k <= study->body_count; k++) {
        study->runs[run].inside[k] = all[k] > 0 ? (double)inside[k] / all[k] : (double)NAN;
    }
}

static GrStatus compare_data(const PlateOptions *o, const GrPressBody *wheel, GrPlateStudy *study, GrErrorLog *log)
{
    study->data_path = o->data;
    const GrColumnMap map = {"--columns", o->columns.items};
    GrStatus status = gr_press_data_load(o->data, wheel, map, &study->data, log);
    status = status == GR_OK ? make_room(study, study->run_count * study->data.count * GR_PRESS_POINTS, log) : status;
    unsigned char *role = gr_calloc((size_t)study->data.count + 1, 1);
    status = role != NULL ? status : gr_out_of_memory(log, NULL);
    list_bodies(study);
    for (int i = 0; i < study->run_count && status == GR_OK; i++) {
        GrPlateRun *run = &study->runs[i];
        for (int p = 0; p < study->data.count && status == GR_OK; p++) {
            const GrPress *press = &study->data.items[p];
            double room[3][GR_PRESS_POINTS], *force[3] = {room[0], room[1], room[2]};
            status = press_banded(run, press, NULL, press->count, force, log);
            for (int k = 0; k < press->count && status == GR_OK; k++) {
                const double values[] = {press->depth[k], press->force[k],
                                         force[0][k],     force[0][k] / press->force[k] - 1,
                                         force[1][k],     force[2][k]};
                add_row(study, i, p, values, 6);
            }
        }
        status = status == GR_OK && role != NULL ? score_run(study, run, role, log) : status;
        count_inside(study, i);
    }
    gr_free(role);
    return status;
}

/// Options that have no effect on this body.
static void warn_ignored(const PlateOptions *o, const GrPlateStudy *study, GrErrorLog *log)
{
    bool grid = false;
    for (int i = 0; i < study->run_count; i++) {
        grid = grid || gr_soil_law_on_grid(study->runs[i].def.soil.law);
    }
    const struct {
        const char *option;
        bool ignored;
        const char *why;
    } rows[] = {
        {"--depth", o->depth != NULL && study->mode != GR_PLATE_PRESS, "only plates and wheels are pressed to depths"},
        {"--grousers", o->grousers != NULL && o->wheel == NULL, "it needs --wheel"},
        {"--pressures", o->pressures != NULL && study->mode != GR_PLATE_SHEAR, "it needs --annulus"},
        {"--travel", o->travel != NULL && study->mode != GR_PLATE_SHEAR, "it needs --annulus"},
        {"--spread", !isnan(o->spread) && study->mode == GR_PLATE_SHEAR, "it is that of the pressure"},
        {"--cell", !isnan(o->cell) && (!grid || study->mode != GR_PLATE_PRESS), "it needs the law scm"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].ignored) {
            gr_warning_add(log, (GrLocation){.field = rows[i].option}, "has no effect here: %s", rows[i].why);
        }
    }
}

static GrStatus compute(const PlateOptions *o, GrPlateStudy *study, GrErrorLog *log)
{
    GrPressDef def = gr_default_press_def();
    if (o->gravity != NULL && !gr_gravity_named(o->gravity, &def.gravity) &&
        !(gr_options_number(o->gravity, &def.gravity) && def.gravity >= 0)) {
        return gr_options_refuse("--gravity",
                                 "takes a known body (earth, moon, mars, ...) or a number of at least 0 [m/s²]", log);
    }
    def.cell = isnan(o->cell) ? 0 : o->cell;
    if (!isnan(o->spread) && !(o->spread >= 0 && o->spread <= 3)) {
        return gr_options_refuse("--spread", "takes a standard deviation of the logarithm of pressure, 0 to 3", log);
    }
    if (!(o->uncertainty >= 0 && o->uncertainty <= 10000 && o->uncertainty == floor(o->uncertainty))) {
        return gr_options_refuse("--uncertainty", "takes a number of samples, 0 to 10000", log);
    }
    GrStatus status = read_body(o, &def.body, log);
    status = status == GR_OK ? add_runs(o, &def, study, log) : status;
    if (status != GR_OK) {
        return status;
    }
    study->mode = o->data != NULL ? GR_PLATE_DATA : o->annulus != NULL ? GR_PLATE_SHEAR : GR_PLATE_PRESS;
    warn_ignored(o, study, log);
    return study->mode == GR_PLATE_DATA    ? compare_data(o, &def.body, study, log)
           : study->mode == GR_PLATE_SHEAR ? shear_all(o, study, log)
                                           : press_all(o, study, log);
}

static GrStatus write_files(const PlateOptions *o, const GrPlateStudy *study, GrPage *page, GrErrorLog *log)
{
    char csv[GR_FILE_PATH_SIZE], html[GR_FILE_PATH_SIZE];
    const char *const csv_path = o->csv != NULL ? o->csv : o->folder != NULL ? csv : NULL;
    const char *const html_path = o->html != NULL ? o->html : o->folder != NULL ? html : NULL;
    GrStatus status = o->folder != NULL ? gr_folder_make(o->folder, log) : GR_OK;
    snprintf(csv, sizeof csv, "%.900s/plate.csv", o->folder != NULL ? o->folder : "");
    snprintf(html, sizeof html, "%.900s/plate.html", o->folder != NULL ? o->folder : "");
    if (status == GR_OK && csv_path != NULL) {
        GrBuffer text = {0};
        gr_plate_csv(study, &text);
        status = gr_report_file(csv_path, &text, o->json, log);
    }
    return status == GR_OK && html_path != NULL ? gr_report_page(html_path, page, o->json, log) : status;
}

/// Fills the options; false when the command must end with `*exit_code`.
static bool parse(int argc, char **argv, PlateOptions *o, int *exit_code)
{
    const GrOption options[] = {
        {.name = "soil", .value = "NAME|FILE", .text = &o->soil, .help = "see grouser list soils"},
        {.name = "diameter", .value = "M", .number = &o->diameter, .help = "a round plate [m]"},
        {.name = "width", .value = "M", .number = &o->width, .help = "a rectangular plate, with --length [m]"},
        {.name = "length", .value = "M", .number = &o->length, .help = "of the rectangular plate [m]"},
        {.name = "wheel", .value = "R,B", .text = &o->wheel, .help = "a wheel that does not roll: radius, width [m]"},
        {.name = "grousers",
         .value = "N,H[,T]",
         .text = &o->grousers,
         .help = "of the wheel: count, height, thickness [m]"},
        {.name = "annulus",
         .value = "INNER,OUTER",
         .text = &o->annulus,
         .help = "a ring that turns: its diameters [m]; shear stress against displacement"},
        {.name = "depth",
         .value = "DEPTHS",
         .text = &o->depth,
         .help = "0.01, or 0.005,0.01, or from:to:count [m]; default 0.002:0.03:15"},
        {.name = "pressures",
         .value = "STRESSES",
         .text = &o->pressures,
         .help = "normal stresses under the annulus [Pa]; default 5000,10000,20000"},
        {.name = "travel",
         .value = "LENGTHS",
         .text = &o->travel,
         .help = "displacements of the annulus at its mean radius [m]; default 0:0.1:21"},
        {.name = "data", .value = "FILE", .text = &o->data, .help = "measured presses, a CSV file; see docs/plate.md"},
        {.name = "columns",
         .value = "NAME=COLUMN",
         .list = &o->columns,
         .help = "what the columns of --data are, -COLUMN: with the other sign; may be repeated"},
        {.name = "model", .value = "LAW", .text = &o->model, .help = "law to use instead of the soil's own"},
        {.name = "set",
         .value = "KEY=VALUE",
         .list = &o->overrides,
         .prefix = "soil:",
         .help = "a parameter of the soil, also as soil:KEY=VALUE; may be repeated"},
        {.name = "compare", .value = "A,B,C", .text = &o->compare, .help = "more laws, or more soils"},
        {.name = "gravity",
         .value = "NAME|NUMBER",
         .text = &o->gravity,
         .help = "earth (default), moon, mars, or [m/s²]"},
        {.name = "spread",
         .value = "X",
         .number = &o->spread,
         .help = "standard deviation of ln p, for 90 % bands; default: that of the soil, or samples of it"},
        {.name = "uncertainty",
         .value = "N",
         .number = &o->uncertainty,
         .help = "samples of a soil without errors of presses; default 32; 0: no bands"},
        {.name = "cell",
         .value = "M",
         .number = &o->cell,
         .help = "scm: cell size of the grid [m]; default a twentieth of the width"},
        {.name = "output",
         .letter = 'o',
         .value = "DIR",
         .text = &o->folder,
         .help = "write plate.csv and plate.html there"},
        {.name = "html", .value = "FILE", .text = &o->html, .help = "write a page with plots"},
        {.name = "csv", .value = "FILE", .text = &o->csv, .help = "write the rows as CSV"},
        {.name = "json", .flag = &o->json, .help = "print JSON"},
    };
    return gr_options_parse(&gr_command_plate, options, (int)(sizeof options / sizeof options[0]), argc, argv, NULL, 0,
                            0, exit_code) >= 0;
}

static int run(int argc, char **argv)
{
    static GrPlateStudy study; // too large for the stack
    const double none = (double)NAN;
    GrErrorLog log = {0};
    PlateOptions o = {.diameter = none, .width = none, .length = none, .cell = none, .spread = none, .uncertainty = 32};
    int exit_code;
    if (!parse(argc, argv, &o, &exit_code)) {
        return exit_code;
    }
    study = (GrPlateStudy){0};
    GrStatus status = compute(&o, &study, &log);
    if (status == GR_OK) {
        GrPage page = {0};
        gr_plate_page(&study, &page);
        o.json ? gr_plate_json(&study, stdout) : gr_page_print(&page, stdout);
        status = write_files(&o, &study, &page, &log);
        gr_page_free(&page);
    }
    gr_free(study.rows);
    gr_press_data_free(&study.data);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_command_plate = {
    .name = "plate",
    .summary = "plate rig: pressure against sinkage, shear stress under an annulus",
    .usage =
        "plate --soil NAME|FILE --diameter M|--width M --length M|--wheel R,B|--annulus INNER,OUTER|--data FILE ...",
    .details =
        "Presses a plate, or a wheel that does not roll, into level soil and prints force and mean pressure against\n"
        "depth; or shears the soil with an annulus, as a bevameter does. With --data it predicts measured presses and\n"
        "prints the errors.",
    .example = "  grouser plate --soil wong_dry_sand --diameter 0.1 --depth 0.005:0.03:6\n"
               "  grouser plate --soil lunar_apollo --annulus 0.1,0.2 --pressures 2000,5000,10000 --gravity moon\n"
               "  grouser plate --soil cmu_soildirect90_rft --data presses.csv --html presses.html",
    .run = run,
};
