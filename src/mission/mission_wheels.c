/// Warnings about wheels at the end of a run.
#include "mission_data.h"

#include "number.h"

#include <stdio.h>

static const double SLICE_SHARE = 0.05;   // change of sinkage by twice the slices
static const double DEEP_RUT_SHARE = 0.5; // fraction of a wheel's radius

/// Warns about wheels in deep ruts on a law with one contact plane, which cannot represent both floor and walls.
static void warn_ruts(const GrMission *mission, GrRunSummary *out)
{
    const GrModel *m = mission->m;
    double deepest = 0;
    for (int i = 0; gr_ruts_over_ground(mission->d) != NULL && i < m->wheel_count; i++) {
        deepest = fmax(deepest, out->wheels[i].sinkage_mean / m->wheels[i].radius);
    }
    GrWarning *warning = deepest > DEEP_RUT_SHARE ? gr_summary_add_warning(out, out->steps, 0) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "a wheel sinks %.2g of its radius into ground that keeps ruts: outside the range in which one contact "
                 "plane describes floor and walls",
                 deepest);
    }
}

/// Warns about too few slices. The deepest slice stands for the wheel's lowest point; twice as many have their
/// outermost a quarter of a slice further out, where the wheel is deeper by a quarter of what neighbouring slices
/// differ by.
static void warn_slices(const GrMission *mission, GrRunSummary *out)
{
    double most = 0;
    for (int i = 0; mission->m->scm_bodies == NULL && i < mission->m->wheel_count; i++) {
        const GrWheelTally *tally = &mission->wheels[i];
        const double change = tally->spread_time / 4, sunk = tally->sums.sinkage_time;
        most = sunk > 0 ? fmax(most, change / sunk) : most;
    }
    const int slices = mission->m->soil_wheels != NULL ? mission->m->soil_wheels[0].slices : 1;
    GrWarning *warning = most > SLICE_SHARE ? gr_summary_add_warning(out, out->steps, 0) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "the ground differs so much across a wheel that %d slices are too few: twice as many would change its "
                 "mean sinkage by about %.2g %% (step.slices)",
                 slices, 100 * most);
    }
}

/// Warns about wheels that never touched anything. Such a rover lies on something else, or was never put down: its
/// loads, slips and sinkages of 0 are no results.
static void warn_untouched(const GrMission *mission, GrRunSummary *out)
{
    const GrModel *m = mission->m;
    int untouched = 0, first = 0;
    for (int i = m->wheel_count - 1; i >= 0; i--) {
        if (!(mission->wheels[i].sums.touch_time > 0)) {
            untouched++;
            first = i;
        }
    }
    GrWarning *warning = untouched > 0 && out->steps > 0 ? gr_summary_add_warning(out, out->steps, 0) : NULL;
    if (warning != NULL && untouched == m->wheel_count) {
        gr_print(warning->text, sizeof warning->text, "no wheel ever touched the ground or a rock: %s",
                 mission->s.dropped ? "the rover was still falling at the end"
                                    : "something else carries the rover, and this run is not to be trusted");
    } else if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "%d of %d wheels never touched the ground or a rock, the first is %s", untouched, m->wheel_count,
                 m->wheel_names[first]);
    }
}

void gr_mission_warn_wheels(const GrMission *mission, GrRunSummary *out)
{
    warn_slices(mission, out);
    warn_ruts(mission, out);
    warn_untouched(mission, out);
}
