#include "wheel_sums.h"

#include "elementary.h"
#include "model_data.h"

static const double HEIGHT_STEP = 0.02; // [m]

double gr_rolling_radius(const GrModel *m, int wheel)
{
    return gr_wheel_on_soil(m, wheel) ? m->soil_wheels[wheel].radius : m->wheels[wheel].radius;
}

/// Mean slip over the last centimetres. It starts with the mean of the first GR_SLIP_DISTANCE: the mean over the whole
/// way is then a mean of its values, and its largest value is never below the mean.
///
///     Σ s d = (x₀ − L) e₀ + Σ d e + L e_n    x₀ ≥ L: distance of the start, e₀: mean there, (d + L) e = L e_before + s
///     d
static void add_slip(GrWheelSums *sums, double slip, double distance)
{
    const bool started = sums->rolled >= GR_SLIP_DISTANCE;
    sums->rolled += distance;
    sums->slipped += slip * distance;
    if (started) {
        sums->slip_now += (slip - sums->slip_now) * distance / (distance + GR_SLIP_DISTANCE);
    } else if (sums->rolled >= GR_SLIP_DISTANCE) {
        sums->slip_now = sums->slipped / sums->rolled;
    }
    sums->slip_max = fmax(sums->slip_max, fabs(sums->slip_now));
}

double gr_wheel_sums_add(GrWheelSums *sums, const GrModel *m, int wheel, const GrWheelSample *sample, double dt)
{
    const double distance = fabs(sample->speed) * gr_rolling_radius(m, wheel) * dt;
    const GrContactMode mode = (GrContactMode)sample->state;
    const bool touches = mode != GR_SOFT_NO_CONTACT && mode != GR_RIGID_NO_CONTACT;
    const bool soft = touches && gr_contact_mode_surface(mode) == GR_ON_SOFT;
    sums->energy += sample->power * dt;
    sums->load_time += sample->load * dt;
    sums->load_max = fmax(sums->load_max, sample->load);
    sums->torque_time += fabs(sample->torque) * dt;
    sums->torque_max = fmax(sums->torque_max, fabs(sample->torque));
    if (touches) {
        sums->touch_time += dt;
        sums->deflection_time += sample->deflection * dt;
        sums->deflection_max = fmax(sums->deflection_max, sample->deflection);
        add_slip(sums, sample->slip, distance);
    }
    if (soft || sample->sinkage > 0) {
        sums->soil_time += dt;
        sums->sinkage_time += sample->sinkage * dt;
        sums->sinkage_max = fmax(sums->sinkage_max, sample->sinkage);
    }
    return distance;
}

GrWheelSummary gr_wheel_sums_result(const GrWheelSums *sums, double time)
{
    const bool rolls = sums->rolled >= GR_SLIP_DISTANCE; // a wheel at rest has no meaningful slip
    return (GrWheelSummary){
        .slip_mean = rolls ? sums->slipped / sums->rolled : 0,
        .slip_max = sums->slip_max,
        .sinkage_mean = sums->soil_time > 0 ? sums->sinkage_time / sums->soil_time : 0,
        .sinkage_max = sums->sinkage_max,
        .load_mean = time > 0 ? sums->load_time / time : 0,
        .load_max = sums->load_max,
        .torque_mean = time > 0 ? sums->torque_time / time : 0,
        .torque_max = sums->torque_max,
        .energy = sums->energy,
        .airborne = time > 0 ? 1 - sums->touch_time / time : 0,
        .deflection_mean = sums->touch_time > 0 ? sums->deflection_time / sums->touch_time : 0,
        .deflection_max = sums->deflection_max,
    };
}

void gr_climb_sums_add(GrClimbSums *sums, double height)
{
    const double rise = height - sums->last;
    if (fabs(rise) > HEIGHT_STEP) {
        sums->climb += fmax(rise, 0);
        sums->descent += fmax(-rise, 0);
        sums->last = height;
    }
}
