// window.grouserView: what tests and scripts of the page may use. Coordinates are those of the world [m], times in seconds.

import * as THREE from "three";
import type { App } from "./app.ts";
import { CAMERAS, type CameraName } from "./scene/cameras.ts";
import { OVERLAYS, type OverlayName } from "./scene/overlays.ts";
import { COLOUR_MODES, type ColourMode } from "./scene/terrain.ts";
import type { FrameStats } from "./scene/view.ts";

export interface GrouserView {
  /** Settles when the first picture of a run is drawn (without WebGL: when the run is read), or with the text of an error. */
  ready: Promise<string>;
  readonly time: number;
  readonly state: { playing: boolean; following: boolean; connected: boolean; speed: number; start: number; end: number; runs: number; camera: string; samples: number; colour: string; overlays: string[] };
  /** Shows a time; settles when it is drawn. */
  setTime(t: number): Promise<void>;
  play(): void;
  pause(): void;
  camera(name: CameraName, wheel?: number): Promise<void>;
  /** Orbit of the present camera: azimuth and elevation [rad], distance [m]. */
  orbit(azimuth: number, elevation: number, distance: number): Promise<void>;
  overlay(name: OverlayName, on: boolean): Promise<void>;
  colour(mode: ColourMode): Promise<void>;
  sun(azimuth: number, elevation: number): Promise<void>;
  compare(mode: "split" | "ghost" | "first" | "second"): Promise<void>;
  /** Pose of a body of the first run at the shown time. */
  pose(body: number): { position: number[]; rotation: number[] } | null;
  /** Pixel of the page for a point of the world. */
  project(x: number, y: number, z: number): { x: number; y: number } | null;
  /** Height of the ground with its ruts at the shown time. */
  height(x: number, y: number): number;
  /** Maps of the ground that the page has: nodes east and north, and their spacing. */
  grounds(): { nx: number; ny: number; cell: number }[];
  /** Change of the ground's height by wheels at the shown time. */
  rut(x: number, y: number): number;
  frameStats(): FrameStats;
  /** Draws n pictures one after another, sharp or as while things move, and gives the mean time of one [ms]. */
  benchmark(n: number, moving?: boolean): number;
}

declare global {
  interface Window {
    grouserView: GrouserView;
  }
}

export function installHook(app: App, ready: Promise<string>): void {
  const run = () => {
    if (!app.run) throw new Error("there is no run");
    return app.run;
  };
  const known = <T extends string>(list: readonly T[], name: T) => {
    if (!list.includes(name)) throw new Error(`unknown name ${name}; known are ${list.join(", ")}`);
  };
  window.grouserView = {
    ready,
    get time() {
      return app.time;
    },
    get state() {
      return {
        playing: app.running, following: app.following, connected: app.connected, speed: app.speed, start: app.start, end: app.end, runs: app.runs.length,
        camera: app.camera, samples: app.run?.columns.length ?? 0, colour: app.settings.colour, overlays: [...app.settings.overlays],
      };
    },
    setTime(t) {
      app.playing = false;
      app.seek(t);
      return app.nextFrame();
    },
    play: () => app.setPlaying(true),
    pause: () => app.setPlaying(false),
    camera(name, wheel) {
      known(CAMERAS, name);
      app.selectCamera(name, wheel);
      return app.nextFrame();
    },
    orbit(azimuth, elevation, distance) {
      if (app.view?.cameras) Object.assign(app.view.cameras.orbit, { azimuth, elevation, distance });
      return app.nextFrame();
    },
    overlay(name, on) {
      known(OVERLAYS, name);
      if (app.settings.overlays.has(name) !== on) app.toggle(name);
      return app.nextFrame();
    },
    colour(mode) {
      known(COLOUR_MODES, mode);
      app.update({ colour: mode });
      return app.nextFrame();
    },
    sun(azimuth, elevation) {
      app.update({ sun: { azimuth, elevation } });
      return app.nextFrame();
    },
    compare(mode) {
      app.update({ compare: mode });
      return app.nextFrame();
    },
    pose(body) {
      const pose = run().bodyPose(body, app.time);
      const o = run().head.origin;
      return pose && { position: pose.position.map((v, k) => v + o[k]!), rotation: [...pose.rotation] };
    },
    project(x, y, z) {
      const p = app.view?.project(new THREE.Vector3(...run().toLocal([x, y, z]))) ?? null;
      const box = app.view?.canvas.getBoundingClientRect();
      return p && box ? { x: p.x + box.left, y: p.y + box.top } : null;
    },
    height(x, y) {
      const [lx, ly] = run().toLocal([x, y, 0]);
      return run().height(lx, ly) + run().head.origin[2];
    },
    grounds: () => run().ground.grids.map(({ base: { nx, ny, cell } }) => ({ nx, ny, cell })),
    rut: (x, y) => run().ruts?.at(x, y) ?? 0,
    frameStats: () => app.view?.stats() ?? { frames: 0, scale: 1, meanMs: 0, triangles: 0, software: false },
    benchmark: (n, moving = false) => app.view?.benchmark(n, moving) ?? NaN,
  };
}
