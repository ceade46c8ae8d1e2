#include "show_rover.h"

#include "alloc.h"
#include "grouser/localise.h"
#include "grouser/sense.h"
#include "joint_kind.h"
#include "json.h"
#include "number.h"
#include "out_of_memory.h"
#include "report.h"
#include "rover_def.h"
#include "sensor_param.h"
#include "table.h"
#include "text.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

/// Loads of the rover's stance on a plane; without a stance there are no loads, and a warning is given.
static GrStatus find_loads(GrRoverView *view, GrErrorLog *log)
{
    if (view->rover->wheel_count == 0 || view->gravity == 0) {
        return GR_OK;
    }
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -view->gravity);
    GrModel *model = NULL;
    if (gr_model_create(view->rover, &options, &model, log) != GR_OK) {
        return GR_ERROR_MODEL;
    }
    GrData *data = NULL;
    gr_data_create(model, &data, NULL);
    double *loads = gr_calloc((size_t)view->rover->wheel_count, sizeof *loads);
    GrStatus status = data != NULL && loads != NULL ? GR_OK : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        GrErrorLog why = {0};
        if (gr_stand_on_plane(model, data, loads, &view->stance, &why) == GR_OK) {
            view->loads = loads;
            loads = NULL;
        } else {
            gr_warning_add(log, (GrLocation){0}, "no wheel loads: %s",
                           why.count > 0 ? why.items[0].text : "no stance found");
        }
    }
    gr_free(loads);
    gr_data_free(data);
    gr_model_free(model);
    return status;
}

static GrStatus fill_view(GrRoverView *view, GrErrorLog *log)
{
    GrStatus status = gr_rover_initial_positions(view->rover, view->positions, log);
    if (status == GR_OK) {
        status = gr_rover_body_poses(view->rover, view->positions, view->poses, log);
    }
    if (status == GR_OK) {
        status = gr_rover_size(view->rover, &view->size, log);
    }
    if (status == GR_OK) {
        view->mass = gr_rover_mass_properties(view->rover, view->poses);
        status = find_loads(view, log);
    }
    return status;
}

GrStatus gr_rover_view_make(const GrRoverDef *rover, double gravity, GrRoverView *out, GrErrorLog *log)
{
    *out = (GrRoverView){.rover = rover, .gravity = gravity};
    out->positions = gr_calloc((size_t)rover->joint_count + 1, sizeof *out->positions);
    out->poses = gr_calloc((size_t)rover->body_count + 1, sizeof *out->poses);
    const GrStatus status = out->positions != NULL && out->poses != NULL ? fill_view(out, log) : GR_ERROR_MEMORY;
    if (status == GR_ERROR_MEMORY) {
        gr_out_of_memory(log, NULL);
    }
    if (status != GR_OK) {
        gr_rover_view_free(out);
    }
    return status;
}

void gr_rover_view_free(GrRoverView *view)
{
    gr_free(view->positions);
    gr_free(view->poses);
    gr_free(view->loads);
    *view = (GrRoverView){0};
}

/// Wheel centre in the frame of body 0.
static GrVec3 rover_view_wheel(const GrRoverView *view, int wheel)
{
    const GrWheelDef *w = &view->rover->wheels[wheel];
    return gr_pose_mul(view->poses[w->body], w->pose).position;
}

const char *gr_confidence_name(GrConfidence confidence)
{
    static const char *const names[] = {"published", "derived", "assumed"};
    return names[confidence];
}

// ---- text ----

enum { DIGITS = 4 };

static const char *number(double value, char out[GR_NUMBER_SIZE])
{
    gr_number_round(fabs(value) < 1e-12 ? 0 : value, DIGITS, out);
    return out;
}

static void add_vec3(GrTable *table, GrVec3 v)
{
    char x[GR_NUMBER_SIZE], y[GR_NUMBER_SIZE], z[GR_NUMBER_SIZE];
    gr_number_fixed(v.x, 3, x);
    gr_number_fixed(v.y, 3, y);
    gr_number_fixed(v.z, 3, z);
    gr_table_printf(table, "%s, %s, %s", x, y, z);
}

static void print_summary(const GrRoverView *view, FILE *file)
{
    const GrRoverDef *rover = view->rover;
    const GrMassProperties *m = &view->mass;
    char a[GR_NUMBER_SIZE], b[GR_NUMBER_SIZE], c[GR_NUMBER_SIZE], d[GR_NUMBER_SIZE];
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "|");
    gr_table_text(&table, "mass");
    gr_table_printf(&table, "%s kg", number(m->mass, a));
    gr_table_text(&table, "weight");
    gr_table_printf(&table, "%s N at %s m/s²", number(m->mass * view->gravity, a), number(view->gravity, b));
    gr_table_text(&table, "centre of mass");
    gr_number_fixed(m->com.x, 3, a);
    gr_number_fixed(m->com.y, 3, b);
    gr_number_fixed(m->com.z, 3, c);
    gr_number_fixed(m->com.z - view->size.ground, 3, d);
    gr_table_printf(&table, "%s, %s, %s m; %s m above the ground", a, b, c, d);
    gr_table_text(&table, "inertia about it");
    gr_table_printf(&table, "xx %s, yy %s, zz %s kg m²", number(m->inertia.xx, a), number(m->inertia.yy, b),
                    number(m->inertia.zz, c));
    gr_table_text(&table, "");
    gr_table_printf(&table, "xy %s, xz %s, yz %s kg m²", number(m->inertia.xy, a), number(m->inertia.xz, b),
                    number(m->inertia.yz, c));
    gr_table_text(&table, "degrees of freedom");
    const int dof = gr_rover_degrees_of_freedom(rover);
    gr_table_printf(&table, "%d: 6 of the base, %d of joints, less %d coupled", dof, dof - 6 + rover->coupling_count,
                    rover->coupling_count);
    gr_table_text(&table, "length, width, height");
    gr_table_printf(&table, "%s, %s, %s m", number(view->size.length, a), number(view->size.width, b),
                    number(view->size.height, c));
    if (rover->wheel_count > 0) {
        gr_table_text(&table, "wheelbase, track");
        gr_table_printf(&table, "%s, %s m", number(view->size.wheelbase, a), number(view->size.track, b));
    }
    if (isfinite(view->size.clearance)) {
        gr_table_text(&table, "ground clearance");
        gr_table_printf(&table, "%s m", number(view->size.clearance, a));
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

static void print_bodies(const GrRoverView *view, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "body|>mass [kg]|position [m]|centre of mass in it [m]");
    for (int i = 0; i < view->rover->body_count; i++) {
        const GrBodyDef *body = &view->rover->bodies[i];
        gr_table_text(&table, body->name);
        gr_table_number(&table, body->mass, DIGITS);
        add_vec3(&table, view->poses[i].position);
        add_vec3(&table, body->com);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

static void add_range(GrTable *table, const GrJointDef *joint)
{
    if (joint->kind == GR_JOINT_FIXED) {
        gr_table_text(table, "");
        return;
    }
    if (!gr_joint_kind_is_scalar(joint->kind)) {
        gr_table_printf(table, "%d axes", gr_joint_kind(joint->kind)->axis_count);
        return;
    }
    if (isinf(joint->lower) && isinf(joint->upper)) {
        gr_table_text(table, "free");
        return;
    }
    const bool turns = !gr_joint_kind_slides(joint->kind);
    const double unit = turns ? (1 / GR_DEGREE) : 1;
    char lower[GR_NUMBER_SIZE], upper[GR_NUMBER_SIZE];
    gr_table_printf(table, "%s .. %s %s", number(unit * joint->lower, lower), number(unit * joint->upper, upper),
                    turns ? "°" : "m");
}

static void add_motor(GrTable *table, const GrJointDef *joint)
{
    const GrMotorDef *motor = &joint->motor;
    const char *unit = gr_joint_kind_slides(joint->kind) ? "N" : "N m";
    char a[GR_NUMBER_SIZE], b[GR_NUMBER_SIZE];
    if (motor->kind == GR_MOTOR_NONE) {
        gr_table_text(table, "");
    } else if (motor->kind == GR_MOTOR_DC) {
        gr_table_printf(table, "dc, stalls at %s %s, idles at %s rad/s", number(motor->stall_torque, a), unit,
                        number(motor->no_load_speed, b));
    } else if (isinf(motor->torque_limit)) {
        gr_table_text(table, gr_motor_kind_names[motor->kind]);
    } else {
        gr_table_printf(table, "%s, at most %s %s", gr_motor_kind_names[motor->kind], number(motor->torque_limit, a),
                        unit);
    }
}

static void print_joints(const GrRoverView *view, FILE *file)
{
    const GrRoverDef *rover = view->rover;
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "joint|kind|role|from|to|range|motor");
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        gr_table_text(&table, joint->name);
        gr_table_text(&table, gr_joint_kind(joint->kind)->name);
        gr_table_text(&table, !gr_joint_kind_is_scalar(joint->kind) ? "" : gr_joint_role_names[joint->role]);
        gr_table_text(&table, rover->bodies[joint->parent].name);
        gr_table_text(&table, rover->bodies[joint->child].name);
        add_range(&table, joint);
        add_motor(&table, joint);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    for (int i = 0; i < rover->coupling_count; i++) {
        const GrCouplingDef *coupling = &rover->couplings[i];
        char ratio[GR_NUMBER_SIZE], offset[GR_NUMBER_SIZE];
        fprintf(file, "  %s = %s %s", rover->joints[coupling->joint].name, number(coupling->ratio, ratio),
                rover->joints[coupling->of].name);
        if (coupling->offset != 0) {
            fprintf(file, " %s %s", coupling->offset < 0 ? "-" : "+", number(fabs(coupling->offset), offset));
        }
        fputs(", exactly\n", file);
    }
}

static void print_wheels(const GrRoverView *view, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "wheel|>radius [m]|>width [m]|centre [m]|grousers");
    if (view->loads != NULL) {
        gr_table_heads(&table, ">load [N]|>share");
    }
    for (int i = 0; i < view->rover->wheel_count; i++) {
        const GrWheelDef *wheel = &view->rover->wheels[i];
        gr_table_text(&table, wheel->name);
        gr_table_number(&table, wheel->radius, DIGITS);
        gr_table_number(&table, wheel->width, DIGITS);
        add_vec3(&table, rover_view_wheel(view, i));
        if (wheel->grouser_count > 0) {
            char height[GR_NUMBER_SIZE];
            gr_table_printf(&table, "%d of %s mm", wheel->grouser_count, number(1000 * wheel->grouser_height, height));
        } else {
            gr_table_text(&table, "none");
        }
        if (view->loads != NULL) {
            gr_table_number(&table, view->loads[i], DIGITS);
            gr_table_printf(&table, "%.1f %%", 100 * view->loads[i] / view->stance.weight);
        }
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
    if (view->loads != NULL) {
        char gravity[GR_NUMBER_SIZE], pitch[GR_NUMBER_SIZE], roll[GR_NUMBER_SIZE];
        gr_number_fixed(view->stance.pitch / GR_DEGREE, 2, pitch);
        gr_number_fixed(view->stance.roll / GR_DEGREE, 2, roll);
        fprintf(file, "  Loads at rest on a hard plane at %s m/s²; the chassis then pitches by %s° and rolls by %s°.\n",
                number(view->gravity, gravity), pitch, roll);
    }
}

static void print_sensors(const GrRoverView *view, FILE *file)
{
    GrTable table = {.indent = 2};
    gr_table_heads(&table, "sensor|kind|on|at [m]|>rate [Hz]");
    for (int i = 0; i < view->rover->sensor_count; i++) {
        const GrSensorDef *sensor = &view->rover->sensors[i];
        const bool encoder = sensor->kind == GR_SENSOR_ENCODER;
        gr_table_text(&table, sensor->name);
        gr_table_text(&table, gr_sensor_kind_name(sensor->kind));
        gr_table_text(&table,
                      encoder ? view->rover->joints[sensor->joint].name : view->rover->bodies[sensor->body].name);
        if (encoder) {
            gr_table_text(&table, "");
        } else {
            add_vec3(&table, sensor->pose.position);
        }
        gr_table_number(&table, sensor->rate, DIGITS);
    }
    gr_table_print(&table, file);
    gr_table_free(&table);
}

static void print_localisation(const GrRoverDef *rover, FILE *file)
{
    const GrLocalisationDef *def = rover->localisation;
    if (def == NULL) {
        return;
    }
    fprintf(file, "  Localisation by %s", rover->sensors[def->imu].name);
    for (int i = 0; i < def->encoder_count; i++) {
        fprintf(file, ", %s", rover->sensors[def->encoders[i]].name);
    }
    const int others[] = {def->visual, def->stars};
    for (int i = 0; i < 2; i++) {
        if (others[i] >= 0) {
            fprintf(file, ", %s", rover->sensors[others[i]].name);
        }
    }
    fputs(".\n", file);
}

static void print_notes(const GrRoverView *view, FILE *file)
{
    for (int i = 0; i < view->rover->note_count; i++) {
        fprintf(file, "  %-9s  ", gr_confidence_name(view->rover->notes[i].confidence));
        gr_print_wrapped(view->rover->notes[i].text, 13, 100, file);
    }
}

void gr_show_rover_text(const GrRoverView *view, FILE *file)
{
    const GrRoverDef *rover = view->rover;
    fprintf(file, "%s (%s)\n\n", rover->title[0] != '\0' ? rover->title : "Rover", rover->name);
    print_summary(view, file);
    fputs("\nBodies\n", file);
    print_bodies(view, file);
    if (rover->joint_count > 0) {
        fputs("\nJoints\n", file);
        print_joints(view, file);
    }
    if (rover->wheel_count > 0) {
        fputs("\nWheels\n", file);
        print_wheels(view, file);
    }
    if (rover->sensor_count > 0) {
        fputs("\nSensors\n", file);
        print_sensors(view, file);
        print_localisation(rover, file);
    }
    if (rover->note_count > 0) {
        fputs("\nSources of the numbers\n", file);
        print_notes(view, file);
    }
}

// ---- JSON

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
        write_vec3(json, "position_m", rover_view_wheel(view, i));
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
