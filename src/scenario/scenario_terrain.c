/// `terrain:` of a scenario: its keys, and how those are read that are more than a number or a text.
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

static void read_terms(GrNode *list, void *out)
{
    GrTerrainPlan *plan = out;
    read_all_terms(list, GR_SCENARIO_TERMS, plan->terms, &plan->term_count);
}

static void read_rock_law(GrNode *node, void *plan)
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

static void read_window(GrNode *node, void *raster)
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

static void read_terrain_size(GrNode *node, void *plan)
{
    read_size(node, &((GrTerrainPlan *)plan)->size_x, &((GrTerrainPlan *)plan)->size_y);
}

static void read_layer_size(GrNode *node, void *layer)
{
    read_size(node, &((GrLayerPlan *)layer)->size_x, &((GrLayerPlan *)layer)->size_y);
}

static bool has_made_ground(const GrScenario *s)
{
    return s->terrain.term_count > 0 && s->terrain.file[0] == '\0';
}

// clang-format off
GR_WHEN(no_file, s->terrain.file[0] == '\0')
GR_WHEN(no_terms, !has_made_ground(s) && !s->terrain.has_rocks)
GR_WHEN(flat_ground, !has_made_ground(s) && no_file(s))
GR_WHEN(no_layers, s->terrain.layer_count == 0)
GR_WHEN(not_sown, !s->terrain.sown)
GR_WHEN(not_deviating, s->terrain.shape != GR_STONE_DEVIATION)
GR_WHEN(law_power, s->terrain.rocks.law == GR_ROCKS_POWER)
GR_WHEN(law_golombek, s->terrain.rocks.law == GR_ROCKS_GOLOMBEK)
// clang-format on

// ---- the keys

#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))
#define NOT_SOWN      "no random rocks are generated: give a law in addition to file, mesh and on_tracks"

static const char *const INTERPOLATIONS[] = {"bilinear", "bicubic"};
static const char *const STONES[] = {"ellipsoid", "hull", "noise", "deviation"};
static const char *const PRIMITIVES[] = {GR_ROCK_PRIMITIVE_LIST(GR_KEY_NAME)};
static const char *const SIDES[] = {"both", "left", "right", "alternate"};

#define R(member) offsetof(GrRasterOptions, member)

/// How a map is read.
static const GrKey RASTER[] = {
    {"window_pixel", GR_KEY_NUMBERS,
     "part of the map that is used: column and row of its north-west pixel, columns, rows", .size = 4,
     .range = GR_SPAN_ANY, .read = read_window},
    {"window_m", GR_KEY_NUMBERS, "the same in the map's projection", .size = 4, .range = GR_SPAN_ANY,
     .read = read_window},
    {"window_lonlat_deg", GR_KEY_NUMBERS, "the same in longitude and latitude", .size = 4, .range = GR_SPAN_ANY,
     .read = read_window},
    {"pixel_m", GR_KEY_NUMBER, "size of a pixel where the file gives none", R(cell), GR_SPAN_POSITIVE},
    {"height_scale", GR_KEY_NUMBER, "height = scale · value + offset", R(height_scale), GR_SPAN_ANY,
     .usual = "as the file says"},
    {"height_offset_m", GR_KEY_NUMBER, "height = scale · value + offset", R(height_offset), GR_SPAN_ANY,
     .usual = "as the file says"},
    {"nodata", GR_KEY_NUMBER, "value that means 'no data'", R(nodata), GR_SPAN_ANY, .usual = "as the file says"},
    {"band", GR_KEY_INTEGER, "band of the file, from 1", R(band), GR_SPAN_BETWEEN(1, 10000)},
    {NULL}};

#define L(member) offsetof(GrLayerPlan, member)

static const GrKey FILE_LAYER[] = {{"file", GR_KEY_FILE, "a map, which replaces what is below it", L(file)},
                                   {"", GR_KEY_GROUP, .offset = L(raster), .keys = RASTER},
                                   {"margin_m", GR_KEY_NUMBER, "width over which it is blended into the layers below",
                                    L(margin), GR_SPAN_NOT_NEGATIVE},
                                   {NULL}};

static const GrKey MADE_LAYER[] = {
    {"add", GR_KEY_LIST | GR_KEY_ELSEWHERE, "generated terms, added to what is below: grouser terrain generate --list"},
    {"size_m", GR_KEY_NUMBER | GR_KEY_NUMBERS, "size of the generated ground, or [along x, along y]", .size = 2,
     .range = GR_SPAN_MAP_SIZE, .read = read_layer_size, .usual = "1000"},
    {"cell_m", GR_KEY_NUMBER, "its cells", L(cell), GR_SPAN_POSITIVE, .usual = "10"},
    {"x_m", GR_KEY_NUMBER, "its middle", L(x), GR_SPAN_ANY, .usual = "0"},
    {"y_m", GR_KEY_NUMBER, "its middle", L(y), GR_SPAN_ANY, .usual = "0"},
    {"seed", GR_KEY_SEED, "moves the generated terms", L(seed), .usual = "1"},
    {"margin_m", GR_KEY_NUMBER, "width over which it is blended into the layers below", L(margin),
     GR_SPAN_NOT_NEGATIVE},
    {NULL}};

static const GrKey LAYER[] = {{"", GR_KEY_GROUP, .keys = FILE_LAYER}, {"", GR_KEY_GROUP, .keys = MADE_LAYER}, {NULL}};

#define T(member) offsetof(GrTerrainPlan, member)

static const GrKey ON_TRACKS[] = {
    {"every_m", GR_KEY_NUMBER, "distance between rocks along the path", T(track_rocks.spacing),
     GR_SPAN_BETWEEN(0.05, 1e4), .required = true},
    {"diameter_m", GR_KEY_NUMBER, "their diameter", T(track_rocks.diameter), GR_SPAN_BETWEEN(0.01, 10),
     .required = true},
    {"from_m", GR_KEY_NUMBER, "distance of the first rock along the path", T(track_rocks.from), GR_SPAN_NOT_NEGATIVE},
    {"side", GR_KEY_CHOICE, "wheels of which side drive over them", T(track_rocks.side), CHOICE(SIDES)},
    {NULL}};

#define DEVIATING .ignored = {{not_deviating, "it applies only to the shape deviation"}}
static const GrKey ROCK_MESH[] = {
    {"file", GR_KEY_FILE, "an OBJ or STL file in world coordinates; each closed object is a rock", T(rock_mesh.file),
     .required = true},
    {"scale", GR_KEY_NUMBER, "metres per unit of the file", T(rock_mesh.scale), GR_SPAN_POSITIVE},
    {"pieces", GR_KEY_INTEGER, "most convex parts that a rock is cut into", T(rock_mesh.parts.most),
     GR_SPAN_BETWEEN(1, 1000)},
    {"error", GR_KEY_NUMBER, "cut until the parts have at most this share of a rock too much", T(rock_mesh.parts.error),
     GR_SPAN_BETWEEN(0, 1)},
    {NULL}};

static const GrKey ROCKS[] = {
    {"law", GR_KEY_CHOICE, "golombek with k, power with coefficient and exponent, or a published law of the Moon",
     .name_of = gr_rock_law_name, .read = read_rock_law, .usual = "golombek"},
    {"file", GR_KEY_FILE, "a table of rocks, as grouser terrain rocks -o writes it", T(rock_file)},
    {"mesh", GR_KEY_MAPPING, "rocks of any shape from a mesh file, fixed where they are there", .keys = ROCK_MESH},
    {"on_tracks", GR_KEY_MAPPING, "rocks exactly under the wheels, along the straight legs of the path",
     .keys = ON_TRACKS,
     .ignored = {{gr_has_no_path, "there is no path (drive), so there is no track to place them on"}}},
    {"k",
     GR_KEY_NUMBER,
     "law golombek: share of the area that rocks cover",
     T(rocks.k),
     {1e-6, 0.6, false, true, false},
     .ignored = {{not_sown, NOT_SOWN}, {law_power, "it applies only to the law golombek"}}},
    {"coefficient_per_m2", GR_KEY_NUMBER, "law power: number of rocks per area above 1 m", T(rocks.coefficient),
     GR_SPAN_POSITIVE, .ignored = {{law_golombek, "it applies only to the law power"}}},
    {"exponent", GR_KEY_NUMBER, "law power: number ~ diameter^-exponent", T(rocks.exponent), GR_SPAN_POSITIVE,
     .ignored = {{law_golombek, "it applies only to the law power"}}},
    {"smallest_m", GR_KEY_NUMBER, "smallest diameter", T(rocks.diameter_lower), GR_SPAN_POSITIVE,
     .ignored = {{not_sown, NOT_SOWN}}},
    {"largest_m", GR_KEY_NUMBER, "largest diameter", T(rocks.diameter_upper), GR_SPAN_POSITIVE,
     .ignored = {{not_sown, NOT_SOWN}}},
    {"area_fraction", GR_KEY_NUMBER, "share of the area that rocks of these sizes cover; 0: that of the law",
     T(rocks.area_fraction), GR_SPAN_BETWEEN(0, 0.6), .ignored = {{not_sown, NOT_SOWN}}},
    {"gap_m", GR_KEY_NUMBER, "smallest gap between two rocks", T(rocks.gap), GR_SPAN_NOT_NEGATIVE},
    {"height_ratio",
     GR_KEY_NUMBER,
     "height above the ground over diameter",
     T(rocks.height_ratio),
     {0, 1, true, false, false}},
    {"clear_m", GR_KEY_NUMBER, "no random rock is closer to the start than this", T(clear_radius), GR_SPAN_NOT_NEGATIVE,
     .ignored = {{not_sown, "it removes random rocks; those of file and on_tracks are kept"}}},
    {"loose_below_m", GR_KEY_NUMBER, "rocks smaller than this can be pushed", T(loose_below), GR_SPAN_NOT_NEGATIVE},
    {"shape", GR_KEY_CHOICE, "shape of the rocks", T(shape), CHOICE(STONES)},
    {"primitive", GR_KEY_CHOICE, "shape that they deviate from", T(deviation.primitive), CHOICE(PRIMITIVES), DEVIATING},
    {"deviation",
     GR_KEY_NUMBER,
     "standard deviation of their points from it, over its radius there",
     T(deviation.deviation),
     {0, 0.3, true, false, false},
     DEVIATING},
    {"points", GR_KEY_INTEGER, "points of which each is the convex hull", T(deviation.points), GR_SPAN_BETWEEN(8, 1000),
     DEVIATING},
    {"seed", GR_KEY_SEED, "chooses the random rocks", T(rocks.seed), .usual = "the seed of the terrain"},
    {NULL}};

static void read_rocks(GrNode *node, void *out)
{
    GrTerrainPlan *plan = out;
    const bool placed = gr_node_find(node, "file") != NULL || gr_node_find(node, "mesh") != NULL ||
                        gr_node_find(node, "on_tracks") != NULL;
    plan->has_rocks = true;
    plan->sown = gr_node_find(node, "law") != NULL || !placed;
    plan->rocks.seed = plan->seed;
    gr_keys_read(node, ROCKS, plan);
}

static void read_layer(GrNode *item, GrLayerPlan *out)
{
    GrNode *terms = gr_field_list(item, "add", GR_OPTIONAL);
    *out = (GrLayerPlan){.raster = gr_default_raster_options(), .size_x = 1000, .size_y = 1000, .cell = 10, .seed = 1};
    if ((gr_node_find(item, "file") != NULL) == (terms != NULL)) {
        gr_node_error(item, GR_ERROR_VALUE, "a layer is either a file or generated: give file or add");
        return;
    }
    gr_keys_read(item, terms != NULL ? MADE_LAYER : FILE_LAYER, out);
    read_all_terms(terms, GR_SCENARIO_LAYER_TERMS, out->terms, &out->term_count);
}

static void read_layers(GrNode *list, void *out)
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

const GrKey gr_terrain_keys[] = {
    {"file", GR_KEY_FILE, "a map (docs/terrain.md)", T(file)},
    {"", GR_KEY_GROUP, .offset = T(raster), .keys = RASTER, .ignored = {{no_file, "there is no map (file)"}}},
    {"size_m", GR_KEY_NUMBER | GR_KEY_NUMBERS, "size of the generated ground, or [along x, along y]", .size = 2,
     .range = GR_SPAN_MAP_SIZE, .read = read_terrain_size, .usual = "200",
     .ignored = {{no_terms, "nothing is generated here: no terms (add), no rocks"}}},
    {"cell_m", GR_KEY_NUMBER, "cells of the generated ground", T(cell), GR_SPAN_BETWEEN(1e-4, 1e6),
     .ignored = {{no_terms, "nothing is generated here: no terms (add)"}}},
    {"seed", GR_KEY_SEED, "moves the generated terms and the rocks", T(seed)},
    {"interpolation", GR_KEY_CHOICE, "bicubic is smooth between nodes; bilinear keeps steps upright", T(interpolation),
     CHOICE(INTERPOLATIONS), .ignored = {{flat_ground, "the ground is a plane"}}},
    {"add", GR_KEY_LIST, "generated terms, summed up and added to the map: grouser terrain generate --list",
     .read = read_terms},
    {"layers", GR_KEY_LIST, "maps below and around this ground, the coarsest first", .keys = LAYER,
     .read = read_layers},
    {"margin_m", GR_KEY_NUMBER, "width over which this ground is blended into the layers", T(margin),
     GR_SPAN_NOT_NEGATIVE, .ignored = {{no_layers, "there are no layers"}}},
    {"rocks", GR_KEY_MAPPING, "rocks on the ground", .keys = ROCKS, .read = read_rocks},
    {NULL}};

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
