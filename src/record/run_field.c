#include "run_field.h"

#include <math.h>
#include <string.h>

#define NUMBER(type, m, name, scale, text)                                                                             \
    {                                                                                                                  \
        name, GR_FIELD_NUMBER, false, offsetof(type, m), scale, text, {0}, NULL                                        \
    }
// A coordinate of a map: single precision has errors of a millimetre at ten kilometres.
#define PLACE(type, m, name, text)                                                                                     \
    {                                                                                                                  \
        name, GR_FIELD_NUMBER, true, offsetof(type, m), 1, text, {0}, NULL                                             \
    }
// A number with a plot, and members of GrFieldPlot that are not zero.
#define PLOTTED(type, m, name, scale, text, ...)                                                                       \
    {                                                                                                                  \
        name, GR_FIELD_NUMBER, false, offsetof(type, m), scale, text, {.figure = __VA_ARGS__}, NULL                    \
    }
#define DERIVED_NUMBER(function, name, text, ...)                                                                      \
    {                                                                                                                  \
        name, GR_FIELD_NUMBER, false, 0, 1, text, {.figure = __VA_ARGS__}, function                                    \
    }
#define OTHER(type, m, name, kind, text)                                                                               \
    {                                                                                                                  \
        name, kind, false, offsetof(type, m), 1, text, {0}, NULL                                                       \
    }
#define GROUP(list, single)                                                                                            \
    {                                                                                                                  \
        (list), sizeof(list) / sizeof((list)[0]), single                                                               \
    }

/// [m/s], level.
static double ground_speed(const void *from)
{
    const GrVec3 v = ((const GrSample *)from)->velocity;
    return sqrt(v.x * v.x + v.y * v.y);
}

/// [m], level.
static double odometry_error(const void *from)
{
    const GrSample *s = from;
    const double dx = s->odometry.x - s->pose.position.x, dy = s->odometry.y - s->pose.position.y;
    return sqrt(dx * dx + dy * dy);
}

static const GrRunField BODY[] = {
    NUMBER(GrSample, time, "time_s", 1, "simulated time"),
    NUMBER(GrSample, distance, "distance_m", 1, "travelled over the ground"),
    NUMBER(GrSample, pose.position.x, "x_m", 1, "position of the chassis, world"),
    NUMBER(GrSample, pose.position.y, "y_m", 1, ""),
    PLOTTED(GrSample, pose.position.z, "z_m", 1, "", GR_FIGURE_HEIGHT),
    NUMBER(GrSample, pose.rotation.w, "qw", 1, "orientation of the chassis, world"),
    NUMBER(GrSample, pose.rotation.x, "qx", 1, ""),
    NUMBER(GrSample, pose.rotation.y, "qy", 1, ""),
    NUMBER(GrSample, pose.rotation.z, "qz", 1, ""),
    PLOTTED(GrSample, roll, "roll_deg", (1 / GR_DEGREE), "right side down", GR_FIGURE_ATTITUDE,
            .line = "roll (right side down)"),
    PLOTTED(GrSample, pitch, "pitch_deg", (1 / GR_DEGREE), "nose down", GR_FIGURE_ATTITUDE,
            .line = "pitch (nose down)"),
    NUMBER(GrSample, heading, "heading_deg", (1 / GR_DEGREE), "from x to the left"),
    NUMBER(GrSample, velocity.x, "vx_m_per_s", 1, "velocity of the chassis' origin, world"),
    NUMBER(GrSample, velocity.y, "vy_m_per_s", 1, ""),
    NUMBER(GrSample, velocity.z, "vz_m_per_s", 1, ""),
    NUMBER(GrSample, angular_velocity.x, "wx_deg_per_s", (1 / GR_DEGREE), "angular velocity, world"),
    NUMBER(GrSample, angular_velocity.y, "wy_deg_per_s", (1 / GR_DEGREE), ""),
    NUMBER(GrSample, angular_velocity.z, "wz_deg_per_s", (1 / GR_DEGREE), ""),
    NUMBER(GrSample, acceleration.x, "imu_ax_m_per_s2", 1, "as an IMU measures it: without gravity, chassis axes"),
    NUMBER(GrSample, acceleration.y, "imu_ay_m_per_s2", 1, ""),
    NUMBER(GrSample, acceleration.z, "imu_az_m_per_s2", 1, ""),
    NUMBER(GrSample, odometry.x, "odometry_x_m", 1, "estimated position (odometry)"),
    NUMBER(GrSample, odometry.y, "odometry_y_m", 1, ""),
    NUMBER(GrSample, odometry.heading, "odometry_heading_deg", (1 / GR_DEGREE), ""),
    OTHER(GrSample, command.mode, "command_mode", GR_FIELD_MODE, "commanded motion"),
    PLOTTED(GrSample, command.speed, "command_speed_m_per_s", 1, "", GR_FIGURE_SPEED, .line = "commanded", .place = 1),
    NUMBER(GrSample, command.curvature, "command_curvature_per_m", 1, ""),
    NUMBER(GrSample, command.yaw_rate, "command_yaw_rate_deg_per_s", (1 / GR_DEGREE), ""),
    NUMBER(GrSample, command.crab, "command_crab_deg", (1 / GR_DEGREE), ""),
    PLOTTED(GrSample, cross_track, "cross_track_m", 1, "left of the path", GR_FIGURE_OFF_PATH,
            .line = "left of the path", .condition = GR_LINE_WITH_PATH),
    OTHER(GrSample, way_point, "way_point", GR_FIELD_INTEGER, "index of the way-point it drives to, from 0"),
    PLOTTED(GrSample, power, "power_W", 1, "of all motors, mechanical", GR_FIGURE_POWER),
    NUMBER(GrSample, belly_force, "belly_force_N", 1, "of ground and rocks on anything but wheels"),
    NUMBER(GrSample, self_force, "self_force_N", 1, "between the rover's own parts, sum over pairs"),
    NUMBER(GrSample, step, "step_s", 1, "of the last step"),
};

static const GrRunField ENERGY[] = {
    PLOTTED(GrEnergySample, electric, "electric_J", 1, "motor energy: work of the motors while they drive",
            GR_FIGURE_ENERGY, .line = "motor energy"),
    PLOTTED(GrEnergySample, braking, "braking_J", 1, "absorbed by motors while they brake, not recovered",
            GR_FIGURE_ENERGY, .line = "absorbed by braking motors"),
    NUMBER(GrEnergySample, motor, "motor_J", 1, "net work of the motors: electric less braking"),
    PLOTTED(GrEnergySample, mechanical, "mechanical_J", 1, "kinetic, potential, springs; since the start",
            GR_FIGURE_ENERGY, .line = "stored: motion, height, springs"),
    PLOTTED(GrEnergySample, soil, "soil_J", 1, "lost in the soil and in contacts", GR_FIGURE_ENERGY,
            .line = "lost in soil and contacts"),
    NUMBER(GrEnergySample, wheels, "wheels_J", 1, "lost in the dampers of flexible wheels"),
    PLOTTED(GrEnergySample, joints, "joints_J", 1, "lost in dampers, friction and end stops", GR_FIGURE_ENERGY,
            .line = "lost in joints"),
    PLOTTED(GrEnergySample, pull, "pull_J", 1, "work on the load that the rover pulls", GR_FIGURE_ENERGY,
            .line = "work on the towed load", .condition = GR_LINE_IF_NOT_ZERO),
    PLOTTED(GrEnergySample, residual, "residual_J", 1, "motor less mechanical, soil, joints and pull",
            GR_FIGURE_RESIDUAL),
};

static const GrRunField SUPPLY[] = {
    NUMBER(GrSupplySample, azimuth, "sun_azimuth_deg", (1 / GR_DEGREE), "of the Sun, clockwise from north"),
    NUMBER(GrSupplySample, elevation, "sun_elevation_deg", (1 / GR_DEGREE), "of the middle of its disc"),
    PLOTTED(GrSupplySample, light, "light", 1, "share of the Sun's disc in sight, less what rocks shade",
            GR_FIGURE_LIGHT),
    PLOTTED(GrSupplySample, solar, "solar_W", 1, "power of the panel", GR_FIGURE_SUPPLY, .line = "panel"),
    PLOTTED(GrSupplySample, load, "load_W", 1, "electric power consumed, drives included", GR_FIGURE_SUPPLY,
            .line = "consumed", .place = 1),
    PLOTTED(GrSupplySample, charge, "battery_Wh", (1 / 3600.0), "in the battery", GR_FIGURE_BATTERY),
};

static const GrRunField LOCALISATION[] = {
    NUMBER(GrLocalisationSample, delay, "delay_s", 1, "age of the estimate"),
    NUMBER(GrLocalisationSample, position.x, "x_m", 1, "where the filter believes the IMU to be, world"),
    NUMBER(GrLocalisationSample, position.y, "y_m", 1, ""),
    NUMBER(GrLocalisationSample, position.z, "z_m", 1, ""),
    PLOTTED(GrLocalisationSample, error, "error_m", 1, "horizontal, against the truth", GR_FIGURE_LOCALISATION,
            .line = "error"),
    PLOTTED(GrLocalisationSample, sigma, "error_3sigma_m", 3, "three times what the filter expects",
            GR_FIGURE_LOCALISATION, .line = "3 sigma of the filter", .place = 1),
    NUMBER(GrLocalisationSample, error_up, "error_up_m", 1, "of the height"),
    NUMBER(GrLocalisationSample, sigma_up, "error_up_3sigma_m", 3, ""),
    PLOTTED(GrLocalisationSample, heading_error, "heading_error_deg", (1 / GR_DEGREE), "", GR_FIGURE_HEADING,
            .line = "error"),
    PLOTTED(GrLocalisationSample, heading_sigma, "heading_3sigma_deg", (3 / GR_DEGREE), "", GR_FIGURE_HEADING,
            .line = "3 sigma of the filter", .place = 1),
    NUMBER(GrLocalisationSample, nees, "nees", 1, "normalised squared error of the position; 3 is expected"),
};

static const GrRunField WHEEL[] = {
    PLOTTED(GrWheelSample, slip, "slip", 1, "positive when the wheel spins", GR_FIGURE_SLIP),
    PLOTTED(GrWheelSample, slip_angle, "slip_angle_deg", (1 / GR_DEGREE), "", GR_FIGURE_SLIP_ANGLE),
    PLOTTED(GrWheelSample, sinkage, "sinkage_m", 1, "of the rim below the undisturbed ground: the rut",
            GR_FIGURE_SINKAGE),
    NUMBER(GrWheelSample, force.x, "fx_N", 1, "of the ground on the wheel: along, across, normal"),
    NUMBER(GrWheelSample, force.y, "fy_N", 1, ""),
    NUMBER(GrWheelSample, force.z, "fz_N", 1, ""),
    PLOTTED(GrWheelSample, load, "load_N", 1, "vertical, soil and rocks together", GR_FIGURE_LOAD),
    PLOTTED(GrWheelSample, torque, "torque_Nm", 1, "of the drive, positive ahead", GR_FIGURE_TORQUE),
    NUMBER(GrWheelSample, speed, "speed_rad_per_s", 1, "on its axle, positive ahead"),
    PLOTTED(GrWheelSample, power, "power_W", 1, "of the drive, mechanical", GR_FIGURE_WHEEL_POWER),
    OTHER(GrWheelSample, state, "state", GR_FIELD_STATE, "contact state"),
    OTHER(GrWheelSample, soil, "soil", GR_FIELD_SOIL, "the soil under it"),
    PLACE(GrWheelSample, centre.x, "x_m", "wheel centre, world"),
    PLACE(GrWheelSample, centre.y, "y_m", ""),
    PLACE(GrWheelSample, centre.z, "z_m", ""),
    OTHER(GrWheelSample, stone, "stone_state", GR_FIELD_STATE, "contact state with rocks and parts"),
    NUMBER(GrWheelSample, deflection, "deflection_m", 1, "radial, of a flexible wheel; no part of the sinkage"),
};

static const GrRunField JOINT[] = {
    PLOTTED(GrJointSample, angle, "angle_deg", (1 / GR_DEGREE), "", GR_FIGURE_JOINT_ANGLE),
    NUMBER(GrJointSample, rate, "rate_deg_per_s", (1 / GR_DEGREE), ""),
    NUMBER(GrJointSample, torque, "torque_Nm", 1, "of its motor"),
    NUMBER(GrJointSample, force, "load_force_N", 1, "magnitude of the force that it transmits"),
    NUMBER(GrJointSample, moment, "load_moment_Nm", 1, "magnitude of the moment that it transmits"),
};

static const GrRunField SLIDER[] = {
    NUMBER(GrJointSample, angle, "position_m", 1, ""),
    NUMBER(GrJointSample, rate, "rate_m_per_s", 1, ""),
    NUMBER(GrJointSample, torque, "motor_force_N", 1, "of its motor"),
    NUMBER(GrJointSample, force, "load_force_N", 1, "magnitude of the force that it transmits"),
    NUMBER(GrJointSample, moment, "load_moment_Nm", 1, "magnitude of the moment that it transmits"),
};

static const GrRunField DERIVED[] = {
    DERIVED_NUMBER(ground_speed, "speed_m_per_s", "over ground", GR_FIGURE_SPEED, .line = "over ground"),
    DERIVED_NUMBER(odometry_error, "odometry_error_m", "", GR_FIGURE_OFF_PATH, .line = "error of odometry", .place = 1),
};

const GrFieldGroup gr_body_fields = GROUP(BODY, false);
const GrFieldGroup gr_energy_fields = GROUP(ENERGY, false);
const GrFieldGroup gr_supply_fields = GROUP(SUPPLY, false);
const GrFieldGroup gr_localisation_fields = GROUP(LOCALISATION, false);
const GrFieldGroup gr_wheel_fields = GROUP(WHEEL, true);
const GrFieldGroup gr_joint_fields = GROUP(JOINT, true);
const GrFieldGroup gr_slider_fields = GROUP(SLIDER, true);
const GrFieldGroup gr_derived_fields = GROUP(DERIVED, false);

const GrSampleGroup gr_sample_groups[GR_SAMPLE_GROUPS] = {
    {&gr_body_fields, "", 0, 0},
    {&gr_energy_fields, "energy", offsetof(GrSample, energy), 0},
    {&gr_supply_fields, "supply", offsetof(GrSample, supply), GR_PART_SUPPLY},
    {&gr_localisation_fields, "localisation", offsetof(GrSample, localisation), GR_PART_LOCALISATION},
};

const GrFigureRow gr_figures[GR_FIGURE_COUNT] = {
    [GR_FIGURE_SLIP] = {GR_SECTION_WHEELS, "slip", "slip [-]", 0.01, 1},
    [GR_FIGURE_SINKAGE] = {GR_SECTION_WHEELS, "sinkage", "sinkage [mm]", 0.1, 1000},
    [GR_FIGURE_LOAD] = {GR_SECTION_WHEELS, "wheel load", "load [N]", 0.1, 1},
    [GR_FIGURE_TORQUE] = {GR_SECTION_WHEELS, "drive torque", "torque [N m]", 0.01, 1},
    [GR_FIGURE_WHEEL_POWER] = {GR_SECTION_WHEELS, "drive power", "power [W]", 0.01, 1},
    [GR_FIGURE_SLIP_ANGLE] = {GR_SECTION_WHEELS, "slip angle", "slip angle [deg]", 0.1, 1},
    [GR_FIGURE_POWER] = {GR_SECTION_ENERGY, "power of all motors", "power [W]", 0.01, 1},
    [GR_FIGURE_ENERGY] = {GR_SECTION_ENERGY, "energy since the start", "energy [J]", 0.01, 1},
    [GR_FIGURE_RESIDUAL] = {GR_SECTION_ENERGY, "residual of the balance", "energy [J]", 1e-6, 1},
    [GR_FIGURE_LIGHT] = {GR_SECTION_ENERGY, "light: the Sun in sight", "share of its disc [-]", 0.1, 1},
    [GR_FIGURE_SUPPLY] = {GR_SECTION_ENERGY, "electric power", "power [W]", 0.1, 1},
    [GR_FIGURE_BATTERY] = {GR_SECTION_ENERGY, "battery", "charge [Wh]", 0.01, 1},
    [GR_FIGURE_ATTITUDE] = {GR_SECTION_ROVER, "attitude", "angle [deg]", 0.1, 1},
    [GR_FIGURE_SPEED] = {GR_SECTION_ROVER, "speed", "speed [m/s]", 1e-3, 1},
    [GR_FIGURE_OFF_PATH] = {GR_SECTION_ROVER, "off the path, off by odometry", "distance [m]", 1e-3, 1},
    [GR_FIGURE_HEIGHT] = {GR_SECTION_ROVER, "height of the chassis", "z [m]", 0.01, 1},
    [GR_FIGURE_LOCALISATION] = {GR_SECTION_ROVER, "error of localisation", "distance [m]", 1e-3, 1},
    [GR_FIGURE_HEADING] = {GR_SECTION_ROVER, "error of heading", "angle [deg]", 0.01, 1},
    [GR_FIGURE_JOINT_ANGLE] = {GR_SECTION_JOINTS, "joints", "angle [deg]", 0.1, 1},
};

int gr_wheel_state_count(void)
{
    int count = 0;
    while (strcmp(gr_wheel_state_text(count), "unknown") != 0) {
        count++;
    }
    return count;
}

const GrFieldGroup *gr_joint_group(const GrModel *model, int joint)
{
    return gr_model_joint_slides(model, joint) ? &gr_slider_fields : &gr_joint_fields;
}
