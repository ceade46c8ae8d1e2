#include "grains_calibration.h"

#include "alloc.h"
#include "dense.h"
#include "optimizer.h"
#include "out_of_memory.h"
#include "sampling.h"
#include "statistics.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSTERIOR = 16384, WINDOW = 24 };

GrPressLine gr_press_line(const double *depth, const double *force, int count)
{
    double mx = 0, my = 0, xx = 0, xy = 0, off = 0;
    for (int k = 0; k < count; k++) {
        mx += log(depth[k]) / count, my += log(force[k]) / count;
    }
    for (int k = 0; k < count; k++) {
        const double x = log(depth[k]) - mx;
        xx += x * x, xy += x * (log(force[k]) - my);
    }
    const double slope = xy / xx;
    for (int k = 0; k < count; k++) {
        const double d = log(force[k]) - my - slope * (log(depth[k]) - mx);
        off += d * d;
    }
    return (GrPressLine){my, slope, sqrt(off / fmax(1, count - 2)), sqrt(xx)};
}

// ---- runs

int gr_calibration_terms(int n)
{
    return 1 + n + n * (n + 1) / 2;
}

/// 1, u, and products of u, for u from −1 to 1.
static void terms_at(int n, const double *at, double *out)
{
    int k = 0;
    out[k++] = 1;
    for (int i = 0; i < n; i++) {
        out[k++] = 2 * at[i] - 1;
    }
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            out[k++] = (2 * at[i] - 1) * (2 * at[j] - 1);
        }
    }
}

double gr_calibration_value(const GrCalibrationFree *f, double at)
{
    return f->lower + at * (f->upper - f->lower);
}

GrBedDef gr_calibration_bed(const GrCalibration *c, const double *at, int seed)
{
    GrBedDef def = c->bed;
    for (int k = 0; k < c->free_count; k++) {
        const double value = gr_calibration_value(&c->frees[k], at[k]);
        memcpy((char *)&def.bin.grains + c->frees[k].known->offset, &value, sizeof value);
    }
    def.bin.work = c->work;
    def.seed += (uint64_t)seed;
    return def;
}

/// Forces at the depths of a plate, from the bed in `packed`.
static GrStatus press(const GrCalibration *c, const GrBuffer *packed, const GrCalibrationPlate *p, double *force,
                      GrErrorLog *log)
{
    GrBin *bin = NULL;
    GrBinRig *rig = NULL;
    GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_PLATE);
    def.diameter = p->diameter, def.travel = p->deepest, def.speed = c->speed;
    GrStatus status = gr_bin_unpack(packed->data, packed->size, NULL, c->work, NULL, 0, &bin, log);
    status = status == GR_OK ? gr_bin_rig_create(&def, NULL, bin, &rig, log) : status;
    while (status == GR_OK && !rig->state.done) {
        status = gr_bin_rig_step(rig, log);
    }
    for (int k = 0; k < p->count && status == GR_OK; k++) {
        double sum = 0;
        int n = 0;
        for (int i = 0; i < rig->state.sample_count; i++) {
            const GrBinRigSample *s = &rig->state.samples[i];
            const bool near = fabs(s->sinkage - p->depth[k]) < def.travel / WINDOW;
            sum += near ? s->force.z : 0;
            n += near;
        }
        force[k] = fmax(n > 0 ? sum / n : 0, 1e-3 * p->force[k]); // its logarithm is asked for
    }
    gr_bin_rig_free(rig);
    gr_bin_free(bin);
    return status;
}

static GrStatus press_all(const GrCalibration *c, const GrBedDef *def, double *answer, bool keep, GrErrorLog *log)
{
    GrBin *bin = NULL;
    GrBuffer packed = {0};
    GrStatus status = gr_bed_prepare(def, NULL, &bin, log);
    if (status == GR_OK) {
        gr_bin_pack(bin, NULL, 0, &packed);
        status = packed.failed ? gr_out_of_memory(log, NULL) : GR_OK;
    }
    gr_bin_free(bin);
    for (int k = 0; k < c->plate_count && status == GR_OK; k++) {
        const GrCalibrationPlate *p = &c->plates[k];
        double *force = gr_calloc((size_t)p->count, sizeof *force);
        if (force == NULL) {
            status = gr_out_of_memory(log, NULL);
            break;
        }
        status = press(c, &packed, p, force, log);
        if (status == GR_OK) {
            const GrPressLine line = gr_press_line(p->depth, force, p->count);
            answer[2 * k] = line.level, answer[2 * k + 1] = line.slope;
            if (keep) {
                memcpy(p->checked, force, (size_t)p->count * sizeof *force);
            }
        }
        gr_free(force);
    }
    gr_buffer_free(&packed);
    return status;
}

/// What the grains at a point answer; `keep`: forces stay with the plates.
static GrStatus run_at(const GrCalibration *c, const double *at, int seed, double *answer, bool keep, GrErrorLog *log)
{
    const GrBedDef bed = gr_calibration_bed(c, at, seed);
    GrStatus status = GR_OK;
    if (c->repose != NULL) {
        GrReposeDef def = gr_default_repose_def(&bed);
        GrReposeAnswer heap = {0};
        GrBin *bin = NULL;
        def.bed.filled = bed.filled > 0 ? bed.filled : 0.45 * bed.bin.size[0];
        status = gr_repose_run(&def, NULL, &bin, &heap, log);
        gr_bin_free(bin);
        answer[0] = heap.angle * 180 / GR_PI;
    }
    GrBedDef level = bed;
    level.filled = 0;
    if (status == GR_OK && c->plate_count > 0) {
        status = press_all(c, &level, answer + (c->repose != NULL), keep, log);
    }
    return status;
}

/// Runs at all points. Parameters with which no bed can be made, such as one that does not reach the bulk density, are
/// left out.
static GrStatus run_all(GrCalibration *c, GrErrorLog *log)
{
    GrErrorLog first = {0};
    const int needed = gr_calibration_terms(c->free_count) + GR_CALIBRATION_SPARE;
    GrProgress progress = gr_progress_begin("calibrating");
    GrStatus worst = GR_OK;
    for (int k = 0; k < c->run_count; k++) {
        GrCalibrationRun *r = &c->all[k];
        GrErrorLog own = {0};
        gr_sample_point(GR_SAMPLING_SOBOL, (uint64_t)k, (uint64_t)c->run_count, c->free_count, 1, r->at);
        const GrStatus status = run_at(c, r->at, k + 1, r->answer, false, &own);
        r->failed = status != GR_OK;
        c->failed += r->failed;
        if (r->failed && first.count == 0) {
            first = own, worst = status;
        }
        gr_progress_update(&progress, k + 1, c->run_count);
    }
    gr_progress_end(&progress);
    if (c->run_count - c->failed < needed) {
        char text[512] = "";
        if (first.count > 0) {
            gr_error_format(&first.items[0], text, sizeof text);
        }
        return gr_error_add(log, worst, (GrLocation){.field = "--runs"},
                            "%d of %d runs failed, and %d are needed; the first: %s", c->failed, c->run_count, needed,
                            text);
    }
    return GR_OK;
}

// ---- the quadratics, the best point and its intervals

static GrStatus fit_surfaces(GrCalibration *c, GrErrorLog *log)
{
    const int n = gr_calibration_terms(c->free_count), good = c->run_count - c->failed;
    double normal[GR_CALIBRATION_TERMS * GR_CALIBRATION_TERMS] = {0}, t[GR_CALIBRATION_TERMS] = {0};
    double right[GR_CALIBRATION_TERMS * GR_CALIBRATION_ANSWERS] = {0};
    for (int k = 0; k < c->run_count; k++) {
        const GrCalibrationRun *r = &c->all[k];
        terms_at(c->free_count, r->at, t);
        for (int i = 0; i < n && !r->failed; i++) {
            for (int j = 0; j < n; j++) {
                normal[i * n + j] += t[i] * t[j];
            }
            for (int a = 0; a < c->answer_count; a++) {
                right[i * c->answer_count + a] += t[i] * r->answer[a];
            }
        }
    }
    double again[GR_CALIBRATION_TERMS * GR_CALIBRATION_TERMS];
    memcpy(again, normal, sizeof again);
    memset(c->inverse, 0, sizeof c->inverse);
    for (int i = 0; i < n; i++) {
        c->inverse[i * n + i] = 1;
    }
    if (!gr_dense_solve_columns(n, normal, right, c->answer_count) ||
        !gr_dense_solve_columns(n, again, c->inverse, n)) {
        return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){.field = "--runs"},
                            "the runs do not determine a quadratic; more are needed");
    }
    for (int a = 0; a < c->answer_count; a++) {
        GrCalibrationAnswer *answer = &c->answers[a];
        double sum = 0;
        for (int i = 0; i < n; i++) {
            answer->term[i] = right[i * c->answer_count + a];
        }
        for (int k = 0; k < c->run_count; k++) {
            double off = c->all[k].answer[a];
            terms_at(c->free_count, c->all[k].at, t);
            for (int i = 0; i < n; i++) {
                off -= answer->term[i] * t[i];
            }
            sum += c->all[k].failed ? 0 : off * off;
        }
        answer->scatter = sqrt(sum / (good - n));
    }
    return GR_OK;
}

/// Sum of the squared deviations over variances: of the measurement, of a bed, and of the quadratic.
static double misfit_at(const GrCalibration *c, const double *at)
{
    double t[GR_CALIBRATION_TERMS] = {0}, sum = 0, leverage = 0;
    const int n = gr_calibration_terms(c->free_count);
    terms_at(c->free_count, at, t);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            leverage += t[i] * c->inverse[i * n + j] * t[j];
        }
    }
    for (int a = 0; a < c->answer_count; a++) {
        const GrCalibrationAnswer *answer = &c->answers[a];
        double off = answer->measured;
        for (int i = 0; i < n; i++) {
            off -= answer->term[i] * t[i];
        }
        const double variance =
            answer->error * answer->error + answer->scatter * answer->scatter * (1 + fmax(0, leverage));
        sum += off * off / variance + log(variance);
    }
    return sum;
}

static GrStatus evaluate(void *context, const GrEvaluations *batch, double *values, GrErrorLog *log)
{
    const GrCalibration *c = context;
    (void)log;
    for (int k = 0; k < batch->count; k++) {
        values[k] = misfit_at(c, batch->points + (size_t)k * (size_t)c->free_count);
    }
    return GR_OK;
}

static GrStatus find_best(GrCalibration *c, double *best, GrErrorLog *log)
{
    const double lower[GR_CALIBRATION_FREE] = {0}, upper[GR_CALIBRATION_FREE] = {1, 1, 1, 1};
    GrOptimizerDef def = gr_default_optimizer_def();
    GrOptimum optimum = {0};
    def.method = GR_OPTIMIZER_CMAES;
    def.variable_count = c->free_count, def.lower = lower, def.upper = upper;
    def.budget = 4000, def.restarts = 3, def.tolerance = 1e-4;
    const GrStatus status = gr_optimize(&def, (GrEvaluator){c, evaluate}, &optimum, log);
    if (status == GR_OK) {
        memcpy(best, optimum.points, (size_t)c->free_count * sizeof *best);
    }
    gr_optimum_free(&optimum);
    return status;
}

typedef struct Weighted {
    double value, weight;
} Weighted;

static int by_value(const void *a, const void *b)
{
    const double x = ((const Weighted *)a)->value, y = ((const Weighted *)b)->value;
    return (x > y) - (x < y);
}

static double quantile(const Weighted *sorted, int count, double part)
{
    double sum = 0;
    for (int k = 0; k < count; k++) {
        sum += sorted[k].weight;
        if (sum >= part) {
            return sorted[k].value;
        }
    }
    return sorted[count - 1].value;
}

/// Intervals from points of the bounds, each weighted by the likelihood of its misfit.
static GrStatus find_intervals(GrCalibration *c, const double *best, GrErrorLog *log)
{
    const int n = c->free_count;
    double(*at)[GR_CALIBRATION_FREE] = gr_calloc(POSTERIOR, sizeof *at), *weight = gr_calloc(POSTERIOR, sizeof *weight);
    Weighted *sorted = gr_calloc(POSTERIOR, sizeof *sorted);
    if (at == NULL || weight == NULL || sorted == NULL) {
        gr_free(at);
        gr_free(weight);
        gr_free(sorted);
        return gr_out_of_memory(log, NULL);
    }
    double sum = 0, mean[GR_CALIBRATION_FREE] = {0}, both[GR_CALIBRATION_FREE][GR_CALIBRATION_FREE] = {{0}};
    const double least = misfit_at(c, best);
    for (int k = 0; k < POSTERIOR; k++) {
        gr_sobol_point((uint64_t)k, n, 1, at[k]);
        weight[k] = exp((least - misfit_at(c, at[k])) / 2);
        sum += weight[k];
    }
    for (int k = 0; k < POSTERIOR; k++) {
        weight[k] /= sum;
        for (int i = 0; i < n; i++) {
            mean[i] += weight[k] * at[k][i];
            for (int j = 0; j < n; j++) {
                both[i][j] += weight[k] * at[k][i] * at[k][j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        GrCalibrationFree *f = &c->frees[i];
        for (int k = 0; k < POSTERIOR; k++) {
            sorted[k] = (Weighted){at[k][i], weight[k]};
        }
        qsort(sorted, POSTERIOR, sizeof *sorted, by_value);
        const double low = fmin(best[i], quantile(sorted, POSTERIOR, 0.05));
        const double high = fmax(best[i], quantile(sorted, POSTERIOR, 0.95));
        f->best = gr_calibration_value(f, best[i]), f->low = gr_calibration_value(f, low),
        f->high = gr_calibration_value(f, high);
        f->determined = high - low < 0.6 && best[i] > 0.01 && best[i] < 0.99;
        for (int j = 0; j < n; j++) {
            const double vi = both[i][i] - mean[i] * mean[i], vj = both[j][j] - mean[j] * mean[j];
            c->correlation[i][j] = vi > 0 && vj > 0 ? (both[i][j] - mean[i] * mean[j]) / sqrt(vi * vj) : 0;
        }
    }
    gr_free(at);
    gr_free(weight);
    gr_free(sorted);
    return GR_OK;
}

/// A run with the best parameters in a bed that the search has not seen.
static GrStatus check_best(GrCalibration *c, const double *best, GrErrorLog *log)
{
    double answer[GR_CALIBRATION_ANSWERS] = {0}, t[GR_CALIBRATION_TERMS] = {0};
    const GrStatus status = run_at(c, best, c->run_count + 1, answer, true, log);
    terms_at(c->free_count, best, t);
    for (int a = 0; a < c->answer_count && status == GR_OK; a++) {
        GrCalibrationAnswer *out = &c->answers[a];
        out->checked = answer[a];
        for (int i = 0; i < gr_calibration_terms(c->free_count); i++) {
            out->surface += out->term[i] * t[i];
        }
        const double off = (out->surface - out->measured) / hypot(out->error, out->scatter);
        c->misfit += off * off / c->answer_count;
    }
    return status;
}

GrStatus gr_calibration_run(GrCalibration *c, GrErrorLog *log)
{
    double best[GR_CALIBRATION_FREE] = {0};
    c->all = gr_calloc((size_t)c->run_count, sizeof *c->all);
    if (c->all == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = run_all(c, log);
    status = status == GR_OK ? fit_surfaces(c, log) : status;
    status = status == GR_OK ? find_best(c, best, log) : status;
    status = status == GR_OK ? find_intervals(c, best, log) : status;
    return status == GR_OK ? check_best(c, best, log) : status;
}
