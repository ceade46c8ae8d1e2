#include "ros2_run.h"

#include "alloc.h"
#include "clock.h"
#include "elementary.h"
#include "mission_data.h"
#include "out_of_memory.h"
#include "report.h"
#include "ros_node.h"
#include "run_recorder.h"
#include "run_sense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- commands of nodes to the rover

static const char *ros2_ignored_text(GrRos2Ignored ignored)
{
    static const char *const texts[] = {
#define TEXT(constant, text) [GR_ROS2_IGNORED_##constant] = (text),
        GR_ROS2_IGNORED_LIST(TEXT)
#undef TEXT
    };
    return texts[ignored];
}

static GrStatus check(const char *field, double value, double most, const char *unit, GrErrorLog *log)
{
    if (fabs(value) <= most) { // false for NaN
        return GR_OK;
    }
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = field}, "found %g, allowed: %g to %g %s", value,
                        -most, most, unit);
}

GrStatus gr_ros2_from_twist(const GrDriveLimits *limits, const geometry_msgs_msg_dds__Twist_ *twist,
                            GrDriveCommand *out, unsigned *ignored, GrErrorLog *log)
{
    const GrDriveTwist t = {.forward = twist->linear.x, .left = twist->linear.y, .yaw_rate = twist->angular.z};
    if (check("/cmd_vel linear.x", t.forward, GR_ROS2_SPEED_MAX, "m/s", log) != GR_OK ||
        check("/cmd_vel linear.y", t.left, GR_ROS2_SPEED_MAX, "m/s", log) != GR_OK ||
        check("/cmd_vel angular.z", t.yaw_rate, GR_ROS2_YAW_RATE_MAX, "rad/s", log) != GR_OK) {
        return GR_ERROR_VALUE;
    }
    if (twist->linear.z != 0 || twist->angular.x != 0 || twist->angular.y != 0) {
        *ignored |= 1u << GR_ROS2_IGNORED_VERTICAL;
    }
    return gr_drive_from_twist(limits, &t, out, log);
}

/// Distance of the front axle from the point whose path is commanded, in that mode.
static double front_distance(const GrDriveGeometry *geometry, GrDriveMode mode)
{
    const GrDriveCommand ahead = {.mode = mode, .speed = 1};
    GrDrivePlan plan;
    gr_drive_plan(geometry, &ahead, &plan);
    double front = -INFINITY;
    for (int i = 0; i < geometry->wheel_count; i++) {
        front = fmax(front, geometry->wheels[i].contact.x);
    }
    return front - plan.centre_x;
}

GrStatus gr_ros2_from_ackermann(const GrDriveLimits *limits, const GrDriveGeometry *geometry,
                                const ackermann_msgs_msg_dds__AckermannDrive_ *drive, GrDriveCommand *out,
                                unsigned *ignored, GrErrorLog *log)
{
    const double speed = (double)drive->speed, angle = (double)drive->steering_angle;
    if (check("/ackermann_cmd speed", speed, GR_ROS2_SPEED_MAX, "m/s", log) != GR_OK ||
        check("/ackermann_cmd steering_angle", angle, 85 * GR_DEGREE, "rad", log) != GR_OK) {
        return GR_ERROR_VALUE;
    }
    if (!limits->driven || (limits->best != GR_DRIVE_ACKERMANN && limits->best != GR_DRIVE_DOUBLE_ACKERMANN)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "/ackermann_cmd"},
                            "this rover has no steered wheels: use /cmd_vel");
    }
    if (drive->steering_angle_velocity != 0 || drive->acceleration != 0 || drive->jerk != 0) {
        *ignored |= 1u << GR_ROS2_IGNORED_RATES;
    }
    const double ahead = front_distance(geometry, limits->best);
    if (!(ahead > 0)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "/ackermann_cmd"},
                            "this rover has no front axle: use /cmd_vel");
    }
    *out = (GrDriveCommand){.mode = GR_DRIVE_STOP};
    if (speed != 0) { // tan(angle) = distance of the front axle · curvature
        *out = (GrDriveCommand){.mode = limits->best, .speed = speed, .curvature = gr_tan(angle) / ahead};
    }
    return GR_OK;
}

// ---- the run

static const double LONGEST_WAIT = 0.1;  // [s] for a signal to be noticed
static const double LAG_MAX = 0.25;      // [s] behind its pace, a run does not catch up
static const double COMPLAIN_PERIOD = 1; // between two looks for endpoints that do not match [s]
static const double LONELY = 5;          // without another node, until a hint tells why that may be [s]
// A rover whose commands have stopped coming stops: its driver has gone. By the wall clock, since a driver may be one
// that sends in real time, whatever the pace of the simulation [s].
static const double PATIENCE = 1.5;

/// Everything of one run. Worlds must not move, so it stays where it was made.
typedef struct Run {
    GrScenario *scenario;
    GrWorld *world;
    GrRunDescription description;
    GrSample sample;
    GrRunRecorder recorder;
    bool recording;
    GrDriveLimits limits;
    GrDriveNotes notes;
    GrRosNode *node;
    GrRunSense *sense; ///< NULL: none
    long samples;      ///< since the start
    double wall;       ///< spent in steps [s]
    GrOutcome outcome;
    bool closed; ///< the recording is complete
} Run;

typedef struct Session {
    const GrRos2Def *def;
    GrRosBus bus;
    Run *run;
    bool running;
    double from_wall, from_time; ///< where the pace counts from
    double drive_end;            ///< wall time at which the last command ends; INFINITY: nobody drives
    double look_at;              ///< wall time of the next look for complaints
    double opened;               ///< wall time at which the bus was opened
    bool met;                    ///< another node has connected, or it has been said that none does
    unsigned said;               ///< bits of GrRos2Ignored that have been said
    bool refused;                ///< the last command was, and that has been said
    long commands, dropped;
} Session;

static void say(const char *text)
{
    fprintf(stderr, "grouser ros2: %s\n", text);
}

static double time_of(const Run *run)
{
    return gr_data_time(gr_mission_data(run->world->mission));
}

/// Time of a sample, rounded as gr_run() rounds it: the steps depend on where the samples are.
static double sample_time(const Run *run, long sample)
{
    const double period = 1 / run->scenario->record_rate;
    return (double)sample * period;
}

static void mark_pace(Session *session)
{
    session->from_wall = gr_wall_time();
    session->from_time = time_of(session->run);
}

// ---- one run

static void free_run(Run *run)
{
    if (run != NULL) {
        gr_run_sense_close(run->sense, NULL);
        gr_ros_node_free(run->node);
        gr_sample_free(&run->sample);
        gr_run_description_free(&run->description);
        gr_drive_notes_free(&run->notes);
        gr_world_free(run->world);
        gr_scenario_free(run->scenario);
        gr_free(run);
    }
}

static GrStatus prepare(const Session *session, Run *run, GrErrorLog *log)
{
    GrStatus status = gr_scenario_load(session->def->scenario, session->def->overrides, &run->scenario, log);
    status = status == GR_OK ? gr_world_create(run->scenario, &run->world, log) : status;
    if (status != GR_OK) {
        return status;
    }
    if (!gr_sample_init(run->world->model, gr_mission_rock_count(run->world->mission), &run->sample) ||
        !gr_run_describe(run->world, &run->description)) {
        return gr_out_of_memory(log, NULL);
    }
    gr_drive_limits_fill(run->world, &run->limits);
    const GrRosNodeDef node = {
        .record = &run->description.def, .bus = session->bus, .sensors = run->scenario->record_sensors};
    run->node = gr_ros_node_create(&node, log);
    return run->node != NULL ? GR_OK : GR_ERROR_NAME;
}

/// Loads the scenario and places the rover. NULL after an error.
static Run *make_run(const Session *session, GrErrorLog *log)
{
    Run *run = gr_calloc(1, sizeof *run);
    if (run == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    if (prepare(session, run, log) != GR_OK) {
        free_run(run);
        return NULL;
    }
    return run;
}

/// Hands the present state on: to the recording and to ROS.
static GrStatus hand_on(Run *run, GrErrorLog *log)
{
    gr_mission_sample(run->world->mission, &run->sample);
    gr_run_sense_sample(run->sense, &run->sample);
    gr_ros_node_put(run->node, &run->sample);
    return run->recording ? gr_run_recorder_add(&run->recorder, &run->sample, log) : GR_OK;
}

static GrStatus take_measurement(void *context, const GrMeasurement *m, GrErrorLog *log)
{
    const Run *run = context;
    (void)log;
    gr_ros_node_measure(run->node, m); // counts those that are dropped
    return GR_OK;
}

static GrStatus begin_sensors(const Session *session, Run *run, GrErrorLog *log)
{
    const GrRunSenseDef def = {.world = run->world,
                               .directory = run->recording ? session->def->directory : NULL,
                               .record = run->recording ? run->recorder.record : NULL,
                               .context = run,
                               .take = take_measurement};
    return gr_run_sense_open(&def, &run->sense, log);
}

static GrStatus begin_run(Session *session, Run *run, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    session->run = run;
    if (session->def->directory != NULL) {
        status = gr_run_recorder_open(&run->recorder, run->world, session->def->directory, true, NULL, log);
        run->recording = status == GR_OK;
    }
    status = status == GR_OK ? begin_sensors(session, run, log) : status;
    if (status == GR_OK) {
        gr_ros_node_introduce(run->node);
        status = gr_run_sense_step(run->sense, gr_mission_data(run->world->mission), log);
        status = status == GR_OK ? hand_on(run, log) : status;
    }
    session->drive_end = (double)INFINITY;
    mark_pace(session);
    return status;
}

/// Completes the recording.
static GrStatus close_run(Run *run, GrErrorLog *log)
{
    GrRunSummary summary = {0};
    if (run->closed) {
        return GR_OK;
    }
    run->closed = true;
    const GrStatus status = gr_mission_summary(run->world->mission, &summary, log);
    gr_run_sense_summarise(run->sense, &summary);
    const GrStatus sensed = gr_run_sense_close(run->sense, log);
    run->sense = NULL;
    if (!run->recording) {
        gr_run_summary_free(&summary);
        return status != GR_OK ? status : sensed;
    }
    run->recording = false;
    summary.wall_time = run->wall;
    summary.real_time_factor = run->wall > 0 ? summary.time / run->wall : 0;
    const GrStatus closed = gr_run_recorder_close(&run->recorder, status == GR_OK ? &summary : NULL, log);
    gr_run_summary_free(&summary);
    return status != GR_OK ? status : closed != GR_OK ? closed : sensed;
}

/// Writes the drive as a scenario, if somebody has driven.
static GrStatus save_drive(const Session *session, GrErrorLog *log)
{
    const Run *run = session->run;
    char path[GR_SCENARIO_PATH_SIZE], text[GR_SCENARIO_PATH_SIZE + 32];
    const GrDriveSheet sheet = {.scenario = run->scenario,
                                .given = session->def->scenario,
                                .how = "over ROS 2 by grouser ros2",
                                .overrides = session->def->overrides,
                                .notes = &run->notes,
                                .time = time_of(run),
                                .over = run->outcome != GR_OUTCOME_RUNNING};
    if (run->notes.count == 0) {
        return GR_OK;
    }
    const GrStatus status = gr_drive_sheet_write(&sheet, path, log);
    if (status == GR_OK) {
        snprintf(text, sizeof text, "wrote the drive as %s", path);
        say(text);
    }
    return status;
}

/// Ends the run with everything that it leaves.
static GrStatus end_run(Session *session, GrErrorLog *log)
{
    Run *run = session->run;
    const GrStatus saved = save_drive(session, log);
    if (run->outcome == GR_OUTCOME_RUNNING) {
        gr_mission_end(run->world->mission, GR_OUTCOME_INTERRUPTED, (GrEnd){.reason = GR_END_INTERRUPTED});
    }
    const GrStatus closed = close_run(run, log);
    session->dropped += gr_ros_node_dropped(run->node);
    return saved != GR_OK ? saved : closed;
}

static GrStatus advance(Session *session, GrErrorLog *log)
{
    Run *run = session->run;
    const double begin = gr_wall_time();
    run->samples++;
    GrStatus status = gr_run_sense_advance(run->sense, run->world, sample_time(run, run->samples), &run->outcome, log);
    status = status == GR_OK ? hand_on(run, log) : status;
    run->wall += gr_wall_time() - begin;
    if (status == GR_OK && run->outcome != GR_OUTCOME_RUNNING) {
        char text[64];
        snprintf(text, sizeof text, "the run is over: %s", gr_outcome_name(run->outcome));
        say(text);
        status = close_run(run, log);
    }
    return status;
}

// ---- commands

/// Drives from the present time on, which is that of a sample: the recording of the drive repeats it exactly.
static GrStatus drive(Session *session, const GrDriveCommand *command, GrErrorLog *log)
{
    Run *run = session->run;
    const bool release = command->mode == GR_DRIVE_MODE_COUNT;
    const GrScriptEntry entry = {.time = time_of(run), .command = release ? *command : gr_drive_as_written(command)};
    const GrStatus status = gr_drive_notes_add(&run->notes, &entry, log);
    if (status == GR_OK) { // the next control cycle uses it
        GrControlState *control = gr_mission_control(run->world->mission);
        control->by_hand = !release;
        control->manual = !release ? entry.command : (GrDriveCommand){.mode = GR_DRIVE_STOP};
    }
    return status;
}

static void say_ignored(Session *session, unsigned ignored)
{
    for (int i = 0; i < GR_ROS2_IGNORED_COUNT; i++) {
        if ((ignored & ~session->said & 1u << i) != 0) {
            say(ros2_ignored_text((GrRos2Ignored)i));
        }
    }
    session->said |= ignored;
}

/// Obeys a command that has been read, or says once why not.
static void obey(Session *session, GrStatus status, const GrDriveCommand *command, GrErrorLog *log)
{
    status = status == GR_OK ? drive(session, command, log) : status;
    if (status != GR_OK && !session->refused && log->count > 0) {
        char text[1200];
        gr_error_format(&log->items[0], text, sizeof text);
        say(text);
    }
    session->refused = status != GR_OK;
    if (status == GR_OK) {
        session->commands++;
        session->drive_end = command->mode == GR_DRIVE_STOP ? (double)INFINITY : gr_wall_time() + PATIENCE;
    }
}

static void obey_twist(Session *session, const geometry_msgs_msg_dds__Twist_ *twist, unsigned *ignored)
{
    GrErrorLog log = {.quiet = true};
    GrDriveCommand command = {.mode = GR_DRIVE_STOP};
    obey(session, gr_ros2_from_twist(&session->run->limits, twist, &command, ignored, &log), &command, &log);
}

static void take_commands(Session *session)
{
    const Run *run = session->run;
    const GrDriveGeometry *geometry = &run->world->mission->control.geometry;
    const geometry_msgs_msg_dds__Twist_ *twist;
    const geometry_msgs_msg_dds__TwistStamped_ *stamped;
    const ackermann_msgs_msg_dds__AckermannDriveStamped_ *ackermann;
    unsigned ignored = 0;
    while ((twist = session->bus.take(session->bus.context, GR_ROS_CMD_VEL)) != NULL) {
        obey_twist(session, twist, &ignored);
    }
    while ((stamped = session->bus.take(session->bus.context, GR_ROS_CMD_VEL_STAMPED)) != NULL) {
        obey_twist(session, &stamped->twist, &ignored);
    }
    while ((ackermann = session->bus.take(session->bus.context, GR_ROS_ACKERMANN)) != NULL) {
        GrErrorLog log = {.quiet = true};
        GrDriveCommand command = {.mode = GR_DRIVE_STOP};
        obey(session, gr_ros2_from_ackermann(&run->limits, geometry, &ackermann->drive, &command, &ignored, &log),
             &command, &log);
    }
    say_ignored(session, ignored);
    if (gr_wall_time() >= session->drive_end) {
        GrErrorLog log = {.quiet = true};
        obey(session, GR_OK, &(GrDriveCommand){.mode = GR_DRIVE_STOP}, &log);
        session->commands--;
        say("no command for 1.5 s: the rover stops");
    }
}

// ---- services

typedef struct Answer {
    bool good;
    char text[600];
} Answer;

static Answer start(Session *session)
{
    if (session->run->outcome != GR_OUTCOME_RUNNING) {
        return (Answer){false, "the run is over: call /grouser/reset"};
    }
    session->running = true;
    mark_pace(session);
    return (Answer){true, "running"};
}

static Answer stop(Session *session)
{
    session->running = false;
    return (Answer){true, "paused"};
}

static Answer reset(Session *session)
{
    GrErrorLog log = {.quiet = true};
    Answer answer = {true, "at the start"};
    Run *fresh = make_run(session, &log);
    GrStatus status = fresh != NULL ? end_run(session, &log) : GR_ERROR_VALUE;
    if (fresh != NULL) {
        free_run(session->run);
        const GrStatus begun = begin_run(session, fresh, &log);
        status = status == GR_OK ? begun : status;
    }
    if (status != GR_OK && log.count > 0) {
        answer.good = false;
        gr_error_format(&log.items[0], answer.text, sizeof answer.text);
    }
    return answer;
}

static Answer give_back(Session *session)
{
    GrErrorLog log = {.quiet = true};
    Answer answer = {true, "the scenario drives"};
    if (!gr_mission_control(session->run->world->mission)->by_hand) {
        return answer;
    }
    session->drive_end = (double)INFINITY;
    if (drive(session, &(GrDriveCommand){.mode = GR_DRIVE_MODE_COUNT}, &log) != GR_OK) {
        answer.good = false;
        gr_error_format(&log.items[0], answer.text, sizeof answer.text);
    }
    return answer;
}

static void serve(Session *session)
{
    static const struct {
        GrRosTopic request;
        Answer (*call)(Session *session);
    } services[] = {
        {GR_ROS_START_REQUEST, start},
        {GR_ROS_PAUSE_REQUEST, stop},
        {GR_ROS_RESET_REQUEST, reset},
        {GR_ROS_AUTO_REQUEST, give_back},
    };
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++) {
        const void *request;
        while ((request = session->bus.take(session->bus.context, services[i].request)) != NULL) {
            const Answer answer = services[i].call(session);
            gr_ros_reply(&session->bus, services[i].request, request, answer.good, answer.text);
        }
    }
}

bool gr_ros2_is_alone(const GrRosBus *bus, const GrRosBusDef *def, double waited, char *text, size_t size)
{
    if (waited < LONELY) {
        return false;
    }
    for (int i = 0; i < GR_ROS_TOPIC_COUNT; i++) {
        if (bus->count(bus->context, (GrRosTopic)i) > 0) {
            return false;
        }
    }
    if (def->interface != NULL && strcmp(def->interface, "lo") == 0) {
        snprintf(
            text, size,
            "no node has connected in %.0f s on domain %d. This one uses the interface lo only, which Fast DDS does "
            "not by default: set ROS_LOCALHOST_ONLY=1 (Humble) or ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST for the "
            "others, or give --interface auto (docs/ros2.md, Connecting)",
            LONELY, def->domain);
    } else {
        snprintf(text, size,
                 "no node has connected in %.0f s on domain %d: are the others on the network of the interface %s, and "
                 "on that domain? (docs/ros2.md, Connecting)",
                 LONELY, def->domain, def->interface != NULL ? def->interface : "that DDS chose");
    }
    return true;
}

/// Says that nobody is there, once; commands, clients and subscribers count.
static void look_for_others(Session *session)
{
    char text[512];
    const double waited = gr_wall_time() - session->opened;
    if (!session->met && waited >= LONELY) {
        session->met = true;
        if (gr_ros2_is_alone(&session->bus, &session->def->bus, waited, text, sizeof text)) {
            say(text);
        }
    }
}

/// Says which endpoints of other nodes do not match those of this one.
static void look_for_complaints(Session *session)
{
    char text[512];
    if (gr_wall_time() >= session->look_at) {
        while (session->bus.complain(session->bus.context, text, sizeof text)) {
            say(text);
        }
        look_for_others(session);
        session->look_at = gr_wall_time() + COMPLAIN_PERIOD;
    }
}

// ---- time

/// How long to wait before the next sample [s]; 0: it is due.
static double time_left(Session *session)
{
    const Run *run = session->run;
    if (!session->running || run->outcome != GR_OUTCOME_RUNNING) {
        return LONGEST_WAIT;
    }
    if (session->def->pace == 0) {
        return 0;
    }
    const double next = sample_time(run, run->samples + 1);
    const double left = session->from_wall + (next - session->from_time) / session->def->pace - gr_wall_time();
    if (left < -LAG_MAX) { // slower than its pace: do not rush later
        mark_pace(session);
    }
    return fmin(fmax(left, 0), LONGEST_WAIT);
}

static GrStatus follow(Session *session, GrErrorLog *log)
{
    const GrRos2Def *def = session->def;
    const double end = gr_wall_time() + def->seconds;
    GrStatus status = GR_OK;
    mark_pace(session);
    while (status == GR_OK && !gr_interrupted() && gr_wall_time() < end &&
           !(def->once && session->run->outcome != GR_OUTCOME_RUNNING)) {
        const double left = time_left(session);
        if (left > 0) {
            session->bus.wait(session->bus.context, fmin(left, fmax(end - gr_wall_time(), 0)));
        }
        serve(session);
        take_commands(session);
        look_for_complaints(session);
        if (time_left(session) == 0) {
            status = advance(session, log);
        }
    }
    return status;
}

static void fill_result(const Session *session, GrRos2Result *result)
{
    const Run *run = session->run;
    *result = (GrRos2Result){
        .hash = gr_data_hash(run->world->model, gr_mission_data(run->world->mission)),
        .time = time_of(run),
        .outcome = gr_outcome_name(run->outcome),
        .commands = session->commands,
        .dropped = session->dropped,
    };
}

GrStatus gr_ros2_run(const GrRos2Def *def, GrRos2Result *result, GrErrorLog *log)
{
    Session session = {.def = def, .running = !def->paused, .drive_end = (double)INFINITY};
    GrStatus status = gr_ros_bus_open(&def->bus, &session.bus, log);
    if (status != GR_OK) {
        return status;
    }
    session.opened = gr_wall_time();
    Run *run = make_run(&session, log);
    status = run != NULL ? begin_run(&session, run, log) : GR_ERROR_VALUE;
    if (status == GR_OK) {
        fprintf(stderr, "grouser ros2: %s on domain %d%s; Ctrl-C ends it.\n", run->scenario->name, def->bus.domain,
                def->paused ? ", waits for /grouser/start" : "");
        status = follow(&session, log);
        const GrStatus ended = end_run(&session, log);
        status = status == GR_OK ? ended : status;
        fill_result(&session, result);
    }
    free_run(session.run);
    session.bus.close(session.bus.context);
    return status;
}
