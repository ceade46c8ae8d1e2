/// Sensors of a mission for Python: the latest measurement of each, and all those of one step.
#include "python_api.h"

#include "alloc.h"
#include "delivery.h"
#include "mission_data.h"
#include "out_of_memory.h"
#include "run_sense.h"
#include "scenario_data.h"

#include <math.h>

struct GrPythonSense {
    GrWorld *world;
    GrRunSense *sense; ///< NULL: the rover has none, or the scenario leaves them out
    GrParcel *latest;  ///< [sensor_count]; a count of 0 values: none yet
    int sensor_count;
    GrParcel *fresh; ///< of the last step
    int fresh_count, fresh_capacity;
};

static void drop_fresh(GrPythonSense *s)
{
    for (int i = 0; i < s->fresh_count; i++) {
        gr_parcel_free(&s->fresh[i]);
    }
    s->fresh_count = 0;
}

static bool keep_fresh(GrPythonSense *s, const GrMeasurement *m)
{
    if (s->fresh_count == s->fresh_capacity) {
        const int capacity = s->fresh_capacity > 0 ? 2 * s->fresh_capacity : 16;
        GrParcel *grown = gr_realloc(s->fresh, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        s->fresh = grown;
        s->fresh_capacity = capacity;
    }
    return gr_parcel_pack(&s->fresh[s->fresh_count], m) && ++s->fresh_count > 0;
}

static GrStatus take(void *context, const GrMeasurement *m, GrErrorLog *log)
{
    GrPythonSense *s = context;
    GrParcel latest;
    if (!gr_parcel_pack(&latest, m) || !keep_fresh(s, m)) {
        return gr_out_of_memory(log, NULL);
    }
    gr_parcel_free(&s->latest[m->sensor]);
    s->latest[m->sensor] = latest;
    return GR_OK;
}

GrStatus gr_python_sense_create(GrWorld *world, GrPythonSense **out, GrErrorLog *log)
{
    *out = NULL;
    GrPythonSense *s = gr_calloc(1, sizeof *s);
    GrParcel *latest = gr_calloc((size_t)world->scenario->rover.sensor_count + 1, sizeof *latest);
    if (s == NULL || latest == NULL) {
        gr_free(s);
        gr_free(latest);
        return gr_out_of_memory(log, NULL);
    }
    *s = (GrPythonSense){.world = world, .latest = latest, .sensor_count = world->scenario->rover.sensor_count};
    const GrRunSenseDef def = {.world = world, .context = s, .take = take};
    GrStatus status = gr_run_sense_open(&def, &s->sense, log);
    status = status == GR_OK ? gr_run_sense_step(s->sense, gr_mission_data(world->mission), log) : status;
    if (status != GR_OK) {
        gr_python_sense_free(s);
        return status;
    }
    *out = s;
    return GR_OK;
}

void gr_python_sense_free(GrPythonSense *s)
{
    if (s == NULL) {
        return;
    }
    for (int i = 0; i < s->sensor_count; i++) {
        gr_parcel_free(&s->latest[i]);
    }
    drop_fresh(s);
    gr_run_sense_close(s->sense, NULL);
    gr_free(s->fresh);
    gr_free(s->latest);
    gr_free(s);
}

GrStatus gr_python_sense_step(GrPythonSense *s, double until, GrOutcome *outcome, GrErrorLog *log)
{
    GrMission *mission = s->world->mission;
    const bool running = mission->s.outcome == GR_OUTCOME_RUNNING;
    drop_fresh(s);
    *outcome = gr_mission_step(mission, until);
    return running ? gr_run_sense_step(s->sense, gr_mission_data(mission), log) : GR_OK;
}

GrStatus gr_python_sense_advance(GrPythonSense *s, double until, GrOutcome *outcome, GrErrorLog *log)
{
    const GrMission *mission = s->world->mission;
    const double end = fmin(until, s->world->scenario->mission.duration);
    GrStatus status = GR_OK;
    *outcome = mission->s.outcome;
    while (status == GR_OK && *outcome == GR_OUTCOME_RUNNING && gr_data_time(mission->d) < end) {
        status = gr_python_sense_step(s, end, outcome, log);
    }
    return status;
}

void gr_python_sense_sample(const GrPythonSense *s, GrSample *sample)
{
    gr_run_sense_sample(s->sense, sample);
}

int gr_python_sense_fresh_count(const GrPythonSense *s)
{
    return s->fresh_count;
}

const GrMeasurement *gr_python_sense_fresh(const GrPythonSense *s, int index)
{
    return &s->fresh[index].measurement;
}

const GrMeasurement *gr_python_sense_latest(const GrPythonSense *s, int sensor)
{
    return s->latest[sensor].measurement.count > 0 ? &s->latest[sensor].measurement : NULL;
}
