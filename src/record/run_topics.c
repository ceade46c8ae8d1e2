#include "run_topics.h"

#include "alloc.h"
#include "elementary.h"
#include "ground_window.h"
#include "out_of_memory.h"
#include "proto_schema.h"
#include "protobuf.h"
#include "run_history.h"
#include "run_scene.h"
#include "vec3.h"
#include "whole.h"

#include <stdio.h>
#include <string.h>

enum { JOINT_HEAD = 3 }; // tag and length of a joint's message
enum { TRACK_PAUSE = 200, GRID_NODES = 160, SURFACE_STRIDE = 2, RUT_NODES = 241 };
// half the side of the window of ruts, and distance between windows [m]
static const double RUTS_SIDE = 2.4, RUTS_INTERVAL = 2;
static const double MARGIN = 4, NEAR_MARGIN = 1, FINEST_CELL = 0.05; // of the window of the ground [m]
// units per metre: ruts are recorded to an eighth of a millimetre
static const float RUT_PARTS = 8192;
static const uint64_t FRAMES_PERIOD = 100000000; // viewers interpolate: ten frames a second are enough [ns]
// least distance of points of the path, number of them at most (about), and their height above the ground [m]
static const double PATH_STEP = 0.5, PATH_POINTS = 1000, PATH_ABOVE = 0.05;
static const double ROCK_MOTION = 1e-4; // [m], or change of a quaternion component

typedef enum Topic {
    TOPIC_TF,
    TOPIC_ROVER,
    TOPIC_ROCKS,
    TOPIC_PATH,
    TOPIC_TRACK,
    TOPIC_GRID,
    TOPIC_SURFACE,
    TOPIC_RUTS
} Topic;

struct GrRunTopics {
    GrRecordDef def;
    GrTopicSink sink;
    bool whole_frames;
    int topics[TOPIC_RUTS + 1];
    GrSampleParts parts;
    int groups[GR_SAMPLE_GROUPS]; ///< channels
    int *wheels, joints;
    int *parents; ///< of each body of the definition; −1: the world
    bool *slides; ///< of each joint
    GrChannelMessage messages[GR_SAMPLE_GROUPS], wheel, joint, slider;
    GrPose *rocks; ///< as they were last recorded; [rock_count of a sample]
    GrTrack track;
    GrBox2 window;       ///< of the ground that was recorded
    GrVec3 ruts_at;      ///< where ruts were last recorded
    bool rutted;         ///< ruts have been recorded
    long count;          ///< samples
    uint64_t frames_due; ///< time of the next frames [ns]
    uint64_t time;       ///< of the last one [ns]
    GrRocksSeen *seen;   ///< rocks of a field; NULL: none
};

static GrBuffer *begin(GrRunTopics *run, int channel)
{
    return run->sink.begin(run->sink.context, channel, run->time);
}

static void end(GrRunTopics *run)
{
    run->sink.end(run->sink.context);
}

static int add_channel(GrRunTopics *run, int schema, const char *topic, GrTopicKind kind)
{
    return run->sink.channel(run->sink.context, schema, topic, kind);
}

static int add_part_channel(GrRunTopics *run, int schema, const char *folder, const char *name)
{
    char topic[GR_NAME_SIZE + 16];
    snprintf(topic, sizeof topic, "/%s/%s", folder, name);
    return add_channel(run, schema, topic, GR_TOPIC_STREAM);
}

/// One topic for all joints: each topic takes 16 bytes of every sample for its index.
static int add_joints(GrRunTopics *run)
{
    const GrModel *m = run->def.model;
    const int count = gr_model_joint_count(m);
    GrSchemaPart *parts = gr_calloc((size_t)count, sizeof *parts);
    for (int i = 0; i < count && parts != NULL; i++) {
        const bool slides = gr_joint_group(m, i) == &gr_slider_channels;
        parts[i] = (GrSchemaPart){gr_model_joint_name(m, i), slides ? "Slider" : "Joint", gr_joint_group(m, i)};
        run->slides[i] = slides;
    }
    const int schema = gr_parts_schema(&run->sink, "Joints", parts, parts != NULL ? count : 0);
    gr_free(parts);
    return add_channel(run, schema, "/joints", GR_TOPIC_STREAM);
}

static void add_series(GrRunTopics *run)
{
    const GrModel *m = run->def.model;
    static const char *const NAMES[GR_SAMPLE_GROUPS][2] = {
        {"Body", "/body"}, {"Energy", "/energy"}, {"Supply", "/supply"}, {"Localisation", "/localisation"}};
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        if (!gr_sample_has_group(run->parts, i)) {
            continue;
        }
        const int schema = gr_channel_schema(&run->sink, NAMES[i][0], &gr_sample_groups[i].channels);
        run->groups[i] = add_channel(run, schema, NAMES[i][1], GR_TOPIC_STREAM);
    }
    const int wheel = gr_channel_schema(&run->sink, "Wheel", &gr_wheel_channels);
    for (int i = 0; i < gr_model_wheel_count(m); i++) {
        run->wheels[i] = add_part_channel(run, wheel, "wheels", gr_model_wheel_name(m, i));
    }
    run->joints = gr_model_joint_count(m) > 0 ? add_joints(run) : 0;
}

static void add_scenes(GrRunTopics *run)
{
    const int frames = gr_foxglove_schema(&run->sink, "FrameTransforms");
    const int scene = gr_foxglove_schema(&run->sink, "SceneUpdate");
    const int grid = gr_foxglove_schema(&run->sink, "Grid");
    const struct {
        Topic topic;
        int schema;
        const char *name;
    } rows[] = {
        {TOPIC_TF, frames, "/tf"},
        {TOPIC_ROVER, scene, "/rover"},
        {TOPIC_ROCKS, scene, "/rocks"},
        {TOPIC_PATH, scene, "/path"},
        {TOPIC_TRACK, scene, "/track"},
        {TOPIC_GRID, grid, "/terrain"},
        {TOPIC_SURFACE, scene, "/terrain_surface"},
        {TOPIC_RUTS, grid, "/ruts"}, // last, since it is optional
    };
    const size_t count = sizeof rows / sizeof rows[0] - (run->def.ruts == NULL);
    for (size_t i = 0; i < count; i++) {
        const GrTopicKind kind = rows[i].topic == TOPIC_TF ? GR_TOPIC_STREAM : GR_TOPIC_LATCHED;
        run->topics[rows[i].topic] = add_channel(run, rows[i].schema, rows[i].name, kind);
    }
}

void gr_run_topics_free(GrRunTopics *run)
{
    if (run != NULL) {
        gr_free(run->wheels);
        gr_free(run->parents);
        gr_free(run->slides);
        gr_free(run->rocks);
        gr_rocks_seen_free(run->seen);
        gr_free(run);
    }
}

static void find_parents(GrRunTopics *run)
{
    const GrRoverDef *rover = run->def.rover;
    for (int i = 0; i < gr_model_part_count(run->def.model); i++) {
        run->parents[i] = -1;
    }
    for (int i = 0; rover != NULL && i < rover->joint_count; i++) {
        run->parents[rover->joints[i].child] = rover->joints[i].parent;
    }
}

static bool allocate(GrRunTopics *run)
{
    const GrModel *m = run->def.model;
    run->wheels = gr_calloc((size_t)gr_model_wheel_count(m) + 1, sizeof *run->wheels);
    run->slides = gr_calloc((size_t)gr_model_joint_count(m) + 1, sizeof *run->slides);
    run->parents = gr_calloc((size_t)gr_model_part_count(m) + 1, sizeof *run->parents);
    run->rocks = gr_calloc((size_t)run->def.rock_count + 1, sizeof *run->rocks);
    const bool field = gr_rocks_seen_field(m) > 0;
    run->seen = field ? gr_rocks_seen_create(m, run->def.terrain) : NULL;
    return run->wheels != NULL && run->slides != NULL && run->parents != NULL && run->rocks != NULL &&
           (run->seen != NULL || !field);
}

static void prepare_messages(GrRunTopics *run)
{
    const struct {
        GrChannelMessage *message;
        const GrChannelGroup *group;
    } parts[] = {
        {&run->wheel, &gr_wheel_channels}, {&run->joint, &gr_joint_channels}, {&run->slider, &gr_slider_channels}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i].message = gr_channel_message(parts[i].group, run->def.soil_names, run->def.soil_count);
    }
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        run->messages[i] = gr_channel_message(&gr_sample_groups[i].channels, run->def.soil_names, run->def.soil_count);
    }
}

GrRunTopics *gr_run_topics_create(const GrRunTopicsDef *def, GrErrorLog *log)
{
    const GrRecordDef *record = &def->record;
    GrRunTopics *run = gr_calloc(1, sizeof *run);
    if (run == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    run->def = *record;
    run->parts = gr_sample_parts(record->supplied, record->localised);
    run->sink = def->sink;
    run->whole_frames = def->whole_frames;
    run->window = gr_box_empty();
    if (!allocate(run)) {
        gr_out_of_memory(log, NULL);
        gr_run_topics_free(run);
        return NULL;
    }
    find_parents(run);
    prepare_messages(run);
    add_series(run);
    add_scenes(run);
    return run;
}

static void put_group(GrRunTopics *run, int channel, const GrChannelMessage *message, const void *from)
{
    GrBuffer *out = begin(run, channel);
    if (out == NULL || !gr_buffer_reserve(out, message->room)) {
        return;
    }
    unsigned char *at = gr_channel_message_store(message, from, (unsigned char *)out->data + out->size);
    out->size = (size_t)(at - (unsigned char *)out->data);
    end(run);
}

static void put_joints(GrRunTopics *run, const GrSample *sample)
{
    const int count = gr_model_joint_count(run->def.model);
    GrBuffer *out = count > 0 ? begin(run, run->joints) : NULL;
    if (out == NULL || !gr_buffer_reserve(out, (size_t)count * (JOINT_HEAD + run->joint.room))) {
        return;
    }
    unsigned char *at = (unsigned char *)out->data + out->size;
    for (int i = 0; i < count; i++) {
        // fifteen single numbers: less than 128 bytes, so that the length takes one
        unsigned char *inside = gr_proto_store_tag(at, i + 1, GR_WIRE_BYTES) + 1;
        at = gr_channel_message_store(run->slides[i] ? &run->slider : &run->joint, &sample->joints[i], inside);
        inside[-1] = (unsigned char)(at - inside);
    }
    out->size = (size_t)(at - (unsigned char *)out->data);
    end(run);
}

static bool has_moved(GrPose a, GrPose b)
{
    const GrQuat p = a.rotation, q = b.rotation;
    const double turned = fabs(p.w - q.w) + fabs(p.x - q.x) + fabs(p.y - q.y) + fabs(p.z - q.z);
    return !(gr_norm(gr_sub(a.position, b.position)) < ROCK_MOTION && turned < ROCK_MOTION);
}

/// Pose of b relative to a.
static GrPose relative(GrPose a, GrPose b)
{
    const GrQuat back = gr_quat_conjugate(a.rotation);
    return (GrPose){gr_quat_rotate(back, gr_sub(b.position, a.position)), gr_quat_mul(back, b.rotation)};
}

static void put_frames(GrRunTopics *run, const GrSample *sample)
{
    GrBuffer *out = begin(run, run->topics[TOPIC_TF]);
    const GrModel *m = run->def.model;
    if (out == NULL) {
        return;
    }
    for (int i = 0; i < gr_model_part_count(m); i++) {
        const int parent = run->parents[i];
        const char *name = gr_model_part_name(m, i);
        if (parent < 0) {
            gr_scene_put_transform(out, run->time, GR_WORLD_FRAME, name, sample->bodies[i]);
            continue;
        }
        const GrPose pose = relative(sample->bodies[parent], sample->bodies[i]);
        gr_scene_put_transform(out, run->time, gr_model_part_name(m, parent), name, pose);
    }
    for (int i = 0; i < sample->rock_count && i < run->def.rock_count; i++) {
        if (run->count == 0 || run->whole_frames || has_moved(run->rocks[i], sample->rocks[i])) {
            char frame[32];
            gr_scene_rock_frame(i, frame, sizeof frame);
            gr_scene_put_transform(out, run->time, GR_WORLD_FRAME, frame, sample->rocks[i]);
            run->rocks[i] = sample->rocks[i];
        }
    }
    end(run);
}

static void put_line(GrRunTopics *run, Topic topic, const GrSceneLine *line)
{
    GrBuffer *out = begin(run, run->topics[topic]);
    if (out != NULL) {
        gr_scene_put_line(out, run->time, line);
        end(run);
    }
}

static void put_grid(GrRunTopics *run, Topic topic, const GrGroundWindow *window)
{
    GrBuffer *out = begin(run, run->topics[topic]);
    if (out != NULL) {
        gr_scene_put_grid(out, run->time, window);
        end(run);
    }
}

static void put_track(GrRunTopics *run)
{
    const GrSceneLine line = {"track", run->track.points, run->track.count, 3, {0.84, 0.37, 0}};
    put_line(run, TOPIC_TRACK, &line);
}

/// Points along the path, `step` apart and at its corners; NULL: only their number.
static int walk_path(const GrRecordDef *def, double step, GrVec3 *points)
{
    int count = 0;
    for (int i = 0; i < def->path_count; i++) {
        const GrWayPoint *to = &def->path[i], *from = &def->path[i > 0 ? i - 1 : 0];
        const double length = gr_hypot(to->x - from->x, to->y - from->y);
        const int parts = i > 0 ? (int)fmax(1, ceil(length / step)) : 1;
        for (int k = 1; k <= parts; k++) {
            if (points != NULL) {
                const double t = (double)k / parts;
                points[count] = gr_vec3(from->x + t * (to->x - from->x), from->y + t * (to->y - from->y), 0);
            }
            count++;
        }
    }
    return count;
}

/// The path as a line on the ground. Where that is unknown, beyond the map, it goes on level.
static void put_path(GrRunTopics *run, double start_z)
{
    const GrRecordDef *def = &run->def;
    double length = 0;
    for (int i = 1; i < def->path_count; i++) {
        length += gr_hypot(def->path[i].x - def->path[i - 1].x, def->path[i].y - def->path[i - 1].y);
    }
    const double step = fmax(PATH_STEP, length / PATH_POINTS);
    const int count = walk_path(def, step, NULL);
    GrVec3 *points = gr_calloc((size_t)count + 1, sizeof *points);
    if (points != NULL) {
        walk_path(def, step, points);
        gr_window_drop(def->terrain, step, points, count);
        for (int i = 0; i < count; i++) {
            points[i].z = !isnan(points[i].z) ? points[i].z + PATH_ABOVE : i > 0 ? points[i - 1].z : start_z;
        }
        const GrSceneLine line = {"path", points, count, 2, {0, 0.45, 0.7}};
        put_line(run, TOPIC_PATH, &line);
    }
    gr_free(points);
}

/// Heights of the ground as it is now in the box; NULL when out of memory.
static float *read_window(const GrRunTopics *run, const GrBox2 *box, double finest, int most, GrGridFrame *frame)
{
    *frame = gr_window_frame(run->def.terrain, box, finest, most);
    float *heights = gr_calloc((size_t)(frame->nx * frame->ny), sizeof *heights);
    for (int64_t j = 0; j < frame->ny && heights != NULL; j++) {
        for (int64_t i = 0; i < frame->nx; i++) {
            const double x = frame->x0 + (double)i * frame->dx, y = frame->y0 + (double)j * frame->dy;
            heights[j * frame->nx + i] = (float)gr_window_height(run->def.terrain, run->def.ruts, x, y);
        }
    }
    return heights;
}

/// The ruts around the rover, in cells fine enough to show them.
static void put_ruts(GrRunTopics *run, GrVec3 at)
{
    const GrBox2 box = {at.x - RUTS_SIDE, at.y - RUTS_SIDE, at.x + RUTS_SIDE, at.y + RUTS_SIDE};
    GrGroundWindow window;
    float *heights = read_window(run, &box, gr_ruts_def(run->def.ruts)->cell, RUT_NODES, &window.frame);
    run->ruts_at = at;
    run->rutted = true;
    if (heights == NULL) {
        return;
    }
    for (int64_t k = 0; k < window.frame.nx * window.frame.ny; k++) { // compresses well
        heights[k] = rintf(heights[k] * RUT_PARTS) / RUT_PARTS;
    }
    window.heights = heights;
    put_grid(run, TOPIC_RUTS, &window);
    gr_free(heights);
}

static bool ruts_are_due(const GrRunTopics *run, GrVec3 at)
{
    return run->def.ruts != NULL && isfinite(at.x) && isfinite(at.y) &&
           (!run->rutted || fmax(fabs(at.x - run->ruts_at.x), fabs(at.y - run->ruts_at.y)) >= RUTS_INTERVAL);
}

static void put_ground(GrRunTopics *run)
{
    GrGroundWindow window;
    float *heights = read_window(run, &run->window, FINEST_CELL, GRID_NODES, &window.frame);
    if (heights == NULL) {
        return;
    }
    window.heights = heights;
    put_grid(run, TOPIC_GRID, &window);
    GrBuffer *out = begin(run, run->topics[TOPIC_SURFACE]);
    if (out != NULL) {
        gr_scene_put_surface(out, run->time, &window, SURFACE_STRIDE);
        end(run);
    }
    gr_free(heights);
}

typedef struct SeenRocks {
    GrBuffer *out;
    uint64_t time;
    int before; ///< number of other rocks
} SeenRocks;

/// An ellipsoid with its middle on the ground.
static bool put_seen_rock(void *context, int rock, const GrStoneDef *stone, bool fresh)
{
    const SeenRocks *seen = context;
    const double half = stone->diameter / 2;
    const GrRecordRock ellipsoid = {{stone->place, gr_quat_axis_angle(gr_vec3(0, 0, 1), stone->yaw)},
                                    {half, half, stone->exposed}};
    (void)fresh; // each message has all rocks in view, for readers that begin with it
    gr_scene_put_rock(seen->out, seen->time, seen->before + rock, &ellipsoid);
    return !seen->out->failed;
}

static bool rocks_are_due(const GrRunTopics *run, GrVec3 at)
{
    return run->seen != NULL && gr_rocks_seen_due(run->seen, at);
}

static void put_rocks_in_view(GrRunTopics *run, GrVec3 at)
{
    SeenRocks rocks = {begin(run, run->topics[TOPIC_ROCKS]), run->time, run->def.rock_count};
    if (rocks.out != NULL) {
        gr_rocks_seen_look(run->seen, at, put_seen_rock, &rocks);
        end(run);
    }
}

/// Messages that are written once, with the first sample.
static void put_first(GrRunTopics *run, const GrSample *sample)
{
    const GrRecordDef *def = &run->def;
    GrBuffer *out = def->rover != NULL ? begin(run, run->topics[TOPIC_ROVER]) : NULL;
    if (out != NULL) {
        gr_scene_put_rover(out, run->time, def->rover);
        end(run);
    }
    out = def->rock_count > 0 ? begin(run, run->topics[TOPIC_ROCKS]) : NULL;
    if (out != NULL) {
        gr_scene_put_rocks(out, run->time, def->rocks, def->rock_count, sample->rock_count);
        end(run);
    }
    for (int i = 0; i < def->path_count; i++) {
        gr_box_include(&run->window, def->path[i].x, def->path[i].y, MARGIN);
    }
    if (def->path_count > 0) {
        put_path(run, sample->pose.position.z);
    }
}

static bool nears_edge(const GrRunTopics *run, GrVec3 at)
{
    return isfinite(at.x) && isfinite(at.y) && !gr_box_holds(&run->window, at.x, at.y, NEAR_MARGIN);
}

bool gr_run_topics_needs_ground(const GrRunTopics *run, const GrSample *sample)
{
    const GrVec3 at = sample->pose.position;
    return nears_edge(run, at) || ruts_are_due(run, at) || rocks_are_due(run, at);
}

/// Numbers of a sample.
static void put_series(GrRunTopics *run, const GrSample *sample)
{
    for (int i = 0; i < GR_SAMPLE_GROUPS; i++) {
        if (!gr_sample_has_group(run->parts, i)) {
            continue;
        }
        put_group(run, run->groups[i], &run->messages[i], gr_sample_group_of(&gr_sample_groups[i], sample));
    }
    for (int i = 0; i < gr_model_wheel_count(run->def.model); i++) {
        put_group(run, run->wheels[i], &run->wheel, &sample->wheels[i]);
    }
    put_joints(run, sample);
}

void gr_run_topics_add(GrRunTopics *run, const GrSample *sample)
{
    run->time = sample->time > 0 ? (uint64_t)gr_nearest(1e9 * sample->time) : 0;
    const GrVec3 at = sample->pose.position;
    const bool ground = nears_edge(run, at);
    if (run->count == 0) {
        put_first(run, sample);
    }
    if (ground) {
        gr_box_include(&run->window, at.x, at.y, MARGIN);
        put_ground(run);
    }
    if (ruts_are_due(run, at)) {
        put_ruts(run, at);
    }
    if (rocks_are_due(run, at)) {
        put_rocks_in_view(run, at);
    }
    put_series(run, sample);
    if (run->count == 0 || run->time >= run->frames_due) {
        put_frames(run, sample);
        // sample times need not be multiples of the period
        run->frames_due = run->time + FRAMES_PERIOD - FRAMES_PERIOD / 100;
    }
    gr_track_add(&run->track, at, 0);
    if (run->count++ % TRACK_PAUSE == 0) {
        put_track(run);
    }
}

void gr_run_topics_repeat(GrRunTopics *run, const GrSample *sample)
{
    put_series(run, sample);
    put_frames(run, sample);
    put_track(run);
}

void gr_run_topics_finish(GrRunTopics *run)
{
    if (run->count > 0) {
        put_track(run);
    }
    if (run->rutted) { // final state of the ruts
        put_ruts(run, run->track.points[run->track.count - 1]);
    }
}
