/// Settling: the shipped rovers put down on level soil, on waves, and on the deformable grid; and how the time grows
/// with the number of wheels.
#include "bench.h"

#include "clock.h"
#include "grouser/mission.h"
#include "grouser/model.h"
#include "shipped.h"
#include "support/wheel_train.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 15, GROUNDS = 4, FEWEST_WHEELS = 4, MOST_WHEELS = 16 };
static const double MARS = 3.71; // [m/s²]

static const struct {
    const char *name, *key, *text;
    GrSoilLaw law;
    bool waves;
} CASES[GROUNDS] = {
    {"flat", "settle_flat_ms", "level soil, geometric mean of the shipped rovers", GR_SOIL_WONG_REECE, false},
    {"rough", "settle_rough_ms", "soil with waves", GR_SOIL_WONG_REECE, true},
    {"scm", "settle_scm_ms", "level deformable grid, cells of 1 cm", GR_SOIL_SCM, false},
    {"scm rough", "settle_scm_rough_ms", "deformable grid with waves", GR_SOIL_SCM, true},
};

static void stop(const char *text)
{
    fprintf(stderr, "error: %s\n", text);
    exit(1);
}

/// Waves of rock's size under the wheels.
static bool wavy(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    (void)context;
    const double rise = 0.06, k = 3.7, q = 2.7;
    *height = rise * sin(k * x + 1) * cos(q * y);
    *normal = gr_normalize(gr_vec3(-rise * k * cos(k * x + 1) * cos(q * y), rise * q * sin(k * x + 1) * sin(q * y), 1));
    return true;
}

/// Processor time for putting the rover down, the shortest of several [s].
static double settle(const GrRoverDef *rover, int ground)
{
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    const GrMissionDef def = gr_default_mission_def();
    const GrStart start = {.heading = 0.4};
    soil.law = CASES[ground].law;
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    options.surface.height = CASES[ground].waves ? wavy : NULL;
    GrErrorLog log = {0};
    GrModel *m = NULL;
    gr_model_create(rover, &options, &m, &log);
    GrMission *mission = NULL;
    if (m != NULL) {
        gr_mission_create(m, NULL, &def, &mission, &log);
    }
    if (mission == NULL) {
        stop(log.count > 0 ? log.items[log.count - 1].text : "no rover");
    }
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        const double begin = gr_thread_time();
        if (gr_mission_place(mission, &start, &log) != GR_OK) {
            stop(log.count > 0 ? log.items[log.count - 1].text : "a rover does not settle");
        }
        best = fmin(best, gr_thread_time() - begin);
    }
    gr_mission_free(mission);
    gr_model_free(m);
    return best;
}

static void bench_shipped(void)
{
    GrNameList rovers = {0};
    double logs[GROUNDS] = {0};
    gr_shipped_list("rovers", ".yaml", &rovers, NULL);
    for (int i = 0; i < rovers.count; i++) {
        GrRoverDef rover = gr_default_rover_def();
        char path[512];
        snprintf(path, sizeof path, "%s/rovers/%s.yaml", GR_BENCH_DATA, rovers.names[i]);
        if (gr_rover_load(path, NULL, &rover, NULL) != GR_OK) {
            stop("a shipped rover cannot be read");
        }
        printf("  %-16s", rovers.names[i]);
        for (int k = 0; k < GROUNDS; k++) {
            const double seconds = settle(&rover, k);
            logs[k] += log(seconds) / rovers.count;
            printf("  %s %.2f ms", CASES[k].name, 1e3 * seconds);
        }
        printf("\n");
        gr_rover_free(&rover);
    }
    for (int k = 0; k < GROUNDS; k++) {
        gr_bench_report(CASES[k].key, 1e3 * exp(logs[k]), "ms", CASES[k].text);
    }
    gr_name_list_free(&rovers);
}

/// The exponent of the time by the number of wheels, from the fewest to the most.
static void bench_growth(int ground, const char *key)
{
    double few = 0, most = 0;
    printf("  %s:", CASES[ground].name);
    for (int wheels = FEWEST_WHEELS; wheels <= MOST_WHEELS; wheels *= 2) {
        GrRoverDef rover = gr_make_train(wheels);
        most = settle(&rover, ground);
        few = wheels == FEWEST_WHEELS ? most : few;
        printf("  %d wheels %.2f ms", wheels, 1e3 * most);
        gr_rover_free(&rover);
    }
    printf("\n");
    gr_bench_report(key, log(most / few) / log((double)MOST_WHEELS / FEWEST_WHEELS), "",
                    "exponent of the time by the number of wheels, 4 to 16");
}

void gr_bench_settle(void)
{
    printf("\nPutting a rover down on Mars until it rests\n");
    bench_shipped();
    bench_growth(0, "settle_flat_growth");
    bench_growth(1, "settle_rough_growth");
    bench_growth(2, "settle_scm_growth");
}
