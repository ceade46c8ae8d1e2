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

#ifdef GR_DEVICE // what a GPU offers (src/batch)
static const GrGroundInterface *const GROUNDS[] = {&gr_rigid_ground, &gr_patch_ground, &gr_grain_ground};
#else
static const GrGroundInterface *const GROUNDS[] = {&gr_pit_ground,   &gr_rigid_ground, &gr_patch_ground,
                                                   &gr_grain_ground, &gr_grid_ground,  &gr_rut_ground,
                                                   &gr_furrow_ground};
#endif
#ifdef __NVPTX__
#define GR_UNROLL _Pragma("unroll")
#else
#define GR_UNROLL
#endif
enum { KINDS = sizeof GROUNDS / sizeof GROUNDS[0] };
_Static_assert((int)KINDS <= (int)GR_GROUND_KINDS, "GrData has room for every kind of ground");

static GrGroundQuery query_of(GrGroundMoment moment, double dt)
{
    const double time = moment == GR_GROUND_REST ? REST_STEP : dt > 0 ? dt : INSTANT_STEP;
    return (GrGroundQuery){.moment = moment, .dt = dt, .time = time};
}

static bool has_ground(const GrData *d, int kind)
{
    return (d->grounds >> kind & 1u) != 0;
}

/// For each ground of the data. The loop over the constant table unrolls, so that functions are called by name: a
/// compiler for GPUs then knows how deep calls go, and how much memory that takes.
// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared
#define FOR_GROUNDS(d, ground)                                                                                         \
    GR_UNROLL for (int kind_ = 0; kind_ < KINDS;                                                                       \
                   kind_++) if (has_ground(d, kind_)) for (const GrGroundInterface *ground = GROUNDS[kind_],           \
                                                           *once_ = ground;                                            \
                                                           once_ != NULL; once_ = NULL)
// NOLINTEND(bugprone-macro-parentheses)

bool gr_grounds_prepare(const GrModel *m, GrData *d)
{
    bool good = true;
    GR_UNROLL for (int i = 0; i < KINDS; i++)
    {
        if (good && GROUNDS[i]->present(m)) {
            d->grounds |= 1u << i;
            good = GROUNDS[i]->prepare == NULL || GROUNDS[i]->prepare(m, d);
        }
    }
    return good;
}

void gr_grounds_release(GrData *d)
{
    FOR_GROUNDS(d, ground)
    {
        if (ground->release != NULL) {
            ground->release(d);
        }
    }
}

void gr_grounds_clear(const GrModel *m, GrData *d)
{
    FOR_GROUNDS(d, ground)
    {
        if (ground->clear != NULL) {
            ground->clear(m, d);
        }
    }
}

GrStatus gr_grounds_reserve(const GrModel *m, GrData *d)
{
    GrStatus status = d->ruts_status;
    FOR_GROUNDS(d, ground)
    {
        status = status == GR_OK && ground->reserve != NULL ? ground->reserve(m, d) : status;
    }
    return status;
}

static void evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query)
{
    FOR_GROUNDS(d, ground)
    {
        if (ground->evaluate != NULL) {
            ground->evaluate(m, d, query);
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
    FOR_GROUNDS(d, ground)
    {
        all = all && (ground->is_linear == NULL || ground->is_linear(m, d));
    }
    return all;
}

bool gr_grounds_revise(const GrModel *m, GrData *d, double dt)
{
    bool changed = false;
    FOR_GROUNDS(d, ground)
    {
        changed = (ground->revise != NULL && ground->revise(m, d, dt)) || changed;
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
    FOR_GROUNDS(d, ground)
    {
        if (ground->complete != NULL) {
            ground->complete(m, d, dt);
        }
    }
    log_modes(m, d, dt);
    GrStatus status = GR_OK;
    FOR_GROUNDS(d, ground)
    {
        const GrStatus found = ground->commit != NULL ? ground->commit(m, d, dt) : GR_OK;
        status = status == GR_OK ? found : status;
    }
    return status;
}

void gr_grounds_begin_rest(const GrModel *m, GrData *d)
{
    gr_tree_kinematics(&m->tree, &d->tree);
    FOR_GROUNDS(d, ground)
    {
        if (ground->begin_rest != NULL) {
            ground->begin_rest(m, d);
        }
    }
}

void gr_grounds_anchor(const GrModel *m, GrData *d)
{
    FOR_GROUNDS(d, ground)
    {
        if (ground->anchor != NULL) {
            ground->anchor(m, d);
        }
    }
}

void gr_grounds_end_rest(const GrModel *m, GrData *d)
{
    const GrGroundQuery query = query_of(GR_GROUND_REST, 0);
    d->ruts_status = gr_grounds_reserve(m, d);
    FOR_GROUNDS(d, ground)
    {
        if (ground->end_rest != NULL) {
            ground->end_rest(m, d, &query);
        }
    }
    for (int i = 0; m->soil_wheels != NULL && i < m->wheel_count; i++) {
        d->mode_log[i].mode[GR_ON_SOFT] = d->contact[i].soil.sinkage > 0 ? GR_SOFT_STUCK_ROLL : GR_SOFT_NO_CONTACT;
    }
}

void gr_grounds_copied(const GrModel *m, GrData *to, const GrData *from)
{
    FOR_GROUNDS(to, ground)
    {
        if (ground->copied != NULL) {
            ground->copied(m, to, from);
        }
    }
}

size_t gr_grounds_size(const GrData *d)
{
    size_t sum = 0;
    FOR_GROUNDS(d, ground)
    {
        sum += ground->size != NULL ? sizeof(uint64_t) + ground->size(d) : 0;
    }
    return sum;
}

GrStatus gr_grounds_save(const GrData *d, void *out)
{
    unsigned char *at = out;
    GrStatus status = GR_OK;
    FOR_GROUNDS(d, ground)
    {
        if (status == GR_OK && ground->size != NULL) {
            const uint64_t size = ground->size(d);
            memcpy(at, &size, sizeof size);
            status = ground->save(d, at + sizeof size);
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
    FOR_GROUNDS(d, ground)
    {
        if (ground->size == NULL) {
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
        const GrStatus status = ground->restore(d, at + sizeof part, (size_t)part, log);
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
