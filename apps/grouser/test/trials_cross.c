/// grouser test step, grouser test rock, grouser test egress.
#include "alloc.h"
#include "out_of_memory.h"
#include "report.h"
#include "trials.h"

#include <math.h>

typedef struct Crossing {
    double height; ///< of step, rock or deck [m]
    GrCrossResult result;
    GrTrialLog samples;
} Crossing;

static void add_rows(const Crossing *crossings, int count, const char *head, GrTrialReport *report)
{
    report->rows = "crossings";
    gr_trial_column(report, "height_m", head, 1000);
    gr_trial_column(report, "slip", "slip [%]", 100);
    gr_trial_column(report, "peak_torque_Nm", "torque, peak [N m]", 1);
    gr_trial_column(report, "energy_J", "energy [J]", 1);
    gr_trial_column(report, "peak_wheel_load_N", "wheel load, peak [N]", 1);
    gr_trial_column(report, "peak_joint_force_N", "joint force, peak [N]", 1);
    gr_trial_column(report, "peak_acceleration_m_per_s2", "acceleration, peak [m/s²]", 1);
    gr_trial_column(report, "pitch_deg", "pitch, peak [°]", 1);
    gr_trial_column(report, "roll_deg", "roll, peak [°]", 1);
    gr_trial_column(report, "tilt_deg", NULL, 1);
    gr_trial_column(report, "drift_m", "drift [mm]", 1000);
    gr_trial_column(report, "time_s", "time [s]", 1);
    gr_trial_column(report, "distance_m", NULL, 1);
    gr_trial_column_text(report, "outcome", "outcome");
    for (int i = 0; i < count; i++) {
        const GrCrossResult *r = &crossings[i].result;
        const double values[] = {r->peaks.torque,
                                 r->energy,
                                 r->peaks.wheel_load,
                                 r->peaks.joint_force,
                                 r->peaks.acceleration,
                                 r->peaks.pitch / GR_DEGREE,
                                 r->peaks.roll / GR_DEGREE,
                                 r->tilt / GR_DEGREE,
                                 r->drift,
                                 r->time,
                                 r->distance};
        gr_trial_cell(report, crossings[i].height);
        gr_trial_cell_slip(report, r->slip, false);
        gr_trial_cells(report, values, sizeof values / sizeof values[0]);
        gr_trial_cell_name(report, gr_trial_outcome_name(r->outcome), gr_trial_outcome_text(r->outcome));
    }
}

static void add_curves(const Crossing *crossings, int count, GrTrialReport *report)
{
    static const struct {
        const char *title, *label;
        GrTrialQuantity quantity;
        double scale;
    } kinds[] = {{"Height of the chassis", "z [m]", GR_TRIAL_HEIGHT, 1},
                 {"Pitch (nose down)", "pitch [°]", GR_TRIAL_PITCH, 1 / GR_DEGREE},
                 {"Largest torque of the wheels", "torque [N m]", GR_TRIAL_TORQUE, 1},
                 {"Load of the most heavily loaded wheel", "load [N]", GR_TRIAL_LOAD_MOST, 1}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const int panel = gr_trial_panel(report, kinds[k].title, "x [m]", kinds[k].label);
        for (int i = 0; i < count && i < GR_TRIAL_CURVES; i++) {
            char name[GR_TRIAL_TEXT];
            snprintf(name, sizeof name, "%.4g mm", 1000 * crossings[i].height);
            gr_trial_log_curve(report, panel, &crossings[i].samples, GR_TRIAL_AHEAD, 1,
                               (GrTrialCurve){kinds[k].quantity, name, kinds[k].scale});
        }
    }
}

static void free_crossings(Crossing *crossings, int count)
{
    for (int i = 0; crossings != NULL && i < count; i++) {
        gr_trial_log_free(&crossings[i].samples);
    }
    gr_free(crossings);
}

static double largest_radius(const GrRoverDef *rover)
{
    double radius = 0;
    for (int i = 0; i < rover->wheel_count; i++) {
        radius = rover->wheels[i].radius > radius ? rover->wheels[i].radius : radius;
    }
    return radius;
}

/// Reads the heights; by default they are fractions of the wheel's radius.
static int read_heights(const GrTrialInput *input, double **out, GrErrorLog *log)
{
    return gr_trial_text(input, "heights") != NULL
               ? gr_trial_values(input, "heights", 1e-3, out, log)
               : gr_trial_values(input, "parts", largest_radius(input->def.rover), out, log);
}

static GrCrossLimits read_limits(const GrTrialInput *input)
{
    return (GrCrossLimits){.tilt = GR_DEGREE * gr_trial_number(input, "max-tilt"),
                           .load = gr_trial_text(input, "max-load") != NULL ? gr_trial_number(input, "max-load")
                                                                            : (double)INFINITY,
                           .touch = gr_trial_flag(input, "touch")};
}

/// Reports the limits of a success, as text and in JSON.
static void say_limits(const GrTrialInput *input, const GrCrossLimits *limits, GrTrialReport *report)
{
    gr_trial_fact(report, "friction", "friction of everything rigid", "", 1, input->def.friction);
    gr_trial_fact(report, "max_tilt_deg", "tilt allowed", "°", 1, limits->tilt / GR_DEGREE);
    if (isfinite(limits->load)) {
        gr_trial_fact(report, "max_wheel_load_weights", "load of a wheel allowed, over the weight", "", 1,
                      limits->load);
    }
    gr_trial_fact_text(report, "touch_allowed", "other bodies may touch", limits->touch ? "yes" : "no");
}

/// Inserts an attempt of the search in order of height, unless that height is already present.
static void insert(double height, const GrCrossResult *result, GrTrialLog *samples, Crossing *crossings, int *count)
{
    int at = *count;
    for (int i = 0; i < *count; i++) {
        if (fabs(crossings[i].height - height) < 1e-9) {
            return;
        }
    }
    while (at > 0 && crossings[at - 1].height > height) {
        crossings[at] = crossings[at - 1];
        at--;
    }
    crossings[at] = (Crossing){height, *result, *samples};
    *samples = (GrTrialLog){0};
    ++*count;
}

static GrStatus run_heights(const GrTrialInput *input, GrClimbDef climb, Crossing *crossings, int *count,
                            GrClimbSearch *search, GrErrorLog *log)
{
    const double radius = largest_radius(input->def.rover);
    GrProgress progress = gr_progress_begin(input->kind->name);
    GrStatus status = GR_OK;
    int fails = -1; // the lowest: what is crossed above it does not count
    for (int i = 0; i < *count && status == GR_OK; i++) {
        climb.height = crossings[i].height;
        status = gr_trial_climb(&input->def, &climb, &crossings[i].samples, &crossings[i].result, log);
        const bool lowest = fails < 0 || climb.height < crossings[fails].height;
        fails = crossings[i].result.outcome != GR_TRIAL_DONE && lowest ? i : fails;
        gr_progress_update(&progress, i + 1, *count + 8);
    }
    if (status == GR_OK && !gr_trial_flag(input, "no-search")) {
        const double below = fails < 0 ? (double)INFINITY : crossings[fails].height;
        status = gr_trial_highest_below(&input->def, &climb, radius / 4, radius / 64, below, search, log);
        if (status == GR_OK && fails >= 0 && !(search->failed > 0 && search->failed < below)) {
            search->failed = below;
            search->failure = crossings[fails].result;
        }
    }
    if (status == GR_OK && search->highest > 0) {
        insert(search->highest, &search->best, &search->best_log, crossings, count);
    }
    if (status == GR_OK && search->failed > 0) {
        insert(search->failed, &search->failure, &search->failure_log, crossings, count);
    }
    gr_progress_end(&progress);
    return status;
}

static void say_highest(const GrTrialInput *input, const char *what, const GrClimbSearch *search, GrTrialReport *report)
{
    const double radius = largest_radius(input->def.rover);
    const char *limit = gr_trial_outcome_text(search->failure.outcome);
    gr_trial_compared(report, gr_trial_fact(report, "highest_m", "highest crossed", "mm", 1000, search->highest), 1, 0);
    gr_trial_fact(report, "highest_over_radius", "over the wheel's radius", "", 1, search->highest / radius);
    gr_trial_fact(report, "lowest_failed_m", "lowest failed", "mm", 1000, search->failed);
    gr_trial_fact_text(report, "limited_by", "", gr_trial_outcome_name(search->failure.outcome));
    if (search->highest > 0) {
        gr_trial_verdict(report, "Highest %s crossed: %.4g mm, %.3g of its wheels' radius.", what,
                         1000 * search->highest, search->highest / radius);
    } else {
        gr_trial_verdict(report, "It crosses no %s, not even of %.4g mm.", what, 1000 * search->failed);
    }
    gr_trial_verdict(report, "Limited at %.4g mm by: %s.", 1000 * search->failed, limit);
}

static void say_obstacle(const GrTrialInput *input, const GrClimbDef *climb, const GrClimbSearch *search,
                         GrTrialReport *report)
{
    const bool step = climb->obstacle == GR_OBSTACLE_STEP;
    gr_trial_begin(input, step ? "Step" : "Rock", report);
    gr_trial_fact(report, "wheel_radius_m", "wheel radius", "mm", 1000, largest_radius(input->def.rover));
    if (!gr_trial_flag(input, "no-search")) {
        say_highest(input, step ? "step" : "rock", search, report);
    }
    say_limits(input, &climb->limits, report);
    char load[60] = "";
    if (isfinite(climb->limits.load)) {
        snprintf(load, sizeof load, ", no wheel with more than %.3g of the weight", climb->limits.load);
    }
    gr_trial_verdict(report, "Crossed means: every wheel in front of it rose over it, tilt within %.3g°%s%s.",
                     climb->limits.tilt / GR_DEGREE, load, climb->limits.touch ? "" : ", nothing but wheels touching");
}

static GrStatus run_obstacle(const GrTrialInput *input, GrObstacle obstacle, GrTrialReport *report, GrErrorLog *log)
{
    double *heights;
    int count = read_heights(input, &heights, log);
    if (count <= 0) {
        return GR_ERROR_USAGE;
    }
    GrClimbDef climb = gr_default_climb_def();
    GrClimbSearch search = {0};
    climb.obstacle = obstacle;
    climb.speed = gr_trial_number(input, "speed");
    climb.one_side = gr_trial_flag(input, "one-side");
    climb.limits = read_limits(input);
    Crossing *crossings = gr_calloc((size_t)count + 2, sizeof *crossings); // plus two from the search
    GrStatus status = crossings != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status != GR_OK) {
        gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < count && status == GR_OK; i++) {
        crossings[i].height = heights[i];
    }
    if (status == GR_OK) {
        status = run_heights(input, climb, crossings, &count, &search, log);
    }
    if (status == GR_OK) {
        say_obstacle(input, &climb, &search, report);
        add_rows(crossings, count, "height [mm]", report);
        add_curves(crossings, count, report);
    }
    gr_climb_search_free(&search);
    free_crossings(crossings, count);
    gr_free(heights);
    return status;
}

static GrStatus run_step(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    return run_obstacle(input, GR_OBSTACLE_STEP, report, log);
}

static GrStatus run_rock(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    return run_obstacle(input, GR_OBSTACLE_ROCK, report, log);
}

static GrStatus run_egress(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrEgressDef egress = gr_default_egress_def();
    Crossing down = {.height = 1e-3 * gr_trial_number(input, "deck")};
    egress.deck_height = down.height;
    egress.ramp_angle = GR_DEGREE * gr_trial_number(input, "ramp");
    egress.ramp_margin = 1e-3 * gr_trial_number(input, "margin");
    egress.speed = gr_trial_number(input, "speed");
    egress.misaligned = GR_DEGREE * gr_trial_number(input, "misaligned");
    egress.limits = read_limits(input);
    GrTrialWatch watch = {.count = 1};
    const GrTrialDef def = gr_trial_watched(input, &watch);
    const GrStatus status = gr_trial_egress(&def, &egress, &down.samples, &down.result, log);
    gr_progress_end(&watch.bar);
    if (status == GR_OK) {
        const bool done = down.result.outcome == GR_TRIAL_DONE;
        gr_trial_begin(input, "Egress", report);
        gr_trial_fact(report, "deck_m", "deck", "mm", 1000, egress.deck_height);
        gr_trial_fact(report, "ramp_deg", "ramps", "°", 1, egress.ramp_angle / GR_DEGREE);
        gr_trial_fact_text(report, "success", "all wheels down", done ? "yes" : "no");
        say_limits(input, &egress.limits, report);
        gr_trial_verdict(report, "%s%s: largest wheel load %.4g N, pitch up to %.3g°.",
                         done ? "All wheels are down" : "It does not get down, ",
                         done ? "" : gr_trial_outcome_text(down.result.outcome), down.result.peaks.wheel_load,
                         down.result.peaks.pitch / GR_DEGREE);
        add_rows(&down, 1, "deck [mm]", report);
        add_curves(&down, 1, report);
    }
    gr_trial_log_free(&down.samples);
    return status;
}

// clang-format off
#define LIMIT_OPTIONS                                                                                                  \
    {"max-tilt", "DEG", "30", "tilt that counts as a failure [°]", 0.1, 180},                                          \
    {"max-load", "WEIGHTS", NULL, "load of one wheel that counts as a failure, over the weight (default: none)",       \
     1e-3, 1e6},                                                                                                       \
    {"touch", NULL, NULL, "bodies other than wheels may touch", 0, 0}

#define OBSTACLE_OPTIONS                                                                                               \
    {                                                                                                                  \
        {"heights", "A:B:N|LIST", NULL, "heights to show [mm]", 0.1, 1e5},                                      \
        {"parts", "A:B:N|LIST", "0.5,1", "the same as fractions of the wheel's radius", 1e-3, 10},                         \
        {"speed", "M/S", "0.05", "rim speed [m/s]", 1e-3, 10},                                                       \
        {"one-side", NULL, NULL, "only the left wheels meet it", 0, 0},                                                \
        {"no-search", NULL, NULL, "do not search for the highest", 0, 0},                                                \
        LIMIT_OPTIONS,                                                                                                 \
    }
// clang-format on

const GrTrialKind gr_kind_step = {
    .name = "step",
    .summary = "drive straight up a step: highest step climbed, torque, slip",
    .details = "The rover drives against a rigid step. The highest is searched from below, in quarters of the\nwheel's "
               "radius, then by bisection to 1/64 of it. A crossing that tilts too far, overloads a wheel or "
               "lets\nanother body touch has failed; the headline says what limits the rover.",
    .example = "  grouser test step curiosity_like --gravity mars --html step.html\n"
               "  grouser test step rashid_like --hard --heights 20:80:4 --no-search",
    .step_ms = "2",
    .dynamic = true,
    .options = OBSTACLE_OPTIONS,
    .run = run_step,
};

const GrTrialKind gr_kind_rock = {
    .name = "rock",
    .summary = "drive straight over a rock (half cylinder): highest rock crossed, torque, slip",
    .details =
        "The rover drives over a rigid half cylinder across its path, fixed to the ground. The highest is\nsearched "
        "from below, in quarters of the wheel's radius, then by bisection to 1/64 of it. A crossing\nthat tilts too "
        "far, overloads a wheel or lets another body touch has failed; the headline says what\nlimits the rover.",
    .example = "  grouser test rock curiosity_like --gravity mars --one-side --html rock.html",
    .step_ms = "2",
    .dynamic = true,
    .options = OBSTACLE_OPTIONS,
    .run = run_rock,
};

const GrTrialKind gr_kind_egress = {
    .name = "egress",
    .summary = "drive down from a lander over two ramps: impact loads, pitch and roll, slip, success",
    .details = "The rover stands on a lander's deck and drives down two ramps, one for the wheels of each side.",
    .example = "  grouser test egress exomars_like --gravity mars --deck 600 --ramp 25\n"
               "  grouser test egress rashid_like --gravity moon --misaligned 3 --json",
    .step_ms = "2",
    .dynamic = true,
    .options =
        {
            {"deck", "MM", "500", "height of the deck [mm]", 1, 1e4},
            {"ramp", "DEG", "20", "angle of the ramps [°]", 1, 60},
            {"margin", "MM", "50", "width of the ramps beyond the wheels [mm]", 0, 1e4},
            {"speed", "M/S", "0.05", "rim speed [m/s]", 1e-3, 10},
            {"misaligned", "DEG", "0", "heading at the start, to the left [°]", -45, 45},
            LIMIT_OPTIONS,
        },
    .run = run_egress,
};
