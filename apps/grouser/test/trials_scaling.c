/// grouser test scaling: the slip of a rover on another planet, of the test vehicle that the granular scaling laws ask
/// for, and of the rover that is lightened to its weight there.
#include "alloc.h"
#include "drive_sweep.h"
#include "law.h"
#include "soil_param.h"
#include "trials.h"

#include <math.h>
#include <string.h>

static const double SIMILAR = 0.01; // difference over slip up to which slips are called the same
static const double ROUNDED = 1e-4; // smaller differences are not reported

enum { ROVER, SCALED, OFFLOADED, VEHICLES };

/// The three vehicles and their drives.
typedef struct Scaling {
    const GrTrialInput *input;
    double to, length, speed; ///< gravity of the test, its lengths over the rover's, rim speed of the rover
    GrRoverScale scale;
    GrRoverDef scaled, offloaded;
    char names[VEHICLES][GR_TRIAL_TEXT];
    GrDriveSweep sweeps[VEHICLES];
} Scaling;

static double ratio_of_gravities(const Scaling *s)
{
    return s->to / s->input->def.gravity;
}

static GrStatus make_vehicles(Scaling *s, GrErrorLog *log)
{
    const GrRoverDef *rover = s->input->def.rover;
    s->scale = gr_granular_scale(s->length, ratio_of_gravities(s));
    const GrStatus status = gr_rover_scale(rover, &s->scale, &s->scaled, log);
    return status == GR_OK ? gr_rover_offload(rover, 1 / ratio_of_gravities(s), &s->offloaded, log) : status;
}

/// The test vehicle's drive is the rover's in its units, steps and windows included, so that nothing but the soil can
/// make them differ. The offloaded rover drives at the speed of the rover.
static void make_sweeps(Scaling *s, const double *slopes, int count)
{
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = s->input->def.rover;
    def.soil = s->input->def.soil;
    def.gravity = s->input->def.gravity;
    def.step = s->input->def.step;
    def.speed = s->speed;
    const GrSteadyDriveDef scaled = gr_steady_drive_scale(&def, &s->scale, &s->scaled);
    GrSteadyDriveDef offloaded = def;
    offloaded.rover = &s->offloaded;
    offloaded.gravity = s->to;
    offloaded.step *= sqrt(1 / ratio_of_gravities(s));
    const GrSteadyDriveDef *const defs[VEHICLES] = {&def, &scaled, &offloaded};
    static const char *const names[VEHICLES] = {"rover", "scaled test", "offloaded rover"};
    for (int v = 0; v < VEHICLES; v++) {
        snprintf(s->names[v], sizeof s->names[v], "%s, %.3g m/s²", names[v], defs[v]->gravity);
        s->sweeps[v] =
            (GrDriveSweep){.name = s->names[v], .def = *defs[v], .sign = 1, .values = slopes, .count = count};
    }
}

static double radius_of(const Scaling *s, int vehicle)
{
    return s->sweeps[vehicle].def.rover->wheels[0].radius;
}

static double slip_of(const Scaling *s, int vehicle, int i)
{
    const GrSteadyDrive *r = &s->sweeps[vehicle].results[i];
    return r->outcome == GR_DRIVE_STEADY ? r->slip : (double)NAN;
}

/// The slope at which a vehicle's slip differs most from the rover's; −1: none is driven steadily by both. `relative`:
/// over the rover's slip.
static int find_worst(const Scaling *s, int vehicle, bool relative, double *difference)
{
    int worst = -1;
    *difference = (double)NAN;
    for (int i = 0; i < s->sweeps[ROVER].count; i++) {
        const double slip = slip_of(s, ROVER, i), off = slip_of(s, vehicle, i) - slip;
        const double here = relative ? off / fabs(slip) : off;
        if (!isnan(here) && (worst < 0 || fabs(here) > fabs(*difference))) {
            worst = i;
            *difference = here;
        }
    }
    return worst;
}

/// Why a soil cannot be similar; NULL: no reason is known.
static const char *why_not(const Scaling *s)
{
    const GrSoilDef *soil = s->input->def.soil;
    if (gr_soil_ignores_gravity(soil)) {
        return "its moduli do not change with gravity (gravity_scaling: none)";
    }
    if (soil->cohesion > 0) {
        return "its cohesion does not change with gravity and size";
    }
    return !gr_law_has(soil->law, GR_LAW_GRAINS) && s->length != 1
               ? "its shear moduli are lengths that do not change with size"
               : NULL;
}

static void judge_scaled(const Scaling *s, GrTrialReport *report)
{
    double difference;
    const int worst = find_worst(s, SCALED, true, &difference);
    const char *reason = why_not(s);
    gr_trial_fact(report, "scaled_slip_difference", "largest difference of its slip, over the rover's", "%", 100,
                  fabs(difference));
    char size[48] = "the same size";
    if (s->length != 1) {
        snprintf(size, sizeof size, "%.4g times the size", s->length);
    }
    gr_trial_verdict(report, "A test vehicle under %.3g m/s² with %s, %.4g kg and rims at %.3g m/s", s->to, size,
                     s->input->mass * s->scale.mass, s->sweeps[SCALED].def.speed);
    if (worst < 0) {
        gr_trial_verdict(report, "cannot be compared: no slope is driven steadily by both.");
    } else if (fabs(difference) <= SIMILAR) {
        gr_trial_verdict(report, "has the slip of the rover to within %.2g %%.", 100 * fmax(ROUNDED, fabs(difference)));
    } else {
        gr_trial_verdict(report, "does not have the slip of the rover on this soil: it differs by up to %.3g %%%s%s.",
                         100 * fabs(difference), reason != NULL ? "; " : "", reason != NULL ? reason : "");
    }
}

static void judge_offloaded(const Scaling *s, GrTrialReport *report)
{
    double difference;
    const int worst = find_worst(s, OFFLOADED, false, &difference);
    gr_trial_fact(report, "offloaded_slip_difference", "largest difference of its slip", "%", 100, difference);
    if (worst < 0) {
        gr_trial_verdict(report, "The offloaded rover cannot be compared: no slope is driven steadily by both.");
        return;
    }
    const double slip = slip_of(s, ROVER, worst);
    const char *result = "shows the same";
    if (fabs(difference) > SIMILAR * fabs(slip)) {
        result = difference < 0 ? "is optimistic" : "is pessimistic";
    }
    gr_trial_verdict(
        report,
        "Offloaded to its weight (%.4g kg) it slips %.3g %% on %.3g°, where the rover slips %.3g %%: the usual "
        "test %s.",
        s->input->mass / ratio_of_gravities(s), 100 * slip_of(s, OFFLOADED, worst),
        s->sweeps[ROVER].values[worst] / GR_DEGREE, 100 * slip, result);
}

static void add_facts(const Scaling *s, GrTrialReport *report)
{
    const double force = s->scale.mass * s->scale.length / (s->scale.time * s->scale.time);
    gr_trial_fact(report, "rim_speed_m_per_s", "", "m/s", 1, s->speed);
    gr_trial_fact(report, "test_gravity_m_per_s2", "gravity of the test", "m/s²", 1, s->to);
    gr_trial_fact(report, "length_scale", "lengths of the test vehicle, over the rover's", "", 1, s->length);
    gr_trial_fact(report, "scaled_mass_kg", "its mass", "kg", 1, s->input->mass * s->scale.mass);
    gr_trial_fact(report, "scaled_wheel_radius_m", "its wheel radius", "mm", 1000, radius_of(s, SCALED));
    gr_trial_fact(report, "scaled_rim_speed_m_per_s", "its rim speed", "m/s", 1, s->sweeps[SCALED].def.speed);
    gr_trial_fact(report, "scaled_force_factor", "its forces, over the rover's", "", 1, force);
    gr_trial_fact(report, "scaled_torque_factor", "its torques (motors, suspension), over the rover's", "", 1,
                  force * s->length);
    judge_scaled(s, report);
    gr_trial_fact(report, "offloaded_mass_kg", "mass of the offloaded rover", "kg", 1,
                  s->input->mass / ratio_of_gravities(s));
    judge_offloaded(s, report);
    static const char *const keys[VEHICLES] = {"steepest_slope_deg", "scaled_steepest_slope_deg",
                                               "offloaded_steepest_slope_deg"};
    static const char *const labels[VEHICLES] = {"steepest slope, rover", "scaled test", "offloaded rover"};
    for (int v = 0; v < VEHICLES; v++) {
        gr_trial_fact(report, keys[v], labels[v], "°", 1, s->sweeps[v].most / GR_DEGREE);
        if (s->sweeps[v].all) {
            gr_trial_at_least(report);
        }
    }
}

static void add_table(const Scaling *s, GrTrialReport *report)
{
    gr_trial_column(report, "slope_deg", "slope [°]", 1);
    gr_trial_column(report, "slip", "slip [%]: rover", 100);
    gr_trial_column(report, "scaled_slip", "scaled", 100);
    gr_trial_column(report, "offloaded_slip", "offloaded", 100);
    gr_trial_column(report, "sinkage_over_radius", "sinkage/r: rover", 1);
    gr_trial_column(report, "scaled_sinkage_over_radius", "scaled", 1);
    gr_trial_column(report, "offloaded_sinkage_over_radius", "offloaded", 1);
    gr_trial_column(report, "torque_Nm", NULL, 1);
    gr_trial_column(report, "scaled_torque_Nm", NULL, 1);
    gr_trial_column(report, "offloaded_torque_Nm", NULL, 1);
    gr_trial_column(report, "warnings", NULL, 1);
    gr_trial_column(report, "scaled_warnings", NULL, 1);
    gr_trial_column(report, "offloaded_warnings", NULL, 1);
    gr_trial_column_text(report, "outcome", "outcome: rover");
    gr_trial_column_text(report, "scaled_outcome", "scaled");
    gr_trial_column_text(report, "offloaded_outcome", "offloaded");
    for (int i = 0; i < s->sweeps[ROVER].count; i++) {
        double cells[3][VEHICLES];
        gr_trial_cell(report, s->sweeps[ROVER].values[i] / GR_DEGREE);
        for (int v = 0; v < VEHICLES; v++) {
            const GrSteadyDrive *r = &s->sweeps[v].results[i];
            gr_drive_slip_cell(r, report);
            cells[0][v] = r->sinkage / radius_of(s, v);
            cells[1][v] = r->torque_mean;
            cells[2][v] = r->warnings;
        }
        for (int k = 0; k < 3 * VEHICLES; k++) {
            gr_trial_cell(report, cells[k / VEHICLES][k % VEHICLES]);
        }
        for (int v = 0; v < VEHICLES; v++) {
            const GrDriveOutcome outcome = s->sweeps[v].results[i].outcome;
            gr_trial_cell_name(report, gr_drive_outcome_name(outcome), gr_drive_outcome_text(outcome));
        }
    }
}

/// Draws only steady drives.
static void add_curves(const Scaling *s, GrTrialReport *report)
{
    const int count = s->sweeps[ROVER].count;
    const int panels[] = {gr_trial_panel(report, "Slip", "slope [°]", "slip [%]"),
                          gr_trial_panel(report, "Sinkage of the deepest wheel", "slope [°]", "sinkage / radius [-]")};
    double *x = gr_calloc(3 * (size_t)count, sizeof *x);
    if (x == NULL) {
        report->failed = true;
        return;
    }
    for (int v = 0; v < VEHICLES; v++) {
        for (int i = 0; i < count; i++) {
            const double slip = slip_of(s, v, i);
            x[i] = s->sweeps[v].values[i] / GR_DEGREE;
            x[count + i] = 100 * slip;
            x[2 * count + i] = isnan(slip) ? (double)NAN : s->sweeps[v].results[i].sinkage / radius_of(s, v);
        }
        // The test vehicle's curve lies on the rover's: points on a line show both.
        const GrSeriesKind kind = v == SCALED ? GR_SERIES_POINTS : GR_SERIES_LINE;
        gr_trial_curve(report, panels[0], s->names[v], kind, x, x + count, count);
        gr_trial_curve(report, panels[1], s->names[v], kind, x, x + 2 * (size_t)count, count);
    }
    gr_free(x);
}

static GrStatus run_scaling(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    Scaling s = {.input = input, .length = gr_trial_number(input, "scale"), .speed = gr_trial_number(input, "speed")};
    GrStatus status = gr_trial_gravity("to", gr_trial_text(input, "to"), &s.to, log);
    double *slopes;
    const int count = gr_trial_values(input, "slopes", GR_DEGREE, &slopes, log);
    if (count <= 0 || status != GR_OK) {
        gr_free(slopes);
        return GR_ERROR_USAGE;
    }
    status = make_vehicles(&s, log);
    if (status == GR_OK) {
        make_sweeps(&s, slopes, count);
        status = gr_drive_sweeps_run(input->kind->name, s.sweeps, VEHICLES, log);
    }
    if (status == GR_OK) {
        gr_trial_begin(input, "Scaling of a test to another gravity", report);
        const size_t used = strlen(report->about);
        snprintf(report->about + used, sizeof report->about - used, ", rims at %.4g m/s; tested under %.4g m/s²",
                 s.speed, s.to);
        add_facts(&s, report);
        add_table(&s, report);
        add_curves(&s, report);
    }
    for (int v = 0; v < VEHICLES; v++) {
        gr_free(s.sweeps[v].results);
    }
    gr_rover_free(&s.scaled);
    gr_rover_free(&s.offloaded);
    gr_free(slopes);
    return status;
}

const GrTrialKind gr_kind_scaling = {
    .name = "scaling",
    .summary = "which test on Earth shows the slip on another planet, and what an offloaded rover shows instead",
    .details =
        "The rover climbs slopes under the gravity --from. Under the gravity --to, two vehicles climb the same "
        "slopes:\n"
        "the one that the granular scaling laws ask for (lengths r, masses r³, speeds √(r g), and springs, dampers\n"
        "and motors to match), and the rover lightened to its weight under --from, as offloaded rovers are tested.",
    .example = "  grouser test scaling rashid_like --from moon --to earth --html scaling.html\n"
               "  grouser test scaling curiosity_like --from mars --scale 0.5 --slopes 0:16:5",
    .step_ms = "5",
    .soil = "grc1_loose_rft",
    .gravity = "from",
    .options =
        {
            {"from", "NAME|NUMBER", "moon", "gravity where the rover will drive: moon, mars, ... or m/s²", 0, 0},
            {"to", "NAME|NUMBER", "earth", "gravity of the test: earth, ... or m/s²", 0, 0},
            {"scale", "R", "1", "lengths of the test vehicle over the rover's", 0.01, 100},
            {"slopes", "A:B:N|LIST", "0:20:6", "slopes [°]; negative: down", -60, 60},
            {"speed", "M/S", "0.05", "rim speed of the rover [m/s]", -100, 100},
        },
    .run = run_scaling,
};
