#include "contact_law.h"

#include "choice.h"
#include "device_call.h"
#include "elementary.h"

#include <string.h>

/// An impact of m δ̈ = −k δ^1.5 (1 + d δ̇) begins with δ̇⁻ and ends with −e δ̇⁻ at the same δ. By separation of
/// variables, ∫ δ̇/(1 + d δ̇) dδ̇ between both vanishes for any m, k and δ̇⁻: with a = d δ̇⁻
///
///     (1 + e) a = ln((1 + a)/(1 − e a)),   0 < a < 1/e
///
/// The difference of both sides is positive below the root and negative above.
static double damping_of_restitution(double restitution)
{
    const double e = restitution;
    double low = 0, high = 1 / e;
    while (e < 1) {
        const double a = 0.5 * (low + high);
        if (!(a > low && a < high)) {
            break;
        }
        if ((1 + e) * a - gr_log1p(a) + gr_log1p(-e * a) > 0) {
            low = a;
        } else {
            high = a;
        }
    }
    return low;
}

/// B23 eq. 2; the resulting restitution is less than ζ, for example 0.577 for 0.6.
static double damping_of_b23(double zeta)
{
    return 8.0 / 5 * (1 - zeta) / zeta;
}

enum {
    HERTZ = 1 << GR_MATERIAL_YOUNG | 1 << GR_MATERIAL_POISSON | 1 << GR_MATERIAL_REST_SPEED,
    DAMPED = HERTZ | 1 << GR_MATERIAL_RESTITUTION,
    LINEAR = 1 << GR_MATERIAL_SPRING | 1 << GR_MATERIAL_DASHPOT | 1 << GR_MATERIAL_REST_SPEED,
};

#define NAME(id, name) #name,
const char *const gr_contact_law_names[] = {GR_CONTACT_LAW_LIST(NAME)};
#undef NAME

const GrContactLawRow gr_contact_laws[GR_CONTACT_LAW_COUNT] = {
    [GR_CONTACT_HUNT_CROSSLEY] = {"k δ^1.5 (1 + d δ̇): elastic, damped so that the restitution is the material's",
                                  damping_of_restitution, false, DAMPED},
    [GR_CONTACT_HUNT_CROSSLEY_B23] = {"k δ^1.5 (1 + d δ̇) with d = 8 (1 − ζ)/(5 ζ δ̇⁻) (B23 eqs. 1-2)", damping_of_b23,
                                      false, DAMPED},
    [GR_CONTACT_HERTZ] = {"k δ^1.5: elastic", NULL, false, HERTZ},
    [GR_CONTACT_SPRING_DASHPOT] = {"k δ + c δ̇: linear; the restitution depends on the mass (LS10 3.1)", NULL, true,
                                   LINEAR},
};

const char *gr_contact_law_name(GrContactLaw law)
{
    return (unsigned)law < GR_CONTACT_LAW_COUNT ? gr_contact_law_names[law] : "unknown";
}

const char *gr_contact_law_text(GrContactLaw law)
{
    return (unsigned)law < GR_CONTACT_LAW_COUNT ? gr_contact_laws[law].text : "unknown";
}

GrStatus gr_contact_law_find(const char *name, GrContactLaw *out, GrErrorLog *log)
{
    const GrChoice laws = {"contact law", "law", gr_contact_law_names, GR_CONTACT_LAW_COUNT};
    const int index = gr_choice_find(&laws, name, log);
    *out = index >= 0 ? (GrContactLaw)index : *out;
    return index >= 0 ? GR_OK : GR_ERROR_NAME;
}

void gr_pair_set_laws(GrPairMaterial *pair, GrContactLaw normal, GrFrictionLaw friction)
{
    const GrContactLawRow *law = &gr_contact_laws[normal];
    pair->normal = law;
    pair->tangential = &gr_friction_laws[friction];
    pair->linear = law->linear;
    pair->damping = law->damping != NULL ? law->damping(pair->restitution) : 0;
}

/// A new contact that is less deep than this fraction of the depth added by one step carries proportionally less. When
/// bodies meet face to face, corners that touch only by rounding would otherwise take the whole force of the step and
/// make them rotate.
static const double ARRIVAL_SHARE = 0.1;

/// A sticking contact that exceeds the friction limit by no more than this fraction is kept for the rest of the step.
static const double EXCESS_SHARE = 0.05;

/// N and the quantities that scale the friction of the contact, with derivatives by depth and closing speed.
typedef struct Normal {
    double force, ddepth, drate;
    double growth; ///< ratio of the force at the end of the step, at constant closing speed, to the present force; ≥ 1
    double elastic;                     ///< k δ^1.5
    double stiffness, stiffness_ddepth; ///< 1.5 k √δ: of the contact at rest
    double contact_ddepth;              ///< derivative of the depth of the contact alone; below 1 for a flexible wheel
} Normal;

static double impact_speed(const GrPairMaterial *pair, const GrContactMemory *memory, double closing)
{
    const double impact = memory->touching ? memory->impact : closing;
    return impact > pair->rest_speed ? impact : pair->rest_speed;
}

double gr_contact_damping(const GrPairMaterial *pair, const GrContactMotion *motion, const GrContactMemory *memory,
                          double depth)
{
    const double closing = -gr_dot(motion->velocity, motion->normal);
    return pair->linear ? pair->dashpot
                        : gr_pair_elastic(pair, depth) * pair->damping / impact_speed(pair, memory, closing);
}

/// The contact of a flexible wheel, whose force is known.
static Normal shared_force(const GrPairMaterial *pair, const GrFlexShare *share, double closing, double dt)
{
    const double stiffness = gr_pair_stiffness(pair, share->depth), part = share->ddepth / stiffness;
    const double more = share->force > 0 ? dt * fmax(closing, 0) * share->ddepth / share->force : 0;
    return (Normal){
        .force = share->force,
        .ddepth = share->ddepth,
        .drate = share->drate,
        .growth = 1 + more,
        .elastic = gr_pair_elastic(pair, share->depth),
        .stiffness = stiffness,
        .stiffness_ddepth = part * gr_pair_stiffness_ddepth(pair, share->depth),
        .contact_ddepth = part,
    };
}

static Normal normal_force(const GrPairMaterial *pair, const GrContactMemory *memory, double depth, double closing,
                           double dt)
{
    const double elastic = gr_pair_elastic(pair, depth);
    const double deeper = 1 + dt * fmax(closing, 0) / depth;
    const double d = pair->normal->damping != NULL ? pair->damping / impact_speed(pair, memory, closing) : 0;
    Normal n = {
        .growth = pair->linear ? deeper : deeper * sqrt(deeper),
        .elastic = elastic,
        .stiffness = gr_pair_stiffness(pair, depth),
        .stiffness_ddepth = gr_pair_stiffness_ddepth(pair, depth),
        .contact_ddepth = 1,
    };
    const double factor = 1 + d * closing; // k δ^1.5 (1 + d δ̇) (B23 eq. 1); never adhesive
    if (pair->linear) {
        const double force = elastic + pair->dashpot * closing;
        n.force = fmax(0, force);
        n.ddepth = force > 0 ? n.stiffness : 0;
        n.drate = force > 0 ? pair->dashpot : 0;
    } else if (factor > 0) {
        n.force = elastic * factor;
        n.ddepth = n.stiffness * factor;
        n.drate = elastic * d;
    }
    const double arrival = memory->touching ? 0 : ARRIVAL_SHARE * dt * impact_speed(pair, memory, closing);
    if (depth < arrival) {
        const double share = depth / arrival;
        n.ddepth = share * n.ddepth + n.force / arrival;
        n.drate = share * (n.drate - (closing > pair->rest_speed ? n.force / closing : 0));
        n.force *= share;
        n.growth /= share;
    }
    return n;
}

static GrMat3 projector(GrVec3 n, double normal, double tangent)
{
    const double v[3] = {n.x, n.y, n.z};
    GrMat3 m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m.m[i][j] = (normal - tangent) * v[i] * v[j] + (i == j ? tangent : 0);
        }
    }
    return m;
}

/// Dependence of a slider on the normal force: limit = ratio N, stiffness = lever² × that of the contact, and a damping
/// that alone reaches the limit (of the elastic force) at `rest_rate`.
typedef struct Scale {
    double limit, limit_ddepth, limit_drate, coming;
    double stiffness, damping, ddepth_stiffness, ddepth_damping;
    double slip_rate_ddepth;
} Scale;

/// Adds a slider's force and derivatives: rows from `row`, own columns from `column` (0: angular, 3: linear).
static GrVec3 add_slider(GrContactForce *out, GrSliderLaw law, GrSlider *s, const Scale *scale, GrVec3 normal, int at,
                         double dt)
{
    s->limit = scale->limit;
    s->coming = scale->coming;
    s->stiffness = scale->stiffness;
    s->damping = scale->damping;
    const GrSliderForce f = GR_CALL(slider, law, s, dt);
    GrVec3 ddepth = gr_madd(gr_scale(scale->limit_ddepth, f.dlimit), scale->ddepth_stiffness, f.dstiffness);
    ddepth = gr_madd(gr_madd(ddepth, scale->ddepth_damping, f.ddamping), scale->slip_rate_ddepth, f.dslip_rate);
    const GrVec3 dclosing = gr_scale(scale->limit_drate, f.dlimit);
    const double by_depth[3] = {ddepth.x, ddepth.y, ddepth.z}, by_rate[3] = {dclosing.x, dclosing.y, dclosing.z};
    const double n[3] = {normal.x, normal.y, normal.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->dtwist.m[at + i][at + j] += f.drate.m[i][j];
            out->dpose.m[at + i][at + j] += f.dstate.m[i][j];
            out->dtwist.m[at + i][3 + j] -= by_rate[i] * n[j]; // δ̇ = −n·v
            out->dpose.m[at + i][3 + j] -= by_depth[i] * n[j]; // δ decreases by n·x
        }
    }
    if (at == 3) {
        out->slips = f.slips;
        out->towards = f.towards;
    }
    return f.force;
}

typedef struct Lever {
    double ratio, ratio_ddepth;
    double lever2, lever2_ddepth;
    double rest_rate, rest_rate_ddepth;
} Lever;

static Scale scale_of(const Normal *n, Lever l)
{
    const double damping = l.ratio * n->elastic / l.rest_rate;
    return (Scale){
        .limit = l.ratio * n->force,
        .limit_ddepth = l.ratio * n->ddepth + l.ratio_ddepth * n->force,
        .limit_drate = l.ratio * n->drate,
        .coming = l.ratio * n->force * n->growth,
        .stiffness = l.lever2 * n->stiffness,
        .damping = damping,
        .ddepth_stiffness = l.lever2 * n->stiffness_ddepth + l.lever2_ddepth * n->stiffness,
        .ddepth_damping = (l.ratio * n->contact_ddepth * n->stiffness + l.ratio_ddepth * n->elastic) / l.rest_rate -
                          damping * l.rest_rate_ddepth / l.rest_rate,
    };
}

/// Spin moment of Hertz pressure under full sliding, 3π/16 μ N a with a = √(R δ); B23 eq. 6 prints μ N π a², which is
/// not a moment.
static Scale spin_scale(const Normal *n, const GrPairMaterial *pair, double depth)
{
    const double pi = GR_PI, area = pair->radius * depth, a = sqrt(area);
    const double ratio = pair->as_printed ? pair->friction * pi * area : pair->friction * 3 * pi / 16 * a;
    const double derivative = pair->as_printed ? ratio / depth : ratio / (2 * depth);
    const double by = n->contact_ddepth;
    return scale_of(n, (Lever){.ratio = ratio,
                               .ratio_ddepth = by * derivative,
                               .lever2 = pair->tangent * area,
                               .lever2_ddepth = by * pair->tangent * pair->radius,
                               .rest_rate = pair->rest_speed / a,
                               .rest_rate_ddepth = -by * pair->rest_speed / (2 * a * depth)});
}

static double ratio_or_zero(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/// State at the end of the step according to a first solution.
typedef struct End {
    GrVec3 rate;  ///< sliding velocity
    double limit; ///< friction limit
    bool hold;    ///< sticks
} End;

/// `end`: NULL before the first solution.
static void find_force(const GrPairMaterial *pair, const GrContactMotion *motion, const GrContactMemory *memory,
                       const End *end, double dt, GrContactForce *out)
{
    const GrFrictionLawRow *friction = pair->tangential;
    memset(out, 0, sizeof *out);
    const double depth = motion->share.given ? motion->share.depth : motion->depth; // of the contact alone
    if (!(depth > 0)) {
        return;
    }
    const GrVec3 n = motion->normal;
    const double closing = -gr_dot(motion->velocity, n);
    const Normal f = motion->share.given ? shared_force(pair, &motion->share, closing, dt)
                                         : normal_force(pair, memory, depth, closing, dt);
    out->normal = f.force;
    out->ddepth = f.ddepth;
    out->drate = f.drate;
    const double nn[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->dtwist.m[3 + i][3 + j] = -f.drate * nn[i] * nn[j];
            out->dpose.m[3 + i][3 + j] = -f.ddepth * nn[i] * nn[j];
        }
    }
    const GrMat3 tangents = projector(n, 0, 1), along = projector(n, 1, 0);
    GrSlider slide = {
        .state = gr_mat3_mul_vec(&tangents, memory->travel),
        .rate = gr_madd(motion->velocity, closing, n),
        .plane = tangents,
        .end = end != NULL ? &end->rate : NULL,
        .hold = end != NULL && end->hold,
        .slip_rate = pair->slip_speed,
        .stiction = pair->friction > 0 ? pair->stiction / pair->friction : 1,
        .stribeck = pair->stribeck,
        .magic_b = pair->magic_b,
        .magic_c = pair->magic_c,
        .magic_e = pair->magic_e,
    };
    Scale slide_scale =
        scale_of(&f, (Lever){.ratio = pair->friction, .lever2 = pair->tangent, .rest_rate = pair->rest_speed});
    slide_scale.coming = end != NULL ? end->limit : slide_scale.coming;
    out->stiffness = slide_scale.stiffness;
    out->damping = slide_scale.damping;
    out->friction = pair->friction;
    out->force = gr_scale(f.force, n);
    out->force = gr_add(out->force, add_slider(out, friction->force, &slide, &slide_scale, n, 3, dt));
    const double patch = sqrt(pair->radius * depth);
    if (isfinite(patch)) {
        GrSlider spin = {.state = gr_mat3_mul_vec(&along, memory->turn),
                         .rate = gr_mat3_mul_vec(&along, motion->spin),
                         .plane = along,
                         .slip_rate = pair->slip_speed / patch};
        Scale scale = spin_scale(&f, pair, depth);
        scale.slip_rate_ddepth = -f.contact_ddepth * spin.slip_rate / (2 * depth);
        out->moment = add_slider(out, friction->moment, &spin, &scale, n, 0, dt);
        out->spin_limit = ratio_or_zero(scale.limit, scale.stiffness);
    }
    if (pair->rolling > 0 && isfinite(pair->radius)) { // |M| ≤ μ_r R N (Ai et al. 2011, type C)
        GrSlider roll = {.state = gr_mat3_mul_vec(&tangents, memory->turn),
                         .rate = gr_mat3_mul_vec(&tangents, motion->spin),
                         .plane = tangents,
                         .slip_rate = pair->slip_speed / pair->radius};
        const double arm = pair->rolling * pair->radius; // the spring of a patch, in parallel with that of Ai et al.
        const Scale scale = scale_of(&f, (Lever){.ratio = arm,
                                                 .lever2 = pair->radius * depth + 2.25 * arm * arm,
                                                 .lever2_ddepth = f.contact_ddepth * pair->radius,
                                                 .rest_rate = pair->rest_speed / pair->radius});
        out->moment = gr_add(out->moment, add_slider(out, friction->moment, &roll, &scale, n, 0, dt));
        out->roll_limit = ratio_or_zero(scale.limit, scale.stiffness);
    }
    out->travel_limit = ratio_or_zero(slide_scale.limit, slide_scale.stiffness);
}

void gr_contact_force(const GrPairMaterial *pair, const GrContactMotion *motion, const GrContactMemory *memory,
                      double dt, GrContactForce *out)
{
    find_force(pair, motion, memory, NULL, dt, out);
}

bool gr_contact_revise(const GrPairMaterial *pair, const GrContactMotion *motion, const GrContactMemory *memory,
                       GrVec3 velocity, double dt, const GrContactForce *first, GrContactForce *out)
{
    if (!pair->tangential->remembers || !(motion->depth > 0)) {
        return false;
    }
    const GrVec3 n = motion->normal;
    const double closing = -gr_dot(motion->velocity, n), end_closing = -gr_dot(velocity, n);
    const double load = first->normal + first->drate * (end_closing - closing) + first->ddepth * dt * end_closing;
    End end = {.rate = gr_madd(velocity, end_closing, n), .limit = first->friction * fmax(0, load)};
    const GrVec3 travel = gr_madd(memory->travel, -gr_dot(memory->travel, n), n);
    const GrVec3 held = gr_madd(gr_scale(first->stiffness, travel), first->damping + dt * first->stiffness, end.rate);
    const double size = gr_norm(held);
    if (first->slips) {
        end.hold = size < end.limit || gr_dot(held, first->towards) < 0;
    }
    if (first->slips ? !end.hold : size <= (1 + EXCESS_SHARE) * end.limit) {
        return false;
    }
    find_force(pair, motion, memory, &end, dt, out);
    return true;
}

static GrVec3 shortened(GrVec3 v, double limit)
{
    const double length = gr_norm(v);
    return length > limit ? gr_scale(limit / length, v) : v;
}

GrContactMemory gr_contact_advance(const GrPairMaterial *pair, const GrContactMotion *motion,
                                   const GrContactForce *force, const GrContactMemory *memory, double dt)
{
    const double closing = -gr_dot(motion->velocity, motion->normal);
    GrContactMemory next = {.touching = motion->depth > 0, .parting = closing < 0};
    if (!next.touching) {
        return next;
    }
    // Compressed again without separation: the impact is over, and resting contact follows.
    const bool again = memory->touching && memory->parting && !next.parting;
    next.impact = again ? 0 : memory->impact;
    if (pair->tangential->remembers) {
        const GrMat3 tangents = projector(motion->normal, 0, 1), along = projector(motion->normal, 1, 0);
        const GrVec3 travel = gr_mat3_mul_vec(&tangents, gr_madd(memory->travel, dt, motion->velocity));
        const GrVec3 turn = gr_madd(memory->turn, dt, motion->spin);
        const GrVec3 spin = shortened(gr_mat3_mul_vec(&along, turn), force->spin_limit);
        const GrVec3 roll = shortened(gr_mat3_mul_vec(&tangents, turn), force->roll_limit);
        next.travel = shortened(travel, force->travel_limit);
        next.turn = gr_add(spin, roll);
    }
    return next;
}
