#include "run_sense.h"

#include "alloc.h"
#include "delivery.h"
#include "localiser.h"
#include "mission_data.h"
#include "out_of_memory.h"
#include "run_sensors.h"
#include "scenario_data.h"

#include <math.h>

struct GrRunSense {
    GrRunSenseDef def;
    GrSense *sense;
    GrRunSensors *files; ///< NULL: none
    GrDelivery delivery;
    GrLocaliser *localiser; ///< NULL: none
};

static GrStatus open_parts(GrRunSense *s, GrErrorLog *log)
{
    GrWorld *world = s->def.world;
    const GrRoverDef *rover = &world->scenario->rover;
    const GrSenseDef def = {
        .model = world->model, .rover = rover, .terrain = world->terrain, .sun = world->scenario->mission.sun};
    gr_sense_create(&def, &s->sense, log);
    if (s->sense != NULL && s->def.directory != NULL) {
        const GrGeoreference *place = world->terrain != NULL ? gr_terrain_georeference(world->terrain) : NULL;
        s->files = gr_run_sensors_open(s->def.directory, rover, place, s->def.record, log);
    }
    if (s->sense != NULL && rover->localisation != NULL) {
        s->localiser = gr_localiser_create(rover, world->model, log);
    }
    if (s->localiser != NULL) {
        gr_localiser_start(s->localiser, gr_mission_data(world->mission));
    }
    const bool good = s->sense != NULL && (s->files != NULL || s->def.directory == NULL) &&
                      (s->localiser != NULL || rover->localisation == NULL);
    return good ? GR_OK : GR_ERROR_VALUE;
}

GrStatus gr_run_sense_open(const GrRunSenseDef *def, GrRunSense **out, GrErrorLog *log)
{
    const GrScenario *scenario = def->world->scenario;
    *out = NULL;
    if (scenario->rover.sensor_count == 0 || !scenario->record_sensors) {
        return GR_OK;
    }
    GrRunSense *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    s->def = *def;
    const GrStatus status = open_parts(s, log);
    if (status != GR_OK) {
        gr_run_sense_close(s, NULL);
        return status;
    }
    *out = s;
    return GR_OK;
}

/// Hands on what has been delivered by now.
static GrStatus hand_on(GrRunSense *s, double time, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    GrMeasurement m;
    while (status == GR_OK && gr_delivery_next(&s->delivery, time, &m)) {
        status = s->files != NULL ? gr_run_sensors_deliver(s->files, &m, log) : GR_OK;
        status = status == GR_OK && s->def.take != NULL ? s->def.take(s->def.context, &m, log) : status;
    }
    return status;
}

GrStatus gr_run_sense_step(GrRunSense *s, const GrData *d, GrErrorLog *log)
{
    GrMeasurement m;
    if (s == NULL) {
        return GR_OK;
    }
    GrStatus status = gr_sense_update(s->sense, d, log);
    while (status == GR_OK && gr_sense_next(s->sense, &m)) {
        status = s->files != NULL ? gr_run_sensors_add(s->files, &m, log) : GR_OK;
        status = status == GR_OK && s->localiser != NULL ? gr_localiser_take(s->localiser, &m, log) : status;
        if (status == GR_OK && (s->def.take != NULL || s->files != NULL) && !gr_delivery_add(&s->delivery, &m)) {
            status = gr_out_of_memory(log, NULL);
        }
    }
    if (s->localiser != NULL) {
        gr_localiser_update(s->localiser, gr_data_time(d));
    }
    return status == GR_OK ? hand_on(s, gr_data_time(d), log) : status;
}

void gr_run_sense_sample(const GrRunSense *s, GrSample *sample)
{
    if (s != NULL && s->localiser != NULL) {
        gr_localiser_sample(s->localiser, sample->time, &sample->localisation);
    }
}

void gr_run_sense_summarise(const GrRunSense *s, GrRunSummary *summary)
{
    if (s != NULL && s->localiser != NULL) {
        gr_localiser_summarise(s->localiser, summary->time, &summary->localisation);
    }
}

GrStatus gr_run_sense_advance(GrRunSense *s, GrWorld *world, double until, GrOutcome *outcome, GrErrorLog *log)
{
    GrMission *mission = world->mission;
    GrStatus status = GR_OK;
    if (s == NULL) {
        *outcome = gr_mission_advance(mission, until);
        return GR_OK;
    }
    const double end = fmin(until, world->scenario->mission.duration);
    while (status == GR_OK && mission->s.outcome == GR_OUTCOME_RUNNING && gr_data_time(mission->d) < end) {
        gr_mission_step(mission, end);
        status = gr_run_sense_step(s, mission->d, log);
    }
    *outcome = mission->s.outcome;
    return status;
}

GrStatus gr_run_sense_close(GrRunSense *s, GrErrorLog *log)
{
    if (s == NULL) {
        return GR_OK;
    }
    const long blind = s->sense != NULL ? gr_sense_blind_rays(s->sense) : 0;
    if (blind > 0) {
        gr_warning_add(log, (GrLocation){.field = "sensors"},
                       "%ld rays met ground that is not in memory and have no return; shorten range_max_m", blind);
    }
    const GrStatus status = gr_run_sensors_close(s->files, log);
    gr_sense_free(s->sense);
    gr_delivery_free(&s->delivery);
    gr_localiser_free(s->localiser);
    gr_free(s);
    return status;
}
