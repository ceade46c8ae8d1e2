// The simulator in a web page (grouser export playground): its numbers against the native program, and the page in a browser.
// Skipped where `make playground` has not built it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { launch, open, temporary } from "./support.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const bin = join(root, "build/playground/grouser/bin");
const skip = existsSync(join(bin, "playground.wasm")) && existsSync(join(root, "build/shipped/playground/playground.bin")) && process.env.GROUSER ? false : "the simulator for web pages has not been built (make playground)";

/** JSON of the chunk DONE of a run, of this length unless it is its own, simulated by the module in Node; and the hash of its last state. */
async function simulate(scenario, seconds = 0) {
  const fetched = globalThis.fetch;
  delete globalThis.fetch; // Emscripten 3.1.6 would use it for files
  const create = createRequire(import.meta.url)(join(bin, "playground.js"));
  let done = null;
  const put = (bytes) => {
    const chunk = Buffer.from(bytes);
    if (chunk.toString("latin1", 0, 4) !== "DONE") return;
    const payload = chunk.subarray(16);
    done = JSON.parse((chunk.readUInt32LE(4) < chunk.readUInt32LE(8) ? inflateSync(payload) : payload).toString());
  };
  const module = await create({ wasmBinary: readFileSync(join(bin, "playground.wasm")), put });
  globalThis.fetch = fetched;
  for (const folder of ["rovers", "soils", "scenarios"]) {
    module.FS.mkdirTree(`/data/${folder}`);
    for (const name of readdirSync(join(root, "data", folder))) if (name.endsWith(".yaml")) module.FS.writeFile(`/data/${folder}/${name}`, readFileSync(join(root, "data", folder, name)));
  }
  const call = (name, ...values) => module.ccall(name, "string", values.map((v) => (typeof v === "string" ? "string" : "number")), values);
  const number = (name) => module.ccall(name, "number", [], []);
  assert.equal(call("playground_open", scenario), "");
  if (seconds > 0) assert.equal(call("playground_message", JSON.stringify({ op: "reset", set: [`stop.time_s=${seconds}`] })), "");
  while (number("playground_is_over") === 0) assert.equal(call("playground_advance"), "");
  const hash = call("playground_hash");
  assert.equal(call("playground_flush", 1), "");
  return { done, hash };
}

/** Numbers of a summary that describe the run, by their path. */
function numbers(value, path = "", out = new Map()) {
  if (typeof value === "number") out.set(path, value);
  else if (value && typeof value === "object") for (const [key, v] of Object.entries(value)) if (!/wall|real_time|step|chatter|hash|residual|trust/.test(key)) numbers(v, `${path}/${key}`, out);
  return out;
}

/** Below this a number of the kind is noise: a symmetric rover has no roll. */
const FLOORS = [[/_deg$/, 1], [/_m$/, 0.01], [/_Nm$/, 0.1], [/_N$/, 1], [/_J(_per_m)?$/, 1], [/slip/, 0.01]];
const floorOf = (path) => FLOORS.find(([pattern]) => pattern.test(path))?.[1] ?? 1e-3;

test("the last states have the bits of every other platform", { skip }, async () => {
  for (const line of readFileSync(join(root, "tests/bits.txt"), "utf8").trim().split("\n")) {
    const [scenario, expected] = line.split(" ");
    const { hash } = await simulate(scenario);
    console.log(`${scenario}: ${hash}`);
    assert.equal(hash, expected, scenario);
  }
});

test("numbers are those of the native program, within what fused products do", { skip }, async () => {
  // The native program fuses products and sums in vector lanes, and the errors grow with the motion.
  // Peaks of a rover that starts from rest depend on them at once: they decide which joint and which part of the soil
  // yields first. The native program alone changes peak torques by 7e-5 when start and slope are turned by 10 degrees.
  const allowed = (path) => (/_max/.test(path) ? 1e-4 : 1e-6);
  for (const scenario of ["gradeability"]) { // own_track, on the grid of scm, lets last bits grow; above it is held bit for bit
    const folder = temporary(`native_${scenario}`);
    execFileSync(process.env.GROUSER, ["run", scenario, "--set", "stop.time_s=10", "-o", folder], { stdio: "ignore", env: { ...process.env, GROUSER_DATA: join(root, "data") } });
    const native = numbers(JSON.parse(readFileSync(join(folder, "summary.json"), "utf8")));
    const page = numbers((await simulate(scenario, 10)).done);
    let [worst, where, limit] = [0, "", 1];
    for (const [path, value] of native) {
      const other = page.get(path);
      assert.notEqual(other, undefined, path);
      const change = Math.abs(value - other) / Math.max(Math.abs(value), floorOf(path));
      if (change / allowed(path) > worst / limit) [worst, where, limit] = [change, path, allowed(path)];
    }
    console.log(`${scenario}: ${native.size} numbers, largest deviation ${worst.toExponential(1)} (${where})`);
    assert.ok(worst < limit, `${scenario}: ${where} deviates by ${worst}`);
  }
});

test("the page simulates from file://: it moves, and arrow keys drive", { skip }, async () => {
  const file = temporary("playground.html");
  execFileSync(process.env.GROUSER, ["export", "playground", "mixed_soils", "-o", file], { stdio: "ignore" });
  const browser = await launch();
  const page = await open(browser, file);
  const { tab } = page;
  const state = () => tab.evaluate(() => ({ time: window.grouserView.time, pose: window.grouserView.pose(0).position, ...window.grouserView.state }));
  assert.equal(page.ready, "");
  await tab.waitForFunction(() => window.grouserView.time > 0.5, null, { timeout: 30000 });
  const first = await state();
  await tab.waitForFunction((t) => window.grouserView.time > t + 1, first.time, { timeout: 30000 });
  const second = await state();
  assert.ok(Math.hypot(second.pose[0] - first.pose[0], second.pose[1] - first.pose[1]) > 0.005, "the rover moves");
  await tab.locator("#view").click({ position: { x: 30, y: 400 } });
  await tab.keyboard.down("ArrowUp");
  await tab.keyboard.down("ArrowLeft");
  await tab.waitForFunction(() => /by hand|manual|you drive/i.test(document.body.innerText), null, { timeout: 20000 });
  await tab.keyboard.up("ArrowLeft");
  await tab.keyboard.up("ArrowUp");
  assert.deepEqual(page.requests.filter((r) => !r.startsWith("blob:") && !r.startsWith("data:") && r !== page.url), []);
  assert.deepEqual(await tab.evaluate(() => window.violations), []);
  assert.deepEqual(page.problems, []);
  await browser.close();
});
