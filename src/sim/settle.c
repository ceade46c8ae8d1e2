#include "data.h"

#include "equilibrium.h"

#include <stdlib.h>

/// The ground under a wheel depends on its sinkage: each time that it is found again it changes by less.
enum { REFINEMENTS = 3 };

GrStatus gr_settle(const GrModel *m, GrData *d, GrEquilibrium *info, GrErrorLog *log)
{
    double *scratch = malloc(sizeof(double) * gr_tree_equilibrium_scratch(&m->tree));
    if (scratch == NULL) {
        return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "out of memory");
    }
    GrForceBridge bridge = {m, d};
    const GrForceField field = gr_data_field(&bridge);
    GrRest rest;
    gr_contact_begin_settling(m, d);
    const GrStatus status = gr_tree_equilibrium(&m->tree, &d->tree, &field, scratch, &rest);
    for (int i = 0; i < REFINEMENTS && status == GR_OK && gr_contact_refine_settling(m, d); i++) {
        GrRest again; // where it fails the rover is still close to rest
        if (gr_tree_equilibrium(&m->tree, &d->tree, &field, scratch, &again) != GR_OK) {
            break;
        }
    }
    free(scratch);
    gr_contact_end_settling(m, d);
    if (info != NULL) {
        *info = (GrEquilibrium){rest.iterations, rest.residual};
    }
    if (status != GR_OK) {
        gr_error_add(log, status, (GrLocation){0},
                     "no equilibrium found in %d iterations: the largest unbalanced force is %g of the weight",
                     rest.iterations, rest.residual);
    }
    return status;
}
