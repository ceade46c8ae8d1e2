#!/usr/bin/env python3
"""The type hashes that `grouser ros2` announces are those of ROS 2.

    tests/ros2/check_types.py GROUSER IDL

They are computed here from the IDL file by the rule of REP 2016 and compared with the program's table; most of them
also with values that ROS 2 prints (`ros2 topic info -v`, the .json files of its packages from Iron on). Where these
agree, the types on the wire have the members of ROS 2, in its order.
"""

import json
import subprocess
import sys

import type_hash

PUBLISHED = {
    "builtin_interfaces/msg/Time": "b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197",
    "std_msgs/msg/Header": "f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01",
    "std_msgs/msg/String": "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
    "std_msgs/msg/MultiArrayLayout": "4c66e6f78e740ac103a94cf63259f968e48c617e7699e829b63c21a5cb50dac6",
    "rosgraph_msgs/msg/Clock": "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564",
    "tf2_msgs/msg/TFMessage": "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
    "nav_msgs/msg/Odometry": "3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0",
    "sensor_msgs/msg/JointState": "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e",
    "sensor_msgs/msg/Imu": "7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b",
    "diagnostic_msgs/msg/KeyValue": "d68081eaa540288c5440753baecef0c4e16e81a5f78ad68902ded5100413bb42",
    "diagnostic_msgs/msg/DiagnosticArray": "5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e",
    "geometry_msgs/msg/Vector3": "cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d",
    "sensor_msgs/msg/PointCloud2": "9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5",
    "sensor_msgs/msg/Image": "d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47",
    "sensor_msgs/msg/CameraInfo": "b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275",
    "geometry_msgs/msg/Vector3Stamped": "d4829622288cbb443886e7ea94ea5671a3b1be6bab4ad04224432a65f7d7887a",
    "geometry_msgs/msg/QuaternionStamped": "381add86c6c3160644d228ca342182c7fd6c7fab11c7a85ad817a9cc22dbac6e",
    "geometry_msgs/msg/TwistWithCovarianceStamped": "77b67434531e6529b7a0091357b186b6ebdb17fd9ffd3e0c7ce9d3fb11a44563",
    "geometry_msgs/msg/Twist": "9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a",
    "geometry_msgs/msg/TwistStamped": "5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64",
    "ackermann_msgs/msg/AckermannDriveStamped": "48ca7612a08d3bb72744fd98b71b7cf2ea24c6ad50fa4e1aa0bbad963c90d8cf",
    "std_srvs/srv/Trigger_Request": "d010825374ce8918e72bfd826c82603e60f45419e932ea976f807b74a863a199",
    "std_srvs/srv/Trigger_Response": "2d946c21e2fc3f1e9ca6986a8191d85fcc70097a8bb7771a053564bc47009cdf",
}
# of no published list that was found: by the same rule alone
COMPUTED_ALONE = {"grid_map_msgs/msg/GridMap"}


def main():
    grouser, idl = sys.argv[1:]
    types = type_hash.read_idl(idl)
    table = json.loads(subprocess.run([grouser, "ros2", "--topics", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    failed = 0
    for name, digest in PUBLISHED.items():
        if type_hash.type_hash(types, name) != f"RIHS01_{digest}":
            failed += 1
            print(f"{name}: the type in {idl} is not that of ROS 2")
    for topic in table["topics"]:
        name = topic["type"]
        if topic["type_hash"] != type_hash.type_hash(types, name):
            failed += 1
            print(f"{topic['name']}: {topic['type_hash']} is not the hash of {name}, {type_hash.type_hash(types, name)}")
        if name not in PUBLISHED and name not in COMPUTED_ALONE:
            failed += 1
            print(f"{topic['name']}: {name} is compared with nothing published")
    if len(table["topics"]) < 20:
        sys.exit("the table of topics is too short")
    # the check can fail: a member of another name gives another hash
    types["std_msgs/msg/String"][0]["name"] = "text"
    if type_hash.type_hash(types, "std_msgs/msg/String") == f"RIHS01_{PUBLISHED['std_msgs/msg/String']}":
        sys.exit("the hash does not depend on the members")
    sys.exit(1 if failed else 0)


main()
