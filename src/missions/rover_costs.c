#include "rover_costs.h"

#include "data.h"
#include "drawing.h"
#include "elementary.h"
#include "grouser/trial.h"
#include "out_of_memory.h"
#include "static_drive.h"

#include <math.h>
#include <string.h>

static const double BEYOND = 1e3;     // share of a limit that does not exist: not even level ground is held
static const double HELD = 0.8;       // share of the worlds that must drive on
static const double TIME_SCALE = 0.5; // windows and limits over those of gradeability tests: cells differ by more
static const double STEP_SHARE = 0.25,
                    STEP_TOLERANCE = 0.06; // of the wheel's radius, in the search for the highest step

// ---- slopes

static double angle_of(int heading)
{
    return heading * GR_PI / (GR_COST_HEADINGS - 1);
}

static void note(GrCostBand *band, double value, bool first)
{
    band->value = first ? value : band->value;
    band->low = fmin(band->low, value);
    band->high = fmax(band->high, value);
}

/// Adds a world to a cell of the table.
static void add_drive(const GrSteadyDrive *drive, bool first, GrRoverCost *out)
{
    out->worlds++;
    if (drive->outcome == GR_DRIVE_STEADY && drive->speed > 0) {
        out->driven++;
        note(&out->slip, drive->slip, first);
        note(&out->energy, fmax(drive->power, 0) / drive->speed, first);
        note(&out->time, 1 / drive->speed, first);
    }
}

/// Where the first world fails, but another one drives on.
static void finish_band(GrCostBand *band)
{
    band->value = isfinite(band->value) ? band->value : band->high;
    if (!(band->low <= band->high)) {
        *band = (GrCostBand){NAN, NAN, NAN};
    }
}

/// The largest slope below the first that fewer than half of the worlds hold; between two slopes at the share of one
/// half.
static double find_steepest(const GrRoverCost *row)
{
    double last = 1, slope = 0;
    for (int i = 0; i < GR_COST_SLOPES; i++) {
        const double share = row[i].worlds > 0 ? (double)row[i].driven / row[i].worlds : 0;
        if (share < HELD) {
            const double part = last > share ? (last - HELD) / (last - share) : 0;
            return i > 0 ? slope + part * GR_COST_SLOPE_STEP : 0;
        }
        last = share;
        slope = i * GR_COST_SLOPE_STEP;
    }
    return slope + GR_COST_SLOPE_STEP; // nothing is known beyond the last slope: it is held with nothing to spare
}

/// One world on one slope: driven, or by formulas with the loads of the first world.
static GrStatus drive_one(const GrSteadyDriveDef *def, const GrStaticDrive *statics, const GrSteadyDrive *first,
                          GrSteadyDrive *out, GrErrorLog *log)
{
    if (statics == NULL) {
        return gr_steady_drive(def, out, log);
    }
    const bool falls = first->outcome == GR_DRIVE_STALLED || first->outcome == GR_DRIVE_TIPPED;
    if (falls || first->outcome == GR_DRIVE_DIVERGED) { // the soil hardly changes it
        *out = (GrSteadyDrive){.outcome = first->outcome};
        return GR_OK;
    }
    double normal = 0;
    for (int i = 0; i < statics->wheel_count; i++) {
        normal += first->loads[i];
    }
    const double along = normal * gr_tan(def->slope);
    gr_static_drive_at(statics, first->loads, along * gr_cos(def->heading), fabs(along * gr_sin(def->heading)), out);
    return GR_OK;
}

/// What is known of the slope i where the one before it failed and this one was not driven: the loads, less by the
/// steepness.
static GrSteadyDrive steeper(const GrSteadyDrive *before, int i)
{
    GrSteadyDrive out = *before;
    const double less = gr_cos(i * GR_COST_SLOPE_STEP) / gr_cos((i - 1) * GR_COST_SLOPE_STEP);
    for (int w = 0; w < GR_DRIVE_WHEELS_MAX; w++) {
        out.loads[w] *= less;
    }
    return out;
}

/// One world on all slopes, going up until it fails: what is steeper fails too.
static GrStatus drive_world(GrSteadyDriveDef def, bool is_first, GrSteadyDrive first[GR_COST_HEADINGS][GR_COST_SLOPES],
                            GrRoverCosts *out, GrErrorLog *log)
{
    GrStaticDrive statics = {0};
    const bool formulas = !is_first && gr_static_drive_fits(&def);
    GrStatus status = formulas ? gr_static_drive_make(&def, &statics, log) : GR_OK;
    for (int h = 0; h < GR_COST_HEADINGS; h++) {
        bool holds = true;
        for (int i = 0; i < GR_COST_SLOPES && status == GR_OK; i++) {
            GrSteadyDrive drive = {.outcome = GR_DRIVE_STUCK};
            def.slope = i * GR_COST_SLOPE_STEP;
            def.heading = angle_of(h);
            const bool driven = holds;
            if (driven) {
                status = drive_one(&def, formulas ? &statics : NULL, &first[h][i], &drive, log);
                holds = drive.outcome == GR_DRIVE_STEADY;
            }
            if (is_first) {
                first[h][i] = driven ? drive : steeper(&first[h][i - 1], i);
            }
            add_drive(&drive, is_first, &out->at[h][i]);
        }
    }
    gr_static_drive_free(&statics);
    return status;
}

/// Rigid ground: no slip up to the angle of friction, and the energy of the climb.
static void fill_rigid(const GrRoverDef *rover, double gravity, double friction, GrRoverCosts *out)
{
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass;
    }
    for (int h = 0; h < GR_COST_HEADINGS; h++) {
        for (int i = 0; i < GR_COST_SLOPES; i++) {
            const double slope = i * GR_COST_SLOPE_STEP;
            const GrSteadyDrive drive = {.outcome = slope < gr_atan(friction) ? GR_DRIVE_STEADY : GR_DRIVE_STUCK,
                                         .speed = out->speed,
                                         .power = mass * gravity * gr_sin(slope) * gr_cos(angle_of(h)) * out->speed};
            add_drive(&drive, true, &out->at[h][i]);
        }
    }
}

GrStatus gr_rover_costs_measure(const GrRoverDef *rover, const GrSoilDef *const *soils, int count, double gravity,
                                double speed, double friction, GrRoverCosts *out, GrErrorLog *log)
{
    GrSteadyDrive first[GR_COST_HEADINGS][GR_COST_SLOPES] = {0};
    GrStatus status = GR_OK;
    const GrCostBand none = {NAN, INFINITY, -INFINITY};
    *out = (GrRoverCosts){.speed = speed};
    for (int h = 0; h < GR_COST_HEADINGS; h++) {
        for (int i = 0; i < GR_COST_SLOPES; i++) {
            out->at[h][i] = (GrRoverCost){.slip = none, .energy = none, .time = none};
        }
    }
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = rover;
    def.gravity = gravity;
    def.speed = speed;
    def.window *= TIME_SCALE * fmax(1, 0.05 / speed); // slow rovers need longer to change
    def.limit *= TIME_SCALE * fmax(1, 0.05 / speed);
    for (int w = 0; w < count && soils != NULL && status == GR_OK; w++) {
        def.soil = soils[w];
        status = drive_world(def, w == 0, first, out, log);
    }
    if (soils == NULL) {
        fill_rigid(rover, gravity, friction, out);
    }
    for (int h = 0; h < GR_COST_HEADINGS; h++) {
        out->steepest[h] = find_steepest(out->at[h]);
        for (int i = 0; i < GR_COST_SLOPES; i++) {
            finish_band(&out->at[h][i].slip);
            finish_band(&out->at[h][i].energy);
            finish_band(&out->at[h][i].time);
        }
    }
    return status;
}

/// Along one heading; beyond the last slope that is driven the numbers of that one.
static GrCostAt along(const GrRoverCosts *costs, int heading, double slope)
{
    const GrRoverCost *row = costs->at[heading];
    int last = 0;
    while (last + 1 < GR_COST_SLOPES && row[last + 1].driven > 0) {
        last++;
    }
    const double at = fmin(slope / GR_COST_SLOPE_STEP, last);
    const int low = (int)at, high = low < last ? low + 1 : low;
    const double part = at - low, most = costs->steepest[heading];
    return (GrCostAt){row[low].slip.value + part * (row[high].slip.value - row[low].slip.value),
                      row[low].energy.value + part * (row[high].energy.value - row[low].energy.value),
                      row[low].time.value + part * (row[high].time.value - row[low].time.value),
                      most > 0 ? slope / most : BEYOND};
}

GrCostAt gr_rover_costs_at(const GrRoverCosts *costs, double slope, double angle)
{
    const double at = fmin(fmax(angle, 0), GR_PI) / GR_PI * (GR_COST_HEADINGS - 1);
    const int low = (int)fmin(at, GR_COST_HEADINGS - 2);
    const double part = at - low;
    const GrCostAt a = along(costs, low, slope), b = along(costs, low + 1, slope);
    return (GrCostAt){a.slip + part * (b.slip - a.slip), a.energy + part * (b.energy - a.energy),
                      a.time + part * (b.time - a.time), a.share + part * (b.share - a.share)};
}

// ---- outline and steps

static GrStatus measure_outline(const GrRoverDef *rover, double gravity, GrRoverShape *out, GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -gravity);
    GrModel *m = NULL;
    GrData *d = NULL;
    if (gr_model_create(rover, &options, &m, log) != GR_OK) {
        return GR_ERROR_MODEL;
    }
    GrStatus status = gr_data_create(m, &d, NULL) == GR_OK ? gr_forward(m, d) : gr_out_of_memory(log, NULL);
    out->radius = out->width = INFINITY;
    out->front = -INFINITY;
    out->rear = INFINITY;
    for (int i = 0; i < m->wheel_count && i < GR_COST_WHEELS && status == GR_OK; i++) {
        const GrVec3 at = gr_wheel_centre(m, d, i);
        const double radius = rover->wheels[i].radius, width = rover->wheels[i].width;
        out->wheels[i][0] = at.x;
        out->wheels[i][1] = at.y;
        out->radius = fmin(out->radius, radius);
        out->width = fmin(out->width, width);
        out->front = fmax(out->front, at.x + radius);
        out->rear = fmin(out->rear, at.x - radius);
        out->half_width = fmax(out->half_width, fabs(at.y) + width / 2);
        out->wheel_count++;
    }
    gr_data_free(d);
    gr_model_free(m);
    if (status == GR_OK && out->wheel_count == 0) {
        return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "wheels"},
                            "a rover without wheels cannot drive");
    }
    return status;
}

GrStatus gr_rover_shape_measure(const GrRoverDef *rover, const GrSoilDef *soil, double gravity, GrRoverShape *out,
                                GrErrorLog *log)
{
    *out = (GrRoverShape){0};
    GrRoverSize size;
    GrStatus status = measure_outline(rover, gravity, out, log);
    status = status == GR_OK ? gr_rover_size(rover, &size, log) : status;
    if (status != GR_OK) {
        return status;
    }
    out->clearance = isfinite(size.clearance) ? fmax(size.clearance, 0) : 0;
    GrTrialDef def = gr_default_trial_def();
    def.rover = rover;
    def.soil = soil;
    def.gravity = gravity;
    const GrClimbDef climb = gr_default_climb_def();
    GrClimbSearch found;
    status = gr_trial_highest(&def, &climb, STEP_SHARE * out->radius, STEP_TOLERANCE * out->radius, &found, log);
    if (status == GR_OK) {
        out->step = found.highest;
        gr_climb_search_free(&found);
    }
    return status;
}
