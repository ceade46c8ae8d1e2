// Rover, soil, gravity, sun and drive mode from lists with pictures.

import { el } from "../ui/dom.ts";
import type { Editor, Section } from "./editor.ts";
import { numberAt, quote, rounded, type EditState } from "./state.ts";

const SVG = "http://www.w3.org/2000/svg";

function draw(box: string, paths: [d: string, kind: string][]): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", box);
  svg.setAttribute("aria-hidden", "true");
  for (const [d, kind] of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    path.setAttribute("class", kind);
    svg.append(path);
  }
  return svg;
}

/** A disc as large as the body's gravity. */
function planet(value: number): SVGSVGElement {
  const r = 3 + 12 * Math.sqrt(Math.min(1, value / 10));
  return draw("0 0 32 32", [[`M${16 - r} 16a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`, "fill"]]);
}

/** Six wheels from above at the angles of a drive mode [deg], and where they go. */
const MODES: Record<string, { angles: [number, number, number, number, number, number]; arrow: string }> = {
  stop: { angles: [0, 0, 0, 0, 0, 0], arrow: "" },
  park: { angles: [45, -45, 0, 0, -45, 45], arrow: "" },
  ackermann: { angles: [25, 20, 0, 0, 0, 0], arrow: "M16 12C16 8 20 5 24 4" },
  double_ackermann: { angles: [25, 20, 0, 0, -25, -20], arrow: "M16 13C16 8 21 5 25 5" },
  crab: { angles: [30, 30, 30, 30, 30, 30], arrow: "M16 16L23 4" },
  point_turn: { angles: [45, -45, 0, 0, -45, 45], arrow: "M11 16a5 5 0 1 1 5 5" },
  skid: { angles: [0, 0, 0, 0, 0, 0], arrow: "M14 13V20M18 20V11" },
  wheel_walk: { angles: [0, 0, 0, 0, 0, 0], arrow: "M16 20V16M16 13V9" },
  fixed: { angles: [0, 0, 0, 0, 0, 0], arrow: "M16 20V8" },
};

function mode(name: string): SVGSVGElement {
  const m = MODES[name] ?? MODES.fixed!;
  const wheels = m.angles.map((angle, k): [string, string] => {
    const [x, y] = [k % 2 === 0 ? 7 : 25, [7, 16, 25][Math.floor(k / 2)]!];
    const a = (angle * Math.PI) / 180;
    const [dx, dy] = [3.2 * Math.sin(a), -3.2 * Math.cos(a)];
    return [`M${(x - dx).toFixed(1)} ${(y - dy).toFixed(1)}L${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`, "wheel"];
  });
  return draw("0 0 32 32", [["M11 6h10v20H11z", "body"], ...wheels, [m.arrow, "arrow"]]);
}

/** Cards of which one is chosen. */
function cards(label: string, items: { name: string; title: string; picture: Element }[], choose: (name: string) => void): { element: HTMLElement; show: (name: string) => void } {
  const inputs = items.map((item) => {
    const input = el("input", { type: "radio", name: `choose ${label}`, value: item.name });
    input.addEventListener("change", () => choose(item.name));
    return input;
  });
  const element = el("div", { class: "cards", role: "radiogroup", "aria-label": label }, ...items.map((item, k) => el("label", { title: item.title }, inputs[k]!, el("span", {}, item.picture, el("b", {}, item.name.replace(/_/g, " "))))));
  return { element, show: (name) => inputs.forEach((i) => (i.checked = i.value === name)) };
}

function fold(title: string, present: HTMLElement, ...inside: HTMLElement[]): HTMLDetailsElement {
  return el("details", { class: "fold" }, el("summary", {}, title, " ", present), ...inside);
}

export function makeChoices(editor: Editor): Section {
  const { about } = editor;
  const picture = (name: string) => el("i", { class: "view" }, el("img", { src: `/picture/${encodeURIComponent(name)}.svg`, alt: "", loading: "lazy" })); // its view in perspective
  const rovers = cards("rover", about.rovers.map((r) => ({ ...r, picture: picture(r.name) })), (name) => editor.set([`${at.rover}=${quote(name)}`]));
  const gravities = cards("gravity", about.gravities.map((g) => ({ name: g.name, title: `${rounded(g.value, 4)} m/s²`, picture: planet(g.value) })), (name) => editor.set([`${at.gravity}=${name}`]));
  const modes = cards("drive mode", about.modes.map((m) => ({ ...m, picture: mode(m.name) })), (name) => editor.set([`drive.mode=${name}`]));
  const soil = el("select", { "aria-label": "Soil" }, ...about.soils.map((s) => el("option", { value: s.name, title: s.title }, `${s.name}: ${s.title}`)), el("option", { value: "none" }, "none: rigid ground"));
  soil.addEventListener("change", () => editor.set([`${at.soil}=${soil.value}`]));
  const lander = el("select", { "aria-label": "Lander" }, el("option", { value: "" }, "none"), ...about.landers.map((l) => el("option", { value: l.name, title: l.title }, `${l.name}: ${l.title}`)));
  lander.addEventListener("change", () => {
    const had = [...(editor.app.edit?.values.keys() ?? [])].some((k) => k === "lander" || k.startsWith("lander."));
    if (lander.value === "") { if (had) editor.set(["lander="]); }
    else editor.set([`${had ? at.lander : "lander.name"}=${lander.value}`]);
  });
  const sun = { azimuth: el("input", { type: "range", min: 0, max: 359, "aria-label": "Sun's azimuth, clockwise from north" }), elevation: el("input", { type: "range", min: 0, max: 90, "aria-label": "Sun's elevation" }) };
  const sunText = el("output", {});
  const put = () => editor.set([`sun.azimuth_deg=${sun.azimuth.value}`, `sun.elevation_deg=${sun.elevation.value}`]);
  for (const input of [sun.azimuth, sun.elevation]) {
    input.addEventListener("input", () => editor.app.update({ sun: { azimuth: Number(sun.azimuth.value), elevation: Number(sun.elevation.value) } }));
    input.addEventListener("change", put);
  }
  const now = { rover: el("b", {}), soil: el("b", {}), gravity: el("b", {}), sun: el("b", {}), mode: el("b", {}), lander: el("b", {}) };
  const at = { rover: "rover", soil: "soil", gravity: "gravity", lander: "lander.name" };
  const element = el("section", { class: "choices" },
    fold("Rover", now.rover, rovers.element), fold("Soil", now.soil, soil), fold("Gravity", now.gravity, gravities.element),
    fold("Sun", now.sun, el("label", { class: "field" }, el("span", {}, "Azimuth"), sun.azimuth), el("label", { class: "field" }, el("span", {}, "Elevation"), sun.elevation, sunText)),
    fold("Drive mode", now.mode, modes.element), fold("Lander", now.lander, lander));

  const show = (edit: EditState) => {
    const value = (path: string) => edit.values.get(path)?.text ?? "";
    const named = (key: "rover" | "soil" | "gravity", inner: string) => {
      at[key] = edit.values.has(`${key}.${inner}`) ? `${key}.${inner}` : key;
      const name = value(at[key]);
      now[key].textContent = name || (key === "gravity" ? "earth" : "–");
      return name;
    };
    rovers.show(named("rover", "use"));
    soil.value = named("soil", "use");
    gravities.show(named("gravity", "body") || "earth");
    modes.show(value("drive.mode"));
    now.mode.textContent = value("drive.mode").replace(/_/g, " ") || "that of the rover";
    lander.value = value("lander.name");
    now.lander.textContent = value("lander.name") || "none";
    const [azimuth, elevation] = [numberAt(edit, "sun.azimuth_deg"), numberAt(edit, "sun.elevation_deg")];
    if (Number.isFinite(azimuth)) sun.azimuth.value = String(azimuth);
    if (Number.isFinite(elevation)) sun.elevation.value = String(elevation);
    sunText.textContent = `${sun.azimuth.value}°, ${sun.elevation.value}°`;
    now.sun.textContent = edit.values.has("sun.start") ? value("sun.start") : Number.isFinite(azimuth) || Number.isFinite(elevation) ? sunText.textContent : "none";
    if (Number.isFinite(azimuth) && Number.isFinite(elevation) && (editor.app.settings.sun.azimuth !== azimuth || editor.app.settings.sun.elevation !== Math.max(1, elevation))) editor.app.update({ sun: { azimuth, elevation: Math.max(1, elevation) } });
  };
  return { element, show };
}
