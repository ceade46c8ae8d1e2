/// Warnings about soil parameters without effect: compares what each law reads (soil_param.c) with what a file or the
/// command line gave.
#include "soil_param.h"

#include "grouser/soil_file.h"

#include <stdio.h>

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
