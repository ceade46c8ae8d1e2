/// Reads the localisation of a rover file: `localisation:`, the sensors that it uses and what it believes.
#include "rover_parts.h"

#include "grouser/localise.h"
#include "grouser/sense.h"

#include <string.h>

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
                gr_node_error(item, GR_ERROR_NAME, "this encoder is there twice");
            }
        }
        def->encoders[def->encoder_count++] = sensor;
    }
}

static void read_numbers(GrNode *node, GrLocalisationDef *def)
{
    const struct {
        const char *key;
        double *out;
        double scale, most;
    } rows[] = {
        {"slip", &def->slip, 1, 10},
        {"side_slip_deg", &def->side_slip, GR_DEGREE, 90},
        {"slip_time_s", &def->slip_time, 1, 1e6},
        {"start_position_m", &def->start_position, 1, 1e6},
        {"start_attitude_deg", &def->start_attitude, GR_DEGREE, 90},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value;
        if (gr_field_number(node, rows[i].key, GR_OPTIONAL, (GrRange){0, rows[i].most, true, false, false}, &value)) {
            *rows[i].out = rows[i].scale * value;
        }
    }
}

/// Without encoders the wheels say nothing, and what is believed of their slip has no effect.
static void warn_ignored(const GrNode *node, const GrLocalisationDef *def)
{
    static const char *const keys[] = {"slip", "side_slip_deg", "slip_time_s"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && def->encoder_count == 0; i++) {
        const GrNode *field = gr_node_find(node, keys[i]);
        if (field != NULL) {
            gr_node_warning(field, "has no effect: the localisation has no encoders");
        }
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
    read_numbers(node, &def);
    gr_fields_end(node);
    warn_ignored(node, &def);
    if (root->document->status == GR_OK && !gr_rover_set_localisation(rover, &def)) {
        gr_node_no_memory(node);
    }
    GrErrorLog log = {.quiet = true};
    if (root->document->status == GR_OK && gr_localisation_check(rover, &log) != GR_OK) {
        const GrNode *place = gr_document_place(root->document, log.items[0].field);
        gr_node_error(place != NULL ? place : node, log.items[0].status, "%s", log.items[0].text);
    }
}
