// The page of a study in Debian's Chromium while its campaign runs, served by the program itself: the figures fill in, and
// the reader keeps the place, the zoom and the chosen run.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, temporary } from "./support.mjs";

const grouser = process.env.GROUSER;
const PLACE_PX = 4; // how far a heading may move when the page above it is drawn again
const ATTACK = `<img src=x onerror='window.hacked=1'><script>window.hacked=2</script>`;
const CAMPAIGN = `title: "Slopes ${ATTACK}"
run: {scenario: gradeability, set: [stop.time_s=30]}
vary: {"soil:phi": {from: 25, to: 45}, gravity.tilt_deg: {from: 0, to: 15}}
sample: {method: sobol, count: 900}
measure: {slip: wheels.slip_mean, far: last(x_m)}
`;
let browser;
const children = [];

before(async () => { browser = await launch(["--disable-gpu"]); });
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await browser?.close();
});

/** A process that serves; resolves with it and its address. */
function serve(folder, words) {
  const child = spawn(grouser, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  child.ended = new Promise((resolve) => child.on("exit", resolve));
  return new Promise((resolve, reject) => {
    let text = "";
    const take = (data) => {
      text += data;
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
      if (found) resolve({ child, address: found[0] });
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.ended.then((code) => reject(new Error(`${words.join(" ")} ended with ${code}: ${text}`)));
  });
}

async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const tab = await context.newPage();
  const problems = [];
  tab.on("pageerror", (e) => problems.push(e.message));
  tab.on("console", (m) => { if (["error", "warning"].includes(m.type())) problems.push(m.text()); });
  await tab.goto(address);
  return { tab, context, problems };
}

const runs = (tab) => tab.evaluate(() => Number([...document.querySelectorAll(".tile")].find((t) => t.querySelector("span").textContent === "runs").querySelector("b").textContent));
const topOf = (tab, text) => tab.evaluate((wanted) => [...document.querySelectorAll("h2")].find((h) => h.textContent === wanted)?.getBoundingClientRect().top, text);
const renewed = (tab, from) => tab.waitForFunction((old) => Number([...document.querySelectorAll(".tile")].find((t) => t.querySelector("span").textContent === "runs").querySelector("b").textContent) > old, from, { timeout: 60000 });

test("the page of a running campaign follows it, and the reader keeps the place", async () => {
  const folder = temporary("study");
  mkdirSync(folder);
  writeFileSync(join(folder, "c.yaml"), CAMPAIGN);
  const { child, address } = await serve(folder, ["sweep", "c.yaml", "-j", "1", "--serve", "0"]);
  const { tab, problems } = await open(address);
  const phone = await open(address, { viewport: { width: 390, height: 844 } });
  await tab.waitForFunction(() => document.querySelector(".state span")?.textContent.includes(" of 900 runs"));
  await tab.waitForFunction(() => document.querySelectorAll("circle title").length > 50, null, { timeout: 30000 });
  assert.equal(await tab.evaluate(() => window.hacked), undefined);

  // Choose a run in the second measure's figures, and look at them.
  await tab.evaluate(() => [...document.querySelectorAll("h2")].find((h) => h.textContent === "far").scrollIntoView());
  const dot = tab.locator("h2:text-is('far') ~ .plots circle:has(title)").first();
  const id = await dot.evaluate((d) => /^run (\d+):/.exec(d.querySelector("title").textContent)[1]);
  await dot.evaluate((d) => {
    const box = d.getBoundingClientRect();
    d.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }));
  });
  const command = tab.locator(".run code");
  assert.equal(await command.textContent(), `grouser run --from c.db:${id}`);
  const before = await topOf(tab, "far");
  const then = await runs(tab);
  await renewed(tab, then);
  assert.ok(Math.abs((await topOf(tab, "far")) - before) <= PLACE_PX, `the section moved from ${before} to ${await topOf(tab, "far")}`);
  assert.equal(await command.textContent(), `grouser run --from c.db:${id}`, "the chosen run is lost");
  assert.ok((await tab.locator(".ring").count()) > 1, "its dots are not marked any more");

  // Nothing is replaced while text is selected, as for copying it.
  await tab.evaluate(() => getSelection().selectAllChildren(document.querySelector(".run code")));
  const held = await runs(tab);
  await tab.waitForTimeout(2500);
  assert.equal(await runs(tab), held);
  await tab.evaluate(() => getSelection().removeAllRanges());

  const sideways = await phone.tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(sideways, 0, "wider than a phone");

  assert.equal(await child.ended, 0);
  await tab.waitForFunction(() => document.querySelector(".state").classList.contains("lost"), null, { timeout: 10000 });
  assert.equal(await runs(tab), 900, "the last page was not fetched");
  assert.ok(!(await tab.textContent("main")).includes("still running"));
  assert.deepEqual(problems.filter((p) => !p.includes("ERR_CONNECTION_REFUSED")), []);

  // The finished study, by another process: the same page, which shows the same runs.
  const later = await serve(folder, ["view", "c.db", "--no-browser", "--port", "0", "--seconds", "30"]);
  const again = await open(later.address);
  await again.tab.waitForFunction(() => document.querySelector(".state span")?.textContent === "900 runs");
  assert.equal(await runs(again.tab), 900);
  assert.deepEqual(again.problems, []);
  later.child.kill("SIGTERM");
  assert.equal(await later.child.ended, 0);
});

test("a zoom stays when the plots are replaced", async () => {
  const folder = temporary("placement");
  mkdirSync(folder);
  execFileSync(grouser, ["mission", fileURLToPath(new URL("../apps/placement_small.yaml", import.meta.url)), "-o", "p.db"], { cwd: folder, stdio: "pipe" });
  const { tab, problems } = await open(pathToFileURL(join(folder, "p.html")).href);
  await tab.evaluate(() => document.querySelector("[data-plot]").focus());
  await tab.keyboard.press("ArrowRight");
  await tab.keyboard.press("+");
  const zoomed = await tab.locator("figure.zoomed").count();
  const ticks = await tab.locator("figure.zoomed [data-ticks]").first().textContent();
  assert.ok(zoomed > 0);
  await tab.evaluate(() => {
    const main = document.querySelector("main");
    const text = document.documentElement.outerHTML;
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    for (const figure of fresh.querySelectorAll(".zoomed")) figure.classList.remove("zoomed");
    for (const added of fresh.querySelectorAll(".tools, .focus, .cursor, .selection")) added.remove();
    main.replaceChildren(...document.importNode(fresh, true).childNodes);
    document.dispatchEvent(new Event("renewed"));
  });
  assert.equal(await tab.locator("figure.zoomed").count(), zoomed, "the zoom is lost");
  assert.equal(await tab.locator("figure.zoomed [data-ticks]").first().textContent(), ticks);
  assert.deepEqual(problems, []);
});
