// Reads a recording with the reference reader of MCAP and decodes every message by the descriptors in the file.
//
//     node check.mjs whole FILE      indexed and from the front, all checksums, every topic
//     node check.mjs killed FILE     what a killed run left behind
import assert from "node:assert/strict";
import { open, readFile } from "node:fs/promises";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { decompress } from "fzstd";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import foxglove from "@foxglove/schemas/internal.js";

const { foxgloveEnumSchemas, foxgloveMessageSchemas, generateProto } = foxglove;

const decompressHandlers = { zstd: (bytes, size) => decompress(bytes, new Uint8Array(Number(size))) };

function typeOf(schema) {
  assert.equal(schema.encoding, "protobuf");
  const root = protobuf.Root.fromDescriptor(descriptor.FileDescriptorSet.decode(schema.data));
  root.resolveAll();
  return root.lookupType(schema.name);
}

// Fields of a type by full name: name -> number, kind, repeated. Types inside it are added too.
function describe(type, into = new Map()) {
  const name = type.fullName.replace(/^\./, "");
  if (into.has(name)) return into;
  const fields = {};
  into.set(name, fields);
  for (const field of type.fieldsArray) {
    field.resolve();
    const inside = field.resolvedType;
    const kind = inside ? inside.fullName.replace(/^\./, "") : field.type;
    fields[field.name] = `${field.repeated ? "repeated " : ""}${kind} = ${field.id}`;
    if (inside instanceof protobuf.Type) describe(inside, into);
    else if (inside) into.set(kind, { ...inside.values });
  }
  return into;
}

// The same from the definitions that Foxglove publishes.
function published(name) {
  const root = new protobuf.Root();
  root.addJSON(protobuf.common.get("google/protobuf/timestamp.proto").nested);
  root.addJSON(protobuf.common.get("google/protobuf/duration.proto").nested);
  for (const schema of Object.values(foxgloveMessageSchemas)) {
    const enums = Object.values(foxgloveEnumSchemas).filter((e) => e.parentSchemaName === schema.name);
    protobuf.parse(generateProto(schema, enums), root, { keepCase: true });
  }
  root.resolveAll();
  return describe(root.lookupType(name));
}

class Checker {
  types = new Map();
  counts = new Map();
  last = new Map();
  compared = 0;

  schema(schema) {
    if (this.types.has(schema.id)) return;
    const type = typeOf(schema);
    this.types.set(schema.id, type);
    if (schema.name.startsWith("foxglove.")) {
      assert.deepEqual(describe(type), published(schema.name), `${schema.name} is not as published`);
    }
  }

  message(channel, message) {
    const type = this.types.get(channel.schemaId);
    const value = type.decode(message.data);
    assert.equal(type.verify(value), null);
    // Nothing that the descriptors do not know, nothing lost: encoded again, it is as long as it was (but for zeros,
    // which an encoder may leave out, and strings that are empty).
    assert.ok(type.encode(value).finish().length <= message.data.length);
    this.counts.set(channel.topic, (this.counts.get(channel.topic) ?? 0) + 1);
    const object = type.toObject(value, { enums: String, longs: Number, defaults: true });
    this.last.set(channel.topic, object);
    if (channel.topic === "/tf") this.compare(object.transforms[0]);
  }

  // The chassis' frame is where the body's own topic has it at that time.
  compare(chassis) {
    const body = this.last.get("/body");
    const time = chassis.timestamp.seconds + 1e-9 * chassis.timestamp.nanos;
    if (Math.abs(time - body.time_s) > 1e-8) return;
    assert.ok(Math.abs(chassis.translation.x - body.x_m) < 1e-8);
    assert.ok(Math.abs(chassis.rotation.z - body.qz) < 1e-8);
    this.compared += 1;
  }
}

async function readStream(path) {
  const checker = new Checker();
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  reader.append(await readFile(path));
  const channels = new Map();
  let footer = false;
  for (let record; (record = reader.nextRecord()); ) {
    if (record.type === "Schema") checker.schema(record);
    if (record.type === "Channel") channels.set(record.id, record);
    if (record.type === "Message") checker.message(channels.get(record.channelId), record);
    if (record.type === "Footer") footer = true;
  }
  return { checker, footer };
}

async function readIndexed(path) {
  const file = await open(path);
  const size = (await file.stat()).size;
  const readable = {
    size: async () => BigInt(size),
    read: async (offset, length) => {
      const bytes = new Uint8Array(Number(length));
      await file.read(bytes, 0, Number(length), Number(offset));
      return bytes;
    },
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const checker = new Checker();
  for (const schema of reader.schemasById.values()) checker.schema(schema);
  let last = 0n;
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    assert.ok(message.logTime >= last, "messages are out of order");
    last = message.logTime;
    checker.message(reader.channelsById.get(message.channelId), message);
  }
  const metadata = [];
  for await (const record of reader.readMetadata()) metadata.push(record);
  await file.close();
  return { checker, reader, metadata };
}

function total(counts) {
  return [...counts.values()].reduce((a, b) => a + b, 0);
}

async function checkWhole(path) {
  const { checker, reader, metadata } = await readIndexed(path);
  const { counts, last } = checker;
  assert.equal(Number(reader.statistics.messageCount), total(counts));
  assert.equal(reader.statistics.chunkCount, reader.chunkIndexes.length);
  assert.equal(reader.statistics.channelCount, reader.channelsById.size);
  for (const channel of reader.channelsById.values()) {
    assert.equal(Number(reader.statistics.channelMessageCounts.get(channel.id)), counts.get(channel.topic) ?? 0);
  }
  const samples = counts.get("/body");
  assert.ok(samples > 100);
  for (const [topic, count] of counts) {
    if (/^\/(energy|wheels\/|joints)/.test(topic)) assert.equal(count, samples, topic);
  }
  assert.equal(counts.get("/tf"), samples / 2); // ten a second of twenty
  for (const topic of ["/rover", "/rocks", "/path", "/track", "/terrain", "/terrain_surface"]) {
    assert.ok(counts.get(topic) > 0, `no message on ${topic}`);
  }
  const wheels = [...last.keys()].filter((t) => t.startsWith("/wheels/"));
  assert.equal(wheels.length, 6);
  const load = wheels.reduce((sum, t) => sum + last.get(t).load_N, 0);
  assert.ok(load > 500 && load < 6000, `wheels carry ${load} N`);
  for (const t of wheels) {
    assert.match(last.get(t).state, /^SOFT_/);
    assert.ok(["loose, dry", "firm", ""].includes(last.get(t).soil));
  }
  const joints = Object.values(last.get("/joints"));
  assert.ok(joints.length > 10);
  for (const joint of joints) assert.ok(Number.isFinite(joint.angle_deg) && joint.load_force_N >= 0);
  assert.equal(last.get("/tf").transforms[0].parent_frame_id, "world");
  const entities = last.get("/rover").entities;
  const frames = new Set(last.get("/tf").transforms.map((t) => t.child_frame_id));
  for (const entity of entities) assert.ok(frames.has(entity.frame_id), `no frame ${entity.frame_id}`);
  assert.ok(entities.reduce((n, e) => n + e.cylinders.length + e.cubes.length, 0) > 20);
  assert.ok(last.get("/track").entities[0].lines[0].points.length > 10);
  assert.equal(last.get("/rocks").entities.length, 40);
  const grid = last.get("/terrain");
  assert.deepEqual(grid.fields.map((f) => [f.name, f.offset, f.type]), [["elevation", 0, "FLOAT32"]]);
  assert.equal(grid.row_stride, 4 * grid.column_count);
  assert.equal(grid.data.length % grid.row_stride, 0);
  assert.equal(metadata.length, 1);
  assert.match(metadata[0].metadata.get("input"), /<exact & unescaped>/);

  const stream = await readStream(path);
  assert.ok(stream.footer);
  assert.equal(stream.checker.compared, counts.get("/tf"));
  assert.deepEqual([...stream.checker.counts].sort(), [...counts].sort());
  console.log(`${total(counts)} messages on ${counts.size} topics in ${reader.chunkIndexes.length} chunks`);
}

// The run was killed right after its 200th sample, a second after the one before.
async function checkKilled(path) {
  const stream = await readStream(path);
  assert.equal(stream.checker.counts.get("/body"), 200);
  const { checker } = await readIndexed(path);
  assert.deepEqual([...checker.counts].sort(), [...stream.checker.counts].sort());
  console.log(`${total(stream.checker.counts)} messages are left, ${stream.checker.counts.get("/body")} samples`);
}

const [mode, path] = process.argv.slice(2);
await { whole: checkWhole, killed: checkKilled }[mode](path);
