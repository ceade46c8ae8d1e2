/// Statements on how far to trust a law and a soil's parameters. The figures in the table are those of `grouser
/// validate`, which takes seconds and is therefore not run for every page; a test compares the two.
#include "grouser/trust.h"

#include "number.h"
#include "soil_param.h"

#include "grouser/model.h"
#include "law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const GrTrustScore SCORES[] = {
    {GR_SOIL_WONG_REECE, false, "score/wong_reece", "with published parameters", 0.17, 0.67, 0.70, (double)NAN},
    {GR_SOIL_WONG_REECE, true, "score/wong_reece_fitted", "with digging and ploughing, fitted at other slip angles,",
     0.042, 0.15, 0.98, 0.94},
    {GR_SOIL_RFT, false, "score/rft", "with two parameters, fitted at other slip angles,", 0.10, 0.37, 0.92, 0.86},
    {GR_SOIL_SCM, true, "score/scm", "with digging and ploughing, fitted at other slip angles,", 0.034, 0.16, 0.99,
     (double)NAN},
};

const GrTrustScore *gr_trust_score(int index)
{
    return index >= 0 && index < (int)(sizeof SCORES / sizeof SCORES[0]) ? &SCORES[index] : NULL;
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
    [DEFAULT] = "default of the program, not of a particular soil",
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
    if (doubtful > 0) {
        snprintf(doubts, size, "%d of %d parameters are neither published nor derived", doubtful, total);
    } else {
        snprintf(doubts, size, "all %d parameters are published or derived", total);
    }
}

/// Whether wheels dig or plough in the soil.
static bool digs(const GrSoilDef *soil)
{
    return soil->slip_sinkage_max > 0 || soil->plough_sinkage > 0 || soil->wedge > 0 || soil->wedge_slide > 0;
}

static void tell_error(const GrSoilDef *soil, GrTrust *out)
{
    const bool both = gr_law_has(soil->law, GR_LAW_GRAINS); // they do so in any case
    for (const GrTrustScore *s = SCORES; s < SCORES + sizeof SCORES / sizeof SCORES[0]; s++) {
        if (s->law != soil->law || (s->digs != digs(soil) && !both)) {
            continue;
        }
        append(out->error, sizeof out->error,
               "The law %s %s misses the measured pull of a wheel in dry sand by %.2g %% of the load (median; 90 %%: "
               "%.2g %%) and orders %.2g %% of pairs of conditions as measured",
               gr_soil_law_name(s->law), s->form, 100 * s->median, 100 * s->most, 100 * s->ordered);
        if (!isnan(s->contained)) {
            append(out->error, sizeof out->error, "; its 90 %% band contains %.2g %%", 100 * s->contained);
        }
        return;
    }
    append(out->error, sizeof out->error, "The law %s in this form has not been compared with a measured wheel",
           gr_soil_law_name(soil->law));
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
    if (gr_law_has(soil->law, GR_LAW_GRAINS)) {
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
    tell_error(soil, out);
    tell_gravity(soil, sources, gravity, out);
    if (sources != NULL && sources->is_class) {
        append(out->line, sizeof out->line,
               "Soil %s is a class, composed from published sets. No wheel was measured on it: use the range rather "
               "than its middle. %s",
               soil->name, out->error);
    } else {
        append(out->line, sizeof out->line, "%s. Soil %s: %s", out->error, soil->name, doubts);
    }
    const double of_fit = sources != NULL ? sources->gravity : 0;
    if (!(fabs(of_fit - gravity) < 0.02 * of_fit)) {
        append(out->line, sizeof out->line, ". Gravity of the %s", out->gravity);
    }
    append(out->line, sizeof out->line, ".");
}

void gr_trust_of_rigid_ground(const GrSceneDef *scene, double gravity, GrTrust *out)
{
    char run[64];
    *out = (GrTrust){0};
    name_gravity(gravity, run, sizeof run);
    snprintf(out->law, sizeof out->law, "hard contact: law %s, friction law %s%s",
             gr_contact_law_name(scene != NULL ? scene->contact_law : GR_CONTACT_HUNT_CROSSLEY),
             gr_friction_law_name(scene != NULL ? scene->friction_law : GR_FRICTION_SPRING),
             scene != NULL && scene->pair_count > 0 ? "; some pairs of materials have their own values or laws" : "");
    snprintf(out->parameters, sizeof out->parameters,
             "stiffness, restitution and friction of the material (hard): "
             "defaults of the program, or set by the user; none was measured on a rover");
    snprintf(
        out->error, sizeof out->error,
        "impacts, sliding, rolling and spinning of single bodies agree with closed "
        "forms (grouser validate --only 'rigid/*'). Rovers on hard ground have not been compared with measurements.");
    snprintf(out->gravity, sizeof out->gravity, "run: %s", run);
    snprintf(out->line, sizeof out->line,
             "Hard ground: contacts agree with closed forms; rovers on it have not been compared with measurements.");
}
