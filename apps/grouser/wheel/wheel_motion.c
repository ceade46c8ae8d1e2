#include "wheel_motion.h"

#include "alloc.h"
#include "columns.h"
#include "motion_rig.h"
#include "out_of_memory.h"
#include "page.h"
#include "processors.h"
#include "report.h"
#include "ruts_raster.h"
#include "statistics.h"
#include "text.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/// Longest step of the rig [s].
static const double STEP = 0.005;

typedef enum Use { PRESCRIBED, MEASURED } Use;

/// Columns of the file, and of the answer; members of GrMotionRow.
static const struct Quantity {
    const char *name;
    size_t offset;
    double scale; ///< of the file's unit
    int axis;     ///< −1: none
    bool force;
} QUANTITIES[] = {
    {"x_m", offsetof(GrMotionRow, position[0]), 1, 0, false},
    {"y_m", offsetof(GrMotionRow, position[1]), 1, 1, false},
    {"sinkage_m", offsetof(GrMotionRow, position[2]), 1, 2, false},
    {"fx_N", offsetof(GrMotionRow, force[0]), 1, 0, true},
    {"fy_N", offsetof(GrMotionRow, force[1]), 1, 1, true},
    {"fz_N", offsetof(GrMotionRow, force[2]), 1, 2, true},
    {"torque_Nm", offsetof(GrMotionRow, torque), 1, -1, false},
    {"wheel_speed_rad_per_s", offsetof(GrMotionRow, speed), 1, -1, false},
    {"slip_angle_deg", offsetof(GrMotionRow, slip_angle), GR_DEGREE, -1, false},
    {"time_s", offsetof(GrMotionRow, time), 1, -1, false},
};

enum { COUNT = sizeof QUANTITIES / sizeof QUANTITIES[0], TIME = COUNT - 1, SPEED = 7, ANGLE = 8, SHOWN = 7 };

typedef struct Input {
    GrMotionRow *rows;
    int count;
    bool has[COUNT];
    bool by_force[GR_MOTION_AXES];
} Input;

static double *value_of(GrMotionRow *row, int quantity)
{
    return (double *)(void *)((unsigned char *)row + QUANTITIES[quantity].offset);
}

/// Column of each quantity: by its name, or as --columns says.
static GrStatus find_columns(const GrWheelMotion *m, const GrCsv *csv, GrColumns *out, GrErrorLog *log)
{
    GrColumnName names[COUNT];
    for (int i = 0; i < COUNT; i++) {
        names[i] = (GrColumnName){QUANTITIES[i].name, i, QUANTITIES[i].scale};
    }
    const GrColumnTable table = {.names = names, .count = COUNT, .suggested = COUNT};
    return gr_columns_find(&table, csv, m->file, (GrColumnMap){"--columns", m->columns.items}, out, log);
}

static GrStatus read_rows(const GrWheelMotion *m, const GrCsv *csv, Input *in, GrErrorLog *log)
{
    GrColumns columns;
    const int *column = columns.column;
    GrStatus status = find_columns(m, csv, &columns, log);
    if (status != GR_OK) {
        return status;
    }
    if (column[TIME] < 0 || column[SPEED] < 0) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = m->file, .line = 1},
                            "the column %s is missing (--columns %s=COLUMN)",
                            QUANTITIES[column[TIME] < 0 ? TIME : SPEED].name,
                            QUANTITIES[column[TIME] < 0 ? TIME : SPEED].name);
    }
    if (csv->row_count < 2) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = m->file}, "a motion needs at least two rows");
    }
    in->rows = gr_calloc((size_t)csv->row_count, sizeof *in->rows);
    if (in->rows == NULL) {
        return gr_out_of_memory(log, m->file);
    }
    in->count = csv->row_count;
    for (int r = 0; r < in->count; r++) {
        for (int i = 0; i < COUNT; i++) {
            double *value = value_of(&in->rows[r], i);
            *value = i == ANGLE || column[i] >= 0 ? 0 : (double)NAN;
            in->has[i] = column[i] >= 0;
            if (column[i] >= 0 && !gr_options_number(gr_csv_cell(csv, r, column[i]), value)) {
                return gr_error_add(
                    log, GR_ERROR_VALUE,
                    (GrLocation){.file = m->file, .line = csv->lines[r], .field = csv->names[column[i]]},
                    "found '%.40s', allowed: a number", gr_csv_cell(csv, r, column[i]));
            }
            *value *= column[i] >= 0 ? columns.scale[i] : 1;
        }
        if (r > 0 && !(in->rows[r].time > in->rows[r - 1].time)) {
            return gr_error_add(log, GR_ERROR_VALUE,
                                (GrLocation){.file = m->file, .line = csv->lines[r], .field = "time_s"},
                                "found %g after %g, but time must increase", in->rows[r].time, in->rows[r - 1].time);
        }
    }
    return GR_OK;
}

/// An axis holds a force where --control says so; or else z where the file has a force, x and y where it has no
/// position.
static GrStatus choose_control(const GrWheelMotion *m, Input *in, GrErrorLog *log)
{
    static const char *const AXES = "xyz";
    for (int a = 0; a < GR_MOTION_AXES; a++) {
        const bool position = in->has[a], force = in->has[3 + a];
        in->by_force[a] = a == 2 ? force : !position && force;
    }
    for (int i = 0; i < m->control.count; i++) {
        const char *entry = m->control.items[i], *axis = strchr(AXES, entry[0]);
        const bool by_force = strcmp(entry + (entry[0] != '\0'), "=force") == 0;
        if (entry[0] == '\0' || axis == NULL || (!by_force && strcmp(entry + 1, "=position") != 0)) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--control"},
                                "found '%.40s', allowed: x, y or z =position or =force", entry);
        }
        in->by_force[axis - AXES] = by_force;
    }
    for (int a = 0; a < GR_MOTION_AXES; a++) {
        const int needed = in->by_force[a] ? 3 + a : a;
        if (a == 1 && !in->by_force[a] && !in->has[needed]) { // held in the middle of its track
            for (int r = 0; r < in->count; r++) {
                in->rows[r].position[1] = 0;
            }
        } else if (!in->has[needed]) {
            return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = m->file, .line = 1},
                                "the axis %c needs the column %s or %s (--control, --columns)", AXES[a],
                                QUANTITIES[a].name, QUANTITIES[3 + a].name);
        }
    }
    return GR_OK;
}

/// Whether the file has measured what the rig answers.
static bool is_measured(const Input *in, int quantity)
{
    const struct Quantity *q = &QUANTITIES[quantity];
    return in->has[quantity] && (q->axis < 0 || q->force != in->by_force[q->axis]);
}

// ---- bands

/// The motion on samples of the soil, and the bands of what the rig answers.
typedef struct Bands {
    const GrWheelMotion *motion;
    const GrMotionRigDef *def;
    const Input *in;
    int count;             ///< samples; 0: none
    double outside;        ///< of what the data of the soil's fit cover
    GrMotionRow *samples;  ///< [sample][row]
    bool *good;            ///< [sample]
    GrMotionRow low, *all; ///< of the means; rows: low, then high
    GrMotionRow high;
    atomic_int next;
} Bands;

/// Whether the rig answers a quantity: all but what the file prescribes.
static bool is_computed(const Input *in, int quantity)
{
    const struct Quantity *q = &QUANTITIES[quantity];
    return q->axis < 0 || q->force != in->by_force[q->axis];
}

static bool has_band(const Bands *bands, int quantity)
{
    return bands->count > 0 && is_computed(bands->in, quantity);
}

static void run_samples(void *context, int share, int shares)
{
    Bands *b = context;
    (void)share;
    (void)shares;
    for (int i = atomic_fetch_add(&b->next, 1); i < b->count; i = atomic_fetch_add(&b->next, 1)) {
        GrErrorLog log = {.quiet = true};
        GrMotionRigDef def = *b->def;
        GrMotionRig made = {.model = NULL};
        gr_soil_sample(b->motion->spread, b->motion->sources, &b->def->rig.soil, GR_SOIL_SEED, i, b->count,
                       &def.rig.soil);
        gr_soil_sample_errors(b->motion->spread, b->outside, i, b->count, &def.rig.soil);
        b->good[i] = gr_motion_rig_make(&def, &made, &log) == GR_OK &&
                     gr_motion_rig_run(&made, b->in->rows, b->in->count, b->samples + (size_t)i * (size_t)b->in->count,
                                       &log) == GR_OK;
        gr_motion_rig_free(&made);
    }
}

/// How far the motion is outside of what the data of the fit cover, where it is farthest.
static double outside_of(const GrWheelMotion *m, const GrRigDef *rig, const GrMotionRow *rows, int count)
{
    double outside = rig->soil.law == m->sources->law ? 0 : 1;
    for (int r = 0; r < count; r++) {
        const GrCondition at = {rows[r].slip, rows[r].slip_angle, rows[r].force[2], rig->wheel.width,
                                rig->wheel.radius};
        outside = rows[r].force[2] > 0 ? fmax(outside, gr_conditions_outside(&m->spread->range, &at)) : outside;
    }
    return outside;
}

static double mean_of(const GrMotionRow *rows, int count, int quantity)
{
    double mean = 0;
    for (int r = 0; r < count; r++) {
        GrMotionRow row = rows[r];
        mean += *value_of(&row, quantity) / count;
    }
    return mean;
}

/// Bands of rows and means from the samples; a sample that could not be run counts as above all others.
static void fill_bands(Bands *b, double *room)
{
    const size_t rows = (size_t)b->in->count;
    for (int i = 0; i < SHOWN; i++) {
        for (size_t r = 0; r <= rows; r++) { // the last: the mean
            for (int k = 0; k < b->count; k++) {
                GrMotionRow *of = b->samples + (size_t)k * rows;
                const double value = r < rows ? *value_of(&of[r], i) : mean_of(of, b->in->count, i);
                room[k] = b->good[k] ? value : (double)NAN;
            }
            const GrBand band = gr_band_of(room, b->count, 0);
            *value_of(r < rows ? &b->all[r] : &b->low, i) = band.low;
            *value_of(r < rows ? &b->all[rows + r] : &b->high, i) = band.high;
        }
    }
}

static GrStatus make_bands(Bands *b, const GrMotionRow *nominal, GrErrorLog *log)
{
    const size_t rows = (size_t)b->in->count, count = (size_t)b->count;
    int failed = 0;
    if (b->count == 0) {
        return GR_OK;
    }
    b->outside = outside_of(b->motion, &b->def->rig, nominal, b->in->count);
    b->samples = gr_calloc(rows * count, sizeof *b->samples);
    b->all = gr_calloc(2 * rows, sizeof *b->all);
    b->good = gr_calloc(count, sizeof *b->good);
    double *room = gr_calloc(count, sizeof *room);
    const bool ok = b->samples != NULL && b->all != NULL && b->good != NULL && room != NULL;
    if (ok) {
        gr_share_out(0, run_samples, b);
        for (int i = 0; i < b->count; i++) {
            failed += !b->good[i];
        }
        fill_bands(b, room);
    }
    if (failed > 0) {
        gr_warning_add(log, (GrLocation){.field = "--uncertainty"},
                       "%d of %d samples of the soil could not be run; the bands count them as highest", failed,
                       b->count);
    }
    gr_free(room);
    return ok ? GR_OK : gr_out_of_memory(log, NULL);
}

static void free_bands(Bands *b)
{
    gr_free(b->samples);
    gr_free(b->all);
    gr_free(b->good);
}

/// "bands: 5 to 95 % of 32 samples of the soil and of the errors of its fit (interpolated)"; empty without bands.
static void say_bands(const Bands *b, char *out, size_t size)
{
    const bool errors = b->count > 0 && gr_spread_has_errors(b->motion->spread);
    out[0] = '\0';
    if (b->count > 0) {
        snprintf(out, size, "bands: 5 to 95 %% of %d samples of the soil%s%s%s", b->count,
                 errors ? " and of the errors of its fit (" : "", errors ? gr_band_word(b->outside) : "",
                 errors ? ")" : "");
    }
}

// ---- output

static void fill_rows(const Bands *bands, GrMotionRow *out, GrTable *table)
{
    const Input *in = bands->in;
    gr_table_columns(table, &(GrColumn){"time_s", "time [s]", 1, 0}, 1);
    for (int i = 0; i < SHOWN; i++) {
        char names[4][64];
        static const char *const after[] = {"low", "high", "measured", "difference"};
        gr_table_columns(table, &(GrColumn){QUANTITIES[i].name, QUANTITIES[i].name, 1, 0}, 1);
        for (int k = 0; k < 4; k++) {
            snprintf(names[k], sizeof names[k], "%s_%s", QUANTITIES[i].name, after[k]);
            if (k < 2 ? has_band(bands, i) : is_measured(in, i)) {
                gr_table_columns(table, &(GrColumn){names[k], names[k], 1, 0}, 1);
            }
        }
    }
    gr_table_columns(table, &(GrColumn){"slip", "slip [%]", 100, 0}, 1);
    for (int r = 0; r < in->count; r++) {
        gr_table_value(table, out[r].time);
        for (int i = 0; i < SHOWN; i++) {
            const double found = *value_of(&out[r], i), measured = *value_of(&in->rows[r], i);
            gr_table_value(table, found);
            if (has_band(bands, i)) {
                gr_table_value(table, *value_of(&bands->all[r], i));
                gr_table_value(table, *value_of(&bands->all[in->count + r], i));
            }
            if (is_measured(in, i)) {
                gr_table_value(table, measured);
                gr_table_value(table, found - measured);
            }
        }
        gr_table_value(table, out[r].slip);
    }
}

/// Means over the motion, and their bands; beside them those that were measured, and the difference between both.
static void fill_means(Bands *bands, GrMotionRow *out, GrTable *table)
{
    const Input *in = bands->in;
    static const GrColumn COLUMNS[] = {{"quantity", "quantity", 0, 0},
                                       {"control", "axis", 0, 0},
                                       {"mean", "mean", 1, 0}},
                          BAND[] = {{"mean_low", "5 %", 1, 0}, {"mean_high", "95 %", 1, 0}},
                          BESIDE[] = {{"measured", "measured", 1, 0}, {"rms_difference", "rms difference", 1, 0}};
    gr_table_columns(table, COLUMNS, 3);
    gr_table_columns(table, BAND, bands->count > 0 ? 2 : 0);
    gr_table_columns(table, BESIDE, 2);
    for (int i = 0; i < SHOWN; i++) {
        double measured = 0, square = 0;
        for (int r = 0; r < in->count; r++) {
            const double found = *value_of(&out[r], i), own = *value_of(&in->rows[r], i);
            measured += own / in->count;
            square += (found - own) * (found - own) / in->count;
        }
        gr_table_text(table, QUANTITIES[i].name);
        gr_table_text(table, is_computed(in, i) ? "computed" : "prescribed");
        gr_table_value(table, mean_of(out, in->count, i));
        for (int k = 0; k < 2 && bands->count > 0; k++) {
            GrMotionRow *of = k == 0 ? &bands->low : &bands->high;
            gr_table_value(table, has_band(bands, i) ? *value_of(of, i) : (double)NAN);
        }
        gr_table_value(table, is_measured(in, i) ? measured : (double)NAN);
        gr_table_value(table, is_measured(in, i) ? sqrt(square) : (double)NAN);
    }
}

/// What the rig answers over time, with bands, and what was measured as points.
static GrStatus write_page(const Bands *bands, GrMotionRow *out, GrTable *means, const char *about, GrErrorLog *log)
{
    static const struct {
        int quantity;
        const char *title, *label;
        double scale;
    } kinds[] = {{3, "Pull", "f_x [N]", 1},        {4, "Side force", "f_y [N]", 1},      {5, "Load", "f_z [N]", 1},
                 {6, "Torque", "torque [N m]", 1}, {2, "Sinkage", "sinkage [mm]", 1000}, {0, "Way", "x [m]", 1}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    const Input *in = bands->in;
    const size_t stride = sizeof(GrMotionRow);
    GrSeries series[KINDS][2];
    GrPanel panels[KINDS];
    GrPage page = {0};
    char words[200];
    int count = 0;
    say_bands(bands, words, sizeof words);
    gr_page_begin(&page, "Wheel with a prescribed motion", about);
    gr_page_text(&page, "%s", words);
    for (int k = 0; k < KINDS; k++) {
        const int q = kinds[k].quantity;
        if (!is_computed(in, q)) {
            continue;
        }
        const bool banded = has_band(bands, q), measured = is_measured(in, q);
        series[count][0] = (GrSeries){.name = measured ? "computed" : NULL,
                                      .key = "computed",
                                      .x = &out->time,
                                      .y = value_of(out, q),
                                      .lower = banded ? value_of(bands->all, q) : NULL,
                                      .upper = banded ? value_of(bands->all + in->count, q) : NULL,
                                      .count = in->count,
                                      .x_stride = stride,
                                      .y_stride = stride,
                                      .y_scale = kinds[k].scale,
                                      .color = 1};
        series[count][1] = series[count][0];
        series[count][1].name = "measured";
        series[count][1].kind = GR_SERIES_POINTS;
        series[count][1].x = &in->rows->time;
        series[count][1].y = value_of(in->rows, q);
        series[count][1].lower = series[count][1].upper = NULL;
        series[count][1].color = 2;
        panels[count] = (GrPanel){.title = kinds[k].title,
                                  .x_label = "time [s]",
                                  .y_label = kinds[k].label,
                                  .series = series[count],
                                  .series_count = measured ? 2 : 1,
                                  .zero_line = true};
        count++;
    }
    gr_page_panels(&page, panels, count, "Side force as on the wheel: positive to its left.");
    gr_page_section(&page, "Means");
    gr_page_table(&page, means);
    const GrStatus status = gr_report_page(bands->motion->html, &page, bands->motion->json, log);
    gr_page_free(&page);
    return status;
}

/// The trench: a GeoTIFF, or a table of all changed nodes.
static GrStatus write_trench(const char *path, const GrRuts *ruts, bool json, GrErrorLog *log)
{
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".tif") == 0) {
        return gr_ruts_raster_write(path, NULL, ruts, GR_RUTS_CHANGE, log);
    }
    const GrBox2 box = gr_ruts_extent(ruts).box;
    const double cell = gr_ruts_def(ruts)->cell;
    GrTable table = {0};
    GrBuffer csv = {0};
    static const GrColumn COLUMNS[] = {{"x_m", "x", 1, 0}, {"y_m", "y", 1, 0}, {"height_m", "height", 1, 0}};
    gr_table_columns(&table, COLUMNS, 3);
    for (int64_t j = llround(box.y_lower / cell); j <= llround(box.y_upper / cell); j++) {
        for (int64_t i = llround(box.x_lower / cell); i <= llround(box.x_upper / cell); i++) {
            const double values[3] = {(double)i * cell, (double)j * cell, gr_ruts_get(ruts, i, j)};
            gr_table_values(&table, values, 3);
        }
    }
    gr_table_csv(&table, &csv);
    const GrStatus status = table.failed ? gr_out_of_memory(log, path) : gr_report_file(path, &csv, json, log);
    gr_table_free(&table);
    return status;
}

static GrStatus answer(Bands *bands, GrMotionRow *out, const GrRuts *ruts, GrErrorLog *log)
{
    const GrWheelMotion *m = bands->motion;
    const Input *in = bands->in;
    GrTable rows = {0}, means = {0};
    GrBuffer csv = {0};
    const GrRutsExtent trench = gr_ruts_extent(ruts);
    char about[200], words[200];
    say_bands(bands, words, sizeof words);
    snprintf(about, sizeof about, "%d rows over %g s, trench %.1f mm deep", in->count,
             in->rows[in->count - 1].time - in->rows[0].time, -1000 * trench.deepest);
    fill_rows(bands, out, &rows);
    fill_means(bands, out, &means);
    if (m->json) {
        GrJson json = gr_json_to_file(stdout, true);
        gr_json_begin_object(&json, NULL);
        gr_table_json(&means, "quantities", &json);
        gr_json_number(&json, "trench_depth_m", -trench.deepest);
        if (bands->count > 0) {
            gr_json_integer(&json, "samples", bands->count);
        }
        if (bands->count > 0 && gr_spread_has_errors(m->spread)) {
            gr_json_string(&json, "prediction", gr_band_word(bands->outside));
        }
        gr_table_json(&rows, "rows", &json);
        gr_json_end(&json);
        gr_json_finish(&json);
    } else {
        printf("%s%s%s\n", about, words[0] != '\0' ? "; " : "", words);
        gr_table_print(&means, stdout);
    }
    GrStatus status = GR_OK;
    if (m->csv != NULL) {
        gr_table_csv(&rows, &csv);
        status = gr_report_file(m->csv, &csv, m->json, log);
    }
    status = status == GR_OK && m->trench != NULL ? write_trench(m->trench, ruts, m->json, log) : status;
    status = status == GR_OK && m->html != NULL ? write_page(bands, out, &means, about, log) : status;
    gr_table_free(&rows);
    gr_table_free(&means);
    return status;
}

static GrStatus run(const GrWheelMotion *m, const GrRigDef *rig, const Input *in, GrErrorLog *log)
{
    GrMotionRigDef def = {.rig = *rig, .mass = 1, .step = STEP};
    memcpy(def.by_force, in->by_force, sizeof def.by_force);
    for (int r = 0; in->by_force[2] && r < in->count; r++) { // the load's mass, as of a wheel that carries a rover
        def.mass = fmax(def.mass, in->rows[r].force[2] / fmax(1, rig->wheel.gravity));
    }
    GrMotionRow *out = gr_calloc((size_t)in->count, sizeof *out);
    GrMotionRig made = {.model = NULL};
    Bands bands = {.motion = m, .def = &def, .in = in, .count = m->samples};
    GrStatus status = out != NULL ? gr_motion_rig_make(&def, &made, log) : gr_out_of_memory(log, NULL);
    status = status == GR_OK ? gr_motion_rig_run(&made, in->rows, in->count, out, log) : status;
    status = status == GR_OK ? make_bands(&bands, out, log) : status;
    status = status == GR_OK ? answer(&bands, out, gr_contact_ruts(made.trench), log) : status;
    free_bands(&bands);
    gr_motion_rig_free(&made);
    gr_free(out);
    return status;
}

GrStatus gr_wheel_motion(const GrWheelMotion *motion, const GrRigDef *rig, GrErrorLog *log)
{
    GrCsv csv = {0};
    Input in = {.rows = NULL};
    GrStatus status = gr_csv_load(motion->file, &csv, log);
    status = status == GR_OK ? read_rows(motion, &csv, &in, log) : status;
    status = status == GR_OK ? choose_control(motion, &in, log) : status;
    status = status == GR_OK ? run(motion, rig, &in, log) : status;
    gr_csv_free(&csv);
    gr_free(in.rows);
    return status;
}
