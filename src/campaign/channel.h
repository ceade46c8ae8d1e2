/// Numbers of a run by name: recorded channels by the names of the columns of run.csv, and results by the names of
/// summary.json.
#ifndef GR_CHANNEL_H
#define GR_CHANNEL_H

#include "grouser/sample.h"
#include "run_bands.h"

/// Owner of a channel's field.
typedef enum GrChannelOwner { GR_OWNER_BODY, GR_OWNER_WHEEL, GR_OWNER_JOINT } GrChannelOwner;

typedef struct GrChannel {
    const struct GrRunField *field;
    GrChannelOwner owner;
    int first, width; ///< wheels or joints; width 1 for a single one, or for the body
} GrChannel;

/// "pitch_deg", "energy.electric_J", "wheel_front_left.slip", "joint.rocker.angle_deg", or "*.slip" for all wheels.
/// False: there is no such number in the model's recordings.
bool gr_channel_find(const GrModel *m, const char *name, GrChannel *out);

/// Value k < width of a sample.
double gr_channel_value(const GrChannel *channel, const GrSample *sample, int k);

/// Calls `take` for the name of every channel until it returns false.
void gr_channel_list(const GrModel *m, bool (*take)(void *context, const char *name), void *context);

/// A number of the summary: "distance_m", "energy.soil_J", "wheels.slip_mean" (mean, largest or sum of all wheels),
/// "wheel_front_left.slip_mean", "succeeded", or "outcome.stuck" (1 or 0). False: there is no such number.
bool gr_summary_value(const GrModel *m, const GrRunSummary *summary, const char *name, double *out);
void gr_summary_list(const GrModel *m, bool (*take)(void *context, const char *name), void *context);

#endif
