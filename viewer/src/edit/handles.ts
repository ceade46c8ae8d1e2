// Handles over the picture for everything that has a place: start, way-points, craters, parts, zones. They are dragged, or moved
// with the arrow keys when they have the focus.
//
// What has a place is found by its keys alone: x_m and y_m, lists [x, y] of a path, at_m of parts, circle_m and polygon_m. A new
// kind with such keys needs nothing here.

import * as THREE from "three";
import type { App } from "../app.ts";
import { byId, el } from "../ui/dom.ts";
import { numberAt, numbersOf, rounded, type EditState } from "./state.ts";

export interface Handle {
  path: string;
  label: string;
  x: number; // world
  y: number;
  kind: "start" | "goal" | "point" | "thing" | "corner";
  /** Edits that put it there. */
  move: (x: number, y: number) => string[];
  /** Edits that remove it; null: it stays. */
  remove: string[] | null;
}

const STEP = 0.1; // m of an arrow key; ten times with Shift

/** The key before x_m in "terrain.add[2].crater.x_m", as words. */
function nameOf(path: string): string {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const plain = last.replace(/\[\d+\]$/, "");
  return (plain === "" ? (keys.pop() ?? "") : plain).replace(/_/g, " ");
}

/** The item of a list that a path is in: "terrain.add[2]" of "terrain.add[2].crater". */
function itemOf(path: string): string | null {
  return /^(.*\[\d+\])(\.[^[\]]*)?$/.exec(path)?.[1] ?? null;
}

/** Way-points of the text, or of the run where the text has none of its own. */
export function wayPoints(edit: EditState, shown: [number, number][]): { points: [number, number][]; own: boolean } {
  const own: [number, number][] = [];
  for (let k = 0; edit.values.has(`drive.path[${k}]`); k++) {
    const p = numbersOf(edit.values.get(`drive.path[${k}]`)!.text);
    if (p?.length !== 2) return { points: shown, own: false };
    own.push([p[0]!, p[1]!]);
  }
  return own.length > 0 ? { points: own, own: true } : { points: shown, own: false };
}

const pair = (x: number, y: number) => `[${rounded(x)}, ${rounded(y)}]`;

/** Edits that make a list of points the path. */
export function pathEdits(points: [number, number][]): string[] {
  return [`drive.path=[${points.map(([x, y]) => pair(x, y)).join(", ")}]`];
}

/** `height`: of the ground, in the world. */
export function findHandles(edit: EditState, start: { x: number; y: number } | null, path: [number, number][], height: (x: number, y: number) => number): Handle[] {
  const out: Handle[] = [];
  const add = (handle: Omit<Handle, "remove"> & { remove?: string[] | null }) => out.push({ remove: null, ...handle });
  for (const [key, value] of edit.values) {
    if (/(^|\.)x_m$/.test(key)) {
      const base = key.slice(0, -4);
      const [x, y] = [numberAt(edit, key), numberAt(edit, `${base}.y_m`)];
      if (!Number.isFinite(x) || !Number.isFinite(y) || base === "start") continue;
      const item = itemOf(base);
      add({ path: base, label: nameOf(base), x, y, kind: "thing", move: (a, b) => [`${base}.x_m=${rounded(a)}`, `${base}.y_m=${rounded(b)}`], remove: item ? [`${item}=`] : null });
    } else if (/^parts\[\d+\]\.\w+\.at_m$/.test(key) || /\.circle_m$/.test(key)) {
      const v = numbersOf(value.text);
      const base = key.replace(/\.(at_m|circle_m)$/, "");
      if (v?.length !== 3) continue;
      const [x, y, third] = v as [number, number, number];
      // A part keeps its height above the ground; the third number of a circle is its radius.
      const last = (a: number, b: number) => (key.endsWith("at_m") ? third + height(a, b) - height(x, y) : third);
      add({ path: key, label: nameOf(base), x, y, kind: "thing", move: (a, b) => [`${key}=[${rounded(a)}, ${rounded(b)}, ${rounded(last(a, b))}]`], remove: itemOf(base) ? [`${itemOf(base)}=`] : null });
    } else if (/polygon_m\[\d+\]$/.test(key)) {
      const v = numbersOf(value.text);
      if (v?.length === 2) add({ path: key, label: "", x: v[0]!, y: v[1]!, kind: "corner", move: (a, b) => [`${key}=${pair(a, b)}`], remove: [`${key}=`] });
    }
  }
  const { points, own } = wayPoints(edit, path);
  points.forEach(([x, y], k) => {
    const with_ = (p: [number, number][]) => pathEdits(p);
    add({
      path: `drive.path[${k}]`, label: k + 1 === points.length ? `goal ${k + 1}` : String(k + 1), x, y, kind: k + 1 === points.length ? "goal" : "point",
      move: (a, b) => (own ? [`drive.path[${k}]=${pair(a, b)}`] : with_(points.map((p, n) => (n === k ? [a, b] : p)))),
      remove: points.length > 1 ? (own ? [`drive.path[${k}]=`] : with_(points.filter((_, n) => n !== k))) : null,
    });
  });
  const given = { x: numberAt(edit, "start.x_m"), y: numberAt(edit, "start.y_m") };
  const at = { x: Number.isFinite(given.x) ? given.x : start?.x, y: Number.isFinite(given.y) ? given.y : start?.y };
  const stands = [...edit.values.keys()].some((key) => key === "lander" || key.startsWith("lander."));
  if (at.x !== undefined && at.y !== undefined && !stands)
    add({ path: "start", label: "start", x: at.x, y: at.y, kind: "start", move: (a, b) => [`start.x_m=${rounded(a)}`, `start.y_m=${rounded(b)}`] });
  return out;
}

/** The handles as buttons over the picture. */
export class Handles {
  private layer = el("div", { id: "handles" });
  private shown: { handle: Handle; button: HTMLButtonElement }[] = [];
  private dragged: { handle: Handle; x: number; y: number } | null = null;

  constructor(private app: App, private send: (set: string[]) => void) {
    byId("view").append(this.layer);
    app.on("frame", () => this.place());
  }

  show(handles: Handle[]): void {
    const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.path : undefined;
    this.layer.replaceChildren();
    this.dragged = null;
    this.shown = handles.map((handle) => {
      const button = el("button", { type: "button", class: `handle ${handle.kind}`, "data-path": handle.path, "aria-label": `${handle.label || "corner"} at ${rounded(handle.x)}, ${rounded(handle.y)} m: drag, or move with the arrow keys`, title: `${handle.path}\ndrag or arrow keys${handle.remove ? "; Delete removes it" : ""}` }, handle.label);
      this.listen(handle, button);
      this.layer.append(button);
      return { handle, button };
    });
    if (focus) this.shown.find((s) => s.handle.path === focus)?.button.focus({ preventScroll: true });
    this.place();
  }

  private listen(handle: Handle, button: HTMLButtonElement): void {
    button.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      e.preventDefault();
      button.focus({ preventScroll: true });
      button.setPointerCapture(e.pointerId);
      this.app.selectCamera(this.app.camera === "top" ? "top" : "orbit"); // the picture stays while the start moves
      this.dragged = { handle, x: handle.x, y: handle.y };
    });
    button.addEventListener("pointermove", (e) => {
      const d = this.dragged;
      if (!d || d.handle !== handle) return;
      const p = this.app.pick(e.clientX, e.clientY);
      if (!p) return;
      [d.x, d.y] = p;
      this.place();
    });
    button.addEventListener("pointerup", () => {
      const d = this.dragged;
      this.dragged = null;
      if (d && (d.x !== handle.x || d.y !== handle.y)) this.send(handle.move(d.x, d.y));
    });
    button.addEventListener("pointercancel", () => { this.dragged = null; this.place(); });
    button.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
      if (by && !e.ctrlKey && !e.altKey && !e.metaKey) {
        const step = STEP * (e.shiftKey ? 10 : 1);
        this.send(handle.move(handle.x + by[0]! * step, handle.y + by[1]! * step));
      } else if ((e.key === "Delete" || e.key === "Backspace") && handle.remove) this.send(handle.remove);
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }

  /** Brings every handle to its place in the picture. */
  place(): void {
    const world = this.app.shown[0];
    for (const { handle, button } of this.shown) {
      const d = this.dragged?.handle === handle ? this.dragged : handle;
      const [x, y] = world ? world.run.toLocal([d.x, d.y, 0]) : [0, 0];
      const p = world && this.app.view ? this.app.view.project(new THREE.Vector3(x, y, world.run.height(x, y))) : null;
      button.hidden = !p;
      if (p) button.style.transform = `translate(-50%, -100%) translate(${p.x.toFixed(1)}px, ${p.y.toFixed(1)}px)`;
    }
  }
}
