// A bed of grains: spheres as points with a shader, coloured by speed, force or depth, cut open at a plane, and the body
// that moved among them. `grouser grains view` writes the data (src/grains/bin_picture.h).

import * as THREE from "three";
import { gradient, toLinear, viridis } from "./colours.ts";
import { attachControls } from "./ui/controls.ts";
import { button, byId, el } from "./ui/dom.ts";

const MODES = ["speed", "force", "depth"] as const;
type Mode = (typeof MODES)[number];

interface Head {
  title: string;
  diameter_m: number;
  count: number;
  shown: number;
  size_m: [number, number, number];
  surface_m: number;
  time_s: number;
  radius_m: number;
  speed_mps: number;
  force_N: number;
  vertices: number;
  triangles: number;
  body?: string;
  cut_m?: number;
}

export interface Grains {
  head: Head;
  position: Uint16Array;
  radius: Uint8Array;
  speed: Uint8Array;
  force: Uint8Array;
  vertices: Float32Array;
  triangles: Uint32Array;
}

/** Takes any bytes; an error says what is wrong with them. */
export function parseGrains(bytes: Uint8Array): Grains {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || new TextDecoder().decode(bytes.subarray(0, 8)) !== "GRPICT01") throw new Error("these are no grains");
  const length = view.getUint32(8, true);
  if (length > bytes.length - 12) throw new Error("the data of the grains are cut off");
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length))) as Head;
  const n = head.shown;
  let at = 12 + length;
  const whole = at + Math.ceil((9 * n) / 4) * 4 + 12 * head.vertices + 12 * head.triangles;
  if (!Number.isInteger(whole) || n < 1 || whole > bytes.length) throw new Error("the data of the grains are cut off");
  const take = (size: number) => bytes.slice(at, (at += size));
  const position = new Uint16Array(take(6 * n).buffer);
  const radius = take(n);
  const speed = take(n);
  const force = take(n);
  at = 12 + length + Math.ceil((9 * n) / 4) * 4;
  return { head, position, radius, speed, force, vertices: new Float32Array(take(12 * head.vertices).buffer), triangles: new Uint32Array(take(12 * head.triangles).buffer) };
}

/** Numbers 0 … n − 1 in a fixed disorder: any first part of them is a fair sample. */
export function shuffled(n: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, k) => k);
  let state = 1;
  for (let k = n - 1; k > 0; k--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 4294967296) * (k + 1));
    [order[k], order[j]] = [order[j]!, order[k]!];
  }
  return order;
}

const VERTEX = `
in float size; in float speed; in float force;
uniform vec3 box; uniform float most, pixels, cut, surface; uniform int mode; uniform vec3 scale[10];
out vec3 colour; out vec3 centre; out float radius;
void main() {
  vec3 place = position * box;
  radius = size * most;
  vec4 seen = modelViewMatrix * vec4(place, 1.0);
  centre = seen.xyz;
  gl_Position = projectionMatrix * seen;
  gl_PointSize = place.y < cut ? 0.0 : 2.1 * radius * pixels / max(-seen.z, 1e-6);
  if (place.y < cut) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  float t = mode == 0 ? speed : mode == 1 ? force : clamp(1.0 - place.z / surface, 0.0, 1.0);
  float u = t * 9.0;
  int k = int(min(u, 8.0));
  colour = mix(scale[k], scale[k + 1], u - float(k));
}`;
const FRAGMENT = `
in vec3 colour; in vec3 centre; in float radius;
uniform mat4 project;
out vec4 shown;
void main() {
  vec2 q = (gl_PointCoord * 2.0 - 1.0) * 1.05;
  float r2 = dot(q, q);
  if (r2 > 1.0) discard;
  vec3 normal = vec3(q.x, -q.y, sqrt(1.0 - r2));
  float z = centre.z + radius * normal.z;
  gl_FragDepth = 0.5 + 0.5 * (project[2][2] * z + project[3][2]) / -z;
  float light = 0.34 + 0.66 * max(dot(normal, normalize(vec3(0.35, 0.6, 0.72))), 0.0);
  vec3 c = colour * light;
  shown = vec4(mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)), 1.0);
}`;

/** Orbit around the bed; attachControls() moves it. */
class Orbit {
  azimuth = -1.15;
  elevation = 0.42;
  distance: number;
  readonly target: THREE.Vector3;
  private readonly start: THREE.Vector3;
  private readonly far: number;

  constructor(head: Head) {
    const [x, y, z] = head.size_m;
    this.far = this.distance = 1.35 * Math.hypot(x, y, z);
    this.start = new THREE.Vector3(x / 2, head.cut_m ?? y / 2, z / 2);
    this.target = this.start.clone();
  }

  rotate(dx: number, dy: number): void {
    this.azimuth -= dx;
    this.elevation = Math.min(1.55, Math.max(-0.3, this.elevation + dy));
  }

  shift(dx: number, dy: number): void {
    const s = Math.sin(this.azimuth);
    const c = Math.cos(this.azimuth);
    this.target.x += this.distance * dx * s;
    this.target.y -= this.distance * dx * c;
    this.target.z += this.distance * dy;
  }

  zoom(factor: number): void {
    this.distance = Math.min(5 * this.far, Math.max(0.02 * this.far, this.distance * factor));
  }

  centre(): void {
    this.target.copy(this.start);
    this.distance = this.far;
  }

  apply(camera: THREE.PerspectiveCamera): void {
    const flat = this.distance * Math.cos(this.elevation);
    camera.position.set(flat * Math.cos(this.azimuth), flat * Math.sin(this.azimuth), this.distance * Math.sin(this.elevation)).add(this.target);
    camera.lookAt(this.target);
    // a phone held upright sees as much across as a wide screen sees up
    camera.fov = camera.aspect < 1 ? 2 * (180 / Math.PI) * Math.atan(Math.tan(Math.PI / 7.5) / Math.max(camera.aspect, 0.4)) : 40;
    camera.near = 0.02 * this.distance;
    camera.far = this.distance + 3 * this.far;
    camera.updateProjectionMatrix();
  }
}

function makePoints(data: Grains): THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial> {
  const { head } = data;
  const order = shuffled(head.shown);
  const place = new Uint16Array(3 * head.shown);
  const bytes = [data.radius, data.speed, data.force].map((from) => Uint8Array.from(order, (k) => from[k]!));
  order.forEach((k, i) => place.set(data.position.subarray(3 * k, 3 * k + 3), 3 * i));
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(place, 3, true));
  ["size", "speed", "force"].forEach((name, k) => geometry.setAttribute(name, new THREE.BufferAttribute(bytes[k]!, 1, true)));
  const material = new THREE.ShaderMaterial({
    glslVersion: THREE.GLSL3,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      box: { value: new THREE.Vector3(...head.size_m) }, most: { value: head.radius_m }, pixels: { value: 1 }, cut: { value: -1 }, mode: { value: 0 },
      surface: { value: head.surface_m }, scale: { value: Array.from({ length: 10 }, (_, k) => new THREE.Vector3(...toLinear(viridis(k / 9)))) }, project: { value: new THREE.Matrix4() },
    },
  });
  const points = new THREE.Points(geometry, material);
  points.frustumCulled = false;
  return points;
}

function makeBody(data: Grains): THREE.Mesh | null {
  if (data.head.triangles === 0) return null;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(data.vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(data.triangles, 1));
  const body = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: 0xb9c2cc, roughness: 0.7, flatShading: true, side: THREE.DoubleSide }));
  body.frustumCulled = false;
  return body;
}

/** The floor's edge and the upright corners of the bin. */
function makeBox([x, y, z]: [number, number, number]): THREE.LineSegments {
  const box = new THREE.LineSegments(new THREE.EdgesGeometry(new THREE.BoxGeometry(x, y, z)), new THREE.LineBasicMaterial({ color: 0x6b7886 }));
  box.position.set(x / 2, y / 2, z / 2);
  return box;
}

const number = (x: number) => Number(x.toPrecision(2)).toString();

class GrainView {
  mode: Mode = "speed";
  readonly orbit: Orbit;
  frame = 0; // last time of drawing [ms]
  private readonly points;
  private readonly body: THREE.Mesh | null;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera();
  private readonly legend = el("div", { class: "legend" });
  private buttons: HTMLButtonElement[] = [];
  private moving = 0;
  private drawn: number;
  private waiting: (() => void)[] = [];

  constructor(private readonly data: Grains) {
    const { head } = data;
    this.orbit = new Orbit(head);
    this.drawn = head.shown;
    this.points = makePoints(data);
    this.body = makeBody(data);
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    this.scene.add(this.points, makeBox(head.size_m), new THREE.HemisphereLight(0xffffff, 0x556070, 1.6));
    const sun = new THREE.DirectionalLight(0xffffff, 2);
    sun.position.set(-0.4, -1, 1.5);
    this.scene.add(sun);
    if (this.body) this.scene.add(this.body);
    byId("view").prepend(this.renderer.domElement);
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute("aria-label", "Grains: drag to turn, wheel to zoom, double click for the whole bed");
    attachControls(this.renderer.domElement, () => this.orbit, () => this.touch());
    new ResizeObserver(() => this.request()).observe(byId("view"));
    this.makeTools();
    this.colour("speed");
  }

  /** A change by hand: what is slow to draw is thinned until the hand rests. */
  private touch(): void {
    if (this.frame > 60) this.drawn = Math.min(this.drawn, Math.max(20000, Math.floor((this.drawn * 40) / this.frame)));
    clearTimeout(this.moving);
    this.moving = 0;
    void this.request().then(() => { // counted from the end of a slow picture
      clearTimeout(this.moving);
      this.moving = window.setTimeout(() => { this.drawn = this.data.head.shown; void this.request(); }, 250);
    });
  }

  request(): Promise<void> {
    return new Promise((done) => {
      this.waiting.push(done);
      if (this.waiting.length === 1) requestAnimationFrame(() => this.draw());
    });
  }

  private draw(): void {
    const view = byId("view");
    const begin = performance.now();
    const ratio = Math.min(devicePixelRatio, 2);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(view.clientWidth, view.clientHeight, false);
    this.camera.up.set(0, 0, 1);
    this.camera.aspect = view.clientWidth / Math.max(1, view.clientHeight);
    this.orbit.apply(this.camera);
    const u = this.points.material.uniforms;
    u.pixels!.value = (ratio * view.clientHeight) / (2 * Math.tan((this.camera.fov * Math.PI) / 360));
    (u.project!.value as THREE.Matrix4).copy(this.camera.projectionMatrix);
    this.points.geometry.setDrawRange(0, this.drawn);
    this.renderer.render(this.scene, this.camera);
    const gl = this.renderer.getContext(); // a pixel that is read has been drawn, which finish() does not promise
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    this.frame = performance.now() - begin;
    for (const done of this.waiting.splice(0)) done();
  }

  colour(mode: Mode): Promise<void> {
    const { head } = this.data;
    this.mode = mode;
    this.points.material.uniforms.mode!.value = MODES.indexOf(mode);
    this.buttons.forEach((b, k) => b.setAttribute("aria-pressed", String(MODES[k] === mode)));
    const end = mode === "speed" ? head.speed_mps * 1000 : mode === "force" ? head.force_N : head.surface_m * 1000;
    const title = mode === "speed" ? "speed [mm/s]" : mode === "force" ? "normal forces [N]" : "depth [mm]";
    const middle = mode === "depth" ? end / 2 : end / 4; // speeds and forces have the scale of their root
    const strip = el("div", { class: "strip" });
    strip.style.background = gradient(viridis);
    this.legend.replaceChildren(el("b", {}, title), strip, el("div", { class: "ends" }, ...[0, middle, end].map((x) => el("span", {}, number(x)))));
    return this.request();
  }

  /** Leaves out the grains on the near side of y; null: shows all. */
  cut(y: number | null): Promise<void> {
    this.points.material.uniforms.cut!.value = y ?? -1;
    return this.request();
  }

  get state(): { shown: number; count: number; mode: Mode; cut: number; drawn: number; body: boolean } {
    return { shown: this.data.head.shown, count: this.data.head.count, mode: this.mode, cut: this.points.material.uniforms.cut!.value as number, drawn: this.drawn, body: this.body?.visible ?? false };
  }

  private makeTools(): void {
    const { head } = this.data;
    this.buttons = MODES.map((mode) => button({ label: `Colour by ${mode}`, text: mode, onClick: () => void this.colour(mode) }));
    const group = el("div", { role: "group", "aria-label": "Colour" }, ...this.buttons);
    byId("tools").append(group);
    byId("legends").append(this.legend);
    const [, width] = head.size_m;
    const slider = el("input", { type: "range", min: 0, max: 1000, value: Math.round((1000 * (head.cut_m ?? 0)) / width), "aria-label": "Cut across y" });
    const text = el("span", { class: "total" });
    const show = () => {
      const y = (Number(slider.value) * width) / 1000;
      slider.style.setProperty("--share", `${Number(slider.value) / 10}%`);
      text.textContent = y > 0 ? `cut at y = ${(1000 * y).toFixed(0)} mm` : "not cut";
      void this.cut(y > 0 ? y : null);
    };
    slider.addEventListener("input", () => { show(); this.touch(); });
    byId("bar").classList.add("grains");
    byId("bar").append(el("span", {}, "Cut"), slider, text);
    if (this.body) {
      const box = el("input", { type: "checkbox", checked: true, id: "show-body" });
      box.addEventListener("change", () => { this.body!.visible = box.checked; void this.request(); });
      byId("bar").append(el("label", {}, box, ` ${head.body ?? "body"}`));
    }
    show();
  }
}

function names(head: Head): void {
  byId("title").textContent = head.title;
  const all = head.count.toLocaleString("en");
  const shown = head.shown < head.count ? `${head.shown.toLocaleString("en")} of ${all}` : all;
  byId("subtitle").textContent = `${shown} grains of ${number(1000 * head.diameter_m)} mm · after ${number(head.time_s)} s`;
  document.title = `${head.title} – Grouser`;
}

/** Takes the page for a bed. `base64`: the data in it. */
export function showGrains(base64: string, theme: () => void): void {
  for (const id of ["side", "open-panel", "open-help", "hint", "figures"]) byId(id).hidden = true;
  byId("open-theme").addEventListener("click", theme);
  const ready = (async () => {
    try {
      const data = parseGrains(Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0)));
      names(data.head);
      const view = new GrainView(data);
      Object.assign(window, { grouserGrains: view });
      await view.request();
      return "";
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      byId("message").hidden = false;
      byId("message").textContent = text;
      if (/WebGL/.test(text)) byId("no-webgl").hidden = false;
      return text;
    }
  })();
  Object.assign(window, { grouserView: { ready } });
}
