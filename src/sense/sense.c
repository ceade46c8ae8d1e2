/// The sensors of a run: which one measures when, and where it then is.
#include "sensor.h"

#include "alloc.h"
#include "messages.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "outlook.h"

#include <stdio.h>

/// State at the end of a step, of what sensors need.
typedef struct Snapshot {
    double time;
    GrMount *mounts;  ///< [sensor_count]
    GrPose *bodies;   ///< [body_count], where a sensor has rays
    GrVec3 *velocity; ///< [body_count] of their origins
} Snapshot;

struct GrSense {
    GrSenseDef def;
    GrSensor *sensors;
    int count;
    int body_count; ///< of the definition; 0: no sensor has rays
    GrRayScene *scene;
    double reach; ///< of rays [m]
    GrOutlook
        *outlook; ///< ground beyond their reach; NULL: there is none, or no sensor looks at the Sun of the mission
    Snapshot before, now;
    GrPose *between; ///< [body_count] poses at an instant
    const GrData *d; ///< of the last update
    bool begun;
    bool failed; ///< a frame was left out: out of memory
};

static bool make_snapshot(Snapshot *s, int sensors, int bodies)
{
    s->mounts = gr_calloc((size_t)sensors + 1, sizeof *s->mounts);
    s->bodies = gr_calloc((size_t)bodies + 1, sizeof *s->bodies);
    s->velocity = gr_calloc((size_t)bodies + 1, sizeof *s->velocity);
    return s->mounts != NULL && s->bodies != NULL && s->velocity != NULL;
}

static void free_snapshot(Snapshot *s)
{
    gr_free(s->mounts);
    gr_free(s->bodies);
    gr_free(s->velocity);
}

static bool begin_sensor(GrSense *sense, GrSensor *s, const GrSensorDef *def, GrErrorLog *log)
{
    char name[GR_NAME_SIZE + 16];
    snprintf(name, sizeof name, "sensor.%s", def->name);
    s->def = def;
    s->kind = &gr_sensor_kinds[def->kind];
    s->random = gr_random_stream((uint64_t)def->seed, name);
    snprintf(name, sizeof name, "dropout.%s", def->name);
    s->drop = gr_random_stream((uint64_t)def->seed, name);
    snprintf(name, sizeof name, "rays.%s", def->name);
    GrRandom rays = gr_random_stream((uint64_t)def->seed, name);
    s->stream = gr_random_u64(&rays);
    s->gravity = sense->def.model->options.gravity;
    s->scene = sense->scene;
    s->threads = sense->def.threads;
    if (def->kind == GR_SENSOR_ENCODER) {
        s->model_joint = gr_model_find_joint(sense->def.model, sense->def.rover->joints[def->joint].name);
        s->turn = gr_model_joint_slides(sense->def.model, s->model_joint) ? 1 : 2 * GR_PI;
    }
    return s->kind->begin == NULL || s->kind->begin(s, log);
}

/// The longest ray of all sensors; 0: none has any.
static double longest_ray(const GrRoverDef *rover)
{
    double reach = 0;
    for (int i = 0; i < rover->sensor_count; i++) {
        const GrSensorDef *def = &rover->sensors[i];
        reach = gr_sensor_kinds[def->kind].rays ? fmax(reach, def->range_max) : reach;
    }
    return reach;
}

static bool allocate(GrSense *sense)
{
    const GrRoverDef *rover = sense->def.rover;
    const double reach = longest_ray(rover);
    sense->reach = reach;
    sense->count = rover->sensor_count;
    sense->body_count = reach > 0 ? rover->body_count : 0;
    sense->sensors = gr_calloc((size_t)sense->count + 1, sizeof *sense->sensors);
    sense->between = gr_calloc((size_t)sense->body_count + 1, sizeof *sense->between);
    sense->scene = reach > 0 ? gr_ray_scene_create(&sense->def, reach) : NULL;
    return sense->sensors != NULL && sense->between != NULL && (reach == 0 || sense->scene != NULL) &&
           make_snapshot(&sense->before, sense->count, sense->body_count) &&
           make_snapshot(&sense->now, sense->count, sense->body_count);
}

static bool looks_at_sun(const GrSensorDef *def)
{
    return def->kind == GR_SENSOR_SUN || (def->kind == GR_SENSOR_CAMERA && def->camera.grey != 0);
}

/// Ground that may hide the Sun from cameras and sun sensors, beyond what their rays reach.
static bool open_outlook(GrSense *sense, GrErrorLog *log)
{
    const GrSenseDef *def = &sense->def;
    bool looks = false;
    for (int i = 0; i < sense->count; i++) {
        looks |= looks_at_sun(&def->rover->sensors[i]);
    }
    return !looks || def->sun.kind == GR_SUN_NONE || def->terrain == NULL ||
           gr_outlook_open(def->terrain, def->sun.body, &sense->outlook, log) == GR_OK;
}

static GrSense *make_sense(const GrSenseDef *def, GrErrorLog *log)
{
    if (gr_sensors_check(def->rover, log) != GR_OK || gr_sun_check(&def->sun, log) != GR_OK) {
        return NULL;
    }
    GrSense *sense = gr_calloc(1, sizeof *sense);
    if (sense == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    sense->def = *def;
    bool good = allocate(sense);
    if (!good) {
        gr_out_of_memory(log, NULL);
    }
    good = good && open_outlook(sense, log);
    for (int i = 0; i < sense->count && good; i++) {
        good = begin_sensor(sense, &sense->sensors[i], &def->rover->sensors[i], log);
    }
    if (!good) {
        gr_sense_free(sense);
        return NULL;
    }
    return sense;
}

GrStatus gr_sense_create(const GrSenseDef *def, GrSense **out, GrErrorLog *log)
{
    *out = make_sense(def, log);
    return *out != NULL ? GR_OK : gr_messages_last_error(log, GR_ERROR_MODEL);
}

void gr_sense_free(GrSense *sense)
{
    if (sense == NULL) {
        return;
    }
    for (int i = 0; sense->sensors != NULL && i < sense->count; i++) {
        GrSensor *s = &sense->sensors[i];
        gr_free(s->pattern.rays);
        gr_free(s->ranges);
        gr_free(s->points);
        gr_free(s->intensities);
        gr_free(s->grey);
        gr_free(s->light);
    }
    gr_ray_scene_free(sense->scene);
    gr_outlook_close(sense->outlook);
    free_snapshot(&sense->before);
    free_snapshot(&sense->now);
    gr_free(sense->between);
    gr_free(sense->sensors);
    gr_free(sense);
}

static void take_snapshot(const GrSense *sense, const GrData *d, Snapshot *out)
{
    const GrModel *m = sense->def.model;
    out->time = gr_data_time(d);
    for (int i = 0; i < sense->count; i++) {
        const GrSensor *s = &sense->sensors[i];
        GrMount *mount = &out->mounts[i];
        mount->pose = gr_pose_mul(gr_data_body_pose(m, d, s->def->body), s->def->pose);
        mount->pose.rotation = gr_quat_normalize(mount->pose.rotation);
        mount->velocity = gr_data_point_velocity(m, d, s->def->body, mount->pose.position);
        mount->joint = s->def->kind == GR_SENSOR_ENCODER ? gr_data_joint_position(m, d, s->model_joint) : 0;
    }
    for (int k = 0; k < sense->body_count; k++) {
        out->bodies[k] = gr_data_body_pose(m, d, k);
        out->velocity[k] = gr_data_point_velocity(m, d, k, out->bodies[k].position);
    }
}

GrStatus gr_sense_update(GrSense *sense, const GrData *d, GrErrorLog *log)
{
    const double time = gr_data_time(d);
    if (sense->begun && time < sense->now.time) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "time went back from %g s to %g s", sense->now.time,
                            time);
    }
    if (sense->failed) {
        return gr_out_of_memory(log, "sensors");
    }
    const Snapshot old = sense->before;
    sense->before = sense->now;
    sense->now = old;
    take_snapshot(sense, d, &sense->now);
    if (!sense->begun) {
        take_snapshot(sense, d, &sense->before);
        for (int i = 0; i < sense->count; i++) {
            sense->sensors[i].next = (long)ceil(time * sense->sensors[i].def->rate);
        }
        sense->begun = true;
    }
    sense->d = d;
    return GR_OK;
}

/// Cubic through two places with their velocities, `s` of the way and `h` seconds apart.
static GrVec3 between_places(GrVec3 a, GrVec3 va, GrVec3 b, GrVec3 vb, double s, double h)
{
    const GrVec3 d = gr_sub(b, a);
    const double s2 = s * s, s3 = s2 * s;
    GrVec3 p = gr_madd(a, 3 * s2 - 2 * s3, d);
    p = gr_madd(p, h * (s - 2 * s2 + s3), va);
    return gr_madd(p, h * (s3 - s2), vb);
}

static GrQuat between_turns(GrQuat a, GrQuat b, double s)
{
    const GrVec3 turn = gr_quat_log(gr_quat_mul(gr_quat_conjugate(a), b));
    return gr_quat_normalize(gr_quat_mul(a, gr_quat_exp(gr_scale(s, turn))));
}

/// Fraction of the last step that has passed at an instant.
static double share_of(const GrSense *sense, double time)
{
    const double h = sense->now.time - sense->before.time;
    return h > 0 ? fmax(0, fmin(1, (time - sense->before.time) / h)) : 1;
}

static GrMount mount_at(const GrSense *sense, int i, double time)
{
    const GrMount *a = &sense->before.mounts[i], *b = &sense->now.mounts[i];
    const double s = share_of(sense, time), h = sense->now.time - sense->before.time;
    const GrVec3 turn = gr_quat_log(gr_quat_mul(gr_quat_conjugate(a->pose.rotation), b->pose.rotation));
    return (GrMount){
        .pose = {between_places(a->pose.position, a->velocity, b->pose.position, b->velocity, s, h),
                 between_turns(a->pose.rotation, b->pose.rotation, s)},
        .velocity = gr_madd(a->velocity, s, gr_sub(b->velocity, a->velocity)),
        .turn = h > 0 ? gr_scale(1 / h, turn) : gr_vec3(0, 0, 0),
        .joint = a->joint + s * (b->joint - a->joint),
    };
}

/// The scene at an instant; false when out of memory: the frame is then left out, and the next update says so.
static bool prepare_scene(GrSense *sense, double time, GrVec3 from)
{
    const double s = share_of(sense, time), h = sense->now.time - sense->before.time;
    for (int k = 0; k < sense->body_count; k++) {
        const GrPose *a = &sense->before.bodies[k], *b = &sense->now.bodies[k];
        sense->between[k] =
            (GrPose){between_places(a->position, sense->before.velocity[k], b->position, sense->now.velocity[k], s, h),
                     between_turns(a->rotation, b->rotation, s)};
    }
    const bool good = gr_ray_scene_prepare(sense->scene, sense->d, sense->between, from) == GR_OK;
    sense->failed = sense->failed || !good;
    return good;
}

/// The sensor whose instant comes first; −1: none before the end of the last step.
static int find_due(const GrSense *sense, double *time)
{
    int due = -1;
    for (int i = 0; i < sense->count; i++) {
        const double next = (double)sense->sensors[i].next / sense->sensors[i].def->rate;
        if (next <= sense->now.time && (due < 0 || next < *time)) {
            due = i;
            *time = next;
        }
    }
    return due;
}

/// The Sun of the mission, and what far ground leaves of it; where it has none, that of the sensor's file.
static void find_sun(const GrSense *sense, GrSensor *s, GrVec3 at, double time)
{
    GrSkyView view = {.azimuth = s->def->sun_azimuth, .elevation = s->def->sun_elevation};
    s->far_light = 1;
    if (sense->def.sun.kind != GR_SUN_NONE) {
        gr_sky_view(&sense->def.sun, GR_SKY_SUN, time, &view, NULL); // gr_sense_create() has checked it
        s->far_light = looks_at_sun(s->def) ? gr_outlook_share(sense->outlook, at, sense->reach, &view) : 1;
    }
    s->sun = gr_sky_direction(&view);
}

/// False: there is no measurement at this instant.
static bool measure(GrSense *sense, int i, double time, GrMeasurement *out)
{
    GrSensor *s = &sense->sensors[i];
    const GrMount mount = mount_at(sense, i, time);
    const bool ready =
        (s->begun || !s->kind->interval) && (!s->kind->rays || prepare_scene(sense, time, mount.pose.position));
    *out = (GrMeasurement){.sensor = i,
                           .frame = s->next,
                           .time = time,
                           .delivered = time + s->def->latency,
                           .pose = mount.pose,
                           .count = s->kind->column_count};
    if (ready) {
        find_sun(sense, s, mount.pose.position, time);
        s->kind->measure(s, &mount, out);
    }
    const bool lost = s->def->dropout > 0 && gr_random_unit(&s->drop) < s->def->dropout;
    s->begun = true;
    s->last = mount;
    s->time = time;
    s->next++;
    return ready && !lost;
}

bool gr_sense_next(GrSense *sense, GrMeasurement *out)
{
    double time = 0;
    for (int i; sense->begun && (i = find_due(sense, &time)) >= 0;) {
        if (measure(sense, i, time, out)) {
            return true;
        }
    }
    return false;
}

long gr_sense_blind_rays(const GrSense *sense)
{
    long count = 0;
    for (int i = 0; i < sense->count; i++) {
        count += atomic_load_explicit(&sense->sensors[i].blind, memory_order_relaxed);
    }
    return count;
}
