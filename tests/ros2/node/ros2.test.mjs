// grouser ros2 against Foxglove's implementation of RTPS, in a network with loopback alone (tests/ros2/run).
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { Client, Durability, pause, Reliability, until } from "./client.mjs";

const GROUSER = process.env.GROUSER;
const folder = mkdtempSync(join(tmpdir(), "grouser_ros2_"));
const children = new Set(), clients = new Set();
after(async () => {
  children.forEach((child) => child.kill("SIGKILL")); // of tests that failed
  await Promise.all([...clients].map((client) => client.stop()));
  rmSync(folder, { recursive: true });
});

// level ground without ruts, a rover that waits for its driver
writeFileSync(
  join(folder, "plain.yaml"),
  `rover: curiosity_like
soil: ishigami2007
gravity: mars
drive: {speed_mps: 0.05, path: [[100, 0]]}
stop: {time_s: 600}
`,
);

/// Starts a node; `ended` resolves to its exit code and output.
function start(options, env = {}) {
  const child = spawn(GROUSER, ["ros2", ...options], { cwd: folder, env: { ...process.env, ...env } });
  const node = { child, out: "", err: "" };
  children.add(child);
  child.on("exit", () => children.delete(child));
  child.stdout.on("data", (text) => (node.out += text));
  child.stderr.on("data", (text) => (node.err += text));
  node.ended = new Promise((done) => child.on("exit", (code) => done({ code, out: node.out, err: node.err })));
  node.stop = () => {
    child.kill("SIGINT");
    return node.ended;
  };
  return node;
}

async function connected(topics, domain) {
  const client = new Client(domain);
  clients.add(client);
  await client.start();
  await until(() => topics.every((each) => client.publications.has(each) || client.subscriptions.has(each)), topics.join(", "));
  return client;
}

/// Plain CDR by hand, little endian, positions counted from after the encapsulation header.
class Cdr {
  constructor() {
    this.bytes = [];
  }
  put(size, write) {
    while (this.bytes.length % size !== 0) {
      this.bytes.push(0);
    }
    const view = new DataView(new ArrayBuffer(size));
    write(view);
    this.bytes.push(...new Uint8Array(view.buffer));
    return this;
  }
  u8(v) {
    return this.put(1, (d) => d.setUint8(0, v));
  }
  u16(v) {
    return this.put(2, (d) => d.setUint16(0, v, true));
  }
  u32(v) {
    return this.put(4, (d) => d.setUint32(0, v, true));
  }
  u64(v) {
    return this.put(8, (d) => d.setBigUint64(0, BigInt(v), true));
  }
  f32(v) {
    return this.put(4, (d) => d.setFloat32(0, v, true));
  }
  f64(...all) {
    all.forEach((v) => this.put(8, (d) => d.setFloat64(0, v, true)));
    return this;
  }
  text(v) {
    this.u32(v.length + 1);
    this.bytes.push(...new TextEncoder().encode(v), 0);
    return this;
  }
  header(stamp, frame) {
    return this.u32(stamp.sec).u32(stamp.nanosec ?? stamp.nsec).text(frame);
  }
  same(message, what) {
    const found = Buffer.from(message);
    assert.equal(found.subarray(0, 2).toString("hex"), "0001", `${what}: CDR, little endian`);
    // the end is filled up to a multiple of four, and the header says by how much
    const filled = found[3] & 3;
    assert.equal(found.subarray(4, found.length - filled).toString("hex"), Buffer.from(this.bytes).toString("hex"), what);
  }
}

test("messages on level ground, byte by byte", async () => {
  const node = start(["plain.yaml", "--paused", "--domain", "1"]);
  const client = await connected(["rt/clock", "rt/map", "rq/grouser/startRequest"], 1);
  const got = new Map();
  const keep = { durability: Durability.TransientLocal };
  const store = (topic) => (message, bytes) => got.set(topic, [...(got.get(topic) ?? []), { message, bytes }]);
  const count = (topic) => got.get(topic)?.length ?? 0;
  client.subscribe("rt/clock", "rosgraph_msgs/Clock", store("clock"), keep);
  client.subscribe("rt/tf_static", "tf2_msgs/TFMessage", store("tf_static"), keep);
  client.subscribe("rt/robot_description", "std_msgs/String", store("description"), keep);
  client.subscribe("rt/map", "grid_map_msgs/GridMap", store("map"), keep);
  client.subscribe("rt/joint_states", "sensor_msgs/JointState", store("joints"));
  client.subscribe("rt/imu", "sensor_msgs/Imu", store("imu"), { reliability: Reliability.BestEffort });
  client.subscribe("rt/odom", "nav_msgs/Odometry", store("odom"));
  client.subscribe("rt/ground_truth/odom", "nav_msgs/Odometry", store("truth"));
  client.subscribe("rt/tf", "tf2_msgs/TFMessage", store("tf"));
  client.subscribe("rt/diagnostics", "diagnostic_msgs/DiagnosticArray", store("diagnostics"));
  // kept topics reach a client that comes late, before the run starts
  await until(() => ["clock", "tf_static", "description", "map"].every((each) => count(each) > 0), "kept messages");
  new Cdr().u32(0).u32(0).same(got.get("clock")[0].bytes, "/clock at the start");
  const map = new Cdr().header({ sec: 0, nanosec: 0 }, "map").f64(0.1, 16, 16, 0, 0, 0, 0, 0, 0, 1);
  map.u32(1).text("elevation").u32(1).text("elevation").u32(1);
  map.u32(2).text("column_index").u32(160).u32(160 * 160).text("row_index").u32(160).u32(160).u32(0);
  map.u32(160 * 160);
  for (let i = 0; i < 160 * 160; i++) {
    map.f32(0);
  }
  map.u16(0).u16(0).same(got.get("map")[0].bytes, "/map");

  const service = client.service("/grouser/start");
  const pausing = client.service("/grouser/pause");
  await pause(0.3);
  const reply = await service();
  assert.deepEqual([reply.success, reply.message, reply.guid], [true, "running", 0x1122334455667788n]);
  new Cdr().u64(0x1122334455667788n).u64(1).u8(1).text("running").same(reply.bytes, "reply of /grouser/start");
  await until(() => count("clock") > 40, "/clock");
  assert.equal((await pausing()).message, "paused");
  const late = count("clock");
  await pause(0.3);
  assert.equal(count("clock"), late, "no /clock while paused");

  // times are those of the samples, 0.05 s apart
  const clocks = got.get("clock").map(({ message }) => message.clock.sec + 1e-9 * message.clock.nanosec);
  const first = clocks.findIndex((each) => each > 0);
  clocks.slice(first).forEach((each, i) => assert.ok(Math.abs(each - clocks[first] - 0.05 * i) < 2e-9, `clock ${each}`));
  const at = got.get("clock").find(({ message }) => message.clock.nanosec === 50000000 && message.clock.sec === 1);
  new Cdr().u32(1).u32(0x02faf080).same(at.bytes, "/clock at 1.05 s");

  const { message: joints, bytes } = got.get("joints").at(-1);
  const strings = new Cdr().header(joints.header.stamp, "").u32(joints.name.length);
  joints.name.forEach((each) => strings.text(each));
  ["position", "velocity", "effort"].forEach((each) => strings.u32(joints[each].length).f64(...joints[each]));
  strings.same(bytes, "/joint_states");
  const imu = got.get("imu").at(-1);
  const xyz = (v) => [v.x, v.y, v.z];
  const nine = Array(9).fill(0);
  const { orientation: q, angular_velocity: w, linear_acceleration: a } = imu.message;
  new Cdr().header(imu.message.header.stamp, "base_link").f64(...xyz(q), q.w, ...nine, ...xyz(w), ...nine, ...xyz(a), ...nine).same(imu.bytes, "/imu");
  assert.ok(Math.abs(a.z - 3.71) < 0.05, `an IMU at rest on Mars feels ${a.z} m/s²`);

  // frames: map to odom to base_link is the true pose; the estimate drifts on soil
  const transforms = got.get("tf").at(-1).message.transforms;
  const frames = Object.fromEntries(transforms.map((each) => [each.child_frame_id, each]));
  const truth = got.get("truth").at(-1).message, odom = got.get("odom").at(-1).message;
  assert.equal(frames.odom.header.frame_id, "map");
  assert.equal(frames.base_link.header.frame_id, "odom");
  const sum = frames.odom.transform.translation.x + frames.base_link.transform.translation.x;
  assert.ok(Math.abs(sum - truth.pose.pose.position.x) < 1e-3, "map to base_link is the true position");
  assert.equal(odom.pose.pose.position.x, frames.base_link.transform.translation.x);
  assert.ok(truth.pose.pose.position.x > 0.03, "the scenario drives");
  assert.notEqual(odom.pose.pose.position.x, truth.pose.pose.position.x, "wheels slip: odometry drifts");
  const wheels = got.get("diagnostics").at(-1).message.status;
  const slip = wheels.map((each) => Number(each.values.find(({ key }) => key === "slip").value));
  assert.equal(wheels.length, 6);
  assert.ok(slip.every((each) => Math.abs(each) < 1) && slip.some((each) => each !== 0));
  assert.ok(wheels.every((each) => Number(each.values.find(({ key }) => key === "sinkage_m").value) > 0));

  // the description names every frame and every joint
  const urdf = got.get("description")[0].message.data;
  transforms.slice(1).forEach((each) => assert.ok(urdf.includes(`<link name="${each.child_frame_id}"`), each.child_frame_id));
  joints.name.forEach((each) => assert.ok(urdf.includes(`<joint name="${each}"`), each));
  assert.deepEqual(client.errors, []);
  await client.stop();
  assert.equal((await node.stop()).code, 0);
});

// every kind of sensor, with images and clouds of few rays
writeFileSync(
  join(folder, "sensing.yaml"),
  `include: rashid_like
sensors:
  gyros: {kind: imu, at_m: [0, 0, 0.03], rate_Hz: 50, gyro: {noise_deg_s_per_sqrt_Hz: 0.01}, accelerometer: {noise_m_s2_per_sqrt_Hz: 0.001}}
  wheel: {kind: encoder, joint: wheel_front_left, counts: 4096, rate_Hz: 20}
  level: {kind: inclinometer, rate_Hz: 10, noise_deg: 0.1, bias_deg: 0.2}
  sun: {kind: sun_sensor, at_m: [0, 0, 0.5], rotation_deg: [0, -90, 0], half_view_deg: 80, rate_Hz: 5}
  stars: {kind: star_tracker, at_m: [0, 0, 0.5], rotation_deg: [0, -90, 0], rate_Hz: 5, latency_s: 0.2}
  motion: {kind: visual_odometry, rate_Hz: 5, latency_s: 0.1, drift: 0.01, noise_deg: 0.1}
  scanner: {kind: lidar, at_m: [0.08, 0, 0.55], lines: 3, columns: 20, lower_deg: -40, rate_Hz: 5, intensity: 1}
  eye: {kind: camera, at_m: [0.12, 0, 0.47], rotation_deg: [0, 20, 0], width: 8, height: 6, k1: -0.2, rate_Hz: 5, photons: 500}
  dim: {kind: camera, at_m: [0.12, 0, 0.47], width: 4, height: 3, grey: 0, rate_Hz: 5}
`,
);
writeFileSync(join(folder, "sensed.yaml"), readFileSync(join(folder, "plain.yaml"), "utf8").replace("curiosity_like", "sensing.yaml"));

test("sensors: topics, bytes, times of delivery, and the numbers of the recording", async () => {
  const node = start(["sensed.yaml", "--paused", "--domain", "7", "-o", "sensed"]);
  const kinds = {
    gyros: "sensor_msgs/Imu", wheel: "sensor_msgs/JointState", level: "sensor_msgs/Imu", sun: "geometry_msgs/Vector3Stamped",
    stars: "geometry_msgs/QuaternionStamped", motion: "geometry_msgs/TwistWithCovarianceStamped", scanner: "sensor_msgs/PointCloud2",
    "eye/image": "sensor_msgs/Image", "eye/depth": "sensor_msgs/Image", "eye/camera_info": "sensor_msgs/CameraInfo",
    "dim/depth": "sensor_msgs/Image",
  };
  const topics = Object.keys(kinds).map((each) => `rt/sensors/${each}`);
  const client = await connected([...topics, "rt/tf_static", "rt/clock", "rq/grouser/startRequest"], 7);
  assert.ok(!client.publications.has("rt/sensors/dim/image"), "a camera of depth alone has no image");
  const got = new Map(Object.keys(kinds).map((each) => [each, []]));
  let clock = 0, frames = null;
  client.subscribe("rt/clock", "rosgraph_msgs/Clock", (message) => (clock = message.clock.sec + 1e-9 * message.clock.nanosec));
  client.subscribe("rt/tf_static", "tf2_msgs/TFMessage", (message) => (frames = message.transforms), { durability: Durability.TransientLocal });
  for (const [each, type] of Object.entries(kinds)) {
    client.subscribe(`rt/sensors/${each}`, type, (message, bytes) => got.get(each).push({ message, bytes, clock }));
    await pause(0.1); // the client sends what is not yet acknowledged in one packet, which has room for a dozen
  }
  await until(() => frames !== null, "/tf_static");
  const service = client.service("/grouser/start");
  await pause(0.5);
  assert.equal((await service()).message, "running");
  await until(() => clock > 2, "two seconds", 20);
  await client.service("/grouser/pause")();
  await pause(0.3);
  assert.deepEqual(client.errors, []);
  await client.stop();
  assert.equal((await node.stop()).code, 0);
  Object.keys(kinds).forEach((each) => assert.ok(got.get(each).length >= 8, `${each}: ${got.get(each).length} messages`));

  // where they are mounted: an encoder has no frame, a camera has one with the axes of optics
  const children = Object.fromEntries(frames.map((each) => [each.child_frame_id, each]));
  assert.ok(["gyros", "level", "sun", "stars", "motion", "scanner", "eye", "eye_optical"].every((each) => each in children));
  assert.ok(!("wheel" in children));
  const eye = children.eye_optical;
  assert.deepEqual([eye.header.frame_id, eye.transform.rotation], ["eye", { x: -0.5, y: 0.5, z: -0.5, w: 0.5 }]);

  // numbers: those of the recording, at the times of their headers
  const time = ({ message }) => message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec;
  const rows = (name) => readFileSync(join(folder, "sensed", "sensors", `${name}.csv`), "utf8").trim().split("\n").slice(1).map((row) => row.split(",").map(Number));
  const row = (name, each) => rows(name).find((values) => Math.abs(values[0] - time(each)) < 1e-8).slice(2);
  const xyz = (v) => [v.x, v.y, v.z];
  const near = (a, b, what) => a.forEach((each, i) => assert.ok(Math.abs(each - b[i]) <= 1e-8 * Math.max(1, Math.abs(b[i])), `${what}: ${a} for ${b}`));
  const nine = (v) => [v, 0, 0, 0, v, 0, 0, 0, v];
  const unknown = [-1, 0, 0, 0, 0, 0, 0, 0, 0];
  const last = (name) => got.get(name).at(-1);

  const imu = last("gyros");
  const { angular_velocity: w, linear_acceleration: a } = imu.message;
  near([...xyz(w), ...xyz(a)], row("gyros", imu), "imu");
  const gyro = ((0.01 * Math.PI) / 180) ** 2 * 50, force = 0.001 ** 2 * 50;
  near(imu.message.angular_velocity_covariance, nine(gyro), "variance of the gyros");
  const [g, f] = [imu.message.angular_velocity_covariance[0], imu.message.linear_acceleration_covariance[0]];
  near([f], [force], "variance of the accelerometers");
  new Cdr().header(imu.message.header.stamp, "gyros").f64(0, 0, 0, 1, ...unknown, ...xyz(w), ...nine(g), ...xyz(a), ...nine(f)).same(imu.bytes, "imu");

  const wheel = last("wheel");
  near([wheel.message.position[0], wheel.message.velocity[0]], row("wheel", wheel).slice(1), "encoder");
  new Cdr().header(wheel.message.header.stamp, "").u32(1).text("wheel_front_left").u32(1).f64(wheel.message.position[0])
    .u32(1).f64(wheel.message.velocity[0]).u32(0).same(wheel.bytes, "encoder");

  const level = last("level").message.orientation, [roll, pitch] = row("level", last("level"));
  near([level.w, ...xyz(level)], [Math.cos(roll / 2) * Math.cos(pitch / 2), Math.sin(roll / 2) * Math.cos(pitch / 2),
    Math.cos(roll / 2) * Math.sin(pitch / 2), -Math.sin(roll / 2) * Math.sin(pitch / 2)], "inclinometer");
  assert.equal(last("level").message.angular_velocity_covariance[0], -1);

  const sun = last("sun");
  near(xyz(sun.message.vector), row("sun", sun), "sun");
  new Cdr().header(sun.message.header.stamp, "sun").f64(...xyz(sun.message.vector)).same(sun.bytes, "sun sensor");
  const stars = last("stars"), q = stars.message.quaternion;
  near([q.w, ...xyz(q)], row("stars", stars), "stars");
  new Cdr().header(stars.message.header.stamp, "map").f64(...xyz(q), q.w).same(stars.bytes, "star tracker");
  const motion = last("motion"), twist = motion.message.twist.twist;
  near([...xyz(twist.linear), ...xyz(twist.angular)].map((each) => each / 5), row("motion", motion), "motion");
  new Cdr().header(motion.message.header.stamp, "motion").f64(...xyz(twist.linear), ...xyz(twist.angular), ...motion.message.twist.covariance)
    .same(motion.bytes, "visual odometry");

  // latency: what was measured at t is there after t + latency, and not before
  for (const [name, latency] of [["stars", 0.2], ["motion", 0.1], ["gyros", 0]]) {
    const delays = got.get(name).slice(2).map((each) => each.clock - time(each));
    assert.ok(delays.every((each) => each > latency - 0.051 && each < latency + 0.051), `${name} is late by ${delays}`);
  }

  // clouds and images, against the files of the recording
  const scan = last("scanner"), cloud = scan.message;
  const number = Math.round(time(scan) * 5);
  const ply = readFileSync(join(folder, "sensed", "sensors", `scanner_${String(number).padStart(6, "0")}.ply`));
  const points = ply.subarray(ply.indexOf("end_header\n") + 11);
  assert.deepEqual(Buffer.from(cloud.data), points);
  const expected = new Cdr().header(cloud.header.stamp, "scanner").u32(1).u32(points.length / 16).u32(4);
  ["x", "y", "z", "intensity"].forEach((each, i) => expected.text(each).u32(4 * i).u8(7).u32(1));
  expected.u8(0).u32(16).u32(points.length).u32(points.length);
  points.forEach((each) => expected.u8(each));
  expected.u8(1).same(scan.bytes, "PointCloud2");

  const image = last("eye/image"), depth = last("eye/depth"), info = last("eye/camera_info").message;
  const grey = new Cdr().header(image.message.header.stamp, "eye_optical").u32(6).u32(8).text("mono8").u8(0).u32(8).u32(48);
  image.message.data.forEach((each) => grey.u8(each));
  grey.same(image.bytes, "mono8");
  assert.ok(new Set(image.message.data).size > 3, "an image of more than one grey");
  assert.deepEqual([depth.message.encoding, depth.message.step, depth.message.data.length], ["32FC1", 32, 192]);
  const metres = new Float32Array(new Uint8Array(depth.message.data).buffer);
  const [, , nearest, mean] = row("eye", depth).slice(0);
  const seen = [...metres].filter((each) => !Number.isNaN(each));
  near([Math.min(...seen), seen.reduce((x, y) => x + y) / seen.length], [nearest, mean], "depth");
  const focal = 4 / Math.tan(Math.PI / 6);
  near(info.k ?? info.K, [focal, 0, 3.5, 0, focal, 2.5, 0, 0, 1], "camera matrix");
  assert.deepEqual([info.distortion_model, [...(info.d ?? info.D)]], ["plumb_bob", [-0.2, 0, 0, 0, 0]]);
  assert.equal(info.header.frame_id, "eye_optical");
});

test("a drive by /cmd_vel is repeated bit for bit", async () => {
  const node = start(["plain.yaml", "--domain", "3", "--speed", "4", "--json", "-o", "driven"]);
  const client = await connected(["rt/cmd_vel", "rt/ground_truth/odom"], 3);
  let pose;
  client.subscribe("rt/ground_truth/odom", "nav_msgs/Odometry", (message) => (pose = message.pose.pose));
  const drive = client.advertise("rt/cmd_vel", "geometry_msgs/Twist");
  const stamped = client.advertise("rt/cmd_vel", "geometry_msgs/TwistStamped"); // from Kilted on, drivers send these
  const steer = client.advertise("rt/ackermann_cmd", "ackermann_msgs/AckermannDriveStamped");
  await pause(0.5);
  const twist = (x, z) => ({ linear: { x, y: 0, z: 0 }, angular: { x: 0, y: 0, z } });
  for (let i = 0; i < 15; i++) {
    await drive(twist(0.1, 0.05 + 0.001 * i));
    await pause(0.1);
  }
  await until(() => pose !== undefined && pose.orientation.z > 0.05, "turn to the left");
  for (let i = 0; i < 5; i++) {
    await stamped({ header: { stamp: { sec: 0, nanosec: 0 }, frame_id: "base_link" }, twist: twist(0.07, 0.031) });
    await pause(0.1);
  }
  for (let i = 0; i < 10; i++) {
    const ackermann = { steering_angle: -0.3, steering_angle_velocity: 0, speed: 0.1, acceleration: 0, jerk: 0 };
    await steer({ header: { stamp: { sec: 0, nanosec: 0 }, frame_id: "" }, drive: ackermann });
    await pause(0.1);
  }
  await pause(2); // nobody drives: the rover stops
  assert.match(node.err, /no command for 1\.5 s: the rover stops/);
  const { code, out, err } = await node.stop();
  assert.equal(code, 0, err);
  const live = JSON.parse(out);
  assert.ok(live.commands >= 20, `${live.commands} commands`);
  assert.match(err, /wrote the drive as plain_driven.yaml/);
  const sheet = readFileSync(join(folder, "plain_driven.yaml"), "utf8");
  assert.match(sheet, /speed_mps: 0\.1, yaw_rate_dps: 2\.864789/);
  assert.match(sheet, /speed_mps: 0\.07, yaw_rate_dps: 1\.776169/);
  assert.match(sheet, /speed_mps: 0\.1, curvature_per_m: -0\.\d+/);
  const again = JSON.parse(execFileSync(GROUSER, ["run", "plain_driven.yaml", "-o", "again", "--json"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }));
  assert.equal(again.state_hash, live.state_hash);
  assert.equal(again.time_s, live.time_s);
  // the whole track, not only its end
  assert.equal(readFileSync(join(folder, "again/run.csv"), "utf8"), readFileSync(join(folder, "driven/run.csv"), "utf8"));
  await client.stop();
});

test("joint states at 200 Hz arrive without loss", async () => {
  const node = start(["plain.yaml", "--rate", "200", "--paused", "--domain", "4", "--json"]);
  const client = await connected(["rt/joint_states", "rq/grouser/startRequest"], 4);
  const seen = [];
  client.subscribe("rt/joint_states", "sensor_msgs/JointState", ({ header }, _, number) =>
    seen.push([number, header.stamp.sec + 1e-9 * header.stamp.nanosec]),
  );
  const begin = client.service("/grouser/start");
  await pause(0.5);
  await begin();
  await until(() => seen.length >= 2000, "2000 joint states", 30);
  const { out } = await node.stop();
  const numbers = seen.map(([number]) => number);
  assert.deepEqual(numbers, numbers.map((_, i) => numbers[0] + i), "numbers without gap, in order");
  seen.forEach(([, time], i) => assert.ok(Math.abs(time - seen[0][1] - i / 200) < 1e-6, `time ${time}`));
  assert.equal(JSON.parse(out).dropped, 0);
  await client.stop();
});

test("reset, and back to the scenario", async () => {
  const node = start(["plain.yaml", "--speed", "10", "--domain", "5"]);
  const client = await connected(["rt/clock", "rq/grouser/resetRequest"], 5);
  let time = -1, back = 0;
  client.subscribe("rt/clock", "rosgraph_msgs/Clock", ({ clock }) => {
    const now = clock.sec + 1e-9 * clock.nanosec;
    back += now < time;
    time = now;
  });
  const [reset, release, drive] = [client.service("/grouser/reset"), client.service("/grouser/auto"), client.advertise("rt/cmd_vel", "geometry_msgs/Twist")];
  await until(() => time > 1, "/clock");
  await drive({ linear: { x: 0, y: 0, z: 1 }, angular: { x: 0, y: 0, z: 0.1 } });
  await drive({ linear: { x: 0 / 0, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } });
  await until(() => node.err.includes("/cmd_vel linear.x: found nan"), "message about NaN");
  assert.match(node.err, /linear\.z, angular\.x and angular\.y have no effect/);
  assert.deepEqual([(await release()).success, (await reset()).message], [true, "at the start"]);
  await until(() => back === 1, "time that starts again");
  await client.stop();
  const { code, err } = await node.stop();
  assert.equal(code, 0, err);
});

test("an endpoint that does not match is named", async () => {
  const node = start(["plain.yaml", "--domain", "6"]);
  const client = await connected(["rt/imu", "rt/cmd_vel"], 6);
  client.subscribe("rt/imu", "sensor_msgs/Imu", () => {}, { durability: Durability.TransientLocal });
  client.advertise("rt/cmd_vel", "geometry_msgs/Twist", { reliability: Reliability.BestEffort });
  await until(() => /subscriber of \/imu does not match.*durability: this node is volatile/.test(node.err), "message about /imu");
  await until(() => /publisher to \/cmd_vel does not match.*reliability: this node is reliable/.test(node.err), "message about /cmd_vel");
  await client.stop();
  await node.stop();
});

test("bad domains and networks", async () => {
  const fails = async (options, env, text) => {
    const { code, err } = await start(["plain.yaml", "--seconds", "5", ...options], env).ended;
    assert.equal(code, 2, err);
    assert.match(err, text);
  };
  await fails(["--domain", "233"], {}, /--domain: found 233, allowed: 0 to 232/);
  await fails([], { ROS_DOMAIN_ID: "seven" }, /ROS_DOMAIN_ID: found seven/);
  await fails(["--interface", "eth7"], {}, /interface eth7 does not exist; .* lo/);
  await fails(["--interface", "auto"], { ROS_LOCALHOST_ONLY: "1" }, /contradicts ROS_LOCALHOST_ONLY/);
  await fails([], { ROS_AUTOMATIC_DISCOVERY_RANGE: "OFF" }, /no other node could be found/);
  execFileSync("ip", ["link", "set", "lo", "down"]);
  try {
    await fails([], {}, /interface lo is down or has no IPv4 address; .* none/);
  } finally {
    execFileSync("ip", ["link", "set", "lo", "up"]);
    execFileSync("ip", ["route", "replace", "239.255.0.0/16", "dev", "lo"]);
  }
  const node = start(["plain.yaml", "--seconds", "8"], { ROS_DOMAIN_ID: "9" });
  const client = await connected(["rt/clock"], 9);
  await client.stop();
  assert.equal((await node.stop()).code, 0);
});
