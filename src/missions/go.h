/// From here to there on a map: a route that a rover arrives by, with its chance, or where the barrier is.
///
///     start and goal  --stands there?-->  moved to the nearest place where it does
///     heights, rocks  --wheels put on them, costs measured (go_ground.h)-->  route  --driven in the worlds-->  chance
///                                           ^                                          |
///                                           +---- around the places where drives end --+   at most `tries` times
///
/// A drive is a run of the study. World w is sample w of the campaign (soil, rocks, …). A route is driven in the first
/// world, and in the others if it arrives there. Where the map has no way, the rover tries the weakest places of the
/// barrier before the answer is that there is none. Everything follows from the campaign and its study, so that an
/// interrupted mission goes on where it stopped.
#ifndef GR_GO_H
#define GR_GO_H

#include "campaign.h"
#include "go_ground.h"
#include "study.h"
#include "traverse.h"

enum { GR_GO_TRIES = 32 };

/// Start or goal.
typedef struct GrGoEnd {
    double asked[2], at[2];
    double moved;        ///< distance between these [m]; of a blocked goal to the nearest place that is not
    bool stands;         ///< a place was found
    double heading;      ///< in which it stands best [rad]
    char why[GR_GO_WHY]; ///< why it had to be moved, or why there is no place; "": not moved
} GrGoEnd;

/// A place that a drive did not get past, at headings near its own.
typedef struct GrGoBlock {
    double at[2], heading, radius;
} GrGoBlock;

/// A place on a route, and what is closest to a limit there.
typedef struct GrGoPlace {
    double at[2];
    GrGoSpot spot;
} GrGoPlace;

/// A route that was tried.
typedef struct GrGoTry {
    double (*points)[2]; ///< [point_count] way-points after the start, owned; the last one is the goal
    int point_count;
    double length;       ///< [m]
    bool forced;         ///< through places that the map says cannot be passed: there is no other way
    GrGoPlace worst;     ///< nearest to a limit
    double energy, time; ///< expected from the costs [J], [s]
    int count, arrived;  ///< drives with a result; those that arrived within the limits
    int first_arrived;   ///< world of the first of these
    int kept_out;        ///< arrived, but beyond a limit
    GrCostBand used_energy, used_time, slip, tilt;       ///< of drives that arrived: mean, least, most
    char outcome[GR_OUTCOME_SIZE], cause[GR_CAUSE_SIZE]; ///< of the first drive that did not arrive; "": all did
    double end[2];                                       ///< its last place
} GrGoTry;

/// A step of the grid: the worst of its ends and its middle.
typedef struct GrGoEdge {
    float share;  ///< of GrGoSpot; INFINITY: no ground
    float effort; ///< a metre, mean
} GrGoEdge;

typedef enum GrGoVerdict { GR_GO_ARRIVES, GR_GO_ARRIVES_NOT, GR_GO_NO_ROUTE } GrGoVerdict;

/// What the mission has found so far. Free with gr_go_answer_free().
typedef struct GrGoAnswer {
    GrGoTry tries[GR_GO_TRIES];
    int count;
    GrGoBlock *blocks; ///< [block_count] owned
    int block_count;
    bool done;
    int wanted_try, wanted_from, wanted_to; ///< not done: drives of this try in these worlds are next
    bool last;                              ///< none arrived: the one that came nearest is driven in all worlds
    int best;                               ///< index of the try that is handed over; −1: none
    GrGoVerdict verdict;
    GrEstimate chance;    ///< of the best try to arrive, with Wilson's interval of 95 %
    bool separated;       ///< the map has no way between start and goal
    bool *reached;        ///< [cells] owned: can be reached by the map; NULL unless `separated`
    GrGoPlace barrier;    ///< its weakest place; `separated` and not at the end of the map
    double barrier_width; ///< length of the way through it [m]
    double nearest[2];    ///< place that can be reached nearest to the goal
} GrGoAnswer;

typedef struct GrGo {
    GrTraverse t;  ///< grid, scenario, ground, and how drives are rows of a study; without legs
    double move;   ///< the start may be moved so far [m]
    double margin; ///< of the area around start and goal [m]
    int tries;
    double at_least; ///< chance that a route must have
    GrGoal limits[GR_CAMPAIGN_WISHES];
    int limit_count;
    GrGoEnd start, goal;
    // of gr_go_prepare()
    bool ready;
    GrWorld *world; ///< the first one, for rocks and soils; NULL: not made yet
    GrWorldCache *cache;
    GrScenario *first; ///< its scenario
    GrGoGround ground;
    GrGoEdge *edges; ///< [cells][GR_ROUTE_DIRECTIONS] owned
} GrGo;

extern const GrKey gr_go_keys[]; ///< of GrGo
void gr_go_fill(void *go);

/// Reads the section of a campaign file, in two parts as GrMissionKind says. NULL after an error.
GrGo *gr_go_read(GrNode *section, GrCampaign *campaign);
void gr_go_finish(GrGo *go, GrNode *section, GrCampaign *campaign);
void gr_go_free(GrGo *go);

/// Measures what the rover can do, looks at the ground, and finds places to stand at start and goal. Once.
/// `watch` (may be NULL) is told what is done.
GrStatus gr_go_prepare(GrGo *go, const GrCampaign *campaign, void (*watch)(void *context, double done, double total),
                       void *context, GrErrorLog *log);

/// Goes on until the answer is there or drives without a result are wanted. Start with a zero answer.
GrStatus gr_go_advance(GrGo *go, const GrCampaign *campaign, GrStudy *study, GrGoAnswer *answer, GrErrorLog *log);
void gr_go_answer_free(GrGoAnswer *answer);

/// The drive of a try in a world.
bool gr_go_row(const GrGo *go, const GrCampaign *campaign, const GrGoTry *item, uint64_t world, GrRow *out);

/// "arrives", "does not arrive", "no route".
const char *gr_go_verdict_name(GrGoVerdict verdict);

// ---- routes over the prepared grid (go_plan.c)

/// The cheapest way from start to goal around the blocks. `care`: weight of what is close to a limit. `forced`: also
/// through places beyond the limits. No way: `out` has no points.
GrStatus gr_go_plan(const GrGo *go, const GrGoBlock *blocks, int block_count, double care, bool forced, GrGoTry *out,
                    GrErrorLog *log);

/// Spots of all edges, for gr_go_plan().
GrStatus gr_go_plan_prepare(GrGo *go, GrErrorLog *log);

/// Which cells can be reached from the start by the map alone, and the nearest to the goal.
GrStatus gr_go_reach(const GrGo *go, GrGoAnswer *answer, GrErrorLog *log);

/// Whether a rover has a way out of a place, by the map: some heading is within all limits. `heading`: the best one.
bool gr_go_has_way(const GrGo *go, const double at[2], GrGoSpot *best, double *heading);

#endif
