// Figures and legends over the picture, and the tab "Run" with facts, warnings and all values at the shown time.

import type { App } from "../app.ts";
import { CATEGORIES, cividis, gradient, isGood, stateColour, viridis } from "../colours.ts";
import { formatNumber, type Run } from "../run.ts";
import { FORCE_LEGEND } from "../scene/overlays.ts";
import { SLOPE_MAX } from "../scene/terrain.ts";
import { stability } from "../stability.ts";
import { byId, el, formatTime } from "./dom.ts";

interface Figure {
  label: string;
  value: (run: Run, t: number) => string;
}

function channel(name: string, unit: string, digits: number): (run: Run, t: number) => string {
  return (run, t) => {
    const v = run.columns.at(run.columnIndex(name), t);
    return Number.isFinite(v) ? `${v.toFixed(digits).replace(/^-(?=0\.?0*$)/, "")} ${unit}` : "";
  };
}

function overWheels(run: Run, t: number, field: string): number {
  const values = run.head.rover.wheels.map((_, w) => Math.abs(run.columns.at(run.wheelColumn(w, field), t))).filter(Number.isFinite);
  return values.length > 0 ? Math.max(...values) : NaN;
}

function speed(run: Run, t: number): string {
  const v = ["vx_m_per_s", "vy_m_per_s", "vz_m_per_s"].map((n) => run.columns.at(run.columnIndex(n), t));
  const s = Math.hypot(...v);
  return Number.isFinite(s) ? `${(100 * s).toFixed(1)} cm/s` : "";
}

const FIGURES: Figure[] = [
  { label: "distance", value: channel("distance_m", "m", 2) },
  { label: "speed", value: speed },
  { label: "roll", value: channel("roll_deg", "°", 1) },
  { label: "pitch", value: channel("pitch_deg", "°", 1) },
  { label: "power", value: channel("power_W", "W", 1) },
  { label: "slip, max", value: (run, t) => { const v = overWheels(run, t, "slip"); return Number.isFinite(v) ? `${(100 * v).toFixed(0)} %` : ""; } },
  { label: "sinkage, max", value: (run, t) => { const v = overWheels(run, t, "sinkage_m"); return Number.isFinite(v) ? `${(1000 * v).toFixed(0)} mm` : ""; } },
];

/** Small table of figures, one column for each run. */
export function makeFigures(app: App): void {
  const table = el("table", { "aria-label": "Figures at the shown time" });
  let cells: HTMLElement[][] = [];
  const build = () => {
    table.replaceChildren();
    if (app.runs.length > 1) table.createTHead().append(el("tr", {}, el("th", {}), ...app.runs.map((r) => el("td", {}, r.label))));
    cells = FIGURES.map((f) => {
      const row = app.runs.map(() => el("td", {}));
      table.append(el("tr", {}, el("th", { scope: "row" }, f.label), ...row));
      return row;
    });
    const margin = app.runs.map(() => el("td", {}));
    table.append(el("tr", {}, el("th", { scope: "row" }, "tip margin"), ...margin));
    cells.push(margin);
    show();
  };
  const show = () => {
    if (cells.length === 0 || app.runs.length === 0) return;
    FIGURES.forEach((f, k) => {
      const texts = app.runs.map((run) => f.value(run, Math.min(app.time, run.end)));
      (cells[k]![0]!.parentElement as HTMLElement).hidden = texts.every((s) => s === "");
      texts.forEach((text, r) => { if (cells[k]?.[r] && cells[k]![r]!.textContent !== text) cells[k]![r]!.textContent = text; });
    });
    app.runs.forEach((run, r) => {
      const margin = stability(run, Math.min(app.time, run.end))?.margin ?? NaN;
      const text = Number.isFinite(margin) ? `${margin.toFixed(1)} °` : "–";
      const cell = cells[FIGURES.length]?.[r];
      if (cell && cell.textContent !== text) cell.textContent = text;
    });
  };
  byId("figures").append(table);
  app.on("runs", build);
  app.on("time", show);
  app.on("settings", show);
}

function bar(title: string, background: string, ends: string[]): HTMLElement {
  const strip = el("div", { class: "strip" });
  strip.style.background = background;
  return el("div", { class: "legend" }, el("b", {}, title), strip, el("div", { class: "ends" }, ...ends.map((e) => el("span", {}, e))));
}

function swatches(title: string, items: [string, string][]): HTMLElement {
  return el("div", { class: "legend" }, el("b", {}, title), ...items.map(([text, colour]) => {
    const dot = el("i", {});
    dot.style.background = colour;
    return el("span", { class: "swatch" }, dot, text);
  }));
}

/** Legends of what is switched on. */
export function makeLegends(app: App): void {
  const holder = byId("legends");
  const show = () => {
    holder.replaceChildren();
    const world = app.shown[0];
    if (!world) return;
    const { settings } = app;
    const frame = world.run.ground.frame;
    const z0 = world.run.head.origin[2];
    if (settings.colour === "height" && frame) holder.append(bar("Height [m]", gradient(cividis), [formatNumber(frame.zMin + z0), formatNumber(frame.zMax + z0)]));
    if (settings.colour === "slope") holder.append(bar("Slope [°]", gradient(viridis), ["0", String(SLOPE_MAX)]));
    if (settings.colour === "soil") holder.append(swatches("Soil", [...world.run.head.soils.map((s, k): [string, string] => [s, CATEGORIES[k % 8]!]), ...(world.run.soil?.soil.includes(255) ? [["rigid", "#333"] as [string, string]] : [])]));
    if (settings.overlays.has("track")) {
      const { upper, unit } = world.track.scale;
      const slip = settings.track === "slip";
      holder.append(bar(slip ? "Slip of the wheels" : `Sinkage [${unit}]`, gradient(slip ? viridis : cividis), slip ? ["0", `${(100 * upper).toFixed(0)} %`] : ["0", formatNumber(upper)]));
    }
    if (settings.overlays.has("forces")) holder.append(swatches(`Forces on wheels, 1 m = ${formatNumber(Number(world.overlays.newtonPerMetre.toPrecision(2)))} N`, FORCE_LEGEND));
    if (settings.overlays.has("states")) holder.append(swatches("Contact", [["rolling", stateColour("rolling")], ["slipping, sliding", stateColour("slipping")], ["braking", stateColour("braking")], ["contact", stateColour("contact")], ["none", stateColour("")]]));
    if (settings.overlays.has("pressure")) holder.append(bar("Mean pressure, load / (width × arc)", gradient(cividis), ["0", "largest wheel"]));
  };
  app.on("settings", show);
  app.on("runs", show);
}

/** Title, outcome and the tab "Run". */
export function makeRunTab(app: App): void {
  const facts = el("div", {});
  const search = el("input", { type: "search", placeholder: "Search values", "aria-label": "Search values" });
  const table = el("table", { class: "values" });
  byId("tab-run").append(facts, el("section", {}, el("h3", {}, "All values"), search, table));
  let rows: { column: number; row: HTMLElement; cell: HTMLElement; words: string }[] = [];

  const showFacts = () => {
    byId("title").textContent = app.run ? app.run.head.title || app.run.head.name : "Grouser";
    byId("subtitle").textContent = app.runs.map((r) => `${r.label} · ${r.head.rover.title || r.head.rover.name}`).join("  |  ");
    document.title = app.run ? `${app.run.head.name} · Grouser` : "Grouser";
    const badge = byId("outcome");
    const done = app.run?.done;
    badge.hidden = !done;
    badge.textContent = done?.outcome.replace(/_/g, " ") ?? "";
    badge.title = done?.cause ?? "";
    badge.className = isGood(done?.outcome ?? "") ? "good" : "bad";
    facts.replaceChildren(...app.runs.map((run) => runFacts(app, run)));
  };
  const build = () => {
    const run = app.run;
    rows = [];
    table.replaceChildren();
    if (run)
      run.head.columns.forEach((c, column) => {
        if (["time", "pose", "rock"].includes(c.group)) return;
        const cell = el("td", {});
        const row = el("tr", {}, el("th", { scope: "row", title: c.text }, c.name), cell, el("td", { class: "unit" }, c.unit));
        rows.push({ column, row, cell, words: `${c.name} ${c.text}`.toLowerCase() });
        table.append(row);
      });
    showFacts();
  };
  const show = () => {
    if (byId("tab-run").hidden || !app.run) return;
    for (const r of rows) {
      const text = r.row.hidden ? "" : app.run.valueText(r.column, app.time);
      if (r.cell.textContent !== text) r.cell.textContent = text;
    }
  };
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const r of rows) r.row.hidden = !words.every((w) => r.words.includes(w));
    show();
  });
  app.on("runs", build);
  app.on("done", showFacts);
  app.on("time", show);
  app.on("settings", show);
}

function runFacts(app: App, run: Run): HTMLElement {
  const { head, done } = run;
  const mass = head.rover.bodies.reduce((m, b) => m + b.mass, 0);
  const rows: [string, string][] = [
    ["Scenario", run.label],
    ["Rover", `${head.rover.title || head.rover.name}, ${formatNumber(mass)} kg, ${head.rover.wheels.length} wheels`],
    ["Gravity", `${Math.hypot(...head.gravity).toFixed(2)} m/s²`],
    ["Duration", formatTime(run.end - run.start)],
    ["Outcome", done ? `${done.outcome.replace(/_/g, " ")}: ${done.cause}` : "unknown: the recording has no end"],
    ["Program", head.program],
  ];
  if (done?.distance != null) rows.splice(4, 0, ["Distance", `${done.distance.toFixed(2)} m`]);
  const list = el("dl", {}, ...rows.flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
  const section = el("section", {}, el("h3", {}, head.title || head.name), list);
  if (done && done.bands.length > 0) {
    const [share, ...figures] = done.bands;
    section.append(el("h4", {}, "On samples of the soil"), el("p", {}, share!), el("ul", {}, ...figures.map((text) => el("li", {}, text))));
  }
  if (done && done.warnings.length > 0) {
    const items = done.warnings.map((w) => {
      const go = el("button", { type: "button", class: "link" }, w.time !== null ? formatTime(w.time) : "–");
      if (w.time !== null) go.addEventListener("click", () => app.seek(w.time!));
      return el("li", {}, go, ` ${w.text} (${w.count}×)`);
    });
    section.append(el("h4", {}, "Warnings"), el("ul", { class: "warnings" }, ...items));
  }
  return section;
}
