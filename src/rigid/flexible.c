/// Flexible wheels: a rigid rim on a radial spring and damper inside it, in series with its contacts.
///
/// The rim is displaced by u relative to the hub, perpendicular to the axle. Contact i, with the unit normal n_i of the
/// force on the wheel and the depth δ_i of a rigid wheel, then has the depth δ_i − n_i·u. The rim has no mass, so u
/// minimises
///
///     ½ k |u|² + Σ 2/5 h_i (δ_i − n_i·u)^2.5,      that is   k u = Σ N_i n_i
///
/// which is convex: u is unique, needs no memory, and the forces derive from a potential. On level ground the wheel
/// deflects by W/k, whether a cylinder, two grousers or a mesh carries it; a step in front and the ground below act as
/// separate springs.
///
/// Damping is added to first order. With k_i = ∂N_i/∂δ at contact i and A = k 1 + Σ k_i n_i n_iᵀ, rates δ̇ move the rim
/// by u̇ = A⁻¹ Σ k_i n_i δ̇_i and the contacts by z_i = δ̇_i − n_i·u̇; losses are Σ c_i z_i² + c |u̇|², with c_i of the
/// contact and c of the wheel, and forces follow as their derivative. Two springs in series with dampers have the
/// damping s² c_contact + (1 − s)² c_wheel, s = k_wheel/(k_wheel + k_contact). The alternative, a state for u, needs
/// steps as short as its relaxation time (c/k, below 0.1 ms), and the results differ by less than the ratio of that
/// time to the duration of an impact.
///
/// Contacts with moving loose bodies each have a separate part of the spring: their derivatives enter the equations of
/// those bodies, which treat one contact at a time.
#include "elementary.h"
#include "world.h"

enum { ITERATIONS = 100 };
static const double FORCE_TOLERANCE = 1e-12; // relative to the force
static const double LEAST_PART = 1e-3;       // smallest fraction of Newton's step

/// A wheel during the evaluation of its contacts.
typedef struct Wheel {
    int body;
    double stiffness, damping;
    GrVec3 axle;    ///< world
    GrVec3 u;       ///< displacement of the rim relative to the hub [m]
    GrVec3 rate;    ///< of u [m/s]
    GrSym3 inverse; ///< A⁻¹
} Wheel;

/// A contact seen from the wheel.
typedef struct Spoke {
    GrLiveContact *c;
    double side;   ///< +1: the wheel is b, −1: a
    GrVec3 normal; ///< of the force on the wheel
    GrVec3 radial; ///< its component perpendicular to the axle
} Spoke;

static Spoke spoke_of(const Wheel *wheel, GrLiveContact *c)
{
    Spoke s = {.c = c, .side = c->body_b == wheel->body ? 1 : -1};
    s.normal = gr_scale(s.side, c->motion.normal);
    s.radial = gr_madd(s.normal, -gr_dot(s.normal, wheel->axle), wheel->axle);
    return s;
}

static double contact_depth(const Wheel *wheel, const Spoke *s)
{
    return s->c->motion.depth - gr_dot(s->radial, wheel->u);
}

static double contact_stiffness(const Spoke *s, double depth)
{
    return depth > 0 ? gr_pair_stiffness(&s->c->pair, depth) : 0;
}

static double contact_damping(const Spoke *s, double depth)
{
    return depth > 0 ? gr_contact_damping(&s->c->pair, &s->c->motion, &s->c->kept.memory, depth) : 0;
}

static GrSym3 inverse_of(GrSym3 a)
{
    const GrSym3 c = {a.yy * a.zz - a.yz * a.yz, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy,
                      a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy, a.xy * a.xz - a.yz * a.xx};
    const double det = a.xx * c.xx + a.xy * c.xy + a.xz * c.xz;
    return (GrSym3){c.xx / det, c.yy / det, c.zz / det, c.xy / det, c.xz / det, c.yz / det};
}

static void add_outer(GrSym3 *a, double s, GrVec3 v)
{
    a->xx += s * v.x * v.x;
    a->yy += s * v.y * v.y;
    a->zz += s * v.z * v.z;
    a->xy += s * v.x * v.y;
    a->xz += s * v.x * v.z;
    a->yz += s * v.y * v.z;
}

/// Whether contact i is between the wheel and something fixed.
static bool is_of(const GrRigidWorld *w, const GrRigidState *s, const Wheel *wheel, int i)
{
    const GrLiveContact *c = &s->live[i];
    const int other = c->body_a == wheel->body ? c->body_b : c->body_a;
    return (c->body_a == wheel->body || c->body_b == wheel->body) && !gr_rigid_is_awake(w, s, other);
}

/// Energy of spring and contacts; with its gradient and Hessian.
static double potential(const GrRigidWorld *w, GrRigidState *s, const Wheel *wheel, GrVec3 *gradient, GrSym3 *hessian)
{
    const double k = wheel->stiffness;
    double energy = 0.5 * k * gr_dot(wheel->u, wheel->u);
    *gradient = gr_scale(k, wheel->u);
    *hessian = (GrSym3){k, k, k, 0, 0, 0};
    for (int i = 0; i < s->live_count[0]; i++) {
        if (is_of(w, s, wheel, i)) {
            const Spoke spoke = spoke_of(wheel, &s->live[i]);
            const double depth = contact_depth(wheel, &spoke);
            if (depth > 0) {
                const double force = gr_pair_elastic(&spoke.c->pair, depth);
                energy += (spoke.c->pair.linear ? 0.5 : 0.4) * force * depth;
                *gradient = gr_madd(*gradient, -force, spoke.radial);
                add_outer(hessian, contact_stiffness(&spoke, depth), spoke.radial);
            }
        }
    }
    return energy;
}

/// u by Newton's method; a step that does not lower the energy is halved.
static void find_deflection(const GrRigidWorld *w, GrRigidState *s, Wheel *wheel)
{
    GrVec3 gradient;
    GrSym3 hessian;
    double energy = potential(w, s, wheel, &gradient, &hessian);
    const double scale = gr_norm(gradient);
    for (int i = 0; i < ITERATIONS && gr_norm(gradient) > FORCE_TOLERANCE * scale; i++) {
        const GrVec3 from = wheel->u, step = gr_sym3_mul_vec(inverse_of(hessian), gradient);
        const double before = energy;
        double part = 1;
        do {
            wheel->u = gr_madd(from, -part, step);
            energy = potential(w, s, wheel, &gradient, &hessian);
            part *= 0.5;
        } while (energy > before && part > LEAST_PART);
        if (energy > before) { // limited by rounding: this is the minimum
            wheel->u = from;
            potential(w, s, wheel, &gradient, &hessian);
            break;
        }
    }
    wheel->inverse = inverse_of(hessian);
}

/// A wheel's share in one contact: N, and its derivatives for motion of the wheel along the contact's normal.
static void set_share(const Wheel *wheel, const Spoke *spoke, double force, double series, double damping)
{
    GrContactMotion *motion = &spoke->c->motion;
    motion->share = (GrFlexShare){.given = true,
                                  .depth = contact_depth(wheel, spoke),
                                  .force = fmax(0, force),
                                  .ddepth = force > 0 ? series : 0,
                                  .drate = force > 0 ? damping : 0};
}

static void evaluate(GrLiveContact *c, double dt)
{
    gr_contact_force(&c->pair, &c->motion, &c->kept.memory, dt, &c->force);
}

/// (p × v; v)
static void wrench_row(GrVec3 arm, GrVec3 v, double out[6])
{
    const GrVec3 m = gr_cross(arm, v);
    const double row[6] = {m.x, m.y, m.z, v.x, v.y, v.z};
    for (int i = 0; i < 6; i++) {
        out[i] = row[i];
    }
}

static void add_product(GrMat6 *to, double s, const double a[6], const double b[6])
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            to->m[i][j] += s * a[i] * b[j];
        }
    }
}

/// Sums over the contacts: P = Σ k_i q_i n_iᵀ and R = Σ k_i g_i n_iᵀ (6 × 3), with the wrenches q_i of dN_i = 1 and g_i
/// of a unit normal force.
typedef struct Sums {
    double p[6][3], r[6][3];
} Sums;

/// Force on the wheel for a unit of N: the normal, and friction where it slips.
static GrVec3 unit_force(const Spoke *s)
{
    const double friction = s->c->force.slips ? -s->side * s->c->force.friction : 0;
    return gr_madd(s->normal, friction, s->c->force.towards);
}

static void add_sums(Sums *sums, double k, const double q[6], const double g[6], GrVec3 n)
{
    const double v[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 3; j++) {
            sums->p[i][j] += k * q[i] * v[j];
            sums->r[i][j] += k * g[i] * v[j];
        }
    }
}

/// m A⁻¹ v
static void through(double (*m)[3], const Wheel *wheel, GrVec3 v, double out[6])
{
    const GrVec3 x = gr_sym3_mul_vec(wheel->inverse, v);
    for (int i = 0; i < 6; i++) {
        out[i] = m[i][0] * x.x + m[i][1] * x.y + m[i][2] * x.z;
    }
}

/// Adds the derivatives of all contacts together, minus those that each contact includes in its own force.
static void add_jacobians(const GrRigidWorld *w, GrRigidState *s, const Wheel *wheel, GrRigidLoad *load)
{
    Sums sums = {0};
    const GrVec3 origin = gr_rigid_reference(w, s, wheel->body);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->live_count[0]; i++) {
            const GrFlexShare *share = &s->live[i].motion.share;
            if (!is_of(w, s, wheel, i) || !(share->force > 0)) {
                continue;
            }
            const Spoke spoke = spoke_of(wheel, &s->live[i]);
            const double k = contact_stiffness(&spoke, share->depth), c = contact_damping(&spoke, share->depth);
            const GrVec3 arm = gr_sub(spoke.c->kept.position, origin);
            double q[6], g[6];
            wrench_row(arm, unit_force(&spoke), q);
            wrench_row(arm, spoke.normal, g);
            if (pass == 0) {
                add_sums(&sums, k, q, g, spoke.radial);
                add_product(&load->dpose, share->ddepth - k, q, g);
                add_product(&load->dtwist, share->drate, q, g);
                continue;
            }
            double left[6], right[6]; // q − P A⁻¹ n, g − R A⁻¹ n
            through(sums.p, wheel, spoke.radial, left);
            through(sums.r, wheel, spoke.radial, right);
            for (int j = 0; j < 6; j++) {
                left[j] = q[j] - left[j];
                right[j] = g[j] - right[j];
            }
            add_product(&load->dtwist, -c, left, right);
        }
    }
    for (int j = 0; j < 3; j++) { // + P A⁻¹ Rᵀ, − c P A⁻¹ A⁻¹ Rᵀ
        const GrVec3 e = {j == 0, j == 1, j == 2};
        double p[6], r[6], moved[6];
        through(sums.p, wheel, e, p);
        through(sums.r, wheel, e, moved);
        for (int i = 0; i < 6; i++) {
            r[i] = sums.r[i][j];
        }
        add_product(&load->dpose, 1, p, r);
        add_product(&load->dtwist, -wheel->damping, p, moved);
    }
}

/// Contacts with fixed bodies: one deflection for all of them.
static void bend_together(const GrRigidWorld *w, GrRigidState *s, Wheel *wheel, double dt, GrRigidLoad *load)
{
    find_deflection(w, s, wheel);
    GrVec3 pushed = {0, 0, 0}, held = {0, 0, 0};
    double total = 0;
    for (int i = 0; i < s->live_count[0]; i++) { // Σ k_i n_i δ̇_i
        if (is_of(w, s, wheel, i)) {
            const Spoke spoke = spoke_of(wheel, &s->live[i]);
            const double k = contact_stiffness(&spoke, contact_depth(wheel, &spoke));
            const double closing = -gr_dot(spoke.c->motion.velocity, spoke.c->motion.normal);
            pushed = gr_madd(pushed, k * closing, spoke.radial);
            total += k;
        }
    }
    wheel->rate = gr_sym3_mul_vec(wheel->inverse, pushed);
    for (int i = 0; i < s->live_count[0]; i++) { // Σ c_i z_i n_i
        if (is_of(w, s, wheel, i)) {
            const Spoke spoke = spoke_of(wheel, &s->live[i]);
            const double closing = -gr_dot(spoke.c->motion.velocity, spoke.c->motion.normal);
            const double c = contact_damping(&spoke, contact_depth(wheel, &spoke));
            held = gr_madd(held, c * (closing - gr_dot(spoke.radial, wheel->rate)), spoke.radial);
        }
    }
    const GrVec3 back = gr_sym3_mul_vec(wheel->inverse, gr_madd(held, -wheel->damping, wheel->rate));
    for (int i = 0; i < s->live_count[0]; i++) {
        if (!is_of(w, s, wheel, i)) {
            continue;
        }
        const Spoke spoke = spoke_of(wheel, &s->live[i]);
        const double depth = contact_depth(wheel, &spoke), k = contact_stiffness(&spoke, depth);
        const double c = contact_damping(&spoke, depth);
        const double closing = -gr_dot(spoke.c->motion.velocity, spoke.c->motion.normal);
        const double elastic = depth > 0 ? k * depth / (spoke.c->pair.linear ? 1 : 1.5) : 0;
        const double z = closing - gr_dot(spoke.radial, wheel->rate);
        const double force = elastic + c * z - k * gr_dot(spoke.radial, back);
        // for motion along its own normal, all contacts of that direction move with it: 1 − n·A⁻¹ Σ k n nᵀ n = k_w
        // n·A⁻¹ n
        const double part = wheel->stiffness * gr_dot(spoke.radial, gr_sym3_mul_vec(wheel->inverse, spoke.radial)) +
                            gr_dot(spoke.normal, wheel->axle) * gr_dot(spoke.normal, wheel->axle);
        const double share = total > 0 ? k / total : 0;
        set_share(wheel, &spoke, force, part * k, part * part * c + share * (1 - part) * (1 - part) * wheel->damping);
        evaluate(spoke.c, dt);
    }
    add_jacobians(w, s, wheel, load);
}

/// Depth of a contact in series with a spring k whose total depth is `depth`.
static double depth_in_series(const GrPairMaterial *pair, double k, double depth)
{
    if (pair->linear) {
        return k * depth / (k + pair->spring);
    }
    // h y³ + k y² = k δ, y = √δ_c: convex, so Newton's method converges from above without overshoot
    const double h = pair->hertz;
    double y = fmin(sqrt(depth), gr_cbrt(k * depth / h));
    for (int n = 0; n < ITERATIONS; n++) {
        const double next = y - (h * y * y * y + k * y * y - k * depth) / (3 * h * y * y + 2 * k * y);
        if (!(next < y)) {
            break;
        }
        y = next;
    }
    return y * y;
}

/// A contact with a moving body, on a separate part of the spring. When two flexible wheels of one rover touch each
/// other, the first deflects.
static void bend_alone(GrRigidState *s, const Wheel *whole, int i, double dt, double *energy, double *loss)
{
    double sum = 0;
    for (int j = 0; j < s->live_count[0]; j++) {
        sum += s->live[j].kept.key == s->live[i].kept.key ? s->live[j].pair.hertz : 0;
    }
    Wheel wheel = *whole;
    const Spoke spoke = spoke_of(&wheel, &s->live[i]);
    const double part = spoke.c->pair.hertz / sum, along = gr_norm(spoke.radial);
    wheel.stiffness *= part;
    wheel.damping *= part;
    const GrPairMaterial *pair = &spoke.c->pair;
    const double k = wheel.stiffness / fmax(along * along, 1e-12), depth = spoke.c->motion.depth;
    const double own = depth_in_series(pair, k, depth);
    const double u = depth - own, stiffness = gr_pair_stiffness(pair, own), s_contact = k / (k + stiffness);
    wheel.u = gr_scale(u / fmax(along * along, 1e-12), spoke.radial); // 0 for a contact on the wheel's side
    const double c = contact_damping(&spoke, own), c_wheel = wheel.damping / fmax(along * along, 1e-12);
    const double damping = s_contact * s_contact * c + (1 - s_contact) * (1 - s_contact) * c_wheel;
    const double closing = -gr_dot(spoke.c->motion.velocity, spoke.c->motion.normal);
    const double y = sqrt(own), elastic = pair->linear ? pair->spring * own : pair->hertz * y * y * y;
    set_share(&wheel, &spoke, elastic + damping * closing, s_contact * stiffness, damping);
    evaluate(spoke.c, dt);
    *energy += 0.5 * wheel.stiffness * gr_dot(wheel.u, wheel.u);
    *loss += c_wheel * (1 - s_contact) * (1 - s_contact) * closing * closing;
}

static bool carries(const GrRigidWorld *w, const GrRigidState *s, const Wheel *wheel)
{
    bool any = false;
    for (int i = 0; i < s->live_count[0]; i++) {
        any = any || (is_of(w, s, wheel, i) && s->live[i].force.normal > 0);
    }
    return any;
}

void gr_rigid_bend_wheels(const GrRigidWorld *w, GrRigidState *s, double dt, GrRigidLoad *loads)
{
    for (int d = 0; d < w->driven_count; d++) {
        const GrRigidBody *body = &w->bodies[w->driven_body[d]];
        s->flex_energy[d] = s->flex_loss[d] = 0;
        if (!(body->flex_stiffness > 0) || !s->near[d]) {
            continue;
        }
        Wheel wheel = {.body = w->driven_body[d], .stiffness = body->flex_stiffness, .damping = body->flex_damping};
        wheel.axle = gr_quat_rotate(s->driven_pose[d].rotation, body->flex_axis);
        bool together = false;
        for (int i = 0; i < s->live_count[0]; i++) {
            const GrLiveContact *c = &s->live[i];
            if (is_of(w, s, &wheel, i)) {
                together = true;
            } else if ((c->body_a == wheel.body || c->body_b == wheel.body) && !c->motion.share.given) {
                bend_alone(s, &wheel, i, dt, &s->flex_energy[d], &s->flex_loss[d]);
            }
        }
        if (together) {
            bend_together(w, s, &wheel, dt, &loads[d]);
            s->flex_energy[d] += 0.5 * wheel.stiffness * gr_dot(wheel.u, wheel.u);
            // When the damper keeps the rim from following the receding ground, all its energy goes into the damper.
            const double released = -wheel.stiffness * gr_dot(wheel.u, wheel.rate);
            s->flex_loss[d] +=
                carries(w, s, &wheel) ? wheel.damping * gr_dot(wheel.rate, wheel.rate) : fmax(0, released);
        }
    }
}

double gr_rigid_flex_energy(const GrRigidState *s, int driven)
{
    return s->flex_energy[driven];
}

double gr_rigid_flex_loss(const GrRigidState *s, int driven)
{
    return s->flex_loss[driven];
}
