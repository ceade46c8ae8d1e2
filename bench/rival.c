#include "rival.h"

#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
    const char *name;
    int solver;
} SOLVERS[] = {{"Newton", mjSOL_NEWTON}, {"CG", mjSOL_CG}, {"PGS", mjSOL_PGS}};

static const struct {
    const char *name;
    int jacobian;
} JACOBIANS[] = {{"dense", mjJAC_DENSE}, {"sparse", mjJAC_SPARSE}};

static const char *const INTEGRATORS[] = {
    "Euler",
    "implicit",
#if mjVERSION_HEADER >= 233
    "implicitfast",
#endif
};

static void stop(const char *text)
{
    fprintf(stderr, "error: %s\n", text);
    exit(1);
}

static mjModel *load(const GrRoverDef *rover, const GrMjcf *options)
{
    char path[] = "/tmp/grouser-bench-XXXXXX", error[500] = "";
    const int file = mkstemp(path);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out == NULL) {
        stop("no temporary file");
    }
    gr_mjcf_write(out, rover, options);
    fclose(out);
    mjModel *model = mj_loadXML(path, NULL, error, sizeof error);
    unlink(path);
    if (model == NULL) {
        stop(error);
    }
    return model;
}

/// Islands cost time where all of a model is one; from 3.3.6 on they are the default.
static void leave_islands(mjModel *m)
{
#if mjVERSION_HEADER >= 336
    m->opt.disableflags |= mjDSBL_ISLAND;
#else
    (void)m;
#endif
}

static bool is_good(const mjData *d)
{
    return d->warning[mjWARN_BADQPOS].number == 0 && d->warning[mjWARN_BADQVEL].number == 0 &&
           d->warning[mjWARN_BADQACC].number == 0;
}

/// Processor time of a step, the fastest of five blocks; negative: the run failed.
static double time_of(const mjModel *m, mjData *d, const GrRivalUse *use)
{
    double fastest = 1e300;
    for (int k = 0; k < 5; k++) {
        mj_resetData(m, d);
        use->start(m, d);
        for (int i = 0; i < use->warm_up; i++) {
            mj_step(m, d);
        }
        const double begin = gr_thread_time();
        for (int i = 0; i < use->steps; i++) {
            mj_step(m, d);
        }
        const double seconds = (gr_thread_time() - begin) / use->steps;
        fastest = seconds < fastest ? seconds : fastest;
    }
    return is_good(d) ? fastest : -1;
}

/// Tries the solvers and Jacobians of one integrator.
static void try_settings(const GrRoverDef *rover, const GrRivalUse *use, const char *integrator, GrRival *best)
{
    GrMjcf options = use->mjcf;
    options.integrator = integrator;
    for (unsigned k = 0; k < sizeof SOLVERS / sizeof SOLVERS[0]; k++) {
        for (unsigned j = 0; j < sizeof JACOBIANS / sizeof JACOBIANS[0]; j++) {
            GrRival one = {.model = load(rover, &options)};
            one.model->opt.solver = SOLVERS[k].solver;
            one.model->opt.jacobian = JACOBIANS[j].jacobian;
            leave_islands(one.model);
            if (use->prepare != NULL) {
                use->prepare(one.model);
            }
            one.data = mj_makeData(one.model);
            one.seconds = time_of(one.model, one.data, use);
            snprintf(one.setting, sizeof one.setting, "%s, %s, %s", integrator, SOLVERS[k].name, JACOBIANS[j].name);
            const bool better = one.seconds > 0 && (best->model == NULL || one.seconds < best->seconds);
            gr_rival_free(better ? best : &one);
            *best = better ? one : *best;
        }
    }
}

GrRival gr_rival_fastest(const GrRoverDef *rover, const GrRivalUse *use)
{
    GrRival best = {.model = NULL};
    for (unsigned i = 0; i < sizeof INTEGRATORS / sizeof INTEGRATORS[0] && use->mjcf.integrator == NULL; i++) {
        try_settings(rover, use, INTEGRATORS[i], &best);
    }
    if (use->mjcf.integrator != NULL) {
        try_settings(rover, use, use->mjcf.integrator, &best);
    }
    if (best.model == NULL) {
        stop("MuJoCo runs the rover in no setting");
    }
    return best;
}

void gr_rival_free(GrRival *rival)
{
    if (rival->model != NULL) {
        mj_deleteData(rival->data);
        mj_deleteModel(rival->model);
        rival->model = NULL;
    }
}
