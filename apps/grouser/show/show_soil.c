#include "show_soil.h"

#include "bearing.h"
#include "json.h"
#include "law.h"
#include "number.h"
#include "report.h"
#include "show_rover.h"
#include "soil_param.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <string.h>

const char *gr_soil_view_origin(const GrSoilView *view, int param, int *source)
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

void gr_soil_view_range(const GrSoilView *view, int param, char *out, size_t size)
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

static void print_parameters(const GrSoilView *view, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_column(&table, "parameter", GR_LEFT);
    gr_table_column(&table, "", GR_LEFT);
    gr_table_column(&table, "value", GR_RIGHT);
    gr_table_column(&table, "90 %", GR_LEFT);
    gr_table_column(&table, "unit", GR_LEFT);
    gr_table_column(&table, "origin", GR_LEFT);
    gr_table_column(&table, "source", GR_LEFT);
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

/// Where the ranges of the parameters come from, and what is correlated.
static void print_spread(const GrSoilSpread *spread, FILE *file)
{
    fprintf(file, "\nSpread (%s): ", gr_spread_kind_names[spread->kind]);
    gr_print_wrapped(spread->source, 18, 96, file);
    for (int i = 0; i < spread->count; i++) {
        for (int j = 0; j < i; j++) {
            if (spread->correlation[i][j] != 0) {
                fprintf(file, "  %s and %s are correlated: %.2g\n", gr_soil_param(spread->param[j])->name,
                        gr_soil_param(spread->param[i])->name, spread->correlation[i][j]);
            }
        }
    }
    for (int i = 0; i < GR_SPREAD_QUANTITIES; i++) {
        const GrSpreadError *e = &spread->error[i];
        if (!isnan(e->residual)) {
            fprintf(file, "  error of %s: %.3g where the data are, %.3g beyond\n", gr_spread_quantity_names[i],
                    e->residual, isnan(e->discrepancy) ? e->residual : e->discrepancy);
        }
    }
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
