#include "fit_problem.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "random.h"

#include <math.h>
#include <string.h>

const char *const gr_fit_loss_names[3] = {"squared", "huber", "soft_l1"};

GrFitDef gr_default_fit_def(void)
{
    GrFitDef def = {.rig = gr_default_rig_def(), .press_weight = 1, .loss_scale = 0.1, .evaluations = 4000, .seed = 1};
    for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
        def.weights[q] = 1;
    }
    return def;
}

/// Laws on a grid cost seconds an evaluation and are searched from the initial soil only.
static GrStatus search(GrFitProblem *problem, bool global, double *u, GrErrorLog *log)
{
    const GrFitDef *def = problem->def;
    const bool descend = def->cost == NULL && (def->descend || gr_soil_law_on_grid(def->rig.soil.law));
    return descend ? gr_fit_descend(problem, u, log) : gr_fit_search(problem, global, u, log);
}

static GrStatus check(const GrFitDef *def, const GrFitProblem *problem, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (def->param_count < 1) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--free"}, "nothing is free");
    }
    for (int i = 0; i < def->param_count; i++) {
        const GrFitParam *p = &def->params[i];
        if (!(p->lower < p->upper)) {
            status =
                gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--bounds"},
                             isnan(p->lower) ? "%s has no default bounds; give --bounds %s=low:high"
                                             : "%s: the lower bound must be below the upper one (--bounds %s=low:high)",
                             p->name, p->name);
        }
    }
    if (problem->residual_count <= def->param_count) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--data"},
                              "%d measured numbers cannot determine %d parameters", problem->residual_count,
                              def->param_count);
    }
    return status;
}

/// Assigns points to folds of equal size, shuffled (Fisher & Yates).
static void deal_folds(const GrFitDef *def, int *fold)
{
    GrRandom random = gr_random_stream(def->seed, "fit folds");
    for (int i = 0; i < def->data->count; i++) {
        fold[i] = i % def->folds;
    }
    for (int i = def->data->count - 1; i > 0; i--) {
        const int j = (int)gr_random_below(&random, (uint64_t)i + 1), t = fold[i];
        fold[i] = fold[j];
        fold[j] = t;
    }
}

/// Fits without fold k, from u, and adds the squares of the errors on it.
static GrStatus fit_without(const GrFitDef *def, int k, const int *fold, const double *u, unsigned char *role,
                            GrFitResult *out, double *squares, GrErrorLog *log)
{
    GrFitProblem problem;
    GrFitErrors errors;
    double own[GR_FIT_PARAMS];
    for (int i = 0; i < def->data->count; i++) {
        role[i] = def->role[i] != GR_FIT_USED ? GR_FIT_SKIPPED : fold[i] == k ? GR_FIT_HELD : GR_FIT_USED;
    }
    memcpy(own, u, sizeof own);
    const GrStatus status =
        gr_fit_problem_make(def, role, &problem) ? search(&problem, false, own, log) : gr_out_of_memory(log, NULL);
    gr_fit_problem_free(&problem);
    const GrSoilDef soil = gr_fit_soil_at(def, own);
    gr_fit_errors(def, &soil, role, GR_FIT_HELD, &errors);
    out->crossed.missing += errors.missing;
    out->evaluations += problem.evaluations;
    for (int q = 0; q < GR_QUANTITIES; q++) {
        squares[q] += errors.count[q] > 0 ? errors.rms[q] * errors.rms[q] * errors.count[q] : 0;
        out->crossed.count[q] += errors.count[q];
    }
    return status;
}

/// Each point predicted by a fit to the other folds, which starts from the fit to all.
static GrStatus cross_validate(const GrFitDef *def, const double *u, GrFitResult *out, GrErrorLog *log)
{
    double squares[GR_QUANTITIES] = {0};
    const size_t count = (size_t)def->data->count;
    int *fold = gr_malloc(count * sizeof *fold + 1);
    unsigned char *role = gr_malloc(count + 1);
    GrStatus status = GR_ERROR_MEMORY;
    if (fold != NULL && role != NULL) {
        status = GR_OK;
        deal_folds(def, fold);
        for (int k = 0; k < def->folds && status == GR_OK; k++) {
            status = fit_without(def, k, fold, u, role, out, squares, log);
        }
    } else {
        gr_out_of_memory(log, NULL);
    }
    for (int q = 0; q < GR_QUANTITIES; q++) {
        out->crossed.rms[q] = out->crossed.count[q] > 0 ? sqrt(squares[q] / out->crossed.count[q]) : (double)NAN;
    }
    gr_free(fold);
    gr_free(role);
    return status;
}

/// Runs the search and fills the result except for the cross-validation; u is the optimum.
static GrStatus fit_all(const GrFitDef *def, GrFitProblem *problem, double *u, GrFitResult *out, GrErrorLog *log)
{
    gr_fit_coordinates(def, &def->rig.soil, u);
    gr_fit_errors(def, &def->rig.soil, def->role, GR_FIT_USED, &out->start);
    out->start_cost = gr_fit_cost(problem, u);
    const GrStatus status = search(problem, def->evaluations > 0, u, log);
    if (status != GR_OK) {
        return status;
    }
    out->soil = gr_fit_soil_at(def, u);
    out->cost = gr_fit_cost(problem, u);
    out->residual_count = problem->residual_count;
    for (int i = 0; i < def->param_count; i++) {
        out->value[i] = gr_fit_value_at(&def->params[i], u[i]);
    }
    gr_fit_errors(def, &out->soil, def->role, GR_FIT_USED, &out->fit);
    gr_fit_errors(def, &out->soil, def->role, GR_FIT_HELD, &out->held);
    return gr_fit_confidence(problem, u, out, log);
}

GrStatus gr_fit_soil(const GrFitDef *def, GrFitResult *out, GrErrorLog *log)
{
    GrFitProblem problem;
    double u[GR_FIT_PARAMS] = {0};
    memset(out, 0, sizeof *out);
    if (!gr_fit_problem_make(def, def->role, &problem)) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = check(def, &problem, log);
    if (status == GR_OK) {
        status = fit_all(def, &problem, u, out, log);
    }
    out->evaluations = problem.evaluations;
    gr_fit_problem_free(&problem);
    if (status == GR_OK && def->folds > 1) {
        status = cross_validate(def, u, out, log);
    }
    return status;
}
