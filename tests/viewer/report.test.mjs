// report.html in Debian's Chromium, from file://: cursor, zoom, switches and links of its plots, and what a text from a
// file or a browser without script makes of it. A run of the program itself is looked at.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, temporary } from "./support.mjs";

const grouser = process.env.GROUSER;
const ATTACK = `<img src=x onerror='window.hacked=1'></script><script>window.hacked=2</script>`;
const DURATION = 20;
let browser;
let run;
let csv;

const simulate = (folder, ...more) => execFileSync(grouser, ["run", "gradeability", "-o", folder, "--set", `stop.time_s=${DURATION}`, ...more], { stdio: "pipe" });

before(async () => {
  run = temporary("report.run");
  simulate(run);
  const rows = readFileSync(join(run, "run.csv"), "utf8").trim().split("\n").map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/));
  csv = { column: (name) => { const k = rows[0].indexOf(name); assert.ok(k >= 0, name); return rows.slice(1).map((r) => Number(r[k])); } };
  browser = await launch(["--disable-gpu"]);
});
after(() => browser?.close());

async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const tab = await context.newPage();
  const requests = [];
  const problems = [];
  tab.on("request", (r) => requests.push(r.url()));
  tab.on("pageerror", (e) => problems.push(e.message));
  tab.on("console", (m) => { if (["error", "warning"].includes(m.type())) problems.push(m.text()); });
  const url = pathToFileURL(file).href;
  await tab.goto(url);
  return { tab, context, requests, problems, url };
}

const report = () => join(run, "report.html");
const panelOf = (tab, title, by = "time") => tab.locator(`.by-${by} [data-title="${title}"]`);

/** Client coordinates at parts of a plot's rectangle. */
async function place(panel, fx, fy = 0.5) {
  await panel.evaluate((g) => g.ownerSVGElement.scrollIntoView({ block: "center" }));
  return panel.evaluate((g, [u, v]) => {
    const [left, top, width, height] = g.dataset.plot.split(" ").map(Number);
    const p = new DOMPoint(left + u * width, top + v * height).matrixTransform(g.ownerSVGElement.getScreenCTM());
    return { x: p.x, y: p.y };
  }, [fx, fy]);
}

async function hover(tab, panel, fx) {
  const p = await place(panel, fx);
  await tab.mouse.move(p.x, p.y);
}

async function drag(tab, panel, from, to) {
  const a = await place(panel, from);
  const b = await place(panel, to);
  await tab.mouse.move(a.x, a.y);
  await tab.mouse.down();
  await tab.mouse.move((a.x + b.x) / 2, a.y);
  await tab.mouse.move(b.x, b.y);
  await tab.mouse.up();
}

const number = (text) => Number(text.replace("\u2212", "-").match(/-?[\d.]+/)[0]);

/** What the tip says: {x, rows: {name: {value, low, high}}}. */
async function tip(tab) {
  const cells = await tab.locator(".tip .rows > *").allTextContents();
  const rows = {};
  for (let i = 0; i < cells.length; i += 4) {
    const [low, high] = cells[i + 3] ? cells[i + 3].split(" to ").map(number) : [number(cells[i + 2]), number(cells[i + 2])];
    rows[cells[i + 1]] = { value: number(cells[i + 2]), low, high };
  }
  return { x: number((await tab.locator(".tip b").textContent()).replace(/^\D*?(?=[-\u2212\d])/, "")), rows };
}

const ticks = (panel) => panel.locator("[data-ticks] text").allTextContents();
const range = (labels) => labels.map(number);

test("the only script is the one whose hash the policy names, and the run has its replay beside it", () => {
  const page = readFileSync(report(), "utf8");
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)];
  assert.equal(scripts.length, 1);
  const hash = createHash("sha256").update(scripts[0][1]).digest("base64");
  assert.ok(page.includes(`script-src 'sha256-${hash}';`), "the hash of the script");
  assert.ok(!/script-src[^;]*unsafe/.test(page));
  assert.ok(existsSync(join(run, "replay.html")));
});

test("the cursor shows the values that run.csv has there", async () => {
  const { tab, context, requests, problems, url } = await open(report());
  const panel = panelOf(tab, "wheel load");
  const time = csv.column("time_s");
  const columns = [...readFileSync(join(run, "run.csv"), "utf8").split("\n", 1)[0].matchAll(/(\w+)\.load_N/g)].map((m) => m[1]);
  assert.ok(columns.length >= 4);
  for (const at of [0.23, 0.5, 0.81]) {
    await hover(tab, panel, at);
    const shown = await tip(tab);
    assert.ok(Math.abs(shown.x - at * DURATION) < 0.02 * DURATION, `cursor at ${shown.x}`);
    assert.deepEqual(Object.keys(shown.rows).sort(), [...columns].sort());
    const sample = time.reduce((best, t, i) => (Math.abs(t - shown.x) < Math.abs(time[best] - shown.x) ? i : best), 0);
    for (const wheel of columns) {
      const { value, low, high } = shown.rows[wheel];
      const loads = csv.column(`${wheel}.load_N`);
      // A hundredth of a pixel and the last digit shown, of an axis of less than 2000 N over 180 px.
      const rounding = 2000 * (0.01 / 180) + 1;
      assert.ok(loads[sample] >= low - rounding && loads[sample] <= high + rounding, `${wheel} at ${shown.x}: ${loads[sample]} in ${low} to ${high}`);
      assert.ok(value >= low - rounding && value <= high + rounding);
    }
  }
  // All plots of the same axis show the cursor, at the same value.
  assert.equal(await panelOf(tab, "slip").locator(".cursor").getAttribute("visibility"), "visible");
  await hover(tab, panelOf(tab, "contact states"), 0.5);
  const states = await tab.locator(".tip .value").allTextContents();
  assert.equal(states.length, columns.length);
  assert.ok(states.every((s) => /soft|rigid|rock/.test(s)), states.join());
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, [url]);
  await context.close();
});

test("a drag zooms all plots of the axis, with right ticks; double click and button return", async () => {
  const { tab, context, problems } = await open(report());
  const slip = panelOf(tab, "slip");
  const speed = panelOf(tab, "speed");
  const whole = await ticks(slip);
  assert.deepEqual(range(whole), range(await ticks(speed)));
  await drag(tab, slip, 0.25, 0.5);
  for (const panel of [slip, speed, panelOf(tab, "contact states")]) {
    const labels = range(await ticks(panel));
    assert.ok(labels.length >= 3 && labels[0] >= 0.25 * DURATION - 0.2 && labels.at(-1) <= 0.5 * DURATION + 0.2, labels.join());
    // A tick stands where its value is: the middle of the range is the middle of the plot.
    const [first, last] = await panel.evaluate((g) => { const t = [...g.querySelectorAll("[data-ticks] text")]; return [t[0], t.at(-1)].map((e) => Number(e.getAttribute("x"))); });
    const [left, , width] = (await panel.getAttribute("data-plot")).split(" ").map(Number);
    const a = left + (width * (labels[0] - 0.25 * DURATION)) / (0.25 * DURATION);
    const b = left + (width * (labels.at(-1) - 0.25 * DURATION)) / (0.25 * DURATION);
    assert.ok(Math.abs(first - a) < 3 && Math.abs(last - b) < 3, `${first} ${last} for ${a} ${b}`); // whole client pixels
  }
  await hover(tab, slip, 0.5);
  assert.ok(Math.abs((await tip(tab)).x - 0.375 * DURATION) < 0.01 * DURATION, "the cursor follows the zoom");
  assert.deepEqual(await ticks(panelOf(tab, "slip", "distance")), await ticks(panelOf(tab, "speed", "distance")));
  // Zoomed data are cut off at the axes of their own drawing, whichever of the two kinds of plots is shown.
  assert.deepEqual(await tab.evaluate(() => [...document.querySelectorAll("[data-plot] [clip-path]")].filter((g) => document.querySelector(g.getAttribute("clip-path").slice(4, -1)).ownerSVGElement !== g.ownerSVGElement).length), 0);
  const p = await place(slip, 0.5);
  await tab.mouse.dblclick(p.x, p.y);
  assert.deepEqual(await ticks(slip), whole);
  assert.deepEqual(await ticks(speed), whole);
  await drag(tab, slip, 0.6, 0.9);
  assert.notDeepEqual(await ticks(slip), whole);
  await tab.locator(".by-time .reset:visible").first().click();
  assert.deepEqual(await ticks(slip), whole);
  assert.deepEqual(problems, []);
  await context.close();
});

test("a wheel's button hides it in all plots, by keyboard too", async () => {
  const { tab, context } = await open(report());
  const buttons = tab.locator("h2:has-text('Wheels') + .legend button[aria-pressed]");
  const name = await buttons.first().textContent();
  const shown = () => tab.evaluate((wheel) => [...document.querySelectorAll(`h2 + .legend + .plots [data-series="${wheel}"]`)].filter((g) => g.style.display !== "none" && !g.querySelector("rect")).length, name);
  const all = await shown();
  assert.ok(all >= 2 * 5, `${all} groups of ${name}`);
  await buttons.first().click();
  assert.equal(await buttons.first().getAttribute("aria-pressed"), "false");
  assert.equal(await shown(), 0);
  await hover(tab, panelOf(tab, "slip"), 0.5);
  assert.ok(!(name in (await tip(tab)).rows), "nor in the tip");
  await buttons.first().focus();
  await tab.keyboard.press("Enter");
  assert.equal(await shown(), all);
  await buttons.nth(1).click({ modifiers: ["Shift"] });
  assert.equal(await shown(), 0);
  await tab.locator(".legend .all:visible").click();
  assert.equal(await shown(), all);
  await context.close();
});

test("links lead to the replay at the cursor, against time and distance, and a click pins it", async () => {
  const { tab, context } = await open(report());
  const link = (panel) => panel.evaluate((g) => g.closest("figure").querySelector("a.replay").getAttribute("href"));
  const slip = panelOf(tab, "slip");
  assert.equal(await tab.locator(".by-time a.replay").count(), await tab.locator(".by-time svg").count(), "every plot has one");
  await hover(tab, slip, 0.4);
  const { x } = await tip(tab);
  const [file, t] = (await link(slip)).split("#t=");
  assert.equal(file, "replay.html");
  assert.ok(Math.abs(Number(t) - x) < 0.02, `${t} for ${x}`);
  const p = await place(slip, 0.4);
  await tab.mouse.click(p.x, p.y);
  await tab.mouse.move(p.x + 150, p.y);
  assert.equal((await tip(tab)).x, x, "pinned");
  await tab.keyboard.press("Escape");
  assert.ok(await tab.locator(".tip").isHidden());

  await tab.locator("label[for=by-distance]").click();
  const far = panelOf(tab, "slip", "distance");
  await hover(tab, far, 0.7);
  const { x: d } = await tip(tab);
  const distance = csv.column("distance_m");
  const time = csv.column("time_s");
  const [early, late] = [distance.findIndex((v) => v >= d - 0.02), distance.findIndex((v) => v >= d + 0.02)];
  const seconds = Number((await link(far)).split("#t=")[1]);
  assert.ok(seconds >= time[early] - 0.1 && seconds <= time[late < 0 ? time.length - 1 : late] + 0.1, `${seconds} s at ${d} m`);
  // The replay takes it.
  const target = (await link(far));
  await tab.goto(new URL(target, pathToFileURL(report())).href);
  await tab.evaluate(() => window.grouserView.ready);
  assert.ok(Math.abs((await tab.evaluate(() => window.grouserView.time)) - seconds) < 1e-3);
  await context.close();
});

test("arrow keys move the cursor, Escape leaves", async () => {
  const { tab, context } = await open(report());
  await panelOf(tab, "slip").evaluate((g) => g.ownerSVGElement.scrollIntoView());
  await tab.locator("label[for=by-time]").click();
  await tab.locator("h2:has-text('Wheels') + .legend button[aria-pressed]").last().focus();
  await tab.keyboard.press("Tab");
  const first = (await tip(tab)).x;
  await tab.keyboard.press("ArrowRight");
  const second = (await tip(tab)).x;
  await tab.keyboard.press("Shift+ArrowLeft");
  const third = (await tip(tab)).x;
  assert.ok(second > first && third < first, `${first} ${second} ${third}`);
  await tab.keyboard.press("End");
  assert.ok(Math.abs((await tip(tab)).x - DURATION) < 0.1);
  await tab.keyboard.press("+");
  assert.ok(range(await ticks(panelOf(tab, "slip")))[0] >= DURATION / 2 - 0.1);
  await tab.keyboard.press("Escape");
  assert.ok(await tab.locator(".tip").isHidden());
  await context.close();
});

test("a phone of 400 pixels: no horizontal overflow, values by touch", async () => {
  const { tab, context, problems } = await open(report(), { viewport: { width: 400, height: 800 }, hasTouch: true, isMobile: true });
  for (const at of [0.05, 0.5, 0.95]) {
    const p = await place(panelOf(tab, "slip"), at);
    await tab.touchscreen.tap(p.x, p.y);
    const shown = await tip(tab);
    assert.ok(Math.abs(shown.x - at * DURATION) < 0.03 * DURATION, `${shown.x} at ${at}`);
    const box = await tab.locator(".tip").boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 400, JSON.stringify(box));
    assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 400);
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test("a malicious title does not run, and the page reads without JavaScript", async () => {
  const folder = temporary("attack.run");
  simulate(folder, "--set", `title="${ATTACK}"`, "--set", "stop.time_s=0.5");
  const page = await open(join(folder, "report.html"));
  assert.equal(await page.tab.locator("h1").textContent(), ATTACK);
  assert.equal(await page.tab.evaluate(() => window.hacked), undefined);
  // Had it become markup, the policy would stop it.
  const broken = temporary("broken.html");
  writeFileSync(broken, readFileSync(join(folder, "report.html"), "utf8").replace("<h1>", `<script>window.hacked=3</script><h1>`));
  const stopped = await open(broken);
  assert.equal(await stopped.tab.evaluate(() => window.hacked), undefined);
  assert.ok(stopped.problems.length > 0, "the violation is reported");
  await page.context.close();
  await stopped.context.close();

  const plain = await open(report(), { javaScriptEnabled: false });
  assert.ok(await plain.tab.locator(".by-time svg").first().isVisible());
  assert.ok(await plain.tab.locator("a[href='replay.html']").isVisible());
  assert.equal(await plain.tab.locator("button").count(), 0);
  await plain.tab.locator("label[for=by-distance]").click();
  assert.ok(await plain.tab.locator(".by-distance svg").first().isVisible());
  await plain.context.close();
});

test("a click on a dot of a study marks its run in all figures and shows the command", async () => {
  const folder = temporary("study");
  mkdirSync(folder, { recursive: true });
  execFileSync(grouser, ["sweep", "slip_on_slope", "-o", join(folder, "slip.db")], { cwd: folder, stdio: "pipe" });
  const { tab, context, problems, requests } = await open(join(folder, "slip.html"));
  const figures = await tab.locator("svg:has(circle title)").count();
  const dot = tab.locator("circle").nth(700); // under a line or band, as the pointer meets it
  await dot.scrollIntoViewIfNeeded();
  const title = await dot.locator("title").textContent();
  const id = /^run (\d+):/.exec(title)[1];
  const box = await dot.boundingBox();
  await tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const bar = tab.locator(".run");
  assert.match(await bar.textContent(), /^run \d+: .*grouser run --from \S*slip\.db:\d+/);
  const chosen = /^run (\d+):/.exec(await bar.textContent())[1];
  assert.ok((await bar.locator("code").textContent()).endsWith(`:${chosen}`));
  assert.ok(Number(id) > 0);
  const rings = await tab.locator(".ring").count();
  assert.ok(rings > figures / 2 && rings <= 2 * figures, `${rings} rings in ${figures} figures`);
  await tab.keyboard.press("Escape");
  assert.equal(await bar.isVisible(), false);
  assert.equal(await tab.locator(".ring").count(), 0);
  assert.deepEqual(problems, []);
  assert.equal(requests.length, 1);
  await context.close();
});
