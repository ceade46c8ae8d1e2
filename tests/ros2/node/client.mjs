// A node of ROS 2 in JavaScript: Foxglove's implementation of RTPS, which shares no code with Cyclone DDS, and its
// reader of messages with its own copies of their definitions. The library can only subscribe; advertising and
// publishing are added here from its parts.
import { createRequire } from "node:module";

const require = createRequire(process.env.GROUSER_ROS2_CLIENT + "/");
const rtps = require("@foxglove/rtps");
const { UdpSocketNode } = require("@foxglove/rtps/nodejs");
const { parse } = require("@foxglove/rosmsg");
const { ros2jazzy } = require("@foxglove/rosmsg-msgs-common");
const { MessageReader, MessageWriter } = require("@foxglove/rosmsg2-serialization");

const { Durability, Reliability, HistoryKind } = rtps;
export { Durability, Reliability };

/// Definitions that the package lacks, from the packages of ROS 2.
const OTHERS = {
  "grid_map_msgs/GridMap": `std_msgs/Header header
grid_map_msgs/GridMapInfo info
string[] layers
string[] basic_layers
std_msgs/Float32MultiArray[] data
uint16 outer_start_index
uint16 inner_start_index
===
MSG: grid_map_msgs/GridMapInfo
float64 resolution
float64 length_x
float64 length_y
geometry_msgs/Pose pose
===
MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
===
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
===
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
===
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
===
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
===
MSG: std_msgs/Float32MultiArray
std_msgs/MultiArrayLayout layout
float32[] data
===
MSG: std_msgs/MultiArrayLayout
std_msgs/MultiArrayDimension[] dim
uint32 data_offset
===
MSG: std_msgs/MultiArrayDimension
string label
uint32 size
uint32 stride`,
  "ackermann_msgs/AckermannDriveStamped": `std_msgs/Header header
ackermann_msgs/AckermannDrive drive
===
MSG: ackermann_msgs/AckermannDrive
float32 steering_angle
float32 steering_angle_velocity
float32 speed
float32 acceleration
float32 jerk
===
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
===
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec`,
  // with the header of rmw_cyclonedds
  "std_srvs/Trigger_Request": "uint64 guid\nint64 seq\nuint8 structure_needs_at_least_one_member",
  "std_srvs/Trigger_Response": "uint64 guid\nint64 seq\nbool success\nstring message",
};

const known = new Map(Object.values(ros2jazzy).map((each) => [each.name, each]));

/// A definition with all that it refers to.
function definitions(name) {
  if (OTHERS[name] !== undefined) {
    return parse(OTHERS[name], { ros2: true });
  }
  const all = new Map();
  const add = (each) => {
    const definition = known.get(each) ?? ros2jazzy[each];
    if (definition !== undefined && !all.has(each)) {
      all.set(each, definition);
      definition.definitions.filter((field) => field.isComplex).forEach((field) => add(field.type));
    }
  };
  add(name);
  return [...all.values()];
}

const ddsType = (name, folder = "msg") => name.replace("/", `::${folder}::dds_::`) + "_";
/// Fills a message up to a multiple of four, as RTPS asks for and the library does not, and notes by how much.
function padded(message) {
  const fill = (4 - (message.length % 4)) % 4;
  const out = new Uint8Array(message.length + fill);
  out.set(message);
  out[3] = fill;
  return out;
}

const blocking = { sec: 0, nsec: 120e6 };

export class Client {
  constructor(domain = 0) {
    this.participant = new rtps.Participant({
      name: "client",
      addresses: ["127.0.0.1"],
      domainId: domain,
      udpSocketCreate: UdpSocketNode.Create,
      tuning: { keepAliveMs: 1000 },
    });
    this.errors = [];
    this.publications = new Map();
    this.subscriptions = new Map();
    this.takers = new Map();
    this.participant.on("error", (error) => this.errors.push(error));
    this.participant.on("discoveredPublication", (each) => this.publications.set(each.topicName, each));
    this.participant.on("discoveredSubscription", (each) => this.subscriptions.set(each.topicName, each));
    this.participant.on("userData", (data) => this.takers.get(data.publication.topicName)?.(data));
  }

  async start() {
    await this.participant.start();
  }

  async stop() {
    if (this.participant.running) {
      await this.participant.shutdown();
    }
  }

  /// Calls `take` with the message, its bytes and its sequence number.
  subscribe(topic, type, take, { durability = Durability.Volatile, reliability = Reliability.Reliable, folder = "msg" } = {}) {
    const reader = new MessageReader(definitions(type));
    this.takers.set(topic, (data) =>
      take(reader.readMessage(data.serializedData), data.serializedData, Number(data.writerSeqNumber)),
    );
    this.participant.subscribe({
      topicName: topic,
      typeName: ddsType(type, folder),
      durability,
      reliability: { kind: reliability, maxBlockingTime: blocking },
      history: { kind: HistoryKind.KeepAll, depth: 0 },
    });
  }

  /// A function that publishes a message.
  advertise(topic, type, { reliability = Reliability.Reliable, folder = "msg" } = {}) {
    const p = this.participant;
    const entityId = rtps.makeEntityId(p.nextEndpointId++, rtps.EntityKind.AppdefWriterNoKey);
    const guid = rtps.makeGuid(p.attributes.guidPrefix, entityId);
    const attributes = {
      guidPrefix: p.attributes.guidPrefix,
      entityId,
      topicName: topic,
      typeName: ddsType(type, folder),
      durability: Durability.Volatile,
      reliability: { kind: reliability, maxBlockingTime: blocking },
      history: { kind: HistoryKind.KeepLast, depth: 10 },
      protocolVersion: p.attributes.protocolVersion,
      vendorId: p.attributes.vendorId,
    };
    const writer = new rtps.Writer(attributes);
    p._writers.set(entityId, writer);
    const about = new rtps.Parameters();
    about.topicName(topic);
    about.typeName(attributes.typeName);
    about.durability(attributes.durability);
    about.reliability(attributes.reliability);
    about.history(attributes.history);
    about.protocolVersion(attributes.protocolVersion);
    about.vendorId(attributes.vendorId);
    about.endpointGuid(guid);
    about.adlinkEntityFactory(1);
    about.finish();
    const announcer = p._writers.get(rtps.EntityIdBuiltin.PublicationsWriter);
    const put = (to, data, handle) =>
      to.history.set({
        timestamp: { sec: Math.floor(Date.now() / 1000), nsec: (Date.now() % 1000) * 1e6 },
        kind: rtps.ChangeKind.Alive,
        writerGuid: rtps.makeGuid(p.attributes.guidPrefix, to.attributes.entityId),
        sequenceNumber: to.history.nextSequenceNum(),
        data,
        instanceHandle: handle,
      });
    put(announcer, about.data, guid);
    void p.sendMetatrafficChanges(announcer);
    const messages = new MessageWriter(definitions(type));
    return async (message) => {
      put(writer, padded(messages.writeMessage(message)), undefined);
      for (const other of p._participants.values()) {
        for (const reader of other.remoteReaders.values()) {
          if (reader.attributes.topicName === topic && reader.attributes.typeName === attributes.typeName) {
            await p.sendChangesTo(reader, writer, other.attributes.defaultUnicastLocatorList);
          }
        }
      }
    };
  }

  /// Calls a service std_srvs/Trigger of rmw_cyclonedds, and gives its reply with its bytes. A request that comes before
  /// the node knows of it is lost, as is a reply to a reader that it does not know yet: it is repeated, which changes
  /// nothing for start, pause and reset.
  service(name) {
    const waiting = new Map();
    this.subscribe(
      `rr${name}Reply`,
      "std_srvs/Trigger_Response",
      (reply, bytes) => waiting.get(Number(reply.seq))?.({ ...reply, bytes }),
      { folder: "srv" },
    );
    const send = this.advertise(`rq${name}Request`, "std_srvs/Trigger_Request", { folder: "srv" });
    let seq = 0;
    return async () => {
      seq += 1;
      const reply = new Promise((done) => waiting.set(seq, done));
      const request = { guid: 0x1122334455667788n, seq: BigInt(seq), structure_needs_at_least_one_member: 0 };
      const again = setInterval(() => void send(request), 1000);
      try {
        await send(request);
        return await within(20, reply, `a reply of ${name}`);
      } finally {
        clearInterval(again);
      }
    };
  }
}

export const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/// The promise, or an error after some seconds.
export function within(seconds, promise, what) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no ${what} within ${seconds} s`)), 1000 * seconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export async function until(condition, what, seconds = 10) {
  for (const end = Date.now() + 1000 * seconds; !condition(); ) {
    if (Date.now() > end) {
      throw new Error(`no ${what} within ${seconds} s`);
    }
    await pause(0.01);
  }
}
