/// What the sources of the step call and a GPU does not have: the C library, memory, files, grounds that
/// gr_lanes_open() refuses, and calls through pointers (device_call.h). No run that comes to a GPU reaches those that
/// trap.
#include "check.h"
#include "contact_law.h"
#include "device_call.h"
#include "forces.h"
#include "grain_bodies.h"
#include "grounds.h"
#include "integrator.h"
#include "law.h"
#include "manifold.h"
#include "mission_data.h"
#include "number.h"
#include "out_of_memory.h"
#include "patch.h"
#include "rates.h"
#include "rut_ground.h"
#include "ruts.h"
#include "stones.h"
#include "world.h"

#include <stdint.h>
#include <string.h>

// ---- the C library

/// IEEE remainder: exact, so that every right way has the same bits. |x| is at most some turns.
double remainder(double x, double y)
{
    double left = fabs(x);
    const double by = fabs(y);
    bool odd = false;
    int twice = 0;
    double most = by;
    for (; most <= 0.5 * left; twice++) {
        most *= 2;
    }
    for (; twice >= 0; twice--) {
        odd = left >= most;
        left -= odd ? most : 0;
        most *= 0.5;
    }
    if (left > 0.5 * by || (left == 0.5 * by && odd)) {
        left -= by;
    }
    return x < 0 ? -left : left;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *p = a, *q = b;
    for (size_t i = 0; i < size; i++) {
        if (p[i] != q[i]) {
            return p[i] < q[i] ? -1 : 1;
        }
    }
    return 0;
}

// ---- the host takes care of these

void gr_mission_explain(GrMission *mission) // from the numbers, when the run is back
{
    (void)mission;
}

GrStatus gr_mission_load_around(GrMission *mission, double x, double y, GrErrorLog *log) // all is loaded
{
    (void)mission, (void)x, (void)y, (void)log;
    return GR_OK;
}

double gr_rut_compaction(const GrModel *m, const GrData *d, int wheel, GrVec3 point, GrVec3 across) // no ruts
{
    (void)m, (void)d, (void)wheel, (void)point, (void)across;
    return 0;
}

double gr_stones_reach(const GrModel *m)
{
    (void)m;
    return 0;
}

void gr_mission_supply_step(GrMission *mission, double dt)
{
    (void)mission, (void)dt;
}

int gr_print(char *out, size_t size, const char *format, ...)
{
    (void)out, (void)size, (void)format;
    return 0;
}

GrStatus gr_out_of_memory(GrErrorLog *log, const char *file)
{
    (void)log, (void)file;
    return GR_ERROR_MEMORY;
}

GrStatus gr_error_add(GrErrorLog *log, GrStatus status, GrLocation at, const char *format, ...)
{
    (void)log, (void)at, (void)format;
    return status;
}

// ---- what runs on a GPU have none of

void gr_check_failed(const char *expression, const char *file, int line)
{
    (void)expression, (void)file, (void)line;
    __builtin_trap();
}

GrStatus gr_data_mark(const GrModel *m, GrData *kept, GrData *d) // steps by their error
{
    (void)m, (void)kept, (void)d;
    __builtin_trap();
}

GrStatus gr_data_return(const GrModel *m, GrData *d, const GrData *kept)
{
    (void)m, (void)d, (void)kept;
    __builtin_trap();
}

void gr_soil_rates(const GrSoilWheel *w, double compacted, const GrSoilMotion *motion, GrSoilFlow *flow,
                   GrSoilOutput *out) // contact units
{
    (void)w, (void)compacted, (void)motion, (void)flow, (void)out;
    __builtin_trap();
}

GrSlope gr_ruts_slope(const GrRuts *ruts, double x, double y)
{
    (void)ruts, (void)x, (void)y;
    __builtin_trap();
}

GrGroundAround gr_furrow_around(const GrFurrow *furrow)
{
    (void)furrow;
    __builtin_trap();
}

void gr_manifold(const GrPlacedConvex *a, const GrPlacedConvex *b, bool likely, GrManifold *out) // bodies that touch
{
    (void)a, (void)b, (void)likely, (void)out;
    __builtin_trap();
}

void gr_soft_patch(const GrSoftGround *soft, const GrRigidGround *ground, const GrPlacedConvex *p, double sunk,
                   GrSoftPatch *out) // loose rocks
{
    (void)soft, (void)ground, (void)p, (void)sunk, (void)out;
    __builtin_trap();
}

GrStatus gr_rigid_condense(const GrRigidWorld *w, GrRigidState *s, double dt, GrRigidLoad *loads)
{
    (void)w, (void)s, (void)dt, (void)loads;
    return GR_OK;
}

GrStatus gr_rigid_solve_loose(const GrRigidWorld *w, GrRigidState *s, double dt)
{
    (void)w, (void)s, (void)dt;
    return GR_OK;
}

const GrLateShape *gr_rigid_make_shape(const GrRigidWorld *w, int item) // rocks that are made when something is near
{
    (void)w, (void)item;
    __builtin_trap();
}

void gr_bounds_tree_build(GrBoundsNode *nodes, int *items, int count, const GrBounds *bounds) // of what sleeps
{
    (void)nodes, (void)items, (void)count, (void)bounds; // it calls itself, and a GPU would not know how deep
}

double gr_rigid_late_gap(const GrRigidWorld *w, const GrBounds *box, double most)
{
    (void)w, (void)box;
    return most;
}

const GrLaw gr_law_scm = {.name = "scm", .traits = GR_LAW_ANY | GR_LAW_GRID};

void gr_patch_user(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    (void)w, (void)in, (void)old, (void)next, (void)out;
    __builtin_trap();
}

// ---- calls through pointers

bool gr_call_height(bool (*height)(const void *, double, double, double *, GrVec3 *), const void *context, double x,
                    double y, double *z, GrVec3 *normal)
{
    if (GR_POINTS_TO(height, gr_height_of_terrain)) {
        return gr_height_of_terrain(context, x, y, z, normal);
    }
    return GR_POINTS_TO(height, gr_height_of_soil) ? gr_height_of_soil(context, x, y, z, normal)
                                                   : gr_height_of_plane(context, x, y, z, normal);
}

bool gr_call_view(bool (*height)(const void *, double, double, double *, GrVec3 *), const void *context, double x,
                  double y, double *z, GrVec3 *normal)
{
    (void)height;
    return gr_height_of_view(context, x, y, z, normal);
}

int gr_call_material(int (*material)(const void *, double, double), const void *context, double x, double y)
{
    (void)material, (void)context, (void)x, (void)y;
    __builtin_trap();
}

bool gr_call_soils(GrSoilAtFn soils, const void *context, double x, double y, GrSoilMix *mix)
{
    (void)soils;
    return gr_soils_of_map(context, x, y, mix);
}

void gr_call_evaluate(void (*evaluate)(void *, const GrTree *, GrTreeData *, double), void *context, const GrTree *t,
                      GrTreeData *d, double dt)
{
    (void)evaluate;
    gr_field_evaluate(context, t, d, dt);
}

bool gr_call_revise(bool (*revise)(void *, const GrTree *, GrTreeData *, double), void *context, const GrTree *t,
                    GrTreeData *d, double dt)
{
    (void)revise;
    return gr_field_revise(context, t, d, dt);
}

void gr_call_force(GrForceFn force, void *context, const GrModel *m, GrData *d, double dt)
{
    (void)force;
    gr_mission_pull_force(context, m, d, dt);
}

bool gr_call_revise_force(GrReviseFn revise, void *context, const GrModel *m, GrData *d, double dt)
{
    (void)revise, (void)context, (void)m, (void)d, (void)dt;
    __builtin_trap();
}

GrStatus gr_call_step(GrStatus (*step)(const GrTree *, GrTreeData *, const GrForceField *, double, GrIntegratorWork *),
                      const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work)
{
    if (GR_POINTS_TO(step, gr_step_euler)) {
        return gr_step_euler(t, d, field, dt, work);
    }
    return GR_POINTS_TO(step, gr_step_beeman) ? gr_step_beeman(t, d, field, dt, work)
                                              : gr_step_linear(t, d, field, dt, work);
}

void gr_call_leave(void (*leave)(const GrModel *, GrData *, int), const GrModel *m, GrData *d, int wheel)
{
    (void)leave;
    gr_patch_ground.leave(m, d, wheel);
}

void gr_call_wheel(void (*wheel)(const GrModel *, GrData *, int, const GrWheelPlace *, const GrGroundQuery *),
                   const GrModel *m, GrData *d, int i, const GrWheelPlace *place, const GrGroundQuery *query)
{
    (void)wheel;
    gr_patch_ground.wheel(m, d, i, place, query);
}

GrSliderForce gr_call_slider(GrSliderLaw law, const GrSlider *s, double dt)
{
    if (GR_POINTS_TO(law, gr_slider_spring)) {
        return gr_slider_spring(s, dt);
    }
    if (GR_POINTS_TO(law, gr_slider_tanh)) {
        return gr_slider_tanh(s, dt);
    }
    return GR_POINTS_TO(law, gr_slider_pacejka) ? gr_slider_pacejka(s, dt) : gr_slider_bengisu_akay(s, dt);
}
