/// The groups of comparisons; here those of terrain and speed.
#include "validate.h"

#include "grouser/assets.h"
#include "grouser/run.h"

#include "alloc.h"
#include "clock.h"
#include "craters.h"
#include "elementary.h"
#include "find.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Generated ground: counts of rocks and craters compared with the laws published for Mars and the Moon.

static const double HECTARE = 1e4; // [m²]

static GrRockFieldDef hectare_of_rocks(double lower, double upper)
{
    GrRockFieldDef def = gr_default_rock_field_def();
    def.box = (GrBox2){-50, -50, 50, 50};
    def.diameter_lower = lower;
    def.diameter_upper = upper;
    def.seed = 1;
    return def;
}

/// Number of rocks of at least a given diameter, and the fraction of the hectare that they cover.
static int count_rocks(const GrRockField *field, double diameter, double *share)
{
    int count = 0;
    *share = 0;
    for (int i = 0; i < field->count; i++) {
        if (field->rocks[i].diameter >= diameter) {
            *share += GR_PI / 4 * field->rocks[i].diameter * field->rocks[i].diameter / HECTARE;
            count++;
        }
    }
    return count;
}

/// ∫ 4 k q e^(−q x)/(π x²) dx from D to `upper`, Simpson's rule: the published law is an area fraction, not a count.
static double golombek_count(double k, double lower, double upper)
{
    enum { INTERVALS = 4000 };
    const double q = 1.79 + 0.152 / k, step = (upper - lower) / INTERVALS;
    double sum = 0;
    for (int i = 0; i <= INTERVALS; i++) {
        const double x = lower + step * i, weight = i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2;
        sum += weight * 4 * k * q * gr_exp(-q * x) / (GR_PI * x * x);
    }
    return sum * step / 3;
}

static GrStatus run_mars_rocks(GrFindings *out, GrErrorLog *log)
{
    static const double shares[] = {0.02, 0.05, 0.1, 0.3};
    const double upper = 3, sizes[] = {0.2, 0.5};
    GrStatus status = GR_OK;
    for (int i = 0; i < 4 && status == GR_OK; i++) {
        GrRockFieldDef def = hectare_of_rocks(sizes[0], upper);
        GrRockField field;
        def.k = shares[i];
        status = gr_rock_field_make(&def, &field, log);
        for (int j = 0; j < 2 && status == GR_OK; j++) {
            const double q = 1.79 + 0.152 / def.k, count = HECTARE * golombek_count(def.k, sizes[j], upper);
            const double area = def.k * (gr_exp(-q * sizes[j]) - gr_exp(-q * upper)), scatter = 1 / sqrt(count);
            double share;
            const int found = count_rocks(&field, sizes[j], &share);
            gr_findings_add(out, 100 * area, 100 * share, 100 * area * scatter,
                            "area under rocks of %g m and more, k = %g [%%]", sizes[j], def.k);
            gr_findings_check(out, count, found, count * scatter, "rocks of %g m and more on a hectare, k = %g",
                              sizes[j], def.k);
        }
        if (status == GR_OK) {
            gr_rock_field_free(&field);
        }
    }
    return status;
}

static GrStatus run_moon_rocks(GrFindings *out, GrErrorLog *log)
{
    static const struct {
        const char *place;
        double coefficient, exponent;
    } laws[] = {{"VIPER specification", 0.0003, 2.482}, {"between craters", 1e-4, 1.755}, {"Haworth", 0.002, 2.661}};
    const double lower = 0.15, upper = 3, sizes[] = {0.15, 0.3};
    GrStatus status = GR_OK;
    for (int i = 0; i < 3 && status == GR_OK; i++) {
        GrRockFieldDef def = hectare_of_rocks(lower, upper);
        GrRockField field;
        def.law = GR_ROCKS_POWER;
        def.coefficient = laws[i].coefficient;
        def.exponent = laws[i].exponent;
        status = gr_rock_field_make(&def, &field, log);
        for (int j = 0; j < 2 && status == GR_OK; j++) {
            double share;
            const double expected = HECTARE * laws[i].coefficient *
                                    (gr_pow(sizes[j], -laws[i].exponent) - gr_pow(upper, -laws[i].exponent));
            gr_findings_add(out, expected, count_rocks(&field, sizes[j], &share), fmax(1, sqrt(expected)),
                            "rocks of %g m and more on a hectare, %s", sizes[j], laws[i].place);
        }
        if (status == GR_OK) {
            gr_rock_field_free(&field);
        }
    }
    return status;
}

/// Craters of a square of 2 km, whose number is Poisson-distributed.
static GrStatus run_craters(GrFindings *out, GrErrorLog *log)
{
    const double side = 2000, sizes[] = {20, 50, 100};
    const GrCraterFieldDef def = {.law = gr_crater_law("moon"),
                                  .density = 1,
                                  .lower = sizes[0],
                                  .upper = 1000,
                                  .box = {0, 0, side, side},
                                  .seed = 1};
    GrCrater *craters;
    int count;
    const GrStatus status = gr_craters_sow(&def, &craters, &count, log);
    if (status != GR_OK) {
        return status;
    }
    for (int j = 0; j < 3; j++) {
        const double d = sizes[j];
        const double law = (d <= 80 ? 29174 * gr_pow(d, -1.92) : 156228 * gr_pow(d, -2.389)) / 1e6;
        const double expected = side * side * (law - 156228e-6 * gr_pow(def.upper, -2.389));
        int found = 0;
        for (int i = 0; i < count; i++) {
            found += craters[i].diameter >= d;
        }
        gr_findings_add(out, expected, found, 2 * sqrt(expected), "craters of %g m and more on 4 km²", d);
    }
    gr_free(craters);
    return GR_OK;
}

static const GrValidationCase TERRAIN_CASES[] = {
    {"terrain/rocks_mars", "Golombek & Rapp 1997",
     "Golombek & Rapp 1997: area k exp(-q D) under rocks, q = 1.79 + 0.152/k; numbers by quadrature of that area",
     "the scatter of a count, 1/sqrt(N)", run_mars_rocks, NULL},
    {"terrain/rocks_moon", "VIPER specification",
     "cumulative rocks a square metre: VIPER specification 0.0003 D^-2.482, between craters 1e-4 D^-1.755, Haworth "
     "0.002 "
     "D^-2.661",
     "the scatter of a count, sqrt(N), and at least one rock", run_moon_rocks, NULL},
    {"terrain/craters_moon", "lunar crater law",
     "cumulative craters a square kilometre: 29174 d^-1.92 to 80 m, 156228 d^-2.389 above",
     "2 sqrt(N): the number is Poisson's", run_craters, NULL},
};

const GrValidationGroup gr_validate_terrain = {TERRAIN_CASES, sizeof TERRAIN_CASES / sizeof TERRAIN_CASES[0]};

// ---- speed
//
// Oettershagen et al. 2023 (O23) on performance: the speed of their simulator, the gain of the adaptive step, and the
// order of Beeman's method.
//
// Speeds are those of the machine that runs this, and are compared with generous limits. Gains are counted in steps,
// which is the same on every machine.

/// A rover like ExoMars on level, uniform soil at O23's 11 mm/s for two minutes: the use case of their adaptive step.
#define LEVEL_DRIVE                                                                                                    \
    "rover=exomars_like", "soil=dlr_d2", "gravity=mars", "start={x_m: 0, y_m: 0}", "stop={time_s: 120}",               \
        "drive={script: [{time_s: 0, mode: ackermann, speed_mps: 0.011}]}"

static double cpu_time(void)
{
    return gr_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/// Steps of the drive, and simulated seconds for each second of CPU time.
static GrStatus drive(const char *const *overrides, double *steps, double *factor, GrErrorLog *log)
{
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    GrStatus status = gr_scenario_load("drawbar", overrides, &scenario, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_world_create(scenario, &world, log);
    if (status == GR_OK) {
        const double begin = cpu_time();
        status = gr_run(world, NULL, &summary, log);
        *factor = summary.time / fmax(1e-9, cpu_time() - begin);
        *steps = (double)summary.steps;
        if (status == GR_OK) {
            gr_run_summary_free(&summary);
        }
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    return status;
}

static GrStatus run_drives(GrFindings *out, GrErrorLog *log)
{
    static const char *const fixed[] = {LEVEL_DRIVE, "step={pace: fixed, step_ms: 3}", NULL};
    static const char *const adaptive[] = {LEVEL_DRIVE, NULL};
    double few = (double)NAN, many = (double)NAN, fast = (double)NAN, slow = (double)NAN;
    GrStatus status = drive(fixed, &many, &slow, log);
    status = status == GR_OK ? drive(adaptive, &few, &fast, log) : status;
    gr_findings_add(out, 4, many / few, 0, "steps of 3 ms over adaptive steps, level uniform soil");
    gr_findings_limit(out, GR_LIMIT_AT_LEAST);
    gr_findings_note(out, "counted in steps; theirs is time on a simplified model. Ours are bounded by 25 ms");
    gr_findings_add(out, 8, slow, 0, "simulated over computing time, steps of 3 ms");
    gr_findings_limit(out, GR_LIMIT_AT_LEAST);
    gr_findings_timed(out);
    gr_findings_note(out, "theirs: full rover with SIMD on a typical consumer CPU; ours: one core of this machine, six "
                          "wheels on level soil, no recording");
    gr_findings_add(out, 150, fast, 0, "simulated over computing time, adaptive, against the quasi-static RPAT");
    gr_findings_limit(out, GR_LIMIT_AT_LEAST);
    gr_findings_timed(out);
    gr_findings_note(out, "RPAT has no dynamics; ours is the dynamic simulation on one core of this machine");
    return status;
}

enum { COORDINATES = 64 };

/// A rover that tumbles without contact, friction or motors for a second; its joints' angles.
static GrStatus tumble(const GrRoverDef *rover, GrIntegrator integrator, double step, double *angles, GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, 0);
    options.integrator = integrator;
    options.step = step;
    GrModel *m = NULL;
    gr_model_create(rover, &options, &m, log);
    GrData *d = NULL;
    if (m != NULL) {
        gr_data_create(m, &d, NULL);
    }
    GrStatus status = d != NULL ? GR_OK : GR_ERROR_MODEL;
    if (d != NULL) {
        gr_data_set_base_velocity(d, gr_vec3(0, 0, 0), gr_vec3(0.3, 0.9, 0.5));
        for (int i = 0; i < gr_model_joint_count(m) && i < COORDINATES; i++) {
            gr_data_set_joint(m, d, i, 0, 0.4 + 0.1 * i);
        }
    }
    for (int k = 0; k < (int)lround(1 / step) && status == GR_OK; k++) {
        status = gr_step(m, d);
    }
    for (int i = 0; status == GR_OK && i < gr_model_joint_count(m) && i < COORDINATES; i++) {
        angles[i] = gr_data_joint_position(m, d, i);
    }
    gr_data_free(d);
    gr_model_free(m);
    return status;
}

/// Order by three steps, each half of the one before.
static GrStatus order_of(const GrRoverDef *rover, GrIntegrator integrator, double step, double *order, GrErrorLog *log)
{
    double angles[3][COORDINATES] = {{0}}, change[2] = {0};
    GrStatus status = GR_OK;
    for (int k = 0; k < 3 && status == GR_OK; k++) {
        status = tumble(rover, integrator, ldexp(step, -k), angles[k], log);
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < COORDINATES; i++) {
            change[k] += fabs(angles[k + 1][i] - angles[k][i]);
        }
    }
    *order = gr_log2(change[0] / change[1]);
    return status;
}

static GrStatus run_orders(GrFindings *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrRoverDef rover = gr_default_rover_def();
    GrStatus status = gr_find_file("rovers", "rover", "el_dorado2", path, log);
    status = status == GR_OK ? gr_rover_load(path, NULL, &rover, log) : status;
    for (int i = 0; i < rover.joint_count; i++) {
        rover.joints[i].damping = rover.joints[i].friction = 0;
        rover.joints[i].motor = gr_default_motor_def();
    }
    double euler = (double)NAN, beeman = (double)NAN;
    status = status == GR_OK ? order_of(&rover, GR_INTEGRATOR_EULER, 4e-3, &euler, log) : status;
    status = status == GR_OK ? order_of(&rover, GR_INTEGRATOR_BEEMAN, 8e-3, &beeman, log) : status;
    gr_findings_add(out, 1, euler, 0.2, "order of the global error, Euler");
    gr_findings_add(out, 3, beeman, 0.2, "order of the global error, Beeman");
    gr_rover_free(&rover);
    return status;
}

static const GrValidationCase SPEED_CASES[] = {
    {"speed/o23_drive", "Oettershagen 2023",
     "Oettershagen et al. 2023, 4.1: adaptive step 4x, DynRPAT about 8x real time, quasi-static RPAT about 150x",
     "none: theirs are limits to reach", run_drives, "4.1"},
    {"speed/o23_orders", "Oettershagen 2023", "Oettershagen et al. 2023, 3.1, eqs. 2-3: O(dt) and O(dt³)",
     "0.2: an order is a whole number", run_orders, "3.1, eqs. 2-3"},
};

const GrValidationGroup gr_validate_speed = {SPEED_CASES, sizeof SPEED_CASES / sizeof SPEED_CASES[0]};

// ---- groups

/// A new group is one row here.
static const GrValidationGroup *const GROUPS[] = {&gr_validate_soil,    &gr_validate_laws,  &gr_validate_plate,
                                                  &gr_validate_wheel,   &gr_validate_rigid, &gr_validate_rover,
                                                  &gr_validate_terrain, &gr_validate_trace, &gr_validate_speed};

enum { GROUP_COUNT = sizeof GROUPS / sizeof GROUPS[0] };

const GrValidationCase *gr_validation_case(int index)
{
    for (int g = 0; g < GROUP_COUNT; g++) {
        if (index < GROUPS[g]->count) {
            return &GROUPS[g]->cases[index];
        }
        index -= GROUPS[g]->count;
    }
    return NULL;
}

bool gr_validation_is_measured(const GrValidationCase *which)
{
    static const char *const prefixes[] = {"wheel/", "rover/mgru3_"}; // wheels at CMU, a rover at NASA Glenn
    bool measured = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        measured = measured || strncmp(which->name, prefixes[i], strlen(prefixes[i])) == 0;
    }
    return measured;
}

GrStatus gr_validation_run(const GrValidationCase *which, GrFindings *findings, GrErrorLog *log)
{
    const GrStatus status = which->run(findings, log);
    if (status == GR_OK && findings->failed) {
        return gr_out_of_memory(log, NULL);
    }
    return status;
}
