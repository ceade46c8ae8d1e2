/// Steady rolling: the static formulas of the laws, and the sinkage that carries a load.
#include "elementary.h"
#include "evaluate.h"
#include "extras.h"
#include "plough.h"

#include <math.h>
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
    for (int i = 0; i < w->slices; i++) {
        motion.sinkage[i] = sinkage;
    }
    GrSoilOutput *o = &out->output;
    o->sinkage = sinkage;
    o->slip = slip;
    o->slip_angle = slip_angle;
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
    out->sinkage = sinkage;
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
