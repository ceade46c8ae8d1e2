/// `terrain:` of a scenario.
#include "scenario_parts.h"

#include "alloc.h"
#include "file.h"
#include "number.h"

#include <stdio.h>
#include <stdlib.h>
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

/// "- fractal: {hurst: 0.8}" as "fractal:hurst=0.8".
static void read_term(GrNode *item, GrTerrainPlan *plan)
{
    if (item->kind != GR_NODE_MAPPING || item->count != 1) {
        gr_node_error(item, GR_ERROR_VALUE, "a term has one kind, as in - plane: {slope_deg: 10}");
        return;
    }
    GrNode *kind = item->first;
    const GrTermInfo *info = find_kind(kind);
    kind->used = true;
    if (info != NULL && (kind->kind == GR_NODE_LIST || (kind->kind == GR_NODE_SCALAR && kind->text[0] != '\0'))) {
        gr_node_error(kind, GR_ERROR_VALUE, "the parameters of a term are a mapping, as in - plane: {slope_deg: 10}");
        return;
    }
    if (info == NULL || plan->term_count == GR_SCENARIO_TERMS) {
        if (info != NULL) {
            gr_node_error(item, GR_ERROR_VALUE, "more than %d terms", GR_SCENARIO_TERMS);
        }
        return;
    }
    char *term = plan->terms[plan->term_count];
    int used = snprintf(term, GR_SCENARIO_TERM_SIZE, "%s", info->name);
    for (GrNode *child = kind->first; child != NULL; child = child->next) {
        char part[GR_SCENARIO_TERM_SIZE];
        if (!write_parameter(info, child, part, sizeof part)) {
            return;
        }
        used +=
            snprintf(term + used, (size_t)(GR_SCENARIO_TERM_SIZE - used), "%c%s", child->index > 0 ? ',' : ':', part);
        if (used >= GR_SCENARIO_TERM_SIZE) {
            gr_node_error(kind, GR_ERROR_VALUE, "the term is longer than %d characters", GR_SCENARIO_TERM_SIZE - 1);
            return;
        }
    }
    plan->term_count++;
}

static void read_seed(GrNode *mapping, uint64_t *seed)
{
    double value;
    if (gr_field_number(mapping, "seed", GR_OPTIONAL, GR_BETWEEN(0, 9007199254740992.0), &value)) {
        *seed = (uint64_t)value;
    }
}

/// golombek, power, or a published law of the Moon.
static void read_rock_law(GrNode *node, GrRockFieldDef *rocks)
{
    const char *laws[16];
    int count = 0, law;
    while (count < 16 && gr_rock_law_name(count) != NULL) {
        laws[count] = gr_rock_law_name(count);
        count++;
    }
    if (gr_field_choice(node, "law", GR_OPTIONAL, laws, count, &law)) {
        gr_rock_law_set(rocks, laws[law]);
    }
}

static void read_rock_file(GrNode *node, GrTerrainPlan *plan)
{
    if (node != NULL) {
        gr_node_file(node, plan->rock_file);
    }
}

/// on_tracks: {every_m: 3, diameter_m: 0.2, from_m: 2, side: alternate}
static void read_track_rocks(GrNode *node, GrTrackRocks *plan)
{
    static const char *const sides[] = {"both", "left", "right", "alternate"};
    int side;
    if (node == NULL) {
        return;
    }
    plan->from = 2;
    gr_field_number(node, "every_m", GR_REQUIRED, GR_BETWEEN(0.05, 1e4), &plan->spacing);
    gr_field_number(node, "diameter_m", GR_REQUIRED, GR_BETWEEN(0.01, 10), &plan->diameter);
    gr_field_number(node, "from_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &plan->from);
    if (gr_field_choice(node, "side", GR_OPTIONAL, sides, 4, &side)) {
        plan->side = (GrTrackSide)side;
    }
    gr_fields_end(node);
}

static void read_rocks(GrNode *node, GrTerrainPlan *plan)
{
    static const char *const shapes[] = {"ellipsoid", "hull", "noise"};
    GrRockFieldDef *rocks = &plan->rocks;
    *rocks = gr_default_rock_field_def();
    rocks->seed = plan->seed;
    if (node == NULL) {
        return;
    }
    plan->has_rocks = true;
    const bool placed = gr_node_find(node, "file") != NULL || gr_node_find(node, "on_tracks") != NULL;
    plan->sown = gr_node_find(node, "law") != NULL || !placed;
    read_rock_law(node, rocks);
    read_rock_file(gr_field(node, "file", GR_OPTIONAL), plan);
    read_track_rocks(gr_field_mapping(node, "on_tracks", GR_OPTIONAL), &plan->track_rocks);
    const GrRange share = {1e-6, 0.6, false, true, false}, part = {0, 1, true, false, false};
    gr_field_number(node, "k", GR_OPTIONAL, share, &rocks->k);
    gr_field_number(node, "coefficient_per_m2", GR_OPTIONAL, GR_POSITIVE, &rocks->coefficient);
    gr_field_number(node, "exponent", GR_OPTIONAL, GR_POSITIVE, &rocks->exponent);
    gr_field_number(node, "smallest_m", GR_OPTIONAL, GR_POSITIVE, &rocks->diameter_lower);
    gr_field_number(node, "largest_m", GR_OPTIONAL, GR_POSITIVE, &rocks->diameter_upper);
    gr_field_number(node, "area_fraction", GR_OPTIONAL, GR_BETWEEN(0, 0.6), &rocks->area_fraction);
    gr_field_number(node, "gap_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &rocks->gap);
    gr_field_number(node, "height_ratio", GR_OPTIONAL, part, &rocks->height_ratio);
    gr_field_number(node, "clear_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &plan->clear_radius);
    gr_field_number(node, "loose_below_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &plan->loose_below);
    int shape = 0;
    if (gr_field_choice(node, "shape", GR_OPTIONAL, shapes, 3, &shape)) {
        plan->shape = (GrStoneShape)shape;
    }
    read_seed(node, &rocks->seed);
    gr_fields_end(node);
}

static void read_window(GrNode *node, GrRasterOptions *raster)
{
    static const struct {
        const char *key;
        GrWindowKind kind;
    } windows[] = {
        {"window_pixel", GR_WINDOW_PIXEL}, {"window_m", GR_WINDOW_MAP}, {"window_lonlat_deg", GR_WINDOW_LONLAT}};
    for (int i = 0; i < 3; i++) {
        if (gr_field_numbers(node, windows[i].key, GR_OPTIONAL, GR_ANY, raster->window.v, 4)) {
            raster->window.kind = windows[i].kind;
        }
    }
    gr_field_number(node, "pixel_m", GR_OPTIONAL, GR_POSITIVE, &raster->cell);
    gr_field_number(node, "height_scale", GR_OPTIONAL, GR_ANY, &raster->height_scale);
    gr_field_number(node, "height_offset_m", GR_OPTIONAL, GR_ANY, &raster->height_offset);
    gr_field_number(node, "nodata", GR_OPTIONAL, GR_ANY, &raster->nodata);
    gr_field_integer(node, "band", GR_OPTIONAL, 1, 10000, &raster->band);
}

static void read_size(GrNode *node, GrTerrainPlan *plan)
{
    GrNode *size = gr_field(node, "size_m", GR_OPTIONAL);
    double both[2];
    if (size == NULL) {
        return;
    }
    if (size->kind == GR_NODE_LIST) {
        if (gr_node_numbers(size, GR_MAP_SIZE, both, 2)) {
            plan->size_x = both[0];
            plan->size_y = both[1];
        }
    } else if (gr_node_number(size, GR_MAP_SIZE, &plan->size_x)) {
        plan->size_y = plan->size_x;
    }
}

/// A layer has the keys of the terrain, without rocks: read as such, then copied.
static void read_layer(GrNode *item, GrTerrainPlan *room, GrLayerPlan *out)
{
    *room =
        (GrTerrainPlan){.raster = gr_default_raster_options(), .size_x = 1000, .size_y = 1000, .cell = 10, .seed = 1};
    *out = (GrLayerPlan){.margin = 0};
    GrNode *file = gr_field(item, "file", GR_OPTIONAL), *terms = gr_field_list(item, "add", GR_OPTIONAL);
    if ((file != NULL) == (terms != NULL)) {
        gr_node_error(item, GR_ERROR_VALUE, "a layer is either a file or generated: give file or add");
        return;
    }
    if (file != NULL) {
        gr_node_file(file, out->file);
        read_window(item, &room->raster);
    } else {
        read_size(item, room);
        gr_field_number(item, "cell_m", GR_OPTIONAL, GR_POSITIVE, &room->cell);
        gr_field_number(item, "x_m", GR_OPTIONAL, GR_ANY, &out->x);
        gr_field_number(item, "y_m", GR_OPTIONAL, GR_ANY, &out->y);
        read_seed(item, &room->seed);
    }
    gr_field_number(item, "margin_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &out->margin);
    for (GrNode *term = terms != NULL ? terms->first : NULL; term != NULL; term = term->next) {
        read_term(term, room);
    }
    gr_fields_end(item);
    if (room->term_count > GR_SCENARIO_LAYER_TERMS) {
        gr_node_error(item, GR_ERROR_VALUE, "more than %d terms in a layer", GR_SCENARIO_LAYER_TERMS);
        return;
    }
    out->raster = room->raster;
    out->term_count = room->term_count;
    memcpy(out->terms, room->terms, sizeof out->terms);
    out->size_x = room->size_x;
    out->size_y = room->size_y;
    out->cell = room->cell;
    out->seed = room->seed;
}

static void read_layers(GrNode *list, GrTerrainPlan *plan)
{
    if (list == NULL) {
        return;
    }
    if (list->count > GR_SCENARIO_LAYERS) {
        gr_node_error(list, GR_ERROR_VALUE, "more than %d layers", GR_SCENARIO_LAYERS);
        return;
    }
    GrTerrainPlan *room = gr_malloc(sizeof *room);
    if (room == NULL) {
        gr_node_out_of_memory(list);
        return;
    }
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        if (gr_node_is_mapping(item)) {
            read_layer(item, room, &plan->layers[plan->layer_count++]);
        }
    }
    gr_free(room);
}

void gr_read_terrain(GrNode *node, GrTerrainPlan *plan)
{
    static const char *const interpolations[] = {"bilinear", "bicubic"};
    *plan = (GrTerrainPlan){.raster = gr_default_raster_options(),
                            .size_x = 200,
                            .size_y = 200,
                            .cell = 0.25,
                            .seed = 1,
                            .interpolation = GR_BICUBIC,
                            .clear_radius = 2,
                            .shape = GR_STONE_HULL};
    int choice = 0;
    GrNode *source = gr_field(node, "file", GR_OPTIONAL);
    if (source != NULL) {
        gr_node_file(source, plan->file);
    }
    read_window(node, &plan->raster);
    read_size(node, plan);
    gr_field_number(node, "cell_m", GR_OPTIONAL, GR_BETWEEN(1e-4, 1e6), &plan->cell);
    read_seed(node, &plan->seed);
    if (gr_field_choice(node, "interpolation", GR_OPTIONAL, interpolations, 2, &choice)) {
        plan->interpolation = (GrInterpolation)choice;
    }
    GrNode *terms = gr_field_list(node, "add", GR_OPTIONAL);
    for (GrNode *item = terms != NULL ? terms->first : NULL; item != NULL; item = item->next) {
        read_term(item, plan);
    }
    read_layers(gr_field_list(node, "layers", GR_OPTIONAL), plan);
    GrNode *margin = gr_field(node, "margin_m", GR_OPTIONAL);
    if (margin != NULL && gr_node_number(margin, GR_NOT_NEGATIVE, &plan->margin) && plan->layer_count == 0) {
        gr_node_warning(margin, "has no effect without layers");
    }
    read_rocks(gr_field_mapping(node, "rocks", GR_OPTIONAL), plan);
    gr_fields_end(node);
}
