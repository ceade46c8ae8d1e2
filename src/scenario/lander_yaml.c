/// Reads lander files (docs/landers.md).
#include "lander_yaml.h"

#include "expression.h"
#include "find.h"
#include "scenario_parts.h"

#define F(member) offsetof(GrLanderFoot, member)
static const GrKey FOOT[] = {{"at_m", GR_KEY_NUMBERS, "middle of the lower face of the pad", F(position), GR_SPAN_ANY,
                              .size = 3, .required = true},
                             {"radius_m", GR_KEY_NUMBER, "a flat pad rests on the highest ground and rock below it",
                              F(radius), GR_SPAN_NOT_NEGATIVE, .usual = "0"},
                             {NULL}};

static void read_feet(GrNode *list, void *lander)
{
    GrLanderDef *out = lander;
    for (GrNode *node = list->first; node != NULL; node = node->next) {
        if (out->foot_count == GR_LANDER_FEET) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d feet", (int)GR_LANDER_FEET);
            return;
        }
        GrLanderFoot *foot = &out->feet[out->foot_count++];
        if (gr_node_is_mapping(node)) {
            gr_keys_read(node, FOOT, foot);
        }
    }
}

static void read_corners(GrNode *list, void *lander)
{
    GrLanderDef *out = lander;
    for (GrNode *node = list->first; node != NULL; node = node->next) {
        if (out->corner_count == GR_LANDER_CORNERS) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d corners", (int)GR_LANDER_CORNERS);
            return;
        }
        gr_node_numbers(node, GR_ANY, out->corners[out->corner_count++], 2);
    }
}

/// The size of the underside, as corners.
static void read_size(GrNode *node, void *lander)
{
    static const double signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    GrLanderDef *out = lander;
    double size[2];
    if (gr_node_numbers(node, GR_POSITIVE, size, 2)) {
        for (int i = 0; i < 4; i++) {
            out->corners[i][0] = signs[i][0] * size[0] / 2;
            out->corners[i][1] = signs[i][1] * size[1] / 2;
        }
        out->corner_count = 4;
    }
}

static void check_underside(GrNode *node, void *lander)
{
    const GrNode *corners = gr_node_find(node, "corners_m"), *size = gr_node_find(node, "size_m");
    (void)lander;
    if (corners == NULL && size == NULL) {
        gr_node_error(node, GR_ERROR_FIELD, "the required key 'size_m' is missing");
    } else if (corners != NULL && size != NULL) {
        gr_node_error(corners, GR_ERROR_FIELD, "give size_m or corners_m, and not both");
    }
}

#define R(member) offsetof(GrLanderRamp, member)
static const GrKey RAMP[] = {
    {"direction_deg", GR_KEY_NUMBER, "where it leads, from x towards y", R(direction), GR_SPAN_ANY},
    {"hinge_m", GR_KEY_NUMBERS, "middle of the hinge, on the upper face", R(hinge), GR_SPAN_ANY, .size = 3,
     .required = true},
    {"length_m", GR_KEY_NUMBER, "length", R(length), GR_SPAN_POSITIVE, .required = true},
    {"width_m", GR_KEY_NUMBER, "width over all", R(width), GR_SPAN_POSITIVE, .required = true},
    {"gap_m", GR_KEY_NUMBER, "gap between two tracks; 0: one plate", R(gap), GR_SPAN_NOT_NEGATIVE},
    {"thickness_m", GR_KEY_NUMBER, "thickness", R(thickness), GR_SPAN_POSITIVE},
    {"range_deg", GR_KEY_NUMBERS, "first and last angle below the plane of the deck", R(first),
     GR_SPAN_BETWEEN(-90, 90), .size = 2},
    {NULL}};

static void fill_ramp(void *ramp)
{
    *(GrLanderRamp *)ramp = gr_default_lander_def().ramps[0];
}

static void read_ramp(GrNode *node, GrLanderRamp *out)
{
    if (!gr_expression_is_name(node->key) || gr_text_copy(out->name, sizeof out->name, node->key) == 0) {
        gr_node_error_at(node, GR_AT_KEY, GR_ERROR_NAME, "'%.60s' cannot be the name of a ramp", node->key);
    }
    if (gr_node_is_mapping(node)) {
        gr_keys_read(node, RAMP, out);
    }
}

static void read_ramps(GrNode *ramps, void *lander)
{
    GrLanderDef *out = lander;
    for (GrNode *node = ramps->first; node != NULL; node = node->next) {
        node->used = true;
        if (out->ramp_count == GR_LANDER_RAMPS) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d ramps", (int)GR_LANDER_RAMPS);
            return;
        }
        read_ramp(node, &out->ramps[out->ramp_count++]);
    }
}

#define L(member) offsetof(GrLanderDef, member)
_Static_assert(L(deck_width) == L(deck_length) + sizeof(double) && L(deck_y) == L(deck_x) + sizeof(double) &&
                   R(last) == R(first) + sizeof(double),
               "size_m, at_m and range_deg are two numbers in a row");

static const GrKey UNDERSIDE[] = {
    {"height_m", GR_KEY_NUMBER, "its height z", L(underside), GR_SPAN_ANY, .required = true},
    {"size_m", GR_KEY_NUMBERS, "[along x, along y], or corners_m", .size = 2, .range = GR_SPAN_POSITIVE,
     .read = read_size},
    {"corners_m", GR_KEY_LIST, "corners [x, y] of a convex polygon", .read = read_corners},
    {NULL}};

static const GrKey DECK[] = {
    {"size_m", GR_KEY_NUMBERS, "[along x, along y]", L(deck_length), GR_SPAN_POSITIVE, .size = 2, .required = true},
    {"at_m", GR_KEY_NUMBERS, "its middle", L(deck_x), GR_SPAN_ANY, .size = 2},
    {"height_m", GR_KEY_NUMBER, "z of its upper face", L(deck_height), GR_SPAN_ANY, .required = true},
    {"thickness_m", GR_KEY_NUMBER, "thickness", L(deck_thickness), GR_SPAN_POSITIVE},
    {NULL}};

static const GrKey LANDER[] = {
    {"name", GR_KEY_TEXT, "short name", L(name), .size = GR_NAME_SIZE, .usual = "that of the file"},
    {"title", GR_KEY_TEXT, "one line for display", L(title), .size = GR_NOTE_SIZE},
    {"", GR_KEY_GROUP, .keys = gr_common_keys},
    {"mass_centre_m", GR_KEY_NUMBERS, "of the lander with its rover: on which feet it stands, when it tips over",
     L(com), GR_SPAN_ANY, .size = 3, .required = true},
    {"feet", GR_KEY_LIST, "at least three", .keys = FOOT, .read = read_feet, .required = true},
    {"underside", GR_KEY_MAPPING, "a plane for the clearance", .keys = UNDERSIDE, .check = check_underside},
    {"deck", GR_KEY_MAPPING, "where the rover stands", .keys = DECK, .required = true},
    {"ramps", GR_KEY_NAMED, "by name", .keys = RAMP, .read = read_ramps, .fill = fill_ramp,
     .size = sizeof(GrLanderRamp)},
    {NULL}};

static void fill_lander(void *lander)
{
    *(GrLanderDef *)lander = gr_default_lander_def();
}

const GrSchema gr_schema_lander = {"lander", LANDER, fill_lander, sizeof(GrLanderDef)};

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
    gr_document_name(root->document, out->name, sizeof out->name);
    gr_keys_read(root, LANDER, out);
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
