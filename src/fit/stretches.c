/// Rows of telemetry -> means over stretches of a drive.
#include "telemetry.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

enum { MOST_STRETCHES = 200 };

static const double TIGHTEST_TURN = 0.1; // wheelbase over the radius of the curve
static const double LEAST_SHARE = 0.5;   // of a stretch's length that must be free of rocks
static const double SLIP_RANGE[2] = {-0.5, 0.95};

const char *const gr_stretch_fault_texts[GR_STRETCH_FAULTS] = {
    "turn", "cross rocks", "go backwards", "have a slip above 0.95 or below -0.5", "lack slip or tilt"};

/// Rows of a drive with what is derived from them.
typedef struct Drive {
    const GrTelemetry *telemetry;
    const GrStretchDef *def;
    const GrDriveRover *rover;
    double *distance; ///< [rows] [m]
    double *tilt;     ///< [rows] uphill [rad]
    double *roll;     ///< [rows] right side down [rad]
} Drive;

static double at(const Drive *d, int row, GrChannel channel)
{
    return d->telemetry->rows[row].value[channel];
}

/// The distance of each row, by its column or along x and y; never decreasing.
static void find_distances(const Drive *d)
{
    const bool own = d->telemetry->has[GR_CHANNEL_DISTANCE];
    double so_far = 0;
    for (int i = 0; i < d->telemetry->count; i++) {
        const double dx = i > 0 ? at(d, i, GR_CHANNEL_X) - at(d, i - 1, GR_CHANNEL_X) : 0;
        const double dy = i > 0 ? at(d, i, GR_CHANNEL_Y) - at(d, i - 1, GR_CHANNEL_Y) : 0;
        const double next = own ? at(d, i, GR_CHANNEL_DISTANCE) : so_far + sqrt(dx * dx + dy * dy);
        so_far = i == 0 && isfinite(next) ? next : fmax(so_far, next); // fmax passes over what is missing
        d->distance[i] = so_far;
    }
}

/// Heading of a row: its column, or the direction to the point a wheelbase on.
static double heading_at(const Drive *d, int row)
{
    int a = row, b = row;
    if (d->telemetry->has[GR_CHANNEL_HEADING]) {
        return at(d, row, GR_CHANNEL_HEADING);
    }
    while (b + 1 < d->telemetry->count && d->distance[b] - d->distance[row] < 0.5 * d->rover->wheelbase) {
        b++;
    }
    while (a > 0 && d->distance[row] - d->distance[a] < 0.5 * d->rover->wheelbase) {
        a--;
    }
    return gr_atan2(at(d, b, GR_CHANNEL_Y) - at(d, a, GR_CHANNEL_Y), at(d, b, GR_CHANNEL_X) - at(d, a, GR_CHANNEL_X));
}

/// Difference of the map's heights over a length along a direction, as a slope [rad]; NAN outside the map.
static double map_slope(const GrTerrain *map, double x, double y, double direction, double length)
{
    const double dx = 0.5 * length * gr_cos(direction), dy = 0.5 * length * gr_sin(direction);
    double ahead, behind;
    const bool known = gr_terrain_height(map, x + dx, y + dy, &ahead) == GR_GROUND_OK &&
                       gr_terrain_height(map, x - dx, y - dy, &behind) == GR_GROUND_OK;
    return known ? gr_atan2(ahead - behind, length) : (double)NAN;
}

/// The tilt of each row; returns where it comes from, NULL: from nowhere.
static const char *find_tilts(const Drive *d)
{
    const bool *has = d->telemetry->has;
    const bool weighed = has[GR_CHANNEL_AX] && has[GR_CHANNEL_AY] && has[GR_CHANNEL_AZ];
    const bool has_angles = has[GR_CHANNEL_PITCH];
    const bool mapped = d->def->map != NULL && has[GR_CHANNEL_X] && has[GR_CHANNEL_Y];
    for (int i = 0; i < d->telemetry->count; i++) {
        if (weighed) { // an accelerometer at rest measures what holds it up
            const double ax = at(d, i, GR_CHANNEL_AX), ay = at(d, i, GR_CHANNEL_AY), az = at(d, i, GR_CHANNEL_AZ);
            const double g = sqrt(ax * ax + ay * ay + az * az);
            d->tilt[i] = g > 0 ? gr_asin(ax / g) + d->rover->pitch : (double)NAN;
            d->roll[i] = g > 0 ? gr_asin(ay / g) - d->rover->roll : (double)NAN;
        } else if (has_angles) {
            d->tilt[i] = d->rover->pitch - at(d, i, GR_CHANNEL_PITCH);
            d->roll[i] = has[GR_CHANNEL_ROLL] ? at(d, i, GR_CHANNEL_ROLL) - d->rover->roll : 0;
        } else if (mapped) {
            const double x = at(d, i, GR_CHANNEL_X), y = at(d, i, GR_CHANNEL_Y), heading = heading_at(d, i);
            d->tilt[i] = map_slope(d->def->map, x, y, heading, d->rover->wheelbase);
            d->roll[i] = map_slope(d->def->map, x, y, heading + 0.5 * GR_PI, d->rover->track);
        }
    }
    return weighed ? "accelerometer" : has_angles ? "pitch and roll" : mapped ? "map" : NULL;
}

/// Mean over the distance of what is finite.
typedef struct Mean {
    double sum, squares, weight;
} Mean;

static void mean_add(Mean *m, double value, double weight)
{
    if (isfinite(value)) {
        m->sum += weight * value;
        m->squares += weight * value * value;
        m->weight += weight;
    }
}

static double mean_of(const Mean *m)
{
    return m->weight > 0 ? m->sum / m->weight : (double)NAN;
}

/// Torque of a drive, by its column or by its current.
static double torque_at(const Drive *d, int row)
{
    return d->telemetry->has[GR_CHANNEL_TORQUE] || !(d->def->torque_per_ampere > 0)
               ? at(d, row, GR_CHANNEL_TORQUE)
               : d->def->torque_per_ampere * (at(d, row, GR_CHANNEL_CURRENT) - d->def->idle_current);
}

/// Energy of the drives for a metre between two rows [J/m]: by the power of the drives, by the energy of all motors, by
/// their power, or by torque and speed; rocks count only in the second.
static double energy_between(const Drive *d, int from, int to)
{
    const bool *has = d->telemetry->has;
    if (has[GR_CHANNEL_ENERGY]) {
        return (at(d, to, GR_CHANNEL_ENERGY) - at(d, from, GR_CHANNEL_ENERGY)) / (d->distance[to] - d->distance[from]);
    }
    double sum = 0, length = 0;
    for (int i = from + 1; i <= to; i++) {
        const int wheels = d->rover->wheel_count;
        const double power = has[GR_CHANNEL_DRIVE]   ? wheels * at(d, i, GR_CHANNEL_DRIVE)
                             : has[GR_CHANNEL_POWER] ? at(d, i, GR_CHANNEL_POWER)
                                                     : wheels * torque_at(d, i) * at(d, i, GR_CHANNEL_SPEED);
        if (!d->telemetry->rows[i].on_rock) {
            sum += (power < 0 ? 0 : power) * (at(d, i, GR_CHANNEL_TIME) - at(d, i - 1, GR_CHANNEL_TIME));
            length += d->distance[i] - d->distance[i - 1];
        }
    }
    return sum / length;
}

/// Slip from rim and ground speed, of the rows between two.
static double slip_between(const Drive *d, int from, int to)
{
    double rim = 0;
    for (int i = from + 1; i <= to; i++) {
        rim +=
            d->rover->radius * at(d, i, GR_CHANNEL_SPEED) * (at(d, i, GR_CHANNEL_TIME) - at(d, i - 1, GR_CHANNEL_TIME));
    }
    return gr_slip_ratio(rim, d->distance[to] - d->distance[from]);
}

/// Means over the rows after `from` up to `to`, and their fault; GR_STRETCH_FAULTS: none.
static GrStretchFault gather(const Drive *d, int from, int to, GrStretch *out)
{
    Mean slip = {0}, angle = {0}, tilt = {0}, roll = {0}, torque = {0}, sinkage = {0}, speed = {0};
    double clear = 0, turn = 0;
    const double length = d->distance[to] - d->distance[from];
    for (int i = from + 1; i <= to; i++) {
        const double step = d->distance[i] - d->distance[i - 1];
        const double change = at(d, i, GR_CHANNEL_HEADING) - at(d, i - 1, GR_CHANNEL_HEADING);
        turn += isfinite(change) ? change - 2 * GR_PI * round(change / (2 * GR_PI)) : 0;
        mean_add(&speed, at(d, i, GR_CHANNEL_SPEED), step);
        if (d->telemetry->rows[i].on_rock) {
            continue;
        }
        clear += step;
        mean_add(&slip, at(d, i, GR_CHANNEL_SLIP), step);
        mean_add(&angle, at(d, i, GR_CHANNEL_SLIP_ANGLE), step);
        mean_add(&tilt, d->tilt[i], step);
        mean_add(&roll, d->roll[i], step);
        mean_add(&torque, torque_at(d, i), step);
        mean_add(&sinkage, at(d, i, GR_CHANNEL_SINKAGE), step);
    }
    const double load = d->rover->weight / d->rover->wheel_count;
    *out = (GrStretch){.from = d->distance[from] - d->distance[0], .to = d->distance[to] - d->distance[0]};
    out->measured[GR_DRIVE_SLIP] = d->telemetry->has[GR_CHANNEL_SLIP] ? mean_of(&slip) : slip_between(d, from, to);
    out->measured[GR_DRIVE_TILT] = mean_of(&tilt);
    out->measured[GR_DRIVE_TORQUE] = mean_of(&torque) / (load * d->rover->radius);
    out->measured[GR_DRIVE_SINKAGE] = mean_of(&sinkage) / d->rover->radius;
    out->tilt_deviation = sqrt(fmax(tilt.squares / tilt.weight - mean_of(&tilt) * mean_of(&tilt), 0)); // NAN becomes 0
    out->roll = isfinite(mean_of(&roll)) ? mean_of(&roll) : 0;
    out->slip_angle = isfinite(mean_of(&angle)) ? mean_of(&angle) : 0;
    out->energy = energy_between(d, from, to);
    const double s = out->measured[GR_DRIVE_SLIP];
    return mean_of(&speed) < 0                                         ? GR_STRETCH_BACKWARDS
           : fabs(turn) * d->rover->wheelbase > TIGHTEST_TURN * length ? GR_STRETCH_TURNS
           : clear < LEAST_SHARE * length                              ? GR_STRETCH_ROCKS
           : !isfinite(s + out->measured[GR_DRIVE_TILT])               ? GR_STRETCH_INCOMPLETE
           : s < SLIP_RANGE[0] || s > SLIP_RANGE[1]                    ? GR_STRETCH_SLIDES
                                                                       : GR_STRETCH_FAULTS;
}

static GrStatus check(const GrTelemetry *t, const GrStretchDef *def, const char *file, GrErrorLog *log)
{
    const GrLocation at = {.file = file, .line = 1};
    const bool placed = t->has[GR_CHANNEL_X] && t->has[GR_CHANNEL_Y];
    if (!t->has[GR_CHANNEL_DISTANCE] && !placed) {
        return gr_error_add(log, GR_ERROR_FIELD, at, "there is no column 'distance_m', nor x_m and y_m (--columns)");
    }
    if (!t->has[GR_CHANNEL_SLIP] && !(t->has[GR_CHANNEL_SPEED] && t->has[GR_CHANNEL_TIME])) {
        return gr_error_add(log, GR_ERROR_FIELD, at,
                            "there is no column 'slip', nor speed_rad_per_s and time_s (--columns)");
    }
    if (!t->has[GR_CHANNEL_PITCH] && !t->has[GR_CHANNEL_AX] && !(def->map != NULL && placed)) {
        return gr_error_add(log, GR_ERROR_FIELD, at,
                            "there is no tilt: pitch_deg or imu_ax_m_per_s2, imu_ay_m_per_s2 and imu_az_m_per_s2 "
                            "(--columns), or x_m and y_m on a map (--map)");
    }
    if (!t->has[GR_CHANNEL_TORQUE] && t->has[GR_CHANNEL_CURRENT] && !(def->torque_per_ampere > 0)) {
        gr_warning_add(log, at, "motor currents are not used: give --torque-per-ampere");
    }
    return GR_OK;
}

/// Cuts the drive, computes means and loads; `out->items` has room.
static GrStatus cut(const Drive *d, GrStretches *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    int from = 0;
    for (int to = 1; to < d->telemetry->count && status == GR_OK; to++) {
        const double length = d->distance[to] - d->distance[from];
        if (length < out->length * (1 - 1e-9)) {
            continue;
        }
        GrStretch *s = &out->items[out->count];
        const GrStretchFault fault = gather(d, from, to, s);
        from = to;
        if (fault != GR_STRETCH_FAULTS) {
            out->left[fault]++;
            continue;
        }
        status = gr_drive_loads(d->rover, s->measured[GR_DRIVE_TILT], s->roll, s->loads, log);
        for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
            out->has[q] = out->has[q] || isfinite(s->measured[q]);
        }
        out->has_energy = out->has_energy || isfinite(s->energy);
        out->count++;
    }
    return status;
}

static GrStatus prefetch(const Drive *d, GrErrorLog *log)
{
    GrBox2 box = {(double)INFINITY, (double)INFINITY, -(double)INFINITY, -(double)INFINITY};
    const double margin = d->rover->wheelbase + d->rover->track;
    for (int i = 0; i < d->telemetry->count; i++) {
        box.x_lower = fmin(box.x_lower, at(d, i, GR_CHANNEL_X) - margin);
        box.y_lower = fmin(box.y_lower, at(d, i, GR_CHANNEL_Y) - margin);
        box.x_upper = fmax(box.x_upper, at(d, i, GR_CHANNEL_X) + margin);
        box.y_upper = fmax(box.y_upper, at(d, i, GR_CHANNEL_Y) + margin);
    }
    return isfinite(box.x_lower + box.y_lower) ? gr_terrain_prefetch(d->def->map, box, log) : GR_OK;
}

static GrStatus make(Drive *d, const char *file, GrStretches *out, GrErrorLog *log)
{
    find_distances(d);
    const int rows = d->telemetry->count;
    out->distance = d->distance[rows - 1] - d->distance[0];
    out->length = d->def->length > 0 ? d->def->length : fmax(d->rover->wheelbase, out->distance / MOST_STRETCHES);
    GrStatus status = d->def->map != NULL && d->telemetry->has[GR_CHANNEL_X] ? prefetch(d, log) : GR_OK;
    out->tilt = find_tilts(d);
    out->tilt_of = out->tilt != NULL && strcmp(out->tilt, "map") == 0 ? GR_TILT_GROUND : GR_TILT_CHASSIS;
    const double most = fmin(out->distance / out->length + 2, rows);
    out->items = gr_calloc((size_t)most + 1, sizeof *out->items);
    if (out->items == NULL) {
        return gr_out_of_memory(log, file);
    }
    status = status == GR_OK ? cut(d, out, log) : status;
    if (status == GR_OK && out->count == 0) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = file},
                              "no stretch of %g m is usable in a drive of %g m (%d turn, %d cross rocks, %d go "
                              "backwards, %d slide, %d lack slip or tilt)",
                              out->length, out->distance, out->left[GR_STRETCH_TURNS], out->left[GR_STRETCH_ROCKS],
                              out->left[GR_STRETCH_BACKWARDS], out->left[GR_STRETCH_SLIDES],
                              out->left[GR_STRETCH_INCOMPLETE]);
    }
    return status;
}

GrStatus gr_stretches_make(const GrTelemetry *telemetry, const GrStretchDef *def, const GrDriveRover *rover,
                           const char *file, GrStretches *out, GrErrorLog *log)
{
    *out = (GrStretches){0};
    GrStatus status = check(telemetry, def, file, log);
    if (status != GR_OK) {
        return status;
    }
    const size_t rows = (size_t)telemetry->count;
    Drive d = {.telemetry = telemetry, .def = def, .rover = rover, .distance = gr_calloc(3 * rows, sizeof(double))};
    if (d.distance == NULL) {
        return gr_out_of_memory(log, file);
    }
    d.tilt = d.distance + rows;
    d.roll = d.tilt + rows;
    status = make(&d, file, out, log);
    gr_free(d.distance);
    if (status != GR_OK) {
        gr_stretches_free(out);
    }
    return status;
}

void gr_stretches_free(GrStretches *stretches)
{
    gr_free(stretches->items);
    *stretches = (GrStretches){0};
}
