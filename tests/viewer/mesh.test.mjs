// Meshes of a rover as they are, not as the hulls that contact uses: through the hole of a ring one sees the ground.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { decodePng, difference, importSource, launch, meanColour, open, replayFile, temporary } from "./support.mjs";
import { chunk, file } from "./writer.mjs";

const grouser = process.env.GROUSER;
const skip = grouser ? false : "GROUSER is not set";
const example = resolve(dirname(fileURLToPath(import.meta.url)), "../../data/rovers/urdf_example");
const [INNER, OUTER, HIGH] = [0.09, 0.16, 0.04];
let browser;
before(async () => { if (grouser) browser = await launch(); });
after(() => browser?.close());

/** A ring about z as OBJ. */
function ring(sides = 36) {
  let text = "";
  for (let k = 0; k < sides; k++) {
    const [c, s] = [Math.cos((2 * Math.PI * k) / sides), Math.sin((2 * Math.PI * k) / sides)];
    for (const [r, z] of [[INNER, 0], [OUTER, 0], [OUTER, HIGH], [INNER, HIGH]]) text += `v ${r * c} ${r * s} ${z}\n`;
  }
  for (let k = 0; k < sides; k++)
    for (let m = 0; m < 4; m++) {
      const corner = (side, n) => 4 * (side % sides) + (n % 4) + 1;
      text += `f ${corner(k, m)} ${corner(k + 1, m)} ${corner(k + 1, m + 1)} ${corner(k, m + 1)}\n`;
    }
  return text;
}

/** The example's chassis drawn as a ring; its box stays for contact. */
function run() {
  const folder = temporary("mesh");
  mkdirSync(folder, { recursive: true });
  const urdf = readFileSync(join(example, "pebble.urdf"), "utf8");
  const box = /<visual>\s*<origin xyz="0 0 0.03"\/>\s*<geometry><box size="0.30 0.20 0.10"\/><\/geometry>\s*<\/visual>/;
  assert.ok(box.test(urdf));
  const contact = box.exec(urdf)[0].replace(/visual>/g, "collision>");
  writeFileSync(join(folder, "pebble.urdf"), urdf.replace(box, `<visual><origin xyz="0 0 0.06"/><geometry><mesh filename="ring.obj"/></geometry></visual>${contact}`));
  writeFileSync(join(folder, "pebble.grouser.yaml"), readFileSync(join(example, "pebble.grouser.yaml")));
  writeFileSync(join(folder, "ring.obj"), ring());
  writeFileSync(join(folder, "ring.yaml"), "title: Ring\nrover: pebble.grouser.yaml\nsoil: lunar_apollo\ngravity: moon\ndrive:\n  script:\n    - {time_s: 0, mode: skid, speed_mps: 0.02}\nstop: {time_s: 2}\n");
  execFileSync(grouser, ["run", "ring.yaml", "-o", "ring.run"], { cwd: folder, stdio: "pipe", timeout: 60000 });
  return readFileSync(join(folder, "ring.run/replay.bin"));
}

async function without(bytes, type) {
  const stream = await importSource("stream.ts");
  const chunks = [];
  await stream.readReplay(new Uint8Array(bytes), (c) => { if (c.type !== type) chunks.push(chunk(c.type, Buffer.from(c.data))); });
  return file(chunks);
}

/** Colours from above: in the middle of the ring, on it, and of the ground beside the rover. */
async function colours(name, bytes) {
  const page = await open(browser, replayFile(name, [{ name, bytes }]), { viewport: { width: 480, height: 300 } });
  assert.equal(page.ready, "");
  const { tab } = page;
  await tab.evaluate(async () => {
    for (const id of ["tools", "figures", "legends", "labels", "hint"]) document.getElementById(id).style.visibility = "hidden";
    const v = window.grouserView;
    await v.setTime(1);
    await v.sun(180, 88); // no shadow in the hole
    for (const o of ["path", "track"]) await v.overlay(o, false);
    await v.camera("top");
    await v.orbit(0, 1.57, 1.5);
  });
  const at = (x, y, z) => tab.evaluate(([dx, dy, dz]) => { const p = window.grouserView.pose(0).position; return window.grouserView.project(p[0] + dx, p[1] + dy, p[2] + dz); }, [x, y, z]);
  const [middle, rim, beside] = [await at(0, 0, 0.1), await at(0, (INNER + OUTER) / 2, 0.1), await at(0.45, 0, -0.1)];
  const image = decodePng(await tab.screenshot());
  assert.deepEqual(page.problems, []);
  await page.context.close();
  return { middle: meanColour(image, middle.x, middle.y, 3), rim: meanColour(image, rim.x, rim.y, 2), ground: meanColour(image, beside.x, beside.y, 6) };
}

test("through the ring one sees the ground, and not the hull", { skip }, async () => {
  const bytes = run();
  const drawn = await colours("ring", bytes);
  const contrast = difference(drawn.rim, drawn.ground);
  console.log(`# ring ${drawn.rim.map(Math.round)}, its middle ${drawn.middle.map(Math.round)}, ground ${drawn.ground.map(Math.round)}`);
  assert.ok(contrast > 60, `the ring ${drawn.rim} on the ground ${drawn.ground}`);
  assert.ok(difference(drawn.middle, drawn.ground) < contrast / 3, `the middle ${drawn.middle}, the ground ${drawn.ground}`);
  // Without the triangles the hull is drawn, as a page of an older program does.
  const hull = await colours("hull", await without(bytes, "MESH"));
  assert.ok(difference(hull.middle, hull.rim) < contrast / 3, `the hull ${hull.rim}, its middle ${hull.middle}`);
});
