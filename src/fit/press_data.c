#include "press_data.h"

#include "alloc.h"
#include "columns.h"
#include "elementary.h"
#include "file.h"
#include "fit.h"
#include "law.h"
#include "number.h"
#include "out_of_memory.h"
#include "statistics.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH, FORCE, BODY, BOX, TRIAL, DIAMETER, WIDTH, LENGTH, RADIUS, CONTACT, TEST, TIME, MEANINGS };
static const GrColumnName NAMES[] = {
    {"depth_m", DEPTH, 1},     {"force_N", FORCE, 1},       {"body", BODY, 1},     {"box", BOX, 1},
    {"trial", TRIAL, 1},       {"diameter_m", DIAMETER, 1}, {"width_m", WIDTH, 1}, {"length_m", LENGTH, 1},
    {"radius_m", RADIUS, 1},   {"in_contact", CONTACT, 1},  {"test_id", TEST, 1},  {"time_s", TIME, 1},
    {"depth_mm", DEPTH, 1e-3}, {"force_z_N", FORCE, 1},
};
enum { NAME_COUNT = sizeof NAMES / sizeof NAMES[0] };
static const GrColumnTable TABLE = {.names = NAMES, .count = NAME_COUNT, .suggested = NAME_COUNT};

/// Standard deviation of the surface that presses start from [m], and of the logarithm of a force between repeats.
static const double SURFACE = 5e-4, REPEATS = 0.05;

typedef struct Reader {
    const GrCsv *csv;
    const char *file;
    const GrPressBody *wheel;
    GrColumnMap map;
    GrColumns columns;
    GrErrorLog *log;
} Reader;

static GrStatus find_columns(Reader *r)
{
    const GrLocation at = {.file = r->file, .line = 1};
    const GrStatus status = gr_columns_find(&TABLE, r->csv, r->file, r->map, &r->columns, r->log);
    for (int i = 0; i < r->csv->column_count && status == GR_OK && !r->columns.mapped; i++) {
        const char *name = r->csv->names[i];
        if (!gr_columns_has(&r->columns, i) && strncmp(name, "ignore_", 7) != 0 && strncmp(name, "sd_", 3) != 0) {
            return gr_error_add(r->log, GR_ERROR_NAME, (GrLocation){.file = r->file, .line = 1, .field = name},
                                "unknown column (ignore_NAME leaves it out)%s",
                                gr_column_hint(&TABLE, name, NULL).text);
        }
    }
    const int *column = r->columns.column;
    if (status == GR_OK && (column[DEPTH] < 0 || column[FORCE] < 0)) {
        return gr_error_add(r->log, GR_ERROR_FIELD, at, "there is no column '%s'",
                            column[DEPTH] < 0 ? "depth_m' (or 'depth_mm" : "force_N' (or 'force_z_N");
    }
    return status;
}

static const char *text_at(const Reader *r, int row, int meaning)
{
    return r->columns.column[meaning] >= 0 ? gr_csv_cell(r->csv, row, r->columns.column[meaning]) : "";
}

static bool is_finite(int meaning, double value, const char **allowed)
{
    (void)meaning;
    *allowed = "any finite number";
    return isfinite(value);
}

/// A number; NAN where the column or the cell is missing.
static GrStatus number_at(const Reader *r, int row, int meaning, double *out)
{
    const int column = r->columns.column[meaning];
    *out = (double)NAN;
    return column < 0 ? GR_OK
                      : gr_column_number(r->csv, r->file, row, column, r->columns.scale[meaning], meaning, is_finite,
                                         out, r->log);
}

/// "plate_60mm" is a round plate of 60 mm.
static double diameter_by_name(const char *name)
{
    char *end = NULL;
    const double size = strncmp(name, "plate_", 6) == 0 ? gr_number_read(name + 6, &end) : 0;
    return size > 0 && end != NULL && strcmp(end, "mm") == 0 ? size / 1000 : (double)NAN;
}

static GrStatus read_body(const Reader *r, int row, GrPress *out)
{
    double diameter, width, length, radius;
    GrStatus status = number_at(r, row, DIAMETER, &diameter);
    status = status == GR_OK ? number_at(r, row, WIDTH, &width) : status;
    status = status == GR_OK ? number_at(r, row, LENGTH, &length) : status;
    status = status == GR_OK ? number_at(r, row, RADIUS, &radius) : status;
    if (status != GR_OK) {
        return status;
    }
    diameter = isnan(diameter) && isnan(width) && isnan(radius) ? diameter_by_name(out->name) : diameter;
    if (radius > 0 && width > 0) {
        out->body = r->wheel != NULL ? *r->wheel : (GrPressBody){.kind = GR_PRESS_WHEEL};
        out->body.kind = GR_PRESS_WHEEL;
        out->body.radius = radius;
        out->body.width = width;
    } else if (diameter > 0) {
        out->body = (GrPressBody){.kind = GR_PRESS_CIRCLE, .diameter = diameter};
    } else if (width > 0 && length > 0) {
        out->body = (GrPressBody){.kind = GR_PRESS_RECTANGLE, .width = width, .length = length};
    } else if (r->wheel != NULL && r->wheel->kind == GR_PRESS_WHEEL && strncmp(out->name, "wheel", 5) == 0) {
        out->body = *r->wheel;
    } else {
        return gr_error_add(r->log, GR_ERROR_FIELD,
                            (GrLocation){.file = r->file, .line = r->csv->lines[row], .field = "body"},
                            "the size of '%.40s' is not known: give diameter_m, or width_m and length_m, or radius_m "
                            "and width_m of a wheel (bodies named wheel... may have their size from --wheel, or from "
                            "--radius and --width "
                            "of fit soil)",
                            out->name);
    }
    return GR_OK;
}

static bool same_press(const Reader *r, int a, int b)
{
    static const int keys[] = {TEST, BODY, BOX, TRIAL, DIAMETER, WIDTH, LENGTH, RADIUS};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        if (strcmp(text_at(r, a, keys[k]), text_at(r, b, keys[k])) != 0) {
            return false;
        }
    }
    return true;
}

/// Rows of a press that go deeper than all before, in room for all rows; returns their number, −1 after an error.
static int read_loading(const Reader *r, int from, int to, double *depth, double *force)
{
    int n = 0;
    for (int row = from; row < to; row++) {
        double z, f, contact;
        if (number_at(r, row, DEPTH, &z) != GR_OK || number_at(r, row, FORCE, &f) != GR_OK ||
            number_at(r, row, CONTACT, &contact) != GR_OK) {
            return -1;
        }
        if (!(contact == 0) && z > 0 && f > 0 && (n == 0 || z > depth[n - 1])) {
            depth[n] = z;
            force[n++] = f;
        }
    }
    return n;
}

/// The rows nearest to equal steps of depth, the deepest included.
static void thin(const double *depth, const double *force, int count, GrPress *out)
{
    const int wanted = count < GR_PRESS_POINTS ? count : GR_PRESS_POINTS;
    int at = 0;
    for (int k = 0; k < wanted; k++) {
        const double to = depth[count - 1] * (k + 1) / wanted;
        const int last = count - wanted + k; // leaves a row for each of the others
        at = out->count > 0 ? at + 1 : 0;
        while (count > wanted && at < last && fabs(depth[at + 1] - to) <= fabs(depth[at] - to)) {
            at++;
        }
        out->depth[out->count] = depth[at];
        out->force[out->count++] = force[at];
    }
}

static GrStatus read_press(const Reader *r, int from, int to, double *room, GrPress *out)
{
    *out = (GrPress){.line = r->csv->lines[from]};
    gr_text_copy(out->name, sizeof out->name, text_at(r, from, BODY));
    gr_text_copy(out->box, sizeof out->box, text_at(r, from, BOX));
    gr_text_copy(out->trial, sizeof out->trial, text_at(r, from, TRIAL));
    const GrStatus status = read_body(r, from, out);
    if (status != GR_OK) {
        return status;
    }
    const int count = read_loading(r, from, to, room, room + (to - from));
    if (count < 0) {
        return GR_ERROR_VALUE;
    }
    if (count == 0) {
        return gr_error_add(r->log, GR_ERROR_VALUE, (GrLocation){.file = r->file, .line = r->csv->lines[from]},
                            "the press of '%.40s' has no row with a depth and a force above 0", out->name);
    }
    thin(room, room + (to - from), count, out);
    return GR_OK;
}

static GrStatus read_table(Reader *r, GrPressData *out)
{
    const int rows = r->csv->row_count;
    GrStatus status = find_columns(r);
    if (status == GR_OK && rows == 0) {
        return gr_error_add(r->log, GR_ERROR_VALUE, (GrLocation){.file = r->file}, "there is no row under the header");
    }
    out->items = gr_calloc((size_t)rows + 1, sizeof *out->items);
    double *room = gr_calloc(2 * (size_t)rows + 1, sizeof *room);
    if (out->items == NULL || room == NULL) {
        gr_free(room);
        gr_press_data_free(out);
        return gr_out_of_memory(r->log, r->file);
    }
    for (int from = 0, to; from < rows && status == GR_OK; from = to) {
        to = from + 1;
        while (to < rows && same_press(r, from, to)) {
            to++;
        }
        status = read_press(r, from, to, room, &out->items[out->count++]);
    }
    gr_free(room);
    if (status != GR_OK) {
        gr_press_data_free(out);
    }
    return status;
}

/// Reads a table that was parsed with `status`, and frees it.
static GrStatus read_parsed(GrStatus status, GrCsv *csv, Reader reader, GrPressData *out)
{
    *out = (GrPressData){0};
    if (status == GR_OK) {
        reader.csv = csv;
        status = read_table(&reader, out);
        gr_csv_free(csv);
    }
    return status;
}

GrStatus gr_press_data_parse(const char *text, size_t length, const char *file, const GrPressBody *wheel,
                             GrPressData *out, GrErrorLog *log)
{
    GrCsv csv;
    const GrStatus status = gr_csv_parse(text, length, file, &csv, log);
    return read_parsed(status, &csv, (Reader){.file = file, .wheel = wheel, .log = log}, out);
}

GrStatus gr_press_data_load(const char *path, const GrPressBody *wheel, GrColumnMap map, GrPressData *out,
                            GrErrorLog *log)
{
    GrCsv csv;
    const GrStatus status = gr_csv_load(path, &csv, log);
    return read_parsed(status, &csv, (Reader){.file = path, .wheel = wheel, .map = map, .log = log}, out);
}

void gr_press_data_free(GrPressData *data)
{
    gr_free(data->items);
    *data = (GrPressData){0};
}

GrStatus gr_press_predict(const GrPress *press, const GrSoilDef *soil, double gravity, double *force, GrErrorLog *log)
{
    GrPressDef def = gr_default_press_def();
    def.soil = *soil;
    def.gravity = gravity;
    def.body = press->body;
    if (gr_soil_law_on_grid(soil->law) && press->body.kind != GR_PRESS_WHEEL) {
        def.soil.law = gr_law_of_pressure(); // the same curve
    }
    return gr_press_run(&def, press->depth, press->count, force, log);
}

GrStatus gr_press_score(const GrPressData *data, const unsigned char *role, unsigned char wanted, const GrSoilDef *soil,
                        double gravity, GrPressScore *out, GrErrorLog *log)
{
    double *errors = gr_malloc((size_t)(data->count * GR_PRESS_POINTS + 1) * sizeof *errors);
    GrStatus status = GR_OK;
    if (errors == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    *out = (GrPressScore){.median = (double)NAN, .most = (double)NAN, .rms = (double)NAN, .bias = (double)NAN};
    double squares = 0, sum = 0;
    for (int i = 0; i < data->count && status == GR_OK; i++) {
        const GrPress *press = &data->items[i];
        double force[GR_PRESS_POINTS];
        if (role != NULL && role[i] != wanted) {
            continue;
        }
        status = gr_press_predict(press, soil, gravity, force, log);
        for (int k = 0; k < press->count && status == GR_OK; k++) {
            if (press->depth[k] >= GR_PRESS_SHALLOW) {
                const double ratio = fmax(force[k], 1e-9) / press->force[k], log_ratio = gr_log(ratio);
                errors[out->count++] = fabs(ratio - 1);
                squares += log_ratio * log_ratio;
                sum += log_ratio;
            }
        }
    }
    const int n = out->count;
    if (status == GR_OK && n > 0) {
        gr_sort(errors, n);
        out->median = 0.5 * (errors[(n - 1) / 2] + errors[n / 2]);
        out->most = errors[(int)ceil(0.9 * n) - 1];
        out->rms = sqrt(squares / n);
        out->bias = sum / n;
    }
    gr_free(errors);
    return status;
}

int gr_press_residuals(const GrPressData *data, const unsigned char *role, const GrSoilDef *soil, double gravity,
                       double missing, double *out)
{
    int n = 0;
    for (int i = 0; data != NULL && i < data->count; i++) {
        const GrPress *press = &data->items[i];
        double force[GR_PRESS_POINTS];
        if (role != NULL && role[i] != GR_FIT_USED) {
            continue;
        }
        const bool good = out == NULL || gr_press_predict(press, soil, gravity, force, NULL) == GR_OK;
        for (int k = 0; k < press->count; k++, n++) {
            if (out != NULL) {
                // σ² of ln F: that of repeats, and that of the surface, F growing about as the depth
                const double doubt = SURFACE / (REPEATS * press->depth[k]);
                out[n] = good && force[k] > 0 ? gr_log(force[k] / press->force[k]) / sqrt(1 + doubt * doubt) : missing;
            }
        }
    }
    return n;
}
