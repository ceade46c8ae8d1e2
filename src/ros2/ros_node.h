/// A run as messages of ROS 2.
///
/// Frames (REP 105): map is the world of the simulation; odom is the estimated start of wheel odometry, so that
/// odom -> base_link is the estimate and map -> odom its error, as a perfect localisation would publish it. Below
/// base_link every body has a frame of its name.
///
///     map --/tf--> odom --/tf--> base_link --/tf_static--> chassis --/tf, /tf_static--> the other bodies
#ifndef GR_ROS_NODE_H
#define GR_ROS_NODE_H

#include "grouser/record.h"
#include "grouser/sense.h"
#include "ros_bus.h"

typedef struct GrRosNodeDef {
    const GrRecordDef *record; ///< what is run; must outlive the node
    GrRosBus bus;
    bool sensors; ///< the rover's sensors measure
} GrRosNodeDef;

typedef struct GrRosNode GrRosNode;

/// NULL after an error: out of memory, or a body has the name of a frame of ROS 2.
GrRosNode *gr_ros_node_create(const GrRosNodeDef *def, GrErrorLog *log);
void gr_ros_node_free(GrRosNode *node);

/// Sends what does not change: /robot_description, /tf_static.
void gr_ros_node_introduce(GrRosNode *node);

/// Sends a sample on all other topics: /diagnostics at most ten times a second, /map at the start and after every two
/// metres.
void gr_ros_node_put(GrRosNode *node, const GrSample *sample);

/// Sends a measurement of a sensor that has been delivered.
void gr_ros_node_measure(GrRosNode *node, const GrMeasurement *measurement);

/// Messages that were dropped because a subscriber did not take them in time.
long gr_ros_node_dropped(const GrRosNode *node);

/// Sends the reply to a request of a service. `request` is a message of that topic; the reply is the next row.
void gr_ros_reply(const GrRosBus *bus, GrRosTopic request, const void *message, bool good, const char *text);

#endif
