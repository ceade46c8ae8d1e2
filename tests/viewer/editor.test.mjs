// grouser edit in the browser against the real server: a start that is dragged, checks, undo, a saved file with the user's comments
// that runs with the same numbers, and names that stay text.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, temporary } from "./support.mjs";

const program = process.env.GROUSER ?? "grouser";
const folder = temporary("edited");
mkdirSync(folder);
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const SCENARIO = `# My scenario: é, and a note that must stay
title: "A drive <b>to</b> nowhere"   # a title
rover: mer_like  # six wheels
soil: mars_sand
gravity: mars

# where it begins
start: {x_m: 0, y_m: 0, heading_deg: 0}   # in the middle
drive:
  speed_mps: 0.05   # slowly
  path: [[4, 0]]
stop: {time_s: 2}
# the end
`;

/** Starts the editor; the result has its address, and what it printed when it is told to stop. */
async function edit(file, context) {
  const server = spawn(program, ["edit", file, "--no-browser", "--port", "0"], { cwd: folder });
  let printed = "";
  let said = "";
  server.stderr.on("data", (text) => (said += text));
  const url = await new Promise((resolve, reject) => {
    server.stdout.on("data", (text) => {
      printed += text;
      const found = /http:\/\/\S+/.exec(printed);
      if (found) resolve(found[0]);
    });
    server.on("exit", () => reject(new Error(said)));
  });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const stop = async () => { server.kill("SIGINT"); await ended; return printed; };
  context.after(() => { server.kill("SIGKILL"); });
  return { url, stop };
}

async function open(url, viewport = { width: 1100, height: 700 }) {
  const tab = await browser.newPage({ viewport });
  tab.setDefaultTimeout(60000);
  const problems = [];
  tab.on("pageerror", (e) => problems.push(e.message));
  tab.on("console", (m) => { if (m.type() === "error") problems.push(m.text()); });
  await tab.goto(url);
  await tab.evaluate(() => window.grouserView.ready);
  await tab.waitForSelector("#tab-edit textarea", { state: "attached" });
  return { tab, problems };
}

const text = (tab) => tab.inputValue("#tab-edit textarea");
const until = (tab, value) => tab.waitForFunction((words) => document.querySelector("#tab-edit textarea").value.includes(words), value);

test("start dragged, checked, undone, saved with its comments, and run with the same numbers", async (context) => {
  const file = `${folder}/drive.yaml`;
  writeFileSync(file, SCENARIO);
  const { url, stop } = await edit("drive.yaml", context).catch((e) => assert.fail(e));
  const { tab, problems } = await open(url);
  assert.equal(await text(tab), SCENARIO);
  assert.equal(await tab.textContent(".checks"), "The scenario can run.");
  assert.equal(await tab.locator("#title b").count(), 0, "a title is text");

  await tab.evaluate(async () => { await window.grouserView.camera("top"); });
  const box = await tab.locator('.handle[data-path="start"]').boundingBox();
  const target = await tab.evaluate(() => window.grouserView.project(1.5, 1, 0));
  await tab.mouse.move(box.x + box.width / 2, box.y + box.height - 2);
  await tab.mouse.down();
  await tab.mouse.move(target.x - 20, target.y, { steps: 3 });
  await tab.mouse.move(target.x, target.y, { steps: 3 });
  await tab.mouse.up();
  await tab.waitForFunction(() => /start: \{x_m: 1\.\d+, y_m: (0\.9|1)/.test(document.querySelector("#tab-edit textarea").value));
  const moved = /start: \{x_m: ([\d.]+), y_m: ([\d.]+)/.exec(await text(tab)).slice(1).map(Number);
  assert.ok(Math.hypot(moved[0] - 1.5, moved[1] - 1) < 0.1, `dropped at ${moved}`);
  await tab.waitForFunction((x) => Math.abs(window.grouserView.pose(0).position[0] - x) < 0.2, moved[0]);
  assert.equal(readFileSync(file, "utf8"), SCENARIO, "nothing is written without save");

  // A wrong value: the message is there, the picture stays, and undo brings the text back.
  const before_ = await text(tab);
  await tab.fill("#tab-edit textarea", before_.replace("speed_mps: 0.05", "speed_mps: fast"));
  await tab.waitForSelector(".checks .bad");
  assert.match(await tab.textContent(".checks"), /line 10, drive\.speed_mps/);
  await tab.click('button:has-text("Undo")');
  await until(tab, "speed_mps: 0.05");
  await tab.waitForSelector(".checks .good");
  await tab.click('button:has-text("Redo")');
  await tab.waitForSelector(".checks .bad");
  await tab.keyboard.press("Control+z");
  await tab.waitForSelector(".checks .good");

  // A handle moves with the keys too.
  await tab.focus('.handle[data-path="drive.path[0]"]');
  await tab.keyboard.press("Shift+ArrowUp");
  await until(tab, "path: [[4, 1]]");

  await tab.keyboard.press("Control+s");
  await tab.waitForSelector(".badge.good");
  const saved = readFileSync(file, "utf8");
  assert.equal(saved, await text(tab));
  assert.equal(saved, SCENARIO.replace("x_m: 0, y_m: 0", `x_m: ${moved[0]}, y_m: ${moved[1]}`).replace("[[4, 0]]", "[[4, 1]]"), "only the values changed");

  await tab.click('button[aria-label="Play"]');
  await tab.waitForFunction(() => window.grouserView.state.end >= 2 && !window.grouserView.state.playing);
  await tab.waitForSelector("#outcome:not([hidden])");
  assert.deepEqual(problems, []);
  await tab.close();
  const here = /state_hash (\w+)/.exec(await stop())[1];
  const there = JSON.parse(execFileSync(program, ["run", "drive.yaml", "--json", "-o", "run"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }));
  assert.equal(here, there.state_hash);
});

test("on a map with a hostile name: window chosen, soil painted, rover, crater and keys set; the saved file runs with the same numbers", async (context) => {
  const name = '<img src=x onerror=document.title=1>&"\'.tif';
  execFileSync(program, ["terrain", "generate", "--size", "60", "--cell", "0.5", "--add", "fractal:hurst=0.8,rms_m=0.05,lag_m=5", "-o", `./${name}`], { cwd: folder, stdio: "ignore" });
  const { url, stop } = await edit(`./${name}`, context).catch((e) => assert.fail(e));
  const { tab, problems } = await open(url);
  assert.equal(await tab.textContent("#title"), name);
  assert.equal(await tab.locator("#side img[src=x], #top img").count(), 0, "the name is text");
  assert.equal(await tab.textContent(".file b"), `${name.slice(0, -4)}.yaml`);

  // The window: from a quarter to three quarters of the map.
  await tab.locator("canvas.map").scrollIntoViewIfNeeded();
  await tab.click('.window button:has-text("Slope")');
  const map = await tab.locator("canvas.map").boundingBox();
  await tab.mouse.move(map.x + map.width / 4, map.y + map.height / 4);
  await tab.mouse.down();
  await tab.mouse.move(map.x + map.width / 2, map.y + map.height / 2, { steps: 2 });
  await tab.mouse.move(map.x + (3 * map.width) / 4, map.y + (3 * map.height) / 4, { steps: 2 });
  await tab.mouse.up();
  await until(tab, "window_pixel: [");
  const window_ = /window_pixel: \[(\d+), (\d+), (\d+), (\d+)\]/.exec(await text(tab)).slice(1).map(Number);
  for (const [k, expected] of [30, 30, 60, 60].entries()) assert.ok(Math.abs(window_[k] - expected) <= 2, `window ${window_}`);
  await tab.waitForFunction(() => window.grouserView.grounds()[0].nx < 70);
  await tab.waitForSelector(".checks .good");

  // A stroke of the brush across the start.
  await tab.evaluate(async () => { await window.grouserView.camera("top"); });
  await tab.selectOption(".paint select", "mars_drift");
  await tab.click('.paint button:has-text("Brush")');
  const from = await tab.evaluate(() => window.grouserView.project(-2, 1.5, 0));
  const to = await tab.evaluate(() => window.grouserView.project(2, 1.5, 0));
  await tab.mouse.move(from.x, from.y);
  await tab.mouse.down();
  await tab.mouse.move((from.x + to.x) / 2, from.y, { steps: 3 });
  await tab.mouse.move(to.x, to.y, { steps: 3 });
  await tab.mouse.up();
  await until(tab, "near(1: ");
  const stroke = /mars_drift: near\(1: (-?[\d.]+) (-?[\d.]+), (-?[\d.]+) (-?[\d.]+)\)/.exec(await text(tab)).slice(1).map(Number);
  for (const [k, expected] of [-2, 1.5, 2, 1.5].entries()) assert.ok(Math.abs(stroke[k] - expected) < 0.3, `stroke ${stroke}`);
  assert.equal(await tab.evaluate(() => window.grouserView.state.colour), "soil");
  await tab.click('.paint button:has-text("Brush")');
  await tab.click('.paint button:has-text("Add rule")');
  await until(tab, 'rules:\n    - "mars_drift: slope_deg>10"\n    - "mars_drift: near');
  await tab.click('.rules button[aria-label="Remove rule 1"]');
  await tab.waitForFunction(() => document.querySelectorAll(".rules li").length === 1);

  // From lists with pictures, and by the field of a key.
  await tab.click('.choices summary:has-text("Rover")');
  await tab.click('.cards label[title*="Curiosity"]');
  await until(tab, "rover: curiosity_like");
  await tab.waitForFunction(() => [...document.querySelectorAll(".cards img")].some((i) => i.complete && i.naturalWidth > 0));
  await tab.click('.choices summary:has-text("Gravity")');
  await tab.click('.cards label:has-text("moon")');
  await until(tab, "gravity: moon");
  await tab.fill('.keys ~ input, input[aria-label="Find a key"]', "stop.time_s");
  await tab.fill('input[aria-label="stop.time_s"]', "-1");
  await tab.press('input[aria-label="stop.time_s"]', "Tab");
  await tab.waitForSelector(".problem.bad");
  assert.match(await tab.textContent('label.field:has(input[aria-label="stop.time_s"])'), /-1/, "the message stands at its field");
  await tab.fill('input[aria-label="stop.time_s"]', "1.5");
  await tab.press('input[aria-label="stop.time_s"]', "Tab");
  await until(tab, "time_s: 1.5");
  await tab.waitForSelector(".checks li:not(.bad)");

  // A crater by a click.
  await tab.click('button:has-text("Crater")');
  const place = await tab.evaluate(() => window.grouserView.project(3, -3, 0));
  await tab.mouse.click(place.x, place.y);
  await until(tab, "crater: {x_m: ");
  await tab.waitForSelector('.handle.thing[data-path="terrain.add[0].crater"]');

  await tab.click('button:has-text("Save")');
  await tab.waitForSelector(".badge.good");
  await tab.click('button[aria-label="Play"]');
  await tab.waitForSelector("#outcome:not([hidden])");
  assert.deepEqual(problems, []);
  await tab.close();
  const here = /state_hash (\w+)/.exec(await stop())[1];
  const there = JSON.parse(execFileSync(program, ["run", `./${name.slice(0, -4)}.yaml`, "--json", "-o", "painted"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }));
  assert.equal(here, there.state_hash);
});

test("a rover: loads, clearance, tip angles and the drawing follow a change of its file", async (context) => {
  const { url } = await edit("mer_like", context).catch((e) => assert.fail(e));
  const { tab, problems } = await open(url);
  await tab.waitForFunction(() => document.getElementById("drawing").naturalWidth > 0);
  const facts = () => tab.evaluate(() => Object.fromEntries([...document.querySelectorAll(".facts dt")].map((d) => [d.textContent, parseFloat(d.nextSibling.textContent)])));
  const first = await facts();
  assert.ok(first.forward > 20 && first["ground clearance"] > 0.2);
  const drawing = await tab.getAttribute("#drawing", "src");
  await tab.fill('input[aria-label="Find a key"]', "total_mass");
  await tab.fill('input[aria-label="params.total_mass"]', "250");
  await tab.press('input[aria-label="params.total_mass"]', "Enter");
  await tab.waitForFunction((was) => document.getElementById("drawing").src !== was, drawing);
  const second = await facts();
  assert.equal(second.mass, 250);
  assert.ok(second.wheel_front_left > 1.2 * first.wheel_front_left, "more load on the wheels");
  await tab.fill("#tab-edit textarea", "bodies: {}\n");
  await tab.waitForSelector(".checks .bad");
  assert.ok(!existsSync(`${folder}/mer_like.yaml`), "nothing is written without save");
  assert.deepEqual(problems, []);
  await tab.close();
});

test("a file that another program changed is not replaced without asking", async (context) => {
  const file = `${folder}/shared.yaml`;
  writeFileSync(file, SCENARIO);
  const { url } = await edit("shared.yaml", context);
  const { tab } = await open(url);
  writeFileSync(file, "# other\n");
  await tab.fill("#tab-edit textarea", SCENARIO.replace("time_s: 2", "time_s: 3"));
  await tab.click('button:has-text("Save")');
  await tab.waitForSelector('button:has-text("Save over it")');
  assert.equal(readFileSync(file, "utf8"), "# other\n");
  await tab.click('button:has-text("Save over it")');
  await tab.waitForSelector(".badge.good");
  assert.match(readFileSync(file, "utf8"), /time_s: 3/);
  await tab.close();
});

test("a text that makes no run is opened all the same, and runs when it is corrected", async (context) => {
  writeFileSync(`${folder}/broken.yaml`, "rover: mer_lik\nsoil: mars_sand\n");
  const { url } = await edit("broken.yaml", context);
  const { tab } = await open(url);
  assert.match(await tab.textContent(".checks"), /mer_like/);
  await tab.fill("#tab-edit textarea", "rover: mer_like\nsoil: mars_sand\n");
  await tab.waitForSelector(".checks .good");
  await tab.waitForFunction(() => window.grouserView.state.samples > 0);
  await tab.close();
  assert.ok(!existsSync(`${folder}/mer_like.yaml`));
});

test("tools and hints do not cover each other at 900 and 400 pixels", async (context) => {
  writeFileSync(`${folder}/narrow.yaml`, SCENARIO);
  const { url } = await edit("narrow.yaml", context);
  for (const width of [900, 400]) {
    const { tab } = await open(url, { width, height: 700 });
    if (width === 400) await tab.click("#open-panel");
    const wide = await tab.evaluate(() => { const pane = document.getElementById("tab-edit"); return pane.scrollWidth - pane.clientWidth; });
    assert.ok(wide <= 0, `the panel is not wider than its room at ${width}`);
    const boxes = await tab.evaluate(() => {
      const box = (e) => { const b = e.getBoundingClientRect(); return { left: b.left, right: b.right, top: b.top, bottom: b.bottom }; };
      return { tools: [...document.querySelectorAll("#tools button")].map(box), hint: box(document.getElementById("hint")), view: box(document.getElementById("view")) };
    });
    assert.ok(boxes.tools.every((b) => b.right <= boxes.view.right && b.left >= boxes.view.left), `all tools are in the picture at ${width}`);
    assert.ok(boxes.tools.every((b) => b.bottom <= boxes.hint.top || boxes.hint.bottom === 0), `the hint is below the tools at ${width}`);
    await tab.close();
  }
});
