/// grouser test tip: tip-over angle against direction; grouser test rollover: at speed.
#include "alloc.h"
#include "out_of_memory.h"
#include "report.h"
#include "trials.h"

#include <math.h>

static void add_rows(const GrTipResult *tip, GrTrialReport *report)
{
    report->rows = "directions";
    gr_trial_column(report, "direction_deg", "falls towards [°]", 1);
    gr_trial_column(report, "geometry_deg", "geometry [°]", 1);
    gr_trial_column(report, "lift_off_deg", "a wheel lifts [°]", 1);
    gr_trial_column(report, "tip_deg", "tips [°]", 1);
    for (int i = 0; i < tip->count; i++) {
        const GrTipPoint *p = &tip->points[i];
        gr_trial_cell(report, p->direction / GR_DEGREE);
        gr_trial_cell(report, p->geometry / GR_DEGREE);
        gr_trial_cell(report, p->lift_off / GR_DEGREE);
        gr_trial_cell(report, p->tip / GR_DEGREE);
    }
}

enum { RING = 73 };

/// Polar plot: angle as distance from the centre, with the forward direction up.
static void add_polar(const GrTipResult *tip, GrTrialReport *report)
{
    const int panel =
        gr_trial_panel(report, "Tip-over angle [°] against direction", "left ← → right [°]", "back ← → ahead [°]");
    double *x = gr_calloc(2 * (size_t)tip->count + 2, sizeof *x), most = 0;
    static const char *const names[] = {"geometry", "a wheel lifts", "tips"};
    if (x == NULL) {
        report->failed = true;
        return;
    }
    double *y = x + tip->count + 1;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i <= tip->count; i++) {
            const GrTipPoint *p = &tip->points[i < tip->count ? i : 0];
            const double angle = (k == 0 ? p->geometry : k == 1 ? p->lift_off : p->tip) / GR_DEGREE;
            x[i] = -angle * sin(p->direction);
            y[i] = angle * cos(p->direction);
            most = fmax(most, angle);
        }
        gr_trial_curve(report, panel, names[k], k == 0 ? GR_SERIES_DASHED : GR_SERIES_LINE_POINTS, x, y,
                       tip->count + 1);
    }
    gr_free(x);
    for (int ring = 15; ring < most + 15 && ring <= 90; ring += 15) {
        double ring_x[RING], ring_y[RING];
        for (int i = 0; i < RING; i++) {
            ring_x[i] = ring * cos(GR_DEGREE * 5 * i);
            ring_y[i] = ring * sin(GR_DEGREE * 5 * i);
        }
        gr_trial_curve(report, panel, "", GR_SERIES_DASHED, ring_x, ring_y, RING);
        GrTrialPanel *rings = &report->panels[panel];
        rings->series[rings->panel.series_count > 0 ? rings->panel.series_count - 1 : 0].color = GR_PLOT_GUIDE;
    }
    GrPanel *p = &report->panels[panel].panel;
    p->x_upper = p->y_upper = most + 10;
    p->x_lower = p->y_lower = -most - 10;
    report->square = true;
}

static GrStatus run_tip(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrTipResult tip;
    GrTrialWatch watch = {.count = 1};
    const GrTrialDef def = gr_trial_watched(input, &watch);
    const GrStatus status = gr_trial_tip(&def, (int)gr_trial_number(input, "directions"), &tip, log);
    gr_progress_end(&watch.bar);
    if (status == GR_OK) {
        const GrTipPoint *worst = &tip.points[0];
        for (int i = 0; i < tip.count; i++) {
            worst = tip.points[i].tip < worst->tip ? &tip.points[i] : worst;
        }
        gr_trial_begin(input, "Tip-over", report);
        snprintf(report->about, sizeof report->about, "%s, tilted on ground on which wheels do not slide",
                 input->rover_name);
        gr_trial_fact(report, "com_height_m", "centre of mass over ground", "m", 1, tip.com_height);
        gr_trial_fact(report, "least_tip_deg", "tips first at", "°", 1, worst->tip / GR_DEGREE);
        gr_trial_fact(report, "least_direction_deg", "", "°", 1, worst->direction / GR_DEGREE);
        gr_trial_verdict(report, "It tips first at %.3g°, when the ground falls towards %.4g° from ahead to the left.",
                         worst->tip / GR_DEGREE, worst->direction / GR_DEGREE);
        add_rows(&tip, report);
        add_polar(&tip, report);
    }
    gr_tip_free(&tip);
    return status;
}

const GrTrialKind gr_kind_tip = {
    .name = "tip",
    .summary = "static tip-over angle in all directions, from geometry and with the suspension moving",
    .details =
        "The ground is tilted in one direction after another until a wheel loses its load, and until the rover\ncannot "
        "stand. Wheels do not slide. 'geometry': centre of mass over the line between the outer wheels.",
    .example = "  grouser test tip curiosity_like --directions 16 --svg tip.svg",
    .step_ms = "5",
    .options =
        {
            {"directions", "N", "16", "number of directions", 1, 360},
        },
    .run = run_tip,
};

/// One drive at a speed.
typedef struct Drive {
    double speed;        ///< wanted [m/s]
    double acceleration; ///< largest to the side, or of the brake [m/s²]
    GrTrialPeaks peaks;
    GrTrialOutcome outcome;
    GrTrialLog samples;
} Drive;

static double largest_side(const GrTrialLog *samples)
{
    double most = 0;
    for (int i = 0; i < samples->count; i++) {
        const double *v = samples->rows[i].values;
        const double side = fabs(v[GR_TRIAL_SPEED] * v[GR_TRIAL_YAW_RATE]);
        most = side > most ? side : most;
    }
    return most;
}

static GrStatus drive_turn(const GrTrialInput *input, const GrTrialDef *def, Drive *drive, GrErrorLog *log)
{
    GrTurnDef turn = gr_default_turn_def();
    GrTurnResult result;
    turn.radius = gr_trial_number(input, "radius");
    turn.speed = drive->speed;
    turn.acceleration = gr_trial_number(input, "acceleration");
    turn.angle = 360 * GR_DEGREE;
    turn.limit = 120;
    const GrStatus status = gr_trial_turn(def, &turn, &drive->samples, &result, log);
    drive->peaks = result.peaks;
    drive->outcome = result.outcome;
    drive->acceleration = largest_side(&drive->samples);
    return status;
}

static GrStatus drive_brake(const GrTrialInput *input, const GrTrialDef *def, Drive *drive, GrErrorLog *log)
{
    GrStopDef stop = gr_default_stop_def();
    GrStopResult result;
    (void)input;
    stop.speed = drive->speed;
    const GrStatus status = gr_trial_stop(def, &stop, &drive->samples, &result, log);
    drive->peaks = result.peaks;
    drive->outcome = result.outcome;
    drive->acceleration = result.deceleration_most;
    return status;
}

static void add_drives(const GrTrialDef *def, const Drive *drives, int count, GrTrialReport *report)
{
    const int panel = gr_trial_panel(report, "Least load of a wheel", "time [s]", "F [N]");
    const int lean = gr_trial_panel(report, "Roll (right side down)", "time [s]", "roll [°]");
    int first = -1, tipped = -1;
    report->rows = "drives";
    gr_trial_column(report, "speed_m_per_s", "speed [m/s]", 1);
    gr_trial_column(report, "acceleration_m_per_s2", "acceleration, peak [m/s²]", 1);
    gr_trial_column(report, "quasi_static_deg", "as a tilt [°]", 1);
    gr_trial_column(report, "least_wheel_load_N", "wheel load, least [N]", 1);
    gr_trial_column(report, "roll_deg", "roll, peak [°]", 1);
    gr_trial_column(report, "pitch_deg", "pitch, peak [°]", 1);
    gr_trial_column_text(report, "outcome", "outcome");
    for (int i = 0; i < count; i++) {
        const Drive *d = &drives[i];
        const double tilt = fabs(def->slope) + atan(d->acceleration / def->gravity);
        const double values[] = {d->speed,
                                 d->acceleration,
                                 tilt / GR_DEGREE,
                                 d->peaks.load_least,
                                 d->peaks.roll / GR_DEGREE,
                                 d->peaks.pitch / GR_DEGREE};
        char name[GR_TRIAL_TEXT];
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            gr_trial_cell(report, values[k]);
        }
        gr_trial_cell_name(report, gr_trial_outcome_name(d->outcome), gr_trial_outcome_text(d->outcome));
        snprintf(name, sizeof name, "%.4g m/s", d->speed);
        if (i < GR_TRIAL_CURVES) {
            gr_trial_log_curve(report, panel, &d->samples, GR_TRIAL_TIME, 1,
                               (GrTrialCurve){GR_TRIAL_LOAD_LEAST, name, 1});
            gr_trial_log_curve(report, lean, &d->samples, GR_TRIAL_TIME, 1,
                               (GrTrialCurve){GR_TRIAL_ROLL, name, 1 / GR_DEGREE});
        }
        first = d->peaks.load_least <= 0 && (first < 0 || d->speed < drives[first].speed) ? i : first;
        tipped = d->outcome == GR_TRIAL_TIPPED && (tipped < 0 || d->speed < drives[tipped].speed) ? i : tipped;
    }
    gr_trial_fact(report, "lift_off_speed_m_per_s", "a wheel lifts at", "m/s", 1,
                  first >= 0 ? drives[first].speed : (double)NAN);
    gr_trial_fact(report, "tip_speed_m_per_s", "tips at", "m/s", 1, tipped >= 0 ? drives[tipped].speed : (double)NAN);
    if (tipped >= 0) {
        gr_trial_verdict(report, "It tips over at %.3g m/s.", drives[tipped].speed);
    } else {
        gr_trial_verdict(report, "It tips over at none of these speeds%s.", first >= 0 ? "; a wheel lifts off" : "");
    }
}

static GrStatus run_rollover(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    const bool brake = gr_trial_flag(input, "brake");
    GrTrialDef def = input->def;
    double *speeds;
    const int count = gr_trial_values(input, "speeds", 1, &speeds, log);
    if (count <= 0) {
        return GR_ERROR_USAGE;
    }
    def.slope = GR_DEGREE * gr_trial_number(input, "slope");
    def.heading = (brake ? 180 : 90) * GR_DEGREE; // downhill; or sloping down to the right, the outside of a left turn
    Drive *drives = gr_calloc((size_t)count, sizeof *drives);
    GrStatus status = drives != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status != GR_OK) {
        gr_out_of_memory(log, NULL);
    }
    GrProgress progress = gr_progress_begin("rollover");
    for (int i = 0; i < count && status == GR_OK; i++) {
        drives[i].speed = speeds[i];
        status = (brake ? drive_brake : drive_turn)(input, &def, &drives[i], log);
        gr_progress_update(&progress, i + 1, count);
    }
    gr_progress_end(&progress);
    if (status == GR_OK) {
        gr_trial_begin(input, "Rollover", report);
        gr_trial_fact(report, "slope_deg", "slope", "°", 1, def.slope / GR_DEGREE);
        gr_trial_fact(report, "radius_m", brake ? "" : "radius", "m", 1,
                      brake ? (double)NAN : gr_trial_number(input, "radius"));
        add_drives(&def, drives, count, report);
    }
    for (int i = 0; drives != NULL && i < count; i++) {
        gr_trial_log_free(&drives[i].samples);
    }
    gr_free(drives);
    gr_free(speeds);
    return status;
}

const GrTrialKind gr_kind_rollover = {
    .name = "rollover",
    .summary = "dynamic tip-over: in a turn at speed across a slope, or braking downhill",
    .details = "The rover drives circles to the left, on a slope that falls to its right at the start; or, with\n"
               "--brake, down the slope until its wheels stand at once. 'as a tilt': slope and acceleration together.",
    .example = "  grouser test rollover lrv_like --gravity moon --hard --speeds 1:4:7 --radius 4\n"
               "  grouser test rollover rashid_like --brake --slope 20 --speeds 0.5,1",
    .step_ms = "2",
    .dynamic = true,
    .options =
        {
            {"speeds", "A:B:N|LIST", "0.5:3:6", "commanded speed [m/s]", 1e-3, 50},
            {"radius", "M", "3", "turning radius [m]", 0.01, 1e4},
            {"acceleration", "M/S2", "0.5", "acceleration of the rims [m/s²]", 1e-3, 100},
            {"slope", "DEG", "0", "slope of the ground [°]", -60, 60},
            {"brake", NULL, NULL, "brake downhill instead of a turn", 0, 0},
        },
    .run = run_rollover,
};
