/// Calls all grounds of a model in their order (grounds.h), and keeps the log of contact states.
#include "grounds.h"

#include "contact_mode.h"
#include "dynamics.h"

#include <string.h>

/// Time step for instantaneous forces of soil; nothing relaxes in this time.
static const double INSTANT_STEP = 1e-9; // [s]

/// The search for rest treats a displacement as the path of one step of this length: so long that damping has no
/// effect. A load carried by damping would be missing when the rover starts at rest.
static const double REST_STEP = 1e3; // [s]

static const GrGroundInterface *const GROUNDS[] = {&gr_pit_ground,   &gr_rigid_ground, &gr_patch_ground,
                                                   &gr_grain_ground, &gr_grid_ground,  &gr_rut_ground,
                                                   &gr_furrow_ground};
_Static_assert(sizeof GROUNDS / sizeof GROUNDS[0] == GR_GROUND_KINDS, "GrData has room for every kind of ground");

static GrGroundQuery query_of(GrGroundMoment moment, double dt)
{
    const double time = moment == GR_GROUND_REST ? REST_STEP : dt > 0 ? dt : INSTANT_STEP;
    return (GrGroundQuery){.moment = moment, .dt = dt, .time = time};
}

bool gr_grounds_prepare(const GrModel *m, GrData *d)
{
    bool good = true;
    for (int i = 0; i < GR_GROUND_KINDS && good; i++) {
        if (GROUNDS[i]->present(m)) {
            d->grounds[d->ground_count++] = GROUNDS[i];
            good = GROUNDS[i]->prepare == NULL || GROUNDS[i]->prepare(m, d);
        }
    }
    return good;
}

void gr_grounds_release(GrData *d)
{
    for (int i = 0; i < d->ground_count; i++) {
        if (d->grounds[i]->release != NULL) {
            d->grounds[i]->release(d);
        }
    }
}

void gr_grounds_clear(const GrModel *m, GrData *d)
{
    for (int i = 0; i < d->ground_count; i++) {
        if (d->grounds[i]->clear != NULL) {
            d->grounds[i]->clear(m, d);
        }
    }
}

GrStatus gr_grounds_reserve(const GrModel *m, GrData *d)
{
    GrStatus status = d->ruts_status;
    for (int i = 0; i < d->ground_count && status == GR_OK; i++) {
        status = d->grounds[i]->reserve != NULL ? d->grounds[i]->reserve(m, d) : GR_OK;
    }
    return status;
}

static void evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    for (int i = 0; i < d->ground_count; i++) {
        if (d->grounds[i]->evaluate != NULL) {
            d->grounds[i]->evaluate(m, d, query);
        }
    }
}

void gr_grounds_evaluate(const GrModel *m, GrData *d, GrGroundMoment moment, double dt)
{
    const GrGroundQuery query = query_of(moment, dt);
    evaluate(m, d, &query);
}

bool gr_grounds_linearise(const GrModel *m, GrData *d, bool sliding)
{
    GrGroundQuery query = query_of(GR_GROUND_REST, 0);
    query.linearise = true;
    query.sliding = sliding;
    evaluate(m, d, &query);
    bool all = true;
    for (int i = 0; i < d->ground_count; i++) {
        all = all && (d->grounds[i]->is_linear == NULL || d->grounds[i]->is_linear(m, d));
    }
    return all;
}

bool gr_grounds_revise(const GrModel *m, GrData *d, double dt)
{
    bool changed = false;
    for (int i = 0; i < d->ground_count; i++) {
        changed = (d->grounds[i]->revise != NULL && d->grounds[i]->revise(m, d, dt)) || changed;
    }
    d->rigid_ended = d->rigid_ended && !changed; // another ground changes the end of the step for rocks, too
    return changed;
}

/// State of a wheel on soft soil (LS10 fig. 10); the first step in contact is a separate state.
static GrContactMode soft_mode(const GrModel *m, const GrData *d, int wheel)
{
    static const GrContactMode MODES[] = {GR_SOFT_NO_CONTACT, GR_SOFT_STUCK_ROLL, GR_SOFT_SLIP_ACCELERATE,
                                          GR_SOFT_SLIP_BRAKE};
    if (m->soil_wheels == NULL || !(d->contact[wheel].soil.sinkage > 0)) {
        return GR_SOFT_NO_CONTACT;
    }
    return d->mode_log[wheel].mode[GR_ON_SOFT] == GR_SOFT_NO_CONTACT ? GR_SOFT_CONTACT
                                                                     : MODES[d->contact[wheel].soil.mode];
}

static void log_modes(const GrModel *m, GrData *d, double dt)
{
    for (int i = 0; i < m->wheel_count; i++) {
        const GrContactMode modes[] = {
            soft_mode(m, d, i),
            d->rigid != NULL ? gr_rigid_mode(m->rigid.world, d->rigid, i, GR_ON_RIGID) : GR_RIGID_NO_CONTACT,
            d->rigid != NULL ? gr_rigid_mode(m->rigid.world, d->rigid, i, GR_ON_STONE) : GR_STONE_NO_COLLISION};
        gr_mode_log_add(&d->mode_log[i], modes, 3, dt);
    }
}

GrStatus gr_grounds_commit(const GrModel *m, GrData *d, double dt)
{
    for (int i = 0; i < d->ground_count; i++) {
        if (d->grounds[i]->complete != NULL) {
            d->grounds[i]->complete(m, d, dt);
        }
    }
    log_modes(m, d, dt);
    GrStatus status = GR_OK;
    for (int i = 0; i < d->ground_count; i++) {
        const GrStatus found = d->grounds[i]->commit != NULL ? d->grounds[i]->commit(m, d, dt) : GR_OK;
        status = status == GR_OK ? found : status;
    }
    return status;
}

void gr_grounds_begin_rest(const GrModel *m, GrData *d)
{
    gr_tree_kinematics(&m->tree, &d->tree);
    for (int i = 0; i < d->ground_count; i++) {
        if (d->grounds[i]->begin_rest != NULL) {
            d->grounds[i]->begin_rest(m, d);
        }
    }
}

void gr_grounds_anchor(const GrModel *m, GrData *d)
{
    for (int i = 0; i < d->ground_count; i++) {
        if (d->grounds[i]->anchor != NULL) {
            d->grounds[i]->anchor(m, d);
        }
    }
}

void gr_grounds_end_rest(const GrModel *m, GrData *d)
{
    const GrGroundQuery query = query_of(GR_GROUND_REST, 0);
    d->ruts_status = gr_grounds_reserve(m, d);
    for (int i = 0; i < d->ground_count; i++) {
        if (d->grounds[i]->end_rest != NULL) {
            d->grounds[i]->end_rest(m, d, &query);
        }
    }
    for (int i = 0; m->soil_wheels != NULL && i < m->wheel_count; i++) {
        d->mode_log[i].mode[GR_ON_SOFT] = d->contact[i].soil.sinkage > 0 ? GR_SOFT_STUCK_ROLL : GR_SOFT_NO_CONTACT;
    }
}

void gr_grounds_copied(const GrModel *m, GrData *to, const GrData *from)
{
    for (int i = 0; i < to->ground_count; i++) {
        if (to->grounds[i]->copied != NULL) {
            to->grounds[i]->copied(m, to, from);
        }
    }
}

size_t gr_grounds_size(const GrData *d)
{
    size_t sum = 0;
    for (int i = 0; i < d->ground_count; i++) {
        sum += d->grounds[i]->size != NULL ? sizeof(uint64_t) + d->grounds[i]->size(d) : 0;
    }
    return sum;
}

GrStatus gr_grounds_save(const GrData *d, void *out)
{
    unsigned char *at = out;
    GrStatus status = GR_OK;
    for (int i = 0; i < d->ground_count && status == GR_OK; i++) {
        if (d->grounds[i]->size != NULL) {
            const uint64_t size = d->grounds[i]->size(d);
            memcpy(at, &size, sizeof size);
            status = d->grounds[i]->save(d, at + sizeof size);
            at += sizeof size + size;
        }
    }
    return status;
}

static GrStatus cut_short(size_t size, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved state is cut short: %zu bytes of ground", size);
}

GrStatus gr_grounds_restore(GrData *d, const void *saved, size_t size, GrErrorLog *log)
{
    const unsigned char *at = saved;
    size_t left = size;
    for (int i = 0; i < d->ground_count; i++) {
        if (d->grounds[i]->size == NULL) {
            continue;
        }
        uint64_t part;
        if (left < sizeof part) {
            return cut_short(size, log);
        }
        memcpy(&part, at, sizeof part);
        left -= sizeof part;
        if (part > left) {
            return cut_short(size, log);
        }
        const GrStatus status = d->grounds[i]->restore(d, at + sizeof part, (size_t)part, log);
        if (status != GR_OK) {
            return status;
        }
        at += sizeof part + part;
        left -= (size_t)part;
    }
    return left == 0 ? GR_OK
                     : gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0},
                                    "saved state has %zu bytes of ground too many", left);
}
