/// What wheels leave in the ground that they, and others, drive on: traces, imprints of their shape, or the grid of the
/// law scm itself.
///
///     law \ ruts | none                      trace                     scm
///     -----------+--------------------------------------------------------------------------
///     scm        | patch that heals          patch that heals, traces  the law's own grid
///     any other  | -                         traces                    imprints
#include "data.h"

#include "imprint.h"
#include "ruts.h"

static bool has_imprints(const GrModel *m)
{
    return m->scm_bodies != NULL && !m->scm_law;
}

static bool heals(const GrModel *m)
{
    return m->scm_law && m->options.surface.ruts != GR_RUTS_SCM;
}

static GrRuts *make_ruts(const GrModel *m, int states)
{
    GrRutsDef def = gr_default_ruts_def();
    def.cell = m->options.surface.rut_cell;
    def.state_count = states;
    return gr_ruts_create(&def, NULL);
}

bool gr_rut_contact_create(const GrModel *m, GrData *d)
{
    const bool traces = m->trace_wheels != NULL, grid = m->scm_bodies != NULL && !heals(m);
    if (traces || grid) {
        d->ruts = make_ruts(m, grid ? GR_SCM_STATES : 0);
    }
    if (heals(m)) {
        d->patch = make_ruts(m, GR_SCM_STATES);
    }
    return ((!traces && !grid) || d->ruts != NULL) && (!heals(m) || d->patch != NULL);
}

void gr_rut_contact_free(GrData *d)
{
    gr_ruts_free(d->ruts);
    gr_ruts_free(d->patch);
}

void gr_rut_contact_clear(const GrModel *m, GrData *d)
{
    if (d->ruts != NULL) {
        gr_ruts_clear(d->ruts);
    }
    if (d->patch != NULL) {
        gr_ruts_clear(d->patch);
    }
    for (int i = 0; i < m->wheel_count && m->scm_law; i++) {
        d->scm_next_count[i] = 0; // the flat part is clear already
    }
    gr_scm_bodies_clear(m, d);
}

/// Tiles that wheels on a grid may ask for in a step.
static int grid_tiles(const GrModel *m)
{
    int tiles = gr_scm_bodies_tiles(m);
    for (int i = 0; i < m->wheel_count; i++) {
        tiles += has_imprints(m) ? gr_imprint_tiles(&m->scm_bodies[i]) : gr_scm_tiles(&m->scm_bodies[i]);
    }
    return tiles;
}

int gr_rut_contact_tiles(const GrModel *m)
{
    if (m->trace_wheels == NULL) {
        return m->scm_bodies != NULL ? grid_tiles(m) : 0;
    }
    int tiles = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        tiles += gr_trace_tiles(&m->trace_wheels[i], m->options.surface.rut_cell);
    }
    return tiles;
}

static GrStatus reserve(GrRuts *ruts, int tiles)
{
    return gr_ruts_tiles_free(ruts) >= tiles ? GR_OK : gr_ruts_reserve(ruts, 4 * tiles);
}

GrStatus gr_rut_contact_reserve(const GrModel *m, GrData *d)
{
    GrStatus status = d->ruts != NULL ? reserve(d->ruts, gr_rut_contact_tiles(m)) : GR_OK;
    if (status == GR_OK && d->patch != NULL) { // twice: what is under the wheels, and what traces bring in
        status = reserve(d->patch, 2 * grid_tiles(m));
    }
    return status;
}

const GrRuts *gr_rut_contact_ground(const GrModel *m, const GrData *d)
{
    return m->scm_law && d->patch == NULL ? NULL : d->ruts;
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

double gr_rut_contact_compaction(const GrModel *m, const GrData *d, int wheel, GrVec3 point, GrVec3 across)
{
    if (!has_imprints(m)) {
        return 0;
    }
    // In the middle of the wheel and of its halves, as for the contact plane.
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

static void leave_imprint(const GrModel *m, GrData *d, int i)
{
    const GrWheelContact *contact = &d->contact[i];
    const GrWheel *wheel = &m->wheels[i];
    const GrBodyFrame *frame = &d->tree.frame[wheel->body];
    const GrVec3 centre = gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, wheel->centre));
    GrImprint imprint = {.body = &m->scm_bodies[contact->soil_index * m->wheel_count + i],
                         .ruts = d->ruts,
                         .scratch = d->scm_scratch[i],
                         .nodes = d->scm_next + (size_t)i * (size_t)m->scm_nodes,
                         .ledger = d->scm_ledger};
    // A flexible wheel is flat below: its rim is less deep than a rigid one at this place, by the deflection.
    const GrImprintMotion motion = {
        .centre = gr_madd(gr_add(gr_base_position(&d->tree), centre), contact->flex, contact->normal),
        .axle = gr_mat3_mul_vec(&frame->rotation, wheel->axle),
        .angle = contact->wheel_angle,
        .down = contact->on_map && contact->soil.wrench[2] > 0};
    gr_imprint_advance(&imprint, &d->rut_track[i], &motion);
}

void gr_rut_contact_commit(const GrModel *m, GrData *d)
{
    for (int i = 0; i < m->wheel_count && m->trace_wheels != NULL; i++) {
        leave_trace(m, d, i);
    }
    for (int i = 0; i < m->wheel_count && has_imprints(m); i++) {
        leave_imprint(m, d, i);
    }
    if (heals(m)) {
        gr_scm_patch_heal(m, d);
    }
}

const GrRuts *gr_data_ruts(const GrData *d)
{
    return d->ruts;
}

/// Restores ruts whose grid must be that of the model.
static GrStatus restore_grid(GrRuts *ruts, const void *saved, size_t size, GrErrorLog *log)
{
    GrRutsDef def = *gr_ruts_def(ruts);
    GrRuts *fresh = gr_ruts_create(&def, log);
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
    return restore_grid(d->ruts, saved, size, log);
}

GrStatus gr_rut_contact_restore_patch(GrData *d, const void *saved, size_t size, GrErrorLog *log)
{
    return restore_grid(d->patch, saved, size, log);
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
