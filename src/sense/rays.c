/// The rays of a frame, shared out among threads, and LiDAR. Each ray depends on its number alone, so that any number
/// of threads gives the same bits.
#include "sensor.h"

#include "alloc.h"
#include "csv.h"
#include "number.h"
#include "out_of_memory.h"

#include <pthread.h>

// ---- rays of one frame

enum { THREADS_MAX = 64 };

typedef struct Share {
    GrSensor *sensor;
    const GrMount *now;
    GrRayFn fn;
    uint64_t stream;
    int begin, end;
} Share;

static void *do_share(void *context)
{
    const Share *share = context;
    for (int i = share->begin; i < share->end; i++) {
        share->fn(share->sensor, share->now, i, share->stream);
    }
    return NULL;
}

bool gr_rays_begin(GrSensor *s, GrErrorLog *log)
{
    const size_t count = (size_t)s->pattern.columns * (size_t)s->pattern.rows;
    const bool camera = s->def->kind == GR_SENSOR_CAMERA;
    s->ranges = gr_malloc(count * sizeof *s->ranges);
    s->points = camera ? NULL : gr_malloc(3 * count * sizeof *s->points);
    s->grey = camera ? gr_malloc(count) : NULL;
    const bool shines = !camera && s->def->lidar.intensity != 0;
    s->intensities = shines ? gr_malloc(count * sizeof *s->intensities) : NULL;
    if (s->ranges == NULL || (camera ? s->grey == NULL : s->points == NULL) || (shines && s->intensities == NULL)) {
        gr_out_of_memory(log, s->def->name);
        return false;
    }
    return true;
}

void gr_rays_each(GrSensor *s, const GrMount *now, long frame, GrRayFn fn)
{
    const int count = s->pattern.columns * s->pattern.rows;
    const int threads = s->threads < 1 ? 1 : s->threads > THREADS_MAX ? THREADS_MAX : s->threads;
    const uint64_t stream = s->stream + (uint64_t)frame * 0xd1342543de82ef95u;
    Share shares[THREADS_MAX];
    pthread_t ids[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    for (int k = 0; k < threads; k++) {
        const int begin = (int)((int64_t)count * k / threads), end = (int)((int64_t)count * (k + 1) / threads);
        shares[k] = (Share){s, now, fn, stream, begin, end};
        started[k] = k > 0 && pthread_create(&ids[k], NULL, do_share, &shares[k]) == 0;
    }
    for (int k = 0; k < threads; k++) {
        if (started[k]) {
            pthread_join(ids[k], NULL);
        } else { // the caller's own share, and those without a thread
            do_share(&shares[k]);
        }
    }
}

GrRangeFigures gr_range_figures(const GrSensor *s)
{
    GrRangeFigures f = {.least = INFINITY};
    double sum = 0;
    for (int i = 0; i < s->pattern.columns * s->pattern.rows; i++) {
        const double range = (double)s->ranges[i];
        if (!isnan(range)) {
            f.count++;
            sum += range;
            f.least = range < f.least ? range : f.least;
        }
    }
    f.mean = f.count > 0 ? sum / f.count : (double)NAN;
    f.least = f.count > 0 ? f.least : (double)NAN;
    return f;
}

// ---- LiDAR: all rays of a scan at the same instant, lines at equal elevations or the rays of a file

static GrVec3 direction(double azimuth, double elevation)
{
    const double level = gr_cos(elevation);
    return gr_vec3(level * gr_cos(azimuth), level * gr_sin(azimuth), gr_sin(elevation));
}

static bool reserve(GrSensor *s, int columns, int rows, GrErrorLog *log)
{
    s->pattern = (GrPattern){gr_malloc((size_t)columns * (size_t)rows * sizeof(GrVec3)), columns, rows};
    if (s->pattern.rays == NULL) {
        gr_out_of_memory(log, s->def->name);
    }
    return s->pattern.rays != NULL;
}

/// A scan over a whole turn does not repeat its first column.
static bool make_pattern(GrSensor *s, GrErrorLog *log)
{
    const GrLidarDef *def = &s->def->lidar;
    const int columns = (int)def->columns, rows = (int)def->lines;
    if (!reserve(s, columns, rows, log)) {
        return false;
    }
    const double width = def->left - def->right;
    const bool whole = width > 2 * GR_PI - 1e-9;
    const double step = whole ? width / columns : columns > 1 ? width / (columns - 1) : 0;
    const double rise = rows > 1 ? (def->upper - def->lower) / (rows - 1) : 0;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            s->pattern.rays[r * columns + c] = direction(def->right + c * step, def->lower + r * rise);
        }
    }
    return true;
}

static bool read_angle(const GrCsv *csv, int row, int column, double most, double *out)
{
    const char *text = gr_csv_cell(csv, row, column);
    char *end;
    *out = gr_number_read(text, &end);
    return end != text && *end == '\0' && fabs(*out) <= most;
}

static GrStatus fill_from_file(GrSensor *s, const GrCsv *csv, GrErrorLog *log)
{
    const char *path = s->def->lidar.pattern;
    const int azimuth = gr_csv_find(csv, "azimuth_deg"), elevation = gr_csv_find(csv, "elevation_deg");
    if (azimuth < 0 || elevation < 0 || csv->row_count == 0) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){.file = path},
                            "a pattern needs the columns azimuth_deg and elevation_deg, and at least one ray");
    }
    if (!reserve(s, csv->row_count, 1, log)) {
        return GR_ERROR_MEMORY;
    }
    for (int i = 0; i < csv->row_count; i++) {
        double a, e;
        if (!read_angle(csv, i, azimuth, 360, &a) || !read_angle(csv, i, elevation, 90, &e)) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .line = csv->lines[i]},
                                "azimuth_deg must be a number from -360 to 360, elevation_deg one from -90 to 90");
        }
        s->pattern.rays[i] = direction(a * GR_DEGREE, e * GR_DEGREE);
    }
    return GR_OK;
}

static bool read_pattern(GrSensor *s, GrErrorLog *log)
{
    GrCsv csv = {0};
    GrStatus status = gr_csv_load(s->def->lidar.pattern, &csv, log);
    if (status == GR_OK) {
        status = fill_from_file(s, &csv, log);
    }
    gr_csv_free(&csv);
    return status == GR_OK;
}

bool gr_lidar_begin(GrSensor *s, GrErrorLog *log)
{
    const bool made = s->def->lidar.pattern[0] != '\0' ? read_pattern(s, log) : make_pattern(s, log);
    return made && gr_rays_begin(s, log);
}

static void cast_lidar(GrSensor *s, const GrMount *now, int i, uint64_t stream)
{
    const GrSensorDef *def = s->def;
    const GrVec3 local = s->pattern.rays[i];
    const GrRay ray = {now->pose.position, gr_quat_rotate(now->pose.rotation, local), def->range_min, def->range_max};
    bool blind;
    GrRayHit hit = gr_ray_scene_cast(s->scene, &ray, &blind);
    if (blind) {
        atomic_fetch_add_explicit(&s->blind, 1, memory_order_relaxed);
    }
    double range = hit.t + def->lidar.range_bias;
    bool returns = hit.seen != GR_SEEN_NOTHING;
    double facing = 0; // cosine of the angle of incidence
    if ((def->lidar.grazing > 0 || s->intensities != NULL) && returns) {
        gr_ray_scene_normal(s->scene, &ray, &hit);
        facing = fabs(gr_dot(hit.normal, ray.along));
        returns = facing >= gr_sin(def->lidar.grazing);
    }
    if (def->lidar.range_noise > 0) {
        range += def->lidar.range_noise * gr_counted_normal(stream, 2 * (uint64_t)i);
    }
    if (def->lidar.lost > 0) {
        returns = returns && gr_counted_unit(stream, 4 * (uint64_t)i + 3) >= def->lidar.lost;
    }
    returns = returns && range >= def->range_min && range <= def->range_max;
    range = returns ? range : (double)NAN;
    s->ranges[i] = (float)range;
    if (s->intensities != NULL) {
        s->intensities[i] = (float)(returns ? facing : (double)NAN);
    }
    s->points[3 * i] = (float)(range * local.x);
    s->points[3 * i + 1] = (float)(range * local.y);
    s->points[3 * i + 2] = (float)(range * local.z);
}

void gr_lidar_measure(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    gr_rays_each(s, now, out->frame, cast_lidar);
    const GrRangeFigures figures = gr_range_figures(s);
    out->values[0] = figures.count;
    out->values[1] = figures.least;
    out->values[2] = figures.mean;
    out->columns = s->pattern.columns;
    out->rows = s->pattern.rows;
    out->ranges = s->ranges;
    out->points = s->points;
    out->intensities = s->intensities;
}
