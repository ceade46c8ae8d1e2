/// Ruts that wheels leave in the ground: traces, imprints of their shape, or the grid of the law scm itself.
///
///     law \ ruts | none                      trace                     scm
///     -----------+--------------------------------------------------------------------------
///     scm        | patch that heals          patch that heals, traces  the law's own grid
///     any other  | -                         traces                    imprints
///
/// Ruts carry no load themselves: soil is evaluated on the ground including its ruts (gr_ruts_over_ground()).
#include "rut_ground.h"

#include "grid_lists.h"
#include "ruts.h"

/// Whether the law is scm and the ground does not keep its grid.
static bool heals(const GrModel *m)
{
    return m->scm_bodies != NULL && m->options.surface.ruts != GR_RUTS_SCM;
}

static bool is_present(const GrModel *m)
{
    return m->trace_wheels != NULL || m->imprint_bodies != NULL || heals(m);
}

GrRuts *gr_rut_grid_create(const GrModel *m, int states)
{
    GrRutsDef def = gr_default_ruts_def();
    def.cell = m->options.surface.rut_cell;
    def.state_count = states;
    GrRuts *ruts = NULL;
    gr_ruts_create(&def, &ruts, NULL);
    return ruts;
}

GrStatus gr_rut_grid_reserve(GrRuts *ruts, int tiles)
{
    return gr_ruts_tiles_free(ruts) >= tiles && !gr_ruts_is_lost(ruts) ? GR_OK : gr_ruts_reserve(ruts, tiles);
}

bool gr_scm_scratch_prepare(const GrScmBody *bodies, int count, GrData *d)
{
    d->scm_work = gr_scm_work_create();
    for (int i = 0; i < count; i++) {
        d->scm_scratch[i] = d->scm_work != NULL ? gr_scm_scratch_share(&bodies[i], d->scm_work) : NULL;
        if (d->scm_scratch[i] == NULL) {
            return false;
        }
        d->scm_wheels = i + 1;
    }
    return true;
}

void gr_scm_scratch_release(GrData *d)
{
    for (int i = 0; i < d->scm_wheels; i++) {
        gr_scm_scratch_free(d->scm_scratch[i]);
        gr_scm_list_free(&d->scm_old[i]);
        gr_scm_list_free(&d->scm_next[i]);
    }
    gr_scm_work_free(d->scm_work);
    d->scm_work = NULL;
    d->scm_wheels = 0;
}

static bool prepare(const GrModel *m, GrData *d)
{
    if (m->trace_wheels == NULL && m->imprint_bodies == NULL) {
        return true;
    }
    d->ruts = gr_rut_grid_create(m, m->imprint_bodies != NULL ? GR_SCM_STATES : 0);
    return d->ruts != NULL &&
           (m->imprint_bodies == NULL || (gr_scm_scratch_prepare(m->imprint_bodies, m->wheel_count, d) &&
                                          gr_scm_list_reserve(&d->scm_next[0], m->scm_nodes)));
}

static void release(GrData *d)
{
    gr_scm_scratch_release(d);
    gr_ruts_free(d->ruts);
}

static void clear(const GrModel *m, GrData *d)
{
    (void)m;
    if (d->ruts != NULL) {
        gr_ruts_clear(d->ruts);
    }
}

int gr_rut_tiles(const GrModel *m)
{
    int tiles = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        tiles += m->trace_wheels != NULL     ? gr_trace_tiles(&m->trace_wheels[i], m->options.surface.rut_cell)
                 : m->imprint_bodies != NULL ? gr_imprint_tiles(&m->imprint_bodies[i])
                                             : 0;
    }
    return tiles;
}

static GrStatus reserve(const GrModel *m, GrData *d)
{
    return d->ruts != NULL ? gr_rut_grid_reserve(d->ruts, gr_rut_tiles(m)) : GR_OK;
}

/// Plastic sinkage of the grid, linear between nodes.
static double sinkage_at(const GrRuts *ruts, double x, double y)
{
    const double u = x * ruts->per_cell, v = y * ruts->per_cell, fu = floor(u), fv = floor(v);
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const float *state = gr_ruts_states_get(ruts, (int64_t)fu + (k & 1), (int64_t)fv + (k >> 1));
        const double part = (k & 1 ? u - fu : 1 - u + fu) * (k >> 1 ? v - fv : 1 - v + fv);
        sum += state != NULL ? part * (double)state[GR_SCM_SINKAGE] : 0;
    }
    return sum;
}

double gr_rut_compaction(const GrModel *m, const GrData *d, int wheel, GrVec3 point, GrVec3 across)
{
    if (m->imprint_bodies == NULL) {
        return 0;
    }
    // At the middle of the wheel and of its halves, as for the contact plane.
    const double quarter = 0.25 * m->wheels[wheel].width;
    double sum = 0;
    for (int k = -1; k <= 1; k++) {
        sum += sinkage_at(d->ruts, point.x + k * quarter * across.x, point.y + k * quarter * across.y);
    }
    return sum / 3;
}

static void leave_trace(const GrModel *m, GrData *d, int i)
{
    GrWheelContact *contact = &d->contact[i];
    const GrTraceWheel *wheel = &m->trace_wheels[contact->soil_index * m->wheel_count + i];
    const GrTraceMotion motion = {.point = contact->point,
                                  .ahead = contact->frame.x,
                                  .normal = contact->normal,
                                  .angle = contact->wheel_angle,
                                  .load = contact->on_map ? contact->soil.wrench[2] : 0,
                                  .slip = contact->soil.slip};
    if (gr_trace_advance(wheel, &d->rut_track[i], &motion, d->ruts) & (GR_TRACE_LIGHT | GR_TRACE_HEAVY)) {
        contact->soil.flags |= GR_FLAG_TRACE;
    }
}

GrImprint gr_rut_imprint(const GrModel *m, const GrData *d, int i)
{
    return (GrImprint){.body = &m->imprint_bodies[d->contact[i].soil_index * m->wheel_count + i],
                       .ruts = d->ruts,
                       .scratch = d->scm_scratch[i],
                       // wheels press one after the other
                       .nodes = gr_scm_nodes_in(d->scm_next[0].block, d->scm_next[0].capacity),
                       .ledger = d->scm_ledger};
}

GrImprintMotion gr_rut_motion(const GrModel *m, const GrData *d, int i)
{
    const GrWheelContact *contact = &d->contact[i];
    const GrVec3 centre = gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, i));
    // A flexible wheel is flattened below: its rim is less deep than that of a rigid one by the deflection.
    return (GrImprintMotion){.centre = gr_madd(centre, contact->flex, contact->normal),
                             .axle = gr_mat3_mul_vec(&d->tree.frame[m->wheels[i].body].rotation, m->wheels[i].axle),
                             .angle = contact->wheel_angle,
                             .down = contact->on_map && contact->soil.wrench[2] > 0};
}

static void leave_imprint(const GrModel *m, GrData *d, int i)
{
    GrImprint imprint = gr_rut_imprint(m, d, i);
    const GrImprintMotion motion = gr_rut_motion(m, d, i);
    gr_imprint_advance(&imprint, &d->rut_track[i], &motion);
}

/// Soil of the law scm heals where wheels are farther away than their radius and two cells. The contact of a wheel ends
/// before that (its rim is at most a radius away), so its forces are those on fresh soil, and the next wheel and the
/// next pass meet fresh soil again. Bodies that rest on the grid keep it, too.
static void heal(const GrModel *m, GrData *d)
{
    int count = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrScmBody *b = &m->scm_bodies[i];
        const GrVec3 centre = d->scm_pose[i].centre;
        d->keeps[count++] =
            (GrUnhealedCircle){centre.x / b->cell, centre.y / b->cell, (b->radius + b->lug_height) / b->cell + 2};
    }
    for (int k = 0; k < m->soil_shape_count; k++) {
        const GrScmBody *b = &m->scm_shape_bodies[k];
        const GrVec3 centre = d->scm_body_pose[k].centre;
        if (d->scm_body_old[k].count > 0) {
            d->keeps[count++] = (GrUnhealedCircle){centre.x / b->cell, centre.y / b->cell, b->reach / b->cell + 2};
        }
    }
    gr_grid_heal(d->grid, d->ruts, d->keeps, count, m->wheel_count, d);
}

static GrStatus commit(const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    for (int i = 0; i < m->wheel_count && m->trace_wheels != NULL; i++) {
        leave_trace(m, d, i);
    }
    for (int i = 0; i < m->wheel_count && m->imprint_bodies != NULL; i++) {
        leave_imprint(m, d, i);
    }
    if (heals(m)) {
        heal(m, d);
    }
    return GR_OK;
}

static void end_rest(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    commit(m, d, query->time);
}

const GrRuts *gr_data_ruts(const GrData *d)
{
    return d->ruts;
}

GrStatus gr_rut_grid_restore(GrRuts *ruts, const void *saved, size_t size, GrErrorLog *log)
{
    GrRutsDef def = *gr_ruts_def(ruts);
    GrRuts *fresh = NULL;
    gr_ruts_create(&def, &fresh, log);
    GrStatus status = fresh != NULL ? gr_ruts_restore(fresh, saved, size, log) : GR_ERROR_MEMORY;
    const GrRutsDef *found = fresh != NULL ? gr_ruts_def(fresh) : &def;
    if (status == GR_OK && (found->cell != def.cell || found->state_count != def.state_count)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0},
                              "the saved ruts have cells of %g m and %d states, this model's have %g m and %d",
                              found->cell, found->state_count, def.cell, def.state_count);
    }
    if (status == GR_OK) {
        status = gr_ruts_copy(ruts, fresh);
    }
    gr_ruts_free(fresh);
    return status;
}

GrStatus gr_data_restore_ruts(GrData *d, const void *saved, size_t size, GrErrorLog *log)
{
    if (d->ruts == NULL) {
        return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){0}, "this model's ground keeps no ruts");
    }
    return gr_rut_grid_restore(d->ruts, saved, size, log);
}

GrStatus gr_data_place_ruts(GrData *d, const GrGeoreference *place)
{
    return d->ruts != NULL ? gr_ruts_set_georeference(d->ruts, place) : GR_OK;
}

GrSoilVolumes gr_data_soil_volumes(const GrData *d)
{
    const GrScmLedger *l = d->scm_ledger;
    const double change = d->ruts != NULL ? gr_ruts_volume(d->ruts) : 0;
    return (GrSoilVolumes){l->displaced, l->raised, change, (long)l->missing};
}

static size_t size(const GrData *d)
{
    return d->ruts != NULL ? gr_ruts_size(d->ruts) : 0;
}

static GrStatus save(const GrData *d, void *out)
{
    return d->ruts != NULL ? gr_ruts_save(d->ruts, out) : GR_OK;
}

static GrStatus restore(GrData *d, const void *saved, size_t bytes, GrErrorLog *log)
{
    return d->ruts != NULL ? gr_data_restore_ruts(d, saved, bytes, log) : GR_OK;
}

const GrGroundInterface gr_rut_ground = {
    .present = is_present,
    .prepare = prepare,
    .release = release,
    .clear = clear,
    .reserve = reserve,
    .commit = commit,
    .end_rest = end_rest,
    .size = size,
    .save = save,
    .restore = restore,
};
