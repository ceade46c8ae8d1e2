/// A sweep over soils in threads: the slip of a rover on a slope of 10°, one soil per job.
///
/// Models are immutable and data belongs to one thread, so that threads share no mutable state; results do not depend
/// on their number.
#include <grouser/grouser.h>
#include <pthread.h>
#include <stdio.h>

static const char *const SOILS[] = {"ishigami2007", "lunar_apollo", "dlr_d2", "mars_dlr_drift"};
enum { JOBS = sizeof SOILS / sizeof SOILS[0], THREADS = 2 };

typedef struct Sweep {
    GrRoverDef rover;
    GrSteadyDrive results[JOBS];
    GrStatus statuses[JOBS];
    int next;
    pthread_mutex_t lock;
} Sweep;

static void *work(void *context)
{
    Sweep *sweep = context;
    for (;;) {
        pthread_mutex_lock(&sweep->lock);
        const int job = sweep->next++;
        pthread_mutex_unlock(&sweep->lock);
        if (job >= JOBS) {
            return NULL;
        }
        GrSoilDef soil;
        GrSteadyDriveDef drive = gr_default_steady_drive_def();
        drive.rover = &sweep->rover;
        drive.soil = &soil;
        drive.gravity = 1.62;
        drive.slope = 10 * GR_DEGREE;
        sweep->statuses[job] = gr_soil_load(SOILS[job], NULL, &soil, NULL, NULL);
        if (sweep->statuses[job] == GR_OK) {
            sweep->statuses[job] = gr_steady_drive(&drive, &sweep->results[job], NULL);
        }
    }
}

int main(void)
{
    static Sweep sweep = {.lock = PTHREAD_MUTEX_INITIALIZER};
    GrErrorLog log = {0};
    if (gr_rover_load("rashid_like", NULL, &sweep.rover, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, &sweep);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    puts("soil            outcome     slip  sinkage [mm]");
    for (int i = 0; i < JOBS; i++) {
        if (sweep.statuses[i] != GR_OK) {
            printf("%-14s  %s\n", SOILS[i], gr_status_text(sweep.statuses[i]));
            continue;
        }
        const GrSteadyDrive *r = &sweep.results[i];
        printf("%-14s  %-8s  %6.3f  %12.1f\n", SOILS[i], gr_drive_outcome_name(r->outcome), r->slip, 1000 * r->sinkage);
    }
    gr_rover_free(&sweep.rover);
    return 0;
}
