// A run from its chunks, without a browser: slip of wheels at rest, the rods of bodies without shapes, and the scale of the track.

import assert from "node:assert/strict";
import test from "node:test";
import { importSource } from "./support.mjs";
import { makeRun, RADIUS } from "./synthetic.mjs";
import * as w from "./writer.mjs";

const { readMessage } = await importSource("stream.ts");
const { Run, Rover, Track } = await importSource("../../tests/viewer/run_parts.ts");

const made = makeRun({ nodes: 33, duration: 2 });

/** The run with another head and rows of samples. */
async function build(head, rows) {
  const run = Run.fromHead(await readMessage(w.json("HEAD", head)), "");
  const feed = async (more) => run.feed(await readMessage(w.data(head.columns.map((_, c) => ({ quantum: 1e-9, order: 0, values: more.map((r) => r[c]) })))));
  await feed(rows);
  return { run, feed };
}

test("the slip of a wheel at rest is 0; that of one that spins on the spot stays", async () => {
  const columns = [...made.head.columns];
  const at = (name) => columns.findIndex((c) => c.name === name);
  for (let k = 0; k < 2; k++) columns.push({ name: `w${k}.speed_rad_per_s`, unit: "rad/s", text: "", group: "wheel", owner: k, field: "speed_rad_per_s", kind: "number" });
  const row = (t, speed, rates) => {
    const r = [...made.rows[0].map((v) => (Number.isNaN(v) ? 0 : v)), ...rates];
    r[0] = t;
    r[at("vx_m_per_s")] = speed;
    r[at("front_left.slip")] = r[at("front_right.slip")] = 1;
    return r;
  };
  const { run } = await build({ ...made.head, columns }, [row(0, 1e-9, [1e-9, 0.5]), row(1, 0.05, [0, 0.05 / RADIUS])]);
  const slip = (wheel, t) => run.columns.at(run.wheelColumn(wheel, "slip"), t);
  assert.equal(slip(0, 0), 0, "at rest");
  assert.ok(Math.abs(slip(1, 0) - 1) < 1e-6, "the rim turns");
  assert.ok(Math.abs(slip(0, 1) - 1) < 1e-6, "the rover moves");
});

test("a body without shapes is drawn with rods to its joints; one with shapes, or a wheel, is not", async () => {
  const { rover } = made.head;
  const wheels = rover.bodies.length;
  const bodies = [...rover.bodies, { name: "rocker", parent: 0, mass: 1, com: [0, 0, 0], shapes: [] }];
  const columns = [...made.head.columns];
  for (const field of ["x", "y", "z", "qw", "qx", "qy", "qz"]) columns.push({ name: `rocker.${field}`, unit: "", text: "", group: "pose", owner: wheels, field, kind: "number" });
  const joints = [{ name: "a", kind: "revolute", role: "passive", parent: 0, child: wheels, position: [0, 0.4, 0] }, { name: "b", kind: "revolute", role: "drive", parent: wheels, child: 1, position: [0.6, 0, -0.3] }, { name: "c", kind: "revolute", role: "drive", parent: wheels, child: 3, position: [-0.5, 0, -0.2] }];
  const row = [...made.rows[0].map((v) => (Number.isNaN(v) ? 0 : v)), 0, 0, 0, 1, 0, 0, 0];
  const { run } = await build({ ...made.head, columns, rover: { ...rover, bodies, joints } }, [row]);
  const drawn = new Rover(run, new Proxy({}, { get: () => undefined }), false);
  const before = new Rover((await build(made.head, [made.rows[0].map((v) => (Number.isNaN(v) ? 0 : v))])).run, new Proxy({}, { get: () => undefined }), false);
  assert.equal(drawn.bodies[wheels].children.length, 2, "one rod for each joint");
  assert.equal(drawn.bodies[0].children.length, before.bodies[0].children.length, "the chassis has shapes");
  assert.equal(drawn.bodies[1].children.length, 1, "a wheel is its wheel");
});

test("the track's scale grows with the slip, and is that of a viewer who comes later", async () => {
  const at = made.head.columns.findIndex((c) => c.name === "front_left.slip");
  const slips = made.head.columns.map((c, k) => (c.field === "slip" ? k : -1)).filter((k) => k >= 0);
  const row = (t, slip) => {
    const r = made.rows[0].map((v) => (Number.isNaN(v) ? 0 : v));
    r[0] = t;
    for (const k of slips) r[k] = slip;
    return r;
  };
  const rows = (from, n, slip) => Array.from({ length: n }, (_, k) => row(from + k / 10, slip));
  const early = await build(made.head, rows(0, 30, 0.05));
  const track = new Track(early.run, "slip");
  assert.equal(track.scale.upper, 0.1);
  await early.feed(rows(3, 3, 0.4));
  assert.equal(track.refresh(), true, "three samples are enough");
  assert.equal(track.refresh(), false, "the same samples again");
  const late = new Track(early.run, "slip");
  assert.deepEqual(track.scale, late.scale);
  const colours = (t) => t.group.children.map((m) => [...m.geometry.getAttribute("color").array]);
  assert.deepEqual(colours(track), colours(late));
  assert.ok(at > 0);
});
