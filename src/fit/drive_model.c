#include "drive_model.h"

#include "data.h"
#include "elementary.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

static const double LEAST_SLIP = -0.5, MOST_SLIP = 0.95, SLIP_STEP = 0.1; // of the search

/// What the model needs of the rover where it stands: base lines between the outermost wheels.
static void measure(const GrModel *m, const GrData *d, GrDriveRover *out)
{
    double x[2] = {(double)INFINITY, -(double)INFINITY}, y[2] = {(double)INFINITY, -(double)INFINITY};
    double mean = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrBodyFrame *frame = &d->tree.frame[m->wheels[i].body];
        const GrVec3 c = gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, m->wheels[i].centre));
        out->ahead[i] = c.x;
        mean += c.x / m->wheel_count;
        x[0] = fmin(x[0], c.x);
        x[1] = fmax(x[1], c.x);
        y[0] = fmin(y[0], c.y);
        y[1] = fmax(y[1], c.y);
    }
    for (int i = 0; i < m->wheel_count; i++) {
        out->ahead[i] -= mean;
    }
    out->wheelbase = x[1] - x[0];
    out->track = y[1] - y[0];
}

/// A model on a plane under leaning gravity: it rises ahead by `pitch` and falls to the right by `roll`.
static GrModel *make_model(const GrRoverDef *def, const GrSoilDef *soil, double gravity, double pitch, double roll,
                           GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    const double x = -gr_sin(pitch), y = -gr_sin(roll);
    options.gravity = gr_scale(gravity, gr_vec3(x, y, -sqrt(fmax(1 - x * x - y * y, 0))));
    options.surface.soil = soil;
    GrModel *m = NULL;
    gr_model_create(def, &options, &m, log);
    return m;
}

static GrStatus stand(const GrModel *m, double *loads, GrStance *stance, GrDriveRover *measured, GrErrorLog *log)
{
    GrData *d = NULL;
    if (gr_data_create(m, &d, NULL) != GR_OK) {
        return gr_out_of_memory(log, NULL);
    }
    const GrStatus status = gr_stand_on_plane(m, d, loads, stance, log);
    if (status == GR_OK && measured != NULL) {
        measure(m, d, measured);
    }
    gr_data_free(d);
    return status;
}

GrStatus gr_drive_loads(const GrDriveRover *rover, double pitch, double roll, double *loads, GrErrorLog *log)
{
    GrStance stance;
    GrModel *m = make_model(rover->def, NULL, rover->gravity, pitch, roll, log);
    const GrStatus status = m != NULL ? stand(m, loads, &stance, NULL, log) : GR_ERROR_MODEL;
    gr_model_free(m);
    return status;
}

static bool same_shape(const GrSoilWheelDef *a, const GrSoilWheelDef *b)
{
    return a->radius == b->radius && a->width == b->width && a->grousers == b->grousers &&
           a->grouser_count == b->grouser_count && a->grouser_height == b->grouser_height &&
           a->grouser_thickness == b->grouser_thickness && a->stiffness == b->stiffness && a->slices == b->slices &&
           a->surface == b->surface && a->side == b->side;
}

GrStatus gr_drive_rover_make(const GrRoverDef *def, const GrSoilDef *soil, double gravity, GrDriveRover *out,
                             GrErrorLog *log)
{
    GrStance stance = {0};
    double loads[GR_DRIVE_WHEELS_MAX];
    *out = (GrDriveRover){.def = def, .gravity = gravity};
    GrModel *m = make_model(def, soil, gravity, 0, 0, log);
    if (m == NULL) {
        return GR_ERROR_MODEL;
    }
    if (m->wheel_count < 1 || m->wheel_count > GR_DRIVE_WHEELS_MAX) {
        gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "wheels"}, "found %d, allowed: 1 to %d", m->wheel_count,
                     GR_DRIVE_WHEELS_MAX);
        gr_model_free(m);
        return GR_ERROR_MODEL;
    }
    const GrStatus status = stand(m, loads, &stance, out, log);
    if (status != GR_OK) {
        gr_model_free(m);
        return status;
    }
    out->model = m;
    out->wheel_count = m->wheel_count;
    out->weight = stance.weight;
    out->pitch = stance.pitch;
    out->roll = stance.roll;
    for (int i = 0; i < m->wheel_count; i++) {
        out->radius += m->soil_wheels[i].radius / m->wheel_count;
        memcpy(out->names[i], m->wheel_names[i], GR_NAME_SIZE);
        out->shape[i] = i;
        for (int j = i - 1; j >= 0; j--) {
            out->shape[i] = same_shape(&m->soil_wheels[i].wheel, &m->soil_wheels[j].wheel) ? j : out->shape[i];
        }
        for (int j = 0; j < m->joint_count; j++) {
            if (m->joint_roles[j] == GR_ROLE_DRIVE && m->joint_body[j] == m->wheels[i].body) {
                out->friction[i] = def->joints[m->joint_def[j]].friction;
            }
        }
    }
    return GR_OK;
}

void gr_drive_rover_free(GrDriveRover *rover)
{
    gr_model_free(rover->model);
    *rover = (GrDriveRover){0};
}

bool gr_drive_point(const GrDriveRover *rover, GrDriveSoil *soil, const double *loads, double slip, double slip_angle,
                    GrDrivePoint *out)
{
    const int n = rover->wheel_count;
    const double turns = slip >= 0 ? 1 / (1 - slip) : 1 + slip; // rim travel for a metre of ground
    double moment = 0, squares = 0;
    *out = (GrDrivePoint){0};
    for (int i = 0; i < n; i++) {
        GrDriveWheelPoint p;
        if (!(loads[i] > 1e-6 * rover->weight)) {
            continue; // a wheel in the air
        }
        if (!gr_drive_wheel(rover, soil, i, loads[i], slip, slip_angle, &p)) {
            return false;
        }
        const double torque = p.torque + rover->friction[i];
        out->pull += p.pull / rover->weight;
        out->torque += torque / (rover->weight * rover->radius);
        out->sinkage += p.sinkage / (n * rover->radius);
        out->energy += fmax(torque, 0) * turns / rover->model->soil_wheels[i].radius;
        moment -= rover->ahead[i] * p.sinkage;
        squares += rover->ahead[i] * rover->ahead[i];
    }
    out->lean = squares > 0 ? moment / squares : 0; // of the line through the wheels
    return true;
}

/// A drive that holds itself on a slope.
typedef struct Hold {
    const GrDriveRover *rover;
    GrDriveSoil *soil;
    const double *loads;
    double tilt, push, slip_angle;
    GrTiltOf of;
} Hold;

/// Pull less what is needed, over the weight, at a slip; false when the soil cannot carry a load.
static bool excess(const Hold *h, double slip, GrDrivePoint *p, double *out)
{
    const bool carried = gr_drive_point(h->rover, h->soil, h->loads, slip, h->slip_angle, p);
    *out = p->pull - h->push - gr_sin(h->tilt - (h->of == GR_TILT_CHASSIS ? p->lean : 0));
    return carried;
}

/// Closes a bracket by regula falsi (Illinois).
static double close_in(const Hold *h, double low, double f_low, double high, double f_high, GrDrivePoint *p)
{
    double slip = high, last = 0;
    for (int i = 0; i < 40 && high - low > 1e-6; i++) {
        double f;
        slip = (low * f_high - high * f_low) / (f_high - f_low);
        if (!excess(h, slip, p, &f) || fabs(f) < 1e-7) {
            break;
        }
        if (f < 0) {
            low = slip;
            f_low = f;
            f_high *= last < 0 ? 0.5 : 1;
        } else {
            high = slip;
            f_high = f;
            f_low *= last > 0 ? 0.5 : 1;
        }
        last = f;
    }
    return slip;
}

double gr_drive_slip(const GrDriveRover *rover, GrDriveSoil *soil, const double *loads, double tilt, GrTiltOf of,
                     double push, double slip_angle, GrDrivePoint *out)
{
    const Hold h = {rover, soil, loads, tilt, push, slip_angle, of};
    double low = LEAST_SLIP, high = LEAST_SLIP, f_low, f_high;
    if (!excess(&h, low, out, &f_low)) {
        return (double)NAN;
    }
    if (f_low >= 0) {
        return low;
    }
    for (f_high = f_low; f_high < 0;) { // the first slip that pulls enough
        if (high >= MOST_SLIP) {
            return 1;
        }
        low = high;
        f_low = f_high;
        high = fmin(high + SLIP_STEP, MOST_SLIP);
        if (!excess(&h, high, out, &f_high)) {
            return 1; // it digs itself in
        }
    }
    return close_in(&h, low, f_low, high, f_high, out);
}
