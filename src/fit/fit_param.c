/// Parameters that a fit may vary, by name, with the bounds of its search.
#include "fit.h"

#include "soil_param.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Bounds for soils in general, in the unit of files.
static const struct Bounds {
    const char *name;
    double lower, upper;
    bool logarithmic;
} bounds[] = {
    {"k_c", 0, 1e6, false},
    {"k_phi", 1e4, 1e9, true},
    {"k_c_reece", 0, 1e4, false},
    {"k_phi_reece", 1, 1e5, true},
    {"bearing_depth", 1e-3, 0.5, true},
    {"bearing_n_c", 0.1, 2, false},
    {"bearing_n_q", 0.1, 2, false},
    {"surcharge", 0, 2, false},
    {"bearing_c", 3, 300, true},
    {"bearing_gamma", 0.5, 500, true},
    {"n0", 0.3, 2, false},
    {"n1", -0.5, 1, false},
    {"density", 500, 3000, false},
    {"c", 0, 1e4, false},
    {"phi", 5, 50, false},
    {"K_x", 5e-4, 0.2, true},
    {"K_y", 5e-4, 0.2, true},
    {"K", 5e-4, 0.2, true},
    {"K_x_slope", 0, 0.2, false},
    {"K_y_slope", 0, 0.2, false},
    {"a1", 0, 0.9, false},
    {"a2", -0.5, 0.9, false},
    {"lambda", 0, 1.2, false},
    {"stiffness", 1e3, 1e7, true},
    {"friction", 0.05, 2, false},
    {"rolling_resistance", 0, 0.5, false},
    {"terra_in", 0, 1, false},
    {"terra_out", 0.01, 5, true},
    {"terra_limit", 0.1, 2, false},
    {"side_drag", 0, 1e5, false},
    {"wall_friction", 0, 40, false},
    {"side_bulldozing_drag", 0, 1, false},
    {"xi_n", 1e4, 1e8, true},
    {"mu_surf", 0.05, 1.2, false},
    {"shadow", 0.3, 30, true},
    {"a_plough", -1.2, 0.3, false},
    {"slip_sinkage_max", 0, 0.05, false},
    {"plough_power", 0.5, 4, false},
    {"plough_side", 0.5, 1, false},
    {"lug_digging", 0, 20, false},
    {"lug_digging_length", 3e-3, 3, true},
    {"backfill", 0, 5, false},
    {"slip_sinkage_length", 3e-3, 0.5, true},
    {"wedge", 0, 8, false},
    {"plough_sinkage", 0, 0.08, false},
    {"wedge_front", 0, 6, false},
    {"wedge_slide", 0, 10, false},
};

enum { BOUND_COUNT = sizeof bounds / sizeof bounds[0] };

static bool set_bounds(const char *name, GrFitParam *out)
{
    for (int i = 0; i < BOUND_COUNT; i++) {
        if (strcmp(name, bounds[i].name) == 0) {
            out->lower = bounds[i].lower;
            out->upper = bounds[i].upper;
            out->logarithmic = bounds[i].logarithmic;
            return true;
        }
    }
    return false;
}

/// "p3_y_slip": a coordinate of a control point of the law chaikin, points numbered from 1.
static bool find_point(const char *name, GrFitParam *out)
{
    static const struct {
        const char *suffix;
        size_t offset;
        double lower, upper;
    } members[] = {
        {"_x", offsetof(GrStressPoint, x), 0, 1},
        {"_x_slip", offsetof(GrStressPoint, x_slip), -0.3, 0.3},
        {"_y", offsetof(GrStressPoint, y), 0, 1.5},
        {"_y_slip", offsetof(GrStressPoint, y_slip), -0.5, 0.5},
    };
    if (name[0] != 'p' || name[1] < '1' || name[1] > '0' + GR_CHAIKIN_POINTS) {
        return false;
    }
    const size_t point = (size_t)(name[1] - '1');
    for (int i = 0; i < 4; i++) {
        if (strcmp(name + 2, members[i].suffix) == 0) {
            *out = (GrFitParam){
                .offset = {offsetof(GrSoilDef, points) + point * sizeof(GrStressPoint) + members[i].offset},
                .offset_count = 1,
                .scale = 1,
                .lower = members[i].lower,
                .upper = members[i].upper};
            return true;
        }
    }
    return false;
}

GrStatus gr_fit_param_find(const char *name, GrFitParam *out, GrErrorLog *log)
{
    const GrLocation at = {.field = "--free"};
    const int index = gr_soil_param_find(name);
    *out = (GrFitParam){.scale = 1};
    if (find_point(name, out)) {
        gr_text_copy(out->name, sizeof out->name, name);
        return GR_OK;
    }
    if (strcmp(name, "K") == 0) {
        out->offset[0] = offsetof(GrSoilDef, shear_x);
        out->offset[1] = offsetof(GrSoilDef, shear_y);
        out->offset_count = 2;
        set_bounds(name, out);
    } else if (index >= 0) {
        const GrSoilParam *param = gr_soil_param(index);
        out->offset[0] = param->offset;
        out->offset_count = 1;
        out->scale = param->scale;
        name = param->name;
        if (!set_bounds(name, out)) {
            out->lower = out->upper = (double)NAN; // the user must give them
        }
    } else {
        const char *names[BOUND_COUNT];
        for (int i = 0; i < BOUND_COUNT; i++) {
            names[i] = bounds[i].name;
        }
        return gr_error_add(log, GR_ERROR_NAME, at, "there is no parameter '%.60s'%s", name,
                            gr_text_hint(name, names, BOUND_COUNT, "; grouser show soil lists those of a soil").text);
    }
    gr_text_copy(out->name, sizeof out->name, name);
    return GR_OK;
}
