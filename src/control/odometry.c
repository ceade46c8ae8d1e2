/// Dead reckoning: the chassis' twist by least squares over the wheels, integrated along an arc.
#include "check.h"
#include "control_parts.h"
#include "elementary.h"

/// Normal equations of rows (a · twist = b), with weights.
typedef struct Fit {
    double m[3][3], r[3];
} Fit;

static void add_row(Fit *f, const double a[3], double b, double weight)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            f->m[i][j] += weight * a[i] * a[j];
        }
        f->r[i] += weight * a[i] * b;
    }
}

/// m x = r by Cholesky, in place; a direction without any row stays 0.
static void solve(Fit *f, double x[3])
{
    double(*m)[3] = f->m;
    double scale = 0;
    for (int i = 0; i < 3; i++) {
        scale = fmax(scale, m[i][i]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (int k = 0; k < j; k++) {
                sum -= m[i][k] * m[j][k];
            }
            if (i == j) {
                m[i][i] = sum > 1e-14 * scale ? sqrt(sum) : 0;
            } else {
                m[i][j] = m[j][j] > 0 ? sum / m[j][j] : 0;
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        double sum = f->r[i];
        for (int k = 0; k < i; k++) {
            sum -= m[i][k] * x[k];
        }
        x[i] = m[i][i] > 0 ? sum / m[i][i] : 0;
    }
    for (int i = 2; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < 3; k++) {
            sum -= m[k][i] * x[k];
        }
        x[i] = m[i][i] > 0 ? sum / m[i][i] : 0;
    }
}

/// Rolling speed from the measured joint speeds, less the speed at which the leg moves the wheel ahead of the chassis
/// [m/s].
static double rolled(const GrDriveWheel *w, const GrWheelJoints *joints)
{
    double spin = w->drive_sign * joints->drive_velocity, travel = 0;
    if (w->walk >= 0) {
        const double angle = w->walk_sign * (joints->walk_position - w->walk_initial);
        const double rate = w->walk_sign * joints->walk_velocity;
        spin += rate; // the leg's rotation turns the wheel too
        travel = rate * gr_leg_travel_per_angle(w, angle);
    }
    return spin * w->radius - travel;
}

void gr_odometry_twist(const GrControl *c, const GrControlObservation *o, GrOdometry *odometry)
{
    // No slip at the contact s + R(δ) o, steering at rate δ':
    //   v · e + yaw (z × contact) · e = rolling + δ' side,   v · n + yaw (z × contact) · n = −δ' lead
    Fit fit = {0};
    for (int i = 0; i < c->geometry.wheel_count; i++) {
        const GrDriveWheel *w = &c->geometry.wheels[i];
        const GrWheelJoints *joints = &o->wheels[i];
        const double steer = w->steer >= 0 ? w->steer_sign * joints->steer_position : 0;
        const double rate = w->steer >= 0 ? w->steer_sign * joints->steer_velocity : 0;
        const GrWheelAxes a = gr_wheel_axes(w, steer);
        const double x = w->pivot_x + w->lead * a.e_x + w->side * a.n_x,
                     y = w->pivot_y + w->lead * a.e_y + w->side * a.n_y;
        const double along[3] = {a.e_x, a.e_y, x * a.e_y - y * a.e_x};
        const double across[3] = {a.n_x, a.n_y, x * a.n_y - y * a.n_x};
        if (w->drive >= 0) {
            add_row(&fit, along, rolled(w, joints) + rate * w->side, 1);
        }
        add_row(&fit, across, -rate * w->lead, c->def.lateral_weight);
    }
    if (c->def.use_gyro) { // weighted far above all wheels together: the gyro determines the yaw rate
        for (int i = 0; i < 2; i++) {
            fit.r[i] -= fit.m[i][2] * o->yaw_rate;
            fit.m[i][2] = fit.m[2][i] = 0;
        }
        fit.m[2][2] = 1;
        fit.r[2] = o->yaw_rate;
    }
    double twist[3] = {0};
    solve(&fit, twist);
    odometry->v_x = twist[0];
    odometry->v_y = twist[1];
    odometry->yaw_rate = twist[2];
}

void gr_odometry_update(const GrControl *c, const GrControlObservation *o, double dt, GrOdometry *odometry)
{
    GR_CHECK(dt >= 0);
    const GrOdometry last = *odometry;
    gr_odometry_twist(c, o, odometry);
    // Hold the mean of the twists at both ends over dt: an arc, exact when the twist is constant.
    const double turn = 0.5 * (last.yaw_rate + odometry->yaw_rate) * dt;
    const double x = 0.5 * (last.v_x + odometry->v_x) * dt, y = 0.5 * (last.v_y + odometry->v_y) * dt;
    // chord = arc · sin(turn/2) / (turn/2), in the direction of half the turn
    const double half = 0.5 * turn;
    const double chord = fabs(half) > 1e-4 ? gr_sin(half) / half : 1 - half * half / 6;
    const double cosine = chord * gr_cos(last.heading + half), sine = chord * gr_sin(last.heading + half);
    odometry->x = last.x + cosine * x - sine * y;
    odometry->y = last.y + sine * x + cosine * y;
    odometry->heading = gr_wrap_angle(last.heading + turn);
}
