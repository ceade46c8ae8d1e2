// The tab "View": colours of the ground, sun, track, comparison of two runs.

import { COMPARE, type App, type Compare } from "../app.ts";
import { COLOUR_MODES, type ColourMode } from "../scene/terrain.ts";
import { byId, el } from "./dom.ts";

const COLOUR_TEXT: Record<ColourMode, string> = { regolith: "Regolith", height: "Height", slope: "Slope", soil: "Soil" };
const COMPARE_TEXT: Record<Compare, string> = { split: "Side by side", ghost: "Ghost", first: "First only", second: "Second only" };

function choice<T extends string>(name: string, values: readonly T[], text: Record<T, string>, set: (v: T) => void): { element: HTMLElement; show: (v: T) => void } {
  const inputs = values.map((v) => {
    const input = el("input", { type: "radio", name, value: v });
    input.addEventListener("change", () => set(v));
    return input;
  });
  const element = el("div", { class: "choice", role: "radiogroup", "aria-label": name }, ...values.map((v, k) => el("label", {}, inputs[k]!, el("span", {}, text[v]))));
  return { element, show: (v) => inputs.forEach((i) => (i.checked = i.value === v)) };
}

function slider(label: string, unit: string, min: number, max: number, set: (v: number) => void): { element: HTMLElement; show: (v: number) => void } {
  const input = el("input", { type: "range", min, max, step: 1, "aria-label": label });
  const value = el("output", {});
  input.addEventListener("input", () => set(Number(input.value)));
  return {
    element: el("label", { class: "field" }, el("span", {}, label), input, value),
    show: (v) => {
      input.value = String(v);
      input.style.setProperty("--share", `${(100 * (v - min)) / (max - min)}%`);
      value.textContent = `${v}${unit}`;
    },
  };
}

export function makeSettings(app: App): void {
  const colour = choice("Ground colour", COLOUR_MODES, COLOUR_TEXT, (v) => app.update({ colour: v }));
  const track = choice("Track colour", ["slip", "sinkage"] as const, { slip: "Slip", sinkage: "Sinkage" }, (v) => app.update({ track: v }));
  const azimuth = slider("Azimuth", "°", 0, 359, (v) => app.update({ sun: { ...app.settings.sun, azimuth: v } }));
  const elevation = slider("Elevation", "°", 1, 90, (v) => app.update({ sun: { ...app.settings.sun, elevation: v } }));
  const compare = choice("Compare", COMPARE, COMPARE_TEXT, (v) => app.update({ compare: v }));
  const grid = el("input", { type: "checkbox" });
  grid.addEventListener("change", () => app.update({ grid: grid.checked }));
  const two = el("section", {}, el("h3", {}, "Compare ", el("kbd", {}, "V")), compare.element);
  byId("tab-view").append(
    two,
    el("section", {}, el("h3", {}, "Ground ", el("kbd", {}, "G")), colour.element, el("label", { class: "check" }, grid, el("span", {}, "Grid of 1 m"))),
    el("section", {}, el("h3", {}, "Sun"), azimuth.element, elevation.element, el("p", { class: "note" }, "Azimuth clockwise from north. The sun's position is a setting of this page, not of the run.")),
    el("section", {}, el("h3", {}, "Track"), track.element));
  app.on("settings", () => {
    const s = app.settings;
    colour.show(s.colour);
    track.show(s.track);
    azimuth.show(s.sun.azimuth);
    elevation.show(s.sun.elevation);
    compare.show(s.compare);
    grid.checked = s.grid;
    two.hidden = app.runs.length < 2;
  });
}
