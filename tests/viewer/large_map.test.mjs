// A map of 10^7 cells in a live run and in a recording, by the program itself: the page has all of it, with the heights of the file.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open, replayFile, temporary } from "./support.mjs";

const grouser = process.env.GROUSER;
const skip = grouser ? false : "GROUSER is not set";
const NODES = 3200; // a side, 1 m apart
const HALF_STEP = 1.5e-4; // m: heights of 12 m in steps of a 60000th, the six digits of OBJ, and float32
const WINDOWS = [[1600, 1599], [0, 0], [3198, 3198], [2811, 77]]; // columns and rows of the file
let browser;
let folder;
before(async () => {
  if (!grouser) return;
  folder = temporary("large");
  mkdirSync(folder, { recursive: true });
  run("terrain", "generate", "--size", String(NODES - 1), "--cell", "1", "--add", "fractal:hurst=0.8,rms_m=0.3,lag_m=10,largest_m=400,smallest_m=50", "--no-cache", "-j", "2", "-o", "map.tif");
  writeFileSync(join(folder, "large.yaml"), "title: Large\nrover: rashid_like\nsoil: lunar_apollo\ngravity: moon\nterrain: {file: map.tif}\ndrive:\n  script:\n    - {time_s: 0, mode: skid, speed_mps: 0.05}\nstop: {time_s: 600}\n");
  browser = await launch();
});
after(() => browser?.close());

function run(...words) {
  return execFileSync(grouser, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 120000 });
}

/** Four neighbouring nodes of the file with their heights, as `grouser terrain` writes them. */
function nodesAt([column, row]) {
  run("terrain", "export", "map.tif", "-o", "window.obj", "--window", `px:${column},${row},2,2`);
  const text = readFileSync(join(folder, "window.obj"), "utf8");
  const numbers = (line) => line.match(/-?\d[\d.e-]*/g).map(Number);
  const origin = numbers(/^# origin .*$/m.exec(text)[0]);
  return text.match(/^v .*$/gm).map((line) => numbers(line).map((v, k) => v + origin[k]));
}

/** Largest difference of the page's heights from those of the file [m]. */
async function compare(tab) {
  let worst = 0;
  for (const window of WINDOWS)
    for (const [x, y, z] of nodesAt(window)) worst = Math.max(worst, Math.abs((await tab.evaluate(([e, n]) => window.grouserView.height(e, n), [x, y])) - z));
  return worst;
}

/** Starts `grouser view`; its address. */
function serve(...words) {
  const child = spawn(grouser, ["view", ...words, "--no-browser", "--seconds", "100"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const address = new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
      const found = /http:\/\/[\d.]+:\d+\//.exec(text);
      if (found) resolve(found[0]);
    });
    child.on("exit", () => reject(new Error(`grouser view ended: ${text}`)));
  });
  return { child, address };
}

test("a live run sends the whole map", { skip }, async () => {
  const started = performance.now();
  const { child, address } = serve("large.yaml");
  try {
    const url = await address;
    const serving = performance.now();
    const tab = await browser.newPage({ viewport: { width: 960, height: 600 } });
    await tab.goto(url);
    assert.equal(await tab.evaluate(() => window.grouserView.ready), "");
    const now = performance.now();
    const grounds = await tab.evaluate(() => window.grouserView.grounds());
    const off = await compare(tab);
    console.log(`# ${NODES} x ${NODES} nodes live: served after ${((serving - started) / 1000).toFixed(1)} s, first picture ${((now - serving) / 1000).toFixed(1)} s later; heights off by ${(1e3 * off).toFixed(3)} mm at most`);
    assert.deepEqual(grounds, [{ nx: NODES, ny: NODES, cell: 1 }]);
    assert.ok(off < HALF_STEP, `${off} m`);
    // A machine of its own takes a fifth of it.
    assert.ok(now - started < 60000, `${now - started} ms to the first picture`);
    await tab.close();
  } finally {
    child.kill();
  }
});

test("a recording has the whole map, coarser, and full detail where the rover drives", { skip }, async () => {
  run("run", "large.yaml", "--set", "stop.time_s=2", "-o", "large.run");
  const bytes = readFileSync(join(folder, "large.run/replay.bin"));
  const page = await open(browser, replayFile("large", [{ name: "large", bytes }]));
  assert.equal(page.ready, "");
  const grounds = await page.tab.evaluate(() => window.grouserView.grounds());
  const whole = grounds.find((g) => g.cell > 1);
  assert.ok(whole.nx * whole.ny <= 640 * 640 && whole.nx * whole.cell > NODES - 1, JSON.stringify(whole));
  assert.ok(grounds.some((g) => g.cell === 1));
  const [near, ...far] = [[1600, 1599], [0, 3198], [3100, 40]].map(nodesAt);
  for (const [x, y, z] of near) assert.ok(Math.abs((await page.tab.evaluate(([e, n]) => window.grouserView.height(e, n), [x, y])) - z) < HALF_STEP);
  // Far away the map has every n-th node: its heights are those of the file to the change over n cells of a slope of 12 degrees.
  const coarse = whole.cell * Math.tan((12 * Math.PI) / 180);
  for (const [x, y, z] of far.flat()) assert.ok(Math.abs((await page.tab.evaluate(([e, n]) => window.grouserView.height(e, n), [x, y])) - z) < coarse, `${x}, ${y}`);
  console.log(`# replay.bin of ${(bytes.length / 1e6).toFixed(1)} MB`);
  await page.context.close();
});
