#include "grain_study_yaml.h"

#include "scenario_parts.h"
#include "text.h"

#include <string.h>

/// A list of positive numbers, or of slips.
static void read_list(GrNode *list, GrRange range, GrGrainStudyList *out)
{
    out->count = 0;
    for (GrNode *node = list->first; node != NULL; node = node->next) {
        if (out->count == GR_GRAIN_STUDY_VALUES) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d values", (int)GR_GRAIN_STUDY_VALUES);
            return;
        }
        out->count += gr_node_number(node, range, &out->value[out->count]);
    }
    if (list->first == NULL) {
        gr_node_error(list, GR_ERROR_VALUE, "takes at least one value");
    }
}

static void read_diameters(GrNode *list, void *study)
{
    read_list(list, GR_POSITIVE, &((GrGrainStudyDef *)study)->diameters);
}

static void read_pressures(GrNode *list, void *study)
{
    read_list(list, GR_POSITIVE, &((GrGrainStudyDef *)study)->pressures);
}

static void read_slips(GrNode *list, void *study)
{
    read_list(list, GR_BETWEEN(-0.9, 1), &((GrGrainStudyDef *)study)->slips);
}

static void read_laws(GrNode *list, void *study)
{
    GrGrainStudyDef *out = study;
    out->law_count = 0;
    for (GrNode *node = list->first; node != NULL; node = node->next) {
        char name[64];
        if (out->law_count == GR_GRAIN_STUDY_LAWS) {
            gr_node_error(node, GR_ERROR_VALUE, "more than %d laws", (int)GR_GRAIN_STUDY_LAWS);
            return;
        }
        GrErrorLog why = {0};
        if (!gr_node_text(node, name, sizeof name)) {
            continue;
        }
        if (gr_soil_law_find(name, &out->laws[out->law_count], &why) != GR_OK) {
            gr_node_error(node, GR_ERROR_VALUE, "%s", why.items[0].text);
            continue;
        }
        out->law_count++;
    }
}

#define S(member)  offsetof(GrGrainStudyDef, member)
#define LIST(text) GR_KEY_LIST, text

static const GrKey PLATES[] = {
    {"diameters_m", LIST("of the plates: [0.03, 0.05]"), S(diameters), .read = read_diameters, .usual = "[0.04]"},
    {"depth_m", GR_KEY_NUMBER, "to which they are pushed", S(plate.travel), GR_SPAN_POSITIVE},
    {"speed_mps", GR_KEY_NUMBER, "downwards", S(plate.speed), GR_SPAN_POSITIVE},
    {NULL}};

static const GrKey SHEAR[] = {
    {"inner_m", GR_KEY_NUMBER, "inner diameter of the annulus", S(shear.inner), GR_SPAN_POSITIVE},
    {"outer_m", GR_KEY_NUMBER, "its outer diameter", S(shear.diameter), GR_SPAN_POSITIVE},
    {"pressures_Pa", LIST("under which it turns: [500, 1000]"), S(pressures), .read = read_pressures,
     .usual = "[500, 1000]"},
    {"travel_m", GR_KEY_NUMBER, "of its mean radius", S(shear.travel), GR_SPAN_POSITIVE},
    {"speed_mps", GR_KEY_NUMBER, "of its mean radius", S(shear.speed), GR_SPAN_POSITIVE},
    {NULL}};

static const GrKey WHEEL[] = {
    {"radius_m", GR_KEY_NUMBER, "of the rim", S(wheel.wheel.radius), GR_SPAN_POSITIVE},
    {"width_m", GR_KEY_NUMBER, "of the rim", S(wheel.wheel.width), GR_SPAN_POSITIVE},
    {"grouser_count", GR_KEY_INTEGER, "straight ones around the rim", S(wheel.wheel.grouser_count),
     GR_SPAN_BETWEEN(0, 200)},
    {"grouser_height_m", GR_KEY_NUMBER, "over the rim", S(wheel.wheel.grouser_height), GR_SPAN_NOT_NEGATIVE},
    {"grouser_thickness_m", GR_KEY_NUMBER, "of each", S(wheel.wheel.grouser_thickness), GR_SPAN_POSITIVE},
    {"load_N", GR_KEY_NUMBER, "that it carries", S(wheel.load), GR_SPAN_POSITIVE},
    {"slips", LIST("at which it drives: [0, 0.3, 0.6]"), S(slips), .read = read_slips, .usual = "[0, 0.3, 0.6]"},
    {"travel_m", GR_KEY_NUMBER, "of rim or axle, what is longer", S(wheel.travel), GR_SPAN_POSITIVE},
    {"speed_mps", GR_KEY_NUMBER, "of rim or axle, what is faster", S(wheel.speed), GR_SPAN_POSITIVE},
    {NULL}};

static const GrKey STUDY[] = {
    {"name", GR_KEY_TEXT, "short name", S(name), .size = GR_GRAIN_NAME_SIZE, .usual = "that of the file"},
    {"title", GR_KEY_TEXT, "one line for display", S(title), .size = GR_GRAIN_TITLE_SIZE},
    {"", GR_KEY_GROUP, .keys = gr_common_keys},
    {"bed", GR_KEY_FILE, "a bed's file, or a prepared bed", S(bed), .size = GR_FILE_PATH_SIZE, .required = true},
    {"plates", GR_KEY_MAPPING, "that are pushed into the bed", .keys = PLATES},
    {"shear", GR_KEY_MAPPING, "an annulus with blades that turns under pressures", .keys = SHEAR},
    {"wheel", GR_KEY_MAPPING, "that drives on the bed, and on the soils that are fitted", .keys = WHEEL},
    {"soil", GR_KEY_TEXT, "soil of what plates and shear do not tell", S(soil), .size = GR_FILE_PATH_SIZE},
    {"rft_soil", GR_KEY_TEXT, "the same for the law rft", S(rft_soil), .size = GR_FILE_PATH_SIZE},
    {"laws", LIST("that are compared: [wong_reece, scm, rft]"), .read = read_laws, .usual = "[wong_reece, scm, rft]"},
    {NULL}};

static void fill_study(void *study)
{
    GrGrainStudyDef *out = study;
    memset(out, 0, sizeof *out);
    out->plate = gr_default_bin_rig_def(GR_BIN_RIG_PLATE);
    out->shear = gr_default_bin_rig_def(GR_BIN_RIG_SHEAR);
    out->wheel = gr_default_bin_rig_def(GR_BIN_RIG_WHEEL);
    out->wheel.wheel.grouser_count = 0;
    out->diameters = (GrGrainStudyList){{0.04}, 1};
    out->pressures = (GrGrainStudyList){{500, 1000}, 2};
    out->slips = (GrGrainStudyList){{0, 0.3, 0.6}, 3};
    gr_text_copy(out->soil, sizeof out->soil, "cmu_smooth_fit");
    gr_text_copy(out->rft_soil, sizeof out->rft_soil, "cmu_soildirect90_rft");
    static const char *const usual[] = {"wong_reece", "scm", "rft"};
    for (int k = 0; k < 3; k++) {
        out->law_count += gr_soil_law_find(usual[k], &out->laws[k], NULL) == GR_OK;
    }
}

const GrSchema gr_schema_grain_study = {"grain_study", STUDY, fill_study, sizeof(GrGrainStudyDef)};

GrStatus gr_grain_study_load(const char *path, const char *const *overrides, GrGrainStudyDef *out, GrErrorLog *log)
{
    GrDocument *document = NULL;
    fill_study(out);
    GrStatus status = gr_document_load(path, &document, log);
    if (status != GR_OK) {
        return status;
    }
    gr_document_prepare(document, overrides);
    gr_document_name(document, out->name, sizeof out->name);
    gr_keys_read(document->root, STUDY, out);
    gr_document_warn_params(document);
    status = document->status;
    gr_document_free(document);
    return status;
}

bool gr_grain_study_is_file(const char *path)
{
    GrDocument *document;
    if (gr_document_load(path, &document, NULL) != GR_OK) {
        return false;
    }
    const bool found = gr_node_find(document->root, "bed") != NULL && gr_node_find(document->root, "plates") != NULL;
    gr_document_free(document);
    return found;
}
