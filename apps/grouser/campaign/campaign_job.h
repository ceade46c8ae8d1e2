/// The common part of `grouser sweep`, `optimize`, `sensitivity` and `mission`: options, the study, progress,
/// interrupts, report.
#ifndef GR_CAMPAIGN_JOB_H
#define GR_CAMPAIGN_JOB_H

#include "buffer.h"
#include "campaign.h"
#include "file.h"
#include "options.h"
#include "report.h"
#include "runner.h"
#include "study_page.h"

#include <stdio.h>

// The page of a study over HTTP while its campaign runs: `--serve` of `grouser sweep` and the other commands. Viewers
// can only read.
//
//     server = gr_study_server_start(port, page, &log)  ->  { gr_study_server_publish }  ->  gr_study_server_end

struct GrServer;

/// How far a campaign is.
typedef struct GrStudyState {
    bool running;
    double done, total; ///< runs; total 0: not known
    char text[200];     ///< for people
} GrStudyState;

typedef struct GrStudyServer GrStudyServer;

/// The same for a server of the caller's.
void gr_study_state_publish(struct GrServer *server, const GrBuffer *page, const GrStudyState *state);

/// Options that these commands share.
typedef struct GrCampaignOptions {
    const char *study; ///< -o
    const char *html;
    double threads;          ///< −1: not given
    const char *shard;       ///< "2/8"
    const char *uncertainty; ///< samples of the soils; NULL: as the file says
    const char *serve;       ///< port; "": the usual one, NULL: not wanted
    const char *device;      ///< of the steps; NULL: the processors
    bool dry_run, resume, json;
} GrCampaignOptions;

enum { GR_CAMPAIGN_OPTIONS = 8 };

/// Fills the rows of the shared options.
void gr_campaign_options(GrCampaignOptions *o, GrOption out[GR_CAMPAIGN_OPTIONS]);

/// The row of --shard, for commands whose runs are known beforehand.
GrOption gr_campaign_shard_option(GrCampaignOptions *o);

/// The row of --uncertainty, likewise.
GrOption gr_campaign_samples_option(GrCampaignOptions *o);

/// A campaign that is ready to run.
typedef struct GrCampaignJob {
    GrCampaign campaign;
    char study_path[GR_FILE_PATH_SIZE];
    char page_path[GR_FILE_PATH_SIZE]; ///< of the report; "": none
    GrStudy *study;
    GrRunner *runner;
    GrLink link;
    bool linked; ///< under mpirun: other processes share the work
    GrProgress progress;
    char label[80];
    GrRunnerProgress last;    ///< of the last batch
    GrRunnerProgress sum;     ///< of the batches that have ended
    bool in_batch;            ///< `last` is not yet part of `sum`
    uint64_t expected;        ///< runs of all batches, at most; 0: as many as the batches so far have
    GrStudySections sections; ///< of the report while the campaign runs
    bool page_live;           ///< the report says that the campaign is running
    double page_time;         ///< when the report may be rewritten next
    GrStudyServer *server;    ///< NULL: the report is not served
    double state_time;        ///< when its state was last told
    double serve_begin;       ///< when it was first told
    uint64_t serve_first;     ///< runs that were done then
} GrCampaignJob;

/// Loads the campaign and checks the options. Frees with gr_campaign_job_end(), also after an error.
GrStatus gr_campaign_job_load(GrCampaignJob *job, const char *path, const GrCampaignKinds *kinds,
                              const GrCampaignOptions *o, GrErrorLog *log);

/// Joins the other processes, if the program was started by mpirun. Call it after all checks of the input: a process
/// that ends before has nobody waiting for it.
GrStatus gr_campaign_job_link(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log);

/// Opens the study. An existing one is continued. With --shard only its own shard is written.
GrStatus gr_campaign_job_open(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log);

/// Whether this process runs rows for rank 0 (under mpirun, above rank 0): gr_campaign_job_serve() in place of the
/// rest.
bool gr_campaign_job_serves(const GrCampaignJob *job);

/// Runs rows for rank 0, of all its batches, until it ends.
GrStatus gr_campaign_job_serve(GrCampaignJob *job, const GrCampaignOptions *o, GrErrorLog *log);

/// Runs a batch with a progress bar. `interrupted` after Ctrl-C or kill.
GrStatus gr_campaign_job_run(GrCampaignJob *job, const GrBatch *batch, bool *interrupted, GrErrorLog *log);

/// Tries a few rows of a batch, and prints how long all of them take.
GrStatus gr_campaign_job_estimate(GrCampaignJob *job, const GrCampaignOptions *o, const GrBatch *batch,
                                  GrErrorLog *log);

/// The report of a study: its path with .html in place of its suffix.
GrStatus gr_campaign_page_path(const char *study, char out[GR_FILE_PATH_SIZE], GrErrorLog *log);

/// Writes the report, with more sections where there are some.
GrStatus gr_campaign_job_page(GrCampaignJob *job, GrStudySections sections, GrErrorLog *log);

/// Prints how many runs there were, how they ended, and the share of overhead.
void gr_campaign_job_print(const GrCampaignJob *job, FILE *file);

/// Frees everything and returns the exit code: a study that cannot be written is no error of the input.
int gr_campaign_job_end(GrCampaignJob *job, GrStatus status, bool interrupted);

// One run of a campaign as a scenario file, for `grouser run` and `grouser view`.

/// Writes the scenario of the campaign with the overrides of a row; its first line is a comment. The campaign must run
/// a scenario.
GrStatus gr_case_scenario_write(const GrCampaign *campaign, const GrRow *row, const char *comment, const char *path,
                                GrErrorLog *log);

#endif
