/// A soil under the wheels of a rover: what a wheel pulls, needs and sinks, interpolated between nodes of slip, load
/// and slip angle. A drive asks for thousands of points of one soil, which differ little; a node is computed when it is
/// first needed, so that a soil costs some fifty points of its law, however long the drive is.
///
/// Between nodes: cubic in the slip (Hermite, slopes by parabolas, one-sided at slip 0 where laws have a kink), a
/// parabola in the logarithm of the load, of forces over the load and of the logarithm of the sinkage, and linear in
/// the slip angle, which changes forces at small slips most.
#include "drive_model.h"

#include "data.h"
#include "elementary.h"

#include <math.h>
#include <string.h>

static const double SLIPS[GR_DRIVE_SLIPS] = {-0.9, -0.6, -0.4, -0.25, -0.15, -0.08, -0.03, 0,   0.03,
                                             0.08, 0.15, 0.22, 0.3,   0.4,   0.5,   0.65,  0.8, 0.97};
enum { ZERO = 7, OK = 1, MISSING = 2 };
static const double LOADS[GR_DRIVE_LOADS] = {0.4, 1, 2.5}; // of the mean load
static const double LOG_STEP = 0.91629073187415507;        // between their logarithms
static const double ANGLES[GR_DRIVE_ANGLES] = {
    0, 1 * GR_DEGREE, 2 * GR_DEGREE, 4 * GR_DEGREE, 8 * GR_DEGREE, 16 * GR_DEGREE, 32 * GR_DEGREE, 60 * GR_DEGREE};

enum { PULL, TORQUE, SINKAGE };

GrStatus gr_drive_soil_make(const GrDriveRover *rover, const GrSoilDef *soil, GrDriveSoil *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (gr_soil_law_on_grid(soil->law)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "law"},
                            "the law %s has no formulas for steady rolling; choose another with --model",
                            gr_soil_law_name(soil->law));
    }
    for (int i = 0; i < rover->wheel_count && status == GR_OK; i++) {
        if (rover->shape[i] != i) {
            continue; // another wheel has the same shape
        }
        GrRigDef def = gr_default_rig_def();
        def.soil = *soil;
        def.wheel = rover->model->soil_wheels[i].wheel;
        def.cell = fmin(def.cell, def.wheel.radius);
        memset(out->wheels[i].state, 0, sizeof out->wheels[i].state);
        status = gr_rig_make(&def, &out->wheels[i].rig, log);
    }
    return status;
}

/// Computes the node of a slip and an angle unless it is there; false when the soil cannot carry one of its loads.
static bool node(const GrDriveRover *rover, GrDriveTable *w, int slip, int angle)
{
    unsigned char *state = &w->state[angle][slip];
    const double mean = rover->weight / rover->wheel_count;
    for (int k = 0; k < GR_DRIVE_LOADS && *state != MISSING && (k > 0 || *state != OK); k++) {
        GrRigPoint p;
        double *value = w->value[angle][slip][k];
        w->rig.def.load = LOADS[k] * mean;
        *state = gr_rig_point(&w->rig, SLIPS[slip], ANGLES[angle], &p) == GR_OK ? OK : MISSING;
        value[PULL] = p.f_x / w->rig.def.load;
        value[TORQUE] = p.torque / w->rig.def.load;
        value[SINKAGE] = gr_log(fmax(p.sinkage, 1e-9));
    }
    return *state == OK;
}

/// Lagrange's weights of the loads, which are a factor apart.
static void load_weights(double load_over_mean, double out[GR_DRIVE_LOADS])
{
    const double x = gr_log(load_over_mean) / LOG_STEP;
    out[0] = 0.5 * x * (x - 1);
    out[1] = (1 - x) * (1 + x);
    out[2] = 0.5 * x * (x + 1);
}

/// Slope at x of the parabola through three points.
static double parabola_slope(const double x[3], const double y[3], double at)
{
    const double d01 = (y[1] - y[0]) / (x[1] - x[0]), d12 = (y[2] - y[1]) / (x[2] - x[1]);
    return d01 + (d12 - d01) * (2 * at - x[0] - x[1]) / (x[2] - x[0]);
}

/// The nodes around an interval of slips that its cubic needs, on one side of slip 0.
static void stencil(int interval, int *first, int *last)
{
    const int lowest = interval >= ZERO ? ZERO : 0, highest = interval >= ZERO ? GR_DRIVE_SLIPS - 1 : ZERO;
    *first = interval - 1 < lowest ? lowest : interval - 1;
    *last = interval + 2 > highest ? highest : interval + 2;
}

/// The three points of the parabola that gives the slope at node k; the stencil has them.
static int slope_start(int k, int first, int last)
{
    return k - 1 < first ? first : k + 1 > last ? last - 2 : k - 1;
}

/// Pull, torque and sinkage at a load and slip, at one angle of the table; false when the soil cannot carry it.
static bool at_angle(const GrDriveRover *rover, GrDriveTable *w, const double weights[GR_DRIVE_LOADS], double slip,
                     int angle, double out[3])
{
    int k = 0, first, last;
    while (k < GR_DRIVE_SLIPS - 2 && slip >= SLIPS[k + 1]) {
        k++;
    }
    stencil(k, &first, &last);
    if (!node(rover, w, k, angle) || !node(rover, w, k + 1, angle)) {
        return false;
    }
    // near the slip at which a wheel digs itself in, the cubic takes the nodes that there are
    first = first < k && !node(rover, w, first, angle) ? k : first;
    last = last > k + 1 && !node(rover, w, last, angle) ? k + 1 : last;
    const double span = SLIPS[k + 1] - SLIPS[k], t = (slip - SLIPS[k]) / span;
    for (int q = 0; q < 3; q++) {
        double y[GR_DRIVE_SLIPS] = {0}, slope[2];
        for (int i = first; i <= last; i++) {
            y[i] = 0;
            for (int l = 0; l < GR_DRIVE_LOADS; l++) {
                y[i] += weights[l] * w->value[angle][i][l][q];
            }
        }
        for (int e = 0; e < 2; e++) {
            const int start = slope_start(k + e, first, last);
            slope[e] =
                last - first < 2 ? (y[k + 1] - y[k]) / span : parabola_slope(SLIPS + start, y + start, SLIPS[k + e]);
        }
        out[q] = (1 + 2 * t) * (1 - t) * (1 - t) * y[k] + t * (1 - t) * (1 - t) * span * slope[0] +
                 t * t * (3 - 2 * t) * y[k + 1] - t * t * (1 - t) * span * slope[1];
    }
    return true;
}

bool gr_drive_wheel(const GrDriveRover *rover, GrDriveSoil *soil, int wheel, double load, double slip,
                    double slip_angle, GrDriveWheelPoint *out)
{
    GrDriveTable *w = &soil->wheels[rover->shape[wheel]];
    const double angle = fabs(slip_angle);
    double weights[GR_DRIVE_LOADS], low[3], high[3] = {0};
    int a = 0;
    load_weights(load * rover->wheel_count / rover->weight, weights);
    while (a < GR_DRIVE_ANGLES - 2 && angle >= ANGLES[a + 1]) {
        a++;
    }
    const double part = (angle - ANGLES[a]) / (ANGLES[a + 1] - ANGLES[a]);
    if (!at_angle(rover, w, weights, slip, a, low) || (part > 0 && !at_angle(rover, w, weights, slip, a + 1, high))) {
        return false;
    }
    for (int q = 0; q < 3 && part > 0; q++) {
        low[q] += part * (high[q] - low[q]);
    }
    *out = (GrDriveWheelPoint){.pull = load * low[PULL], .torque = load * low[TORQUE], .sinkage = gr_exp(low[SINKAGE])};
    return true;
}
