// The picture: renderer, cameras, one or two worlds side by side, and labels as text over it.

import * as THREE from "three";
import { Cameras, FIELD_OF_VIEW } from "./cameras.ts";
import type { Quality } from "./terrain.ts";
import type { World } from "./world.ts";

const SLOW_MS = 150; // a longer time between pictures lowers the resolution while things move …
const FAST_MS = 30;  // … a shorter one raises it again
const LABEL_CHARACTER = 6.6; // pixels, about
const LABEL_HEIGHT = 18;
const SCALES = [0.5, 0.7, 1]; // few steps: changing the size stalls the renderer

export interface FrameStats {
  frames: number;
  scale: number; // of the resolution while things move
  meanMs: number;
  triangles: number;
  software: boolean;
}

/** What the machine can do: software rendering gets fewer triangles and no anti-aliasing. `#quality=high` or `low` in the address decides instead. */
export function detectQuality(): Quality | null {
  const probe = document.createElement("canvas").getContext("webgl2");
  if (!probe) return null;
  const info = probe.getExtension("WEBGL_debug_renderer_info");
  const name = String(probe.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : probe.RENDERER));
  const filtersFloats = probe.getExtension("OES_texture_float_linear") !== null;
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  const asked = /[#&]quality=(high|low)/.exec(location.hash)?.[1];
  const software = asked ? asked === "low" : /swiftshader|llvmpipe|software|basic render/i.test(name);
  return software
    ? { software, filtersFloats, ring: 48, shadowMap: 1024, antialias: false, pixelRatio: 1 }
    : { software, filtersFloats, ring: 160, shadowMap: 2048, antialias: true, pixelRatio: Math.min(2, devicePixelRatio) };
}

export class View {
  readonly renderer: THREE.WebGLRenderer;
  readonly canvas: HTMLCanvasElement;
  cameras: Cameras | null = null;
  worlds: World[] = [];
  private camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.05, 5000);
  private labels: HTMLElement[] = [];
  private times: number[] = [];
  private frames = 0;
  private width = 1;
  private height = 1;
  private interval = 0;
  private movingScale = 1;
  private scale = 1;

  constructor(private holder: HTMLElement, private labelLayer: HTMLElement, private quality: Quality) {
    this.renderer = new THREE.WebGLRenderer({ antialias: quality.antialias, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(quality.pixelRatio);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = quality.software ? THREE.BasicShadowMap : THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.renderer.info.autoReset = false;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "3D view of the run. Drag to orbit, right-drag to pan, wheel to zoom.");
    this.canvas.setAttribute("role", "img");
    holder.append(this.canvas);
  }

  resize(): void {
    const w = Math.max(1, this.holder.clientWidth);
    const h = Math.max(1, this.holder.clientHeight);
    if (w === this.width && h === this.height) return;
    this.width = w;
    this.height = h;
    this.renderer.setSize(w, h);
  }

  /** Takes the time between two pictures of a movement [ms] and settles on a resolution that keeps it fluid. */
  observe(interval: number): void {
    this.interval = this.interval === 0 ? interval : 0.7 * this.interval + 0.3 * interval;
    const step = this.interval > SLOW_MS ? -1 : this.interval < FAST_MS ? 1 : 0;
    const at = SCALES.indexOf(this.movingScale);
    const scale = SCALES[Math.min(SCALES.length - 1, Math.max(0, at + step))]!;
    if (scale === this.movingScale) return;
    this.movingScale = scale;
    this.interval = 0;
  }

  /** Whether a picture of a movement is coarser than one at rest. */
  get coarse(): boolean {
    return this.movingScale < 1;
  }

  /** Draws all worlds at their present state: sharp, or as coarse as fluid movement needs. */
  render(moving = false): void {
    this.resize();
    const scale = moving ? this.movingScale : 1;
    if (scale !== this.scale) {
      this.scale = scale;
      this.renderer.setPixelRatio(this.quality.pixelRatio * scale);
    }
    const start = performance.now();
    this.renderer.info.reset();
    const n = Math.max(1, this.worlds.length);
    const w = this.width / n;
    this.renderer.setScissorTest(n > 1);
    let used = 0;
    this.worlds.forEach((world, k) => {
      const focus = this.aim(world, w);
      this.renderer.setViewport(k * w, 0, w, this.height);
      this.renderer.setScissor(k * w, 0, w, this.height);
      world.prepare(this.renderer, this.camera, focus, this.pixelAngle());
      this.renderer.render(world.scene, this.camera);
      used = this.placeLabels(world, k * w, w, used);
      // Below the tools, since panels cover the lower edge.
      if (n > 1) this.label(used++, world.run.label, "half", (k + 0.5) * w, (document.getElementById("tools")?.offsetHeight ?? 40) + 30);
    });
    for (let k = used; k < this.labels.length; k++) this.labels[k]!.hidden = true;
    this.frames++;
    this.times.push(performance.now() - start);
    if (this.times.length > 60) this.times.shift();
  }

  private aim(world: World, width: number): THREE.Vector3 {
    this.camera.aspect = width / this.height;
    // A narrow picture needs a wider angle to hold the same scene.
    this.camera.fov = FIELD_OF_VIEW * Math.min(1.5, Math.max(1, 0.8 / this.camera.aspect));
    return this.cameras!.place(this.camera, world);
  }

  private pixelAngle(): number {
    return (this.camera.fov * Math.PI) / 180 / (this.height * this.renderer.getPixelRatio());
  }

  private placeLabels(world: World, left: number, width: number, used: number): number {
    const all = [...world.overlays.labels.map((l) => ({ ...l, mark: false }))];
    if (world.route.group.visible && document.getElementById("handles") === null) for (const m of world.route.marks) all.push({ position: m.position, text: m.text, colour: "", mark: true });
    const p = new THREE.Vector3();
    const taken: { x: number; y: number; half: number }[] = [];
    const near = all.map((label) => ({ label, distance: label.position.distanceToSquared(this.camera.position) })).sort((a, b) => a.distance - b.distance);
    for (const { label } of near) {
      p.copy(label.position).project(this.camera);
      if (p.z > 1 || p.z < -1 || Math.abs(p.x) > 1 || Math.abs(p.y) > 1) continue;
      const [x, y] = [left + ((p.x + 1) / 2) * width, ((1 - p.y) / 2) * this.height];
      // Texts over each other cannot be read: the nearest one stays.
      const half = label.mark ? 0 : LABEL_CHARACTER * label.text.length * 0.5 + 4;
      if (!label.mark && taken.some((t) => Math.abs(t.x - x) < t.half + half && Math.abs(t.y - y) < LABEL_HEIGHT)) continue;
      taken.push({ x, y, half });
      this.label(used++, label.text, label.mark ? "mark" : "", x, y, label.colour);
    }
    return used;
  }

  /** Text at a pixel; elements are reused from picture to picture. */
  private label(index: number, text: string, kind: string, x: number, y: number, colour = ""): void {
    if (index === this.labels.length) {
      const added = document.createElement("div");
      this.labelLayer.append(added);
      this.labels.push(added);
    }
    const element = this.labels[index]!;
    element.hidden = false;
    element.className = `label ${kind}`;
    if (element.textContent !== text) element.textContent = text;
    element.style.setProperty("--label", colour || "var(--line)");
    element.style.transform = `translate(-50%, -50%) translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }

  /** Pixel of a point in the first world's local coordinates, or null when it is out of the picture. */
  project(point: THREE.Vector3): { x: number; y: number } | null {
    const world = this.worlds[0];
    if (!world || !this.cameras) return null;
    const w = this.width / this.worlds.length;
    this.aim(world, w);
    const p = point.clone().project(this.camera);
    if (p.z < -1 || p.z > 1) return null;
    return { x: ((p.x + 1) / 2) * w, y: ((1 - p.y) / 2) * this.height };
  }

  /** Point of the ground under a pixel of the first world, in its local coordinates; null: the ray meets none. */
  pick(x: number, y: number): THREE.Vector3 | null {
    const world = this.worlds[0];
    if (!world || !this.cameras) return null;
    const w = this.width / this.worlds.length;
    this.aim(world, w);
    const far = new THREE.Vector3((2 * x) / w - 1, 1 - (2 * y) / this.height, 0.5).unproject(this.camera);
    const ray = far.sub(this.camera.position).normalize();
    const at = (s: number) => this.camera.position.clone().addScaledVector(ray, s);
    const above = (s: number) => { const p = at(s); return p.z - world.run.height(p.x, p.y); };
    let before = 0;
    for (let s = 0.02; s < this.camera.far; s *= 1.02) {
      if (above(s) <= 0) {
        for (let k = 0; k < 40; k++) {
          const middle = (before + s) / 2;
          if (above(middle) > 0) before = middle;
          else s = middle;
        }
        const p = at(s);
        return world.run.ground.empty || world.run.ground.hasGround(p.x, p.y) ? p : null;
      }
      before = s;
    }
    return null;
  }

  stats(): FrameStats {
    const n = this.times.length;
    return { frames: this.frames, scale: this.movingScale, meanMs: n > 0 ? this.times.reduce((a, b) => a + b, 0) / n : 0, triangles: this.renderer.info.render.triangles, software: this.quality.software };
  }

  /** Mean time of a picture [ms], sharp or as coarse as it is while things move; reading a pixel back waits until it is really drawn. */
  benchmark(n: number, moving: boolean): number {
    const gl = this.renderer.getContext();
    const pixel = new Uint8Array(4);
    const draw = () => {
      this.render(moving);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    };
    draw();
    const start = performance.now();
    for (let k = 0; k < n; k++) draw();
    return (performance.now() - start) / n;
  }

  /** A picture as a blob: read in the same task as it is drawn, so that no drawing buffer must be preserved. */
  snapshot(type = "image/png"): Promise<Blob | null> {
    this.render();
    return new Promise((resolve) => this.canvas.toBlob(resolve, type));
  }
}
