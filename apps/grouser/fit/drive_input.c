#include "drive_input.h"

#include "alloc.h"
#include "columns.h"
#include "file.h"
#include "grouser/model.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "report.h"
#include "soil_param.h"
#include "soil_yaml.h"
#include "text.h"
#include "trial_case.h"

#include <math.h>
#include <string.h>

static const double GRAVITY_AGREES = 0.05; // of the accelerometer's mean

GrDriveInput gr_default_drive_input(void)
{
    return (GrDriveInput){.gravity = "earth", .noise_def = gr_default_drive_noise()};
}

void gr_drive_input_free(GrDriveInput *input)
{
    gr_stretches_free(&input->stretches);
    gr_telemetry_free(&input->data);
    gr_drive_rover_free(&input->drive);
    gr_rover_free(&input->rover_def);
    gr_terrain_free(input->terrain);
}

int gr_drive_input_options(GrDriveInput *i, GrOption *out)
{
    const GrOption options[GR_DRIVE_OPTIONS] = {
        {.name = "telemetry",
         .value = "FILE",
         .text = &i->telemetry,
         .help = "of the drive: run.csv, or any CSV file; see docs/drives.md"},
        {.name = "rover", .value = "NAME|FILE", .text = &i->rover, .help = "the rover that drove"},
        {.name = "soil",
         .value = "NAME|FILE",
         .text = &i->soil,
         .help = "soil with its spread; default mars_sand on Mars, lunar_mare on the Moon, else ishigami2007"},
        {.name = "map", .value = "FILE", .text = &i->map, .help = "heights, for the tilt where the telemetry has none"},
        {.name = "columns",
         .value = "NAME=COLUMN,...",
         .list = &i->columns,
         .help = "what the columns of the file are; may be repeated"},
        {.name = "gravity",
         .value = "NAME|NUMBER",
         .text = &i->gravity,
         .help = "earth (default), moon, mars, or [m/s²]"},
        {.name = "model", .value = "LAW", .text = &i->model, .help = "law to use instead of the soil's own"},
        {.name = "set",
         .value = "KEY=VALUE",
         .list = &i->overrides,
         .prefix = "soil:",
         .help = "a parameter of the soil that is known; may be repeated"},
        {.name = "stretch",
         .value = "M",
         .number = &i->stretch,
         .help = "length over which telemetry is averaged; default the wheelbase"},
        {.name = "noise",
         .value = "LIST",
         .text = &i->noise,
         .help = "scatter:offset, as in slip=0.02:0.01,tilt_deg=0.5:0.3"},
        {.name = "torque-per-ampere",
         .value = "K[,IDLE]",
         .text = &i->torque_per_ampere,
         .help = "of a drive at its wheel [N m/A], and its idle current [A]"},
    };
    memcpy(out, options, sizeof options);
    return GR_DRIVE_OPTIONS;
}

/// "slip=0.02:0.01,tilt_deg=0.5": scatter, and offset if given.
static GrStatus read_noise(GrDriveInput *in, GrErrorLog *log)
{
    static const char *const names[GR_DRIVE_QUANTITIES] = {"slip", "tilt_deg", "torque", "sinkage"};
    static const double scale[GR_DRIVE_QUANTITIES] = {1, GR_DEGREE, 1, 1};
    char text[400], *at = text;
    gr_text_copy(text, sizeof text, in->noise != NULL ? in->noise : "");
    while (*at != '\0') {
        char *word = at;
        at += strcspn(at, ",");
        if (*at == ',') {
            *at++ = '\0';
        }
        char *equals = strchr(word, '='), *colon = equals != NULL ? strchr(equals, ':') : NULL;
        double scatter = 0, offset = 0;
        if (colon != NULL) {
            *colon = '\0';
        }
        const bool numbers = equals != NULL && gr_options_number(equals + 1, &scatter) && scatter > 0 &&
                             (colon == NULL || (gr_options_number(colon + 1, &offset) && offset > 0));
        if (!numbers) {
            return gr_options_refuse(
                "--noise",
                "takes a list of NAME=SCATTER or NAME=SCATTER:OFFSET with numbers above 0, such as "
                "slip=0.02:0.01,tilt_deg=0.5:0.3,torque=0.01:0.005,sinkage=0.03:0.03",
                log);
        }
        *equals = '\0';
        int q = 0;
        while (q < GR_DRIVE_QUANTITIES && strcmp(word, names[q]) != 0) {
            q++;
        }
        if (q == GR_DRIVE_QUANTITIES) {
            return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "--noise"}, "there is no quantity '%.60s'%s",
                                word, gr_text_hint(word, names, GR_DRIVE_QUANTITIES, NULL).text);
        }
        in->noise_def.scatter[q] = scale[q] * scatter;
        in->noise_def.offset[q] = colon != NULL ? scale[q] * offset : in->noise_def.offset[q];
    }
    return GR_OK;
}

/// "K" or "K,IDLE"
static GrStatus read_torque(const GrDriveInput *in, GrStretchDef *out, GrErrorLog *log)
{
    char text[80];
    if (in->torque_per_ampere == NULL) {
        return GR_OK;
    }
    gr_text_copy(text, sizeof text, in->torque_per_ampere);
    char *comma = strchr(text, ',');
    if (comma != NULL) {
        *comma = '\0';
    }
    const bool good = gr_options_number(text, &out->torque_per_ampere) && out->torque_per_ampere > 0 &&
                      (comma == NULL || gr_options_number(comma + 1, &out->idle_current));
    return good ? GR_OK : gr_options_refuse("--torque-per-ampere", "takes K or K,IDLE with K above 0 [N m/A]", log);
}

/// Splits "A=B,C=D" into entries, in `room`.
static int split_columns(const GrDriveInput *in, char *room, size_t size, const char *entries[GR_DRIVE_COLUMNS + 1])
{
    int count = 0;
    size_t used = 0;
    for (int i = 0; i < in->columns.count; i++) {
        const size_t length = strlen(in->columns.items[i]) + 1;
        if (used + length > size) {
            break;
        }
        char *at = memcpy(room + used, in->columns.items[i], length);
        used += length;
        while (*at != '\0' && count < GR_DRIVE_COLUMNS) {
            entries[count++] = at;
            at += strcspn(at, ",");
            if (*at == ',') {
                *at++ = '\0';
            }
        }
    }
    entries[count] = NULL;
    return count;
}

static GrStatus read_soil(GrDriveInput *in, double gravity, GrErrorLog *log)
{
    GrStatus status = gr_soil_load_spread(in->soil, in->overrides.items, &in->soil_def, &in->sources, &in->spread, log);
    if (status == GR_OK && in->model != NULL) {
        status = gr_soil_law_find(in->model, &in->soil_def.law, log);
        if (status == GR_OK && in->spread.kind == GR_SPREAD_UNKNOWN) {
            gr_soil_spread_unknown(&in->soil_def, &in->spread);
        }
    }
    if (status == GR_OK) {
        gr_soil_warn_ignored(&in->soil_def, &in->sources, GR_SOIL_USE_STEADY, log);
        gr_soil_warn_gravity(&in->soil_def, gravity, log);
    }
    return status;
}

/// An accelerometer tells the gravity too.
static GrStatus check_gravity(const GrDriveInput *in, double gravity, GrErrorLog *log)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < in->data.count; i++) {
        const double *v = in->data.rows[i].value;
        const double a = sqrt(v[GR_CHANNEL_AX] * v[GR_CHANNEL_AX] + v[GR_CHANNEL_AY] * v[GR_CHANNEL_AY] +
                              v[GR_CHANNEL_AZ] * v[GR_CHANNEL_AZ]);
        if (isfinite(a)) {
            sum += a;
            count++;
        }
    }
    if (count > 0 && fabs(sum / count - gravity) > GRAVITY_AGREES * gravity) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = in->telemetry, .field = "--gravity"},
                            "the accelerometer measures %.3g m/s² in the mean, --gravity is %.3g m/s²", sum / count,
                            gravity);
    }
    return GR_OK;
}

static GrStatus read_telemetry(GrDriveInput *in, double gravity, GrErrorLog *log)
{
    static char room[16384];
    const char *entries[GR_DRIVE_COLUMNS + 1];
    GrStretchDef def = {.length = in->stretch};
    split_columns(in, room, sizeof room, entries);
    GrStatus status = read_torque(in, &def, log);
    status = status == GR_OK ? gr_telemetry_load(in->telemetry, entries, &in->drive, &in->data, log) : status;
    status = status == GR_OK ? check_gravity(in, gravity, log) : status;
    if (status == GR_OK && in->map != NULL) {
        gr_terrain_open(in->map, &in->terrain, log);
        def.map = in->terrain;
        status = def.map != NULL ? GR_OK : GR_ERROR_FILE;
    }
    status =
        status == GR_OK ? gr_stretches_make(&in->data, &def, &in->drive, in->telemetry, &in->stretches, log) : status;
    if (status == GR_OK && in->map != NULL && in->stretches.tilt_of == GR_TILT_CHASSIS) {
        gr_warning_add(log, (GrLocation){.field = "--map"}, "has no effect: the telemetry has the tilt itself");
    }
    return status;
}

GrStatus gr_drive_input_read(GrDriveInput *in, GrErrorLog *log)
{
    double gravity;
    if (in->telemetry == NULL || in->rover == NULL) {
        return gr_options_refuse("--telemetry", "--telemetry and --rover are needed", log);
    }
    if (!gr_gravity_named(in->gravity, &gravity) && !gr_options_number(in->gravity, &gravity)) {
        return gr_options_refuse("--gravity", "takes a known body (earth, moon, mars, ...) or a number [m/s²]", log);
    }
    if (!(in->stretch >= 0)) {
        return gr_options_refuse("--stretch", "takes a length above 0 [m]", log);
    }
    in->soil = in->soil != NULL ? in->soil : gr_usual_soil(gravity);
    GrStatus status = read_noise(in, log);
    status = status == GR_OK ? gr_rover_load(in->rover, NULL, &in->rover_def, log) : status;
    status = status == GR_OK ? read_soil(in, gravity, log) : status;
    status = status == GR_OK ? gr_drive_rover_make(&in->rover_def, &in->soil_def, gravity, &in->drive, log) : status;
    return status == GR_OK ? read_telemetry(in, gravity, log) : status;
}

// ---- report

/// Names of columns; those of wheels once for all wheels.
static void print_names(const GrDriveInput *in, const char *title, const GrNameList *list, int most, FILE *file)
{
    GrNameList shown = {0};
    for (int i = 0; i < list->count; i++) {
        const char *name = list->names[i];
        for (int w = 0; w < in->drive.wheel_count; w++) {
            const size_t length = strlen(in->drive.names[w]);
            const bool own = strncmp(name, in->drive.names[w], length) == 0 && name[length] == '.';
            name = own ? name + length : name;
        }
        gr_name_list_add(&shown, name); // out of memory: a shorter list
    }
    fprintf(file, "%s: %s", title, list->count == 0 ? "none" : "");
    for (int i = 0; i < shown.count && i < most; i++) {
        fprintf(file, "%s%s%s", i > 0 ? ", " : "", shown.names[i][0] == '.' ? "WHEEL" : "", shown.names[i]);
    }
    if (shown.count > most) {
        fprintf(file, " and %d more (--json lists them)", shown.count - most);
    }
    fputs("\n", file);
    gr_name_list_free(&shown);
}

void gr_drive_input_print(const GrDriveInput *in, FILE *file)
{
    const GrStretches *s = &in->stretches;
    bool any = false;
    fprintf(file, "%s: %.4g m in %d stretches of %.3g m; tilt: %s", in->telemetry, s->distance, s->count, s->length,
            s->tilt);
    for (int k = 0; k < GR_STRETCH_FAULTS; k++) {
        if (s->left[k] > 0) {
            fprintf(file, "%s%d %s", any ? ", " : "; left out: ", s->left[k], gr_stretch_fault_texts[k]);
            any = true;
        }
    }
    fputs("\n", file);
    print_names(in, "columns used", &in->data.used, 40, file);
    print_names(in, "columns ignored", &in->data.ignored, 12, file);
}

void gr_drive_input_json(const GrDriveInput *in, GrJson *json)
{
    static const char *const keys[GR_STRETCH_FAULTS] = {"turns", "rocks", "backwards", "slides", "incomplete"};
    const GrStretches *s = &in->stretches;
    gr_json_string(json, "telemetry", in->telemetry);
    gr_json_string(json, "rover", in->rover);
    gr_json_string(json, "model", gr_soil_law_name(in->soil_def.law));
    gr_json_number(json, "distance_m", s->distance);
    gr_json_integer(json, "stretches", s->count);
    gr_json_number(json, "stretch_m", s->length);
    gr_json_string(json, "tilt", s->tilt);
    gr_json_begin_object(json, "left_out");
    for (int k = 0; k < GR_STRETCH_FAULTS; k++) {
        gr_json_integer(json, keys[k], s->left[k]);
    }
    gr_json_end(json);
    gr_columns_json(&in->data.used, &in->data.ignored, json);
}

// ---- predictions beside what was measured, as text, JSON and plots

static const char *rounded(double value, int digits, char out[GR_NUMBER_SIZE])
{
    gr_number_round(value, digits, out);
    return isfinite(value) ? out : "–";
}

static bool is_outside(const GrDriveBand *b)
{
    return isfinite(b->measured) && !isnan(b->low) && !(b->measured >= b->low && b->measured <= b->high);
}

/// The next run of stretches outside the band from *at on; false: none.
static bool next_outside(const GrDrivePrediction *p, GrPredicted q, int *at, int *first, int *last)
{
    while (*at < p->count && !is_outside(&p->items[*at][q])) {
        (*at)++;
    }
    *first = *at;
    while (*at < p->count && is_outside(&p->items[*at][q])) {
        (*at)++;
    }
    *last = *at - 1;
    return *first < p->count;
}

static void print_outside(const GrDriveInput *in, const GrDrivePrediction *p, GrPredicted q, FILE *file)
{
    enum { SHOWN = 6 };
    int at = 0, first, last, count = 0;
    while (next_outside(p, q, &at, &first, &last)) {
        const GrStretch *items = in->stretches.items;
        if (count < SHOWN) {
            fprintf(file, "%s%.4g–%.4g m", count == 0 ? "; leaves it at " : ", ", items[first].from, items[last].to);
        }
        count++;
    }
    if (count > SHOWN) {
        fprintf(file, " and %d more places", count - SHOWN);
    }
}

static void print_total(const GrDriveInput *in, const GrDrivePrediction *p, FILE *file)
{
    char value[GR_NUMBER_SIZE], low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE], measured[GR_NUMBER_SIZE];
    double length = 0;
    for (int i = 0; i < in->stretches.count; i++) {
        length += in->stretches.items[i].to - in->stretches.items[i].from;
    }
    fprintf(file, "drive energy: predicted %s J", rounded(p->total.value, 4, value));
    if (!isnan(p->total.low)) {
        fprintf(file, " (90 %%: %s … %s)", rounded(p->total.low, 3, low), rounded(p->total.high, 3, high));
    }
    fprintf(file, ", %s J/m", rounded(p->total.value / length, 3, value));
    if (isfinite(p->total.measured)) {
        fprintf(file, "; measured %s J", rounded(p->total.measured, 4, measured));
        fprintf(file, ", %s J/m", rounded(p->total.measured / length, 3, measured));
    }
    fputs("\n", file);
}

void gr_drive_bands_print(const GrDriveInput *in, const GrDrivePrediction *p, FILE *file)
{
    for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
        const GrCoverage c = gr_drive_coverage(p, (GrPredicted)q);
        if (c.measured > 0) {
            fprintf(file, "%s: %d of %d stretches inside the 90 %% band", gr_predicted[q].name, c.inside, c.measured);
            print_outside(in, p, (GrPredicted)q, file);
            fputs("\n", file);
        }
    }
    print_total(in, p, file);
    if (p->stuck > 0) {
        fprintf(file, "on %d stretches this soil cannot hold the rover at all: predicted slip 100 %%\n", p->stuck);
    }
}

static void write_band(GrJson *json, const char *key, const GrDriveBand *b)
{
    char name[64];
    gr_json_number(json, key, b->value);
    snprintf(name, sizeof name, "%s_low", key);
    gr_json_number(json, name, b->low);
    snprintf(name, sizeof name, "%s_high", key);
    gr_json_number(json, name, b->high);
    snprintf(name, sizeof name, "%s_measured", key);
    gr_json_number(json, name, b->measured);
}

static void write_coverage(const GrDriveInput *in, const GrDrivePrediction *p, GrJson *json)
{
    gr_json_begin_object(json, "coverage");
    for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
        const GrCoverage c = gr_drive_coverage(p, (GrPredicted)q);
        int at = 0, first, last;
        if (c.measured == 0) {
            continue;
        }
        gr_json_begin_object(json, gr_predicted[q].key);
        gr_json_integer(json, "stretches", c.measured);
        gr_json_integer(json, "inside", c.inside);
        gr_json_begin_array(json, "outside_m");
        while (next_outside(p, (GrPredicted)q, &at, &first, &last)) {
            gr_json_numbers(json, NULL,
                            (const double[2]){in->stretches.items[first].from, in->stretches.items[last].to}, 2);
        }
        gr_json_end(json);
        gr_json_end(json);
    }
    gr_json_end(json);
}

void gr_drive_bands_json(const GrDriveInput *in, const GrDrivePrediction *p, GrJson *json)
{
    write_coverage(in, p, json);
    write_band(json, "energy_J", &p->total);
    gr_json_begin_array(json, "drive");
    for (int i = 0; i < p->count; i++) {
        const GrStretch *s = &in->stretches.items[i];
        gr_json_begin_object(json, NULL);
        gr_json_number(json, "from_m", s->from);
        gr_json_number(json, "to_m", s->to);
        gr_json_number(json, "tilt_deg", s->measured[GR_DRIVE_TILT] / GR_DEGREE);
        for (int q = 0; q < GR_PREDICTED_QUANTITIES; q++) {
            write_band(json, gr_predicted[q].key, &p->items[i][q]);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

// ---- page

enum { COLUMNS = 5 }; // distance, prediction, low, high, measured

/// Columns of one quantity, or of the tilt, in `room`.
static void fill_columns(const GrDriveInput *in, const GrDrivePrediction *p, int q, double *room)
{
    const int n = p->count;
    for (int i = 0; i < n; i++) {
        const GrStretch *s = &in->stretches.items[i];
        const GrDriveBand *b = &p->items[i][q];
        const double f = gr_predicted[q].factor, columns[COLUMNS] = {0.5 * (s->from + s->to), f * b->value, f * b->low,
                                                                     f * b->high, f * b->measured};
        for (int k = 0; k < COLUMNS; k++) {
            room[k * n + i] = isinf(columns[k]) ? (double)NAN : columns[k];
        }
    }
}

/// Thin lines at the change points, over the range of a panel's values.
static int add_changes(const double *changes, int count, const double *values, int n, double *room, GrSeries *out)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int i = 0; i < n; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    for (int k = 0; k < count; k++) {
        double *x = room + 4 * k, *y = x + 2;
        x[0] = x[1] = changes[k];
        y[0] = low;
        y[1] = high;
        out[k] = (GrSeries){.kind = GR_SERIES_DASHED, .x = x, .y = y, .count = 2, .color = GR_PLOT_GUIDE};
    }
    return count;
}

void gr_drive_bands_page(const GrDriveInput *in, const GrDrivePrediction *p, const double *changes, int change_count,
                         GrPage *page)
{
    GrSeries series[GR_PREDICTED_QUANTITIES][2 + GR_DRIVE_SEGMENTS];
    GrPanel panels[GR_PREDICTED_QUANTITIES];
    char labels[GR_PREDICTED_QUANTITIES][64];
    double lines[GR_PREDICTED_QUANTITIES][4 * GR_DRIVE_SEGMENTS];
    const int n = p->count;
    double *room = gr_calloc((size_t)n * COLUMNS * GR_PREDICTED_QUANTITIES, sizeof *room);
    page->failed = page->failed || room == NULL;
    for (int q = 0; q < GR_PREDICTED_QUANTITIES && room != NULL; q++) {
        double *x = room + (size_t)n * COLUMNS * (size_t)q;
        fill_columns(in, p, q, x);
        series[q][0] = (GrSeries){.name = "predicted, 90 % band",
                                  .x = x,
                                  .y = x + n,
                                  .count = n,
                                  .color = 1,
                                  .lower = x + 2 * n,
                                  .upper = x + 3 * n};
        series[q][1] =
            (GrSeries){.name = "measured", .kind = GR_SERIES_POINTS, .x = x, .y = x + 4 * n, .count = n, .color = 2};
        const int extra = add_changes(changes, change_count, x + n, n, lines[q], &series[q][2]);
        snprintf(labels[q], sizeof labels[q], "%s [%s]", gr_predicted[q].name, gr_predicted[q].unit);
        panels[q] = (GrPanel){.x_label = "distance [m]",
                              .y_label = labels[q],
                              .series = series[q],
                              .series_count = 2 + extra,
                              .zero_line = true};
    }
    if (room != NULL) {
        gr_page_panels(
            page, panels, GR_PREDICTED_QUANTITIES,
            "Points: means of the telemetry over a stretch. Lines: the soil at the tilt of the stretch, with "
            "the band of its spread and of the law's errors. Dashed: change points.");
    }
    gr_free(room);
}
