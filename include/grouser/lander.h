/// Landers: rigid platforms on legs with ramps, and how they stand on the ground.
///
/// gr_lander_place() puts a lander down at a place and heading: at least three footpads carry it, none is below the
/// ground, and the mass centre is above the polygon of the pads that carry. Then every ramp is lowered until it touches
/// the ground, or until the range of its hinge ends. docs/landers.md describes the files and the method.
///
/// Body frame: x forward, y left, z up, from any origin [m].
///
/// Example:
///
///     GrErrorLog log = {0};
///     GrLanderDef lander;
///     if (gr_lander_load("kazachok_like", &lander, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrLanderPlacement placement;
///     const GrSite level = {0}; // a plane without rocks
///     if (gr_lander_place(&lander, &level, (GrLanderSpot){.heading = 0.5}, &placement, &log) != GR_OK) {
///         return 1;
///     }
///     printf("%s, tilt %.1f\n", gr_stand_name(placement.stand), placement.tilt); // prints: stands, tilt 0.0
#ifndef GROUSER_LANDER_H
#define GROUSER_LANDER_H

#include "grouser/assets.h"
#include "grouser/rover.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GR_LANDER_FEET = 12, GR_LANDER_RAMPS = 8, GR_LANDER_CORNERS = 16 };

/// Largest magnitude of places and lengths of a lander [m].
enum { GR_LANDER_REACH = 100 };

/// A flat footpad.
typedef struct GrLanderFoot {
    GrVec3 position; ///< middle of its lower face [m]
    double radius;   ///< ≥ 0 [m]; default 0
} GrLanderFoot;

/// A ramp that turns down about a hinge at the edge of the deck. It is one plate, or two tracks with a gap between
/// them.
typedef struct GrLanderRamp {
    char name[GR_NAME_SIZE];
    double direction;   ///< in which it leads away, from x towards y [rad]
    GrVec3 hinge;       ///< middle of the hinge, on the upper face [m]
    double length;      ///< > 0 [m]
    double width;       ///< over all, > 0 [m]
    double gap;         ///< between the tracks, 0: one plate [m]
    double thickness;   ///< > 0 [m]; default 0.04
    double first, last; ///< range of the hinge, measured downwards from the plane of the deck; it is lowered from
                        ///< `first` [rad]; default 0 and 60°
} GrLanderRamp;

/// Start from gr_default_lander_def().
typedef struct GrLanderDef {
    char name[GR_NAME_SIZE];
    char title[GR_NOTE_SIZE];
    GrVec3 com; ///< mass centre, of the lander with its rover [m]
    GrLanderFoot feet[GR_LANDER_FEET];
    int foot_count;                       ///< ≥ 3
    double corners[GR_LANDER_CORNERS][2]; ///< of the underside, a convex polygon: x, y [m]
    int corner_count;                     ///< 0: no underside, or ≥ 3
    double underside;                     ///< its height z [m]
    double deck_length, deck_width;       ///< along x and y [m]
    double deck_x, deck_y;                ///< its middle [m]; default 0
    double deck_height;                   ///< z of its upper face [m]
    double deck_thickness;                ///< > 0 [m]; default 0.1
    GrLanderRamp ramps[GR_LANDER_RAMPS];
    int ramp_count;
} GrLanderDef;

GR_API GrLanderDef gr_default_lander_def(void);

/// Checks what single ranges cannot: that the lander stands on level ground, that names differ, and so on.
GR_API GrStatus gr_lander_check(const GrLanderDef *lander, GrLocation at, GrErrorLog *log);

/// Loads a shipped lander by name, or a file by path, and checks it.
GR_API GrStatus gr_lander_load(const char *name_or_path, GrLanderDef *out, GrErrorLog *log);

/// The ramp of that name; −1: there is none.
GR_API int gr_lander_ramp(const GrLanderDef *lander, const char *name);

/// The ground on which landers are placed. Its tiles must be loaded (gr_terrain_prefetch).
typedef struct GrSite {
    const GrTerrain *terrain; ///< NULL: the plane z = 0
    const GrRock *rocks;      ///< [rock_count] as ellipsoids whose middle is on the ground
    int rock_count;
} GrSite;

/// Height of the ground with its rocks; NAN: off the map.
GR_API double gr_site_height(const GrSite *site, double x, double y);

/// Where a lander comes down: position of its mass centre and heading of its x axis, both seen from above.
typedef struct GrLanderSpot {
    double x, y;    ///< [m]
    double heading; ///< from east towards north [rad]
} GrLanderSpot;

/// How a placement ended: constant, name.
#define GR_STAND_LIST(X)                                                                                               \
    X(GR_STAND_STANDS, stands)                                                                                         \
    X(GR_STAND_TIPPED, tipped)   /* no pose has its mass centre above the pads that carry */                           \
    X(GR_STAND_OFF_MAP, off_map) /* a part of it is beyond the map */                                                  \
    X(GR_STAND_NO_POSE, no_pose) /* no pose was found: the ground under a pad is too rugged */

typedef enum GrStand {
#define GR_STAND_ENUM(constant, name) constant,
    GR_STAND_LIST(GR_STAND_ENUM)
#undef GR_STAND_ENUM
        GR_STAND_COUNT
} GrStand;

GR_API const char *gr_stand_name(GrStand stand);

/// What a lowered ramp touches first.
typedef enum GrRampTouch { GR_RAMP_HANGS, GR_RAMP_END, GR_RAMP_MIDDLE } GrRampTouch;

typedef struct GrRampState {
    double hinge;     ///< angle below the plane of the deck [rad]
    double slope;     ///< of its centre line below the horizontal [rad]
    double roll;      ///< of its hinge against the horizontal; positive: the left side, seen downhill, is higher [rad]
    double to_ground; ///< between its centre line and the ground over the first metre beyond its end [rad]
    double step;      ///< largest height of the upper edge of its end above the ground [m]
    GrRampTouch touch;
    double touch_at; ///< distance of the touching point from the hinge [m]; NAN: it hangs
} GrRampState;

/// A placed lander. Everything after `stand` is meaningless unless it stands.
typedef struct GrLanderPlacement {
    GrStand stand;
    GrPose pose;        ///< of the body frame in the world
    double tilt;        ///< between the body's z axis and the vertical [rad]
    double tilt_toward; ///< direction in which it leans, from east towards north [rad]
    double stability;   ///< smallest angle by which it must turn about a line of two outer feet to tip over [rad]
    unsigned feet_down; ///< bit i: foot i carries
    double clearance;   ///< smallest height of the underside above the ground; negative: it touches [m]
    GrVec3 lowest;      ///< the point of the underside that has it, in the world [m]
    GrRampState ramps[GR_LANDER_RAMPS];
} GrLanderPlacement;

/// Places the lander. Only a lack of memory is an error; a lander that does not stand is a result.
GR_API GrStatus gr_lander_place(const GrLanderDef *lander, const GrSite *site, GrLanderSpot spot,
                                GrLanderPlacement *out, GrErrorLog *log);

/// Largest distance of any part from the mass centre, seen from above, with ramps and a metre beyond them [m]: how far
/// inside the map a lander must be.
GR_API double gr_lander_reach(const GrLanderDef *lander);

#ifdef __cplusplus
}
#endif
#endif
