/// grouser test drop, grouser test skycrane.
#include "alloc.h"
#include "joint_kind.h"
#include "out_of_memory.h"
#include "report.h"
#include "trials.h"

#include <math.h>

typedef struct Fall {
    double height; ///< [m]
    GrDropDef def;
    GrDropResult result;
    GrTrialLog samples;
} Fall;

static const char *joint_name(const GrRoverDef *rover, int joint)
{
    for (int i = 0; i < rover->joint_count && joint >= 0; i++) { // axes of joints, in the order of the definition
        joint -= gr_joint_kind(rover->joints[i].kind)->axis_count;
        if (joint < 0) {
            return rover->joints[i].name;
        }
    }
    return "none";
}

static void add_rows(const GrRoverDef *rover, const Fall *falls, int count, GrTrialReport *report)
{
    report->rows = "drops";
    gr_trial_column(report, "height_m", "height [mm]", 1000);
    gr_trial_column(report, "contact_speed_m_per_s", "impact [m/s]", 1);
    gr_trial_column(report, "peak_wheel_load_N", "wheel load, peak [N]", 1);
    gr_trial_column(report, "peak_joint_force_N", "joint force, peak [N]", 1);
    gr_trial_column(report, "peak_joint_moment_Nm", "moment, peak [N m]", 1);
    gr_trial_column(report, "peak_acceleration_m_per_s2", "acceleration, peak [m/s²]", 1);
    gr_trial_column(report, "peak_deflection_m", "wheel deflection, peak [mm]", 1000);
    gr_trial_column(report, "rest_time_s", "to rest [s]", 1);
    gr_trial_column(report, "sinkage_m", "final sinkage [mm]", 1000);
    gr_trial_column(report, "bounce_m", "rise from lowest [mm]", 1000);
    gr_trial_column(report, "rest_load_N", "load at rest [N]", 1);
    gr_trial_column(report, "rear_peak_N", falls[0].def.rear ? "rear wheels, peak [N]" : NULL, 1);
    gr_trial_column(report, "rear_rest_N", falls[0].def.rear ? "rear wheels at rest [N]" : NULL, 1);
    gr_trial_column(report, "energy_kept", falls[0].def.rear ? "energy of the fall in motion [%]" : NULL, 100);
    gr_trial_column(report, "fall_error_m", NULL, 1);
    gr_trial_column(report, "tilt_deg", NULL, 1);
    gr_trial_column(report, "slide_m", NULL, 1);
    gr_trial_column_text(report, "joint_force_at", "joint");
    gr_trial_column_text(report, "outcome", "outcome");
    for (int i = 0; i < count; i++) {
        const GrDropResult *r = &falls[i].result;
        const double values[] = {falls[i].height,
                                 r->contact_speed,
                                 r->peaks.wheel_load,
                                 r->peaks.joint_force,
                                 r->peaks.joint_moment,
                                 r->peaks.acceleration,
                                 r->peaks.deflection,
                                 r->rest_time,
                                 r->rest_sinkage,
                                 r->bounce,
                                 r->rest_load,
                                 r->rear_peak,
                                 r->rear_rest,
                                 r->energy_kept,
                                 r->fall_error,
                                 fmax(r->peaks.roll, r->peaks.pitch) / GR_DEGREE,
                                 r->slide};
        gr_trial_cells(report, values, sizeof values / sizeof values[0]);
        gr_trial_cell_text(report, joint_name(rover, r->peaks.force_joint));
        gr_trial_cell_name(report, gr_trial_outcome_name(r->outcome), gr_trial_outcome_text(r->outcome));
    }
}

static void add_curves(const Fall *falls, int count, GrTrialReport *report)
{
    static const struct {
        const char *title, *label;
        GrTrialQuantity quantity;
        double scale;
    } kinds[] = {{"Load of all wheels", "load [N]", GR_TRIAL_LOAD, 1},
                 {"Acceleration measured by an IMU", "a [m/s²]", GR_TRIAL_FELT, 1},
                 {"Height of the chassis", "z [mm]", GR_TRIAL_HEIGHT, 1000},
                 {"Sinkage of the deepest wheel", "sinkage [mm]", GR_TRIAL_SINKAGE, 1000}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const int panel = gr_trial_panel(report, kinds[k].title, "time [s]", kinds[k].label);
        for (int i = 0; i < count && i < GR_TRIAL_CURVES; i++) {
            char name[GR_TRIAL_TEXT];
            snprintf(name, sizeof name, "%.4g mm", 1000 * falls[i].height);
            gr_trial_log_curve(report, panel, &falls[i].samples, GR_TRIAL_TIME, 1,
                               (GrTrialCurve){kinds[k].quantity, name, kinds[k].scale});
        }
    }
}

static void judge(const GrRoverDef *rover, const Fall *falls, int count, GrTrialReport *report)
{
    const GrDropResult *worst = &falls[0].result;
    int tipped = 0, rested = 0;
    for (int i = 0; i < count; i++) {
        const GrDropResult *r = &falls[i].result;
        worst = r->peaks.wheel_load > worst->peaks.wheel_load ? r : worst;
        tipped += r->outcome == GR_TRIAL_TIPPED;
        rested += r->outcome == GR_TRIAL_DONE;
    }
    gr_trial_fact(report, "weight_N", "weight", "N", 1, worst->weight);
    const bool rear = falls[0].def.rear;
    gr_trial_fact(report, "contact_expected_m_per_s",
                  rear ? "impact speed of the rear wheels without losses" : "impact speed, closed form", "m/s", 1,
                  worst->contact_expected);
    gr_trial_fact(report, "fall_bound_m", "", "m", 1, worst->fall_bound);
    if (rear) {
        const GrDropResult *hardest = worst;
        for (int i = 0; i < count; i++) {
            hardest = falls[i].result.rear_peak > hardest->rear_peak ? &falls[i].result : hardest;
        }
        gr_trial_verdict(report, "The %d rear wheels together: peak %.4g N, %.3g times their load at rest.",
                         hardest->rear_count, hardest->rear_peak, hardest->rear_peak / hardest->rear_rest);
    }
    gr_trial_verdict(report, "Largest wheel load %.4g N (%.3g times the weight) at wheel %s.", worst->peaks.wheel_load,
                     worst->peaks.wheel_load / worst->weight, rover->wheels[worst->peaks.wheel].name);
    if (tipped > 0) {
        gr_trial_verdict(report, "It tips over in %d of %d.", tipped, count);
    } else {
        gr_trial_verdict(report, "It comes to rest on its wheels in %d of %d.", rested, count);
    }
}

/// Warns about deflections beyond the range of the linear spring, where the loads are not realistic.
static void warn_flat(const GrRoverDef *rover, const Fall *falls, int count, GrErrorLog *log)
{
    for (int i = 0; i < count; i++) {
        const GrTrialPeaks *peaks = &falls[i].result.peaks;
        if (peaks->deflection_share > GR_DEFLECTION_LIMIT) {
            gr_warning_add(log, (GrLocation){.field = rover->name},
                           "from %.4g mm a wheel is deflected by %.3g mm, %.3g of its radius: beyond %g the linear "
                           "spring of a flexible wheel is not valid, and the peak loads are too low",
                           1000 * falls[i].height, 1000 * peaks->deflection, peaks->deflection_share,
                           GR_DEFLECTION_LIMIT);
        }
    }
}

static GrStatus run_falls(const GrTrialInput *input, const GrRoverDef *rover, Fall *falls, int count,
                          GrTrialReport *report, GrErrorLog *log)
{
    GrTrialWatch watch = {.count = count};
    GrTrialDef def = gr_trial_watched(input, &watch);
    def.rover = rover;
    GrStatus status = GR_OK;
    for (int i = 0; i < count && status == GR_OK; i++) {
        watch.done = i;
        status = gr_trial_drop(&def, &falls[i].def, &falls[i].samples, &falls[i].result, log);
    }
    gr_progress_end(&watch.bar);
    if (status == GR_OK) {
        warn_flat(rover, falls, count, log);
        judge(rover, falls, count, report);
        add_rows(rover, falls, count, report);
        add_curves(falls, count, report);
    }
    return status;
}

/// Drops from a list of heights, each with the motion of `base`.
static GrStatus run_heights(const GrTrialInput *input, const GrRoverDef *rover, const GrDropDef *base,
                            GrTrialReport *report, GrErrorLog *log)
{
    double *heights;
    const int count = gr_trial_values(input, "heights", 1e-3, &heights, log);
    if (count <= 0) {
        return GR_ERROR_USAGE;
    }
    Fall *falls = gr_calloc((size_t)count, sizeof *falls);
    GrStatus status = falls != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status != GR_OK) {
        gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < count && status == GR_OK; i++) {
        falls[i].height = heights[i];
        falls[i].def = *base;
        falls[i].def.height = heights[i];
    }
    if (status == GR_OK) {
        status = run_falls(input, rover, falls, count, report, log);
    }
    for (int i = 0; falls != NULL && i < count; i++) {
        gr_trial_log_free(&falls[i].samples);
    }
    gr_free(falls);
    gr_free(heights);
    return status;
}

static GrStatus run_drop(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrDropDef base = gr_default_drop_def();
    base.roll = GR_DEGREE * gr_trial_number(input, "roll");
    base.pitch = GR_DEGREE * gr_trial_number(input, "pitch");
    base.limit = gr_trial_number(input, "limit");
    base.rear = gr_trial_flag(input, "rear");
    if (base.rear && (gr_trial_flag(input, "wheel") || base.roll != 0 || base.pitch != 0)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--rear"},
                            "takes neither --wheel nor --roll nor --pitch: the rover stands on its other wheels");
    }
    gr_trial_begin(input, base.rear ? "Drop of the rear wheels" : "Drop", report);
    if (!gr_trial_flag(input, "wheel")) {
        return run_heights(input, input->def.rover, &base, report, log);
    }
    const double given = gr_trial_number(input, "wheel-mass");
    const double mass = isnan(given) ? input->mass / fmax(1, input->def.rover->wheel_count) : given;
    GrRoverDef wheel;
    GrStatus status = gr_trial_lone_wheel(input->def.rover, 0, mass, &wheel, log);
    if (status == GR_OK) {
        gr_trial_fact(report, "wheel_mass_kg", "one wheel with", "kg", 1, mass);
        status = run_heights(input, &wheel, &base, report, log);
        gr_rover_free(&wheel);
    }
    return status;
}

static GrStatus run_skycrane(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrDropDef base = gr_default_drop_def();
    base.velocity =
        (GrVec3){gr_trial_number(input, "along"), gr_trial_number(input, "across"), -gr_trial_number(input, "down")};
    base.roll = GR_DEGREE * gr_trial_number(input, "roll");
    base.pitch = GR_DEGREE * gr_trial_number(input, "pitch");
    base.limit = gr_trial_number(input, "limit");
    gr_trial_begin(input, "Skycrane touchdown", report);
    gr_trial_fact(report, "down_m_per_s", "released downwards at", "m/s", 1, -base.velocity.z);
    gr_trial_fact(report, "along_m_per_s", "ahead at", "m/s", 1, base.velocity.x);
    gr_trial_fact(report, "across_m_per_s", "to the left at", "m/s", 1, base.velocity.y);
    return run_heights(input, input->def.rover, &base, report, log);
}

const GrTrialKind gr_kind_drop = {
    .name = "drop",
    .summary = "drop from a height: peak loads of wheels and joints, time to rest, final sinkage",
    .details =
        "The rover, or with --wheel one wheel of it, falls from rest. Loads at rest must sum to the weight. With\n"
        "--rear the rear wheels alone are raised to the height and let go, while the others stand.",
    .example = "  grouser test drop rashid_like\n"
               "  grouser test drop curiosity_like --rear --hard\n"
               "  grouser test drop curiosity_like --wheel --wheel-mass 75 --heights 175,200,225 --html drop.html",
    .step_ms = "0.05",
    .dynamic = true,
    .options =
        {
            {"heights", "A:B:N|LIST", "175,200,225", "height of the lowest wheel over the ground [mm]", 0.1, 1e5},
            {"roll", "DEG", "0", "initial roll [°]", -90, 90},
            {"pitch", "DEG", "0", "initial pitch [°]", -90, 90},
            {"wheel", NULL, NULL, "the first wheel alone", 0, 0},
            {"rear", NULL, NULL, "the rear wheels alone fall; the others stand", 0, 0},
            {"wheel-mass", "KG", NULL, "mass on that wheel (default: its share of the rover)", 1e-3, 1e5},
            {"limit", "S", "30", "longest simulated time [s]", 0.1, 1e4},
        },
    .run = run_drop,
};

const GrTrialKind gr_kind_skycrane = {
    .name = "skycrane",
    .summary = "touchdown at speed and tilted: peak loads, tip-over or rest",
    .details = "The rover is released in flight with a velocity and a tilt; before contact it follows its parabola.",
    .example = "  grouser test skycrane curiosity_like --gravity mars --soil mars_dlr_drift --down 0.75 --along 0.5",
    .step_ms = "0.1",
    .dynamic = true,
    .options =
        {
            {"heights", "A:B:N|LIST", "500", "height of the lowest wheel at release [mm]", 0.1, 1e5},
            {"down", "M/S", "0.75", "velocity downwards [m/s]", -10, 50},
            {"along", "M/S", "0.5", "velocity ahead [m/s]", -50, 50},
            {"across", "M/S", "0", "velocity to the left [m/s]", -50, 50},
            {"roll", "DEG", "3", "initial roll [°]", -90, 90},
            {"pitch", "DEG", "3", "initial pitch [°]", -90, 90},
            {"limit", "S", "30", "longest simulated time [s]", 0.1, 1e4},
        },
    .run = run_skycrane,
};
