/// Drives over a traverse's map: straight and by the routes found, predicted from the legs and then driven.
#ifndef GR_TRAVERSE_TRIP_H
#define GR_TRAVERSE_TRIP_H

#include "runner.h"
#include "traverse.h"

/// Numbers of a drive. NAN: unknown.
typedef struct GrTraverseFigures {
    double arrival;            ///< probability
    double energy, time, slip; ///< [J], [s]; of the drives that arrive
} GrTraverseFigures;

typedef struct GrTraverseTrip {
    int aim;  ///< index of the traverse's aims; −1: straight
    int pair; ///< −1: between `from` and `to` of the traverse
    double from[2], to[2];
    GrRoute route;       ///< of the search; empty for a straight drive
    double (*points)[2]; ///< [point_count] way-points after the start, owned; NULL: there is no route
    int point_count;
    double length; ///< along the way-points [m]
    int same;      ///< an earlier trip with the same way-points, whose drives are its own; −1: none
    GrTraverseFigures predicted;
    int chained, worlds; ///< worlds in which every leg of the route arrived, of all; of a straight drive 0 of 0
    GrTraverseFigures measured;
    int count, arrived;            ///< drives with a result, and of them those that arrived
    int start_blocked;             ///< drives that ended within half a cell of the start
    int goal_blocked;              ///< those that did so near the goal, but did not arrive
    char outcome[GR_OUTCOME_SIZE]; ///< of the first drive that did not arrive; "": all did
    double end[2], time;           ///< of the same: where, and when [s]
} GrTraverseTrip;

/// A drive of a trip in a world.
typedef struct GrTraverseRun {
    int trip;
    uint64_t world;
} GrTraverseRun;

typedef struct GrTraverseTrips {
    const GrTraverse *traverse;
    const GrCampaign *campaign;
    GrTraverseTrip *items; ///< [count] owned: straight, then each aim; then for each pair straight and routed
    int count;
    GrTraverseRun *runs; ///< [run_count] owned
    int run_count;
} GrTraverseTrips;

/// Finds the routes over a map whose legs are all done. Free with gr_traverse_trips_free(), also after an error.
GrStatus gr_traverse_trips_make(const GrTraverse *t, const GrCampaign *campaign, const GrTraverseMap *map,
                                GrTraverseTrips *out, GrErrorLog *log);
void gr_traverse_trips_free(GrTraverseTrips *trips);

/// The rows of all drives.
GrBatch gr_traverse_trips_batch(const GrTraverseTrips *trips);

/// Reads the results of the drives from a study.
void gr_traverse_trips_measure(GrTraverseTrips *trips, GrStudy *study);

/// The row of a trip in a world.
void gr_traverse_trip_row(const GrTraverseTrips *trips, int trip, uint64_t world, GrRow *out);

/// Random starts and goals: how often the rover arrives.
typedef struct GrTraversePairs {
    int count;                      ///< pairs
    int no_route;                   ///< without a route
    int straight, routed;           ///< that arrive
    int both;                       ///< arrive either way
    double straight_energy, energy; ///< mean of those [J]; NAN: none
    double straight_time, time;     ///< [s]
} GrTraversePairs;

GrTraversePairs gr_traverse_pairs_count(const GrTraverseTrips *trips);

/// Whether there is a route that can be handed over: by its legs, and by its drives as far as they are done, at least
/// the share `open_above` of the traverse arrives, and not none.
bool gr_traverse_arrives(const GrTraverseTrips *trips, int trip);

/// Why a trip has no route that can be handed over, and what may help, in one sentence; "" where it has one, and for
/// straight drives.
enum { GR_TRAVERSE_REASON = 400 };
void gr_traverse_reason(const GrTraverseTrips *trips, int trip, char out[GR_TRAVERSE_REASON]);

#endif
