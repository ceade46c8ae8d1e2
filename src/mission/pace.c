#include "pace.h"

#include "device_call.h"
#include "grain_bodies.h"
#include "rigid_ground.h"

static const double SAFETY = 0.9, SHRINK_LIMIT = 0.2, GROWTH_LIMIT = 2;
static const double LANDING_SHARE = 100;   // [1/m] accepted relative energy error of a fall, per landing_travel
static const double LANDING_HEIGHT = 1e-3; // [m] falls from less than this do not shorten the step
static const double ROCKING_SHARE = 0.6;   // fraction of landing_travel in a step while a dropped rover rocks to rest
static const double ROCKING_PART = 0.5;    // largest fraction of step_max meanwhile, as the soil still settles
static const double ROCKING_REST = 0.05;   // [s] the rover is at rest once the step exceeds this
static const double ROCKING_GROWTH = 0.3; // [s] time in which that step may grow by a factor e; exceeds a turning point
static const double ARC_SHORT = 0.02;     // [m] contacts longer than this do not limit the step
static const double ARC_STEPS = 10;       // multiple of step_min below which contacts do not shorten the step
static const double SOIL_PART = 2;        // times contact_part: step over the time in which soil builds up its force
static const double LUG_STEPS = 8;        // steps in which a wheel turns by one pitch of its lugs
static const double LOOK_STEPS = 4;       // steps between looks ahead for rocks, each of which costs half an evaluation

const char *gr_pace_name(GrPace pace)
{
    static const char *const names[] = {
#define GR_PACE_ROW(constant, name, text) #name,
        GR_PACE_LIST(GR_PACE_ROW)
#undef GR_PACE_ROW
    };
    return names[pace];
}

void gr_pace_refine(GrMissionDef *def, double factor)
{
    def->step /= factor;
    def->step_min /= factor;
    def->step_max /= factor;
    def->step_hard /= factor;
    def->step_push /= factor;
    def->hub_travel /= factor;
    def->landing_travel /= factor;
    def->contact_part /= factor;
    def->tolerance /= factor * factor;
}

static double within(const GrMissionDef *def, double step)
{
    return fmax(def->step_min, fmin(step, def->step_max));
}

static double fastest_hub(const GrModel *m, const GrData *d)
{
    double most = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrBodyFrame *frame = &d->tree.frame[m->wheels[i].body];
        const GrVec3 centre = gr_wheel_centre(m, d, i);
        const GrVec3 v = gr_twist_at(frame->twist, centre);
        const double speed = gr_dot(v, v);
        most = speed > most ? speed : most;
    }
    return sqrt(most);
}

/// Whether bodies of the rover touch each other.
static bool touches_itself(const GrModel *m, const GrData *d)
{
    bool any = false;
    for (int i = 0; m->tree.pair_capacity > 0 && i < m->rigid.count; i++) {
        any = any || d->self_contact[i].count > 0;
    }
    return any;
}

/// Whether anything rigid touches the rover.
static bool touches(const GrModel *m, const GrData *d)
{
    for (int i = 0; i < m->rigid.count; i++) {
        if (d->rigid_contact[i].count > 0) {
            return true;
        }
    }
    return false;
}

/// Whether the rover is in the air: no wheel and no body in soil, and nothing rigid touching it.
static bool flies(const GrModel *m, const GrData *d)
{
    for (int i = 0; i < m->wheel_count; i++) {
        if (d->contact[i].soil.sinkage > 0) {
            return false;
        }
    }
    for (int k = 0; k < m->soil_shape_count; k++) {
        if (d->soil_touch[k].patches > 0) {
            return false;
        }
    }
    return !touches(m, d);
}

/// Height of a wheel over the ground [m]; ignores rocks.
static double height_over_ground(const GrModel *m, const GrData *d, int wheel)
{
    const GrSurfaceDef *surface = &m->options.surface;
    const GrVec3 at = gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, wheel));
    GrVec3 normal;
    double height = 0; // without a map the ground is the plane z = 0
    if (surface->height != NULL && !GR_CALL(height, surface->height, surface->context, at.x, at.y, &height, &normal)) {
        return 0;
    }
    return fmax(0, at.z - height - m->wheels[wheel].radius - m->wheels[wheel].grouser_height);
}

/// Normal of the ground below a wheel.
static GrVec3 normal_below(const GrModel *m, const GrData *d, int wheel)
{
    const bool soft = m->soil_wheels != NULL && d->contact[wheel].on_map;
    return soft ? d->contact[wheel].normal : gr_normalize(gr_neg(m->tree.gravity));
}

/// Speed of a wheel along the normal of the ground.
static double normal_speed(const GrModel *m, const GrData *d, int wheel, GrVec3 normal)
{
    return gr_dot(gr_twist_at(d->tree.frame[m->wheels[wheel].body].twist, gr_wheel_centre(m, d, wheel)), normal);
}

/// Longest step for a wheel's motion along the ground's normal. When a wheel lands or bounces, its load changes within
/// fractions of a millimetre. In steady driving its sinkage changes slowly, and this limit does not apply.
///
/// In flight the impact speed is known in advance, v² + 2 g height, so the step has the right length from the beginning
/// of the fall. It is also short enough that the energy error m g v dt/2 is a small fraction of m v²/2.
static double by_landing(const GrMissionDef *def, const GrModel *m, const GrData *d, int wheel, bool flight)
{
    const GrVec3 gravity = m->tree.gravity;
    const GrVec3 normal = normal_below(m, d, wheel);
    const double speed = normal_speed(m, d, wheel, normal), fall = fmax(0, -gr_dot(gravity, normal));
    const double impact = sqrt(speed * speed + (flight ? 2 * fall * height_over_ground(m, d, wheel) : 0));
    if (!(impact * impact > 2 * fall * LANDING_HEIGHT)) {
        return INFINITY;
    }
    const double share = LANDING_SHARE * def->landing_travel;
    return fmin(def->landing_travel / impact, flight ? share * impact / fall : (double)INFINITY);
}

/// Longest step after a fall. Long steps would damp the rocking, and the resting place depends on how the rover rocks.
/// The step grows by at most a factor e within ROCKING_GROWTH, since all wheels are slow at a turning point.
static double by_rocking(const GrMissionDef *def, const GrModel *m, const GrData *d, double last, GrLookout *lookout)
{
    if (!(lookout->rocking > 0)) {
        return INFINITY;
    }
    double fastest = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        fastest = fmax(fastest, fabs(normal_speed(m, d, i, normal_below(m, d, i))));
    }
    lookout->rocking =
        fmin(ROCKING_SHARE * def->landing_travel / fastest, lookout->rocking * (1 + last / ROCKING_GROWTH));
    const double step = lookout->rocking;
    lookout->rocking = step < ROCKING_REST ? step : 0;
    return fmin(step, ROCKING_PART * def->step_max);
}

/// Longest step that resolves landings and bounces: the shortest over all wheels that fly or touch, kept until the
/// motion is over. A first-order step has an energy error F v dt/2, where F is the unbalanced force. With a constant
/// step that error has vanished by the time the rover is at rest, but every change of the step leaves some of it.
static double by_landings(const GrMissionDef *def, const GrModel *m, const GrData *d, double last, GrLookout *lookout)
{
    double least = INFINITY;
    const bool flight = flies(m, d);
    for (int i = 0; gr_norm(m->tree.gravity) > 0 && i < m->wheel_count; i++) {
        const bool touch = d->contact[i].soil.sinkage > 0 || (d->rigid != NULL && d->rigid_contact[i].count > 0);
        least = flight || touch ? fmin(least, by_landing(def, m, d, i, flight)) : least;
    }
    // A bounce is slow at its turning points: the landing is over after no wheel has been fast for the time v/g of the
    // impact.
    const double now = gr_data_time(d);
    const bool lands = now < lookout->calm;
    if (isinf(least)) {
        return lands ? lookout->landing : by_rocking(def, m, d, last, lookout);
    }
    lookout->rocking = flight || lookout->rocking > 0 ? least : 0;
    lookout->landing = lands ? fmin(least, lookout->landing) : least;
    lookout->calm = fmax(lookout->calm, now + def->landing_travel / least / gr_norm(m->tree.gravity));
    return lookout->landing;
}

double gr_pace_rolled(const GrModel *m, const GrData *d, int wheel)
{
    const double share = d->tree.composite[0].mass * gr_norm(m->tree.gravity) / m->wheel_count;
    const double force = d->contact[wheel].soil.wrench[2], sinkage = gr_wheel_depth(d, wheel);
    const double radius = m->wheels[wheel].radius,
                 arc = sqrt(2 * radius * sinkage); // half the chord of the rim at that depth
    if (!(force > 0) || !(sinkage > 0) || arc > ARC_SHORT) {
        return 0;
    }
    const GrTwist twist = d->tree.frame[m->wheels[wheel].body].twist;
    const double hub = gr_norm(gr_twist_at(twist, gr_wheel_centre(m, d, wheel)));
    const double rim = radius * gr_norm(twist.ang);         // one that spins or steers on the spot, too
    return fmax(hub, rim) / (arc * fmin(1, share / force)); // a bounce is deeper than the weight alone
}

/// Longest step in which no wheel rolls out of its contact with the soil. On stiff clay that is shorter than a
/// millimetre: in a longer step a wheel leaves the ground that it was evaluated on, and bounces.
static double by_arcs(const GrMissionDef *def, const GrModel *m, const GrData *d)
{
    double most = 0;
    for (int i = 0; m->soil_wheels != NULL && i < m->wheel_count; i++) {
        most = fmax(most, gr_pace_rolled(m, d, i));
    }
    return most > 0 ? fmax(ARC_STEPS * def->step_min, def->contact_part / most) : (double)INFINITY;
}

/// Whether the force of a wheel follows each of its lugs. Straight lugs on a grid are spread over the rim.
static bool feels_lugs(const GrModel *m, int wheel)
{
    const GrWheel *w = &m->wheels[wheel];
    const bool spread = m->scm_bodies != NULL && m->scm_bodies[wheel].lugs == 0;
    return w->grouser_lugs && w->grouser_count > 0 && !spread;
}

/// Longest step in which no lug turns by more than a part of the pitch: its force rises and falls within one.
static double by_lugs(const GrModel *m, const GrData *d)
{
    double least = INFINITY;
    for (int i = 0; m->soil_wheels != NULL && i < m->wheel_count; i++) {
        const GrWheel *w = &m->wheels[i];
        const double rate = gr_norm(d->tree.frame[w->body].twist.ang);
        if (feels_lugs(m, i) && rate > 0) {
            least = fmin(least, 2 * GR_PI / (LUG_STEPS * w->grouser_count * rate));
        }
    }
    return least;
}

/// Longest step in which the force of the soil under a wheel or a body builds up without overshooting.
static double by_soil(const GrMissionDef *def, const GrModel *m, const GrData *d)
{
    double least = by_lugs(m, d) / (SOIL_PART * def->contact_part);
    for (int i = 0; m->soil_wheels != NULL && i < m->soil_count * m->wheel_count; i++) {
        least = fmin(least, gr_soil_time(&m->soil_wheels[i]));
    }
    least = fmin(least, gr_grain_time(m, d));
    return fmax(ARC_STEPS * def->step_min, SOIL_PART * def->contact_part * least);
}

static double by_hubs(const GrMissionDef *def, double speed, double most)
{
    return within(def, speed * most > def->hub_travel ? def->hub_travel / speed : most);
}

/// Whether a wheel reaches a rock in the next step. If there is none within several steps ahead, the next look waits
/// that long.
static bool comes_to_stone(const GrModel *m, GrData *d, double last, double step, GrLookout *lookout)
{
    const double time = gr_data_time(d);
    // frames are those at the beginning of the last step, so look ahead by that step too
    if (time + step > lookout->due) {
        lookout->stone = gr_rigid_ahead(m, d, last + LOOK_STEPS * step);
        lookout->due = time + LOOK_STEPS * step;
    }
    return lookout->stone && gr_rigid_ahead(m, d, last + step);
}

/// Step near rocks and parts. `step`: the one without them; `longest`: the one that is allowed at a contact.
static double by_contacts(const GrModel *m, GrData *d, double last, double step, double longest, GrLookout *lookout)
{
    if (d->rigid == NULL || !(step > longest)) {
        return step;
    }
    const bool near = touches(m, d) || touches_itself(m, d) || comes_to_stone(m, d, last, step, lookout);
    return near ? longest : step;
}

double gr_pace_choose(const GrMissionDef *def, const GrModel *m, GrData *d, double last, double next,
                      GrLookout *lookout)
{
    if (def->pace == GR_PACE_FIXED) {
        return def->step;
    }
    // the estimated error covers positions only: the energy of an impact needs landings and contacts resolved as well
    const bool by_error = def->pace == GR_PACE_ERROR;
    if (by_error && !(next > 0)) {
        return def->step_min;
    }
    const double landing = fmin(by_landings(def, m, d, last, lookout), fmin(by_arcs(def, m, d), by_soil(def, m, d)));
    const double speed = by_error ? 0 : fastest_hub(m, d);
    const double step = by_hubs(def, speed, fmin(by_error ? next : def->step_max, landing));
    const double hard = by_hubs(def, speed, def->step_hard);
    if (d->rigid != NULL && gr_rigid_pushes(m->rigid.world, d->rigid)) {
        return fmin(step, by_hubs(def, speed, fmin(def->step_hard, def->step_push)));
    }
    return by_contacts(m, d, last, step, hard, lookout);
}

double gr_pace_error(const GrModel *m, const GrData *d, double dt)
{
    const double *a = d->tree.acceleration;
    const GrVec3 linear = gr_vec3(a[0], a[1], a[2]), angular = gr_vec3(a[3], a[4], a[5]);
    double most = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        GrTwist rate = {angular, linear};
        for (int b = m->wheels[i].body; b > 0; b = m->tree.joints[b].parent) {
            const GrJoint *j = &m->tree.joints[b];
            rate = gr_twist_madd(rate, j->ratio * a[j->dof], d->tree.frame[b].motion);
        }
        const GrVec3 centre = gr_wheel_centre(m, d, i);
        const GrVec3 at = gr_twist_at(rate, centre);
        const double size = gr_dot(at, at);
        most = size > most ? size : most;
    }
    return 0.5 * dt * dt * sqrt(most);
}

double gr_pace_adapt(const GrMissionDef *def, double error, double dt)
{
    const double scale = error > 0 ? SAFETY * sqrt(def->tolerance / error) : GROWTH_LIMIT;
    return within(def, dt * fmax(SHRINK_LIMIT, fmin(scale, GROWTH_LIMIT)));
}
