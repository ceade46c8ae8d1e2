/// Records a short drive, for readers that are not written in C. With `kill` it ends by a signal in the middle.
///
///     record_run DIRECTORY ROVER_FILE SECONDS [kill]
#include "support/sample_run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(const GrErrorLog *log, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, log->count > 0 ? log->items[0].text : "");
    return 1;
}

int main(int argc, char **argv)
{
    static GrErrorLog log;
    static GrSampleRun run;
    if (argc < 4 || !gr_sample_run_make(&run, argv[2], argv[1])) {
        return fail(&log, "no run");
    }
    const bool killed = argc > 4 && strcmp(argv[4], "kill") == 0;
    GrRecord *record = NULL;
    if (gr_record_open(&run.def, &record, &log) != GR_OK) {
        return fail(&log, "no record");
    }
    const double until = strtod(argv[3], NULL);
    const double pause = killed ? 0.5 * until : (double)INFINITY;
    bool paused = false;
    while (run.sample.time < until && gr_sample_run_next(&run)) {
        if (run.sample.time >= pause && !paused) {
            usleep(1100000); // past a second of wall time: with the next sample, what came before must be in the files
            paused = true;
        }
        if (gr_record_add(record, &run.sample, &log) != GR_OK) {
            return fail(&log, "no sample");
        }
        if (paused) {
            break;
        }
    }
    if (killed) {
        raise(SIGKILL);
    }
    GrRunSummary summary = gr_sample_run_summary(&run, GR_OUTCOME_GOAL);
    if (gr_record_close(record, &summary, &log) != GR_OK) {
        return fail(&log, "no end");
    }
    gr_run_summary_free(&summary);
    gr_sample_run_free(&run);
    return 0;
}
