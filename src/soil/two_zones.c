#include "two_zones.h"

#include "elementary.h"

GrZones gr_zones(const GrSoilWheel *w, double slip, double memory, double entry, double entry_h)
{
    const double edge = memory * entry, delta = 0.25 * GR_PI - 0.5 * w->soil.friction_angle;
    const double share = slip / GR_ZONES_FADE;
    const double turn = slip > 0 ? share * edge : gr_acos((1 + slip) * gr_cos(delta)) - delta;
    GrZones out = {.turn = memory * (turn < edge ? turn : edge),
                   .turn_h = turn < edge ? (slip > 0 ? share * entry_h : 0) : entry_h,
                   .memory = memory,
                   .entry = entry,
                   .entry_h = entry_h};
    const double by_length = memory / (memory * (entry - out.turn) + 1e-12);
    const double change = entry_h - out.turn_h;
    out.mean_c = (gr_sin(entry) - gr_sin(out.turn)) * by_length;
    out.mean_s = (gr_cos(out.turn) - gr_cos(entry)) * by_length;
    out.mean_c_h = (gr_cos(entry) * entry_h - gr_cos(out.turn) * out.turn_h - out.mean_c * change) * by_length;
    out.mean_s_h = (gr_sin(entry) * entry_h - gr_sin(out.turn) * out.turn_h - out.mean_s * change) * by_length;
    return out;
}

static bool is_before(const GrZones *zones, double theta)
{
    return zones->memory * (theta - zones->turn) > 0;
}

GrZoneArc gr_zone_arc(const GrZones *z, double theta, double theta_h)
{
    const double memory = z->memory, gap = memory * (theta - z->turn), gap_h = memory * (theta_h - z->turn_h);
    if (!(gap > 0)) {
        const double length = 1e-12 - gap;
        return (GrZoneArc){length, -gap_h / length};
    }
    const double length = memory * (z->entry - theta) + 1e-12, length_h = memory * (z->entry_h - theta_h);
    const double width = 0.5 * memory * (z->entry - z->turn) + 1e-12, width_h = 0.5 * memory * (z->entry_h - z->turn_h);
    if (gap >= width) {
        return (GrZoneArc){length, length_h / length};
    }
    const double by_gap = 1 / (gap + 1e-12), by_width = 1 / width, part = gap * by_width / length;
    const double out = 1 / (by_gap - by_width + part);
    const double out_h = -gap_h * by_gap * by_gap + width_h * by_width * by_width + gap_h * by_width / length -
                         part * (width_h * by_width + length_h / length);
    return (GrZoneArc){out, -out * out_h};
}

/// Renewal over the arc of the zone, as far as the patch was rolled. It follows ω, and is left alone over the half
/// patch after a reversal.
static void renew(const GrPatchInput *in, const GrZones *zones, const GrStressField *f, int i, GrNodeMotion *k)
{
    const double rolling = in->twist[4], dt = in->steady ? 1 : in->dt, d2 = in->roll * in->roll;
    if (!(zones->memory * rolling > 0)) {
        return;
    }
    const GrZoneArc arc = gr_zone_arc(zones, f->theta[i], f->theta_h[i]);
    const double of_patch = (1 - d2) * k->fresh[i], of_zone = d2 * fabs(rolling) * dt / arc.length;
    const double fresh = of_patch + of_zone, by_fresh = 1 / (fresh + 1e-300);
    k->by_arc_h[i] = by_fresh * (of_patch * k->by_arc_h[i] - of_zone * rolling * arc.log_h);
    k->fresh[i] = fresh;
    k->fresh_w[i] = -fresh / rolling;
    k->inverse_fresh[i] = by_fresh;
}

/// A node behind θ_t: soil has travelled from there.
static void move_behind(const GrSoilWheel *w, const GrPatchInput *in, const GrZones *zones, const GrStressField *f,
                        int i, GrNodeMotion *k)
{
    const double *u = in->twist, d2 = in->roll * in->roll, rest = 1 - d2;
    const double s = f->s[i], c = f->c[i], t_h = f->theta_h[i], r = w->radius, x = k->scale_x, y = k->scale_y;
    const double turn_s = gr_sin(zones->turn), turn_c = gr_cos(zones->turn);
    const double inverse = zones->memory / (zones->memory * (zones->turn - f->theta[i]) + 1e-12), part = d2 * inverse;
    const double c_mean = (turn_s - s) * part, s_mean = (c - turn_c) * part, log_h = (zones->turn_h - t_h) * inverse;
    const double mc = rest * c + c_mean, ms = rest * s + s_mean;
    const double mc_h = -rest * s * t_h + (turn_c * zones->turn_h - c * t_h) * part - c_mean * log_h;
    const double ms_h = rest * c * t_h + (turn_s * zones->turn_h - s * t_h) * part - s_mean * log_h;
    k->mean_c[i] = mc;
    k->mean_s[i] = ms;
    k->along[i] = x * (r * u[4] - u[0] * mc - u[2] * ms);
    k->along_h[i] = -x * (u[0] * mc_h + u[2] * ms_h);
    k->across[i] = -y * (u[1] + r * (u[5] * ms + u[3] * mc));
    k->across_h[i] = -y * r * (u[5] * ms_h + u[3] * mc_h);
}

GrZones gr_zones_motion(int n, const GrSoilWheel *w, const GrPatchInput *in, const GrArc *arc, const GrStressField *f,
                        GrNodeMotion *k)
{
    const double *u = in->twist, x = k->scale_x * in->roll * in->roll;
    const bool back = in->roll < 0;
    const GrZones zones =
        gr_zones(w, in->slip, back ? -1 : 1, back ? arc->rear : arc->front, back ? arc->rear_h : arc->front_h);
    for (int i = 0; i < n; i++) {
        if (is_before(&zones, f->theta[i])) {
            k->along[i] += x * (u[0] * zones.mean_c + u[2] * zones.mean_s - w->radius * u[4]);
            k->along_h[i] += x * (u[0] * zones.mean_c_h + u[2] * zones.mean_s_h);
        } else {
            move_behind(w, in, &zones, f, i, k);
        }
        renew(in, &zones, f, i, k);
    }
    return zones;
}

void gr_zones_derivatives(int n, const GrSoilWheel *w, const GrPatchInput *in, const GrZones *zones,
                          const GrStressField *f, const GrNodeMotion *k, const GrNodeShear *q, GrPatch *out)
{
    static const int of_along[3] = {0, 2, 4}, of_across[3] = {1, 3, 5};
    const double r = w->radius, scale = k->scale_x * in->roll * in->roll;
    const double missing[3] = {scale * zones->mean_c, scale * zones->mean_s, -scale * r};
    const bool cross = w->soil.shear == GR_SHEAR_COMBINED;
    for (int i = 0; i < n; i++) {
        if (!is_before(zones, f->theta[i])) {
            continue;
        }
        const double c = f->c[i], s = f->s[i];
        const double along[3] = {c, s, -r}, across[3] = {1, r * c, r * s};
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                out->d_twist[of_along[a]][of_along[b]] += q->x_t[i] * along[a] * missing[b];
                out->d_twist[of_across[a]][of_along[b]] += cross ? q->y_along[i] * across[a] * missing[b] : 0;
            }
        }
    }
}
