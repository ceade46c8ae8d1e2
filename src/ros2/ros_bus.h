/// The way of messages to and from ROS 2. Cyclone DDS (src/ros2/dds) implements it in its own library, which is
/// loaded by `grouser ros2` only, so that nobody else waits for it.
#ifndef GR_ROS_BUS_H
#define GR_ROS_BUS_H

#include "grouser/status.h"
#include "ros_topics.h"

typedef struct GrRosBusDef {
    int domain;            ///< 0 … 232, as ROS_DOMAIN_ID
    const char *interface; ///< network interface; NULL: the one that DDS chooses
    void *context;
    void (*say)(void *context, const char *text); ///< gets what DDS has to say; may be called from another thread
} GrRosBusDef;

/// Messages are the structs of ros_types.h.
typedef struct GrRosBus {
    void *context;
    /// False: the message was dropped, since a reader did not take earlier ones in time.
    bool (*write)(void *context, GrRosTopic topic, const void *message);
    /// Opens a publisher of a row of kind GR_ROS_OPENS under a name, or finds the one that was opened under it. Returns
    /// its number, or −1: it cannot be opened.
    int (*open)(void *context, GrRosTopic row, const char *name);
    /// As write(), to a publisher that was opened.
    bool (*send)(void *context, int publisher, const void *message);
    /// The next message that has arrived, valid until the next call for the same topic. NULL: there is none.
    const void *(*take)(void *context, GrRosTopic topic);
    /// Waits until a message is there, up to `seconds`.
    void (*wait)(void *context, double seconds);
    /// Other endpoints of a topic that this node is connected with.
    int (*count)(void *context, GrRosTopic topic);
    /// The next complaint about an endpoint of another node that cannot be connected. False: there is none.
    bool (*complain)(void *context, char *text, size_t size);
    void (*close)(void *context);
} GrRosBus;

enum { GR_ROS_PROBLEM_SIZE = 512 };

/// Loads the library and opens the bus. The message says what is missing: the library, the network.
GrStatus gr_ros_bus_open(const GrRosBusDef *def, GrRosBus *out, GrErrorLog *log);

#endif
