#include "ros_topics.h"

#include <stdio.h>

const GrRosTopicRow gr_ros_topics[GR_ROS_TOPIC_COUNT] = {
#define GR_ROS_TOPIC_ROW(constant, topic, does, kept, package, folder, name_of_type, digest)                           \
    [GR_ROS_##constant] = {.name = (topic),                                                                            \
                           .type = #package "/" #folder "/" #name_of_type,                                             \
                           .hash = "RIHS01_" digest,                                                                   \
                           .kind = GR_ROS_##does,                                                                      \
                           .depth = (kept)},
    GR_ROS_TOPIC_LIST(GR_ROS_TOPIC_ROW)
#undef GR_ROS_TOPIC_ROW
};

void gr_ros_dds_name(GrRosTopic row, const char *name, char *out, size_t size)
{
    const GrRosKind kind = gr_ros_topics[row].kind;
    const char *before = kind == GR_ROS_REQUESTS ? "rq" : kind == GR_ROS_REPLIES ? "rr" : "rt";
    const char *after = kind == GR_ROS_REQUESTS ? "Request" : kind == GR_ROS_REPLIES ? "Reply" : "";
    snprintf(out, size, "%s%s%s", before, name, after);
}

bool gr_ros_is_sent(GrRosTopic topic)
{
    const GrRosKind kind = gr_ros_topics[topic].kind;
    return kind == GR_ROS_PUBLISHES || kind == GR_ROS_KEEPS || kind == GR_ROS_REPLIES || kind == GR_ROS_OPENS;
}
