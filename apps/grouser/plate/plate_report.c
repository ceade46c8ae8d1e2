/// grouser plate in the terminal, as JSON, as CSV and as a page.
#include "alloc.h"
#include "json.h"
#include "number.h"
#include "plate_study.h"
#include "plot.h"
#include "run_tables.h"

#include <math.h>
#include <string.h>

/// Terminated by a column without a key.
static const GrPlateColumn plate_columns[GR_PLATE_MODES][GR_PLATE_VALUES + 1] = {
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

/// "round plate, 60 mm"
static void plate_describe(const GrPressBody *body, char *out, size_t size)
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

/// The rows of a run (−1: of all), for the terminal and all files.
static GrTable table_of(const GrPlateStudy *study, int run)
{
    const bool data = study->mode == GR_PLATE_DATA, band = study->mode != GR_PLATE_SHEAR && study->banded;
    const GrColumn names[] = {{"soil", NULL, 0, 0},
                              {"model", NULL, 0, 0},
                              {data ? "body" : NULL, NULL, 0, 0},
                              {data ? "box" : NULL, NULL, 0, 0},
                              {data ? "trial" : NULL, NULL, 0, 0}};
    const GrPlateColumn *columns = plate_columns[study->mode];
    GrTable table = {0};
    gr_table_columns(&table, names, 5);
    int count = 0;
    for (; count < GR_PLATE_VALUES && columns[count].key != NULL; count++) {
        const bool shown = band || strncmp(columns[count].key, "force_N_", 8) != 0;
        const GrColumn column = {columns[count].key, columns[count].head, columns[count].scale, 4};
        gr_table_columns(&table, shown ? &column : &(GrColumn){.scale = 1}, 1);
    }
    for (int i = 0; i < study->row_count; i++) {
        const GrPlateRow *row = &study->rows[i];
        const GrSoilDef *soil = &study->runs[row->run].def.soil;
        const GrPress *press = data ? &study->data.items[row->press] : NULL;
        if (run < 0 || row->run == run) {
            gr_table_text(&table, soil->name);
            gr_table_text(&table, gr_soil_law_name(soil->law));
            gr_table_text(&table, data ? press->name : "");
            gr_table_text(&table, data ? press->box : "");
            gr_table_text(&table, data ? press->trial : "");
            gr_table_values(&table, row->value, count);
        }
    }
    return table;
}

/// Errors of the force for each body of the data, of runs from `first` on. `labels`: a page needs the names of the
/// runs.
static GrTable scores_of(const GrPlateStudy *study, int first, int count, bool labels)
{
    const bool band = study->banded;
    const GrColumn columns[] = {{NULL, labels ? "" : NULL, 0, 0},
                                {"body", labels ? "body" : "error of the force", 0, 0},
                                {"error_median", "median [%]", 100, 3},
                                {"error_90", "90 % below [%]", 100, 3},
                                {"bias", "bias [%]", 100, 3},
                                {"rms_log", NULL, 1, 0},
                                {"forces", "forces", 1, 9},
                                {band ? "inside_90" : NULL, band ? "in the 90 % band [%]" : NULL, 100, 3}};
    GrTable table = {0};
    gr_table_columns(&table, columns, sizeof columns / sizeof columns[0]);
    for (int i = first; i < first + count; i++) {
        const GrPlateRun *run = &study->runs[i];
        for (int k = 0; k <= study->body_count; k++) {
            const bool all = k == study->body_count;
            const GrPressScore *s = all ? &run->all : &run->scores[k];
            char name[96] = "all";
            if (!all) {
                name_body(&study->data.items[study->first[k]], name, sizeof name);
            }
            const double values[] = {s->median, s->most, exp(s->bias) - 1, s->rms, s->count, run->inside[k]};
            gr_table_text(&table, run->label);
            gr_table_text(&table, name);
            gr_table_values(&table, values, 6);
        }
    }
    return table;
}

void gr_plate_json(const GrPlateStudy *study, FILE *file)
{
    GrJson json = gr_json_to_file(file, true);
    GrTable table = table_of(study, -1);
    gr_json_begin_object(&json, NULL);
    gr_table_json(&table, "points", &json);
    gr_table_free(&table);
    gr_json_begin_array(&json, "runs");
    for (int i = 0; i < study->run_count; i++) {
        const GrPlateRun *run = &study->runs[i];
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "soil", run->def.soil.name);
        gr_json_string(&json, "model", gr_soil_law_name(run->def.soil.law));
        if (study->mode == GR_PLATE_DATA) {
            table = scores_of(study, i, 1, false);
            gr_table_json(&table, "scores", &json);
            gr_table_free(&table);
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
    GrTable table = table_of(study, -1);
    gr_table_csv(&table, csv);
    gr_table_free(&table);
}

// ---- the page and the terminal

enum { PANELS = 6, SERIES = 24 };

/// The series of a page.
typedef struct Drawn {
    GrPanel panels[PANELS];
    GrSeries series[PANELS][SERIES];
    char names[PANELS][SERIES][GR_NAME_SIZE + 96];
    char titles[PANELS][96];
    int counts[PANELS];
} Drawn;

/// Rows of one run, press (−1: any) and normal stress (NAN: any), as column y over column x. They follow each other.
typedef struct Chosen {
    int run, press;
    double stress;
    int x, y;
} Chosen;

static void add_series(const GrPlateStudy *study, Drawn *d, int panel, GrSeries like, const char *name, Chosen of)
{
    const GrPlateColumn *columns = plate_columns[study->mode];
    if (d->counts[panel] == SERIES) {
        return;
    }
    const int ends = study->mode == GR_PLATE_DATA ? 4 : 3; // columns of the band
    const bool band = study->banded && study->mode != GR_PLATE_SHEAR && of.y == 2;
    const GrPlateRow *first = NULL;
    for (int i = 0; i < study->row_count; i++) {
        const GrPlateRow *row = &study->rows[i];
        if (row->run == of.run && (of.press < 0 || row->press == of.press) &&
            (isnan(of.stress) || row->value[0] == of.stress)) {
            first = first != NULL ? first : row;
            like.count++;
        }
    }
    const int k = d->counts[panel];
    if (first == NULL) {
        return;
    }
    snprintf(d->names[panel][k], sizeof d->names[panel][k], "%s", name != NULL ? name : "");
    like.name = name != NULL ? d->names[panel][k] : NULL;
    like.x = &first->value[of.x];
    like.y = &first->value[of.y];
    like.lower = band ? &first->value[ends] : NULL;
    like.upper = band ? &first->value[ends + 1] : NULL;
    like.x_stride = like.y_stride = sizeof *first;
    like.x_scale = columns[of.x].scale;
    like.y_scale = columns[of.y].scale;
    d->series[panel][d->counts[panel]++] = like;
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

static void put_panels(const GrPlateStudy *study, GrPage *page)
{
    static Drawn d; // too large for the stack
    d = (Drawn){0};
    const int count = study->mode == GR_PLATE_PRESS  ? draw_press(study, &d)
                      : study->mode == GR_PLATE_DATA ? draw_data(study, &d)
                                                     : draw_shear(study, &d);
    const GrPlateColumn *columns = plate_columns[study->mode];
    for (int k = 0; k < count; k++) {
        const int x = study->mode == GR_PLATE_SHEAR ? 2 : 0;
        const int y = study->mode == GR_PLATE_DATA ? 2 : study->mode == GR_PLATE_SHEAR ? 3 + k : 1 + k;
        d.panels[k] = (GrPanel){.title = d.titles[k][0] != '\0' ? d.titles[k] : NULL,
                                .x_label = columns[x].head,
                                .y_label = columns[y].head,
                                .series = d.series[k],
                                .series_count = d.counts[k]};
    }
    gr_page_panels(page, d.panels, count,
                   study->mode != GR_PLATE_DATA ? NULL
                   : study->banded              ? "Points: measured. Lines: the law. Shaded: its 90 % band."
                                                : "Points: measured. Lines: the law.");
}

static void put_run(const GrPlateStudy *study, int run, GrPage *page)
{
    const bool data = study->mode == GR_PLATE_DATA;
    GrTable table = data ? scores_of(study, run, 1, false) : table_of(study, run);
    char text[160];
    plate_describe(&study->runs[run].def.body, text, sizeof text);
    if (data) {
        snprintf(text, sizeof text, "%d presses of %.100s, from %g mm on", study->data.count, study->data_path,
                 1000 * GR_PRESS_SHALLOW);
    }
    page->place = GR_PLACE_TERMINAL;
    gr_page_section(page, "%s; %s", study->runs[run].label, text);
    gr_page_table(page, &table);
    gr_trust_page(page, NULL, &study->runs[run].trust);
    page->place = GR_PLACE_PAGE;
    gr_trust_page(page, study->run_count > 1 ? study->runs[run].label : NULL, &study->runs[run].trust);
}

void gr_plate_page(const GrPlateStudy *study, GrPage *page)
{
    char text[160];
    plate_describe(&study->runs[0].def.body, text, sizeof text);
    gr_page_begin(page, study->mode == GR_PLATE_SHEAR ? "Annulus on soil" : "Plate on soil",
                  study->mode == GR_PLATE_DATA ? study->data_path : text);
    for (int i = 0; i < study->run_count; i++) {
        put_run(study, i, page);
    }
    put_panels(study, page);
    if (study->mode == GR_PLATE_DATA) {
        GrTable table = scores_of(study, 0, study->run_count, true);
        gr_page_section(page, "Errors of the force");
        gr_page_table(page, &table);
    }
}
