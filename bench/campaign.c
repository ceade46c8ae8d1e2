/// A campaign of short drives: 10 s of the six-wheeled rover on one map, with random soil and start, and with other
/// rocks in every drive. How much faster are two threads than one, and what does a drive cost besides its steps?
///
/// Two processors of a virtual machine may be one core, and other programs use them: two independent processes with one
/// thread each show what the machine allows, and run by turns with the other contestants. The fastest of each counts.
///
///     GROUSER_BENCH_DRIVES=10000 grouser_bench campaign
#include "bench.h"

#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, USUAL_DRIVES = 400, NODES = 401 };

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_scenario, NULL};
static const GrCampaignKinds KINDS = {.subjects = SUBJECTS};

/// One way to run the campaign.
typedef struct Result {
    double seconds;  ///< of all drives; INFINITY: failed
    double overhead; ///< processor time besides the steps, over that of the steps
} Result;

static int drives(void)
{
    const char *text = getenv("GROUSER_BENCH_DRIVES");
    const int count = text != NULL ? atoi(text) : 0;
    return count > 0 ? count : USUAL_DRIVES;
}

/// A map with 0.5 m between its nodes, as a grid of text.
static bool write_map(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    fprintf(file, "ncols %d\nnrows %d\nxllcenter -100\nyllcenter -100\ncellsize 0.5\n", NODES, NODES);
    for (int j = 0; j < NODES; j++) {
        for (int i = 0; i < NODES; i++) {
            const double x = 0.5 * i, y = 0.5 * j;
            const double z = 0.8 * sin(x / 9) * cos(y / 11) + 0.1 * sin(x / 1.7 + 1) * sin(y / 1.3) +
                             0.03 * sin(x / 0.6) * cos(y / 0.7);
            fprintf(file, "%.4f ", z);
        }
        fputs("\n", file);
    }
    return fclose(file) == 0;
}

static bool write_files(const char *folder, bool rocks)
{
    char path[600];
    snprintf(path, sizeof path, "%s/drive.yaml", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    fprintf(file,
            "rover: curiosity_like\nsoil: ishigami2007\ngravity: mars\nterrain: {file: map.asc%s}\n"
            "drive: {script: [{time_s: 0, mode: ackermann, speed_mps: 0.1}]}\nstop: {time_s: 10}\n",
            rocks ? ", rocks: {law: golombek, k: 0.02, smallest_m: 0.15, largest_m: 0.25, clear_m: 2}" : "");
    fclose(file);
    snprintf(path, sizeof path, "%s/campaign.yaml", folder);
    file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    fprintf(file,
            "run: {scenario: ./drive.yaml}\nvary:\n  start.x_m: {from: -60, to: 60}\n  start.y_m: {from: -60, to: 60}\n"
            "  start.heading_deg: {from: 0, to: 360}\n  soil:phi: {from: 28, to: 42}\n%s"
            "sample: {method: random, count: %d}\nmeasure: {distance: distance_m, slip: wheels.slip_mean}\n",
            rocks ? "  terrain.rocks.seed: {seed: true}\n" : "", drives());
    return fclose(file) == 0;
}

/// Runs the drives, or one of two halves of them, in this process.
static Result run(const char *folder, int threads, int half)
{
    char file[600], path[600];
    GrErrorLog log = {0};
    GrCampaign c;
    GrRunnerProgress progress = {0};
    bool interrupted = false;
    Result result = {INFINITY, NAN};
    snprintf(file, sizeof file, "%s/campaign.yaml", folder);
    snprintf(path, sizeof path, "%s/study%d.db", folder, half);
    unlink(path);
    GrStudy *study = gr_campaign_load(file, &KINDS, &c, &log) == GR_OK ? gr_study_open(path, &c, &log) : NULL;
    const GrRunnerDef def = {.campaign = &c, .study = study, .path = path, .threads = threads};
    GrRunner *runner = study != NULL ? gr_runner_open(&def, &log) : NULL;
    if (runner != NULL) {
        GrBatch batch = gr_sweep_batch(&c);
        batch.count = half > 0 ? batch.count / 2 : batch.count;
        if (gr_runner_run(runner, &batch, &progress, &interrupted, &log) == GR_OK) {
            result = (Result){progress.seconds, progress.busy / progress.stepping - 1};
        }
        gr_runner_close(runner, NULL, &log);
    }
    gr_study_close(study);
    gr_campaign_free(&c);
    if (log.error_count > 0) {
        fprintf(stderr, "error: %s\n", log.items[0].text);
    }
    return result;
}

/// Two processes, each with half of the drives.
static Result run_processes(const char *folder)
{
    int ends[2];
    Result slowest = {0}, one;
    if (pipe(ends) != 0) {
        return (Result){INFINITY, NAN};
    }
    fflush(NULL);
    for (int half = 1; half <= 2; half++) {
        const pid_t child = fork();
        if (child == 0) {
            one = run(folder, 1, half);
            _exit(write(ends[1], &one, sizeof one) == (ssize_t)sizeof one ? 0 : 1);
        }
    }
    close(ends[1]);
    for (int half = 1; half <= 2; half++) {
        const bool got = read(ends[0], &one, sizeof one) == (ssize_t)sizeof one;
        slowest.seconds = got ? fmax(slowest.seconds, one.seconds) : (double)INFINITY;
        wait(NULL);
    }
    close(ends[0]);
    return slowest;
}

static void race(const char *folder, bool rocks, const char *const keys[4])
{
    Result one = {INFINITY, INFINITY}, two = one, processes = one;
    for (int i = 0; i < ROUNDS; i++) {
        const Result single = run(folder, 1, 0);
        one = (Result){fmin(one.seconds, single.seconds), fmin(one.overhead, single.overhead)};
        two.seconds = fmin(two.seconds, run(folder, 2, 0).seconds);
        processes.seconds = fmin(processes.seconds, run_processes(folder).seconds);
    }
    printf("  %d drives%s\n", drives(), rocks ? ", other rocks in each" : "");
    gr_bench_report(keys[0], drives() / one.seconds, "1/s", "drives a second in one thread");
    gr_bench_report(keys[1], one.seconds / two.seconds, "", "times as many in two threads; goal: 1.9");
    gr_bench_report(keys[2], one.seconds / processes.seconds, "", "the same of two processes: what the machine allows");
    gr_bench_report(keys[3], one.overhead, "", "processor time besides the steps, over the steps; goal: 0.1");
}

void gr_bench_campaign(void)
{
    static const char *const KEYS[2][4] = {
        {"drives_per_s", "drives_two_threads", "drives_two_processes", "drives_overhead"},
        {"rocky_per_s", "rocky_two_threads", "rocky_two_processes", "rocky_overhead"}};
    char folder[] = "/tmp/grouser_bench_XXXXXX", command[100];
    char map[600];
    setenv("GROUSER_DATA", GR_BENCH_DATA, 0);
    if (mkdtemp(folder) == NULL) {
        fprintf(stderr, "error: no temporary folder\n");
        return;
    }
    snprintf(map, sizeof map, "%s/map.asc", folder);
    printf("\nA campaign: drives of 10 s on a map, with random soil and start\n");
    for (int rocks = 0; rocks < 2; rocks++) {
        if (write_map(map) && write_files(folder, rocks == 1)) {
            race(folder, rocks == 1, KEYS[rocks]);
        }
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) {
        fprintf(stderr, "error: %s was not removed\n", folder);
    }
}
