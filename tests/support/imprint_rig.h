/// A wheel of default size that presses a grid of ruts of its own.
#ifndef GR_TEST_IMPRINT_RIG_H
#define GR_TEST_IMPRINT_RIG_H

#include "furrow.h"
#include "ruts.h"
#include "support/soil_test.h"

#include <stdlib.h>
#include <string.h>

typedef struct Rig {
    GrScmBody body;
    GrRuts *ruts;
    GrScmLedger ledger;
    GrRutTrack track;
    GrImprint imprint;
} Rig;

static inline GrRuts *rig_ruts(double cell)
{
    GrRutsDef def = gr_default_ruts_def();
    def.cell = cell;
    def.state_count = GR_SCM_STATES;
    def.tile_capacity = 400;
    GrRuts *ruts = NULL;
    gr_ruts_create(&def, &ruts, NULL);
    return ruts;
}

static inline void rig_make(Rig *r, double cell, bool flow)
{
    const GrSoilDef soil = ishigami();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    memset(r, 0, sizeof *r);
    r->ruts = rig_ruts(cell);
    assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, cell, &r->body, NULL), GR_OK);
    r->body.flow = flow;
    r->imprint = (GrImprint){.body = &r->body,
                             .ruts = r->ruts,
                             .scratch = gr_scm_scratch_create(&r->body),
                             .nodes = gr_scm_nodes_create(r->body.node_max),
                             .ledger = &r->ledger};
}

static inline void rig_free(Rig *r)
{
    gr_scm_scratch_free(r->imprint.scratch);
    gr_scm_nodes_free(&r->imprint.nodes);
    gr_ruts_free(r->ruts);
}

#endif
