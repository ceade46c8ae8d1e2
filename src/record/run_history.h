/// A run reduced to a few hundred buckets, however long it is, for plots: the lowest and the highest value of every
/// quantity, and how often each wheel had each contact state. When all buckets are used, neighbours are merged.
#ifndef GR_RUN_HISTORY_H
#define GR_RUN_HISTORY_H

#include "grouser/sample.h"

enum { GR_HISTORY_BUCKETS = 512, GR_HISTORY_STATES = 16 };

/// Quantities of the whole rover, of each wheel, of each joint.
typedef enum GrHistoryRover {
    GR_HISTORY_ROLL,  ///< [deg]
    GR_HISTORY_PITCH, ///< [deg]
    GR_HISTORY_SPEED, ///< over ground [m/s]
    GR_HISTORY_COMMAND_SPEED,
    GR_HISTORY_POWER,    ///< [W]
    GR_HISTORY_ELECTRIC, ///< energies [J]
    GR_HISTORY_BRAKING,
    GR_HISTORY_MECHANICAL,
    GR_HISTORY_SOIL,
    GR_HISTORY_JOINTS,
    GR_HISTORY_PULL,
    GR_HISTORY_RESIDUAL,
    GR_HISTORY_CROSS_TRACK,    ///< [m]
    GR_HISTORY_ODOMETRY_ERROR, ///< [m]
    GR_HISTORY_HEIGHT,         ///< of the chassis [m]
    GR_HISTORY_BELLY,          ///< [N]
    GR_HISTORY_ROVER_COUNT
} GrHistoryRover;

typedef enum GrHistoryWheel {
    GR_HISTORY_SLIP,
    GR_HISTORY_SLIP_ANGLE,  ///< [deg]
    GR_HISTORY_SINKAGE,     ///< [mm]
    GR_HISTORY_LOAD,        ///< [N]
    GR_HISTORY_TORQUE,      ///< [N m]
    GR_HISTORY_WHEEL_POWER, ///< [W]
    GR_HISTORY_WHEEL_COUNT
} GrHistoryWheel;

typedef struct GrRunHistory {
    int wheel_count, joint_count;
    int quantity_count;       ///< of a bucket
    int count;                ///< buckets in use
    long samples_each;        ///< samples per bucket
    long filled;              ///< samples in the last bucket
    double (*time)[2];        ///< [bucket] of the first and the last sample [s]
    double (*way)[2];         ///< [bucket] the same of the distance [m]
    double *lowest, *highest; ///< [bucket][quantity]; joints: [rad] or [m]
    double *sum;              ///< [bucket][quantity] of the samples
    unsigned *noted;          ///< [bucket][quantity] samples in the sum; NaN is ignored
    unsigned *states;         ///< [bucket][wheel][GR_HISTORY_STATES] samples
} GrRunHistory;

/// False when out of memory.
bool gr_run_history_init(GrRunHistory *history, const GrModel *model);
void gr_run_history_free(GrRunHistory *history);
void gr_run_history_add(GrRunHistory *history, const GrSample *sample);

/// Indices of quantities.
int gr_history_of_rover(GrHistoryRover quantity);
int gr_history_of_wheel(int wheel, GrHistoryWheel quantity);
int gr_history_of_joint(const GrRunHistory *history, int joint);

/// A quantity against time or distance, with a point in the middle of each bucket. The line is the mean, and the band
/// around it spans the lowest and highest values; a line through all values would be a solid block where a quantity
/// oscillates.
typedef struct GrHistoryBand {
    double x[GR_HISTORY_BUCKETS], mean[GR_HISTORY_BUCKETS], lower[GR_HISTORY_BUCKETS], upper[GR_HISTORY_BUCKETS];
    int count;
} GrHistoryBand;

/// Values are multiplied by `scale`.
void gr_run_history_band(const GrRunHistory *history, int quantity, double scale, bool by_way, GrHistoryBand *out);

/// The state that a wheel had most often in a bucket.
int gr_run_history_state(const GrRunHistory *history, int bucket, int wheel);

#endif
