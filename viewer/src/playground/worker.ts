// The simulator in a worker: WebAssembly, paced by the clock, with the same chunks out and commands in as a server.
//
// pack.mjs puts this behind Emscripten's script, which defines createPlayground(). It is a mirror of what `grouser view`
// does (apps/grouser/view/view_live.c).

interface Module {
  ccall(name: string, result: "string" | "number" | null, types: string[], values: unknown[]): unknown;
  FS: { mkdirTree(path: string): void; writeFile(path: string, data: Uint8Array): void };
}
declare function createPlayground(options: { wasmBinary: Uint8Array; put: (chunk: Uint8Array) => void }): Promise<Module>;

export interface Start {
  wasm: Uint8Array;
  files: { name: string; bytes: Uint8Array }[];
  scenario: string;
}

interface Clock {
  running: boolean;
  speed: number;
  fromWall: number;
  fromTime: number;
}

const TICK = 16; // ms
const BUSY = 12; // ms of a tick for the simulation: commands must get through
const LIVE_PERIOD = 33;
const STAT_PERIOD = 500;
const LAG_MAX = 0.25; // s behind its pace, a run does not catch up

let module: Module;
let message = "";
const clock: Clock = { running: true, speed: 1, fromWall: 0, fromTime: 0 };
let steps = 0;
let liveAt = 0;
let statAt = 0;
let factor = 0;
let factorTime = 0;

const text = (name: string, ...values: unknown[]) => module.ccall(name, "string", values.map((v) => (typeof v === "string" ? "string" : "number")), values) as string;
const number = (name: string) => module.ccall(name, "number", [], []) as number;

function post(chunk: Uint8Array): void {
  postMessage(chunk, { transfer: [chunk.buffer] });
}

function putStat(now: number): void {
  const time = number("playground_time");
  if (now - statAt >= STAT_PERIOD) {
    factor = Math.max(0, (1000 * (time - factorTime)) / (now - statAt));
    factorTime = time;
    statAt = now;
  }
  const over = number("playground_is_over") !== 0;
  const json = JSON.stringify({
    state: over ? "over" : clock.running ? "running" : "paused", speed: clock.speed, time, real_time_factor: factor, clients: 1,
    drive: number("playground_by_hand") !== 0 ? "manual" : "scenario", message,
  });
  const payload = new TextEncoder().encode(json);
  const chunk = new Uint8Array(16 + payload.length);
  const header = new DataView(chunk.buffer);
  chunk.set([...new TextEncoder().encode("STAT")]);
  header.setUint32(4, payload.length, true);
  header.setUint32(8, payload.length, true);
  chunk.set(payload, 16);
  post(chunk);
}

function mark(): void {
  clock.fromWall = performance.now();
  clock.fromTime = number("playground_time");
}

function note(problem: string): void {
  if (problem !== "") {
    message = problem;
    clock.running = false;
  }
}

/** Advances to where the clock says, as far as the time of a tick allows. Returns whether anything moved. */
function advance(): boolean {
  const begin = performance.now();
  const target = clock.fromTime + (clock.speed * (begin - clock.fromWall)) / 1000;
  const due = () => steps > 0 || (clock.running && (clock.speed === 0 || number("playground_time") + number("playground_period") <= target));
  let moved = false;
  while (number("playground_is_over") === 0 && due() && performance.now() - begin < BUSY) {
    note(text("playground_advance"));
    steps = Math.max(0, steps - 1);
    moved = true;
  }
  if (target - number("playground_time") > LAG_MAX * Math.max(1, clock.speed)) mark();
  return moved;
}

function tick(): void {
  const moved = advance();
  const now = performance.now();
  if (moved && (now - liveAt >= LIVE_PERIOD || !clock.running)) {
    const blocks = now - statAt >= STAT_PERIOD || !clock.running;
    note(text("playground_flush", blocks ? 1 : 0));
    liveAt = now;
  }
  if (now - statAt >= STAT_PERIOD) putStat(now);
}

function command(json: string): void {
  const o = JSON.parse(json) as { op: string; value?: number };
  const problem = text("playground_message", json);
  message = problem;
  if (problem === "") {
    if (o.op === "play") clock.running = true;
    if (o.op === "pause") clock.running = false;
    if (o.op === "step") steps++;
    if (o.op === "speed") clock.speed = o.value ?? 1;
    if (o.op === "reset") {
      clock.running = true;
      text("playground_flush", 1);
    }
  }
  mark();
  putStat(performance.now());
}

async function start(data: Start): Promise<void> {
  module = await createPlayground({ wasmBinary: data.wasm, put: post });
  for (const file of data.files) {
    module.FS.mkdirTree(`/data/${file.name.replace(/\/[^/]*$/, "")}`);
    module.FS.writeFile(`/data/${file.name}`, file.bytes);
  }
  const problem = text("playground_open", data.scenario);
  if (problem !== "") throw new Error(problem);
  note(text("playground_flush", 1));
  mark();
  setInterval(tick, TICK);
}

onmessage = (event: MessageEvent<Start | string>) => {
  if (typeof event.data === "string") {
    if (module) command(event.data);
    return;
  }
  start(event.data).catch((error: unknown) => postMessage(`the simulator does not start: ${error instanceof Error ? error.message : String(error)}`));
};
