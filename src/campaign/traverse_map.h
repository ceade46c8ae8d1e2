/// What the legs of a traverse say of every cell and direction.
#ifndef GR_TRAVERSE_MAP_H
#define GR_TRAVERSE_MAP_H

#include "statistics.h"
#include "study.h"
#include "traverse.h"

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
