// The single-file replay in Debian's Chromium, opened from file://: it asks for nothing, shows the run, and lets nobody's text run.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { brightness, decodePng, difference, launch, meanColour, open, replayFile } from "./support.mjs";
import { heightAt, kinematics, makeRun, RUT_DEPTH } from "./synthetic.mjs";

// To open a page takes longest: tests that look at the same one follow each other on it, and only the scene has a large map.
const made = makeRun({ nodes: 65 });
const [ox, oy, oz] = made.options.origin;
let browser;
let file;
let shared;

before(async () => {
  browser = await launch();
  file = replayFile("synthetic", [{ name: "synthetic", bytes: made.bytes }]);
});
after(() => browser?.close());

const SMALL = { viewport: { width: 640, height: 400 } };
const shot = async (tab) => decodePng(await tab.screenshot());
const clean = async (page) => {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(await page.tab.evaluate(() => window.violations), []);
};
/** Only the scene: panels and texts would cover it. */
const bare = (tab) => tab.evaluate(() => {
  for (const id of ["tools", "figures", "legends", "labels", "hint"]) document.getElementById(id).style.visibility = "hidden";
});

test("opens from file:// without a request, error or policy violation, at the time that the address names", async () => {
  // A language tag that number formats refuse does no harm.
  shared = await open(browser, file, { hash: "#t=12.5", language: "en-US@posix" });
  assert.equal(shared.ready, "");
  assert.ok(Math.abs((await shared.tab.evaluate(() => window.grouserView.time)) - 12.5) < 1e-9);
  assert.deepEqual(shared.requests.filter((r) => r.split("#")[0] !== shared.url.split("#")[0]), []);
  await clean(shared);
  assert.equal(await shared.tab.textContent("#title"), "A made-up run");
  assert.equal(await shared.tab.evaluate(() => document.documentElement.dataset.theme), "light");
});

test("an address with a place shows when the rover is nearest to it, and marks it", async () => {
  const { tab } = shared;
  const [x, y] = kinematics(9).chassis.p;
  await tab.evaluate((place) => { location.hash = `#at=${place}`; }, [x + ox, y + oy + 0.4].join(","));
  await tab.waitForFunction(() => Math.abs(window.grouserView.time - 9) < 0.051);
  await tab.evaluate(() => window.grouserView.setTime(9));
  assert.ok((await tab.locator("#labels .mark").allTextContents()).includes("!"));
  await clean(shared);
});

test("plots show slip in percent and sinkage in millimetres", async () => {
  const { tab } = shared;
  const titles = await tab.evaluate(() => [...document.querySelectorAll(".plot h3")].map((h) => h.textContent));
  assert.deepEqual(titles.slice(0, 2), ["slip [%]", "sinkage [mm]"]);
  const shown = await tab.evaluate(() => [...document.querySelectorAll(".plot")].map((p) => Number(p.querySelector(".line b").textContent)));
  assert.ok(Math.abs(shown[1] - 1000 * RUT_DEPTH) < 5.1, `sinkage ${shown[1]} mm of ${RUT_DEPTH} m`);
  assert.ok(shown[0] > 1 && shown[0] < 100, `slip ${shown[0]} % is no fraction`);
});

test("a click in a plot jumps to that time", async () => {
  const box = await shared.tab.locator(".u-over").first().boundingBox();
  await shared.tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const time = await shared.tab.evaluate(() => window.grouserView.time);
  assert.ok(Math.abs(time - 15) < 0.5, `the middle of 30 s, not ${time}`);
});

test("keys work for time, cameras, overlays, help; typing in a field is not a command", async () => {
  const { tab } = shared;
  const state = () => tab.evaluate(() => ({ ...window.grouserView.state, time: window.grouserView.time }));
  await tab.keyboard.press("Home");
  assert.equal((await state()).time, 0);
  await tab.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await state()).time - 1) < 1e-9);
  await tab.keyboard.press(".");
  assert.ok(Math.abs((await state()).time - 1.1) < 1e-6, "one sample on");
  await tab.keyboard.press(",");
  assert.ok(Math.abs((await state()).time - 1) < 1e-6);
  await tab.keyboard.press("]");
  assert.equal((await state()).speed, 2);
  await tab.keyboard.press("4");
  assert.equal((await state()).camera, "top");
  await tab.keyboard.press("f");
  assert.ok((await state()).overlays.includes("forces"));
  await tab.keyboard.press("g");
  assert.equal((await state()).colour, "height");
  await tab.keyboard.press("Space");
  assert.equal((await state()).playing, true);
  await tab.waitForFunction(() => window.grouserView.time > 1.2, null, { timeout: 20000 });
  await tab.keyboard.press("Space");
  assert.equal((await state()).playing, false);
  await tab.keyboard.press("End");
  assert.equal((await state()).time, 30);
  await tab.keyboard.press("?");
  assert.ok(await tab.isVisible("dialog.help"));
  await tab.keyboard.press("Escape");
  assert.equal(await tab.locator("dialog").count(), 0);
  await tab.keyboard.press("n");
  await tab.keyboard.type("fz_N 4");
  assert.equal((await state()).camera, "top", "digits in the search field are text");
  await tab.keyboard.press("Escape");
  // Everything that can be clicked has a name, and the focus can be seen.
  const nameless = await tab.evaluate(() => [...document.querySelectorAll("button, select, input, canvas")].filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim() || e.title || e.hidden)).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
  await tab.keyboard.press("Tab");
  assert.ok(await tab.evaluate(() => document.activeElement !== document.body && getComputedStyle(document.activeElement).outlineStyle !== "none"));
  await clean(shared);
  await shared.context.close();
});

test("scrubbing shows an earlier pose; rover, ground and track are in the picture", async () => {
  shared = await open(browser, replayFile("scene", [{ name: "scene", bytes: makeRun().bytes }]));
  const { tab } = shared;
  await bare(tab);
  await tab.evaluate(async () => {
    const v = window.grouserView;
    await v.overlay("path", false);
    await v.sun(200, 60);
    await v.camera("orbit");
  });
  // A fixed camera over the middle of the route.
  await tab.evaluate(async () => { await window.grouserView.setTime(15); await window.grouserView.camera("follow"); await window.grouserView.camera("orbit"); await window.grouserView.orbit(-1.57, 1.1, 9); });
  const deck = (t) => { const k = kinematics(t); return [k.chassis.p[0] - 0.2 + ox, k.chassis.p[1] + oy, k.chassis.p[2] + 0.31 + oz]; };
  const look = async (t, point) => {
    await tab.evaluate((time) => window.grouserView.setTime(time), t);
    const p = await tab.evaluate(([x, y, z]) => window.grouserView.project(x, y, z), point);
    return { colour: meanColour(await shot(tab), p.x, p.y, 3), p };
  };
  const late = await look(25, deck(25));
  const early = await look(5, deck(5));
  const goneLate = await look(25, deck(5));
  const notYet = await look(5, deck(25));
  // The deck is dark blue, the ground is light grey.
  for (const c of [late.colour, early.colour]) assert.ok(brightness(c) < 100, `deck should be dark: ${c}`);
  for (const c of [goneLate.colour, notYet.colour]) assert.ok(brightness(c) > 100, `ground should be light: ${c}`);
  assert.ok(Math.hypot(late.p.x - early.p.x, late.p.y - early.p.y) > 150, "4 m of travel are seen");
  const pose = await tab.evaluate(() => { window.grouserView.setTime(5); return window.grouserView.pose(0); });
  assert.ok(Math.abs(pose.position[0] - (ox + 1)) < 1e-4);

  // The track behind a wheel has the colours of the scale: strong, unlike the grey ground.
  const track = [ox + 1.5, oy + 0.5, oz + heightAt(1.5, 0.5) - RUT_DEPTH];
  const passed = await look(25, track);
  const before = await look(1, track);
  const saturation = (c) => Math.max(...c) - Math.min(...c);
  assert.ok(saturation(passed.colour) > saturation(before.colour) + 40, `track ${passed.colour} against ground ${before.colour}`);
  await clean(shared);
});

test("ruts are seen where the run left them, and only after the wheel passed", async () => {
  const { tab } = shared;
  await tab.evaluate(async () => {
    const v = window.grouserView;
    await v.overlay("track", false);
    await v.sun(90, 30);
    await v.setTime(10);
    await v.camera("orbit");
    await v.orbit(-1.57, 1.3, 5);
  });
  const sample = async (t, x, y) => {
    await tab.evaluate((time) => window.grouserView.setTime(time), t);
    const p = await tab.evaluate(([a, b, c]) => window.grouserView.project(a, b, c), [ox + x, oy + y, oz + heightAt(x, y)]);
    return meanColour(await shot(tab), p.x, p.y, 3);
  };
  const x = 2.3;
  const rut = await sample(28, x, 0.5);
  const beside = await sample(28, x, 0.95);
  const before = await sample(0, x, 0.5);
  const besideBefore = await sample(0, x, 0.95);
  assert.ok(difference(rut, before) > 12, `the rut changes the picture: ${rut} against ${before}`);
  assert.ok(difference(rut, beside) > difference(before, besideBefore) + 8, `the rut differs from the ground beside it: ${rut} against ${beside}`);
  assert.ok(difference(beside, besideBefore) < 8, "the ground beside it stays");
  const [deep, none] = await tab.evaluate(async ([a, b]) => {
    const v = window.grouserView;
    await v.setTime(28);
    const d = v.rut(a, b);
    await v.setTime(0);
    return [d, v.rut(a, b)];
  }, [ox + x, oy + 0.5]);
  assert.ok(Math.abs(deep + RUT_DEPTH) < 1e-6);
  assert.equal(none, 0);
  await shared.context.close();
});

test("text from the file never becomes markup", async () => {
  const attack = `<img src=x onerror="window.hacked=1"></script><script>window.hacked=2</script>`;
  const bad = makeRun({ nodes: 33, duration: 3, name: attack, title: attack, rover: attack });
  const page = await open(browser, replayFile("attack", [{ name: attack, bytes: bad.bytes }]), SMALL);
  await page.tab.evaluate(() => { document.querySelectorAll("#tabs button").forEach((b) => b.click()); window.grouserView.overlay("states", true); return window.grouserView.setTime(1); });
  assert.equal(await page.tab.evaluate(() => window.hacked), undefined);
  assert.equal(await page.tab.textContent("#title"), attack);
  assert.equal(await page.tab.evaluate(() => document.querySelectorAll("img:not(#drawing)").length), 0);
  await clean(page);
  await page.context.close();
});

test("a phone of 400 pixels has no horizontal overflow, and the dark theme where it is asked for", async () => {
  const page = await open(browser, file, { viewport: { width: 400, height: 800 }, colorScheme: "dark", hasTouch: true });
  assert.equal(await page.tab.evaluate(() => document.documentElement.dataset.theme), "dark");
  for (const panel of [false, true]) {
    if (panel) await page.tab.click("#open-panel");
    const widths = await page.tab.evaluate(() => [document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth]);
    assert.ok(widths[0] <= 400 && widths[1] <= 400, `${widths} with panel ${panel}`);
    const outside = await page.tab.evaluate(() => [...document.querySelectorAll("header *, footer *, #side")].filter((e) => { const r = e.getBoundingClientRect(); return r.width > 0 && (r.right > 401 || r.left < -1); }).map((e) => e.id || e.className));
    assert.deepEqual(outside, []);
  }
  await page.context.close();
});

test("a screenshot is saved, and two runs can be compared", async () => {
  const page = await open(browser, replayFile("two", [{ name: "a", bytes: made.bytes }, { name: "b", bytes: makeRun({ nodes: 65, duration: 12 }).bytes }]), SMALL);
  const { tab } = page;
  const download = tab.waitForEvent("download");
  await tab.keyboard.press("o");
  assert.match((await download).suggestedFilename(), /^synthetic_.*\.png$/);
  assert.equal(await tab.evaluate(() => window.grouserView.state.runs), 2);
  await tab.evaluate(() => window.grouserView.setTime(10));
  for (const mode of ["ghost", "first", "second", "split"]) await tab.evaluate((m) => window.grouserView.compare(m), mode);
  await clean(page);
  await page.context.close();
});

test("a replay can be chosen as a file, and garbage is refused politely", async () => {
  const empty = replayFile("empty", []);
  const page = await open(browser, empty, SMALL);
  assert.ok(await page.tab.isVisible("#welcome"));
  await page.tab.setInputFiles("#file", { name: "x.bin", mimeType: "application/octet-stream", buffer: Buffer.from("no replay at all") });
  await page.tab.waitForFunction(() => /not a Grouser replay/.test(document.getElementById("message").textContent));
  await page.tab.setInputFiles("#file", { name: "x.bin", mimeType: "application/octet-stream", buffer: made.bytes });
  await page.tab.waitForFunction(() => window.grouserView.state.samples > 0);
  assert.equal(await page.tab.isVisible("#welcome"), false);
  await clean(page);
  await page.context.close();
});

test("without WebGL the page says so and still plots", async () => {
  const plain = await launch(["--disable-gpu", "--disable-3d-apis"]);
  const page = await open(plain, file);
  assert.ok(await page.tab.isVisible("#no-webgl"));
  assert.ok((await page.tab.locator(".u-over").count()) > 0);
  await page.tab.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await page.tab.evaluate(() => window.grouserView.time)) - 1) < 1e-9);
  await plain.close();
});
