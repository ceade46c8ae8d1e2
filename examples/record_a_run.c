/// Runs a scenario and records it: run.csv, run.mcap for Foxglove, summary.json and report.html in one folder.
///
///     record_a_run [FOLDER]
#include <grouser/grouser.h>
#include <stdio.h>

static GrStatus add(void *context, const GrSample *sample, GrErrorLog *log)
{
    return gr_record_add(context, sample, log);
}

int main(int argc, char **argv)
{
    static const char *const SHORTER[] = {"stop.time_s=10", NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    if (gr_scenario_load("crossing", SHORTER, &scenario, &log) != GR_OK ||
        gr_world_create(scenario, &world, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    const GrRecordDef def = {.directory = argc > 1 ? argv[1] : "crossing.run",
                             .name = gr_scenario_name(scenario),
                             .title = gr_scenario_title(scenario),
                             .input = gr_scenario_input(scenario),
                             .rover = gr_scenario_rover(scenario),
                             .model = gr_world_model(world),
                             .terrain = gr_world_terrain(world),
                             .path = gr_scenario_mission(scenario)->control.path,
                             .path_count = gr_scenario_mission(scenario)->control.path_count,
                             .csv = true,
                             .mcap = true,
                             .report = true};
    GrRecord *record = NULL;
    gr_record_open(&def, &record, &log);
    GrRunSummary summary = {0};
    GrStatus status = record != NULL ? GR_OK : GR_ERROR_FILE;
    if (status == GR_OK) {
        const GrRunHooks hooks = {.context = record, .sample = add};
        status = gr_run(world, &hooks, &summary, &log);
        const GrStatus closed = gr_record_close(record, status == GR_OK ? &summary : NULL, &log);
        status = status == GR_OK ? closed : status;
    }
    if (status == GR_OK) {
        printf("%s after %.1f s and %.2f m; look at %s/report.html\n", gr_outcome_name(summary.outcome), summary.time,
               summary.distance, def.directory);
    } else {
        fprintf(stderr, "%s\n", log.error_count > 0 ? log.items[0].text : gr_status_text(status));
    }
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return status == GR_OK ? 0 : 1;
}
