/// grouser plate in the terminal, as JSON, as CSV and as a page.
#include "alloc.h"
#include "csv.h"
#include "json.h"
#include "number.h"
#include "page.h"
#include "plate_study.h"
#include "plot.h"
#include "table.h"
#include "trust_page.h"

#include <math.h>
#include <string.h>

const GrPlateColumn gr_plate_columns[GR_PLATE_MODES][GR_PLATE_VALUES + 1] = {
    {{"depth_m", "depth [mm]", 1000},
     {"pressure_Pa", "pressure [kPa]", 1e-3},
     {"force_N", "force [N]", 1},
     {"force_N_low", "5 % [N]", 1},
     {"force_N_high", "95 % [N]", 1}},
    {{"depth_m", "depth [mm]", 1000},
     {"measured_N", "measured [N]", 1},
     {"force_N", "force [N]", 1},
     {"error", "error [%]", 100},
     {"force_N_low", "5 % [N]", 1},
     {"force_N_high", "95 % [N]", 1}},
    {{"normal_stress_Pa", "normal stress [kPa]", 1e-3},
     {"sinkage_m", "sinkage [mm]", 1000},
     {"displacement_m", "displacement [mm]", 1000},
     {"shear_stress_Pa", "shear stress [kPa]", 1e-3},
     {"torque_Nm", "torque [N m]", 1}},
};

static int column_count(const GrPlateStudy *study)
{
    int n = 0;
    while (n < GR_PLATE_VALUES && gr_plate_columns[study->mode][n].key != NULL) {
        n++;
    }
    return study->mode != GR_PLATE_SHEAR && !(study->spread > 0) ? n - 2 : n; // without a band
}

void gr_plate_describe(const GrPressBody *body, char *out, size_t size)
{
    const double mm = 1000;
    switch (body->kind) {
    case GR_PRESS_CIRCLE:
        gr_print(out, size, "round plate, %.6g mm", mm * body->diameter);
        return;
    case GR_PRESS_RECTANGLE:
        gr_print(out, size, "plate, %.6g x %.6g mm", mm * body->width, mm * body->length);
        return;
    case GR_PRESS_RING:
        gr_print(out, size, "annulus, %.6g to %.6g mm", mm * body->inner, mm * body->diameter);
        return;
    default:
        gr_print(out, size, "wheel that does not roll, r = %.6g mm, b = %.6g mm", mm * body->radius, mm * body->width);
    }
}

/// A body of the data with its box.
static void name_body(const GrPress *press, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s%s", press->name[0] != '\0' ? press->name : "plate", press->box[0] != '\0' ? " (" : "",
             press->box, press->box[0] != '\0' ? " box)" : "");
}

static void print_rows(const GrPlateStudy *study, int run, FILE *file)
{
    GrTable table = {.indent = 2};
    const int columns = column_count(study);
    for (int k = 0; k < columns; k++) {
        gr_table_column(&table, gr_plate_columns[study->mode][k].head, GR_RIGHT);
    }
    for (int i = 0; i < study->row_count; i++) {
        for (int k = 0; k < columns && study->rows[i].run == run; k++) {
            gr_table_number(&table, gr_plate_columns[study->mode][k].scale * study->rows[i].value[k], 5);
        }
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// `inside`: part of the forces inside the band; NAN: none.
static void put_score(GrTable *table, const char *name, const GrPressScore *s, double inside, bool band)
{
    gr_table_text(table, name);
    gr_table_number(table, 100 * s->median, 3);
    gr_table_number(table, 100 * s->most, 3);
    gr_table_number(table, 100 * (exp(s->bias) - 1), 3);
    gr_table_printf(table, "%d", s->count);
    if (band) {
        gr_table_number(table, 100 * inside, 3);
    }
}

static void print_scores(const GrPlateStudy *study, const GrPlateRun *run, FILE *file)
{
    GrTable table = {.indent = 2};
    static const char *const heads[] = {"error of the force", "median [%]", "90 % below [%]",
                                        "bias [%]",           "forces",     "in the 90 % band [%]"};
    const bool band = study->spread > 0;
    for (int k = 0; k < (band ? 6 : 5); k++) {
        gr_table_column(&table, heads[k], k == 0 ? GR_LEFT : GR_RIGHT);
    }
    for (int k = 0; k < study->body_count; k++) {
        char name[96];
        name_body(&study->data.items[study->first[k]], name, sizeof name);
        put_score(&table, name, &run->scores[k], run->inside[k], band);
    }
    put_score(&table, "all", &run->all, run->inside[study->body_count], band);
    gr_table_print(&table, file);
    gr_table_free(&table);
}

void gr_plate_print(const GrPlateStudy *study, FILE *file)
{
    for (int i = 0; i < study->run_count; i++) {
        const GrPlateRun *run = &study->runs[i];
        char text[160];
        gr_plate_describe(&run->def.body, text, sizeof text);
        if (study->mode == GR_PLATE_DATA) {
            snprintf(text, sizeof text, "%d presses of %.100s, from %g mm on", study->data.count, study->data_path,
                     1000 * GR_PRESS_SHALLOW);
        }
        fprintf(file, "%s%s; %s\n", i > 0 ? "\n" : "", run->label, text);
        if (study->mode == GR_PLATE_DATA) {
            print_scores(study, run, file);
        } else {
            print_rows(study, i, file);
        }
        fprintf(file, "\n  trust: %s\n", run->trust.line);
    }
}

static void write_score(GrJson *json, const char *name, const GrPressScore *s, double inside, bool band)
{
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "body", name);
    gr_json_number(json, "error_median", s->median);
    gr_json_number(json, "error_90", s->most);
    gr_json_number(json, "bias", exp(s->bias) - 1);
    gr_json_number(json, "rms_log", s->rms);
    gr_json_integer(json, "forces", s->count);
    if (band) {
        gr_json_number(json, "inside_90", inside);
    }
    gr_json_end(json);
}

static void write_rows(GrJson *json, const GrPlateStudy *study)
{
    gr_json_begin_array(json, "points");
    for (int i = 0; i < study->row_count; i++) {
        const GrPlateRow *row = &study->rows[i];
        const GrSoilDef *soil = &study->runs[row->run].def.soil;
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "soil", soil->name);
        gr_json_string(json, "model", gr_soil_law_name(soil->law));
        if (study->mode == GR_PLATE_DATA) {
            const GrPress *press = &study->data.items[row->press];
            gr_json_string(json, "body", press->name);
            gr_json_string(json, "box", press->box);
            gr_json_string(json, "trial", press->trial);
        }
        for (int k = 0; k < column_count(study); k++) {
            gr_json_number(json, gr_plate_columns[study->mode][k].key, row->value[k]);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

void gr_plate_json(const GrPlateStudy *study, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    write_rows(&json, study);
    gr_json_begin_array(&json, "runs");
    for (int i = 0; i < study->run_count; i++) {
        const GrPlateRun *run = &study->runs[i];
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "soil", run->def.soil.name);
        gr_json_string(&json, "model", gr_soil_law_name(run->def.soil.law));
        if (study->mode == GR_PLATE_DATA) {
            gr_json_begin_array(&json, "scores");
            for (int k = 0; k < study->body_count; k++) {
                char name[96];
                name_body(&study->data.items[study->first[k]], name, sizeof name);
                write_score(&json, name, &run->scores[k], run->inside[k], study->spread > 0);
            }
            write_score(&json, "all", &run->all, run->inside[study->body_count], study->spread > 0);
            gr_json_end(&json);
        }
        gr_trust_json(&json, "trust", &run->trust);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

void gr_plate_csv(const GrPlateStudy *study, GrBuffer *csv)
{
    const int columns = column_count(study);
    const bool data = study->mode == GR_PLATE_DATA;
    gr_buffer_puts(csv, data ? "soil,model,body,box,trial" : "soil,model");
    for (int k = 0; k < columns; k++) {
        gr_buffer_printf(csv, ",%s", gr_plate_columns[study->mode][k].key);
    }
    gr_buffer_puts(csv, "\n");
    for (int i = 0; i < study->row_count; i++) {
        const GrPlateRow *row = &study->rows[i];
        const GrSoilDef *soil = &study->runs[row->run].def.soil;
        gr_buffer_printf(csv, "%s,%s", soil->name, gr_soil_law_name(soil->law));
        if (data) {
            const GrPress *press = &study->data.items[row->press];
            const char *const texts[] = {press->name, press->box, press->trial};
            for (int k = 0; k < 3; k++) {
                gr_buffer_puts(csv, ",");
                gr_csv_put(csv, texts[k]);
            }
        }
        for (int k = 0; k < columns; k++) {
            gr_buffer_puts(csv, ",");
            if (isfinite(row->value[k])) {
                gr_buffer_number(csv, row->value[k]);
            }
        }
        gr_buffer_puts(csv, "\n");
    }
}

// ---- page

enum { PANELS = 6, SERIES = 24 };

/// The series of a page and the numbers that they point to.
typedef struct Drawn {
    GrPanel panels[PANELS];
    GrSeries series[PANELS][SERIES];
    char names[PANELS][SERIES][GR_NAME_SIZE + 96];
    char titles[PANELS][96];
    int counts[PANELS];
    double *numbers; ///< x and y of every row in every panel
    size_t used;
} Drawn;

/// Rows of one run, press (−1: any) and normal stress (NAN: any), as column y over column x.
typedef struct Chosen {
    int run, press;
    double stress;
    int x, y;
} Chosen;

static void add_series(const GrPlateStudy *study, Drawn *d, int panel, GrSeries like, const char *name, Chosen of)
{
    const GrPlateColumn *columns = gr_plate_columns[study->mode];
    if (d->counts[panel] == SERIES) {
        return;
    }
    double *at = d->numbers + d->used, *other = at + study->row_count;
    double *low = other + study->row_count, *high = low + study->row_count;
    const int ends = study->mode == GR_PLATE_DATA ? 4 : 3; // columns of the band
    const bool band = study->spread > 0 && study->mode != GR_PLATE_SHEAR && of.y == 2;
    int n = 0;
    for (int i = 0; i < study->row_count; i++) {
        const GrPlateRow *row = &study->rows[i];
        if (row->run == of.run && (of.press < 0 || row->press == of.press) &&
            (isnan(of.stress) || row->value[0] == of.stress)) {
            at[n] = columns[of.x].scale * row->value[of.x];
            low[n] = row->value[ends];
            high[n] = row->value[ends + 1];
            other[n++] = columns[of.y].scale * row->value[of.y];
        }
    }
    d->used += 4 * (size_t)study->row_count;
    const int k = d->counts[panel]++;
    snprintf(d->names[panel][k], sizeof d->names[panel][k], "%s", name != NULL ? name : "");
    like.name = name != NULL ? d->names[panel][k] : NULL;
    like.x = at;
    like.y = other;
    like.count = n;
    like.lower = band ? low : NULL;
    like.upper = band ? high : NULL;
    d->series[panel][k] = like;
}

static int draw_press(const GrPlateStudy *study, Drawn *d)
{
    for (int i = 0; i < study->run_count; i++) {
        for (int panel = 0; panel < 2; panel++) {
            add_series(study, d, panel, (GrSeries){.color = i + 1}, study->runs[i].label,
                       (Chosen){i, -1, (double)NAN, 0, 1 + panel});
        }
    }
    return 2;
}

static int draw_shear(const GrPlateStudy *study, Drawn *d)
{
    double last = (double)NAN;
    int color = 0;
    for (int i = 0; i < study->row_count; i++) {
        const GrPlateRow *row = &study->rows[i];
        if (row->value[0] == last) {
            continue;
        }
        char name[GR_NAME_SIZE + 96];
        last = row->value[0];
        gr_print(name, sizeof name, "%.60s, σ = %.4g kPa", study->runs[row->run].label, last / 1000);
        color++;
        add_series(study, d, 0, (GrSeries){.color = color}, name, (Chosen){row->run, -1, last, 2, 3});
        add_series(study, d, 1, (GrSeries){.color = color}, name, (Chosen){row->run, -1, last, 2, 4});
    }
    return 2;
}

/// A panel for each body: measured points of each press, and the line of each run at its deepest press.
static int draw_data(const GrPlateStudy *study, Drawn *d)
{
    const int panels = study->body_count < PANELS ? study->body_count : PANELS;
    for (int k = 0; k < panels; k++) {
        const GrPress *of = &study->data.items[study->first[k]];
        int deepest = study->first[k];
        name_body(of, d->titles[k], sizeof d->titles[k]);
        for (int p = 0; p < study->data.count; p++) {
            const GrPress *press = &study->data.items[p];
            if (strcmp(press->name, of->name) != 0 || strcmp(press->box, of->box) != 0) {
                continue;
            }
            const double now = study->data.items[deepest].depth[study->data.items[deepest].count - 1];
            deepest = press->depth[press->count - 1] > now ? p : deepest;
            add_series(study, d, k, (GrSeries){.kind = GR_SERIES_POINTS, .color = 8},
                       p == study->first[k] ? "measured" : NULL, (Chosen){0, p, (double)NAN, 0, 1});
        }
        for (int i = 0; i < study->run_count; i++) {
            add_series(study, d, k, (GrSeries){.color = i + 1}, study->runs[i].label,
                       (Chosen){i, deepest, (double)NAN, 0, 2});
        }
    }
    return panels;
}

static void add_plot(const GrPlateStudy *study, GrBuffer *page)
{
    static Drawn d; // too large for the stack
    d = (Drawn){.numbers = gr_calloc(4 * (size_t)study->row_count * PANELS * SERIES + 1, sizeof *d.numbers)};
    if (d.numbers == NULL) {
        page->failed = true;
        return;
    }
    const int count = study->mode == GR_PLATE_PRESS  ? draw_press(study, &d)
                      : study->mode == GR_PLATE_DATA ? draw_data(study, &d)
                                                     : draw_shear(study, &d);
    const GrPlateColumn *columns = gr_plate_columns[study->mode];
    for (int k = 0; k < count; k++) {
        const int x = study->mode == GR_PLATE_SHEAR ? 2 : 0;
        const int y = study->mode == GR_PLATE_DATA ? 2 : study->mode == GR_PLATE_SHEAR ? 3 + k : 1 + k;
        d.panels[k] = (GrPanel){.title = d.titles[k][0] != '\0' ? d.titles[k] : NULL,
                                .x_label = columns[x].head,
                                .y_label = columns[y].head,
                                .series = d.series[k],
                                .series_count = d.counts[k]};
    }
    const GrPlot plot = {
        .panels = d.panels, .panel_count = count, .columns = 2, .panel_width = 590, .panel_height = 380};
    GrBuffer svg = {0};
    if (gr_plot_write(&plot, &svg) == GR_OK) {
        gr_page_svg(page, svg.data,
                    study->mode == GR_PLATE_DATA ? study->spread > 0
                                                       ? "Points: measured. Lines: the law. Shaded: its 90 % band."
                                                       : "Points: measured. Lines: the law."
                                                 : NULL);
    }
    page->failed = page->failed || svg.failed;
    gr_buffer_free(&svg);
    gr_free(d.numbers);
}

static void add_score_table(const GrPlateStudy *study, GrBuffer *page)
{
    static const char *const heads[] = {"", "body", "median error [%]", "90 % below [%]", "bias [%]", "forces"};
    gr_page_section(page, "Errors of the force");
    gr_page_begin_table(page, heads, 6, 0x3cu);
    for (int i = 0; i < study->run_count; i++) {
        for (int k = 0; k <= study->body_count; k++) {
            const bool all = k == study->body_count;
            const GrPressScore *s = all ? &study->runs[i].all : &study->runs[i].scores[k];
            char name[96] = "all", text[4][GR_NUMBER_SIZE];
            if (!all) {
                name_body(&study->data.items[study->first[k]], name, sizeof name);
            }
            gr_number_round(100 * s->median, 3, text[0]);
            gr_number_round(100 * s->most, 3, text[1]);
            gr_number_round(100 * (exp(s->bias) - 1), 3, text[2]);
            gr_number_round(s->count, 6, text[3]);
            const char *cells[] = {study->runs[i].label, name, text[0], text[1], text[2], text[3]};
            gr_page_row(page, cells, 6, 0x3cu);
        }
    }
    gr_page_end_table(page);
}

void gr_plate_page(const GrPlateStudy *study, GrBuffer *page)
{
    char text[160];
    gr_plate_describe(&study->runs[0].def.body, text, sizeof text);
    gr_page_begin(page, study->mode == GR_PLATE_SHEAR ? "Annulus on soil" : "Plate on soil",
                  study->mode == GR_PLATE_DATA ? study->data_path : text);
    for (int i = 0; i < study->run_count; i++) {
        gr_trust_page(page, study->run_count > 1 ? study->runs[i].label : NULL, &study->runs[i].trust);
    }
    add_plot(study, page);
    if (study->mode == GR_PLATE_DATA) {
        add_score_table(study, page);
    }
    gr_page_end(page);
}
