// HEAD of a replay: its types, and a reader that takes any JSON and gives a complete, consistent head.
//
// The input is untrusted: numbers are checked, indices are bounded, missing lists become empty ones.

import { StreamError } from "./stream.ts";

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w, x, y, z

export interface Mesh {
  vertices: ArrayLike<number>;
  faces: ArrayLike<number>;
}

export type Shape =
  | { kind: "box"; position: Vec3; rotation: Quat; size: Vec3 }
  | { kind: "cylinder"; position: Vec3; rotation: Quat; radius: number; length: number }
  | { kind: "sphere"; position: Vec3; radius: number }
  | { kind: "rod"; from: Vec3; to: Vec3; radius: number }
  | { kind: "mesh"; position: Vec3; rotation: Quat; mesh: Mesh | null; surface: number };

export interface Body {
  name: string;
  parent: number;
  mass: number;
  com: Vec3;
  shapes: Shape[];
}

export interface Wheel {
  name: string;
  body: number;
  position: Vec3;
  rotation: Quat;
  radius: number;
  width: number;
  crown: number;
  rimless: boolean;
  grousers: { count: number; height: number; thickness: number; pattern: string; angle: number };
  mesh: Mesh | null;
  surface: number;
}

export interface Joint {
  name: string;
  kind: string;
  role: string;
  parent: number; // body
  position: Vec3; // in the parent's frame
}

export interface Column {
  name: string;
  unit: string;
  text: string;
  group: string;
  owner: number; // -1: none
  field: string;
  kind: string;
}

export type PanelItem =
  | { path: string; label: string; group: string; unit: string; value: number; lower: number; upper: number }
  | { path: string; label: string; group: string; value: string; choices: string[] };

export interface LiveHead {
  modes: { name: string; text: string }[];
  mode: string;
  speedMax: number;
  curvatureMax: number;
  yawRateMax: number;
  panel: PanelItem[];
}

export interface Head {
  name: string;
  title: string;
  program: string;
  gravity: Vec3;
  rate: number;
  duration: number | null;
  origin: Vec3;
  rover: { name: string; title: string; bodies: Body[]; joints: Joint[]; wheels: Wheel[] };
  parts: Shape[];
  rocks: { count: number; loose: number };
  path: [number, number][];
  tolerance: number;
  soils: string[];
  states: string[];
  modes: string[];
  ruts: { cell: number; quantum: number } | null;
  columns: Column[];
  live: LiveHead | null;
}

type Json = Record<string, unknown>;

function object(v: unknown): Json {
  return typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Json) : {};
}
function list(v: unknown): unknown[] {
  return Array.isArray(v) ? v : [];
}
function text(v: unknown, fallback = ""): string {
  return typeof v === "string" ? v : fallback;
}
function texts(v: unknown): string[] {
  return list(v).map((s) => text(s));
}
function number(v: unknown, fallback: number): number {
  return typeof v === "number" && Number.isFinite(v) ? v : fallback;
}
function positive(v: unknown, fallback: number): number {
  const n = number(v, fallback);
  return n > 0 ? n : fallback;
}
function vec3(v: unknown): Vec3 {
  const a = list(v);
  return [number(a[0], 0), number(a[1], 0), number(a[2], 0)];
}
function quat(v: unknown): Quat {
  const a = list(v);
  const q: Quat = [number(a[0], 1), number(a[1], 0), number(a[2], 0), number(a[3], 0)];
  const norm = Math.hypot(...q);
  return norm > 0 ? (q.map((x) => x / norm) as Quat) : [1, 0, 0, 0];
}

function mesh(v: unknown): Mesh | null {
  const m = object(v);
  const vertices = list(m.vertices).map((x) => number(x, 0));
  const count = Math.floor(vertices.length / 3);
  const faces = list(m.faces).map((x) => number(x, -1));
  if (count < 3 || faces.length < 3 || faces.some((f) => !Number.isInteger(f) || f < 0 || f >= count)) return null;
  return { vertices: vertices.slice(0, 3 * count), faces: faces.slice(0, faces.length - (faces.length % 3)) };
}

/** Number of the chunk MESH with the triangles; -1: there is none, and the hull is drawn. */
function surface(v: unknown): number {
  const n = number(v, -1);
  return Number.isInteger(n) && n >= 0 ? n : -1;
}

/** Shapes that are drawn. */
function shapes(v: unknown): Shape[] {
  const out: Shape[] = [];
  for (const item of list(v)) {
    const s = object(item);
    if (s.drawn === false) continue;
    const pose = { position: vec3(s.position), rotation: quat(s.rotation) };
    if (s.kind === "box") out.push({ kind: "box", ...pose, size: vec3(s.size).map(Math.abs) as Vec3 });
    else if (s.kind === "cylinder") out.push({ kind: "cylinder", ...pose, radius: positive(s.radius, 0.01), length: positive(s.length, 0.01) });
    else if (s.kind === "sphere") out.push({ kind: "sphere", position: pose.position, radius: positive(s.radius, 0.01) });
    else if (s.kind === "rod") out.push({ kind: "rod", from: vec3(s.from), to: vec3(s.to), radius: positive(s.radius, 0.01) });
    else if (s.kind === "mesh") {
      const m = mesh(s.mesh);
      const n = surface(s.surface);
      if (m || n >= 0) out.push({ kind: "mesh", ...pose, mesh: m, surface: n });
    }
  }
  return out;
}

function bodies(v: unknown): Body[] {
  const all = list(v);
  return all.map((item, index) => {
    const b = object(item);
    const parent = number(b.parent, -1);
    return {
      name: text(b.name, `body ${index}`),
      parent: Number.isInteger(parent) && parent >= 0 && parent < all.length ? parent : -1,
      mass: Math.max(0, number(b.mass, 0)),
      com: vec3(b.com),
      shapes: shapes(b.shapes),
    };
  });
}

function wheels(v: unknown, bodyCount: number): Wheel[] {
  const out: Wheel[] = [];
  for (const item of list(v)) {
    const w = object(item);
    const body = number(w.body, -1);
    if (!Number.isInteger(body) || body < 0 || body >= bodyCount) throw new StreamError("a wheel has no body");
    const g = object(w.grousers);
    out.push({
      name: text(w.name, `wheel ${out.length}`),
      body,
      position: vec3(w.position),
      rotation: quat(w.rotation),
      radius: positive(w.radius, 0.1),
      width: positive(w.width, 0.1),
      crown: Math.max(0, number(w.crown, 0)),
      rimless: w.rimless === true,
      grousers: {
        count: Math.min(200, Math.max(0, Math.floor(number(g.count, 0)))),
        height: Math.max(0, number(g.height, 0)),
        thickness: Math.max(0, number(g.thickness, 0)),
        pattern: text(g.pattern, "straight"),
        angle: number(g.angle_rad, 0),
      },
      mesh: mesh(w.mesh),
      surface: surface(w.surface),
    });
  }
  return out;
}

function columns(v: unknown): Column[] {
  return list(v).map((item, index) => {
    const c = object(item);
    return {
      name: text(c.name, `column ${index}`),
      unit: text(c.unit),
      text: text(c.text),
      group: text(c.group),
      owner: number(c.owner, -1),
      field: text(c.field),
      kind: text(c.kind, "number"),
    };
  });
}

function panel(v: unknown): PanelItem[] {
  const out: PanelItem[] = [];
  for (const item of list(v)) {
    const p = object(item);
    const base = { path: text(p.path), label: text(p.label, text(p.path)), group: text(p.group) };
    if (base.path === "") continue;
    if (Array.isArray(p.choices)) out.push({ ...base, value: text(p.value), choices: texts(p.choices) });
    else {
      const value = number(p.value, 0);
      out.push({ ...base, unit: text(p.unit), value, lower: number(p.lower, -Infinity), upper: number(p.upper, Infinity) });
    }
  }
  return out;
}

function live(v: unknown): LiveHead | null {
  if (typeof v !== "object" || v === null) return null;
  const l = object(v);
  const modes = list(l.modes).map((item) => {
    const m = object(item);
    return { name: text(m.name), text: text(m.text, text(m.name)) };
  });
  return {
    modes,
    mode: text(l.mode, modes[0]?.name ?? ""),
    speedMax: positive(l.speed_max, 0.1),
    curvatureMax: positive(l.curvature_max, 1),
    yawRateMax: positive(l.yaw_rate_max, 0.3),
    panel: panel(l.panel),
  };
}

function ruts(v: unknown): Head["ruts"] {
  const r = object(v);
  const cell = number(r.cell, 0);
  const quantum = number(r.quantum, 0);
  return cell > 0 && quantum > 0 ? { cell, quantum } : null;
}

function path(v: unknown): [number, number][] {
  return list(v).map((p) => {
    const a = list(p);
    return [number(a[0], 0), number(a[1], 0)];
  });
}

export function parseHead(json: unknown): Head {
  const h = object(json);
  if (h.format !== 2) throw new StreamError(`the replay has format ${String(h.format)}; this page reads format 2`);
  const rover = object(h.rover);
  const allBodies = bodies(rover.bodies);
  const rocks = object(h.rocks);
  const allColumns = columns(h.columns);
  if (allColumns[0]?.group !== "time") throw new StreamError("the first column is not the time");
  return {
    name: text(h.name, "run"),
    title: text(h.title),
    program: text(h.program),
    gravity: vec3(h.gravity),
    rate: positive(h.rate_Hz, 20),
    duration: typeof h.duration_s === "number" && h.duration_s > 0 ? h.duration_s : null,
    origin: vec3(h.origin),
    rover: {
      name: text(rover.name),
      title: text(rover.title),
      bodies: allBodies,
      joints: list(rover.joints).map((item) => {
        const j = object(item);
        return { name: text(j.name), kind: text(j.kind), role: text(j.role), parent: number(j.parent, -1), position: vec3(j.position) };
      }),
      wheels: wheels(rover.wheels, allBodies.length),
    },
    parts: shapes(h.parts),
    rocks: { count: number(rocks.count, 0), loose: number(rocks.loose, 0) },
    path: path(h.path),
    tolerance: number(h.tolerance_m, 0),
    soils: texts(h.soils),
    states: texts(h.states),
    modes: texts(h.modes),
    ruts: ruts(h.ruts),
    columns: allColumns,
    live: live(h.live),
  };
}
