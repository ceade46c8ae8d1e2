#include "run_check.h"

#include <math.h>

bool gr_run_checks_pass(const GrRunChecks *checks)
{
    const GrHalfStep *c = &checks->convergence;
    const GrReference *r = &checks->reference;
    if (isinf(checks->limit)) {
        return true;
    }
    return (!checks->has_convergence || (c->worst <= checks->limit && c->outcome == c->half_outcome)) &&
           (!checks->has_reference || (r->worst <= checks->limit && r->outcome == r->reference_outcome));
}

static void put_rows(GrJson *json, const GrConvergence *rows, int count, const char *other)
{
    gr_json_begin_array(json, "rows");
    for (int i = 0; i < count; i++) {
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "quantity", rows[i].quantity);
        gr_json_string(json, "unit", rows[i].unit);
        gr_json_number(json, "value", rows[i].value);
        gr_json_number(json, other, rows[i].half);
        gr_json_number(json, "change", rows[i].change);
        gr_json_number(json, "scale", rows[i].scale);
        gr_json_bool(json, "event", rows[i].event);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_convergence(GrJson *json, const GrHalfStep *c)
{
    gr_json_begin_object(json, "convergence");
    gr_json_string(json, "outcome", gr_outcome_name(c->outcome));
    gr_json_string(json, "half_outcome", gr_outcome_name(c->half_outcome));
    gr_json_number(json, "worst_change", c->worst);
    put_rows(json, c->rows, GR_CONVERGENCE_COUNT, "half");
    gr_json_end(json);
}

static void put_reference(GrJson *json, const GrReference *r)
{
    gr_json_begin_object(json, "reference");
    gr_json_string(json, "integrator", r->is_cvode ? "cvode" : "step / 8");
    gr_json_string(json, "outcome", gr_outcome_name(r->outcome));
    gr_json_string(json, "reference_outcome", gr_outcome_name(r->reference_outcome));
    gr_json_number(json, "time_s", r->time);
    gr_json_number(json, "distance_m", r->distance);
    gr_json_number(json, "worst_change", r->worst);
    put_rows(json, r->rows, GR_REFERENCE_COUNT, "reference");
    gr_json_end(json);
}

void gr_run_checks_put(const void *context, GrJson *json)
{
    const GrRunChecks *checks = context;
    if (!checks->has_convergence && !checks->has_reference) {
        return;
    }
    gr_json_begin_object(json, "check");
    gr_json_number(json, "limit_percent", 100 * checks->limit); // null: none
    if (isinf(checks->limit)) {
        gr_json_null(json, "pass");
    } else {
        gr_json_bool(json, "pass", gr_run_checks_pass(checks));
    }
    if (checks->has_convergence) {
        put_convergence(json, &checks->convergence);
    }
    if (checks->has_reference) {
        put_reference(json, &checks->reference);
    }
    gr_json_end(json);
}
