#include "compact.h"

#include "elementary.h"

#include <math.h>

/// p(z) under a strip of the wheel's width, and its derivative.
static double strip_pressure(const GrSoilWheel *w, double z, double *by_depth)
{
    double p = 0;
    *by_depth = 0;
    for (int k = 0; k < w->term_count; k++) {
        const double n = w->terms[k].exponent,
                     part = gr_exp(w->terms[k].log_pressure + n * (gr_log(z) - w->log_length));
        p += part;
        *by_depth += n * part / z;
    }
    return p;
}

double gr_compact_gain(const GrSoilWheel *w, double compacted, double sinkage, double *by_sinkage)
{
    const double n = w->compaction, rho = w->soil.rebound, knee = rho * compacted / (1 - rho);
    const double h = fmax(sinkage, knee);
    if (w->term_count > 1) {
        double all_h, new_h;
        const double all = strip_pressure(w, compacted + h, &all_h), new = strip_pressure(w, h, &new_h);
        *by_sinkage = sinkage > knee ? all_h / all - new_h / new : 0;
        return all / new;
    }
    *by_sinkage = sinkage > knee ? -n * compacted / (h * (compacted + h)) : 0;
    return gr_pow((compacted + h) / h, n);
}

static GrSoilWheel firm_soil(const GrSoilWheel *w, double compacted, double sinkage, double *by_sinkage)
{
    const double gain = gr_compact_gain(w, compacted, sinkage, by_sinkage);
    GrSoilWheel firm = *w;
    firm.pressure *= gain;
    firm.log_pressure += gr_log(gain);
    for (int k = 0; k < firm.term_count; k++) {
        firm.terms[k].log_pressure += gr_log(gain);
    }
    firm.soil.stiffness *= gain;
    return firm;
}

void gr_compact_evaluate(const GrSoilWheel *w, double compacted, const GrSoilMotion *motion, double dt,
                         const double *old_state, double *new_state, GrSoilOutput *out)
{
    double deepest = 0, by_sinkage;
    for (int k = 0; k < w->slices; k++) {
        deepest = fmax(deepest, motion->sinkage[k]);
    }
    if (!(compacted > 0) || !(deepest > 0)) {
        gr_soil_evaluate(w, motion, dt, old_state, new_state, out);
        return;
    }
    const GrSoilWheel firm = firm_soil(w, compacted, deepest, &by_sinkage);
    gr_soil_evaluate(&firm, motion, dt, old_state, new_state, out);
    out->d_sinkage[2] += by_sinkage * out->wrench[2];
}

bool gr_compact_turns(const GrSoilWheel *w, double compacted, double from, double sinkage, double dt,
                      const double *old_state, double end, double *rate)
{
    double by_sinkage;
    if (!w->unloads || !(compacted > 0) || !(sinkage > 0)) {
        return gr_soil_turns(w, from, sinkage, dt, old_state, end, rate);
    }
    const GrSoilWheel firm = firm_soil(w, compacted, sinkage, &by_sinkage);
    return gr_soil_turns(&firm, from, sinkage, dt, old_state, end, rate);
}
