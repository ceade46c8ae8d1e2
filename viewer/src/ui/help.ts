// The help sheet and the hint of the first minute.

import { OVERLAYS, type App } from "../app.ts";
import { button, byId, el } from "./dom.ts";
import { OVERLAY_TEXT } from "./toolbar.ts";

const KEYS: [string, [string, string][]][] = [
  ["Time", [["Space", "play, pause"], [", .", "one sample back, on"], ["← →", "1 s back, on; with Shift 10 s"], ["[ ]", "slower, faster"], ["Home End", "start, end (live: the newest state)"]]],
  ["Camera", [["1 … 5", "orbit, follow, wheel, top, mast; 3 again: next wheel"], ["I J K L", "orbit (with Shift: pan)"], ["+ −", "zoom"], ["0", "centre on the rover"]]],
  ["Show", OVERLAYS.map((o): [string, string] => [OVERLAY_TEXT[o][1], OVERLAY_TEXT[o][2]])],
  ["More", [["G", "next colour of the ground"], ["V", "two runs: side by side, ghost, one of them"], ["B", "side panel"], ["N", "add a plot"], ["O", "screenshot"], ["Y", "light, dark"], ["?", "this sheet"]]],
  ["Edit", [["Ctrl+S", "save"], ["Ctrl+Z", "undo; with Shift redo"], ["Tab", "to the next handle; arrow keys move it, Delete removes it"], ["Esc", "end placing"]]],
  ["Live", [["↑ ↓ ← → W A S D", "drive"], ["Space", "pause, go on"]]],
];

export function showHelp(): void {
  const dialog = el("dialog", { class: "help", "aria-label": "Help" });
  const close = () => { dialog.close(); dialog.remove(); };
  dialog.append(
    el("header", {}, el("h2", {}, "Help"), button({ label: "Close", icon: "close", onClick: close })),
    el("p", {}, "Drag to orbit, right-drag or Shift-drag to pan, wheel to zoom, double-click to centre. On a touch screen: one finger orbits, two pan and zoom."),
    el("div", { class: "columns" }, ...KEYS.map(([title, keys]) => el("section", {}, el("h3", {}, title), el("dl", {}, ...keys.flatMap(([k, text]) => [el("dt", {}, ...k.split(" ").map((part) => (part.length > 0 ? el("kbd", {}, part) : ""))), el("dd", {}, text)]))))),
    el("p", { class: "note" }, "Colours are chosen to stay distinct with colour-blindness. Heights, ruts and rover are drawn to scale. Drop a replay.bin or a replay HTML file on the page to open it."));
  dialog.addEventListener("cancel", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Shown until the first minute is over or it is closed; not again in this browser where storage is allowed. */
export function makeHint(app: App): void {
  const hint = byId("hint");
  const seen = () => { try { return localStorage.getItem("grouser.hint") === "seen"; } catch { return false; } };
  const close = () => {
    hint.hidden = true;
    try { localStorage.setItem("grouser.hint", "seen"); } catch { /* a page from file:// may have no storage */ }
  };
  const touch = matchMedia("(pointer: coarse)").matches;
  const key = (k: string) => el("kbd", {}, k);
  const words = el("span", {});
  hint.append(words, button({ label: "Close the hint", icon: "close", onClick: close }));
  const describe = () => {
    if (app.edit) words.replaceChildren("Drag the marks to move things, ", key("Space"), " runs it, ", key("?"), " help");
    else if (touch) words.replaceChildren("One finger orbits, two pan and zoom; ", app.live ? "the stick in the tab Drive steers" : "the bar below plays");
    else if (app.live) words.replaceChildren(key("↑"), " ", key("↓"), " ", key("←"), " ", key("→"), " drive, ", key("Space"), " pauses, drag to orbit, ", key("?"), " help");
    else words.replaceChildren(key("Space"), " plays, drag to orbit, ", key("1"), "–", key("5"), " cameras, ", key("?"), " help");
  };
  app.on("runs", () => {
    describe();
    hint.hidden = app.runs.length === 0 || seen();
    setTimeout(close, 60000);
  });
}
