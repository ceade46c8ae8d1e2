/// Where the Sun and the Earth stand above a place, from a date, from a table or as given.
#include "ephemeris.h"

#include "elementary.h"
#include "parts.h"
#include "vec3.h"

#include <math.h>
#include <stddef.h>

static const double ASTRONOMICAL_UNIT = 149597870700.0;           // [m]
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
    return gr_ephemeris(def->body, def->start, &unused) ? GR_OK
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
    if (!gr_ephemeris(def->body, def->start + time / 86400, &e)) {
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
    if (!gr_ephemeris(body, days, &e)) {
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
    if (!gr_ephemeris(GR_SKY_MARS, days, &e)) {
        return (double)NAN;
    }
    const GrVec3 normal = gr_normalize(gr_cross(gr_neg(e.sun), e.motion));
    const GrVec3 equinox = gr_normalize(gr_cross(e.z, normal)), across = gr_cross(normal, equinox);
    return in_circle(gr_atan2(gr_dot(e.sun, across), gr_dot(e.sun, equinox)));
}
