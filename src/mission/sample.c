/// Samples and summaries of a run: names of outcomes, memory.
#include "grouser/sample.h"

#include "alloc.h"
#include "contact_mode.h"
#include "named.h"

static const GrNamed OUTCOMES[] = {GR_OUTCOME_LIST(GR_NAMED_ROW)};
static const GrNamed ARRIVALS[] = {GR_ARRIVAL_LIST(GR_NAMED_ROW)};

const char *gr_outcome_name(GrOutcome outcome)
{
    return GR_NAMED_GET(OUTCOMES, outcome, name);
}

const char *gr_outcome_text(GrOutcome outcome)
{
    return GR_NAMED_GET(OUTCOMES, outcome, text);
}

const char *gr_arrival_name(GrArrivalState state)
{
    return GR_NAMED_GET(ARRIVALS, state, name);
}

const char *gr_arrival_text(GrArrivalState state)
{
    return GR_NAMED_GET(ARRIVALS, state, text);
}

const char *gr_wheel_state_text(int state)
{
    return gr_contact_mode_text((GrContactMode)state);
}

static void *make(int count, size_t size)
{
    return gr_calloc(count > 0 ? (size_t)count : 1, size);
}

bool gr_sample_init(const GrModel *m, int rock_count, GrSample *sample)
{
    *sample = (GrSample){
        .wheels = make(gr_model_wheel_count(m), sizeof(GrWheelSample)),
        .joints = make(gr_model_joint_count(m), sizeof(GrJointSample)),
        .bodies = make(gr_model_part_count(m), sizeof(GrPose)),
        .rocks = make(rock_count, sizeof(GrPose)),
        .rock_count = rock_count,
    };
    if (sample->wheels == NULL || sample->joints == NULL || sample->bodies == NULL || sample->rocks == NULL) {
        gr_sample_free(sample);
        return false;
    }
    return true;
}

void gr_sample_free(GrSample *sample)
{
    gr_free(sample->wheels);
    gr_free(sample->joints);
    gr_free(sample->bodies);
    gr_free(sample->rocks);
    *sample = (GrSample){0};
}

void gr_run_summary_free(GrRunSummary *summary)
{
    gr_free(summary->wheels);
    gr_free(summary->way_points);
    gr_free(summary->warnings);
    gr_free(summary->self_contacts);
    *summary = (GrRunSummary){0};
}
