#include "carriage.h"

#include "elementary.h"

#include <math.h>
#include <string.h>

enum { X, Z };

static void motion_of(const GrCarriage *c, double h, GrSoilMotion *m)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < c->wheel->slices; i++) {
        m->sinkage[i] = h;
    }
    m->twist[0] = c->v[X];
    m->twist[1] = c->v_y;
    m->twist[2] = c->v[Z];
    m->twist[4] = c->omega;
}

/// (m − dt ∂F/∂u + dt² ∂F/∂h) Δu = dt F(u, h − dt u_z)
static void carriage_step(GrCarriage *c, double dt)
{
    GrSoilMotion m;
    double next[GR_STATE_MAX];
    motion_of(c, c->h - dt * c->v[Z], &m);
    gr_soil_evaluate(c->wheel, &m, dt, c->state, NULL, &c->out);
    const GrSoilOutput *o = &c->out;
    const double f[2] = {c->force[X] + o->wrench[0], c->force[Z] + o->wrench[2]};
    const double a[2][2] = {{c->mass - dt * o->d_twist[0][0], -dt * o->d_twist[0][2] + dt * dt * o->d_sinkage[0]},
                            {-dt * o->d_twist[2][0], c->mass - dt * o->d_twist[2][2] + dt * dt * o->d_sinkage[2]}};
    if (c->fixed_x) {
        c->v[Z] += dt * f[Z] / a[1][1];
    } else {
        const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        c->v[X] += dt * (f[X] * a[1][1] - f[Z] * a[0][1]) / det;
        c->v[Z] += dt * (f[Z] * a[0][0] - f[X] * a[1][0]) / det;
    }
    c->h -= dt * c->v[Z];
    c->x += dt * c->v[X];
    motion_of(c, c->h, &m);
    gr_soil_evaluate(c->wheel, &m, dt, c->state, next, &c->out);
    gr_soil_commit(c->wheel, c->state, next);
}

/// A wheel placed on a slope [rad], loaded by its own weight, free to move but not rotating.
static GrCarriage carriage_on_slope(const GrSoilWheel *wheel, double mass, double gravity, double slope)
{
    const double weight = mass * gravity;
    return (GrCarriage){
        .wheel = wheel, .mass = mass, .force = {-weight * gr_sin(slope), -weight * gr_cos(slope)}, .h = 0.012};
}

GrCarriage gr_carriage_drawn(const GrSoilWheel *wheel, double slip, double slip_angle, double load, double speed,
                             double dt)
{
    GrCarriage c = {.wheel = wheel, .mass = load / 9.80665, .force = {0, -load}, .fixed_x = true, .h = 1e-3};
    c.v[X] = slip >= 0 ? speed * (1 - slip) : speed;
    c.v_y = c.v[X] * gr_tan(slip_angle);
    c.omega = (slip >= 0 ? speed : speed * (1 + slip)) / wheel->radius;
    const double time = fmax(30, 1.2 / c.v[X]);
    for (int i = 0; i < (int)(time / dt); i++) {
        carriage_step(&c, dt);
    }
    return c;
}

double gr_carriage_creep(const GrSoilWheel *wheel, double mass, double gravity, double slope, int settle, double dt)
{
    GrCarriage c = carriage_on_slope(wheel, mass, gravity, slope);
    const int second = (int)round(1 / dt);
    double early = 0, late = 0;
    for (int i = 0; i < (settle + 61) * second; i++) {
        carriage_step(&c, dt);
        if (i >= settle * second && i < (settle + 1) * second) {
            early += c.x / second;
        } else if (i >= (settle + 60) * second) {
            late += c.x / second;
        }
    }
    return late - early;
}

double gr_carriage_climb(const GrSoilWheel *wheel, double mass, double gravity, double slope, double speed, double dt)
{
    GrCarriage c = carriage_on_slope(wheel, mass, gravity, slope);
    c.omega = speed / wheel->radius;
    for (int i = 0; i < (int)(60 / dt); i++) {
        carriage_step(&c, dt);
    }
    return 1 - c.v[X] / speed;
}

double gr_carriage_lets_go(const GrSoilWheel *wheel, double mass, double gravity, double dt)
{
    GrCarriage c = carriage_on_slope(wheel, mass, gravity, 0);
    double slope = 0;
    while (slope < 80 * GR_DEGREE && fabs(c.v[X]) < 0.1) {
        slope += 0.5 * GR_DEGREE * dt;
        c.force[X] = -mass * gravity * gr_sin(slope);
        c.force[Z] = -mass * gravity * gr_cos(slope);
        carriage_step(&c, dt);
    }
    return slope;
}

double gr_slip_for_pull(const GrSoilWheel *wheel, double load, double pull)
{
    double lower = -0.2, upper = 0.95;
    GrSoilSteady steady;
    for (int i = 0; i < 60; i++) {
        const double slip = (lower + upper) / 2;
        if (gr_soil_steady_load(wheel, slip, 0, load, 0, &steady, NULL) != GR_OK) {
            return (double)NAN;
        }
        if (steady.f_x < pull) {
            lower = slip;
        } else {
            upper = slip;
        }
    }
    return lower == -0.2 || upper == 0.95 ? (double)NAN : (lower + upper) / 2;
}
