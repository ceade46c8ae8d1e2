/// grouser test turn: on the spot and on circles.
#include "report.h"
#include "text.h"
#include "trials.h"

#include <math.h>
#include <stdlib.h>

typedef struct Turn {
    GrTurnDef def;
    GrTurnResult result;
    GrTrialLog samples;
} Turn;

static GrStatus read_mode(const GrTrialInput *input, GrDriveMode *mode, GrErrorLog *log)
{
    const char *name = gr_trial_text(input, "mode"), *names[GR_DRIVE_MODE_COUNT];
    *mode = name != NULL ? gr_drive_mode_named(name) : GR_DRIVE_MODE_COUNT;
    if (name == NULL || *mode != GR_DRIVE_MODE_COUNT) {
        return GR_OK;
    }
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        names[i] = gr_drive_mode_name((GrDriveMode)i);
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--mode"}, "there is no mode '%s'%s", name,
                        gr_text_hint(name, names, GR_DRIVE_MODE_COUNT, NULL).text);
}

static void add_columns(GrTrialReport *report)
{
    report->rows = "wheels";
    gr_trial_column(report, "radius_m", "radius [m]", 1);
    gr_trial_column_text(report, "wheel", "wheel");
    gr_trial_column(report, "steer_deg", "steer [°]", 1);
    gr_trial_column(report, "slip", "slip [%]", 100);
    gr_trial_column(report, "slip_angle_deg", "slip angle [°]", 1);
    gr_trial_column(report, "slip_angle_plan_deg", "as commanded [°]", 1);
    gr_trial_column(report, "side_force_N", "side force [N]", 1);
    gr_trial_column(report, "torque_Nm", "torque [N m]", 1);
    gr_trial_column(report, "sinkage_m", "sinkage [mm]", 1000);
}

static void add_rows(const GrRoverDef *rover, const Turn *turn, GrTrialReport *report)
{
    for (int i = 0; i < turn->result.wheel_count; i++) {
        const GrTurnWheel *w = &turn->result.wheels[i];
        const double values[] = {w->steer / GR_DEGREE,
                                 w->slip,
                                 w->slip_angle / GR_DEGREE,
                                 w->slip_angle_plan / GR_DEGREE,
                                 w->side_force,
                                 w->torque,
                                 w->sinkage};
        gr_trial_cell(report, turn->def.radius);
        gr_trial_cell_text(report, rover->wheels[i].name);
        gr_trial_cells(report, values, sizeof values / sizeof values[0]);
    }
}

/// Adds the numbers of the first turn as facts, and a sentence for every turn.
static void add_facts(const Turn *turn, GrTrialReport *report)
{
    const GrTurnResult *r = &turn->result;
    gr_trial_fact_text(report, "mode", "mode", gr_drive_mode_name(r->mode));
    gr_trial_fact_text(report, "outcome", "outcome", gr_trial_outcome_name(r->outcome));
    gr_trial_fact(report, "turned_deg", "turned", "°", 1, r->turned / GR_DEGREE);
    gr_trial_fact(report, "time_s", "in", "s", 1, r->time);
    gr_trial_fact(report, "radius_commanded_m", "radius, commanded", "m", 1, turn->def.radius);
    gr_trial_fact(report, "radius_plan_m", "radius, within steering limits", "m", 1, r->radius_plan);
    gr_trial_fact(report, "radius_m", "radius, achieved", "m", 1, r->radius);
    gr_trial_fact(report, "yaw_rate_plan_deg_per_s", "yaw rate, commanded", "°/s", 1, r->yaw_rate_plan / GR_DEGREE);
    gr_trial_fact(report, "yaw_rate_deg_per_s", "yaw rate, achieved", "°/s", 1, r->yaw_rate / GR_DEGREE);
    gr_trial_fact(report, "drift_m", turn->def.radius == 0 ? "drift of the centre" : "", "mm", 1000, r->drift);
    gr_trial_compared(
        report, gr_trial_fact(report, "energy_per_degree_J", "energy per degree", "J", 1, r->energy_per_degree), -1, 0);
    gr_trial_compared(report, gr_trial_fact(report, "peak_torque_Nm", "torque, peak", "N m", 1, r->torque), -1, 0);
    gr_trial_verdict(report, "Turns at %.3g of the commanded rate for %.4g J per degree%s%s.",
                     r->yaw_rate / r->yaw_rate_plan, r->energy_per_degree, r->outcome == GR_TRIAL_DONE ? "" : "; ",
                     r->outcome == GR_TRIAL_DONE ? "" : gr_trial_outcome_text(r->outcome));
}

static void add_curves(const Turn *turn, GrTrialReport *report)
{
    const int path = gr_trial_panel(report, "Path of the chassis", "x [m]", "y [m]");
    gr_trial_log_curve(report, path, &turn->samples, GR_TRIAL_AHEAD, 1, (GrTrialCurve){GR_TRIAL_ASIDE, "", 1});
    static const struct {
        const char *title, *label;
        GrTrialQuantity quantity;
        double scale;
    } kinds[] = {{"Yaw rate", "ω [°/s]", GR_TRIAL_YAW_RATE, 1 / GR_DEGREE},
                 {"Largest torque of the wheels", "torque [N m]", GR_TRIAL_TORQUE, 1},
                 {"Power of all motors", "power [W]", GR_TRIAL_POWER, 1}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const int panel = gr_trial_panel(report, kinds[k].title, "time [s]", kinds[k].label);
        gr_trial_log_curve(report, panel, &turn->samples, GR_TRIAL_TIME, 1,
                           (GrTrialCurve){kinds[k].quantity, "", kinds[k].scale});
    }
}

static GrStatus run_turn(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrTrialWatch watch = {.count = 1};
    GrTrialDef def = gr_trial_watched(input, &watch);
    Turn turn = {.def = gr_default_turn_def()};
    GrStatus status = read_mode(input, &turn.def.mode, log);
    turn.def.radius = gr_trial_number(input, "radius");
    turn.def.speed = gr_trial_number(input, "speed");
    turn.def.angle = GR_DEGREE * gr_trial_number(input, "angle");
    turn.def.skid_factor = gr_trial_number(input, "skid-factor");
    turn.def.limit = gr_trial_number(input, "limit");
    def.slope = GR_DEGREE * gr_trial_number(input, "slope");
    def.heading = GR_DEGREE * gr_trial_number(input, "heading");
    if (status == GR_OK) {
        status = gr_trial_turn(&def, &turn.def, &turn.samples, &turn.result, log);
        gr_progress_end(&watch.bar);
    }
    if (status == GR_OK) {
        gr_trial_begin(input, turn.def.radius == 0 ? "Point turn" : "Turning circle", report);
        add_facts(&turn, report);
        add_columns(report);
        add_rows(def.rover, &turn, report);
        add_curves(&turn, report);
    }
    gr_trial_log_free(&turn.samples);
    return status;
}

const GrTrialKind gr_kind_turn = {
    .name = "turn",
    .summary = "point turn, or turning circle: radius, slip, side forces, energy per degree",
    .details = "The rover turns by an angle, on the spot (radius 0) or on a circle; positive radii turn left.\nSlip "
               "angle 'as commanded': what each wheel would have if the rover moved exactly as commanded.",
    .example = "  grouser test turn curiosity_like --gravity mars\n"
               "  grouser test turn rashid_like --radius 2 --angle 90 --html turn.html",
    .step_ms = "5",
    .dynamic = true,
    .options =
        {
            {"radius", "M", "0", "turning radius [m]; 0: on the spot", -1e4, 1e4},
            {"angle", "DEG", "180", "angle to turn [°]", 1, 3600},
            {"speed", "M/S", "0.05", "on the circle, or of the outermost wheel on the spot [m/s]", 1e-4, 20},
            {"mode", "MODE", NULL, "drive mode (default: the rover's best)", 0, 0},
            {"skid-factor", "K", "1", "widens the commanded turn of a rover that skids", 0.1, 10},
            {"slope", "DEG", "0", "slope of the ground [°]", -60, 60},
            {"heading", "DEG", "0", "between heading and uphill at the start [°]", -360, 360},
            {"limit", "S", "600", "longest simulated time [s]", 1, 1e5},
        },
    .run = run_turn,
};
