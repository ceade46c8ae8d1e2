// The tab "Edit": save, undo, what the check says, the text; and the tools that put things into the picture.

import type { App } from "../app.ts";
import { button, byId, el } from "../ui/dom.ts";
import { findHandles, Handles, pathEdits, wayPoints } from "./handles.ts";
import { changedLines, rounded, type About, type EditCommand, type EditMessage, type EditState } from "./state.ts";

const TYPING_MS = 500; // after the last key the text is sent

export interface Section {
  element: HTMLElement;
  show: (edit: EditState) => void;
}

export class Editor {
  readonly tab = byId("tab-edit");
  private file = el("b", {});
  private badge = el("span", { class: "badge", role: "status" });
  private undo = button({ label: "Undo", key: "Ctrl+Z", text: "Undo", onClick: () => this.send({ op: "undo" }) });
  private redo = button({ label: "Redo", key: "Ctrl+Shift+Z", text: "Redo", onClick: () => this.send({ op: "redo" }) });
  private save = button({ label: "Save", key: "Ctrl+S", text: "Save", className: "primary", onClick: () => this.store(false) });
  private messages = el("ul", { class: "checks", "aria-live": "polite" });
  private text = el("textarea", { spellcheck: "false", "aria-label": "Text of the file", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  private tool: ((x: number, y: number) => void) | null = null;
  private toolButtons: HTMLButtonElement[] = [];
  private place = el("section", {});
  private facts = el("section", { class: "facts", hidden: true });
  private handles: Handles;
  private timer = 0;
  private known = ""; // the server's text
  private sections: Section[] = [];
  private current: EditState | null = null;

  constructor(readonly app: App, readonly about: About) {
    this.handles = new Handles(app, (set) => this.set(set));
    byId("open-edit").hidden = false;
    this.tab.append(
      el("section", { class: "file" }, el("div", { class: "row" }, this.file, this.badge), el("div", { class: "row" }, this.save, this.undo, this.redo), this.messages),
      this.facts, this.place);
    this.place.append(el("h3", {}, "Place"), this.makeTools());
    this.listen();
    app.on("edit", () => this.show());
    app.on("runs", () => this.showHandles());
    app.view?.canvas.addEventListener("click", (e) => this.click(e));
    if (app.edit) this.show();
  }

  /** Adds a part of the tab; the text comes last. */
  add(section: Section): void {
    this.sections.push(section);
    this.tab.append(section.element);
  }

  finish(): void {
    this.tab.append(el("section", { class: "text" }, el("h3", {}, "Text"), this.text));
    if (this.app.edit) this.show();
  }

  send(command: EditCommand): void {
    this.flush();
    this.app.send(command);
  }

  /** Values by their paths; an empty one removes the key. */
  set(values: string[]): void {
    if (values.length > 0) this.send({ op: "edit", set: values });
  }

  private store(force: boolean): void {
    this.send({ op: "save", force });
  }

  // Tools: a click in the picture puts something there.

  private makeTools(): HTMLElement {
    const row = el("div", { class: "row" });
    const tool = (label: string, title: string, use: (x: number, y: number) => void) => row.append(this.toolButton(label, title, use));
    tool("Start", "Click where the rover starts", (x, y) => {
      const start = findHandles(this.current!, { x, y }, [], () => 0).find((h) => h.kind === "start");
      if (start) this.set(start.move(x, y));
    });
    tool("Way-point", "Click where the path goes on", (x, y) => {
      const { points, own } = wayPoints(this.current!, this.app.run?.head.path ?? []);
      const all = pathEdits([...points, [x, y]]);
      this.set(own ? [all[0]!.replace(/^drive\.path=\[.*(\[[^[]*\])\]$/, "drive.path[+]=$1")] : all);
    });
    tool("Crater", "Click where a crater lies", (x, y) => this.set([`terrain.add[+]={crater: {x_m: ${rounded(x)}, y_m: ${rounded(y)}, diameter_m: 3}}`]));
    tool("Rock", "Click where a rock lies: a fixed ball, half in the ground", (x, y) => this.set([`parts[+]={sphere: {radius_m: 0.2, at_m: [${rounded(x)}, ${rounded(y)}, ${rounded(this.height(x, y))}]}}`]));
    tool("Lander", "Click where the lander stands", (x, y) => {
      const there = [...this.current!.values.keys()].some((k) => k.startsWith("lander."));
      const name = this.about.landers[0]?.name;
      this.set([...(there || !name ? [] : [`lander.name=${name}`]), `lander.x_m=${rounded(x)}`, `lander.y_m=${rounded(y)}`]);
    });
    return row;
  }

  /** Of the ground, in the world. */
  private height(x: number, y: number): number {
    const run = this.app.run;
    if (!run) return 0;
    const [lx, ly] = run.toLocal([x, y, 0]);
    return run.ground.height(lx, ly) + run.head.origin[2];
  }

  toolButton(label: string, title: string, use: (x: number, y: number) => void): HTMLButtonElement {
    const b = button({ label: title, text: label, onClick: () => this.choose(b, use) });
    b.setAttribute("aria-pressed", "false");
    this.toolButtons.push(b);
    return b;
  }

  private choose(b: HTMLButtonElement | null, use: ((x: number, y: number) => void) | null): void {
    const off = b === null || b.getAttribute("aria-pressed") === "true";
    for (const other of this.toolButtons) other.setAttribute("aria-pressed", String(!off && other === b));
    this.tool = off ? null : use;
    this.app.view?.canvas.classList.toggle("placing", !off);
  }

  private down = { x: 0, y: 0 };
  private click(e: MouseEvent): void {
    if (!this.tool || !this.current || Math.hypot(e.clientX - this.down.x, e.clientY - this.down.y) > 5) return; // a drag turns the camera
    const p = this.app.pick(e.clientX, e.clientY);
    if (p) this.tool(p[0], p[1]);
  }

  private listen(): void {
    this.app.view?.canvas.addEventListener("pointerdown", (e) => { this.down = { x: e.clientX, y: e.clientY }; });
    this.text.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.flush(), TYPING_MS);
    });
    this.text.addEventListener("blur", () => this.flush());
    addEventListener("keydown", (e) => {
      if (e.key === "Escape" && this.tool) this.choose(null, null);
      if (!(e.ctrlKey || e.metaKey) || e.altKey) return;
      const key = e.key.toLowerCase();
      const typing = e.target === this.text;
      if (key === "s") this.store(false);
      else if (!typing && (key === "y" || (key === "z" && e.shiftKey))) this.send({ op: "redo" });
      else if (!typing && key === "z") this.send({ op: "undo" });
      else return;
      e.preventDefault();
    });
    addEventListener("beforeunload", (e) => { if (this.current && !this.current.saved && this.current.undo > 0) e.preventDefault(); });
  }

  /** Sends what was typed. */
  private flush(): void {
    clearTimeout(this.timer);
    const command = changedLines(this.known, this.text.value);
    if (!command) return;
    this.known = this.text.value;
    this.app.send(command);
  }

  // What the server says

  private show(): void {
    const edit = this.app.edit;
    if (!edit) return;
    this.current = edit;
    this.file.textContent = edit.file;
    this.badge.textContent = edit.saved ? "saved" : "not saved";
    this.badge.classList.toggle("good", edit.saved);
    this.undo.disabled = edit.undo === 0;
    this.redo.disabled = edit.redo === 0;
    const typing = document.activeElement === this.text && this.text.value !== this.known;
    this.known = edit.text;
    if (!typing && this.text.value !== edit.text) this.text.value = edit.text;
    this.showMessages(edit);
    this.showRover(edit);
    for (const s of this.sections) s.show(edit);
    this.showHandles();
  }

  /** Of a rover: its drawing in place of the picture, and what follows from it. A file that makes none keeps those of the last one. */
  private showRover(edit: EditState): void {
    const rover = edit.kind === "rover";
    this.place.hidden = rover;
    this.facts.hidden = !rover;
    document.body.classList.toggle("rover", rover);
    if (!rover || edit.drawing === "") return;
    const drawing = byId<HTMLImageElement>("drawing");
    URL.revokeObjectURL(drawing.src);
    drawing.src = URL.createObjectURL(new Blob([edit.drawing], { type: "image/svg+xml" }));
    drawing.hidden = false;
    byId("title").textContent = edit.file;
    const groups = [...new Set(edit.facts.map((f) => f.group))];
    this.facts.replaceChildren(...groups.flatMap((g) => [el("h4", {}, g), el("dl", {}, ...edit.facts.filter((f) => f.group === g).flatMap((f) => [el("dt", {}, f.name), el("dd", {}, f.value)]))]));
  }

  private showMessages(edit: EditState): void {
    const items: HTMLElement[] = [];
    const changed = edit.note.includes("another program has changed");
    if (edit.note !== "") items.push(el("li", { class: "bad" }, edit.note, changed ? button({ label: "Save over it", text: "Save over it", onClick: () => this.store(true) }) : null));
    for (const m of edit.messages) items.push(this.message(m));
    if (items.length === 0) items.push(el("li", { class: "good" }, edit.kind === "rover" ? "The file makes a rover." : "The scenario can run."));
    this.messages.replaceChildren(...items);
  }

  private message(m: EditMessage): HTMLElement {
    const place = `${m.file}${m.line > 0 ? `${m.file ? ":" : "line "}${m.line}` : ""}${m.field ? `${m.line > 0 || m.file ? ", " : ""}${m.field}` : ""}`;
    const go = el("button", { type: "button", class: "link" }, place || "file");
    go.addEventListener("click", () => this.select(m.file === "" ? m.line : 0));
    return el("li", { class: m.severity === "error" ? "bad" : "warn" }, go, ` ${m.text}`);
  }

  /** Shows a line of the text. */
  private select(line: number): void {
    if (line < 1) return;
    const lines = this.text.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
    this.text.scrollTop = Math.max(0, (line - 4) * 18);
    this.text.scrollIntoView({ block: "nearest" });
  }

  private showHandles(): void {
    const run = this.app.run;
    if (!this.current || !run || !this.current.valid || this.current.kind === "rover") {
      this.handles.show([]);
      return;
    }
    const pose = run.bodyPose(0, run.start);
    const o = run.head.origin;
    this.handles.show(findHandles(this.current, pose ? { x: pose.position[0] + o[0], y: pose.position[1] + o[1] } : null, run.head.path, (x, y) => this.height(x, y)));
  }
}
