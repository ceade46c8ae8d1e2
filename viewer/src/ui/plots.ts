// Plots of recorded channels (uPlot): several lines each, the shown time as a cursor, a click jumps, dragging zooms all plots.

import uPlot from "uplot";
import type { App } from "../app.ts";
import { SERIES } from "../colours.ts";
import { formatNumber, type Run } from "../run.ts";
import { decimate } from "./decimate.ts";
import { button, byId, el } from "./dom.ts";
import { pickChannels } from "./picker.ts";

const HEIGHT = 132;
const BUCKETS = 700;
const REFRESH_MS = 500; // of a live run's curves

/** A channel's name without its unit, which stands beside it: "sinkage_m" -> "sinkage". */
function plainName(field: string): string {
  return field.replace(/_(m|N|Nm|W|J|s|deg|rad|per_m|(m|deg|rad)_per_s2?)$/, "").replace(/_/g, " ");
}

/** Slip is in percent and depths in millimetres, as in reports and legends. */
function shownAs(def: { field: string; unit: string }): { scale: number; unit: string } {
  if (def.field === "slip") return { scale: 100, unit: "%" };
  return def.field === "sinkage_m" || def.field === "deflection_m" ? { scale: 1000, unit: "mm" } : { scale: 1, unit: def.unit };
}

interface Line {
  run: Run;
  column: number;
  label: string;
  colour: string;
  dashed: boolean;
}

class Plot {
  readonly card = el("section", { class: "plot" });
  private chart: uPlot | null = null;
  private lines: Line[] = [];
  private holder = el("div", { class: "chart" });
  private legend = el("div", { class: "lines" });
  private title = el("h3", {});
  private cursor = el("div", { class: "now" });
  private values: HTMLElement[] = [];

  constructor(private app: App, public names: string[], private plots: Plots) {
    this.card.append(
      el("header", {}, this.title,
        button({ label: "Choose channels of this plot", icon: "add", onClick: () => this.choose() }),
        button({ label: "Remove this plot", icon: "close", onClick: () => plots.remove(this) })),
      this.legend, this.holder);
    this.build();
  }

  private choose(): void {
    pickChannels(this.app, this.names, (names) => {
      this.names = names;
      if (names.length === 0) this.plots.remove(this);
      else this.build();
    });
  }

  build(): void {
    this.lines = [];
    this.app.runs.forEach((run, r) =>
      this.names.forEach((name, k) => {
        const column = run.columnIndex(name);
        if (column >= 0) this.lines.push({ run, column, label: name, colour: SERIES[k % SERIES.length]!, dashed: r > 0 });
      }));
    this.chart?.destroy();
    this.chart = null;
    this.showLegend();
    if (this.lines.length > 0) this.makeChart();
  }

  private showLegend(): void {
    const defs = this.lines.map((l) => l.run.head.columns[l.column]!);
    const fields = new Set(defs.map((d) => d.field));
    const units = new Set(defs.map((d) => shownAs(d).unit));
    const unit = units.size === 1 ? [...units][0] : "";
    const shared = fields.size === 1 ? plainName(defs[0]!.field) : [...fields].map(plainName).join(", ");
    this.title.textContent = shared + (unit ? ` [${unit}]` : "");
    this.values = [];
    this.legend.replaceChildren(...this.lines.filter((l) => !l.dashed).map((l, k) => {
      const def = defs[k]!;
      const short = fields.size === 1 ? def.name.replace(/\.[^.]*$/, "") || def.name : def.name.split(".").pop()!;
      const value = el("b", {});
      this.values.push(value);
      const item = el("span", { class: "line", title: `${def.name}: ${def.text} ${def.unit}` }, short, value);
      item.style.setProperty("--line", l.colour);
      return item;
    }));
  }

  private data(lower: number, upper: number): uPlot.AlignedData {
    const blocks = this.app.runs.map((run) => {
      const mine = this.lines.filter((l) => l.run === run);
      const { columns } = run;
      const first = Math.max(0, columns.indexAt(lower) - 1);
      const last = Math.min(columns.length - 1, columns.indexAt(upper) + 1);
      const block = decimate(columns.column(0), mine.map((l) => columns.column(l.column)), first, last, BUCKETS);
      mine.forEach((l, k) => {
        const { scale } = shownAs(run.head.columns[l.column]!);
        if (scale !== 1) block.y[k] = block.y[k]!.map((v) => (v === null ? null : scale * v));
      });
      return block;
    });
    const tables = blocks.filter((b) => b.y.length > 0).map((b) => [b.x, ...b.y] as uPlot.AlignedData);
    return tables.length > 1 ? uPlot.join(tables) : (tables[0] ?? [[]]);
  }

  private makeChart(): void {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--muted").trim();
    const grid = style.getPropertyValue("--grid").trim();
    const axis = { stroke: ink, font: "11px system-ui, sans-serif", grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 } };
    this.chart = new uPlot({
      width: this.width(), height: HEIGHT,
      legend: { show: false },
      cursor: { sync: { key: "grouser" }, drag: { x: true, y: false, dist: 6 }, points: { size: 5 } },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 52, values: (_, ticks) => ticks.map((v) => formatNumber(v)) }],
      series: [{}, ...this.lines.map((l) => ({ label: l.label, stroke: l.colour, width: 1.4, spanGaps: true, points: { show: false }, ...(l.dashed ? { dash: [5, 4] } : {}) }))],
      hooks: { setSelect: [(u) => this.zoom(u)], setSize: [() => this.showCursor()] },
    }, this.data(-Infinity, Infinity), this.holder);
    this.chart.ctx.canvas.setAttribute("aria-label", `Plot of ${this.names.join(", ")}`);
    this.chart.over.append(this.cursor);
    let down = 0;
    this.chart.over.addEventListener("pointerdown", (e) => (down = e.clientX));
    this.chart.over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) < 4) this.app.seek(this.chart!.posToVal(e.offsetX, "x"));
    });
    this.chart.over.addEventListener("dblclick", () => this.plots.zoom(null));
    this.showCursor();
  }

  private zoom(u: uPlot): void {
    if (u.select.width < 6) return;
    this.plots.zoom([u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")]);
  }

  show(window: [number, number] | null): void {
    if (!this.chart) return;
    this.chart.setData(this.data(window?.[0] ?? -Infinity, window?.[1] ?? Infinity), window === null);
    if (window) this.chart.setScale("x", { min: window[0], max: window[1] });
    this.chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    this.showCursor();
  }

  private width(): number {
    return Math.max(160, this.plots.width() - 18);
  }

  resize(): void {
    this.chart?.setSize({ width: this.width(), height: HEIGHT });
  }

  showCursor(): void {
    if (!this.chart) return;
    const x = this.chart.valToPos(this.app.time, "x");
    this.cursor.hidden = !(x >= 0 && x <= this.chart.bbox.width / devicePixelRatio);
    this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.values.forEach((value, k) => {
      const l = this.lines[k]!;
      const { scale } = shownAs(l.run.head.columns[l.column]!);
      const number = scale * l.run.columns.at(l.column, this.app.time);
      const text = scale === 1 || !Number.isFinite(number) ? l.run.valueText(l.column, this.app.time) : formatNumber(number);
      if (value.textContent !== text) value.textContent = text;
    });
  }

  destroy(): void {
    this.chart?.destroy();
    this.card.remove();
  }
}

/** Channels that say most about a run at first sight. */
function defaultPlots(run: Run): string[][] {
  const wheels = run.head.rover.wheels;
  const ofWheels = (field: string) => wheels.map((_, w) => run.head.columns[run.wheelColumn(w, field)]?.name).filter((n): n is string => n !== undefined).slice(0, 8);
  const named = (names: string[]) => names.filter((n) => run.columnIndex(n) >= 0);
  return [ofWheels("slip"), ofWheels("sinkage_m"), named(["roll_deg", "pitch_deg"]), named(["power_W"])].filter((p) => p.length > 0);
}

export class Plots {
  private list: Plot[] = [];
  private holder = el("div", { class: "plots" });
  private window: [number, number] | null = null;
  private refreshed = 0;
  private stale = false;

  constructor(private app: App) {
    const add = button({ label: "Add a plot", key: "N", icon: "add", text: "Add a plot", className: "wide", onClick: () => this.addByUser() });
    byId("tab-plots").append(this.holder, add, el("p", { class: "note" }, "Click a plot to jump to that time, drag to zoom, double-click to show all."));
    app.on("runs", () => this.reset());
    app.on("time", () => this.follow());
    app.on("data", () => (this.stale = true));
    new ResizeObserver(() => this.list.forEach((p) => p.resize())).observe(byId("side"));
  }

  private reset(): void {
    const names = this.list.map((p) => p.names);
    this.list.forEach((p) => p.destroy());
    this.list = [];
    this.window = null;
    const run = this.app.run;
    if (!run) return;
    const known = names.map((list) => list.filter((n) => run.columnIndex(n) >= 0)).filter((list) => list.length > 0);
    for (const plot of known.length > 0 ? known : defaultPlots(run)) this.add(plot);
  }

  width(): number {
    return this.holder.clientWidth || byId("side").clientWidth || 340;
  }

  private follow(): void {
    if (this.stale && performance.now() - this.refreshed > REFRESH_MS) {
      this.stale = false;
      this.refreshed = performance.now();
      this.list.forEach((p) => p.show(this.window));
    }
    if (!byId("side").hidden && !byId("tab-plots").hidden) this.list.forEach((p) => p.showCursor());
  }

  /** Colours of axes come from the theme. */
  restyle(): void {
    this.list.forEach((p) => p.build());
  }

  refresh(): void {
    this.list.forEach((p) => { p.resize(); p.showCursor(); });
  }

  add(names: string[]): void {
    const plot = new Plot(this.app, names, this);
    this.list.push(plot);
    this.holder.append(plot.card);
  }

  addByUser(): void {
    pickChannels(this.app, [], (names) => {
      if (names.length > 0) this.add(names);
    });
  }

  remove(plot: Plot): void {
    this.list = this.list.filter((p) => p !== plot);
    plot.destroy();
  }

  zoom(window: [number, number] | null): void {
    this.window = window;
    this.list.forEach((p) => p.show(window));
  }
}
