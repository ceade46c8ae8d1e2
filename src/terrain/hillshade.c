#include "hillshade.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "terrain_data.h"
#include "vec3.h"

#include <string.h>

enum { MAX_ENLARGEMENT = 8 };

/// Colours from low to high; muted, so that the shading shows the shape.
static const double COLORS[][3] = {{92, 74, 66},    {124, 96, 80},   {160, 124, 98},
                                   {192, 156, 122}, {216, 188, 152}, {226, 210, 184}};
enum { COLOR_COUNT = sizeof COLORS / sizeof COLORS[0] };
const unsigned char GR_VOID_COLOR[3] = {52, 60, 84};

/// The map thinned to at most `most` nodes a side: picks rows and averages neighbours along a row.
static GrStatus thin(const GrGridFrame *f, GrSource source, int most, GrGridFrame *small, double **heights,
                     GrErrorLog *log)
{
    const int64_t longer = f->nx > f->ny ? f->nx : f->ny;
    const int64_t step = (longer + most - 1) / most;
    *small = (GrGridFrame){f->nx / step, f->ny / step, 0, 0, f->dx * (double)step, f->dy * (double)step};
    small->nx = small->nx < 2 ? 2 : small->nx;
    small->ny = small->ny < 2 ? 2 : small->ny;
    small->x0 = f->x0 + 0.5 * (double)(step - 1) * f->dx;
    small->y0 = f->y0 + 0.5 * (double)(step - 1) * f->dy;
    double *row = gr_malloc((size_t)f->nx * sizeof *row);
    *heights = gr_malloc((size_t)(small->nx * small->ny) * sizeof **heights);
    GrStatus status = row != NULL && *heights != NULL ? GR_OK : GR_ERROR_MEMORY;
    for (int64_t j = 0; j < small->ny && status == GR_OK; j++) {
        const int64_t from = j * step + step / 2 < f->ny ? j * step + step / 2 : f->ny - 1;
        status = source.read(source.context, (GrGridWindow){0, from, (int)f->nx, 1}, row, log);
        for (int64_t i = 0; i < small->nx && status == GR_OK; i++) {
            double sum = 0, count = 0;
            for (int64_t k = i * step; k < (i + 1) * step && k < f->nx; k++) {
                sum += isnan(row[k]) ? 0 : row[k];
                count += !isnan(row[k]);
            }
            (*heights)[j * small->nx + i] = count > 0 ? sum / count : (double)NAN;
        }
    }
    gr_free(row);
    return status;
}

typedef struct Look {
    double z_low, z_high; ///< where the colours begin and end
    double exaggeration;
    GrVec3 lights[3];
} Look;

/// The k-th smallest value by quickselect (Hoare 1961), in linear time; reorders the values.
static double find_ranked(double *values, int64_t count, int64_t k)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = values[(low + high) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (i < high && values[i] < pivot) {
                i++;
            }
            while (j > low && values[j] > pivot) {
                j--;
            }
            if (i <= j) {
                const double keep = values[i];
                values[i++] = values[j];
                values[j--] = keep;
            }
        }
        if (k > j && k < i) {
            break;
        }
        low = k >= i ? i : low;
        high = k <= j ? j : high;
    }
    return values[k];
}

static Look make_look(double z_low, double z_high)
{
    static const double LIGHTS[3][2] = {{315, 42}, {270, 55}, {0, 55}}; // azimuth from north, elevation [deg]
    Look look = {.z_low = z_low, .z_high = z_high, .exaggeration = 1};
    for (int k = 0; k < 3; k++) {
        const double azimuth = LIGHTS[k][0] * GR_DEGREE, up = LIGHTS[k][1] * GR_DEGREE;
        look.lights[k] = gr_vec3(gr_sin(azimuth) * gr_cos(up), gr_cos(azimuth) * gr_cos(up), gr_sin(up));
    }
    return look;
}

/// Colours span all but the lowest and highest 2 % of heights; slopes are exaggerated, at most six times, until the
/// median is 14 degrees; they are never flattened.
static bool choose_look(const GrGridFrame *f, const double *z, Look *out)
{
    Look look = make_look(0, 1);
    double *values = gr_calloc((size_t)(f->nx * f->ny), sizeof *values);
    if (values == NULL) {
        return false;
    }
    int64_t count = 0;
    for (int64_t k = 0; k < f->nx * f->ny; k++) {
        if (!isnan(z[k])) {
            values[count++] = z[k];
        }
    }
    if (count > 0) {
        look.z_low = find_ranked(values, count, count / 50);
        look.z_high = find_ranked(values, count, count - 1 - count / 50);
        // A range within rounding errors counts as empty.
        look.z_high = look.z_high - look.z_low > 1e-9 * fmax(1, fabs(look.z_low)) ? look.z_high : look.z_low;
    } else {
        look.z_low = look.z_high = (double)NAN;
    }
    count = 0;
    for (int64_t j = 0; j + 1 < f->ny; j++) {
        for (int64_t i = 0; i + 1 < f->nx; i++) {
            const double *n = z + j * f->nx + i;
            const double x = (n[1] - n[0]) / f->dx, y = (n[f->nx] - n[0]) / f->dy, slope = sqrt(x * x + y * y);
            if (!isnan(slope)) {
                values[count++] = slope;
            }
        }
    }
    const double median = count > 0 ? find_ranked(values, count, count / 2) : 0;
    look.exaggeration = fmin(6, fmax(1, 0.25 / fmax(median, 1e-9)));
    gr_free(values);
    *out = look;
    return true;
}

/// Within 0 … upper, 0 for NaN. A picture has a quarter of a million points, and fmin() and fmax() are calls.
static inline double within(double value, double upper)
{
    return value > 0 ? value < upper ? value : upper : 0;
}

static double shade(const Look *look, GrVec3 normal)
{
    const double main_light = within(gr_dot(normal, look->lights[0]), INFINITY);
    const double fill =
        0.5 * (within(gr_dot(normal, look->lights[1]), INFINITY) + within(gr_dot(normal, look->lights[2]), INFINITY));
    // Flat ground comes out at about 0.92, so that lit slopes have room above.
    return 0.14 + 0.80 * main_light + 0.30 * fill;
}

static void paint(const Look *look, GrSlope slope, unsigned char *pixel)
{
    // Flat ground has no range of heights and gets the middle colour.
    const double range = look->z_high - look->z_low;
    const double share = range > 0 ? within((slope.z - look->z_low) / range, 1) : 0.7;
    const double t = share * (COLOR_COUNT - 1);
    const int k = t < COLOR_COUNT - 1 ? (int)t : COLOR_COUNT - 2;
    const GrVec3 normal = gr_normalize(gr_vec3(-slope.gx * look->exaggeration, -slope.gy * look->exaggeration, 1));
    const double light = shade(look, normal);
    for (int c = 0; c < 3; c++) {
        const double color = COLORS[k][c] + (t - k) * (COLORS[k + 1][c] - COLORS[k][c]);
        pixel[c] = (unsigned char)within(color * light + 0.5, 255);
    }
}

GrStatus gr_hillshade_render(const GrGridFrame *frame, GrSource source, int most, GrPicture *out, GrErrorLog *log)
{
    Look look;
    *out = (GrPicture){0};
    GrLayerDef def = gr_default_layer_def();
    def.interpolation = GR_BICUBIC;
    double *heights = NULL;
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    GrStatus status = terrain != NULL ? thin(frame, source, most, &def.frame, &heights, log) : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        status = gr_terrain_add_grid(terrain, &def, heights, log);
    }
    const GrGridFrame *f = &def.frame;
    const int64_t longer = f->nx > f->ny ? f->nx : f->ny;
    int enlarge = status == GR_OK && longer > 0 ? most / (int)longer : 1;
    enlarge = enlarge > MAX_ENLARGEMENT ? MAX_ENLARGEMENT : enlarge < 1 ? 1 : enlarge;
    if (status == GR_OK) {
        out->width = (int)f->nx * enlarge;
        out->height = (int)((double)(f->ny * enlarge) * f->dy / f->dx + 0.5);
        out->height = out->height < 1 ? 1 : out->height;
        out->pixels = gr_malloc((size_t)out->width * (size_t)out->height * 3);
        status = out->pixels != NULL && choose_look(f, heights, &look) ? GR_OK : GR_ERROR_MEMORY;
        out->box = gr_terrain_box(terrain);
    }
    if (status == GR_OK) {
        const GrBox2 b = out->box;
        out->z_low = look.z_low;
        out->z_high = look.z_high;
        for (int row = 0; row < out->height; row++) {
            const double y = b.y_upper - (b.y_upper - b.y_lower) * (row + 0.5) / out->height;
            for (int column = 0; column < out->width; column++) {
                const double x = b.x_lower + (b.x_upper - b.x_lower) * (column + 0.5) / out->width;
                unsigned char *pixel = out->pixels + 3 * ((size_t)row * (size_t)out->width + (size_t)column);
                GrSlope slope;
                if (gr_terrain_slope(terrain, x, y, &slope) == GR_GROUND_OK) {
                    paint(&look, slope, pixel);
                } else {
                    memcpy(pixel, GR_VOID_COLOR, 3);
                    out->has_voids = true;
                }
            }
        }
    } else if (log != NULL && log->error_count == 0) {
        gr_out_of_memory(log, NULL);
    }
    gr_free(heights);
    gr_terrain_free(terrain);
    return status;
}

void gr_picture_dome(GrPicture *picture, double x, double y, double diameter)
{
    static const double COLOR[3] = {104, 96, 92};
    const double scale = picture->width / (picture->box.x_upper - picture->box.x_lower);
    const double cx = (x - picture->box.x_lower) * scale, cy = (picture->box.y_upper - y) * scale;
    const double radius = fmax(0.5 * diameter * scale, 0.6);
    const GrVec3 light = gr_vec3(-0.53, 0.53, 0.66);
    for (int row = (int)fmax(0, cy - radius - 1); row < picture->height && row < cy + radius + 1; row++) {
        for (int column = (int)fmax(0, cx - radius - 1); column < picture->width && column < cx + radius + 1;
             column++) {
            const double u = (column + 0.5 - cx) / radius, v = (cy - row - 0.5) / radius, r2 = u * u + v * v;
            const double cover = fmin(1, fmax(0, (1 - sqrt(r2)) * radius + 0.5)); // soft edge
            const double lit = 0.35 + 1.1 * fmax(0, gr_dot(gr_vec3(u, v, sqrt(fmax(0, 1 - r2))), light));
            unsigned char *pixel = picture->pixels + 3 * ((size_t)row * (size_t)picture->width + (size_t)column);
            for (int c = 0; c < 3; c++) {
                pixel[c] = (unsigned char)fmin(255, (1 - cover) * pixel[c] + cover * COLOR[c] * lit);
            }
        }
    }
}

void gr_hillshade_color(const GrPicture *picture, double height, unsigned char out[3])
{
    const Look look = make_look(picture->z_low, picture->z_high);
    paint(&look, (GrSlope){.z = height}, out);
}
