/// Traversability of an area: where a rover can drive, in which direction, at what cost, and which way from A to B.
///
///     +-----+-----+     A grid of cells covers the area. From every cell the rover drives to each neighbour: a leg,
///     |   x-|-->x |     which is a run of the study. World w is sample w of the campaign (soil, rocks, …). In one
///     +-----+-----+     world all legs start at the same place of their cell, so that a leg ends where the next one
///     |     |     |     begins: legs of a world chain up to routes through that world.
///     +-----+-----+
///
/// The legs give a map, the map gives routes, and these are driven in turn (traverse_trip.h). What is
/// derived depends on the study alone, so that an interrupted mission goes on where it stopped.
#ifndef GR_TRAVERSE_H
#define GR_TRAVERSE_H

#include "campaign.h"
#include "route.h"
#include "scenario_data.h"
#include "schema.h"
#include "statistics.h"
#include "study.h"

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
    GrScenario *scenario; ///< without variations
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

extern const GrKey gr_traverse_keys[]; ///< of GrTraverse
/// Sets a GrTraverse to its defaults.
void gr_traverse_fill(void *traverse);

/// Reads the section of a campaign file, in two parts as GrMissionKind says. NULL after an error.
GrTraverse *gr_traverse_read(GrNode *section, GrCampaign *campaign);
void gr_traverse_finish(GrTraverse *t, GrNode *section, GrCampaign *campaign);
void gr_traverse_free(GrTraverse *t);

// For other missions whose drives are rows of a study (go.h).

/// The scenario without variations and its ground.
bool gr_traverse_read_scenario(GrNode *section, const GrCampaign *campaign, GrTraverse *t);
/// Adds the variables that the drives set, with the values of one of them.
bool gr_traverse_add_variables(GrNode *section, GrCampaign *campaign, const double from[2], const double to[2],
                               GrTraverse *t);
/// Adds the measures of drives.
void gr_traverse_add_measures(const GrNode *section, GrCampaign *campaign, GrTraverse *t);
/// Frees what it owns.
void gr_traverse_clear(GrTraverse *t);

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

// What the legs of a traverse say of every cell and direction.

/// Legs from one cell, in one direction or in all.
typedef struct GrTraverseEdge {
    int count;           ///< legs with a result
    int arrived;         ///< of them
    double energy, time; ///< per metre, mean of the legs that arrived [J/m], [s/m]; NAN: none did
    double slip;         ///< mean of the same
    double tilt;         ///< largest roll or pitch of all legs [deg]; NAN: unknown
} GrTraverseEdge;

typedef struct GrTraverseMap {
    GrTraverseEdge *edges; ///< [cells][GR_ROUTE_DIRECTIONS] owned
    GrTraverseEdge *cells; ///< [cells] owned: counts of all directions, means of the means of each direction
    bool *arrived;         ///< [worlds][cells][GR_ROUTE_DIRECTIONS] owned
    uint64_t count, total; ///< legs with a result, and all
    int arrivals;          ///< of all legs
} GrTraverseMap;

/// Reads the results of all legs from a study; those that are not there yet do not count. Free with
/// gr_traverse_map_free(), also after an error.
GrStatus gr_traverse_map_make(const GrTraverse *t, const GrCampaign *campaign, GrStudy *study, GrTraverseMap *out,
                              GrErrorLog *log);
void gr_traverse_map_free(GrTraverseMap *map);

/// Probability to arrive at the end of an edge: (arrived + m) / (legs + 1), where m is the share of all legs of the map
/// that arrived (Jeffreys' estimate). Three of three legs are thus not certainty, and the map as a whole says how far
/// from it they are: the posterior mean of a beta distribution whose prior has the map's mean and the weight of one
/// leg. NAN: no leg.
double gr_traverse_probability(const GrTraverseMap *map, const GrTraverseEdge *edge);

/// Cost of an edge, weighted; NAN: closed.
double gr_traverse_edge_cost(const GrTraverse *t, const GrTraverseMap *map, int edge, const double *weights);

/// What the page, the table and the GeoTIFF have for a cell or an edge: constant, name, unit, text.
#define GR_TRAVERSE_FIELD_LIST(X)                                                                                      \
    X(SUCCESS, success, "", "share of the legs that arrived")                                                          \
    X(SUCCESS_LOW, success_low, "", "lower end of its 95 % interval")                                                  \
    X(SUCCESS_HIGH, success_high, "", "upper end of its 95 % interval")                                                \
    X(ENERGY, energy, "J/m", "energy of the motors per metre")                                                         \
    X(TIME, time, "s/m", "time per metre")                                                                             \
    X(SLIP, slip, "", "mean slip of the wheels")                                                                       \
    X(TILT, tilt, "deg", "largest roll or pitch")                                                                      \
    X(LEGS, legs, "", "legs driven")

typedef enum GrTraverseField {
#define GR_TRAVERSE_FIELD_ENUM(constant, name, unit, text) GR_TRAVERSE_FIELD_##constant,
    GR_TRAVERSE_FIELD_LIST(GR_TRAVERSE_FIELD_ENUM)
#undef GR_TRAVERSE_FIELD_ENUM
        GR_TRAVERSE_FIELD_COUNT
} GrTraverseField;

typedef struct GrTraverseFieldInfo {
    const char *name, *unit, *text;
} GrTraverseFieldInfo;

extern const GrTraverseFieldInfo gr_traverse_fields[GR_TRAVERSE_FIELD_COUNT];

/// NAN: no data. Cells without a leg have none, not 0.
double gr_traverse_field(const GrTraverseEdge *edge, GrTraverseField field);

#endif
