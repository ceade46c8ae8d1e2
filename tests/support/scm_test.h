/// What the tests of SCM share: a body with its ruts, its nodes and its ledger.
#ifndef GR_SCM_TEST_H
#define GR_SCM_TEST_H

#include "scm.h"
#include "support/scm_mesh.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE 0.017453292519943295

/// One body on its ground. Start with scm_begin(), end with scm_end().
typedef struct Scm {
    GrScmBody body;
    GrScmScratch *scratch;
    GrScmNodes old, next;
    GrRuts *ruts; ///< may be shared by several
    bool owns_ruts;
    GrScmLedger ledger;
    GrScmOutput out;
} Scm;

static inline GrRuts *scm_ruts(double cell)
{
    GrRutsDef def = gr_default_ruts_def();
    def.cell = cell;
    def.state_count = GR_SCM_STATES;
    def.tile_capacity = 256;
    GrRuts *ruts = NULL;
    assert_int_equal(gr_ruts_create(&def, &ruts, NULL), GR_OK);
    return ruts;
}

static inline void scm_begin(Scm *s, const GrScmBody *body, GrRuts *shared)
{
    *s = (Scm){.body = *body, .ruts = shared, .owns_ruts = shared == NULL};
    if (shared == NULL) {
        s->ruts = scm_ruts(body->cell);
    }
    s->scratch = gr_scm_scratch_create(body);
    s->old = gr_scm_nodes_create(body->node_max);
    s->next = gr_scm_nodes_create(body->node_max);
    assert_non_null(s->scratch);
    assert_non_null(s->old.block);
    assert_non_null(s->next.block);
}

static inline void scm_end(Scm *s)
{
    gr_scm_scratch_free(s->scratch);
    gr_scm_nodes_free(&s->old);
    gr_scm_nodes_free(&s->next);
    if (s->owns_ruts) {
        gr_ruts_free(s->ruts);
    }
}

static inline const GrScmOutput *scm_evaluate(Scm *s, const GrScmPose *pose, double dt)
{
    gr_scm_evaluate(&s->body, s->ruts, pose, dt, &s->old, s->scratch, &s->next, &s->out);
    return &s->out;
}

/// Evaluates and commits.
static inline const GrScmOutput *scm_step(Scm *s, const GrScmPose *pose, double dt)
{
    scm_evaluate(s, pose, dt);
    assert_int_equal(gr_ruts_reserve(s->ruts, gr_scm_tiles(&s->body)), GR_OK);
    const double lowered = gr_scm_commit(&s->body, s->ruts, &s->next, &s->ledger);
    gr_scm_flow(&s->body, s->ruts, pose, dt, &s->next, lowered, s->out.dug, s->scratch, &s->ledger);
    const GrScmNodes old = s->old;
    s->old = s->next;
    s->next = old;
    return &s->out;
}

static inline GrScmPose scm_pose(double x, double y, double z)
{
    return (GrScmPose){.centre = {x, y, z}, .axes = gr_mat3_identity()};
}

/// A wheel that rolls along x: rim speed and travel [m/s].
static inline GrScmPose scm_rolling(double radius, double x, double z, double rim, double travel)
{
    GrScmPose pose = scm_pose(x, 0.003, z);
    pose.velocity = gr_vec3(travel, 0, 0);
    pose.spin = gr_vec3(0, rim / radius, 0);
    return pose;
}

/// The z of the centre at which the body carries the load, by bisection between two heights.
static inline double scm_find_height(Scm *s, GrScmPose pose, double dt, double load, double low, double high)
{
    for (int k = 0; k < 60; k++) {
        pose.centre.z = 0.5 * (low + high);
        if (scm_evaluate(s, &pose, dt)->wrench[2] > load) {
            low = pose.centre.z;
        } else {
            high = pose.centre.z;
        }
    }
    return 0.5 * (low + high);
}

/// A flat ring (or disc, with inner 0) of triangles that looks down, its lower side at z = 0.
typedef struct Ring {
    GrVec3 vertices[2 * 360];
    int triangles[2 * 360][3];
    GrScmMesh mesh;
} Ring;

static inline void ring_make(Ring *r, double inner, double outer, int corners)
{
    for (int k = 0; k < corners; k++) {
        const double angle = 2 * M_PI * k / corners;
        // Of the same area as the circle.
        const double grow = sqrt(2 * M_PI / corners / sin(2 * M_PI / corners));
        r->vertices[2 * k] = gr_vec3(grow * inner * cos(angle), grow * inner * sin(angle), 0);
        r->vertices[2 * k + 1] = gr_vec3(grow * outer * cos(angle), grow * outer * sin(angle), 0);
        const int a = 2 * k, b = 2 * k + 1, next = 2 * ((k + 1) % corners), c = next, d = next + 1;
        const int first[3] = {a, c, b}, second[3] = {b, c, d};
        memcpy(r->triangles[2 * k], first, sizeof first);
        memcpy(r->triangles[2 * k + 1], second, sizeof second);
    }
    r->mesh = (GrScmMesh){r->vertices, (const int(*)[3])r->triangles, 2 * corners, 2 * corners};
}

#endif
