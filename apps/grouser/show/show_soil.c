/// Data of `grouser show soil`, and its output as text, JSON, SVG and HTML.

#include "bearing.h"
#include "json.h"
#include "law.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "report.h"
#include "show_rover.h"
#include "soil_param.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <string.h>

// ---- SVG and HTML: pressure against sinkage, shear stress against displacement

enum { SAMPLES = 121, WIDTHS = 3, STRESSES = 3 };

/// Room for the curves of one plot.
typedef struct Curves {
    double z[SAMPLES], pressure[WIDTHS][SAMPLES];
    double j[SAMPLES], shear[2 * STRESSES][SAMPLES];
    char pressure_names[WIDTHS][48], shear_names[2 * STRESSES][48];
    GrSeries pressure_series[WIDTHS], shear_series[2 * STRESSES];
    int pressure_count, shear_count;
} Curves;

static bool has_springs(const GrSoilView *view)
{
    return gr_law_has(view->soil.law, GR_LAW_SPRING);
}

/// p(z) in kPa under a long plate of width b at slip 0.
static double pressure_at(const GrSoilView *view, double b, double z)
{
    const GrSoilDef *s = &view->soil;
    if (has_springs(view)) {
        return s->stiffness * pow(z, gr_law(s->law)->exponent(s)); // a force, in N
    }
    // A strip, as under a wheel that is much narrower than its contact is long.
    const double length = 1000 * b;
    const GrPressureCurve curve = gr_pressure_curve(s, s->density * view->gravity, b, b * length, 2 * (b + length));
    return curve.count > 0 ? gr_pressure_at(&curve, z) / 1000 : (double)NAN;
}

static void make_pressure(const GrSoilView *view, Curves *c)
{
    static const double widths[WIDTHS] = {0.05, 0.1, 0.2};
    c->pressure_count = has_springs(view) ? 1 : WIDTHS;
    for (int k = 0; k < c->pressure_count; k++) {
        for (int i = 0; i < SAMPLES; i++) {
            c->z[i] = 1000 * 0.1 * i / (SAMPLES - 1);
            c->pressure[k][i] = pressure_at(view, widths[k], c->z[i] / 1000);
        }
        snprintf(c->pressure_names[k], sizeof c->pressure_names[k], "b = %g mm", 1000 * widths[k]);
        c->pressure_series[k] = (GrSeries){.name = c->pressure_count > 1 ? c->pressure_names[k] : NULL,
                                           .x = c->z,
                                           .y = c->pressure[k],
                                           .count = SAMPLES};
    }
}

/// τ(j) = (c + σ tan φ)(1 − e^(−j/K)), along and across (dashed).
static void make_shear(const GrSoilView *view, Curves *c)
{
    static const double stresses[STRESSES] = {5e3, 10e3, 20e3};
    const GrSoilDef *s = &view->soil;
    const bool across = s->shear == GR_SHEAR_SEPARATE && s->shear_y != s->shear_x;
    const double reach = 4 * fmax(s->shear_x, s->shear_y);
    for (int k = 0; k < STRESSES; k++) {
        const double strength = (s->cohesion + stresses[k] * tan(s->friction_angle)) / 1000;
        for (int axis = 0; axis < (across ? 2 : 1); axis++) {
            const int n = c->shear_count++;
            const double modulus = axis == 0 ? s->shear_x : s->shear_y;
            for (int i = 0; i < SAMPLES; i++) {
                c->j[i] = 1000 * reach * i / (SAMPLES - 1);
                c->shear[n][i] = strength * (1 - exp(-c->j[i] / 1000 / modulus));
            }
            snprintf(c->shear_names[n], sizeof c->shear_names[n], axis > 0 ? "the same, across" : "σ = %g kPa",
                     stresses[k] / 1000);
            // A single entry in the legend explains the dashed lines.
            const bool named = axis == 0 || k == STRESSES - 1;
            c->shear_series[n] = (GrSeries){.name = named ? c->shear_names[n] : NULL,
                                            .kind = axis > 0 ? GR_SERIES_DASHED : GR_SERIES_LINE,
                                            .x = c->j,
                                            .y = c->shear[n],
                                            .count = SAMPLES,
                                            .color = k + 1};
        }
    }
}

enum { PANELS = 2 };

/// Fills the panels of the curves; returns their number.
static int make_panels(const GrSoilView *view, GrPanel panels[PANELS])
{
    static Curves c;
    c = (Curves){0};
    const bool springs = has_springs(view);
    make_pressure(view, &c);
    if (!springs) {
        make_shear(view, &c);
    }
    const double strongest = c.shear_count > 0 ? c.shear[c.shear_count - 1][SAMPLES - 1] : 0;
    panels[0] = (GrPanel){.title = springs ? "Force and sinkage" : "Pressure and sinkage of a plate",
                          .x_label = "sinkage [mm]",
                          .y_label = springs ? "force [N]" : "pressure [kPa]",
                          .series = c.pressure_series,
                          .series_count = c.pressure_count};
    panels[1] = (GrPanel){.title = "Shear stress and displacement",
                          .x_label = "displacement [mm]",
                          .y_label = "shear stress [kPa]",
                          .series = c.shear_series,
                          .series_count = c.shear_count,
                          .y_upper = 1.5 * strongest}; // room for the legend
    return springs ? 1 : 2;
}

GrStatus gr_soil_plot(const GrSoilView *view, GrBuffer *svg)
{
    GrPanel panels[PANELS];
    const int count = make_panels(view, panels);
    const GrPlot plot = {.panels = panels,
                         .panel_count = count,
                         .columns = count,
                         .panel_width = 560,
                         .panel_height = 380,
                         .title = view->soil.title[0] != '\0' ? view->soil.title : view->soil.name};
    return gr_plot_write(&plot, svg);
}

/// "published", "derived", "assumed", "override" or "default"; `source` becomes the number of the source, from 1, or 0.
static const char *gr_soil_view_origin(const GrSoilView *view, int param, int *source)
{
    const int index = gr_soil_source_of(&view->sources, gr_soil_param(param)->name);
    *source = 0;
    if (view->sources.overridden[param]) {
        return "override";
    }
    if (index >= 0) {
        *source = index + 1;
        return gr_confidence_name(view->sources.items[index].confidence);
    }
    return view->sources.given[param] ? "no source" : "default";
}

/// "25.5 … 37.5", the 5 and 95 % quantiles of a parameter; "" where it has no spread.
static void gr_soil_view_range(const GrSoilView *view, int param, char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < view->spread.count; i++) {
        if (view->spread.param[i] == param && !view->sources.overridden[param]) {
            char low[GR_NUMBER_SIZE], high[GR_NUMBER_SIZE];
            gr_number_round(gr_distribution_quantile(&view->spread.distribution[i], 0.05), 3, low);
            gr_number_round(gr_distribution_quantile(&view->spread.distribution[i], 0.95), 3, high);
            snprintf(out, size, "%s … %s", low, high);
        }
    }
}

void gr_soil_page(const GrSoilView *view, GrPage *page)
{
    GrPanel panels[PANELS];
    GrTable table = {0};
    char text[GR_NAME_SIZE + 300];
    snprintf(text, sizeof text, "%s; law %s", view->soil.name, gr_soil_law_name(view->soil.law));
    gr_page_begin(page, view->soil.title[0] != '\0' ? view->soil.title : "Soil", text);
    const int count = make_panels(view, panels);
    gr_page_panels(page, panels, count, "At slip 0 and slip angle 0.");
    gr_page_section(page, "Parameters");
    gr_table_heads(&table, "parameter||>value|90 %|unit|origin|source");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const GrSoilParam *param = gr_soil_param(i);
        if (gr_soil_param_used(&view->soil, i, GR_SOIL_USE_ALL)) {
            int source;
            const char *origin = gr_soil_view_origin(view, i, &source);
            gr_soil_view_range(view, i, text, sizeof text);
            gr_table_text(&table, param->text);
            gr_table_text(&table, param->name);
            gr_table_number(&table, gr_soil_param_get(&view->soil, i), 6);
            gr_table_text(&table, text);
            gr_table_text(&table, param->unit);
            gr_table_text(&table, origin);
            if (source > 0) {
                gr_table_printf(&table, "[%d]", source);
            } else {
                gr_table_text(&table, "");
            }
        }
    }
    gr_page_table(page, &table);
    gr_page_text(page, "%s", view->spread.source);
    gr_page_section(page, "Sources of the numbers");
    for (int i = 0; i < view->sources.count; i++) {
        gr_page_text(page, "[%d] %s: %s", i + 1, gr_confidence_name(view->sources.items[i].confidence),
                     view->sources.items[i].text);
    }
}

// ---- the soil

static void print_parameters(const GrSoilView *view, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "parameter||>value|90 %|unit|origin|source");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        if (!gr_soil_param_used(&view->soil, i, GR_SOIL_USE_ALL)) {
            continue;
        }
        const GrSoilParam *param = gr_soil_param(i);
        char range[2 * GR_NUMBER_SIZE + 8];
        int source;
        gr_table_text(&table, param->text);
        gr_table_text(&table, param->name);
        gr_table_number(&table, gr_soil_param_get(&view->soil, i), 6);
        gr_soil_view_range(view, i, range, sizeof range);
        gr_table_text(&table, range);
        gr_table_text(&table, param->unit);
        gr_table_text(&table, gr_soil_view_origin(view, i, &source));
        if (source > 0) {
            gr_table_printf(&table, "[%d]", source);
        } else {
            gr_table_text(&table, "");
        }
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

/// What changes under another gravity.
static const char *gravity_text(const GrSoilDef *soil)
{
    if (gr_law_has(soil->law, GR_LAW_GRAINS)) {
        return "stresses grow with gravity";
    }
    if (soil->pressure != GR_PRESSURE_BEKKER) {
        return "γ grows with gravity";
    }
    return soil->gravity_scaling == GR_GRAVITY_DENSITY ? "k_phi grows with gravity (gravity_scaling: density)"
                                                       : "nothing changes with gravity (gravity_scaling: none)";
}

static const char *pressure_text(const GrSoilDef *soil)
{
    static const char *const texts[] = {"(k_c/b + k_phi) z^n (bekker)", "(c k_c' + γ b k_phi') (z/b)^n (reece)",
                                        ("s_c c N_c (z/z_0)^n_c + f γ z_0 N_q (z/z_0)^n_q + γ B N_γ/2 (z/z_0)^n "
                                         "(bearing)")};
    return texts[soil->pressure];
}

/// Factors of bearing capacity as the pressure uses them.
static void print_factors(const GrSoilDef *soil, FILE *file)
{
    const GrBearingFactors f = gr_bearing_factors(soil);
    fprintf(file,
            "    N_c %.4g, N_q %.4g, N_γ %.4g; f = surcharge, z_0 = bearing_depth; B: width of a strip of equal "
            "pressure (docs/soil-laws.md)\n",
            f.n_c, f.n_q, f.n_gamma);
}

static void print_choices(const GrSoilDef *soil, FILE *file)
{
    const bool springs = gr_law_has(soil->law, GR_LAW_SPRING);
    fprintf(file, "  law: %s, %s\n", gr_soil_law_name(soil->law), gr_soil_law_text(soil->law));
    if (!springs) {
        fprintf(file, "  pressure: %s; shear: %s\n", pressure_text(soil),
                soil->shear == GR_SHEAR_COMBINED ? "one K along the slip velocity (combined)"
                                                 : "K_x along, K_y across (separate)");
        if (soil->pressure == GR_PRESSURE_BEARING) {
            print_factors(soil, file);
        }
    }
    fprintf(file, "  gravity of the fit: %.6g m/s²; %s\n", soil->fit_gravity, gravity_text(soil));
    fprintf(file, "  bulldozing: front %s, sides %s\n\n", soil->front_bulldozing ? "on" : "off",
            soil->side_bulldozing == GR_SIDE_NONE ? "off" : gr_side_bulldozing_names[soil->side_bulldozing]);
}

/// Correlations of the parameters; of many the strong ones alone.
static void print_correlations(const GrSoilSpread *spread, FILE *file)
{
    enum { FEW = 6 };
    static const double STRONG = 0.5;
    GrBuffer text = {0};
    int all = 0, shown = 0;
    for (int i = 0; i < spread->count * spread->count; i++) {
        all += i % spread->count < i / spread->count && spread->correlation[i / spread->count][i % spread->count] != 0;
    }
    for (int i = 0; i < spread->count; i++) {
        for (int j = 0; j < i; j++) {
            const double r = spread->correlation[i][j];
            if (r != 0 && (all <= FEW || fabs(r) >= STRONG)) {
                gr_buffer_printf(&text, "%s%s and %s %.2g", shown++ > 0 ? ", " : "",
                                 gr_soil_param(spread->param[j])->name, gr_soil_param(spread->param[i])->name, r);
            }
        }
    }
    if (all > shown) {
        gr_buffer_printf(&text, "%s%d weaker than %.2g", shown > 0 ? "; " : "", all - shown, STRONG);
    }
    if (all > 0 && !text.failed) {
        fputs("  correlated: ", file);
        gr_print_wrapped(text.data, 14, 96, file);
    }
    gr_buffer_free(&text);
}

/// "  the data cover slip -1 … 0.975, load 17.4 … 29.5 N"
static void print_range(const GrConditions *range, FILE *file)
{
    const struct {
        const char *name, *unit;
        const double *ends;
        double scale;
    } rows[] = {
        {"slip", "%", range->slip, 0.01},      {"slip angle", "°", range->slip_angle, GR_DEGREE},
        {"load", "N", range->load, 1},         {"width", "mm", range->width, 1e-3},
        {"radius", "mm", range->radius, 1e-3},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!isnan(rows[i].ends[0])) {
            fprintf(file, "%s %s %.3g … %.3g %s", any ? "," : "  the data cover", rows[i].name,
                    rows[i].ends[0] / rows[i].scale, rows[i].ends[1] / rows[i].scale, rows[i].unit);
            any = true;
        }
    }
    fputs(any ? "\n" : "", file);
}

/// Where the ranges of the parameters come from, what is correlated, and how far a fit is off.
static void print_spread(const GrSoilSpread *spread, FILE *file)
{
    fprintf(file, "\nSpread (%s): ", gr_spread_kind_names[spread->kind]);
    gr_print_wrapped(spread->source, 18, 96, file);
    print_correlations(spread, file);
    for (int i = 0; i < GR_SPREAD_QUANTITIES; i++) {
        const GrSpreadError *e = &spread->error[i];
        if (!isnan(e->residual)) {
            fprintf(file, "  error of %s: %.3g where the data are, %.3g beyond\n", gr_spread_quantity_names[i],
                    e->residual, isnan(e->discrepancy) ? e->residual : e->discrepancy);
        }
    }
    print_range(&spread->range, file);
}

static void print_sources(const GrSoilSources *sources, FILE *file)
{
    if (sources->count > 0) {
        fputs("\nSources of the numbers\n", file);
    }
    for (int i = 0; i < sources->count; i++) {
        const GrSoilSource *s = &sources->items[i];
        char head[32];
        snprintf(head, sizeof head, "[%d] %s", i + 1, gr_confidence_name(s->confidence));
        fprintf(file, "  %-14s  ", head);
        gr_print_wrapped(s->text, 18, 96, file);
    }
}

void gr_show_soil_text(const GrSoilView *view, FILE *file)
{
    const GrSoilDef *soil = &view->soil;
    fprintf(file, "%s (%s)\n\n", soil->title[0] != '\0' ? soil->title : "Soil", soil->name);
    print_choices(soil, file);
    print_parameters(view, file);
    print_spread(&view->spread, file);
    print_sources(&view->sources, file);
}

static void write_parameters(GrJson *json, const GrSoilView *view)
{
    gr_json_begin_object(json, "parameters");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        if (gr_soil_param_used(&view->soil, i, GR_SOIL_USE_ALL)) {
            gr_json_number(json, gr_soil_param(i)->key, gr_soil_param_get(&view->soil, i));
        }
    }
    gr_json_end(json);
    gr_json_begin_object(json, "origins");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        if (gr_soil_param_used(&view->soil, i, GR_SOIL_USE_ALL)) {
            int source;
            gr_json_string(json, gr_soil_param(i)->key, gr_soil_view_origin(view, i, &source));
        }
    }
    gr_json_end(json);
}

static void write_spread(GrJson *json, const GrSoilSpread *spread)
{
    gr_json_begin_object(json, "spread");
    gr_json_string(json, "kind", gr_spread_kind_names[spread->kind]);
    gr_json_string(json, "source", spread->source);
    gr_json_begin_object(json, "parameters");
    for (int i = 0; i < spread->count; i++) {
        const GrDistribution *d = &spread->distribution[i];
        gr_json_begin_object(json, gr_soil_param(spread->param[i])->key);
        gr_json_string(json, "distribution", gr_distribution_info(d->kind)->name);
        gr_json_number(json, "median", gr_distribution_quantile(d, 0.5));
        gr_json_number(json, "low", gr_distribution_quantile(d, 0.05));
        gr_json_number(json, "high", gr_distribution_quantile(d, 0.95));
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "correlations");
    for (int i = 0; i < spread->count; i++) {
        for (int j = 0; j < i; j++) {
            if (spread->correlation[i][j] != 0) {
                gr_json_begin_object(json, NULL);
                gr_json_string(json, "a", gr_soil_param(spread->param[j])->key);
                gr_json_string(json, "b", gr_soil_param(spread->param[i])->key);
                gr_json_number(json, "correlation", spread->correlation[i][j]);
                gr_json_end(json);
            }
        }
    }
    gr_json_end(json);
    gr_json_end(json);
}

static void write_points(GrJson *json, const GrSoilDef *soil)
{
    gr_json_begin_array(json, "points");
    for (int i = 0; i < GR_CHAIKIN_POINTS; i++) {
        const GrStressPoint *p = &soil->points[i];
        gr_json_begin_object(json, NULL);
        gr_json_number(json, "x", p->x);
        gr_json_number(json, "x_slip", p->x_slip);
        gr_json_number(json, "y", p->y);
        gr_json_number(json, "y_slip", p->y_slip);
        gr_json_end(json);
    }
    gr_json_end(json);
}

void gr_show_soil_json(const GrSoilView *view, FILE *file)
{
    const GrSoilDef *soil = &view->soil;
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "name", soil->name);
    gr_json_string(&json, "title", soil->title);
    gr_json_string(&json, "law", gr_soil_law_name(soil->law));
    gr_json_string(&json, "pressure", gr_pressure_names[soil->pressure]);
    gr_json_string(&json, "shear", gr_shear_names[soil->shear]);
    gr_json_string(&json, "skid_flow", gr_skid_flow_names[soil->skid_flow]);
    gr_json_string(&json, "gravity_scaling", gr_gravity_scaling_names[soil->gravity_scaling]);
    gr_json_number(&json, "fit_gravity", soil->fit_gravity);
    gr_json_bool(&json, "front_bulldozing", soil->front_bulldozing);
    gr_json_string(&json, "side_bulldozing", gr_side_bulldozing_names[soil->side_bulldozing]);
    write_parameters(&json, view);
    write_spread(&json, &view->spread);
    if (gr_law_has(soil->law, GR_LAW_POINTS)) {
        write_points(&json, soil);
    }
    gr_json_begin_array(&json, "sources");
    for (int i = 0; i < view->sources.count; i++) {
        const GrSoilSource *s = &view->sources.items[i];
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "confidence", gr_confidence_name(s->confidence));
        gr_json_string(&json, "text", s->text);
        gr_json_begin_array(&json, "of");
        for (int j = 0; j < s->of_count; j++) {
            gr_json_string(&json, NULL, s->of[j]);
        }
        gr_json_end(&json);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}
