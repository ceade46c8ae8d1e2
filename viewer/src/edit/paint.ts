// Soils by place: a brush, polygons, and rules on slope and height. All of them are rules of soil_map, the newest first, since the first
// that applies counts.

import * as THREE from "three";
import { CATEGORIES } from "../colours.ts";
import { button, el } from "../ui/dom.ts";
import type { Editor, Section } from "./editor.ts";
import { rounded, type EditState } from "./state.ts";

const RULE_MAX = 480; // characters; a longer stroke becomes several rules
const RULES_MAX = 64;
const CELL_LEAST = 0.2; // m of the map that is made from rules, where a brush is used first; its own default is 0.5

/** A stroke with few points: those left out are off by less than `tolerance`. */
export function simplify(points: [number, number][], tolerance: number): [number, number][] {
  if (points.length < 3) return points;
  const [a, b] = [points[0]!, points[points.length - 1]!];
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  let worst = 0;
  let at = 0;
  for (let k = 1; k + 1 < points.length; k++) {
    const p = points[k]!;
    const off = length > 0 ? Math.abs((b[0] - a[0]) * (a[1] - p[1]) - (a[0] - p[0]) * (b[1] - a[1])) / length : Math.hypot(p[0] - a[0], p[1] - a[1]);
    if (off > worst) [worst, at] = [off, k];
  }
  if (worst <= tolerance) return [a, b];
  return [...simplify(points.slice(0, at + 1), tolerance).slice(0, -1), ...simplify(points.slice(at), tolerance)];
}

const corner = ([x, y]: [number, number]) => `${rounded(x, 2)} ${rounded(y, 2)}`;

/** Rules of a stroke; a long one is cut. */
export function strokeRules(soil: string, radius: number, points: [number, number][]): string[] {
  const all = simplify(points, 0.1 * radius);
  const out: string[] = [];
  let part: string[] = [];
  const head = `${soil}: near(${rounded(radius, 2)}: `;
  for (const p of all) {
    if (part.length > 0 && head.length + part.join(", ").length + corner(p).length + 4 > RULE_MAX) {
      out.push(`${head}${part.join(", ")})`);
      part = [part[part.length - 1]!];
    }
    part.push(corner(p));
  }
  if (part.length > 0) out.push(`${head}${part.join(", ")})`);
  return out;
}

export class Paint implements Section {
  readonly element: HTMLElement;
  private soil = el("select", { "aria-label": "Soil that is painted" });
  private radius = el("input", { type: "number", min: 0.1, max: 50, step: 0.1, value: 1, "aria-label": "Radius of the brush in metres" });
  private quantity = el("select", { "aria-label": "Quantity of the rule" }, el("option", { value: "slope_deg" }, "slope [°]"), el("option", { value: "height_m" }, "height [m]"), el("option", { value: "noise" }, "noise"));
  private sign = el("select", { "aria-label": "Above or below" }, el("option", { value: ">" }, "above"), el("option", { value: "<" }, "below"));
  private value = el("input", { type: "number", step: "any", value: 10, "aria-label": "Value of the rule" });
  private list = el("ol", { class: "rules" });
  private file = el("input", { type: "text", placeholder: "classes.tif", "aria-label": "Raster of classes" });
  private legend = el("input", { type: "text", placeholder: "1=dlr_d2 2=mars_sand", "aria-label": "What the classes are" });
  private brush: HTMLButtonElement;
  private polygon: HTMLButtonElement;
  private corners: [number, number][] = [];
  private stroke: [number, number][] | null = null;
  private trail = el("div", { class: "trail" });
  private edit: EditState | null = null;

  constructor(private editor: Editor) {
    this.soil.append(...editor.about.soils.map((s) => el("option", { value: s.name, title: s.title }, s.name)));
    this.brush = editor.toolButton("Brush", "Paint the soil with a brush: drag over the ground", () => undefined);
    this.polygon = editor.toolButton("Polygon", "Click the corners of a polygon; Enter or the first corner ends it", (x, y) => this.addCorner(x, y));
    const tell = () => { if (this.active(this.brush) || this.active(this.polygon)) editor.app.update({ colour: "soil" }); this.corners = []; this.mark(); };
    this.brush.addEventListener("click", tell);
    this.polygon.addEventListener("click", tell);
    this.element = el("section", { class: "paint" }, el("h3", {}, "Soil by place"),
      el("div", { class: "row" }, this.soil, this.brush, this.radius, el("span", { class: "note" }, "m"), this.polygon),
      el("div", { class: "row" }, el("span", { class: "note" }, "where"), this.quantity, this.sign, this.value, button({ label: "Add this rule", text: "Add rule", onClick: () => this.addRule() })),
      this.list,
      el("div", { class: "row" }, el("span", { class: "note" }, "or classes of a raster"), this.file, this.legend));
    for (const [input, key] of [[this.file, "soil_map.file"], [this.legend, "soil_map.legend"]] as const)
      input.addEventListener("change", () => {
        if (input.value !== "" || this.edit?.values.has(key)) editor.set([`${key}=${input.value === "" ? "" : JSON.stringify(input.value)}`]);
      });
    document.getElementById("view")!.append(this.trail);
    this.listen();
  }

  private active(b: HTMLButtonElement): boolean {
    return b.getAttribute("aria-pressed") === "true";
  }

  /** Puts rules before the others: what is painted last is on top. */
  private put(rules: string[], cell = 0): void {
    const edit = this.edit;
    if (!edit || rules.length === 0) return;
    const has = edit.values.has("soil_map.rules[0]");
    const path = (k: number) => (has || k > 0 ? "soil_map.rules[0+]" : "soil_map.rules[+]");
    const finer = cell > 0 && !edit.values.has("soil_map.cell_m") && !edit.values.has("soil_map.rules[0]") ? [`soil_map.cell_m=${rounded(cell, 2)}`] : [];
    this.editor.set([...rules.map((rule, k) => `${path(k)}=${JSON.stringify(rule)}`), ...finer]);
  }

  private addRule(): void {
    const value = Number(this.value.value);
    if (Number.isFinite(value)) this.put([`${this.soil.value}: ${this.quantity.value}${this.sign.value}${rounded(value, 4)}`]);
  }

  private addCorner(x: number, y: number): void {
    const first = this.corners[0];
    if (this.corners.length > 2 && first && Math.hypot(x - first[0], y - first[1]) < 0.05 * Math.max(...this.corners.map((c) => Math.hypot(c[0] - first[0], c[1] - first[1])))) {
      this.close();
      return;
    }
    this.corners.push([x, y]);
    this.mark();
  }

  private close(): void {
    if (this.corners.length > 2) this.put([`${this.soil.value}: inside(${this.corners.map(corner).join(", ")})`]);
    this.corners = [];
    this.mark();
  }

  private listen(): void {
    const { app } = this.editor;
    const canvas = app.view?.canvas;
    const pick = (e: PointerEvent) => app.pick(e.clientX, e.clientY);
    // Before the camera's own listeners: a stroke does not turn the picture.
    canvas?.addEventListener("pointerdown", (e) => {
      if (!this.active(this.brush) || e.button !== 0 || e.shiftKey) return;
      const p = pick(e);
      if (!p) return;
      e.stopImmediatePropagation();
      canvas.setPointerCapture(e.pointerId);
      this.stroke = [p];
      this.mark();
    }, { capture: true });
    canvas?.addEventListener("pointermove", (e) => {
      if (!this.stroke) return;
      e.stopImmediatePropagation();
      const p = pick(e);
      if (p) this.stroke.push(p);
      this.mark();
    }, { capture: true });
    const end = () => {
      const stroke = this.stroke;
      this.stroke = null;
      this.mark();
      const radius = Number(this.radius.value);
      if (stroke && radius > 0) this.put(strokeRules(this.soil.value, radius, stroke), Math.max(CELL_LEAST, radius / 4));
    };
    canvas?.addEventListener("pointerup", end, { capture: true });
    canvas?.addEventListener("pointercancel", () => { this.stroke = null; this.mark(); });
    addEventListener("keydown", (e) => { if (e.key === "Enter" && this.corners.length > 2 && this.active(this.polygon)) this.close(); });
    app.on("frame", () => this.mark());
  }

  /** Dots where the stroke or the polygon goes. */
  private mark(): void {
    const { app } = this.editor;
    const world = app.shown[0];
    const points = this.stroke ?? this.corners;
    this.trail.replaceChildren(...points.map(([x, y]) => {
      const [lx, ly] = world ? world.run.toLocal([x, y, 0]) : [0, 0];
      const p = world && app.view ? app.view.project(new THREE.Vector3(lx, ly, world.run.height(lx, ly))) : null;
      const dot = el("i", {});
      dot.hidden = !p;
      if (p) dot.style.transform = `translate(${p.x.toFixed(1)}px, ${p.y.toFixed(1)}px)`;
      return dot;
    }));
  }

  show(edit: EditState): void {
    this.edit = edit;
    const rules: string[] = [];
    for (let k = 0; k < RULES_MAX && edit.values.has(`soil_map.rules[${k}]`); k++) rules.push(edit.values.get(`soil_map.rules[${k}]`)!.text);
    for (const [input, key] of [[this.file, "soil_map.file"], [this.legend, "soil_map.legend"]] as const) if (document.activeElement !== input) input.value = edit.values.get(key)?.text ?? "";
    const soils = this.editor.app.run?.head.soils ?? [];
    this.list.replaceChildren(...rules.map((rule, k) => {
      const swatch = el("i", { class: "dot" });
      const index = soils.indexOf(rule.split(":")[0]!.trim());
      swatch.style.background = index >= 0 ? CATEGORIES[index % 8]! : "transparent";
      return el("li", {}, swatch, el("span", { title: rule }, rule.length > 60 ? `${rule.slice(0, 57)}…` : rule), button({ label: `Remove rule ${k + 1}`, icon: "close", onClick: () => this.editor.set([`soil_map.rules[${k}]=`]) }));
    }));
  }
}
