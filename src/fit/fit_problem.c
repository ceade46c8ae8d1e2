#include "fit_problem.h"

#include "alloc.h"
#include "elementary.h"

#include <math.h>
#include <string.h>

static double get(const GrSoilDef *soil, const GrFitParam *param)
{
    double value;
    memcpy(&value, (const char *)soil + param->offset[0], sizeof value);
    return value / param->scale;
}

static void set(GrSoilDef *soil, const GrFitParam *param, double value)
{
    const double si = value * param->scale;
    for (int i = 0; i < param->offset_count; i++) {
        memcpy((char *)soil + param->offset[i], &si, sizeof si);
    }
}

double gr_fit_value_at(const GrFitParam *p, double u)
{
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return p->logarithmic ? p->lower * gr_pow(p->upper / p->lower, u) : p->lower + u * (p->upper - p->lower);
}

GrSoilDef gr_fit_soil_at(const GrFitDef *def, const double *u)
{
    GrSoilDef soil = def->rig.soil;
    for (int i = 0; i < def->param_count; i++) {
        set(&soil, &def->params[i], gr_fit_value_at(&def->params[i], u[i]));
    }
    return soil;
}

void gr_fit_coordinates(const GrFitDef *def, const GrSoilDef *soil, double *u)
{
    for (int i = 0; i < def->param_count; i++) {
        const GrFitParam *p = &def->params[i];
        const double value = fmin(fmax(get(soil, p), p->lower), p->upper);
        u[i] = p->logarithmic ? gr_log(value / p->lower) / gr_log(p->upper / p->lower)
                              : (value - p->lower) / (p->upper - p->lower);
    }
}

bool gr_fit_predict(const GrRigDef *rig_def, const GrSoilDef *soil, const GrWheelDatum *datum, GrRigPoint *out)
{
    GrRig rig;
    GrRigDef def = gr_wheel_datum_rig(rig_def, datum);
    def.soil = *soil;
    return gr_rig_make(&def, &rig, NULL) == GR_OK &&
           gr_rig_point(&rig, datum->value[GR_SLIP], datum->value[GR_SLIP_ANGLE], out) == GR_OK;
}

/// Whether a quantity of a point is used.
static bool counts(const GrFitDef *def, const GrWheelDatum *datum, int q)
{
    return q != GR_FZ && def->weights[q] > 0 && isfinite(datum->value[q]);
}

/// Those of presses, as forces on the load's axis; returns their number, and only that without `out`.
static int press_residuals(const GrFitDef *def, const GrSoilDef *soil, double *out, int *quantity)
{
    if (def->presses == NULL || !(def->press_weight > 0)) {
        return 0;
    }
    const double gravity = def->rig.wheel.gravity, missing = GR_FIT_MISSING / def->press_weight;
    const int n = gr_press_residuals(def->presses, def->press_role, soil, gravity, missing, out);
    for (int i = 0; i < n && out != NULL; i++) {
        out[i] *= def->press_weight;
        if (quantity != NULL) {
            quantity[i] = GR_FZ;
        }
    }
    return n;
}

bool gr_fit_problem_make(const GrFitDef *def, const unsigned char *role, GrFitProblem *out)
{
    *out = (GrFitProblem){.def = def, .role = role};
    for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
        double sum = 0, squares = 0;
        int n = 0;
        for (int i = 0; i < def->data->count; i++) {
            const GrWheelDatum *datum = &def->data->items[i];
            if (role[i] == GR_FIT_USED && counts(def, datum, q)) {
                sum += datum->value[q];
                squares += datum->value[q] * datum->value[q];
                n++;
            }
        }
        const double mean = n > 0 ? sum / n : 0;
        const double spread = n > 0 ? sqrt(fmax(squares / n - mean * mean, 0)) : 0;
        // If all points are equal they have no spread; use their magnitude instead.
        out->spread[q] = spread > 1e-9 * fabs(mean) && spread > 0 ? spread : fmax(fabs(mean), 1e-12);
        out->residual_count += n;
    }
    out->residual_count += press_residuals(def, NULL, NULL, NULL);
    out->residuals = gr_malloc(((size_t)out->residual_count + 1) * sizeof *out->residuals);
    return out->residuals != NULL;
}

void gr_fit_problem_free(GrFitProblem *problem)
{
    gr_free(problem->residuals);
    problem->residuals = NULL;
}

int gr_fit_residuals(GrFitProblem *problem, const double *u, double *out, int *quantity)
{
    const GrFitDef *def = problem->def;
    const GrSoilDef soil = gr_fit_soil_at(def, u);
    int n = 0;
    problem->evaluations++;
    for (int i = 0; i < def->data->count; i++) {
        const GrWheelDatum *datum = &def->data->items[i];
        GrRigPoint p;
        if (problem->role[i] != GR_FIT_USED) {
            continue;
        }
        const bool good = gr_fit_predict(&def->rig, &soil, datum, &p);
        for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
            if (!counts(def, datum, q)) {
                continue;
            }
            if (quantity != NULL) {
                quantity[n] = q;
            }
            out[n++] = good ? def->weights[q] * (gr_quantity_of(&p, q) - datum->value[q]) / problem->spread[q]
                            : GR_FIT_MISSING;
        }
    }
    return n + press_residuals(def, &soil, out + n, quantity != NULL ? quantity + n : NULL);
}

static double loss(const GrFitDef *def, double r)
{
    const double d = def->loss_scale, a = fabs(r);
    switch (def->loss) {
    case GR_LOSS_HUBER:
        return a <= d ? r * r : 2 * d * a - d * d;
    case GR_LOSS_SOFT_L1:
        return 2 * d * d * (sqrt(1 + r * r / (d * d)) - 1);
    default:
        return r * r;
    }
}

double gr_fit_loss_weight(const GrFitDef *def, double r)
{
    const double d = def->loss_scale, a = fabs(r);
    switch (def->loss) {
    case GR_LOSS_HUBER:
        return a <= d ? 1 : d / a;
    case GR_LOSS_SOFT_L1:
        return 1 / sqrt(1 + r * r / (d * d));
    default:
        return 1;
    }
}

double gr_fit_cost(GrFitProblem *problem, const double *u)
{
    if (problem->def->cost != NULL) {
        const GrSoilDef soil = gr_fit_soil_at(problem->def, u);
        problem->evaluations++;
        return problem->def->cost(problem->def->cost_context, &soil);
    }
    const int n = gr_fit_residuals(problem, u, problem->residuals, NULL);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += loss(problem->def, problem->residuals[i]);
    }
    return n > 0 ? sum / n : 0;
}

void gr_fit_errors(const GrFitDef *def, const GrSoilDef *soil, const unsigned char *role, unsigned char wanted,
                   GrFitErrors *out)
{
    *out = (GrFitErrors){0};
    for (int i = 0; i < def->data->count; i++) {
        const GrWheelDatum *datum = &def->data->items[i];
        GrRigPoint p;
        if (role[i] != wanted) {
            continue;
        }
        if (!gr_fit_predict(&def->rig, soil, datum, &p)) {
            out->missing++;
            continue;
        }
        for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
            const double difference = gr_quantity_of(&p, q) - datum->value[q];
            if (q != GR_FZ && isfinite(difference)) {
                out->rms[q] += difference * difference;
                out->count[q]++;
            }
        }
    }
    for (int q = 0; q < GR_QUANTITIES; q++) {
        out->rms[q] = out->count[q] > 0 ? sqrt(out->rms[q] / out->count[q]) : (double)NAN;
    }
}
