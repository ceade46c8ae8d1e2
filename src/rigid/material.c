/// Materials of surfaces, the contact parameters of their pairs, and the contact states of a wheel.
#include "material.h"

#include "contact_mode.h"
#include "number.h"
#include "world.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// ---- materials

#define OF(material, pair) offsetof(GrMaterial, material), offsetof(GrPairMaterial, pair)
#define ALONE(material)    offsetof(GrMaterial, material), SIZE_MAX

const GrMaterialParamRow gr_material_params[GR_MATERIAL_PARAM_COUNT] = {
    [GR_MATERIAL_YOUNG] = {"young_Pa", "Pa", "modulus of elasticity", ALONE(young), 0, INFINITY, true},
    [GR_MATERIAL_POISSON] = {"poisson", "1", "Poisson's ratio", ALONE(poisson), 0, 0.5, false},
    [GR_MATERIAL_RESTITUTION] = {"restitution", "1", "ratio of the speed after an impact to that before",
                                 OF(restitution, restitution), 0, 1, true},
    [GR_MATERIAL_REST_SPEED] = {"rest_speed_mps", "m/s", "slower impacts are damped as if they had this speed",
                                OF(rest_speed, rest_speed), 0, INFINITY, true},
    [GR_MATERIAL_SPRING] = {"spring_N_per_m", "N/m", "stiffness of the linear spring", OF(spring, spring), 0, INFINITY,
                            true},
    [GR_MATERIAL_DASHPOT] = {"dashpot_Ns_per_m", "N s/m", "damping in parallel with the linear spring",
                             OF(dashpot, dashpot), 0, INFINITY, false},
    [GR_MATERIAL_FRICTION] = {"friction", "1", "Coulomb coefficient; largest one of pacejka", OF(friction, friction), 0,
                              INFINITY, false},
    [GR_MATERIAL_STATIC_FRICTION] = {"static_friction", "1", "coefficient at break-away; 0: same as friction",
                                     OF(static_friction, stiction), 0, INFINITY, false},
    [GR_MATERIAL_STRIBECK] = {"stribeck_s_per_m", "s/m", "decay from static to sliding friction with speed",
                              OF(stribeck, stribeck), 0, INFINITY, false},
    [GR_MATERIAL_SLIP_SPEED] = {"slip_speed_mps", "m/s", "scale of the sliding speed in laws without memory",
                                OF(slip_speed, slip_speed), 0, INFINITY, true},
    [GR_MATERIAL_TANGENT_STIFFNESS] = {"tangent_stiffness", "1",
                                       "ratio of tangential to normal stiffness; 0: 2 (1 − ν)/(2 − ν) after Mindlin",
                                       OF(tangent_stiffness, tangent), 0, INFINITY, false},
    [GR_MATERIAL_MAGIC_B] = {"magic_B", "1", "stiffness factor B of the magic formula", OF(magic_b, magic_b), 0,
                             INFINITY, true},
    [GR_MATERIAL_MAGIC_C] = {"magic_C", "1", "shape factor C of the magic formula", OF(magic_c, magic_c), 1, 2, false},
    [GR_MATERIAL_MAGIC_E] = {"magic_E", "1", "curvature factor E of the magic formula", OF(magic_e, magic_e), -100, 1,
                             false},
    [GR_MATERIAL_ROLLING_FRICTION] = {"rolling_friction", "1", "rolling moment over (normal force × radius)",
                                      OF(rolling_friction, rolling), 0, INFINITY, false},
};

GrMaterial gr_default_material(void)
{
    return (GrMaterial){
        .young = 1e7,
        .poisson = 0.3,
        .restitution = 0.5,
        .friction = 0.6,
        .stribeck = 10,
        .slip_speed = 1e-3,
        .rest_speed = 0.02,
        .spring = 1e6,
        .dashpot = 1e3,
        .magic_b = 2.64,
        .magic_c = 1.3,
    };
}

/// Whether a value is within the range allowed in files.
static bool material_param_allows(GrMaterialParam param, double value)
{
    const GrMaterialParamRow *row = &gr_material_params[param];
    return isfinite(value) && (row->lower_open ? value > row->lower : value >= row->lower) && value <= row->upper;
}

bool gr_material_check(const GrMaterial *m, char *out, size_t size)
{
    GrMaterial copy = *m;
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        const double value = *gr_material_value(&copy, (GrMaterialParam)i);
        if (!material_param_allows((GrMaterialParam)i, value)) {
            const GrMaterialParamRow *row = &gr_material_params[i];
            gr_print(out, size, "%s: found %g, allowed: %s%g to %g", row->key, value, row->lower_open ? "above " : "",
                     row->lower, row->upper);
            return false;
        }
    }
    if (!(m->static_friction == 0 || m->static_friction >= m->friction)) {
        gr_print(out, size, "static_friction: found %g, allowed: 0, or at least friction (%g)", m->static_friction,
                 m->friction);
        return false;
    }
    return true;
}

/// 2 a b/(a + b) (B23 after eq. 3)
static double harmonic_mean(double a, double b)
{
    return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

/// Mindlin (1949): ratio of tangential to normal stiffness of two equal spheres.
static double tangent_ratio(const GrMaterial *m)
{
    return m->tangent_stiffness > 0 ? m->tangent_stiffness : 2 * (1 - m->poisson) / (2 - m->poisson);
}

static double stiction(const GrMaterial *m)
{
    return m->static_friction > 0 ? m->static_friction : m->friction;
}

GrPairMaterial gr_material_pair(const GrMaterial *a, double radius_a, const GrMaterial *b, double radius_b,
                                bool as_printed)
{
    // 1/R = 1/R1 + 1/R2, infinite radii allowed
    const double radius = 1 / (1 / radius_a + 1 / radius_b);
    const double compliance = (1 - a->poisson * a->poisson) / a->young + (1 - b->poisson * b->poisson) / b->young;
    // k = 4/3 √R E*, 1/E* = Σ (1 − ν²)/E (Hertz 1882); B23 eq. 3 halves the compliance
    const double hertz = 4.0 / 3 * sqrt(radius) / (as_printed ? compliance / 2 : compliance);
    const double zeta = harmonic_mean(a->restitution, b->restitution);
    return (GrPairMaterial){
        .hertz = hertz,
        .radius = radius,
        .restitution = zeta,
        .friction = harmonic_mean(a->friction, b->friction),
        .stiction = harmonic_mean(stiction(a), stiction(b)),
        .stribeck = harmonic_mean(a->stribeck, b->stribeck),
        .rolling = fmax(a->rolling_friction, b->rolling_friction),
        .slip_speed = fmax(a->slip_speed, b->slip_speed),
        .rest_speed = fmax(a->rest_speed, b->rest_speed),
        .tangent = harmonic_mean(tangent_ratio(a), tangent_ratio(b)),
        .spring = harmonic_mean(a->spring, b->spring),
        .dashpot = harmonic_mean(a->dashpot, b->dashpot),
        .magic_b = harmonic_mean(a->magic_b, b->magic_b),
        .magic_c = harmonic_mean(a->magic_c, b->magic_c),
        .magic_e = (a->magic_e + b->magic_e) / 2,
        .as_printed = as_printed,
    };
}

void gr_pair_override(GrPairMaterial *pair, const GrMaterial *values)
{
    GrMaterial given = *values;
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        const double value = *gr_material_value(&given, (GrMaterialParam)i);
        const bool automatic = i == GR_MATERIAL_TANGENT_STIFFNESS && value == 0; // from the materials
        if (!isnan(value) && !automatic && gr_material_params[i].in_pair != SIZE_MAX) {
            memcpy((char *)pair + gr_material_params[i].in_pair, &value, sizeof value);
        }
    }
    if (values->static_friction == 0 || (isnan(values->static_friction) && !isnan(values->friction))) {
        pair->stiction = pair->friction;
    }
}

// ---- contact states

const char *gr_contact_mode_text(GrContactMode mode)
{
    static const char *const TEXTS[] = {
#define GR_MODE_TEXT(name, surface, text) text,
        GR_CONTACT_MODE_LIST(GR_MODE_TEXT)
#undef GR_MODE_TEXT
    };
    return mode >= 0 && mode < GR_CONTACT_MODE_COUNT ? TEXTS[mode] : "unknown";
}

GrContactSurface gr_contact_mode_surface(GrContactMode mode)
{
    static const GrContactSurface SURFACES[] = {
#define GR_MODE_SURFACE(name, surface, text) surface,
        GR_CONTACT_MODE_LIST(GR_MODE_SURFACE)
#undef GR_MODE_SURFACE
    };
    return SURFACES[mode];
}

GrContactMode gr_rigid_mode(const GrRigidWorld *w, const GrRigidState *s, int driven, GrContactSurface surface)
{
    const bool stone = surface == GR_ON_STONE;
    const int body = w->driven_body[driven];
    double sticking = 0, sliding = 0;
    bool old = false;
    for (int i = 0; i < s->live_count[0]; i++) {
        const GrLiveContact *c = &s->live[i];
        const int other = c->body_b == body ? c->body_a : c->body_b;
        const bool on_stone = other >= 0 && w->bodies[other].stone;
        if (other >= 0 && w->bodies[other].motion == GR_RIGID_DRIVEN) {
            continue; // contact between the rover's own bodies
        }
        if ((c->body_a == body || c->body_b == body) && on_stone == stone && c->force.normal > 0) {
            *(c->force.slips ? &sliding : &sticking) += c->force.normal;
            old = old || c->kept.memory.touching;
        }
    }
    if (sticking + sliding <= 0) {
        return stone ? GR_STONE_NO_COLLISION : GR_RIGID_NO_CONTACT;
    }
    if (!old) {
        return stone ? GR_STONE_COLLISION : GR_RIGID_CONTACT;
    }
    if (sliding > sticking) {
        return stone ? GR_STONE_SLIDING : GR_RIGID_SLIDING;
    }
    return stone ? GR_STONE_ROLLING : GR_RIGID_ROLLING;
}

void gr_mode_log_start(GrModeLog *log)
{
    *log = (GrModeLog){.mode = {GR_RIGID_NO_CONTACT, GR_SOFT_NO_CONTACT, GR_STONE_NO_COLLISION}};
}

void gr_mode_log_add(GrModeLog *log, const GrContactMode *modes, int count, double dt)
{
    for (int i = 0; i < count; i++) {
        GrContactMode *last = &log->mode[gr_contact_mode_surface(modes[i])];
        log->changes += *last != modes[i];
        *last = modes[i];
    }
    log->time += dt;
}

double gr_mode_log_chatter(const GrModeLog *log)
{
    return log->time > 0 ? (double)log->changes / log->time : 0;
}
