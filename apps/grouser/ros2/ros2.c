/// grouser ros2: a scenario as a node of ROS 2, without an installation of ROS.
#include "command.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "ros2_run.h"
#include "run_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAIN_MAX = 232, RATE_SIZE = 64 };
static const double PACE_LEAST = 0.1, PACE_MOST = 1000, RATE_LEAST = 0.001, RATE_MOST = 10000;

typedef struct Ros2Arguments {
    GrTextList overrides;
    const char *directory, *interface, *name;
    double domain, speed, seconds, rate;
    char rate_override[RATE_SIZE];
    bool paused, once, topics, json;
} Ros2Arguments;

static void say(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "grouser ros2: DDS: %s\n", text);
}

// ---- environment

static const char *environment(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/// Domain of ROS_DOMAIN_ID where --domain is not given. False after a message.
static bool choose_domain(Ros2Arguments *a)
{
    const char *text = environment("ROS_DOMAIN_ID");
    const char *from = "--domain";
    if (isnan(a->domain)) {
        a->domain = 0;
        if (text != NULL) {
            from = "ROS_DOMAIN_ID";
            if (!gr_options_number(text, &a->domain)) {
                gr_report_error("ros2: ROS_DOMAIN_ID: found %s, allowed: 0 to %d", text, DOMAIN_MAX);
                return false;
            }
        }
    }
    if (!(a->domain >= 0 && a->domain <= DOMAIN_MAX) || a->domain != floor(a->domain)) {
        gr_report_error("ros2: %s: found %g, allowed: 0 to %d", from, a->domain, DOMAIN_MAX);
        return false;
    }
    return true;
}

/// Loopback unless --interface or ROS_AUTOMATIC_DISCOVERY_RANGE asks for more. False after a message.
static bool choose_interface(Ros2Arguments *a)
{
    const char *only = environment("ROS_LOCALHOST_ONLY"), *range = environment("ROS_AUTOMATIC_DISCOVERY_RANGE");
    const bool local = only != NULL && strcmp(only, "0") != 0;
    if (range != NULL && strcmp(range, "OFF") == 0) {
        gr_report_error("ros2: ROS_AUTOMATIC_DISCOVERY_RANGE is OFF: no other node could be found; unset it, or set it "
                        "to LOCALHOST or SUBNET");
        return false;
    }
    if (a->interface == NULL) {
        const bool wide = range != NULL && (strcmp(range, "SUBNET") == 0 || strcmp(range, "SYSTEM_DEFAULT") == 0);
        a->interface = wide && !local ? "auto" : "lo";
    }
    if (local && strcmp(a->interface, "lo") != 0) {
        gr_report_error("ros2: --interface %s contradicts ROS_LOCALHOST_ONLY=%s: unset the variable, or leave the "
                        "option out",
                        a->interface, only);
        return false;
    }
    return true;
}

// ---- command line

/// Refuses what the options cannot be; false after a message.
static bool check(const Ros2Arguments *a)
{
    if (a->speed != 0 && !(a->speed >= PACE_LEAST && a->speed <= PACE_MOST)) {
        gr_report_error("ros2: --speed: found %g, allowed: %g to %g, or 0", a->speed, PACE_LEAST, PACE_MOST);
    } else if (!(a->seconds > 0)) {
        gr_report_error("ros2: --seconds: found %g, allowed: more than 0", a->seconds);
    } else if (!isnan(a->rate) && !(a->rate >= RATE_LEAST && a->rate <= RATE_MOST)) {
        gr_report_error("ros2: --rate: found %g, allowed: %g to %g", a->rate, RATE_LEAST, RATE_MOST);
    } else if (a->overrides.count == GR_OPTION_LIST_SIZE && !isnan(a->rate)) {
        gr_report_error("ros2: --set: at most %d of them beside --rate", GR_OPTION_LIST_SIZE - 1);
    } else {
        return true;
    }
    return false;
}

static const char *kind_name(GrRosKind kind)
{
    static const char *const names[] = {
        [GR_ROS_PUBLISHES] = "publishes",      [GR_ROS_KEEPS] = "publishes, kept for late joiners",
        [GR_ROS_SUBSCRIBES] = "subscribes",    [GR_ROS_REQUESTS] = "service, requests",
        [GR_ROS_REPLIES] = "service, replies", [GR_ROS_OPENS] = "publishes, for sensors NAME that have it",
    };
    return names[kind];
}

/// The table of topics; exit code.
static int print_topics(bool as_json)
{
    GrJson json = gr_json_to_file(stdout, true);
    if (as_json) {
        gr_json_begin_object(&json, NULL);
        gr_json_begin_array(&json, "topics");
    }
    for (int i = 0; i < GR_ROS_TOPIC_COUNT; i++) {
        const GrRosTopicRow *row = &gr_ros_topics[i];
        char dds[GR_ROS_NAME_SIZE + 16];
        gr_ros_dds_name((GrRosTopic)i, row->name, dds, sizeof dds);
        if (!as_json) {
            printf("%-26s %-48s %s\n", row->name, row->type, kind_name(row->kind));
            continue;
        }
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "name", row->name);
        gr_json_string(&json, "dds_name", dds);
        gr_json_string(&json, "type", row->type);
        gr_json_string(&json, "type_hash", row->hash);
        gr_json_string(&json, "does", kind_name(row->kind));
        gr_json_integer(&json, "depth", row->depth);
        gr_json_end(&json);
    }
    if (as_json) {
        gr_json_end(&json);
        gr_json_end(&json);
        return gr_json_finish(&json) == GR_OK ? GR_EXIT_OK : GR_EXIT_FAILURE;
    }
    return GR_EXIT_OK;
}

static void print_result(const Ros2Arguments *a, const GrRos2Result *r)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    if (a->json) {
        GrJson json = gr_json_to_file(stdout, true);
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "outcome", r->outcome);
        gr_json_number(&json, "time_s", r->time);
        gr_json_string(&json, "state_hash", hash);
        gr_json_integer(&json, "commands", r->commands);
        gr_json_integer(&json, "dropped", r->dropped);
        gr_json_end(&json);
        gr_json_finish(&json);
    } else {
        printf("outcome %s after %.6g s, %ld commands\nstate_hash %s\n", r->outcome, r->time, r->commands, hash);
    }
    if (r->dropped > 0) {
        fprintf(stderr, "warning: %ld messages were dropped: a subscriber did not take them in time\n", r->dropped);
    }
    if (!a->json && a->directory != NULL) {
        gr_run_print_files(a->directory, stdout);
    }
}

static int run_node(Ros2Arguments *a)
{
    if (!check(a) || !choose_domain(a) || !choose_interface(a)) {
        return GR_EXIT_INPUT;
    }
    if (!isnan(a->rate)) { // an override, so that a drive is repeated with the same samples
        snprintf(a->rate_override, sizeof a->rate_override, "record.rate_Hz=%.17g", a->rate);
        a->overrides.items[a->overrides.count++] = a->rate_override;
    }
    const GrRos2Def def = {
        .scenario = a->name,
        .overrides = a->overrides.items,
        .directory = a->directory,
        .bus = {.domain = (int)a->domain,
                .interface = strcmp(a->interface, "auto") == 0 ? NULL : a->interface,
                .say = say},
        .pace = a->speed,
        .paused = a->paused,
        .once = a->once,
        .seconds = a->seconds,
    };
    GrErrorLog log = {0};
    GrRos2Result result = {0};
    gr_interrupts_watch();
    const GrStatus status = gr_ros2_run(&def, &result, &log);
    gr_report_log(&log);
    if (status != GR_OK) {
        return gr_report_exit_code(status);
    }
    print_result(a, &result);
    return GR_EXIT_OK;
}

static int run(int argc, char **argv)
{
    Ros2Arguments a = {.domain = (double)NAN, .rate = (double)NAN, .speed = 1, .seconds = (double)INFINITY};
    const GrOption options[] = {
        {.name = "out", .letter = 'o', .value = "DIR", .text = &a.directory, .help = "record the run there"},
        {.name = "set", .value = "PATH=VALUE", .list = &a.overrides, .help = "replace a value, as for grouser run"},
        {.name = "rate",
         .value = "HZ",
         .number = &a.rate,
         .help = "messages of each stream per simulated second (default: record.rate_Hz of the scenario, 20)"},
        {.name = "speed",
         .value = "X",
         .number = &a.speed,
         .help = "simulated seconds per second, 0.1 to 1000; 0: as fast as possible (default 1)"},
        {.name = "domain",
         .value = "N",
         .number = &a.domain,
         .help = "domain of DDS, 0 to 232 (default ROS_DOMAIN_ID, or 0)"},
        {.name = "interface",
         .value = "NAME",
         .text = &a.interface,
         .help = "network interface, such as eth0; auto: the one that DDS chooses (default lo: this machine only)"},
        {.name = "paused", .flag = &a.paused, .help = "wait for the service /grouser/start"},
        {.name = "once", .flag = &a.once, .help = "end when the run is over"},
        {.name = "seconds", .value = "S", .number = &a.seconds, .help = "end after this wall time"},
        {.name = "topics", .flag = &a.topics, .help = "list topics and services, and end"},
        {.name = "json", .flag = &a.json, .help = "print the result, or the topics, as JSON"},
    };
    int exit_code;
    const int count = gr_options_parse(&gr_command_ros2, options, (int)(sizeof options / sizeof options[0]), argc, argv,
                                       &a.name, 0, 1, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    if (a.topics) {
        return print_topics(a.json);
    }
    if (count == 0) {
        gr_report_error("ros2: SCENARIO is missing; grouser list scenarios shows those that ship with the program");
        return GR_EXIT_INPUT;
    }
    return run_node(&a);
}

const GrCommand gr_command_ros2 = {
    .name = "ros2",
    .summary = "run a scenario as a node of ROS 2, which other nodes watch and drive",
    .usage = "ros2 SCENARIO [-o DIR] [--set PATH=VALUE]... [--rate HZ] [--speed X] [--domain N] [--interface NAME] "
             "[--paused] [--once]",
    .details =
        "Runs a scenario as a node of ROS 2 over DDS, without an installation of ROS: /clock, /tf, /odom,\n"
        "/joint_states, /imu, /diagnostics with slip and sinkage, /map, /robot_description. /cmd_vel and\n"
        "/ackermann_cmd drive the rover; it stops when they stop coming for 1.5 s. The services /grouser/start, "
        "pause,\n"
        "reset and auto are std_srvs/Trigger. A drive is written as NAME_driven.yaml, which grouser run repeats bit\n"
        "for bit. Only nodes on this machine connect unless --interface says otherwise. docs/ros2.md has the topics\n"
        "and how to connect.",
    .example = "  grouser ros2 crossing\n"
               "  grouser ros2 crossing --rate 200 --domain 7 --set stop.time_s=600 -o driven.run\n"
               "  grouser ros2 crossing --interface eth0 --paused\n"
               "  grouser ros2 --topics",
    .run = run,
    .arguments = "@scenarios",
};
