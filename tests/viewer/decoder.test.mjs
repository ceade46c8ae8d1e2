// The decoder against an independent encoder, and against damaged input: it must never throw past readReplay, hang, or take
// memory that the input does not pay for.

import assert from "node:assert/strict";
import test from "node:test";
import { importSource } from "./support.mjs";
import * as w from "./writer.mjs";
import { heightAt, kinematics, makeRun, RUT_DEPTH } from "./synthetic.mjs";

const stream = await importSource("stream.ts");
const { Run } = await importSource("run.ts");

const made = makeRun({ nodes: 65, duration: 12 });

async function read(bytes) {
  let run = null;
  const report = await stream.readReplay(new Uint8Array(bytes), (chunk) => {
    if (chunk.type === "HEAD") run = Run.fromHead(chunk, "test");
    else run?.feed(chunk);
  });
  return { run, report };
}

test("every column comes back to half its quantum", async () => {
  const { run, report } = await read(made.bytes);
  assert.deepEqual(report.errors, []);
  assert.equal(report.truncated, false);
  assert.equal(run.columns.length, made.rows.length);
  made.head.columns.forEach((def, c) => {
    const tolerance = (def.kind !== "number" ? 0 : def.group === "time" ? 1e-3 : 1e-5) * 0.51 + 1e-6; // half a quantum, and float32
    made.rows.forEach((row, k) => {
      const v = run.columns.get(c, k);
      if (Number.isNaN(row[c])) assert.ok(Number.isNaN(v), `${def.name} at ${k} should be missing`);
      else assert.ok(Math.abs(v - row[c]) <= tolerance + 1e-7 * Math.abs(row[c]), `${def.name} at ${k}: ${v} instead of ${row[c]}`);
    });
  });
});

test("differences of every order and long numbers", async () => {
  const values = [0, 5, -7, 1e6, -123456789, 4e12, 3, 3];
  for (const order of [0, 1, 2]) {
    const chunk = w.data([{ quantum: 0.5, order, values }]);
    const back = stream.decodeData((await stream.readMessage(new Uint8Array(chunk))).data, 1);
    assert.deepEqual([...back.columns[0]], values, `order ${order}`);
  }
  const plain = (await stream.readMessage(new Uint8Array(w.data([{ quantum: 0.5, order: 1, values }])))).data;
  for (let cut = 15; cut < plain.length; cut++) assert.throws(() => stream.decodeData(plain.subarray(0, cut), 1), stream.StreamError);
});

test("the ground has the heights of the map, and holes", async () => {
  const { run } = await read(makeRun({ nodes: 33, duration: 1, hole: (i, j) => i === 4 && j === 5 }).bytes);
  const grid = run.ground.frame;
  for (const [i, j] of [[0, 0], [32, 0], [7, 19], [32, 32]]) {
    const x = i * 0.25 - 4;
    const y = j * 0.25 - 4;
    assert.ok(Math.abs(grid.sample(x, y) - heightAt(x, y)) < 0.51e-3 + 1e-6, `node ${i}, ${j}`);
  }
  assert.equal(grid.hasGround(4 * 0.25 - 4, 5 * 0.25 - 4), false);
  assert.equal(grid.hasGround(0, 0), true);
});

test("meshes come back to half a 65535th of their extent, and stand in for the hull", async () => {
  const vertices = [0, 0, 0, 0.4, 0, 0, 0, 0.2, 0, 0.1, 0.05, 0.1, 0, 0, 0.4];
  const faces = [0, 2, 3, 2, 1, 3, 1, 0, 3, 0, 1, 4, 1, 2, 4, 2, 0, 4];
  const { run, report } = await read(w.file([made.chunks[0], w.mesh(3, { vertices, faces }), ...made.chunks.slice(1)]));
  assert.deepEqual(report.errors, []);
  const hull = { vertices: [0, 0, 0], faces: [] };
  const drawn = run.surface({ mesh: hull, surface: 3 });
  assert.deepEqual([...drawn.faces], faces);
  drawn.vertices.forEach((v, k) => assert.ok(Math.abs(v - vertices[k]) <= (0.51 * 0.4) / 65535 + 1e-7, `coordinate ${k}`));
  assert.equal(run.surface({ mesh: hull, surface: 4 }), hull);
  assert.equal(run.surface({ mesh: null, surface: -1 }), null);
});

test("poses are interpolated between samples", async () => {
  const { run } = await read(made.bytes);
  const t = 3.14159;
  const { chassis } = kinematics(t);
  const pose = run.bodyPose(0, t);
  // Linear interpolation over 0.1 s of motion with curvature below 1 m/s2 is off by at most h^2/8.
  const bound = (0.1 * 0.1) / 8 + 1e-5;
  chassis.p.forEach((v, k) => assert.ok(Math.abs(pose.position[k] - v) < bound));
  chassis.q.forEach((v, k) => assert.ok(Math.abs(pose.rotation[k] - v) < 1e-3));
  const norm = Math.hypot(...pose.rotation);
  assert.ok(Math.abs(norm - 1) < 1e-9);
});

test("ruts appear with time, and scrubbing back removes them exactly", async () => {
  const { run } = await read(made.bytes);
  const [ox, oy] = made.options.origin;
  const at = () => run.ruts.at(ox + 0.4, oy + 0.5); // the middle wheel passes after 2 s
  run.ruts.seek(0);
  assert.equal(at(), 0);
  run.ruts.seek(12);
  assert.ok(Math.abs(at() + RUT_DEPTH) < 1e-9);
  for (const t of [11, 7, 3, 9, 2.5, 0.5]) run.ruts.seek(t);
  assert.equal(at(), 0, "the middle wheel has not come yet");
  run.ruts.seek(12);
  assert.ok(Math.abs(at() + RUT_DEPTH) < 1e-9);
  run.ruts.seek(0);
  for (let i = -400; i < 400; i += 7) assert.equal(run.ruts.node(Math.round(ox / 0.02) + i, Math.round((oy + 0.5) / 0.02)), 0);
});

test("rocks come back to 1/32767 of their size", async () => {
  const { run } = await read(made.bytes);
  assert.equal(run.rocks.length, made.rocks.length);
  made.rocks.forEach((rock, k) => {
    const back = run.rocks[k];
    assert.deepEqual(back.half, rock.half);
    assert.equal(back.faces.length, rock.faces?.length ?? 0);
    rock.vertices?.forEach((v, n) => assert.ok(Math.abs(back.vertices[n] - v) <= rock.half[n % 3] / 32767));
  });
  const pose = run.rockPose(0, 12);
  assert.ok(Math.abs(pose.position[0] - (3 + 0.05 * 2)) < 1e-4, "the loose rock moves");
});

test("a file cut anywhere shows what is intact", async () => {
  for (let cut = 0; cut < made.bytes.length; cut += Math.ceil(made.bytes.length / 97)) {
    const { report, run } = await read(made.bytes.subarray(0, cut));
    assert.ok(report.truncated || report.errors.length > 0 || cut === 0 || run !== null);
    if (run) assert.ok(run.columns.length <= made.rows.length);
  }
});

test("a flipped bit in a chunk with a checksum is noticed", async () => {
  const chunks = made.chunks;
  const intact = await read(w.file(chunks));
  assert.deepEqual(intact.report.errors, []);
  assert.equal(intact.run.columns.length, made.rows.length);
  const size = chunks[0].length + 16;
  for (let k = 0; k < 40; k++) {
    const bytes = w.file([chunks[0], w.chunk("NOTE", Buffer.from("some bytes that nothing else checks"), false)]);
    const at = 8 + size + ((k * 7) % 35);
    bytes[at] ^= 1 << k % 8;
    const { report } = await read(bytes);
    assert.deepEqual(report.errors, ["NOTE: the checksum is wrong"]);
  }
});

test("a replay of an earlier version says what to do", async () => {
  const { report } = await read(Buffer.concat([Buffer.from("GRPLAY01"), ...made.chunks]));
  assert.match(report.errors[0], /record the run again/);
});

test("garbage is refused without an exception and in bounded time", async () => {
  let seed = 12345;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 4294967296;
  const start = performance.now();
  for (let n = 0; n < 60; n++) {
    const bytes = Buffer.from(made.bytes.subarray(0, 20000));
    for (let k = 0; k < 30; k++) bytes[8 + Math.floor(random() * (bytes.length - 8))] = Math.floor(random() * 256);
    await read(bytes);
    await read(w.file(made.chunks.slice(0, 30).map((chunk) => { // whose checksums are right
      const damaged = Buffer.from(chunk);
      damaged[16 + Math.floor(random() * (chunk.length - 16))] = Math.floor(random() * 256);
      return w.sealed(damaged);
    })));
    const noise = Buffer.from(Array.from({ length: 4000 }, () => Math.floor(random() * 256)));
    await read(noise);
    await read(Buffer.concat([Buffer.from("GRPLAY02"), noise]));
  }
  assert.ok(performance.now() - start < 20000, "120 damaged files took more than 20 s");
});

test("absurd counts are refused before memory is taken", async () => {
  const before = process.memoryUsage().rss;
  const bad = [
    w.chunk("GRND", new w.Bytes().f64(0, 0, 1, 0, 1).u32(0xffffffff).u32(0xffffffff).done(), false),
    w.chunk("SOIL", new w.Bytes().f64(0, 0, 1).u32(1 << 20).u32(1 << 20).done(), false),
    w.chunk("ROCK", new w.Bytes().u32(0).u32(0xffffffff).done(), false),
    w.chunk("MESH", new w.Bytes().u32(0).u32(0xffffffff).u32(0xffffffff).done(), false),
    w.chunk("MESH", new w.Bytes().u32(0).u32(1).u32(1).f64(0, 0, 0, 1, 1, 1).u16(0).u16(0).u16(0).u8(0).u8(0).u8(2).done(), false), // there is no vertex 1
    w.chunk("DATA", new w.Bytes().u32(0xffffffff).done(), false),
    w.chunk("RUTS", new w.Bytes().f64(1).u32(0xffffffff).done(), false),
    w.sealed(new w.Bytes().raw(Buffer.from("DATA")).u32(4).u32(0xfffffff0).u32(0).raw(Buffer.from("abcd")).done()), // inflates to 4 GiB, it says
  ];
  const { report } = await read(w.file([made.chunks[0], ...bad]));
  assert.equal(report.errors.length, bad.length, report.errors.join("\n"));
  assert.ok(process.memoryUsage().rss - before < 200e6, "more than 200 MB for nothing");
});

test("unknown chunks are skipped, messages have exactly one chunk", async () => {
  const { run, report } = await read(w.file([made.chunks[0], w.chunk("WHAT", Buffer.from("?")), ...made.chunks.slice(1)]));
  assert.deepEqual(report.errors, []);
  assert.equal(run.columns.length, made.rows.length);
  const message = await stream.readMessage(new Uint8Array(made.chunks[0]));
  assert.equal(message.type, "HEAD");
  await assert.rejects(stream.readMessage(new Uint8Array(made.chunks[0].subarray(0, 40))), stream.StreamError);
  await assert.rejects(stream.readMessage(new Uint8Array(3)), stream.StreamError);
});

test("the newest state of a live run gives way to the block that contains it", async () => {
  const run = Run.fromHead({ type: "HEAD", data: Buffer.from(JSON.stringify(made.head)) }, "");
  const block = (rows, type) => w.data(made.head.columns.map((_, c) => ({ quantum: c === 0 ? 1e-3 : 1e-6, order: 1, values: rows.map((r) => (Number.isNaN(r[c]) ? 0 : r[c])) })), type);
  const feed = async (bytes) => run.feed(await stream.readMessage(new Uint8Array(bytes)));
  await feed(block(made.rows.slice(0, 10), "DATA"));
  await feed(block(made.rows.slice(14, 15), "LIVE"));
  assert.equal(run.columns.length, 11);
  assert.ok(Math.abs(run.end - 1.4) < 1e-9);
  await feed(block(made.rows.slice(10, 13), "DATA"));
  assert.equal(run.columns.length, 14, "the newest state is still ahead");
  await feed(block(made.rows.slice(13, 20), "DATA"));
  assert.equal(run.columns.length, 20);
  assert.ok(Math.abs(run.end - 1.9) < 1e-9);
});
