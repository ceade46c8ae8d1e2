/// Statements on how far to trust a law and a soil's parameters. The figures in the table are those of `grouser
/// validate`, which takes seconds and is therefore not run for every page; a test compares the two.
#include "grouser/trust.h"

#include "number.h"
#include "soil_param.h"

#include "grouser/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const GrTrustError ERRORS[] = {
    {GR_SOIL_WONG_REECE, "wheel/cmu_smooth", "rms off f_x [N], β = 0°, driving", 4.3,
     "wheel tests at CMU, driving straight, with the published soil: drawbar pull off by %g N rms, where the tests "
     "repeat to 0.6 N"},
    {GR_SOIL_WONG_REECE, "wheel/cmu_smooth", "rms off sinkage [mm], β = 0°, driving", 6.4, "sinkage by %g mm"},
    {GR_SOIL_WONG_REECE, "wheel/cmu_fitted", "rms off f_x [N], β = 0°, fitted", 2.3,
     "after a fit to these tests: drawbar pull off by %g N"},
    {GR_SOIL_WONG_REECE, "wheel/cmu_skid", "rms off f_x [N], β = 0°, skidding", 10.1, "skidding: by %g N"},
    {GR_SOIL_WONG_REECE, "rover/mgru3_virtual", "slip on a slope of 20.2°", 0.01,
     "rover MGRU3 on 20° of GRC-1, measured slip 0.76: computed %g with a soil from particle simulations"},
    {GR_SOIL_WONG_REECE, "rover/mgru3_fitted", "slip on a slope of 20.2°", 0.54, "and %g after a fit"},
    {GR_SOIL_TERRA, "law/terra_scm", "sinkage of TerRA off that of SCM, slip 0.1, 0.65, 0.1 at 90 N, largest [%]", 2.7,
     "sinkage within %g %% of our own SCM"},
    {GR_SOIL_RFT, "wheel/cmu_rft", "rms off f_x [N], β = 15°, held back", 2.1,
     "wheel tests at CMU, two parameters fitted at slip angles of 0° and 45°: drawbar pull at 15° off by %g N rms"},
    {GR_SOIL_RFT, "wheel/cmu_rft", "rms off sinkage [mm], β = 15°, held back", 5.1, "sinkage by %g mm"},
    {GR_SOIL_RFT, "wheel/cmu_rft", "rms off f_y [N], β = 75°, held back", 6.5, "side force at 75° by %g N"},
    {GR_SOIL_SCM, "soil/plates", "rms off the particles, R = 0.3 m [% of their mean]", 1.9,
     "plates pressed into the grid: force off by %g %% rms from particle simulations"},
};

const GrTrustError *gr_trust_error(int index)
{
    return index >= 0 && index < (int)(sizeof ERRORS / sizeof ERRORS[0]) ? &ERRORS[index] : NULL;
}

/// Appends to a text, as far as it has room.
static void append(char *text, size_t size, const char *format, ...) GR_PRINTF(3, 4);
static void append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    gr_vprint(text + used, size - used, format, arguments);
    va_end(arguments);
}

/// Origin of a number.
typedef enum Origin { PUBLISHED, DERIVED, ASSUMED, USER, DEFAULT, UNKNOWN, ORIGINS } Origin;

static const char *const ORIGIN_TEXTS[ORIGINS] = {
    [PUBLISHED] = "published",
    [DERIVED] = "derived or fitted",
    [ASSUMED] = "assumed",
    [USER] = "set by the user",
    [DEFAULT] = "default of the program, for no soil in particular",
    [UNKNOWN] = "without a source",
};

static Origin origin_of(const GrSoilSources *sources, int index)
{
    if (sources->overridden[index]) {
        return USER;
    }
    const int source = gr_soil_source_of(sources, gr_soil_param(index)->name);
    if (source >= 0) {
        return sources->items[source].confidence == GR_PUBLISHED ? PUBLISHED
               : sources->items[source].confidence == GR_DERIVED ? DERIVED
                                                                 : ASSUMED;
    }
    return sources->given[index] ? UNKNOWN : DEFAULT;
}

/// Whether a number influences the forces, unlike the range of a fit or a disabled add-on.
static bool counts(const GrSoilDef *soil, const GrSoilSources *sources, int index)
{
    const char *name = gr_soil_param(index)->name;
    const bool range =
        strcmp(name, "slip_min") == 0 || strcmp(name, "slip_max") == 0 || strcmp(name, "sinkage_max") == 0;
    const bool given = sources->given[index];
    return !range && gr_soil_param_used(soil, index, GR_SOIL_USE_ALL) && (given || gr_soil_param_get(soil, index) != 0);
}

/// The parameters by origin; `doubts` names those that were not measured.
static void tell_parameters(const GrSoilDef *soil, const GrSoilSources *sources, GrTrust *out, char *doubts,
                            size_t size)
{
    char names[ORIGINS][160] = {{0}};
    int total = 0, doubtful = 0;
    for (int i = 0; i < gr_soil_param_count(); i++) {
        if (!counts(soil, sources, i)) {
            continue;
        }
        const Origin origin = origin_of(sources, i);
        append(names[origin], sizeof names[origin], "%s%s", names[origin][0] != '\0' ? ", " : "",
               gr_soil_param(i)->name);
        total++;
        doubtful += origin != PUBLISHED && origin != DERIVED;
    }
    for (int k = 0; k < ORIGINS; k++) {
        if (names[k][0] != '\0') {
            append(out->parameters, sizeof out->parameters, "%s%s: %s", out->parameters[0] != '\0' ? "; " : "",
                   ORIGIN_TEXTS[k], names[k]);
        }
    }
    snprintf(doubts, size, "%d of %d parameters neither published nor derived", doubtful, total);
}

static void tell_error(GrSoilLaw law, GrTrust *out)
{
    bool measured = false;
    for (int i = 0; gr_trust_error(i) != NULL; i++) {
        const GrTrustError *e = gr_trust_error(i);
        if (e->law == law) {
            append(out->error, sizeof out->error, "%s", out->error[0] != '\0' ? "; " : "");
// The format is one of the table above, with one number.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            append(out->error, sizeof out->error, e->text, e->value);
#pragma GCC diagnostic pop
            measured = measured || strncmp(e->name, "wheel/", 6) == 0 || strncmp(e->name, "rover/", 6) == 0;
        }
    }
    append(out->error, sizeof out->error,
           "%s%sAll laws and soils together: of %d comparisons with measured wheels and "
           "rovers %d are within the scatter of the measurement (grouser validate).",
           out->error[0] != '\0' ? ". " : "", measured ? "" : "This law has not been compared with a measured wheel. ",
           GR_TRUST_COMPARED, GR_TRUST_PASSED);
}

/// Name of a gravity, or its number.
static void name_gravity(double gravity, char *out, size_t size)
{
    for (int i = 0; gr_gravity_name(i) != NULL; i++) {
        double known;
        if (gr_gravity_named(gr_gravity_name(i), &known) && fabs(known - gravity) < 1e-9) {
            gr_print(out, size, "%s, %.4g m/s²", gr_gravity_name(i), gravity);
            return;
        }
    }
    gr_print(out, size, "%.4g m/s²", gravity);
}

/// What the law does about a gravity that is not that of the fit.
static const char *correction(const GrSoilDef *soil)
{
    if (soil->law == GR_SOIL_RFT) {
        return ". Stresses scale with gravity, as in dry grains";
    }
    if (soil->pressure != GR_PRESSURE_BEKKER) {
        return ". The frictional part of the pressure scales with gravity";
    }
    if (soil->gravity_scaling == GR_GRAVITY_DENSITY) {
        return ". k_phi scales with gravity (gravity_scaling: density)";
    }
    return ". No correction is made: that the parameters hold under this gravity is an assumption";
}

static void tell_gravity(const GrSoilDef *soil, const GrSoilSources *sources, double gravity, GrTrust *out)
{
    char fit[64] = "not stated by the soil's file", run[64];
    const double of_fit = sources != NULL ? sources->gravity : 0;
    name_gravity(gravity, run, sizeof run);
    if (of_fit > 0) {
        name_gravity(of_fit, fit, sizeof fit);
    }
    const bool same = of_fit > 0 && fabs(of_fit - gravity) < 0.02 * of_fit;
    snprintf(out->gravity, sizeof out->gravity, "fit: %s; run: %s%s", fit, run, same ? "" : correction(soil));
}

void gr_trust_of_soil(const GrSoilDef *soil, const GrSoilSources *sources, double gravity, GrTrust *out)
{
    char doubts[96] = "origin of the parameters not known";
    *out = (GrTrust){0};
    snprintf(out->law, sizeof out->law, "%s: %s; soil %s", gr_soil_law_name(soil->law), gr_soil_law_text(soil->law),
             soil->name);
    if (sources != NULL) {
        tell_parameters(soil, sources, out, doubts, sizeof doubts);
    } else {
        snprintf(out->parameters, sizeof out->parameters, "%s", doubts);
    }
    tell_error(soil->law, out);
    tell_gravity(soil, sources, gravity, out);
    char fit[64] = "unknown gravity", run[64];
    if (sources != NULL && sources->gravity > 0) {
        name_gravity(sources->gravity, fit, sizeof fit);
    }
    name_gravity(gravity, run, sizeof run);
    snprintf(out->line, sizeof out->line,
             "law %s, soil %s: %s; fitted under %s, run under %s; of %d comparisons with measured wheels and rovers %d "
             "pass",
             gr_soil_law_name(soil->law), soil->name, doubts, fit, run, GR_TRUST_COMPARED, GR_TRUST_PASSED);
}

void gr_trust_of_rigid_ground(const GrSceneDef *scene, double gravity, GrTrust *out)
{
    char run[64];
    *out = (GrTrust){0};
    name_gravity(gravity, run, sizeof run);
    snprintf(out->law, sizeof out->law, "hard contact: law %s, friction law %s%s",
             gr_contact_law_name(scene != NULL ? scene->contact_law : GR_CONTACT_HUNT_CROSSLEY),
             gr_friction_law_name(scene != NULL ? scene->friction_law : GR_FRICTION_SPRING),
             scene != NULL && scene->pair_count > 0 ? "; values or laws of their own for some pairs of materials" : "");
    snprintf(out->parameters, sizeof out->parameters,
             "stiffness, restitution and friction of the material (hard): "
             "defaults of the program, or set by the user; none was measured on a rover");
    snprintf(
        out->error, sizeof out->error,
        "impacts, sliding, rolling and spinning of single bodies agree with closed "
        "forms (grouser validate --only 'rigid/*'). Rovers on hard ground have not been compared with measurements.");
    snprintf(out->gravity, sizeof out->gravity, "run: %s", run);
    snprintf(out->line, sizeof out->line,
             "hard ground: contacts agree with closed forms, rovers on it have not been "
             "compared with measurements; run under %s",
             run);
}
