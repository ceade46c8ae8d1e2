/// Wheel traces, read off the map that a rolling wheel leaves behind.
#include "measured.h"
#include "trace.h"
#include "validate.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double CELL = 0.0025, LENGTH = 1.2, STEP = 1e-3; // of the map, the drive, one step of it [m]
static const int FROM = 40, TO = 400;                         // nodes of the centre line that are read

/// The wheel of Kamohara et al. 2024 rolls along x. The ruts are the caller's to free; NULL when memory is out.
static GrRuts *roll(double load, double slip)
{
    const GrTraceDef def = gr_default_trace_def();
    const GrSoilDef soil = gr_default_soil_def();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrRutsDef ruts_def = gr_default_ruts_def();
    GrTraceWheel trace;
    GrRutTrack track = {.count = 0};
    wheel.radius = def.radius;
    wheel.width = def.width;
    wheel.grouser_height = def.grouser_height;
    wheel.grouser_count = 14;
    ruts_def.cell = CELL;
    ruts_def.tile_capacity = 128;
    GrRuts *ruts = gr_ruts_create(&ruts_def, NULL);
    gr_trace_prepare(&def, &soil, &wheel, CELL, &trace);
    GrTraceMotion motion = {.ahead = {1, 0, 0}, .normal = {0, 0, 1}, .load = load, .slip = slip};
    for (int i = 0; ruts != NULL && i * STEP <= LENGTH; i++) {
        motion.point.x = i * STEP;
        motion.angle = motion.point.x / (def.radius * (1 - slip));
        gr_trace_advance(&trace, &track, &motion, ruts);
    }
    return ruts;
}

/// Lowest and highest node of the centre line [mm].
static void read_heights(const GrRuts *ruts, double *trough, double *crest)
{
    *trough = (double)INFINITY;
    *crest = -(double)INFINITY;
    for (int i = FROM; i <= TO; i++) {
        *trough = fmin(*trough, 1000 * gr_ruts_get(ruts, i, 0));
        *crest = fmax(*crest, 1000 * gr_ruts_get(ruts, i, 0));
    }
}

/// Mean distance between rises of the centre line through its middle height [mm].
static double read_period(const GrRuts *ruts)
{
    double trough, crest, first = 0, last = 0;
    int rises = 0;
    read_heights(ruts, &trough, &crest);
    for (int i = FROM; i < TO; i++) {
        const double middle = 0.5 * (trough + crest), a = 1000 * gr_ruts_get(ruts, i, 0) - middle,
                     b = 1000 * gr_ruts_get(ruts, i + 1, 0) - middle;
        if (a < 0 && b >= 0) {
            last = 1000 * CELL * (i - a / (b - a));
            first = rises++ == 0 ? last : first;
        }
    }
    return rises > 1 ? (last - first) / (rises - 1) : (double)NAN;
}

static GrStatus run_table(GrFindings *out, GrErrorLog *log)
{
    static const char *const columns[] = {"load_N", "trough_mm", "crest_mm"};
    GrMeasured table;
    const GrStatus status = gr_measured_load("ka24_traces", columns, 3, &table, log);
    if (status != GR_OK) {
        return status;
    }
    const double *load = gr_measured_column(&table, 0), *low = gr_measured_column(&table, 1),
                 *high = gr_measured_column(&table, 2);
    double mean_off = 0, swing_off = 0;
    for (int k = 0; k < table.count; k++) {
        GrRuts *ruts = roll(load[k], 0);
        double trough = (double)NAN, crest = (double)NAN;
        if (ruts != NULL) {
            read_heights(ruts, &trough, &crest);
        }
        gr_ruts_free(ruts);
        gr_findings_add(out, low[k], trough, 0.5, "trough under %g N [mm]", load[k]);
        gr_findings_add(out, high[k], crest, 0.5, "crest under %g N [mm]", load[k]);
        mean_off += fabs(0.5 * (trough + crest) - 0.5 * (low[k] + high[k])) / table.count;
        swing_off += fabs(crest - trough - (high[k] - low[k])) / table.count;
    }
    gr_findings_add(out, 0, mean_off, 0.225, "mean absolute difference of mean heights [mm]");
    gr_findings_add(out, 0, swing_off, 0.155, "mean absolute difference of crest to trough [mm]");
    gr_measured_free(&table);
    return GR_OK;
}

static GrStatus run_period(GrFindings *out, GrErrorLog *log)
{
    (void)log;
    static const double slips[] = {0, 0.2, 0.4, 0.6};
    for (int k = 0; k < 4; k++) {
        GrRuts *ruts = roll(8.6, slips[k]);
        const double period = ruts != NULL ? read_period(ruts) : (double)NAN;
        gr_ruts_free(ruts);
        gr_findings_add(out, 2000 * PI * 0.1 * (1 - slips[k]) / 14, period, 1000 * CELL,
                        "distance between crests at slip %g [mm]", slips[k]);
    }
    return GR_OK;
}

static const GrValidationCase CASES[] = {
    {"trace/heights", "Kamohara 2024", "Kamohara et al. 2024, table 2: heights of traces in Toyoura sand by particles",
     "figures were read off to 0.5 mm; the mean differences are those of the least-squares lines, 0.22 and 0.15 mm, to "
     "the digits printed",
     run_table},
    {"trace/period", "Kamohara 2024",
     "one imprint a grouser: 2 pi r (1 - s)/N (Kamohara et al. 2024, eq. 2, has twice that)", "one cell of the map",
     run_period},
};

const GrValidationGroup gr_validate_trace = {CASES, sizeof CASES / sizeof CASES[0]};
