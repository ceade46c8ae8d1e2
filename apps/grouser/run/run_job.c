#include "run_job.h"

#include "file.h"
#include "report.h"
#include "run_files.h"
#include "scenario_data.h"

#include <signal.h>
#include <unistd.h>

/// Set by Ctrl-C or kill. A second signal ends the program at once.
static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

bool gr_run_is_interrupted(void)
{
    return interrupted != 0;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return gr_run_is_interrupted();
}

void gr_run_forget_interrupts(void)
{
    interrupted = 0;
}

void gr_run_watch_interrupts(void)
{
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN); // a reader that is gone must not cost the files of the run
}

static void show_progress(void *context, double time, double duration)
{
    gr_progress_update(context, time, duration);
}

GrStatus gr_run_job(GrWorld *world, GrRecordedRun def, GrRunSummary *summary, GrErrorLog *log)
{
    GrProgress progress = gr_progress_begin(world->scenario->name);
    gr_run_watch_interrupts();
    def.context = &progress;
    def.progress = show_progress;
    def.stop = is_interrupted;
    const GrStatus status = gr_run_recorded(world, &def, summary, log);
    gr_progress_end(&progress);
    return status;
}

void gr_run_print_files(const char *directory, FILE *out)
{
    char path[GR_FILE_PATH_SIZE];
    const char *before = "{";
    fprintf(out, "wrote %s/", directory);
    for (int i = 0; i < GR_RUN_FILE_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, gr_run_files[i]);
        if (gr_file_exists(path)) {
            fprintf(out, "%s%s", before, gr_run_files[i]);
            before = ", ";
        }
    }
    snprintf(path, sizeof path, "%s/sensors", directory);
    if (access(path, F_OK) == 0) {
        fprintf(out, "%ssensors/", before);
    }
    fprintf(out, "}\n");
}
