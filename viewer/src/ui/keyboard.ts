// Keys for everything. They are ignored while a text field has the focus, and with Ctrl, Alt or Meta.

import { COMPARE, OVERLAYS, type App } from "../app.ts";
import { CAMERAS } from "../scene/cameras.ts";
import type { Drive } from "./drive.ts";
import { OVERLAY_TEXT } from "./toolbar.ts";

export interface Actions {
  help: () => void;
  panel: () => void;
  theme: () => void;
  plot: () => void;
  screenshot: () => void;
}

function typing(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input:not([type=range]):not([type=radio]):not([type=checkbox]), select, textarea, dialog") !== null;
}

export function attachKeyboard(app: App, drive: Drive, actions: Actions): void {
  const orbit = (x: number, y: number, shift: boolean) => {
    if (shift) app.view?.cameras?.shift(-x, y);
    else app.view?.cameras?.rotate(x, y);
    app.invalidate();
  };
  const zoom = (factor: number) => { app.view?.cameras?.zoom(factor); app.invalidate(); };
  const table: Record<string, (e: KeyboardEvent) => void> = {
    " ": () => app.setPlaying(!app.running),
    ",": () => app.step(-1),
    ".": () => app.step(1),
    ArrowLeft: (e) => app.seek(app.time - (e.shiftKey ? 10 : 1)),
    ArrowRight: (e) => app.seek(app.time + (e.shiftKey ? 10 : 1)),
    Home: () => app.seek(app.start),
    End: () => app.seek(app.end),
    "[": () => app.changeSpeed(-1),
    "]": () => app.changeSpeed(1),
    j: (e) => orbit(-0.1, 0, e.shiftKey),
    l: (e) => orbit(0.1, 0, e.shiftKey),
    i: (e) => orbit(0, 0.1, e.shiftKey),
    k: (e) => orbit(0, -0.1, e.shiftKey),
    "+": () => zoom(0.85),
    "=": () => zoom(0.85),
    "-": () => zoom(1 / 0.85),
    "0": () => { app.view?.cameras?.centre(); app.emit("settings"); },
    g: () => app.nextColour(),
    v: () => app.update({ compare: COMPARE[(COMPARE.indexOf(app.settings.compare) + 1) % COMPARE.length]! }),
    b: actions.panel,
    n: actions.plot,
    o: actions.screenshot,
    y: actions.theme,
    "?": actions.help,
  };
  CAMERAS.forEach((name, k) => (table[String(k + 1)] = () => app.selectCamera(name)));
  for (const name of OVERLAYS) table[OVERLAY_TEXT[name][1].toLowerCase()] = () => app.toggle(name);

  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || typing(e.target)) return;
    if (drive.key(e.code, true)) {
      e.preventDefault();
      return;
    }
    const action = table[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    // Space must still press a button that has the focus.
    if (!action || (e.key === " " && e.target instanceof HTMLButtonElement)) return;
    if (e.target instanceof HTMLInputElement && e.target.type === "radio" && e.key.startsWith("Arrow")) return;
    if (e.target instanceof HTMLInputElement && e.target.type === "range" && e.target.id !== "scrub" && e.key.length > 1) return;
    e.preventDefault();
    action(e);
  });
  addEventListener("keyup", (e) => drive.key(e.code, false));
}
