/// What the ground of a map asks of a rover: its wheels are put on the heights, with rocks on them, at every place and
/// heading of a route, and slope, steps and clearance are compared with what the rover holds (rover_costs.h).
#ifndef GR_GO_GROUND_H
#define GR_GO_GROUND_H

#include "route.h"
#include "rover_costs.h"

/// What stops a rover: constant, name, text.
#define GR_GO_HAZARD_LIST(X)                                                                                           \
    X(NONE, none, "nothing")                                                                                           \
    X(UPHILL, slope, "a slope uphill")                                                                                 \
    X(ACROSS, cross_slope, "a slope across")                                                                           \
    X(DOWNHILL, descent, "a slope downhill")                                                                           \
    X(STEP, step, "a step under a wheel")                                                                              \
    X(ROCK, rock, "a rock under a wheel")                                                                              \
    X(BELLY, clearance, "ground under the chassis")                                                                    \
    X(EDGE, no_ground, "the end of the map")                                                                           \
    X(DRIVEN, driven, "a drive that ended there")

typedef enum GrGoHazard {
#define GR_GO_HAZARD_ENUM(constant, name, text) GR_GO_##constant,
    GR_GO_HAZARD_LIST(GR_GO_HAZARD_ENUM)
#undef GR_GO_HAZARD_ENUM
        GR_GO_HAZARDS
} GrGoHazard;

const char *gr_go_hazard_name(GrGoHazard hazard);

/// A rover at a place with a heading.
typedef struct GrGoSpot {
    GrGoHazard hazard; ///< which of what follows is closest to its limit
    double share;      ///< of the limit: above 1 the rover does not hold it; INFINITY: no ground
    double value;      ///< slope [rad], height of the step or of the ground over the plane of the wheels [m]
    double limit;      ///< of it
    double slope;      ///< of the plane through the wheels [rad]
    GrCostAt cost;
} GrGoSpot;

typedef struct GrGoGround {
    GrRoverShape shape;
    GrRoverCosts *costs; ///< [soil_count] owned: of each soil of the world
    int soil_count;
    const GrSoilMap *soil_map;     ///< soils by position; NULL: the first everywhere
    GrGridFrame frame;             ///< of the heights; dx = dy
    double *heights;               ///< [nx ny] owned; NAN: no ground
    float *rocks;                  ///< [nx ny] owned: heights of rocks over it; NULL: there are none
    bool rigid;                    ///< the ground itself is rigid, not soil
    double fit[GR_COST_WHEELS][3]; ///< plane through the wheels' heights: z0, slopes ahead and to the left
    double reach;                  ///< to look ahead of each wheel for steps: between two places of a route [m]
} GrGoGround;

/// Samples the heights over a box, and the rocks. The costs are set by the caller. Free with gr_go_ground_free(), also
/// after an error.
GrStatus gr_go_ground_make(GrGoGround *ground, const GrWorld *world, GrBox2 box, double reach, GrErrorLog *log);
void gr_go_ground_free(GrGoGround *ground);

/// The rover at (x, y), heading [rad].
GrGoSpot gr_go_spot(const GrGoGround *ground, double x, double y, double heading);

/// "a slope uphill of 23.1°, where the rover holds 21°"
enum { GR_GO_WHY = 240 };
void gr_go_say_spot(const GrGoSpot *spot, char out[GR_GO_WHY]);

/// What a metre costs: 1 on level ground, in equal parts of time and energy.
double gr_go_spot_effort(const GrGoGround *ground, const GrGoSpot *spot);

/// The same with a care for limits: more the nearer the share is to 1, `care` times; beyond the limits a metre costs as
/// much as a detour of hundreds. INFINITY: no ground.
double gr_go_cost(double effort, double share, double care);

#endif
