#include "sensor_output.h"

#include <stdio.h>

#define KIND(name) (1u << GR_SENSOR_##name)

const GrSensorOutput gr_sensor_outputs[GR_SENSOR_OUTPUT_COUNT] = {
    {~(KIND(LIDAR) | KIND(CAMERA)), GR_SHAPE_VALUES, "", ""},
    {KIND(LIDAR), GR_SHAPE_CLOUD, "", ""},
    {KIND(CAMERA), GR_SHAPE_IMAGE, "/image", "/image"},
    {KIND(CAMERA), GR_SHAPE_DEPTH, "/depth", "/depth"},
    {KIND(CAMERA), GR_SHAPE_CALIBRATION, "/calibration", "/camera_info"},
};

const GrPose gr_optical_pose = {{0, 0, 0}, {0.5, -0.5, 0.5, -0.5}};

bool gr_sensor_has_output(const GrSensorDef *sensor, int output)
{
    const GrSensorOutput *row = &gr_sensor_outputs[output];
    return (row->kinds >> sensor->kind & 1u) != 0 && (row->shape != GR_SHAPE_IMAGE || sensor->camera.grey != 0);
}

void gr_sensor_topic(const GrSensorDef *sensor, const char *part, char out[GR_SENSOR_TOPIC_SIZE])
{
    snprintf(out, GR_SENSOR_TOPIC_SIZE, "/sensors/%s%s", sensor->name, part);
}

void gr_sensor_frame(const GrSensorDef *sensor, char out[GR_SENSOR_FRAME_SIZE])
{
    snprintf(out, GR_SENSOR_FRAME_SIZE, "%s%s", sensor->name, sensor->kind == GR_SENSOR_CAMERA ? "_optical" : "");
}
