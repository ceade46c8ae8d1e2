// Pure geometry of the page against closed forms: stability, shadows of the ground, decimation of curves, the ZIP archive.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import test from "node:test";
import { importSource, temporary, viewer } from "./support.mjs";

const { hull, tipMargin } = await importSource("stability.ts");
const { Layers, SIZE } = await importSource("layers.ts");
const { Ground, HeightGrid } = await importSource("ground.ts");
const { decimate } = await importSource("ui/decimate.ts");
const { makeZip, crc32 } = await importSource("zip.ts");
const { creasedCorners } = await importSource("creases.ts");
const { SERIES, hex } = await importSource("colours.ts");
const { slerp, rotate } = await importSource("math.ts");

test("tip margin of a table: atan(half the track / height of the centre)", () => {
  const table = [[1, 0.6, 0], [-1, 0.6, 0], [-1, -0.6, 0], [1, -0.6, 0], [0, 0, 0]];
  const polygon = hull(table);
  assert.equal(polygon.length, 4);
  const margin = tipMargin([0, 0, 0.9], polygon, [0, 0, -1.62]);
  assert.ok(Math.abs(margin - (Math.atan(0.6 / 0.9) * 180) / Math.PI) < 1e-9);
  // The same table on a slope of 10 degrees across: gravity turns, the margin shrinks by as much.
  const slope = (10 * Math.PI) / 180;
  const tilted = tipMargin([0, 0, 0.9], polygon, [0, -Math.sin(slope), -Math.cos(slope)]);
  assert.ok(Math.abs(margin - tilted - 10) < 1e-9);
  assert.ok(tipMargin([0, 0.7, 0.9], polygon, [0, 0, -1]) < 0, "outside is negative");
});

function flatWithWall(height) {
  // A wall of one row across x at y = 20, ground at 0.
  const n = 401;
  const cell = 0.1;
  const h = new Float32Array(n * n);
  for (let j = 0; j < n; j++) for (let i = 0; i < n; i++) h[j * n + i] = j === 200 ? height : 0;
  const ground = new Ground();
  ground.add(new HeightGrid({ x: 0, y: 0, cell, nx: n, ny: n, height: h, holes: false }, 0, 0));
  return ground;
}

test("the shadow of a wall is as long as height / tan(elevation)", () => {
  for (const elevation of [5, 20, 45]) {
    const height = 0.5;
    const layers = new Layers(flatWithWall(height), null, [0, 0, 0], { azimuth: 0, elevation });
    layers.update(20, 20);
    const length = height / Math.tan((elevation * Math.PI) / 180);
    const layer = layers.layers[1]; // its cell is that of the map
    const light = (y) => layer.detail[4 * (Math.round((y - layers.y(layer)) / layer.cell) * SIZE + Math.round((20 - layers.x(layer)) / layer.cell)) + 2];
    // The half-shadow of the sun's disc and one cell blur the edge.
    const blur = 0.15 + length * 0.0094 / Math.sin((2 * elevation * Math.PI) / 180) * 2;
    assert.ok(light(20 - Math.max(0.2, length - blur)) < 0.05, `dark inside at ${elevation} degrees`);
    assert.ok(light(20 - length - blur - 0.1) > 0.95, `lit outside at ${elevation} degrees`);
    assert.ok(light(21) > 0.95, "the sunny side is lit");
  }
});

test("shadows reach finer layers from beyond their edge", () => {
  const layers = new Layers(flatWithWall(2), null, [0, 0, 0], { azimuth: 0, elevation: 8 });
  layers.update(20, 7); // the finest layer ends before the wall
  const finest = layers.layers[0];
  assert.ok(layers.y(finest) + SIZE * finest.cell < 20.01 || finest.cell * SIZE > 26);
  assert.ok(layers.lightAt(20, 10, 0) < 0.05, "2 m / tan 8 deg = 14 m of shadow");
  assert.ok(layers.lightAt(20, 10, 2.5) > 0.95, "above the shadow");
});

test("decimation keeps extremes and gaps", () => {
  const n = 10000;
  const x = Float64Array.from({ length: n }, (_, k) => k);
  const y = Float64Array.from({ length: n }, (_, k) => (k === 4321 ? 99 : k > 8000 && k < 9000 ? NaN : Math.sin(k)));
  const d = decimate(x, [y], 0, n - 1, 100);
  assert.equal(d.x.length, 200);
  assert.ok(d.y[0].includes(99));
  assert.ok(d.y[0].includes(null));
  for (let k = 1; k < d.x.length; k++) assert.ok(d.x[k] > d.x[k - 1]);
});

test("the archive opens with Python's zipfile and has the right bytes", () => {
  assert.equal(crc32(Buffer.from("123456789")), 0xcbf43926); // the usual check value
  const files = [{ name: "frame_00001.png", data: Buffer.from("one") }, { name: "frame_00002.png", data: Buffer.from("two and more") }];
  const path = temporary("frames.zip");
  writeFileSync(path, Buffer.concat(makeZip(files)));
  const out = execFileSync("python3", ["-c", "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print('|'.join(n+'='+z.read(n).decode() for n in z.namelist()))", path], { encoding: "utf8" });
  assert.equal(out.trim(), "frame_00001.png=one|frame_00002.png=two and more");
});

test("slerp turns at an even rate", () => {
  const a = [1, 0, 0, 0];
  const b = [Math.cos(0.6), 0, 0, Math.sin(0.6)]; // 1.2 rad about z
  for (const t of [0, 0.25, 0.5, 1]) {
    const v = rotate(slerp(a, b, t), [1, 0, 0]);
    assert.ok(Math.abs(Math.atan2(v[1], v[0]) - 1.2 * t) < 1e-12);
  }
  const same = slerp(a, b.map((x) => -x), 0.5);
  assert.ok(Math.abs(Math.abs(same[3]) - Math.sin(0.3)) < 1e-12, "the shorter arc");
});

test("normals are smooth around a tube and hard at its rim", () => {
  // A cylinder of 24 sides about z with a lid: neighbours on the wall lean by 15 degrees, wall and lid by 90.
  const sides = 24;
  const vertices = [0, 0, 1];
  const faces = [];
  for (let k = 0; k < sides; k++) {
    const a = (2 * Math.PI * k) / sides;
    vertices.push(Math.cos(a), Math.sin(a), 0, Math.cos(a), Math.sin(a), 1);
    const [low, high] = [1 + 2 * k, 2 + 2 * k];
    const [nextLow, nextHigh] = [1 + 2 * ((k + 1) % sides), 2 + 2 * ((k + 1) % sides)];
    faces.push(low, nextLow, nextHigh, low, nextHigh, high, 0, high, nextHigh);
  }
  const { positions, normals } = creasedCorners({ vertices, faces });
  for (let c = 0; c < positions.length / 3; c++) {
    const [n, p] = [normals.subarray(3 * c, 3 * c + 3), positions.subarray(3 * c, 3 * c + 3)];
    const lid = Math.floor(c / 3) % 3 === 2;
    const expected = lid ? [0, 0, 1] : [p[0], p[1], 0];
    // On the wall the triangles left and right of a vertex do not have the same areas around it: a third of the 7.5 degrees at most.
    const lean = Math.acos(Math.min(1, n[0] * expected[0] + n[1] * expected[1] + n[2] * expected[2]));
    assert.ok(lean < (lid ? 1e-3 : (2.6 * Math.PI) / 180), `corner ${c} leans by ${lean}`);
  }
});

test("wheels have the colours of the reports, which differ for colour-blind people too", () => {
  const plot = readFileSync(`${viewer}/../src/draw/plot.c`, "utf8");
  const palette = /palette\[PALETTE_SIZE\] = \{([^}]*)\}/.exec(plot)[1].match(/#[0-9a-f]{6}/g);
  assert.deepEqual(SERIES, palette);
  // Viénot, Brettel and Mollon (1999): red and green as a dichromat sees them, in linear light.
  const linear = (c) => hex(c).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const seen = { protan: (r, g) => 0.1124 * r + 0.8876 * g, deutan: (r, g) => 0.2929 * r + 0.7071 * g };
  for (const [name, mix] of Object.entries(seen)) {
    const colours = SERIES.map((c) => { const [r, g, b] = linear(c); return [mix(r, g), b].map((v) => 116 * Math.cbrt(Math.max(v, 0.009))); });
    colours.forEach((a, i) => colours.forEach((b, k) => { if (i < k) assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) > 4, `${name}: ${SERIES[i]} and ${SERIES[k]}`); }));
  }
});
