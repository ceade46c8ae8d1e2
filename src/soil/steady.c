/// Steady rolling: the static formulas of the laws, the sinkage that carries a load, and what follows from it.
#include "elementary.h"
#include "evaluate.h"
#include "extras.h"
#include "law.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/// Twist of steady rolling: driving has rω = 1 and v_x = 1 − s, braking v_x = 1 and rω = 1 + s; v_y = v_x tan β.
static void steady_twist(const GrSoilWheel *w, double slip, double slip_angle, double *twist)
{
    const bool driving = slip >= 0;
    memset(twist, 0, 6 * sizeof *twist);
    twist[0] = driving ? 1 - slip : 1;
    twist[1] = twist[0] * gr_tan(slip_angle);
    twist[4] = (driving ? 1 : 1 + slip) / w->radius;
}

void gr_soil_steady(const GrSoilWheel *w, double slip, double slip_angle, double sinkage, double wheel_angle,
                    GrSoilSteady *out)
{
    double head[GR_STATE_MAX] = {0};
    GrSoilMotion motion = {.wheel_angle = wheel_angle};
    memset(out, 0, sizeof *out);
    steady_twist(w, slip, slip_angle, motion.twist);
    GrSoilOutput *o = &out->output;
    double slope;
    out->sinkage = o->sinkage = sinkage;
    o->slip = slip;
    o->slip_angle = slip_angle;
    sinkage = gr_law_sinkage(w, sinkage, &slope);
    for (int i = 0; i < w->slices; i++) {
        motion.sinkage[i] = sinkage;
    }
    if (sinkage > 0) {
        GrPatchInput base = {.dt = 0, .steady = true, .side = gr_sin(slip_angle), .wheel_angle = wheel_angle};
        gr_base_input(w, 1, slip, fabs(slip_angle), fabs(slip_angle), &base, &o->flags);
        if (w->digs) {
            gr_plough_input(w, sinkage, &base);
        }
        const double compaction_h = gr_sum_flexible(w, &motion, &base, head, head, o);
        if (w->extras) {
            gr_extras_add(w, &motion, sinkage, compaction_h, 0, true, head, head, o);
        }
        if (w->errors) {
            gr_law_errors_add(w, 1, gr_sin(slip_angle), o);
        }
        o->mode = slip > 0.02 ? GR_MODE_ACCELERATE : slip < -0.02 ? GR_MODE_BRAKE : GR_MODE_STUCK_ROLL;
        o->flags |= gr_envelope_flags(w, sinkage - head[GR_HEAD_FLEX], slip, fabs(slip_angle));
        o->flags |= slip <= 0 && o->wrench[0] > 0 ? GR_FLAG_PULL : 0;
    }
    memset(o->d_twist, 0, sizeof o->d_twist);
    memset(o->d_sinkage, 0, sizeof o->d_sinkage);
    memset(o->d_roll, 0, sizeof o->d_roll);
    out->f_x = o->wrench[0];
    out->f_y = -o->wrench[1]; // with β > 0 the wheel slips to the left and the soil pushes it to the right
    out->f_z = o->wrench[2];
    out->torque = -o->wrench[4];
}

GrStatus gr_soil_steady_load(const GrSoilWheel *w, double slip, double slip_angle, double load, double wheel_angle,
                             GrSoilSteady *out, GrErrorLog *log)
{
    // Smallest sinkage that carries the load: increase it until it does, then refine by regula falsi (Illinois).
    const double deepest = 2 * w->radius;
    double low = 0, f_low = -load, high = 1e-6 * w->radius, f_high = f_low;
    while (true) {
        gr_soil_steady(w, slip, slip_angle, high, wheel_angle, out);
        f_high = out->f_z - load;
        if (f_high >= 0) {
            break;
        }
        if (!isfinite(f_high) || high >= deepest) {
            return gr_error_add(
                log, GR_ERROR_NOT_CONVERGED, (GrLocation){0},
                "a load of %g N is not carried at any sinkage up to the wheel's diameter (%g N at %g m)", load,
                out->f_z, high);
        }
        low = high;
        f_low = f_high;
        high = fmin(1.3 * high, deepest);
    }
    double h = high, previous = 0;
    for (int i = 0; i < 200 && f_high != 0 && high - low > 1e-14 * high; i++) {
        h = (low * f_high - high * f_low) / (f_high - f_low);
        h = h > low && h < high ? h : 0.5 * (low + high);
        gr_soil_steady(w, slip, slip_angle, h, wheel_angle, out);
        const double f = out->f_z - load;
        if (fabs(f) <= 1e-13 * load) {
            break;
        }
        if (f < 0) {
            low = h;
            f_low = f;
            f_high *= previous < 0 ? 0.5 : 1;
        } else {
            high = h;
            f_high = f;
            f_low *= previous > 0 ? 0.5 : 1;
        }
        previous = f;
    }
    return GR_OK;
}

// ---- pull without slip
//
// Pull of a wheel that rolls without slip. Measured wheels are held back there by 0.03 to 0.06 of their load. A law
// that pulls forward misses motion resistance: slip, torque and energy come out too low, slopes too easy.

double gr_soil_free_pull(const GrSoilWheel *w, double load)
{
    // f_z grows nearly as h^(n + 1/2): a few steps on that power law find the sinkage to 0.1 %.
    const double power = 1 / (w->soil.n0 + 0.5), enough = 1e-3;
    double h = 0.1 * w->radius;
    GrSoilSteady at;
    for (int i = 0; i < 12; i++) {
        gr_soil_steady(w, 0, 0, h, 0, &at);
        if (!(at.f_z > 0) || fabs(at.f_z - load) < enough * load) {
            break;
        }
        h = fmin(h * gr_pow(load / at.f_z, power), 2 * w->radius);
    }
    return at.f_z > 0 ? at.f_x / at.f_z : 0;
}

void gr_soil_warn_free_pull(const GrSoilWheel *w, double load, GrErrorLog *log)
{
    const unsigned traits = gr_law(w->law)->traits;
    // Grids have no steady formula, and friction alone cannot pull without slip.
    if ((traits & GR_LAW_STRESS) == 0 || (traits & GR_LAW_GRID) != 0 || !(load > 0)) {
        return;
    }
    const double pull = gr_soil_free_pull(w, load);
    if (pull > 0) {
        gr_warning_add(log, (GrLocation){.field = "soil"},
                       "%s with the law %s pulls this wheel forward by %.2g of its load of %.3g N without slip; "
                       "measured wheels are held back by 0.03 to 0.06, so slip and torque are too low%s",
                       w->soil.name, gr_soil_law_name(w->law), pull, load,
                       (traits & GR_LAW_ARC) != 0 && w->soil.exit_ratio > 0.4 ? " (a lambda of 0.2 to 0.4 may help)"
                                                                              : "");
    }
}

// ---- damping of impacts

double gr_soil_impact_damping(const GrSoilDef *soil, double radius, double width, double mass, double gravity,
                              double ratio)
{
    GrSoilWheelDef def = gr_default_soil_wheel_def();
    GrSoilDef under = *soil;
    GrSoilWheel wheel;
    GrSoilSteady steady;
    const bool wanted = soil->damping == 0 && ratio > 0 && mass > 0 && gravity > 0;
    def.radius = radius;
    def.width = width;
    def.gravity = gravity;
    under.law = gr_soil_law_on_grid(soil->law) ? gr_law_of_pressure() : soil->law; // a grid has no force of a wheel
    if (!wanted || gr_soil_wheel_prepare(&under, &def, &wheel, NULL) != GR_OK ||
        gr_soil_steady_load(&wheel, 0, 0, mass * gravity, 0, &steady, NULL) != GR_OK) {
        return soil->damping;
    }
    // γ = 2 ζ √(k m), k = n W/h
    return 2 * ratio * sqrt(fmax(soil->n0, 1) * mass * gravity / steady.sinkage * mass);
}
