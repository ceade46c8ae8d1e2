#include "placer.h"

#include "alloc.h"
#include "fields.h"
#include "find.h"
#include "out_of_memory.h"
#include "scenario_parts.h"
#include "world_cache.h"

#include <math.h>
#include <string.h>

/// Rocks are made for the whole map up to this size, as a scenario does, and else around the lander [m²].
static const double LARGEST_FIELD = 1e6;
/// Margin of rocks and heights around the lander [m].
static const double MARGIN = 5;

struct GrPlacer {
    const char *text, *file;
    GrWorldCache *cache;
    bool own_cache;
    char *key; ///< overrides of the present ground, owned; NULL: none yet
    GrPlacerPlan plan;
    GrTerrain *terrain;
    GrRockField rocks;
};

void gr_placer_read(GrNode *root, GrPlacerPlan *out)
{
    char name[GR_SCENARIO_PATH_SIZE], beside[GR_FILE_PATH_SIZE];
    *out = (GrPlacerPlan){.lander = gr_default_lander_def()};
    GrNode *lander = gr_field(root, "lander", GR_REQUIRED);
    gr_read_terrain(gr_field_mapping(root, "terrain", GR_OPTIONAL), &out->terrain);
    gr_field_number(root, "x_m", GR_OPTIONAL, GR_ANY, &out->spot.x);
    gr_field_number(root, "y_m", GR_OPTIONAL, GR_ANY, &out->spot.y);
    gr_field_degrees(root, "heading_deg", GR_ANY, &out->spot.heading);
    gr_fields_end(root);
    if (lander == NULL || !gr_node_text(lander, name, sizeof name)) {
        return;
    }
    if (strpbrk(name, "/.") != NULL && gr_node_beside(lander, name, beside) && gr_file_exists(beside)) {
        gr_text_copy(name, sizeof name, beside);
    }
    GrErrorLog log = {.quiet = true};
    const GrStatus status = gr_find_file("landers", "lander", name, out->lander_file, &log) == GR_OK
                                ? gr_lander_load(out->lander_file, &out->lander, &log)
                                : GR_ERROR_NAME;
    for (int i = 0; i < log.count && status != GR_OK; i++) {
        gr_node_error(lander, status, "%s%s%s", log.items[i].field, log.items[i].field[0] != '\0' ? ": " : "",
                      log.items[i].text);
    }
}

GrStatus gr_placer_parse(const char *text, const char *file, const char *const *overrides, GrPlacerPlan *out,
                         GrErrorLog *log)
{
    static const char *const sections[] = {"terrain", NULL};
    GrDocument *document = NULL;
    GrStatus status = gr_document_parse(text, strlen(text), file, &document, log);
    if (status == GR_OK) {
        document->sections = sections;
        gr_document_prepare(document, overrides);
        gr_placer_read(document->root, out);
        status = document->status;
        gr_document_free(document);
    }
    return status;
}

/// One node in block style, so that plain scalars keep their meaning.
static void write_node(const GrNode *node, int indent, GrBuffer *out)
{
    if (node->kind == GR_NODE_SCALAR) {
        if (!node->quoted && !node->block && node->text[0] != '\0') {
            gr_buffer_printf(out, " %s\n", node->text);
            return;
        }
        gr_buffer_puts(out, " \"");
        for (const char *c = node->text; *c != '\0'; c++) {
            gr_buffer_printf(out, *c == '"' || *c == '\\' ? "\\%c" : *c == '\n' ? "\\n" : "%c", *c);
        }
        gr_buffer_puts(out, "\"\n");
        return;
    }
    const bool list = node->kind == GR_NODE_LIST;
    if (node->count == 0) {
        gr_buffer_puts(out, list ? " []\n" : " {}\n");
        return;
    }
    gr_buffer_puts(out, "\n");
    for (const GrNode *child = node->first; child != NULL; child = child->next) {
        list ? gr_buffer_printf(out, "%*s-", indent, "") : gr_buffer_printf(out, "%*s%s:", indent, "", child->key);
        write_node(child, indent + 2, out);
    }
}

void gr_placer_write(const GrNode *root, GrBuffer *out)
{
    write_node(root, 0, out);
}

GrPlacer *gr_placer_create(const char *text, const char *file, GrWorldCache *cache)
{
    GrPlacer *p = gr_calloc(1, sizeof *p);
    if (p != NULL) {
        *p = (GrPlacer){.text = text, .file = file, .cache = cache};
        p->cache = cache != NULL ? cache : gr_world_cache_create();
        p->own_cache = cache == NULL;
    }
    return p;
}

static void free_ground(GrPlacer *p)
{
    gr_terrain_free(p->terrain);
    gr_rock_field_free(&p->rocks);
    gr_free(p->key);
    p->terrain = NULL;
    p->key = NULL;
    p->rocks = (GrRockField){0};
}

void gr_placer_free(GrPlacer *placer)
{
    if (placer != NULL) {
        free_ground(placer);
        if (placer->own_cache) {
            gr_world_cache_free(placer->cache);
        }
        gr_free(placer);
    }
}

const GrPlacerPlan *gr_placer_plan(const GrPlacer *placer)
{
    return &placer->plan;
}

GrSite gr_placer_site(const GrPlacer *placer)
{
    return (GrSite){placer->terrain, placer->rocks.rocks, placer->rocks.count};
}

GrBox2 gr_placer_box(const GrPlacer *placer)
{
    const double x = placer->plan.terrain.size_x / 2, y = placer->plan.terrain.size_y / 2;
    return placer->terrain != NULL ? gr_terrain_box(placer->terrain) : (GrBox2){-x, -y, x, y};
}

static bool is_spot(const char *override)
{
    return strncmp(override, "x_m=", 4) == 0 || strncmp(override, "y_m=", 4) == 0 ||
           strncmp(override, "heading_deg=", 12) == 0;
}

/// Whether the field of rocks is that of the whole map, and so the same for all places.
static bool sows_all(const GrPlacer *p)
{
    const GrBox2 box = gr_placer_box(p);
    return (box.x_upper - box.x_lower) * (box.y_upper - box.y_lower) <= LARGEST_FIELD;
}

static GrStatus make_rocks(GrPlacer *p, GrErrorLog *log)
{
    const GrTerrainPlan *plan = &p->plan.terrain;
    if (!plan->has_rocks) {
        return GR_OK;
    }
    if (plan->track_rocks.spacing > 0) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.field = "terrain.rocks.on_tracks"},
                            "a placement has no wheels");
    }
    if (plan->rock_file[0] != '\0' && plan->sown) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "terrain.rocks"},
                            "a placement has rocks of a file or of a law, and not both");
    }
    if (plan->rock_file[0] != '\0') {
        return gr_rock_field_load(plan->rock_file, plan->rocks.height_ratio, &p->rocks, log);
    }
    GrRockFieldDef def = plan->rocks;
    const double reach = gr_lander_reach(&p->plan.lander) + MARGIN;
    const GrLanderSpot *spot = &p->plan.spot;
    def.box =
        sows_all(p) ? gr_placer_box(p) : (GrBox2){spot->x - reach, spot->y - reach, spot->x + reach, spot->y + reach};
    return gr_rock_field_make(&def, &p->rocks, log);
}

/// Text of the overrides that change more than the place.
static void write_key(const char *const *overrides, GrBuffer *out)
{
    for (int i = 0; overrides != NULL && overrides[i] != NULL; i++) {
        if (!is_spot(overrides[i])) {
            gr_buffer_printf(out, "%s\n", overrides[i]);
        }
    }
    gr_buffer_puts(out, "\n");
}

static GrStatus make_ground(GrPlacer *p, const char *const *overrides, GrErrorLog *log)
{
    GrBuffer key = {0};
    write_key(overrides, &key);
    if (key.failed) {
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = gr_placer_parse(p->text, p->file, overrides, &p->plan, log);
    if (status != GR_OK || (p->key != NULL && strcmp(p->key, key.data) == 0 && sows_all(p))) {
        gr_buffer_free(&key);
        return status;
    }
    free_ground(p);
    status = gr_world_cache_terrain(p->cache, &p->plan.terrain, &p->terrain, log);
    status = status == GR_OK ? make_rocks(p, log) : status;
    if (status == GR_OK) {
        p->key = key.data;
    } else {
        gr_buffer_free(&key);
        free_ground(p);
    }
    return status;
}

GrStatus gr_placer_begin(GrPlacer *placer, GrErrorLog *log)
{
    return make_ground(placer, NULL, log);
}

GrStatus gr_placer_prefetch(GrPlacer *placer, double radius, GrErrorLog *log)
{
    const GrLanderSpot *s = &placer->plan.spot;
    const GrBox2 box = {s->x - radius, s->y - radius, s->x + radius, s->y + radius};
    return placer->terrain != NULL ? gr_terrain_prefetch(placer->terrain, box, log) : GR_OK;
}

GrStatus gr_placer_run(GrPlacer *placer, const char *const *overrides, GrLanderPlacement *out, GrErrorLog *log)
{
    GrStatus status = make_ground(placer, overrides, log);
    status = status == GR_OK ? gr_placer_prefetch(placer, gr_lander_reach(&placer->plan.lander) + MARGIN, log) : status;
    if (status != GR_OK) {
        return status;
    }
    const GrSite site = gr_placer_site(placer);
    return gr_lander_place(&placer->plan.lander, &site, placer->plan.spot, out, log);
}
