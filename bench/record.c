/// Recording: one sample of a rover with six wheels, into CSV, into MCAP, and into all files of a run.
#include "bench.h"

#include "clock.h"
#include "support/sample_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES_A_BLOCK = 1500, PACED = 400, VARIANTS = 500 };
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

static Recorder make(const GrSampleRun *drive, GrSample *samples, bool csv, bool mcap)
{
    Recorder r = {.samples = samples, .directory = "/tmp/grouser_bench_XXXXXX"};
    if (mkdtemp(r.directory) == NULL) {
        stop("no folder to record into");
    }
    GrRecordDef def = drive->def;
    def.directory = r.directory;
    def.csv = csv;
    def.mcap = mcap;
    def.report = csv && mcap;
    r.record = gr_record_open(&def, NULL);
    if (r.record == NULL) {
        stop("the recording does not open");
    }
    return r;
}

static void finish(Recorder *r)
{
    static const char *const FILES[] = {"run.csv", "run.mcap", "summary.json", "report.html"};
    if (gr_record_close(r->record, NULL, NULL) != GR_OK) {
        stop("the recording does not close");
    }
    for (int i = 0; i < 4; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", r->directory, FILES[i]);
        unlink(path);
    }
    rmdir(r->directory);
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
    Recorder csv = make(&drive, samples, true, false), mcap = make(&drive, samples, false, true),
             all = make(&drive, samples, true, true);
    GrContestant race[] = {{"csv", run, &csv, 0, {0}}, {"mcap", run, &mcap, 0, {0}}, {"all", run, &all, 0, {0}}};
    gr_bench_race(race, 3, SAMPLES_A_BLOCK);
    printf("\nRecording a sample of a rover with %d wheels and %d joints\n", gr_model_wheel_count(drive.model),
           gr_model_joint_count(drive.model));
    gr_bench_report("record_csv_us", 1e6 * race[0].seconds, "us", "run.csv alone, one sample after another");
    gr_bench_report("record_mcap_us", 1e6 * race[1].seconds, "us", "run.mcap alone");
    gr_bench_report("record_all_us", 1e6 * race[2].seconds, "us", "all files");
    gr_bench_report("record_sample_us", 1e6 * paced(&all), "us",
                    "what the run waits at 1000 times real time; goal: 10");
    finish(&csv);
    finish(&mcap);
    finish(&all);
    for (int i = 0; i < VARIANTS; i++) {
        gr_sample_free(&samples[i]);
    }
    free(samples);
    gr_sample_run_free(&drive);
}
