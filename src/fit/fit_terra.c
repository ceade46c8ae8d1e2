#include "fit_terra.h"

#include "elementary.h"
#include "fit_problem.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLES = GR_TERRA_LEGS * GR_TERRA_SAMPLES,
    SCM_STEPS = 200, ///< of the radius rolled
    TERRA_STEPS = 50,
};

static const double ROLLING_SLIP = 0.1;
static const double LEG_RADII[GR_TERRA_LEGS] = {3, 6, 5}; // distance rolled, in radii

/// Parameters of the search and their bounds: stiffness of static sinkage, and rates of digging and refilling.
static const struct {
    const char *name;
    double lower, upper;
    bool logarithmic;
} FREE[GR_TERRA_PARAMS] = {{"k_phi", 1e3, 1e10, true},
                           {"n0", 0.3, 2, false},
                           {"terra_in", 1e-3, 3, true},
                           {"terra_out", 0.01, 30, true},
                           {"terra_limit", 0.05, 2, true}};

static void make_legs(const GrRigDef *rig, const GrTerraRun *run, GrRigLeg legs[GR_TERRA_LEGS])
{
    const double slips[GR_TERRA_LEGS] = {ROLLING_SLIP, run->slip, run->then > 0 ? run->then : ROLLING_SLIP};
    for (int i = 0; i < GR_TERRA_LEGS; i++) {
        legs[i] = (GrRigLeg){slips[i], LEG_RADII[i] * rig->wheel.radius};
    }
}

/// The first window that is compared. A wheel placed on level ground stands on soil in front of and behind its axle,
/// but the load in TerRA only includes soil in front. Both can be compared once the wheel has left its initial imprint,
/// of length 2 rθ1, behind. What is left out depends on the contact's length, not on the errors.
static int first_window(const GrRigDef *rig, const double *scm)
{
    const double r = rig->wheel.radius, sinkage = fmin(scm[GR_TERRA_SAMPLES - 1], r),
                 print = 2 * gr_acos(1 - sinkage / r);
    const double window = (1 - ROLLING_SLIP) * LEG_RADII[0] / GR_TERRA_SAMPLES; // both in radii
    return (int)fmin(GR_TERRA_SAMPLES - 1, ceil(print / window));
}

static GrStatus run_law(const GrRigDef *base, const GrSoilDef *soil, GrSoilLaw law, const GrTerraRun *run, double *out,
                        GrErrorLog *log)
{
    GrRigDef def = *base;
    GrRig rig;
    GrRigLeg legs[GR_TERRA_LEGS];
    def.soil = *soil;
    def.soil.law = law;
    def.load = run->load;
    def.dynamic = true;
    make_legs(base, run, legs);
    const GrStatus status = gr_rig_make(&def, &rig, log);
    if (status != GR_OK) {
        return status;
    }
    return gr_soil_law_on_grid(law) ? gr_rig_history_scm(&rig, legs, GR_TERRA_LEGS, GR_TERRA_SAMPLES, SCM_STEPS, out)
                                    : gr_rig_history(&rig, legs, GR_TERRA_LEGS, GR_TERRA_SAMPLES, TERRA_STEPS, out);
}

/// Square of the root mean fourth power of the relative differences over the used runs, so that the worst windows weigh
/// most. Large for a soil that cannot carry the wheel.
static double cost(void *context, const GrSoilDef *soil)
{
    GrTerraFitDef *def = context;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < def->run_count; i++) {
        const GrTerraRun *run = &def->runs[i];
        double terra[SAMPLES];
        if (run->held) {
            continue;
        }
        if (run_law(&def->rig, soil, GR_SOIL_TERRA, run, terra, NULL) != GR_OK) {
            return 100;
        }
        for (int k = run->first; k < SAMPLES; k++) {
            const double off = terra[k] / run->scm[k] - 1;
            sum += gr_pow(off, 4);
            count++;
        }
    }
    return count > 0 && isfinite(sum) ? sqrt(sum / count) : 100;
}

/// Errors of every run with a soil; means and maxima over those used and those held back.
static GrStatus compare(GrTerraFitDef *def, const GrSoilDef *soil, double mean[2], double largest[2], GrErrorLog *log)
{
    int count[2] = {0, 0};
    mean[0] = mean[1] = largest[0] = largest[1] = 0;
    for (int i = 0; i < def->run_count; i++) {
        GrTerraRun *run = &def->runs[i];
        const GrStatus status = run_law(&def->rig, soil, GR_SOIL_TERRA, run, run->terra, log);
        if (status != GR_OK) {
            return status;
        }
        run->mean_error = run->largest_error = 0;
        for (int k = run->first; k < SAMPLES; k++) {
            const double off = fabs(run->terra[k] / run->scm[k] - 1);
            run->mean_error += off / (SAMPLES - run->first);
            run->largest_error = off > run->largest_error ? off : run->largest_error;
        }
        mean[run->held] += run->mean_error;
        largest[run->held] = fmax(largest[run->held], run->largest_error);
        count[run->held]++;
    }
    for (int k = 0; k < 2; k++) {
        mean[k] = count[k] > 0 ? mean[k] / count[k] : (double)NAN;
        largest[k] = count[k] > 0 ? largest[k] : (double)NAN;
    }
    return GR_OK;
}

static GrStatus run_grid(GrTerraFitDef *def, GrErrorLog *log)
{
    for (int i = 0; i < def->run_count; i++) {
        GrTerraRun *run = &def->runs[i];
        const GrStatus status = run_law(&def->rig, &def->rig.soil, GR_SOIL_SCM, run, run->scm, log);
        if (status != GR_OK) {
            return status;
        }
        run->first = first_window(&def->rig, run->scm);
        if (def->progress != NULL) {
            def->progress(def->context, i + 1, 3.0 * def->run_count);
        }
    }
    return GR_OK;
}

GrStatus gr_terra_compare(GrTerraFitDef *def, const GrSoilDef *soil, double *largest, GrErrorLog *log)
{
    double mean[2], most[2] = {NAN, NAN};
    GrStatus status = run_grid(def, log);
    status = status == GR_OK ? compare(def, soil, mean, most, log) : status;
    *largest = fmax(most[0], most[1]); // fmax() ignores the NAN of a kind without runs
    return status;
}

static GrStatus search(GrTerraFitDef *def, GrTerraFit *out, GrErrorLog *log)
{
    GrFitDef fit = gr_default_fit_def();
    GrFitProblem problem = {.def = &fit};
    double u[GR_FIT_PARAMS] = {0};
    fit.rig = def->rig;
    fit.cost = cost;
    fit.cost_context = def;
    fit.param_count = GR_TERRA_PARAMS;
    for (int i = 0; i < GR_TERRA_PARAMS; i++) {
        const GrStatus found = gr_fit_param_find(FREE[i].name, &fit.params[i], log);
        if (found != GR_OK) {
            return found;
        }
        fit.params[i].lower = FREE[i].lower;
        fit.params[i].upper = FREE[i].upper;
        fit.params[i].logarithmic = FREE[i].logarithmic;
    }
    gr_fit_coordinates(&fit, &def->rig.soil, u);
    const GrStatus status = gr_fit_search(&problem, false, u, log);
    out->soil = gr_fit_soil_at(&fit, u);
    out->soil.law = GR_SOIL_TERRA;
    out->evaluations = problem.evaluations;
    for (int i = 0; i < GR_TERRA_PARAMS; i++) {
        out->names[i] = FREE[i].name;
        out->value[i] = gr_fit_value_at(&fit.params[i], u[i]);
        out->at_bound[i] = u[i] < 1e-6 || u[i] > 1 - 1e-6;
    }
    return status;
}

GrStatus gr_fit_terra(GrTerraFitDef *def, GrTerraFit *out, GrErrorLog *log)
{
    double mean[2], largest[2];
    memset(out, 0, sizeof *out);
    GrStatus status = run_grid(def, log);
    status = status == GR_OK ? compare(def, &def->rig.soil, mean, largest, log) : status;
    if (status != GR_OK) {
        return status;
    }
    out->start_error = mean[0];
    status = search(def, out, log);
    status = status == GR_OK ? compare(def, &out->soil, mean, largest, log) : status;
    out->fit_error = mean[0];
    out->held_error = mean[1];
    out->fit_largest = largest[0];
    out->held_largest = largest[1];
    return status;
}
