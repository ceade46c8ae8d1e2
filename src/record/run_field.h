/// Recorded quantities of a sample: one list of names, units and struct offsets for the CSV file, the MCAP topics and
/// the docs.
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

typedef struct GrRunField {
    const char *name; ///< with its unit as suffix
    GrFieldKind kind;
    size_t offset; ///< in the struct of its group
    double scale;  ///< recorded = scale · value; numbers only
    const char *text;
} GrRunField;

typedef struct GrFieldGroup {
    const GrRunField *fields;
    int count;
    bool single; ///< single precision is enough in MCAP
} GrFieldGroup;

extern const GrFieldGroup gr_body_fields;   ///< of GrSample
extern const GrFieldGroup gr_energy_fields; ///< of GrEnergySample
extern const GrFieldGroup gr_wheel_fields;  ///< of GrWheelSample
extern const GrFieldGroup gr_joint_fields;  ///< of GrJointSample, joints that turn
extern const GrFieldGroup gr_slider_fields; ///< of GrJointSample, joints that slide

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
