#include "placer.h"

#include "alloc.h"
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

static void read_lander(GrNode *node, void *plan)
{
    GrPlacerPlan *out = plan;
    gr_read_lander_file(node, out->lander_file, &out->lander);
}

#define P(member) offsetof(GrPlacerPlan, member)
const GrKey gr_placer_keys[] = {
    {"lander", GR_KEY_TEXT, "a shipped lander, or a file", .required = true, .read = read_lander},
    {"terrain", GR_KEY_MAPPING, "the ground, as in scenarios", P(terrain), .keys = gr_terrain_keys},
    {"x_m", GR_KEY_NUMBER, "place of its mass centre", P(spot.x), GR_SPAN_ANY},
    {"y_m", GR_KEY_NUMBER, "place of its mass centre", P(spot.y), GR_SPAN_ANY},
    {"heading_deg", GR_KEY_NUMBER, "direction of its x axis", P(spot.heading), GR_SPAN_ANY},
    {NULL}};

void gr_placer_read(GrNode *root, GrPlacerPlan *out)
{
    *out = (GrPlacerPlan){.lander = gr_default_lander_def(), .terrain = gr_default_terrain_plan()};
    gr_keys_read(root, gr_placer_keys, out);
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

GrPlacer *gr_placer_create(const char *text, const char *file, GrWorldCache *cache)
{
    GrPlacer *p = gr_calloc(1, sizeof *p);
    if (p != NULL) {
        *p = (GrPlacer){.text = text, .file = file, .cache = cache};
        p->cache = cache;
        if (cache == NULL) {
            gr_world_cache_create(&p->cache, NULL);
        }
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
    if (plan->rock_mesh.file[0] != '\0') {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "terrain.rocks.mesh"},
                            "a placement has rocks of a table or of a law, not of a mesh");
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

/// Heights of everything around the lander are in memory after this.
static GrStatus placer_prefetch(GrPlacer *placer, double radius, GrErrorLog *log)
{
    const GrLanderSpot *s = &placer->plan.spot;
    const GrBox2 box = {s->x - radius, s->y - radius, s->x + radius, s->y + radius};
    return placer->terrain != NULL ? gr_terrain_prefetch(placer->terrain, box, log) : GR_OK;
}

GrStatus gr_placer_run(GrPlacer *placer, const char *const *overrides, GrLanderPlacement *out, GrErrorLog *log)
{
    GrStatus status = make_ground(placer, overrides, log);
    status = status == GR_OK ? placer_prefetch(placer, gr_lander_reach(&placer->plan.lander) + MARGIN, log) : status;
    if (status != GR_OK) {
        return status;
    }
    const GrSite site = gr_placer_site(placer);
    return gr_lander_place(&placer->plan.lander, &site, placer->plan.spot, out, log);
}
