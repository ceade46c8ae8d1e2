// A live run over WebSocket against a stand-in for the server: the rover moves, keys drive, scrubbing back leaves the run alone,
// a lost connection comes back, and replays come over HTTP.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serve } from "./fake_server.mjs";
import { launch, page } from "./support.mjs";
import { makeRun, SPEED } from "./synthetic.mjs";
import * as w from "./writer.mjs";

const made = makeRun({ nodes: 65, duration: 300 }); // longer than the test takes on a busy machine
const live = {
  modes: [{ name: "ackermann", text: "front wheels steer" }, { name: "point_turn", text: "turns on the spot" }], mode: "ackermann", speed_max: 0.1, curvature_max: 1.2, yaw_rate_max: 0.3,
  panel: [{ path: "soil:phi", label: "friction angle", unit: "deg", value: 30, lower: 0, upper: 60, group: "Soil" }, { path: "soil", label: "Soil", value: "sand", choices: ["sand", "<b>clay</b>"], group: "Soil" }],
};
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const row = (k, type) => w.data(made.head.columns.map((_, c) => ({ quantum: c === 0 ? 1e-3 : 1e-6, order: 1, values: [made.rows[k][c]].map((v) => (Number.isNaN(v) ? 0 : v)) })), type);
const stat = (state, drive = "scenario") => w.json("STAT", { state, speed: 1, time: 0, real_time_factor: 1, clients: 1, drive, message: "" });

/** Waits until a condition of this process holds: commands arrive when the browser gets to it. */
async function until(condition, what) {
  for (const end = Date.now() + 60000; !condition(); await new Promise((resolve) => setTimeout(resolve, 20))) {
    assert.ok(Date.now() < end, what);
  }
}

test("live: moves, pauses, is driven and scrubbed, and reconnects", async (context) => {
  const commands = [];
  const sockets = [];
  let running = true;
  let at = 0;
  let send = () => {};
  const server = await serve(page(), { mode: "live" }, (put, socket, request) => {
    assert.equal(request.headers["sec-websocket-protocol"], "grouser.view.1");
    assert.equal(request.url, "/view");
    sockets.push(socket);
    send = put;
    put(w.json("HEAD", { ...made.head, live }));
    for (const chunk of made.chunks.slice(1, 4)) put(chunk); // ground, soil, rocks
    for (let k = 0; k <= at; k++) put(row(k, "DATA"));
    put(stat("running"));
  }, (command) => {
    commands.push(command);
    if (command.op === "pause" || command.op === "play") {
      running = command.op === "play";
      send(stat(running ? "running" : "paused"));
    }
  });
  const timer = setInterval(() => {
    if (!running || at + 1 >= made.rows.length) return;
    at++;
    send(row(at, "LIVE"));
    if (at % 5 === 0) for (let k = at - 4; k <= at; k++) send(row(k, "DATA"));
  }, 100);
  const tab = await browser.newPage({ viewport: { width: 900, height: 560 } });
  context.after(async () => { // also after a failure: an open server or timer would keep the process alive
    clearInterval(timer);
    await tab.close();
    server.close();
  });
  tab.setDefaultTimeout(60000);
  const problems = [];
  tab.on("pageerror", (e) => problems.push(e.message));
  await tab.goto(server.url);
  await tab.evaluate(() => window.grouserView.ready);
  const view = (code) => tab.evaluate(code);

  const x0 = await view(() => window.grouserView.pose(0).position[0]);
  await tab.waitForFunction((x) => window.grouserView.pose(0).position[0] > x + 0.05, x0);
  const { t, x } = await view(() => ({ t: window.grouserView.time, x: window.grouserView.pose(0).position[0] }));
  assert.ok(Math.abs(x - made.options.origin[0] - SPEED * t) < 1e-3, "the pose is that of the time");

  await tab.keyboard.press("Space"); // pause
  await tab.waitForFunction(() => window.grouserView.state.playing === false);
  const held = await view(() => window.grouserView.time);
  await tab.waitForTimeout(500);
  assert.equal(await view(() => window.grouserView.time), held, "pause holds");
  await tab.keyboard.press("Space");
  await tab.waitForFunction((time) => window.grouserView.time > time, held);

  await tab.keyboard.down("ArrowUp");
  await tab.keyboard.down("ArrowLeft");
  const drives = () => commands.filter((c) => c.op === "drive");
  await until(() => drives().some((c) => c.mode === "ackermann" && c.speed === 0.1 && c.curvature === 1.2), "keys drive");
  await tab.keyboard.up("ArrowLeft");
  await tab.keyboard.up("ArrowUp");
  await until(() => drives().at(-1).speed === 0, "letting go stops");

  await view(() => window.grouserView.setTime(0.2));
  const late = at;
  await until(() => at > late + 4, "the run goes on");
  assert.ok(Math.abs((await view(() => window.grouserView.time)) - 0.2) < 1e-9, "scrubbed back, the picture stays");
  await tab.click("button.live");
  await tab.waitForFunction(() => window.grouserView.time > 1 && window.grouserView.state.following);

  await tab.fill('#tab-drive input[type="number"]', "35");
  await tab.click('#tab-drive button:has-text("Restart")');
  await until(() => commands.at(-1).op === "reset", "the button restarts");
  assert.deepEqual(commands.at(-1), { op: "reset", set: ["soil:phi=35"] });
  assert.equal(await view(() => document.querySelectorAll("#tab-drive b").length), 0, "choices are text");

  const connections = sockets.length;
  sockets.at(-1).destroy();
  await until(() => sockets.length > connections, "a lost connection comes back"); // the page may be without one for less than a frame
  await tab.waitForFunction(() => window.grouserView.state.connected && window.grouserView.state.samples > 5);
  const later = await view(() => window.grouserView.time);
  await tab.waitForFunction((time) => window.grouserView.time > time, later);
  assert.deepEqual(problems, []);
});

test("recorded runs come over HTTP", async () => {
  const server = await serve(page(), { mode: "replay", replays: [{ url: "/replay/0.bin", name: "one" }], files: { "/replay/0.bin": made.bytes } }, () => {}, () => {});
  const tab = await browser.newPage({ viewport: { width: 900, height: 560 } });
  await tab.goto(server.url);
  assert.equal(await tab.evaluate(() => window.grouserView.ready), "");
  assert.equal(await tab.evaluate(() => window.grouserView.state.samples), made.rows.length);
  await tab.close();
  server.close();
});
