// Beds of grains in the page: the data, its colours, the cut, and a page for a phone.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brightness, decodePng, difference, importSource, launch, open, temporary } from "./support.mjs";

const grouser = process.env.GROUSER;
const skip = grouser ? false : "GROUSER is not set";
const folder = temporary("grains");
const html = join(folder, "wheel.html");
let browser;

before(async () => {
  if (!grouser) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bed.yaml"), "grains: glass_beads\ndiameter_m: 0.008\nsize_m: [0.1, 0.08, 0.08]\ndepth_m: 0.02\n");
  const run = (...words) => execFileSync(grouser, ["grains", ...words], { cwd: folder, stdio: "pipe", timeout: 120000 });
  run("wheel", "bed.yaml", "--radius", "0.025", "--width", "0.03", "--load", "1", "--slip", "0.5", "--travel", "0.005", "--speed", "0.3", "--snapshots", "snaps");
  run("view", "snaps/wheel_1.grains", "-o", "wheel.html");
  run("view", "snaps/wheel_1.grains", "-o", "part.html", "--most", "100");
  browser = await launch();
});
after(() => browser?.close());

function dataOf(file) {
  return Buffer.from(/data-grains>([^<]*)</.exec(readFileSync(file, "utf8"))[1], "base64");
}

test("the data of a snapshot: grains inside the bin, a wheel, the cut at its middle", { skip }, async () => {
  const { parseGrains, shuffled } = await importSource("grains.ts");
  const bytes = new Uint8Array(dataOf(html));
  const { head, position, radius, speed, force, vertices, triangles } = parseGrains(bytes);
  assert.equal(head.shown, head.count);
  assert.equal(position.length, 3 * head.count);
  assert.equal(head.body, "wheel");
  assert.ok(Math.abs(head.cut_m - 0.04) < 1e-3, `cut at ${head.cut_m}`);
  assert.equal(Math.max(...radius), 255);
  assert.equal(Math.max(...speed), 255);
  assert.ok(force.some((f) => f > 20) && head.force_N > 0);
  const low = Math.min(...vertices.filter((_, k) => k % 3 === 2)), middle = vertices.filter((_, k) => k % 3 === 0).reduce((a, b) => a + b) / (vertices.length / 3);
  assert.ok(low > 0 && low < head.surface_m, `the wheel's lowest point ${low}`);
  assert.ok(Math.abs(middle - 0.05) < 0.002, "the wheel is in the middle of a periodic bin");
  assert.ok(Math.max(...triangles) < vertices.length / 3);
  const part = parseGrains(new Uint8Array(dataOf(join(folder, "part.html"))));
  assert.ok(part.head.shown <= 100 && part.head.count === head.count);
  for (const bad of [bytes.slice(0, 7), bytes.slice(0, 100), bytes.slice(0, bytes.length - 1), new Uint8Array(50)])
    assert.throws(() => parseGrains(bad), /no grains|cut off/);
  assert.deepEqual([...shuffled(1000)].sort((a, b) => a - b), Array.from({ length: 1000 }, (_, k) => k));
});

test("grains are drawn, coloured, cut; the page asks for nothing", { skip }, async () => {
  const { tab, context, requests, problems, ready, url } = await open(browser, html, { viewport: { width: 640, height: 480 } });
  assert.equal(ready, "");
  const shot = async () => decodePng(await tab.locator("#view canvas").screenshot());
  const picture = async (change) => { await tab.evaluate(change); return shot(); };
  /** Pixels that are no background, and their mean colour. */
  const seen = (png) => {
    const sum = [0, 0, 0];
    let n = 0;
    for (let y = 0; y < png.height; y += 2)
      for (let x = 0; x < png.width; x += 2) {
        const c = png.at(x, y);
        if (brightness(c) < 25) continue;
        n++;
        c.forEach((v, k) => (sum[k] += v));
      }
    return { n, mean: sum.map((v) => v / n) };
  };
  const mean = (png) => seen(png).mean;
  const bright = (png) => seen(png).n;
  const depth = mean(await picture(() => window.grouserGrains.colour("depth"))), force = mean(await picture(() => window.grouserGrains.colour("force")));
  assert.ok(difference(depth, force) > 8, `${depth} and ${force}`);
  const cut = await tab.evaluate(() => window.grouserGrains.state);
  assert.ok(Math.abs(cut.cut - 0.04) < 1e-3 && cut.body);
  const half = bright(await shot()), whole = bright(await picture(() => window.grouserGrains.cut(null)));
  assert.ok(whole > 1.1 * half, `${half} of ${whole} pixels`);
  assert.equal(bright(await picture(() => window.grouserGrains.cut(1))) < half, true);
  assert.deepEqual(requests, [url]);
  assert.deepEqual(problems, []);
  assert.deepEqual(await tab.evaluate(() => window.violations), []);
  await context.close();
});

test("a phone has all controls without scrolling sideways", { skip }, async () => {
  const { tab, context } = await open(browser, html, { viewport: { width: 400, height: 800 } });
  for (const name of ["#tools button", "#bar input[type=range]", ".legend"]) {
    const box = await tab.locator(name).last().boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 400, `${name}: ${JSON.stringify(box)}`);
  }
  assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await context.close();
});
