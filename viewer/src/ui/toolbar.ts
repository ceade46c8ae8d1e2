// Buttons over the picture: cameras and overlays. Each has a key; the pressed state is what is shown.

import { OVERLAYS, type App } from "../app.ts";
import { CAMERAS, type CameraName } from "../scene/cameras.ts";
import type { OverlayName } from "../scene/overlays.ts";
import { button, byId, el } from "./dom.ts";

export const CAMERA_TEXT: Record<CameraName, string> = { orbit: "Orbit", follow: "Follow", wheel: "Wheel", top: "Top", mast: "Mast" };
export const OVERLAY_TEXT: Record<OverlayName, [label: string, key: string, meaning: string]> = {
  forces: ["Forces", "F", "Forces of the ground on each wheel as arrows"],
  track: ["Track", "T", "Track coloured by slip or sinkage"],
  states: ["Contact", "C", "Contact state of each wheel"],
  frames: ["Frames", "X", "Frames of the bodies"],
  path: ["Path", "P", "Planned path and way-points"],
  stability: ["Stability", "M", "Centre of mass, support polygon and tip margin"],
  pressure: ["Pressure", "U", "Mean contact pressure under each wheel: load / (width × arc)"],
};

export function makeToolbar(app: App): void {
  const bar = byId("tools");
  const cameras = CAMERAS.map((name, k) => {
    const b = button({ label: `${CAMERA_TEXT[name]} camera`, key: String(k + 1), text: CAMERA_TEXT[name], onClick: () => app.selectCamera(name) });
    return { name, b };
  });
  const wheel = el("select", { "aria-label": "Wheel of the close-up", class: "wheel" });
  wheel.addEventListener("change", () => app.selectCamera("wheel", Number(wheel.value)));
  const overlays = OVERLAYS.map((name) => {
    const [label, key, meaning] = OVERLAY_TEXT[name];
    return { name, b: button({ label: meaning, key, text: label, onClick: () => app.toggle(name) }) };
  });
  bar.append(
    el("div", { class: "segments", role: "group", "aria-label": "Camera" }, ...cameras.map((c) => c.b), wheel),
    el("div", { class: "chips", role: "group", "aria-label": "Overlays" }, ...overlays.map((o) => o.b)));

  // What stands below the tools follows their height: in a narrow picture they take two rows.
  new ResizeObserver(() => byId("view").style.setProperty("--tools", `${bar.offsetHeight}px`)).observe(bar);
  app.on("runs", () => wheel.replaceChildren(...(app.run?.head.rover.wheels ?? []).map((w, k) => el("option", { value: k }, w.name))));
  app.on("settings", () => {
    for (const { name, b } of cameras) b.setAttribute("aria-pressed", String(name === app.camera));
    for (const { name, b } of overlays) b.setAttribute("aria-pressed", String(app.settings.overlays.has(name)));
    wheel.hidden = app.camera !== "wheel";
    wheel.value = String(app.view?.cameras?.wheel ?? 0);
  });
}
