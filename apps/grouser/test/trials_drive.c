/// grouser test gradeability, grouser test drawbar: sweeps of steady drives.
#include "alloc.h"
#include "drive_sweep.h"
#include "trials.h"

#include <math.h>
#include <string.h>

static void add_columns(bool pulls, bool named, bool flexible, GrTrialReport *report)
{
    gr_trial_column_text(report, "direction", named ? "direction" : NULL);
    gr_trial_column(report, "slope_deg", pulls ? NULL : "slope [°]", 1);
    gr_trial_column(report, "heading_deg", NULL, 1);
    gr_trial_column(report, "pull_N", pulls ? "pull [N]" : NULL, 1);
    gr_trial_column(report, "slip", "slip", 1);
    gr_trial_column(report, "speed_m_per_s", "speed [mm/s]", 1000);
    gr_trial_column(report, "drift_m_per_s", named ? "drift [mm/s]" : NULL, 1000);
    gr_trial_column(report, "sinkage_m", "sinkage [mm]", 1000);
    gr_trial_column(report, "torque_Nm", "torque, mean [N m]", 1);
    gr_trial_column(report, "torque_most_Nm", "most [N m]", 1);
    gr_trial_column(report, "power_W", "power [W]", 1);
    gr_trial_column(report, "load_least_N", "load, least [N]", 1);
    gr_trial_column(report, "load_most_N", "most [N]", 1);
    gr_trial_column(report, "time_s", NULL, 1);
    gr_trial_column(report, "warnings", NULL, 1);
    gr_trial_column(report, "deflection_m", flexible ? "wheel deflection [mm]" : NULL, 1000);
    gr_trial_column_text(report, "outcome", "outcome");
}

static void add_rows(const GrDriveSweep *sweep, GrTrialReport *report)
{
    for (int i = 0; i < sweep->count; i++) {
        const GrSteadyDrive *r = &sweep->results[i];
        const GrSteadyDriveDef def = gr_drive_sweep_point(sweep, i);
        const double values[] = {r->speed,      r->drift,     r->sinkage, r->torque_mean, r->torque,    r->power,
                                 r->load_least, r->load_most, r->time,    r->warnings,    r->deflection};
        gr_trial_cell_text(report, sweep->name);
        gr_trial_cell(report, def.slope / GR_DEGREE);
        gr_trial_cell(report, def.heading / GR_DEGREE);
        gr_trial_cell(report, def.pull);
        gr_drive_slip_cell(r, report);
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            gr_trial_cell(report, values[k]);
        }
        gr_trial_cell_name(report, gr_drive_outcome_name(r->outcome), gr_drive_outcome_text(r->outcome));
    }
}

static double pick(const GrSteadyDrive *r, int quantity)
{
    const double values[] = {r->slip, 1000 * r->sinkage, r->torque_mean, r->power};
    return values[quantity];
}

/// Draws only steady drives.
static void add_curves(const GrDriveSweep *sweeps, int count, GrTrialReport *report)
{
    static const struct {
        const char *title, *label;
    } kinds[] = {{"Slip", "slip [-]"},
                 {"Sinkage of the deepest wheel", "h [mm]"},
                 {"Torque, mean of the wheels", "T [N m]"},
                 {"Power of the drive motors", "P [W]"}};
    for (int q = 0; q < 4; q++) {
        const int panel =
            gr_trial_panel(report, kinds[q].title, sweeps[0].pulls ? "pull [N]" : "slope [°]", kinds[q].label);
        for (int k = 0; k < count; k++) {
            const GrDriveSweep *sweep = &sweeps[k];
            double *x = gr_calloc(2 * (size_t)sweep->count, sizeof *x);
            if (x == NULL) {
                report->failed = true;
                return;
            }
            double *y = x + sweep->count;
            for (int i = 0; i < sweep->count; i++) {
                const GrSteadyDrive *r = &sweep->results[i];
                x[i] = sweep->pulls ? sweep->values[i] : sweep->values[i] / GR_DEGREE;
                y[i] = r->outcome == GR_DRIVE_STEADY ? pick(r, q) : (double)NAN;
            }
            gr_trial_curve(report, panel, sweep->name, GR_SERIES_LINE_POINTS, x, y, sweep->count);
            gr_free(x);
        }
    }
}

static void say(GrDriveSweep *sweeps, int count, GrTrialReport *report)
{
    const GrRoverDef *rover = sweeps[0].def.rover;
    bool flexible = false;
    for (int i = 0; i < rover->wheel_count; i++) {
        flexible = flexible || isfinite(rover->wheels[i].stiffness);
    }
    add_columns(sweeps[0].pulls, count > 1, flexible, report);
    for (int k = 0; k < count; k++) {
        add_rows(&sweeps[k], report);
    }
    add_curves(sweeps, count, report);
}

static void judge_slopes(const GrDriveSweep *sweeps, int count, GrTrialReport *report)
{
    static const char *const keys[] = {"steepest_slope_deg", "steepest_down_deg", "steepest_cross_deg"};
    static const char *const labels[] = {"steepest slope, up", "steepest slope, down", "steepest slope, across"};
    static const char *const verbs[] = {"climbs", "drives down", "crosses"};
    for (int k = 0; k < count; k++) {
        const GrDriveSweep *sweep = &sweeps[k];
        gr_trial_fact(report, keys[k], labels[k], "°", 1, sweep->most / GR_DEGREE);
        if (sweep->all) {
            gr_trial_at_least(report);
        }
        if (isnan(sweep->most)) {
            gr_trial_verdict(report, "It %s none of these slopes.", verbs[k]);
        } else {
            gr_trial_verdict(report, "Steepest slope that it %s: %s%.3g°.", verbs[k], sweep->all ? "at least " : "",
                             sweep->most / GR_DEGREE);
        }
    }
}

static GrSteadyDriveDef drive_of(const GrTrialInput *input)
{
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = input->def.rover;
    def.soil = input->def.soil;
    def.gravity = input->def.gravity;
    def.step = input->def.step;
    def.speed = gr_trial_number(input, "speed");
    return def;
}

static void begin(const GrTrialInput *input, const char *title, GrTrialReport *report)
{
    gr_trial_begin(input, title, report);
    const size_t used = strlen(report->about);
    snprintf(report->about + used, sizeof report->about - used, ", rims at %.4g m/s", gr_trial_number(input, "speed"));
    gr_trial_fact(report, "rim_speed_m_per_s", "", "m/s", 1, gr_trial_number(input, "speed"));
}

static GrStatus run_gradeability(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    double *slopes;
    const int count = gr_trial_values(input, "slopes", GR_DEGREE, &slopes, log);
    if (count <= 0) {
        return GR_ERROR_USAGE;
    }
    const double heading = gr_trial_number(input, "heading");
    bool alone = !isnan(heading); // one direction, as requested
    for (int i = 0; i < count; i++) {
        alone = alone || slopes[i] < 0;
    }
    GrSteadyDriveDef def = drive_of(input);
    def.heading = isnan(heading) ? 0 : GR_DEGREE * heading;
    GrDriveSweep sweeps[] = {{.name = alone ? "" : "up", .def = def, .sign = 1, .values = slopes, .count = count},
                             {.name = "down", .def = def, .sign = -1, .values = slopes, .count = count},
                             {.name = "cross", .def = def, .sign = 1, .values = slopes, .count = count}};
    sweeps[2].def.heading = 90 * GR_DEGREE;
    const int directions = alone ? 1 : 3;
    GrStatus status = gr_drive_sweeps_run(input->kind->name, sweeps, directions, log);
    if (status == GR_OK) {
        begin(input, "Gradeability", report);
        judge_slopes(sweeps, directions, report);
        say(sweeps, directions, report);
    }
    for (int k = 0; k < directions; k++) {
        gr_free(sweeps[k].results);
    }
    gr_free(slopes);
    return status;
}

static GrStatus run_drawbar(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    const double weight = input->mass * input->def.gravity;
    double *pulls;
    const bool parts = gr_trial_text(input, "pulls") == NULL;
    const int count = gr_trial_values(input, parts ? "parts" : "pulls", parts ? weight : 1, &pulls, log);
    if (count <= 0) {
        return GR_ERROR_USAGE;
    }
    GrDriveSweep sweep = {
        .name = "", .def = drive_of(input), .sign = 1, .pulls = true, .values = pulls, .count = count};
    const GrStatus status = gr_drive_sweeps_run(input->kind->name, &sweep, 1, log);
    if (status == GR_OK) {
        begin(input, "Drawbar pull", report);
        gr_trial_fact(report, "largest_pull_N", "largest pull", "N", 1, sweep.most);
        if (sweep.all) {
            gr_trial_at_least(report);
        }
        gr_trial_fact(report, "largest_pull_weights", "over the weight", "", 1, sweep.most / weight);
        if (sweep.all) {
            gr_trial_at_least(report);
        }
        if (isnan(sweep.most)) {
            gr_trial_verdict(report, "It moves at none of these pulls.");
        } else {
            gr_trial_verdict(report, "Largest pull that it still tows: %s%.4g N, %.3g of its weight.",
                             sweep.all ? "at least " : "", sweep.most, sweep.most / weight);
        }
        say(&sweep, 1, report);
    }
    gr_free(sweep.results);
    gr_free(pulls);
    return status;
}

const GrTrialKind gr_kind_gradeability = {
    .name = "gradeability",
    .summary = "slip and torque against slope, up, down and across; steepest slope",
    .details = "The rover drives straight over a plane of soft soil, slope after slope, until its motion is steady.\n"
               "With --heading, or with negative slopes (down), in that one direction; otherwise up, down and across.",
    .example = "  grouser test gradeability curiosity_like --gravity mars --html climb.html\n"
               "  grouser test gradeability el_dorado2 --slopes -15:25:9 --heading 0 --json",
    .step_ms = "5",
    .options =
        {
            {"slopes", "A:B:N|LIST", "0:35:15", "slopes [°]; negative: down", -60, 60},
            {"heading", "DEG", NULL, "between heading and uphill [°]; 90: the slope falls to the right", -360, 360},
            {"speed", "M/S", "0.05", "rim speed [m/s]", -100, 100},
        },
    .run = run_gradeability,
};

const GrTrialKind gr_kind_drawbar = {
    .name = "drawbar",
    .summary = "slip and torque against a pull at the chassis on level ground",
    .details = "The rover drives over level soil, held back at the origin of its chassis, until its motion is steady.",
    .example = "  grouser test drawbar viper_like --gravity moon --soil lunar_apollo\n"
               "  grouser test drawbar rashid_like --pulls 0,15,30 --json",
    .step_ms = "5",
    .options =
        {
            {"pulls", "A:B:N|LIST", NULL, "pulls [N]", -1e9, 1e9},
            {"parts", "A:B:N|LIST", "0:0.5:11", "pulls as fractions of the weight, if none are given", 0, 1},
            {"speed", "M/S", "0.05", "rim speed [m/s]", -100, 100},
        },
    .run = run_drawbar,
};
