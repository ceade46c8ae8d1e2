#include "arc_steady.h"

#include "elementary.h"
#include "pressing.h"
#include "two_zones.h"

#include <math.h>
#include <string.h>

// Gauss-Legendre with eight nodes on [0, 1].
enum { PART_NODES = 8, BREAKS_MAX = 160 };
static const double part_x[PART_NODES] = {0.019855071751231884, 0.10166676129318664, 0.23723379504183550,
                                          0.40828267875217510,  0.59171732124782490, 0.76276620495816450,
                                          0.89833323870681336,  0.98014492824876812};
static const double part_w[PART_NODES] = {0.050614268145188130, 0.11119051722668724, 0.15685332293894364,
                                          0.18134189168918099,  0.18134189168918099, 0.15685332293894364,
                                          0.11119051722668724,  0.050614268145188130};

const double gr_panel_x[GR_PANEL_NODES] = {0.066390394168858391, 0.31009584357909414, 0.61645562796664966,
                                           0.85507481404984664,  0.97130523004535885, 0.99885990837201044};
const double gr_panel_w[GR_PANEL_NODES] = {0.16553967927953861, 0.29965025571195142,  0.28978358839870655,
                                           0.17813034617398468, 0.061111317336187174, 0.0057848130996318789};

/// One patch in steady rolling, with speeds divided by the larger of rω and v_x.
typedef struct Patch {
    double r, br;
    double theta1, theta2, peak;
    double sin1, cos1; ///< of θ1
    double stretch;    ///< (θ1 − θ_m)/(θ_m − θ2)
    double deeper;     ///< sinkage in excess of the radius [m]
    double exponent, log_p;
    GrPressing pressing; ///< for its further terms
    double cohesion, tan_phi;
    double rim, v_x, v_y;
    double by_kx, by_ky; ///< r/(rω K): χ per slip speed and rad
    bool combined, zones;
    double turn, sin_turn; ///< θ_t, where two zones part, and its sine; θ1 with one zone
    double mean_c;         ///< C̄ of two_zones.h
} Patch;

/// Current nodes: θ, remaining angle δ of the stress to its end (z = r (cos(θ1 − δ) − cos θ1)), weight in rad.
typedef struct Nodes {
    double theta[PART_NODES], delta[PART_NODES], weight[PART_NODES];
    double travel[PART_NODES]; ///< with two zones: arc travelled over that from the entry of the zone
    double more[PART_NODES];   ///< further terms of the stress [Pa]
} Nodes;

static Patch make_patch(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc)
{
    const bool driving = in->slip >= 0;
    const double ahead = arc->front - arc->peak, behind = arc->peak - arc->rear, tangent = gr_tan(in->angle);
    Patch p = {.r = w->radius,
               .br = in->width * w->radius,
               .theta1 = arc->front,
               .theta2 = arc->rear,
               .peak = arc->peak,
               .sin1 = gr_sin(arc->front),
               .cos1 = gr_cos(arc->front),
               .stretch = behind > 0 ? ahead / behind : 0,
               .deeper = in->h > w->radius ? in->h - w->radius : 0,
               .exponent = in->exponent,
               .cohesion = w->soil.cohesion,
               .tan_phi = w->tan_phi,
               .rim = driving ? 1 : 1 + in->slip,
               .v_x = driving ? 1 - in->slip : 1,
               .combined = w->soil.shear == GR_SHEAR_COMBINED};
    p.pressing = gr_pressing(w, in);
    p.log_p = w->log_pressure - in->exponent * w->log_length + p.pressing.log;
    p.zones = gr_zones_used(w, in->slip);
    p.turn = p.theta1;
    p.sin_turn = p.sin1;
    if (p.zones) {
        const GrZones zones = gr_zones(w, in->slip, 1, p.theta1, 0);
        p.turn = zones.turn;
        p.sin_turn = gr_sin(zones.turn);
        p.mean_c = zones.mean_c;
    }
    p.v_y = p.v_x * (tangent < 1e6 ? tangent : 1e6);
    p.by_kx = p.r / (p.rim * in->k_x + 1e-300);
    p.by_ky = p.r / (p.rim * in->k_y + 1e-300);
    return p;
}

static inline double depth_at(const Patch *p, double delta)
{
    return 2 * p->r * gr_fast_sin(p->theta1 - 0.5 * delta) * gr_fast_sin(0.5 * delta) + p->deeper;
}

static inline double capped(double chi)
{
    return chi < 200 ? chi : 200;
}

/// j_x and j_y enter as χ = j/K (2.10, 2.12; two_zones.h); τ by (2.9, 2.11); sums by (3.4-3.7). `combined` and `zones`
/// are constants at every call.
static inline __attribute__((always_inline)) void add_nodes_of(const bool combined, const bool zones, const Patch *p,
                                                               const Nodes *nodes, GrArcSums *sums)
{
    double nx = 0, nz = 0, strength = 0, x = 0, z = 0, t = 0, y = 0, yc = 0, ys = 0;
#pragma omp simd reduction(+ : nx, nz, strength, x, z, t, y, yc, ys)
    for (int i = 0; i < PART_NODES; i++) {
        const double theta = nodes->theta[i], delta = nodes->delta[i], weight = p->br * nodes->weight[i];
        const uint64_t before = zones ? gr_mask_greater(theta, p->turn) : 0;
        const double s = gr_fast_sin(theta), c = gr_fast_cos(theta);
        const double gone = (zones ? gr_select(before, p->theta1, p->turn) : p->theta1) - theta;
        const double chord = (zones ? gr_select(before, p->sin1, p->sin_turn) : p->sin1) - s;
        const double rim = zones ? gr_select(before, p->v_x * p->mean_c, p->rim) : p->rim;
        const double depth = depth_at(p, delta);
        const double sigma = gr_fast_exp(gr_fma(p->exponent, gr_fast_log(depth), p->log_p)) + nodes->more[i];
        const double travel = zones ? nodes->travel[i] : 1;
        const double along = travel * (rim * gone - p->v_x * chord), across = p->v_y * gone * travel;
        double m_x, m_y;
        if (combined) {
            const double size = sqrt(along * along + across * across) + 1e-300;
            const double e = gr_fast_expm1(capped(p->by_kx * size)), m = e / ((e + 1) * size);
            m_x = m * along;
            m_y = m * across;
        } else {
            const double e_x = gr_fast_expm1(capped(p->by_kx * gr_abs(along)));
            const double e_y = gr_fast_expm1(capped(p->by_ky * across));
            const double both = 1 / ((e_x + 1) * (e_y + 1));
            m_x = gr_sign_of(e_x * (e_y + 1) * both, along);
            m_y = e_y * (e_x + 1) * both;
        }
        const double tau = weight * gr_fma(p->tan_phi, sigma, p->cohesion);
        const double tx = tau * m_x, ty = tau * m_y;
        nx -= weight * sigma * s;
        nz += weight * sigma * c;
        strength += tau;
        x += tx * c;
        z += tx * s;
        t += tx;
        y += ty;
        yc += ty * c;
        ys += ty * s;
    }
    sums->normal_x += nx;
    sums->normal_z += nz;
    sums->strength += strength;
    sums->x += x;
    sums->z += z;
    sums->t += t;
    sums->y += y;
    sums->y_c += yc;
    sums->y_s += ys;
}

static void set_more(const Patch *p, Nodes *nodes)
{
    for (int i = 0; i < PART_NODES; i++) {
        nodes->more[i] = 0;
        for (int k = 0; k < p->pressing.more; k++) {
            const double log_z = gr_fast_log(depth_at(p, nodes->delta[i]));
            nodes->more[i] += gr_fast_exp(gr_fma(p->pressing.more_exponent[k], log_z, p->pressing.more_log[k]));
        }
    }
}

static void add_nodes(const Patch *p, Nodes *nodes, GrArcSums *sums)
{
    set_more(p, nodes);
    if (p->zones) {
        p->combined ? add_nodes_of(true, true, p, nodes, sums) : add_nodes_of(false, true, p, nodes, sums);
    } else {
        p->combined ? add_nodes_of(true, false, p, nodes, sums) : add_nodes_of(false, false, p, nodes, sums);
    }
}

/// Adds θ from a to b, on one side of the peak. At an end of the arc the stress starts as a power, so the nodes are
/// spaced with t² there.
static void add_part(const Patch *p, double a, double b, GrArcSums *sums)
{
    Nodes nodes;
    const double span = b - a;
    for (int i = 0; i < PART_NODES; i++) {
        const double t = part_x[i];
        nodes.travel[i] = 1;
        if (b >= p->theta1) {
            nodes.delta[i] = span * t * t;
            nodes.theta[i] = b - nodes.delta[i];
            nodes.weight[i] = span * 2 * t * part_w[i];
        } else if (a <= p->theta2 && a < p->peak) {
            nodes.delta[i] = p->stretch * span * t * t;
            nodes.theta[i] = a + span * t * t;
            nodes.weight[i] = span * 2 * t * part_w[i];
        } else {
            nodes.theta[i] = a + span * t;
            nodes.delta[i] = a >= p->peak ? p->theta1 - nodes.theta[i] : p->stretch * (nodes.theta[i] - p->theta2);
            nodes.weight[i] = span * part_w[i];
        }
    }
    add_nodes(p, &nodes, sums);
}

/// (r/ω) times the negative slip displacement: positive where a skidding wheel drags soil along. Behind θ_t.
static double dragged(const Patch *p, double theta)
{
    return p->v_x * (p->sin_turn - gr_sin(theta)) - p->rim * (p->turn - theta);
}

/// Root of dragged() between two angles at which its signs differ: bracketed Newton.
static double zero_between(const Patch *p, double low, double high)
{
    const bool rising = dragged(p, high) > 0;
    double at = 0.5 * (low + high);
    for (int i = 0; i < 60; i++) {
        const double f = dragged(p, at);
        if (fabs(f) < 1e-12) {
            break;
        }
        if ((f > 0) == rising) {
            high = at;
        } else {
            low = at;
        }
        const double to = at - f / (p->rim - p->v_x * gr_cos(at));
        at = to > low && to < high ? to : 0.5 * (low + high);
    }
    return at;
}

/// Angles at which τ_x changes sign inside the patch of a skidding wheel, at most two: on both sides of −θ_c, cos θ_c =
/// rω/v_x, where the slip displacement has its extremum; and that angle itself. Two zones have their first at θ_t.
static int sign_changes(const Patch *p, double out[3])
{
    if (p->zones) {
        const double turn = p->rim < p->v_x ? gr_acos(p->rim / p->v_x) : 0;
        int count = 0;
        if (p->turn < p->theta1 && p->turn > p->theta2) {
            out[count++] = p->turn;
        }
        if (turn > 0 && -turn > p->theta2 && dragged(p, -turn) > 0) {
            out[count++] = -turn;
            if (dragged(p, p->theta2) < 0) {
                out[count++] = zero_between(p, p->theta2, -turn);
            }
        }
        return count;
    }
    if (!(p->rim < p->v_x && p->rim > p->v_x * p->cos1)) {
        return 0;
    }
    const double turn = gr_acos(p->rim / p->v_x);
    const double low = -turn > p->theta2 ? -turn : p->theta2;
    int count = 0;
    if (-turn > p->theta2) {
        out[count++] = -turn;
    }
    if (dragged(p, low) > 0) {
        out[count++] = zero_between(p, low, turn);
        if (low > p->theta2 && dragged(p, p->theta2) < 0) {
            out[count++] = zero_between(p, p->theta2, low);
        }
    }
    return count;
}

static void insert(double *breaks, int *count, double at)
{
    int i = (*count)++;
    for (; i > 0 && breaks[i - 1] > at; i--) {
        breaks[i] = breaks[i - 1];
    }
    breaks[i] = at;
}

/// Adds break points at `at` and at distances from it that grow by the factor `growth`, starting with a few times the
/// length over which shear is mobilised. None are in the last fifth before the exit, where the power law of the stress
/// needs a long interval, and none are closer to the entry than `free`.
static double grade(const Patch *p, double at, double steepness, double free, double *breaks, int *count)
{
    const double first = 4, growth = 3.5, length = p->theta1 - p->theta2;
    const double least = 1e-5 * length, start = first / (steepness + 1e-300);
    const double nearest = start > least ? start : least;
    double d = nearest;
    for (int i = 0; i < 12 && d < length; i++) {
        if (at - d > p->theta2 + 0.2 * length) {
            insert(breaks, count, at - d);
        }
        if (at + d < p->theta1 - free) {
            insert(breaks, count, at + d);
        }
        d *= growth;
    }
    return nearest;
}

/// A break point close to an end of the arc leaves the power law of the stress to intervals that do not end there, so
/// these start small.
static void make_room(const Patch *p, double at, double *breaks, int *count)
{
    const double growth = 4, length = p->theta1 - p->theta2, least = 1e-5 * length;
    double behind = growth * (at - p->theta2 + least), ahead = growth * (p->theta1 - at + least);
    for (int i = 0; i < 8; i++) {
        if (behind < 0.2 * length) {
            insert(breaks, count, p->theta2 + behind);
        }
        if (ahead < 0.2 * length) {
            insert(breaks, count, p->theta1 - ahead);
        }
        behind *= growth;
        ahead *= growth;
    }
}

void gr_arc_steady(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, GrArcSums *sums)
{
    const Patch p = make_patch(w, in, arc);
    double breaks[BREAKS_MAX] = {0}, zeros[3];
    int count = 0;
    insert(breaks, &count, p.theta1);
    insert(breaks, &count, p.theta2);
    insert(breaks, &count, p.peak);
    // The largest slope of χ, at the entry or at the bottom.
    const double at_entry = fabs(p.rim - p.v_x * p.cos1), at_bottom = fabs(p.rim - p.v_x);
    const double along = p.by_kx * (at_entry > at_bottom ? at_entry : at_bottom);
    const double across = p.v_y * (p.combined ? p.by_kx : p.by_ky);
    const double larger = along > across ? along : across, steepness = p.combined ? along + across : larger;
    const double free = grade(&p, p.theta1, steepness, 0, breaks, &count);
    const int zero_count = sign_changes(&p, zeros);
    for (int i = 0; i < zero_count; i++) {
        insert(breaks, &count, zeros[i]);
        make_room(&p, zeros[i], breaks, &count);
        grade(&p, zeros[i], p.combined || p.zones ? steepness : along, free, breaks, &count);
    }
    memset(sums, 0, sizeof *sums);
    for (int i = 0; i + 1 < count; i++) {
        if (breaks[i + 1] > breaks[i]) {
            add_part(&p, breaks[i], breaks[i + 1], sums);
        }
    }
}

void gr_arc_steady_at_nodes(const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, GrArcSums *sums)
{
    const Patch p = make_patch(w, in, arc);
    const GrZones zones = gr_zones(w, in->slip, 1, p.theta1, 0);
    const double ahead = p.theta1 - p.peak, behind = p.peak - p.theta2;
    memset(sums, 0, sizeof *sums);
    for (int side = 0; side < 2; side++) {
        // Nodes beyond those of the panel have weight 0.
        Nodes nodes = {.weight = {0}};
        for (int i = 0; i < PART_NODES; i++) {
            const int j = i < GR_PANEL_NODES ? i : 0;
            const double left = 1 - gr_panel_x[j];
            nodes.delta[i] = left * ahead;
            nodes.theta[i] = side == 0 ? p.theta1 - left * ahead : p.theta2 + left * behind;
            nodes.weight[i] = i < GR_PANEL_NODES ? gr_panel_w[j] * (side == 0 ? ahead : behind) : 0;
            const double theta = nodes.theta[i], entry = theta > p.turn ? p.theta1 : p.turn;
            nodes.travel[i] = p.zones ? gr_zone_arc(&zones, theta, 0).length / (entry - theta + 1e-12) : 1;
        }
        add_nodes(&p, &nodes, sums);
    }
}
