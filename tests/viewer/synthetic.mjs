// A made-up run with known answers: a six-wheel rover drives along +x over rolling ground with exact kinematics, leaves ruts of a
// known depth under its wheels, has rocks, one of them loose, two soils, a way-point and a warning.

import * as w from "./writer.mjs";

export const RUT_DEPTH = 0.03; // m
export const RUT_CELL = 0.02;
const QUANTUM = 1e-4;
export const RADIUS = 0.15;
export const WIDTH = 0.16;
export const SPEED = 0.2; // m/s
const WHEELS = [["front", 0.6], ["middle", 0], ["rear", -0.6]].flatMap(([row, x]) => [["left", 0.5], ["right", -0.5]].map(([side, y]) => ({ name: `${row}_${side}`, x, y })));

export const heightAt = (x, y, relief = 1) => relief * (0.5 * Math.sin(x / 7) * Math.cos(y / 9) + 1.2 * Math.sin(x / 31 + 1) * Math.sin(y / 23) + 0.03 * Math.sin(x * 2.1) * Math.sin(y * 1.7));

function head(o) {
  const columns = [{ name: "time_s", unit: "s", text: "simulated time", group: "time", field: "time_s", kind: "number" }];
  const bodies = [
    { name: "chassis", parent: -1, mass: 60, com: [0, 0, 0.05], shapes: [
      { kind: "box", position: [0, 0, 0.1], rotation: [1, 0, 0, 0], size: [1.0, 0.6, 0.3] },
      { kind: "box", position: [-0.05, 0, 0.29], rotation: [1, 0, 0, 0], size: [1.2, 0.8, 0.03] },
      { kind: "rod", from: [0.4, 0, 0.25], to: [0.4, 0, 0.85], radius: 0.03 },
      { kind: "box", position: [0.42, 0, 0.9], rotation: [1, 0, 0, 0], size: [0.12, 0.3, 0.12] },
      { kind: "rod", from: [0.6, 0.5, -0.15], to: [-0.6, 0.5, -0.15], radius: 0.025 },
      { kind: "rod", from: [0.6, -0.5, -0.15], to: [-0.6, -0.5, -0.15], radius: 0.025 },
      { kind: "rod", from: [0, 0.5, -0.15], to: [0, -0.5, 0.1], radius: 0.03 },
    ] },
    ...WHEELS.map((wheel) => ({ name: wheel.name, parent: 0, mass: 3, com: [0, 0, 0], shapes: [] })),
  ];
  const pose = (group, owner, name) => ["x", "y", "z", "qw", "qx", "qy", "qz"].forEach((field) => columns.push({ name: `${name}.${field}`, unit: "", text: "", group, owner, field, kind: "number" }));
  bodies.forEach((b, k) => pose("pose", k, b.name));
  pose("rock", 0, "rock_0");
  for (const [name, unit, text] of [["distance_m", "m", "driven over the ground"], ["pitch_deg", "deg", "nose down"], ["roll_deg", "deg", "right side down"], ["power_W", "W", "of all motors"], ["vx_m_per_s", "m/s", "velocity"], ["vy_m_per_s", "m/s", "velocity"], ["vz_m_per_s", "m/s", "velocity"]])
    columns.push({ name, unit, text, group: "rover", field: name, kind: "number" });
  columns.push({ name: "energy.electric_J", unit: "J", text: "motor energy", group: "energy", field: "electric_J", kind: "number" });
  WHEELS.forEach((wheel, k) => {
    for (const [field, unit, kind] of [["slip", "", "number"], ["sinkage_m", "m", "number"], ["fx_N", "N", "number"], ["fy_N", "N", "number"], ["fz_N", "N", "number"], ["load_N", "N", "number"], ["state", "", "state"]])
      columns.push({ name: `${wheel.name}.${field}`, unit, text: field.replace(/_.*/, ""), group: "wheel", owner: k, field, kind });
  });
  return {
    format: 2, program: "grouser test", name: o.name, title: o.title, gravity: [0, 0, -o.gravity], rate_Hz: o.rate, duration_s: o.duration, origin: o.origin,
    rover: { name: "tester", title: o.rover, bodies, joints: [],
      wheels: WHEELS.map((wheel, k) => ({ name: wheel.name, body: k + 1, position: [0, 0, 0], rotation: [1, 0, 0, 0], radius: RADIUS, width: WIDTH,
        grousers: { count: 24, height: 0.012, thickness: 0.004, pattern: ["straight", "slanted", "chevron"][k >> 1], angle_rad: 0.4 }, crown: 0.01, rimless: false })) },
    parts: [{ kind: "box", position: [o.origin[0] - 6, o.origin[1] + 5, heightAt(-6, 5, o.relief) + o.origin[2]], rotation: [1, 0, 0, 0], size: [1.5, 1.5, 0.6] }],
    rocks: { count: 41, loose: 1 }, path: [[o.origin[0] + 5, o.origin[1]], [o.origin[0] + 14, o.origin[1] + 3]], tolerance_m: 0.4,
    soils: ["loose sand", "crust"], states: ["soft: stuck or rolling", "soft: slipping, accelerating"], modes: ["ackermann"],
    ruts: { cell: RUT_CELL, quantum: QUANTUM }, columns,
  };
}

const CUBE = { vertices: [-1, -1, -0.7, 1, -1, -1, 0.8, 1, -1, -1, 0.9, -1, -0.7, -0.8, 1, 0.9, -0.6, 0.8, 0.6, 0.8, 1, -0.8, 0.6, 0.7], faces: [0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7] };

/** Pose of the chassis and of the wheels at t, relative to the origin. */
export function kinematics(t, relief = 1) {
  const x = SPEED * t;
  const slope = (heightAt(x + 0.6, 0, relief) - heightAt(x - 0.6, 0, relief)) / 1.2;
  const pitch = -Math.atan(slope); // about +y: nose down is positive
  const q = [Math.cos(pitch / 2), 0, Math.sin(pitch / 2), 0];
  const z = heightAt(x, 0, relief) - RUT_DEPTH + RADIUS + 0.15;
  const spin = x / RADIUS / 0.9; // ten per cent of slip
  const wheels = WHEELS.map((wheel) => {
    const p = [x + wheel.x * Math.cos(pitch) - 0.15 * Math.sin(pitch), wheel.y, z - wheel.x * Math.sin(pitch) - 0.15 * Math.cos(pitch)];
    return { p, q: [Math.cos(spin / 2), 0, Math.sin(spin / 2), 0] };
  });
  return { chassis: { p: [x, 0, z], q }, wheels };
}

/** Ruts that appear in (t0, t1]: cells under each wheel's centre line that it passed. */
function rutTiles(t0, t1, origin, done) {
  const tiles = new Map();
  for (let t = t0; t <= t1; t += 0.02)
    kinematics(t).wheels.forEach(({ p }) => {
      const i = Math.round((p[0] + origin[0]) / RUT_CELL);
      const j0 = Math.round((p[1] + origin[1]) / RUT_CELL);
      const half = Math.round(WIDTH / 2 / RUT_CELL);
      for (let d = -half - 3; d <= half + 3; d++) {
        const key = `${i} ${j0 + d}`;
        if (done.has(key)) continue;
        done.add(key);
        const ti = Math.floor(i / 32);
        const tj = Math.floor((j0 + d) / 32);
        const name = `${ti} ${tj}`;
        if (!tiles.has(name)) tiles.set(name, { ti, tj, change: new Array(1024).fill(0) });
        const depth = Math.abs(d) <= half ? -RUT_DEPTH : 0.012;
        tiles.get(name).change[(j0 + d - tj * 32) * 32 + (i - ti * 32)] += Math.round(depth / QUANTUM);
      }
    });
  return [...tiles.values()];
}

/** Options: nodes and cell of the map, duration, gravity, relief, texts. Returns the bytes and the facts that tests compare with. */
export function makeRun(options = {}) {
  const o = { nodes: 256, cell: 0.25, duration: 30, rate: 10, gravity: 1.62, relief: 1, origin: [1000, -2000, 350], name: "synthetic", title: "A made-up run", rover: "Test rover", ...options };
  const h = head(o);
  const half = ((o.nodes - 1) * o.cell) / 2;
  const chunks = [w.json("HEAD", h)];
  chunks.push(w.ground({ x: o.origin[0] - half, y: o.origin[1] - half, cell: o.cell, nx: o.nodes, ny: o.nodes, z0: o.origin[2] - 20, quantum: 0.001,
    height: (i, j) => (o.hole && o.hole(i, j) ? null : heightAt(i * o.cell - half, j * o.cell - half, o.relief) + o.origin[2]) }));
  chunks.push(w.soil({ x: o.origin[0] - half, y: o.origin[1] - half, cell: 1, nx: 64, ny: 64, index: (i) => (i < 36 ? 0 : 1) }));
  const rocks = [];
  for (let k = 0; k <= 40; k++) {
    const x = k === 0 ? 3 : ((k * 37) % 41) - 16;
    const y = k === 0 ? 1.6 : ((k * 23) % 37) - 18;
    const s = k === 0 ? 0.18 : 0.08 + 0.02 * (k % 9);
    const yy = Math.abs(y) < 1.2 ? y + 3 : y;
    const rock = { position: [x + o.origin[0], yy + o.origin[1], heightAt(x, yy, o.relief) + 0.3 * s + o.origin[2]], rotation: [Math.cos(k), 0, 0, Math.sin(k)], half: [s, 0.8 * s, 0.7 * s] };
    if (k % 5 !== 4) Object.assign(rock, { vertices: CUBE.vertices.map((v, n) => v * rock.half[n % 3]), faces: CUBE.faces });
    rocks.push(rock);
  }
  chunks.push(w.rocks(0, rocks));
  const n = Math.round(o.duration * o.rate) + 1;
  const done = new Set();
  const rows = [];
  for (let k = 0; k < n; k++) {
    const t = k / o.rate;
    const { chassis, wheels } = kinematics(t, o.relief);
    const row = [t];
    const put = ({ p, q }) => row.push(p[0] + o.origin[0], p[1] + o.origin[1], p[2] + o.origin[2], ...q);
    put(chassis);
    wheels.forEach(put);
    const rock = rocks[0];
    row.push(rock.position[0] + 0.05 * Math.max(0, t - 10), rock.position[1], rock.position[2], ...rock.rotation);
    row.push(SPEED * t, 0, 0, 12 + 4 * Math.sin(t), SPEED, 0, 0, 12 * t);
    wheels.forEach((_, i) => row.push(i === 5 && k % 7 === 3 ? NaN : 0.1 + 0.08 * Math.sin(t / 3 + i), RUT_DEPTH + 0.005 * Math.sin(t + i), 8 + 5 * Math.sin(t + i), 3 * Math.cos(t / 2 + i), 22 + 6 * Math.sin(t / 2 + 2 * i), 21, (Math.floor(t / 4) + i) % 2));
    rows.push(row);
  }
  const orders = h.columns.map((c) => (c.kind === "state" ? 0 : c.group === "pose" ? 2 : 1));
  const quanta = h.columns.map((c) => (c.kind !== "number" ? 1 : c.group === "time" ? 1e-3 : /^q/.test(c.field) ? 1e-6 : 1e-5));
  const blockSize = 64;
  let lastRut = 0;
  for (let k = 0; k < n; k += blockSize) {
    const block = rows.slice(k, k + blockSize);
    chunks.push(w.data(h.columns.map((_, c) => ({ quantum: quanta[c], order: orders[c], values: block.map((r) => r[c]) }))));
    const until = block[block.length - 1][0];
    for (let t = lastRut + 1; t <= until && o.ruts !== false; t += 1) {
      const tiles = rutTiles(t - 1, t, o.origin, done);
      if (tiles.length > 0) chunks.push(w.ruts(t, tiles));
      lastRut = t;
    }
  }
  chunks.push(w.json("DONE", { outcome: "finished", cause: "the path is over", time_s: o.duration, outcome_time_s: o.duration, distance_m: SPEED * o.duration, uncertainty: { words: ["succeeds in 7 of 8 samples of the soil", "distance: 1.2 m (90 %: 0.9 … 1.3)"] }, warnings: [{ text: "wheels wait for the steering", count: 2, first_s: 6.5 }] }));
  return { bytes: w.file(chunks), chunks, head: h, rows, rocks, options: o };
}
