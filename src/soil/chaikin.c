/// Normal stress shaped by six control points (LS10 3.3, fig. 8). Repeatedly cutting every corner of the polygon at 1/4
/// and 3/4 (Chaikin 1974, end points kept) converges to a quadratic B-spline with doubled end points (Riesenfeld 1975):
/// the curve is that limit in closed form, six parabolas, and is integrated by three Gauss-Legendre nodes on each.
#include "elementary.h"
#include "law.h"
#include "pressing.h"
#include "stress_law.h"

enum { SPANS = GR_CHAIKIN_POINTS, SPAN_NODES = 3, PADDED = GR_CHAIKIN_POINTS + 2 };

_Static_assert(SPANS *SPAN_NODES == GR_NODES_MAX, "one node array for all laws");

/// Gauss-Legendre on [0, 1].
static const double gauss_x[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
static const double gauss_w[3] = {0.2777777777777778, 0.4444444444444444, 0.2777777777777778};

/// Control points at this slip, mirrored by the rolling memory: at d = −1 exit and entry change places, at d = 0 the
/// stress is symmetric. The first and last points are doubled.
static void place_points(const GrSoilWheel *w, const GrPatchInput *in, double *x, double *y)
{
    const double as_is = 0.5 * (1 + in->roll), mirrored = 0.5 * (1 - in->roll);
    for (int i = 0; i < GR_CHAIKIN_POINTS; i++) {
        const GrStressPoint *p = &w->soil.points[i], *q = &w->soil.points[GR_CHAIKIN_POINTS - 1 - i];
        x[i + 1] = as_is * (p->x + p->x_slip * in->slip) + mirrored * (1 - q->x - q->x_slip * in->slip);
        y[i + 1] = as_is * (p->y + p->y_slip * in->slip) + mirrored * (q->y + q->y_slip * in->slip);
    }
    x[0] = x[1];
    y[0] = y[1];
    x[PADDED - 1] = x[PADDED - 2];
    y[PADDED - 1] = y[PADDED - 2];
}

void gr_patch_chaikin(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    // The points define the peak; the arc's own peak is not used.
    const GrArc arc = gr_arc(w->radius, in->h, in->roll, in->exit_ratio, 0);
    const double length = arc.front - arc.rear, length_h = arc.front_h - arc.rear_h;
    const double br = in->width * w->radius;
    const GrPressing pressing = gr_pressing(w, in);
    double p = gr_exp(w->log_pressure + in->exponent * (gr_log(in->h) - w->log_length) + pressing.log);
    double p_h = in->exponent * p / in->h + in->exponent * p * pressing.slope;
    gr_pressing_add(&pressing, gr_log(in->h), 1 / in->h, &p, &p_h);
    double x[PADDED], y[PADDED];
    GrStressField f;
    memset(out, 0, sizeof *out);
    place_points(w, in, x, y);
    for (int span = 0; span < SPANS; span++) {
        const double *a = x + span, *b = y + span;
        for (int j = 0; j < SPAN_NODES; j++) {
            const int i = span * SPAN_NODES + j;
            const double t = gauss_x[j];
            // B(t) = ((1 − t)² P0 + (1 + 2t − 2t²) P1 + t² P2)/2
            const double b0 = 0.5 * (1 - t) * (1 - t), b1 = 0.5 + t - t * t, b2 = 0.5 * t * t;
            const double place = b0 * a[0] + b1 * a[1] + b2 * a[2];
            const double speed = (1 - t) * (a[1] - a[0]) + t * (a[2] - a[1]);
            const double height = b0 * b[0] + b1 * b[1] + b2 * b[2];
            f.theta[i] = arc.rear + place * length;
            f.theta_h[i] = arc.rear_h + place * length_h;
            f.weight[i] = gauss_w[j] * br * speed * length;
            f.weight_h[i] = gauss_w[j] * br * speed * length_h;
            f.sigma[i] = p * height;
            f.sigma_h[i] = p_h * height;
        }
    }
    gr_field_angles(GR_NODES_MAX, &f);
    gr_stress_law(GR_NODES_MAX, w, in, &pressing, &arc, &f, old, next, out);
}

static GrStatus check_points(const GrSoilDef *s, GrErrorLog *log)
{
    for (int i = 0; i < GR_CHAIKIN_POINTS; i++) {
        for (int end = -1; end <= 1; end += 2) {
            const GrStressPoint *p = &s->points[i];
            const double x = p->x + end * p->x_slip, y = p->y + end * p->y_slip;
            const double before = i == 0 ? x : p[-1].x + end * p[-1].x_slip;
            if (!(x >= 0 && x <= 1 && x >= before)) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "points"},
                                    "point %d lies at %g of the arc at slip %d; places must rise from 0 to 1", i + 1, x,
                                    end);
            }
            if (!(y >= 0 && isfinite(y))) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "points"},
                                    "point %d has stress %g at slip %d; it must not be negative", i + 1, y, end);
            }
        }
    }
    const GrStressPoint *last = &s->points[GR_CHAIKIN_POINTS - 1];
    if (s->points[0].x != 0 || s->points[0].x_slip != 0 || last->x != 1 || last->x_slip != 0) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "points"},
                            "the first point must stay at 0 (exit) and the last at 1 (entry)");
    }
    return GR_OK;
}

const GrLaw gr_law_chaikin = {
    .name = "chaikin",
    .text = "stress shaped by six control points (Leite & Schäfer 2010)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_STRESS | GR_LAW_PATCH | GR_LAW_FLOW | GR_LAW_ARC | GR_LAW_POINTS,
    .nodes = GR_NODES_MAX,
    .slice_state = GR_SLICE_NODES + 4 * GR_NODES_MAX,
    .memory = &gr_memory_shear,
    .check = check_points,
};
