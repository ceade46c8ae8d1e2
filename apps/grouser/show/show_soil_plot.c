/// grouser show soil --svg and --html: pressure against sinkage, shear stress against displacement.
#include "bearing.h"
#include "law.h"
#include "number.h"
#include "page.h"
#include "plot.h"
#include "show_rover.h"
#include "show_soil.h"
#include "soil_param.h"

#include <math.h>

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

static GrStatus plot_curves(const GrSoilView *view, const char *title, GrBuffer *svg)
{
    static Curves c;
    c = (Curves){0};
    const bool springs = has_springs(view);
    make_pressure(view, &c);
    if (!springs) {
        make_shear(view, &c);
    }
    const double strongest = c.shear_count > 0 ? c.shear[c.shear_count - 1][SAMPLES - 1] : 0;
    const GrPanel panels[] = {
        {.title = springs ? "Force and sinkage" : "Pressure and sinkage of a plate",
         .x_label = "sinkage [mm]",
         .y_label = springs ? "force [N]" : "pressure [kPa]",
         .series = c.pressure_series,
         .series_count = c.pressure_count},
        {.title = "Shear stress and displacement",
         .x_label = "displacement [mm]",
         .y_label = "shear stress [kPa]",
         .series = c.shear_series,
         .series_count = c.shear_count,
         .y_upper = 1.5 * strongest}, // room for the legend
    };
    const GrPlot plot = {.panels = panels,
                         .panel_count = springs ? 1 : 2,
                         .columns = springs ? 1 : 2,
                         .panel_width = 560,
                         .panel_height = 380,
                         .title = title};
    return gr_plot_write(&plot, svg);
}

GrStatus gr_soil_plot(const GrSoilView *view, GrBuffer *svg)
{
    return plot_curves(view, view->soil.title[0] != '\0' ? view->soil.title : view->soil.name, svg);
}

static void add_parameters(const GrSoilView *view, GrBuffer *page)
{
    static const char *const heads[] = {"parameter", "", "value", "90 %", "unit", "origin", "source"};
    gr_page_section(page, "Parameters");
    gr_page_begin_table(page, heads, 7, 0x4u);
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const GrSoilParam *param = gr_soil_param(i);
        char value[GR_NUMBER_SIZE], range[2 * GR_NUMBER_SIZE + 8], mark[16] = "";
        int source;
        if (!gr_soil_param_used(&view->soil, i, GR_SOIL_USE_ALL)) {
            continue;
        }
        gr_number_round(gr_soil_param_get(&view->soil, i), 6, value);
        const char *origin = gr_soil_view_origin(view, i, &source);
        if (source > 0) {
            snprintf(mark, sizeof mark, "[%d]", source);
        }
        gr_soil_view_range(view, i, range, sizeof range);
        const char *cells[] = {param->text, param->name, value, range, param->unit, origin, mark};
        gr_page_row(page, cells, 7, 0x4u);
    }
    gr_page_end_table(page);
}

GrStatus gr_soil_page(const GrSoilView *view, GrBuffer *page)
{
    GrBuffer svg = {0};
    char subtitle[GR_NAME_SIZE + 64];
    snprintf(subtitle, sizeof subtitle, "%s; law %s", view->soil.name, gr_soil_law_name(view->soil.law));
    gr_page_begin(page, view->soil.title[0] != '\0' ? view->soil.title : "Soil", subtitle);
    const GrStatus status = plot_curves(view, NULL, &svg);
    if (status == GR_OK) {
        gr_page_svg(page, svg.data, "At slip 0 and slip angle 0.");
    }
    gr_buffer_free(&svg);
    add_parameters(view, page);
    gr_page_paragraph(page, view->spread.source);
    gr_page_section(page, "Sources of the numbers");
    for (int i = 0; i < view->sources.count; i++) {
        char text[GR_SOIL_SOURCE_SIZE + 40];
        snprintf(text, sizeof text, "[%d] %s: %s", i + 1, gr_confidence_name(view->sources.items[i].confidence),
                 view->sources.items[i].text);
        gr_page_paragraph(page, text);
    }
    gr_page_end(page);
    return status;
}
