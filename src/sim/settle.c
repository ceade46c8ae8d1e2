/// The rest of a rover on its ground. Soft ground is found again for the sinkages at rest, a few times.
#include "equilibrium.h"
#include "forces.h"
#include "out_of_memory.h"
#include "wheel_contact.h"

#include <stdlib.h>
#include <string.h>

/// The ground under a wheel depends on its sinkage: each time that it is found again it changes by less.
enum { REFINEMENTS = 3 };

/// Finds the ground again by the sinkages at rest, and the rest on it. A search that fails may have led the rover
/// anywhere: then the rest before it counts.
static void refine(const GrModel *m, GrData *d, const GrForceField *field, double *scratch)
{
    const size_t size = sizeof(double) * (size_t)m->tree.position_count;
    double *position = scratch + gr_tree_equilibrium_scratch(&m->tree);
    double *sinkage = position + m->tree.position_count;
    for (int i = 0; i < REFINEMENTS; i++) {
        GrRest rest;
        memcpy(position, d->tree.position, size);
        for (int k = 0; k < m->wheel_count; k++) {
            sinkage[k] = d->contact[k].rest_sinkage;
        }
        if (!gr_wheels_refine_rest(m, d)) {
            return;
        }
        if (gr_tree_equilibrium(&m->tree, &d->tree, field, scratch, &rest) != GR_OK) {
            memcpy(d->tree.position, position, size);
            for (int k = 0; k < m->wheel_count; k++) {
                d->contact[k].rest_sinkage = sinkage[k];
            }
            gr_tree_equilibrium(&m->tree, &d->tree, field, scratch, &rest); // is there: leaves the forces of this pose
            return;
        }
    }
}

GrStatus gr_settle(const GrModel *m, GrData *d, GrEquilibrium *info, GrErrorLog *log)
{
    const size_t kept = (size_t)m->tree.position_count + (size_t)m->wheel_count;
    double *scratch = malloc(sizeof(double) * (gr_tree_equilibrium_scratch(&m->tree) + kept));
    if (scratch == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrForces forces = {m, d, GR_GROUND_REST};
    const GrForceField field = gr_force_field(&forces);
    GrRest rest;
    gr_grounds_begin_rest(m, d);
    const GrStatus status = gr_tree_equilibrium(&m->tree, &d->tree, &field, scratch, &rest);
    if (status == GR_OK) {
        refine(m, d, &field, scratch);
    }
    free(scratch);
    gr_grounds_end_rest(m, d);
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
