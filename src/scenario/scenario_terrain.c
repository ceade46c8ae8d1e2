/// `terrain:` of a scenario: what the rows of scenario_keys.c do not read.
#include "scenario_parts.h"

#include "file.h"
#include "number.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KINDS = 32 };

static const GrTermInfo *find_kind(const GrNode *node)
{
    const char *names[MAX_KINDS];
    int count = 0;
    for (const GrTermInfo *info; count < MAX_KINDS && (info = gr_surface_kind(count)) != NULL; count++) {
        names[count] = info->name;
        if (strcmp(info->name, node->key) == 0) {
            return info;
        }
    }
    gr_node_error_at(node, GR_AT_KEY, GR_ERROR_NAME, "there is no kind of ground '%s'%s", node->key,
                     gr_suggestion(node->document->log, node->key, names, count).text);
    return NULL;
}

static const GrTermParameter *find_parameter(const GrTermInfo *info, const char *name)
{
    for (int i = 0; i < info->parameter_count; i++) {
        if (strcmp(info->parameters[i].name, name) == 0) {
            return &info->parameters[i];
        }
    }
    return NULL;
}

/// One parameter as ",name=value": numbers may be expressions, the rest is text. A file is searched beside the
/// scenario.
static bool write_parameter(const GrTermInfo *info, GrNode *node, char *out, size_t size)
{
    const GrTermParameter *parameter = find_parameter(info, node->key);
    char text[GR_FILE_PATH_SIZE], path[GR_FILE_PATH_SIZE];
    node->used = true;
    if (parameter != NULL) {
        double value;
        const GrRange range = {parameter->lower, parameter->upper, false, false, false};
        return gr_node_number(node, range, &value) && gr_print(out, size, "%s=%.17g", node->key, value) < (int)size;
    }
    if (strcmp(node->key, "law") != 0 && strcmp(node->key, "file") != 0) {
        const char *names[MAX_KINDS];
        const int count = info->parameter_count < MAX_KINDS ? info->parameter_count : MAX_KINDS;
        for (int i = 0; i < count; i++) {
            names[i] = info->parameters[i].name;
        }
        gr_node_error_at(node, GR_AT_KEY, GR_ERROR_NAME, "'%s' has no parameter '%s'%s", info->name, node->key,
                         gr_suggestion(node->document->log, node->key, names, count).text);
        return false;
    }
    if (!gr_node_text(node, text, sizeof text)) {
        return false;
    }
    const bool file = strcmp(node->key, "file") == 0;
    if (file && !gr_node_beside(node, text, path)) {
        gr_node_error(node, GR_ERROR_FILE, "the path is too long");
        return false;
    }
    return snprintf(out, size, "%s=%s", node->key, file ? path : text) < (int)size;
}

/// "- fractal: {hurst: 0.8}" as "fractal:hurst=0.8" in `term`. False after an error.
static bool read_term(GrNode *item, char term[GR_SCENARIO_TERM_SIZE])
{
    if (item->kind != GR_NODE_MAPPING || item->count != 1) {
        gr_node_error(item, GR_ERROR_VALUE, "a term has one kind, as in - plane: {slope_deg: 10}");
        return false;
    }
    GrNode *kind = item->first;
    const GrTermInfo *info = find_kind(kind);
    kind->used = true;
    if (info != NULL && (kind->kind == GR_NODE_LIST || (kind->kind == GR_NODE_SCALAR && kind->text[0] != '\0'))) {
        gr_node_error(kind, GR_ERROR_VALUE, "the parameters of a term are a mapping, as in - plane: {slope_deg: 10}");
        return false;
    }
    int used = info != NULL ? snprintf(term, GR_SCENARIO_TERM_SIZE, "%s", info->name) : 0;
    for (GrNode *child = info != NULL ? kind->first : NULL; child != NULL; child = child->next) {
        char part[GR_SCENARIO_TERM_SIZE];
        if (!write_parameter(info, child, part, sizeof part)) {
            return false;
        }
        used +=
            snprintf(term + used, (size_t)(GR_SCENARIO_TERM_SIZE - used), "%c%s", child->index > 0 ? ',' : ':', part);
        if (used >= GR_SCENARIO_TERM_SIZE) {
            gr_node_error(kind, GR_ERROR_VALUE, "the term is longer than %d characters", GR_SCENARIO_TERM_SIZE - 1);
            return false;
        }
    }
    return info != NULL;
}

static void read_all_terms(GrNode *list, int most, char (*terms)[GR_SCENARIO_TERM_SIZE], int *count)
{
    for (GrNode *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        char term[GR_SCENARIO_TERM_SIZE];
        const bool good = read_term(item, term);
        if (good && *count == most) {
            gr_node_error(item, GR_ERROR_VALUE, "more than %d terms", most);
            return;
        }
        if (good) {
            memcpy(terms[(*count)++], term, sizeof term);
        }
    }
}

void gr_read_terms(GrNode *list, void *out)
{
    GrTerrainPlan *plan = out;
    read_all_terms(list, GR_SCENARIO_TERMS, plan->terms, &plan->term_count);
}

void gr_read_rock_law(GrNode *node, void *plan)
{
    const char *laws[16];
    int count = 0, law;
    while (count < 16 && gr_rock_law_name(count) != NULL) {
        laws[count] = gr_rock_law_name(count);
        count++;
    }
    if (gr_node_choice(node, laws, count, &law)) {
        gr_rock_law_set(&((GrTerrainPlan *)plan)->rocks, laws[law]);
    }
}

void gr_read_rocks(GrNode *node, void *out)
{
    GrTerrainPlan *plan = out;
    const bool placed = gr_node_find(node, "file") != NULL || gr_node_find(node, "mesh") != NULL ||
                        gr_node_find(node, "on_tracks") != NULL;
    plan->has_rocks = true;
    plan->sown = gr_node_find(node, "law") != NULL || !placed;
    plan->rocks.seed = plan->seed;
    gr_keys_read(node, gr_rock_keys, plan);
}

void gr_read_window(GrNode *node, void *raster)
{
    GrWindow *window = &((GrRasterOptions *)raster)->window;
    if (gr_node_numbers(node, GR_ANY, window->v, 4)) {
        window->kind = strcmp(node->key, "window_pixel") == 0 ? GR_WINDOW_PIXEL
                       : strcmp(node->key, "window_m") == 0   ? GR_WINDOW_MAP
                                                              : GR_WINDOW_LONLAT;
    }
}

/// One size for both directions, or [along x, along y].
static void read_size(GrNode *node, double *x, double *y)
{
    double both[2];
    if (node->kind == GR_NODE_LIST ? gr_node_numbers(node, GR_MAP_SIZE, both, 2)
                                   : gr_node_number(node, GR_MAP_SIZE, &both[0])) {
        *x = both[0];
        *y = both[node->kind == GR_NODE_LIST];
    }
}

void gr_read_terrain_size(GrNode *node, void *plan)
{
    read_size(node, &((GrTerrainPlan *)plan)->size_x, &((GrTerrainPlan *)plan)->size_y);
}

void gr_read_layer_size(GrNode *node, void *layer)
{
    read_size(node, &((GrLayerPlan *)layer)->size_x, &((GrLayerPlan *)layer)->size_y);
}

static void read_layer(GrNode *item, GrLayerPlan *out)
{
    GrNode *terms = gr_field_list(item, "add", GR_OPTIONAL);
    *out = (GrLayerPlan){.raster = gr_default_raster_options(), .size_x = 1000, .size_y = 1000, .cell = 10, .seed = 1};
    if ((gr_node_find(item, "file") != NULL) == (terms != NULL)) {
        gr_node_error(item, GR_ERROR_VALUE, "a layer is either a file or generated: give file or add");
        return;
    }
    gr_keys_read(item, terms != NULL ? gr_made_layer_keys : gr_file_layer_keys, out);
    read_all_terms(terms, GR_SCENARIO_LAYER_TERMS, out->terms, &out->term_count);
}

void gr_read_layers(GrNode *list, void *out)
{
    GrTerrainPlan *plan = out;
    if (list->count > GR_SCENARIO_LAYERS) {
        gr_node_error(list, GR_ERROR_VALUE, "more than %d layers", GR_SCENARIO_LAYERS);
        return;
    }
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        if (gr_node_is_mapping(item)) {
            read_layer(item, &plan->layers[plan->layer_count++]);
        }
    }
}

GrTerrainPlan gr_default_terrain_plan(void)
{
    return (GrTerrainPlan){.raster = gr_default_raster_options(),
                           .size_x = 200,
                           .size_y = 200,
                           .cell = 0.25,
                           .seed = 1,
                           .interpolation = GR_BICUBIC,
                           .rocks = gr_default_rock_field_def(),
                           .track_rocks = {.from = 2},
                           .clear_radius = 2,
                           .rock_mesh = {.scale = 1, .parts = gr_default_convex_parts_def()},
                           .shape = GR_STONE_HULL,
                           .deviation = {.deviation = 0.1, .points = 40}};
}
