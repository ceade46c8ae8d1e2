/// Reducers: one number of a recorded channel.
#include "elementary.h"
#include "measure.h"

#include "alloc.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

static double quantile(const GrSeriesOf *s, double share)
{
    const int count = s->count * s->width;
    double *sorted = gr_malloc(((size_t)count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        return (double)NAN;
    }
    memcpy(sorted, s->values, (size_t)count * sizeof *sorted);
    const int finite = gr_keep_finite(sorted, count);
    gr_sort(sorted, finite);
    const double value = finite > 0 ? gr_quantile_sorted(sorted, finite, fmin(fmax(share, 0), 1)) : (double)NAN;
    gr_free(sorted);
    return value;
}

static double extreme(const GrSeriesOf *s, GrReducer reducer)
{
    double best = (double)NAN;
    for (int i = 0; i < s->count * s->width; i++) {
        const double v = reducer == GR_REDUCE_PEAK ? fabs(s->values[i]) : s->values[i];
        const bool better = isnan(best) || (reducer == GR_REDUCE_MIN ? v < best : v > best);
        best = better && !isnan(v) ? v : best;
    }
    return best;
}

/// Weight of a sample in a mean over time: half the time to its neighbours.
static double weight(const GrSeriesOf *s, int i)
{
    const double before = i > 0 ? s->time[i] - s->time[i - 1] : 0;
    const double after = i + 1 < s->count ? s->time[i + 1] - s->time[i] : 0;
    return s->count > 1 ? (before + after) / 2 : 1;
}

/// Mean over time of the values, of their squares, or of whether they are above a limit times the duration.
static double mean(const GrSeriesOf *s, const GrTerm *term)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < s->count; i++) {
        for (int k = 0; k < s->width; k++) {
            const double v = s->values[i * s->width + k], w = weight(s, i);
            if (isnan(v)) {
                continue;
            }
            sum += w * (term->reducer == GR_REDUCE_RMS          ? v * v
                        : term->reducer == GR_REDUCE_TIME_ABOVE ? v > term->arguments[0]
                                                                : v);
            weights += w;
        }
    }
    switch (term->reducer) {
    case GR_REDUCE_TIME_ABOVE:
        return s->count > 0 ? sum / s->width : (double)NAN;
    case GR_REDUCE_RMS:
        return weights > 0 ? sqrt(sum / weights) : (double)NAN;
    default:
        return weights > 0 ? sum / weights : (double)NAN;
    }
}

/// Mean over the width of sample i.
static double at_sample(const GrSeriesOf *s, int i)
{
    double sum = 0;
    for (int k = 0; k < s->width; k++) {
        sum += s->values[i * s->width + k];
    }
    return s->count > 0 ? sum / s->width : (double)NAN;
}

/// Value where `along`, which never falls, reaches `where`.
static double interpolate(const GrSeriesOf *s, const double *along, double where)
{
    for (int i = 0; i < s->count; i++) {
        if (along[i] < where) {
            continue;
        }
        if (i == 0) {
            return along[0] > where ? (double)NAN : at_sample(s, 0);
        }
        const double part = (where - along[i - 1]) / (along[i] - along[i - 1]);
        return at_sample(s, i - 1) + part * (at_sample(s, i) - at_sample(s, i - 1));
    }
    return (double)NAN;
}

static double nearest(const GrSeriesOf *s, double x, double y)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < s->count; i++) {
        const double distance = gr_hypot(s->x[i] - x, s->y[i] - y);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best >= 0 ? at_sample(s, best) : (double)NAN;
}

double gr_reduce(const GrTerm *term, const GrSeriesOf *s)
{
    switch (term->reducer) {
    case GR_REDUCE_MIN:
    case GR_REDUCE_MAX:
    case GR_REDUCE_PEAK:
        return extreme(s, term->reducer);
    case GR_REDUCE_MEAN:
    case GR_REDUCE_RMS:
    case GR_REDUCE_TIME_ABOVE:
        return mean(s, term);
    case GR_REDUCE_FIRST:
        return at_sample(s, 0);
    case GR_REDUCE_LAST:
        return at_sample(s, s->count - 1);
    case GR_REDUCE_QUANTILE:
        return quantile(s, term->arguments[0]);
    case GR_REDUCE_AT_TIME:
        return interpolate(s, s->time, term->arguments[0]);
    case GR_REDUCE_AT_DISTANCE:
        return interpolate(s, s->distance, term->arguments[0]);
    case GR_REDUCE_AT_PLACE:
        return nearest(s, term->arguments[0], term->arguments[1]);
    case GR_REDUCE_NONE:
    case GR_REDUCE_VARIABLE:
        break;
    }
    return (double)NAN;
}
