#include "dataset.h"

#include "alloc.h"
#include "data.h"
#include "elementary.h"
#include "ground_window.h"
#include "mission_data.h"
#include "out_of_memory.h"
#include "run_sense.h"
#include "scenario_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IMAGES_MOST = 512 };

const GrDatasetColumn gr_dataset_columns[GR_DATASET_COLUMNS] = {
    {"time_s", "simulated time", false},
    {"wheel", "number of the wheel, in the order of the rover's file", false},
    {"x_m", "ground point under the wheel, world", false},
    {"y_m", "", false},
    {"slope_along_deg", "of the ground under the wheel against the horizontal, positive: it climbs", false},
    {"slope_across_deg", "positive: the left is higher", false},
    {"speed_m_per_s", "commanded speed of the rover", false},
    {"curvature_per_m", "commanded", false},
    {"wheel_speed_rad_per_s", "on its axle, positive ahead", false},
    {"load_N", "force of ground and rocks against gravity", false},
    {"rock", "1: it touches a rock or a part", false},
    {"slip", "-1 to 1, positive when the wheel spins", true},
    {"slip_angle_deg", "between its heading and its motion", true},
    {"sinkage_m", "of the rim's lowest point below the undisturbed ground", true},
    {"torque_Nm", "of the drive", true},
    {"fx_N", "of the ground on the wheel: along, across, normal", true},
    {"fy_N", "", true},
    {"fz_N", "", true},
    {"power_W", "of the drive, mechanical", true},
    {"rover_speed_m_per_s", "of the chassis over the ground", true},
};

/// What is collected, in growing arrays.
typedef struct Collector {
    GrWorld *world;
    const GrDatasetDef *def;
    GrRunSense *sense;
    GrBuffer columns[GR_DATASET_COLUMNS], soils, states, heights;
    GrBuffer grey, depth, image_times;
    int camera; ///< sensor of the images; −1: none yet
    int rows, columns_of_image;
    size_t count, images;
} Collector;

static void put(GrBuffer *out, double value)
{
    const float number = (float)value;
    gr_buffer_add(out, (const char *)&number, sizeof number);
}

static void put_text(GrBuffer *out, const char *text)
{
    char cell[GR_NPY_TEXT_SIZE] = {0};
    snprintf(cell, sizeof cell, "%.63s", text);
    gr_buffer_add(out, cell, sizeof cell);
}

/// Heights around a wheel along the vertical, relative to the ground under it.
static void put_heights(Collector *c, GrVec3 at, GrVec3 ahead, GrVec3 up)
{
    const int n = c->def->patch, half = n / 2;
    const GrRuts *ruts = gr_data_ruts(gr_mission_data(c->world->mission));
    const double length = gr_hypot(ahead.x, ahead.y), fx = ahead.x / length, fy = ahead.y / length;
    const double below = gr_window_height(c->world->terrain, ruts, at.x, at.y);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            const double along = (i - half) * c->def->cell, left = (k - half) * c->def->cell;
            const double dx = along * fx - left * fy, dy = along * fy + left * fx;
            const double dz = gr_window_height(c->world->terrain, ruts, at.x + dx, at.y + dy) - below;
            put(&c->heights, gr_dot(gr_vec3(dx, dy, dz), up));
        }
    }
}

static double angle_of(GrVec3 direction, GrVec3 up)
{
    return gr_asin(fmax(-1, fmin(1, gr_dot(direction, up)))) / GR_DEGREE;
}

static void add_wheel(Collector *c, const GrSample *s, int i)
{
    const GrMission *mission = c->world->mission;
    const GrData *d = mission->d;
    const GrWheelSample *w = &s->wheels[i];
    const GrContactFrame *f = &d->contact[i].frame;
    const GrVec3 up = mission->up, at = d->contact[i].point;
    const bool rock = w->stone != GR_STONE_NO_COLLISION;
    const double values[GR_DATASET_COLUMNS] = {s->time,
                                               i,
                                               at.x,
                                               at.y,
                                               angle_of(f->x, up),
                                               angle_of(f->y, up),
                                               s->command.speed,
                                               s->command.curvature,
                                               w->speed,
                                               w->load,
                                               rock ? 1 : 0,
                                               w->slip,
                                               w->slip_angle / GR_DEGREE,
                                               w->sinkage,
                                               w->torque,
                                               w->force.x,
                                               w->force.y,
                                               w->force.z,
                                               w->power,
                                               gr_hypot(s->velocity.x, s->velocity.y)};
    for (int k = 0; k < GR_DATASET_COLUMNS; k++) {
        put(&c->columns[k], values[k]);
    }
    put_text(&c->soils, w->soil >= 0 ? c->world->soils[w->soil].name : "");
    put_text(&c->states, gr_wheel_state_text(w->state));
    if (c->def->patch > 0) {
        put_heights(c, at, f->x, up);
    }
    c->count++;
}

/// Wheels on the map; the first instant is before any motion.
static GrStatus take_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    Collector *c = context;
    for (int i = 0; i < gr_model_wheel_count(c->world->model) && sample->time > 0; i++) {
        if (c->world->mission->d->contact[i].on_map) {
            add_wheel(c, sample, i);
        }
    }
    return c->columns[0].failed || c->heights.failed || c->states.failed ? gr_out_of_memory(log, NULL) : GR_OK;
}

/// Images of the first camera that sends grey ones, all of one size.
static GrStatus take_image(void *context, const GrMeasurement *m, GrErrorLog *log)
{
    Collector *c = context;
    if (!c->def->images || m->grey == NULL || (c->camera >= 0 && c->camera != m->sensor) || c->images >= IMAGES_MOST) {
        return GR_OK;
    }
    c->camera = m->sensor;
    c->rows = m->rows;
    c->columns_of_image = m->columns;
    const size_t pixels = (size_t)m->rows * (size_t)m->columns;
    gr_buffer_add(&c->grey, (const char *)m->grey, pixels);
    gr_buffer_add(&c->depth, (const char *)m->ranges, pixels * sizeof *m->ranges);
    put(&c->image_times, m->time);
    c->images++;
    return c->grey.failed || c->depth.failed ? gr_out_of_memory(log, NULL) : GR_OK;
}

static GrStatus measure(void *context, const GrData *d, GrErrorLog *log)
{
    const Collector *c = context;
    return gr_run_sense_step(c->sense, d, log);
}

static void put_arrays(const Collector *c, GrNpz *out)
{
    const size_t n = c->count, side = (size_t)c->def->patch;
    const size_t image[] = {c->images, (size_t)c->rows, (size_t)c->columns_of_image};
    for (int k = 0; k < GR_DATASET_COLUMNS; k++) {
        gr_npz_add(out, gr_dataset_columns[k].name, GR_NPY_FLOAT, 1, &n, c->columns[k].data);
    }
    gr_npz_add(out, "soil", GR_NPY_TEXT, 1, &n, c->soils.data);
    gr_npz_add(out, "state", GR_NPY_TEXT, 1, &n, c->states.data);
    if (side > 0) {
        gr_npz_add(out, "heights_m", GR_NPY_FLOAT, 3, (const size_t[]){n, side, side}, c->heights.data);
    }
    if (c->images > 0) {
        gr_npz_add(out, "image", GR_NPY_BYTE, 3, image, c->grey.data);
        gr_npz_add(out, "image_depth_m", GR_NPY_FLOAT, 3, image, c->depth.data);
        gr_npz_add(out, "image_time_s", GR_NPY_FLOAT, 1, image, c->image_times.data);
    }
}

GrStatus gr_dataset_run(GrWorld *world, const GrDatasetDef *def, GrNpz *out, size_t *count, GrRunSummary *summary,
                        GrErrorLog *log)
{
    Collector c = {.world = world, .def = def, .camera = -1};
    const GrRunSenseDef sense = {.world = world, .context = &c, .take = take_image};
    GrStatus status = def->images ? gr_run_sense_open(&sense, &c.sense, log) : GR_OK;
    const GrRunHooks hooks = {.context = &c, .sample = take_sample, .step = c.sense != NULL ? measure : NULL};
    *summary = (GrRunSummary){0};
    status = status == GR_OK ? gr_run(world, &hooks, summary, log) : status;
    if (status == GR_OK) {
        put_arrays(&c, out);
        *count = c.count;
    }
    gr_run_sense_close(c.sense, NULL);
    for (int k = 0; k < GR_DATASET_COLUMNS; k++) {
        gr_buffer_free(&c.columns[k]);
    }
    GrBuffer *others[] = {&c.soils, &c.states, &c.heights, &c.grey, &c.depth, &c.image_times};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        gr_buffer_free(others[k]);
    }
    return status;
}
