#include "grains_yaml.h"

#include "find.h"
#include "scenario_parts.h"

#include <string.h>

#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))

typedef struct SizeClass {
    double diameter, fraction;
} SizeClass;

static const GrKey SIZE[] = {{"diameter_m", GR_KEY_NUMBER, "of the grains of this class", offsetof(SizeClass, diameter),
                              GR_SPAN_POSITIVE, .required = true},
                             {"fraction", GR_KEY_NUMBER, "its part of the mass; any sum", offsetof(SizeClass, fraction),
                              GR_SPAN_POSITIVE, .required = true},
                             {NULL}};

static void read_sizes(GrNode *list, void *grains)
{
    GrGrainDef *out = grains;
    for (GrNode *node = list->first; node != NULL; node = node->next) {
        SizeClass size = {1, 1};
        if (out->size_count == GR_GRAIN_SIZES) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d sizes", (int)GR_GRAIN_SIZES);
            return;
        }
        if (gr_node_is_mapping(node)) {
            gr_keys_read(node, SIZE, &size);
        }
        out->size_diameter[out->size_count] = size.diameter;
        out->size_fraction[out->size_count++] = size.fraction;
    }
}

typedef struct ClumpSphere {
    double at[3], radius;
} ClumpSphere;

static const GrKey SPHERE[] = {
    {"at", GR_KEY_NUMBERS, "its place: [x, y, z] in any unit, the same for all", offsetof(ClumpSphere, at), GR_SPAN_ANY,
     .size = 3, .required = true},
    {"radius", GR_KEY_NUMBER, "in that unit", offsetof(ClumpSphere, radius), GR_SPAN_POSITIVE, .required = true},
    {NULL}};

static void read_clump(GrNode *list, void *grains)
{
    GrGrainDef *out = grains;
    for (GrNode *node = list->first; node != NULL; node = node->next) {
        ClumpSphere sphere = {.radius = 1};
        if (out->clump_count == GR_CLUMP_MOST) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d spheres", (int)GR_CLUMP_MOST);
            return;
        }
        if (gr_node_is_mapping(node)) {
            gr_keys_read(node, SPHERE, &sphere);
        }
        memcpy(out->clump_at[out->clump_count], sphere.at, sizeof sphere.at);
        out->clump_radius[out->clump_count++] = sphere.radius;
    }
}

#define G(member) offsetof(GrGrainDef, member)
static const GrKey SOURCE[] = {{"published", GR_KEY_TEXT, "where the values come from"},
                               {"derived", GR_KEY_TEXT, "how they follow from published ones"},
                               {"assumed", GR_KEY_TEXT, "why they are assumed"},
                               {"of", GR_KEY_LIST, "keys: [friction, rolling]"},
                               {NULL}};

static const GrKey GRAINS[] = {
    {"name", GR_KEY_TEXT, "short name", G(name), .size = GR_GRAIN_NAME_SIZE, .usual = "that of the file"},
    {"title", GR_KEY_TEXT, "one line for display", G(title), .size = GR_GRAIN_TITLE_SIZE},
    {"", GR_KEY_GROUP, .keys = gr_common_keys},
    {"diameter_m", GR_KEY_NUMBER, "mean diameter", G(diameter), GR_SPAN_POSITIVE},
    {"spread", GR_KEY_NUMBER, "diameters are uniform by number within this part of the mean", G(spread),
     GR_SPAN_BETWEEN(0, 0.5)},
    {"sizes", GR_KEY_LIST, "classes of one diameter each, in place of both", .keys = SIZE, .read = read_sizes},
    {"clump", GR_KEY_LIST, "two or three spheres of which each grain consists, as one rigid body", .keys = SPHERE,
     .read = read_clump},
    {"density_kg_per_m3", GR_KEY_NUMBER, "of the mineral", G(density), GR_SPAN_POSITIVE, .unit = "kg/m³", .factor = 1},
    {"young_Pa", GR_KEY_NUMBER, "modulus that is computed with; the step grows with its inverse root", G(young),
     GR_SPAN_POSITIVE},
    {"young_mineral_Pa", GR_KEY_NUMBER, "modulus of the mineral, for the reduction that is reported", G(young_mineral),
     GR_SPAN_POSITIVE},
    {"poisson", GR_KEY_NUMBER, "Poisson's ratio", G(poisson), GR_SPAN_BETWEEN(0, 0.49)},
    {"restitution", GR_KEY_NUMBER, "of a central impact", G(restitution), GR_SPAN_BETWEEN(0.2, 1)},
    {"friction", GR_KEY_NUMBER, "coefficient between grains", G(friction), GR_SPAN_NOT_NEGATIVE},
    {"rolling", GR_KEY_NUMBER, "coefficient of rolling resistance between grains", G(rolling), GR_SPAN_NOT_NEGATIVE},
    {"wall_friction", GR_KEY_NUMBER, "coefficient on walls and bodies", G(wall_friction), GR_SPAN_NOT_NEGATIVE},
    {"wall_rolling", GR_KEY_NUMBER, "rolling resistance there", G(wall_rolling), GR_SPAN_NOT_NEGATIVE},
    {"surface_energy_J_per_m2", GR_KEY_NUMBER, "work of adhesion of a contact (DMT)", G(surface_energy),
     GR_SPAN_NOT_NEGATIVE, .unit = "J/m²", .factor = 1},
    {"sources", GR_KEY_LIST | GR_KEY_ELSEWHERE, "where the values come from", .keys = SOURCE},
    {NULL}};

static void fill_grains(void *grains)
{
    *(GrGrainDef *)grains = gr_default_grain_def();
}

const GrSchema gr_schema_grains = {"grains", GRAINS, fill_grains, sizeof(GrGrainDef)};

/// Reads a document into `out` by a table, and frees it.
static GrStatus read_document(GrDocument *document, const GrKey *keys, const char *const *overrides, void *out,
                              char *name)
{
    gr_document_prepare(document, overrides);
    gr_document_name(document, name, GR_GRAIN_NAME_SIZE);
    gr_field(document->root, "sources", GR_OPTIONAL);
    gr_keys_read(document->root, keys, out);
    gr_document_warn_params(document);
    const GrStatus status = document->status;
    gr_document_free(document);
    return status;
}

GrStatus gr_grains_load(const char *name_or_path, GrGrainDef *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrDocument *document = NULL;
    *out = gr_default_grain_def();
    GrStatus status = gr_find_file("grains", "grains", name_or_path, path, log);
    status = status == GR_OK ? gr_document_load(path, &document, log) : status;
    return status == GR_OK ? read_document(document, GRAINS, NULL, out, out->name) : status;
}

/// What a bed's file says, before its grains are read and coarsened.
typedef struct BedFile {
    GrBedDef bed;
    char grains[GR_FILE_PATH_SIZE];
    int side[2];
    double gravity, slope, coarser, diameter;
} BedFile;

static const char *const SIDES[] = {"wall", "periodic"};
_Static_assert(GR_SIDE_WALL == 0 && GR_SIDE_PERIODIC == 1, "the names of sides");

#define B(member) offsetof(BedFile, member)
static const GrKey BED[] = {
    {"name", GR_KEY_TEXT, "short name", B(bed.name), .size = GR_GRAIN_NAME_SIZE, .usual = "that of the file"},
    {"title", GR_KEY_TEXT, "one line for display", B(bed.title), .size = GR_GRAIN_TITLE_SIZE},
    {"", GR_KEY_GROUP, .keys = gr_common_keys},
    {"grains", GR_KEY_TEXT, "shipped grains, or a file: ./mine.yaml", B(grains), .size = GR_FILE_PATH_SIZE,
     .required = true},
    {"diameter_m", GR_KEY_NUMBER, "mean diameter, in place of that of the grains", B(diameter), GR_SPAN_POSITIVE,
     .usual = "that of the grains"},
    {"coarser", GR_KEY_NUMBER, "factor on all diameters, for beds that real grains would make too costly", B(coarser),
     GR_SPAN_POSITIVE},
    {"size_m", GR_KEY_NUMBERS,
     "of the bin, along x, y and z; about three times the depth high, since grains are "
     "filled in loosely",
     B(bed.bin.size), GR_SPAN_POSITIVE, .size = 3},
    {"side_x", GR_KEY_CHOICE, "ends of the bin along x", B(side[0]), CHOICE(SIDES)},
    {"side_y", GR_KEY_CHOICE, "ends of the bin along y", B(side[1]), CHOICE(SIDES)},
    {"depth_m", GR_KEY_NUMBER, "of the bed, about", B(bed.depth), GR_SPAN_POSITIVE},
    {"filled_m", GR_KEY_NUMBER, "part along x that is filled, for repose; 0: all", B(bed.filled), GR_SPAN_NOT_NEGATIVE},
    {"bulk_density_kg_per_m3", GR_KEY_NUMBER, "to which the bed is compacted; 0: as it settles", B(bed.bulk_density),
     GR_SPAN_NOT_NEGATIVE, .unit = "kg/m³", .factor = 1},
    {"gravity_m_per_s2", GR_KEY_NUMBER, "acceleration", B(gravity), GR_SPAN_NOT_NEGATIVE, .unit = "m/s²", .factor = 1},
    {"slope_deg", GR_KEY_NUMBER, "inclination of the bin, down towards x", B(slope), GR_SPAN_BETWEEN(-60, 60)},
    {"step", GR_KEY_NUMBER, "step over the Rayleigh time of the smallest grain", B(bed.bin.step),
     GR_SPAN_BETWEEN(0.001, 0.4)},
    {"skin", GR_KEY_NUMBER, "gap up to which neighbours are listed, over the mean diameter", B(bed.bin.skin),
     GR_SPAN_BETWEEN(0.02, 1)},
    {"seed", GR_KEY_SEED, "of sizes and first places", B(bed.seed)},
    {NULL}};

static void fill_bed(void *file)
{
    BedFile *out = file;
    memset(out, 0, sizeof *out);
    out->bed = gr_default_bed_def();
    out->side[0] = out->side[1] = GR_SIDE_PERIODIC;
    out->gravity = 9.81;
    out->coarser = 1;
}

const GrSchema gr_schema_bed = {"bed", BED, fill_bed, sizeof(BedFile)};

static void coarsen(GrGrainDef *grains, const BedFile *file)
{
    const double factor = file->coarser * (file->diameter > 0 ? file->diameter / grains->diameter : 1);
    grains->diameter *= factor;
    for (int k = 0; k < grains->size_count; k++) {
        grains->size_diameter[k] *= factor;
    }
}

GrStatus gr_bed_load(const char *path, const char *const *overrides, GrBedDef *out, GrErrorLog *log)
{
    BedFile file;
    GrDocument *document = NULL;
    char place[GR_FILE_PATH_SIZE];
    fill_bed(&file);
    GrStatus status = gr_document_load(path, &document, log);
    status = status == GR_OK ? read_document(document, BED, overrides, &file, file.bed.name) : status;
    if (status == GR_OK) {
        const bool is_path = strchr(file.grains, '/') != NULL;
        const bool near = is_path && gr_file_beside(path, file.grains, place);
        status = gr_grains_load(near ? place : file.grains, &file.bed.bin.grains, log);
    }
    if (status != GR_OK) {
        return status;
    }
    GrBinDef *bin = &file.bed.bin;
    coarsen(&bin->grains, &file);
    bin->sides[0] = (GrBinSide)file.side[0], bin->sides[1] = (GrBinSide)file.side[1];
    bin->gravity[0] = file.gravity * gr_sin(file.slope);
    bin->gravity[2] = -file.gravity * gr_cos(file.slope);
    *out = file.bed;
    return GR_OK;
}

static bool has_key(const char *path, const char *key)
{
    GrDocument *document;
    if (gr_document_load(path, &document, NULL) != GR_OK) {
        return false;
    }
    const bool found = gr_node_find(document->root, key) != NULL;
    gr_document_free(document);
    return found;
}

bool gr_grains_is_file(const char *path)
{
    return has_key(path, "young_Pa") || has_key(path, "restitution") || has_key(path, "clump");
}

bool gr_bed_is_file(const char *path)
{
    return has_key(path, "grains") && has_key(path, "depth_m");
}
