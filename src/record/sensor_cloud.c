#include "sensor_cloud.h"

#include "las.h"
#include "protobuf.h"
#include "vec3.h"

#include <string.h>

static const double LAS_STEP = 1e-4; // [m]: 2^31 of them are more than the longest ray
static const double LAS_TILE = 1000; // offsets are multiples of it [m]

void gr_cloud_put_ply(GrBuffer *out, const GrMeasurement *m)
{
    const GrVec3 p = m->pose.position;
    const GrQuat q = m->pose.rotation;
    int count = 0;
    for (int i = 0; i < m->columns * m->rows; i++) {
        count += !isnan(m->ranges[i]);
    }
    gr_buffer_printf(out, "ply\nformat binary_little_endian 1.0\ncomment time_s %.9g\n", m->time);
    gr_buffer_printf(out,
                     "comment sensor in the world: x y z [m] %.9g %.9g %.9g, q_w q_x q_y q_z %.9g %.9g %.9g %.9g\n",
                     p.x, p.y, p.z, q.w, q.x, q.y, q.z);
    gr_buffer_printf(out, "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n%send_header\n",
                     count, m->intensities != NULL ? "property float intensity\n" : "");
    for (int i = 0; i < m->columns * m->rows; i++) {
        if (isnan(m->ranges[i])) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            gr_proto_float(out, m->points[3 * i + k]);
        }
        if (m->intensities != NULL) {
            gr_proto_float(out, m->intensities[i]);
        }
    }
}

/// A return in the coordinates of the map.
static void map_point(const GrMeasurement *m, int i, const double origin[2], double out[3])
{
    const GrVec3 local = {(double)m->points[3 * i], (double)m->points[3 * i + 1], (double)m->points[3 * i + 2]};
    const GrVec3 p = gr_add(m->pose.position, gr_quat_rotate(m->pose.rotation, local));
    out[0] = p.x + origin[0];
    out[1] = p.y + origin[1];
    out[2] = p.z;
}

void gr_cloud_put_las(GrBuffer *out, const char *sensor, const GrGeoreference *place, const GrMeasurement *m)
{
    const double origin[2] = {place != NULL ? place->origin_east : 0, place != NULL ? place->origin_north : 0};
    const GrVec3 at = m->pose.position;
    GrLas las = {.instrument = sensor,
                 .crs = place != NULL ? place->crs : NULL,
                 .step = LAS_STEP,
                 .offset = {LAS_TILE * floor((at.x + origin[0]) / LAS_TILE),
                            LAS_TILE * floor((at.y + origin[1]) / LAS_TILE), LAS_TILE * floor(at.z / LAS_TILE)}};
    gr_las_begin(out, &las);
    for (int i = 0; i < m->columns * m->rows; i++) {
        if (!isnan(m->ranges[i])) {
            double point[3];
            map_point(m, i, origin, point);
            gr_las_add(out, &las, point, m->intensities != NULL ? (double)m->intensities[i] : 0, m->time);
        }
    }
    gr_las_end(out, &las);
}
