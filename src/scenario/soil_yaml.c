/// Soil files: keys, reading and writing.
#include "soil_yaml.h"

#include "grouser/model.h"
#include "grouser/soil_file.h"

#include "alloc.h"
#include "buffer.h"
#include "file.h"
#include "find.h"
#include "law.h"
#include "number.h"
#include "out_of_memory.h"
#include "schema.h"
#include "shipped.h"
#include "soil_param.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OVERRIDES = 256 };

#define P(member) offsetof(GrStressPoint, member)
static const GrKey POINT[] = {
    {"x", GR_KEY_NUMBER, "place in the contact: 0 at the exit, 1 at the entry", P(x), GR_SPAN_BETWEEN(0, 1),
     .required = true},
    {"x_slip", GR_KEY_NUMBER, "its change with slip", P(x_slip), GR_SPAN_BETWEEN(-1, 1), .usual = "0"},
    {"y", GR_KEY_NUMBER, "stress there", P(y), GR_SPAN_NOT_NEGATIVE, .required = true},
    {"y_slip", GR_KEY_NUMBER, "its change with slip", P(y_slip), GR_SPAN_ANY, .usual = "0"},
    {NULL}};

static void read_points(GrNode *list, void *soil)
{
    int i = 0;
    if (list->count != GR_CHAIKIN_POINTS) {
        gr_node_error(list, GR_ERROR_VALUE, "found %d points; %d are needed, from exit (x: 0) to entry (x: 1)",
                      list->count, GR_CHAIKIN_POINTS);
        return;
    }
    for (GrNode *node = list->first; node != NULL; node = node->next) {
        GrStressPoint *point = &((GrSoilDef *)soil)->points[i++];
        *point = (GrStressPoint){0};
        if (gr_node_is_mapping(node)) {
            gr_keys_read(node, POINT, point);
        }
    }
}

static bool param_row(int index, GrKey *out)
{
    if (index >= gr_soil_param_count()) {
        return false;
    }
    const GrSoilParam *p = gr_soil_param(index);
    *out = (GrKey){p->key,
                   GR_KEY_NUMBER,
                   p->text,
                   p->offset,
                   .range = {p->lower, p->upper, p->open, false, false},
                   .unit = p->unit,
                   .factor = p->scale,
                   .usual = p->essential ? "none, laws that read it need it" : NULL};
    return true;
}

#define S(member)     offsetof(GrSoilDef, member)
#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))
static const char *const LAWS[] = {GR_SOIL_LAW_LIST(GR_KEY_NAME)};

static const GrKey SOURCE[] = {{"published", GR_KEY_TEXT, "where the values come from"},
                               {"derived", GR_KEY_TEXT, "how they follow from published ones"},
                               {"assumed", GR_KEY_TEXT, "why they are assumed"},
                               {"of", GR_KEY_LIST, "symbols of the parameters: [k_c, phi]"},
                               {NULL}};

static const GrKey soil_keys[] = {
    {"name", GR_KEY_TEXT, "short name", S(name), .size = GR_NAME_SIZE, .usual = "that of the file"},
    {"title", GR_KEY_TEXT, "one line for display", S(title), .size = GR_NOTE_SIZE},
    {"", GR_KEY_GROUP, .keys = gr_common_keys},
    {"law", GR_KEY_CHOICE, "soil law: grouser list models", S(law), CHOICE(LAWS)},
    {"pressure", GR_KEY_CHOICE, "form of the pressure below a plate", S(pressure), CHOICE(gr_pressure_names)},
    {"gravity_scaling", GR_KEY_CHOICE, "whether the moduli follow gravity", S(gravity_scaling),
     CHOICE(gr_gravity_scaling_names)},
    {"shear", GR_KEY_CHOICE, "form of the shear stress over the displacement", S(shear), CHOICE(gr_shear_names)},
    {"skid_flow", GR_KEY_CHOICE, "shear of a wheel that skids", S(skid_flow), CHOICE(gr_skid_flow_names)},
    {"rheology", GR_KEY_CHOICE, "springs and dampers of the laws of springs", S(rheology), CHOICE(gr_rheology_names)},
    {"side_bulldozing", GR_KEY_CHOICE, "force of soil that the sides of a wheel push", S(side_bulldozing),
     CHOICE(gr_side_bulldozing_names)},
    {"front_bulldozing", GR_KEY_BOOL, "passive wedge in front of the wheel", S(front_bulldozing)},
    {"stencil", GR_KEY_INTEGER, "law double_spring: points of the backward stencil", S(stencil), GR_SPAN_BETWEEN(2, 5)},
    {"points", GR_KEY_LIST, "law chaikin: the curve of stress", .keys = POINT, .read = read_points},
    {"", GR_KEY_GROUP, .row = param_row},
    {"fit_gravity", GR_KEY_TEXT | GR_KEY_NUMBER | GR_KEY_ELSEWHERE,
     "gravity of the measurements: earth, moon, …, or in m/s²", .range = {0, 1000, true, false, false},
     .usual = "earth"},
    {"sources", GR_KEY_LIST | GR_KEY_ELSEWHERE, "where the values come from", .keys = SOURCE},
    {"spread", GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "how well the values are known: docs/soils.md",
     .keys = gr_soil_spread_keys},
    {NULL}};

static void fill_soil(void *soil)
{
    *(GrSoilDef *)soil = gr_default_soil_def();
}

const GrSchema gr_schema_soil = {"soil", soil_keys, fill_soil, sizeof(GrSoilDef)};

/// Remembers where input `index` was given, if it was.
static void note_given(GrNode *root, const char *key, int index, GrSoilSources *sources)
{
    const GrNode *node = gr_node_find(root, key);
    if (node != NULL) {
        sources->given[index] = true;
        sources->overridden[index] = node->line == 0;
        sources->lines[index] = node->line;
    }
}

static void read_numbers(GrNode *root, GrSoilDef *soil, GrSoilSources *sources)
{
    const int count = gr_soil_param_count();
    for (int i = 0; i < count; i++) {
        const GrSoilParam *param = gr_soil_param(i);
        const GrRange range = {param->lower, param->upper, param->open, false, false};
        double value;
        if (gr_field_number(root, param->key, GR_OPTIONAL, range, &value)) {
            gr_soil_param_set(soil, i, value);
            note_given(root, param->key, i, sources);
        }
    }
    for (int i = 0; i < gr_soil_choice_count(); i++) {
        note_given(root, gr_soil_choice(i)->key, count + i, sources);
    }
    for (int i = 0; i < count; i++) {
        const GrSoilParam *param = gr_soil_param(i);
        if (gr_soil_param_essential(soil, i) && gr_node_find(root, param->key) == NULL) {
            gr_node_error(root, GR_ERROR_FIELD, "the required key '%s' is missing: the law %s needs the %s", param->key,
                          gr_soil_law_name(soil->law), param->text);
        }
    }
}

/// `fit_gravity: earth`, or a number.
static void read_gravity(GrNode *root, GrSoilDef *soil, GrSoilSources *sources)
{
    static const char *const FORMER[] = {"xi_gravity_m_per_s2", "xi_gravity"};
    GrNode *node = gr_field(root, "fit_gravity", GR_OPTIONAL);
    if (node != NULL && !(node->kind == GR_NODE_SCALAR && gr_gravity_named(node->text, &sources->gravity))) {
        const GrRange range = {.lower = 0, .upper = 1000, .lower_open = true};
        gr_node_number(node, range, &sources->gravity);
    }
    soil->fit_gravity = sources->gravity > 0 ? sources->gravity : soil->fit_gravity;
    for (int i = 0; i < 2; i++) {
        node = gr_field(root, FORMER[i], GR_OPTIONAL);
        if (node != NULL) {
            gr_node_error(node, GR_ERROR_FIELD, "the gravity of xi_n is that of the whole fit: use fit_gravity");
        }
    }
}

void gr_soil_report_param(const GrNode *node, int at, const char *name)
{
    const char *names[GR_SOIL_INPUTS];
    const int count = gr_soil_param_count();
    for (int i = 0; i < count; i++) {
        names[i] = gr_soil_param(i)->name;
    }
    gr_node_error_at(node, at, GR_ERROR_NAME, "there is no parameter '%s'%s", name,
                     gr_suggestion(node->document->log, name, names, count).text);
}

static void read_source_names(GrNode *node, GrSoilSource *source)
{
    GrNode *of = gr_field_list(node, "of", GR_OPTIONAL);
    for (GrNode *item = of != NULL ? of->first : NULL; item != NULL; item = item->next) {
        char name[64];
        if (!gr_node_text(item, name, sizeof name)) {
            continue;
        }
        const int index = gr_soil_param_find(name);
        if (index < 0) {
            gr_soil_report_param(item, 0, name);
        } else if (source->of_count == GR_SOIL_SOURCE_NAMES) {
            gr_node_error(item, GR_ERROR_VALUE, "more than %d names", GR_SOIL_SOURCE_NAMES);
            return;
        } else {
            gr_text_copy(source->of[source->of_count++], sizeof source->of[0], gr_soil_param(index)->name);
        }
    }
}

static void read_source(GrNode *node, GrSoilSource *source)
{
    static const char *const kinds[] = {"published", "derived", "assumed"};
    *source = (GrSoilSource){0};
    if (!gr_node_is_mapping(node)) {
        return;
    }
    int found = 0;
    for (int i = 0; i < 3; i++) {
        if (gr_field_text(node, kinds[i], GR_OPTIONAL, source->text, sizeof source->text)) {
            source->confidence = (GrConfidence)i;
            found++;
        }
    }
    read_source_names(node, source);
    gr_fields_end(node);
    if (found != 1 && node->document->status == GR_OK) {
        gr_node_error(node, GR_ERROR_FIELD, "a source has one of the keys published, derived, assumed");
    }
}

static void read_sources(GrNode *root, GrSoilSources *sources)
{
    GrNode *list = gr_field_list(root, "sources", GR_OPTIONAL);
    for (GrNode *node = list != NULL ? list->first : NULL; node != NULL; node = node->next) {
        if (sources->count == GR_SOIL_SOURCES) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d sources", GR_SOIL_SOURCES);
            return;
        }
        read_source(node, &sources->items[sources->count++]);
    }
}

/// Description of a check of several numbers, for its message.
static const char *sum_text(const char *field)
{
    static const char *const texts[][2] = {
        {"n1", "n0 + n1, the exponent at slip 1: "},
        {"bearing_n_c", "bearing_n_c + n1, the exponent at slip 1: "},
        {"bearing_n_q", "bearing_n_q + n1, the exponent at slip 1: "},
        {"shear_x_slope", "K_x at a slip angle of 90 degrees: "},
        {"shear_y_slope", "K_y at a slip angle of 90 degrees: "},
        {"peak_a1", "a1 + a2, the peak at slip 1: "},
        {"peak_a2", "a1 - a2, the peak at slip -1: "},
        {"peak_plough", "a1 + |a2| + a_plough, the foremost peak: "},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(field, texts[i][0]) == 0) {
            return texts[i][1];
        }
    }
    return "";
}

/// Checks that need the whole soil, reported at the relevant key.
static void check_whole(GrNode *root, const GrSoilDef *soil)
{
    GrErrorLog found = {.quiet = true};
    if (root->document->status != GR_OK || gr_soil_check(soil, &found) == GR_OK) {
        return;
    }
    for (int i = 0; i < found.count; i++) {
        const GrNode *node = gr_node_find(root, found.items[i].field);
        for (int p = 0; p < gr_soil_param_count() && node == NULL; p++) {
            if (strcmp(gr_soil_param(p)->field, found.items[i].field) == 0) {
                node = gr_node_find(root, gr_soil_param(p)->key);
            }
        }
        gr_node_error(node != NULL ? node : root, found.items[i].status, "%s%s", sum_text(found.items[i].field),
                      found.items[i].text);
    }
}

/// Warns of a value far outside its own spread, as where only one of them was edited: bands would be those of another
/// soil.
static void check_spread(GrNode *root, const GrSoilDef *soil, const GrSoilSources *sources, const GrSoilSpread *spread)
{
    for (int i = 0; i < spread->count && root->document->status == GR_OK; i++) {
        const GrSoilParam *param = gr_soil_param(spread->param[i]);
        const double own = gr_soil_param_get(soil, spread->param[i]);
        const double low = gr_distribution_quantile(&spread->distribution[i], 0.05);
        const double high = gr_distribution_quantile(&spread->distribution[i], 0.95);
        if (!sources->overridden[spread->param[i]] && fmax(low - own, own - high) > 0.25 * (high - low)) {
            const GrNode *node = gr_node_find(root, param->key);
            gr_node_warning(node != NULL ? node : root,
                            "%g is not in the soil's own spread, of which 90 %% is between %.4g and %.4g: change "
                            "spread.parameters.%s, too",
                            own, low, high, param->name);
        }
    }
}

/// "phi=30" becomes "phi_deg=30"; "K=0.02" sets both shear moduli. The texts are in the document's arena.
static bool translate(GrDocument *document, const char *override, const char **out, int *count)
{
    char name[64], text[1024];
    const size_t length = strcspn(override, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), override);
    const bool both = strcmp(name, "K") == 0 || strcmp(name, "K_m") == 0;
    const int index = gr_soil_param_find(name);
    if (override[length] == '\0' || (index < 0 && !both)) {
        out[(*count)++] = override;
        return true;
    }
    const char *keys[] = {both ? "K_x_m" : gr_soil_param(index)->key, both ? "K_y_m" : NULL};
    for (int i = 0; i < 2 && keys[i] != NULL; i++) {
        const int size = snprintf(text, sizeof text, "%s%s", keys[i], override + length);
        const char *copy = size < (int)sizeof text ? gr_arena_strndup(&document->arena, text, (size_t)size) : NULL;
        if (copy == NULL) {
            return false;
        }
        out[(*count)++] = copy;
    }
    return true;
}

static void prepare(GrDocument *document, const char *const *overrides)
{
    const char *translated[2 * MAX_OVERRIDES + 1];
    int count = 0;
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        if (i == MAX_OVERRIDES || !translate(document, overrides[i], translated, &count)) {
            gr_node_error(document->root, GR_ERROR_USAGE, "too many overrides, or one that is too long");
            return;
        }
    }
    translated[count] = NULL;
    gr_document_prepare(document, translated);
}

GrStatus gr_soil_read_yaml(GrDocument *document, const char *const *overrides, GrSoilDef *out, GrSoilSources *sources,
                           GrSoilSpread *spread)
{
    static const GrSoilSources none;
    GrNode *root = document->root;
    GrSoilSpread unused = gr_default_soil_spread();
    GrSoilSources *kept = sources != NULL ? sources : gr_malloc(sizeof *kept);
    *out = gr_default_soil_def();
    if (kept == NULL) {
        return gr_node_out_of_memory(root);
    }
    *kept = none;
    prepare(document, overrides);
    gr_document_name(document, out->name, sizeof out->name);
    gr_keys_take(root, soil_keys, out);
    read_numbers(root, out, kept);
    gr_text_copy(kept->file, sizeof kept->file, document->file);
    kept->law = out->law;
    read_gravity(root, out, kept);
    read_sources(root, kept);
    spread = spread != NULL ? spread : &unused;
    gr_soil_spread_read(root, spread);
    kept->is_class = spread->kind == GR_SPREAD_CLASS && isnan(spread->press.residual); // not one by presses
    gr_fields_end(root);
    check_whole(root, out);
    check_spread(root, out, kept, spread);
    gr_document_warn_params(document);
    if (document->status != GR_OK) {
        *out = gr_default_soil_def();
        *kept = none;
    }
    if (kept != sources) {
        gr_free(kept);
    }
    return document->status;
}

GrStatus gr_soil_parse_yaml(const char *text, size_t length, const char *file, const char *const *overrides,
                            GrSoilDef *out, GrSoilSources *sources, GrErrorLog *log)
{
    GrDocument *document;
    *out = gr_default_soil_def();
    GrStatus status = gr_document_parse(text, length, file, &document, log);
    if (status == GR_OK) {
        status = gr_soil_read_yaml(document, overrides, out, sources, NULL);
        gr_document_free(document);
    }
    return status;
}

/// Refuses ES-1 to ES-4, the simulants of Brunskill et al. 2011: they are named in many reports, but no available
/// source gives a complete set of parameters. The message says what is known and what to provide.
static GrStatus refuse_simulant(const char *name, GrErrorLog *log)
{
    static const char *const KNOWN[] = {
        "fine dust, grains below 30 um; published moduli are in the wrong order, and there are no strengths",
        "fine sand, grains of 60 to 250 um; only index properties are published",
        "coarse sand, grains of 300 to 800 um; moduli from a single secondary source, no strengths",
        "no numbers are published",
    };
    const bool named = (name[0] == 'E' || name[0] == 'e') && (name[1] == 'S' || name[1] == 's');
    const char *digit = name + 2 + (named && (name[2] == '-' || name[2] == '_'));
    if (!named || *digit < '1' || *digit > '4' || digit[1] != '\0') {
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_NAME, (GrLocation){0},
                        "ES-%c is known by name only (%s). Measure it, or use numbers that you trust, and write a soil "
                        "file with k_c_N_per_m_n1, k_phi_N_per_m_n2, n0, c_Pa, phi_deg, K_x_m, K_y_m, a1, a2 and "
                        "lambda (docs/soils.md); grouser fit soil finds them from tests of a wheel. Saved as "
                        "soils/%s.yaml in a folder of $GROUSER_DATA it has this name everywhere, in soil maps too",
                        *digit, KNOWN[*digit - '1'], name);
}

GrStatus gr_soil_find(const char *name_or_path, char path[GR_FILE_PATH_SIZE], GrErrorLog *log)
{
    const bool own = gr_shipped_find("soils", name_or_path, ".yaml", path); // the user's own folder may have one
    const GrStatus status = own ? GR_OK : refuse_simulant(name_or_path, log);
    return status == GR_OK ? gr_find_file("soils", "soil", name_or_path, path, log) : status;
}

GrStatus gr_soil_load(const char *name_or_path, const char *const *overrides, GrSoilDef *out, GrSoilSources *sources,
                      GrErrorLog *log)
{
    return gr_soil_load_shared(NULL, name_or_path, overrides, out, sources, NULL, log);
}

GrStatus gr_soil_load_spread(const char *name_or_path, const char *const *overrides, GrSoilDef *out,
                             GrSoilSources *sources, GrSoilSpread *spread, GrErrorLog *log)
{
    return gr_soil_load_shared(NULL, name_or_path, overrides, out, sources, spread, log);
}

GrStatus gr_soil_load_shared(struct GrDocumentCache *cache, const char *name_or_path, const char *const *overrides,
                             GrSoilDef *out, GrSoilSources *sources, GrSoilSpread *spread, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrDocument *document;
    *out = gr_default_soil_def();
    if (spread != NULL) {
        *spread = gr_default_soil_spread();
    }
    GrStatus status = gr_soil_find(name_or_path, path, log);
    if (status == GR_OK) {
        status = gr_document_load_shared(cache, path, &document, log);
    }
    if (status == GR_OK) {
        status = gr_soil_read_yaml(document, overrides, out, sources, spread);
        gr_document_free(document);
    }
    if (status == GR_OK && spread != NULL && spread->kind == GR_SPREAD_UNKNOWN) {
        gr_soil_spread_unknown(out, spread);
    }
    return status;
}

int gr_soil_source_of(const GrSoilSources *sources, const char *name)
{
    for (int i = 0; i < sources->count; i++) {
        for (int j = 0; j < sources->items[i].of_count; j++) {
            if (strcmp(sources->items[i].of[j], name) == 0) {
                return i;
            }
        }
    }
    return -1;
}

bool gr_soil_is_file(const char *path)
{
    GrDocument *document;
    const size_t length = strlen(path);
    const bool yaml = (length > 5 && strcmp(path + length - 5, ".yaml") == 0) ||
                      (length > 4 && strcmp(path + length - 4, ".yml") == 0);
    if (!yaml || gr_document_load(path, &document, NULL) != GR_OK) {
        return false;
    }
    bool soil = gr_node_find(document->root, "law") != NULL;
    for (int i = 0; i < gr_soil_param_count(); i++) {
        soil = soil || gr_node_find(document->root, gr_soil_param(i)->key) != NULL;
    }
    soil = soil && gr_node_find(document->root, "bodies") == NULL && gr_node_find(document->root, "urdf") == NULL;
    gr_document_free(document);
    return soil;
}

// ---- writing

void gr_soil_put_text(GrBuffer *out, const char *text)
{
    gr_buffer_puts(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            gr_buffer_puts(out, "\\");
        }
        gr_buffer_add(out, (unsigned char)*text < ' ' ? " " : text, 1);
    }
    gr_buffer_puts(out, "\"");
}

static void put_key_text(GrBuffer *out, const char *key, const char *text)
{
    gr_buffer_printf(out, "%s: ", key);
    gr_soil_put_text(out, text);
    gr_buffer_puts(out, "\n");
}

/// The law, and every choice that is not the default.
static void put_choices(GrBuffer *out, const GrSoilDef *soil, const GrSoilDef *usual)
{
    for (const GrKey *key = soil_keys; key->name != NULL; key++) {
        char text[GR_KEY_TEXT_SIZE], otherwise[GR_KEY_TEXT_SIZE];
        const bool choice = key->type == GR_KEY_CHOICE || key->type == GR_KEY_BOOL || key->type == GR_KEY_INTEGER;
        if (choice && (strcmp(gr_key_usual(key, soil, text), gr_key_usual(key, usual, otherwise)) != 0 ||
                       strcmp(key->name, "law") == 0)) {
            gr_buffer_printf(out, "%s: %s\n", key->name, text);
        }
    }
}

static void put_points(GrBuffer *out, const GrSoilDef *soil)
{
    gr_buffer_puts(out, "points:\n");
    for (int i = 0; i < GR_CHAIKIN_POINTS; i++) {
        const GrStressPoint *p = &soil->points[i];
        const double values[] = {p->x, p->x_slip, p->y, p->y_slip};
        static const char *const keys[] = {"  - {x: ", ", x_slip: ", ", y: ", ", y_slip: "};
        for (int k = 0; k < 4; k++) {
            gr_buffer_puts(out, keys[k]);
            gr_buffer_number(out, values[k]);
        }
        gr_buffer_puts(out, "}\n");
    }
}

static bool points_differ(const GrSoilDef *a, const GrSoilDef *b)
{
    for (int i = 0; i < GR_CHAIKIN_POINTS; i++) {
        const GrStressPoint *p = &a->points[i], *q = &b->points[i];
        if (p->x != q->x || p->x_slip != q->x_slip || p->y != q->y || p->y_slip != q->y_slip) {
            return true;
        }
    }
    return false;
}

static void put_sources(GrBuffer *out, const GrSoilSources *sources)
{
    static const char *const kinds[] = {"published", "derived", "assumed"};
    gr_buffer_puts(out, "\nsources:\n");
    for (int i = 0; i < sources->count; i++) {
        const GrSoilSource *s = &sources->items[i];
        gr_buffer_printf(out, "  - %s: ", kinds[s->confidence]);
        gr_soil_put_text(out, s->text);
        gr_buffer_puts(out, "\n");
        for (int j = 0; j < s->of_count; j++) {
            gr_buffer_printf(out, "%s%s%s", j == 0 ? "    of: [" : ", ", s->of[j], j + 1 == s->of_count ? "]\n" : "");
        }
    }
}

void gr_soil_write_yaml(const GrSoilDef *soil, const GrSoilSources *sources, const GrSoilSpread *spread, GrBuffer *out)
{
    const GrSoilDef usual = gr_default_soil_def();
    if (soil->name[0] != '\0') {
        put_key_text(out, "name", soil->name);
    }
    if (soil->title[0] != '\0') {
        put_key_text(out, "title", soil->title);
    }
    put_choices(out, soil, &usual);
    gr_buffer_puts(out, "\n");
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const double value = gr_soil_param_get(soil, i);
        const bool given = sources != NULL && sources->given[i];
        if (given || gr_soil_param_essential(soil, i) || value != gr_soil_param_get(&usual, i)) {
            // 15 digits: 37.2 instead of the rounding errors of a conversion to radians and back.
            char number[GR_NUMBER_SIZE];
            gr_number_round(value, 15, number);
            gr_buffer_printf(out, "%s: %s\n", gr_soil_param(i)->key, number);
        }
    }
    if (gr_law_has(soil->law, GR_LAW_POINTS) || points_differ(soil, &usual)) {
        put_points(out, soil);
    }
    if ((sources != NULL && sources->gravity > 0) || soil->fit_gravity != usual.fit_gravity) {
        char number[GR_NUMBER_SIZE];
        gr_number_round(soil->fit_gravity, 15, number);
        gr_buffer_printf(out, "fit_gravity: %s\n", number);
    }
    if (sources != NULL && sources->count > 0) {
        put_sources(out, sources);
    }
    if (spread != NULL) {
        gr_soil_spread_write(spread, out);
    }
}

GrStatus gr_soil_save(const char *path, const GrSoilDef *soil, const GrSoilSources *sources, GrErrorLog *log)
{
    return gr_soil_save_spread(path, soil, sources, NULL, log);
}

GrStatus gr_soil_save_spread(const char *path, const GrSoilDef *soil, const GrSoilSources *sources,
                             const GrSoilSpread *spread, GrErrorLog *log)
{
    GrBuffer out = {0};
    gr_soil_write_yaml(soil, sources, spread, &out);
    const GrStatus status = out.failed ? gr_out_of_memory(log, path) : gr_file_write(path, out.data, out.size, log);
    gr_buffer_free(&out);
    return status;
}

// ---- keys without effect: compares what each law reads (soil_param.c) with what a file or the command line gave

static bool is_used(const GrSoilDef *soil, int index, unsigned use)
{
    const int numbers = gr_soil_param_count();
    return index < numbers ? gr_soil_param_used(soil, index, use) : gr_soil_choice_used(soil, index - numbers, use);
}

/// --set K=0.02 sets both moduli; it is enough that the law reads one.
static bool is_half_of_pair(const GrSoilDef *soil, const GrSoilSources *sources, int index, unsigned use)
{
    const int along = gr_soil_param_find("K_x");
    return index == gr_soil_param_find("K_y") && sources->overridden[along] && is_used(soil, along, use);
}

static bool is_ignored(const GrSoilDef *soil, const GrSoilSources *sources, int index, unsigned use)
{
    if (!sources->given[index]) {
        return false;
    }
    if (sources->overridden[index]) {
        return !is_used(soil, index, use) && !is_half_of_pair(soil, sources, index, use);
    }
    // A file is judged by its own law, since another may have been chosen for a comparison.
    GrSoilDef own = *soil;
    own.law = sources->law;
    const bool sourced = index < gr_soil_param_count() && gr_soil_source_of(sources, gr_soil_param(index)->name) >= 0;
    return !sourced && !is_used(&own, index, GR_SOIL_USE_ANY) && !is_used(soil, index, GR_SOIL_USE_ANY);
}

void gr_soil_warn_ignored(const GrSoilDef *soil, const GrSoilSources *sources, unsigned use, GrErrorLog *log)
{
    const int numbers = gr_soil_param_count();
    for (int i = 0; i < numbers + gr_soil_choice_count(); i++) {
        if (is_ignored(soil, sources, i, use)) {
            const char *key = i < numbers ? gr_soil_param(i)->key : gr_soil_choice(i - numbers)->key;
            const bool in_file = sources->lines[i] > 0;
            gr_warning_add(log, (GrLocation){in_file ? sources->file : NULL, sources->lines[i], 0, key},
                           "has no effect with the law %s of the soil %s: %s", gr_soil_law_name(soil->law), soil->name,
                           gr_soil_ignored_reason(soil, i));
        }
    }
}
