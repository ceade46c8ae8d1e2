// Driving a live run: keys and an on-screen stick, drive modes, the run's own panel of parameters, and the status line.

import type { App } from "../app.ts";
import type { PanelItem } from "../head.ts";
import type { DriveCommand } from "../live.ts";
import { formatNumber } from "../run.ts";
import { button, byId, el } from "./dom.ts";

const SEND_MS = 100;
const CRAB_MAX = 0.7; // rad

export class Drive {
  private keys = new Set<string>();
  private stick = { x: 0, y: 0 };
  private mode = "";
  private last = "";
  private panel: { item: PanelItem; value: () => string | number }[] = [];
  private status = el("p", { class: "status", role: "status" });
  private modes = el("select", { "aria-label": "Drive mode" });
  private fields = el("div", {});

  constructor(private app: App) {
    const tab = byId("tab-drive");
    tab.append(
      el("section", {}, el("h3", {}, "Simulation"), this.status,
        el("div", { class: "row" },
          button({ label: "Start", text: "Start", onClick: () => app.send({ op: "play" }) }),
          button({ label: "Pause", text: "Pause", onClick: () => app.send({ op: "pause" }) }),
          button({ label: "One step", text: "Step", onClick: () => app.send({ op: "step" }) }),
          button({ label: "As fast as it can", text: "Max speed", onClick: () => app.send({ op: "speed", value: 0 }) }))),
      el("section", {}, el("h3", {}, "Drive"), this.modes,
        el("p", { class: "note" }, "Arrow keys or W A S D drive; the stick does the same by mouse or touch."),
        this.makeStick(),
        button({ label: "Back to the scenario's commands", text: "Scenario drives", className: "wide", onClick: () => app.send({ op: "drive", auto: true }) })),
      el("section", {}, el("h3", {}, "Parameters"), this.fields,
        button({ label: "Restart with these values", text: "Restart with these values", className: "wide primary", onClick: () => this.reset() })));
    this.modes.addEventListener("change", () => { this.mode = this.modes.value; this.last = ""; });
    app.on("runs", () => this.build());
    app.on("live", () => this.showStatus());
    setInterval(() => this.push(), SEND_MS);
    addEventListener("blur", () => { this.keys.clear(); this.push(); });
  }

  private makeStick(): HTMLElement {
    const knob = el("div", { class: "knob" });
    const pad = el("div", { class: "stick", role: "application", "aria-label": "Drive stick: drag up to drive, sideways to steer", tabindex: 0 }, knob);
    const move = (e: PointerEvent) => {
      const box = pad.getBoundingClientRect();
      const r = box.width / 2;
      const x = (e.clientX - box.left - r) / r;
      const y = -(e.clientY - box.top - r) / r;
      const n = Math.max(1, Math.hypot(x, y));
      this.stick = { x: x / n, y: y / n };
      knob.style.transform = `translate(${(this.stick.x * r * 0.7).toFixed(0)}px, ${(-this.stick.y * r * 0.7).toFixed(0)}px)`;
    };
    pad.addEventListener("pointerdown", (e) => { pad.setPointerCapture(e.pointerId); move(e); });
    pad.addEventListener("pointermove", (e) => { if (pad.hasPointerCapture(e.pointerId)) move(e); });
    const release = () => { this.stick = { x: 0, y: 0 }; knob.style.transform = ""; this.push(); };
    pad.addEventListener("pointerup", release);
    pad.addEventListener("pointercancel", release);
    return pad;
  }

  private build(): void {
    const live = this.app.run?.head.live;
    byId("open-drive").hidden = !live;
    if (!live) return;
    this.mode = live.mode;
    this.modes.replaceChildren(...live.modes.map((m) => el("option", { value: m.name, title: m.text }, m.name.replace(/_/g, " "))));
    this.modes.value = live.mode;
    this.panel = [];
    const groups = new Map<string, HTMLElement>();
    this.fields.replaceChildren();
    this.fields.parentElement!.hidden = this.app.edit !== null; // the tab "Edit" has all values
    for (const item of live.panel) {
      let group = groups.get(item.group);
      if (!group) {
        group = el("fieldset", {}, el("legend", {}, item.group));
        groups.set(item.group, group);
        this.fields.append(group);
      }
      group.append(this.field(item));
    }
    this.showStatus();
  }

  private field(item: PanelItem): HTMLElement {
    if ("choices" in item) {
      const select = el("select", {}, ...item.choices.map((c) => el("option", { value: c }, c)));
      select.value = item.value;
      this.panel.push({ item, value: () => select.value });
      return el("label", { class: "field" }, el("span", {}, item.label), select);
    }
    const bounded = Number.isFinite(item.lower) && Number.isFinite(item.upper);
    const input = el("input", { type: "number", step: "any", value: item.value, min: bounded ? item.lower : undefined, max: bounded ? item.upper : undefined });
    this.panel.push({ item, value: () => (input.value === "" ? item.value : Number(input.value)) });
    return el("label", { class: "field", title: bounded ? `${item.lower} … ${item.upper} ${item.unit}` : "" }, el("span", {}, item.label), input, el("output", {}, item.unit));
  }

  private reset(): void {
    const set = this.panel.filter(({ item, value }) => value() !== item.value).map(({ item, value }) => `${item.path}=${value()}`);
    this.app.send({ op: "reset", set });
  }

  private showStatus(): void {
    const s = this.app.status;
    const words = !this.app.connected ? "connecting …"
      : s ? `${s.state}, ${formatNumber(s.factor)} × real time, ${s.drive === "manual" ? "you drive" : "scenario drives"}, ${s.clients} viewer${s.clients === 1 ? "" : "s"}` : "connected";
    this.status.textContent = s?.message ? `${words} — ${s.message}` : words;
    byId("connection").hidden = this.app.live === null || this.app.connected;
  }

  /** Returns whether the key drives. */
  key(code: string, down: boolean): boolean {
    const name = { ArrowUp: "up", KeyW: "up", ArrowDown: "down", KeyS: "down", ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right" }[code];
    if (!name || !this.app.run?.head.live || !this.app.following) return false;
    if (down) this.keys.add(name);
    else this.keys.delete(name);
    this.push();
    return true;
  }

  private command(): DriveCommand {
    const live = this.app.run!.head.live!;
    const on = (name: string) => (this.keys.has(name) ? 1 : 0);
    const ahead = Math.max(-1, Math.min(1, on("up") - on("down") + this.stick.y));
    const left = Math.max(-1, Math.min(1, on("left") - on("right") - this.stick.x));
    const command: DriveCommand = { mode: this.mode, speed: ahead * live.speedMax, curvature: 0, yaw_rate: 0, crab: 0 };
    if (this.mode === "point_turn") return { ...command, speed: 0, yaw_rate: left * live.yawRateMax };
    if (this.mode === "crab") return { ...command, crab: left * CRAB_MAX };
    return { ...command, curvature: left * live.curvatureMax };
  }

  /** Sends the command when it changed. */
  private push(): void {
    if (!this.app.connected || !this.app.run?.head.live) return;
    const idle = this.keys.size === 0 && this.stick.x === 0 && this.stick.y === 0;
    if (idle && this.last === "") return; // the scenario drives until somebody touches the keys
    const command = this.command();
    const text = JSON.stringify(command);
    if (text === this.last) return;
    this.last = text;
    this.app.send({ op: "drive", ...command });
  }
}
