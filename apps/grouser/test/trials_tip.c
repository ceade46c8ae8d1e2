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
        snprintf(report->about, sizeof report->about, "%s, tilted; wheels do not slide", input->rover_name);
        gr_trial_fact(report, "com_height_m", "centre of mass over ground", "m", 1, tip.com_height);
        gr_trial_compared(
            report, gr_trial_fact(report, "least_tip_deg", "tips first at", "°", 1, worst->tip / GR_DEGREE), 1, 0);
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
    double speed; ///< wanted [m/s]
    double slope; ///< [rad]
    double friction;
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

// Where no speed tips the rover, the fastest drive is repeated on steeper ground, or, on hard ground, with more grip:
// a rover that slides cannot be thrown over.
enum { SEARCH_MOST = 40, SEARCH_USUAL = 10 };
static const double SLOPE_STEP = 5 * GR_DEGREE, SLOPE_MOST = 60 * GR_DEGREE, SLOPE_FINE = GR_DEGREE;
static const double FRICTION_STEP = 0.2, FRICTION_MOST = 3, FRICTION_FINE = 0.02;

static GrStatus drive_once(const GrTrialInput *input, const GrTrialDef *def, Drive *drive, GrErrorLog *log)
{
    drive->slope = def->slope;
    drive->friction = def->friction;
    return (gr_trial_flag(input, "brake") ? drive_brake : drive_turn)(input, def, drive, log);
}

/// Drives at the fastest speed on steeper ground, or with more grip, up to a roll-over, then halves the interval
/// before it. Ends where the rover does not even stand. The drives are appended.
static GrStatus search_rollover(const GrTrialInput *input, const GrTrialDef *base, double speed, Drive *drives,
                                int *count, GrErrorLog *log)
{
    const bool hard = base->soil == NULL;
    const double fine = hard ? FRICTION_FINE : SLOPE_FINE, most = hard ? FRICTION_MOST : SLOPE_MOST;
    double step = hard ? FRICTION_STEP : SLOPE_STEP, at = hard ? base->friction : base->slope;
    bool tipped = false;
    for (int i = 0; i < SEARCH_MOST && step >= fine && (tipped || at + step <= most); i++) {
        GrErrorLog quiet = {.quiet = true};
        GrTrialDef def = *base;
        Drive *drive = &drives[*count];
        *(hard ? &def.friction : &def.slope) = at + step;
        drive->speed = speed;
        const GrStatus status = drive_once(input, &def, drive, &quiet);
        if (status == GR_ERROR_MEMORY) {
            return gr_out_of_memory(log, NULL);
        }
        const bool over = status == GR_OK && drive->outcome == GR_TRIAL_TIPPED;
        if (status != GR_OK && !tipped) { // it does not stand there
            gr_trial_log_free(&drive->samples);
            *drive = (Drive){0};
            break;
        }
        ++*count;
        tipped = tipped || over;
        at += over ? 0 : step;
        step = tipped ? step / 2 : step;
    }
    return GR_OK;
}

static bool any_tips(const Drive *drives, int count)
{
    bool tips = false;
    for (int i = 0; i < count; i++) {
        tips = tips || drives[i].outcome == GR_TRIAL_TIPPED;
    }
    return tips;
}

/// The answer of the search, whose drives are those from `first` on.
static void say_search(const GrTrialDef *def, const Drive *drives, int first, int count, GrTrialReport *report)
{
    const bool hard = def->soil == NULL;
    double least = INFINITY, farthest = 0;
    for (int i = first; i < count; i++) {
        const double at = hard ? drives[i].friction : drives[i].slope / GR_DEGREE;
        least = drives[i].outcome == GR_TRIAL_TIPPED ? fmin(least, at) : least;
        farthest = fmax(farthest, at);
    }
    if (count == first) {
        return;
    }
    gr_trial_fact(report, hard ? "rollover_friction" : "rollover_slope_deg",
                  hard ? "rolls over with a friction of" : "rolls over on a slope of", hard ? "" : "°", 1,
                  isfinite(least) ? least : (double)NAN);
    if (isfinite(least) && hard) {
        gr_trial_verdict(report, "It slides instead; with a friction of %.3g it rolls over at %.3g m/s.", least,
                         drives[first].speed);
    } else if (isfinite(least)) {
        gr_trial_verdict(report, "On a slope of %.3g° it rolls over at %.3g m/s.", least, drives[first].speed);
    } else {
        gr_trial_verdict(report,
                         hard ? "Nor with a friction of %.3g: it does not roll over."
                              : "Nor on slopes of up to %.3g°, the steepest on which it stands.",
                         farthest);
    }
}

static void add_drives(const GrTrialDef *def, const Drive *drives, int given, int count, GrTrialReport *report)
{
    const int panel = gr_trial_panel(report, "Least load of a wheel", "time [s]", "load [N]");
    const int lean = gr_trial_panel(report, "Roll (right side down)", "time [s]", "roll [°]");
    int first = -1, tipped = -1;
    report->rows = "drives";
    gr_trial_column(report, "speed_m_per_s", "speed [m/s]", 1);
    gr_trial_column(report, "slope_deg", count > given && def->soil != NULL ? "slope [°]" : NULL, 1);
    gr_trial_column(report, "friction", count > given && def->soil == NULL ? "friction" : NULL, 1);
    gr_trial_column(report, "acceleration_m_per_s2", "acceleration, peak [m/s²]", 1);
    gr_trial_column(report, "quasi_static_deg", "as a tilt [°]", 1);
    gr_trial_column(report, "least_wheel_load_N", "wheel load, least [N]", 1);
    gr_trial_column(report, "roll_deg", "roll, peak [°]", 1);
    gr_trial_column(report, "pitch_deg", "pitch, peak [°]", 1);
    gr_trial_column_text(report, "outcome", "outcome");
    for (int i = 0; i < count; i++) {
        const Drive *d = &drives[i];
        const double tilt = fabs(d->slope) + atan(d->acceleration / def->gravity);
        const double values[] = {d->speed,
                                 d->slope / GR_DEGREE,
                                 d->friction,
                                 d->acceleration,
                                 tilt / GR_DEGREE,
                                 d->peaks.load_least,
                                 d->peaks.roll / GR_DEGREE,
                                 d->peaks.pitch / GR_DEGREE};
        char name[GR_TRIAL_TEXT];
        gr_trial_cells(report, values, sizeof values / sizeof values[0]);
        gr_trial_cell_name(report, gr_trial_outcome_name(d->outcome), gr_trial_outcome_text(d->outcome));
        snprintf(name, sizeof name, "%.4g m/s", d->speed);
        if (i < GR_TRIAL_CURVES) {
            gr_trial_log_curve(report, panel, &d->samples, GR_TRIAL_TIME, 1,
                               (GrTrialCurve){GR_TRIAL_LOAD_LEAST, name, 1});
            gr_trial_log_curve(report, lean, &d->samples, GR_TRIAL_TIME, 1,
                               (GrTrialCurve){GR_TRIAL_ROLL, name, 1 / GR_DEGREE});
        }
        if (i >= given) {
            continue;
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
    say_search(def, drives, given, count, report);
}

static GrStatus run_rollover(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    const bool brake = gr_trial_flag(input, "brake");
    GrTrialDef def = input->def;
    double *speeds;
    const int given = gr_trial_values(input, "speeds", 1, &speeds, log);
    int count = given;
    if (count <= 0) {
        return GR_ERROR_USAGE;
    }
    def.slope = GR_DEGREE * gr_trial_number(input, "slope");
    def.heading = (brake ? 180 : 90) * GR_DEGREE; // downhill; or sloping down to the right, the outside of a left turn
    Drive *drives = gr_calloc((size_t)count + SEARCH_MOST, sizeof *drives);
    GrStatus status = drives != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status != GR_OK) {
        gr_out_of_memory(log, NULL);
    }
    GrProgress progress = gr_progress_begin("rollover");
    double fastest = 0;
    for (int i = 0; i < given && status == GR_OK; i++) {
        drives[i].speed = speeds[i];
        fastest = fmax(fastest, speeds[i]);
        status = drive_once(input, &def, &drives[i], log);
        gr_progress_update(&progress, i + 1, given + SEARCH_USUAL);
    }
    if (status == GR_OK && !any_tips(drives, given) && !gr_trial_flag(input, "no-search")) {
        status = search_rollover(input, &def, fastest, drives, &count, log);
    }
    gr_progress_end(&progress);
    if (status == GR_OK) {
        gr_trial_begin(input, "Rollover", report);
        gr_trial_fact(report, "slope_deg", "slope", "°", 1, def.slope / GR_DEGREE);
        gr_trial_fact(report, "radius_m", brake ? "" : "radius", "m", 1,
                      brake ? (double)NAN : gr_trial_number(input, "radius"));
        add_drives(&def, drives, given, count, report);
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
    .details =
        "The rover drives circles to the left, on a slope that falls to its right at the start; or, with\n"
        "--brake, down the slope until its wheels stand at once. 'as a tilt': slope and acceleration together.\n"
        "If no speed tips it, the fastest drive is repeated on steeper ground, on hard ground with more friction,\n"
        "until it rolls over.",
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
            {"no-search", NULL, NULL, "do not search for what rolls it over", 0, 0},
        },
    .run = run_rollover,
};
