/// What the page of an edited rover shows besides its text: a drawing, loads, clearance and the angles at which it
/// tips.
#include "editor_rover.h"
#include "alloc.h"
#include "drawing.h"
#include "editor.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "rover_pose.h"
#include "rover_yaml.h"
#include "vec3.h"

#include "grouser/analysis.h"
#include "grouser/model.h"

#include <math.h>
#include <stdio.h>

static const double EARTH = 9.80665; // [m/s²]

static void put_fact(GrJson *json, const char *group, const char *name, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "group", group);
    gr_json_string(json, "name", name);
    gr_json_string(json, "value", text);
    gr_json_end(json);
}

/// Angles at which the centre of mass stands above the outermost wheels in each direction, with the joints as drawn.
static void put_tipping(const GrRoverDef *rover, const GrPose *poses, GrJson *json)
{
    const GrMassProperties mass = gr_rover_mass_properties(rover, poses);
    double x[2] = {(double)INFINITY, -(double)INFINITY}, y[2] = {(double)INFINITY, -(double)INFINITY}, z = x[0];
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *wheel = &rover->wheels[i];
        const GrVec3 at = gr_pose_mul(poses[wheel->body], wheel->pose).position;
        x[0] = fmin(x[0], at.x);
        x[1] = fmax(x[1], at.x);
        y[0] = fmin(y[0], at.y);
        y[1] = fmax(y[1], at.y);
        z = fmin(z, at.z - wheel->radius);
    }
    const double height = mass.com.z - z;
    if (rover->wheel_count > 0 && height > 0) {
        put_fact(json, "Tips over at", "forward", "%.1f °", gr_atan2(x[1] - mass.com.x, height) / GR_DEGREE);
        put_fact(json, "Tips over at", "backward", "%.1f °", gr_atan2(mass.com.x - x[0], height) / GR_DEGREE);
        put_fact(json, "Tips over at", "to the left", "%.1f °", gr_atan2(y[1] - mass.com.y, height) / GR_DEGREE);
        put_fact(json, "Tips over at", "to the right", "%.1f °", gr_atan2(mass.com.y - y[0], height) / GR_DEGREE);
    }
}

static void put_loads(const GrRoverDef *rover, const GrModel *model, GrJson *json)
{
    GrErrorLog log = {.quiet = true};
    GrStance stance;
    GrData *data = NULL;
    gr_data_create(model, &data, NULL);
    double *loads = gr_calloc((size_t)rover->wheel_count + 1, sizeof *loads);
    if (data != NULL && loads != NULL && rover->wheel_count > 0 &&
        gr_stand_on_plane(model, data, loads, &stance, &log) == GR_OK) {
        for (int i = 0; i < rover->wheel_count; i++) {
            put_fact(json, "Wheel loads on the level, Earth", rover->wheels[i].name, "%.4g N", loads[i]);
        }
        put_fact(json, "Wheel loads on the level, Earth", "pitch of the chassis", "%.2f °", stance.pitch / GR_DEGREE);
    }
    gr_free(loads);
    gr_data_free(data);
}

static GrStatus put_shape(const GrRoverDef *rover, GrJson *json, GrErrorLog *log)
{
    GrRoverSize size;
    double *positions = gr_calloc((size_t)rover->joint_count + 1, sizeof *positions);
    GrPose *poses = gr_calloc((size_t)rover->body_count + 1, sizeof *poses);
    GrStatus status = positions != NULL && poses != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    status = status == GR_OK ? gr_rover_initial_positions(rover, positions, log) : status;
    status = status == GR_OK ? gr_rover_body_poses(rover, positions, poses, log) : status;
    status = status == GR_OK ? gr_rover_size(rover, &size, log) : status;
    if (status == GR_OK) {
        put_fact(json, "Size", "mass", "%.4g kg", gr_rover_mass_properties(rover, poses).mass);
        put_fact(json, "Size", "wheelbase", "%.4g m", size.wheelbase);
        put_fact(json, "Size", "track", "%.4g m", size.track);
        put_fact(json, "Size", "ground clearance", "%.3g m", size.clearance);
        put_tipping(rover, poses, json);
    }
    gr_free(positions);
    gr_free(poses);
    return status;
}

GrStatus gr_editor_check_rover(const GrEditor *editor, GrJson *json, GrErrorLog *log)
{
    size_t length;
    GrRoverDef rover;
    GrModel *model = NULL;
    GrBuffer svg = {0};
    const char *text = gr_editor_text(editor, &length);
    GrStatus status = gr_rover_parse(gr_editor_file(editor), text, length, &rover, log);
    if (status != GR_OK) {
        return status;
    }
    GrOptions options = gr_default_options();
    options.gravity = (GrVec3){0, 0, -EARTH};
    status = gr_model_create(&rover, &options, &model, log);
    if (status == GR_OK && json != NULL) {
        gr_json_begin_array(json, "facts");
        status = put_shape(&rover, json, log);
        put_loads(&rover, model, json);
        gr_json_end(json);
        if (gr_rover_draw(&rover, &svg, log) == GR_OK && !svg.failed) {
            gr_json_string(json, "drawing", svg.data);
        }
    }
    gr_buffer_free(&svg);
    gr_model_free(model);
    gr_rover_free(&rover);
    return status;
}
