/// Dates, and where the Sun and the Earth stand above a place: from a date, from a table or as given.
#include "grouser/sky.h"

#include "elementary.h"
#include "parts.h"
#include "vec3.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/// A body at an instant. Vectors are in the International Celestial Reference Frame [m].
typedef struct GrEphemeris {
    GrVec3 sun, earth; ///< from the middle of the body
    GrVec3 motion;     ///< of the body around the Sun [m/s]; Mars only
    GrVec3 x, y, z;    ///< axes of the body: z its pole, x in the prime meridian
} GrEphemeris;

#ifdef GR_WITH_ERFA
#include "lazy.h"

#include <erfa.h>
#include <erfam.h>

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

/// `days`: since 2000-01-01T12:00:00 UTC. False in a build without liberfa.
static bool ephemeris(GrSkyBody body, double days, GrEphemeris *out)
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

static bool ephemeris(GrSkyBody body, double days, GrEphemeris *out)
{
    (void)body, (void)days, (void)out;
    return false;
}

#endif

// ---- sun

// ---- dates: days since 2000-01-01T12:00:00 by the Gregorian calendar, of 86400 s; leap seconds are added where places
// are computed

enum { FIRST_YEAR = 1900, LAST_YEAR = 2100, DAYS_TO_2000 = 730425 }; // from 1 March of the year 0

/// Days since 1 March of the year 0. Years begin in March, so that a leap day is the last of its year.
static long day_number(int year, int month, int day)
{
    const int shifted = (month + 9) % 12;
    const long y = year - shifted / 10;
    return 365 * y + y / 4 - y / 100 + y / 400 + (shifted * 306 + 5) / 10 + day - 1;
}

static int month_length(int year, int month)
{
    static const int DAYS[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return DAYS[month - 1] + (month == 2 && leap);
}

/// `count` digits as a number; −1: there are others.
static int digits(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)text[i])) {
            return -1;
        }
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

/// "T00:00:00Z" as a part of the day; negative: it is something else.
static double read_clock(const char *text)
{
    if (strlen(text) != 10 || text[0] != 'T' || text[3] != ':' || text[6] != ':' || text[9] != 'Z') {
        return -1;
    }
    const int hour = digits(text + 1, 2), minute = digits(text + 4, 2), second = digits(text + 7, 2);
    const bool good = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
    return good ? (hour * 3600 + minute * 60 + second) / 86400.0 : -1;
}

bool gr_date_parse(const char *text, double *days)
{
    if (strlen(text) < 10 || text[4] != '-' || text[7] != '-') {
        return false;
    }
    const int year = digits(text, 4), month = digits(text + 5, 2), day = digits(text + 8, 2);
    if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12 || day < 1 ||
        day > month_length(year, month)) {
        return false;
    }
    const double part = text[10] == '\0' ? 0 : read_clock(text + 10);
    *days = (double)(day_number(year, month, day) - DAYS_TO_2000) - 0.5 + part;
    return part >= 0;
}

void gr_date_format(double days, char out[32])
{
    const double seconds = rint((days + 0.5) * 86400), whole = floor(seconds / 86400);
    const long second = (long)(seconds - whole * 86400), number = (long)whole + DAYS_TO_2000;
    long year = (long)floor((10000.0 * (double)number + 14780) / 3652425);
    if (day_number((int)year, 3, 1) > number) {
        year--;
    }
    const long of_year = number - day_number((int)year, 3, 1), shifted = (100 * of_year + 52) / 3060;
    const int month = (int)((shifted + 2) % 12 + 1), day = (int)(of_year - (shifted * 306 + 5) / 10 + 1);
    snprintf(out, 32, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)(year + (shifted + 2) / 12), month, day,
             (int)(second / 3600 % 24), (int)(second / 60 % 60), (int)(second % 60));
}

// ---- places in the sky

static const double SUN_RADIUS = 6.957e8, EARTH_RADIUS = 6.371e6; // [m]
static const double SUNLIGHT = 1361;                              // at one astronomical unit [W/m²], Kopp & Lean 2011

static const struct {
    const char *name;
    double radius;     ///< mean [m]
    double flattening; ///< of its ellipsoid
    double distance;   ///< mean, from the Sun [m]
} BODIES[GR_SKY_BODY_COUNT] = {
    [GR_SKY_MOON] = {"moon", 1737400, 0, 149597870700.0},
    [GR_SKY_MARS] = {"mars", 3389500, 1 / 169.894, 1.523679 * 149597870700.0},
};

const char *gr_sky_body_name(GrSkyBody body)
{
    return BODIES[body].name;
}

double gr_sky_body_radius(GrSkyBody body)
{
    return BODIES[body].radius;
}

double gr_sunlight(double distance)
{
    const double ratio = ASTRONOMICAL_UNIT / distance;
    return SUNLIGHT * ratio * ratio;
}

GrSunDef gr_default_sun_def(void)
{
    return (GrSunDef){.kind = GR_SUN_NONE, .body = GR_SKY_MOON};
}

static GrStatus check_table(const GrSunDef *def, GrErrorLog *log)
{
    const GrLocation at = {.field = "table"};
    if (def->table == NULL || def->table_count < 1) {
        return gr_error_add(log, GR_ERROR_VALUE, at, "must have one row or more");
    }
    for (int i = 0; i < def->table_count; i++) {
        const GrSunPoint *p = &def->table[i];
        if (!isfinite(p->time) || !isfinite(p->azimuth) || !(fabs(p->elevation) <= GR_PI / 2)) {
            return gr_error_add(log, GR_ERROR_VALUE, at, "row %d: an elevation must be within 90 degrees", i + 1);
        }
        if (i > 0 && !(p->time > p[-1].time)) {
            return gr_error_add(log, GR_ERROR_VALUE, at, "row %d: times must rise", i + 1);
        }
    }
    return GR_OK;
}

GrStatus gr_sun_check(const GrSunDef *def, GrErrorLog *log)
{
    GrEphemeris unused;
    switch (def->kind) {
    case GR_SUN_NONE:
        return GR_OK;
    case GR_SUN_FIXED:
        return isfinite(def->azimuth) && fabs(def->elevation) <= GR_PI / 2
                   ? GR_OK
                   : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "elevation_deg"},
                                  "must be within 90 degrees, and the azimuth a number");
    case GR_SUN_TABLE:
        return check_table(def, log);
    case GR_SUN_DATE:
        break;
    }
    if (!(fabs(def->lat) <= GR_PI / 2) || !isfinite(def->lon) || !isfinite(def->start)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "lat_deg"}, "must be within 90 degrees");
    }
    return ephemeris(def->body, def->start, &unused) ? GR_OK
                                                     : gr_part_missing("ERFA", (GrLocation){.field = "start"}, log);
}

/// Components along the axes of the body.
static GrVec3 to_body(const GrEphemeris *e, GrVec3 v)
{
    return gr_vec3(gr_dot(e->x, v), gr_dot(e->y, v), gr_dot(e->z, v));
}

static GrSkyView seen(GrVec3 enu, double radius)
{
    const double azimuth = gr_atan2(enu.x, enu.y), distance = gr_norm(enu);
    return (GrSkyView){.azimuth = azimuth < 0 ? azimuth + 2 * GR_PI : azimuth,
                       .elevation = gr_asin(enu.z / distance),
                       .radius = gr_asin(radius / distance),
                       .distance = distance};
}

/// East, north and up at a place. The vertical is that of the ellipsoid.
static void place_axes(const GrSunDef *def, GrVec3 *east, GrVec3 *north, GrVec3 *up)
{
    const double squash = 1 - BODIES[def->body].flattening;
    const double lat = gr_atan2(gr_sin(def->lat), gr_cos(def->lat) * squash * squash);
    const double slon = gr_sin(def->lon), clon = gr_cos(def->lon), slat = gr_sin(lat), clat = gr_cos(lat);
    *east = gr_vec3(-slon, clon, 0);
    *north = gr_vec3(-slat * clon, -slat * slon, clat);
    *up = gr_vec3(clat * clon, clat * slon, slat);
}

static double turn_between(double from, double to)
{
    return remainder(to - from, 2 * GR_PI);
}

static double in_circle(double angle)
{
    const double turned = fmod(angle, 2 * GR_PI);
    return turned < 0 ? turned + 2 * GR_PI : turned;
}

static GrStatus view_by_date(const GrSunDef *def, GrSkyTarget target, double time, GrSkyView *out, GrErrorLog *log)
{
    GrEphemeris e;
    if (!ephemeris(def->body, def->start + time / 86400, &e)) {
        return gr_part_missing("ERFA", (GrLocation){.field = "start"}, log);
    }
    GrVec3 east, north, up;
    place_axes(def, &east, &north, &up);
    const double clat = gr_cos(def->lat);
    const GrVec3 place = gr_vec3(clat * gr_cos(def->lon), clat * gr_sin(def->lon), gr_sin(def->lat));
    const GrVec3 middle = to_body(&e, target == GR_SKY_SUN ? e.sun : e.earth);
    const GrVec3 v = gr_madd(middle, -BODIES[def->body].radius, place);
    *out = seen(gr_vec3(gr_dot(east, v), gr_dot(north, v), gr_dot(up, v)),
                target == GR_SKY_SUN ? SUN_RADIUS : EARTH_RADIUS);
    out->azimuth = in_circle(out->azimuth + def->north);
    return GR_OK;
}

static void view_by_table(const GrSunDef *def, double time, GrSkyView *out)
{
    const GrSunPoint *table = def->table;
    int k = 0;
    while (k + 2 < def->table_count && time > table[k + 1].time) {
        k++;
    }
    const GrSunPoint *a = &table[k], *b = &table[k + 1 < def->table_count ? k + 1 : k];
    const double share = b->time > a->time ? fmin(fmax((time - a->time) / (b->time - a->time), 0), 1) : 0;
    out->azimuth = in_circle(a->azimuth + share * turn_between(a->azimuth, b->azimuth));
    out->elevation = a->elevation + share * (b->elevation - a->elevation);
}

GrStatus gr_sky_view(const GrSunDef *def, GrSkyTarget target, double time, GrSkyView *out, GrErrorLog *log)
{
    if (def->kind == GR_SUN_DATE) {
        return view_by_date(def, target, time, out, log);
    }
    if (def->kind == GR_SUN_NONE || target != GR_SKY_SUN) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "start"},
                            "only a Sun by date tells where the %s is", target == GR_SKY_SUN ? "Sun" : "Earth");
    }
    const double distance = BODIES[def->body].distance;
    *out = (GrSkyView){in_circle(def->azimuth), def->elevation, gr_asin(SUN_RADIUS / distance), distance};
    if (def->kind == GR_SUN_TABLE) {
        view_by_table(def, time, out);
    }
    return GR_OK;
}

GrVec3 gr_sky_direction(const GrSkyView *view)
{
    const double level = gr_cos(view->elevation);
    return gr_vec3(level * gr_sin(view->azimuth), level * gr_cos(view->azimuth), gr_sin(view->elevation));
}

GrStatus gr_sky_below(GrSkyBody body, GrSkyTarget target, double days, double *lon, double *lat, GrErrorLog *log)
{
    GrEphemeris e;
    if (!ephemeris(body, days, &e)) {
        return gr_part_missing("ERFA", (GrLocation){.field = "start"}, log);
    }
    const GrVec3 v = gr_normalize(to_body(&e, target == GR_SKY_SUN ? e.sun : e.earth));
    *lon = gr_atan2(v.y, v.x);
    *lat = gr_asin(v.z);
    return GR_OK;
}

/// The angle in the plane of the orbit from where the Sun crosses the equator northwards.
double gr_mars_season(double days)
{
    GrEphemeris e;
    if (!ephemeris(GR_SKY_MARS, days, &e)) {
        return (double)NAN;
    }
    const GrVec3 normal = gr_normalize(gr_cross(gr_neg(e.sun), e.motion));
    const GrVec3 equinox = gr_normalize(gr_cross(e.z, normal)), across = gr_cross(normal, equinox);
    return in_circle(gr_atan2(gr_dot(e.sun, across), gr_dot(e.sun, equinox)));
}
