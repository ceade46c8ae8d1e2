/// Reads lander files (docs/landers.md).
#include "lander_yaml.h"

#include "expression.h"
#include "fields.h"
#include "find.h"
#include "scenario_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_feet(GrNode *root, GrLanderDef *out)
{
    GrNode *list = gr_field_list(root, "feet", GR_REQUIRED);
    for (GrNode *node = list != NULL ? list->first : NULL; node != NULL; node = node->next) {
        if (out->foot_count == GR_LANDER_FEET) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d feet", (int)GR_LANDER_FEET);
            return;
        }
        GrLanderFoot *foot = &out->feet[out->foot_count++];
        if (gr_node_is_mapping(node)) {
            gr_field_vec3(node, "at_m", GR_REQUIRED, GR_ANY, &foot->position);
            gr_field_number(node, "radius_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &foot->radius);
            gr_fields_end(node);
        }
    }
}

static void read_corners(GrNode *list, GrLanderDef *out)
{
    for (GrNode *node = list->first; node != NULL; node = node->next) {
        if (out->corner_count == GR_LANDER_CORNERS) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d corners", (int)GR_LANDER_CORNERS);
            return;
        }
        gr_node_numbers(node, GR_ANY, out->corners[out->corner_count++], 2);
    }
}

/// "underside: {size_m: [2, 2], height_m: 0.4}", or corners_m in place of size_m.
static void read_underside(GrNode *root, GrLanderDef *out)
{
    GrNode *node = gr_field_mapping(root, "underside", GR_OPTIONAL);
    double size[2];
    if (node == NULL) {
        return;
    }
    gr_field_number(node, "height_m", GR_REQUIRED, GR_ANY, &out->underside);
    GrNode *corners = gr_field_list(node, "corners_m", GR_OPTIONAL);
    if (gr_field_numbers(node, "size_m", corners == NULL ? GR_REQUIRED : GR_OPTIONAL, GR_POSITIVE, size, 2)) {
        const double signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
        for (int i = 0; i < 4 && corners == NULL; i++) {
            out->corners[i][0] = signs[i][0] * size[0] / 2;
            out->corners[i][1] = signs[i][1] * size[1] / 2;
        }
        out->corner_count = 4;
        if (corners != NULL) {
            gr_node_error(corners, GR_ERROR_FIELD, "give size_m or corners_m, and not both");
        }
    } else if (corners != NULL) {
        read_corners(corners, out);
    }
    gr_fields_end(node);
}

static void read_deck(GrNode *root, GrLanderDef *out)
{
    GrNode *node = gr_field_mapping(root, "deck", GR_REQUIRED);
    double size[2], middle[2];
    if (gr_field_numbers(node, "size_m", GR_REQUIRED, GR_POSITIVE, size, 2)) {
        out->deck_length = size[0];
        out->deck_width = size[1];
    }
    if (gr_field_numbers(node, "at_m", GR_OPTIONAL, GR_ANY, middle, 2)) {
        out->deck_x = middle[0];
        out->deck_y = middle[1];
    }
    gr_field_number(node, "height_m", GR_REQUIRED, GR_ANY, &out->deck_height);
    gr_field_number(node, "thickness_m", GR_OPTIONAL, GR_POSITIVE, &out->deck_thickness);
    gr_fields_end(node);
}

static void read_ramp(GrNode *node, GrLanderRamp *out)
{
    double range[2];
    if (!gr_expression_is_name(node->key) || gr_text_copy(out->name, sizeof out->name, node->key) == 0) {
        gr_node_error_at(node, GR_AT_KEY, GR_ERROR_NAME, "'%.60s' cannot be the name of a ramp", node->key);
    }
    if (!gr_node_is_mapping(node)) {
        return;
    }
    gr_field_degrees(node, "direction_deg", GR_ANY, &out->direction);
    gr_field_vec3(node, "hinge_m", GR_REQUIRED, GR_ANY, &out->hinge);
    gr_field_number(node, "length_m", GR_REQUIRED, GR_POSITIVE, &out->length);
    gr_field_number(node, "width_m", GR_REQUIRED, GR_POSITIVE, &out->width);
    gr_field_number(node, "gap_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &out->gap);
    gr_field_number(node, "thickness_m", GR_OPTIONAL, GR_POSITIVE, &out->thickness);
    if (gr_field_numbers(node, "range_deg", GR_OPTIONAL, GR_BETWEEN(-90, 90), range, 2)) {
        out->first = range[0] * GR_DEGREE;
        out->last = range[1] * GR_DEGREE;
    }
    gr_fields_end(node);
}

static void read_ramps(GrNode *root, GrLanderDef *out)
{
    GrNode *ramps = gr_field_mapping(root, "ramps", GR_OPTIONAL);
    for (GrNode *node = ramps != NULL ? ramps->first : NULL; node != NULL; node = node->next) {
        node->used = true;
        if (out->ramp_count == GR_LANDER_RAMPS) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d ramps", (int)GR_LANDER_RAMPS);
            return;
        }
        read_ramp(node, &out->ramps[out->ramp_count++]);
    }
}

/// Checks of the whole lander, reported at the key that they are about.
static void check_whole(GrNode *root, const GrLanderDef *lander)
{
    GrErrorLog found = {.quiet = true};
    if (root->document->status != GR_OK || gr_lander_check(lander, (GrLocation){0}, &found) == GR_OK) {
        return;
    }
    for (int i = 0; i < found.count; i++) {
        const GrNode *node = gr_document_place(root->document, found.items[i].field);
        gr_node_error(node != NULL ? node : root, found.items[i].status, "%s", found.items[i].text);
    }
}

static void read_lander(GrNode *root, GrLanderDef *out)
{
    if (!gr_field_text(root, "name", GR_OPTIONAL, out->name, sizeof out->name)) {
        const char *file = root->document->file, *slash = strrchr(file, '/');
        file = slash != NULL ? slash + 1 : file;
        snprintf(out->name, sizeof out->name, "%.*s", (int)strcspn(file, "."), file);
    }
    gr_field_text(root, "title", GR_OPTIONAL, out->title, sizeof out->title);
    gr_field_vec3(root, "mass_centre_m", GR_REQUIRED, GR_ANY, &out->com);
    read_feet(root, out);
    read_underside(root, out);
    read_deck(root, out);
    read_ramps(root, out);
    gr_fields_ask(root, "params");
    gr_fields_end(root);
    check_whole(root, out);
    gr_document_warn_params(root->document);
}

/// Reads a document and frees it.
static GrStatus read_document(GrDocument *document, GrLanderDef *out)
{
    gr_document_prepare(document, NULL);
    read_lander(document->root, out);
    const GrStatus status = document->status;
    gr_document_free(document);
    return status;
}

GrStatus gr_lander_load(const char *name_or_path, GrLanderDef *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrDocument *document = NULL;
    *out = gr_default_lander_def();
    GrStatus status = gr_find_file("landers", "lander", name_or_path, path, log);
    status = status == GR_OK ? gr_document_load(path, &document, log) : status;
    return status == GR_OK ? read_document(document, out) : status;
}

GrStatus gr_lander_parse(const char *text, size_t length, const char *file, GrLanderDef *out, GrErrorLog *log)
{
    GrDocument *document = NULL;
    *out = gr_default_lander_def();
    const GrStatus status = gr_document_parse(text, length, file, &document, log);
    return status == GR_OK ? read_document(document, out) : status;
}

bool gr_lander_is_file(const char *path)
{
    GrDocument *document;
    if (gr_document_load(path, &document, NULL) != GR_OK) {
        return false;
    }
    const bool lander =
        gr_node_find(document->root, "feet") != NULL || gr_node_find(document->root, "mass_centre_m") != NULL;
    gr_document_free(document);
    return lander;
}
