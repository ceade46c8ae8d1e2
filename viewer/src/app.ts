// State of the page: runs, time, settings; and the loop that draws when something changed. Panels listen and call back.

import { Live, parseStatus, type Command, type LiveHandlers, type Status } from "./live.ts";
import { Playground } from "./playground/playground.ts";
import { parseMap, type MapOverview } from "./edit/map.ts";
import { parseEdit, type EditState } from "./edit/state.ts";
import type { Sun } from "./layers.ts";
import { Run } from "./run.ts";
import { CAMERAS, Cameras, type CameraName } from "./scene/cameras.ts";
import { OVERLAYS, type OverlayName } from "./scene/overlays.ts";
import { COLOUR_MODES, type ColourMode, type Quality } from "./scene/terrain.ts";
import type { TrackValue } from "./scene/track.ts";
import type { View } from "./scene/view.ts";
import { World, type WorldOptions } from "./scene/world.ts";
import { decodeJson, type Chunk } from "./stream.ts";

export type Topic = "time" | "settings" | "runs" | "data" | "done" | "live" | "edit" | "map" | "frame";
export const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
export type Compare = "split" | "ghost" | "first" | "second";
export const COMPARE: Compare[] = ["split", "ghost", "first", "second"];

const REST_MS = 400; // without a change the picture is at rest

export interface Settings {
  sun: Sun;
  colour: ColourMode;
  grid: boolean;
  track: TrackValue;
  overlays: Set<OverlayName>;
  compare: Compare;
  place: [number, number] | null; // marked, of the world [m]
}

export class App {
  runs: Run[] = [];
  time = 0;
  playing = false;
  speed = 1;
  /** Live: the picture follows the newest state. */
  following = false;
  live: Live | Playground | null = null;
  connected = false;
  status: Status | null = null;
  edit: EditState | null = null;
  map: MapOverview | null = null; // of an edited scenario
  settings: Settings = { sun: { azimuth: 300, elevation: 24 }, colour: "regolith", grid: false, track: "slip", overlays: new Set(["path", "track"]), compare: "split", place: null };
  private listeners = new Map<Topic, (() => void)[]>();
  private worlds: World[] = [];
  private stale = false; // the worlds must be built anew
  private dirty = true;
  private lastFrame = 0;
  private lastDrawn = 0;
  private moving = false;  // the turn before this one drew as well
  private unsharp = false; // the last picture was drawn coarsely
  private frameWaiters: (() => void)[] = [];

  constructor(readonly view: View | null, private quality: Quality | null) {
    requestAnimationFrame((now) => this.loop(now));
  }

  on(topic: Topic, listener: () => void): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  emit(topic: Topic): void {
    this.listeners.get(topic)?.forEach((listener) => listener());
    this.invalidate();
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** Resolves after the next picture. */
  nextFrame(): Promise<void> {
    this.invalidate();
    return new Promise((resolve) => this.frameWaiters.push(resolve));
  }

  // Runs

  get run(): Run | null {
    return this.runs[0] ?? null;
  }

  get start(): number {
    return Math.min(...this.runs.map((r) => r.start), Infinity) || 0;
  }
  get end(): number {
    return Math.max(0, ...this.runs.map((r) => r.end));
  }

  setRuns(runs: Run[]): void {
    this.runs = runs.slice(0, 2);
    this.playing = false;
    this.time = this.run ? this.start : 0;
    this.stale = true;
    this.emit("runs");
    this.emit("time");
  }

  /** Worlds in the picture. */
  get shown(): World[] {
    return this.view?.worlds ?? [];
  }

  private rebuild(): void {
    this.stale = false;
    if (!this.view || !this.quality) return;
    this.worlds.forEach((w) => w.dispose());
    this.worlds = this.runs.filter((r) => r.columns.length > 0).map((run) => new World(run, this.quality!, this.worldOptions()));
    const first = this.worlds[0];
    const keep = this.live !== null && this.view.cameras !== null;
    if (first && !keep) {
      const pose = first.run.bodyPose(0, first.run.start);
      const q = pose?.rotation ?? [1, 0, 0, 0];
      const heading = Math.atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
      this.view.cameras = new Cameras(first.rover.size, heading);
    }
    this.arrange();
    this.emit("settings");
  }

  private worldOptions(): WorldOptions {
    return this.settings;
  }

  /** Which worlds are seen, and whether one is a ghost in the other. */
  private arrange(): void {
    if (!this.view) return;
    const [a, b] = this.worlds;
    const mode = this.settings.compare;
    a?.setGhost(null);
    b?.setGhost(null);
    if (!a || !b) this.view.worlds = this.worlds.slice(0, 1);
    else if (mode === "split") this.view.worlds = [a, b];
    else if (mode === "second") this.view.worlds = [b];
    else {
      if (mode === "ghost") a.setGhost(b.run);
      this.view.worlds = [a];
    }
  }

  // Settings

  update(change: Partial<Settings>): void {
    Object.assign(this.settings, change);
    this.worlds.forEach((w) => w.apply(this.worldOptions()));
    if (change.compare) this.arrange();
    this.emit("settings");
  }

  toggle(overlay: OverlayName): void {
    const overlays = new Set(this.settings.overlays);
    if (!overlays.delete(overlay)) overlays.add(overlay);
    this.update({ overlays });
  }

  nextColour(): void {
    const at = COLOUR_MODES.indexOf(this.settings.colour);
    this.update({ colour: COLOUR_MODES[(at + 1) % COLOUR_MODES.length]! });
  }

  get camera(): CameraName {
    return this.view?.cameras?.name ?? "follow";
  }

  selectCamera(name: CameraName, wheel?: number): void {
    const cameras = this.view?.cameras;
    const world = this.shown[0];
    if (!cameras || !world || !CAMERAS.includes(name)) return;
    if (wheel !== undefined) cameras.wheel = wheel;
    else if (name === "wheel" && cameras.name === "wheel") cameras.wheel = (cameras.wheel + 1) % Math.max(1, world.run.head.rover.wheels.length);
    cameras.select(name, world);
    this.emit("settings");
  }

  // Time

  seek(t: number): void {
    this.time = Math.min(this.end, Math.max(this.start, Number.isFinite(t) ? t : 0));
    if (this.live) this.following = this.time >= this.end;
    this.emit("time");
  }

  /** Marks a place, and shows the time at which the rover is nearest to it. */
  goTo(x: number, y: number): void {
    this.update({ place: [x, y] });
    if (this.run) this.seek(this.run.nearest(x, y));
  }

  setPlaying(playing: boolean): void {
    if (this.live && this.following) {
      this.send({ op: playing ? "play" : "pause" });
      return;
    }
    if (playing && this.time >= this.end) this.time = this.start;
    this.playing = playing;
    this.emit("time");
  }

  /** Whether the button shows "pause". */
  get running(): boolean {
    return this.live && this.following ? this.status?.state === "running" : this.playing;
  }

  /** One recorded sample, or one step of a live run. */
  step(direction: 1 | -1): void {
    if (this.live && this.following && direction > 0) {
      this.send({ op: "step" });
      return;
    }
    this.playing = false;
    const columns = this.run?.columns;
    if (!columns) return;
    let k = columns.indexAt(this.time + 1e-9);
    if (direction > 0 || columns.get(0, k) >= this.time - 1e-9) k += direction;
    this.seek(columns.get(0, Math.min(columns.length - 1, Math.max(0, k))));
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    if (this.live) this.send({ op: "speed", value: speed });
    this.emit("time");
  }

  changeSpeed(direction: 1 | -1): void {
    const at = SPEEDS.findIndex((s) => s >= this.speed);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, (at < 0 ? SPEEDS.length - 1 : at) + direction))]!);
  }

  // Live runs

  /** To a server by its address, or to the simulator inside the page. */
  connect(to: string | Element): void {
    const handlers: LiveHandlers = {
      chunk: (chunk) => this.take(chunk),
      connected: (connected) => {
        this.connected = connected;
        this.emit("live");
      },
      problem: (text) => console.warn(`live run: ${text}`),
    };
    this.live = typeof to === "string" ? new Live(to, handlers) : new Playground(to, handlers);
    this.following = true;
  }

  send(command: Command): void {
    this.live?.send(command);
  }

  /** Point of the ground under a pixel of the page, in the world; null: there is none. */
  pick(x: number, y: number): [number, number] | null {
    const world = this.shown[0];
    const box = this.view?.canvas.getBoundingClientRect();
    const p = world && box ? this.view!.pick(x - box.left, y - box.top) : null;
    return p && [p.x + world!.run.head.origin[0], p.y + world!.run.head.origin[1]];
  }

  goLive(): void {
    this.following = true;
    this.playing = false;
    this.time = this.end;
    this.emit("time");
    this.emit("live");
  }

  private take(chunk: Chunk): void {
    if (chunk.type === "RSET") return;
    if (chunk.type === "EDIT") {
      this.edit = parseEdit(decodeJson(chunk.data));
      this.emit("edit");
      return;
    }
    if (chunk.type === "MAPS") {
      this.map = parseMap(decodeJson(chunk.data));
      this.emit("map");
      return;
    }
    if (chunk.type === "HEAD") {
      const run = Run.fromHead(chunk, "");
      const before = this.run?.head.origin ?? run.head.origin;
      this.view?.cameras?.shiftOrigin(before.map((v, k) => v - run.head.origin[k]!));
      this.runs = [run];
      this.time = 0;
      this.playing = false;
      this.following = true;
      this.stale = true;
      this.emit("runs");
      return;
    }
    if (chunk.type === "STAT") {
      this.status = parseStatus(decodeJson(chunk.data));
      if (this.status.speed > 0) this.speed = this.status.speed;
      this.emit("live");
      return;
    }
    const run = this.run;
    const change = run?.feed(chunk);
    if (!run || !change) return;
    if (change === "mesh" || change === "ground" || change === "soil" || change === "rocks") this.stale = true;
    if (change === "data") {
      const scaled = this.worlds.map((w) => w.track.refresh());
      this.emit("data");
      if (scaled.includes(true)) this.emit("settings"); // legends
    }
    if (change === "done") this.emit("done");
    if (this.following && (change === "data" || change === "tail")) {
      this.time = this.end;
      this.emit("time");
    }
    this.invalidate();
  }

  // The loop

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const elapsed = Math.min(0.25, Math.max(0, (now - this.lastFrame) / 1000));
    this.lastFrame = now;
    if (this.playing) this.advance(elapsed);
    if (this.stale && (this.run?.columns.length ?? 0) > 0) this.rebuild();
    if (document.hidden) return;
    if (!this.dirty) {
      // At rest: a sharp picture after a coarse one.
      if (this.unsharp && now - this.lastDrawn > REST_MS) this.draw(false);
      this.moving = false;
      return;
    }
    this.dirty = false;
    if (this.moving) this.view?.observe(now - this.lastDrawn);
    this.moving = true;
    this.lastDrawn = now;
    this.draw(this.frameWaiters.length === 0);
    this.listeners.get("frame")?.forEach((listener) => listener());
    this.frameWaiters.splice(0).forEach((resolve) => resolve());
  }

  private advance(elapsed: number): void {
    this.time += elapsed * this.speed;
    if (this.time >= this.end) {
      this.time = this.end;
      this.playing = false;
      if (this.live) this.following = true;
    }
    this.emit("time");
  }

  private draw(moving: boolean): void {
    if (!this.view || this.shown.length === 0) return;
    for (const world of this.shown) world.setTime(Math.min(world.run.end, this.time));
    this.view.render(moving);
    this.unsharp = moving && this.view.coarse;
  }
}

export { OVERLAYS };
