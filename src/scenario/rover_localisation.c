/// Reads the localisation of a rover file: `localisation:`, the sensors that it uses and their assumed errors.
#include "rover_parts.h"

#include "grouser/localise.h"
#include "grouser/sense.h"

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
