// The picture itself: no cracks between the rings of the ground, shadows where the sun does not reach, the path for real GPUs,
// and pictures, video and frames that the page saves.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { brightness, decodePng, launch, meanColour, open, replayFile } from "./support.mjs";
import { heightAt, makeRun } from "./synthetic.mjs";

let browser;
let scene; // two tests look at it: to open a page takes longest
before(async () => { browser = await launch(); });
after(() => browser?.close());

const made = makeRun({ nodes: 512, cell: 0.5, duration: 8, relief: 2 });
const [ox, oy, oz] = made.options.origin;
const small = { viewport: { width: 640, height: 420 } };

async function bareScene() {
  const page = await open(browser, replayFile("picture", [{ name: "picture", bytes: made.bytes }]), small);
  await page.tab.evaluate(async () => {
    document.getElementById("side").hidden = true;
    for (const id of ["tools", "figures", "legends", "labels", "hint"]) document.getElementById(id).style.visibility = "hidden";
    await window.grouserView.overlay("path", false);
    await window.grouserView.overlay("track", false);
  });
  return page;
}

test("there are no cracks between rings: no speck of sky inside the ground", async () => {
  scene = await bareScene();
  const { tab } = scene;
  const image = async () => { const png = decodePng(await tab.screenshot()); return png; };
  await tab.evaluate(async () => { await window.grouserView.sun(180, 75); await window.grouserView.camera("top"); });
  for (const [t, distance] of [[1, 4], [3.3, 9], [6.1, 25], [7.7, 70]]) {
    await tab.evaluate(async ([time, d]) => { await window.grouserView.setTime(time); await window.grouserView.orbit(-1.2, 1.25, d); }, [t, distance]);
    const picture = await image();
    const centre = await tab.evaluate(() => { const p = window.grouserView.pose(0).position; return window.grouserView.project(...p); });
    const keep = (1.8 / distance) * picture.height * 1.4; // the rover's own dark parts
    let specks = 0;
    for (let y = 60; y < picture.height - 70; y++)
      for (let x = 4; x < picture.width - 4; x++) if (Math.hypot(x - centre.x, y - centre.y) > keep && brightness(picture.at(x, y)) < 22) specks++;
    // Rocks have dark sides: a few hundred pixels near, none of them in lines. Cracks would run along whole rings.
    assert.ok(specks < 0.004 * picture.width * picture.height, `${specks} dark pixels at ${distance} m`);
  }
});

test("hills throw shadows at a low sun, and none at noon", async () => {
  const { tab } = scene;
  // Sun in the east at 4 degrees: find a point in shadow and one in light by marching over the known hills.
  const tangent = Math.tan((4 * Math.PI) / 180);
  const lit = (x, y) => { for (let d = 0.5; d < 60; d += 0.5) if (heightAt(x + d, y, 2) - heightAt(x, y, 2) > d * tangent) return false; return true; };
  const margin = (x, y) => [-0.6, 0, 0.6].every((e) => lit(x + e, y) === lit(x, y));
  let dark = null;
  let bright = null;
  for (let y = -14; y <= 14 && !(dark && bright); y += 2)
    for (let x = -14; x <= 14; x += 0.5) {
      if (Math.hypot(x, y) < 5 || !margin(x, y)) continue;
      if (!lit(x, y)) dark ??= [x, y];
      else if (heightAt(x + 0.2, y, 2) > heightAt(x - 0.2, y, 2) + 0.03 === false && lit(x, y)) bright ??= [x, y];
    }
  assert.ok(dark && bright);
  await tab.evaluate(async () => { await window.grouserView.setTime(0); await window.grouserView.camera("top"); await window.grouserView.orbit(-1.57, 1.5707, 48); });
  const colour = async ([x, y]) => {
    const p = await tab.evaluate((q) => window.grouserView.project(...q), [ox + x, oy + y, oz + heightAt(x, y, 2)]);
    return brightness(meanColour(decodePng(await tab.screenshot()), p.x, p.y, 2));
  };
  await tab.evaluate(() => window.grouserView.sun(90, 4));
  const [shadow, light] = [await colour(dark), await colour(bright)];
  await tab.evaluate(() => window.grouserView.sun(90, 80));
  const [noonDark, noonBright] = [await colour(dark), await colour(bright)];
  assert.ok(shadow < 0.75 * light, `shadow ${shadow}, light ${light}`);
  assert.ok(Math.abs(noonDark - noonBright) < 0.3 * noonBright, `noon ${noonDark}, ${noonBright}`);
  await scene.context.close();
});

test("the path for real GPUs draws without errors", async () => {
  const page = await open(browser, replayFile("fine", [{ name: "fine", bytes: makeRun({ nodes: 129, duration: 8 }).bytes }]), { viewport: { width: 320, height: 210 }, hash: "#quality=high" });
  const stats = await page.tab.evaluate(async () => { await window.grouserView.setTime(4); return window.grouserView.frameStats(); });
  assert.equal(stats.software, false);
  assert.ok(stats.triangles > 100000);
  await page.tab.evaluate(() => Promise.all(["forces", "states", "frames", "stability", "pressure"].map((name) => window.grouserView.overlay(name, true))));
  for (const c of ["wheel", "mast", "top"]) await page.tab.evaluate((name) => window.grouserView.camera(name), c);
  assert.deepEqual(page.problems, []);
  await page.context.close();
});

test("frames come as a ZIP archive of PNG files, video as WebM", async () => {
  const brief = makeRun({ nodes: 33, duration: 4 });
  const page = await open(browser, replayFile("brief", [{ name: "brief", bytes: brief.bytes }]), { viewport: { width: 400, height: 300 } });
  const { tab } = page;
  await tab.evaluate(() => { document.getElementById("open-capture").click(); document.querySelector("#capture-menu input").value = "1"; });
  let waiting = tab.waitForEvent("download", { timeout: 60000 });
  await tab.evaluate(() => [...document.querySelectorAll("#capture-menu button")].find((b) => /Frames/.test(b.textContent)).click());
  const zip = await (await waiting).path();
  const list = execFileSync("python3", ["-c", "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(*z.namelist()); assert all(z.read(n)[:8]==b'\\x89PNG\\r\\n\\x1a\\n' for n in z.namelist())", zip], { encoding: "utf8" }).trim().split(" ");
  assert.deepEqual(list, ["frame_00001.png", "frame_00002.png", "frame_00003.png", "frame_00004.png", "frame_00005.png"]);

  const record = () => tab.evaluate(() => [...document.querySelectorAll("#capture-menu button")].find((b) => /video/.test(b.textContent)).click());
  await tab.evaluate(() => window.grouserView.setTime(0));
  await tab.evaluate(() => {
    const begin = MediaRecorder.prototype.start;
    window.recorded = 0;
    MediaRecorder.prototype.start = function (...slice) {
      this.addEventListener("dataavailable", (e) => { window.recorded += e.data.size; });
      begin.apply(this, slice);
    };
  });
  for (let k = 0; k < 3; k++) await tab.keyboard.press("["); // slowly, so that the run does not end before the encoder is ready
  await record();
  await tab.waitForFunction(() => window.recorded > 1000);
  waiting = tab.waitForEvent("download", { timeout: 60000 });
  await record();
  const video = readFileSync(await (await waiting).path());
  assert.equal(video.readUInt32BE(0), 0x1a45dfa3, "EBML");
  assert.ok(video.length > 1000);
  assert.deepEqual(page.problems, []);
  await page.context.close();
});
