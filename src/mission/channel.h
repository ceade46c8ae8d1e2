/// Channels: the recorded quantities of a sample, in one table: name with unit, text, where the value is, the plot of
/// the report that shows it, and its name in functional mock-up units. run.csv, run.mcap, replays, plots, Python,
/// campaigns, FMUs, `grouser list channels` and the tables of docs/recordings.md read it.
///
/// A new channel is one row of channel.c: either a member of the sample, or a function that computes the value from the
/// mission, with its own place in `more` of the sample.
#ifndef GR_CHANNEL_H
#define GR_CHANNEL_H

#include "grouser/mission.h"
#include "grouser/sample.h"

#include <stddef.h>

typedef enum GrChannelKind {
    GR_CHANNEL_NUMBER,
    GR_CHANNEL_INTEGER,
    GR_CHANNEL_STATE, ///< int, contact state of a wheel
    GR_CHANNEL_MODE,  ///< GrDriveMode
    GR_CHANNEL_SOIL,  ///< int, index into the names of the soils; −1: none
} GrChannelKind;

/// Plots of the report, in the order of their sections; run_report.c has their titles and axes.
typedef enum GrFigure {
    GR_FIGURE_NONE,
    GR_FIGURE_SLIP,
    GR_FIGURE_SINKAGE,
    GR_FIGURE_LOAD,
    GR_FIGURE_TORQUE,
    GR_FIGURE_WHEEL_POWER,
    GR_FIGURE_SLIP_ANGLE,
    GR_FIGURE_BLEND,
    GR_FIGURE_POWER,
    GR_FIGURE_ENERGY,
    GR_FIGURE_RESIDUAL,
    GR_FIGURE_LIGHT,
    GR_FIGURE_SUPPLY,
    GR_FIGURE_BATTERY,
    GR_FIGURE_ATTITUDE,
    GR_FIGURE_SPEED,
    GR_FIGURE_OFF_PATH,
    GR_FIGURE_HEIGHT,
    GR_FIGURE_LOCALISATION,
    GR_FIGURE_HEADING,
    GR_FIGURE_JOINT_ANGLE, ///< one for each role of joints
    GR_FIGURE_COUNT
} GrFigure;

typedef enum GrLineCondition {
    GR_LINE_ALWAYS,
    GR_LINE_WITH_PATH,   ///< only where the rover follows a path
    GR_LINE_WITH_SOILS,  ///< only where there are several soils
    GR_LINE_IF_NOT_ZERO, ///< only where it is not zero at the end; energies
} GrLineCondition;

/// A line in a plot of the report; none where `figure` is GR_FIGURE_NONE.
typedef struct GrChannelPlot {
    GrFigure figure;
    const char *line; ///< in the legend; NULL: the only line, or one for each wheel or joint
    int place;        ///< among the lines of the figure; those of the same place in the order of the table
    GrLineCondition condition;
} GrChannelPlot;

/// A row of the table.
typedef struct GrChannelRow {
    const char *name; ///< with its unit as suffix
    const char *text;
    GrChannelKind kind;
    bool wide;     ///< double precision in MCAP, whatever its group has
    bool detail;   ///< not in replays
    size_t offset; ///< in the struct of its group
    double scale;  ///< recorded = scale · value; numbers only
    GrChannelPlot plot;
    const char *fmu; ///< name in functional mock-up units; NULL: `name` without its unit; "": not there
    /// Computes the value at `offset` for wheel or joint `index`, after all members of the sample; NULL: a member.
    double (*get)(const GrMission *mission, const GrSample *sample, int index);
} GrChannelRow;

typedef struct GrChannelGroup {
    const GrChannelRow *rows;
    int count;
    bool single; ///< single precision is enough in MCAP
} GrChannelGroup;

static inline bool gr_channel_single(const GrChannelGroup *group, const GrChannelRow *row)
{
    return group->single && !row->wide;
}

extern const GrChannelGroup gr_wheel_channels;  ///< of GrWheelSample
extern const GrChannelGroup gr_joint_channels;  ///< of GrJointSample, joints that turn
extern const GrChannelGroup gr_slider_channels; ///< of GrJointSample, joints that slide

/// Parts of a sample that only some runs have, as bits.
typedef unsigned GrSampleParts;
enum {
    GR_PART_SUPPLY = 1,       ///< the mission has a Sun or a battery
    GR_PART_LOCALISATION = 2, ///< the rover has a localisation, and its sensors measure
    GR_PART_ALL = 3,
};

static inline GrSampleParts gr_sample_parts(bool supplied, bool localised)
{
    return (supplied ? GR_PART_SUPPLY : 0u) | (localised ? GR_PART_LOCALISATION : 0u);
}

/// A group of the rover as a whole, in the order of the files.
typedef struct GrSampleGroup {
    GrChannelGroup channels;
    const char *owner;  ///< before the names of its channels; "": none
    const char *title;  ///< in lists
    size_t offset;      ///< of its struct in GrSample
    GrSampleParts part; ///< 0: every run has it
} GrSampleGroup;

enum { GR_SAMPLE_GROUPS = 4 };
extern const GrSampleGroup gr_sample_groups[GR_SAMPLE_GROUPS];

/// Whether a run with these parts has the group.
static inline bool gr_sample_has_group(GrSampleParts parts, int group)
{
    return (gr_sample_groups[group].part & ~parts) == 0;
}

static inline const void *gr_sample_group_of(const GrSampleGroup *group, const GrSample *sample)
{
    return (const char *)sample + group->offset;
}

/// The group of a joint of a model: slider channels for prismatic joints, else those of rotating ones.
const GrChannelGroup *gr_joint_group(const GrModel *model, int joint);

/// Number of contact states; those that gr_wheel_state_text() knows.
int gr_wheel_state_count(void);

// ---- the channels of one rover

typedef enum GrChannelOwner { GR_OWNER_ROVER, GR_OWNER_WHEEL, GR_OWNER_JOINT } GrChannelOwner;

/// A channel of a rover.
typedef struct GrChannel {
    const GrChannelRow *row;
    GrChannelOwner owner;
    int index;     ///< of the wheel, the joint, or the rover's group
    int width;     ///< so many wheels from `index` on; 1 but for "*.slip"
    size_t offset; ///< of the value in the sample, its wheels or its joints
} GrChannel;

typedef struct GrChannels {
    GrChannel *items; ///< owned; in the order of the columns of run.csv
    int count;
} GrChannels;

/// All channels of a run with these parts. False when out of memory.
bool gr_channels_init(GrChannels *channels, const GrModel *model, GrSampleParts parts);
void gr_channels_free(GrChannels *channels);

enum { GR_CHANNEL_NAME = 2 * GR_NAME_SIZE };

/// "pitch_deg", "energy.electric_J", "wheel_front_left.slip", "joint.rocker.angle_deg".
void gr_channel_name(const GrModel *model, const GrChannel *channel, char out[GR_CHANNEL_NAME]);

/// A number or an integer by its name, or "*.slip" for all wheels. False: there is no such number in the model's
/// recordings.
bool gr_channel_find(const GrModel *model, const char *name, GrChannel *out);

/// Calls `take` for every name that gr_channel_find() knows until it returns false.
void gr_channel_list(const GrModel *model, bool (*take)(void *context, const char *name), void *context);

/// The value of a sample as it is recorded; `k` < width. Integers, states, modes and soils are whole numbers.
static inline double gr_channel_value(const GrChannel *channel, const GrSample *sample, int k)
{
    const char *from = channel->owner == GR_OWNER_ROVER   ? (const char *)sample
                       : channel->owner == GR_OWNER_WHEEL ? (const char *)(sample->wheels + k)
                                                          : (const char *)(sample->joints + k);
    const void *at = from + channel->offset;
    return channel->row->kind == GR_CHANNEL_NUMBER ? channel->row->scale * *(const double *)at : *(const int *)at;
}

/// Computes the channels that are not members.
void gr_channels_derive(const GrMission *mission, GrSample *sample);

// ---- units

/// A unit of channels: the suffix of their names says it.
typedef struct GrChannelUnit {
    const char *suffix; ///< "_deg"; "" for a number without a unit
    const char *text;   ///< "°"
    const char *si;     ///< unit of FMUs: "rad"
    double factor;      ///< to that unit
} GrChannelUnit;

/// The unit of a name.
const GrChannelUnit *gr_channel_unit(const char *name);

#endif
