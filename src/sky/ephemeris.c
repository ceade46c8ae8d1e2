#include "ephemeris.h"

#ifdef GR_WITH_ERFA
#include "elementary.h"
#include "lazy.h"
#include "vec3.h"

#include <erfa.h>
#include <erfam.h>
#include <math.h>

#define ERFA_FUNCTIONS(X) X(eraEpv00) X(eraMoon98) X(eraPlan94) X(eraTaitt) X(eraUtctai)
GR_LAZY_LIBRARY(erfa, GR_ERFA_LIBRARY, ERFA_FUNCTIONS)

static const double ASTRONOMICAL_UNIT = 149597870700.0; // [m]

/// Instant of Terrestrial Time as two parts of a Julian date. That of the bodies' motion differs by 2 ms at most.
typedef struct Instant {
    double day, part;
    double since_2000; ///< [days]
} Instant;

static Instant terrestrial(double days)
{
    double tai_day, tai_part;
    Instant t;
    // a warning about years without known leap seconds, where the last known ones hold, is of no concern here
    erfa.eraUtctai(ERFA_DJ00, days, &tai_day, &tai_part);
    erfa.eraTaitt(tai_day, tai_part, &t.day, &t.part);
    t.since_2000 = (t.day - ERFA_DJ00) + t.part;
    return t;
}

static GrVec3 scaled(const double v[3], double scale)
{
    return gr_vec3(v[0] * scale, v[1] * scale, v[2] * scale);
}

static double sine(double degrees)
{
    return gr_sin(fmod(degrees, 360) * GR_DEGREE);
}

static double cosine(double degrees)
{
    return gr_cos(fmod(degrees, 360) * GR_DEGREE);
}

/// Right ascension and declination of the pole, and angle of the prime meridian [deg].
typedef struct Rotation {
    double pole_ra, pole_dec, meridian;
} Rotation;

/// A term of the Moon's rotation: an argument that grows with time [deg, deg/day] and its amplitudes [deg].
typedef struct LunarTerm {
    double at, rate, pole_ra, pole_dec, meridian;
} LunarTerm;

/// Archinal et al. 2011, Report of the IAU Working Group on Cartographic Coordinates and Rotational Elements: 2009.
static Rotation lunar_rotation(double d)
{
    static const LunarTerm TERMS[13] = {
        {125.045, -0.0529921, -3.8787, 1.5419, 3.5610},
        {250.089, -0.1059842, -0.1204, 0.0239, 0.1208},
        {260.008, 13.0120009, 0.0700, -0.0278, -0.0642},
        {176.625, 13.3407154, -0.0172, 0.0068, 0.0158},
        {357.529, 0.9856003, 0, 0, 0.0252},
        {311.589, 26.4057084, 0.0072, -0.0029, -0.0066},
        {134.963, 13.0649930, 0, 0.0009, -0.0047},
        {276.617, 0.3287146, 0, 0, -0.0046},
        {34.226, 1.7484877, 0, 0, 0.0028},
        {15.134, -0.1589763, -0.0052, 0.0008, 0.0052},
        {119.743, 0.0036096, 0, 0, 0.0040},
        {239.961, 0.1643573, 0, 0, 0.0019},
        {25.053, 12.9590088, 0.0043, -0.0009, -0.0044},
    };
    const double centuries = d / 36525;
    Rotation r = {269.9949 + 0.0031 * centuries, 66.5392 + 0.0130 * centuries,
                  38.3213 + 13.17635815 * d - 1.4e-12 * d * d};
    for (int i = 0; i < 13; i++) {
        const LunarTerm *t = &TERMS[i];
        const double argument = t->at + t->rate * d;
        r.pole_ra += t->pole_ra * sine(argument);
        r.pole_dec += t->pole_dec * cosine(argument);
        r.meridian += t->meridian * sine(argument);
    }
    return r;
}

static Rotation martian_rotation(double d)
{
    const double centuries = d / 36525;
    return (Rotation){317.68143 - 0.1061 * centuries, 52.88650 - 0.0609 * centuries, 176.630 + 350.89198226 * d};
}

/// The node is where the body's equator rises through that of the celestial frame.
static void set_axes(const Rotation *r, GrEphemeris *out)
{
    const GrVec3 node = gr_vec3(-sine(r->pole_ra), cosine(r->pole_ra), 0);
    out->z =
        gr_vec3(cosine(r->pole_dec) * cosine(r->pole_ra), cosine(r->pole_dec) * sine(r->pole_ra), sine(r->pole_dec));
    const GrVec3 across = gr_cross(out->z, node);
    out->x = gr_add(gr_scale(cosine(r->meridian), node), gr_scale(sine(r->meridian), across));
    out->y = gr_cross(out->z, out->x);
}

bool gr_ephemeris(GrSkyBody body, double days, GrEphemeris *out)
{
    if (!erfa_open()) {
        return false;
    }
    const Instant t = terrestrial(days);
    double around_sun[2][3], around_all[2][3], own[2][3];
    erfa.eraEpv00(t.day, t.part, around_sun, around_all);
    const GrVec3 earth = scaled(around_sun[0], ASTRONOMICAL_UNIT);
    *out = (GrEphemeris){.motion = {0, 0, 0}};
    if (body == GR_SKY_MOON) {
        erfa.eraMoon98(t.day, t.part, own);
        const GrVec3 moon = scaled(own[0], ASTRONOMICAL_UNIT);
        out->earth = gr_scale(-1, moon);
        out->sun = gr_scale(-1, gr_add(earth, moon));
    } else {
        erfa.eraPlan94(t.day, t.part, 4, own);
        const GrVec3 mars = scaled(own[0], ASTRONOMICAL_UNIT);
        out->motion = scaled(own[1], ASTRONOMICAL_UNIT / 86400);
        out->earth = gr_sub(earth, mars);
        out->sun = gr_scale(-1, mars);
    }
    const Rotation rotation = body == GR_SKY_MOON ? lunar_rotation(t.since_2000) : martian_rotation(t.since_2000);
    set_axes(&rotation, out);
    return true;
}

#else

bool gr_ephemeris(GrSkyBody body, double days, GrEphemeris *out)
{
    (void)body, (void)days, (void)out;
    return false;
}

#endif
