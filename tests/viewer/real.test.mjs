// Replays that the grouser command wrote itself: GROUSER names the binary, GROUSER_DATA its data. Skipped without them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { brightness, decodePng, importSource, launch, meanColour, open, replayFile, temporary } from "./support.mjs";

const grouser = process.env.GROUSER;
const skip = grouser ? false : "GROUSER is not set";
let browser;
before(async () => { if (grouser) browser = await launch(); });
after(() => browser?.close());

function run(scenario, ...options) {
  const out = temporary(`${scenario}.run`);
  if (!existsSync(out)) execFileSync(grouser, ["run", scenario, "-o", out, ...options], { stdio: "pipe", timeout: 120000 });
  return { replay: readFileSync(`${out}/replay.bin`), summary: JSON.parse(readFileSync(`${out}/summary.json`, "utf8")), csv: `${out}/run.csv` };
}

async function decode(bytes) {
  const stream = await importSource("stream.ts");
  const { Run } = await importSource("run.ts");
  let result = null;
  const report = await stream.readReplay(new Uint8Array(bytes), (chunk) => {
    if (chunk.type === "HEAD") result = Run.fromHead(chunk, "");
    else result.feed(chunk);
  });
  assert.deepEqual(report.errors, []);
  assert.equal(report.truncated, false);
  return result;
}

test("the replay of a run agrees with its table", { skip }, async () => {
  const { replay, csv, summary } = run("crossing", "--set", "stop.time_s=40");
  const replayed = await decode(replay);
  const [names, ...lines] = readFileSync(csv, "utf8").trim().split("\n");
  const header = names.split(",");
  const cell = (line, name) => Number(line.split(",")[header.indexOf(name)]);
  assert.equal(replayed.columns.length, lines.length);
  // Columns before the first text column can be split at commas.
  for (const name of ["x_m", "y_m", "z_m", "roll_deg", "pitch_deg", "distance_m"]) {
    const column = replayed.columnIndex(name);
    for (const k of [0, 17, lines.length - 1]) {
      const expected = cell(lines[k], name);
      assert.ok(Math.abs(replayed.columns.get(column, k) - expected) < 2e-3 + 1e-5 * Math.abs(expected), `${name} at ${k}`);
    }
  }
  // The chassis' pose columns are the same body.
  const pose = replayed.bodyPose(0, replayed.end);
  assert.ok(Math.abs(pose.position[0] + replayed.head.origin[0] - cell(lines.at(-1), "x_m")) < 2e-3);
  assert.equal(replayed.done.outcome, summary.outcome);
  // docs/scenarios.md: the tolerance is a quarter of the look-ahead distance, which is the wheelbase unless it is below 0.3 m.
  const along = replayed.head.rover.wheels.map((_, w) => replayed.wheelPose(w, 0).centre);
  const wheelbase = Math.max(...along.flatMap((a) => along.map((b) => Math.hypot(a[0] - b[0], a[1] - b[1]))));
  assert.ok(replayed.head.tolerance >= 0.25 * 0.3 && replayed.head.tolerance <= 0.25 * Math.max(0.3, wheelbase) + 0.01, `${replayed.head.tolerance} m`);
  // Every wheel's recorded centre is where its body and the head put it.
  replayed.head.rover.wheels.forEach((_, w) => {
    const { centre } = replayed.wheelPose(w, replayed.end);
    ["x_m", "y_m", "z_m"].forEach((field, k) => assert.ok(Math.abs(centre[k] + replayed.head.origin[k] - replayed.columns.at(replayed.wheelColumn(w, field), replayed.end)) < 2e-3));
  });
});

test("wheels stand on the drawn ground, in the ruts that they left", { skip }, async () => {
  const { replay } = run("own_track");
  const replayed = await decode(replay);
  assert.ok(replayed.ruts.count > 0);
  replayed.ruts.seek(replayed.end);
  const t = replayed.end;
  replayed.head.rover.wheels.forEach((wheel, w) => {
    const { centre } = replayed.wheelPose(w, t);
    const clearance = centre[2] - wheel.radius - replayed.height(centre[0], centre[1]);
    assert.ok(Math.abs(clearance) < 0.03, `${wheel.name} is ${clearance} m above the ground`);
  });
});

test("a real run opens as one file and shows its rover", { skip }, async () => {
  const { replay } = run("own_track");
  const page = await open(browser, replayFile("own_track", [{ name: "own_track", bytes: replay }]));
  assert.equal(page.ready, "");
  const { tab } = page;
  await tab.evaluate(async () => {
    for (const id of ["tools", "figures", "legends", "labels", "hint"]) document.getElementById(id).style.visibility = "hidden";
    const v = window.grouserView;
    await v.setTime(v.state.end / 2);
    await v.sun(180, 50);
    await v.overlay("path", false);
    await v.camera("top");
  });
  const pose = await tab.evaluate(() => window.grouserView.pose(0));
  const p = await tab.evaluate(([x, y, z]) => window.grouserView.project(x, y, z), pose.position);
  const image = decodePng(await tab.screenshot());
  const rover = meanColour(image, p.x, p.y, 4);
  const ground = meanColour(image, p.x, p.y > image.height / 2 ? 90 : image.height - 130, 4);
  const saturation = (c) => (Math.max(...c) - Math.min(...c)) / Math.max(...c);
  assert.ok(saturation(rover) + 0.1 < saturation(ground), `the off-white chassis ${rover} on sand ${ground}`);
  assert.ok(brightness(rover) > 60);
  assert.deepEqual(page.problems, []);
  assert.deepEqual(page.requests.filter((r) => r !== page.url), []);
  await page.context.close();
});
