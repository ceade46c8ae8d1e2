/// Books of a run: the energy balance of its steps, and the sums of which its summary is made.
#include "account.h"

#include "dynamics.h"
#include "elementary.h"
#include "model_data.h"

// ---- energy

/// Energy in the springs of all flexible wheels; `power`: power dissipated in their dampers [W].
static double find_flex(const GrModel *m, const GrData *d, double *power)
{
    double energy = 0;
    *power = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrWheel *w = &m->wheels[i];
        if (isinf(w->stiffness)) {
            continue;
        }
        if (d->rigid != NULL) {
            energy += gr_rigid_flex_energy(d->rigid, i);
            *power += gr_rigid_flex_loss(d->rigid, i);
        }
        const GrWheelContact *c = &d->contact[i];
        if (m->soil_wheels != NULL) {
            energy += 0.5 * w->stiffness * c->flex * c->flex;
            *power += w->damping * c->flex_rate * c->flex_rate;
        }
    }
    return energy;
}

double gr_wheel_deflection(const GrModel *m, const GrData *d, int wheel)
{
    const double k = m->wheels[wheel].stiffness;
    if (isinf(k)) {
        return 0;
    }
    // energy = k u² / 2
    const double hard = d->rigid != NULL ? sqrt(2 * gr_rigid_flex_energy(d->rigid, wheel) / k) : 0;
    const GrWheelContact *c = &d->contact[wheel];
    return m->soil_wheels != NULL ? fmax(hard, c->flex) : hard;
}

void gr_account_open(const GrModel *m, const GrData *d, GrAccount *account)
{
    const GrEnergy energy = gr_tree_energy(&m->tree, &d->tree);
    *account = (GrAccount){.start = energy.kinetic + energy.gravity + energy.spring, .spring = energy.spring};
    double power;
    account->flex = account->flex_start = find_flex(m, d, &power);
}

/// Extrapolates the wrenches to the end of the step, as the implicit solution did, and books their work.
static void book_wrenches(const GrModel *m, GrData *d, double dt, GrAccount *account)
{
    const GrTree *t = &m->tree;
    GrTreeData *tree = &d->tree;
    GrTwist *change = tree->work_twist;
    const double *a = tree->acceleration;
    const bool first_order = m->integrator->order == 1;
    double power = 0;
    // with integrators of higher order, the frames are those of the end of the step already
    const double by = first_order ? dt : 0;
    change[0] = (GrTwist){gr_scale(by, gr_vec3(a[3], a[4], a[5])), gr_scale(by, gr_vec3(a[0], a[1], a[2]))};
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        change[b] = gr_twist_madd(change[j->parent], by * j->ratio * a[j->dof], tree->frame[b].motion);
    }
    for (int i = 0; m->integrator->implicit && i < tree->pair_count[0]; i++) {
        gr_tree_pair_end(tree, i, dt, change);
    }
    for (int b = 0; b < t->body_count; b++) {
        GrWrench *w = &tree->wrench[b];
        if (m->integrator->implicit && (tree->has_jacobian[b] & GR_JACOBIAN_TWIST)) {
            *w = gr_wrench_add(*w, gr_mat6_mul(&tree->jacobian[b].twist, change[b]));
        }
        if (m->integrator->implicit && (tree->has_jacobian[b] & GR_JACOBIAN_POSE)) {
            const GrWrench pose = gr_mat6_mul(&tree->jacobian[b].pose, change[b]);
            w->force = gr_madd(w->force, dt, pose.force);
            w->moment = gr_madd(w->moment, dt, pose.moment);
        }
        power += gr_power(*w, gr_twist_madd(tree->frame[b].twist, 0.5, change[b]));
    }
    // In first order one evaluation represents the whole step. Otherwise it belongs to the end of the step, and the
    // previous one to its beginning.
    account->contact += first_order ? dt * power : 0.5 * dt * (account->contact_power + power);
    account->contact_power = power;
}

void gr_account_step(const GrModel *m, GrData *d, double dt, GrAccount *account, double *drive)
{
    const GrTree *t = &m->tree;
    const GrTreeData *tree = &d->tree;
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        if (j->features != 0) {
            const double rate = j->ratio * (tree->velocity[j->dof] - 0.5 * dt * tree->acceleration[j->dof]);
            const double work = dt * rate * tree->motor_torque[b];
            account->motor += work;
            account->electric += fmax(work, 0);
            account->joints += dt * rate * tree->joint_force[b];
        }
    }
    for (int i = 0; i < m->wheel_count; i++) {
        const int b = m->wheels[i].body;
        const GrJoint *j = &t->joints[b];
        const double rate = b > 0 ? j->ratio * (tree->velocity[j->dof] - 0.5 * dt * tree->acceleration[j->dof]) : 0;
        drive[i] = dt * rate * (b > 0 ? tree->motor_torque[b] : 0);
    }
    book_wrenches(m, d, dt, account);
    double power;
    account->flex = find_flex(m, d, &power);
    account->wheels += dt * power;
}

GrEnergySample gr_account_balance(const GrAccount *account, double kinetic, double gravity, double spring)
{
    GrEnergySample out = {.motor = account->motor, .electric = account->electric};
    out.braking = account->electric - account->motor;
    const double flex = account->flex - account->flex_start;
    out.mechanical = kinetic + gravity + spring - account->start + flex;
    out.wheels = account->wheels;
    out.soil = -account->contact - account->pull - flex - out.wheels;
    out.pull = account->pull;
    out.joints = account->motor - account->joints - (spring - account->spring);
    out.residual = out.motor - out.mechanical - out.soil - out.wheels - out.joints - out.pull;
    return out;
}

// ---- wheels and climbs

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
