/// grouser show rover --json: the view of a rover as JSON.
#include "grouser/localise.h"
#include "joint_kind.h"
#include "json.h"
#include "rover_names.h"
#include "sensor_param.h"
#include "show_rover.h"

#include <math.h>

static void write_vec3(GrJson *json, const char *key, GrVec3 v)
{
    gr_json_numbers(json, key, (double[]){v.x, v.y, v.z}, 3);
}

static void write_inertia(GrJson *json, const char *key, GrSym3 s)
{
    gr_json_begin_object(json, key);
    gr_json_number(json, "xx", s.xx);
    gr_json_number(json, "yy", s.yy);
    gr_json_number(json, "zz", s.zz);
    gr_json_number(json, "xy", s.xy);
    gr_json_number(json, "xz", s.xz);
    gr_json_number(json, "yz", s.yz);
    gr_json_end(json);
}

static void write_bodies(GrJson *json, const GrRoverView *view)
{
    gr_json_begin_array(json, "bodies");
    for (int i = 0; i < view->rover->body_count; i++) {
        const GrBodyDef *body = &view->rover->bodies[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", body->name);
        gr_json_number(json, "mass_kg", body->mass);
        write_vec3(json, "position_m", view->poses[i].position);
        write_vec3(json, "com_m", body->com);
        write_inertia(json, "inertia_kgm2", body->inertia);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void write_motor(GrJson *json, const GrMotorDef *motor)
{
    gr_json_begin_object(json, "motor");
    gr_json_string(json, "kind", gr_motor_kind_names[motor->kind]);
    gr_json_number(json, "torque_limit_Nm", motor->torque_limit);
    if (motor->kind == GR_MOTOR_DC) {
        gr_json_number(json, "stall_torque_Nm", motor->stall_torque);
        gr_json_number(json, "no_load_speed_rad_s", motor->no_load_speed);
    }
    gr_json_end(json);
}

/// Limits that do not exist are null.
static void write_joints(GrJson *json, const GrRoverView *view)
{
    const GrRoverDef *rover = view->rover;
    gr_json_begin_array(json, "joints");
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        const bool slides = gr_joint_kind_slides(joint->kind);
        const double unit = slides ? 1 : (1 / GR_DEGREE);
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", joint->name);
        gr_json_string(json, "kind", gr_joint_kind(joint->kind)->name);
        gr_json_string(json, "role", gr_joint_role_names[joint->role]);
        gr_json_string(json, "parent", rover->bodies[joint->parent].name);
        gr_json_string(json, "child", rover->bodies[joint->child].name);
        gr_json_integer(json, "degrees_of_freedom", gr_joint_kind(joint->kind)->axis_count);
        if (joint->kind == GR_JOINT_SCREW) {
            gr_json_number(json, "pitch_m_per_rad", joint->pitch);
        }
        if (gr_joint_kind_is_scalar(joint->kind)) {
            gr_json_number(json, slides ? "lower_m" : "lower_deg", unit * joint->lower);
            gr_json_number(json, slides ? "upper_m" : "upper_deg", unit * joint->upper);
            gr_json_number(json, slides ? "initial_m" : "initial_deg", unit * view->positions[i]);
        }
        if (joint->motor.kind != GR_MOTOR_NONE) {
            write_motor(json, &joint->motor);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "couplings");
    for (int i = 0; i < rover->coupling_count; i++) {
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "joint", rover->joints[rover->couplings[i].joint].name);
        gr_json_string(json, "of", rover->joints[rover->couplings[i].of].name);
        gr_json_number(json, "ratio", rover->couplings[i].ratio);
        gr_json_number(json, "offset", rover->couplings[i].offset);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void write_wheels(GrJson *json, const GrRoverView *view)
{
    gr_json_begin_array(json, "wheels");
    for (int i = 0; i < view->rover->wheel_count; i++) {
        const GrWheelDef *wheel = &view->rover->wheels[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", wheel->name);
        gr_json_number(json, "radius_m", wheel->radius);
        gr_json_number(json, "width_m", wheel->width);
        write_vec3(json, "position_m", gr_rover_view_wheel(view, i));
        gr_json_integer(json, "grousers", wheel->grouser_count);
        gr_json_number(json, "grouser_height_m", wheel->grouser_height);
        if (view->loads != NULL) {
            gr_json_number(json, "load_N", view->loads[i]);
        } else {
            gr_json_null(json, "load_N");
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void write_sensors(GrJson *json, const GrRoverDef *rover)
{
    gr_json_begin_array(json, "sensors");
    for (int i = 0; i < rover->sensor_count; i++) {
        const GrSensorDef *sensor = &rover->sensors[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", sensor->name);
        gr_json_string(json, "kind", gr_sensor_kind_name(sensor->kind));
        if (sensor->kind == GR_SENSOR_ENCODER) {
            gr_json_string(json, "joint", rover->joints[sensor->joint].name);
        } else {
            gr_json_string(json, "body", rover->bodies[sensor->body].name);
            write_vec3(json, "position_m", sensor->pose.position);
        }
        if (sensor->kind == GR_SENSOR_LIDAR) {
            gr_json_string(json, "save_as", gr_cloud_format_name(sensor->lidar.format));
        }
        for (int k = 0; k < gr_sensor_param_count(); k++) {
            const GrSensorParam *param = gr_sensor_param(k);
            if (gr_sensor_param_of(param, sensor->kind)) {
                char key[96];
                snprintf(key, sizeof key, "%s%s%s", param->group, param->group[0] != '\0' ? "." : "", param->key);
                gr_json_number(json, key, gr_sensor_param_get(sensor, param));
            }
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void write_localisation(GrJson *json, const GrRoverDef *rover)
{
    const GrLocalisationDef *def = rover->localisation;
    if (def == NULL) {
        return;
    }
    gr_json_begin_object(json, "localisation");
    gr_json_string(json, "imu", rover->sensors[def->imu].name);
    gr_json_begin_array(json, "encoders");
    for (int i = 0; i < def->encoder_count; i++) {
        gr_json_string(json, NULL, rover->sensors[def->encoders[i]].name);
    }
    gr_json_end(json);
    if (def->visual >= 0) {
        gr_json_string(json, "visual_odometry", rover->sensors[def->visual].name);
    }
    if (def->stars >= 0) {
        gr_json_string(json, "star_tracker", rover->sensors[def->stars].name);
    }
    gr_json_number(json, "slip", def->slip);
    gr_json_number(json, "side_slip_deg", def->side_slip / GR_DEGREE);
    gr_json_number(json, "slip_time_s", def->slip_time);
    gr_json_number(json, "start_position_m", def->start_position);
    gr_json_number(json, "start_attitude_deg", def->start_attitude / GR_DEGREE);
    gr_json_end(json);
}

static void write_size(GrJson *json, const GrRoverSize *size)
{
    gr_json_begin_object(json, "size");
    gr_json_number(json, "length_m", size->length);
    gr_json_number(json, "width_m", size->width);
    gr_json_number(json, "height_m", size->height);
    gr_json_number(json, "wheelbase_m", size->wheelbase);
    gr_json_number(json, "track_m", size->track);
    gr_json_number(json, "clearance_m", size->clearance);
    gr_json_end(json);
}

void gr_show_rover_json(const GrRoverView *view, FILE *file)
{
    const GrRoverDef *rover = view->rover;
    GrJson json = gr_json_to_file(file, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "name", rover->name);
    gr_json_string(&json, "title", rover->title);
    gr_json_number(&json, "mass_kg", view->mass.mass);
    gr_json_number(&json, "gravity_m_s2", view->gravity);
    gr_json_number(&json, "weight_N", view->mass.mass * view->gravity);
    write_vec3(&json, "com_m", view->mass.com);
    gr_json_number(&json, "com_height_m", view->mass.com.z - view->size.ground);
    write_inertia(&json, "inertia_kgm2", view->mass.inertia);
    gr_json_integer(&json, "degrees_of_freedom", gr_rover_degrees_of_freedom(rover));
    write_size(&json, &view->size);
    if (view->loads != NULL) {
        gr_json_begin_object(&json, "rest");
        gr_json_number(&json, "pitch_deg", view->stance.pitch / GR_DEGREE);
        gr_json_number(&json, "roll_deg", view->stance.roll / GR_DEGREE);
        gr_json_number(&json, "com_height_m", view->stance.com.z);
        gr_json_end(&json);
    }
    write_bodies(&json, view);
    write_joints(&json, view);
    write_wheels(&json, view);
    write_sensors(&json, rover);
    write_localisation(&json, rover);
    gr_json_begin_array(&json, "notes");
    for (int i = 0; i < rover->note_count; i++) {
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "confidence", gr_confidence_name(rover->notes[i].confidence));
        gr_json_string(&json, "text", rover->notes[i].text);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}
