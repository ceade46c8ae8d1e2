// One run as a three.js scene: ground, sky, sun, rover, rocks, parts and overlays, brought to a time.

import * as THREE from "three";
import type { Sun } from "../layers.ts";
import type { Run } from "../run.ts";
import { makePalette, type Palette } from "./materials.ts";
import { Overlays, type OverlayName } from "./overlays.ts";
import { planetOf, type Planet } from "./planet.ts";
import { Rocks } from "./rocks.ts";
import { Route } from "./route.ts";
import { Rover } from "./rover.ts";
import { castShadows, disposeTree, shapeObject } from "./shapes.ts";
import { Sky } from "./sky.ts";
import { Terrain, type ColourMode, type Quality } from "./terrain.ts";
import { Track, type TrackValue } from "./track.ts";

const SHADOW_LENGTH = 80; // m behind the focus that shadows of rover and rocks reach

export interface WorldOptions {
  sun: Sun;
  colour: ColourMode;
  grid: boolean;
  track: TrackValue;
  overlays: ReadonlySet<OverlayName>;
  place: [number, number] | null; // marked, of the world [m]
}

export function sunDirection(sun: Sun): THREE.Vector3 {
  const a = (sun.azimuth * Math.PI) / 180;
  const e = (sun.elevation * Math.PI) / 180;
  return new THREE.Vector3(Math.sin(a) * Math.cos(e), Math.cos(a) * Math.cos(e), Math.sin(e));
}

export class World {
  readonly scene = new THREE.Scene();
  readonly planet: Planet;
  readonly rover: Rover;
  readonly overlays: Overlays;
  readonly track: Track;
  readonly route: Route;
  terrain: Terrain | null = null;
  private rocks: Rocks | null = null;
  private parts = new THREE.Group();
  private palette: Palette;
  private light = new THREE.DirectionalLight();
  private fill = new THREE.HemisphereLight();
  private sky: Sky;
  private ghost: { rover: Rover; palette: Palette } | null = null;

  constructor(readonly run: Run, private quality: Quality, private options: WorldOptions) {
    this.planet = planetOf(run.head.gravity);
    this.sky = new Sky(this.planet);
    this.scene.add(this.sky.mesh, this.light, this.light.target, this.fill);
    if (!run.ground.empty) {
      this.terrain = new Terrain(run, quality, options.sun);
      this.scene.add(this.terrain.group);
    }
    this.palette = makePalette(this.terrain?.uniforms ?? null, { rock: this.planet.rock, ghost: false, simple: this.quality.software });
    this.rover = new Rover(run, this.palette, true);
    for (const part of run.head.parts) this.parts.add(shapeObject(part, this.palette, null, true));
    const [ox, oy, oz] = run.head.origin;
    this.parts.position.set(-ox, -oy, -oz);
    castShadows(this.parts);
    this.rocks = new Rocks(run, this.palette.rock);
    this.overlays = new Overlays(run, this.rover.size);
    this.track = new Track(run, options.track);
    this.route = new Route(run, this.rover.size);
    this.scene.add(this.rover.group, this.parts, this.rocks.group, this.overlays.group, this.track.group, this.route.group);
    this.setupLight();
    this.apply(options);
  }

  private setupLight(): void {
    const { sun, ambient, albedo } = this.planet;
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(this.quality.shadowMap, this.quality.shadowMap);
    this.light.shadow.normalBias = 0.004 * this.rover.size;
    this.light.shadow.radius = 2;
    this.light.color.setRGB(...sun);
    this.light.intensity = 1.15;
    this.fill.color.setRGB(ambient[0] + 0.15, ambient[1] + 0.15, ambient[2] + 0.17);
    this.fill.groundColor.setRGB(0.8 * albedo[0], 0.8 * albedo[1], 0.8 * albedo[2]);
    this.fill.intensity = 2.1;
    this.fill.position.set(0, 0, 1);
  }

  /** Applies changed settings. */
  apply(options: WorldOptions): void {
    this.options = options;
    const direction = sunDirection(options.sun);
    this.sky.setSun(direction);
    const low = Math.min(1, Math.max(0, (options.sun.elevation + 1) / 4));
    this.light.intensity = 1.15 * low;
    if (this.terrain) {
      const { albedo, sun, ambient, horizon, haze } = this.planet;
      this.terrain.setSun(options.sun);
      this.terrain.setMode(options.colour);
      this.terrain.setGrid(options.grid ? 1 : 0);
      this.terrain.setLight({ albedo, direction, sun: [sun[0] * low, sun[1] * low, sun[2] * low], ambient, sky: horizon, haze });
    }
    this.track.setValue(options.track);
    this.track.group.visible = options.overlays.has("track");
    this.route.setPlace(options.place);
    this.route.group.visible = options.overlays.has("path");
  }

  setGhost(run: Run | null): void {
    if (this.ghost) {
      this.scene.remove(this.ghost.rover.group);
      this.ghost.rover.dispose();
      this.ghost.palette.all.forEach((m) => m.dispose());
      this.ghost = null;
    }
    if (!run) return;
    const palette = makePalette(null, { rock: "#000", ghost: true, simple: this.quality.software });
    const rover = new Rover(run, palette, false);
    const a = run.head.origin;
    const b = this.run.head.origin;
    rover.group.position.set(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    this.scene.add(rover.group);
    this.ghost = { rover, palette };
  }

  setTime(t: number): void {
    this.run.ruts?.seek(t);
    this.rover.setTime(t);
    this.rocks?.setTime(t);
    this.ghost?.rover.setTime(t);
    this.track.setTime(t);
    this.overlays.setTime(t, this.options.overlays);
  }

  /** Ground and shadows around what the camera looks at; just before rendering. */
  prepare(renderer: THREE.WebGLRenderer, camera: THREE.PerspectiveCamera, focus: THREE.Vector3, pixelAngle: number): void {
    const eyeDistance = camera.position.distanceTo(focus);
    this.terrain?.update(renderer, focus, eyeDistance, pixelAngle);
    this.rocks?.cull(camera.position, pixelAngle);
    this.placeShadow(focus, eyeDistance);
  }

  /** The shadow map covers what can throw a shadow near the focus; the light's camera moves in whole texels. */
  private placeShadow(focus: THREE.Vector3, eyeDistance: number): void {
    const direction = sunDirection(this.options.sun);
    const reach = Math.min(60, Math.max(1.3 * this.rover.size, 1.1 * eyeDistance));
    const camera = this.light.shadow.camera;
    if (camera.right !== reach) {
      camera.left = camera.bottom = -reach;
      camera.right = camera.top = reach;
      camera.near = 0.1;
      camera.far = SHADOW_LENGTH + 3 * reach;
      camera.updateProjectionMatrix();
      // A few millimetres, whatever the range: more would let light through the rims of wheels.
      this.light.shadow.bias = (-0.002 * this.rover.size) / camera.far;
    }
    const texel = (2 * reach) / this.quality.shadowMap;
    const snap = (v: number) => Math.round(v / (8 * texel)) * 8 * texel;
    this.light.target.position.set(snap(focus.x), snap(focus.y), snap(focus.z));
    this.light.position.copy(this.light.target.position).addScaledVector(direction, 1.5 * reach);
    this.light.target.updateMatrixWorld();
  }

  /** Rocks that came after the scene was built. */
  rebuildRocks(): void {
    if (this.rocks) {
      this.scene.remove(this.rocks.group);
      this.rocks.dispose();
    }
    this.rocks = new Rocks(this.run, this.palette.rock);
    this.scene.add(this.rocks.group);
  }

  dispose(): void {
    this.setGhost(null);
    this.terrain?.dispose();
    this.rover.dispose();
    this.rocks?.dispose();
    this.overlays.dispose();
    this.track.dispose();
    this.route.dispose();
    this.sky.dispose();
    disposeTree(this.parts);
    this.palette.all.forEach((m) => m.dispose());
    this.light.dispose();
  }
}
