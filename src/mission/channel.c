#include "channel.h"

#include "grouser/sample.h"

#include "alloc.h"
#include "contact_mode.h"
#include "elementary.h"
#include "mission_data.h"
#include "named.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the table

// A member of the struct; the text and further members of GrChannelRow follow.
#define NUMBER(type, m, channel, factor, ...)                                                                          \
    {                                                                                                                  \
        .name = (channel), .offset = offsetof(type, m), .scale = (factor), .text = __VA_ARGS__                         \
    }
#define OTHER(type, m, channel, which, ...)                                                                            \
    {                                                                                                                  \
        .name = (channel), .kind = (which), .offset = offsetof(type, m), .scale = 1, .text = __VA_ARGS__               \
    }
// What a function computes, at its own place in `more`.
#define COMPUTED(type, place, channel, function, ...)                                                                  \
    {                                                                                                                  \
        .name = (channel), .offset = offsetof(type, more[place]), .scale = 1, .get = (function), .text = __VA_ARGS__   \
    }
#define PLOT(...) .plot = {.figure = __VA_ARGS__}
#define GROUP(list, one)                                                                                               \
    {                                                                                                                  \
        (list), sizeof(list) / sizeof((list)[0]), one                                                                  \
    }
// Factor from radians.
#define DEGREES (1 / GR_DEGREE)

static double ground_speed(const GrMission *mission, const GrSample *s, int index)
{
    (void)mission;
    (void)index;
    return gr_hypot(s->velocity.x, s->velocity.y);
}

static double odometry_error(const GrMission *mission, const GrSample *s, int index)
{
    (void)mission;
    (void)index;
    return gr_hypot(s->odometry.x - s->pose.position.x, s->odometry.y - s->pose.position.y);
}

static const GrChannelRow BODY[] = {
    NUMBER(GrSample, time, "time_s", 1, "simulated time", .fmu = ""),
    NUMBER(GrSample, distance, "distance_m", 1, "travelled over the ground"),
    NUMBER(GrSample, pose.position.x, "x_m", 1, "position of the chassis, world", .fmu = "position.x"),
    NUMBER(GrSample, pose.position.y, "y_m", 1, "", .fmu = "position.y"),
    NUMBER(GrSample, pose.position.z, "z_m", 1, "", .fmu = "position.z", PLOT(GR_FIGURE_HEIGHT)),
    NUMBER(GrSample, pose.rotation.w, "qw", 1, "orientation of the chassis, world", .fmu = "rotation.w"),
    NUMBER(GrSample, pose.rotation.x, "qx", 1, "", .fmu = "rotation.x"),
    NUMBER(GrSample, pose.rotation.y, "qy", 1, "", .fmu = "rotation.y"),
    NUMBER(GrSample, pose.rotation.z, "qz", 1, "", .fmu = "rotation.z"),
    NUMBER(GrSample, roll, "roll_deg", DEGREES, "right side down",
           PLOT(GR_FIGURE_ATTITUDE, .line = "roll (right side down)")),
    NUMBER(GrSample, pitch, "pitch_deg", DEGREES, "nose down", PLOT(GR_FIGURE_ATTITUDE, .line = "pitch (nose down)")),
    NUMBER(GrSample, heading, "heading_deg", DEGREES, "from x to the left"),
    NUMBER(GrSample, velocity.x, "vx_m_per_s", 1, "velocity of the chassis' origin, world", .fmu = "velocity.x"),
    NUMBER(GrSample, velocity.y, "vy_m_per_s", 1, "", .fmu = "velocity.y"),
    NUMBER(GrSample, velocity.z, "vz_m_per_s", 1, "", .fmu = "velocity.z"),
    NUMBER(GrSample, angular_velocity.x, "wx_deg_per_s", DEGREES, "angular velocity, world",
           .fmu = "angular_velocity.x"),
    NUMBER(GrSample, angular_velocity.y, "wy_deg_per_s", DEGREES, "", .fmu = "angular_velocity.y"),
    NUMBER(GrSample, angular_velocity.z, "wz_deg_per_s", DEGREES, "", .fmu = "angular_velocity.z"),
    NUMBER(GrSample, acceleration.x, "imu_ax_m_per_s2", 1, "as an IMU measures it: without gravity, chassis axes",
           .fmu = "imu.x"),
    NUMBER(GrSample, acceleration.y, "imu_ay_m_per_s2", 1, "", .fmu = "imu.y"),
    NUMBER(GrSample, acceleration.z, "imu_az_m_per_s2", 1, "", .fmu = "imu.z"),
    NUMBER(GrSample, angular_acceleration.x, "angular_ax_rad_per_s2", 1, "angular acceleration, chassis axes",
           .fmu = "angular_acceleration.x"),
    NUMBER(GrSample, angular_acceleration.y, "angular_ay_rad_per_s2", 1, "", .fmu = "angular_acceleration.y"),
    NUMBER(GrSample, angular_acceleration.z, "angular_az_rad_per_s2", 1, "", .fmu = "angular_acceleration.z"),
    NUMBER(GrSample, odometry.x, "odometry_x_m", 1, "pose by odometry", .fmu = "odometry.x"),
    NUMBER(GrSample, odometry.y, "odometry_y_m", 1, "", .fmu = "odometry.y"),
    NUMBER(GrSample, odometry.heading, "odometry_heading_deg", DEGREES, "", .fmu = "odometry.heading"),
    OTHER(GrSample, command.mode, "command_mode", GR_CHANNEL_MODE, "commanded motion", .fmu = ""),
    NUMBER(GrSample, command.speed, "command_speed_m_per_s", 1, "the drive command",
           PLOT(GR_FIGURE_SPEED, .line = "commanded", .place = 1)),
    NUMBER(GrSample, command.curvature, "command_curvature_per_m", 1, ""),
    NUMBER(GrSample, command.yaw_rate, "command_yaw_rate_deg_per_s", DEGREES, ""),
    NUMBER(GrSample, command.crab, "command_crab_deg", DEGREES, ""),
    NUMBER(GrSample, cross_track, "cross_track_m", 1, "left of the path", .fmu = "path.off",
           PLOT(GR_FIGURE_OFF_PATH, .line = "left of the path", .condition = GR_LINE_WITH_PATH)),
    OTHER(GrSample, way_point, "way_point", GR_CHANNEL_INTEGER, "index of the way-point it drives to, from 0",
          .fmu = "path.way_point"),
    NUMBER(GrSample, power, "power_W", 1, "of all motors, mechanical", PLOT(GR_FIGURE_POWER)),
    NUMBER(GrSample, belly_force, "belly_force_N", 1, "of ground and rocks on anything but wheels"),
    NUMBER(GrSample, self_force, "self_force_N", 1,
           "between the rover's own bodies (self_contact), sum over pairs that touch"),
    NUMBER(GrSample, step, "step_s", 1, "of the last step"),
    COMPUTED(GrSample, 0, "speed_m_per_s", ground_speed, "over the ground",
             PLOT(GR_FIGURE_SPEED, .line = "over ground")),
    COMPUTED(GrSample, 1, "odometry_error_m", odometry_error, "of the position, level",
             PLOT(GR_FIGURE_OFF_PATH, .line = "error of odometry", .place = 1)),
};

static const GrChannelRow ENERGY[] = {
    NUMBER(GrEnergySample, electric, "electric_J", 1, "motor energy: work of the motors while they drive",
           .fmu = "motors", PLOT(GR_FIGURE_ENERGY, .line = "motor energy")),
    NUMBER(GrEnergySample, braking, "braking_J", 1, "absorbed by motors while they brake, not recovered",
           PLOT(GR_FIGURE_ENERGY, .line = "absorbed by braking motors")),
    NUMBER(GrEnergySample, motor, "motor_J", 1, "net work of the motors: electric less braking", .fmu = "net"),
    NUMBER(GrEnergySample, mechanical, "mechanical_J", 1, "kinetic, potential, springs; since the start",
           PLOT(GR_FIGURE_ENERGY, .line = "stored: motion, height, springs")),
    NUMBER(GrEnergySample, soil, "soil_J", 1, "lost in the soil and in contacts",
           PLOT(GR_FIGURE_ENERGY, .line = "lost in soil and contacts")),
    NUMBER(GrEnergySample, wheels, "wheels_J", 1,
           "lost in the dampers of flexible wheels; their springs count as mechanical"),
    NUMBER(GrEnergySample, joints, "joints_J", 1, "lost in dampers, friction and end stops",
           PLOT(GR_FIGURE_ENERGY, .line = "lost in joints")),
    NUMBER(GrEnergySample, pull, "pull_J", 1, "work on the load that the rover pulls",
           PLOT(GR_FIGURE_ENERGY, .line = "work on the towed load", .condition = GR_LINE_IF_NOT_ZERO)),
    NUMBER(GrEnergySample, residual, "residual_J", 1, "motor less mechanical, soil, wheels, joints and pull",
           PLOT(GR_FIGURE_RESIDUAL)),
};

static const GrChannelRow SUPPLY[] = {
    NUMBER(GrSupplySample, azimuth, "sun_azimuth_deg", DEGREES, "of the Sun, clockwise from north"),
    NUMBER(GrSupplySample, elevation, "sun_elevation_deg", DEGREES, "of the middle of its disc"),
    NUMBER(GrSupplySample, light, "light", 1,
           "share of its disc in sight, times the share of the panel that no rock shades", PLOT(GR_FIGURE_LIGHT)),
    NUMBER(GrSupplySample, solar, "solar_W", 1, "power of the panel", PLOT(GR_FIGURE_SUPPLY, .line = "panel")),
    NUMBER(GrSupplySample, load, "load_W", 1, "electric power consumed, drives included",
           PLOT(GR_FIGURE_SUPPLY, .line = "consumed", .place = 1)),
    NUMBER(GrSupplySample, charge, "battery_Wh", (1 / 3600.0), "in the battery", PLOT(GR_FIGURE_BATTERY)),
};

static const GrChannelRow LOCALISATION[] = {
    NUMBER(GrLocalisationSample, delay, "delay_s", 1, "age of the estimate"),
    NUMBER(GrLocalisationSample, position.x, "x_m", 1, "estimated position of the IMU, world"),
    NUMBER(GrLocalisationSample, position.y, "y_m", 1, ""),
    NUMBER(GrLocalisationSample, position.z, "z_m", 1, ""),
    NUMBER(GrLocalisationSample, error, "error_m", 1, "horizontal, against the truth",
           PLOT(GR_FIGURE_LOCALISATION, .line = "error")),
    NUMBER(GrLocalisationSample, sigma, "error_3sigma_m", 3, "three standard deviations of the filter",
           PLOT(GR_FIGURE_LOCALISATION, .line = "3 sigma of the filter", .place = 1)),
    NUMBER(GrLocalisationSample, error_up, "error_up_m", 1, "of the height"),
    NUMBER(GrLocalisationSample, sigma_up, "error_up_3sigma_m", 3, ""),
    NUMBER(GrLocalisationSample, heading_error, "heading_error_deg", DEGREES, "of the heading",
           PLOT(GR_FIGURE_HEADING, .line = "error")),
    NUMBER(GrLocalisationSample, heading_sigma, "heading_3sigma_deg", (3 / GR_DEGREE), "",
           PLOT(GR_FIGURE_HEADING, .line = "3 sigma of the filter", .place = 1)),
    NUMBER(GrLocalisationSample, nees, "nees", 1, "normalised squared error of the position; 3 is expected"),
};

static const GrChannelRow WHEEL[] = {
    NUMBER(GrWheelSample, slip, "slip", 1, "−1 … 1, positive when the wheel spins; 0 at rest", PLOT(GR_FIGURE_SLIP)),
    NUMBER(GrWheelSample, slip_angle, "slip_angle_deg", DEGREES, "between its heading and its motion",
           PLOT(GR_FIGURE_SLIP_ANGLE)),
    NUMBER(GrWheelSample, sinkage, "sinkage_m", 1, "of the rim's lowest point below the undisturbed ground: the rut",
           PLOT(GR_FIGURE_SINKAGE)),
    NUMBER(GrWheelSample, force.x, "fx_N", 1, "of the ground on the wheel: along, across, normal", .fmu = "force.x"),
    NUMBER(GrWheelSample, force.y, "fy_N", 1, "", .fmu = "force.y"),
    NUMBER(GrWheelSample, force.z, "fz_N", 1, "", .fmu = "force.z"),
    NUMBER(GrWheelSample, load, "load_N", 1, "force of soil and rocks against gravity", PLOT(GR_FIGURE_LOAD)),
    NUMBER(GrWheelSample, torque, "torque_Nm", 1, "of the drive, positive ahead", PLOT(GR_FIGURE_TORQUE)),
    NUMBER(GrWheelSample, speed, "speed_rad_per_s", 1, "on its axle, positive ahead"),
    NUMBER(GrWheelSample, power, "power_W", 1, "of the drive, mechanical", PLOT(GR_FIGURE_WHEEL_POWER)),
    OTHER(GrWheelSample, state, "state", GR_CHANNEL_STATE, "contact state"),
    OTHER(GrWheelSample, soil, "soil", GR_CHANNEL_SOIL, "the soil under it"),
    NUMBER(GrWheelSample, soil_rest, "soil_rest", 1, "share of other soils, blended across a border",
           PLOT(GR_FIGURE_BLEND, .condition = GR_LINE_WITH_SOILS)),
    // in single precision, coordinates of a map are off by a millimetre at ten kilometres
    NUMBER(GrWheelSample, centre.x, "x_m", 1, "wheel centre, world", .fmu = "centre.x", .wide = true),
    NUMBER(GrWheelSample, centre.y, "y_m", 1, "", .fmu = "centre.y", .wide = true),
    NUMBER(GrWheelSample, centre.z, "z_m", 1, "", .fmu = "centre.z", .wide = true),
    OTHER(GrWheelSample, stone, "rock_state", GR_CHANNEL_STATE, "contact state with rocks and parts alone"),
    NUMBER(GrWheelSample, deflection, "deflection_m", 1,
           "radial, of a flexible wheel on soil or rock; not included in the sinkage"),
};

// What every joint transmits. Joint axes: its frame at position 0, fixed in the parent.
#define LOADS                                                                                                          \
    NUMBER(GrJointSample, force, "load_force_N", 1, "magnitude of the force that it transmits"),                       \
        NUMBER(GrJointSample, moment, "load_moment_Nm", 1, "magnitude of the moment that it transmits"),               \
        LOAD(load_force.x, "fx_N", "load.force.x", "that force, of the parent on the child at the joint, joint axes"), \
        LOAD(load_force.y, "fy_N", "load.force.y", ""), LOAD(load_force.z, "fz_N", "load.force.z", ""),                \
        LOAD(load_moment.x, "mx_Nm", "load.moment.x", "that moment, joint axes"),                                      \
        LOAD(load_moment.y, "my_Nm", "load.moment.y", ""), LOAD(load_moment.z, "mz_Nm", "load.moment.z", ""),          \
        LOAD(felt.x, "ax_m_per_s2", "accelerometer.x",                                                                 \
             "as an accelerometer on the child at the joint measures it: without gravity, joint axes"),                \
        LOAD(felt.y, "ay_m_per_s2", "accelerometer.y", ""), LOAD(felt.z, "az_m_per_s2", "accelerometer.z", "")
#define LOAD(m, channel, unit_name, ...)                                                                               \
    NUMBER(GrJointSample, m, channel, 1, __VA_ARGS__, .fmu = (unit_name), .detail = true)

static const GrChannelRow JOINT[] = {
    NUMBER(GrJointSample, angle, "angle_deg", DEGREES, "of the joint", .fmu = "position", PLOT(GR_FIGURE_JOINT_ANGLE)),
    NUMBER(GrJointSample, rate, "rate_deg_per_s", DEGREES, ""),
    NUMBER(GrJointSample, torque, "torque_Nm", 1, "of its motor"),
    NUMBER(GrJointSample, acceleration, "acceleration_rad_per_s2", 1, "", .detail = true),
    LOADS,
};

static const GrChannelRow SLIDER[] = {
    NUMBER(GrJointSample, angle, "position_m", 1, "of the joint"),
    NUMBER(GrJointSample, rate, "rate_m_per_s", 1, ""),
    NUMBER(GrJointSample, torque, "motor_force_N", 1, "of its motor", .fmu = "force"),
    NUMBER(GrJointSample, acceleration, "acceleration_m_per_s2", 1, "", .detail = true),
    LOADS,
};

const GrChannelGroup gr_wheel_channels = GROUP(WHEEL, true);
const GrChannelGroup gr_joint_channels = GROUP(JOINT, true);
const GrChannelGroup gr_slider_channels = GROUP(SLIDER, true);

const GrSampleGroup gr_sample_groups[GR_SAMPLE_GROUPS] = {
    {GROUP(BODY, false), "", "rover", 0, 0},
    {GROUP(ENERGY, false), "energy", "energies since the start", offsetof(GrSample, energy), 0},
    {GROUP(SUPPLY, false), "supply", "light and battery", offsetof(GrSample, supply), GR_PART_SUPPLY},
    {GROUP(LOCALISATION, false), "localisation", "localisation", offsetof(GrSample, localisation),
     GR_PART_LOCALISATION},
};

int gr_wheel_state_count(void)
{
    int count = 0;
    while (strcmp(gr_wheel_state_text(count), "unknown") != 0) {
        count++;
    }
    return count;
}

const GrChannelGroup *gr_joint_group(const GrModel *model, int joint)
{
    return gr_model_joint_slides(model, joint) ? &gr_slider_channels : &gr_joint_channels;
}

const GrChannelUnit *gr_channel_unit(const char *name)
{
    static const GrChannelUnit UNITS[] = {{"_m_per_s2", "m/s²", "m/s2", 1},
                                          {"_rad_per_s2", "rad/s²", "rad/s2", 1},
                                          {"_rad_per_s", "rad/s", "rad/s", 1},
                                          {"_deg_per_s", "°/s", "rad/s", GR_DEGREE},
                                          {"_m_per_s", "m/s", "m/s", 1},
                                          {"_per_m", "1/m", "1/m", 1},
                                          {"_deg", "°", "rad", GR_DEGREE},
                                          {"_Nm", "N m", "N.m", 1},
                                          {"_m", "m", "m", 1},
                                          {"_s", "s", "s", 1},
                                          {"_N", "N", "N", 1},
                                          {"_Wh", "Wh", "J", 3600},
                                          {"_W", "W", "W", 1},
                                          {"_J", "J", "J", 1},
                                          {"", "", "", 1}};
    const size_t length = strlen(name);
    const GrChannelUnit *unit = UNITS;
    while (unit->suffix[0] != '\0') {
        const size_t suffix = strlen(unit->suffix);
        if (length > suffix && strcmp(name + length - suffix, unit->suffix) == 0) {
            break;
        }
        unit++;
    }
    return unit;
}

// ---- the channels of one rover

/// Appends a group; only counts where there is no memory yet.
static void add_group(GrChannels *channels, const GrChannelGroup *group, GrChannelOwner owner, int index, size_t offset)
{
    for (int i = 0; i < group->count; i++) {
        const GrChannelRow *row = &group->rows[i];
        if (channels->items != NULL) {
            channels->items[channels->count] = (GrChannel){row, owner, index, 1, offset + row->offset};
        }
        channels->count++;
    }
}

static void add_groups(GrChannels *channels, const GrModel *m, GrSampleParts parts)
{
    channels->count = 0;
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        if (gr_sample_has_group(parts, i)) {
            add_group(channels, &gr_sample_groups[i].channels, GR_OWNER_ROVER, i, gr_sample_groups[i].offset);
        }
    }
    for (int i = 0; i < gr_model_wheel_count(m); i++) {
        add_group(channels, &gr_wheel_channels, GR_OWNER_WHEEL, i, (size_t)i * sizeof(GrWheelSample));
    }
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        add_group(channels, gr_joint_group(m, i), GR_OWNER_JOINT, i, (size_t)i * sizeof(GrJointSample));
    }
}

bool gr_channels_init(GrChannels *channels, const GrModel *model, GrSampleParts parts)
{
    *channels = (GrChannels){0};
    add_groups(channels, model, parts);
    channels->items = gr_calloc((size_t)channels->count, sizeof *channels->items);
    if (channels->items == NULL) {
        channels->count = 0;
        return false;
    }
    add_groups(channels, model, parts);
    return true;
}

void gr_channels_free(GrChannels *channels)
{
    gr_free(channels->items);
    *channels = (GrChannels){0};
}

void gr_channel_name(const GrModel *m, const GrChannel *channel, char out[GR_CHANNEL_NAME])
{
    const bool joint = channel->owner == GR_OWNER_JOINT;
    const char *owner = channel->width != 1                ? "*"
                        : channel->owner == GR_OWNER_ROVER ? gr_sample_groups[channel->index].owner
                        : joint                            ? gr_model_joint_name(m, channel->index)
                                                           : gr_model_wheel_name(m, channel->index);
    snprintf(out, GR_CHANNEL_NAME, "%s%s%s%s", joint ? "joint." : "", owner, owner[0] != '\0' ? "." : "",
             channel->row->name);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

/// Calls `take` for all numbers and integers, and for those of all wheels together, until it returns false. `wanted`:
/// channels that cannot have this name are left out; NULL: none.
static void visit(const GrModel *m, const char *wanted,
                  bool (*take)(void *context, const GrChannel *channel, const char *name), void *context)
{
    GrChannels channels;
    char name[GR_CHANNEL_NAME];
    bool more = gr_channels_init(&channels, m, GR_PART_ALL);
    for (int i = 0; i < channels.count && more; i++) {
        GrChannel channel = channels.items[i];
        if (channel.row->kind != GR_CHANNEL_NUMBER && channel.row->kind != GR_CHANNEL_INTEGER) {
            continue;
        }
        if (wanted != NULL && !ends_with(wanted, channel.row->name)) {
            continue; // a text for each channel is what a search takes its time for
        }
        gr_channel_name(m, &channel, name);
        more = take(context, &channel, name);
        if (more && channel.owner == GR_OWNER_WHEEL && channel.index == 0) {
            channel.width = gr_model_wheel_count(m);
            snprintf(name, sizeof name, "*.%s", channel.row->name);
            more = take(context, &channel, name);
        }
    }
    gr_channels_free(&channels);
}

typedef struct Search {
    const char *name;
    GrChannel *out;
    bool found;
} Search;

static bool compare(void *context, const GrChannel *channel, const char *name)
{
    Search *search = context;
    search->found = strcmp(name, search->name) == 0;
    if (search->found) {
        *search->out = *channel;
    }
    return !search->found;
}

bool gr_channel_find(const GrModel *model, const char *name, GrChannel *out)
{
    Search search = {.name = name, .out = out};
    if (name != NULL) {
        visit(model, name, compare, &search);
    }
    return search.found;
}

typedef struct Listing {
    bool (*take)(void *context, const char *name);
    void *context;
} Listing;

static bool pass_name(void *context, const GrChannel *channel, const char *name)
{
    const Listing *listing = context;
    (void)channel;
    return listing->take(listing->context, name);
}

void gr_channel_list(const GrModel *model, bool (*take)(void *context, const char *name), void *context)
{
    Listing listing = {take, context};
    visit(model, NULL, pass_name, &listing);
}

static void derive(const GrMission *mission, GrSample *sample, const GrChannelGroup *group, void *into, int index)
{
    for (int i = 0; i < group->count; i++) {
        const GrChannelRow *row = &group->rows[i];
        if (row->get != NULL) {
            const double value = row->get(mission, sample, index);
            memcpy((char *)into + row->offset, &value, sizeof value);
        }
    }
}

void gr_channels_derive(const GrMission *mission, GrSample *sample)
{
    const GrModel *m = mission->m;
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        const GrSampleGroup *group = &gr_sample_groups[i];
        derive(mission, sample, &group->channels, (char *)sample + group->offset, i);
    }
    for (int i = 0; i < gr_model_wheel_count(m); i++) {
        derive(mission, sample, &gr_wheel_channels, &sample->wheels[i], i);
    }
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        derive(mission, sample, gr_joint_group(m, i), &sample->joints[i], i);
    }
}

// ---- names and values of samples

static const GrNamed OUTCOMES[] = {GR_OUTCOME_LIST(GR_NAMED_ROW)};
static const GrNamed ARRIVALS[] = {GR_ARRIVAL_LIST(GR_NAMED_ROW)};

const char *gr_outcome_name(GrOutcome outcome)
{
    return GR_NAMED_GET(OUTCOMES, outcome, name);
}

const char *gr_outcome_text(GrOutcome outcome)
{
    return GR_NAMED_GET(OUTCOMES, outcome, text);
}

const char *gr_arrival_name(GrArrivalState state)
{
    return GR_NAMED_GET(ARRIVALS, state, name);
}

const char *gr_arrival_text(GrArrivalState state)
{
    return GR_NAMED_GET(ARRIVALS, state, text);
}

const char *gr_wheel_state_text(int state)
{
    return gr_contact_mode_text((GrContactMode)state);
}

static void *make(int count, size_t size)
{
    return gr_calloc(count > 0 ? (size_t)count : 1, size);
}

bool gr_sample_init(const GrModel *m, int rock_count, GrSample *sample)
{
    *sample = (GrSample){
        .wheels = make(gr_model_wheel_count(m), sizeof(GrWheelSample)),
        .joints = make(gr_model_joint_count(m), sizeof(GrJointSample)),
        .bodies = make(gr_model_part_count(m), sizeof(GrPose)),
        .rocks = make(rock_count, sizeof(GrPose)),
        .rock_count = rock_count,
    };
    if (sample->wheels == NULL || sample->joints == NULL || sample->bodies == NULL || sample->rocks == NULL) {
        gr_sample_free(sample);
        return false;
    }
    return true;
}

void gr_sample_free(GrSample *sample)
{
    gr_free(sample->wheels);
    gr_free(sample->joints);
    gr_free(sample->bodies);
    gr_free(sample->rocks);
    *sample = (GrSample){0};
}

void gr_run_summary_free(GrRunSummary *summary)
{
    gr_free(summary->wheels);
    gr_free(summary->way_points);
    gr_free(summary->warnings);
    gr_free(summary->self_contacts);
    *summary = (GrRunSummary){0};
}
