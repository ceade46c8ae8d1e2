/// Every topic and service of the node: one row each. Names and types are those of ROS 2; ros_types.idl has the types.
#ifndef GR_ROS_TOPICS_H
#define GR_ROS_TOPICS_H

#include <stdbool.h>
#include <stddef.h>

/// What an endpoint does.
typedef enum GrRosKind {
    GR_ROS_PUBLISHES,  ///< reliable, volatile: readers of any reliability match
    GR_ROS_KEEPS,      ///< reliable, transient local: who comes late gets the last message
    GR_ROS_SUBSCRIBES, ///< reliable, volatile, as rclcpp's default
    GR_ROS_REQUESTS,   ///< the requests of a service: this node reads them
    GR_ROS_REPLIES,    ///< its replies: this node writes them
    GR_ROS_OPENS,      ///< as GR_ROS_PUBLISHES, one for each sensor that has it, opened with its name in place of NAME
} GrRosKind;

/// All endpoints: constant, name, kind, messages kept for slow readers, package, folder, type, hash of the type by REP
/// 2016 without "RIHS01_". Streams keep some seconds at 200 Hz, so that a reader that is late misses none; images and
/// clouds, which are large, some frames.
#define GR_ROS_TOPIC_LIST(X)                                                                                           \
    X(CLOCK, "/clock", KEEPS, 1, rosgraph_msgs, msg, Clock,                                                            \
      "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564")                                              \
    X(TF, "/tf", PUBLISHES, 1000, tf2_msgs, msg, TFMessage,                                                            \
      "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087")                                              \
    X(TF_STATIC, "/tf_static", KEEPS, 1, tf2_msgs, msg, TFMessage,                                                     \
      "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087")                                              \
    X(DESCRIPTION, "/robot_description", KEEPS, 1, std_msgs, msg, String,                                              \
      "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18")                                              \
    X(ODOM, "/odom", PUBLISHES, 1000, nav_msgs, msg, Odometry,                                                         \
      "3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0")                                              \
    X(TRUTH, "/ground_truth/odom", PUBLISHES, 1000, nav_msgs, msg, Odometry,                                           \
      "3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0")                                              \
    X(JOINTS, "/joint_states", PUBLISHES, 1000, sensor_msgs, msg, JointState,                                          \
      "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e")                                              \
    X(IMU, "/imu", PUBLISHES, 1000, sensor_msgs, msg, Imu,                                                             \
      "7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b")                                              \
    X(DIAGNOSTICS, "/diagnostics", PUBLISHES, 10, diagnostic_msgs, msg, DiagnosticArray,                               \
      "5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e")                                              \
    X(MAP, "/map", KEEPS, 1, grid_map_msgs, msg, GridMap,                                                              \
      "343b0e72887541beda6b035cc053f2d6fffaad9d6dcb2773c15a808dfca31fde")                                              \
    X(CMD_VEL, "/cmd_vel", SUBSCRIBES, 10, geometry_msgs, msg, Twist,                                                  \
      "9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a")                                              \
    X(CMD_VEL_STAMPED, "/cmd_vel", SUBSCRIBES, 10, geometry_msgs, msg, TwistStamped,                                   \
      "5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64")                                              \
    X(ACKERMANN, "/ackermann_cmd", SUBSCRIBES, 10, ackermann_msgs, msg, AckermannDriveStamped,                         \
      "48ca7612a08d3bb72744fd98b71b7cf2ea24c6ad50fa4e1aa0bbad963c90d8cf")                                              \
    X(SENSOR_IMU, "/sensors/NAME", OPENS, 1000, sensor_msgs, msg, Imu,                                                 \
      "7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b")                                              \
    X(SENSOR_JOINT, "/sensors/NAME", OPENS, 1000, sensor_msgs, msg, JointState,                                        \
      "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e")                                              \
    X(SENSOR_VECTOR, "/sensors/NAME", OPENS, 1000, geometry_msgs, msg, Vector3Stamped,                                 \
      "d4829622288cbb443886e7ea94ea5671a3b1be6bab4ad04224432a65f7d7887a")                                              \
    X(SENSOR_QUATERNION, "/sensors/NAME", OPENS, 1000, geometry_msgs, msg, QuaternionStamped,                          \
      "381add86c6c3160644d228ca342182c7fd6c7fab11c7a85ad817a9cc22dbac6e")                                              \
    X(SENSOR_TWIST, "/sensors/NAME", OPENS, 1000, geometry_msgs, msg, TwistWithCovarianceStamped,                      \
      "77b67434531e6529b7a0091357b186b6ebdb17fd9ffd3e0c7ce9d3fb11a44563")                                              \
    X(SENSOR_CLOUD, "/sensors/NAME", OPENS, 10, sensor_msgs, msg, PointCloud2,                                         \
      "9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5")                                              \
    X(SENSOR_IMAGE, "/sensors/NAME/image", OPENS, 10, sensor_msgs, msg, Image,                                         \
      "d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47")                                              \
    X(SENSOR_DEPTH, "/sensors/NAME/depth", OPENS, 10, sensor_msgs, msg, Image,                                         \
      "d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47")                                              \
    X(SENSOR_INFO, "/sensors/NAME/camera_info", OPENS, 10, sensor_msgs, msg, CameraInfo,                               \
      "b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275")                                              \
    GR_ROS_SERVICE(X, START, "/grouser/start")                                                                         \
    GR_ROS_SERVICE(X, PAUSE, "/grouser/pause")                                                                         \
    GR_ROS_SERVICE(X, RESET, "/grouser/reset")                                                                         \
    GR_ROS_SERVICE(X, AUTO, "/grouser/auto")

/// The two endpoints of a service std_srvs/srv/Trigger.
#define GR_ROS_SERVICE(X, constant, name)                                                                              \
    X(constant##_REQUEST, name, REQUESTS, 10, std_srvs, srv, Trigger_Request,                                          \
      "d010825374ce8918e72bfd826c82603e60f45419e932ea976f807b74a863a199")                                              \
    X(constant##_REPLY, name, REPLIES, 10, std_srvs, srv, Trigger_Response,                                            \
      "2d946c21e2fc3f1e9ca6986a8191d85fcc70097a8bb7771a053564bc47009cdf")

typedef enum GrRosTopic {
#define GR_ROS_TOPIC_ENUM(constant, ...) GR_ROS_##constant,
    GR_ROS_TOPIC_LIST(GR_ROS_TOPIC_ENUM)
#undef GR_ROS_TOPIC_ENUM
        GR_ROS_TOPIC_COUNT
} GrRosTopic;

typedef struct GrRosTopicRow {
    const char *name; ///< of the topic or service
    const char *type; ///< "sensor_msgs/msg/JointState"
    const char *hash; ///< "RIHS01_…"
    GrRosKind kind;
    int depth; ///< of the history
} GrRosTopicRow;

extern const GrRosTopicRow gr_ros_topics[GR_ROS_TOPIC_COUNT];

enum { GR_ROS_NAME_SIZE = 96 };

/// Name in DDS of an endpoint of a row: "rt/odom", "rq/grouser/startRequest", "rr/grouser/startReply".
void gr_ros_dds_name(GrRosTopic row, const char *name, char *out, size_t size);

/// Whether this node writes to it.
bool gr_ros_is_sent(GrRosTopic topic);

#endif
