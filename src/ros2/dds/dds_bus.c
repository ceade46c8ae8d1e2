/// The messages of a ROS 2 node over Cyclone DDS: the library libgrouser_ros2.so, loaded by `grouser ros2` only.
///
/// ROS 2 maps its names to those of DDS: topics begin with rt, requests with rq, replies with rr (ros_topics.c), and a
/// type sensor_msgs/msg/Imu is sensor_msgs::msg::dds_::Imu_. From Iron on, endpoints carry the hash of their type in
/// USER_DATA. Types are announced by name alone, as most ROS 2 nodes do, so that nothing else keeps them from matching.
#include "ros_bus.h"
#include "ros_types.h"

#include <dds/dds.h>
#include <dds/ddsrt/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The only function of this library.
__attribute__((visibility("default"))) bool gr_dds_bus_open(const GrRosBusDef *def, GrRosBus *out, char *problem);

enum { CONFIG_SIZE = 4096, COMPLAINT_SIZE = 256 };
// That a write waits for slow readers. Not 100 ms, the default of DDS: policies with default values are not announced,
// and some clients written for ROS 2 do not know a writer without its reliability.
static const dds_duration_t LONGEST_BLOCK = DDS_MSECS(50);

typedef struct Endpoint {
    GrRosTopic row;
    char name[GR_ROS_NAME_SIZE]; ///< in ROS 2
    dds_entity_t entity;
    void *loan; ///< message that was taken and not given back; NULL: none
} Endpoint;

typedef struct Bus {
    GrRosBusDef def;
    dds_entity_t domain, participant, waitset;
    Endpoint *endpoints; ///< those of the table first, whose number is their row
    int count;
    int look;                  ///< where complain() goes on
    char said[COMPLAINT_SIZE]; ///< last words of DDS while the bus is being opened
    bool open;
} Bus;

static const dds_topic_descriptor_t *const DESCRIPTORS[GR_ROS_TOPIC_COUNT] = {
#define DESCRIPTOR(constant, name, kind, depth, package, folder, type, hash)                                           \
    [GR_ROS_##constant] = &package##_##folder##_dds__##type##__desc,
    GR_ROS_TOPIC_LIST(DESCRIPTOR)
#undef DESCRIPTOR
};

/// Takes the messages of DDS, which it would print otherwise.
static void listen_to_log(void *context, const dds_log_data_t *data)
{
    Bus *bus = context;
    char text[COMPLAINT_SIZE];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(data->message, "\n"), data->message);
    if (bus->open) {
        bus->def.say(bus->def.context, text);
    } else {
        snprintf(bus->said, sizeof bus->said, "%s", text);
    }
}

// ---- opening

/// Settings of DDS for one interface. On loopback, which has no multicast as a rule, nodes find each other by asking
/// this machine at the ports of the first participants.
static void write_config(const GrRosBusDef *def, char config[CONFIG_SIZE])
{
    const char *own = getenv("CYCLONEDDS_URI");
    config[0] = '\0';
    if (def->interface != NULL) {
        snprintf(config, CONFIG_SIZE,
                 "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"%.64s\"/></Interfaces></General>"
                 "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
                 "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>%s</Discovery></Domain></CycloneDDS>",
                 def->interface,
                 strcmp(def->interface, "lo") == 0 ? "<Peers><Peer address=\"localhost\"/></Peers>" : "");
    }
    if (own != NULL && own[0] != '\0') {
        const size_t length = strlen(config);
        snprintf(config + length, CONFIG_SIZE - length, "%s%s", length > 0 ? "," : "", own);
    }
}

static dds_qos_t *make_qos(const GrRosTopicRow *row)
{
    char hash[96];
    const dds_data_representation_id_t plain[] = {DDS_DATA_REPRESENTATION_XCDR1};
    const bool kept = row->kind == GR_ROS_KEEPS;
    dds_qos_t *qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, LONGEST_BLOCK);
    dds_qset_durability(qos, kept ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, row->depth);
    if (kept) { // for those who come late
        dds_qset_durability_service(qos, 0, DDS_HISTORY_KEEP_LAST, row->depth, DDS_LENGTH_UNLIMITED,
                                    DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
    }
    dds_qset_writer_data_lifecycle(qos, false);
    dds_qset_data_representation(qos, 1, plain);
    snprintf(hash, sizeof hash, "typehash=%s;", row->hash);
    dds_qset_userdata(qos, hash, strlen(hash));
    return qos;
}

static bool open_endpoint(Bus *bus, Endpoint *e)
{
    char name[GR_ROS_NAME_SIZE + 16];
    gr_ros_dds_name(e->row, e->name, name, sizeof name);
    dds_qos_t *qos = make_qos(&gr_ros_topics[e->row]);
    const dds_entity_t made = dds_create_topic(bus->participant, DESCRIPTORS[e->row], name, NULL, NULL);
    dds_entity_t *endpoint = &e->entity;
    if (made < 0) {
        *endpoint = made;
    } else if (gr_ros_is_sent(e->row)) {
        *endpoint = dds_create_writer(bus->participant, made, qos, NULL);
    } else {
        *endpoint = dds_create_reader(bus->participant, made, qos, NULL);
        const dds_entity_t arrived = dds_create_readcondition(*endpoint, DDS_ANY_STATE);
        dds_waitset_attach(bus->waitset, arrived, 0);
    }
    dds_delete_qos(qos);
    return *endpoint >= 0;
}

/// Room for another endpoint. Out of memory, it ends the program, as all of DDS does.
static Endpoint *add_endpoint(Bus *bus, GrRosTopic row, const char *name)
{
    bus->endpoints = dds_realloc(bus->endpoints, ((size_t)bus->count + 1) * sizeof *bus->endpoints);
    Endpoint *e = &bus->endpoints[bus->count++];
    *e = (Endpoint){.row = row};
    snprintf(e->name, sizeof e->name, "%s", name);
    return e;
}

static int open_publisher(void *context, GrRosTopic row, const char *name)
{
    Bus *bus = context;
    for (int i = GR_ROS_TOPIC_COUNT; i < bus->count; i++) {
        if (bus->endpoints[i].row == row && strcmp(bus->endpoints[i].name, name) == 0) {
            return bus->endpoints[i].entity >= 0 ? i : -1;
        }
    }
    return open_endpoint(bus, add_endpoint(bus, row, name)) ? bus->count - 1 : -1;
}

static bool open_all(Bus *bus, char *problem)
{
    static const char ENCLAVE[] = "enclave=/;"; // the security context of a participant, which tools show
    char config[CONFIG_SIZE];
    write_config(&bus->def, config);
    bus->domain = dds_create_domain((dds_domainid_t)bus->def.domain, config);
    dds_qos_t *qos = dds_create_qos();
    dds_qset_userdata(qos, ENCLAVE, sizeof ENCLAVE - 1);
    bus->participant =
        bus->domain < 0 ? bus->domain : dds_create_participant((dds_domainid_t)bus->def.domain, qos, NULL);
    dds_delete_qos(qos);
    if (bus->participant < 0) {
        snprintf(problem, GR_ROS_PROBLEM_SIZE, "DDS finds no network that it can use (%s): %s",
                 bus->def.interface != NULL ? bus->def.interface : "any interface",
                 bus->said[0] != '\0' ? bus->said : dds_strretcode(bus->participant));
        return false;
    }
    bus->waitset = dds_create_waitset(bus->participant);
    for (int i = 0; i < GR_ROS_TOPIC_COUNT; i++) {
        Endpoint *e = add_endpoint(bus, (GrRosTopic)i, gr_ros_topics[i].name);
        if (gr_ros_topics[i].kind != GR_ROS_OPENS && !open_endpoint(bus, e)) {
            snprintf(problem, GR_ROS_PROBLEM_SIZE, "DDS cannot open %s: %s", e->name, dds_strretcode(e->entity));
            return false;
        }
    }
    return true;
}

// ---- messages

static bool write_message(void *context, GrRosTopic topic, const void *message)
{
    const Bus *bus = context;
    return dds_write(bus->endpoints[topic].entity, message) == DDS_RETCODE_OK;
}

static bool send_message(void *context, int publisher, const void *message)
{
    const Bus *bus = context;
    return publisher >= 0 && dds_write(bus->endpoints[publisher].entity, message) == DDS_RETCODE_OK;
}

static const void *take_message(void *context, GrRosTopic topic)
{
    const Bus *bus = context;
    Endpoint *e = &bus->endpoints[topic];
    for (;;) {
        dds_sample_info_t info;
        if (e->loan != NULL) {
            dds_return_loan(e->entity, &e->loan, 1);
            e->loan = NULL;
        }
        if (dds_take(e->entity, &e->loan, &info, 1, 1) <= 0) {
            e->loan = NULL;
            return NULL;
        }
        if (info.valid_data) { // otherwise: a writer has gone
            return e->loan;
        }
    }
}

static void wait_for_message(void *context, double seconds)
{
    const Bus *bus = context;
    dds_waitset_wait(bus->waitset, NULL, 0, (dds_duration_t)(1e9 * seconds));
}

static int count_matched(void *context, GrRosTopic topic)
{
    const Bus *bus = context;
    int count = 0;
    for (int i = 0; i < bus->count; i++) { // a row may have several publishers
        const Endpoint *e = &bus->endpoints[i];
        dds_publication_matched_status_t readers;
        dds_subscription_matched_status_t writers;
        if (e->row != topic || e->entity <= 0) {
            continue;
        }
        if (gr_ros_is_sent(topic)) {
            const bool known = dds_get_publication_matched_status(e->entity, &readers) == DDS_RETCODE_OK;
            count += known ? (int)readers.current_count : 0;
        } else {
            const bool known = dds_get_subscription_matched_status(e->entity, &writers) == DDS_RETCODE_OK;
            count += known ? (int)writers.current_count : 0;
        }
    }
    return count;
}

// ---- complaints

/// What this node has of the policy that does not match.
static const char *own_policy(const GrRosTopicRow *row, uint32_t policy)
{
    switch (policy) {
    case DDS_RELIABILITY_QOS_POLICY_ID:
        return "reliability: this node is reliable, the other one best effort";
    case DDS_DURABILITY_QOS_POLICY_ID:
        return row->kind == GR_ROS_KEEPS ? "durability: this node is transient local"
                                         : "durability: this node is volatile, the other one asks for transient local";
    case DDS_DEADLINE_QOS_POLICY_ID:
        return "deadline: this node has none";
    case DDS_LIVELINESS_QOS_POLICY_ID:
        return "liveliness: this node is automatic, without a lease";
    case DDS_DATA_REPRESENTATION_QOS_POLICY_ID:
        return "data representation: this node has plain CDR (XCDR1), as ROS 2 has";
    default:
        return "a policy that ROS 2 does not use";
    }
}

/// Number of endpoints that have newly been found not to match, and the policy of the last.
static uint32_t count_refused(const Endpoint *e, uint32_t *policy)
{
    if (gr_ros_is_sent(e->row)) {
        dds_offered_incompatible_qos_status_t status = {0};
        dds_get_offered_incompatible_qos_status(e->entity, &status);
        *policy = status.last_policy_id;
        return (uint32_t)status.total_count_change;
    }
    dds_requested_incompatible_qos_status_t status = {0};
    dds_get_requested_incompatible_qos_status(e->entity, &status);
    *policy = status.last_policy_id;
    return (uint32_t)status.total_count_change;
}

static bool next_complaint(void *context, char *text, size_t size)
{
    Bus *bus = context;
    for (; bus->look < bus->count; bus->look++) {
        const Endpoint *e = &bus->endpoints[bus->look];
        uint32_t policy = 0;
        if (e->entity > 0 && count_refused(e, &policy) > 0) {
            const bool sent = gr_ros_is_sent(e->row);
            snprintf(text, size, "a %s %s does not match and receives nothing (%s)",
                     sent ? "subscriber of" : "publisher to", e->name, own_policy(&gr_ros_topics[e->row], policy));
            bus->look++;
            return true;
        }
    }
    bus->look = 0;
    return false;
}

static void close_bus(void *context)
{
    Bus *bus = context;
    for (int i = 0; i < bus->count; i++) {
        if (bus->endpoints[i].loan != NULL) {
            dds_return_loan(bus->endpoints[i].entity, &bus->endpoints[i].loan, 1);
        }
    }
    dds_delete(bus->domain); // and everything in it
    dds_set_log_sink(NULL, NULL);
    dds_free(bus->endpoints);
    dds_free(bus);
}

bool gr_dds_bus_open(const GrRosBusDef *def, GrRosBus *out, char *problem)
{
    Bus *bus = dds_alloc(sizeof *bus); // ends the program when out of memory
    memset(bus, 0, sizeof *bus);
    bus->def = *def;
    dds_set_log_sink(listen_to_log, bus);
    if (!open_all(bus, problem)) {
        close_bus(bus);
        return false;
    }
    bus->open = true;
    *out = (GrRosBus){.context = bus,
                      .write = write_message,
                      .open = open_publisher,
                      .send = send_message,
                      .take = take_message,
                      .wait = wait_for_message,
                      .count = count_matched,
                      .complain = next_complaint,
                      .close = close_bus};
    return true;
}
