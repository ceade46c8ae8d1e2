// Foxglove's protocol against the client that Foxglove publishes (@foxglove/ws-protocol, which is also Lichtblick's),
// under both of its names: live runs, drives, parameters, services. GROUSER names the binary.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporary, viewer } from "./support.mjs";

const modules = resolve(process.env.GROUSER_NODE_MODULES ?? join(viewer, "node_modules"));
const require = createRequire(join(modules, "resolve.js"));
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { McapIndexedReader } = require("@mcap/core");
const { decompress } = require("fzstd");
const protobuf = require("protobufjs");
const descriptor = require("protobufjs/ext/descriptor");
const { WebSocket } = require("ws");

const grouser = process.env.GROUSER;
const skip = grouser ? false : "GROUSER is not set";
const NAMES = ["foxglove.websocket.v1", "foxglove.sdk.v1"];
const PATIENCE = 20000; // [ms]
const layout = resolve(dirname(fileURLToPath(import.meta.url)), "../../data/layouts/foxglove.json");

const started = [];
after(() => started.forEach((child) => child.kill("SIGKILL")));

/** Starts grouser view in a folder of its own; resolves to its process, port and folder. */
let folders = 0;
function view(...args) {
  const cwd = temporary(`view_${folders++}`);
  mkdirSync(cwd);
  const child = spawn(grouser, ["view", ...args, "--no-browser", "--port", "0", "--seconds", "60"], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let errors = "";
  child.stderr.on("data", (text) => (errors += text));
  child.ended = new Promise((done) => child.on("exit", (code) => done({ code, errors, output: child.output })));
  return new Promise((done, fail) => {
    child.output = "";
    child.stdout.on("data", (text) => {
      child.output += text;
      const port = /^http:\/\/127\.0\.0\.1:(\d+)\//.exec(child.output)?.[1];
      if (port) done({ child, port: Number(port), cwd });
    });
    child.on("exit", (code) => fail(new Error(`grouser view ended with ${code}: ${errors}`)));
  });
}

/** A client that remembers what it was told. */
class Client {
  channels = new Map(); // by id
  services = new Map(); // ids by name
  messages = []; // {topic, time, data}
  times = [];
  statuses = [];
  errors = [];
  #topics = new Map(); // by subscription
  #waiting = [];
  #calls = 0;
  #answers = new Map();

  constructor(port, name, options = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}`, [name].flat(), options);
    const client = (this.client = new FoxgloveClient({ ws: this.socket }));
    this.closed = new Promise((done) => client.on("close", (event) => { this.isClosed = true; done(event); }));
    client.on("error", (error) => this.#note(() => this.errors.push(error)));
    client.on("serverInfo", (info) => this.#note(() => (this.info = info)));
    client.on("status", (status) => this.#note(() => this.statuses.push(status)));
    client.on("advertise", (channels) => this.#note(() => channels.forEach((c) => this.channels.set(c.id, c))));
    client.on("unadvertise", (ids) => this.#note(() => ids.forEach((id) => this.channels.delete(id))));
    client.on("advertiseServices", (services) => this.#note(() => services.forEach((s) => this.services.set(s.name, s.id))));
    client.on("time", ({ timestamp }) => this.#note(() => this.times.push(Number(timestamp) / 1e9)));
    client.on("parameterValues", (values) => this.#note(() => { this.values = values; this.#answers.set(values.id, values); }));
    client.on("serviceCallResponse", (r) => this.#note(() => this.#answers.set(r.callId, { ok: true, data: JSON.parse(new TextDecoder().decode(r.data)) })));
    client.on("serviceCallFailure", (r) => this.#note(() => this.#answers.set(r.callId, { ok: false, message: r.message })));
    client.on("message", ({ subscriptionId, timestamp, data }) => this.#note(() => {
      const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      this.messages.push({ topic: this.#topics.get(subscriptionId), time: timestamp, data: Buffer.from(bytes) });
    }));
  }

  #note(change) {
    change();
    this.#waiting = this.#waiting.filter((check) => !check());
  }

  /** Waits until something is true. */
  until(what, condition, patience = PATIENCE) {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`waited in vain for ${what}; statuses: ${JSON.stringify(this.statuses)}`)), patience);
      const check = () => {
        const value = condition();
        if (value) { clearTimeout(timer); done(value); }
        return Boolean(value);
      };
      if (!check()) this.#waiting.push(check);
    });
  }

  async ready() {
    await this.until("the channels and services", () => this.info && this.channels.size > 0 && this.services.size > 0);
    return this;
  }

  subscribe(...topics) {
    for (const channel of this.channels.values())
      if (topics.length === 0 || topics.includes(channel.topic)) this.#topics.set(this.client.subscribe(channel.id), channel.topic);
  }

  async call(name, id = this.services.get(name)) {
    const callId = ++this.#calls;
    this.client.sendServiceCallRequest({ serviceId: id, callId, encoding: "json", data: new TextEncoder().encode("{}") });
    return this.until(`the answer of ${name}`, () => this.#answers.get(callId));
  }

  async set(values) {
    const id = `set ${++this.#calls}`;
    this.client.setParameters(Object.entries(values).map(([name, value]) => ({ name, value })), id);
    return this.until("the new parameters", () => this.#answers.get(id));
  }

  type(topic) {
    const channel = [...this.channels.values()].find((c) => c.topic === topic);
    assert.equal(channel.encoding, "protobuf");
    const root = protobuf.Root.fromDescriptor(descriptor.FileDescriptorSet.decode(Buffer.from(channel.schema, "base64")));
    return root.lookupType(channel.schemaName);
  }

  /** The last message of a topic, decoded. */
  last(topic) {
    const message = this.messages.findLast((m) => m.topic === topic);
    return message && this.type(topic).toObject(this.type(topic).decode(message.data), { longs: Number, defaults: true });
  }

  close() {
    this.client.close();
    return this.closed;
  }
}

/** All messages of a recording: "topic time" -> bytes. */
async function recording(path) {
  const file = await open(path);
  const readable = {
    size: async () => BigInt((await file.stat()).size),
    read: async (offset, size) => {
      const out = Buffer.alloc(Number(size));
      await file.read(out, 0, Number(size), Number(offset));
      return out;
    },
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: { zstd: (bytes, size) => decompress(bytes, new Uint8Array(Number(size))) } });
  const found = new Map();
  for await (const message of reader.readMessages()) found.set(`${reader.channelsById.get(message.channelId).topic} ${message.logTime}`, Buffer.from(message.data));
  await file.close();
  return found;
}

const CROSSING = ["crossing", "--set", "terrain.cell_m=0.6"];

test("both names: every channel arrives, decodes, and has the bytes of the recording", { skip }, async () => {
  const { child, port, cwd } = await view(...CROSSING, "--set", "stop.time_s=4", "--speed", "0.5", "-o", "out", "--once");
  const clients = await Promise.all(NAMES.map((name) => new Client(port, name).ready()));
  clients.forEach((client) => client.subscribe());
  const { code, errors } = await child.ended;
  assert.equal(code, 0, errors);
  await Promise.all(clients.map((client) => client.closed));
  const recorded = await recording(join(cwd, "out/run.mcap"));
  const topics = new Set([...recorded.keys()].map((key) => key.split(" ")[0]));
  const end = Math.max(...[...recorded.keys()].map((key) => Number(key.split(" ")[1])));
  clients.forEach((client, i) => {
    assert.equal(client.socket.protocol, NAMES[i]);
    assert.deepEqual(client.errors, []);
    assert.deepEqual(client.statuses, []);
    for (const capability of ["time", "parameters", "parametersSubscribe", "services", "clientPublish"]) assert.ok(client.info.capabilities.includes(capability), capability);
    assert.deepEqual(client.info.supportedEncodings, ["json"]);
    assert.deepEqual(new Set(client.messages.map((m) => m.topic)), topics);
    for (const channel of client.channels.values()) {
      const type = client.type(channel.topic); // of channels without messages too
      const message = client.messages.find((m) => m.topic === channel.topic);
      if (message) assert.equal(type.verify(type.decode(message.data)), null, channel.topic);
    }
    // The frames of the last moment are sent as they are, the recording has them every tenth of a second.
    for (const { topic, time, data } of client.messages)
      if (topic !== "/tf" || Number(time) < end) assert.ok(recorded.get(`${topic} ${time}`)?.equals(data), `${topic} at ${time}`);
    assert.ok(client.messages.filter((m) => m.topic === "/body").length > 10);
    assert.ok(client.times.every((time, k) => k === 0 || time > client.times[k - 1]), "time runs forwards");
  });
});

for (const name of NAMES)
  test(`${name}: pause holds, step steps, reset returns to the start`, { skip }, async () => {
    const { child, port } = await view(...CROSSING);
    const client = await new Client(port, name).ready();
    client.subscribe("/body");
    await client.until("some time", () => client.times.at(-1) > 0.5);
    assert.deepEqual(await client.call("/pause"), { ok: true, data: { success: true, message: "" } });
    const held = client.times.at(-1);
    await new Promise((done) => setTimeout(done, 500));
    assert.equal(client.times.at(-1), held);
    // Who comes while it is paused sees the same moment.
    const late = await new Client(port, NAMES).ready();
    late.subscribe("/rover", "/body", "/tf");
    await late.until("all that was subscribed", () => ["/rover", "/body", "/tf"].every((topic) => late.messages.some((m) => m.topic === topic)));
    assert.equal(late.times.at(-1), held);
    assert.ok(Math.abs(Number(late.messages.find((m) => m.topic === "/body").time) / 1e9 - held) < 1e-9);
    await late.close();
    assert.ok((await client.call("/step")).ok);
    await client.until("one step", () => client.times.at(-1) > held);
    const stepped = client.times.at(-1);
    assert.ok(stepped - held < 0.2, `a step of ${stepped - held} s`);
    assert.ok((await client.call("/play")).ok);
    await client.until("more time", () => client.times.at(-1) > stepped + 0.3);
    const before = client.times.length;
    assert.ok((await client.call("/reset")).ok);
    await client.until("time 0", () => client.times.slice(before).some((time) => time < 0.2));
    assert.deepEqual(client.errors, []);
    child.kill("SIGINT");
    assert.equal((await child.ended).code, 0);
  });

test("/cmd_vel drives the rover, it stops when messages stop, and the drive repeats with the same bits", { skip }, async () => {
  const { child, port, cwd } = await view(...CROSSING);
  const client = await new Client(port, NAMES[0]).ready();
  client.subscribe();
  const wheel = [...client.channels.values()].map((c) => c.topic).find((topic) => topic.startsWith("/wheels/"));
  const channel = client.client.advertise({ topic: "/cmd_vel", encoding: "json", schemaName: "geometry_msgs/Twist" });
  const send = (x, yaw) => client.client.sendMessage(channel, new TextEncoder().encode(JSON.stringify({ linear: { x, y: 0, z: 0 }, angular: { x: 0, y: 0, z: yaw } })));
  // Backwards, which the scenario's path never does.
  send(-0.1, 0);
  const timer = setInterval(() => send(-0.1, 0), 200);
  await client.until("wheels that turn backwards", () => client.last(wheel)?.speed_rad_per_s < -0.1);
  clearInterval(timer);
  await client.until("wheels that stand", () => Math.abs(client.last(wheel).speed_rad_per_s) < 0.02);
  send(1e6, 0); // too fast
  await client.until("a refusal", () => client.statuses.some((s) => s.level === 2 && /velocities/.test(s.message)));
  child.kill("SIGINT");
  const { code, errors } = await child.ended;
  assert.equal(code, 0);
  assert.match(errors, /wrote the drive as crossing_driven\.yaml/);
  const hash = /^state_hash (\w+)$/m.exec(child.output)[1];
  execFileSync(grouser, ["run", "crossing_driven.yaml", "-o", "again"], { cwd, stdio: "pipe", timeout: 60000 });
  assert.equal(JSON.parse(readFileSync(join(cwd, "again/summary.json"), "utf8")).state_hash, hash);
});

test("parameters: gravity changes by a reset, speed at once, refused values stay as they were", { skip }, async () => {
  const { child, port } = await view(...CROSSING);
  const client = await new Client(port, NAMES[1]).ready();
  const other = await new Client(port, NAMES[0]).ready();
  other.client.subscribeParameterUpdates([]);
  client.client.getParameters([], "all");
  const all = await client.until("all parameters", () => client.values?.id === "all" && client.values);
  const value = (values, name) => values.parameters.find((p) => p.name === name)?.value;
  assert.equal(value(all, "speed"), 1);
  const gravity = all.parameters.find((p) => /^gravity(\.body)?$/.test(p.name)).name;
  assert.notEqual(value(all, gravity), "moon");
  await client.until("some time", () => client.times.at(-1) > 0.3);
  const before = client.times.length;
  assert.equal(value(await client.set({ [gravity]: "moon" }), gravity), "moon");
  assert.ok(client.times.slice(before).some((time) => time < 0.3), "it has started again");
  await other.until("the update", () => other.values && value(other.values, gravity) === "moon");
  assert.equal(value(await client.set({ speed: 5 }), "speed"), 5);
  assert.equal(value(await client.set({ [gravity]: "nowhere" }), gravity), "moon");
  assert.match(client.statuses.at(-1).message, /none of the choices/);
  assert.equal(value(await client.set({ no_such: 1 }), "no_such"), undefined);
  assert.match(client.statuses.at(-1).message, /not a value of the panel/);
  child.kill("SIGINT");
  assert.equal((await child.ended).code, 0);
});

test("fifty clients, ten of which never read, leave the state as grouser run has it", { skip }, async () => {
  const values = [...CROSSING, "--set", "stop.time_s=20"];
  const { child, port, cwd } = await view(...values, "--speed", "4", "--once");
  const first = await new Client(port, NAMES[0]).ready();
  await first.call("/pause"); // until all are there
  const clients = await Promise.all(Array.from({ length: 50 }, (_, i) => new Client(port, NAMES[i % 2]).ready()));
  clients.forEach((client, i) => {
    client.subscribe();
    if (i < 10) client.socket.pause();
  });
  await first.call("/play");
  const { code, errors } = await child.ended;
  assert.equal(code, 0, errors);
  execFileSync(grouser, ["run", ...values, "-o", "plain"], { cwd, stdio: "pipe", timeout: 60000 });
  assert.equal(/^state_hash (\w+)$/m.exec(child.output)[1], JSON.parse(readFileSync(join(cwd, "plain/summary.json"), "utf8")).state_hash);
  for (const client of clients.slice(10)) assert.ok(client.messages.length > 100);
  clients.forEach((client) => client.socket.terminate());
});

test("what makes no sense is answered, and the connection goes on", { skip }, async () => {
  const { child, port } = await view(...CROSSING);
  const client = await new Client(port, NAMES[0]).ready();
  const bad = ["", "no JSON", "[]", "{}", '{"op":"subscribe"}', '{"op":"fly"}', '{"op":"subscribe","subscriptions":[{"id":1,"channelId":100000}]}', '{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}',
    '{"op":"advertise","channels":[{"id":1,"topic":"/cmd_vel","encoding":"cdr","schemaName":"x"}]}', '{"op":"advertise","channels":[{"id":1,"topic":"/other","encoding":"json","schemaName":"x"}]}',
    '{"op":"setParameters","parameters":[{"name":"speed","value":-3}]}', '{"op":"setParameters","parameters":[{"name":"speed","value":true}]}', '{"op":"fetchAsset","uri":"file:///etc/passwd","requestId":1}'];
  const binary = [[], [0], [9, 1, 2, 3], [1, 0], [2, 1, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255], [3, 0, 0, 0]];
  for (const message of [...bad, ...binary.map((bytes) => Uint8Array.from(bytes))]) {
    const count = client.statuses.length;
    client.socket.send(message);
    await client.until(`an answer to ${message}`, () => client.statuses.length > count);
    assert.equal(client.statuses.at(-1).level, 2);
  }
  const missing = await client.call("no service", 99);
  assert.equal(missing.ok, false);
  assert.match(missing.message, /no service/);
  assert.equal(client.isClosed, undefined);
  client.subscribe("/body");
  await client.until("a message", () => client.messages.length > 0);
  child.kill("SIGINT");
  assert.equal((await child.ended).code, 0);
});

test("a recorded run refers to its run.mcap, and its page is served", { skip }, async () => {
  const run = temporary("recorded.run");
  execFileSync(grouser, ["run", ...CROSSING, "--set", "stop.time_s=1", "-o", run], { stdio: "pipe", timeout: 60000 });
  const { child, port } = await view(run);
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200);
  for (const name of NAMES) {
    const answer = await new Promise((done) => new WebSocket(`ws://127.0.0.1:${port}`, [name]).on("unexpected-response", (_, response) => done(response)).on("error", () => {}));
    assert.equal(answer.statusCode, 404);
    assert.match((await answer.toArray()).join(""), /run\.mcap/);
  }
  child.kill("SIGINT");
  assert.equal((await child.ended).code, 0);
});

test("the layout names topics and fields that a run has", { skip }, async () => {
  const text = JSON.parse(readFileSync(layout, "utf8"));
  const { child, port } = await view(...CROSSING);
  const client = await new Client(port, NAMES[1]).ready();
  const topics = ["/ruts", ...[...client.channels.values()].map((c) => c.topic)]; // not every law makes ruts
  const panels = Object.entries(text.configById);
  const leaves = (node) => (typeof node === "string" ? [node] : [...leaves(node.first), ...leaves(node.second)]);
  assert.deepEqual(new Set(leaves(text.layout)), new Set(panels.map(([id]) => id)), "every panel is shown once");
  for (const kind of ["3D", "Plot", "Teleop", "CallService", "Parameters"]) assert.ok(panels.some(([id]) => id.startsWith(`${kind}!`)), kind);
  for (const [id, panel] of panels) {
    if (id.startsWith("3D!")) for (const topic of Object.keys(panel.topics)) assert.ok(topics.includes(topic), topic);
    for (const { value } of panel.paths ?? []) {
      const [, topic, field] = /^([^.]+)\.(\w+)$/.exec(value);
      assert.ok(client.type(topic).fields[field], value);
    }
    if (id.startsWith("CallService!")) assert.match(panel.serviceName, /^\/(pause|play|reset)$/);
  }
  child.kill("SIGINT");
  assert.equal((await child.ended).code, 0);
});

test("foreign pages and unknown names are refused, allowed origins are not", { skip }, async () => {
  const { child, port } = await view(...CROSSING, "--origin", "https://app.foxglove.dev");
  const refused = (name, options) => new Promise((done) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, [name], options);
    socket.on("open", () => done(false));
    socket.on("error", () => done(true));
  });
  for (const name of NAMES) {
    assert.ok(await refused(name, { origin: "https://evil.example" }));
    assert.ok(await refused(name, { origin: "null" }));
    assert.ok(await refused(name, { origin: "file://" }));
    assert.ok(await refused(name, { headers: { Host: "evil.example" } }));
    await (await new Client(port, name, { origin: "https://app.foxglove.dev" }).ready()).close();
  }
  assert.ok(await refused("foxglove.websocket.v9", {}));
  child.kill("SIGINT");
  assert.equal((await child.ended).code, 0);
});
