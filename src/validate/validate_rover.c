/// Whole rovers: slip against slope, loads and heights at rest.
#include "alloc.h"
#include "carriage.h"
#include "elementary.h"
#include "find.h"
#include "fit.h"
#include "grouser/analysis.h"
#include "grouser/soil_file.h"
#include "measured.h"
#include "number.h"
#include "scenario_data.h"
#include "validate.h"

#include <math.h>
#include <stdio.h>

static GrStatus load_rover(const char *name, const char *const *overrides, GrRoverDef *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    *out = gr_default_rover_def();
    const GrStatus status = gr_find_file("rovers", "rover", name, path, log);
    return status == GR_OK ? gr_rover_load(path, overrides, out, log) : status;
}

/// Slips at the measured slopes; NAN where it tips over, stalls or does not settle.
static GrStatus climb(const GrRoverDef *rover, const GrSoilDef *soil, const double *slopes, int count, double *slips,
                      GrErrorLog *log)
{
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    GrStatus status = GR_OK;
    def.rover = rover;
    def.soil = soil;
    def.speed = 0.8 * 0.25; // 0.8 rad/s on wheels of 0.25 m
    for (int i = 0; i < count && status == GR_OK; i++) {
        GrSteadyDrive result;
        def.slope = slopes[i] * GR_DEGREE;
        status = gr_steady_drive(&def, &result, log);
        const bool moves =
            result.outcome == GR_DRIVE_STEADY || result.outcome == GR_DRIVE_STUCK || result.outcome == GR_DRIVE_SLIDES;
        slips[i] = moves ? result.slip : (double)NAN; // above 1 when it slides back
    }
    return status;
}

static void draw_climb(GrFindings *out, const double *slopes, const double *slips, int count, bool measured)
{
    GrFindingCurve curve = {.x_label = "slope [°]", .y_label = "slip [-]", .measured = measured};
    snprintf(curve.panel, sizeof curve.panel, "Slip against slope");
    gr_findings_curve(out, &curve, slopes, slips, count);
}

/// The rover of the slope laboratory: the suspension of viper_like with a mass of 73 kg.
static const char *const MGRU3[] = {"params.total_mass=73", "params.wheel_mass=5",    "params.steer_mass=1",
                                    "params.arm_mass=1",    "params.gravity=9.80665", NULL};

typedef struct Climb {
    GrMeasured table; ///< slope [°], slip
    GrRoverDef rover;
    GrSoilDef soil;
} Climb;

static GrStatus load_climb(const char *soil, const char *const *soil_overrides, Climb *c, GrErrorLog *log)
{
    static const char *const columns[] = {"slope_deg", "slip"};
    *c = (Climb){.rover = gr_default_rover_def()};
    GrStatus status = gr_measured_load("mgru3_grc1_2021", columns, 2, &c->table, log);
    status = status == GR_OK ? load_rover("viper_like", MGRU3, &c->rover, log) : status;
    return status == GR_OK ? gr_soil_load(soil, soil_overrides, &c->soil, NULL, log) : status;
}

static void free_climb(Climb *c)
{
    gr_rover_free(&c->rover);
    gr_measured_free(&c->table);
}

enum { SLOPES = 6 };

/// `bounds`: recorded deviations of the slopes; 0: none.
static GrStatus add_climb(GrFindings *out, const Climb *c, const double bounds[SLOPES], const char *reason,
                          GrErrorLog *log)
{
    const double *slopes = gr_measured_column(&c->table, 0), *measured = gr_measured_column(&c->table, 1);
    const int count = c->table.count < SLOPES ? c->table.count : SLOPES;
    double slips[SLOPES];
    const GrStatus status = climb(&c->rover, &c->soil, slopes, count, slips, log);
    for (int i = 0; i < count && status == GR_OK; i++) {
        gr_findings_add(out, measured[i], slips[i], 0.07, "slip on a slope of %.1f°", slopes[i]);
        if (bounds[i] > 0) {
            gr_findings_known(out, bounds[i], reason);
        }
    }
    if (status == GR_OK) {
        draw_climb(out, slopes, measured, count, true);
        draw_climb(out, slopes, slips, count, false);
    }
    return status;
}

/// The climb of the rover on a soil with the values of `soil_overrides` replaced.
static GrStatus run_mgru3(const char *soil, const char *const *soil_overrides, const double bounds[SLOPES],
                          const char *reason, GrFindings *out, GrErrorLog *log)
{
    Climb c;
    GrStatus status = load_climb(soil, soil_overrides, &c, log);
    status = status == GR_OK ? add_climb(out, &c, bounds, reason, log) : status;
    free_climb(&c);
    return status;
}

static GrStatus run_mgru3_virtual(GrFindings *out, GrErrorLog *log)
{
    static const double bounds[SLOPES] = {0, 0, 0.15, 0.45, 0.77, 0.89};
    return run_mgru3("grc1_virtual", NULL, bounds,
                     "the only published Bekker set of GRC-1 was fitted to particles, not to soil, and its shear "
                     "modulus of 3 mm leaves next to no slip",
                     out, log);
}

/// Strength of the loosest bed (preparation 1) in the public inputs of the source's simulations.
static const char *const LOOSEST[] = {"c_Pa=0", "phi_deg=33.4", NULL};

static GrStatus run_mgru3_strength(GrFindings *out, GrErrorLog *log)
{
    static const double bounds[SLOPES] = {0, 0, 0.15, 0.44, 0.75, 0.78};
    return run_mgru3("grc1_virtual", LOOSEST, bounds,
                     "no measured pressure-sinkage set and no shear modulus of GRC-1 are published; those of "
                     "the virtual soil are used",
                     out, log);
}

static GrStatus run_mgru3_rft(GrFindings *out, GrErrorLog *log)
{
    static const double bounds[SLOPES] = {0, 0, 0, 0.26, 0.24, 0.13};
    return run_mgru3(
        "grc1_loose_rft", NULL, bounds,
        "grains alone, from density and friction angle: the pull rises with slip, but levels off where the "
        "measured one goes on",
        out, log);
}

#ifdef GR_WITH_NLOPT
/// Fits parameters so that one wheel with a quarter of the rover's weight has the pull that each slope requires, at the
/// measured slip. `role`: which slopes are used.
static GrStatus fit_climb(Climb *c, const char *const *params, int param_count, const unsigned char role[SLOPES],
                          GrErrorLog *log)
{
    const GrWheelDef *wheel = &c->rover.wheels[0];
    const double weight = 73 * 9.80665 / 4;
    GrWheelDatum points[SLOPES];
    const int count = c->table.count < SLOPES ? c->table.count : SLOPES;
    for (int i = 0; i < count; i++) {
        const double slope = gr_measured_column(&c->table, 0)[i] * GR_DEGREE;
        points[i] = (GrWheelDatum){.value = {[GR_SLIP] = gr_measured_column(&c->table, 1)[i],
                                             [GR_SINKAGE] = (double)NAN,
                                             [GR_FX] = weight * gr_sin(slope),
                                             [GR_FY] = (double)NAN,
                                             [GR_FZ] = weight * gr_cos(slope),
                                             [GR_TORQUE] = (double)NAN}};
    }
    const GrWheelData data = {
        .items = points, .count = count, .has = {[GR_SLIP] = true, [GR_FX] = true, [GR_FZ] = true}};
    GrFitDef def = gr_default_fit_def();
    GrFitResult result;
    def.rig = gr_default_rig_def();
    def.rig.soil = c->soil;
    def.rig.wheel.radius = wheel->radius;
    def.rig.wheel.width = wheel->width;
    def.rig.wheel.grouser_count = wheel->grouser_count;
    def.rig.wheel.grouser_height = wheel->grouser_height;
    def.rig.wheel.grouser_thickness = wheel->grouser_thickness;
    def.rig.wheel.grousers = wheel->grouser_lugs ? GR_GROUSER_LUGS : GR_GROUSER_RADIUS;
    def.data = &data;
    def.role = role;
    def.param_count = param_count;
    GrStatus status = GR_OK;
    for (int i = 0; i < param_count && status == GR_OK; i++) {
        status = gr_fit_param_find(params[i], &def.params[i], log);
    }
    status = status == GR_OK ? gr_fit_soil(&def, &result, log) : status;
    if (status == GR_OK) {
        c->soil = result.soil;
    }
    return status;
}

static GrStatus run_mgru3_fitted(GrFindings *out, GrErrorLog *log)
{
    static const double bounds[SLOPES] = {0, 0, 0, 0.15, 0.22, 0.19};
    static const unsigned char all[SLOPES] = {GR_FIT_USED};
    static const char *const params[] = {"K_x"};
    Climb c;
    GrStatus status = load_climb("grc1_virtual", LOOSEST, &c, log);
    status = status == GR_OK ? fit_climb(&c, params, 1, all, log) : status;
    if (status == GR_OK) {
        status = add_climb(out, &c, bounds,
                           "measured, the slip rises steeply from 10° and the rover still climbs at 25° and slip 0.88; "
                           "the law has one exponential rise to the strength of the soil",
                           log);
    }
    free_climb(&c);
    return status;
}

/// Grousers push their own wedges, and the wheel digs: shear modulus, D_max and j0 are fitted to the slopes of 0, 5,
/// 15 and 25°; 10 and 20° are held back.
static GrStatus run_mgru3_digging(GrFindings *out, GrErrorLog *log)
{
    static const double bounds[SLOPES] = {0, 0, 0.081, 0.108, 0.22, 0.13};
    static const unsigned char role[SLOPES] = {GR_FIT_USED, GR_FIT_USED, GR_FIT_HELD,
                                               GR_FIT_USED, GR_FIT_HELD, GR_FIT_USED};
    static const char *const params[] = {"K_x", "slip_sinkage_max", "slip_sinkage_length"};
    Climb c;
    GrStatus status = load_climb("grc1_virtual", LOOSEST, &c, log);
    for (int i = 0; i < c.rover.wheel_count && status == GR_OK; i++) {
        c.rover.wheels[i].grouser_lugs = true;
    }
    c.soil.density = 1660;          // of the same bed
    c.soil.slip_sinkage_max = 0.05; // where the search begins
    c.soil.slip_sinkage_length = 0.5;
    status = status == GR_OK ? fit_climb(&c, params, 3, role, log) : status;
    if (status == GR_OK) {
        char note[96];
        gr_print(note, sizeof note, "K_x %.3g m, D_max %.3g m, j0 %.3g m", c.soil.shear_x, c.soil.slip_sinkage_max,
                 c.soil.slip_sinkage_length);
        status = add_climb(
            out, &c, bounds,
            "the measured pull rises fast to 0.27 of the load, slowly up to slip 0.7, and fast again; a soil of 33.4° "
            "pulls more than that at slips of 0.4 to 0.75, whatever K, D_max and j0 are",
            log);
        gr_findings_note(out, note);
    }
    free_climb(&c);
    return status;
}
#endif

/// Slip of four equal wheels by the steady formulas, against the whole rover.
static GrStatus run_static_climb(GrFindings *out, GrErrorLog *log)
{
    static const double slopes[] = {-5, 0, 5, 10, 15, 20}, gravities[] = {9.80665, 1.62};
    GrRoverDef rover;
    const GrSoilDef soil = gr_default_soil_def();
    GrStatus status = load_rover("rashid_like", NULL, &rover, log);
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = &rover;
    def.soil = &soil;
    for (int i = 0; i < 12 && status == GR_OK; i++) {
        GrSteadyDrive result;
        GrSoilWheel wheel;
        def.gravity = gravities[i / 6];
        def.slope = slopes[i % 6] * GR_DEGREE;
        GrSoilWheelDef wheel_def = gr_default_soil_wheel_def();
        wheel_def.radius = rover.wheels[0].radius;
        wheel_def.width = rover.wheels[0].width;
        wheel_def.grouser_count = rover.wheels[0].grouser_count;
        wheel_def.grouser_height = rover.wheels[0].grouser_height;
        wheel_def.gravity = def.gravity;
        status = gr_soil_wheel_prepare(&soil, &wheel_def, &wheel, log);
        status = status == GR_OK ? gr_steady_drive(&def, &result, log) : status;
        if (status == GR_OK) {
            const double weight = 10 * def.gravity / 4; // of the rover's 10 kg, on one of four wheels
            gr_findings_check(out, gr_slip_for_pull(&wheel, weight * gr_cos(def.slope), weight * gr_sin(def.slope)),
                              result.outcome == GR_DRIVE_STEADY ? result.slip : (double)NAN, 0.02,
                              "slip on a slope of %g°, %.3g m/s²", slopes[i % 6], def.gravity);
        }
    }
    gr_rover_free(&rover);
    return status;
}

/// Stance of a rover on a rigid plane, and its lightest and heaviest loaded wheel.
static GrStatus stand(const GrRoverDef *rover, double gravity, GrStance *stance, double *least, double *most,
                      GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    options.gravity.z = -gravity;
    GrModel *m = NULL;
    gr_model_create(rover, &options, &m, log);
    GrData *d = NULL;
    if (m != NULL) {
        gr_data_create(m, &d, NULL);
    }
    double *loads = d != NULL ? gr_calloc((size_t)rover->wheel_count + 1, sizeof *loads) : NULL;
    GrStatus status = loads != NULL ? gr_stand_on_plane(m, d, loads, stance, log) : GR_ERROR_MODEL;
    *least = (double)INFINITY;
    *most = 0;
    for (int i = 0; i < rover->wheel_count && status == GR_OK; i++) {
        *least = fmin(*least, loads[i]);
        *most = fmax(*most, loads[i]);
    }
    gr_free(loads);
    gr_data_free(d);
    gr_model_free(m);
    return status;
}

static GrStatus run_lrv_loads(GrFindings *out, GrErrorLog *log)
{
    static const char *const overrides[] = {"params.payload=4*259/1.62 - empty_mass", NULL};
    GrRoverDef rover;
    GrStance stance;
    double least, most;
    GrStatus status = load_rover("lrv_like", overrides, &rover, log);
    status = status == GR_OK ? stand(&rover, 1.62, &stance, &least, &most, log) : status;
    if (status == GR_OK) {
        gr_findings_add(out, 259, least, 0.5, "load of the lightest wheel at rest on the Moon [N]");
        gr_findings_add(out, 259, most, 0.5, "load of the heaviest wheel at rest on the Moon [N]");
    }
    gr_rover_free(&rover);
    return status;
}

static GrStatus run_el_dorado(GrFindings *out, GrErrorLog *log)
{
    GrRoverDef rover;
    GrStance stance;
    double least, most;
    GrStatus status = load_rover("el_dorado2", NULL, &rover, log);
    status = status == GR_OK ? stand(&rover, 9.8, &stance, &least, &most, log) : status;
    if (status == GR_OK) {
        gr_findings_add(out, 22.355, stance.weight / 9.8, 0.0005, "mass [kg]");
        gr_findings_add(out, 316.55, 1000 * stance.clearance, 0.005, "height of the base at rest [mm]");
        gr_findings_known(out, 7.1,
                          "the source's base height puts the hubs 7 mm lower than its own wheel radius; the shipped "
                          "rover stands on its wheels");
        gr_findings_add(out, 211.53, 1000 * stance.com.z, 0.005, "height of the centre of mass at rest [mm]");
        gr_findings_known(out, 3.8,
                          "the same 7 mm, less 3.3 mm by which the source's centre of gravity is above the sum of its "
                          "parts");
    }
    gr_rover_free(&rover);
    return status;
}

/// Scout's parcours: contact objects of the rover, and cuboids.
static GrStatus run_scout(GrFindings *out, GrErrorLog *log)
{
    GrScenario *scenario = NULL;
    const GrStatus status = gr_scenario_load("parcours", NULL, &scenario, log);
    if (status != GR_OK) {
        return status;
    }
    int shapes = 0;
    for (int i = 0; i < scenario->rover.body_count; i++) {
        shapes += scenario->rover.bodies[i].shape_count;
    }
    gr_findings_add(out, 57, shapes, 0, "contact objects of scout_like");
    gr_findings_add(out, 38, scenario->part_count, 0, "cuboids of the scenario parcours");
    gr_findings_note(out, "their sizes and places are not published");
    gr_scenario_free(scenario);
    return GR_OK;
}

#define MGRU3_SOURCE                                                                                                   \
    "NASA Glenn slope laboratory 2021, rover MGRU3 on GRC-1 (digitised in sjtumsd/crm_sim_nasa_exp_scripts)"
#define MGRU3_ALLOWED                                                                                                  \
    "7 % slip: no scatter is published; this is what Oettershagen et al. 2023, 4.2 report for their own climbs"

static const GrValidationCase CASES[] = {
    {"rover/mgru3_virtual", "NASA Glenn 2021", MGRU3_SOURCE "; soil grc1_virtual", MGRU3_ALLOWED, run_mgru3_virtual,
     NULL},
    {"rover/mgru3_strength", "NASA Glenn 2021",
     MGRU3_SOURCE "; soil grc1_virtual with the measured strength of the loosest bed (33.4°, c = 0)", MGRU3_ALLOWED,
     run_mgru3_strength, NULL},
#ifdef GR_WITH_NLOPT
    {"rover/mgru3_fitted", "NASA Glenn 2021",
     MGRU3_SOURCE "; the same soil with the shear modulus fitted to these points", MGRU3_ALLOWED, run_mgru3_fitted,
     NULL},
    {"rover/mgru3_digging", "NASA Glenn 2021",
     MGRU3_SOURCE "; grousers as lugs, shear modulus and digging fitted to 0, 5, 15 and 25°", MGRU3_ALLOWED,
     run_mgru3_digging, NULL},
#endif
    {"rover/mgru3_rft", "NASA Glenn 2021", MGRU3_SOURCE "; soil grc1_loose_rft: density and friction angle alone",
     MGRU3_ALLOWED, run_mgru3_rft, NULL},
    {"rover/static_climb", "Kruuse 2023", "steady formulas of Kruuse 2023, a quarter of rashid_like on each wheel",
     "2 % slip: the loads of the wheels are not alike on a slope", run_static_climb, NULL},
    {"rover/scout_objects", "Buse et al. 2023", "Buse et al. 2023, 5.2: objects of the Scout rover and its parcours",
     "none: counts", run_scout, "5.2, figure 12"},
    {"rover/lrv_loads", "Akin, ENAE788X", "D. Akin, ENAE788X slides: 259 N on a wheel of the Lunar Roving Vehicle",
     "half a unit of the last digit", run_lrv_loads, NULL},
    {"rover/el_dorado2", "Terradyn 2007", "Terradyn (MoriokaReimen/Terradyn, after Ishigami 2007), El Dorado II",
     "half a unit of the last digit", run_el_dorado, NULL},
};

const GrValidationGroup gr_validate_rover = {CASES, sizeof CASES / sizeof CASES[0]};
