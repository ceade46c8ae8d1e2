/// Wheel traces, read off the map that a rolling wheel leaves behind.
#include "fit_trace.h"
#include "measured.h"
#include "trace_wheel.h"
#include "validate.h"

#include <math.h>

static const double CELL = 0.0025, LENGTH = 1.2, STEP = 1e-3; // of the map, the drive, one step of it [m]
static const double STEP_OF_TABLE = 0.5;                      // table 2 is in half millimetres
static const int FIRST_NODE = 40, LAST_NODE = 400;            // nodes of the centre line that are read

/// The wheel of Kamohara et al. 2024 rolls along x. The caller frees the ruts; NULL when out of memory.
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
    GrRuts *ruts = NULL;
    gr_ruts_create(&ruts_def, &ruts, NULL);
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
    for (int i = FIRST_NODE; i <= LAST_NODE; i++) {
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
    for (int i = FIRST_NODE; i < LAST_NODE; i++) {
        const double middle = 0.5 * (trough + crest), a = 1000 * gr_ruts_get(ruts, i, 0) - middle,
                     b = 1000 * gr_ruts_get(ruts, i + 1, 0) - middle;
        if (a < 0 && b >= 0) {
            last = 1000 * CELL * (i - a / (b - a));
            first = rises++ == 0 ? last : first;
        }
    }
    return rises > 1 ? (last - first) / (rises - 1) : (double)NAN;
}

#define LINES                                                                                                          \
    "the trace is a straight line over the load, as the source's is, and table 2 is not straight; its own printed "    \
    "lines are off by up to 0.6 mm"

static GrStatus run_table(GrFindings *out, GrErrorLog *log)
{
    static const char *const columns[] = {"load_N", "trough_mm", "crest_mm"};
    static const double bounds[][2] = {{0.39, 0}, {0, 0}, {0, 0}, {0.54, 0.34}, {0.4, 0}};
    GrMeasured table;
    const GrStatus status = gr_measured_load("ka24_traces", columns, 3, &table, log);
    if (status != GR_OK) {
        return status;
    }
    const double *load = gr_measured_column(&table, 0);
    for (int k = 0; k < table.count && k < 5; k++) {
        GrRuts *ruts = roll(load[k], 0);
        double heights[2] = {(double)NAN, (double)NAN};
        if (ruts != NULL) {
            read_heights(ruts, &heights[0], &heights[1]);
        }
        gr_ruts_free(ruts);
        for (int j = 0; j < 2; j++) {
            gr_findings_add(out, gr_measured_column(&table, 1 + j)[k], heights[j], STEP_OF_TABLE / 2,
                            "%s under %g N [mm]", j == 0 ? "trough" : "crest", load[k]);
            if (bounds[k][j] > 0) {
                gr_findings_known(out, bounds[k][j], LINES);
            }
        }
    }
    gr_measured_free(&table);
    return GR_OK;
}

/// Mean absolute and mean relative difference of a line from a column of the table.
static void line_errors(const GrTraceLine *line, const double *load, const double *value, int count, double out[2])
{
    out[0] = out[1] = 0;
    for (int k = 0; k < count; k++) {
        const double off = fabs(gr_trace_line_at(line, load[k], 0) - value[k]);
        out[0] += off / count;
        out[1] += 100 * off / fabs(value[k]) / count;
    }
}

/// One line of the source: its coefficients against those of least squares, its errors against the table.
typedef struct PrintedLine {
    const char *name;
    GrTraceLine line;         ///< as printed [mm]
    double base_digit, digit; ///< value of the last printed digit
    double absolute, percent; ///< errors as printed [mm], [%]
    double bounds[6];         ///< recorded deviations: base, slope, errors of the printed line, errors of ours
} PrintedLine;

#define NOT_LEAST "the printed lines are not the least-squares lines through the printed table, whose values ours are"
#define NOT_ERROR                                                                                                      \
    "the printed errors do not follow from the printed lines and the printed table; ours is our reading of them"

static void add_line(GrFindings *out, const PrintedLine *p, const GrTraceLine *least, const double *load,
                     const double *value, int count)
{
    double printed[2], ours[2];
    line_errors(&p->line, load, value, count, printed);
    line_errors(least, load, value, count, ours);
    const struct {
        double published, got, allowed;
        const char *what, *reason;
    } rows[] = {
        {p->line.base, least->base, p->base_digit / 2, "base, least squares on table 2 [mm]", NOT_LEAST},
        {p->line.load, least->load, p->digit / 2, "slope, least squares on table 2 [mm/N]", NOT_LEAST},
        {p->absolute, printed[0], 0.005, "mean absolute error of the printed line [mm]", NOT_ERROR},
        {p->percent, printed[1], 0.05, "mean percentage error of the printed line [%]", NOT_ERROR},
        {p->absolute, ours[0], 0.005, "mean absolute error of our line [mm]", NOT_ERROR},
        {p->percent, ours[1], 0.05, "mean percentage error of our line [%]", NOT_ERROR},
    };
    for (int i = 0; i < 6; i++) {
        gr_findings_add(out, rows[i].published, rows[i].got, rows[i].allowed, "%s: %s", p->name, rows[i].what);
        if (p->bounds[i] > 0) {
            gr_findings_known(out, p->bounds[i], rows[i].reason);
        }
    }
}

static GrStatus run_lines(GrFindings *out, GrErrorLog *log)
{
    static const PrintedLine lines[] = {
        {"mean height, eq. 5", {-1.32, -0.458, 0}, 0.01, 0.001, 0.16, 3.5, {0.13, 0.021, 0.07, 0.77, 0.066, 1.1}},
        {"crest to trough, eq. 6",
         {7.98, 0.066, 0},
         0.01,
         0.001,
         0.14,
         1.6,
         {0.025, 0.0033, 0.0097, 0.15, 0.0074, 0.12}},
    };
    static const char *const columns[] = {"load_N", "mean_mm", "amplitude_mm"};
    GrMeasured table;
    const GrStatus status = gr_measured_load("ka24_traces", columns, 3, &table, log);
    if (status != GR_OK) {
        return status;
    }
    const GrTraceDef def = gr_default_trace_def();
    const GrTraceLine ours[] = {{1000 * def.mean.base, 1000 * def.mean.load, 0},
                                {1000 * def.swing.base, 1000 * def.swing.load, 0}};
    for (int i = 0; i < 2; i++) {
        add_line(out, &lines[i], &ours[i], gr_measured_column(&table, 0), gr_measured_column(&table, 1 + i),
                 table.count);
    }
    gr_measured_free(&table);
    return GR_OK;
}

/// Eq. 4 uses A as the amplitude of a cosine, and eq. 2 gives the cosine half its frequency.
static GrStatus run_wave(GrFindings *out, GrErrorLog *log)
{
    const double load = 8.6, amplitude = 7.98 + 0.066 * load;
    double trough = (double)NAN, crest = (double)NAN, period = (double)NAN;
    GrRuts *ruts = roll(load, 0);
    (void)log;
    if (ruts != NULL) {
        read_heights(ruts, &trough, &crest);
        period = read_period(ruts);
    }
    gr_ruts_free(ruts);
    gr_findings_add(out, 2 * amplitude, crest - trough, 0.05, "crest to trough by eqs. 4 and 6 under 8.6 N [mm]");
    gr_findings_known(out, 9,
                      "eq. 4 takes A as the amplitude of a cosine, table 2 lists crest to trough under that "
                      "name: the equation doubles it. Ours follows the table");
    gr_findings_add(out, 4000 * GR_PI * 0.1 / 14, period, 1000 * CELL, "distance between crests by eq. 2, slip 0 [mm]");
    gr_findings_known(out, 46,
                      "cos(n pi x) has half the frequency n that the text names, one crest for two grousers; "
                      "ours is one a grouser");
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
        gr_findings_check(out, 2000 * GR_PI * 0.1 * (1 - slips[k]) / 14, period, 1000 * CELL,
                          "distance between crests at slip %g [mm]", slips[k]);
    }
    return GR_OK;
}

static const GrValidationCase CASES[] = {
    {"trace/heights", "Kamohara 2024", "Kamohara et al. 2024, table 2: heights of traces in Toyoura sand by particles",
     "0.25 mm: half a step of the table, which is in half millimetres", run_table, "5.1, table 2"},
    {"trace/lines", "Kamohara 2024", "Kamohara et al. 2024, 5.1, eqs. 5-6 and their errors",
     "half a unit of the last digit", run_lines, "5.1, eqs. 5-6"},
    {"trace/wave", "Kamohara 2024", "Kamohara et al. 2024, 3.2.2, eqs. 2 and 4", "0.05 mm; one cell of the map",
     run_wave, "3.2.2, eqs. 2, 4"},
    {"trace/period", "geometry", "one imprint a grouser: 2 pi r (1 - s)/N", "one cell of the map", run_period, NULL},
};

const GrValidationGroup gr_validate_trace = {CASES, sizeof CASES / sizeof CASES[0]};
