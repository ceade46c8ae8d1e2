/// GrSky: where the Sun and the Earth stand above a place on the Moon or on Mars, and how much of the solar disc the
/// ground around the place leaves free.
///
/// Azimuths are clockwise from north (y), elevations above the local horizontal, both geometric: neither the Moon nor
/// Mars bends light by as much as a minute of arc. Positions come from the series of liberfa (in a build without it
/// only GR_SUN_FIXED and GR_SUN_TABLE work), rotations from the elements of the IAU working group (2009): good to
/// a minute of arc between 1900 and 2100.
///
/// Example: the Sun at the rim of Shackleton.
///
///     GrErrorLog log = {0};
///     GrSunDef sun = gr_default_sun_def();
///     sun.kind = GR_SUN_DATE;
///     sun.lat = -89.7 * 3.14159265358979 / 180;
///     GrSkyView view;
///     if (gr_date_parse("2027-03-01T00:00:00Z", &sun.start) && gr_sky_view(&sun, GR_SKY_SUN, 0, &view, &log) == GR_OK)
///     {
///         printf("%.1f deg above the horizontal\n", view.elevation * 180 / 3.14159265358979);
///     }
#ifndef GROUSER_SKY_H
#define GROUSER_SKY_H

#include "grouser/status.h"
#include "grouser/vec.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the Sun's place is given: constant, name in messages.
typedef enum GrSunKind {
    GR_SUN_NONE,  ///< there is no Sun (default)
    GR_SUN_FIXED, ///< azimuth and elevation, always the same
    GR_SUN_DATE,  ///< by body, place and date
    GR_SUN_TABLE, ///< azimuth and elevation by time, linear in between
} GrSunKind;

typedef enum GrSkyBody { GR_SKY_MOON, GR_SKY_MARS, GR_SKY_BODY_COUNT } GrSkyBody;
GR_API const char *gr_sky_body_name(GrSkyBody body);

typedef enum GrSkyTarget { GR_SKY_SUN, GR_SKY_EARTH } GrSkyTarget;

typedef struct GrSunPoint {
    double time;      ///< [s] since the start, rising
    double azimuth;   ///< [rad]; between two points the shorter way around
    double elevation; ///< [rad]
} GrSunPoint;

/// Start from gr_default_sun_def().
typedef struct GrSunDef {
    GrSunKind kind;
    GrSkyBody
        body;     ///< default: the Moon. It also gives the size of the disc and the light where the Sun is not by date
    double lon;   ///< date: east longitude [rad]
    double lat;   ///< date: planetocentric latitude [rad], −π/2 .. π/2
    double start; ///< date: time 0 as days since 2000-01-01T12:00:00 UTC (gr_date_parse())
    double north; ///< direction of north, clockwise from the world's y axis [rad]; default 0. Azimuths by date are
                  ///< turned by it
    double azimuth, elevation; ///< fixed [rad]
    const GrSunPoint *table;   ///< table; must outlive the definition
    int table_count;           ///< 1 or more
} GrSunDef;

GR_API GrSunDef gr_default_sun_def(void);
GR_API GrStatus gr_sun_check(const GrSunDef *def, GrErrorLog *log);

/// The Sun or the Earth as seen from a place.
typedef struct GrSkyView {
    double azimuth;   ///< clockwise from north [rad], 0 .. 2π
    double elevation; ///< of the middle of the disc [rad]
    double radius;    ///< of the disc [rad]
    double distance;  ///< [m]
} GrSkyView;

/// `time`: [s] since the start. The Earth is only known where the Sun is given by date.
GR_API GrStatus gr_sky_view(const GrSunDef *def, GrSkyTarget target, double time, GrSkyView *out, GrErrorLog *log);

/// Unit vector towards a view: x east, y north, z up.
GR_API GrVec3 gr_sky_direction(const GrSkyView *view);

/// "2027-03-01T00:00:00Z", or the date alone; false for anything else. Years 1900 to 2100.
GR_API bool gr_date_parse(const char *text, double *days);

/// Writes "2027-03-01T00:00:00Z".
GR_API void gr_date_format(double days, char out[32]);

/// Season of Mars: areocentric longitude of the Sun [rad], 0 at the equinox of northern spring. NAN without liberfa.
GR_API double gr_mars_season(double days);

/// Longitude and planetocentric latitude [rad] of the place that has the Sun or the Earth in its zenith.
GR_API GrStatus gr_sky_below(GrSkyBody body, GrSkyTarget target, double days, double *lon, double *lat,
                             GrErrorLog *log);

/// Mean radius [m].
GR_API double gr_sky_body_radius(GrSkyBody body);

/// Light of the Sun on a surface that faces it, at a distance [W/m²].
GR_API double gr_sunlight(double distance);

#ifdef __cplusplus
}
#endif
#endif
