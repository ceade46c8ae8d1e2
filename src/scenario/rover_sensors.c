/// Reads the sensors of a rover file (sensors: a mapping from names to sensors), and its localisation.
#include "grouser/localise.h"
#include "grouser/sense.h"

#include "file.h"
#include "rover_parts.h"
#include "sensor_param.h"
#include "text.h"

#include <string.h>

/// One row of the table, from the sensor or from the mapping of its group.
static void read_param(GrNode *node, const GrSensorParam *param, GrSensorDef *sensor)
{
    GrNode *mapping = param->group[0] != '\0' ? gr_field_mapping(node, param->group, GR_OPTIONAL) : node;
    const GrRange range = {param->lower, param->upper, param->open, false, isinf(param->upper)};
    double value;
    GrNode *field = mapping != NULL ? gr_field(mapping, param->key, GR_OPTIONAL) : NULL;
    if (field == NULL || !gr_node_number(field, range, &value)) {
        return;
    }
    if (param->whole && value != rint(value)) {
        gr_node_error(field, GR_ERROR_VALUE, "found %g; a whole number is needed", value);
        return;
    }
    gr_sensor_param_set(sensor, param, value);
}

/// Groups are closed when all their rows have been read.
static void end_groups(GrNode *node, GrSensorKind kind)
{
    for (int i = 0; i < gr_sensor_param_count(); i++) {
        const GrSensorParam *param = gr_sensor_param(i);
        const bool first = i == 0 || strcmp(param->group, gr_sensor_param(i - 1)->group) != 0;
        if (gr_sensor_param_of(param, kind) && param->group[0] != '\0' && first) {
            gr_fields_end(gr_field_mapping(node, param->group, GR_OPTIONAL));
        }
    }
}

static void read_pattern(GrNode *node, GrSensorDef *sensor)
{
    GrNode *pattern = gr_field(node, "pattern", GR_OPTIONAL);
    char path[GR_FILE_PATH_SIZE];
    if (pattern == NULL || !gr_node_file(pattern, path)) {
        return;
    }
    static const char *const unused[] = {"lines", "columns", "lower_deg", "upper_deg", "left_deg", "right_deg"};
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++) {
        const GrNode *ignored = gr_node_find(node, unused[i]);
        if (ignored != NULL) {
            gr_node_warning(ignored, "has no effect: the rays are those of the file '%s'", pattern->text);
        }
    }
    if (!gr_text_copy(sensor->lidar.pattern, sizeof sensor->lidar.pattern, path)) {
        gr_node_error(pattern, GR_ERROR_FILE, "the path is too long");
    }
}

static void read_format(GrNode *node, GrSensorDef *sensor)
{
    int format = GR_CLOUD_PLY;
    gr_field_choice(node, "save_as", GR_OPTIONAL, gr_cloud_format_names, GR_CLOUD_FORMAT_COUNT, &format);
    sensor->lidar.format = (GrCloudFormat)format;
}

/// Keys that the kind does not read are unknown to it, but a file may use them for another kind by mistake: say so.
static void report_foreign(GrNode *node, GrSensorKind kind)
{
    for (int i = 0; i < gr_sensor_param_count(); i++) {
        const GrSensorParam *param = gr_sensor_param(i);
        const char *key = param->group[0] != '\0' ? param->group : param->key;
        GrNode *field = gr_node_find(node, key);
        if (field != NULL && !field->used && !gr_sensor_param_of(param, kind)) {
            gr_fields_ask(node, key);
            field->used = true;
            gr_node_error_at(field, GR_AT_KEY, GR_ERROR_FIELD, "a sensor of kind %s has no '%s'",
                             gr_sensor_kind_name(kind), key);
        }
    }
}

/// On a joint, or on a body with a pose.
static void read_mount(GrNode *node, const GrRoverDef *rover, GrSensorDef *sensor)
{
    if (sensor->kind == GR_SENSOR_ENCODER) {
        GrNode *joint = gr_field(node, "joint", GR_REQUIRED);
        sensor->joint = joint != NULL ? gr_read_joint_name(joint, rover) : -1;
        return;
    }
    GrNode *body = gr_field(node, "body", GR_OPTIONAL);
    if (body != NULL) {
        sensor->body = gr_read_body_name(body, rover);
    }
    gr_keys_take(node, gr_pose_keys, &sensor->pose);
}

static void warn_keys(const GrNode *node, const char *const *keys, const char *why)
{
    for (int i = 0; keys[i] != NULL; i++) {
        const GrNode *field = gr_node_find(node, keys[i]);
        if (field != NULL) {
            gr_node_warning(field, "has no effect: %s", why);
        }
    }
}

/// Keys that are read but change nothing.
static void warn_ignored(const GrNode *node, const GrSensorDef *sensor)
{
    static const char *const light[] = {"exposure",
                                        "albedo",
                                        "ambient",
                                        "photons",
                                        "read_noise",
                                        "sun_azimuth_deg",
                                        "sun_elevation_deg",
                                        "hapke",
                                        "texture",
                                        "grain_m",
                                        "texture_seed",
                                        "by_soil",
                                        "sky",
                                        "auto_exposure",
                                        "bayer",
                                        "red",
                                        "blue",
                                        "exposure_s",
                                        NULL};
    static const char *const pattern[] = {"grain_m", "texture_seed", NULL};
    static const char *const filters[] = {"red", "blue", NULL};
    static const char *const sun[] = {"sun_azimuth_deg", "sun_elevation_deg", NULL};
    if (sensor->kind == GR_SENSOR_CAMERA && sensor->camera.grey == 0) {
        warn_keys(node, light, "the camera gives depth alone (grey: 0)");
    }
    if (sensor->kind == GR_SENSOR_CAMERA && sensor->camera.grey != 0 && sensor->camera.texture == 0) {
        warn_keys(node, pattern, "the ground has no pattern (texture: 0)");
    }
    if (sensor->kind == GR_SENSOR_CAMERA && sensor->camera.grey != 0 && sensor->camera.bayer == 0) {
        warn_keys(node, filters, "the camera has no colour filters (bayer: 0)");
    }
    if (sensor->kind == GR_SENSOR_CAMERA && sensor->camera.auto_exposure > 0) {
        warn_keys(node, (const char *const[]){"exposure", NULL}, "the exposure is automatic (auto_exposure)");
    }
    if (sensor->kind == GR_SENSOR_LIDAR && sensor->save_every == 0) {
        warn_keys(node, (const char *const[]){"save_as", NULL}, "no scans are written (save_every: 0)");
    }
    if (sensor->kind == GR_SENSOR_STARS && sensor->exclusion == 0) {
        warn_keys(node, sun, "the sun does not blind the star tracker (sun_exclusion_deg: 0)");
    }
}

static void read_sensor(GrNode *node, GrRoverDef *rover)
{
    int kind;
    node->used = true;
    if (!gr_node_is_mapping(node) ||
        !gr_field_choice(node, "kind", GR_REQUIRED, gr_sensor_kind_names, GR_SENSOR_KIND_COUNT, &kind)) {
        return;
    }
    GrSensorDef sensor = gr_default_sensor_def((GrSensorKind)kind);
    if (!gr_text_copy(sensor.name, sizeof sensor.name, node->key)) {
        gr_node_error(node, GR_ERROR_NAME, "the name has more than %zu bytes", sizeof sensor.name - 1);
    }
    read_mount(node, rover, &sensor);
    for (int i = 0; i < gr_sensor_param_count(); i++) {
        if (gr_sensor_param_of(gr_sensor_param(i), sensor.kind)) {
            read_param(node, gr_sensor_param(i), &sensor);
        }
    }
    end_groups(node, sensor.kind);
    if (sensor.kind == GR_SENSOR_LIDAR) {
        read_pattern(node, &sensor);
        read_format(node, &sensor);
    }
    report_foreign(node, sensor.kind);
    gr_fields_end(node);
    warn_ignored(node, &sensor);
    if (node->document->status == GR_OK && gr_rover_add_sensor(rover, &sensor) < 0) {
        gr_node_out_of_memory(node);
    }
}

void gr_read_sensors(GrNode *root, GrRoverDef *rover)
{
    GrNode *sensors = gr_field_mapping(root, "sensors", GR_OPTIONAL);
    for (GrNode *node = sensors != NULL ? sensors->first : NULL; node != NULL; node = node->next) {
        read_sensor(node, rover);
    }
    if (root->document->status == GR_OK && rover->sensor_count > 0) {
        GrErrorLog log = {.quiet = true};
        if (gr_sensors_check(rover, &log) != GR_OK) { // what spans several keys
            const GrNode *place = gr_document_place(root->document, log.items[0].field);
            gr_node_error(place != NULL ? place : sensors, log.items[0].status, "%s%s%s",
                          place != NULL ? "" : log.items[0].field, place != NULL ? "" : ": ", log.items[0].text);
        }
    }
}

// ---- localisation: the sensors that it uses and their assumed errors

static void read_name(GrNode *node, const char *key, GrPresence presence, const GrRoverDef *rover, int *out)
{
    GrNode *field = gr_field(node, key, presence);
    *out = field != NULL ? gr_read_sensor_name(field, rover) : -1;
}

static void read_encoders(GrNode *node, const GrRoverDef *rover, GrLocalisationDef *def)
{
    GrNode *list = gr_field_list(node, "encoders", GR_OPTIONAL);
    for (GrNode *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        const int sensor = gr_read_sensor_name(item, rover);
        if (def->encoder_count + 1 >= GR_LOCALISATION_ENCODERS) {
            gr_node_error(item, GR_ERROR_VALUE, "more than %d encoders", GR_LOCALISATION_ENCODERS - 1);
            return;
        }
        for (int i = 0; i < def->encoder_count; i++) {
            if (def->encoders[i] == sensor && sensor >= 0) {
                gr_node_error(item, GR_ERROR_NAME, "this encoder is listed twice");
            }
        }
        def->encoders[def->encoder_count++] = sensor;
    }
}

void gr_read_localisation(GrNode *root, GrRoverDef *rover)
{
    GrNode *node = gr_field_mapping(root, "localisation", GR_OPTIONAL);
    if (node == NULL || root->document->status != GR_OK) {
        return;
    }
    GrLocalisationDef def = gr_default_localisation_def();
    read_name(node, "imu", GR_REQUIRED, rover, &def.imu);
    read_name(node, "visual_odometry", GR_OPTIONAL, rover, &def.visual);
    read_name(node, "star_tracker", GR_OPTIONAL, rover, &def.stars);
    read_encoders(node, rover, &def);
    gr_keys_read(node, gr_localisation_keys, &def);
    gr_keys_warn(node, gr_localisation_keys, &def, false);
    if (root->document->status == GR_OK && !gr_rover_set_localisation(rover, &def)) {
        gr_node_out_of_memory(node);
    }
    GrErrorLog log = {.quiet = true};
    if (root->document->status == GR_OK && gr_localisation_check(rover, &log) != GR_OK) {
        const GrNode *place = gr_document_place(root->document, log.items[0].field);
        gr_node_error(place != NULL ? place : node, log.items[0].status, "%s", log.items[0].text);
    }
}
