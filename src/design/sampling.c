#include "sampling.h"

#include "choice.h"
#include "hash.h"
#include "latin_hypercube.h"
#include "named.h"
#include "sobol_points.h"

static const GrNamed SAMPLINGS[] = {GR_SAMPLING_LIST(GR_NAMED_ROW)};

const char *gr_sampling_name(GrSampling sampling)
{
    return GR_NAMED_GET(SAMPLINGS, sampling, name);
}

const char *gr_sampling_text(GrSampling sampling)
{
    return GR_NAMED_GET(SAMPLINGS, sampling, text);
}

int gr_sampling_find(const char *name, GrErrorLog *log)
{
#define NAME(constant, text, about) #text,
    static const char *const names[] = {GR_SAMPLING_LIST(NAME)};
#undef NAME
    return gr_choice_find(
        &(GrChoice){.kind = "sampling", .field = "sampling", .names = names, .count = GR_SAMPLING_COUNT}, name, log);
}

void gr_sample_point(GrSampling sampling, uint64_t index, uint64_t count, int dimension_count, uint64_t seed,
                     double *out)
{
    if (sampling == GR_SAMPLING_SOBOL) {
        gr_sobol_point(index, dimension_count, seed, out);
    } else if (sampling == GR_SAMPLING_LATIN) {
        gr_latin_point(index, count, dimension_count, seed, out);
    } else {
        const uint64_t row = gr_hash_join(gr_hash_join(2, seed), index);
        for (int i = 0; i < dimension_count; i++) {
            out[i] = gr_hash_unit(gr_hash_join(row, (uint64_t)i));
        }
    }
}
