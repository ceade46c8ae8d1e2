/// The laws of a wheel on soft soil: independent quadratures and hand calculations.
#include "carriage.h"
#include "elementary.h"
#include "extras.h"
#include "grouser/soil_file.h"
#include "measured.h"
#include "validate.h"

#include <math.h>

static const double QUADRATURE = 3e-5; // relative accuracy of the laws' quadrature

/// The soil of Ishigami et al. 2007 under its wheel: r = 0.09 m, b = 0.11 m.
static GrStatus ishigami_wheel(double damping, GrSoilWheel *out, GrErrorLog *log)
{
    GrSoilDef soil;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def(); // is this wheel
    const GrStatus status = gr_soil_load("ishigami2007", NULL, &soil, NULL, log);
    soil.damping = damping;
    return status == GR_OK ? gr_soil_wheel_prepare(&soil, &wheel, out, log) : status;
}

static GrStatus run_check_table(GrFindings *out, GrErrorLog *log)
{
    static const struct {
        double angle, slip, sinkage, f_x, f_y, torque;
    } rows[] = {
        {5, 0.1, 15.08, 4.920, 13.125, 0.9021},
        {5, 0.8, 16.85, 27.705, 3.414, 3.2013},
        {15, 0.3, 15.58, 11.433, 22.469, 1.5578},
        {30, 0.5, 16.08, 14.245, 25.759, 1.8696},
    };
    GrSoilWheel w;
    GrStatus status = ishigami_wheel(0, &w, log);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == GR_OK; i++) {
        GrSoilSteady s;
        status = gr_soil_steady_load(&w, rows[i].slip, rows[i].angle * GR_DEGREE, 64.68, 0, &s, log);
        const struct {
            const char *name;
            double published, ours, digit;
        } figures[] = {{"sinkage [mm]", rows[i].sinkage, 1000 * s.sinkage, 0.01},
                       {"f_x [N]", rows[i].f_x, s.f_x, 0.001},
                       {"f_y [N]", rows[i].f_y, s.f_y, 0.001},
                       {"T [N m]", rows[i].torque, s.torque, 0.0001}};
        for (int k = 0; k < 4 && status == GR_OK; k++) {
            gr_findings_check(out, figures[k].published, figures[k].ours,
                              figures[k].digit / 2 + QUADRATURE * figures[k].published, "%s at β = %g°, s = %g",
                              figures[k].name, rows[i].angle, rows[i].slip);
        }
    }
    return status;
}

/// Largest deviation of the driven wheel from the steady formulas, relative to max(|steady|, 5 % of the load) [%].
static GrStatus drawn_deviation(const GrSoilWheel *w, double slip, double angle, double *worst, GrErrorLog *log)
{
    const double load = 64.68;
    GrSoilSteady s;
    const GrStatus status = gr_soil_steady_load(w, slip, angle, load, 0, &s, log);
    if (status != GR_OK) {
        return status;
    }
    const GrCarriage c = gr_carriage_drawn(w, slip, angle, load, 0.05, 0.005);
    const double got[] = {c.out.wrench[0], -c.out.wrench[1], -c.out.wrench[4] / w->radius};
    const double want[] = {s.f_x, s.f_y, s.torque / w->radius};
    *worst = 100 * fabs(c.h / s.sinkage - 1);
    for (int i = 0; i < 3; i++) {
        const double off = 100 * fabs(got[i] - want[i]) / fmax(fabs(want[i]), 0.05 * load);
        *worst = off > *worst ? off : *worst;
    }
    return GR_OK;
}

static GrStatus run_drawn(GrFindings *out, GrErrorLog *log)
{
    static const double angles[] = {5, 30}, slips[] = {0.1, 0.3, 0.5, 0.8};
    GrSoilWheel w;
    GrStatus status = ishigami_wheel(400, &w, log);
    for (int a = 0; a < 2; a++) {
        for (int i = 0; i < 4 && status == GR_OK; i++) {
            double worst = 0;
            status = drawn_deviation(&w, slips[i], angles[a] * GR_DEGREE, &worst, log);
            gr_findings_check(out, 0, worst, 0.03, "worst of f_x, f_y, T, h at β = %g°, s = %g, off [%%]", angles[a],
                              slips[i]);
        }
    }
    return status;
}

static GrStatus run_climb(GrFindings *out, GrErrorLog *log)
{
    static const double steps[] = {5, 10, 20, 50};
    const double mass = 6.6, gravity = 9.8, slope = 5 * GR_DEGREE;
    GrSoilWheel w;
    const GrStatus status = ishigami_wheel(400, &w, log);
    if (status != GR_OK) {
        return status;
    }
    const double weight = mass * gravity;
    gr_findings_check(out, 0.09730, gr_slip_for_pull(&w, weight * gr_cos(slope), weight * gr_sin(slope)), 1e-5,
                      "slip on a slope of 5°, steady formulas");
    for (int i = 0; i < 4; i++) {
        gr_findings_check(out, 0.09731, gr_carriage_climb(&w, mass, gravity, slope, 0.05, 1e-3 * steps[i]), 1e-5,
                          "slip on a slope of 5°, steps of %g ms", steps[i]);
    }
    return GR_OK;
}

static GrStatus run_parked(GrFindings *out, GrErrorLog *log)
{
    static const struct {
        double step; ///< [ms]
        int settle;  ///< [s]
    } rows[] = {{1, 20}, {2, 20}, {5, 20}, {10, 20}, {20, 20}, {1, 140}, {2, 140}};
    GrSoilWheel w;
    const GrStatus status = ishigami_wheel(400, &w, log);
    if (status != GR_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double creep = gr_carriage_creep(&w, 6.6, 9.80665, 10 * GR_DEGREE, rows[i].settle, 1e-3 * rows[i].step);
        gr_findings_check(out, 0, 1000 * creep, 1e-4, "creep on 10° from %d s on, in 60 s, steps of %g ms [mm]",
                          rows[i].settle, rows[i].step);
    }
    gr_findings_check(out, 44.5, gr_carriage_lets_go(&w, 6.6, 9.80665, 0.005) / GR_DEGREE, 0.5,
                      "slope at which it starts to slide [deg]");
    return GR_OK;
}

/// The wheel of the Lunar Roving Vehicle in the nominal lunar soil; φ = 0.576 rad as in the slides.
static GrStatus lrv_wheel(GrSoilLaw law, bool strength, GrSoilWheel *out, GrErrorLog *log)
{
    GrSoilDef soil;
    const GrStatus status = gr_soil_load("lunar_apollo", NULL, &soil, NULL, log);
    if (status != GR_OK) {
        return status;
    }
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.gravity = 1.62;
    wheel.radius = 0.813 / 2;
    wheel.width = 0.229;
    soil.law = law;
    soil.friction_angle = strength ? 0.576 : 0;
    soil.cohesion = strength ? soil.cohesion : 0;
    soil.density = 2472 / 1.62;
    soil.front_bulldozing = strength;
    return gr_soil_wheel_prepare(&soil, &wheel, out, log);
}

static GrStatus run_lrv(GrFindings *out, GrErrorLog *log)
{
    GrSoilWheel pressed, pushed; // with normal stress alone; with shear strength, for the wedge in front
    GrSoilSteady under_load, at_depth;
    GrStatus status = lrv_wheel(GR_SOIL_BEKKER, false, &pressed, log);
    status = status == GR_OK ? lrv_wheel(GR_SOIL_BEKKER, true, &pushed, log) : status;
    status = status == GR_OK ? gr_soil_steady_load(&pressed, 0, 0, 259, 0, &under_load, log) : status;
    if (status != GR_OK) {
        return status;
    }
    const double depth = 0.017311;
    double slope;
    gr_soil_steady(&pressed, 0, 0, depth, 0, &at_depth);
    const double pushes = gr_front_bulldozing(&pushed, depth, &slope);
    gr_findings_check(out, 17.311, 1000 * under_load.sinkage, 0.02 * 17.311, "sinkage under 259 N, recomputed [mm]");
    gr_findings_add(out, 15.1, 1000 * under_load.sinkage, 0.05, "sinkage under 259 N as the slides print it [mm]");
    gr_findings_known(out, 2.4, "the slides' own formula and numbers give 17.3 mm; 15.1 mm does not follow from them");
    gr_findings_check(out, 28.345, -at_depth.f_x, 0.0005 + QUADRATURE * 28.345,
                      "compaction at 17.311 mm, recomputed [N]");
    gr_findings_add(out, 28.3, -at_depth.f_x, 0.05, "compaction as the slides print it [N]");
    gr_findings_check(out, 33.366, pushed.wedge_c, 0.0005 * 33.366, "K_c of the front wedge, recomputed");
    gr_findings_check(out, 72.762, pushed.wedge_gamma, 0.0005 * 72.762, "K_γ of the front wedge, recomputed");
    gr_findings_check(out, 90.389, pushes, 0.0005 * 90.389, "bulldozing of a front wheel at 17.311 mm, recomputed [N]");
    gr_findings_add(out, 95, pushes, 0.5, "bulldozing of a front wheel as the slides print it [N]");
    gr_findings_known(out, 4.7, "the slides' own formula and numbers give 90.4 N; they print 95 N");
    return GR_OK;
}

/// Force on one plate, π R² (k_c/R + k_φ) z^n with the pressure that the laws use.
static void add_plate(GrFindings *out, const GrSoilWheel *w, double radius, const double *depth, const double *grid,
                      const double *particles, int count)
{
    const double area = GR_PI * radius * radius;
    double ours = 0, theirs = 0, mean = 0;
    for (int i = 0; i < count; i++) {
        const double force = area * w->pressure * gr_pow(depth[i] / w->pressure_length, w->soil.n0);
        gr_findings_add(out, grid[i], force, 0.005 + QUADRATURE * grid[i], "force on R = %g m at %g mm, grid [N]",
                        radius, 1000 * depth[i]);
        ours += (force - particles[i]) * (force - particles[i]);
        theirs += (grid[i] - particles[i]) * (grid[i] - particles[i]);
        mean += particles[i];
    }
    gr_findings_add(out, 100 * sqrt(theirs * count) / mean, 100 * sqrt(ours * count) / mean, 0.01,
                    "rms off the particles, R = %g m [%% of their mean]", radius);
}

static GrStatus run_plates(GrFindings *out, GrErrorLog *log)
{
    static const char *const columns[] = {"sinkage_m", "scm_r0.2_N", "scm_r0.3_N", "dem_r0.2_N", "dem_r0.3_N"};
    static const double radii[] = {0.2, 0.3};
    GrMeasured t;
    GrSoilDef soil;
    GrStatus status = gr_measured_load("virtual_plates", columns, 5, &t, log);
    status = status == GR_OK ? gr_soil_load("dem_virtual", NULL, &soil, NULL, log) : status;
    for (int k = 0; k < 2 && status == GR_OK; k++) {
        GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        GrSoilWheel w;
        wheel.width = radii[k];
        status = gr_soil_wheel_prepare(&soil, &wheel, &w, log);
        if (status == GR_OK) {
            add_plate(out, &w, radii[k], gr_measured_column(&t, 0), gr_measured_column(&t, 1 + k),
                      gr_measured_column(&t, 3 + k), t.count);
        }
    }
    gr_measured_free(&t);
    return status;
}

#define SLIDES "D. Akin, ENAE788X slides (University of Maryland), Lunar Roving Vehicle; Bekker 1969"

static const GrValidationCase CASES[] = {
    {"soil/check_table", "independent quadrature",
     "independent quadrature of Kruuse 2023 eqs. 2.3-2.12, 3.4-3.7; soil of Ishigami et al. 2007",
     "half a unit of the last digit that is printed, and 3e-5 for the quadrature", run_check_table, NULL},
    {"soil/drawn_wheel", "prototype", "prototype of the law with memory; steady formulas of Kruuse 2023",
     "0.03 %: what the prototype reached with steps of 5 ms", run_drawn, NULL},
    {"soil/free_climb", "prototype", "prototype of the law with memory, one wheel of 6.6 kg",
     "a unit of the last digit", run_climb, NULL},
    {"soil/parked_wheel", "prototype", "prototype of the law with memory; c and φ of the soil",
     "1e-4 mm: what the prototype crept; it let go between 44° and 45°", run_parked, NULL},
    {"soil/lrv_wheel", "Akin, ENAE788X", SLIDES,
     "sinkage 2 %: terms of order z/D that the closed form drops; wedge 0.05 %: four digits of the bearing factors; "
     "else half a unit of the last digit",
     run_lrv, NULL},
    {"soil/plates", "Zhang et al. 2024",
     "Zhang et al. 2024 (arXiv 2407.18903): plates on a deformable grid, and on particles",
     "half a unit of the last digit, and 3e-5", run_plates, NULL},
};

const GrValidationGroup gr_validate_soil = {CASES, sizeof CASES / sizeof CASES[0]};
