/// The numbers of a sensor as one table: key and unit in files, range, offset in GrSensorDef, and the kinds that read
/// them. Readers, checks, `show rover` and tests all use this table.
#ifndef GR_SENSOR_PARAM_H
#define GR_SENSOR_PARAM_H

#include "grouser/sense.h"

typedef struct GrSensorParam {
    const char *group;   ///< mapping of the file that has it: "gyro"; "": the sensor's own
    const char *key;     ///< with its unit: "noise_deg_per_s_sqrt_Hz"
    const char *text;    ///< what it is
    size_t offset;       ///< of a double in GrSensorDef
    double scale;        ///< SI value = scale · value in a file
    double lower, upper; ///< allowed, in the file's unit
    bool open;           ///< `lower` itself is not allowed
    bool whole;          ///< a whole number
    unsigned kinds;      ///< bit k: sensors of kind k read it
} GrSensorParam;

int gr_sensor_param_count(void);
const GrSensorParam *gr_sensor_param(int index);

/// Value in the file's unit.
double gr_sensor_param_get(const GrSensorDef *sensor, const GrSensorParam *param);
void gr_sensor_param_set(GrSensorDef *sensor, const GrSensorParam *param, double value);

static inline bool gr_sensor_param_of(const GrSensorParam *param, GrSensorKind kind)
{
    return (param->kinds >> kind & 1u) != 0;
}

/// By GrSensorKind.
extern const char *const gr_sensor_kind_names[GR_SENSOR_KIND_COUNT];

/// By GrCloudFormat.
extern const char *const gr_cloud_format_names[GR_CLOUD_FORMAT_COUNT];

#endif
