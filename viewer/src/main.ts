// Entry of the page: builds it, finds the runs (inside the page, from the server, or from the user) and shows them.

import "./language.ts"; // first, see there
import { App } from "./app.ts";
import { makeChoices } from "./edit/choices.ts";
import { Editor } from "./edit/editor.ts";
import { Form } from "./edit/form.ts";
import { showGrains } from "./grains.ts";
import { MapWindow } from "./edit/map.ts";
import { Paint } from "./edit/paint.ts";
import { loadAbout, type About } from "./edit/state.ts";
import { installHook } from "./hook.ts";
import { embedded, fromFile, fromServer, hello, load, type Source } from "./load.ts";
import type { Run } from "./run.ts";
import { detectQuality, View } from "./scene/view.ts";
import { Capture } from "./ui/capture.ts";
import { attachControls } from "./ui/controls.ts";
import { button, byId, el } from "./ui/dom.ts";
import { Drive } from "./ui/drive.ts";
import { makeHint, showHelp } from "./ui/help.ts";
import { makeFigures, makeLegends, makeRunTab } from "./ui/hud.ts";
import { attachKeyboard } from "./ui/keyboard.ts";
import { Plots } from "./ui/plots.ts";
import { makeSettings } from "./ui/settings.ts";
import { makeTimeline } from "./ui/timeline.ts";
import { makeToolbar } from "./ui/toolbar.ts";

function message(text: string): void {
  const box = byId("message");
  box.hidden = text === "";
  box.textContent = text;
}

function makeView(): { app: App } {
  const quality = detectQuality();
  let view: View | null = null;
  if (quality) {
    try {
      view = new View(byId("view"), byId("labels"), quality);
    } catch {
      view = null;
    }
  }
  if (!view) byId("no-webgl").hidden = false;
  const app = new App(view, quality);
  if (view) {
    const changed = () => app.invalidate();
    attachControls(view.canvas, () => view.cameras, changed);
    new ResizeObserver(changed).observe(byId("view"));
  }
  return { app };
}

/** Light, dark, or as the system says. */
function makeTheme(restyle: () => void): () => void {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: light)");
  const apply = (theme: string) => { root.dataset.theme = theme; restyle(); };
  apply(system.matches ? "light" : "dark");
  system.addEventListener("change", () => apply(system.matches ? "light" : "dark"));
  return () => apply(root.dataset.theme === "light" ? "dark" : "light");
}

function makeTabs(app: App, plots: Plots): { toggle: () => void; show: (name: string) => void } {
  const side = byId("side");
  const tabs = [...document.querySelectorAll<HTMLButtonElement>("#tabs [data-tab]")];
  const show = (name: string) => {
    for (const t of tabs) {
      const on = t.dataset.tab === name;
      t.setAttribute("aria-selected", String(on));
      t.tabIndex = on ? 0 : -1;
      byId(`tab-${t.dataset.tab}`).hidden = !on;
    }
    plots.refresh();
    app.emit("time");
  };
  const toggle = () => {
    side.hidden = !side.hidden;
    byId("open-panel").setAttribute("aria-expanded", String(!side.hidden));
    plots.refresh();
    app.emit("time");
  };
  tabs.forEach((t, k) => {
    t.addEventListener("click", () => show(t.dataset.tab!));
    t.addEventListener("keydown", (e) => {
      const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      e.stopPropagation();
      const open = tabs.filter((x) => !x.hidden);
      const next = open[(open.indexOf(tabs[k]!) + step + open.length) % open.length]!;
      next.focus();
      show(next.dataset.tab!);
    });
  });
  show("plots");
  if (innerWidth < 760) side.hidden = true;
  return { toggle, show };
}

/** Reads sources into runs; says what could not be read. */
async function open(app: App, sources: Source[], keep: Run[]): Promise<string> {
  message("Reading …");
  const runs = [...keep];
  const problems: string[] = [];
  for (const source of sources) {
    try {
      const { run, report } = await load(source);
      if (run && run.columns.length > 0) runs.push(run);
      else problems.push(`${source.name || "replay"}: ${report.errors[0] ?? "there is no data in it"}`);
      if (run && report.errors.length > 0) problems.push(`${source.name}: parts are damaged (${report.errors[0]})`);
    } catch (error) {
      problems.push(`${source.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (runs.length > keep.length || runs.length > 0) {
    byId("welcome").hidden = true;
    app.setRuns(runs.slice(-2));
  } else byId("welcome").hidden = false;
  message(problems.join("\n"));
  return problems.join("\n");
}

function askReplace(app: App, sources: Source[]): void {
  if (app.runs.length === 0 || sources.length > 1) {
    void open(app, sources, []);
    return;
  }
  const dialog = el("dialog", { class: "ask", "aria-label": "Open" });
  const answer = (keep: Run[] | null) => {
    dialog.close();
    dialog.remove();
    if (keep) void open(app, sources, keep);
  };
  dialog.append(el("p", {}, "Open ", el("b", {}, sources[0]?.name || "the replay"), ":"), el("div", { class: "row" },
    button({ label: "Show it instead", text: "Show it instead", className: "primary", onClick: () => answer([]) }),
    button({ label: "Compare with this run", text: "Compare with this run", onClick: () => answer(app.runs.slice(0, 1)) }),
    button({ label: "Cancel", text: "Cancel", onClick: () => answer(null) })));
  document.body.append(dialog);
  dialog.showModal();
}

function acceptFiles(app: App): void {
  const take = async (files: FileList | null) => {
    const sources = (await Promise.all([...(files ?? [])].map(fromFile))).flat();
    if (sources.length === 0) message("There is no replay in that file.");
    else askReplace(app, sources);
  };
  const input = byId<HTMLInputElement>("file");
  input.addEventListener("change", () => { void take(input.files).then(() => (input.value = "")); });
  byId("choose").addEventListener("click", () => input.click());
  addEventListener("dragover", (e) => { e.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", (e) => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", (e) => {
    e.preventDefault();
    document.body.classList.remove("dropping");
    void take(e.dataTransfer?.files ?? null);
  });
}

/** #t=12.5 is a time, #at=3,-4.5 a place of the world. */
function seekToHash(app: App): void {
  const at = /[#&]at=(-?[\d.]+),(-?[\d.]+)/.exec(location.hash)?.slice(1).map(Number);
  if (at?.every(Number.isFinite)) app.goTo(at[0]!, at[1]!);
  const t = /[#&]t=([\d.]+)/.exec(location.hash)?.[1];
  if (t !== undefined) app.seek(Number(t));
}

async function begin(app: App, startEditor: (about: About) => void): Promise<string> {
  const inside = embedded(document);
  const simulator = document.querySelector("script[data-playground]");
  let problem = "";
  if (inside.length > 0) problem = await open(app, inside, []);
  else {
    const server = simulator ? null : await hello();
    if (simulator || server?.mode === "live") {
      byId("welcome").hidden = true;
      app.connect(simulator ?? `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/view`);
      const there = () => (app.run && app.run.columns.length > 0) || (app.edit && !app.edit.valid) || app.edit?.kind === "rover";
      await new Promise<void>((resolve) => { const timer = setInterval(() => { if (there()) { clearInterval(timer); resolve(); } }, 50); });
      if (server?.mode === "live" && server.editor) startEditor(await loadAbout());
    } else if (server?.mode === "replay") problem = await open(app, server.replays.map(fromServer), []);
    else {
      byId("welcome").hidden = false;
      return "there is no run in this page";
    }
  }
  seekToHash(app);
  if (app.run && app.view) await app.nextFrame();
  return problem;
}

function main(): void {
  const bed = document.querySelector("script[data-grains]");
  if (bed) {
    showGrains(bed.textContent ?? "", makeTheme(() => {}));
    return;
  }
  const { app } = makeView();
  makeTimeline(app);
  makeToolbar(app);
  makeSettings(app);
  makeFigures(app);
  makeLegends(app);
  makeRunTab(app);
  makeHint(app);
  const plots = new Plots(app);
  const drive = new Drive(app);
  const capture = new Capture(app);
  const theme = makeTheme(() => plots.restyle());
  const tabs = makeTabs(app, plots);
  byId("open-panel").addEventListener("click", tabs.toggle);
  byId("open-help").addEventListener("click", showHelp);
  byId("open-theme").addEventListener("click", theme);
  attachKeyboard(app, drive, { help: showHelp, panel: tabs.toggle, theme, plot: () => plots.addByUser(), screenshot: () => void capture.screenshot() });
  acceptFiles(app);
  app.on("runs", () => { if (app.run?.head.live && !app.edit) tabs.show("drive"); });
  addEventListener("hashchange", () => seekToHash(app));
  installHook(app, begin(app, (about) => {
    const editor = new Editor(app, about);
    const map = new MapWindow((set) => editor.set(set));
    if (app.edit?.kind !== "rover") {
      editor.add(map);
      editor.add(makeChoices(editor));
      editor.add(new Paint(editor));
    }
    editor.add(new Form(about.schema, (set) => editor.set(set)));
    editor.finish();
    app.on("map", () => map.setMap(app.map));
    map.setMap(app.map);
    tabs.show("edit");
  }));
}

main();
