/// Traversability of an area: where a rover can drive, in which direction, at what cost, and which way from A to B.
///
///     +-----+-----+     A grid of cells covers the area. From every cell the rover drives to each neighbour: a leg,
///     |   x-|-->x |     which is a run of the study. World w is sample w of the campaign (soil, rocks, …). In one
///     +-----+-----+     world all legs start at the same place of their cell, so that a leg ends where the next one
///     |     |     |     begins: legs of a world chain up to routes through that world.
///     +-----+-----+
///
/// The legs give a map (traverse_map.h), the map gives routes, and these are driven in turn (traverse_trip.h). What is
/// derived depends on the study alone, so that an interrupted mission goes on where it stopped.
#ifndef GR_TRAVERSE_H
#define GR_TRAVERSE_H

#include "campaign.h"
#include "grouser/scenario.h"
#include "route.h"

/// What a route may cost: constant, name, unit of a route, unit of a metre, text.
#define GR_TRAVERSE_COST_LIST(X)                                                                                       \
    X(ENERGY, energy, "J", "J/m", "energy of the motors")                                                              \
    X(TIME, time, "s", "s/m", "time")                                                                                  \
    X(SLIP, slip, "", "", "mean slip of the wheels, weighted with the distance")                                       \
    X(RISK, risk, "", "1/m", "-ln(probability to arrive)")                                                             \
    X(DISTANCE, distance, "m", "", "distance")

typedef enum GrTraverseCost {
#define GR_TRAVERSE_COST_ENUM(constant, name, unit, per_metre, text) GR_TRAVERSE_##constant,
    GR_TRAVERSE_COST_LIST(GR_TRAVERSE_COST_ENUM)
#undef GR_TRAVERSE_COST_ENUM
        GR_TRAVERSE_COST_COUNT
} GrTraverseCost;

extern const char *const gr_traverse_cost_names[GR_TRAVERSE_COST_COUNT];

/// What a route minimizes: a weighted sum of costs.
typedef struct GrTraverseAim {
    char name[64]; ///< "energy", "energy+risk"
    double weights[GR_TRAVERSE_COST_COUNT];
} GrTraverseAim;

enum { GR_TRAVERSE_AIMS = 8 };

/// Variables that the mission sets itself.
typedef enum GrTraverseVariable {
    GR_TRAVERSE_X,
    GR_TRAVERSE_Y,
    GR_TRAVERSE_HEADING,
    GR_TRAVERSE_PATH,
    GR_TRAVERSE_DURATION,
    GR_TRAVERSE_VARIABLES
} GrTraverseVariable;

/// Measures that the mission needs.
typedef enum GrTraverseMeasure {
    GR_TRAVERSE_END_X,
    GR_TRAVERSE_END_Y,
    GR_TRAVERSE_USED_ENERGY,
    GR_TRAVERSE_USED_TIME,
    GR_TRAVERSE_MEAN_SLIP,
    GR_TRAVERSE_TILT,
    GR_TRAVERSE_MEASURES
} GrTraverseMeasure;

typedef struct GrTraverse {
    GrScenario scenario; ///< without variations
    bool has_scenario;
    GrTerrain *terrain; ///< of the scenario; NULL: a plane
    GrRouteGrid grid;   ///< without costs
    double x0, y0;      ///< south-west corner of the grid
    int directions;     ///< 4 or 8
    double jitter;      ///< range of the place of a leg's start, in cells
    double patience;    ///< a drive may take this many times its length over the speed
    double arrive;      ///< a drive that ends this near to its goal has arrived [m]
    double open_above;  ///< edges with a lower share of arrivals are closed to routes
    bool has_ends;
    double from[2], to[2];
    GrTraverseAim aims[GR_TRAVERSE_AIMS];
    int aim_count;
    int drives; ///< worlds in which routes are driven
    int pairs;  ///< random starts and goals
    int worlds;
    int variables[GR_TRAVERSE_VARIABLES]; ///< indices
    int measures[GR_TRAVERSE_MEASURES];   ///< indices
    bool *has_ground;                     ///< [cells] owned: the map has data everywhere in it
    int *legs;                            ///< [leg_count] owned: cell · GR_ROUTE_DIRECTIONS + direction
    int leg_count;
} GrTraverse;

/// Reads the section of a campaign file, in two parts as GrMissionKind says. NULL after an error.
GrTraverse *gr_traverse_read(GrNode *section, GrCampaign *campaign);
void gr_traverse_finish(GrTraverse *t, GrNode *section, GrCampaign *campaign);
void gr_traverse_free(GrTraverse *t);

/// Number of legs in all worlds.
uint64_t gr_traverse_size(const GrTraverse *t);

/// Row `index` of all legs: world after world.
void gr_traverse_leg_row(const GrTraverse *t, const GrCampaign *campaign, uint64_t index, GrRow *out);

/// A drive along way-points.
typedef struct GrTraverseDrive {
    double from[2];
    const double (*points)[2]; ///< [count], the last one is the goal
    int count;
    double length; ///< [m]
} GrTraverseDrive;

/// The row of a drive in a world. False: the way-points do not fit into a value of a study.
bool gr_traverse_row(const GrTraverse *t, const GrCampaign *campaign, const GrTraverseDrive *drive, uint64_t world,
                     GrRow *out);

/// Whether a drive with this result has arrived at its goal.
bool gr_traverse_arrived(const GrTraverse *t, const GrResult *result, const double goal[2]);

/// Middle of a cell, start of its legs in a world, and the cell at a place (−1: outside the grid).
void gr_traverse_centre(const GrTraverse *t, int cell, double out[2]);
void gr_traverse_place(const GrTraverse *t, const GrCampaign *campaign, int cell, uint64_t world, double out[2]);
int gr_traverse_cell(const GrTraverse *t, const double at[2]);

#endif
