// The window on a large map: the whole map coarsely, with hill-shade or slope, and a rectangle that is dragged on it.

import { cividis, viridis, type Rgb } from "../colours.ts";
import { SLOPE_MAX } from "../scene/terrain.ts";
import { button, el } from "../ui/dom.ts";
import type { Section } from "./editor.ts";
import { numbersOf, type EditState } from "./state.ts";

export interface MapOverview {
  columns: number; // of the file
  rows: number;
  pixel: number; // m
  step: number;  // pixels of the file to one node here
  nx: number;
  ny: number;
  height: Float32Array; // from the north; NaN: no data
}

export function parseMap(json: unknown): MapOverview | null {
  const o = (typeof json === "object" && json !== null ? json : {}) as Record<string, unknown>;
  const whole = (v: unknown) => (typeof v === "number" && Number.isInteger(v) && v > 0 ? v : 0);
  const [columns, rows, step, nx, ny] = [o.columns, o.rows, o.step, o.nx, o.ny].map(whole) as [number, number, number, number, number];
  const levels = Array.isArray(o.heights) ? o.heights : [];
  if (nx * ny === 0 || nx > 1024 || ny > 1024 || levels.length !== nx * ny || columns * rows * step === 0) return null;
  const [low, unit, pixel] = [Number(o.low), Number(o.unit), Number(o.pixel_m)];
  return { columns, rows, pixel, step, nx, ny, height: Float32Array.from(levels, (v) => (typeof v === "number" && v >= 0 ? low + unit * v : NaN)) };
}

type Look = "shade" | "slope";

/** Colour of a node: lit from the north-west, or by its slope. */
function colour(map: MapOverview, i: number, j: number, look: Look, low: number, high: number): Rgb {
  const at = (a: number, b: number) => map.height[Math.min(map.ny - 1, Math.max(0, b)) * map.nx + Math.min(map.nx - 1, Math.max(0, a))]!;
  const z = at(i, j);
  if (Number.isNaN(z)) return [0.1, 0.1, 0.12];
  const cell = 2 * map.step * map.pixel;
  const slope = (a: number, b: number) => (Number.isNaN(a) || Number.isNaN(b) ? 0 : (a - b) / cell);
  const gx = slope(at(i + 1, j), at(i - 1, j));
  const gy = slope(at(i, j - 1), at(i, j + 1)); // rows run south
  if (look === "slope") return viridis((Math.atan(Math.hypot(gx, gy)) * 180) / Math.PI / SLOPE_MAX);
  const norm = Math.hypot(gx, gy, 1);
  const light = Math.max(0, (gx * 0.5 - gy * 0.5 + 0.707) / norm);
  const c = cividis(high > low ? (z - low) / (high - low) : 0.5);
  return c.map((v) => Math.min(1, (0.25 + 0.95 * light) * (0.35 + 0.65 * v))) as Rgb;
}

interface Rect {
  column: number;
  row: number;
  columns: number;
  rows: number;
}

export class MapWindow implements Section {
  private canvas = el("canvas", { class: "map", tabindex: 0, role: "img", "aria-label": "The whole map, north up. Drag a rectangle to choose the window." });
  private words = el("p", { class: "note" });
  private look: Look = "shade";
  private map: MapOverview | null = null;
  private window: Rect | null = null;
  private drawn: { from: [number, number]; to: [number, number] } | null = null;
  private looks: HTMLButtonElement[];
  readonly element: HTMLElement;

  constructor(private send: (set: string[]) => void) {
    this.looks = (["shade", "slope"] as const).map((look) => {
      const b = button({ label: look === "shade" ? "Hill-shade of the map" : "Slope of the map", text: look === "shade" ? "Hill-shade" : "Slope", onClick: () => { this.look = look; this.paint(); } });
      b.dataset.look = look;
      return b;
    });
    this.element = el("section", { class: "window", hidden: true }, el("h3", {}, "Window on the map"), el("div", { class: "row" }, ...this.looks, button({ label: "Use the whole map", text: "Whole map", onClick: () => this.whole() })), this.canvas, this.words);
    this.listen();
  }

  setMap(map: MapOverview | null): void {
    this.map = map;
    this.element.hidden = !map;
    this.paint();
  }

  show(edit: EditState): void {
    const v = numbersOf(edit.values.get("terrain.window_pixel")?.text ?? "");
    this.window = v?.length === 4 ? { column: v[0]!, row: v[1]!, columns: v[2]!, rows: v[3]! } : null;
    this.paint();
  }

  private whole(): void {
    if (this.window) this.send(["terrain.window_pixel="]);
  }

  private listen(): void {
    const node = (e: PointerEvent): [number, number] => {
      const box = this.canvas.getBoundingClientRect();
      const m = this.map!;
      return [Math.min(m.nx, Math.max(0, ((e.clientX - box.left) / box.width) * m.nx)), Math.min(m.ny, Math.max(0, ((e.clientY - box.top) / box.height) * m.ny))];
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      if (!this.map) return;
      this.canvas.setPointerCapture(e.pointerId);
      this.drawn = { from: node(e), to: node(e) };
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (!this.drawn || !this.map) return;
      this.drawn.to = node(e);
      this.paint();
    });
    this.canvas.addEventListener("pointerup", () => {
      const d = this.drawn;
      this.drawn = null;
      const r = d && this.rect(d);
      if (r && r.columns >= 4 && r.rows >= 4) this.send([`terrain.window_pixel=[${r.column}, ${r.row}, ${r.columns}, ${r.rows}]`]);
      else this.paint();
    });
    this.canvas.addEventListener("pointercancel", () => { this.drawn = null; this.paint(); });
    // Arrow keys move the window by a node of the picture, with Shift they change its size.
    this.canvas.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (!by || !this.map) return;
      e.preventDefault();
      e.stopPropagation();
      const m = this.map;
      const w = this.window ?? { column: 0, row: 0, columns: m.columns, rows: m.rows };
      const [dx, dy] = [by[0]! * m.step, by[1]! * m.step];
      const next = e.shiftKey ? { ...w, columns: w.columns + dx, rows: w.rows + dy } : { ...w, column: w.column + dx, row: w.row + dy };
      next.columns = Math.max(4, Math.min(m.columns, next.columns));
      next.rows = Math.max(4, Math.min(m.rows, next.rows));
      next.column = Math.max(0, Math.min(m.columns - next.columns, next.column));
      next.row = Math.max(0, Math.min(m.rows - next.rows, next.row));
      this.send([`terrain.window_pixel=[${next.column}, ${next.row}, ${next.columns}, ${next.rows}]`]);
    });
  }

  private rect(d: { from: [number, number]; to: [number, number] }): Rect {
    const m = this.map!;
    const [x0, x1] = [Math.min(d.from[0], d.to[0]), Math.max(d.from[0], d.to[0])];
    const [y0, y1] = [Math.min(d.from[1], d.to[1]), Math.max(d.from[1], d.to[1])];
    const column = Math.floor(x0 * m.step);
    const row = Math.floor(y0 * m.step);
    return { column, row, columns: Math.min(m.columns - column, Math.round((x1 - x0) * m.step)), rows: Math.min(m.rows - row, Math.round((y1 - y0) * m.step)) };
  }

  private paint(): void {
    const m = this.map;
    if (!m) return;
    for (const b of this.looks) b.setAttribute("aria-pressed", String(b.dataset.look === this.look));
    const context = this.canvas.getContext("2d");
    if (!context) return;
    if (this.canvas.width !== m.nx || this.canvas.height !== m.ny) {
      this.canvas.width = m.nx;
      this.canvas.height = m.ny;
    }
    let [low, high] = [Infinity, -Infinity];
    for (const z of m.height) if (!Number.isNaN(z)) [low, high] = [Math.min(low, z), Math.max(high, z)];
    const image = context.createImageData(m.nx, m.ny);
    for (let j = 0; j < m.ny; j++)
      for (let i = 0; i < m.nx; i++) {
        const c = colour(m, i, j, this.look, low, high);
        image.data.set([255 * c[0], 255 * c[1], 255 * c[2], 255], 4 * (j * m.nx + i));
      }
    context.putImageData(image, 0, 0);
    const r = this.drawn ? this.rect(this.drawn) : this.window;
    if (r) {
      context.strokeStyle = "#f2994a";
      context.lineWidth = Math.max(1, m.nx / 120);
      context.strokeRect(r.column / m.step, r.row / m.step, r.columns / m.step, r.rows / m.step);
    }
    const size = (columns: number, rows: number) => `${(columns * m.pixel).toPrecision(4)} × ${(rows * m.pixel).toPrecision(4)} m`;
    this.words.textContent = `Map ${m.columns} × ${m.rows} pixels, ${size(m.columns, m.rows)}. ${r ? `Window ${r.columns} × ${r.rows} pixels, ${size(r.columns, r.rows)}.` : "All of it is used; drag a rectangle to choose a window."}`;
  }
}
