#include "fit_trace.h"

#include "dense.h"

#include <math.h>
#include <string.h>

/// Which value of a datum a line is fitted to.
typedef enum Which { MEAN, SWING } Which;

static double measured(const GrTraceDatum *d, Which which)
{
    return which == MEAN ? d->mean : d->swing;
}

double gr_trace_line_at(const GrTraceLine *line, double load, double slip)
{
    return line->base + line->load * load + line->slip * fabs(slip);
}

/// Least-squares line through all points except one (−1: all points); false when they do not determine it.
static bool fit_line(const GrTraceData *data, Which which, int but, bool by_slip, GrTraceLine *out)
{
    const int n = by_slip ? 3 : 2;
    double a[9] = {0}, b[3] = {0}, scale = 0;
    for (int i = 0; i < data->count; i++) {
        scale = fmax(scale, data->items[i].load);
    }
    for (int i = 0; i < data->count; i++) {
        const GrTraceDatum *d = &data->items[i];
        const double x[3] = {1, d->load / scale, fabs(d->slip)};
        for (int j = 0; j < n && i != but; j++) {
            for (int k = 0; k < n; k++) {
                a[n * j + k] += x[j] * x[k];
            }
            b[j] += x[j] * measured(d, which);
        }
    }
    if (!gr_dense_solve(n, a, b)) {
        return false;
    }
    *out = (GrTraceLine){b[0], b[1] / scale, by_slip ? b[2] : 0};
    return isfinite(out->base) && isfinite(out->load) && isfinite(out->slip);
}

static GrTraceErrors find_errors(const GrTraceData *data, Which which, bool by_slip, const GrTraceLine *line)
{
    GrTraceErrors e = {0};
    for (int i = 0; i < data->count; i++) {
        const GrTraceDatum *d = &data->items[i];
        const double value = measured(d, which), off = fabs(gr_trace_line_at(line, d->load, d->slip) - value);
        GrTraceLine others;
        e.mean_absolute += off / data->count;
        e.mean_percent += value != 0 ? 100 * off / fabs(value) / data->count : 0;
        e.largest = off > e.largest ? off : e.largest;
        e.left_out += data->count > (by_slip ? 4 : 3) && fit_line(data, which, i, by_slip, &others)
                          ? fabs(gr_trace_line_at(&others, d->load, d->slip) - value) / data->count
                          : (double)NAN;
    }
    return e;
}

/// Whether slips and loads are linearly related, so that their effects cannot be separated.
static bool go_together(const GrTraceData *data)
{
    double load = 0, slip = 0, ll = 0, ls = 0, ss = 0;
    for (int i = 0; i < data->count; i++) {
        load += data->items[i].load / data->count;
        slip += fabs(data->items[i].slip) / data->count;
    }
    for (int i = 0; i < data->count; i++) {
        const double l = data->items[i].load - load, s = fabs(data->items[i].slip) - slip;
        ll += l * l;
        ls += l * s;
        ss += s * s;
    }
    return ls * ls > (1 - 1e-9) * ll * ss;
}

/// Whether values differ enough for a slope over them.
static bool varies(double lowest, double highest)
{
    return highest - lowest > 1e-6 * fmax(fabs(lowest), fabs(highest));
}

static GrStatus check(const GrTraceData *data, GrTraceFit *out, GrErrorLog *log)
{
    double slip_min = (double)INFINITY, slip_max = 0;
    out->def.load_min = (double)INFINITY;
    out->def.load_max = 0;
    for (int i = 0; i < data->count; i++) {
        const GrTraceDatum *d = &data->items[i];
        out->def.load_min = fmin(out->def.load_min, d->load);
        out->def.load_max = fmax(out->def.load_max, d->load);
        slip_min = fmin(slip_min, fabs(d->slip));
        slip_max = fmax(slip_max, fabs(d->slip));
    }
    out->by_slip = data->has_slip && varies(slip_min, slip_max);
    const int least = out->by_slip ? 4 : 3;
    if (data->count < least) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--data"},
                            "%d traces cannot determine a line%s; %d or more are needed", data->count,
                            out->by_slip ? " over load and slip" : "", least);
    }
    if (!varies(out->def.load_min, out->def.load_max)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--data"},
                            "all traces have the same load; no line over it can be found");
    }
    if (out->by_slip && go_together(data)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--data"},
                            "load and slip are linearly related in all traces, so that their effects cannot be "
                            "separated; add traces at other loads or slips");
    }
    return GR_OK;
}

GrStatus gr_trace_fit(const GrTraceData *data, const GrTraceDef *wheel, GrTraceFit *out, GrErrorLog *log)
{
    memset(out, 0, sizeof *out);
    out->def = *wheel;
    const GrStatus status = check(data, out, log);
    if (status != GR_OK) {
        return status;
    }
    if (!fit_line(data, MEAN, -1, out->by_slip, &out->def.mean) ||
        !fit_line(data, SWING, -1, out->by_slip, &out->def.swing)) {
        return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){.field = "--data"},
                            "no line can be fitted to the traces");
    }
    out->mean = find_errors(data, MEAN, out->by_slip, &out->def.mean);
    out->swing = find_errors(data, SWING, out->by_slip, &out->def.swing);
    return gr_trace_check(&out->def, log);
}
