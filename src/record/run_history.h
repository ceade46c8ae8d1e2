/// A run reduced to a few hundred buckets, however long it is, for plots: the lowest and the highest value of every
/// quantity, and how often each wheel had each contact state. When all buckets are used, neighbours are merged.
#ifndef GR_RUN_HISTORY_H
#define GR_RUN_HISTORY_H

#include "buffer.h"
#include "channel.h"
#include "grouser/sample.h"
#include "grouser/vec.h"

enum { GR_HISTORY_BUCKETS = 512, GR_HISTORY_STATES = 16 };

/// A channel with a plot.
typedef struct GrHistoryQuantity {
    GrChannel channel;
    double scale; ///< plotted = scale · recorded
} GrHistoryQuantity;

/// Sections of the report that have plots.
typedef enum GrFigureSection {
    GR_SECTION_WHEELS,
    GR_SECTION_ENERGY,
    GR_SECTION_ROVER,
    GR_SECTION_JOINTS,
} GrFigureSection;

typedef struct GrFigureRow {
    GrFigureSection section;
    const char *title, *label;
    double least; ///< the axis spans at least this: smaller changes are noise
    double scale; ///< plotted = scale · recorded
} GrFigureRow;

extern const GrFigureRow gr_figures[GR_FIGURE_COUNT];

typedef struct GrRunHistory {
    int wheel_count;
    unsigned parts;                ///< GrSampleParts
    int quantity_count;            ///< of a bucket
    GrHistoryQuantity *quantities; ///< [quantity_count] all channels with a plot
    double *values;                ///< [quantity_count] of the last sample
    int count;                     ///< buckets in use
    long samples_each;             ///< samples per bucket
    long filled;                   ///< samples in the last bucket
    double (*time)[2];             ///< [bucket] of the first and the last sample [s]
    double (*distance)[2];         ///< [bucket] the same of the distance [m]
    double *lowest, *highest;      ///< [bucket][quantity] as plotted
    double *sum;                   ///< [bucket][quantity] of the samples
    unsigned *noted;               ///< [bucket][quantity] samples in the sum; NaN is ignored
    unsigned *states;              ///< [bucket][wheel][GR_HISTORY_STATES] samples
} GrRunHistory;

/// False when out of memory.
bool gr_run_history_init(GrRunHistory *history, const GrModel *model, unsigned parts);
void gr_run_history_free(GrRunHistory *history);
void gr_run_history_add(GrRunHistory *history, const GrSample *sample);

/// A quantity against time or distance, with a point in the middle of each bucket. The line is the mean, and the band
/// around it spans the lowest and highest values; a line through all values would be a solid block where a quantity
/// oscillates.
typedef struct GrHistoryBand {
    double x[GR_HISTORY_BUCKETS], mean[GR_HISTORY_BUCKETS], lower[GR_HISTORY_BUCKETS], upper[GR_HISTORY_BUCKETS];
    int count;
} GrHistoryBand;

void gr_run_history_band(const GrRunHistory *history, int quantity, bool by_distance, GrHistoryBand *out);

// Track of the rover: at most GR_TRACK_MAX points, however long the run; when all are used, every other one is
// dropped.

enum { GR_TRACK_MAX = 1024 };

/// Zero-initialise.
typedef struct GrTrack {
    GrVec3 points[GR_TRACK_MAX];
    double values[GR_TRACK_MAX]; ///< values that colour the track
    int count;
    double spacing; ///< between points [m]; 0 at first
} GrTrack;

void gr_track_add(GrTrack *track, GrVec3 point, double value);

// Contact states of all wheels as bands, a row a wheel, against time or distance.

/// CSS colour of a contact state.
const char *gr_state_color(int state);

/// Whether the state occurred at all.
bool gr_state_seen(const GrRunHistory *history, int state);

/// Appends a whole SVG document.
GrStatus gr_state_bands_draw(const GrRunHistory *history, const GrModel *model, bool by_distance, GrBuffer *svg);

#endif
