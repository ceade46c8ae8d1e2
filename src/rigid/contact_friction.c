/// Resistance to sliding and rotation at a contact: the laws, and what a contact remembers.
#include "contact_law.h"

#include "choice.h"
#include "elementary.h"

enum {
    ALWAYS = 1 << GR_MATERIAL_FRICTION | 1 << GR_MATERIAL_ROLLING_FRICTION,
    SPEED = ALWAYS | 1 << GR_MATERIAL_SLIP_SPEED,
};

#define NAME(id, name) #name,
const char *const gr_friction_law_names[] = {GR_FRICTION_LAW_LIST(NAME)};
#undef NAME

const GrFrictionLawRow gr_friction_laws[GR_FRICTION_LAW_COUNT] = {
    [GR_FRICTION_SPRING] = {"spring-damper inside the friction circle: holds without creep, rolls, slides",
                            gr_slider_spring, gr_slider_spring, true,
                            ALWAYS | 1 << GR_MATERIAL_TANGENT_STIFFNESS | 1 << GR_MATERIAL_POISSON |
                                1 << GR_MATERIAL_REST_SPEED},
    [GR_FRICTION_TANH] = {"μ tanh(v/v_s): Coulomb friction regularised", gr_slider_tanh, gr_slider_tanh, false, SPEED},
    [GR_FRICTION_BENGISU_AKAY] = {"rises to μ_s at v_s, decays to μ (Stribeck)", gr_slider_bengisu_akay, gr_slider_tanh,
                                  false, SPEED | 1 << GR_MATERIAL_STATIC_FRICTION | 1 << GR_MATERIAL_STRIBECK},
    [GR_FRICTION_PACEJKA] = {"μ sin(C atan(B s − E (B s − atan(B s)))), s = v/v_s: magic formula over the creep speed",
                             gr_slider_pacejka, gr_slider_tanh, false,
                             SPEED | 1 << GR_MATERIAL_MAGIC_B | 1 << GR_MATERIAL_MAGIC_C | 1 << GR_MATERIAL_MAGIC_E},
};

const char *gr_friction_law_name(GrFrictionLaw law)
{
    return (unsigned)law < GR_FRICTION_LAW_COUNT ? gr_friction_law_names[law] : "unknown";
}

const char *gr_friction_law_text(GrFrictionLaw law)
{
    return (unsigned)law < GR_FRICTION_LAW_COUNT ? gr_friction_laws[law].text : "unknown";
}

GrStatus gr_friction_law_find(const char *name, GrFrictionLaw *out, GrErrorLog *log)
{
    const GrChoice laws = {"friction law", "friction_law", gr_friction_law_names, GR_FRICTION_LAW_COUNT};
    const int index = gr_choice_find(&laws, name, log);
    *out = index >= 0 ? (GrFrictionLaw)index : *out;
    return index >= 0 ? GR_OK : GR_ERROR_NAME;
}

/// a P + b e eᵀ
static GrMat3 plane_matrix(const GrMat3 *plane, double a, double b, GrVec3 e)
{
    const double v[3] = {e.x, e.y, e.z};
    GrMat3 m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m.m[i][j] = a * plane->m[i][j] + b * v[i] * v[j];
        }
    }
    return m;
}

static GrMat3 scaled(const GrMat3 *m, double s)
{
    GrMat3 out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.m[i][j] = s * m->m[i][j];
        }
    }
    return out;
}

GrSliderForce gr_slider_spring(const GrSlider *s, double dt)
{
    const double k = s->stiffness, c = s->damping;
    const GrVec3 now = gr_madd(gr_scale(k, s->state), c, s->rate);
    // at the end of the step if the rate is constant
    const GrVec3 trial =
        s->end == NULL ? gr_madd(now, k * dt, s->rate) : gr_madd(gr_scale(k, s->state), c + k * dt, *s->end);
    const double size = gr_norm(trial);
    // Rate on which the load-dependent damping acts: a contact that is held has come to rest, whatever its initial
    // rate.
    const GrVec3 rate = s->hold ? gr_vec3(0, 0, 0) : s->rate;
    // A contact under increasing load must not take the direction of its friction from initial noise.
    if (s->hold || size <= s->coming) { // f = −k state − c rate
        return (GrSliderForce){
            .force = gr_neg(now),
            .drate = scaled(&s->plane, -c),
            .dstate = scaled(&s->plane, -k),
            .dstiffness = gr_neg(s->state),
            .ddamping = gr_neg(rate),
        };
    }
    // f = −limit w/|w|, w = k state + c rate; a new contact without damping has no w yet and uses the trial state
    const bool loaded = s->end == NULL && gr_norm(now) > 1e-9 * size;
    const GrVec3 w = loaded ? now : trial;
    const double length = gr_norm(w);
    const GrVec3 e = gr_scale(1 / length, w);
    const double turn = -s->limit / length; // ∂f/∂w = turn (P − e eᵀ)
    const GrMat3 across = plane_matrix(&s->plane, turn, -turn, e);
    return (GrSliderForce){
        // when e is that of the end of the step, the derivatives extrapolate this to −limit e there
        .force = loaded ? gr_scale(-s->limit, e) : gr_madd(gr_mat3_mul_vec(&across, now), -s->limit, e),
        .drate = scaled(&across, c),
        .dstate = scaled(&across, k),
        .dlimit = gr_neg(e),
        .dstiffness = gr_mat3_mul_vec(&across, s->state),
        .ddamping = gr_mat3_mul_vec(&across, s->rate),
        .towards = e,
        .slips = true,
    };
}

/// f = −limit g(|rate|) rate/|rate|, from g and its derivative
static GrSliderForce regularised(const GrSlider *s, double speed, double g, double dg)
{
    const GrVec3 e = speed > 0 ? gr_scale(1 / speed, s->rate) : gr_vec3(0, 0, 0);
    const double across = speed > 0 ? g / speed : dg;
    return (GrSliderForce){
        .force = gr_scale(-s->limit * g, e),
        .drate = plane_matrix(&s->plane, -s->limit * across, -s->limit * (dg - across), e),
        .dlimit = gr_scale(-g, e),
        .dslip_rate = gr_scale(s->limit * dg * speed / s->slip_rate, e), // g of rate/slip_rate
        .slips = speed > s->slip_rate,
    };
}

GrSliderForce gr_slider_tanh(const GrSlider *s, double dt)
{
    (void)dt;
    const double speed = gr_norm(s->rate);
    const double g = gr_tanh(speed / s->slip_rate);
    return regularised(s, speed, g, (1 - g * g) / s->slip_rate);
}

GrSliderForce gr_slider_bengisu_akay(const GrSlider *s, double dt)
{
    (void)dt;
    const double speed = gr_norm(s->rate), vd = s->slip_rate, peak = s->stiction;
    if (speed < vd) { // μ_s (1 − (v − v_d)²/v_d²)
        const double u = (speed - vd) / vd;
        return regularised(s, speed, peak * (1 - u * u), -2 * peak * u / vd);
    }
    const double excess = (peak - 1) * gr_exp(-s->stribeck * (speed - vd)); // μ + (μ_s − μ) e^(−ξ (v − v_d))
    return regularised(s, speed, 1 + excess, -s->stribeck * excess);
}

GrSliderForce gr_slider_pacejka(const GrSlider *s, double dt)
{
    (void)dt;
    const double speed = gr_norm(s->rate), b = s->magic_b, e = s->magic_e;
    const double x = b * speed / s->slip_rate, y = x - e * (x - gr_atan(x)), angle = s->magic_c * gr_atan(y);
    const double dy = b / s->slip_rate * (1 - e * x * x / (1 + x * x));
    return regularised(s, speed, gr_sin(angle), gr_cos(angle) * s->magic_c * dy / (1 + y * y));
}
