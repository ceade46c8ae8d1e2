/// Local derivatives by finite differences.
#include "indices.h"

#include <math.h>
#include <string.h>

/// Distance to a neighbour, shorter at a bound.
static double reach(const GrGradientDef *def, int i, int side)
{
    const double to = def->centre[i] + side * def->step[i];
    if (side < 0) {
        return def->centre[i] - (def->lower != NULL ? fmax(to, def->lower[i]) : to);
    }
    return (def->upper != NULL ? fmin(to, def->upper[i]) : to) - def->centre[i];
}

GrStatus gr_gradient_plan(const GrGradientDef *def, double *points, GrErrorLog *log)
{
    const int n = def->variable_count;
    for (int i = 0; i < n; i++) {
        const bool has_step = isfinite(def->step[i]) && def->step[i] > 0;
        const bool is_inside = isfinite(def->centre[i]) && (def->lower == NULL || def->centre[i] >= def->lower[i]) &&
                               (def->upper == NULL || def->centre[i] <= def->upper[i]);
        if (!has_step || !is_inside) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = has_step ? "centre" : "step"},
                                "variable %d: %.9g; %s", i + 1, has_step ? def->centre[i] : def->step[i],
                                has_step ? "must be within the bounds" : "must be above 0");
        }
    }
    for (int row = 0; row < 2 * n + 1; row++) {
        double *point = points + row * n;
        memcpy(point, def->centre, (size_t)n * sizeof *point);
        if (row > 0) {
            const int i = (row - 1) / 2, side = row % 2 == 1 ? -1 : 1;
            point[i] += side * reach(def, i, side);
        }
    }
    return GR_OK;
}

/// From the parabola through three points at −below, 0 and +above; the slope from two points where one is missing.
void gr_gradient_estimate(const GrGradientDef *def, const double *values, GrGradient *out)
{
    for (int i = 0; i < def->variable_count; i++) {
        const double below = reach(def, i, -1), above = reach(def, i, 1);
        const double left = (values[0] - values[1 + 2 * i]) / below, right = (values[2 + 2 * i] - values[0]) / above;
        out[i] = (GrGradient){NAN, NAN};
        if (isfinite(left) && isfinite(right)) {
            out[i].slope = (left * above + right * below) / (below + above);
            out[i].curvature = 2 * (right - left) / (below + above);
        } else if (isfinite(values[1 + 2 * i]) && isfinite(values[2 + 2 * i]) && below + above > 0) {
            out[i].slope = (values[2 + 2 * i] - values[1 + 2 * i]) / (below + above);
        } else if (isfinite(left) || isfinite(right)) {
            out[i].slope = isfinite(left) ? left : right;
        }
    }
}
