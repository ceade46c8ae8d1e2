/// Recording: one sample of a rover with six wheels, into each file of a run and into all: wall time of the run,
/// processor time of both threads, and bytes.
#include "bench.h"

#include "clock.h"
#include "support/sample_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PACED = 400, VARIANTS = 500, LONG_RUN = 4000, REPEATS = 7 };
static const double PERIOD = 0.05, PACE = 50e-6; // period of samples: simulated, in wall time [s]

typedef struct Recorder {
    GrRecord *record;
    GrSample *samples; ///< [VARIANTS]
    long count;
    char directory[64];
} Recorder;

static void stop(const char *text)
{
    fprintf(stderr, "error: %s\n", text);
    exit(1);
}

static void copy(void *to, const void *from, int count, size_t size)
{
    memcpy(to, from, (size_t)count * size);
}

/// Samples of a real drive: numbers as they are, for text and compression.
static GrSample *make_samples(GrSampleRun *drive)
{
    GrSample *samples = calloc(VARIANTS, sizeof *samples);
    const GrModel *m = drive->model;
    for (int i = 0; i < VARIANTS; i++) {
        GrSample room;
        if (samples == NULL || !gr_sample_run_next(drive) || !gr_sample_init(m, drive->sample.rock_count, &room)) {
            stop("the drive gives no samples");
        }
        samples[i] = drive->sample;
        samples[i].wheels = room.wheels;
        samples[i].joints = room.joints;
        samples[i].bodies = room.bodies;
        samples[i].rocks = room.rocks;
        copy(room.wheels, drive->sample.wheels, gr_model_wheel_count(m), sizeof *room.wheels);
        copy(room.joints, drive->sample.joints, gr_model_joint_count(m), sizeof *room.joints);
        copy(room.bodies, drive->sample.bodies, gr_model_part_count(m), sizeof *room.bodies);
        copy(room.rocks, drive->sample.rocks, drive->sample.rock_count, sizeof *room.rocks);
    }
    return samples;
}

static void run(void *context, int count)
{
    Recorder *r = context;
    for (int i = 0; i < count; i++) {
        GrSample *s = &r->samples[r->count % VARIANTS];
        s->time = PERIOD * (double)r->count++;
        if (gr_record_add(r->record, s, NULL) != GR_OK) {
            stop("a sample could not be recorded");
        }
    }
}

/// Files of a run.
typedef struct Choice {
    bool csv, mcap, replay, report;
} Choice;

static Recorder make(const GrSampleRun *drive, GrSample *samples, Choice choice)
{
    Recorder r = {.samples = samples, .directory = "/tmp/grouser_bench_XXXXXX"};
    if (mkdtemp(r.directory) == NULL) {
        stop("no folder to record into");
    }
    GrRecordDef def = drive->def;
    def.directory = r.directory;
    def.csv = choice.csv;
    def.mcap = choice.mcap;
    def.replay = choice.replay;
    def.report = choice.report;
    def.rate = 1 / PERIOD;
    def.duration = PERIOD * LONG_RUN;
    if (gr_record_open(&def, &r.record, NULL) != GR_OK) {
        stop("the recording does not open");
    }
    return r;
}

/// Closes and removes the recording. Returns the bytes of the files that grow with it.
static double finish(Recorder *r)
{
    static const char *const FILES[] = {"run.csv", "run.mcap", "replay.bin", "summary.json", "report.html"};
    double bytes = 0;
    if (gr_record_close(r->record, NULL, NULL) != GR_OK) {
        stop("the recording does not close");
    }
    for (int i = 0; i < 5; i++) {
        char path[128];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", r->directory, FILES[i]);
        bytes += i < 3 && stat(path, &about) == 0 ? (double)about.st_size : 0;
        unlink(path);
    }
    rmdir(r->directory);
    return bytes;
}

/// Processor time of all threads, and bytes, of one sample: a long recording less a short one. Fastest of several.
static void weigh(const GrSampleRun *drive, GrSample *samples, Choice choice, double *seconds, double *bytes)
{
    const int counts[] = {LONG_RUN / 4, LONG_RUN};
    double time[2] = {1e300, 1e300}, size[2] = {0, 0};
    for (int i = 0; i < REPEATS; i++) {
        for (int k = 0; k < 2; k++) {
            Recorder r = make(drive, samples, choice);
            const double begin = gr_clock_read(CLOCK_PROCESS_CPUTIME_ID);
            run(&r, counts[k]);
            size[k] = finish(&r);
            const double spent = gr_clock_read(CLOCK_PROCESS_CPUTIME_ID) - begin;
            time[k] = spent < time[k] ? spent : time[k];
        }
    }
    *seconds = (time[1] - time[0]) / (counts[1] - counts[0]);
    *bytes = (size[1] - size[0]) / (counts[1] - counts[0]);
}

/// Time that a run spends per sample when one comes every 50 us: 20 Hz at 1000 times real time. Fastest block.
static double paced(Recorder *r)
{
    double best = 1e300;
    for (int block = 0; block < GR_BENCH_BLOCKS; block++) {
        double spent = 0, due = gr_wall_time();
        for (int i = 0; i < PACED; i++) {
            for (due += PACE; gr_wall_time() < due;) {
            }
            const double start = gr_wall_time();
            run(r, 1);
            spent += gr_wall_time() - start;
        }
        best = spent / PACED < best ? spent / PACED : best;
    }
    return best;
}

void gr_bench_record(void)
{
    static GrSampleRun drive;
    if (!gr_sample_run_make(&drive, GR_BENCH_DATA "/rovers/exomars_like.yaml", "")) {
        stop("the rover does not drive");
    }
    GrSample *samples = make_samples(&drive);
    Recorder all = make(&drive, samples, (Choice){true, true, true, true});
    printf("\nRecording a sample of a rover with %d wheels and %d joints\n", gr_model_wheel_count(drive.model),
           gr_model_joint_count(drive.model));
    gr_bench_report("record_sample_us", 1e6 * paced(&all), "us",
                    "what the run waits at 1000 times real time; goal: 10");
    finish(&all);
    static const struct {
        const char *time_key, *size_key, *text;
        Choice choice;
    } WEIGHED[] = {
        {"record_csv_cpu_us", "record_csv_bytes", "run.csv", {.csv = true}},
        {"record_mcap_cpu_us", "record_mcap_bytes", "run.mcap", {.mcap = true}},
        {"record_replay_cpu_us", "record_replay_bytes", "replay.bin", {.replay = true}},
        {"record_long_cpu_us", "record_long_bytes", "all files but run.csv", {false, true, true, true}},
        {"record_all_cpu_us", "record_all_bytes", "all files", {true, true, true, true}},
    };
    for (size_t i = 0; i < sizeof WEIGHED / sizeof WEIGHED[0]; i++) {
        double seconds, bytes;
        weigh(&drive, samples, WEIGHED[i].choice, &seconds, &bytes);
        gr_bench_report(WEIGHED[i].time_key, 1e6 * seconds, "us", "processor time of both threads");
        gr_bench_report(WEIGHED[i].size_key, bytes, "B", WEIGHED[i].text);
    }
    for (int i = 0; i < VARIANTS; i++) {
        gr_sample_free(&samples[i]);
    }
    free(samples);
    gr_sample_run_free(&drive);
}
