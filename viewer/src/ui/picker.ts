// The list of recorded channels: searchable, grouped by rover, energy, wheel and joint; channels of all wheels at once.

import type { App } from "../app.ts";
import type { Run } from "../run.ts";
import { button, el } from "./dom.ts";

interface Entry {
  label: string;
  detail: string;
  names: string[];
}

interface Section {
  title: string;
  entries: Entry[];
}

function sections(run: Run): Section[] {
  const out = new Map<string, Entry[]>();
  const put = (title: string, entry: Entry) => out.set(title, [...(out.get(title) ?? []), entry]);
  const { wheels, joints } = run.head.rover;
  const columns = run.head.columns.filter((c) => !["time", "pose", "rock"].includes(c.group));
  const wheelFields = new Map<string, string[]>();
  for (const c of columns) if (c.group === "wheel") wheelFields.set(c.field, [...(wheelFields.get(c.field) ?? []), c.name]);
  for (const [field, names] of wheelFields) {
    const c = columns.find((d) => d.name === names[0])!;
    put("All wheels", { label: field, detail: `${c.text} ${c.unit ? `[${c.unit}]` : ""}`, names });
  }
  for (const c of columns) {
    const owner = c.group === "wheel" ? wheels[c.owner]?.name : c.group === "joint" ? joints[c.owner]?.name : "";
    const title = c.group === "wheel" ? `Wheel ${owner}` : c.group === "joint" ? `Joint ${owner}` : c.group === "energy" ? "Energy" : "Rover";
    put(title, { label: c.name, detail: `${c.text} ${c.unit ? `[${c.unit}]` : ""}`, names: [c.name] });
  }
  const order = (t: string) => ["All wheels", "Rover", "Energy", "Wheel", "Joint"].findIndex((p) => t.startsWith(p));
  return [...out].map(([title, entries]) => ({ title, entries })).sort((a, b) => order(a.title) - order(b.title));
}

/** Opens the list with `chosen` ticked; calls `done` with the new choice unless it is cancelled. */
export function pickChannels(app: App, chosen: string[], done: (names: string[]) => void): void {
  const run = app.run;
  if (!run) return;
  const selected = new Set(chosen);
  const search = el("input", { type: "search", placeholder: "Search channels: slip, torque, front_left …", "aria-label": "Search channels" });
  const list = el("div", { class: "channels" });
  const boxes: { box: HTMLInputElement; entry: Entry; row: HTMLElement; words: string }[] = [];
  const groups: { heading: HTMLElement; rows: HTMLElement[] }[] = [];
  const sync = () => boxes.forEach(({ box, entry }) => {
    const n = entry.names.filter((name) => selected.has(name)).length;
    box.checked = n === entry.names.length;
    box.indeterminate = n > 0 && n < entry.names.length;
  });
  for (const section of sections(run)) {
    const heading = el("h4", {}, section.title);
    const rows: HTMLElement[] = [];
    list.append(heading);
    for (const entry of section.entries) {
      const box = el("input", { type: "checkbox" });
      const row = el("label", { class: "channel" }, box, el("code", {}, entry.label), el("span", {}, entry.detail));
      box.addEventListener("change", () => {
        for (const name of entry.names) if (box.checked) selected.add(name); else selected.delete(name);
        sync();
      });
      boxes.push({ box, entry, row, words: `${section.title} ${entry.label} ${entry.detail}`.toLowerCase() });
      rows.push(row);
      list.append(row);
    }
    groups.push({ heading, rows });
  }
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const b of boxes) b.row.hidden = !words.every((w) => b.words.includes(w));
    for (const g of groups) g.heading.hidden = g.rows.every((r) => r.hidden);
  });
  sync();
  const dialog = el("dialog", { class: "picker", "aria-label": "Channels to plot" });
  const finish = (accept: boolean) => {
    dialog.close();
    dialog.remove();
    if (accept) done([...selected]);
  };
  dialog.append(el("header", {}, el("h2", {}, "Channels to plot"), button({ label: "Cancel", icon: "close", onClick: () => finish(false) })), search, list,
    el("footer", {}, button({ label: "Remove all ticks", text: "Clear", onClick: () => { selected.clear(); sync(); } }), button({ label: "Plot", text: "Plot", className: "primary", onClick: () => finish(true) })));
  dialog.addEventListener("cancel", () => dialog.remove());
  search.addEventListener("keydown", (e) => { if (e.key === "Enter") finish(true); });
  document.body.append(dialog);
  dialog.showModal();
  search.focus();
}
