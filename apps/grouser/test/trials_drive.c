/// grouser test gradeability, grouser test drawbar: sweeps of steady drives.
#include "alloc.h"
#include "drive_sweep.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "statistics.h"
#include "trials.h"

#include <math.h>
#include <string.h>

static void add_columns(bool pulls, bool named, bool flexible, GrTrialReport *report)
{
    gr_trial_column_text(report, "direction", named ? "direction" : NULL);
    gr_trial_column(report, "slope_deg", pulls ? NULL : "slope [°]", 1);
    gr_trial_column(report, "heading_deg", NULL, 1);
    gr_trial_column(report, "pull_N", pulls ? "pull [N]" : NULL, 1);
    gr_trial_column(report, "slip", "slip [%]", 100);
    gr_trial_column(report, "speed_m_per_s", "speed [mm/s]", 1000);
    gr_trial_column(report, "drift_m_per_s", named ? "drift [mm/s]" : NULL, 1000);
    gr_trial_column(report, "sinkage_m", "sinkage [mm]", 1000);
    gr_trial_column(report, "torque_Nm", "torque, mean [N m]", 1);
    gr_trial_column(report, "torque_most_Nm", "most [N m]", 1);
    gr_trial_column(report, "power_W", "power [W]", 1);
    gr_trial_column(report, "energy_J_per_m", "energy [J/m]", 1);
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
        const double values[] = {r->drift, r->sinkage,         r->torque_mean, r->torque,
                                 r->power, gr_drive_energy(r), r->load_least,  r->load_most,
                                 r->time,  r->warnings,        r->deflection};
        const bool tried = i < sweep->driven;
        // numbers on their way, or of a fall, are not results
        const bool settled = tried && r->outcome != GR_DRIVE_UNSETTLED && r->outcome != GR_DRIVE_TIPPED;
        const bool climbs = def.pull > 0 || def.slope * gr_cos(def.heading) >= 0;
        gr_trial_cell_text(report, sweep->name);
        gr_trial_cell(report, def.slope / GR_DEGREE);
        gr_trial_cell(report, def.heading / GR_DEGREE);
        gr_trial_cell(report, def.pull);
        if (settled) {
            gr_drive_slip_cell(r, report);
        } else {
            gr_trial_cell(report, (double)NAN);
        }
        gr_trial_cell(report, settled ? r->speed : sweep->is_sample && climbs ? 0 : (double)NAN); // it stands
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            gr_trial_cell(report, settled ? values[k] : (double)NAN);
        }
        gr_trial_cell_name(report, tried ? gr_drive_outcome_name(r->outcome) : "",
                           tried ? gr_drive_outcome_text(r->outcome) : "");
        if (!tried) {
            gr_trial_leave_out_row(report);
        }
    }
}

static double pick(const GrSteadyDrive *r, int quantity)
{
    const double values[] = {100 * r->slip, 1000 * r->sinkage, r->torque_mean, r->power};
    return values[quantity];
}

/// Draws only steady drives.
static void add_curves(const GrDriveSweep *sweeps, int count, GrTrialReport *report)
{
    static const struct {
        const char *title, *label;
    } kinds[] = {{"Slip", "slip [%]"},
                 {"Sinkage of the deepest wheel", "sinkage [mm]"},
                 {"Torque, mean of the wheels", "torque [N m]"},
                 {"Power of the drive motors", "power [W]"}};
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

/// Slips at which the slope is reported, with the one of the headline.
static int list_slips(double headline, double out[4])
{
    static const double usual[] = {0.2, 0.3, 0.6};
    int count = 0;
    bool placed = false;
    for (int i = 0; i < 3; i++) {
        if (!placed && headline <= usual[i]) {
            out[count++] = headline;
            placed = true;
        }
        if (usual[i] != headline) {
            out[count++] = usual[i];
        }
    }
    if (!placed) {
        out[count++] = headline;
    }
    return count;
}

/// Slopes at a few slips, and the limit. Returns the number of the headline's fact in `fact`.
static GrStatus judge_climb(GrDriveSweep *sweep, double headline, GrTrialReport *report, GrErrorLog *log)
{
    double slips[GR_DRIVE_BOUNDS];
    const int count = list_slips(headline, slips);
    int answer = 0;
    for (int i = 0; i < count; i++) {
        GrDriveAt at;
        char label[GR_TRIAL_TEXT];
        const GrStatus status = gr_drive_sweep_at(sweep, (GrDriveBound){slips[i], INFINITY}, &at, log);
        if (status != GR_OK) {
            return status;
        }
        snprintf(label, sizeof label, "slope at slip %.3g %%", 100 * slips[i]);
        const int fact = gr_trial_fact(report, "slope_deg", label, "°", 1, at.value / GR_DEGREE);
        if (slips[i] == headline) {
            answer = fact;
            gr_trial_compared(report, fact, 1, GR_SLOPE_ACCURACY / GR_DEGREE);
        }
        if (at.all) {
            gr_trial_at_least(report);
        }
        gr_trial_fact_at(report, "at_slip", "slip", slips[i]);
        const int energy =
            gr_trial_fact(report, "energy_J_per_m", slips[i] == headline ? "energy there" : "", "J/m", 1, at.energy);
        gr_trial_compared(report, energy, slips[i] == headline ? -1 : 0, 0);
        gr_trial_fact_at(report, "at_slip", "slip", slips[i]);
    }
    const double steepest = sweep->is_sample && isnan(sweep->most) ? 0 : sweep->most; // a sample that climbs nothing
    const int most = gr_trial_fact(report, "steepest_slope_deg", "steepest slope, up", "°", 1, steepest / GR_DEGREE);
    gr_trial_compared(report, most, 1, GR_SLOPE_ACCURACY / GR_DEGREE);
    if (sweep->all) {
        gr_trial_at_least(report);
    }
    if (isnan(sweep->most)) {
        gr_trial_verdict(report, "It climbs none of these slopes.");
    } else {
        gr_trial_verdict(report, "Climbs {%d} at slip %.3g %%; the steepest slope is {%d}.", answer, 100 * headline,
                         most);
    }
    return GR_OK;
}

/// Slopes that are held down or across: slip and drift stay within their bounds.
static GrStatus judge_held(GrDriveSweep *sweep, bool down, GrDriveBound bound, GrTrialReport *report, GrErrorLog *log)
{
    GrDriveAt at;
    char label[GR_TRIAL_TEXT];
    const GrStatus status = gr_drive_sweep_at(sweep, bound, &at, log);
    if (status != GR_OK) {
        return status;
    }
    snprintf(label, sizeof label,
             down ? "held down: slip within %.3g %%" : "held across: drift within %.3g %% of the speed",
             100 * (down ? bound.slip : bound.drift));
    const int held =
        gr_trial_fact(report, down ? "held_down_deg" : "held_cross_deg", label, "°", 1, at.value / GR_DEGREE);
    gr_trial_compared(report, held, 1, GR_SLOPE_ACCURACY / GR_DEGREE);
    if (at.all) {
        gr_trial_at_least(report);
    }
    gr_trial_fact(report, down ? "steepest_down_deg" : "steepest_cross_deg",
                  down ? "steepest tested, down" : "steepest tested, across", "°", 1,
                  sweep->is_sample ? (double)NAN : sweep->most / GR_DEGREE);
    if (sweep->all) {
        gr_trial_at_least(report);
    }
    gr_trial_verdict(report, "Holds {%d} %s.", held, down ? "down" : "across");
    return GR_OK;
}

/// What an engineer would not sign, once, with what to change.
static void doubt_climb(const GrTrialInput *input, const GrDriveSweep *sweep, GrTrialReport *report)
{
    static const double STEEP = 20 * GR_DEGREE; // no rover has climbed more on loose soil
    const GrSoilDef *soil = input->def.soil;
    const GrSteadyDrive *level = NULL, *steep = NULL;
    for (int i = 0; i < sweep->driven; i++) {
        if (sweep->values[i] >= 0 && sweep->results[i].outcome == GR_DRIVE_STEADY) {
            level = level == NULL ? &sweep->results[i] : level;
            steep = &sweep->results[i];
        }
    }
    if (sweep->most > STEEP) {
        const bool digs = soil != NULL && soil->slip_sinkage_max > 0;
        gr_trial_doubt(
            report,
            "%.3g° on loose soil: tested and flown rovers reach 15 to 25° on it, and more only on rock under "
            "thin sand. %s",
            sweep->most / GR_DEGREE,
            digs ? "Plan with the slope of the headline: close to the limit small disturbances decide."
                 : "Use a soil in which wheels dig (mars_sand, lunar_mare), or measure this one (grouser "
                   "fit soil).");
    }
    if (level != NULL && steep != NULL && steep->slip > level->slip + 0.2 && steep->sinkage < 1.1 * level->sinkage) {
        gr_trial_doubt(
            report,
            "sinkage does not grow with slip (%.3g mm on the level, %.3g mm at slip %.2g %%): wheels on sand "
            "dig in. %s has no digging; set slip_sinkage_max_m (docs/soil-laws.md), or use a soil that has.",
            1000 * level->sinkage, 1000 * steep->sinkage, 100 * steep->slip, soil->name);
    }
    if (level != NULL && level->slip < 0 && sweep->values[0] == 0) {
        gr_trial_doubt(report,
                       "on the level the wheels turn slower than the rover moves (slip %.2g %%): the soil pulls wheels "
                       "forward without slip. A lambda of 0.2 to 0.4 is usual in fits to measured wheels.",
                       100 * level->slip);
    }
}

static GrStatus judge_slopes(const GrTrialInput *input, GrDriveSweep *sweeps, int count, GrTrialReport *report,
                             GrErrorLog *log)
{
    const GrDriveBound bound = {gr_trial_number(input, "slip"), gr_trial_number(input, "drift")};
    GrStatus status = judge_climb(&sweeps[0], bound.slip, report, log);
    for (int k = 1; k < count && status == GR_OK; k++) {
        status = judge_held(&sweeps[k], k == 1, bound, report, log);
    }
    if (status == GR_OK && !input->is_sample) {
        doubt_climb(input, &sweeps[0], report);
    }
    return status;
}

/// Runs the sweeps and reports them with `judge`.
static GrStatus run_drives(const GrTrialInput *input, const char *title, GrDrives *drives,
                           GrStatus (*judge)(const GrTrialInput *, GrDriveSweep *, int, GrTrialReport *, GrErrorLog *),
                           GrTrialReport *report, GrErrorLog *log)
{
    GrStatus status = gr_drives_run(input, title, drives, report, log);
    if (status == GR_OK) {
        status = judge(input, drives->sweeps, drives->count, report, log);
    }
    if (status == GR_OK) {
        say(drives->sweeps, input->is_sample ? 1 : drives->count, report);
    }
    return status;
}

/// Time for drives down and across to become steady, over that of climbs: what has not by then creeps away.
static const double SIDEWAYS_TIME = 0.375;

static GrStatus run_gradeability(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrDrives *drives = gr_calloc(1, sizeof *drives);
    const int count = drives != NULL ? gr_trial_values(input, "slopes", GR_DEGREE, &drives->values, log) : 0;
    if (count <= 0) {
        gr_free(drives);
        return drives != NULL ? GR_ERROR_USAGE : gr_out_of_memory(log, NULL);
    }
    gr_sort(drives->values, count);
    const double heading = gr_trial_number(input, "heading");
    const bool alone = !isnan(heading) || drives->values[0] < 0; // one direction, as requested
    GrDriveSweep up = {
        .name = alone ? "" : "up", .def = gr_drives_of(input), .sign = 1, .values = drives->values, .count = count};
    up.def.heading = isnan(heading) ? 0 : GR_DEGREE * heading;
    drives->count = alone ? 1 : 3;
    const GrDriveBound bound = {gr_trial_number(input, "slip"), gr_trial_number(input, "drift")};
    for (int k = 0; k < 3; k++) {
        drives->sweeps[k] = up;
        drives->sweeps[k].no_limit = k > 0;
        drives->sweeps[k].def.limit *= k > 0 ? SIDEWAYS_TIME : 1;
        drives->sweeps[k].bounds[0] = bound;
        drives->sweeps[k].bound_count = k > 0;
        drives->coarse[k + 1] = 10 * (k + 1) * GR_DEGREE;
    }
    double slips[GR_DRIVE_BOUNDS];
    const int slip_count = list_slips(bound.slip, slips);
    drives->sweeps[0].bound_count = slip_count;
    for (int i = 0; i < slip_count; i++) {
        drives->sweeps[0].bounds[i] = (GrDriveBound){slips[i], INFINITY};
    }
    drives->sweeps[1].name = "down";
    drives->sweeps[1].sign = -1;
    drives->sweeps[2].name = "cross";
    drives->sweeps[2].def.heading = 90 * GR_DEGREE;
    for (int k = 1; k < 3 && input->is_sample; k++) { // only for the slope that is held
        drives->sweeps[k].values = drives->coarse;
        drives->sweeps[k].count = sizeof drives->coarse / sizeof drives->coarse[0];
    }
    return run_drives(input, "Gradeability", drives, judge_slopes, report, log);
}

static GrStatus judge_pulls(const GrTrialInput *input, GrDriveSweep *sweep, int count, GrTrialReport *report,
                            GrErrorLog *log)
{
    const double weight = input->mass * input->def.gravity;
    (void)count;
    (void)log;
    const int most = gr_trial_fact(report, "largest_pull_N", "largest pull", "N", 1, sweep->most);
    gr_trial_compared(report, most, 1, 0);
    if (sweep->all) {
        gr_trial_at_least(report);
    }
    const int share =
        gr_trial_fact(report, "largest_pull_weights", "largest pull over the weight", "", 1, sweep->most / weight);
    gr_trial_compared(report, share, 1, 0);
    if (sweep->all) {
        gr_trial_at_least(report);
    }
    if (isnan(sweep->most)) {
        gr_trial_verdict(report, "It moves at none of these pulls.");
    } else {
        gr_trial_verdict(report, "Largest pull that it still tows: {%d}, {%d} of its weight.", most, share);
    }
    return GR_OK;
}

static GrStatus run_drawbar(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    const double weight = input->mass * input->def.gravity;
    const bool parts = gr_trial_text(input, "pulls") == NULL;
    GrDrives *drives = gr_calloc(1, sizeof *drives);
    const int count = drives != NULL
                          ? gr_trial_values(input, parts ? "parts" : "pulls", parts ? weight : 1, &drives->values, log)
                          : 0;
    if (count <= 0) {
        gr_free(drives);
        return drives != NULL ? GR_ERROR_USAGE : gr_out_of_memory(log, NULL);
    }
    gr_sort(drives->values, count);
    drives->count = 1;
    drives->sweeps[0] = (GrDriveSweep){
        .name = "", .def = gr_drives_of(input), .sign = 1, .pulls = true, .values = drives->values, .count = count};
    return run_drives(input, "Drawbar pull", drives, judge_pulls, report, log);
}

const GrTrialKind gr_kind_gradeability = {
    .name = "gradeability",
    .summary = "slope that it climbs at slip 0.3; slip, torque and energy up, down and across",
    .details = "The rover drives straight over a plane of soft soil, slope after slope, until its motion is steady,\n"
               "or does not go on. Ranges are 5 to 95 % over samples of the soil.\n"
               "With --heading, or with negative slopes (down), in that one direction; otherwise up, down and across.",
    .example = "  grouser test gradeability curiosity_like --gravity mars --html climb.html\n"
               "  grouser test gradeability el_dorado2 --slopes -15:25:9 --heading 0 --json",
    .step_ms = "5",
    .options =
        {
            {"slopes", "A:B:N|LIST", "0:35:15", "slopes [°]; negative: down", -60, 60},
            {"heading", "DEG", NULL, "between heading and uphill [°]; 90: the slope falls to the right", -360, 360},
            {"slip", "S", "0.3", "slip of the headline, and bound of a slope that is held", 0.01, 0.99},
            {"drift", "D", "0.1", "sideways speed over that ahead up to which a cross slope is held", 0.001, 10},
            {"speed", "M/S", "0.05", "rim speed [m/s]", -100, 100},
        },
    .samples = 32,
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
    .samples = 32,
    .run = run_drawbar,
};
