/// grouser test coast, grouser test brake: from a speed to rest.
#include "alloc.h"
#include "out_of_memory.h"
#include "report.h"
#include "trials.h"

#include <math.h>

typedef struct Stop {
    GrStopDef def;
    GrStopResult result;
    GrTrialLog samples;
} Stop;

static void add_rows(const Stop *stops, int count, GrTrialReport *report)
{
    report->rows = "stops";
    gr_trial_column(report, "speed_m_per_s", "speed [m/s]", 1);
    gr_trial_column(report, "distance_m", "distance [m]", 1);
    gr_trial_column(report, "time_s", "time [s]", 1);
    gr_trial_column(report, "deceleration_m_per_s2", "deceleration [m/s²]", 1);
    gr_trial_column(report, "peak_deceleration_m_per_s2", "peak [m/s²]", 1);
    gr_trial_column(report, "slip", "slip [%]", 100);
    gr_trial_column(report, "drift_m", "drift [mm]", 1000);
    gr_trial_column(report, "resistance_N", "resistance [N]", 1);
    gr_trial_column(report, "energy_J", "energy [J]", 1);
    gr_trial_column(report, "soil_J", "to the ground [J]", 1);
    gr_trial_column(report, "residual_J", NULL, 1);
    gr_trial_column(report, "airborne", "without contact", 1);
    gr_trial_column(report, "hop_m", "hop [mm]", 1000);
    gr_trial_column(report, "peak_wheel_load_N", NULL, 1);
    gr_trial_column_text(report, "outcome", "outcome");
    for (int i = 0; i < count; i++) {
        const GrStopResult *r = &stops[i].result;
        const double values[] = {
            r->speed, r->distance,        r->time,   r->deceleration, r->deceleration_most, r->slip,
            r->drift, r->resistance,      r->energy, r->balance.soil, r->balance.residual,  r->airborne,
            r->hop,   r->peaks.wheel_load};
        gr_trial_cells(report, values, sizeof values / sizeof values[0]);
        gr_trial_cell_name(report, gr_trial_outcome_name(r->outcome), gr_trial_outcome_text(r->outcome));
    }
}

static void add_curves(const Stop *stops, int count, GrTrialReport *report)
{
    static const struct {
        const char *title, *label;
        GrTrialQuantity quantity;
        double scale;
    } kinds[] = {{"Speed", "speed [m/s]", GR_TRIAL_SPEED, 1},
                 {"Way", "x [m]", GR_TRIAL_AHEAD, 1},
                 {"Slip, mean of the wheels", "slip [%]", GR_TRIAL_SLIP, 100},
                 {"Load of the most heavily loaded wheel", "load [N]", GR_TRIAL_LOAD_MOST, 1}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const int panel = gr_trial_panel(report, kinds[k].title, "time [s]", kinds[k].label);
        for (int i = 0; i < count && i < GR_TRIAL_CURVES; i++) {
            char name[GR_TRIAL_TEXT];
            snprintf(name, sizeof name, "%.4g m/s", stops[i].def.speed);
            gr_trial_log_curve(report, panel, &stops[i].samples, GR_TRIAL_TIME, 1,
                               (GrTrialCurve){kinds[k].quantity, name, kinds[k].scale});
        }
    }
}

static void judge(const Stop *stops, int count, GrTrialReport *report)
{
    int stopped = 0;
    double longest = 0;
    for (int i = 0; i < count; i++) {
        stopped += stops[i].result.outcome == GR_TRIAL_DONE;
        longest = stops[i].result.distance > longest ? stops[i].result.distance : longest;
    }
    gr_trial_compared(
        report, gr_trial_fact(report, "longest_distance_m", "stopping distance, longest", "m", 1, longest), -1, 0);
    gr_trial_verdict(report, "Comes to rest in %d of %d, after %.4g m at most.", stopped, count, longest);
}

static GrStatus run_stops(const GrTrialInput *input, const char *title, const GrStopDef *base, GrTrialReport *report,
                          GrErrorLog *log)
{
    GrTrialDef def = input->def;
    double *speeds;
    const int count = gr_trial_values(input, "speeds", 1, &speeds, log);
    if (count <= 0) {
        return GR_ERROR_USAGE;
    }
    def.slope = GR_DEGREE * gr_trial_number(input, "slope");
    def.heading = GR_DEGREE * gr_trial_number(input, "heading");
    Stop *stops = gr_calloc((size_t)count, sizeof *stops);
    GrStatus status = stops != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status != GR_OK) {
        gr_out_of_memory(log, NULL);
    }
    GrProgress progress = gr_progress_begin(input->kind->name);
    for (int i = 0; i < count && status == GR_OK; i++) {
        stops[i].def = *base;
        stops[i].def.speed = speeds[i];
        status = gr_trial_stop(&def, &stops[i].def, &stops[i].samples, &stops[i].result, log);
        gr_progress_update(&progress, i + 1, count);
    }
    gr_progress_end(&progress);
    if (status == GR_OK) {
        gr_trial_begin(input, title, report);
        gr_trial_fact(report, "slope_deg", def.slope != 0 ? "slope" : "", "°", 1, def.slope / GR_DEGREE);
        gr_trial_fact(report, "heading_deg", "", "°", 1, def.heading / GR_DEGREE);
        judge(stops, count, report);
        add_rows(stops, count, report);
        add_curves(stops, count, report);
    }
    for (int i = 0; stops != NULL && i < count; i++) {
        gr_trial_log_free(&stops[i].samples);
    }
    gr_free(stops);
    gr_free(speeds);
    return status;
}

static GrStatus run_coast(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrStopDef base = gr_default_stop_def();
    base.motors = gr_trial_flag(input, "commanded");
    base.run_up = 0;
    base.rise = gr_trial_number(input, "rise");
    base.limit = gr_trial_number(input, "limit");
    return run_stops(input, "Coasting", &base, report, log);
}

static GrStatus run_brake(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    const double deceleration = gr_trial_number(input, "deceleration");
    GrStopDef base = gr_default_stop_def();
    base.deceleration = isnan(deceleration) ? (double)INFINITY : deceleration;
    base.run_up = gr_trial_number(input, "run-up");
    base.limit = gr_trial_number(input, "limit");
    return run_stops(input, "Braking", &base, report, log);
}

const GrTrialKind gr_kind_coast = {
    .name = "coast",
    .summary = "coast with free wheels: stopping distance, energy losses, lost contact",
    .details = "The rover starts rolling without slip and with its drive motors off; all of its energy goes to "
               "the\nground and to its joints. With --commanded the motors hold the wheels at zero speed instead.",
    .example = "  grouser test coast lrv_like --gravity moon --speeds 0.5,1,2\n"
               "  grouser test coast rashid_like --gravity phobos --speeds 0.1 --rise 0.02",
    .step_ms = "2",
    .dynamic = true,
    .options =
        {
            {"speeds", "A:B:N|LIST", "0.25,0.5,1", "initial speed [m/s]", 1e-3, 50},
            {"rise", "M/S", "0", "initial speed away from the ground [m/s]", -10, 10},
            {"commanded", NULL, NULL, "the motors hold the wheels at 0 instead of being off", 0, 0},
            {"slope", "DEG", "0", "slope of the ground [°]", -60, 60},
            {"heading", "DEG", "0", "between heading and uphill [°]; 180: downhill", -360, 360},
            {"limit", "S", "120", "longest simulated time [s]", 0.1, 1e5},
        },
    .run = run_coast,
};

const GrTrialKind gr_kind_brake = {
    .name = "brake",
    .summary = "brake to a stop: distance, deceleration, slip; level or downhill",
    .details = "The rover drives at a speed; then its wheels stop, at once or with a deceleration.",
    .example = "  grouser test brake lrv_like --gravity moon --speeds 1,2,3\n"
               "  grouser test brake rashid_like --slope 10 --heading 180 --deceleration 0.5",
    .step_ms = "2",
    .dynamic = true,
    .options =
        {
            {"speeds", "A:B:N|LIST", "0.25,0.5,1", "speed before braking [m/s]", 1e-3, 50},
            {"deceleration", "M/S2", NULL, "deceleration of the rims [m/s²] (default: they stop at once)", 1e-3, 1e3},
            {"run-up", "S", "2", "time driven before braking [s]", 0, 1e3},
            {"slope", "DEG", "0", "slope of the ground [°]", -60, 60},
            {"heading", "DEG", "180", "between heading and uphill [°]; 180: downhill", -360, 360},
            {"limit", "S", "120", "longest simulated time [s]", 0.1, 1e5},
        },
    .run = run_brake,
};
