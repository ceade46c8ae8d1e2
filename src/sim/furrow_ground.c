/// The ground around wheels of the law rft: walls and berms of ruts beside them and, where the soil says so, the heap
/// that they raise themselves (src/scm/furrow.h). It carries no load itself: patch_ground.c passes the heights on.
///
/// The wheels' own heaps are in a grid of their own, GrData::furrows, which heals behind them.
#include "rut_ground.h"

#include "furrow.h"
#include "rft_wheel.h"
#include "ruts.h"

#include <string.h>

static bool is_present(const GrModel *m)
{
    return m->sees_ruts;
}

static bool prepare(const GrModel *m, GrData *d)
{
    d->furrows = m->raises_heaps ? gr_rut_grid_create(m, GR_SCM_STATES) : NULL;
    return !m->raises_heaps || d->furrows != NULL;
}

static void release(GrData *d)
{
    gr_ruts_free(d->furrows);
}

static void clear(const GrModel *m, GrData *d)
{
    (void)m;
    if (d->furrows != NULL) {
        gr_ruts_clear(d->furrows);
    }
}

/// Twice the tiles of a step: those under the wheels, and those that ruts bring in.
static GrStatus reserve(const GrModel *m, GrData *d)
{
    int tiles = 0;
    for (int i = 0; i < m->wheel_count && d->furrows != NULL; i++) {
        tiles += gr_scm_tiles(&m->imprint_bodies[i]);
    }
    return d->furrows != NULL ? gr_rut_grid_reserve(d->furrows, 2 * tiles) : GR_OK;
}

static GrUnhealedCircle keep_of(const GrModel *m, const GrData *d, int i)
{
    const GrSoilWheel *w = &m->soil_wheels[i];
    const GrVec3 centre = gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, i));
    const double cell = m->options.surface.rut_cell;
    return (GrUnhealedCircle){centre.x / cell, centre.y / cell, gr_furrow_reach(w->radius, w->wheel.width) / cell + 2};
}

static GrFurrowMotion motion_of(const GrModel *m, const GrData *d, int i)
{
    const GrWheelContact *contact = &d->contact[i];
    const GrTwist twist = d->tree.frame[m->wheels[i].body].twist;
    const GrVec3 centre = gr_wheel_centre(m, d, i);
    return (GrFurrowMotion){.wheel = gr_rut_motion(m, d, i),
                            .velocity = gr_twist_at(twist, centre),
                            .spin = twist.ang,
                            .sinkage = contact->soil.sinkage,
                            .slip = contact->soil.slip};
}

static void advance(const GrModel *m, GrData *d, int i)
{
    const int soil = d->contact[i].soil_index;
    const GrSoilWheel *w = &m->soil_wheels[soil * m->wheel_count + i];
    const GrFurrowWheel wheel = {w->radius, w->wheel.width, w->soil.friction_angle, gr_rft_heap(&w->soil)};
    const GrFurrowMotion motion = motion_of(m, d, i);
    GrImprint imprint;
    if (d->furrows != NULL) {
        imprint = gr_rut_imprint(m, d, i);
        imprint.ruts = d->furrows;
    }
    gr_furrow_advance(&wheel, d->ruts, d->furrows != NULL ? &imprint : NULL, m->options.surface.rut_cell, &motion,
                      &d->furrow[i]);
}

static GrStatus commit(const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    for (int i = 0; i < m->wheel_count; i++) {
        advance(m, d, i);
    }
    for (int i = 0; i < m->wheel_count && d->furrows != NULL; i++) {
        d->keeps[i] = keep_of(m, d, i);
    }
    if (d->furrows != NULL) {
        gr_grid_heal(d->furrows, d->ruts, d->keeps, m->wheel_count, m->wheel_count, d);
    }
    return GR_OK;
}

static void begin_rest(const GrModel *m, GrData *d)
{
    memset(d->furrow, 0, sizeof *d->furrow * (size_t)m->wheel_count);
}

static void end_rest(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    commit(m, d, query->time);
}

/// Furrows have a few tiles.
static void copied(const GrModel *m, GrData *to, const GrData *from)
{
    (void)m;
    if (to->furrows != NULL) {
        to->ruts_status = gr_ruts_copy(to->furrows, from->furrows);
    }
}

static size_t size(const GrData *d)
{
    return d->furrows != NULL ? gr_ruts_size(d->furrows) : 0;
}

static GrStatus save(const GrData *d, void *out)
{
    return d->furrows != NULL ? gr_ruts_save(d->furrows, out) : GR_OK;
}

static GrStatus restore(GrData *d, const void *saved, size_t bytes, GrErrorLog *log)
{
    return d->furrows != NULL ? gr_rut_grid_restore(d->furrows, saved, bytes, log) : GR_OK;
}

const GrGroundInterface gr_furrow_ground = {
    .present = is_present,
    .prepare = prepare,
    .release = release,
    .clear = clear,
    .reserve = reserve,
    .commit = commit,
    .begin_rest = begin_rest,
    .end_rest = end_rest,
    .copied = copied,
    .size = size,
    .save = save,
    .restore = restore,
};
