/// Recorded quantities of a sample, in one table: name with unit, text, where it is in the sample, and the plot of the
/// report that shows it. The columns of the CSV file, the schemas and messages of the MCAP file and the plots of the
/// report come from it.
#ifndef GR_RUN_FIELD_H
#define GR_RUN_FIELD_H

#include "buffer.h"
#include "grouser/sample.h"

typedef enum GrFieldKind {
    GR_FIELD_NUMBER,
    GR_FIELD_INTEGER,
    GR_FIELD_STATE, ///< int, contact state of a wheel
    GR_FIELD_MODE,  ///< GrDriveMode
    GR_FIELD_SOIL,  ///< int, index into the names of the soils; −1: none
} GrFieldKind;

/// Sections of the report that have plots.
typedef enum GrFigureSection {
    GR_SECTION_WHEELS,
    GR_SECTION_ENERGY,
    GR_SECTION_ROVER,
    GR_SECTION_JOINTS,
} GrFigureSection;

/// Plots of the report, in the order of their sections.
typedef enum GrFigure {
    GR_FIGURE_NONE,
    GR_FIGURE_SLIP,
    GR_FIGURE_SINKAGE,
    GR_FIGURE_LOAD,
    GR_FIGURE_TORQUE,
    GR_FIGURE_WHEEL_POWER,
    GR_FIGURE_SLIP_ANGLE,
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

typedef struct GrFigureRow {
    GrFigureSection section;
    const char *title, *label;
    double least; ///< the axis spans at least this: smaller changes are noise
    double scale; ///< plotted = scale · recorded
} GrFigureRow;

extern const GrFigureRow gr_figures[GR_FIGURE_COUNT];

typedef enum GrLineCondition {
    GR_LINE_ALWAYS,
    GR_LINE_WITH_PATH,   ///< only where the rover follows a path
    GR_LINE_IF_NOT_ZERO, ///< only where it is not zero at the end; energies
} GrLineCondition;

/// A line in a plot of the report; none where `figure` is GR_FIGURE_NONE.
typedef struct GrFieldPlot {
    GrFigure figure;
    const char *line; ///< in the legend; NULL: the only line, or one for each wheel or joint
    int place;        ///< among the lines of the figure; those of the same place in the order of the table
    GrLineCondition condition;
} GrFieldPlot;

typedef struct GrRunField {
    const char *name; ///< with its unit as suffix
    GrFieldKind kind;
    bool wide;     ///< double precision in MCAP, whatever its group has
    size_t offset; ///< in the struct of its group
    double scale;  ///< recorded = scale · value; numbers only
    const char *text;
    GrFieldPlot plot;
    double (*derive)(const void *from); ///< computed instead of read; NULL: read at `offset`
} GrRunField;

typedef struct GrFieldGroup {
    const GrRunField *fields;
    int count;
    bool single; ///< single precision is enough in MCAP
} GrFieldGroup;

static inline bool gr_field_single(const GrFieldGroup *group, const GrRunField *field)
{
    return group->single && !field->wide;
}

extern const GrFieldGroup gr_body_fields;         ///< of GrSample
extern const GrFieldGroup gr_energy_fields;       ///< of GrEnergySample
extern const GrFieldGroup gr_supply_fields;       ///< of GrSupplySample
extern const GrFieldGroup gr_localisation_fields; ///< of GrLocalisationSample
extern const GrFieldGroup gr_wheel_fields;        ///< of GrWheelSample
extern const GrFieldGroup gr_joint_fields;        ///< of GrJointSample, joints that turn
extern const GrFieldGroup gr_slider_fields;       ///< of GrJointSample, joints that slide
extern const GrFieldGroup gr_derived_fields; ///< of GrSample; plotted, and not in the files, whose fields give them

/// Parts of a sample that only some runs have, as bits.
typedef unsigned GrSampleParts;
enum {
    GR_PART_SUPPLY = 1,       ///< the mission has a Sun or a battery
    GR_PART_LOCALISATION = 2, ///< the rover has a localisation, and its sensors measure
};

static inline GrSampleParts gr_sample_parts(bool supplied, bool localised)
{
    return (supplied ? GR_PART_SUPPLY : 0u) | (localised ? GR_PART_LOCALISATION : 0u);
}

/// A group of the rover as a whole, in the order of the files.
typedef struct GrSampleGroup {
    const GrFieldGroup *fields;
    const char *owner;  ///< before the names of its fields; "": none
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

static inline double gr_field_number(const GrRunField *field, const void *from)
{
    return field->scale * *(const double *)(const void *)((const char *)from + field->offset);
}

static inline int gr_field_integer(const GrRunField *field, const void *from)
{
    return *(const int *)(const void *)((const char *)from + field->offset);
}

/// Number of contact states; those that gr_wheel_state_text() knows.
int gr_wheel_state_count(void);

/// The group of a joint of a model: slider fields for prismatic joints, else those of rotating ones. `rover` may be
/// NULL.
const GrFieldGroup *gr_joint_group(const GrModel *model, int joint);

#endif
